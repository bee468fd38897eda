/* memory_info.c - properties of an address. Any context may be passed, because pointers are the same in all of them and
 * programs rely on it.
 */
#include "ze_soft.h"

/* Of memory that is divided among sub-devices; ours is one piece. */
struct pieces {
    uint32_t stype;
    void *next;
    uint32_t *count;
    struct {
        void *base;
        size_t size;
    } *list;
};

static void give_pieces(const ze_base_properties_t *chain, const struct soft_allocation *a)
{
    for (const ze_base_properties_t *p = chain; p; p = p->pNext) {
        const struct pieces *to = (const void *)p;
        if (p->stype != ZE_STRUCTURE_TYPE_MEMORY_SUB_ALLOCATIONS_EXP_PROPERTIES || !to->count) continue;
        if (to->list && *to->count && a->base) {
            to->list[0].base = a->base;
            to->list[0].size = a->size;
        }
        *to->count = a->base ? 1 : 0;
    }
}

ze_result_t zeMemGetAllocProperties(ze_context_handle_t context, const void *pointer,
                                    ze_memory_allocation_properties_t *properties, ze_device_handle_t *device)
{
    struct soft_allocation a = {.type = ZE_MEMORY_TYPE_UNKNOWN};
    struct soft_ipc ipc = {0};
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_POINTER(pointer);
    SOFT_POINTER(properties);
    if (!soft_memory_find(pointer, &a) && (a.id = soft_virtual_id(pointer)) != 0) {
        a.type = ZE_MEMORY_TYPE_DEVICE;
        a.page = soft_page_size();
    }
    properties->type = a.type;
    properties->id = a.id;
    properties->pageSize = a.page;
    if (device) *device = a.type == ZE_MEMORY_TYPE_UNKNOWN || a.type == ZE_MEMORY_TYPE_HOST ? NULL : &soft_device;
    give_pieces(properties->pNext, &a);
    ze_external_memory_export_fd_t *wanted = soft_wanted_file(properties->pNext);
    if (!wanted) return ZE_RESULT_SUCCESS;
    SOFT_TRY(soft_share(pointer, &ipc));
    return soft_give_file(wanted, ipc.file);
}

ze_result_t zeMemGetAddressRange(ze_context_handle_t context, const void *pointer, void **base, size_t *size)
{
    struct soft_allocation a;
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_POINTER(pointer);
    if (!soft_memory_find(pointer, &a))
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%p is in no allocation", pointer);
    if (base) *base = a.base;
    if (size) *size = a.size;
    return ZE_RESULT_SUCCESS;
}
