/* test_opencl_groups.c - cooperation of the items of a work-group: identifiers in three dimensions with offsets, local
 * memory and barriers, work-group functions, subgroup functions and those of cl_intel_subgroups. Sizes include
 * work-groups whose last subgroup is partial.
 *
 * Integers are exact. Sums of floats: any order, so within count * epsilon of the sum of absolute values.
 */
#include "opencl.h"

#include <float.h>

enum { MOST = 256 };
static zed_module module;

static int32_t *random_ints(size_t count, int range)
{
    int32_t *p = (int32_t *)ocl_buffer(count * 4);
    for (size_t i = 0; i < count; i++) p[i] = (int32_t)((int64_t)(test_random() % (2 * (uint64_t)range)) - range);
    return p;
}

/* ---- identifiers */

static void identifiers(uint32_t gx, uint32_t gy, uint32_t gz, uint32_t lx, uint32_t ly, uint32_t lz)
{
    const uint32_t groups[3] = {gx, gy, gz}, local[3] = {lx, ly, lz};
    size_t items = (size_t)gx * gy * gz * lx * ly * lz;
    uint64_t *r = (uint64_t *)ocl_buffer(items * 24 * 8);
    OCL_RUN3(&module, "identifiers", "ptr<u64> r", ((zed_groups){gx, gy, gz}), lx, ly, lz, r);
    for (size_t i = 0; i < items; i++) {
        uint64_t *v = r + 24 * i, size[3], id[3] = {0, 0, 0}, rest = i, linear;
        for (int d = 0; d < 3; d++) {
            size[d] = (uint64_t)groups[d] * local[d];
            id[d] = rest % size[d];
            rest /= size[d];
        }
        for (int d = 0; d < 3; d++) {
            CHECK_INT(v[d], id[d]);
            CHECK_INT(v[3 + d], id[d] % local[d]);
            CHECK_INT(v[6 + d], id[d] / local[d]);
            CHECK_INT(v[9 + d], size[d]);
            CHECK_INT(v[12 + d], local[d]);
            CHECK_INT(v[15 + d], groups[d]);
            CHECK_INT(v[18 + d], 0);
        }
        linear = (v[5] * ly + v[4]) * lx + v[3];
        CHECK_INT(v[21], linear);
        CHECK_INT(v[23], linear);
        CHECK(v[22] % 10 >= 1 && v[22] % 10 <= 3);
        CHECK_INT(v[22] / 10, ly);
    }
    ocl_free(r);
}

TEST(identifiers_in_three_dimensions)
{
    identifiers(3, 1, 1, 20, 1, 1);
    identifiers(2, 3, 1, 5, 7, 1);
    identifiers(2, 2, 3, 3, 4, 5);
    identifiers(1, 1, 2, 1, 1, 31);
    identifiers(2, 1, 1, 1, 1, 1);
    identifiers(2, 1, 2, 16, 3, 4);
    identifiers(1, 2, 1, 32, 1, 5);
    identifiers(1, 1, 2, 48, 4, 2);
}

/* Work-groups of several planes whose size the kernel states. */
TEST(planes_of_whole_rows)
{
    enum { GX = 2, GY = 2, GZ = 3, LX = 32, LY = 3, LZ = 4, ITEMS = GX * GY * GZ * LX * LY * LZ };
    uint64_t *r = (uint64_t *)ocl_buffer(ITEMS * 8);
    OCL_RUN3(&module, "planes", "ptr<u64> r", ((zed_groups){GX, GY, GZ}), LX, LY, LZ, r);
    for (size_t i = 0; i < ITEMS; i++) {
        const size_t x = i % (GX * LX), y = i / (GX * LX) % (GY * LY), z = i / (GX * LX * GY * LY);
        CHECK_INT(r[i], (z % LZ * LY + y % LY) * LX + x % LX);
    }
    ocl_free(r);
}

