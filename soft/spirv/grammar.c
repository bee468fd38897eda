/* grammar.c - the tables that tokens.py generates from SPIR-V's grammar: opcodes, operands, names. */
#include "reader.h"

#include <string.h>

static const struct sp_op_row op_rows[] = {
#define SP_TABLE_OP(op, name, results, pattern, values) {op, results, values, name, pattern},
#define SP_TABLE_PARAMETERS(letter, value, pattern)
#define SP_TABLE_NAME(letter, value, name)
#include "tables.inc"
#undef SP_TABLE_OP
#undef SP_TABLE_PARAMETERS
#undef SP_TABLE_NAME
};

struct name_row {
    char letter;
    uint32_t value;
    const char *name;
};
static const struct name_row name_rows[] = {
#define SP_TABLE_OP(op, name, results, pattern, values)
#define SP_TABLE_PARAMETERS(letter, value, pattern)
#define SP_TABLE_NAME(letter, value, name) {letter, value, name},
#include "tables.inc"
#undef SP_TABLE_OP
#undef SP_TABLE_PARAMETERS
#undef SP_TABLE_NAME
};

const struct sp_op_row *sp_op_find(uint32_t op)
{
    size_t low = 0, high = SP_COUNT(op_rows);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (op_rows[middle].op < op)
            low = middle + 1;
        else
            high = middle;
    }
    return low < SP_COUNT(op_rows) && op_rows[low].op == op ? &op_rows[low] : NULL;
}

const char *sp_op_name(uint32_t op)
{
    const struct sp_op_row *row = sp_op_find(op);
    return row ? row->name : "unknown instruction";
}

const char *sp_token_name(char letter, uint32_t value)
{
    size_t i;
    for (i = 0; i < SP_COUNT(name_rows); i++)
        if (name_rows[i].letter == letter && name_rows[i].value == value) return name_rows[i].name;
    return "?";
}
