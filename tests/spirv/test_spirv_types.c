/* test_spirv_types.c - types and constants: unique, with their capabilities; folding of integer constants against plain
 * C arithmetic, for every pair of 8-bit values. */
#include "spirv_emit.h"
#include "test.h"

static bool declares(const spe_module *m, uint32_t capability)
{
    const spe_buffer_ *b = &m->buffer[SPE_BUFFER_CAPS_];
    size_t i;
    for (i = 0; i < b->count; i++) {
        if (b->data[i] == capability) return true;
    }
    return false;
}

static void expect(spe_module *m, int id, const char *part)
{
    CHECK_INT(spe_get_error(m)->id, id);
    CHECK_HAS(spe_get_error(m)->text, part);
    spe_free(m);
    spe_begin(m, NULL);
}

/* Every type the header can make, in one list: asked for `round` after round it must be the same ids. */
static uint32_t all_types(spe_module *m, spe_id *t)
{
    static const uint32_t counts[] = {2, 3, 4, 8, 16};
    static const uint32_t storages[] = {SPE_StorageClassUniformConstant, SPE_StorageClassInput,
                                        SPE_StorageClassWorkgroup,       SPE_StorageClassCrossWorkgroup,
                                        SPE_StorageClassFunction,        SPE_StorageClassGeneric};
    uint32_t n = 0, i, k, scalars;
    t[n++] = spe_bool(m);
    for (i = 8; i <= 64; i *= 2) t[n++] = spe_int(m, i);
    for (i = 16; i <= 64; i *= 2) t[n++] = spe_float(m, i);
    t[n++] = spe_bf16(m);
    t[n++] = spe_e4m3(m);
    t[n++] = spe_e5m2(m);
    scalars = n;
    for (i = 0; i < scalars; i++) {
        for (k = 0; k < 5; k++) t[n++] = spe_vec(m, t[i], counts[k]);
    }
    for (k = 0; k < 6; k++) t[n++] = spe_ptr(m, storages[k], t[2]);
    t[n++] = spe_array(m, t[1], 7);
    t[n++] = spe_array(m, t[1], 8);
    t[n++] = spe_struct(m, 3, t + 1);
    t[n++] = spe_struct(m, 2, t + 1);
    t[n++] = spe_void(m);
    t[n] = spe_fn_type(m, t[n - 1], 3, t + 1);
    n++;
    t[n++] = spe_coopmat(m, t[5], SPE_ScopeSubgroup, 8, 16, SPE_CooperativeMatrixUseMatrixAKHR);
    t[n++] = spe_coopmat(m, t[5], SPE_ScopeSubgroup, 8, 16, SPE_CooperativeMatrixUseMatrixBKHR);
    t[n++] = spe_coopmat(m, t[8], SPE_ScopeSubgroup, 8, 16, SPE_CooperativeMatrixUseMatrixAKHR);
    t[n++] = spe_coopmat(m, t[9], SPE_ScopeSubgroup, 8, 16, SPE_CooperativeMatrixUseMatrixAKHR);
    return n;
}

TEST(types_are_made_once)
{
    spe_module m;
    spe_id first[200], again[200];
    uint32_t n, i, k;
    size_t words;
    spe_begin(&m, NULL);
    n = all_types(&m, first);
    words = m.buffer[SPE_SECTION_GLOBAL_].count;
    CHECK_INT(all_types(&m, again), n);
    CHECK_INT(m.buffer[SPE_SECTION_GLOBAL_].count, words);
    for (i = 0; i < n; i++) {
        CHECK_INT(first[i], again[i]);
        for (k = 0; k < i; k++)
            CHECK_MSG(first[i] && first[i] != first[k], "types %u and %u are both id %u", k, i, first[i]);
    }
    CHECK(spe_ok(&m));
    spe_free(&m);
}

