/* ze_dispatch.h - run kernels through Level Zero: pick a device, load a module, bind arguments, launch, time.
 *
 * Files: ze_dispatch.h, 199 KB in all. Version: XETILE_VERSION. License: MIT, see LICENSE.
 *
 *     #include "ze_dispatch.h"                            // one header; nothing to link with
 *
 *     zed_device dev;
 *     if (!zed_open(&dev, NULL)) {                        // an Intel GPU if there is one, else the software device
 *         zed_print_error(&dev, stderr);
 *         return 1;
 *     }
 *     float *x = (float *)zed_alloc(&dev, ZED_SHARED, n * sizeof *x, 0);
 *     zed_module module;
 *     zed_kernel scale;
 *     zed_module_load(&module, &dev, words, bytes, NULL); // SPIR-V of the OpenCL kind
 *     zed_kernel_get(&scale, &module, "scale", "ptr<f32> x, f32 factor, u32 n");
 *     zed_local_size(&scale, 64, 1, 1);                   // not needed when the module states it
 *     zed_launch(&scale, (zed_groups){(n + 63) / 64, 1, 1}, x, 2.0f, n);
 *     if (zed_get_error(&dev)->id) zed_print_error(&dev, stderr);
 *     zed_close(&dev);                                    // frees everything left
 *
 * ERRORS. A device keeps the first error: id, name, text, the ze_result_t if any, and the file and line of the zed call
 * that met it. From then on every call on the device does nothing and returns false, NULL or -1, so a program may check
 * once, at the end. zed_clear_error(&dev) starts over. Each Level Zero error has its own id (ZED_ZE_..., listed in
 * ZED_RESULTS below); the ids of this header's own errors are in ZED_ERRORS. zed_result_name returns the name of a
 * ze_result_t. Nothing exits or aborts.
 * A kernel or batch that never got a device has none to keep its error: that error goes to stderr.
 *
 * DEVICES. zed_list(infos, max, &error) lists the devices (zed_info), zed_print_list(stdout) prints them.
 * zed_open(&dev, &(zed_options){...}); zero or NULL: the default:
 *     .index_plus_1  1 is the first device of zed_list
 *     .name          part of the device's name, or its target row ("bmg"); case does not matter
 *     .device        either of them, for command lines: a number counted from 0, or a .name
 * Default: the device $XETILE_DEVICE names (as .device); if it is unset, the first in this order: discrete GPUs,
 * integrated GPUs, the software device.
 * dev.target describes what kernels may use; ZED_TARGET(&dev) passes it to a kernel builder as designated initialisers.
 * An Intel GPU is recognised by its IP version where the driver says it, else by its PCI id, else by its name; newer
 * ones than the table knows pass for the nearest older one whose instructions the driver has: dev.target.guessed.
 * zed_target_log(&dev) says what was recognised, by what: "tgl, by its IP version 12.0.0".
 * THE SOFTWARE DEVICE is libze_soft.so: the path in $XETILE_SOFT (empty: do not use it), else next to the executable,
 * in its build/, ../ or ../build/, in ./build, in ., else where the dynamic linker finds it. zed_open gives its name to
 * the loader after Intel's drivers, in ZE_ENABLE_ALT_DRIVERS, unless the user has set that. The loader reads the
 * variable once per process, so the first zed_open (or zed_list) must precede any zeInit.
 *
 * THE LOADER (libze_loader.so.1, ze_loader.dll) is opened when a device is: programs start and build kernels where it
 * is missing, and zed_open then fails with ZED_NO_LOADER. A program that also calls Level Zero itself links with the
 * loader (-lze_loader), which is used then. Nothing is linked but, before glibc 2.34, -ldl.
 *
 * MEMORY. zed_alloc(&dev, ZED_SHARED | ZED_DEVICE | ZED_HOST, bytes, align); align 0 is 64. zed_free(&dev, p).
 * zed_copy(&dev, dst, src, bytes), zed_fill(&dev, dst, byte, bytes) and zed_fill_pattern(&dev, dst, &v, sizeof v,
 * bytes) return when done. Copies and fills are checked against the sizes of the allocations involved. Part of an
 * allocation is a pointer into it: pass p + offset to kernels, copies and fills.
 *
 * KERNELS. zed_kernel_get takes the kernel's parameters as text: `type name` separated by commas. Types: f64 f32 f16
 * bf16 i64 i32 i16 i8 u64 u32 u16 u8, ptr<T> for global and local<T> for local memory; T may also be tf32 e4m3 e5m2
 * e2m1 e8m0 c32 c64. ZED_LOAD(&kernel, &dev, mod) loads the module, gets the kernel and sets its local size, from any
 * struct with .words .size .kernel .params .build_flags .local_size. zed_kernel_clone makes another kernel of the same
 * module. A module may have several kernels: get each of them. zed_load_all(kernels, &dev, sources, count, folder)
 * loads several modules at once, in threads: zed_source sources[] = {ZED_SOURCE(mod_a), ZED_SOURCE(mod_b)}; those with
 * the same words, flags and constants are loaded once. On an error none is loaded.
 * ZED_LOAD_CACHED(&kernel, &dev, mod, folder) keeps what the driver compiled in a file of that folder, which must exist
 * and be the user's own (what it contains is executed), and loads it the next time. An entry serves only the same
 * words, flags, constants, device and driver; one that is damaged, or that the driver refuses, is replaced.
 * zed_module_load_cached(&module, &dev, words, bytes, flags, folder) is the same for a module. Without a folder (NULL
 * or ""), nothing is kept. zed_cache_log(&dev) says what the last load did: "loaded ...", "stored ...", or why not; the
 * cache causes no errors. zed_build_log(&dev) is the compiler's log of the last module, whether accepted or not; "" if
 * empty. zed_close frees kernels and modules; to free earlier, use zed_kernel_free(&kernel) and then
 * zed_module_free(&module).
 *
 * SPEC CONSTANTS of a module get other values than their defaults where it is loaded from a zed_source with some:
 *     zed_constant constants[] = {ZED_CONSTANT(3, 16), ZED_CONSTANT(7, 0.5f)};    // by their SpecId
 *     zed_source source = ZED_SOURCE_WITH(mod, constants, 2);
 *     zed_load_source(&kernel, &dev, &source, folder);     // or zed_load_all; zed_module_load_source for a module
 * folder is that of ZED_LOAD_CACHED, or NULL. Values are checked against the module, like arguments against parameters:
 * ZED_CONSTANT_ID, ZED_CONSTANT_TYPE, ZED_CONSTANT_RANGE. Integers of SPIR-V have no sign: -1 and 4294967295 both fit
 * into 32 bits. A bool takes 0 or 1.
 *
 * LAUNCHING. zed_launch(&kernel, groups, arguments...) binds, launches and waits. `groups` is a literal of three
 * numbers, (zed_groups){x, y, z}, a variable, or any expression in parentheses. Each of up to 32 arguments is evaluated
 * once and checked: the value of an integer must fit its parameter (its C type does not matter); a
 * float parameter takes a float or double (f32, f16 and bf16 round to nearest in every mode of the program, with
 * subnormals; overflow is refused); ptr<T> takes
 * a void pointer, NULL or a pointer whose type fits (uint16_t * for f16, bf16 and u16, float * for f32, int8_t * for
 * i8 ...) to memory the device can access; local<T> takes (zed_local){bytes}.
 *     zed_launch(...)        bool    waits
 *     zed_launch_timed(...)  double  waits; returns the kernel's time on the device in nanoseconds, negative on failure
 *     zed_start(...)         bool    does not wait; launches run in order, since each has a barrier before it (on the
 *                                    software device, that costs what the wait of zed_launch does); zed_wait(&dev)
 *                                    waits for all
 *     zed_launch_n, zed_launch_timed_n, zed_start_n (&kernel, groups, array of zed_arg, count) are for generated code.
 *         ZED_ARG(x) makes a zed_arg from an argument of zed_launch; zed_arg_i, zed_arg_u (integers), zed_arg_f,
 *         zed_arg_ptr and zed_arg_local (bytes) make one without a C type
 *         For languages that call libxetile.so: zed_arg_i_to, zed_arg_u_to, zed_arg_f_to, zed_arg_ptr_to and
 *         zed_arg_local_to (args, index, value) write one; zed_size_of("zed_device") returns the bytes of a structure
 * BATCHES. Many launches in one command list, each after the one before it, run as often as wanted:
 *     zed_batch b;
 *     zed_batch_begin(&b, &dev);
 *     zed_batch_launch(&b, &kernel, groups, arguments...);     // any number of times; also zed_batch_copy,
 *                                                              // zed_batch_signal, zed_batch_follow,
 *                                                              // zed_batch_launch_n
 *     zed_batch_end(&b);                                       // runs it and waits; zed_batch_run(&b) runs it again
 *     zed_batch_free(&b);                                      // or leave it to zed_close
 * zed_batch_start(&b) runs it (and ends its recording, if that is open) without waiting: any number of batches may be
 * in flight, and what is started on one zed_device runs in that order. A batch that is still running is waited for
 * before it starts again. zed_batch_wait(&b) waits for it, zed_wait(&dev) for all.
 * zed_batch_change(&b, i, groups, arguments...) gives launch i (from 0, counting zed_batch_launch only) other groups
 * and arguments, from the next run on: in place where the driver has mutable command lists, else the list is recorded
 * again. It waits for a run in flight. zed_batch_change_n takes (batch, i, groups, array of zed_arg, count).
 * zed_batch_begin_timed(&b, &dev) makes a batch that times its launches: after a run, zed_batch_ns(&b, i) is the time
 * of launch i on the device in nanoseconds, and zed_batch_print_times(&b, stdout) prints a table by kernel.
 *
 * EVENTS order work on several queues (zed_open_queue), or in several batches:
 *     zed_event e;
 *     zed_event_create(&e, &first);       // zed_event_free, or leave it to zed_close
 *     zed_signal(&first, &e);             // signalled when all that was started on `first` so far has ended
 *     zed_follow(&second, &e);            // what is started on `second` from now on waits for that
 * zed_batch_signal(&b, &e) and zed_batch_follow(&b, &e) do the same between the launches of a batch, in each of its
 * runs. On the host, zed_event_wait(&e) waits for it, and zed_event_done(&e) tells whether it is signalled. To signal
 * one again, let what follows it end first: the event is reset by zed_signal, or by the start of the batch that signals
 * it.
 *
 * THREADS. There is no global state: threads that each have a zed_device need no lock. Two threads that share memory
 * use two queues of one device: zed_open_queue(&second, &first) shares first's context, so pointers are valid in both,
 * but has its own queue, kernels and error; close it before `first`. A zed_device and its kernels belong to one thread
 * at a time. The first zed_open of a process may call setenv, so let it return before other threads read the
 * environment.
 *
 * SEVERAL DEVICES. A context may span several: all devices of its driver, with sub-devices in place of a device that
 * has them. zed_context_devices(&first) counts them; zed_open_in_context(&d, &first, i) opens the i-th in first's
 * context, with a queue of its own; close it before `first`. Host memory of one is valid on all; modules are loaded
 * per device.
 *
 * C11; also C++17 (the same names, with overloads for argument types). Level Zero loader 1.8 or newer.
 *
 * TO USE IT  just include it: this compiles the bodies too, as static functions. Or define XETILE_DECLARATIONS for all
 * files of a program and XETILE_IMPLEMENTATION before the include in one of them, which then gets the bodies; or link
 * with libxetile. "How functions are declared" below has the details.
 */
