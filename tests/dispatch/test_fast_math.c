/* test_fast_math.c - this file, with the bodies of all headers, is compiled with -O2 -ffast-math: the compiler assumes
 * that there are no infinities and NaNs, and the program starts with subnormal numbers flushed to 0. In that state and
 * in the others, constants, tables, paddings, folded constants and arguments have the bits they have otherwise. All is
 * compared as integers: floating comparisons of this file mean nothing. */
#undef XETILE_DECLARATIONS
#include "coopvec.h"
#include "xetile.h"
#include "ze_dispatch.h"

#include "floating_modes.h"

static zed_device device;

static float f32_of(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static double f64_of(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* ---- the reference, in integers: positive doubles are in the order of their bits, and the point halfway between two
 * numbers of a format is a number of the format with one more bit */

typedef struct {
    const char *name;
    int exponent, mantissa; /* bits */
    uint32_t finite;        /* the first pattern that is not */
} format;

static const format f32 = {"f32", 8, 23, 0x7f800000}, f16 = {"f16", 5, 10, 0x7c00}, bf16 = {"bf16", 8, 7, 0x7f80},
                    e4m3 = {"e4m3", 4, 3, 0x7f}, e5m2 = {"e5m2", 5, 2, 0x7c}, tf32 = {"tf32", 8, 10, 0x3fc00};

static uint64_t double_of(const format *f, int more_bits, uint64_t pattern)
{
    int mantissa = f->mantissa + more_bits, e = (int)(pattern >> mantissa);
    uint64_t m = pattern & (((uint64_t)1 << mantissa) - 1);
    if (!e && !m) return 0;
    if (!e) {
        for (e = 1; !(m >> mantissa); e--) m <<= 1;
        m &= ((uint64_t)1 << mantissa) - 1;
    }
    return (uint64_t)(e - ((1 << (f->exponent - 1)) - 1) + 1023) << 52 | m << (52 - mantissa);
}

/* Any double but NaN, rounded to nearest even. */
static uint32_t rounded(const format *f, uint64_t bits)
{
    uint64_t size = bits << 1 >> 1, low = 0, high = f->finite;
    uint32_t sign = (uint32_t)(bits >> 63) << (f->exponent + f->mantissa);
    while (high - low > 1) {
        uint64_t middle = (low + high) / 2;
        if (double_of(f, 0, middle) <= size)
            low = middle;
        else
            high = middle;
    }
    uint64_t half = double_of(f, 1, 2 * low + 1);
    return sign | (uint32_t)(size > half || (size == half && (low & 1)) ? high : low);
}

static uint32_t of_f32(const format *f, uint32_t bits)
{
    uint64_t infinity = (uint64_t)0x7ff << 52;
    uint64_t size = (bits & 0x7fffffff) == 0x7f800000 ? infinity : double_of(&f32, 0, bits & 0x7fffffff);
    return rounded(f, (uint64_t)(bits >> 31) << 63 | size);
}

/* ---- conversions */

static uint32_t any_f32(const format *f)
{
    uint64_t r = test_random();
    uint32_t bits = (uint32_t)r, sign = bits & 0x80000000, cut = 23 - (uint32_t)f->mantissa;
    switch (r >> 32 & 3) {
    case 0: break;
    case 1: /* about halfway between two numbers */
        bits = (bits >> cut << cut) + (1u << (cut - 1)) + (uint32_t)(r >> 34 & 3) - 1;
        break;
    case 2: return sign | (bits & 0xffffff); /* subnormal, or nearly */
    default: bits = (127 - 20 + (uint32_t)(r >> 34) % 40) << 23 | (bits & 0x7fffff);
    }
    bits = (bits & 0x7fffffff) > 0x7f800000 ? 0x7f800000 : bits;
    return sign | (bits & 0x7fffffff);
}

static uint32_t converted(const format *f, float v)
{
    uint32_t word;
    if (f == &f16) return spe_f32_to_f16_bits(v);
    if (f == &bf16) return spe_f32_to_bf16_bits(v);
    if (f == &e4m3) return spe_f32_to_e4m3_bits(v, false);
    if (f == &e5m2) return spe_f32_to_e5m2_bits(v, false);
    v = spe_f32_to_tf32(v);
    memcpy(&word, &v, sizeof word);
    return word >> 13;
}

TEST(conversions)
{
    static const format *const formats[] = {&f16, &bf16, &e4m3, &e5m2, &tf32};
    for (int mode = 0; mode < MODES; mode++)
        for (int k = 0; k < 5; k++)
            for (int i = 0; i < 20000; i++) {
                uint32_t bits = any_f32(formats[k]), want = of_f32(formats[k], bits);
                mode_set(mode);
                uint32_t got = converted(formats[k], f32_of(bits));
                mode_set(MODE_DEFAULT);
                CHECK_MSG(got == want, "%s: f32 %08x as %s is %x, want %x", mode_name(mode), (unsigned)bits,
                          formats[k]->name, (unsigned)got, (unsigned)want);
            }
}

/* ---- arguments */

XT_KERNEL(keep_arguments, ptr(u32, O), ptr(u16, P), ptr(u64, Q), f32(a), f16(b), bf16(c), f64(d))
{
    XT_STORE(XT_BITCAST(u32, a), O, 0);
    XT_STORE(XT_BITCAST(u16, b), P, 0);
    XT_STORE(XT_BITCAST(u16, c), P, 1);
    XT_STORE(XT_BITCAST(u64, d), Q, 0);
}

static bool load(zed_kernel *k, xt_module mod)
{
    CHECK_MSG(mod.words != NULL, "%s", mod.error->text);
    return mod.words && ZED_LOAD(k, &device, mod);
}

TEST(arguments)
{
    static const uint32_t values[] = {0x00000001, 0x00080000, 0x007fffff, 0x00800000, 0x80000000,
                                      0x80000123, 0x7f800000, 0xff800000, 0x33000000, 0x33000001,
                                      0x477fe000, 0x3f803000, 0x3f801000, 0x7f7f0000};
    static const uint64_t wide[] = {0x0000000000000001, 0x8008000000000000, 0x36a0000000000000, 0x3690000000000001,
                                    0x7ff0000000000000, 0x3fb999999999999a, 0x47efffffefffffff, 0x47efffffe0000001};
    uint32_t *o = (uint32_t *)zed_alloc(&device, ZED_SHARED, 64, 0);
    uint16_t *p = (uint16_t *)zed_alloc(&device, ZED_SHARED, 64, 0);
    uint64_t *q = (uint64_t *)zed_alloc(&device, ZED_SHARED, 64, 0);
    zed_kernel k;
    xt_module mod = XT_BUILD(keep_arguments, &(xt_target){ZED_TARGET(&device)});
    if (!load(&k, mod)) return;
    xt_free(&mod);
    for (int mode = 0; mode < MODES; mode++) {
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            volatile float v = f32_of(values[i]);
            volatile double d = f64_of(wide[i % 8]);
            bool narrow = (of_f32(&f16, values[i]) & 0x7fff) < 0x7c00 || (values[i] & 0x7fffffff) == 0x7f800000;
            memset(o, 0xee, 64), memset(p, 0xee, 64), memset(q, 0xee, 64);
            mode_set(mode);
            bool ran = narrow ? zed_launch(&k, (zed_groups){1, 1, 1}, o, p, q, v, v, v, d)
                              : zed_launch(&k, (zed_groups){1, 1, 1}, o, p, q, v, 1.0f, v, d);
            mode_set(MODE_DEFAULT);
            CHECK(ran);
            CHECK_MSG(o[0] == values[i], "%s: f32 %08x is %08x", mode_name(mode), (unsigned)values[i], (unsigned)o[0]);
            CHECK_INT(p[0], narrow ? of_f32(&f16, values[i]) : 0x3c00);
            CHECK_INT(p[1], of_f32(&bf16, values[i]));
            CHECK_INT(q[0], wide[i % 8]);
        }
        for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) { /* doubles for an f32 */
            volatile double d = f64_of(wide[i]);
            bool fits = wide[i] >> 52 == 0x7ff || rounded(&f32, wide[i]) < 0x7f800000u || wide[i] >> 63;
            o[0] = 0xeeeeeeee;
            mode_set(mode);
            bool ran = zed_launch(&k, (zed_groups){1, 1, 1}, o, p, q, d, 1.0f, 1.0f, 1.0);
            mode_set(MODE_DEFAULT);
            CHECK_INT(ran, fits);
            CHECK_MSG(o[0] == (fits ? rounded(&f32, wide[i]) : 0xeeeeeeee), "%s: f64 %016llx as f32 is %08x",
                      mode_name(mode), (unsigned long long)wide[i], (unsigned)o[0]);
            zed_clear_error(&device);
        }
    }
    zed_free(&device, o), zed_free(&device, p), zed_free(&device, q);
}

