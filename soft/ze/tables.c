/* tables.c - the tables requested by the loader: one exported function per table. These are the library's only symbols.
 *
 * The loader passes the version of its tables. Entries newer than that are beyond the end of the table and must not be
 * written.
 */
#define _GNU_SOURCE
#include "counter.h"
#include "graph.h"

static ze_result_t check(ze_api_version_t version, const void *table)
{
    SOFT_POINTER(table);
    return ZE_MAJOR_VERSION(version) == 1 ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNSUPPORTED_VERSION;
}

#define TABLE(getter, type)                                                                                            \
    ze_result_t getter(ze_api_version_t version, type *t)                                                              \
    {                                                                                                                  \
        SOFT_TRY(check(version, t));
#define SINCE(minor, entry, function)                                                                                  \
    if (ZE_MINOR_VERSION(version) >= (minor)) t->entry = function;
#define END                                                                                                            \
    return ZE_RESULT_SUCCESS;                                                                                          \
    }

/* clang-format off */

TABLE(zeGetGlobalProcAddrTable, ze_global_dditable_t)
    t->pfnInit = zeInit;
#if SOFT_API(10)
    SINCE(10, pfnInitDrivers, zeInitDrivers)
#endif
END

TABLE(zeGetDriverProcAddrTable, ze_driver_dditable_t)
    t->pfnGet = zeDriverGet;
    t->pfnGetApiVersion = zeDriverGetApiVersion;
    t->pfnGetProperties = zeDriverGetProperties;
    t->pfnGetIpcProperties = zeDriverGetIpcProperties;
    t->pfnGetExtensionProperties = zeDriverGetExtensionProperties;
    t->pfnGetExtensionFunctionAddress = zeDriverGetExtensionFunctionAddress;
#if SOFT_API(6)
    SINCE(6, pfnGetLastErrorDescription, zeDriverGetLastErrorDescription)
#endif
#if SOFT_API(17)
    SINCE(17, pfnGetDefaultContext, zeDriverGetDefaultContext)
#endif
END

TABLE(zeGetDeviceProcAddrTable, ze_device_dditable_t)
    t->pfnGet = zeDeviceGet;
    t->pfnGetSubDevices = zeDeviceGetSubDevices;
    t->pfnGetProperties = zeDeviceGetProperties;
    t->pfnGetComputeProperties = zeDeviceGetComputeProperties;
    t->pfnGetModuleProperties = zeDeviceGetModuleProperties;
    t->pfnGetCommandQueueGroupProperties = zeDeviceGetCommandQueueGroupProperties;
    t->pfnGetMemoryProperties = zeDeviceGetMemoryProperties;
    t->pfnGetMemoryAccessProperties = zeDeviceGetMemoryAccessProperties;
    t->pfnGetCacheProperties = zeDeviceGetCacheProperties;
    t->pfnGetImageProperties = zeDeviceGetImageProperties;
    t->pfnGetExternalMemoryProperties = zeDeviceGetExternalMemoryProperties;
    t->pfnGetP2PProperties = zeDeviceGetP2PProperties;
    t->pfnCanAccessPeer = zeDeviceCanAccessPeer;
    t->pfnGetStatus = zeDeviceGetStatus;
    t->pfnGetGlobalTimestamps = zeDeviceGetGlobalTimestamps;
    t->pfnReserveCacheExt = zeDeviceReserveCacheExt;
    t->pfnSetCacheAdviceExt = zeDeviceSetCacheAdviceExt;
    t->pfnPciGetPropertiesExt = zeDevicePciGetPropertiesExt;
#if SOFT_API(7)
    SINCE(7, pfnGetRootDevice, zeDeviceGetRootDevice)
#endif
#if SOFT_API(17)
    SINCE(12, pfnImportExternalSemaphoreExt, zeDeviceImportExternalSemaphoreExt)
    SINCE(12, pfnReleaseExternalSemaphoreExt, zeDeviceReleaseExternalSemaphoreExt)
    SINCE(13, pfnGetVectorWidthPropertiesExt, zeDeviceGetVectorWidthPropertiesExt)
    SINCE(15, pfnGetAggregatedCopyOffloadIncrementValue, zeDeviceGetAggregatedCopyOffloadIncrementValue)
    SINCE(17, pfnSynchronize, zeDeviceSynchronize)
    SINCE(17, pfnGetCounterBasedEventMaxValue, zeDeviceGetCounterBasedEventMaxValue)
#endif
END

