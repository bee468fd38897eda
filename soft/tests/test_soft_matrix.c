/* test_soft_matrix.c - c/prelude_matrix.h, which precedes every kernel, compiled as plain C: small floats against
 * tables, products against f64 and exact integers, blocks against element-by-element arithmetic.
 */
#include "test.h"

/* Generated kernels are compiled without warnings: the prelude's macros serve all widths, and some say the obvious. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include "abi.h"
#include "c/prelude.h"

#include <float.h>

/* A small float format by its definition. */
struct format {
    const char *name;
    int exponent_bits, mantissa_bits;
    bool has_infinity;
};
static const struct format formats[] = {
    {"f16", 5, 10, true}, {"bf16", 8, 7, true}, {"e5m2", 5, 2, true}, {"e4m3", 4, 3, false}};
enum { F16, BF16, E5M2, E4M3 };

/* The value of a code; infinities as the next power of two would be, so that rounding can compare with it. */
static double decode(const struct format *f, unsigned code)
{
    int bias = (1 << (f->exponent_bits - 1)) - 1, e = (int)(code >> f->mantissa_bits);
    double m = (double)(code & ((1u << f->mantissa_bits) - 1));
    if (e == 0) return ldexp(m, 1 - bias - f->mantissa_bits);
    return ldexp(m + (1 << f->mantissa_bits), e - bias - f->mantissa_bits);
}

/* First code that is not finite. */
static unsigned first_special(const struct format *f)
{
    unsigned top = (1u << (f->exponent_bits + f->mantissa_bits)) - 1;
    return f->has_infinity ? top - ((1u << f->mantissa_bits) - 1) : top;
}

/* ---- formats of prelude_mx.h, by its numbers */

static const int mx_bits[] = {16, 16, 8, 8, 4};

static double mx_decode(int mx, unsigned code)
{
    static const struct format of_mx[] = {
        {"f16", 5, 10, true}, {"bf16", 8, 7, true}, {"e4m3", 4, 3, false}, {"e5m2", 5, 2, true}, {"e2m1", 2, 1, true}};
    const struct format *f = &of_mx[mx];
    unsigned sign = code >> (mx_bits[mx] - 1), size = code & ((1u << (mx_bits[mx] - 1)) - 1);
    double v = decode(f, size);
    if (mx != 4 && size >= first_special(f)) v = f->has_infinity && size == first_special(f) ? INFINITY : NAN;
    return sign ? -v : v;
}

static double mx_e8m0(unsigned code) { return code == 255 ? NAN : ldexp(1, (int)code - 127); }

/* Four bytes; unless `any`, neither NaN nor infinite, and of 16 bits neither large nor small. */
static uint32_t mx_random(int mx, bool any)
{
    uint32_t v = (uint32_t)test_random();
    if (any || mx == 4) return v;
    if (mx < 2) return (v & 0x8fff8fffu) | 0x30003000u;
    for (int byte = 0; byte < 32; byte += 8)
        if ((v >> byte & 0x7c) == 0x7c) v &= ~(0x40u << byte);
    return v;
}

#define S 16
#include "c/prelude_lanes.h"
#include "c/prelude_matrix.h"
#include "c/prelude_mx.h"
#include "soft_matrix_cases.inc"
#undef S
#define S 8
#include "c/prelude_lanes.h"
#include "c/prelude_matrix.h"
#include "c/prelude_mx.h"
#include "soft_matrix_cases.inc"
#undef S
#define S 32
#include "c/prelude_lanes.h"
#include "c/prelude_matrix.h"
#include "c/prelude_mx.h"
#include "soft_matrix_cases.inc"
#undef S

/* Nearest code, ties to even, by search among all of them. */
static unsigned nearest(const struct format *f, double x, bool saturate)
{
    unsigned sign = (unsigned)(signbit(x) != 0) << (f->exponent_bits + f->mantissa_bits), low = 0,
             high = first_special(f);
    double a = fabs(x);
    while (low < high) { /* the last code whose value is not above a */
        unsigned middle = (low + high + 1) / 2;
        if (decode(f, middle) <= a) low = middle;
        else high = middle - 1;
    }
    if (low < first_special(f)) {
        double down = a - decode(f, low), up = decode(f, low + 1) - a;
        if (up < down || (up == down && low % 2)) low++;
    }
    if (low >= first_special(f)) low = saturate ? first_special(f) - 1 : first_special(f);
    return sign | low;
}

static float to_f32(int which, unsigned code)
{
    switch (which) {
    case F16: return f16_to_f32((u16)code);
    case BF16: return bf16_to_f32((u16)code);
    case E5M2: return e5m2_to_f32((u8)code);
    default: return e4m3_to_f32((u8)code);
    }
}

static unsigned from_f32(int which, float x, bool saturate)
{
    switch (which) {
    case F16: return f32_to_f16(x);
    case BF16: return f32_to_bf16(x);
    case E5M2: return saturate ? f32_to_e5m2_sat(x) : f32_to_e5m2_rne(x);
    default: return saturate ? f32_to_e4m3_sat(x) : f32_to_e4m3_rne(x);
    }
}

static void check_rounding(int which, float x)
{
    bool can_saturate = which >= E5M2;
    for (int s = 0; s <= can_saturate; s++) {
        unsigned got = from_f32(which, x, s), want = nearest(&formats[which], x, s);
        CHECK_MSG(got == want, "%s of %a saturate %d: %#x, want %#x", formats[which].name, x, s, got, want);
    }
}

