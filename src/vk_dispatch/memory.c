/* memory.c - what is destroyed with the device; allocations, each a buffer of its own. */
#include "internal.h"

#if defined(_WIN32)
/* Addresses that nothing else has and nobody can read: the host's name for device memory. NULL: none left. */
static void *vkd_reserve_(size_t bytes) { return VirtualAlloc(NULL, bytes, 0x2000, 1); }
static void vkd_unreserve_(void *p, size_t bytes)
{
    (void)bytes;
    VirtualFree(p, 0, 0x8000);
}
#else
static void *vkd_reserve_(size_t bytes)
{
#if defined(MAP_ANONYMOUS)
    void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#else /* -std=c11 hides the name */
    void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | 0x20, -1, 0);
#endif
    return p == MAP_FAILED ? NULL : p;
}
static void vkd_unreserve_(void *p, size_t bytes) { munmap(p, bytes); }
#endif

static void vkd_destroy_(vkd_device *d, const vkd_resource_ *r)
{
    const vkd_functions_ *vk = d->vk_;
    vkd_signal_state_ *event = (vkd_signal_state_ *)(uintptr_t)r->handle;
    switch (r->kind) {
    case VKD_RES_MEMORY_:
        if (r->buffer) vk->vkDestroyBuffer(d->device, r->buffer, NULL);
        if (r->memory) vk->vkFreeMemory(d->device, r->memory, NULL);
        if (!r->mapped && r->handle) vkd_unreserve_(vkd_host_(r), r->bytes);
        break;
    case VKD_RES_MODULE_: vk->vkDestroyShaderModule(d->device, (VkShaderModule)r->handle, NULL); break;
    case VKD_RES_LAYOUT_: vk->vkDestroyPipelineLayout(d->device, (VkPipelineLayout)r->handle, NULL); break;
    case VKD_RES_PIPELINE_: vk->vkDestroyPipeline(d->device, (VkPipeline)r->handle, NULL); break;
    case VKD_RES_RECORDING_: vkd_recording_free_((vkd_recording_ *)(uintptr_t)r->handle); break;
    case VKD_RES_WORDS_: free((void *)(uintptr_t)r->handle); break;
    case VKD_RES_CACHE_: vkd_cache_free_(d, (vkd_cache_ *)(uintptr_t)r->handle); break;
    default:
        vk->vkDestroySemaphore(d->device, event->semaphore, NULL);
        free(event);
        break;
    }
}

/* Appends to the list of what is destroyed with the device; destroys it if out of memory. */
XE_FN_ bool vkd_keep_(vkd_device *d, const vkd_resource_ *r)
{
    size_t room = d->resource_room_ ? 2 * d->resource_room_ : 32;
    if (d->resource_count_ == d->resource_room_) {
        vkd_resource_ *more = (vkd_resource_ *)realloc(d->resources_, room * sizeof *more);
        if (!more) {
            vkd_destroy_(d, r);
            return vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for a list of %zu handles", room);
        }
        d->resources_ = more;
        d->resource_room_ = room;
    }
    d->resources_[d->resource_count_++] = *r;
    return true;
}

XE_FN_ bool vkd_keep_handle_(vkd_device *d, int kind, uint64_t handle)
{
    vkd_resource_ r;
    memset(&r, 0, sizeof r);
    r.kind = kind;
    r.handle = handle;
    return vkd_keep_(d, &r);
}

/* Destroys a handle in the list; false: it is not there. Nothing may use it any more. */
XE_FN_ bool vkd_drop_(vkd_device *d, int kind, uint64_t handle)
{
    vkd_resource_ r;
    if (kind == VKD_RES_MEMORY_) {
        if (!vkd_take_memory_(d, (void *)(uintptr_t)handle, &r)) return false;
        vkd_destroy_(d, &r);
        return true;
    }
    for (size_t i = d->resource_count_; i-- > 0;) {
        r = d->resources_[i];
        if (r.kind != kind || r.handle != handle) continue;
        d->resources_[i] = d->resources_[--d->resource_count_];
        vkd_destroy_(d, &r);
        return true;
    }
    return false;
}

/* Frees a module's words, which are needed until the last of its kernels was got, and as long as it has a cache. */
XE_FN_ void vkd_drop_words_(vkd_device *d, vkd_module *module)
{
    if (module->words_ && !module->cache_) vkd_drop_(d, VKD_RES_WORDS_, (uintptr_t)module->words_);
    module->words_ = NULL;
}

XE_FN_ void vkd_drop_all_(vkd_device *d)
{
    vkd_resource_ r;
    while (vkd_take_memory_(d, NULL, &r)) vkd_destroy_(d, &r);
    while (d->resource_count_) vkd_destroy_(d, &d->resources_[--d->resource_count_]);
    free(d->resources_);
    d->resources_ = NULL;
    d->resource_room_ = 0;
}

/* Can kernels access the memory at p? NULL can be passed. */
XE_FN_ bool vkd_reachable_(const vkd_device *d, const void *p) { return !p || vkd_allocation_(d, p); }

/* The device's address of memory that it can access; 0 for NULL. */
XE_FN_ uint64_t vkd_address_of_(const vkd_device *d, const void *p)
{
    const vkd_resource_ *r = p ? vkd_allocation_(d, p) : NULL;
    return r ? r->address + ((uintptr_t)p - (uintptr_t)r->handle) : 0;
}

uint64_t vkd_address_(vkd_device *d, const void *p)
{
    if (!vkd_usable_(d) || !p) return 0;
    if (!vkd_allocation_(d, p)) vkd_fail_(d, VKD_NOT_ALLOCATED, "%p is in no allocation of this device", p);
    return vkd_address_of_(d, p);
}

