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
#if defined(__GNUC__) /* the user's macros of one letter stay out of this text: given back at its end */
#define XETILE_PRAGMA_(text) _Pragma(#text)
#define XETILE_PUSH_(letter) XETILE_PRAGMA_(push_macro(letter))
#define XETILE_POP_(letter) XETILE_PRAGMA_(pop_macro(letter))
#define VKD_LETTERS_(F) F("A") F("B") F("C") F("D") F("E") F("F") F("G") F("H") F("I") F("J") F("K") \
    F("L") F("M") F("N") F("O") F("P") F("Q") F("R") F("S") F("T") F("U") F("V") \
    F("W") F("X") F("Y") F("Z") F("a") F("b") F("c") F("d") F("e") F("f") F("g") \
    F("h") F("i") F("j") F("k") F("l") F("m") F("n") F("o") F("p") F("q") F("r") \
    F("s") F("t") F("u") F("v") F("w") F("x") F("y") F("z")
VKD_LETTERS_(XETILE_PUSH_)
#undef A
#undef B
#undef C
#undef D
#undef E
#undef F
#undef G
#undef H
#undef I
#undef J
#undef K
#undef L
#undef M
#undef N
#undef O
#undef P
#undef Q
#undef R
#undef S
#undef T
#undef U
#undef V
#undef W
#undef X
#undef Y
#undef Z
#undef a
#undef b
#undef c
#undef d
#undef e
#undef f
#undef g
#undef h
#undef i
#undef j
#undef k
#undef l
#undef m
#undef n
#undef o
#undef p
#undef q
#undef r
#undef s
#undef t
#undef u
#undef v
#undef w
#undef x
#undef y
#undef z
#endif

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

/* ---- how functions are declared ------------------------------------------------------------------------------------
 *
 * Three ways to use a header:
 *   include it                define nothing: every file that includes it gets the bodies as static functions
 *   XETILE_DECLARATIONS       declarations only, for all files of a program that has the bodies in one place: either
 *   XETILE_IMPLEMENTATION     one of its files, which defines this and then includes all headers in use, or libxetile
 *                             (-lxetile; see `pkg-config xetile`)
 * XETILE_IMPLEMENTATION may also be defined after the declarations were included: include the headers again. If two
 * files define it, linking fails with a symbol whose name says so.
 *
 * Static bodies are compiled without optimisation, except for a core (gcc: -Og): programs spend little time in them,
 * and their authors wait for the compiler. Programs that convert large matrices on the host can define XETILE_OPTIMIZE
 * to compile them like the rest of the file, as XETILE_IMPLEMENTATION always does.
 *
 * spirv_emit.h and ze_dispatch.h both contain these lines; the first one included counts.
 */
#ifndef XETILE_API
#define XETILE_VERSION "0.3.0" /* before 1.0, the second number distinguishes incompatible releases */
#define XETILE_VERSION_MAJOR 0
#define XETILE_VERSION_MINOR 3
#define XETILE_VERSION_PATCH 0
#if defined(__GNUC__)
#define XETILE_ATTR_(what) __attribute__((what))
#else
#define XETILE_ATTR_(what)
#endif
#if defined(__cplusplus)
#define XETILE_EXTERN_ extern "C"
#else
#define XETILE_EXTERN_ extern
#endif
#if defined(_WIN32)
#define XETILE_HIDDEN_
#else
#define XETILE_HIDDEN_ XETILE_ATTR_(__visibility__("hidden"))
#endif
#if defined(XETILE_SEPARATE_) /* src/ is compiled file by file */
#define XETILE_API XETILE_EXTERN_
#define XETILE_PRIVATE XETILE_EXTERN_
#elif defined(XETILE_IMPLEMENTATION)
#define XETILE_WEAKLY_
#if defined(_WIN32) /* its linkers do not resolve weak symbols */
#define XETILE_API XETILE_EXTERN_
#else
#define XETILE_API XETILE_EXTERN_ XETILE_ATTR_(__weak__)
#endif
#define XETILE_PRIVATE static XETILE_ATTR_(__unused__)
#elif defined(XETILE_DECLARATIONS)
#define XETILE_API XETILE_EXTERN_
#define XETILE_PRIVATE static XETILE_ATTR_(__unused__)
#else
#define XETILE_STATIC_
#if defined(XETILE_OPTIMIZE) && defined(__OPTIMIZE__)
#define XETILE_API static XETILE_ATTR_(__unused__)
#else /* without optimisation, gcc compiles unused static functions unless they are inline; nor does it warn of these */
#define XETILE_API static inline
#endif
#define XETILE_PRIVATE XETILE_API
#endif
#define XE_FN_ XETILE_PRIVATE /* replaces `static` of the sources; same number of columns */
#define XE_FORWARD_ XE_FN_       /* in the sources: the joined text uses the function before it defines it */
/* XE_ONCE_ stands before small functions that are called in one place: gcc compiles them there, as it spends a million
 * instructions on a function, however short. Of longer ones it would make functions that take it more than that. Frame
 * pointers and tables of jumps take it longer, too; sanitizers follow the former. */
#if !defined(XETILE_STATIC_) || defined(XETILE_OPTIMIZE) || !defined(__OPTIMIZE__)
#define XE_ONCE_
#define XETILE_HOT_
#define XETILE_COLD_
#define XETILE_AS_BEFORE_
#elif defined(__clang__)
#define XE_ONCE_
#define XETILE_HOT_
#define XETILE_COLD_ _Pragma("clang optimize off")
#define XETILE_AS_BEFORE_ _Pragma("clang optimize on")
#else /* the pragma: the attribute optimize("O0") more than doubles gcc's time */
#define XE_ONCE_ __attribute__((__always_inline__))
#define XETILE_HOT_ _Pragma("GCC push_options") _Pragma("GCC optimize(\"Og\")")
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define XETILE_COLD_ _Pragma("GCC push_options") _Pragma("GCC optimize(\"O0\")")
#else
#define XETILE_COLD_                                                                                                   \
    _Pragma("GCC push_options") _Pragma("GCC optimize(\"O0\", \"omit-frame-pointer\", \"no-jump-tables\")")
#endif
#define XETILE_AS_BEFORE_ _Pragma("GCC pop_options")
#endif
#endif

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

typedef struct vkd_type_ {
    const char *name;
    unsigned char size;         /* bytes */
    char kind;                  /* of a value: i u f, h and b for f16 and bf16; 0: only in memory */
    unsigned char pointed_size; /* the C types that pointers to it may have: their size, */
    const char *pointed_kinds;  /* and their kinds: i u f, c for plain char */
} vkd_type_;

enum { VKD_PARAM_VALUE, VKD_PARAM_PTR, VKD_PARAM_LOCAL };

typedef struct vkd_param {
    int kind; /* VKD_PARAM_... */
    const vkd_type_ *type;
    char name[64];
} vkd_param;

typedef struct vkd_groups {
    uint32_t count_x, count_y, count_z;
} vkd_groups;

typedef struct vkd_local {
    size_t bytes;
} vkd_local;

/* An argument with its C type. Made by VKD_ARG(value) or the vkd_arg_... functions. */
typedef struct vkd_arg {
    char kind;          /* i u f: a number; p: a pointer; l: local memory */
    char pointed;       /* target of a pointer: i u f c, or v for other types */
    unsigned char size; /* bytes of the value or of what is pointed to */
    union {
        int64_t sint;
        uint64_t uint;
        double real; /* exactly, of a float too */
        const void *ptr;
    } as;
    const char *text; /* the caller's source text; may be NULL */
} vkd_arg;

/* SPIR-V's numbers of what stands before functions and tells of spec constants; not for users. */
enum { VKD_OP_TYPE_INT_ = 21, VKD_OP_TYPE_FLOAT_, VKD_OP_SPEC_TRUE_ = 48, VKD_OP_SPEC_FALSE_, VKD_OP_SPEC_,
       VKD_OP_FUNCTION_ = 54, VKD_OP_DECORATE_ = 71, VKD_SPEC_ID_ = 1 };

/* An argument as its kernel takes it; not for users. */
typedef struct vkd_bound_ {
    size_t size;
    bool no_value; /* local memory, or a null pointer */
    union {
        uint64_t u;
        uint8_t bytes[8];
        const void *p;
        double f64;
        uint32_t u32;
        uint16_t u16;
        uint8_t u8;
    } as;
} vkd_bound_;

/* The file of what a driver compiled; not for users. */
typedef struct vkd_entry_ {
    char head[2048]; /* of its key: a line of text, without zeroes behind it */
    size_t head_size;
    const void *words; /* and the module */
    size_t bytes;
    uint64_t hash;
    char path[1100];
} vkd_entry_;

/* A C type as a number: the size of a value; for pointers, kind and size of the target. */
#define VKD_CODE_(kind, type) (((kind) << 8) | (int)sizeof(type))

XETILE_API vkd_arg vkd_arg_int_(int64_t v, int code);
XETILE_API vkd_arg vkd_arg_uint_(uint64_t v, int code);
XETILE_API vkd_arg vkd_arg_float_(float v, int code);
XETILE_API vkd_arg vkd_arg_double_(double v, int code);
XETILE_API VKD_NOT_READ_ vkd_arg vkd_arg_pointer_(const volatile void *p, int code);
XETILE_API vkd_arg vkd_arg_local_(vkd_local v, int code);
XETILE_API vkd_arg vkd_arg_same_(vkd_arg a, int code); /* for an argument that already is a vkd_arg */
XETILE_API vkd_arg vkd_arg_text_(vkd_arg a, const char *text);

/* For generated code, which knows the parameters and needs no C types. */
XETILE_API vkd_arg vkd_arg_i(int64_t v);
XETILE_API vkd_arg vkd_arg_u(uint64_t v);
XETILE_API vkd_arg vkd_arg_f(double v); /* a float is converted by the caller: subnormals may be flushed there */
XETILE_API vkd_arg vkd_arg_ptr(const volatile void *p);
XETILE_API vkd_arg vkd_arg_local(size_t bytes);

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

#endif /* VK_DISPATCH_H */

/* ==== bodies: nothing from here on is for users ================================================================== */

#if defined(XETILE_STATIC_) && (defined(XETILE_IMPLEMENTATION) || \
                                (defined(XETILE_DECLARATIONS) && !defined(VK_DISPATCH_BODIES_)))
#error "XETILE_DECLARATIONS or XETILE_IMPLEMENTATION come before the first header of xetile: one was included without"
#elif defined(XETILE_WEAKLY_) && !defined(XETILE_IMPLEMENTATION) && !defined(VK_DISPATCH_BODIES_)
#error "XETILE_IMPLEMENTATION stays defined until the last header of xetile has been included"
#elif !defined(VK_DISPATCH_BODIES_) && (defined(XETILE_IMPLEMENTATION) || !defined(XETILE_DECLARATIONS))
#define VK_DISPATCH_BODIES_
#if defined(XETILE_IMPLEMENTATION)
/* The linker names this when two files of a program have the bodies, and first, as it is the first function. */
XETILE_EXTERN_ XETILE_HIDDEN_ void XETILE_IMPLEMENTATION_belongs_in_one_file__vk_dispatch(void);
void XETILE_IMPLEMENTATION_belongs_in_one_file__vk_dispatch(void) {}
#endif

/* internal.h - declarations shared by the bodies of vk_dispatch.h only. */

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

XE_FN_ void vkd_cache_free_(vkd_device *d, vkd_cache_ *c);
XE_FN_ void vkd_recording_free_(vkd_recording_ *r);

XETILE_COLD_

/* errors.c - a device's error. */

vkd_device *vkd_at_(vkd_device *d, const char *file, int line)
{
    if (d) {
        d->file_ = file;
        d->line_ = line;
    }
    return d;
}

/* The row of an error id: its name and what to do; for a row of Vulkan also its VkResult. */
typedef struct vkd_error_row_ {
    int id;
    VkResult code;
    const char *name, *hint;
} vkd_error_row_;

