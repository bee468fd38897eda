/* newer.h - what versions 1.5 to 1.17 of Level Zero added, as far as this driver has it, for headers that lack it: a
 * driver built with any header since 1.4 serves programs and loaders of all of them. In parts: numbers, handles,
 * structures, functions. Numbers and prototypes stand here whatever the header; repeating them is harmless, and the
 * compiler compares prototypes. Structures and types stand under the version that added them.
 *
 * tests/soft/test_newer_header.sh compares everything with a newer header where one is installed: numbers, sizes,
 * offsets, and the order of the entries in tables.c.
 */
#ifndef XETILE_SOFT_ZE_NEWER_H
#define XETILE_SOFT_ZE_NEWER_H

/* The version that the installed header describes, without its major 1. Before 1.11 headers do not say. */
#ifndef SOFT_HEADER
#if defined(ZE_API_VERSION_CURRENT_M)
#define SOFT_HEADER ((ZE_API_VERSION_CURRENT_M)&0xffff)
#elif defined(ZE_MUTABLE_COMMAND_LIST_EXP_NAME)
#define SOFT_HEADER 9
#elif defined(ZE_EVENT_POOL_COUNTER_BASED_EXP_NAME)
#define SOFT_HEADER 8
#elif defined(ZE_RTAS_BUILDER_EXP_NAME)
#define SOFT_HEADER 7
#elif defined(ZE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_NAME)
#define SOFT_HEADER 6
#elif defined(ZE_BFLOAT16_CONVERSIONS_EXT_NAME)
#define SOFT_HEADER 5
#else
#define SOFT_HEADER 4
#endif
#endif

/* The version whose functions this driver has. */
#define SOFT_API_VERSION ((ze_api_version_t)ZE_MAKE_VERSION(1, 17))

/* ---- numbers */

#define ZE_RESULT_ERROR_INVALID_KERNEL_HANDLE ((ze_result_t)0x7800001c)
#define ZE_RESULT_QUERY_TRUE ((ze_result_t)0x78000022)
#define ZE_RESULT_QUERY_FALSE ((ze_result_t)0x78000023)
#define ZE_RESULT_ERROR_INVALID_GRAPH ((ze_result_t)0x78000024)
#define ZE_RESULT_ERROR_GRAPH_CAPTURE_UNSUPPORTED ((ze_result_t)0x78000025)
#define ZE_RESULT_ERROR_GRAPH_CAPTURE_INVALIDATED ((ze_result_t)0x78000026)
#define ZE_RESULT_ERROR_GRAPH_CAPTURE_MERGE_ATTEMPT ((ze_result_t)0x78000027)
#define ZE_RESULT_ERROR_COMMAND_LIST_NOT_CAPTURING ((ze_result_t)0x78000028)
#define ZE_RESULT_ERROR_GRAPH_UNJOINED_FORKS ((ze_result_t)0x78000029)
#define ZE_RESULT_ERROR_GRAPH_INTERNAL_EVENT ((ze_result_t)0x7800002a)

