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
#if defined(__GNUC__) /* the user's macros of one letter stay out of this text: given back at its end */
#define XETILE_PRAGMA_(text) _Pragma(#text)
#define XETILE_PUSH_(letter) XETILE_PRAGMA_(push_macro(letter))
#define XETILE_POP_(letter) XETILE_PRAGMA_(pop_macro(letter))
#define ZED_LETTERS_(F) F("A") F("B") F("C") F("D") F("E") F("F") F("G") F("H") F("I") F("J") F("K") \
    F("L") F("M") F("N") F("O") F("P") F("Q") F("R") F("S") F("T") F("U") F("V") \
    F("W") F("X") F("Y") F("Z") F("a") F("b") F("c") F("d") F("e") F("f") F("g") \
    F("h") F("i") F("j") F("k") F("l") F("m") F("n") F("o") F("p") F("q") F("r") \
    F("s") F("t") F("u") F("v") F("w") F("x") F("y") F("z")
ZED_LETTERS_(XETILE_PUSH_)
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

typedef struct zed_type_ {
    const char *name;
    unsigned char size;         /* bytes */
    char kind;                  /* of a value: i u f, h and b for f16 and bf16; 0: only in memory */
    unsigned char pointed_size; /* the C types that pointers to it may have: their size, */
    const char *pointed_kinds;  /* and their kinds: i u f, c for plain char */
} zed_type_;

enum { ZED_PARAM_VALUE, ZED_PARAM_PTR, ZED_PARAM_LOCAL };

typedef struct zed_param {
    int kind; /* ZED_PARAM_... */
    const zed_type_ *type;
    char name[64];
} zed_param;

typedef struct zed_groups {
    uint32_t count_x, count_y, count_z;
} zed_groups;

typedef struct zed_local {
    size_t bytes;
} zed_local;

/* An argument with its C type. Made by ZED_ARG(value) or the zed_arg_... functions. */
typedef struct zed_arg {
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
} zed_arg;

/* SPIR-V's numbers of what stands before functions and tells of spec constants; not for users. */
enum { ZED_OP_TYPE_INT_ = 21, ZED_OP_TYPE_FLOAT_, ZED_OP_SPEC_TRUE_ = 48, ZED_OP_SPEC_FALSE_, ZED_OP_SPEC_,
       ZED_OP_FUNCTION_ = 54, ZED_OP_DECORATE_ = 71, ZED_SPEC_ID_ = 1 };

/* An argument as its kernel takes it; not for users. */
typedef struct zed_bound_ {
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
} zed_bound_;

/* The file of what a driver compiled; not for users. */
typedef struct zed_entry_ {
    char head[2048]; /* of its key: a line of text, without zeroes behind it */
    size_t head_size;
    const void *words; /* and the module */
    size_t bytes;
    uint64_t hash;
    char path[1100];
} zed_entry_;

/* A C type as a number: the size of a value; for pointers, kind and size of the target. */
#define ZED_CODE_(kind, type) (((kind) << 8) | (int)sizeof(type))

XETILE_API zed_arg zed_arg_int_(int64_t v, int code);
XETILE_API zed_arg zed_arg_uint_(uint64_t v, int code);
XETILE_API zed_arg zed_arg_float_(float v, int code);
XETILE_API zed_arg zed_arg_double_(double v, int code);
XETILE_API ZED_NOT_READ_ zed_arg zed_arg_pointer_(const volatile void *p, int code);
XETILE_API zed_arg zed_arg_local_(zed_local v, int code);
XETILE_API zed_arg zed_arg_same_(zed_arg a, int code); /* for an argument that already is a zed_arg */
XETILE_API zed_arg zed_arg_text_(zed_arg a, const char *text);

/* For generated code, which knows the parameters and needs no C types. */
XETILE_API zed_arg zed_arg_i(int64_t v);
XETILE_API zed_arg zed_arg_u(uint64_t v);
XETILE_API zed_arg zed_arg_f(double v); /* a float is converted by the caller: subnormals may be flushed there */
XETILE_API zed_arg zed_arg_ptr(const volatile void *p);
XETILE_API zed_arg zed_arg_local(size_t bytes);

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

#endif /* ZE_DISPATCH_H */

/* ==== bodies: nothing from here on is for users ================================================================== */

#if defined(XETILE_STATIC_) && (defined(XETILE_IMPLEMENTATION) || \
                                (defined(XETILE_DECLARATIONS) && !defined(ZE_DISPATCH_BODIES_)))
#error "XETILE_DECLARATIONS or XETILE_IMPLEMENTATION come before the first header of xetile: one was included without"
#elif defined(XETILE_WEAKLY_) && !defined(XETILE_IMPLEMENTATION) && !defined(ZE_DISPATCH_BODIES_)
#error "XETILE_IMPLEMENTATION stays defined until the last header of xetile has been included"
#elif !defined(ZE_DISPATCH_BODIES_) && (defined(XETILE_IMPLEMENTATION) || !defined(XETILE_DECLARATIONS))
#define ZE_DISPATCH_BODIES_
#if defined(XETILE_IMPLEMENTATION)
/* The linker names this when two files of a program have the bodies, and first, as it is the first function. */
XETILE_EXTERN_ XETILE_HIDDEN_ void XETILE_IMPLEMENTATION_belongs_in_one_file__ze_dispatch(void);
void XETILE_IMPLEMENTATION_belongs_in_one_file__ze_dispatch(void) {}
#endif

/* internal.h - declarations shared by the bodies of ze_dispatch.h only. */

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

XETILE_COLD_

/* errors.c - a device's error. */

zed_device *zed_at_(zed_device *d, const char *file, int line)
{
    if (d) {
        d->file_ = file;
        d->line_ = line;
    }
    return d;
}

/* The row of an error id: its name and what to do; for a row of Level Zero also the name of the ze_result_t. */
typedef struct zed_error_row_ {
    int id;
    uint32_t code;
    const char *name, *result, *hint;
} zed_error_row_;

