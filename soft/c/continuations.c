/* continuations.c - kernels that return at a barrier, as C: a subgroup's frame, saving and restoring it, and the jump
 * to where it continues (passes/continuations.c chooses these kernels).
 */
#include "codegen.h"
#include "passes/continuations.h"

#include <string.h>

/* Calls `put` with each C variable of a value: its name and type. */
static void each_part(struct cg *g, uint32_t id, void (*put)(struct cg *, const char *name, const char *type))
{
    const struct cg_derived *v = cg_derived(g, id);
    if (v->root) {
        put(g, cg_str(g, "o%u", id), "u64");
        return;
    }
    put(g, cg_str(g, "v%u", id), cg_type_name(g, g->m->ids[id].type, !cg_is_step(g, id)));
    if (v->accessed) put(g, cg_str(g, "s%u", id), "u64");
    if (!cg_affine(g, id)->checked) return;
    put(g, cg_str(g, "ok%u", id), "i32");
    put(g, cg_str(g, "w%u", id), cg_type_name(g, g->m->ids[id].type, true));
}

/* Scalars individually: gathering them in a vector takes longer to store and load. */
static void put_member(struct cg *g, const char *name, const char *type)
{
    bool scalar = strlen(type) < 4 && type[0] != 'c';
    cg_put(g, "    %s%s %s;\n", scalar ? "volatile " : "", type, name);
}
static void put_save(struct cg *g, const char *name, const char *type)
{
    (void)type;
    cg_put(g, "    frame->%s = %s;\n", name, name);
}
static void put_restore(struct cg *g, const char *name, const char *type)
{
    (void)type;
    cg_put(g, "    %s = frame->%s;\n", name, name);
}

static void each_variable(struct cg *g, const char *format)
{
    const struct sp_function *f = g->fn->f;
    uint64_t bytes;
    CG_EACH (i, b, f) {
        if (i->op != SP_OP_Variable) continue;
        unsigned items = (unsigned)cg_variable_items(g, i, &bytes);
        if (format)
            cg_put(g, format, i->id, i->id, i->id);
        else
            cg_put(g, "    %s p%u[%u];\n",
                   cg_kind_type(g, cg_bits_kind(g->private[i->id].granule), g->value[i->id].stored_varying), i->id,
                   items);
    }
}

static void each_kept(struct cg *g, const uint64_t *live, void (*put)(struct cg *, const char *name, const char *type))
{
    const struct cg_continuation *frame = g->fn->continuation;
    for (uint32_t n = 0; n < frame->value_count; n++)
        if (cg_is_kept(live, n) && !cg_is_kept(frame->remade, n)) each_part(g, frame->value[n], put);
}

/* Rematerialises a value after its operands. */
static void write_remade(struct cg *g, uint32_t id)
{
    const struct cg_continuation *frame = g->fn->continuation;
    const struct sp_inst *i = g->m->ids[id].def;
    uint32_t n = g->ordinal[id] ? frame->index_of[g->ordinal[id]] : 0, builtin, component;
    if (!n-- || !cg_is_kept(frame->remade, n) || cg_is_kept(frame->made, n)) return;
    cg_set_kept(frame->made, n);
    for (uint32_t k = 0; k < i->count && !cg_builtin_component(g, i, &builtin, &component); k++)
        if (cg_is_value_operand(i, k)) write_remade(g, i->operand[k]);
    g->inst = i;
    if (cg_affine(g, id)->is)
        cg_write_affine(g);
    else if (!cg_write_simple(g))
        cg_write_memory(g);
}

static void make_again(struct cg *g, const uint64_t *live)
{
    const struct cg_continuation *frame = g->fn->continuation;
    const struct sp_inst *barrier = g->inst;
    memset(frame->made, 0, frame->words * sizeof *frame->made);
    for (uint32_t n = 0; n < frame->value_count; n++)
        if (cg_is_kept(live, n)) write_remade(g, frame->value[n]);
    g->inst = barrier;
}

/* Each frame has its own cache line: sharing one costs 1 ns, even within a thread. */
void cg_write_continuation_type(struct cg *g)
{
    cg_put(g, "struct frame_%s {\n    u32 at;\n", cg_version(g, g->fn));
    each_kept(g, g->fn->continuation->kept, put_member);
    each_variable(g, NULL);
    cg_put(g, "} XS_ALIGNED(64);\n");
}

void cg_write_resume(struct cg *g)
{
    const struct cg_continuation *frame = g->fn->continuation;
    if (!frame) return;
    cg_put(g, "    switch (frame->at) {\n");
    for (uint32_t n = 0; n < frame->count; n++) cg_put(g, "    case %u: goto R%u;\n", n + 1, n + 1);
    cg_put(g, "    default: break;\n    }\n");
}

bool cg_write_continuation(struct cg *g)
{
    const struct cg_continuation *frame = g->fn->continuation;
    uint32_t n = 0;
    if (!frame) return false;
    while (n + 1 < frame->count && frame->point[n].barrier != g->inst) n++;
    each_kept(g, frame->point[n].live, put_save);
    each_variable(g, "    __builtin_memcpy(frame->p%u, p%u, sizeof p%u);\n");
    cg_put(g, "    frame->at = %u;\n    return 1;\nR%u:;\n", n + 1, n + 1);
    each_variable(g, "    __builtin_memcpy(p%u, frame->p%u, sizeof p%u);\n");
    each_kept(g, frame->point[n].live, put_restore);
    make_again(g, frame->point[n].live);
    return true;
}