#define ZE_STRUCTURE_TYPE_DEVICE_MEMORY_EXT_PROPERTIES ((ze_structure_type_t)0x1000e)
#define ZE_STRUCTURE_TYPE_DEVICE_IP_VERSION_EXT ((ze_structure_type_t)0x1000f)
#define ZE_STRUCTURE_TYPE_IMAGE_VIEW_PLANAR_EXT_DESC ((ze_structure_type_t)0x10010)
#define ZE_STRUCTURE_TYPE_KERNEL_MAX_GROUP_SIZE_EXT_PROPERTIES ((ze_structure_type_t)0x10013)
#define ZE_STRUCTURE_TYPE_IMAGE_FORMAT_SUPPORT_EXT_PROPERTIES ((ze_structure_type_t)0x10014)
#define ZE_STRUCTURE_TYPE_DEVICE_READONLY_MEMORY_EXT_PROPERTIES ((ze_structure_type_t)0x10015)
#define ZE_STRUCTURE_TYPE_MEMORY_SUB_ALLOCATIONS_EXP_PROPERTIES ((ze_structure_type_t)0x2000d)
#define ZE_STRUCTURE_TYPE_COUNTER_BASED_EVENT_POOL_EXP_DESC ((ze_structure_type_t)0x20014)
#define ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_PROPERTIES ((ze_structure_type_t)0x20015)
#define ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_DESC ((ze_structure_type_t)0x20016)
#define ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC ((ze_structure_type_t)0x20019)
#define ZE_STRUCTURE_TYPE_MUTABLE_GROUP_COUNT_EXP_DESC ((ze_structure_type_t)0x2001a)
#define ZE_STRUCTURE_TYPE_MUTABLE_GROUP_SIZE_EXP_DESC ((ze_structure_type_t)0x2001b)
#define ZE_STRUCTURE_TYPE_MUTABLE_GLOBAL_OFFSET_EXP_DESC ((ze_structure_type_t)0x2001c)
#define ZE_STRUCTURE_TYPE_PITCHED_ALLOC_DEVICE_EXP_PROPERTIES ((ze_structure_type_t)0x2001d)
#define ZE_STRUCTURE_TYPE_BINDLESS_IMAGE_EXP_DESC ((ze_structure_type_t)0x2001e)
#define ZE_STRUCTURE_TYPE_PITCHED_IMAGE_EXP_DESC ((ze_structure_type_t)0x2001f)
#define ZE_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_FD_EXT_DESC ((ze_structure_type_t)0x20024)
#define ZE_STRUCTURE_TYPE_DEVICE_CACHELINE_SIZE_EXT ((ze_structure_type_t)0x20028)
#define ZE_STRUCTURE_TYPE_COMMAND_LIST_APPEND_PARAM_COOPERATIVE_DESC ((ze_structure_type_t)0x20036)
#define ZE_STRUCTURE_TYPE_EXTERNAL_MEMMAP_SYSMEM_EXT_DESC ((ze_structure_type_t)0x20037)
#define ZE_STRUCTURE_TYPE_PITCHED_ALLOC_2DIMAGE_LINEAR_PITCH_EXP_INFO ((ze_structure_type_t)0x20038)
#define ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_EXTERNAL_SYNC_ALLOCATION_DESC ((ze_structure_type_t)0x2003b)
#define ZE_STRUCTURE_TYPE_EVENT_SYNC_MODE_DESC ((ze_structure_type_t)0x2003c)
#define ZE_STRUCTURE_TYPE_DEVICE_EVENT_PROPERTIES ((ze_structure_type_t)0x2003e)
#define ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_EXTERNAL_AGGREGATE_STORAGE_DESC ((ze_structure_type_t)0x2003f)
#define ZE_STRUCTURE_TYPE_DEVICE_USABLEMEM_SIZE_EXT_PROPERTIES ((ze_structure_type_t)0x20041)
#define ZE_STRUCTURE_TYPE_CUSTOM_PITCH_EXP_DESC ((ze_structure_type_t)0x20042)
#define ZE_STRUCTURE_TYPE_RECORD_REPLAY_GRAPH_EXT_PROPERTIES ((ze_structure_type_t)0x20047)
#define ZE_STRUCTURE_TYPE_RECORD_REPLAY_GRAPH_EXT_DUMP_DESC ((ze_structure_type_t)0x20048)

#define ZE_INIT_DRIVER_TYPE_FLAG_GPU 1u
#define ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP 8u
#define ZE_COMMAND_QUEUE_FLAG_IN_ORDER 2u
#define ZE_COMMAND_QUEUE_FLAG_COPY_OFFLOAD_HINT 4u
#define ZE_COMMAND_LIST_FLAG_IN_ORDER 8u
#define ZE_COMMAND_LIST_FLAG_EXP_CLONEABLE 0x10u
#define ZE_COMMAND_LIST_FLAG_COPY_OFFLOAD_HINT 0x20u
#define ZE_MEMORY_ADVICE_CLEAR_SYSTEM_MEMORY_PREFERRED_LOCATION ((ze_memory_advice_t)9)
#define ZE_EXTERNAL_SEMAPHORE_EXT_FLAG_OPAQUE_FD 1u
#define ZE_DEVICE_READONLY_MEMORY_CAPABILITY_ENFORCED 2

/* ---- handles, functions of the program, flags */

