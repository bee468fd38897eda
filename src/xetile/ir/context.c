/* ir/context.c - a build: errors, memory, types and properties of values. */
#include "../internal.h"

XE_FN_ const spe_reporter *xt_errors_(void)
{
#define XT_ERROR_ROW_(name, text) {"XT_ERROR_" #name, text},
    static const spe_error_row rows[] = {XT_ERRORS_(XT_ERROR_ROW_)};
    static const spe_reporter errors = SPE_REPORTER(XT, "xetile.h", rows);
    return &errors;
}

const char *xt_error_text(int id) { return spe_reporter_text(xt_errors_(), id); }
const char *xt_error_name(int id) { return spe_reporter_name(xt_errors_(), id); }

XE_FN_ spe_site xt_site_(xt_where_ w) { return spe_site_of(&w.x->m, xt_errors_(), w.at->file, w.at->line); }

XE_FN_ void *xt_memory_(xt_ctx *x, size_t bytes) { return spe_alloc(&x->m, bytes); }

/* Records an error at the user's line, at most one of a kind per line, and not too many. Operations on the result of a
 * failed operation are silent, see xt_is_lost_. Returns false, for the caller to return. */
XE_FN_ bool xt_fail_(xt_where_ w, int id, const char *format, ...)
{
    enum { MOST = 20 };
    spe_list *list = &w.x->errors;
    spe_error none = w.x->m.error, found, *e;
    va_list args;
    for (int i = 0; i < list->count; i++) {
        e = (spe_error *)list->items + i;
        if (e->id == id && e->line == w.at->line && strcmp(e->file, w.at->file) == 0) return false;
    }
    if (!spe_ok(&w.x->m) || list->count == MOST ||
        (w.x->again && id != XT_ERROR_UNLISTED && id != XT_ERROR_NOT_UNIFORM))
        return false;
    va_start(args, format);
    spe_vreport(xt_site_(w), id, format, args);
    va_end(args);
    found = w.x->m.error;
    w.x->m.error = none;
    e = (spe_error *)spe_list_add(&w.x->m, list, sizeof *e);
    if (e) *e = found;
    return false;
}

/* Moves the errors to the module, in order. False if there were any. */
XE_FN_ bool xt_report_(xt_ctx *x)
{
    spe_error *all = (spe_error *)x->errors.items;
    int n = x->errors.count;
    if (n && spe_ok(&x->m)) {
        for (int i = 1; i < n; i++) all[i - 1].next = &all[i];
        x->m.error = all[0];
    }
    return spe_ok(&x->m);
}

/* Called at the start of every operation: errors of the lower headers get the user's line. False if out of memory. */
XE_FN_ bool xt_enter_(xt_where_ w)
{
    spe_at(&w.x->m, w.at->file, w.at->line);
    return spe_ok(&w.x->m);
}

XE_FN_ int xt_least_(int a, int b) { return a < b ? a : b; }

/* The contiguous dimension. */
XE_FN_ int xt_inner_(const xt_tile *t) { return t->column_major ? 0 : 1; }

/* NULL for conditions. A C constant counts as i32 or f32. */
static const cm_type_row *xt_type_row_(int type)
{
    return cm_type_info((cm_type)(type == -SPE_INT ? CM_I32 : type == -SPE_REAL ? CM_F32 : type));
}

XE_FN_ const char *xt_type_name_(int type)
{
    return type == XT_BOOL_ ? "i1" : xt_type_row_(type) ? xt_type_row_(type)->name : "no type";
}

XE_FN_ bool xt_is_float_(int type) { return type < XT_BOOL_ && xt_type_row_(type)->kind == CM_KIND_FLOAT; }
/* Floats that are only moved, cast and multiplied as matrices. */
XE_FN_ bool xt_is_small_(int type)
{
    return type == CM_E4M3 || type == CM_E5M2 || type == CM_E2M1 || type == CM_E8M0;
}
XE_FN_ bool xt_is_int_(int type) { return type < XT_BOOL_ && xt_type_row_(type)->kind == CM_KIND_INT; }
XE_FN_ bool xt_is_signed_(int type) { return type < XT_BOOL_ && xt_type_row_(type)->is_signed; }
XE_FN_ int xt_bits_(int type) { return type == XT_BOOL_ ? 1 : xt_type_row_(type)->bytes * 8; }

/* The type of a vector's or tile's elements in coopmatrix.h: an i1 is a byte, 0 or 1. */
XE_FN_ cm_type xt_storage_type_(int type) { return type == XT_BOOL_ ? CM_U8 : (cm_type)type; }

/* Bytes of such an element. */
XE_FN_ int xt_bytes_(int type) { return cm_type_info(xt_storage_type_(type))->bytes; }

/* The type of a number for an element type of memory or vectors: f32 for floats stored as bits. */
XE_ONCE_
XE_FN_ int xt_number_type_(int type)
{
    return type == CM_BF16 || xt_is_small_(type) || type == CM_TF32 ? (int)CM_F32 : type;
}

/* The SPIR-V type that holds a scalar of this type. */
XE_FN_ spe_id xt_spe_type_(xt_ctx *x, int type)
{
    return type == XT_BOOL_ ? spe_bool(&x->m) : cm_storage_type(&x->cm, (cm_type)type);
}

xt_any_ xt_any_val_(xt_val v)
{
    xt_any_ a = XT_ZERO_;
    a.val = v;
    return a;
}

xt_any_ xt_any_vec_(xt_vec v)
{
    xt_any_ a = XT_ZERO_;
    a.is_vec = true;
    a.vec = v;
    return a;
}

xt_any_ xt_any_int_(long long i) { return xt_any_val_(spe_val_int(i)); }
xt_any_ xt_any_uint_(unsigned long long u) { return xt_any_val_(spe_val_uint(u)); }
xt_any_ xt_any_real_(double d) { return xt_any_val_(spe_val_real(d)); }
xt_any_ xt_any_float_(float f) { return xt_any_val_(spe_val_float(f)); }

/* Too large a count is reported by the operation that receives the index. */
xt_index xt_at_(int n, const xt_val *at)
{
    xt_index x;
    int most = (int)(sizeof x.at / sizeof *x.at);
    memset(&x, 0, sizeof x);
    x.count = n;
    memcpy(x.at, at, (size_t)(n < most ? n : most) * sizeof *at);
    return x;
}

/* The type for sums of a type: floats below 32 bits are summed in f32. */
XE_FN_ int xt_wide_type_(int type)
{
    return type == CM_F16 || type == CM_BF16 ? CM_F32 : (int)xt_storage_type_((cm_type)type);
}

/* Bytes of registers of a subgroup, with those per thread that were chosen. */
XE_FN_ int xt_register_bytes_(const xt_ctx *x)
{
    return cm_has_two_register_modes(&x->target) && x->registers <= 128 ? x->target.registers / 2 : x->target.registers;
}

/* Work-items per work-group. */
XE_FN_ int xt_group_size_(const xt_ctx *x) { return x->S * (x->subgroups ? x->subgroups : 1); }
