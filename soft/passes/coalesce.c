/* coalesce.c - matrix fragments that share one C variable, so that accumulators need no copies.
 *
 * A matrix product may overwrite its accumulator operand if that is dead afterwards, and a phi may share a variable
 * with the value that a loop feeds back to it. Two values may share a variable if neither is live where the other is
 * defined. Fragments loaded from a private variable that does not change before their use are not copied either: the
 * product or conversion reads the variable. Only plain blocks qualify, because under a mask other lanes may still need
 * the old value.
 *
 * Needs: divergence, addresses. Gives: cg_shared; and cg_held, by way of widening.c.
 */
#include "live.h"
#include "matrix.h"
#include "own.h"

enum { MAX_CANDIDATES = 4096, MAX_CLASS = 64 };

struct candidate {
    uint32_t id, block;  /* its definition */
    uint32_t class_next; /* ring of the values that share */
    uint64_t *after;     /* the candidates that are live after its definition */
};

struct storage {
    struct cg *g;
    struct cg_function *fn;
    struct candidate *c;
    uint32_t count;
    uint8_t *of_products; /* by index of a type: some product here has it */
    struct cg_live live;
};

CG_OWN_ROW(shared)

static bool is_product(const struct sp_inst *i)
{
    return i->op == SP_OP_SubgroupMatrixMultiplyAccumulateINTEL ||
           i->op == SP_OP_SubgroupScaledMatrixMultiplyAccumulateINTEL;
}

/* Products, the phis of their results' types, and phis of those. */
static bool is_candidate(const struct storage *s, const struct sp_inst *i)
{
    if (!is_product(i) && (i->op != SP_OP_Phi || !s->of_products[s->g->m->type_of_id[i->type]])) return false;
    return s->g->value[i->id].varying && !s->g->value[i->id].blend;
}

static bool find_candidates(struct storage *s)
{
    struct cg *g = s->g;
    uint32_t most = s->fn->value_count < MAX_CANDIDATES ? s->fn->value_count : MAX_CANDIDATES;
    s->c = cg_alloc(g, (most + 1) * sizeof *s->c);
    s->of_products = cg_alloc(g, g->m->type_count + 1);
    if (g->failed) return false;
    CG_EACH (i, b, s->fn->f)
        if (is_product(i)) s->of_products[g->m->type_of_id[i->type]] = 1;
    CG_EACH (i, b, s->fn->f)
        if (!g->failed && s->count < most && !s->fn->block[b].masked && is_candidate(s, i)) {
            s->c[s->count] = (struct candidate){i->id, b, s->count, NULL};
            s->count++;
        }
    if (g->failed || !cg_prepare_live(g, s->fn, s->count, &s->live)) return false;
    for (uint32_t n = 0; n < s->count; n++) {
        s->live.index_of[g->ordinal[s->c[n].id]] = n + 1;
        s->c[n].after = cg_alloc(g, s->live.words * sizeof *s->c[n].after);
    }
    return !g->failed;
}

static void note_live(void *user, const struct cg_live *l, const struct sp_inst *i)
{
    const struct storage *s = user;
    uint32_t n = i->id ? l->index_of[s->g->ordinal[i->id]] : 0;
    for (uint32_t w = 0; n && w < l->words; w++) s->c[n - 1].after[w] = l->now[w];
}

static bool interfere(const struct storage *s, uint32_t a, uint32_t b)
{
    bool both_phis = s->g->m->ids[s->c[a].id].def->op == SP_OP_Phi && s->g->m->ids[s->c[b].id].def->op == SP_OP_Phi;
    if (both_phis && s->c[a].block == s->c[b].block) return true;
    return cg_contains(s->c[a].after, b) || cg_contains(s->c[b].after, a);
}

static void share(struct storage *s, uint32_t a_id, uint32_t b_id)
{
    uint32_t a = s->live.index_of[s->g->ordinal[a_id]], b = s->live.index_of[s->g->ordinal[b_id]], n = 0;
    if (!a-- || !b-- || s->g->m->ids[a_id].type != s->g->m->ids[b_id].type) return;
    for (uint32_t i = s->c[a].class_next;; i = s->c[i].class_next) {
        if (i == b || ++n > MAX_CLASS) return; /* shared already */
        if (i == a) break;
    }
    for (uint32_t i = a, go = 1; go; i = s->c[i].class_next, go = i != a)
        for (uint32_t k = b, on = 1; on; k = s->c[k].class_next, on = k != b)
            if (++n > MAX_CLASS * MAX_CLASS || interfere(s, i, k)) return;
    uint32_t next = s->c[a].class_next;
    s->c[a].class_next = s->c[b].class_next;
    s->c[b].class_next = next;
}

static void join_classes(struct storage *s)
{
    for (uint32_t n = 0; n < s->count; n++) {
        const struct sp_inst *i = s->g->m->ids[s->c[n].id].def;
        if (is_product(i)) share(s, i->operand[3], i->id);
    }
    for (uint32_t n = 0; n < s->count; n++) {
        const struct sp_inst *i = s->g->m->ids[s->c[n].id].def;
        for (uint32_t k = 0; i->op == SP_OP_Phi && k < i->count; k += 2) share(s, i->operand[k], i->id);
    }
    for (uint32_t n = 0; n < s->count; n++) {
        uint32_t least = s->c[n].id;
        for (uint32_t i = s->c[n].class_next; i != n; i = s->c[i].class_next)
            if (s->c[i].id < least) least = s->c[i].id;
        shared_row(s->g, s->c[n].id)->class = least == s->c[n].id ? 0 : least;
    }
}

