/* outer.c - matrix products that a module spells out: multiplications and additions of vectors whose one factor is the
 * same in all components and whose other is broadcast from lanes, component by component. Headers write them where
 * there is no matrix instruction for the types.
 *
 * Compilers take seconds for thousands of such statements. So the additions that lead from one sum to the next are
 * gathered into chains, and chains that form a grid are written as one call of c/prelude_matrix.h's XS_OUTER, at the
 * place of the last addition. Nothing is written for what only they use; it is `absorbed`.
 */
#include "outer.h"

#include <string.h>

enum { LEAST_STEPS = 16, MAX_WIDTH = 8, MAX_CHAINS = 1024 };

/* One addition: its sum is `sum`, or the addition before it in the chain. */
struct link {
    uint32_t add, product, x, y, chain, next; /* x: the scalar that all components are; next: + 1 */
};

struct chain {
    uint32_t first, last, count, head, tail, width, type; /* head, tail: links, + 1 */
};

struct search {
    struct cg *g;
    struct cg_function *fn;
    const struct sp_block *block;
    uint32_t *uses, *inside; /* by ordinal: uses of a value; uses by absorbed ones */
    uint32_t *place;         /* by ordinal: of values of this block, index + 1 */
    uint32_t *chain_of;      /* by ordinal: of the last sum of a chain, its number + 1 */
    struct cg_spelled *spelled;
    uint32_t written; /* the block's instructions from here on write no memory, up to the product */
    struct link *link;
    uint32_t link_count, link_room;
    struct chain chain[MAX_CHAINS];
    uint32_t chain_count;
};

static uint32_t ordinal(const struct search *s, uint32_t id) { return s->g->ordinal[id]; }
static const struct sp_inst *definition(const struct search *s, uint32_t id) { return s->g->m->ids[id].def; }
static bool is_here(const struct search *s, uint32_t id) { return ordinal(s, id) && s->place[ordinal(s, id)]; }

/* ---- the parts of an addition */

static bool has_kind(struct search *s, uint32_t type, bool is_float)
{
    const struct cg_leaves *l = cg_leaves_of(s->g, type);
    if (!l->count || l->count > MAX_WIDTH || l->many || l->leaf[0].narrow) return false;
    enum cg_kind kind = l->leaf[0].kind;
    return is_float ? kind == CG_F32 || kind == CG_F64
                    : l->count > 1 && (kind == CG_U16 || kind == CG_U32 || kind == CG_U64);
}

/* The scalar that all components of the vector are; 0: they differ. */
static uint32_t splat_of(struct search *s, uint32_t id, uint32_t width)
{
    const struct sp_inst *d = definition(s, id);
    if (width == 1) return id;
    if (s->g->m->ids[id].what != SP_IS_VALUE || d->op != SP_OP_CompositeConstruct || d->count != width) return 0;
    for (uint32_t e = 1; e < width; e++)
        if (d->operand[e] != d->operand[0]) return 0;
    return d->operand[0];
}

/* The value, less the zero that hides it from Intel's compiler (spirv_emit/igc.c). */
static uint32_t unhidden(struct search *s, uint32_t id)
{
    const struct sp_inst *d = definition(s, id);
    bool hides = s->g->m->ids[id].what == SP_IS_VALUE && d->op == SP_OP_BitwiseOr;
    return hides && cg_is_hidden_zero(s->g, d->operand[1]) ? d->operand[0] : id;
}

/* Both instructions have the same operands. */
static bool broadcasts_in_subgroup(const struct cg *g, const struct sp_inst *i)
{
    return i->op == SP_OP_GroupNonUniformBroadcast || (i->op == SP_OP_GroupBroadcast && !cg_waits(g, i));
}

static const struct sp_inst *broadcast_of(struct search *s, uint32_t id, uint64_t *lane)
{
    id = unhidden(s, id);
    const struct sp_inst *d = definition(s, id);
    if (s->g->m->ids[id].what != SP_IS_VALUE || !broadcasts_in_subgroup(s->g, d)) return NULL;
    return sp_constant(s->g->m, d->operand[2], lane) && *lane < s->g->S ? d : NULL;
}

static uint32_t component(struct search *s, uint32_t id, uint32_t e, uint32_t width)
{
    return width == 1 ? id : definition(s, id)->operand[e];
}

