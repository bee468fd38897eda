/* ir/operations.c - what is known of each operation and of the kinds that share one. */
#include "../internal.h"

/* Is it a product, whose operands begin with an xt_mma_desc_? */
XE_FN_ bool xt_is_mma_(xt_op_ op) { return op == XT_OP_TILE_MMA_ || op == XT_OP_TILE_MMA_SCALED_; }

/* As users write it. */
XE_FN_ const char *xt_operation_name_(xt_op_ op)
{
#define XT_OPERATION_NAME_(name, ...) "XT_" #name,
    static const char *const names[] = {XT_OPERATIONS_(XT_OPERATION_NAME_)};
    return names[op];
}

/* Has it one of these effects? */
XE_FN_ bool xt_does_(xt_op_ op, int effects)
{
#define XT_OPERATION_DOES_(name, function, does, ...) XT_DOES_##does,
    static const unsigned short all[] = {XT_OPERATIONS_(XT_OPERATION_DOES_)};
    return (all[op] & effects) != 0;
}

XE_FN_ const char *xt_op_name_(int op)
{
    static const char *const names[] = {"XT_ADD", "XT_SUB", "XT_MUL", "XT_DIV", "XT_MIN", "XT_MAX",
                                        "XT_MOD", "XT_AND", "XT_OR",  "XT_XOR", "XT_SHL", "XT_SHR",
                                        "XT_EQ",  "XT_NE",  "XT_LT",  "XT_LE",  "XT_GT",  "XT_GE"};
    return names[op]; /* indexed by spe_arith_op */
}

XE_FN_ bool xt_is_compare_(int op) { return op >= SPE_ARITH_EQ; }

XE_FN_ bool xt_is_shift_(int op) { return op == SPE_ARITH_SHL || op == SPE_ARITH_SHR; }
XE_FN_ bool xt_is_bitwise_(int op) { return op == SPE_ARITH_AND || op == SPE_ARITH_OR || op == SPE_ARITH_XOR; }

XE_FN_ const xt_math_row_ *xt_math_info_(int op)
{
#define XT_MATH_ROW_(name, n, instruction) {"XT_" #name, n, (int)SPE_##instruction},
    static const xt_math_row_ rows[] = {XT_MATH_(XT_MATH_ROW_)};
    return &rows[op];
}

/* 0: none. */
XE_FN_ int xt_math_instruction_(int op, int type)
{
    if (xt_is_small_(type) || type >= (int)CM_C32) return 0;
    if (op == XT_MATH_NATIVE_EXP2_ && type != CM_F32) op = XT_MATH_EXP2_;
    if (xt_is_float_(type)) return xt_math_info_(op)->on_float;
    return op != XT_MATH_ABS_ ? 0 : xt_is_signed_(type) ? (int)SPE_SABS : (int)SPE_UABS;
}

XE_ONCE_
XE_FN_ const xt_red_row_ *xt_red_info_(int kind)
{
#define XT_RED_ROW_(name, op, number, takes, nan_wins) {#name, SPE_##op, SPE_##number, XT_RMW_##takes, nan_wins},
    static const xt_red_row_ rows[] = {XT_RED_KINDS_(XT_RED_ROW_)};
    return &rows[kind];
}

XE_ONCE_
XE_FN_ const xt_rmw_row_ *xt_rmw_row_of_(xt_rmw_kind_ kind)
{
#define XT_RMW_ROW_(name, takes, op, combine) {#name, XT_RMW_##takes, (int)op, (int)combine},
    static const xt_rmw_row_ rows[] = {XT_RMW_KINDS_(XT_RMW_ROW_)};
    return &rows[kind];
}
