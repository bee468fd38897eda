/* function.c - a function as text: signature, declarations, built-in values and blocks; and the stack, private and
 * local memory that its calls need.
 */
#include "codegen.h"

static void add_frame(struct cg *g, uint32_t type, bool varying)
{
    const struct cg_leaves *l = cg_leaves_of(g, type);
    cg_add_frame(g, 8ull * l->scalars * (varying ? g->S : 1));
}

/* Must the variable be zeroed because it may be read before all of it is written? That happens under masks, and
 * undefined values are never written. Zeroing all would be a tenth of the compiler's work in large kernels. */
static bool begins_clear(struct cg *g, const struct sp_inst *i)
{
    if (i->op != SP_OP_Phi || g->value[i->id].blend) return g->value[i->id].blend;
    bool clear = g->fn->block[g->m->ids[i->id].block].masked;
    for (uint32_t k = 0; k + 1 < i->count; k += 2) {
        const struct sp_id *from = &g->m->ids[i->operand[k]];
        clear = clear || g->fn->block[g->m->ids[i->operand[k + 1]].block].masked;
        clear = clear || (from->what == SP_IS_VALUE && from->def->op == SP_OP_Undef);
    }
    return clear;
}

static void declare_value(struct cg *g, const struct sp_inst *i)
{
    const struct cg_value *v = &g->value[i->id];
    const struct cg_deferred *d = cg_deferred(g, i->id);
    if (!cg_has_variable(g, i) || cg_shared(g, i->id)->class) return;
    bool zero = begins_clear(g, i);
    if (cg_derived(g, i->id)->root) {
        cg_declare(g, CG_PLAIN, "u64", "o", i->id, "");
        return;
    }
    if (d->group) {
        if (d->group == i->id)
            cg_declare(g, CG_ZERO, cg_type_name(g, i->type, true), "c", i->id, cg_str(g, "[%u]", d->rows));
        add_frame(g, i->type, true);
        return;
    }
    if (cg_derived(g, i->id)->accessed) cg_declare(g, CG_PLAIN, "u64", "s", i->id, "");
    if (cg_affine(g, i->id)->checked) {
        cg_declare(g, CG_PLAIN, "i32", "ok", i->id, "");
        cg_declare(g, CG_PLAIN, cg_type_name(g, i->type, true), "w", i->id, "");
    }
    cg_declare(g, zero ? CG_ZERO : CG_PLAIN, cg_type_name(g, i->type, !cg_is_step(g, i->id)), "v", i->id, "");
    add_frame(g, i->type, v->varying);
}

static void write_body(struct cg *g)
{
    const struct sp_function *f = g->fn->f;
    for (uint32_t b = 0; b < f->block_count && !g->failed; b++) {
        for (uint32_t i = 0; i < f->blocks[b].count; i++) declare_value(g, &f->blocks[b].inst[i]);
        if (g->fn->block[b].masked) cg_declare(g, CG_ZERO, "i32x", "m", f->blocks[b].label, "");
        cg_free_words(g);
    }
    cg_declare_variables(g);
    cg_declare_queues(g);
    cg_write_resume(g);
    cg_write_blocks(g);
}

void cg_write_function(struct cg *g, struct cg_function *fn)
{
    struct cg_written *w = cg_written(g, fn);
    uint64_t frame = w->frame_bytes, private_bytes = w->private_bytes; /* of the other version */
    g->fn = fn;
    w->frame_bytes = w->private_bytes = 0;
    if (fn->continuation) cg_write_continuation_type(g);
    cg_write_body(g, write_body);
    cg_put(g, "}\n\n");
    if (frame > w->frame_bytes) w->frame_bytes = frame;
    if (private_bytes > w->private_bytes) w->private_bytes = private_bytes;
}

/* ---- memory that calls need */

/* The most that a call of the function needs, including the functions it calls. */
static void sum_function(struct cg *g, struct cg_function *fn, uint32_t depth)
{
    struct cg_written *w = cg_written(g, fn);
    uint64_t deepest = 0, most_private = 0;
    if (w->summed) return;
    w->any_barrier = fn->has_barrier;
    w->all_local = w->local_bytes;
    CG_EACH (i, b, fn->f) {
        if (i->op != SP_OP_FunctionCall || depth >= SP_MAX_CALL_DEPTH) continue;
        uint32_t callee = g->m->ids[i->operand[0]].block;
        const struct cg_written *c = &g->w->written[callee];
        sum_function(g, &g->function[callee], depth + 1);
        if (c->all_frames > deepest) deepest = c->all_frames;
        if (c->all_private > most_private) most_private = c->all_private;
        if (c->all_local > w->all_local) w->all_local = c->all_local;
        w->any_barrier = w->any_barrier || c->any_barrier;
    }
    w->all_frames = w->frame_bytes + deepest + 4096;
    w->all_private = w->private_bytes + most_private;
    w->summed = true;
}

void cg_sum_frames(struct cg *g, struct cg_function *fn, uint64_t *frame, uint64_t *private_bytes, uint32_t *local,
                   bool *barrier)
{
    const struct cg_written *w = cg_written(g, fn);
    sum_function(g, fn, 0);
    *frame = w->all_frames;
    *private_bytes = w->all_private;
    *barrier = *barrier || w->any_barrier;
    if (w->all_local > *local) *local = w->all_local;
}