static bool is_broadcast(struct search *s, uint32_t id, uint32_t width)
{
    const struct sp_inst *d = definition(s, id);
    uint64_t lane;
    if (s->g->m->ids[id].what != SP_IS_VALUE) return false;
    if (width > 1 && (d->op != SP_OP_CompositeConstruct || d->count != width)) return false;
    for (uint32_t e = 0; e < width; e++)
        if (!broadcast_of(s, component(s, id, e, width), &lane)) return false;
    return true;
}

/* Is `id` a product that only this addition uses? Its factors. */
static bool take_product(struct search *s, const struct sp_inst *add, uint32_t id, struct link *l)
{
    const struct sp_inst *d = definition(s, id);
    uint32_t width = cg_leaves_of(s->g, add->type)->count;
    if (!is_here(s, id) || s->uses[ordinal(s, id)] != 1 || s->g->value[id].blend) return false;
    if (d->op != (add->op == SP_OP_FAdd ? SP_OP_FMul : SP_OP_IMul)) return false;
    l->product = id;
    for (uint32_t k = 0; k < 2; k++) {
        l->x = splat_of(s, d->operand[k], width);
        l->y = d->operand[1 - k];
        if (l->x && cg_is_varying(s->g, l->x) && is_broadcast(s, l->y, width)) return true;
    }
    return false;
}

/* ---- chains */

static void append(struct search *s, struct link *l, uint32_t sum, const struct sp_inst *add)
{
    uint32_t *of = &s->chain_of[ordinal(s, sum)], number = s->link_count + 1;
    bool goes_on = ordinal(s, sum) && *of && s->uses[ordinal(s, sum)] == 1;
    if (!goes_on && s->chain_count == MAX_CHAINS) return;
    if (!goes_on) {
        s->chain[s->chain_count] =
            (struct chain){.first = sum, .width = cg_leaves_of(s->g, add->type)->count, .type = add->type};
        l->chain = s->chain_count++;
    } else {
        l->chain = *of - 1;
        *of = 0;
    }
    struct chain *c = &s->chain[l->chain];
    if (c->tail)
        s->link[c->tail - 1].next = number;
    else
        c->head = number;
    c->tail = number;
    c->last = add->id;
    c->count++;
    s->chain_of[ordinal(s, add->id)] = l->chain + 1;
    s->link[s->link_count++] = *l;
}

static void add_link(struct search *s, const struct sp_inst *add)
{
    struct link l = {.add = add->id};
    bool is_float = add->op == SP_OP_FAdd;
    if ((!is_float && add->op != SP_OP_IAdd) || s->link_count == s->link_room) return;
    if (s->g->value[add->id].blend || !has_kind(s, add->type, is_float)) return;
    for (uint32_t k = 0; k < 2; k++) {
        if (!take_product(s, add, add->operand[k], &l)) continue;
        append(s, &l, add->operand[1 - k], add);
        return;
    }
}

/* ---- grids */

static bool same_factors(const struct search *s, const struct chain *a, const struct chain *b, bool rows)
{
    uint32_t p = a->head, q = b->head;
    for (; p && q; p = s->link[p - 1].next, q = s->link[q - 1].next)
        if (rows ? s->link[p - 1].x != s->link[q - 1].x : s->link[p - 1].y != s->link[q - 1].y) return false;
    return !p && !q;
}

static uint32_t find_line(const struct search *s, const struct chain **line, uint32_t *count, const struct chain *c,
                          bool rows)
{
    uint32_t n = 0;
    while (n < *count && !same_factors(s, line[n], c, rows)) n++;
    if (n == *count) line[(*count)++] = c;
    return n;
}

/* The value that a scalar is taken from. */
static struct cg_lanes lanes_of(struct search *s, uint32_t id)
{
    const struct sp_id *d = &s->g->m->ids[id];
    if (d->what == SP_IS_VALUE && d->def->op == SP_OP_CompositeExtract && d->def->count == 2 && is_here(s, id) &&
        sp_type(s->g->m, s->g->m->ids[d->def->operand[0]].type)->kind == SP_VECTOR)
        return (struct cg_lanes){d->def->operand[0], d->def->operand[1]};
    return (struct cg_lanes){id, 0};
}

/* Where the value is among the sources of a column, to which it is added if it is new. */
static uint32_t find_source(struct cg_lanes *source, uint32_t *count, struct cg_lanes v)
{
    uint32_t n = 0;
    while (n < *count && (source[n].id != v.id || source[n].leaf != v.leaf)) n++;
    if (n == *count) source[(*count)++] = v;
    return n;
}

/* The sources of column j and where its elements are among them; false if that is no regular order, or another than
 * that of the first column. */
