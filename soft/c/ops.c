/* ops.c - arithmetic, conversion and composites.
 *
 * Component-wise operations are rows of a table: the opcode and the C text it becomes, in a small language, once for
 * uniform and once for varying results (NULL: the same text):
 *
 *     %0 %1 %2 %3   operands                       %t  the result's C type        %k  its name as a suffix (u32)
 *     %s            the result's signed C type     %a  operand 0's C type         %z  its signed C type   %j  its name
 *     %l            the C library's suffix for operand 0's type (f for float)
 *     %h            `_half` if the result is a half
 *     $name         the helper `name` for uniform, `XS(name)` for varying operands
 *     @name         a scalar helper, called lane by lane for varying operands (stands alone)
 *
 * 16- and 8-bit floats are computed as f32: operands are widened before the text and results rounded after it.
 */
#include "codegen.h"

#include <stdio.h>
#include <string.h>

/* ---- the tables' language */

struct apply {
    enum cg_kind result, kind[4];
    const char *arg[4];
    uint32_t n;
    bool varying, half;
};

static const char *type_letter(struct cg *g, const struct apply *a, char c)
{
    switch (c) {
    case 't': return cg_kind_type(g, a->result, a->varying);
    case 's': return cg_kind_signed(g, a->result, a->varying);
    case 'a': return cg_kind_type(g, a->kind[0], a->varying);
    case 'z': return cg_kind_signed(g, a->kind[0], a->varying);
    case 'k': return cg_kind_name(a->result);
    case 'j': return cg_kind_name(a->kind[0]);
    case 'l': return a->kind[0] == CG_F64 ? "" : "f";
    case 'h': return a->half ? "_half" : "";
    default: return "?";
    }
}

static const char *expand(struct cg *g, const struct apply *a, const char *format)
{
    char text[512];
    size_t n = 0;
    const char *out = "";
    bool name = false;
    for (const char *f = format;; f++) {
        const char *piece = NULL;
        char c = *f;
        bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '%';
        if (name && !word) {
            name = false;
            if (n + 1 < sizeof text) text[n++] = ')';
        }
        if (c == '%' && f[1]) {
            c = *++f;
            piece = c >= '0' && c <= '3' ? a->arg[c - '0'] : type_letter(g, a, c);
        } else if (c == '$') {
            if (!a->varying) continue;
            name = true;
            piece = "XS(";
        }
        if (piece || !c || n + 2 > sizeof text) {
            text[n] = 0;
            out = cg_str(g, "%s%s%s", out, text, piece ? piece : "");
            n = 0;
            if (!c) return out;
        }
        if (!piece) text[n++] = c;
    }
}

/* Calls a scalar helper for every lane. */
static void call_lanes(struct cg *g, const struct apply *a, const char *to, const char *format)
{
    const char *name =
        expand(g, &(struct apply){.result = a->result, .kind = {a->kind[0]}, .n = a->n, .half = a->half}, format + 1);
    const char *types[4];
    for (uint32_t i = 0; i < a->n; i++) types[i] = cg_kind_type(g, a->kind[i], false);
    cg_call_lanes(g, to, cg_kind_type(g, a->result, false), name, a->n, types, a->arg);
}

/* The text applied to operands, as an expression, possibly preceded by statements. */
static const char *apply_wide(struct cg *g, const struct apply *a, const char *format)
{
    if (format[0] != '@') return expand(g, a, format);
    if (!a->varying) {
        const char *args = "";
        for (uint32_t i = 0; i < a->n; i++) args = cg_str(g, "%s%s%s", args, i ? ", " : "", a->arg[i]);
        return cg_str(g, "%s(%s)", expand(g, a, format + 1), args);
    }
    const char *t = cg_temporary(g, cg_kind_type(g, a->result, true));
    call_lanes(g, a, t, format);
    return t;
}

const char *cg_applied(struct cg *g, enum cg_kind result, const char *text, uint32_t n, const enum cg_kind *kinds,
                       const char *const *args, bool varying)
{
    struct apply a = {.result = result, .n = n, .varying = varying, .half = result == CG_F16};
    for (uint32_t i = 0; i < n && i < 4; i++) {
        a.kind[i] = kinds[i];
        a.arg[i] = args[i];
        if (!cg_kind_is_small_float(kinds[i])) continue;
        a.arg[i] = cg_widen(g, kinds[i], varying, args[i]);
        a.kind[i] = CG_F32;
    }
    if (cg_kind_is_small_float(result)) a.result = CG_F32;
    return cg_narrow(g, result, varying, apply_wide(g, &a, text));
}

/* ---- the tables */

struct row {
    uint16_t op;
    const char *uniform, *varying;
};

#define COMPARE(c) "-(%0 " c " %1)", "XS_COMPARE(%0, " c ", %1)"
#define COMPARE_SIGNED(c) "-((%z)%0 " c " (%z)%1)", "XS_COMPARE((%z)%0, " c ", (%z)%1)"
#define UNORDERED(c) "-!(%0 " c " %1)", "~XS_COMPARE(%0, " c ", %1)"

