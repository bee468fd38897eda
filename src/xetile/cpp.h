/* cpp.h - the macros of kernels in C++20, which has no compound literals and no _Generic: overloads and templates
 * instead, with the same names and the same modules. Options are given in the order of their declaration.
 */
#if __cplusplus >= 202002L
#include <initializer_list>
#include <type_traits>

/* ---- overloads for _Generic */
inline spe_val xt_number_cpp_(const spe_val &v) { return v; }
template <class T> spe_val xt_number_cpp_(T x)
{
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>, "a C number or an xt_val is needed here");
    if constexpr (std::is_floating_point_v<T>) return spe_val_real((double)x);
    else if constexpr (std::is_unsigned_v<T> && sizeof(T) > 4) return spe_val_uint(x);
    else return spe_val_int((long long)x);
}
template <bool is_vec_> struct xt_known_any_ : xt_any_ {};
inline xt_known_any_<true> xt_any_cpp_(const xt_vec &v) { return {xt_any_vec_(v)}; }
inline xt_known_any_<false> xt_any_cpp_(const xt_val &v) { return {xt_any_val_(v)}; }
template <class T> xt_known_any_<false> xt_any_cpp_(T x)
{
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>, "a C number, an xt_val or an xt_vec is needed here");
    if constexpr (std::is_floating_point_v<T>) return {xt_any_real_((double)x)};
    else if constexpr (std::is_unsigned_v<T> && sizeof(T) > 4) return {xt_any_uint_(x)};
    else return {xt_any_int_((long long)x)};
}
template <class V, class S> struct xt_chosen_ {
    V *vec;
    S *scalar;
    template <class... A> auto operator()(const A &...a) const
    {
        if constexpr ((std::is_same_v<A, xt_known_any_<true>> || ...)) return vec(a...);
        else return scalar(a...);
    }
};
template <class V, class S> constexpr xt_chosen_<V, S> xt_choose_(V *v, S *s) { return {v, s}; }
template <class T> constexpr int xt_table_of_cpp_(const T *)
{
    if constexpr (std::is_same_v<T, double>) return CM_F64;
    else if constexpr (std::is_same_v<T, float>) return CM_F32;
    else if constexpr (std::is_same_v<T, int>) return CM_I32;
    else if constexpr (std::is_same_v<T, unsigned>) return CM_U32;
    else {
        static_assert(std::is_same_v<T, long long>, "a table of double, float, int, unsigned or long long");
        return CM_I64;
    }
}
/* A list lives until the end of the full expression, so the callee must copy it (it does). */
template <class T> T const *xt_listed_(std::initializer_list<T> l) { return l.begin(); }

#undef SPE_NUMBER
#define SPE_NUMBER(x) xt_number_cpp_(x)
#undef XT_ANY_
#define XT_ANY_(x) xt_any_cpp_(x)
#undef XT_BY_
#define XT_BY_(name, a, b, c) xt_choose_(xt_##name##_vec_, xt_##name##_scalar_)
#undef XT_TABLE_OF_
#define XT_TABLE_OF_(v) xt_table_of_cpp_(v)

/* ---- compound literals */
#undef XT_KERNEL
#define XT_KERNEL(name_, ...) SPE_KERNEL(xt, XT, name_, __VA_ARGS__)
#undef XT_HERE_
#define XT_HERE_ (xt_where_{xt_context_, [] { static const spe_place here_ = {__FILE__, __LINE__}; return &here_; }()})
#undef SPE_CARRIED
#define SPE_CARRIED(...) xt_listed_<void *>({SPE_REST(__VA_ARGS__, nullptr)})
#undef XT_AT
#define XT_AT(...) xt_at_(SPE_COUNT(__VA_ARGS__), xt_listed_<xt_val>({SPE_EACH(XT_AT_ONE_, SPE_COMMA, __VA_ARGS__)}))
#undef XT_MAP
#define XT_MAP(...) (xt_map{__VA_ARGS__})
#undef XT_BUILD
#define XT_BUILD(kernel_, target_, ...)                                                                                \
    xt_build(&(const xt_build_desc &)xt_build_desc{.kernel = &(kernel_), .file = __FILE__, .line = __LINE__,           \
                                                   .target = (target_), __VA_ARGS__})
