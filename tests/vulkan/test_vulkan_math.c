/* test_vulkan_math.c - spe_math for Vulkan, on a Vulkan device if there is one (lavapipe will do): each function of f32
 * within OpenCL's bounds of f64, of random arguments of all magnitudes and of all pairs of special ones; integers
 * exactly. Modules are saved for spirv-val, which needs no device. */
#if !defined(__has_include)
#undef XETILE_DECLARATIONS
#elif !__has_include(<vulkan/vulkan_core.h>)
#undef XETILE_DECLARATIONS /* the library lacks Vulkan: this file has the bodies */
#endif
#include "test.h"

#include "spirv_emit.h"
#include "vulkan_module.h"

#if defined(__has_include)
#if __has_include(<vulkan/vulkan_core.h>)
#define HAVE_VULKAN
#include "vk_dispatch.h"
#endif
#endif

enum { N = 6000, GROUP = 64 };
#define PI 3.14159265358979323846

/* ---- what is tested: the function, its bound in units in the last place, what it is in f64 ----------------------- */

static double of_exp10(double x) { return pow(10, x); }
/* sin(pi x + n pi / 2), exact where it is 0. */
static double of_pi(double x, int n)
{
    double r = fmod(x, 2), q = nearbyint(2 * r);
    if (!isfinite(x)) return NAN;
    n = (n + (int)q + 8) % 4;
    r = PI * (r - q / 2);
    return (n & 2 ? -1 : 1) * (n & 1 ? cos(r) : sin(r));
}
static double of_sinpi(double x) { return of_pi(x, 0); }
static double of_cospi(double x) { return of_pi(x, 1); }
static double of_tanpi(double x)
{
    double s = of_pi(x, 0), c = of_pi(x, 1);
    return c == 0 ? copysign(INFINITY, x) * (fabs(fmod(x, 2)) > 1 ? -1 : 1) : s / c;
}
static double of_asinpi(double x) { return asin(x) / PI; }
static double of_acospi(double x) { return acos(x) / PI; }
static double of_atanpi(double x) { return atan(x) / PI; }
static double of_rsqrt(double x) { return 1 / sqrt(x); }

static const struct {
    spe_math_op op;
    double most;
    double (*f)(double);
} unary[] = {
    {SPE_EXP, 3, exp},       {SPE_EXP2, 3, exp2},         {SPE_EXP10, 3, of_exp10}, {SPE_EXPM1, 3, expm1},
    {SPE_LOG, 3, log},       {SPE_LOG2, 3, log2},         {SPE_LOG10, 3, log10},    {SPE_LOG1P, 2, log1p},
    {SPE_SIN, 4, sin},       {SPE_COS, 4, cos},           {SPE_TAN, 5, tan},        {SPE_SINPI, 4, of_sinpi},
    {SPE_COSPI, 4, of_cospi}, {SPE_TANPI, 6, of_tanpi},   {SPE_ASIN, 4, asin},      {SPE_ACOS, 4, acos},
    {SPE_ATAN, 5, atan},     {SPE_ASINPI, 5, of_asinpi},  {SPE_ACOSPI, 5, of_acospi}, {SPE_ATANPI, 5, of_atanpi},
    {SPE_SINH, 4, sinh},     {SPE_COSH, 4, cosh},         {SPE_TANH, 5, tanh},      {SPE_ASINH, 4, asinh},
    {SPE_ACOSH, 4, acosh},   {SPE_ATANH, 5, atanh},       {SPE_ERF, 16, erf},       {SPE_ERFC, 16, erfc},
    {SPE_CBRT, 2, cbrt},     {SPE_LOGB, 0, logb},         {SPE_ROUND, 0, round},    {SPE_RINT, 0, nearbyint},
    {SPE_FLOOR, 0, floor},   {SPE_CEIL, 0, ceil},         {SPE_TRUNC, 0, trunc},    {SPE_FABS, 0, fabs},
    {SPE_SQRT, 3, sqrt},     {SPE_RSQRT, 2, of_rsqrt},
};
enum { UNARY = sizeof unary / sizeof *unary };

/* pow of OpenCL is that of C; powr is only for x from 0 on. */
static double of_powr(double x, double y)
{
    if (isnan(x) || isnan(y) || x < 0) return NAN;
    if ((x == 0 || isinf(x)) && y == 0) return NAN;
    if (x == 1 && isinf(y)) return NAN;
    return fabs(pow(fabs(x), y));
}
static double of_maxmag(double x, double y) { return fabs(x) > fabs(y) ? x : fabs(y) > fabs(x) ? y : fmax(x, y); }
static double of_minmag(double x, double y) { return fabs(x) < fabs(y) ? x : fabs(y) < fabs(x) ? y : fmin(x, y); }
static double of_next(double x, double y) { return nextafterf((float)x, (float)y); }
static double of_atan2pi(double y, double x) { return atan2(y, x) / PI; }

