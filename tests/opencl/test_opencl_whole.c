/* test_opencl_whole.c - branches taken by all lanes of a subgroup or by some: comparisons decided by a vote, integers
 * that wrap at 16, 31, 32, 63 and 64 bits and are widened after such branches, lanes that diverge and reconverge in
 * loops; and recomputation of ids and parameters after barriers. Exact.
 */
#include "opencl.h"

static const uint32_t shapes[][4] = {/* local size, groups */
                                     {64, 1, 3, 2}, {16, 4, 4, 2}, {20, 1, 7, 3}, {5, 3, 6, 5}, {32, 8, 3, 1}};
enum { SHAPES = sizeof shapes / sizeof *shapes, MOST = 1024, KINDS = 12, TABLE = 1 << 16 };

static zed_module module;
static int32_t *x, *y, *table, want[KINDS * MOST];
static int64_t *wide, wanted[5 * MOST];
static uint32_t width, items; /* of the launch */

static void shape(size_t s)
{
    width = shapes[s][0] * shapes[s][2];
    items = width * shapes[s][1] * shapes[s][3];
    CHECK(items <= MOST);
    for (int i = 0; i < KINDS * MOST; i++) y[i] = want[i] = -77;
    for (int i = 0; i < 5 * MOST; i++) wide[i] = wanted[i] = -78;
}

#define LAUNCH(s, name, params, ...)                                                                                   \
    OCL_RUN3(&module, name, params, ((zed_groups){shapes[s][2], shapes[s][3], 1}), shapes[s][0], shapes[s][1], 1,      \
             __VA_ARGS__)

/* The kernels' comparisons, with C types of the same widths. */
#define REFERENCE(NAME, TYPE)                                                                                          \
    static void NAME(TYPE from, TYPE limit, uint32_t step)                                                             \
    {                                                                                                                  \
        for (uint32_t i = 0; i < items; i++) {                                                                         \
            TYPE c = (TYPE)((uint64_t)(i % width) * 3 + (uint64_t)from), next = (TYPE)((uint64_t)c + 1);               \
            bool is[KINDS] = {c < limit, c <= limit, c > limit, c >= limit, c == limit, c != limit, limit < c,         \
                              limit >= (TYPE)((uint64_t)c + 4),                                                        \
                              (c < limit && c != from) || (step == 7 && !(c > 5)),                                     \
                              c == limit || next == limit || c >= (TYPE)((uint64_t)limit + 40)};                       \
            is[10] = !is[9] && c < (TYPE)((uint64_t)limit - 20);                                                       \
            is[11] = !is[9] && !is[10];                                                                                \
            for (uint32_t k = 0; k < KINDS; k++) want[k * items + i] = is[k] ? (int32_t)k + 1 : -77;                   \
        }                                                                                                              \
    }
REFERENCE(compare_uint, uint32_t)
REFERENCE(compare_int, int32_t)
REFERENCE(compare_ulong, uint64_t)
REFERENCE(compare_long, int64_t)

/* Where lines begin, and how far off the limit is: in the first, the last, another subgroup; at its edges. */
static const uint64_t beginnings[] = {0, 30, 0x7fffffec, 0xffffffe7, 0x7fffffff, 0xfffffed4};
static const int distances[] = {-1, 0, 1, 44, 45, 46, 47, 48, 49, 96, 143, 144, 150, 250, 400, 2000, -40};
enum { BEGINNINGS = sizeof beginnings / sizeof *beginnings, DISTANCES = sizeof distances / sizeof *distances };

