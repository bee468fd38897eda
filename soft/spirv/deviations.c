/* deviations.c - what is not valid SPIR-V and taken all the same, because the drivers that programs are written for
 * take it: each with a warning, a few of a kind. A strict reader refuses them.
 *
 *   a vector of any length from 1 to 64 without a capability for it
 *   an access chain whose result points to another type than its indices lead to: the address counts
 *   a value that is used where its definition does not dominate: an undefined value of its type
 */
#include "reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TOLD_OF_A_KIND = 3 };

bool sp_deviate(struct sp_reader *r, const struct sp_inst *at, enum sp_deviation which, const char *format, ...)
{
    char message[256];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (r->strict) return sp_refuse(r, at, "%s", message);
    if (r->deviations[which]++ < TOLD_OF_A_KIND)
        sp_text_add(&r->m->warnings, "warning: word %u: %s %%%u: %s\n", at->word, sp_op_name(at->op),
                    sp_number(r->m, at->id), message);
    return true;
}

void sp_sum_deviations(struct sp_reader *r)
{
    uint32_t left = 0;
    for (uint32_t k = 0; k < SP_DEVIATIONS; k++)
        if (r->deviations[k] > TOLD_OF_A_KIND) left += r->deviations[k] - TOLD_OF_A_KIND;
    if (left) sp_text_add(&r->m->warnings, "warning: %u more of these\n", left);
    if (r->m->warnings.size)
        sp_text_add(&r->m->warnings, "warning: the module is not valid and taken all the same; XETILE_SOFT_STRICT=1 "
                                     "refuses it\n");
}

/* ---- undefined values, in ids that the module leaves free: one for each type */

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

/* The operands of an instruction are the module's words, which stay as they are: the linker copies them. */
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
