/* types.c - types and their sizes by OpenCL's rules; decorations, with groups expanded. */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

/* ---- sizes */

static uint64_t round_up(uint64_t n, uint64_t to) { return to ? (n + to - 1) / to * to : n; }

/* The type of an operand; NULL after refusing one that is not a type, incomplete, or too deeply nested. */
static const struct sp_type *operand_type(struct sp_reader *r, const struct sp_inst *i, uint32_t operand)
{
    const struct sp_type *t = sp_type(r->m, i->operand[operand]);
    if (!t) {
        sp_refuse(r, i, "operand %u, %%%u, is not a type defined before", operand,
                  sp_number(r->m, i->operand[operand]));
        return NULL;
    }
    if (t->depth >= SP_MAX_TYPE_DEPTH) {
        sp_refuse(r, i, "types nest deeper than %d", SP_MAX_TYPE_DEPTH);
        return NULL;
    }
    return t;
}

static bool limit_size(struct sp_reader *r, const struct sp_inst *i, uint64_t elem, uint64_t count)
{
    if (count && elem > SP_MAX_TYPE_BYTES / count)
        return sp_refuse(r, i, "the type is larger than %llu bytes", (unsigned long long)SP_MAX_TYPE_BYTES);
    return true;
}

static bool is_numeric(const struct sp_type *t) { return t->kind == SP_INT || t->kind == SP_FLOAT; }
static bool is_narrow(const struct sp_type *t) { return t->kind == SP_INT && t->bits != 8 * t->size; }

/* ---- one function per kind of type */

static bool set_int(struct sp_reader *r, const struct sp_inst *i, struct sp_type *t)
{
    uint32_t bits = i->operand[0];
    if (!bits || bits > 64) return sp_refuse(r, i, "integers of %u bits: 1 to 64 are supported", bits);
    if (i->operand[1] > 1) return sp_refuse(r, i, "signedness %u", i->operand[1]);
    t->kind = SP_INT;
    t->bits = bits;
    t->size = bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
    t->align = (uint32_t)t->size;
    r->m->has_narrow = r->m->has_narrow || bits != 8 * t->size;
    return true;
}

static bool set_float(struct sp_reader *r, const struct sp_inst *i, struct sp_type *t)
{
    static const struct {
        uint32_t bits, token, encoding;
    } encodings[] = {{16, SP_ENCODING_BFloat16KHR, SP_BF16},
                     {8, SP_ENCODING_Float8E4M3EXT, SP_E4M3},
                     {8, SP_ENCODING_Float8E5M2EXT, SP_E5M2}};
    uint32_t bits = i->operand[0], k;
    bool found = i->count < 2 && (bits == 16 || bits == 32 || bits == 64);
    t->kind = SP_FLOAT;
    t->bits = bits;
    for (k = 0; i->count > 1 && k < sizeof encodings / sizeof encodings[0]; k++)
        if (encodings[k].bits == bits && encodings[k].token == i->operand[1]) {
            t->encoding = encodings[k].encoding;
            found = true;
        }
    if (!found) return sp_refuse(r, i, "a float of %u bits with this encoding is not supported", bits);
    t->size = bits / 8;
    t->align = bits / 8;
    return true;
}

static bool dimension(struct sp_reader *r, const struct sp_inst *i, uint32_t operand, uint32_t *to)
{
    const struct sp_type *t = sp_value_type(r->m, i->operand[operand]);
    uint64_t n;
    if (!t || t->kind != SP_INT || !sp_constant(r->m, i->operand[operand], &n))
        return sp_refuse(r, i, "operand %u is not an integer constant", operand);
    if (n > 4096)
        return sp_refuse(r, i, "operand %u is %llu, at most 4096 is supported", operand, (unsigned long long)n);
    *to = (uint32_t)n;
    return true;
}

/* In memory a vector's size is rounded up to a power of two, as for three components in OpenCL. */
static bool set_vector(struct sp_reader *r, const struct sp_inst *i, struct sp_type *t)
{
    const struct sp_type *e = operand_type(r, i, 0);
    uint32_t n = i->operand[1], room = 1;
    if (!e) return false;
    if (!is_numeric(e) && e->kind != SP_BOOL) return sp_refuse(r, i, "vectors of this type do not exist");
    if (is_narrow(e)) return sp_refuse(r, i, "vectors of integers of %u bits are not supported", e->bits);
    if (i->op == SP_OP_TypeVectorIdEXT && !dimension(r, i, 1, &n)) return false;
    bool usual = n == 2 || n == 3 || n == 4 || n == 8 || n == 16;
    if (!usual && !r->has_any_vector &&
        !sp_deviate(r, i, SP_VECTOR_LENGTH,
                    "%u components: 2, 3, 4, 8, 16 are supported without VectorAnyINTEL or LongVectorEXT", n))
        return false;
    if (n == 0 || n > SP_MAX_COMPONENTS)
        return sp_refuse(r, i, "%u components: 1 to %d are supported", n, SP_MAX_COMPONENTS);
    while (room < n) room *= 2;
    t->kind = SP_VECTOR;
    t->elem = e->id;
    t->parts = 1 + e->parts;
    t->count = n;
    t->size = e->size * room;
    t->align = (uint32_t)t->size;
    t->depth = e->depth + 1;
    return true;
}