TEST(types_tell_what_they_are)
{
    spe_module m;
    spe_type_info t;
    spe_id f, v, s, members[2];
    char text[80];
    spe_begin(&m, NULL);
    f = spe_float(&m, 32);
    v = spe_vec(&m, f, 4);
    CHECK_INT(spe_vec(&m, f, 1), f);
    t = spe_info(&m, v);
    CHECK(t.kind == SPE_KIND_VECTOR && t.count == 4 && t.elem == f);
    CHECK(spe_width(&m, v) == 32 && spe_count(&m, v) == 4 && spe_scalar_of(&m, v) == f);
    CHECK_STR(spe_type_text(&m, v, text, sizeof text), "f32x4");
    t = spe_info(&m, spe_ptr(&m, SPE_StorageClassWorkgroup, v));
    CHECK(t.kind == SPE_KIND_POINTER && t.elem == v && t.storage == SPE_StorageClassWorkgroup);
    members[0] = f;
    members[1] = v;
    s = spe_struct(&m, 2, members);
    t = spe_info(&m, s);
    CHECK(t.kind == SPE_KIND_STRUCT && t.count == 2 && t.members[0] == f && t.members[1] == v);
    CHECK_INT(spe_alignment(&m, s), 16);
    CHECK_INT(spe_alignment(&m, spe_vec(&m, spe_int(&m, 16), 3)), 8);
    t = spe_info(&m, spe_e5m2(&m));
    CHECK(t.kind == SPE_KIND_FLOAT && t.bits == 8 && t.encoding == SPE_E5M2);
    t = spe_info(&m, spe_coopmat(&m, f, SPE_ScopeSubgroup, 8, 16, SPE_CooperativeMatrixUseMatrixAccumulatorKHR));
    CHECK(t.kind == SPE_KIND_COOPMAT && t.rows == 8 && t.cols == 16 && t.use == 2 && t.scope == 3 && t.elem == f);
    CHECK_STR(spe_type_text(&m, spe_ptr(&m, SPE_StorageClassFunction, spe_array(&m, v, 3)), text, sizeof text),
              "ptr<[3]f32x4>");
    CHECK(spe_info(&m, 0).kind == SPE_KIND_NONE && spe_info(&m, 99999).kind == SPE_KIND_NONE);
    CHECK(spe_info(&m, spe_i32(&m, 3)).kind == SPE_KIND_NONE);
    spe_free(&m);
}

TEST(types_bring_their_capabilities)
{
    static const struct {
        int kind;
        uint32_t bits, capability;
    } rows[] = {
        {0, 8, SPE_CapabilityInt8},
        {0, 16, SPE_CapabilityInt16},
        {0, 64, SPE_CapabilityInt64},
        {1, 16, SPE_CapabilityFloat16},
        {1, 64, SPE_CapabilityFloat64},
        {2, 8, SPE_CapabilityVector16},
        {2, 16, SPE_CapabilityVector16},
        {3, SPE_BF16, SPE_CapabilityBFloat16TypeKHR},
        {3, SPE_E4M3, SPE_CapabilityFloat8EXT},
        {3, SPE_E5M2, SPE_CapabilityFloat8EXT},
        {4, SPE_StorageClassGeneric, SPE_CapabilityGenericPointer},
        {5, SPE_IEEE, SPE_CapabilityCooperativeMatrixKHR},
        {5, SPE_BF16, SPE_CapabilityBFloat16CooperativeMatrixKHR},
        {5, SPE_E4M3, SPE_CapabilityFloat8CooperativeMatrixEXT},
    };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t b = rows[i].bits;
        spe_module m;
        spe_id small;
        spe_begin(&m, NULL);
        spe_vec(&m, spe_int(&m, 32), 4);
        spe_ptr(&m, SPE_StorageClassCrossWorkgroup, spe_float(&m, 32));
        CHECK_INT(m.buffer[SPE_BUFFER_CAPS_].count, 0);
        small = rows[i].kind < 3 || b == SPE_IEEE ? 0
                : b == SPE_BF16                   ? spe_bf16(&m)
                : b == SPE_E4M3                   ? spe_e4m3(&m)
                                                  : spe_e5m2(&m);
        if (rows[i].kind == 0) spe_int(&m, b);
        if (rows[i].kind == 1) spe_float(&m, b);
        if (rows[i].kind == 2) spe_vec(&m, spe_float(&m, 32), b);
        if (rows[i].kind == 4) spe_ptr(&m, b, spe_float(&m, 32));
        if (rows[i].kind == 5) spe_coopmat(&m, small ? small : spe_float(&m, 32), SPE_ScopeSubgroup, 8, 8, 0);
        CHECK_MSG(declares(&m, rows[i].capability), "row %d does not declare capability %u", (int)i,
                  rows[i].capability);
        spe_free(&m);
    }
}

