/* open.c - choosing and opening a device, listing them, closing. */
#include "internal.h"

static char vkd_lower_(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c; }

/* Does `part` occur in the text, whatever the case? */
static bool vkd_contains_(const char *text, const char *part)
{
    for (; *text; text++) {
        size_t i = 0;
        while (part[i] && vkd_lower_(text[i]) == vkd_lower_(part[i])) i++;
        if (!part[i]) return true;
    }
    return false;
}

/* The device that the options ask for, of n; -1 and an error if there is none. */
static int vkd_choose_(vkd_device *d, const vkd_options *o, const vkd_info *infos, int n)
{
    const char *name = o ? o->name : NULL, *either = o ? o->device : NULL, *env = getenv("XETILE_VULKAN_DEVICE");
    int index = o ? o->index_plus_1 - 1 : -1;
    char *end = NULL, all[1024] = "";
    if (index < 0 && !name && !either && env && *env) either = env;
    if (index < 0 && !name && either) {
        long number = strtol(either, &end, 10);
        if (end != either && !*end) index = number < 0 || number > 1000000 ? 1000000 : (int)number;
        else name = either;
    }
    if (index < 0 && !name) return 0;
    for (int i = 0; i < n; i++) {
        if (index >= 0 ? i == index : vkd_contains_(infos[i].name, name)) return i;
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%d \"%s\"", i ? ", " : "", i, infos[i].name);
    }
    if (index >= 0) vkd_fail_(d, VKD_NO_SUCH_DEVICE, "no device %d; there are %s", index, all);
    else vkd_fail_(d, VKD_NO_SUCH_DEVICE, "no device \"%.100s\"; there are %s", name, all);
    return -1;
}

const char *vkd_target_log(const vkd_device *d)
{
    (void)d;
    return "vulkan, as every device through this header";
}

/* Fills d->target, and what times and memory are measured in. */
static void vkd_describe_(vkd_device *d, vkd_features_ *f)
{
    VkPhysicalDeviceProperties2 p;
    VkPhysicalDeviceSubgroupSizeControlProperties sizes;
    VkPhysicalDeviceMaintenance3Properties most;
    const VkPhysicalDeviceLimits *l = &p.properties.limits;
    vkd_target *t = &d->target;
    VKD_CLEAR_(p, PHYSICAL_DEVICE_PROPERTIES_2);
    VKD_CLEAR_(sizes, PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES);
    VKD_CLEAR_(most, PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES);
    p.pNext = &sizes;
    sizes.pNext = &most;
    VKD_CLEAR_(f->floats, PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES);
    most.pNext = &f->floats;
    d->vk_->vkGetPhysicalDeviceProperties2(d->physical, &p);
    d->vk_->vkGetPhysicalDeviceMemoryProperties(d->physical, &d->heaps_);
    t->name = "vulkan";
    for (uint32_t size = sizes.minSubgroupSize; size && size <= sizes.maxSubgroupSize; size *= 2)
        t->subgroup_sizes |= size;
    t->local_memory = (int)l->maxComputeSharedMemorySize;
    t->max_group_size = (int)l->maxComputeWorkGroupInvocations;
    for (int i = 0; i < 3; i++) {
        t->max_group_dim[i] = (int)l->maxComputeWorkGroupSize[i];
        t->max_groups[i] = l->maxComputeWorkGroupCount[i];
    }
    t->push_bytes = l->maxPushConstantsSize;
    t->fp16 = f->in_1_2.shaderFloat16;
    t->fp64 = f->all.features.shaderFloat64;
    t->int8 = f->in_1_2.shaderInt8;
    t->int16 = f->all.features.shaderInt16;
    t->int64 = f->all.features.shaderInt64;
    t->storage8 = f->in_1_2.storageBuffer8BitAccess;
    t->storage16 = f->in_1_1.storageBuffer16BitAccess;
    t->vendor_id = p.properties.vendorID;
    t->device_id = p.properties.deviceID;
    memcpy(f->cache_id, p.properties.pipelineCacheUUID, sizeof f->cache_id);
    t->max_alloc = most.maxMemoryAllocationSize;
    d->tick_ns_ = (double)l->timestampPeriod;
}

