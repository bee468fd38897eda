/* print.c - XETILE_SOFT_PRINT=after:PASS: prints a function as a pass leaves it, on standard error: its instructions,
 * and the facts about each value.
 */
#include "continuations.h"
#include "matrix.h"
#include "outline.h"

#include <stdio.h>
#include <string.h>

static void print_value(struct cg *g, uint32_t id)
{
    const struct cg_value *v = &g->value[id];
    const struct cg_affine *a = cg_affine(g, id);
    const struct cg_private *p = &g->private[id];
    const struct cg_shared *s = cg_shared(g, id);
    uint32_t root = cg_derived(g, id)->root;
    fprintf(stderr, "  ; %s", v->varying ? "varying" : "uniform");
    if (a->is) fprintf(stderr, ", affine: step %lld%s", (long long)a->step, a->checked ? ", checked" : "");
    if (root) fprintf(stderr, ", derived from %%%u", sp_number(g->m, root));
    if (p->variable) fprintf(stderr, ", %%%u + %lld", sp_number(g->m, p->variable), (long long)p->offset);
    if (p->fixed) fprintf(stderr, ", fixed in items of %u bytes", p->granule);
    if (v->stored_varying) fprintf(stderr, ", holds varying values");
    if (cg_held(g, id)->wide) fprintf(stderr, ", widened");
    if (cg_held(g, id)->tiled) fprintf(stderr, ", tiled");
    if (cg_deferred(g, id)->queue) fprintf(stderr, ", queued");
    if (s->class) fprintf(stderr, ", shares v%u", s->class);
    if (s->forwarded) fprintf(stderr, ", forwarded");
    if (cg_held(g, id)->in_place) fprintf(stderr, ", in place");
    if (s->late) fprintf(stderr, ", written where it is used");
    if (cg_split(g, id)->is) fprintf(stderr, ", only its components");
    if (cg_spelled(g, id)->outer)
        fprintf(stderr, cg_spelled(g, id)->absorbed ? ", absorbed by a product" : ", a sum of a product");
    if (v->blend) fprintf(stderr, ", blended");
    if (!g->fn->outline || g->fn->outline->pieces == 1 || !g->ordinal[id]) return;
    if (cg_piece_of(g, id) == CG_IN_STATE)
        fprintf(stderr, ", shared by pieces");
    else if (cg_piece_of(g, id) != CG_UNUSED)
        fprintf(stderr, ", local to piece %u", cg_piece_of(g, id));
}

static void print_instruction(struct cg *g, const struct sp_inst *i)
{
    fprintf(stderr, "    ");
    if (i->id) fprintf(stderr, "%%%u = ", sp_number(g->m, i->id));
    fprintf(stderr, "%s", sp_op_name(i->op));
    for (uint32_t k = 0; k < i->count; k++) {
        bool value = cg_is_value_operand(i, k) || i->op == SP_OP_Branch || i->op == SP_OP_Phi ||
                     (i->op == SP_OP_BranchConditional && k < 3);
        fprintf(stderr, value ? " %%%u" : " %u", value ? sp_number(g->m, i->operand[k]) : i->operand[k]);
    }
    if (i->id) print_value(g, i->id);
    fprintf(stderr, "\n");
}

void cg_print_after(struct cg *g, const struct cg_function *fn, const char *pass)
{
    const char *wish = g->o->print;
    if (!wish || strncmp(wish, "after:", 6) != 0 || strcmp(wish + 6, pass) != 0) return;
    fprintf(stderr, "function %%%u%s%s after %s, %s\n", sp_number(g->m, fn->f->id), fn->entry ? ", kernel " : "",
            fn->entry ? cg_plain(g, fn->entry->name) : "", pass, fn->full ? "full subgroups" : "any subgroup");
    if (fn->continuation) fprintf(stderr, "  returns at barriers: %u\n", fn->continuation->count);
    for (const struct cg_queue *q = fn->queues; q; q = q->next)
        fprintf(stderr, "  deferred from %%%u: %u x %u x %u products, %u steps\n", sp_number(g->m, q->first->id),
                q->grid.ni, q->grid.nj, q->grid.nk, q->steps);
    for (const struct cg_apart *s = fn->apart; s; s = s->next)
        fprintf(stderr, "  lanes of v%u are apart in the loop at %%%u\n", s->class,
                sp_number(g->m, fn->f->blocks[s->header].label));
    for (uint32_t k = 0; fn->outline && fn->outline->pieces > 1 && k < fn->outline->pieces; k++) {
        const struct cg_cut *cut = &fn->outline->cut[k];
        const struct sp_block *from = &fn->f->blocks[fn->outline->place[cut->place].block];
        fprintf(stderr, "  piece %u begins in block %%%u, step %u\n", k, sp_number(g->m, from->label), cut->step);
    }
    for (uint32_t b = 0; b < fn->f->block_count; b++) {
        const struct cg_block *block = &fn->block[b];
        fprintf(stderr, "  block %%%u", sp_number(g->m, fn->f->blocks[b].label));
        if (block->masked) fprintf(stderr, ", masked, component %u", block->component);
        if (block->masked && fn->coherent && fn->coherent[block->component]) fprintf(stderr, ", coherent path");
        fprintf(stderr, "\n");
        for (uint32_t k = 0; k < fn->f->blocks[b].count; k++) print_instruction(g, &fn->f->blocks[b].inst[k]);
    }
}
