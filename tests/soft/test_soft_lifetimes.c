/* test_soft_lifetimes.c - what a running launch uses is kept until it ends, in whatever order a program destroys or
 * resets it: modules, kernels, lists, events, fences, images.
 */
#define _GNU_SOURCE
#include <level_zero/ze_api.h>
#include <unistd.h>

#include "driver_kernels.h"
#include "test.h"
#include "ze_dispatch.h"

#define OK(call) CHECK_INT((call), ZE_RESULT_SUCCESS)
enum { N = 4096, SIDE = 16, SECOND = 1000000000 };

static zed_device device;
static ze_command_queue_handle_t queue;
static volatile uint32_t *gate; /* the first launch ends when this is 1 */
static float *numbers[3];

static ze_module_handle_t new_module(void)
{
    ze_module_desc_t d = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                          .format = ZE_MODULE_FORMAT_IL_SPIRV,
                          .inputSize = sizeof driver_kernels,
                          .pInputModule = (const uint8_t *)driver_kernels};
    ze_module_handle_t m = NULL;
    OK(zeModuleCreate(device.context, device.device, &d, &m, NULL));
    return m;
}

static ze_kernel_handle_t new_kernel(ze_module_handle_t m, const char *name)
{
    ze_kernel_desc_t d = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t k = NULL;
    OK(zeKernelCreate(m, &d, &k));
    return k;
}

static ze_command_list_handle_t new_list(void)
{
    ze_command_list_desc_t d = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_list_handle_t l = NULL;
    OK(zeCommandListCreate(device.context, device.device, &d, &l));
    return l;
}

/* What each round submits: a launch that waits for the gate, then c = a + b. */
struct objects {
    ze_module_handle_t module;
    ze_kernel_handle_t meet, add;
    ze_command_list_handle_t list;
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    ze_fence_handle_t fence;
};

static struct objects new_objects(void)
{
    struct objects o = {.module = new_module(), .list = new_list()};
    ze_event_pool_desc_t p = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 1};
    ze_event_desc_t e = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_fence_desc_t f = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    o.meet = new_kernel(o.module, "meet");
    o.add = new_kernel(o.module, "add");
    OK(zeEventPoolCreate(device.context, &p, 1, &device.device, &o.pool));
    OK(zeEventCreate(o.pool, &e, &o.event));
    OK(zeFenceCreate(queue, &f, &o.fence));
    return o;
}

static void append(const struct objects *o)
{
    const uint32_t n = N;
    const ze_group_count_t one = {1, 1, 1}, groups = {N / 32, 1, 1};
    OK(zeKernelSetGroupSize(o->meet, 16, 1, 1));
    OK(zeKernelSetArgumentValue(o->meet, 0, sizeof gate, &gate));
    OK(zeKernelSetGroupSize(o->add, 32, 1, 1));
    for (uint32_t i = 0; i < 3; i++) OK(zeKernelSetArgumentValue(o->add, i, sizeof numbers[i], &numbers[i]));
    OK(zeKernelSetArgumentValue(o->add, 3, sizeof n, &n));
    OK(zeCommandListAppendLaunchKernel(o->list, o->meet, &one, o->event, 0, NULL));
    OK(zeCommandListAppendLaunchKernel(o->list, o->add, &groups, NULL, 1, (ze_event_handle_t[]){o->event}));
}

static void new_numbers(void)
{
    for (int i = 0; i < N; i++) {
        numbers[0][i] = (float)test_normal();
        numbers[1][i] = (float)test_normal();
        numbers[2][i] = NAN;
    }
}

static void check_sums(const char *what, unsigned bits)
{
    int wrong = 0;
    for (int i = 0; i < N; i++) wrong += numbers[2][i] != numbers[0][i] + numbers[1][i];
    CHECK_MSG(wrong == 0, "%s %#x: %d of %d sums are wrong", what, bits, wrong, N);
}

/* Runs it up to the gate. */
static void begin(const struct objects *o)
{
    *gate = UINT32_MAX; /* the launch adds 1, then waits until it is 1 */
    OK(zeCommandListClose(o->list));
    OK(zeCommandQueueExecuteCommandLists(queue, 1, (ze_command_list_handle_t[]){o->list}, o->fence));
    for (int tries = 0; *gate && tries < 10000; tries++) usleep(500);
    CHECK_INT(*gate, 0);
}

/* Freed memory is given to others, who write it. */
static void use_freed_memory(void)
{
    enum { BLOCKS = 400 };
    void *block[BLOCKS];
    for (size_t i = 0; i < BLOCKS; i++) {
        size_t size = 16 + i * 24;
        block[i] = malloc(size);
        if (block[i]) memset(block[i], 0xdb, size);
    }
    for (size_t i = 0; i < BLOCKS; i++) free(block[i]);
}

static void end(void)
{
    use_freed_memory();
    *gate = 1;
    OK(zeCommandQueueSynchronize(queue, UINT64_C(20) * SECOND));
}

enum { MODULE = 1, KERNELS = 2, LIST = 4, EVENT = 8, FENCE = 16, ALL = 31 };