/* The first family of queues that runs kernels, and what its queues share. */
static bool vkd_find_queue_(vkd_device *d)
{
    VkQueueFamilyProperties families[32];
    uint32_t count = 32;
    d->vk_->vkGetPhysicalDeviceQueueFamilyProperties(d->physical, &count, families);
    for (d->family_ = 0; d->family_ < count; d->family_++) {
        const VkQueueFamilyProperties *family = &families[d->family_];
        if (family->queueFlags & VK_QUEUE_COMPUTE_BIT) return vkd_share_(d, family->queueCount);
    }
    return vkd_fail_(d, VKD_NO_DEVICE, "\"%s\" has no queue that runs kernels", d->name);
}

/* A queue of the device's own, while its family has any; then the last one for all others. With it what is recorded
 * for it, times, and the clock. */
static bool vkd_make_queue_(vkd_device *d)
{
    VkCommandPoolCreateInfo pool;
    vkd_lock_(d->shared_);
    uint32_t index = d->shared_->opened++;
    vkd_unlock_(d->shared_);
    if (index >= d->shared_->queues) index = d->shared_->queues - 1;
    d->vk_->vkGetDeviceQueue(d->device, d->family_, index, &d->queue);
    VKD_CLEAR_(pool, COMMAND_POOL_CREATE_INFO);
    pool.queueFamilyIndex = d->family_;
    if (!VKD_CALL_(d, vkCreateCommandPool, (d->device, &pool, NULL, &d->pool))) return false;
    d->queries = vkd_create_queries_(d, 2);
    d->clock_ = d->queries ? vkd_create_counter_(d) : VK_NULL_HANDLE;
    return d->clock_ != VK_NULL_HANDLE;
}

static bool vkd_create_device_(vkd_device *d)
{
    vkd_features_ *f = d->features_ = (vkd_features_ *)malloc(sizeof *f);
    VkDeviceQueueCreateInfo queue;
    VkDeviceCreateInfo info;
    float priorities[VKD_QUEUES_];
    const char *extensions[VKD_EXTENSIONS_];
    uint32_t extension_count;
    if (!f) return vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for the device's features");
    extension_count = vkd_use_extensions_(d, f, extensions);
    vkd_describe_(d, f);
    vkd_name_by_matrices_(d, f);
    vkd_list_products_(d, f);
    if (d->shared_->queues > VKD_QUEUES_) d->shared_->queues = VKD_QUEUES_;
    for (int i = 0; i < VKD_QUEUES_; i++) priorities[i] = 1;
    VKD_CLEAR_(queue, DEVICE_QUEUE_CREATE_INFO);
    queue.queueFamilyIndex = d->family_;
    queue.queueCount = d->shared_->queues;
    queue.pQueuePriorities = priorities;
    VKD_CLEAR_(info, DEVICE_CREATE_INFO);
    info.pNext = &f->all;
    info.enabledExtensionCount = extension_count;
    info.ppEnabledExtensionNames = extensions;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    return VKD_CALL_(d, vkCreateDevice, (d->physical, &info, NULL, &d->device)) && vkd_find_device_(d) &&
           vkd_make_queue_(d);
}

void vkd_close_(vkd_device *d)
{
    if (!d || !d->vk_) return;
    if (d->device) {
        vkd_await_all_(d);
        vkd_drop_all_(d);
        if (d->queries) d->vk_->vkDestroyQueryPool(d->device, d->queries, NULL);
        if (d->clock_) d->vk_->vkDestroySemaphore(d->device, d->clock_, NULL);
        if (d->pool) d->vk_->vkDestroyCommandPool(d->device, d->pool, NULL);
    }
    if (!d->borrowed_) {
        if (d->device) d->vk_->vkDestroyDevice(d->device, NULL);
        if (d->messenger_) d->vk_->vkDestroyDebugUtilsMessengerEXT(d->instance, d->messenger_, NULL);
        if (d->instance) d->vk_->vkDestroyInstance(d->instance, NULL);
        vkd_unshare_(d);
        free(d->features_);
        free(d->vk_);
    }
    free(d->started_);
    free(d->loaned_);
    vkd_error error = d->error;
    int complaints = d->complaints;
    memset(d, 0, sizeof *d);
    d->error = error;
    d->complaints = complaints;
}

