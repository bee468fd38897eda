/* lower/control.c - writes regions and barriers. */
#include "../internal.h"

/* Allocates the ids of a region's carried values. */
static bool xt_make_ids_(xt_ctx *x, xt_frame_ *f)
{
    f->ids = NULL;
    f->id_count = xt_gather_(x, f, false, false);
    f->panel_ids = x->vulkan ? x->vulkan->panel_ids(x, f) : 0;
    f->ids = (spe_id *)xt_memory_(x, (size_t)(f->id_count + 2 * f->panel_ids) * sizeof *f->ids);
    f->inner = f->panel_ids > 0;
    return f->ids != NULL;
}

/* Sets the values at the top of the body, or of a copy of it, from the frame's ids. */
static void xt_write_iteration_(xt_ctx *x, xt_frame_ *f)
{
    const xt_val *step = xt_number_(x, f->step);
    int align = xt_least_(xt_val_align_(xt_number_(x, f->lo)), xt_val_align_(step));
    spe_id k =
        f->copy ? spe_iadd(&x->m, f->iteration, spe_i32(&x->m, f->copy * (int32_t)step->integer)) : f->iteration;
    xt_scatter_(x, f, false, f->counts ? spe_isub(&x->m, k, f->from) : 0);
    xt_define_(x, f->index, xt_scalar_(CM_I32, k, align));
}

/* What a loop carries. */
static uint32_t xt_loop_ids_(const xt_frame_ *f) { return (uint32_t)(f->id_count + f->panel_ids); }

/* Begins a loop with so many copies of the body, whose index begins at `from`. */
static void xt_write_loop_(xt_ctx *x, xt_frame_ *f, spe_id from, int copies)
{
    spe_module *m = &x->m;
    xt_val lo = xt_now_(x, xt_number_(x, f->lo)), hi = xt_now_(x, xt_number_(x, f->hi)),
           step = xt_now_(x, xt_number_(x, f->step));
    spe_id to = xt_index_id_(x, &hi), by = xt_index_id_(x, &step);
    if (copies > 1) { /* no iteration begins that the loop would end within */
        spe_id others = spe_imul(m, by, spe_i32(m, copies - 1));
        to = spe_isub(m, spe_math2(m, SPE_SMAX, to, xt_index_id_(x, &lo)), others);
        by = spe_imul(m, by, spe_i32(m, copies));
        xt_remark_(x, "several iterations at a time, while so many are left");
    }
    f->copies = copies;
    f->copy = 0;
    f->per_load = x->block2d && copies > 1 ? xt_iterations_per_load_(x, copies) : 1;
    x->unrolled = copies > 1 ? f : NULL;
    if (f->panel_ids) {
        xt_scatter_(x, f, false, spe_isub(m, from, f->from));
        to = x->vulkan->enter(x, f, from, to);
    }
    f->iteration = spe_for(m, from, to, by, xt_loop_ids_(f), f->ids);
    xt_write_iteration_(x, f);
    if (f->panel_ids) x->vulkan->iterate(x, f, to);
}

/* XT_FOR or XT_WHILE. */
XE_FN_ void xt_write_for_(xt_ctx *x, const xt_node_ *n)
{
    xt_frame_ *f = n->frame;
    xt_val lo = xt_now_(x, xt_number_(x, f->lo));
    if (!xt_make_ids_(x, f)) return;
    f->side_before = x->side;
    x->side = 0;
    xt_gather_(x, f, false, false);
    if (x->block2d && n->divergence < 2) spe_reconverge(&x->m); /* not in the loop */
    x->loops_around++;
    if (f->op == XT_OP_WHILE_) {
        spe_while(&x->m, (uint32_t)f->id_count, f->ids);
        xt_scatter_(x, f, false, 0);
        return;
    }
    f->from = xt_index_id_(x, &lo);
    int staged = x->staged && f->per_copy ? f->per_copy : 1;
    xt_write_loop_(x, f, f->from, x->block2d ? xt_copies_(x, f, 24) : staged);
}

/* At the end of a body: continues with its next copy, or with the loop for the iterations that are left. */
static bool xt_write_next_(xt_ctx *x, xt_frame_ *f)
{
    if (f->copies == 1 && !f->inner) return false;
    if (++f->copy < f->copies) {
        xt_write_iteration_(x, f);
    } else {
        spe_endfor(&x->m, xt_loop_ids_(f), f->ids);
        f->inner = false;
        xt_write_loop_(x, f, f->iteration, 1);
    }
    x->at = f->begin;
    return true;
}

XE_FN_ void xt_write_while_test_(xt_ctx *x, const xt_node_ *n)
{
    spe_while_test(&x->m, xt_now_id_(x, xt_number_(x, n->operand[0]), XT_BOOL_));
}

XE_FN_ void xt_write_if_(xt_ctx *x, const xt_node_ *n)
{
    xt_frame_ *f = n->frame;
    if (xt_make_ids_(x, f)) spe_if(&x->m, xt_now_id_(x, xt_number_(x, f->lo), XT_BOOL_));
    f->side_before = x->side;
    x->side = x->m.block;
}

XE_FN_ void xt_write_else_(xt_ctx *x, const xt_node_ *n)
{
    xt_frame_ *f = n->frame;
    xt_gather_(x, f, true, false);
    spe_else(&x->m, (uint32_t)f->id_count, f->ids);
    x->side = x->m.block;
}

XE_FN_ void xt_write_end_(xt_ctx *x, const xt_node_ *node)
{
    xt_frame_ *f = node->frame;
    uint32_t n = (uint32_t)f->id_count;
    xt_gather_(x, f, true, true);
    if (f->panel_ids) x->vulkan->carry(x, f, true);
    if (x->block2d && f->op != XT_OP_IF_ && node->divergence < 2) spe_reconverge(&x->m);
    if (f->op == XT_OP_FOR_ && xt_write_next_(x, f)) return;
    x->loops_around -= f->op != XT_OP_IF_;
    x->side = f->side_before;
    if (node->divergence > 1) spe_diverged(&x->m);
    if (f->op == XT_OP_WHILE_)
        spe_endwhile(&x->m, n, f->ids);
    else if (f->op == XT_OP_FOR_)
        spe_endfor(&x->m, xt_loop_ids_(f), f->ids);
    else
        spe_endif(&x->m, n, f->ids, f->ids);
    if (f->panel_ids && x->strips_in_panels) x->vulkan->wait(x);
    xt_scatter_(x, f, true, 0);
}

XE_FN_ void xt_write_barrier_(xt_ctx *x, const xt_node_ *n)
{
    if (n->op == XT_OP_BARRIER_ARRIVE_) spe_barrier_arrive(&x->m);
    else if (n->op == XT_OP_BARRIER_WAIT_) spe_barrier_wait(&x->m);
    else spe_barrier(&x->m);
}
