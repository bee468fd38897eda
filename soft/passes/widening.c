/* widening.c - operand widening: fragments that are only loaded as blocks and multiplied are kept in the form used by
 * the products, as floats or as pairs of 16 bits; for tiles, operand A has rows as long as a tile's. If B's columns are
 * contiguous in memory, floats are transposed when they are loaded, or stay in memory if they meet few rows of A.
 *
 * Needs: cg_shared (which fragments are read in their variables). Gives: cg_held.
 */
#include "matrix.h"

#include <string.h>

/* How a variable is used. */
enum {
    AS_ROWS = 1,
    AS_VNNI = 2,
    AS_PAIRS = 4, /* two pieces side by side, each with rows of 32 bytes */
    NOT_PAIRS = 8,
    OTHERWISE = 16,
    IN_A = 32,
    IN_B = 64,
    AS_BYTE_ROWS = 128,
    AS_BYTE_VNNI = 256,
    OF_FORM = 512, /* the first of those of enum cg_form; of integers: both unsigned, the next three other signs */
    AS_COLUMNS = OF_FORM << (CG_WIDE_I8 + 3),
    CONVERTED = AS_COLUMNS << 1 /* each element by itself, before memory may have changed */
};

/* Transposing a fragment takes longer than so many rows of products do. */
enum { FEW_ROWS = 2 };
struct seen {
    uint32_t uses;
    uint16_t rows;   /* of A, that a B is multiplied with; too many: or memory may have changed since it was loaded */
    uint16_t height; /* of its block */
    uint32_t loaded; /* when: `now`, below */
};

/* The use by a product whose operand k is read from the variable p points into. */
static uint32_t use_in_product(struct cg *g, const struct sp_inst *i, uint32_t k, const struct cg_private *p)
{
    const struct cg_product *product = k > 2 ? NULL : cg_product_of(g, i);
    uint32_t m = cg_leaves_of(g, i->type)->count, half = cg_items(g, p->variable) / 2, use = k == 1 ? IN_A : IN_B;
    if (!product || !product->form || !cg_has_full_sums(g, i)) return OTHERWISE;
    if (k == 1 && (!half || p->offset / g->private[p->variable].granule % half + m > half)) use |= NOT_PAIRS;
    return use | OF_FORM << (product->form - 1 + (product->form == CG_WIDE_I8 ? cg_signs_of(i) : 0));
}

/* The use by an instruction whose operand k points into `variable`. */
static uint32_t use_in_load(struct cg *g, const struct sp_inst *i, uint32_t k, uint32_t variable)
{
    uint32_t granule = g->private[variable].granule;
    struct cg_block2d b;
    if (!k || cg_lanes_operand(i) != k || !cg_describe_block(g, i, &b)) return OTHERWISE;
    bool columns = b.elem == 2 && b.width == g->S;
    if (i->op == SP_OP_Subgroup2DBlockLoadINTEL && g->S == 16 && granule == 2 && b.elem * b.width == 32) {
        bool whole = g->private[i->operand[k]].offset == 0 && cg_items(g, variable) == 2 * b.height;
        return (b.count == 2 && whole ? AS_PAIRS : NOT_PAIRS) | (columns ? AS_ROWS : AS_BYTE_ROWS);
    }
    if (i->op == SP_OP_Subgroup2DBlockLoadTransposeINTEL && granule == 4 && cg_items(g, variable) == 8 && g->S == 16)
        return b.elem == 4 && b.width == 8 && b.height == 16 && b.count == 1 ? AS_COLUMNS : OTHERWISE;
    bool vnni = i->op == SP_OP_Subgroup2DBlockLoadTransformINTEL && b.width == g->S && granule == 4;
    return !vnni || b.height * b.elem % 4 ? OTHERWISE : b.elem == 1 ? AS_BYTE_VNNI : AS_VNNI;
}