#ifndef ZE_DISPATCH_H
#define ZE_DISPATCH_H

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_include)
#if !__has_include(<level_zero/ze_api.h>)
#error "the Level Zero headers are missing: libze-dev on Debian and Ubuntu, oneapi-level-zero-devel on Fedora"
#endif
#endif
#include <level_zero/ze_api.h>

#include <level_zero/loader/ze_loader.h>
#include <level_zero/ze_ddi.h>

#if defined(_WIN32)
#include <process.h>
/* What is needed of windows.h, which has macros named near, far, min and max. */
#if defined(__cplusplus)
extern "C" {
#endif
__declspec(dllimport) struct HINSTANCE__ *__stdcall LoadLibraryExA(const char *name, void *file, unsigned long flags);
typedef intptr_t(__stdcall *zed_procedure_)(void);
__declspec(dllimport) zed_procedure_ __stdcall GetProcAddress(struct HINSTANCE__ *library, const char *name);
__declspec(dllimport) unsigned long __stdcall GetLastError(void);
__declspec(dllimport) unsigned long __stdcall WaitForSingleObject(void *object, unsigned long milliseconds);
__declspec(dllimport) int __stdcall CloseHandle(void *object);
#if defined(__cplusplus)
}
#endif
#else
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>
#if !defined(__cplusplus)
/* POSIX functions that -std=c11 hides when <stdlib.h> and <unistd.h> came first. */
extern int setenv(const char *name, const char *value, int overwrite);
extern ssize_t readlink(const char *path, char *buffer, size_t size);
#endif
#endif