/* ---- constants: every mode gives the same words, and they are right */

/* Set in the mode, not known to the compiler. */
static volatile float tiny_f32;
static volatile double tiny, infinite, third;

XT_KERNEL(constants, ptr(u32, O), ptr(u16, H), ptr(f32, X))
{
    xt_val at = XT_LOAD(O, 15); /* 0, known to the kernel only: what follows is no constant */
    xt_val zero = XT_MUL(XT_CAST(f32, at), 0.0);
    XT_STORE(XT_BITCAST(u32, XT_ADD(zero, tiny_f32)), O, 0);
    XT_STORE(XT_BITCAST(u32, XT_ADD(zero, tiny)), O, 1);
    XT_STORE(XT_BITCAST(u32, XT_MAX(zero, tiny)), O, 2);
    XT_STORE(XT_BITCAST(u32, XT_ADD(zero, XT_MUL(XT_MUL(tiny, tiny), XT_DIV(1, XT_MUL(tiny, 0x1p60))))), O, 3);
    XT_STORE(XT_BITCAST(u32, XT_ADD(zero, XT_DIV(1, third))), O, 4);
    XT_STORE(XT_BITCAST(u32, XT_ADD(zero, XT_SUB(1, XT_MUL(0x1p-25, third)))), O, 5);
    XT_STORE(XT_BITCAST(u32, XT_MIN(zero, XT_SUB(0.0, infinite))), O, 6);
    XT_STORE(XT_SELECT(XT_GT(XT_ADD(at, tiny > 0 ? 1 : 1), XT_SELECT(XT_GT(infinite, 0x1p1000), 0, 9)), 1, 2), O, 7);
    XT_STORE(XT_CAST(u32, XT_ADD(0.0, third)), O, 8);
    XT_STORE(XT_BITCAST(u16, XT_ADD(XT_CAST(f16, zero), 0x1p-24)), H, 0);
    XT_STORE(XT_BITCAST(u16, XT_ADD(XT_CAST(f16, zero), 0x1.002p0)), H, 1);
    float table[] = {tiny_f32, f32_of(0x7f800000), f32_of(0xff800000), f32_of(0x80000001)};
    XT_STORE_TILE(XT_TABLE(f32, 1, 4, table), XT_INIT_TILE(X, f32, 1, 4, .shape = XT_AT(1, 4)));
    xt_vec padded = XT_LOAD_TILE(XT_INIT_TILE(X, f32, 1, 16, .shape = XT_AT(1, 4)), .padding = -infinite);
    XT_STORE_TILE(XT_REDUCTION(maxnumf, XT_SLICE(padded, 0, 8, 1, 8), 1),
                  XT_INIT_TILE(X, f32, 1, 1, .offset = XT_AT(0, 8), .shape = XT_AT(1, 9)));
    XT_STORE_TILE(XT_SPLAT(f32, 1, 1, tiny), XT_INIT_TILE(X, f32, 1, 1, .offset = XT_AT(0, 9), .shape = XT_AT(1, 10)));
}