static bool set_array(struct sp_reader *r, const struct sp_inst *i, struct sp_type *t)
{
    const struct sp_type *e = operand_type(r, i, 0);
    uint64_t n = 0;
    if (!e) return false;
    if (!e->size) return sp_refuse(r, i, "its elements have no size in memory");
    if (i->op == SP_OP_TypeArray) {
        const struct sp_type *length = sp_value_type(r->m, i->operand[1]);
        if (!length || length->kind != SP_INT || !sp_constant(r->m, i->operand[1], &n))
            return sp_refuse(r, i, "its length %%%u is not an integer constant", sp_number(r->m, i->operand[1]));
        if (n == 0 || n > 0xffffffffu) return sp_refuse(r, i, "a length of %llu", (unsigned long long)n);
    }
    if (!limit_size(r, i, round_up(e->size, e->align), n)) return false;
    t->kind = i->op == SP_OP_TypeArray ? SP_ARRAY : SP_RUNTIME_ARRAY;
    t->elem = e->id;
    t->parts = 1 + e->parts;
    t->count = (uint32_t)n;
    t->size = round_up(e->size, e->align) * n;
    t->align = e->align;
    t->depth = e->depth + 1;
    return true;
}

static bool add_member(struct sp_reader *r, const struct sp_inst *i, struct sp_type *t, uint32_t k, bool packed,
                       uint32_t *offset)
{
    const struct sp_type *e;
    uint64_t size = 8, at;
    uint32_t align = 8, parts = 1;
    if (!sp_type(r->m, i->operand[k]) && r->forward[i->operand[k]]) {
        at = round_up(t->size, packed ? 1 : align); /* a pointer declared but not defined yet */
    } else {
        e = operand_type(r, i, k);
        if (!e) return false;
        if (!e->size && e->kind != SP_STRUCT) return sp_refuse(r, i, "member %u has no size in memory", k);
        size = e->size;
        align = e->align;
        parts = e->parts;
        at = round_up(t->size, packed ? 1 : align);
        if (e->depth + 1 > t->depth) t->depth = e->depth + 1;
    }
    if (at + size > 0xffffffffu) return sp_refuse(r, i, "the struct is larger than 4 GiB");
    t->parts += parts; /* cannot overflow: each is within the limit */
    if (t->parts > SP_MAX_TYPE_PARTS)
        return sp_refuse(r, i, "%u parts with those of members, at most %d are supported", t->parts, SP_MAX_TYPE_PARTS);
    *offset = (uint32_t)at;
    t->size = at + size;
    if (!packed && align > t->align) t->align = align;
    return true;
}

static bool set_struct(struct sp_reader *r, const struct sp_inst *i, struct sp_type *t)
{
    bool packed = sp_decorated(r->m, i->id, SP_DECORATION_CPacked) != NULL;
    uint32_t *offsets, k;
    if (i->count > SP_MAX_MEMBERS) return sp_refuse(r, i, "more than %d members", SP_MAX_MEMBERS);
    offsets = sp_alloc(r, i->count, sizeof *offsets);
    if (!offsets) return false;
    t->kind = SP_STRUCT;
    t->count = i->count;
    t->members = i->operand;
    t->offsets = offsets;
    t->align = 1;
    t->depth = 1;
    for (k = 0; k < i->count; k++)
        if (!add_member(r, i, t, k, packed, &offsets[k])) return false;
    t->size = round_up(t->size, t->align);
    return true;
}

static bool known_storage(uint32_t storage)
{
    switch (storage) {
    case SP_STORAGE_UniformConstant:
    case SP_STORAGE_Input:
    case SP_STORAGE_Workgroup:
    case SP_STORAGE_CrossWorkgroup:
    case SP_STORAGE_Private:
    case SP_STORAGE_Function:
    case SP_STORAGE_CodeSectionINTEL:
    case SP_STORAGE_Generic: return true;
    default: return false;
    }
}

