/* vk_dispatch.h - run kernels through Vulkan 1.3: the calls of ze_dispatch.h with another prefix.
 *
 * Files: vk_dispatch.h, 223 KB in all. Version: XETILE_VERSION. License: MIT, see LICENSE.
 *
 *     #include "vk_dispatch.h"                            // one header; nothing to link with
 *
 *     vkd_device dev;
 *     if (!vkd_open(&dev, NULL)) {                        // a GPU if there is one, else a CPU (lavapipe)
 *         vkd_print_error(&dev, stderr);
 *         return 1;
 *     }
 *     float *x = (float *)vkd_alloc(&dev, VKD_SHARED, n * sizeof *x, 0);
 *     vkd_module module;
 *     vkd_kernel scale;
 *     vkd_module_load(&module, &dev, words, bytes);       // SPIR-V of spirv_emit.h with env = SPE_ENV_VULKAN
 *     vkd_kernel_get(&scale, &module, "scale", "ptr<f32> x, f32 factor, u32 n");
 *     vkd_launch(&scale, (vkd_groups){(n + 63) / 64, 1, 1}, x, 2.0f, n);
 *     if (vkd_get_error(&dev)->id) vkd_print_error(&dev, stderr);
 *     vkd_close(&dev);                                    // frees everything left
 *
 * ERRORS. A device keeps the first error: id, name, text, the VkResult if any, and the file and line of the vkd call
 * that met it. From then on every call on the device does nothing and returns false, NULL or -1, so a program may check
 * once, at the end. vkd_clear_error(&dev) starts over. VKD_ERRORS and VKD_RESULTS below list the ids;
 * vkd_result_name names a VkResult. Nothing exits or
 * aborts.
 *
 * DEVICES. vkd_list(infos, max, &error) lists the devices with Vulkan 1.3, buffer device addresses and the Vulkan
 * memory model; vkd_print_list(stdout) prints them. vkd_open(&dev, &(vkd_options){...}); zero or NULL: the default:
 *     .index_plus_1  1 is the first device of vkd_list
 *     .name          part of the device's name; case does not matter
 *     .device        either of them, for command lines: a number counted from 0, or a .name
 *     .validate      with the validation layer, if it is installed: it prints to stderr, and dev.complaints counts
 * Default: the device that $XETILE_VULKAN_DEVICE names (as .device); if it is unset, the first in this order: discrete
 * GPUs, integrated GPUs, virtual ones, CPUs. $XETILE_VULKAN_VALIDATE=1 is .validate.
 * dev.target has the device's limits: subgroup sizes, local memory, sizes of groups, which types it has.
 * vkd_target_log(&dev) says which row of coopmatrix.h's table kernels are built for.
 * The loader (libvulkan.so.1, vulkan-1.dll) is opened when a device is: programs start where it is missing, and
 * vkd_open then fails with VKD_NO_LOADER.
 *
 * MEMORY. vkd_alloc(&dev, VKD_SHARED | VKD_DEVICE | VKD_HOST, bytes, align); align 0 is 64, and a larger one is that of
 * the device's address. The host reads and writes
 * shared memory (the device's own, where the bus allows that) and host memory; a pointer to device memory is a name:
 * the host cannot read there, but p + offset may be passed to kernels, copies and fills, as any other. Memory that was
 * not allocated so cannot be passed to kernels. vkd_free, vkd_copy, vkd_fill, vkd_fill_pattern as in ze_dispatch.h;
 * copies take any memory of the host, too. vkd_address(&dev, p) is the device's address, for kernels that find pointers
 * in memory.
 *
 * MATRICES. Devices with cooperative vectors (dev.target.vector_products; NVIDIA's) have matrix layouts of their own,
 * of which only they know the size: coopvec.h's CV_DEVICE_MUL_OPTIMAL and CV_DEVICE_OUTER_PRODUCT_OPTIMAL.
 *     vkd_conversion c = {.from = w, .from_bytes = 64 * 256, .from_type = "f32", .from_stride = 256, .rows = 64,
 *                         .columns = 64, .to_type = "e4m3", .to_layout = VKD_MUL_OPTIMAL};
 *     c.to_bytes = vkd_converted_bytes(&dev, &c);
 *     c.to = vkd_alloc(&dev, VKD_DEVICE, c.to_bytes, 128);
 *     vkd_convert_matrices(&dev, &c, 1);
 * Types that differ are floats, one of them f32 or f16 and the other smaller. Numbers are rounded to nearest, once;
 * beyond the range of FP8 they become NaN (e4m3) or infinity (e5m2). FP8 in rows or columns can only be a source. The
 * device moves what keeps its type; the host converts the rest, and FP8, as the commands of NVIDIA's drivers write what
 * products do not read (docs/vulkan.md). vkd_batch_convert(&batch, &c, 1), a step of a batch, is all the device's, and
 * refuses FP8. Errors: VKD_NO_VECTORS,
 * VKD_CONVERSION (types, layouts, strides, sizes).
 *
 * KERNELS. vkd_kernel_get takes the kernel's parameters as text: `type name` separated by commas. Types: f64 f32 f16
 * bf16 i64 i32 i16 i8 u64 u32 u16 u8, ptr<T> for global and local<T> for local memory. VKD_LOAD(&kernel, &dev, mod)
 * does both, from any struct with .words .size .kernel .params .subgroup_size. A kernel that was written for a
 * subgroup size gets it: modules of spirv_emit.h say it. vkd_subgroup_size(&kernel, 16) does so for other modules.
 * vkd_kernel_clone makes another kernel of the same module, vkd_kernel_free frees one; vkd_local_size only checks, as
 * modules say their local size.
 * Subnormal numbers, infinities, NaN and the sign of 0 are kept, and results rounded to nearest, as far as the device
 * offers that: modules of SPIR-V 1.4 or newer, if they ask for none of it themselves, are loaded with these modes.
 * VKD_LOAD_CACHED(&kernel, &dev, mod, folder) and vkd_module_load_cached keep what the driver compiled in a file of
 * that folder, which must exist and be the user's own, and use it the next time; vkd_cache_log(&dev) says what the last
 * load or first launch did: "loaded ...", "stored ...", or why not. The cache causes no errors. vkd_module_free frees a
 * module. VKD_TARGET(&dev) passes the device's target to a kernel builder. vkd_load_all(kernels, &dev, sources, count,
 * folder) loads several modules at once, and compiles their kernels in threads, but those with local<T> parameters,
 * whose sizes the first launch tells: vkd_source sources[] = {VKD_SOURCE(mod_a), VKD_SOURCE(mod_b)}. On an error none
 * is loaded.
 *
 * SPEC CONSTANTS of a module get other values than their defaults where it is loaded from a vkd_source with some:
 *     vkd_constant constants[] = {VKD_CONSTANT(3, 16), VKD_CONSTANT(7, 0.5f)};    // by their SpecId
 *     vkd_source source = VKD_SOURCE_WITH(mod, constants, 2);
 *     vkd_load_source(&kernel, &dev, &source, folder);     // or vkd_load_all; vkd_module_load_source for a module
 * Values are checked as arguments are, against the type in the module: VKD_CONSTANT_ID, VKD_CONSTANT_TYPE,
 * VKD_CONSTANT_RANGE. Those of spirv_emit.h's local memory, from 1000 on, are the host's: leave them.
 *
 * LAUNCHING. vkd_launch(&kernel, groups, arguments...) binds, launches and waits; vkd_launch_timed returns nanoseconds;
 * vkd_start does not wait, and vkd_wait(&dev) waits for all: what is started runs in order, each after the one before
 * it. Arguments are checked as in ze_dispatch.h: numbers must fit their parameters, pointers their types; local<T>
 * takes (vkd_local){bytes}. vkd_launch_n, vkd_launch_timed_n, vkd_start_n, vkd_batch_launch_n and vkd_batch_change_n
 * take an array of vkd_arg, which VKD_ARG(x), vkd_arg_i, vkd_arg_u, vkd_arg_f, vkd_arg_ptr and vkd_arg_local make, and
 * from other languages vkd_arg_i_to, vkd_arg_u_to, vkd_arg_f_to, vkd_arg_ptr_to and vkd_arg_local_to; vkd_size_of tells
 * the bytes of a structure.
 *
 * BATCHES. vkd_batch_begin, vkd_batch_launch, vkd_batch_copy, vkd_batch_end (runs it and waits), vkd_batch_run,
 * vkd_batch_start (does not wait), vkd_batch_wait, vkd_batch_free; vkd_batch_change(&b, i, groups, arguments...), which
 * records the batch again; vkd_batch_begin_timed, vkd_batch_ns(&b, i), vkd_batch_print_times(&b, stdout).
 *
 * EVENTS order work on several queues: vkd_event_create(&e, &first), vkd_signal(&first, &e), vkd_follow(&second, &e),
 * vkd_batch_signal and vkd_batch_follow between the launches of a batch; vkd_event_wait and vkd_event_done on the host;
 * vkd_event_free. All as in ze_dispatch.h, but that what follows waits for the last signal before it, so that an event
 * may be signalled again at any time.
 *
 * THREADS. There is no global state: threads that each have a vkd_device need no lock. Two threads that share memory
 * use two queues of one device: vkd_open_queue(&second, &first) shares first's memory, so pointers are valid in both,
 * but has its own queue, kernels (vkd_kernel_clone) and error; close it before `first`. A device that has fewer queues
 * than that (lavapipe has one) does the work of several in one; then an event must be signalled before another queue
 * follows. A vkd_device and its kernels belong to one thread at a time.
 *
 * C11; also C++17. Vulkan's headers 1.3 (libvulkan-dev); no other header of this library.
 *
 * TO USE IT  just include it: this compiles the bodies too, as static functions. Or define XETILE_DECLARATIONS for all
 * files of a program and XETILE_IMPLEMENTATION before the include in one of them, which then gets the bodies. "How
 * functions are declared" below has the details.
 */
