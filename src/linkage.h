/* ---- how functions are declared ------------------------------------------------------------------------------------
 *
 * Three ways to use a header:
 *   include and go            nothing to define: the bodies are here, static, in each file that includes it
 *   XETILE_DECLARATIONS       declarations only: for all files of a program that has the bodies in one place. That is
 *   XETILE_IMPLEMENTATION     one of its files, which defines this and then includes all the headers that are in use,
 *                             or libxetile (-lxetile; `pkg-config xetile` knows)
 * XETILE_IMPLEMENTATION may also come later, when the declarations were there before: include the headers once more.
 * Two files that have it are an error of the linker that says so: the first symbol it names is there for this alone.
 *
 * Static bodies are not optimised, but for a core of them (by gcc at -Og): a program spends no time in them worth
 * mention, and its author waits for the compiler. One that converts large matrices on the host may want
 * XETILE_OPTIMIZE: they are then compiled as the rest of the file, as with XETILE_IMPLEMENTATION they always are.
 *
 * The same lines stand in spirv_emit.h and ze_dispatch.h; the first one included counts.
 */
#ifndef XETILE_API
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
#if defined(XETILE_SEPARATE_) /* src/ is compiled file by file */
#define XETILE_API XETILE_EXTERN_
#define XETILE_PRIVATE XETILE_EXTERN_
#elif defined(XETILE_IMPLEMENTATION)
#define XETILE_WEAKLY_
#define XETILE_API XETILE_EXTERN_ XETILE_ATTR_(__weak__)
#define XETILE_PRIVATE static XETILE_ATTR_(__unused__)
#elif defined(XETILE_DECLARATIONS)
#define XETILE_API XETILE_EXTERN_
#define XETILE_PRIVATE static XETILE_ATTR_(__unused__)
#else
#define XETILE_STATIC_
#if defined(XETILE_OPTIMIZE) && defined(__OPTIMIZE__)
#define XETILE_API static XETILE_ATTR_(__unused__)
#else /* inline: what is not optimised, gcc compiles even where it is unused, unless it is inline */
#define XETILE_API static inline XETILE_ATTR_(__unused__)
#endif
#define XETILE_PRIVATE XETILE_API
#endif
#define XE_FN_ XETILE_PRIVATE /* what is `static` in a source, in as many columns */
#if !defined(XETILE_STATIC_) || defined(XETILE_OPTIMIZE) || !defined(__OPTIMIZE__)
#define XETILE_HOT_
#define XETILE_COLD_
#define XETILE_AS_BEFORE_
#elif defined(__clang__)
#define XETILE_HOT_
#define XETILE_COLD_ _Pragma("clang optimize off")
#define XETILE_AS_BEFORE_ _Pragma("clang optimize on")
#else /* the pragma: the attribute optimize("O0") takes gcc more than twice as long */
#define XETILE_HOT_ _Pragma("GCC push_options") _Pragma("GCC optimize(\"Og\")")
#define XETILE_COLD_ _Pragma("GCC push_options") _Pragma("GCC optimize(\"O0\")")
#define XETILE_AS_BEFORE_ _Pragma("GCC pop_options")
#endif
#endif
