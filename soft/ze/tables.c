/* tables.c - the tables requested by the loader: one exported function per table. These are the library's only symbols.
 *
 * A table is an array of pointers to functions, in an order that newer versions of the API only extend (the
 * loaders 1.18.0 to 1.18.3 differed, by mistake). The loader passes its version; what newer ones added is beyond the
 * end of its table and must not be written.
 */
#define _GNU_SOURCE
#include "counter.h"
#include "graph.h"

typedef void any_function(void);
struct slot {
    unsigned since; /* the version by which every loader's table has it */
    any_function *function;
};

enum { OLDEST = 4 };

static ze_result_t fill(ze_api_version_t version, any_function **table, const struct slot *slots, size_t count)
{
    const unsigned minor = ZE_MINOR_VERSION(version);
    SOFT_POINTER(table);
    if (ZE_MAJOR_VERSION(version) != 1 || minor < OLDEST) return ZE_RESULT_ERROR_UNSUPPORTED_VERSION;
    soft_log_serve(minor);
    for (size_t i = 0; i < count && slots[i].since <= minor; i++)
        if (slots[i].function) table[i] = slots[i].function;
    return ZE_RESULT_SUCCESS;
}

#define TABLE(getter, ...)                                                                                             \
    __attribute__((visibility("default"))) ze_result_t getter(ze_api_version_t version, any_function **table)          \
    {                                                                                                                  \
        static const struct slot slots[] = {__VA_ARGS__};                                                              \
        return fill(version, table, slots, sizeof slots / sizeof slots[0]);                                            \
    }
#define IS(minor, name)                                                                                                \
    {                                                                                                                  \
        minor, (any_function *)name                                                                                    \
    }
#define NO(minor, name)                                                                                                \
    {                                                                                                                  \
        minor, NULL                                                                                                    \
    } /* not supported: the loader says so */

/* clang-format off */

TABLE(zeGetGlobalProcAddrTable,
    IS(4, zeInit),
    IS(11, zeInitDrivers))

TABLE(zeGetDriverProcAddrTable,
    IS(4, zeDriverGet),
    IS(4, zeDriverGetApiVersion),
    IS(4, zeDriverGetProperties),
    IS(4, zeDriverGetIpcProperties),
    IS(4, zeDriverGetExtensionProperties),
    IS(4, zeDriverGetExtensionFunctionAddress),
    IS(6, zeDriverGetLastErrorDescription),
    NO(13, zeDriverRTASFormatCompatibilityCheckExt),
    IS(14, zeDriverGetDefaultContext))

TABLE(zeGetDeviceProcAddrTable,
    IS(4, zeDeviceGet),
    IS(4, zeDeviceGetSubDevices),
    IS(4, zeDeviceGetProperties),
    IS(4, zeDeviceGetComputeProperties),
    IS(4, zeDeviceGetModuleProperties),
    IS(4, zeDeviceGetCommandQueueGroupProperties),
    IS(4, zeDeviceGetMemoryProperties),
    IS(4, zeDeviceGetMemoryAccessProperties),
    IS(4, zeDeviceGetCacheProperties),
    IS(4, zeDeviceGetImageProperties),
    IS(4, zeDeviceGetExternalMemoryProperties),
    IS(4, zeDeviceGetP2PProperties),
    IS(4, zeDeviceCanAccessPeer),
    IS(4, zeDeviceGetStatus),
    IS(4, zeDeviceGetGlobalTimestamps),
    IS(4, zeDeviceReserveCacheExt),
    IS(4, zeDeviceSetCacheAdviceExt),
    IS(4, zeDevicePciGetPropertiesExt),
    IS(7, zeDeviceGetRootDevice),
    IS(12, zeDeviceImportExternalSemaphoreExt),
    IS(12, zeDeviceReleaseExternalSemaphoreExt),
    IS(13, zeDeviceGetVectorWidthPropertiesExt),
    IS(14, zeDeviceSynchronize),
    IS(15, zeDeviceGetAggregatedCopyOffloadIncrementValue),
    NO(16, zeDeviceGetRuntimeRequirements),
    NO(16, zeDeviceGetRuntimeRequirementsKey),
    NO(16, zeDeviceValidateRuntimeRequirements),
    IS(17, zeDeviceGetCounterBasedEventMaxValue))

TABLE(zeGetDeviceExpProcAddrTable,
    IS(4, zeDeviceGetFabricVertexExp))

TABLE(zeGetContextProcAddrTable,
    IS(4, zeContextCreate),
    IS(4, zeContextDestroy),
    IS(4, zeContextGetStatus),
    IS(4, zeContextSystemBarrier),
    IS(4, zeContextMakeMemoryResident),
    IS(4, zeContextEvictMemory),
    IS(4, zeContextMakeImageResident),
    IS(4, zeContextEvictImage),
    IS(4, zeContextCreateEx))