#ifndef VK_DISPATCH_H
#define VK_DISPATCH_H

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_include)
#if !__has_include(<vulkan/vulkan_core.h>)
#error "Vulkan's headers are missing: libvulkan-dev on Debian and Ubuntu, vulkan-headers on Fedora"
#endif
#endif
#include <vulkan/vulkan_core.h>

#if defined(_WIN32)
#if defined(__cplusplus)
extern "C" {
#endif
__declspec(dllimport) struct HINSTANCE__ *__stdcall LoadLibraryExA(const char *name, void *file, unsigned long flags);
typedef intptr_t(__stdcall *vkd_procedure_)(void);
__declspec(dllimport) vkd_procedure_ __stdcall GetProcAddress(struct HINSTANCE__ *library, const char *name);
__declspec(dllimport) unsigned long __stdcall GetLastError(void);
__declspec(dllimport) void *__stdcall VirtualAlloc(void *at, size_t bytes, unsigned long kind, unsigned long protect);
__declspec(dllimport) int __stdcall VirtualFree(void *at, size_t bytes, unsigned long kind);
__declspec(dllimport) unsigned long __stdcall WaitForSingleObject(void *object, unsigned long milliseconds);
__declspec(dllimport) int __stdcall CloseHandle(void *object);
struct _RTL_SRWLOCK; /* a pointer */
__declspec(dllimport) void __stdcall AcquireSRWLockExclusive(struct _RTL_SRWLOCK *lock);
__declspec(dllimport) void __stdcall ReleaseSRWLockExclusive(struct _RTL_SRWLOCK *lock);
#if defined(__cplusplus)
}
#endif
#include <process.h>
#else
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "linkage.h"

