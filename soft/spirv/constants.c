/* constants.c - constants: their values, specialisation, OpSpecConstantOp, addresses of globals, memory bytes. */
#include "reader.h"

#include <math.h>
#include <string.h>

enum { MAX_COMPONENTS = SP_MAX_COMPONENTS };

static uint64_t mask_of(uint32_t bits) { return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1; }

static int64_t sign_extend(uint64_t v, uint32_t bits)
{
    uint64_t sign = (uint64_t)1 << (bits - 1);
    return (int64_t)(((v & mask_of(bits)) ^ sign) - sign);
}

/* ---- floats as bits; only IEEE ones have arithmetic */

static double half_to_double(uint64_t h)
{
    int exponent = (int)(h >> 10 & 31);
    double fraction = (double)(h & 0x3ff), v;
    if (exponent == 31)
        v = fraction != 0 ? (double)NAN : (double)INFINITY;
    else
        v = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return h & 0x8000 ? -v : v;
}

static uint64_t double_to_half(double v)
{
    uint64_t sign = signbit(v) ? 0x8000 : 0;
    double a = fabs(v), unit;
    int exponent;
    if (isnan(v)) return sign | 0x7e00;
    if (a >= 65520) return sign | 0x7c00;
    if (a < 0x1p-14) return sign | (uint64_t)nearbyint(a * 0x1p24); /* a carry into the exponent is correct */
    (void)frexp(a, &exponent);
    unit = ldexp(1, exponent - 11);
    return sign | (uint64_t)((int64_t)nearbyint(a / unit) - 1024 + ((int64_t)(exponent + 14) << 10));
}

static double to_double(uint64_t bits, const struct sp_type *t)
{
    float f;
    double d;
    uint32_t low = (uint32_t)bits;
    if (t->bits == 16) return half_to_double(bits);
    memcpy(&f, &low, 4);
    memcpy(&d, &bits, 8);
    return t->bits == 32 ? (double)f : d;
}

static uint64_t single_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

static uint64_t from_double(double v, const struct sp_type *t)
{
    uint64_t bits;
    if (t->bits == 16) return double_to_half(v);
    if (t->bits == 32) return single_bits((float)v);
    memcpy(&bits, &v, 8);
    return bits;
}

/* 64 bits rounded once: to f32 not by way of a double; to f16 that is exact, or infinity. */
static uint64_t from_int(uint64_t v, bool is_signed, const struct sp_type *t)
{
    if (t->bits == 32) return single_bits(is_signed ? (float)(int64_t)v : (float)v);
    return from_double(is_signed ? (double)(int64_t)v : (double)v, t);
}

static bool computes(const struct sp_type *t) { return t->kind == SP_FLOAT && t->encoding == SP_IEEE; }

/* ---- look-ups */

static const struct sp_type *scalar_of(const struct sp_module *m, const struct sp_type *t)
{
    return t && t->kind == SP_VECTOR ? sp_type(m, t->elem) : t;
}

bool sp_constant_address(const struct sp_module *m, uint32_t id, uint32_t *variable, int64_t *offset)
{
    const struct sp_id *d;
    if (id >= m->bound) return false;
    d = &m->ids[id];
    if (d->what == SP_IS_VARIABLE && d->function == 0) {
        *variable = id;
        *offset = 0;
        return true;
    }
    if (d->what != SP_IS_CONSTANT || !d->is_address) return false;
    *variable = (uint32_t)d->bits[0];
    *offset = (int64_t)d->bits[1];
    return true;
}

/* ---- memory bytes */

static uint64_t element_offset(const struct sp_module *m, const struct sp_type *t, uint32_t k)
{
    return t->kind == SP_STRUCT ? t->offsets[k] : sp_type(m, t->elem)->size * k;
}

static void put_scalar(uint8_t *to, uint64_t bits, uint64_t size)
{
    uint8_t b8 = (uint8_t)bits;
    uint16_t b16 = (uint16_t)bits;
    uint32_t b32 = (uint32_t)bits;
    if (size == 1) memcpy(to, &b8, 1);
    if (size == 2) memcpy(to, &b16, 2);
    if (size == 4) memcpy(to, &b32, 4);
    if (size == 8) memcpy(to, &bits, 8);
}

/* Visits a constant's parts. `to` (may be NULL) receives the bytes, `each` (may be NULL) the addresses. */
static void visit(const struct sp_module *m, uint32_t id, uint64_t at, uint8_t *to, sp_address_fn *each, void *user)
{
    const struct sp_type *t = sp_value_type(m, id);
    uint64_t all[MAX_COMPONENTS];
    uint32_t variable, n, k;
    int64_t offset;
    if (sp_constant_address(m, id, &variable, &offset)) {
        if (each) each(user, at, variable, offset);
        return;
    }
    if (t->size == 0) return; /* nested empty structs could be many more than bytes */
    n = sp_components(m, id, all);
    for (k = 0; k < n && to; k++) put_scalar(to + at + k * scalar_of(m, t)->size, all[k], scalar_of(m, t)->size);
    if (n || sp_is_zero_op(m->ids[id].def) || t->kind == SP_COOPMAT) return;
    for (k = 0; k < m->ids[id].def->count; k++)
        visit(m, m->ids[id].def->operand[k], at + element_offset(m, t, k), to, each, user);
}