TABLE(zeGetCommandQueueProcAddrTable,
    IS(4, zeCommandQueueCreate),
    IS(4, zeCommandQueueDestroy),
    IS(4, zeCommandQueueExecuteCommandLists),
    IS(4, zeCommandQueueSynchronize),
    IS(9, zeCommandQueueGetOrdinal),
    IS(9, zeCommandQueueGetIndex),
    IS(17, zeCommandQueueGetFlags),
    IS(17, zeCommandQueueGetMode),
    IS(17, zeCommandQueueGetPriority))

TABLE(zeGetCommandListProcAddrTable,
    IS(4, zeCommandListCreate),
    IS(4, zeCommandListCreateImmediate),
    IS(4, zeCommandListDestroy),
    IS(4, zeCommandListClose),
    IS(4, zeCommandListReset),
    IS(4, zeCommandListAppendWriteGlobalTimestamp),
    IS(4, zeCommandListAppendBarrier),
    IS(4, zeCommandListAppendMemoryRangesBarrier),
    IS(4, zeCommandListAppendMemoryCopy),
    IS(4, zeCommandListAppendMemoryFill),
    IS(4, zeCommandListAppendMemoryCopyRegion),
    IS(4, zeCommandListAppendMemoryCopyFromContext),
    IS(4, zeCommandListAppendImageCopy),
    IS(4, zeCommandListAppendImageCopyRegion),
    IS(4, zeCommandListAppendImageCopyToMemory),
    IS(4, zeCommandListAppendImageCopyFromMemory),
    IS(4, zeCommandListAppendMemoryPrefetch),
    IS(4, zeCommandListAppendMemAdvise),
    IS(4, zeCommandListAppendSignalEvent),
    IS(4, zeCommandListAppendWaitOnEvents),
    IS(4, zeCommandListAppendEventReset),
    IS(4, zeCommandListAppendQueryKernelTimestamps),
    IS(4, zeCommandListAppendLaunchKernel),
    IS(4, zeCommandListAppendLaunchCooperativeKernel),
    IS(4, zeCommandListAppendLaunchKernelIndirect),
    IS(4, zeCommandListAppendLaunchMultipleKernelsIndirect),
    IS(4, zeCommandListAppendImageCopyToMemoryExt),
    IS(4, zeCommandListAppendImageCopyFromMemoryExt),
    IS(6, zeCommandListHostSynchronize),
    IS(9, zeCommandListGetDeviceHandle),
    IS(9, zeCommandListGetContextHandle),
    IS(9, zeCommandListGetOrdinal),
    IS(9, zeCommandListImmediateGetIndex),
    IS(9, zeCommandListIsImmediate),
    IS(12, zeCommandListAppendSignalExternalSemaphoreExt),
    IS(12, zeCommandListAppendWaitExternalSemaphoreExt),
    IS(14, zeCommandListAppendLaunchKernelWithParameters),
    IS(14, zeCommandListAppendLaunchKernelWithArguments),
    IS(16, zeCommandListAppendMemoryCopyWithParameters),
    IS(16, zeCommandListAppendMemoryFillWithParameters),
    IS(16, zeCommandListImmediateAppendCommandListsWithParameters),
    IS(17, zeCommandListGetFlags),
    IS(17, zeCommandListImmediateGetFlags),
    IS(17, zeCommandListImmediateGetMode),
    IS(17, zeCommandListImmediateGetPriority),
    IS(17, zeCommandListBeginGraphCaptureExt),
    IS(17, zeCommandListBeginCaptureIntoGraphExt),
    IS(17, zeCommandListIsGraphCaptureEnabledExt),
    IS(17, zeCommandListEndGraphCaptureExt),
    IS(17, zeCommandListGetGraphExt),
    IS(17, zeCommandListAppendGraphExt),
    IS(17, zeCommandListAppendHostFunction))

TABLE(zeGetGraphProcAddrTable,
    IS(17, zeGraphCreateExt),
    IS(17, zeGraphGetPrimaryCommandListExt),
    IS(17, zeGraphSetDestructionCallbackExt),
    IS(17, zeGraphInstantiateExt),
    IS(17, zeGraphIsEmptyExt),
    IS(17, zeGraphDumpContentsExt),
    IS(17, zeGraphDestroyExt))

TABLE(zeGetExecutableGraphProcAddrTable,
    IS(17, zeExecutableGraphGetSourceGraphExt),
    IS(17, zeExecutableGraphDestroyExt))

