/* outline.c - the places of a function's blocks, and long functions in several pieces.
 *
 * Several passes of gcc and clang take time quadratic in a function's length. So a long function becomes pieces of a
 * moderate length, each a C function of its own. Cuts are made between instructions, preferably between blocks and
 * outside loops. A value is live into or out of a piece if another piece uses its variable, or if the same piece may
 * use it when it runs again, as in a loop through several pieces. Such variables are members of a structure that all
 * pieces share; the others are local to a piece. A function of a few long blocks whose pieces would share much stays
 * whole up to twice the length: compilers take longer for the accesses to that structure.
 *
 * Needs: all other passes, since what they absorb, forward or defer is used elsewhere than where its instruction is.
 * Gives: fn->outline.
 */
#include "outline.h"
#include "continuations.h"
#include "matrix.h"
#include "outer.h"

enum { WHOLE_BYTES = 224 << 10, PIECE_BYTES = 24 << 10 }; /* of C text, as estimated here */
enum { STATEMENT_BYTES = 48, HEAD_BYTES = 180, CASE_BYTES = 140 };
/* As in c/votes.c: parts of a condition that are looked at with the branch, and the most operands of one. */
enum { MAX_VOTES = 8, MAX_VOTE_OPERANDS = 3 };

/* Part of a block that is never divided: an instruction (or several that are written as one), or a case of a switch. */
struct step {
    uint32_t place, number, bytes;
    uint32_t to;  /* the block that it leads to, or one of these: none, all that its block leads to */
    bool may_cut; /* before it */
};
#define NOWHERE UINT32_MAX
#define EVERYWHERE (UINT32_MAX - 1)

struct outline {
    struct cg *g;
    struct cg_function *fn;
    struct cg_outline *plan;
    struct step *step;
    uint32_t step_count;
    int32_t *deep_start, *deep_inside; /* by place: loops that a cut before it, or inside it, would split */
    int32_t *again;                    /* by piece: loops through several pieces including this one */
    uint32_t *seen;                    /* by variable: the place where it was seen first */
    uint32_t piece, at;                /* of the step being looked at */
};

/* ---- places */

static void add_place(struct outline *o, uint32_t block, bool coherent)
{
    o->plan->place_of[coherent][block] = o->plan->place_count;
    o->plan->place[o->plan->place_count++] = (struct cg_place){block, coherent};
}

static void add_component(struct outline *o, uint32_t component)
{
    const struct cg_function *fn = o->fn;
    for (int coherent = 0; coherent <= fn->coherent[component]; coherent++)
        for (uint32_t i = fn->component[component]; i < fn->order_count; i++) {
            if (fn->block[fn->order[i]].component != component) break;
            add_place(o, fn->order[i], coherent);
        }
}

/* Plain blocks in reverse postorder, masked ones with the rest of their component. */
static void find_places(struct outline *o)
{
    const struct cg_function *fn = o->fn;
    uint32_t n = fn->f->block_count;
    uint8_t *done = cg_alloc(o->g, n + 1); /* by component */
    o->plan->place = cg_alloc(o->g, (2 * (size_t)n + 1) * sizeof *o->plan->place);
    for (int k = 0; k < 2; k++) o->plan->place_of[k] = cg_alloc(o->g, (n + 1) * sizeof **o->plan->place_of);
    for (uint32_t i = 0; i < n && !o->g->failed; i++) {
        const struct cg_block *b = &fn->block[fn->rpo[i]];
        if (!b->masked)
            add_place(o, fn->rpo[i], false);
        else if (!done[b->component])
            add_component(o, b->component);
        done[b->component] = 1;
    }
}

/* ---- steps and their estimated text */

static uint32_t leaves(struct cg *g, uint32_t id)
{
    const struct sp_type *t = cg_type_of(g, id);
    return !t || t->kind == SP_VOID ? 1 : cg_value_leaves(g, id)->count;
}

static uint32_t instruction_bytes(struct cg *g, const struct sp_inst *i)
{
    const struct cg_outer *product = i->id ? cg_spelled(g, i->id)->outer : NULL;
    if (product) return i == product->last ? STATEMENT_BYTES * (product->nk * product->ni + product->nj) : 0;
    if (cg_is(i, CG_SILENT) || i->op == SP_OP_Phi || i->op == SP_OP_Variable || i->op == SP_OP_Undef) return 0;
    if (i->id && (g->private[i->id].variable || cg_shared(g, i->id)->forwarded)) return 0;
    if (cg_is(i, CG_BLOCK | CG_PRODUCT)) return 4 * STATEMENT_BYTES;
    if (i->id) return STATEMENT_BYTES * leaves(g, i->id);
    return STATEMENT_BYTES * (i->op == SP_OP_Store ? leaves(g, i->operand[1]) : 1);
}