typedef struct _ze_graph_handle_t *ze_graph_handle_t;
typedef struct _ze_executable_graph_handle_t *ze_executable_graph_handle_t;
typedef struct _ze_external_semaphore_ext_handle_t *ze_external_semaphore_ext_handle_t;
typedef void (*ze_host_function_callback_t)(void *user);
typedef void (*zex_mem_graph_free_callback_fn_t)(void *user);

typedef uint32_t ze_memory_atomic_attr_exp_flags_t;
typedef uint32_t ze_mutable_command_list_exp_flags_t;
typedef uint32_t ze_mutable_command_exp_flags_t;
typedef uint32_t ze_init_driver_type_flags_t;
typedef uint32_t ze_external_semaphore_ext_flags_t;
typedef uint32_t ze_event_counter_based_flags_t;

/* ---- structures */

#ifndef ZE_KERNEL_MAX_GROUP_SIZE_PROPERTIES_EXT_NAME /* a later header of 1.5 */
typedef struct _ze_kernel_max_group_size_properties_ext_t {
    ze_structure_type_t stype;
    void *pNext;
    uint32_t maxGroupSize;
} ze_kernel_max_group_size_properties_ext_t;
#endif

#if SOFT_HEADER < 6
typedef struct _ze_synchronized_timestamp_data_ext_t {
    uint64_t kernelStart, kernelEnd;
} ze_synchronized_timestamp_data_ext_t;

typedef struct _ze_synchronized_timestamp_result_ext_t {
    ze_synchronized_timestamp_data_ext_t global, context;
} ze_synchronized_timestamp_result_ext_t;

typedef struct _ze_event_query_kernel_timestamps_results_ext_properties_t {
    ze_structure_type_t stype;
    void *pNext;
    ze_kernel_timestamp_result_t *pKernelTimestampsBuffer;
    ze_synchronized_timestamp_result_ext_t *pSynchronizedTimestampsBuffer;
} ze_event_query_kernel_timestamps_results_ext_properties_t;
#endif

#if SOFT_HEADER < 9
typedef struct _ze_mutable_command_list_exp_properties_t {
    ze_structure_type_t stype;
    void *pNext;
    ze_mutable_command_list_exp_flags_t mutableCommandListFlags;
    ze_mutable_command_exp_flags_t mutableCommandFlags;
} ze_mutable_command_list_exp_properties_t;

typedef struct _ze_mutable_command_id_exp_desc_t {
    ze_structure_type_t stype;
    const void *pNext;
    ze_mutable_command_exp_flags_t flags;
} ze_mutable_command_id_exp_desc_t;

typedef struct _ze_mutable_commands_exp_desc_t {
    ze_structure_type_t stype;
    const void *pNext;
    uint32_t flags;
} ze_mutable_commands_exp_desc_t;

typedef struct _ze_mutable_kernel_argument_exp_desc_t {
    ze_structure_type_t stype;
    const void *pNext;
    uint64_t commandId;
    uint32_t argIndex;
    size_t argSize;
    const void *pArgValue;
} ze_mutable_kernel_argument_exp_desc_t;

typedef struct _ze_mutable_group_count_exp_desc_t {
    ze_structure_type_t stype;
    const void *pNext;
    uint64_t commandId;
    const ze_group_count_t *pGroupCount;
} ze_mutable_group_count_exp_desc_t;

typedef struct _ze_mutable_group_size_exp_desc_t {
    ze_structure_type_t stype;
    const void *pNext;
    uint64_t commandId;
    uint32_t groupSizeX, groupSizeY, groupSizeZ;
} ze_mutable_group_size_exp_desc_t;

typedef struct _ze_mutable_global_offset_exp_desc_t {
    ze_structure_type_t stype;
    const void *pNext;
    uint64_t commandId;
    uint32_t offsetX, offsetY, offsetZ;
} ze_mutable_global_offset_exp_desc_t;
#endif

#if SOFT_HEADER < 11 /* no header is of 1.10 */
typedef struct _ze_init_driver_type_desc_t {
    ze_structure_type_t stype;
    const void *pNext;
    ze_init_driver_type_flags_t flags;
} ze_init_driver_type_desc_t;
#endif