static bool find_sources(struct search *s, struct cg_outer *o, const struct chain *c, uint32_t j,
                         struct cg_lanes *source, uint32_t *at)
{
    uint32_t count = 0, k = 0;
    for (uint32_t l = c->head; l; l = s->link[l - 1].next, k++) {
        for (uint32_t e = 0; e < o->width; e++) {
            uint64_t lane = 0;
            const struct sp_inst *b = broadcast_of(s, component(s, s->link[l - 1].y, e, o->width), &lane);
            uint32_t here = find_source(source, &count, lanes_of(s, b->operand[1])) * s->g->S + (uint32_t)lane;
            if (j == 0 && e == 0) at[k] = here;
            if (j == 0 && e == 1 && k == 0) o->step = here - at[0];
            if (here != at[k] + e * o->step) return false;
        }
    }
    if (j == 0) o->sources = count;
    return count == o->sources;
}

static uint32_t index_of(const struct search *s, uint32_t id) { return s->place[ordinal(s, id)] - 1; }

/* ---- operands that can be read where they are */

/* The pointer that the value was loaded through, if it is one scalar for each lane that is still in memory; or 0. */
static uint32_t loaded_through(struct search *s, struct cg_lanes v, enum cg_kind kind)
{
    const struct sp_inst *d = is_here(s, v.id) ? definition(s, v.id) : NULL;
    if (d && d->op == SP_OP_CompositeConstruct && d->count == cg_leaves_of(s->g, d->type)->count)
        d = is_here(s, d->operand[v.leaf]) ? definition(s, d->operand[v.leaf]) : NULL;
    if (!d || d->op != SP_OP_Load || index_of(s, d->id) < s->written) return 0;
    const struct cg_leaves *l = cg_leaves_of(s->g, d->type);
    const struct sp_type *t = sp_type(s->g->m, s->g->m->ids[d->operand[0]].type);
    bool is_volatile = d->count > 1 && d->operand[1] & SP_ACCESS_Volatile;
    bool plain = l->count == 1 && l->leaf[0].kind == kind && !l->leaf[0].narrow && !is_volatile;
    return plain && t->storage != SP_STORAGE_Function ? d->operand[0] : 0;
}

/* The pointer that the first of n values was loaded through, if the others follow it in memory; or 0. */
static uint32_t find_strip(struct search *s, const struct cg_lanes *v, uint32_t n, enum cg_kind kind)
{
    uint32_t first = 0, base = 0;
    int64_t start = 0, offset;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t pointer = loaded_through(s, v[k], kind), from = pointer ? cg_pointer_base(s->g, pointer, &offset) : 0;
        if (k == 0) first = pointer, base = from, start = offset;
        if (!from || from != base || cg_minus(offset, start) != (int64_t)k * s->g->S * cg_kind_bytes(kind)) return 0;
    }
    return first;
}

/* The chains of sums of one type and length. */
static bool is_alike(const struct chain *a, const struct chain *b)
{
    return a->type == b->type && a->count == b->count;
}

/* Does anything but the additions use the sums before all of them are there? */
static bool is_used_early(struct search *s, const struct chain *like, uint32_t start, uint32_t end)
{
    for (uint32_t k = start; k <= end; k++) {
        const struct sp_inst *i = &s->block->inst[k];
        for (uint32_t v = 0; v < i->count; v++) {
            uint32_t c = cg_is_value_operand(i, v) ? s->chain_of[ordinal(s, i->operand[v])] : 0;
            if (c && is_alike(&s->chain[c - 1], like)) return true;
        }
    }
    return false;
}

/* The lines of a grid, and which chain is where; false: they form none. */
struct grid {
    const struct chain *row[MAX_CHAINS], *column[MAX_CHAINS], **cell;
    uint32_t ni, nj, start, end;
};

static bool find_grid(struct search *s, const struct chain *like, struct grid *r)
{
    uint32_t count = 0;
    r->ni = r->nj = r->end = 0;
    r->start = UINT32_MAX;
    for (uint32_t n = 0; n < s->chain_count; n++) {
        if (!is_alike(&s->chain[n], like)) continue;
        find_line(s, r->row, &r->ni, &s->chain[n], true);
        find_line(s, r->column, &r->nj, &s->chain[n], false);
        count++;
    }
    r->cell = cg_alloc(s->g, (size_t)count * sizeof *r->cell);
    if (!r->cell || count != r->ni * r->nj) return false;
    for (uint32_t n = 0; n < s->chain_count; n++) {
        const struct chain *c = &s->chain[n];
        if (!is_alike(c, like)) continue;
        uint32_t i = find_line(s, r->row, &r->ni, c, true), j = find_line(s, r->column, &r->nj, c, false);
        if (r->cell[i * r->nj + j]) return false;
        r->cell[i * r->nj + j] = c;
        uint32_t first = index_of(s, s->link[c->head - 1].product), last = index_of(s, c->last);
        if (first < r->start) r->start = first;
        if (last > r->end) r->end = last;
    }
    return !is_used_early(s, like, r->start, r->end);
}

