/* test_opencl_widths.c - integers of 3 to 63 bits, as clang's _BitInt: arithmetic, comparisons, conversions, switches,
 * memory (neighbours must not change), per lane and uniform, against 64-bit integers on the host.
 */
#include "opencl.h"

enum { ITEMS = 64, RESULTS = 16 };

static uint64_t cut(uint64_t x, int bits) { return x & (((uint64_t)1 << bits) - 1); }
static int64_t extended(uint64_t x, int bits) { return (int64_t)(x << (64 - bits)) >> (64 - bits); }
/* The signed remainder, 0 if undefined. */
static int64_t remainder_of(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }
static int64_t quotient_of(int64_t a, int64_t b) { return b == 0 ? 0 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b; }

static void want_of(int64_t la, int64_t lb, int n, int64_t *r)
{
    int64_t a = extended((uint64_t)la, n), b = extended((uint64_t)lb, n);
    uint64_t c = cut((uint64_t)la, n), d = cut((uint64_t)lb, n);
    int by = (int)(lb & 63) % n, up = (int)(la & 63) % n;
    int64_t own[3] = {a, b, a ^ b};
    r[0] = extended((uint64_t)a + (uint64_t)b, n);
    r[1] = (int64_t)cut(c - d, n);
    r[2] = extended((uint64_t)a * (uint64_t)b, n);
    r[3] = extended((uint64_t)quotient_of(a, b), n);
    r[4] = remainder_of(a, b);
    r[5] = d ? (int64_t)(c / d) : 0;
    r[6] = d ? (int64_t)(c % d) : 0;
    r[7] = a >> by;
    r[8] = (int64_t)(c >> by ^ cut(d << up, n));
    r[9] = (a < b) + 2 * (c < d) + 4 * (a >= b) + 8 * (c > d) + 16 * (a == b);
    r[10] = (int64_t)((uint64_t)(int64_t)(float)a + (cut(~c, n) & cut(d | 5, n)));
    r[11] = extended(2 * (uint64_t)(a > b ? a : b), n) + extended(0 - (uint64_t)b, n);
    r[11] = extended((uint64_t)r[11], n);
    r[12] = c == cut((uint64_t)-2, n) ? 1 : c == 3 ? 2 : 3;
    r[13] = own[(uint64_t)lb % 3];
    r[14] = (int64_t)((uint64_t)a + d);
    r[15] = extended((uint64_t)(la % 4), n);
}

/* Numbers at the edges of the width, and others. */
static int64_t number(uint32_t i, int bits)
{
    const int64_t edges[] = {0, 1, -1, -2, 3, (int64_t)1 << (bits - 1), ((int64_t)1 << (bits - 1)) - 1, bits};
    int64_t random = (int64_t)((uint64_t)test_random() << 32 ^ test_random());
    return i < 8 ? edges[i] : random >> (test_random() & 63);
}

static void run_width(zed_module *m, int bits, bool uniform)
{
    uint32_t size = bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8, used = ((uint32_t)bits + 7) / 8;
    int64_t *a = (int64_t *)zed_alloc(&ocl_device, ZED_SHARED, ITEMS * 8, 0);
    int64_t *b = (int64_t *)zed_alloc(&ocl_device, ZED_SHARED, ITEMS * 8, 0);
    int64_t *r = (int64_t *)zed_alloc(&ocl_device, ZED_SHARED, ITEMS * RESULTS * 8, 0), want[RESULTS];
    uint8_t *records = (uint8_t *)zed_alloc(&ocl_device, ZED_SHARED, ITEMS * 5 * size, 0);
    char name[16];
    for (uint32_t i = 0; i < ITEMS; i++) {
        a[i] = number(i % 8, bits);
        b[i] = number(i / 8, bits);
        if (i >= 60) a[i] = number(8, bits), b[i] = number(8, bits);
    }
    memset(r, 0x5a, ITEMS * RESULTS * 8);
    memset(records, 0xa5, ITEMS * 5 * size);
    snprintf(name, sizeof name, "%s%d", uniform ? "uniform" : "varying", bits);
    OCL_RUN(m, name, "ptr<i64> a, ptr<i64> b, ptr<i64> r, ptr<u8> m", uniform ? ITEMS : 2, uniform ? 1 : ITEMS / 2, a,
            b, r, records);
    for (uint32_t i = 0; i < ITEMS; i++) {
        want_of(a[i], b[i], bits, want);
        for (uint32_t k = 0; k < RESULTS; k++)
            CHECK_MSG(r[i * RESULTS + k] == want[k], "%s, result %u of %lld and %lld: %lld, want %lld", name, k,
                      (long long)a[i], (long long)b[i], (long long)r[i * RESULTS + k], (long long)want[k]);
        for (uint32_t at = 0; at < 5 * size; at++) {
            bool written = at % size < used && (at / size == 2 || at / size == 4);
            uint64_t value = at / size == 2 ? cut((uint64_t)a[i], bits) : cut((uint64_t)b[i], bits);
            uint8_t byte = written ? (uint8_t)(value >> at % size * 8) : 0xa5;
            CHECK_INT(records[i * 5 * size + at], byte);
        }
    }
    ocl_free(a);
    ocl_free(b);
    ocl_free(r);
    ocl_free(records);
}

