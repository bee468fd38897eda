/* intel_access.c - writes kernels whose accesses Intel's compiler should turn into few block messages, for
 * test_intel_access.sh: prints `NAME FILE FLAGS` for each.
 *
 *     intel_access DIRECTORY TARGET
 */
#include "xetile.h"

static xt_pitch pitch; /* of the module that is made */

XT_KERNEL (copy, ptr(f32, X), ptr(f32, Y), u32(M), u32(N))
{
    xt_tile x = XT_INIT_TILE(X, f32, 16, 16, .shape = XT_AT(M, N));
    XT_STORE_TILE(XT_LOAD_TILE(x), XT_INIT_TILE(Y, f32, 16, 16, .shape = XT_AT(M, N)));
}

/* y = W x without a product: each subgroup has four rows of W and 128 of its columns, 1 KiB, at a time. */
XT_KERNEL (rows, ptr(f16, W), ptr(f16, X), ptr(f32, Y), u32(N), u32(K))
{
    enum { SUBGROUPS = 8, ROWS = 4, STEP = 128 };
    const xt_map map = XT_MAP(.sg_layout = {SUBGROUPS, 1}, .sg_data = {ROWS, STEP});
    const xt_map map_x = XT_MAP(.sg_layout = {SUBGROUPS, 1}, .sg_data = {1, STEP});
    xt_val n = XT_MUL(XT_GROUP_ID(0), SUBGROUPS * ROWS);
    xt_tile w = XT_INIT_TILE(W, f16, SUBGROUPS * ROWS, STEP, .offset = XT_AT(n, 0), .shape = XT_AT(N, K), .map = map);
    xt_tile x = XT_INIT_TILE(X, f16, 1, STEP, .shape = XT_AT(1, K), .map = map_x);
    xt_vec sum = XT_SPLAT(f32, SUBGROUPS * ROWS, STEP, 0, .map = map);
    XT_FOR (k, 0, K, STEP, &w, &x, &sum) {
        sum = XT_FMA(XT_CAST(f32, XT_LOAD_TILE(w)), XT_CAST(f32, XT_LOAD_TILE(x)), sum);
        w = XT_UPDATE_TILE_OFFSET(w, 0, STEP);
        x = XT_UPDATE_TILE_OFFSET(x, 0, STEP);
    }
    const xt_map map_y = xt_map_reduction(&map, 1, STEP);
    xt_tile y = XT_INIT_TILE(Y, f32, SUBGROUPS * ROWS, 1, .offset = XT_AT(n, 0), .shape = XT_AT(N, 1), .map = map_y);
    XT_STORE_TILE(XT_REDUCTION(add, sum, 1), y);
}

/* Bytes, `width` columns of them, as a product's right side. */
static void bytes(XT_CONTEXT, xt_val X, xt_val W, xt_val Y, xt_val N, xt_val K, int width)
{
    xt_vec x = XT_LOAD_TILE(XT_INIT_TILE(X, f16, 8, 32, .shape = XT_AT(8, K)));
    xt_vec w = XT_LOAD_TILE(XT_INIT_TILE(W, u8, 32, width, .shape = XT_AT(K, N)));
    XT_STORE_TILE(XT_TILE_MMA(x, XT_CAST(f16, w)), XT_INIT_TILE(Y, f32, 8, width, .shape = XT_AT(8, N)));
}

XT_KERNEL (bytes16, ptr(f16, X), ptr(u8, W), ptr(f32, Y), u32(N), u32(K)) { bytes(XT_SELF, X, W, Y, N, K, 16); }
XT_KERNEL (bytes32, ptr(f16, X), ptr(u8, W), ptr(f32, Y), u32(N), u32(K)) { bytes(XT_SELF, X, W, Y, N, K, 32); }

/* y = x W of packed weights of four bits, as in examples/quantized_linear.c: a subgroup has 64 of each of 16 outputs,
 * 1024 weights, at a time, for `rows` rows of activations. */
static void packed(XT_CONTEXT, xt_val X, xt_val W, xt_val Y, xt_val N, xt_val K, int rows)
{
    enum { HALF = 32, COLUMNS = 64 };
    const xt_map map = XT_MAP(.sg_layout = {1, 4}, .sg_data = {rows, COLUMNS / 4});
    const xt_map map_x = xt_map_mma_a(&map, HALF), map_w = xt_map_mma_b(&map, HALF);
    xt_val j = XT_MUL(XT_GROUP_ID(0), COLUMNS), groups = XT_DIV(K, 2 * HALF);
    xt_tile x = XT_INIT_TILE(X, f16, rows, HALF, .shape = XT_AT(rows, K), .map = map_x), x_high;
    xt_tile w = XT_INIT_TILE(W, u8, HALF, COLUMNS, .offset = XT_AT(0, j), .shape = XT_AT(XT_MUL(groups, HALF), N),
                             .map = map_w);
    xt_vec sum = XT_SPLAT(f32, rows, COLUMNS, 0, .map = map);
    XT_FOR (group, 0, groups, 1, &sum, &x, &w) {
        xt_vec bytes = XT_LOAD_TILE(w), low = XT_SUB(XT_CAST(f16, XT_AND(bytes, 15)), 8),
               high = XT_SUB(XT_CAST(f16, XT_SHR(bytes, 4)), 8);
        x_high = XT_UPDATE_TILE_OFFSET(x, 0, HALF);
        sum = XT_TILE_MMA(XT_LOAD_TILE(x), low, sum);
        sum = XT_TILE_MMA(XT_LOAD_TILE(x_high), high, sum);
        x = XT_UPDATE_TILE_OFFSET(x, 0, 2 * HALF);
        w = XT_UPDATE_TILE_OFFSET(w, HALF, 0);
        (void)group;
    }
    xt_tile y = XT_INIT_TILE(Y, f32, rows, COLUMNS, .offset = XT_AT(0, j), .shape = XT_AT(rows, N), .map = map);
    XT_STORE_TILE(sum, y);
}

