/* cpp.h - the macros of kernels in C++20, which has no compound literals and no _Generic: overloads and templates
 * instead, with the same names and the same modules. Options are given in the order of their declaration.
 */
#if __cplusplus >= 202002L

/* ---- overloads for _Generic */
inline spe_cpp_operand<xt_any_, true> xt_any_cpp_(const xt_vec &v) { return {xt_any_vec_(v)}; }
template <class T> requires(!spe_cpp_is_number<T>)
spe_cpp_operand<xt_any_, false> xt_any_cpp_(const T &) = delete; /* neither a number nor a vector */
template <class T> requires(spe_cpp_is_number<T>) spe_cpp_operand<xt_any_, false> xt_any_cpp_(const T &x)
{
    return {xt_any_val_(spe_cpp_number_of(x))};
}
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
#undef XT_ANY_
#define XT_ANY_(x) xt_any_cpp_(x)
#undef XT_BY_
#define XT_BY_(name, a, b, c) spe_cpp_choose(xt_##name##_vec_, xt_##name##_scalar_)
#undef XT_TABLE_OF_
#define XT_TABLE_OF_(v) xt_table_of_cpp_(v)

/* ---- compound literals */
#undef XT_KERNEL
#define XT_KERNEL(name_, ...) SPE_KERNEL(xt, XT, name_, __VA_ARGS__)
#undef XT_HERE_
#define XT_HERE_ (xt_where_{xt_context_, SPE_CPP_LINE})
#undef XT_OPERANDS_
#define XT_OPERANDS_(...) (spe_cpp_operands{__VA_ARGS__})
#undef XT_NUMBERS_
#define XT_NUMBERS_(...) spe_cpp_listed<xt_val>({__VA_ARGS__})
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
    xt_splat_(XT_HERE_, XT_ID_(T), XT_NUMBER(SPE_FIRST(__VA_ARGS__, 0)),                                               \
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
#undef XT_TILE_MMA_SCALED
#define XT_TILE_MMA_SCALED(left_, scale_left_, right_, scale_right_, ...)                                              \
    xt_tile_mma_scaled_(XT_HERE_, xt_scaled_desc_{.mma = {.left = (left_), .right = (right_)},                         \
                                                  .scale_a = (scale_left_), .scale_b = (scale_right_),                 \
                                                  __VA_OPT__(.sum = __VA_ARGS__)})
#undef XT_QUANTIZE
#define XT_QUANTIZE(T, vec_, dim_, ...)                                                                                \
    xt_quantize_(XT_HERE_, XT_ID_(T), xt_quantize_desc_{.vec = (vec_), .dim = (dim_), __VA_ARGS__})
#undef XT_ATOMIC_RMW
#define XT_ATOMIC_RMW(kind_, vec_, tile_, ...)                                                                         \
    xt_atomic_rmw_(XT_HERE_, XT_RMW_##kind_##_,                                                                        \
                   xt_scattered_{.vec = (vec_), .access = {.tile = (tile_), __VA_OPT__(.mask = __VA_ARGS__)}})
#undef XT_LOAD_GATHER
#define XT_LOAD_GATHER(tile_, ...)                                                                                     \
    xt_load_gather_(XT_HERE_, xt_gather_desc_{.tile = (tile_), __VA_OPT__(.mask = __VA_ARGS__)})
#undef XT_STORE_SCATTER
#define XT_STORE_SCATTER(vec_, tile_, ...)                                                                             \
    xt_store_scatter_(XT_HERE_, xt_scattered_{.vec = (vec_), .access = {.tile = (tile_),                               \
                                                                        __VA_OPT__(.mask = __VA_ARGS__)}})
#undef XT_STORE_TILE
#define XT_STORE_TILE(vec_, tile_) xt_store_tile_(XT_HERE_, xt_scattered_{.vec = (vec_), .access = {.tile = (tile_)}})
#undef XT_UPDATE_1
#define XT_UPDATE_1(tile_, by_) xt_update_offsets_(XT_HERE_, xt_update_by_{.tile = (tile_), .by = XT_ANY_(by_)})
#undef XT_UPDATE_2
#define XT_UPDATE_2(tile_, rows_, cols_)                                                                               \
    xt_update_tile_offset_(XT_HERE_, xt_update_{.tile = (tile_), .by = {XT_NUMBER(rows_), XT_NUMBER(cols_)}})
#undef XT_EMIT_VEC
#define XT_EMIT_VEC(T, fn_, user_, ...) xt_emit_vec_(XT_HERE_, XT_ID_(T), fn_, user_, xt_vecs_{__VA_ARGS__}.all)
struct xt_vecs_ { xt_vec all[3]; };
#endif /* C++20 */
