/* cpp.h - the macros of kernels in C++20, which has no compound literals and no _Generic: overloads and lists instead,
 * with the same names and the same modules. Options are given in the order of their declaration.
 */
#if __cplusplus >= 202002L

/* ---- overloads for _Generic */
inline spe_cpp_operand<cv_any_, true> cv_any_cpp_(const cv_vec &v) { return {cv_any_vec_(v)}; }
template <class T> requires(!spe_cpp_is_number<T>)
spe_cpp_operand<cv_any_, false> cv_any_cpp_(const T &) = delete; /* neither a number nor a vector */
template <class T> requires(spe_cpp_is_number<T>) spe_cpp_operand<cv_any_, false> cv_any_cpp_(const T &x)
{
    return {cv_any_val_(spe_cpp_number_of(x))};
}
inline cv_interpreted_vector cv_input_cpp_(const cv_vec &v) { return cv_plain_input_(v); }
inline cv_interpreted_vector cv_input_cpp_(const cv_interpreted_vector &v) { return v; }

#undef CV_ANY_
#define CV_ANY_(x) cv_any_cpp_(x)
#undef CV_ANY_VEC_
#define CV_ANY_VEC_(v) (spe_cpp_operand<cv_any_, true>{cv_any_vec_(v)})
#undef CV_BY_
#define CV_BY_(name, a, b, c) spe_cpp_choose(cv_##name##_vec_, cv_##name##_scalar_)
#undef CV_INPUT_
#define CV_INPUT_(x) cv_input_cpp_(x)

/* ---- compound literals */
#undef CV_KERNEL
#define CV_KERNEL(name_, ...) SPE_KERNEL(cv, CV, name_, __VA_ARGS__)
#undef CV_HERE_
#define CV_HERE_ (cv_where_{cv_context_, SPE_CPP_LINE})
#undef CV_OPERANDS_
#define CV_OPERANDS_(...) (spe_cpp_operands{__VA_ARGS__})
#undef CV_NUMBERS_
#define CV_NUMBERS_(...) spe_cpp_listed<cv_val>({__VA_ARGS__})
#undef CV_VECTORS_
#define CV_VECTORS_(...) spe_cpp_listed<cv_vec>({__VA_ARGS__})
#undef CV_BUILD
#define CV_BUILD(kernel_, target_, ...)                                                                                \
    cv_build(&(const cv_build_desc &)cv_build_desc{.kernel = &(kernel_), .file = __FILE__, .line = __LINE__,           \
                                                   .target = (target_), __VA_ARGS__})
#undef CV_MATRIX_REF
#define CV_MATRIX_REF(base_, T, m_, k_, ...)                                                                           \
    cv_matrix_ref_(CV_HERE_, cv_matrix_ref{.base = (base_), .interpretation = (cv_type)CV_ID_(T), .rows = (m_),        \
                                           .cols = (k_), __VA_ARGS__})
#undef CV_VECTOR_REF
#define CV_VECTOR_REF(base_, T, ...)                                                                                   \
    cv_vector_ref_(CV_HERE_, cv_vector_ref{.base = (base_), .interpretation = (cv_type)CV_ID_(T), __VA_ARGS__})
#undef CV_INTERPRET
#define CV_INTERPRET(vec_, T) (cv_interpreted_vector{(vec_), CV_ID_(T)})
#undef CV_MUL_3
#define CV_MUL_3(T, matrix_, input_)                                                                                   \
    cv_multiply_(CV_HERE_, CV_ID_(T), cv_multiply_desc_{.matrix = (matrix_), .input = CV_INPUT_(input_)})
#undef CV_MUL_ADD
#define CV_MUL_ADD(T, matrix_, input_, bias_)                                                                          \
    cv_multiply_(CV_HERE_, CV_ID_(T),                                                                                  \
                 cv_multiply_desc_{.matrix = (matrix_), .input = CV_INPUT_(input_), .bias = (bias_)})
#undef CV_OUTER_PRODUCT_ACCUMULATE
#define CV_OUTER_PRODUCT_ACCUMULATE(v1_, v2_, matrix_)                                                                 \
    cv_accumulate_outer_(CV_HERE_, cv_outer_desc_{.vecs = {v1_, v2_}, .matrix = (matrix_)})
#undef CV_VECTOR_ACCUMULATE
#define CV_VECTOR_ACCUMULATE(v_, ref_) cv_accumulate_(CV_HERE_, cv_accumulate_desc_{.vec = (v_), .vector = (ref_)})
#undef CV_LOAD
#define CV_LOAD(ptr_, n_, index_, ...)                                                                                 \
    cv_load_(CV_HERE_, cv_memory_{.ptr = (ptr_), .count = (n_), .index = CV_AT(index_), __VA_ARGS__})
#undef CV_STORE
#define CV_STORE(vec_, ptr_, index_, ...)                                                                              \
    cv_store_(CV_HERE_, cv_memory_{.vec = (vec_), .ptr = (ptr_), .index = CV_AT(index_), __VA_ARGS__})
#undef CV_GROUPS_
#define CV_GROUPS_(n) (zed_groups{n, 1, 1})
#endif /* C++20 */
