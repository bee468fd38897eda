/* body.c - the body of the function being written: its C variables, and the jumps between its blocks. pieces.c makes C
 * functions of it.
 */
#include "body.h"

/* ---- variables */

const char *cg_var(struct cg *g, const char *prefix, uint32_t id)
{
    if (!g->w->body_text) return cg_str(g, "%s%u", prefix, id); /* in choice.c's function */
    uint32_t piece = cg_is_divided(g) ? cg_piece_of(g, id) : 0;
    if (piece != CG_IN_STATE && piece != g->w->body_text->now)
        cg_fail(g, "internal: %s%u is not known to be used in this piece", prefix, id);
    return cg_str(g, piece == CG_IN_STATE ? "state_->%s%u" : "%s%u", prefix, id);
}

const char *cg_result(struct cg *g) { return cg_is_divided(g) ? "state_->result" : "result"; }

void cg_declare_in(struct cg *g, struct sp_text *where, bool zero, const char *type, const char *name)
{
    struct sp_text *text = g->w->c;
    g->w->c = where;
    cg_put(g, "    %s %s%s;\n", type, name, zero ? " = {0}" : "");
    g->w->c = text;
}

void cg_declare(struct cg *g, enum cg_initial initial, const char *type, const char *prefix, uint32_t id,
                const char *dimension)
{
    struct cg_body *b = g->w->body_text;
    const char *name = cg_str(g, "%s%u%s", prefix, id, dimension);
    uint32_t piece = cg_is_divided(g) ? cg_piece_of(g, id) : 0;
    if (piece == CG_IN_STATE)
        cg_declare_in(g, &b->state[initial != CG_ZERO], false, type, name);
    else if (piece != CG_UNUSED)
        cg_declare_in(g, &b->piece[piece].declared, initial == CG_ZERO, type, name);
}

void cg_note_builtin(struct cg *g)
{
    if (g->w->body_text) g->w->body_text->piece[g->w->body_text->now].builtins = true;
}

/* ---- jumps */

/* C that jumps to a label, or returns the entry there. */
static const char *jump(struct cg *g, uint32_t piece, uint32_t entry, uint32_t target, const char *label)
{
    if (!cg_is_divided(g) || piece == g->w->body_text->now) return cg_str(g, "goto %s", label);
    g->w->body_text->entered[target] = 1;
    return cg_str(g, "return %uu", piece << CG_ENTRY_BITS | entry);
}

const char *cg_jump(struct cg *g, uint32_t block, bool coherent)
{
    const struct cg_outline *plan = g->fn->outline;
    const char *label = cg_str(g, "%c%u", coherent ? 'W' : 'L', g->fn->f->blocks[block].label);
    if (!cg_is_divided(g)) return cg_str(g, "goto %s", label);
    uint32_t place = plan->place_of[coherent][block], piece = plan->piece_of_place[place];
    return jump(g, piece, cg_entry_of_place(&plan->cut[piece], place), place, label);
}

const char *cg_jump_to_point(struct cg *g, uint32_t point)
{
    const struct cg_outline *plan = g->fn->outline;
    return jump(g, cg_is_divided(g) ? plan->piece_of_point[point] : 0, cg_entry_of_point(point),
                plan->place_count + point, cg_str(g, "R%u", point + 1));
}

/* ---- pieces */

bool cg_is_cut(const struct cg *g, uint32_t step)
{
    const struct cg_outline *plan = g->fn->outline;
    const struct cg_body *b = g->w->body_text;
    if (b->now + 1 >= plan->pieces) return false;
    return plan->cut[b->now + 1].place == b->place && plan->cut[b->now + 1].step == step;
}

void cg_next_piece(struct cg *g) { g->w->c = &g->w->body_text->piece[++g->w->body_text->now].text; }
void cg_next_place(struct cg *g, uint32_t place) { g->w->body_text->place = place; }
