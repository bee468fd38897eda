/* choice.c - which version of a kernel a launch needs (passes/versions.c), as a function of its arguments and its
 * work-groups' size.
 */
#include "codegen.h"

static const struct cg_kernel_versions *conditions_of(struct cg *g, uint32_t index)
{
    const struct cg_versions *v = g->o->versions;
    return &v->kernel[v->only ? v->only - 1 : index];
}

uint32_t cg_version_of(struct cg *g, uint32_t index)
{
    const struct cg_versions *v = g->o->versions;
    if (!v) return 0;
    return v->only ? v->version : g->function[g->body[index]].sized ? CG_FULL : 0;
}

bool cg_has_choice(struct cg *g, uint32_t index)
{
    const struct cg_versions *v = g->o->versions;
    return v && !v->only && (g->function[g->body[index]].sized || conditions_of(g, index)->count);
}

/* Marks the values of the first block that the conditions are computed from. */
static uint8_t *mark_needed(struct cg *g, const struct cg_kernel_versions *v)
{
    const struct sp_block *b = &g->fn->f->blocks[0];
    uint8_t *needed = cg_alloc(g, g->fn->value_count + 1);
    for (uint32_t k = 0; needed && k < v->count; k++) needed[g->ordinal[v->condition[k].id]] = 1;
    for (uint32_t n = b->count; needed && n-- > 0;) {
        const struct sp_inst *i = &b->inst[n];
        if (!i->id || !needed[g->ordinal[i->id]]) continue;
        CG_EACH_VALUE (k, i)
            needed[g->ordinal[i->operand[k]]] = 1;
    }
    return needed;
}

static void write_conditions(struct cg *g, const struct cg_kernel_versions *v)
{
    const struct sp_block *b = &g->fn->f->blocks[0];
    const uint8_t *needed = mark_needed(g, v);
    for (uint32_t n = 0; needed && n < b->count && !g->failed; n++) {
        cg_set_inst(g, &b->inst[n]);
        if (!g->w->inst->id || !needed[g->ordinal[g->w->inst->id]]) continue;
        cg_put(g, "    %s v%u;\n", cg_type_name(g, g->w->inst->type, false), g->w->inst->id);
        if (!cg_write_simple(g)) cg_fail(g, "a condition that is not arithmetic");
    }
    cg_set_inst(g, NULL);
    for (uint32_t k = 0; k < v->count; k++)
        cg_put(g, "    if (%sv%u) version |= %uu;\n", v->condition[k].usual ? "!" : "", v->condition[k].id,
               CG_UNUSUAL << k);
}

void cg_write_choice(struct cg *g, uint32_t index, const struct cg_param *p)
{
    if (!cg_has_choice(g, index)) return;
    g->fn = &g->function[g->body[index]];
    const struct cg_kernel_versions *v = conditions_of(g, index);
    cg_put(g, "static u32 choose%u(const uint8_t *args, const uint32_t *size)\n{\n", index);
    if (g->fn->sized)
        cg_put(g, "    u32 version = size[0] %% S == 0 ? %u : %u;\n", CG_FULL, CG_PARTIAL);
    else
        cg_put(g, "    u32 version = 0;\n");
    if (v->count) {
        cg_write_params(g, p, false);
        write_conditions(g, v);
    }
    cg_put(g, "    return version;\n}\n");
}
