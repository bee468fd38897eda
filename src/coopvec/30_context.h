/* ==== Part 2: kernels ============================================================================================= */

/* ---- values ------------------------------------------------------------------------------------------------------ */

enum { CV_BOOL_ = 1 }; /* the type of conditions, beside the cv_type values */
enum { CV_VAL_MAGIC_ = 0x43765631, CV_VEC_MAGIC_ = 0x43765632, CV_VECTOR_MAX_ = 1024 };

typedef enum { CV_NONE_, CV_INT_, CV_REAL_, CV_SCALAR_, CV_POINTER_ } cv_kind_;

/* A number: a C constant (CV_INT_, CV_REAL_), a scalar of the kernel, or a pointer parameter. */
typedef struct {
    uint32_t magic;
    cv_kind_ kind;
    int type; /* cv_type or CV_BOOL_; of what a pointer points to */
    spe_id id;
    bool uniform; /* known to be the same for all work-items of a subgroup */
    int64_t i;
    double real;
} cv_val;

/* A work-item's vector, in SPIR-V vectors ("parts") of 8, the rest of 4, 2, 1. */
typedef struct {
    uint32_t magic;
    cv_type type;
    int n, parts;
    spe_id *part; /* in the module's arena */
} cv_vec;

typedef struct {
    bool is_vec;
    cv_val val;
    cv_vec vec;
} cv_any_;

/* A vector and how its elements are to be read (CV_INTERPRET). */
typedef struct {
    cv_vec vec;
    int interpretation;
} cv_interpreted_vector;

/* ---- one build --------------------------------------------------------------------------------------------------- */

typedef struct cv_ctx cv_ctx;

typedef struct {
    const char *name, *params, *file;
    int line;
    void (*body)(cv_ctx *);
} cv_kernel; /* what CV_KERNEL defines; params is text such as "ptr<f16> weights, u32 n" */

typedef cm_device cv_target;
typedef cm_module cv_module; /* what CV_BUILD gives */

typedef struct {
    const cv_kernel *kernel;
    const char *file; /* of the user, for errors of the build as a whole */
    int line;
    const cv_target *target;
    int local_size;    /* work-items a work-group; 0: four subgroups */
    int subgroup_size; /* 0: the row's */
    cm_lowering lowering;
    bool large_registers;
    uint32_t version;
    bool names, lines;
} cv_build_desc;

typedef struct {
    cv_ctx *x;
    const char *file;
    int line;
} cv_where_; /* the context and the user's line, given to every function by its macro */

/* A carried value of either kind: magic tells which. */
typedef struct {
    uint32_t magic;
    cv_val val;
    cv_vec vec;
} cv_thing_;

typedef struct {
    void *object; /* the user's variable */
    cv_thing_ start;
} cv_slot_;

typedef struct { /* of an open region */
    int slots;
    bool divergent;
    cv_slot_ *slot;
    spe_id *ids;
    int id_count;
} cv_frame_;

struct cv_ctx {
    spe_module m; /* first: see cm_build_begin_ */
    cm_target target;
    const cv_kernel *kernel;
    const cv_build_desc *desc;
    int S, local_size;
    bool dpas, block2d; /* the matrix instruction and 2D block messages may be used */
    bool full;          /* no subgroup has work-items switched off */
    int divergent;      /* open regions that work-items of a subgroup may enter or leave separately */
    cm_param_ params[CM_PARAMS_MAX_];
    int param_count;
    cv_val args[CM_PARAMS_MAX_];
    cm_regions_ regions;
    cv_frame_ frames[CM_REGIONS_MAX_]; /* one a region */
};

static inline cv_where_ cv_where_at_(cv_ctx *x, const char *file, int line)
{
    cv_where_ w;
    w.x = x;
    w.file = file;
    w.line = line;
    return w;
}