#include "linkage.h"

#if defined(__GNUC__)
#if defined(__MINGW_PRINTF_FORMAT) /* for %zu */
#define ZED_PRINTF_(text, first) __attribute__((__format__(__MINGW_PRINTF_FORMAT, text, first)))
#else
#define ZED_PRINTF_(text, first) __attribute__((__format__(__printf__, text, first)))
#endif
#else
#define ZED_PRINTF_(text, first)
#endif
/* The pointer is only passed on: the memory may be uninitialised, to be written by a kernel. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#define ZED_NOT_READ_ __attribute__((__access__(__none__, 1)))
#else
#define ZED_NOT_READ_
#endif

/* ---- errors ---------------------------------------------------------------------------------------------------- */

#if defined(_WIN32)
#define ZED_DEVICE_ADVICE_ "install the graphics driver of an Intel GPU"
#define ZED_LOADER_ADVICE_ "install the graphics driver of an Intel GPU, which brings version 1.8 or newer of it"
#define ZED_SOFT_ADVICE_ "unset XETILE_SOFT: the software device is for Linux"
#else
#define ZED_DEVICE_ADVICE_                                                                                             \
    "without an Intel GPU and its driver, build the software device (make soft) and, when it is not beside the "       \
    "program, set XETILE_SOFT=/path/to/libze_soft.so"
#define ZED_LOADER_ADVICE_                                                                                             \
    "install the Level Zero loader, 1.8 or newer: libze1 on Debian and Ubuntu, oneapi-level-zero on Fedora"
#define ZED_SOFT_ADVICE_ "set XETILE_SOFT to the path of libze_soft.so (make soft builds it), or unset it"
#endif

/* Errors of this header: X(id, what to do). */
#define ZED_ERRORS(X)                                                                                                  \
    X(ZED_NOT_OPEN, "call zed_open first, and check its result")                                                       \
    X(ZED_NO_DEVICE, ZED_DEVICE_ADVICE_)                                                                               \
    X(ZED_NO_SUCH_DEVICE, "give the number or a part of the name of one of these devices")                             \
    X(ZED_SOFT_MISSING, ZED_SOFT_ADVICE_)                                                                              \
    X(ZED_NO_QUEUE, "choose a device that runs kernels")                                                               \
    X(ZED_OUT_OF_MEMORY, "the host has no memory left; free some")                                                     \
    X(ZED_NULL_POINTER, "pass a valid address")                                                                        \
    X(ZED_ALLOC_KIND, "use ZED_SHARED, ZED_DEVICE or ZED_HOST")                                                        \
    X(ZED_ALLOC_SIZE, "ask for at least one byte")                                                                     \
    X(ZED_ALLOC_ALIGN, "alignment is 0 (then 64) or a power of two")                                                   \
    X(ZED_ALLOC_TOO_LARGE, "split the data, or use a device with larger allocations")                                  \
    X(ZED_NOT_ALLOCATED, "free only what zed_alloc of this device returned, and once")                                 \
    X(ZED_MEMORY_RANGE, "stay within the allocation")                                                                  \
    X(ZED_FILL_PATTERN, "a pattern's size is a power of two that the device supports, and divides the length")         \
    X(ZED_MODULE_WORDS,                                                                                                \
      "pass a whole SPIR-V module, its size in bytes; if a builder made it, check its error first")                    \
    X(ZED_MODULE_BUILD, "fix the errors in the log; zed_build_log returns all of it")                                  \
    X(ZED_KERNEL_NAME, "use one of the names in the module")                                                           \
    X(ZED_KERNEL_NOT_LOADED, "call zed_kernel_get or ZED_LOAD first, and check the result")                            \
    X(ZED_PARAM_TEXT, "write parameters as in \"ptr<f32> x, f32 factor, u32 n\"")                                      \
    X(ZED_PARAM_COUNT, "list the kernel's parameters in the parameter text")                                           \
    X(ZED_SUBGROUP_SIZE, "build the kernel for a subgroup size the device has")                                        \
    X(ZED_NO_LOCAL_SIZE, "call zed_local_size, or state the size in the module")                                       \
    X(ZED_LOCAL_SIZE, "use the size the kernel was built for")                                                         \
    X(ZED_GROUP_TOO_LARGE, "use fewer work-items per group")                                                           \
    X(ZED_LOCAL_MEMORY, "use less local memory per group")                                                             \
    X(ZED_ARG_COUNT, "pass one argument per parameter")                                                                \
    X(ZED_ARG_TYPE, "pass a value of the parameter's type, or change the parameter")                                   \
    X(ZED_ARG_RANGE, "pass a value that the parameter can hold")                                                       \
    X(ZED_ARG_MEMORY, "pass memory from zed_alloc of the same device")                                                 \
    X(ZED_CONSTANT_ID, "give each constant at most once, by the number of its SpecId decoration")                      \
    X(ZED_CONSTANT_TYPE, "pass a value of the constant's type")                                                        \
    X(ZED_CONSTANT_RANGE, "pass a value that the constant can hold")                                                   \
    X(ZED_GROUPS, "launch at least one group in each dimension, and no more than the device allows")                   \
    X(ZED_BATCH_STATE, "the order is zed_batch_begin, launches, zed_batch_end, zed_batch_run ..., zed_batch_free")     \
    X(ZED_BATCH_LAUNCH, "launches count from 0 as in zed_batch_launch; for times, use zed_batch_begin_timed")          \
    X(ZED_EVENT_STATE, "call zed_event_create first, and check its result")                                            \
    X(ZED_OTHER_DEVICE, "kernel, batch, event and memory must be of one device (zed_open_queue shares them)")          \
    X(ZED_SAME_DEVICE, "give each queue and each device of a context a zed_device of its own")                         \
    X(ZED_NO_LOADER, ZED_LOADER_ADVICE_)