bool vkd_open_(vkd_device *d, const vkd_options *options, const char *file, int line)
{
    VkPhysicalDevice devices[VKD_MAX_DEVICES];
    vkd_info *infos = (vkd_info *)malloc(VKD_MAX_DEVICES * sizeof *infos);
    const char *env = getenv("XETILE_VULKAN_VALIDATE");
    bool validate = (options && options->validate) || (env && *env == '1');
    int n = -1, chosen = -1;
    memset(d, 0, sizeof *d);
    vkd_at_(d, file, line);
    if (!infos) vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for a list of devices");
    else if (vkd_create_instance_(d, validate)) n = vkd_find_devices_(d, devices, infos);
    if (n > 0) chosen = vkd_choose_(d, options, infos, n);
    if (chosen >= 0) {
        d->physical = devices[chosen];
        memcpy(d->name, infos[chosen].name, sizeof d->name);
        memcpy(d->driver, infos[chosen].driver, sizeof d->driver);
        d->open_ = vkd_find_queue_(d) && vkd_create_device_(d);
    }
    free(infos);
    if (!d->open_) vkd_close_(d);
    return d->open_;
}

bool vkd_open_queue_(vkd_device *second, vkd_device *first, const char *file, int line)
{
    if (!second) return false;
    if (second == first && second->open_) { /* it would be overwritten: it keeps the error, and stays open */
        vkd_at_(second, file, line);
        return vkd_fail_(second, VKD_SAME_DEVICE, "an open device cannot be a queue of itself");
    }
    memset(second, 0, sizeof *second);
    vkd_at_(second, file, line);
    if (!first || !first->open_) return vkd_fail_(second, VKD_NOT_OPEN, "the device to share is not open");
    second->instance = first->instance;
    second->physical = first->physical;
    second->device = first->device;
    memcpy(second->name, first->name, sizeof second->name);
    memcpy(second->driver, first->driver, sizeof second->driver);
    second->target = first->target;
    second->borrowed_ = true;
    second->family_ = first->family_;
    second->tick_ns_ = first->tick_ns_;
    second->heaps_ = first->heaps_;
    second->shared_ = first->shared_;
    second->vk_ = first->vk_;
    second->features_ = first->features_;
    second->open_ = vkd_make_queue_(second);
    if (!second->open_) vkd_close_(second);
    return second->open_;
}

int vkd_list_(vkd_info *infos, int max, vkd_error *error, const char *file, int line)
{
    VkPhysicalDevice devices[VKD_MAX_DEVICES];
    vkd_device d;
    vkd_info *all = (vkd_info *)malloc(VKD_MAX_DEVICES * sizeof *all);
    int n = -1;
    memset(&d, 0, sizeof d);
    vkd_at_(&d, file, line);
    if (!all) vkd_fail_(&d, VKD_OUT_OF_MEMORY, "no room for a list of devices");
    else if (vkd_create_instance_(&d, false)) n = vkd_find_devices_(&d, devices, all);
    for (int i = 0; i < n && i < max; i++) infos[i] = all[i];
    if (error) *error = d.error;
    vkd_close_(&d);
    free(all);
    return n;
}

bool vkd_print_list_(FILE *f, const char *file, int line)
{
    vkd_device d;
    vkd_info *infos = (vkd_info *)malloc(VKD_MAX_DEVICES * sizeof *infos);
    memset(&d, 0, sizeof d);
    int n = infos ? vkd_list_(infos, VKD_MAX_DEVICES, &d.error, file, line) : -1;
    for (int i = 0; i < n; i++) fprintf(f, "%d %s (%s)\n", i, infos[i].name, infos[i].driver);
    if (n < 0) vkd_print_error(&d, f);
    free(infos);
    return n >= 0;
}
