/* uses.c - which loads count as reads of unwritten memory, for the checked mode.
 *
 * A load alone is not a fault, since compilers may load unwritten memory: to insert parts into a value and store it
 * again, to copy, or ahead of a test. Therefore this examines the uses of the value.
 */
#include "prelude_check.h"
#include "sites.h"

/* Uses of a value. */
enum { USE_AS_IS = 1, USE_STORED = 2, USE_FILLED = 4, USE_CHOSEN = 8, USE_JOINED = 16, MAX_PARTS = 32 };

struct cg_uses {
    uint32_t parts; /* parts used individually */
    uint8_t how;
};

static void note(struct cg *g, uint32_t id, uint32_t how, uint32_t parts)
{
    g->w->uses[id].how |= (uint8_t)how;
    g->w->uses[id].parts |= parts;
}

static void note_part(struct cg *g, uint32_t id, uint32_t part)
{
    note(g, id, part < MAX_PARTS ? 0 : USE_AS_IS, part < MAX_PARTS ? (uint32_t)1 << part : 0);
}

static bool is_undefined(struct cg *g, uint32_t id)
{
    const struct sp_inst *d = g->m->ids[id].def;
    return d && d->op == SP_OP_Undef;
}

/* A shuffle of two vectors inserts parts of one into the other. */
static void note_shuffle(struct cg *g, const struct sp_inst *i)
{
    const struct sp_type *t = cg_type_of(g, i->operand[0]);
    bool fills = i->operand[0] != i->operand[1] && !is_undefined(g, i->operand[0]) && !is_undefined(g, i->operand[1]);
    for (uint32_t k = 2; k < i->count; k++) {
        uint32_t part = i->operand[k], second = part >= t->count;
        if (fills || part == UINT32_MAX) continue;
        note_part(g, i->operand[second], second ? part - t->count : part);
    }
    for (uint32_t k = 0; k < 2 && fills; k++) note(g, i->operand[k], USE_FILLED, 0);
}

static bool is_masked(struct cg *g, const struct sp_inst *i)
{
    uint64_t bits;
    return i->op == SP_OP_BitwiseAnd &&
           (sp_constant(g->m, i->operand[0], &bits) || sp_constant(g->m, i->operand[1], &bits));
}

/* Is it a store to private memory? A copy within private memory counts as filling. */
static bool is_private_store(struct cg *g, const struct sp_inst *i)
{
    return cg_type_of(g, i->operand[0])->storage == SP_STORAGE_Function;
}

static void note_operand(struct cg *g, const struct sp_inst *i, uint32_t k)
{
    uint32_t id = i->operand[k], how = USE_AS_IS;
    switch (i->op) {
    case SP_OP_PredicatedLoadINTEL: how = k == 0 ? 0 : k == 2 ? USE_CHOSEN : USE_AS_IS; break;
    case SP_OP_PredicatedStoreINTEL:
        if (k == 2) break;
        /* fall through */
    case SP_OP_Store: how = k != 1 ? 0 : is_private_store(g, i) ? USE_FILLED : USE_STORED; break;
    case SP_OP_CompositeInsert: how = k == 1 ? USE_FILLED : USE_AS_IS; break;
    case SP_OP_VectorInsertDynamic: how = k == 0 ? USE_FILLED : USE_AS_IS; break;
    case SP_OP_Select: how = k ? USE_CHOSEN : USE_AS_IS; break;
    case SP_OP_BitwiseOr: how = USE_JOINED; break;
    case SP_OP_VectorShuffle: return;
    case SP_OP_CompositeExtract: note_part(g, id, i->operand[1]); return;
    default:
        if (is_masked(g, i)) return; /* in the second pass */
    }
    note(g, id, how, 0);
}

/* Bit-fields are written by load, mask, or, store, which does not read the bits that the mask removes. */
static void note_masked(struct cg *g, const struct sp_inst *i)
{
    uint32_t how = g->w->uses[i->id].how == USE_JOINED && !g->w->uses[i->id].parts ? USE_FILLED : USE_AS_IS;
    for (uint32_t k = 0; k < 2; k++) note(g, i->operand[k], how, 0);
}

static void find_uses(struct cg *g)
{
    g->w->uses = cg_alloc(g, (size_t)g->m->bound * sizeof *g->w->uses);
    for (uint32_t pass = 0; pass < 2 && g->w->uses; pass++) {
        for (uint32_t n = 0; n < g->m->function_count; n++)
            CG_EACH (i, b, &g->m->functions[n]) {
                if (pass && is_masked(g, i)) note_masked(g, i);
                if (!pass && i->op == SP_OP_VectorShuffle) note_shuffle(g, i);
                CG_EACH_VALUE (k, i)
                    if (!pass) note_operand(g, i, k);
            }
    }
}

/* Are all parts of a value used individually? */
static bool uses_all_parts(const struct sp_type *t, uint32_t parts)
{
    uint32_t all = t->count >= MAX_PARTS ? UINT32_MAX : ((uint32_t)1 << t->count) - 1;
    return (parts & all) == all;
}

uint32_t cg_check_reading(struct cg *g, const struct sp_inst *load)
{
    const struct sp_type *t = sp_type(g->m, load->type), *p = cg_type_of(g, load->operand[0]);
    if (!g->w->uses) find_uses(g);
    if (!g->w->uses) return XS_READS;
    uint32_t how = g->w->uses[load->id].how, parts = g->w->uses[load->id].parts;
    if (how & (USE_AS_IS | USE_JOINED)) return XS_READS;
    if (how & USE_CHOSEN && p->storage == SP_STORAGE_CrossWorkgroup) return XS_READS; /* never loaded early */
    if (parts) return uses_all_parts(t, parts) ? XS_READS : XS_READS | XS_HOLES;
    if (how & USE_STORED && (t->kind == SP_STRUCT || t->kind == SP_ARRAY)) return XS_READS | XS_HOLES | XS_COPY;
    if (how & USE_STORED) return t->kind == SP_INT && t->bits > 8 ? XS_READS | XS_HOLES : XS_READS;
    return XS_READS | XS_PARTS;
}
