/* internal.h - declarations shared by the bodies of ze_dispatch.h only. */
#define XETILE_SEPARATE_
#include "../ze_dispatch.h"

/* Zeroes a Level Zero structure and sets its type. */
#define ZED_CLEAR_(s, type) (memset(&(s), 0, sizeof(s)), (void)((s).stype = ZE_STRUCTURE_TYPE_##type))
/* A Level Zero call whose arguments need not appear in the error. */
#define ZED_CALL_(d, call, args) zed_check_((d), (d)->ze_->call args, #call, "%s", "")
/* Formats three uint32_t in an error. */
#define ZED_XYZ_ "%" PRIu32 " x %" PRIu32 " x %" PRIu32

enum { ZED_RES_MEMORY_, ZED_RES_MODULE_, ZED_RES_KERNEL_, ZED_RES_POOL_, ZED_RES_EVENT_, ZED_RES_RECORDING_ };
#define ZED_HASH_START_ 0xcbf29ce484222325u
enum { ZED_BATCH_NONE_, ZED_BATCH_OPEN_, ZED_BATCH_CLOSED_ };

XETILE_PRIVATE ZED_PRINTF_(3, 4) bool zed_fail_(zed_device *d, int id, const char *format, ...);
XETILE_PRIVATE ZED_PRINTF_(4, 5) bool zed_check_(zed_device *d, ze_result_t result, const char *call,
            const char *format, ...);

typedef struct zed_target_row_ {
    const char *name;
    uint32_t first_ip, last_ip; /* IP versions without their revision; 0: none */
    bool integrated, dpas, block2d;
} zed_target_row_;

/* What a driver says of a device. */
typedef struct zed_identity_ {
    uint32_t vendor_id, device_id, ip; /* 0: it does not say */
    bool integrated, dpas, block2d;
    char name[ZE_MAX_DEVICE_NAME];
} zed_identity_;

typedef struct zed_candidate_ {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    int rank;
    bool gpu, software;
    uint32_t vendor_id, device_id;
    const char *target;
    char name[ZE_MAX_DEVICE_NAME];
} zed_candidate_;

/* Values for spec constants, as the driver takes them. */
typedef struct zed_constants_ {
    ze_module_constants_t list;
    uint32_t *ids;
    const void **pointers;
    zed_bound_ *values;
} zed_constants_;

/* Reads a source's. */
typedef bool (*zed_constants_of_fn_)(zed_device *d, const zed_source *s, zed_constants_ *c);

/* ---- batches: recording.c, batches.c, changes.c */

enum { ZED_STEP_LAUNCH_, ZED_STEP_COPY_, ZED_STEP_SIGNAL_, ZED_STEP_FOLLOW_ };

typedef struct zed_step_ {
    int kind;
    int kernel;       /* of a launch: an index of the recording's kernels */
    int launches;     /* before it */
    const char *file; /* the caller's */
    int line;
    bool changed; /* since it was recorded */
    zed_groups groups;
    zed_bound_ *args;
    ze_event_handle_t own; /* of a timed launch */
    uint64_t id;           /* of a launch that can be changed in place */
    void *to;
    const void *from;
    size_t bytes;
    ze_event_handle_t event; /* that is signalled or followed */
} zed_step_;

struct zed_recording_ {
    zed_device *device;
    ze_command_list_handle_t list;
    ze_event_pool_handle_t pool;
    ze_event_handle_t gate, done;
    zed_step_ *steps;
    zed_kernel *kernels;
    size_t count, room, kernel_count, kernel_room;
    int launches;
    bool timed, running;
    bool awaited;    /* the device's own list waits for `done` */
    bool stale;      /* steps were changed since they were recorded */
    bool renewed;    /* at least once */
    bool changeable; /* in place */
};

/* Level Zero's experimental extension of mutable command lists, which older headers lack. */
enum {
    ZED_STYPE_MUTABLE_LIST_ = 0x20016,
    ZED_STYPE_MUTABLE_ID_,
    ZED_STYPE_MUTABLE_COMMANDS_,
    ZED_STYPE_MUTABLE_ARGUMENT_,
    ZED_STYPE_MUTABLE_GROUPS_
};

typedef struct zed_mutable_desc_ { /* of a list, of a command, of changes */
    ze_structure_type_t stype;
    const void *next;
    uint32_t flags;
} zed_mutable_desc_;

typedef struct zed_mutable_argument_ {
    ze_structure_type_t stype;
    const void *next;
    uint64_t command;
    uint32_t index;
    size_t size;
    const void *value;
} zed_mutable_argument_;

typedef struct zed_mutable_groups_ {
    ze_structure_type_t stype;
    const void *next;
    uint64_t command;
    const ze_group_count_t *count;
} zed_mutable_groups_;

/* ---- the loader */

/* The functions of the loader that all versions from 1.8 on have. */
#define ZED_FUNCTIONS_(X)                                                                                              \
    X(Init) X(DriverGet) X(DriverGetProperties) X(DriverGetExtensionFunctionAddress)                                   \
    X(DeviceGet) X(DeviceGetSubDevices) X(DeviceGetProperties) X(DeviceGetComputeProperties)                           \
    X(DeviceGetModuleProperties) X(DeviceGetMemoryAccessProperties) X(DeviceGetCommandQueueGroupProperties)            \
    X(ContextCreate) X(ContextDestroy)                                                                                 \
    X(CommandQueueCreate) X(CommandQueueDestroy) X(CommandQueueExecuteCommandLists) X(CommandQueueSynchronize)         \
    X(CommandListCreate) X(CommandListCreateImmediate) X(CommandListClose) X(CommandListDestroy)                       \
    X(CommandListAppendBarrier) X(CommandListAppendLaunchKernel) X(CommandListAppendMemoryCopy)                        \
    X(CommandListAppendMemoryFill)                                                                                     \
    X(EventPoolCreate) X(EventPoolDestroy) X(EventCreate) X(EventDestroy) X(EventHostReset) X(EventHostSignal)         \
    X(EventHostSynchronize) X(EventQueryStatus) X(EventQueryKernelTimestamp)                                           \
    X(MemAllocShared) X(MemAllocDevice) X(MemAllocHost) X(MemFree) X(MemGetAllocProperties)                            \
    X(ModuleCreate) X(ModuleDestroy) X(ModuleGetKernelNames) X(ModuleGetNativeBinary) X(ModuleBuildLogGetString)       \
    X(ModuleBuildLogDestroy)                                                                                           \
    X(KernelCreate) X(KernelDestroy) X(KernelGetProperties) X(KernelSetGroupSize)                                      \
    X(KernelSetArgumentValue)

#if defined(ZE_API_VERSION_CURRENT_M)
#if ZE_API_VERSION_CURRENT_M >= ZE_MAKE_VERSION(1, 6)
#define ZED_HAS_DRIVER_TEXT_
#endif
#endif

/* Their addresses, in the same order, found when a device is opened. */
struct zed_functions_ {
#define ZED_X_(function) ze_pfn##function##_t ze##function;
    ZED_FUNCTIONS_(ZED_X_)
#undef ZED_X_
    ze_result_t(ZE_APICALL *zelLoaderTranslateHandle)(zel_handle_type_t, void *, void **);
#if defined(ZED_HAS_DRIVER_TEXT_)
    ze_pfnDriverGetLastErrorDescription_t zeDriverGetLastErrorDescription; /* NULL if the loader has none */
#endif
};

#include "prototypes.h"