#undef XT_DESC
#define XT_DESC(kernel_, target_, ...)                                                                                 \
    {.kernel = &(kernel_), .file = __FILE__, .line = __LINE__, .target = (target_), __VA_ARGS__}
#undef XT_CAST_2
#define XT_CAST_2(T, x, saturate_) XT_BY_(cast, x, 0, 0)(XT_HERE_, XT_ID_(T), XT_ANY_(x), xt_cast_desc_{saturate_})
#undef XT_IOTA
#define XT_IOTA(T, rows_, cols_, ...)                                                                                  \
    xt_iota_(XT_HERE_, XT_ID_(T), SPE_FIRST(__VA_ARGS__, 0),                                                           \
             xt_vec_desc_{.rows = (rows_), .cols = (cols_), SPE_REST(__VA_ARGS__, .end_ = 0)})
#undef XT_SPLAT
#define XT_SPLAT(T, rows_, cols_, ...)                                                                                 \
    xt_splat_(XT_HERE_, XT_ID_(T), XT_NUMBER_(SPE_FIRST(__VA_ARGS__, 0)),                                              \
              xt_vec_desc_{.rows = (rows_), .cols = (cols_), SPE_REST(__VA_ARGS__, .end_ = 0)})
#undef XT_TABLE
#define XT_TABLE(T, rows_, cols_, ...)                                                                                 \
    xt_table_(XT_HERE_, XT_ID_(T), XT_TABLE_OF_(SPE_FIRST(__VA_ARGS__, 0)), SPE_FIRST(__VA_ARGS__, 0),                 \
              xt_vec_desc_{.rows = (rows_), .cols = (cols_), SPE_REST(__VA_ARGS__, .end_ = 0)})
