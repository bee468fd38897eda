/* test_vulkan_dispatch.c - vk_dispatch.h on a Vulkan device if there is one (lavapipe will do): batches in flight and
 * changed, events, several queues and threads, times, caches of what the driver compiled; and what Vulkan's calls may
 * fail with: every call that vk_dispatch.h makes is made to fail. */
#undef XETILE_DECLARATIONS /* the bodies are here: Vulkan's functions are replaced */
#include "test.h"

#include "spirv_emit.h"
#include "vulkan_module.h"

#if !defined(__has_include)
#define NO_VULKAN
#elif !__has_include(<vulkan/vulkan_core.h>)
#define NO_VULKAN
#endif

#if defined(NO_VULKAN)
int main(void)
{
    printf("skipped: Vulkan's headers are missing\n");
    test_.skipped++;
    return test_report();
}
#else
#include <dlfcn.h>
#include <pthread.h>
#include <sys/stat.h>

/* ---- Vulkan, of which one call can be made to fail: vk_dispatch.h finds its functions here */

static void *pretended_symbol(void *library, const char *name);
static void *pretended_open(const char *name, int how);
static void *pretended_memory(size_t bytes);
#define dlsym pretended_symbol
#define dlopen pretended_open
#define malloc pretended_memory
#include "vk_dispatch.h"
#undef dlsym
#undef dlopen
#undef malloc

static struct {
    const char *call; /* the function that is to fail; NULL: none */
    int after;        /* ... after so many calls */
    VkResult with;
    int calls; /* of it so far */
    bool no_loader, no_devices, no_memory;
    bool vectors; /* the driver has VK_NV_cooperative_vector, too */
    PFN_vkGetInstanceProcAddr instance_address;
    PFN_vkGetDeviceProcAddr device_address;
} pretend;

/* What a call gives: VK_SUCCESS, or what it is to fail with. */
static VkResult fails(const char *call)
{
    if (!pretend.call || strcmp(pretend.call, call) != 0) return VK_SUCCESS;
    return pretend.calls++ >= pretend.after ? pretend.with : VK_SUCCESS;
}

/* The calls that return a VkResult: X(function, parameters, arguments). */
#define CALLS_(X)                                                                                                      \
    X(CreateInstance, (const VkInstanceCreateInfo *a, const VkAllocationCallbacks *b, VkInstance *c), (a, b, c))       \
    X(EnumerateInstanceVersion, (uint32_t *a), (a))                                                                    \
    X(EnumeratePhysicalDevices, (VkInstance a, uint32_t *b, VkPhysicalDevice *c), (a, b, c))                           \
    X(CreateDevice, (VkPhysicalDevice a, const VkDeviceCreateInfo *b, const VkAllocationCallbacks *c, VkDevice *d),    \
      (a, b, c, d))                                                                                                    \
    X(QueueSubmit, (VkQueue a, uint32_t b, const VkSubmitInfo *c, VkFence d), (a, b, c, d))                            \
    X(CreateBuffer, (VkDevice a, const VkBufferCreateInfo *b, const VkAllocationCallbacks *c, VkBuffer *d),            \
      (a, b, c, d))                                                                                                    \
    X(AllocateMemory, (VkDevice a, const VkMemoryAllocateInfo *b, const VkAllocationCallbacks *c, VkDeviceMemory *d),  \
      (a, b, c, d))                                                                                                    \
    X(BindBufferMemory, (VkDevice a, VkBuffer b, VkDeviceMemory c, VkDeviceSize d), (a, b, c, d))                      \
    X(MapMemory, (VkDevice a, VkDeviceMemory b, VkDeviceSize c, VkDeviceSize d, VkMemoryMapFlags e, void **f),         \
      (a, b, c, d, e, f))                                                                                              \
    X(CreateShaderModule, (VkDevice a, const VkShaderModuleCreateInfo *b, const VkAllocationCallbacks *c,              \
                           VkShaderModule *d), (a, b, c, d))                                                           \
    X(CreatePipelineLayout, (VkDevice a, const VkPipelineLayoutCreateInfo *b, const VkAllocationCallbacks *c,          \
                             VkPipelineLayout *d), (a, b, c, d))                                                       \
    X(CreateComputePipelines, (VkDevice a, VkPipelineCache b, uint32_t c, const VkComputePipelineCreateInfo *d,        \
                               const VkAllocationCallbacks *e, VkPipeline *f), (a, b, c, d, e, f))                     \
    X(CreateCommandPool, (VkDevice a, const VkCommandPoolCreateInfo *b, const VkAllocationCallbacks *c,                \
                          VkCommandPool *d), (a, b, c, d))                                                             \
    X(AllocateCommandBuffers, (VkDevice a, const VkCommandBufferAllocateInfo *b, VkCommandBuffer *c), (a, b, c))       \
    X(BeginCommandBuffer, (VkCommandBuffer a, const VkCommandBufferBeginInfo *b), (a, b))                              \
    X(EndCommandBuffer, (VkCommandBuffer a), (a))                                                                      \
    X(CreateQueryPool, (VkDevice a, const VkQueryPoolCreateInfo *b, const VkAllocationCallbacks *c, VkQueryPool *d),   \
      (a, b, c, d))                                                                                                    \
    X(GetQueryPoolResults, (VkDevice a, VkQueryPool b, uint32_t c, uint32_t d, size_t e, void *f, VkDeviceSize g,      \
                            VkQueryResultFlags h), (a, b, c, d, e, f, g, h))                                           \
    X(CreateSemaphore, (VkDevice a, const VkSemaphoreCreateInfo *b, const VkAllocationCallbacks *c, VkSemaphore *d),   \
      (a, b, c, d))                                                                                                    \
    X(WaitSemaphores, (VkDevice a, const VkSemaphoreWaitInfo *b, uint64_t c), (a, b, c))                               \
    X(GetSemaphoreCounterValue, (VkDevice a, VkSemaphore b, uint64_t *c), (a, b, c))