TABLE(zeGetDeviceExpProcAddrTable, ze_device_exp_dditable_t)
    t->pfnGetFabricVertexExp = zeDeviceGetFabricVertexExp;
END

TABLE(zeGetContextProcAddrTable, ze_context_dditable_t)
    t->pfnCreate = zeContextCreate;
    t->pfnDestroy = zeContextDestroy;
    t->pfnGetStatus = zeContextGetStatus;
    t->pfnSystemBarrier = zeContextSystemBarrier;
    t->pfnMakeMemoryResident = zeContextMakeMemoryResident;
    t->pfnEvictMemory = zeContextEvictMemory;
    t->pfnMakeImageResident = zeContextMakeImageResident;
    t->pfnEvictImage = zeContextEvictImage;
    t->pfnCreateEx = zeContextCreateEx;
END

TABLE(zeGetCommandQueueProcAddrTable, ze_command_queue_dditable_t)
    t->pfnCreate = zeCommandQueueCreate;
    t->pfnDestroy = zeCommandQueueDestroy;
    t->pfnExecuteCommandLists = zeCommandQueueExecuteCommandLists;
    t->pfnSynchronize = zeCommandQueueSynchronize;
#if SOFT_API(9)
    SINCE(9, pfnGetOrdinal, zeCommandQueueGetOrdinal)
    SINCE(9, pfnGetIndex, zeCommandQueueGetIndex)
#endif
#if SOFT_API(17)
    SINCE(17, pfnGetFlags, zeCommandQueueGetFlags)
    SINCE(17, pfnGetMode, zeCommandQueueGetMode)
    SINCE(17, pfnGetPriority, zeCommandQueueGetPriority)
#endif
END

TABLE(zeGetCommandListProcAddrTable, ze_command_list_dditable_t)
    t->pfnCreate = zeCommandListCreate;
    t->pfnCreateImmediate = zeCommandListCreateImmediate;
    t->pfnDestroy = zeCommandListDestroy;
    t->pfnClose = zeCommandListClose;
    t->pfnReset = zeCommandListReset;
    t->pfnAppendWriteGlobalTimestamp = zeCommandListAppendWriteGlobalTimestamp;
    t->pfnAppendBarrier = zeCommandListAppendBarrier;
    t->pfnAppendMemoryRangesBarrier = zeCommandListAppendMemoryRangesBarrier;
    t->pfnAppendMemoryCopy = zeCommandListAppendMemoryCopy;
    t->pfnAppendMemoryFill = zeCommandListAppendMemoryFill;
    t->pfnAppendMemoryCopyRegion = zeCommandListAppendMemoryCopyRegion;
    t->pfnAppendMemoryCopyFromContext = zeCommandListAppendMemoryCopyFromContext;
    t->pfnAppendImageCopy = zeCommandListAppendImageCopy;
    t->pfnAppendImageCopyRegion = zeCommandListAppendImageCopyRegion;
    t->pfnAppendImageCopyToMemory = zeCommandListAppendImageCopyToMemory;
    t->pfnAppendImageCopyFromMemory = zeCommandListAppendImageCopyFromMemory;
    t->pfnAppendMemoryPrefetch = zeCommandListAppendMemoryPrefetch;
    t->pfnAppendMemAdvise = zeCommandListAppendMemAdvise;
    t->pfnAppendSignalEvent = zeCommandListAppendSignalEvent;
    t->pfnAppendWaitOnEvents = zeCommandListAppendWaitOnEvents;
    t->pfnAppendEventReset = zeCommandListAppendEventReset;
    t->pfnAppendQueryKernelTimestamps = zeCommandListAppendQueryKernelTimestamps;
    t->pfnAppendLaunchKernel = zeCommandListAppendLaunchKernel;
    t->pfnAppendLaunchCooperativeKernel = zeCommandListAppendLaunchCooperativeKernel;
    t->pfnAppendLaunchKernelIndirect = zeCommandListAppendLaunchKernelIndirect;
    t->pfnAppendLaunchMultipleKernelsIndirect = zeCommandListAppendLaunchMultipleKernelsIndirect;
    t->pfnAppendImageCopyToMemoryExt = zeCommandListAppendImageCopyToMemoryExt;
    t->pfnAppendImageCopyFromMemoryExt = zeCommandListAppendImageCopyFromMemoryExt;
#if SOFT_API(6)
    SINCE(6, pfnHostSynchronize, zeCommandListHostSynchronize)
