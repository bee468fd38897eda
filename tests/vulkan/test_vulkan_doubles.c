/* test_vulkan_doubles.c - spe_math of f64 and of integers of 64 bits for Vulkan, on a Vulkan device that has both, if
 * there is one (lavapipe will do): each function within OpenCL's bounds of long double, of random arguments of all
 * magnitudes and of all pairs of special ones; integers exactly. Modules are saved for spirv-val, without a device. */
#undef XETILE_DECLARATIONS /* the library may lack Vulkan: this file has the bodies */
#include "test.h"

#include "spirv_emit.h"
#include "vulkan_module.h"

#include <float.h>

#if defined(__has_include)
#if __has_include(<vulkan/vulkan_core.h>)
#define HAVE_VULKAN
#include "vk_dispatch.h"
#endif
#endif

enum { N = 3000, GROUP = 64, ROOM = (N + GROUP - 1) / GROUP * GROUP, BLOCK = 6 };
typedef long double real; /* at least 64 bits of mantissa where this test runs, else no device is asked */

#define PI 3.14159265358979323846264338327950288L

/* ---- what is tested: the function, its bound in units in the last place, what it is ------------------------------ */

static real of_exp10(real x, real y) { return (void)y, powl(10, x); }
static real of_pi(real x, int n) /* sin(pi x + n pi / 2), exact where it is 0 */
{
    if (!isfinite(x)) return NAN;
    real r = fmodl(x, 2), q = nearbyintl(2 * r);
    n = (n + (int)q + 8) % 4;
    r = PI * (r - q / 2);
    return (n & 2 ? -1 : 1) * (n & 1 ? cosl(r) : sinl(r));
}
static real of_sinpi(real x, real y) { return (void)y, of_pi(x, 0); }
static real of_cospi(real x, real y) { return (void)y, of_pi(x, 1); }
static real of_tanpi(real x, real y)
{
    real s = of_pi(x, 0), c = of_pi(x, 1);
    (void)y;
    return c == 0 ? copysignl(INFINITY, x) * (fabsl(fmodl(x, 2)) > 1 ? -1 : 1) : s / c;
}
static real of_asinpi(real x, real y) { return (void)y, asinl(x) / PI; }
static real of_acospi(real x, real y) { return (void)y, acosl(x) / PI; }
static real of_atanpi(real x, real y) { return (void)y, atanl(x) / PI; }
static real of_atan2pi(real x, real y) { return atan2l(x, y) / PI; }
static real of_powr(real x, real y)
{
    if (isnan(x) || isnan(y) || x < 0 || ((x == 0 || isinf(x)) && y == 0) || (x == 1 && isinf(y))) return NAN;
    return fabsl(powl(fabsl(x), y));
}
static real of_next(real x, real y) { return (real)nextafter((double)x, (double)y); }
static real of_pown(real x, real n) { return powl(x, n); }
static real of_rootn(real x, real n)
{
    bool odd = fmodl(n, 2) != 0;
    if (n == 0 || isnan(x) || (x < 0 && !odd)) return NAN;
    real r = powl(fabsl(x), 1 / n);
    return odd ? copysignl(r, x) : r;
}
static real of_ldexp(real x, real n) { return ldexpl(x, (int)n); }

#define OF_ONE(f) static real of_##f(real x, real y) { return (void)y, f##l(x); }
OF_ONE(exp) OF_ONE(exp2) OF_ONE(expm1) OF_ONE(log) OF_ONE(log2) OF_ONE(log10) OF_ONE(log1p) OF_ONE(sin) OF_ONE(cos)
OF_ONE(tan) OF_ONE(asin) OF_ONE(acos) OF_ONE(atan) OF_ONE(sinh) OF_ONE(cosh) OF_ONE(tanh) OF_ONE(asinh) OF_ONE(acosh)
OF_ONE(atanh) OF_ONE(erf) OF_ONE(erfc) OF_ONE(cbrt) OF_ONE(logb)