static const struct row rows[] = {
    {SP_OP_IAdd, "(%t)(%0 + %1)", "%0 + %1"},
    {SP_OP_ISub, "(%t)(%0 - %1)", "%0 - %1"},
    {SP_OP_IMul, "(%t)(1u * %0 * %1)", "%0 * %1"},
    {SP_OP_UDiv, "@udiv_%k", NULL},
    {SP_OP_SDiv, "@sdiv_%k", NULL},
    {SP_OP_UMod, "@umod_%k", NULL},
    {SP_OP_SRem, "@srem_%k", NULL},
    {SP_OP_SMod, "@smod_%k", NULL},
    {SP_OP_SNegate, "(%t)(0u - %0)", "-%0"},
    {SP_OP_FAdd, "%0 + %1", NULL},
    {SP_OP_FSub, "%0 - %1", NULL},
    {SP_OP_FMul, "%0 * %1", NULL},
    {SP_OP_FDiv, "%0 / %1", NULL},
    {SP_OP_FRem, "@frem_%k", NULL},
    {SP_OP_FMod, "@fmodulo_%k", NULL},
    {SP_OP_FNegate, "-%0", NULL},
    {SP_OP_VectorTimesScalar, "%0 * %1", NULL},
    {SP_OP_MatrixTimesScalar, "%0 * %1", NULL},
    {SP_OP_Not, "(%t)~%0", "~%0"},
    {SP_OP_BitwiseAnd, "(%t)(%0 & %1)", "%0 & %1"},
    {SP_OP_BitwiseOr, "(%t)(%0 | %1)", "%0 | %1"},
    {SP_OP_BitwiseXor, "(%t)(%0 ^ %1)", "%0 ^ %1"},
    {SP_OP_LogicalNot, "~%0", NULL},
    {SP_OP_LogicalAnd, "%0 & %1", NULL},
    {SP_OP_LogicalOr, "%0 | %1", NULL},
    {SP_OP_LogicalEqual, "~(%0 ^ %1)", NULL},
    {SP_OP_LogicalNotEqual, "%0 ^ %1", NULL},
    {SP_OP_IEqual, COMPARE("==")},
    {SP_OP_INotEqual, COMPARE("!=")},
    {SP_OP_ULessThan, COMPARE("<")},
    {SP_OP_ULessThanEqual, COMPARE("<=")},
    {SP_OP_UGreaterThan, COMPARE(">")},
    {SP_OP_UGreaterThanEqual, COMPARE(">=")},
    {SP_OP_SLessThan, COMPARE_SIGNED("<")},
    {SP_OP_SLessThanEqual, COMPARE_SIGNED("<=")},
    {SP_OP_SGreaterThan, COMPARE_SIGNED(">")},
    {SP_OP_SGreaterThanEqual, COMPARE_SIGNED(">=")},
    {SP_OP_PtrEqual, COMPARE("==")},
    {SP_OP_PtrNotEqual, COMPARE("!=")},
    {SP_OP_FOrdEqual, COMPARE("==")},
    {SP_OP_FUnordNotEqual, COMPARE("!=")},
    {SP_OP_FOrdLessThan, COMPARE("<")},
    {SP_OP_FOrdLessThanEqual, COMPARE("<=")},
    {SP_OP_FOrdGreaterThan, COMPARE(">")},
    {SP_OP_FOrdGreaterThanEqual, COMPARE(">=")},
    {SP_OP_FUnordLessThan, UNORDERED(">=")},
    {SP_OP_FUnordLessThanEqual, UNORDERED(">")},
    {SP_OP_FUnordGreaterThan, UNORDERED("<=")},
    {SP_OP_FUnordGreaterThanEqual, UNORDERED("<")},
    {SP_OP_FOrdNotEqual, "-(%0 < %1 || %0 > %1)", "XS_COMPARE(%0, <, %1) | XS_COMPARE(%0, >, %1)"},
    {SP_OP_LessOrGreater, "-(%0 < %1 || %0 > %1)", "XS_COMPARE(%0, <, %1) | XS_COMPARE(%0, >, %1)"},
    {SP_OP_FUnordEqual, "-!(%0 < %1 || %0 > %1)", "~(XS_COMPARE(%0, <, %1) | XS_COMPARE(%0, >, %1))"},
    {SP_OP_Ordered, "-(%0 == %0 && %1 == %1)", "XS_COMPARE(%0, ==, %0) & XS_COMPARE(%1, ==, %1)"},
    {SP_OP_Unordered, "-(%0 != %0 || %1 != %1)", "XS_COMPARE(%0, !=, %0) | XS_COMPARE(%1, !=, %1)"},
    {SP_OP_IsNan, "-(%0 != %0)", "XS_COMPARE(%0, !=, %0)"},
    {SP_OP_IsInf, "-(%0 - %0 != %0 - %0 && %0 == %0)", "XS_COMPARE(%0 - %0, !=, %0 - %0) & XS_COMPARE(%0, ==, %0)"},
    {SP_OP_IsFinite, "-(%0 - %0 == %0 - %0)", "XS_COMPARE(%0 - %0, ==, %0 - %0)"},
    {SP_OP_IsNormal, "@is_normal_%j", NULL},
    {SP_OP_SignBitSet, "@sign_bit_%j", NULL},
    {SP_OP_BitCount, "@popcount_%k", NULL},
    {SP_OP_BitReverse, "@bit_reverse_%k", NULL},
    {SP_OP_CopyObject, "%0", NULL},
    {SP_OP_CopyLogical, "%0", NULL},
    {SP_OP_ArithmeticFenceEXT, "({ %t fence = %0; __asm__(\"\" : \"+m\"(fence)); fence; })", NULL},
    {SP_OP_FmaKHR, "$fma%h_%j(%0, %1, %2)", NULL},
    {SP_OP_ExpectKHR, "%0", NULL},
    {SP_OP_PtrCastToGeneric, "%0", NULL},
    {SP_OP_GenericCastToPtr, "%0", NULL},
    {SP_OP_ConvertFToS, "@%j_to_s_%k", NULL},
    {SP_OP_ConvertFToU, "@%j_to_u_%k", NULL},
    {SP_OP_ConvertSToF, "(%t)(%z)%0", "XS_CONVERT((%z)%0, %t)"},
    {SP_OP_ConvertUToF, "(%t)%0", "XS_CONVERT(%0, %t)"},
    {SP_OP_UConvert, "(%t)%0", "XS_CONVERT(%0, %t)"},
    {SP_OP_ConvertPtrToU, "(%t)%0", "XS_CONVERT(%0, %t)"},
    {SP_OP_ConvertUToPtr, "(%t)%0", "XS_CONVERT(%0, %t)"},
    {SP_OP_SConvert, "(%t)(%s)(%z)%0", "(%t)XS_CONVERT((%z)%0, %s)"},
    {SP_OP_SatConvertSToU, "@sat_s_to_u_%j_%k", NULL},
    {SP_OP_SatConvertUToS, "@sat_u_to_s_%j_%k", NULL},
    {SP_OP_FConvert, "(%t)%0", "XS_CONVERT(%0, %t)"},
    {SP_OP_QuantizeToF16, "$f16_to_f32($f32_to_f16(%0))", NULL},
    {SP_OP_RoundFToTF32INTEL, "$round_tf32(%0)", NULL},
    {SP_OP_ConvertFToBF16INTEL, "$f32_to_bf16(%0)", NULL},
    {SP_OP_ConvertBF16ToFINTEL, "$bf16_to_f32(%0)", NULL},
};

