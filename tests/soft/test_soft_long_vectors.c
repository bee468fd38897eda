/* test_soft_long_vectors.c - vectors of 5, 6, 7, 9, 12, 17, 33 and 64 components, which modules may use with
 * VectorAnyINTEL or LongVectorEXT: loads, stores, arithmetic, comparisons, selection, mathematics, shuffles, insertion
 * and extraction by constants and by variables, private memory, constants, loops, calls, conversions, lane values, 2D
 * blocks. Every element against the same in C.
 *
 * OpenCL.std is defined for 2, 3, 4, 8 and 16 components, and validators accept neither VectorAnyINTEL's vectors nor
 * shuffles of those whose count is the id of a constant: one of the two modules has all of these, and is not validated.
 */
#include "spirv_emit.h"
#include "test.h"
#include "ze_dispatch.h"

enum { S = 16, ITEMS = 2 * S, MAX_N = 64, TIMES = 3, PITCH = 256 };
static const int lengths[] = {5, 6, 7, 9, 12, 17, 33, 64};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static zed_device device;

static int room_of(int n)
{
    int room = 1;
    while (room < n) room *= 2;
    return room;
}

/* ---- the kernels: parameters a, b, r of floats, q of integers, one vector an item; in and out, rows of 16 bits */

static spe_id element_at(spe_module *m, uint32_t param, spe_id vector, spe_id at)
{
    return spe_index(m, spe_ptr_cast(m, spe_param_id(m, param), vector), at);
}

/* Component i + add of n, wrapped. */
static spe_id turned(spe_module *m, spe_id i, int add, int n)
{
    return spe_umod(m, spe_iadd(m, i, spe_i32(m, add)), spe_i32(m, n));
}

/* A function of the module: x + x k. */
static spe_id emit_function(spe_module *m, const char *name, spe_id vector)
{
    spe_id types[2], fn;
    types[0] = vector;
    types[1] = spe_float(m, 32);
    fn = spe_function_begin(m, name, vector, 2, types);
    spe_id x = spe_param_id(m, 0);
    spe_return_value(m, spe_fadd(m, x, spe_fmul(m, x, spe_splat(m, vector, spe_param_id(m, 1)))));
    spe_function_end(m);
    return fn;
}

static spe_id emit_floats(spe_module *m, int n, spe_id item, spe_id a, spe_id b, spe_id fn, bool math)
{
    uint32_t order[MAX_N];
    spe_id f32 = spe_float(m, 32), v = spe_vec(m, f32, (uint32_t)n), eighths[MAX_N], args[2], at, x;
    spe_id fma = math ? spe_math3(m, SPE_FMA, a, b, a) : spe_fadd(m, spe_fmul(m, a, b), a);
    spe_id root = math ? spe_math1(m, SPE_SQRT, spe_math1(m, SPE_FABS, b)) : spe_fmul(m, b, b);
    x = spe_select(m, spe_flt(m, a, b), fma, root);
    x = spe_insert_dyn(m, x, spe_fadd(m, spe_s_to_f(m, f32, item), spe_f32(m, 0.25f)), turned(m, item, 0, n));
    for (int c = 0; c < n; c++) order[c] = (uint32_t)(c % 2 ? 2 * n - 1 - c : n - 1 - c);
    x = spe_shuffle(m, x, a, (uint32_t)n, order);
    spe_id variable = spe_local_var(m, v);
    spe_store(m, variable, x, 0);
    at = turned(m, spe_imul(m, item, spe_i32(m, 5)), 3, n);
    args[1] = spe_load(m, spe_element(m, variable, 1, &at), 0);
    at = turned(m, item, 1, n);
    spe_store(m, spe_element(m, variable, 1, &at), args[1], 0);
    args[0] = spe_load(m, variable, 0);
    x = spe_call(m, fn, 2, args);
    for (int c = 0; c < n; c++) eighths[c] = spe_f32(m, (float)(c + 1) / 8);
    spe_id constant = spe_composite_const(m, v, (uint32_t)n, eighths);
    spe_for(m, spe_i32(m, 0), spe_i32(m, TIMES), spe_i32(m, 1), 1, &x);
    x = spe_fadd(m, spe_fmul(m, x, spe_splat(m, v, spe_f32(m, 0.5f))), constant);
    spe_endfor(m, 1, &x);
    return spe_insert(m, x, spe_extract_dyn(m, a, turned(m, item, 2, n)), (uint32_t)n - 1);
}

