/* continuations.c - kernels that return at a barrier, as C: a subgroup's frame, saving and restoring it, and the jump
 * to where it continues (passes/continuations.c chooses these kernels).
 */
#include "codegen.h"
#include "passes/continuations.h"

#include <string.h>

/* Calls `put` with each C variable of a value, and its type. */
typedef void put_part(struct cg *g, const char *prefix, uint32_t id, const char *type);
static void each_part(struct cg *g, uint32_t id, put_part *put)
{
    const struct cg_derived *v = cg_derived(g, id);
    if (v->root) {
        put(g, "o", id, "u64");
        return;
    }
    put(g, "v", id, cg_type_name(g, g->m->ids[id].type, !cg_is_step(g, id)));
    if (v->accessed) put(g, "s", id, "u64");
    if (!cg_affine(g, id)->checked) return;
    put(g, "ok", id, "i32");
    put(g, "w", id, cg_type_name(g, g->m->ids[id].type, true));
}

/* Scalars individually: gathering them in a vector takes longer to store and load. */
static void put_member(struct cg *g, const char *prefix, uint32_t id, const char *type)
{
    bool scalar = strlen(type) < 4 && type[0] != 'c';
    cg_put(g, "    %s%s %s%u;\n", scalar ? "volatile " : "", type, prefix, id);
}
static void put_save(struct cg *g, const char *prefix, uint32_t id, const char *type)
{
    (void)type;
    cg_put(g, "    frame->%s%u = %s;\n", prefix, id, cg_var(g, prefix, id));
}
static void put_restore(struct cg *g, const char *prefix, uint32_t id, const char *type)
{
    (void)type;
    cg_put(g, "    %s = frame->%s%u;\n", cg_var(g, prefix, id), prefix, id);
}

enum copying { IN_FRAME, SAVED, RESTORED };
static void each_variable(struct cg *g, enum copying how)
{
    const struct sp_function *f = g->fn->f;
    uint64_t bytes;
    CG_EACH (i, b, f) {
        if (i->op != SP_OP_Variable) continue;
        unsigned items = (unsigned)cg_variable_items(g, i, &bytes);
        const char *kept = cg_str(g, "frame->p%u", i->id);
        if (how == IN_FRAME) {
            enum cg_kind kind = cg_bits_kind(g->private[i->id].granule);
            cg_put(g, "    %s p%u[%u];\n", cg_kind_type(g, kind, g->value[i->id].stored_varying), i->id, items);
            continue;
        }
        const char *own = cg_var(g, "p", i->id);
        cg_put(g, "    __builtin_memcpy(%s, %s, sizeof %s);\n", how == SAVED ? kept : own, how == SAVED ? own : kept,
               own);
    }
}

static void each_kept(struct cg *g, const uint64_t *live, put_part *put)
{
    const struct cg_continuation *plan = g->fn->continuation;
    for (uint32_t n = 0; n < plan->value_count; n++)
        if (cg_contains(live, n) && !cg_contains(plan->remade, n)) each_part(g, plan->value[n], put);
}

/* Rematerialises a value after its operands. */
static void write_remade(struct cg *g, uint32_t id)
{
    const struct cg_continuation *plan = g->fn->continuation;
    const struct sp_inst *i = g->m->ids[id].def;
    uint32_t n = g->ordinal[id] ? plan->live.index_of[g->ordinal[id]] : 0, builtin, component;
    if (!n-- || !cg_contains(plan->remade, n) || cg_contains(plan->made, n)) return;
    cg_insert(plan->made, n);
    for (uint32_t k = 0; k < i->count && !cg_builtin_component(g, i, &builtin, &component); k++)
        if (cg_is_value_operand(i, k)) write_remade(g, i->operand[k]);
    cg_set_inst(g, i);
    if (cg_affine(g, id)->is)
        cg_write_affine(g);
    else if (!cg_write_simple(g))
        cg_write_memory(g);
}

static void make_again(struct cg *g, const uint64_t *live)
{
    const struct cg_continuation *plan = g->fn->continuation;
    const struct sp_inst *barrier = g->w->inst;
    memset(plan->made, 0, plan->live.words * sizeof *plan->made);
    for (uint32_t n = 0; n < plan->value_count; n++)
        if (cg_contains(live, n)) write_remade(g, plan->value[n]);
    cg_set_inst(g, barrier);
}

/* Each frame has its own cache line: sharing one costs 1 ns, even within a thread. */
void cg_write_continuation_type(struct cg *g)
{
    cg_put(g, "struct frame_%s {\n    u32 at;\n", cg_version(g, g->fn));
    each_kept(g, g->fn->continuation->kept, put_member);
    each_variable(g, IN_FRAME);
    cg_put(g, "} XS_ALIGNED(64);\n");
}

void cg_write_resume(struct cg *g)
{
    const struct cg_continuation *plan = g->fn->continuation;
    if (!plan) return;
    cg_put(g, "    switch (frame->at) {\n");
    for (uint32_t n = 0; n < plan->count; n++) cg_put(g, "    case %u: %s;\n", n + 1, cg_jump_to_point(g, n));
    cg_put(g, "    default: break;\n    }\n");
}

bool cg_write_continuation(struct cg *g)
{
    const struct cg_continuation *plan = g->fn->continuation;
    uint32_t n = 0;
    if (!plan) return false;
    while (n + 1 < plan->count && plan->point[n].barrier != g->w->inst) n++;
    each_kept(g, plan->point[n].live, put_save);
    each_variable(g, SAVED);
    cg_put(g, "    frame->at = %u;\n    return 1;\nR%u:;\n", n + 1, n + 1);
    each_variable(g, RESTORED);
    each_kept(g, plan->point[n].live, put_restore);
    make_again(g, plan->point[n].live);
    return true;
}
