/* decorations.c - decorations: which exist, with which literals, and what may have them. */
#include "internal.h"
#include "needed.h"

/* What may be decorated: bits. */
enum {
    SPE_ON_STRUCT_ = 1, SPE_ON_FUNCTION_ = 2, SPE_ON_GLOBAL_ = 4, SPE_ON_INPUT_ = 8 /* a variable in that class */,
    SPE_ON_VARIABLE_ = 16, SPE_ON_PRIVATE_ = 32 /* a variable of the invocation */, SPE_ON_PARAMETER_ = 64,
    SPE_ON_POINTER_ = 128 /* any */, SPE_ON_SUM_ = 256, SPE_ON_NEGATION_ = 512, SPE_ON_FLOAT_CONVERSION_ = 1024,
    SPE_ON_INTEGER_CONVERSION_ = 2048, SPE_ON_INSTRUCTION_ = 4096,
    SPE_ON_MEMORY_ = 8192 /* a variable, or a parameter that is a pointer */
};

typedef struct {
    uint16_t decoration, literals; /* literals 255: any number, but 2 at least */
    uint16_t targets, largest;     /* largest value of the last literal; 0: any */
} spe_decoration_;

/* The row of a decoration with a name here; NULL: it has none. */
static const spe_decoration_ *spe_decoration_of_(uint32_t decoration)
{
#define SPE_ROW_(name, literals, targets, largest) {SPE_Decoration##name, literals, targets, largest},
    static const spe_decoration_ rows[] = {
        SPE_ROW_(SpecId, 1, 0, 0) /* spe_spec_const writes it */
        SPE_ROW_(CPacked, 0, SPE_ON_STRUCT_, 0) SPE_ROW_(BuiltIn, 1, SPE_ON_INPUT_, 0)
        SPE_ROW_(Restrict, 0, SPE_ON_MEMORY_, 0) SPE_ROW_(Aliased, 0, SPE_ON_MEMORY_, 0)
        SPE_ROW_(Volatile, 0, SPE_ON_MEMORY_, 0) SPE_ROW_(Constant, 0, SPE_ON_VARIABLE_, 0)
        SPE_ROW_(Coherent, 0, SPE_ON_MEMORY_, 0) SPE_ROW_(NonWritable, 0, SPE_ON_PRIVATE_, 0)
        SPE_ROW_(NonReadable, 0, SPE_ON_PRIVATE_, 0) SPE_ROW_(SaturatedConversion, 0, SPE_ON_INTEGER_CONVERSION_, 0)
        SPE_ROW_(FuncParamAttr, 1, SPE_ON_PARAMETER_, 7) SPE_ROW_(FPRoundingMode, 1, SPE_ON_FLOAT_CONVERSION_, 3)
        SPE_ROW_(FPFastMathMode, 1, SPE_ON_INSTRUCTION_, 0)
        SPE_ROW_(LinkageAttributes, 255, SPE_ON_FUNCTION_ | SPE_ON_GLOBAL_, 2)
        SPE_ROW_(Alignment, 1, SPE_ON_POINTER_, 0) SPE_ROW_(MaxByteOffset, 1, SPE_ON_POINTER_, 0)
        SPE_ROW_(SaturatedToLargestFloat8NormalConversionEXT, 0, SPE_ON_FLOAT_CONVERSION_, 0)
        SPE_ROW_(NoSignedWrap, 0, SPE_ON_SUM_ | SPE_ON_NEGATION_, 0) SPE_ROW_(NoUnsignedWrap, 0, SPE_ON_SUM_, 0)
        SPE_ROW_(HostAccessINTEL, 255, SPE_ON_GLOBAL_, 0)
        SPE_ROW_(CacheControlLoadINTEL, 2, SPE_ON_POINTER_, 4) SPE_ROW_(CacheControlStoreINTEL, 2, SPE_ON_POINTER_, 3)
    };
#undef SPE_ROW_
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].decoration == decoration) return &rows[i];
    }
    return NULL;
}