/* One uniform and one varying argument, including invalid dimensions. */
TEST(dimensions_by_number)
{
    enum { GX = 2, GY = 3, GZ = 2, LX = 5, LY = 3, LZ = 2, ITEMS = GX * GY * GZ * LX * LY * LZ };
    static const uint64_t groups[3] = {GX, GY, GZ}, local[3] = {LX, LY, LZ};
    static const uint32_t numbers[] = {0, 1, 2, 3, 4, 7, 0x80000000u, 0xffffffffu};
    uint64_t *r = (uint64_t *)ocl_buffer(ITEMS * 14 * 8);
    uint32_t *each = (uint32_t *)ocl_buffer(ITEMS * 4);
    for (size_t s = 0; s < sizeof numbers / sizeof *numbers; s++) {
        for (size_t i = 0; i < ITEMS; i++) each[i] = numbers[test_random() % (sizeof numbers / sizeof *numbers)];
        memset(r, 0xa5, ITEMS * 14 * 8);
        OCL_RUN3(&module, "dimensions", "ptr<u64> r, u32 same, ptr<u32> each", ((zed_groups){GX, GY, GZ}), LX, LY, LZ,
                 r, numbers[s], each);
        for (size_t i = 0; i < ITEMS; i++) {
            const uint64_t id[3] = {i % (GX * LX), i / (GX * LX) % (GY * LY), i / (GX * LX * GY * LY)};
            for (int k = 0; k < 2; k++) {
                const uint32_t d = k ? each[i] : numbers[s];
                const uint64_t *v = r + 14 * i + 7 * k;
                CHECK_INT(v[0], d < 3 ? id[d] : 0);
                CHECK_INT(v[1], d < 3 ? id[d] % local[d] : 0);
                CHECK_INT(v[2], d < 3 ? id[d] / local[d] : 0);
                CHECK_INT(v[3], d < 3 ? groups[d] * local[d] : 1);
                CHECK_INT(v[4], d < 3 ? local[d] : 1);
                CHECK_INT(v[5], d < 3 ? groups[d] : 1);
                CHECK_INT(v[6], 0);
            }
        }
    }
    ocl_free(each);
    ocl_free(r);
}

/* ---- local memory */

TEST(local_memory_and_barriers)
{
    static const uint32_t sizes[] = {1, 7, 16, 50, 64, 100, 128};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int n = (int)sizes[s], rounds = 9;
        int32_t *a = random_ints(3 * 128, 1000), *r = (int32_t *)ocl_buffer(3 * 129 * 4);
        OCL_RUN(&module, "local_memory", "ptr<i32> a, ptr<i32> r, local<i32> dynamic, i32 rounds", 3, sizes[s], a, r,
                (zed_local){(size_t)n * 4}, rounds);
        for (int g = 0; g < 3; g++) {
            int32_t mine[128], next[128], sum = 0;
            for (int l = 0; l < n; l++) mine[l] = a[g * n + n - 1 - l], sum += a[g * n + l];
            for (int k = 0; k < rounds; k++) {
                for (int l = 0; l < n; l++) next[l] = mine[(l + 1) % n] + k;
                for (int l = 0; k == 5 && l < n; l++) next[l] ^= n - 1 - l;
                memcpy(mine, next, sizeof mine);
            }
            for (int l = 0; l < n; l++)
                CHECK_MSG(r[g * n + l] == mine[l], "%d items, item %d: %d, want %d", n, l, r[g * n + l], mine[l]);
            CHECK_INT(r[3 * n + g], sum);
        }
        ocl_free(a);
        ocl_free(r);
    }
}

/* ---- reductions and scans over some of the items */

typedef struct {
    long double sum, magnitude, least, most; /* of the items before (exclusive) or up to (inclusive) */
} summary;

static summary nothing(void) { return (summary){0, 0, INFINITY, -INFINITY}; }

static void add_item(summary *s, long double v)
{
    s->sum += v;
    s->magnitude += fabsl(v);
    s->least = fminl(s->least, v);
    s->most = fmaxl(s->most, v);
}

#define NEAR_SUM(got, s, epsilon)                                                                                      \
    CHECK_MSG(fabsl((long double)(got) - (s).sum) <= 300 * (epsilon) * (s).magnitude, "sum %.17Lg, want %.17Lg",       \
              (long double)(got), (s).sum)

