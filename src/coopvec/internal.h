/* internal.h - declarations shared by the bodies of coopvec.h only. */
#define XETILE_SEPARATE_
#include "../coopvec.h"

enum { CV_BOOL_ = 1 }; /* the type of conditions, next to the cv_type values */
enum { CV_VEC_MAGIC_ = 0x43765632, CV_VECTOR_MAX_ = 1024 };
enum { CV_DPAS_MOST_ = 4096 }; /* maximum instructions of a product; larger ones run one lane at a time */

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

#include "prototypes.h"
