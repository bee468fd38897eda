/* types.c - Types: each is made once. */
#include "internal.h"

spe_type_info spe_info(const spe_module *m, spe_id type)
{
    spe_type_info none;
    if (type && type < m->id_count && (m->ids[type].flags & SPE_ID_TYPE_)) return m->types[m->ids[type].aux];
    memset(&none, 0, sizeof none);
    return none;
}

/* The same without a copy; NULL for what is no type. */
const spe_type_info *spe_info_(const spe_module *m, spe_id type)
{
    if (!type || type >= m->id_count || !(m->ids[type].flags & SPE_ID_TYPE_)) return NULL;
    return &m->types[m->ids[type].aux];
}

spe_id spe_type_of(const spe_module *m, spe_id value)
{
    return value < m->id_count ? m->ids[value].type : 0;
}

spe_id spe_scalar_of(const spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    if (!t) return 0;
    return t->kind == SPE_KIND_VECTOR || t->kind >= SPE_KIND_COOPMAT ? t->elem : type;
}

uint32_t spe_width(const spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, spe_scalar_of(m, type));
    return t ? t->bits : 0;
}

uint32_t spe_count(const spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    if (!t) return 0;
    return t->kind == SPE_KIND_VECTOR ? t->count : t->bits ? 1 : 0;
}

/* snprintf that may cut: error texts are of one size. */
SPE_PRINTF(3, 4)
static void spe_print_(char *text, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(text, size, format, args);
    va_end(args);
}

char *spe_type_text(const spe_module *m, spe_id type, char *text, size_t size)
{
    const spe_type_info *t = spe_info_(m, type);
    char inner[64];
    static const char *const encodings[] = {"f", "bf", "e4m3_", "e5m2_"};
    if (!t) {
        spe_print_(text, size, type ? "no type" : "poison");
        return text;
    }
    if (t->elem && t->kind != SPE_KIND_FUNCTION) {
        const spe_type_info *e = spe_info_(m, t->elem);
        if (e && e->kind == SPE_KIND_POINTER && t->kind == SPE_KIND_POINTER) spe_print_(inner, sizeof inner, "ptr");
        else spe_type_text(m, t->elem, inner, sizeof inner);
    }
    switch (t->kind) {
    case SPE_KIND_VOID: spe_print_(text, size, "void"); break;
    case SPE_KIND_BOOL: spe_print_(text, size, "bool"); break;
    case SPE_KIND_INT: spe_print_(text, size, "i%u", t->bits); break;
    case SPE_KIND_FLOAT: spe_print_(text, size, "%s%u", encodings[t->encoding], t->bits); break;
    case SPE_KIND_VECTOR: spe_print_(text, size, "%sx%u", inner, t->count); break;
    case SPE_KIND_ARRAY: spe_print_(text, size, "[%u]%s", t->count, inner); break;
    case SPE_KIND_STRUCT: spe_print_(text, size, "struct of %u", t->count); break;
    case SPE_KIND_POINTER: spe_print_(text, size, "ptr<%s>", inner); break;
    case SPE_KIND_FUNCTION: spe_print_(text, size, "function of %u", t->count); break;
    case SPE_KIND_COOPMAT: spe_print_(text, size, "coopmat<%s, %ux%u, use %u>", inner, t->rows, t->cols, t->use); break;
    case SPE_KIND_COOPVEC: spe_print_(text, size, "coopvec<%s, %u>", inner, t->count); break;
    default: spe_print_(text, size, "a type"); break;
    }
    return text;
}

/* -- the hash table: from an instruction without its result to its id -------------------------------------------- */

static uint32_t spe_hash_(uint32_t op, uint32_t n, const uint32_t *w)
{
    uint32_t i, h = op * 0x9e3779b1u;
    for (i = 0; i < n; i++) h = (h ^ w[i]) * 0x85ebca6bu, h ^= h >> 15;
    return h;
}

/* A global instruction's result id stands in word 1 (types) or 2 (constants, after their type). */
static uint32_t spe_result_word_(uint32_t op)
{
    return (op >= SPE_OpTypeVoid && op <= SPE_OpTypeFunction + 6) || op == SPE_OpTypeCooperativeMatrixKHR ||
                   op == SPE_OpTypeCooperativeVectorNV ? 1 : 2;
}

static bool spe_same_(const uint32_t *at, uint32_t op, uint32_t n, const uint32_t *w)
{
    uint32_t result = spe_result_word_(op), i;
    if (*at != ((n + 2) << 16 | op)) return false;
    if (result == 2 && at[1] != w[0]) return false;
    for (i = result - 1; i < n; i++) {
        if (at[i + 2] != w[i]) return false;
    }
    return true;
}

