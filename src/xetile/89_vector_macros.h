/* ---- macros of vectors (C only) ---------------------------------------------------------------------------------- */

#define XT_NO_ANY_ xt_any_int_(0)
#define XT_MATH1_(op_, a)                                                                                              \
    _Generic((a), xt_vec: xt_math_vec_, default: xt_math_scalar_)(XT_HERE_, op_, XT_ANY_(a), XT_NO_ANY_, XT_NO_ANY_)
#define XT_EXP(a) XT_MATH1_(XT_MATH_EXP_, a)
#define XT_EXP2(a) XT_MATH1_(XT_MATH_EXP2_, a)
#define XT_LOG(a) XT_MATH1_(XT_MATH_LOG_, a)
#define XT_LOG2(a) XT_MATH1_(XT_MATH_LOG2_, a)
#define XT_SQRT(a) XT_MATH1_(XT_MATH_SQRT_, a)
#define XT_RSQRT(a) XT_MATH1_(XT_MATH_RSQRT_, a)
#define XT_TANH(a) XT_MATH1_(XT_MATH_TANH_, a)
#define XT_SIN(a) XT_MATH1_(XT_MATH_SIN_, a)
#define XT_COS(a) XT_MATH1_(XT_MATH_COS_, a)
#define XT_ERF(a) XT_MATH1_(XT_MATH_ERF_, a)
#define XT_ABS(a) XT_MATH1_(XT_MATH_ABS_, a)
#define XT_CEIL(a) XT_MATH1_(XT_MATH_CEIL_, a)
#define XT_FLOOR(a) XT_MATH1_(XT_MATH_FLOOR_, a)
#define XT_ROUND(a) XT_MATH1_(XT_MATH_ROUND_, a)
#define XT_TRUNC(a) XT_MATH1_(XT_MATH_TRUNC_, a)
#define XT_POW(a, b)                                                                                                   \
    XT_OF_ANY_(a, b, b, xt_math_vec_, xt_math_scalar_)(XT_HERE_, XT_MATH_POW_, XT_ANY_(a), XT_ANY_(b), XT_NO_ANY_)
#define XT_FMA(a, b, c)                                                                                                \
    XT_OF_ANY_(a, b, c, xt_math_vec_, xt_math_scalar_)(XT_HERE_, XT_MATH_FMA_, XT_ANY_(a), XT_ANY_(b), XT_ANY_(c))
#define XT_NEG(a) XT_MUL(a, -1)
#define XT_NOT(a) XT_EQ(a, 0)

/* The function for vectors when one of three is a vector, else the one for numbers. */
#define XT_OF_ANY_(a, b, c, on_vec, on_val)                                                                            \
    _Generic((a), xt_vec: on_vec,                                                                                      \
             default: _Generic((b), xt_vec: on_vec, default: _Generic((c), xt_vec: on_vec, default: on_val)))

#define XT_SELECT(condition, a, b)                                                                                     \
    XT_OF_ANY_(condition, a, b, xt_select_vec_, xt_select_scalar_)                                                     \
    (XT_HERE_, XT_ANY_(condition), XT_ANY_(a), XT_ANY_(b))