XE_FN_ const vkd_error_row_ *vkd_error_rows_(size_t *count)
{
    static const vkd_error_row_ rows[] = {
#define VKD_X_(id, hint) {id, VK_SUCCESS, #id, hint},
        VKD_ERRORS(VKD_X_)
#undef VKD_X_
#define VKD_X_(name, code, hint) {VKD_VK_##name, (VkResult)(code), "VKD_VK_" #name, hint},
            VKD_RESULTS(VKD_X_)
#undef VKD_X_
    };
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

/* The row of an id, or (id 0) of a failed VkResult; the last row if it is not listed. */
XE_FN_ const vkd_error_row_ *vkd_error_row_of_(int id, VkResult result)
{
    size_t count, i = 0;
    const vkd_error_row_ *rows = vkd_error_rows_(&count);
    while (i + 1 < count && (id ? rows[i].id != id : rows[i].code != result)) i++;
    return &rows[i];
}

const char *vkd_result_name(VkResult result)
{
    return result == VK_SUCCESS ? "VK_SUCCESS" : vkd_error_row_of_(0, result)->name + strlen("VKD_");
}

/* Records an error whose text is written; appends what to do. If both do not fit, the text is cut, not the advice. */
XE_FN_ void vkd_error_set_(vkd_device *d, const vkd_error_row_ *row, VkResult result)
{
    vkd_error *e = &d->error;
    size_t used = strlen(e->text), need = strlen(row->hint) + 3;
    e->id = row->id;
    e->name = row->name;
    e->file = d->file_;
    e->line = d->line_;
    e->result = result;
    if (used + need > sizeof e->text) used = sizeof e->text - need;
    snprintf(e->text + used, sizeof e->text - used, "; %s", row->hint);
}

/* Records an error unless there is one; returns false, for callers to return. */
bool vkd_fail_(vkd_device *d, int id, const char *format, ...)
{
    va_list args;
    if (d->error.id) return false;
    va_start(args, format);
    vsnprintf(d->error.text, sizeof d->error.text, format, args);
    va_end(args);
    vkd_error_set_(d, vkd_error_row_of_(id, VK_SUCCESS), VK_SUCCESS);
    return false;
}

/* True if a Vulkan call succeeded; else records its error, with details from the format. */
bool vkd_check_(vkd_device *d, VkResult result, const char *call, const char *format, ...)
{
    char details[512];
    va_list args;
    if (result == VK_SUCCESS) return true;
    if (d->error.id) return false;
    va_start(args, format);
    vsnprintf(details, sizeof details, format, args);
    va_end(args);
    snprintf(d->error.text, sizeof d->error.text, "%s%s%s gave %s (%d)", call, *details ? " " : "", details,
             vkd_result_name(result), (int)result);
    vkd_error_set_(d, vkd_error_row_of_(0, result), result);
    return false;
}

const vkd_error *vkd_get_error(const vkd_device *d) { return &d->error; }

void vkd_clear_error(vkd_device *d) { memset(&d->error, 0, sizeof d->error); }

void vkd_print_error(const vkd_device *d, FILE *f)
{
    const vkd_error *e = &d->error;
    if (e->id) fprintf(f, "%s:%d: %s: %s\n", e->file ? e->file : "?", e->line, e->name, e->text);
}

/* An error of a kernel or batch that was never given a device, so that none can keep it: it goes to stderr. */
XE_FN_ bool vkd_fail_alone_(int id, const char *call, const char *file, int line)
{
    const vkd_error_row_ *row = vkd_error_row_of_(id, VK_SUCCESS);
    fprintf(stderr, "%s:%d: %s: %s without a device; %s\n", file, line, row->name, call, row->hint);
    return false;
}

/* Is d usable: open and without an error? */
XE_FN_ bool vkd_usable_(vkd_device *d)
{
    if (!d || d->error.id) return false;
    if (!d->open_) return vkd_fail_(d, VKD_NOT_OPEN, "the device is not open");
    return true;
}

/* loader.c - finds Vulkan's functions when a device is opened; programs need not link with the loader. */

#if defined(_WIN32)
#define VKD_LOADER_NAME_ "vulkan-1.dll"

/* The loader's first function; if it cannot be opened, NULL and the reason. */
XE_FN_ PFN_vkGetInstanceProcAddr vkd_first_function_(char *why, size_t size)
{
    const unsigned long search_default_dirs = 0x1000;
    struct HINSTANCE__ *library = LoadLibraryExA(VKD_LOADER_NAME_, NULL, search_default_dirs);
    vkd_procedure_ found = library ? GetProcAddress(library, "vkGetInstanceProcAddr") : NULL;
    PFN_vkGetInstanceProcAddr first = NULL;
    if (found) memcpy(&first, &found, sizeof first);
    else snprintf(why, size, "error %lu", GetLastError());
    return first;
}
#else
#define VKD_LOADER_NAME_ "libvulkan.so.1"

/* It stays open until the program ends: drivers have threads of their own. */
XE_FN_ PFN_vkGetInstanceProcAddr vkd_first_function_(char *why, size_t size)
{
    void *library = dlopen(VKD_LOADER_NAME_, RTLD_NOW);
    void *found = library ? dlsym(library, "vkGetInstanceProcAddr") : NULL;
    PFN_vkGetInstanceProcAddr first = NULL;
    const char *error = found ? NULL : dlerror();
    if (found) memcpy(&first, &found, sizeof first);
    else snprintf(why, size, "%s", error ? error : "the dynamic linker does not say why");
    return first;
}
#endif

/* Fills n addresses of functions in d->vk_ from `at` on, from the loader (instance NULL), the instance or the device.
 * */
XE_FN_ bool vkd_find_(vkd_device *d, const char *const *names, size_t n, void *at)
{
    for (size_t i = 0; i < n; i++) {
        PFN_vkVoidFunction found = d->device ? d->vk_->vkGetDeviceProcAddr(d->device, names[i])
                                             : d->vk_->vkGetInstanceProcAddr(d->instance, names[i]);
        if (!found) return vkd_fail_(d, VKD_NO_LOADER, "Vulkan has no function %s", names[i]);
        memcpy((char *)at + i * sizeof found, &found, sizeof found);
    }
    return true;
}

#define VKD_X_(function) "vk" #function,
XE_FN_ bool vkd_find_loader_(vkd_device *d)
{
    static const char *const names[] = {VKD_OF_LOADER_(VKD_X_)};
    char why[512] = "";
    d->vk_ = (vkd_functions_ *)calloc(1, sizeof *d->vk_);
    if (!d->vk_) return vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for the addresses of functions");
    d->vk_->vkGetInstanceProcAddr = vkd_first_function_(why, sizeof why);
    if (!d->vk_->vkGetInstanceProcAddr)
        return vkd_fail_(d, VKD_NO_LOADER, VKD_LOADER_NAME_ " cannot be opened (%s)", why);
    return vkd_find_(d, names, sizeof names / sizeof *names, &d->vk_->vkCreateInstance);
}

XE_FN_ bool vkd_find_instance_(vkd_device *d)
{
    static const char *const names[] = {VKD_OF_INSTANCE_(VKD_X_)};
    return vkd_find_(d, names, sizeof names / sizeof *names, &d->vk_->vkDestroyInstance);
}

XE_FN_ bool vkd_find_device_(vkd_device *d)
{
    static const char *const names[] = {VKD_OF_DEVICE_(VKD_X_)};
    return vkd_find_(d, names, sizeof names / sizeof *names, &d->vk_->vkDestroyDevice);
}
#undef VKD_X_

/* params.c - written by join.sh from ze_dispatch/params.c. */

XE_ONCE_
XE_FN_ const vkd_type_ *vkd_types_(size_t *count)
{
    static const vkd_type_ types[] = {
        {"f64", 8, 'f', 8, "f"}, {"f32", 4, 'f', 4, "f"}, {"f16", 2, 'h', 2, "fu"}, {"bf16", 2, 'b', 2, "u"},
        {"i64", 8, 'i', 8, "i"}, {"i32", 4, 'i', 4, "i"}, {"i16", 2, 'i', 2, "i"},  {"i8", 1, 'i', 1, "ic"},
        {"u64", 8, 'u', 8, "u"}, {"u32", 4, 'u', 4, "u"}, {"u16", 2, 'u', 2, "u"},  {"u8", 1, 'u', 1, "uc"},
        {"tf32", 4, 0, 4, "f"},  {"e4m3", 1, 0, 1, "uc"}, {"e5m2", 1, 0, 1, "uc"},  {"c32", 8, 0, 4, "f"},
        {"c64", 16, 0, 8, "f"},  {"e2m1", 1, 0, 1, "uc"}, {"e8m0", 1, 0, 1, "uc"},
    };
    *count = sizeof types / sizeof types[0];
    return types;
}

/* A cursor in the text; errors name its position. */
typedef struct vkd_text_ {
    vkd_device *device;
    const char *all, *at, *kernel;
} vkd_text_;

XE_FN_ bool vkd_text_fail_(vkd_text_ *t, const char *what)
{
    return vkd_fail_(t->device, VKD_PARAM_TEXT, "parameters of kernel %s: %s at column %d of \"%s\"", t->kernel, what,
                     (int)(t->at - t->all) + 1, t->all);
}

XE_FN_ void vkd_text_space_(vkd_text_ *t) { t->at += strspn(t->at, " \t\r\n"); }

XE_FN_ size_t vkd_text_word_(vkd_text_ *t)
{
    vkd_text_space_(t);
    return strspn(t->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
}

XE_FN_ bool vkd_text_take_(vkd_text_ *t, char c)
{
    vkd_text_space_(t);
    if (*t->at != c) return false;
    t->at++;
    return true;
}

XE_FN_ const vkd_type_ *vkd_text_type_(vkd_text_ *t)
{
    size_t count, length = vkd_text_word_(t);
    const vkd_type_ *types = vkd_types_(&count);
    for (size_t i = 0; i < count; i++) {
        if (strlen(types[i].name) == length && memcmp(types[i].name, t->at, length) == 0) {
            t->at += length;
            return &types[i];
        }
    }
    vkd_text_fail_(t, length ? "no such type (f64 f32 f16 bf16 i64 i32 i16 i8 u64 u32 u16 u8, ptr<T>, local<T>)"
                             : "a type is missing");
    return NULL;
}

/* Reads "type name". */
XE_FN_ bool vkd_text_param_(vkd_text_ *t, vkd_param *p)
{
    static const char *const brackets[] = {"", "ptr", "local"};
    const char *start;
    size_t length = vkd_text_word_(t);
    p->kind = VKD_PARAM_VALUE;
    for (int i = VKD_PARAM_PTR; i <= VKD_PARAM_LOCAL; i++) {
        if (strlen(brackets[i]) == length && memcmp(brackets[i], t->at, length) == 0) p->kind = i;
    }
    if (p->kind != VKD_PARAM_VALUE) {
        t->at += length;
        if (!vkd_text_take_(t, '<')) return vkd_text_fail_(t, "'<' is missing");
    }
    start = t->at;
    p->type = vkd_text_type_(t);
    if (!p->type) return false;
    if (p->kind != VKD_PARAM_VALUE && !vkd_text_take_(t, '>')) return vkd_text_fail_(t, "'>' is missing");
    if (p->kind == VKD_PARAM_VALUE && !p->type->kind) {
        t->at = start;
        return vkd_text_fail_(t, "this type lives in memory only (ptr<T>), not in a value");
    }
    length = vkd_text_word_(t);
    if (!length || (*t->at >= '0' && *t->at <= '9')) return vkd_text_fail_(t, "a name is missing");
    if (length >= sizeof p->name) return vkd_text_fail_(t, "a name of more than 63 letters");
    memcpy(p->name, t->at, length);
    p->name[length] = 0;
    t->at += length;
    return true;
}

XE_FN_ bool vkd_parse_params_(vkd_device *d, const char *kernel, const char *text, vkd_param *params, uint32_t *count)
{
    vkd_text_ t;
    *count = 0;
    if (!text) return vkd_fail_(d, VKD_PARAM_TEXT, "the parameter text of kernel %s is NULL (\"\" means none)", kernel);
    t.device = d;
    t.all = t.at = text;
    t.kernel = kernel;
    vkd_text_space_(&t);
    if (!*t.at) return true;
    do {
        vkd_text_space_(&t);
        if (*count == VKD_MAX_ARGS) return vkd_text_fail_(&t, "more than 32 parameters");
        if (!vkd_text_param_(&t, &params[*count])) return false;
        for (uint32_t i = 0; i < *count; i++) {
            if (strcmp(params[i].name, params[*count].name) == 0) {
                t.at -= strlen(params[i].name);
                return vkd_text_fail_(&t, "a repeated name");
            }
        }
        ++*count;
    } while (vkd_text_take_(&t, ','));
    return *t.at ? vkd_text_fail_(&t, "',' or the end is missing") : true;
}

XE_ONCE_
XE_FN_ const char *vkd_param_name_(const vkd_param *p, char *text, size_t size)
{
    static const char *const open[] = {"", "ptr<", "local<"};
    snprintf(text, size, "%s%s%s", open[p->kind], p->type->name, p->kind == VKD_PARAM_VALUE ? "" : ">");
    return text;
}

/* devices.c - the instance, and its devices in order of preference. */

/* Prints what the validation layer says, and counts it. */
XE_FN_ VKAPI_ATTR VkBool32 VKAPI_CALL vkd_complaint_(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                     VkDebugUtilsMessageTypeFlagsEXT types,
                                                     const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    vkd_device *d = (vkd_device *)user;
    (void)types;
    if (severity < VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT) return VK_FALSE;
    fprintf(stderr, "vulkan: %s\n", data->pMessage);
    d->complaints++;
    return VK_FALSE;
}

XE_FN_ bool vkd_has_layer_(vkd_device *d, const char *name)
{
    VkLayerProperties layers[64];
    uint32_t count = 64;
    VkResult result = d->vk_->vkEnumerateInstanceLayerProperties(&count, layers);
    for (uint32_t i = 0; (result == VK_SUCCESS || result == VK_INCOMPLETE) && i < count; i++) {
        if (strcmp(layers[i].layerName, name) == 0) return true;
    }
    return false;
}

XE_FN_ bool vkd_create_messenger_(vkd_device *d, const VkDebugUtilsMessengerCreateInfoEXT *info)
{
    PFN_vkVoidFunction create = d->vk_->vkGetInstanceProcAddr(d->instance, "vkCreateDebugUtilsMessengerEXT");
    PFN_vkVoidFunction destroy = d->vk_->vkGetInstanceProcAddr(d->instance, "vkDestroyDebugUtilsMessengerEXT");
    if (!create || !destroy) return vkd_fail_(d, VKD_NO_LOADER, "Vulkan has no debug messengers");
    memcpy(&d->vk_->vkDestroyDebugUtilsMessengerEXT, &destroy, sizeof destroy);
    VkResult result = ((PFN_vkCreateDebugUtilsMessengerEXT)create)(d->instance, info, NULL, &d->messenger_);
    return vkd_check_(d, result, "vkCreateDebugUtilsMessengerEXT", "%s", "");
}

XE_FN_ bool vkd_create_instance_(vkd_device *d, bool validate)
{
    const char *layer = "VK_LAYER_KHRONOS_validation", *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    VkDebugUtilsMessengerCreateInfoEXT messages;
    VkApplicationInfo app;
    VkInstanceCreateInfo info;
    uint32_t version = 0;
    if (!vkd_find_loader_(d) || !VKD_CALL_(d, vkEnumerateInstanceVersion, (&version))) return false;
    if (version < VK_API_VERSION_1_3)
        return vkd_fail_(d, VKD_NO_LOADER, "the loader has Vulkan %u.%u, and 1.3 is needed",
                         VK_API_VERSION_MAJOR(version),
                         VK_API_VERSION_MINOR(version));
    VKD_CLEAR_(app, APPLICATION_INFO);
    VKD_CLEAR_(info, INSTANCE_CREATE_INFO);
    VKD_CLEAR_(messages, DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
    messages.messageSeverity =
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    messages.messageType =
        VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
    messages.pfnUserCallback = vkd_complaint_;
    messages.pUserData = d;
    app.apiVersion = VK_API_VERSION_1_3;
    info.pApplicationInfo = &app;
    if (validate && !vkd_has_layer_(d, layer))
        return vkd_check_(d, VK_ERROR_LAYER_NOT_PRESENT, "vkEnumerateInstanceLayerProperties", "(%s)", layer);
    if (validate) {
        info.pNext = &messages;
        info.enabledLayerCount = info.enabledExtensionCount = 1;
        info.ppEnabledLayerNames = &layer;
        info.ppEnabledExtensionNames = &extension;
    }
    if (!VKD_CALL_(d, vkCreateInstance, (&info, NULL, &d->instance)) || !vkd_find_instance_(d)) return false;
    return !validate || vkd_create_messenger_(d, &messages);
}

XE_FN_ void vkd_get_features_(const vkd_device *d, VkPhysicalDevice device, vkd_features_ *f)
{
    VKD_CLEAR_(f->all, PHYSICAL_DEVICE_FEATURES_2);
    VKD_CLEAR_(f->in_1_1, PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
    VKD_CLEAR_(f->in_1_2, PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    VKD_CLEAR_(f->in_1_3, PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    f->all.pNext = &f->in_1_1;
    f->in_1_1.pNext = &f->in_1_2;
    f->in_1_2.pNext = &f->in_1_3;
    d->vk_->vkGetPhysicalDeviceFeatures2(device, &f->all);
}

/* 0 is best; -1: cannot run kernels. */
XE_FN_ int vkd_rank_(const vkd_device *d, VkPhysicalDevice device, VkPhysicalDeviceProperties2 *p)
{
    vkd_features_ f;
    d->vk_->vkGetPhysicalDeviceProperties2(device, p);
    if (p->properties.apiVersion < VK_API_VERSION_1_3) return -1;
    vkd_get_features_(d, device, &f);
    if (!f.in_1_2.bufferDeviceAddress || !f.in_1_2.vulkanMemoryModel) return -1;
    switch (p->properties.deviceType) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return 0;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return 1;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return 2;
    default: return 3;
    }
}

/* Finds the devices, best first; those of one rank in the loader's order. Returns their number, -1 on error. */
XE_FN_ int vkd_find_devices_(vkd_device *d, VkPhysicalDevice *found, vkd_info *infos)
{
    VkPhysicalDevice all[VKD_MAX_DEVICES];
    uint32_t count = VKD_MAX_DEVICES;
    int n = 0;
    VkResult result = d->vk_->vkEnumeratePhysicalDevices(d->instance, &count, all);
    if (result != VK_INCOMPLETE && !vkd_check_(d, result, "vkEnumeratePhysicalDevices", "%s", "")) return -1;
    for (int rank = 0; rank < 4; rank++) {
        for (uint32_t i = 0; i < count; i++) {
            VkPhysicalDeviceProperties2 p;
            VkPhysicalDeviceDriverProperties driver;
            VKD_CLEAR_(p, PHYSICAL_DEVICE_PROPERTIES_2);
            VKD_CLEAR_(driver, PHYSICAL_DEVICE_DRIVER_PROPERTIES);
            p.pNext = &driver;
            if (vkd_rank_(d, all[i], &p) != rank) continue;
            memset(&infos[n], 0, sizeof infos[n]);
            infos[n].index = n;
            infos[n].target = "vulkan";
            infos[n].gpu = rank < 3;
            infos[n].vendor_id = p.properties.vendorID;
            infos[n].device_id = p.properties.deviceID;
            snprintf(infos[n].name, sizeof infos[n].name, "%s", p.properties.deviceName);
            snprintf(infos[n].driver, sizeof infos[n].driver, "%s %s", driver.driverName, driver.driverInfo);
            found[n++] = all[i];
        }
    }
    if (!n) vkd_fail_(d, VKD_NO_DEVICE, "none of %" PRIu32 " devices has Vulkan 1.3 and addresses of buffers", count);
    return n ? n : -1;
}

/* shared.c - what the queues of one device share: the list of allocations, and a lock. */

#if defined(_WIN32)
XE_FN_ void vkd_lock_(vkd_shared_ *s) { AcquireSRWLockExclusive((struct _RTL_SRWLOCK *)&s->lock); }
XE_FN_ void vkd_unlock_(vkd_shared_ *s) { ReleaseSRWLockExclusive((struct _RTL_SRWLOCK *)&s->lock); }
#else
XE_FN_ void vkd_lock_(vkd_shared_ *s) { pthread_mutex_lock(&s->lock); }
XE_FN_ void vkd_unlock_(vkd_shared_ *s) { pthread_mutex_unlock(&s->lock); }
#endif

/* Makes what the device shares with queues that are opened later; its family has so many queues. */
XE_FN_ bool vkd_share_(vkd_device *d, uint32_t queues)
{
    d->shared_ = (vkd_shared_ *)calloc(1, sizeof *d->shared_);
    if (!d->shared_) return vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for what queues share");
    d->shared_->queues = queues;
#if !defined(_WIN32)
    if (pthread_mutex_init(&d->shared_->lock, NULL) == 0) return true;
    free(d->shared_);
    d->shared_ = NULL;
    return vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for a lock");
#else
    return true;
#endif
}

XE_FN_ void vkd_unshare_(vkd_device *d)
{
    if (!d->shared_ || d->borrowed_) return;
#if !defined(_WIN32)
    pthread_mutex_destroy(&d->shared_->lock);
#endif
    free(d->shared_->memory);
    free(d->shared_);
}

/* Of memory: what the host calls it. */
XE_FN_ void *vkd_host_(const vkd_resource_ *r) { return (void *)(uintptr_t)r->handle; }

/* The number of allocations that begin at or before p: the list is in the order of addresses. The lock is held. */
XE_FN_ size_t vkd_allocations_upto_(const vkd_shared_ *s, const void *p)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((uintptr_t)s->memory[middle]->handle <= (uintptr_t)p) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Adds an allocation to the list; false and an error if out of memory. */
XE_FN_ bool vkd_keep_memory_(vkd_device *d, const vkd_resource_ *r)
{
    vkd_shared_ *s = d->shared_;
    vkd_resource_ *kept = (vkd_resource_ *)malloc(sizeof *kept), **more;
    bool ok = kept != NULL;
    vkd_lock_(s);
    if (ok && s->count == s->room) {
        size_t room = s->room ? 2 * s->room : 32;
        more = (vkd_resource_ **)realloc(s->memory, room * sizeof *more);
        ok = more != NULL;
        if (ok) s->memory = more, s->room = room;
    }
    if (ok) {
        size_t at = vkd_allocations_upto_(s, vkd_host_(r));
        *kept = *r;
        kept->owner = d;
        memmove(s->memory + at + 1, s->memory + at, (s->count++ - at) * sizeof *s->memory);
        s->memory[at] = kept;
    }
    vkd_unlock_(s);
    if (ok) return true;
    free(kept);
    return vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for a list of allocations");
}

/* Takes an allocation out of the list, that at p or (p NULL) any that this device made; false: there is none. */
XE_FN_ bool vkd_take_memory_(vkd_device *d, const void *p, vkd_resource_ *taken)
{
    vkd_shared_ *s = d->shared_;
    bool found;
    vkd_lock_(s);
    size_t at = p ? vkd_allocations_upto_(s, p) : s->count;
    while (!p && at && s->memory[at - 1]->owner != d) at--;
    found = at && (!p || vkd_host_(s->memory[at - 1]) == p);
    if (found) {
        vkd_resource_ *r = s->memory[at - 1];
        *taken = *r;
        free(r);
        memmove(s->memory + at - 1, s->memory + at, (s->count-- - at) * sizeof *s->memory);
    }
    vkd_unlock_(s);
    return found;
}

/* The allocation that p points into; NULL: none. It stays where it is until it is freed. */
XE_FN_ const vkd_resource_ *vkd_allocation_(const vkd_device *d, const void *p)
{
    const vkd_resource_ *found;
    vkd_lock_(d->shared_);
    size_t at = vkd_allocations_upto_(d->shared_, p);
    found = at ? d->shared_->memory[at - 1] : NULL;
    if (found && (uintptr_t)p - (uintptr_t)found->handle >= found->bytes) found = NULL;
    vkd_unlock_(d->shared_);
    return found;
}

/* memory.c - what is destroyed with the device; allocations, each a buffer of its own. */

#if defined(_WIN32)
/* Addresses that nothing else has and nobody can read: the host's name for device memory. NULL: none left. */
XE_FN_ void *vkd_reserve_(size_t bytes) { return VirtualAlloc(NULL, bytes, 0x2000, 1); }
XE_FN_ void vkd_unreserve_(void *p, size_t bytes)
{
    (void)bytes;
    VirtualFree(p, 0, 0x8000);
}
#else
XE_FN_ void *vkd_reserve_(size_t bytes)
{
#if defined(MAP_ANONYMOUS)
    void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#else /* -std=c11 hides the name */
    void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | 0x20, -1, 0);
#endif
    return p == MAP_FAILED ? NULL : p;
}
XE_FN_ void vkd_unreserve_(void *p, size_t bytes) { munmap(p, bytes); }
#endif

XE_FN_ void vkd_destroy_(vkd_device *d, const vkd_resource_ *r)
{
    const vkd_functions_ *vk = d->vk_;
    vkd_signal_state_ *event = (vkd_signal_state_ *)(uintptr_t)r->handle;
    switch (r->kind) {
    case VKD_RES_MEMORY_:
        if (r->buffer) vk->vkDestroyBuffer(d->device, r->buffer, NULL);
        if (r->memory) vk->vkFreeMemory(d->device, r->memory, NULL);
        if (!r->mapped && r->handle) vkd_unreserve_(vkd_host_(r), r->bytes);
        break;
    case VKD_RES_MODULE_: vk->vkDestroyShaderModule(d->device, (VkShaderModule)r->handle, NULL); break;
    case VKD_RES_LAYOUT_: vk->vkDestroyPipelineLayout(d->device, (VkPipelineLayout)r->handle, NULL); break;
    case VKD_RES_PIPELINE_: vk->vkDestroyPipeline(d->device, (VkPipeline)r->handle, NULL); break;
    case VKD_RES_RECORDING_: vkd_recording_free_((vkd_recording_ *)(uintptr_t)r->handle); break;
    case VKD_RES_WORDS_: free((void *)(uintptr_t)r->handle); break;
    case VKD_RES_CACHE_: vkd_cache_free_(d, (vkd_cache_ *)(uintptr_t)r->handle); break;
    default:
        vk->vkDestroySemaphore(d->device, event->semaphore, NULL);
        free(event);
        break;
    }
}

/* Appends to the list of what is destroyed with the device; destroys it if out of memory. */
XE_FN_ bool vkd_keep_(vkd_device *d, const vkd_resource_ *r)
{
    size_t room = d->resource_room_ ? 2 * d->resource_room_ : 32;
    if (d->resource_count_ == d->resource_room_) {
        vkd_resource_ *more = (vkd_resource_ *)realloc(d->resources_, room * sizeof *more);
        if (!more) {
            vkd_destroy_(d, r);
            return vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for a list of %zu handles", room);
        }
        d->resources_ = more;
        d->resource_room_ = room;
    }
    d->resources_[d->resource_count_++] = *r;
    return true;
}

XE_FN_ bool vkd_keep_handle_(vkd_device *d, int kind, uint64_t handle)
{
    vkd_resource_ r;
    memset(&r, 0, sizeof r);
    r.kind = kind;
    r.handle = handle;
    return vkd_keep_(d, &r);
}

/* Destroys a handle in the list; false: it is not there. Nothing may use it any more. */
XE_FN_ bool vkd_drop_(vkd_device *d, int kind, uint64_t handle)
{
    vkd_resource_ r;
    if (kind == VKD_RES_MEMORY_) {
        if (!vkd_take_memory_(d, (void *)(uintptr_t)handle, &r)) return false;
        vkd_destroy_(d, &r);
        return true;
    }
    for (size_t i = d->resource_count_; i-- > 0;) {
        r = d->resources_[i];
        if (r.kind != kind || r.handle != handle) continue;
        d->resources_[i] = d->resources_[--d->resource_count_];
        vkd_destroy_(d, &r);
        return true;
    }
    return false;
}

/* Frees a module's words, which are needed until the last of its kernels was got, and as long as it has a cache. */
XE_FN_ void vkd_drop_words_(vkd_device *d, vkd_module *module)
{
    if (module->words_ && !module->cache_) vkd_drop_(d, VKD_RES_WORDS_, (uintptr_t)module->words_);
    module->words_ = NULL;
}

XE_FN_ void vkd_drop_all_(vkd_device *d)
{
    vkd_resource_ r;
    while (vkd_take_memory_(d, NULL, &r)) vkd_destroy_(d, &r);
    while (d->resource_count_) vkd_destroy_(d, &d->resources_[--d->resource_count_]);
    free(d->resources_);
    d->resources_ = NULL;
    d->resource_room_ = 0;
}

/* Can kernels access the memory at p? NULL can be passed. */
XE_FN_ bool vkd_reachable_(const vkd_device *d, const void *p) { return !p || vkd_allocation_(d, p); }

/* The device's address of memory that it can access; 0 for NULL. */
XE_FN_ uint64_t vkd_address_of_(const vkd_device *d, const void *p)
{
    const vkd_resource_ *r = p ? vkd_allocation_(d, p) : NULL;
    return r ? r->address + ((uintptr_t)p - (uintptr_t)r->handle) : 0;
}

uint64_t vkd_address_(vkd_device *d, const void *p)
{
    if (!vkd_usable_(d) || !p) return 0;
    if (!vkd_allocation_(d, p)) vkd_fail_(d, VKD_NOT_ALLOCATED, "%p is in no allocation of this device", p);
    return vkd_address_of_(d, p);
}

/* The kind of memory among `allowed` that has the wanted properties, of those the one with most of the preferred ones;
 * UINT32_MAX: none. */
XE_FN_ uint32_t vkd_memory_type_(const vkd_device *d, uint32_t allowed, VkFlags wanted, VkFlags preferred)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < d->heaps_.memoryTypeCount; i++) {
        VkFlags has = d->heaps_.memoryTypes[i].propertyFlags;
        if (!(allowed >> i & 1) || (has & wanted) != wanted) continue;
        if (best == UINT32_MAX || ((has & preferred) == preferred &&
                                   (d->heaps_.memoryTypes[best].propertyFlags & preferred) != preferred))
            best = i;
    }
    return best;
}

/* Creates r's buffer, with room for an alignment that the device does not give by itself. */
XE_FN_ bool vkd_create_buffer_(vkd_device *d, vkd_resource_ *r, size_t align)
{
    VkBufferCreateInfo info;
    VKD_CLEAR_(info, BUFFER_CREATE_INFO);
    info.size = (r->bytes + 15) / 16 * 16; /* an access of a whole vector at its end stays inside */
    if (align > 64) info.size += align;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    return vkd_check_(d, d->vk_->vkCreateBuffer(d->device, &info, NULL, &r->buffer), "vkCreateBuffer", "of %zu bytes",
                      r->bytes);
}

/* Gives the buffer memory, and r what the host and the device call it. */
XE_FN_ bool vkd_back_buffer_(vkd_device *d, vkd_resource_ *r, int kind, size_t align)
{
    VkMemoryAllocateFlagsInfo flags;
    VkMemoryAllocateInfo info;
    VkBufferDeviceAddressInfo address;
    VkMemoryRequirements needs;
    void *mapped;
    const VkFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    VkFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    d->vk_->vkGetBufferMemoryRequirements(d->device, r->buffer, &needs);
    VKD_CLEAR_(flags, MEMORY_ALLOCATE_FLAGS_INFO);
    VKD_CLEAR_(info, MEMORY_ALLOCATE_INFO);
    VKD_CLEAR_(address, BUFFER_DEVICE_ADDRESS_INFO);
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    info.pNext = &flags;
    info.allocationSize = needs.size;
    info.memoryTypeIndex = vkd_memory_type_(d, needs.memoryTypeBits, kind == VKD_DEVICE ? local : host,
                                            kind == VKD_DEVICE ? local : cached);
    if (info.memoryTypeIndex == UINT32_MAX)
        return vkd_fail_(d, VKD_ALLOC_KIND, "the device has no memory of kind %d", kind);
    if (!vkd_check_(d, d->vk_->vkAllocateMemory(d->device, &info, NULL, &r->memory), "vkAllocateMemory", "of %zu bytes",
                    r->bytes) ||
        !VKD_CALL_(d, vkBindBufferMemory, (d->device, r->buffer, r->memory, 0)))
        return false;
    address.buffer = r->buffer;
    r->address = d->vk_->vkGetBufferDeviceAddress(d->device, &address);
    r->offset = align > 64 ? (size_t)((0 - r->address) & (align - 1)) : 0;
    r->address += r->offset;
    if (kind == VKD_DEVICE) {
        r->handle = (uintptr_t)vkd_reserve_(r->bytes);
        return r->handle || vkd_fail_(d, VKD_OUT_OF_MEMORY, "no %zu addresses are left", r->bytes);
    }
    if (!VKD_CALL_(d, vkMapMemory, (d->device, r->memory, 0, VK_WHOLE_SIZE, 0, &mapped))) return false;
    r->mapped = true;
    r->handle = (uintptr_t)mapped + r->offset;
    return true;
}

void *vkd_alloc_(vkd_device *d, int kind, size_t bytes, size_t align)
{
    vkd_resource_ r;
    if (!vkd_usable_(d)) return NULL;
    if (!align) align = 64;
    if (kind < VKD_SHARED || kind > VKD_HOST) vkd_fail_(d, VKD_ALLOC_KIND, "%d is not a kind of memory", kind);
    else if (!bytes) vkd_fail_(d, VKD_ALLOC_SIZE, "an allocation of 0 bytes");
    else if (bytes > d->target.max_alloc)
        vkd_fail_(d, VKD_ALLOC_SIZE, "%zu bytes, and \"%s\" allocates at most %" PRIu64, bytes, d->name,
                  d->target.max_alloc);
    else if (align & (align - 1)) vkd_fail_(d, VKD_ALLOC_ALIGN, "alignment %zu for %zu bytes", align, bytes);
    if (d->error.id) return NULL;
    memset(&r, 0, sizeof r);
    r.kind = VKD_RES_MEMORY_;
    r.bytes = bytes;
    if (vkd_create_buffer_(d, &r, align) && vkd_back_buffer_(d, &r, kind, align) && vkd_keep_memory_(d, &r))
        return vkd_host_(&r);
    vkd_destroy_(d, &r);
    return NULL;
}

/* Refuses a range that begins in one of our allocations and extends beyond it. *found: that allocation, or NULL. */
XE_FN_ bool vkd_in_range_(vkd_device *d, const char *what, const void *p, size_t bytes, const vkd_resource_ **found)
{
    if (!p) return vkd_fail_(d, VKD_NULL_POINTER, "%s of %zu bytes is NULL", what, bytes);
    const vkd_resource_ *r = *found = vkd_allocation_(d, p);
    size_t offset = r ? (size_t)((uintptr_t)p - (uintptr_t)r->handle) : 0;
    return !r || bytes <= r->bytes - offset ||
           vkd_fail_(d, VKD_MEMORY_RANGE, "%s: %zu bytes from offset %zu of an allocation of %zu bytes", what, bytes,
                     offset, r->bytes);
}

/* arguments.c - written by join.sh from ze_dispatch/arguments.c. */

XE_FN_ vkd_arg vkd_arg_make_(char kind, int code)
{
    vkd_arg a;
    memset(&a, 0, sizeof a);
    a.kind = kind;
    a.pointed = (char)(code >> 8);
    a.size = (unsigned char)(code & 255);
    return a;
}

/* A float as a double, exactly: C's conversion gives 0 for a subnormal where the program flushes those. */
XE_FN_ double vkd_widen_(float v)
{
    uint32_t word;
    uint64_t bits, fraction;
    int exponent;
    double wide;
    memcpy(&word, &v, sizeof word);
    exponent = (int)(word >> 23 & 0xff);
    fraction = word & 0x7fffff;
    bits = (uint64_t)(word >> 31) << 63;
    if (exponent == 0xff) exponent = 0x7ff;
    else if (exponent || fraction) exponent += 1023 - 127;
    if (!(word & 0x7f800000) && fraction) { /* subnormal: its leading one moves out of the fraction */
        for (exponent++; !(fraction >> 23); exponent--) fraction <<= 1;
        fraction &= 0x7fffff;
    }
    bits |= (uint64_t)exponent << 52 | fraction << 29;
    memcpy(&wide, &bits, sizeof wide);
    return wide;
}

#define VKD_MAKE_ARG_(how, type, letter, member, value)                                                                \
    vkd_arg vkd_arg_##how##_(type v, int code)                                                                         \
    {                                                                                                                  \
        vkd_arg a = vkd_arg_make_(letter, code);                                                                       \
        a.as.member = value;                                                                                           \
        return a;                                                                                                      \
    }
VKD_MAKE_ARG_(int, int64_t, 'i', sint, v)
VKD_MAKE_ARG_(uint, uint64_t, 'u', uint, v)
VKD_MAKE_ARG_(double, double, 'f', real, v)
VKD_MAKE_ARG_(float, float, 'f', real, vkd_widen_(v))
VKD_MAKE_ARG_(pointer, const volatile void *, 'p', ptr, (const void *)(uintptr_t)v)
VKD_MAKE_ARG_(local, vkd_local, 'l', uint, v.bytes)

vkd_arg vkd_arg_same_(vkd_arg a, int code)
{
    (void)code;
    return a;
}

vkd_arg vkd_arg_text_(vkd_arg a, const char *text)
{
    a.text = text;
    return a;
}

vkd_arg vkd_arg_i(int64_t v) { return vkd_arg_int_(v, 8); }
vkd_arg vkd_arg_u(uint64_t v) { return vkd_arg_uint_(v, 8); }
vkd_arg vkd_arg_f(double v) { return vkd_arg_double_(v, 8); }
vkd_arg vkd_arg_ptr(const volatile void *p) { return vkd_arg_pointer_(p, 'v' << 8); }
vkd_arg vkd_arg_local(size_t bytes)
{
    vkd_local v;
    v.bytes = bytes;
    return vkd_arg_local_(v, 0);
}

/* "kernel gemm, argument 4 (n + 1) for parameter u32 M" */
XE_FN_ const char *vkd_arg_where_(const vkd_kernel *k, const vkd_arg *a, uint32_t i, char *text, size_t size)
{
    char type[32];
    snprintf(text, size, "kernel %s, argument %" PRIu32 "%s%.200s%s for parameter %s %s", k->name, i + 1,
             a->text ? " (" : "", a->text ? a->text : "", a->text ? ")" : "",
             vkd_param_name_(&k->params[i], type, sizeof type), k->params[i].name);
    return text;
}

typedef struct {
    char s[40];
} vkd_decimal_text_;

/* printf's %.9g with a point in every locale: others have a comma, or two bytes. */
XE_FN_ vkd_decimal_text_ vkd_decimal_(double v)
{
    vkd_decimal_text_ t;
    char *to = t.s;
    snprintf(t.s, sizeof t.s, "%.9g", v);
    for (const char *at = t.s; *at; at++) {
        if (strchr("0123456789+-aefin", *at)) *to++ = *at;
        else if (to == t.s || to[-1] != '.') *to++ = '.';
    }
    *to = 0;
    return t;
}

/* Describes an argument's type and value in the terms of the parameter text. */
XE_FN_ const char *vkd_arg_name_(const vkd_arg *a, char *text, size_t size)
{
    int bits = 8 * a->size;
    if (a->kind == 'i') snprintf(text, size, "i%d %" PRId64, bits, a->as.sint);
    else if (a->kind == 'u') snprintf(text, size, "u%d %" PRIu64, bits, a->as.uint);
    else if (a->kind == 'f') snprintf(text, size, "f%d %s", bits, vkd_decimal_(a->as.real).s);
    else if (a->kind == 'l') snprintf(text, size, "%" PRIu64 " bytes of local memory", a->as.uint);
    else if (a->pointed == 'c') snprintf(text, size, "a pointer to char");
    else if (a->pointed == 'v') snprintf(text, size, "a pointer");
    else snprintf(text, size, "a pointer to %c%d", a->pointed, bits);
    return text;
}

XE_FN_ bool vkd_arg_type_error_(const vkd_kernel *k, const vkd_arg *a, uint32_t i, const char *what)
{
    char where[512], got[64];
    return vkd_fail_(k->device, VKD_ARG_TYPE, "%s: got %s%s", vkd_arg_where_(k, a, i, where, sizeof where),
                     vkd_arg_name_(a, got, sizeof got), what);
}

XE_FN_ bool vkd_arg_range_error_(const vkd_kernel *k, const vkd_arg *a, uint32_t i, const char *low, const char *high)
{
    char where[512], got[64];
    return vkd_fail_(k->device, VKD_ARG_RANGE, "%s: %s is not in %s .. %s",
                     vkd_arg_where_(k, a, i, where, sizeof where), vkd_arg_name_(a, got, sizeof got), low, high);
}

/* Rounds to a float of so many exponent and fraction bits, ties to even; NaNs become quiet. False: finite, but too
 * large. On bits, so that no mode of the program changes the result. */
XE_FN_ bool vkd_to_float_(double v, int exponent_bits, int fraction_bits, uint32_t *out)
{
    const int bias = (1 << (exponent_bits - 1)) - 1, top = (1 << exponent_bits) - 1;
    uint64_t bits, fraction, rest, half;
    uint32_t result, sign;
    int exponent, shift = 52 - fraction_bits;
    memcpy(&bits, &v, sizeof bits);
    sign = (uint32_t)(bits >> 63) << (exponent_bits + fraction_bits);
    exponent = (int)((bits >> 52) & 0x7ff);
    fraction = bits & 0xfffffffffffffu;
    if (exponent == 0x7ff) {
        result = (uint32_t)top << fraction_bits | (uint32_t)(fraction >> shift);
        if (fraction) result |= 1u << (fraction_bits - 1);
        *out = sign | result;
        return true;
    }
    if (exponent) fraction |= (uint64_t)1 << 52;
    exponent += bias - 1023;
    if (exponent < 1) { /* subnormal: the leading one moves into the fraction */
        shift += 1 - exponent;
        exponent = 0;
    }
    if (shift > 62) shift = 62;
    if (exponent > top) exponent = top;
    half = (uint64_t)1 << (shift - 1);
    rest = fraction & (((uint64_t)1 << shift) - 1);
    fraction >>= shift;
    fraction += rest > half || (rest == half && (fraction & 1));
    result = exponent ? ((uint32_t)(exponent - 1) << fraction_bits) + (uint32_t)fraction : (uint32_t)fraction;
    *out = sign | result;
    return result < (uint32_t)top << fraction_bits;
}

XE_FN_ bool vkd_fit_float_(const vkd_type_ *t, double v, vkd_bound_ *b, char low[32], char high[32])
{
    uint32_t bits = 0;
    const char *most;
    bool fits;
    if (t->kind == 'f' && t->size == 8) {
        b->as.f64 = v;
        return true;
    }
    if (t->kind == 'f') {
        fits = vkd_to_float_(v, 8, 23, &b->as.u32);
        most = "3.40282347e+38";
    } else {
        fits = t->kind == 'h' ? vkd_to_float_(v, 5, 10, &bits) : vkd_to_float_(v, 8, 7, &bits);
        most = t->kind == 'h' ? "65504" : "3.38953139e+38";
        b->as.u16 = (uint16_t)bits;
    }
    snprintf(low, 32, "-%s", most);
    snprintf(high, 32, "%s", most);
    return fits;
}

XE_FN_ bool vkd_fit_int_(const vkd_type_ *t, const vkd_arg *a, vkd_bound_ *b, char low[32], char high[32])
{
    const bool to_signed = t->kind == 'i';
    const uint64_t most = UINT64_MAX >> (64 - 8 * t->size + (to_signed ? 1 : 0));
    bool negative = a->kind == 'i' && a->as.sint < 0;
    uint64_t v = a->as.uint; /* same bits if signed */
    if (negative ? !to_signed || a->as.sint < -(int64_t)most - 1 : v > most) {
        snprintf(low, 32, "%" PRId64, to_signed ? -(int64_t)most - 1 : 0);
        snprintf(high, 32, "%" PRIu64, most);
        return false;
    }
    if (t->size == 8) b->as.u = v;
    else if (t->size == 4) b->as.u32 = (uint32_t)v;
    else if (t->size == 2) b->as.u16 = (uint16_t)v;
    else b->as.u8 = (uint8_t)v;
    return true;
}

/* Converts a number to a type of the same kind; false: it is not in low .. high, as text. */
XE_ONCE_
XE_FN_ bool vkd_fit_number_(const vkd_type_ *t, const vkd_arg *a, vkd_bound_ *b, char low[32], char high[32])
{
    return a->kind == 'f' ? vkd_fit_float_(t, a->as.real, b, low, high) : vkd_fit_int_(t, a, b, low, high);
}

/* The C type that a pointer to a parameter's elements usually has. */
XE_ONCE_
XE_FN_ const char *vkd_c_type_(const vkd_type_ *t, char *text, size_t size)
{
    const char *sign = strchr(t->pointed_kinds, 'u') ? "u" : "";
    if (!*sign && !strchr(t->pointed_kinds, 'i')) return t->pointed_size == 4 ? "float" : "double";
    snprintf(text, size, "%sint%d_t", sign, 8 * t->pointed_size);
    return text;
}

XE_FN_ bool vkd_bind_pointer_(const vkd_kernel *k, const vkd_arg *a, uint32_t i, vkd_bound_ *b)
{
    const vkd_type_ *t = k->params[i].type;
    if (a->pointed != 'v' && (a->size != t->pointed_size || !strchr(t->pointed_kinds, a->pointed))) {
        char name[16], what[64];
        snprintf(what, sizeof what, ", wanted %s * or void *", vkd_c_type_(t, name, sizeof name));
        return vkd_arg_type_error_(k, a, i, what);
    }
    if (!vkd_reachable_(k->device, a->as.ptr)) {
        char where[512];
        return vkd_fail_(k->device, VKD_ARG_MEMORY, "%s: %p is not in memory that \"%s\" can reach",
                         vkd_arg_where_(k, a, i, where, sizeof where), a->as.ptr, k->device->name);
    }
    b->as.p = a->as.ptr;
    b->size = sizeof b->as.p;
    b->no_value = !a->as.ptr;
    return true;
}

/* Checks argument i against its parameter and produces the bytes to pass. */
XE_FN_ bool vkd_bind_(const vkd_kernel *k, const vkd_arg *a, uint32_t i, vkd_bound_ *b)
{
    const vkd_param *p = &k->params[i];
    const bool is_int = a->kind == 'i' || a->kind == 'u', wants_int = p->type->kind == 'i' || p->type->kind == 'u';
    char low[32], high[32];
    memset(b, 0, sizeof *b);
    b->size = p->type->size;
    if (p->kind == VKD_PARAM_PTR)
        return a->kind == 'p' ? vkd_bind_pointer_(k, a, i, b) : vkd_arg_type_error_(k, a, i, ", no pointer");
    if (p->kind == VKD_PARAM_LOCAL) {
        if (a->kind != 'l') return vkd_arg_type_error_(k, a, i, ", no (vkd_local){bytes}");
        if (!a->as.uint) return vkd_arg_range_error_(k, a, i, "1", "the device's local memory");
        b->size = (size_t)a->as.uint;
        b->no_value = true;
        return true;
    }
    if (wants_int ? is_int : a->kind == 'f')
        return vkd_fit_number_(p->type, a, b, low, high) || vkd_arg_range_error_(k, a, i, low, high);
    return vkd_arg_type_error_(k, a, i, is_int ? " (write 1.0f for a float)" : "");
}

/* languages.c - written by join.sh from ze_dispatch/languages.c. */

size_t vkd_size_of(const char *type)
{
    const struct {
        const char *name;
        size_t bytes;
    } types[] = {
        {"vkd_device", sizeof(vkd_device)}, {"vkd_module", sizeof(vkd_module)}, {"vkd_kernel", sizeof(vkd_kernel)},
        {"vkd_batch", sizeof(vkd_batch)},   {"vkd_event", sizeof(vkd_event)},   {"vkd_arg", sizeof(vkd_arg)},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, type)) return types[i].bytes;
    return 0;
}

void vkd_arg_i_to(vkd_arg *args, uint32_t index, int64_t v) { args[index] = vkd_arg_i(v); }
void vkd_arg_u_to(vkd_arg *args, uint32_t index, uint64_t v) { args[index] = vkd_arg_u(v); }
void vkd_arg_f_to(vkd_arg *args, uint32_t index, double v) { args[index] = vkd_arg_f(v); }
void vkd_arg_ptr_to(vkd_arg *args, uint32_t index, const volatile void *p) { args[index] = vkd_arg_ptr(p); }
void vkd_arg_local_to(vkd_arg *args, uint32_t index, size_t bytes) { args[index] = vkd_arg_local(bytes); }

/* spec_constants.c - written by join.sh from ze_dispatch/spec_constants.c. */

/* Word i of the module, whose bytes need not be aligned. */
XE_FN_ uint32_t vkd_word_(const vkd_source *s, size_t i)
{
    uint32_t word;
    memcpy(&word, (const char *)s->words + 4 * i, sizeof word);
    return word;
}

/* The next instruction with this opcode after instruction i, 0: from the first on. Returns 0 if functions begin, or the
 * module ends. */
XE_FN_ size_t vkd_next_op_(const vkd_source *s, size_t i, uint32_t opcode)
{
    size_t count = s->bytes / 4;
    i = i ? i + (vkd_word_(s, i) >> 16) : 5;
    for (uint32_t length; i < count; i += length) {
        uint32_t head = vkd_word_(s, i);
        length = head >> 16;
        if (!length || length > count - i || (head & 0xffff) == VKD_OP_FUNCTION_) return 0;
        if ((head & 0xffff) == opcode) return i;
    }
    return 0;
}

/* The first instruction with this opcode whose word `at` is the id; 0: there is none. */
XE_FN_ size_t vkd_find_op_(const vkd_source *s, uint32_t opcode, uint32_t at, uint32_t id)
{
    size_t i = 0;
    do i = vkd_next_op_(s, i, opcode);
    while (i && ((vkd_word_(s, i) >> 16) <= at || vkd_word_(s, i + at) != id));
    return i;
}

/* The next decoration SpecId after instruction i, 0: the first. */
XE_FN_ size_t vkd_next_spec_(const vkd_source *s, size_t i)
{
    do i = vkd_next_op_(s, i, VKD_OP_DECORATE_);
    while (i && ((vkd_word_(s, i) >> 16) < 4 || vkd_word_(s, i + 2) != VKD_SPEC_ID_));
    return i;
}

/* The decoration that names spec constant `id`; 0: the module has none. */
XE_FN_ size_t vkd_find_spec_(const vkd_source *s, uint32_t id)
{
    size_t i = 0;
    do i = vkd_next_spec_(s, i);
    while (i && vkd_word_(s, i + 3) != id);
    return i;
}

/* The type of a spec constant, and its name; kind 0: another type. False: the module has no such constant. */
XE_FN_ bool vkd_spec_type_(const vkd_source *s, uint32_t id, vkd_type_ *t, char name[16])
{
    size_t i = vkd_find_spec_(s, id), at;
    memset(t, 0, sizeof *t);
    if (!i) return false;
    uint32_t target = vkd_word_(s, i + 1), bits = 1;
    snprintf(name, 16, "bool");
    if (vkd_find_op_(s, VKD_OP_SPEC_TRUE_, 2, target) || vkd_find_op_(s, VKD_OP_SPEC_FALSE_, 2, target)) {
        t->kind = 'u';
        t->size = 1;
        return true;
    }
    at = vkd_find_op_(s, VKD_OP_SPEC_, 2, target);
    if (!at) return false;
    bool integer = (i = vkd_find_op_(s, VKD_OP_TYPE_INT_, 1, vkd_word_(s, at + 1))) != 0;
    if (!integer) i = vkd_find_op_(s, VKD_OP_TYPE_FLOAT_, 1, vkd_word_(s, at + 1));
    if (!i || (vkd_word_(s, i) >> 16) < 3) return false;
    bits = vkd_word_(s, i + 2);
    bool bf16 = !integer && bits == 16 && (vkd_word_(s, i) >> 16) > 3; /* that encoding has 16 bits */
    bool known = bits == 16 || bits == 32 || bits == 64 || (integer && bits == 8);
    t->size = (unsigned char)(known ? bits / 8 : 1);
    t->kind = !known ? 0 : integer ? 'i' : bf16 ? 'b' : bits == 16 ? 'h' : 'f';
    snprintf(name, 16, "%s%" PRIu32, integer ? "i" : bf16 ? "bf" : "f", bits);
    return true;
}

XE_FN_ bool vkd_no_such_constant_(vkd_device *d, const vkd_source *s, uint32_t id)
{
    char list[400] = "";
    size_t used = 0;
    for (size_t i = vkd_next_spec_(s, 0); i && used < sizeof list; i = vkd_next_spec_(s, i)) {
        int n = snprintf(list + used, sizeof list - used, "%s%" PRIu32, used ? ", " : "", vkd_word_(s, i + 3));
        used += n > 0 ? (size_t)n : 0;
    }
    return vkd_fail_(d, VKD_CONSTANT_ID, "the module has no spec constant %" PRIu32 "; it has: %s", id,
                     *list ? list : "none");
}

/* Converts value number i, whose size and signs the module tells; integers there have no sign. */
XE_FN_ bool vkd_set_constant_(vkd_device *d, const vkd_source *s, uint32_t i, vkd_bound_ *b)
{
    const vkd_constant *c = &s->constants[i];
    const vkd_arg *a = &c->value;
    vkd_type_ t;
    char name[16], got[64], low[32], high[32];
    const char *text = a->text ? a->text : "", *open = a->text ? " (" : "", *close = a->text ? ")" : "";
    if (!vkd_spec_type_(s, c->id, &t, name)) return vkd_no_such_constant_(d, s, c->id);
    for (uint32_t k = 0; k < i; k++)
        if (s->constants[k].id == c->id)
            return vkd_fail_(d, VKD_CONSTANT_ID,
                             "values %" PRIu32 " and %" PRIu32 " are both for spec constant %" PRIu32, k + 1, i + 1,
                             c->id);
    const bool is_int = a->kind == 'i' || a->kind == 'u', wants_int = t.kind == 'i' || t.kind == 'u';
    const bool is_bool = *name == 'b' && wants_int;
    vkd_arg_name_(a, got, sizeof got);
    if (!t.kind || (!is_int && a->kind != 'f') || is_int != wants_int)
        return vkd_fail_(d, VKD_CONSTANT_TYPE, "spec constant %" PRIu32 "%s%.200s%s is of type %s: got %s%s", c->id,
                         open, text, close, name, got, is_int && t.kind ? " (write 1.0f for a float)" : "");
    if (t.kind == 'i' && !(a->kind == 'i' && a->as.sint < 0)) t.kind = 'u';
    bool fits = vkd_fit_number_(&t, a, b, low, high) && !(is_bool && a->as.uint > 1);
    if (!fits && wants_int) {
        snprintf(low, sizeof low, "%" PRId64, is_bool ? 0 : -(int64_t)(UINT64_MAX >> (65 - 8 * t.size)) - 1);
        snprintf(high, sizeof high, "%" PRIu64, is_bool ? 1 : UINT64_MAX >> (64 - 8 * t.size));
    }
    return fits || vkd_fail_(d, VKD_CONSTANT_RANGE,
                             "spec constant %" PRIu32 "%s%.200s%s is of type %s: %s is not in %s .. %s", c->id, open,
                             text, close, name, got, low, high);
}

/* capabilities.c - what a device has: extensions and features, all of which are enabled, but for those that cost time;
 * and what a module needs, by its capabilities. */

/* Extensions whose features are asked for, where the driver has them. The numbers of structures are those of
 * vulkan_core.h, which is older than some. */
static const struct {
    const char *name;
    uint32_t type;
    size_t features;
} vkd_extensions_[VKD_EXTENSIONS_] = {
    {"VK_EXT_shader_atomic_float", 1000260000, offsetof(vkd_features_, atomic_floats)},
    {"VK_EXT_shader_atomic_float2", 1000273000, offsetof(vkd_features_, more_atomic_floats)},
    {"VK_KHR_cooperative_matrix", 1000506000, offsetof(vkd_features_, matrices)},
    {"VK_NV_cooperative_vector", 1000491000, offsetof(vkd_features_, vectors)},
    {"VK_KHR_shader_bfloat16", 1000141000, offsetof(vkd_features_, bfloat16)},
};

XE_FN_ bool vkd_has_extension_(const VkExtensionProperties *all, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!strcmp(all[i].extensionName, name)) return true;
    }
    return false;
}

