/* deferred.c - products for the CPU's tile unit (c/prelude_amx.h), and deferred products of loops.
 *
 * With tiles, loading and storing the sums costs more than the products of one iteration of a loop over K. If only one
 * grid of products uses the sums that a loop carries, these products are deferred: an iteration only stores its blocks
 * as tiles in the next unit of a queue, and the products of many iterations are computed when the queue is full and
 * wherever the loop exits. Blocks are copied when they are loaded, so the loop may modify that memory. Sums are in
 * their variables whenever anything else reads them, and no tile register is live between statements.
 *
 * If, moreover, the kernel cannot have written or synchronised before such a load, its result cannot change within a
 * launch, so the first subgroup of a work-group that packs a block of B does it for all. For this reason products
 * without tiles are deferred too: there, the cost lies in widening B (see cg_widen_fragments) and in fetching its rows.
 *
 * Needs: cg_shared, cg_held. Gives: cg_deferred, fn->queues.
 */
#include "matrix.h"
#include "own.h"

#include <string.h>

/* ---- sums held in tiles together are adjacent */

CG_OWN_ROW(deferred)

static void group_columns(struct cg *g, const struct cg_grid *r)
{
    for (uint32_t j = 0; j < r->nj; j++) {
        uint32_t taken = 0, first = r->cell[0][j]->class;
        for (uint32_t i = 0; i < r->ni; i++) taken += cg_deferred(g, r->cell[i][j]->class)->group != 0;
        for (uint32_t i = 0; i < r->ni && !taken; i++) {
            struct cg_deferred *v = deferred_row(g, r->cell[i][j]->class);
            v->group = first;
            v->row = (uint8_t)i;
            v->rows = (uint8_t)r->ni;
        }
    }
}

/* ---- deferred products of a loop */

/* The operands in a queue and the sums should fit a first-level cache of 48 KiB; without tiles, B of the next products,
 * which is fetched meanwhile, too. DEFERRED_TILES is XS_DEFERRED of c/prelude_amx.h. */
enum { DEFERRED_TILE_BYTES = 24 << 10, DEFERRED_BYTES = 12 << 10, DEFERRED_STEPS = 8, DEFERRED_TILES = 64 };
enum { DEFERRED_QUEUES = 16 };
/* With operands of 16 bits: B in half of a first-level cache of 32 KiB; at most the k's of c/prelude_narrow.h. */
enum { NARROW_BYTES = 16 << 10, NARROW_DEEP = 256 };

static bool is_own_product(const struct cg_queue *q, const struct sp_inst *i)
{
    return i >= q->first && i < q->first + q->grid.span;
}

static const struct cg_chain *cell_of_class(const struct cg_queue *q, uint32_t class)
{
    for (uint32_t c = 0; c < q->grid.ni * q->grid.nj; c++)
        if (q->chain[c].class == class) return &q->chain[c];
    return NULL;
}

/* Does the instruction leave the sums alone? Only the products and the header's phis may use them. */
static bool leaves_sums_alone(struct cg *g, const struct cg_queue *q, uint32_t block, const struct sp_inst *i)
{
    const struct cg_chain *c = i->id ? cell_of_class(q, cg_class(g, i->id)) : NULL;
    if (is_own_product(q, i)) return true;
    if (c && (block != q->header || i->op != SP_OP_Phi || i->id != c->first)) return false;
    CG_EACH_VALUE (k, i) {
        if (!c && cell_of_class(q, cg_class(g, i->operand[k]))) return false;
        if (!c || !q->inside[g->m->ids[i->operand[k + 1]].block]) continue;
        if (i->operand[k] != c->last && i->operand[k] != c->first) return false;
    }
    return true;
}

static bool sums_are_deferrable(struct cg *g, const struct cg_function *fn, const struct cg_queue *q)
{
    const struct sp_function *f = fn->f;
    for (uint32_t c = 0; c < q->grid.ni * q->grid.nj; c++) {
        const struct cg_chain *sum = &q->chain[c];
        const struct sp_id *d = &g->m->ids[sum->first];
        if (!d->def || d->def->op != SP_OP_Phi || d->block != q->header || cg_class(g, sum->first) != sum->class)
            return false;
    }
    CG_EACH (i, b, f)
        if (q->inside[b] && !leaves_sums_alone(g, q, b, i)) return false;
    return cg_leaves_together(g, fn, q->inside);
}

/* ---- their operands */

const struct cg_private *cg_pointer_of(struct cg *g, uint32_t fragment)
{
    return &g->private[g->m->ids[fragment].def->operand[0]];
}

