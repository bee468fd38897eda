/* test_soft_frames.c - a kernel whose code takes more stack than its variables tell, as the quick tier's does: on the
 * program's thread, on the driver's, of which the program's thread-local variables take most, and in fibers, which run
 * work-groups whose subgroups wait within functions.
 *
 *     b[i] = mixed(a[j]), j the opposite work-item in the work-group
 *
 * mixed is of ROUNDS rounds of dot products of bytes among VALUES numbers, each of which is a dozen vectors of
 * temporaries in C. Numbers are compared exactly.
 */
#define _GNU_SOURCE
#include <level_zero/ze_api.h>
#include <stdlib.h>
#include <unistd.h>

#include "own_cache.h"
#include "spirv_emit.h"
#include "test.h"
#include "ze_dispatch.h"

enum { S = 32, GROUPS = 3, MOST = GROUPS * 4 * S, VALUES = 6, ROUNDS = 9, OF_THE_PROGRAM = 540 << 10 };
static const uint32_t ODD = 0x9e3779b9;

static _Thread_local volatile uint8_t thread_local_variable[OF_THE_PROGRAM];
static zed_device device;

/* ---- on the CPU */

static uint32_t dot(uint32_t a, uint32_t b)
{
    int32_t sum = 0;
    for (int i = 0; i < 32; i += 8) sum += (int8_t)(a >> i) * (int8_t)(b >> i);
    return (uint32_t)sum;
}

static uint32_t mixed(uint32_t x)
{
    uint32_t v[VALUES], sum = 0;
    for (uint32_t i = 0; i < VALUES; i++) v[i] = x * (ODD + 2 * i);
    for (int i = 0; i < ROUNDS * VALUES; i++) v[i % VALUES] += dot(v[i % VALUES], v[(i + 1) % VALUES]);
    for (int i = 0; i < VALUES; i++) sum += v[i] ^ sum << 3;
    return sum;
}

/* ---- as a kernel */

static spe_id emit_dot(spe_module *m, spe_id a, spe_id b)
{
    enum { PACKED_4X8_BIT = 0 };
    const uint32_t words[] = {a, b, PACKED_4X8_BIT};
    spe_capability(m, SPE_CapabilityDotProductInput4x8BitPacked);
    return spe_op(m, SPE_OpSDot, spe_int(m, 32), 3, words);
}

static spe_id emit_mixed(spe_module *m, spe_id x)
{
    spe_id v[VALUES], sum = spe_u32(m, 0);
    for (uint32_t i = 0; i < VALUES; i++) v[i] = spe_imul(m, x, spe_u32(m, ODD + 2 * i));
    for (int i = 0; i < ROUNDS * VALUES; i++) {
        spe_id product = emit_dot(m, v[i % VALUES], v[(i + 1) % VALUES]);
        v[i % VALUES] = spe_iadd(m, v[i % VALUES], product);
    }
    for (int i = 0; i < VALUES; i++) sum = spe_iadd(m, sum, spe_xor(m, v[i], spe_shl(m, sum, spe_u32(m, 3))));
    return sum;
}

static void emit_kernel(spe_module *m)
{
    spe_id u32 = spe_int(m, 32), wait = spe_function_begin(m, "wait", spe_void(m), 0, NULL);
    spe_param p[2];
    spe_kernel k;
    spe_barrier(m);
    spe_return(m);
    spe_function_end(m);
    memset(p, 0, sizeof p);
    memset(&k, 0, sizeof k);
    for (int i = 0; i < 2; i++) p[i].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, u32);
    k.name = "mix";
    k.params = p;
    k.param_count = 2;
    k.subgroup_size = S;
    spe_kernel_begin(m, &k);
    spe_id item = spe_uconvert(m, u32, spe_builtin(m, SPE_GLOBAL_ID, 0));
    spe_id lane = spe_uconvert(m, u32, spe_builtin(m, SPE_LOCAL_ID, 0));
    spe_id size = spe_uconvert(m, u32, spe_builtin(m, SPE_LOCAL_SIZE, 0));
    spe_id opposite = spe_isub(m, spe_isub(m, size, spe_u32(m, 1)), lane);
    spe_id local = spe_shared_var(m, spe_array(m, u32, 4 * S));
    spe_id x = spe_load(m, spe_index(m, spe_param_id(m, 0), item), 4);
    spe_store(m, spe_element(m, local, 1, &lane), x, 4);
    spe_call(m, wait, 0, NULL);
    x = spe_load(m, spe_element(m, local, 1, &opposite), 4);
    spe_store(m, spe_index(m, spe_param_id(m, 1), item), emit_mixed(m, x), 4);
    spe_kernel_end(m);
}

