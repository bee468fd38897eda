/* ---- how functions are declared ------------------------------------------------------------------------------------
 *
 * Three ways to use a header:
 *   include and go            nothing to define: the bodies are here, static, in each file that includes it
 *   XETILE_DECLARATIONS       declarations only: for all files of a program that has the bodies in one place. That is
 *   XETILE_IMPLEMENTATION     one of its files, which defines this and then includes all the headers that are in use,
 *                             or libxetile (-lxetile; `pkg-config xetile` knows)
 * XETILE_IMPLEMENTATION may also come later, when the declarations were there before: include the headers once more.
 * Two files that have it are an error of the linker that says so: the first symbol it names is there for this alone. It
 * names no other where one of the two has all functions weak, as it has unless they were declared before.
 *
 * Static bodies are compiled without optimisation but for a small core, on purpose: a program spends no time in them
 * worth mention, and its author waits for the compiler. gemm.c at -O2 takes, in user seconds of gcc 12 and of clang 14,
 * which need 2.0 for all of stb_image.h: optimised 4.4, 4.7; cold and noinline 3.6, 2.8; for size 3.8, 4.6; at -Og 1.9;
 * unoptimised 1.3, 1.2. In gcc the attribute optimize("O0") costs more than twice what the pragma does. A program that
 * converts large matrices on the host may want XETILE_OPTIMIZE: the bodies are then compiled as the rest of the file.
 * With XETILE_IMPLEMENTATION they always are.
 *
 * The same lines stand in every header that can be used alone; the first one included counts.
 */
#ifndef XETILE_API
#if defined(__GNUC__)
#define XETILE_UNUSED_ __attribute__((__unused__))
#define XETILE_WEAK_ __attribute__((__weak__))
#define XETILE_HIDDEN_ __attribute__((__visibility__("hidden")))
#else
#define XETILE_UNUSED_
#define XETILE_WEAK_
#define XETILE_HIDDEN_
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
#define XETILE_API XETILE_EXTERN_ XETILE_WEAK_
#define XETILE_PRIVATE static XETILE_UNUSED_
#elif defined(XETILE_DECLARATIONS)
#define XETILE_API XETILE_EXTERN_
#define XETILE_PRIVATE static XETILE_UNUSED_
#else
#define XETILE_STATIC_
#if defined(XETILE_OPTIMIZE) && defined(__OPTIMIZE__)
#define XETILE_API static XETILE_UNUSED_
#else /* inline: what is not optimised, gcc compiles even where it is unused, unless it is inline */
#define XETILE_API static inline XETILE_UNUSED_
#endif
#define XETILE_PRIVATE XETILE_API
#endif
#define XE_FN_ XETILE_PRIVATE /* what is `static` in a source, in as many columns */
#endif