#if SOFT_HEADER < 12
typedef struct _ze_external_semaphore_ext_desc_t {
    ze_structure_type_t stype;
    const void *pNext;
    ze_external_semaphore_ext_flags_t flags;
} ze_external_semaphore_ext_desc_t;

typedef struct _ze_external_semaphore_fd_ext_desc_t {
    ze_structure_type_t stype;
    const void *pNext;
    int fd;
} ze_external_semaphore_fd_ext_desc_t;

typedef struct _ze_external_semaphore_signal_params_ext_t {
    ze_structure_type_t stype;
    const void *pNext;
    uint64_t value;
} ze_external_semaphore_signal_params_ext_t;

typedef struct _ze_external_semaphore_wait_params_ext_t {
    ze_structure_type_t stype;
    const void *pNext;
    uint64_t value;
} ze_external_semaphore_wait_params_ext_t;
#endif

#if SOFT_HEADER < 13
typedef struct _ze_device_vector_width_properties_ext_t {
    ze_structure_type_t stype;
    void *pNext;
    uint32_t vector_width_size;
    uint32_t preferred_vector_width_char, preferred_vector_width_short, preferred_vector_width_int;
    uint32_t preferred_vector_width_long, preferred_vector_width_float, preferred_vector_width_double;
    uint32_t preferred_vector_width_half;
    uint32_t native_vector_width_char, native_vector_width_short, native_vector_width_int;
    uint32_t native_vector_width_long, native_vector_width_float, native_vector_width_double;
    uint32_t native_vector_width_half;
} ze_device_vector_width_properties_ext_t;
#endif

#if SOFT_HEADER < 14
typedef struct _ze_group_size_t {
    uint32_t groupSizeX, groupSizeY, groupSizeZ;
} ze_group_size_t;

typedef struct _ze_command_list_append_launch_kernel_param_cooperative_desc_t {
    ze_structure_type_t stype;
    const void *pNext;
    ze_bool_t isCooperative;
} ze_command_list_append_launch_kernel_param_cooperative_desc_t;

typedef struct _ze_external_memmap_sysmem_ext_desc_t {
    ze_structure_type_t stype;
    const void *pNext;
    void *pSystemMemory;
    uint64_t size;
} ze_external_memmap_sysmem_ext_desc_t;

typedef struct _ze_kernel_allocation_exp_properties_t {
    ze_structure_type_t stype;
    void *pNext;
    uint64_t base;
    size_t size;
    ze_memory_type_t type;
    uint32_t argIndex;
} ze_kernel_allocation_exp_properties_t;
#endif

#if SOFT_HEADER < 15
typedef struct _ze_event_counter_based_desc_t {
    ze_structure_type_t stype;
    const void *pNext;
    ze_event_counter_based_flags_t flags;
    ze_event_scope_flags_t signal, wait;
} ze_event_counter_based_desc_t;

typedef struct _ze_ipc_event_counter_based_handle_t {
    char data[ZE_MAX_IPC_HANDLE_SIZE];
} ze_ipc_event_counter_based_handle_t;

typedef struct _ze_physical_mem_properties_t {
    ze_structure_type_t stype;
    void *pNext;
    uint64_t id, size;
} ze_physical_mem_properties_t;
#endif

#if SOFT_HEADER < 17
typedef struct _ze_device_readonly_memory_ext_properties_t {
    ze_structure_type_t stype;
    void *pNext;
    uint32_t readonlyCapability;
} ze_device_readonly_memory_ext_properties_t;
#endif

/* ---- functions, by version */

/* 1.5 */
ze_result_t zeImageViewCreateExt(ze_context_handle_t context, ze_device_handle_t device, const ze_image_desc_t *desc,
                                 ze_image_handle_t image, ze_image_handle_t *view);

/* 1.6 */
ze_result_t zeCommandListHostSynchronize(ze_command_list_handle_t list, uint64_t timeout);
ze_result_t zeDriverGetLastErrorDescription(ze_driver_handle_t driver, const char **text);
ze_result_t zeEventPoolPutIpcHandle(ze_context_handle_t context, ze_ipc_event_pool_handle_t handle);
ze_result_t zeEventQueryKernelTimestampsExt(ze_event_handle_t event, ze_device_handle_t device, uint32_t *count,
                                            ze_event_query_kernel_timestamps_results_ext_properties_t *results);
