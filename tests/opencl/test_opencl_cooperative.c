/* test_opencl_cooperative.c - SPV_KHR_cooperative_matrix: loads and stores by rows and columns, products of all kinds
 * of components with sums carried through a loop, elementwise arithmetic, conversion, access to single components,
 * constants.
 *
 * A subgroup computes d = a b + c over two steps of K, and e: every component of (float or int) d, doubled in a private
 * variable, plus 3, times 2. Inputs are small enough integers that every result is exact, even in floats.
 */
#include "opencl.h"
#include "spirv_emit.h"

enum { F16, BF16, F32, I8, U8, I32, TYPES };
enum { BUFFER = 4096 };

typedef struct {
    int a, b, c, m, n, k, S;
    uint32_t operands;
} test_case;

static spe_id component(spe_module *m, int type)
{
    switch (type) {
    case F16: return spe_float(m, 16);
    case BF16: return spe_bf16(m);
    case F32: return spe_float(m, 32);
    case I32: return spe_int(m, 32);
    default: return spe_int(m, 8);
    }
}

static spe_id convert_by_parts(spe_module *m, spe_id d, spe_id type, spe_id elem, bool real)
{
    spe_id box = spe_local_var(m, type), length = spe_coop_length(m, type), at[1], none[1] = {0};
    spe_store(m, box, d, 0);
    at[0] = spe_for(m, spe_i32(m, 0), length, spe_i32(m, 1), 0, none);
    spe_id p = spe_element(m, box, 1, at), x = spe_load(m, p, 0);
    spe_store(m, p, spe_add(m, x, x), 0);
    spe_endfor(m, 0, none);
    spe_id three = real ? spe_const_f(m, elem, 3) : spe_const_i(m, elem, 3);
    spe_id words[2] = {spe_load(m, box, 0), spe_composite_const(m, type, 1, &three)};
    words[0] = spe_op(m, real ? SPE_OpFAdd : SPE_OpIAdd, type, 2, words);
    words[1] = real ? spe_const_f(m, elem, 2) : spe_const_i(m, elem, 2);
    return spe_op(m, SPE_OpMatrixTimesScalar, type, 2, words);
}

static void emit(spe_module *m, const test_case *t)
{
    spe_id ta, tb, tc;
    spe_param params[5] = {{0, "a", false, false, 0},
                           {0, "b", false, false, 0},
                           {0, "c", false, false, 0},
                           {0, "d", false, false, 0},
                           {0, "e", false, false, 0}};
    spe_kernel k = {"product", (uint32_t)t->S, {(uint32_t)t->S, 1, 1}, 0, params, 5, SPE_CONTRACT_ALLOWED};
    uint32_t um = (uint32_t)t->m, un = (uint32_t)t->n, uk = (uint32_t)t->k;
    spe_id ma, mb, mc, sum[1], step, offset;
    spe_begin(m, NULL);
    ta = component(m, t->a);
    tb = component(m, t->b);
    tc = component(m, t->c);
    params[0].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, ta);
    params[1].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, tb);
    params[2].type = params[3].type = params[4].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, tc);
    ma = spe_coopmat(m, ta, SPE_ScopeSubgroup, um, uk, SPE_CooperativeMatrixUseMatrixAKHR);
    mb = spe_coopmat(m, tb, SPE_ScopeSubgroup, uk, un, SPE_CooperativeMatrixUseMatrixBKHR);
    mc = spe_coopmat(m, tc, SPE_ScopeSubgroup, um, un, SPE_CooperativeMatrixUseMatrixAccumulatorKHR);
    spe_kernel_begin(m, &k);
    sum[0] = spe_coop_load(m, mc, spe_param_id(m, 2), SPE_CooperativeMatrixLayoutRowMajorKHR, spe_u32(m, un));
    step = spe_for(m, spe_i32(m, 0), spe_i32(m, 2), spe_i32(m, 1), 1, sum);
    offset = spe_mul(m, step, spe_i32(m, t->k));
    /* a: m rows of 2 k; b: columns of 2 k */
    spe_id a = spe_coop_load(m, ma, spe_index(m, spe_param_id(m, 0), offset), SPE_CooperativeMatrixLayoutRowMajorKHR,
                             spe_u32(m, 2 * uk));
    spe_id b = spe_coop_load(m, mb, spe_index(m, spe_param_id(m, 1), offset),
                             SPE_CooperativeMatrixLayoutColumnMajorKHR, spe_u32(m, 2 * uk));
    sum[0] = spe_coop_mma(m, a, b, sum[0], t->operands);
    spe_endfor(m, 1, sum);
    spe_coop_store(m, spe_param_id(m, 3), sum[0], SPE_CooperativeMatrixLayoutRowMajorKHR, spe_u32(m, un));
    if (t->c != F16) sum[0] = convert_by_parts(m, sum[0], mc, tc, t->c == F32);
    spe_coop_store(m, spe_param_id(m, 4), sum[0], SPE_CooperativeMatrixLayoutColumnMajorKHR, spe_u32(m, um));
    spe_return(m);
    spe_kernel_end(m);
}

static int bytes_of(int type) { return type == F32 || type == I32 ? 4 : type == F16 || type == BF16 ? 2 : 1; }

