/* intel_ops.c - writes modules with every operation of xetile.h, at subgroup and work-group level, for one target:
 * test_intel_ops.sh compiles them with Intel's compiler. Prints a line `FILE FLAGS` for each.
 *
 *     intel_ops DIRECTORY TARGET
 */
#include "xetile.h"

/* An element type chosen at run time. */
typedef struct {
    int type;
} chosen;
static chosen T, U;
static bool group; /* at work-group level: 2 x 2 subgroups */
/* Sides of tiles: pieces of 16 x 16, of 8 x 8 where an element takes much code. */
#define SIDE (group ? 32 : 16)
#define SHORT (group ? 16 : 8)
static const xt_map no_map = {{0, 0}, {0, 0}};

static xt_map piece(int rows, int cols)
{
    return group ? XT_MAP(.sg_layout = {2, 2}, .sg_data = {rows, cols}) : no_map;
}

static xt_tile tile(XT_CONTEXT, xt_val base, int rows, int cols, xt_val N)
{
    return XT_INIT_TILE(base, of(T), rows, cols, .shape = XT_AT(N, N), .map = piece(rows / 2, cols / 2));
}

static void put(XT_CONTEXT, xt_vec v, xt_val base, xt_val N)
{
    const int *shape = v.dist.shape;
    chosen t = {(int)v.type};
    XT_STORE_TILE(v, XT_INIT_TILE(base, of(t), shape[0], shape[1], .shape = XT_AT(N, N), .map = v.map,
                                  .inner_blocks = {v.inner[0], v.inner[1]}));
}

XT_KERNEL (memory, u64(A), u64(C), u32(N))
{
    xt_map m = piece(16, 16);
    xt_tile a = XT_INIT_TILE(A, of(T), SIDE, SIDE, .offset = XT_AT(N, 3), .shape = XT_AT(N, N), .strides = XT_AT(N, 1),
                             .map = m);
    xt_tile t =
        XT_INIT_TILE(A, of(T), SIDE, SIDE, .shape = XT_AT(N, N), .strides = XT_AT(1, N), .order = {0, 1}, .map = m);
    xt_tile d = XT_INIT_TILE(A, of(T), SIDE, SIDE, .offset = XT_AT(XT_GROUP_ID(1), 1, 2, 3), .shape = XT_AT(N, N, N, N),
                             .map = m, .inner_blocks = {8, 16});
    xt_tile l = XT_INIT_TILE(XT_LOCAL(of(T), SIDE * SIDE), of(T), SIDE, SIDE, .shape = XT_AT(SIDE, SIDE), .map = m);
    for (int locality = 0; locality < 4; locality++) XT_PREFETCH_TILE(a, locality);
    put(XT_SELF, XT_LOAD_TILE(a, .padding = 1), C, N);
    XT_STORE_TILE(XT_LOAD_TILE(t), XT_UPDATE_TILE_OFFSET(t, 5, N));
    XT_STORE_TILE(XT_LOAD_TILE(d), d);
    XT_STORE_TILE(XT_LOAD_TILE(a), l);
    XT_BARRIER();
    XT_STORE_TILE(XT_LOAD_TILE(l), a);
}

XT_KERNEL (gather, u64(A), u64(C), u32(N))
{
    xt_vec at = XT_ADD(XT_MUL(XT_IOTA(i32, SIDE, SIDE, 0, .map = piece(16, 16)), 7),
                       XT_IOTA(i32, SIDE, SIDE, 1, .map = piece(16, 16)));
    xt_tile t = XT_INIT_TILE(A, of(T), SIDE, SIDE, .scatter = at, .shape = XT_AT(N));
    xt_vec mask = XT_LT(at, 99);
    xt_vec v = XT_LOAD_GATHER(t, mask, .padding = 1);
    XT_STORE_SCATTER(v, XT_INIT_TILE(C, of(T), SIDE, SIDE, .scatter = at, .shape = XT_AT(N)), mask);
}

