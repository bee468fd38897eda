/* shapes.c - what the grammar says of instructions and functions that are written by number: which exist, with which
 * operands. */
#include "internal.h"
#include "needed.h"

typedef struct {
    uint16_t first, last;                       /* opcodes, or functions */
    uint8_t results, least, most, ids, version; /* see SPE_SHAPES_; operands of a function: least */
} spe_shape_;

/* The row of a sorted list that contains a number; NULL if none does. */
static const spe_shape_ *spe_shape_of_(const spe_shape_ *rows, size_t count, uint32_t number)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (rows[middle].last < number) low = middle + 1;
        else high = middle;
    }
    return low < count && rows[low].first <= number ? &rows[low] : NULL;
}

/* Is it an id that exists, and if a value, one that may be used here? Else an error. */
XE_ONCE_
static bool spe_is_known_(spe_module *m, uint32_t number, uint32_t id)
{
    if (id < m->id_count && m->ids[id].type) return spe_operand_(m, id) != 0;
    if (id && id < m->id_count) return true; /* a type, label, function, string or set */
    return spe_error_(m, SPE_ERR_NO_VALUE, "operand %u is %u, which is not an id", number, id);
}

/* May a function's body contain the instruction, with a result or not, and these words of operands? Else an error. What
 * the table lacks, may. */
XE_FN_ bool spe_has_shape_(spe_module *m, uint32_t opcode, uint32_t results, uint32_t n, const uint32_t *words)
{
#define SPE_ROW_(first, last, results, least, most, ids, version) {first, last, results, least, most, ids, version},
    static const spe_shape_ rows[] = {SPE_SHAPES_(SPE_ROW_)};
#undef SPE_ROW_
    const spe_shape_ *s = spe_shape_of_(rows, sizeof rows / sizeof *rows, opcode);
    bool any = s && s->most == UINT8_MAX;
    if (m->error.id || !s) return !m->error.id;
    if (s->results > 1)
        return spe_error_(m, SPE_ERR_RANGE, "opcode %u is not of a function's body, or is control flow", opcode);
    if (s->results != results)
        return spe_error_(m, SPE_ERR_TYPE, "opcode %u has %s; use %s", opcode, results ? "no result" : "a result",
                          results ? "spe_op_void" : "spe_op");
    if (m->options.version < SPE_VERSION(1, (uint32_t)s->version))
        return spe_error_(m, SPE_ERR_VERSION, "opcode %u needs SPIR-V 1.%u, the module is 1.%u", opcode, s->version,
                          m->options.version >> 8 & 0xff);
    if (n < s->least || (!any && n > s->most))
        return spe_error_(m, SPE_ERR_RANGE, "opcode %u with %u words of operands; it has %u%s", opcode, n, s->least,
                          any ? " or more" : s->most > s->least ? ", and optional ones" : "");
    for (uint32_t i = 0; i < n && (s->ids == UINT8_MAX || i < s->ids); i++) {
        if (!spe_is_known_(m, i + 1, words[i])) return false;
    }
    return true;
}

/* The operand of a function of OpenCL.std, from 1, that is a literal: the last of vloadn and of stores that round. */
static uint32_t spe_literal_of_(uint32_t number)
{
    enum { VLOADN = 171, VLOAD_HALFN = 174, VSTORE_HALF_R = 176, VSTORE_HALFN_R = 178, VLOADA_HALFN = 179,
           VSTOREA_HALFN_R = 181 };
    if (number == VLOADN || number == VLOAD_HALFN || number == VLOADA_HALFN) return 3;
    return number == VSTORE_HALF_R || number == VSTORE_HALFN_R || number == VSTOREA_HALFN_R ? 4 : 0;
}

/* Has OpenCL.std the function, with this number of operands, values? Else an error. */
XE_FN_ bool spe_has_function_(spe_module *m, uint32_t number, uint32_t n, const uint32_t *words)
{
#define SPE_ROW_(first, last, operands) {first, last, 1, operands, operands, 0, 0},
    static const spe_shape_ rows[] = {SPE_FUNCTIONS_(SPE_ROW_)};
#undef SPE_ROW_
    enum { PRINTF = 184 }; /* a format, and any number of values */
    const spe_shape_ *s = spe_shape_of_(rows, sizeof rows / sizeof *rows, number);
    if (m->error.id) return false;
    if (!s) return spe_error_(m, SPE_ERR_RANGE, "OpenCL.std has no function %u", number);
    if (number == PRINTF ? n < 1 : n != s->least)
        return spe_error_(m, SPE_ERR_RANGE, "function %u of OpenCL.std takes %u operands, not %u", number, s->least, n);
    for (uint32_t i = 0; i < n; i++) {
        if (i + 1 != spe_literal_of_(number) && !spe_operand_(m, words[i])) return false;
    }
    return true;
}