/* Level Zero errors: X(id, code, name, what to do). Codes are numbers so that older Level Zero headers suffice. */
#define ZED_RESULTS(X)                                                                                                 \
    ZED_R_(X, NOT_READY, 0x1u, "", "wait longer: the work is not finished")                                            \
    ZED_R_(X, DEVICE_LOST, 0x70000001u, "ERROR_",                                                                      \
      "the device hung or was reset, often by a kernel that ran wild: close it and open it again")                     \
    ZED_R_(X, OUT_OF_HOST_MEMORY, 0x70000002u, "ERROR_", "free host memory")                                           \
    ZED_R_(X, OUT_OF_DEVICE_MEMORY, 0x70000003u, "ERROR_", "free device memory, or use smaller data")                  \
    ZED_R_(X, MODULE_BUILD_FAILURE, 0x70000004u, "ERROR_", "read the build log")                                       \
    ZED_R_(X, MODULE_LINK_FAILURE, 0x70000005u, "ERROR_",                                                              \
      "read the build log: a function is imported and nowhere defined")                                                \
    ZED_R_(X, DEVICE_REQUIRES_RESET, 0x70000006u, "ERROR_", "reset the device")                                        \
    ZED_R_(X, DEVICE_IN_LOW_POWER_STATE, 0x70000007u, "ERROR_", "wake the device")                                     \
    ZED_R_(X, DEVICE_IS_NOT_VERTEX, 0x7ff00001u, "EXP_ERROR_", "the device is not in a fabric")                        \
    ZED_R_(X, VERTEX_IS_NOT_DEVICE, 0x7ff00002u, "EXP_ERROR_", "the fabric vertex is not a device")                    \
    ZED_R_(X, REMOTE_DEVICE, 0x7ff00003u, "EXP_ERROR_", "use a device of this machine")                                \
    X(ZED_ZE_EXP_OPERANDS_INCOMPATIBLE, 0x7ff00004u, "ZE_RESULT_EXP_ERROR_OPERANDS_INCOMPATIBLE",                      \
      "compare things of one kind")                                                                                    \
    ZED_R_(X, EXP_RTAS_BUILD_RETRY, 0x7ff00005u, "", "build again with more memory")                                   \
    ZED_R_(X, EXP_RTAS_BUILD_DEFERRED, 0x7ff00006u, "", "join the operation")                                          \
    ZED_R_(X, INSUFFICIENT_PERMISSIONS, 0x70010000u, "ERROR_",                                                         \
      "let the user use the device (on Linux: the render group, /dev/dri)")                                            \
    ZED_R_(X, NOT_AVAILABLE, 0x70010001u, "ERROR_", "another process has it: wait for that")                           \
    ZED_R_(X, DEPENDENCY_UNAVAILABLE, 0x70020000u, "ERROR_", "install what the driver needs (its compiler, for one)")  \
    ZED_R_(X, DROPPED_DATA, 0x70020001u, "WARNING_", "collect the data more often")                                    \
    ZED_R_(X, UNINITIALIZED, 0x78000001u, "ERROR_", "install a Level Zero driver")                                     \
    ZED_R_(X, UNSUPPORTED_VERSION, 0x78000002u, "ERROR_", "update loader and driver")                                  \
    ZED_R_(X, UNSUPPORTED_FEATURE, 0x78000003u, "ERROR_", "the device cannot do this: do without, or use another one") \
    ZED_R_(X, INVALID_ARGUMENT, 0x78000004u, "ERROR_", "check the values passed")                                      \
    ZED_R_(X, INVALID_NULL_HANDLE, 0x78000005u, "ERROR_", "a handle is missing: was it freed, or never made?")         \
    ZED_R_(X, HANDLE_OBJECT_IN_USE, 0x78000006u, "ERROR_", "wait for the work (zed_wait) before freeing what it uses") \
    ZED_R_(X, INVALID_NULL_POINTER, 0x78000007u, "ERROR_", "pass no NULL here")                                        \
    ZED_R_(X, INVALID_SIZE, 0x78000008u, "ERROR_", "check the size; it must not be 0")                                 \
    ZED_R_(X, UNSUPPORTED_SIZE, 0x78000009u, "ERROR_", "use a size the device takes")                                  \
    ZED_R_(X, UNSUPPORTED_ALIGNMENT, 0x7800000au, "ERROR_", "use a smaller alignment")                                 \
    ZED_R_(X, INVALID_SYNCHRONIZATION_OBJECT, 0x7800000bu, "ERROR_", "use an event or fence of this device")           \
    ZED_R_(X, INVALID_ENUMERATION, 0x7800000cu, "ERROR_", "use a value of the enum")                                   \
    ZED_R_(X, UNSUPPORTED_ENUMERATION, 0x7800000du, "ERROR_",                                                          \
      "the driver does not know this value: update it, or do without")                                                 \
    ZED_R_(X, UNSUPPORTED_IMAGE_FORMAT, 0x7800000eu, "ERROR_", "use another image format")                             \
    ZED_R_(X, INVALID_NATIVE_BINARY, 0x7800000fu, "ERROR_", "the binary is for another device: pass SPIR-V")           \
    ZED_R_(X, INVALID_GLOBAL_NAME, 0x78000010u, "ERROR_", "the module has no such global")                             \
    ZED_R_(X, INVALID_KERNEL_NAME, 0x78000011u, "ERROR_", "the module has no such kernel")                             \
    ZED_R_(X, INVALID_FUNCTION_NAME, 0x78000012u, "ERROR_", "the module has no such function")                         \
    ZED_R_(X, INVALID_GROUP_SIZE_DIMENSION, 0x78000013u, "ERROR_",                                                     \
      "use a smaller work-group, or the one the kernel requires; many registers per thread mean fewer work-items")     \
    ZED_R_(X, INVALID_GLOBAL_WIDTH_DIMENSION, 0x78000014u, "ERROR_", "launch fewer groups")                            \
    ZED_R_(X, INVALID_KERNEL_ARGUMENT_INDEX, 0x78000015u, "ERROR_",                                                    \
      "the kernel has fewer parameters than the text says")                                                            \
    ZED_R_(X, INVALID_KERNEL_ARGUMENT_SIZE, 0x78000016u, "ERROR_",                                                     \
      "the parameter has another type in the module than in the text")                                                 \
    ZED_R_(X, INVALID_KERNEL_ATTRIBUTE_VALUE, 0x78000017u, "ERROR_", "check the kernel's attributes")                  \
    ZED_R_(X, INVALID_MODULE_UNLINKED, 0x78000018u, "ERROR_", "the module imports functions that no module defines")   \
    ZED_R_(X, INVALID_COMMAND_LIST_TYPE, 0x78000019u, "ERROR_", "list and queue must be of one kind")                  \
    ZED_R_(X, OVERLAPPING_REGIONS, 0x7800001au, "ERROR_", "copy by way of a third place")                              \
    ZED_R_(X, ACTION_REQUIRED, 0x7800001bu, "WARNING_", "see the driver's text")                                       \
    ZED_R_(X, INVALID_KERNEL_HANDLE, 0x7800001cu, "ERROR_",                                                            \
      "the kernel's module was freed, or the kernel is of another kind")                                               \
    ZED_R_(X, RTAS_BUILD_RETRY, 0x7800001du, "EXT_", "build again with more memory")                                   \
    ZED_R_(X, RTAS_BUILD_DEFERRED, 0x7800001eu, "EXT_", "join the operation")                                          \
    ZED_R_(X, OPERANDS_INCOMPATIBLE, 0x7800001fu, "EXT_ERROR_", "compare things of one kind")                          \
    ZED_R_(X, SURVIVABILITY_MODE_DETECTED, 0x78000020u, "ERROR_", "update the device's firmware")                      \
    ZED_R_(X, ADDRESS_NOT_FOUND, 0x78000021u, "ERROR_",                                                                \
      "the address is not of this context: use zed_alloc of the same device")                                          \
    ZED_R_(X, QUERY_TRUE, 0x78000022u, "", "an answer, not an error")                                                  \
    ZED_R_(X, QUERY_FALSE, 0x78000023u, "", "an answer, not an error")                                                 \
    ZED_R_(X, INVALID_GRAPH, 0x78000024u, "ERROR_", "record the graph again")                                          \
    ZED_R_(X, GRAPH_CAPTURE_UNSUPPORTED, 0x78000025u, "ERROR_", "call this outside a graph capture")                   \
    ZED_R_(X, GRAPH_CAPTURE_INVALIDATED, 0x78000026u, "ERROR_", "capture the graph again")                             \
    ZED_R_(X, GRAPH_CAPTURE_MERGE_ATTEMPT, 0x78000027u, "ERROR_",                                                      \
      "keep graphs that are captured at the same time apart")                                                          \
    ZED_R_(X, COMMAND_LIST_NOT_CAPTURING, 0x78000028u, "ERROR_", "begin the capture first")                            \
    ZED_R_(X, GRAPH_UNJOINED_FORKS, 0x78000029u, "ERROR_", "join the graph's forks")                                   \
    ZED_R_(X, GRAPH_INTERNAL_EVENT, 0x7800002au, "ERROR_", "use an event from outside the graph")                      \
    ZED_R_(X, UNKNOWN, 0x7ffffffeu, "ERROR_", "the driver does not say; its own log may")                              \
    X(ZED_ZE_UNLISTED, 0xffffffffu, "a ze_result_t this header does not know", "look it up in ze_api.h")
