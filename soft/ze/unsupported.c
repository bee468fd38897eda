/* unsupported.c - the functions this device has nothing behind. They say so; none pretends. Null handles are told
 * from missing features, because callers test for the former first.
 */
#define _GNU_SOURCE
#include "ze_soft.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* the signatures are the API's */

#define REFUSE(handle) return (handle) ? ZE_RESULT_ERROR_UNSUPPORTED_FEATURE : ZE_RESULT_ERROR_INVALID_NULL_HANDLE

/* ---- images and samplers */

ze_result_t zeImageGetProperties(ze_device_handle_t hDevice, const ze_image_desc_t *desc,
                                 ze_image_properties_t *pImageProperties)
{
    REFUSE(hDevice);
}

ze_result_t zeImageCreate(ze_context_handle_t hContext, ze_device_handle_t hDevice, const ze_image_desc_t *desc,
                          ze_image_handle_t *phImage)
{
    REFUSE(hContext);
}

ze_result_t zeImageDestroy(ze_image_handle_t hImage) { REFUSE(hImage); }

ze_result_t zeImageGetAllocPropertiesExt(ze_context_handle_t hContext, ze_image_handle_t hImage,
                                         ze_image_allocation_ext_properties_t *pImageAllocProperties)
{
    REFUSE(hContext);
}

ze_result_t zeImageGetMemoryPropertiesExp(ze_image_handle_t hImage, ze_image_memory_properties_exp_t *pMemoryProperties)
{
    REFUSE(hImage);
}

ze_result_t zeImageViewCreateExp(ze_context_handle_t hContext, ze_device_handle_t hDevice, const ze_image_desc_t *desc,
                                 ze_image_handle_t hImage, ze_image_handle_t *phImageView)
{
    REFUSE(hContext);
}

ze_result_t zeCommandListAppendImageCopy(ze_command_list_handle_t hCommandList, ze_image_handle_t hDstImage,
                                         ze_image_handle_t hSrcImage, ze_event_handle_t hSignalEvent,
                                         uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents)
{
    REFUSE(hCommandList);
}

ze_result_t zeCommandListAppendImageCopyRegion(ze_command_list_handle_t hCommandList, ze_image_handle_t hDstImage,
                                               ze_image_handle_t hSrcImage, const ze_image_region_t *pDstRegion,
                                               const ze_image_region_t *pSrcRegion, ze_event_handle_t hSignalEvent,
                                               uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents)
{
    REFUSE(hCommandList);
}

ze_result_t zeCommandListAppendImageCopyToMemory(ze_command_list_handle_t hCommandList, void *dstptr,
                                                 ze_image_handle_t hSrcImage, const ze_image_region_t *pSrcRegion,
                                                 ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
                                                 ze_event_handle_t *phWaitEvents)
{
    REFUSE(hCommandList);
}

ze_result_t zeCommandListAppendImageCopyFromMemory(ze_command_list_handle_t hCommandList, ze_image_handle_t hDstImage,
                                                   const void *srcptr, const ze_image_region_t *pDstRegion,
                                                   ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
                                                   ze_event_handle_t *phWaitEvents)
{
    REFUSE(hCommandList);
}

ze_result_t zeCommandListAppendImageCopyToMemoryExt(ze_command_list_handle_t hCommandList, void *dstptr,
                                                    ze_image_handle_t hSrcImage, const ze_image_region_t *pSrcRegion,
                                                    uint32_t destRowPitch, uint32_t destSlicePitch,
                                                    ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
                                                    ze_event_handle_t *phWaitEvents)
{
    REFUSE(hCommandList);
}

ze_result_t zeCommandListAppendImageCopyFromMemoryExt(ze_command_list_handle_t hCommandList,
                                                      ze_image_handle_t hDstImage, const void *srcptr,
                                                      const ze_image_region_t *pDstRegion, uint32_t srcRowPitch,
                                                      uint32_t srcSlicePitch, ze_event_handle_t hSignalEvent,
                                                      uint32_t numWaitEvents, ze_event_handle_t *phWaitEvents)
{
    REFUSE(hCommandList);
}

ze_result_t zeContextMakeImageResident(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                                       ze_image_handle_t hImage)
{
    REFUSE(hContext);
}

ze_result_t zeContextEvictImage(ze_context_handle_t hContext, ze_device_handle_t hDevice, ze_image_handle_t hImage)
{
    REFUSE(hContext);
}

ze_result_t zeSamplerCreate(ze_context_handle_t hContext, ze_device_handle_t hDevice, const ze_sampler_desc_t *desc,
                            ze_sampler_handle_t *phSampler)
{
    REFUSE(hContext);
}

ze_result_t zeSamplerDestroy(ze_sampler_handle_t hSampler) { REFUSE(hSampler); }

/* ---- what a CPU does not have: a PCI address, cache reservation, scheduling hints */

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

ze_result_t zeKernelSchedulingHintExp(ze_kernel_handle_t hKernel, ze_scheduling_hint_exp_desc_t *pHint)
{
    REFUSE(hKernel);
}

/* ---- fabric vertices have no handles here, so that nothing can be asked of one */

ze_result_t zeFabricVertexGetSubVerticesExp(ze_fabric_vertex_handle_t hVertex, uint32_t *pCount,
                                            ze_fabric_vertex_handle_t *phSubvertices)
{
    REFUSE(hVertex);
}

ze_result_t zeFabricVertexGetPropertiesExp(ze_fabric_vertex_handle_t hVertex,
                                           ze_fabric_vertex_exp_properties_t *pVertexProperties)
{
    REFUSE(hVertex);
}

ze_result_t zeFabricVertexGetDeviceExp(ze_fabric_vertex_handle_t hVertex, ze_device_handle_t *phDevice)
{
    REFUSE(hVertex);
}

ze_result_t zeFabricEdgeGetExp(ze_fabric_vertex_handle_t hVertexA, ze_fabric_vertex_handle_t hVertexB, uint32_t *pCount,
                               ze_fabric_edge_handle_t *phEdges)
{
    REFUSE(hVertexA);
}

ze_result_t zeFabricEdgeGetVerticesExp(ze_fabric_edge_handle_t hEdge, ze_fabric_vertex_handle_t *phVertexA,
                                       ze_fabric_vertex_handle_t *phVertexB)
{
    REFUSE(hEdge);
}

ze_result_t zeFabricEdgeGetPropertiesExp(ze_fabric_edge_handle_t hEdge,
                                         ze_fabric_edge_exp_properties_t *pEdgeProperties)
{
    REFUSE(hEdge);
}

ze_result_t zeFabricVertexGetExp(ze_driver_handle_t driver, uint32_t *count, ze_fabric_vertex_handle_t *vertices)
{
    SOFT_HANDLE(driver, SOFT_DRIVER);
    SOFT_POINTER(count);
    *count = 0;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetFabricVertexExp(ze_device_handle_t device, ze_fabric_vertex_handle_t *vertex)
{
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(vertex);
    return ZE_RESULT_EXP_ERROR_DEVICE_IS_NOT_VERTEX;
}