TEST(bad_types)
{
    spe_module m;
    spe_begin(&m, NULL);
    spe_int(&m, 24);
    expect(&m, SPE_ERR_RANGE, "spe_int: 24 bits");
    spe_float(&m, 8);
    expect(&m, SPE_ERR_RANGE, "spe_float: 8 bits");
    spe_vec(&m, spe_float(&m, 32), 5);
    expect(&m, SPE_ERR_RANGE, "spe_vec: 5 components");
    spe_capability(&m, SPE_CapabilityVectorAnyINTEL);
    CHECK_INT(spe_count(&m, spe_vec(&m, spe_float(&m, 32), 5)), 5);
    CHECK_INT(spe_alignment(&m, spe_vec(&m, spe_float(&m, 32), 5)), 32);
    spe_vec(&m, spe_float(&m, 32), 0);
    expect(&m, SPE_ERR_RANGE, "spe_vec: 0 components");
    spe_vec(&m, spe_vec(&m, spe_float(&m, 32), 2), 2);
    expect(&m, SPE_ERR_TYPE, "not f32x2");
    spe_vec(&m, 0, 2);
    expect(&m, SPE_ERR_NO_TYPE, "spe_vec");
    spe_array(&m, spe_float(&m, 32), 0);
    expect(&m, SPE_ERR_TYPE, "spe_array");
    spe_array(&m, spe_void(&m), 4);
    expect(&m, SPE_ERR_TYPE, "spe_array");
    spe_array(&m, spe_fn_type(&m, spe_void(&m), 0, NULL), 4);
    expect(&m, SPE_ERR_TYPE, "spe_array");
    spe_ptr(&m, SPE_StorageClassFunction, spe_i32(&m, 1));
    expect(&m, SPE_ERR_NO_TYPE, "spe_ptr");
    spe_coopmat(&m, spe_bool(&m), SPE_ScopeSubgroup, 8, 8, 0);
    expect(&m, SPE_ERR_TYPE, "spe_coopmat");
    spe_coopmat(&m, spe_float(&m, 32), SPE_ScopeSubgroup, 8, 0, 0);
    expect(&m, SPE_ERR_RANGE, "8 x 0");
    spe_free(&m);
}

/* ---- constants ------------------------------------------------------------------------------------------------- */