#define ZED_R_(X, name, code, kind, hint) X(ZED_ZE_##name, code, "ZE_RESULT_" kind #name, hint)

enum {
    ZED_OK = 0,
    ZED_FIRST_ERROR_ = 3999, /* ids start at 4000, those of Level Zero at 4100 */
#define ZED_X_(id, hint) id,
    ZED_ERRORS(ZED_X_)
#undef ZED_X_
};

enum {
    ZED_FIRST_RESULT_ = 4099,
#define ZED_X_(id, code, name, hint) id,
    ZED_RESULTS(ZED_X_)
#undef ZED_X_
};

typedef struct zed_error {
    int id;           /* 0: no error */
    const char *name; /* "ZED_ARG_COUNT" */
    char text[2048];  /* what happened, with the values, and what to do */
    const char *file; /* the caller's */
    int line;
    ze_result_t result; /* of the Level Zero call; ZE_RESULT_SUCCESS if none failed */
} zed_error;

/* ---- types ----------------------------------------------------------------------------------------------------- */

enum { ZED_MAX_ARGS = 32, ZED_MAX_DEVICES = 64 };

typedef struct zed_options { /* see DEVICES above; the first that is set applies */
    int index_plus_1;
    const char *name;
    const char *device;
} zed_options;

/* A device's limits and features. */
typedef struct zed_target {
    const char *name;        /* a row of the table of targets: tgl dg1 mtl arl-h dg2 pvc bmg lnl ptl wcl nvl nvl-p cri
                              * generic soft */
    bool guessed;            /* the table does not know the device: this is the nearest older one, or generic */
    uint32_t subgroup_sizes; /* or-ed together: 16 | 32 */
    int local_memory;        /* bytes per work-group */
    int max_group_size;      /* work-items per work-group */
    int max_group_dim[3];
    uint32_t max_groups[3];
    bool dpas;    /* OpSubgroupMatrixMultiplyAccumulateINTEL; from the device's table row */
    bool block2d; /* OpSubgroup2DBlock...INTEL; likewise */
    bool fp16, fp64, int64_atomics;
    uint32_t spirv_version; /* ZE_MAKE_VERSION(1, 4); 0 if the device does not say */
    uint32_t vendor_id, device_id;
    uint32_t eu_count;
    uint64_t max_alloc; /* bytes of one allocation */
} zed_target;

