/* decorations.c - decorations: which exist, with which literals, and what may have them. */
#include "internal.h"
#include "needed.h"

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