#define PRETENDED_(function, parameters, arguments)                                                                    \
    static PFN_vk##function real_##function;                                                                           \
    static VKAPI_ATTR VkResult VKAPI_CALL pretended_##function parameters                                              \
    {                                                                                                                  \
        VkResult result = fails("vk" #function);                                                                       \
        return result != VK_SUCCESS ? result : real_##function arguments;                                              \
    }
CALLS_(PRETENDED_)

static PFN_vkVoidFunction pretended(const char *name, PFN_vkVoidFunction found)
{
#define REPLACED_(function, parameters, arguments)                                                                     \
    if (found && strcmp(name, "vk" #function) == 0) {                                                                  \
        real_##function = (PFN_vk##function)found;                                                                     \
        return (PFN_vkVoidFunction)pretended_##function;                                                               \
    }
    CALLS_(REPLACED_)
    return found;
}

/* ---- a driver with VK_NV_cooperative_vector, whose matrices are rows in blocks of 64 bytes; its command converts
 * nothing */

enum { VECTOR_FEATURES = 1000491000, VECTOR_LIMITS, VECTOR_PRODUCT };
static const uint32_t products[2][6] = {{0, 0, 0, 0, 0, 1}, {1, 3, 3, 5, 5, 0}};
static struct {
    PFN_vkEnumerateDeviceExtensionProperties extensions;
    PFN_vkGetPhysicalDeviceFeatures2 features;
    PFN_vkGetPhysicalDeviceProperties2 properties;
    uint32_t recorded, hosted; /* conversions; rows that the host converted */
    uint64_t to; /* where the last one of them goes */
} nv;

/* The structure of this type that a chain has, and the pointer to it. */
static VkBaseOutStructure *in_chain(void *first, uint32_t type, VkBaseOutStructure ***place)
{
    VkBaseOutStructure *s = (VkBaseOutStructure *)first;
    for (; s && s->sType != (VkStructureType)type; s = s->pNext) *place = &s->pNext;
    return s;
}

static VKAPI_ATTR VkResult VKAPI_CALL nv_extensions(VkPhysicalDevice device, const char *layer, uint32_t *count,
                                                    VkExtensionProperties *all)
{
    uint32_t n = all ? *count - 1 : 0;
    VkResult result = nv.extensions(device, layer, &n, all);
    if (all) snprintf(all[n].extensionName, sizeof all[n].extensionName, "VK_NV_cooperative_vector");
    *count = n + 1;
    return result;
}

static VKAPI_ATTR void VKAPI_CALL nv_features(VkPhysicalDevice device, VkPhysicalDeviceFeatures2 *all)
{
    VkBaseOutStructure **place, *s = in_chain(all, VECTOR_FEATURES, &place);
    nv.features(device, all);
    if (s) ((VkBool32 *)(s + 1))[0] = ((VkBool32 *)(s + 1))[1] = VK_TRUE;
}

static VKAPI_ATTR void VKAPI_CALL nv_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *all)
{
    const uint32_t limits[] = {VK_SHADER_STAGE_COMPUTE_BIT, VK_TRUE, VK_FALSE, 512};
    VkBaseOutStructure **place, *s = in_chain(all, VECTOR_LIMITS, &place);
    nv.properties(device, all);
    if (s) memcpy(s + 1, limits, sizeof limits);
}

static VKAPI_ATTR VkResult VKAPI_CALL nv_products(VkPhysicalDevice device, uint32_t *count, VkBaseOutStructure *all)
{
    struct row {
        VkBaseOutStructure head;
        uint32_t row[6];
    } *rows = (struct row *)all;
    (void)device;
    for (int i = 0; i < 2; i++) memcpy(rows[i].row, products[i], sizeof products[i]);
    *count = 2;
    return fails("vkGetPhysicalDeviceCooperativeVectorPropertiesNV");
}

/* The other driver is not told. */
static VKAPI_ATTR VkResult VKAPI_CALL nv_create(VkPhysicalDevice device, const VkDeviceCreateInfo *info,
                                                const VkAllocationCallbacks *callbacks, VkDevice *made)
{
    const char *names[16];
    VkDeviceCreateInfo other = *info;
    VkBaseOutStructure **place = NULL, *s = in_chain((void *)(uintptr_t)info->pNext, VECTOR_FEATURES, &place);
    CHECK(s && place);
    if (s && place) *place = s->pNext;
    other.enabledExtensionCount = 0;
    other.ppEnabledExtensionNames = names;
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        if (strcmp(info->ppEnabledExtensionNames[i], "VK_NV_cooperative_vector") != 0)
            names[other.enabledExtensionCount++] = info->ppEnabledExtensionNames[i];
    CHECK_INT(other.enabledExtensionCount + 1, info->enabledExtensionCount);
    return pretended_CreateDevice(device, &other, callbacks, made);
}

static VKAPI_ATTR VkResult VKAPI_CALL nv_convert(VkDevice of, const vkd_vector_conversion_ *c)
{
    size_t element = c->to_type == 1 ? 4 : c->to_type == 0 ? 2 : 1;
    (void)of;
    CHECK(!c->from.host == !c->to.host);
    *c->to_bytes = (c->rows * c->columns * element + 63) / 64 * 64;
    for (size_t r = 0; c->to.host && r < c->rows; r++, nv.hosted++) { /* its own layout: rows without gaps */
        size_t line = c->columns * element;
        CHECK(c->from_type == c->to_type && c->from_layout == VKD_ROW_MAJOR);
        memcpy((char *)(uintptr_t)c->to.host + r * line, (const char *)c->from.host + r * c->from_stride, line);
    }
    return fails("vkConvertCooperativeVectorMatrixNV");
}

static VKAPI_ATTR void VKAPI_CALL nv_record(VkCommandBuffer commands, uint32_t count, const vkd_vector_conversion_ *all)
{
    (void)commands;
    nv.recorded += count;
    nv.to = all[count - 1].to.address;
}

/* The driver's own functions; NULL: others. */
static PFN_vkVoidFunction nv_address(const char *name, PFN_vkVoidFunction found)
{
#define NV_KEEPS_(call, kept, ours)                                                                                    \
    if (strcmp(name, call) == 0) {                                                                                     \
        memcpy(&nv.kept, &found, sizeof found);                                                                        \
        return (PFN_vkVoidFunction)ours;                                                                               \
    }
    NV_KEEPS_("vkEnumerateDeviceExtensionProperties", extensions, nv_extensions)
    NV_KEEPS_("vkGetPhysicalDeviceFeatures2", features, nv_features)
    NV_KEEPS_("vkGetPhysicalDeviceProperties2", properties, nv_properties)
    if (!strcmp(name, "vkCreateDevice")) return pretended(name, found), (PFN_vkVoidFunction)nv_create;
    if (!strcmp(name, "vkGetPhysicalDeviceCooperativeVectorPropertiesNV")) return (PFN_vkVoidFunction)nv_products;
    if (!strcmp(name, "vkConvertCooperativeVectorMatrixNV")) return (PFN_vkVoidFunction)nv_convert;
    if (!strcmp(name, "vkCmdConvertCooperativeVectorMatrixNV")) return (PFN_vkVoidFunction)nv_record;
    return NULL;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_address(VkDevice device, const char *name)
{
    PFN_vkVoidFunction other = pretend.vectors ? nv_address(name, NULL) : NULL;
    if (other) return other;
    return pretended(name, pretend.device_address(device, name));
}

/* A system without devices for Vulkan. */
static VKAPI_ATTR VkResult VKAPI_CALL find_none(VkInstance instance, uint32_t *count, VkPhysicalDevice *devices)
{
    (void)instance, (void)devices;
    *count = 0;
    return VK_SUCCESS;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_address(VkInstance instance, const char *name)
{
    PFN_vkVoidFunction found = pretend.instance_address(instance, name);
    if (pretend.no_devices && !strcmp(name, "vkEnumeratePhysicalDevices")) return (PFN_vkVoidFunction)find_none;
    PFN_vkVoidFunction other = pretend.vectors ? nv_address(name, found) : NULL;
    if (other) return other;
    if (strcmp(name, "vkGetDeviceProcAddr") != 0) return pretended(name, found);
    pretend.device_address = (PFN_vkGetDeviceProcAddr)found;
    return (PFN_vkVoidFunction)device_address;
}

static void *pretended_open(const char *name, int how) { return pretend.no_loader ? NULL : dlopen(name, how); }
static void *pretended_memory(size_t bytes) { return pretend.no_memory ? NULL : malloc(bytes); }

static void *pretended_symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    PFN_vkGetInstanceProcAddr ours = instance_address;
    if (strcmp(name, "vkGetInstanceProcAddr") != 0 || !found) return found;
    memcpy(&pretend.instance_address, &found, sizeof found);
    memcpy(&found, &ours, sizeof found);
    return found;
}

/* ---- a kernel: x[i] = a x[i] + b, with arguments that are pushed or (many) in memory */

enum { N = 1000, GROUP = 32 };
#define GROUPS ((vkd_groups){(N + GROUP - 1) / GROUP, 1, 1})

static spe_words step_module(spe_module *m, bool many)
{
    const spe_options vulkan = {.env = SPE_ENV_VULKAN};
    spe_param params[24];
    spe_kernel k;
    memset(params, 0, sizeof params);
    memset(&k, 0, sizeof k);
    spe_begin(m, &vulkan);
    params[0].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, spe_int(m, 32));
    for (int i = 1; i < 24; i++) params[i].type = i < 4 ? spe_int(m, 32) : spe_float(m, 64);
    k.name = "step";
    k.params = params;
    k.param_count = many ? 24 : 4;
    k.local_size[0] = GROUP;
    spe_kernel_begin(m, &k);
    spe_id i = spe_builtin(m, SPE_GLOBAL_ID, 0);
    spe_if(m, spe_ult(m, i, spe_param_id(m, 3)));
    spe_id at = spe_index(m, spe_param_id(m, 0), i), product = spe_imul(m, spe_load(m, at, 0), spe_param_id(m, 1));
    spe_store(m, at, spe_iadd(m, product, spe_param_id(m, 2)), 0);
    spe_endif(m, 0, NULL, NULL);
    return finish(m, many ? "step_of_many" : "step");
}

static const char *step_text(bool many)
{
    static char text[400];
    strcpy(text, "ptr<i32> x, i32 a, i32 b, i32 n");
    for (int i = 4; many && i < 24; i++) snprintf(text + strlen(text), 20, ", f64 p%d", i);
    return text;
}

static vkd_device device;
static spe_module modules[2];
static spe_words words[2];

static void check_device(vkd_device *d)
{
    if (vkd_get_error(d)->id) test_fail(__FILE__, __LINE__, "%s: %s", vkd_get_error(d)->name, vkd_get_error(d)->text);
    vkd_clear_error(d);
}

static void expect(vkd_device *d, int line, int id, const char *part)
{
    const vkd_error *e = vkd_get_error(d);
    if (e->id != id || !strstr(e->text, part))
        test_fail(__FILE__, line, "%s: %s", e->name ? e->name : "no error", e->text);
    vkd_clear_error(d);
}

static bool load(vkd_device *d, vkd_kernel *k, bool many, const char *folder)
{
    const struct {
        const uint32_t *words;
        size_t size;
        const char *kernel, *params;
        uint32_t subgroup_size;
    } mod = {words[many].data, words[many].count * 4, "step", step_text(many), 0};
    return VKD_LOAD_CACHED(k, d, mod, folder);
}

/* The arguments of a launch. */
static uint32_t arguments(vkd_arg *args, void *x, int a, int b, bool many)
{
    args[0] = vkd_arg_ptr(x), args[1] = vkd_arg_i(a), args[2] = vkd_arg_i(b), args[3] = vkd_arg_i(N);
    for (int i = 4; i < 24; i++) args[i] = vkd_arg_f(i);
    return many ? 24 : 4;
}

static void check_all(const int32_t *x, int64_t want, int line)
{
    for (int i = 0; i < N; i++)
        if (x[i] != want) {
            test_fail(__FILE__, line, "element %d is %d, not %lld", i, x[i], (long long)want);
            return;
        }
}

TEST(batches_in_flight_and_changed)
{
    for (int many = 0; many < 2; many++) {
        vkd_kernel k, other;
        vkd_batch first, second;
        vkd_arg args[24];
        int32_t *x = (int32_t *)vkd_alloc(&device, VKD_SHARED, N * 4, 0);
        vkd_fill(&device, x, 0, N * 4);
        CHECK(load(&device, &k, many, NULL));
        CHECK(vkd_kernel_clone(&other, &k, &device));
        vkd_batch_begin_timed(&first, &device);
        vkd_batch_launch_n(&first, &k, GROUPS, args, arguments(args, x, 2, 3, many));
        vkd_batch_launch_n(&first, &other, GROUPS, args, arguments(args, x, 3, 1, many));
        vkd_batch_begin(&second, &device);
        vkd_batch_launch_n(&second, &k, GROUPS, args, arguments(args, x, 1, 5, many));
        for (int run = 0; run < 3; run++) CHECK(vkd_batch_start(&first) && vkd_batch_start(&second));
        vkd_start_n(&k, GROUPS, args, arguments(args, x, 1, 7, many));
        CHECK(vkd_batch_wait(&first));
        CHECK(vkd_wait(&device));
        check_device(&device);
        int64_t want = 0;
        for (int run = 0; run < 3; run++) want = (want * 2 + 3) * 3 + 1 + 5;
        check_all(x, want + 7, __LINE__);
        CHECK(vkd_batch_ns(&first, 1) >= 0);
        vkd_fill(&device, x, 0, N * 4);
        CHECK(vkd_batch_change_n(&first, 1, GROUPS, args, arguments(args, x, -1, 100, many)));
        CHECK(vkd_batch_run(&first));
        check_all(x, 97, __LINE__);
        FILE *f = tmpfile();
        char text[200] = "";
        if (f && vkd_batch_print_times(&first, f)) rewind(f), text[fread(text, 1, sizeof text - 1, f)] = 0;
        if (f) fclose(f);
        CHECK_HAS(text, "step                                  2 x");
        vkd_batch_change_n(&first, 2, GROUPS, args, 4);
        expect(&device, __LINE__, VKD_BATCH_LAUNCH, "launch 2 of a batch of 2");
        vkd_batch_change_n(&first, 0, GROUPS, args, 3), expect(&device, __LINE__, VKD_ARG_COUNT, "got 3");
        vkd_batch_ns(&second, 0), expect(&device, __LINE__, VKD_BATCH_LAUNCH, "untimed");
        vkd_batch_end(&second), expect(&device, __LINE__, VKD_BATCH_STATE, "that is ended");
        vkd_local_size(&k, 3, 1, 1), expect(&device, __LINE__, VKD_LOCAL_SIZE, "32 x 1 x 1, got 3 x 1 x 1");
        vkd_batch_free(&first), vkd_batch_free(&second);
        vkd_kernel_free(&other), vkd_kernel_free(&k);
        vkd_free(&device, x);
        check_device(&device);
    }
}

/* Two queues by turns: what one starts waits for what the other has, by events between launches and between batches. */
TEST(events_order_two_queues)
{
    vkd_device second;
    vkd_kernel k, k2;
    vkd_event there, back;
    vkd_batch batch;
    vkd_arg args[24];
    CHECK(vkd_open_queue(&second, &device));
    int32_t *x = (int32_t *)vkd_alloc(&device, VKD_SHARED, N * 4, 0);
    vkd_fill(&device, x, 0, N * 4);
    load(&device, &k, false, NULL);
    CHECK(vkd_kernel_clone(&k2, &k, &second));
    CHECK(vkd_event_create(&there, &device) && vkd_event_create(&back, &second));
    CHECK(!vkd_event_done(&there));
    int64_t want = 0;
    for (int turn = 0; turn < 5; turn++) {
        vkd_start_n(&k, GROUPS, args, arguments(args, x, 2, 1, false));
        CHECK(vkd_signal(&device, &there) && vkd_follow(&second, &there));
        vkd_start_n(&k2, GROUPS, args, arguments(args, x, -1, 2, false));
        CHECK(vkd_signal(&second, &back) && vkd_follow(&device, &back));
        want = -(want * 2 + 1) + 2;
    }
    vkd_wait(&device);
    CHECK(vkd_event_wait(&back) && vkd_event_done(&back) && vkd_event_done(&there));
    check_all(x, want, __LINE__);
    vkd_batch_begin(&batch, &second);
    vkd_batch_follow(&batch, &there);
    vkd_batch_launch_n(&batch, &k2, GROUPS, args, arguments(args, x, 3, 0, false));
    vkd_batch_signal(&batch, &back);
    vkd_batch_launch_n(&batch, &k2, GROUPS, args, arguments(args, x, 1, 1, false));
    for (int run = 0; run < 3; run++) {
        vkd_start_n(&k, GROUPS, args, arguments(args, x, 1, run, false));
        CHECK(vkd_signal(&device, &there) && vkd_batch_start(&batch) && vkd_event_wait(&back));
        want = (want + run) * 3 + 1;
        CHECK(vkd_batch_wait(&batch));
    }
    check_all(x, want, __LINE__);
    vkd_batch_free(&batch);
    vkd_event never;
    CHECK(vkd_event_create(&never, &device));
    if (device.shared_->queues < device.shared_->opened)
        vkd_follow(&second, &never), expect(&second, __LINE__, VKD_EVENT_STATE, "nothing signals the event yet");
    vkd_event_free(&never);
    vkd_signal(&device, &never), expect(&device, __LINE__, VKD_EVENT_STATE, "not created");
    vkd_event_free(&there), vkd_event_free(&back);
    vkd_open_queue(&device, &device), expect(&device, __LINE__, VKD_SAME_DEVICE, "queue of itself");
    check_device(&second);
    vkd_close(&second);
    vkd_kernel_free(&k);
    vkd_free(&device, x);
    check_device(&device);
}

/* A thread with a queue of its own: launches on memory of the first device, beside its own. */
typedef struct {
    vkd_device *first;
    int32_t *x;
    int number;
} worker;

static void *work(void *argument)
{
    worker *w = (worker *)argument;
    vkd_device d;
    vkd_kernel k;
    vkd_arg args[24];
    if (!vkd_open_queue(&d, w->first) || !load(&d, &k, false, NULL)) return argument;
    for (int turn = 0; turn < 20; turn++) {
        int32_t *own = (int32_t *)vkd_alloc(&d, VKD_SHARED, N * 4, 0);
        vkd_fill(&d, own, 0, N * 4);
        vkd_launch_n(&k, GROUPS, args, arguments(args, w->x, 1, w->number, false));
        vkd_launch_n(&k, GROUPS, args, arguments(args, own, 1, w->number, false));
        bool right = own && own[N - 1] == w->number;
        vkd_free(&d, own);
        if (!right || vkd_get_error(&d)->id) return argument;
    }
    vkd_close(&d);
    return NULL;
}

TEST(two_threads_two_queues)
{
    pthread_t threads[2];
    worker workers[2];
    for (int t = 0; t < 2; t++) {
        workers[t].first = &device;
        workers[t].number = t + 3;
        workers[t].x = (int32_t *)vkd_alloc(&device, VKD_SHARED, N * 4, 0);
        vkd_fill(&device, workers[t].x, 0, N * 4);
    }
    for (int t = 0; t < 2; t++) CHECK(pthread_create(&threads[t], NULL, work, &workers[t]) == 0);
    for (int t = 0; t < 2; t++) {
        void *failed = NULL;
        pthread_join(threads[t], &failed);
        CHECK(!failed);
        check_all(workers[t].x, 20 * (t + 3), __LINE__);
        vkd_free(&device, workers[t].x);
    }
    check_device(&device);
}

/* The first load stores, the second loads; a damaged file is replaced. */
TEST(compiled_kernels_are_kept_in_files)
{
    char folder[64], path[1200], said[64];
    vkd_kernel k;
    vkd_arg args[24];
    int32_t *x = (int32_t *)vkd_alloc(&device, VKD_SHARED, N * 4, 0);
    snprintf(folder, sizeof folder, "/tmp/test_vulkan_cache_%ld", (long)getpid());
    if (mkdir(folder, 0700) != 0) SKIP("no folder can be made");
    for (int turn = 0; turn < 4; turn++) {
        static const char *const loaded[] = {"", "loaded", "", "loaded"};
        static const char *const stored[] = {"stored", "loaded", "stored", "loaded"};
        CHECK(load(&device, &k, false, folder));
        snprintf(said, sizeof said, "%.*s", (int)strcspn(vkd_cache_log(&device), " "), vkd_cache_log(&device));
        CHECK_STR(said, loaded[turn]);
        vkd_fill(&device, x, 0, N * 4);
        vkd_launch_n(&k, GROUPS, args, arguments(args, x, 1, turn + 1, false));
        check_all(x, turn + 1, __LINE__);
        CHECK_HAS(vkd_cache_log(&device), stored[turn]);
        snprintf(path, sizeof path, "%s", strchr(vkd_cache_log(&device), ' ') + 1);
        FILE *f = turn == 1 ? fopen(path, "r+b") : NULL;
        if (f) fseek(f, -20, SEEK_END), fputc(fgetc(f) ^ 1, f), fclose(f);
    }
    CHECK(load(&device, &k, false, "/nonexistent/folder"));
    vkd_launch_n(&k, GROUPS, args, arguments(args, x, 1, 1, false));
    CHECK_HAS(vkd_cache_log(&device), "not stored");
    remove(path), remove(folder);
    vkd_free(&device, x);
    check_device(&device);
}

/* All that a program does once; true if it met no error. Clears nothing, so the device keeps the first error. */
static bool everything(vkd_device *d)
{
    vkd_device second;
    vkd_kernel k;
    vkd_batch batch;
    vkd_event event;
    vkd_arg args[24];
    bool ok = false;
    double ns;
    memset(&second, 0, sizeof second);
    if (!vkd_open(d, NULL)) return false;
    int32_t *x = (int32_t *)vkd_alloc(d, VKD_DEVICE, N * 4, 0), host[N] = {0};
    if (x && vkd_copy(d, x, host, sizeof host) && load(d, &k, true, NULL)) {
        ns = vkd_launch_timed_n(&k, GROUPS, args, arguments(args, x, 1, 1, true));
        ok = ns >= 0 && vkd_batch_begin_timed(&batch, d) && vkd_event_create(&event, d) &&
             vkd_batch_launch_n(&batch, &k, GROUPS, args, arguments(args, x, 1, 1, true)) &&
             vkd_batch_signal(&batch, &event) && vkd_batch_end(&batch) && vkd_batch_ns(&batch, 0) >= 0 &&
             (vkd_event_done(&event) || !d->error.id) && vkd_copy(d, host, x, sizeof host) && host[5] == 2;
    }
    if (ok && !vkd_open_queue(&second, d)) {
        d->error = second.error;
        ok = false;
    }
    vkd_close(&second);
    vkd_close(d);
    return ok;
}

/* Each call fails at its first, second ... use, with one of the results in turn: the error names call and result, and
 * all that was made is freed (which a sanitizer sees). */
TEST(every_call_may_fail)
{
    static const char *const calls[] = {
#define NAME_(function, parameters, arguments) "vk" #function,
        CALLS_(NAME_)
#undef NAME_
    };
    static const struct {
        VkResult result;
        int id;
    } results[] = {{VK_ERROR_DEVICE_LOST, VKD_VK_ERROR_DEVICE_LOST},
                   {VK_ERROR_OUT_OF_DEVICE_MEMORY, VKD_VK_ERROR_OUT_OF_DEVICE_MEMORY},
                   {VK_ERROR_OUT_OF_HOST_MEMORY, VKD_VK_ERROR_OUT_OF_HOST_MEMORY}};
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        bool used = true;
        for (int after = 0; used && after < 30; after++) {
            vkd_device d;
            pretend.call = calls[c], pretend.after = after, pretend.calls = 0;
            pretend.with = results[(c + (size_t)after) % 3].result;
            bool ok = everything(&d);
            used = pretend.calls > after;
            CHECK_MSG(ok == !used, "%s, use %d: %s", calls[c], after, d.error.text);
            if (used) expect(&d, __LINE__, results[(c + (size_t)after) % 3].id, calls[c]);
            CHECK_MSG(after > 0 || used, "%s is not called", calls[c]);
        }
    }
    pretend.call = NULL;
}