/* A device in zed_list. */
typedef struct zed_info {
    int index;
    char name[ZE_MAX_DEVICE_NAME];
    const char *target;
    bool gpu, software;
    uint32_t vendor_id, device_id;
} zed_info;

/* Something to destroy when the device is closed. */
typedef struct zed_resource_ {
    int kind;
    void *handle;
    size_t bytes;
} zed_resource_;

typedef struct zed_functions_ zed_functions_; /* of the loader */

typedef struct zed_device {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_command_list_handle_t list;   /* immediate, asynchronous */
    ze_command_queue_handle_t queue; /* for batches, created on first use */
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    char name[ZE_MAX_DEVICE_NAME];
    zed_target target;
    bool software;
    zed_error error;
    /* not for users */
    bool open_, borrowed_, system_memory_;
    bool pending_;                /* the list has work that nobody waited for */
    struct zed_recording_ *last_; /* the last batch in flight; NULL: none is */
    struct {
        bool known;
        ze_result_t(ZE_APICALL *name)(ze_command_list_handle_t, const void *, uint64_t *);
        ze_result_t(ZE_APICALL *update)(ze_command_list_handle_t, const void *);
    } mutable_; /* functions for changing command lists, if the driver has them */
    uint32_t ordinal_, timestamp_bits_;
    size_t pattern_max_;
    double tick_ns_;
    zed_resource_ *resources_;
    size_t resource_count_, resource_room_;
    char *log_, cache_[1200], recognised_[192];
    zed_functions_ *ze_;
    const char *file_;
    int line_;
} zed_device;

typedef struct zed_module {
    zed_device *device;
    ze_module_handle_t handle;
} zed_module;

#include "ze_dispatch/values.h"

typedef struct zed_kernel {
    zed_device *device;
    ze_module_handle_t module;
    ze_kernel_handle_t handle;
    char name[128];
    uint32_t param_count;
    zed_param params[ZED_MAX_ARGS];
    uint32_t local_size[3];    /* 0: not known yet */
    uint32_t required_size[3]; /* by the module; 0: not required */
    uint32_t subgroup_size;    /* required by the module; 0: not required */
    uint32_t local_bytes, private_bytes, spill_bytes;
} zed_kernel;

/* A value for a spec constant of a module: ZED_CONSTANT(id, value). */
typedef struct zed_constant {
    uint32_t id; /* of its decoration SpecId */
    zed_arg value;
} zed_constant;

/* A module, values for some of its spec constants, and one of its kernels, as a builder made them: ZED_SOURCE(mod). */
typedef struct zed_source {
    const void *words;
    size_t bytes;
    const char *kernel, *params, *flags;
    uint32_t local_size[3];
    const zed_constant *constants;
    uint32_t constant_count;
} zed_source;

/* Launches that run together, as often as wanted. */
typedef struct zed_recording_ zed_recording_;
typedef struct zed_batch {
    zed_device *device;
    ze_command_list_handle_t list; /* since zed_batch_end; another one after changes */
    int launches;
    /* not for users */
    int state_;
    zed_recording_ *recording_;
} zed_batch;

/* Signalled by one queue, for others to wait for. */
typedef struct zed_event {
    zed_device *device;
    ze_event_handle_t handle;
    ze_event_pool_handle_t pool_;
} zed_event;

enum { ZED_SHARED = 1, ZED_DEVICE, ZED_HOST };

/* ---- the calls for users, which add the caller's file and line ------------------------------------------------- */

#define ZED_AT_(d) zed_at_((d), __FILE__, __LINE__)

/* Devices. zed_list and zed_context_devices return the number of devices, or -1 on error (infos NULL: counts only);
 * zed_close returns nothing and may be called twice; the others return bool. */
#define zed_open(d, ...) zed_open_((d), (__VA_ARGS__), __FILE__, __LINE__) /* variadic: a literal has commas */
#define zed_open_queue(second, first) zed_open_queue_((second), (first), __FILE__, __LINE__)
#define zed_context_devices(first) zed_context_devices_(ZED_AT_(first))
#define zed_open_in_context(d, first, index) zed_open_in_context_((d), (first), (index), __FILE__, __LINE__)
#define zed_close(d) zed_close_(ZED_AT_(d))
#define zed_list(infos, max, error) zed_list_((infos), (max), (error), __FILE__, __LINE__)
#define zed_print_list(f) zed_print_list_((f), __FILE__, __LINE__)
#define zed_wait(d) zed_wait_(ZED_AT_(d))

/* Memory. zed_alloc returns void *, NULL on error; the others return bool. NULL may be freed. */
#define zed_alloc(d, kind, bytes, align) zed_alloc_(ZED_AT_(d), (kind), (bytes), (align))
#define zed_free(d, p) zed_free_(ZED_AT_(d), (p))
#define zed_copy(d, dst, src, bytes) zed_copy_(ZED_AT_(d), (dst), (src), (bytes))
#define zed_fill(d, dst, byte, bytes) zed_fill_(ZED_AT_(d), (dst), (byte), (bytes))
#define zed_fill_pattern(d, dst, pattern, size, bytes) zed_fill_pattern_(ZED_AT_(d), (dst), (pattern), (size), (bytes))

/* Modules and kernels. All return bool. */
#define zed_module_load(module, d, words, bytes, flags)                                                                \
    zed_module_load_((module), ZED_AT_(d), (words), (bytes), (flags))
#define zed_module_free(module) zed_module_free_((module), __FILE__, __LINE__)
#define zed_kernel_get(kernel, module, name, params)                                                                   \
    zed_kernel_get_((kernel), (module), (name), (params), __FILE__, __LINE__)
#define zed_kernel_clone(kernel, from, d) zed_kernel_clone_((kernel), (from), ZED_AT_(d))
#define zed_kernel_free(kernel) zed_kernel_free_((kernel), __FILE__, __LINE__)
#define zed_local_size(kernel, x, y, z) zed_local_size_((kernel), (x), (y), (z), __FILE__, __LINE__)
#define zed_module_load_cached(module, d, words, bytes, flags, folder)                                                 \
    zed_module_load_cached_((module), ZED_AT_(d), (words), (bytes), (flags), (folder))