TABLE(zeGetImageProcAddrTable,
    IS(4, zeImageGetProperties),
    IS(4, zeImageCreate),
    IS(4, zeImageDestroy),
    IS(4, zeImageGetAllocPropertiesExt),
    IS(5, zeImageViewCreateExt))

TABLE(zeGetImageExpProcAddrTable,
    IS(4, zeImageGetMemoryPropertiesExp),
    IS(4, zeImageViewCreateExp),
    IS(9, zeImageGetDeviceOffsetExp))

TABLE(zeGetFenceProcAddrTable,
    IS(4, zeFenceCreate),
    IS(4, zeFenceDestroy),
    IS(4, zeFenceHostSynchronize),
    IS(4, zeFenceQueryStatus),
    IS(4, zeFenceReset))

TABLE(zeGetEventPoolProcAddrTable,
    IS(4, zeEventPoolCreate),
    IS(4, zeEventPoolDestroy),
    IS(4, zeEventPoolGetIpcHandle),
    IS(4, zeEventPoolOpenIpcHandle),
    IS(4, zeEventPoolCloseIpcHandle),
    IS(6, zeEventPoolPutIpcHandle),
    IS(9, zeEventPoolGetContextHandle),
    IS(9, zeEventPoolGetFlags))

TABLE(zeGetEventProcAddrTable,
    IS(4, zeEventCreate),
    IS(4, zeEventDestroy),
    IS(4, zeEventHostSignal),
    IS(4, zeEventHostSynchronize),
    IS(4, zeEventQueryStatus),
    IS(4, zeEventHostReset),
    IS(4, zeEventQueryKernelTimestamp),
    IS(6, zeEventQueryKernelTimestampsExt),
    IS(9, zeEventGetEventPool),
    IS(9, zeEventGetSignalScope),
    IS(9, zeEventGetWaitScope),
    IS(15, zeEventCounterBasedCreate),
    IS(15, zeEventCounterBasedGetIpcHandle),
    IS(15, zeEventCounterBasedOpenIpcHandle),
    IS(15, zeEventCounterBasedCloseIpcHandle),
    IS(15, zeEventCounterBasedGetDeviceAddress),
    IS(17, zeEventGetCounterBasedFlags))

TABLE(zeGetEventExpProcAddrTable,
    IS(4, zeEventQueryTimestampsExp))

TABLE(zeGetModuleProcAddrTable,
    IS(4, zeModuleCreate),
    IS(4, zeModuleDestroy),
    IS(4, zeModuleDynamicLink),
    IS(4, zeModuleGetNativeBinary),
    IS(4, zeModuleGetGlobalPointer),
    IS(4, zeModuleGetKernelNames),
    IS(4, zeModuleGetProperties),
    IS(4, zeModuleGetFunctionPointer),
    IS(4, zeModuleInspectLinkageExt))

TABLE(zeGetModuleBuildLogProcAddrTable,
    IS(4, zeModuleBuildLogDestroy),
    IS(4, zeModuleBuildLogGetString))

TABLE(zeGetKernelProcAddrTable,
    IS(4, zeKernelCreate),
    IS(4, zeKernelDestroy),
    IS(4, zeKernelSetCacheConfig),
    IS(4, zeKernelSetGroupSize),
    IS(4, zeKernelSuggestGroupSize),
    IS(4, zeKernelSuggestMaxCooperativeGroupCount),
    IS(4, zeKernelSetArgumentValue),
    IS(4, zeKernelSetIndirectAccess),
    IS(4, zeKernelGetIndirectAccess),
    IS(4, zeKernelGetSourceAttributes),
    IS(4, zeKernelGetProperties),
    IS(4, zeKernelGetName))

TABLE(zeGetKernelExpProcAddrTable,
    IS(4, zeKernelSetGlobalOffsetExp),
    IS(4, zeKernelSchedulingHintExp),
    IS(12, zeKernelGetBinaryExp),
    IS(14, zeKernelGetAllocationPropertiesExp))

TABLE(zeGetSamplerProcAddrTable,
    IS(4, zeSamplerCreate),
    IS(4, zeSamplerDestroy))

TABLE(zeGetPhysicalMemProcAddrTable,
    IS(4, zePhysicalMemCreate),
    IS(4, zePhysicalMemDestroy),
    IS(15, zePhysicalMemGetProperties))