static spe_id emit_integers(spe_module *m, int n, spe_id lane, spe_id a)
{
    spe_id i32 = spe_int(m, 32), v = spe_vec(m, i32, (uint32_t)n), i16 = spe_vec(m, spe_int(m, 16), (uint32_t)n);
    spe_id f = spe_vec(m, spe_float(m, 32), (uint32_t)n);
    spe_id x = spe_f_to_s(m, v, spe_fmul(m, a, spe_splat(m, f, spe_f32(m, 65536))));
    x = spe_xor(m, x, spe_sar(m, x, spe_splat(m, v, spe_i32(m, 3))));
    x = spe_sconvert(m, v, spe_uconvert(m, i16, x));
    x = spe_iadd(m, x, spe_sg_shuffle(m, x, spe_xor(m, lane, spe_i32(m, 1))));
    spe_id high = spe_any(m, spe_fgt(m, a, spe_splat(m, f, spe_f32(m, 2))));
    return spe_iadd(m, x, spe_splat(m, v, spe_select(m, high, spe_i32(m, 1000), spe_i32(m, 0))));
}

/* A block of n rows, at most 32, of 16 elements: a component of each lane is a row. Each row up by its number. */
static void emit_block(spe_module *m, int n)
{
    int rows = n < 32 ? n : 32;
    spe_id v = spe_vec(m, spe_int(m, 16), (uint32_t)n), steps[MAX_N], variable = spe_local_var(m, v);
    spe_block2d b = {2, S, (uint32_t)rows, 1, spe_param_id(m, 4), spe_i32(m, 2 * S), spe_i32(m, 32),
                     spe_i32(m, PITCH), spe_i32(m, 0), spe_i32(m, 0)};
    for (int c = 0; c < n; c++) steps[c] = spe_const_u(m, spe_int(m, 16), (uint64_t)c);
    spe_store(m, variable, spe_null(m, v), 0);
    spe_block2d_load(m, &b, variable);
    spe_id x = spe_iadd(m, spe_load(m, variable, 0), spe_composite_const(m, v, (uint32_t)n, steps));
    spe_store(m, variable, x, 0);
    b.ptr = spe_param_id(m, 5);
    spe_block2d_store(m, &b, variable);
}

static void emit(spe_module *m, int n, bool math)
{
    static const int bits[] = {32, 32, 32, -32, -16, -16};
    char name[32], function[32];
    spe_param params[6];
    spe_kernel k;
    spe_id vf = spe_vec(m, spe_float(m, 32), (uint32_t)n), vi = spe_vec(m, spe_int(m, 32), (uint32_t)n);
    memset(&k, 0, sizeof k);
    memset(params, 0, sizeof params);
    for (int i = 0; i < 6; i++) {
        spe_id e = bits[i] > 0 ? spe_float(m, 32) : spe_int(m, (uint32_t)-bits[i]);
        params[i].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, e);
    }
    snprintf(name, sizeof name, "n%d", n);
    snprintf(function, sizeof function, "grow%d", n);
    spe_id fn = emit_function(m, function, vf);
    k.name = name;
    k.params = params;
    k.param_count = 6;
    k.subgroup_size = S;
    spe_kernel_begin(m, &k);
    spe_id item = spe_builtin(m, SPE_GLOBAL_ID, 0), lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0);
    spe_id a = spe_load(m, element_at(m, 0, vf, item), 0), b = spe_load(m, element_at(m, 1, vf, item), 0);
    spe_store(m, element_at(m, 2, vf, item), emit_floats(m, n, item, a, b, fn, math), 0);
    spe_store(m, element_at(m, 3, vi, item), emit_integers(m, n, lane, a), 0);
    emit_block(m, n);
    spe_kernel_end(m);
}

