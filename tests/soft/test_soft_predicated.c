/* test_soft_predicated.c - OpPredicatedLoadINTEL and OpPredicatedStoreINTEL: if the condition is false, nothing is read
 * or written, whatever the pointer; normally and in the checked mode, which must not report them.
 */
#include "spirv_emit.h"
#include "test.h"
#include "ze_dispatch.h"

#include <sys/wait.h>
#include <unistd.h>

enum { N = 77, PARTS = 8, GROUP = 40 };
static const char *const params_text = "ptr<i32> from, ptr<i32> to, ptr<i32> stored, u32 flag";

static zed_device device;

static spe_id element(spe_module *m, uint32_t param, spe_id item) { return spe_index(m, spe_param_id(m, param), item); }

static void keep(spe_module *m, spe_id item, int32_t part, spe_id v)
{
    spe_store(m, element(m, 1, spe_iadd(m, spe_imul(m, item, spe_i32(m, PARTS)), spe_i32(m, part))), v, 4);
}

/* An invalid pointer unless the condition holds. */
static spe_id wild_unless(spe_module *m, spe_id condition, spe_id pointer)
{
    return spe_select(m, condition, pointer, spe_null(m, spe_type_of(m, pointer)));
}

static void body(spe_module *m, spe_id item)
{
    spe_id three = spe_i32(m, 3), odd = spe_ine(m, spe_and(m, item, spe_i32(m, 1)), spe_i32(m, 0));
    spe_id third = spe_ieq(m, spe_umod(m, item, three), spe_i32(m, 0)), flag = spe_param_id(m, 3);
    spe_id set = spe_ine(m, flag, spe_i32(m, 0)), i32x3 = spe_vec(m, spe_int(m, 32), 3), mine;
    spe_id first = element(m, 0, spe_i32(m, 5));
    /* of lanes' own pointers, and of one for all; conditions of lanes, and one for all */
    keep(m, item, 0, spe_load_if(m, wild_unless(m, odd, element(m, 0, item)), odd, item, 4));
    keep(m, item, 1, spe_load_if(m, wild_unless(m, set, element(m, 0, item)), set, spe_i32(m, -7), 4));
    keep(m, item, 2, spe_load_if(m, wild_unless(m, set, first), set, item, 4));
    keep(m, item, 3, spe_load_if(m, first, third, spe_i32(m, -8), 4));
    /* a vector */
    spe_id vectors = spe_ptr_cast(m, spe_param_id(m, 0), i32x3);
    spe_id v = spe_load_if(m, wild_unless(m, third, spe_index(m, vectors, spe_udiv(m, item, three))), third,
                           spe_splat(m, i32x3, item), 4);
    keep(m, item, 4, spe_add(m, spe_extract(m, v, 0), spe_extract(m, v, 2)));
    /* private memory */
    mine = spe_local_var(m, spe_int(m, 32));
    spe_store(m, mine, spe_i32(m, 11), 4);
    spe_store_if(m, mine, item, odd, 4);
    keep(m, item, 5, spe_load_if(m, mine, spe_lnot(m, third), spe_i32(m, -9), 4));
    /* stores: of lanes, and of the last lane to one place */
    spe_store_if(m, wild_unless(m, third, element(m, 2, item)), spe_imul(m, item, three), third, 4);
    spe_store_if(m, wild_unless(m, set, element(m, 2, spe_i32(m, N))), flag, set, 4);
}

static bool emit(spe_module *m)
{
    spe_param params[4];
    spe_kernel k;
    memset(params, 0, sizeof params);
    memset(&k, 0, sizeof k);
    spe_begin(m, NULL);
    for (int i = 0; i < 3; i++) params[i].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, spe_int(m, 32));
    params[3].type = spe_int(m, 32);
    k.name = "predicated";
    k.params = params;
    k.param_count = 4;
    spe_kernel_begin(m, &k);
    spe_id item = spe_builtin(m, SPE_GLOBAL_ID, 0);
    spe_if(m, spe_ult(m, item, spe_i32(m, N)));
    body(m, item);
    spe_endif(m, 0, NULL, NULL);
    spe_kernel_end(m);
    return true;
}

static void compare(const int32_t *from, const int32_t *to, const int32_t *stored, int32_t flag)
{
    for (int32_t i = 0; i < N; i++) {
        bool odd = i & 1, third = i % 3 == 0;
        int32_t at = i / 3 * 4;
        int32_t want[6] = {odd ? from[i] : i,
                           flag ? from[i] : -7,
                           flag ? from[5] : i,
                           third ? from[5] : -8,
                           third ? from[at] + from[at + 2] : 2 * i,
                           third ? -9
                           : odd ? i
                                 : 11};
        for (int k = 0; k < 6; k++)
            CHECK_MSG(to[i * PARTS + k] == want[k], "flag %d, item %d, part %d: %d, want %d", flag, i, k,
                      to[i * PARTS + k], want[k]);
        CHECK_MSG(stored[i] == (third ? 3 * i : -1), "item %d stored %d", i, stored[i]);
    }
    CHECK_INT(stored[N], flag ? flag : -1);
}

TEST(loads_and_stores_under_conditions)
{
    spe_module m;
    zed_module module;
    zed_kernel kernel;
    int32_t *from = (int32_t *)zed_alloc(&device, ZED_SHARED, 2 * N * 4, 0);
    int32_t *to = (int32_t *)zed_alloc(&device, ZED_SHARED, N * PARTS * 4, 0);
    int32_t *stored = (int32_t *)zed_alloc(&device, ZED_SHARED, (N + 1) * 4, 0);
    emit(&m);
    spe_words w = spe_finish(&m);
    CHECK_MSG(w.data && from && to && stored, "%s", spe_get_error(&m)->text);
    for (int i = 0; i < 2 * N && from; i++) from[i] = 1000 + (int32_t)(test_uniform() * 1000);
    for (int32_t flag = 0; flag < 3 && w.data && to && stored; flag += 2) {
        for (int i = 0; i <= N; i++) stored[i] = -1;
        if (zed_module_load(&module, &device, w.data, w.count * 4, NULL) &&
            zed_kernel_get(&kernel, &module, "predicated", params_text) && zed_local_size(&kernel, GROUP, 1, 1))
            zed_launch(&kernel, (zed_groups){2, 1, 1}, from, to, stored, (uint32_t)flag);
        CHECK_MSG(zed_get_error(&device)->id == 0, "%s %s", zed_get_error(&device)->text, zed_build_log(&device));
        if (zed_get_error(&device)->id == 0) compare(from, to, stored, flag);
    }
    spe_free(&m);
}

/* Runs this program again, in a mode where launches with faults fail. */
static const char *program;
TEST(the_checked_mode_agrees)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        setenv("XETILE_SOFT_CHECK", "2", 1);
        execl(program, program, "checked", (char *)NULL);
        _exit(127);
    }
    if (child > 0) waitpid(child, &status, 0);
    CHECK(child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int argc, char **argv)
{
    program = argv[0];
    if (argc == 1) RUN(the_checked_mode_agrees);
    if (!zed_open(&device, &(zed_options){.name = "software"})) return zed_print_error(&device, stderr), 1;
    RUN(loads_and_stores_under_conditions);
    zed_close(&device);
    return test_report();
}