/* The first row of a fragment in a unit of its variable, in rows of 32 bytes for A, of 64 for B. */
uint32_t cg_place_of_a(struct cg *g, const struct cg_queue *q, uint32_t id)
{
    const struct cg_private *p = cg_pointer_of(g, id);
    uint32_t at = (uint32_t)(p->offset / g->private[p->variable].granule), half = cg_items(g, p->variable) / 2;
    return q->halves == 2 ? at * 2 : at % half * 2 + at / half;
}

uint32_t cg_place_of_b(struct cg *g, const struct cg_queue *q, uint32_t id)
{
    return (uint32_t)(cg_pointer_of(g, id)->offset / 4) * q->halves;
}

static void add_variable(struct cg_queue *q, uint32_t variable)
{
    for (uint32_t k = 0; k < q->variables; k++)
        if (q->variable[k] == variable) return;
    q->variable[q->variables++] = variable;
}

/* Do the fragments form a tile of A in their variable: n one below the other, one or two side by side? */
static bool is_tile_of_a(struct cg *g, const struct cg_queue *q, uint32_t i, uint32_t k)
{
    const struct cg_grid *r = &q->grid;
    uint32_t first = r->row[i]->a[k], variable = cg_forwarded_from(g, first);
    if (!q->kind) return variable && cg_held(g, variable)->wide;
    uint32_t at = variable ? cg_place_of_a(g, q, first) : 0;
    for (uint32_t t = 0; t < q->height; t++) {
        for (uint32_t f = 0; f < q->along; f++) {
            uint32_t id = r->row[i + t]->a[k + f];
            if (!variable || cg_forwarded_from(g, id) != variable || cg_place_of_a(g, q, id) != at + t * q->m * 2 + f)
                return false;
        }
    }
    return at % 2 == 0 && cg_held(g, variable)->tiled == (q->halves == 1);
}

static bool is_tile_of_b(struct cg *g, const struct cg_queue *q, uint32_t j, uint32_t k)
{
    const uint32_t *b = &q->grid.column[j]->b[k], variable = cg_forwarded_from(g, b[0]);
    if (!variable || g->private[variable].granule != 4) return false;
    if (!q->kind) return cg_held(g, variable)->wide;
    if (q->halves == 2) return cg_place_of_b(g, q, b[0]) % 16 == 0;
    return cg_forwarded_from(g, b[1]) == variable && cg_place_of_b(g, q, b[1]) == cg_place_of_b(g, q, b[0]) + 8;
}

/* Is it a block that fills the whole variable, in the form that products require? */
static bool is_whole_block(struct cg *g, const struct cg_queue *q, const struct sp_inst *i, uint32_t variable,
                           bool of_a)
{
    const struct cg_deferred *v = cg_deferred(g, variable);
    const struct cg_private *p = &g->private[i->operand[cg_lanes_operand(i)]];
    struct cg_block2d b;
    if (!cg_describe_block(g, i, &b) || p->offset || v->queue) return false;
    if (of_a) {
        uint32_t pieces = q->kind ? q->along : b.count;
        return i->op == SP_OP_Subgroup2DBlockLoadINTEL && g->private[variable].granule == 2 && b.elem * b.width == 32 &&
               b.count == pieces && cg_items(g, variable) == pieces * b.height;
    }
    if (cg_held(g, variable)->transposed) return true;
    if (i->op != SP_OP_Subgroup2DBlockLoadTransformINTEL || b.width != 16 || b.height * b.elem % 4) return false;
    return (q->halves == 1 || b.height * b.elem == 32) && cg_items(g, variable) == b.count * b.height * b.elem / 4;
}

/* The number of loads of the variable in this instruction; more than one: another use. */
static uint32_t count_loads(struct cg *g, const struct cg_queue *q, uint32_t block, const struct sp_inst *i,
                            uint32_t at)
{
    uint32_t variable = q->variable[at], loads = 0;
    if (cg_is(i, CG_LIFETIME)) return 0;
    if (i->op == SP_OP_Variable) return i->id == variable && i->count > 1 ? 2 : 0;
    CG_EACH_VALUE (k, i) {
        uint32_t id = i->operand[k];
        if (cg_forwarded_from(g, id) == variable && !is_own_product(q, i)) return 2;
        if (id != variable && g->private[id].variable != variable) continue;
        if (i->id && (g->private[i->id].variable || cg_shared(g, i->id)->forwarded)) continue;
        bool here = block == q->block && i < q->first && cg_lanes_operand(i) == k && k;
        loads += here && is_whole_block(g, q, i, variable, at < q->variables_of_a) ? 1 : 2;
    }
    return loads;
}