static void destroy(const struct objects *o, unsigned which, bool reset)
{
    if (which & MODULE) OK(zeModuleDestroy(o->module));
    if (which & KERNELS) OK(zeKernelDestroy(o->meet));
    if (which & KERNELS) OK(zeKernelDestroy(o->add));
    if (which & LIST) OK(reset ? zeCommandListReset(o->list) : zeCommandListDestroy(o->list));
    if (which & EVENT) OK(zeEventDestroy(o->event));
    if (which & EVENT) OK(zeEventPoolDestroy(o->pool));
    if (which & FENCE) OK(zeFenceDestroy(o->fence));
}

TEST(destroyed_while_it_runs)
{
    for (unsigned which = 0; which <= ALL; which++) {
        struct objects o = new_objects();
        new_numbers();
        append(&o);
        begin(&o);
        destroy(&o, which, false);
        end();
        check_sums("destroyed", which);
        destroy(&o, ALL & ~which, false);
    }
}

/* A list that is reset gets other commands while its former ones run. */
TEST(reset_while_it_runs)
{
    const uint32_t pattern = 0x3f800000;
    for (unsigned which = 0; which <= (MODULE | KERNELS); which++) {
        struct objects o = new_objects();
        new_numbers();
        append(&o);
        begin(&o);
        destroy(&o, which | LIST, true);
        OK(zeCommandListAppendMemoryFill(o.list, numbers[0], &pattern, 4, N * sizeof(float), NULL, 0, NULL));
        OK(zeCommandListClose(o.list));
        end();
        check_sums("reset", which);
        OK(zeCommandQueueExecuteCommandLists(queue, 1, &o.list, NULL));
        OK(zeCommandQueueSynchronize(queue, UINT64_MAX));
        for (int i = 0; i < N; i++) CHECK(numbers[0][i] == 1.0f);
        destroy(&o, ALL & ~which, false);
    }
}

/* Submitted twice, and destroyed when the first submission has ended. */
TEST(destroyed_between_submissions)
{
    struct objects o = new_objects();
    new_numbers();
    append(&o);
    OK(zeCommandListAppendEventReset(o.list, o.event));
    begin(&o);
    OK(zeCommandQueueExecuteCommandLists(queue, 1, &o.list, NULL));
    *gate = UINT32_MAX; /* ends the first, and lets the second wait */
    for (int tries = 0; *gate && tries < 10000; tries++) usleep(500);
    CHECK_INT(*gate, 0);
    destroy(&o, MODULE | KERNELS | LIST, false);
    end();
    check_sums("submitted twice", 0);
    destroy(&o, EVENT | FENCE, false);
}

static ze_image_handle_t new_image(const uint8_t *texels)
{
    ze_image_desc_t d = {.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
                         .type = ZE_IMAGE_TYPE_2D,
                         .format = {.layout = ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, .type = ZE_IMAGE_FORMAT_TYPE_UINT},
                         .width = SIDE,
                         .height = SIDE,
                         .depth = 1};
    ze_command_queue_desc_t q = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                 .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_command_list_handle_t l = NULL;
    ze_image_handle_t image = NULL;
    OK(zeImageCreate(device.context, device.device, &d, &image));
    OK(zeCommandListCreateImmediate(device.context, device.device, &q, &l));
    OK(zeCommandListAppendImageCopyFromMemory(l, image, texels, NULL, NULL, 0, NULL));
    OK(zeCommandListDestroy(l));
    return image;
}

TEST(an_image_is_destroyed_before_its_copy)
{
    uint8_t texels[SIDE * SIDE * 4], copied[SIDE * SIDE * 4];
    struct objects o = new_objects();
    for (size_t i = 0; i < sizeof texels; i++) texels[i] = (uint8_t)test_random();
    memset(copied, 0xa5, sizeof copied);
    ze_image_handle_t image = new_image(texels);
    new_numbers();
    append(&o);
    OK(zeCommandListAppendImageCopyToMemory(o.list, copied, image, NULL, NULL, 0, NULL));
    begin(&o);
    OK(zeImageDestroy(image));
    end();
    CHECK(memcmp(copied, texels, sizeof texels) == 0);
    destroy(&o, ALL, false);
}

int main(void)
{
    ze_command_queue_desc_t d = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                 .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    if (!zed_open(&device, NULL)) return zed_print_error(&device, stderr), 1;
    OK(zeCommandQueueCreate(device.context, device.device, &d, &queue));
    gate = zed_alloc(&device, ZED_SHARED, 4096, 0);
    for (int i = 0; i < 3; i++) numbers[i] = zed_alloc(&device, ZED_SHARED, N * sizeof(float), 0);
    if (!gate || !numbers[0] || !numbers[1] || !numbers[2]) return zed_print_error(&device, stderr), 1;
    RUN(destroyed_while_it_runs);
    RUN(reset_while_it_runs);
    RUN(destroyed_between_submissions);
    RUN(an_image_is_destroyed_before_its_copy);
    OK(zeCommandQueueDestroy(queue));
    zed_close(&device);
    return test_report();
}