TEST(constants_are_made_once)
{
    spe_module m;
    spe_id i32, f16, vec, a, parts[4];
    uint64_t bits;
    int i;
    spe_begin(&m, NULL);
    i32 = spe_int(&m, 32);
    f16 = spe_float(&m, 16);
    vec = spe_vec(&m, i32, 4);
    a = spe_i32(&m, 7);
    CHECK(a == spe_u32(&m, 7) && a == spe_const_u(&m, i32, 7) && a == spe_const_i(&m, i32, 7));
    CHECK(spe_i32(&m, -1) == spe_u32(&m, 0xffffffff));
    CHECK(spe_u64(&m, 7) != a && spe_f32(&m, 7.0f) != a);
    CHECK(spe_const_f(&m, f16, 1.0) == spe_const_u(&m, f16, 1));
    CHECK(spe_const_bits(&m, spe_const_f(&m, f16, -2.0), &bits) && bits == 0xc000);
    CHECK(spe_const_bits(&m, spe_const_i(&m, spe_int(&m, 8), -2), &bits) && bits == 0xfe);
    CHECK(spe_const_bits(&m, spe_const_bool(&m, true), &bits) && bits == 1);
    CHECK(spe_const_bool(&m, true) != spe_const_bool(&m, false));
    for (i = 0; i < 4; i++) parts[i] = a;
    CHECK(spe_const_u(&m, vec, 7) == spe_composite_const(&m, vec, 4, parts));
    CHECK(!spe_const_bits(&m, spe_const_u(&m, vec, 7), &bits));
    CHECK(spe_construct(&m, vec, 4, parts) == spe_const_u(&m, vec, 7));
    CHECK(spe_splat(&m, vec, a) == spe_const_u(&m, vec, 7));
    CHECK(spe_null(&m, i32) == spe_i32(&m, 0));
    CHECK(spe_null(&m, vec) == spe_null(&m, vec) && spe_null(&m, vec) != 0);
    CHECK(spe_undef(&m, vec) == spe_undef(&m, vec) && spe_undef(&m, vec) != spe_null(&m, vec));
    CHECK(spe_f32(&m, 0.0f) != spe_f32(&m, -0.0f));
    for (i = 0; i < 5000; i++) CHECK(spe_const_bits(&m, spe_i32(&m, i * 7919), &bits) && bits == (uint32_t)(i * 7919));
    for (i = 0; i < 5000; i++) {
        spe_id was = spe_i32(&m, i * 7919);
        CHECK_INT(was, spe_i32(&m, i * 7919));
    }
    CHECK(spe_ok(&m));
    spe_free(&m);
}

TEST(spec_constants)
{
    spe_module m;
    spe_id a, b, v, parts[2];
    spe_words w;
    uint64_t bits;
    spe_begin(&m, NULL);
    a = spe_spec_const(&m, spe_int(&m, 32), 5, 0);
    b = spe_spec_const(&m, spe_int(&m, 64), 6, 1);
    CHECK(spe_spec_const(&m, spe_bool(&m), 1, 2) != 0);
    CHECK(spe_spec_const(&m, spe_bool(&m), 0, 3) != 0);
    CHECK(a && b && !spe_const_bits(&m, a, &bits));
    parts[0] = a;
    parts[1] = spe_i32(&m, 3);
    v = spe_composite_const(&m, spe_vec(&m, spe_int(&m, 32), 2), 2, parts);
    CHECK(v != 0);
    w = spe_finish(&m);
    CHECK_MSG(w.data != NULL, "%s", spe_get_error(&m)->text);
    test_save_spv("spirv_types_spec", w.data, w.count * 4);
    spe_free(&m);
    spe_begin(&m, NULL);
    spe_spec_const(&m, spe_int(&m, 8), 256, 0);
    expect(&m, SPE_ERR_RANGE, "spe_spec_const");
    spe_free(&m);
}

TEST(bad_constants)
{
    spe_module m;
    spe_id parts[4];
    spe_begin(&m, NULL);
    spe_const_u(&m, spe_int(&m, 8), 256);
    expect(&m, SPE_ERR_RANGE, "256 does not fit in 8 bits");
    spe_const_i(&m, spe_int(&m, 8), 128);
    expect(&m, SPE_ERR_RANGE, "128 does not fit in 8 bits");
    spe_const_i(&m, spe_int(&m, 16), -32769);
    expect(&m, SPE_ERR_RANGE, "spe_const_i");
    spe_const_f(&m, spe_int(&m, 32), 1.0);
    expect(&m, SPE_ERR_TYPE, "i32 is not a float type");
    spe_const_u(&m, spe_void(&m), 1);
    expect(&m, SPE_ERR_TYPE, "spe_const_u");
    spe_const_u(&m, 12345, 1);
    expect(&m, SPE_ERR_NO_TYPE, "12345 is not the id of a type");
    parts[0] = parts[1] = spe_i32(&m, 1);
    spe_composite_const(&m, spe_vec(&m, spe_int(&m, 32), 4), 2, parts);
    expect(&m, SPE_ERR_TYPE, "2 parts for i32x4");
    parts[0] = spe_i32(&m, 1);
    parts[1] = spe_f32(&m, 1);
    spe_composite_const(&m, spe_vec(&m, spe_int(&m, 32), 2), 2, parts);
    expect(&m, SPE_ERR_TYPE, "part 1 is f32");
    spe_null(&m, spe_void(&m));
    expect(&m, SPE_ERR_TYPE, "spe_null");
    spe_free(&m);
}