static xt_module build_in(int mode)
{
    mode_set(mode);
    tiny_f32 = f32_of(0x00000200), tiny = f64_of((uint64_t)(1023 - 140) << 52), third = f64_of((uint64_t)0x4008 << 48);
    infinite = f64_of((uint64_t)0x7ff << 52);
    xt_module mod = XT_BUILD(constants, &(xt_target){ZED_TARGET(&device)});
    mode_set(MODE_DEFAULT);
    return mod;
}

TEST(constants_of_tiles)
{
    static const uint32_t want[] = {0x200, 0x200, 0x200, 0, 0x3eaaaaab, 0x3f7ffffe, 0xff800000, 1, 3};
    static const uint32_t want_x[] = {0x200, 0x7f800000, 0xff800000, 0x80000001};
    uint32_t *o = (uint32_t *)zed_alloc(&device, ZED_SHARED, 64, 0),
             *x = (uint32_t *)zed_alloc(&device, ZED_SHARED, 64, 0);
    uint16_t *h = (uint16_t *)zed_alloc(&device, ZED_SHARED, 64, 0);
    xt_module mod = build_in(MODE_DEFAULT);
    zed_kernel k;
    test_save_spv("fast_math_constants", mod.words, mod.size);
    if (!load(&k, mod)) return;
    for (int mode = 1; mode < MODES; mode++) {
        xt_module other = build_in(mode);
        CHECK_MSG(other.words && other.size == mod.size && !memcmp(other.words, mod.words, mod.size),
                  "%s: the module differs", mode_name(mode));
        xt_free(&other);
    }
    memset(o, 0xee, 64), memset(h, 0xee, 64), memset(x, 0xee, 64);
    o[15] = 0;
    CHECK(zed_launch(&k, (zed_groups){1, 1, 1}, o, h, (float *)x));
    for (int i = 0; i < 9; i++)
        CHECK_MSG(o[i] == want[i], "O[%d] is %08x, want %08x", i, (unsigned)o[i], (unsigned)want[i]);
    for (int i = 0; i < 4; i++) CHECK_MSG(x[i] == want_x[i], "X[%d] is %08x", i, (unsigned)x[i]);
    CHECK_INT(x[8], 0xff800000);
    CHECK_INT(x[9], 0x200);
    CHECK_INT(h[0], 1);
    CHECK_INT(h[1], 0x3c00); /* 1 + 2^-11 is halfway: to even */
    xt_free(&mod);
    zed_free(&device, o), zed_free(&device, h), zed_free(&device, x);
}