/* If the file has spirv_emit.h, before this header or after it, that writes modules for Vulkan. */
#if !defined(SPE_VULKAN)
#define SPE_VULKAN
#endif
#if defined(SPIRV_EMIT_H)
#include "spirv_emit.h" /* its bodies for Vulkan, unless it has them */
#endif
#if defined(XETILE_XETILE_H)
#include "xetile.h" /* likewise */
#endif
#if defined(XETILE_COOPVEC_H)
#include "coopvec.h" /* likewise */
#endif

#if defined(__GNUC__)
#if defined(__MINGW_PRINTF_FORMAT) /* for %zu */
#define VKD_PRINTF_(text, first) __attribute__((__format__(__MINGW_PRINTF_FORMAT, text, first)))
#else
#define VKD_PRINTF_(text, first) __attribute__((__format__(__printf__, text, first)))
#endif
#else
#define VKD_PRINTF_(text, first)
#endif
/* The pointer is only passed on: the memory may be uninitialised, to be written by a kernel. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#define VKD_NOT_READ_ __attribute__((__access__(__none__, 1)))
#else
#define VKD_NOT_READ_
#endif

/* ---- errors ---------------------------------------------------------------------------------------------------- */

#if defined(_WIN32)
#define VKD_LOADER_ADVICE_ "install the GPU's driver, which brings Vulkan's loader"
#define VKD_DEVICE_ADVICE_ "install a driver for Vulkan 1.3: the GPU's"
#else
#define VKD_LOADER_ADVICE_ "install the Vulkan loader (libvulkan1 on Debian and Ubuntu) and the device's driver"
#define VKD_DEVICE_ADVICE_                                                                                             \
    "install a driver for Vulkan 1.3: the GPU's, or mesa-vulkan-drivers, which has one for CPUs"
#endif

/* Errors of this header: X(id, what to do). */
#define VKD_ERRORS(X)                                                                                                  \
    X(VKD_NOT_OPEN, "call vkd_open first, and check its result")                                                       \
    X(VKD_NO_LOADER, VKD_LOADER_ADVICE_)                                                                               \
    X(VKD_NO_DEVICE, VKD_DEVICE_ADVICE_)                                                                               \
    X(VKD_NO_SUCH_DEVICE, "give the number or a part of the name of one of these devices")                             \
    X(VKD_OUT_OF_MEMORY, "the host has no memory left; free some")                                                     \
    X(VKD_NULL_POINTER, "pass a valid address")                                                                        \
    X(VKD_ALLOC_KIND, "use VKD_SHARED, VKD_DEVICE or VKD_HOST")                                                        \
    X(VKD_ALLOC_SIZE, "ask for at least one byte, and no more than one allocation can have")                           \
    X(VKD_ALLOC_ALIGN, "alignment is 0 (then 64) or a power of two")                       \
    X(VKD_NOT_ALLOCATED, "pass what vkd_alloc of this device returned, and free it once")                              \
    X(VKD_MEMORY_RANGE, "stay within the allocation")                                                                  \
    X(VKD_FILL_PATTERN, "a pattern has 1, 2, 4, 8 or 16 bytes, and fills a multiple of them")                          \
    X(VKD_MODULE, "pass SPIR-V for Vulkan: spe_options.env = SPE_ENV_VULKAN")                                          \
    X(VKD_CAPABILITY, "use types and operations that the device has, or another device")                               \
    X(VKD_CONSTANT_ID, "give each constant at most once, by the number of its SpecId decoration")                      \
    X(VKD_CONSTANT_TYPE, "pass a value of the constant's type")                                                        \
    X(VKD_CONSTANT_RANGE, "pass a value that the constant can hold")                                                   \
    X(VKD_KERNEL_NAME, "use one of the names in the module")                                                           \
    X(VKD_KERNEL_NOT_LOADED, "call vkd_kernel_get or VKD_LOAD first, and check the result")                            \
    X(VKD_PARAM_TEXT, "write parameters as in \"ptr<f32> x, f32 factor, u32 n\"")                                      \
    X(VKD_SUBGROUP_SIZE, "build the kernel for a subgroup size the device has")                                        \
    X(VKD_GROUP_TOO_LARGE, "use fewer work-items per group")                                                           \
    X(VKD_LOCAL_MEMORY, "use less local memory per group")                                                             \
    X(VKD_ARG_COUNT, "pass one argument per parameter")                                                                \
    X(VKD_ARG_TYPE, "pass a value of the parameter's type, or change the parameter")                                   \
    X(VKD_ARG_RANGE, "pass a value that the parameter can hold")                                                       \
    X(VKD_ARG_MEMORY, "pass memory from vkd_alloc of the same device")                                                 \
    X(VKD_GROUPS, "launch at least one group in each dimension, and no more than the device allows")                   \
    X(VKD_BATCH_STATE, "the order is vkd_batch_begin, launches, vkd_batch_end, vkd_batch_run ..., vkd_batch_free")     \
    X(VKD_BATCH_LAUNCH, "launches count from 0 as in vkd_batch_launch; for times, use vkd_batch_begin_timed")          \
    X(VKD_LOCAL_SIZE, "use the size the kernel was built for")                                                         \
    X(VKD_EVENT_STATE, "create events first (vkd_event_create), and signal them before others follow")                 \
    X(VKD_SAME_DEVICE, "give each queue a vkd_device of its own")                                                      \
    X(VKD_OTHER_DEVICE, "kernel, batch and memory must be of one device")                                              \
    X(VKD_NO_VECTORS, "use a device with VK_NV_cooperative_vector, or coopvec.h's own layouts")                        \
    X(VKD_CONVERSION, "describe both matrices as MATRICES in vk_dispatch.h says")

