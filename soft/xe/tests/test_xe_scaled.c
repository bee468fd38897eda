/* test_xe_scaled.c - Xe3P's matrix products, dpas and bdpas of 8- and 4-bit floats, against their definition in f64:
 * all 256 scales, random bytes, and in half of the rounds those of NaN and infinity. */
#include "xe_package.h"

#include <math.h>

enum { ROWS = 8, COLUMNS = 16, SCALED = 32, MOST_K = 64 };
/* Loaded and stored as blocks of 256 bytes. */
static _Alignas(64) struct {
    uint32_t b[8 * COLUMNS]; /* dword n of k's register: column n */
    uint32_t a[ROWS * 8];
    uint8_t sums[ROWS * COLUMNS * 4];
    uint8_t column_scales[2][32], row_scales[2][32], unused[128];
    uint8_t results[ROWS * COLUMNS * 4];
} memory;

static const char info_text[] =
    "---\nkernels:\n  - name:            k\n    execution_env:\n      grf_count:       128\n"
    "      simd_size:       16\n      inline_data_payload_size: 64\n    payload_arguments:\n"
    "      - arg_type:        arg_bypointer\n        offset:          0\n        size:            8\n"
    "        arg_index:       0\n        addrspace:       global\n...\n";

/* ---- the definition */

static double value_e4m3(uint32_t bits)
{
    uint32_t exponent = bits >> 3 & 15, part = bits & 7;
    double size = exponent ? (1 + part / 8.0) * pow(2, (double)exponent - 7) : part / 8.0 * pow(2, -6);
    if (exponent == 15 && part == 7) return NAN;
    return bits >> 7 ? -size : size;
}

static double value_e5m2(uint32_t bits)
{
    uint32_t exponent = bits >> 2 & 31, part = bits & 3;
    double size = exponent ? (1 + part / 4.0) * pow(2, (double)exponent - 15) : part / 4.0 * pow(2, -14);
    if (exponent == 31) size = part ? NAN : INFINITY;
    return bits >> 7 ? -size : size;
}

static double value_e2m1(uint32_t bits)
{
    uint32_t exponent = bits >> 1 & 3, part = bits & 1;
    double size = exponent ? (1 + part / 2.0) * pow(2, (double)exponent - 1) : part / 2.0;
    return bits >> 3 ? -size : size;
}

static double value_half(uint32_t bits)
{
    uint32_t exponent = bits >> 10 & 31, part = bits & 1023;
    double size = exponent ? (1 + part / 1024.0) * pow(2, (double)exponent - 15) : part / 1024.0 * pow(2, -14);
    if (exponent == 31) size = part ? NAN : INFINITY;
    return bits >> 15 ? -size : size;
}

