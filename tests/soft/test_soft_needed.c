/* test_soft_needed.c - the checked mode and loads whose value only some lanes need: kernels select or mask it away in
 * the others, which load some safe address. Those neither race nor read unwritten memory, but must stay within bounds;
 * where the value is needed, everything is reported as ever. Also kernels of xetile.h that update memory in place.
 */
#include "spirv_emit.h"
#include "test.h"
#include "xetile.h"
#include "ze_dispatch.h"

enum { ITEMS = 64, UNWRITTEN = ITEMS, FAR = 1 << 20 };

static zed_device device;

/* What becomes of the value `v` that a lane has loaded; `mine`: it is the lane's own element. */
typedef spe_id use_of(spe_module *m, spe_id v, spe_id mine, spe_id item);

static spe_id zero(spe_module *m) { return spe_i32(m, 0); }
static spe_id selected(spe_module *m, spe_id v, spe_id mine, spe_id item)
{
    (void)item;
    return spe_select(m, mine, v, zero(m));
}
static spe_id selected_by_the_contrary(spe_module *m, spe_id v, spe_id mine, spe_id item)
{
    (void)item;
    return spe_select(m, spe_lnot(m, mine), zero(m), v);
}
static spe_id masked(spe_module *m, spe_id v, spe_id mine, spe_id item)
{
    (void)item;
    return spe_and(m, v, spe_select(m, mine, spe_i32(m, -1), zero(m)));
}
static spe_id converted(spe_module *m, spe_id v, spe_id mine, spe_id item)
{
    spe_id wide = spe_sconvert(m, spe_int(m, 64), spe_iadd(m, v, item));
    return spe_cast(m, spe_int(m, 32), spe_select(m, mine, wide, spe_null(m, spe_int(m, 64))), true);
}
static spe_id in_a_vector(spe_module *m, spe_id v, spe_id mine, spe_id item)
{
    spe_id pair[2], tests[2];
    pair[0] = v, pair[1] = item, tests[0] = mine, tests[1] = spe_const_bool(m, true);
    spe_id both = spe_construct(m, spe_vec(m, spe_int(m, 32), 2), 2, pair);
    both =
        spe_select(m, spe_construct(m, spe_vec(m, spe_bool(m), 2), 2, tests), both, spe_null(m, spe_type_of(m, both)));
    return spe_iadd(m, spe_extract(m, both, 0), spe_extract(m, both, 1));
}
static spe_id by_two_tests(spe_module *m, spe_id v, spe_id mine, spe_id item)
{
    return spe_select(m, spe_land(m, spe_sge(m, item, zero(m)), mine), v, zero(m));
}
static spe_id used(spe_module *m, spe_id v, spe_id mine, spe_id item)
{
    return spe_iadd(m, spe_select(m, mine, v, zero(m)), spe_iadd(m, v, item));
}
static spe_id by_another_test(spe_module *m, spe_id v, spe_id mine, spe_id item)
{
    (void)mine;
    return spe_select(m, spe_sge(m, item, zero(m)), v, zero(m));
}
static spe_id by_itself(spe_module *m, spe_id v, spe_id mine, spe_id item)
{
    (void)mine;
    (void)item;
    return spe_select(m, spe_sgt(m, v, zero(m)), v, zero(m)); /* known only after the load */
}
static spe_id selected_on_one_way(spe_module *m, spe_id v, spe_id mine, spe_id item)
{
    spe_id kept = spe_select(m, mine, v, zero(m)), out = v;
    spe_if(m, spe_sgt(m, item, spe_i32(m, 20)));
    spe_endif_from(m, 1, &kept, &v, &out);
    return out;
}