/* Vulkan's errors: X(name, code, what to do). */
#define VKD_RESULTS(X)                                                                                                 \
    X(NOT_READY, 1, "wait longer: the work is not finished")                                                           \
    X(TIMEOUT, 2, "wait longer: the work is not finished")                                                             \
    X(ERROR_OUT_OF_HOST_MEMORY, -1, "free host memory")                                                                \
    X(ERROR_OUT_OF_DEVICE_MEMORY, -2, "free device memory, or use smaller data")                                       \
    X(ERROR_INITIALIZATION_FAILED, -3, "update the driver; its own log may say more")                                  \
    X(ERROR_DEVICE_LOST, -4, "the device hung or was reset, often by a kernel that ran wild: close it, open it again") \
    X(ERROR_MEMORY_MAP_FAILED, -5, "use VKD_DEVICE memory, or smaller data")                                           \
    X(ERROR_LAYER_NOT_PRESENT, -6, "install vulkan-validationlayers, or do not ask to validate")                       \
    X(ERROR_EXTENSION_NOT_PRESENT, -7, "update the driver")                                                            \
    X(ERROR_FEATURE_NOT_PRESENT, -8, "the device cannot do this: do without, or use another one")                      \
    X(ERROR_INCOMPATIBLE_DRIVER, -9, "install a driver for Vulkan 1.3")                                                \
    X(ERROR_TOO_MANY_OBJECTS, -10, "free memory and kernels that are no longer used")                                  \
    X(ERROR_UNKNOWN, -13, "the driver does not say; its own log may")                                                  \
    X(ERROR_OUT_OF_POOL_MEMORY, -1000069000, "wait (vkd_wait) before starting more")                                   \
    X(UNLISTED, 0x7fffffff, "look the VkResult up in vulkan_core.h")

enum {
    VKD_OK = 0,
    VKD_FIRST_ERROR_ = 4999, /* ids start at 5000, those of Vulkan at 5100 */
#define VKD_X_(id, hint) id,
    VKD_ERRORS(VKD_X_)
#undef VKD_X_
};

enum {
    VKD_FIRST_RESULT_ = 5099,
#define VKD_X_(name, code, hint) VKD_VK_##name,
    VKD_RESULTS(VKD_X_)
#undef VKD_X_
};

typedef struct vkd_error {
    int id;           /* 0: no error */
    const char *name; /* "VKD_ARG_COUNT" */
    char text[2048];  /* what happened, with the values, and what to do */
    const char *file; /* the caller's */
    int line;
    VkResult result; /* of the Vulkan call; VK_SUCCESS if none failed */
} vkd_error;

/* ---- types ----------------------------------------------------------------------------------------------------- */

enum { VKD_MAX_ARGS = 32, VKD_MAX_DEVICES = 64 };

typedef struct vkd_options { /* see DEVICES above; the first that is set applies */
    int index_plus_1;
    const char *name;
    const char *device;
    bool validate;
} vkd_options;

/* A device's limits and features. */
typedef struct vkd_target {
    const char *name;        /* vulkan */
    uint32_t subgroup_sizes; /* or-ed together: 4 | 8 | 16 | 32 | 64 | 128 */
    int local_memory;        /* bytes per work-group */
    int max_group_size;      /* work-items per work-group */
    int max_group_dim[3];
    uint32_t max_groups[3];
    uint32_t push_bytes; /* of parameters */
    bool fp16, fp64, int8, int16, int64, storage8, storage16;
    uint32_t vendor_id, device_id;
    uint64_t max_alloc; /* bytes of one allocation */
    /* Cooperative vectors (VK_NV_cooperative_vector); 0: none. The products of vectors and matrices that the driver
     * lists, a row each: the VkComponentTypeKHR of input, its interpretation, matrix, bias and result, and 1 where
     * matrices in optimal layouts may be transposed. vector_sums: which floats it accumulates in memory, 1: f16,
     * 2: f32, 3: both; max_vector: components. */
    const uint32_t (*vector_products)[6];
    uint32_t vector_product_count, vector_sums, max_vector;
} vkd_target;