static bool set_pointer(struct sp_reader *r, const struct sp_inst *i, struct sp_type *t)
{
    const struct sp_type *e = operand_type(r, i, 1);
    if (!e) return false;
    if (!known_storage(i->operand[0])) return sp_refuse(r, i, "storage class %u is not supported", i->operand[0]);
    if (r->forward[i->id] && r->forward[i->id] != i->operand[0] + 1)
        return sp_refuse(r, i, "its forward declaration names another storage class");
    t->kind = SP_POINTER;
    t->storage = i->operand[0];
    t->elem = e->id;
    t->size = 8;
    t->align = 8;
    t->depth = e->depth + 1;
    return true;
}

static bool set_function(struct sp_reader *r, const struct sp_inst *i, struct sp_type *t)
{
    uint32_t k;
    if (i->count - 1 > SP_MAX_PARAMETERS) return sp_refuse(r, i, "more than %d parameters", SP_MAX_PARAMETERS);
    for (k = 0; k < i->count; k++) {
        const struct sp_type *e = operand_type(r, i, k);
        if (!e) return false;
        if (e->kind == SP_FUNCTION || (k && e->kind == SP_VOID))
            return sp_refuse(r, i, "parameter %u cannot be of this type", k);
        if (e->depth + 1 > t->depth) t->depth = e->depth + 1;
    }
    t->kind = SP_FUNCTION;
    t->elem = i->operand[0];
    t->count = (uint32_t)i->count - 1;
    t->members = i->operand + 1;
    return true;
}

static bool set_coopmat(struct sp_reader *r, const struct sp_inst *i, struct sp_type *t)
{
    const struct sp_type *e = operand_type(r, i, 0);
    if (!e) return false;
    if (!is_numeric(e) || is_narrow(e)) return sp_refuse(r, i, "its components are not numbers of a usual width");
    t->kind = SP_COOPMAT;
    t->elem = e->id;
    t->depth = e->depth + 1;
    if (!dimension(r, i, 1, &t->scope) || !dimension(r, i, 2, &t->rows) || !dimension(r, i, 3, &t->cols) ||
        !dimension(r, i, 4, &t->use))
        return false;
    if (t->scope != SP_SCOPE_Subgroup) return sp_refuse(r, i, "scope %u: matrices belong to a subgroup here", t->scope);
    if (t->use > SP_USE_MatrixAccumulatorKHR) return sp_refuse(r, i, "use %u does not exist", t->use);
    if (t->rows == 0 || t->cols == 0) return sp_refuse(r, i, "a matrix of %u x %u", t->rows, t->cols);
    return true;
}

/* An image is the address of an xs_image (abi.h). */
static bool set_image(struct sp_reader *r, const struct sp_inst *i, struct sp_type *t)
{
    const struct sp_type *sampled = operand_type(r, i, 0);
    if (!sampled) return false;
    if (sampled->kind != SP_VOID && !is_numeric(sampled)) return sp_refuse(r, i, "its sampled type is not a number");
    t->kind = SP_IMAGE;
    t->size = t->align = 8;
    t->dim = i->operand[1];
    t->depth_image = i->operand[2];
    t->arrayed = i->operand[3];
    t->access = i->count > 7 ? i->operand[7] : SP_QUALIFIER_ReadWrite;
    if (t->dim != SP_DIM_1D && t->dim != SP_DIM_2D && t->dim != SP_DIM_3D && t->dim != SP_DIM_Buffer)
        return sp_refuse(r, i, "dimensionality %u: 1D, 2D, 3D and Buffer are supported", t->dim);
    if (t->depth_image > 2 || i->operand[5] > 2 || t->access > SP_QUALIFIER_ReadWrite)
        return sp_refuse(r, i, "depth %u, sampled %u, access %u", t->depth_image, i->operand[5], t->access);
    if (t->arrayed > 1 || (t->arrayed && (t->dim == SP_DIM_3D || t->dim == SP_DIM_Buffer)))
        return sp_refuse(r, i, "arrays of images of 1 and 2 dimensions exist");
    if (i->operand[4]) return sp_refuse(r, i, "images of several samples are not supported");
    return i->operand[6] == SP_FORMAT_Unknown || sp_refuse(r, i, "kernels' images have no format in their type");
}