/* Even work-items load their own element, others element `elsewhere`; then all store their own. */
static bool runs(const char *name, use_of *use, int32_t elsewhere)
{
    spe_module m;
    spe_param params[2];
    spe_kernel k;
    zed_module module;
    zed_kernel kernel;
    bool good = false;
    memset(params, 0, sizeof params);
    memset(&k, 0, sizeof k);
    spe_begin(&m, NULL);
    for (int i = 0; i < 2; i++) params[i].type = spe_ptr(&m, SPE_StorageClassCrossWorkgroup, spe_int(&m, 32));
    k.name = "loads", k.params = params, k.param_count = 2;
    spe_kernel_begin(&m, &k);
    spe_id item = spe_builtin(&m, SPE_GLOBAL_ID, 0), a = spe_param_id(&m, 0), own;
    spe_id mine = spe_ieq(&m, spe_and(&m, item, spe_i32(&m, 1)), zero(&m));
    own = spe_index(&m, a, item);
    spe_id v = spe_load(&m, spe_index(&m, a, spe_select(&m, mine, item, spe_i32(&m, elsewhere))), 4);
    spe_store(&m, spe_index(&m, spe_param_id(&m, 1), item), use(&m, v, mine, item), 4);
    spe_store(&m, own, spe_iadd(&m, item, spe_i32(&m, 1000)), 4);
    spe_kernel_end(&m);
    spe_words w = spe_finish(&m);
    CHECK_MSG(w.data, "%s: %s", name, spe_get_error(&m)->text);
    int32_t *from = zed_alloc(&device, ZED_SHARED, (ITEMS + 64) * 4, 0),
            *to = zed_alloc(&device, ZED_SHARED, ITEMS * 4, 0);
    for (int i = 0; i < ITEMS && from; i++) from[i] = i + 1;
    if (w.data && from && to && zed_module_load(&module, &device, w.data, w.count * 4, NULL) &&
        zed_kernel_get(&kernel, &module, "loads", "ptr<i32> a, ptr<i32> r") && zed_local_size(&kernel, ITEMS, 1, 1))
        good = zed_launch(&kernel, (zed_groups){1, 1, 1}, from, to);
    if (!good) zed_clear_error(&device);
    for (int i = 0; good && i < ITEMS; i++) CHECK_INT(from[i], i + 1000);
    zed_free(&device, from);
    zed_free(&device, to);
    spe_free(&m);
    return good;
}

static const struct {
    const char *name;
    use_of *use;
    bool is_needed;
} uses[] = {
#define USE(name, is_needed)                                                                                           \
    {                                                                                                                  \
#name, name, is_needed                                                                                         \
    }
    USE(selected, false),    USE(selected_by_the_contrary, false),
    USE(masked, false),      USE(converted, false),
    USE(in_a_vector, false), USE(by_two_tests, false),
    USE(used, true),         USE(by_another_test, true),
    USE(by_itself, true),    USE(selected_on_one_way, true),
};
enum { USES = sizeof uses / sizeof uses[0] };

TEST(races_are_of_values_that_are_needed)
{
    for (int i = 0; i < USES; i++)
        CHECK_MSG(runs(uses[i].name, uses[i].use, 0) == !uses[i].is_needed, "%s: %s", uses[i].name,
                  uses[i].is_needed ? "no race" : "a race");
}

TEST(unwritten_memory_may_be_loaded_and_not_used)
{
    for (int i = 0; i < USES; i++)
        CHECK_MSG(runs(uses[i].name, uses[i].use, UNWRITTEN) == !uses[i].is_needed, "%s: %s", uses[i].name,
                  uses[i].is_needed ? "no report" : "a report");
}

TEST(bounds_hold_for_all)
{
    for (int i = 0; i < USES; i++) CHECK_MSG(!runs(uses[i].name, uses[i].use, FAR), "%s: no report", uses[i].name);
}

/* ---- xetile.h, in place */

typedef struct {
    int type;
} chosen;
enum { BY_TILE, BY_OFFSETS, WAYS };
static struct {
    chosen type;
    int bytes, rows, cols, way;
} now;
static const struct {
    const char *name;
    int type, bytes;
} types[] = {{"f32", CM_F32, 4}, {"f16", CM_F16, 2}, {"i8", CM_I8, 1}, {"f64", CM_F64, 8}};

