/* internal.h - declarations shared by the bodies of coopvec.h only. */
#define XETILE_SEPARATE_
#include "../coopvec.h"

enum { CV_BOOL_ = 1 }; /* the type of conditions, next to the cv_type values */
enum { CV_VEC_MAGIC_ = 0x43765632, CV_VECTOR_MAX_ = 1024 };
enum { CV_DPAS_MOST_ = 4096 }; /* maximum instructions of a product; larger ones run one lane at a time */

/* Reports an error at the user's line. */
#define cv_fail_(w, ...) spe_report(cv_blame_(w), __VA_ARGS__)

/* host.c */
XETILE_PRIVATE spe_error *cv_error_at_(spe_error *error, const char *file, int line);
XETILE_PRIVATE const spe_reporter *cv_errors_(void);
XETILE_PRIVATE const cv_type_row *cv_type_at_(int i);
XETILE_PRIVATE bool cv_is_packed_(int type);
XETILE_PRIVATE bool cv_is_fp8_(int type);
XETILE_PRIVATE bool cv_is_vector_type_(int type);
XETILE_PRIVATE bool cv_is_memory_type_(int type);
XETILE_PRIVATE bool cv_is_float_(int type);
XETILE_PRIVATE bool cv_is_signed_(int type);
XETILE_PRIVATE int cv_bytes_(int type);
XETILE_PRIVATE bool cv_interprets_(int input, int interpretation);
XETILE_PRIVATE bool cv_is_optimal_(int layout);
XETILE_PRIVATE uint32_t cv_round_up_(uint32_t n, uint32_t to);
XETILE_PRIVATE uint32_t cv_optimal_rows_(uint32_t rows);
XETILE_PRIVATE uint64_t cv_line_bytes_(int layout, int type, uint32_t rows, uint32_t cols);
XETILE_PRIVATE uint32_t cv_dest_size_(const cv_conversion_dest_info *d, uint32_t stride);
/* values.c */
XETILE_PRIVATE spe_blame cv_blame_(cv_where_ w);
XETILE_PRIVATE bool cv_enter_(cv_where_ w);
XETILE_PRIVATE cv_side_ *cv_side_at_(const cv_ctx *x, int side);
XETILE_PRIVATE int cv_side_now_(const cv_ctx *x);
XETILE_PRIVATE bool cv_live_(cv_where_ w, int side);
XETILE_PRIVATE cv_val cv_scalar_(const cv_ctx *x, int type, spe_id id, bool uniform);
XETILE_PRIVATE const char *cv_type_text_(int type);
XETILE_PRIVATE spe_id cv_spe_type_(cv_ctx *x, int type);
typedef struct {
    char s[48];
} cv_text_;
XETILE_PRIVATE cv_text_ cv_describe_(const cv_val *v);
XETILE_PRIVATE spe_id cv_id_(cv_where_ w, int type, const cv_val *v);
XETILE_PRIVATE spe_id cv_index_(cv_where_ w, const cv_val *v, const char *what);
XETILE_PRIVATE cv_vec cv_no_vec_(void);
XETILE_PRIVATE spe_id *cv_ids_(cv_ctx *x, int n);
XETILE_PRIVATE cv_vec cv_new_(cv_ctx *x, int type, int n);
XETILE_PRIVATE cv_vec cv_from_parts_(cv_ctx *x, int type, int n, const spe_id *parts);
XETILE_PRIVATE bool cv_check_vec_(cv_where_ w, const cv_vec *v);
XETILE_PRIVATE bool cv_check_pointer_(cv_where_ w, const cv_val *v, const char *what);
XETILE_PRIVATE spe_id cv_get_(cv_ctx *x, const cv_vec *v, int i);
XETILE_PRIVATE spe_id cv_join_(cv_ctx *x, spe_id scalar_type, int n, const spe_id *ids);
XETILE_PRIVATE cv_vec cv_from_scalars_(cv_ctx *x, int type, int n, const spe_id *ids);
XETILE_PRIVATE spe_id cv_decode_fp8_high_(cv_ctx *x, spe_id v, int type);
XETILE_PRIVATE spe_id cv_decode_(cv_ctx *x, spe_id v, int type);
XETILE_PRIVATE spe_id cv_convert_value_(cv_ctx *x, spe_id v, int from, int to);
XETILE_PRIVATE spe_id cv_to_sum_(cv_ctx *x, spe_id v, int type, bool real);
XETILE_PRIVATE cv_vec cv_convert_vec_(cv_ctx *x, const cv_vec *v, int type);

/* products.c: a matrix operand of a product, ready to be addressed. */
typedef struct {
    cv_ctx *x;
    spe_id base, stride;         /* base: bytes */
    int type, bytes, m, k, rows; /* rows: stored ones, without padding */
    cv_layout layout;
    bool transpose;
    bool across; /* neighbours in memory are neighbours in m; otherwise in k */
} cv_surface_;
