/* memory_info.c - properties of an address. Any context may be passed, because pointers are the same in all of them and
 * programs rely on it.
 */
#include "ze_soft.h"

/* ze_memory_sub_allocations_exp_properties_t, which older headers lack: allocations are whole. */
enum { SUB_ALLOCATIONS = 0x2000d };
struct sub_allocations {
    ze_structure_type_t stype;
    void *next;
    uint32_t *count;
    struct {
        void *base;
        size_t size;
    } *list;
};

static void give_sub_allocations(void *chain, const struct soft_allocation *a)
{
    for (ze_base_properties_t *p = chain; p; p = p->pNext) {
        struct sub_allocations *s = (void *)p;
        if ((uint32_t)p->stype != SUB_ALLOCATIONS || !s->count) continue;
        if (s->list && *s->count && a->size) {
            s->list[0].base = a->base;
            s->list[0].size = a->size;
        }
        *s->count = a->size != 0;
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
    give_sub_allocations(properties->pNext, &a);
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
