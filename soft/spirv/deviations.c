/* deviations.c - invalid SPIR-V that is accepted because the drivers that programs are written for accept it: each with
 * a warning, a few of a kind. A strict reader refuses it.
 *
 *   a vector of any length from 1 to 64 without a capability for it
 *   an access chain whose result type differs from the type its indices lead to: only the address matters
 *   a value used where its definition does not dominate: it becomes an undefined value of its type
 */
#include "reader.h"

#include <stdarg.h>
#include <stdio.h>

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
