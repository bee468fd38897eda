/* intel_costs.c - small kernels that differ in one thing, for docs/fast-kernels.md: scripts/intel_costs.sh compiles
 * them with Intel's compiler and prints how many instructions each has. Prints a line `NAME FILE FLAGS` for each.
 * Operations on single elements are in operation_costs.c.
 *
 *     intel_costs DIRECTORY TARGET
 */
#include "xetile.h"

typedef enum { ON_VECTORS, ON_MEMORY, ON_BYTES } group;
typedef enum {
    NONE,
    ROWS,
    COLUMNS,
    TURN,
    COPY,
    BY_COLUMNS,
    THIRDS,
    GATHER,
    CLAMPED,
    PREFETCHED,
    BYTES_AND,
    BYTES_SHIFT,
    BYTES_CAST
} what;

static const struct {
    const char *name;
    group in;
    what does;
    xt_pitch pitch;
    int subgroup_size;
} costs[] = {
    {"none", ON_VECTORS, NONE, XT_PITCH_ALIGNED, 0},
    {"reduce_rows", ON_VECTORS, ROWS, XT_PITCH_ALIGNED, 0},
    {"reduce_columns", ON_VECTORS, COLUMNS, XT_PITCH_ALIGNED, 0},
    {"transpose", ON_VECTORS, TURN, XT_PITCH_ALIGNED, 0},
    {"copy_aligned", ON_MEMORY, COPY, XT_PITCH_ALIGNED, 0},
    {"copy_auto", ON_MEMORY, COPY, XT_PITCH_AUTO, 0},
    {"copy_any", ON_MEMORY, COPY, XT_PITCH_ANY, 0},
    {"copy_any_32", ON_MEMORY, COPY, XT_PITCH_ANY, 32},
    {"by_columns", ON_MEMORY, BY_COLUMNS, XT_PITCH_ALIGNED, 0},
    {"every_third", ON_MEMORY, THIRDS, XT_PITCH_ALIGNED, 0},
    {"gather", ON_MEMORY, GATHER, XT_PITCH_ALIGNED, 0},
    {"clamped", ON_MEMORY, CLAMPED, XT_PITCH_ALIGNED, 0},
    {"prefetched", ON_MEMORY, PREFETCHED, XT_PITCH_ALIGNED, 0},
    {"product_i8", ON_BYTES, NONE, XT_PITCH_ALIGNED, 0},
    {"bytes_and", ON_BYTES, BYTES_AND, XT_PITCH_ALIGNED, 0},
    {"bytes_shift", ON_BYTES, BYTES_SHIFT, XT_PITCH_ALIGNED, 0},
    {"bytes_cast_f16", ON_BYTES, BYTES_CAST, XT_PITCH_ALIGNED, 0},
};

static what does; /* of the module that is made */

/* What goes across the elements of 16 x 16, each row of which is a register of 16 lanes. */
XT_KERNEL(vectors, ptr(f32, X), ptr(f32, Y), u32(M), u32(N))
{
    xt_vec v = XT_LOAD_TILE(XT_INIT_TILE(X, f32, 16, 16, .shape = XT_AT(M, N)));
    switch (does) {
    case ROWS: v = XT_BROADCAST(XT_REDUCTION(add, v, 1), 1, 16); break;
    case COLUMNS: v = XT_BROADCAST(XT_REDUCTION(add, v, 0), 0, 16); break;
    case TURN: v = XT_TRANSPOSE(v); break;
    default: break;
    }
    XT_STORE_TILE(v, XT_INIT_TILE(Y, f32, 16, 16, .shape = XT_AT(M, N)));
}

/* 16 x 32 elements of f16 are loaded and stored. */
XT_KERNEL(moves, ptr(f16, X), ptr(f16, Y), u32(M), u32(N))
{
    xt_vec at = XT_ADD(XT_MUL(XT_IOTA(i32, 16, 32, 0), 100), XT_IOTA(i32, 16, 32, 1)), v;
    xt_tile x = XT_INIT_TILE(X, f16, 16, 32, .shape = XT_AT(M, N));
    xt_tile y = XT_INIT_TILE(Y, f16, 16, 32, .shape = XT_AT(M, N));
    if (does == BY_COLUMNS)
        x = XT_INIT_TILE(X, f16, 16, 32, .shape = XT_AT(M, N), .strides = XT_AT(1, M), .order = {0, 1});
    if (does == THIRDS) x = XT_INIT_TILE(X, f16, 16, 32, .shape = XT_AT(M, N), .strides = XT_AT(XT_MUL(N, 3), 3));
    if (does == PREFETCHED) XT_PREFETCH_TILE(XT_UPDATE_TILE_OFFSET(x, 0, 64));
    if (does == GATHER)
        v = XT_LOAD_GATHER(XT_INIT_TILE(X, f16, 16, 32, .scatter = at, .shape = XT_AT(XT_MUL(M, N))));
    else if (does == CLAMPED)
        v = XT_LOAD_TILE(x, .border = XT_BORDER_CLAMP);
    else
        v = XT_LOAD_TILE(x);
    XT_STORE_TILE(v, y);
}

/* A product whose right side, 64 x 32 bytes, is worked on first. */
XT_KERNEL(bytes, ptr(i8, X), ptr(f16, H), ptr(u8, W), ptr(f32, Y), u32(K), u32(N))
{
    xt_vec w = XT_LOAD_TILE(XT_INIT_TILE(W, u8, 64, 32, .shape = XT_AT(K, N))), sum;
    if (does == BYTES_AND) w = XT_AND(w, 15);
    if (does == BYTES_SHIFT) w = XT_SHR(w, 4);
    if (does == BYTES_CAST)
        sum = XT_TILE_MMA(XT_LOAD_TILE(XT_INIT_TILE(H, f16, 8, 64, .shape = XT_AT(8, K))), XT_CAST(f16, w));
    else
        sum = XT_CAST(f32, XT_TILE_MMA(XT_LOAD_TILE(XT_INIT_TILE(X, i8, 8, 64, .shape = XT_AT(8, K))), w));
    XT_STORE_TILE(sum, XT_INIT_TILE(Y, f32, 8, 32, .shape = XT_AT(8, N)));
}

int main(int argc, char **argv)
{
    static const xt_kernel *const kernels[] = {&vectors, &moves, &bytes};
    if (argc != 3) return fprintf(stderr, "usage: intel_costs DIRECTORY TARGET\n"), 2;
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
        char path[256];
        xt_target target = {.name = argv[2]};
        const xt_build_desc d = XT_DESC(*kernels[costs[i].in], &target, .pitch = costs[i].pitch, .registers = 128,
                                        .subgroup_size = costs[i].subgroup_size);
        does = costs[i].does;
        xt_module mod = xt_build(&d);
        if (!mod.words) return spe_print_error(mod.error, stderr), 1;
        snprintf(path, sizeof path, "%s/%s.spv", argv[1], costs[i].name);
        FILE *f = fopen(path, "wb");
        bool done = f && fwrite(mod.words, 1, mod.size, f) == mod.size;
        if (f && fclose(f) != 0) done = false;
        if (!done) return fprintf(stderr, "%s: cannot write it\n", path), 1;
        printf("%s %s %s\n", costs[i].name, path, mod.build_flags);
        xt_free(&mod);
    }
}