TEST(small_floats_decode)
{
    for (int which = 0; which < 4; which++) {
        const struct format *f = &formats[which];
        unsigned sign = 1u << (f->exponent_bits + f->mantissa_bits);
        for (unsigned code = 0; code < 2 * sign; code++) {
            float got = to_f32(which, code);
            unsigned magnitude = code & (sign - 1), special = first_special(f);
            if (magnitude < special) {
                CHECK(got == (code & sign ? -1 : 1) * decode(f, magnitude));
                CHECK((signbit(got) != 0) == (code >= sign));
                CHECK_INT(from_f32(which, got, false), code);
            } else if (f->has_infinity && magnitude == special) {
                CHECK(isinf(got) && (got < 0) == (code >= sign));
            } else {
                CHECK(isnan(got));
                CHECK(isnan(to_f32(which, from_f32(which, got, true))));
            }
        }
    }
}

TEST(small_floats_round)
{
    for (int which = 0; which < 4; which++) {
        const struct format *f = &formats[which];
        for (unsigned code = 0; code < first_special(f); code++) {
            float half = (float)((decode(f, code) + decode(f, code + 1)) / 2);
            if (isinf(half)) continue; /* bf16: past the largest f32 */
            check_rounding(which, half);
            check_rounding(which, -nextafterf(half, INFINITY));
            check_rounding(which, nextafterf(half, 0));
        }
        for (int i = 0; i < 200000; i++) {
            float x = f32_bits((u32)test_random());
            if (isfinite(x)) check_rounding(which, x);
        }
        check_rounding(which, 0.0f);
        check_rounding(which, -0.0f);
        CHECK(isnan(to_f32(which, from_f32(which, NAN, true))) && isnan(to_f32(which, from_f32(which, -NAN, false))));
    }
    CHECK_INT(f32_to_f16(INFINITY), 0x7c00);
    CHECK_INT(f32_to_e4m3_sat(-INFINITY), 0xfe);
    CHECK_INT(f32_to_e5m2_sat(INFINITY), 0x7b);
    CHECK_INT(f32_to_e5m2_rne(INFINITY), 0x7c);
}

TEST(tf32_rounds)
{
    for (int i = 0; i < 200000; i++) {
        float x = f32_bits((u32)test_random()), got = round_tf32(x);
        int e;
        if (!isfinite(x) || fabsf(x) < 0x1p-100f || fabsf(x) > 0x1p100f) continue;
        frexp(x, &e);
        CHECK(got == (float)(nearbyint(ldexp(x, 11 - e)) * ldexp(1, e - 11)));
    }
}

/* Vector forms agree with scalar ones in every lane, NaNs as NaNs. */
#define VECTOR_FORMS(N)                                                                                                \
    static void vector_forms_##N(void)                                                                                 \
    {                                                                                                                  \
        for (unsigned base = 0; base < 65536; base += N) {                                                             \
            u16x##N h;                                                                                                 \
            f32x##N x, r;                                                                                              \
            for (int l = 0; l < N; l++) h[l] = (u16)(base + (unsigned)l), x[l] = f32_bits((u32)test_random());         \
            r = f16_to_f32_##N(h);                                                                                     \
            for (int l = 0; l < N; l++)                                                                                \
                CHECK(isnan(r[l]) ? isnan(f16_to_f32(h[l])) : bits_f32(r[l]) == bits_f32(f16_to_f32(h[l])));           \
            r = bf16_to_f32_##N(h);                                                                                    \
            for (int l = 0; l < N; l++) CHECK(bits_f32(r[l]) == bits_f32(bf16_to_f32(h[l])));                          \
            if (base % 128 == 0)                                                                                       \
                for (int l = 0; l < N; l++) x[l] = (x[l] - 1) * 0x1p-20f * f16_to_f32(h[l]);                           \
            h = f32_to_f16_##N(x);                                                                                     \
            for (int l = 0; l < N; l++) CHECK(isnan(x[l]) ? isnan(f16_to_f32(h[l])) : h[l] == f32_to_f16(x[l]));       \
            h = f32_to_bf16_##N(x);                                                                                    \
            for (int l = 0; l < N; l++) CHECK(h[l] == f32_to_bf16(x[l]));                                              \
            r = round_tf32_##N(x);                                                                                     \
            for (int l = 0; l < N; l++) CHECK(bits_f32(r[l]) == bits_f32(round_tf32(x[l])));                           \
        }                                                                                                              \
    }
VECTOR_FORMS(8)
VECTOR_FORMS(16)
VECTOR_FORMS(32)
TEST(vector_forms)
{
    vector_forms_8();
    vector_forms_16();
    vector_forms_32();
}

TEST(products_8) { all_products_8(); }
TEST(products_16) { all_products_16(); }
TEST(products_32) { all_products_32(); }
TEST(mx_products_8) { mx_products_8(); }
TEST(mx_products_16) { mx_products_16(); }
TEST(mx_products_32) { mx_products_32(); }
TEST(small_accumulators) { small_accumulators_8(), small_accumulators_16(), small_accumulators_32(); }
TEST(blocks_8) { all_blocks_8(); }
TEST(blocks_16) { all_blocks_16(); }
TEST(blocks_32) { all_blocks_32(); }

int main(void)
{
    RUN(small_floats_decode);
    RUN(small_floats_round);
    RUN(tf32_rounds);
    RUN(vector_forms);
    RUN(products_8);
    RUN(products_16);
    RUN(products_32);
    RUN(mx_products_8);
    RUN(mx_products_16);
    RUN(mx_products_32);
    RUN(small_accumulators);
    RUN(blocks_8);
    RUN(blocks_16);
    RUN(blocks_32);
    return test_report();
}