static const struct {
    spe_math_op op;
    double most;
    double (*f)(double, double);
} binary[] = {
    {SPE_POW, 16, pow},        {SPE_POWR, 16, of_powr},     {SPE_ATAN2, 6, atan2},     {SPE_ATAN2PI, 6, of_atan2pi},
    {SPE_HYPOT, 4, hypot},     {SPE_FDIM, 0.5, fdim},       {SPE_COPYSIGN, 0, copysign}, {SPE_MAXMAG, 0, of_maxmag},
    {SPE_MINMAG, 0, of_minmag}, {SPE_NEXTAFTER, 0, of_next},
};
enum { BINARY = sizeof binary / sizeof *binary };

static double of_rootn(double x, int n)
{
    if (n == 0 || isnan(x) || (x < 0 && n % 2 == 0)) return NAN;
    double r = pow(fabs(x), 1.0 / n);
    return n % 2 ? copysign(r, x) : r;
}
static double of_pown(double x, int n) { return pow(x, n); }

static const struct {
    spe_math_op op;
    double most;
    double (*f)(double, int);
} by_integer[] = {{SPE_POWN, 16, of_pown}, {SPE_ROOTN, 16, of_rootn}, {SPE_LDEXP, 0.5, ldexp}};
enum { BY_INTEGER = sizeof by_integer / sizeof *by_integer };

/* Integers of 8, 16 and 32 bits, in 64. */
static int64_t clamped(int64_t v, int bits, bool is_signed)
{
    int64_t high = (int64_t)1 << (is_signed ? bits - 1 : bits), low = is_signed ? -high : 0;
    return v < low ? low : v >= high ? high - 1 : v;
}

static int64_t of_integers(spe_math_op f, const int64_t *a, int bits)
{
    switch (f) {
    case SPE_SABS_DIFF: case SPE_UABS_DIFF: return a[0] > a[1] ? a[0] - a[1] : a[1] - a[0];
    case SPE_SADD_SAT: return clamped(a[0] + a[1], bits, true);
    case SPE_UADD_SAT: return clamped(a[0] + a[1], bits, false);
    case SPE_SSUB_SAT: return clamped(a[0] - a[1], bits, true);
    case SPE_USUB_SAT: return clamped(a[0] - a[1], bits, false);
    case SPE_SHADD: case SPE_UHADD: return (a[0] + a[1]) >> 1;
    case SPE_SRHADD: case SPE_URHADD: return (a[0] + a[1] + 1) >> 1;
    case SPE_SMUL_HI: return (a[0] * a[1]) >> bits;
    case SPE_UMUL_HI: return (int64_t)((uint64_t)a[0] * (uint64_t)a[1] >> bits);
    case SPE_SMAD_HI: return ((a[0] * a[1]) >> bits) + a[2];
    case SPE_UMAD_HI: return (int64_t)((uint64_t)a[0] * (uint64_t)a[1] >> bits) + a[2];
    case SPE_SMAD_SAT: return clamped(a[0] * a[1] + a[2], bits, true);
    case SPE_UMAD_SAT: {
        uint64_t v = (uint64_t)a[0] * (uint64_t)a[1] + (uint64_t)a[2], most = ((uint64_t)1 << bits) - 1;
        return (int64_t)(v > most ? most : v);
    }
    case SPE_SMAX: case SPE_UMAX: return a[0] > a[1] ? a[0] : a[1];
    case SPE_SMIN: case SPE_UMIN: return a[0] < a[1] ? a[0] : a[1];
    case SPE_SABS: return a[0] < 0 ? -a[0] : a[0];
    case SPE_ROTATE: {
        uint64_t x = (uint64_t)a[0] & (((uint64_t)1 << bits) - 1), n = (uint64_t)a[1] % (uint64_t)bits;
        return (int64_t)(x << n | x >> ((uint64_t)bits - n));
    }
    default: return 0;
    }
}

static const struct {
    spe_math_op op;
    int operands;
    bool is_signed;
} integers[] = {
    {SPE_SABS_DIFF, 2, true}, {SPE_UABS_DIFF, 2, false}, {SPE_SADD_SAT, 2, true},  {SPE_UADD_SAT, 2, false},
    {SPE_SSUB_SAT, 2, true},  {SPE_USUB_SAT, 2, false},  {SPE_SHADD, 2, true},     {SPE_UHADD, 2, false},
    {SPE_SRHADD, 2, true},    {SPE_URHADD, 2, false},    {SPE_SMUL_HI, 2, true},   {SPE_UMUL_HI, 2, false},
    {SPE_SMAD_HI, 3, true},   {SPE_UMAD_HI, 3, false},   {SPE_SMAD_SAT, 3, true},  {SPE_UMAD_SAT, 3, false},
    {SPE_SMAX, 2, true},      {SPE_UMAX, 2, false},      {SPE_SMIN, 2, true},      {SPE_UMIN, 2, false},
    {SPE_SABS, 1, true},      {SPE_ROTATE, 2, false},
};
enum { INTEGERS = sizeof integers / sizeof *integers };