static const struct {
    spe_math_op op;
    int operands; /* -2: the second is an integer */
    double most;
    real (*f)(real, real);
} functions[] = {
    {SPE_EXP, 1, 3, of_exp},         {SPE_EXP2, 1, 3, of_exp2},       {SPE_EXP10, 1, 3, of_exp10},
    {SPE_EXPM1, 1, 3, of_expm1},     {SPE_LOG, 1, 3, of_log},         {SPE_LOG2, 1, 3, of_log2},
    {SPE_LOG10, 1, 3, of_log10},     {SPE_LOG1P, 1, 2, of_log1p},     {SPE_SIN, 1, 4, of_sin},
    {SPE_COS, 1, 4, of_cos},         {SPE_TAN, 1, 5, of_tan},         {SPE_SINPI, 1, 4, of_sinpi},
    {SPE_COSPI, 1, 4, of_cospi},     {SPE_TANPI, 1, 6, of_tanpi},     {SPE_ASIN, 1, 4, of_asin},
    {SPE_ACOS, 1, 4, of_acos},       {SPE_ATAN, 1, 5, of_atan},       {SPE_ASINPI, 1, 5, of_asinpi},
    {SPE_ACOSPI, 1, 5, of_acospi},   {SPE_ATANPI, 1, 5, of_atanpi},   {SPE_SINH, 1, 4, of_sinh},
    {SPE_COSH, 1, 4, of_cosh},       {SPE_TANH, 1, 5, of_tanh},       {SPE_ASINH, 1, 4, of_asinh},
    {SPE_ACOSH, 1, 4, of_acosh},     {SPE_ATANH, 1, 5, of_atanh},     {SPE_ERF, 1, 16, of_erf},
    {SPE_ERFC, 1, 16, of_erfc},      {SPE_CBRT, 1, 2, of_cbrt},       {SPE_LOGB, 1, 0, of_logb},
    {SPE_NATIVE_EXP, 1, 3, of_exp},  {SPE_NATIVE_LOG2, 1, 3, of_log2}, {SPE_NATIVE_SIN, 1, 4, of_sin},
    {SPE_POW, 2, 16, powl},          {SPE_POWR, 2, 16, of_powr},      {SPE_ATAN2, 2, 6, atan2l},
    {SPE_ATAN2PI, 2, 6, of_atan2pi}, {SPE_HYPOT, 2, 4, hypotl},       {SPE_COPYSIGN, 2, 0, copysignl},
    {SPE_NEXTAFTER, 2, 0, of_next},  {SPE_POWN, -2, 16, of_pown},     {SPE_ROOTN, -2, 16, of_rootn},
    {SPE_LDEXP, -2, 0.5, of_ldexp},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions, BLOCKS = (FUNCTIONS + BLOCK - 1) / BLOCK };

/* ---- kernels: results of item i follow each other at z[i * count] ------------------------------------------------ */

static void begin(spe_module *m, const char *name, spe_id (*type)(spe_module *, uint32_t))
{
    const spe_options vulkan = {.env = SPE_ENV_VULKAN, .names = true};
    spe_param params[4];
    spe_kernel k;
    memset(params, 0, sizeof params);
    memset(&k, 0, sizeof k);
    spe_begin(m, &vulkan);
    for (int i = 0; i < 4; i++)
        params[i].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, i == 2 ? spe_int(m, 32) : type(m, 64));
    k.name = name;
    k.params = params;
    k.param_count = 4;
    k.local_size[0] = GROUP;
    k.contract = SPE_CONTRACT_ALLOWED;
    spe_kernel_begin(m, &k);
}

static spe_id argument(spe_module *m, uint32_t i)
{
    return spe_load(m, spe_index(m, spe_param_id(m, i), spe_builtin(m, SPE_GLOBAL_ID, 0)), 0);
}

static void result(spe_module *m, int count, int number, spe_id v)
{
    spe_id at = spe_imul(m, spe_builtin(m, SPE_GLOBAL_ID, 0), spe_u32(m, (uint32_t)count));
    at = spe_iadd(m, at, spe_u32(m, (uint32_t)number));
    spe_store(m, spe_index(m, spe_param_id(m, 3), at), v, 0);
}

/* BLOCK of the functions, from `first` on. */
static spe_words floats_module(spe_module *m, int first)
{
    char name[32];
    snprintf(name, sizeof name, "doubles_%d", first);
    begin(m, "doubles", spe_float);
    spe_id x = argument(m, 0), y = argument(m, 1), n = argument(m, 2);
    for (int f = first; f < first + BLOCK && f < FUNCTIONS; f++) {
        spe_id a[2] = {x, functions[f].operands < 0 ? n : y};
        result(m, BLOCK, f - first, spe_math(m, functions[f].op, (uint32_t)abs(functions[f].operands), a));
    }
    return finish(m, name);
}

enum { INTEGERS = 5 };
static spe_words integers_module(spe_module *m)
{
    static const spe_math_op ops[INTEGERS] = {SPE_CLZ, SPE_CTZ, SPE_POPCOUNT, SPE_UMUL_HI, SPE_SMUL_HI};
    begin(m, "integers", spe_int);
    spe_id a[2] = {argument(m, 0), argument(m, 1)};
    for (int f = 0; f < INTEGERS; f++) result(m, INTEGERS, f, spe_math(m, ops[f], f < 3 ? 1 : 2, a));
    return finish(m, "integers_64");
}