XE_FN_ const zed_error_row_ *zed_error_rows_(size_t *count)
{
    static const zed_error_row_ rows[] = {
#define ZED_X_(id, hint) {id, 0, #id, "", hint},
        ZED_ERRORS(ZED_X_)
#undef ZED_X_
#define ZED_X_(id, code, result, hint) {id, code, #id, result, hint},
            ZED_RESULTS(ZED_X_)
#undef ZED_X_
    };
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

XE_FN_ const zed_error_row_ *zed_error_row_of_(int id)
{
    size_t count, i = 0;
    const zed_error_row_ *rows = zed_error_rows_(&count);
    while (i + 1 < count && rows[i].id != id) i++;
    return &rows[i];
}

/* The row of a failed ze_result_t; the last row if it is not listed. */
XE_FN_ const zed_error_row_ *zed_result_row_(ze_result_t result)
{
    size_t count;
    const zed_error_row_ *rows = zed_error_rows_(&count);
    for (size_t i = 0; i < count; i++) if (rows[i].code && rows[i].code == (uint32_t)result) return &rows[i];
    return &rows[count - 1];
}

const char *zed_result_name(ze_result_t result)
{
    return result == ZE_RESULT_SUCCESS ? "ZE_RESULT_SUCCESS" : zed_result_row_(result)->result;
}

/* Appends "; <what to do>" to the text; if they do not fit, the text is truncated, not the advice. */
XE_ONCE_
XE_FN_ void zed_error_hint_(zed_error *e, const char *hint)
{
    size_t used = strlen(e->text), need = strlen(hint) + 3;
    if (used + need > sizeof e->text) used = sizeof e->text - need;
    snprintf(e->text + used, sizeof e->text - used, "; %s", hint);
}

/* Records an error unless there is one. The text is already written; appends the hint. */
XE_FN_ void zed_error_set_(zed_error *e, const zed_error_row_ *row, ze_result_t result, const char *file,
                                  int line)
{
    e->id = row->id;
    e->name = row->name;
    e->file = file;
    e->line = line;
    e->result = result;
    zed_error_hint_(e, row->hint);
}

/* Records an error unless there is one; returns false, for callers to return. */
bool zed_fail_(zed_device *d, int id, const char *format, ...)
{
    va_list args;
    if (d->error.id) return false;
    va_start(args, format);
    vsnprintf(d->error.text, sizeof d->error.text, format, args);
    va_end(args);
    zed_error_set_(&d->error, zed_error_row_of_(id), ZE_RESULT_SUCCESS, d->file_, d->line_);
    return false;
}

/* An error of a kernel or batch that was never given a device, so that none can keep it: it goes to stderr. */
XE_FN_ bool zed_fail_alone_(int id, const char *call, const char *file, int line)
{
    const zed_error_row_ *row = zed_error_row_of_(id);
    fprintf(stderr, "%s:%d: %s: %s without a device; %s\n", file, line, row->name, call, row->hint);
    return false;
}

/* The driver's own description of its last error, or "". */
XE_FN_ const char *zed_driver_text_(const zed_device *d)
{
#if defined(ZED_HAS_DRIVER_TEXT_)
    const char *text = NULL;
    if (d->driver && d->ze_->zeDriverGetLastErrorDescription &&
        d->ze_->zeDriverGetLastErrorDescription(d->driver, &text) == ZE_RESULT_SUCCESS && text)
        return text;
#endif
    (void)d;
    return "";
}

/* True if a Level Zero call succeeded; else records its error, with details from the format. */
bool zed_check_(zed_device *d, ze_result_t result, const char *call, const char *format, ...)
{
    char details[512];
    va_list args;
    zed_error *e = &d->error;
    const zed_error_row_ *row = zed_result_row_(result);
    if (result == ZE_RESULT_SUCCESS) return true;
    if (e->id) return false;
    va_start(args, format);
    vsnprintf(details, sizeof details, format, args);
    va_end(args);
    const char *text = zed_driver_text_(d);
    snprintf(e->text, sizeof e->text, "%s%s%s gave %s (0x%" PRIx32 ")%s%s", call, *details ? " " : "", details,
             row->result, (uint32_t)result, *text ? ": " : "", text);
    zed_error_set_(e, row, result, d->file_, d->line_);
    return false;
}

const zed_error *zed_get_error(const zed_device *d) { return &d->error; }

void zed_clear_error(zed_device *d) { memset(&d->error, 0, sizeof d->error); }

void zed_print_error(const zed_device *d, FILE *f)
{
    const zed_error *e = &d->error;
    if (e->id) fprintf(f, "%s:%d: %s: %s\n", e->file ? e->file : "?", e->line, e->name, e->text);
}

/* Is d usable: open and without an error? */
XE_FN_ bool zed_usable_(zed_device *d)
{
    if (!d || d->error.id) return false;
    if (!d->open_) return zed_fail_(d, ZED_NOT_OPEN, "the device is not open");
    return true;
}

/* loader.c - finds the functions of the Level Zero loader when a device is opened; programs need not link with it. */

#if defined(_WIN32)
#define ZED_LOADER_NAME_ "ze_loader.dll"

/* The loader's handle; if it cannot be opened, NULL and the reason. From the program's folder or the system's, where
 * drivers install it, and not from the current one, whose files may be somebody else's. */
XE_ONCE_
XE_FN_ void *zed_library_(char *why, size_t size)
{
    const unsigned long search_default_dirs = 0x1000;
    void *library = (void *)LoadLibraryExA(ZED_LOADER_NAME_, NULL, search_default_dirs);
    if (!library) snprintf(why, size, "error %lu", GetLastError());
    return library;
}

/* Stores a function's address in a pointer to it. */
XE_ONCE_
XE_FN_ bool zed_find_function_(void *library, const char *name, void *address)
{
    zed_procedure_ found = GetProcAddress((struct HINSTANCE__ *)library, name);
    memcpy(address, &found, sizeof found);
    return found != NULL;
}
#else
#define ZED_LOADER_NAME_ "libze_loader.so.1"

/* The program itself, if it has the functions, as one that is linked with the loader has; else the loader. It stays
 * open until the program ends: it has threads and handlers of its own. */
XE_ONCE_
XE_FN_ void *zed_library_(char *why, size_t size)
{
    void *library = dlopen(NULL, RTLD_NOW);
    const char *error;
    if (library && dlsym(library, "zeInit")) return library;
    library = dlopen(ZED_LOADER_NAME_, RTLD_NOW);
    if (library) return library;
    error = dlerror();
    snprintf(why, size, "%s", error ? error : "the dynamic linker does not say why");
    return NULL;
}

XE_ONCE_
XE_FN_ bool zed_find_function_(void *library, const char *name, void *address)
{
    void *found = dlsym(library, name);
    memcpy(address, &found, sizeof found);
    return found != NULL;
}
#endif

/* Fills d->ze_, which zed_close frees. */
XE_FN_ bool zed_find_functions_(zed_device *d)
{
#define ZED_X_(function) "ze" #function,
    static const char *const names[] = {ZED_FUNCTIONS_(ZED_X_) "zelLoaderTranslateHandle"};
#undef ZED_X_
    char why[512] = "", *at;
    void *library = zed_library_(why, sizeof why);
    size_t count = sizeof names / sizeof names[0];
    if (!library)
        return zed_fail_(d, ZED_NO_LOADER, "no Level Zero driver: " ZED_LOADER_NAME_ " cannot be opened (%s)", why);
    d->ze_ = (zed_functions_ *)calloc(1, sizeof *d->ze_);
    if (!d->ze_) return zed_fail_(d, ZED_OUT_OF_MEMORY, "no room for %zu addresses of functions", count);
    at = (char *)d->ze_;
    for (size_t i = 0; i < count; i++, at += sizeof d->ze_->zeInit) {
        if (!zed_find_function_(library, names[i], at))
            return zed_fail_(d, ZED_NO_LOADER, "the Level Zero loader has no function %s", names[i]);
    }
#if defined(ZED_HAS_DRIVER_TEXT_)
    zed_find_function_(library, "zeDriverGetLastErrorDescription", &d->ze_->zeDriverGetLastErrorDescription);
#endif
    return true;
}

/* wait.c - waiting and timing. */

/* Nanoseconds per tick. Depending on the structure type requested, the same field means nanoseconds per tick or ticks
 * per second; a driver that knows only the older meaning returns a number too small to be a frequency. */
XE_ONCE_
XE_FN_ double zed_tick_ns_from_(uint64_t old_meaning, uint64_t new_meaning)
{
    if (new_meaning >= 10000) return 1e9 / (double)new_meaning;
    return old_meaning ? (double)old_meaning : 1.0;
}

/* Ticks between two readings of a counter of `bits` bits that may have wrapped once. */
XE_ONCE_
XE_FN_ uint64_t zed_ticks_between_(uint64_t start, uint64_t end, uint32_t bits)
{
    uint64_t mask = bits == 0 || bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    return (end - start) & mask;
}

/* The time that the command took which signalled the event, in nanoseconds. */
XE_FN_ bool zed_event_ns_(zed_device *d, ze_event_handle_t event, double *ns)
{
    ze_kernel_timestamp_result_t stamp;
    memset(&stamp, 0, sizeof stamp);
    if (!ZED_CALL_(d, zeEventQueryKernelTimestamp, (event, &stamp))) return false;
    *ns = d->tick_ns_ *
          (double)zed_ticks_between_(stamp.context.kernelStart, stamp.context.kernelEnd, d->timestamp_bits_);
    return true;
}

/* Waits for the event that the last appended command signals, and makes it ready for the next. */
XE_FN_ bool zed_await_event_(zed_device *d, const char *what, double *ns)
{
    ze_result_t result = d->ze_->zeEventHostSynchronize(d->event, UINT64_MAX);
    bool ok = zed_check_(d, result, "zeEventHostSynchronize", "after %s", what);
    if (ok && ns) ok = zed_event_ns_(d, d->event, ns);
    return ZED_CALL_(d, zeEventHostReset, (d->event)) && ok;
}

/* Waits for everything that was started, even after an error, since it may use what is about to be freed. */
XE_FN_ bool zed_await_all_(zed_device *d)
{
    bool batches = d->last_ != NULL, ok = true;
    d->last_ = NULL;
    if (d->pending_) {
        d->pending_ = false;
        ok = ZED_CALL_(d, zeCommandListAppendBarrier, (d->list, d->event, 0, NULL)) &&
             zed_await_event_(d, "zed_start", NULL);
    }
    return (!batches || ZED_CALL_(d, zeCommandQueueSynchronize, (d->queue, UINT64_MAX))) && ok;
}

/* What the device's own list gets next waits for the batches in flight. */
XE_ONCE_
XE_FN_ bool zed_follow_batches_(zed_device *d)
{
    if (!d->last_) return true;
    d->last_->awaited = d->pending_ = true;
    return ZED_CALL_(d, zeCommandListAppendBarrier, (d->list, NULL, 1, &d->last_->done));
}

bool zed_wait_(zed_device *d) { return zed_usable_(d) && zed_await_all_(d); }

/* resources.c - objects that are destroyed with the device. */

/* The index of a handle in the list, or -1. Searches backwards because most objects are short-lived. */
XE_FN_ ptrdiff_t zed_find_(const zed_device *d, int kind, const void *handle)
{
    for (size_t i = d->resource_count_; i-- > 0;) {
        if (d->resources_[i].kind == kind && d->resources_[i].handle == handle) return (ptrdiff_t)i;
    }
    return -1;
}

XE_ONCE_
XE_FN_ void zed_forget_(zed_device *d, ptrdiff_t i)
{
    size_t after = d->resource_count_ - (size_t)i - 1;
    memmove(&d->resources_[i], &d->resources_[i + 1], after * sizeof d->resources_[0]);
    d->resource_count_--;
}

/* Destroys what a recording holds, also if the device already has an error. */
XE_FN_ bool zed_recording_destroy_(zed_device *d, zed_recording_ *r)
{
    bool ok = true;
    if (r->list) ok = ZED_CALL_(d, zeCommandListDestroy, (r->list));
    for (size_t i = 0; i < r->count; i++) {
        if (r->steps[i].own) ok = ZED_CALL_(d, zeEventDestroy, (r->steps[i].own)) && ok;
        free(r->steps[i].args);
    }
    if (r->gate) ok = ZED_CALL_(d, zeEventDestroy, (r->gate)) && ok;
    if (r->done) ok = ZED_CALL_(d, zeEventDestroy, (r->done)) && ok;
    if (r->pool) ok = ZED_CALL_(d, zeEventPoolDestroy, (r->pool)) && ok;
    free(r->steps);
    free(r->kernels);
    free(r);
    return ok;
}

XE_FN_ bool zed_destroy_(zed_device *d, const zed_resource_ *r)
{
    switch (r->kind) {
    case ZED_RES_MEMORY_: return ZED_CALL_(d, zeMemFree, (d->context, r->handle));
    case ZED_RES_MODULE_: return ZED_CALL_(d, zeModuleDestroy, ((ze_module_handle_t)r->handle));
    case ZED_RES_KERNEL_: return ZED_CALL_(d, zeKernelDestroy, ((ze_kernel_handle_t)r->handle));
    case ZED_RES_POOL_: return ZED_CALL_(d, zeEventPoolDestroy, ((ze_event_pool_handle_t)r->handle));
    case ZED_RES_EVENT_: return ZED_CALL_(d, zeEventDestroy, ((ze_event_handle_t)r->handle));
    default: return zed_recording_destroy_(d, (zed_recording_ *)r->handle);
    }
}

/* Appends a handle to the list; destroys it if out of memory. */
XE_FN_ bool zed_keep_(zed_device *d, int kind, void *handle, size_t bytes)
{
    size_t room = d->resource_room_ ? 2 * d->resource_room_ : 32;
    zed_resource_ r, *more = d->resources_;
    r.kind = kind;
    r.handle = handle;
    r.bytes = bytes;
    if (d->resource_count_ == d->resource_room_) {
        more = (zed_resource_ *)realloc(d->resources_, room * sizeof r);
        if (more) d->resource_room_ = room;
        else zed_fail_(d, ZED_OUT_OF_MEMORY, "no room for a list of %zu handles", room), zed_destroy_(d, &r);
    }
    if (!more) return false;
    d->resources_ = more;
    more[d->resource_count_++] = r;
    return true;
}

/* Destroys a handle in the list. Also works if the device already has an error. */
XE_FN_ bool zed_drop_(zed_device *d, int kind, void *handle)
{
    ptrdiff_t i = zed_find_(d, kind, handle);
    if (i < 0) return false;
    zed_await_all_(d);
    zed_resource_ r = d->resources_[i];
    zed_forget_(d, i);
    return zed_destroy_(d, &r);
}

/* Implements zed_module_free and similar calls; true also if there is nothing to free. */
XE_FN_ bool zed_release_(zed_device *d, int kind, void *handle, const char *file, int line)
{
    zed_at_(d, file, line);
    return !d || !handle || zed_drop_(d, kind, handle);
}

/* events.c - events, by which work on one queue waits for work on another. */

/* Creates a pool with room for `count` events, with timestamps if they are to tell times. */
XE_FN_ bool zed_make_pool_(zed_device *d, uint32_t count, bool timed, ze_event_pool_handle_t *pool)
{
    ze_event_pool_desc_t desc;
    ZED_CLEAR_(desc, EVENT_POOL_DESC);
    desc.flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE;
    if (timed) desc.flags |= ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
    desc.count = count;
    if (ZED_CALL_(d, zeEventPoolCreate, (d->context, &desc, 1, &d->device, pool))) return true;
    *pool = NULL;
    return false;
}

XE_ONCE_
XE_FN_ bool zed_make_event_(zed_device *d, ze_event_pool_handle_t pool, uint32_t index, ze_event_handle_t *event)
{
    ze_event_desc_t desc;
    ZED_CLEAR_(desc, EVENT_DESC);
    desc.index = index;
    desc.signal = ZE_EVENT_SCOPE_FLAG_HOST;
    desc.wait = ZE_EVENT_SCOPE_FLAG_HOST;
    if (ZED_CALL_(d, zeEventCreate, (pool, &desc, event))) return true;
    *event = NULL;
    return false;
}

bool zed_event_create_(zed_event *e, zed_device *d)
{
    if (!e) return d ? zed_usable_(d) && zed_fail_(d, ZED_NULL_POINTER, "zed_event_create: the event is NULL") : false;
    memset(e, 0, sizeof *e);
    e->device = d;
    if (!zed_usable_(d) || !zed_make_pool_(d, 1, false, &e->pool_)) return false;
    if (!zed_keep_(d, ZED_RES_POOL_, e->pool_, 0)) return false;
    if (zed_make_event_(d, e->pool_, 0, &e->handle) && zed_keep_(d, ZED_RES_EVENT_, e->handle, 0)) return true;
    e->handle = NULL;
    zed_drop_(d, ZED_RES_POOL_, e->pool_);
    return false;
}

bool zed_event_free_(zed_event *e, const char *file, int line)
{
    bool ok = e && zed_release_(e->device, ZED_RES_EVENT_, e->handle, file, line);
    if (!e) return false;
    if (e->handle) ok = zed_drop_(e->device, ZED_RES_POOL_, e->pool_) && ok;
    e->handle = NULL;
    return ok;
}

/* Can the event be used with d? */
XE_FN_ bool zed_event_is_for_(const zed_event *e, zed_device *d, const char *call)
{
    if (!e || !e->device || !e->handle) return zed_fail_(d, ZED_EVENT_STATE, "%s: the event is not created", call);
    if (e->device->context == d->context) return true;
    return zed_fail_(d, ZED_OTHER_DEVICE, "%s: the event is of \"%s\" (%p), the queue of \"%s\" (%p)", call,
                     e->device->name, (void *)e->device, d->name, (void *)d);
}

bool zed_signal_(zed_device *d, zed_event *e)
{
    if (!zed_usable_(d) || !zed_event_is_for_(e, d, "zed_signal") || !zed_follow_batches_(d)) return false;
    d->pending_ = true;
    return ZED_CALL_(d, zeEventHostReset, (e->handle)) &&
           ZED_CALL_(d, zeCommandListAppendBarrier, (d->list, e->handle, 0, NULL));
}

bool zed_follow_(zed_device *d, zed_event *e)
{
    if (!zed_usable_(d) || !zed_event_is_for_(e, d, "zed_follow")) return false;
    d->pending_ = true;
    return ZED_CALL_(d, zeCommandListAppendBarrier, (d->list, NULL, 1, &e->handle));
}

/* The device of an event that its caller waits for or asks; NULL if there is none or it has an error. */
XE_FN_ zed_device *zed_event_device_(const zed_event *e, const char *call, const char *file, int line)
{
    if (!e || !e->device) {
        zed_fail_alone_(ZED_EVENT_STATE, call, file, line);
        return NULL;
    }
    zed_at_(e->device, file, line);
    return zed_usable_(e->device) && zed_event_is_for_(e, e->device, call) ? e->device : NULL;
}

bool zed_event_wait_(zed_event *e, const char *file, int line)
{
    zed_device *d = zed_event_device_(e, "zed_event_wait", file, line);
    return d && ZED_CALL_(d, zeEventHostSynchronize, (e->handle, UINT64_MAX));
}

bool zed_event_done_(zed_event *e, const char *file, int line)
{
    zed_device *d = zed_event_device_(e, "zed_event_done", file, line);
    if (!d) return false;
    ze_result_t result = d->ze_->zeEventQueryStatus(e->handle);
    return result != ZE_RESULT_NOT_READY && zed_check_(d, result, "zeEventQueryStatus", "%s", "");
}

/* targets.c - what a device is: its row of the table of targets. */

#define ZED_IP_(architecture, release) ((uint32_t)(architecture) << 22 | (uint32_t)(release) << 14)

/* The targets of coopmatrix.h. IP versions, and the ids below, are what `ocloc query SUPPORTED_DEVICES` of Intel's
 * compiler answers (26.27; tests/dispatch/test_dispatch_targets.c compares them); ascending, so that the nearest older
 * device stands before. `ocloc query CL_DEVICE_EXTENSIONS` says whether there are matrix instructions and 2D block
 * messages; those of arl-h exist, but the compiler refuses modules that have them. */
static const zed_target_row_ zed_rows_[] = {
    {"tgl", ZED_IP_(12, 0), ZED_IP_(12, 4), true, false, false}, /* and rkl, adl, rpl */
    {"dg1", ZED_IP_(12, 10), ZED_IP_(12, 10), false, false, false},
    {"dg2", ZED_IP_(12, 55), ZED_IP_(12, 57), false, true, false},
    {"pvc", ZED_IP_(12, 60), ZED_IP_(12, 61), false, true, true},
    {"mtl", ZED_IP_(12, 70), ZED_IP_(12, 71), true, false, false}, /* and arl-u, arl-s */
    {"arl-h", ZED_IP_(12, 74), ZED_IP_(12, 74), true, false, false},
    {"bmg", ZED_IP_(20, 1), ZED_IP_(20, 2), false, true, true},
    {"lnl", ZED_IP_(20, 4), ZED_IP_(20, 4), true, true, true},
    {"ptl", ZED_IP_(30, 0), ZED_IP_(30, 1), true, true, true},
    {"wcl", ZED_IP_(30, 3), ZED_IP_(30, 3), true, true, true},
    {"nvl", ZED_IP_(30, 4), ZED_IP_(30, 5), true, true, true}, /* s, u, h */
    {"nvl-p", ZED_IP_(35, 10), ZED_IP_(35, 10), true, true, true},
    {"cri", ZED_IP_(35, 11), ZED_IP_(35, 11), false, true, true},
    {"soft", 0, 0, true, true, true},
    {"generic", 0, 0, true, false, false},
};
enum { ZED_ROWS_ = sizeof zed_rows_ / sizeof zed_rows_[0] };

XE_FN_ const zed_target_row_ *zed_row_named_(const char *name)
{
    size_t i = 0;
    while (i < ZED_ROWS_ - 1 && strcmp(zed_rows_[i].name, name) != 0) i++;
    return &zed_rows_[i];
}

XE_ONCE_
XE_FN_ const zed_target_row_ *zed_row_of_ip_(uint32_t ip)
{
    const uint32_t release = ip & ~(uint32_t)0x3fff; /* without the revision */
    for (size_t i = 0; i < ZED_ROWS_; i++)
        if (release && release >= zed_rows_[i].first_ip && release <= zed_rows_[i].last_ip) return &zed_rows_[i];
    return NULL;
}

XE_ONCE_
XE_FN_ const zed_target_row_ *zed_row_of_id_(uint32_t device_id)
{
    static const struct {
        uint16_t first, last;
        const char *target;
    } ids[] = {
        {0x9a40, 0x9a78, "tgl"},   {0x4c80, 0x4c9a, "tgl"},   {0x4680, 0x4693, "tgl"},   {0x4626, 0x462a, "tgl"},
        {0x46a0, 0x46c3, "tgl"},   {0x46d0, 0x46d4, "tgl"},   {0xa720, 0xa721, "tgl"},   {0xa780, 0xa78b, "tgl"},
        {0xa7a0, 0xa7ad, "tgl"},   {0x4905, 0x4909, "dg1"},   {0x4f80, 0x4f88, "dg2"},   {0x5690, 0x5698, "dg2"},
        {0x56a0, 0x56af, "dg2"},   {0x56b0, 0x56bf, "dg2"},   {0x56c0, 0x56c2, "dg2"},   {0x0b69, 0x0b6e, "pvc"},
        {0x0bd0, 0x0bdb, "pvc"},   {0x7d40, 0x7d45, "mtl"},   {0x7d55, 0x7d55, "mtl"},   {0x7d67, 0x7d67, "mtl"},
        {0x7dd5, 0x7dd5, "mtl"},   {0x7d51, 0x7d51, "arl-h"}, {0x7dd1, 0x7dd1, "arl-h"}, {0xe202, 0xe223, "bmg"},
        {0x6420, 0x6420, "lnl"},   {0x64a0, 0x64a0, "lnl"},   {0x64b0, 0x64b0, "lnl"},   {0xb080, 0xb0b0, "ptl"},
        {0xfd80, 0xfd81, "wcl"},   {0xd740, 0xd745, "nvl"},   {0xd74a, 0xd74b, "nvl-p"}, {0xd750, 0xd75f, "nvl-p"},
        {0x674c, 0x674c, "cri"},
    };
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        if (device_id >= ids[i].first && device_id <= ids[i].last) return zed_row_named_(ids[i].target);
    return NULL;
}

XE_ONCE_
XE_FN_ const zed_target_row_ *zed_row_of_name_(const char *name)
{
    static const struct {
        const char *part, *target;
    } names[] = {
        {"Data Center GPU Max", "pvc"},  {"Arc(TM) B5", "bmg"}, {"Arc(TM) Pro B", "bmg"},
        {"Arc(TM) B3", "ptl"},           {"Arc(TM) A", "dg2"},  {"Arc(TM) Pro A", "dg2"},
        {"Data Center GPU Flex", "dg2"}, {"Iris(R) Xe", "tgl"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strstr(name, names[i].part)) return zed_row_named_(names[i].target);
    return NULL;
}

/* For a device that this table does not know: the nearest older one, integrated like it or not, that has no instruction
 * which the driver says this one lacks. NULL: all are newer. */
XE_ONCE_
XE_FN_ const zed_target_row_ *zed_nearest_older_(const zed_identity_ *id)
{
    for (size_t i = ZED_ROWS_; i-- > 0;) {
        const zed_target_row_ *row = &zed_rows_[i];
        if (row->first_ip && id->ip > row->last_ip && row->integrated == id->integrated && (id->dpas || !row->dpas) &&
            (id->block2d || !row->block2d))
            return row;
    }
    return NULL;
}

/* The row of a device, by its IP version, else its id, else its name. `how` is what zed_target_log says; *guessed: the
 * table does not know it. */
XE_FN_ const zed_target_row_ *zed_recognise_(const zed_identity_ *id, char *how, size_t size, bool *guessed)
{
    const zed_target_row_ *row = NULL;
    char ip[40] = "";
    *guessed = false;
    if (strncmp(id->name, "xetile software device", 22) == 0) {
        snprintf(how, size, "soft, by its name");
        return zed_row_named_("soft");
    }
    if (id->ip)
        snprintf(ip, sizeof ip, "IP version %d.%d.%d", (int)(id->ip >> 22), (int)(id->ip >> 14 & 255),
                 (int)(id->ip & 63));
    if (id->vendor_id == 0x8086) {
        if ((row = zed_row_of_ip_(id->ip)) != NULL) snprintf(how, size, "%s, by its %s", row->name, ip);
        else if ((row = zed_row_of_id_(id->device_id)) != NULL)
            snprintf(how, size, "%s, by its id 0x%04x", row->name, (unsigned)id->device_id);
        else if ((row = zed_row_of_name_(id->name)) != NULL) snprintf(how, size, "%s, by its name", row->name);
        if (row) return row;
        row = id->ip ? zed_nearest_older_(id) : NULL;
    }
    *guessed = true;
    if (!row) row = zed_row_named_("generic");
    snprintf(how, size, "%s: vendor 0x%04x, device 0x%04x%s%s is unknown; %s", row->name, (unsigned)id->vendor_id,
             (unsigned)id->device_id, *ip ? ", " : "", ip,
             row->first_ip ? "this is the nearest older one whose instructions the driver has"
                           : "its kernels use neither matrix instructions nor block messages");
    return row;
}

/* Structures of Intel's driver that newer headers have; other drivers leave them as they are. */
enum {
    ZED_STYPE_IP_VERSION_ = 0x1000f, ZED_STYPE_BLOCKS_ = 0x30007, ZED_STYPE_PRODUCTS_ = 0x30013
};
typedef struct zed_number_ {
    ze_structure_type_t stype;
    void *next;
    uint32_t number;
} zed_number_;

/* Fills *p, and *id from it and from the driver's extensions. */
XE_FN_ bool zed_identify_(zed_device *d, ze_device_handle_t device, ze_device_properties_t *p, zed_identity_ *id)
{
    zed_number_ blocks = {(ze_structure_type_t)ZED_STYPE_BLOCKS_, NULL, 0};
    zed_number_ ip = {(ze_structure_type_t)ZED_STYPE_IP_VERSION_, &blocks, 0};
    zed_number_ products = {(ze_structure_type_t)ZED_STYPE_PRODUCTS_, NULL, 0};
    ze_device_module_properties_t m;
    ZED_CLEAR_(*p, DEVICE_PROPERTIES);
    ZED_CLEAR_(m, DEVICE_MODULE_PROPERTIES);
    p->pNext = &ip;
    m.pNext = &products;
    bool good = ZED_CALL_(d, zeDeviceGetProperties, (device, p));
    p->pNext = NULL;
    if (!good) return false;
    if (p->type == ZE_DEVICE_TYPE_GPU && !ZED_CALL_(d, zeDeviceGetModuleProperties, (device, &m))) return false;
    memset(id, 0, sizeof *id);
    id->vendor_id = p->vendorId;
    id->device_id = p->deviceId;
    id->ip = ip.number;
    id->integrated = (p->flags & ZE_DEVICE_PROPERTY_FLAG_INTEGRATED) != 0;
    id->block2d = blocks.number == 3;      /* loads and stores */
    id->dpas = (products.number & 2) != 0; /* 1: DP4A */
    memcpy(id->name, p->name, sizeof id->name);
    return true;
}

const char *zed_target_log(const zed_device *d) { return d->recognised_; }

XE_FN_ void zed_fill_target_(zed_target *t, const ze_device_properties_t *p, const ze_device_compute_properties_t *c,
                      const ze_device_module_properties_t *m)
{
    for (uint32_t i = 0; i < c->numSubGroupSizes && i < ZE_SUBGROUPSIZE_COUNT; i++) {
        t->subgroup_sizes |= c->subGroupSizes[i];
    }
    t->local_memory = (int)c->maxSharedLocalMemory;
    t->max_group_size = (int)c->maxTotalGroupSize;
    t->max_group_dim[0] = (int)c->maxGroupSizeX;
    t->max_group_dim[1] = (int)c->maxGroupSizeY;
    t->max_group_dim[2] = (int)c->maxGroupSizeZ;
    t->max_groups[0] = c->maxGroupCountX;
    t->max_groups[1] = c->maxGroupCountY;
    t->max_groups[2] = c->maxGroupCountZ;
    t->fp16 = (m->flags & ZE_DEVICE_MODULE_FLAG_FP16) != 0;
    t->fp64 = (m->flags & ZE_DEVICE_MODULE_FLAG_FP64) != 0;
    t->int64_atomics = (m->flags & ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS) != 0;
    t->spirv_version = m->spirvVersionSupported;
    t->vendor_id = p->vendorId;
    t->device_id = p->deviceId;
    t->eu_count = p->numEUsPerSubslice * p->numSubslicesPerSlice * p->numSlices;
    t->max_alloc = p->maxMemAllocSize;
}

/* find_soft.c - finds the software device. */

#if !defined(_WIN32)
/* The first readable libze_soft.so among the documented locations, else its bare name. */
XE_FN_ void zed_soft_path_(char *path, size_t size)
{
    static const char *const near_program[] = {"", "build/", "../", "../build/"};
    static const char *const near_us[] = {"./build/", "./"};
    char program[1024];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash;
    program[length > 0 ? length : 0] = 0;
    slash = strrchr(program, '/');
    if (slash) {
        slash[1] = 0;
        for (size_t i = 0; i < sizeof near_program / sizeof near_program[0]; i++) {
            int n = snprintf(path, size, "%s%slibze_soft.so", program, near_program[i]);
            if (n > 0 && (size_t)n < size && !strchr(path, ',') && access(path, R_OK) == 0) return;
        }
    }
    for (size_t i = 0; i < sizeof near_us / sizeof near_us[0]; i++) {
        snprintf(path, size, "%slibze_soft.so", near_us[i]);
        if (access(path, R_OK) == 0) return;
    }
    snprintf(path, size, "libze_soft.so");
}

/* Appends the software device to Intel's drivers. The list below contains the loader's defaults. */
XE_FN_ bool zed_name_drivers_(zed_device *d)
{
    char path[2048], value[2200];
    const char *soft = getenv("XETILE_SOFT");
    if (getenv("ZE_ENABLE_ALT_DRIVERS")) return true; /* the user's, or set by an earlier zed_open */
    if (soft && !*soft) return true;
    if (soft) {
        int n = snprintf(path, sizeof path, "%s", soft);
        if (n < 0 || (size_t)n >= sizeof path || strchr(path, ',') || access(path, R_OK) != 0)
            return zed_fail_(d, ZED_SOFT_MISSING, "XETILE_SOFT is \"%s\", which cannot be read or has a comma", soft);
    } else {
        zed_soft_path_(path, sizeof path);
    }
    snprintf(value, sizeof value, "libze_intel_gpu.so.1,libze_intel_gpu_legacy1.so.1,%s", path);
    if (setenv("ZE_ENABLE_ALT_DRIVERS", value, 0) != 0)
        return zed_fail_(d, ZED_OUT_OF_MEMORY, "setenv of ZE_ENABLE_ALT_DRIVERS failed");
    return true;
}
#else
XE_FN_ bool zed_name_drivers_(zed_device *d)
{
    (void)d;
    return true;
}
#endif

/* enumerate.c - listing and choosing devices. */

/* Order of preference: 0 discrete GPU, 1 integrated GPU, 2 another processor, 3 the software device. */
XE_ONCE_
XE_FN_ int zed_rank_(const ze_device_properties_t *p, bool software)
{
    if (software) return 3;
    if (p->type != ZE_DEVICE_TYPE_GPU) return 2;
    return p->flags & ZE_DEVICE_PROPERTY_FLAG_INTEGRATED ? 1 : 0;
}

XE_FN_ bool zed_candidate_add_(zed_device *d, zed_candidate_ *all, int *count, ze_driver_handle_t driver,
                                      ze_device_handle_t device)
{
    ze_device_properties_t p;
    zed_candidate_ c;
    zed_identity_ id;
    char how[sizeof ((zed_device *)0)->recognised_];
    bool guessed;
    int at;
    memset(&c, 0, sizeof c);
    if (!zed_identify_(d, device, &p, &id)) return false;
    if (p.type == ZE_DEVICE_TYPE_VPU || *count == ZED_MAX_DEVICES) return true; /* NPUs do not accept SPIR-V */
    c.driver = driver;
    c.device = device;
    c.gpu = p.type == ZE_DEVICE_TYPE_GPU;
    c.vendor_id = p.vendorId;
    c.device_id = p.deviceId;
    snprintf(c.name, sizeof c.name, "%s", p.name);
    c.software = strncmp(c.name, "xetile software device", 22) == 0;
    c.gpu = c.gpu && !c.software;
    c.rank = zed_rank_(&p, c.software);
    c.target = zed_recognise_(&id, how, sizeof how, &guessed)->name;
    for (at = (*count)++; at > 0 && all[at - 1].rank > c.rank; at--) all[at] = all[at - 1];
    all[at] = c;
    return true;
}

XE_FN_ bool zed_no_device_(zed_device *d, ze_result_t result, const char *why)
{
    const char *drivers = getenv("ZE_ENABLE_ALT_DRIVERS");
    zed_fail_(d, ZED_NO_DEVICE, "no Level Zero device: %s %s (0x%" PRIx32 "), drivers tried: %s", why,
              zed_result_name(result), (uint32_t)result, drivers ? drivers : "the loader's own list");
    d->error.result = result;
    return false;
}

/* All devices, preferred ones first. */
XE_FN_ bool zed_enumerate_(zed_device *d, zed_candidate_ *all, int *count)
{
    ze_driver_handle_t drivers[16];
    ze_device_handle_t devices[ZED_MAX_DEVICES];
    uint32_t driver_count = 0, device_count;
    *count = 0;
    if (!zed_name_drivers_(d) || !zed_find_functions_(d)) return false;
    ze_result_t result = d->ze_->zeInit(0);
    if (result != ZE_RESULT_SUCCESS) return zed_no_device_(d, result, "zeInit gave");
    result = d->ze_->zeDriverGet(&driver_count, NULL);
    if (driver_count > 16) driver_count = 16;
    if (result == ZE_RESULT_SUCCESS && driver_count) result = d->ze_->zeDriverGet(&driver_count, drivers);
    if (result != ZE_RESULT_SUCCESS) return zed_no_device_(d, result, "zeDriverGet gave");
    for (uint32_t i = 0; i < driver_count; i++) {
        device_count = 0;
        result = d->ze_->zeDeviceGet(drivers[i], &device_count, NULL);
        if (device_count > ZED_MAX_DEVICES) device_count = ZED_MAX_DEVICES;
        if (result != ZE_RESULT_SUCCESS || !device_count) continue; /* a driver without devices is not an error */
        if (!ZED_CALL_(d, zeDeviceGet, (drivers[i], &device_count, devices))) return false;
        for (uint32_t j = 0; j < device_count; j++) {
            if (!zed_candidate_add_(d, all, count, drivers[i], devices[j])) return false;
        }
    }
    if (!*count) return zed_no_device_(d, result, "the drivers have none, the last call gave");
    return true;
}

/* In every locale: in a Turkish one, the C library's lower-case "I" is not "i". */
XE_FN_ int zed_lower_(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

/* Does `text` contain `part`, ignoring case? */
XE_ONCE_
XE_FN_ bool zed_has_(const char *text, const char *part)
{
    for (; *text; text++) {
        size_t i = 0;
        while (part[i] && zed_lower_(text[i]) == zed_lower_(part[i])) i++;
        if (!part[i]) return true;
    }
    return !*part;
}

XE_FN_ bool zed_no_such_device_(zed_device *d, const char *wanted, const char *from, const zed_candidate_ *all,
                                       int count)
{
    char list[1200] = "";
    size_t used = 0;
    for (int i = 0; i < count && used < sizeof list; i++) {
        int n = snprintf(list + used, sizeof list - used, "%s%d \"%s\"", i ? ", " : "", i, all[i].name);
        used += n > 0 ? (size_t)n : 0;
    }
    return zed_fail_(d, ZED_NO_SUCH_DEVICE, "no device \"%s\" (from %s); the list is: %s", wanted, from, list);
}

/* The index of the device requested by the options, else by the environment; by default 0. -1 on error. */
XE_FN_ int zed_choose_(zed_device *d, const zed_options *o, const zed_candidate_ *all, int count)
{
    const char *name = o ? o->name : NULL, *from = "zed_options";
    char number[24];
    if (o && o->index_plus_1) {
        if (o->index_plus_1 > 0 && o->index_plus_1 <= count) return o->index_plus_1 - 1;
        snprintf(number, sizeof number, "%lld", (long long)o->index_plus_1 - 1);
        zed_no_such_device_(d, number, from, all, count);
        return -1;
    }
    if (!name) { /* .device or $XETILE_DEVICE: a number or a name */
        name = o ? o->device : NULL;
        if (!name) {
            name = getenv("XETILE_DEVICE");
            from = "XETILE_DEVICE";
        }
        if (!name || !*name) return 0;
        if (strspn(name, "0123456789") == strlen(name)) {
            if (strlen(name) < 4 && atoi(name) < count) return atoi(name);
            zed_no_such_device_(d, name, from, all, count);
            return -1;
        }
    }
    for (int i = 0; i < count; i++) {
        if (zed_has_(all[i].name, name)) return i;
        if (strcmp(all[i].target, name) == 0) return i;
    }
    zed_no_such_device_(d, name, from, all, count);
    return -1;
}

int zed_list_(zed_info *infos, int max, zed_error *error, const char *file, int line)
{
    zed_candidate_ *all = (zed_candidate_ *)calloc(ZED_MAX_DEVICES, sizeof *all);
    zed_device d;
    int count = -1;
    memset(&d, 0, sizeof d);
    zed_at_(&d, file, line);
    if (!all) zed_fail_(&d, ZED_OUT_OF_MEMORY, "no room for a list of %d devices", (int)ZED_MAX_DEVICES);
    else if (!zed_enumerate_(&d, all, &count)) count = -1;
    if (error) *error = d.error;
    for (int i = 0; infos && i < count && i < max; i++) {
        infos[i].index = i;
        memcpy(infos[i].name, all[i].name, sizeof infos[i].name);
        infos[i].target = all[i].target;
        infos[i].gpu = all[i].gpu;
        infos[i].software = all[i].software;
        infos[i].vendor_id = all[i].vendor_id;
        infos[i].device_id = all[i].device_id;
    }
    free(d.ze_);
    free(all);
    return count;
}

bool zed_print_list_(FILE *f, const char *file, int line)
{
    zed_info infos[ZED_MAX_DEVICES];
    zed_error e;
    int count = zed_list_(infos, ZED_MAX_DEVICES, &e, file, line);
    for (int i = 0; i < count; i++) fprintf(f, "%d  %s (%s)\n", infos[i].index, infos[i].name, infos[i].target);
    if (count < 0) fprintf(f, "%s:%d: %s: %s\n", e.file ? e.file : "?", e.line, e.name, e.text);
    return count >= 0;
}

/* open.c - opening and closing devices. */

XE_FN_ bool zed_read_properties_(zed_device *d)
{
    ze_device_properties_t p, p2;
    ze_device_compute_properties_t c;
    ze_device_module_properties_t m;
    ze_device_memory_access_properties_t access;
    zed_identity_ id;
    uint64_t frequency = 0;
    ZED_CLEAR_(p2, DEVICE_PROPERTIES_1_2);
    ZED_CLEAR_(c, DEVICE_COMPUTE_PROPERTIES);
    ZED_CLEAR_(m, DEVICE_MODULE_PROPERTIES);
    ZED_CLEAR_(access, DEVICE_MEMORY_ACCESS_PROPERTIES);
    if (!zed_identify_(d, d->device, &p, &id) ||
        !ZED_CALL_(d, zeDeviceGetComputeProperties, (d->device, &c)) ||
        !ZED_CALL_(d, zeDeviceGetModuleProperties, (d->device, &m)))
        return false;
    if (d->ze_->zeDeviceGetProperties(d->device, &p2) == ZE_RESULT_SUCCESS) frequency = p2.timerResolution;
    if (d->ze_->zeDeviceGetMemoryAccessProperties(d->device, &access) == ZE_RESULT_SUCCESS) {
        d->system_memory_ = (access.sharedSystemAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_RW) != 0;
    }
    d->tick_ns_ = zed_tick_ns_from_(p.timerResolution, frequency);
    d->timestamp_bits_ = p.kernelTimestampValidBits;
    const zed_target_row_ *row = zed_recognise_(&id, d->recognised_, sizeof d->recognised_, &d->target.guessed);
    d->target.name = row->name;
    d->target.dpas = row->dpas;
    d->target.block2d = row->block2d;
    zed_fill_target_(&d->target, &p, &c, &m);
    return true;
}

/* The first queue group that runs kernels. */
XE_FN_ bool zed_find_queue_group_(zed_device *d)
{
    ze_command_queue_group_properties_t groups[16];
    uint32_t count = 0;
    if (!ZED_CALL_(d, zeDeviceGetCommandQueueGroupProperties, (d->device, &count, NULL))) return false;
    if (count > 16) count = 16;
    memset(groups, 0, sizeof groups);
    for (uint32_t i = 0; i < count; i++) groups[i].stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
    if (count && !ZED_CALL_(d, zeDeviceGetCommandQueueGroupProperties, (d->device, &count, groups))) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (groups[i].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE) {
            d->ordinal_ = i;
            d->pattern_max_ = groups[i].maxMemoryFillPatternSize;
            return true;
        }
    }
    return zed_fail_(d, ZED_NO_QUEUE, "\"%s\" has %" PRIu32 " queue groups and none runs kernels", d->name, count);
}

XE_FN_ bool zed_make_queue_(zed_device *d)
{
    ze_command_queue_desc_t q;
    ZED_CLEAR_(q, COMMAND_QUEUE_DESC);
    q.ordinal = d->ordinal_;
    q.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
    return ZED_CALL_(d, zeCommandListCreateImmediate, (d->context, d->device, &q, &d->list)) &&
           zed_make_pool_(d, 1, true, &d->pool) && zed_make_event_(d, d->pool, 0, &d->event);
}

void zed_close_(zed_device *d)
{
    if (!d) return;
    zed_await_all_(d);
    while (d->resource_count_) zed_destroy_(d, &d->resources_[--d->resource_count_]);
    if (d->event) ZED_CALL_(d, zeEventDestroy, (d->event));
    if (d->pool) ZED_CALL_(d, zeEventPoolDestroy, (d->pool));
    if (d->list) ZED_CALL_(d, zeCommandListDestroy, (d->list));
    if (d->queue) ZED_CALL_(d, zeCommandQueueDestroy, (d->queue));
    if (d->context && !d->borrowed_) ZED_CALL_(d, zeContextDestroy, (d->context));
    if (!d->borrowed_) free(d->ze_);
    free(d->resources_);
    free(d->log_);
    zed_error error = d->error;
    memset(d, 0, sizeof *d);
    d->error = error;
}

bool zed_open_(zed_device *d, const zed_options *options, const char *file, int line)
{
    ze_context_desc_t context;
    zed_candidate_ *all;
    int count, chosen = -1;
    if (!d) return false;
    memset(d, 0, sizeof *d);
    zed_at_(d, file, line);
    all = (zed_candidate_ *)calloc(ZED_MAX_DEVICES, sizeof *all);
    if (!all) return zed_fail_(d, ZED_OUT_OF_MEMORY, "no room for a list of %d devices", (int)ZED_MAX_DEVICES);
    if (zed_enumerate_(d, all, &count)) chosen = zed_choose_(d, options, all, count);
    if (chosen >= 0) {
        d->driver = all[chosen].driver;
        d->device = all[chosen].device;
        d->software = all[chosen].software;
        memcpy(d->name, all[chosen].name, sizeof d->name);
    }
    free(all);
    if (chosen < 0) {
        free(d->ze_);
        d->ze_ = NULL;
        return false;
    }
    ZED_CLEAR_(context, CONTEXT_DESC);
    d->open_ = ZED_CALL_(d, zeContextCreate, (d->driver, &context, &d->context)) &&
               zed_read_properties_(d) && zed_find_queue_group_(d) && zed_make_queue_(d);
    if (!d->open_) zed_close_(d);
    return d->open_;
}

/* Would the new device overwrite the open one that it shares? Then that keeps the error, and stays open. */
XE_FN_ bool zed_is_itself_(zed_device *d, const zed_device *first, const char *file, int line)
{
    if (d != first || !d->open_) return false;
    zed_fail_(zed_at_(d, file, line), ZED_SAME_DEVICE, "an open device cannot share its own context");
    return true;
}

bool zed_open_queue_(zed_device *second, zed_device *first, const char *file, int line)
{
    if (!second) return false;
    if (zed_is_itself_(second, first, file, line)) return false;
    memset(second, 0, sizeof *second);
    zed_at_(second, file, line);
    if (!first || !first->open_) return zed_fail_(second, ZED_NOT_OPEN, "the device to share is not open");
    second->driver = first->driver;
    second->device = first->device;
    second->context = first->context;
    second->ze_ = first->ze_;
    memcpy(second->name, first->name, sizeof second->name);
    second->target = first->target;
    memcpy(second->recognised_, first->recognised_, sizeof second->recognised_);
    second->software = first->software;
    second->borrowed_ = true;
    second->system_memory_ = first->system_memory_;
    second->ordinal_ = first->ordinal_;
    second->timestamp_bits_ = first->timestamp_bits_;
    second->pattern_max_ = first->pattern_max_;
    second->tick_ns_ = first->tick_ns_;
    second->open_ = zed_make_queue_(second);
    if (!second->open_) zed_close_(second);
    return second->open_;
}

/* Appends the results of zeDeviceGet or zeDeviceGetSubDevices to all[]. */
typedef struct zed_handles_ {
    ze_device_handle_t all[ZED_MAX_DEVICES];
    uint32_t count;
} zed_handles_;

XE_FN_ bool zed_add_parts_(zed_device *d, ze_device_handle_t device, zed_handles_ *to)
{
    uint32_t room = ZED_MAX_DEVICES - to->count, count = 0;
    if (!room) return true;
    if (!ZED_CALL_(d, zeDeviceGetSubDevices, (device, &count, NULL))) return false;
    if (!count) {
        to->all[to->count++] = device;
        return true;
    }
    if (count > room) count = room;
    if (!ZED_CALL_(d, zeDeviceGetSubDevices, (device, &count, to->all + to->count))) return false;
    to->count += count;
    return true;
}

XE_FN_ bool zed_context_handles_(zed_device *d, zed_handles_ *to)
{
    ze_device_handle_t roots[ZED_MAX_DEVICES];
    uint32_t count = 0;
    memset(to, 0, sizeof *to);
    if (!ZED_CALL_(d, zeDeviceGet, (d->driver, &count, NULL))) return false;
    if (count > ZED_MAX_DEVICES) count = ZED_MAX_DEVICES;
    if (!ZED_CALL_(d, zeDeviceGet, (d->driver, &count, roots))) return false;
    for (uint32_t i = 0; i < count; i++) if (!zed_add_parts_(d, roots[i], to)) return false;
    return true;
}

int zed_context_devices_(zed_device *d)
{
    zed_handles_ handles;
    return zed_usable_(d) && zed_context_handles_(d, &handles) ? (int)handles.count : -1;
}

XE_FN_ bool zed_name_device_(zed_device *d)
{
    ze_device_properties_t p;
    ZED_CLEAR_(p, DEVICE_PROPERTIES);
    if (!ZED_CALL_(d, zeDeviceGetProperties, (d->device, &p))) return false;
    snprintf(d->name, sizeof d->name, "%s", p.name);
    return true;
}

bool zed_open_in_context_(zed_device *d, zed_device *first, int index, const char *file, int line)
{
    zed_handles_ handles;
    if (!d) return false;
    if (zed_is_itself_(d, first, file, line)) return false;
    memset(d, 0, sizeof *d);
    zed_at_(d, file, line);
    if (!first || !first->open_) return zed_fail_(d, ZED_NOT_OPEN, "the device whose context to share is not open");
    d->driver = first->driver;
    d->context = first->context;
    d->ze_ = first->ze_;
    d->software = first->software;
    d->borrowed_ = true;
    if (zed_context_handles_(d, &handles)) {
        if (index < 0 || (uint32_t)index >= handles.count) {
            zed_fail_(d, ZED_NO_SUCH_DEVICE, "device %d: the context has %" PRIu32 ", counted from 0", index,
                      handles.count);
        } else {
            d->device = handles.all[index];
            d->open_ = zed_name_device_(d) && zed_read_properties_(d) && zed_find_queue_group_(d) && zed_make_queue_(d);
        }
    }
    if (!d->open_) zed_close_(d);
    return d->open_;
}

/* memory.c - allocations, copies and fills. */

void *zed_alloc_(zed_device *d, int kind, size_t bytes, size_t align)
{
    ze_device_mem_alloc_desc_t on_device;
    ze_host_mem_alloc_desc_t on_host;
    const char *call = "zeMemAllocShared";
    ze_result_t result;
    void *p = NULL;
    if (!zed_usable_(d)) return NULL;
    if (!align) align = 64;
    if (kind < ZED_SHARED || kind > ZED_HOST) zed_fail_(d, ZED_ALLOC_KIND, "%d is not a kind of memory", kind);
    else if (!bytes) zed_fail_(d, ZED_ALLOC_SIZE, "an allocation of 0 bytes");
    else if (align & (align - 1)) zed_fail_(d, ZED_ALLOC_ALIGN, "alignment %zu for %zu bytes", align, bytes);
    else if (kind != ZED_HOST && d->target.max_alloc && bytes > d->target.max_alloc)
        zed_fail_(d, ZED_ALLOC_TOO_LARGE, "%zu bytes, and \"%s\" allocates at most %" PRIu64, bytes, d->name,
                  d->target.max_alloc);
    if (d->error.id) return NULL;
    ZED_CLEAR_(on_device, DEVICE_MEM_ALLOC_DESC);
    ZED_CLEAR_(on_host, HOST_MEM_ALLOC_DESC);
    if (kind == ZED_DEVICE) {
        call = "zeMemAllocDevice";
        result = d->ze_->zeMemAllocDevice(d->context, &on_device, bytes, align, d->device, &p);
    } else if (kind == ZED_HOST) {
        call = "zeMemAllocHost";
        result = d->ze_->zeMemAllocHost(d->context, &on_host, bytes, align, &p);
    } else {
        result = d->ze_->zeMemAllocShared(d->context, &on_device, &on_host, bytes, align, d->device, &p);
    }
    if (!zed_check_(d, result, call, "(%zu bytes, alignment %zu)", bytes, align)) return NULL;
    return zed_keep_(d, ZED_RES_MEMORY_, p, bytes) ? p : NULL;
}

bool zed_free_(zed_device *d, void *p)
{
    if (!d) return false;
    if (!p) return true;
    if (!d->open_) return zed_fail_(d, ZED_NOT_OPEN, "the device is not open");
    if (zed_find_(d, ZED_RES_MEMORY_, p) < 0)
        return zed_fail_(d, ZED_NOT_ALLOCATED, "%p is not an allocation of this device", p);
    return zed_drop_(d, ZED_RES_MEMORY_, p);
}

/* Refuses a range that begins in one of our allocations and extends beyond it. */
XE_FN_ bool zed_in_range_(zed_device *d, const char *what, const void *p, size_t bytes)
{
    uintptr_t at = (uintptr_t)p;
    if (!p) return zed_fail_(d, ZED_NULL_POINTER, "%s of %zu bytes is NULL", what, bytes);
    for (size_t i = d->resource_count_; i-- > 0;) {
        const zed_resource_ *r = &d->resources_[i];
        uintptr_t base = (uintptr_t)r->handle;
        if (r->kind != ZED_RES_MEMORY_ || at < base || at - base >= r->bytes) continue;
        if (bytes <= r->bytes - (at - base)) return true;
        return zed_fail_(d, ZED_MEMORY_RANGE, "%s: %zu bytes from offset %zu of an allocation of %zu bytes", what,
                         bytes, (size_t)(at - base), r->bytes);
    }
    return true;
}

bool zed_copy_(zed_device *d, void *dst, const void *src, size_t bytes)
{
    if (!zed_usable_(d)) return false;
    if (!bytes) return true;
    if (!zed_in_range_(d, "destination of a copy", dst, bytes) || !zed_in_range_(d, "source of a copy", src, bytes) ||
        !zed_wait_(d))
        return false;
    return zed_check_(d, d->ze_->zeCommandListAppendMemoryCopy(d->list, dst, src, bytes, d->event, 0, NULL),
                      "zeCommandListAppendMemoryCopy", "(%zu bytes)", bytes) &&
           zed_await_event_(d, "a copy", NULL);
}

bool zed_fill_pattern_(zed_device *d, void *dst, const void *pattern, size_t size, size_t bytes)
{
    if (!zed_usable_(d)) return false;
    if (!bytes) return true;
    if (!pattern) return zed_fail_(d, ZED_NULL_POINTER, "a fill of %zu bytes with no pattern", bytes);
    if (!size || (size & (size - 1)) || bytes % size || size > d->pattern_max_)
        return zed_fail_(d, ZED_FILL_PATTERN, "a pattern of %zu bytes for %zu bytes, the device takes up to %zu", size,
                         bytes, d->pattern_max_);
    if (!zed_in_range_(d, "destination of a fill", dst, bytes) || !zed_wait_(d)) return false;
    return zed_check_(d, d->ze_->zeCommandListAppendMemoryFill(d->list, dst, pattern, size, bytes, d->event, 0, NULL),
                      "zeCommandListAppendMemoryFill", "(%zu bytes)", bytes) &&
           zed_await_event_(d, "a fill", NULL);
}

bool zed_fill_(zed_device *d, void *dst, int byte, size_t bytes)
{
    unsigned char pattern = (unsigned char)byte;
    return zed_fill_pattern_(d, dst, &pattern, 1, bytes);
}

/* Can kernels access the memory at p? NULL can be passed. */
XE_FN_ bool zed_reachable_(const zed_device *d, const void *p)
{
    ze_memory_allocation_properties_t properties;
    ze_device_handle_t on = NULL;
    uintptr_t at = (uintptr_t)p;
    if (!at || d->system_memory_) return true;
    for (size_t n = d->resource_count_; n-- > 0;) {
        const zed_resource_ *r = &d->resources_[n];
        if (r->kind == ZED_RES_MEMORY_ && at - (uintptr_t)r->handle < r->bytes) return true;
    }
    ZED_CLEAR_(properties, MEMORY_ALLOCATION_PROPERTIES);
    return d->ze_->zeMemGetAllocProperties(d->context, p, &properties, &on) == ZE_RESULT_SUCCESS &&
           properties.type != ZE_MEMORY_TYPE_UNKNOWN;
}

/* params.c - parsing the text of parameters. */

XE_ONCE_
XE_FN_ const zed_type_ *zed_types_(size_t *count)
{
    static const zed_type_ types[] = {
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
typedef struct zed_text_ {
    zed_device *device;
    const char *all, *at, *kernel;
} zed_text_;

XE_FN_ bool zed_text_fail_(zed_text_ *t, const char *what)
{
    return zed_fail_(t->device, ZED_PARAM_TEXT, "parameters of kernel %s: %s at column %d of \"%s\"", t->kernel, what,
                     (int)(t->at - t->all) + 1, t->all);
}

XE_FN_ void zed_text_space_(zed_text_ *t) { t->at += strspn(t->at, " \t\r\n"); }

XE_FN_ size_t zed_text_word_(zed_text_ *t)
{
    zed_text_space_(t);
    return strspn(t->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
}

XE_FN_ bool zed_text_take_(zed_text_ *t, char c)
{
    zed_text_space_(t);
    if (*t->at != c) return false;
    t->at++;
    return true;
}

XE_FN_ const zed_type_ *zed_text_type_(zed_text_ *t)
{
    size_t count, length = zed_text_word_(t);
    const zed_type_ *types = zed_types_(&count);
    for (size_t i = 0; i < count; i++) {
        if (strlen(types[i].name) == length && memcmp(types[i].name, t->at, length) == 0) {
            t->at += length;
            return &types[i];
        }
    }
    zed_text_fail_(t, length ? "no such type (f64 f32 f16 bf16 i64 i32 i16 i8 u64 u32 u16 u8, ptr<T>, local<T>)"
                             : "a type is missing");
    return NULL;
}

/* Reads "type name". */
XE_FN_ bool zed_text_param_(zed_text_ *t, zed_param *p)
{
    static const char *const brackets[] = {"", "ptr", "local"};
    const char *start;
    size_t length = zed_text_word_(t);
    p->kind = ZED_PARAM_VALUE;
    for (int i = ZED_PARAM_PTR; i <= ZED_PARAM_LOCAL; i++) {
        if (strlen(brackets[i]) == length && memcmp(brackets[i], t->at, length) == 0) p->kind = i;
    }
    if (p->kind != ZED_PARAM_VALUE) {
        t->at += length;
        if (!zed_text_take_(t, '<')) return zed_text_fail_(t, "'<' is missing");
    }
    start = t->at;
    p->type = zed_text_type_(t);
    if (!p->type) return false;
    if (p->kind != ZED_PARAM_VALUE && !zed_text_take_(t, '>')) return zed_text_fail_(t, "'>' is missing");
    if (p->kind == ZED_PARAM_VALUE && !p->type->kind) {
        t->at = start;
        return zed_text_fail_(t, "this type lives in memory only (ptr<T>), not in a value");
    }
    length = zed_text_word_(t);
    if (!length || (*t->at >= '0' && *t->at <= '9')) return zed_text_fail_(t, "a name is missing");
    if (length >= sizeof p->name) return zed_text_fail_(t, "a name of more than 63 letters");
    memcpy(p->name, t->at, length);
    p->name[length] = 0;
    t->at += length;
    return true;
}

XE_FN_ bool zed_parse_params_(zed_device *d, const char *kernel, const char *text, zed_param *params, uint32_t *count)
{
    zed_text_ t;
    *count = 0;
    if (!text) return zed_fail_(d, ZED_PARAM_TEXT, "the parameter text of kernel %s is NULL (\"\" means none)", kernel);
    t.device = d;
    t.all = t.at = text;
    t.kernel = kernel;
    zed_text_space_(&t);
    if (!*t.at) return true;
    do {
        zed_text_space_(&t);
        if (*count == ZED_MAX_ARGS) return zed_text_fail_(&t, "more than 32 parameters");
        if (!zed_text_param_(&t, &params[*count])) return false;
        for (uint32_t i = 0; i < *count; i++) {
            if (strcmp(params[i].name, params[*count].name) == 0) {
                t.at -= strlen(params[i].name);
                return zed_text_fail_(&t, "a repeated name");
            }
        }
        ++*count;
    } while (zed_text_take_(&t, ','));
    return *t.at ? zed_text_fail_(&t, "',' or the end is missing") : true;
}

XE_ONCE_
XE_FN_ const char *zed_param_name_(const zed_param *p, char *text, size_t size)
{
    static const char *const open[] = {"", "ptr<", "local<"};
    snprintf(text, size, "%s%s%s", open[p->kind], p->type->name, p->kind == ZED_PARAM_VALUE ? "" : ">");
    return text;
}

/* arguments.c - checking and converting arguments. */

XE_FN_ zed_arg zed_arg_make_(char kind, int code)
{
    zed_arg a;
    memset(&a, 0, sizeof a);
    a.kind = kind;
    a.pointed = (char)(code >> 8);
    a.size = (unsigned char)(code & 255);
    return a;
}

/* A float as a double, exactly: C's conversion gives 0 for a subnormal where the program flushes those. */
XE_FN_ double zed_widen_(float v)
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

#define ZED_MAKE_ARG_(how, type, letter, member, value)                                                                \
    zed_arg zed_arg_##how##_(type v, int code)                                                                         \
    {                                                                                                                  \
        zed_arg a = zed_arg_make_(letter, code);                                                                       \
        a.as.member = value;                                                                                           \
        return a;                                                                                                      \
    }
ZED_MAKE_ARG_(int, int64_t, 'i', sint, v)
ZED_MAKE_ARG_(uint, uint64_t, 'u', uint, v)
ZED_MAKE_ARG_(double, double, 'f', real, v)
ZED_MAKE_ARG_(float, float, 'f', real, zed_widen_(v))
ZED_MAKE_ARG_(pointer, const volatile void *, 'p', ptr, (const void *)(uintptr_t)v)
ZED_MAKE_ARG_(local, zed_local, 'l', uint, v.bytes)

zed_arg zed_arg_same_(zed_arg a, int code)
{
    (void)code;
    return a;
}

zed_arg zed_arg_text_(zed_arg a, const char *text)
{
    a.text = text;
    return a;
}

zed_arg zed_arg_i(int64_t v) { return zed_arg_int_(v, 8); }
zed_arg zed_arg_u(uint64_t v) { return zed_arg_uint_(v, 8); }
zed_arg zed_arg_f(double v) { return zed_arg_double_(v, 8); }
zed_arg zed_arg_ptr(const volatile void *p) { return zed_arg_pointer_(p, 'v' << 8); }
zed_arg zed_arg_local(size_t bytes)
{
    zed_local v;
    v.bytes = bytes;
    return zed_arg_local_(v, 0);
}

/* "kernel gemm, argument 4 (n + 1) for parameter u32 M" */
XE_FN_ const char *zed_arg_where_(const zed_kernel *k, const zed_arg *a, uint32_t i, char *text, size_t size)
{
    char type[32];
    snprintf(text, size, "kernel %s, argument %" PRIu32 "%s%.200s%s for parameter %s %s", k->name, i + 1,
             a->text ? " (" : "", a->text ? a->text : "", a->text ? ")" : "",
             zed_param_name_(&k->params[i], type, sizeof type), k->params[i].name);
    return text;
}

typedef struct {
    char s[40];
} zed_decimal_text_;

/* printf's %.9g with a point in every locale: others have a comma, or two bytes. */
XE_FN_ zed_decimal_text_ zed_decimal_(double v)
{
    zed_decimal_text_ t;
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
XE_FN_ const char *zed_arg_name_(const zed_arg *a, char *text, size_t size)
{
    int bits = 8 * a->size;
    if (a->kind == 'i') snprintf(text, size, "i%d %" PRId64, bits, a->as.sint);
    else if (a->kind == 'u') snprintf(text, size, "u%d %" PRIu64, bits, a->as.uint);
    else if (a->kind == 'f') snprintf(text, size, "f%d %s", bits, zed_decimal_(a->as.real).s);
    else if (a->kind == 'l') snprintf(text, size, "%" PRIu64 " bytes of local memory", a->as.uint);
    else if (a->pointed == 'c') snprintf(text, size, "a pointer to char");
    else if (a->pointed == 'v') snprintf(text, size, "a pointer");
    else snprintf(text, size, "a pointer to %c%d", a->pointed, bits);
    return text;
}

XE_FN_ bool zed_arg_type_error_(const zed_kernel *k, const zed_arg *a, uint32_t i, const char *what)
{
    char where[512], got[64];
    return zed_fail_(k->device, ZED_ARG_TYPE, "%s: got %s%s", zed_arg_where_(k, a, i, where, sizeof where),
                     zed_arg_name_(a, got, sizeof got), what);
}

XE_FN_ bool zed_arg_range_error_(const zed_kernel *k, const zed_arg *a, uint32_t i, const char *low, const char *high)
{
    char where[512], got[64];
    return zed_fail_(k->device, ZED_ARG_RANGE, "%s: %s is not in %s .. %s",
                     zed_arg_where_(k, a, i, where, sizeof where), zed_arg_name_(a, got, sizeof got), low, high);
}

/* Rounds to a float of so many exponent and fraction bits, ties to even; NaNs become quiet. False: finite, but too
 * large. On bits, so that no mode of the program changes the result. */
XE_FN_ bool zed_to_float_(double v, int exponent_bits, int fraction_bits, uint32_t *out)
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

XE_FN_ bool zed_fit_float_(const zed_type_ *t, double v, zed_bound_ *b, char low[32], char high[32])
{
    uint32_t bits = 0;
    const char *most;
    bool fits;
    if (t->kind == 'f' && t->size == 8) {
        b->as.f64 = v;
        return true;
    }
    if (t->kind == 'f') {
        fits = zed_to_float_(v, 8, 23, &b->as.u32);
        most = "3.40282347e+38";
    } else {
        fits = t->kind == 'h' ? zed_to_float_(v, 5, 10, &bits) : zed_to_float_(v, 8, 7, &bits);
        most = t->kind == 'h' ? "65504" : "3.38953139e+38";
        b->as.u16 = (uint16_t)bits;
    }
    snprintf(low, 32, "-%s", most);
    snprintf(high, 32, "%s", most);
    return fits;
}

XE_FN_ bool zed_fit_int_(const zed_type_ *t, const zed_arg *a, zed_bound_ *b, char low[32], char high[32])
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
XE_FN_ bool zed_fit_number_(const zed_type_ *t, const zed_arg *a, zed_bound_ *b, char low[32], char high[32])
{
    return a->kind == 'f' ? zed_fit_float_(t, a->as.real, b, low, high) : zed_fit_int_(t, a, b, low, high);
}

/* The C type that a pointer to a parameter's elements usually has. */
XE_ONCE_
XE_FN_ const char *zed_c_type_(const zed_type_ *t, char *text, size_t size)
{
    const char *sign = strchr(t->pointed_kinds, 'u') ? "u" : "";
    if (!*sign && !strchr(t->pointed_kinds, 'i')) return t->pointed_size == 4 ? "float" : "double";
    snprintf(text, size, "%sint%d_t", sign, 8 * t->pointed_size);
    return text;
}

XE_FN_ bool zed_bind_pointer_(const zed_kernel *k, const zed_arg *a, uint32_t i, zed_bound_ *b)
{
    const zed_type_ *t = k->params[i].type;
    if (a->pointed != 'v' && (a->size != t->pointed_size || !strchr(t->pointed_kinds, a->pointed))) {
        char name[16], what[64];
        snprintf(what, sizeof what, ", wanted %s * or void *", zed_c_type_(t, name, sizeof name));
        return zed_arg_type_error_(k, a, i, what);
    }
    if (!zed_reachable_(k->device, a->as.ptr)) {
        char where[512];
        return zed_fail_(k->device, ZED_ARG_MEMORY, "%s: %p is not in memory that \"%s\" can reach",
                         zed_arg_where_(k, a, i, where, sizeof where), a->as.ptr, k->device->name);
    }
    b->as.p = a->as.ptr;
    b->size = sizeof b->as.p;
    b->no_value = !a->as.ptr;
    return true;
}

/* Checks argument i against its parameter and produces the bytes to pass. */
XE_FN_ bool zed_bind_(const zed_kernel *k, const zed_arg *a, uint32_t i, zed_bound_ *b)
{
    const zed_param *p = &k->params[i];
    const bool is_int = a->kind == 'i' || a->kind == 'u', wants_int = p->type->kind == 'i' || p->type->kind == 'u';
    char low[32], high[32];
    memset(b, 0, sizeof *b);
    b->size = p->type->size;
    if (p->kind == ZED_PARAM_PTR)
        return a->kind == 'p' ? zed_bind_pointer_(k, a, i, b) : zed_arg_type_error_(k, a, i, ", no pointer");
    if (p->kind == ZED_PARAM_LOCAL) {
        if (a->kind != 'l') return zed_arg_type_error_(k, a, i, ", no (zed_local){bytes}");
        if (!a->as.uint) return zed_arg_range_error_(k, a, i, "1", "the device's local memory");
        b->size = (size_t)a->as.uint;
        b->no_value = true;
        return true;
    }
    if (wants_int ? is_int : a->kind == 'f')
        return zed_fit_number_(p->type, a, b, low, high) || zed_arg_range_error_(k, a, i, low, high);
    return zed_arg_type_error_(k, a, i, is_int ? " (write 1.0f for a float)" : "");
}

/* languages.c - what languages call that cannot pass structures by value. */

size_t zed_size_of(const char *type)
{
    const struct {
        const char *name;
        size_t bytes;
    } types[] = {
        {"zed_device", sizeof(zed_device)}, {"zed_module", sizeof(zed_module)}, {"zed_kernel", sizeof(zed_kernel)},
        {"zed_batch", sizeof(zed_batch)},   {"zed_event", sizeof(zed_event)},   {"zed_arg", sizeof(zed_arg)},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, type)) return types[i].bytes;
    return 0;
}

void zed_arg_i_to(zed_arg *args, uint32_t index, int64_t v) { args[index] = zed_arg_i(v); }
void zed_arg_u_to(zed_arg *args, uint32_t index, uint64_t v) { args[index] = zed_arg_u(v); }
void zed_arg_f_to(zed_arg *args, uint32_t index, double v) { args[index] = zed_arg_f(v); }
void zed_arg_ptr_to(zed_arg *args, uint32_t index, const volatile void *p) { args[index] = zed_arg_ptr(p); }
void zed_arg_local_to(zed_arg *args, uint32_t index, size_t bytes) { args[index] = zed_arg_local(bytes); }

/* spec_constants.c - values for spec constants: looked up in the module and checked. */

/* Word i of the module, whose bytes need not be aligned. */
XE_FN_ uint32_t zed_word_(const zed_source *s, size_t i)
{
    uint32_t word;
    memcpy(&word, (const char *)s->words + 4 * i, sizeof word);
    return word;
}

/* The next instruction with this opcode after instruction i, 0: from the first on. Returns 0 if functions begin, or the
 * module ends. */
XE_FN_ size_t zed_next_op_(const zed_source *s, size_t i, uint32_t opcode)
{
    size_t count = s->bytes / 4;
    i = i ? i + (zed_word_(s, i) >> 16) : 5;
    for (uint32_t length; i < count; i += length) {
        uint32_t head = zed_word_(s, i);
        length = head >> 16;
        if (!length || length > count - i || (head & 0xffff) == ZED_OP_FUNCTION_) return 0;
        if ((head & 0xffff) == opcode) return i;
    }
    return 0;
}

/* The first instruction with this opcode whose word `at` is the id; 0: there is none. */
XE_FN_ size_t zed_find_op_(const zed_source *s, uint32_t opcode, uint32_t at, uint32_t id)
{
    size_t i = 0;
    do i = zed_next_op_(s, i, opcode);
    while (i && ((zed_word_(s, i) >> 16) <= at || zed_word_(s, i + at) != id));
    return i;
}

/* The next decoration SpecId after instruction i, 0: the first. */
XE_FN_ size_t zed_next_spec_(const zed_source *s, size_t i)
{
    do i = zed_next_op_(s, i, ZED_OP_DECORATE_);
    while (i && ((zed_word_(s, i) >> 16) < 4 || zed_word_(s, i + 2) != ZED_SPEC_ID_));
    return i;
}

/* The decoration that names spec constant `id`; 0: the module has none. */
XE_FN_ size_t zed_find_spec_(const zed_source *s, uint32_t id)
{
    size_t i = 0;
    do i = zed_next_spec_(s, i);
    while (i && zed_word_(s, i + 3) != id);
    return i;
}

/* The type of a spec constant, and its name; kind 0: another type. False: the module has no such constant. */
XE_FN_ bool zed_spec_type_(const zed_source *s, uint32_t id, zed_type_ *t, char name[16])
{
    size_t i = zed_find_spec_(s, id), at;
    memset(t, 0, sizeof *t);
    if (!i) return false;
    uint32_t target = zed_word_(s, i + 1), bits = 1;
    snprintf(name, 16, "bool");
    if (zed_find_op_(s, ZED_OP_SPEC_TRUE_, 2, target) || zed_find_op_(s, ZED_OP_SPEC_FALSE_, 2, target)) {
        t->kind = 'u';
        t->size = 1;
        return true;
    }
    at = zed_find_op_(s, ZED_OP_SPEC_, 2, target);
    if (!at) return false;
    bool integer = (i = zed_find_op_(s, ZED_OP_TYPE_INT_, 1, zed_word_(s, at + 1))) != 0;
    if (!integer) i = zed_find_op_(s, ZED_OP_TYPE_FLOAT_, 1, zed_word_(s, at + 1));
    if (!i || (zed_word_(s, i) >> 16) < 3) return false;
    bits = zed_word_(s, i + 2);
    bool bf16 = !integer && bits == 16 && (zed_word_(s, i) >> 16) > 3; /* that encoding has 16 bits */
    bool known = bits == 16 || bits == 32 || bits == 64 || (integer && bits == 8);
    t->size = (unsigned char)(known ? bits / 8 : 1);
    t->kind = !known ? 0 : integer ? 'i' : bf16 ? 'b' : bits == 16 ? 'h' : 'f';
    snprintf(name, 16, "%s%" PRIu32, integer ? "i" : bf16 ? "bf" : "f", bits);
    return true;
}

XE_FN_ bool zed_no_such_constant_(zed_device *d, const zed_source *s, uint32_t id)
{
    char list[400] = "";
    size_t used = 0;
    for (size_t i = zed_next_spec_(s, 0); i && used < sizeof list; i = zed_next_spec_(s, i)) {
        int n = snprintf(list + used, sizeof list - used, "%s%" PRIu32, used ? ", " : "", zed_word_(s, i + 3));
        used += n > 0 ? (size_t)n : 0;
    }
    return zed_fail_(d, ZED_CONSTANT_ID, "the module has no spec constant %" PRIu32 "; it has: %s", id,
                     *list ? list : "none");
}

/* Converts value number i, whose size and signs the module tells; integers there have no sign. */
XE_FN_ bool zed_set_constant_(zed_device *d, const zed_source *s, uint32_t i, zed_bound_ *b)
{
    const zed_constant *c = &s->constants[i];
    const zed_arg *a = &c->value;
    zed_type_ t;
    char name[16], got[64], low[32], high[32];
    const char *text = a->text ? a->text : "", *open = a->text ? " (" : "", *close = a->text ? ")" : "";
    if (!zed_spec_type_(s, c->id, &t, name)) return zed_no_such_constant_(d, s, c->id);
    for (uint32_t k = 0; k < i; k++)
        if (s->constants[k].id == c->id)
            return zed_fail_(d, ZED_CONSTANT_ID,
                             "values %" PRIu32 " and %" PRIu32 " are both for spec constant %" PRIu32, k + 1, i + 1,
                             c->id);
    const bool is_int = a->kind == 'i' || a->kind == 'u', wants_int = t.kind == 'i' || t.kind == 'u';
    const bool is_bool = *name == 'b' && wants_int;
    zed_arg_name_(a, got, sizeof got);
    if (!t.kind || (!is_int && a->kind != 'f') || is_int != wants_int)
        return zed_fail_(d, ZED_CONSTANT_TYPE, "spec constant %" PRIu32 "%s%.200s%s is of type %s: got %s%s", c->id,
                         open, text, close, name, got, is_int && t.kind ? " (write 1.0f for a float)" : "");
    if (t.kind == 'i' && !(a->kind == 'i' && a->as.sint < 0)) t.kind = 'u';
    bool fits = zed_fit_number_(&t, a, b, low, high) && !(is_bool && a->as.uint > 1);
    if (!fits && wants_int) {
        snprintf(low, sizeof low, "%" PRId64, is_bool ? 0 : -(int64_t)(UINT64_MAX >> (65 - 8 * t.size)) - 1);
        snprintf(high, sizeof high, "%" PRIu64, is_bool ? 1 : UINT64_MAX >> (64 - 8 * t.size));
    }
    return fits || zed_fail_(d, ZED_CONSTANT_RANGE,
                             "spec constant %" PRIu32 "%s%.200s%s is of type %s: %s is not in %s .. %s", c->id, open,
                             text, close, name, got, low, high);
}

/* constants.c - values for spec constants as Level Zero takes them. */

XE_ONCE_
XE_FN_ void zed_constants_free_(zed_constants_ *c)
{
    free(c->ids);
    free((void *)c->pointers);
    free(c->values);
}

/* The source's constants as the driver takes them, in an empty list; freed by zed_constants_free_, even after an
 * error. */
XE_FN_ bool zed_constants_of_(zed_device *d, const zed_source *s, zed_constants_ *c)
{
    uint32_t n = s->constant_count;
    if (!n) return true;
    if (!s->constants) return zed_fail_(d, ZED_NULL_POINTER, "the %" PRIu32 " constants are NULL", n);
    c->ids = (uint32_t *)calloc(n, sizeof *c->ids);
    c->pointers = (const void **)calloc(n, sizeof *c->pointers);
    c->values = (zed_bound_ *)calloc(n, sizeof *c->values);
    if (!c->ids || !c->pointers || !c->values)
        return zed_fail_(d, ZED_OUT_OF_MEMORY, "no room for %" PRIu32 " constants", n);
    for (uint32_t i = 0; i < n; i++) {
        if (!zed_set_constant_(d, s, i, &c->values[i])) return false;
        c->ids[i] = s->constants[i].id;
        c->pointers[i] = &c->values[i].as;
    }
    c->list.numConstants = n;
    c->list.pConstantIds = c->ids;
    c->list.pConstantValues = c->pointers;
    return true;
}

/* modules.c - modules and kernels. */

/* The functions for reading a build log. */
typedef struct zed_log_calls_ {
    ze_result_t(ZE_APICALL *get)(ze_module_build_log_handle_t, size_t *, char *);
    ze_result_t(ZE_APICALL *destroy)(ze_module_build_log_handle_t);
} zed_log_calls_;

/* A loader that wraps handles (as with several drivers) does not wrap the log of a module that failed to build, and
 * would take the driver's object for its own. Then only the driver's own functions work, if it provides them. */
XE_FN_ bool zed_log_functions_(zed_device *d, bool failed, zed_log_calls_ *calls)
{
    void *own = d->context, *get = NULL, *destroy = NULL;
    calls->get = d->ze_->zeModuleBuildLogGetString;
    calls->destroy = d->ze_->zeModuleBuildLogDestroy;
    if (!failed || (d->ze_->zelLoaderTranslateHandle(ZEL_HANDLE_CONTEXT, d->context, &own) == ZE_RESULT_SUCCESS &&
                    own == (void *)d->context))
        return true;
    ze_pfnDriverGetExtensionFunctionAddress_t find = d->ze_->zeDriverGetExtensionFunctionAddress;
    if (find(d->driver, "zeModuleBuildLogGetString", &get) != ZE_RESULT_SUCCESS ||
        find(d->driver, "zeModuleBuildLogDestroy", &destroy) != ZE_RESULT_SUCCESS)
        return false;
    memcpy(&calls->get, &get, sizeof get);
    memcpy(&calls->destroy, &destroy, sizeof destroy);
    return get && destroy;
}

/* Stores the whole build log in the device. */
XE_FN_ void zed_keep_log_(zed_device *d, ze_module_build_log_handle_t log, bool failed)
{
    static const char lost[] = "the loader passes no log on while it has several drivers; name one in "
                               "ZE_ENABLE_ALT_DRIVERS to see it. ";
    zed_log_calls_ calls;
    size_t size = 0;
    if (!log) return;
    if (!zed_log_functions_(d, failed, &calls)) {
        const char *text = zed_driver_text_(d);
        size = sizeof lost + strlen(text);
        d->log_ = (char *)malloc(size);
        if (d->log_) snprintf(d->log_, size, "%s%s", lost, text);
        return;
    }
    if (calls.get(log, &size, NULL) == ZE_RESULT_SUCCESS && size) d->log_ = (char *)calloc(size + 1, 1);
    if (d->log_ && calls.get(log, &size, d->log_) != ZE_RESULT_SUCCESS) d->log_[0] = 0;
    for (size = d->log_ ? strlen(d->log_) : 0; size && isspace((unsigned char)d->log_[size - 1]);) d->log_[--size] = 0;
    calls.destroy(log);
}

const char *zed_build_log(const zed_device *d) { return d->log_ ? d->log_ : ""; }

XE_ONCE_
XE_FN_ bool zed_module_words_ok_(zed_device *d, const void *words, size_t bytes)
{
    uint32_t magic = 0;
    if (!words) return zed_fail_(d, ZED_MODULE_WORDS, "the module is NULL (%zu bytes)", bytes);
    if (bytes < 20 || bytes % 4)
        return zed_fail_(d, ZED_MODULE_WORDS, "a module of %zu bytes: SPIR-V is 5 or more words of 4 bytes", bytes);
    memcpy(&magic, words, 4);
    if (magic != 0x07230203u)
        return zed_fail_(d, ZED_MODULE_WORDS, "the module begins with 0x%08" PRIx32 ", SPIR-V with 0x07230203", magic);
    return true;
}

/* Creates a module from SPIR-V and values for its spec constants, or from a binary of the driver's own. A refusal is an
 * error only if `must`. */
XE_FN_ bool zed_module_make_(zed_module *module, zed_device *d, bool native, const void *data, size_t bytes,
                             const char *flags, const zed_constants_ *constants, bool must)
{
    ze_module_desc_t desc;
    ze_module_build_log_handle_t log = NULL;
    ZED_CLEAR_(desc, MODULE_DESC);
    desc.format = native ? ZE_MODULE_FORMAT_NATIVE : ZE_MODULE_FORMAT_IL_SPIRV;
    desc.inputSize = bytes;
    desc.pInputModule = (const uint8_t *)data;
    desc.pBuildFlags = flags && *flags ? flags : NULL;
    desc.pConstants = !native && constants->list.numConstants ? &constants->list : NULL;
    free(d->log_);
    d->log_ = NULL;
    ze_result_t result = d->ze_->zeModuleCreate(d->context, d->device, &desc, &module->handle, &log);
    if (result != ZE_RESULT_SUCCESS) module->handle = NULL;
    zed_keep_log_(d, log, result != ZE_RESULT_SUCCESS);
    if (result != ZE_RESULT_SUCCESS && !must) return false;
    if (result == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE) {
        zed_fail_(d, ZED_MODULE_BUILD, "\"%s\" refused a module of %zu bytes (flags \"%s\"): %.1500s", d->name, bytes,
                  flags ? flags : "", d->log_ ? d->log_ : "no build log");
        d->error.result = result;
        return false;
    }
    if (!zed_check_(d, result, "zeModuleCreate", "(%zu bytes, flags \"%s\") %.1000s", bytes, flags ? flags : "",
                    zed_build_log(d)))
        return false;
    if (zed_keep_(d, ZED_RES_MODULE_, module->handle, 0)) return true;
    module->handle = NULL;
    return false;
}

bool zed_module_free_(zed_module *module, const char *file, int line)
{
    bool ok = module && zed_release_(module->device, ZED_RES_MODULE_, module->handle, file, line);
    if (module) module->handle = NULL;
    return ok;
}

XE_FN_ bool zed_no_such_kernel_(zed_device *d, ze_module_handle_t module, const char *name)
{
    uint32_t count = 0;
    size_t used = 0;
    char list[1200] = "";
    const char **names = NULL;
    if (d->ze_->zeModuleGetKernelNames(module, &count, NULL) == ZE_RESULT_SUCCESS && count) {
        names = (const char **)calloc(count, sizeof *names);
    }
    if (names && d->ze_->zeModuleGetKernelNames(module, &count, names) == ZE_RESULT_SUCCESS) {
        for (uint32_t i = 0; i < count && used < sizeof list; i++) {
            int n = snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
            used += n > 0 ? (size_t)n : 0;
        }
    }
    free((void *)names);
    zed_fail_(d, ZED_KERNEL_NAME, "the module has no kernel \"%s\"; it has: %s", name, *list ? list : "none");
    d->error.result = ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
    return false;
}

/* 48 -> "16, 32" */
XE_ONCE_
XE_FN_ const char *zed_sizes_text_(uint32_t sizes, char *text, size_t room)
{
    size_t used = 0;
    text[0] = 0;
    for (uint32_t size = 1; size && size <= sizes && used < room; size <<= 1) {
        int n = sizes & size ? snprintf(text + used, room - used, "%s%" PRIu32, used ? ", " : "", size) : 0;
        used += n > 0 ? (size_t)n : 0;
    }
    return text;
}

/* Checks the kernel's properties, as the driver reports them, against the parameter text and the device. */
XE_FN_ bool zed_kernel_properties_(zed_kernel *k)
{
    zed_device *d = k->device;
    ze_kernel_properties_t p;
    char sizes[64];
    ZED_CLEAR_(p, KERNEL_PROPERTIES);
    if (!zed_check_(d, d->ze_->zeKernelGetProperties(k->handle, &p), "zeKernelGetProperties", "of %s", k->name))
        return false;
    k->required_size[0] = k->local_size[0] = p.requiredGroupSizeX;
    k->required_size[1] = k->local_size[1] = p.requiredGroupSizeY;
    k->required_size[2] = k->local_size[2] = p.requiredGroupSizeZ;
    k->subgroup_size = p.requiredSubgroupSize;
    k->local_bytes = p.localMemSize;
    k->private_bytes = p.privateMemSize;
    k->spill_bytes = p.spillMemSize;
    if (p.numKernelArgs != k->param_count)
        return zed_fail_(d, ZED_PARAM_COUNT, "kernel %s takes %" PRIu32 " arguments, its parameter text lists %" PRIu32,
                         k->name, p.numKernelArgs, k->param_count);
    if (k->subgroup_size && d->target.subgroup_sizes && !(k->subgroup_size & d->target.subgroup_sizes))
        return zed_fail_(d, ZED_SUBGROUP_SIZE, "kernel %s requires subgroups of %" PRIu32 ", \"%s\" has sizes %s",
                         k->name, k->subgroup_size, d->name,
                         zed_sizes_text_(d->target.subgroup_sizes, sizes, sizeof sizes));
    if (k->local_bytes > (uint32_t)d->target.local_memory)
        return zed_fail_(d, ZED_LOCAL_MEMORY,
                         "kernel %s needs %" PRIu32 " bytes of local memory per group, \"%s\" has %d", k->name,
                         k->local_bytes, d->name, d->target.local_memory);
    return true;
}

XE_FN_ bool zed_local_size_ok_(zed_kernel *k, uint32_t x, uint32_t y, uint32_t z)
{
    zed_device *d = k->device;
    const uint32_t *r = k->required_size;
    const uint32_t size[3] = {x, y, z};
    uint64_t all = (uint64_t)x * y;
    if (!x || !y || !z)
        return zed_fail_(d, ZED_LOCAL_SIZE, "kernel %s: a work-group of " ZED_XYZ_ " has no work-item", k->name, x, y,
                         z);
    if (r[0] && (x != r[0] || y != r[1] || z != r[2]))
        return zed_fail_(d, ZED_LOCAL_SIZE, "kernel %s requires work-groups of " ZED_XYZ_ ", got " ZED_XYZ_, k->name,
                         r[0], r[1], r[2], x, y, z);
    if (all <= UINT32_MAX) all *= z;
    for (int i = 0; i < 3; i++) {
        if (d->target.max_group_dim[i] && size[i] > (uint32_t)d->target.max_group_dim[i]) all = UINT64_MAX;
    }
    if (all > (uint64_t)d->target.max_group_size)
        return zed_fail_(d, ZED_GROUP_TOO_LARGE,
                         "kernel %s: a work-group of " ZED_XYZ_ " work-items, \"%s\" allows %d (at most %d x %d x %d)",
                         k->name, x, y, z, d->name, d->target.max_group_size, d->target.max_group_dim[0],
                         d->target.max_group_dim[1], d->target.max_group_dim[2]);
    return true;
}

XE_FN_ bool zed_set_local_size_(zed_kernel *k, uint32_t x, uint32_t y, uint32_t z)
{
    if (!zed_local_size_ok_(k, x, y, z)) return false;
    k->local_size[0] = x;
    k->local_size[1] = y;
    k->local_size[2] = z;
    return zed_check_(k->device, k->device->ze_->zeKernelSetGroupSize(k->handle, x, y, z), "zeKernelSetGroupSize",
                      "(%" PRIu32 ", %" PRIu32 ", %" PRIu32 ") of %s", x, y, z, k->name);
}

/* Is the kernel usable? The next error will name file:line. */
XE_ONCE_
XE_FN_ bool zed_kernel_usable_(zed_kernel *k, const char *file, int line)
{
    if (!k || !k->device) return zed_fail_alone_(ZED_KERNEL_NOT_LOADED, "a launch or local size", file, line);
    if (!zed_usable_(zed_at_(k->device, file, line))) return false;
    if (!k->handle) return zed_fail_(k->device, ZED_KERNEL_NOT_LOADED, "the kernel is not loaded");
    return true;
}

bool zed_local_size_(zed_kernel *k, uint32_t x, uint32_t y, uint32_t z, const char *file, int line)
{
    return zed_kernel_usable_(k, file, line) && zed_set_local_size_(k, x, y, z);
}

/* Creates the kernel's handle; device, module, name and parameters are set. */
XE_FN_ bool zed_kernel_create_(zed_kernel *k)
{
    zed_device *d = k->device;
    ze_kernel_desc_t desc;
    ZED_CLEAR_(desc, KERNEL_DESC);
    desc.pKernelName = k->name;
    ze_result_t result = d->ze_->zeKernelCreate(k->module, &desc, &k->handle);
    if (result != ZE_RESULT_SUCCESS) k->handle = NULL;
    if (result == ZE_RESULT_ERROR_INVALID_KERNEL_NAME) return zed_no_such_kernel_(d, k->module, k->name);
    if (!zed_check_(d, result, "zeKernelCreate", "of %s", k->name)) return false;
    if (zed_keep_(d, ZED_RES_KERNEL_, k->handle, 0)) {
        if (zed_kernel_properties_(k) &&
            (!k->local_size[0] || zed_set_local_size_(k, k->local_size[0], k->local_size[1], k->local_size[2])))
            return true;
        zed_drop_(d, ZED_RES_KERNEL_, k->handle);
    }
    k->handle = NULL;
    return false;
}

bool zed_kernel_get_(zed_kernel *k, zed_module *module, const char *name, const char *params, const char *file,
                     int line)
{
    zed_device *d = module ? module->device : NULL;
    if (k) memset(k, 0, sizeof *k);
    if (!d) return false;
    zed_at_(d, file, line);
    if (k) k->device = d;
    if (!zed_usable_(d)) return false;
    if (!k || !name) return zed_fail_(d, ZED_NULL_POINTER, "zed_kernel_get: %s is NULL", k ? "the name" : "the kernel");
    if (!module->handle) return zed_fail_(d, ZED_KERNEL_NOT_LOADED, "kernel %s: its module is not loaded", name);
    if (strlen(name) >= sizeof k->name) return zed_no_such_kernel_(d, module->handle, name);
    snprintf(k->name, sizeof k->name, "%s", name);
    k->module = module->handle;
    return zed_parse_params_(d, name, params, k->params, &k->param_count) && zed_kernel_create_(k);
}

bool zed_kernel_clone_(zed_kernel *k, const zed_kernel *from, zed_device *d)
{
    if (!k) return false;
    memset(k, 0, sizeof *k);
    k->device = d;
    if (!zed_usable_(d)) return false;
    if (!from || !from->handle) return zed_fail_(d, ZED_KERNEL_NOT_LOADED, "the kernel to clone is not loaded");
    if (from->device->context != d->context)
        return zed_fail_(d, ZED_OTHER_DEVICE, "kernel %s is of \"%s\" (%p), the clone of \"%s\" (%p)", from->name,
                         from->device->name, (const void *)from->device, d->name, (void *)d);
    *k = *from;
    k->device = d;
    k->handle = NULL;
    if (!zed_kernel_create_(k)) return false;
    if (!from->local_size[0]) return true;
    return zed_set_local_size_(k, from->local_size[0], from->local_size[1], from->local_size[2]);
}

bool zed_kernel_free_(zed_kernel *k, const char *file, int line)
{
    bool ok = k && zed_release_(k->device, ZED_RES_KERNEL_, k->handle, file, line);
    if (k) k->handle = NULL;
    return ok;
}

/* cache_files.c - files that keep what a driver compiled. */

/* An entry is named after a hash of its key and contains the key, so that two keys with one hash are told apart: a line
 * of text (format, device, driver and what else matters), the SPIR-V, then the driver's binary and a checksum. It is
 * written under another name and renamed, so that readers never see half of one. */

/* FNV-1a, 64 bits; continues from `hash`, which begins as _HASH_START_ in internal.h. */
XE_FN_ uint64_t zed_hash_(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *p = (const unsigned char *)data;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ p[i]) * 0x100000001b3u;
    return hash;
}

XE_FN_ void zed_cache_note_(zed_device *d, const char *what, const char *path, const char *why)
{
    snprintf(d->cache_, sizeof d->cache_, "%s %s%s%s", what, path, *why ? ": " : "", why);
}

const char *zed_cache_log(const zed_device *d) { return d->cache_; }

/* The file's contents, or NULL. */
XE_FN_ unsigned char *zed_read_file_(const char *path, size_t *bytes)
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
XE_FN_ const unsigned char *zed_binary_in_(const zed_entry_ *e, const unsigned char *file, size_t size, size_t *bytes)
{
    size_t key = e->head_size + e->bytes;
    uint64_t sum;
    if (size <= key + sizeof sum || memcmp(file, e->head, e->head_size) != 0 ||
        memcmp(file + e->head_size, e->words, e->bytes) != 0)
        return NULL;
    *bytes = size - key - sizeof sum;
    memcpy(&sum, file + size - sizeof sum, sizeof sum);
    return zed_hash_(e->hash, file + key, *bytes) == sum ? file + key : NULL;
}

/* A number that other processes do not have, for the names of files that are being written. */
XE_ONCE_
XE_FN_ unsigned long zed_process_(void)
{
#if defined(_WIN32)
    return (unsigned long)_getpid();
#else
    return (unsigned long)getpid();
#endif
}

/* Writes the entry to the file; false if something could not be written. */
XE_FN_ bool zed_write_parts_(const char *path, const zed_entry_ *e, const uint8_t *binary, size_t bytes)
{
    uint64_t sum = zed_hash_(e->hash, binary, bytes);
    FILE *f = fopen(path, "wb");
    if (!f) return false;
    bool ok = fwrite(e->head, 1, e->head_size, f) == e->head_size && fwrite(e->words, 1, e->bytes, f) == e->bytes &&
              fwrite(binary, 1, bytes, f) == bytes && fwrite(&sum, 1, sizeof sum, f) == sizeof sum;
    return fclose(f) == 0 && ok;
}

/* Writes an entry, replacing the one there. A folder that cannot be written is no error. */
XE_FN_ void zed_replace_file_(zed_device *d, const zed_entry_ *e, const uint8_t *binary, size_t bytes)
{
    char name[sizeof e->path + 48];
    snprintf(name, sizeof name, "%s.%" PRIxPTR ".%lx", e->path, (uintptr_t)binary, (unsigned long)zed_process_());
    bool ok = zed_write_parts_(name, e, binary, bytes);
#if defined(_WIN32) /* where rename does not replace */
    if (ok) remove(e->path);
#endif
    ok = ok && rename(name, e->path) == 0;
    zed_cache_note_(d, ok ? "stored" : "not stored", e->path, ok ? "" : strerror(errno));
    if (!ok) remove(name);
}

/* cache.c - modules as the driver compiled them, in files (cache_files.c). The line of text of a key: format, device,
 * driver, flags, spec constants. */

#define ZED_CACHE_FORMAT_ "xetile-native-1"

/* Fills the key and the path; false if they do not fit, or the driver does not tell its version. */
XE_FN_ bool zed_entry_of_(zed_device *d, const zed_source *s, const zed_constants_ *c, const char *folder,
                          zed_entry_ *e)
{
    ze_driver_properties_t p;
    ZED_CLEAR_(p, DRIVER_PROPERTIES);
    if (d->ze_->zeDriverGetProperties(d->driver, &p) != ZE_RESULT_SUCCESS) {
        zed_cache_note_(d, "not used", folder, "the driver has no version");
        return false;
    }
    int n =
        snprintf(e->head, sizeof e->head, ZED_CACHE_FORMAT_ " %s %08" PRIx32 ":%08" PRIx32 " driver %08" PRIx32 " %s",
                 d->name, d->target.vendor_id, d->target.device_id, p.driverVersion, s->flags ? s->flags : "");
    for (uint32_t i = 0; i < c->list.numConstants && n > 0 && (size_t)n < sizeof e->head - 1; i++)
        n += snprintf(e->head + n, sizeof e->head - (size_t)n, " %" PRIu32 "=%" PRIx64, c->ids[i], c->values[i].as.u);
    bool fits = n > 0 && (size_t)n < sizeof e->head - 1;
    if (fits) e->head[n++] = '\n';
    e->head_size = fits ? (size_t)n : 0;
    e->words = s->words;
    e->bytes = s->bytes;
    e->hash = zed_hash_(zed_hash_(ZED_HASH_START_, e->head, e->head_size), s->words, s->bytes);
    int m = snprintf(e->path, sizeof e->path, "%s/%016" PRIx64 ".zebin", folder, e->hash);
    if (fits && m > 0 && (size_t)m < sizeof e->path - 40) return true;
    zed_cache_note_(d, "not used", folder, "flags, constants or path are too long");
    return false;
}

XE_FN_ bool zed_load_entry_(zed_module *module, zed_device *d, const zed_entry_ *e, const char *flags)
{
    size_t size = 0, bytes = 0;
    unsigned char *file = zed_read_file_(e->path, &size);
    const unsigned char *binary = file ? zed_binary_in_(e, file, size, &bytes) : NULL;
    bool ok = binary && zed_module_make_(module, d, true, binary, bytes, flags, NULL, false);
    free(file);
    if (ok) zed_cache_note_(d, "loaded", e->path, "");
    return ok;
}

/* Stores what the driver compiled. A folder that cannot be written is no error: the module is loaded. */
XE_FN_ void zed_store_entry_(const zed_module *module, const zed_entry_ *e)
{
    zed_device *d = module->device;
    size_t bytes = 0;
    uint8_t *binary = NULL;
    if (d->ze_->zeModuleGetNativeBinary(module->handle, &bytes, NULL) == ZE_RESULT_SUCCESS && bytes)
        binary = (uint8_t *)malloc(bytes);
    if (!binary || d->ze_->zeModuleGetNativeBinary(module->handle, &bytes, binary) != ZE_RESULT_SUCCESS) {
        free(binary);
        zed_cache_note_(d, "not stored", e->path, "the driver gave no binary");
        return;
    }
    zed_replace_file_(d, e, binary, bytes);
    free(binary);
}

/* Loads a source's module; `constants_of` reads its values for spec constants, NULL: it has none. Programs that give
 * none compile without it. */
XE_FN_ bool zed_module_load_with_(zed_module *module, zed_device *d, const zed_source *s, const char *folder,
                                  zed_constants_of_fn_ constants_of)
{
    zed_entry_ e;
    zed_constants_ c;
    if (!module) return d ? zed_usable_(d) && zed_fail_(d, ZED_NULL_POINTER, "zed_module_load: module is NULL") : false;
    memset(module, 0, sizeof *module);
    module->device = d;
    if (d) d->cache_[0] = 0;
    if (!zed_usable_(d)) return false;
    if (!s) return zed_fail_(d, ZED_NULL_POINTER, "zed_module_load_source: the source is NULL");
    if (!zed_module_words_ok_(d, s->words, s->bytes)) return false;
    memset(&c, 0, sizeof c);
    bool ok = !constants_of || constants_of(d, s, &c), cached = ok && folder && *folder;
    cached = cached && zed_entry_of_(d, s, &c, folder, &e);
    bool loaded = cached && zed_load_entry_(module, d, &e, s->flags);
    ok = ok && !d->error.id &&
         (loaded || zed_module_make_(module, d, false, s->words, s->bytes, s->flags, &c, true));
    if (ok && cached && !loaded) zed_store_entry_(module, &e);
    zed_constants_free_(&c);
    return ok;
}

bool zed_module_load_source_(zed_module *module, zed_device *d, const zed_source *s, const char *folder)
{
    return zed_module_load_with_(module, d, s, folder, zed_constants_of_);
}

bool zed_module_load_cached_(zed_module *module, zed_device *d, const void *words, size_t bytes, const char *flags,
                             const char *folder)
{
    zed_source s = {words, bytes, NULL, NULL, flags, {0, 0, 0}, NULL, 0};
    return zed_module_load_with_(module, d, &s, folder, NULL);
}

bool zed_module_load_(zed_module *module, zed_device *d, const void *words, size_t bytes, const char *flags)
{
    return zed_module_load_cached_(module, d, words, bytes, flags, NULL);
}

/* workers.c - many jobs at once, each in one of several threads; and which modules are the same. */

typedef struct zed_worker_ {
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
} zed_worker_;

enum { ZED_WORKERS_ = 16 };

XE_FN_ void zed_work_(const zed_worker_ *w)
{
    for (int i = w->at; i < w->count; i += w->step) w->work(w->jobs + (size_t)i * w->size);
}

#if defined(_WIN32)
XE_FN_ unsigned __stdcall zed_worker_main_(void *worker)
{
    zed_work_((const zed_worker_ *)worker);
    return 0;
}
XE_FN_ bool zed_worker_start_(zed_worker_ *w)
{
    w->thread = _beginthreadex(NULL, 0, zed_worker_main_, w, 0, NULL);
    return w->thread != 0;
}
XE_FN_ void zed_worker_join_(zed_worker_ *w)
{
    WaitForSingleObject((void *)w->thread, 0xffffffffu);
    CloseHandle((void *)w->thread);
}
#else
XE_FN_ void *zed_worker_main_(void *worker)
{
    zed_work_((const zed_worker_ *)worker);
    return NULL;
}
XE_FN_ bool zed_worker_start_(zed_worker_ *w) { return pthread_create(&w->thread, NULL, zed_worker_main_, w) == 0; }
XE_FN_ void zed_worker_join_(zed_worker_ *w) { pthread_join(w->thread, NULL); }
#endif

/* Does `count` jobs of so many bytes in as many threads as there are jobs, up to a limit; this thread takes its share,
 * and those of threads that could not be started. */
XE_FN_ void zed_run_jobs_(void (*work)(void *job), void *jobs, size_t size, int count)
{
    zed_worker_ workers[ZED_WORKERS_];
    int threads = count < ZED_WORKERS_ ? count : ZED_WORKERS_;
    for (int i = 0; i < threads; i++) {
        zed_worker_ *w = &workers[i];
        memset(w, 0, sizeof *w);
        w->work = work;
        w->jobs = (char *)jobs;
        w->size = size;
        w->at = i;
        w->count = count;
        w->step = threads;
        w->started = i > 0 && zed_worker_start_(w);
    }
    for (int i = 0; i < threads; i++)
        if (!workers[i].started) zed_work_(&workers[i]);
    for (int i = 0; i < threads; i++)
        if (workers[i].started) zed_worker_join_(&workers[i]);
}

XE_FN_ bool zed_same_module_(const zed_source *a, const zed_source *b)
{
    bool one = a->constants == b->constants, same = a->constant_count == b->constant_count;
    if (!one && a->constant_count && (!a->constants || !b->constants)) return false;
    for (uint32_t i = 0; !one && same && i < a->constant_count; i++) {
        const zed_constant *c = &a->constants[i], *d = &b->constants[i];
        same = c->id == d->id && c->value.kind == d->value.kind && c->value.as.uint == d->value.as.uint;
    }
    return same && a->words == b->words && a->bytes == b->bytes &&
           strcmp(a->flags ? a->flags : "", b->flags ? b->flags : "") == 0;
}

/* loads.c - a module and its kernel in one call, and many of them at once. */

/* The kernel of a module, and its local size. */
XE_FN_ bool zed_kernel_of_(zed_kernel *k, zed_module *module, const zed_source *source)
{
    zed_device *d = module->device;
    const uint32_t *size = source->local_size;
    if (!zed_kernel_get_(k, module, source->kernel, source->params, d->file_, d->line_)) return false;
    return !size[0] || zed_set_local_size_(k, size[0], size[1] ? size[1] : 1, size[2] ? size[2] : 1);
}

XE_FN_ bool zed_load_with_(zed_kernel *k, zed_device *d, const zed_source *s, const char *folder,
                           zed_constants_of_fn_ constants_of)
{
    zed_module module;
    if (k) memset(k, 0, sizeof *k);
    if (k) k->device = d;
    if (!zed_module_load_with_(&module, d, s, folder, constants_of)) return false;
    if (zed_kernel_of_(k, &module, s)) return true;
    if (!k || !k->handle) zed_drop_(d, ZED_RES_MODULE_, module.handle);
    return false;
}

bool zed_load_source_(zed_kernel *k, zed_device *d, const zed_source *s, const char *folder)
{
    return zed_load_with_(k, d, s, folder, zed_constants_of_);
}

bool zed_load_(zed_kernel *k, zed_device *d, const void *words, size_t bytes, const char *name, const char *params,
               const char *flags, const uint32_t local_size[3], const char *folder)
{
    const uint32_t of_module[3] = {0, 0, 0}, *size = local_size ? local_size : of_module;
    zed_source s = {words, bytes, name, params, flags, {size[0], size[1], size[2]}, NULL, 0};
    return zed_load_with_(k, d, &s, folder, NULL);
}

/* ---- many at once: modules are compiled in threads, each with a zed_device of its own for errors and handles */

typedef struct zed_job_ {
    zed_device own;
    const zed_source *source;
    const char *folder;
    zed_module module;
    int first;  /* the first job with the same module: */
    bool loads; /* itself, or one that loads it for both */
} zed_job_;

XE_FN_ void zed_load_job_(void *job)
{
    zed_job_ *j = (zed_job_ *)job;
    if (j->loads) zed_module_load_source_(&j->module, &j->own, j->source, j->folder);
}

XE_FN_ void zed_prepare_jobs_(zed_device *d, zed_job_ *jobs, const zed_source *sources, int count, const char *folder)
{
    for (int i = 0; i < count; i++) {
        zed_device *own = &jobs[i].own;
        zed_at_(own, d->file_, d->line_);
        own->driver = d->driver;
        own->device = d->device;
        own->context = d->context;
        own->ze_ = d->ze_;
        memcpy(own->name, d->name, sizeof own->name);
        own->target = d->target;
        own->open_ = true;
        jobs[i].source = &sources[i];
        jobs[i].folder = folder;
        while (!zed_same_module_(&sources[jobs[i].first], &sources[i])) jobs[i].first++;
        jobs[i].loads = jobs[i].first == i;
    }
}

/* Gives the device what a job loaded: the handle, the log, the error if it is the first. */
XE_FN_ void zed_take_job_(zed_device *d, zed_job_ *job)
{
    zed_device *own = &job->own;
    if (own->log_) {
        free(d->log_);
        d->log_ = own->log_;
    }
    if (own->cache_[0]) memcpy(d->cache_, own->cache_, sizeof d->cache_);
    if (own->error.id && !d->error.id) d->error = own->error;
    free(own->resources_);
    job->module.device = d;
    if (job->module.handle && !zed_keep_(d, ZED_RES_MODULE_, job->module.handle, 0)) job->module.handle = NULL;
}

/* Frees what was loaded before an error. */
XE_FN_ void zed_drop_jobs_(zed_device *d, zed_kernel *kernels, zed_job_ *jobs, int count)
{
    for (int i = 0; i < count; i++) {
        if (kernels[i].handle) zed_drop_(d, ZED_RES_KERNEL_, kernels[i].handle);
        kernels[i].handle = NULL;
    }
    for (int i = 0; i < count; i++)
        if (jobs[i].module.handle) zed_drop_(d, ZED_RES_MODULE_, jobs[i].module.handle);
}

bool zed_load_all_(zed_kernel *kernels, zed_device *d, const zed_source *sources, int count, const char *folder)
{
    zed_job_ *jobs;
    if (!zed_usable_(d) || count <= 0) return zed_usable_(d) && count == 0;
    if (!kernels || !sources)
        return zed_fail_(d, ZED_NULL_POINTER, "zed_load_all: the %s are NULL", kernels ? "sources" : "kernels");
    memset(kernels, 0, (size_t)count * sizeof *kernels);
    for (int i = 0; i < count; i++) kernels[i].device = d;
    jobs = (zed_job_ *)calloc((size_t)count, sizeof *jobs);
    if (!jobs) return zed_fail_(d, ZED_OUT_OF_MEMORY, "no room to load %d modules", count);
    zed_prepare_jobs_(d, jobs, sources, count, folder);
    zed_run_jobs_(zed_load_job_, jobs, sizeof *jobs, count);
    for (int i = 0; i < count; i++) zed_take_job_(d, &jobs[i]);
    for (int i = 0; i < count && !d->error.id; i++)
        zed_kernel_of_(&kernels[i], &jobs[jobs[i].first].module, &sources[i]);
    if (d->error.id) zed_drop_jobs_(d, kernels, jobs, count);
    free(jobs);
    return !d->error.id;
}

/* append.c - checking launches, and appending them to command lists. */

XE_FN_ bool zed_groups_ok_(const zed_kernel *k, zed_groups g)
{
    const uint32_t *most = k->device->target.max_groups;
    if (g.count_x && g.count_y && g.count_z && (!most[0] || g.count_x <= most[0]) &&
        (!most[1] || g.count_y <= most[1]) && (!most[2] || g.count_z <= most[2]))
        return true;
    return zed_fail_(k->device, ZED_GROUPS, "kernel %s: " ZED_XYZ_ " groups, \"%s\" takes 1 to " ZED_XYZ_, k->name,
                     g.count_x, g.count_y, g.count_z, k->device->name, most[0], most[1], most[2]);
}

/* Checks all arguments, and makes of them what zeKernelSetArgumentValue takes. */
XE_FN_ bool zed_bind_all_(zed_kernel *k, const zed_arg *args, uint32_t count, zed_bound_ *bound)
{
    zed_device *d = k->device;
    uint64_t local = k->local_bytes;
    if (count != k->param_count)
        return zed_fail_(d, ZED_ARG_COUNT, "kernel %s takes %" PRIu32 " arguments, got %" PRIu32, k->name,
                         k->param_count, count);
    for (uint32_t i = 0; i < count; i++) {
        if (!zed_bind_(k, &args[i], i, &bound[i])) return false;
        if (k->params[i].kind == ZED_PARAM_LOCAL) local += bound[i].size;
        if (local > (uint64_t)d->target.local_memory)
            return zed_fail_(d, ZED_LOCAL_MEMORY,
                             "kernel %s: %" PRIu64 " bytes of local memory per group, \"%s\" has %d", k->name, local,
                             d->name, d->target.local_memory);
    }
    return true;
}

XE_FN_ bool zed_set_arguments_(zed_kernel *k, const zed_bound_ *bound)
{
    for (uint32_t i = 0; i < k->param_count; i++) {
        const void *value = bound[i].no_value ? NULL : (const void *)&bound[i].as;
        if (!zed_check_(k->device, k->device->ze_->zeKernelSetArgumentValue(k->handle, i, bound[i].size, value),
                        "zeKernelSetArgumentValue", "(%" PRIu32 ", %zu bytes) of %s, parameter %s", i, bound[i].size,
                        k->name, k->params[i].name))
            return false;
    }
    return true;
}

/* Checks a launch; bound: its arguments. */
XE_ONCE_
XE_FN_ bool zed_launch_ok_(zed_kernel *k, zed_groups groups, const zed_arg *args, uint32_t count, zed_bound_ *bound)
{
    if (!k->local_size[0]) return zed_fail_(k->device, ZED_NO_LOCAL_SIZE, "kernel %s has no local size", k->name);
    return zed_groups_ok_(k, groups) && zed_bind_all_(k, args, count, bound);
}

/* Appends the launch; a barrier before it makes the results of earlier launches in flight visible. */
XE_FN_ bool zed_append_(zed_kernel *k, ze_command_list_handle_t list, bool barrier, ze_event_handle_t signal,
                        zed_groups groups)
{
    ze_group_count_t g;
    ze_result_t result = ZE_RESULT_SUCCESS;
    g.groupCountX = groups.count_x;
    g.groupCountY = groups.count_y;
    g.groupCountZ = groups.count_z;
    if (barrier) result = k->device->ze_->zeCommandListAppendBarrier(list, NULL, 0, NULL);
    if (!zed_check_(k->device, result, "zeCommandListAppendBarrier", "before %s", k->name)) return false;
    result = k->device->ze_->zeCommandListAppendLaunchKernel(list, k->handle, &g, signal, 0, NULL);
    return zed_check_(k->device, result, "zeCommandListAppendLaunchKernel", "of %s, " ZED_XYZ_ " groups", k->name,
                      groups.count_x, groups.count_y, groups.count_z);
}

/* changes.c - changing launches in place. Where the driver has mutable command lists (an experimental extension,
 * declared in internal.h since older headers lack it), a launch is changed in its command list.
 */

/* The functions, if the driver has them and takes the loader's handles as they are. */
XE_FN_ bool zed_find_mutable_(zed_device *d, ze_command_list_handle_t list)
{
    void *own = NULL, *name = NULL, *update = NULL;
    if (d->mutable_.known) return d->mutable_.update != NULL;
    d->mutable_.known = true;
    const zed_functions_ *ze = d->ze_;
    if (ze->zelLoaderTranslateHandle(ZEL_HANDLE_COMMAND_LIST, list, &own) != ZE_RESULT_SUCCESS || own != (void *)list)
        return false;
    if (ze->zeDriverGetExtensionFunctionAddress(d->driver, "zeCommandListGetNextCommandIdExp", &name) !=
            ZE_RESULT_SUCCESS ||
        ze->zeDriverGetExtensionFunctionAddress(d->driver, "zeCommandListUpdateMutableCommandsExp", &update) !=
            ZE_RESULT_SUCCESS ||
        !name || !update)
        return false;
    memcpy(&d->mutable_.name, &name, sizeof name);
    memcpy(&d->mutable_.update, &update, sizeof update);
    return true;
}

/* Gives the launch that is appended next a number by which it is changed. */
XE_FN_ bool zed_name_command_(zed_recording_ *r, zed_step_ *s)
{
    enum { ZED_ARGUMENTS_AND_GROUPS_ = 3 };
    zed_mutable_desc_ desc = {(ze_structure_type_t)ZED_STYPE_MUTABLE_ID_, NULL, ZED_ARGUMENTS_AND_GROUPS_};
    return zed_check_(r->device, r->device->mutable_.name(r->list, &desc, &s->id), "zeCommandListGetNextCommandIdExp",
                      "for %s", r->kernels[s->kernel].name);
}

/* Changes a launch in place: all its arguments, and its groups. */
XE_FN_ ze_result_t zed_update_(zed_recording_ *r, const zed_step_ *s)
{
    zed_mutable_argument_ args[ZED_MAX_ARGS];
    ze_group_count_t count = {s->groups.count_x, s->groups.count_y, s->groups.count_z};
    zed_mutable_groups_ groups = {(ze_structure_type_t)ZED_STYPE_MUTABLE_GROUPS_, NULL, s->id, &count};
    zed_mutable_desc_ all = {(ze_structure_type_t)ZED_STYPE_MUTABLE_COMMANDS_, &groups, 0};
    for (uint32_t i = 0; i < r->kernels[s->kernel].param_count; i++) {
        const zed_bound_ *bound = &s->args[i];
        args[i].stype = (ze_structure_type_t)ZED_STYPE_MUTABLE_ARGUMENT_;
        args[i].next = all.next;
        args[i].command = s->id;
        args[i].index = i;
        args[i].size = bound->size;
        args[i].value = bound->no_value ? NULL : (const void *)&bound->as;
        all.next = &args[i];
    }
    ze_result_t result = r->device->mutable_.update(r->list, &all);
    return result == ZE_RESULT_SUCCESS ? r->device->ze_->zeCommandListClose(r->list) : result;
}

/* Changes the command list in place; false if it cannot be. */
XE_FN_ bool zed_update_all_(zed_recording_ *r)
{
    if (!r->changeable) return false;
    for (size_t i = 0; i < r->count; i++) {
        if (!r->steps[i].changed) continue;
        if (zed_update_(r, &r->steps[i]) != ZE_RESULT_SUCCESS) return false;
        r->steps[i].changed = false;
    }
    r->stale = false;
    return true;
}

/* steps.c - the state of a batch, and the list of its steps. */

/* Is the batch in this state, and its device usable? */
XE_FN_ bool zed_batch_is_(const zed_batch *b, int state, const char *call, const char *file, int line)
{
    static const char *const names[] = {"not begun", "being recorded", "ended"};
    if (!b || !b->device) return zed_fail_alone_(ZED_BATCH_STATE, call, file, line);
    if (!zed_usable_(zed_at_(b->device, file, line))) return false;
    if (b->state_ == state) return true;
    return zed_fail_(b->device, ZED_BATCH_STATE, "%s of a batch that is %s, not %s", call, names[b->state_],
                     names[state]);
}

/* A list with room for one more: doubled if it is full. NULL if out of memory; the list remains then. */
XE_FN_ void *zed_grow_(zed_device *d, void *list, size_t count, size_t *room, size_t size)
{
    size_t more = *room ? 2 * *room : 8;
    if (count < *room) return list;
    list = realloc(list, more * size);
    if (list) *room = more;
    else zed_fail_(d, ZED_OUT_OF_MEMORY, "no room for %zu steps of a batch", more);
    return list;
}

/* The i-th launch among the steps; NULL if there are fewer. */
XE_FN_ zed_step_ *zed_launch_of_(zed_recording_ *r, int i)
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

/* recording.c - what a batch consists of. A batch keeps its steps, so that its command list can be recorded again when
 * their arguments change, and in flight while its zed_batch is gone.
 */

/* What batches run in, made for the first. */
XE_FN_ bool zed_need_queue_(zed_device *d)
{
    ze_command_queue_desc_t q;
    ZED_CLEAR_(q, COMMAND_QUEUE_DESC);
    q.ordinal = d->ordinal_;
    q.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
    if (d->queue || ZED_CALL_(d, zeCommandQueueCreate, (d->context, d->device, &q, &d->queue))) return true;
    d->queue = NULL;
    return false;
}

XE_FN_ zed_recording_ *zed_recording_make_(zed_device *d)
{
    if (!zed_need_queue_(d)) return NULL;
    zed_recording_ *r = (zed_recording_ *)calloc(1, sizeof *r);
    if (!r) zed_fail_(d, ZED_OUT_OF_MEMORY, "no room for a batch");
    if (!r || !zed_keep_(d, ZED_RES_RECORDING_, r, 0)) return NULL;
    r->device = d;
    return r;
}

/* Appends a step, or returns NULL. */
XE_FN_ zed_step_ *zed_add_step_(zed_recording_ *r, int kind)
{
    zed_device *d = r->device;
    zed_step_ *steps = (zed_step_ *)zed_grow_(d, r->steps, r->count, &r->room, sizeof *steps);
    if (!steps) return NULL;
    r->steps = steps;
    zed_step_ *s = &steps[r->count++];
    memset(s, 0, sizeof *s);
    s->kind = kind;
    s->launches = r->launches;
    s->file = d->file_;
    s->line = d->line_;
    return s;
}

/* The index of a copy of the kernel, which may be freed or move before the batch is recorded again; -1 on failure. */
XE_FN_ int zed_kernel_index_(zed_recording_ *r, const zed_kernel *k)
{
    zed_kernel *kernels = r->kernels;
    for (size_t i = r->kernel_count; i-- > 0;) {
        if (kernels[i].handle == k->handle && memcmp(kernels[i].local_size, k->local_size, sizeof k->local_size) == 0)
            return (int)i;
    }
    kernels = (zed_kernel *)zed_grow_(r->device, kernels, r->kernel_count, &r->kernel_room, sizeof *kernels);
    if (!kernels) return -1;
    r->kernels = kernels;
    kernels[r->kernel_count] = *k;
    return (int)r->kernel_count++;
}

/* Appends a launch with arguments that have been checked. */
XE_FN_ bool zed_step_launch_(zed_recording_ *r, const zed_kernel *k, zed_groups groups, const zed_bound_ *args)
{
    int kernel = zed_kernel_index_(r, k);
    size_t bytes = k->param_count * sizeof *args;
    zed_bound_ *copy = (zed_bound_ *)malloc(bytes ? bytes : 1);
    zed_step_ *s = kernel >= 0 && copy ? zed_add_step_(r, ZED_STEP_LAUNCH_) : NULL;
    if (!s) {
        free(copy);
        return zed_fail_(r->device, ZED_OUT_OF_MEMORY, "no room for a launch of %s", k->name);
    }
    memcpy(copy, args, bytes);
    s->kernel = kernel;
    s->groups = groups;
    s->args = copy;
    r->launches++;
    return true;
}

/* ---- events of its own: the gate, for which its list waits; done, which its list signals; one for each timed launch
 */

XE_FN_ bool zed_recording_events_(zed_recording_ *r)
{
    zed_device *d = r->device;
    uint32_t count = 2;
    if (r->pool) return true;
    if (!zed_make_pool_(d, 2 + (r->timed ? (uint32_t)r->launches : 0), r->timed, &r->pool) ||
        !zed_make_event_(d, r->pool, 0, &r->gate) || !zed_make_event_(d, r->pool, 1, &r->done))
        return false;
    for (size_t i = 0; r->timed && i < r->count; i++) {
        if (r->steps[i].kind == ZED_STEP_LAUNCH_ && !zed_make_event_(d, r->pool, count++, &r->steps[i].own))
            return false;
    }
    return true;
}

/* Makes all events that a run signals ready for the next run. */
XE_FN_ bool zed_recording_reset_(zed_recording_ *r)
{
    zed_device *d = r->device;
    if (!ZED_CALL_(d, zeEventHostReset, (r->gate)) || !ZED_CALL_(d, zeEventHostReset, (r->done))) return false;
    for (size_t i = 0; i < r->count; i++) {
        const zed_step_ *s = &r->steps[i];
        ze_event_handle_t event = s->kind == ZED_STEP_SIGNAL_ ? s->event : s->own;
        if (event && !ZED_CALL_(d, zeEventHostReset, (event))) return false;
    }
    return true;
}

/* ---- the command list */

XE_FN_ bool zed_append_launch_step_(zed_recording_ *r, zed_step_ *s)
{
    zed_device *d = r->device;
    zed_kernel *k = &r->kernels[s->kernel];
    const uint32_t *size = k->local_size;
    if (!zed_check_(d, d->ze_->zeKernelSetGroupSize(k->handle, size[0], size[1], size[2]), "zeKernelSetGroupSize",
                    "(" ZED_XYZ_ ") of %s", size[0], size[1], size[2], k->name) ||
        !zed_set_arguments_(k, s->args) || (r->changeable && !zed_name_command_(r, s)))
        return false;
    return zed_append_(k, r->list, true, s->own, s->groups);
}

XE_FN_ bool zed_append_step_(zed_recording_ *r, zed_step_ *s)
{
    zed_device *d = zed_at_(r->device, s->file, s->line);
    switch (s->kind) {
    case ZED_STEP_LAUNCH_: return zed_append_launch_step_(r, s);
    case ZED_STEP_COPY_:
        return ZED_CALL_(d, zeCommandListAppendBarrier, (r->list, NULL, 0, NULL)) &&
               zed_check_(d, d->ze_->zeCommandListAppendMemoryCopy(r->list, s->to, s->from, s->bytes, NULL, 0, NULL),
                          "zeCommandListAppendMemoryCopy", "(%zu bytes)", s->bytes);
    case ZED_STEP_SIGNAL_: return ZED_CALL_(d, zeCommandListAppendBarrier, (r->list, s->event, 0, NULL));
    default: return ZED_CALL_(d, zeCommandListAppendBarrier, (r->list, NULL, 1, &s->event));
    }
}

XE_FN_ bool zed_recording_list_(zed_recording_ *r)
{
    zed_device *d = r->device;
    ze_command_list_desc_t desc;
    zed_mutable_desc_ changeable = {(ze_structure_type_t)ZED_STYPE_MUTABLE_LIST_, NULL, 0};
    ZED_CLEAR_(desc, COMMAND_LIST_DESC);
    desc.commandQueueGroupOrdinal = d->ordinal_;
    if (r->changeable) desc.pNext = &changeable;
    if (ZED_CALL_(d, zeCommandListCreate, (d->context, d->device, &desc, &r->list))) return true;
    r->list = NULL;
    return false;
}

/* Records the steps, anew if they were. */
XE_FN_ bool zed_record_(zed_recording_ *r)
{
    zed_device *d = r->device;
    const char *file = d->file_;
    int line = d->line_;
    bool ok = zed_recording_events_(r);
    if (r->list && ok) ok = ZED_CALL_(d, zeCommandListDestroy, (r->list));
    r->list = NULL;
    ok = ok && zed_recording_list_(r) && ZED_CALL_(d, zeCommandListAppendBarrier, (r->list, NULL, 1, &r->gate));
    for (size_t i = 0; ok && i < r->count; i++) ok = zed_append_step_(r, &r->steps[i]);
    zed_at_(d, file, line);
    r->stale = !(ok && ZED_CALL_(d, zeCommandListAppendBarrier, (r->list, r->done, 0, NULL)) &&
                 ZED_CALL_(d, zeCommandListClose, (r->list)));
    return !r->stale;
}

/* Makes the command list what the steps say: in place, or else by recording it again. The first change records a list
 * that can be changed, where the driver has such; a driver that has the functions and refuses the list gets a plain
 * one.
 */
XE_FN_ bool zed_renew_(zed_recording_ *r)
{
    if (zed_update_all_(r)) return true;
    for (size_t i = 0; i < r->count; i++) r->steps[i].changed = false;
    r->changeable = !r->renewed && zed_find_mutable_(r->device, r->list);
    r->renewed = true;
    if (r->changeable && zed_record_(r)) return true;
    if (r->changeable) zed_clear_error(r->device);
    r->changeable = false;
    return zed_record_(r);
}

/* batches.c - what a batch takes besides launches, and how it is run (runs.c), changed and freed. */

bool zed_batch_copy_(zed_batch *b, void *dst, const void *src, size_t bytes, const char *file, int line)
{
    if (!zed_batch_is_(b, ZED_BATCH_OPEN_, "zed_batch_copy", file, line)) return false;
    zed_device *d = b->device;
    if (!bytes) return true;
    if (!zed_in_range_(d, "destination of a copy", dst, bytes) || !zed_in_range_(d, "source of a copy", src, bytes))
        return false;
    zed_step_ *s = zed_add_step_(b->recording_, ZED_STEP_COPY_);
    if (!s) return false;
    s->to = dst;
    s->from = src;
    s->bytes = bytes;
    return true;
}

/* Appends a step that signals an event, or follows one. */
XE_FN_ bool zed_batch_event_(zed_batch *b, const zed_event *e, int kind, const char *call, const char *file, int line)
{
    if (!zed_batch_is_(b, ZED_BATCH_OPEN_, call, file, line) || !zed_event_is_for_(e, b->device, call)) return false;
    zed_step_ *s = zed_add_step_(b->recording_, kind);
    if (s) s->event = e->handle;
    return s != NULL;
}

/* Waits until the batch's run has ended. */
XE_FN_ bool zed_batch_finish_(zed_batch *b)
{
    zed_recording_ *r = b->recording_;
    if (!r->running) return true;
    r->running = false;
    if (b->device->last_ == r) b->device->last_ = NULL;
    ze_result_t result = b->device->ze_->zeEventHostSynchronize(r->done, UINT64_MAX);
    return zed_check_(b->device, result, "zeEventHostSynchronize", "after a batch of %d launches", r->launches);
}

/* Opens the gate of a batch when all that was started before has ended. */
XE_FN_ bool zed_open_gate_(zed_recording_ *r)
{
    zed_device *d = r->device;
    if (d->pending_) return ZED_CALL_(d, zeCommandListAppendBarrier, (d->list, r->gate, 0, NULL));
    return ZED_CALL_(d, zeEventHostSignal, (r->gate));
}

/* Begins a run. The previous one must have passed, with all that waits for its events in the device's own list. */
XE_FN_ bool zed_batch_execute_(zed_batch *b)
{
    zed_recording_ *r = b->recording_;
    zed_device *d = b->device;
    if (!zed_batch_finish_(b) || (r->awaited && !zed_await_all_(d)) || (r->stale && !zed_renew_(r))) return false;
    r->awaited = false;
    b->list = r->list;
    if (!zed_recording_reset_(r) || !zed_open_gate_(r)) return false;
    r->running = zed_check_(d, d->ze_->zeCommandQueueExecuteCommandLists(d->queue, 1, &r->list, NULL),
                            "zeCommandQueueExecuteCommandLists", "of %d launches", r->launches);
    if (r->running) d->last_ = r;
    return r->running;
}

bool zed_batch_free_(zed_batch *b, const char *file, int line)
{
    bool ok = b && zed_release_(b->device, ZED_RES_RECORDING_, b->recording_, file, line);
    if (!b) return false;
    b->recording_ = NULL;
    b->list = NULL;
    b->state_ = ZED_BATCH_NONE_;
    return ok;
}

bool zed_batch_change_(zed_batch *b, int launch, const char *file, int line, zed_groups groups, const zed_arg *args,
                       uint32_t count)
{
    zed_bound_ bound[ZED_MAX_ARGS];
    if (!zed_batch_is_(b, ZED_BATCH_CLOSED_, "zed_batch_change", file, line)) return false;
    zed_recording_ *r = b->recording_;
    zed_step_ *s = zed_launch_of_(r, launch);
    if (!s) return zed_fail_(b->device, ZED_BATCH_LAUNCH, "launch %d of a batch of %d", launch, r->launches);
    zed_kernel *k = &r->kernels[s->kernel];
    zed_at_(k->device, file, line);
    if (!zed_launch_ok_(k, groups, args, count, bound) || !zed_batch_finish_(b)) return false;
    if (count) memcpy(s->args, bound, count * sizeof bound[0]);
    s->groups = groups;
    s->changed = r->stale = true;
    return true;
}

/* The device time of a step that is a launch, of a timed batch that has run. */
XE_FN_ bool zed_step_ns_(const zed_recording_ *r, const zed_step_ *s, double *ns)
{
    return zed_event_ns_(r->device, s->own, ns);
}

/* runs.c - a batch from its beginning to its runs. */

bool zed_batch_begin_(zed_batch *b, zed_device *d, bool timed)
{
    if (!b) return zed_usable_(d) && zed_fail_(d, ZED_NULL_POINTER, "zed_batch_begin: the batch is NULL");
    memset(b, 0, sizeof *b);
    b->device = d;
    if (!zed_usable_(d)) return false;
    b->recording_ = zed_recording_make_(d);
    if (!b->recording_) return false;
    b->recording_->timed = timed;
    b->state_ = ZED_BATCH_OPEN_;
    return true;
}

bool zed_batch_signal_(zed_batch *b, zed_event *e, const char *file, int line)
{
    return zed_batch_event_(b, e, ZED_STEP_SIGNAL_, "zed_batch_signal", file, line);
}

bool zed_batch_follow_(zed_batch *b, zed_event *e, const char *file, int line)
{
    return zed_batch_event_(b, e, ZED_STEP_FOLLOW_, "zed_batch_follow", file, line);
}

bool zed_batch_start_(zed_batch *b, const char *file, int line)
{
    bool open = b && b->state_ == ZED_BATCH_OPEN_;
    if (!zed_batch_is_(b, open ? ZED_BATCH_OPEN_ : ZED_BATCH_CLOSED_, "zed_batch_start", file, line)) return false;
    if (open && !zed_record_(b->recording_)) return false;
    b->state_ = ZED_BATCH_CLOSED_;
    return zed_batch_execute_(b);
}

bool zed_batch_end_(zed_batch *b, const char *file, int line)
{
    return zed_batch_is_(b, ZED_BATCH_OPEN_, "zed_batch_end", file, line) && zed_batch_start_(b, file, line) &&
           zed_batch_finish_(b);
}

bool zed_batch_run_(zed_batch *b, const char *file, int line)
{
    return zed_batch_is_(b, ZED_BATCH_CLOSED_, "zed_batch_run", file, line) && zed_batch_execute_(b) &&
           zed_batch_finish_(b);
}

bool zed_batch_wait_(zed_batch *b, const char *file, int line)
{
    return zed_batch_is_(b, ZED_BATCH_CLOSED_, "zed_batch_wait", file, line) && zed_batch_finish_(b);
}

/* times.c - device time of the launches of a batch. */

double zed_batch_ns_(zed_batch *b, int launch, const char *file, int line)
{
    double ns = -1;
    if (!zed_batch_is_(b, ZED_BATCH_CLOSED_, "zed_batch_ns", file, line)) return -1;
    zed_recording_ *r = b->recording_;
    const zed_step_ *s = zed_launch_of_(r, launch);
    if (!r->timed || !s) {
        zed_fail_(b->device, ZED_BATCH_LAUNCH, "zed_batch_ns of launch %d: the batch has %d, %stimed", launch,
                  r->launches, r->timed ? "" : "un");
        return -1;
    }
    return zed_batch_finish_(b) && zed_step_ns_(r, s, &ns) ? ns : -1;
}

/* A kernel's launches in a batch, for the table of times. */
typedef struct zed_time_ {
    const char *name;
    int launches;
    double ns;
} zed_time_;

XE_FN_ int zed_longer_first_(const void *a, const void *b)
{
    double x = ((const zed_time_ *)a)->ns, y = ((const zed_time_ *)b)->ns;
    return (x < y) - (x > y);
}

bool zed_batch_print_times_(zed_batch *b, FILE *f, const char *file, int line)
{
    double all = 0;
    size_t rows = 0;
    if (!zed_batch_is_(b, ZED_BATCH_CLOSED_, "zed_batch_print_times", file, line)) return false;
    zed_recording_ *r = b->recording_;
    if (!r->timed) return zed_fail_(b->device, ZED_BATCH_LAUNCH, "zed_batch_print_times: the batch is untimed");
    zed_time_ *times = (zed_time_ *)calloc(r->kernel_count + 1, sizeof *times);
    if (!times) return zed_fail_(b->device, ZED_OUT_OF_MEMORY, "no room for %zu rows", r->kernel_count);
    if (!zed_batch_finish_(b)) return free(times), false;
    for (size_t i = 0; i < r->count; i++) {
        const zed_step_ *s = &r->steps[i];
        size_t row = 0;
        double ns;
        if (s->kind != ZED_STEP_LAUNCH_) continue;
        if (!zed_step_ns_(r, s, &ns)) break;
        const char *name = r->kernels[s->kernel].name;
        while (row < rows && strcmp(times[row].name, name) != 0) row++;
        if (row == rows) times[rows++].name = name;
        times[row].launches++;
        times[row].ns += ns;
        all += ns;
    }
    qsort(times, rows, sizeof *times, zed_longer_first_);
    for (size_t i = 0; i < rows && !b->device->error.id; i++) {
        long long hundredths = (long long)(times[i].ns / 10 + 0.5);
        long long share = (long long)(1000 * times[i].ns / (all > 0 ? all : 1) + 0.5);
        fprintf(f, "%-32s %6d x %10lld.%02lld us %4lld.%lld %%\n", times[i].name, times[i].launches, hundredths / 100,
                hundredths % 100, share / 10, share % 10);
    }
    free(times);
    return !b->device->error.id;
}

/* launch.c - launches. */

/* Can the kernel be appended to the batch? */
XE_FN_ bool zed_batch_takes_(zed_batch *b, const zed_kernel *k, const char *file, int line)
{
    zed_device *d = k->device;
    if (!b || !b->device) return zed_fail_(d, ZED_BATCH_STATE, "kernel %s: the batch is not begun", k->name);
    if (!zed_batch_is_(b, ZED_BATCH_OPEN_, "zed_batch_launch", file, line)) return false;
    if (b->device->context == d->context) return true;
    return zed_fail_(d, ZED_OTHER_DEVICE, "kernel %s is of \"%s\" (%p), the batch of \"%s\" (%p)", k->name, d->name,
                     (void *)d, b->device->name, (void *)b->device);
}

bool zed_launch_(zed_kernel *k, zed_batch *b, int how, double *ns, const char *file, int line, zed_groups groups,
                 const zed_arg *args, uint32_t count)
{
    if (!zed_kernel_usable_(k, file, line)) return false;
    zed_device *d = k->device;
    zed_bound_ bound[ZED_MAX_ARGS];
    if (how == ZED_RUN_BATCH_ && !zed_batch_takes_(b, k, file, line)) return false;
    if (!zed_launch_ok_(k, groups, args, count, bound)) return false;
    if (how == ZED_RUN_BATCH_) {
        zed_at_(b->device, file, line);
        if (!zed_step_launch_(b->recording_, k, groups, bound)) return false;
        b->launches++;
        return true;
    }
    if (!zed_set_arguments_(k, bound)) return false;
    if (how == ZED_RUN_START_) {
        bool after = d->pending_;
        if (!zed_follow_batches_(d)) return false;
        d->pending_ = true;
        return zed_append_(k, d->list, after, NULL, groups);
    }
    return zed_await_all_(d) && zed_append_(k, d->list, false, d->event, groups) && zed_await_event_(d, k->name, ns);
}

double zed_launch_timed_(zed_kernel *k, const char *file, int line, zed_groups groups, const zed_arg *args,
                         uint32_t count)
{
    double ns = 0;
    return zed_launch_(k, NULL, ZED_RUN_WAIT_, &ns, file, line, groups, args, count) ? ns : -1.0;
}

XETILE_AS_BEFORE_
#endif /* ZE_DISPATCH_BODIES_ */

#ifndef ZE_DISPATCH_MACROS_
#define ZE_DISPATCH_MACROS_
#if defined(__INCLUDE_LEVEL__) && __INCLUDE_LEVEL__ > 0
#pragma GCC system_header
#endif

/* ---- macros of launches: errors are reported at the user's line -------------------------------------------------- */

/* ---- launching with C values as arguments ---------------------------------------------------------------------- */

/* C number types, the function that makes a zed_arg, and the kind of pointers to the type: X(type, how, kind). */
#define ZED_TYPES_(X)                                                                                                  \
    X(char, int, 'c') X(signed char, int, 'i') X(short, int, 'i') X(int, int, 'i') X(long, int, 'i')                   \
    X(long long, int, 'i') X(unsigned char, uint, 'u') X(unsigned short, uint, 'u') X(unsigned, uint, 'u')             \
    X(unsigned long, uint, 'u') X(unsigned long long, uint, 'u') X(float, float, 'f') X(double, double, 'f')

#if !defined(__cplusplus)

#if defined(__FLT16_MANT_DIG__) && (!defined(__clang__) || __clang_major__ >= 15)
__extension__ typedef _Float16 zed_float16_;
#define ZED_C_TYPES_(X) ZED_TYPES_(X) X(zed_float16_, float, 'f')
#else
#define ZED_C_TYPES_(X) ZED_TYPES_(X)
#endif

/* A zed_arg of any integer, float, double, pointer or zed_local. */
#define ZED_ARG(x)                                                                                                     \
    zed_arg_text_(_Generic((x), ZED_C_TYPES_(ZED_MAKE_) bool: zed_arg_uint_, zed_local: zed_arg_local_,                \
                  zed_arg: zed_arg_same_, default: zed_arg_pointer_)((x), ZED_CODE_OF_(x)), #x)
#define ZED_CODE_OF_(x) _Generic((x), ZED_C_TYPES_(ZED_CODE_X_) bool: 1, default: 'v' << 8)
#define ZED_MAKE_(type, how, kind) type: zed_arg_##how##_,
#define ZED_CODE_X_(type, how, kind)                                                                                   \
    type: (int)sizeof(type), type *: ZED_CODE_(kind, type), const type *: ZED_CODE_(kind, type),

/* The initialisers of a list of 0 to 32 arguments plus a terminator, so that no list is empty: groups of four, then a
 * last one of 1 to 4. ZED_FOURS_OF_ counts both. */
#define ZED_LAST_1_(end) {0}
#define ZED_LAST_2_(a, end) ZED_ARG(a), {0}
#define ZED_LAST_3_(a, b, end) ZED_ARG(a), ZED_ARG(b), {0}
#define ZED_LAST_4_(a, b, c, end) ZED_ARG(a), ZED_ARG(b), ZED_ARG(c), {0}
#define ZED_FOUR_(a, b, c, d) ZED_ARG(a), ZED_ARG(b), ZED_ARG(c), ZED_ARG(d)
#define ZED_FOURS_0_(last, ...) last(__VA_ARGS__)
#define ZED_FOURS_1_(last, a, b, c, d, ...) ZED_FOUR_(a, b, c, d), ZED_FOURS_0_(last, __VA_ARGS__)
#define ZED_FOURS_2_(last, a, b, c, d, ...) ZED_FOUR_(a, b, c, d), ZED_FOURS_1_(last, __VA_ARGS__)
#define ZED_FOURS_3_(last, a, b, c, d, ...) ZED_FOUR_(a, b, c, d), ZED_FOURS_2_(last, __VA_ARGS__)
#define ZED_FOURS_4_(last, a, b, c, d, ...) ZED_FOUR_(a, b, c, d), ZED_FOURS_3_(last, __VA_ARGS__)
#define ZED_FOURS_5_(last, a, b, c, d, ...) ZED_FOUR_(a, b, c, d), ZED_FOURS_4_(last, __VA_ARGS__)
#define ZED_FOURS_6_(last, a, b, c, d, ...) ZED_FOUR_(a, b, c, d), ZED_FOURS_5_(last, __VA_ARGS__)
#define ZED_FOURS_7_(last, a, b, c, d, ...) ZED_FOUR_(a, b, c, d), ZED_FOURS_6_(last, __VA_ARGS__)
#define ZED_FOURS_8_(last, a, b, c, d, ...) ZED_FOUR_(a, b, c, d), ZED_FOURS_7_(last, __VA_ARGS__)
#define ZED_FOURS_OF_(...)                                                                                             \
    ZED_COUNT_X_(__VA_ARGS__, ~, ~, ~, ~, ~, ~, ~, (8, 1), (7, 4), (7, 3), (7, 2), (7, 1), (6, 4), (6, 3), (6, 2),     \
                 (6, 1), (5, 4), (5, 3), (5, 2), (5, 1), (4, 4), (4, 3), (4, 2), (4, 1), (3, 4), (3, 3), (3, 2),       \
                 (3, 1), (2, 4), (2, 3), (2, 2), (2, 1), (1, 4), (1, 3), (1, 2), (1, 1), (0, 4), (0, 3), (0, 2),       \
                 (0, 1), ~)
#define ZED_COUNT_X_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21,   \
                     a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40,    \
                     n, ...) n

#define ZED_JOIN_(a, b, c) ZED_JOIN_X_(a, b, c)
#define ZED_JOIN_X_(a, b, c) a##b##c
/* 1 if x begins with parentheses and goes on behind them, like a literal (zed_groups){x, y, z}, which is three
 * arguments to a macro. Of ((zed_groups){x, y, z}), nothing is left behind the parentheses. */
#define ZED_IS_LITERAL_(x, ...) ZED_FOURTH_(ZED_CUT_ x(), 1, ~, 0, ~)
#define ZED_CUT_(...) ~, ~, ZED_LEFT_
#define ZED_LEFT_() ~, 0
#define ZED_FOURTH_(...) ZED_FOURTH_X_(__VA_ARGS__)
#define ZED_FOURTH_X_(a, b, c, d, ...) d

/* groups and arguments -> groups, array, count */
#define ZED_PACK_(...) ZED_JOIN_(ZED_PACK_, ZED_IS_LITERAL_(__VA_ARGS__, ~), _)(__VA_ARGS__, end)
#define ZED_PACK_0_(g, ...) g, ZED_ARRAY_(ZED_FOURS_OF_(__VA_ARGS__), __VA_ARGS__)
#define ZED_PACK_1_(x, y, z, ...) x, y, z, ZED_ARRAY_(ZED_FOURS_OF_(__VA_ARGS__), __VA_ARGS__)
#define ZED_FOURS_(fours, rest) fours
#define ZED_REST_(fours, rest) rest
#define ZED_ARRAY_(n, ...) ZED_ARRAY_X_(ZED_FOURS_ n, ZED_REST_ n, __VA_ARGS__)
#define ZED_ARRAY_X_(fours, rest, ...)                                                                                 \
    (zed_arg[]){ZED_JOIN_(ZED_FOURS_, fours, _)(ZED_JOIN_(ZED_LAST_, rest, _), __VA_ARGS__)}, 4 * fours + rest - 1
#define zed_launch(kernel, ...)                                                                                        \
    zed_launch_((kernel), NULL, ZED_RUN_WAIT_, NULL, __FILE__, __LINE__, ZED_PACK_(__VA_ARGS__)) /* bool */
#define zed_launch_timed(kernel, ...)                                                                                  \
    zed_launch_timed_((kernel), __FILE__, __LINE__, ZED_PACK_(__VA_ARGS__)) /* double, ns */
#define zed_start(kernel, ...)                                                                                         \
    zed_launch_((kernel), NULL, ZED_RUN_START_, NULL, __FILE__, __LINE__, ZED_PACK_(__VA_ARGS__)) /* bool */
#define zed_batch_launch(batch, kernel, ...)                                                                           \
    zed_launch_((kernel), (batch), ZED_RUN_BATCH_, NULL, __FILE__, __LINE__, ZED_PACK_(__VA_ARGS__)) /* bool */
#define zed_batch_change(batch, launch, ...)                                                                           \
    zed_batch_change_((batch), (launch), __FILE__, __LINE__, ZED_PACK_(__VA_ARGS__)) /* bool */

#else /* C++: overloads and one template instead of _Generic */

#define ZED_X_(type, how, kind)                                                                                        \
    inline zed_arg zed_arg_of_(type v) { return zed_arg_##how##_(v, (int)sizeof v); }                                  \
    inline zed_arg zed_arg_of_(const type *p) { return zed_arg_pointer_(p, ZED_CODE_(kind, type)); }
ZED_TYPES_(ZED_X_)
#undef ZED_X_
inline zed_arg zed_arg_of_(bool v) { return zed_arg_uint_(v, 1); }
inline zed_arg zed_arg_of_(const volatile void *p) { return zed_arg_ptr(p); }
inline zed_arg zed_arg_of_(decltype(nullptr)) { return zed_arg_ptr(NULL); }
inline zed_arg zed_arg_of_(zed_local v) { return zed_arg_local_(v, 0); }
inline zed_arg zed_arg_of_(zed_arg a) { return a; }

#define ZED_ARG(x) zed_arg_text_(zed_arg_of_(x), #x)

/* The arguments as an array that lives as long as the call. Where one cannot be an argument, there is no such function:
 * compilers say so at the user's line. */
template <class... T>
inline auto zed_launch_cpp_(zed_kernel *k, zed_batch *b, int how, double *ns, const char *file, int line,
                            zed_groups groups, T... args) -> decltype(((void)zed_arg_of_(args), ...), true)
{
    zed_arg list[sizeof...(args) + 1] = {zed_arg_of_(args)..., zed_arg_ptr(NULL)};
    return zed_launch_(k, b, how, ns, file, line, groups, list, (uint32_t)sizeof...(args));
}

template <class... T>
inline auto zed_launch_timed_cpp_(zed_kernel *k, const char *file, int line, zed_groups groups, T... args)
    -> decltype(((void)zed_arg_of_(args), ...), 1.0)
{
    double ns = 0;
    return zed_launch_cpp_(k, NULL, ZED_RUN_WAIT_, &ns, file, line, groups, args...) ? ns : -1.0;
}

template <class... T>
inline auto zed_batch_change_cpp_(zed_batch *b, int launch, const char *file, int line, zed_groups groups, T... args)
    -> decltype(((void)zed_arg_of_(args), ...), true)
{
    zed_arg list[sizeof...(args) + 1] = {zed_arg_of_(args)..., zed_arg_ptr(NULL)};
    return zed_batch_change_(b, launch, file, line, groups, list, (uint32_t)sizeof...(args));
}

#define zed_launch(kernel, ...) zed_launch_cpp_((kernel), NULL, ZED_RUN_WAIT_, NULL, __FILE__, __LINE__, __VA_ARGS__)
#define zed_launch_timed(kernel, ...) zed_launch_timed_cpp_((kernel), __FILE__, __LINE__, __VA_ARGS__)
#define zed_start(kernel, ...) zed_launch_cpp_((kernel), NULL, ZED_RUN_START_, NULL, __FILE__, __LINE__, __VA_ARGS__)
#define zed_batch_launch(batch, kernel, ...)                                                                           \
    zed_launch_cpp_((kernel), (batch), ZED_RUN_BATCH_, NULL, __FILE__, __LINE__, __VA_ARGS__)
#define zed_batch_change(batch, launch, ...)                                                                           \
    zed_batch_change_cpp_((batch), (launch), __FILE__, __LINE__, __VA_ARGS__)

#endif

#endif /* ZE_DISPATCH_MACROS_ */

#if defined(__GNUC__)
ZED_LETTERS_(XETILE_POP_)
#endif