TABLE(zeGetMemProcAddrTable,
    IS(4, zeMemAllocShared),
    IS(4, zeMemAllocDevice),
    IS(4, zeMemAllocHost),
    IS(4, zeMemFree),
    IS(4, zeMemGetAllocProperties),
    IS(4, zeMemGetAddressRange),
    IS(4, zeMemGetIpcHandle),
    IS(4, zeMemOpenIpcHandle),
    IS(4, zeMemCloseIpcHandle),
    IS(4, zeMemFreeExt),
    IS(6, zeMemPutIpcHandle),
    IS(9, zeMemGetPitchFor2dImage),
    IS(15, zeMemGetIpcHandleWithProperties))

TABLE(zeGetMemExpProcAddrTable,
    IS(6, zeMemGetIpcHandleFromFileDescriptorExp),
    IS(6, zeMemGetFileDescriptorFromIpcHandleExp),
    IS(7, zeMemSetAtomicAccessAttributeExp),
    IS(7, zeMemGetAtomicAccessAttributeExp))

TABLE(zeGetVirtualMemProcAddrTable,
    IS(4, zeVirtualMemReserve),
    IS(4, zeVirtualMemFree),
    IS(4, zeVirtualMemQueryPageSize),
    IS(4, zeVirtualMemMap),
    IS(4, zeVirtualMemUnmap),
    IS(4, zeVirtualMemSetAccessAttribute),
    IS(4, zeVirtualMemGetAccessAttribute))

TABLE(zeGetFabricVertexExpProcAddrTable,
    IS(4, zeFabricVertexGetExp),
    IS(4, zeFabricVertexGetSubVerticesExp),
    IS(4, zeFabricVertexGetPropertiesExp),
    IS(4, zeFabricVertexGetDeviceExp))

TABLE(zeGetFabricEdgeExpProcAddrTable,
    IS(4, zeFabricEdgeGetExp),
    IS(4, zeFabricEdgeGetVerticesExp),
    IS(4, zeFabricEdgeGetPropertiesExp))

TABLE(zeGetCommandListExpProcAddrTable,
    NO(9, zeCommandListCreateCloneExp),
    IS(9, zeCommandListImmediateAppendCommandListsExp),
    IS(9, zeCommandListGetNextCommandIdExp),
    IS(9, zeCommandListUpdateMutableCommandsExp),
    IS(9, zeCommandListUpdateMutableCommandSignalEventExp),
    IS(9, zeCommandListUpdateMutableCommandWaitEventsExp),
    IS(11, zeCommandListGetNextCommandIdWithKernelsExp),
    IS(11, zeCommandListUpdateMutableCommandKernelsExp),
    IS(17, zeCommandListIsMutableExp))

/* Metrics, debugging and system management: none. The loader of Debian 12 requires the tables nevertheless, and treats
 * empty entries as unsupported functions.
 */
#define EMPTY(getter)                                                                                                  \
    __attribute__((visibility("default"))) ze_result_t getter(ze_api_version_t version, any_function **table)          \
    {                                                                                                                  \
        return fill(version, table, NULL, 0);                                                                          \
    }

EMPTY(zetGetDeviceProcAddrTable)
EMPTY(zetGetContextProcAddrTable)
EMPTY(zetGetCommandListProcAddrTable)
EMPTY(zetGetModuleProcAddrTable)
EMPTY(zetGetKernelProcAddrTable)
EMPTY(zetGetMetricGroupProcAddrTable)
EMPTY(zetGetMetricGroupExpProcAddrTable)
EMPTY(zetGetMetricProcAddrTable)
EMPTY(zetGetMetricStreamerProcAddrTable)
EMPTY(zetGetMetricQueryPoolProcAddrTable)
EMPTY(zetGetMetricQueryProcAddrTable)
EMPTY(zetGetTracerExpProcAddrTable)
EMPTY(zetGetDebugProcAddrTable)
EMPTY(zesGetDriverProcAddrTable)
EMPTY(zesGetDeviceProcAddrTable)
EMPTY(zesGetSchedulerProcAddrTable)
EMPTY(zesGetPerformanceFactorProcAddrTable)
EMPTY(zesGetPowerProcAddrTable)
EMPTY(zesGetFrequencyProcAddrTable)
EMPTY(zesGetEngineProcAddrTable)
EMPTY(zesGetStandbyProcAddrTable)
EMPTY(zesGetFirmwareProcAddrTable)
EMPTY(zesGetMemoryProcAddrTable)
EMPTY(zesGetFabricPortProcAddrTable)
EMPTY(zesGetTemperatureProcAddrTable)
EMPTY(zesGetPsuProcAddrTable)
EMPTY(zesGetFanProcAddrTable)
EMPTY(zesGetLedProcAddrTable)
EMPTY(zesGetRasProcAddrTable)
EMPTY(zesGetDiagnosticsProcAddrTable)
/* clang-format on */
