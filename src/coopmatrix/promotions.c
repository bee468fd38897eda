/* promotions.c - which types have products, in which type they are summed, and what promotes to what. */
#include "internal.h"

/* The promotion rule: all pairs of distinct types. Pairs of real types have products, in either order. */
#define CM_PROMOTIONS_(X)                                                                                              \
    X(I8, I16) X(I8, I32) X(I8, I64) X(I8, BF16) X(I8, F16) X(I8, TF32) X(I8, F32) X(I8, F64) X(U8, I16) X(U8, I32)    \
    X(U8, I64) X(U8, U16) X(U8, U32) X(U8, U64) X(U8, BF16) X(U8, F16) X(U8, TF32) X(U8, F32) X(U8, F64) X(I16, I32)   \
    X(I16, I64) X(I16, F32) X(I16, F64) X(U16, I32) X(U16, I64) X(U16, U32) X(U16, U64) X(U16, F32) X(U16, F64)        \
    X(I32, U32) X(I32, I64) X(I32, F64) X(U32, U64) X(U32, I64) X(U32, F64) X(E4M3, BF16) X(E4M3, F16) X(E4M3, TF32)   \
    X(E4M3, F32) X(E4M3, F64) X(E5M2, BF16) X(E5M2, F16) X(E5M2, TF32) X(E5M2, F32) X(E5M2, F64) X(BF16, TF32)         \
    X(BF16, F32) X(BF16, F64) X(F16, TF32) X(F16, F32) X(F16, F64) X(TF32, F32) X(TF32, F64) X(F32, F64)
#define CM_COMPLEX_PROMOTIONS_(X)                                                                                      \
    X(I8, C32) X(I8, C64) X(U8, C32) X(U8, C64) X(I16, C32) X(I16, C64) X(U16, C32) X(U16, C64) X(I32, C32) X(I32, C64)\
    X(U32, C64) X(E4M3, C32) X(E4M3, C64) X(E5M2, C32) X(E5M2, C64) X(BF16, C32) X(BF16, C64) X(F16, C32) X(F16, C64)  \
    X(TF32, C32) X(TF32, C64) X(F32, C32) X(F32, C64) X(F64, C64) X(C32, C64)

const cm_product *cm_product_row(cm_type a, cm_type b)
{
    enum { A_SIGNED = 1, B_SIGNED = 2, I8 = 0x10 | 0x20, TF32 = 0x100 | 0x200, F16 = 0x400 | 0x800 };
    enum { BF16 = 0x1000 | 0x2000, E4M3_A = 0x4000, E4M3_B = 0x8000, E5M2_A = 0x10000, E5M2_B = 0x20000 };
    enum { E2M1 = 0x40000 | 0x80000 }; /* bits of SPE_MatrixMultiplyAccumulateOperands... */
    enum { /* once each, as they are long expressions */
#define CM_SUM_OF_(t) SUM_##t = CM_SUM_(CM_##t)
        CM_SUM_OF_(I16), CM_SUM_OF_(U16), CM_SUM_OF_(I32), CM_SUM_OF_(U32), CM_SUM_OF_(I64), CM_SUM_OF_(U64),
        CM_SUM_OF_(BF16), CM_SUM_OF_(F16), CM_SUM_OF_(TF32),
        CM_SUM_OF_(F32), CM_SUM_OF_(F64)
    };
#define CM_BOTH_WAYS_(a, b) {CM_##a, CM_##b, (cm_type)SUM_##b, 0}, {CM_##b, CM_##a, (cm_type)SUM_##b, 0},
    static const cm_product rows[] = {
        {CM_F16, CM_F16, CM_F32, F16},         {CM_BF16, CM_BF16, CM_F32, BF16},
        {CM_TF32, CM_TF32, CM_F32, TF32},      {CM_I8, CM_I8, CM_I32, I8 | A_SIGNED | B_SIGNED},
        {CM_U8, CM_U8, CM_I32, I8},            {CM_I8, CM_U8, CM_I32, I8 | B_SIGNED},
        {CM_U8, CM_I8, CM_I32, I8 | A_SIGNED},
#define CM_SQUARE_(t) {CM_##t, CM_##t, (cm_type)SUM_##t, 0}
        {CM_E4M3, CM_E4M3, CM_F32, E4M3_A | E4M3_B}, {CM_E5M2, CM_E5M2, CM_F32, E5M2_A | E5M2_B},
        {CM_E4M3, CM_E5M2, CM_F32, E5M2_A | E4M3_B}, {CM_E5M2, CM_E4M3, CM_F32, E4M3_A | E5M2_B},
        {CM_E2M1, CM_E2M1, CM_F32, E2M1},
        CM_SQUARE_(F64), CM_SQUARE_(F32), CM_SQUARE_(I64), CM_SQUARE_(U64), CM_SQUARE_(I32), CM_SQUARE_(U32),
        CM_SQUARE_(I16), CM_SQUARE_(U16), CM_PROMOTIONS_(CM_BOTH_WAYS_)
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].type_a == a && rows[i].type_b == b) return &rows[i];
    return NULL;
}

bool cm_has_dpas(const cm_target *target, const cm_product *row)
{
    return row && row->dpas && !(row->dpas & ~target->dpas_operands);
}

bool cm_promotes(cm_type from, cm_type to)
{
#define CM_PAIR_(from, to) {CM_##from, CM_##to},
    static const cm_type pairs[][2] = {CM_PROMOTIONS_(CM_PAIR_) CM_COMPLEX_PROMOTIONS_(CM_PAIR_)};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (pairs[i][0] == from && pairs[i][1] == to) return true;
    return from == to && cm_type_info(to);
}

bool cm_product_takes(const cm_product *row, cm_type c)
{
    if (row->acc == CM_F32 && (c == CM_F16 || c == CM_BF16)) return row->type_a != CM_F32 && row->type_b != CM_F32;
    if (row->acc == CM_I32 && c == CM_U32) return true; /* same bits */
    if (row->type_a == CM_E2M1) return c == CM_F32;
    return cm_promotes(row->type_a, c) && cm_promotes(row->type_b, c);
}

/* Values of a component. */
XE_ONCE_
XE_FN_ int cm_per_(cm_type type) { return type == CM_E2M1 ? 2 : 1; }

/* Depth of one matrix instruction, in components of this type: eight dwords. */
XE_FN_ int cm_dpas_depth_(cm_type type) { return 32 / cm_type_info(type)->bytes; }

/* The same in values. */
XE_ONCE_
XE_FN_ int cm_dpas_values_(cm_type type) { return cm_dpas_depth_(type) * cm_per_(type); }
