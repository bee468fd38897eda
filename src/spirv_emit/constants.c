/* constants.c - unique constants (for vector types the scalar is repeated), names and decorations. */
#include "internal.h"
#include "needed.h"

spe_id spe_composite_const(spe_module *m, spe_id type, uint32_t n, const spe_id *parts)
{
    const spe_type_info *t = spe_want_type_(m, __func__, type);
    uint32_t *w, flags = SPE_ID_CONSTANT_;
    spe_id id;
    if (!t) return 0;
    if (!n || n != spe_part_count_(t)) return SPE_ERROR_(m, TYPE, "%u parts for %s", n, spe_text_(m, type));
    for (uint32_t i = 0; i < n; i++) {
        spe_id part_type = t->kind == SPE_KIND_STRUCT ? t->members[i] : t->elem;
        const spe_record_ *r = parts[i] && parts[i] < m->id_count ? &m->ids[parts[i]] : NULL;
        if (!r || !(r->flags & SPE_ID_CONSTANT_)) return SPE_ERROR_(m, NO_VALUE, "part %u is not a constant", i);
        if (r->type != part_type) return SPE_ERROR_(m, TYPE, "part %u is %s", i, spe_text_(m, r->type));
        flags |= r->flags;
    }
    w = spe_push_(m, SPE_BUFFER_STACK_, n + 1);
    if (!w) return 0;
    w[0] = type;
    memcpy(w + 1, parts, n * sizeof *parts);
    id = spe_unique_(m, flags & SPE_ID_SPEC_ ? SPE_OpSpecConstantComposite : SPE_OpConstantComposite, flags, n + 1, w);
    m->buffer[SPE_BUFFER_STACK_].count -= n + 1;
    return id;
}

/* An array of n copies of an id: `few` if it is large enough, else allocated; NULL if out of memory. */
XE_FN_ spe_id *spe_repeat_(spe_module *m, spe_id id, uint32_t n, spe_id few[16])
{
    spe_id *part = n > 16 ? (spe_id *)spe_alloc(m, n * sizeof *part) : few;
    for (uint32_t i = 0; i < n && part; i++) part[i] = id;
    return part;
}

static spe_id spe_const_splat_(spe_module *m, spe_id type, uint64_t bits)
{
    spe_type_info t = spe_info(m, type);
    spe_id few[16], one, *part;
    if (t.bits) return spe_const_scalar_(m, type, bits);
    one = spe_const_scalar_(m, t.elem, bits);
    part = one ? spe_repeat_(m, one, spe_part_count_(&t), few) : NULL;
    return part ? spe_composite_const(m, type, spe_part_count_(&t), part) : 0;
}

/* The scalar of a constant's type; NULL and an error if there is none. */
static const spe_type_info *spe_want_scalar_(spe_module *m, const char *name, spe_id type)
{
    const spe_type_info *t = spe_want_type_(m, name, type), *s = t ? spe_info_(m, spe_scalar_of(m, type)) : NULL;
    if (!s || s->bits) return s;
    m->doing = name;
    spe_error_(m, SPE_ERR_TYPE, "no such constant of %s", spe_text_(m, type));
    return NULL;
}

spe_id spe_const_f(spe_module *m, spe_id type, double value)
{
    const spe_type_info *t = spe_want_scalar_(m, __func__, type);
    uint64_t bits;
    if (!t) return 0;
    if (t->kind != SPE_KIND_FLOAT || !spe_encode_scalar_(t, value, &bits))
        return SPE_ERROR_(m, TYPE, "%s is not a float type", spe_text_(m, type));
    return spe_const_splat_(m, type, bits);
}

/* An integer as a constant of a float type; rounded once, which by way of a double it would not be. */
static spe_id spe_const_whole_(spe_module *m, spe_id type, const spe_type_info *t, uint64_t magnitude, bool negative)
{
    uint64_t bits;
    if (!spe_encode_int_(t, magnitude, negative, &bits))
        return SPE_ERROR_(m, TYPE, "%s is not a float type", spe_text_(m, type));
    return spe_const_splat_(m, type, bits);
}

spe_id spe_const_u(spe_module *m, spe_id type, uint64_t value)
{
    const spe_type_info *t = spe_want_scalar_(m, __func__, type);
    if (!t) return 0;
    if (t->kind == SPE_KIND_FLOAT) return spe_const_whole_(m, type, t, value, false);
    if (value <= spe_mask_(t->bits)) return spe_const_splat_(m, type, value);
    return SPE_ERROR_(m, RANGE, "%llu does not fit in %u bits", (unsigned long long)value, t->bits);
}

