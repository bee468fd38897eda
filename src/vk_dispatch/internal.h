/* internal.h - declarations shared by the bodies of vk_dispatch.h only. */
#define XETILE_SEPARATE_
#include "../vk_dispatch.h"

/* Zeroes a Vulkan structure and sets its type. */
#define VKD_CLEAR_(s, type) (memset(&(s), 0, sizeof(s)), (void)((s).sType = VK_STRUCTURE_TYPE_##type))
/* A Vulkan call whose arguments need not appear in the error. */
#define VKD_CALL_(d, call, args) vkd_check_((d), (d)->vk_->call args, #call, "%s", "")
/* Formats three uint32_t in an error. */
#define VKD_XYZ_ "%" PRIu32 " x %" PRIu32 " x %" PRIu32

enum { VKD_RES_MEMORY_, VKD_RES_MODULE_, VKD_RES_LAYOUT_, VKD_RES_PIPELINE_, VKD_RES_RECORDING_, VKD_RES_CACHE_,
       VKD_RES_EVENT_, VKD_RES_WORDS_ };
#define VKD_HASH_START_ 0xcbf29ce484222325u
enum { VKD_BATCH_NONE_, VKD_BATCH_OPEN_, VKD_BATCH_CLOSED_ };
#define VKD_STAGING_BYTES_ ((size_t)8 << 20)
enum { VKD_QUEUES_ = 16 }; /* of one device, at most */
enum { VKD_PUSH_BYTES_ = 128 };
enum { VKD_OP_MEMORY_MODEL_ = 14, VKD_OP_ENTRY_POINT_, VKD_OP_EXECUTION_MODE_, VKD_OP_CAPABILITY_ }; /* of SPIR-V */

XETILE_PRIVATE VKD_PRINTF_(3, 4) bool vkd_fail_(vkd_device *d, int id, const char *format, ...);
XETILE_PRIVATE VKD_PRINTF_(4, 5) bool vkd_check_(vkd_device *d, VkResult result, const char *call,
            const char *format, ...);

/* Vulkan's functions, by what they are found with: nothing, the instance, the device. */
#define VKD_OF_LOADER_(X) X(CreateInstance) X(EnumerateInstanceLayerProperties) X(EnumerateInstanceVersion)
#define VKD_OF_INSTANCE_(X)                                                                                            \
    X(DestroyInstance) X(EnumeratePhysicalDevices) X(GetPhysicalDeviceProperties2) X(GetPhysicalDeviceFeatures2)       \
    X(GetPhysicalDeviceQueueFamilyProperties) X(GetPhysicalDeviceMemoryProperties) X(CreateDevice)                     \
    X(GetDeviceProcAddr) X(EnumerateDeviceExtensionProperties)
#define VKD_OF_DEVICE_(X)                                                                                              \
    X(DestroyDevice) X(GetDeviceQueue) X(QueueSubmit) X(QueueWaitIdle) X(CreateBuffer) X(DestroyBuffer)                \
    X(GetBufferMemoryRequirements) X(AllocateMemory) X(FreeMemory) X(BindBufferMemory) X(MapMemory)                    \
    X(GetBufferDeviceAddress) X(CreateShaderModule) X(DestroyShaderModule) X(CreatePipelineLayout)                     \
    X(DestroyPipelineLayout) X(CreateComputePipelines) X(DestroyPipeline) X(CreateCommandPool) X(DestroyCommandPool)   \
    X(AllocateCommandBuffers) X(FreeCommandBuffers) X(BeginCommandBuffer) X(EndCommandBuffer) X(CmdPipelineBarrier)    \
    X(CmdBindPipeline) X(CmdPushConstants) X(CmdDispatch) X(CmdCopyBuffer) X(CmdFillBuffer) X(CmdWriteTimestamp)       \
    X(CmdResetQueryPool) X(CreateQueryPool) X(DestroyQueryPool) X(GetQueryPoolResults)                                 \
    X(CreateSemaphore) X(DestroySemaphore) X(WaitSemaphores) X(GetSemaphoreCounterValue) X(CreatePipelineCache)        \
    X(DestroyPipelineCache) X(GetPipelineCacheData)

struct vkd_functions_ {
#define VKD_X_(function) PFN_vk##function vk##function;
    VKD_OF_LOADER_(VKD_X_) VKD_OF_INSTANCE_(VKD_X_) VKD_OF_DEVICE_(VKD_X_)
#undef VKD_X_
    PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr;
    PFN_vkDestroyDebugUtilsMessengerEXT vkDestroyDebugUtilsMessengerEXT; /* NULL: not validating */
};