/* A device in vkd_list. */
typedef struct vkd_info {
    int index;
    char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
    const char *target; /* vulkan */
    bool gpu;
    uint32_t vendor_id, device_id;
    char driver[VK_MAX_DRIVER_NAME_SIZE + VK_MAX_DRIVER_INFO_SIZE]; /* its name and version */
} vkd_info;

typedef struct vkd_functions_ vkd_functions_; /* of the loader */
typedef struct vkd_features_ vkd_features_;   /* of the device */

typedef struct vkd_shared_ vkd_shared_;       /* by the queues of a device */
typedef struct vkd_recording_ vkd_recording_;
typedef struct vkd_signal_state_ vkd_signal_state_;
typedef struct vkd_cache_ vkd_cache_;

/* Something to destroy when the device is closed. */
typedef struct vkd_resource_ {
    int kind;
    uint64_t handle; /* 64 bits on every system; of memory: its address on the host */
    size_t bytes;
    VkBuffer buffer;
    VkDeviceMemory memory;
    size_t offset; /* in the buffer, for the alignment */
    uint64_t address;
    bool mapped;
    const void *owner; /* of memory: the vkd_device that allocated it */
} vkd_resource_;

typedef struct vkd_device {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    VkQueryPool queries;
    char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
    char driver[VK_MAX_DRIVER_NAME_SIZE + VK_MAX_DRIVER_INFO_SIZE];
    vkd_target target;
    int complaints; /* of the validation layer */
    vkd_error error;
    /* not for users */
    bool open_;
    bool borrowed_;      /* from vkd_open_queue: all but queue, pool and clock are the first's */
    VkSemaphore clock_;  /* counts what the queue has finished */
    uint64_t ticks_, waited_; /* of what was submitted, and waited for */
    uint32_t family_;
    double tick_ns_;
    VkPhysicalDeviceMemoryProperties heaps_;
    VkDebugUtilsMessengerEXT messenger_;
    void *staging_; /* host memory by which copies go to and from device memory */
    vkd_resource_ *resources_;
    size_t resource_count_, resource_room_;
    VkCommandBuffer *started_; /* until they are waited for */
    void **loaned_;            /* memory for their parameters */
    size_t started_count_, started_room_, loaned_count_, loaned_room_;
    char cache_[1200];
    vkd_shared_ *shared_;
    vkd_functions_ *vk_;
    vkd_features_ *features_;
    const char *file_;
    int line_;
} vkd_device;

typedef struct vkd_module {
    vkd_device *device;
    VkShaderModule handle;
    vkd_cache_ *cache_; /* NULL: none */
    uint32_t *words_; /* a copy */
    size_t count_;
} vkd_module;

#include "vk_dispatch/values.h"

typedef struct vkd_kernel {
    vkd_device *device;
    VkShaderModule module;
    char name[128];
    uint32_t param_count;
    vkd_param params[VKD_MAX_ARGS];
    uint32_t local_size[3];
    uint32_t subgroup_size; /* 0: the device chooses */
    uint32_t local_bytes;   /* of its variables in local memory */
    /* not for users: the pipeline is made by the first launch, and anew for other sizes of local memory */
    VkPipelineLayout layout_;
    VkPipeline pipeline_;
    uint32_t offsets_[VKD_MAX_ARGS], bytes_, local_[VKD_MAX_ARGS + 1];
    uint32_t local_constant_; /* the number of the spec constant with its words of local memory; 0: it has none */
    bool in_memory_; /* the parameters are not pushed, but their address is */
    vkd_cache_ *cache_;
} vkd_kernel;

/* A value for a spec constant of a module: VKD_CONSTANT(id, value). */
typedef struct vkd_constant {
    uint32_t id; /* of its decoration SpecId */
    vkd_arg value;
} vkd_constant;

/* A module, values for some of its spec constants, and one of its kernels, as a builder made them: VKD_SOURCE(mod). */
typedef struct vkd_source {
    const void *words;
    size_t bytes;
    const char *kernel, *params, *flags; /* flags: Vulkan's drivers take none */
    uint32_t local_size[3];              /* 0: the module's, which it must be */
    const vkd_constant *constants;
    uint32_t constant_count;
    uint32_t subgroup_size; /* 0: the module's */
} vkd_source;

/* The last two are the device's own. */
typedef enum { VKD_ROW_MAJOR, VKD_COLUMN_MAJOR, VKD_MUL_OPTIMAL, VKD_OUTER_PRODUCT_OPTIMAL } vkd_layout;

/* A matrix to convert to another layout, type or both: see MATRICES. */
typedef struct vkd_conversion {
    void *to; /* both are multiples of 64 */
    const void *from;
    size_t to_bytes, from_bytes;
    const char *to_type, *from_type; /* f32 f16 e4m3 e5m2 i8 u8 i16 u16 i32 u32 */
    vkd_layout to_layout, from_layout;
    size_t to_stride, from_stride; /* bytes from a row to the next (VKD_ROW_MAJOR), or column; others have none */
    uint32_t rows, columns;
} vkd_conversion;

/* Launches that run together, as often as wanted. */
typedef struct vkd_batch {
    vkd_device *device;
    int launches;
    /* not for users */
    int state_;
    vkd_recording_ *recording_;
} vkd_batch;

