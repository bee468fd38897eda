/* needs.c - the capability that each feature needs, and the extension or version that each capability needs: from lists
 * that numbers.py generates from the grammar, and from what the grammar says only in prose. */
#include "internal.h"
#include "needed.h"

typedef struct {
    uint16_t first, last;         /* capabilities */
    uint32_t version, core_since; /* lowest version with it (0: any); version that needs no extension (0: none) */
    const char *extension;        /* "": none */
} spe_capability_row_;

/* The source of a capability; NULL: every version has it. */
XE_ONCE_
static const spe_capability_row_ *spe_capability_row_of_(uint32_t capability)
{
#define SPE_ROW_(first, last, version, extension, core)                                                                \
    {first, last, (version) ? SPE_VERSION(1, version) : 0, (core) ? SPE_VERSION(1, core) : 0, extension},
    static const spe_capability_row_ rows[] = {SPE_SOURCES_(SPE_ROW_)};
#undef SPE_ROW_
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (capability >= rows[i].first && capability <= rows[i].last) return &rows[i];
    }
    return NULL;
}

typedef struct {
    uint16_t what, first, last; /* kind, SPE_NEED_..., and the range of its numbers with this need */
    uint16_t capability;
} spe_need_row_;

/* The kind of need that all variants of instructions are. */
static uint32_t spe_need_kind_(uint32_t what)
{
    return what > SPE_NEED_OP_ && what < SPE_NEED_END_ ? (uint32_t)SPE_NEED_OP_ : what;
}

/* The first row that may contain a number: rows are sorted by kind, and within a kind by number. */
XE_ONCE_
static const spe_need_row_ *spe_first_need_(uint32_t kind, uint32_t number)
{
#define SPE_ROW_(what, first, last, capability) {SPE_NEED_##what##_, first, last, SPE_Capability##capability},
    static const spe_need_row_ rows[] = {
        SPE_ROW_(INT, 8, 8, Int8) SPE_ROW_(INT, 16, 16, Int16) SPE_ROW_(INT, 64, 64, Int64)
        SPE_ROW_(FLOAT, 16, 16, Float16) SPE_ROW_(FLOAT, 64, 64, Float64)
        SPE_ROW_(ENCODING, SPE_BF16, SPE_BF16, BFloat16TypeKHR) SPE_ROW_(ENCODING, SPE_E4M3, SPE_E5M2, Float8EXT)
        SPE_ROW_(VECTOR, 8, 8, Vector16) SPE_ROW_(VECTOR, 16, 16, Vector16)
        SPE_ROW_(COOP, SPE_IEEE, SPE_IEEE, CooperativeMatrixKHR)
        SPE_ROW_(COOP, SPE_BF16, SPE_BF16, BFloat16CooperativeMatrixKHR)
        SPE_ROW_(COOP, SPE_E4M3, SPE_E5M2, Float8CooperativeMatrixEXT) SPE_ROW_(COOPVEC, 0, 0, CooperativeVectorNV)
        SPE_NEEDED_(SPE_ROW_) {SPE_NEED_END_, 0, 0, 0}
    };
#undef SPE_ROW_
    size_t low = 0, high = sizeof rows / sizeof *rows - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        uint32_t its = spe_need_kind_(rows[middle].what);
        if (its < kind || (its == kind && rows[middle].last < number)) low = middle + 1;
        else high = middle;
    }
    return &rows[low];
}

void spe_extension(spe_module *m, const char *name)
{
    if (m->error.id) return;
    if (!*name || strlen(name) > 255) SPE_ERROR_(m, NAME, "\"%.60s\" is not a name of an extension", name);
    else spe_write_once_(m, SPE_OpExtension, name);
}

XE_FN_ bool spe_declares_(const spe_module *m, uint32_t capability)
{
    const spe_buffer_ *b = &m->buffer[SPE_BUFFER_CAPS_];
    for (size_t i = 0; i < b->count; i++) {
        if (b->data[i] == capability) return true;
    }
    return false;
}

