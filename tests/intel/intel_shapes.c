/* intel_shapes.c - writes products of many shapes, types and forms, for one target: scripts/check_intel_shapes.sh
 * compiles them with Intel's compiler and counts instructions. Prints a line `NAME PITCH FILE FLAGS` for each.
 *
 *     intel_shapes DIRECTORY TARGET [NAME]
 */
#include "xetile.h"

typedef struct {
    int type;
} chosen;

/* How an operand is had: as it is stored; stored by columns; transposed in the kernel, at once or after its tile has
 * moved; loaded as f32 and truncated; worked on, element by element; out of local memory. */
typedef enum { PLAIN, COLUMNS, TRANSPOSED, TRANSPOSED_DEFERRED, TRUNCATED, SCALED, LOCAL } form;
/* The use of the sum: stored, rounded to the operands' type, an epilogue. */
typedef enum { RAW, ROUNDED, GELU } after;
typedef enum { ONE, BY_GROUP, BY_LOOP } batch; /* matrices: one; chosen by the third group id, or by a loop */

/* Tiles of M x K and K x N, distributed to layout subgroups in pieces of data (all 0: one subgroup has them). */
typedef struct {
    const char *name;
    int a, b, sum;
    int M, N, K, layout[2], data[2];
    form of_a, of_b;
    after then;
    batch many;
} shape;

#define WG(m, n, k, l0, l1, d0, d1) m, n, k, {l0, l1}, {d0, d1}
#define SG(m, n, k) m, n, k, {0, 0}, {0, 0}
static const shape shapes[] = {
    {"f16_256x256x32", CM_F16, CM_F16, CM_F32, WG(256, 256, 32, 8, 4, 32, 64), PLAIN, PLAIN, RAW, ONE},
    {"bf16_256x256x32", CM_BF16, CM_BF16, CM_F32, WG(256, 256, 32, 8, 4, 32, 64), PLAIN, PLAIN, ROUNDED, ONE},
    {"i8_256x256x64", CM_I8, CM_I8, CM_I32, WG(256, 256, 64, 8, 4, 32, 64), PLAIN, PLAIN, RAW, ONE},
    {"u8_128x128x32", CM_U8, CM_U8, CM_I32, WG(128, 128, 32, 4, 4, 32, 32), PLAIN, PLAIN, RAW, ONE},
    {"tf32_128x128x16", CM_TF32, CM_TF32, CM_F32, WG(128, 128, 16, 4, 4, 32, 32), PLAIN, PLAIN, RAW, ONE},
    {"f16_sum_f16", CM_F16, CM_F16, CM_F16, WG(128, 128, 32, 4, 4, 32, 32), PLAIN, PLAIN, RAW, ONE},
    {"bf16_sum_bf16", CM_BF16, CM_BF16, CM_BF16, WG(128, 128, 32, 4, 4, 32, 32), PLAIN, PLAIN, RAW, ONE},
    {"f16_b_by_columns", CM_F16, CM_F16, CM_F32, WG(256, 256, 32, 8, 4, 32, 64), PLAIN, COLUMNS, RAW, ONE},
    {"f16_a_by_columns", CM_F16, CM_F16, CM_F32, WG(256, 256, 32, 8, 4, 32, 64), COLUMNS, PLAIN, RAW, ONE},
    {"i8_b_by_columns", CM_I8, CM_I8, CM_I32, WG(256, 256, 32, 8, 4, 32, 64), PLAIN, COLUMNS, RAW, ONE},
    {"f16_b_transposed", CM_F16, CM_F16, CM_F32, WG(256, 256, 32, 8, 4, 32, 64), PLAIN, TRANSPOSED, RAW, ONE},
    {"f16_b_transposed_deferred", CM_F16, CM_F16, CM_F32, WG(256, 256, 32, 8, 4, 32, 64), PLAIN, TRANSPOSED_DEFERRED,
     RAW, ONE},
    {"f16_a_transposed", CM_F16, CM_F16, CM_F32, WG(256, 256, 32, 8, 4, 32, 64), TRANSPOSED, PLAIN, RAW, ONE},
    {"f16_b_transposed_sg", CM_F16, CM_F16, CM_F32, SG(32, 64, 32), PLAIN, TRANSPOSED, RAW, ONE},
    {"f16_a_transposed_sg", CM_F16, CM_F16, CM_F32, SG(32, 64, 32), TRANSPOSED, PLAIN, RAW, ONE},
    {"f32_truncated", CM_F16, CM_F16, CM_F32, WG(128, 128, 32, 4, 4, 32, 32), TRUNCATED, TRUNCATED, RAW, ONE},
    {"bf16_scaled", CM_BF16, CM_BF16, CM_F32, WG(128, 128, 16, 4, 4, 32, 32), SCALED, PLAIN, GELU, ONE},
    {"f16_gelu", CM_F16, CM_F16, CM_F32, WG(256, 256, 32, 8, 4, 32, 64), PLAIN, PLAIN, GELU, ONE},
    {"f16_rounded", CM_F16, CM_F16, CM_F32, WG(256, 256, 32, 8, 4, 32, 64), PLAIN, PLAIN, ROUNDED, ONE},
    {"f16_sg_8x16x16", CM_F16, CM_F16, CM_F32, SG(8, 16, 16), PLAIN, PLAIN, RAW, ONE},
    {"f16_sg_16x32x16", CM_F16, CM_F16, CM_F32, SG(16, 32, 16), PLAIN, PLAIN, RAW, ONE},
    {"f16_sg_32x32x32", CM_F16, CM_F16, CM_F32, SG(32, 32, 32), PLAIN, PLAIN, RAW, ONE},
    {"f16_sg_32x64x32", CM_F16, CM_F16, CM_F32, SG(32, 64, 32), PLAIN, PLAIN, RAW, ONE},
    {"f16_sg_32x64x64", CM_F16, CM_F16, CM_F32, SG(32, 64, 64), PLAIN, PLAIN, RAW, ONE},
    {"f16_sg_32x64x128", CM_F16, CM_F16, CM_F32, SG(32, 64, 128), PLAIN, PLAIN, RAW, ONE},
    {"f16_sg_32x64x256", CM_F16, CM_F16, CM_F32, SG(32, 64, 256), PLAIN, PLAIN, RAW, ONE},
    {"i8_sg_32x64x64", CM_I8, CM_I8, CM_I32, SG(32, 64, 64), PLAIN, PLAIN, RAW, ONE},
    {"i8_sg_32x64x256", CM_I8, CM_I8, CM_I32, SG(32, 64, 256), PLAIN, PLAIN, RAW, ONE},
    {"f16_deep_256", CM_F16, CM_F16, CM_F32, WG(128, 128, 256, 4, 4, 32, 32), PLAIN, PLAIN, RAW, ONE},
    {"f16_distributed", CM_F16, CM_F16, CM_F32, WG(128, 256, 32, 4, 4, 16, 32), PLAIN, PLAIN, RAW, ONE},
    {"f16_distributed_deep", CM_F16, CM_F16, CM_F32, WG(128, 256, 128, 4, 4, 16, 32), PLAIN, PLAIN, RAW, ONE},
    {"f16_wrapped", CM_F16, CM_F16, CM_F32, WG(64, 256, 32, 8, 4, 32, 64), PLAIN, PLAIN, RAW, ONE},
    {"f16_local", CM_F16, CM_F16, CM_F32, WG(128, 128, 32, 4, 4, 32, 32), LOCAL, PLAIN, RAW, ONE},
    {"f16_batch_by_group", CM_F16, CM_F16, CM_F32, WG(128, 128, 32, 4, 4, 32, 32), PLAIN, PLAIN, RAW, BY_GROUP},
    {"f16_batch_by_loop", CM_F16, CM_F16, CM_F32, WG(128, 128, 32, 4, 4, 32, 32), PLAIN, PLAIN, RAW, BY_LOOP},
    {"f16_narrow_n", CM_F16, CM_F16, CM_F32, SG(32, 24, 32), PLAIN, PLAIN, RAW, ONE},
    {"f16_odd_n", CM_F16, CM_F16, CM_F32, SG(32, 30, 32), PLAIN, PLAIN, RAW, ONE},
    {"f16_90x76x90", CM_F16, CM_F16, CM_F32, SG(90, 76, 90), PLAIN, PLAIN, RAW, ONE},
};

