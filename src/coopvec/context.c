/* context.c - values. */
#include "internal.h"

/* ---- one build --------------------------------------------------------------------------------------------------- */

cv_where_ cv_where_at_(cv_ctx *x, const char *file, int line)
{
    cv_where_ w;
    w.x = x;
    w.file = file;
    w.line = line;
    return w;
}

const spe_reporter *cv_errors_(void)
{
    static const spe_reporter errors = {cv_error_name,
                                      cv_error_text,
                                      CV_ERROR_PARAMETER_TEXT,
                                      CV_ERROR_TARGET,
                                      CV_ERROR_SUBGROUP_SIZE,
                                      CV_ERROR_UNCLOSED,
                                      {CV_ERROR_MEMORY, "CV_ERROR_MEMORY", "out of memory", NULL, 0}};
    return &errors;
}

spe_blame cv_blame_(cv_where_ w) { return spe_blame_of(&w.x->m, cv_errors_(), w.file, w.line); }

/* Reports an error at the user's line to the module, which keeps the first. */
void cv_fail_(cv_where_ w, int id, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    spe_vreport(cv_blame_(w), id, format, args);
    va_end(args);
}

/* At the start of every operation: errors from here on are blamed on the user's line. False after an error. */
bool cv_enter_(cv_where_ w)
{
    spe_at(&w.x->m, w.file, w.line);
    return spe_ok(&w.x->m);
}

static cv_val cv_number_(cv_kind_ kind, int type, int64_t i, double real)
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

cv_val cv_int_(long long i) { return cv_number_(CV_INT_, CV_I32, (int64_t)i, (double)i); }
cv_val cv_uint_(unsigned long long u) { return cv_number_(CV_INT_, CV_I32, (int64_t)u, (double)u); }
cv_val cv_real_(double d) { return cv_number_(CV_REAL_, CV_F32, 0, d); }
cv_val cv_same_(cv_val v) { return v; }
cv_val cv_nothing_(void) { return cv_number_(CV_NONE_, CV_I32, 0, 0); }

cv_val cv_scalar_(int type, spe_id id, bool uniform)
{
    cv_val v = cv_number_(id ? CV_SCALAR_ : CV_NONE_, type, 0, 0);
    v.id = id;
    v.uniform = uniform;
    return v;
}

cv_any_ cv_any_val_(cv_val v)
{
    cv_any_ a;
    memset(&a, 0, sizeof a);
    a.val = v;
    return a;
}

cv_any_ cv_any_vec_(cv_vec v)
{
    cv_any_ a;
    memset(&a, 0, sizeof a);
    a.is_vec = true;
    a.vec = v;
    return a;
}

cv_any_ cv_any_int_(long long i) { return cv_any_val_(cv_int_(i)); }
cv_any_ cv_any_uint_(unsigned long long u) { return cv_any_val_(cv_uint_(u)); }
cv_any_ cv_any_real_(double d) { return cv_any_val_(cv_real_(d)); }

const char *cv_type_text_(int type) { return type == CV_BOOL_ ? "condition" : cv_type_name(type); }

/* The SPIR-V scalar that holds a type. FP8 is held as its bits. */
spe_id cv_spe_type_(cv_ctx *x, int type)
{
    if (type == CV_BOOL_) return spe_bool(&x->m);
    if (type == CV_F16 || type == CV_F32) return spe_float(&x->m, (uint32_t)cv_type_info(type)->bits);
    return spe_int(&x->m, (uint32_t)cv_type_info(type)->bits);
}

/* What a value is, for error texts. */
const char *cv_describe_(const cv_val *v, char *text, size_t size)
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
