/* scalars.c - scalars and vectors of lanes as C, whatever they represent: type names, literals, conversions, and the
 * lanes of an affine value.
 */
#include "codegen.h"

#include <string.h>

enum cg_kind cg_kind_of(struct cg *g, uint32_t id) { return cg_leaves_of(g, g->m->ids[id].type)->leaf[0].kind; }

static const char *step_text(struct cg *g, uint32_t id)
{
    enum cg_kind kind = cg_kind_of(g, id);
    return cg_str(g, "(%s)%lldll", cg_kind_type(g, kind, false), (long long)cg_affine(g, id)->step);
}

const char *cg_affine_lanes(struct cg *g, uint32_t id, const char *own)
{
    const char *e = cg_str(g, "XS(affine_%s)(%s, %s)", cg_kind_name(cg_kind_of(g, id)), own, step_text(g, id));
    return cg_affine(g, id)->checked ? cg_str(g, "(%s ? %s : %s)", cg_var(g, "ok", id), e, cg_var(g, "w", id)) : e;
}

const char *cg_affine_lane(struct cg *g, uint32_t id, const char *lane)
{
    const char *type = cg_kind_type(g, cg_kind_of(g, id), false);
    const char *e = cg_str(g, "(%s)(%s + %s * (%s)(%s))", type, cg_var(g, "v", id), step_text(g, id), type, lane);
    if (!cg_affine(g, id)->checked) return e;
    return cg_str(g, "(%s ? %s : %s[%s])", cg_var(g, "ok", id), e, cg_var(g, "w", id), lane);
}

/* ---- kinds */

static const struct {
    const char *name, *uniform, *varying, *s_uniform, *s_varying;
} kinds[] = {
    [CG_BOOL] = {"i32", "i32", "i32x", "i32", "i32x"},  [CG_U8] = {"u8", "u8", "u8x", "i8", "i8x"},
    [CG_U16] = {"u16", "u16", "u16x", "i16", "i16x"},   [CG_U32] = {"u32", "u32", "u32x", "i32", "i32x"},
    [CG_U64] = {"u64", "u64", "u64x", "i64", "i64x"},   [CG_F32] = {"f32", "f32", "f32x", "f32", "f32x"},
    [CG_F64] = {"f64", "f64", "f64x", "f64", "f64x"},   [CG_F16] = {"f16", "u16", "u16x", "i16", "i16x"},
    [CG_BF16] = {"bf16", "u16", "u16x", "i16", "i16x"}, [CG_E4M3] = {"e4m3", "u8", "u8x", "i8", "i8x"},
    [CG_E5M2] = {"e5m2", "u8", "u8x", "i8", "i8x"},
};

const char *cg_kind_name(enum cg_kind kind) { return kinds[kind].name; }

const char *cg_kind_type(struct cg *g, enum cg_kind kind, bool varying)
{
    (void)g;
    return varying ? kinds[kind].varying : kinds[kind].uniform;
}

const char *cg_kind_signed(struct cg *g, enum cg_kind kind, bool varying)
{
    (void)g;
    return varying ? kinds[kind].s_varying : kinds[kind].s_uniform;
}

const char *cg_type_name(struct cg *g, uint32_t type_id, bool varying)
{
    const struct sp_type *t = sp_type(g->m, type_id);
    enum cg_kind kind;
    if (t->kind == SP_VOID) return "void";
    if (cg_kind_of_type(t, &kind)) return cg_kind_type(g, kind, varying);
    if (varying) return cg_str(g, "c%ux%u", type_id, g->S);
    return cg_str(g, "c%u", type_id);
}

const char *cg_literal(struct cg *g, enum cg_kind kind, uint64_t bits)
{
    switch (kind) {
    case CG_BOOL: return bits ? "-1" : "0";
    case CG_F32: return cg_str(g, "f32_bits(0x%xu)", (unsigned)bits);
    case CG_F64: return cg_str(g, "f64_bits(0x%llxu)", (unsigned long long)bits);
    case CG_U64: return cg_str(g, "(u64)0x%llxu", (unsigned long long)bits);
    case CG_U32: return cg_str(g, "%uu", (unsigned)bits);
    default: return cg_str(g, "(%s)%uu", kinds[kind].uniform, (unsigned)bits);
    }
}

const char *cg_splat(struct cg *g, enum cg_kind kind, const char *e)
{
    return cg_str(g, "XS(splat_%s)(%s)", kinds[kind].uniform, e);
}