/* ---- constants of cooperative vectors */

CV_KERNEL(constant_vectors, ptr(f32, X), ptr(f16, H), f32(v))
{
    CV_STORE(CV_SPLAT(f32, 1, tiny), X, 0);
    CV_STORE(CV_SPLAT(f32, 1, tiny_f32), X, 1);
    CV_STORE(CV_SPLAT(f16, 4, -infinite), H, 0);
    CV_STORE(CV_CAST(f16, CV_SPLAT(f32, 4, v)), H, 4);
}

TEST(constants_of_vectors)
{
    uint32_t *x = (uint32_t *)zed_alloc(&device, ZED_SHARED, 64, 0);
    uint16_t *h = (uint16_t *)zed_alloc(&device, ZED_SHARED, 64, 0);
    cv_module mod[MODES];
    zed_kernel k;
    xt_module unused = build_in(MODE_DEFAULT); /* sets the constants */
    xt_free(&unused);
    for (int mode = 0; mode < MODES; mode++) {
        mode_set(mode);
        mod[mode] = CV_BUILD(constant_vectors, &(cv_target){ZED_TARGET(&device)}, .local_size = 16);
        mode_set(MODE_DEFAULT);
        CHECK_MSG(mod[mode].words && mod[mode].size == mod[0].size &&
                      !memcmp(mod[mode].words, mod[0].words, mod[0].size),
                  "%s: %s", mode_name(mode), mod[mode].words ? "the module differs" : mod[mode].error->text);
    }
    if (mod[0].words && ZED_LOAD(&k, &device, mod[0])) {
        memset(x, 0xee, 64), memset(h, 0xee, 64);
        volatile float v = f32_of(0x00000001);
        mode_set(MODE_FLUSH);
        bool ran = zed_launch(&k, (zed_groups){1, 1, 1}, (float *)x, h, v);
        mode_set(MODE_DEFAULT);
        CHECK(ran);
        CHECK_INT(x[0], 0x200);
        CHECK_INT(x[1], 0x200);
        CHECK_INT(h[0], 0xfc00);
        CHECK_INT(h[4], 0);
    }
    for (int mode = 0; mode < MODES; mode++) cv_free(&mod[mode]);
    zed_free(&device, x), zed_free(&device, h);
}

/* ---- what does not fit is refused, whatever the compiler assumes */

