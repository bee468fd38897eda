/* test_xetile_conversions.c - conversions from f32 to each narrower float on the device: of blocks of f32, or with
 * THOROUGH=1 of all 2^32, against each format's definition (narrow_floats.h); and of every pattern back to f32. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O2") /* tests are built without */
#endif
#include "xetile_case.h"

#include "narrow_floats.h"

/* A work-group converts ROWS x COLUMNS numbers. */
enum { ROWS = 16, COLUMNS = 64, GROUP = ROWS * COLUMNS };

#define STORE(vec, base, columns)                                                                                      \
    XT_STORE_TILE(vec, XT_INIT_TILE(base, of(base), ROWS, columns, .offset = XT_AT(XT_MUL(XT_GROUP_ID(0), ROWS), 0),   \
                                    .shape = XT_AT(NARROW_BLOCK / COLUMNS, columns)))

XT_KERNEL (to_narrow, i32(first), ptr(f16, F16), ptr(bf16, BF16), ptr(e4m3, E4M3), ptr(e4m3, E4M3_OPEN),
           ptr(e5m2, E5M2), ptr(e5m2, E5M2_OPEN), ptr(e2m1, E2M1), ptr(e8m0, E8M0))
{
    xt_vec row = XT_IOTA(i32, ROWS, COLUMNS, 0), bits = XT_ADD(XT_MUL(row, COLUMNS), XT_IOTA(i32, ROWS, COLUMNS, 1));
    bits = XT_ADD(bits, XT_ADD(first, XT_MUL(XT_GROUP_ID(0), GROUP)));
    xt_vec x = XT_BITCAST(f32, bits);
    STORE(XT_CAST(f16, x), F16, COLUMNS);
    STORE(XT_CAST(bf16, x), BF16, COLUMNS);
    STORE(XT_CAST(e4m3, x), E4M3, COLUMNS);
    STORE(XT_CAST(e4m3, x, .saturate = false), E4M3_OPEN, COLUMNS);
    STORE(XT_CAST(e5m2, x), E5M2, COLUMNS);
    STORE(XT_CAST(e5m2, x, .saturate = false), E5M2_OPEN, COLUMNS);
    STORE(XT_TO_E2M1(x, 1), E2M1, COLUMNS / 2);
    STORE(XT_CAST(e8m0, x), E8M0, COLUMNS);
}

/* Two e2m1 a byte, as a byte each. */
static void part_pairs(uint8_t *bytes)
{
    for (uint32_t i = NARROW_BLOCK / 2; i-- > 0;) {
        const uint8_t pair = bytes[i];
        bytes[2 * i] = pair & 15;
        bytes[2 * i + 1] = pair >> 4;
    }
}

static void convert_block(zed_kernel *k, int block, void *const out[NARROWS])
{
    const uint32_t first = (uint32_t)block * NARROW_BLOCK;
    for (int f = 0; f < NARROWS; f++) memset(out[f], 0xdb, 2 * NARROW_BLOCK);
    zed_launch(k, (zed_groups){NARROW_BLOCK / GROUP, 1, 1}, (int32_t)first, out[NARROW_F16], out[NARROW_BF16],
               out[NARROW_E4M3], out[NARROW_E4M3_OPEN], out[NARROW_E5M2], out[NARROW_E5M2_OPEN], out[NARROW_E2M1],
               out[NARROW_E8M0]);
    part_pairs((uint8_t *)out[NARROW_E2M1]);
    for (int f = 0; f < NARROWS; f++) {
        const narrow_float *n = &narrow_floats[f];
        uint32_t where, want;
        if (narrow_check(n, first, NARROW_BLOCK, out[f], &where, &want)) continue;
        test_fail(__FILE__, __LINE__, "%s of the f32 0x%x is 0x%x, want 0x%x", n->name, where,
                  narrow_read(n, out[f], where - first), want);
    }
}

TEST(every_f32)
{
    const xt_target target = {ZED_TARGET(&device)};
    void *out[NARROWS];
    zed_kernel k;
    xt_module mod = XT_BUILD(to_narrow, &target);
    CHECK_MSG(mod.words != NULL, "%s", mod.error->text);
    test_save_spv("to_narrow", mod.words, mod.size);
    for (int f = 0; f < NARROWS; f++) out[f] = zed_alloc(&device, ZED_SHARED, 2 * NARROW_BLOCK, 64);
    const bool ready = mod.words && ZED_LOAD(&k, &device, mod) && out[NARROWS - 1];
    CHECK_MSG(ready, "%s", zed_get_error(&device)->text);
    for (int block = 0; ready && block < NARROW_BLOCKS; block++)
        if (narrow_takes(block)) convert_block(&k, block, out);
    CHECK_MSG(!zed_get_error(&device)->id, "%s", zed_get_error(&device)->text);
    xt_free(&mod);
}