static inline const cm_errors_ *cv_errors_(void)
{
    static const cm_errors_ errors = {cv_error_name,
                                      cv_error_text,
                                      CV_ERROR_PARAMETER_TEXT,
                                      CV_ERROR_TARGET,
                                      CV_ERROR_SUBGROUP_SIZE,
                                      CV_ERROR_UNCLOSED,
                                      {CV_ERROR_MEMORY, "CV_ERROR_MEMORY", "out of memory", NULL, 0}};
    return &errors;
}

static inline cm_blame_ cv_blame_(cv_where_ w) { return cm_blame_of_(&w.x->m, cv_errors_(), w.file, w.line); }

/* Reports an error at the user's line to the module, which keeps the first. */
CM_PRINTF_(3, 4) static inline void cv_fail_(cv_where_ w, int id, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cm_vreport_(cv_blame_(w), id, format, args);
    va_end(args);
}

/* At the start of every operation: errors from here on are blamed on the user's line. False after an error. */
static inline bool cv_enter_(cv_where_ w)
{
    spe_at(&w.x->m, w.file, w.line);
    return spe_ok(&w.x->m);
}

static inline cv_val cv_number_(cv_kind_ kind, int type, int64_t i, double real)
{
    cv_val v;
    memset(&v, 0, sizeof v);
    v.magic = CV_VAL_MAGIC_;
    v.kind = kind;
    v.type = type;
    v.i = i;
    v.real = real;
    v.uniform = true;
    return v;
}

static inline cv_val cv_int_(long long i) { return cv_number_(CV_INT_, CV_I32, (int64_t)i, (double)i); }
static inline cv_val cv_uint_(unsigned long long u) { return cv_number_(CV_INT_, CV_I32, (int64_t)u, (double)u); }
static inline cv_val cv_real_(double d) { return cv_number_(CV_REAL_, CV_F32, 0, d); }
static inline cv_val cv_same_(cv_val v) { return v; }
static inline cv_val cv_nothing_(void) { return cv_number_(CV_NONE_, CV_I32, 0, 0); }

static inline cv_val cv_scalar_(int type, spe_id id, bool uniform)
{
    cv_val v = cv_number_(id ? CV_SCALAR_ : CV_NONE_, type, 0, 0);
    v.id = id;
    v.uniform = uniform;
    return v;
}

static inline cv_any_ cv_any_val_(cv_val v)
{
    cv_any_ a;
    memset(&a, 0, sizeof a);
    a.val = v;
    return a;
}

static inline cv_any_ cv_any_vec_(cv_vec v)
{
    cv_any_ a;
    memset(&a, 0, sizeof a);
    a.is_vec = true;
    a.vec = v;
    return a;
}

static inline cv_any_ cv_any_int_(long long i) { return cv_any_val_(cv_int_(i)); }
static inline cv_any_ cv_any_uint_(unsigned long long u) { return cv_any_val_(cv_uint_(u)); }
static inline cv_any_ cv_any_real_(double d) { return cv_any_val_(cv_real_(d)); }

static inline const char *cv_type_text_(int type) { return type == CV_BOOL_ ? "condition" : cv_type_name(type); }

/* The SPIR-V scalar that holds a type. FP8 is held as its bits. */
static inline spe_id cv_spe_type_(cv_ctx *x, int type)
{
    if (type == CV_BOOL_) return spe_bool(&x->m);
    if (type == CV_F16 || type == CV_F32) return spe_float(&x->m, (uint32_t)cv_type_info(type)->bits);
    return spe_int(&x->m, (uint32_t)cv_type_info(type)->bits);
}

/* What a value is, for error texts. */
static inline const char *cv_describe_(const cv_val *v, char *text, size_t size)
{
    if (v->magic != CV_VAL_MAGIC_ || v->kind == CV_NONE_)
        snprintf(text, size, "a value that was never set");
    else if (v->kind == CV_INT_)
        snprintf(text, size, "%lld", (long long)v->i);
    else if (v->kind == CV_REAL_)
        snprintf(text, size, "%g", v->real);
    else
        snprintf(text, size, "%s%s%s", v->kind == CV_POINTER_ ? "ptr<" : "", cv_type_text_(v->type),
                 v->kind == CV_POINTER_ ? ">" : "");
    return text;
}
