/* ---- macros (C only) --------------------------------------------------------------------------------------------- */

/* The types, as they are written in a kernel. of(x): the element type of a pointer parameter, a tile or a vector. */
#define XT_TYPE_f64 CM_F64
#define XT_TYPE_f32 CM_F32
#define XT_TYPE_tf32 CM_TF32
#define XT_TYPE_f16 CM_F16
#define XT_TYPE_bf16 CM_BF16
#define XT_TYPE_e4m3 CM_E4M3
#define XT_TYPE_e5m2 CM_E5M2
#define XT_TYPE_i64 CM_I64
#define XT_TYPE_i32 CM_I32
#define XT_TYPE_i16 CM_I16
#define XT_TYPE_i8 CM_I8
#define XT_TYPE_u64 CM_U64
#define XT_TYPE_u32 CM_U32
#define XT_TYPE_u16 CM_U16
#define XT_TYPE_u8 CM_U8
#define XT_TYPE_i1 XT_BOOL_
#define XT_TYPE_of(x) ((int)(x).type)

/* A kernel's parameters: as C parameters, and as arguments. */
#define XT_DECLARE_(i, parameter) xt_val CM_NAME_OF_(parameter)
#define XT_ARGUMENT_(i, parameter) xt_->args[i]

/* A constant of type xt_kernel, and the head of the function that is its body. */
#define XT_KERNEL(name_, ...) CM_KERNEL_(xt, XT, name_, __VA_ARGS__)

/* XT_BUILD(kernel, &target, .option = value, ...) */
#define XT_BUILD(kernel_, ...)                                                                                         \
    xt_build(&(xt_build_desc){.kernel = &(kernel_), .file = __FILE__, .line = __LINE__, .target = __VA_ARGS__})

#define XT_CONTEXT CM_UNUSED_ xt_ctx *xt_
#define XT_SELF xt_
#define XT_HERE_ ((xt_where_){xt_, __FILE__, __LINE__})

#define XT_NUMBER_(x)                                                                                                  \
    _Generic((x), xt_val: xt_same_, float: xt_real_, double: xt_real_, unsigned long: xt_uint_,                        \
             unsigned long long: xt_uint_, default: xt_int_)(x)
#define XT_ANY_(x)                                                                                                     \
    _Generic((x), xt_val: xt_any_val_, xt_vec: xt_any_vec_, float: xt_any_real_, double: xt_any_real_,                 \
             unsigned long: xt_any_uint_, unsigned long long: xt_any_uint_, default: xt_any_int_)(x)

#define XT_TYPE(T) (1 + (int)XT_TYPE_##T) /* for .type options, where 0 is the default */
#define XT_MAP(...) ((xt_map){__VA_ARGS__})

/* One to four C integers or xt_vals. */
#define XT_AT(...) CM_CAT_(XT_AT_, CM_COUNT_(__VA_ARGS__))(__VA_ARGS__)
#define XT_AT_1(a) xt_at_(1, XT_NUMBER_(a), xt_int_(0), xt_int_(0), xt_int_(0))
#define XT_AT_2(a, b) xt_at_(2, XT_NUMBER_(a), XT_NUMBER_(b), xt_int_(0), xt_int_(0))
#define XT_AT_3(a, b, c) xt_at_(3, XT_NUMBER_(a), XT_NUMBER_(b), XT_NUMBER_(c), xt_int_(0))
#define XT_AT_4(a, b, c, d) xt_at_(4, XT_NUMBER_(a), XT_NUMBER_(b), XT_NUMBER_(c), XT_NUMBER_(d))

#define XT_BINARY_(op_, a, b)                                                                                          \
    _Generic((a), xt_vec: xt_binary_vec_, default: _Generic((b), xt_vec: xt_binary_vec_, default: xt_binary_scalar_))( \
        XT_HERE_, op_, XT_ANY_(a), XT_ANY_(b))
#define XT_ADD(a, b) XT_BINARY_(XT_OP_ADD_, a, b)
#define XT_SUB(a, b) XT_BINARY_(XT_OP_SUB_, a, b)
#define XT_MUL(a, b) XT_BINARY_(XT_OP_MUL_, a, b)
#define XT_DIV(a, b) XT_BINARY_(XT_OP_DIV_, a, b)
#define XT_MIN(a, b) XT_BINARY_(XT_OP_MIN_, a, b)
#define XT_MAX(a, b) XT_BINARY_(XT_OP_MAX_, a, b)
#define XT_MOD(a, b) XT_BINARY_(XT_OP_MOD_, a, b)
#define XT_AND(a, b) XT_BINARY_(XT_OP_AND_, a, b)
#define XT_OR(a, b) XT_BINARY_(XT_OP_OR_, a, b)
#define XT_XOR(a, b) XT_BINARY_(XT_OP_XOR_, a, b)
#define XT_SHL(a, b) XT_BINARY_(XT_OP_SHL_, a, b)
#define XT_SHR(a, b) XT_BINARY_(XT_OP_SHR_, a, b)
#define XT_EQ(a, b) XT_BINARY_(XT_OP_EQ_, a, b)
#define XT_NE(a, b) XT_BINARY_(XT_OP_NE_, a, b)
#define XT_LT(a, b) XT_BINARY_(XT_OP_LT_, a, b)
#define XT_LE(a, b) XT_BINARY_(XT_OP_LE_, a, b)
#define XT_GT(a, b) XT_BINARY_(XT_OP_GT_, a, b)
#define XT_GE(a, b) XT_BINARY_(XT_OP_GE_, a, b)
#define XT_VADD(a, b) XT_ADD(a, b)
#define XT_VSUB(a, b) XT_SUB(a, b)
#define XT_VMUL(a, b) XT_MUL(a, b)
#define XT_VDIV(a, b) XT_DIV(a, b)
#define XT_VMIN(a, b) XT_MIN(a, b)
#define XT_VMAX(a, b) XT_MAX(a, b)