/* NULL: B's elements are in no regular order. */
static struct cg_outer *describe(struct search *s, const struct chain *like, const struct grid *r)
{
    struct cg *g = s->g;
    struct cg_outer *o = cg_alloc(g, sizeof *o);
    uint32_t n = r->ni * r->nj, *before = cg_alloc(g, n * sizeof *before), *after = cg_alloc(g, n * sizeof *after);
    uint32_t *at = cg_alloc(g, like->count * sizeof *at), most = like->count * like->width;
    struct cg_lanes *row = cg_alloc(g, (size_t)r->ni * like->count * sizeof *row);
    struct cg_lanes *source = cg_alloc(g, ((size_t)r->nj + 1) * most * sizeof *source);
    if (g->failed) return NULL;
    *o = (struct cg_outer){.end = r->end, .last = &s->block->inst[r->end], .ni = r->ni, .nj = r->nj, .nk = like->count};
    o->width = like->width;
    o->kind = cg_leaves_of(g, like->type)->leaf[0].kind;
    o->before = before, o->after = after, o->row = row, o->source = source, o->at = at;
    for (uint32_t c = 0; c < n; c++) {
        before[c] = r->cell[c]->first;
        after[c] = r->cell[c]->last;
    }
    for (uint32_t i = 0; i < r->ni; i++)
        for (uint32_t l = r->row[i]->head, k = 0; l; l = s->link[l - 1].next, k++)
            row[k * r->ni + i] = lanes_of(s, s->link[l - 1].x);
    for (uint32_t j = 0; j < r->nj; j++)
        if (!find_sources(s, o, r->column[j], j, source + (size_t)j * o->sources, at)) return NULL;
    o->rows_at = find_strip(s, row, o->nk * o->ni, o->kind);
    o->sources_at = find_strip(s, source, o->nj * o->sources, o->kind);
    return o;
}

/* ---- absorbed instructions */

static void absorb(struct search *s, uint32_t id, const struct cg_outer *o)
{
    struct cg_spelled *v = &s->spelled[ordinal(s, id)];
    v->absorbed = true;
    if (!v->outer || v->outer->end < o->end) v->outer = o;
}

static void count_inside(struct search *s, uint32_t id) { s->inside[ordinal(s, id)]++; }

static void take_grid(struct search *s, struct cg_outer *o, const struct grid *r)
{
    for (uint32_t c = 0; c < r->ni * r->nj; c++) {
        for (uint32_t l = r->cell[c]->head; l; l = s->link[l - 1].next) {
            const struct sp_inst *product = definition(s, s->link[l - 1].product);
            absorb(s, product->id, o);
            absorb(s, s->link[l - 1].add, o);
            count_inside(s, product->operand[0]);
            count_inside(s, product->operand[1]);
        }
        s->spelled[ordinal(s, r->cell[c]->last)].absorbed = false;
    }
    o->next = s->fn->outer;
    s->fn->outer = o;
    cg_remark(s->g, s->fn, o->last, "outer", true, "%u products and sums are a matrix product of %u x %u x %u",
              o->ni * o->nj * o->nk, o->ni * s->g->S, o->nj * o->width, o->nk);
}

/* The last grid of the block, with which everything that only grids use is written. */
static const struct cg_outer *last_outer(const struct search *s)
{
    const struct cg_outer *last = NULL;
    for (const struct cg_outer *o = s->fn->outer; o; o = o->next)
        if (o->last == &s->block->inst[o->end] && (!last || o->end > last->end)) last = o;
    return last;
}

