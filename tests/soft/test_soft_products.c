/* test_soft_products.c - OpSubgroupMatrixMultiplyAccumulateINTEL, the whole grid: f16, bf16, tf32, 8 and 4 bits of both
 * signs; subgroups of 8, 16 and 32; M of 1 to 8 (vectors of 5, 6 and 7 with LongVectorEXT); A packed, and with
 * components of its own type where lanes permit; sums of f32, f16, bf16 and i32 in and out (different types of C and
 * result only with M = 4 and 16 lanes, all four pairs of signs with M of 4 and 7). Every element.
 *
 * Distribution over lanes, by the extension: lane l has column group l % E of A, where a row is E components, and one
 * of every S / E rows; column l of B, 32 bits per component; column l of C and of the result.
 */
#include "spirv_emit.h"
#include "test.h"
#include "ze_dispatch.h"

enum { SLOT = 32 /* bytes of a fragment in a lane, at most */, MAX_M = 8, MAX_K = 64, MAX_CASES = 96 };
enum kind { F16, BF16, TF32, I8, I4, KINDS };
enum sum { SUM_F32, SUM_F16, SUM_BF16, SUM_BF16_TYPE, SUM_I32 };

static const struct {
    const char *name;
    int depth, bits;
    uint32_t a_flag; /* B's is the next bit */
} kinds[KINDS] = {
    {"f16", 16, 16, SPE_MatrixMultiplyAccumulateOperandsMatrixAPackedFloat16INTEL},
    {"bf16", 16, 16, SPE_MatrixMultiplyAccumulateOperandsMatrixAPackedBFloat16INTEL},
    {"tf32", 8, 32, SPE_MatrixMultiplyAccumulateOperandsMatrixATF32INTEL},
    {"i8", 32, 8, SPE_MatrixMultiplyAccumulateOperandsMatrixAPackedInt8INTEL},
    {"i4", 64, 4, SPE_MatrixMultiplyAccumulateOperandsMatrixAPackedInt4INTEL},
};
static const char *const sum_names[] = {"f32", "f16", "bf16", "bfloat16", "i32"};

struct product {
    int m, own_type, a_signed, b_signed;
    enum sum c, d;
};

static zed_device device;

static bool is_integer(enum kind k) { return k == I8 || k == I4; }

/* Bytes of a component of A: what a lane has of a row, but no less than an element. */
static int a_bytes(enum kind k, int S)
{
    int share = kinds[k].depth * kinds[k].bits / 8 / S, own = kinds[k].bits < 8 ? 1 : kinds[k].bits / 8;
    return share > own ? share : own;
}

/* One product of each M, and the other sums of floats with M of 1. */
static bool brief;

/* In the sample each kind has every other number of rows in one size of subgroups, and the others in the next. */
static int list_products(enum kind k, int S, struct product *list)
{
    static const int rows[] = {1, 2, 3, 4, 5, 6, 7, 8};
    int n = 0;
    bool own = kinds[k].bits == 8 * a_bytes(k, S) && k != TF32;
    for (int r = 0; r < 8; r++) {
        if (!brief && !test_takes(r + k + S / 16, 2)) continue;
        if (brief) {
            enum sum sum = is_integer(k) ? SUM_I32 : SUM_F32;
            list[n++] = (struct product){rows[r], own && k != I8 && r % 2, r & 1, r >> 1 & 1, sum, sum};
            if (is_integer(k) || r) continue;
        }
        for (int i = 0; i < 4 && is_integer(k); i++) {
            if (rows[r] != 4 && rows[r] != 7 && i != r % 4) continue;
            list[n++] = (struct product){rows[r], 0, i & 1, i >> 1, SUM_I32, SUM_I32};
            if (own && k == I8) list[n++] = (struct product){rows[r], 1, i & 1, i >> 1, SUM_I32, SUM_I32};
        }
        for (int i = 0; i < 9 && !is_integer(k); i++)
            if (i == 0 || (k != TF32 && ((rows[r] == 4 && S == 16) || i % 4 == 0)))
                list[n++] = (struct product){rows[r], 0, 0, 0, (enum sum)(i % 3), (enum sum)(i / 3)};
        if (k == BF16) list[n++] = (struct product){rows[r], own, 0, 0, SUM_BF16_TYPE, SUM_BF16_TYPE};
        if (own && !is_integer(k)) list[n++] = (struct product){rows[r], 1, 0, 0, SUM_F32, SUM_F32};
    }
    return n;
}