#endif
#if SOFT_API(9)
    SINCE(9, pfnGetDeviceHandle, zeCommandListGetDeviceHandle)
    SINCE(9, pfnGetContextHandle, zeCommandListGetContextHandle)
    SINCE(9, pfnGetOrdinal, zeCommandListGetOrdinal)
    SINCE(9, pfnImmediateGetIndex, zeCommandListImmediateGetIndex)
    SINCE(9, pfnIsImmediate, zeCommandListIsImmediate)
#endif
#if SOFT_API(17)
    SINCE(12, pfnAppendSignalExternalSemaphoreExt, zeCommandListAppendSignalExternalSemaphoreExt)
    SINCE(12, pfnAppendWaitExternalSemaphoreExt, zeCommandListAppendWaitExternalSemaphoreExt)
    SINCE(17, pfnAppendLaunchKernelWithParameters, zeCommandListAppendLaunchKernelWithParameters)
    SINCE(17, pfnAppendLaunchKernelWithArguments, zeCommandListAppendLaunchKernelWithArguments)
    SINCE(17, pfnAppendMemoryCopyWithParameters, zeCommandListAppendMemoryCopyWithParameters)
    SINCE(17, pfnAppendMemoryFillWithParameters, zeCommandListAppendMemoryFillWithParameters)
    SINCE(17, pfnImmediateAppendCommandListsWithParameters, zeCommandListImmediateAppendCommandListsWithParameters)
    SINCE(17, pfnGetFlags, zeCommandListGetFlags)
    SINCE(17, pfnImmediateGetFlags, zeCommandListImmediateGetFlags)
    SINCE(17, pfnImmediateGetMode, zeCommandListImmediateGetMode)
    SINCE(17, pfnImmediateGetPriority, zeCommandListImmediateGetPriority)
    SINCE(17, pfnAppendHostFunction, zeCommandListAppendHostFunction)
    SINCE(17, pfnBeginGraphCaptureExt, zeCommandListBeginGraphCaptureExt)
    SINCE(17, pfnBeginCaptureIntoGraphExt, zeCommandListBeginCaptureIntoGraphExt)
    SINCE(17, pfnIsGraphCaptureEnabledExt, zeCommandListIsGraphCaptureEnabledExt)
    SINCE(17, pfnEndGraphCaptureExt, zeCommandListEndGraphCaptureExt)
    SINCE(17, pfnGetGraphExt, zeCommandListGetGraphExt)
    SINCE(17, pfnAppendGraphExt, zeCommandListAppendGraphExt)
#endif
END

#if SOFT_API(17)
TABLE(zeGetGraphProcAddrTable, ze_graph_dditable_t)
    t->pfnCreateExt = zeGraphCreateExt;
    t->pfnGetPrimaryCommandListExt = zeGraphGetPrimaryCommandListExt;
    t->pfnSetDestructionCallbackExt = zeGraphSetDestructionCallbackExt;
    t->pfnInstantiateExt = zeGraphInstantiateExt;
    t->pfnIsEmptyExt = zeGraphIsEmptyExt;
    t->pfnDumpContentsExt = zeGraphDumpContentsExt;
    t->pfnDestroyExt = zeGraphDestroyExt;
END

TABLE(zeGetExecutableGraphProcAddrTable, ze_executable_graph_dditable_t)
    t->pfnGetSourceGraphExt = zeExecutableGraphGetSourceGraphExt;
    t->pfnDestroyExt = zeExecutableGraphDestroyExt;
END
#endif

TABLE(zeGetImageProcAddrTable, ze_image_dditable_t)
    t->pfnGetProperties = zeImageGetProperties;
    t->pfnCreate = zeImageCreate;
    t->pfnDestroy = zeImageDestroy;
    t->pfnGetAllocPropertiesExt = zeImageGetAllocPropertiesExt;
#if SOFT_API(5)
    SINCE(5, pfnViewCreateExt, zeImageViewCreateExt)
#endif
END

TABLE(zeGetImageExpProcAddrTable, ze_image_exp_dditable_t)
    t->pfnGetMemoryPropertiesExp = zeImageGetMemoryPropertiesExp;
    t->pfnViewCreateExp = zeImageViewCreateExp;
#if SOFT_API(9)
    SINCE(9, pfnGetDeviceOffsetExp, zeImageGetDeviceOffsetExp)
#endif
END

