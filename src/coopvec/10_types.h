/* ---- errors ------------------------------------------------------------------------------------------------------ */

#define CV_ERRORS_(X)                                                                                                  \
    X(INPUT_INTERPRETATION, "not an interpretation of this input vector")                                              \
    X(MATRIX_INTERPRETATION, "not an interpretation of a matrix")                                                      \
    X(BIAS_INTERPRETATION, "not an interpretation of a bias vector")                                                   \
    X(OUTPUT_TYPE, "not a type of an output vector")                                                                   \
    X(LAYOUT, "no such matrix layout")                                                                                 \
    X(SHAPE, "a matrix has 1 to 65536 rows and columns")                                                               \
    X(TOO_LARGE, "a matrix has less than 2 GiB")                                                                       \
    X(SRC_STRIDE, "SrcStride is less than the length of a row (row-major) or column (column-major)")                   \
    X(SRC_STRIDE_MULTIPLE, "SrcStride is not a multiple of the element size")                                          \
    X(DEST_STRIDE, "DestStride is less than the length of a row (row-major) or column (column-major)")                 \
    X(DEST_STRIDE_MULTIPLE, "DestStride is not a multiple of 16")                                                      \
    X(SRC_TYPE, "SrcDataType is not a matrix interpretation")                                                          \
    X(DEST_TYPE, "DestDataType is not a matrix interpretation")                                                        \
    X(CONVERSION_TYPES, "types that differ must be f32 or f16 on one side, a lower-precision float on the other")      \
    X(DEST_LAYOUT, "e4m3 and e5m2 are converted to the optimal layouts only")                                          \
    X(SRC_SIZE, "SrcSize is less than the source matrix has")                                                          \
    X(DEST_SIZE, "DestSize is less than what the query of the destination returned")                                   \
    X(ADDRESS, "an address is missing")                                                                                \
    X(DEST_ALIGNMENT, "the destination's address is not a multiple of 128")                                            \
    X(SRC_ALIGNMENT, "the source's address is not a multiple of the element size")                                     \
    X(OVERLAP, "source and destination overlap")                                                                       \
    X(MATRIX_ALIGNMENT, "a matrix's base address and offset are multiples of 128")                                     \
    X(VECTOR_ALIGNMENT, "a vector's base address and offset are multiples of 64")                                      \
    X(ALLOCATION_SIZE, "the size of the allocation is not a multiple of 16")                                           \
    X(OUT_OF_BOUNDS, "it does not fit into the allocation")                                                            \
    X(STRIDE_NOT_ZERO, "the stride of an optimal layout must be zero")                                                 \
    X(STRIDE, "the stride is less than the length of a row (row-major) or column (column-major)")                      \
    X(STRIDE_MULTIPLE, "the stride is not a multiple of 16")                                                           \
    X(TRANSPOSE, "row-major and column-major matrices cannot be transposed")                                           \
    X(FP8_LAYOUT, "e4m3 and e5m2 matrices have optimal layouts only")                                                  \
    X(OUTER_PRODUCT_LAYOUT, "the layout of an outer product's matrix must be CV_OUTER_PRODUCT_OPTIMAL")                \
    X(INPUT_LENGTH, "the input vector's length does not go with the matrix")                                           \
    X(ACCUMULATE_TYPES, "no accumulation of this input type into this type")                                           \
    X(VECTOR_TYPE, "not a type of vectors: f16 f32 i16 u16 i32 u32")                                                   \
    X(VECTOR_LENGTH, "a vector has 1 to 1024 elements")                                                                \
    X(VECTORS_DIFFER, "vectors of different types or lengths")                                                         \
    X(ELEMENT, "the vector has no such element")                                                                       \
    X(OPERATION, "not an operation on this type")                                                                      \
    X(POINTER, "not a pointer parameter")                                                                              \
    X(INDEX, "not a 32-bit integer")                                                                                   \
    X(NUMBER_TYPE, "numbers of types that do not go together")                                                         \
    X(NUMBER_RANGE, "a constant that the type cannot hold")                                                            \
    X(UNSET, "a value that was never set")                                                                             \
    X(UNIFORM, "promised to be uniform, but it cannot be")                                                             \
    X(CONDITION, "not a condition")                                                                                    \
    X(LOOP_STEP, "a loop's step must be positive")                                                                     \
    X(CARRIED, "only cv_val and cv_vec can be carried")                                                                \
    X(CARRIED_TYPE, "a carried value changed its type or length")                                                      \
    X(UNCLOSED, "left open: its body was left by break, return or goto")                                               \
    X(PARAMETER_TEXT, "a parameter list that cannot be read")                                                          \
    X(TARGET, "no such target")                                                                                        \
    X(SUBGROUP_SIZE, "the target does not have this subgroup size")                                                    \
    X(GROUP_SIZE, "not a work-group size of the target")                                                               \
    X(MEMORY, "out of memory")

enum {
    CV_ERROR_FIRST_ = 2999,
#define CV_ROW_(name, text) CV_ERROR_##name,
    CV_ERRORS_(CV_ROW_)
#undef CV_ROW_
        CV_ERROR_END_
};

/* What an error id of this header means in general; "no error" for 0. */
static inline const char *cv_error_text(int id)
{
    static const char *const texts[] = {
#define CV_ROW_(name, text) text,
        CV_ERRORS_(CV_ROW_)
#undef CV_ROW_
    };
    if (id == 0) return "no error";
    return id > CV_ERROR_FIRST_ && id < CV_ERROR_END_ ? texts[id - CV_ERROR_FIRST_ - 1] : "not an error of coopvec.h";
}