#define XT_GROUP_ID(d) xt_builtin_(XT_HERE_, XT_GROUP_ID_, d)
#define XT_GROUP_COUNT(d) xt_builtin_(XT_HERE_, XT_GROUP_COUNT_, d)
#define XT_LOCAL_ID(d) xt_builtin_(XT_HERE_, XT_LOCAL_ID_, d)
#define XT_GLOBAL_ID(d) xt_builtin_(XT_HERE_, XT_GLOBAL_ID_, d)
#define XT_SUBGROUP_ID() xt_builtin_(XT_HERE_, XT_SUBGROUP_ID_, 0)
#define XT_LANE_ID() xt_builtin_(XT_HERE_, XT_LANE_ID_, 0)
#define XT_PARAM(name_) xt_param_by_name_(XT_HERE_, name_)

#define XT_INIT_TILE(base_, T, ...)                                                                                    \
    xt_init_tile_(XT_HERE_, (xt_tile_desc_){.base = (base_), .type = (int)XT_TYPE_##T, .rows = __VA_ARGS__})
#define XT_LOAD_TILE(...) xt_load_tile_(XT_HERE_, (xt_load_desc_){.tile = __VA_ARGS__})
#define XT_STORE_TILE(vec_, tile_) xt_store_tile_(XT_HERE_, vec_, tile_)
#define XT_PREFETCH_TILE(...) CM_CAT_(XT_PREFETCH_, CM_COUNT_(__VA_ARGS__))(__VA_ARGS__)
#define XT_PREFETCH_1(tile_) xt_prefetch_tile_(XT_HERE_, (xt_prefetch_desc_){.tile = (tile_), .locality = 3})
#define XT_PREFETCH_2(tile_, locality_) xt_prefetch_tile_(XT_HERE_, (xt_prefetch_desc_){.tile = (tile_), locality_})
#define XT_UPDATE_TILE_OFFSET(tile_, rows_, cols_)                                                                     \
    xt_update_tile_offset_(XT_HERE_, tile_, XT_NUMBER_(rows_), XT_NUMBER_(cols_))
#define XT_TILE_MMA(...) xt_tile_mma_(XT_HERE_, (xt_mma_desc_){.a = __VA_ARGS__})
#define XT_SPLAT(T, rows_, cols_, ...)                                                                                 \
    xt_splat_(XT_HERE_, (int)XT_TYPE_##T, XT_NUMBER_(CM_FIRST_(__VA_ARGS__, 0)),                                       \
              (xt_vec_desc_){.rows = (rows_), .cols = (cols_), CM_REST_(__VA_ARGS__, .end_ = 0)})
#define XT_ATOMIC_RMW(kind_, vec_, tile_) xt_atomic_rmw_(XT_HERE_, XT_RMW_##kind_##_, vec_, tile_)
#define XT_ATOMIC_RMW_TILE(kind_, vec_, tile_) XT_ATOMIC_RMW(kind_, vec_, tile_)
#define XT_LOAD_GATHER(...) xt_load_gather_(XT_HERE_, (xt_gather_desc_){.tile = __VA_ARGS__})
#define XT_STORE_SCATTER(vec_, ...) xt_store_scatter_(XT_HERE_, vec_, (xt_gather_desc_){.tile = __VA_ARGS__})
#define XT_LOCAL(T, elements_) xt_local_(XT_HERE_, (int)XT_TYPE_##T, elements_)
#define XT_BARRIER() xt_barrier_(XT_HERE_)

#define XT_FOR(k, lo, hi, ...)                                                                                         \
    for (xt_loop_ k##_loop_ = xt_for_begin_(XT_HERE_, XT_NUMBER_(lo), XT_NUMBER_(hi),                                  \
                                            XT_NUMBER_(CM_FIRST_(__VA_ARGS__, 0)), CM_CARRIED_(__VA_ARGS__));          \
         xt_for_next_(&k##_loop_);)                                                                                    \
        for (const xt_val k = k##_loop_.index, *k##_once_ = &k; k##_once_; k##_once_ = xt_for_done_(&k##_loop_))

#define XT_IF(...)                                                                                                     \
    for (xt_branch_ CM_CAT_(xt_if_, __LINE__) = xt_if_begin_(XT_HERE_, XT_NUMBER_(CM_FIRST_(__VA_ARGS__, 0)),          \
                                                             CM_CARRIED_(__VA_ARGS__));                                \
         xt_if_next_(&CM_CAT_(xt_if_, __LINE__));)                                                                     \
        if (CM_CAT_(xt_if_, __LINE__).side == 0)
#define XT_ELSE else

#endif