/* What a system, a device or the host may lack. */
TEST(what_is_missing_is_named)
{
    vkd_device d;
    vkd_info infos[2];
    vkd_error error;
    vkd_module module;
    const vkd_options nosuch = {.name = "no such device"};
    pretend.no_loader = true;
    CHECK(!vkd_open(&d, NULL));
    expect(&d, __LINE__, VKD_NO_LOADER, "cannot be opened");
    vkd_close(&d);
    pretend.no_loader = false, pretend.no_devices = true;
    CHECK(!vkd_open(&d, NULL));
    expect(&d, __LINE__, VKD_NO_DEVICE, "none of 0 devices");
    vkd_close(&d);
    CHECK_INT(vkd_list(infos, 2, &error), -1);
    CHECK_INT(error.id, VKD_NO_DEVICE);
    pretend.no_devices = false;
    CHECK(!vkd_open(&d, &nosuch));
    expect(&d, __LINE__, VKD_NO_SUCH_DEVICE, "no such device");
    vkd_close(&d);
    pretend.no_memory = true;
    CHECK(!vkd_module_load(&module, &device, words[0].data, words[0].count * 4));
    expect(&device, __LINE__, VKD_OUT_OF_MEMORY, "a module of");
    CHECK_INT(vkd_list(infos, 2, &error), -1);
    CHECK_INT(error.id, VKD_OUT_OF_MEMORY);
    pretend.no_memory = false;
}

