/* kernels.h - the kernel part of spirv_emit.h: part of the face that users read, included by it. */
/* ==== the kernel part: kernels written as C functions ==============================================================
 *
 * For headers whose users write kernels as C functions, with macros: parameters, numbers, regions, errors at the user's
 * line, building. xetile.h and coopvec.h both build on it; so can a header of yours.
 */

/* The device a kernel is built for. */
typedef struct {
    const char *name;        /* a row of the target table of the header above */
    uint32_t subgroup_sizes; /* bit mask (8 | 16 | 32 | 64); 0, here and below: the row's value */
    uint32_t local_memory, max_group_size;
    /* What the device lists of VK_NV_cooperative_vector; 0: nothing. A product's row: the SPE_ComponentType... of the
     * input, of its interpretation, the matrix, the bias and the result, and 1 where the matrix may be transposed. */
    const uint32_t (*vector_products)[6];
    uint32_t vector_product_count;
    uint32_t vector_sums; /* which floats are accumulated: 1, those of 16 bits; 2, of 32 bits; 3, both */
    uint32_t max_vector;  /* components */
} spe_device;

/* The result of a build. */
typedef struct {
    const uint32_t *words; /* NULL when the build failed */
    size_t size;           /* in bytes */
    const char *kernel, *params;
    uint32_t local_size[3], subgroup_size, subgroups;
    uint32_t local_memory; /* bytes per work-group */
    const char *build_flags;
    const spe_error *error;   /* never NULL; id 0: no error */
    const spe_error *warning; /* the kernel was built but will be slow; likewise */
    spe_module *owner_;       /* the first member of the build's context */
} spe_built;

/* -- errors at the user's line */

/* A line of the user's source. */
typedef struct {
    const char *file;
    int line;
} spe_line;

/* The errors of a kernel language, by id from `first` on, and the ids this part reports. */
typedef struct {
    const char *name, *text;
} spe_error_row;
typedef struct {
    const char *unknown; /* the text for any other id */
    const spe_error_row *rows;
    int first, count;
    int parameter_text, target, subgroup_size, unclosed;
    spe_error no_memory;
} spe_reporter;

