/* pointers.c - functions called by pointer (SPV_INTEL_function_pointers, zeModuleGetFunctionPointer).
 *
 * A pointer is the address of a row with the function's code for each subgroup size. To be callable from other objects,
 * that code passes arguments and results through memory, as vectors; it writes only the results of the active lanes.
 * Lanes with different pointers call one after the other. Calls of a null pointer or of a function without code for the
 * caller's subgroup size, and calls nested beyond the stack, do nothing and give 0.
 */
#include "codegen.h"
#include "abi.h"

#include <string.h>

void cg_declare_rows(struct cg *g)
{
    if (!g->row_count) return;
    cg_put(g, "static uint8_t *const *own_globals;\nstatic const struct xs_function functions[%u];\n",
           g->row_count + 1);
}

static void write_entry(struct cg *g, struct cg_function *fn)
{
    const struct sp_function *f = fn->f;
    const struct sp_type *result = sp_type(g->m, sp_type(g->m, f->type)->elem);
    const char *type = cg_type_name(g, result->id, true), *args = "";
    g->fn = fn;
    cg_put(g,
           "static void entry%u_%u(struct xs_subgroup *self, u64 b0, void *result, const void *const *args)\n{\n"
           "    const i32x m0 = XS(mask)(b0);\n    u8 *const *callers = self->globals;\n    self->globals = "
           "own_globals;\n",
           f->id, g->S);
    for (uint32_t i = 0; i < f->param_count; i++)
        args = cg_str(g, "%s, *(const %s *)args[%u]", args, cg_type_name(g, g->m->ids[f->params[i]].type, true), i);
    if (result->kind == SP_VOID) {
        cg_put(g, "    %s(self, m0, b0%s);\n", cg_version(g, fn), args);
    } else {
        const struct cg_leaves *l = cg_leaves_of(g, result->id);
        cg_put(g, "    %s *to = result, got = %s(self, m0, b0%s);\n", type, cg_version(g, fn), args);
        CG_EACH_LEAF (i, l) {
            const char *path = l->leaf[i].path, *old = cg_str(g, "(*to)%s", path), *new = cg_str(g, "got%s", path);
            cg_put(g, "    %s = %s;\n", old, cg_select(g, l->leaf[i].kind, "m0", new, old));
        }
    }
    cg_put(g, "    self->globals = callers;\n    (void)m0;\n    (void)args;\n    (void)result;\n}\n\n");
}

/* Written at the end of a section. */
void cg_write_entries(struct cg *g)
{
    for (uint32_t i = 0; i < g->m->function_count && !g->failed; i++) {
        if (!g->function[i].row) continue;
        g->w->written[i].sizes |= g->S;
        write_entry(g, &g->function[i]);
    }
}

void cg_write_rows(struct cg *g)
{
    if (!g->row_count) return;
    cg_put(g, "static const struct xs_function functions[%u] = {\n", g->row_count + 1);
    for (uint32_t row = 1; row <= g->row_count; row++) {
        for (uint32_t i = 0; i < g->m->function_count; i++) {
            const struct cg_function *fn = &g->function[i];
            if (fn->row != row) continue;
            cg_put(g, "    {");
            cg_put_string(g, fn->f->name);
            for (uint32_t S = 8; S <= 32; S *= 2)
                cg_put(g, cg_written(g, fn)->sizes & S ? ", %sentry%u_%u" : ", %s0", S == 8 ? "{" : "", fn->f->id, S);
            cg_put(g, "}},\n");
        }
    }
    cg_put(g, "    {\"\", {0, 0, 0}}\n};\n");
}

void cg_write_pointer_call(struct cg *g)
{
    const struct sp_type *type = sp_type(g->m, g->w->inst->type);
    const char *args = "", *result = "0";
    for (uint32_t i = 1; i < g->w->inst->count; i++) {
        const char *a = cg_temporary(g, cg_type_name(g, g->m->ids[cg_operand(g, i)].type, true));
        cg_put(g, "    %s = %s;\n", a, cg_use_whole(g, cg_operand(g, i), true));
        args = cg_str(g, "%s&%s, ", args, a);
    }
    if (type->kind != SP_VOID) {
        result = cg_temporary(g, cg_type_name(g, g->w->inst->type, true));
        cg_put(g, "    __builtin_memset(&%s, 0, sizeof %s);\n", result, result);
    }
    cg_put(g, "    XS(call_pointers)(self, %s, %s, %s%s, (const void *const[]){%s0});\n",
           cg_use(g, cg_operand(g, 0), true), g->w->bits, type->kind == SP_VOID ? "" : "&", result, args);
    if (type->kind == SP_VOID) return;
    cg_set_whole(g, result, true);
}