/* ---- the same in C */

static void want_floats(int n, int item, const float *a, const float *b, bool math, double *r)
{
    double x[MAX_N], y[MAX_N], k;
    for (int c = 0; c < n; c++) {
        double root = math ? sqrt(fabs((double)b[c])) : (double)b[c] * b[c];
        x[c] = a[c] < b[c] ? (double)a[c] * b[c] + a[c] : root;
    }
    x[item % n] = item + 0.25;
    for (int c = 0; c < n; c++) y[c] = c % 2 ? (double)a[n - 1 - c] : x[n - 1 - c];
    k = y[(item * 5 + 3) % n];
    y[(item + 1) % n] = k;
    for (int c = 0; c < n; c++) {
        r[c] = y[c] + y[c] * k;
        for (int i = 0; i < TIMES; i++) r[c] = r[c] * 0.5 + (c + 1) / 8.0;
    }
    r[n - 1] = a[(item + 2) % n];
}

static int want_own(float a)
{
    int x = (int)(a * 65536);
    return (int16_t)(x ^ (x >= 0 ? x >> 3 : ~(~x >> 3)));
}

static int want_integer(int n, const float *all, int item, int c)
{
    const float *a = all + item * room_of(n), *other = all + (item ^ 1) * room_of(n);
    bool high = false;
    for (int j = 0; j < n; j++) high = high || a[j] > 2;
    return want_own(a[c]) + want_own(other[c]) + (high ? 1000 : 0);
}

/* ---- one length */

typedef struct {
    float *a, *b, *r;
    int32_t *q;
    uint16_t *in, *out;
} buffers;

static bool make_buffers(buffers *x, int n)
{
    size_t count = (size_t)(ITEMS * room_of(n)), rows = PITCH / 2 * 32;
    x->a = (float *)zed_alloc(&device, ZED_SHARED, 4 * count * sizeof(float), 256);
    x->in = (uint16_t *)zed_alloc(&device, ZED_SHARED, 2 * rows * sizeof(uint16_t), 256);
    if (!x->a || !x->in) return false;
    x->b = x->a + count;
    x->r = x->b + count;
    x->q = (int32_t *)(void *)(x->r + count);
    x->out = x->in + rows;
    for (size_t i = 0; i < 2 * count; i++) x->a[i] = (float)test_normal();
    memset(x->r, 0xff, 2 * count * sizeof(float));
    for (size_t i = 0; i < rows; i++) x->in[i] = (uint16_t)test_random();
    memset(x->out, 0xa5, rows * sizeof(uint16_t));
    return true;
}

static void check_block(const buffers *x, int n)
{
    for (int row = 0; row < 32; row++) {
        for (int c = 0; c < S; c++) {
            int at = row * (PITCH / 2) + c, want = row < n ? (uint16_t)(x->in[at] + row) : 0xa5a5;
            CHECK_MSG(x->out[at] == want, "n %d, block (%d, %d): %d, want %d", n, row, c, x->out[at], want);
        }
    }
}

static void check(const buffers *x, int n, bool math)
{
    for (int item = 0; item < ITEMS; item++) {
        double want[MAX_N];
        int first = item * room_of(n);
        want_floats(n, item, x->a + first, x->b + first, math, want);
        for (int c = 0; c < n; c++) {
            /* a dozen roundings of terms below 40 * 40 */
            CHECK_MSG(fabs((double)x->r[first + c] - want[c]) <= 1e-6 * fabs(want[c]) + 2e-4,
                      "n %d, item %d, %d: %g, want %g", n, item, c, (double)x->r[first + c], want[c]);
            CHECK_MSG(x->q[first + c] == want_integer(n, x->a, item, c), "n %d, item %d, %d: %d, want %d", n, item, c,
                      x->q[first + c], want_integer(n, x->a, item, c));
        }
    }
    check_block(x, n);
}