ze_result_t zeMemGetFileDescriptorFromIpcHandleExp(ze_context_handle_t context, ze_ipc_mem_handle_t handle,
                                                   uint64_t *file);
ze_result_t zeMemGetIpcHandleFromFileDescriptorExp(ze_context_handle_t context, uint64_t file,
                                                   ze_ipc_mem_handle_t *handle);
ze_result_t zeMemPutIpcHandle(ze_context_handle_t context, ze_ipc_mem_handle_t handle);

/* 1.7 */
ze_result_t zeDeviceGetRootDevice(ze_device_handle_t handle, ze_device_handle_t *value);
ze_result_t zeMemGetAtomicAccessAttributeExp(ze_context_handle_t context, ze_device_handle_t device,
                                             const void *pointer, size_t size,
                                             ze_memory_atomic_attr_exp_flags_t *flags);
ze_result_t zeMemSetAtomicAccessAttributeExp(ze_context_handle_t context, ze_device_handle_t device,
                                             const void *pointer, size_t size, ze_memory_atomic_attr_exp_flags_t flags);

/* 1.9 */
ze_result_t zeCommandListGetContextHandle(ze_command_list_handle_t handle, ze_context_handle_t *value);
ze_result_t zeCommandListGetDeviceHandle(ze_command_list_handle_t handle, ze_device_handle_t *value);
ze_result_t zeCommandListGetNextCommandIdExp(ze_command_list_handle_t list,
                                             const ze_mutable_command_id_exp_desc_t *desc, uint64_t *id);
ze_result_t zeCommandListGetOrdinal(ze_command_list_handle_t handle, uint32_t *value);
ze_result_t zeCommandListImmediateAppendCommandListsExp(ze_command_list_handle_t list, uint32_t count,
                                                        ze_command_list_handle_t *lists, ze_event_handle_t signal,
                                                        uint32_t wait_count, ze_event_handle_t *waits);
ze_result_t zeCommandListImmediateGetIndex(ze_command_list_handle_t list, uint32_t *index);
ze_result_t zeCommandListIsImmediate(ze_command_list_handle_t handle, ze_bool_t *value);
ze_result_t zeCommandListUpdateMutableCommandSignalEventExp(ze_command_list_handle_t list, uint64_t id,
                                                            ze_event_handle_t event);
ze_result_t zeCommandListUpdateMutableCommandWaitEventsExp(ze_command_list_handle_t list, uint64_t id, uint32_t count,
                                                           ze_event_handle_t *events);
ze_result_t zeCommandListUpdateMutableCommandsExp(ze_command_list_handle_t list,
                                                  const ze_mutable_commands_exp_desc_t *desc);
ze_result_t zeCommandQueueGetIndex(ze_command_queue_handle_t handle, uint32_t *value);
ze_result_t zeCommandQueueGetOrdinal(ze_command_queue_handle_t handle, uint32_t *value);
ze_result_t zeEventGetEventPool(ze_event_handle_t event, ze_event_pool_handle_t *pool);
ze_result_t zeEventGetSignalScope(ze_event_handle_t handle, ze_event_scope_flags_t *value);
ze_result_t zeEventGetWaitScope(ze_event_handle_t handle, ze_event_scope_flags_t *value);
ze_result_t zeEventPoolGetContextHandle(ze_event_pool_handle_t handle, ze_context_handle_t *value);
ze_result_t zeEventPoolGetFlags(ze_event_pool_handle_t handle, ze_event_pool_flags_t *value);
ze_result_t zeImageGetDeviceOffsetExp(ze_image_handle_t image, uint64_t *offset);
ze_result_t zeMemGetPitchFor2dImage(ze_context_handle_t context, ze_device_handle_t device, size_t width, size_t height,
                                    unsigned texel, size_t *pitch);

/* 1.11 */
ze_result_t zeCommandListGetNextCommandIdWithKernelsExp(ze_command_list_handle_t list,
                                                        const ze_mutable_command_id_exp_desc_t *desc, uint32_t count,
                                                        ze_kernel_handle_t *kernels, uint64_t *id);