#define COMPARE(s, NAME, TYPE, BITS, PARAM)                                                                            \
    do {                                                                                                               \
        const TYPE f = (TYPE)(from << (BITS - 32)), t = (TYPE)((from << (BITS - 32)) + (uint64_t)(int64_t)d);          \
        shape(s);                                                                                                      \
        LAUNCH(s, #NAME, "ptr<i32> y, " PARAM " from, " PARAM " limit, u32 step", y, f, t, step);                      \
        NAME(f, t, step);                                                                                              \
        OCL_SAME(#NAME, int32_t, y, want, KINDS *MOST);                                                                \
    } while (0)

TEST(comparisons)
{
    for (size_t b = 0; b < BEGINNINGS; b++) {
        for (size_t n = 0; n < DISTANCES; n++) {
            const uint64_t from = beginnings[b];
            const int d = distances[n];
            const uint32_t step = n % 2 ? 7 : 8;
            const size_t s = n % SHAPES;
            COMPARE(s, compare_uint, uint32_t, 32, "u32");
            COMPARE(s, compare_int, int32_t, 32, "i32");
            COMPARE(s, compare_ulong, uint64_t, 64, "u64");
            COMPARE(s, compare_long, int64_t, 64, "i64");
        }
    }
}

static void widened_reference(uint32_t from, uint32_t limit)
{
    for (uint32_t i = 0; i < items; i++) {
        uint32_t g = i % width, c = g + from;
        if (g < limit) {
            wanted[i] = (int64_t)((uint64_t)c + 1);
            wanted[items + i] = (int64_t)(int32_t)c - 1;
            wanted[2 * items + i] = table[(uint16_t)(c * 2)] + table[32768 + (int16_t)c];
        } else if (g > limit + 20) {
            wanted[3 * items + i] = (int64_t)((uint64_t)(c - 3) * 2 + (uint64_t)(c + 3));
            wanted[4 * items + i] = (int32_t)(5 - c);
        }
    }
}

TEST(widened_behind_branches)
{
    static const uint32_t from[] = {0, 3, 0xfffffffau, 0xffffffd0u, 0x7ffffff5u, 0x7fffffd0u,
                                    0x80000000u, 32760,       65500};
    for (size_t f = 0; f < sizeof from / sizeof *from; f++) {
        for (uint32_t limit = 0; limit < 200; limit += 16 + 7 * (limit / 32 % 2)) {
            const size_t s = (f + limit) % SHAPES;
            shape(s);
            LAUNCH(s, "widened", "ptr<i32> table, ptr<i64> y, u32 from, u32 limit", table, wide, from[f], limit);
            widened_reference(from[f], limit);
            OCL_SAME("widened", int64_t, wide, wanted, 5 * MOST);
        }
    }
}

TEST(edges)
{
    for (size_t s = 0; s < SHAPES; s++) {
        shape(s);
        LAUNCH(s, "neighbours", "ptr<i32> x, ptr<i32> y, u32 n", x, y, width);
        for (uint32_t i = 0; i < items; i++) {
            uint32_t c = i % width;
            want[i] = c == 0 || i < width || c == width - 1 ? x[i] : x[i - 1] * 3 + x[i + 1] * 5 + x[i - width] * 7;
        }
        OCL_SAME("neighbours", int32_t, y, want, MOST);
    }
}

static int32_t turns_of(uint32_t i, uint32_t from)
{
    uint32_t sum = 0, odd = 0, count = (uint32_t)x[i / 64] & 15;
    if (i / 64 % 3 == 1) count += (uint32_t)x[i] & 3;
    for (uint32_t k = 0; k < count; k++) {
        uint16_t at = (uint16_t)(i % width + from + 5 * k);
        sum += (uint32_t)table[at];
        if ((x[i + k] & 1) && i / 64 % 2) {
            odd += k + (uint32_t)(table[at] % 3);
            if ((int32_t)odd > 12) break;
        }
        for (uint32_t j = 0; j < (k & 3); j++) sum = sum * 3 + (uint32_t)table[(uint16_t)(at + j)];
    }
    return (int32_t)(sum + odd * 1000);
}

static int32_t rejoined_at(uint32_t i, uint32_t from)
{
    uint32_t c = i % width + from;
    int32_t v = table[(uint16_t)c];
    for (uint32_t k = 0; k < 9 && table[(uint16_t)(c + k)] % 7 != v % 3; k++) v += x[i] >> 1 & 1;
    return x[i] & 1 ? x[i] + v : v * 2;
}

TEST(loops)
{
    static const uint32_t from[] = {0, 65535 - 40, 65535, 32760};
    for (size_t s = 0; s < SHAPES; s++) {
        for (size_t f = 0; f < 4; f++) {
            shape(s);
            uint32_t n = f == 3 ? items - 13 : items;
            LAUNCH(s, "turns", "ptr<i32> x, ptr<i32> table, ptr<i32> y, u32 n, u32 from", x, table, y, n, from[f]);
            for (uint32_t i = 0; i < n; i++) want[i] = turns_of(i, from[f]);
            OCL_SAME("turns", int32_t, y, want, MOST);
            LAUNCH(s, "rejoined", "ptr<i32> x, ptr<i32> table, ptr<i32> y, u32 n, u32 from", x, table, y, n, from[f]);
            for (uint32_t i = 0; i < n; i++) want[i] = rejoined_at(i, from[f]);
            OCL_SAME("rejoined", int32_t, y, want, MOST);
        }
    }
}

static int32_t choice_of(uint32_t i)
{
    switch (i / 128 % 2 ? x[i] & 3 : (int)(i / 64) & 3) {
    case 0: return x[i + 1];
    case 1: return x[i + 2] * 2 + x[i + 3];
    case 2: return x[i + 3] - 1;
    default: return x[i] * 7;
    }
}

TEST(switches)
{
    for (size_t s = 0; s < SHAPES; s++) {
        shape(s);
        LAUNCH(s, "choices", "ptr<i32> x, ptr<i32> y, u32 n", x, y, items);
        for (uint32_t i = 0; i < items; i++) want[i] = i + 3 < items ? choice_of(i) : -1;
        OCL_SAME("choices", int32_t, y, want, MOST);
    }
}

static void after_barriers(size_t s, uint32_t gx, uint32_t gy, uint32_t a, int64_t b)
{
    static uint32_t part[1024], seen[1024], at[1024];
    const uint32_t lx = shapes[s][0], all = lx * shapes[s][1], place = (gy << 4 | 5) + a * 3;
    for (uint32_t l = 0; l < all; l++) {
        at[l] = (gy * shapes[s][1] + l / lx) * width + gx * lx + l % lx;
        part[l] = (uint32_t)x[at[l]];
    }
    for (uint32_t k = 0; k < a % 4 + 1; k++) {
        for (uint32_t l = 0; l < all; l++) seen[l] = part[(l + k + 1) % all];
        for (uint32_t l = 0; l < all; l++) part[l] += seen[l] + place;
    }
    for (uint32_t l = 0; l < all; l++) {
        uint64_t far = (uint64_t)b - gx * 1000000007ull + ((uint64_t)(l % lx) << 33);
        uint64_t narrow = (uint64_t)((int16_t)(a + gx) + (int8_t)b);
        wanted[at[l]] = (int64_t)((uint64_t)(int32_t)part[l] + far * 3 + place + narrow + shapes[s][2]);
    }
}

TEST(made_again)
{
    for (size_t s = 0; s < SHAPES; s++) {
        for (uint32_t a = 32765; a < 32770; a++) {
            const int64_t b = (int64_t)(0x123456789abcdef0ull + 60 * a);
            shape(s);
            LAUNCH(s, "ids_after_barriers", "ptr<i32> x, ptr<i64> y, u32 a, i64 b", x, wide, a, b);
            for (uint32_t g = 0; g < shapes[s][2] * shapes[s][3]; g++)
                after_barriers(s, g % shapes[s][2], g / shapes[s][2], a, b);
            OCL_SAME("ids_after_barriers", int64_t, wide, wanted, MOST);
        }
    }
}

int main(void)
{
    if (!ocl_open() || !ocl_load(&module, "whole")) return 1;
    x = (int32_t *)ocl_buffer(4 * (MOST + 64));
    y = (int32_t *)ocl_buffer(4 * KINDS * MOST);
    table = (int32_t *)ocl_buffer(4 * TABLE);
    wide = (int64_t *)ocl_buffer(8 * 5 * MOST);
    for (int i = 0; i < MOST + 64; i++) x[i] = (int32_t)(test_random() % 100001) - 50000;
    for (int i = 0; i < TABLE; i++) table[i] = (int32_t)(test_random() % 100001) - 50000;
    RUN(comparisons);
    RUN(widened_behind_branches);
    RUN(edges);
    RUN(loops);
    RUN(switches);
    RUN(made_again);
    ocl_free(x);
    ocl_free(y);
    ocl_free(table);
    ocl_free(wide);
    zed_close(&ocl_device);
    return test_report();
}