/* The same for results decorated SaturatedConversion. (Floats are always saturated.) */
static const struct row saturated[] = {
    {SP_OP_SConvert, "@sat_s_to_s_%j_%k", NULL},
    {SP_OP_UConvert, "@sat_u_to_u_%j_%k", NULL},
};

/* The same for f32 to 32 bits in up to 16 lanes, as calls cost more than the code in line: no vector register survives
 * them. */
static const struct row in_line[] = {
    {SP_OP_ConvertFToS, "@%j_to_s_%k", "$%j_to_s_%k(%0)"},
};

static bool is_in_line(struct cg *g)
{
    const struct cg_leaves *from = cg_value_leaves(g, cg_operand(g, 0)), *to = cg_leaves_of(g, g->w->inst->type);
    return g->S < 32 && !g->o->quick && from->count && to->count && from->leaf[0].kind != CG_F64 &&
           to->leaf[0].kind == CG_U32;
}

/* Shifts: the amount, which may have another width, is converted to the operand's first. */
static const struct row shifts[] = {
    {SP_OP_ShiftLeftLogical, "$shl_%k(%0, %1)", NULL},     {SP_OP_ShiftRightLogical, "$shr_%k(%0, %1)", NULL},
    {SP_OP_ShiftRightArithmetic, "$sar_%k(%0, %1)", NULL}, {SP_OP_BitFieldInsert, "@bit_insert_%k", NULL},
    {SP_OP_BitFieldUExtract, "@bit_uextract_%k", NULL},    {SP_OP_BitFieldSExtract, "@bit_sextract_%k", NULL},
};

static const struct row *find_row(const struct row *table, size_t n, uint16_t op)
{
    for (size_t i = 0; i < n; i++)
        if (table[i].op == op) return &table[i];
    return NULL;
}

const char *cg_uniform_text(struct cg *g, const struct sp_inst *i, const char *const *args)
{
    const struct row *r = find_row(rows, sizeof rows / sizeof *rows, i->op);
    enum cg_kind kind[2];
    if (!r) return NULL;
    for (uint32_t k = 0; k < i->count && k < 2; k++) kind[k] = cg_kind_of(g, i->operand[k]);
    return cg_applied(g, cg_kind_of(g, i->id), r->uniform, i->count, kind, args, false);
}

static enum cg_kind kind_of_leaf(struct cg *g, uint32_t id, uint32_t leaf)
{
    const struct cg_leaves *l = cg_value_leaves(g, id);
    return l->count ? l->leaf[leaf < l->count ? leaf : 0].kind : CG_U32;
}

static bool converts_double_down(enum cg_kind from, enum cg_kind to)
{
    return cg_kind_is_small_float(to) && (from == CG_F64 || from == CG_U32 || from == CG_U64);
}

/* Narrows f64, or an integer that f32 cannot hold, to a small float: through f32 rounded to odd, which avoids double
 * rounding. */
static void narrow_twice(struct cg *g, uint32_t leaf, const char *e, enum cg_kind from, enum cg_kind to, bool varying)
{
    bool is_signed = g->w->inst->op == SP_OP_ConvertSToF;
    const char *wide = cg_temporary(g, varying ? "f64x" : "f64"), *odd = cg_temporary(g, varying ? "f32x" : "f32");
    if (from == CG_F64)
        cg_put(g, "    %s = %s;\n", wide, e);
    else if (varying)
        cg_put(g, "    %s = %s;\n", wide, cg_convert(g, e, from, CG_F64, is_signed));
    else
        cg_put(g, "    %s = (f64)(%s)%s;\n", wide,
               is_signed ? cg_kind_signed(g, from, false) : cg_kind_type(g, from, false), e);
    cg_call(g, varying, odd, "f32", "f64_to_f32_odd", 1, (const char *const[]){"f64"}, &wide);
    cg_set_leaf(g, leaf, cg_narrow(g, to, varying, odd));
}

/* A conversion to a float type with a rounding other than to nearest: by helpers for the widest source type. */
static bool round_directed(struct cg *g, uint32_t leaf, const char *e, enum cg_kind from, enum cg_kind to, bool varying)
{
    static const char *const names[] = {NULL, "rtz", "rtp", "rtn"};
    const struct sp_decoration *d = sp_decorated(g->m, g->w->inst->id, SP_DECORATION_FPRoundingMode);
    uint16_t op = g->w->inst->op;
    bool is_signed = op == SP_OP_ConvertSToF;
    if ((op != SP_OP_FConvert && op != SP_OP_ConvertSToF && op != SP_OP_ConvertUToF) || !d || !names[d->operand[0] & 3])
        return false;
    if ((to != CG_F16 && to != CG_F32 && to != CG_F64) ||
        (op == SP_OP_FConvert && cg_kind_bytes(from) <= cg_kind_bytes(to)))
        return false;
    const char *wide = op == SP_OP_FConvert ? "f64" : is_signed ? "i64" : "u64", *result = cg_kind_type(g, to, false);
    const char *w = cg_temporary(g, varying ? cg_str(g, "%sx", wide) : wide),
               *t = cg_temporary(g, cg_kind_type(g, to, varying));
    const char *fn = cg_str(g, "%s_to_%s_%s", wide, to == CG_F16 ? "f16" : result, names[d->operand[0] & 3]);
    if (is_signed)
        e = cg_str(g, "(%s)%s", cg_kind_signed(g, from, varying), e);
    else
        e = cg_widen(g, from, varying, e);
    e = varying ? cg_str(g, "XS_CONVERT(%s, %sx)", e, wide) : cg_str(g, "(%s)(%s)", wide, e);
    cg_put(g, "    %s = %s;\n", w, e);
    cg_call(g, varying, t, result, fn, 1, &wide, &w);
    cg_set_leaf(g, leaf, t);
    return true;
}

