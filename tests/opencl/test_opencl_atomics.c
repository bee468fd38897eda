/* test_opencl_atomics.c - atomics of OpenCL 1 and C11 (every operation, 32 and 64 bits, integers and floats, global,
 * local and generic memory, divergent) by many items concurrently. Sums etc. are exact; the values returned to the
 * items must be those of some order of the operations, each intermediate value once. Floats are small integers, whose
 * sums are exact in every order. */
#include "opencl.h"
#include "spirv_emit.h"

enum { GROUP = 50, GROUPS = 6, N = GROUP * GROUPS };
static zed_module module;

static int compare_ints(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* `got` and the final value are `first` and what additions of `by` make of it, in some order: an order exists when each
 * item's value plus its addend is another item's value, or the last. */
static void check_chain(const char *what, const int64_t *got, const int64_t *by, int64_t first, int64_t last)
{
    static int64_t before[N + 1], after[N + 1];
    for (int i = 0; i < N; i++) before[i] = got[i], after[i] = got[i] + by[i];
    before[N] = last;
    after[N] = first;
    qsort(before, N + 1, sizeof *before, compare_ints);
    qsort(after, N + 1, sizeof *after, compare_ints);
    for (int i = 0; i <= N; i++)
        CHECK_MSG(before[i] == after[i], "%s: no order of the additions gives what was returned", what);
}

TEST(old_style)
{
    int32_t *c = (int32_t *)ocl_buffer(12 * 4), *got = (int32_t *)ocl_buffer(3 * N * 4),
            *a = (int32_t *)ocl_buffer(N * 4);
    uint32_t *u = (uint32_t *)ocl_buffer(8);
    int32_t sum = 0, least = INT32_MAX, most = INT32_MIN, all = -1, some = 0, odd = 0, chain = 1;
    uint32_t uleast = UINT32_MAX, umost = 0;
    static int64_t wide_got[N], wide_by[N];
    bool seen[N] = {false};
    float half;
    for (int i = 0; i < N; i++) {
        a[i] = (int32_t)(test_random() % 2000000) - 1000000;
        sum += a[i];
        if (a[i] < least) least = a[i];
        if (a[i] > most) most = a[i];
        if ((uint32_t)a[i] < uleast) uleast = (uint32_t)a[i];
        if ((uint32_t)a[i] > umost) umost = (uint32_t)a[i];
        all &= a[i] | 0xffff00;
        some |= a[i] & 0xff00ff;
        odd ^= a[i];
        chain = (int32_t)((uint32_t)chain * 3 + 1);
    }
    memset(c, 0, 48);
    c[4] = INT32_MAX, c[5] = INT32_MIN, c[6] = -1, c[9] = -5, c[10] = 1;
    u[0] = UINT32_MAX, u[1] = 0;
    OCL_RUN(&module, "old_style", "ptr<i32> c, ptr<u32> u, ptr<i32> got, ptr<i32> a", GROUPS, GROUP, c, u, got, a);
    CHECK_INT(c[0], sum);
    CHECK_INT(c[1], -sum);
    CHECK_INT(c[2], N);
    CHECK_INT(c[3], -N);
    CHECK_INT(c[4], least);
    CHECK_INT(c[5], most);
    CHECK_INT(c[6], all);
    CHECK_INT(c[7], some);
    CHECK_INT(c[8], odd);
    CHECK_INT(c[10], chain);
    memcpy(&half, &c[11], 4);
    CHECK(half == 0.5f);
    CHECK_INT(u[0], uleast);
    CHECK_INT(u[1], umost);
    for (int i = 0; i < N; i++) wide_got[i] = got[i], wide_by[i] = a[i];
    check_chain("atomic_add", wide_got, wide_by, 0, sum);
    for (int i = 0; i < N; i++) wide_got[i] = got[N + i], wide_by[i] = 1;
    check_chain("atomic_inc", wide_got, wide_by, 0, N);
    for (int i = 0; i <= N; i++) {
        int v = i < N ? got[2 * N + i] : c[9]; /* every value written is returned once, and so is the first one */
        if (v == -5) continue;
        CHECK(v >= 0 && v < N && !seen[v]);
        if (v >= 0 && v < N) seen[v] = true;
    }
    ocl_free(c);
    ocl_free(u);
    ocl_free(got);
    ocl_free(a);
}

static void old_style_long(const char *kernel, const char *params, bool is_signed)
{
    int64_t *c = (int64_t *)ocl_buffer(9 * 8), *got = (int64_t *)ocl_buffer(2 * N * 8),
            *a = (int64_t *)ocl_buffer(N * 8), one[N];
    uint64_t sum = 0, least = 0, most = 0, all = ~(uint64_t)0, some = 0, odd = 0, chain = 1;
    for (int i = 0; i < N; i++) {
        uint64_t v = test_random() >> (test_random() & 31), flip = is_signed ? (uint64_t)1 << 63 : 0;
        a[i] = (int64_t)v;
        one[i] = 1;
        sum += v;
        if (i == 0 || (v ^ flip) < (least ^ flip)) least = v;
        if (i == 0 || (v ^ flip) > (most ^ flip)) most = v;
        all &= v | 0xffffffff0000u;
        some |= v & 0xff00ff00ff00ffu;
        odd ^= v;
        chain += 1000000007u;
    }
    memset(c, 0, 72);
    c[3] = is_signed ? INT64_MAX : -1, c[4] = is_signed ? INT64_MIN : 0, c[5] = -1, c[8] = 1;
    if (is_signed) OCL_RUN(&module, kernel, params, GROUPS, GROUP, c, got, a);
    else OCL_RUN(&module, kernel, params, GROUPS, GROUP, (uint64_t *)c, (uint64_t *)got, (uint64_t *)a);
    CHECK_INT(c[0], sum);
    CHECK_INT(c[1], 0 - sum);
    CHECK_INT(c[2], N);
    CHECK_INT(c[3], least);
    CHECK_INT(c[4], most);
    CHECK_INT(c[5], all);
    CHECK_INT(c[6], some);
    CHECK_INT(c[7], odd);
    CHECK_INT(c[8], chain);
    check_chain("atom_inc", got + N, one, 0, N);
    ocl_free(c);
    ocl_free(got);
    ocl_free(a);
}

TEST(old_style_of_longs)
{
    old_style_long("old_style_long", "ptr<i64> c, ptr<i64> got, ptr<i64> a", true);
    old_style_long("old_style_ulong", "ptr<u64> c, ptr<u64> got, ptr<u64> a", false);
}

enum { OWN = 123 }; /* the item whose id is initially in c[5] */

/* Counters of work-groups in local memory: each ticket is issued once. */
static void check_c11_groups(const int32_t *a, const int32_t *c, const int32_t *got)
{
    for (int g = 0; g < GROUPS; g++) {
        int even = 0;
        uint32_t most = 0;
        bool seen[GROUP] = {false};
        for (int i = g * GROUP; i < (g + 1) * GROUP; i++) {
            even += !(a[i] & 1);
            if ((uint32_t)a[i] > most) most = (uint32_t)a[i];
            int ticket = (got[N + i] - 5) % 1000; /* interleaved with the even items' additions */
            CHECK(ticket >= 0 && ticket < GROUP && !seen[ticket]);
            if (ticket >= 0 && ticket < GROUP) seen[ticket] = true;
        }
        CHECK_INT(c[7 + 2 * g], 5 + GROUP + 1000 * even);
        CHECK_INT((uint32_t)c[8 + 2 * g], most);
    }
}

/* The odd items exchange their numbers: each number, and the first value, is found once or left. One finds its own
 * number in c[5], those after it 777. One finds the flag clear. */
static void check_c11_items(const int32_t *a, const int32_t *c, const int32_t *got)
{
    int32_t first_flags = 0, swapped = 0;
    int64_t found = c[2], put = -7;
    for (int i = 0; i < N; i++) {
        int32_t seen = got[2 * N + i], exchanged = got[3 * N + i];
        if (a[i] & 1) {
            put += i;
            found += seen;
            swapped += seen == -7;
        } else {
            CHECK_INT(seen, -1);
        }
        CHECK(i == OWN ? exchanged == 1 : exchanged == 0 || exchanged == 2);
        first_flags += got[4 * N + i] == 0;
    }
    CHECK_INT(swapped, 1);
    CHECK_INT(found, put);
    CHECK_INT(first_flags, 1);
}

TEST(c11)
{
    int32_t *c = (int32_t *)ocl_buffer((7 + 2 * GROUPS) * 4), *got = (int32_t *)ocl_buffer(5 * N * 4),
            *a = (int32_t *)ocl_buffer(N * 4);
    uint32_t *u = (uint32_t *)ocl_buffer(16), least = UINT32_MAX, all = ~0u, some = 0, odd = 0;
    int64_t *l = (int64_t *)ocl_buffer(16), wide_sum = 0, wide_least = INT64_MAX;
    int32_t sum = 0, odd_sum = 0, odd_count = 0, chain = 3;
    for (int i = 0; i < N; i++) {
        a[i] = (int32_t)(test_random() % 2000000) - 1000000;
        sum += a[i];
        if (a[i] & 1) odd_sum += a[i], odd_count++;
        chain = (int32_t)((uint32_t)chain * 5 + 1);
        if ((uint32_t)a[i] < least) least = (uint32_t)a[i];
        all &= (uint32_t)a[i] | 0xf0f0f0u;
        some |= (uint32_t)a[i];
        odd ^= (uint32_t)a[i];
        wide_sum += (int64_t)a[i] * (1 << 30);
        if ((int64_t)a[i] * (1 << 20) < wide_least) wide_least = (int64_t)a[i] * (1 << 20);
    }
    memset(c, 0, (7 + 2 * GROUPS) * 4);
    c[2] = -7, c[4] = 3, c[5] = OWN;
    u[0] = ~0u, u[1] = ~0u, u[2] = 0, u[3] = 0;
    l[0] = 0, l[1] = INT64_MAX;
    OCL_RUN(&module, "c11", "ptr<i32> c, ptr<u32> u, ptr<i64> l, ptr<i32> got, ptr<i32> a", GROUPS, GROUP, c, u, l, got,
            a);
    CHECK_INT(c[0], sum);
    CHECK_INT(c[1], -odd_sum);
    CHECK_INT(c[3], 2 * odd_count);
    CHECK_INT(c[4], chain);
    CHECK_INT(c[5], 777);
    CHECK_INT(u[0], least);
    CHECK_INT(u[1], all);
    CHECK_INT(u[2], some);
    CHECK_INT(u[3], odd);
    CHECK_INT(l[0], wide_sum);
    CHECK_INT(l[1], wide_least);
    check_c11_groups(a, c, got);
    check_c11_items(a, c, got);
    ocl_free(c);
    ocl_free(u);
    ocl_free(l);
    ocl_free(got);
    ocl_free(a);
}

TEST(floats)
{
    float *c = (float *)ocl_buffer((3 + GROUPS) * 4), *a = (float *)ocl_buffer(N * 4),
          *got = (float *)ocl_buffer(N * 4);
    double *d = (double *)ocl_buffer(24), sum = 0, least = INFINITY, most = -INFINITY;
    static int64_t wide_got[N], wide_by[N];
    for (int i = 0; i < N; i++) {
        a[i] = (float)((int)(test_random() % 4001) - 2000);
        sum += a[i];
        least = fmin(least, a[i]);
        most = fmax(most, a[i]);
    }
    c[0] = 0, c[1] = INFINITY, c[2] = -INFINITY, d[0] = 0.25, d[1] = INFINITY, d[2] = -INFINITY;
    OCL_RUN(&module, "floats", "ptr<f32> c, ptr<f64> d, ptr<f32> a, ptr<f32> got", GROUPS, GROUP, c, d, a, got);
    CHECK(c[0] == sum);
    CHECK(c[1] == least);
    CHECK(c[2] == most);
    CHECK(d[0] == sum + 0.25);
    CHECK(d[1] == least);
    CHECK(d[2] == most);
    for (int g = 0; g < GROUPS; g++) CHECK(c[3 + g] == GROUP);
    for (int i = 0; i < N; i++) wide_got[i] = (int64_t)got[i], wide_by[i] = (int64_t)a[i];
    check_chain("atomic_fetch_add of floats", wide_got, wide_by, 0, (int64_t)sum);
    ocl_free(c);
    ocl_free(a);
    ocl_free(got);
    ocl_free(d);
}

TEST(module_loads) { ocl_load(&module, "atomics"); }

/* Multiples of a quarter, few enough that no sum of them is rounded. */
TEST(halves)
{
    uint16_t *r = (uint16_t *)ocl_buffer(3 * 2), *v = (uint16_t *)ocl_buffer(128 * 2);
    float sum = 0, least = 100, most = -100, got[3];
    zed_module halves;
    r[0] = 0;
    r[1] = spe_f32_to_f16_bits(100);
    r[2] = spe_f32_to_f16_bits(-100);
    for (int i = 0; i < 128; i++) {
        float x = (float)((int)(test_random() % 65) - 32) / 4;
        v[i] = spe_f32_to_f16_bits(x);
        if (!(i & 1)) continue;
        sum += x;
        if (x < least) least = x;
        if (x > most) most = x;
    }
    if (!ocl_load(&halves, "half_atomics")) return;
    OCL_RUN(&halves, "half_atomics", "ptr<f16> r, ptr<f16> v", 4, 32, r, v);
    for (int i = 0; i < 3; i++) got[i] = spe_f16_bits_to_f32(r[i]);
    CHECK_MSG(got[0] == sum && got[1] == least && got[2] == most, "%g %g %g, want %g %g %g", (double)got[0],
              (double)got[1], (double)got[2], (double)sum, (double)least, (double)most);
    ocl_free(r);
    ocl_free(v);
}

int main(void)
{
    if (!ocl_open()) return 1;
    RUN(module_loads);
    RUN(old_style);
    RUN(old_style_of_longs);
    RUN(c11);
    RUN(floats);
    RUN(halves);
    zed_close(&ocl_device);
    return test_report();
}