/* Components -4 to 4; u8: 247 to 255 and 0 to 4. */
static int fill(void *p, int type, int n, double *values)
{
    for (int i = 0; i < n; i++) {
        int v = (int)(test_random() % 9) - 4;
        float f = (float)v;
        uint16_t half = type == F16 ? spe_f32_to_f16_bits(f) : spe_f32_to_bf16_bits(f);
        int8_t small = (int8_t)v;
        values[i] = type == U8 ? (uint8_t)v : v;
        if (type == F32) memcpy((char *)p + 4 * i, &f, 4);
        else if (type == I32) memcpy((char *)p + 4 * i, &v, 4);
        else if (bytes_of(type) == 2) memcpy((char *)p + 2 * i, &half, 2);
        else memcpy((char *)p + i, &small, 1);
    }
    return n;
}

static double element(const void *p, int type, int i)
{
    float f;
    int32_t v;
    uint16_t h;
    memcpy(&h, (const char *)p + 2 * i, 2);
    if (type == F16) return spe_f16_bits_to_f32(h);
    memcpy(&f, (const char *)p + 4 * i, 4);
    memcpy(&v, (const char *)p + 4 * i, 4);
    return type == F32 ? (double)f : (double)v;
}

static void check(const test_case *t, const double *a, const double *b, const double *c, const void *d, const void *e)
{
    for (int r = 0; r < t->m; r++) {
        for (int j = 0; j < t->n; j++) {
            double want = c[r * t->n + j], twice;
            for (int k = 0; k < 2 * t->k; k++) want += a[r * 2 * t->k + k] * b[j * 2 * t->k + k];
            twice = t->c == F16 ? want : 2 * (2 * want + 3);
            CHECK_MSG(element(d, t->c, r * t->n + j) == want, "S %d %dx%dx%d: d(%d, %d) = %g, want %g", t->S, t->m,
                      t->n, t->k, r, j, element(d, t->c, r * t->n + j), want);
            CHECK_MSG(element(e, t->c, j * t->m + r) == twice, "S %d %dx%dx%d: e(%d, %d) = %g, want %g", t->S, t->m,
                      t->n, t->k, r, j, element(e, t->c, j * t->m + r), twice);
        }
    }
}

static void run(const test_case *t)
{
    static double a[BUFFER], b[BUFFER], c[BUFFER];
    spe_module m;
    zed_module module;
    memset(&m, 0, sizeof m);
    emit(&m, t);
    spe_words words = spe_finish(&m);
    CHECK_MSG(words.data, "%s", spe_get_error(&m)->text);
    if (words.data) {
        char name[64];
        snprintf(name, sizeof name, "opencl_cooperative_%d_%d_%d_%dx%dx%d_%d", t->a, t->b, t->c, t->m, t->n, t->k,
                 t->S);
        test_save_spv(name, words.data, 4 * words.count);
        void *p[5];
        for (int i = 0; i < 5; i++) p[i] = ocl_buffer(4 * BUFFER);
        fill(p[0], t->a, t->m * 2 * t->k, a);
        fill(p[1], t->b, t->n * 2 * t->k, b);
        fill(p[2], t->c, t->m * t->n, c);
        zed_module_load(&module, &ocl_device, words.data, 4 * words.count, NULL);
        if (ocl_good_(name, __FILE__, __LINE__)) {
            zed_kernel kernel;
            zed_arg args[5];
            for (int i = 0; i < 5; i++) args[i] = zed_arg_ptr(p[i]);
            static const char *const names[] = {"f16", "bf16", "f32", "i8", "u8", "i32"};
            char text[128];
            snprintf(text, sizeof text, "ptr<%s> a, ptr<%s> b, ptr<%s> c, ptr<%s> d, ptr<%s> e", names[t->a],
                     names[t->b], names[t->c], names[t->c], names[t->c]);
            zed_kernel_get(&kernel, &module, "product", text);
            zed_launch_n(&kernel, ((zed_groups){1, 1, 1}), args, 5);
            if (ocl_good_(name, __FILE__, __LINE__)) check(t, a, b, c, p[3], p[4]);
        }
        for (int i = 0; i < 5; i++) ocl_free(p[i]);
    }
    spe_free(&m);
}

TEST(floats)
{
    run(&(test_case){F16, F16, F32, 8, 16, 16, 16, 0});
    run(&(test_case){F16, F16, F16, 8, 8, 16, 8, 0});
    run(&(test_case){BF16, BF16, F32, 16, 16, 16, 32, 0});
    run(&(test_case){F32, F32, F32, 5, 7, 3, 16, 0}); /* lanes left over in the last component */
}

TEST(integers)
{
    run(&(test_case){I8, I8, I32, 8, 16, 32, 16, 15});
    run(&(test_case){U8, I8, I32, 8, 8, 32, 8, 14});
    run(&(test_case){U8, U8, I32, 8, 16, 32, 32, 12});
    run(&(test_case){I8, U8, I32, 3, 5, 6, 16, 13 | 16}); /* saturating, but in range */
}

int main(void)
{
    if (!ocl_open()) return 1;
    RUN(floats);
    RUN(integers);
    zed_close(&ocl_device);
    return test_report();
}
