/* test_opencl_stacks.c - the kernels of tests/opencl/stacks.cl, which need large stacks: private arrays of 16 KiB to 1
 * MiB per work-item, and a chain of nine functions with arrays of 4 KiB each; with a barrier in the middle, for which
 * each subgroup has its own stack, and without. Whole and partial subgroups. Integers, exact. */
#include "opencl.h"

enum { GROUPS = 3, CHAIN = 1024 };

static zed_module module;

static uint32_t want_large(uint32_t count, uint32_t mine)
{
    uint32_t *a = (uint32_t *)calloc(count, sizeof *a), sum = 0;
    for (uint32_t i = 0; a && i < count; i += 61) a[(i * 7 + mine) % count] = i;
    for (uint32_t i = 0; a && i < count; i += 61) sum += a[(i * 7 + mine) % count] * (i | 1);
    free(a);
    return sum + mine; /* the kernel with a barrier gets the same from its neighbour's id */
}

/* A function of the chain; `other` is its neighbour's seed, 0 without the barrier. */
static uint32_t want_level(int level, uint32_t *from, uint32_t seed, const uint32_t *other)
{
    uint32_t a[CHAIN], sum, next = other ? *other * 3 + 1 : 0;
    if (level < 0) {
        from[seed & 1023] += other ? *other : seed;
        return seed;
    }
    for (uint32_t i = 0; i < CHAIN; i++) a[i] = from[(i * 5 + seed) & 1023] + i;
    sum = want_level(level - 1, a, seed * 3 + 1, other ? &next : NULL);
    for (uint32_t i = 0; i < CHAIN; i++) sum = sum * 31 + a[i];
    from[seed & 1023] ^= sum;
    return sum;
}

static uint32_t want_chain(uint32_t mine, uint32_t neighbour, bool barrier)
{
    uint32_t a[CHAIN];
    for (uint32_t i = 0; i < CHAIN; i++) a[i] = i * mine;
    return want_level(7, a, mine, barrier ? &neighbour : NULL);
}

static void try_one(const char *name, uint32_t count, bool barrier, uint32_t local)
{
    uint32_t seed = (uint32_t)test_random() & 0xffff, n = GROUPS * local;
    uint32_t *out = (uint32_t *)ocl_buffer(n * sizeof *out);
    OCL_RUN(&module, name, "ptr<u32> out, u32 seed", GROUPS, local, out, seed);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t want = count ? want_large(count, seed + i) : want_chain(seed + i, seed + (i ^ 1), barrier);
        if (out[i] == want) continue;
        CHECK_MSG(false, "%s, %u work-items: item %u gave %u, want %u", name, local, i, out[i], want);
        break;
    }
    ocl_free(out);
}

TEST(large_arrays)
{
    static const struct {
        const char *name;
        uint32_t count;
    } kernels[] = {{"kib16", 4096},          {"kib16_barrier", 4096}, {"kib64", 16384},
                   {"kib64_barrier", 16384}, {"mib1", 262144},        {"mib1_barrier", 262144}};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        for (uint32_t local = 6; local <= 64; local += 29)
            try_one(kernels[i].name, kernels[i].count, i % 2, local + local % 2);
}

TEST(chains_of_calls)
{
    for (uint32_t local = 6; local <= 64; local += 29) {
        try_one("chain", 0, false, local + local % 2);
        try_one("chain_barrier", 0, true, local + local % 2);
    }
}

int main(void)
{
    if (!ocl_open()) return 1;
    if (ocl_load(&module, "stacks")) {
        RUN(large_arrays);
        RUN(chains_of_calls);
    }
    zed_close(&ocl_device);
    return test_report();
}