/* Fills f with the device's features, and `names` with the extensions that have some of them; returns their number. */
XE_FN_ uint32_t vkd_use_extensions_(const vkd_device *d, vkd_features_ *f, const char *names[VKD_EXTENSIONS_])
{
    uint32_t count = 0, used = 0;
    VkExtensionProperties *all = NULL;
    vkd_get_features_(d, d->physical, f);
    if (d->vk_->vkEnumerateDeviceExtensionProperties(d->physical, NULL, &count, NULL) == VK_SUCCESS)
        all = (VkExtensionProperties *)calloc(count + 1, sizeof *all);
    if (!all || d->vk_->vkEnumerateDeviceExtensionProperties(d->physical, NULL, &count, all) != VK_SUCCESS) count = 0;
    for (uint32_t i = 0; i < VKD_EXTENSIONS_; i++) {
        vkd_extension_ *e = (vkd_extension_ *)(void *)((char *)f + vkd_extensions_[i].features);
        memset(e, 0, sizeof *e);
        if (!vkd_has_extension_(all, count, vkd_extensions_[i].name)) continue;
        e->sType = (VkStructureType)vkd_extensions_[i].type;
        e->pNext = f->in_1_3.pNext;
        f->in_1_3.pNext = e;
        names[used++] = vkd_extensions_[i].name;
    }
    free(all);
    d->vk_->vkGetPhysicalDeviceFeatures2(d->physical, &f->all);
    f->all.features.robustBufferAccess = f->matrices.has[1] = VK_FALSE; /* these cost time */
    return used;
}

/* Capabilities of SPIR-V, and the feature that each needs. */
#define VKD_FEATURE_(member) (uint32_t) offsetof(vkd_features_, member)
static const struct {
    uint32_t capability, feature;
    const char *name;
} vkd_capabilities_[] = {
    {9, VKD_FEATURE_(in_1_2.shaderFloat16), "Float16"},
    {10, VKD_FEATURE_(all.features.shaderFloat64), "Float64"},
    {11, VKD_FEATURE_(all.features.shaderInt64), "Int64"},
    {12, VKD_FEATURE_(in_1_2.shaderBufferInt64Atomics), "Int64Atomics"},
    {22, VKD_FEATURE_(all.features.shaderInt16), "Int16"},
    {39, VKD_FEATURE_(in_1_2.shaderInt8), "Int8"},
    {4433, VKD_FEATURE_(in_1_1.storageBuffer16BitAccess), "StorageBuffer16BitAccess"},
    {4434, VKD_FEATURE_(in_1_1.uniformAndStorageBuffer16BitAccess), "UniformAndStorageBuffer16BitAccess"},
    {4435, VKD_FEATURE_(in_1_1.storagePushConstant16), "StoragePushConstant16"},
    {4448, VKD_FEATURE_(in_1_2.storageBuffer8BitAccess), "StorageBuffer8BitAccess"},
    {4449, VKD_FEATURE_(in_1_2.uniformAndStorageBuffer8BitAccess), "UniformAndStorageBuffer8BitAccess"},
    {4450, VKD_FEATURE_(in_1_2.storagePushConstant8), "StoragePushConstant8"},
    {5116, VKD_FEATURE_(bfloat16.has[0]), "BFloat16TypeKHR"},
    {5117, VKD_FEATURE_(bfloat16.has[1]), "BFloat16DotProductKHR"},
    {5118, VKD_FEATURE_(bfloat16.has[2]), "BFloat16CooperativeMatrixKHR"},
    {5345, VKD_FEATURE_(in_1_2.vulkanMemoryModel), "VulkanMemoryModel"},
    {5346, VKD_FEATURE_(in_1_2.vulkanMemoryModelDeviceScope), "VulkanMemoryModelDeviceScope"},
    {5347, VKD_FEATURE_(in_1_2.bufferDeviceAddress), "PhysicalStorageBufferAddresses"},
    {5394, VKD_FEATURE_(vectors.has[0]), "CooperativeVectorNV"},
    {5435, VKD_FEATURE_(vectors.has[1]), "CooperativeVectorTrainingNV"},
    {5612, VKD_FEATURE_(more_atomic_floats.has[3]), "AtomicFloat32MinMaxEXT"},
    {5613, VKD_FEATURE_(more_atomic_floats.has[4]), "AtomicFloat64MinMaxEXT"},
    {5616, VKD_FEATURE_(more_atomic_floats.has[2]), "AtomicFloat16MinMaxEXT"},
    {6016, VKD_FEATURE_(in_1_3.shaderIntegerDotProduct), "DotProductInputAll"},
    {6017, VKD_FEATURE_(in_1_3.shaderIntegerDotProduct), "DotProductInput4x8Bit"},
    {6018, VKD_FEATURE_(in_1_3.shaderIntegerDotProduct), "DotProductInput4x8BitPacked"},
    {6019, VKD_FEATURE_(in_1_3.shaderIntegerDotProduct), "DotProduct"},
    {6022, VKD_FEATURE_(matrices.has[0]), "CooperativeMatrixKHR"},
    {6033, VKD_FEATURE_(atomic_floats.has[1]), "AtomicFloat32AddEXT"},
    {6034, VKD_FEATURE_(atomic_floats.has[3]), "AtomicFloat64AddEXT"},
    {6095, VKD_FEATURE_(more_atomic_floats.has[1]), "AtomicFloat16AddEXT"},
};

/* Drivers take modules that need what the device lacks, and compute something, or lose the device. Capabilities that
 * are not in the table are for the driver to judge. */
XE_FN_ bool vkd_has_capabilities_(vkd_device *d, const vkd_source *s)
{
    enum { ROWS = sizeof vkd_capabilities_ / sizeof *vkd_capabilities_ };
    for (size_t at = 0; (at = vkd_next_op_(s, at, VKD_OP_CAPABILITY_)) && vkd_word_(s, at) >> 16 == 2;) {
        for (size_t i = 0; i < ROWS; i++) {
            VkBool32 has;
            if (vkd_capabilities_[i].capability != vkd_word_(s, at + 1)) continue;
            memcpy(&has, (const char *)d->features_ + vkd_capabilities_[i].feature, sizeof has);
            if (!has)
                return vkd_fail_(d, VKD_CAPABILITY, "the module needs %s, which \"%s\" lacks",
                                 vkd_capabilities_[i].name, d->name);
        }
    }
    return true;
}

/* float_modes.c - what kernels rely on: subnormal numbers, infinities, NaN and the sign of 0 are kept, and results are
 * rounded to nearest. Vulkan leaves all of it to the driver unless an entry point asks, and a driver may refuse to be
 * asked: so modules do not ask, and the modes that the device offers are added when a module is loaded. */

enum { VKD_WIDTHS_ = 3 }; /* 16, 32 and 64 bits */

static const struct {
    uint32_t capability, mode;
    size_t offered;     /* of 16 bits; the wider ones follow */
    size_t independent; /* may widths differ? 0: always */
} vkd_float_modes_[] = {
#define VKD_OFFSET_(member) offsetof(VkPhysicalDeviceFloatControlsProperties, member)
    {4464, 4459, VKD_OFFSET_(shaderDenormPreserveFloat16), VKD_OFFSET_(denormBehaviorIndependence)},
    {4466, 4461, VKD_OFFSET_(shaderSignedZeroInfNanPreserveFloat16), 0},
    {4467, 4462, VKD_OFFSET_(shaderRoundingModeRTEFloat16), VKD_OFFSET_(roundingModeIndependence)},
#undef VKD_OFFSET_
};
enum { VKD_FLOAT_MODES_ = sizeof vkd_float_modes_ / sizeof *vkd_float_modes_, VKD_FIRST_CAPABILITY_ = 4464,
       VKD_LAST_CAPABILITY_ = 4468 };

/* The widths, in bits or-ed together, for which the device offers a row's mode all at once. */
XE_FN_ uint32_t vkd_offered_widths_(const vkd_device *d, int row)
{
    const char *floats = (const char *)&d->features_->floats;
    VkBool32 has[VKD_WIDTHS_];
    VkShaderFloatControlsIndependence independence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
    memcpy(has, floats + vkd_float_modes_[row].offered, sizeof has);
    if (vkd_float_modes_[row].independent)
        memcpy(&independence, floats + vkd_float_modes_[row].independent, sizeof independence);
    uint32_t widths = (has[0] ? 16u : 0) | (has[1] ? 32u : 0) | (has[2] ? 64u : 0);
    if (independence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL) return widths;
    if (independence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE) return widths == (16 | 32 | 64) ? widths : 0;
    return has[0] == has[2] ? widths : widths & 32;
}

/* Where the last entry point ends, and their number; 0: none, or the module asks for modes itself, or is of a version
 * that has them as an extension only. */