XT_KERNEL (packed1, ptr(f16, X), ptr(u8, W), ptr(f32, Y), u32(N), u32(K)) { packed(XT_SELF, X, W, Y, N, K, 1); }
XT_KERNEL (packed16, ptr(f16, X), ptr(u8, W), ptr(f32, Y), u32(N), u32(K)) { packed(XT_SELF, X, W, Y, N, K, 16); }

/* 1 KiB of bytes, shifted; signs move in. */
XT_KERNEL (shifted, ptr(i8, W), u32(M), u32(N))
{
    xt_tile w = XT_INIT_TILE(W, i8, 16, 64, .shape = XT_AT(M, N));
    XT_STORE_TILE(XT_SHR(XT_LOAD_TILE(w), 3), w);
}

/* A product with as many columns as `rows` says: a parameter or a number in memory. */
static void scores(XT_CONTEXT, xt_val Q, xt_val K, xt_val S, xt_val rows)
{
    xt_val at = XT_MUL(XT_GROUP_ID(0), 32);
    xt_vec q = XT_LOAD_TILE(XT_INIT_TILE(Q, f16, 8, 64, .shape = XT_AT(8, 64)));
    xt_tile k = XT_INIT_TILE(K, f16, 64, 32, .offset = XT_AT(0, at), .shape = XT_AT(64, rows), .strides = XT_AT(1, 128),
                             .order = {0, 1});
    XT_STORE_TILE(XT_TILE_MMA(q, XT_LOAD_TILE(k)),
                  XT_INIT_TILE(S, f32, 8, 32, .offset = XT_AT(0, at), .shape = XT_AT(8, 512)));
}

XT_KERNEL (known_rows, ptr(f16, Q), ptr(f16, K), ptr(f32, S), u32(T)) { scores(XT_SELF, Q, K, S, T); }
XT_KERNEL (rows_in_memory, ptr(f16, Q), ptr(f16, K), ptr(f32, S), ptr(i32, T))
{
    scores(XT_SELF, Q, K, S, XT_LOAD(T, 0));
}

/* Exponentials of eight vectors, in place. */
XT_KERNEL (exponential, ptr(f32, X), u32(M), u32(N))
{
    xt_tile x = XT_INIT_TILE(X, f32, 8, 16, .shape = XT_AT(M, N));
    XT_STORE_TILE(XT_EXP(XT_LOAD_TILE(x)), x);
}

static bool write_one(const char *directory, const char *target, const xt_kernel *kernel, const char *name)
{
    char path[256];
    xt_target t = {.name = target};
    xt_build_desc d = {.kernel = kernel, .target = &t, .pitch = pitch, .file = __FILE__, .line = __LINE__};
    xt_module mod = xt_build(&d);
    if (!mod.words) return spe_print_error(mod.error, stderr), false;
    snprintf(path, sizeof path, "%s/%s.spv", directory, name);
    FILE *f = fopen(path, "wb");
    bool done = f && fwrite(mod.words, 1, mod.size, f) == mod.size;
    if (f && fclose(f) != 0) done = false;
    if (done) printf("%s %s %s\n", name, path, mod.build_flags);
    xt_free(&mod);
    return done;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        const xt_kernel *kernel;
    } kernels[] = {{"copy", &copy},       {"rows", &rows},             {"bytes16", &bytes16},
                   {"bytes32", &bytes32}, {"known_rows", &known_rows}, {"rows_in_memory", &rows_in_memory},
                   {"exponential", &exponential}, {"packed1", &packed1},   {"packed16", &packed16},
                   {"shifted", &shifted}};
    bool all = argc >= 3;
    if (!all) return fprintf(stderr, "usage: intel_access DIRECTORY TARGET\n"), 2;
    pitch = XT_PITCH_ALIGNED;
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        all = write_one(argv[1], argv[2], kernels[i].kernel, kernels[i].name) && all;
    pitch = XT_PITCH_AUTO; /* block messages in one of two versions */
    all = write_one(argv[1], argv[2], &rows_in_memory, "rows_in_memory_auto") && all;
    all = write_one(argv[1], argv[2], &rows, "rows_auto") && all;
    return !all;
}
