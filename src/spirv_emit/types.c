/* types.c - unique types: queries and constructors. */
#include "internal.h"

XE_FN_ spe_type_info spe_info_of_(spe_kind kind, uint32_t bits, uint32_t count, spe_id elem)
{
    spe_type_info t = {kind, bits, count, elem, 0, SPE_IEEE, NULL, 0, 0, 0, 0, 0, 0, false, false, false};
    return t;
}

spe_type_info spe_info(const spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    return t ? *t : spe_info_of_(SPE_KIND_NONE, 0, 0, 0);
}

uint32_t spe_alignment(const spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    uint32_t a, largest = 0, room = 1;
    if (!t) return 0;
    switch (t->kind) {
    case SPE_KIND_INT: case SPE_KIND_FLOAT: return t->bits / 8;
    case SPE_KIND_POINTER: case SPE_KIND_FORWARD: return 8;
    case SPE_KIND_ARRAY: return spe_alignment(m, t->elem);
    case SPE_KIND_VECTOR:
        while (room < t->count && room < 0x80000000) room *= 2;
        return spe_alignment(m, t->elem) * room;
    case SPE_KIND_STRUCT:
        if (t->packed) return 1;
        for (uint32_t i = 0; i < t->count; i++) {
            a = spe_alignment(m, t->members[i]);
            if (a > largest) largest = a;
        }
        return largest;
    default: return 0;
    }
}

/* Rounds up to a multiple of a power of two. */
static uint64_t spe_rounded_(uint64_t n, uint32_t to) { return (n + to - 1) & ~((uint64_t)to - 1); }

uint64_t spe_offset(const spe_module *m, spe_id type, uint32_t member)
{
    const spe_type_info *t = spe_info_(m, type);
    uint64_t at = 0;
    if (!t || t->kind != SPE_KIND_STRUCT || member > t->count) return 0;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t align = t->packed ? 1 : spe_alignment(m, t->members[i]);
        at = spe_rounded_(at, align ? align : 1);
        if (i == member) break;
        at += spe_size(m, t->members[i]);
    }
    return at;
}

uint64_t spe_size(const spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    uint32_t align = spe_alignment(m, type);
    if (!align) return 0;
    switch (t->kind) {
    case SPE_KIND_ARRAY: return t->count * spe_size(m, t->elem);
    case SPE_KIND_STRUCT: return spe_rounded_(spe_offset(m, type, t->count), align);
    default: return align; /* numbers, pointers, vectors: a multiple of itself */
    }
}

/* The name of a storage class, for messages. */
XE_FN_ const char *spe_storage_text_(uint32_t storage)
{
#define SPE_CASE_(kind, name, number) case number: return #name;
    switch (storage) {
        SPE_StorageClass_(SPE_CASE_, StorageClass)
    default: return "of another environment";
    }
#undef SPE_CASE_
}