/* ---- kernels: results of item i follow each other at y[i * functions] ---------------------------------------- */

static void begin_module(spe_module *m)
{
    const spe_options vulkan = {.env = SPE_ENV_VULKAN, .names = true};
    spe_begin(m, &vulkan);
}

static void begin_kernel(spe_module *m, const char *name, int inputs, int bits)
{
    spe_param params[6];
    spe_kernel k;
    memset(params, 0, sizeof params);
    memset(&k, 0, sizeof k);
    for (int i = 0; i <= inputs; i++)
        params[i].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup,
                                 bits ? spe_int(m, (uint32_t)bits) : spe_float(m, 32));
    k.name = name;
    k.params = params;
    k.param_count = (uint32_t)inputs + 1;
    k.local_size[0] = GROUP;
    k.contract = SPE_CONTRACT_ALLOWED;
    spe_kernel_begin(m, &k);
}

static void begin(spe_module *m, const char *name, int inputs, int bits)
{
    begin_module(m);
    begin_kernel(m, name, inputs, bits);
}

/* Argument i of this item. */
static spe_id argument(spe_module *m, int i)
{
    return spe_load(m, spe_index(m, spe_param_id(m, (uint32_t)i), spe_builtin(m, SPE_GLOBAL_ID, 0)), 0);
}

static void result(spe_module *m, int inputs, int functions, int number, spe_id v)
{
    spe_id at = spe_imul(m, spe_builtin(m, SPE_GLOBAL_ID, 0), spe_u32(m, (uint32_t)functions));
    at = spe_iadd(m, at, spe_u32(m, (uint32_t)number));
    spe_store(m, spe_index(m, spe_param_id(m, (uint32_t)inputs), at), v, 0);
}

static spe_words unary_module(spe_module *m)
{
    begin(m, "unary", 1, 0);
    for (int f = 0; f < UNARY; f++) result(m, 1, UNARY, f, spe_math1(m, unary[f].op, argument(m, 0)));
    return finish(m, "unary");
}

static spe_words binary_module(spe_module *m)
{
    begin(m, "binary", 2, 0);
    for (int f = 0; f < BINARY; f++)
        result(m, 2, BINARY, f, spe_math2(m, binary[f].op, argument(m, 0), argument(m, 1)));
    return finish(m, "binary");
}

/* The integer is the second argument's bits. */
static spe_words by_integer_module(spe_module *m)
{
    begin(m, "by_integer", 2, 0);
    spe_id n = spe_bitcast(m, spe_int(m, 32), argument(m, 1));
    for (int f = 0; f < BY_INTEGER; f++)
        result(m, 2, BY_INTEGER, f, spe_math2(m, by_integer[f].op, argument(m, 0), n));
    return finish(m, "by_integer");
}

static spe_words integers_module(spe_module *m, int bits)
{
    char name[32];
    snprintf(name, sizeof name, "integers_%d", bits);
    begin(m, name, 3, bits);
    spe_id a[3] = {argument(m, 0), argument(m, 1), argument(m, 2)};
    for (int f = 0; f < INTEGERS; f++)
        result(m, 3, INTEGERS, f, spe_math(m, integers[f].op, (uint32_t)integers[f].operands, a));
    return finish(m, name);
}

/* Vectors of 2, 4 and 16 components, and f16, only for spirv-val: each component is computed as above. */
static void vectors_module(void)
{
    spe_module m;
    begin(&m, "math_of_vectors", 1, 0);
    for (uint32_t n = 2; n <= 16; n *= n) {
        spe_id x = spe_splat(&m, spe_vec(&m, spe_float(&m, 32), n), argument(&m, 0)), sum = x;
        for (int f = 0; f < UNARY; f++) sum = spe_fadd(&m, sum, spe_math1(&m, unary[f].op, x));
        for (int f = 0; f < BINARY; f++) sum = spe_fadd(&m, sum, spe_math2(&m, binary[f].op, x, sum));
        result(&m, 1, 2, 0, spe_extract(&m, sum, 1));
        x = spe_fconvert(&m, spe_vec(&m, spe_float(&m, 16), n), x);
        sum = x;
        for (int f = 0; f < UNARY; f++) sum = spe_fadd(&m, sum, spe_math1(&m, unary[f].op, x));
        result(&m, 1, 2, 1, spe_fconvert(&m, spe_float(&m, 32), spe_extract(&m, sum, 1)));
    }
    finish(&m, "math_of_vectors");
    spe_free(&m);
}

