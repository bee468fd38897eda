/* launching.h - written by join.sh from ze_dispatch/launching.h. */
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
