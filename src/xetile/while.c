/* while.c - XT_WHILE, split barriers. */
#include "internal.h"

xt_loop_ xt_while_begin_(xt_where_ w, void *const *objects)
{
    xt_ctx *x = w.x;
    xt_loop_ loop;
    xt_frame_ *f;
    memset(&loop, 0, sizeof loop);
    loop.x = x;
    if (!xt_enter_(w, XT_OP_WHILE_)) return loop;
    f = xt_open_(w, XT_FRAME_WHILE_, objects);
    if (!f) return loop;
    loop.frame = x->regions.depth;
    if (x->planning) {
        xt_loop_forget_(x, f);
    } else {
        xt_gather_(w, f, 0);
        spe_while(&x->m, (uint32_t)f->id_count, f->ids);
        xt_scatter_(x, f);
    }
    return loop;
}

xt_loop_ *xt_while_test_(xt_where_ w, xt_loop_ *loop, xt_val condition)
{
    char text[48];
    spe_id id;
    if (!xt_enter_(w, XT_OP_WHILE_TEST_)) return loop;
    if (condition.magic != XT_VAL_MAGIC_ ||
        !(condition.kind == XT_INT_ || (condition.kind == XT_SCALAR_ && condition.type == XT_BOOL_))) {
        xt_fail_(w, XT_ERROR_CONDITION, "XT_WHILE got %s", xt_describe_(&condition, text, sizeof text));
        return loop;
    }
    if (w.x->planning) return loop;
    id = condition.kind == XT_INT_ ? spe_const_bool(&w.x->m, condition.i != 0) : condition.id;
    spe_while_test(&w.x->m, id);
    return loop;
}

void xt_barrier_arrive_(xt_where_ w, const char *name)
{
    xt_ctx *x = w.x;
    if (!xt_enter_(w, XT_OP_BARRIER_ARRIVE_)) return;
    if (x->arrived) {
        xt_fail_(w, XT_ERROR_SPLIT_BARRIER, "arriving at \"%s\" while \"%s\" is not waited for", name, x->arrived);
        return;
    }
    x->arrived = name;
    if (!x->planning) spe_barrier_arrive(&x->m);
}

void xt_barrier_wait_(xt_where_ w, const char *name)
{
    xt_ctx *x = w.x;
    if (!xt_enter_(w, XT_OP_BARRIER_WAIT_)) return;
    if (!x->arrived || strcmp(x->arrived, name) != 0) {
        xt_fail_(w, XT_ERROR_SPLIT_BARRIER, "waiting for \"%s\"; arrived at: %s", name,
                 x->arrived ? x->arrived : "none");
        return;
    }
    x->arrived = NULL;
    if (!x->planning) spe_barrier_wait(&x->m);
}