/* f64 as it is to f16; bf16 is no type of every device. */
static spe_words narrowing_module(spe_module *m)
{
    begin(m, "narrowing", 1, 64);
    spe_id v = spe_bitcast(m, spe_float(m, 64), argument(m, 0));
    spe_id bits = spe_bitcast(m, spe_int(m, 16), spe_fconvert(m, spe_float(m, 16), v));
    result(m, 1, 1, 0, spe_uconvert(m, spe_int(m, 64), bits));
    return finish(m, "narrowing");
}

/* Ways of an f16 from where it is made to where it is converted. */
typedef spe_id way_fn(spe_module *m, spe_id half);

static spe_id by_itself(spe_module *m, spe_id half) { return m ? half : 0; }
static spe_id by_shuffle(spe_module *m, spe_id half)
{
    return spe_sg_shuffle(m, half, spe_builtin(m, SPE_SUBGROUP_LANE, 0));
}
static spe_id by_xor(spe_module *m, spe_id half) { return spe_sg_shuffle_xor(m, half, spe_u32(m, 0)); }

/* Both sides have it, so that the result does not depend on the item, as the phi does. */
static spe_id by_if(spe_module *m, spe_id half)
{
    spe_id one = spe_null(m, spe_float(m, 16)), odd = spe_and(m, spe_builtin(m, SPE_GLOBAL_ID, 0), spe_u32(m, 1));
    spe_if(m, spe_ieq(m, odd, spe_u32(m, 0)));
    spe_else(m, 1, &half);
    spe_id again = spe_fneg(m, spe_fneg(m, half));
    spe_endif(m, 1, &again, &one);
    return one;
}

/* Starts from 0, which is kept, and becomes it. */
static spe_id by_for(spe_module *m, spe_id half)
{
    spe_id carried = spe_null(m, spe_float(m, 16)), low = spe_i32(m, 0), high = spe_i32(m, 2);
    spe_for(m, low, high, spe_i32(m, 1), 1, &carried);
    carried = half;
    spe_endfor(m, 1, &carried);
    return carried;
}

static spe_id by_break(spe_module *m, spe_id half)
{
    spe_id carried = spe_null(m, spe_float(m, 16)), low = spe_i32(m, 0), high = spe_i32(m, 3);
    spe_id i = spe_for(m, low, high, spe_i32(m, 1), 1, &carried);
    spe_if(m, spe_ieq(m, i, spe_i32(m, 1)));
    spe_break(m, 1, &half);
    spe_endif(m, 0, NULL, NULL);
    spe_endfor(m, 1, &carried);
    return carried;
}

static spe_id by_while(spe_module *m, spe_id half)
{
    spe_id carried[2] = {spe_null(m, spe_float(m, 16)), spe_i32(m, 0)};
    spe_while(m, 2, carried);
    spe_while_test(m, spe_slt(m, carried[1], spe_i32(m, 2)));
    carried[0] = half;
    carried[1] = spe_iadd(m, carried[1], spe_i32(m, 1));
    spe_endwhile(m, 2, carried);
    return carried[0];
}

static spe_id by_variable(spe_module *m, spe_id half)
{
    spe_id at = spe_local_var(m, spe_float(m, 16));
    spe_store(m, at, half, 0);
    return spe_load(m, at, 0);
}

static spe_id same_half; /* a function */
static spe_id by_call(spe_module *m, spe_id half) { return spe_call(m, same_half, 1, &half); }

/* As a part of words, as which coopmatrix.h has matrices: of 16 bits, in a word of two, and behind a mask. */
static spe_id by_word(spe_module *m, spe_id half)
{
    spe_id word = spe_bitcast(m, spe_int(m, 16), half);
    return spe_bitcast(m, spe_float(m, 16), word);
}

static spe_id by_pair(spe_module *m, spe_id half)
{
    spe_id pair = spe_vec(m, spe_float(m, 16), 2), word = spe_bitcast(m, spe_int(m, 32), spe_splat(m, pair, half));
    return spe_extract(m, spe_bitcast(m, pair, word), 1);
}

static spe_id by_mask(spe_module *m, spe_id half)
{
    spe_id pair = spe_vec(m, spe_float(m, 16), 2), word = spe_bitcast(m, spe_int(m, 32), spe_splat(m, pair, half));
    return spe_extract(m, spe_bitcast(m, pair, spe_and(m, word, spe_u32(m, 0xffff0000))), 1);
}

/* A word of either side of a branch. */
static spe_id by_word_of_if(spe_module *m, spe_id half)
{
    spe_id word = spe_bitcast(m, spe_int(m, 16), half), again = by_xor(m, half), one = 0;
    spe_id other = spe_bitcast(m, spe_int(m, 16), again);
    spe_if(m, spe_ieq(m, spe_builtin(m, SPE_SUBGROUP_LANE, 0), spe_u32(m, 1)));
    spe_else(m, 1, &other);
    spe_endif(m, 1, &word, &one);
    return spe_bitcast(m, spe_float(m, 16), one);
}