static void work_groups(uint32_t n)
{
    enum { GROUPS = 2 };
    size_t all = GROUPS * (size_t)n;
    int32_t *a = random_ints(all, 1000), *r = (int32_t *)ocl_buffer(all * 48);
    float *f = (float *)ocl_buffer(all * 4), *g = (float *)ocl_buffer(all * 12);
    int64_t *w = (int64_t *)ocl_buffer(all * 8), *o = (int64_t *)ocl_buffer(all * 24);
    for (size_t i = 0; i < all; i++) f[i] = (float)test_normal(), w[i] = (int64_t)test_random() >> 10;
    OCL_RUN(&module, "work_groups", "ptr<i32> a, ptr<f32> f, ptr<i64> w, ptr<i32> r, ptr<f32> g, ptr<i64> o", GROUPS, n,
            a, f, w, r, g, o);
    for (size_t first = 0; first < all; first += n) {
        summary ints = nothing(), reals = nothing(), whole = nothing(), whole_reals = nothing();
        uint32_t most = 0, least_so_far = UINT32_MAX;
        uint64_t most_wide = 0, total = 0;
        int64_t least_wide = INT64_MAX;
        bool low = true, high = false;
        for (size_t i = first; i < first + n; i++) {
            add_item(&whole, a[i]);
            add_item(&whole_reals, f[i]);
            if ((uint32_t)a[i] > most) most = (uint32_t)a[i];
            total += (uint64_t)w[i];
            low = low && a[i] > -900;
            high = high || a[i] > 900;
        }
        for (size_t i = first; i < first + n; i++) {
            const int32_t *v = r + 12 * i;
            bool start = i == first;
            CHECK_INT(v[0], whole.sum);
            CHECK_INT(v[1], whole.least);
            CHECK_INT(v[2], whole.most);
            CHECK_INT(v[4], ints.sum);
            CHECK_INT(v[6], start ? INT32_MIN : ints.most);
            CHECK_MSG(o[3 * i + 1] == least_wide, "exclusive minimum of longs is %lld, want %lld",
                      (long long)o[3 * i + 1], (long long)least_wide);
            add_item(&ints, a[i]);
            add_item(&reals, f[i]);
            if ((uint32_t)a[i] < least_so_far) least_so_far = (uint32_t)a[i];
            if ((uint64_t)w[i] > most_wide) most_wide = (uint64_t)w[i];
            if (w[i] < least_wide) least_wide = w[i];
            CHECK_INT(v[3], ints.sum);
            CHECK_INT(v[5], ints.least);
            CHECK_INT(v[7], a[first + n - 2]);
            CHECK_INT(v[8], low + 2 * high);
            CHECK_INT(v[9], (int32_t)most);
            CHECK_INT(v[10], (int32_t)least_so_far);
            CHECK_INT(v[11], 1);
            CHECK(g[3 * i] == whole_reals.most);
            NEAR_SUM(g[3 * i + 1], reals, FLT_EPSILON);
            CHECK(g[3 * i + 2] == f[first + 1]);
            CHECK_INT(o[3 * i], total);
            CHECK_INT(o[3 * i + 2], most_wide);
        }
    }
    ocl_free(a);
    ocl_free(r);
    ocl_free(f);
    ocl_free(g);
    ocl_free(w);
    ocl_free(o);
}

TEST(work_group_functions)
{
    static const uint32_t sizes[] = {2, 5, 16, 33, 64, 100, 256};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) work_groups(sizes[i]);
}

/* ---- subgroups: `info` says which there are */

typedef struct {
    int32_t subgroup, lane, size, most;
} lane_info;

/* False if nothing else can be checked. */
static bool check_info(const lane_info *info, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        bool possible = info[i].most == 8 || info[i].most == 16 || info[i].most == 32;
        CHECK(possible);
        if (!possible) return false;
        CHECK_INT(info[i].subgroup, (int)i / info[i].most);
        CHECK_INT(info[i].lane, (int)i % info[i].most);
        CHECK_INT(info[i].size,
                  ((int)i / info[i].most + 1) * info[i].most <= (int)n ? info[i].most : (int)n % info[i].most);
    }
    return true;
}

static double half_value(uint16_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    double v = e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
    return h & 0x8000 ? -v : v;
}