/* Twice as many slots; the list of (hash, place) pairs says what goes into them. */
static bool spe_rehash_(spe_module *m)
{
    spe_buffer_ *slots = &m->buffer[SPE_BUFFER_SLOTS_], *list = &m->buffer[SPE_BUFFER_UNIQUE_];
    size_t old = slots->count, size = old ? old * 2 : 256, i;
    if (!spe_push_(m, SPE_BUFFER_SLOTS_, size - old)) return false;
    memset(slots->data, 0, size * sizeof *slots->data);
    for (i = 0; i < list->count; i += 2) {
        size_t slot = list->data[i] & (size - 1);
        while (slots->data[slot]) slot = (slot + 1) & (size - 1);
        slots->data[slot] = (uint32_t)(i + 1);
    }
    return true;
}

/* The id of a type (type 0) or constant made of these words, made now if it is new (*fresh). For a constant w[0] is its
 * type. */
spe_id spe_unique_(spe_module *m, uint32_t op, uint32_t n, const uint32_t *w, bool *fresh)
{
    const spe_buffer_ *slots = &m->buffer[SPE_BUFFER_SLOTS_], *list = &m->buffer[SPE_BUFFER_UNIQUE_];
    uint32_t h = spe_hash_(op, n, w), result = spe_result_word_(op), *at, *pair;
    spe_id id;
    size_t slot;
    *fresh = false;
    if (m->error.id) return 0;
    if (m->finished) return spe_error_(m, SPE_ERR_FINISHED, "the module is finished: nothing can be added");
    if (list->count >= slots->count && !spe_rehash_(m)) return 0; /* two words an entry: at most half full */
    for (slot = h & (slots->count - 1); slots->data[slot]; slot = (slot + 1) & (slots->count - 1)) {
        const uint32_t *known = list->data + slots->data[slot] - 1;
        at = m->buffer[SPE_SECTION_GLOBAL_].data + known[1];
        if (known[0] == h && spe_same_(at, op, n, w)) return at[result];
    }
    id = spe_new_id_(m, result == 2 ? w[0] : 0, result == 2 ? SPE_ID_CONSTANT_ : SPE_ID_TYPE_, 0);
    at = id ? spe_put_(m, SPE_SECTION_GLOBAL_, op, n + 1) : NULL;
    pair = at ? spe_push_(m, SPE_BUFFER_UNIQUE_, 2) : NULL;
    if (!pair) return 0;
    if (result == 2) *at++ = w[0];
    *at++ = id;
    if (n >= result) memcpy(at, w + result - 1, (n + 1 - result) * sizeof *w);
    pair[0] = h;
    pair[1] = (uint32_t)(m->buffer[SPE_SECTION_GLOBAL_].count - n - 2);
    m->buffer[SPE_BUFFER_SLOTS_].data[slot] = (uint32_t)(list->count - 1);
    *fresh = true;
    return id;
}

/* -- the types --------------------------------------------------------------------------------------------------- */

/* Enters a new type's description. */
static spe_id spe_describe_(spe_module *m, spe_id id, const spe_type_info *info)
{
    void *p = m->types;
    if (!spe_grow_(m, &p, &m->type_capacity, m->type_count + 1, sizeof *m->types, 32)) return 0;
    m->types = (spe_type_info *)p;
    m->types[m->type_count] = *info;
    m->ids[id].aux = (uint32_t)m->type_count++;
    return id;
}

/* A type, with what it needs (spe_need_) when it is new. */
static spe_id spe_type_(spe_module *m, uint32_t op, uint32_t n, const uint32_t *w, const spe_type_info *info,
                               uint32_t need, uint32_t value)
{
    bool fresh;
    spe_id id = spe_unique_(m, op, n, w, &fresh);
    if (!id || !fresh) return id;
    spe_need_(m, need, value);
    return spe_describe_(m, id, info);
}

static spe_type_info spe_info_of_(spe_kind kind, uint32_t bits, uint32_t count, spe_id elem)
{
    spe_type_info t;
    memset(&t, 0, sizeof t);
    t.kind = kind;
    t.bits = bits;
    t.count = count;
    t.elem = elem;
    return t;
}

/* A type operand: its description, or NULL and an error that names the caller. */
const spe_type_info *spe_want_type_(spe_module *m, const char *fn, spe_id type)
{
    const spe_type_info *t = m->error.id ? NULL : spe_info_(m, type);
    if (!t && !m->error.id) spe_error_(m, SPE_ERR_NO_TYPE, "%s: %u is not the id of a type", fn, type);
    return t;
}

spe_id spe_void(spe_module *m)
{
    spe_type_info t = spe_info_of_(SPE_KIND_VOID, 0, 0, 0);
    return spe_type_(m, SPE_OpTypeVoid, 0, NULL, &t, SPE_NEED_NOTHING_, 0);
}