static way_fn *const ways[] = {by_itself, by_shuffle, by_xor,  by_if,   by_for,  by_break,      by_while,
                               by_variable, by_call, by_word, by_pair, by_mask, by_word_of_if};
enum { WAYS = sizeof ways / sizeof *ways, VECTOR_WAYS = 2 };

/* An f16 that was computed goes each way, and in vectors of 4 and 8, which are in pieces, through a loop. */
static spe_words halves_module(spe_module *m)
{
    begin_module(m);
    spe_id f16 = spe_float(m, 16), half, v;
    same_half = spe_function_begin(m, "same_half", f16, 1, &f16);
    spe_return_value(m, spe_param_id(m, 0));
    spe_function_end(m);
    begin_kernel(m, "halves", 1, 0);
    for (int f = 0; f < WAYS; f++) {
        half = spe_fconvert(m, f16, argument(m, 0));
        result(m, 1, WAYS + VECTOR_WAYS, f, spe_fconvert(m, spe_float(m, 32), ways[f](m, half)));
    }
    for (int f = 0; f < VECTOR_WAYS; f++) {
        spe_id type = spe_vec(m, f16, f ? 8 : 4), low = spe_i32(m, 0), high = spe_i32(m, 2);
        half = spe_fconvert(m, f16, argument(m, 0));
        v = spe_null(m, type);
        spe_for(m, low, high, spe_i32(m, 1), 1, &v);
        v = spe_splat(m, type, half);
        spe_endfor(m, 1, &v);
        v = spe_fconvert(m, spe_vec(m, spe_float(m, 32), f ? 8 : 4), v);
        result(m, 1, WAYS + VECTOR_WAYS, WAYS + f, spe_extract(m, v, f ? 6 : 2));
    }
    return finish(m, "halves");
}

/* An f16 from memory, also from a side of a branch of which the other has a constant, as it is beyond an edge. */
static spe_words kept_halves_module(spe_module *m)
{
    begin(m, "kept_halves", 1, 0);
    spe_id f16 = spe_float(m, 16), at = spe_ptr_cast(m, spe_param_id(m, 0), f16), merged = 0, f32 = spe_float(m, 32);
    spe_id id = spe_builtin(m, SPE_GLOBAL_ID, 0), half = spe_load(m, spe_index(m, at, id), 0);
    result(m, 1, 2, 0, spe_fconvert(m, f32, by_xor(m, half)));
    spe_if(m, spe_ult(m, id, spe_u32(m, 100)));
    spe_id loaded = spe_load(m, spe_index(m, at, id), 0), zero = spe_null(m, f16);
    spe_else(m, 1, &loaded);
    spe_endif(m, 1, &zero, &merged);
    result(m, 1, 2, 1, spe_fconvert(m, f32, merged));
    return finish(m, "kept_halves");
}

/* The instructions of this kind. */
static int count_of(spe_words w, uint32_t op)
{
    int count = 0;
    for (size_t i = 5; i < w.count && w.data[i] >> 16; i += w.data[i] >> 16) count += (w.data[i] & 0xffff) == op;
    return count;
}

/* A driver may leave the first rounding out: the widened number is rounded again, whichever way it came. */
TEST(computed_halves_are_rounded_again)
{
    enum { QUANTIZE_TO_F16 = 116, PIECES = 1 + 2 /* of the vectors */ };
    spe_module m;
    CHECK_INT(count_of(halves_module(&m), QUANTIZE_TO_F16), WAYS + PIECES);
    spe_free(&m);
    CHECK_INT(count_of(kept_halves_module(&m), QUANTIZE_TO_F16), 0);
    spe_free(&m);
}

TEST(modules_are_made)
{
    spe_module m;
    unary_module(&m), spe_free(&m);
    binary_module(&m), spe_free(&m);
    by_integer_module(&m), spe_free(&m);
    for (int bits = 8; bits <= 32; bits *= 2) integers_module(&m, bits), spe_free(&m);
    narrowing_module(&m), spe_free(&m);
    vectors_module();
}

TEST(functions_that_are_missing_say_so)
{
    static const spe_math_op missing[] = {SPE_LGAMMA, SPE_TGAMMA, SPE_FMOD, SPE_REMAINDER};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        spe_module m;
        begin(&m, "k", 1, 0);
        spe_id x = argument(&m, 0), a[2] = {x, x};
        spe_math(&m, missing[i], missing[i] == SPE_LGAMMA || missing[i] == SPE_TGAMMA ? 1 : 2, a);
        CHECK_INT(spe_get_error(&m)->id, SPE_ERR_ENVIRONMENT);
        CHECK_HAS(spe_get_error(&m)->text, "for Vulkan");
        spe_free(&m);
    }
}