char *spe_type_text(const spe_module *m, spe_id type, char *text, size_t size)
{
    static const char *const encodings[] = {"f", "bf", "e4m3_", "e5m2_"};
    static const char *const dims[] = {"1D", "2D", "3D", "buffer"}, *const accesses[] = {"read", "write", "read-write"};
    const spe_type_info *t = spe_info_(m, type), *e = t ? spe_info_(m, t->elem) : NULL;
    char inner[64];
    int n = 0; /* a text that is too long is truncated */
    if (e && e->kind == SPE_KIND_POINTER && t->kind == SPE_KIND_POINTER) memcpy(inner, "ptr", sizeof "ptr");
    else if (e) spe_type_text(m, t->elem, inner, sizeof inner);
    switch (t ? t->kind : SPE_KIND_NONE) {
    case SPE_KIND_VOID: n = snprintf(text, size, "void"); break;
    case SPE_KIND_BOOL: n = snprintf(text, size, "bool"); break;
    case SPE_KIND_INT: n = snprintf(text, size, "i%u", t->bits); break;
    case SPE_KIND_FLOAT: n = snprintf(text, size, "%s%u", encodings[t->encoding], t->bits); break;
    case SPE_KIND_VECTOR: n = snprintf(text, size, "%sx%u", inner, t->count); break;
    case SPE_KIND_ARRAY:
        if (t->count) n = snprintf(text, size, "[%u]%s", t->count, inner);
        else n = snprintf(text, size, "[spec]%s", inner);
        break;
    case SPE_KIND_STRUCT: n = snprintf(text, size, "struct of %u", t->count); break;
    case SPE_KIND_POINTER: n = snprintf(text, size, "ptr<%s>", inner); break;
    case SPE_KIND_FUNCTION: n = snprintf(text, size, "function of %u", t->count); break;
    case SPE_KIND_COOPMAT:
        n = snprintf(text, size, "coopmat<%s, %ux%u, use %u>", inner, t->rows, t->cols, t->use);
        break;
    case SPE_KIND_IMAGE:
        n = snprintf(text, size, "image<%s%s, %s>", dims[t->dim < 4 ? t->dim : 3],
                     t->count > t->dim + 1 ? " array" : "", accesses[t->access]);
        break;
    case SPE_KIND_SAMPLER: n = snprintf(text, size, "sampler"); break;
    case SPE_KIND_SAMPLED_IMAGE: n = snprintf(text, size, "sampled image"); break;
    case SPE_KIND_FORWARD: n = snprintf(text, size, "incomplete pointer"); break;
    case SPE_KIND_COOPVEC: n = snprintf(text, size, "coopvec<%s, %u>", inner, t->count); break;
    default: n = snprintf(text, size, type ? "no type" : "poison"); break;
    }
    return n < 0 && size ? (*text = 0, text) : text;
}

/* A type as text, for messages; the last two remain valid. */
XE_FN_ const char *spe_text_(spe_module *m, spe_id type)
{
    return spe_type_text(m, type, m->text[m->texts++ % 2], sizeof m->text[0]);
}

/* Reports two types that should be the same. */
XE_FN_ spe_id spe_disagree_(spe_module *m, spe_id a, spe_id b)
{
    const char *text = spe_text_(m, a);
    return spe_error_(m, SPE_ERR_TYPE, "operand types disagree: %s and %s", text, spe_text_(m, b));
}

/* -- constructors -------------------------------------------------------------------------------------------------- */

/* Stores the description of a type; returns its id. */
static spe_id spe_keep_type_(spe_module *m, spe_id id, spe_type_info info)
{
    if (!spe_grow_(m, &m->types, &m->type_capacity, m->type_count + 1, sizeof *m->types, 32)) return 0;
    m->types[m->type_count] = info;
    m->ids[id].aux = (uint32_t)m->type_count++;
    return id;
}

/* The type with these n words; if it is new, declares what (need, value) requires (spe_need_). */
XE_FN_ spe_id spe_type_(spe_module *m, uint32_t op, spe_type_info info, uint32_t need, uint32_t value, uint32_t n,
                        const uint32_t *w)
{
    spe_id next = (spe_id)m->id_count, id = spe_unique_(m, op, SPE_ID_TYPE_, n, w);
    if (id != next) return id;
    spe_need_(m, need, value);
    return spe_keep_type_(m, id, info);
}

spe_id spe_void(spe_module *m)
{
    return spe_type_(m, SPE_OpTypeVoid, spe_info_of_(SPE_KIND_VOID, 0, 0, 0), SPE_NEED_NOTHING_, 0, 0, NULL);
}

spe_id spe_bool(spe_module *m)
{
    spe_type_info t = spe_info_of_(SPE_KIND_BOOL, 1, 1, 0);
    if (m->known_bool && !m->error.id) return m->known_bool;
    return m->known_bool = spe_type_(m, SPE_OpTypeBool, t, SPE_NEED_NOTHING_, 0, 0, NULL);
}