bool sp_constant_bytes(const struct sp_module *m, uint32_t id, void *to)
{
    const struct sp_type *t = sp_value_type(m, id);
    if (!t || !sp_is_constant(m, id) || t->size == 0 || t->size > SP_MAX_CONSTANT_BYTES) return false;
    memset(to, 0, (size_t)t->size);
    visit(m, id, 0, to, NULL, NULL);
    return true;
}

void sp_constant_addresses(const struct sp_module *m, uint32_t id, sp_address_fn *each, void *user)
{
    uint32_t variable;
    int64_t offset;
    if (sp_constant_address(m, id, &variable, &offset) ||
        (sp_is_constant(m, id) && sp_value_type(m, id)->size <= SP_MAX_CONSTANT_BYTES))
        visit(m, id, 0, NULL, each, user);
}

/* ---- arithmetic of OpSpecConstantOp, one component at a time */

static bool eval_int(uint32_t op, uint64_t a, uint64_t b, uint32_t bits, uint64_t *v)
{
    int64_t sa = sign_extend(a, bits), sb = sign_extend(b, bits);
    bool overflow = sb == 0 || (sb == -1 && sa == sign_extend((uint64_t)1 << (bits - 1), bits));
    int64_t rest = overflow ? 0 : sa % sb;
    switch (op) {
    case SP_OP_SNegate: *v = 0 - a; return true;
    case SP_OP_Not: *v = ~a; return true;
    case SP_OP_IAdd: *v = a + b; return true;
    case SP_OP_ISub: *v = a - b; return true;
    case SP_OP_IMul: *v = a * b; return true;
    case SP_OP_UDiv: *v = b ? a / b : 0; return true;
    case SP_OP_UMod: *v = b ? a % b : 0; return true;
    case SP_OP_SDiv: *v = overflow ? (sb ? a : 0) : (uint64_t)(sa / sb); return true;
    case SP_OP_SRem: *v = (uint64_t)rest; return true;
    case SP_OP_SMod: *v = (uint64_t)(rest && (rest ^ sb) < 0 ? rest + sb : rest); return true;
    case SP_OP_ShiftLeftLogical: *v = b < bits ? a << b : 0; return true;
    case SP_OP_ShiftRightLogical: *v = b < bits ? a >> b : 0; return true;
    case SP_OP_ShiftRightArithmetic: *v = (uint64_t)(sa >> (b < bits ? b : bits - 1)); return true;
    case SP_OP_BitwiseOr: *v = a | b; return true;
    case SP_OP_BitwiseXor: *v = a ^ b; return true;
    case SP_OP_BitwiseAnd: *v = a & b; return true;
    default: return false;
    }
}

static bool eval_compare(uint32_t op, uint64_t a, uint64_t b, uint32_t bits, uint64_t *v)
{
    int64_t sa = sign_extend(a, bits), sb = sign_extend(b, bits);
    switch (op) {
    case SP_OP_IEqual:
    case SP_OP_LogicalEqual: *v = a == b; return true;
    case SP_OP_INotEqual:
    case SP_OP_LogicalNotEqual: *v = a != b; return true;
    case SP_OP_LogicalOr: *v = a | b; return true;
    case SP_OP_LogicalAnd: *v = a & b; return true;
    case SP_OP_LogicalNot: *v = !a; return true;
    case SP_OP_UGreaterThan: *v = a > b; return true;
    case SP_OP_UGreaterThanEqual: *v = a >= b; return true;
    case SP_OP_ULessThan: *v = a < b; return true;
    case SP_OP_ULessThanEqual: *v = a <= b; return true;
    case SP_OP_SGreaterThan: *v = sa > sb; return true;
    case SP_OP_SGreaterThanEqual: *v = sa >= sb; return true;
    case SP_OP_SLessThan: *v = sa < sb; return true;
    case SP_OP_SLessThanEqual: *v = sa <= sb; return true;
    default: return false;
    }
}

static bool eval_float(uint32_t op, uint64_t a, uint64_t b, const struct sp_type *t, uint64_t *v)
{
    double x = to_double(a, t), y = to_double(b, t), m;
    switch (op) {
    case SP_OP_FNegate: *v = a ^ (uint64_t)1 << (t->bits - 1); return true;
    case SP_OP_FAdd: *v = from_double(x + y, t); return true;
    case SP_OP_FSub: *v = from_double(x - y, t); return true;
    case SP_OP_FMul: *v = from_double(x * y, t); return true;
    case SP_OP_FDiv: *v = from_double(x / y, t); return true;
    case SP_OP_FRem: *v = from_double(fmod(x, y), t); return true;
    case SP_OP_FMod:
        m = fmod(x, y);
        if (m != 0 && signbit(m) != signbit(y)) m += y;
        *v = from_double(m, t);
        return true;
    default: return false;
    }
}