/* Rounds a float to be converted to an integer with a rounding other than towards zero. */
static const char *rounded(struct cg *g, enum cg_kind *kind, const char *e, bool varying)
{
    static const char *const names[] = {"rint", NULL, "ceil", "floor"};
    const struct sp_decoration *d = sp_decorated(g->m, g->w->inst->id, SP_DECORATION_FPRoundingMode);
    bool to_integer = g->w->inst->op == SP_OP_ConvertFToS || g->w->inst->op == SP_OP_ConvertFToU;
    if (!to_integer || !d || !names[d->operand[0] & 3]) return e;
    e = cg_widen(g, *kind, varying, e);
    if (*kind != CG_F64) *kind = CG_F32;
    const char *fn = cg_str(g, "__builtin_%s%s", names[d->operand[0] & 3], *kind == CG_F64 ? "" : "f");
    if (!varying) return cg_str(g, "%s(%s)", fn, e);
    const char *t = cg_temporary(g, cg_kind_type(g, *kind, true)), *type = cg_kind_type(g, *kind, false);
    cg_call_lanes(g, t, type, fn, 1, &type, &e);
    return t;
}

static bool is_conversion(const struct sp_inst *i)
{
    return cg_is(i, CG_CONVERTS) || i->op == SP_OP_ConvertSToF || i->op == SP_OP_ConvertUToF;
}

/* Converts integers to another width or to floats in all steps but the last (see cg_convert). */
static void step_towards(struct cg *g, enum cg_kind *kind, const char **e, enum cg_kind to)
{
    uint32_t have = cg_kind_bytes(*kind), want = cg_kind_is_small_float(to) ? 4 : cg_kind_bytes(to);
    bool is_signed = g->w->inst->op == SP_OP_SConvert || g->w->inst->op == SP_OP_ConvertSToF;
    if (*kind < CG_U8 || *kind > CG_U64 || to == CG_BOOL) return;
    enum cg_kind near = cg_bits_kind(have < want ? want / 2 : want * 2);
    if (cg_kind_is_float(to)) near = cg_bits_kind(want);
    if ((have < want && 2 * have >= want && !cg_kind_is_float(to)) || (have > want && have <= 2 * want) || have == want)
        return;
    *e = cg_convert(g, *e, *kind, near, is_signed);
    *kind = near;
}

/* Shifts of lanes by a constant within the width use the CPU's instruction. */
static bool write_constant_shift(struct cg *g, uint32_t leaf, enum cg_kind kind, const char *e)
{
    const struct sp_id *d = &g->m->ids[cg_operand(g, 1)];
    uint32_t n = cg_leaves_of(g, d->type)->count;
    if (d->what != SP_IS_CONSTANT || !d->bits || !cg_is_varying(g, g->w->inst->id)) return false;
    uint64_t by = d->bits[n == 1 ? 0 : leaf];
    if (by >= 8 * cg_kind_bytes(kind)) return false;
    switch (g->w->inst->op) {
    case SP_OP_ShiftLeftLogical: e = cg_str(g, "%s << %u", e, (unsigned)by); break;
    case SP_OP_ShiftRightLogical: e = cg_str(g, "%s >> %u", e, (unsigned)by); break;
    case SP_OP_ShiftRightArithmetic:
        e = cg_str(g, "(%s)((%s)%s >> %u)", cg_kind_type(g, kind, true), cg_kind_signed(g, kind, true), e,
                   (unsigned)by);
        break;
    default: return false;
    }
    cg_set_leaf(g, leaf, e);
    return true;
}

static void write_row_of_leaf(struct cg *g, const struct row *r, bool same_width, uint32_t i)
{
    const struct cg_leaves *l = cg_leaves_of(g, g->w->inst->type);
    bool varying = cg_is_varying(g, g->w->inst->id);
    uint32_t n = g->w->inst->count < 4 ? g->w->inst->count : 4;
    if (r->op == SP_OP_ExpectKHR) n = 1;
    enum cg_kind kind[4];
    const char *arg[4];
    for (uint32_t k = 0; k < n; k++) {
        kind[k] = kind_of_leaf(g, cg_operand(g, k), i);
        arg[k] = rounded(g, &kind[k], cg_leaf_use(g, cg_operand(g, k), i, varying), varying);
        if (!same_width || kind[k] == l->leaf[i].kind) continue;
        /* a count too large for the narrower type must stay too large */
        const char *low = cg_kind_bytes(kind[k]) > cg_kind_bytes(l->leaf[i].kind)
                              ? cg_str(g, varying ? "XS(umin_%s)(%s, XS(splat_%s)(255))" : "umin_%s(%s, 255)",
                                       cg_kind_name(kind[k]), arg[k], cg_kind_name(kind[k]))
                              : arg[k];
        arg[k] = cg_resize(g, low, kind[k], l->leaf[i].kind, false, varying);
        kind[k] = l->leaf[i].kind;
    }
    if (same_width && write_constant_shift(g, i, l->leaf[i].kind, arg[0])) return;
    /* saturating rows (without text for vectors) need the whole value */
    if (n == 1 && varying && r->varying && is_conversion(g->w->inst))
        step_towards(g, &kind[0], &arg[0], l->leaf[i].kind);
    if (n == 1 && round_directed(g, i, arg[0], kind[0], l->leaf[i].kind, varying)) return;
    if (n == 1 && converts_double_down(kind[0], l->leaf[i].kind) && g->w->inst->op != SP_OP_CopyObject) {
        narrow_twice(g, i, arg[0], kind[0], l->leaf[i].kind, varying);
    } else if (n == 1 && kind[0] == l->leaf[i].kind && (r->op == SP_OP_CopyObject || r->op == SP_OP_CopyLogical)) {
        cg_set_leaf(g, i, arg[0]);
    } else {
        bool small = r->op == SP_OP_IsNormal && kind[0] == CG_F16; /* normal as a half */
        const char *text = small ? "@is_normal_half_%j" : varying && r->varying ? r->varying : r->uniform;
        cg_set_leaf(g, i, cg_applied(g, l->leaf[i].kind, text, n, kind, arg, varying));
    }
}

