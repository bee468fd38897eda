/* launching.h - launches with C values as arguments: part of the faces of ze_dispatch.h and vk_dispatch.h. */
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