XE_FN_ size_t vkd_end_of_entries_(const vkd_source *s, size_t *entries)
{
    enum { VERSION_1_4 = 0x10400 };
    size_t end = 0, at;
    *entries = 0;
    if (vkd_word_(s, 1) < VERSION_1_4) return 0;
    for (at = 0; (at = vkd_next_op_(s, at, VKD_OP_CAPABILITY_)) && vkd_word_(s, at) >> 16 == 2;) {
        uint32_t capability = vkd_word_(s, at + 1);
        if (capability >= VKD_FIRST_CAPABILITY_ && capability <= VKD_LAST_CAPABILITY_) return 0;
    }
    for (at = 0; (at = vkd_next_op_(s, at, VKD_OP_ENTRY_POINT_)) && vkd_word_(s, at) >> 16 > 2; ++*entries)
        end = at + (vkd_word_(s, at) >> 16);
    return end;
}

/* Writes the capabilities of the modes that the device offers; returns their words. */
XE_FN_ size_t vkd_put_capabilities_(const vkd_device *d, uint32_t *to)
{
    size_t n = 0;
    for (int row = 0; row < VKD_FLOAT_MODES_; row++) {
        if (!vkd_offered_widths_(d, row)) continue;
        to[n++] = 2 << 16 | VKD_OP_CAPABILITY_;
        to[n++] = vkd_float_modes_[row].capability;
    }
    return n;
}

/* The same of an entry point's modes. */
XE_FN_ size_t vkd_put_modes_(const vkd_device *d, uint32_t entry, uint32_t *to)
{
    size_t n = 0;
    for (uint32_t i = 0; i < (uint32_t)VKD_FLOAT_MODES_ * VKD_WIDTHS_; i++) {
        uint32_t width = 16u << i % VKD_WIDTHS_;
        if (!(vkd_offered_widths_(d, (int)(i / VKD_WIDTHS_)) & width)) continue;
        to[n++] = 4 << 16 | VKD_OP_EXECUTION_MODE_;
        to[n++] = entry;
        to[n++] = vkd_float_modes_[i / VKD_WIDTHS_].mode;
        to[n++] = width;
    }
    return n;
}

/* A copy of the module with the modes that the device offers, and its length in words; NULL: out of memory. */
XE_FN_ uint32_t *vkd_with_float_modes_(const vkd_device *d, const vkd_source *s, size_t *count)
{
    enum { HEAD = 5, MOST = VKD_FLOAT_MODES_ * (2 + 4 * VKD_WIDTHS_) };
    const char *from = (const char *)s->words;
    size_t entries, end = vkd_end_of_entries_(s, &entries), n = HEAD, all = s->bytes / 4;
    uint32_t *copy = (uint32_t *)malloc((all + MOST * (entries + 1)) * sizeof *copy);
    if (!copy) return NULL;
    memcpy(copy, from, HEAD * sizeof *copy);
    if (end) n += vkd_put_capabilities_(d, copy + n);
    if (!end) end = HEAD;
    memcpy(copy + n, from + 4 * HEAD, (end - HEAD) * sizeof *copy);
    n += end - HEAD;
    for (size_t at = 0; entries; entries--) {
        at = vkd_next_op_(s, at, VKD_OP_ENTRY_POINT_);
        n += vkd_put_modes_(d, vkd_word_(s, at + 2), copy + n);
    }
    memcpy(copy + n, from + 4 * end, (all - end) * sizeof *copy);
    *count = n + all - end;
    return copy;
}

/* constants.c - values for spec constants: they replace the defaults in the module that the driver gets. */

/* Writes a value that was checked into the constant's instruction: s has `words`. Integers with a sign, which
 * spirv_emit.h does not write, are extended by it. */
XE_FN_ void vkd_put_constant_(const vkd_source *s, uint32_t *words, uint32_t id, const vkd_bound_ *value)
{
    uint32_t constant = words[vkd_find_spec_(s, id) + 1], literal[2] = {0, 0};
    size_t at = vkd_find_op_(s, VKD_OP_SPEC_, 2, constant);
    if (!at) {
        at = vkd_find_op_(s, VKD_OP_SPEC_TRUE_, 2, constant);
        if (!at) at = vkd_find_op_(s, VKD_OP_SPEC_FALSE_, 2, constant);
        words[at] = (words[at] & 0xffff0000) | (value->as.u8 ? VKD_OP_SPEC_TRUE_ : VKD_OP_SPEC_FALSE_);
        return;
    }
    size_t type = vkd_find_op_(s, VKD_OP_TYPE_INT_, 1, words[at + 1]);
    uint32_t bits = type ? words[type + 2] : 0, length = (words[at] >> 16) - 3;
    memcpy(literal, &value->as, sizeof literal);
    if (bits && bits < 32 && words[type + 3] && literal[0] >> (bits - 1) & 1) literal[0] |= UINT32_MAX << bits;
    memcpy(words + at + 3, literal, (length < 2 ? length : 2) * sizeof *words);
}

/* Gives the constants of a module's copy the source's values. */
XE_FN_ bool vkd_set_constants_(vkd_device *d, const vkd_source *s, uint32_t *words, size_t count)
{
    vkd_source copy = *s;
    copy.words = words;
    copy.bytes = count * sizeof *words;
    if (s->constant_count && !s->constants)
        return vkd_fail_(d, VKD_NULL_POINTER, "the %" PRIu32 " constants are NULL", s->constant_count);
    for (uint32_t i = 0; i < s->constant_count; i++) {
        vkd_bound_ value;
        memset(&value, 0, sizeof value);
        if (!vkd_set_constant_(d, &copy, i, &value)) return false;
        vkd_put_constant_(&copy, words, s->constants[i].id, &value);
    }
    return true;
}

/* cache_files.c - written by join.sh from ze_dispatch/cache_files.c. */

/* An entry is named after a hash of its key and contains the key, so that two keys with one hash are told apart: a line
 * of text (format, device, driver and what else matters), the SPIR-V, then the driver's binary and a checksum. It is
 * written under another name and renamed, so that readers never see half of one. */

/* FNV-1a, 64 bits; continues from `hash`, which begins as _HASH_START_ in internal.h. */
XE_FN_ uint64_t vkd_hash_(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *p = (const unsigned char *)data;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ p[i]) * 0x100000001b3u;
    return hash;
}

XE_FN_ void vkd_cache_note_(vkd_device *d, const char *what, const char *path, const char *why)
{
    snprintf(d->cache_, sizeof d->cache_, "%s %s%s%s", what, path, *why ? ": " : "", why);
}

const char *vkd_cache_log(const vkd_device *d) { return d->cache_; }

/* The file's contents, or NULL. */
XE_FN_ unsigned char *vkd_read_file_(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    unsigned char *data = NULL;
    long size = -1;
    if (!f) return NULL;
    if (fseek(f, 0, SEEK_END) == 0) size = ftell(f);
    if (size > 0 && fseek(f, 0, SEEK_SET) == 0) data = (unsigned char *)malloc((size_t)size);
    *bytes = data ? fread(data, 1, (size_t)size, f) : 0;
    fclose(f);
    if (data && *bytes == (size_t)size) return data;
    free(data);
    return NULL;
}

/* The part of an entry's file that is the binary; NULL if the file is damaged, or of another key. */
XE_FN_ const unsigned char *vkd_binary_in_(const vkd_entry_ *e, const unsigned char *file, size_t size, size_t *bytes)
{
    size_t key = e->head_size + e->bytes;
    uint64_t sum;
    if (size <= key + sizeof sum || memcmp(file, e->head, e->head_size) != 0 ||
        memcmp(file + e->head_size, e->words, e->bytes) != 0)
        return NULL;
    *bytes = size - key - sizeof sum;
    memcpy(&sum, file + size - sizeof sum, sizeof sum);
    return vkd_hash_(e->hash, file + key, *bytes) == sum ? file + key : NULL;
}

/* A number that other processes do not have, for the names of files that are being written. */
XE_ONCE_
XE_FN_ unsigned long vkd_process_(void)
{
#if defined(_WIN32)
    return (unsigned long)_getpid();
#else
    return (unsigned long)getpid();
#endif
}

/* Writes the entry to the file; false if something could not be written. */
XE_FN_ bool vkd_write_parts_(const char *path, const vkd_entry_ *e, const uint8_t *binary, size_t bytes)
{
    uint64_t sum = vkd_hash_(e->hash, binary, bytes);
    FILE *f = fopen(path, "wb");
    if (!f) return false;
    bool ok = fwrite(e->head, 1, e->head_size, f) == e->head_size && fwrite(e->words, 1, e->bytes, f) == e->bytes &&
              fwrite(binary, 1, bytes, f) == bytes && fwrite(&sum, 1, sizeof sum, f) == sizeof sum;
    return fclose(f) == 0 && ok;
}

/* Writes an entry, replacing the one there. A folder that cannot be written is no error. */
XE_FN_ void vkd_replace_file_(vkd_device *d, const vkd_entry_ *e, const uint8_t *binary, size_t bytes)
{
    char name[sizeof e->path + 48];
    snprintf(name, sizeof name, "%s.%" PRIxPTR ".%lx", e->path, (uintptr_t)binary, (unsigned long)vkd_process_());
    bool ok = vkd_write_parts_(name, e, binary, bytes);
#if defined(_WIN32) /* where rename does not replace */
    if (ok) remove(e->path);
#endif
    ok = ok && rename(name, e->path) == 0;
    vkd_cache_note_(d, ok ? "stored" : "not stored", e->path, ok ? "" : strerror(errno));
    if (!ok) remove(name);
}

/* cache.c - what the driver compiled of modules, in files (cache_files.c). The line of text of a key: format, device,
 * driver. A file holds Vulkan's pipeline cache of one module, and grows with its kernels. */

#define VKD_CACHE_FORMAT_ "xetile-pipelines-1"

/* Fills the key and the path; false if the path does not fit. */
XE_FN_ bool vkd_entry_of_(vkd_device *d, const char *folder, vkd_entry_ *e)
{
    char id[2 * VK_UUID_SIZE + 1] = "";
    for (uint32_t i = 0; i < VK_UUID_SIZE; i++) snprintf(id + 2 * i, 3, "%02x", d->features_->cache_id[i]);
    int n = snprintf(e->head, sizeof e->head, VKD_CACHE_FORMAT_ " %s %s %s\n", d->name, d->driver, id);
    e->head_size = n > 0 ? (size_t)n : 0;
    e->hash = vkd_hash_(vkd_hash_(VKD_HASH_START_, e->head, e->head_size), e->words, e->bytes);
    n = snprintf(e->path, sizeof e->path, "%s/%016" PRIx64 ".vkbin", folder, e->hash);
    if (n > 0 && (size_t)n < sizeof e->path - 40) return true;
    vkd_cache_note_(d, "not used", folder, "the path is too long");
    return false;
}

XE_FN_ void vkd_cache_free_(vkd_device *d, vkd_cache_ *c)
{
    if (c->handle) d->vk_->vkDestroyPipelineCache(d->device, c->handle, NULL);
    free(c);
}

/* Vulkan's cache, with what the file has; false: there is none. */
XE_FN_ bool vkd_fill_cache_(vkd_device *d, vkd_cache_ *c)
{
    VkPipelineCacheCreateInfo info;
    size_t size = 0;
    unsigned char *file = vkd_read_file_(c->entry.path, &size);
    VKD_CLEAR_(info, PIPELINE_CACHE_CREATE_INFO);
    info.pInitialData = file ? vkd_binary_in_(&c->entry, file, size, &info.initialDataSize) : NULL;
    if (!info.pInitialData) info.initialDataSize = 0;
    bool ok = d->vk_->vkCreatePipelineCache(d->device, &info, NULL, &c->handle) == VK_SUCCESS;
    c->stored = info.initialDataSize;
    free(file);
    if (!ok) vkd_cache_note_(d, "not used", c->entry.path, "the driver made no cache");
    else if (c->stored) vkd_cache_note_(d, "loaded", c->entry.path, "");
    return ok;
}

/* Gives a module that was loaded a cache in the folder, or a note why it has none. */
XE_FN_ bool vkd_cache_module_(vkd_module *module, const char *folder)
{
    vkd_device *d = module->device;
    vkd_cache_ *c = (vkd_cache_ *)calloc(1, sizeof *c);
    if (!c) return vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for a cache of a module");
    c->entry.words = module->words_;
    c->entry.bytes = module->count_ * sizeof *module->words_;
    if (!vkd_entry_of_(d, folder, &c->entry) || !vkd_fill_cache_(d, c)) {
        vkd_cache_free_(d, c);
        return true;
    }
    if (!vkd_keep_handle_(d, VKD_RES_CACHE_, (uintptr_t)c)) return false;
    module->cache_ = c;
    return true;
}

/* Stores what the driver compiled, if that is more than the file has. */
XE_FN_ void vkd_store_cache_(vkd_device *d, vkd_cache_ *c)
{
    size_t bytes = 0;
    if (d->vk_->vkGetPipelineCacheData(d->device, c->handle, &bytes, NULL) != VK_SUCCESS || bytes <= c->stored) return;
    uint8_t *binary = (uint8_t *)malloc(bytes);
    if (binary && d->vk_->vkGetPipelineCacheData(d->device, c->handle, &bytes, binary) == VK_SUCCESS) {
        vkd_replace_file_(d, &c->entry, binary, bytes);
        c->stored = bytes;
    }
    free(binary);
}

/* commands.c - command buffers: recorded, submitted, waited for. */

XE_FN_ VkCommandBuffer vkd_begin_commands_(vkd_device *d, bool again)
{
    VkCommandBufferAllocateInfo info;
    VkCommandBufferBeginInfo begin;
    VkCommandBuffer commands = NULL;
    VKD_CLEAR_(info, COMMAND_BUFFER_ALLOCATE_INFO);
    info.commandPool = d->pool;
    info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    info.commandBufferCount = 1;
    if (!VKD_CALL_(d, vkAllocateCommandBuffers, (d->device, &info, &commands))) return NULL;
    VKD_CLEAR_(begin, COMMAND_BUFFER_BEGIN_INFO);
    begin.flags = again ? 0 : VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    if (VKD_CALL_(d, vkBeginCommandBuffer, (commands, &begin))) return commands;
    d->vk_->vkFreeCommandBuffers(d->device, d->pool, 1, &commands);
    return NULL;
}

/* What follows sees what was written before, by kernels, copies and the host; the host sees what was written. */
XE_FN_ void vkd_barrier_(const vkd_device *d, VkCommandBuffer commands)
{
    VkMemoryBarrier all;
    VKD_CLEAR_(all, MEMORY_BARRIER);
    all.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    all.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    d->vk_->vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                 VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &all, 0, NULL,
                                 0, NULL);
}

/* Submits commands (or NULL: none), which are complete: they, and all that is submitted after them, wait for `follows`,
 * where it is not NULL; `signals` is signalled when they and all before them have ended. The clock ticks then. */
XE_FN_ bool vkd_submit_(vkd_device *d, VkCommandBuffer commands, vkd_signal_state_ *follows,
                        vkd_signal_state_ *signals)
{
    VkTimelineSemaphoreSubmitInfo values;
    VkSubmitInfo info;
    const VkPipelineStageFlags everything = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSemaphore signalled[2] = {d->clock_, signals ? signals->semaphore : VK_NULL_HANDLE};
    uint64_t counts[2] = {d->ticks_ + 1, 0}, wanted = 0;
    VKD_CLEAR_(values, TIMELINE_SEMAPHORE_SUBMIT_INFO);
    VKD_CLEAR_(info, SUBMIT_INFO);
    vkd_lock_(d->shared_);
    if (signals) counts[1] = signals->count + 1;
    if (follows) wanted = follows->count ? follows->count : 1;
    info.pNext = &values;
    info.commandBufferCount = commands ? 1 : 0;
    info.pCommandBuffers = &commands;
    info.signalSemaphoreCount = values.signalSemaphoreValueCount = signals ? 2 : 1;
    info.pSignalSemaphores = signalled;
    values.pSignalSemaphoreValues = counts;
    info.waitSemaphoreCount = values.waitSemaphoreValueCount = follows ? 1 : 0;
    info.pWaitSemaphores = follows ? &follows->semaphore : NULL;
    info.pWaitDstStageMask = &everything;
    values.pWaitSemaphoreValues = &wanted;
    VkResult result = d->vk_->vkQueueSubmit(d->queue, 1, &info, VK_NULL_HANDLE);
    if (result == VK_SUCCESS && signals) signals->count++;
    vkd_unlock_(d->shared_);
    if (!vkd_check_(d, result, "vkQueueSubmit", "%s", "")) return false;
    d->ticks_++;
    return true;
}

/* Waits until a semaphore that counts has reached this value. */
XE_FN_ bool vkd_await_(vkd_device *d, VkSemaphore semaphore, uint64_t value)
{
    VkSemaphoreWaitInfo info;
    VKD_CLEAR_(info, SEMAPHORE_WAIT_INFO);
    info.semaphoreCount = 1;
    info.pSemaphores = &semaphore;
    info.pValues = &value;
    return VKD_CALL_(d, vkWaitSemaphores, (d->device, &info, UINT64_MAX));
}

/* Waits for what was submitted up to a tick of the clock. Where that fails, the queue must be idle before what it uses
 * is freed, unless the device is lost. */
XE_FN_ bool vkd_await_tick_(vkd_device *d, uint64_t tick)
{
    if (tick <= d->waited_) return true;
    d->waited_ = tick;
    if (vkd_await_(d, d->clock_, tick)) return true;
    vkd_lock_(d->shared_);
    d->vk_->vkQueueWaitIdle(d->queue);
    vkd_unlock_(d->shared_);
    return false;
}

/* A semaphore that counts from 0; VK_NULL_HANDLE after an error. */
XE_FN_ VkSemaphore vkd_create_counter_(vkd_device *d)
{
    VkSemaphoreTypeCreateInfo type;
    VkSemaphoreCreateInfo info;
    VkSemaphore semaphore = VK_NULL_HANDLE;
    VKD_CLEAR_(type, SEMAPHORE_TYPE_CREATE_INFO);
    VKD_CLEAR_(info, SEMAPHORE_CREATE_INFO);
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    info.pNext = &type;
    return VKD_CALL_(d, vkCreateSemaphore, (d->device, &info, NULL, &semaphore)) ? semaphore : VK_NULL_HANDLE;
}

/* Waits for all that was started, also after an error, and frees what it used. */
XE_FN_ bool vkd_await_all_(vkd_device *d)
{
    bool ok = vkd_await_tick_(d, d->ticks_);
    if (d->started_count_)
        d->vk_->vkFreeCommandBuffers(d->device, d->pool, (uint32_t)d->started_count_, d->started_);
    d->started_count_ = 0;
    while (d->loaned_count_) vkd_drop_(d, VKD_RES_MEMORY_, (uintptr_t)d->loaned_[--d->loaned_count_]);
    return ok;
}

bool vkd_wait_(vkd_device *d) { return vkd_usable_(d) && vkd_await_all_(d); }

/* Appends a pointer to a list; false and an error if out of memory. */
XE_FN_ bool vkd_append_pointer_(vkd_device *d, void **list, size_t *count, size_t *room, void *p)
{
    void **items;
    memcpy(&items, list, sizeof items);
    if (*count == *room) {
        size_t more = *room ? 2 * *room : 16;
        void **grown = (void **)realloc(items, more * sizeof *items);
        if (!grown) return vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for a list of %zu launches", more);
        items = grown;
        memcpy(list, &items, sizeof items);
        *room = more;
    }
    items[(*count)++] = p;
    return true;
}

/* Ends one-time commands and submits them; they are freed when they have been waited for. */
XE_FN_ bool vkd_start_commands_(vkd_device *d, VkCommandBuffer commands)
{
    bool ok = !d->error.id && VKD_CALL_(d, vkEndCommandBuffer, (commands)) &&
              vkd_append_pointer_(d, (void **)&d->started_, &d->started_count_, &d->started_room_, commands);
    if (ok) return vkd_submit_(d, commands, NULL, NULL);
    d->vk_->vkFreeCommandBuffers(d->device, d->pool, 1, &commands);
    return false;
}

/* Memory for the parameters of a launch, until it has been waited for. */
XE_FN_ void *vkd_loan_(vkd_device *d, size_t bytes)
{
    void *p = vkd_alloc_(d, VKD_SHARED, bytes, 0);
    if (!p || vkd_append_pointer_(d, (void **)&d->loaned_, &d->loaned_count_, &d->loaned_room_, p)) return p;
    vkd_drop_(d, VKD_RES_MEMORY_, (uintptr_t)p);
    return NULL;
}

/* The times between the queries of a pool, two for each launch. */
XE_FN_ bool vkd_read_time_(vkd_device *d, VkQueryPool pool, uint32_t launch, double *ns)
{
    uint64_t stamp[2] = {0, 0};
    VkFlags flags = VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT;
    if (!VKD_CALL_(d, vkGetQueryPoolResults, (d->device, pool, 2 * launch, 2, sizeof stamp, stamp, 8, flags)))
        return false;
    *ns = (double)(stamp[1] - stamp[0]) * d->tick_ns_;
    return true;
}

XE_FN_ VkQueryPool vkd_create_queries_(vkd_device *d, uint32_t count)
{
    VkQueryPoolCreateInfo info;
    VkQueryPool pool = VK_NULL_HANDLE;
    VKD_CLEAR_(info, QUERY_POOL_CREATE_INFO);
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = count;
    VKD_CALL_(d, vkCreateQueryPool, (d->device, &info, NULL, &pool));
    return pool;
}

/* modules.c - modules, their kernels, and the pipelines that kernels become. */

enum { VKD_ADDRESSES_OF_BUFFERS_ = 5348, VKD_MODE_LOCAL_SIZE_ = 17 }; /* SPIR-V's numbers */
enum { VKD_LOCAL_WORDS_CONSTANT_ = 1000, VKD_SUBGROUP_SIZE_CONSTANT_ }; /* SPE_... of spirv_emit.h */

/* Does the module address memory as Vulkan does? */
XE_FN_ bool vkd_is_for_vulkan_(const vkd_source *s)
{
    return vkd_find_op_(s, VKD_OP_MEMORY_MODEL_, 1, VKD_ADDRESSES_OF_BUFFERS_) != 0;
}

/* Loads a module with the source's constants. */
XE_FN_ bool vkd_module_load_with_(vkd_module *module, vkd_device *d, const vkd_source *s)
{
    VkShaderModuleCreateInfo info;
    const uint32_t magic = 0x07230203;
    memset(module, 0, sizeof *module);
    if (!vkd_usable_(d)) return false;
    if (!s->words || s->bytes < 20 || s->bytes % 4 || memcmp(s->words, &magic, sizeof magic) != 0)
        return vkd_fail_(d, VKD_MODULE, "%zu bytes that are not SPIR-V", s->bytes);
    if (!vkd_is_for_vulkan_(s))
        return vkd_fail_(d, VKD_MODULE, "a module of another environment, or without a memory model");
    if (!vkd_has_capabilities_(d, s)) return false;
    module->words_ = vkd_with_float_modes_(d, s, &module->count_);
    if (!module->words_) return vkd_fail_(d, VKD_OUT_OF_MEMORY, "a module of %zu bytes", s->bytes);
    if (!vkd_keep_handle_(d, VKD_RES_WORDS_, (uintptr_t)module->words_)) return module->words_ = NULL, false;
    VKD_CLEAR_(info, SHADER_MODULE_CREATE_INFO);
    info.codeSize = module->count_ * 4;
    info.pCode = module->words_;
    bool ok = vkd_set_constants_(d, s, module->words_, module->count_) &&
              VKD_CALL_(d, vkCreateShaderModule, (d->device, &info, NULL, &module->handle)) &&
              vkd_keep_handle_(d, VKD_RES_MODULE_, (uint64_t)module->handle);
    if (ok) module->device = d;
    else vkd_drop_words_(d, module);
    return ok;
}

bool vkd_module_load_(vkd_module *module, vkd_device *d, const void *words, size_t bytes)
{
    vkd_source s = {words, bytes, NULL, NULL, NULL, {0, 0, 0}, NULL, 0, 0};
    return vkd_module_load_with_(module, d, &s);
}

bool vkd_module_free_(vkd_module *module, const char *file, int line)
{
    vkd_device *d = vkd_at_(module->device, file, line);
    bool ok = !d || !module->handle || vkd_drop_(d, VKD_RES_MODULE_, (uint64_t)module->handle);
    if (module->cache_) ok = vkd_drop_(d, VKD_RES_CACHE_, (uintptr_t)module->cache_) && ok;
    module->cache_ = NULL;
    if (d) vkd_drop_words_(d, module);
    memset(module, 0, sizeof *module);
    return ok;
}

/* Is the entry point at w (n words) the kernel k? Else appends its name to the list. */
XE_FN_ bool vkd_is_entry_(const vkd_kernel *k, const uint32_t *w, uint32_t n, char *others, size_t size)
{
    char name[sizeof k->name];
    size_t bytes = (n - 3) * 4 < sizeof name ? (n - 3) * 4 : sizeof name - 1, used = strlen(others);
    memcpy(name, w + 3, bytes);
    name[bytes] = 0;
    snprintf(others + used, size - used, "%s%s", used ? ", " : "", name);
    return strcmp(name, k->name) == 0;
}

/* What a module says of a kernel: its id, its number, and the ids of the constants that tell more. */
typedef struct vkd_found_ {
    uint32_t id, number, local_words, subgroup_size;
} vkd_found_;

/* Is it the number of the constant with the kernel's words of local memory: its own, or of the last kernel before it
 * that has one? */
XE_FN_ bool vkd_is_local_words_(const vkd_kernel *k, const vkd_found_ *f, uint32_t constant)
{
    return f->id && constant % 2 == 0 && constant >= VKD_LOCAL_WORDS_CONSTANT_ && constant >= k->local_constant_ &&
           constant <= VKD_LOCAL_WORDS_CONSTANT_ + 2 * f->number;
}