/* A type of numbers. Apart, so that asking for one that exists takes few instructions. */
static spe_id spe_number_type_(spe_module *m, spe_kind kind, uint32_t bits)
{
    bool is_int = kind == SPE_KIND_INT;
    uint32_t w[2] = {bits, 0}, op = is_int ? SPE_OpTypeInt : SPE_OpTypeFloat;
    return spe_type_(m, op, spe_info_of_(kind, bits, 1, 0), is_int ? SPE_NEED_INT_ : SPE_NEED_FLOAT_, bits,
                     is_int ? 2 : 1, w);
}

spe_id spe_int(spe_module *m, uint32_t bits)
{
    if (bits < 8 || bits > 64 || (bits & (bits - 1)))
        return SPE_ERROR_(m, RANGE, "%u bits; there are 8, 16, 32 and 64", bits);
    if (m->known_int[bits / 16] && !m->error.id) return m->known_int[bits / 16];
    return m->known_int[bits / 16] = spe_number_type_(m, SPE_KIND_INT, bits);
}

spe_id spe_float(spe_module *m, uint32_t bits)
{
    if (bits != 16 && bits != 32 && bits != 64) return SPE_ERROR_(m, RANGE, "%u bits; there are 16, 32 and 64", bits);
    if (m->known_float[bits / 16] && !m->error.id) return m->known_float[bits / 16];
    return m->known_float[bits / 16] = spe_number_type_(m, SPE_KIND_FLOAT, bits);
}

XE_ONCE_
static spe_id spe_small_float_(spe_module *m, uint32_t bits, spe_encoding encoding, uint32_t number)
{
    spe_type_info t = spe_info_of_(SPE_KIND_FLOAT, bits, 1, 0);
    uint32_t w[2] = {bits, number};
    t.encoding = encoding;
    return spe_type_(m, SPE_OpTypeFloat, t, SPE_NEED_ENCODING_, (uint32_t)encoding, 2, w);
}
spe_id spe_bf16(spe_module *m) { return spe_small_float_(m, 16, SPE_BF16, SPE_FPEncodingBFloat16KHR); }
spe_id spe_e4m3(spe_module *m) { return spe_small_float_(m, 8, SPE_E4M3, SPE_FPEncodingFloat8E4M3EXT); }
spe_id spe_e5m2(spe_module *m) { return spe_small_float_(m, 8, SPE_E5M2, SPE_FPEncodingFloat8E5M2EXT); }

/* Here rather than with the other constants, because types contain numbers of elements. */
spe_id spe_u32(spe_module *m, uint32_t value) { return spe_const_scalar_(m, spe_int(m, 32), value); }

/* The number of pieces of a vector that the environment has none of; 0: it is none. */
XE_FN_ uint32_t spe_pieces_(const spe_module *m, spe_id type)
{
    if (m->options.env == SPE_ENV_OPENCL) return 0;
    uint32_t n = spe_count(m, type);
    return n > 4 ? n / 4 : 0;
}

spe_id spe_vec(spe_module *m, spe_id elem, uint32_t n)
{
    const spe_type_info *e = spe_want_type_(m, __func__, elem);
    uint32_t w[2] = {elem, n};
    spe_id *recent = spe_recent_of_(m, elem | SPE_RECENT_VECTOR_, n);
    if (!e || *recent) return *recent;
    if (!e->bits) return SPE_ERROR_(m, TYPE, "a vector has scalar components, not %s", spe_text_(m, elem));
    if (n == 1) return *recent = elem;
    if (n != 2 && n != 3 && n != 4 && n != 8 && n != 16 &&
        !(n && (spe_declares_(m, SPE_CapabilityVectorAnyINTEL) || spe_declares_(m, SPE_CapabilityLongVectorEXT))))
        return SPE_ERROR_(m, RANGE, "%u components; there are 1, 2, 3, 4, 8 and 16", n);
    if (m->vulkan && n > 4) {
        spe_id id = m->vulkan->vec(m, elem, n, false);
        *spe_recent_of_(m, elem | SPE_RECENT_VECTOR_, n) = id;
        return id;
    }
    return *recent =
               spe_type_(m, SPE_OpTypeVector, spe_info_of_(SPE_KIND_VECTOR, 0, n, elem), SPE_NEED_VECTOR_, n, 2, w);
}