/* The features of an extension, in the order of its structure. */
typedef struct vkd_extension_ {
    VkStructureType sType;
    void *pNext;
    VkBool32 has[12];
} vkd_extension_;
enum { VKD_EXTENSIONS_ = 5, VKD_PRODUCTS_ = 64 };

/* The features asked of a device, in a chain; see capabilities.c. And what it offers of floating-point modes. */
struct vkd_features_ {
    uint8_t cache_id[VK_UUID_SIZE]; /* of what the driver compiles */
    VkPhysicalDeviceFloatControlsProperties floats;
    VkPhysicalDeviceFeatures2 all;
    VkPhysicalDeviceVulkan11Features in_1_1;
    VkPhysicalDeviceVulkan12Features in_1_2;
    VkPhysicalDeviceVulkan13Features in_1_3;
    vkd_extension_ atomic_floats, more_atomic_floats, matrices, bfloat16, vectors;
    uint32_t products[VKD_PRODUCTS_][6]; /* see vkd_target */
};

/* What the queues of one device share. */
struct vkd_shared_ {
#if defined(_WIN32)
    void *lock; /* an SRWLOCK */
#else
    pthread_mutex_t lock; /* of all that is here, of the events, and of queues that several devices use */
#endif
    uint32_t queues, opened; /* of the family; by vkd_open and vkd_open_queue, ever */
    vkd_resource_ **memory;
    size_t count, room;
};

/* An event: a semaphore that counts, and how often it was to be signalled. */
struct vkd_signal_state_ {
    VkSemaphore semaphore;
    uint64_t count;
};

/* What the driver compiled of a module, kept in a file. */
struct vkd_cache_ {
    VkPipelineCache handle;
    vkd_entry_ entry; /* its words are the module's, which stay for it */
    size_t stored;    /* bytes in the file */
};

/* ---- batches: recording.c, batches.c */

enum { VKD_STEP_LAUNCH_, VKD_STEP_COPY_, VKD_STEP_SIGNAL_, VKD_STEP_FOLLOW_, VKD_STEP_CONVERT_ };
enum { VKD_ARGUMENT_BYTES_ = VKD_MAX_ARGS * 8 + 8 };

/* A launch as it is recorded. */
typedef struct vkd_bound_launch_ {
    VkPipeline pipeline;
    vkd_groups groups;
    unsigned char bytes[VKD_ARGUMENT_BYTES_];
    void *memory; /* for parameters that are not pushed; NULL: none yet */
} vkd_bound_launch_;

typedef struct vkd_conversions_ vkd_conversions_; /* of matrices: vectors.c */

/* VkConvertCooperativeVectorMatrixInfoNV, see vectors.c. */
typedef union vkd_device_or_host_ {
    uint64_t address;
    const void *host;
} vkd_device_or_host_;

typedef struct vkd_vector_conversion_ {
    VkStructureType sType;
    const void *pNext;
    size_t from_bytes;
    vkd_device_or_host_ from;
    size_t *to_bytes;
    vkd_device_or_host_ to;
    uint32_t from_type, to_type, rows, columns, from_layout;
    size_t from_stride;
    uint32_t to_layout;
    size_t to_stride;
} vkd_vector_conversion_;

/* A type of a matrix's elements. */
typedef struct vkd_element_ {
    const char *name;
    uint32_t number, bytes;
    bool is_float;
} vkd_element_;

typedef struct vkd_step_ {
    int kind, kernel; /* which of the recording's */
    int launches;     /* before it */
    vkd_bound_launch_ *launch;
    VkBuffer to, from;
    VkBufferCopy region;
    vkd_signal_state_ *event;
    vkd_conversions_ *conversions;
} vkd_step_;

/* Commands between events. */
typedef struct vkd_segment_ {
    VkCommandBuffer commands;
    vkd_signal_state_ *follows, *signals; /* NULL: none */
} vkd_segment_;

struct vkd_recording_ {
    vkd_device *device;
    bool timed, stale; /* stale: the commands are not those of the steps */
    vkd_step_ *steps;
    size_t count, room;
    vkd_kernel *kernels; /* copies: the batch outlives the caller's */
    size_t kernel_count, kernel_room;
    vkd_segment_ *segments;
    size_t segment_count;
    VkQueryPool queries;
    int launches;
    uint64_t run; /* the tick that ends its last run */
};

#include "prototypes.h"