/* Float to integer; saturates (undefined in SPIR-V). */
static uint64_t float_to_int(double v, uint32_t bits, bool is_signed)
{
    double low = is_signed ? -ldexp(1, (int)bits - 1) : 0, high = ldexp(1, (int)bits - (is_signed ? 1 : 0));
    v = trunc(v);
    if (isnan(v)) return 0;
    if (v < low) return is_signed ? (uint64_t)1 << (bits - 1) : 0;
    if (v >= high) return is_signed ? mask_of(bits - 1) : mask_of(bits);
    return is_signed ? (uint64_t)(int64_t)v : (uint64_t)v;
}

static bool eval_convert(uint32_t op, uint64_t a, const struct sp_type *from, const struct sp_type *to, uint64_t *v)
{
    bool ints = from->kind == SP_INT && to->kind == SP_INT;
    switch (op) {
    case SP_OP_UConvert: *v = a; return ints;
    case SP_OP_SConvert: *v = ints ? (uint64_t)sign_extend(a, from->bits) : 0; return ints;
    case SP_OP_FConvert:
        *v = computes(from) && computes(to) ? from_double(to_double(a, from), to) : 0;
        return computes(from) && computes(to);
    case SP_OP_QuantizeToF16:
        *v = from_double(half_to_double(double_to_half(to_double(a, from))), to);
        return computes(from) && computes(to);
    case SP_OP_ConvertFToS:
    case SP_OP_ConvertFToU:
        if (!computes(from) || to->kind != SP_INT) return false;
        *v = float_to_int(to_double(a, from), to->bits, op == SP_OP_ConvertFToS);
        return true;
    case SP_OP_ConvertSToF:
    case SP_OP_ConvertUToF:
        if (from->kind != SP_INT || !computes(to)) return false;
        *v = from_int(op == SP_OP_ConvertSToF ? (uint64_t)sign_extend(a, from->bits) : a, op == SP_OP_ConvertSToF, to);
        return true;
    default: return false;
    }
}

/* One component. `b` is 0 for operations with one operand. */
static bool eval(uint32_t op, uint64_t a, uint64_t b, const struct sp_type *from, const struct sp_type *to, uint64_t *v)
{
    uint32_t bits = from->kind == SP_BOOL ? 1 : from->bits;
    if (eval_convert(op, a, from, to, v)) return true;
    if (from->kind == SP_INT && to->kind == SP_INT && from->bits == to->bits && eval_int(op, a, b, bits, v))
        return true;
    if ((from->kind == SP_INT || from->kind == SP_BOOL) && to->kind == SP_BOOL && eval_compare(op, a, b, bits, v))
        return true;
    return computes(from) && computes(to) && from->bits == to->bits && eval_float(op, a, b, from, v);
}

/* ---- OpSpecConstantOp */

static bool keep_bits(struct sp_reader *r, const struct sp_inst *i, const uint64_t *bits, uint32_t n)
{
    const struct sp_type *t = sp_type(r->m, i->type), *s = scalar_of(r->m, t);
    uint32_t width = s->kind == SP_BOOL ? 1 : s->kind == SP_POINTER ? 64 : s->bits, k;
    uint64_t *kept = sp_alloc(r, n, sizeof *kept);
    if (!kept || !sp_define(r, i, SP_IS_CONSTANT, i->type)) return false;
    for (k = 0; k < n; k++) kept[k] = bits[k] & mask_of(width);
    r->m->ids[i->id].bits = kept;
    return true;
}

static bool spec_arithmetic(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_type *to = sp_type(r->m, i->type);
    uint64_t a[MAX_COMPONENTS], b[MAX_COMPONENTS] = {0}, v[MAX_COMPONENTS];
    uint32_t want = to->kind == SP_VECTOR ? to->count : 1, k;
    bool two = i->count == 3;
    if (i->count < 2 || i->count > 3 || sp_components(r->m, i->operand[1], a) != want ||
        (two && sp_components(r->m, i->operand[2], b) != want))
        return sp_refuse(r, i, "%s: its operands are not constants of the result's shape", sp_op_name(i->operand[0]));
    for (k = 0; k < want; k++) {
        const struct sp_type *from = scalar_of(r->m, sp_value_type(r->m, i->operand[1]));
        const struct sp_type *second = two ? scalar_of(r->m, sp_value_type(r->m, i->operand[2])) : from;
        bool shift = i->operand[0] >= SP_OP_ShiftRightLogical && i->operand[0] <= SP_OP_ShiftLeftLogical;
        if (second->kind != from->kind || (second->bits != from->bits && !shift) || from->kind == SP_POINTER ||
            !eval(i->operand[0], a[k], b[k], from, scalar_of(r->m, to), &v[k]))
            return sp_refuse(r, i, "%s of these types is not supported in a constant", sp_op_name(i->operand[0]));
    }
    return keep_bits(r, i, v, want);
}

