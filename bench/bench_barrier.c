/* bench_barrier.c - the cost of a barrier per subgroup: a work-group of 16 subgroups with repeated barriers, minus the
 * same launch without. Two kernels: one of barriers alone, and one that also sums over the work-group (on the software
 * device, the first returns at each barrier and is called again, the second uses coroutines).
 */
#include "spirv_emit.h"
#include "ze_dispatch.h"

#include "bench.h"

enum { RUNS = 7, SUBGROUP = 16, ITEMS = 256, ROUNDS = 20000 };

static bool fail(const zed_device *d) { return zed_print_error(d, stderr), false; }

/* out[i] = i + rounds, or with `sums` the sum of all items: 0 + 1 + ... + 255 + 256 rounds. */
static void emit(spe_module *m, bool sums)
{
    spe_id u32 = spe_int(m, 32);
    spe_param params[2] = {{spe_ptr(m, SPE_StorageClassCrossWorkgroup, u32), "out", false, false, 0},
                           {u32, "rounds", false, false, 0}};
    spe_kernel k = {"barriers", SUBGROUP, {ITEMS, 1, 1}, 0, params, 2, SPE_CONTRACT_ALLOWED};
    spe_kernel_begin(m, &k);
    spe_id item = spe_builtin(m, SPE_LOCAL_ID, 0), value = item;
    spe_for(m, spe_u32(m, 0), spe_param_id(m, 1), spe_u32(m, 1), 1, &value);
    spe_barrier(m);
    value = spe_iadd(m, value, spe_u32(m, 1));
    spe_endfor(m, 1, &value);
    if (sums) value = spe_wg_reduce(m, SPE_RED_ADD, value);
    spe_store(m, spe_index(m, spe_param_id(m, 0), item), value, 0);
    spe_kernel_end(m);
}

/* Median nanoseconds of a launch; negative if it failed or the result is wrong. */
static double launch(zed_kernel *k, uint32_t *out, uint32_t rounds, bool sums)
{
    double t[RUNS];
    for (int i = 0; i < RUNS; i++) {
        for (uint32_t j = 0; j < ITEMS; j++) out[j] = UINT32_MAX;
        t[i] = zed_launch_timed(k, (zed_groups){1, 1, 1}, out, rounds);
        if (t[i] < 0) return -1;
        for (uint32_t j = 0; j < ITEMS; j++)
            if (out[j] != (sums ? ITEMS * (ITEMS - 1) / 2 + ITEMS * rounds : j + rounds)) return -1;
    }
    return bench_median(t, RUNS);
}

static bool measure(zed_device *d, bool sums, const char *name)
{
    spe_module m = {0};
    spe_words words;
    zed_module module;
    zed_kernel kernel;
    uint32_t *out = zed_alloc(d, ZED_SHARED, ITEMS * sizeof *out, 0);
    double none = -1, all = -1;
    spe_begin(&m, NULL);
    emit(&m, sums);
    words = spe_finish(&m);
    if (!spe_ok(&m)) return spe_print_error(spe_get_error(&m), stderr), spe_free(&m), false;
    if (out && zed_module_load(&module, d, words.data, words.count * 4, NULL) &&
        zed_kernel_get(&kernel, &module, "barriers", "ptr<u32> out, u32 rounds")) {
        none = launch(&kernel, out, 0, sums);
        all = launch(&kernel, out, ROUNDS, sums);
    }
    spe_free(&m);
    if (none < 0 || all < 0) return printf("FAILED bench %s\n", name), fail(d);
    bench_line(name, (all - none) / ((double)ROUNDS * ITEMS / SUBGROUP), "ns");
    return true;
}

int main(void)
{
    zed_device d;
    bool ok = zed_open(&d, NULL) || fail(&d);
    ok = ok && measure(&d, false, "barrier") && measure(&d, true, "barrier_beside_sums");
    zed_close(&d);
    return !ok;
}