static const shape *s;

/* The map of an operand of rows x cols elements, of which a subgroup has all along a dimension `whole`; or none. */
static xt_map map_of(int whole, int extent)
{
    xt_map m = {{s->layout[0], s->layout[1]}, {s->data[0], s->data[1]}};
    if (s->layout[0] && whole >= 0) m.sg_data[whole] = extent;
    return m;
}

/* One operand: the tile in memory, and the loaded vector. */
typedef struct {
    form how;
    xt_map map;
    int rows, cols;
    xt_tile at, local;
} operand;

static operand open_operand(XT_CONTEXT, xt_val base, int type, form how, int rows, int cols, xt_map map, xt_val z,
                            xt_val i, xt_val j, xt_val height, xt_val width)
{
    chosen t = {how == TRUNCATED ? (int)CM_F32 : type};
    operand o = {how, map, rows, cols, {0}, {0}};
    const int by_columns = how == COLUMNS;
    if (how == TRANSPOSED || how == TRANSPOSED_DEFERRED)
        o.at = XT_INIT_TILE(base, of(t), cols, rows, .offset = XT_AT(j, i), .shape = XT_AT(width, height),
                            .map = xt_map_transpose(&map));
    else if (s->many != ONE)
        o.at = XT_INIT_TILE(base, of(t), rows, cols, .offset = XT_AT(z, i, j), .shape = XT_AT(8, height, width),
                            .map = map);
    else if (by_columns)
        o.at = XT_INIT_TILE(base, of(t), rows, cols, .offset = XT_AT(i, j), .shape = XT_AT(height, width), .map = map,
                            .order = {0, 1});
    else
        o.at = XT_INIT_TILE(base, of(t), rows, cols, .offset = XT_AT(i, j), .shape = XT_AT(height, width), .map = map);
    if (how == LOCAL)
        o.local = XT_INIT_TILE(XT_LOCAL(of(t), rows * cols), of(t), rows, cols, .shape = XT_AT(rows, cols), .map = map,
                               .inside = true);
    return o;
}