static uint32_t edge_bytes(struct outline *o, uint32_t to)
{
    const struct sp_block *b = &o->fn->f->blocks[to];
    uint32_t bytes = STATEMENT_BYTES / 2;
    for (uint32_t i = 0; i < b->count && b->inst[i].op == SP_OP_Phi; i++)
        bytes += STATEMENT_BYTES * leaves(o->g, b->inst[i].id);
    return bytes;
}

static void add_step(struct outline *o, uint32_t place, uint32_t number, bool may_cut, uint32_t bytes, uint32_t to)
{
    o->step[o->step_count++] = (struct step){place, number, bytes, to, may_cut && !o->plan->place[place].coherent};
}

/* The end of a block: the edges that leave it, one by one in a varying switch. */
static void add_terminator(struct outline *o, uint32_t place)
{
    const struct cg_place *p = &o->plan->place[place];
    const struct sp_block *b = &o->fn->f->blocks[p->block];
    const struct sp_inst *i = &b->inst[b->count - 1];
    uint32_t bytes = STATEMENT_BYTES, number = b->count;
    struct cg_case c = {0};
    if (i->op == SP_OP_Switch && cg_is_varying(o->g, i->operand[0])) {
        add_step(o, place, b->count - 1, b->count > 1, 2 * STATEMENT_BYTES, NOWHERE);
        while (cg_next_case(o->g, o->fn, p->block, i, &c))
            add_step(o, place, number++, cg_may_cut_cases(b, p->block), CASE_BYTES + c.edge * edge_bytes(o, c.to),
                     c.to);
        return;
    }
    for (uint32_t k = 0; k < b->succ_count; k++) bytes += edge_bytes(o, b->succ[k]);
    add_step(o, place, b->count - 1, b->count > 1, bytes, EVERYWHERE);
}

static void add_steps(struct outline *o, uint32_t place)
{
    const struct cg_place *p = &o->plan->place[place];
    const struct sp_block *b = &o->fn->f->blocks[p->block];
    uint32_t head = o->fn->block[p->block].masked ? HEAD_BYTES : STATEMENT_BYTES / 2, written = 0;
    for (uint32_t i = 0; i + 1 < b->count; i++) {
        add_step(o, place, i, i >= written, instruction_bytes(o->g, &b->inst[i]) + (i ? 0 : head), NOWHERE);
        if (i >= written) written = i + cg_product_span(o->g, &b->inst[i]);
    }
    add_terminator(o, place);
    o->step[o->step_count - 1].bytes += STATEMENT_BYTES / 8;
}

static uint64_t find_steps(struct outline *o)
{
    uint64_t bytes = 0;
    size_t count = 0;
    for (uint32_t p = 0; p < o->plan->place_count; p++) {
        const struct sp_block *b = &o->fn->f->blocks[o->plan->place[p].block];
        count += (size_t)b->count + b->inst[b->count - 1].count; /* a case has two operands, and two steps at most */
    }
    o->step = cg_alloc(o->g, count * sizeof *o->step);
    for (uint32_t p = 0; p < o->plan->place_count && !o->g->failed; p++) {
        uint32_t first = o->step_count;
        add_steps(o, p);
        if (!o->g->failed) o->step[first].may_cut = p != 0;
    }
    for (uint32_t s = 0; s < o->step_count; s++) bytes += o->step[s].bytes;
    return bytes;
}

/* ---- loops */

/* Calls `note` with the first and the last place of each loop in the text, which jumps from the end of the last. */
static void each_loop(struct outline *o, void (*note)(struct outline *o, uint32_t first, uint32_t last))
{
    const struct cg_function *fn = o->fn;
    for (uint32_t p = 0; p < o->plan->place_count; p++) {
        const struct cg_place *from = &o->plan->place[p];
        const struct sp_block *b = &fn->f->blocks[from->block];
        for (uint32_t k = 0; k < b->succ_count; k++) {
            uint32_t to = o->plan->place_of[from->coherent && fn->block[b->succ[k]].masked][b->succ[k]];
            if (to <= p) note(o, to, p);
        }
        if (from->coherent) note(o, o->plan->place_of[0][from->block], p); /* lanes that part continue under masks */
    }
    for (uint32_t l = 0; l < fn->loop_count; l++)
        note(o, o->plan->place_of[0][fn->loop[l].header], o->plan->place_of[0][fn->loop[l].last]);
    for (uint32_t i = 0; fn->loops_irreducible && i < fn->order_count; i++)
        note(o, o->plan->place_of[0][fn->order[fn->component[fn->block[fn->order[i]].component]]],
             o->plan->place_of[0][fn->order[i]]);
}