static void subgroups(uint32_t n)
{
    int32_t *a = random_ints(n, 1000), *r = (int32_t *)ocl_buffer(n * 48);
    float *f = (float *)ocl_buffer(n * 4), *g = (float *)ocl_buffer(n * 8);
    double *d = (double *)ocl_buffer(n * 8), *e = (double *)ocl_buffer(n * 16);
    uint16_t *h = (uint16_t *)ocl_buffer(n * 2), *k = (uint16_t *)ocl_buffer(n * 2);
    lane_info *info = (lane_info *)ocl_buffer(n * sizeof *info);
    for (uint32_t i = 0; i < n; i++)
        f[i] = (float)test_normal(), d[i] = test_normal(), h[i] = (uint16_t)(test_random() & 0xbfff);
    OCL_RUN(
        &module, "subgroups",
        "ptr<i32> a, ptr<f32> f, ptr<f64> d, ptr<f16> h, ptr<i32> info, ptr<i32> r, ptr<f32> g, ptr<f64> e, ptr<f16> k",
        1, n, a, f, d, h, (int32_t *)info, r, g, e, k);
    bool known = check_info(info, n);
    for (uint32_t i = 0; known && i < n; i++) {
        uint32_t first = i - (uint32_t)info[i].lane, end = first + (uint32_t)info[i].size;
        summary whole = nothing(), before, up_to, reals = nothing(), reals_before, doubles = nothing(), doubles_up_to,
                halves = nothing();
        uint32_t most = 0;
        bool low = true, high = false;
        before = up_to = reals_before = doubles_up_to = nothing();
        for (uint32_t j = first; j < end; j++) {
            add_item(&whole, a[j]);
            add_item(&reals, f[j]);
            add_item(&doubles, d[j]);
            add_item(&halves, half_value(h[j]));
            if (j < i) add_item(&before, a[j]), add_item(&reals_before, f[j]);
            if (j <= i) add_item(&up_to, a[j]), add_item(&doubles_up_to, d[j]);
            if ((uint32_t)a[j] > most) most = (uint32_t)a[j];
            low = low && a[j] > -900;
            high = high || a[j] > 900;
        }
        const int32_t *v = r + 12 * i;
        CHECK_INT(v[0], whole.sum);
        CHECK_INT(v[1], whole.least);
        CHECK_INT(v[2], (int32_t)most);
        CHECK_INT(v[3], up_to.sum);
        CHECK_INT(v[4], before.sum);
        CHECK_INT(v[5], up_to.most);
        CHECK_INT(v[6], i == first ? INT32_MAX : before.least);
        if (end - first > 2) CHECK_INT(v[7], a[first + 2]);
        CHECK_INT(v[8], low + 2 * high);
        CHECK_INT(v[9] % 100, ((int)n + info[i].most - 1) / info[i].most);
        CHECK_INT(v[9] / 100, v[9] % 100);
        CHECK_INT(v[10], (int32_t)((int64_t)whole.sum * 256));
        CHECK_INT(v[11], a[first]);
        CHECK(g[2 * i] == reals.most);
        NEAR_SUM(g[2 * i + 1], reals_before, FLT_EPSILON);
        NEAR_SUM(e[2 * i], doubles, DBL_EPSILON);
        CHECK(e[2 * i + 1] == doubles_up_to.least);
        CHECK(half_value(k[i]) == halves.most);
    }
    ocl_free(a);
    ocl_free(r);
    ocl_free(f);
    ocl_free(g);
    ocl_free(d);
    ocl_free(e);
    ocl_free(h);
    ocl_free(k);
    ocl_free(info);
}

TEST(subgroup_functions)
{
    static const uint32_t sizes[] = {1, 3, 16, 31, 64, 75, 200};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) subgroups(sizes[i]);
}

TEST(intel_subgroups)
{
    enum { N = 64, S = 16 };
    uint32_t *a = (uint32_t *)random_ints(N + 8 * S, 1 << 30), *r = (uint32_t *)ocl_buffer(N * 64),
             *block = (uint32_t *)ocl_buffer(N * 16);
    uint16_t *s = (uint16_t *)ocl_buffer((N + 4 * S) * 2), *shorts = (uint16_t *)ocl_buffer(N * 4);
    lane_info *info = (lane_info *)ocl_buffer(N * sizeof *info);
    for (int i = 0; i < N + 4 * S; i++) s[i] = (uint16_t)test_random();
    OCL_RUN(&module, "intel", "ptr<u32> a, ptr<u16> s, ptr<i32> info, ptr<u32> r, ptr<u32> block, ptr<u16> shorts", 1,
            N, a, s, (int32_t *)info, r, block, shorts);
    bool known = check_info(info, N);
    for (uint32_t i = 0; known && i < N; i++) {
        uint32_t lane = i % S, first = i - lane, *v = r + 16 * i, at = first + 15 - lane;
        CHECK_INT(info[i].most, S);
        CHECK_INT(v[0], a[first + ((lane * 5 + 3) & 15)]);
        CHECK_INT(v[1], lane + 3 < S ? a[i + 3] : a[first + S + lane + 3 - S]);
        CHECK_INT(v[2], lane >= 5 ? a[first + S + lane - 5] : a[first + S + lane - 5]);
        CHECK_INT(v[3], a[first + (lane ^ 9)]);
        CHECK_INT(v[4], a[at]);
        CHECK_INT(v[5], a[at] + 1);
        CHECK_INT(v[6], a[at] * 2);
        CHECK_INT(v[7], ~a[at]);
        CHECK_INT(v[8], a[i]);
        CHECK_INT(v[9], a[i]);
        CHECK_INT(v[10], a[i + S]);
        CHECK_INT(v[11], s[i]);
        CHECK_INT(v[12], a[i + 7 * S]);
        CHECK_INT(v[13], a[i + 3 * S]);
        CHECK_INT(v[14], s[i + 3 * S] | (uint32_t)s[i + S] << 16);
        const uint32_t want[4] = {a[i], lane, 7, a[i] ^ lane};
        for (uint32_t k = 0; k < 4; k++) CHECK_INT(block[4 * first + S * k + lane], want[k]);
        CHECK_INT(shorts[2 * first + lane], (uint16_t)a[i]);
        CHECK_INT(shorts[2 * first + S + lane], lane);
    }
    ocl_free(a);
    ocl_free(r);
    ocl_free(block);
    ocl_free(s);
    ocl_free(shorts);
    ocl_free(info);
}

