/* unsupported.c - unsupported functions, which say so instead of pretending. Null handles are reported before missing
 * features, because callers test for them first.
 */
#define _GNU_SOURCE
#include "ze_soft.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* the signatures are the API's */

#define REFUSE(handle) return (handle) ? ZE_RESULT_ERROR_UNSUPPORTED_FEATURE : ZE_RESULT_ERROR_INVALID_NULL_HANDLE

/* ---- features that a CPU lacks: PCI address, cache reservation */

ze_result_t zeDevicePciGetPropertiesExt(ze_device_handle_t hDevice, ze_pci_ext_properties_t *pPciProperties)
{
    REFUSE(hDevice);
}

ze_result_t zeDeviceReserveCacheExt(ze_device_handle_t hDevice, size_t cacheLevel, size_t cacheReservationSize)
{
    REFUSE(hDevice);
}

ze_result_t zeDeviceSetCacheAdviceExt(ze_device_handle_t hDevice, void *ptr, size_t regionSize,
                                      ze_cache_ext_region_t cacheRegion)
{
    REFUSE(hDevice);
}