static void note_depth(struct outline *o, uint32_t first, uint32_t last)
{
    o->deep_start[first + 1]++;
    o->deep_start[last + 1]--;
    o->deep_inside[first]++;
    o->deep_inside[last + 1]--;
}

static void find_depths(struct outline *o)
{
    o->deep_start = cg_alloc(o->g, ((size_t)o->plan->place_count + 2) * sizeof *o->deep_start);
    o->deep_inside = cg_alloc(o->g, ((size_t)o->plan->place_count + 2) * sizeof *o->deep_inside);
    if (o->g->failed) return;
    each_loop(o, note_depth);
    for (uint32_t p = 1; p < o->plan->place_count; p++) {
        o->deep_start[p] += o->deep_start[p - 1];
        o->deep_inside[p] += o->deep_inside[p - 1];
    }
}

static void note_again(struct outline *o, uint32_t first, uint32_t last)
{
    const struct cg_outline *plan = o->plan;
    uint32_t from = plan->piece_of_place[first], to = plan->piece_of_place[last];
    while (to + 1 < plan->pieces && plan->cut[to + 1].place <= last) to++;
    if (from == to) return;
    o->again[from]++;
    o->again[to + 1]--;
}

static void find_again(struct outline *o)
{
    o->again = cg_alloc(o->g, ((size_t)o->plan->pieces + 1) * sizeof *o->again);
    if (o->g->failed) return;
    each_loop(o, note_again);
    for (uint32_t k = 1; k < o->plan->pieces; k++) o->again[k] += o->again[k - 1];
}

/* ---- cuts */

/* The step before which the piece that begins with step `from` should end; step_count: none. */
static uint32_t choose_cut(const struct outline *o, uint32_t from, uint64_t rest, uint32_t most)
{
    uint32_t best = o->step_count;
    uint64_t bytes = 0;
    int32_t least = INT32_MAX;
    if (rest <= most) return best;
    for (uint32_t i = from; i < o->step_count; bytes += o->step[i++].bytes) {
        const struct step *s = &o->step[i];
        if (i == from || !s->may_cut || bytes < most / 2) continue;
        if (bytes > most && best != o->step_count) return best;
        int32_t deep = 2 * (s->number ? o->deep_inside : o->deep_start)[s->place] + (s->number != 0);
        if (deep > least) continue;
        least = deep;
        best = i;
    }
    return best;
}

static void choose_cuts(struct outline *o, uint64_t bytes, uint32_t most)
{
    struct cg_cut *cut = cg_alloc(o->g, ((size_t)o->step_count + 1) * sizeof *cut);
    o->plan->piece_of_place = cg_alloc(o->g, (o->plan->place_count + 1) * sizeof *o->plan->piece_of_place);
    if (o->g->failed) return;
    o->plan->pieces = 0;
    o->plan->cut = cut;
    for (uint32_t from = 0, to; from < o->step_count; from = to) {
        to = choose_cut(o, from, bytes, most);
        cut[o->plan->pieces++] = (struct cg_cut){o->step[from].place, o->step[from].number};
        for (uint32_t i = from; i < to; i++) {
            bytes -= o->step[i].bytes;
            if (!i || o->step[i].place != o->step[i - 1].place)
                o->plan->piece_of_place[o->step[i].place] = o->plan->pieces - 1;
        }
    }
}

/* ---- uses of variables */

/* Where the variables of a block are in the table, after those of all values. */
static uint32_t row_of_block(const struct cg_function *fn, uint32_t block) { return fn->value_count + 1 + block; }

/* A variable is used in the current step; `zero`: its value from before may be needed whenever the piece runs. */
static void use_row(struct outline *o, uint32_t row, bool zero)
{
    uint32_t *piece = &o->plan->piece_of_value[row];
    if (*piece == CG_UNUSED) o->seen[row] = o->at;
    if ((*piece != CG_UNUSED && *piece != o->piece) || (o->again[o->piece] && (zero || o->seen[row] != o->at)))
        *piece = CG_IN_STATE;
    if (*piece == CG_UNUSED) *piece = o->piece;
}

static void use_block(struct outline *o, uint32_t block) { use_row(o, row_of_block(o->fn, block), true); }

static void use_one(struct outline *o, uint32_t id)
{
    const struct cg *g = o->g;
    const struct sp_inst *i = g->m->ids[id].def;
    bool zero = !i || i->op == SP_OP_Phi || i->op == SP_OP_Variable || g->value[id].blend;
    if (g->ordinal[id]) use_row(o, g->ordinal[id], zero);
}