/* Declares a capability that exists. */
static void spe_declare_(spe_module *m, uint32_t capability)
{
    if (m->error.id || spe_declares_(m, capability)) return;
    const spe_capability_row_ *row = spe_capability_row_of_(capability);
    if (row && m->options.version < row->version) {
        spe_error_(m, SPE_ERR_VERSION, "capability %u needs SPIR-V 1.%u, the module is 1.%u", capability,
                   row->version >> 8 & 0xff, m->options.version >> 8 & 0xff);
        return;
    }
    if (m->options.env && capability == SPE_CapabilityBitInstructions) return; /* Vulkan has these in the core */
    if (m->vulkan && !m->vulkan->has_capability(m, capability, row ? row->extension : "")) return;
    uint32_t *at = spe_push_(m, SPE_BUFFER_CAPS_, 1);
    if (at) *at = capability;
    if (row && *row->extension && !(row->core_since && m->options.version >= row->core_since))
        spe_extension(m, row->extension);
}

void spe_capability(spe_module *m, uint32_t capability)
{
#define SPE_ROW_(first, last) {first, last},
    static const struct {
        uint16_t first, last;
    } known[] = {SPE_CAPABILITIES_KNOWN_(SPE_ROW_)};
#undef SPE_ROW_
    bool found = false;
    m->doing = __func__;
    for (size_t i = 0; i < sizeof known / sizeof *known && !found; i++)
        found = capability >= known[i].first && capability <= known[i].last;
    if (found) spe_declare_(m, capability);
    else spe_error_(m, SPE_ERR_RANGE, "there is no capability %u", capability);
}

/* Declares what a type, decoration, mode ... (of a kind, and its number) needs; of instructions, what their variants
 * (bits from SPE_NEED_OP_ on) do. True where all variants need the same. */
static bool spe_need_any_(spe_module *m, uint32_t kind, uint32_t number, uint32_t variants)
{
    const spe_need_row_ *r = spe_first_need_(kind, number);
    bool same = true;
    for (; spe_need_kind_(r->what) == kind && r->first <= number; r++) {
        if (r->what > SPE_NEED_OP_) same = false;
        if (r->what <= SPE_NEED_OP_ || (variants >> (r->what - SPE_NEED_OP_) & 1)) spe_declare_(m, r->capability);
    }
    return same;
}

XE_FN_ void spe_need_(spe_module *m, uint32_t kind, uint32_t number) { spe_need_any_(m, kind, number, 0); }

/* An instruction's variant: the width or encoding of its result, or of the value it stores. */
XE_ONCE_
static uint32_t spe_variant_(const spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    if (!t || t->encoding == SPE_BF16) return t ? SPE_NEED_OP_BF16_ : SPE_NEED_OP_;
    return t->bits == 64 ? SPE_NEED_OP_64_ : t->bits == 32 ? SPE_NEED_OP_32_ : SPE_NEED_OP_16_;
}

XE_FN_ bool spe_uses_(const spe_module *m, uint32_t op) { return m->used[op / 64] >> (op % 64) & 1; }

/* Notes that an instruction is used and declares what it needs; opcodes without variants are looked up once per
 * module. */
XE_FN_ void spe_need_op_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands)
{
    bool clustered = n > 1 && operands[1] == SPE_GroupOperationClusteredReduce;
    uint32_t width = spe_variant_(m, type ? type : n ? spe_type_of(m, operands[n - 1]) : 0);
    uint32_t over = clustered ? SPE_NEED_OP_CLUSTERED_ : SPE_NEED_OP_ACROSS_;
    uint32_t variants = 1u << (width - SPE_NEED_OP_) | 1u << (over - SPE_NEED_OP_);
    if (op < SPE_OPCODES_NOTED_) m->used[op / 64] |= (uint64_t)1 << (op % 64);
    if (spe_need_any_(m, SPE_NEED_OP_, op, variants) && op < SPE_OPCODES_KNOWN_)
        m->seen[op / 64] |= (uint64_t)1 << (op % 64);
}
