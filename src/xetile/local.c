/* local.c - local memory. */
#include "internal.h"

/* The first element of an array in local memory, which is made before the body so that every version may use it. */
static spe_id xt_emit_local_(xt_ctx *x, const xt_local_array_ *a)
{
    spe_module *m = &x->m;
    spe_id zero = spe_u32(m, 0), p, array;
    uint32_t align = XT_LOCAL_ALIGN_;
    array = spe_array(m, xt_spe_type_(x, xt_held_(a->type)), (uint32_t)a->elements);
    spe_prologue_begin(m);
    p = spe_shared_var(m, array);
    spe_decorate(m, p, SPE_DecorationAlignment, 1, &align);
    p = spe_element(m, p, 1, &zero);
    spe_prologue_end(m);
    return p;
}

xt_val xt_local_(xt_where_ w, int type, int64_t elements)
{
    xt_ctx *x = w.x;
    int number = x->local_count, bytes = cm_type_info(xt_held_(type))->bytes;
    xt_local_array_ *a;
    xt_val v = xt_nothing_();
    if (!xt_enter_(w, XT_OP_LOCAL_)) return v;
    if (elements < 1 || elements > 1 << 24) {
        xt_fail_(w, XT_ERROR_LOCAL_SIZE, "got %lld elements of %s", (long long)elements, xt_type_name_(type));
        return v;
    }
    if (x->planning && xt_push_(x, &x->locals, sizeof *a))
        x->local_bytes = (x->local_bytes + 63) / 64 * 64 + elements * bytes;
    if (number >= x->locals.count) {
        if (spe_ok(&x->m)) xt_fail_(w, XT_ERROR_NOT_REPEATABLE, "more local memory than the first time");
        return v;
    }
    if (x->local_bytes > x->target.local_memory) {
        xt_fail_(w, XT_ERROR_LOCAL_MEMORY, "%lld bytes with this one, %s has %d", (long long)x->local_bytes,
                 x->target.name, x->target.local_memory);
        return v;
    }
    x->local_count++;
    a = (xt_local_array_ *)x->locals.items + number;
    a->type = type;
    a->elements = elements;
    if (!x->planning && !a->id) a->id = xt_emit_local_(x, a);
    v = spe_val_of(SPE_POINTER, type, 0);
    v.local = true;
    v.id = x->planning ? ++x->serial : a->id;
    return v;
}