static double value_f32(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

static double value_brain(uint32_t bits) { return value_f32(bits << 16); }
static double value_e8m0(uint32_t bits) { return bits == 255 ? (double)NAN : pow(2, (double)bits - 127); }

static const struct type {
    const char *name;
    uint32_t bits;
    double (*value)(uint32_t bits);
} types[] = {{"hf8", 8, value_e4m3}, {"bf8", 8, value_e5m2},  {"e2m1", 4, value_e2m1},
             {"hf", 16, value_half}, {"bf", 16, value_brain}, {"f", 32, value_f32}};
enum { HF8, BF8, E2M1, HF, BF, F };

static uint32_t bits_of(const uint32_t *dwords, uint32_t stride, const struct type *type, uint32_t k)
{
    uint32_t in_dword = 32 / type->bits, dword = dwords[k / in_dword * stride];
    return type->bits == 32 ? dword : dword >> k % in_dword * type->bits & ((1u << type->bits) - 1);
}

struct product {
    int b, a, sums;
    bool scaled;
};

static double sum_at(const struct product *p, const uint8_t *sums, uint32_t r, uint32_t n)
{
    uint32_t bits = 0, bytes = types[p->sums].bits / 8;
    memcpy(&bits, sums + (r * COLUMNS + n) * bytes, bytes);
    return types[p->sums].value(bits);
}

/* The sum, and that of the terms' sizes. */
static double defined(const struct product *p, uint32_t r, uint32_t n, double *sizes)
{
    uint32_t depth = 8 * 32 / types[p->b].bits;
    double sum = sum_at(p, memory.sums, r, n);
    *sizes = fabs(sum);
    for (uint32_t k = 0; k < depth; k++) {
        double term = types[p->a].value(bits_of(memory.a + r * 8, 1, &types[p->a], k)) *
                      types[p->b].value(bits_of(memory.b + n, COLUMNS, &types[p->b], k));
        if (p->scaled)
            term *= value_e8m0(memory.row_scales[k / SCALED][r]) * value_e8m0(memory.column_scales[k / SCALED][n]);
        sum += term;
        *sizes += fabs(term);
    }
    return sum;
}

/* ---- random operands */

static uint8_t near(int32_t middle)
{
    int32_t v = middle + (int32_t)(test_random() >> 30) % 7 - 3;
    return (uint8_t)(v < 0 ? 0 : v > 254 ? 254 : v);
}

/* Random bits; numbers only, if they are to be. */
static void fill_dwords(uint32_t *to, uint32_t count, const struct type *type, bool numbers)
{
    for (uint32_t d = 0; d < count; d++) {
        to[d] = (uint32_t)(test_random() >> 16);
        if (type->bits >= 16) to[d] &= 0xbfffbfff; /* not so large that sums of f32 are infinite */
        for (uint32_t k = 0; k < 32 / type->bits; k++)
            if (numbers && !isfinite(type->value(bits_of(&to[d], 0, type, k))))
                to[d] &= ~(((1u << type->bits) - 1) << k * type->bits);
    }
}

static void fill_sums(const struct product *p)
{
    for (uint32_t e = 0; e < ROWS * COLUMNS; e++) {
        float f = (float)((double)(test_random() >> 40) * 0x1p-20 - 8);
        uint32_t bits, bytes = types[p->sums].bits / 8;
        memcpy(&bits, &f, sizeof bits);
        if (bytes == 2) bits >>= 16;
        memcpy(memory.sums + e * bytes, &bits, bytes);
    }
}

static void fill(const struct product *p, uint32_t scale, bool numbers)
{
    memset(&memory, 0x55, sizeof memory);
    fill_dwords(memory.b, 8 * COLUMNS, &types[p->b], numbers);
    fill_dwords(memory.a, ROWS * 8, &types[p->a], numbers);
    fill_sums(p);
    for (uint32_t block = 0; block < 2; block++) {
        for (uint32_t r = 0; r < ROWS; r++) memory.row_scales[block][r] = near((int32_t)scale);
        for (uint32_t n = 0; n < COLUMNS; n++) memory.column_scales[block][n] = near(254 - (int32_t)scale);
        memory.row_scales[block][scale % ROWS] = (uint8_t)scale;
        memory.column_scales[block][scale % COLUMNS] = (uint8_t)(scale == 255 ? 255 : 254 - scale);
    }
}

/* ---- the code */

static int block(char *to, size_t size, bool store, uint32_t data, size_t at)
{
    unsigned long long d =
        (store ? 4u : 0u) | 7u << 7 | 1u << 10 | 2u << 11 | 2u << 14 | (unsigned long long)(at / 4) << 22;
    return snprintf(to, size,
                    store ? "(W) sendg.ugm (1|M0) null r1:1 r%u:4 0x%llx\n"
                          : "(W) sendg.ugm (1|M0) r%u r1:1 null:0 0x%llx\n",
                    data, d);
}

static void run_product(const struct product *p)
{
    char code[2048];
    int n = 0;
    const char *sums = types[p->sums].name;
    for (uint32_t k = 0; k < 6; k++) /* r20: B; r28: A; r32: sums; r40: scales */
        n += block(code + n, sizeof code - (size_t)n, false, 20 + 4 * k, k * 256);
    n += snprintf(code + n, sizeof code - (size_t)n, "%s.8x8 (16|M0) r50:%s r32:%s r20:%s r28.0:%s",
                  p->scaled ? "bdpas" : "dpas", sums, sums, types[p->b].name, types[p->a].name);
    n += snprintf(code + n, sizeof code - (size_t)n, p->scaled ? " r40.0:ub r41.0:ub\n" : "\n");
    for (uint32_t k = 0; k < types[p->sums].bits / 16; k++)
        n += block(code + n, sizeof code - (size_t)n, true, 50 + 4 * k,
                   (size_t)(memory.results - (uint8_t *)&memory) + k * 256);
    snprintf(code + n, sizeof code - (size_t)n, "(W) sendg.gtwy (1|M0) null r0:1 null:0 0x0 {EOT}\n");
    CHECK_MSG(run_for("cri", info_text, code, &memory, 16) == 0, "%s", told);
}

/* Sums are rounded to f32 after each of eight stages, then to their type. */
static bool is_close(const struct product *p, double got, double want, double sizes)
{
    if (isnan(want) || isinf(want)) return isnan(want) ? isnan(got) : got == want;
    if (sizes > 0x1p127) return true; /* a stage may have been infinite */
    return fabs(got - want) <= 8 * 0x1p-24 * sizes + (p->sums == BF ? 0x1p-8 * fabs(want) : 0) + 0x1p-140;
}

static void compare(const struct product *p, uint32_t scale, bool numbers)
{
    uint32_t wrong = 0;
    fill(p, scale, numbers);
    run_product(p);
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t n = 0; n < COLUMNS; n++) {
            double sizes, want = defined(p, r, n, &sizes);
            wrong += !is_close(p, sum_at(p, memory.results, r, n), want, sizes);
        }
    CHECK_MSG(wrong == 0, "%s times %s, sums %s%s, scale %u: %u are wrong", types[p->a].name, types[p->b].name,
              types[p->sums].name, p->scaled ? ", scaled" : "", scale, wrong);
}

TEST(products_against_their_definition)
{
    static const struct product products[] = {
        {HF8, HF8, F, false},   {HF8, BF8, F, false},  {BF8, HF8, F, false},  {BF8, BF8, F, false},
        {E2M1, E2M1, F, false}, {HF8, HF8, BF, false}, {BF8, HF8, BF, false}, {E2M1, E2M1, BF, false},
    };
    for (size_t k = 0; k < sizeof products / sizeof products[0]; k++)
        for (uint32_t round = 0; round < 64; round++) compare(&products[k], 127, round % 2);
}

TEST(scaled_products_against_their_definition)
{
    static const struct product products[] = {
        {HF8, HF8, F, true}, {HF8, BF8, F, true}, {BF8, HF8, F, true},    {BF8, BF8, F, true},  {E2M1, E2M1, F, true},
        {HF, HF, F, true},   {BF, BF, F, true},   {E2M1, E2M1, BF, true}, {HF8, HF8, BF, true},
    };
    for (size_t k = 0; k < sizeof products / sizeof products[0]; k++)
        for (uint32_t scale = 0; scale < 256; scale++) compare(&products[k], scale, scale % 2);
}

int main(void)
{
    setenv("XETILE_SOFT_ISA", "cri", 1);
    RUN(products_against_their_definition);
    RUN(scaled_products_against_their_definition);
    return test_report();
}