TABLE(zeGetFenceProcAddrTable, ze_fence_dditable_t)
    t->pfnCreate = zeFenceCreate;
    t->pfnDestroy = zeFenceDestroy;
    t->pfnHostSynchronize = zeFenceHostSynchronize;
    t->pfnQueryStatus = zeFenceQueryStatus;
    t->pfnReset = zeFenceReset;
END

TABLE(zeGetEventPoolProcAddrTable, ze_event_pool_dditable_t)
    t->pfnCreate = zeEventPoolCreate;
    t->pfnDestroy = zeEventPoolDestroy;
    t->pfnGetIpcHandle = zeEventPoolGetIpcHandle;
    t->pfnOpenIpcHandle = zeEventPoolOpenIpcHandle;
    t->pfnCloseIpcHandle = zeEventPoolCloseIpcHandle;
#if SOFT_API(6)
    SINCE(6, pfnPutIpcHandle, zeEventPoolPutIpcHandle)
#endif
#if SOFT_API(9)
    SINCE(9, pfnGetContextHandle, zeEventPoolGetContextHandle)
    SINCE(9, pfnGetFlags, zeEventPoolGetFlags)
#endif
END

TABLE(zeGetEventProcAddrTable, ze_event_dditable_t)
    t->pfnCreate = zeEventCreate;
    t->pfnDestroy = zeEventDestroy;
    t->pfnHostSignal = zeEventHostSignal;
    t->pfnHostSynchronize = zeEventHostSynchronize;
    t->pfnQueryStatus = zeEventQueryStatus;
    t->pfnHostReset = zeEventHostReset;
    t->pfnQueryKernelTimestamp = zeEventQueryKernelTimestamp;
#if SOFT_API(6)
    SINCE(6, pfnQueryKernelTimestampsExt, zeEventQueryKernelTimestampsExt)
#endif
#if SOFT_API(9)
    SINCE(9, pfnGetEventPool, zeEventGetEventPool)
    SINCE(9, pfnGetSignalScope, zeEventGetSignalScope)
    SINCE(9, pfnGetWaitScope, zeEventGetWaitScope)
#endif
#if SOFT_API(17)
    SINCE(15, pfnCounterBasedCreate, zeEventCounterBasedCreate)
    SINCE(15, pfnCounterBasedGetDeviceAddress, zeEventCounterBasedGetDeviceAddress)
    SINCE(15, pfnCounterBasedGetIpcHandle, zeEventCounterBasedGetIpcHandle)
    SINCE(15, pfnCounterBasedOpenIpcHandle, zeEventCounterBasedOpenIpcHandle)
    SINCE(15, pfnCounterBasedCloseIpcHandle, zeEventCounterBasedCloseIpcHandle)
    SINCE(17, pfnGetCounterBasedFlags, zeEventGetCounterBasedFlags)
#endif
END

TABLE(zeGetEventExpProcAddrTable, ze_event_exp_dditable_t)
    t->pfnQueryTimestampsExp = zeEventQueryTimestampsExp;
END

TABLE(zeGetModuleProcAddrTable, ze_module_dditable_t)
    t->pfnCreate = zeModuleCreate;
    t->pfnDestroy = zeModuleDestroy;
    t->pfnDynamicLink = zeModuleDynamicLink;
    t->pfnGetNativeBinary = zeModuleGetNativeBinary;
    t->pfnGetGlobalPointer = zeModuleGetGlobalPointer;
    t->pfnGetKernelNames = zeModuleGetKernelNames;
    t->pfnGetProperties = zeModuleGetProperties;
    t->pfnGetFunctionPointer = zeModuleGetFunctionPointer;
    t->pfnInspectLinkageExt = zeModuleInspectLinkageExt;
END

TABLE(zeGetModuleBuildLogProcAddrTable, ze_module_build_log_dditable_t)
    t->pfnDestroy = zeModuleBuildLogDestroy;
    t->pfnGetString = zeModuleBuildLogGetString;
END

TABLE(zeGetKernelProcAddrTable, ze_kernel_dditable_t)
    t->pfnCreate = zeKernelCreate;
    t->pfnDestroy = zeKernelDestroy;
    t->pfnSetCacheConfig = zeKernelSetCacheConfig;
    t->pfnSetGroupSize = zeKernelSetGroupSize;
    t->pfnSuggestGroupSize = zeKernelSuggestGroupSize;
    t->pfnSuggestMaxCooperativeGroupCount = zeKernelSuggestMaxCooperativeGroupCount;
    t->pfnSetArgumentValue = zeKernelSetArgumentValue;
    t->pfnSetIndirectAccess = zeKernelSetIndirectAccess;
    t->pfnGetIndirectAccess = zeKernelGetIndirectAccess;
    t->pfnGetSourceAttributes = zeKernelGetSourceAttributes;
    t->pfnGetProperties = zeKernelGetProperties;
    t->pfnGetName = zeKernelGetName;