/* Things that are not open, not loaded, NULL, or of another device. */
TEST(strangers_are_refused)
{
    vkd_device closed, other;
    vkd_kernel k, clone, none;
    vkd_batch batch;
    vkd_arg args[24];
    memset(&closed, 0, sizeof closed), memset(&none, 0, sizeof none);
    CHECK(!vkd_alloc(&closed, VKD_SHARED, 64, 0));
    expect(&closed, __LINE__, VKD_NOT_OPEN, "not open");
    CHECK(!vkd_open_queue(&other, &closed));
    expect(&other, __LINE__, VKD_NOT_OPEN, "the device to share");
    CHECK(!vkd_copy(&device, NULL, args, 64));
    expect(&device, __LINE__, VKD_NULL_POINTER, "64 bytes");
    CHECK(!vkd_kernel_clone(&clone, &none, &device));
    expect(&device, __LINE__, VKD_KERNEL_NOT_LOADED, "clone");
    CHECK(!vkd_launch_n(&none, GROUPS, args, 0)); /* it has no device to tell: to stderr */
    CHECK(load(&device, &k, false, NULL) && vkd_open(&other, NULL));
    int32_t *x = (int32_t *)vkd_alloc(&device, VKD_SHARED, N * 4, 0);
    CHECK(!vkd_kernel_clone(&clone, &k, &other));
    expect(&other, __LINE__, VKD_OTHER_DEVICE, "the clone of");
    CHECK(vkd_batch_begin(&batch, &other));
    CHECK(!vkd_batch_launch_n(&batch, &k, GROUPS, args, arguments(args, x, 1, 1, false)));
    expect(&device, __LINE__, VKD_OTHER_DEVICE, "the batch of");
    vkd_close(&other);
    vkd_free(&device, x);
}