static volatile double padding;
XT_KERNEL(pads_halves, ptr(f16, X))
{
    xt_tile t = XT_INIT_TILE(X, f16, 1, 16, .shape = XT_AT(1, 4));
    XT_STORE_TILE(XT_LOAD_TILE(t, .padding = padding), t);
}
XT_KERNEL(pads_integers, ptr(i32, X))
{
    xt_tile t = XT_INIT_TILE(X, i32, 1, 16, .shape = XT_AT(1, 4));
    XT_STORE_TILE(XT_LOAD_TILE(t, .padding = padding), t);
}

TEST(refusals)
{
    static const struct {
        uint64_t bits;
        bool half, whole;
    } rows[] = {{0x40effc0000000000, true, true} /* 65504 */,
                {0x40effdffffffffff, true, false},
                {0x40effe0000000000, false, true} /* 65520 */,
                {0x7fefffffffffffff, false, false},
                {0x7ff0000000000000, true, false} /* infinity */,
                {0x7ff8000000000000, true, false} /* NaN */,
                {0x0000000000000001, true, false},
                {0x3fe0000000000000, true, false} /* 0.5 */,
                {0xc1e0000000000000, false, true} /* -2^31 */,
                {0xc1e0000000200000, false, false},
                {0x41e0000000000000, false, false} /* 2^31 */,
                {0x8000000000000000, true, true} /* -0.0 */};
    for (int mode = 0; mode < MODES; mode++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            padding = f64_of(rows[i].bits);
            mode_set(mode);
            xt_module a = XT_BUILD(pads_halves, &(xt_target){ZED_TARGET(&device)});
            xt_module b = XT_BUILD(pads_integers, &(xt_target){ZED_TARGET(&device)});
            mode_set(MODE_DEFAULT);
            CHECK_MSG((a.words != NULL) == rows[i].half, "%s: padding %016llx of f16", mode_name(mode),
                      (unsigned long long)rows[i].bits);
            CHECK_MSG((b.words != NULL) == rows[i].whole, "%s: padding %016llx of i32", mode_name(mode),
                      (unsigned long long)rows[i].bits);
            xt_free(&a), xt_free(&b);
        }
}

/* ---- matrices of coopvec.h that the host converts */

TEST(matrices_converted_on_the_host)
{
    enum { N = 64 };
    static uint32_t from[N];
    _Alignas(128) static uint16_t to[N];
    for (int mode = 0; mode < MODES; mode++) {
        cv_conversion_info info = {
            .dest_info = {.dest_layout = CV_ROW_MAJOR,
                          .dest_data_type = CV_F16,
                          .num_rows = 1,
                          .num_columns = N,
                          .dest_stride = N * 2,
                          .dest_size = N * 2},
            .src_info = {.src_layout = CV_ROW_MAJOR, .src_data_type = CV_F32, .src_stride = N * 4, .src_size = N * 4},
            .data_desc = {.dest = to, .src = from}};
        spe_error error;
        for (int i = 0; i < N; i++) from[i] = i < 4 ? 0x33000001u << (i & 1) | (uint32_t)i << 30 : any_f32(&f16);
        memset(to, 0xee, sizeof to);
        mode_set(mode);
        bool good = cv_convert_matrix(&info, 1, &error);
        mode_set(MODE_DEFAULT);
        CHECK_MSG(good, "%s", error.text);
        for (int i = 0; i < N; i++)
            CHECK_MSG(to[i] == of_f32(&f16, from[i]), "%s: f32 %08x is f16 %04x", mode_name(mode), (unsigned)from[i],
                      to[i]);
    }
}

int main(void)
{
#if defined(__x86_64__)
    bool flushes = (__builtin_ia32_stmxcsr() & 0x8040) == 0x8040;
    printf("started %s flushing subnormals\n", flushes ? "with" : "without");
#endif
    if (!zed_open(&device, NULL)) return zed_print_error(&device, stdout), 1; /* in that state */
    mode_set(MODE_DEFAULT);
    RUN(conversions);
    RUN(arguments);
    RUN(constants_of_tiles);
    RUN(constants_of_vectors);
    RUN(refusals);
    RUN(matrices_converted_on_the_host);
    zed_close(&device);
    return test_report();
}