#if defined(HAVE_VULKAN)

static vkd_device device;

/* Units in the last place of an f32 between a value and what it should be. */
static double ulps(float got, double want)
{
    int exponent;
    if (isnan(want)) return isnan(got) ? 0 : INFINITY;
    if (isinf((float)want) || isinf(got)) {
        if (got == (float)want) return 0;
        return fabs(want) > 3.4028e38 && fabs(got) > 3.4028e38 && want * got > 0 ? 0.5 : INFINITY;
    }
    if (want == 0) return got == 0 ? 0 : INFINITY;
    frexp(want, &exponent);
    if (exponent < -125) return fabs(got - want) <= 1.2e-38 ? 0 : INFINITY; /* subnormal results may be zero */
    return fabs(got - want) / ldexp(1, exponent - 24);
}

static const float special[] = {0,     -0.0f,     INFINITY, -INFINITY, NAN,  1,       -1,        2,      -2,  3,    -3,
                                0.5f,  -0.5f,     1.5f,     2.5f,      1e30f, -1e30f, 16777216.f, 1e-30f, 88.7f, -87.3f,
                                0.49999997f, 0.99999994f, 1.0000001f, 3.4e38f, -3.4e38f, 1.2e-38f};
enum { SPECIAL = sizeof special / sizeof *special };

/* All magnitudes: even exponents of 10, then narrower ones, where most functions do most. */
static float sample(int i)
{
    double sign = test_uniform() < 0.5 ? -1 : 1;
    switch (i % 5) {
    case 0: return (float)(sign * pow(10, 76 * test_uniform() - 38));
    case 1: return (float)(sign * 100 * test_uniform());
    case 2: return (float)(sign * 4 * test_uniform());
    case 3: return (float)(sign * test_uniform());
    default: return (float)(1 + sign * pow(10, -7 * test_uniform()));
    }
}

static void *shared(size_t bytes) { return vkd_alloc(&device, VKD_SHARED, bytes, 0); }

/* Runs a module's kernel on N items; with up to three inputs. */
static void run(spe_words w, const char *name, const char *params, void *const *inputs, int count, void *out)
{
    vkd_module module;
    vkd_kernel k;
    vkd_arg args[4];
    for (int i = 0; i < count; i++) args[i] = vkd_arg_ptr(inputs[i]);
    args[count] = vkd_arg_ptr(out);
    bool ok = vkd_module_load(&module, &device, w.data, w.count * 4) && vkd_kernel_get(&k, &module, name, params) &&
              vkd_launch_n(&k, ((vkd_groups){(N + GROUP - 1) / GROUP, 1, 1}), args, (uint32_t)count + 1);
    CHECK_MSG(ok, "%s: %s", name, vkd_get_error(&device)->text);
    vkd_clear_error(&device);
    vkd_module_free(&module);
}

enum { ROOM = (N + GROUP - 1) / GROUP * GROUP };

static void check(spe_math_op f, double most, double *worst, float x, double y, float got, double want)
{
    double off = ulps(got, want);
    if (off > *worst) *worst = off;
    CHECK_MSG(off <= most, "function %d of %.9g, %.9g is %.9g, not %.9g: %.3g units", (int)f, (double)x, y, (double)got,
              want, off);
}

