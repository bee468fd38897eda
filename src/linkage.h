/* ---- how functions are declared ------------------------------------------------------------------------------------
 *
 * The same lines stand in every header of xetile that can be used alone; the first one included counts.
 *   nothing defined         include and go: the bodies are here, static, compiled fast and not optimised
 *   XETILE_DECLARATIONS     declarations only; one file of the program has the bodies, or libxetile
 *   XETILE_IMPLEMENTATION   in that one file, before the include: the bodies, for all files
 *   XETILE_OPTIMIZE         with the bodies here: optimise them as the rest of the file
 */
#ifndef XETILE_API
#if defined(__GNUC__)
#define XETILE_COLD_ __attribute__((__unused__, __cold__))
#define XETILE_UNUSED_ __attribute__((__unused__))
#define XETILE_WEAK_ __attribute__((__weak__)) /* so that bodies that stand twice give one message of the linker */
#else
#define XETILE_COLD_
#define XETILE_UNUSED_
#define XETILE_WEAK_
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
#define XETILE_API XETILE_EXTERN_ XETILE_WEAK_
#define XETILE_PRIVATE static XETILE_UNUSED_
#elif defined(XETILE_DECLARATIONS)
#define XETILE_API XETILE_EXTERN_
#define XETILE_PRIVATE static XETILE_UNUSED_
#elif defined(XETILE_OPTIMIZE)
#define XETILE_API static XETILE_UNUSED_
#define XETILE_PRIVATE static XETILE_UNUSED_
#else /* inline: what is not optimised, gcc compiles even where it is unused, unless it is inline */
#define XETILE_API static inline XETILE_COLD_
#define XETILE_PRIVATE static inline XETILE_COLD_
#endif
#define XE_FN_ XETILE_PRIVATE /* what is `static` in a source, in as many columns */
#endif
