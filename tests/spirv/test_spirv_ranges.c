/* test_spirv_ranges.c - spe_for_range near the ends of its types, on the device: every width, with and without sign,
 * steps known or not, up and down, where the next number does not fit. The reference counts in 128 bits. */
#include "spirv_emit.h"
#include "test.h"
#include "ze_dispatch.h"

enum { ENDS = 11, N = ENDS * ENDS, CAP = 24, STEPS = 6 }; /* CAP: a loop is left after so many turns */

__extension__ typedef __int128 wide;

static spe_module m;
static zed_device dev;

/* Step number s; 0: the kernel does not know it. Those from 3 on go down where the loop has a sign. */
static uint64_t step_of(uint32_t bits, int s)
{
    const uint64_t most = UINT64_MAX >> (64 - bits), steps[STEPS] = {0, 1, most / 5, most, most - 2, most - most / 4};
    return steps[s];
}

static spe_id loaded(uint32_t parameter, spe_id i, spe_id type)
{
    return spe_cast(&m, type, spe_load(&m, spe_index(&m, spe_param_id(&m, parameter), i), 0), false);
}

/* Kernel(u64 *lo, u64 *hi, u64 *step, u64 *turns, u64 *sums). */
static void emit(uint32_t bits, bool is_signed, int s)
{
    char name[32];
    spe_param params[5];
    spe_kernel k;
    spe_id type = spe_int(&m, bits), i64 = spe_int(&m, 64), carried[2], next[2], step;
    memset(params, 0, sizeof params);
    memset(&k, 0, sizeof k);
    for (int i = 0; i < 5; i++) params[i].type = spe_ptr(&m, SPE_StorageClassCrossWorkgroup, i64);
    snprintf(name, sizeof name, "%s%u_%d", is_signed ? "signed" : "unsigned", bits, s);
    k.name = name, k.params = params, k.param_count = 5;
    k.local_size[0] = ENDS;
    spe_kernel_begin(&m, &k);
    spe_id item = spe_builtin(&m, SPE_GLOBAL_ID, 0), lo = loaded(0, item, type), hi = loaded(1, item, type);
    step = s ? spe_const_u(&m, type, step_of(bits, s)) : loaded(2, item, type);
    carried[0] = spe_const_u(&m, i64, 0);
    carried[1] = spe_const_u(&m, i64, 0);
    spe_id i = spe_for_range(&m, lo, hi, step, is_signed, 2, carried);
    next[0] = spe_iadd(&m, carried[0], spe_const_u(&m, i64, 1));
    next[1] = spe_imul(&m, carried[1], spe_const_u(&m, i64, 31));
    next[1] = spe_iadd(&m, next[1], spe_cast(&m, i64, i, false));
    spe_if(&m, spe_ieq(&m, next[0], spe_const_u(&m, i64, CAP)));
    spe_break(&m, 2, next);
    spe_endif(&m, 0, NULL, NULL);
    carried[0] = next[0], carried[1] = next[1];
    spe_endfor(&m, 2, carried);
    for (uint32_t p = 0; p < 2; p++)
        spe_store(&m, spe_index(&m, spe_param_id(&m, 3 + p), item), carried[p], 0);
    spe_kernel_end(&m);
}

/* The number with these bits. */
static wide number(uint64_t v, uint32_t bits, bool is_signed)
{
    v &= UINT64_MAX >> (64 - bits);
    return is_signed && v >> (bits - 1) ? (wide)v - ((wide)1 << bits) : (wide)v;
}

static void check(const char *name, uint32_t bits, bool is_signed, int s, uint64_t *const *data, uint64_t item)
{
    uint64_t step = s ? step_of(bits, s) : data[2][item], turns = 0, sum = 0;
    wide lo = number(data[0][item], bits, is_signed), hi = number(data[1][item], bits, is_signed);
    wide by = number(step, bits, is_signed && s); /* one that is not known has no sign */
    for (wide i = lo; (by > 0 ? i < hi : i > hi) && turns < CAP; i += by) {
        sum = sum * 31 + ((uint64_t)i & (UINT64_MAX >> (64 - bits)));
        turns++;
    }
    CHECK_MSG(data[3][item] == turns && data[4][item] == sum, "%s from %llx to %llx by %llx: %llu turns, want %llu",
              name, (unsigned long long)data[0][item], (unsigned long long)data[1][item], (unsigned long long)step,
              (unsigned long long)data[3][item], (unsigned long long)turns);
}

/* Both ends are any of: the type's ends, 0, the sign's change, numbers next to them, random ones. */
static void fill(uint32_t bits, uint64_t *const *data)
{
    const uint64_t most = UINT64_MAX >> (64 - bits), half = most / 2;
    uint64_t ends[ENDS] = {0, 1, 2, half - 1, half, half + 1, half + 2, most - 1, most, test_random(), test_random()};
    for (int i = 0; i < N; i++) {
        data[0][i] = ends[i / ENDS];
        data[1][i] = ends[i % ENDS];
        do data[2][i] = (test_random() & most) >> test_random() % bits;
        while (!data[2][i]);
        data[3][i] = data[4][i] = 0xa5a5a5a5a5a5a5a5u;
    }
}

static void run(zed_module *module, uint32_t bits, bool is_signed, int s, uint64_t *const *data)
{
    char name[32];
    zed_kernel k;
    snprintf(name, sizeof name, "%s%u_%d", is_signed ? "signed" : "unsigned", bits, s);
    fill(bits, data);
    if (zed_kernel_get(&k, module, name, "ptr<u64> lo, ptr<u64> hi, ptr<u64> step, ptr<u64> turns, ptr<u64> sums"))
        zed_launch(&k, (zed_groups){ENDS, 1, 1}, data[0], data[1], data[2], data[3], data[4]);
    CHECK_STR(zed_get_error(&dev)->text, "");
    zed_clear_error(&dev);
    for (uint64_t i = 0; i < N; i++) check(name, bits, is_signed, s, data, i);
}

TEST(ranges_end_where_they_should)
{
    zed_module module;
    uint64_t *data[5];
    spe_begin(&m, NULL);
    for (uint32_t bits = 8; bits <= 64; bits *= 2)
        for (int way = 0; way < 2 * STEPS; way++) emit(bits, way % 2 != 0, way / 2);
    spe_words words = spe_finish(&m);
    CHECK_MSG(words.data != NULL, "%s", spe_get_error(&m)->text);
    test_save_spv("spirv_ranges", words.data, 4 * words.count);
    for (int i = 0; i < 5; i++) data[i] = (uint64_t *)zed_alloc(&dev, ZED_SHARED, N * sizeof **data, 0);
    if (zed_module_load(&module, &dev, words.data, 4 * words.count, NULL))
        for (uint32_t bits = 8; bits <= 64; bits *= 2)
            for (int way = 0; way < 2 * STEPS; way++) run(&module, bits, way % 2 != 0, way / 2, data);
    CHECK_STR(zed_get_error(&dev)->text, "");
    spe_free(&m);
}

int main(void)
{
    if (!zed_open(&dev, NULL)) return zed_print_error(&dev, stdout), 1;
    RUN(ranges_end_where_they_should);
    zed_close(&dev);
    return test_report();
}