/* Is every operand in a variable that one load fills in each step before the products, and without other uses? */
static bool operands_are_deferrable(struct cg *g, const struct sp_function *f, struct cg_queue *q)
{
    const struct cg_grid *r = &q->grid;
    for (uint32_t i = 0; i < r->ni; i += q->height) {
        for (uint32_t k = 0; k < r->nk; k += q->along) {
            if (!is_tile_of_a(g, q, i, k)) return false;
            add_variable(q, cg_forwarded_from(g, r->row[i]->a[k]));
        }
    }
    q->variables_of_a = q->variables;
    for (uint32_t j = 0; j < r->nj; j++) {
        for (uint32_t k = 0; k < r->nk; k += q->along) {
            if (!is_tile_of_b(g, q, j, k)) return false;
            add_variable(q, cg_forwarded_from(g, r->column[j]->b[k]));
        }
    }
    for (uint32_t v = 0; v < q->variables; v++) {
        uint32_t loads = 0;
        CG_EACH (i, b, f) loads += count_loads(g, q, b, i, v);
        if (loads != 1) return false;
    }
    return true;
}

/* ---- blocks that subgroups share */

/* Has the kernel only read memory whenever it reaches the block? */
static bool only_reads_before(struct cg *g, const struct sp_function *f, uint32_t block)
{
    uint8_t *before = cg_alloc(g, f->block_count + 1);
    uint32_t *stack = cg_alloc(g, (f->block_count + 1) * sizeof *stack);
    if (g->failed) return false;
    cg_mark_before(f, block, before, stack);
    CG_EACH (i, b, f)
        if (before[b] && cg_may_write(g, i)) return false;
    return true;
}

/* Can the operands stay f16 until they are multiplied? Those of each row are in one block, and those of each column in
 * one, one below the other. */
static bool is_narrow(struct cg *g, const struct cg_queue *q)
{
    const struct cg_grid *r = &q->grid;
    if (!g->o->aside || g->S != 16 || q->kind || !q->shared || q->m % 4) return false;
    for (uint32_t v = 0; v < q->variables; v++) {
        const struct cg_held *held = cg_held(g, q->variable[v]);
        if (held->wide != CG_WIDE_F16 || held->transposed) return false;
    }
    for (uint32_t k = 1; k < r->nk; k++) {
        for (uint32_t i = 0; i < r->ni; i++)
            if (cg_forwarded_from(g, r->row[i]->a[k]) != cg_forwarded_from(g, r->row[i]->a[0])) return false;
        for (uint32_t j = 0; j < r->nj; j++) {
            const uint32_t *b = r->column[j]->b;
            if (cg_forwarded_from(g, b[k]) != cg_forwarded_from(g, b[0])) return false;
            if (cg_pointer_of(g, b[k])->offset != cg_pointer_of(g, b[0])->offset + 32 * k) return false;
        }
    }
    return r->nk * 16 <= NARROW_DEEP;
}

/* ---- the queue */

static uint32_t narrow_room_for(const struct cg_queue *q)
{
    const uint32_t deep = q->grid.nk * 16, bytes = q->grid.nj * deep * 32;
    uint32_t units = DEFERRED_STEPS;
    while (units > 1 && (units * bytes > NARROW_BYTES || units * deep > NARROW_DEEP)) units /= 2;
    return units;
}

static uint32_t room_for(struct cg *g, const struct cg_queue *q)
{
    const struct cg_grid *r = &q->grid;
    uint32_t bytes = 0, deep = r->nk / q->along, across = r->ni / q->height;
    if (r->nj > across) across = r->nj;
    for (uint32_t v = 0; v < (q->shared ? q->variables_of_a : q->variables); v++)
        bytes +=
            cg_items(g, q->variable[v]) * g->private[q->variable[v]].granule * g->S * q->halves * (q->kind ? 1 : 2);
    uint32_t units = DEFERRED_STEPS / q->halves, most = q->kind ? DEFERRED_TILE_BYTES : DEFERRED_BYTES;
    while (units > 1 && (units * bytes > most || units * deep * across > DEFERRED_TILES)) units /= 2;
    return units * q->halves;
}

