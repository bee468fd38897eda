/* undefined.c - undefined values, one per type, with ids that the module does not use. */
#include "reader.h"

#include <string.h>

static uint32_t undefined_of(struct sp_reader *r, uint32_t type)
{
    struct sp_module *m = r->m;
    uint32_t index = m->type_of_id[type] - 1;
    struct sp_inst *i;
    if (!r->undefined) r->undefined = sp_alloc(r, r->total_types + 1, sizeof *r->undefined);
    if (!r->undefined) return 0;
    if (r->undefined[index]) return r->undefined[index];
    i = sp_alloc(r, 1, sizeof *i);
    if (!i) return 0;
    *i = (struct sp_inst){.op = SP_OP_Undef, .type = type, .id = m->bound++};
    r->early_type[i->id] = type;
    return sp_accept_constant(r, i) ? r->undefined[index] = i->id : 0;
}

/* Operands point to the module's words, which must not change because the linker copies them. */
static uint32_t *own_operands(struct sp_reader *r, struct sp_inst *i)
{
    uint32_t *own;
    if (r->patched != i) {
        own = sp_alloc(r, i->count, sizeof *own);
        if (!own) return NULL;
        memcpy(own, i->operand, i->count * sizeof *own);
        i->operand = r->patched_operands = own;
        r->patched = i;
    }
    return r->patched_operands;
}

bool sp_make_undefined(struct sp_reader *r, const struct sp_inst *i, uint32_t k, uint32_t type)
{
    struct sp_inst *mine = &r->insts[i - r->insts];
    uint32_t *operands, undefined = undefined_of(r, type);
    if (!undefined) return false;
    operands = own_operands(r, mine);
    if (!operands) return false;
    operands[k] = undefined;
    return true;
}