static bool spec_select(struct sp_reader *r, const struct sp_inst *i)
{
    uint64_t c[MAX_COMPONENTS], a[MAX_COMPONENTS], b[MAX_COMPONENTS];
    uint32_t n, conditions, k;
    if (i->count != 4) return sp_refuse(r, i, "Select takes three operands");
    conditions = sp_components(r->m, i->operand[1], c);
    n = sp_components(r->m, i->operand[2], a);
    if (!n || sp_components(r->m, i->operand[3], b) != n || (conditions != 1 && conditions != n) ||
        scalar_of(r->m, sp_value_type(r->m, i->operand[1]))->kind != SP_BOOL ||
        !sp_same(r->m, i->type, r->m->ids[i->operand[2]].type) ||
        !sp_same(r->m, i->type, r->m->ids[i->operand[3]].type))
        return sp_refuse(r, i, "Select: its operands are not constants of the result's type");
    for (k = 0; k < n; k++) a[k] = c[conditions == 1 ? 0 : k] ? a[k] : b[k];
    return keep_bits(r, i, a, n);
}

static bool spec_shuffle(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_type *t = sp_type(r->m, i->type);
    uint64_t all[2 * MAX_COMPONENTS], v[MAX_COMPONENTS];
    uint32_t n, more, k;
    if (i->count < 3 || t->kind != SP_VECTOR || (uint32_t)i->count - 3 != t->count)
        return sp_refuse(r, i, "VectorShuffle: not one index a component");
    n = sp_components(r->m, i->operand[1], all);
    more = n ? sp_components(r->m, i->operand[2], all + n) : 0;
    if (!more || scalar_of(r->m, sp_value_type(r->m, i->operand[1]))->id != t->elem ||
        scalar_of(r->m, sp_value_type(r->m, i->operand[2]))->id != t->elem)
        return sp_refuse(r, i, "VectorShuffle: its operands are not constant vectors of the result's kind");
    for (k = 0; k < t->count; k++) {
        uint32_t index = i->operand[3 + k];
        if (index != ~0u && index >= n + more) return sp_refuse(r, i, "VectorShuffle: index %u of %u", index, n + more);
        v[k] = index == ~0u ? 0 : all[index];
    }
    return keep_bits(r, i, v, t->count);
}

/* CompositeExtract: follows the constituents to a scalar or vector. */
static bool spec_extract(struct sp_reader *r, const struct sp_inst *i)
{
    uint32_t id = i->count > 1 ? i->operand[1] : 0, k, n;
    uint64_t all[MAX_COMPONENTS];
    if (!sp_is_constant(r->m, id))
        return sp_refuse(r, i, "CompositeExtract: %%%u is not a constant", sp_number(r->m, id));
    for (k = 2; k < i->count; k++) {
        const struct sp_type *t = sp_value_type(r->m, id);
        const struct sp_inst *def = r->m->ids[id].def;
        uint32_t index = i->operand[k];
        if (t->kind == SP_VECTOR && k + 1 == i->count && index < t->count && sp_components(r->m, id, all) &&
            sp_same(r->m, t->elem, i->type))
            return keep_bits(r, i, &all[index], 1);
        if ((def->op != SP_OP_ConstantComposite && def->op != SP_OP_SpecConstantComposite) || index >= def->count)
            return sp_refuse(r, i, "CompositeExtract: index %u is not supported in a constant", index);
        id = def->operand[index];
        if (!sp_is_constant(r->m, id)) return sp_refuse(r, i, "CompositeExtract of an address");
    }
    n = sp_components(r->m, id, all);
    if (!n || !sp_same(r->m, r->m->ids[id].type, i->type))
        return sp_refuse(r, i, "CompositeExtract: not of the result's type");
    return keep_bits(r, i, all, n);
}

static bool spec_insert(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_type *t = sp_type(r->m, i->type);
    uint64_t all[MAX_COMPONENTS], one[MAX_COMPONENTS];
    if (i->count != 4 || t->kind != SP_VECTOR || sp_components(r->m, i->operand[1], one) != 1 ||
        !sp_components(r->m, i->operand[2], all) || !sp_same(r->m, r->m->ids[i->operand[2]].type, i->type) ||
        !sp_same(r->m, r->m->ids[i->operand[1]].type, t->elem) || i->operand[3] >= t->count)
        return sp_refuse(r, i, "CompositeInsert in a constant: only of a component into a vector");
    all[i->operand[3]] = one[0];
    return keep_bits(r, i, all, t->count);
}

static bool keep_address(struct sp_reader *r, const struct sp_inst *i, uint32_t variable, int64_t offset)
{
    uint64_t *kept = sp_alloc(r, 2, sizeof *kept);
    if (!kept || !sp_define(r, i, SP_IS_CONSTANT, i->type)) return false;
    kept[0] = variable;
    kept[1] = (uint64_t)offset;
    r->m->ids[i->id].bits = kept;
    r->m->ids[i->id].is_address = true;
    return true;
}