/* ---- the kernel: parameters a, b, c, d; product i of lane l has its fragments in slot i * S + l */

static spe_id vector(spe_module *m, spe_id elem, int n) { return spe_vec(m, elem, (uint32_t)n); }

static spe_id sum_type(spe_module *m, enum sum s, int rows)
{
    spe_id e = s == SUM_F32         ? spe_float(m, 32)
               : s == SUM_F16       ? spe_float(m, 16)
               : s == SUM_BF16      ? spe_int(m, 16)
               : s == SUM_BF16_TYPE ? spe_bf16(m)
                                    : spe_int(m, 32);
    return vector(m, e, rows);
}

static spe_id a_type(spe_module *m, enum kind k, int S, const struct product *p)
{
    int bytes = a_bytes(k, S), row = bytes * S, count = (p->m * 32 + row - 1) / row;
    spe_id e = k == TF32                  ? spe_float(m, 32)
               : p->own_type && k == F16  ? spe_float(m, 16)
               : p->own_type && k == BF16 ? spe_bf16(m)
                                          : spe_int(m, (uint32_t)bytes * 8);
    return vector(m, e, count);
}

static spe_id slot(spe_module *m, uint32_t param, spe_id at, spe_id type)
{
    return spe_ptr_cast(m, spe_index(m, spe_param_id(m, param), at), type);
}

static void write_product(spe_module *m, enum kind k, int S, const struct product *p, spe_id at)
{
    spe_id b_type = vector(m, k == TF32 ? spe_float(m, 32) : spe_int(m, 32), 8);
    spe_id a = spe_load(m, slot(m, 0, at, a_type(m, k, S, p)), 0), b = spe_load(m, slot(m, 1, at, b_type), 0);
    spe_id c = spe_load(m, slot(m, 2, at, sum_type(m, p->c, p->m)), 0), d = sum_type(m, p->d, p->m);
    uint32_t flags = kinds[k].a_flag << 1 | (p->own_type ? 0 : kinds[k].a_flag);
    if (p->a_signed) flags |= SPE_MatrixMultiplyAccumulateOperandsMatrixASignedComponentsINTEL;
    if (p->b_signed) flags |= SPE_MatrixMultiplyAccumulateOperandsMatrixBSignedComponentsINTEL;
    if (p->c == SUM_BF16) flags |= SPE_MatrixMultiplyAccumulateOperandsMatrixCBFloat16INTEL;
    if (p->d == SUM_BF16) flags |= SPE_MatrixMultiplyAccumulateOperandsMatrixResultBFloat16INTEL;
    spe_store(m, slot(m, 3, at, d), spe_dpas(m, d, (uint32_t)kinds[k].depth, a, b, c, flags), 0);
}

static void emit(spe_module *m, enum kind k, int S)
{
    struct product list[MAX_CASES];
    int n = list_products(k, S, list);
    spe_param params[4];
    spe_kernel kernel;
    memset(&kernel, 0, sizeof kernel);
    memset(params, 0, sizeof params);
    for (int i = 0; i < 4; i++) params[i].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, spe_int(m, 8));
    kernel.name = kinds[k].name;
    kernel.params = params;
    kernel.param_count = 4;
    kernel.subgroup_size = (uint32_t)S;
    spe_kernel_begin(m, &kernel);
    spe_id lane = spe_builtin(m, SPE_LOCAL_ID, 0);
    for (int i = 0; i < n; i++)
        write_product(m, k, S, &list[i], spe_imul(m, spe_iadd(m, lane, spe_i32(m, i * S)), spe_i32(m, SLOT)));
    spe_kernel_end(m);
}