TEST(module_loads) { ocl_load(&module, "groups"); }

/* blocks.cl: three subgroups of S lanes, 15 elements a lane. */
#define BLOCKS(T, name, text, S)                                                                                       \
    do {                                                                                                               \
        T *a = (T *)ocl_buffer(45 * S * sizeof *a), *r = (T *)ocl_buffer(45 * S * sizeof *r);                          \
        for (int i = 0; i < 45 * S; i++) a[i] = (T)test_random();                                                      \
        OCL_RUN(&blocks, "blocks_" name "_" #S, "ptr<" text "> a, ptr<" text "> r", 1, 3 * S, a, r);                   \
        for (int i = 0; i < 45 * S; i++) {                                                                             \
            int block = i / S % 15;                                                                                    \
            T want = (T)(a[i] + (block < 1 ? 1u : block < 3 ? 2u : block < 7 ? 3u : 4u));                              \
            CHECK_MSG(r[i] == want, "%s, S %d, element %d: %llu, want %llu", name, S, i, (unsigned long long)r[i],     \
                      (unsigned long long)want);                                                                       \
        }                                                                                                              \
        ocl_free(a);                                                                                                   \
        ocl_free(r);                                                                                                   \
    } while (0)

TEST(blocks_of_every_width)
{
    zed_module blocks;
    uint8_t *a = (uint8_t *)ocl_buffer(512), *r = (uint8_t *)ocl_buffer(512);
    if (ocl_load(&blocks, "blocks")) {
        BLOCKS(uint8_t, "uc", "u8", 8);
        BLOCKS(uint8_t, "uc", "u8", 16);
        BLOCKS(uint8_t, "uc", "u8", 32);
        BLOCKS(uint16_t, "us", "u16", 8);
        BLOCKS(uint16_t, "us", "u16", 16);
        BLOCKS(uint16_t, "us", "u16", 32);
        BLOCKS(uint32_t, "ui", "u32", 8);
        BLOCKS(uint32_t, "ui", "u32", 16);
        BLOCKS(uint32_t, "ui", "u32", 32);
        BLOCKS(uint64_t, "ul", "u64", 8);
        BLOCKS(uint64_t, "ul", "u64", 16);
        BLOCKS(uint64_t, "ul", "u64", 32);
        for (int i = 0; i < 512; i++) a[i] = (uint8_t)test_random();
        OCL_RUN(&blocks, "sixteen", "ptr<u8> a, ptr<u8> r", 1, 32, a, r);
        for (int i = 0; i < 512; i++) CHECK_INT(r[i], (uint8_t)(a[i] + 9));
    }
    ocl_free(a);
    ocl_free(r);
}

int main(void)
{
    if (!ocl_open()) return 1;
    RUN(module_loads);
    RUN(identifiers_in_three_dimensions);
    RUN(planes_of_whole_rows);
    RUN(dimensions_by_number);
    RUN(local_memory_and_barriers);
    RUN(work_group_functions);
    RUN(subgroup_functions);
    RUN(intel_subgroups);
    RUN(blocks_of_every_width);
    zed_close(&ocl_device);
    return test_report();
}