static void print_worst(spe_math_op f, double worst)
{
#define NAME_(name, name_in_set, number, operands)                                                                     \
    if ((int)f == number) printf("    %s %.2f\n", #name_in_set, worst);
    if (getenv("PRINT_ULPS")) {
        SPE_MATH_LIST(NAME_)
    }
}

TEST(floats_within_the_bounds_of_opencl)
{
    spe_module m;
    float *x = (float *)shared(ROOM * 4), *out = (float *)shared((size_t)ROOM * UNARY * 4);
    spe_words w = unary_module(&m);
    for (int i = 0; x && i < ROOM; i++) x[i] = i < SPECIAL ? special[i] : sample(i);
    vkd_fill(&device, out, 0xaa, (size_t)ROOM * UNARY * 4);
    run(w, "unary", "ptr<f32> x, ptr<f32> y", (void *const[]){x}, 1, out);
    for (int f = 0; x && f < UNARY; f++) {
        double worst = 0;
        for (int i = 0; i < N; i++)
            check(unary[f].op, unary[f].most, &worst, x[i], 0, out[i * UNARY + f], unary[f].f((double)x[i]));
        print_worst(unary[f].op, worst);
    }
    vkd_free(&device, x), vkd_free(&device, out);
    spe_free(&m);
}

/* Pairs whose powers are inside f32, mostly. */
static void fill_pairs(float *x, float *y)
{
    for (int i = 0; i < ROOM; i++) {
        x[i] = i < SPECIAL * SPECIAL ? special[i % SPECIAL] : sample(i);
        y[i] = i < SPECIAL * SPECIAL ? special[i / SPECIAL] : sample(i / 5);
        if (i >= SPECIAL * SPECIAL && i % 3) {
            x[i] = fabsf(x[i]);
            y[i] = (float)((2 * test_uniform() - 1) * 126 / fabs(log2(x[i])));
        }
    }
}

TEST(floats_of_two_arguments)
{
    spe_module m;
    float *x = (float *)shared(ROOM * 4), *y = (float *)shared(ROOM * 4);
    float *out = (float *)shared((size_t)ROOM * BINARY * 4);
    spe_words w = binary_module(&m);
    if (x && y) fill_pairs(x, y);
    vkd_fill(&device, out, 0xaa, (size_t)ROOM * BINARY * 4);
    run(w, "binary", "ptr<f32> x, ptr<f32> y, ptr<f32> z", (void *const[]){x, y}, 2, out);
    for (int f = 0; out && f < BINARY; f++) {
        double worst = 0;
        for (int i = 0; i < N; i++)
            check(binary[f].op, binary[f].most, &worst, x[i], (double)y[i], out[i * BINARY + f],
                  binary[f].f((double)x[i], (double)y[i]));
        print_worst(binary[f].op, worst);
    }
    vkd_free(&device, x), vkd_free(&device, y), vkd_free(&device, out);
    spe_free(&m);
}

TEST(floats_and_integers)
{
    static const int32_t some[] = {0, 1, -1, 2, -2, 3, -3, 7, 10, -10, 127, -127, 128, 300, -300, INT32_MAX, INT32_MIN,
                                   16777217, -16777217, 1000001};
    enum { SOME = sizeof some / sizeof *some };
    spe_module m;
    float *x = (float *)shared(ROOM * 4), *out = (float *)shared((size_t)ROOM * BY_INTEGER * 4);
    int32_t *n = (int32_t *)shared(ROOM * 4);
    spe_words w = by_integer_module(&m);
    for (int i = 0; x && n && i < ROOM; i++) {
        x[i] = i < SPECIAL * SOME ? special[i % SPECIAL] : sample(i);
        n[i] = i < SPECIAL * SOME ? some[i / SPECIAL] : (int32_t)(200 * test_uniform() - 100);
        if (i >= SPECIAL * SOME && i % 4 == 0) n[i] = (int32_t)(126 / fmax(fabs(log2(fabs((double)x[i]))), 1e-6));
    }
    vkd_fill(&device, out, 0xaa, (size_t)ROOM * BY_INTEGER * 4);
    run(w, "by_integer", "ptr<f32> x, ptr<f32> n, ptr<f32> z", (void *const[]){x, n}, 2, out);
    for (int f = 0; out && f < BY_INTEGER; f++) {
        double worst = 0;
        for (int i = 0; i < N; i++)
            check(by_integer[f].op, by_integer[f].most, &worst, x[i], n[i], out[i * BY_INTEGER + f],
                  by_integer[f].f((double)x[i], n[i]));
        print_worst(by_integer[f].op, worst);
    }
    vkd_free(&device, x), vkd_free(&device, n), vkd_free(&device, out);
    spe_free(&m);
}

static int64_t integer_at(const void *p, int i, int bits, bool is_signed)
{
    if (bits == 8) return is_signed ? ((const int8_t *)p)[i] : ((const uint8_t *)p)[i];
    if (bits == 16) return is_signed ? ((const int16_t *)p)[i] : ((const uint16_t *)p)[i];
    return is_signed ? (int64_t)((const int32_t *)p)[i] : (int64_t)((const uint32_t *)p)[i];
}

TEST(integers_exactly)
{
    for (int bits = 8; bits <= 32; bits *= 2) {
        spe_module m;
        char name[32], params[128];
        size_t size = (size_t)bits / 8;
        uint8_t *in[3], *out = (uint8_t *)shared((size_t)ROOM * INTEGERS * size);
        spe_words w = integers_module(&m, bits);
        for (int k = 0; k < 3; k++) {
            in[k] = (uint8_t *)shared(ROOM * size);
            for (size_t b = 0; in[k] && b < ROOM * size; b++) { /* a third are at the limits */
                uint64_t r = test_random();
                in[k][b] = (uint8_t)(r % 3 ? r >> 8 : r & 64 ? 0 : b % size == size - 1 && (r & 32) ? 0x7f : 0xff);
            }
        }
        vkd_fill(&device, out, 0xaa, (size_t)ROOM * INTEGERS * size);
        snprintf(name, sizeof name, "integers_%d", bits);
        snprintf(params, sizeof params, "ptr<i%d> a, ptr<i%d> b, ptr<i%d> c, ptr<i%d> d", bits, bits, bits, bits);
        run(w, name, params, (void *const[]){in[0], in[1], in[2]}, 3, out);
        for (int i = 0; out && i < N * INTEGERS; i++) {
            bool is_signed = integers[i % INTEGERS].is_signed;
            int64_t a[3];
            for (int k = 0; k < 3; k++) a[k] = integer_at(in[k], i / INTEGERS, bits, is_signed);
            int64_t want = of_integers(integers[i % INTEGERS].op, a, bits), got = integer_at(out, i, bits, is_signed);
            uint64_t mask = ((uint64_t)1 << bits) - 1;
            CHECK_MSG(((uint64_t)got & mask) == ((uint64_t)want & mask), "function %d of %d bits of %lld, %lld, %lld: "
                      "%lld, not %lld", (int)integers[i % INTEGERS].op, bits, (long long)a[0], (long long)a[1],
                      (long long)a[2], (long long)got, (long long)want);
        }
        for (int k = 0; k < 3; k++) vkd_free(&device, in[k]);
        vkd_free(&device, out);
        spe_free(&m);
    }
}

TEST(halves_are_rounded)
{
    enum { EACH = WAYS + VECTOR_WAYS };
    spe_module m;
    spe_words w = halves_module(&m);
    float *x = (float *)shared(ROOM * 4), *out = (float *)shared(ROOM * EACH * 4);
    for (int i = 0; x && i < ROOM; i++) x[i] = (float)ldexp(test_normal(), (int)(test_random() % 36) - 24);
    vkd_fill(&device, out, 0xaa, ROOM * EACH * 4);
    run(w, "halves", "ptr<f32> x, ptr<f32> y", (void *const[]){x}, 1, out);
    for (int i = 0; x && i < N * EACH; i++) {
        float want = spe_f16_bits_to_f32(spe_f32_to_f16_bits(x[i / EACH]));
        CHECK_MSG(out[i] == want, "%a is %a, not %a, by way %d", (double)x[i / EACH], (double)out[i], (double)want,
                  i % EACH);
    }
    vkd_free(&device, x), vkd_free(&device, out);
    spe_free(&m);
}

/* Beside each number halfway between two of f16, and at random: rounded in f32 first, these would be halfway. */
TEST(doubles_are_rounded_once)
{
    spe_module m;
    spe_words w = narrowing_module(&m);
    double *x = (double *)shared(ROOM * 8);
    uint64_t *out = (uint64_t *)shared(ROOM * 8);
    for (int i = 0; x && i < ROOM; i++) {
        double half = ldexp(2049 + 2 * (double)(test_random() % 1024), (int)(test_random() % 44) - 37);
        double off = (i % 3 - 1) * ldexp(half, -30 - (int)(test_random() % 20));
        x[i] = (i & 1 ? -1 : 1) * (i % 5 ? half + off : pow(10, 12 * test_uniform() - 7));
    }
    if (x) x[0] = NAN, x[1] = INFINITY, x[2] = -INFINITY, x[3] = -0.0, x[4] = 1e300, x[5] = -1e-300, x[6] = 65519.99;
    vkd_fill(&device, out, 0xaa, ROOM * 8);
    run(w, "narrowing", "ptr<i64> x, ptr<i64> y", (void *const[]){x}, 1, out);
    for (int i = 0; x && i < N; i++) {
        int exponent;
        double got = (double)spe_f16_bits_to_f32((uint16_t)out[i]), place;
        frexp(x[i], &exponent);
        place = ldexp(1, (exponent < -13 ? -13 : exponent) - 11);
        double want = isfinite(x[i]) ? nearbyint(x[i] / place) * place : x[i];
        if (fabs(want) > 65504) want = copysign(INFINITY, want);
        bool same = isnan(want) ? isnan(got) : got == want && !signbit(got) == !signbit(want);
        CHECK_MSG(same && out[i] >> 16 == 0, "%a is %a in f16, not %a", x[i], got, want);
    }
    vkd_free(&device, x), vkd_free(&device, out);
    spe_free(&m);
}
#endif

int main(void)
{
    RUN(modules_are_made);
    RUN(computed_halves_are_rounded_again);
    RUN(functions_that_are_missing_say_so);
#if defined(HAVE_VULKAN)
    if (vkd_open(&device, NULL)) {
        RUN(floats_within_the_bounds_of_opencl);
        RUN(floats_of_two_arguments);
        RUN(floats_and_integers);
        RUN(integers_exactly);
        RUN(halves_are_rounded);
        if (device.target.fp64 && device.target.int64) RUN(doubles_are_rounded_once);
        vkd_close(&device);
        return test_report();
    }
    printf("skipped functions on a device: %s\n", vkd_get_error(&device)->text);
#else
    printf("skipped functions on a device: Vulkan's headers are missing\n");
#endif
    test_.skipped++;
    return test_report();
}
