/* context.c - one build. */
#include "internal.h"

XE_FN_ spe_blame xt_blame_(xt_where_ w) { return spe_blame_of(&w.x->m, xt_errors_(), w.file, w.line); }

/* At the start of every operation: errors from here on are blamed on the user's line. False after an error. */
XE_FN_ bool xt_enter_kind_(xt_where_ w, xt_op_ operation, int kind)
{
    if (w.x->waiting.magic && operation != XT_OP_PREFETCH_TILE_) xt_prefetch_waiting_(w.x);
    spe_at(&w.x->m, w.file, w.line);
    w.x->step_hash = (w.x->step_hash ^ (uint32_t)(kind * XT_OP_COUNT_ + (int)operation)) * 16777619u;
    w.x->operations++;
    return spe_ok(&w.x->m);
}

XE_FN_ bool xt_enter_(xt_where_ w, xt_op_ operation) { return xt_enter_kind_(w, operation, 0); }

XE_FN_ void *xt_memory_(xt_ctx *x, size_t bytes) { return spe_alloc(&x->m, bytes ? bytes : 1); }

/* A new zeroed item at the end of a list; NULL when out of memory. */
XE_FN_ void *xt_push_(xt_ctx *x, xt_list_ *list, size_t size)
{
    if (list->count == list->capacity) {
        int capacity = list->capacity ? list->capacity * 2 : 32;
        void *items = xt_memory_(x, (size_t)capacity * size);
        if (!items) return NULL;
        if (list->count) memcpy(items, list->items, (size_t)list->count * size);
        list->items = items;
        list->capacity = capacity;
    }
    return (char *)list->items + (size_t)list->count++ * size;
}

XE_FN_ xt_plan_vec_ *xt_plan_vec_at_(xt_ctx *x, int i) { return (xt_plan_vec_ *)x->vecs.items + i; }
XE_FN_ xt_plan_tile_ *xt_plan_tile_at_(xt_ctx *x, int i) { return (xt_plan_tile_ *)x->tiles.items + i; }
XE_FN_ xt_expr_ *xt_expr_at_(xt_ctx *x, int i) { return (xt_expr_ *)x->exprs.items + i; }

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
XE_FN_ bool xt_is_int_(int type) { return type < XT_BOOL_ && xt_type_row_(type)->kind == CM_KIND_INT; }
XE_FN_ bool xt_is_signed_(int type) { return type < XT_BOOL_ && xt_type_row_(type)->is_signed; }
XE_FN_ int xt_bits_(int type) { return type == XT_BOOL_ ? 1 : xt_type_row_(type)->bytes * 8; }

/* The type that coopmatrix.h holds a vector's or tile's elements in: an i1 is a byte, 0 or 1. */
XE_FN_ cm_type xt_held_(int type) { return type == XT_BOOL_ ? CM_U8 : (cm_type)type; }

/* Bytes of such an element. */
XE_FN_ int xt_bytes_(int type) { return cm_type_info(xt_held_(type))->bytes; }

/* The SPIR-V type that holds a scalar of this type. */
XE_FN_ spe_id xt_spe_type_(xt_ctx *x, int type)
{
    const cm_type_row *row;
    if (type == XT_BOOL_) return spe_bool(&x->m);
    row = cm_type_info((cm_type)type);
    return row->storage_float ? spe_float(&x->m, (uint32_t)row->storage_bits)
                              : spe_int(&x->m, (uint32_t)row->storage_bits);
}