ze_result_t zeCommandListUpdateMutableCommandKernelsExp(ze_command_list_handle_t list, uint32_t count, uint64_t *ids,
                                                        ze_kernel_handle_t *kernels);
ze_result_t zeInitDrivers(uint32_t *count, ze_driver_handle_t *drivers, ze_init_driver_type_desc_t *desc);

/* 1.12 */
ze_result_t zeCommandListAppendSignalExternalSemaphoreExt(ze_command_list_handle_t list, uint32_t count,
                                                          ze_external_semaphore_ext_handle_t *semaphores,
                                                          ze_external_semaphore_signal_params_ext_t *parameters,
                                                          ze_event_handle_t signal, uint32_t wait_count,
                                                          ze_event_handle_t *waits);
ze_result_t zeCommandListAppendWaitExternalSemaphoreExt(ze_command_list_handle_t list, uint32_t count,
                                                        ze_external_semaphore_ext_handle_t *semaphores,
                                                        ze_external_semaphore_wait_params_ext_t *parameters,
                                                        ze_event_handle_t signal, uint32_t wait_count,
                                                        ze_event_handle_t *waits);
ze_result_t zeDeviceImportExternalSemaphoreExt(ze_device_handle_t device, const ze_external_semaphore_ext_desc_t *desc,
                                               ze_external_semaphore_ext_handle_t *semaphore);
ze_result_t zeDeviceReleaseExternalSemaphoreExt(ze_external_semaphore_ext_handle_t semaphore);
ze_result_t zeKernelGetBinaryExp(ze_kernel_handle_t kernel, size_t *size, uint8_t *to);

/* 1.13 */
ze_result_t zeDeviceGetVectorWidthPropertiesExt(ze_device_handle_t device, uint32_t *count,
                                                ze_device_vector_width_properties_ext_t *list);

/* 1.14 */
ze_result_t zeCommandListAppendLaunchKernelWithArguments(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                                         const ze_group_count_t count, const ze_group_size_t size,
                                                         void **arguments, const void *chain, ze_event_handle_t signal,
                                                         uint32_t wait_count, ze_event_handle_t *waits);
ze_result_t zeCommandListAppendLaunchKernelWithParameters(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                                          const ze_group_count_t *count, const void *chain,
                                                          ze_event_handle_t signal, uint32_t wait_count,
                                                          ze_event_handle_t *waits);
ze_result_t zeDeviceSynchronize(ze_device_handle_t device);
ze_context_handle_t zeDriverGetDefaultContext(ze_driver_handle_t driver);
ze_result_t zeKernelGetAllocationPropertiesExp(ze_kernel_handle_t kernel, uint32_t *count,
                                               ze_kernel_allocation_exp_properties_t *list);

/* 1.15 */
ze_result_t zeDeviceGetAggregatedCopyOffloadIncrementValue(ze_device_handle_t device, uint32_t *value);
ze_result_t zeEventCounterBasedCloseIpcHandle(ze_event_handle_t event);
ze_result_t zeEventCounterBasedCreate(ze_context_handle_t context, ze_device_handle_t device,
                                      const ze_event_counter_based_desc_t *desc, ze_event_handle_t *event);
ze_result_t zeEventCounterBasedGetDeviceAddress(ze_event_handle_t event, uint64_t *value, uint64_t *address);
ze_result_t zeEventCounterBasedGetIpcHandle(ze_event_handle_t event, ze_ipc_event_counter_based_handle_t *handle);
ze_result_t zeEventCounterBasedOpenIpcHandle(ze_context_handle_t context, ze_ipc_event_counter_based_handle_t handle,
                                             ze_event_handle_t *event);
ze_result_t zeMemGetIpcHandleWithProperties(ze_context_handle_t context, const void *pointer, void *next,
                                            ze_ipc_mem_handle_t *handle);
ze_result_t zePhysicalMemGetProperties(ze_context_handle_t context, ze_physical_mem_handle_t physical,
                                       ze_physical_mem_properties_t *properties);

/* 1.16 */
ze_result_t zeCommandListAppendMemoryCopyWithParameters(ze_command_list_handle_t list, void *to, const void *from,
                                                        size_t size, const void *chain, ze_event_handle_t signal,
                                                        uint32_t wait_count, ze_event_handle_t *waits);