/* A module that asks for more work-items than the device takes in a group. */
TEST(groups_that_are_too_large)
{
    vkd_module module;
    vkd_kernel k;
    size_t bytes = words[0].count * 4, found = 0;
    uint32_t *copy = (uint32_t *)malloc(bytes);
    memcpy(copy, words[0].data, bytes);
    for (size_t at = 5; at < words[0].count; at += copy[at] >> 16)
        if (copy[at] == (6 << 16 | 16)) /* OpExecutionMode */
            copy[at + 3] = (uint32_t)device.target.max_group_size + 1, found++;
    CHECK_INT(found, 1);
    CHECK(vkd_module_load(&module, &device, copy, bytes));
    CHECK(!vkd_kernel_get(&k, &module, "step", step_text(false)));
    expect(&device, __LINE__, VKD_GROUP_TOO_LARGE, "work-items");
    vkd_module_free(&module);
    free(copy);
}

/* Converts rows of random f32 and f16 in device memory to smaller floats, which the host rounds once, between two
 * that the command converts. */
static void narrow(vkd_device *d, const char *from, const char *to)
{
    enum { ROWS = 19, COLUMNS = 23, PITCH = 26 };
    static unsigned char rows[ROWS * PITCH * 4], got[ROWS * COLUMNS * 2];
    const bool wide = !strcmp(from, "f32"), e4m3 = !strcmp(to, "e4m3"), f16 = !strcmp(to, "f16");
    const size_t each = wide ? 4 : 2, bytes = f16 ? 2 : 1, pitch = PITCH * each;
    char *there = (char *)vkd_alloc(d, VKD_DEVICE, 8192, 64);
    const vkd_conversion c = {.from = there, .from_bytes = sizeof rows / 4 * each, .from_type = from,
                              .from_stride = pitch, .rows = ROWS, .columns = COLUMNS, .to = there + 4096,
                              .to_bytes = 1024, .to_type = to, .to_layout = VKD_OUTER_PRODUCT_OPTIMAL};
    const vkd_conversion same = {.from = there, .from_bytes = 128, .from_type = "i8", .from_stride = 8, .rows = 8,
                                 .columns = 8, .to = there + 6144, .to_bytes = 64, .to_type = "i8",
                                 .to_layout = VKD_MUL_OPTIMAL};
    uint32_t recorded = nv.recorded, hosted = nv.hosted;
    for (size_t i = 0; i < sizeof rows; i++) rows[i] = (unsigned char)test_random();
    for (size_t i = 3; wide && i < 4 * ROWS * PITCH; i += 4) rows[i] = (unsigned char)((rows[i] & 0x8f) | 0x30);
    CHECK(vkd_copy(d, there, rows, sizeof rows));
    CHECK(vkd_convert_matrices(d, ((const vkd_conversion[]){same, c, same}), 3));
    CHECK(vkd_copy(d, got, there + 4096, sizeof got));
    CHECK_INT(nv.recorded, recorded + 2);
    CHECK_INT(nv.hosted, hosted + ROWS);
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        const unsigned char *at = rows + i / COLUMNS * pitch + i % COLUMNS * each;
        uint16_t half, found = 0;
        float v;
        memcpy(&half, at, 2), memcpy(&found, got + i * bytes, bytes);
        v = spe_f16_bits_to_f32(half);
        if (wide) memcpy(&v, at, 4);
        half = f16 ? spe_f32_to_f16_bits(v) : e4m3 ? spe_f32_to_e4m3_bits(v, false) : spe_f32_to_e5m2_bits(v, false);
        CHECK_MSG(found == half || isnan(v), "%a of %s as %s is 0x%x, not 0x%x", (double)v, from, to, found, half);
    }
    vkd_free(d, there);
}

