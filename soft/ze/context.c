/* context.c - contexts and residency. Contexts own nothing here: memory is host memory and always resident. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "ze_soft.h"

struct _ze_context_handle_t soft_default_context = {SOFT_CONTEXT};

ze_result_t zeContextCreate(ze_driver_handle_t driver, const ze_context_desc_t *desc, ze_context_handle_t *context)
{
    return zeContextCreateEx(driver, desc, 0, NULL, context);
}

/* How much power to save, in percent: checked, then nothing to do. */
static ze_result_t check_hint(const void *chain)
{
    for (const ze_base_desc_t *d = chain; d; d = d->pNext) {
        const ze_context_power_saving_hint_exp_desc_t *h = (const void *)d;
        if (d->stype == ZE_STRUCTURE_TYPE_POWER_SAVING_HINT_EXP_DESC && h->hint > 100)
            return soft_fail(ZE_RESULT_ERROR_INVALID_ENUMERATION, "%u percent", h->hint);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeContextCreateEx(ze_driver_handle_t driver, const ze_context_desc_t *desc, uint32_t device_count,
                              ze_device_handle_t *devices, ze_context_handle_t *context)
{
    uint32_t i;
    SOFT_HANDLE(driver, SOFT_DRIVER);
    SOFT_POINTER(desc);
    SOFT_POINTER(context);
    SOFT_FLAGS(desc->flags, ZE_CONTEXT_FLAG_TBD);
    SOFT_TRY(check_hint(desc->pNext));
    if (device_count && !devices) return ZE_RESULT_ERROR_INVALID_SIZE;
    for (i = 0; i < device_count; i++) SOFT_HANDLE(devices[i], SOFT_DEVICE);
    *context = calloc(1, sizeof **context);
    if (!*context) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    (*context)->tag = SOFT_CONTEXT;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeContextDestroy(ze_context_handle_t context)
{
    SOFT_HANDLE(context, SOFT_CONTEXT);
    if (context == &soft_default_context)
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the default context stays");
    context->tag = SOFT_DEAD;
    free(context);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeContextGetStatus(ze_context_handle_t context)
{
    SOFT_HANDLE(context, SOFT_CONTEXT);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeContextSystemBarrier(ze_context_handle_t context, ze_device_handle_t device)
{
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_HANDLE(device, SOFT_DEVICE);
    atomic_thread_fence(memory_order_seq_cst);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t residency(ze_context_handle_t context, ze_device_handle_t device, void *pointer, size_t size)
{
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(pointer);
    if (!size) return ZE_RESULT_ERROR_INVALID_SIZE;
    if (!soft_range_fits(pointer, size)) return soft_fail(ZE_RESULT_ERROR_INVALID_SIZE, "range exceeds its allocation");
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeContextMakeMemoryResident(ze_context_handle_t context, ze_device_handle_t device, void *pointer,
                                        size_t size)
{
    return residency(context, device, pointer, size);
}

ze_result_t zeContextEvictMemory(ze_context_handle_t context, ze_device_handle_t device, void *pointer, size_t size)
{
    return residency(context, device, pointer, size);
}