static void write_row(struct cg *g, const struct row *r, bool same_width)
{
    struct cg_rolled rolled;
    cg_roll(g, &rolled);
    const struct cg_leaves *l = cg_leaves_of(g, g->w->inst->type);
    CG_EACH_LEAF (i, l) write_row_of_leaf(g, r, same_width, i);
    cg_unroll(&rolled);
}

/* ---- composites */

/* The part named by literal indices: returns its first leaf; `at`: its position. */
static uint32_t find_part(struct cg *g, uint32_t type_id, const uint32_t *index, uint32_t n, struct cg_leaf *at)
{
    uint32_t leaf = 0;
    *at = (struct cg_leaf){CG_U32, 0, "", NULL, 0};
    for (uint32_t i = 0; i < n; i++) {
        const struct sp_type *t = sp_type(g->m, type_id);
        uint32_t k = index[i] < t->count || t->kind == SP_COOPMAT ? index[i] : 0;
        *at = cg_part(g, *at, t, k);
        for (uint32_t m = 0; t->kind == SP_STRUCT && m < k; m++) leaf += cg_leaves_of(g, t->members[m])->count;
        type_id = t->kind == SP_STRUCT ? t->members[k] : t->elem;
        if (t->kind != SP_STRUCT) leaf += k * cg_leaves_of(g, type_id)->count;
    }
    return leaf;
}

/* Sets the part of the result at `at` to value `id`. */
static void set_part(struct cg *g, const struct cg_leaf *at, uint32_t id)
{
    const struct cg_leaves *l = cg_value_leaves(g, id);
    CG_EACH_LEAF (i, l) cg_set_part(g, at, &l->leaf[i], cg_leaf_use(g, id, i, cg_is_varying(g, g->w->inst->id)));
}

/* A component of a built-in variable may be uniform although the variable varies. */
static void write_extract(struct cg *g, const struct cg_leaves *l, bool varying)
{
    uint32_t whole = cg_operand(g, 0), type = g->m->ids[whole].type, builtin, component;
    struct cg_leaf at;
    uint32_t first = find_part(g, type, g->w->inst->operand + 1, g->w->inst->count - 1, &at);
    if (cg_leaves_of(g, type)->many)
        CG_EACH_LEAF (i, l) cg_set_leaf(g, i, cg_part_use(g, whole, &at, &l->leaf[i], varying));
    else if (cg_builtin_component(g, g->w->inst, &builtin, &component))
        cg_set_leaf(g, 0, cg_builtin_item(g, builtin, component, l->leaf[0].kind, varying));
    else
        for (uint32_t i = 0; i < l->count; i++) cg_set_leaf(g, i, cg_leaf_use(g, whole, first + i, varying));
}

static void write_insert(struct cg *g, const struct cg_leaves *l, bool varying)
{
    uint32_t object = cg_operand(g, 0), whole = cg_operand(g, 1), n = cg_value_leaves(g, object)->count;
    struct cg_leaf at;
    uint32_t first = find_part(g, g->w->inst->type, g->w->inst->operand + 2, g->w->inst->count - 2, &at);
    if (l->many) {
        cg_set_whole(g, cg_use_whole(g, whole, varying), varying);
        set_part(g, &at, object);
        return;
    }
    for (uint32_t i = 0; i < l->count; i++) {
        bool inside = i >= first && i - first < n;
        cg_set_leaf(g, i, inside ? cg_leaf_use(g, object, i - first, varying) : cg_leaf_use(g, whole, i, varying));
    }
}

/* A vector with equal components. */
static bool write_repeated(struct cg *g, const struct cg_leaves *l, bool varying)
{
    struct cg_rolled rolled;
    for (uint32_t k = 1; k < g->w->inst->count; k++)
        if (cg_operand(g, k) != cg_operand(g, 0)) return false;
    if (cg_type_of(g, cg_operand(g, 0))->kind == SP_VECTOR) return false;
    cg_roll(g, &rolled);
    if (!rolled.n) return false;
    CG_EACH_LEAF (i, l) cg_set_leaf(g, i, cg_use(g, cg_operand(g, 0), varying));
    cg_unroll(&rolled);
    return true;
}

static void write_construct(struct cg *g, const struct cg_leaves *l, bool varying)
{
    if (write_repeated(g, l, varying)) return;
    uint32_t leaf = 0;
    if (sp_type(g->m, g->w->inst->type)->kind == SP_COOPMAT) { /* all components equal the one constituent */
        while (leaf < l->count) cg_set_leaf(g, leaf++, cg_leaf_use(g, cg_operand(g, 0), 0, varying));
        return;
    }
    for (uint32_t k = 0; k < g->w->inst->count && l->many; k++) {
        struct cg_leaf whole = {CG_U32, 0, "", NULL, 0}, at = cg_part(g, whole, sp_type(g->m, g->w->inst->type), k);
        set_part(g, &at, cg_operand(g, k));
    }
    for (uint32_t k = 0; k < g->w->inst->count && !l->many; k++) {
        uint32_t n = cg_value_leaves(g, cg_operand(g, k))->count;
        for (uint32_t i = 0; i < n; i++) cg_set_leaf(g, leaf++, cg_leaf_use(g, cg_operand(g, k), i, varying));
    }
}

