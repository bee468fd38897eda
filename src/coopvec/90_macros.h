
/* ---- what the macros call ---------------------------------------------------------------------------------------- */

static inline cv_interpreted_vector cv_plain_input_(cv_vec v)
{
    cv_interpreted_vector in;
    in.vec = v;
    in.interpretation = v.type;
    return in;
}
static inline cv_interpreted_vector cv_same_input_(cv_interpreted_vector v) { return v; }

static inline cv_vec cv_mul_(cv_where_ w, int type, cv_matrix_ref a, cv_interpreted_vector in)
{
    return cv_mul(w, type, &a, &in);
}
static inline cv_vec cv_mul_add_(cv_where_ w, int type, cv_matrix_ref a, cv_interpreted_vector in, cv_vector_ref bias)
{
    return cv_mul_add(w, type, &a, &in, &bias);
}
static inline void cv_outer_product_(cv_where_ w, cv_vec v1, cv_vec v2, cv_matrix_ref c)
{
    cv_outer_product_accumulate(w, v1, v2, &c);
}
static inline void cv_vector_accumulate_(cv_where_ w, cv_vec v, cv_vector_ref r) { cv_vector_accumulate(w, v, &r); }

/* ---- macros (C only) --------------------------------------------------------------------------------------------- */

/* The types, as they are written in a kernel. of(x): the type of a number or vector, or of what a pointer points to. */
#define CV_TYPE_i16 CV_I16
#define CV_TYPE_u16 CV_U16
#define CV_TYPE_i32 CV_I32
#define CV_TYPE_u32 CV_U32
#define CV_TYPE_f16 CV_F16
#define CV_TYPE_f32 CV_F32
#define CV_TYPE_packed_s8x32 CV_PACKED_S8X32
#define CV_TYPE_packed_u8x32 CV_PACKED_U8X32
#define CV_TYPE_u8 CV_U8
#define CV_TYPE_i8 CV_I8
#define CV_TYPE_e4m3 CV_E4M3
#define CV_TYPE_e5m2 CV_E5M2
#define CV_TYPE_of(x) ((cv_type)(x).type)

/* A kernel's parameters: as C parameters, and as arguments. */
#define CV_DECLARE_(i, parameter) cv_val CM_NAME_OF_(parameter)
#define CV_ARGUMENT_(i, parameter) cv_->args[i]

/* A constant of type cv_kernel, and the head of the function that is its body. */
#define CV_KERNEL(name_, ...) CM_KERNEL_(cv, CV, name_, __VA_ARGS__)

/* CV_BUILD(kernel, &target, .option = value, ...) */
#define CV_BUILD(kernel_, ...)                                                                                         \
    cv_build(&(cv_build_desc){.kernel = &(kernel_), .file = __FILE__, .line = __LINE__, .target = __VA_ARGS__})

#define CV_CONTEXT CM_UNUSED_ cv_ctx *cv_
#define CV_SELF cv_
#define CV_HERE_ ((cv_where_){cv_, __FILE__, __LINE__})

#define CV_AT(x)                                                                                                       \
    _Generic((x), cv_val: cv_same_, float: cv_real_, double: cv_real_, unsigned long: cv_uint_,                        \
             unsigned long long: cv_uint_, default: cv_int_)(x)
#define CV_ANY_(x)                                                                                                     \
    _Generic((x), cv_val: cv_any_val_, cv_vec: cv_any_vec_, float: cv_any_real_, double: cv_any_real_,                 \
             unsigned long: cv_any_uint_, unsigned long long: cv_any_uint_, default: cv_any_int_)(x)

