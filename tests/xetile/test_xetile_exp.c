/* test_xetile_exp.c - XT_EXP and XT_LOG2 of f32 within the three units in the last place that OpenCL allows, from the
 * least subnormal number to the largest, and beyond: infinities, zeros, NaN; XT_LOG2 of all f16. For Intel's devices
 * they are written out: modules for bmg run on the software device, too, and XETILE_SOFT_ISA=bmg executes them as
 * machine code. */
#include "xetile_case.h"

enum { COLUMNS = 256, GROUPS = 64, COUNT = COLUMNS * GROUPS };

XT_KERNEL(exponential, ptr(f32, A), ptr(f32, C))
{
    xt_index at = XT_AT(0, XT_MUL(XT_GROUP_ID(0), COLUMNS)), all = XT_AT(1, COUNT);
    xt_vec v = XT_LOAD_TILE(XT_INIT_TILE(A, f32, 1, COLUMNS, .offset = at, .shape = all));
    XT_STORE_TILE(XT_EXP(v), XT_INIT_TILE(C, f32, 1, COLUMNS, .offset = at, .shape = all));
}

/* Where the two parts of a result are about to become infinite, 0 or subnormal; huge arguments; then random ones. */
static void fill(float *a)
{
    static const float some[] = {0, -0.0f, INFINITY, -INFINITY, NAN, 88.7228317f, 88.7228394f, 88.73f, -87.3365479f,
                                 -87.34f, -103.2789f, -103.9720764f, -103.9721f, -104, -105, -106, 104, 105, 106, 126,
                                 127, 128, 150, -150, 1e10f, -1e10f, 3e38f, -3e38f, 1e-38f, -1e-45f, 0.69314718f};
    enum { SOME = sizeof some / sizeof some[0] };
    for (int i = 0; i < COUNT; i++)
        a[i] = i < SOME ? some[i] : (float)(i % 4 ? (double)(test_random() % 400000) / 1000 - 200 : test_normal());
}

TEST(exponentials_are_exact_to_three_units)
{
    float *a = (float *)new_poison(CM_F32, COUNT), *c = (float *)new_poison(CM_F32, COUNT);
    int wrong = 0;
    fill(a);
    if (RUN_KERNEL(exponential, &variants[0], ((zed_groups){GROUPS, 1, 1}), ZED_ARG(a), ZED_ARG(c)))
        for (int i = 0; i < COUNT; i++) {
            double want = exp((double)a[i]), unit = fmax(ldexp(1, ilogb(fmin(fmax(want, 1e-40), 1e38)) - 23), 0x1p-149);
            bool beyond = want > 0x1.ffffffp127; /* three units below, it may be infinite */
            bool good = isnan(want) ? isnan(c[i]) : beyond ? c[i] > 0x1.fffff8p127f
                        : fabs((double)c[i] - want) <= 3 * unit || (want > 0x1.fffff8p127 && isinf(c[i]));
            if (!good && wrong++ < 4)
                CHECK_MSG(good, "exp(%a) is %a, want %a", (double)a[i], (double)c[i], want);
        }
    CHECK_INT(wrong, 0);
    zed_free(&device, a);
    zed_free(&device, c);
}

XT_KERNEL(logarithm, ptr(f32, A), ptr(f32, C))
{
    xt_index at = XT_AT(0, XT_MUL(XT_GROUP_ID(0), COLUMNS)), all = XT_AT(1, COUNT);
    xt_vec v = XT_LOAD_TILE(XT_INIT_TILE(A, f32, 1, COLUMNS, .offset = at, .shape = all));
    XT_STORE_TILE(XT_LOG2(v), XT_INIT_TILE(C, f32, 1, COLUMNS, .offset = at, .shape = all));
}

/* All powers of two, numbers next to 1, those without a logarithm; then random bits, of which one in four is near 1. */
static void fill_positive(float *a)
{
    static const float some[] = {0, -0.0f, INFINITY, -INFINITY, NAN, -1, -1e-40f, -3e38f, 0x1.fffffep127f,
                                 0x1.fffffep-1f, 0x1.000002p0f, 0x1.6a09e4p-1f, 0x1.6a09e6p-1f, 0x1.6a09e8p-1f,
                                 0x1.6a09e6p0f, 0x1.6a09e8p0f, 0x1.fffffcp-127f, 0x1p-126f, 3e-45f};
    enum { SOME = sizeof some / sizeof some[0], POWERS = 277 };
    for (int i = 0; i < COUNT; i++) {
        uint32_t bits = (uint32_t)(test_random() % 0x7f800000);
        memcpy(&a[i], &bits, sizeof bits);
        if (i % 4 == 0) a[i] = (float)exp(test_normal() * exp(-10 * test_uniform()));
        if (i < SOME + POWERS) a[i] = i < SOME ? some[i] : ldexpf(1, i - SOME - 149);
    }
}