/* Eight subgroups, each with a piece of rows x cols, add 1 to an M x N matrix; M and N may end within a piece. */
XT_KERNEL(update, u64(Y), u32(M), u32(N))
{
    const xt_map map = XT_MAP(.sg_layout = {8, 1}, .sg_data = {now.rows, now.cols});
    const chosen t = now.type;
    if (now.way == BY_OFFSETS) {
        xt_vec at = XT_ADD(XT_MUL(XT_IOTA(i32, 8 * now.rows, now.cols, 0, .map = map), now.cols),
                           XT_IOTA(i32, 8 * now.rows, now.cols, 1, .map = map));
        xt_tile y = XT_INIT_TILE(Y, of(t), 8 * now.rows, now.cols, .scatter = at, .shape = XT_AT(XT_MUL(M, now.cols)));
        XT_STORE_SCATTER(XT_ADD(XT_LOAD_GATHER(y), 1), y);
        return;
    }
    xt_tile y = XT_INIT_TILE(Y, of(t), 8 * now.rows, now.cols, .shape = XT_AT(M, N), .map = map);
    XT_STORE_TILE(XT_ADD(XT_LOAD_TILE(y), 1), y);
}

static bool updates(int m, int n)
{
    size_t bytes = (size_t)(m * n * now.bytes);
    uint8_t *y = zed_alloc(&device, ZED_SHARED, bytes, 0);
    xt_module built = XT_BUILD(update, &(xt_target){ZED_TARGET(&device)});
    zed_kernel kernel;
    bool good = false;
    if (!built.words) spe_print_error(built.error, stdout);
    CHECK(built.words);
    if (y) memset(y, 0, bytes);
    if (y && built.words && ZED_LOAD(&kernel, &device, built))
        good = zed_launch(&kernel, (zed_groups){1, 1, 1}, (uint64_t)(uintptr_t)y, (uint32_t)m, (uint32_t)n);
    for (size_t i = now.bytes; good && i < bytes; i++) CHECK(y[i] == y[i % (size_t)now.bytes]); /* all are 1 */
    CHECK(!good || memcmp(y, (uint8_t[8]){0}, (size_t)now.bytes) != 0);
    if (!good) zed_clear_error(&device);
    zed_free(&device, y);
    xt_free(&built);
    return good;
}

TEST(updates_in_place)
{
    static const int pieces[][2] = {{4, 1}, {1, 4}, {3, 5}, {8, 16}, {16, 1}, {1, 20}, {5, 33}};
    for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++)
        for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
            for (int way = 0; way < WAYS; way++) {
                if (!test_takes((int)(p + t) + way, 2)) continue;
                /* rows of a block that are packed in a dword count as read together */
                if (way == BY_TILE && types[t].bytes == 1 && pieces[p][0] % 4) continue;
                now.type.type = types[t].type, now.bytes = types[t].bytes, now.way = way;
                now.rows = pieces[p][0], now.cols = pieces[p][1];
                int m = 8 * now.rows, n = now.cols, fewer = n > 1 && way == BY_TILE ? n - 1 : n;
                CHECK_MSG(updates(m, n), "%d x %d of %s, way %d", m, n, types[t].name, way);
                CHECK_MSG(updates(m - now.rows - 1, fewer), "%d x %d of %s, way %d", m, n, types[t].name, way);
            }
}

int main(void)
{
    setenv("XETILE_SOFT_CHECK", "2", 1); /* launches with faults fail */
    setenv("XETILE_SOFT_TIER", "quick", 0);
    if (!zed_open(&device, &(zed_options){.name = "software"})) return zed_print_error(&device, stderr), 1;
    RUN(races_are_of_values_that_are_needed);
    RUN(unwritten_memory_may_be_loaded_and_not_used);
    RUN(bounds_hold_for_all);
    RUN(updates_in_place);
    zed_close(&device);
    return test_report();
}