#define ZED_LOAD(k, d, mod) ZED_LOAD_CACHED(k, d, mod, NULL)
#define ZED_LOAD_CACHED(k, d, mod, folder)                                                                             \
    zed_load_((k), ZED_AT_(d), (mod).words, (mod).size, (mod).kernel, (mod).params, (mod).build_flags,                 \
              (mod).local_size, (folder))
#define ZED_SOURCE(mod) ZED_SOURCE_WITH(mod, NULL, 0)
#define ZED_SOURCE_WITH(mod, constants, count)                                                                         \
    {(mod).words, (mod).size, (mod).kernel, (mod).params, (mod).build_flags,                                           \
     {(mod).local_size[0], (mod).local_size[1], (mod).local_size[2]}, (constants), (count)}
#define ZED_CONSTANT(id, value)                                                                                        \
    {                                                                                                                  \
        (uint32_t)(id), ZED_ARG(value)                                                                                 \
    }
#define zed_load_source(kernel, d, source, folder) zed_load_source_((kernel), ZED_AT_(d), (source), (folder))
#define zed_module_load_source(module, d, source, folder)                                                              \
    zed_module_load_source_((module), ZED_AT_(d), (source), (folder))
#define zed_load_all(kernels, d, sources, count, folder)                                                               \
    zed_load_all_((kernels), ZED_AT_(d), (sources), (count), (folder))

/* Launches with (kernel, groups, array of zed_arg, count) return bool, the timed one double (ns). zed_launch and the
 * others are at the end. */
#define zed_launch_n(kernel, ...) zed_launch_((kernel), NULL, ZED_RUN_WAIT_, NULL, __FILE__, __LINE__, __VA_ARGS__)
#define zed_launch_timed_n(kernel, ...) zed_launch_timed_((kernel), __FILE__, __LINE__, __VA_ARGS__)
#define zed_start_n(kernel, ...) zed_launch_((kernel), NULL, ZED_RUN_START_, NULL, __FILE__, __LINE__, __VA_ARGS__)
#define zed_batch_launch_n(batch, kernel, ...)                                                                         \
    zed_launch_((kernel), (batch), ZED_RUN_BATCH_, NULL, __FILE__, __LINE__, __VA_ARGS__)
#define zed_batch_change_n(batch, launch, ...)                                                                         \
    zed_batch_change_((batch), (launch), __FILE__, __LINE__, __VA_ARGS__)

/* Batches. All return bool, except zed_batch_ns. */
#define zed_batch_begin(batch, d) zed_batch_begin_((batch), ZED_AT_(d), false)
#define zed_batch_begin_timed(batch, d) zed_batch_begin_((batch), ZED_AT_(d), true)
#define zed_batch_copy(batch, dst, src, bytes) zed_batch_copy_((batch), (dst), (src), (bytes), __FILE__, __LINE__)
#define zed_batch_end(batch) zed_batch_end_((batch), __FILE__, __LINE__)
#define zed_batch_run(batch) zed_batch_run_((batch), __FILE__, __LINE__)
#define zed_batch_start(batch) zed_batch_start_((batch), __FILE__, __LINE__)
#define zed_batch_wait(batch) zed_batch_wait_((batch), __FILE__, __LINE__)
#define zed_batch_signal(batch, event) zed_batch_signal_((batch), (event), __FILE__, __LINE__)
#define zed_batch_follow(batch, event) zed_batch_follow_((batch), (event), __FILE__, __LINE__)
#define zed_batch_ns(batch, launch) zed_batch_ns_((batch), (launch), __FILE__, __LINE__) /* double; < 0: an error */
#define zed_batch_print_times(batch, f) zed_batch_print_times_((batch), (f), __FILE__, __LINE__)
#define zed_batch_free(batch) zed_batch_free_((batch), __FILE__, __LINE__)

/* Events. All return bool. */
#define zed_event_create(event, d) zed_event_create_((event), ZED_AT_(d))
#define zed_event_free(event) zed_event_free_((event), __FILE__, __LINE__)
#define zed_event_wait(event) zed_event_wait_((event), __FILE__, __LINE__)
#define zed_event_done(event) zed_event_done_((event), __FILE__, __LINE__)
#define zed_signal(d, event) zed_signal_(ZED_AT_(d), (event))
#define zed_follow(d, event) zed_follow_(ZED_AT_(d), (event))

/* For a kernel builder: &(xt_target){ZED_TARGET(&dev)}. */
#define ZED_TARGET(d)                                                                                                  \
    .name = (d)->target.name, .subgroup_sizes = (d)->target.subgroup_sizes,                                            \
    .local_memory = (uint32_t)(d)->target.local_memory, .max_group_size = (uint32_t)(d)->target.max_group_size

enum { ZED_RUN_WAIT_, ZED_RUN_START_, ZED_RUN_BATCH_ };

/* ---- errors: how they are kept --------------------------------------------------------------------------------- */

/* Errors of the next calls on d name this file and line. Returns d. */
XETILE_API zed_device *zed_at_(zed_device *d, const char *file, int line);

XETILE_API const char *zed_result_name(ze_result_t result); /* ZE_RESULT_NOT_READY ... */
XETILE_API const zed_error *zed_get_error(const zed_device *d);
XETILE_API void zed_clear_error(zed_device *d);
XETILE_API void zed_print_error(const zed_device *d, FILE *f); /* file:line: NAME: text */

/* ---- devices --------------------------------------------------------------------------------------------------- */

XETILE_API bool zed_wait_(zed_device *d);

/* Fills at most max infos (may be NULL if max is 0), the default device first; returns the number of devices. */
XETILE_API int zed_list_(zed_info *infos, int max, zed_error *error, const char *file, int line);

/* Prints a line per device: number, name (target). On error prints it and returns false. */
XETILE_API bool zed_print_list_(FILE *f, const char *file, int line);