spe_id spe_vec_like(spe_module *m, spe_id elem, spe_id value)
{
    return SPE_WITHIN_(m, spe_vec(m, elem, spe_count(m, spe_type_of(m, value))));
}

/* Can memory hold values of this type? */
XE_FN_ bool spe_is_stored_(const spe_type_info *t)
{
    return t->kind != SPE_KIND_VOID && t->kind != SPE_KIND_FUNCTION &&
           (t->kind < SPE_KIND_IMAGE || t->kind > SPE_KIND_FORWARD);
}

spe_id spe_array(spe_module *m, spe_id elem, uint32_t n)
{
    spe_type_info t = spe_info_of_(SPE_KIND_ARRAY, 0, n, elem);
    const spe_type_info *e = spe_want_type_(m, __func__, elem);
    uint32_t w[2] = {elem, 0};
    if (!e) return 0;
    if (!n || !spe_is_stored_(e)) return SPE_ERROR_(m, TYPE, "%u elements of %s", n, spe_text_(m, elem));
    w[1] = spe_u32(m, n);
    return w[1] ? spe_type_(m, SPE_OpTypeArray, t, SPE_NEED_NOTHING_, 0, 2, w) : 0;
}

/* The struct of these members, for the call `name`. */
static spe_id spe_struct_of_(spe_module *m, const char *name, uint32_t n, const spe_id *members)
{
    spe_type_info t = spe_info_of_(SPE_KIND_STRUCT, 0, n, 0);
    for (uint32_t i = 0; i < n; i++) {
        const spe_type_info *e = spe_want_type_(m, name, members[i]);
        if (!e) return 0;
        m->doing = name;
        if (!spe_is_stored_(e) && e->kind != SPE_KIND_FORWARD)
            return spe_error_(m, SPE_ERR_TYPE, "member %u is %s", i, spe_text_(m, members[i]));
    }
    t.members = (const spe_id *)spe_copied_(m, members, n * sizeof *members);
    return spe_type_(m, SPE_OpTypeStruct, t, SPE_NEED_NOTHING_, 0, n, members);
}

/* Makes a struct, if it is one, a type of its own: the next spe_struct of its members is another. */
XE_FN_ void spe_unshare_struct_(spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    if (t && t->kind == SPE_KIND_STRUCT) spe_forget_(m, SPE_OpTypeStruct, type, t->count, t->members);
}

spe_id spe_array_sized(spe_module *m, spe_id elem, spe_id count)
{
    spe_type_info t = spe_info_of_(SPE_KIND_ARRAY, 0, 0, elem);
    const spe_type_info *e = spe_want_type_(m, __func__, elem), *c = spe_info_(m, spe_type_of(m, count));
    uint32_t w[2] = {elem, count};
    uint64_t n;
    if (!e) return 0;
    if (!spe_is_const(m, count) || c->kind != SPE_KIND_INT)
        return SPE_ERROR_(m, NO_VALUE, "the number of elements, %u, is not an integer constant", count);
    if (spe_const_bits(m, count, &n)) {
        if (n <= UINT32_MAX) return SPE_WITHIN_(m, spe_array(m, elem, (uint32_t)n));
        return SPE_ERROR_(m, RANGE, "%llu elements", (unsigned long long)n);
    }
    if (!(m->ids[count].flags & SPE_ID_SPEC_)) return SPE_ERROR_(m, NO_VALUE, "the number of elements is undefined");
    if (!spe_is_stored_(e)) return SPE_ERROR_(m, TYPE, "elements of %s", spe_text_(m, elem));
    return spe_type_(m, SPE_OpTypeArray, t, SPE_NEED_NOTHING_, 0, 2, w);
}