ze_result_t zeCommandListAppendMemoryFillWithParameters(ze_command_list_handle_t list, void *to, const void *pattern,
                                                        size_t pattern_size, size_t size, const void *chain,
                                                        ze_event_handle_t signal, uint32_t wait_count,
                                                        ze_event_handle_t *waits);
ze_result_t zeCommandListImmediateAppendCommandListsWithParameters(ze_command_list_handle_t list, uint32_t count,
                                                                   ze_command_list_handle_t *lists, const void *chain,
                                                                   ze_event_handle_t signal, uint32_t wait_count,
                                                                   ze_event_handle_t *waits);

/* 1.17 */
ze_result_t zeCommandListAppendGraphExt(ze_command_list_handle_t list, ze_executable_graph_handle_t executable,
                                        const void *next, ze_event_handle_t signal, uint32_t wait_count,
                                        ze_event_handle_t *waits);
ze_result_t zeCommandListAppendHostFunction(ze_command_list_handle_t list, ze_host_function_callback_t function,
                                            void *user, const void *chain, ze_event_handle_t signal,
                                            uint32_t wait_count, ze_event_handle_t *waits);
ze_result_t zeCommandListBeginCaptureIntoGraphExt(ze_command_list_handle_t list, ze_graph_handle_t graph,
                                                  const void *next);
ze_result_t zeCommandListBeginGraphCaptureExt(ze_command_list_handle_t list, const void *next);
ze_result_t zeCommandListEndGraphCaptureExt(ze_command_list_handle_t list, const void *next, ze_graph_handle_t *graph);
ze_result_t zeCommandListGetFlags(ze_command_list_handle_t handle, ze_command_list_flags_t *value);
ze_result_t zeCommandListGetGraphExt(ze_command_list_handle_t list, ze_graph_handle_t *graph);
ze_result_t zeCommandListImmediateGetFlags(ze_command_list_handle_t list, ze_command_queue_flags_t *flags);
ze_result_t zeCommandListImmediateGetMode(ze_command_list_handle_t list, ze_command_queue_mode_t *mode);
ze_result_t zeCommandListImmediateGetPriority(ze_command_list_handle_t list, ze_command_queue_priority_t *priority);
ze_result_t zeCommandListIsGraphCaptureEnabledExt(ze_command_list_handle_t list);
ze_result_t zeCommandListIsMutableExp(ze_command_list_handle_t list, ze_bool_t *is);
ze_result_t zeCommandQueueGetFlags(ze_command_queue_handle_t handle, ze_command_queue_flags_t *value);
ze_result_t zeCommandQueueGetMode(ze_command_queue_handle_t handle, ze_command_queue_mode_t *value);
ze_result_t zeCommandQueueGetPriority(ze_command_queue_handle_t handle, ze_command_queue_priority_t *value);
ze_result_t zeDeviceGetCounterBasedEventMaxValue(ze_device_handle_t device, uint64_t *value);
ze_result_t zeEventGetCounterBasedFlags(ze_event_handle_t event, uint32_t *flags);
ze_result_t zeExecutableGraphDestroyExt(ze_executable_graph_handle_t executable);
ze_result_t zeExecutableGraphGetSourceGraphExt(ze_executable_graph_handle_t executable, ze_graph_handle_t *graph);
ze_result_t zeGraphCreateExt(ze_context_handle_t context, const void *next, ze_graph_handle_t *graph);
ze_result_t zeGraphDestroyExt(ze_graph_handle_t graph);
ze_result_t zeGraphDumpContentsExt(ze_graph_handle_t graph, const char *path, const void *next);
ze_result_t zeGraphGetPrimaryCommandListExt(ze_graph_handle_t graph, ze_command_list_handle_t *list);
ze_result_t zeGraphInstantiateExt(ze_graph_handle_t graph, const void *next, ze_executable_graph_handle_t *executable);
ze_result_t zeGraphIsEmptyExt(ze_graph_handle_t graph);
ze_result_t zeGraphSetDestructionCallbackExt(ze_graph_handle_t graph, zex_mem_graph_free_callback_fn_t callback,
                                             void *user, const void *next);

#endif