/* All variables that the value of `id` may be read from or written to. */
static void use_value(struct outline *o, uint32_t id)
{
    struct cg *g = o->g;
    uint32_t class = cg_class(g, id), variables[] = {id,
                                                     class,
                                                     cg_derived(g, id)->root,
                                                     cg_deferred(g, class)->group,
                                                     g->private[id].variable,
                                                     cg_forwarded_from(g, id),
                                                     cg_late_from(g, id)};
    for (size_t k = 0; k < sizeof variables / sizeof *variables; k++)
        if (variables[k] && (!k || variables[k] != id)) use_one(o, variables[k]);
}

static void use_product(struct outline *o, const struct cg_outer *p)
{
    for (uint32_t k = 0; k < p->ni * p->nj; k++) {
        use_value(o, p->before[k]);
        use_value(o, p->after[k]);
    }
    for (uint32_t k = 0; k < p->nk * p->ni; k++) use_value(o, p->row[k].id);
    for (uint32_t k = 0; k < p->nj * p->sources; k++) use_value(o, p->source[k].id);
}

/* A condition and, as lanes may vote by its operands, what it is computed from in the block. */
static void use_condition(struct outline *o, uint32_t id, uint32_t block, uint32_t depth)
{
    const struct sp_id *d = &o->g->m->ids[id];
    use_value(o, id);
    if (!depth || d->what != SP_IS_VALUE || d->block != block || d->def->op == SP_OP_Phi) return;
    if (d->def->count > MAX_VOTE_OPERANDS) return; /* nothing that votes look through has more */
    CG_EACH_VALUE (k, d->def) use_condition(o, d->def->operand[k], block, depth - 1);
}

/* A barrier at which the kernel returns: what its frame keeps, or is computed again after it. */
static void use_kept(struct outline *o, const struct sp_inst *barrier)
{
    const struct cg_continuation *c = o->fn->continuation;
    for (uint32_t n = 0; c && n < c->count; n++) {
        if (c->point[n].barrier != barrier) continue;
        o->plan->piece_of_point[n] = o->piece;
        for (uint32_t k = 0; k < c->value_count; k++)
            if (cg_contains(c->point[n].live, k) || cg_contains(c->remade, k)) use_value(o, c->value[k]);
        CG_EACH (i, b, o->fn->f)
            if (i->op == SP_OP_Variable) use_value(o, i->id);
    }
}

static void use_edge(struct outline *o, uint32_t from, uint32_t to)
{
    const struct sp_block *b = &o->fn->f->blocks[to];
    uint32_t label = o->fn->f->blocks[from].label;
    use_block(o, to);
    for (uint32_t i = 0; i < b->count && b->inst[i].op == SP_OP_Phi; i++) {
        use_value(o, b->inst[i].id);
        use_value(o, cg_phi_source(o->g, &b->inst[i], label));
    }
    for (const struct cg_queue *q = o->fn->queues; q; q = q->next) { /* deferred products are done here */
        if (!q->inside[from] || q->inside[to]) continue;
        for (uint32_t k = 0; k < q->grid.ni * q->grid.nj; k++)
            use_value(o, q->grid.cell[k / q->grid.nj][k % q->grid.nj]->class);
    }
    for (const struct cg_apart *s = o->fn->apart; s; s = s->next) /* and lanes added up */
        if (s->inside[from] && !s->inside[to]) use_value(o, s->class);
}

static void use_operands(struct outline *o, const struct sp_inst *i)
{
    const struct cg_outer *product = i->id ? cg_spelled(o->g, i->id)->outer : NULL;
    if (product) {
        if (i == product->last) use_product(o, product);
        return;
    }
    if (i->op == SP_OP_Phi) return;
    if (i->id) use_value(o, i->id);
    CG_EACH_VALUE (k, i) use_value(o, i->operand[k]);
    struct cg_need need[CG_MAX_NEEDS];
    for (uint32_t n = o->g->o->check ? cg_needs(o->g, i, need) : 0; n; n--) use_value(o, need[n - 1].id);
}