/* Fills the queue; returns NULL, or why the products cannot be deferred. */
static const char *fill_queue(struct cg *g, const struct cg_function *fn, struct cg_queue *q)
{
    const struct sp_inst *i = q->first;
    const struct sp_id *sum = &g->m->ids[i->operand[3]];
    if (fn->block[q->block].masked) return "lanes may come to them separately";
    if (!sum->def || sum->def->op != SP_OP_Phi) return "no loop carries their sums";
    q->header = sum->block;
    q->kind = cg_tile_product(g, i);
    q->m = cg_leaves_of(g, i->type)->count;
    q->halves = q->kind && q->grid.nk == 1 ? 2 : 1;
    q->along = q->kind ? 3 - q->halves : 1;
    if (q->halves == 1 && q->grid.nk % q->along) return "a step's K does not fill the CPU's tiles";
    q->height = 1;
    while (q->kind && 2 * q->height * q->m <= 16 && q->grid.ni % (2 * q->height) == 0) q->height *= 2;
    q->inside = cg_inside_loop(g, fn->f, q->header);
    if (!q->inside || !q->inside[q->block]) return "the loop that carries their sums is another";
    if (!sums_are_deferrable(g, fn, q)) return "the loop uses their sums for something else, too";
    if (!operands_are_deferrable(g, fn->f, q)) return "their operands do not come from one 2D block load a step";
    if (g->o->check) return "the checked mode watches each load"; /* and clears the variable before it */
    bool only_reads = only_reads_before(g, fn->f, q->block);
    q->shared = cg_is_kernel(fn) && only_reads;
    q->narrow = is_narrow(g, q);
    q->steps = q->narrow ? narrow_room_for(q) : room_for(g, q);
    if (q->kind) return q->steps > 1 ? NULL : "the operands of two steps are more than a queue has room for";
    if (q->shared) return NULL; /* without tiles, deferral alone gains little */
    return !only_reads ? "B cannot be packed once per work-group: the kernel may write memory before its loads"
                       : "B cannot be packed once per work-group: this is not the kernel itself";
}

static void add_queue(struct cg *g, struct cg_function *fn, uint32_t block, const struct sp_inst *first)
{
    struct cg_queue *q = cg_alloc(g, sizeof *q);
    if (g->failed) return;
    q->first = first;
    q->block = block;
    cg_next_grid(g, first, q->chain, &q->grid);
    const char *why = fn->has_barrier                      ? "the kernel has barriers"
                      : fn->queue_count == DEFERRED_QUEUES ? "too many others in this kernel are"
                                                           : fill_queue(g, fn, q);
    const struct cg_grid *r = &q->grid;
    if (why) {
        fn->queue_count += !fn->has_barrier && fn->queue_count < DEFERRED_QUEUES;
        cg_remark(g, fn, q->first, "deferred", false, "%u x %u x %u products are done in each step: %s", r->ni, r->nj,
                  r->nk, why);
        return;
    }
    fn->queue_count++;
    cg_remark(g, fn, q->first, "deferred", true, "%u x %u x %u products of %u steps are done together%s%s", r->ni,
              r->nj, r->nk, q->steps, q->kind ? ", on tiles" : "",
              q->shared ? "; B is packed once per work-group" : "");
    for (uint32_t v = 0; v < q->variables; v++) deferred_row(g, q->variable[v])->queue = q;
    q->next = fn->queues;
    fn->queues = q;
    fn->shares_blocks = fn->shares_blocks || q->shared;
}

/* Why not, or NULL. */
static const char *lacks_wide_operands(struct cg *g, const struct sp_inst *i)
{
    uint32_t a = cg_forwarded_from(g, i->operand[1]), b = cg_forwarded_from(g, i->operand[2]);
    if (b && cg_held(g, b)->in_place) return "few rows are multiplied with columns in place";
    if (a && b && cg_held(g, a)->wide && cg_held(g, b)->wide) return NULL;
    return "its operands are not held as they are multiplied";
}

void cg_plan_deferred(struct cg *g, struct cg_function *fn)
{
    const struct sp_function *f = fn->f;
    struct cg_chain chain[CG_RUN];
    struct cg_grid grid;
    fn->deferred = cg_alloc(g, (fn->value_count + 1) * sizeof *fn->deferred);
    if (g->failed) return;
    fn->queues = NULL;
    fn->queue_count = 0;
    for (uint32_t b = 0; b < f->block_count && !f->is_declaration; b++) {
        const char *said = NULL;
        for (uint32_t k = 0; k < f->blocks[b].count; k++) {
            const struct sp_inst *i = &f->blocks[b].inst[k];
            if (i->op != SP_OP_SubgroupMatrixMultiplyAccumulateINTEL) continue;
            bool tiles = cg_tile_product(g, i) != NULL;
            const char *why = tiles ? NULL : lacks_wide_operands(g, i);
            if (why || !cg_next_grid(g, i, chain, &grid)) {
                if (!why) why = "it makes no grid with others";
                if (why != said) cg_remark(g, fn, i, "deferred", false, "a product is done in each step: %s", why);
                said = why; /* report consecutive ones with the same reason once */
                continue;
            }
            if (tiles) group_columns(g, &grid);
            add_queue(g, fn, b, i);
            k += grid.span - 1;
        }
    }
}

uint32_t cg_queue_room(const struct cg_queue *q) { return q ? q->steps : 1; }
