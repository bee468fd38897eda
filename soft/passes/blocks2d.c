/* blocks2d.c - two-dimensional blocks: their shape, each lane's part, and fragments that products read directly from
 * the variable they were loaded to.
 */
#include "matrix.h"

enum { MAX_BLOCK_BYTES = 8192, MAX_BLOCK_ROW = 64 }; /* limits of the helpers */

static uint32_t power_of_two(uint32_t n)
{
    uint32_t p = 1;
    while (p < n) p *= 2;
    return p;
}

uint32_t cg_lanes_operand(const struct sp_inst *i) { return !cg_is(i, CG_BLOCK) ? 0 : cg_is(i, CG_WRITES) ? 4 : 9; }

bool cg_describe_block(struct cg *g, const struct sp_inst *i, struct cg_block2d *b)
{
    uint64_t shape[4];
    for (uint32_t k = 0; k < 4; k++)
        if (!sp_constant(g->m, i->operand[k], &shape[k]) || shape[k] == 0 || shape[k] > 64) return false;
    *b = (struct cg_block2d){(uint32_t)shape[0], (uint32_t)shape[1], (uint32_t)shape[2], (uint32_t)shape[3], 0, 0};
    bool transform = i->op == SP_OP_Subgroup2DBlockLoadTransformINTEL;
    bool transpose = i->op == SP_OP_Subgroup2DBlockLoadTransposeINTEL;
    if (b->elem > 8 || power_of_two(b->elem) != b->elem || b->elem * b->width > MAX_BLOCK_ROW) return false;
    if ((transform && b->elem > 2) || (transpose && b->elem < 4)) return false;
    uint32_t rows = b->height, columns = power_of_two(b->width), size = b->elem;
    if (transform) {
        rows = (b->height + 4 / b->elem - 1) / (4 / b->elem);
        size = 4;
    } else if (transpose) {
        rows = b->width;
        columns = power_of_two(b->height);
    }
    uint64_t bytes = (uint64_t)b->count * rows * columns * size;
    if (bytes > MAX_BLOCK_BYTES) return false;
    uint32_t turn = size == 1 && columns > g->S ? columns / g->S : size;
    b->item = size == 1 && columns > g->largest_S ? columns / g->largest_S : size;
    b->bytes = (bytes + g->S * turn - 1) / (g->S * turn) * turn;
    return true;
}

bool cg_block_access(struct cg *g, const struct sp_inst *i, uint32_t k, uint32_t *item, uint64_t *bytes)
{
    struct cg_block2d b;
    if (!k || cg_lanes_operand(i) != k || !cg_describe_block(g, i, &b)) return false;
    *item = b.item;
    *bytes = b.bytes;
    return true;
}

uint32_t cg_forwarded_from(struct cg *g, uint32_t id)
{
    return cg_shared(g, id)->forwarded ? g->private[g->m->ids[id].def->operand[0]].variable : 0;
}

/* Is a fragment read from a variable of floats? */
bool cg_is_wide(struct cg *g, uint32_t id)
{
    return cg_forwarded_from(g, id) && cg_held(g, cg_forwarded_from(g, id))->wide;
}
bool cg_is_tiled(struct cg *g, uint32_t id)
{
    return cg_forwarded_from(g, id) && cg_held(g, cg_forwarded_from(g, id))->tiled;
}
bool cg_is_in_place(struct cg *g, uint32_t id)
{
    return cg_forwarded_from(g, id) && cg_held(g, cg_forwarded_from(g, id))->in_place;
}

uint32_t cg_late_from(struct cg *g, uint32_t id)
{
    uint32_t fragment = cg_shared(g, id)->late ? g->m->ids[id].def->operand[0] : 0;
    return fragment && cg_is_in_place(g, fragment) ? cg_forwarded_from(g, fragment) : 0;
}

uint32_t cg_items(struct cg *g, uint32_t variable)
{
    const struct sp_type *t = cg_type_of(g, variable);
    return (uint32_t)(cg_memory_size(g, sp_type(g->m, t->elem)->id) / g->private[variable].granule);
}

bool cg_is_wide_int(const struct cg *g, uint32_t variable) { return cg_held(g, variable)->wide >= CG_WIDE_I8; }
uint32_t cg_signs(const struct cg *g, uint32_t variable) { return cg_held(g, variable)->wide - CG_WIDE_I8; }