static void note_load(struct cg *g, const struct sp_inst *i, uint32_t k, uint32_t variable, struct seen *s)
{
    struct cg_block2d b;
    s->uses |= use_in_load(g, i, k, variable);
    if (!cg_lanes_operand(i) || !cg_describe_block(g, i, &b)) return;
    if (s->height && s->height != b.height) s->uses |= OTHERWISE;
    s->height = (uint16_t)b.height;
}

/* Records an instruction's uses of fixed variables that its operands point into or were forwarded from. */
static void note_fragments(struct cg *g, const struct sp_inst *i, uint32_t now, struct seen *seen)
{
    if (i->op == SP_OP_Variable && i->count > 1) seen[g->ordinal[i->id]].uses |= OTHERWISE;
    if (cg_is(i, CG_LIFETIME)) return;
    CG_EACH_VALUE (k, i) {
        uint32_t id = i->operand[k], variable = g->private[id].fixed ? id : g->private[id].variable;
        if (cg_forwarded_from(g, id)) {
            struct seen *s = &seen[g->ordinal[cg_forwarded_from(g, id)]];
            s->uses |= i->op != SP_OP_FConvert ? use_in_product(g, i, k, &g->private[g->m->ids[id].def->operand[0]])
                       : s->loaded == now      ? CONVERTED
                                               : OTHERWISE;
            if (s->loaded != now) s->rows = FEW_ROWS;
            if (s->rows <= FEW_ROWS) s->rows += (uint16_t)cg_leaves_of(g, i->type)->count;
        } else if (variable && !(i->id && (g->private[i->id].variable || cg_shared(g, i->id)->forwarded))) {
            note_load(g, i, k, variable, &seen[g->ordinal[variable]]);
            seen[g->ordinal[variable]].loaded = now;
        }
    }
}

static void choose_form(struct cg *g, struct cg_held *v, const struct seen *s)
{
    const uint32_t pairs = AS_PAIRS | NOT_PAIRS, rows = AS_ROWS | AS_BYTE_ROWS, seen = s->uses;
    const bool few_rows = s->rows <= FEW_ROWS;
    if ((seen & ~pairs) == (AS_ROWS | CONVERTED) && !g->o->check)
        *v = (struct cg_held){.in_place = true, .height = (uint8_t)s->height};
    for (uint32_t form = CG_WIDE_F16; form < CG_WIDE_I8 + 4; form++) {
        const uint32_t type = OF_FORM << (form - 1);
        bool ints = form >= CG_WIDE_I8, of_a = (seen & ~pairs & ~rows) == (IN_A | type);
        bool of_b = seen == ((ints ? AS_BYTE_VNNI : AS_VNNI) | IN_B | type);
        if ((ints || cg_has_tiles(g, form)) && g->o->check)
            continue; /* its loads clear the variable first, whose layout only the prelude then knows */
        else if (cg_has_tiles(g, form))
            v->tiled |= of_a && (seen & pairs) == AS_PAIRS;
        else if (of_b || (of_a && g->S == 16 && (ints || (seen & rows) == AS_ROWS)))
            v->wide = (uint8_t)form;
        else if (!ints && seen == (AS_COLUMNS | IN_B | type))
            *v = few_rows ? (struct cg_held){.in_place = true} : (struct cg_held){(uint8_t)form, .transposed = true};
    }
}

void cg_widen_fragments(struct cg *g, struct cg_function *fn)
{
    struct seen *seen = cg_alloc(g, (fn->value_count + 1) * sizeof *seen); /* by ordinal */
    struct cg_held *held = cg_alloc(g, (fn->value_count + 1) * sizeof *held);
    uint32_t now = 0; /* another number after each write, and in each block */
    if (g->failed) return;
    CG_EACH (i, b, fn->f) {
        if (i == fn->f->blocks[b].inst || cg_may_write(g, i)) now++;
        note_fragments(g, i, now, seen);
    }
    for (uint32_t n = 1; n <= fn->value_count; n++)
        if (seen[n].uses) choose_form(g, &held[n], &seen[n]);
    fn->held = held;
}