/* Signalled by one queue, for others to wait for. */
typedef struct vkd_event {
    vkd_device *device;
    vkd_signal_state_ *state_;
} vkd_event;

enum { VKD_SHARED = 1, VKD_DEVICE, VKD_HOST };

/* ---- the calls for users, which add the caller's file and line ------------------------------------------------- */

#define VKD_AT_(d) vkd_at_((d), __FILE__, __LINE__)

/* Devices. vkd_list returns the number of devices, or -1 on error (infos NULL: counts only); vkd_close returns nothing
 * and may be called twice; the others return bool. */
#define vkd_open(d, ...) vkd_open_((d), (__VA_ARGS__), __FILE__, __LINE__) /* variadic: a literal has commas */
#define vkd_open_queue(second, first) vkd_open_queue_((second), (first), __FILE__, __LINE__)
#define vkd_close(d) vkd_close_(VKD_AT_(d))
#define vkd_list(infos, max, error) vkd_list_((infos), (max), (error), __FILE__, __LINE__)
#define vkd_print_list(f) vkd_print_list_((f), __FILE__, __LINE__)
#define vkd_wait(d) vkd_wait_(VKD_AT_(d))

/* Memory. vkd_alloc returns void *, NULL on error; vkd_address a uint64_t, 0 on error; the others bool. NULL may be
 * freed. */
#define vkd_alloc(d, kind, bytes, align) vkd_alloc_(VKD_AT_(d), (kind), (bytes), (align))
#define vkd_free(d, p) vkd_free_(VKD_AT_(d), (p))
#define vkd_copy(d, dst, src, bytes) vkd_copy_(VKD_AT_(d), (dst), (src), (bytes))
#define vkd_fill(d, dst, byte, bytes) vkd_fill_(VKD_AT_(d), (dst), (byte), (bytes))
#define vkd_fill_pattern(d, dst, pattern, size, bytes) vkd_fill_pattern_(VKD_AT_(d), (dst), (pattern), (size), (bytes))
#define vkd_address(d, p) vkd_address_(VKD_AT_(d), (p))

/* Matrices in the device's own layouts: vkd_converted_bytes returns what the destination needs, 0 on error. */
#define vkd_converted_bytes(d, conversion) vkd_converted_bytes_(VKD_AT_(d), (conversion))
#define vkd_convert_matrices(d, conversions, count) vkd_convert_matrices_(VKD_AT_(d), (conversions), (count))

/* Modules and kernels. All return bool. */
#define vkd_module_load(module, d, words, bytes) vkd_module_load_((module), VKD_AT_(d), (words), (bytes))
#define vkd_module_free(module) vkd_module_free_((module), __FILE__, __LINE__)
#define vkd_kernel_get(kernel, module, name, params)                                                                   \
    vkd_kernel_get_((kernel), (module), (name), (params), __FILE__, __LINE__)
#define vkd_subgroup_size(kernel, size) vkd_subgroup_size_((kernel), (size), __FILE__, __LINE__)
#define vkd_kernel_clone(kernel, from, d) vkd_kernel_clone_((kernel), (from), VKD_AT_(d))
#define vkd_kernel_free(kernel) vkd_kernel_free_((kernel), __FILE__, __LINE__)
#define vkd_local_size(kernel, x, y, z) vkd_local_size_((kernel), (x), (y), (z), __FILE__, __LINE__)
#define vkd_module_load_cached(module, d, words, bytes, folder)                                                        \
    vkd_module_load_cached_((module), VKD_AT_(d), (words), (bytes), (folder))
#define VKD_SOURCE(mod) VKD_SOURCE_WITH(mod, NULL, 0)
#define VKD_SOURCE_WITH(mod, constants, count)                                                                         \
    {(mod).words, (mod).size, (mod).kernel, (mod).params, NULL, {0, 0, 0}, (constants), (count), (mod).subgroup_size}
#define VKD_CONSTANT(id, value)                                                                                        \
    {                                                                                                                  \
        (uint32_t)(id), VKD_ARG(value)                                                                                 \
    }
#define vkd_load_source(kernel, d, source, folder) vkd_load_source_((kernel), VKD_AT_(d), (source), (folder))
#define vkd_module_load_source(module, d, source, folder)                                                              \
    vkd_module_load_source_((module), VKD_AT_(d), (source), (folder))
#define vkd_load_all(kernels, d, sources, count, folder)                                                               \
    vkd_load_all_((kernels), VKD_AT_(d), (sources), (count), (folder))
#define VKD_LOAD(k, d, mod) VKD_LOAD_CACHED(k, d, mod, NULL)
#define VKD_LOAD_CACHED(k, d, mod, folder)                                                                             \
    vkd_load_((k), VKD_AT_(d), (mod).words, (mod).size, (mod).kernel, (mod).params, (mod).subgroup_size, (folder))

/* Launches with (kernel, groups, array of vkd_arg, count) return bool, the timed one double (ns). vkd_launch and the
 * others are at the end. */
#define vkd_launch_n(kernel, ...) vkd_launch_((kernel), NULL, VKD_RUN_WAIT_, NULL, __FILE__, __LINE__, __VA_ARGS__)
#define vkd_launch_timed_n(kernel, ...) vkd_launch_timed_((kernel), __FILE__, __LINE__, __VA_ARGS__)
#define vkd_start_n(kernel, ...) vkd_launch_((kernel), NULL, VKD_RUN_START_, NULL, __FILE__, __LINE__, __VA_ARGS__)
#define vkd_batch_launch_n(batch, kernel, ...)                                                                         \
    vkd_launch_((kernel), (batch), VKD_RUN_BATCH_, NULL, __FILE__, __LINE__, __VA_ARGS__)

