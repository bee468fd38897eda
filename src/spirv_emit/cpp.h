/* cpp.h - what kernels in C++20 need (xetile/cpp.h, coopvec/cpp.h), which has no _Generic and no compound literals:
 * overloads and lists. Braces, like C's initialisers, are evaluated in order.
 */
#if __cplusplus >= 202002L
#include <initializer_list>
#include <type_traits>

/* Overloads that are deleted, not assertions: compilers name the line of the call. */
template <class T>
inline constexpr bool spe_cpp_is_number = std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, spe_val>;
inline spe_val spe_cpp_number_of(const spe_val &v) { return v; }
template <class T> requires(!spe_cpp_is_number<T>) spe_val spe_cpp_number_of(const T &) = delete; /* not a number */
template <class T> requires(spe_cpp_is_number<T>) spe_val spe_cpp_number_of(T x)
{
    if constexpr (std::is_same_v<T, float>) return spe_val_float(x);
    else if constexpr (std::is_floating_point_v<T>) return spe_val_real((double)x);
    else if constexpr (std::is_unsigned_v<T> && sizeof(T) > 4) return spe_val_uint(x);
    else return spe_val_int((long long)x);
}

/* A number or vector in a language's own union or structure, and which of them it is; several of these. */
template <class Any, bool is_vec> struct spe_cpp_operand {
    Any any;
    operator const Any &() const { return any; }
};
template <class Any, bool... is_vec> struct spe_cpp_operands {
    Any all[sizeof...(is_vec)];
    spe_cpp_operands(const spe_cpp_operand<Any, is_vec> &...one) : all{one.any...} {}
    operator const Any *() const { return all; }
};
template <class T> inline constexpr bool spe_cpp_has_vec = false;
template <class Any> inline constexpr bool spe_cpp_has_vec<spe_cpp_operand<Any, true>> = true;
template <class Any, bool... is_vec>
inline constexpr bool spe_cpp_has_vec<spe_cpp_operands<Any, is_vec...>> = (is_vec || ...);

/* Calls the function for vectors if any argument is or has one, else the one for numbers. */
template <class V, class S> struct spe_cpp_chosen {
    V *vec;
    S *scalar;
    template <class... A> auto operator()(const A &...a) const
    {
        if constexpr ((spe_cpp_has_vec<A> || ...)) return vec(a...);
        else return scalar(a...);
    }
};
template <class V, class S> constexpr spe_cpp_chosen<V, S> spe_cpp_choose(V *v, S *s) { return {v, s}; }

/* A list lives until the end of the full expression: the callee copies what it keeps. */
template <class T> T const *spe_cpp_listed(std::initializer_list<T> l) { return l.begin(); }

#undef SPE_NUMBER
#define SPE_NUMBER(x) spe_cpp_number_of(x)
#undef SPE_CARRIED
#define SPE_CARRIED(...) spe_cpp_listed<void *>({SPE_REST(__VA_ARGS__, nullptr)})
#undef SPE_FOR /* void * does not convert */
#define SPE_FOR(next_, k, begin)                                                                                       \
    for (spe_region k##_loop_ = begin; next_(&k##_loop_);)                                                             \
        for (const spe_val k = k##_loop_.index, *k##_once_ = &k; k##_once_;                                            \
             k##_once_ = (const spe_val *)spe_region_done(&k##_loop_))
#undef SPE_REGION_DONE_
#define SPE_REGION_DONE_(region) ((spe_region *)spe_region_done(region))
#define SPE_CPP_LINE [] { static const spe_line here_ = {__FILE__, __LINE__}; return &here_; }()
#endif