TEST(integers_of_any_width)
{
    static const int widths[] = {3, 12, 24, 33, 47, 56, 63};
    zed_module m;
    if (!ocl_load(&m, "widths")) return;
    for (uint32_t i = 0; i < sizeof widths / sizeof *widths; i++)
        for (int uniform = 0; uniform < 2; uniform++) run_width(&m, widths[i], uniform);
    zed_module_free(&m);
}

/* Of 24 and of 40 bits. */
TEST(switches_and_shifts_past_the_width)
{
    static const int32_t x[] = {1, -1, 0x800000, -0x800000, 0,       7,        23,       24,
                                25, 39, 40,       63,        64,      0x7fffff, 1 << 24, INT32_MIN};
    enum { COUNT = sizeof x / sizeof *x };
    zed_module m;
    int32_t *a = (int32_t *)zed_alloc(&ocl_device, ZED_SHARED, sizeof x, 0);
    int64_t *r = (int64_t *)zed_alloc(&ocl_device, ZED_SHARED, COUNT * 8 * 8, 0);
    if (!ocl_load(&m, "widths_assembly")) return;
    memcpy(a, x, sizeof x);
    memset(r, 0x5a, COUNT * 8 * 8);
    OCL_RUN(&m, "all", "ptr<i32> a, ptr<i64> r", 1, COUNT, a, r);
    for (int i = 0; i < COUNT; i++) {
        uint64_t low = cut((uint64_t)x[i], 24), by = (uint32_t)x[i], x40 = cut((uint64_t)(int64_t)x[i], 40);
        int64_t v = extended(low, 24);
        const int64_t want[8] = {low == 1 ? 1 : low == 0xffffff ? 2 : low == 0x800000 ? 3 : 11,
                                 x[i] == 1 || x[i] == -0x800000 ? 1 : x[i] == -1 ? 2 : 11,
                                 v >> (by < 24 ? by : 23),
                                 by < 24 ? extended(low << by, 24) : 0,
                                 x40 < 40 ? (int64_t)(x40 >> x40) : 0,
                                 -1,
                                 (int64_t)cut(0 - low, 24),
                                 __builtin_popcountll(x40)};
        for (int k = 0; k < 8; k++)
            CHECK_MSG(r[8 * i + k] == want[k], "result %d of %d: %lld, want %lld", k, (int)x[i],
                      (long long)r[8 * i + k], (long long)want[k]);
    }
    ocl_free(a);
    ocl_free(r);
    zed_module_free(&m);
}

/* Unsupported operations on them are refused by name. */
TEST(other_instructions_are_refused)
{
    enum { OP_BIT_COUNT = 4 << 16 | 205, OP_BIT_REVERSE = 4 << 16 | 204 };
    zed_module m;
    size_t size;
    uint32_t *words = (uint32_t *)ocl_spv("widths_assembly", &size);
    if (!words) return;
    for (size_t i = 5; i < size / 4 && words[i] >> 16; i += words[i] >> 16)
        if (words[i] == OP_BIT_COUNT) words[i] = OP_BIT_REVERSE;
    CHECK(!zed_module_load(&m, &ocl_device, words, size, NULL));
    CHECK_HAS(zed_get_error(&ocl_device)->text, "OpBitReverse");
    CHECK_HAS(zed_get_error(&ocl_device)->text, "not supported for integers of 40 bits");
    zed_clear_error(&ocl_device);
    free(words);
}

int main(void)
{
    if (!ocl_open()) return 1;
    RUN(integers_of_any_width);
    RUN(switches_and_shifts_past_the_width);
    RUN(other_instructions_are_refused);
    zed_close(&ocl_device);
    return test_report();
}