/* The name of an error id, as in CV_ERROR_TRANSPOSE. */
static inline const char *cv_error_name(int id)
{
    static const char *const names[] = {
#define CV_ROW_(name, text) "CV_ERROR_" #name,
        CV_ERRORS_(CV_ROW_)
#undef CV_ROW_
    };
    return id > CV_ERROR_FIRST_ && id < CV_ERROR_END_ ? names[id - CV_ERROR_FIRST_ - 1] : "";
}

/* ---- component types --------------------------------------------------------------------------------------------- */

/* name, number (ComponentType and D3D12_LINEAR_ALGEBRA_DATATYPE), text, bits of one component, float, signed,
 * may be the type of a vector in a kernel, may interpret memory */
#define CV_TYPES_(X)                                                                                                   \
    X(I16, 2, "i16", 16, false, true, true, true)                                                                      \
    X(U16, 3, "u16", 16, false, false, true, true)                                                                     \
    X(I32, 4, "i32", 32, false, true, true, true)                                                                      \
    X(U32, 5, "u32", 32, false, false, true, true)                                                                     \
    X(F16, 8, "f16", 16, true, true, true, true)                                                                       \
    X(F32, 9, "f32", 32, true, true, true, true)                                                                       \
    X(PACKED_S8X32, 17, "packed_s8x32", 8, false, true, false, false)                                                  \
    X(PACKED_U8X32, 18, "packed_u8x32", 8, false, false, false, false)                                                 \
    X(U8, 19, "u8", 8, false, false, false, true)                                                                      \
    X(I8, 20, "i8", 8, false, true, false, true)                                                                       \
    X(E4M3, 21, "e4m3", 8, true, true, false, true)                                                                    \
    X(E5M2, 22, "e5m2", 8, true, true, false, true)

typedef enum {
    CV_NO_TYPE_ = -1, /* makes it a signed type everywhere: types are kept in ints too */
    CV_INVALID = 0,
#define CV_ROW_(name, number, text, bits, fp, sign, vector, memory) CV_##name = number,
    CV_TYPES_(CV_ROW_)
#undef CV_ROW_
} cv_type;

enum { CV_TYPE_COUNT_ = 12 };

typedef struct {
    cv_type type;
    const char *name;
    int bits; /* of one component; a packed one is a quarter of 32 bits */
    bool is_float, is_signed;
    bool vector; /* a type that vectors in a kernel have */
    bool memory; /* an interpretation of matrices and vectors in memory */
} cv_type_row;

/* Row i, 0 to 11, in the order of the numbers. */
static inline const cv_type_row *cv_type_at_(int i)
{
    static const cv_type_row rows[] = {
#define CV_ROW_(name, number, text, bits, fp, sign, vector, memory)                                                    \
    {CV_##name, text, bits, fp, sign, vector, memory},
        CV_TYPES_(CV_ROW_)
#undef CV_ROW_
    };
    return &rows[i];
}

/* What is known of a component type; NULL when there is none of this number. */
static inline const cv_type_row *cv_type_info(int type)
{
    int i;
    for (i = 0; i < CV_TYPE_COUNT_; i++)
        if ((int)cv_type_at_(i)->type == type) return cv_type_at_(i);
    return NULL;
}

/* f16, packed_s8x32 ... */
static inline const char *cv_type_name(int type)
{
    const cv_type_row *row = cv_type_info(type);
    return row ? row->name : "(no type)";
}

static inline bool cv_is_packed_(int type) { return type == CV_PACKED_S8X32 || type == CV_PACKED_U8X32; }
static inline bool cv_is_fp8_(int type) { return type == CV_E4M3 || type == CV_E5M2; }
static inline bool cv_is_vector_type_(int type) { return cv_type_info(type) && cv_type_info(type)->vector; }
static inline bool cv_is_memory_type_(int type) { return cv_type_info(type) && cv_type_info(type)->memory; }
static inline bool cv_is_float_(int type) { return cv_type_info(type) && cv_type_info(type)->is_float; }
static inline bool cv_is_signed_(int type) { return cv_type_info(type) && cv_type_info(type)->is_signed; }
static inline int cv_bytes_(int type) { return cv_type_info(type)->bits / 8; }

/* May a vector of this type be interpreted so? Packed: 32-bit unsigned only, everything else: 16 and 32 bits. */
static inline bool cv_interprets_(int input, int interpretation)
{
    if (!cv_is_vector_type_(input) || !cv_type_info(interpretation)) return false;
    return !cv_is_packed_(interpretation) || input == CV_U32;
}

typedef enum {
    CV_NO_LAYOUT_ = -1, /* as CV_NO_TYPE_ */
    CV_ROW_MAJOR = 0,
    CV_COLUMN_MAJOR = 1,
    CV_MUL_OPTIMAL = 2,
    CV_OUTER_PRODUCT_OPTIMAL = 3
} cv_layout;

static inline bool cv_is_optimal_(int layout) { return layout == CV_MUL_OPTIMAL || layout == CV_OUTER_PRODUCT_OPTIMAL; }
/* row-major, mul-optimal ... */
static inline const char *cv_layout_name(int layout)
{
    static const char *const names[] = {"row-major", "column-major", "mul-optimal", "outer-product-optimal"};
    return layout >= 0 && layout < 4 ? names[layout] : "(no layout)";
}
