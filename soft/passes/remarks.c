/* remarks.c - XETILE_SOFT_REMARKS=1: which optimisations were done to a kernel, and which were not and why, one per
 * line.
 *
 * Each pass reports its own decisions. The outcome of a memory access depends on several passes, so it is reported here
 * after all have run.
 */
#include "passes.h"

#include <stdarg.h>
#include <stdio.h>

void cg_remark(struct cg *g, const struct cg_function *fn, const struct sp_inst *at, const char *pass, bool done,
               const char *format, ...)
{
    char text[512];
    va_list args;
    if (!g->o->remarks || g->failed) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *source = at ? cg_source(g, at) : "";
    const char *name =
        fn->entry ? cg_plain(g, fn->entry->name) : cg_str(g, "function %%%u", sp_number(g->m, fn->f->id));
    const char *where = *source ? source : at ? cg_str(g, "word %u", at->word) : "kernel";
    const char *line = cg_str(g, "%s: remark: %s: %s [%s: %s]\n", where, name, text, done ? "done" : "missed", pass);
    /* versions of a function are analysed one after the other and may give the same remark */
    if (cg_is_new(g, &g->said, line)) sp_text_add(g->o->remarks, "%s", line);
}

/* The cause of an access through a varying pointer that is not affine: going back from it, the first value whose
 * operands are all uniform or affine. */
static const struct sp_inst *culprit(struct cg *g, uint32_t id)
{
    const struct sp_inst *found = NULL;
    for (uint32_t steps = 0; steps < 100; steps++) {
        const struct sp_inst *d = g->m->ids[id].what == SP_IS_VALUE ? g->m->ids[id].def : NULL;
        uint32_t next = 0;
        if (!d || d->op == SP_OP_Phi || d->op == SP_OP_Select) return d ? d : found;
        found = d;
        for (uint32_t k = 0; k < d->count && !next && d->op != SP_OP_Load; k++)
            if (cg_is_value_operand(d, k) && !cg_is_step(g, d->operand[k])) next = d->operand[k];
        if (!next) return found;
        id = next;
    }
    return found;
}

static void remark_access(struct cg *g, const struct cg_function *fn, const struct sp_inst *i)
{
    uint32_t pointer = i->operand[0];
    const struct cg_value *p = &g->value[pointer];
    const struct cg_affine *a = cg_affine(g, pointer);
    const struct sp_type *t = cg_type_of(g, pointer);
    if (!t || t->kind != SP_POINTER || g->private[pointer].variable || g->private[pointer].fixed) return;
    const char *what = i->op == SP_OP_Load ? "load" : "store";
    uint32_t bytes = (uint32_t)sp_type(g->m, t->elem)->size;
    if (!p->varying) {
        cg_remark(g, fn, i, "affine", true, "%s: one address for all lanes", what);
    } else if (a->is && a->step == bytes) {
        cg_remark(g, fn, i, "affine", true, "%s: lanes side by side, one vector access%s", what,
                  a->checked ? " while no index wraps" : "");
    } else if (a->is) {
        cg_remark(g, fn, i, "affine", true, "%s: lanes %lld bytes apart%s", what, (long long)a->step,
                  a->checked ? " while no index wraps" : "");
    } else if (!fn->full) {
        cg_remark(g, fn, i, "affine", false, "%s: lane by lane if a subgroup is partial or spans rows", what);
    } else {
        const struct sp_inst *why = culprit(g, pointer);
        cg_remark(g, fn, i, "affine", false,
                  "%s: lane by lane: its address depends on %s%s, which has no constant step", what,
                  why ? sp_op_name(why->op) : "a parameter",
                  why && why->id ? cg_str(g, " %%%u", sp_number(g->m, why->id)) : "");
    }
}

void cg_remark_accesses(struct cg *g, struct cg_function *fn)
{
    if (!g->o->remarks) return;
    CG_EACH (i, b, fn->f) {
        if (i->op == SP_OP_Load || i->op == SP_OP_Store) remark_access(g, fn, i);
    }
}