XT_KERNEL (atomics, u64(A), u64(C), u32(N))
{
    xt_tile a = tile(XT_SELF, A, SHORT, SHORT, N), c = tile(XT_SELF, C, SHORT, SHORT, N);
    xt_vec v = XT_LOAD_TILE(a);
    v = XT_ATOMIC_RMW(assign, v, c);
    if (xt_is_float_(T.type)) {
        v = XT_ATOMIC_RMW(addf, v, c);
        v = XT_ATOMIC_RMW(mulf, v, c);
        v = XT_ATOMIC_RMW(maximumf, v, c);
        v = XT_ATOMIC_RMW(minnumf, v, c);
        v = XT_ATOMIC_RMW(minimumf, v, c);
        v = XT_ATOMIC_RMW(maxnumf, v, c);
    } else {
        v = XT_ATOMIC_RMW(addi, v, c);
        v = XT_ATOMIC_RMW(muli, v, c);
        v = XT_ATOMIC_RMW(andi, v, c);
        v = XT_ATOMIC_RMW(ori, v, c);
        v = XT_ATOMIC_RMW(xori, v, c);
        v = XT_ATOMIC_RMW(maxs, v, c);
        v = XT_ATOMIC_RMW(mins, v, c);
        v = XT_ATOMIC_RMW(maxu, v, c);
        v = XT_ATOMIC_RMW(minu, v, c);
    }
    XT_STORE_TILE(v, a);
}

XT_KERNEL (mma, u64(A), u64(B), u64(C), u32(N))
{
    xt_map map = piece(16, 16), map_a = map, map_b = map;
    if (group) map_a.sg_data[1] = map_b.sg_data[0] = SIDE;
    xt_tile a = XT_INIT_TILE(A, of(T), SIDE, SIDE, .shape = XT_AT(N, N), .map = map_a);
    xt_tile b = XT_INIT_TILE(B, of(U), SIDE, SIDE, .shape = XT_AT(N, N), .map = map_b);
    xt_vec va = XT_LOAD_TILE(a), vb = XT_LOAD_TILE(b), c = XT_TILE_MMA(va, vb);
    c = XT_TILE_MMA(va, vb, c);
    put(XT_SELF, c, C, N);
    if (T.type == U.type && (T.type == CM_F16 || T.type == CM_BF16)) { /* summed in the operands' own type */
        c = XT_TILE_MMA(va, vb, .type = 1 + T.type);
        put(XT_SELF, XT_TILE_MMA(va, vb, c), C, N);
    }
}

/* Both operands stored by columns. */
XT_KERNEL (columns, u64(A), u64(B), u64(C), u32(N))
{
    xt_map map = piece(16, 16), map_a = map, map_b = map;
    if (group) map_a.sg_data[1] = map_b.sg_data[0] = SIDE;
    xt_tile a =
        XT_INIT_TILE(A, of(T), SIDE, SIDE, .shape = XT_AT(N, N), .strides = XT_AT(1, N), .order = {0, 1}, .map = map_a);
    xt_tile b =
        XT_INIT_TILE(B, of(U), SIDE, SIDE, .shape = XT_AT(N, N), .strides = XT_AT(1, N), .order = {0, 1}, .map = map_b);
    put(XT_SELF, XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b)), C, N);
}

XT_KERNEL (elements, u64(A), u64(C), u32(N))
{
    xt_tile a = tile(XT_SELF, A, SIDE, SIDE, N);
    xt_vec x = XT_LOAD_TILE(a), y = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(a, SIDE, 0)), z = XT_ADD(x, y), mask;
    z = XT_MIN(XT_MAX(XT_SUB(XT_MUL(z, 3), y), x), XT_DIV(y, 5));
    if (xt_is_int_(T.type))
        z = XT_XOR(XT_OR(XT_AND(XT_SHR(XT_SHL(z, 2), 1), x), y), XT_MOD(z, 7));
    if (xt_is_signed_(T.type)) z = XT_ADD(XT_NEG(z), XT_ABS(y));
    mask = XT_AND(XT_OR(XT_LT(x, y), XT_GE(z, x)), XT_XOR(XT_EQ(x, z), XT_NE(y, 1)));
    mask = XT_NOT(XT_OR(mask, XT_AND(XT_GT(x, 1), XT_LE(y, 2))));
    put(XT_SELF, XT_SELECT(mask, z, x), C, N);
    put(XT_SELF, mask, C, N);
}

XT_KERNEL (maths, u64(A), u64(C), u32(N))
{
    xt_vec x = XT_LOAD_TILE(tile(XT_SELF, A, SIDE, SIDE, N)), y = XT_ABS(x);
    x = XT_ADD(XT_EXP(x), XT_EXP2(y));
    x = XT_ADD(XT_ADD(x, XT_LOG(y)), XT_ADD(XT_LOG2(y), XT_SQRT(y)));
    x = XT_ADD(XT_ADD(x, XT_RSQRT(y)), XT_ADD(XT_TANH(y), XT_SIN(y)));
    x = XT_ADD(XT_ADD(x, XT_COS(y)), XT_ADD(XT_ERF(y), XT_CEIL(y)));
    x = XT_ADD(XT_ADD(x, XT_FLOOR(y)), XT_ADD(XT_ROUND(y), XT_TRUNC(y)));
    put(XT_SELF, XT_FMA(x, y, XT_POW(y, x)), C, N);
}