/* An image and a sampler. It is never in memory. */
static bool set_sampled_image(struct sp_reader *r, const struct sp_inst *i, struct sp_type *t)
{
    const struct sp_type *image = operand_type(r, i, 0);
    if (!image) return false;
    if (image->kind != SP_IMAGE || image->dim == SP_DIM_Buffer)
        return sp_refuse(r, i, "it is not of an image that can be sampled");
    t->kind = SP_SAMPLED_IMAGE;
    t->elem = image->id;
    t->count = 2;
    t->depth = image->depth + 1;
    return true;
}

static bool set_forward(struct sp_reader *r, const struct sp_inst *i)
{
    uint32_t id = i->operand[0];
    if (r->m->ids[id].what != SP_NOTHING || r->forward[id])
        return sp_refuse(r, i, "%%%u is known already", sp_number(r->m, id));
    if (!known_storage(i->operand[1])) return sp_refuse(r, i, "storage class %u is not supported", i->operand[1]);
    r->forward[id] = (uint8_t)(i->operand[1] + 1);
    return true;
}

bool sp_accept_type(struct sp_reader *r, const struct sp_inst *i)
{
    struct sp_module *m = r->m;
    struct sp_type *t = &m->types[m->type_count];
    bool good = true;
    memset(t, 0, sizeof *t);
    t->id = i->id;
    t->parts = 1;
    if (i->op == SP_OP_TypeForwardPointer) return set_forward(r, i);
    switch (i->op) {
    case SP_OP_TypeVoid: t->kind = SP_VOID; break;
    case SP_OP_TypeBool:
        t->kind = SP_BOOL;
        t->size = t->align = 1;
        break;
    case SP_OP_TypeInt: good = set_int(r, i, t); break;
    case SP_OP_TypeFloat: good = set_float(r, i, t); break;
    case SP_OP_TypeVector:
    case SP_OP_TypeVectorIdEXT: good = set_vector(r, i, t); break;
    case SP_OP_TypeArray:
    case SP_OP_TypeRuntimeArray: good = set_array(r, i, t); break;
    case SP_OP_TypeStruct: good = set_struct(r, i, t); break;
    case SP_OP_TypePointer: good = set_pointer(r, i, t); break;
    case SP_OP_TypeFunction: good = set_function(r, i, t); break;
    case SP_OP_TypeCooperativeMatrixKHR: good = set_coopmat(r, i, t); break;
    case SP_OP_TypeEvent:
        t->kind = SP_EVENT;
        t->size = t->align = 8;
        break;
    case SP_OP_TypeOpaque: t->kind = SP_OPAQUE; break;
    case SP_OP_TypeImage: good = set_image(r, i, t); break;
    case SP_OP_TypeSampler:
        t->kind = SP_SAMPLER;
        t->size = t->align = 8;
        break;
    case SP_OP_TypeSampledImage: good = set_sampled_image(r, i, t); break;
    default: return sp_refuse(r, i, "the software device does not have this type");
    }
    if (!good || !sp_define(r, i, SP_IS_TYPE, 0)) return false;
    if (r->forward[i->id] && t->kind != SP_POINTER) return sp_refuse(r, i, "its forward declaration says pointer");
    m->type_of_id[i->id] = ++m->type_count;
    return true;
}

/* Structs may contain forward-declared pointers; each must be defined in the end. */
bool sp_check_forward(struct sp_reader *r)
{
    const struct sp_module *m = r->m;
    uint32_t id;
    for (id = 1; id < m->bound; id++)
        if (r->forward[id] && !m->type_of_id[id])
            return sp_refuse(r, NULL, "the forward pointer %%%u is never defined", sp_number(r->m, id));
    return true;
}

bool sp_same(const struct sp_module *m, uint32_t a, uint32_t b)
{
    const struct sp_type *x = sp_type(m, a), *y = sp_type(m, b);
    if (a == b) return x != NULL;
    if (!x || !y || x->kind != y->kind) return false;
    switch (x->kind) {
    case SP_VOID:
    case SP_BOOL:
    case SP_SAMPLER:
    case SP_EVENT: return true;
    case SP_IMAGE:
        return x->dim == y->dim && x->depth_image == y->depth_image && x->arrayed == y->arrayed &&
               x->access == y->access;
    case SP_SAMPLED_IMAGE: return sp_same(m, x->elem, y->elem);
    case SP_INT: return x->bits == y->bits;
    case SP_FLOAT: return x->bits == y->bits && x->encoding == y->encoding;
    case SP_VECTOR: return x->count == y->count && sp_same(m, x->elem, y->elem);
    case SP_POINTER: return x->storage == y->storage && sp_same(m, x->elem, y->elem);
    case SP_COOPMAT:
        return x->rows == y->rows && x->cols == y->cols && x->use == y->use && sp_same(m, x->elem, y->elem);
    default: return false;
    }
}