const char *cg_select(struct cg *g, enum cg_kind kind, const char *mask, const char *a, const char *b)
{
    return cg_str(g, "XS(sel_%s)(%s, %s, %s)", kinds[kind].uniform, mask, a, b);
}

const char *cg_widen(struct cg *g, enum cg_kind kind, bool varying, const char *e)
{
    if (!cg_kind_is_small_float(kind)) return e;
    return cg_str(g, varying ? "XS(%s_to_f32)(%s)" : "%s_to_f32(%s)", kinds[kind].name, e);
}

const char *cg_narrow(struct cg *g, enum cg_kind kind, bool varying, const char *e)
{
    const char *how = "";
    if (!cg_kind_is_small_float(kind)) return e;
    if (kind == CG_E4M3 || kind == CG_E5M2)
        how = g->w->inst && g->w->inst->id &&
                      sp_decorated(g->m, g->w->inst->id, SP_DECORATION_SaturatedToLargestFloat8NormalConversionEXT)
                  ? "_sat"
                  : "_rne";
    return cg_str(g, varying ? "XS(f32_to_%s%s)(%s)" : "f32_to_%s%s(%s)", kinds[kind].name, how, e);
}

/* Converts a lane vector of integers to `to` (integers or floats) by doubling or halving, because gcc 12 splits longer
 * steps into scalars. */
const char *cg_convert(struct cg *g, const char *e, enum cg_kind from, enum cg_kind to, bool is_signed)
{
    uint32_t bytes = cg_kind_bytes(from), last = cg_kind_bytes(to);
    if (from == CG_BOOL) bytes = 4, is_signed = true;
    if (to == CG_BOOL) last = 4;
    enum cg_kind kind = cg_bits_kind(bytes);
    e = cg_str(g, "(%s)(%s)", is_signed ? cg_kind_signed(g, kind, true) : cg_kind_type(g, kind, true), e);
    while (bytes != last) {
        bytes = bytes < last ? bytes * 2 : bytes / 2;
        kind = cg_bits_kind(bytes);
        e = cg_str(g, "XS_CONVERT(%s, %s)", e, is_signed ? cg_kind_signed(g, kind, true) : cg_kind_type(g, kind, true));
    }
    if (to == CG_F32 || to == CG_F64) return cg_str(g, "XS_CONVERT(%s, %s)", e, kinds[to].varying);
    return cg_str(g, "(%s)%s", kinds[to].varying, e);
}

const char *cg_resize(struct cg *g, const char *e, enum cg_kind from, enum cg_kind to, bool is_signed, bool varying)
{
    const char *type = cg_kind_type(g, to, false);
    if (varying) return cg_convert(g, e, from, to, is_signed);
    if (!is_signed) return cg_str(g, "(%s)(%s)", type, e);
    return cg_str(g, "(%s)(%s)(%s)%s", type, cg_kind_signed(g, to, false), cg_kind_signed(g, from, false), e);
}

const char *cg_to_bits(struct cg *g, enum cg_kind kind, bool varying, const char *e)
{
    if (kind == CG_BOOL)
        return varying ? cg_str(g, "(%s & 1)", cg_convert(g, e, CG_BOOL, CG_U8, true)) : cg_str(g, "(u8)(%s & 1)", e);
    if (kind != CG_F32 && kind != CG_F64) return e;
    if (varying) return cg_str(g, "(%s)(%s)", kind == CG_F32 ? "u32x" : "u64x", e);
    return cg_str(g, "bits_%s(%s)", kinds[kind].name, e);
}

const char *cg_from_bits(struct cg *g, enum cg_kind kind, bool varying, const char *e)
{
    if (kind == CG_BOOL)
        return varying ? cg_str(g, "-%s", cg_convert(g, cg_str(g, "%s & 1", e), CG_U8, CG_BOOL, false))
                       : cg_str(g, "-(i32)(%s & 1)", e);
    if (kind != CG_F32 && kind != CG_F64) return e;
    if (varying) return cg_str(g, "(%s)(%s)", kinds[kind].varying, e);
    return cg_str(g, "%s_bits(%s)", kinds[kind].name, e);
}

const char *cg_temporary(struct cg *g, const char *type)
{
    const char *name = cg_str(g, "t%u", g->w->temporaries++);
    cg_put(g, "    %s %s;\n", type, name);
    return name;
}

const char *cg_evaluated(struct cg *g, const char *type, const char *e)
{
    const char *name = cg_temporary(g, type);
    cg_put(g, "    %s = %s;\n", name, e);
    return name;
}