XE_FN_ void vkd_read_instruction_(vkd_kernel *k, vkd_found_ *f, const uint32_t *w, uint32_t n)
{
    switch (*w & 0xffff) {
    case VKD_OP_EXECUTION_MODE_:
        if (n == 6 && f->id && w[1] == f->id && w[2] == VKD_MODE_LOCAL_SIZE_)
            memcpy(k->local_size, w + 3, sizeof k->local_size);
        break;
    case VKD_OP_DECORATE_:
        if (n != 4 || w[2] != VKD_SPEC_ID_) break;
        if (vkd_is_local_words_(k, f, w[3])) f->local_words = w[1], k->local_constant_ = w[3];
        if (w[3] == VKD_SUBGROUP_SIZE_CONSTANT_ + 2 * f->number) f->subgroup_size = w[1];
        break;
    case VKD_OP_SPEC_:
        if (n == 4 && w[2] == f->local_words) k->local_bytes = w[3] * 4;
        if (n == 4 && w[2] == f->subgroup_size) k->subgroup_size = w[3];
        break;
    default: break;
    }
}

/* Its local size, and the subgroup size that it was written for, from its module; false and an error if the module has
 * no such kernel, or states no local size. */
XE_FN_ bool vkd_read_kernel_(vkd_kernel *k, const vkd_module *module)
{
    char others[512] = "";
    vkd_found_ f = {0, 0, 0, 0};
    uint32_t n, entries = 0;
    for (size_t at = 5; at < module->count_; at += n) {
        const uint32_t *w = module->words_ + at;
        n = *w >> 16;
        if (!n || n > module->count_ - at) return vkd_fail_(k->device, VKD_MODULE, "word %zu is no instruction", at);
        if ((*w & 0xffff) == VKD_OP_FUNCTION_) break;
        if ((*w & 0xffff) == VKD_OP_ENTRY_POINT_ && n > 3) {
            if (vkd_is_entry_(k, w, n, others, sizeof others)) f.id = w[2], f.number = entries;
            entries++;
        }
        vkd_read_instruction_(k, &f, w, n);
    }
    if (!f.id) return vkd_fail_(k->device, VKD_KERNEL_NAME, "the module has no kernel %s; it has %s", k->name, others);
    if (k->local_bytes > (uint32_t)k->device->target.local_memory) /* drivers may take it, and lose the device */
        return vkd_fail_(k->device, VKD_LOCAL_MEMORY, "kernel %s: %" PRIu32 " bytes of local memory, \"%s\" has %d",
                         k->name, k->local_bytes, k->device->name, k->device->target.local_memory);
    return k->local_size[0] || vkd_fail_(k->device, VKD_MODULE, "kernel %s states no local size", k->name);
}

XE_FN_ bool vkd_local_size_ok_(const vkd_kernel *k)
{
    const vkd_target *t = &k->device->target;
    uint64_t all = (uint64_t)k->local_size[0] * k->local_size[1] * k->local_size[2];
    bool fits = all <= (uint64_t)t->max_group_size;
    for (int i = 0; i < 3; i++) fits = fits && k->local_size[i] <= (uint32_t)t->max_group_dim[i];
    return fits || vkd_fail_(k->device, VKD_GROUP_TOO_LARGE, "kernel %s has " VKD_XYZ_ " work-items, \"%s\" takes %d",
                             k->name, k->local_size[0], k->local_size[1], k->local_size[2], k->device->name,
                             t->max_group_size);
}

/* Where each parameter is: aligned to its size, in their order; those in local memory are not passed. */
XE_FN_ bool vkd_offset_params_(vkd_kernel *k)
{
    VkPushConstantRange range;
    VkPipelineLayoutCreateInfo info;
    for (uint32_t i = 0; i < k->param_count; i++) {
        uint32_t size = k->params[i].kind == VKD_PARAM_PTR ? 8 : k->params[i].type->size;
        if (k->params[i].kind == VKD_PARAM_LOCAL) continue;
        k->offsets_[i] = (k->bytes_ + size - 1) / size * size;
        k->bytes_ = k->offsets_[i] + size;
    }
    k->in_memory_ = (k->bytes_ + 7) / 8 * 8 > VKD_PUSH_BYTES_;
    range.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    range.offset = 0;
    range.size = k->in_memory_ ? 8 : (k->bytes_ + 7) / 8 * 8;
    VKD_CLEAR_(info, PIPELINE_LAYOUT_CREATE_INFO);
    info.pushConstantRangeCount = range.size ? 1 : 0;
    info.pPushConstantRanges = &range;
    return VKD_CALL_(k->device, vkCreatePipelineLayout, (k->device->device, &info, NULL, &k->layout_)) &&
           vkd_keep_handle_(k->device, VKD_RES_LAYOUT_, (uint64_t)k->layout_);
}

bool vkd_kernel_get_(vkd_kernel *k, vkd_module *module, const char *name, const char *params, const char *file,
                     int line)
{
    vkd_device *d = vkd_at_(module->device, file, line);
    memset(k, 0, sizeof *k);
    if (!d) return vkd_fail_alone_(VKD_MODULE, "vkd_kernel_get", file, line);
    if (!vkd_usable_(d)) return false;
    if (!name || strlen(name) >= sizeof k->name)
        return vkd_fail_(d, VKD_KERNEL_NAME, "a name of %zu characters", name ? strlen(name) : 0);
    k->device = d;
    k->module = module->handle;
    k->cache_ = module->cache_;
    memcpy(k->name, name, strlen(name) + 1);
    if (vkd_read_kernel_(k, module) && vkd_local_size_ok_(k) && vkd_subgroup_size_(k, k->subgroup_size, file, line) &&
        vkd_parse_params_(d, name, params, k->params, &k->param_count) && vkd_offset_params_(k))
        return true;
    memset(k, 0, sizeof *k);
    return false;
}

/* Is the kernel loaded, and its device usable? */
XE_FN_ bool vkd_kernel_usable_(const vkd_kernel *k, const char *file, int line)
{
    vkd_device *d = k ? vkd_at_(k->device, file, line) : NULL;
    if (!d) return vkd_fail_alone_(VKD_KERNEL_NOT_LOADED, "a kernel", file, line);
    return vkd_usable_(d);
}

bool vkd_subgroup_size_(vkd_kernel *k, uint32_t size, const char *file, int line)
{
    if (!vkd_kernel_usable_(k, file, line)) return false;
    const vkd_target *t = &k->device->target;
    if (size && !(t->subgroup_sizes & size))
        return vkd_fail_(k->device, VKD_SUBGROUP_SIZE, "kernel %s needs subgroups of %" PRIu32 ", \"%s\" has those of "
                         "mask "
                         "%" PRIu32, k->name, size, k->device->name, t->subgroup_sizes);
    k->subgroup_size = size;
    k->pipeline_ = VK_NULL_HANDLE;
    return true;
}

bool vkd_local_size_(vkd_kernel *k, uint32_t x, uint32_t y, uint32_t z, const char *file, int line)
{
    if (!vkd_kernel_usable_(k, file, line)) return false;
    const uint32_t *r = k->local_size;
    return (x == r[0] && y == r[1] && z == r[2]) ||
           vkd_fail_(k->device, VKD_LOCAL_SIZE, "kernel %s requires work-groups of " VKD_XYZ_ ", got " VKD_XYZ_,
                     k->name, r[0], r[1], r[2], x, y, z);
}

bool vkd_kernel_clone_(vkd_kernel *k, const vkd_kernel *from, vkd_device *d)
{
    if (!k) return false;
    vkd_kernel copy;
    memset(&copy, 0, sizeof copy);
    if (from) copy = *from;
    memset(k, 0, sizeof *k);
    k->device = d;
    if (!vkd_usable_(d)) return false;
    if (!copy.layout_) return vkd_fail_(d, VKD_KERNEL_NOT_LOADED, "the kernel to clone is not loaded");
    if (copy.device->device != d->device)
        return vkd_fail_(d, VKD_OTHER_DEVICE, "kernel %s is of \"%s\" (%p), the clone of \"%s\" (%p)", copy.name,
                         copy.device->name, (void *)copy.device, d->name, (void *)d);
    copy.device = d;
    copy.pipeline_ = VK_NULL_HANDLE;
    copy.layout_ = VK_NULL_HANDLE;
    copy.bytes_ = 0;
    copy.cache_ = NULL; /* it belongs to the thread of the other queue */
    if (!vkd_offset_params_(&copy)) return false;
    *k = copy;
    return true;
}

bool vkd_kernel_free_(vkd_kernel *k, const char *file, int line)
{
    vkd_device *d = k ? vkd_at_(k->device, file, line) : NULL;
    if (!d) return k != NULL;
    vkd_await_all_(d);
    if (k->pipeline_) vkd_drop_(d, VKD_RES_PIPELINE_, (uint64_t)k->pipeline_);
    if (k->layout_) vkd_drop_(d, VKD_RES_LAYOUT_, (uint64_t)k->layout_);
    memset(k, 0, sizeof *k);
    return true;
}

/* Creates the pipeline for these places of parameters in local memory, and (the last) its words in all. Changes neither
 * the kernel nor its device: several threads may do so. */
XE_FN_ VkResult vkd_create_pipeline_(const vkd_kernel *k, const uint32_t *local, VkPipeline *pipeline)
{
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroups;
    VkSpecializationMapEntry entries[VKD_MAX_ARGS + 1];
    VkSpecializationInfo constants;
    VkComputePipelineCreateInfo info;
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->param_count; i++) {
        if (k->params[i].kind != VKD_PARAM_LOCAL) continue;
        entries[n].constantID = i;
        entries[n].offset = i * 4;
        entries[n++].size = 4;
    }
    if (n && k->local_constant_) {
        entries[n].constantID = k->local_constant_;
        entries[n].offset = VKD_MAX_ARGS * 4;
        entries[n++].size = 4;
    }
    memset(&constants, 0, sizeof constants);
    constants.mapEntryCount = n;
    constants.pMapEntries = entries;
    constants.dataSize = sizeof k->local_;
    constants.pData = local;
    VKD_CLEAR_(subgroups, PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
    subgroups.requiredSubgroupSize = k->subgroup_size;
    VKD_CLEAR_(info, COMPUTE_PIPELINE_CREATE_INFO);
    VKD_CLEAR_(info.stage, PIPELINE_SHADER_STAGE_CREATE_INFO);
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = k->module;
    info.stage.pName = k->name;
    info.stage.pSpecializationInfo = n ? &constants : NULL;
    if (k->subgroup_size) {
        info.stage.pNext = &subgroups;
        if (k->local_size[0] % k->subgroup_size == 0)
            info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    }
    info.layout = k->layout_;
    *pipeline = VK_NULL_HANDLE;
    return k->device->vk_->vkCreateComputePipelines(
        k->device->device, k->cache_ ? k->cache_->handle : VK_NULL_HANDLE, 1, &info, NULL, pipeline);
}

/* Gives the kernel a pipeline that was created so, with that result. The one before remains: a batch may have it. */
XE_FN_ bool vkd_take_pipeline_(vkd_kernel *k, const uint32_t *local, VkResult result, VkPipeline pipeline)
{
    k->pipeline_ = VK_NULL_HANDLE;
    if (!vkd_check_(k->device, result, "vkCreateComputePipelines", "of %s", k->name)) return false;
    if (k->cache_) vkd_store_cache_(k->device, k->cache_);
    memcpy(k->local_, local, sizeof k->local_);
    if (!vkd_keep_handle_(k->device, VKD_RES_PIPELINE_, (uint64_t)pipeline)) return false;
    k->pipeline_ = pipeline;
    return true;
}

/* Makes the pipeline, unless the kernel has it. */
XE_FN_ bool vkd_make_pipeline_(vkd_kernel *k, const uint32_t *local)
{
    VkPipeline pipeline;
    if (k->pipeline_ && !memcmp(local, k->local_, sizeof k->local_)) return true;
    VkResult result = vkd_create_pipeline_(k, local, &pipeline);
    return vkd_take_pipeline_(k, local, result, pipeline);
}

/* workers.c - written by join.sh from ze_dispatch/workers.c. */

typedef struct vkd_worker_ {
    void (*work)(void *job);
    char *jobs;
    size_t size;         /* of a job */
    int at, count, step; /* jobs at, at + step, ... of count */
    bool started;
#if defined(_WIN32)
    uintptr_t thread;
#else
    pthread_t thread;
#endif
} vkd_worker_;

enum { VKD_WORKERS_ = 16 };

XE_FN_ void vkd_work_(const vkd_worker_ *w)
{
    for (int i = w->at; i < w->count; i += w->step) w->work(w->jobs + (size_t)i * w->size);
}

#if defined(_WIN32)
XE_FN_ unsigned __stdcall vkd_worker_main_(void *worker)
{
    vkd_work_((const vkd_worker_ *)worker);
    return 0;
}
XE_FN_ bool vkd_worker_start_(vkd_worker_ *w)
{
    w->thread = _beginthreadex(NULL, 0, vkd_worker_main_, w, 0, NULL);
    return w->thread != 0;
}
XE_FN_ void vkd_worker_join_(vkd_worker_ *w)
{
    WaitForSingleObject((void *)w->thread, 0xffffffffu);
    CloseHandle((void *)w->thread);
}
#else
XE_FN_ void *vkd_worker_main_(void *worker)
{
    vkd_work_((const vkd_worker_ *)worker);
    return NULL;
}
XE_FN_ bool vkd_worker_start_(vkd_worker_ *w) { return pthread_create(&w->thread, NULL, vkd_worker_main_, w) == 0; }
XE_FN_ void vkd_worker_join_(vkd_worker_ *w) { pthread_join(w->thread, NULL); }
#endif

/* Does `count` jobs of so many bytes in as many threads as there are jobs, up to a limit; this thread takes its share,
 * and those of threads that could not be started. */
XE_FN_ void vkd_run_jobs_(void (*work)(void *job), void *jobs, size_t size, int count)
{
    vkd_worker_ workers[VKD_WORKERS_];
    int threads = count < VKD_WORKERS_ ? count : VKD_WORKERS_;
    for (int i = 0; i < threads; i++) {
        vkd_worker_ *w = &workers[i];
        memset(w, 0, sizeof *w);
        w->work = work;
        w->jobs = (char *)jobs;
        w->size = size;
        w->at = i;
        w->count = count;
        w->step = threads;
        w->started = i > 0 && vkd_worker_start_(w);
    }
    for (int i = 0; i < threads; i++)
        if (!workers[i].started) vkd_work_(&workers[i]);
    for (int i = 0; i < threads; i++)
        if (workers[i].started) vkd_worker_join_(&workers[i]);
}

XE_FN_ bool vkd_same_module_(const vkd_source *a, const vkd_source *b)
{
    bool one = a->constants == b->constants, same = a->constant_count == b->constant_count;
    if (!one && a->constant_count && (!a->constants || !b->constants)) return false;
    for (uint32_t i = 0; !one && same && i < a->constant_count; i++) {
        const vkd_constant *c = &a->constants[i], *d = &b->constants[i];
        same = c->id == d->id && c->value.kind == d->value.kind && c->value.as.uint == d->value.as.uint;
    }
    return same && a->words == b->words && a->bytes == b->bytes &&
           strcmp(a->flags ? a->flags : "", b->flags ? b->flags : "") == 0;
}

/* loads.c - a module with a cache, a module and its kernel in one call, and many of them at once. */

bool vkd_module_load_source_(vkd_module *module, vkd_device *d, const vkd_source *s, const char *folder)
{
    if (d) d->cache_[0] = 0;
    if (!vkd_module_load_with_(module, d, s)) return false;
    if (!folder || !*folder || vkd_cache_module_(module, folder)) return true;
    vkd_drop_words_(d, module);
    vkd_drop_(d, VKD_RES_MODULE_, (uint64_t)module->handle);
    memset(module, 0, sizeof *module);
    return false;
}

bool vkd_module_load_cached_(vkd_module *module, vkd_device *d, const void *words, size_t bytes, const char *folder)
{
    vkd_source s = {words, bytes, NULL, NULL, NULL, {0, 0, 0}, NULL, 0, 0};
    return vkd_module_load_source_(module, d, &s, folder);
}

/* The kernel of a module, and the sizes that its source says. */
XE_FN_ bool vkd_kernel_of_(vkd_kernel *k, vkd_module *module, const vkd_source *s)
{
    vkd_device *d = module->device;
    const uint32_t *size = s->local_size;
    return vkd_kernel_get_(k, module, s->kernel, s->params, d->file_, d->line_) &&
           (!s->subgroup_size || vkd_subgroup_size_(k, s->subgroup_size, d->file_, d->line_)) &&
           (!size[0] ||
            vkd_local_size_(k, size[0], size[1] ? size[1] : 1, size[2] ? size[2] : 1, d->file_, d->line_));
}

bool vkd_load_source_(vkd_kernel *k, vkd_device *d, const vkd_source *s, const char *folder)
{
    vkd_module module;
    memset(k, 0, sizeof *k);
    if (!vkd_module_load_source_(&module, d, s, folder)) return false;
    bool ok = vkd_kernel_of_(k, &module, s);
    vkd_drop_words_(d, &module); /* the device frees the module */
    return ok;
}

bool vkd_load_(vkd_kernel *k, vkd_device *d, const void *words, size_t bytes, const char *name, const char *params,
               uint32_t subgroup_size, const char *folder)
{
    vkd_source s = {words, bytes, name, params, NULL, {0, 0, 0}, NULL, 0, subgroup_size};
    return vkd_load_source_(k, d, &s, folder);
}

/* ---- many at once: their pipelines, which take the time, are created in threads */

typedef struct vkd_job_ {
    const vkd_kernel *kernel; /* NULL: its pipeline is made by the first launch */
    vkd_module module;        /* unless an earlier job has the same */
    int first;                /* the first job with the same module */
    VkPipeline pipeline;
    VkResult result;
} vkd_job_;

XE_FN_ const uint32_t *vkd_no_local_parameters_(void)
{
    static const uint32_t local[VKD_MAX_ARGS + 1] = {0};
    return local;
}

XE_FN_ void vkd_compile_job_(void *job)
{
    vkd_job_ *j = (vkd_job_ *)job;
    if (j->kernel) j->result = vkd_create_pipeline_(j->kernel, vkd_no_local_parameters_(), &j->pipeline);
}

XE_FN_ bool vkd_has_local_parameters_(const vkd_kernel *k)
{
    for (uint32_t i = 0; i < k->param_count; i++)
        if (k->params[i].kind == VKD_PARAM_LOCAL) return true;
    return false;
}

/* Loads the module of source i, unless it is another's, too, and gets its kernel. */
XE_FN_ bool vkd_prepare_job_(vkd_kernel *kernels, vkd_device *d, vkd_job_ *jobs, const vkd_source *sources, int i,
                             const char *folder)
{
    vkd_job_ *job = &jobs[i];
    while (!vkd_same_module_(&sources[job->first], &sources[i])) job->first++;
    if (job->first == i && !vkd_module_load_source_(&job->module, d, &sources[i], folder)) return false;
    if (!vkd_kernel_of_(&kernels[i], &jobs[job->first].module, &sources[i])) return false;
    if (!vkd_has_local_parameters_(&kernels[i])) job->kernel = &kernels[i];
    return true;
}

/* After an error: frees the kernels and modules, which keep it. */
XE_FN_ void vkd_drop_jobs_(vkd_kernel *kernels, vkd_device *d, vkd_job_ *jobs, int count)
{
    for (int i = 0; i < count; i++) {
        vkd_kernel_free_(&kernels[i], d->file_, d->line_);
        memset(&kernels[i], 0, sizeof kernels[i]);
        kernels[i].device = d;
    }
    for (int i = 0; i < count; i++) vkd_module_free_(&jobs[i].module, d->file_, d->line_);
}

bool vkd_load_all_(vkd_kernel *kernels, vkd_device *d, const vkd_source *sources, int count, const char *folder)
{
    if (!vkd_usable_(d) || count <= 0) return vkd_usable_(d) && count == 0;
    if (!kernels || !sources)
        return vkd_fail_(d, VKD_NULL_POINTER, "vkd_load_all: the %s are NULL", kernels ? "sources" : "kernels");
    memset(kernels, 0, (size_t)count * sizeof *kernels);
    vkd_job_ *jobs = (vkd_job_ *)calloc((size_t)count, sizeof *jobs);
    if (!jobs) return vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room to load %d modules", count);
    bool ok = true;
    for (int i = 0; ok && i < count; i++) ok = vkd_prepare_job_(kernels, d, jobs, sources, i, folder);
    if (ok) vkd_run_jobs_(vkd_compile_job_, jobs, sizeof *jobs, count);
    for (int i = 0; ok && i < count; i++)
        if (jobs[i].kernel)
            vkd_take_pipeline_(&kernels[i], vkd_no_local_parameters_(), jobs[i].result, jobs[i].pipeline);
    ok = ok && !d->error.id;
    if (ok)
        for (int i = 0; i < count; i++) vkd_drop_words_(d, &jobs[i].module); /* the device frees the modules */
    else vkd_drop_jobs_(kernels, d, jobs, count);
    free(jobs);
    return ok;
}

/* copies.c - copies, fills, and freeing memory, which wait for what was started. */

bool vkd_free_(vkd_device *d, void *p)
{
    if (!d) return false;
    if (!p) return true;
    if (!d->open_) return vkd_fail_(d, VKD_NOT_OPEN, "the device is not open");
    vkd_await_all_(d);
    return vkd_drop_(d, VKD_RES_MEMORY_, (uintptr_t)p) ||
           vkd_fail_(d, VKD_NOT_ALLOCATED, "%p is not an allocation of this device", p);
}

/* Copies between two allocations on the device, and waits. */
XE_FN_ bool vkd_copy_on_device_(vkd_device *d, const vkd_resource_ *to, size_t to_offset, const vkd_resource_ *from,
                                size_t from_offset, size_t bytes)
{
    VkCommandBuffer commands = vkd_begin_commands_(d, false);
    VkBufferCopy region;
    if (!commands) return false;
    region.srcOffset = from->offset + from_offset;
    region.dstOffset = to->offset + to_offset;
    region.size = bytes;
    vkd_barrier_(d, commands);
    d->vk_->vkCmdCopyBuffer(commands, from->buffer, to->buffer, 1, &region);
    vkd_barrier_(d, commands);
    return vkd_start_commands_(d, commands) && vkd_await_all_(d);
}

/* The staging memory; false and an error if there is none. */
XE_FN_ bool vkd_stage_(vkd_device *d, vkd_resource_ *stage)
{
    if (!d->staging_) d->staging_ = vkd_alloc_(d, VKD_HOST, VKD_STAGING_BYTES_, 0);
    if (d->staging_) *stage = *vkd_allocation_(d, d->staging_);
    return d->staging_ != NULL;
}

/* Copies between the host's memory (at) and an allocation that it cannot access, a piece at a time. */
XE_FN_ bool vkd_copy_staged_(vkd_device *d, vkd_resource_ r, size_t offset, char *to_host, const char *from_host,
                             size_t bytes)
{
    vkd_resource_ stage;
    if (!vkd_stage_(d, &stage)) return false;
    for (size_t at = 0; at < bytes; at += VKD_STAGING_BYTES_) {
        size_t n = bytes - at < VKD_STAGING_BYTES_ ? bytes - at : VKD_STAGING_BYTES_;
        if (from_host) memcpy(vkd_host_(&stage), from_host + at, n);
        bool ok = from_host ? vkd_copy_on_device_(d, &r, offset + at, &stage, 0, n)
                            : vkd_copy_on_device_(d, &stage, 0, &r, offset + at, n);
        if (!ok) return false;
        if (to_host) memcpy(to_host + at, vkd_host_(&stage), n);
    }
    return true;
}

bool vkd_copy_(vkd_device *d, void *dst, const void *src, size_t bytes)
{
    const vkd_resource_ *to = NULL, *from = NULL;
    if (!vkd_usable_(d)) return false;
    if (!bytes) return true;
    if (!vkd_in_range_(d, "destination of a copy", dst, bytes, &to) ||
        !vkd_in_range_(d, "source of a copy", src, bytes, &from) || !vkd_await_all_(d))
        return false;
    size_t to_offset = to ? (size_t)((uintptr_t)dst - (uintptr_t)to->handle) : 0;
    size_t from_offset = from ? (size_t)((uintptr_t)src - (uintptr_t)from->handle) : 0;
    bool to_host = !to || to->mapped, from_host = !from || from->mapped;
    if (to_host && from_host) memmove(dst, src, bytes);
    else if (to_host) return vkd_copy_staged_(d, *from, from_offset, (char *)dst, NULL, bytes);
    else if (from_host) return vkd_copy_staged_(d, *to, to_offset, NULL, (const char *)src, bytes);
    else return vkd_copy_on_device_(d, to, to_offset, from, from_offset, bytes);
    return true;
}

/* Repeats a pattern in the host's memory. */
XE_FN_ void vkd_repeat_(char *to, const void *pattern, size_t size, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += size) memcpy(to + at, pattern, size);
}

bool vkd_fill_pattern_(vkd_device *d, void *dst, const void *pattern, size_t size, size_t bytes)
{
    const vkd_resource_ *to = NULL;
    vkd_resource_ stage;
    if (!vkd_usable_(d)) return false;
    if (!bytes) return true;
    if (!pattern) return vkd_fail_(d, VKD_NULL_POINTER, "a fill of %zu bytes with no pattern", bytes);
    if (!size || (size & (size - 1)) || bytes % size || size > 16)
        return vkd_fail_(d, VKD_FILL_PATTERN, "a pattern of %zu bytes for %zu bytes", size, bytes);
    if (!vkd_in_range_(d, "destination of a fill", dst, bytes, &to) || !vkd_await_all_(d)) return false;
    if (!to || to->mapped) {
        vkd_repeat_((char *)dst, pattern, size, bytes);
        return true;
    }
    vkd_resource_ target = *to;
    size_t offset = (size_t)((uintptr_t)dst - (uintptr_t)target.handle);
    if (!vkd_stage_(d, &stage)) return false;
    vkd_repeat_((char *)vkd_host_(&stage), pattern, size, bytes < VKD_STAGING_BYTES_ ? bytes : VKD_STAGING_BYTES_);
    for (size_t at = 0; at < bytes; at += VKD_STAGING_BYTES_) {
        size_t n = bytes - at < VKD_STAGING_BYTES_ ? bytes - at : VKD_STAGING_BYTES_;
        if (!vkd_copy_on_device_(d, &target, offset + at, &stage, 0, n)) return false;
    }
    return true;
}