static void write_shuffle(struct cg *g, const struct cg_leaves *l, bool varying)
{
    uint32_t a = cg_operand(g, 0), b = cg_operand(g, 1), n = cg_value_leaves(g, a)->count;
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t from = cg_operand(g, 2 + i);
        if (from == UINT32_MAX) from = 0;
        cg_set_leaf(g, i, from < n ? cg_leaf_use(g, a, from, varying) : cg_leaf_use(g, b, from - n, varying));
    }
}

/* The value that components of a built-in beyond the third have, as in get_global_size(d): 1 for sizes, else 0. NULL if
 * `whole` is not simply loaded from such a variable. Translators leave the test of `d` to the driver. */
static const char *item_beyond(struct cg *g, uint32_t whole, enum cg_kind kind, bool varying)
{
    const struct sp_inst *load = g->m->ids[whole].def;
    uint32_t builtin;
    if (!load || load->op != SP_OP_Load || cg_leaves_of(g, load->type)->count != 3) return NULL;
    const struct cg_private *p = &g->private[load->operand[0]];
    if (!p->variable || p->offset != 0 || !cg_builtin_of(g, p->variable, &builtin)) return NULL;
    return cg_builtin_item(g, builtin, 3, kind, varying);
}

/* Has the vector a C variable, in which a uniform expression can select a component? */
static bool can_index(struct cg *g, uint32_t whole, uint32_t index)
{
    const struct sp_id *d = &g->m->ids[whole];
    return !cg_is_varying(g, index) && d->what == SP_IS_VALUE && d->def->op != SP_OP_Undef &&
           !cg_leaves_of(g, d->type)->many && !cg_leaves_of(g, d->type)->leaf[0].narrow &&
           cg_is_varying(g, whole) == cg_is_varying(g, g->w->inst->id) && !g->private[whole].variable &&
           !cg_shared(g, whole)->forwarded;
}

/* Selects the component whose number equals the index; outside, item_beyond's value or component 0. */
static void write_extract_dynamic(struct cg *g, const struct cg_leaves *l, bool varying)
{
    uint32_t whole = cg_operand(g, 0), index = cg_operand(g, 1);
    uint32_t count = cg_value_leaves(g, whole)->count;
    enum cg_kind kind = l->leaf[0].kind;
    const char *beyond = item_beyond(g, whole, kind, varying);
    if (!beyond && can_index(g, whole, index)) {
        const char *at = cg_use(g, index, false);
        cg_set_leaf(g, 0, cg_str(g, "%s.e[%s < %u ? %s : 0]", cg_variable(g, whole), at, count, at));
        return;
    }
    const char *start = beyond ? beyond : cg_leaf_use(g, whole, 0, varying);
    const char *r = cg_evaluated(g, cg_kind_type(g, kind, varying), start);
    for (uint32_t i = beyond ? 0 : 1; i < count; i++) {
        const char *e = cg_leaf_use(g, whole, i, varying), *at = cg_use(g, index, varying);
        if (varying)
            cg_put(g, "    %s = %s;\n", r,
                   cg_select(g, kind, cg_str(g, "XS_COMPARE(%s, ==, ((__typeof__(%s)){0} + %u))", at, at, i), e, r));
        else
            cg_put(g, "    if (%s == %u) %s = %s;\n", at, i, r, e);
    }
    cg_set_leaf(g, 0, r);
}

static void write_insert_dynamic(struct cg *g, const struct cg_leaves *l, bool varying)
{
    uint32_t whole = cg_operand(g, 0), object = cg_operand(g, 1), index = cg_operand(g, 2);
    for (uint32_t i = 0; i < l->count; i++) {
        const char *old = cg_leaf_use(g, whole, i, varying), *e = cg_use(g, object, varying),
                   *at = cg_use(g, index, varying);
        if (varying)
            e = cg_select(g, l->leaf[i].kind, cg_str(g, "XS_COMPARE(%s, ==, ((__typeof__(%s)){0} + %u))", at, at, i), e,
                          old);
        else
            e = cg_str(g, "%s == %u ? %s : %s", at, i, e, old);
        cg_set_leaf(g, i, e);
    }
}

static void write_select(struct cg *g, const struct cg_leaves *l, bool varying)
{
    struct cg_rolled rolled;
    cg_roll(g, &rolled);
    uint32_t c = cg_operand(g, 0), a = cg_operand(g, 1), b = cg_operand(g, 2);
    CG_EACH_LEAF (i, l) {
        const char *ea = cg_leaf_use(g, a, i, varying), *eb = cg_leaf_use(g, b, i, varying);
        const char *ec = cg_leaf_use(g, c, i, varying);
        cg_set_leaf(g, i, varying ? cg_select(g, l->leaf[i].kind, ec, ea, eb) : cg_str(g, "%s ? %s : %s", ec, ea, eb));
    }
    cg_unroll(&rolled);
}

/* ---- bitcasts: leaves of one size as leaves of another, through the smaller of the two */

static const char *part_of(struct cg *g, const char *e, uint32_t bytes, uint32_t part, uint32_t part_bytes,
                           bool varying)
{
    if (bytes == part_bytes) return e;
    e = cg_str(g, "(%s) >> %u", e, part * part_bytes * 8);
    return cg_resize(g, e, cg_bits_kind(bytes), cg_bits_kind(part_bytes), false, varying);
}

static const char *joined(struct cg *g, const char *low, const char *e, uint32_t part, uint32_t bytes, uint32_t at,
                          bool varying)
{
    const char *wide = cg_resize(g, e, cg_bits_kind(part), cg_bits_kind(bytes), false, varying);
    if (!low) return wide;
    return cg_str(g, varying ? "(%s | %s << %u)" : "(%s | (%s) << %u)", low, wide, at * 8);
}

