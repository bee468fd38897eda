/* instructions.c - the functions in the instruction table, and those that need more than a row. */
#include "internal.h"

#define SPE_BODY_A_(name, op, form)                                                                                    \
    spe_id name(spe_module *m, spe_id a) { return spe_instruction_(m, #name, SPE_Op##op, form, &a); }
#define SPE_BODY_AB_(name, op, form)                                                                                   \
    spe_id name(spe_module *m, spe_id a, spe_id b)                                                                     \
    {                                                                                                                  \
        uint32_t args[] = {a, b};                                                                                      \
        return spe_instruction_(m, #name, SPE_Op##op, form, args);                                                     \
    }
#define SPE_BODY_TO_(name, op, form)                                                                                   \
    spe_id name(spe_module *m, spe_id type, spe_id v) { return spe_convert_(m, #name, SPE_Op##op, form, type, v); }
#define SPE_BODY_GIVES_(name, op, form, ...)                                                                           \
    spe_id name(spe_module *m, SPE_WORDS_(__VA_ARGS__))                                                                \
    {                                                                                                                  \
        uint32_t args[] = {__VA_ARGS__};                                                                               \
        return spe_instruction_(m, #name, SPE_Op##op, form, args);                                                     \
    }
#define SPE_BODY_DOES_(name, op, form, ...)                                                                            \
    void name(spe_module *m, SPE_WORDS_(__VA_ARGS__))                                                                  \
    {                                                                                                                  \
        uint32_t args[] = {__VA_ARGS__};                                                                               \
        spe_instruction_(m, #name, SPE_Op##op, form, args);                                                            \
    }
SPE_INSTRUCTIONS_(SPE_BODY_A_, SPE_BODY_AB_, SPE_BODY_TO_, SPE_BODY_GIVES_, SPE_BODY_DOES_)

/* A generic instruction. Words equal to the id of a global variable count as uses, even literals. */
static spe_id spe_op_(spe_module *m, const char *name, uint32_t opcode, spe_id type, uint32_t n, const uint32_t *words)
{
    m->doing = name;
    if (!spe_has_shape_(m, opcode, type != 0, n, words)) return 0;
    for (uint32_t i = 0; i < n && !m->error.id; i++) {
        uint32_t flags = words[i] && words[i] < m->id_count ? m->ids[words[i]].flags : 0;
        if ((flags & SPE_ID_GLOBAL_) || ((flags & SPE_ID_FUNCTION_) && opcode == SPE_OpFunctionCall && !i))
            spe_use_(m, words[i]);
    }
    return spe_emit_(m, opcode, type, n, words);
}
spe_id spe_op(spe_module *m, uint32_t opcode, spe_id result_type, uint32_t n, const uint32_t *words)
{
    return spe_want_type_(m, __func__, result_type) ? spe_op_(m, __func__, opcode, result_type, n, words) : 0;
}
void spe_op_void(spe_module *m, uint32_t opcode, uint32_t n, const uint32_t *words)
{
    if (opcode >= SPE_OpPhi && opcode <= SPE_OpUnreachable)
        SPE_ERROR_(m, REGION_CROSSED, "opcode %u is control flow; use spe_if and the like", opcode);
    spe_op_(m, __func__, opcode, 0, n, words);
}

/* May OpSpecConstantOp have this opcode, which the table has? */
static bool spe_is_for_specs_(uint32_t opcode)
{
    if (opcode >= SPE_OpConvertFToU && opcode <= SPE_OpFConvert) return true;
    if (opcode >= SPE_OpSNegate && opcode <= SPE_OpFMod) return true;
    if (opcode >= SPE_OpLogicalEqual && opcode <= SPE_OpLogicalNot) return true;
    if (opcode >= SPE_OpIEqual && opcode <= SPE_OpSLessThanEqual) return true;
    return opcode >= SPE_OpShiftRightLogical && opcode <= SPE_OpNot;
}

spe_id spe_spec_op(spe_module *m, uint32_t opcode, spe_id type, uint32_t n, const spe_id *operands)
{
#define SPE_ROW_(name, op, form) {SPE_Op##op, 0, form},
#define SPE_PAIR_(name, op, form) {SPE_Op##op, 2, form},
#define SPE_TO_(name, op, form) {SPE_Op##op, 1, form},
#define SPE_NO_ROW_(name, op, form, ...)
    static const struct {
        uint16_t op, kind; /* 0: of one operand, 1: a conversion, 2: of two */
        const char *form;
    } rows[] = {SPE_INSTRUCTIONS_(SPE_ROW_, SPE_PAIR_, SPE_TO_, SPE_NO_ROW_, SPE_NO_ROW_)};
#undef SPE_ROW_
#undef SPE_PAIR_
#undef SPE_TO_
#undef SPE_NO_ROW_
    size_t i = 0, last = sizeof rows / sizeof *rows;
    spe_id id;
    while (i < last && rows[i].op != opcode) i++;
    if (i == last || !spe_is_for_specs_(opcode))
        return SPE_ERROR_(m, RANGE, "opcode %u does not make constants", opcode);
    if (n != (rows[i].kind == 2 ? 2u : 1u))
        return SPE_ERROR_(m, TYPE, "opcode %u has %u operands, not %u", opcode, rows[i].kind == 2 ? 2u : 1u, n);
    for (uint32_t k = 0; k < n; k++) {
        if (!spe_is_const(m, operands[k])) return SPE_ERROR_(m, NO_VALUE, "operand %u is not a constant", k + 1);
    }
    m->in_spec = true;
    if (rows[i].kind == 1) id = spe_convert_(m, __func__, opcode, rows[i].form, type, operands[0]);
    else id = spe_instruction_(m, __func__, opcode, rows[i].form, operands);
    m->in_spec = false;
    return id;
}

/* -- integers or floats ------------------------------------------------------------------------------------------ */

static bool spe_is_float_(const spe_module *m, spe_id value)
{
    const spe_type_info *t = spe_info_(m, spe_scalar_of(m, spe_type_of(m, value)));
    return t && t->kind == SPE_KIND_FLOAT;
}
#define SPE_EITHER_(name, of_floats, of_integers)                                                                      \
    spe_id name(spe_module *m, spe_id a, spe_id b)                                                                     \
    {                                                                                                                  \
        return SPE_WITHIN_(m, spe_is_float_(m, a) ? of_floats(m, a, b) : of_integers(m, a, b));                        \
    }
SPE_EITHER_(spe_add, spe_fadd, spe_iadd)
SPE_EITHER_(spe_sub, spe_fsub, spe_isub)
SPE_EITHER_(spe_mul, spe_fmul, spe_imul)
SPE_EITHER_(spe_div_s, spe_fdiv, spe_sdiv)
SPE_EITHER_(spe_div_u, spe_fdiv, spe_udiv)
spe_id spe_neg(spe_module *m, spe_id a)
{
    return SPE_WITHIN_(m, spe_is_float_(m, a) ? spe_fneg(m, a) : spe_ineg(m, a));
}

static spe_id spe_dot_(spe_module *m, spe_id a, spe_id b)
{
    uint32_t args[] = {a, b};
    spe_id type = spe_type_of(m, a);
    if (spe_count(m, type) == 1) return spe_fmul(m, a, b);
    if (type && !spe_count(m, type)) return SPE_ERROR_(m, TYPE, "takes vectors, not %s", spe_text_(m, type));
    return spe_instruction_(m, __func__, SPE_OpDot, "d=:.", args);
}
spe_id spe_dot(spe_module *m, spe_id a, spe_id b) { return SPE_WITHIN_(m, spe_dot_(m, a, b)); }

spe_id spe_dot_bytes(spe_module *m, spe_id a, bool a_signed, spe_id b, bool b_signed)
{
    const uint32_t op = a_signed != b_signed ? SPE_OpSUDot : a_signed ? SPE_OpSDot : SPE_OpUDot;
    const bool in_order = a_signed || !b_signed; /* SUDot: the first has signs */
    const uint32_t words[3] = {in_order ? a : b, in_order ? b : a, 0 /* PackedVectorFormat4x8Bit */};
    const spe_id type = spe_check_(m, __func__, "xx", a, b);
    if (!type) return 0;
    spe_capability(m, SPE_CapabilityDotProductInput4x8BitPacked);
    return spe_emit_(m, op, type, 3, words);
}

spe_id spe_select(spe_module *m, spe_id c, spe_id a, spe_id b)
{
    spe_id type = spe_check_(m, __func__, "v=b", a, b, c), tc = spe_type_of(m, c), few[16], *part;
    uint32_t n = spe_count(m, type);
    uint64_t bits;
    if (!type || a == b) return type ? a : 0;
    if (!spe_is_stored_(spe_info_(m, type))) return SPE_ERROR_(m, TYPE, "%s is not selected", spe_text_(m, type));
    if (spe_const_bits(m, c, &bits)) return bits ? a : b;
    if (spe_count(m, tc) == 1 && n > 1) {
        part = spe_repeat_(m, c, n, few);
        c = part ? spe_emit_(m, SPE_OpCompositeConstruct, spe_bool_like_(m, type), n, part) : 0;
    } else if (spe_count(m, tc) != (n ? n : 1)) {
        return spe_disagree_(m, tc, type);
    }
    few[0] = c, few[1] = a, few[2] = b;
    return c ? spe_mark_packed_(m, spe_emit_(m, SPE_OpSelect, type, 3, few), m->ids[a].flags | m->ids[b].flags) : 0;
}

spe_id spe_bits_extract(spe_module *m, spe_id v, spe_id offset, spe_id count, bool is_signed)
{
    uint32_t args[] = {v, offset, count}, op = is_signed ? SPE_OpBitFieldSExtract : SPE_OpBitFieldUExtract;
    return spe_instruction_(m, __func__, op, "gII:=", args);
}

/* -- conversions ------------------------------------------------------------------------------------------------- */

static spe_id spe_fconvert_saturating_(spe_module *m, spe_id type, spe_id v)
{
    const spe_type_info *s = spe_info_(m, spe_scalar_of(m, type));
    if (!s || (s->encoding != SPE_E4M3 && s->encoding != SPE_E5M2))
        return SPE_ERROR_(m, TYPE, "to e4m3 or e5m2, not %s", spe_text_(m, type));
    spe_id id = spe_fconvert(m, type, v);
    if (id && id != v) spe_decorate(m, id, SPE_DecorationSaturatedToLargestFloat8NormalConversionEXT, 0, NULL);
    return id;
}
spe_id spe_fconvert_saturating(spe_module *m, spe_id type, spe_id v)
{
    return SPE_WITHIN_(m, spe_fconvert_saturating_(m, type, v));
}

/* The size in bits of a scalar, vector or (64-bit) pointer; 0 for other types. */
static uint32_t spe_total_bits_(const spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    if (t->kind == SPE_KIND_BOOL) return 0;
    return t->kind == SPE_KIND_POINTER ? 64 : spe_width(m, type) * spe_count(m, type);
}

spe_id spe_bitcast(spe_module *m, spe_id type, spe_id v)
{
    spe_id from = spe_check_(m, __func__, "v", v);
    uint64_t x;
    if (!from || !spe_want_type_(m, __func__, type)) return 0;
    const spe_type_info *a = spe_info_(m, from);
    const spe_type_info *b = spe_info_(m, type);
    if (from == type) return v;
    if (!spe_total_bits_(m, from) || spe_total_bits_(m, from) != spe_total_bits_(m, type) ||
        (a->kind == SPE_KIND_POINTER) != (b->kind == SPE_KIND_POINTER) || a->storage != b->storage)
        return spe_disagree_(m, from, type);
    if (a->bits && b->bits && spe_const_bits(m, v, &x)) return spe_const_scalar_(m, type, x);
    if (m->options.env && a->kind == SPE_KIND_POINTER &&
        spe_storage_(m, a->storage) != SPE_StorageClassPhysicalStorageBuffer && a->storage != SPE_StorageClassWorkgroup)
        return SPE_ERROR_(m, ENVIRONMENT, "Vulkan's pointers to private memory keep their type; %s",
                          spe_text_(m, from));
    return spe_mark_packed_(m, spe_emit_(m, SPE_OpBitcast, type, 1, &v), m->ids[v].flags);
}

XE_ONCE_
static spe_id spe_ptr_cast_(spe_module *m, spe_id ptr, spe_id elem)
{
    spe_id type = spe_check_(m, __func__, "p", ptr);
    return type ? spe_bitcast(m, spe_ptr(m, spe_info_(m, type)->storage, elem), ptr) : 0;
}
spe_id spe_ptr_cast(spe_module *m, spe_id ptr, spe_id elem)
{
    return SPE_WITHIN_(m, spe_ptr_cast_(m, ptr, elem));
}

static spe_id spe_cast_(spe_module *m, spe_id type, spe_id v, bool is_signed)
{
    spe_id from = spe_check_(m, __func__, "v", v);
    if (!from || !spe_want_type_(m, __func__, type)) return 0;
    const spe_type_info *a = spe_info_(m, spe_scalar_of(m, from));
    const spe_type_info *b = spe_info_(m, spe_scalar_of(m, type));
    if (from == type) return v;
    if (!a->bits || !b->bits || spe_count(m, from) != spe_count(m, type)) return spe_disagree_(m, from, type);
    if (a->kind == SPE_KIND_BOOL) {
        spe_id zero = spe_const_u(m, type, 0);
        return spe_select(m, v, spe_const_u(m, type, 1), zero);
    }
    if (b->kind == SPE_KIND_BOOL) {
        spe_id zero = spe_const_u(m, from, 0);
        return a->kind == SPE_KIND_INT ? spe_ine(m, v, zero) : spe_fune(m, v, zero);
    }
    if (a->kind == SPE_KIND_FLOAT && b->kind == SPE_KIND_FLOAT) return spe_fconvert(m, type, v);
    if (a->kind == SPE_KIND_FLOAT) return is_signed ? spe_f_to_s(m, type, v) : spe_f_to_u(m, type, v);
    if (b->kind == SPE_KIND_FLOAT) return is_signed ? spe_s_to_f(m, type, v) : spe_u_to_f(m, type, v);
    return is_signed ? spe_sconvert(m, type, v) : spe_uconvert(m, type, v);
}
spe_id spe_cast(spe_module *m, spe_id type, spe_id v, bool is_signed)
{
    return SPE_WITHIN_(m, spe_cast_(m, type, v, is_signed));
}

/* -- composites -------------------------------------------------------------------------------------------------- */

static spe_id spe_construct_(spe_module *m, spe_id type, uint32_t n, const spe_id *parts)
{
    const spe_type_info *t = spe_want_type_(m, __func__, type);
    bool constant = true;
    m->doing = __func__;
    if (!t) return 0;
    if (t->bits && n == 1 && spe_type_of(m, parts[0]) == type) return spe_operand_(m, parts[0]) ? parts[0] : 0;
    if (!n || n != spe_part_count_(t)) return SPE_ERROR_(m, TYPE, "%u parts for %s", n, spe_text_(m, type));
    for (uint32_t i = 0; i < n; i++) {
        spe_id tp = spe_operand_(m, parts[i]), want = t->kind == SPE_KIND_STRUCT ? t->members[i] : t->elem;
        if (tp != want) return tp ? spe_disagree_(m, want, tp) : 0;
        constant = constant && (m->ids[parts[i]].flags & SPE_ID_CONSTANT_);
    }
    if (constant) return spe_composite_const(m, type, n, parts);
    return spe_emit_(m, SPE_OpCompositeConstruct, type, n, parts);
}
spe_id spe_construct(spe_module *m, spe_id type, uint32_t n, const spe_id *parts)
{
    return SPE_WITHIN_(m, spe_construct_(m, type, n, parts));
}

/* The type of part i of a vector, array or struct; 0 and an error if there is none. */
static spe_id spe_part_type_(spe_module *m, spe_id type, uint32_t i)
{
    const spe_type_info *t = spe_info_(m, type);
    if (t->kind == SPE_KIND_COOPMAT) return t->elem;
    if (t->kind == SPE_KIND_ARRAY && !t->count) return t->elem; /* sized by a spec constant */
    if (i < spe_part_count_(t)) return t->kind == SPE_KIND_STRUCT ? t->members[i] : t->elem;
    return spe_error_(m, SPE_ERR_RANGE, "there is no part %u of %s", i, spe_text_(m, type));
}

spe_id spe_extract(spe_module *m, spe_id v, uint32_t i)
{
    spe_id type = (m->doing = __func__, spe_operand_(m, v)), part;
    uint32_t w[] = {v, i};
    if (!type) return 0;
    if (spe_info_(m, type)->bits && !i) return v;
    part = spe_part_type_(m, type, i);
    return part ? spe_emit_(m, SPE_OpCompositeExtract, part, 2, w) : 0;
}

spe_id spe_insert(spe_module *m, spe_id composite, spe_id v, uint32_t i)
{
    spe_id type = spe_check_(m, __func__, "vv", composite, v), tv = spe_type_of(m, v), part;
    uint32_t w[] = {v, composite, i};
    if (!type) return 0;
    if (spe_info_(m, type)->bits && !i && type == tv) return v;
    part = spe_part_type_(m, type, i);
    if (part && part != tv) return spe_disagree_(m, part, tv);
    return part ? spe_emit_(m, SPE_OpCompositeInsert, type, 3, w) : 0;
}

XE_ONCE_
static spe_id spe_splat_(spe_module *m, spe_id type, spe_id scalar)
{
    const spe_type_info *t = spe_want_type_(m, __func__, type);
    spe_id few[16], *part;
    uint32_t n = t && !t->bits ? spe_part_count_(t) : 1;
    part = t ? spe_repeat_(m, scalar, n, few) : NULL;
    return part ? spe_construct(m, type, n, part) : 0;
}
spe_id spe_splat(spe_module *m, spe_id type, spe_id scalar)
{
    return SPE_WITHIN_(m, spe_splat_(m, type, scalar));
}

static spe_id spe_shuffle_(spe_module *m, spe_id a, spe_id b, uint32_t n, const uint32_t *idx)
{
    spe_id ta = spe_check_(m, __func__, "vv", a, b), tb = spe_type_of(m, b), type;
    uint32_t few[18], *w = few, i, na = spe_count(m, ta), nb = spe_count(m, tb);
    if (!ta) return 0;
    if (spe_scalar_of(m, ta) != spe_scalar_of(m, tb)) return spe_disagree_(m, ta, tb);
    if (n == 1 && idx[0] < na + nb) return idx[0] < na ? spe_extract(m, a, idx[0]) : spe_extract(m, b, idx[0] - na);
    if (na < 2 || nb < 2) return spe_disagree_(m, ta, tb);
    type = spe_vec(m, spe_scalar_of(m, ta), n);
    if (type && n > 16) w = (uint32_t *)spe_alloc(m, (n + 2) * sizeof *w);
    if (!type || !w) return 0;
    w[0] = a;
    w[1] = b;
    for (i = 0; i < n; i++) {
        if (idx[i] >= na + nb && idx[i] != 0xffffffffu) return SPE_ERROR_(m, RANGE, "index %u of %u", idx[i], na + nb);
        w[i + 2] = idx[i];
    }
    return spe_emit_(m, SPE_OpVectorShuffle, type, n + 2, w);
}
spe_id spe_shuffle(spe_module *m, spe_id a, spe_id b, uint32_t n, const uint32_t *idx)
{
    return SPE_WITHIN_(m, spe_shuffle_(m, a, b, n, idx));
}

XE_ONCE_
static spe_id spe_extract_dyn_(spe_module *m, spe_id v, spe_id i)
{
    uint32_t w[] = {v, i};
    uint64_t k;
    if (spe_const_bits(m, i, &k) && k < 16) return spe_extract(m, v, (uint32_t)k);
    return spe_instruction_(m, __func__, SPE_OpVectorExtractDynamic, "VI:.", w);
}
spe_id spe_extract_dyn(spe_module *m, spe_id v, spe_id i) { return SPE_WITHIN_(m, spe_extract_dyn_(m, v, i)); }

static spe_id spe_insert_dyn_(spe_module *m, spe_id v, spe_id scalar, spe_id i)
{
    uint32_t w[] = {v, scalar, i};
    uint64_t k;
    if (spe_const_bits(m, i, &k) && k < 16) return spe_insert(m, v, scalar, (uint32_t)k);
    return spe_instruction_(m, __func__, SPE_OpVectorInsertDynamic, "V.I:=", w);
}
spe_id spe_insert_dyn(spe_module *m, spe_id v, spe_id scalar, spe_id i)
{
    return SPE_WITHIN_(m, spe_insert_dyn_(m, v, scalar, i));
}

/* -- memory ------------------------------------------------------------------------------------------------------ */

static spe_id spe_element_(spe_module *m, spe_id ptr, uint32_t n, const spe_id *idx)
{
    spe_id from = spe_check_(m, __func__, "p", ptr), type = from ? spe_info_(m, from)->elem : 0;
    uint32_t w[18], packed = 0, pieces = 0;
    uint64_t k;
    if (!from) return 0;
    if (!n || n > 16) return SPE_ERROR_(m, RANGE, "%u indices; 1 to 16 are allowed", n);
    w[0] = ptr;
    for (uint32_t i = 0; i < n; i++) {
        bool known = spe_const_bits(m, idx[i], &k);
        if (!spe_check_(m, __func__, "I", w[i + 1] = idx[i])) return 0;
        if (!known && spe_info_(m, type)->kind == SPE_KIND_STRUCT)
            return SPE_ERROR_(m, TYPE, "index %u, of a struct, is not a constant", i);
        if (spe_info_(m, type)->packed) packed = SPE_ID_PACKED_;
        pieces = spe_pieces_(m, type);
        type = spe_part_type_(m, type, known ? k <= UINT32_MAX ? (uint32_t)k : UINT32_MAX : 0);
        if (!type) return 0;
    }
    /* the last index is a component of a vector in pieces */
    if (pieces && spe_info_(m, from)->storage != SPE_StorageClassWorkgroup) {
        w[n + 1] = spe_umod(m, w[n], spe_const_u(m, spe_type_of(m, w[n]), 4));
        w[n] = spe_udiv(m, w[n], spe_const_u(m, spe_type_of(m, w[n]), 4));
        n++;
    }
    type = spe_ptr(m, spe_info_(m, from)->storage, type);
    spe_id id = type ? spe_emit_(m, SPE_OpInBoundsAccessChain, type, n + 1, w) : 0;
    return spe_mark_packed_(m, id, packed | m->ids[ptr].flags);
}
spe_id spe_element(spe_module *m, spe_id ptr, uint32_t n, const spe_id *idx)
{
    return SPE_WITHIN_(m, spe_element_(m, ptr, n, idx));
}

static spe_id spe_local_var_(spe_module *m, spe_id type)
{
    spe_id ptr = spe_ptr(m, SPE_StorageClassFunction, type), id;
    if (!ptr) return 0;
    if (!m->open) return SPE_ERROR_(m, NO_FUNCTION, "outside of a function");
    id = spe_new_id_(m, ptr, (uint32_t)SPE_OpVariable << 16, 1);
    if (m->vulkan) m->vulkan->alias(m, id, type, SPE_DecorationAliasedPointer);
    return spe_write_(m, SPE_BUFFER_VARIABLES_, SPE_OpVariable, 3, ptr, id, SPE_StorageClassFunction) ? id : 0;
}
spe_id spe_local_var(spe_module *m, spe_id type) { return SPE_WITHIN_(m, spe_local_var_(m, type)); }

static spe_id spe_global_var_(spe_module *m, uint32_t storage, spe_id type, spe_id initializer)
{
    spe_id ptr, id;
    /* Vulkan has no constants in memory: each work-item has them, as a variable of its own */
    if (m->vulkan && initializer && storage == SPE_StorageClassUniformConstant) storage = SPE_StorageClassPrivate;
    ptr = spe_ptr(m, storage, type);
    m->doing = __func__;
    if (!ptr) return 0;
    if (storage == SPE_StorageClassFunction || storage == SPE_StorageClassGeneric)
        return SPE_ERROR_(m, RANGE, "a module has no variables in storage class %s%s", spe_storage_text_(storage),
                          storage == SPE_StorageClassFunction ? "; use spe_local_var" : "");
    if (initializer && spe_type_of(m, initializer) != type) return spe_disagree_(m, type, spe_type_of(m, initializer));
    if (initializer && !(m->ids[initializer].flags & (SPE_ID_CONSTANT_ | SPE_ID_GLOBAL_)))
        return SPE_ERROR_(m, NO_VALUE, "the initializer, %u, is not a constant", initializer);
    if (m->vulkan && storage == SPE_StorageClassWorkgroup)
        return m->vulkan->local_variable(m, ptr, type, initializer);
    if (spe_storage_(m, storage) != storage)
        return SPE_ERROR_(m, ENVIRONMENT, "Vulkan has no variables in global memory, nor constant ones without "
                          "a value, such as %s", spe_text_(m, type));
    id = spe_new_id_(m, ptr, SPE_ID_GLOBAL_, 0);
    spe_write_(m, SPE_SECTION_GLOBAL_, SPE_OpVariable, initializer ? 4 : 3, ptr, id, storage, initializer);
    return spe_ok(m) ? id : 0;
}
spe_id spe_global_var(spe_module *m, uint32_t storage, spe_id type, spe_id initializer)
{
    return SPE_WITHIN_(m, spe_global_var_(m, storage, type, initializer));
}
spe_id spe_shared_var(spe_module *m, spe_id type)
{
    return SPE_WITHIN_(m, spe_global_var(m, SPE_StorageClassWorkgroup, type, 0));
}