/* Casts between pointers, and between pointers and 64-bit integers; Bitcast of numbers too. */
static bool spec_cast(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_module *m = r->m;
    const struct sp_type *to = sp_type(m, i->type), *from = i->count == 2 ? sp_value_type(m, i->operand[1]) : NULL;
    uint64_t all[MAX_COMPONENTS];
    uint32_t variable, n;
    int64_t offset;
    if (!from || from->size != to->size) return sp_refuse(r, i, "%s: sizes differ", sp_op_name(i->operand[0]));
    if (sp_constant_address(m, i->operand[1], &variable, &offset)) {
        if (to->kind != SP_POINTER && (to->kind != SP_INT || to->bits != 64))
            return sp_refuse(r, i, "an address cannot become this type");
        return keep_address(r, i, variable, offset);
    }
    n = sp_components(m, i->operand[1], all);
    if (n != (to->kind == SP_VECTOR ? to->count : 1u))
        return sp_refuse(r, i, "Bitcast in a constant: component counts differ");
    if (to->kind != SP_POINTER && to->kind != SP_INT && to->kind != SP_FLOAT && to->kind != SP_VECTOR)
        return sp_refuse(r, i, "a constant cannot become this type");
    return keep_bits(r, i, all, n);
}

static bool spec_chain(struct sp_reader *r, const struct sp_inst *i)
{
    bool element = i->operand[0] == SP_OP_PtrAccessChain || i->operand[0] == SP_OP_InBoundsPtrAccessChain;
    uint32_t variable;
    int64_t offset;
    if (i->count < 2 || !sp_constant_address(r->m, i->operand[1], &variable, &offset))
        return sp_refuse(r, i, "%s: its base is not the address of a global variable", sp_op_name(i->operand[0]));
    return sp_check_chain(r, i, 1, element, &offset) && keep_address(r, i, variable, offset);
}

static bool spec_op(struct sp_reader *r, const struct sp_inst *i)
{
    switch (i->operand[0]) {
    case SP_OP_Select: return spec_select(r, i);
    case SP_OP_VectorShuffle: return spec_shuffle(r, i);
    case SP_OP_CompositeExtract: return spec_extract(r, i);
    case SP_OP_CompositeInsert: return spec_insert(r, i);
    case SP_OP_Bitcast:
    case SP_OP_ConvertPtrToU:
    case SP_OP_ConvertUToPtr:
    case SP_OP_PtrCastToGeneric:
    case SP_OP_GenericCastToPtr: return spec_cast(r, i);
    case SP_OP_AccessChain:
    case SP_OP_InBoundsAccessChain:
    case SP_OP_PtrAccessChain:
    case SP_OP_InBoundsPtrAccessChain: return spec_chain(r, i);
    default: return spec_arithmetic(r, i);
    }
}

/* ---- the other constants */

static const struct sp_spec *specialised(const struct sp_reader *r, uint32_t id)
{
    const struct sp_decoration *d = sp_decorated(r->m, id, SP_DECORATION_SpecId);
    size_t k;
    for (k = 0; d && d->count && k < r->spec_count; k++)
        if (r->spec[k].id == d->operand[0]) return &r->spec[k];
    return NULL;
}

static bool accept_bool(struct sp_reader *r, const struct sp_inst *i)
{
    uint64_t v = i->op == SP_OP_ConstantTrue || i->op == SP_OP_SpecConstantTrue;
    const struct sp_spec *s = i->op >= SP_OP_SpecConstantTrue ? specialised(r, i->id) : NULL;
    if (sp_type(r->m, i->type)->kind != SP_BOOL) return sp_refuse(r, i, "its type is not bool");
    if (s) v = s->bits != 0;
    return keep_bits(r, i, &v, 1);
}

static bool accept_number(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_spec *s = i->op == SP_OP_SpecConstant ? specialised(r, i->id) : NULL;
    uint64_t v = i->operand[0]; /* the decoder has checked that the type is a number and that there are enough words */
    if (i->count > 1) v |= (uint64_t)i->operand[1] << 32;
    if (s) v = s->bits;
    return keep_bits(r, i, &v, 1);
}

static uint32_t member_type(const struct sp_type *t, uint32_t k)
{
    return t->kind == SP_STRUCT ? t->members[k] : t->elem;
}