#define vkd_batch_change_n(batch, launch, ...)                                                                         \
    vkd_batch_change_((batch), (launch), __FILE__, __LINE__, __VA_ARGS__)

/* Batches. All return bool, except vkd_batch_ns. */
#define vkd_batch_begin(batch, d) vkd_batch_begin_((batch), VKD_AT_(d), false)
#define vkd_batch_begin_timed(batch, d) vkd_batch_begin_((batch), VKD_AT_(d), true)
#define vkd_batch_copy(batch, dst, src, bytes) vkd_batch_copy_((batch), (dst), (src), (bytes), __FILE__, __LINE__)
#define vkd_batch_convert(batch, conversions, count)                                                                   \
    vkd_batch_convert_((batch), (conversions), (count), __FILE__, __LINE__)
#define vkd_batch_end(batch) vkd_batch_end_((batch), __FILE__, __LINE__)
#define vkd_batch_run(batch) vkd_batch_run_((batch), __FILE__, __LINE__)
#define vkd_batch_start(batch) vkd_batch_start_((batch), __FILE__, __LINE__)
#define vkd_batch_wait(batch) vkd_batch_wait_((batch), __FILE__, __LINE__)
#define vkd_batch_signal(batch, event) vkd_batch_signal_((batch), (event), __FILE__, __LINE__)
#define vkd_batch_follow(batch, event) vkd_batch_follow_((batch), (event), __FILE__, __LINE__)
#define vkd_batch_print_times(batch, f) vkd_batch_print_times_((batch), (f), __FILE__, __LINE__)
#define vkd_batch_ns(batch, launch) vkd_batch_ns_((batch), (launch), __FILE__, __LINE__) /* double; < 0: an error */
#define vkd_batch_free(batch) vkd_batch_free_((batch), __FILE__, __LINE__)

/* Events. All return bool. */
#define vkd_event_create(event, d) vkd_event_create_((event), VKD_AT_(d))
#define vkd_event_free(event) vkd_event_free_((event), __FILE__, __LINE__)
#define vkd_event_wait(event) vkd_event_wait_((event), __FILE__, __LINE__)
#define vkd_event_done(event) vkd_event_done_((event), __FILE__, __LINE__)
#define vkd_signal(d, event) vkd_signal_(VKD_AT_(d), (event))
#define vkd_follow(d, event) vkd_follow_(VKD_AT_(d), (event))

/* For a kernel builder: &(xt_target){VKD_TARGET(&dev)}. */
#define VKD_TARGET(d)                                                                                                  \
    .name = (d)->target.name, .subgroup_sizes = (d)->target.subgroup_sizes,                                            \
    .local_memory = (uint32_t)(d)->target.local_memory, .max_group_size = (uint32_t)(d)->target.max_group_size,        \
    .vector_products = (d)->target.vector_products, .vector_product_count = (d)->target.vector_product_count,          \
    .vector_sums = (d)->target.vector_sums, .max_vector = (d)->target.max_vector

enum { VKD_RUN_WAIT_, VKD_RUN_START_, VKD_RUN_BATCH_ };

/* ---- what they call -------------------------------------------------------------------------------------------- */

/* Errors of the next calls on d name this file and line. Returns d. */
XETILE_API vkd_device *vkd_at_(vkd_device *d, const char *file, int line);

XETILE_API const char *vkd_result_name(VkResult result); /* VK_ERROR_DEVICE_LOST ... */
XETILE_API const vkd_error *vkd_get_error(const vkd_device *d);
XETILE_API void vkd_clear_error(vkd_device *d);
XETILE_API const char *vkd_target_log(const vkd_device *d); /* what kernels are built for, and why */
XETILE_API void vkd_print_error(const vkd_device *d, FILE *f); /* file:line: NAME: text */

XETILE_API bool vkd_wait_(vkd_device *d);
/* Fills at most max infos (may be NULL if max is 0), the default device first; returns the number of devices. */
XETILE_API int vkd_list_(vkd_info *infos, int max, vkd_error *error, const char *file, int line);
/* Prints a line per device: number, name, driver. On error prints it and returns false. */
XETILE_API bool vkd_print_list_(FILE *f, const char *file, int line);
XETILE_API bool vkd_open_(vkd_device *d, const vkd_options *options, const char *file, int line);
XETILE_API bool vkd_open_queue_(vkd_device *second, vkd_device *first, const char *file, int line);
XETILE_API void vkd_close_(vkd_device *d); /* the error can still be read */

XETILE_API void *vkd_alloc_(vkd_device *d, int kind, size_t bytes, size_t align);
XETILE_API bool vkd_free_(vkd_device *d, void *p); /* also works after an error, for cleanup */
XETILE_API bool vkd_copy_(vkd_device *d, void *dst, const void *src, size_t bytes);
XETILE_API bool vkd_fill_pattern_(vkd_device *d, void *dst, const void *pattern, size_t size, size_t bytes);
XETILE_API bool vkd_fill_(vkd_device *d, void *dst, int byte, size_t bytes);
XETILE_API uint64_t vkd_address_(vkd_device *d, const void *p);