spe_id spe_bool(spe_module *m)
{
    spe_type_info t;
    if (m->known_bool && !m->error.id) return m->known_bool;
    t = spe_info_of_(SPE_KIND_BOOL, 1, 1, 0);
    return m->known_bool = spe_type_(m, SPE_OpTypeBool, 0, NULL, &t, SPE_NEED_NOTHING_, 0);
}

/* The place of 8, 16, 32, 64 bits in known_int and known_float. */
static uint32_t spe_width_index_(uint32_t bits) { return bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3; }

spe_id spe_int(spe_module *m, uint32_t bits)
{
    uint32_t w[2], at = spe_width_index_(bits);
    spe_type_info t;
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
        return spe_error_(m, SPE_ERR_RANGE, "spe_int: %u bits; there are 8, 16, 32 and 64", bits);
    if (m->known_int[at] && !m->error.id) return m->known_int[at];
    t = spe_info_of_(SPE_KIND_INT, bits, 1, 0);
    w[0] = bits;
    w[1] = 0;
    return m->known_int[at] = spe_type_(m, SPE_OpTypeInt, 2, w, &t, SPE_NEED_INT_, bits);
}

spe_id spe_float(spe_module *m, uint32_t bits)
{
    uint32_t at = spe_width_index_(bits);
    spe_type_info t;
    if (bits != 16 && bits != 32 && bits != 64)
        return spe_error_(m, SPE_ERR_RANGE, "spe_float: %u bits; there are 16, 32 and 64", bits);
    if (m->known_float[at] && !m->error.id) return m->known_float[at];
    t = spe_info_of_(SPE_KIND_FLOAT, bits, 1, 0);
    return m->known_float[at] = spe_type_(m, SPE_OpTypeFloat, 1, &bits, &t, SPE_NEED_FLOAT_, bits);
}

static spe_id spe_encoded_float_(spe_module *m, uint32_t bits, spe_encoding encoding, uint32_t number)
{
    spe_type_info t = spe_info_of_(SPE_KIND_FLOAT, bits, 1, 0);
    uint32_t w[2];
    t.encoding = encoding;
    w[0] = bits;
    w[1] = number;
    return spe_type_(m, SPE_OpTypeFloat, 2, w, &t, SPE_NEED_ENCODING_, (uint32_t)encoding);
}

spe_id spe_bf16(spe_module *m)
{
    return spe_encoded_float_(m, 16, SPE_BF16, SPE_FPEncodingBFloat16KHR);
}

spe_id spe_e4m3(spe_module *m)
{
    return spe_encoded_float_(m, 8, SPE_E4M3, SPE_FPEncodingFloat8E4M3EXT);
}
spe_id spe_e5m2(spe_module *m)
{
    return spe_encoded_float_(m, 8, SPE_E5M2, SPE_FPEncodingFloat8E5M2EXT);
}

spe_id spe_vec(spe_module *m, spe_id elem, uint32_t n)
{
    spe_type_info t = spe_info_of_(SPE_KIND_VECTOR, 0, n, elem);
    const spe_type_info *e = spe_want_type_(m, "spe_vec", elem);
    uint32_t w[2];
    char text[80];
    if (!e) return 0;
    if (!e->bits)
        return spe_error_(m, SPE_ERR_TYPE, "spe_vec: a vector has scalar components, not %s",
                          spe_type_text(m, elem, text, sizeof text));
    if (n == 1) return elem;
    if (n != 2 && n != 3 && n != 4 && n != 8 && n != 16 &&
        !(n && (spe_declares_(m, SPE_CapabilityVectorAnyINTEL) || spe_declares_(m, SPE_CapabilityLongVectorEXT))))
        return spe_error_(m, SPE_ERR_RANGE, "spe_vec: %u components; there are 1, 2, 3, 4, 8 and 16", n);
    w[0] = elem;
    w[1] = n;
    return spe_type_(m, SPE_OpTypeVector, 2, w, &t, SPE_NEED_VECTOR_, n);
}

spe_id spe_array(spe_module *m, spe_id elem, uint32_t n)
{
    spe_type_info t = spe_info_of_(SPE_KIND_ARRAY, 0, n, elem);
    const spe_type_info *e = spe_want_type_(m, "spe_array", elem);
    uint32_t w[2];
    if (!e) return 0;
    if (!n || e->kind == SPE_KIND_VOID || e->kind == SPE_KIND_FUNCTION)
        return spe_error_(m, SPE_ERR_TYPE, "spe_array: %u elements of kind %d", n, (int)e->kind);
    w[0] = elem;
    w[1] = spe_u32(m, n);
    return w[1] ? spe_type_(m, SPE_OpTypeArray, 2, w, &t, SPE_NEED_NOTHING_, 0) : 0;
}