/* ---- folding --------------------------------------------------------------------------------------------------- */

typedef spe_id (*binary)(spe_module *, spe_id, spe_id);

/* Results in plain C on int; false if the header must leave the operation to the device. */
static bool reference(int which, int a, int b, int *out)
{
    int sa = a > 127 ? a - 256 : a, sb = b > 127 ? b - 256 : b;
    switch (which) {
    case 0: *out = a + b; return true;
    case 1: *out = a - b; return true;
    case 2: *out = a * b; return true;
    case 3: *out = b ? a / b : 0; return b != 0;
    case 4: *out = b ? a % b : 0; return b != 0;
    case 5: *out = sb ? sa / sb : 0; return sb > 0;
    case 6: *out = sb ? sa % sb : 0; return sb > 0;
    case 7: *out = sb ? (sa % sb + sb) % sb : 0; return sb > 0;
    case 8: *out = a & b; return true;
    case 9: *out = a | b; return true;
    case 10: *out = a ^ b; return true;
    case 11: *out = b < 8 ? a << b : 0; return b < 8;
    case 12: *out = b < 8 ? a >> b : 0; return b < 8;
    case 13: *out = b < 8 ? sa / (1 << b) - (sa < 0 && sa % (1 << b) ? 1 : 0) : 0; return b < 8;
    case 14: *out = a == b; return true;
    case 15: *out = a != b; return true;
    case 16: *out = a < b; return true;
    case 17: *out = a <= b; return true;
    case 18: *out = a > b; return true;
    case 19: *out = a >= b; return true;
    case 20: *out = sa < sb; return true;
    case 21: *out = sa <= sb; return true;
    case 22: *out = sa > sb; return true;
    default: *out = sa >= sb; return true;
    }
}

TEST(folding_of_8_bit_integers)
{
    static const binary ops[] = {spe_iadd, spe_isub, spe_imul, spe_udiv, spe_umod, spe_sdiv, spe_srem, spe_smod,
                                 spe_and,  spe_or,   spe_xor,  spe_shl,  spe_shr,  spe_sar,  spe_ieq,  spe_ine,
                                 spe_ult,  spe_ule,  spe_ugt,  spe_uge,  spe_slt,  spe_sle,  spe_sgt,  spe_sge};
    spe_module m;
    spe_id i8, constant[256];
    int which, a, b, want;
    spe_begin(&m, NULL);
    i8 = spe_int(&m, 8);
    for (a = 0; a < 256; a++) constant[a] = spe_const_u(&m, i8, (uint64_t)a);
    for (which = 0; which < 24; which++) {
        for (a = 0; a < 256; a++) {
            for (b = 0; b < 256; b++) {
                uint64_t bits;
                spe_id r;
                if (!reference(which, a, b, &want)) continue;
                r = ops[which](&m, constant[a], constant[b]); /* outside a function: only folding can succeed */
                CHECK_MSG(spe_const_bits(&m, r, &bits), "operation %d on %d and %d is not folded", which, a, b);
                CHECK_MSG(bits == (uint64_t)(want & (which < 14 ? 255 : 1)),
                          "operation %d on %d and %d gives %d, want %d", which, a, b, (int)bits, want);
            }
        }
    }
    CHECK_MSG(spe_ok(&m), "%s", spe_get_error(&m)->text);
    spe_free(&m);
}