/* Backwards: vectors of broadcasts, broadcasts and their sources, if nothing else uses them. */
static void absorb_operands(struct search *s)
{
    const struct cg_outer *o = last_outer(s);
    for (uint32_t k = s->block->count; o && k-- > 0;) {
        const struct sp_inst *i = &s->block->inst[k];
        uint32_t n = i->id ? ordinal(s, i->id) : 0;
        if (!n || !s->inside[n] || s->inside[n] != s->uses[n]) continue;
        if (i->op == SP_OP_CompositeConstruct) {
            for (uint32_t e = 0; e < i->count; e++) count_inside(s, i->operand[e]);
        } else if (broadcasts_in_subgroup(s->g, i)) {
            const struct sp_inst *of = definition(s, i->operand[1]);
            if (is_here(s, i->operand[1]) && of->op == SP_OP_CompositeExtract) count_inside(s, of->id);
        } else if (unhidden(s, i->id) != i->id) {
            count_inside(s, unhidden(s, i->id));
        } else if (i->op != SP_OP_CompositeExtract || lanes_of(s, i->id).id == i->id) {
            continue;
        }
        absorb(s, i->id, o);
    }
}

/* ---- blocks */

static void search_run(struct search *s, uint32_t from, uint32_t to, struct grid *r)
{
    s->link_count = s->chain_count = 0;
    for (uint32_t k = from; k < to; k++) add_link(s, &s->block->inst[k]);
    for (uint32_t n = 0; n < s->chain_count && !s->g->failed; n++) {
        const struct chain *like = &s->chain[n];
        uint32_t before = 0, steps = 0;
        for (uint32_t k = 0; k < n; k++) before += is_alike(&s->chain[k], like);
        for (uint32_t k = n; k < s->chain_count; k++) steps += is_alike(&s->chain[k], like) ? like->count : 0;
        if (before || steps < LEAST_STEPS || !find_grid(s, like, r)) continue;
        struct cg_outer *o = describe(s, like, r);
        if (o) take_grid(s, o, r);
    }
    for (uint32_t n = 0; n < s->chain_count; n++) s->chain_of[ordinal(s, s->chain[n].last)] = 0;
}

static void search_block(struct search *s, struct grid *r)
{
    const struct sp_block *b = s->block;
    const struct cg_outer *found = s->fn->outer;
    for (uint32_t k = 0; k < b->count; k++)
        if (b->inst[k].id) s->place[ordinal(s, b->inst[k].id)] = k + 1;
    s->written = 0;
    for (uint32_t k = 0; k < b->count && !s->g->failed; k++) {
        uint32_t from = k, additions = 0;
        for (; k < b->count && cg_is(&b->inst[k], CG_SPELLS) && !cg_waits(s->g, &b->inst[k]); k++)
            additions += b->inst[k].op == SP_OP_FAdd || b->inst[k].op == SP_OP_IAdd;
        if (additions >= LEAST_STEPS) search_run(s, from, k, r);
        if (k < b->count && cg_may_write(s->g, &b->inst[k])) s->written = k + 1;
    }
    if (s->fn->outer != found) absorb_operands(s);
    for (uint32_t k = 0; k < b->count; k++)
        if (b->inst[k].id) s->place[ordinal(s, b->inst[k].id)] = 0;
}

/* Counts what each value is used for, and additions. */
static void survey(struct search *s)
{
    CG_EACH (i, b, s->fn->f) {
        s->link_room += i->op == SP_OP_FAdd || i->op == SP_OP_IAdd;
        CG_EACH_VALUE (k, i) s->uses[ordinal(s, i->operand[k])]++;
    }
}

/* Worth a search: are there as many broadcasts as a product has at least? */
static bool has_broadcasts(const struct cg *g, const struct sp_function *f)
{
    uint32_t n = 0;
    CG_EACH (i, b, f) n += broadcasts_in_subgroup(g, i);
    return n >= LEAST_STEPS;
}

void cg_find_outer(struct cg *g, struct cg_function *fn)
{
    size_t values = (size_t)fn->value_count + 1;
    if (fn->f->is_declaration || g->smallest_S != g->largest_S || !has_broadcasts(g, fn->f)) return;
    struct search *s = cg_alloc(g, sizeof *s);
    struct grid *r = cg_alloc(g, sizeof *r);
    if (g->failed) return;
    s->g = g;
    s->fn = fn;
    s->uses = cg_alloc(g, values * sizeof *s->uses);
    s->inside = cg_alloc(g, values * sizeof *s->inside);
    s->place = cg_alloc(g, values * sizeof *s->place);
    s->chain_of = cg_alloc(g, values * sizeof *s->chain_of);
    fn->spelled = s->spelled = cg_alloc(g, values * sizeof *s->spelled);
    if (g->failed) return;
    survey(s);
    s->link = cg_alloc(g, (s->link_room + 1) * sizeof *s->link);
    for (uint32_t b = 0; b < fn->f->block_count && !g->failed; b++) {
        s->block = &fn->f->blocks[b];
        search_block(s, r);
    }
}