/* The kind of memory among `allowed` that has the wanted properties, of those the one with most of the preferred ones;
 * UINT32_MAX: none. */
static uint32_t vkd_memory_type_(const vkd_device *d, uint32_t allowed, VkFlags wanted, VkFlags preferred)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < d->heaps_.memoryTypeCount; i++) {
        VkFlags has = d->heaps_.memoryTypes[i].propertyFlags;
        if (!(allowed >> i & 1) || (has & wanted) != wanted) continue;
        if (best == UINT32_MAX || ((has & preferred) == preferred &&
                                   (d->heaps_.memoryTypes[best].propertyFlags & preferred) != preferred))
            best = i;
    }
    return best;
}

/* Creates r's buffer, with room for an alignment that the device does not give by itself. */
static bool vkd_create_buffer_(vkd_device *d, vkd_resource_ *r, size_t align)
{
    VkBufferCreateInfo info;
    VKD_CLEAR_(info, BUFFER_CREATE_INFO);
    info.size = (r->bytes + 15) / 16 * 16; /* an access of a whole vector at its end stays inside */
    if (align > 64) info.size += align;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    return vkd_check_(d, d->vk_->vkCreateBuffer(d->device, &info, NULL, &r->buffer), "vkCreateBuffer", "of %zu bytes",
                      r->bytes);
}

/* Gives the buffer memory, and r what the host and the device call it. */
static bool vkd_back_buffer_(vkd_device *d, vkd_resource_ *r, int kind, size_t align)
{
    VkMemoryAllocateFlagsInfo flags;
    VkMemoryAllocateInfo info;
    VkBufferDeviceAddressInfo address;
    VkMemoryRequirements needs;
    void *mapped;
    const VkFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    VkFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    d->vk_->vkGetBufferMemoryRequirements(d->device, r->buffer, &needs);
    VKD_CLEAR_(flags, MEMORY_ALLOCATE_FLAGS_INFO);
    VKD_CLEAR_(info, MEMORY_ALLOCATE_INFO);
    VKD_CLEAR_(address, BUFFER_DEVICE_ADDRESS_INFO);
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    info.pNext = &flags;
    info.allocationSize = needs.size;
    info.memoryTypeIndex = vkd_memory_type_(d, needs.memoryTypeBits, kind == VKD_DEVICE ? local : host,
                                            kind == VKD_DEVICE ? local : cached);
    if (info.memoryTypeIndex == UINT32_MAX)
        return vkd_fail_(d, VKD_ALLOC_KIND, "the device has no memory of kind %d", kind);
    if (!vkd_check_(d, d->vk_->vkAllocateMemory(d->device, &info, NULL, &r->memory), "vkAllocateMemory", "of %zu bytes",
                    r->bytes) ||
        !VKD_CALL_(d, vkBindBufferMemory, (d->device, r->buffer, r->memory, 0)))
        return false;
    address.buffer = r->buffer;
    r->address = d->vk_->vkGetBufferDeviceAddress(d->device, &address);
    r->offset = align > 64 ? (size_t)((0 - r->address) & (align - 1)) : 0;
    r->address += r->offset;
    if (kind == VKD_DEVICE) {
        r->handle = (uintptr_t)vkd_reserve_(r->bytes);
        return r->handle || vkd_fail_(d, VKD_OUT_OF_MEMORY, "no %zu addresses are left", r->bytes);
    }
    if (!VKD_CALL_(d, vkMapMemory, (d->device, r->memory, 0, VK_WHOLE_SIZE, 0, &mapped))) return false;
    r->mapped = true;
    r->handle = (uintptr_t)mapped + r->offset;
    return true;
}

void *vkd_alloc_(vkd_device *d, int kind, size_t bytes, size_t align)
{
    vkd_resource_ r;
    if (!vkd_usable_(d)) return NULL;
    if (!align) align = 64;
    if (kind < VKD_SHARED || kind > VKD_HOST) vkd_fail_(d, VKD_ALLOC_KIND, "%d is not a kind of memory", kind);
    else if (!bytes) vkd_fail_(d, VKD_ALLOC_SIZE, "an allocation of 0 bytes");
    else if (bytes > d->target.max_alloc)
        vkd_fail_(d, VKD_ALLOC_SIZE, "%zu bytes, and \"%s\" allocates at most %" PRIu64, bytes, d->name,
                  d->target.max_alloc);
    else if (align & (align - 1)) vkd_fail_(d, VKD_ALLOC_ALIGN, "alignment %zu for %zu bytes", align, bytes);
    if (d->error.id) return NULL;
    memset(&r, 0, sizeof r);
    r.kind = VKD_RES_MEMORY_;
    r.bytes = bytes;
    if (vkd_create_buffer_(d, &r, align) && vkd_back_buffer_(d, &r, kind, align) && vkd_keep_memory_(d, &r))
        return vkd_host_(&r);
    vkd_destroy_(d, &r);
    return NULL;
}

/* Refuses a range that begins in one of our allocations and extends beyond it. *found: that allocation, or NULL. */
XE_FN_ bool vkd_in_range_(vkd_device *d, const char *what, const void *p, size_t bytes, const vkd_resource_ **found)
{
    if (!p) return vkd_fail_(d, VKD_NULL_POINTER, "%s of %zu bytes is NULL", what, bytes);
    const vkd_resource_ *r = *found = vkd_allocation_(d, p);
    size_t offset = r ? (size_t)((uintptr_t)p - (uintptr_t)r->handle) : 0;
    return !r || bytes <= r->bytes - offset ||
           vkd_fail_(d, VKD_MEMORY_RANGE, "%s: %zu bytes from offset %zu of an allocation of %zu bytes", what, bytes,
                     offset, r->bytes);
}