TEST(folding_of_other_widths)
{
    spe_module m;
    uint64_t bits;
    spe_id i64;
    spe_begin(&m, NULL);
    i64 = spe_int(&m, 64);
    CHECK(spe_const_bits(&m, spe_imul(&m, spe_i32(&m, 0x10000), spe_i32(&m, 0x10000)), &bits) && bits == 0);
    CHECK(spe_const_bits(&m, spe_ineg(&m, spe_i32(&m, 1)), &bits) && bits == 0xffffffff);
    CHECK(spe_const_bits(&m, spe_not(&m, spe_i32(&m, 0)), &bits) && bits == 0xffffffff);
    CHECK(spe_const_bits(&m, spe_lnot(&m, spe_const_bool(&m, true)), &bits) && bits == 0);
    CHECK(spe_const_bits(&m, spe_iadd(&m, spe_u64(&m, UINT64_MAX), spe_u64(&m, 2)), &bits) && bits == 1);
    CHECK(spe_const_bits(&m, spe_sar(&m, spe_u64(&m, (uint64_t)1 << 63), spe_u64(&m, 63)), &bits) &&
          bits == UINT64_MAX);
    CHECK(spe_const_bits(&m, spe_sconvert(&m, i64, spe_i32(&m, -5)), &bits) && bits == (uint64_t)-5);
    CHECK(spe_const_bits(&m, spe_uconvert(&m, i64, spe_i32(&m, -5)), &bits) && bits == 0xfffffffb);
    CHECK(spe_const_bits(&m, spe_uconvert(&m, spe_int(&m, 16), spe_i32(&m, 0x12345)), &bits) && bits == 0x2345);
    CHECK(spe_const_bits(&m, spe_bitcast(&m, spe_int(&m, 32), spe_f32(&m, 1.0f)), &bits) && bits == 0x3f800000);
    CHECK(spe_select(&m, spe_const_bool(&m, false), spe_i32(&m, 1), spe_i32(&m, 2)) == spe_i32(&m, 2));
    CHECK_MSG(spe_ok(&m), "%s", spe_get_error(&m)->text);
    spe_free(&m);
}

/* x + 0 and similar are x; similar-looking operations are not. */
TEST(identities)
{
    spe_module m;
    spe_id x, zero, one, i32;
    size_t words;
    spe_begin(&m, NULL);
    i32 = spe_int(&m, 32);
    spe_function_begin(&m, "f", i32, 1, &i32);
    x = spe_param_id(&m, 0);
    zero = spe_i32(&m, 0);
    one = spe_i32(&m, 1);
    words = m.buffer[SPE_BUFFER_BODY_].count;
    CHECK(spe_iadd(&m, x, zero) == x && spe_iadd(&m, zero, x) == x && spe_isub(&m, x, zero) == x);
    CHECK(spe_imul(&m, x, one) == x && spe_imul(&m, one, x) == x && spe_imul(&m, x, zero) == zero);
    CHECK(spe_udiv(&m, x, one) == x && spe_sdiv(&m, x, one) == x && spe_or(&m, x, zero) == x &&
          spe_xor(&m, zero, x) == x);
    CHECK(spe_shl(&m, x, zero) == x && spe_shr(&m, x, zero) == x && spe_sar(&m, x, zero) == x);
    CHECK_INT(m.buffer[SPE_BUFFER_BODY_].count, words);
    CHECK(spe_isub(&m, zero, x) != x && spe_udiv(&m, one, x) != x && spe_shl(&m, zero, x) != x &&
          spe_and(&m, x, zero) != x);
    CHECK(spe_umod(&m, x, one) != x && spe_udiv(&m, x, zero) != x);
    CHECK(spe_ok(&m));
    spe_free(&m);
}

int main(void)
{
    RUN(types_are_made_once);
    RUN(types_tell_what_they_are);
    RUN(types_bring_their_capabilities);
    RUN(bad_types);
    RUN(constants_are_made_once);
    RUN(spec_constants);
    RUN(bad_constants);
    RUN(folding_of_8_bit_integers);
    RUN(folding_of_other_widths);
    RUN(identities);
    return test_report();
}