END

TABLE(zeGetKernelExpProcAddrTable, ze_kernel_exp_dditable_t)
    t->pfnSetGlobalOffsetExp = zeKernelSetGlobalOffsetExp;
    t->pfnSchedulingHintExp = zeKernelSchedulingHintExp;
#if SOFT_API(14)
    SINCE(11, pfnGetBinaryExp, zeKernelGetBinaryExp)
    SINCE(14, pfnGetAllocationPropertiesExp, zeKernelGetAllocationPropertiesExp)
#endif
END

TABLE(zeGetSamplerProcAddrTable, ze_sampler_dditable_t)
    t->pfnCreate = zeSamplerCreate;
    t->pfnDestroy = zeSamplerDestroy;
END

TABLE(zeGetPhysicalMemProcAddrTable, ze_physical_mem_dditable_t)
    t->pfnCreate = zePhysicalMemCreate;
    t->pfnDestroy = zePhysicalMemDestroy;
#if SOFT_API(17)
    SINCE(17, pfnGetProperties, zePhysicalMemGetProperties)
#endif
END

TABLE(zeGetMemProcAddrTable, ze_mem_dditable_t)
    t->pfnAllocShared = zeMemAllocShared;
    t->pfnAllocDevice = zeMemAllocDevice;
    t->pfnAllocHost = zeMemAllocHost;
    t->pfnFree = zeMemFree;
    t->pfnGetAllocProperties = zeMemGetAllocProperties;
    t->pfnGetAddressRange = zeMemGetAddressRange;
    t->pfnGetIpcHandle = zeMemGetIpcHandle;
    t->pfnOpenIpcHandle = zeMemOpenIpcHandle;
    t->pfnCloseIpcHandle = zeMemCloseIpcHandle;
    t->pfnFreeExt = zeMemFreeExt;
#if SOFT_API(6)
    SINCE(6, pfnPutIpcHandle, zeMemPutIpcHandle)
#endif
#if SOFT_API(17)
    SINCE(15, pfnGetIpcHandleWithProperties, zeMemGetIpcHandleWithProperties)
#endif
#if SOFT_API(9)
    SINCE(9, pfnGetPitchFor2dImage, zeMemGetPitchFor2dImage)
#endif
END

#if SOFT_API(7)
TABLE(zeGetMemExpProcAddrTable, ze_mem_exp_dditable_t)
    SINCE(6, pfnGetIpcHandleFromFileDescriptorExp, zeMemGetIpcHandleFromFileDescriptorExp)
    SINCE(6, pfnGetFileDescriptorFromIpcHandleExp, zeMemGetFileDescriptorFromIpcHandleExp)
    SINCE(7, pfnSetAtomicAccessAttributeExp, zeMemSetAtomicAccessAttributeExp)
    SINCE(7, pfnGetAtomicAccessAttributeExp, zeMemGetAtomicAccessAttributeExp)
END
#endif

TABLE(zeGetVirtualMemProcAddrTable, ze_virtual_mem_dditable_t)
    t->pfnReserve = zeVirtualMemReserve;
    t->pfnFree = zeVirtualMemFree;
    t->pfnQueryPageSize = zeVirtualMemQueryPageSize;
    t->pfnMap = zeVirtualMemMap;
    t->pfnUnmap = zeVirtualMemUnmap;
    t->pfnSetAccessAttribute = zeVirtualMemSetAccessAttribute;
    t->pfnGetAccessAttribute = zeVirtualMemGetAccessAttribute;
END

TABLE(zeGetFabricVertexExpProcAddrTable, ze_fabric_vertex_exp_dditable_t)
    t->pfnGetExp = zeFabricVertexGetExp;
    t->pfnGetSubVerticesExp = zeFabricVertexGetSubVerticesExp;
    t->pfnGetPropertiesExp = zeFabricVertexGetPropertiesExp;
    t->pfnGetDeviceExp = zeFabricVertexGetDeviceExp;
END