/* A constant may contain another many times: 2^40 parts take forty instructions. */
static uint32_t count_parts(const struct sp_module *m, const struct sp_inst *i)
{
    uint64_t sum = 1;
    for (uint32_t k = 0; k < i->count && sum < UINT32_MAX; k++) {
        uint32_t parts = m->ids[i->operand[k]].parts;
        sum += parts ? parts : 1;
    }
    return sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

static bool accept_composite(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_module *m = r->m;
    const struct sp_type *t = sp_type(m, i->type);
    uint64_t bits[MAX_COMPONENTS];
    uint32_t want = t->kind == SP_COOPMAT ? 1 : t->count, k, variable;
    int64_t offset;
    if (t->kind != SP_VECTOR && t->kind != SP_ARRAY && t->kind != SP_STRUCT && t->kind != SP_COOPMAT)
        return sp_refuse(r, i, "its type is not a composite");
    if (i->count != want) return sp_refuse(r, i, "%u constituents, its type has %u", i->count, want);
    for (k = 0; k < want; k++) {
        uint32_t id = i->operand[k];
        if (!sp_is_constant(m, id) && !sp_constant_address(m, id, &variable, &offset))
            return sp_refuse(r, i, "constituent %u, %%%u, is not a constant", k, sp_number(r->m, id));
        if (!sp_same(m, m->ids[id].type, member_type(t, k)))
            return sp_refuse(r, i, "constituent %u is not of its member's type", k);
        if (sp_is_sampler(m, id)) return sp_refuse(r, i, "constituent %u is a sampler", k);
        if (t->kind == SP_VECTOR && sp_components(m, id, &bits[k]) != 1)
            return sp_refuse(r, i, "constituent %u is not a number", k);
    }
    if (t->kind == SP_VECTOR) return keep_bits(r, i, bits, want);
    if (!sp_define(r, i, SP_IS_CONSTANT, i->type)) return false;
    m->ids[i->id].parts = count_parts(m, i);
    return true;
}

static bool accept_zero(struct sp_reader *r, const struct sp_inst *i)
{
    enum sp_kind kind = sp_type(r->m, i->type)->kind;
    if (kind == SP_VOID || kind == SP_FUNCTION || kind == SP_OPAQUE || kind == SP_RUNTIME_ARRAY)
        return sp_refuse(r, i, "there are no constants of this type");
    return sp_define(r, i, SP_IS_CONSTANT, i->type);
}

/* Only instructions use it: initial values never contain samplers. */
static bool accept_sampler(struct sp_reader *r, const struct sp_inst *i)
{
    if (sp_type(r->m, i->type)->kind != SP_SAMPLER) return sp_refuse(r, i, "its type is not a sampler");
    if (i->operand[0] > SP_ADDRESS_RepeatMirrored || i->operand[1] > 1 || i->operand[2] > SP_FILTER_Linear)
        return sp_refuse(r, i, "address mode %u, normalised %u, filter %u", i->operand[0], i->operand[1],
                         i->operand[2]);
    return sp_define(r, i, SP_IS_CONSTANT, i->type);
}

/* The function is defined later and checked by sp_check_function_pointers. */
static bool accept_function_pointer(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_type *t = sp_type(r->m, i->type), *to = t->kind == SP_POINTER ? sp_type(r->m, t->elem) : NULL;
    if (!to || to->kind != SP_FUNCTION) return sp_refuse(r, i, "its type is not a pointer to a function");
    return keep_address(r, i, i->operand[0], 0);
}

bool sp_check_function_pointers(struct sp_reader *r)
{
    const struct sp_module *m = r->m;
    uint32_t id;
    for (id = 1; id < m->bound; id++) {
        const struct sp_inst *i = m->ids[id].def;
        const struct sp_id *f;
        if (!i || i->op != SP_OP_ConstantFunctionPointerINTEL) continue;
        f = &m->ids[i->operand[0]];
        if (f->what != SP_IS_FUNCTION) return sp_refuse(r, i, "%%%u is not a function", sp_number(r->m, i->operand[0]));
        if (m->functions[f->block].type != sp_type(m, i->type)->elem)
            return sp_refuse(r, i, "%%%u is not of the type it points to", sp_number(r->m, i->operand[0]));
    }
    return true;
}

bool sp_accept_constant(struct sp_reader *r, const struct sp_inst *i)
{
    switch (i->op) {
    case SP_OP_ConstantTrue:
    case SP_OP_ConstantFalse:
    case SP_OP_SpecConstantTrue:
    case SP_OP_SpecConstantFalse: return accept_bool(r, i);
    case SP_OP_Constant:
    case SP_OP_SpecConstant: return accept_number(r, i);
    case SP_OP_ConstantComposite:
    case SP_OP_SpecConstantComposite: return accept_composite(r, i);
    case SP_OP_ConstantNull:
    case SP_OP_Undef: return accept_zero(r, i);
    case SP_OP_SpecConstantOp: return spec_op(r, i);
    case SP_OP_ConstantSampler: return accept_sampler(r, i);
    case SP_OP_ConstantFunctionPointerINTEL: return accept_function_pointer(r, i);
    default: return sp_refuse(r, i, "the software device does not have this constant");
    }
}

/* ---- access chains, and variables of the module */

static bool chain_step(struct sp_reader *r, const struct sp_inst *i, uint32_t operand, uint32_t *type, int64_t *offset)
{
    const struct sp_module *m = r->m;
    const struct sp_type *t = sp_type(m, *type), *index_type = sp_value_type(m, i->operand[operand]);
    uint64_t bits = 0;
    int64_t index;
    bool constant = sp_constant(m, i->operand[operand], &bits);
    if (!index_type || index_type->kind != SP_INT)
        return sp_refuse(r, i, "index %%%u is not an integer", sp_number(r->m, i->operand[operand]));
    if (!t) return sp_refuse(r, i, "operand %u indexes into a type that is not defined yet", operand);
    index = sign_extend(bits, index_type->bits);
    if (offset && !constant)
        return sp_refuse(r, i, "index %%%u is not a constant", sp_number(r->m, i->operand[operand]));
    switch (t->kind) {
    case SP_STRUCT:
        if (!constant || index < 0 || index >= (int64_t)t->count)
            return sp_refuse(r, i, "operand %u is not a member of its struct of %u", operand, t->count);
        *type = t->members[index];
        if (offset) *offset = (int64_t)((uint64_t)*offset + t->offsets[index]);
        return true;
    case SP_VECTOR:
    case SP_ARRAY:
    case SP_RUNTIME_ARRAY:
    case SP_COOPMAT:
        *type = t->elem;
        if (offset && (index < -(int64_t)0x7fffffff || index > (int64_t)0x7fffffff))
            return sp_refuse(r, i, "operand %u is out of all bounds", operand);
        if (offset) *offset = (int64_t)((uint64_t)*offset + (uint64_t)index * sp_type(m, t->elem)->size);
        return true;
    default: return sp_refuse(r, i, "operand %u indexes into a type that has no parts", operand);
    }
}

bool sp_check_chain(struct sp_reader *r, const struct sp_inst *i, uint32_t at, bool element, int64_t *offset)
{
    const struct sp_module *m = r->m;
    const struct sp_type *base = i->count > at ? sp_value_type(m, i->operand[at]) : NULL, *to = sp_type(m, i->type);
    uint32_t type, k = at + 1;
    if (!base || base->kind != SP_POINTER) return sp_refuse(r, i, "its base is not a pointer");
    type = base->elem;
    if (element) {
        const struct sp_type *t = i->count > k ? sp_value_type(m, i->operand[k]) : NULL;
        uint64_t bits = 0;
        if (!t || t->kind != SP_INT) return sp_refuse(r, i, "its element is not an integer");
        if (!sp_type(m, type)->size) return sp_refuse(r, i, "elements of this type have no size");
        if (offset && !sp_constant(m, i->operand[k], &bits)) return sp_refuse(r, i, "its element is not a constant");
        if (offset)
            *offset = (int64_t)((uint64_t)*offset + (uint64_t)sign_extend(bits, t->bits) * sp_type(m, type)->size);
        k++;
    }
    for (; k < i->count; k++)
        if (!chain_step(r, i, k, &type, offset)) return false;
    if (to->kind != SP_POINTER || to->storage != base->storage)
        return sp_refuse(r, i, "its result is not a pointer of the base's storage class");
    return sp_same(m, to->elem, type) ||
           sp_deviate(r, i, SP_CHAIN_RESULT, "its result does not point to the indexed type");
}

/* Variables with such an initial value need not be initialised. */
static bool is_undefined(const struct sp_module *m, uint32_t id)
{
    const struct sp_inst *d = sp_is_constant(m, id) ? m->ids[id].def : NULL;
    if (!d || d->op == SP_OP_Undef) return d != NULL;
    if (d->op != SP_OP_ConstantComposite || d->count == 0) return false;
    for (uint32_t k = 0; k < d->count; k++)
        if (!is_undefined(m, d->operand[k])) return false;
    return true;
}

bool sp_check_variable(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_module *m = r->m;
    const struct sp_type *t = sp_type(m, i->type), *e = t->kind == SP_POINTER ? sp_type(m, t->elem) : NULL;
    uint32_t variable;
    int64_t offset;
    if (!e || t->storage != i->operand[0]) return sp_refuse(r, i, "its type is not a pointer of its storage class");
    if (!e->size && e->kind != SP_COOPMAT && e->kind != SP_STRUCT)
        return sp_refuse(r, i, "variables of this type do not exist");
    if ((t->storage == SP_STORAGE_Function || t->storage == SP_STORAGE_Private) && e->size > SP_MAX_PRIVATE_BYTES)
        return sp_refuse(r, i, "%llu bytes of private memory, at most %llu are supported", (unsigned long long)e->size,
                         (unsigned long long)SP_MAX_PRIVATE_BYTES);
    if (i->count < 2) return true;
    if (!sp_is_constant(m, i->operand[1]) && !sp_constant_address(m, i->operand[1], &variable, &offset))
        return sp_refuse(r, i, "its initialiser is not a constant");
    if (sp_is_sampler(m, i->operand[1])) return sp_refuse(r, i, "its initialiser is a sampler");
    if (!sp_same(m, m->ids[i->operand[1]].type, t->elem)) return sp_refuse(r, i, "its initialiser is not of its type");
    if (sp_is_constant(m, i->operand[1]) && sp_is_zero_op(m->ids[i->operand[1]].def)) return true;
    r->initial_parts += m->ids[i->operand[1]].parts;
    if (r->initial_parts > SP_MAX_CONSTANT_PARTS)
        return sp_refuse(r, i, "%llu parts of initialisers, at most %llu are supported",
                         (unsigned long long)r->initial_parts, (unsigned long long)SP_MAX_CONSTANT_PARTS);
    if (t->storage == SP_STORAGE_Workgroup)
        return is_undefined(m, i->operand[1]) || sp_refuse(r, i, "local memory can only be initialised with zeros");
    r->initial_bytes += e->size;
    if (r->initial_bytes > SP_MAX_CONSTANT_BYTES)
        return sp_refuse(r, i, "%llu bytes of initialisers, at most %llu are supported",
                         (unsigned long long)r->initial_bytes, (unsigned long long)SP_MAX_CONSTANT_BYTES);
    return true;
}

/* Shapes of kernel built-ins: three integers, one integer, or a mask of four 32-bit integers. */
enum built_in_shape { THREE, SINGLE, LANE_MASK };
static const struct {
    uint32_t number;
    enum built_in_shape shape;
} built_ins[] = {
    {SP_BUILTIN_NumWorkgroups, THREE},
    {SP_BUILTIN_WorkgroupSize, THREE},
    {SP_BUILTIN_WorkgroupId, THREE},
    {SP_BUILTIN_LocalInvocationId, THREE},
    {SP_BUILTIN_GlobalInvocationId, THREE},
    {SP_BUILTIN_LocalInvocationIndex, SINGLE},
    {SP_BUILTIN_WorkDim, SINGLE},
    {SP_BUILTIN_GlobalSize, THREE},
    {SP_BUILTIN_EnqueuedWorkgroupSize, THREE},
    {SP_BUILTIN_GlobalOffset, THREE},
    {SP_BUILTIN_GlobalLinearId, SINGLE},
    {SP_BUILTIN_SubgroupSize, SINGLE},
    {SP_BUILTIN_SubgroupMaxSize, SINGLE},
    {SP_BUILTIN_NumSubgroups, SINGLE},
    {SP_BUILTIN_NumEnqueuedSubgroups, SINGLE},
    {SP_BUILTIN_SubgroupId, SINGLE},
    {SP_BUILTIN_SubgroupLocalInvocationId, SINGLE},
    {SP_BUILTIN_SubgroupEqMask, LANE_MASK},
    {SP_BUILTIN_SubgroupGeMask, LANE_MASK},
    {SP_BUILTIN_SubgroupGtMask, LANE_MASK},
    {SP_BUILTIN_SubgroupLeMask, LANE_MASK},
    {SP_BUILTIN_SubgroupLtMask, LANE_MASK},
};

static bool check_built_in(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_decoration *d = sp_decorated(r->m, i->id, SP_DECORATION_BuiltIn);
    const struct sp_type *t = sp_type(r->m, sp_type(r->m, i->type)->elem), *e = scalar_of(r->m, t);
    uint32_t count = t->kind == SP_VECTOR ? t->count : 1;
    size_t k;
    if (!d) return sp_refuse(r, i, "an input that is not decorated as a built-in");
    for (k = 0; k < sizeof built_ins / sizeof built_ins[0]; k++) {
        enum built_in_shape shape = built_ins[k].shape;
        if (built_ins[k].number != d->operand[0]) continue;
        if (e->kind == SP_INT && e->bits >= 32 &&
            count == (shape == THREE    ? 3u
                      : shape == SINGLE ? 1u
                                        : 4u) &&
            (shape != LANE_MASK || e->bits == 32))
            return true;
        return sp_refuse(r, i, "the built-in %u does not have this type", d->operand[0]);
    }
    return sp_refuse(r, i, "the software device does not have the built-in %u", d->operand[0]);
}

static bool limit_globals(struct sp_reader *r, const struct sp_inst *i)
{
    uint64_t size = sp_type(r->m, sp_type(r->m, i->type)->elem)->size;
    r->global_bytes += size; /* cannot overflow: SP_MAX_WORDS types of SP_MAX_TYPE_BYTES */
    if (r->global_bytes <= SP_MAX_GLOBAL_BYTES) return true;
    return sp_refuse(r, i, "%llu bytes of variables of the program, at most %llu are supported",
                     (unsigned long long)r->global_bytes, (unsigned long long)SP_MAX_GLOBAL_BYTES);
}

bool sp_accept_global(struct sp_reader *r, const struct sp_inst *i)
{
    if (!sp_check_variable(r, i)) return false;
    if (sp_is_global(r->m, i) && !limit_globals(r, i)) return false;
    if ((i->operand[0] == SP_STORAGE_Input || sp_is_built_in(r->m, i)) && !check_built_in(r, i)) return false;
    if (i->operand[0] == SP_STORAGE_Generic) return sp_refuse(r, i, "no variable is in this storage class");
    if (!sp_define(r, i, SP_IS_VARIABLE, i->type)) return false;
    r->m->globals[r->m->global_count++] = i;
    return true;
}