static void write_bitcast(struct cg *g, const struct cg_leaves *l, bool varying)
{
    uint32_t from = cg_operand(g, 0);
    const struct cg_leaves *a = cg_value_leaves(g, from), *b = l;
    if (!a->count || !b->count) return;
    uint32_t na = cg_kind_bytes(a->leaf[0].kind), nb = cg_kind_bytes(b->leaf[0].kind);
    for (uint32_t i = 0; i < b->count; i++) {
        const char *e = NULL;
        if (na >= nb) {
            uint32_t at = i * nb / na;
            e = cg_to_bits(g, a->leaf[0].kind, varying, cg_leaf_use(g, from, at, varying));
            e = part_of(g, e, na, i % (na / nb), nb, varying);
        } else {
            for (uint32_t k = 0; k < nb / na; k++) {
                const char *p = cg_leaf_use(g, from, i * (nb / na) + k, varying);
                e = joined(g, e, cg_to_bits(g, a->leaf[0].kind, varying, p), na, nb, k * na, varying);
            }
        }
        cg_set_leaf(g, i, cg_from_bits(g, b->leaf[i].kind, varying, e));
    }
}

/* ---- reductions over the components of a vector */

static void write_any_all(struct cg *g, const struct cg_leaves *l, bool varying)
{
    uint32_t count = cg_value_leaves(g, cg_operand(g, 0))->count;
    (void)l;
    const char *e = cg_leaf_use(g, cg_operand(g, 0), 0, varying);
    for (uint32_t i = 1; i < count; i++) {
        e = cg_str(g, g->w->inst->op == SP_OP_Any ? "%s | %s" : "%s & %s", e,
                   cg_leaf_use(g, cg_operand(g, 0), i, varying));
    }
    cg_set_leaf(g, 0, e);
}

static void write_dot(struct cg *g, const struct cg_leaves *l, bool varying)
{
    uint32_t count = cg_value_leaves(g, cg_operand(g, 0))->count;
    enum cg_kind kind = l->leaf[0].kind;
    const char *sum = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const char *a = cg_leaf_use(g, cg_operand(g, 0), i, varying), *b = cg_leaf_use(g, cg_operand(g, 1), i, varying);
        a = cg_widen(g, kind, varying, a);
        b = cg_widen(g, kind, varying, b);
        sum = sum ? cg_str(g, "%s + %s * %s", sum, a, b) : cg_str(g, "%s * %s", a, b);
    }
    cg_set_leaf(g, 0, sum ? cg_narrow(g, kind, varying, sum) : "0");
}

/* Component i of an operand of an integer dot product as 64 bits; a scalar operand holds four of 8 bits. */
static const char *dot_component(struct cg *g, uint32_t id, uint32_t i, bool is_signed, bool varying)
{
    const struct cg_leaves *l = cg_value_leaves(g, id);
    enum cg_kind kind = l->leaf[0].kind;
    const char *e = cg_leaf_use(g, id, l->count == 1 ? 0 : i, varying), *sign = is_signed ? "i" : "u";
    if (l->count == 1)
        e = cg_str(g, is_signed ? "((i32%s)(%s << %u) >> 24)" : "(u32%s)((%s >> %u) & 255u)", varying ? "x" : "", e,
                   is_signed ? 24 - 8 * i : 8 * i);
    else
        e = cg_str(g, "(%s)%s", is_signed ? cg_kind_signed(g, kind, varying) : cg_kind_type(g, kind, varying), e);
    return cg_str(g, varying ? "(u64x)XS_CONVERT(%s, %s64x)" : "(u64)(%s64)(%s)", varying ? e : sign,
                  varying ? sign : e);
}

/* The difference of two pointers in elements. */
static void write_pointer_difference(struct cg *g, const struct cg_leaves *l, bool varying)
{
    const struct sp_type *p = cg_type_of(g, cg_operand(g, 0));
    uint64_t size = sp_type(g->m, p->elem)->size;
    enum cg_kind kind = l->leaf[0].kind;
    const char *a = cg_use(g, cg_operand(g, 0), varying), *b = cg_use(g, cg_operand(g, 1), varying);
    const char *e = cg_str(g, "((i64%s)(%s - %s) / %lld)", varying ? "x" : "", a, b, (long long)(size ? size : 1));
    cg_set_leaf(g, 0, cg_resize(g, varying ? cg_str(g, "(u64x)%s", e) : e, CG_U64, kind, false, varying));
}

/* OpSDot and its variants: products and their sum in 64 bits; the accumulator is added with saturation to the result's
 * width. */
static void write_integer_dot(struct cg *g, const struct cg_leaves *l, bool varying)
{
    uint16_t op = g->w->inst->op;
    uint32_t n = cg_value_leaves(g, cg_operand(g, 0))->count, a = cg_operand(g, 0), b = cg_operand(g, 1);
    bool accumulates = op >= SP_OP_SDotAccSat;
    bool a_signed = op != SP_OP_UDot && op != SP_OP_UDotAccSat, b_signed = op == SP_OP_SDot || op == SP_OP_SDotAccSat;
    enum cg_kind kind = l->leaf[0].kind;
    const char *sum = cg_evaluated(g, varying ? "u64x" : "u64", varying ? "(u64x){0}" : "0");
    const char *type = cg_kind_type(g, kind, varying);
    for (uint32_t i = 0; i < (n == 1 ? 4 : n); i++)
        cg_put(g, "    %s += %s * %s;\n", sum, dot_component(g, a, i, a_signed, varying),
               dot_component(g, b, i, b_signed, varying));
    if (accumulates) {
        const char *acc = cg_temporary(g, varying ? "u64x" : "u64"), *add = a_signed ? "sadd_sat_u64" : "uadd_sat_u64";
        const char *e = cg_leaf_use(g, cg_operand(g, 2), 0, varying), *fit = a_signed ? "sat_s_to_s" : "sat_u_to_u";
        e = cg_str(g, "(%s)%s", a_signed ? cg_kind_signed(g, kind, varying) : type, e);
        cg_put(g, varying ? "    %s = (u64x)XS_CONVERT(%s, %s64x);\n" : "    %s = (u64)%s;\n", acc, e,
               a_signed ? "i" : "u");
        if (varying) {
            const char *r = cg_temporary(g, type), *scalar = cg_kind_type(g, kind, false);
            const char *types[2] = {"u64", "u64"}, *args[2] = {sum, acc};
            cg_call_lanes(g, sum, "u64", add, 2, types, args);
            cg_call_lanes(g, r, scalar, cg_str(g, "%s_u64_%s", fit, cg_kind_name(kind)), 1, types, args);
            cg_set_leaf(g, 0, r);
        } else {
            cg_set_leaf(g, 0, cg_str(g, "%s_u64_%s(%s(%s, %s))", fit, cg_kind_name(kind), add, sum, acc));
        }
        return;
    }
    cg_set_leaf(g, 0, cg_resize(g, sum, CG_U64, kind, false, varying));
}

