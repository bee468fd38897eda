/* internal.h - declarations shared by the bodies of coopvec.h only. */
#define XETILE_SEPARATE_
#include "../coopvec.h"

enum { CV_BOOL_ = 1 }; /* the type of conditions, next to the cv_type values */
enum { CV_VEC_MAGIC_ = 0x43765632, CV_VECTOR_MAX_ = 1024 };
enum { CV_DPAS_MOST_ = 4096 }; /* maximum instructions of a product; larger ones run one lane at a time */
enum { CV_LANES_MAX_ = 64 }; /* of a subgroup */

/* Reports an error at the user's line, and returns false; a vector without parts. */
#define cv_fail_(w, ...) spe_report(cv_site_(w), __VA_ARGS__)
#define CV_FAIL_VEC_(...) (cv_fail_(__VA_ARGS__), cv_no_vec_())

typedef struct {
    char s[48];
} cv_text_;

/* host.c: a matrix in memory. stride: bytes from a row (or column) to the next; unused in optimal layouts. */
typedef struct {
    cv_layout layout;
    cv_type type;
    uint32_t rows, cols, stride;
} cv_stored_;

/* products.c: a matrix operand of a product, ready to be addressed. */
typedef struct {
    cv_ctx *x;
    spe_id base, stride;         /* base: bytes */
    int type, bytes, m, k, rows; /* rows: stored ones, without padding */
    cv_layout layout;
    bool transpose;
    bool across; /* neighbours in memory are neighbours in m; otherwise in k */
} cv_surface_;

/* products.c: one product being written. */
typedef struct {
    cv_ctx *x;
    spe_module *m;
    cv_surface_ a;
    cv_interpreted_vector in;
    bool real;    /* summed in f32; else in 32-bit integers, which wrap */
    int sum_type; /* CV_F32, CV_I32 or CV_U32 */
    spe_id bias;  /* bytes; 0: none */
    int bias_type;
    cv_vec out;
    bool dots; /* elements of the matrix are dwords of four bytes, as are the input's */
    /* for the matrix instruction */
    int kind, R; /* R: elements of k that a lane holds of a row per operand */
    int depth;   /* elements of k per operand */
    int halves;  /* operands per raw operand: 2 for FP8 along k, whose raw operands have 32 elements */
    int raws;    /* raw operands along k */
    int blocks;  /* of eight rows */
    spe_id lane;
    spe_id *b; /* B operands, in the order of A's operands */
} cv_product_;

/* cooperative.c: what only the cooperative vectors of Vulkan's devices need, and calls through x->vulkan: programs that
 * include nothing of Vulkan compile without it. Each returns false where they do not do this. */
typedef struct cv_vulkan_part_ {
    bool (*takes)(int op, int type); /* may operands of `binary` be cooperative vectors? */
    void (*repeat)(cv_ctx *x, cv_vec *v, spe_id like); /* of a number: makes it one, as another is */
    cv_vec (*binary)(cv_ctx *x, int op, const cv_vec *p, const cv_vec *q);
    cv_vec (*multiply_add)(cv_ctx *x, const cv_vec *p, const cv_vec *q, const cv_vec *r);
    bool (*multiply)(cv_product_ *p);
    bool (*outer_product)(const cv_surface_ *c, const cv_vec *v1, const cv_vec *v2);
    bool (*accumulate)(cv_ctx *x, const cv_vec *v, spe_id base, int type);
} cv_vulkan_part_;

#if defined(XETILE_STATIC_) && !defined(__cplusplus) /* a tentative definition: NULL unless cooperative.c follows */
static const cv_vulkan_part_ *const cv_vulkan_here_;
#define CV_VULKAN_PART_ cv_vulkan_here_
#else
XETILE_PRIVATE const cv_vulkan_part_ *cv_vulkan_(void);
#define CV_VULKAN_PART_ cv_vulkan_()
#endif

#include "prototypes.h"