static void run(zed_module *module, int n, bool math)
{
    char name[32];
    buffers x;
    zed_kernel kernel;
    snprintf(name, sizeof name, "n%d", n);
    memset(&x, 0, sizeof x);
    CHECK(make_buffers(&x, n));
    if (x.in && zed_kernel_get(&kernel, module, name,
                               "ptr<f32> a, ptr<f32> b, ptr<f32> r, ptr<i32> q, ptr<u16> in, ptr<u16> out") &&
        zed_local_size(&kernel, ITEMS, 1, 1) &&
        zed_launch(&kernel, (zed_groups){1, 1, 1}, x.a, x.b, x.r, x.q, x.in, x.out))
        check(&x, n, math);
    CHECK_MSG(zed_get_error(&device)->id == 0, "%s", zed_get_error(&device)->text);
    zed_clear_error(&device);
    zed_free(&device, x.a);
    zed_free(&device, x.in);
}

/* ---- the modules */

/* Every other length: OpTypeVector with a count becomes OpTypeVectorIdEXT with the constant of that value. */
static void count_by_id(uint32_t *words, size_t count, const spe_id *constants)
{
    enum { OP_VECTOR = 23, OP_VECTOR_BY_ID = 5288 };
    for (size_t at = 5; at < count; at += words[at] >> 16) {
        for (int i = 0; i < LENGTHS && words[at] == (4u << 16 | OP_VECTOR); i += 2) {
            if (words[at + 3] != (uint32_t)lengths[i]) continue;
            words[at] = 4u << 16 | OP_VECTOR_BY_ID;
            words[at + 3] = constants[i];
        }
    }
}

static void load_and_run(const uint32_t *words, size_t bytes, bool math)
{
    zed_module module;
    if (zed_module_load(&module, &device, words, bytes, NULL))
        for (int i = 0; i < LENGTHS; i++) run(&module, lengths[i], math);
    CHECK_MSG(zed_get_error(&device)->id == 0, "%s %s", zed_get_error(&device)->text, zed_build_log(&device));
    zed_clear_error(&device);
}

/* With mathematics, and every other count by id; or without either. */
static void all_lengths(bool math)
{
    spe_module m;
    spe_words w;
    spe_id constants[LENGTHS];
    uint32_t *words;
    spe_begin(&m, NULL);
    spe_capability(&m, SPE_CapabilityLongVectorEXT);
    if (math) spe_capability(&m, SPE_CapabilityVectorAnyINTEL);
    for (int i = 0; i < LENGTHS; i++) constants[i] = spe_i32(&m, lengths[i]);
    for (int i = 0; i < LENGTHS; i++) emit(&m, lengths[i], math);
    w = spe_finish(&m);
    CHECK_MSG(w.data, "%s", spe_get_error(&m)->text);
    words = w.data ? (uint32_t *)malloc(w.count * 4) : NULL;
    if (words) {
        memcpy(words, w.data, w.count * 4);
        if (math) count_by_id(words, w.count, constants);
        else test_save_spv("test_soft_long_vectors", words, w.count * 4);
        load_and_run(words, w.count * 4, math);
    }
    free(words);
    spe_free(&m);
}

TEST(lengths_as_numbers) { all_lengths(false); }
TEST(lengths_as_constants_and_mathematics) { all_lengths(true); }

int main(void)
{
    if (!zed_open(&device, &(zed_options){.name = "software"})) return zed_print_error(&device, stderr), 1;
    RUN(lengths_as_numbers);
    RUN(lengths_as_constants_and_mathematics);
    zed_close(&device);
    return test_report();
}