#define WIDEN(T, from, rows, row, to)                                                                                  \
    XT_STORE_TILE(XT_CAST(f32, XT_LOAD_TILE(XT_INIT_TILE(from, T, 4, COLUMNS, .offset = XT_AT(row, 0),                 \
                                                         .shape = XT_AT(rows, COLUMNS)))),                             \
                  XT_INIT_TILE(to, f32, 4, COLUMNS, .offset = XT_AT(row, 0), .shape = XT_AT(rows, COLUMNS)))

/* 256 patterns a work-group, of 8 bits in the first one. */
XT_KERNEL (to_wide, ptr(f16, F16), ptr(bf16, BF16), ptr(e4m3, E4M3), ptr(e5m2, E5M2), ptr(e8m0, E8M0), ptr(e2m1, E2M1),
           ptr(f32, OF_F16), ptr(f32, OF_BF16), ptr(f32, OF_E4M3), ptr(f32, OF_E5M2), ptr(f32, OF_E8M0),
           ptr(f32, OF_E2M1))
{
    xt_val row = XT_MUL(XT_GROUP_ID(0), 4);
    WIDEN(f16, F16, 1024, row, OF_F16);
    WIDEN(bf16, BF16, 1024, row, OF_BF16);
    XT_IF (XT_EQ(row, 0)) {
        WIDEN(e4m3, E4M3, 4, 0, OF_E4M3);
        WIDEN(e5m2, E5M2, 4, 0, OF_E5M2);
        WIDEN(e8m0, E8M0, 4, 0, OF_E8M0);
        xt_vec pairs = XT_LOAD_TILE(XT_INIT_TILE(E2M1, e2m1, 4, COLUMNS, .shape = XT_AT(4, COLUMNS)));
        XT_STORE_TILE(XT_FROM_E2M1(f32, pairs, 1), XT_INIT_TILE(OF_E2M1, f32, 4, 2 * COLUMNS,
                                                                .shape = XT_AT(4, 2 * COLUMNS)));
    }
}

/* Is this f32 the value of the pattern? */
static bool is_value(const narrow_float *f, uint32_t pattern, float got)
{
    const uint32_t sign = narrow_sign(f), magnitude = pattern & ~sign;
    const double v = magnitude == f->finite && f->nan != f->finite ? INFINITY : narrow_value(f, magnitude);
    if (f->nan && magnitude >= f->nan) return isnan(got);
    return (double)got == (pattern & sign ? -v : v) && !signbit(got) == !(pattern & sign);
}

TEST(every_pattern)
{
    static const int which[] = {NARROW_F16, NARROW_BF16, NARROW_E4M3_OPEN, NARROW_E5M2_OPEN, NARROW_E8M0, NARROW_E2M1};
    const xt_target target = {ZED_TARGET(&device)};
    void *in[6];
    float *out[6];
    zed_kernel k;
    xt_module mod = XT_BUILD(to_wide, &target);
    CHECK_MSG(mod.words != NULL, "%s", mod.error->text);
    test_save_spv("to_wide", mod.words, mod.size);
    for (int i = 0; i < 6; i++) {
        in[i] = zed_alloc(&device, ZED_SHARED, 2 << 16, 64);
        out[i] = (float *)zed_alloc(&device, ZED_SHARED, 4 << 16, 64);
        for (uint32_t p = 0; out[i] && p < 1 << 16; p++)
            if (narrow_floats[which[i]].bytes == 2)
                ((uint16_t *)in[i])[p] = (uint16_t)p;
            else
                ((uint8_t *)in[i])[p] = (uint8_t)p;
        if (out[i]) memset(out[i], 0xdb, 4 << 16);
    }
    const bool ready = mod.words && ZED_LOAD(&k, &device, mod) && out[5];
    CHECK_MSG(ready, "%s", zed_get_error(&device)->text);
    if (ready)
        zed_launch(&k, (zed_groups){256, 1, 1}, in[0], in[1], in[2], in[3], in[4], in[5], out[0], out[1], out[2],
                   out[3], out[4], out[5]);
    CHECK_MSG(!zed_get_error(&device)->id, "%s", zed_get_error(&device)->text);
    for (int i = 0; ready && i < 6; i++) {
        const narrow_float *f = &narrow_floats[which[i]];
        const bool pairs = which[i] == NARROW_E2M1;
        for (uint32_t p = 0; p < (f->bytes == 2 ? 1u << 16 : pairs ? 512u : 256u); p++) {
            const uint32_t pattern = pairs ? p / 2 >> p % 2 * 4 & 15 : p;
            CHECK_MSG(is_value(f, pattern, out[i][p]), "%s 0x%x is %a", f->name, pattern, (double)out[i][p]);
        }
    }
    xt_free(&mod);
}

int main(void)
{
    if (!zed_open(&device, NULL)) return zed_print_error(&device, stderr), 1;
    RUN(every_f32);
    RUN(every_pattern);
    zed_close(&device);
    return test_report();
}