/* Of 8 and 16 bits, in 64. */
enum { SMALL = 6 };
static spe_words small_integers_module(spe_module *m)
{
    static const spe_math_op ops[3] = {SPE_CLZ, SPE_CTZ, SPE_POPCOUNT};
    begin(m, "small", spe_int);
    for (int f = 0; f < SMALL; f++) {
        spe_id x = spe_uconvert(m, spe_int(m, f < 3 ? 8 : 16), argument(m, 0));
        result(m, SMALL, f, spe_uconvert(m, spe_int(m, 64), spe_math1(m, ops[f % 3], x)));
    }
    return finish(m, "small_integers");
}

/* x, x + STEP ..., divided by a number and by y; and a number more, which a compiler once added to another's quotient:
 * as a vector, then as numbers side by side. */
enum { OPS = 5, DIVISIONS = 4 * OPS, WIDE = 4, QUOTIENTS = DIVISIONS * WIDE, DIVISOR = 3 };
static const uint64_t STEP = 0x2a9f7893c0ffee11, MORE = 0x123456789abcdef1;

static void divide(spe_module *m, int f, int n, spe_id *v, spe_id b)
{
    static spe_id (*const ops[OPS])(spe_module *, spe_id, spe_id) = {spe_udiv, spe_sdiv, spe_umod, spe_srem, spe_smod};
    for (int i = 0; i < n; i++) v[i] = ops[f % OPS](m, v[i], b);
    for (int i = 0; i < n; i++) v[i] = spe_iadd(m, v[i], spe_const_u(m, spe_type_of(m, b), MORE));
}

static spe_words quotients_module(spe_module *m)
{
    begin(m, "quotients", spe_int);
    spe_id x = argument(m, 0), y = argument(m, 1), type = spe_vec(m, spe_int(m, 64), WIDE), part[WIDE], v, b;
    for (int f = 0; f < DIVISIONS; f++) {
        for (uint64_t i = 0; i < WIDE; i++) part[i] = spe_iadd(m, x, spe_u64(m, i * STEP));
        b = f / OPS % 2 ? y : spe_u64(m, DIVISOR);
        if (f < 2 * OPS) {
            v = spe_construct(m, type, WIDE, part);
            divide(m, f, 1, &v, spe_splat(m, type, b));
            for (uint32_t i = 0; i < WIDE; i++) part[i] = spe_extract(m, v, i);
        } else {
            divide(m, f, WIDE, part, b);
        }
        for (int i = 0; i < WIDE; i++) result(m, QUOTIENTS, f * WIDE + i, part[i]);
    }
    return finish(m, "quotients_64");
}

TEST(modules_are_made)
{
    spe_module m;
    for (int b = 0; b < BLOCKS; b++) floats_module(&m, b * BLOCK), spe_free(&m);
    integers_module(&m), spe_free(&m);
    small_integers_module(&m), spe_free(&m);
    quotients_module(&m), spe_free(&m);
}

#if defined(HAVE_VULKAN)

static vkd_device device;

/* Units in the last place of an f64 between a value and what it should be. */
static double ulps(double got, real want)
{
    int exponent;
    if (isnan(want)) return isnan(got) ? 0 : INFINITY;
    if (isinf((double)want) || isinf(got)) {
        if (got == (double)want) return 0;
        return fabsl(want) > 1.79769e308L && fabs(got) > 1.79769e308 && want * (real)got > 0 ? 0.5 : INFINITY;
    }
    if (want == 0) return got == 0 ? 0 : INFINITY;
    frexpl(want, &exponent);
    if (exponent < -1021) return fabsl((real)got - want) <= 2.3e-308L ? 0 : INFINITY; /* may be zero */
    return (double)(fabsl((real)got - want) / ldexpl(1, exponent - 53));
}

static const double special[] = {0,    -0.0, INFINITY, -INFINITY, NAN,   1,     -1,    2,     -2,     3,     -3,
                                 0.5,  -0.5, 1.5,      2.5,       1e300, -1e300, 0x1p53, 1e-300, 709.7, -708.3,
                                 0x1.fffffffffffffp-1, 0x1.0000000000001p0, 1.7e308, -1.7e308, 2.3e-308, 1e-310};
enum { SPECIAL = sizeof special / sizeof *special };
static const int32_t some[] = {0, 1, -1, 2, -2, 3, -3, 7, 10, 127, -127, 300, 1100, -1100, INT32_MAX, INT32_MIN};
enum { SOME = sizeof some / sizeof *some };