/* Through a driver that has cooperative vectors, as lavapipe has none. */
TEST(matrices_in_the_devices_own_layouts)
{
    vkd_device d;
    vkd_batch batch;
    pretend.vectors = true;
    CHECK(vkd_open(&d, NULL));
    CHECK_INT(d.target.vector_product_count, 2);
    CHECK(d.target.vector_products && memcmp(d.target.vector_products, products, sizeof products) == 0);
    CHECK_INT(d.target.max_vector, 512);
    CHECK_INT(d.target.vector_sums, 1);
    char *from = (char *)vkd_alloc(&d, VKD_SHARED, 8192, 64), *to = (char *)vkd_alloc(&d, VKD_DEVICE, 4096, 128);
    const vkd_conversion right = {.from = from, .from_bytes = 6 * 12 + 10, .from_type = "f16", .from_stride = 12,
                                  .rows = 7, .columns = 5, .to = to, .to_bytes = 128, .to_type = "f16",
                                  .to_layout = VKD_MUL_OPTIMAL};
    CHECK_INT(vkd_converted_bytes(&d, &right), 128);
    vkd_conversion c[2] = {right, right};
    c[1].to = to + 256;
    CHECK(vkd_convert_matrices(&d, c, 2));
    CHECK_INT(nv.recorded, 2);
    CHECK(nv.to == vkd_address(&d, to + 256));
    CHECK(vkd_batch_begin(&batch, &d) && vkd_batch_convert(&batch, c, 2) && vkd_batch_end(&batch));
    CHECK(vkd_batch_run(&batch) && vkd_batch_free(&batch));
    CHECK_INT(nv.recorded, 4);
    CHECK_INT(nv.hosted, 0);
    check_device(&d);
    for (int i = 0; i < 20; i++) {
        narrow(&d, "f32", "e4m3"), narrow(&d, "f32", "e5m2"), narrow(&d, "f32", "f16");
        narrow(&d, "f16", "e4m3"), narrow(&d, "f16", "e5m2");
    }
    check_device(&d);
    c[0].from_bytes = 81;
    vkd_convert_matrices(&d, c, 1);
    expect(&d, __LINE__, VKD_CONVERSION, "source of a conversion has 81 bytes, and needs 82");
    c[0].from_bytes = 82;
    c[0].to_bytes = 127;
    vkd_convert_matrices(&d, c, 1), expect(&d, __LINE__, VKD_CONVERSION, "has 127 bytes, and needs 128");
    c[0].to_bytes = 4097;
    vkd_convert_matrices(&d, c, 1), expect(&d, __LINE__, VKD_MEMORY_RANGE, "4097 bytes from offset 0");
    c[1].to = to + 32;
    vkd_convert_matrices(&d, c + 1, 1), expect(&d, __LINE__, VKD_CONVERSION, "no multiple of 64");
    c[1].to = &batch;
    vkd_convert_matrices(&d, c + 1, 1), expect(&d, __LINE__, VKD_NOT_ALLOCATED, "in no allocation of this device");
    pretend.call = "vkConvertCooperativeVectorMatrixNV";
    pretend.calls = pretend.after = 0;
    pretend.with = VK_ERROR_OUT_OF_HOST_MEMORY;
    CHECK(!vkd_converted_bytes(&d, &right));
    expect(&d, __LINE__, VKD_VK_ERROR_OUT_OF_HOST_MEMORY, "vkConvert");
    vkd_close(&d);
    pretend.call = "vkGetPhysicalDeviceCooperativeVectorPropertiesNV";
    CHECK(vkd_open(&d, NULL)); /* without them */
    CHECK_INT(d.target.vector_product_count, 0);
    CHECK(!d.target.vector_products);
    vkd_converted_bytes(&d, &right), expect(&d, __LINE__, VKD_NO_VECTORS, "no cooperative vectors");
    vkd_close(&d);
    pretend.vectors = false;
    pretend.call = NULL;
}

int main(void)
{
    for (int many = 0; many < 2; many++) words[many] = step_module(&modules[many], many);
    if (!vkd_open(&device, NULL)) {
        printf("skipped: %s\n", vkd_get_error(&device)->text);
        test_.skipped++;
        return test_report();
    }
    RUN(batches_in_flight_and_changed);
    RUN(events_order_two_queues);
    RUN(two_threads_two_queues);
    RUN(compiled_kernels_are_kept_in_files);
    RUN(what_is_missing_is_named);
    RUN(strangers_are_refused);
    RUN(groups_that_are_too_large);
    RUN(matrices_in_the_devices_own_layouts);
    RUN(every_call_may_fail);
    vkd_close(&device);
    for (int many = 0; many < 2; many++) spe_free(&modules[many]);
    return test_report();
}
#endif
