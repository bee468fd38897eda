/* cases.c - the cases of a switch on a varying selector, in the order in which they are written.
 *
 * Edges that leave the loop come first, because the others may overwrite its head's phis. The lanes for the default
 * block are known after all cases; so if it leaves the loop, the other cases are compared once more before it.
 */
#include "ir.h"

bool cg_may_cut_cases(const struct sp_block *b, uint32_t block)
{
    for (uint32_t k = 0; k < b->succ_count; k++)
        if (b->succ[k] == block) return false;
    return true;
}

bool cg_next_case(struct cg *g, const struct cg_function *fn, uint32_t from, const struct sp_inst *s, struct cg_case *c)
{
    static const struct {
        bool is_default, staying, edge;
        int if_default_stays; /* -1: in either case */
    } rounds[] = {{false, false, true, -1},
                  {false, true, false, 0},
                  {true, false, true, 0},
                  {false, true, true, -1},
                  {true, true, true, 1}};
    uint32_t words = cg_width_of(g, s->operand[0]) == 64 ? 2 : 1, other = g->m->ids[s->operand[1]].block;
    for (; c->round < sizeof rounds / sizeof *rounds; c->round++, c->next = 0) {
        int wanted = rounds[c->round].if_default_stays;
        if (wanted >= 0 && cg_stays_in_loop(fn, from, other) != wanted) continue;
        for (; c->next + words < (rounds[c->round].is_default ? words + 1 : s->count - 2u);) {
            uint32_t at = 2 + c->next;
            c->next += words + 1;
            c->is_default = rounds[c->round].is_default;
            c->literal = 0;
            for (uint32_t k = 0; k < words && !c->is_default; k++) c->literal |= (uint64_t)s->operand[at + k] << 32 * k;
            c->to = c->is_default ? other : g->m->ids[s->operand[at + words]].block;
            c->edge = rounds[c->round].edge;
            if (c->is_default || cg_stays_in_loop(fn, from, c->to) == rounds[c->round].staying) return true;
        }
    }
    return false;
}
