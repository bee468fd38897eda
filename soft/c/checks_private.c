/* checks_private.c - checks for reads of unwritten private memory.
 *
 * Private variables in memory are tracked like other memory, from their beginning. Those kept in C variables (p<id>)
 * have a variable q<id> with the lanes that have written each item. uses.c decides which loads count as reads.
 */
#include "prelude_check.h"
#include "passes/matrix.h"
#include "sites.h"

/* ---- variables kept in C variables */

/* Does `pointer` point into one? */
static bool is_item(struct cg *g, uint32_t pointer)
{
    uint32_t variable = g->private[pointer].variable;
    return variable && g->m->ids[variable].def->operand[0] == SP_STORAGE_Function;
}

static const char *items_at(struct cg *g, uint32_t pointer, uint64_t bytes)
{
    const struct cg_private *p = &g->private[pointer];
    uint32_t size = g->private[p->variable].granule;
    return cg_str(g, "%s + %llu, %llu", cg_var(g, "q", p->variable), (unsigned long long)p->offset / size,
                  (unsigned long long)bytes / size);
}

static void items_read(struct cg *g, uint32_t pointer, uint64_t bytes, uint32_t flags)
{
    const struct cg_private *p = &g->private[pointer];
    uint32_t size = g->private[p->variable].granule;
    if (!is_item(g, pointer) || !bytes || flags & (XS_PARTS | XS_COPY)) return;
    cg_put(g, "    check_items(self, &%s, %s, %u, %llu, %s);\n", cg_check_site(g, 2, pointer, p->variable, flags),
           items_at(g, pointer, bytes), size, (unsigned long long)p->offset / size, g->w->bits);
}

static void items_written(struct cg *g, uint32_t pointer, uint64_t bytes)
{
    if (is_item(g, pointer) && bytes) cg_put(g, "    check_wrote(%s, %s);\n", items_at(g, pointer, bytes), g->w->bits);
}

static void check_item_copy(struct cg *g)
{
    uint32_t to = cg_operand(g, 0), from = cg_operand(g, 1);
    uint64_t bytes = cg_memory_size(g, cg_type_of(g, to)->elem);
    if (g->w->inst->op == SP_OP_CopyMemorySized && !sp_constant(g->m, cg_operand(g, 2), &bytes)) return;
    const struct cg_private *t = &g->private[to], *f = &g->private[from];
    if (is_item(g, to) && is_item(g, from))
        cg_put(g, "    check_copied(%s, %u, %s + %llu, %u, %s);\n", items_at(g, to, bytes),
               g->private[t->variable].granule, cg_var(g, "q", f->variable),
               (unsigned long long)f->offset / g->private[f->variable].granule, g->private[f->variable].granule,
               g->w->bits);
    else
        items_written(g, to, bytes);
}

static void check_item_block(struct cg *g)
{
    uint32_t item, k = cg_lanes_operand(g->w->inst);
    uint64_t bytes;
    if (!k || !cg_block_access(g, g->w->inst, k, &item, &bytes)) return;
    if (g->w->inst->op == SP_OP_Subgroup2DBlockStoreINTEL)
        items_read(g, cg_operand(g, k), bytes, XS_READS | XS_HOLES);
    else
        items_written(g, cg_operand(g, k), bytes);
}

void cg_check_items(struct cg *g)
{
    const struct sp_inst *i = g->w->inst;
    uint32_t flags;
    uint64_t bytes;
    switch (i->op) {
    case SP_OP_Load:
        flags = cg_check_reading(g, i);
        bytes = cg_check_extent(g, i->type, &flags);
        items_read(g, cg_operand(g, 0), bytes, flags);
        return;
    case SP_OP_Store:
        flags = 0;
        items_written(g, cg_operand(g, 0), cg_check_extent(g, g->m->ids[cg_operand(g, 1)].type, &flags));
        return;
    case SP_OP_CopyMemory:
    case SP_OP_CopyMemorySized: check_item_copy(g); return;
    case SP_OP_ExtInst:
        if (!cg_math_stores(i)) return;
        items_written(g, cg_operand(g, i->count - 1u),
                      cg_memory_size(g, cg_type_of(g, cg_operand(g, i->count - 1u))->elem));
        return;
    default: check_item_block(g);
    }
}

/* ---- beginnings of variables */

void cg_check_variable(struct cg *g, const struct sp_inst *i, uint64_t bytes, uint64_t memory)
{
    const struct cg_private *v = &g->private[i->id];
    bool written = i->count > 1;
    if (!v->fixed) {
        cg_put(g, "    check_call(self, begins, (u64)(uintptr_t)%s, %lluu, %d);\n", cg_var(g, "p", i->id),
               (unsigned long long)memory, written);
        return;
    }
    uint64_t items = bytes / v->granule;
    cg_declare(g, CG_ZERO, "u64", "q", i->id, cg_str(g, "[%llu]", (unsigned long long)items + !items));
    cg_add_frame(g, 8 * items);
    if (written) cg_put(g, "    check_wrote(%s, %llu, ~(u64)0);\n", cg_var(g, "q", i->id), (unsigned long long)items);
}

/* OpLifetimeStart: the variable's contents become undefined. */
void cg_check_lifetime(struct cg *g)
{
    uint32_t pointer = cg_operand(g, 0), root = cg_check_root(g, pointer);
    const struct sp_id *d = &g->m->ids[root];
    if (!root || d->what != SP_IS_VARIABLE || !d->function) return;
    const struct cg_private *v = &g->private[root];
    unsigned long long bytes = cg_memory_size(g, sp_type(g->m, d->type)->elem);
    if (v->fixed)
        cg_put(g, "    check_forget(%s, %llu, %s);\n", cg_var(g, "q", root), bytes / v->granule, g->w->bits);
    else
        cg_put(g, "    XS_EACH (l, %s) check_call(self, begins, %s[l], %lluu, 0);\n", g->w->bits, cg_var(g, "v", root),
               bytes);
}