spe_id spe_struct(spe_module *m, uint32_t n, const spe_id *members)
{
    spe_id next = (spe_id)m->id_count, id = spe_struct_of_(m, __func__, n, members);
    if (id && id < next) m->types[m->ids[id].aux].shared = true;
    return id;
}

spe_id spe_struct_new(spe_module *m, uint32_t n, const spe_id *members)
{
    spe_id next = (spe_id)m->id_count, id = spe_struct_of_(m, __func__, n, members);
    if (id && id < next) { /* that of an spe_struct before: spe_struct's next call gives a third */
        spe_unshare_struct_(m, id);
        id = spe_struct_of_(m, __func__, n, members);
    }
    spe_unshare_struct_(m, id);
    return id;
}

/* Does OpenCL, or an extension of Intel's, have this storage class? Vulkan's push constants are for parameters. */
XE_ONCE_
static bool spe_is_storage_(const spe_module *m, uint32_t storage)
{
    enum { CODE_SECTION = 5605, DEVICE_ONLY = 5936, HOST_ONLY = 5937 };
    switch (storage) {
    case SPE_StorageClassUniformConstant: case SPE_StorageClassInput: case SPE_StorageClassWorkgroup:
    case SPE_StorageClassCrossWorkgroup: case SPE_StorageClassPrivate: case SPE_StorageClassFunction:
    case SPE_StorageClassGeneric: case SPE_StorageClassImage: case CODE_SECTION: case DEVICE_ONLY: case HOST_ONLY:
        return true;
    case SPE_StorageClassPushConstant: return m->options.env == SPE_ENV_VULKAN;
    default: return false;
    }
}

spe_id spe_ptr(spe_module *m, uint32_t storage, spe_id type)
{
    spe_type_info t = spe_info_of_(SPE_KIND_POINTER, 0, 1, type);
    const spe_type_info *to = spe_want_type_(m, __func__, type);
    uint32_t w[2] = {storage, type};
    t.storage = storage;
    if (!to) return 0;
    if (!spe_is_storage_(m, storage)) return SPE_ERROR_(m, RANGE, "there is no storage class %u", storage);
    if (SPE_UNLIKELY_(to->kind >= SPE_KIND_IMAGE && to->kind <= SPE_KIND_FORWARD))
        return SPE_ERROR_(m, TYPE, "there are no pointers to %s", spe_text_(m, type));
    bool differs = storage == SPE_StorageClassWorkgroup || spe_storage_(m, storage) != storage;
    if (m->vulkan && differs) return m->vulkan->pointer(m, t);
    return spe_type_(m, SPE_OpTypePointer, t, SPE_NEED_STORAGE_, storage, 2, w);
}

spe_id spe_ptr_forward(spe_module *m, uint32_t storage)
{
    spe_type_info t = spe_info_of_(SPE_KIND_FORWARD, 0, 1, 0);
    t.storage = storage;
    if (!spe_is_storage_(m, storage)) return SPE_ERROR_(m, RANGE, "there is no storage class %u", storage);
    if (m->options.env)
        return SPE_ERROR_(m, ENVIRONMENT, "this header has no structs with pointers to themselves for Vulkan");
    spe_id id = spe_new_id_(m, 0, SPE_ID_TYPE_, 0);
    if (!id || !spe_write_(m, SPE_SECTION_GLOBAL_, SPE_OpTypeForwardPointer, 2, id, storage)) return 0;
    m->forward_count++;
    return spe_keep_type_(m, id, t);
}