bool vkd_fill_(vkd_device *d, void *dst, int byte, size_t bytes)
{
    unsigned char pattern = (unsigned char)byte;
    return vkd_fill_pattern_(d, dst, &pattern, 1, bytes);
}

/* vectors.c - cooperative vectors: what the driver lists of them, and matrices in the device's own layouts. Structures
 * and numbers are those of VK_NV_cooperative_vector, which older headers lack. */

enum { VKD_VECTOR_LIMITS_ = 1000491001, VKD_VECTOR_PRODUCT_ = 1000491002, VKD_VECTOR_CONVERSION_ = 1000491004 };

typedef struct vkd_vector_limits_ {
    VkStructureType sType;
    void *pNext;
    VkFlags stages;
    VkBool32 sums_f16, sums_f32;
    uint32_t max_components;
} vkd_vector_limits_;

typedef struct vkd_vector_product_ {
    VkStructureType sType;
    void *pNext;
    uint32_t row[6]; /* as in vkd_target */
} vkd_vector_product_;

/* The rows of d->target.vector_products. */
XE_FN_ uint32_t vkd_read_products_(const vkd_device *d, vkd_features_ *f)
{
    typedef VkResult (VKAPI_PTR *list_fn)(VkPhysicalDevice device, uint32_t *count, vkd_vector_product_ *products);
    PFN_vkVoidFunction found =
        d->vk_->vkGetInstanceProcAddr(d->instance, "vkGetPhysicalDeviceCooperativeVectorPropertiesNV");
    vkd_vector_product_ *products = (vkd_vector_product_ *)calloc(VKD_PRODUCTS_, sizeof *products);
    list_fn list;
    uint32_t count = VKD_PRODUCTS_;
    memcpy(&list, &found, sizeof list);
    for (uint32_t i = 0; products && i < count; i++) products[i].sType = (VkStructureType)VKD_VECTOR_PRODUCT_;
    VkResult result = products && found ? list(d->physical, &count, products) : VK_ERROR_UNKNOWN;
    if (result != VK_SUCCESS && result != VK_INCOMPLETE) count = 0;
    for (uint32_t i = 0; i < count; i++) memcpy(f->products[i], products[i].row, sizeof f->products[i]);
    free(products);
    return count;
}

/* If the device has cooperative vectors: says in d->target what it has of them. */
XE_FN_ void vkd_list_products_(vkd_device *d, vkd_features_ *f)
{
    VkPhysicalDeviceProperties2 p;
    vkd_vector_limits_ limits;
    vkd_target *t = &d->target;
    if (!f->vectors.has[0]) return;
    VKD_CLEAR_(p, PHYSICAL_DEVICE_PROPERTIES_2);
    memset(&limits, 0, sizeof limits);
    limits.sType = (VkStructureType)VKD_VECTOR_LIMITS_;
    p.pNext = &limits;
    d->vk_->vkGetPhysicalDeviceProperties2(d->physical, &p);
    if (!(limits.stages & VK_SHADER_STAGE_COMPUTE_BIT)) return;
    t->vector_product_count = vkd_read_products_(d, f);
    if (t->vector_product_count) t->vector_products = (const uint32_t (*)[6])f->products;
    t->max_vector = limits.max_components;
    if (f->vectors.has[1]) t->vector_sums = (limits.sums_f16 ? 1u : 0) | (limits.sums_f32 ? 2u : 0);
}

XE_FN_ const vkd_element_ *vkd_element_of_(const char *name)
{
    static const vkd_element_ rows[] = {{"f16", 0, 2, true}, {"f32", 1, 4, true}, {"i8", 3, 1, false},
        {"i16", 4, 2, false}, {"i32", 5, 4, false}, {"u8", 7, 1, false}, {"u16", 8, 2, false}, {"u32", 9, 4, false},
        {"e4m3", 1000491002, 1, true}, {"e5m2", 1000491003, 1, true}};
    for (size_t i = 0; name && i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, name)) return &rows[i];
    return NULL;
}

/* Checks one side of a conversion; NULL and an error, or its type. */
XE_FN_ const vkd_element_ *vkd_check_side_(vkd_device *d, const vkd_conversion *c, const char *side, const char *type,
                                           int layout, size_t stride)
{
    const vkd_element_ *e = vkd_element_of_(type);
    bool lines = layout == VKD_ROW_MAJOR || layout == VKD_COLUMN_MAJOR;
    size_t length = e ? (size_t)(layout == VKD_ROW_MAJOR ? c->columns : c->rows) * e->bytes : 0;
    if (!e) vkd_fail_(d, VKD_CONVERSION, "%s has no type %s", side, type ? type : "(NULL)");
    else if (layout < VKD_ROW_MAJOR || layout > VKD_OUTER_PRODUCT_OPTIMAL)
        vkd_fail_(d, VKD_CONVERSION, "%s has layout %d; there are 0 to 3", side, layout);
    else if (!c->rows || !c->columns)
        vkd_fail_(d, VKD_CONVERSION, "%" PRIu32 " rows of %" PRIu32 " columns", c->rows, c->columns);
    else if (lines && (stride < length || stride % e->bytes))
        vkd_fail_(d, VKD_CONVERSION, "%s: a stride of %zu bytes; lines have %zu, elements %" PRIu32, side, stride,
                  length, e->bytes);
    return d->error.id ? NULL : e;
}

XE_FN_ bool vkd_is_fp8_(uint32_t type) { return type > 10; }

/* Only sources have FP8 in rows or columns. */
XE_FN_ bool vkd_check_fp8_(vkd_device *d, const vkd_element_ *dest, vkd_layout layout)
{
    return !vkd_is_fp8_(dest->number) || layout > VKD_COLUMN_MAJOR ||
           vkd_fail_(d, VKD_CONVERSION, "the destination: %s has the device's own layouts only, not %d", dest->name,
                     (int)layout);
}

/* The conversion as the driver takes it, but for addresses; checked. */
XE_FN_ bool vkd_describe_conversion_(vkd_device *d, const vkd_conversion *c, vkd_vector_conversion_ *to)
{
    memset(to, 0, sizeof *to);
    if (!c) return vkd_fail_(d, VKD_NULL_POINTER, "no conversion is described");
    const vkd_element_ *source = vkd_check_side_(d, c, "the source", c->from_type, (int)c->from_layout,
                                                 c->from_stride);
    const vkd_element_ *dest =
        source ? vkd_check_side_(d, c, "the destination", c->to_type, (int)c->to_layout, c->to_stride) : NULL;
    if (!dest || !vkd_check_fp8_(d, dest, c->to_layout)) return false;
    if (source != dest && !(source->is_float && dest->is_float && source->bytes != dest->bytes))
        return vkd_fail_(d, VKD_CONVERSION, "%s to %s", c->from_type, c->to_type);
    if (!d->target.vector_product_count)
        return vkd_fail_(d, VKD_NO_VECTORS, "\"%s\" has no cooperative vectors, and no layouts of its own", d->name);
    to->sType = (VkStructureType)VKD_VECTOR_CONVERSION_;
    to->from_type = source->number;
    to->to_type = dest->number;
    to->rows = c->rows;
    to->columns = c->columns;
    to->from_layout = (uint32_t)c->from_layout;
    to->to_layout = (uint32_t)c->to_layout;
    to->from_stride = c->from_stride;
    to->to_stride = c->to_stride;
    to->from_bytes = c->from_bytes;
    return true;
}

/* The driver's conversion of the host's memory, or without memory only the destination's size. */
XE_FN_ bool vkd_convert_by_driver_(vkd_device *d, const vkd_vector_conversion_ *c)
{
    typedef VkResult (VKAPI_PTR *convert_fn)(VkDevice device, const vkd_vector_conversion_ *c);
    const char *name = "vkConvertCooperativeVectorMatrixNV";
    PFN_vkVoidFunction found = d->vk_->vkGetDeviceProcAddr(d->device, name);
    convert_fn convert;
    memcpy(&convert, &found, sizeof convert);
    if (!found) return vkd_fail_(d, VKD_NO_LOADER, "Vulkan has no function %s", name);
    return vkd_check_(d, convert(d->device, c), name, "%s", "");
}

/* The bytes that a matrix of a described conversion has; 0 and an error if the driver does not say. */
XE_FN_ size_t vkd_query_bytes_(vkd_device *d, vkd_vector_conversion_ c)
{
    size_t bytes = 0;
    c.from.host = c.to.host = NULL;
    c.to_bytes = &bytes;
    return vkd_convert_by_driver_(d, &c) ? bytes : 0;
}

size_t vkd_converted_bytes_(vkd_device *d, const vkd_conversion *c)
{
    vkd_vector_conversion_ described;
    if (!vkd_usable_(d) || !vkd_describe_conversion_(d, c, &described)) return 0;
    return vkd_query_bytes_(d, described);
}

/* Checks the memory of one side, and finds its address. */
XE_FN_ bool vkd_find_address_(vkd_device *d, const char *what, const void *p, size_t bytes, size_t needed,
                             uint64_t *address)
{
    const vkd_resource_ *r;
    if (!needed) return false;
    if (bytes < needed) return vkd_fail_(d, VKD_CONVERSION, "%s has %zu bytes, and needs %zu", what, bytes, needed);
    if (!vkd_in_range_(d, what, p, bytes, &r)) return false;
    if (!r) return vkd_fail_(d, VKD_NOT_ALLOCATED, "%s, %p, is in no allocation of this device", what, p);
    *address = vkd_address_of_(d, p);
    return *address % 64 == 0 || vkd_fail_(d, VKD_CONVERSION, "%s is at 0x%" PRIx64 ", no multiple of 64", what,
                                           *address);
}

/* The bytes of the source: those of its lines; in the device's own layouts the driver is asked, as of a destination. */
XE_FN_ size_t vkd_source_bytes_(vkd_device *d, const vkd_conversion *c, vkd_vector_conversion_ described)
{
    size_t rows = c->rows, columns = c->columns, lines = c->from_layout == VKD_ROW_MAJOR ? rows : columns;
    size_t length = (rows + columns - lines) * vkd_element_of_(c->from_type)->bytes;
    if (c->from_layout <= VKD_COLUMN_MAJOR) return (lines - 1) * c->from_stride + length;
    described.to_type = described.from_type;
    described.to_layout = described.from_layout;
    return vkd_query_bytes_(d, described);
}

/* The conversion with its addresses. */
XE_FN_ bool vkd_locate_conversion_(vkd_device *d, const vkd_conversion *c, vkd_vector_conversion_ *to, size_t *bytes)
{
    if (!vkd_describe_conversion_(d, c, to)) return false;
    *bytes = vkd_query_bytes_(d, *to);
    to->to_bytes = bytes;
    return vkd_find_address_(d, "the destination of a conversion", c->to, c->to_bytes, *bytes, &to->to.address) &&
           vkd_find_address_(d, "the source of a conversion", c->from, c->from_bytes, vkd_source_bytes_(d, c, *to),
                            &to->from.address);
}

/* What one command converts. */
struct vkd_conversions_ {
    void(VKAPI_PTR *record)(VkCommandBuffer commands, uint32_t count, const vkd_vector_conversion_ *all);
    uint32_t count;
    size_t *bytes;
    vkd_vector_conversion_ *all;
};

XE_FN_ void vkd_free_conversions_(vkd_conversions_ *c)
{
    if (c) free(c->all), free(c->bytes);
    free(c);
}

/* The command of driver 580 writes FP8 as bytes where its products read f16 (narrowing.c): a batch, which has only the
 * command, refuses FP8. */
XE_FN_ void vkd_check_command_(vkd_device *d, const vkd_vector_conversion_ *c)
{
    if (vkd_is_fp8_(c->from_type) || vkd_is_fp8_(c->to_type))
        vkd_fail_(d, VKD_CONVERSION, "FP8 in a batch; vkd_convert_matrices converts it, on the host");
}

XE_FN_ bool vkd_are_described_(vkd_device *d, const vkd_conversion *list, uint32_t count)
{
    return list || !count || vkd_fail_(d, VKD_NULL_POINTER, "no conversions are described");
}

/* All conversions, checked; NULL and an error if one is not right. */
XE_FN_ vkd_conversions_ *vkd_make_conversions_(vkd_device *d, const vkd_conversion *from, uint32_t count)
{
    const char *name = "vkCmdConvertCooperativeVectorMatrixNV";
    PFN_vkVoidFunction found = d->vk_->vkGetDeviceProcAddr(d->device, name);
    if (!vkd_are_described_(d, from, count)) return NULL;
    vkd_conversions_ *c = (vkd_conversions_ *)calloc(1, sizeof *c);
    if (c) {
        memcpy(&c->record, &found, sizeof c->record);
        c->count = count;
        c->all = (vkd_vector_conversion_ *)calloc(count, sizeof *c->all);
        c->bytes = (size_t *)calloc(count, sizeof *c->bytes);
    }
    if (!c || !c->all || !c->bytes) vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for %" PRIu32 " conversions", count);
    for (uint32_t i = 0; i < count && !d->error.id; i++)
        if (vkd_locate_conversion_(d, &from[i], &c->all[i], &c->bytes[i])) vkd_check_command_(d, &c->all[i]);
    if (!found && !d->error.id) vkd_fail_(d, VKD_NO_LOADER, "Vulkan has no function %s", name);
    if (!d->error.id) return c;
    vkd_free_conversions_(c);
    return NULL;
}

XE_FN_ void vkd_record_conversions_(const vkd_device *d, VkCommandBuffer commands, const vkd_conversions_ *c)
{
    vkd_barrier_(d, commands);
    c->record(commands, c->count, c->all);
}

/* By the command, and waits. */
XE_FN_ bool vkd_convert_by_command_(vkd_device *d, const vkd_conversion *conversions, uint32_t count)
{
    vkd_conversions_ *all = vkd_make_conversions_(d, conversions, count);
    VkCommandBuffer commands = all ? vkd_begin_commands_(d, false) : NULL;
    if (commands) {
        vkd_record_conversions_(d, commands, all);
        vkd_barrier_(d, commands);
    }
    bool ok = commands && vkd_start_commands_(d, commands) && vkd_await_all_(d);
    vkd_free_conversions_(all);
    return ok;
}

/* narrowing.c - matrices that change their type, and those of FP8: converted in the host's memory. The driver's
 * function for the host changes the layout, as the command of NVIDIA's driver 580 writes FP8 as bytes where products
 * read f16; f32 and f16 become smaller floats here, rounded once, where the command rounds f32 to f16 before FP8. */

/* A float type: the bits of its mantissa, its exponents' bias, the codes of infinity (or what stands for it) and NaN,
 * and its sign's bit. */
typedef struct vkd_small_float_ {
    uint32_t mantissa, bias, infinity, nan, sign;
} vkd_small_float_;

/* Of a type that f32 can be rounded to. */
XE_FN_ const vkd_small_float_ *vkd_small_float_of_(const vkd_element_ *e)
{
    static const vkd_small_float_ f16 = {10, 15, 0x7c00, 0x7e00, 0x8000}, e4m3 = {3, 7, 0x7f, 0x7f, 0x80},
                                  e5m2 = {2, 15, 0x7c, 0x7e, 0x80};
    return e->bytes == 2 ? &f16 : e == vkd_element_of_("e4m3") ? &e4m3 : &e5m2;
}

/* f32 to the nearest, ties to even; beyond the range it becomes infinity, or NaN, where the type has none. */
XE_FN_ uint32_t vkd_round_(const vkd_small_float_ *f, uint32_t bits)
{
    uint32_t sign = bits >> 31 ? f->sign : 0, exponent = bits >> 23 & 0xff, least = 128 - f->bias;
    uint32_t shift = 23 - f->mantissa, m = exponent ? (bits & 0x7fffff) | 0x800000 : 0; /* smaller ones become 0 */
    if ((bits & 0x7fffffff) > 0x7f800000) return sign | f->nan;
    if (exponent < least) shift += least - exponent, exponent = least;
    if (shift > 25) return sign;
    uint32_t half = 1u << (shift - 1), rest = m & (2 * half - 1), q = m >> shift;
    q += rest > half || (rest == half && (q & 1));
    q += (exponent - least) << f->mantissa; /* carries into the exponent */
    return sign | (q < f->infinity ? q : f->infinity);
}

/* f16 as f32. */
XE_FN_ uint32_t vkd_half_as_f32_(uint32_t half)
{
    uint32_t sign = (half & 0x8000) << 16, exponent = half >> 10 & 31, m = half & 0x3ff;
    if (exponent == 31) return sign | 0x7f800000 | m << 13;
    if (!exponent && !m) return sign;
    for (exponent += !exponent; !(m & 0x400) && !(half & 0x7c00); exponent--) m <<= 1;
    return sign | (exponent + 112) << 23 | (m & 0x3ff) << 13;
}

/* Rows or columns of f32 or f16 as smaller floats without gaps between these. */
XE_FN_ void vkd_round_lines_(const vkd_conversion *c, const char *from, char *to)
{
    const vkd_element_ *to_type = vkd_element_of_(c->to_type);
    const vkd_small_float_ *f = vkd_small_float_of_(to_type);
    const bool by_rows = c->from_layout == VKD_ROW_MAJOR;
    const size_t lines = by_rows ? c->rows : c->columns, length = by_rows ? c->columns : c->rows;
    const size_t each = vkd_element_of_(c->from_type)->bytes, bytes = to_type->bytes;
    for (size_t i = 0; i < lines; i++)
        for (size_t k = 0; k < length; k++) {
            uint32_t bits = 0;
            uint16_t half;
            memcpy(&half, from + i * c->from_stride + each * k, 2);
            if (each == 2) bits = vkd_half_as_f32_(half);
            else memcpy(&bits, from + i * c->from_stride + each * k, 4);
            half = (uint16_t)vkd_round_(f, bits);
            const uint8_t byte = (uint8_t)half;
            memcpy(to + (i * length + k) * bytes, bytes == 2 ? (const void *)&half : &byte, bytes);
        }
}

/* Converts the host's copy of the source to that of the destination; rounded: room for numbers of the latter's type. */
XE_FN_ bool vkd_convert_copies_(vkd_device *d, const vkd_conversion *c, vkd_vector_conversion_ described,
                                const char *from, char *rounded, char *to)
{
    const uint32_t bytes = vkd_element_of_(c->to_type)->bytes;
    if (bytes < vkd_element_of_(c->from_type)->bytes && c->from_layout <= VKD_COLUMN_MAJOR) {
        vkd_round_lines_(c, from, rounded);
        from = rounded;
        described.from_type = described.to_type;
        described.from_stride = (size_t)(c->from_layout == VKD_ROW_MAJOR ? c->columns : c->rows) * bytes;
        described.from_bytes = (size_t)c->rows * c->columns * bytes;
    }
    described.from.host = from;
    described.to.host = to;
    return vkd_convert_by_driver_(d, &described);
}

/* One conversion. What lies between the destination's rows or columns is left as it is. */
XE_FN_ bool vkd_convert_on_host_(vkd_device *d, const vkd_conversion *c)
{
    vkd_vector_conversion_ described;
    size_t bytes = 0;
    if (!vkd_locate_conversion_(d, c, &described, &bytes)) return false;
    size_t source = described.from_bytes = vkd_source_bytes_(d, c, described);
    char *from = (char *)malloc(source), *to = (char *)calloc(1, bytes);
    char *rounded = (char *)malloc((size_t)c->rows * c->columns * vkd_element_of_(c->to_type)->bytes);
    bool ok = from && to && rounded;
    if (!ok) vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for a conversion of %zu bytes", source + bytes);
    ok = ok && vkd_copy_(d, from, c->from, source) &&
         (c->to_layout > VKD_COLUMN_MAJOR || vkd_copy_(d, to, c->to, bytes)) &&
         vkd_convert_copies_(d, c, described, from, rounded, to) && vkd_copy_(d, c->to, to, bytes);
    free(from), free(to), free(rounded);
    return ok;
}

/* Does only the layout change, of a type that the command knows? */
XE_FN_ bool vkd_is_for_command_(const vkd_conversion *c)
{
    const vkd_element_ *from = vkd_element_of_(c->from_type);
    return !from || (from == vkd_element_of_(c->to_type) && !vkd_is_fp8_(from->number));
}

bool vkd_convert_matrices_(vkd_device *d, const vkd_conversion *conversions, uint32_t count)
{
    bool ok = vkd_usable_(d) && vkd_are_described_(d, conversions, count);
    for (uint32_t i = 0, run; ok && i < count; i += run ? run : 1) {
        for (run = 0; i + run < count && vkd_is_for_command_(&conversions[i + run]);) run++;
        ok = run ? vkd_convert_by_command_(d, conversions + i, run) : vkd_convert_on_host_(d, conversions + i);
    }
    return ok;
}

/* events.c - events, by which work on one queue waits for work on another. An event is a semaphore that counts:
 * signalling it adds one, and following it waits for the count of the last signal that was submitted. */

bool vkd_event_create_(vkd_event *e, vkd_device *d)
{
    if (!e) return vkd_usable_(d) && vkd_fail_(d, VKD_NULL_POINTER, "vkd_event_create: the event is NULL");
    memset(e, 0, sizeof *e);
    e->device = d;
    if (!vkd_usable_(d)) return false;
    vkd_signal_state_ *state = (vkd_signal_state_ *)calloc(1, sizeof *state);
    if (!state) return vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for an event");
    state->semaphore = vkd_create_counter_(d);
    if (!state->semaphore) return free(state), false;
    if (!vkd_keep_handle_(d, VKD_RES_EVENT_, (uintptr_t)state)) return false;
    e->state_ = state;
    return true;
}

bool vkd_event_free_(vkd_event *e, const char *file, int line)
{
    vkd_device *d = e ? vkd_at_(e->device, file, line) : NULL;
    if (!d || !e->state_) return e != NULL;
    vkd_await_all_(d);
    bool ok = vkd_drop_(d, VKD_RES_EVENT_, (uintptr_t)e->state_);
    e->state_ = NULL;
    return ok;
}

/* Can the event be used with d? */
XE_FN_ bool vkd_event_is_for_(const vkd_event *e, vkd_device *d, const char *call)
{
    if (!e || !e->device || !e->state_) return vkd_fail_(d, VKD_EVENT_STATE, "%s: the event is not created", call);
    if (e->device->device == d->device) return true;
    return vkd_fail_(d, VKD_OTHER_DEVICE, "%s: the event is of \"%s\" (%p), the queue of \"%s\" (%p)", call,
                     e->device->name, (void *)e->device, d->name, (void *)d);
}

/* Where several devices have one queue, what waits there for a signal that comes later on the same queue waits forever.
 */
XE_FN_ bool vkd_may_follow_(const vkd_event *e, vkd_device *d, const char *call)
{
    if (!vkd_event_is_for_(e, d, call)) return false;
    vkd_lock_(d->shared_);
    bool own = d->shared_->opened <= d->shared_->queues, signalled = e->state_->count > 0;
    vkd_unlock_(d->shared_);
    return own || signalled ||
           vkd_fail_(d, VKD_EVENT_STATE, "%s: nothing signals the event yet, and \"%s\" has %" PRIu32 " queue%s for %"
                     PRIu32 " devices", call, d->name, d->shared_->queues, d->shared_->queues > 1 ? "s" : "",
                     d->shared_->opened);
}

bool vkd_signal_(vkd_device *d, vkd_event *e)
{
    return vkd_usable_(d) && vkd_event_is_for_(e, d, "vkd_signal") && vkd_submit_(d, NULL, NULL, e->state_);
}

bool vkd_follow_(vkd_device *d, vkd_event *e)
{
    return vkd_usable_(d) && vkd_may_follow_(e, d, "vkd_follow") && vkd_submit_(d, NULL, e->state_, NULL);
}

/* The device of an event that its caller waits for or asks, and the count that it waits for; NULL if there is none or
 * it has an error. */
XE_FN_ vkd_device *vkd_event_device_(const vkd_event *e, const char *call, const char *file, int line, uint64_t *count)
{
    if (!e || !e->device) {
        vkd_fail_alone_(VKD_EVENT_STATE, call, file, line);
        return NULL;
    }
    vkd_device *d = vkd_at_(e->device, file, line);
    if (!vkd_usable_(d) || !vkd_event_is_for_(e, d, call)) return NULL;
    vkd_lock_(d->shared_);
    *count = e->state_->count ? e->state_->count : 1;
    vkd_unlock_(d->shared_);
    return d;
}

bool vkd_event_wait_(vkd_event *e, const char *file, int line)
{
    uint64_t count;
    vkd_device *d = vkd_event_device_(e, "vkd_event_wait", file, line, &count);
    return d && vkd_await_(d, e->state_->semaphore, count);
}

bool vkd_event_done_(vkd_event *e, const char *file, int line)
{
    uint64_t count, now = 0;
    vkd_device *d = vkd_event_device_(e, "vkd_event_done", file, line, &count);
    return d && VKD_CALL_(d, vkGetSemaphoreCounterValue, (d->device, e->state_->semaphore, &now)) && now >= count;
}

/* append.c - checking launches, and recording them. */

XE_FN_ bool vkd_groups_ok_(const vkd_kernel *k, vkd_groups g)
{
    const uint32_t *most = k->device->target.max_groups;
    return (g.count_x && g.count_y && g.count_z && g.count_x <= most[0] && g.count_y <= most[1] &&
            g.count_z <= most[2]) ||
           vkd_fail_(k->device, VKD_GROUPS, "kernel %s: " VKD_XYZ_ " groups, \"%s\" takes 1 to " VKD_XYZ_, k->name,
                     g.count_x, g.count_y, g.count_z, k->device->name, most[0], most[1], most[2]);
}

