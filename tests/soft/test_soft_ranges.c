/* test_soft_ranges.c - ids times one constant plus another, widened: results that just fit the narrow type, just do not
 * fit, or wrap in some lanes only. The device determines from the constants which of them need no check at run time.
 *
 *     r[(item * CASES + case) * 2] is the sum as an unsigned number of 64 bits, the next one as a signed number
 */
#include "spirv_emit.h"
#include "test.h"
#include "ze_dispatch.h"

enum { ITEMS = 32, LANES = 16, GROUPS = 2 };

/* The largest id is 31 of the work-group, 15 of the subgroup. */
static const struct {
    bool of_subgroup;
    uint32_t factor, sum;
} cases[] = {
    {false, 1, 0}, {true, 1, 0}, {false, 3, 100}, {true, 3, 100},
    {true, 0x11111111, 0}, {true, 0x11111111, 1}, {true, 0x08888888, 7}, {true, 0x08888888, 8},
    {true, 0x10000000, 0}, {true, 0x20000000, 5}, {false, 0x08421084, 3}, {false, 0x08421084, 4},
    {false, 0x04210842, 1}, {false, 0x04210842, 2}, {true, 1, 0xfffffff0}, {true, 1, 0xfffffff1},
    {true, 1, 0x7ffffff0}, {true, 1, 0x7ffffff1}, {false, 1, 0xfffffff8}, {false, 0, 0xffffffff},
    {true, 0xffffffff, 0}, {true, 0xffffffff, 15}, {false, 0xfffffffe, 62}, {false, 2, 0x7fffffc1},
    {false, 2, 0x7fffffc2},
};
enum { CASES = sizeof cases / sizeof *cases };

static void emit(spe_module *m, const char *name, uint32_t local_size)
{
    spe_param params[1];
    spe_kernel k;
    memset(params, 0, sizeof params);
    memset(&k, 0, sizeof k);
    spe_begin(m, NULL);
    spe_id wide = spe_int(m, 64);
    params[0].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, wide);
    k.name = name;
    k.params = params;
    k.param_count = 1;
    k.local_size[0] = local_size;
    k.subgroup_size = LANES;
    spe_kernel_begin(m, &k);
    spe_id item = spe_builtin(m, SPE_GLOBAL_ID, 0);
    for (uint32_t i = 0; i < CASES; i++) {
        spe_id id = spe_builtin(m, cases[i].of_subgroup ? SPE_SUBGROUP_LANE : SPE_LOCAL_ID, 0);
        spe_id sum = spe_iadd(m, spe_imul(m, id, spe_u32(m, cases[i].factor)), spe_u32(m, cases[i].sum));
        spe_id at = spe_iadd(m, spe_imul(m, item, spe_u32(m, 2 * CASES)), spe_u32(m, 2 * i));
        spe_store(m, spe_index(m, spe_param_id(m, 0), at), spe_uconvert(m, wide, sum), 8);
        at = spe_iadd(m, at, spe_u32(m, 1));
        spe_store(m, spe_index(m, spe_param_id(m, 0), at), spe_sconvert(m, wide, sum), 8);
    }
    spe_kernel_end(m);
}

static zed_device device;

static void check_all(const char *name, uint32_t local_size)
{
    const size_t count = (size_t)GROUPS * ITEMS * CASES * 2;
    spe_module m;
    spe_words w;
    zed_module module;
    zed_kernel kernel;
    uint64_t *r = (uint64_t *)zed_alloc(&device, ZED_SHARED, count * 8, 0);
    emit(&m, name, local_size);
    w = spe_finish(&m);
    CHECK_MSG(w.data, "%s", spe_get_error(&m)->text);
    if (r) memset(r, 0x77, count * 8);
    if (w.data) test_save_spv(name, w.data, w.count * 4);
    if (w.data && r && zed_module_load(&module, &device, w.data, w.count * 4, NULL) &&
        zed_kernel_get(&kernel, &module, name, "ptr<u64> r") && zed_local_size(&kernel, ITEMS, 1, 1))
        zed_launch(&kernel, (zed_groups){GROUPS, 1, 1}, r);
    CHECK_MSG(zed_get_error(&device)->id == 0, "%s %s", zed_get_error(&device)->text, zed_build_log(&device));
    for (size_t n = 0; r && n < count / 2 && zed_get_error(&device)->id == 0; n++) {
        size_t i = n % CASES, item = n / CASES;
        uint32_t id = (uint32_t)(cases[i].of_subgroup ? item % LANES : item % ITEMS);
        uint32_t sum = id * cases[i].factor + cases[i].sum;
        CHECK_MSG(r[2 * n] == sum && r[2 * n + 1] == (uint64_t)(int64_t)(int32_t)sum,
                  "item %zu, %u * 0x%x + 0x%x: %llx and %llx", item, id, cases[i].factor, cases[i].sum,
                  (unsigned long long)r[2 * n], (unsigned long long)r[2 * n + 1]);
    }
    zed_free(&device, r);
    spe_free(&m);
}

TEST(of_a_stated_size) { check_all("ranges_stated", ITEMS); }
TEST(of_any_size) { check_all("ranges_any", 0); }

int main(void)
{
    if (!zed_open(&device, &(zed_options){.name = "software"})) return zed_print_error(&device, stderr), 1;
    RUN(of_a_stated_size);
    RUN(of_any_size);
    zed_close(&device);
    return test_report();
}