static const spe_id *spe_copy_ids_(spe_module *m, uint32_t n, const spe_id *ids)
{
    spe_id *copy = n ? (spe_id *)spe_alloc(m, n * sizeof *ids) : NULL;
    if (copy) memcpy(copy, ids, n * sizeof *ids);
    return copy;
}

spe_id spe_struct(spe_module *m, uint32_t n, const spe_id *members)
{
    spe_type_info t = spe_info_of_(SPE_KIND_STRUCT, 0, n, 0);
    uint32_t i;
    for (i = 0; i < n; i++) {
        const spe_type_info *e = spe_want_type_(m, "spe_struct", members[i]);
        if (!e) return 0;
        if (e->kind == SPE_KIND_VOID || e->kind == SPE_KIND_FUNCTION)
            return spe_error_(m, SPE_ERR_TYPE, "spe_struct: member %u is void or a function", i);
    }
    t.members = spe_copy_ids_(m, n, members);
    return spe_type_(m, SPE_OpTypeStruct, n, members, &t, SPE_NEED_NOTHING_, 0);
}

spe_id spe_ptr(spe_module *m, uint32_t storage, spe_id type)
{
    spe_type_info t = spe_info_of_(SPE_KIND_POINTER, 0, 1, type);
    uint32_t w[2];
    if (!spe_want_type_(m, "spe_ptr", type)) return 0;
    t.storage = w[0] = storage;
    w[1] = type;
    return spe_type_(m, SPE_OpTypePointer, 2, w, &t, SPE_NEED_STORAGE_, storage);
}

spe_id spe_fn_type(spe_module *m, spe_id ret, uint32_t n, const spe_id *params)
{
    spe_type_info t = spe_info_of_(SPE_KIND_FUNCTION, 0, n, ret);
    uint32_t w[256], i;
    if (!spe_want_type_(m, "spe_fn_type", ret)) return 0;
    if (n > 255) return spe_error_(m, SPE_ERR_LIMIT, "spe_fn_type: %u parameters; SPIR-V allows 255", n);
    w[0] = ret;
    for (i = 0; i < n; i++) {
        const spe_type_info *p = spe_want_type_(m, "spe_fn_type", params[i]);
        if (!p) return 0;
        if (p->kind == SPE_KIND_VOID) return spe_error_(m, SPE_ERR_TYPE, "spe_fn_type: parameter %u is void", i);
        w[i + 1] = params[i];
    }
    t.members = spe_copy_ids_(m, n, params);
    return spe_type_(m, SPE_OpTypeFunction, n + 1, w, &t, SPE_NEED_NOTHING_, 0);
}

spe_id spe_coopmat(spe_module *m, spe_id component, uint32_t scope, uint32_t rows, uint32_t cols, uint32_t use)
{
    spe_type_info t = spe_info_of_(SPE_KIND_COOPMAT, 0, 0, component);
    const spe_type_info *e = spe_want_type_(m, "spe_coopmat", component);
    uint32_t w[5], encoding;
    if (!e) return 0;
    if (e->kind != SPE_KIND_INT && e->kind != SPE_KIND_FLOAT)
        return spe_error_(m, SPE_ERR_TYPE, "spe_coopmat: components are integers or floats");
    if (!rows || !cols || use > 2)
        return spe_error_(m, SPE_ERR_RANGE, "spe_coopmat: %u x %u of use %u", rows, cols, use);
    t.scope = scope;
    t.rows = rows;
    t.cols = cols;
    t.use = use;
    spe_need_(m, SPE_NEED_COOP_, SPE_IEEE);
    encoding = (uint32_t)e->encoding;
    w[0] = component;
    w[1] = spe_u32(m, scope);
    w[2] = spe_u32(m, rows);
    w[3] = spe_u32(m, cols);
    w[4] = spe_u32(m, use);
    return w[4] ? spe_type_(m, SPE_OpTypeCooperativeMatrixKHR, 5, w, &t, SPE_NEED_COOP_, encoding) : 0;
}

spe_id spe_coopvec(spe_module *m, spe_id component, uint32_t n)
{
    spe_type_info t = spe_info_of_(SPE_KIND_COOPVEC, 0, n, component);
    const spe_type_info *e = spe_want_type_(m, "spe_coopvec", component);
    uint32_t w[2];
    if (!e) return 0;
    if ((e->kind != SPE_KIND_INT && e->kind != SPE_KIND_FLOAT) || !n)
        return spe_error_(m, SPE_ERR_TYPE, "spe_coopvec: one or more integers or floats");
    w[0] = component;
    w[1] = spe_u32(m, n);
    return w[1] ? spe_type_(m, SPE_OpTypeCooperativeVectorNV, 2, w, &t, SPE_NEED_COOPVEC_, 0) : 0;
}