/* What the id is. */
static uint32_t spe_targets_of_(const spe_module *m, spe_id id)
{
    const spe_record_ *r = &m->ids[id];
    const spe_type_info *t = spe_info_(m, r->type);
    uint32_t pointer = t && t->kind == SPE_KIND_POINTER ? SPE_ON_POINTER_ : 0;
    if (r->flags & SPE_ID_TYPE_) return spe_info_(m, id)->kind == SPE_KIND_STRUCT ? SPE_ON_STRUCT_ : 0;
    if (r->flags & SPE_ID_FUNCTION_) return SPE_ON_FUNCTION_;
    if (r->flags & SPE_ID_GLOBAL_)
        return SPE_ON_GLOBAL_ | SPE_ON_VARIABLE_ | SPE_ON_POINTER_ | SPE_ON_MEMORY_ |
               (t->storage == SPE_StorageClassInput ? SPE_ON_INPUT_ : 0) |
               (t->storage == SPE_StorageClassPrivate ? SPE_ON_PRIVATE_ : 0);
    if (!t || (r->flags & SPE_ID_CONSTANT_)) return 0;
    switch (r->aux) { /* the opcode of a value */
    case SPE_OpVariable: return SPE_ON_VARIABLE_ | SPE_ON_PRIVATE_ | SPE_ON_POINTER_ | SPE_ON_MEMORY_;
    case SPE_OpFunctionParameter: return SPE_ON_PARAMETER_ | pointer | (pointer ? SPE_ON_MEMORY_ : 0);
    case SPE_OpIAdd: case SPE_OpISub: case SPE_OpIMul: case SPE_OpShiftLeftLogical:
        return SPE_ON_SUM_ | SPE_ON_INSTRUCTION_;
    case SPE_OpSNegate: return SPE_ON_NEGATION_ | SPE_ON_INSTRUCTION_;
    case SPE_OpFConvert: case SPE_OpConvertSToF: case SPE_OpConvertUToF:
        return SPE_ON_FLOAT_CONVERSION_ | SPE_ON_INSTRUCTION_;
    case SPE_OpConvertFToS: case SPE_OpConvertFToU:
        return SPE_ON_FLOAT_CONVERSION_ | SPE_ON_INTEGER_CONVERSION_ | SPE_ON_INSTRUCTION_;
    case SPE_OpUConvert: case SPE_OpSConvert: return SPE_ON_INTEGER_CONVERSION_ | SPE_ON_INSTRUCTION_;
    default: return (r->aux ? SPE_ON_INSTRUCTION_ : 0) | pointer;
    }
}

/* Is the literal one of those with names? Else an error. */
static bool spe_is_literal_(spe_module *m, uint32_t decoration, uint32_t word)
{
#define SPE_CASE_(kind, name, number) case number: return true;
    const uint32_t contract_reassociate_transform = 0x70000, fast = 0x1f;
    if (decoration == SPE_DecorationFPFastMathMode) {
        if (!(word & ~(fast | contract_reassociate_transform))) {
            if (word & ~fast) spe_need_(m, SPE_NEED_MODE_, SPE_ExecutionModeFPFastMathDefault);
            return !m->error.id;
        }
    } else if (decoration == SPE_DecorationBuiltIn) {
        switch (word) { SPE_BuiltIn_(SPE_CASE_, K) default: break; }
    } else {
        return true;
    }
#undef SPE_CASE_
    return spe_error_(m, SPE_ERR_RANGE, "decoration %u has no value %u", decoration, word);
}

/* Has the decoration the number of literals? Else an error. */
static bool spe_has_literals_(spe_module *m, uint32_t decoration, uint32_t literals, uint32_t n)
{
    return (literals == 255 ? n >= 2 : n == literals) ||
           spe_error_(m, SPE_ERR_RANGE, "decoration %u has %u literals, not %u", decoration,
                      literals == 255 ? 2 : literals, n);
}

/* Is it a decoration of Intel's extensions whose capability is declared? Else an error. */
static bool spe_is_other_decoration_(spe_module *m, uint32_t decoration, uint32_t n)
{
#define SPE_ROW_(decoration, literals, capability) {decoration, literals, capability},
    static const struct {
        uint16_t decoration, literals, capability;
    } rows[] = {SPE_DECORATIONS_KNOWN_(SPE_ROW_)};
#undef SPE_ROW_
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].decoration != decoration) continue;
        if (!spe_declares_(m, rows[i].capability))
            return spe_error_(m, SPE_ERR_VERSION, "decoration %u needs spe_capability(%u)", decoration,
                              rows[i].capability);
        return spe_has_literals_(m, decoration, rows[i].literals, n);
    }
    return spe_error_(m, SPE_ERR_RANGE, "kernels have no decoration %u", decoration);
}

/* Is it a decoration of kernels, with such literals? Else an error. `targets`: what the id is. */
static bool spe_is_decoration_(spe_module *m, uint32_t decoration, uint32_t n, const uint32_t *words, spe_id id,
                               uint32_t targets)
{
    const spe_decoration_ *row = spe_decoration_of_(decoration);
    if (!row) return spe_is_other_decoration_(m, decoration, n);
    if (!spe_has_literals_(m, decoration, row->literals, n)) return false;
    if (!(row->targets & targets))
        return spe_error_(m, SPE_ERR_TYPE, "decoration %u does not apply to %u%s", decoration, id,
                          decoration == SPE_DecorationSpecId ? "; spe_spec_const writes it" : "");
    if (n && row->largest && words[n - 1] > row->largest)
        return spe_error_(m, SPE_ERR_RANGE, "the literal %u of decoration %u; the largest is %u", words[n - 1],
                          decoration, row->largest);
    return !n || spe_is_literal_(m, decoration, words[0]);
}