static void check_logarithms(const float *a, const float *c)
{
    int wrong = 0, e;
    for (int i = 0; i < COUNT; i++) {
        double want = log2((double)a[i]), unit = want == 0 || isinf(want) ? 0 : ldexp(1, ilogb(want) - 23);
        bool power = a[i] > 0 && !isinf(a[i]) && frexpf(a[i], &e) == 0.5f;
        bool good = isnan(want) ? isnan(c[i]) : c[i] == want || (!power && fabs((double)c[i] - want) <= 3 * unit);
        if (!good && wrong++ < 4) CHECK_MSG(good, "log2(%a) is %a, want %a", (double)a[i], (double)c[i], want);
    }
    CHECK_INT(wrong, 0);
}

TEST(logarithms_are_exact_to_three_units)
{
    float *a = (float *)new_poison(CM_F32, COUNT), *c = (float *)new_poison(CM_F32, COUNT);
    fill_positive(a);
    if (RUN_KERNEL(logarithm, &variants[0], ((zed_groups){GROUPS, 1, 1}), ZED_ARG(a), ZED_ARG(c)))
        check_logarithms(a, c);
    zed_free(&device, a);
    zed_free(&device, c);
}

TEST(logarithms_written_for_bmg)
{
    float *a = (float *)new_poison(CM_F32, COUNT), *c = (float *)new_poison(CM_F32, COUNT);
    xt_module mod = XT_BUILD(logarithm, &(xt_target){.name = "bmg"});
    zed_kernel k;
    fill_positive(a);
    CHECK(mod.words && ZED_LOAD(&k, &device, mod) && zed_launch(&k, ((zed_groups){GROUPS, 1, 1}), a, c));
    check_logarithms(a, c);
    xt_free(&mod);
    zed_free(&device, a);
    zed_free(&device, c);
}

/* Of all patterns of f16, within the two units in the last place that OpenCL allows. */
enum { HALVES = 1 << 16 };
XT_KERNEL(logarithm_f16, ptr(f16, A), ptr(f16, C))
{
    xt_index at = XT_AT(0, XT_MUL(XT_GROUP_ID(0), COLUMNS)), all = XT_AT(1, HALVES);
    xt_vec v = XT_LOAD_TILE(XT_INIT_TILE(A, f16, 1, COLUMNS, .offset = at, .shape = all));
    XT_STORE_TILE(XT_LOG2(v), XT_INIT_TILE(C, f16, 1, COLUMNS, .offset = at, .shape = all));
}

static void check_logarithms_of_f16(const char *target)
{
    uint16_t *a = (uint16_t *)new_poison(CM_F16, HALVES), *c = (uint16_t *)new_poison(CM_F16, HALVES);
    xt_module mod = XT_BUILD(logarithm_f16, &(xt_target){.name = target});
    zed_kernel k;
    int wrong = 0;
    for (int i = 0; i < HALVES; i++) a[i] = (uint16_t)i;
    CHECK(mod.words && ZED_LOAD(&k, &device, mod) && zed_launch(&k, ((zed_groups){HALVES / COLUMNS, 1, 1}), a, c));
    for (int i = 0; i < HALVES; i++) {
        double x = spe_f16_bits_to_f32(a[i]), got = spe_f16_bits_to_f32(c[i]), want = log2(x);
        double unit = isfinite(want) && want != 0 ? ldexp(1, ilogb(want) - 10) : 0;
        bool good = isnan(want) ? isnan(got) : got == want || fabs(got - want) <= 2 * unit;
        if (!good && wrong++ < 4) CHECK_MSG(good, "log2(%a) is %a, want %a", x, got, want);
    }
    CHECK_INT(wrong, 0);
    xt_free(&mod);
    zed_free(&device, a);
    zed_free(&device, c);
}

TEST(logarithms_of_all_f16)
{
    check_logarithms_of_f16(device.target.name);
    if (!strcmp(device.target.name, "soft")) check_logarithms_of_f16("bmg");
}

int main(void)
{
    if (!zed_open(&device, NULL)) return zed_print_error(&device, stderr), 1;
    RUN(exponentials_are_exact_to_three_units);
    RUN(logarithms_are_exact_to_three_units);
    if (!strcmp(device.target.name, "soft")) RUN(logarithms_written_for_bmg);
    RUN(logarithms_of_all_f16);
    zed_close(&device);
    return test_report();
}