/* Checks all arguments; their bytes where the kernel expects them; the offsets of those in local memory, which are
 * behind the module's variables, and its words in all. */
XE_FN_ bool vkd_bind_all_(const vkd_kernel *k, const vkd_arg *args, uint32_t count, unsigned char *bytes,
                          uint32_t *places)
{
    vkd_device *d = k->device;
    uint64_t local = (k->local_bytes + 15) / 16 * 16;
    if (count != k->param_count)
        return vkd_fail_(d, VKD_ARG_COUNT, "kernel %s takes %" PRIu32 " arguments, got %" PRIu32, k->name,
                         k->param_count, count);
    for (uint32_t i = 0; i < count; i++) {
        vkd_bound_ bound;
        if (!vkd_bind_(k, &args[i], i, &bound)) return false;
        if (k->params[i].kind == VKD_PARAM_PTR) bound.as.u = vkd_address_of_(d, bound.as.p);
        if (k->params[i].kind != VKD_PARAM_LOCAL) {
            memcpy(bytes + k->offsets_[i], bound.as.bytes, bound.size);
            continue;
        }
        places[i] = (uint32_t)local;
        local += (bound.size + 15) / 16 * 16;
        if (local > (uint64_t)d->target.local_memory)
            return vkd_fail_(d, VKD_LOCAL_MEMORY, "kernel %s: %" PRIu64 " bytes of local memory, \"%s\" has %d",
                             k->name, local, d->name, d->target.local_memory);
    }
    places[VKD_MAX_ARGS] = (uint32_t)(local / 4);
    return true;
}

/* Checks a launch: its pipeline, groups and arguments. */
XE_FN_ bool vkd_launch_ok_(vkd_kernel *k, vkd_groups groups, const vkd_arg *args, uint32_t count, vkd_bound_launch_ *l)
{
    uint32_t places[VKD_MAX_ARGS + 1];
    memset(l, 0, sizeof *l);
    memset(places, 0, sizeof places);
    if (!vkd_groups_ok_(k, groups) || !vkd_bind_all_(k, args, count, l->bytes, places) ||
        !vkd_make_pipeline_(k, places))
        return false;
    l->pipeline = k->pipeline_;
    l->groups = groups;
    return true;
}

/* Records a launch; queries: VK_NULL_HANDLE, or where its times go. */
XE_FN_ void vkd_record_launch_(const vkd_kernel *k, VkCommandBuffer commands, VkQueryPool queries, uint32_t query,
                               const vkd_bound_launch_ *l)
{
    const vkd_functions_ *vk = k->device->vk_;
    vkd_groups g = l->groups;
    vkd_barrier_(k->device, commands);
    if (k->in_memory_) {
        uint64_t address = vkd_address_of_(k->device, l->memory);
        memcpy(l->memory, l->bytes, k->bytes_);
        vk->vkCmdPushConstants(commands, k->layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, &address);
    } else if (k->bytes_) {
        vk->vkCmdPushConstants(commands, k->layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, (k->bytes_ + 7) / 8 * 8, l->bytes);
    }
    vk->vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, l->pipeline);
    if (queries) vk->vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, queries, query);
    vk->vkCmdDispatch(commands, g.count_x, g.count_y, g.count_z);
    if (queries) vk->vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, queries, query + 1);
}

/* steps.c - written by join.sh from ze_dispatch/steps.c. */

/* Is the batch in this state, and its device usable? */
XE_FN_ bool vkd_batch_is_(const vkd_batch *b, int state, const char *call, const char *file, int line)
{
    static const char *const names[] = {"not begun", "being recorded", "ended"};
    if (!b || !b->device) return vkd_fail_alone_(VKD_BATCH_STATE, call, file, line);
    if (!vkd_usable_(vkd_at_(b->device, file, line))) return false;
    if (b->state_ == state) return true;
    return vkd_fail_(b->device, VKD_BATCH_STATE, "%s of a batch that is %s, not %s", call, names[b->state_],
                     names[state]);
}

/* A list with room for one more: doubled if it is full. NULL if out of memory; the list remains then. */
XE_FN_ void *vkd_grow_(vkd_device *d, void *list, size_t count, size_t *room, size_t size)
{
    size_t more = *room ? 2 * *room : 8;
    if (count < *room) return list;
    list = realloc(list, more * size);
    if (list) *room = more;
    else vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for %zu steps of a batch", more);
    return list;
}

/* The i-th launch among the steps; NULL if there are fewer. */
XE_FN_ vkd_step_ *vkd_launch_of_(vkd_recording_ *r, int i)
{
    size_t first = 0, end = r->count; /* the last step with at most i launches before it is the launch */
    if (i < 0 || i >= r->launches) return NULL;
    while (end - first > 1) {
        size_t middle = first + (end - first) / 2;
        if (r->steps[middle].launches <= i) first = middle;
        else end = middle;
    }
    return &r->steps[first];
}

/* recording.c - what a batch consists of: its steps, so that its commands can be recorded again when arguments change.
 * Commands are recorded in segments, as a queue waits for events and signals them only between submissions. */

XE_FN_ vkd_recording_ *vkd_recording_make_(vkd_device *d)
{
    vkd_recording_ *r = (vkd_recording_ *)calloc(1, sizeof *r);
    if (!r) {
        vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for a batch");
        return NULL;
    }
    r->device = d;
    return vkd_keep_handle_(d, VKD_RES_RECORDING_, (uintptr_t)r) ? r : NULL;
}

XE_FN_ void vkd_free_commands_(vkd_recording_ *r)
{
    vkd_device *d = r->device;
    for (size_t i = 0; i < r->segment_count; i++)
        if (r->segments[i].commands) d->vk_->vkFreeCommandBuffers(d->device, d->pool, 1, &r->segments[i].commands);
    if (r->queries) d->vk_->vkDestroyQueryPool(d->device, r->queries, NULL);
    free(r->segments);
    r->segments = NULL;
    r->segment_count = 0;
    r->queries = VK_NULL_HANDLE;
}

/* The parameters' memory belongs to the device, which frees it. */
XE_FN_ void vkd_recording_free_(vkd_recording_ *r)
{
    vkd_free_commands_(r);
    for (size_t i = 0; i < r->count; i++) {
        free(r->steps[i].launch);
        vkd_free_conversions_(r->steps[i].conversions);
    }
    free(r->steps);
    free(r->kernels);
    free(r);
}

/* Appends a step, or returns NULL. */
XE_FN_ vkd_step_ *vkd_add_step_(vkd_recording_ *r, int kind)
{
    vkd_step_ *steps = (vkd_step_ *)vkd_grow_(r->device, r->steps, r->count, &r->room, sizeof *steps);
    if (!steps) return NULL;
    r->steps = steps;
    vkd_step_ *s = &steps[r->count++];
    memset(s, 0, sizeof *s);
    s->kind = kind;
    s->launches = r->launches;
    return s;
}

/* The index of a copy of the kernel; -1 on failure. */
XE_FN_ int vkd_kernel_index_(vkd_recording_ *r, const vkd_kernel *k)
{
    vkd_kernel *kernels = r->kernels;
    for (size_t i = r->kernel_count; i-- > 0;)
        if (kernels[i].layout_ == k->layout_ && kernels[i].module == k->module) return (int)i;
    kernels = (vkd_kernel *)vkd_grow_(r->device, kernels, r->kernel_count, &r->kernel_room, sizeof *kernels);
    if (!kernels) return -1;
    r->kernels = kernels;
    kernels[r->kernel_count] = *k;
    kernels[r->kernel_count].device = r->device;
    return (int)r->kernel_count++;
}

/* Memory for a launch's parameters, where they are not pushed. */
XE_FN_ bool vkd_give_memory_(vkd_recording_ *r, const vkd_kernel *k, vkd_bound_launch_ *l)
{
    if (k->in_memory_ && !l->memory) l->memory = vkd_alloc_(r->device, VKD_SHARED, k->bytes_, 0);
    return !k->in_memory_ || l->memory;
}

/* Appends a launch that has been checked. */
XE_FN_ bool vkd_step_launch_(vkd_recording_ *r, const vkd_kernel *k, const vkd_bound_launch_ *launch)
{
    int kernel = vkd_kernel_index_(r, k);
    vkd_bound_launch_ *copy = (vkd_bound_launch_ *)malloc(sizeof *copy);
    if (copy) *copy = *launch;
    vkd_step_ *s = copy && kernel >= 0 && vkd_give_memory_(r, k, copy) ? vkd_add_step_(r, VKD_STEP_LAUNCH_) : NULL;
    if (!s) {
        free(copy);
        return vkd_fail_(r->device, VKD_OUT_OF_MEMORY, "no room for a launch of %s", k->name);
    }
    s->kernel = kernel;
    s->launch = copy;
    r->launches++;
    return true;
}

/* Begins another segment; what it is to wait for may be NULL. */
XE_FN_ vkd_segment_ *vkd_begin_segment_(vkd_recording_ *r, vkd_signal_state_ *follows)
{
    vkd_segment_ *s = &r->segments[r->segment_count++];
    s->follows = follows;
    s->commands = vkd_begin_commands_(r->device, true);
    return s->commands ? s : NULL;
}

XE_FN_ bool vkd_end_segment_(vkd_recording_ *r, vkd_segment_ *s, vkd_signal_state_ *signals)
{
    s->signals = signals;
    vkd_barrier_(r->device, s->commands);
    return VKD_CALL_(r->device, vkEndCommandBuffer, (s->commands));
}

XE_FN_ void vkd_record_copy_(const vkd_device *d, VkCommandBuffer commands, const vkd_step_ *s)
{
    vkd_barrier_(d, commands);
    d->vk_->vkCmdCopyBuffer(commands, s->from, s->to, 1, &s->region);
}

/* Records the steps, anew if they were; the last run has ended. */
XE_FN_ bool vkd_record_(vkd_recording_ *r)
{
    vkd_device *d = r->device;
    uint32_t query = 0;
    vkd_free_commands_(r);
    r->stale = true;
    r->segments = (vkd_segment_ *)calloc(r->count + 1, sizeof *r->segments);
    if (!r->segments) return vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for a batch of %zu steps", r->count);
    if (r->timed && r->launches) r->queries = vkd_create_queries_(d, 2 * (uint32_t)r->launches);
    if (d->error.id) return false;
    vkd_segment_ *now = vkd_begin_segment_(r, NULL);
    if (now && r->queries) d->vk_->vkCmdResetQueryPool(now->commands, r->queries, 0, 2 * (uint32_t)r->launches);
    for (size_t i = 0; now && i < r->count; i++) {
        const vkd_step_ *s = &r->steps[i];
        bool ends = s->kind == VKD_STEP_SIGNAL_ || s->kind == VKD_STEP_FOLLOW_;
        if (s->kind == VKD_STEP_COPY_) vkd_record_copy_(d, now->commands, s);
        if (s->kind == VKD_STEP_CONVERT_) vkd_record_conversions_(d, now->commands, s->conversions);
        if (s->kind == VKD_STEP_LAUNCH_) {
            vkd_record_launch_(&r->kernels[s->kernel], now->commands, r->queries, query, s->launch);
            query += 2;
        }
        if (!ends) continue;
        if (!vkd_end_segment_(r, now, s->kind == VKD_STEP_SIGNAL_ ? s->event : NULL)) return false;
        now = vkd_begin_segment_(r, s->kind == VKD_STEP_FOLLOW_ ? s->event : NULL);
    }
    r->stale = !(now && vkd_end_segment_(r, now, NULL));
    return !r->stale;
}

/* batches.c - what a batch takes besides launches, and how it is run (runs.c), changed and freed. */

bool vkd_batch_copy_(vkd_batch *b, void *dst, const void *src, size_t bytes, const char *file, int line)
{
    const vkd_resource_ *to = NULL, *from = NULL;
    if (!vkd_batch_is_(b, VKD_BATCH_OPEN_, "vkd_batch_copy", file, line)) return false;
    vkd_device *d = b->device;
    if (!bytes) return true;
    if (!vkd_in_range_(d, "destination of a copy", dst, bytes, &to) ||
        !vkd_in_range_(d, "source of a copy", src, bytes, &from))
        return false;
    if (!to || !from)
        return vkd_fail_(d, VKD_NOT_ALLOCATED, "a batch copies between allocations; %p is in none", to ? src : dst);
    vkd_step_ *s = vkd_add_step_(b->recording_, VKD_STEP_COPY_);
    if (!s) return false;
    s->to = to->buffer;
    s->from = from->buffer;
    s->region.srcOffset = from->offset + ((uintptr_t)src - (uintptr_t)from->handle);
    s->region.dstOffset = to->offset + ((uintptr_t)dst - (uintptr_t)to->handle);
    s->region.size = bytes;
    return true;
}

bool vkd_batch_convert_(vkd_batch *b, const vkd_conversion *conversions, uint32_t count, const char *file, int line)
{
    if (!vkd_batch_is_(b, VKD_BATCH_OPEN_, "vkd_batch_convert", file, line)) return false;
    if (!count) return true;
    vkd_conversions_ *all = vkd_make_conversions_(b->device, conversions, count);
    vkd_step_ *s = all ? vkd_add_step_(b->recording_, VKD_STEP_CONVERT_) : NULL;
    if (s) s->conversions = all;
    else vkd_free_conversions_(all);
    return s != NULL;
}

/* Appends a step that signals an event, or follows one. */
XE_FN_ bool vkd_batch_event_(vkd_batch *b, const vkd_event *e, int kind, const char *call, const char *file, int line)
{
    if (!vkd_batch_is_(b, VKD_BATCH_OPEN_, call, file, line) || !vkd_event_is_for_(e, b->device, call)) return false;
    vkd_step_ *s = vkd_add_step_(b->recording_, kind);
    if (s) s->event = e->state_;
    return s != NULL;
}

/* Waits until the batch's run has ended. */
XE_FN_ bool vkd_batch_finish_(vkd_batch *b) { return vkd_await_tick_(b->device, b->recording_->run); }

/* Begins a run, when the one before has ended: commands cannot be submitted again while they run. */
XE_FN_ bool vkd_batch_execute_(vkd_batch *b)
{
    vkd_recording_ *r = b->recording_;
    vkd_device *d = b->device;
    if (!vkd_batch_finish_(b) || (r->stale && !vkd_record_(r))) return false;
    for (size_t i = 0; i < r->segment_count; i++) {
        const vkd_segment_ *s = &r->segments[i];
        vkd_event followed = {d, s->follows};
        if (s->follows && !vkd_may_follow_(&followed, d, "vkd_batch_start")) return false;
        if (!vkd_submit_(d, s->commands, s->follows, s->signals)) return false;
        r->run = d->ticks_;
    }
    return true;
}

bool vkd_batch_free_(vkd_batch *b, const char *file, int line)
{
    vkd_device *d = b ? vkd_at_(b->device, file, line) : NULL;
    if (!d) return true;
    vkd_await_all_(d);
    if (b->recording_) vkd_drop_(d, VKD_RES_RECORDING_, (uintptr_t)b->recording_);
    memset(b, 0, sizeof *b);
    return true;
}

bool vkd_batch_change_(vkd_batch *b, int launch, const char *file, int line, vkd_groups groups, const vkd_arg *args,
                       uint32_t count)
{
    vkd_bound_launch_ changed;
    if (!vkd_batch_is_(b, VKD_BATCH_CLOSED_, "vkd_batch_change", file, line)) return false;
    vkd_recording_ *r = b->recording_;
    vkd_step_ *s = vkd_launch_of_(r, launch);
    if (!s) return vkd_fail_(b->device, VKD_BATCH_LAUNCH, "launch %d of a batch of %d", launch, r->launches);
    if (!vkd_launch_ok_(&r->kernels[s->kernel], groups, args, count, &changed) || !vkd_batch_finish_(b)) return false;
    changed.memory = s->launch->memory;
    *s->launch = changed;
    r->stale = true;
    return true;
}

/* The device time of a step that is a launch, of a timed batch that has run. */
XE_FN_ bool vkd_step_ns_(const vkd_recording_ *r, const vkd_step_ *s, double *ns)
{
    return vkd_read_time_(r->device, r->queries, (uint32_t)s->launches, ns);
}

/* runs.c - written by join.sh from ze_dispatch/runs.c. */

bool vkd_batch_begin_(vkd_batch *b, vkd_device *d, bool timed)
{
    if (!b) return vkd_usable_(d) && vkd_fail_(d, VKD_NULL_POINTER, "vkd_batch_begin: the batch is NULL");
    memset(b, 0, sizeof *b);
    b->device = d;
    if (!vkd_usable_(d)) return false;
    b->recording_ = vkd_recording_make_(d);
    if (!b->recording_) return false;
    b->recording_->timed = timed;
    b->state_ = VKD_BATCH_OPEN_;
    return true;
}

bool vkd_batch_signal_(vkd_batch *b, vkd_event *e, const char *file, int line)
{
    return vkd_batch_event_(b, e, VKD_STEP_SIGNAL_, "vkd_batch_signal", file, line);
}

bool vkd_batch_follow_(vkd_batch *b, vkd_event *e, const char *file, int line)
{
    return vkd_batch_event_(b, e, VKD_STEP_FOLLOW_, "vkd_batch_follow", file, line);
}

bool vkd_batch_start_(vkd_batch *b, const char *file, int line)
{
    bool open = b && b->state_ == VKD_BATCH_OPEN_;
    if (!vkd_batch_is_(b, open ? VKD_BATCH_OPEN_ : VKD_BATCH_CLOSED_, "vkd_batch_start", file, line)) return false;
    if (open && !vkd_record_(b->recording_)) return false;
    b->state_ = VKD_BATCH_CLOSED_;
    return vkd_batch_execute_(b);
}

bool vkd_batch_end_(vkd_batch *b, const char *file, int line)
{
    return vkd_batch_is_(b, VKD_BATCH_OPEN_, "vkd_batch_end", file, line) && vkd_batch_start_(b, file, line) &&
           vkd_batch_finish_(b);
}

bool vkd_batch_run_(vkd_batch *b, const char *file, int line)
{
    return vkd_batch_is_(b, VKD_BATCH_CLOSED_, "vkd_batch_run", file, line) && vkd_batch_execute_(b) &&
           vkd_batch_finish_(b);
}

bool vkd_batch_wait_(vkd_batch *b, const char *file, int line)
{
    return vkd_batch_is_(b, VKD_BATCH_CLOSED_, "vkd_batch_wait", file, line) && vkd_batch_finish_(b);
}

/* times.c - written by join.sh from ze_dispatch/times.c. */

double vkd_batch_ns_(vkd_batch *b, int launch, const char *file, int line)
{
    double ns = -1;
    if (!vkd_batch_is_(b, VKD_BATCH_CLOSED_, "vkd_batch_ns", file, line)) return -1;
    vkd_recording_ *r = b->recording_;
    const vkd_step_ *s = vkd_launch_of_(r, launch);
    if (!r->timed || !s) {
        vkd_fail_(b->device, VKD_BATCH_LAUNCH, "vkd_batch_ns of launch %d: the batch has %d, %stimed", launch,
                  r->launches, r->timed ? "" : "un");
        return -1;
    }
    return vkd_batch_finish_(b) && vkd_step_ns_(r, s, &ns) ? ns : -1;
}

/* A kernel's launches in a batch, for the table of times. */
typedef struct vkd_time_ {
    const char *name;
    int launches;
    double ns;
} vkd_time_;

XE_FN_ int vkd_longer_first_(const void *a, const void *b)
{
    double x = ((const vkd_time_ *)a)->ns, y = ((const vkd_time_ *)b)->ns;
    return (x < y) - (x > y);
}

bool vkd_batch_print_times_(vkd_batch *b, FILE *f, const char *file, int line)
{
    double all = 0;
    size_t rows = 0;
    if (!vkd_batch_is_(b, VKD_BATCH_CLOSED_, "vkd_batch_print_times", file, line)) return false;
    vkd_recording_ *r = b->recording_;
    if (!r->timed) return vkd_fail_(b->device, VKD_BATCH_LAUNCH, "vkd_batch_print_times: the batch is untimed");
    vkd_time_ *times = (vkd_time_ *)calloc(r->kernel_count + 1, sizeof *times);
    if (!times) return vkd_fail_(b->device, VKD_OUT_OF_MEMORY, "no room for %zu rows", r->kernel_count);
    if (!vkd_batch_finish_(b)) return free(times), false;
    for (size_t i = 0; i < r->count; i++) {
        const vkd_step_ *s = &r->steps[i];
        size_t row = 0;
        double ns;
        if (s->kind != VKD_STEP_LAUNCH_) continue;
        if (!vkd_step_ns_(r, s, &ns)) break;
        const char *name = r->kernels[s->kernel].name;
        while (row < rows && strcmp(times[row].name, name) != 0) row++;
        if (row == rows) times[rows++].name = name;
        times[row].launches++;
        times[row].ns += ns;
        all += ns;
    }
    qsort(times, rows, sizeof *times, vkd_longer_first_);
    for (size_t i = 0; i < rows && !b->device->error.id; i++) {
        long long hundredths = (long long)(times[i].ns / 10 + 0.5);
        long long share = (long long)(1000 * times[i].ns / (all > 0 ? all : 1) + 0.5);
        fprintf(f, "%-32s %6d x %10lld.%02lld us %4lld.%lld %%\n", times[i].name, times[i].launches, hundredths / 100,
                hundredths % 100, share / 10, share % 10);
    }
    free(times);
    return !b->device->error.id;
}

/* matrices.c - cooperative matrices: which target a device is by the shapes that its driver lists. Its
 * structure is that of VK_KHR_cooperative_matrix, which older headers lack. */

typedef struct vkd_shape_ {
    VkStructureType sType;
    void *pNext;
    uint32_t m, n, k, a, b, c, result; /* sizes; types of components */
    VkBool32 saturates;
    uint32_t scope;
} vkd_shape_;

enum { VKD_MATRIX_SHAPE_ = 1000506001, VKD_BFLOAT16_ = 1000141000, VKD_SUBGROUP_ = 3 };
enum { VKD_F16_, VKD_F32_, VKD_I8_ = 3, VKD_I32_ = 5, VKD_U8_ = 7, VKD_U32_ = 9 };

/* What a device of a target lists. */
static const struct {
    const char *target;
    uint32_t m, n, k, type, sum;
} vkd_shapes_[] = {
    {"hopper", 16, 16, 16, VKD_F16_, VKD_F16_}, {"hopper", 16, 16, 16, VKD_F16_, VKD_F32_},
    {"hopper", 16, 16, 16, VKD_BFLOAT16_, VKD_F32_}, {"hopper", 16, 16, 32, VKD_I8_, VKD_I32_},
    {"hopper", 16, 16, 32, VKD_U8_, VKD_U32_},
};
enum { VKD_SHAPES_ = sizeof vkd_shapes_ / sizeof *vkd_shapes_ };

/* The shapes that the driver lists; their number, 0: none. */
XE_FN_ uint32_t vkd_list_shapes_(const vkd_device *d, vkd_shape_ *shapes, uint32_t most)
{
    typedef VkResult (VKAPI_PTR *list_fn)(VkPhysicalDevice device, uint32_t *count, vkd_shape_ *shapes);
    const char *name = "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR";
    PFN_vkVoidFunction found = d->vk_->vkGetInstanceProcAddr(d->instance, name);
    list_fn list;
    memset(shapes, 0, most * sizeof *shapes);
    for (uint32_t i = 0; i < most; i++) shapes[i].sType = (VkStructureType)VKD_MATRIX_SHAPE_;
    memcpy(&list, &found, sizeof list);
    if (!found) return 0;
    VkResult result = list(d->physical, &most, shapes);
    return result == VK_SUCCESS || result == VK_INCOMPLETE ? most : 0;
}

/* Does the driver list what a row says? */
XE_FN_ bool vkd_lists_(const vkd_shape_ *shapes, uint32_t count, int row)
{
    for (uint32_t i = 0; i < count; i++) {
        const vkd_shape_ *s = &shapes[i];
        if (s->m == vkd_shapes_[row].m && s->n == vkd_shapes_[row].n && s->k == vkd_shapes_[row].k &&
            s->a == vkd_shapes_[row].type && s->b == s->a && s->c == vkd_shapes_[row].sum && s->result == s->c &&
            !s->saturates && s->scope == VKD_SUBGROUP_)
            return true;
    }
    return false;
}

/* If the device has the matrices of a target: names it. */
XE_FN_ void vkd_name_by_matrices_(vkd_device *d, const vkd_features_ *f)
{
    enum { MOST = 64 };
    vkd_shape_ *shapes;
    uint32_t count;
    bool all = true;
    if (!f->matrices.has[0] || !f->bfloat16.has[0] || !f->bfloat16.has[2]) return;
    shapes = (vkd_shape_ *)malloc(MOST * sizeof *shapes);
    count = shapes ? vkd_list_shapes_(d, shapes, MOST) : 0;
    for (int i = 0; i < VKD_SHAPES_; i++) all = all && vkd_lists_(shapes, count, i);
    free(shapes);
    if (all && (d->target.subgroup_sizes & 32)) d->target.name = vkd_shapes_[0].target;
}

/* open.c - choosing and opening a device, listing them, closing. */

XE_FN_ char vkd_lower_(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c; }

/* Does `part` occur in the text, whatever the case? */
XE_FN_ bool vkd_contains_(const char *text, const char *part)
{
    for (; *text; text++) {
        size_t i = 0;
        while (part[i] && vkd_lower_(text[i]) == vkd_lower_(part[i])) i++;
        if (!part[i]) return true;
    }
    return false;
}