static double random_number(int i)
{
    double sign = test_uniform() < 0.5 ? -1 : 1;
    switch (i % 6) {
    case 0: return sign * pow(10, 616 * test_uniform() - 308);
    case 1: return sign * 800 * test_uniform();
    case 2: return sign * 30 * test_uniform();
    case 3: return sign * test_uniform();
    case 4: return PI * ldexp(1 + floor(8 * test_uniform()), (int)(test_random() % 200)); /* near multiples of pi */
    default: return 1 + sign * pow(10, -16 * test_uniform());
    }
}

static void fill(double *x, double *y, int32_t *n)
{
    for (int i = 0; i < ROOM; i++) {
        x[i] = i < SPECIAL * SPECIAL ? special[i % SPECIAL] : random_number(i);
        y[i] = i < SPECIAL * SPECIAL ? special[i / SPECIAL] : random_number(i / 6);
        n[i] = i < SPECIAL * SOME ? some[i / SPECIAL] : (int32_t)(600 * test_uniform() - 300);
        if (i >= SPECIAL * SPECIAL && i % 3) { /* powers in range */
            x[i] = fabs(x[i]);
            double most = 1022 / fmax(fabs(log2(x[i])), 1e-9);
            y[i] = (2 * test_uniform() - 1) * most;
            n[i] = (int32_t)fmin(most, 2e9);
        }
    }
}

static void *shared(size_t bytes) { return vkd_alloc(&device, VKD_SHARED, bytes, 0); }

static void run(spe_words w, const char *name, const char *params, void *x, void *y, void *n, void *z)
{
    vkd_module module;
    vkd_kernel k;
    const vkd_arg args[4] = {vkd_arg_ptr(x), vkd_arg_ptr(y), vkd_arg_ptr(n), vkd_arg_ptr(z)};
    bool ok = vkd_module_load(&module, &device, w.data, w.count * 4) && vkd_kernel_get(&k, &module, name, params) &&
              vkd_launch_n(&k, ((vkd_groups){ROOM / GROUP, 1, 1}), args, 4);
    CHECK_MSG(ok, "%s: %s", name, vkd_get_error(&device)->text);
    vkd_clear_error(&device);
    vkd_module_free(&module);
}