/* ---- numbers */

struct numbers {
    double a[MAX_M][MAX_K], b[MAX_K][32], c[MAX_M][32];
};

/* A random element: its bits, and what they are worth. */
static uint32_t element(enum kind k, bool is_signed, double *value)
{
    float x = (float)test_normal(), t = spe_f32_to_tf32(x);
    uint32_t bits = (uint32_t)test_random() & ((1u << (kinds[k].bits & 15)) - 1);
    uint16_t f16 = spe_f32_to_f16_bits(x), bf16 = spe_f32_to_bf16_bits(x);
    switch (k) {
    case F16: *value = spe_f16_bits_to_f32(f16); return f16;
    case BF16: *value = spe_bf16_bits_to_f32(bf16); return bf16;
    case TF32:
        *value = t;
        memcpy(&bits, &t, 4);
        return bits;
    default:
        *value = is_signed && bits >> (kinds[k].bits - 1) ? (double)bits - (1 << kinds[k].bits) : (double)bits;
        return bits;
    }
}

static void put_bits(uint8_t *at, int index, int bits, uint32_t value)
{
    int first = index * bits;
    if (bits < 8)
        at[first / 8] = (uint8_t)((at[first / 8] & ~(0xf << first % 8)) | value << first % 8);
    else
        memcpy(at + first / 8, &value, (size_t)bits / 8);
}

static void fill_factors(enum kind k, int S, const struct product *p, struct numbers *x, uint8_t *a, uint8_t *b)
{
    int bytes = a_bytes(k, S), bits = kinds[k].bits, each = bytes * 8 / bits, across = kinds[k].depth / each;
    for (int r = 0; r < p->m; r++) {
        for (int j = 0; j < kinds[k].depth; j++) {
            uint32_t v = element(k, p->a_signed, &x->a[r][j]);
            int lane = j / each + r % (S / across) * across, component = r / (S / across);
            put_bits(a + lane * SLOT + component * bytes, j % each, bits, v);
        }
    }
    for (int j = 0; j < kinds[k].depth; j++)
        for (int l = 0; l < S; l++) put_bits(b + l * SLOT, j, bits, element(k, p->b_signed, &x->b[j][l]));
}

static int sum_bytes(enum sum s) { return s == SUM_F32 || s == SUM_I32 ? 4 : 2; }

static void fill_sums(int S, const struct product *p, struct numbers *x, uint8_t *c)
{
    for (int r = 0; r < p->m; r++) {
        for (int l = 0; l < S; l++) {
            float f = (float)test_normal();
            uint16_t h = p->c == SUM_F16 ? spe_f32_to_f16_bits(f) : spe_f32_to_bf16_bits(f);
            uint32_t u = (uint32_t)test_random();
            const void *from = p->c == SUM_F32   ? (const void *)&f
                               : p->c == SUM_I32 ? (const void *)&u
                                                 : (const void *)&h;
            memcpy(c + l * SLOT + r * sum_bytes(p->c), from, (size_t)sum_bytes(p->c));
            x->c[r][l] = p->c == SUM_F32   ? f
                         : p->c == SUM_I32 ? (double)(int32_t)u
                         : p->c == SUM_F16 ? spe_f16_bits_to_f32(h)
                                           : spe_bf16_bits_to_f32(h);
        }
    }
}

static double read_sum(enum sum s, const uint8_t *at)
{
    float f;
    int32_t i;
    uint16_t h;
    memcpy(&h, at, 2);
    if (s == SUM_F16) return spe_f16_bits_to_f32(h);
    if (s == SUM_BF16 || s == SUM_BF16_TYPE) return spe_bf16_bits_to_f32(h);
    memcpy(&f, at, 4);
    memcpy(&i, at, 4);
    return s == SUM_F32 ? (double)f : (double)i;
}