void spe_ptr_complete(spe_module *m, spe_id ptr, spe_id type)
{
    const spe_type_info *to = spe_want_type_(m, __func__, type), *t = spe_want_type_(m, __func__, ptr);
    uint32_t w[2] = {t ? t->storage : 0, type};
    if (!to || !t) return;
    if (t->kind != SPE_KIND_FORWARD) SPE_ERROR_(m, TYPE, "%s is not an incomplete pointer", spe_text_(m, ptr));
    if (to->kind != SPE_KIND_STRUCT) SPE_ERROR_(m, TYPE, "the pointer is to a struct, not %s", spe_text_(m, type));
    if (spe_unique_as_(m, SPE_OpTypePointer, SPE_ID_TYPE_, 2, w, ptr) != ptr)
        SPE_ERROR_(m, TYPE, "spe_ptr was asked for a pointer to the struct before this one was complete");
    if (m->error.id) return;
    spe_type_info *own = &m->types[m->ids[ptr].aux];
    own->kind = SPE_KIND_POINTER;
    own->elem = type;
    m->forward_count--;
    spe_need_(m, SPE_NEED_STORAGE_, w[0]);
}

spe_id spe_fn_type(spe_module *m, spe_id ret, uint32_t n, const spe_id *params)
{
    spe_type_info t = spe_info_of_(SPE_KIND_FUNCTION, 0, n, ret);
    uint32_t w[256];
    const spe_type_info *r = spe_want_type_(m, __func__, ret);
    if (!r) return 0;
    if (r->kind != SPE_KIND_VOID && !spe_is_stored_(r))
        return SPE_ERROR_(m, TYPE, "a function returns no %s", spe_text_(m, ret));
    if (n > 255) return SPE_ERROR_(m, LIMIT, "%u parameters; SPIR-V allows 255", n);
    w[0] = ret;
    for (uint32_t i = 0; i < n; i++) {
        const spe_type_info *p = spe_want_type_(m, __func__, params[i]);
        if (!p) return 0;
        if (p->kind == SPE_KIND_VOID || p->kind == SPE_KIND_FORWARD)
            return SPE_ERROR_(m, TYPE, "parameter %u is %s", i, spe_text_(m, params[i]));
        w[i + 1] = params[i];
    }
    t.members = (const spe_id *)spe_copied_(m, params, n * sizeof *params);
    return spe_type_(m, SPE_OpTypeFunction, t, SPE_NEED_NOTHING_, 0, n + 1, w);
}

spe_id spe_coopmat(spe_module *m, spe_id component, uint32_t scope, uint32_t rows, uint32_t cols, uint32_t use)
{
    spe_type_info t = spe_info_of_(SPE_KIND_COOPMAT, 0, 0, component);
    const spe_type_info *e = spe_want_type_(m, __func__, component);
    uint32_t w[5] = {component, scope, rows, cols, use}, encoding;
    if (!e) return 0;
    if (e->kind != SPE_KIND_INT && e->kind != SPE_KIND_FLOAT)
        return SPE_ERROR_(m, TYPE, "components are integers or floats, not %s", spe_text_(m, component));
    if (!rows || !cols || use > 2) return SPE_ERROR_(m, RANGE, "%u x %u of use %u", rows, cols, use);
    t.scope = scope;
    t.rows = rows;
    t.cols = cols;
    t.use = use;
    encoding = (uint32_t)e->encoding;
    spe_need_(m, SPE_NEED_COOP_, SPE_IEEE);
    for (uint32_t i = 1; i < 5; i++) w[i] = spe_u32(m, w[i]);
    return w[4] ? spe_type_(m, SPE_OpTypeCooperativeMatrixKHR, t, SPE_NEED_COOP_, encoding, 5, w) : 0;
}

spe_id spe_coopvec(spe_module *m, spe_id component, uint32_t n)
{
    spe_type_info t = spe_info_of_(SPE_KIND_COOPVEC, 0, n, component);
    const spe_type_info *e = spe_want_type_(m, __func__, component);
    uint32_t w[2] = {component, 0};
    if (!e) return 0;
    if ((e->kind != SPE_KIND_INT && e->kind != SPE_KIND_FLOAT) || !n)
        return SPE_ERROR_(m, TYPE, "one or more integers or floats, not %u of %s", n, spe_text_(m, component));
    w[1] = spe_u32(m, n);
    return w[1] ? spe_type_(m, SPE_OpTypeCooperativeVectorNV, t, SPE_NEED_COOPVEC_, 0, 2, w) : 0;
}