static xt_vec load_operand(XT_CONTEXT, operand *o, int type, int down, int across)
{
    bool transposed = o->how == TRANSPOSED || o->how == TRANSPOSED_DEFERRED;
    chosen t = {type};
    xt_vec v = XT_LOAD_TILE(o->at);
    xt_tile next = transposed ? XT_UPDATE_TILE_OFFSET(o->at, across, down) : XT_UPDATE_TILE_OFFSET(o->at, down, across);
    if (o->how != TRANSPOSED_DEFERRED && transposed) v = XT_TRANSPOSE(v);
    o->at = next;
    if (o->how == TRANSPOSED_DEFERRED) v = XT_TRANSPOSE(v);
    if (o->how == TRUNCATED) v = XT_CAST(of(t), v);
    if (o->how == SCALED) v = XT_MUL(v, 0.5);
    if (o->how == LOCAL) {
        XT_BARRIER();
        XT_STORE_TILE(v, o->local);
        XT_BARRIER();
        v = XT_LOAD_TILE(o->local);
    }
    return v;
}

static void one_product(XT_CONTEXT, xt_val A, xt_val B, xt_val C, xt_val z, xt_val M, xt_val N, xt_val K)
{
    xt_val i = XT_MUL(XT_GROUP_ID(1), s->M), j = XT_MUL(XT_GROUP_ID(0), s->N);
    chosen sum = {s->sum}, stored = {s->then == ROUNDED ? s->a : s->sum};
    operand a = open_operand(XT_SELF, A, s->a, s->of_a, s->M, s->K, map_of(1, s->K), z, i, XT_ADD(0, 0), M, K);
    operand b = open_operand(XT_SELF, B, s->b, s->of_b, s->K, s->N, map_of(0, s->K), z, XT_ADD(0, 0), j, K, N);
    operand c = open_operand(XT_SELF, C, stored.type, PLAIN, s->M, s->N, map_of(-1, 0), z, i, j, M, N);
    xt_vec acc = XT_SPLAT(of(sum), s->M, s->N, 0, .map = map_of(-1, 0));
    XT_FOR (k, 0, K, s->K, &a.at, &b.at, &acc) {
        xt_vec va = load_operand(XT_SELF, &a, s->a, 0, s->K), vb = load_operand(XT_SELF, &b, s->b, s->K, 0);
        acc = XT_TILE_MMA(va, vb, acc);
    }
    if (s->then == GELU) acc = XT_MUL(XT_MUL(acc, 0.5), XT_ADD(XT_ERF(XT_MUL(acc, 0.70710678)), 1.0));
    if (s->then == ROUNDED) acc = XT_CAST(of(stored), acc);
    XT_STORE_TILE(acc, c.at);
}

XT_KERNEL (product, u64(A), u64(B), u64(C), u32(M), u32(N), u32(K))
{
    if (s->many == BY_LOOP) {
        XT_FOR (z, 0, 8, 1) one_product(XT_SELF, A, B, C, z, M, N, K);
    } else {
        one_product(XT_SELF, A, B, C, XT_GROUP_ID(2), M, N, K);
    }
}

static bool write_one(const char *directory, const char *target, xt_pitch pitch)
{
    char path[256];
    xt_module mod = XT_BUILD(product, &(xt_target){.name = target}, .pitch = pitch);
    FILE *f;
    bool done;
    snprintf(path, sizeof path, "%s/%s_%s.spv", directory, s->name, pitch == XT_PITCH_ANY ? "any" : "aligned");
    if (!mod.words) fprintf(stderr, "%s: ", s->name), spe_print_error(mod.error, stderr);
    spe_print_error(mod.warning, stderr);
    f = mod.words ? fopen(path, "wb") : NULL;
    done = f && fwrite(mod.words, 1, mod.size, f) == mod.size;
    if (f && fclose(f) != 0) done = false;
    if (done) printf("%s %s %s %s\n", s->name, pitch == XT_PITCH_ANY ? "any" : "aligned", path, mod.build_flags);
    xt_free(&mod);
    return done;
}

int main(int argc, char **argv)
{
    bool all = argc >= 3;
    size_t i;
    if (!all) return fprintf(stderr, "usage: intel_shapes DIRECTORY TARGET [NAME]\n"), 2;
    for (i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        s = &shapes[i];
        if (argc > 3 && strcmp(argv[3], s->name) != 0) continue;
        all = write_one(argv[1], argv[2], XT_PITCH_ALIGNED) && all;
        all = write_one(argv[1], argv[2], XT_PITCH_ANY) && all;
    }
    return !all;
}