/* {low, high} or {sum, carry}: a structure of two. */
static void write_wide(struct cg *g, const struct cg_leaves *l, bool varying)
{
    static const struct {
        uint16_t op;
        const char *low[2], *high[2]; /* of uniform, of varying values */
    } table[] = {
        {SP_OP_IAddCarry, {"(%t)(%0 + %1)", "%0 + %1"}, {"(%t)((%t)(%0 + %1) < %0)", "-(%t)(%0 + %1 < %0)"}},
        {SP_OP_ISubBorrow, {"(%t)(%0 - %1)", "%0 - %1"}, {"(%t)(%0 < %1)", "-(%t)(%0 < %1)"}},
        {SP_OP_UMulExtended, {"(%t)(1u * %0 * %1)", "%0 * %1"}, {"@umul_hi_%k", "@umul_hi_%k"}},
        {SP_OP_SMulExtended, {"(%t)(1u * %0 * %1)", "%0 * %1"}, {"@smul_hi_%k", "@smul_hi_%k"}},
    };
    uint32_t n = cg_value_leaves(g, cg_operand(g, 0))->count, r = 0;
    while (table[r].op != g->w->inst->op) r++;
    for (uint32_t i = 0; i < n; i++) {
        enum cg_kind kind = l->leaf[i].kind, two[2] = {kind, kind};
        const char *args[2] = {cg_leaf_use(g, cg_operand(g, 0), i, varying),
                               cg_leaf_use(g, cg_operand(g, 1), i, varying)};
        cg_set_leaf(g, i, cg_applied(g, kind, table[r].low[varying], 2, two, args, varying));
        cg_set_leaf(g, i + n, cg_applied(g, kind, table[r].high[varying], 2, two, args, varying));
    }
}

static void write_size_of(struct cg *g, const struct cg_leaves *l, bool varying)
{
    const struct sp_type *p = cg_type_of(g, cg_operand(g, 0));
    (void)varying;
    cg_set_uniform(g, 0, cg_literal(g, l->leaf[0].kind, sp_type(g->m, p->elem)->size));
}

/* Each gets the leaves of the result, and whether it varies. */
static const struct {
    uint16_t op;
    void (*write)(struct cg *g, const struct cg_leaves *l, bool varying);
} writers[] = {
    {SP_OP_CompositeExtract, write_extract},
    {SP_OP_CompositeInsert, write_insert},
    {SP_OP_CompositeConstruct, write_construct},
    {SP_OP_SampledImage, write_construct}, /* of an image and a sampler */
    {SP_OP_VectorShuffle, write_shuffle},
    {SP_OP_VectorExtractDynamic, write_extract_dynamic},
    {SP_OP_VectorInsertDynamic, write_insert_dynamic},
    {SP_OP_Select, write_select},
    {SP_OP_Bitcast, write_bitcast},
    {SP_OP_Any, write_any_all},
    {SP_OP_All, write_any_all},
    {SP_OP_Dot, write_dot},
    {SP_OP_SizeOf, write_size_of},
    {SP_OP_PtrDiff, write_pointer_difference},
    {SP_OP_SDot, write_integer_dot},
    {SP_OP_UDot, write_integer_dot},
    {SP_OP_SUDot, write_integer_dot},
    {SP_OP_SDotAccSat, write_integer_dot},
    {SP_OP_UDotAccSat, write_integer_dot},
    {SP_OP_SUDotAccSat, write_integer_dot},
    {SP_OP_IAddCarry, write_wide},
    {SP_OP_ISubBorrow, write_wide},
    {SP_OP_UMulExtended, write_wide},
    {SP_OP_SMulExtended, write_wide},
};

bool cg_write_simple(struct cg *g)
{
    uint16_t op = g->w->inst->op;
    const struct row *r;
    if (g->w->inst->id && g->private[g->w->inst->id].variable) return false; /* a pointer that needs no code */
    for (size_t k = 0; k < sizeof writers / sizeof *writers; k++) {
        if (writers[k].op != op) continue;
        writers[k].write(g, cg_leaves_of(g, g->w->inst->type), cg_is_varying(g, g->w->inst->id));
        return true;
    }
    if ((op == SP_OP_CopyObject || op == SP_OP_CopyLogical) && cg_leaves_of(g, g->w->inst->type)->many) {
        set_part(g, &(struct cg_leaf){CG_U32, 0, "", NULL, 0}, cg_operand(g, 0));
        return true;
    }
    if (sp_decorated(g->m, g->w->inst->id, SP_DECORATION_SaturatedConversion) &&
        (r = find_row(saturated, sizeof saturated / sizeof *saturated, op)))
        write_row(g, r, false);
    else if ((r = find_row(in_line, sizeof in_line / sizeof *in_line, op)) && is_in_line(g))
        write_row(g, r, false);
    else if ((r = find_row(rows, sizeof rows / sizeof *rows, op)))
        write_row(g, r, false);
    else if ((r = find_row(shifts, sizeof shifts / sizeof *shifts, op)))
        write_row(g, r, true);
    return r != NULL;
}