static double wrapped(double x)
{
    double r = fmod(x, 4294967296.0);
    return r >= 2147483648.0 ? r - 4294967296.0 : r < -2147483648.0 ? r + 4294967296.0 : r;
}

static void check(enum kind k, int S, const struct product *p, const struct numbers *x, const uint8_t *d)
{
    for (int r = 0; r < p->m; r++) {
        for (int l = 0; l < S; l++) {
            double want = x->c[r][l], size = fabs(want), got = read_sum(p->d, d + l * SLOT + r * sum_bytes(p->d)), off;
            for (int j = 0; j < kinds[k].depth; j++) {
                want += x->a[r][j] * x->b[j][l];
                size += fabs(x->a[r][j] * x->b[j][l]);
            }
            /* sums in f32: K + 1 roundings, each at most half a unit of the sum of magnitudes; then one to 16 bits */
            off = is_integer(k) ? 0 : (kinds[k].depth + 1) * 0x1p-24 * size;
            if (p->d == SUM_F16) off += fabs(want) * 0x1p-11 + 0x1p-25;
            if (p->d == SUM_BF16 || p->d == SUM_BF16_TYPE) off += fabs(want) * 0x1p-8;
            if (is_integer(k)) want = wrapped(want);
            CHECK_MSG(fabs(got - want) <= off, "S %d %s M %d %s, %s + to %s, signs %d %d, (%d, %d): %.10g, want %.10g",
                      S, kinds[k].name, p->m, p->own_type ? "own type" : "packed", sum_names[p->c], sum_names[p->d],
                      p->a_signed, p->b_signed, r, l, got, want);
        }
        int past = p->m * sum_bytes(p->d); /* bytes outside the result must not change */
        for (int l = 0; l < S && past < SLOT && r == 0 && p->m != 3; l++) CHECK_INT(d[l * SLOT + past], 0xa5);
    }
}

static void run(zed_module *module, enum kind k, int S)
{
    struct product list[MAX_CASES];
    int n = list_products(k, S, list);
    size_t bytes = (size_t)n * (size_t)S * SLOT;
    uint8_t *memory[4];
    struct numbers *x = (struct numbers *)calloc((size_t)n, sizeof *x);
    zed_kernel kernel;
    for (int i = 0; i < 4; i++) {
        memory[i] = (uint8_t *)zed_alloc(&device, ZED_SHARED, bytes, 64);
        if (memory[i]) memset(memory[i], 0xa5, bytes);
    }
    for (int i = 0; i < n && x && memory[3]; i++) {
        fill_factors(k, S, &list[i], &x[i], memory[0] + i * S * SLOT, memory[1] + i * S * SLOT);
        fill_sums(S, &list[i], &x[i], memory[2] + i * S * SLOT);
    }
    if (zed_kernel_get(&kernel, module, kinds[k].name, "ptr<u8> a, ptr<u8> b, ptr<u8> c, ptr<u8> d") &&
        zed_local_size(&kernel, (uint32_t)S, 1, 1))
        zed_launch(&kernel, (zed_groups){1, 1, 1}, memory[0], memory[1], memory[2], memory[3]);
    CHECK_MSG(zed_get_error(&device)->id == 0, "%s", zed_get_error(&device)->text);
    for (int i = 0; i < n && x && zed_get_error(&device)->id == 0; i++)
        check(k, S, &list[i], &x[i], memory[3] + i * S * SLOT);
    zed_clear_error(&device);
    for (int i = 0; i < 4; i++) zed_free(&device, memory[i]);
    free(x);
}