/* ---- decorations */

bool sp_add_decoration(struct sp_reader *r, const struct sp_inst *i)
{
    bool member = i->op == SP_OP_MemberDecorate || i->op == SP_OP_MemberDecorateString;
    struct sp_raw_decoration *d;
    if (i->op == SP_OP_DecorationGroup) return sp_define(r, i, SP_IS_GROUP, 0);
    if (i->op == SP_OP_GroupDecorate || i->op == SP_OP_GroupMemberDecorate) {
        r->group_insts[r->group_count++] = i;
        return true;
    }
    d = &r->raw[r->raw_count];
    d->order = r->raw_count++;
    d->d.target = i->operand[0];
    d->d.member = member ? i->operand[1] : ~0u;
    d->d.kind = i->operand[member ? 2 : 1];
    d->d.operand = i->operand + (member ? 3 : 2);
    d->d.count = (uint32_t)i->count - (member ? 3 : 2);
    return true;
}

static int by_target(const void *a, const void *b)
{
    const struct sp_raw_decoration *x = a, *y = b;
    if (x->d.target != y->d.target) return x->d.target < y->d.target ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static uint32_t first_of(const struct sp_reader *r, uint32_t target)
{
    uint32_t low = 0, high = r->raw_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (r->raw[middle].d.target < target)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Expands a group for one target; only counts the decorations if `to` is NULL. */
static uint32_t expand_target(const struct sp_reader *r, uint32_t group, uint32_t target, uint32_t member,
                              struct sp_raw_decoration *to, uint32_t order)
{
    uint32_t from = first_of(r, group), k;
    for (k = from; k < r->raw_count && r->raw[k].d.target == group; k++) {
        if (!to) continue;
        to[k - from] = r->raw[k];
        to[k - from].d.target = target;
        if (member != ~0u) to[k - from].d.member = member;
        to[k - from].order = order + (k - from);
    }
    return k - from;
}

/* Groups are a compact notation, so the expanded size is limited in proportion to the module. */
static uint64_t most_decorations(const struct sp_reader *r)
{
    uint64_t most = SP_FEW_DECORATIONS + (uint64_t)SP_DECORATIONS_A_WORD * r->m->word_count;
    return most < SP_MAX_DECORATIONS ? most : SP_MAX_DECORATIONS;
}

/* Expands all groups into `to`; only counts the decorations if it is NULL. */
static uint64_t expand(const struct sp_reader *r, struct sp_raw_decoration *to)
{
    uint64_t total = 0;
    uint32_t g, k;
    for (g = 0; g < r->group_count; g++) {
        const struct sp_inst *i = r->group_insts[g];
        uint32_t step = i->op == SP_OP_GroupMemberDecorate ? 2 : 1;
        for (k = 1; k + step <= i->count; k += step) {
            total += expand_target(r, i->operand[0], i->operand[k], step == 2 ? i->operand[k + 1] : ~0u,
                                   to ? to + total : NULL, r->raw_count + (uint32_t)total);
            if (total > most_decorations(r)) return total;
        }
    }
    return total;
}

/* Sorts decorations, adds those of groups, and stores them in the module. */
bool sp_finish_decorations(struct sp_reader *r)
{
    struct sp_module *m = r->m;
    struct sp_raw_decoration *all;
    uint32_t total, k;
    uint64_t more;
    for (k = 0; k < r->group_count; k++)
        if (m->ids[r->group_insts[k]->operand[0]].what != SP_IS_GROUP)
            return sp_refuse(r, r->group_insts[k], "%%%u is not a decoration group",
                             sp_number(r->m, r->group_insts[k]->operand[0]));
    qsort(r->raw, r->raw_count, sizeof *r->raw, by_target);
    more = expand(r, NULL);
    if (more + r->raw_count > most_decorations(r))
        return sp_refuse(r, NULL, "more than %llu decorations", (unsigned long long)most_decorations(r));
    total = r->raw_count + (uint32_t)more;
    all = sp_alloc(r, total, sizeof *all);
    m->decorations = sp_alloc(r, total, sizeof *m->decorations);
    if (!all || !m->decorations) return false;
    if (r->raw_count) memcpy(all, r->raw, r->raw_count * sizeof *all);
    expand(r, all + r->raw_count);
    qsort(all, total, sizeof *all, by_target);
    for (k = 0; k < total; k++) m->decorations[k] = all[k].d;
    m->decoration_count = total;
    return true;
}