static void use_in_step(struct outline *o, const struct step *s)
{
    const struct cg_place *p = &o->plan->place[s->place];
    const struct cg_function *fn = o->fn;
    const struct sp_block *b = &fn->f->blocks[p->block];
    const struct sp_inst *i = &b->inst[s->number < b->count ? s->number : b->count - 1];
    use_block(o, p->block);
    if (s->number < b->count)
        use_operands(o, i);
    else
        use_value(o, i->operand[0]); /* a case of a switch with perhaps thousands of them: its selector */
    if (i->op == SP_OP_ControlBarrier) use_kept(o, i);
    if (s->number + 1 < b->count) return;
    if (i->op == SP_OP_BranchConditional) use_condition(o, i->operand[0], p->block, MAX_VOTES);
    for (uint32_t k = 0; s->to == EVERYWHERE && k < b->succ_count; k++) use_edge(o, p->block, b->succ[k]);
    if (s->to < fn->f->block_count) use_edge(o, p->block, s->to);
    for (uint32_t l = fn->block[p->block].loop; l && fn->loop[l - 1].last == p->block; l = fn->loop[l - 1].parent)
        use_block(o, fn->loop[l - 1].header);
}

/* In all pieces: parameters, and variables that have addresses or are set where the function begins. */
static void use_everywhere(struct outline *o)
{
    struct cg *g = o->g;
    uint32_t *piece = o->plan->piece_of_value;
    for (uint32_t k = 0; k < o->fn->f->param_count; k++) piece[g->ordinal[o->fn->f->params[k]]] = CG_IN_STATE;
    CG_EACH (i, b, o->fn->f)
        if (i->op == SP_OP_Variable && (!g->private[i->id].fixed || i->count > 1 || cg_deferred(g, i->id)->queue))
            piece[g->ordinal[i->id]] = CG_IN_STATE;
    for (const struct cg_queue *q = o->fn->queues; q; q = q->next) piece[g->ordinal[q->first->id]] = CG_IN_STATE;
    for (uint32_t k = 0; o->fn->loops_irreducible && k < o->fn->f->block_count; k++)
        piece[row_of_block(o->fn, k)] = CG_IN_STATE;
}

static void find_uses(struct outline *o)
{
    struct cg *g = o->g;
    const struct cg_continuation *c = o->fn->continuation;
    uint32_t rows = row_of_block(o->fn, o->fn->f->block_count);
    o->plan->piece_of_value = cg_alloc(g, rows * sizeof *o->plan->piece_of_value);
    o->seen = cg_alloc(g, rows * sizeof *o->seen);
    o->plan->piece_of_point = cg_alloc(g, ((c ? c->count : 0) + 1) * sizeof *o->plan->piece_of_point);
    if (g->failed) return;
    for (uint32_t n = 0; n < rows; n++) o->plan->piece_of_value[n] = CG_UNUSED;
    use_everywhere(o);
    for (uint32_t i = 0; i < o->step_count; i++) {
        const struct cg_cut *next = &o->plan->cut[o->piece + 1];
        o->at = o->step[i].place;
        if (o->piece + 1 < o->plan->pieces && next->place == o->at && next->step == o->step[i].number) o->piece++;
        use_in_step(o, &o->step[i]);
    }
}

/* Would the pieces of a few long blocks have a quarter of the variables in common? */
static bool is_better_whole(const struct outline *o, uint64_t bytes)
{
    uint32_t shared = 0, used = 0;
    if (bytes > 2 * WHOLE_BYTES || bytes / PIECE_BYTES < o->plan->place_count) return false;
    for (uint32_t n = 0; n < row_of_block(o->fn, 0); n++) {
        shared += o->plan->piece_of_value[n] == CG_IN_STATE;
        used += o->plan->piece_of_value[n] != CG_UNUSED;
    }
    return shared > used / 4;
}

uint32_t cg_piece_of(const struct cg *g, uint32_t id)
{
    const struct sp_id *d = &g->m->ids[id];
    return g->fn->outline->piece_of_value[d->what == SP_IS_LABEL ? row_of_block(g->fn, d->block) : g->ordinal[id]];
}

void cg_outline(struct cg *g, struct cg_function *fn)
{
    uint32_t most = g->o->piece_bytes;
    struct outline o = {.g = g, .fn = fn, .plan = cg_alloc(g, sizeof *o.plan)};
    if (g->failed) return;
    o.plan->pieces = 1;
    find_places(&o);
    uint64_t bytes = g->failed ? 0 : find_steps(&o);
    fn->outline = o.plan;
    if (g->failed || (!most && bytes <= WHOLE_BYTES)) return;
    find_depths(&o);
    if (!g->failed) choose_cuts(&o, bytes, most ? most : PIECE_BYTES);
    if (!g->failed) find_again(&o);
    if (!g->failed) find_uses(&o);
    if (!g->failed && !most && is_better_whole(&o, bytes))
        *o.plan = (struct cg_outline){.pieces = 1,
                                      .place_count = o.plan->place_count,
                                      .place = o.plan->place,
                                      .place_of = {o.plan->place_of[0], o.plan->place_of[1]}};
}
