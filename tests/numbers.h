/* numbers.h - elements of the types of coopmatrix.h in memory, as doubles; their properties and precision. */
#ifndef TEST_NUMBERS_H
#define TEST_NUMBERS_H

#include "coopmatrix.h"
#include "half.h"
#include "test.h"

enum { I1 = CM_TYPE_COUNT }; /* a condition: xetile.h's type behind those of coopmatrix.h */

/* A type's properties in memory: an i1 is a byte, 0 or 1. */
TEST_UNUSED_ static const cm_type_row *row_of(int type) { return cm_type_info(type == I1 ? CM_U8 : (cm_type)type); }
TEST_UNUSED_ static const char *type_name(int type) { return type == I1 ? "i1" : row_of(type)->name; }

TEST_UNUSED_ static size_t size_of(int type) { return (size_t)row_of(type)->bytes; }
TEST_UNUSED_ static bool is_float(int type) { return row_of(type)->kind == CM_KIND_FLOAT; }
TEST_UNUSED_ static bool is_signed(int type) { return row_of(type)->is_signed; }

TEST_UNUSED_ static double get(int type, const void *base, size_t at)
{
    const unsigned char *p = (const unsigned char *)base + at * size_of(type);
    uint64_t bits = 0;
    memcpy(&bits, p, size_of(type));
    switch (type) {
    case CM_F64: return ((const double *)base)[at];
    case CM_F32:
    case CM_TF32: return (double)((const float *)base)[at];
    case CM_F16: return (double)spe_f16_bits_to_f32((uint16_t)bits);
    case CM_BF16: return (double)spe_bf16_bits_to_f32((uint16_t)bits);
    case CM_E4M3: return (double)spe_e4m3_bits_to_f32((uint8_t)bits);
    case CM_E5M2: return (double)spe_e5m2_bits_to_f32((uint8_t)bits);
    case CM_I64: return (double)(int64_t)bits;
    case CM_I32: return (double)(int32_t)(uint32_t)bits;
    case CM_I16: return (double)(int16_t)(uint16_t)bits;
    case CM_I8: return (double)(int8_t)(uint8_t)bits;
    default: return (double)bits;
    }
}

TEST_UNUSED_ static void put(int type, void *base, size_t at, double v)
{
    uint64_t bits = 0;
    float single = (float)v;
    switch (type) {
    case CM_F64: memcpy(&bits, &v, 8); break;
    case CM_F32: memcpy(&bits, &single, 4); break;
    case CM_TF32: single = spe_f32_to_tf32(single), memcpy(&bits, &single, 4); break;
    case CM_F16: bits = f16_bits_of(v); break;
    case CM_BF16: bits = spe_f32_to_bf16_bits(single); break;
    case CM_E4M3: bits = spe_f32_to_e4m3_bits(single, true); break;
    case CM_E5M2: bits = spe_f32_to_e5m2_bits(single, true); break;
    default: bits = v < 0 ? (uint64_t)(int64_t)v : (uint64_t)fmin(v, 0x1p63); break;
    }
    memcpy((unsigned char *)base + at * size_of(type), &bits, size_of(type));
}

/* A value rounded to the type. */
TEST_UNUSED_ static double round_to(int type, double v)
{
    double room = 0;
    put(type, &room, 0, v);
    return get(type, &room, 0);
}

/* Half a unit in the last place of 1: rounding v adds at most |v| times this (plus half the smallest denormal). */
TEST_UNUSED_ static double half_ulp(int type)
{
    switch (type) {
    case CM_F64: return 0x1p-53;
    case CM_F32: return 0x1p-24;
    case CM_TF32: return 0x1p-11;
    case CM_F16: return 0x1p-11;
    case CM_BF16: return 0x1p-8;
    default: return 0;
    }
}

#endif