TABLE(zeGetFabricEdgeExpProcAddrTable, ze_fabric_edge_exp_dditable_t)
    t->pfnGetExp = zeFabricEdgeGetExp;
    t->pfnGetVerticesExp = zeFabricEdgeGetVerticesExp;
    t->pfnGetPropertiesExp = zeFabricEdgeGetPropertiesExp;
END

/* Metrics, debugging and system management: none. The loader of Debian 12 requires the tables nevertheless, and treats
 * empty entries as unsupported functions.
 */
#define EMPTY(getter, type)                                                                                            \
    ze_result_t getter(ze_api_version_t version, type *t) { return check(version, t); }

EMPTY(zetGetDeviceProcAddrTable, zet_device_dditable_t)
EMPTY(zetGetContextProcAddrTable, zet_context_dditable_t)
EMPTY(zetGetCommandListProcAddrTable, zet_command_list_dditable_t)
EMPTY(zetGetModuleProcAddrTable, zet_module_dditable_t)
EMPTY(zetGetKernelProcAddrTable, zet_kernel_dditable_t)
EMPTY(zetGetMetricGroupProcAddrTable, zet_metric_group_dditable_t)
EMPTY(zetGetMetricGroupExpProcAddrTable, zet_metric_group_exp_dditable_t)
EMPTY(zetGetMetricProcAddrTable, zet_metric_dditable_t)
EMPTY(zetGetMetricStreamerProcAddrTable, zet_metric_streamer_dditable_t)
EMPTY(zetGetMetricQueryPoolProcAddrTable, zet_metric_query_pool_dditable_t)
EMPTY(zetGetMetricQueryProcAddrTable, zet_metric_query_dditable_t)
EMPTY(zetGetTracerExpProcAddrTable, zet_tracer_exp_dditable_t)
EMPTY(zetGetDebugProcAddrTable, zet_debug_dditable_t)
EMPTY(zesGetDriverProcAddrTable, zes_driver_dditable_t)
EMPTY(zesGetDeviceProcAddrTable, zes_device_dditable_t)
EMPTY(zesGetSchedulerProcAddrTable, zes_scheduler_dditable_t)
EMPTY(zesGetPerformanceFactorProcAddrTable, zes_performance_factor_dditable_t)
EMPTY(zesGetPowerProcAddrTable, zes_power_dditable_t)
EMPTY(zesGetFrequencyProcAddrTable, zes_frequency_dditable_t)
EMPTY(zesGetEngineProcAddrTable, zes_engine_dditable_t)
EMPTY(zesGetStandbyProcAddrTable, zes_standby_dditable_t)
EMPTY(zesGetFirmwareProcAddrTable, zes_firmware_dditable_t)
EMPTY(zesGetMemoryProcAddrTable, zes_memory_dditable_t)
EMPTY(zesGetFabricPortProcAddrTable, zes_fabric_port_dditable_t)
EMPTY(zesGetTemperatureProcAddrTable, zes_temperature_dditable_t)
EMPTY(zesGetPsuProcAddrTable, zes_psu_dditable_t)
EMPTY(zesGetFanProcAddrTable, zes_fan_dditable_t)
EMPTY(zesGetLedProcAddrTable, zes_led_dditable_t)
EMPTY(zesGetRasProcAddrTable, zes_ras_dditable_t)
EMPTY(zesGetDiagnosticsProcAddrTable, zes_diagnostics_dditable_t)
#if SOFT_API(9)
TABLE(zeGetCommandListExpProcAddrTable, ze_command_list_exp_dditable_t)
    SINCE(9, pfnImmediateAppendCommandListsExp, zeCommandListImmediateAppendCommandListsExp)
#if SOFT_API(17)
    SINCE(9, pfnGetNextCommandIdExp, zeCommandListGetNextCommandIdExp)
    SINCE(9, pfnUpdateMutableCommandsExp, zeCommandListUpdateMutableCommandsExp)
    SINCE(9, pfnUpdateMutableCommandSignalEventExp, zeCommandListUpdateMutableCommandSignalEventExp)
    SINCE(9, pfnUpdateMutableCommandWaitEventsExp, zeCommandListUpdateMutableCommandWaitEventsExp)
    SINCE(10, pfnGetNextCommandIdWithKernelsExp, zeCommandListGetNextCommandIdWithKernelsExp)
    SINCE(10, pfnUpdateMutableCommandKernelsExp, zeCommandListUpdateMutableCommandKernelsExp)
    SINCE(17, pfnIsMutableExp, zeCommandListIsMutableExp)
#endif
END
#endif
/* clang-format on */