static void subgroups_of(int S)
{
    spe_module m;
    spe_words w;
    zed_module module;
    char name[64];
    spe_begin(&m, NULL);
    spe_capability(&m, SPE_CapabilityLongVectorEXT);
    for (int k = 0; k < KINDS; k++) emit(&m, (enum kind)k, S);
    w = spe_finish(&m);
    CHECK_MSG(w.data, "%s", spe_get_error(&m)->text);
    snprintf(name, sizeof name, "test_soft_products_%d%s", S, brief ? "_brief" : "");
    test_save_spv(name, w.data, w.count * 4);
    if (w.data && zed_module_load(&module, &device, w.data, w.count * 4, NULL))
        for (int k = 0; k < KINDS; k++) run(&module, (enum kind)k, S);
    CHECK_MSG(zed_get_error(&device)->id == 0, "%s %s", zed_get_error(&device)->text, zed_build_log(&device));
    zed_clear_error(&device);
    spe_free(&m);
}

TEST(subgroups_of_8) { subgroups_of(8); }
TEST(subgroups_of_16) { subgroups_of(16); }
TEST(subgroups_of_32) { subgroups_of(32); }

/* For test_isa_levels.sh, which runs it once a level. */
TEST(every_number_of_rows)
{
    brief = true;
    subgroups_of(16);
    brief = false;
}

/* ---- products with incompatible operands are refused by name when the module is built */

enum { PLAIN = 0, A8_B4, A_FLOAT_B_INT, WRONG_K, A_TOO_LONG, B_TOO_SHORT, INT_SUM_OF_FLOATS, TWO_KINDS, REFUSALS };

static void emit_refused(spe_module *m, int which)
{
    static const uint32_t flags[REFUSALS] = {0x30, 0x10 | 0x80, 0x400 | 0x20, 0x30, 0x30, 0x30, 0xc00, 0x30 | 0x400};
    spe_param param;
    spe_kernel kernel;
    memset(&kernel, 0, sizeof kernel);
    memset(&param, 0, sizeof param);
    param.type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, spe_vec(m, spe_int(m, 32), 4));
    kernel.name = "k";
    kernel.params = &param;
    kernel.param_count = 1;
    kernel.subgroup_size = 16;
    spe_kernel_begin(m, &kernel);
    spe_id i32 = spe_int(m, 32), d = spe_vec(m, i32, 4);
    spe_id a = spe_null(m, spe_vec(m, spe_int(m, 16), which == A_TOO_LONG ? 8 : 4));
    spe_id b = spe_null(m, spe_vec(m, i32, which == B_TOO_SHORT ? 4 : 8));
    spe_id r =
        spe_dpas(m, d, which == WRONG_K || which == INT_SUM_OF_FLOATS ? 16 : 32, a, b, spe_null(m, d), flags[which]);
    spe_store(m, spe_param_id(m, 0), r, 0);
    spe_kernel_end(m);
}

TEST(operands_that_do_not_go_together)
{
    for (int which = 0; which < REFUSALS; which++) {
        spe_module m;
        spe_words w;
        zed_module module;
        spe_begin(&m, NULL);
        emit_refused(&m, which);
        w = spe_finish(&m);
        CHECK_MSG(w.data, "%d: %s", which, spe_get_error(&m)->text);
        bool loads = w.data && zed_module_load(&module, &device, w.data, w.count * 4, NULL);
        CHECK_MSG(loads == (which == PLAIN), "case %d was %s", which, loads ? "taken" : "refused");
        if (!loads) CHECK_HAS(zed_build_log(&device), "a matrix product of these types, sizes and K");
        zed_clear_error(&device);
        spe_free(&m);
    }
}

int main(void)
{
    if (!zed_open(&device, &(zed_options){.name = "software"})) return zed_print_error(&device, stderr), 1;
    RUN(subgroups_of_8);
    RUN(subgroups_of_16);
    RUN(subgroups_of_32);
    RUN(every_number_of_rows);
    RUN(operands_that_do_not_go_together);
    zed_close(&device);
    return test_report();
}
