/* fragments.c - addresses of matrix fragments, as C. */
#include "fragments.h"

#include <string.h>

/* 16 bits of a wide variable occupy a vector of dwords, or half of one. */
const char *cg_wide_place(struct cg *g, const struct cg_private *p)
{
    uint32_t at = (uint32_t)p->offset / 2 * g->S * 4;
    return cg_is_wide_int(g, p->variable) ? cg_str(g, "%u >> XS(quads)(%u)", at, cg_signs(g, p->variable))
                                          : cg_str(g, "%u", at);
}

const char *cg_wide_load(struct cg *g, uint32_t variable, const struct cg_block2d *b, const char *how, const char *to)
{
    static const char *const floats[] = {"", "f16", "bf16"};
    bool of_b = g->private[variable].granule == 4, deferred = !strncmp(how, "deferred", 4);
    const struct cg_held *v = cg_held(g, variable);
    if (v->transposed)
        return cg_str(g, "XS(%s_columns_%s)(%s", how, floats[v->wide], to);
    if (!cg_is_wide_int(g, variable))
        return cg_str(g, "XS(%s_%s)(%s, %u, %u%s", how, floats[cg_held(g, variable)->wide], to, b->height, b->count,
                      deferred ? ""
                      : of_b   ? ", 1"
                               : ", 0");
    if (of_b) return cg_str(g, "XS(%s_quads)(%s, %u, %u, %u", how, to, cg_signs(g, variable), b->height, b->count);
    return cg_str(g, "XS(%s_rows)(%s, %u, %u, %u, %u", how, to, cg_signs(g, variable), b->elem, b->height, b->count);
}

const char *cg_surface(struct cg *g)
{
    uint32_t first = g->w->inst->op == SP_OP_Subgroup2DBlockStoreINTEL ? 5 : 4, at = cg_operand(g, first + 4);
    const char *e = cg_use(g, cg_operand(g, first), false);
    for (uint32_t k = 1; k < 4; k++) e = cg_str(g, "%s, %s", e, cg_use(g, cg_operand(g, first + k), false));
    return cg_str(g, "%s, (i32)%s, (i32)%s", e, cg_leaf_use(g, at, 0, false), cg_leaf_use(g, at, 1, false));
}

const char *cg_pointer_list(struct cg *g, const char *type, uint32_t n, const char *const *items)
{
    const char *name = cg_str(g, "t%u", g->w->temporaries++);
    cg_put(g, "    %s *const %s[] = {", type, name);
    for (uint32_t i = 0; i < n; i++) cg_put(g, "(%s *)%s,%s", type, items[i], i % 8 == 7 ? "\n        " : " ");
    cg_put(g, "};\n");
    return name;
}
