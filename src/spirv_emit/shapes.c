/* shapes.c - what the grammar says of instructions and functions that are written by number, and of words that are
 * bits: which exist, with how many operands. */
#include "internal.h"
#include "needed.h"

typedef struct {
    uint16_t first, last;                   /* opcodes, or functions */
    uint8_t results, least, most, version; /* see SPE_SHAPES_; operands of a function: least */
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

/* May a function's body contain the instruction, with this number of results and words of operands? Else an error. What
 * the table lacks, may. */
XE_FN_ bool spe_has_shape_(spe_module *m, uint32_t opcode, uint32_t results, uint32_t n)
{
#define SPE_ROW_(first, last, results, least, most, version) {first, last, results, least, most, version},
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
    if (n >= s->least && (any || n <= s->most)) return true;
    return spe_error_(m, SPE_ERR_RANGE, "opcode %u with %u words of operands; it has %u%s", opcode, n, s->least,
                      any ? " or more" : s->most > s->least ? ", and optional ones" : "");
}

/* Has OpenCL.std the function, with this number of operands? Else an error. */
XE_FN_ bool spe_has_function_(spe_module *m, uint32_t number, uint32_t n)
{
#define SPE_ROW_(first, last, operands) {first, last, 1, operands, operands, 0},
    static const spe_shape_ rows[] = {SPE_FUNCTIONS_(SPE_ROW_)};
#undef SPE_ROW_
    enum { PRINTF = 184 }; /* a format, and any number of values */
    const spe_shape_ *s = spe_shape_of_(rows, sizeof rows / sizeof *rows, number);
    if (m->error.id) return false;
    if (!s) return spe_error_(m, SPE_ERR_RANGE, "OpenCL.std has no function %u", number);
    if (number == PRINTF ? n >= 1 : n == s->least) return true;
    return spe_error_(m, SPE_ERR_RANGE, "function %u of OpenCL.std takes %u operands, not %u", number, s->least, n);
}

/* Are these bits of the operands of spe_dpas (this opcode), or of cooperative matrices? Else an error. */
XE_FN_ bool spe_has_bits_(spe_module *m, uint32_t op, uint32_t word)
{
#define SPE_BIT_(kind, name, number) | (uint32_t)number
    uint32_t all = op == SPE_OpSubgroupMatrixMultiplyAccumulateINTEL
                       ? 0 SPE_MatrixMultiplyAccumulateOperands_(SPE_BIT_, K)
                       : 0 SPE_CooperativeMatrixOperands_(SPE_BIT_, K);
#undef SPE_BIT_
    return !(word & ~all) || spe_error_(m, SPE_ERR_RANGE, "operands 0x%x; the bits of 0x%x exist", word, all);
}