/* The initializer of the reporter of a header whose errors are the enumerators XT_ERROR_..., from these rows. */
#define SPE_REPORTER(XT, header, rows)                                                                                 \
    {"not an error of " header, rows, XT##_ERROR_FIRST_ + 1, sizeof rows / sizeof rows[0], XT##_ERROR_PARAMETER_TEXT,  \
     XT##_ERROR_TARGET, XT##_ERROR_SUBGROUP_SIZE, XT##_ERROR_UNCLOSED,                                                 \
     {XT##_ERROR_MEMORY, #XT "_ERROR_MEMORY", "out of memory", NULL, 0, NULL}}

/* "CV_ERROR_SHAPE", and its meaning; for other ids "" and errors->unknown. */
XETILE_API const char *spe_reporter_name(const spe_reporter *errors, int id);
XETILE_API const char *spe_reporter_text(const spe_reporter *errors, int id);
/* Where an error is reported: the module, the header's error list, the user's line. */
typedef struct {
    spe_module *module;
    const spe_reporter *errors;
    const char *file;
    int line;
} spe_site;

XETILE_API spe_site spe_site_of(spe_module *m, const spe_reporter *errors, const char *file, int line);
/* Reports error `id` of the header as "its text: formatted text". Returns false, for the caller to return. */
XETILE_API SPE_PRINTF(3, 4) bool spe_report(spe_site at, int id, const char *format, ...);
XETILE_API SPE_PRINTF(3, 0) bool spe_vreport(spe_site at, int id, const char *format, va_list args);

/* -- parameters */

enum { SPE_PARAMS_MAX = 32 };

typedef struct {
    char name[64];
    int type;            /* of the number or the pointer's target, in the header's own enumeration */
    bool pointer, local; /* a pointer to global memory, to local memory; neither: a number */
} spe_kernel_param;

/* The type with this name, for such a parameter; -1 if there is none. */
typedef int (*spe_type_by_name)(const char *name, const spe_kernel_param *p);
/* "ptr<f16> A, u32 N" into params[SPE_PARAMS_MAX]; returns their number, or -1 and an error for a malformed text. */
XETILE_API int spe_parse_params(spe_site at, const char *text, spe_type_by_name type_of, spe_kernel_param *params);
/* The parameter as spe_kernel_begin takes it; `type`: the SPIR-V type of p->type. */
XETILE_API spe_param spe_param_of(spe_module *m, const spe_kernel_param *p, spe_id type);

/* -- numbers */

/* Operations on two numbers or vectors. REM has the sign of the first operand; SHR keeps the sign of signed
 * numbers. Those from EQ on are comparisons. */
typedef enum {
    SPE_ARITH_ADD, SPE_ARITH_SUB, SPE_ARITH_MUL, SPE_ARITH_DIV, SPE_ARITH_MIN, SPE_ARITH_MAX, SPE_ARITH_REM,
    SPE_ARITH_AND, SPE_ARITH_OR, SPE_ARITH_XOR, SPE_ARITH_SHL, SPE_ARITH_SHR,
    SPE_ARITH_EQ, SPE_ARITH_NE, SPE_ARITH_LT, SPE_ARITH_LE, SPE_ARITH_GT, SPE_ARITH_GE, SPE_ARITH_COUNT
} spe_arith_op;

typedef enum { SPE_NUMBER_FLOAT, SPE_NUMBER_SIGNED, SPE_NUMBER_UNSIGNED } spe_number_kind;
/* "add", "sub" ... "ge". */
XETILE_API const char *spe_arith_name(spe_arith_op op);
/* Emits the operation on two ids of one type, whose numbers are of this kind; 0, without an error, if there is none. */
XETILE_API spe_id spe_arith(spe_module *m, spe_arith_op op, spe_number_kind kind, spe_id a, spe_id b);
/* The extent of memory, an i32, that has no elements if it is negative: at least 0; id 0 stays 0. Tests of positions
 * are unsigned, so that one finds what is before the memory and what is past it: to them, a negative extent would be a
 * large one. */
XETILE_API spe_id spe_extent(spe_module *m, spe_id extent);
/* The element at a distance, in elements, from ptr where `inside` holds, else `otherwise`. No lane branches: those that
 * are outside read the first element, which must exist. align: in bytes; 0: that of the type. */
XETILE_API spe_id spe_load_inside(spe_module *m, spe_id ptr, spe_id distance, spe_id inside, spe_id otherwise,
                                  uint32_t align);
/* SPE_ARITH_ADD, SUB, MUL or DIV of two C constants, as IEEE 754 says. Their order: -1, 0, 1, or 2 with a NaN. */
XETILE_API double spe_real_arith(spe_arith_op op, double a, double b);
XETILE_API int spe_real_compare(double a, double b);

typedef enum { SPE_NOTHING, SPE_INT, SPE_REAL, SPE_SCALAR, SPE_POINTER } spe_val_kind;
enum { SPE_VAL_MAGIC = 0x53705631 };

/* The first member of structures that users give to macros. C would initialise it with any number that is given instead
 * of the structure; a pointer it does not, and the compiler's message names what is wanted. */
#define SPE_FIRST_MEMBER(wanted, member) union { const struct wanted *wanted_; member; }

/* A number as users of a kernel language see it: a C constant (SPE_INT, SPE_REAL), a scalar of the kernel, or a pointer
 * parameter. */
typedef struct {
    SPE_FIRST_MEMBER(spe_number_wanted_, uint32_t magic); /* SPE_VAL_MAGIC; anything else: it was never set */
    spe_val_kind kind;
    int type; /* the header's own: a scalar's, or that of a pointer's target; -kind for a C constant */
    spe_id id;
    bool uniform; /* known to be equal in all work-items of a subgroup */
    bool local;   /* a pointer to local memory */
    int align;    /* a power of two known to divide it */
    int note;     /* index of what else the header knows about it; 0: nothing */
    int64_t integer;
    double real;
} spe_val;

XETILE_API spe_val spe_val_of(spe_val_kind kind, int type, spe_id id);
XETILE_API spe_val spe_val_int(long long i);
XETILE_API spe_val spe_val_uint(unsigned long long u);
XETILE_API spe_val spe_val_real(double d);
XETILE_API spe_val spe_val_float(float f);
XETILE_API spe_val spe_val_same(spe_val v);
/* Was it ever set? Is it a condition: a C integer, or a scalar of `type`, the header's type for conditions? */
XETILE_API bool spe_val_is_set(const spe_val *v);
XETILE_API bool spe_val_is_condition(const spe_val *v, int type);
/* Does the integer fit in this many bits? */
XETILE_API bool spe_int_fits(int64_t i, int bits, bool is_signed);
/* A vector of n components as vectors of 8, then 4, 2 and 1: the number of these, and the number of components of
 * vector i. */
XETILE_API int spe_part_count(int n);
XETILE_API int spe_part_length(int n, int i);

/* -- a build */

/* Starts a build: a zeroed context of `size` bytes that begins with the spe_module. version, env, names, lines and
 * source are those of spe_options; an error in them is reported at `at`. NULL if out of memory; any error is in mod. */
XETILE_API void *spe_build_begin(spe_built *mod, const spe_reporter *errors, size_t size, uint32_t version, spe_env env,
                                 bool names, bool lines, const char *source, spe_line at);
/* Opens the kernel: a one-dimensional work-group of `group_size`, with these parameters. */
XETILE_API bool spe_build_kernel(spe_module *m, const char *name, int subgroup_size, int group_size, int count,
                                 const spe_param *params);
/* Ends the kernel, which mod then describes; false after an error. */
XETILE_API bool spe_build_end(spe_built *mod, const char *name, const char *params, int subgroup_size, int group_size);
/* Starts another kernel in the module of `before`, whose kernel has ended: a context as of spe_build_begin, to which
 * the module goes. NULL if out of memory; any error is in mod. */
XETILE_API void *spe_build_next(spe_built *mod, spe_built *before, const spe_reporter *errors, size_t size);
/* Finishes the module, which is with the last of `count` builds, and gives it to the first, which owns it; all have its
 * words. After an error of the last build there are no words, and all have that error. */
XETILE_API bool spe_build_finish(spe_built *mods, int count);
XETILE_API void spe_built_free(spe_built *mod);

/* -- regions that macros write as C loops (XT_FOR, CV_IF ...), and that close when the C loop ends */

enum { SPE_REGIONS_MAX = 32 };

typedef struct {
    const char *name, *file;
    int line;
} spe_region_line;

typedef struct spe_region spe_region;
typedef struct {
    spe_module *module;
    const spe_reporter *errors;
    int depth;
    spe_region_line open[SPE_REGIONS_MAX];
} spe_regions;

/* The state of the C loop. */
struct spe_region {
    spe_regions *in;
    spe_val index;   /* of a loop */
    int depth;       /* from 1 on; 0 after an error */
    int sides, calls; /* sides: 2 for an if with its else, 1 for a loop; calls: of spe_region_ended */
    bool twice;      /* a loop whose body is run twice: sides is 2 */
    bool done;       /* the body ran to its end */
};

/* A region that is not open yet; opens one, false and an error if too many are open. */
XETILE_API spe_region spe_region_of(spe_regions *in, int sides);
XETILE_API bool spe_region_open(spe_region *r, const char *name, const char *file, int line);
/* The condition of the C loop is a function of the header's: if spe_region_ended, it writes the end of a side, and then
 * it returns spe_region_next, true once for each side. spe_region_ended is false before the first side, and after an
 * error; it is an error if the region is not the innermost one or was left by break. */
XETILE_API bool spe_region_ended(spe_region *r);
XETILE_API bool spe_region_next(spe_region *r);
/* Called at the end of a loop's body; returns NULL. */
XETILE_API void *spe_region_done(spe_region *r);
/* Reports that the innermost region, if any, is open where it must not be. */
XETILE_API void spe_region_fail(spe_regions *in, const char *why);