/* -- matrices and vectors in memory */
#define CV_MATRIX_REF(base_, T, m_, ...)                                                                               \
    cv_matrix_ref_(CV_HERE_,                                                                                           \
                   (cv_matrix_ref){.base = (base_), .interpretation = CV_TYPE_##T, .m = (m_), .k = __VA_ARGS__})
#define CV_VECTOR_REF(base_, ...)                                                                                      \
    cv_vector_ref_(CV_HERE_, (cv_vector_ref){.base = (base_),                                                          \
                                             .interpretation = CM_CAT_(CV_TYPE_, CM_FIRST_(__VA_ARGS__, 0)),           \
                                             CM_REST_(__VA_ARGS__, .end_ = 0)})
#define CV_INTERPRET(vec_, T) ((cv_interpreted_vector){(vec_), CV_TYPE_##T})
#define CV_INPUT_(x) _Generic((x), cv_vec: cv_plain_input_, cv_interpreted_vector: cv_same_input_)(x)

#define CV_MUL(T, matrix_, input_) cv_mul_(CV_HERE_, CV_TYPE_##T, matrix_, CV_INPUT_(input_))
#define CV_MUL_ADD(T, matrix_, input_, bias_) cv_mul_add_(CV_HERE_, CV_TYPE_##T, matrix_, CV_INPUT_(input_), bias_)
#define CV_OUTER_PRODUCT_ACCUMULATE(v1_, v2_, matrix_) cv_outer_product_(CV_HERE_, v1_, v2_, matrix_)
#define CV_VECTOR_ACCUMULATE(v_, ref_) cv_vector_accumulate_(CV_HERE_, v_, ref_)

/* -- vectors */
#define CV_LOAD(ptr_, n_, ...)                                                                                         \
    cv_load_(CV_HERE_, (cv_memory_){.ptr = (ptr_), .n = (n_), .index = CV_AT(CM_FIRST_(__VA_ARGS__, 0)),               \
                                    CM_REST_(__VA_ARGS__, .end_ = 0)})
#define CV_STORE(vec_, ptr_, ...)                                                                                      \
    cv_store_(CV_HERE_, vec_, (cv_memory_){.ptr = (ptr_), .index = CV_AT(CM_FIRST_(__VA_ARGS__, 0)),                   \
                                           CM_REST_(__VA_ARGS__, .end_ = 0)})
#define CV_SPLAT(T, n_, x) cv_splat_(CV_HERE_, CV_TYPE_##T, n_, CV_AT(x))
#define CV_NUMBER_I_(i, x) CV_AT(x)
#define CV_VEC(T, ...)                                                                                                 \
    cv_vec_of_(CV_HERE_, CV_TYPE_##T, CM_COUNT_(__VA_ARGS__),                                                          \
               (const cv_val[]){CM_EACH_(CV_NUMBER_I_, CM_COMMA_, __VA_ARGS__)})
#define CV_ELEMENT(vec_, i_) cv_element_(CV_HERE_, vec_, CV_AT(i_))
#define CV_SET_ELEMENT(vec_, i_, x) cv_set_element_(CV_HERE_, vec_, CV_AT(i_), CV_AT(x))
#define CV_CONCAT(a, b) cv_concat_(CV_HERE_, a, b)
#define CV_SLICE(vec_, first_, n_) cv_slice_(CV_HERE_, vec_, first_, n_)

/* -- arithmetic */
#define CV_BINARY_(op_, a, b)                                                                                          \
    _Generic((a), cv_vec: cv_binary_vec_, default: _Generic((b), cv_vec: cv_binary_vec_, default: cv_binary_scalar_))( \
        CV_HERE_, op_, CV_ANY_(a), CV_ANY_(b))
#define CV_ADD(a, b) CV_BINARY_(CV_OP_ADD_, a, b)
#define CV_SUB(a, b) CV_BINARY_(CV_OP_SUB_, a, b)
#define CV_TIMES(a, b) CV_BINARY_(CV_OP_MUL_, a, b)
#define CV_DIV(a, b) CV_BINARY_(CV_OP_DIV_, a, b)
#define CV_MIN(a, b) CV_BINARY_(CV_OP_MIN_, a, b)
#define CV_MAX(a, b) CV_BINARY_(CV_OP_MAX_, a, b)
#define CV_MOD(a, b) CV_BINARY_(CV_OP_MOD_, a, b)
#define CV_AND(a, b) CV_BINARY_(CV_OP_AND_, a, b)
#define CV_OR(a, b) CV_BINARY_(CV_OP_OR_, a, b)
#define CV_XOR(a, b) CV_BINARY_(CV_OP_XOR_, a, b)
#define CV_SHL(a, b) CV_BINARY_(CV_OP_SHL_, a, b)
#define CV_SHR(a, b) CV_BINARY_(CV_OP_SHR_, a, b)
#define CV_EQ(a, b) CV_BINARY_(CV_OP_EQ_, a, b)
#define CV_NE(a, b) CV_BINARY_(CV_OP_NE_, a, b)
#define CV_LT(a, b) CV_BINARY_(CV_OP_LT_, a, b)
#define CV_LE(a, b) CV_BINARY_(CV_OP_LE_, a, b)
#define CV_GT(a, b) CV_BINARY_(CV_OP_GT_, a, b)
#define CV_GE(a, b) CV_BINARY_(CV_OP_GE_, a, b)
#define CV_FMA(a, b, c) cv_fma_(CV_HERE_, CV_ANY_(a), b, CV_ANY_(c))
#define CV_CLAMP(vec_, low_, high_) cv_clamp_(CV_HERE_, vec_, CV_ANY_(low_), CV_ANY_(high_))
#define CV_CHOOSE_GT(a, b, c, d) cv_choose_(CV_HERE_, CV_OP_GT_, CV_ANY_(a), CV_ANY_(b), CV_ANY_(c), CV_ANY_(d))
#define CV_FUNCTION_(fn_, x)                                                                                           \
    _Generic((x), cv_vec: cv_function_vec_, default: cv_function_scalar_)(CV_HERE_, fn_, CV_ANY_(x))
#define CV_EXP(x) CV_FUNCTION_(CV_FN_EXP_, x)
#define CV_LOG(x) CV_FUNCTION_(CV_FN_LOG_, x)
#define CV_SQRT(x) CV_FUNCTION_(CV_FN_SQRT_, x)
#define CV_RSQRT(x) CV_FUNCTION_(CV_FN_RSQRT_, x)
#define CV_SIN(x) CV_FUNCTION_(CV_FN_SIN_, x)
#define CV_COS(x) CV_FUNCTION_(CV_FN_COS_, x)
#define CV_ABS(x) CV_FUNCTION_(CV_FN_ABS_, x)
#define CV_FLOOR(x) CV_FUNCTION_(CV_FN_FLOOR_, x)
#define CV_TANH(x) CV_FUNCTION_(CV_FN_TANH_, x)
#define CV_SIGMOID(x) CV_FUNCTION_(CV_FN_SIGMOID_, x)
#define CV_GELU(x) CV_FUNCTION_(CV_FN_GELU_, x)
#define CV_RELU(x) CV_MAX(x, 0.0)
#define CV_LEAKY_RELU(x, slope_) cv_leaky_relu_(CV_HERE_, x, CV_AT(slope_))
#define CV_CAST(T, x) _Generic((x), cv_vec: cv_cast_vec_, default: cv_cast_scalar_)(CV_HERE_, CV_TYPE_##T, CV_ANY_(x))
#define CV_SELECT(condition_, a, b) cv_select_(CV_HERE_, CV_AT(condition_), CV_AT(a), CV_AT(b))
#define CV_GROUP_ID() cv_builtin_(CV_HERE_, CV_GROUP_ID_)
#define CV_GROUP_COUNT() cv_builtin_(CV_HERE_, CV_GROUP_COUNT_)
#define CV_LOCAL_ID() cv_builtin_(CV_HERE_, CV_LOCAL_ID_)
#define CV_GLOBAL_ID() cv_builtin_(CV_HERE_, CV_GLOBAL_ID_)
#define CV_GLOBAL_SIZE() cv_builtin_(CV_HERE_, CV_GLOBAL_SIZE_)
#define CV_SUBGROUP_ID() cv_builtin_(CV_HERE_, CV_SUBGROUP_ID_)
#define CV_LANE_ID() cv_builtin_(CV_HERE_, CV_LANE_ID_)
#define CV_UNIFORM(x) cv_uniform_(CV_HERE_, CV_AT(x))
#define CV_BARRIER() cv_barrier_(CV_HERE_)

/* -- control flow */
#define CV_FOR(k, lo, hi, ...)                                                                                         \
    for (cv_loop_ k##_loop_ = cv_for_begin_(CV_HERE_, CV_AT(lo), CV_AT(hi), CV_AT(CM_FIRST_(__VA_ARGS__, 0)),          \
                                            CM_CARRIED_(__VA_ARGS__));                                                 \
         cv_for_next_(&k##_loop_);)                                                                                    \
        for (const cv_val k = k##_loop_.index, *k##_once_ = &k; k##_once_; k##_once_ = cv_for_done_(&k##_loop_))

#define CV_IF(...)                                                                                                     \
    for (cv_branch_ CM_CAT_(cv_if_, __LINE__) =                                                                        \
             cv_if_begin_(CV_HERE_, CV_AT(CM_FIRST_(__VA_ARGS__, 0)), CM_CARRIED_(__VA_ARGS__));                       \
         cv_if_next_(&CM_CAT_(cv_if_, __LINE__));)                                                                     \
        if (CM_CAT_(cv_if_, __LINE__).side == 0)
#define CV_ELSE else

/* -- on the host: appends conversions to a zed_batch, with the kernel of cv_conversion_module */
#define CV_CONVERT_MATRICES(batch_, kernel_, infos_, count_, error_)                                                   \
    for (cv_conversions_ cv_it_ = cv_conversions_begin_(infos_, count_, error_); cv_conversions_next_(&cv_it_);)       \
        zed_batch_launch(batch_, kernel_, (zed_groups){cv_it_.now.groups, 1, 1}, cv_it_.now.dest,                      \
                         (void *)(uintptr_t)cv_it_.now.src, cv_it_.now.slots, cv_it_.now.rows, cv_it_.now.cols,        \
                         cv_it_.now.dest_type, cv_it_.now.dest_layout, cv_it_.now.dest_stride, cv_it_.now.src_type,    \
                         cv_it_.now.src_layout, cv_it_.now.src_stride, cv_it_.now.dest_shift, cv_it_.now.src_shift)

#endif
