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