/* ---- fragments read from their variable */

static bool writes_variable(struct cg *g, const struct sp_inst *i, uint32_t variable)
{
    if (i->id && g->private[i->id].variable) return false; /* only makes a pointer */
    for (uint32_t k = 0; k < i->count; k++)
        if (i->op != SP_OP_Load && cg_is_value_operand(i, k) && g->private[i->operand[k]].variable == variable)
            return true;
    return false;
}

/* The uses of a load as an operand that can be read where the fragment is: A and B of products, conversions. */
static uint32_t fragment_uses(const struct sp_inst *i, uint32_t id)
{
    if (i->op == SP_OP_FConvert) return i->operand[0] == id;
    return is_product(i) ? (i->operand[1] == id) + (i->operand[2] == id) : 0;
}

static bool is_fragment(struct cg *g, const struct sp_inst *load)
{
    const struct cg_value *v = &g->value[load->id];
    if (load->op != SP_OP_Load || v->blend || !v->varying) return false;
    const struct cg_private *p = &g->private[load->operand[0]];
    const struct cg_leaves *l = cg_leaves_of(g, load->type);
    return p->variable && g->value[p->variable].stored_varying && l->count && !l->many &&
           cg_kind_bytes(l->leaf[0].kind) == g->private[p->variable].granule &&
           p->offset % g->private[p->variable].granule == 0;
}

/* Finds loads of whole fragments that are only used by products and conversions later in the block, if nothing in
 * between touches the variable. */
static void find_forwarded(struct cg *g, const struct sp_block *b, const uint32_t *uses)
{
    for (uint32_t k = 0; k < b->count; k++) {
        const struct sp_inst *load = &b->inst[k];
        uint32_t here = 0;
        if (!is_fragment(g, load)) continue;
        for (uint32_t j = k + 1; j < b->count && here < uses[g->ordinal[load->id]]; j++) {
            here += fragment_uses(&b->inst[j], load->id);
            if (writes_variable(g, &b->inst[j], g->private[load->operand[0]].variable)) break;
        }
        shared_row(g, load->id)->forwarded = here && here == uses[g->ordinal[load->id]];
    }
}

/* Finds conversions of such fragments to f32 that are used once, later in the block and before anything that
 * may write memory or the variable. */
static void find_late(struct cg *g, const struct sp_block *b, const uint32_t *uses)
{
    for (uint32_t k = 0; k < b->count; k++) {
        const struct sp_inst *i = &b->inst[k];
        uint32_t from = i->op == SP_OP_FConvert ? cg_forwarded_from(g, i->operand[0]) : 0;
        if (!from || uses[g->ordinal[i->id]] != 1 || g->value[i->id].blend || cg_element(g, i->id) != CG_F32 ||
            !cg_kind_is_small_float(cg_element(g, i->operand[0])))
            continue;
        for (uint32_t j = k + 1; j < b->count && !shared_row(g, i->id)->late; j++) {
            const struct sp_inst *use = &b->inst[j];
            if (cg_may_write(g, use) || writes_variable(g, use, from)) break;
            CG_EACH_VALUE (o, use) shared_row(g, i->id)->late |= use->operand[o] == i->id;
        }
    }
}

static void find_all_forwarded(struct cg *g, struct cg_function *fn)
{
    uint32_t *uses = cg_alloc(g, (fn->value_count + 1) * sizeof *uses);
    const struct sp_function *f = fn->f;
    if (!uses) return;
    CG_EACH (i, b, f)
        CG_EACH_VALUE (o, i) uses[g->ordinal[i->operand[o]]]++;
    for (uint32_t b = 0; b < f->block_count; b++) {
        find_forwarded(g, &f->blocks[b], uses);
        find_late(g, &f->blocks[b], uses);
    }
}

static bool contains_op(const struct sp_function *f, uint16_t op)
{
    CG_EACH (i, b, f)
        if (i->op == op) return true;
    return false;
}

void cg_share_storage(struct cg *g, struct cg_function *fn)
{
    struct storage s = {.g = g, .fn = fn};
    bool products = contains_op(fn->f, SP_OP_SubgroupMatrixMultiplyAccumulateINTEL);
    if (fn->f->is_declaration || (!products && !contains_op(fn->f, SP_OP_Subgroup2DBlockLoadINTEL))) return;
    fn->shared = cg_alloc(g, (fn->value_count + 1) * sizeof *fn->shared);
    if (g->failed) return;
    find_all_forwarded(g, fn);
    cg_widen_fragments(g, fn);
    if (g->failed || !products || !find_candidates(&s)) return;
    cg_find_live(g, fn, &s.live);
    cg_visit_live(g, fn, &s.live, note_live, &s);
    join_classes(&s);
}