/* The device that the options ask for, of n; -1 and an error if there is none. */
XE_FN_ int vkd_choose_(vkd_device *d, const vkd_options *o, const vkd_info *infos, int n)
{
    const char *name = o ? o->name : NULL, *either = o ? o->device : NULL, *env = getenv("XETILE_VULKAN_DEVICE");
    int index = o ? o->index_plus_1 - 1 : -1;
    char *end = NULL, all[1024] = "";
    if (index < 0 && !name && !either && env && *env) either = env;
    if (index < 0 && !name && either) {
        long number = strtol(either, &end, 10);
        if (end != either && !*end) index = number < 0 || number > 1000000 ? 1000000 : (int)number;
        else name = either;
    }
    if (index < 0 && !name) return 0;
    for (int i = 0; i < n; i++) {
        if (index >= 0 ? i == index : vkd_contains_(infos[i].name, name)) return i;
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%d \"%s\"", i ? ", " : "", i, infos[i].name);
    }
    if (index >= 0) vkd_fail_(d, VKD_NO_SUCH_DEVICE, "no device %d; there are %s", index, all);
    else vkd_fail_(d, VKD_NO_SUCH_DEVICE, "no device \"%.100s\"; there are %s", name, all);
    return -1;
}

const char *vkd_target_log(const vkd_device *d)
{
    (void)d;
    return "vulkan, as every device through this header";
}

/* Fills d->target, and what times and memory are measured in. */
XE_FN_ void vkd_describe_(vkd_device *d, vkd_features_ *f)
{
    VkPhysicalDeviceProperties2 p;
    VkPhysicalDeviceSubgroupSizeControlProperties sizes;
    VkPhysicalDeviceMaintenance3Properties most;
    const VkPhysicalDeviceLimits *l = &p.properties.limits;
    vkd_target *t = &d->target;
    VKD_CLEAR_(p, PHYSICAL_DEVICE_PROPERTIES_2);
    VKD_CLEAR_(sizes, PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES);
    VKD_CLEAR_(most, PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES);
    p.pNext = &sizes;
    sizes.pNext = &most;
    VKD_CLEAR_(f->floats, PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES);
    most.pNext = &f->floats;
    d->vk_->vkGetPhysicalDeviceProperties2(d->physical, &p);
    d->vk_->vkGetPhysicalDeviceMemoryProperties(d->physical, &d->heaps_);
    t->name = "vulkan";
    for (uint32_t size = sizes.minSubgroupSize; size && size <= sizes.maxSubgroupSize; size *= 2)
        t->subgroup_sizes |= size;
    t->local_memory = (int)l->maxComputeSharedMemorySize;
    t->max_group_size = (int)l->maxComputeWorkGroupInvocations;
    for (int i = 0; i < 3; i++) {
        t->max_group_dim[i] = (int)l->maxComputeWorkGroupSize[i];
        t->max_groups[i] = l->maxComputeWorkGroupCount[i];
    }
    t->push_bytes = l->maxPushConstantsSize;
    t->fp16 = f->in_1_2.shaderFloat16;
    t->fp64 = f->all.features.shaderFloat64;
    t->int8 = f->in_1_2.shaderInt8;
    t->int16 = f->all.features.shaderInt16;
    t->int64 = f->all.features.shaderInt64;
    t->storage8 = f->in_1_2.storageBuffer8BitAccess;
    t->storage16 = f->in_1_1.storageBuffer16BitAccess;
    t->vendor_id = p.properties.vendorID;
    t->device_id = p.properties.deviceID;
    memcpy(f->cache_id, p.properties.pipelineCacheUUID, sizeof f->cache_id);
    t->max_alloc = most.maxMemoryAllocationSize;
    d->tick_ns_ = (double)l->timestampPeriod;
}

/* The first family of queues that runs kernels, and what its queues share. */
XE_FN_ bool vkd_find_queue_(vkd_device *d)
{
    VkQueueFamilyProperties families[32];
    uint32_t count = 32;
    d->vk_->vkGetPhysicalDeviceQueueFamilyProperties(d->physical, &count, families);
    for (d->family_ = 0; d->family_ < count; d->family_++) {
        const VkQueueFamilyProperties *family = &families[d->family_];
        if (family->queueFlags & VK_QUEUE_COMPUTE_BIT) return vkd_share_(d, family->queueCount);
    }
    return vkd_fail_(d, VKD_NO_DEVICE, "\"%s\" has no queue that runs kernels", d->name);
}

/* A queue of the device's own, while its family has any; then the last one for all others. With it what is recorded
 * for it, times, and the clock. */
XE_FN_ bool vkd_make_queue_(vkd_device *d)
{
    VkCommandPoolCreateInfo pool;
    vkd_lock_(d->shared_);
    uint32_t index = d->shared_->opened++;
    vkd_unlock_(d->shared_);
    if (index >= d->shared_->queues) index = d->shared_->queues - 1;
    d->vk_->vkGetDeviceQueue(d->device, d->family_, index, &d->queue);
    VKD_CLEAR_(pool, COMMAND_POOL_CREATE_INFO);
    pool.queueFamilyIndex = d->family_;
    if (!VKD_CALL_(d, vkCreateCommandPool, (d->device, &pool, NULL, &d->pool))) return false;
    d->queries = vkd_create_queries_(d, 2);
    d->clock_ = d->queries ? vkd_create_counter_(d) : VK_NULL_HANDLE;
    return d->clock_ != VK_NULL_HANDLE;
}

XE_FN_ bool vkd_create_device_(vkd_device *d)
{
    vkd_features_ *f = d->features_ = (vkd_features_ *)malloc(sizeof *f);
    VkDeviceQueueCreateInfo queue;
    VkDeviceCreateInfo info;
    float priorities[VKD_QUEUES_];
    const char *extensions[VKD_EXTENSIONS_];
    uint32_t extension_count;
    if (!f) return vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for the device's features");
    extension_count = vkd_use_extensions_(d, f, extensions);
    vkd_describe_(d, f);
    vkd_name_by_matrices_(d, f);
    vkd_list_products_(d, f);
    if (d->shared_->queues > VKD_QUEUES_) d->shared_->queues = VKD_QUEUES_;
    for (int i = 0; i < VKD_QUEUES_; i++) priorities[i] = 1;
    VKD_CLEAR_(queue, DEVICE_QUEUE_CREATE_INFO);
    queue.queueFamilyIndex = d->family_;
    queue.queueCount = d->shared_->queues;
    queue.pQueuePriorities = priorities;
    VKD_CLEAR_(info, DEVICE_CREATE_INFO);
    info.pNext = &f->all;
    info.enabledExtensionCount = extension_count;
    info.ppEnabledExtensionNames = extensions;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    return VKD_CALL_(d, vkCreateDevice, (d->physical, &info, NULL, &d->device)) && vkd_find_device_(d) &&
           vkd_make_queue_(d);
}

void vkd_close_(vkd_device *d)
{
    if (!d || !d->vk_) return;
    if (d->device) {
        vkd_await_all_(d);
        vkd_drop_all_(d);
        if (d->queries) d->vk_->vkDestroyQueryPool(d->device, d->queries, NULL);
        if (d->clock_) d->vk_->vkDestroySemaphore(d->device, d->clock_, NULL);
        if (d->pool) d->vk_->vkDestroyCommandPool(d->device, d->pool, NULL);
    }
    if (!d->borrowed_) {
        if (d->device) d->vk_->vkDestroyDevice(d->device, NULL);
        if (d->messenger_) d->vk_->vkDestroyDebugUtilsMessengerEXT(d->instance, d->messenger_, NULL);
        if (d->instance) d->vk_->vkDestroyInstance(d->instance, NULL);
        vkd_unshare_(d);
        free(d->features_);
        free(d->vk_);
    }
    free(d->started_);
    free(d->loaned_);
    vkd_error error = d->error;
    int complaints = d->complaints;
    memset(d, 0, sizeof *d);
    d->error = error;
    d->complaints = complaints;
}

bool vkd_open_(vkd_device *d, const vkd_options *options, const char *file, int line)
{
    VkPhysicalDevice devices[VKD_MAX_DEVICES];
    vkd_info *infos = (vkd_info *)malloc(VKD_MAX_DEVICES * sizeof *infos);
    const char *env = getenv("XETILE_VULKAN_VALIDATE");
    bool validate = (options && options->validate) || (env && *env == '1');
    int n = -1, chosen = -1;
    memset(d, 0, sizeof *d);
    vkd_at_(d, file, line);
    if (!infos) vkd_fail_(d, VKD_OUT_OF_MEMORY, "no room for a list of devices");
    else if (vkd_create_instance_(d, validate)) n = vkd_find_devices_(d, devices, infos);
    if (n > 0) chosen = vkd_choose_(d, options, infos, n);
    if (chosen >= 0) {
        d->physical = devices[chosen];
        memcpy(d->name, infos[chosen].name, sizeof d->name);
        memcpy(d->driver, infos[chosen].driver, sizeof d->driver);
        d->open_ = vkd_find_queue_(d) && vkd_create_device_(d);
    }
    free(infos);
    if (!d->open_) vkd_close_(d);
    return d->open_;
}

bool vkd_open_queue_(vkd_device *second, vkd_device *first, const char *file, int line)
{
    if (!second) return false;
    if (second == first && second->open_) { /* it would be overwritten: it keeps the error, and stays open */
        vkd_at_(second, file, line);
        return vkd_fail_(second, VKD_SAME_DEVICE, "an open device cannot be a queue of itself");
    }
    memset(second, 0, sizeof *second);
    vkd_at_(second, file, line);
    if (!first || !first->open_) return vkd_fail_(second, VKD_NOT_OPEN, "the device to share is not open");
    second->instance = first->instance;
    second->physical = first->physical;
    second->device = first->device;
    memcpy(second->name, first->name, sizeof second->name);
    memcpy(second->driver, first->driver, sizeof second->driver);
    second->target = first->target;
    second->borrowed_ = true;
    second->family_ = first->family_;
    second->tick_ns_ = first->tick_ns_;
    second->heaps_ = first->heaps_;
    second->shared_ = first->shared_;
    second->vk_ = first->vk_;
    second->features_ = first->features_;
    second->open_ = vkd_make_queue_(second);
    if (!second->open_) vkd_close_(second);
    return second->open_;
}

int vkd_list_(vkd_info *infos, int max, vkd_error *error, const char *file, int line)
{
    VkPhysicalDevice devices[VKD_MAX_DEVICES];
    vkd_device d;
    vkd_info *all = (vkd_info *)malloc(VKD_MAX_DEVICES * sizeof *all);
    int n = -1;
    memset(&d, 0, sizeof d);
    vkd_at_(&d, file, line);
    if (!all) vkd_fail_(&d, VKD_OUT_OF_MEMORY, "no room for a list of devices");
    else if (vkd_create_instance_(&d, false)) n = vkd_find_devices_(&d, devices, all);
    for (int i = 0; i < n && i < max; i++) infos[i] = all[i];
    if (error) *error = d.error;
    vkd_close_(&d);
    free(all);
    return n;
}

bool vkd_print_list_(FILE *f, const char *file, int line)
{
    vkd_device d;
    vkd_info *infos = (vkd_info *)malloc(VKD_MAX_DEVICES * sizeof *infos);
    memset(&d, 0, sizeof d);
    int n = infos ? vkd_list_(infos, VKD_MAX_DEVICES, &d.error, file, line) : -1;
    for (int i = 0; i < n; i++) fprintf(f, "%d %s (%s)\n", i, infos[i].name, infos[i].driver);
    if (n < 0) vkd_print_error(&d, f);
    free(infos);
    return n >= 0;
}

/* launch.c - launches. */

/* Can the kernel be appended to the batch? */
XE_FN_ bool vkd_batch_takes_(const vkd_batch *b, const vkd_kernel *k, const char *file, int line)
{
    if (!b || !b->device) return vkd_fail_(k->device, VKD_BATCH_STATE, "kernel %s: the batch is not begun", k->name);
    if (!vkd_batch_is_(b, VKD_BATCH_OPEN_, "vkd_batch_launch", file, line)) return false;
    return b->device->device == k->device->device ||
           vkd_fail_(k->device, VKD_OTHER_DEVICE, "kernel %s is of \"%s\" (%p), the batch of \"%s\" (%p)", k->name,
                     k->device->name, (void *)k->device, b->device->name, (void *)b->device);
}

/* Records the launch in commands of its own and starts them. */
XE_FN_ bool vkd_start_(vkd_kernel *k, bool timed, vkd_bound_launch_ *l)
{
    vkd_device *d = k->device;
    if (k->in_memory_ && !(l->memory = vkd_loan_(d, k->bytes_))) return false;
    VkCommandBuffer commands = vkd_begin_commands_(d, false);
    if (!commands) return false;
    if (timed) d->vk_->vkCmdResetQueryPool(commands, d->queries, 0, 2);
    vkd_record_launch_(k, commands, timed ? d->queries : VK_NULL_HANDLE, 0, l);
    vkd_barrier_(d, commands);
    return vkd_start_commands_(d, commands);
}

bool vkd_launch_(vkd_kernel *k, vkd_batch *b, int how, double *ns, const char *file, int line, vkd_groups groups,
                 const vkd_arg *args, uint32_t count)
{
    vkd_bound_launch_ launch;
    if (!vkd_kernel_usable_(k, file, line)) return false;
    vkd_device *d = k->device;
    if (how == VKD_RUN_BATCH_ && !vkd_batch_takes_(b, k, file, line)) return false;
    if (!vkd_launch_ok_(k, groups, args, count, &launch)) return false;
    if (how == VKD_RUN_BATCH_) {
        if (!vkd_step_launch_(b->recording_, k, &launch)) return false;
        b->launches++;
        return true;
    }
    if (!vkd_start_(k, ns != NULL, &launch)) return false;
    if (how == VKD_RUN_START_) return true;
    return vkd_await_all_(d) && (!ns || vkd_read_time_(d, d->queries, 0, ns));
}

double vkd_launch_timed_(vkd_kernel *k, const char *file, int line, vkd_groups groups, const vkd_arg *args,
                         uint32_t count)
{
    double ns = 0;
    return vkd_launch_(k, NULL, VKD_RUN_WAIT_, &ns, file, line, groups, args, count) ? ns : -1.0;
}

XETILE_AS_BEFORE_
#endif /* VK_DISPATCH_BODIES_ */

#ifndef VK_DISPATCH_MACROS_
#define VK_DISPATCH_MACROS_
#if defined(__INCLUDE_LEVEL__) && __INCLUDE_LEVEL__ > 0
#pragma GCC system_header
#endif

/* ---- macros of launches: errors are reported at the user's line -------------------------------------------------- */

/* ---- launching with C values as arguments ---------------------------------------------------------------------- */

/* C number types, the function that makes a vkd_arg, and the kind of pointers to the type: X(type, how, kind). */
#define VKD_TYPES_(X)                                                                                                  \
    X(char, int, 'c') X(signed char, int, 'i') X(short, int, 'i') X(int, int, 'i') X(long, int, 'i')                   \
    X(long long, int, 'i') X(unsigned char, uint, 'u') X(unsigned short, uint, 'u') X(unsigned, uint, 'u')             \
    X(unsigned long, uint, 'u') X(unsigned long long, uint, 'u') X(float, float, 'f') X(double, double, 'f')

#if !defined(__cplusplus)

#if defined(__FLT16_MANT_DIG__) && (!defined(__clang__) || __clang_major__ >= 15)
__extension__ typedef _Float16 vkd_float16_;
#define VKD_C_TYPES_(X) VKD_TYPES_(X) X(vkd_float16_, float, 'f')
#else
#define VKD_C_TYPES_(X) VKD_TYPES_(X)
#endif

/* A vkd_arg of any integer, float, double, pointer or vkd_local. */
#define VKD_ARG(x)                                                                                                     \
    vkd_arg_text_(_Generic((x), VKD_C_TYPES_(VKD_MAKE_) bool: vkd_arg_uint_, vkd_local: vkd_arg_local_,                \
                  vkd_arg: vkd_arg_same_, default: vkd_arg_pointer_)((x), VKD_CODE_OF_(x)), #x)
#define VKD_CODE_OF_(x) _Generic((x), VKD_C_TYPES_(VKD_CODE_X_) bool: 1, default: 'v' << 8)
#define VKD_MAKE_(type, how, kind) type: vkd_arg_##how##_,
#define VKD_CODE_X_(type, how, kind)                                                                                   \
    type: (int)sizeof(type), type *: VKD_CODE_(kind, type), const type *: VKD_CODE_(kind, type),

/* The initialisers of a list of 0 to 32 arguments plus a terminator, so that no list is empty: groups of four, then a
 * last one of 1 to 4. VKD_FOURS_OF_ counts both. */
#define VKD_LAST_1_(end) {0}
#define VKD_LAST_2_(a, end) VKD_ARG(a), {0}
#define VKD_LAST_3_(a, b, end) VKD_ARG(a), VKD_ARG(b), {0}
#define VKD_LAST_4_(a, b, c, end) VKD_ARG(a), VKD_ARG(b), VKD_ARG(c), {0}
#define VKD_FOUR_(a, b, c, d) VKD_ARG(a), VKD_ARG(b), VKD_ARG(c), VKD_ARG(d)
#define VKD_FOURS_0_(last, ...) last(__VA_ARGS__)
#define VKD_FOURS_1_(last, a, b, c, d, ...) VKD_FOUR_(a, b, c, d), VKD_FOURS_0_(last, __VA_ARGS__)
#define VKD_FOURS_2_(last, a, b, c, d, ...) VKD_FOUR_(a, b, c, d), VKD_FOURS_1_(last, __VA_ARGS__)
#define VKD_FOURS_3_(last, a, b, c, d, ...) VKD_FOUR_(a, b, c, d), VKD_FOURS_2_(last, __VA_ARGS__)
#define VKD_FOURS_4_(last, a, b, c, d, ...) VKD_FOUR_(a, b, c, d), VKD_FOURS_3_(last, __VA_ARGS__)
#define VKD_FOURS_5_(last, a, b, c, d, ...) VKD_FOUR_(a, b, c, d), VKD_FOURS_4_(last, __VA_ARGS__)
#define VKD_FOURS_6_(last, a, b, c, d, ...) VKD_FOUR_(a, b, c, d), VKD_FOURS_5_(last, __VA_ARGS__)
#define VKD_FOURS_7_(last, a, b, c, d, ...) VKD_FOUR_(a, b, c, d), VKD_FOURS_6_(last, __VA_ARGS__)
#define VKD_FOURS_8_(last, a, b, c, d, ...) VKD_FOUR_(a, b, c, d), VKD_FOURS_7_(last, __VA_ARGS__)
#define VKD_FOURS_OF_(...)                                                                                             \
    VKD_COUNT_X_(__VA_ARGS__, ~, ~, ~, ~, ~, ~, ~, (8, 1), (7, 4), (7, 3), (7, 2), (7, 1), (6, 4), (6, 3), (6, 2),     \
                 (6, 1), (5, 4), (5, 3), (5, 2), (5, 1), (4, 4), (4, 3), (4, 2), (4, 1), (3, 4), (3, 3), (3, 2),       \
                 (3, 1), (2, 4), (2, 3), (2, 2), (2, 1), (1, 4), (1, 3), (1, 2), (1, 1), (0, 4), (0, 3), (0, 2),       \
                 (0, 1), ~)
#define VKD_COUNT_X_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21,   \
                     a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40,    \
                     n, ...) n

#define VKD_JOIN_(a, b, c) VKD_JOIN_X_(a, b, c)
#define VKD_JOIN_X_(a, b, c) a##b##c
/* 1 if x begins with parentheses and goes on behind them, like a literal (vkd_groups){x, y, z}, which is three
 * arguments to a macro. Of ((vkd_groups){x, y, z}), nothing is left behind the parentheses. */
#define VKD_IS_LITERAL_(x, ...) VKD_FOURTH_(VKD_CUT_ x(), 1, ~, 0, ~)
#define VKD_CUT_(...) ~, ~, VKD_LEFT_
#define VKD_LEFT_() ~, 0
#define VKD_FOURTH_(...) VKD_FOURTH_X_(__VA_ARGS__)
#define VKD_FOURTH_X_(a, b, c, d, ...) d

/* groups and arguments -> groups, array, count */
#define VKD_PACK_(...) VKD_JOIN_(VKD_PACK_, VKD_IS_LITERAL_(__VA_ARGS__, ~), _)(__VA_ARGS__, end)
#define VKD_PACK_0_(g, ...) g, VKD_ARRAY_(VKD_FOURS_OF_(__VA_ARGS__), __VA_ARGS__)
#define VKD_PACK_1_(x, y, z, ...) x, y, z, VKD_ARRAY_(VKD_FOURS_OF_(__VA_ARGS__), __VA_ARGS__)
#define VKD_FOURS_(fours, rest) fours
#define VKD_REST_(fours, rest) rest
#define VKD_ARRAY_(n, ...) VKD_ARRAY_X_(VKD_FOURS_ n, VKD_REST_ n, __VA_ARGS__)
#define VKD_ARRAY_X_(fours, rest, ...)                                                                                 \
    (vkd_arg[]){VKD_JOIN_(VKD_FOURS_, fours, _)(VKD_JOIN_(VKD_LAST_, rest, _), __VA_ARGS__)}, 4 * fours + rest - 1
#define vkd_launch(kernel, ...)                                                                                        \
    vkd_launch_((kernel), NULL, VKD_RUN_WAIT_, NULL, __FILE__, __LINE__, VKD_PACK_(__VA_ARGS__)) /* bool */
#define vkd_launch_timed(kernel, ...)                                                                                  \
    vkd_launch_timed_((kernel), __FILE__, __LINE__, VKD_PACK_(__VA_ARGS__)) /* double, ns */
#define vkd_start(kernel, ...)                                                                                         \
    vkd_launch_((kernel), NULL, VKD_RUN_START_, NULL, __FILE__, __LINE__, VKD_PACK_(__VA_ARGS__)) /* bool */
#define vkd_batch_launch(batch, kernel, ...)                                                                           \
    vkd_launch_((kernel), (batch), VKD_RUN_BATCH_, NULL, __FILE__, __LINE__, VKD_PACK_(__VA_ARGS__)) /* bool */
#define vkd_batch_change(batch, launch, ...)                                                                           \
    vkd_batch_change_((batch), (launch), __FILE__, __LINE__, VKD_PACK_(__VA_ARGS__)) /* bool */

#else /* C++: overloads and one template instead of _Generic */

#define VKD_X_(type, how, kind)                                                                                        \
    inline vkd_arg vkd_arg_of_(type v) { return vkd_arg_##how##_(v, (int)sizeof v); }                                  \
    inline vkd_arg vkd_arg_of_(const type *p) { return vkd_arg_pointer_(p, VKD_CODE_(kind, type)); }
VKD_TYPES_(VKD_X_)
#undef VKD_X_
inline vkd_arg vkd_arg_of_(bool v) { return vkd_arg_uint_(v, 1); }
inline vkd_arg vkd_arg_of_(const volatile void *p) { return vkd_arg_ptr(p); }
inline vkd_arg vkd_arg_of_(decltype(nullptr)) { return vkd_arg_ptr(NULL); }
inline vkd_arg vkd_arg_of_(vkd_local v) { return vkd_arg_local_(v, 0); }
inline vkd_arg vkd_arg_of_(vkd_arg a) { return a; }

#define VKD_ARG(x) vkd_arg_text_(vkd_arg_of_(x), #x)

/* The arguments as an array that lives as long as the call. Where one cannot be an argument, there is no such function:
 * compilers say so at the user's line. */
template <class... T>
inline auto vkd_launch_cpp_(vkd_kernel *k, vkd_batch *b, int how, double *ns, const char *file, int line,
                            vkd_groups groups, T... args) -> decltype(((void)vkd_arg_of_(args), ...), true)
{
    vkd_arg list[sizeof...(args) + 1] = {vkd_arg_of_(args)..., vkd_arg_ptr(NULL)};
    return vkd_launch_(k, b, how, ns, file, line, groups, list, (uint32_t)sizeof...(args));
}

template <class... T>
inline auto vkd_launch_timed_cpp_(vkd_kernel *k, const char *file, int line, vkd_groups groups, T... args)
    -> decltype(((void)vkd_arg_of_(args), ...), 1.0)
{
    double ns = 0;
    return vkd_launch_cpp_(k, NULL, VKD_RUN_WAIT_, &ns, file, line, groups, args...) ? ns : -1.0;
}

template <class... T>
inline auto vkd_batch_change_cpp_(vkd_batch *b, int launch, const char *file, int line, vkd_groups groups, T... args)
    -> decltype(((void)vkd_arg_of_(args), ...), true)
{
    vkd_arg list[sizeof...(args) + 1] = {vkd_arg_of_(args)..., vkd_arg_ptr(NULL)};
    return vkd_batch_change_(b, launch, file, line, groups, list, (uint32_t)sizeof...(args));
}

#define vkd_launch(kernel, ...) vkd_launch_cpp_((kernel), NULL, VKD_RUN_WAIT_, NULL, __FILE__, __LINE__, __VA_ARGS__)
#define vkd_launch_timed(kernel, ...) vkd_launch_timed_cpp_((kernel), __FILE__, __LINE__, __VA_ARGS__)
#define vkd_start(kernel, ...) vkd_launch_cpp_((kernel), NULL, VKD_RUN_START_, NULL, __FILE__, __LINE__, __VA_ARGS__)
#define vkd_batch_launch(batch, kernel, ...)                                                                           \
    vkd_launch_cpp_((kernel), (batch), VKD_RUN_BATCH_, NULL, __FILE__, __LINE__, __VA_ARGS__)
#define vkd_batch_change(batch, launch, ...)                                                                           \
    vkd_batch_change_cpp_((batch), (launch), __FILE__, __LINE__, __VA_ARGS__)

#endif

#endif /* VK_DISPATCH_MACROS_ */

#if defined(__GNUC__)
VKD_LETTERS_(XETILE_POP_)
#endif
