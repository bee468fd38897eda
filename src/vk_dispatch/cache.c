/* cache.c - what the driver compiled of modules, in files (cache_files.c). The line of text of a key: format, device,
 * driver. A file holds Vulkan's pipeline cache of one module, and grows with its kernels. */
#include "internal.h"

#define VKD_CACHE_FORMAT_ "xetile-pipelines-1"

/* Fills the key and the path; false if the path does not fit. */
static bool vkd_entry_of_(vkd_device *d, const char *folder, vkd_entry_ *e)
{
    char id[2 * VK_UUID_SIZE + 1] = "";
    for (uint32_t i = 0; i < VK_UUID_SIZE; i++) snprintf(id + 2 * i, 3, "%02x", d->features_->cache_id[i]);
    int n = snprintf(e->head, sizeof e->head, VKD_CACHE_FORMAT_ " %s %s %s\n", d->name, d->driver, id);
    e->head_size = n > 0 ? (size_t)n : 0;
    e->hash = vkd_hash_(vkd_hash_(VKD_HASH_START_, e->head, e->head_size), e->words, e->bytes);
    n = snprintf(e->path, sizeof e->path, "%s/%016" PRIx64 ".vkbin", folder, e->hash);
    if (n > 0 && (size_t)n < sizeof e->path - 40) return true;
    vkd_cache_note_(d, "not used", folder, "the path is too long");
    return false;
}

XE_FORWARD_ void vkd_cache_free_(vkd_device *d, vkd_cache_ *c)
{
    if (c->handle) d->vk_->vkDestroyPipelineCache(d->device, c->handle, NULL);
    free(c);
}

/* Vulkan's cache, with what the file has; false: there is none. */
static bool vkd_fill_cache_(vkd_device *d, vkd_cache_ *c)
{
    VkPipelineCacheCreateInfo info;
    size_t size = 0;
    unsigned char *file = vkd_read_file_(c->entry.path, &size);
    VKD_CLEAR_(info, PIPELINE_CACHE_CREATE_INFO);
    info.pInitialData = file ? vkd_binary_in_(&c->entry, file, size, &info.initialDataSize) : NULL;
    if (!info.pInitialData) info.initialDataSize = 0;
    bool ok = d->vk_->vkCreatePipelineCache(d->device, &info, NULL, &c->handle) == VK_SUCCESS;
    c->stored = info.initialDataSize;
    free(file);
    if (!ok) vkd_cache_note_(d, "not used", c->entry.path, "the driver made no cache");
    else if (c->stored) vkd_cache_note_(d, "loaded", c->entry.path, "");
    return ok;
}

/* Gives a module that was loaded a cache in the folder, or a note why it has none. */
XE_FN_ bool vkd_cache_module_(vkd_module *module, const char *folder)
{
    vkd_device *d = module->device;
    vkd_cache_ *c = (vkd_cache_ *)calloc(1, sizeof *c);
    if (!c) return vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for a cache of a module");
    c->entry.words = module->words_;
    c->entry.bytes = module->count_ * sizeof *module->words_;
    if (!vkd_entry_of_(d, folder, &c->entry) || !vkd_fill_cache_(d, c)) {
        vkd_cache_free_(d, c);
        return true;
    }
    if (!vkd_keep_handle_(d, VKD_RES_CACHE_, (uintptr_t)c)) return false;
    module->cache_ = c;
    return true;
}

/* Stores what the driver compiled, if that is more than the file has. */
XE_FN_ void vkd_store_cache_(vkd_device *d, vkd_cache_ *c)
{
    size_t bytes = 0;
    if (d->vk_->vkGetPipelineCacheData(d->device, c->handle, &bytes, NULL) != VK_SUCCESS || bytes <= c->stored) return;
    uint8_t *binary = (uint8_t *)malloc(bytes);
    if (binary && d->vk_->vkGetPipelineCacheData(d->device, c->handle, &bytes, binary) == VK_SUCCESS) {
        vkd_replace_file_(d, &c->entry, binary, bytes);
        c->stored = bytes;
    }
    free(binary);
}