XETILE_API void zed_close_(zed_device *d); /* the error can still be read */
XETILE_API bool zed_open_(zed_device *d, const zed_options *options, const char *file, int line);
XETILE_API bool zed_open_queue_(zed_device *second, zed_device *first, const char *file, int line);
XETILE_API int zed_context_devices_(zed_device *d);
XETILE_API bool zed_open_in_context_(zed_device *d, zed_device *first, int index, const char *file, int line);

/* ---- memory ---------------------------------------------------------------------------------------------------- */

XETILE_API void *zed_alloc_(zed_device *d, int kind, size_t bytes, size_t align);
XETILE_API bool zed_free_(zed_device *d, void *p); /* also works after an error, for cleanup */
XETILE_API bool zed_copy_(zed_device *d, void *dst, const void *src, size_t bytes);
XETILE_API bool zed_fill_pattern_(zed_device *d, void *dst, const void *pattern, size_t size, size_t bytes);
XETILE_API bool zed_fill_(zed_device *d, void *dst, int byte, size_t bytes);

/* ---- arguments for other languages --------------------------------------------------------------------------- */

/* The same, written to args[index], for languages that cannot pass unions by value, such as Python with ctypes
 * (docs/python.md). zed_size_of returns the bytes to allocate for a "zed_device", "zed_kernel", "zed_module",
 * "zed_batch", "zed_event" or "zed_arg"; 0: no such type. */
XETILE_API size_t zed_size_of(const char *type);
XETILE_API void zed_arg_i_to(zed_arg *args, uint32_t index, int64_t v);
XETILE_API void zed_arg_u_to(zed_arg *args, uint32_t index, uint64_t v);
XETILE_API void zed_arg_f_to(zed_arg *args, uint32_t index, double v);
XETILE_API void zed_arg_ptr_to(zed_arg *args, uint32_t index, const volatile void *p);
XETILE_API void zed_arg_local_to(zed_arg *args, uint32_t index, size_t bytes);

/* ---- modules and kernels --------------------------------------------------------------------------------------- */

XETILE_API const char *zed_build_log(const zed_device *d);
XETILE_API bool zed_module_load_(zed_module *module, zed_device *d, const void *words, size_t bytes, const char *flags);
XETILE_API bool zed_module_free_(zed_module *module, const char *file, int line);
XETILE_API bool zed_local_size_(zed_kernel *k, uint32_t x, uint32_t y, uint32_t z, const char *file, int line);
XETILE_API bool zed_kernel_get_(zed_kernel *k, zed_module *module, const char *name, const char *params,
                                const char *file, int line);

/* Another instance of a kernel, on the same queue or on another queue of the device (zed_open_queue). */
XETILE_API bool zed_kernel_clone_(zed_kernel *k, const zed_kernel *from, zed_device *d);
XETILE_API bool zed_kernel_free_(zed_kernel *k, const char *file, int line);

/* Module, kernel and local size (NULL: the module says it) at once; closing the device frees the module. */
XETILE_API bool zed_load_(zed_kernel *k, zed_device *d, const void *words, size_t bytes, const char *name,
                          const char *params, const char *flags, const uint32_t local_size[3], const char *folder);
XETILE_API bool zed_load_source_(zed_kernel *k, zed_device *d, const zed_source *s, const char *folder);
XETILE_API bool zed_load_all_(zed_kernel *kernels, zed_device *d, const zed_source *sources, int count,
                              const char *folder);

/* With what the driver compiled, from a file in the folder; folder NULL or "": without. */
XETILE_API bool zed_module_load_cached_(zed_module *module, zed_device *d, const void *words, size_t bytes,
                                        const char *flags, const char *folder);
XETILE_API bool zed_module_load_source_(zed_module *module, zed_device *d, const zed_source *s, const char *folder);
XETILE_API const char *zed_cache_log(const zed_device *d);
XETILE_API const char *zed_target_log(const zed_device *d); /* how the device was recognised; see DEVICES */

/* ---- launching ------------------------------------------------------------------------------------------------- */

XETILE_API bool zed_launch_(zed_kernel *k, zed_batch *b, int how, double *ns, const char *file, int line,
                            zed_groups groups, const zed_arg *args, uint32_t count);
XETILE_API double zed_launch_timed_(zed_kernel *k, const char *file, int line, zed_groups groups, const zed_arg *args,
                                    uint32_t count);

/* ---- batches --------------------------------------------------------------------------------------------------- */

XETILE_API bool zed_batch_begin_(zed_batch *b, zed_device *d, bool timed);
XETILE_API bool zed_batch_copy_(zed_batch *b, void *dst, const void *src, size_t bytes, const char *file, int line);
XETILE_API bool zed_batch_end_(zed_batch *b, const char *file, int line);
XETILE_API bool zed_batch_run_(zed_batch *b, const char *file, int line);
XETILE_API bool zed_batch_start_(zed_batch *b, const char *file, int line);
XETILE_API bool zed_batch_wait_(zed_batch *b, const char *file, int line);
XETILE_API bool zed_batch_signal_(zed_batch *b, zed_event *e, const char *file, int line);
XETILE_API bool zed_batch_follow_(zed_batch *b, zed_event *e, const char *file, int line);
XETILE_API bool zed_batch_change_(zed_batch *b, int launch, const char *file, int line, zed_groups groups,
                                  const zed_arg *args, uint32_t count);
XETILE_API double zed_batch_ns_(zed_batch *b, int launch, const char *file, int line);
XETILE_API bool zed_batch_print_times_(zed_batch *b, FILE *f, const char *file, int line);
XETILE_API bool zed_batch_free_(zed_batch *b, const char *file, int line);

/* ---- events ---------------------------------------------------------------------------------------------------- */

XETILE_API bool zed_event_create_(zed_event *e, zed_device *d);
XETILE_API bool zed_event_free_(zed_event *e, const char *file, int line);
XETILE_API bool zed_event_wait_(zed_event *e, const char *file, int line);
XETILE_API bool zed_event_done_(zed_event *e, const char *file, int line);
XETILE_API bool zed_signal_(zed_device *d, zed_event *e);
XETILE_API bool zed_follow_(zed_device *d, zed_event *e);

/* ---- macros of launches: errors are reported at the user's line -------------------------------------------------- */

#include "ze_dispatch/launching.h"

#endif /* ZE_DISPATCH_H */