XETILE_API size_t vkd_converted_bytes_(vkd_device *d, const vkd_conversion *c);
/* Converts them on the device, in no order, and waits; all are checked before the first. */
XETILE_API bool vkd_convert_matrices_(vkd_device *d, const vkd_conversion *conversions, uint32_t count);

XETILE_API bool vkd_module_load_(vkd_module *module, vkd_device *d, const void *words, size_t bytes);
XETILE_API bool vkd_module_load_source_(vkd_module *module, vkd_device *d, const vkd_source *s, const char *folder);
XETILE_API bool vkd_module_free_(vkd_module *module, const char *file, int line);
XETILE_API bool vkd_kernel_get_(vkd_kernel *k, vkd_module *module, const char *name, const char *params,
                                const char *file, int line);
XETILE_API bool vkd_subgroup_size_(vkd_kernel *k, uint32_t size, const char *file, int line);
XETILE_API bool vkd_load_(vkd_kernel *k, vkd_device *d, const void *words, size_t bytes, const char *name,
                          const char *params, uint32_t subgroup_size, const char *folder);

XETILE_API bool vkd_load_source_(vkd_kernel *k, vkd_device *d, const vkd_source *s, const char *folder);
XETILE_API bool vkd_load_all_(vkd_kernel *kernels, vkd_device *d, const vkd_source *sources, int count,
                              const char *folder);

/* Another instance of a kernel, on the same queue or on another queue of the device (vkd_open_queue). */
XETILE_API bool vkd_kernel_clone_(vkd_kernel *k, const vkd_kernel *from, vkd_device *d);
XETILE_API bool vkd_kernel_free_(vkd_kernel *k, const char *file, int line); /* no batch may use it any more */
XETILE_API bool vkd_local_size_(vkd_kernel *k, uint32_t x, uint32_t y, uint32_t z, const char *file, int line);

/* With what the driver compiled, from a file in the folder; folder NULL or "": without. */
XETILE_API bool vkd_module_load_cached_(vkd_module *module, vkd_device *d, const void *words, size_t bytes,
                                        const char *folder);
XETILE_API const char *vkd_cache_log(const vkd_device *d);

XETILE_API bool vkd_launch_(vkd_kernel *k, vkd_batch *b, int how, double *ns, const char *file, int line,
                            vkd_groups groups, const vkd_arg *args, uint32_t count);
XETILE_API double vkd_launch_timed_(vkd_kernel *k, const char *file, int line, vkd_groups groups, const vkd_arg *args,
                                    uint32_t count);

XETILE_API bool vkd_batch_begin_(vkd_batch *b, vkd_device *d, bool timed);
XETILE_API bool vkd_batch_copy_(vkd_batch *b, void *dst, const void *src, size_t bytes, const char *file, int line);
XETILE_API bool vkd_batch_convert_(vkd_batch *b, const vkd_conversion *conversions, uint32_t count, const char *file,
                                   int line);
XETILE_API bool vkd_batch_end_(vkd_batch *b, const char *file, int line);
XETILE_API bool vkd_batch_run_(vkd_batch *b, const char *file, int line);
XETILE_API bool vkd_batch_start_(vkd_batch *b, const char *file, int line);
XETILE_API bool vkd_batch_wait_(vkd_batch *b, const char *file, int line);
XETILE_API bool vkd_batch_signal_(vkd_batch *b, vkd_event *e, const char *file, int line);
XETILE_API bool vkd_batch_follow_(vkd_batch *b, vkd_event *e, const char *file, int line);
XETILE_API bool vkd_batch_change_(vkd_batch *b, int launch, const char *file, int line, vkd_groups groups,
                                  const vkd_arg *args, uint32_t count);
XETILE_API bool vkd_batch_print_times_(vkd_batch *b, FILE *f, const char *file, int line);
XETILE_API double vkd_batch_ns_(vkd_batch *b, int launch, const char *file, int line);
XETILE_API bool vkd_batch_free_(vkd_batch *b, const char *file, int line);

XETILE_API bool vkd_event_create_(vkd_event *e, vkd_device *d);
XETILE_API bool vkd_event_free_(vkd_event *e, const char *file, int line);
XETILE_API bool vkd_event_wait_(vkd_event *e, const char *file, int line);
XETILE_API bool vkd_event_done_(vkd_event *e, const char *file, int line);
XETILE_API bool vkd_signal_(vkd_device *d, vkd_event *e);
XETILE_API bool vkd_follow_(vkd_device *d, vkd_event *e);

/* For languages that cannot pass unions by value: as in ze_dispatch.h. */
XETILE_API size_t vkd_size_of(const char *type);
XETILE_API void vkd_arg_i_to(vkd_arg *args, uint32_t index, int64_t v);
XETILE_API void vkd_arg_u_to(vkd_arg *args, uint32_t index, uint64_t v);
XETILE_API void vkd_arg_f_to(vkd_arg *args, uint32_t index, double v);
XETILE_API void vkd_arg_ptr_to(vkd_arg *args, uint32_t index, const volatile void *p);
XETILE_API void vkd_arg_local_to(vkd_arg *args, uint32_t index, size_t bytes);

/* ---- macros of launches: errors are reported at the user's line -------------------------------------------------- */

#include "vk_dispatch/launching.h"

#endif /* VK_DISPATCH_H */