/* May the id be decorated so? Else an error. A struct becomes a type of its own. */
static bool spe_may_decorate_(spe_module *m, const char *name, spe_id id, uint32_t decoration, uint32_t n,
                              const uint32_t *words, bool is_member)
{
    m->doing = name;
    if (m->error.id || (m->vulkan && m->vulkan->keeps_decoration(m, decoration) < 1)) return false;
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
    if (!spe_is_decoration_(m, decoration, n, words, id, is_member ? UINT32_MAX : spe_targets_of_(m, id))) return false;
    spe_unshare_struct_(m, id);
    return !m->error.id;
}

void spe_decorate(spe_module *m, spe_id id, uint32_t decoration, uint32_t n, const uint32_t *words)
{
    uint32_t head[2] = {id, decoration};
    if (m->error.id) return;
    if (!id || id >= m->id_count) SPE_ERROR_(m, NO_VALUE, "%u is not an id", id);
    if (!spe_may_decorate_(m, __func__, id, decoration, n, words, false)) return;
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
    if (!t || !spe_may_decorate_(m, __func__, type, decoration, n, words, true)) return;
    if (spe_write_words_(m, SPE_SECTION_DECORATION_, SPE_OpMemberDecorate, 3, head, n, words))
        spe_need_(m, SPE_NEED_DECORATION_, decoration);
}

/* A pointer, or a variable that contains one, may be one of several to the same memory: Vulkan wants to be told. */
XE_FN_ void spe_alias_(spe_module *m, spe_id id, spe_id type, uint32_t decoration)
{
    const spe_type_info *t = spe_info_(m, type);
    if (t && t->kind == SPE_KIND_POINTER && spe_storage_(m, t->storage) == SPE_StorageClassPhysicalStorageBuffer)
        spe_write_(m, SPE_SECTION_DECORATION_, SPE_OpDecorate, 2, id, decoration);
}

/* May an id have the decoration more than once, with other literals? */
XE_ONCE_
static bool spe_is_repeatable_(uint32_t decoration)
{
    return decoration == SPE_DecorationFuncParamAttr || decoration == SPE_DecorationCacheControlLoadINTEL ||
           decoration == SPE_DecorationCacheControlStoreINTEL || !spe_decoration_of_(decoration);
}

/* The words that tell a decoration from others of its id: what is decorated, and how; literals, too, if it may be
 * repeated with others. */
static uint32_t spe_decoration_words_(const uint32_t *w)
{
    uint32_t key = (*w & 0xffff) == SPE_OpMemberDecorate ? 4 : 3;
    return spe_is_repeatable_(w[key - 1]) ? *w >> 16 : key;
}

/* The slot of such a decoration in a table of offsets + 1, a power of two of them: its own, or a free one. */
static uint32_t *spe_decoration_slot_(const uint32_t *data, uint32_t *slots, size_t size, const uint32_t *w)
{
    uint32_t key = spe_decoration_words_(w), h = *w & 0xffff;
    for (uint32_t i = 1; i < key; i++) h = (h ^ w[i]) * 0x85ebca6bu;
    for (h ^= h >> 15;; h++) {
        uint32_t *at = &slots[h & (size - 1)];
        const uint32_t *other = data + *at - 1;
        if (!*at) return at;
        if ((*other & 0xffff) == (*w & 0xffff) && !memcmp(other + 1, w + 1, (key - 1) * sizeof *w) &&
            spe_decoration_words_(other) == key)
            return at;
    }
}

/* What is said twice of an id or a member is written once, as validators refuse more; what contradicts is an error. */
XE_FN_ void spe_merge_decorations_(spe_module *m)
{
    spe_buffer_ *b = &m->buffer[SPE_SECTION_DECORATION_];
    size_t kept = 0, size = 1;
    if (!b->count || b->count == *b->data >> 16) return;
    while (size < b->count) size *= 2; /* of three words at least: a third full */
    uint32_t *slots = (uint32_t *)spe_alloc(m, size * sizeof *slots);
    for (size_t at = 0, words; at < b->count && !m->error.id; at += words) {
        uint32_t *w = b->data + at, *slot = spe_decoration_slot_(b->data, slots, size, w);
        words = *w >> 16;
        if (*slot) {
            uint32_t *known = b->data + *slot - 1, key = spe_decoration_words_(w);
            if (memcmp(known, w, words * sizeof *w))
                spe_error_(m, SPE_ERR_RANGE, "value %u has decoration %u twice, with %u and %u", w[1], w[key - 1],
                           known[key], w[key]);
            continue;
        }
        *slot = (uint32_t)kept + 1;
        memmove(b->data + kept, w, words * sizeof *w);
        kept += words;
    }
    if (!m->error.id) b->count = kept;
}