#undef XT_REDUCTION
#define XT_REDUCTION(kind, vec_, dim_, ...)                                                                            \
    xt_reduction_(XT_HERE_, XT_RED_##kind##_, xt_reduction_desc_{.vec = (vec_), .dim = (dim_), __VA_ARGS__})
#undef XT_BROADCAST
#define XT_BROADCAST(vec_, dim_, size_, ...)                                                                           \
    xt_broadcast_(XT_HERE_, xt_broadcast_desc_{.vec = (vec_), .dim = (dim_), .size = (size_), __VA_ARGS__})
#undef XT_TRANSPOSE
#define XT_TRANSPOSE(vec_, ...) xt_transpose_(XT_HERE_, xt_layout_desc_{.vec = (vec_), __VA_ARGS__})
#undef XT_CONVERT_LAYOUT
#define XT_CONVERT_LAYOUT(vec_, ...) xt_convert_layout_(XT_HERE_, xt_layout_desc_{.vec = (vec_), __VA_ARGS__})
#undef XT_SLICE
#define XT_SLICE(vec_, row_, col_, rows_, cols_, ...)                                                                  \
    xt_slice_(XT_HERE_, xt_slice_desc_{.vec = (vec_), .row = (row_), .col = (col_), .rows = (rows_), .cols = (cols_),  \
                                       __VA_ARGS__})
#undef XT_SHAPE_CAST
#define XT_SHAPE_CAST(vec_, rows_, cols_, ...)                                                                         \
    xt_shape_cast_(XT_HERE_, xt_slice_desc_{.vec = (vec_), .rows = (rows_), .cols = (cols_), __VA_ARGS__})
#undef XT_SCAN
#define XT_SCAN(kind, vec_, dim_, ...)                                                                                 \
    xt_scan_vec_(XT_HERE_, XT_RED_##kind##_, xt_scan_desc_{.vec = (vec_), .dim = (dim_), __VA_ARGS__})
#undef XT_ARGMAX
#define XT_ARGMAX(vec_, dim_, ...) xt_arg_(XT_HERE_, true, xt_arg_desc_{.vec = (vec_), .dim = (dim_), __VA_ARGS__})
#undef XT_TOP
#define XT_TOP(vec_, count_, ...) xt_top_(XT_HERE_, xt_top_desc_{.vec = (vec_), .count = (count_), __VA_ARGS__})
#undef XT_ARGMIN
#define XT_ARGMIN(vec_, dim_, ...) xt_arg_(XT_HERE_, false, xt_arg_desc_{.vec = (vec_), .dim = (dim_), __VA_ARGS__})
#undef XT_TILE_PACK
#define XT_TILE_PACK(vec_, ...) xt_tile_pack_(XT_HERE_, xt_pack_desc_{.vec = (vec_), __VA_ARGS__})
#undef XT_TILE_UNPACK
#define XT_TILE_UNPACK(vec_, ...) xt_tile_unpack_(XT_HERE_, xt_pack_desc_{.vec = (vec_), __VA_ARGS__})
#undef XT_INIT_TILE
#define XT_INIT_TILE(base_, T, rows_, cols_, ...)                                                                      \
    xt_init_tile_(XT_HERE_, xt_tile_desc_{.base = (base_), .type = (cm_type)XT_ID_(T), .rows = (rows_),                \
                                          .cols = (cols_), __VA_ARGS__})
#undef XT_LOAD_TILE
#define XT_LOAD_TILE(tile_, ...) xt_load_tile_(XT_HERE_, xt_load_desc_{.tile = (tile_), __VA_ARGS__})
#undef XT_PREFETCH_1
#define XT_PREFETCH_1(tile_) xt_prefetch_tile_(XT_HERE_, xt_prefetch_desc_{.tile = (tile_), .locality = 3})
#undef XT_PREFETCH_2
#define XT_PREFETCH_2(tile_, locality_) xt_prefetch_tile_(XT_HERE_, xt_prefetch_desc_{.tile = (tile_), locality_})
#undef XT_TILE_MMA /* (a, b), (a, b, sum), (a, b, sum, options...); not (a, b, options...) */
#define XT_TILE_MMA(left_, right_, ...)                                                                                \
    xt_tile_mma_(XT_HERE_, xt_mma_desc_{.left = (left_), .right = (right_), __VA_OPT__(.sum = __VA_ARGS__)})
#undef XT_ATOMIC_RMW
#define XT_ATOMIC_RMW(kind_, vec_, tile_, ...)                                                                         \
    xt_atomic_rmw_(XT_HERE_, XT_RMW_##kind_##_, vec_, xt_gather_desc_{.tile = (tile_), __VA_OPT__(.mask = __VA_ARGS__)})
#undef XT_LOAD_GATHER
#define XT_LOAD_GATHER(tile_, ...)                                                                                     \
    xt_load_gather_(XT_HERE_, xt_gather_desc_{.tile = (tile_), __VA_OPT__(.mask = __VA_ARGS__)})
#undef XT_STORE_SCATTER
#define XT_STORE_SCATTER(vec_, tile_, ...)                                                                             \
    xt_store_scatter_(XT_HERE_, vec_, xt_gather_desc_{.tile = (tile_), __VA_OPT__(.mask = __VA_ARGS__)})
#undef XT_EMIT_VEC
#define XT_EMIT_VEC(T, fn_, user_, ...) xt_emit_vec_(XT_HERE_, XT_ID_(T), fn_, user_, xt_vecs_{__VA_ARGS__}.v)
struct xt_vecs_ { xt_vec v[3]; };

/* ---- void * does not convert */
#undef SPE_FOR
#define SPE_FOR(k, begin)                                                                                              \
    for (spe_region k##_loop_ = begin; spe_region_next(&k##_loop_);)                                                   \
        for (const spe_val k = k##_loop_.index, *k##_once_ = &k; k##_once_;                                            \
             k##_once_ = (const spe_val *)spe_region_done(&k##_loop_))
#undef XT_WHILE
#define XT_WHILE(...)                                                                                                  \
    for (spe_region SPE_CAT(xt_while_, __LINE__) = xt_while_begin_(XT_HERE_, SPE_CARRIED(__VA_ARGS__));                \
         spe_region_next(&SPE_CAT(xt_while_, __LINE__));)                                                              \
        for (spe_region *SPE_CAT(xt_once_, __LINE__) = xt_while_test_(                                                 \
                 XT_HERE_, &SPE_CAT(xt_while_, __LINE__), XT_NUMBER_(SPE_FIRST(__VA_ARGS__, 0)));                      \
             SPE_CAT(xt_once_, __LINE__);                                                                              \
             SPE_CAT(xt_once_, __LINE__) = (spe_region *)spe_region_done(SPE_CAT(xt_once_, __LINE__)))
#endif /* C++20 */