static void print_worst(spe_math_op f, double worst)
{
#define NAME_(name, name_in_set, number, operands)                                                                     \
    if ((int)f == number) printf("    %s %.2f\n", #name_in_set, worst);
    if (getenv("PRINT_ULPS")) {
        SPE_MATH_LIST(NAME_)
    }
}

static void check_function(int f, const double *x, const double *y, const int32_t *n, const double *got)
{
    double worst = 0;
    for (int i = 0; i < N; i++) {
        double second = functions[f].operands < 0 ? n[i] : y[i], z = got[i * BLOCK + f % BLOCK];
        real want = functions[f].f(x[i], second);
        double off = ulps(z, want);
        if (off > worst) worst = off;
        CHECK_MSG(off <= functions[f].most, "function %d of %.17g, %.17g is %.17g, not %.17g: %.3g units",
                  (int)functions[f].op, x[i], second, z, (double)want, off);
    }
    print_worst(functions[f].op, worst);
}

TEST(doubles_within_the_bounds_of_opencl)
{
    double *x = (double *)shared(ROOM * 8), *y = (double *)shared(ROOM * 8), *z = (double *)shared(ROOM * BLOCK * 8);
    int32_t *n = (int32_t *)shared(ROOM * 4);
    if (x && y && n) fill(x, y, n);
    for (int b = 0; z && b < BLOCKS; b++) {
        spe_module m;
        spe_words w = floats_module(&m, b * BLOCK);
        vkd_fill(&device, z, 0xaa, ROOM * BLOCK * 8);
        run(w, "doubles", "ptr<f64> x, ptr<f64> y, ptr<i32> n, ptr<f64> z", x, y, n, z);
        for (int f = b * BLOCK; f < (b + 1) * BLOCK && f < FUNCTIONS; f++) check_function(f, x, y, n, z);
        spe_free(&m);
    }
    vkd_free(&device, x), vkd_free(&device, y), vkd_free(&device, z), vkd_free(&device, n);
}

static uint64_t zeros(uint64_t x, int bits, bool leading)
{
    int n = 0;
    while (n < bits && !(x >> (leading ? bits - 1 - n : n) & 1)) n++;
    return (uint64_t)n;
}

static uint64_t ones(uint64_t x)
{
    uint64_t n = 0;
    for (; x; x &= x - 1) n++;
    return n;
}

static uint64_t upper(uint64_t a, uint64_t b)
{
    uint64_t low = (uint32_t)a * (b & UINT32_MAX), middle = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    uint64_t other = (a & UINT32_MAX) * (b >> 32) + (middle & UINT32_MAX);
    return (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
}

TEST(integers_of_64_and_of_few_bits_exactly)
{
    uint64_t *x = (uint64_t *)shared(ROOM * 8), *y = (uint64_t *)shared(ROOM * 8);
    uint64_t *z = (uint64_t *)shared(ROOM * SMALL * 8);
    spe_module m;
    for (int i = 0; x && y && i < ROOM; i++) {
        x[i] = i ? test_random() >> (test_random() % 64) << (test_random() % 64) : 0;
        y[i] = test_random() >> (test_random() % 64);
        if (i % 7 == 0) y[i] = ~y[i];
    }
    run(integers_module(&m), "integers", "ptr<i64> x, ptr<i64> y, ptr<i32> n, ptr<i64> z", x, y, z, z);
    for (int i = 0; z && i < N; i++) {
        uint64_t *got = z + i * INTEGERS, high = upper(x[i], y[i]);
        CHECK_INT(got[0], zeros(x[i], 64, true));
        CHECK_INT(got[1], zeros(x[i], 64, false));
        CHECK_INT(got[2], ones(x[i]));
        CHECK_INT(got[3], high);
        CHECK_INT(got[4], high - (x[i] >> 63 ? y[i] : 0) - (y[i] >> 63 ? x[i] : 0));
    }
    spe_free(&m);
    run(small_integers_module(&m), "small", "ptr<i64> x, ptr<i64> y, ptr<i32> n, ptr<i64> z", x, y, y, z);
    for (int i = 0; z && i < N; i++)
        for (int k = 0; k < 2; k++) {
            uint64_t *got = z + i * SMALL + 3 * k, v = x[i] & (k ? 0xffff : 0xff);
            CHECK_INT(got[0], zeros(v, 8 << k, true));
            CHECK_INT(got[1], zeros(v, 8 << k, false));
            CHECK_INT(got[2], ones(v));
        }
    spe_free(&m);
    vkd_free(&device, x), vkd_free(&device, y), vkd_free(&device, z);
}

TEST(quotients_of_64_bits)
{
    uint64_t *x = (uint64_t *)shared(ROOM * 8), *y = (uint64_t *)shared(ROOM * 8);
    uint64_t *z = (uint64_t *)shared(ROOM * QUOTIENTS * 8);
    spe_module m;
    for (int i = 0; x && y && i < ROOM; i++) {
        x[i] = test_random() >> (test_random() % 64);
        y[i] = 2 + (test_random() >> (1 + test_random() % 60));
    }
    vkd_fill(&device, z, 0xaa, ROOM * QUOTIENTS * 8);
    run(quotients_module(&m), "quotients", "ptr<i64> x, ptr<i64> y, ptr<i32> n, ptr<i64> z", x, y, z, z);
    for (int i = 0; z && i < N * QUOTIENTS; i++) {
        int f = i % QUOTIENTS / WIDE;
        uint64_t a = x[i / QUOTIENTS] + (uint64_t)(i % WIDE) * STEP, b = f / OPS % 2 ? y[i / QUOTIENTS] : DIVISOR;
        int64_t of = (int64_t)a, by = (int64_t)b, rest = of % by, modulo = rest < 0 ? rest + by : rest;
        uint64_t want[OPS] = {a / b, (uint64_t)(of / by), a % b, (uint64_t)rest, (uint64_t)modulo};
        CHECK_INT(z[i], want[f % OPS] + MORE);
    }
    spe_free(&m);
    vkd_free(&device, x), vkd_free(&device, y), vkd_free(&device, z);
}
#endif

int main(void)
{
    RUN(modules_are_made);
#if defined(HAVE_VULKAN)
    if (!vkd_open(&device, NULL)) {
        printf("skipped functions on a device: %s\n", vkd_get_error(&device)->text);
        test_.skipped++;
    } else {
        if (device.target.int64) RUN(integers_of_64_and_of_few_bits_exactly);
        if (device.target.int64) RUN(quotients_of_64_bits);
        if (device.target.int64 && device.target.fp64 && LDBL_MANT_DIG > DBL_MANT_DIG)
            RUN(doubles_within_the_bounds_of_opencl);
    }
    vkd_close(&device);
#else
    printf("skipped functions on a device: Vulkan's headers are missing\n");
    test_.skipped++;
#endif
    return test_report();
}