static ze_module_handle_t build(void)
{
    spe_module m;
    spe_begin(&m, NULL);
    emit_kernel(&m);
    spe_words w = spe_finish(&m);
    CHECK_MSG(spe_ok(&m), "%s", spe_get_error(&m)->text);
    test_save_spv("frames", w.data, w.count * 4);
    ze_module_desc_t d = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .format = ZE_MODULE_FORMAT_IL_SPIRV};
    ze_module_handle_t module = NULL;
    d.inputSize = w.count * 4;
    d.pInputModule = (const uint8_t *)w.data;
    CHECK_INT(zeModuleCreate(device.context, device.device, &d, &module, NULL), ZE_RESULT_SUCCESS);
    spe_free(&m);
    return module;
}

/* ---- runs */

/* Nobody waits for the launch, so that a thread of the driver runs it; or the launching thread does. */
static void launch(ze_kernel_handle_t k, bool apart)
{
    ze_command_queue_desc_t q = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                 .mode = apart ? ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS
                                               : ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_event_pool_desc_t pool_of_one = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                        .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE, .count = 1};
    ze_event_desc_t first = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_group_count_t groups = {GROUPS, 1, 1};
    ze_command_list_handle_t list;
    ze_event_pool_handle_t pool;
    ze_event_handle_t done;
    CHECK_INT(zeCommandListCreateImmediate(device.context, device.device, &q, &list), ZE_RESULT_SUCCESS);
    CHECK_INT(zeEventPoolCreate(device.context, &pool_of_one, 0, NULL, &pool), ZE_RESULT_SUCCESS);
    CHECK_INT(zeEventCreate(pool, &first, &done), ZE_RESULT_SUCCESS);
    CHECK_INT(zeCommandListAppendLaunchKernel(list, k, &groups, done, 0, NULL), ZE_RESULT_SUCCESS);
    for (int i = 0; i < 60000 && zeEventQueryStatus(done) == ZE_RESULT_NOT_READY; i++) usleep(1000);
    CHECK_INT(zeEventQueryStatus(done), ZE_RESULT_SUCCESS);
    zeEventDestroy(done);
    zeEventPoolDestroy(pool);
    zeCommandListDestroy(list);
}

static void check(ze_module_handle_t module, uint32_t subgroups, bool apart)
{
    ze_kernel_desc_t d = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "mix"};
    ze_kernel_handle_t k;
    uint32_t *v[2], wrong = 0, group = subgroups * S;
    CHECK_INT(zeKernelCreate(module, &d, &k), ZE_RESULT_SUCCESS);
    CHECK_INT(zeKernelSetGroupSize(k, group, 1, 1), ZE_RESULT_SUCCESS);
    for (uint32_t i = 0; i < 2; i++) {
        v[i] = (uint32_t *)zed_alloc(&device, ZED_SHARED, MOST * sizeof **v, 0);
        for (int j = 0; j < MOST; j++) v[i][j] = i ? 0xa5a5a5a5 : (uint32_t)test_random();
        CHECK_INT(zeKernelSetArgumentValue(k, i, sizeof v[i], &v[i]), ZE_RESULT_SUCCESS);
    }
    launch(k, apart);
    for (uint32_t j = 0; j < MOST; j++) {
        uint32_t opposite = j / group * group + group - 1 - j % group;
        wrong += v[1][j] != (j < GROUPS * group ? mixed(v[0][opposite]) : 0xa5a5a5a5);
    }
    CHECK_MSG(!wrong, "%u numbers are wrong", wrong);
    for (int i = 0; i < 2; i++) zed_free(&device, v[i]);
    zeKernelDestroy(k);
}

static ze_module_handle_t module;

TEST(on_the_thread_of_the_program) { check(module, 1, false); }
TEST(on_a_thread_of_the_driver) { check(module, 1, true); }
TEST(in_fibers) { check(module, 4, false); }
TEST(in_fibers_of_a_thread_of_the_driver) { check(module, 4, true); }

int main(void)
{
    setenv("XETILE_SOFT_THREADS", "1", 1); /* the thread that begins a launch runs all of it */
    setenv("XETILE_SOFT_TIER", "quick", 1);
    new_own_cache();
    if (!zed_open(&device, &(zed_options){.name = "software"})) return zed_print_error(&device, stderr), 1;
    thread_local_variable[0] = 1;
    module = build();
    RUN(on_the_thread_of_the_program);
    RUN(on_a_thread_of_the_driver);
    RUN(in_fibers);
    RUN(in_fibers_of_a_thread_of_the_driver);
    zeModuleDestroy(module);
    zed_close(&device);
    remove_own_cache();
    return test_report();
}