spe_id spe_const_i(spe_module *m, spe_id type, int64_t value)
{
    const spe_type_info *t = spe_want_scalar_(m, __func__, type);
    if (!t) return 0;
    if (t->kind == SPE_KIND_FLOAT)
        return spe_const_whole_(m, type, t, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
    int64_t limit = t->bits == 1 ? 1 : (int64_t)(spe_mask_(t->bits) >> 1);
    if (value > limit || value < (t->bits == 1 ? 0 : -limit - 1))
        return SPE_ERROR_(m, RANGE, "%lld does not fit in %u bits with a sign", (long long)value, t->bits);
    return spe_const_splat_(m, type, (uint64_t)value & spe_mask_(t->bits));
}

spe_id spe_const_bool(spe_module *m, bool value) { return spe_const_scalar_(m, spe_bool(m), value); }
spe_id spe_i32(spe_module *m, int32_t value) { return spe_u32(m, (uint32_t)value); }
spe_id spe_u64(spe_module *m, uint64_t value) { return spe_const_scalar_(m, spe_int(m, 64), value); }
spe_id spe_f32(spe_module *m, float value) { return spe_const_f(m, spe_float(m, 32), spe_real_of_f32(value)); }

spe_id spe_null(spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_want_type_(m, __func__, type);
    if (!t) return 0;
    if (!spe_is_stored_(t)) return SPE_ERROR_(m, TYPE, "there is no null of %s", spe_text_(m, type));
    return t->bits ? spe_const_scalar_(m, type, 0) : spe_unique_(m, SPE_OpConstantNull, SPE_ID_CONSTANT_, 1, &type);
}

spe_id spe_undef(spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_want_type_(m, __func__, type);
    if (!t) return 0;
    if (!spe_is_stored_(t)) return SPE_ERROR_(m, TYPE, "there is no undefined %s", spe_text_(m, type));
    return spe_unique_(m, SPE_OpUndef, SPE_ID_CONSTANT_, 1, &type);
}

spe_id spe_spec_const(spe_module *m, spe_id type, uint64_t bits, uint32_t spec_id)
{
    const spe_type_info *t = spe_want_type_(m, __func__, type);
    uint32_t op = SPE_OpSpecConstant;
    if (!t) return 0;
    if (!t->bits) return SPE_ERROR_(m, TYPE, "a spec constant is a scalar, not %s", spe_text_(m, type));
    if (bits > spe_mask_(t->bits)) return SPE_ERROR_(m, RANGE, "the default does not fit in %u bits", t->bits);
    int words = t->bits == 64 ? 2 : 1;
    if (t->kind == SPE_KIND_BOOL) words = 0, op = bits ? SPE_OpSpecConstantTrue : SPE_OpSpecConstantFalse;
    spe_id id = spe_new_id_(m, type, SPE_ID_CONSTANT_ | SPE_ID_SPEC_, 0);
    if (!id || !spe_write_(m, SPE_SECTION_GLOBAL_, op, words + 2, type, id, (uint32_t)bits, (uint32_t)(bits >> 32)))
        return 0;
    spe_decorate(m, id, SPE_DecorationSpecId, 1, &spec_id);
    return id;
}

/* -- names and decorations --------------------------------------------------------------------------------------- */

void spe_name(spe_module *m, spe_id id, const char *name)
{
    if (m->error.id || !name) return;
    if (!id || id >= m->id_count) SPE_ERROR_(m, NO_VALUE, "%u is not an id", id);
    spe_own_struct_(m, id);
    spe_named_ *row = (spe_named_ *)spe_list_add(m, &m->named, sizeof *row);
    if (!row) return;
    row->id = id;
    row->name = (const char *)spe_copied_(m, name, strlen(name) + 1);
    if (!m->options.names) return;
    uint32_t *at = spe_put_(m, SPE_SECTION_NAME_, SPE_OpName, spe_text_words_(name) + 1);
    if (!at) return;
    at[0] = id;
    spe_put_text_(at + 1, name);
}

/* The largest value of a decoration's last literal, where it is one of few; else UINT32_MAX. */
static uint32_t spe_largest_literal_(uint32_t decoration)
{
    switch (decoration) {
    case SPE_DecorationFuncParamAttr: return 7; /* NoReadWrite */
    case SPE_DecorationFPRoundingMode: return SPE_FPRoundingModeRTN;
    case SPE_DecorationLinkageAttributes: return 2; /* LinkOnceODR */
    case SPE_DecorationCacheControlLoadINTEL: return SPE_LoadCacheControlConstCachedINTEL;
    case SPE_DecorationCacheControlStoreINTEL: return SPE_StoreCacheControlStreamingINTEL;
    default: return UINT32_MAX;
    }
}

/* Is it a decoration of SPIR-V, with such literals, where that is known here? Else an error. */
static bool spe_is_decoration_(spe_module *m, uint32_t decoration, uint32_t n, const uint32_t *words)
{
#define SPE_ROW_(first, last) {first, last},
    static const struct {
        uint16_t first, last;
    } known[] = {SPE_DECORATIONS_KNOWN_(SPE_ROW_)};
#undef SPE_ROW_
    uint32_t want = n;
    bool found = false;
    switch (decoration) {
    case SPE_DecorationCPacked: case SPE_DecorationRestrict: case SPE_DecorationAliased: case SPE_DecorationVolatile:
    case SPE_DecorationConstant: case SPE_DecorationCoherent: case SPE_DecorationNonWritable:
    case SPE_DecorationNonReadable: case SPE_DecorationSaturatedConversion: case SPE_DecorationNoSignedWrap:
    case SPE_DecorationNoUnsignedWrap: case SPE_DecorationSaturatedToLargestFloat8NormalConversionEXT: want = 0; break;
    case SPE_DecorationSpecId: case SPE_DecorationBuiltIn: case SPE_DecorationFuncParamAttr:
    case SPE_DecorationFPRoundingMode: case SPE_DecorationFPFastMathMode: case SPE_DecorationAlignment:
    case SPE_DecorationMaxByteOffset: want = 1; break;
    case SPE_DecorationCacheControlLoadINTEL: case SPE_DecorationCacheControlStoreINTEL: want = 2; break;
    case SPE_DecorationLinkageAttributes: case SPE_DecorationHostAccessINTEL: want = n < 2 ? 2 : n; break;
    default:
        for (size_t i = 0; i < sizeof known / sizeof *known && !found; i++)
            found = decoration >= known[i].first && decoration <= known[i].last;
        if (!found) return spe_error_(m, SPE_ERR_RANGE, "there is no decoration %u", decoration);
        break;
    }
    if (n != want)
        return spe_error_(m, SPE_ERR_RANGE, "decoration %u has %u literals, not %u", decoration, want, n);
    if (!n || words[n - 1] <= spe_largest_literal_(decoration)) return true;
    return spe_error_(m, SPE_ERR_RANGE, "the literal %u of decoration %u; the largest is %u", words[n - 1], decoration,
                      spe_largest_literal_(decoration));
}

/* May the id be decorated so? Else an error. A struct becomes a type of its own. */
static bool spe_may_decorate_(spe_module *m, const char *name, spe_id id, uint32_t decoration, uint32_t n,
                              const uint32_t *words)
{
    m->doing = name;
    if (m->error.id || !spe_is_decoration_(m, decoration, n, words)) return false;
    const spe_type_info *t = spe_info_(m, id);
    uint32_t flags = m->ids[id].flags;
    if (decoration == SPE_DecorationCPacked && (!t || t->kind != SPE_KIND_STRUCT))
        return spe_error_(m, SPE_ERR_TYPE, "%s is not a struct: only these are packed", spe_text_(m, id));
    if (t && t->shared)
        return spe_error_(m, SPE_ERR_TYPE, "the struct was asked for more than once and would be decorated for all; "
                          "spe_struct_new makes one of its own");
    if ((flags & SPE_ID_CONSTANT_) && !(flags & SPE_ID_SPEC_))
        return spe_error_(m, SPE_ERR_TYPE, "%u is a constant, perhaps a folded one, and shared with all its uses; "
                          "spe_op writes the instruction", id);
    if (flags & SPE_ID_FOLDED_)
        return spe_error_(m, SPE_ERR_TYPE, "an operation returned value %u as it is (x + 0), so that both would be "
                          "decorated; spe_copy makes another id for it", id);
    spe_own_struct_(m, id);
    return !m->error.id;
}

void spe_decorate(spe_module *m, spe_id id, uint32_t decoration, uint32_t n, const uint32_t *words)
{
    uint32_t head[2] = {id, decoration};
    if (m->error.id) return;
    if (!id || id >= m->id_count) SPE_ERROR_(m, NO_VALUE, "%u is not an id", id);
    if (!spe_may_decorate_(m, __func__, id, decoration, n, words)) return;
    if (!spe_write_words_(m, SPE_SECTION_DECORATION_, SPE_OpDecorate, 2, head, n, words)) return;
    spe_need_(m, SPE_NEED_DECORATION_, decoration);
    if (decoration == SPE_DecorationCPacked) m->types[m->ids[id].aux].packed = true;
    if (decoration == SPE_DecorationBuiltIn && n) spe_need_(m, SPE_NEED_BUILTIN_, words[0]);
}

void spe_decorate_member(spe_module *m, spe_id type, uint32_t member, uint32_t decoration, uint32_t n,
                         const uint32_t *words)
{
    const spe_type_info *t = spe_want_type_(m, __func__, type);
    uint32_t head[3] = {type, member, decoration};
    if (t && (t->kind != SPE_KIND_STRUCT || member >= t->count))
        SPE_ERROR_(m, RANGE, "%s has no member %u", spe_text_(m, type), member);
    if (!t || !spe_may_decorate_(m, __func__, type, decoration, n, words)) return;
    if (spe_write_words_(m, SPE_SECTION_DECORATION_, SPE_OpMemberDecorate, 3, head, n, words))
        spe_need_(m, SPE_NEED_DECORATION_, decoration);
}