XT_KERNEL (casts, u64(A), u64(C), u32(N))
{
    xt_vec x = XT_LOAD_TILE(tile(XT_SELF, A, SIDE, SIDE, N));
    put(XT_SELF, XT_CAST(f32, x), C, N);
    put(XT_SELF, XT_CAST(f16, x), C, N);
    put(XT_SELF, XT_CAST(bf16, x), C, N);
    put(XT_SELF, XT_CAST(i8, x), C, N);
    put(XT_SELF, XT_CAST(u16, x), C, N);
    put(XT_SELF, XT_CAST(i64, x), C, N);
    put(XT_SELF, XT_CAST(i1, x), C, N);
    if (xt_bits_(T.type) == 32) put(XT_SELF, XT_BITCAST(u32, x), C, N);
    if (xt_bits_(T.type) == 16) put(XT_SELF, XT_BITCAST(i16, x), C, N);
}

#define REDUCE(kind, dim) put(XT_SELF, XT_REDUCTION(kind, v, dim, .reduction_size = 16), C, N)
XT_KERNEL (reductions, u64(A), u64(C), u32(N))
{
    xt_vec v = XT_LOAD_TILE(tile(XT_SELF, A, SIDE, SIDE, N));
    for (int dim = 0; dim < 2; dim++) {
        REDUCE(add, dim);
        REDUCE(mul, dim);
        if (xt_is_float_(T.type)) {
            REDUCE(minnumf, dim);
            REDUCE(maxnumf, dim);
            REDUCE(minimumf, dim);
            REDUCE(maximumf, dim);
        } else {
            REDUCE(minsi, dim);
            REDUCE(maxsi, dim);
            REDUCE(minui, dim);
            REDUCE(maxui, dim);
            REDUCE(and, dim);
            REDUCE(or, dim);
            REDUCE(xor, dim);
        }
    }
    put(XT_SELF, XT_REDUCTION(add, v, 0), C, N); /* across subgroups */
    put(XT_SELF, XT_REDUCTION(add, v, 1), C, N);
}

XT_KERNEL (shapes, u64(A), u64(C), u32(N))
{
    xt_map row = piece(1, 16), other = group ? XT_MAP(.sg_layout = {4, 1}, .sg_data = {8, 32}) : no_map;
    xt_tile a = tile(XT_SELF, A, SIDE, SIDE, N), r = XT_INIT_TILE(A, of(T), 1, SIDE, .shape = XT_AT(N, N), .map = row);
    xt_vec v = XT_LOAD_TILE(a), w = XT_ADD(v, 1);
    put(XT_SELF, XT_TRANSPOSE(v), C, N);
    put(XT_SELF, XT_TRANSPOSE(w), C, N);
    put(XT_SELF, XT_BROADCAST(XT_LOAD_TILE(r), 0, SIDE, .map = piece(16, 16)), C, N);
    put(XT_SELF, XT_BROADCAST(v, 1, 2 * SIDE, .broadcast_size = 2, .map = piece(16, 32)), C, N);
    put(XT_SELF, XT_SLICE(w, 3, 4, 8, 8, .map = piece(4, 4)), C, N);
    if (group) put(XT_SELF, XT_CONVERT_LAYOUT(w, .map = other), C, N);
}

XT_KERNEL (blocks, u64(A), u64(C), u32(N))
{
    xt_map map = group ? XT_MAP(.sg_layout = {4, 1}, .sg_data = {8, 32}) : no_map;
    xt_tile a = XT_INIT_TILE(A, of(T), SIDE, SIDE, .shape = XT_AT(N, N), .map = map, .inner_blocks = {8, 16});
    xt_vec v = XT_LOAD_TILE(a), s = XT_REDUCTION(add, v, XT_DIMS(1, 3));
    v = XT_SUB(v, XT_BROADCAST(s, XT_DIMS(1, 3), SIDE, .map = map, .inner_blocks = {8, 16}));
    XT_STORE_TILE(v, a);
    v = XT_TILE_PACK(XT_TILE_UNPACK(v, .inner_blocks = {8, 16}), .inner_blocks = {4, 8});
    put(XT_SELF, v, C, N);
}