#define XT_CAST(T, x)                                                                                                  \
    _Generic((x), xt_vec: xt_cast_vec_, default: xt_cast_scalar_)(XT_HERE_, (int)XT_TYPE_##T, XT_ANY_(x))
#define XT_BITCAST(T, x)                                                                                               \
    _Generic((x), xt_vec: xt_bitcast_vec_, default: xt_bitcast_scalar_)(XT_HERE_, (int)XT_TYPE_##T, XT_ANY_(x))
#define XT_IOTA(T, rows_, cols_, ...)                                                                                  \
    xt_iota_(XT_HERE_, (int)XT_TYPE_##T, CM_FIRST_(__VA_ARGS__, 0),                                                    \
             (xt_vec_desc_){.rows = (rows_), .cols = (cols_), CM_REST_(__VA_ARGS__, .end_ = 0)})

#define XT_RED_add XT_RED_ADD_
#define XT_RED_mul XT_RED_MUL_
#define XT_RED_minsi XT_RED_MINSI_
#define XT_RED_minui XT_RED_MINUI_
#define XT_RED_maxsi XT_RED_MAXSI_
#define XT_RED_maxui XT_RED_MAXUI_
#define XT_RED_and XT_RED_AND_
#define XT_RED_or XT_RED_OR_
#define XT_RED_xor XT_RED_XOR_
#define XT_RED_minnumf XT_RED_MINNUMF_
#define XT_RED_maxnumf XT_RED_MAXNUMF_
#define XT_RED_minimumf XT_RED_MINIMUMF_
#define XT_RED_maximumf XT_RED_MAXIMUMF_
#define XT_DIMS(first, second) (XT_DIMS_PAIR_ + (first) * 4 + (second))
#define XT_REDUCTION(kind, vec_, ...)                                                                                  \
    xt_reduction_(XT_HERE_, XT_RED_##kind, (xt_reduction_desc_){.v = (vec_), .dim = __VA_ARGS__})
#define XT_BROADCAST(vec_, dim_, ...)                                                                                  \
    xt_broadcast_(XT_HERE_, (xt_broadcast_desc_){.v = (vec_), .dim = (dim_), .size = __VA_ARGS__})
#define XT_TRANSPOSE(...) xt_transpose_(XT_HERE_, (xt_layout_desc_){.v = __VA_ARGS__})
#define XT_CONVERT_LAYOUT(...) xt_convert_layout_(XT_HERE_, (xt_layout_desc_){.v = __VA_ARGS__})
#define XT_SLICE(vec_, row_, col_, rows_, ...)                                                                         \
    xt_slice_(XT_HERE_,                                                                                                \
              (xt_slice_desc_){.v = (vec_), .row = (row_), .col = (col_), .rows = (rows_), .cols = __VA_ARGS__})
#define XT_TILE_PACK(...) xt_tile_pack_(XT_HERE_, (xt_pack_desc_){.v = __VA_ARGS__})
#define XT_TILE_UNPACK(...) xt_tile_unpack_(XT_HERE_, (xt_pack_desc_){.v = __VA_ARGS__})

/* The older text's names. */
#define XT_TILE_REDUCE(kind, vec_, ...)                                                                                \
    xt_reduction_(XT_HERE_, XT_RED_##kind, (xt_reduction_desc_){.v = (vec_), .dim = __VA_ARGS__})
#define XT_TILE_BROADCAST(...) XT_BROADCAST(__VA_ARGS__)
#define XT_TILE_TRANSPOSE(...) XT_TRANSPOSE(__VA_ARGS__)
#define XT_TILE_CONV_LAYOUT(...) XT_CONVERT_LAYOUT(__VA_ARGS__)
#define XT_TILE_CONVERT_LAYOUT(...) XT_CONVERT_LAYOUT(__VA_ARGS__)
#define XT_CONV_LAYOUT(...) XT_CONVERT_LAYOUT(__VA_ARGS__)

#define XT_BARRIER_ARRIVE(name_) xt_barrier_arrive_(XT_HERE_, name_)
#define XT_BARRIER_WAIT(name_) xt_barrier_wait_(XT_HERE_, name_)
#define XT_WHILE(...)                                                                                                  \
    for (xt_loop_ CM_CAT_(xt_while_, __LINE__) = xt_while_begin_(XT_HERE_, CM_CARRIED_(__VA_ARGS__));                  \
         xt_for_next_(&CM_CAT_(xt_while_, __LINE__));)                                                                 \
        for (xt_loop_ *CM_CAT_(xt_once_, __LINE__) = xt_while_test_(                                                   \
                 XT_HERE_, &CM_CAT_(xt_while_, __LINE__), XT_NUMBER_(CM_FIRST_(__VA_ARGS__, 0)));                      \
             CM_CAT_(xt_once_, __LINE__);                                                                              \
             CM_CAT_(xt_once_, __LINE__) = xt_while_done_(CM_CAT_(xt_once_, __LINE__)))