XT_KERNEL (control, u64(A), u64(C), u32(N))
{
    xt_tile a = tile(XT_SELF, A, SIDE, SIDE, N);
    xt_vec v = XT_LOAD_TILE(a);
    xt_val n = XT_ADD(N, 0);
    XT_FOR (k, 0, N, 8, &a, &v) {
        XT_IF (XT_EQ(XT_MOD(k, 16), 0), &v) {
            v = XT_ADD(v, 1);
        } XT_ELSE {
            v = XT_MUL(v, 3);
        }
        XT_BARRIER_ARRIVE("turn");
        v = XT_ADD(v, XT_LOAD_TILE(a));
        XT_BARRIER_WAIT("turn");
        a = XT_UPDATE_TILE_OFFSET(a, 0, 8);
    }
    XT_WHILE (XT_GT(n, 1), &n, &v) {
        v = XT_ADD(v, XT_CAST(of(T), n));
        n = XT_DIV(n, 2);
    }
    put(XT_SELF, v, C, N);
}

/* A kernel with the types it is compiled for; two types: of a product's operands. */
typedef struct {
    const xt_kernel *kernel;
    int types[12][2]; /* 1 + type; 0 ends them */
} row;
#define ONE(T_) {1 + CM_##T_, 0}
#define TWO(T_, U_) {1 + CM_##T_, 1 + CM_##U_}

static const row rows[] = {
    {&memory, {ONE(F32), ONE(F16), ONE(I8), {1 + XT_BOOL_, 0}, ONE(I64), ONE(E4M3), ONE(F64)}},
    {&gather, {ONE(F32), ONE(BF16), ONE(U8), ONE(F64)}},
    {&atomics, {ONE(F32), ONE(F16), ONE(I32), ONE(I8), ONE(I64), ONE(F64)}},
    {&mma, {TWO(F16, F16), TWO(BF16, BF16), TWO(TF32, TF32), TWO(I8, U8), TWO(F32, F32), TWO(F64, F64)}},
    {&columns, {TWO(I8, I8), TWO(F16, F16), TWO(BF16, BF16), TWO(TF32, TF32)}},
    {&elements, {ONE(F32), ONE(F16), ONE(BF16), ONE(I32), ONE(U8), ONE(I64), ONE(F64)}},
    {&maths, {ONE(F32), ONE(F16), ONE(F64)}},
    {&casts, {ONE(F32), ONE(F16), ONE(I32), ONE(U8), ONE(F64)}},
    {&reductions, {ONE(F32), ONE(BF16), ONE(I32), ONE(F64)}},
    {&shapes, {ONE(F32), ONE(F16), ONE(I8), ONE(F64)}},
    {&blocks, {ONE(F32), ONE(F16), ONE(F64)}},
    {&control, {ONE(F32), ONE(I32), ONE(F64)}},
};

static bool write_module(const char *directory, const char *target, const row *r, int i)
{
    char path[512];
    xt_module mod;
    FILE *f;
    bool ok;
    T.type = r->types[i][0] - 1;
    U.type = r->types[i][1] - 1;
    mod = XT_BUILD(*r->kernel, &(xt_target){.name = target});
    if (!mod.words) {
        fprintf(stderr, "%s of %s, %s: %s:%d: %s\n", r->kernel->name, xt_type_name_(T.type),
                group ? "work-group" : "subgroup", mod.error->file, mod.error->line, mod.error->text);
        return false;
    }
    snprintf(path, sizeof path, "%s/%s_%s_%s.spv", directory, r->kernel->name, xt_type_name_(T.type),
             group ? "group" : "subgroup");
    f = fopen(path, "wb");
    ok = f && fwrite(mod.words, 1, mod.size, f) == mod.size;
    if (f && fclose(f) != 0) ok = false;
    printf("%s %s%s\n", path, mod.build_flags, T.type == CM_F64 && !strcmp(target, "dg2") ? " -ze-fp64-gen-emu" : "");
    xt_free(&mod);
    return ok;
}

int main(int argc, char **argv)
{
    bool ok = argc == 3;
    for (int level = 0; level < 2 && argc == 3; level++)
        for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
            for (int i = 0; i < 12 && rows[k].types[i][0]; i++) {
                group = level == 1;
                ok = write_module(argv[1], argv[2], &rows[k], i) && ok;
            }
    return !ok;
}
