/* codegen.c - a checked module becomes one C translation unit.
 *
 * The text is: abi.h, prelude.h, then for every subgroup size S of the module's kernels the lane preludes, the types,
 * the functions and the kernels, then the tables that make `xs_module`. The only bytes of a module that reach it are
 * numbers and, in the tables, names as escaped string literals.
 */
#include "codegen.h"

#include "abi.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CG_MAX_LEAVES = 4096, CG_CHUNK = 1 << 16, CG_LARGE_FUNCTION = 600 /* instructions */ };
static const size_t cg_max_text = (size_t)1 << 27, cg_max_memory = (size_t)1 << 31;

/* ---- memory and text */

struct chunk {
    struct chunk *next;
    size_t used, size;
};

static void *take(struct cg *g, void **arena, size_t bytes)
{
    struct chunk *c = *arena;
    bytes = (bytes + 15) & ~(size_t)15;
    if (!c || c->size - c->used < bytes) {
        size_t size = bytes > CG_CHUNK ? bytes : CG_CHUNK;
        bool over = size > cg_max_memory - g->taken;
        if (over) cg_fail(g, "the code generator needs too much memory for this module");
        c = over ? NULL : calloc(1, sizeof *c + 16 + size);
        if (!c) {
            g->failed = true;
            return NULL;
        }
        g->taken += size;
        c->size = size;
        c->next = *arena;
        *arena = c;
    }
    c->used += bytes;
    return (char *)c + ((sizeof *c + 15) & ~(size_t)15) + c->used - bytes;
}

void *cg_alloc(struct cg *g, size_t bytes) { return take(g, &g->arena, bytes); }

static void free_arena(struct cg *g, void **arena)
{
    for (struct chunk *c = *arena, *next; c; c = next) {
        next = c->next;
        g->taken -= c->size;
        free(c);
    }
    *arena = NULL;
}

const char *cg_str(struct cg *g, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *s = n < 0 ? NULL : take(g, &g->words, (size_t)n + 1);
    if (s) vsnprintf(s, (size_t)n + 1, format, again);
    va_end(args);
    va_end(again);
    return s ? s : "";
}

static const char *keep(struct cg *g, const char *text)
{
    char *s = cg_alloc(g, strlen(text) + 1);
    return s ? strcpy(s, text) : "";
}

/* Is there room for so many bytes more, and a zero? */
static bool make_room(struct cg *g, size_t bytes)
{
    struct sp_text *t = g->c;
    if (t->failed || g->failed) return false;
    if (t->data && t->capacity - t->size > bytes) return true;
    size_t capacity = (t->capacity ? t->capacity * 2 : CG_CHUNK) + bytes;
    char *data = capacity > cg_max_text ? NULL : realloc(t->data, capacity);
    if (!data) {
        g->failed = t->failed = true;
        sp_text_add(g->log, "error: the generated text is too large\n");
        return false;
    }
    t->data = data;
    t->capacity = capacity;
    return true;
}

void cg_put(struct cg *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = 0;
    while (make_room(g, n > 0 ? (size_t)n : 0)) {
        va_list again;
        size_t room = g->c->capacity - g->c->size;
        va_copy(again, args);
        n = vsnprintf(g->c->data + g->c->size, room, format, again);
        va_end(again);
        if (n < 0 || (size_t)n >= room) continue;
        g->c->size += (size_t)n;
        break;
    }
    va_end(args);
}

void cg_put_text(struct cg *g, const char *text, size_t bytes)
{
    if (!bytes || !make_room(g, bytes)) return;
    memcpy(g->c->data + g->c->size, text, bytes);
    g->c->size += bytes;
    g->c->data[g->c->size] = 0;
}

void cg_fail(struct cg *g, const char *format, ...)
{
    char text[256];
    va_list args;
    if (g->failed) return;
    g->failed = true;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (g->inst) {
        sp_text_add(g->log, "error: word %u, %s: %s\n", g->inst->word, sp_op_name(g->inst->op), text);
    } else {
        sp_text_add(g->log, "error: %s\n", text);
    }
}

bool cg_is_new_helper(struct cg *g, const char *name)
{
    struct cg_helper *h = g->helper;
    while (h && strcmp(h->name, name)) h = h->next;
    if (h) return false;
    h = cg_alloc(g, sizeof *h + strlen(name) + 1);
    if (!h) return false;
    strcpy(h->name, name);
    h->next = g->helper;
    g->helper = h;
    return true;
}

void cg_call_lanes(struct cg *g, const char *to, const char *result, const char *name, uint32_t n,
                   const char *const *types, const char *const *args)
{
    const char *helper = cg_str(g, "lanes_%s_%s", name, result), *params = "", *copies = "", *list = "";
    for (uint32_t i = 0; i < n; i++) {
        helper = cg_str(g, "%s_%s", helper, types[i]);
        params = cg_str(g, "%s, const %sx *a%u", params, types[i], i);
        copies =
            cg_str(g, "%s    %s x%u[S];\n    __builtin_memcpy(x%u, a%u, sizeof x%u);\n", copies, types[i], i, i, i, i);
        list = cg_str(g, "%s%sx%u[l]", list, i ? ", " : "", i);
    }
    if (cg_is_new_helper(g, helper)) {
        struct sp_text *body = g->c;
        g->c = &g->helpers;
        cg_put(g,
               "XS_FUNCTION void XS(%s)(%sx *r%s)\n{\n%s    %s y[S];\n    for (int l = 0; l < S; l++) y[l] = %s(%s);\n"
               "    __builtin_memcpy(r, y, sizeof y);\n}\n",
               helper, result, params, copies, result, name, list);
        g->c = body;
    }
    cg_put(g, "    {\n");
    list = "";
    for (uint32_t i = 0; i < n; i++) {
        cg_put(g, "    const %sx a%u_ = (%sx)(%s);\n", types[i], i, types[i], args[i]);
        list = cg_str(g, "%s, &a%u_", list, i);
    }
    cg_put(g, "    %sx r_;\n    XS(%s)(&r_%s);\n    %s = r_;\n    }\n", result, helper, list, to);
}

/* ---- kinds */

static const struct {
    const char *name, *uniform, *varying, *s_uniform, *s_varying;
    uint32_t bytes;
} kinds[] = {
    [CG_BOOL] = {"i32", "i32", "i32x", "i32", "i32x", 1},  [CG_U8] = {"u8", "u8", "u8x", "i8", "i8x", 1},
    [CG_U16] = {"u16", "u16", "u16x", "i16", "i16x", 2},   [CG_U32] = {"u32", "u32", "u32x", "i32", "i32x", 4},
    [CG_U64] = {"u64", "u64", "u64x", "i64", "i64x", 8},   [CG_F32] = {"f32", "f32", "f32x", "f32", "f32x", 4},
    [CG_F64] = {"f64", "f64", "f64x", "f64", "f64x", 8},   [CG_F16] = {"f16", "u16", "u16x", "i16", "i16x", 2},
    [CG_BF16] = {"bf16", "u16", "u16x", "i16", "i16x", 2}, [CG_E4M3] = {"e4m3", "u8", "u8x", "i8", "i8x", 1},
    [CG_E5M2] = {"e5m2", "u8", "u8x", "i8", "i8x", 1},
};

const char *cg_kind_name(enum cg_kind kind) { return kinds[kind].name; }
uint32_t cg_kind_bytes(enum cg_kind kind) { return kinds[kind].bytes; }
bool cg_kind_is_float(enum cg_kind kind) { return kind >= CG_F32; }
bool cg_kind_is_small_float(enum cg_kind kind) { return kind >= CG_F16; }

enum cg_kind cg_bits_kind(uint32_t bytes)
{
    return bytes == 1 ? CG_U8 : bytes == 2 ? CG_U16 : bytes == 4 ? CG_U32 : CG_U64;
}

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

static bool kind_of_type(const struct sp_type *t, enum cg_kind *kind)
{
    switch (t->kind) {
    case SP_BOOL: *kind = CG_BOOL; return true;
    case SP_POINTER:
    case SP_EVENT: *kind = CG_U64; return true;
    case SP_INT:
        *kind = cg_bits_kind(t->bits / 8);
        return t->bits == 8 || t->bits == 16 || t->bits == 32 || t->bits == 64;
    case SP_FLOAT:
        if (t->encoding == SP_BF16)
            *kind = CG_BF16;
        else if (t->encoding == SP_E4M3)
            *kind = CG_E4M3;
        else if (t->encoding == SP_E5M2)
            *kind = CG_E5M2;
        else
            *kind = t->bits == 16 ? CG_F16 : t->bits == 32 ? CG_F32 : CG_F64;
        return true;
    default: return false;
    }
}

/* ---- leaves */

/* Components of a cooperative matrix in each lane. */
static uint32_t matrix_parts(const struct sp_type *t, uint32_t S) { return (t->rows * t->cols + S - 1) / S; }

static uint64_t count_leaves(const struct cg *g, uint32_t type_id)
{
    const struct sp_type *t = sp_type(g->m, type_id);
    enum cg_kind kind;
    uint64_t n = 0;
    if (kind_of_type(t, &kind)) return 1;
    if (t->kind == SP_COOPMAT) return matrix_parts(t, g->S);
    if (t->kind == SP_VECTOR || t->kind == SP_ARRAY) {
        n = count_leaves(g, t->elem);
        return t->count && n > CG_MAX_LEAVES / t->count ? CG_MAX_LEAVES + 1 : n * t->count;
    }
    if (t->kind != SP_STRUCT) return CG_MAX_LEAVES + 1;
    for (uint32_t i = 0; i < t->count && n <= CG_MAX_LEAVES; i++) n += count_leaves(g, t->members[i]);
    return n;
}

static void fill_leaves(struct cg *g, uint32_t type_id, struct cg_leaf **at, uint32_t offset, const char *path)
{
    const struct sp_type *t = sp_type(g->m, type_id);
    enum cg_kind kind;
    if (g->failed) return;
    if (kind_of_type(t, &kind)) {
        *(*at)++ = (struct cg_leaf){kind, offset, path};
        return;
    }
    for (uint32_t i = 0; i < (t->kind == SP_COOPMAT ? matrix_parts(t, g->S) : t->count); i++) {
        if (t->kind == SP_STRUCT) {
            fill_leaves(g, t->members[i], at, offset + t->offsets[i], keep(g, cg_str(g, "%s.m%u", path, i)));
        } else {
            uint32_t size = t->kind == SP_VECTOR && sp_type(g->m, t->elem)->kind == SP_BOOL
                                ? 1
                                : (uint32_t)cg_memory_size(g, t->elem);
            fill_leaves(g, t->elem, at, offset + i * size, keep(g, cg_str(g, "%s.e[%u]", path, i)));
        }
    }
}

const struct cg_leaves *cg_leaves_of(struct cg *g, uint32_t type_id)
{
    static const struct cg_leaf none = {CG_U32, 0, ""};
    static const struct cg_leaves dummy = {0, &none};
    const struct sp_type *t = sp_type(g->m, type_id);
    struct cg_leaves *l;
    if (!t) return &dummy;
    l = &g->leaves[t - g->m->types];
    if (!l->leaf && !g->failed) {
        uint64_t n = count_leaves(g, type_id);
        if (n > CG_MAX_LEAVES) {
            cg_fail(g, "a value of this type has too many parts, or none the device knows");
            return &dummy;
        }
        struct cg_leaf *leaf = cg_alloc(g, (size_t)(n ? n : 1) * sizeof *leaf), *at = leaf;
        if (!leaf) return &dummy;
        fill_leaves(g, type_id, &at, 0, "");
        l->leaf = leaf;
        l->count = (uint32_t)n;
    }
    return l->leaf ? l : &dummy;
}

const char *cg_type_name(struct cg *g, uint32_t type_id, bool varying)
{
    const struct sp_type *t = sp_type(g->m, type_id);
    enum cg_kind kind;
    if (t->kind == SP_VOID) return "void";
    if (kind_of_type(t, &kind)) return cg_kind_type(g, kind, varying);
    if (varying) return cg_str(g, "c%ux%u", type_id, g->S);
    return cg_str(g, "c%u", type_id);
}

/* ---- values as expressions */

uint32_t cg_home(struct cg *g, uint32_t id) { return g->value[id].home ? g->value[id].home : id; }

const char *cg_variable(struct cg *g, uint32_t id)
{
    uint32_t home = cg_home(g, id);
    const struct cg_value *v = &g->value[home];
    return v->group ? cg_str(g, "c%u[%u]", v->group, v->row) : cg_str(g, "v%u", home);
}

uint32_t cg_operand(struct cg *g, uint32_t i) { return i < g->inst->count ? g->inst->operand[i] : 0; }
bool cg_is_varying(struct cg *g, uint32_t id) { return g->value[id].varying; }

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
        how = g->inst && g->inst->id &&
                      sp_decorated(g->m, g->inst->id, SP_DECORATION_SaturatedToLargestFloat8NormalConversionEXT)
                  ? "_sat"
                  : "_rne";
    return cg_str(g, varying ? "XS(f32_to_%s%s)(%s)" : "f32_to_%s%s(%s)", kinds[kind].name, how, e);
}

/* A lane vector of integers as one of `to` (integers or floats), by doubling or halving: gcc 12 takes longer steps
 * apart. */
const char *cg_convert(struct cg *g, const char *e, enum cg_kind from, enum cg_kind to, bool is_signed)
{
    uint32_t bytes = kinds[from].bytes, last = kinds[to].bytes;
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

static const char *address_of_global(struct cg *g, uint32_t variable, int64_t offset)
{
    const struct sp_inst *d = g->m->ids[variable].def;
    if (d->op == SP_OP_Function) return cg_address_of_function(g, variable);
    if (d->operand[0] == SP_STORAGE_Workgroup) {
        uint64_t end = g->local_offset[variable] + sp_type(g->m, sp_type(g->m, d->type)->elem)->size;
        if (g->fn && end > g->fn->local_bytes) g->fn->local_bytes = (uint32_t)end;
        return cg_str(g, "(%s + %lldu)", cg_is_kernel(g->fn) ? "at.local" : "(u64)(uintptr_t)self->local",
                      (long long)(g->local_offset[variable] + offset));
    }
    return cg_str(g, "((u64)(uintptr_t)self->globals[%u] + (u64)%lldll)", g->global_index[variable], (long long)offset);
}

/* A scalar of a constant, found through the bytes it has in memory (or its bits, where there are none). */
static const char *constant_leaf(struct cg *g, uint32_t id, uint32_t leaf)
{
    const struct sp_id *d = &g->m->ids[id];
    const struct cg_leaves *l = cg_leaves_of(g, d->type);
    const struct sp_type *t = sp_type(g->m, d->type);
    uint32_t variable;
    int64_t offset;
    uint64_t bits = 0;
    if (leaf >= l->count) return "0";
    if (t->kind == SP_POINTER && sp_constant_address(g->m, id, &variable, &offset)) {
        return address_of_global(g, variable, offset);
    }
    if (d->bits && (t->kind == SP_VECTOR || l->count == 1)) return cg_literal(g, l->leaf[leaf].kind, d->bits[leaf]);
    if (l->count == 1 && sp_constant(g->m, id, &bits)) return cg_literal(g, l->leaf[0].kind, bits);
    if (t->kind == SP_COOPMAT && d->def->count == 1) return constant_leaf(g, d->def->operand[0], 0);
    if ((d->def->op == SP_OP_ConstantComposite || d->def->op == SP_OP_SpecConstantComposite) && t->kind != SP_VOID) {
        for (uint32_t i = 0, first = 0; i < d->def->count; i++) {
            uint32_t part = d->def->operand[i], n = cg_leaves_of(g, g->m->ids[part].type)->count;
            if (leaf - first < n) return constant_leaf(g, part, leaf - first);
            first += n;
        }
    }
    if (d->def->op == SP_OP_ConstantNull || d->def->op == SP_OP_Undef) return cg_literal(g, l->leaf[leaf].kind, 0);
    unsigned char *bytes = t->size <= 1 << 16 ? calloc(1, (size_t)t->size + 8) : NULL;
    if (!bytes || !sp_constant_bytes(g->m, id, bytes)) {
        cg_fail(g, "the constant %u is of a form the device does not know", id);
    } else {
        memcpy(&bits, bytes + l->leaf[leaf].offset, cg_kind_bytes(l->leaf[leaf].kind));
    }
    free(bytes);
    return cg_literal(g, l->leaf[leaf].kind, bits);
}

const char *cg_leaf_use(struct cg *g, uint32_t id, uint32_t leaf, bool varying)
{
    const struct sp_id *d = &g->m->ids[id];
    const struct cg_leaves *l = cg_leaves_of(g, d->type);
    const char *e;
    if (l->count == 0 || g->failed) return "0";
    if (leaf >= l->count) leaf = l->count == 1 ? 0 : l->count - 1;
    enum cg_kind kind = l->leaf[leaf].kind;
    if (d->what == SP_IS_VARIABLE && d->function == 0) {
        e = address_of_global(g, id, 0);
    } else if (d->what == SP_IS_CONSTANT || (d->def && d->def->op == SP_OP_Undef)) {
        e = constant_leaf(g, id, leaf);
    } else if (d->what == SP_IS_FUNCTION) {
        cg_fail(g, "pointers to functions are not supported");
        return "0";
    } else {
        uint32_t root = g->value[id].root;
        e = root ? cg_str(g, "(v%u + o%u)", root, id)
                 : cg_str(g, "%s%s", cg_variable(g, id), l->leaf[leaf].path);
        if (g->value[id].fixed || g->value[id].variable) {
            cg_fail(g, "a private variable's address is used as a value");
            return "0";
        }
        if (g->value[id].line) {
            if (!varying) return cg_line_lane(g, id, cg_str(g, "XS(first_lane)(%s)", g->bits));
            return cg_line_lanes(g, id, e);
        }
        if (g->value[id].varying) {
            if (varying) return e;
            return cg_str(g, "(%s)[XS(first_lane)(%s)]", e, g->bits);
        }
    }
    return varying ? cg_splat(g, kind, e) : e;
}

const char *cg_use(struct cg *g, uint32_t id, bool varying) { return cg_leaf_use(g, id, 0, varying); }

const char *cg_temporary(struct cg *g, const char *type)
{
    const char *name = cg_str(g, "t%u", g->temporaries++);
    cg_put(g, "    %s %s;\n", type, name);
    return name;
}

const char *cg_use_whole(struct cg *g, uint32_t id, bool varying)
{
    const struct sp_id *d = &g->m->ids[id];
    const struct cg_leaves *l = cg_leaves_of(g, d->type);
    const struct sp_type *t = sp_type(g->m, d->type);
    bool plain = d->what == SP_IS_PARAMETER || (d->what == SP_IS_VALUE && d->def->op != SP_OP_Undef);
    if (t->kind != SP_VECTOR && t->kind != SP_ARRAY && t->kind != SP_STRUCT && t->kind != SP_COOPMAT)
        return cg_use(g, id, varying);
    if (plain && g->value[id].varying == varying) return cg_variable(g, id);
    const char *whole = cg_temporary(g, cg_type_name(g, d->type, varying));
    for (uint32_t i = 0; i < l->count; i++) {
        cg_put(g, "    %s%s = %s;\n", whole, l->leaf[i].path, cg_leaf_use(g, id, i, varying));
    }
    return whole;
}

const char *cg_result_leaf(struct cg *g, uint32_t leaf)
{
    const struct cg_leaves *l = cg_leaves_of(g, g->inst->type);
    if (g->lanes_apart) return cg_str(g, "w%u", g->inst->id);
    return leaf < l->count ? cg_str(g, "%s%s", cg_variable(g, g->inst->id), l->leaf[leaf].path) : "";
}

void cg_set_leaf(struct cg *g, uint32_t leaf, const char *expression)
{
    const struct cg_leaves *l = cg_leaves_of(g, g->inst->type);
    if (leaf >= l->count) return;
    const char *to = cg_result_leaf(g, leaf);
    if (g->value[g->inst->id].blend) expression = cg_select(g, l->leaf[leaf].kind, g->mask, expression, to);
    cg_put(g, "    %s = %s;\n", to, expression);
}

/* ---- control flow as text */

/* Edges are written more or less in the order of the phi's operands: it is looked for from where the last one was. */
static uint32_t phi_source(struct cg *g, const struct sp_inst *phi, uint32_t label)
{
    uint32_t pairs = phi->count / 2;
    for (uint32_t i = 0; i < pairs; i++) {
        uint32_t at = (g->phi_at + i) % pairs;
        if (phi->operand[2 * at + 1] != label) continue;
        g->phi_at = at;
        return phi->operand[2 * at];
    }
    return 0;
}

/* Is the variable of `id` overwritten by one of the first `below` copies? */
static bool is_overwritten(struct cg *g, uint32_t id, const struct sp_block *b, uint32_t label, uint32_t below)
{
    for (uint32_t i = 0; i < below; i++) {
        if (cg_home(g, b->inst[i].id) != cg_home(g, id)) continue;
        if (cg_home(g, phi_source(g, &b->inst[i], label)) != cg_home(g, id)) return true;
    }
    return false;
}

static void copy_phi(struct cg *g, const struct sp_inst *phi, uint32_t source, const char *renamed, const char *mask)
{
    const struct cg_leaves *l = cg_leaves_of(g, phi->type);
    bool varying = !cg_is_step(g, phi->id), same = !cg_is_step(g, source) == varying;
    bool value = g->m->ids[source].what != SP_IS_CONSTANT && g->m->ids[source].what != SP_IS_VARIABLE &&
                 !(g->m->ids[source].def && g->m->ids[source].def->op == SP_OP_Undef);
    if (!varying) mask = NULL; /* that all lanes have alike, or a line */
    if (cg_home(g, phi->id) == cg_home(g, source)) return;
    if (g->m->ids[source].def && g->m->ids[source].def->op == SP_OP_Undef) return; /* any value will do */
    if (g->value[phi->id].line && (g->value[phi->id].checked || !g->value[source].line)) {
        cg_copy_line(g, phi->id, source);
        return;
    }
    if (!mask && same && value && !g->value[source].root) {
        cg_put(g, "    %s = %s;\n", cg_variable(g, phi->id), renamed ? renamed : cg_variable(g, source));
        return;
    }
    for (uint32_t i = 0; i < l->count; i++) {
        const char *to = cg_str(g, "%s%s", cg_variable(g, phi->id), l->leaf[i].path), *e;
        if (renamed) {
            e = cg_str(g, "%s%s", renamed, l->leaf[i].path);
            if (g->value[source].line)
                e = cg_line_lanes(g, source, e);
            else if (varying && !g->value[source].varying)
                e = cg_splat(g, l->leaf[i].kind, e);
        } else {
            e = cg_leaf_use(g, source, i, varying);
        }
        cg_put(g, "    %s = %s;\n", to, mask ? cg_select(g, l->leaf[i].kind, mask, e, to) : e);
    }
}

/* The phis of block `to` take their values for the edge from `from`; all at once, as phis do. */
static void write_phis(struct cg *g, uint32_t from, uint32_t to, const char *mask)
{
    const struct sp_block *b = &g->fn->f->blocks[to];
    uint32_t label = g->fn->f->blocks[from].label, n = 0;
    while (n < b->count && b->inst[n].op == SP_OP_Phi) n++;
    if (!n) return;
    const char **renamed = cg_alloc(g, n * sizeof *renamed);
    if (!renamed) return;
    cg_put(g, "    {\n");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t source = phi_source(g, &b->inst[i], label);
        uint32_t root = source ? g->value[source].root : 0;
        if (!source || !is_overwritten(g, root ? root : source, b, label, i)) continue;
        renamed[i] = cg_temporary(g, cg_type_name(g, g->m->ids[source].type, !cg_is_step(g, source)));
        const char *e = root ? cg_use(g, source, g->value[source].varying) : cg_variable(g, source);
        cg_put(g, "    %s = %s;\n", renamed[i], e);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t source = phi_source(g, &b->inst[i], label);
        if (source) copy_phi(g, &b->inst[i], source, renamed[i], mask);
    }
    cg_put(g, "    }\n");
}

static uint32_t block_of_label(struct cg *g, uint32_t label) { return g->m->ids[label].block; }

/* Lanes `mask` (C expression; the block's own when NULL) go from block `from` to `to`. Plain blocks jump at once. */
static void write_edge(struct cg *g, uint32_t from, uint32_t to, const char *mask)
{
    const struct cg_block *b = g->fn->block;
    bool plain = !b[from].masked && !mask;
    write_phis(g, from, to, plain ? NULL : mask ? mask : g->mask);
    if (b[to].masked) cg_put(g, "    m%u |= %s;\n", g->fn->f->blocks[to].label, mask ? mask : g->mask);
    if (!b[from].masked && !mask) cg_put(g, "    goto L%u;\n", g->fn->f->blocks[to].label);
}

/* From a plain block with a divergent branch: on to the first of the masked blocks that were given lanes. */
static void write_entry(struct cg *g, uint32_t from)
{
    const struct sp_block *b = &g->fn->f->blocks[from];
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < b->succ_count; i++) {
        const struct cg_block *s = &g->fn->block[b->succ[i]];
        if (s->masked && (first == UINT32_MAX || s->order < g->fn->block[first].order)) first = b->succ[i];
    }
    if (first == UINT32_MAX) first = b->succ[0];
    cg_put(g, "    goto L%u;\n", g->fn->f->blocks[first].label);
}

/* Of a divergent branch the edges that leave the loop come first: those that stay may overwrite its head's phis. */
static bool stays_in_loop(struct cg *g, uint32_t from, uint32_t to)
{
    uint32_t loop = g->fn->block[from].loop;
    return loop && cg_loop_contains(g->fn, loop, to);
}

static void write_branch(struct cg *g, uint32_t from)
{
    uint32_t condition = cg_operand(g, 0);
    uint32_t yes = block_of_label(g, cg_operand(g, 1)), no = block_of_label(g, cg_operand(g, 2));
    if (yes == no) {
        write_edge(g, from, yes, NULL);
    } else if (!cg_is_varying(g, condition)) {
        cg_put(g, "    if (%s) {\n", cg_use(g, condition, false));
        write_edge(g, from, yes, NULL);
        cg_put(g, "    } else {\n");
        write_edge(g, from, no, NULL);
        cg_put(g, "    }\n");
    } else {
        const char *t = cg_temporary(g, "i32x"), *f = cg_temporary(g, "i32x"), *c = cg_use(g, condition, true);
        cg_put(g, "    %s = %s & %s;\n    %s = %s & ~%s;\n", t, g->mask, c, f, g->mask, c);
        bool yes_first = !stays_in_loop(g, from, yes);
        write_edge(g, from, yes_first ? yes : no, yes_first ? t : f);
        write_edge(g, from, yes_first ? no : yes, yes_first ? f : t);
        if (!g->fn->block[from].masked) write_entry(g, from);
    }
}

static uint64_t case_literal(const struct sp_inst *s, uint32_t at, uint32_t words)
{
    return words == 2 ? s->operand[at] | (uint64_t)s->operand[at + 1] << 32 : s->operand[at];
}

/* The cases whose blocks are, or are not, in the loop of the switch: a comparison and an edge each. */
static void write_cases(struct cg *g, uint32_t from, enum cg_kind kind, uint32_t words, uint64_t width, bool staying,
                        bool edges)
{
    const struct sp_inst *s = g->inst;
    const struct sp_block *b = &g->fn->f->blocks[from];
    bool may_cut = true;
    for (uint32_t k = 0; k < b->succ_count; k++) may_cut = may_cut && b->succ[k] != from;
    for (uint32_t i = 2; i + words < s->count; i += words + 1) {
        uint32_t target = block_of_label(g, s->operand[i + words]);
        if (stays_in_loop(g, from, target) != staying) continue;
        if (may_cut) cg_mark_cut(g, from, false);
        cg_put(g, "    {\n    const i32x hit_ = %s & XS_COMPARE(q%u, ==, %s);\n    r%u &= ~hit_;\n", g->mask, b->label,
               cg_splat(g, kind, cg_literal(g, kind, case_literal(s, i, words) & width)), b->label);
        if (edges) write_edge(g, from, target, "hit_");
        cg_put(g, "    }\n");
    }
}

/* What is left for the default block is known when all cases are: where that leaves the loop, before those that stay
 * are given their lanes. */
static void write_varying_switch(struct cg *g, uint32_t from, enum cg_kind kind, uint32_t words, uint64_t width)
{
    uint32_t label = g->fn->f->blocks[from].label, other = block_of_label(g, g->inst->operand[1]);
    const char *rest = cg_str(g, "r%u", label);
    bool stays = stays_in_loop(g, from, other);
    cg_declare(g, CG_PLAIN, cg_kind_type(g, kind, true), cg_str(g, "q%u", label), "");
    cg_declare(g, CG_PLAIN, "i32x", rest, "");
    cg_put(g, "    q%u = %s;\n    %s = %s;\n", label, cg_use(g, g->inst->operand[0], true), rest, g->mask);
    write_cases(g, from, kind, words, width, false, true);
    if (!stays) write_cases(g, from, kind, words, width, true, false);
    if (!stays) write_edge(g, from, other, rest);
    write_cases(g, from, kind, words, width, true, true);
    if (stays) write_edge(g, from, other, rest);
    if (!g->fn->block[from].masked) write_entry(g, from);
}

static void write_switch(struct cg *g, uint32_t from)
{
    const struct sp_inst *s = g->inst;
    uint32_t selector = s->operand[0];
    enum cg_kind kind = cg_leaves_of(g, g->m->ids[selector].type)->leaf[0].kind;
    uint32_t words = kind == CG_U64 ? 2 : 1;
    uint64_t width = cg_kind_bytes(kind) == 8 ? ~(uint64_t)0 : ((uint64_t)1 << 8 * cg_kind_bytes(kind)) - 1;
    if (!cg_is_varying(g, selector)) {
        cg_put(g, "    switch (%s) {\n", cg_use(g, selector, false));
        for (uint32_t i = 2; i + words < s->count; i += words + 1) {
            cg_put(g, "    case %s: ", cg_literal(g, kind, case_literal(s, i, words) & width));
            write_edge(g, from, block_of_label(g, s->operand[i + words]), NULL);
            if (g->fn->block[from].masked) cg_put(g, "    break;\n");
        }
        cg_put(g, "    default:\n");
        write_edge(g, from, block_of_label(g, s->operand[1]), NULL);
        cg_put(g, "    }\n");
        return;
    }
    write_varying_switch(g, from, kind, words, width);
}

static void write_return_value(struct cg *g)
{
    uint32_t id = cg_operand(g, 0);
    bool varying = g->fn->result_varying;
    const struct cg_leaves *l = cg_leaves_of(g, g->m->ids[id].type);
    for (uint32_t i = 0; i < l->count; i++) {
        const char *to = cg_str(g, "result%s", l->leaf[i].path), *e = cg_leaf_use(g, id, i, varying);
        cg_put(g, "    %s = %s;\n", to, varying ? cg_select(g, l->leaf[i].kind, g->mask, e, to) : e);
    }
}

static void write_terminator(struct cg *g, uint32_t block)
{
    switch (g->inst->op) {
    case SP_OP_Branch: write_edge(g, block, block_of_label(g, cg_operand(g, 0)), NULL); break;
    case SP_OP_BranchConditional: write_branch(g, block); break;
    case SP_OP_Switch: write_switch(g, block); break;
    case SP_OP_ReturnValue: write_return_value(g); /* fall through */
    case SP_OP_Return:
    case SP_OP_Unreachable:
        if (!g->fn->block[block].masked) cg_put(g, "    goto done;\n");
        break;
    default: cg_fail(g, "this way to end a block is not supported");
    }
}

/* ---- instructions */

static void write_call(struct cg *g)
{
    uint32_t callee = g->m->ids[cg_operand(g, 0)].block;
    const struct cg_function *f = &g->function[callee];
    const struct sp_type *type = sp_type(g->m, g->inst->type);
    const char *args = "";
    if (f->f->is_declaration) {
        cg_fail(g, "the called function has no body in this module");
        return;
    }
    for (uint32_t i = 1; i < g->inst->count; i++) {
        args = cg_str(g, "%s, %s", args, cg_use_whole(g, cg_operand(g, i), g->value[f->f->params[i - 1]].varying));
    }
    const char *call = cg_str(g, "%s(self, %s, %s%s)", cg_version(g, f), g->mask, g->bits, args);
    if (type->kind == SP_VOID) {
        cg_put(g, "    %s;\n", call);
        return;
    }
    const char *whole = cg_temporary(g, cg_type_name(g, g->inst->type, f->result_varying));
    cg_put(g, "    %s = %s;\n", whole, call);
    const struct cg_leaves *l = cg_leaves_of(g, g->inst->type);
    for (uint32_t i = 0; i < l->count; i++) {
        const char *e = cg_str(g, "%s%s", whole, l->leaf[i].path);
        bool splat = cg_is_varying(g, g->inst->id) && !f->result_varying;
        cg_set_leaf(g, i, splat ? cg_splat(g, l->leaf[i].kind, e) : e);
    }
}

static void write_instruction(struct cg *g)
{
    switch (g->inst->op) {
    case SP_OP_Variable:
    case SP_OP_Phi:
    case SP_OP_Undef:
    case SP_OP_Nop:
    case SP_OP_LifetimeStart:
    case SP_OP_LifetimeStop:
    case SP_OP_AssumeTrueKHR: return;
    case SP_OP_FunctionCall: write_call(g); return;
    case SP_OP_FunctionPointerCallINTEL: cg_write_pointer_call(g); return;
    default: break;
    }
    if (g->inst->id && g->value[g->inst->id].line) {
        cg_write_line(g);
        return;
    }
    bool guarded = g->o->check && cg_check_begin(g);
    if (!cg_write_simple(g) && !cg_write_memory(g) && !cg_write_group(g) && !cg_write_matrix(g) && !cg_write_math(g) &&
        !cg_write_coop(g))
        cg_fail(g, "this instruction is not supported");
    if (guarded) cg_check_end(g);
}

/* A block, or the rest of one, runs for the lanes in its mask. */
void cg_write_block_head(struct cg *g, uint32_t block)
{
    uint32_t label = g->fn->f->blocks[block].label;
    cg_put(g, "    {\n");
    if (!g->fn->block[block].masked) return;
    cg_put(g,
           "    const i32x k%u = m%u;\n    const u64 b%u = XS(bits)(k%u);\n    m%u = (i32x){0};\n    if (b%u) {\n",
           label, label, label, label, label, label);
}

static void write_block(struct cg *g, uint32_t block)
{
    const struct sp_block *b = &g->fn->f->blocks[block];
    const struct cg_block *cb = &g->fn->block[block];
    cg_mark_cut(g, block, true);
    cg_put(g, "L%u:;\n", b->label);
    cg_write_block_head(g, block);
    g->mask = cb->masked ? cg_str(g, "k%u", b->label) : "m0";
    g->bits = cb->masked ? cg_str(g, "b%u", b->label) : "b0";
    for (uint32_t i = 0; i < b->count && !g->failed; i++) {
        if (i && !g->skip) cg_mark_cut(g, block, false);
        g->inst = &b->inst[i];
        if (g->skip)
            g->skip--;
        else if (i + 1 < b->count)
            write_instruction(g);
        else
            write_terminator(g, block);
    }
    g->inst = NULL;
    cg_put(g, cb->masked ? "    }\n    }\n" : "    }\n");
    g->mask = "m0";
    g->bits = "b0";
    free_arena(g, &g->words);
}

/* After the last block of a loop of masked blocks: again, while a lane waits at its head. */
static void write_loop_ends(struct cg *g, uint32_t block)
{
    for (uint32_t l = g->fn->block[block].loop; l; l = g->fn->loop[l - 1].parent) {
        if (g->fn->loop[l - 1].last != block) break;
        uint32_t label = g->fn->f->blocks[g->fn->loop[l - 1].header].label;
        cg_put(g, "    if (XS(bits)(m%u)) goto L%u;\n", label, label);
    }
}

/* In loops with several entries lanes may wait at any block before the end. */
static void write_irreducible_end(struct cg *g, uint32_t at, uint32_t first)
{
    for (uint32_t i = first; i < at; i++) {
        uint32_t label = g->fn->f->blocks[g->fn->order[i]].label;
        cg_put(g, "    if (XS(bits)(m%u)) goto L%u;\n", label, label);
    }
}

static void write_component(struct cg *g, uint32_t component)
{
    const struct cg_function *fn = g->fn;
    uint32_t exit = UINT32_MAX, first = fn->component[component], i = first;
    for (; i < fn->order_count && fn->block[fn->order[i]].component == component; i++) {
        const struct sp_block *b = &fn->f->blocks[fn->order[i]];
        write_block(g, fn->order[i]);
        write_loop_ends(g, fn->order[i]);
        for (uint32_t k = 0; k < b->succ_count; k++)
            if (!fn->block[b->succ[k]].masked) exit = b->succ[k];
    }
    if (fn->loops_irreducible) write_irreducible_end(g, i, first);
    if (exit == UINT32_MAX)
        cg_put(g, "    goto done;\n");
    else
        cg_put(g, "    goto L%u;\n", fn->f->blocks[exit].label);
}

/* ---- functions */

static void add_frame(struct cg *g, uint32_t type, bool varying)
{
    const struct cg_leaves *l = cg_leaves_of(g, type);
    for (uint32_t i = 0; i < l->count; i++) g->fn->frame_bytes += (varying ? g->S : 1) * 8u;
}

static void declare_value(struct cg *g, const struct sp_inst *i)
{
    const struct cg_value *v = &g->value[i->id];
    const struct sp_type *t = sp_type(g->m, i->type);
    if (!i->id || !t || t->kind == SP_VOID || i->op == SP_OP_Variable || i->op == SP_OP_Undef || v->variable ||
        v->home || v->borrowed)
        return;
    bool zero = i->op == SP_OP_Phi || v->blend;
    if (v->root) {
        cg_declare(g, CG_PLAIN, "u64", cg_str(g, "o%u", i->id), "");
        return;
    }
    if (v->group) {
        if (v->group == i->id)
            cg_declare(g, CG_ZERO, cg_type_name(g, i->type, true), cg_str(g, "c%u", i->id), cg_str(g, "[%u]", v->rows));
        add_frame(g, i->type, true);
        return;
    }
    if (v->accessed) cg_declare(g, CG_PLAIN, "u64", cg_str(g, "s%u", i->id), "");
    if (v->checked) cg_declare(g, CG_PLAIN, "i32", cg_str(g, "ok%u", i->id), "");
    if (v->checked) cg_declare(g, CG_PLAIN, cg_type_name(g, i->type, true), cg_str(g, "w%u", i->id), "");
    cg_declare(g, zero ? CG_ZERO : CG_PLAIN, cg_type_name(g, i->type, v->varying && !v->line), cg_str(g, "v%u", i->id), "");
    add_frame(g, i->type, v->varying);
}

bool cg_is_kernel(const struct cg_function *fn) { return fn && fn->entry && !fn->forwards; }

static uint32_t instructions(const struct sp_function *f)
{
    uint32_t n = 0;
    for (uint32_t b = 0; b < f->block_count; b++) n += f->blocks[b].count;
    return n;
}

bool cg_is_large(const struct sp_function *f) { return instructions(f) > CG_LARGE_FUNCTION; }

void cg_write_signature(struct cg *g, const char *end)
{
    const struct sp_function *f = g->fn->f;
    uint32_t result = sp_type(g->m, f->type)->elem;
    bool large = cg_is_large(f), loops = cg_is_kernel(g->fn) && g->fn->dense;
    cg_put(g, "%s %s %s(struct xs_subgroup *self",
           large   ? "static XS_LARGE"
           : loops ? "XS_INLINE"
                   : "static",
           g->fn->frame ? "u32" : cg_type_name(g, result, g->fn->result_varying), cg_version(g, g->fn));
    if (g->fn->frame) cg_put(g, ", struct frame_%s *frame", cg_version(g, g->fn));
    if (cg_is_kernel(g->fn)) cg_put(g, ", struct place at");
    if (!g->fn->dense) cg_put(g, ", i32x m0, u64 b0");
    for (uint32_t i = 0; i < f->param_count; i++) {
        uint32_t id = f->params[i];
        cg_put(g, ", %s v%u", cg_type_name(g, g->m->ids[id].type, g->value[id].varying), id);
    }
    cg_put(g, ")%s", end);
}

/* What built-in variables are made of. The compiler drops what is not used. */
void cg_write_builtins(struct cg *g)
{
    const struct sp_entry *e = g->fn->entry;
    const char *from = cg_is_kernel(g->fn) ? "at" : "here";
    if (!cg_is_kernel(g->fn)) cg_put(g, "    const struct place here = place_of(self);\n");
    for (uint32_t i = 0; i < 3; i++) {
        if (e && e->local_size[0])
            cg_put(g, "    const u32 local_size%u = %uu;\n", i, e->local_size[i]);
        else
            cg_put(g, "    const u32 local_size%u = %s.size[%u];\n", i, from, i);
        cg_put(g, "    const u32 group_id%u = %s.group[%u], group_count%u = %s.count[%u], offset%u = %s.offset[%u];\n",
               i, from, i, i, from, i, i, from, i);
    }
    cg_put(g, "    const u32 subgroup_id = %s.id, lanes = %s.lanes;\n", from, from);
    if (g->fn->dense) {
        for (uint32_t i = 0; i < 3; i++) cg_put(g, "    const u32 first%u = %s.first[%u];\n", i, from, i);
        return;
    }
    cg_put(g,
           "    u32x local_id0, local_id1, local_id2;\n"
           "    XS(local_ids)(%s.first, local_size0, local_size1, local_size2, &local_id0, &local_id1, &local_id2);\n",
           from);
}

static void write_body(struct cg *g)
{
    const struct sp_function *f = g->fn->f;
    uint8_t *done = cg_alloc(g, f->block_count + 1); /* by component */
    for (uint32_t b = 0; b < f->block_count && !g->failed; b++) {
        for (uint32_t i = 0; i < f->blocks[b].count; i++) declare_value(g, &f->blocks[b].inst[i]);
        if (g->fn->block[b].masked) cg_declare(g, CG_ZERO, "i32x", cg_str(g, "m%u", f->blocks[b].label), "");
        free_arena(g, &g->words);
    }
    cg_declare_variables(g);
    cg_write_resume(g);
    for (uint32_t i = 0; i < f->block_count && !g->failed; i++) {
        const struct cg_block *b = &g->fn->block[g->fn->rpo[i]];
        if (!b->masked) {
            write_block(g, g->fn->rpo[i]);
        } else if (!done[b->component]) {
            done[b->component] = 1;
            write_component(g, b->component);
        }
    }
}

static void write_function(struct cg *g, struct cg_function *fn)
{
    uint64_t frame = fn->frame_bytes, private_bytes = fn->private_bytes; /* of the other version */
    g->fn = fn;
    fn->frame_bytes = fn->private_bytes = 0;
    g->temporaries = 0;
    if (fn->frame) cg_write_frame_type(g);
    cg_write_body(g, write_body);
    cg_put(g, "}\n\n");
    if (frame > fn->frame_bytes) fn->frame_bytes = frame;
    if (private_bytes > fn->private_bytes) fn->private_bytes = private_bytes;
}

/* ---- kernels */

struct param {
    uint32_t kind, size, offset, align;
    const char *name;
};

/* Their names are those of the entry point, `names`. */
static uint32_t place_params(struct cg *g, const struct sp_function *f, const struct sp_function *names,
                             struct param *p)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < f->param_count; i++) {
        const struct sp_type *t = sp_type(g->m, g->m->ids[f->params[i]].type);
        p[i].kind = XS_PARAM_VALUE;
        p[i].size = (uint32_t)t->size;
        p[i].align = t->align;
        if (t->kind == SP_POINTER) {
            const struct sp_type *to = sp_type(g->m, t->elem);
            switch (t->storage) {
            case SP_STORAGE_CrossWorkgroup: p[i].kind = XS_PARAM_GLOBAL; break;
            case SP_STORAGE_UniformConstant: p[i].kind = XS_PARAM_CONSTANT; break;
            case SP_STORAGE_Workgroup: p[i].kind = XS_PARAM_LOCAL; break;
            case SP_STORAGE_Function: /* a structure by value */
                p[i].size = (uint32_t)to->size;
                p[i].align = to->align;
                break;
            default: cg_fail(g, "a kernel parameter in this storage class is not supported");
            }
        }
        if (p[i].size == 0) cg_fail(g, "a kernel parameter of this type is not supported");
        if (p[i].align == 0) p[i].align = 1;
        at = (at + p[i].align - 1) / p[i].align * p[i].align;
        p[i].offset = at;
        at += p[i].size;
        p[i].name = g->m->names[names->params[i]] ? g->m->names[names->params[i]] : "";
    }
    return at;
}

void cg_put_string(struct cg *g, const char *s)
{
    cg_put(g, "\"");
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ' ';
        if (plain)
            cg_put(g, "%c", c);
        else
            cg_put(g, "\\%03o", c);
    }
    cg_put(g, "\"");
}

/* What a call of the function needs at most, of itself and of what it calls. */
static void sum_function(struct cg *g, struct cg_function *fn, uint32_t depth)
{
    uint64_t deepest = 0, most_private = 0;
    if (fn->summed) return;
    fn->any_barrier = fn->has_barrier;
    fn->all_local = fn->local_bytes;
    for (uint32_t b = 0; b < fn->f->block_count && depth < SP_MAX_CALL_DEPTH; b++) {
        for (uint32_t i = 0; i < fn->f->blocks[b].count; i++) {
            const struct sp_inst *in = &fn->f->blocks[b].inst[i];
            if (in->op != SP_OP_FunctionCall) continue;
            struct cg_function *callee = &g->function[g->m->ids[in->operand[0]].block];
            sum_function(g, callee, depth + 1);
            if (callee->all_frames > deepest) deepest = callee->all_frames;
            if (callee->all_private > most_private) most_private = callee->all_private;
            if (callee->all_local > fn->all_local) fn->all_local = callee->all_local;
            fn->any_barrier = fn->any_barrier || callee->any_barrier;
        }
    }
    fn->all_frames = fn->frame_bytes + deepest + 4096;
    fn->all_private = fn->private_bytes + most_private;
    fn->summed = true;
}

static void sum_frames(struct cg *g, struct cg_function *fn, uint64_t *frame, uint64_t *private_bytes, uint32_t *local,
                       bool *barrier)
{
    sum_function(g, fn, 0);
    *frame = fn->all_frames;
    *private_bytes = fn->all_private;
    *barrier = *barrier || fn->any_barrier;
    if (fn->all_local > *local) *local = fn->all_local;
}

/* A kernel's parameters as C variables: those that are one for all lanes, or (`own`) structures of which each lane has
 * a copy, because they are written to. */
static void write_params(struct cg *g, const struct param *p, bool own)
{
    struct cg_function *fn = g->fn;
    for (uint32_t i = 0; i < fn->f->param_count; i++) {
        uint32_t id = fn->f->params[i], type = g->m->ids[id].type;
        const struct cg_leaves *l = cg_leaves_of(g, type);
        bool structure = sp_type(g->m, type)->kind == SP_POINTER && p[i].kind == XS_PARAM_VALUE;
        if (g->value[id].varying && !structure) cg_fail(g, "a kernel is called as a function");
        if (g->value[id].varying != own) continue;
        if (own) {
            uint32_t bytes = (p[i].size + 15) & ~15u;
            cg_put(g,
                   "    u8 p%u[%u * S] XS_ALIGNED(64);\n    u64x v%u;\n    for (int l = 0; l < S; l++) {\n"
                   "        __builtin_memcpy(p%u + l * %u, args + %u, %u);\n        v%u[l] = (u64)(uintptr_t)(p%u + l "
                   "* %u);\n"
                   "    }\n",
                   id, bytes, id, id, bytes, p[i].offset, p[i].size, id, id, bytes);
            fn->frame_bytes += (uint64_t)bytes * g->S;
            continue;
        }
        cg_put(g, "    %s v%u;\n", cg_type_name(g, type, false), id);
        if (structure) cg_put(g, "    v%u = (u64)(uintptr_t)(args + %u);\n", id, p[i].offset);
        for (uint32_t k = 0; !structure && k < l->count; k++) {
            enum cg_kind kind = l->leaf[k].kind, bits = cg_bits_kind(cg_kind_bytes(kind));
            const char *at = cg_str(g, "XS_AT(%s, args + %u)", cg_kind_name(bits), p[i].offset + l->leaf[k].offset);
            cg_put(g, "    v%u%s = %s;\n", id, l->leaf[k].path, cg_from_bits(g, kind, false, at));
        }
    }
}

/* Does anything in the kernel look at `self` for where it is? */
static bool looks_at_self(const struct cg_function *fn)
{
    for (uint32_t b = 0; b < fn->f->block_count; b++)
        for (uint32_t k = 0; k < fn->f->blocks[b].count; k++)
            if (fn->f->blocks[b].inst[k].op == SP_OP_FunctionCall) return true;
    return fn->has_barrier && !fn->frame;
}

/* A call of one version. What it returns counts the subgroups that wait at a barrier. */
static void write_version_call(struct cg *g, bool dense)
{
    struct cg_function *fn = g->fn;
    bool current = fn->dense;
    fn->dense = dense;
    const char *name = cg_version(g, fn);
    if (dense) {
        cg_put(g, "    at.lanes = S;\n");
    } else {
        cg_put(g, "    const u64 b0 = at.lanes >= S ? XS_FULL : ((u64)1 << at.lanes) - 1;\n"
                  "    const i32x m0 = XS(mask)(b0);\n");
    }
    if (looks_at_self(fn)) cg_put(g, "    note_place(self, &at);\n");
    cg_put(g, "    %s%s(self", fn->frame ? "waiting += " : "", name);
    if (fn->frame) cg_put(g, ", (struct frame_%s *)(frames + at.id * (u64)frame%u)", name, fn->f->id);
    cg_put(g, dense ? ", at" : ", at, m0, b0");
    for (uint32_t i = 0; i < fn->f->param_count; i++) cg_put(g, ", v%u", fn->f->params[i]);
    cg_put(g, ");\n    if (!groups) return 0;\n");
    fn->dense = current;
}

/* All subgroups of a work-group: row by row where a row is a number of whole subgroups, and maybe some lanes more. */
static void write_subgroups(struct cg *g, const struct param *p)
{
    const struct cg_function *fn = g->fn;
    if (fn->has_dense && fn->has_general) cg_put(g, "    if (rows) {\n");
    if (fn->has_dense) {
        cg_put(g, "    for (; at.first[2] < at.size[2]; at.first[2]++, at.first[1] = 0) {\n"
                  "    for (; at.first[1] < at.size[1]; at.first[1]++, at.first[0] = 0) {\n"
                  "    for (; at.size[0] - at.first[0] >= S; at.first[0] += S, at.id++) {\n");
        write_params(g, p, true);
        write_version_call(g, true);
        cg_put(g, "    }\n    if (at.first[0] < at.size[0]) break;\n    }\n    if (at.first[0] < at.size[0]) break;\n  "
                  "  }\n");
    }
    if (fn->has_dense && fn->has_general) cg_put(g, "    }\n");
    if (fn->has_general) {
        cg_put(g, "    if (set_lanes(&at, S)) do {\n");
        write_params(g, p, true);
        write_version_call(g, false);
        cg_put(g, "    } while (next_subgroup(&at, S));\n");
    }
}

static void write_frame_bytes(struct cg *g)
{
    struct cg_function *fn = g->fn;
    bool current = fn->dense;
    if (!fn->frame) return;
    const char *size[2];
    for (int dense = 0; dense < 2; dense++) {
        fn->dense = dense;
        size[dense] =
            (dense ? fn->has_dense : fn->has_general) ? cg_str(g, "sizeof(struct frame_%s)", cg_version(g, fn)) : "0";
    }
    fn->dense = current;
    cg_put(g, "enum { frame%u = %s > %s ? %s : %s };\n", fn->f->id, size[0], size[1], size[0], size[1]);
}

/* `groups` work-groups one after the other; 0: this subgroup alone. */
static void write_kernel(struct cg *g, uint32_t index, uint32_t S, const struct param *p)
{
    const struct sp_entry *e = &g->m->entries[index];
    struct cg_function *fn = &g->function[g->body[index]];
    g->fn = fn;
    write_frame_bytes(g);
    cg_put(g,
           "static int groups%u(struct xs_subgroup *self, const uint8_t *args, uint64_t groups)\n{\n"
           "    self->stack_top = (u64)(uintptr_t)__builtin_frame_address(0);\n",
           index);
    cg_put(g, "    struct place at = place_of(self);\n");
    for (uint32_t i = 0; i < 3 && e->local_size[0]; i++) cg_put(g, "    at.size[%u] = %uu;\n", i, e->local_size[i]);
    if (fn->has_dense && fn->has_general)
        cg_put(g, "    const int rows = at.size[0] %% S == 0 || (at.size[1] == 1 && at.size[2] == 1);\n");
    write_params(g, p, false);
    cg_put(g, "    do {\n");
    if (fn->frame) {
        cg_put(
            g,
            "    u8 *const frames = self->frames;\n    u32 waiting;\n"
            "    for (u32 i = 0; i < self->subgroup_count; i++) XS_AT(u32, frames + i * (u64)frame%u) = 0;\n    do {\n"
            "    waiting = at.id = at.first[0] = at.first[1] = at.first[2] = 0;\n",
            fn->f->id);
    }
    write_subgroups(g, p);
    if (fn->frame) cg_put(g, "    if (waiting && waiting != self->subgroup_count) return 1;\n    } while (waiting);\n");
    cg_put(g, "    } while (next_group(self, &at, &groups));\n    return 0;\n}\n");
    cg_put(
        g,
        "static void kernel%u(struct xs_subgroup *self, const uint8_t *args)\n{\n    groups%u(self, args, 0);\n}\n\n",
        index, index);
    (void)S;
}

/* What functions that are called by pointer need, wherever they are called from. */
static void sum_addressed(struct cg *g, uint32_t *local)
{
    for (uint32_t i = 0; i < g->m->function_count; i++) {
        uint64_t frame = 0, private_bytes = 0;
        bool barrier = false;
        if (!g->function[i].row) continue;
        sum_frames(g, &g->function[i], &frame, &private_bytes, local, &barrier);
        if (frame > XS_POINTER_STACK / 2)
            cg_fail(g, "a function that is called by pointer needs too much private memory");
    }
    if (*local && g->o->function)
        cg_fail(g, "a function that uses local memory can be called by pointer in its own module only");
}

static void write_kernel_row(struct cg *g, uint32_t index, uint32_t S, const struct param *p, uint32_t args_bytes)
{
    const struct sp_entry *e = &g->m->entries[index];
    struct cg_function *fn = &g->function[g->body[index]];
    uint64_t frame = 0, private_bytes = 0;
    uint32_t local = 0;
    bool barrier = false;
    g->S = S;
    sum_frames(g, fn, &frame, &private_bytes, &local, &barrier);
    frame += frame / 2 + (64u << 10);
    if (g->pointer_calls) {
        sum_addressed(g, &local);
        if (frame > XS_POINTER_STACK) cg_fail(g, "a kernel that calls by pointer needs too much private memory");
        frame = 3 * XS_POINTER_STACK;
    }
    if (frame > 1u << 30) cg_fail(g, "the kernel needs too much private memory");
    cg_put(g, "    {");
    cg_put_string(g, e->name);
    cg_put(g, ", kernel%u, params%u, %u, %u, %u, %u, {%u, %u, %u}, %u, %u, %u, %u, %u, \"", index, index,
           fn->f->param_count, args_bytes, S, e->subgroup_size != 0, e->local_size[0], e->local_size[1],
           e->local_size[2], local, (unsigned)private_bytes, (unsigned)frame, barrier,
           e->max_work_dim ? e->max_work_dim : 3);
    if (e->local_size[0]) {
        cg_put(g, "reqd_work_group_size(%u,%u,%u) ", e->local_size[0], e->local_size[1], e->local_size[2]);
    }
    if (e->subgroup_size) cg_put(g, "intel_reqd_sub_group_size(%u) ", e->subgroup_size);
    if (g->o->check) /* the scheduler says what runs where */
        cg_put(g, "\", 0, ");
    else
        cg_put(g, "\", groups%u, ", index);
    cg_put(g, fn->frame ? "frame%u},\n" : "0},\n", fn->f->id);
    (void)p;
}

/* ---- the text as a whole */

static void put_lines(struct cg *g, const char *const *lines)
{
    for (; *lines; lines++) cg_put(g, "%s", *lines);
}

static void mark_reachable(struct cg *g, uint32_t index, uint32_t depth)
{
    struct cg_function *fn = &g->function[index];
    if (fn->reachable || depth > SP_MAX_CALL_DEPTH) return;
    fn->reachable = true;
    for (uint32_t b = 0; b < fn->f->block_count; b++) {
        for (uint32_t i = 0; i < fn->f->blocks[b].count; i++) {
            const struct sp_inst *in = &fn->f->blocks[b].inst[i];
            if (in->op == SP_OP_FunctionCall) mark_reachable(g, g->m->ids[in->operand[0]].block, depth + 1);
        }
    }
}

uint32_t cg_size_of_entry(struct cg *g, const struct sp_entry *e)
{
    uint32_t S = e->subgroup_size ? e->subgroup_size : g->o->default_subgroup_size ? g->o->default_subgroup_size : 16;
    if (S != 8 && S != 16 && S != 32) {
        sp_text_add(g->log, "error: kernel %s: subgroup size %u is not supported (8, 16, 32 are)\n", e->name, S);
        g->failed = true;
    }
    return S;
}

/* Types that values have; arrays in memory may be far too large to be one. */
static void mark_type(struct cg *g, uint32_t type_id, uint8_t *used)
{
    const struct sp_type *t = sp_type(g->m, type_id);
    if (!t || used[t - g->m->types]) return;
    if (t->kind != SP_VECTOR && t->kind != SP_ARRAY && t->kind != SP_STRUCT && t->kind != SP_COOPMAT) return;
    used[t - g->m->types] = 1;
    if (t->kind != SP_STRUCT) mark_type(g, t->elem, used);
    for (uint32_t i = 0; t->kind == SP_STRUCT && i < t->count; i++) mark_type(g, t->members[i], used);
}

/* Constants as they stand in instructions: those that only others are made of may be larger than values can be. */
static void mark_operands(struct cg *g, const struct sp_function *f, uint8_t *used)
{
    for (uint32_t b = 0; b < f->block_count; b++) {
        for (uint32_t n = 0; n < f->blocks[b].count; n++) {
            const struct sp_inst *i = &f->blocks[b].inst[n];
            for (uint32_t k = 0; k < i->count; k++) {
                if (cg_is_value_operand(i, k) && g->m->ids[i->operand[k]].what == SP_IS_CONSTANT)
                    mark_type(g, g->m->ids[i->operand[k]].type, used);
            }
        }
    }
}

static void write_types(struct cg *g, bool varying)
{
    uint8_t *used = cg_alloc(g, g->m->type_count + 1);
    if (!used) return;
    for (uint32_t i = 0; i < g->m->function_count; i++) mark_operands(g, &g->m->functions[i], used);
    for (uint32_t id = 0; id < g->m->bound; id++) {
        uint8_t what = g->m->ids[id].what;
        if (what == SP_IS_VALUE || what == SP_IS_PARAMETER) mark_type(g, g->m->ids[id].type, used);
    }
    for (uint32_t i = 0; i < g->m->type_count; i++) {
        const struct sp_type *t = &g->m->types[i];
        if (!used[i]) continue;
        cg_leaves_of(g, t->id); /* its limits are those of values */
        if (g->failed) return;
        cg_put(g, "typedef struct {");
        if (t->kind != SP_STRUCT)
            cg_put(g, " %s e[%u];", cg_type_name(g, t->elem, varying),
                   t->kind == SP_COOPMAT ? matrix_parts(t, g->S) : t->count);
        for (uint32_t k = 0; t->kind == SP_STRUCT && k < t->count; k++) {
            cg_put(g, " %s m%u;", cg_type_name(g, t->members[k], varying), k);
        }
        cg_put(g, " } %s;\n", cg_type_name(g, t->id, varying));
    }
}

/* What is known of a function's values once their uniformity is. */
static void refine(struct cg *g, struct cg_function *fn)
{
    cg_share_storage(g, fn);
    cg_find_lines(g, fn);
    cg_derive_pointers(g, fn);
    cg_plan_frame(g, fn);
    if (!fn->frame) cg_group_sums(g, fn);
}

static void write_versions(struct cg *g, struct cg_function *fn)
{
    write_function(g, fn);
    if (fn->dense || !fn->has_dense || g->failed) return;
    fn->dense = true;
    cg_analyse_again(g, fn);
    refine(g, fn);
    if (!g->failed) write_function(g, fn);
}

static void write_section(struct cg *g, uint32_t S, struct param *const *params)
{
    const struct sp_module *m = g->m;
    struct sp_text *out = g->c, functions = {NULL, 0, 0, false};
    g->S = S;
    g->helper = NULL;
    memset(g->leaves, 0, (m->type_count + 1) * sizeof *g->leaves); /* a matrix has as many parts as lanes leave it */
    cg_put(g, "#undef S\n#define S %u\n", S);
    put_lines(g, soft_text_lanes);
    put_lines(g, soft_text_matrix);
    if (g->o->tiles) put_lines(g, soft_text_amx);
    put_lines(g, soft_text_math);
    put_lines(g, soft_text_coop);
    write_types(g, true);
    for (uint32_t i = 0; i < m->function_count; i++) g->function[i].reachable = false;
    for (uint32_t i = 0; i < m->entry_count; i++)
        if (cg_size_of_entry(g, &m->entries[i]) == S) mark_reachable(g, g->body[i], 0);
    for (uint32_t i = 0; i < m->function_count; i++)
        if (g->function[i].row) mark_reachable(g, i, 0);
    g->c = &functions;
    for (uint32_t i = 0; i < m->function_count; i++) {
        g->fn = &g->function[i];
        if (g->fn->reachable && !g->fn->f->is_declaration && !g->fn->frame) cg_write_signature(g, ";\n");
    }
    for (uint32_t i = 0; i < m->function_count && !g->failed; i++)
        if (g->function[i].reachable && !g->function[i].f->is_declaration) write_versions(g, &g->function[i]);
    g->c = out;
    if (g->helpers.size) cg_put(g, "%s", g->helpers.data);
    if (functions.size) cg_put(g, "%s", functions.data);
    sp_text_free(&functions);
    sp_text_free(&g->helpers);
    cg_write_entries(g);
    for (uint32_t i = 0; i < m->entry_count && !g->failed; i++)
        if (cg_size_of_entry(g, &m->entries[i]) == S) write_kernel(g, i, S, params[i]);
    for (uint32_t i = 0; i < m->entry_count && !g->failed; i++) {
        /* frames are known while the section is the last that wrote the functions */
        struct cg_function *fn = &g->function[g->body[i]];
        if (cg_size_of_entry(g, &m->entries[i]) == S) fn->emitted = true;
    }
}

static void write_globals(struct cg *g)
{
    for (uint32_t i = 0, n = 0; i < g->m->global_count; i++) {
        const struct sp_inst *v = g->m->globals[i];
        const struct sp_type *t = sp_type(g->m, sp_type(g->m, v->type)->elem);
        if (g->global_index[v->id] != n || !sp_is_global(g->m, v)) continue;
        n++;
        if (v->count < 2) continue;
        unsigned char *bytes = t->size <= SP_MAX_CONSTANT_BYTES ? calloc(1, (size_t)t->size + 1) : NULL;
        bool address = g->m->ids[v->operand[1]].what == SP_IS_VARIABLE; /* written when it is loaded */
        if (!bytes || (!address && !sp_constant_bytes(g->m, v->operand[1], bytes))) {
            g->inst = v;
            cg_fail(g, "an initialiser the device does not know");
        } else {
            cg_put(g, "static const u8 initial%u[%llu] XS_ALIGNED(16) = {", n - 1, (unsigned long long)t->size + 1);
            for (uint64_t k = 0; k < t->size; k++) cg_put(g, "%u,%s", bytes[k], k % 32 == 31 ? "\n" : "");
            cg_put(g, "0};\n");
        }
        free(bytes);
    }
}

struct pointer_rows {
    struct cg *g;
    uint32_t in, count, globals;
};

static void write_pointer_row(void *user, uint64_t at, uint32_t variable, int64_t offset)
{
    struct pointer_rows *r = user;
    if (r->g->m->ids[variable].what == SP_IS_FUNCTION) {
        cg_put(r->g, "    {%u, %u, %lluu, 0},\n", r->in,
               r->globals + r->g->function[r->g->m->ids[variable].block].row - 1, (unsigned long long)at);
        r->count++;
        return;
    }
    if (!sp_is_global(r->g->m, r->g->m->ids[variable].def)) {
        cg_fail(r->g, "an initial value is the address of a variable that is not in global memory");
        return;
    }
    cg_put(r->g, "    {%u, %u, %lluu, %lld},\n", r->in, r->g->global_index[variable], (unsigned long long)at,
           (long long)offset);
    r->count++;
}

/* Addresses in initial values: they are only known when the module is loaded. */
static uint32_t write_pointers(struct cg *g, uint32_t globals)
{
    struct pointer_rows r = {g, 0, 0, globals};
    cg_put(g, "static const struct xs_pointer pointers[] = {\n");
    for (uint32_t i = 0; i < g->m->global_count; i++) {
        const struct sp_inst *v = g->m->globals[i];
        if (!sp_is_global(g->m, v)) continue;
        r.in = g->global_index[v->id];
        if (v->count >= 2) sp_constant_addresses(g->m, v->operand[1], write_pointer_row, &r);
    }
    cg_put(g, "    {0, 0, 0, 0}\n};\n");
    return r.count;
}

/* What others know a variable by: its linkage, else its name. */
static const char *global_name(struct cg *g, uint32_t id)
{
    const struct sp_decoration *d = sp_decorated(g->m, id, SP_DECORATION_LinkageAttributes);
    if (d && d->count) return (const char *)d->operand; /* a string, as kernels' CPUs are little-endian */
    return g->m->names[id] ? g->m->names[id] : "";
}

static uint32_t write_global_rows(struct cg *g)
{
    uint32_t n = 0;
    cg_put(g, "static const struct xs_global globals[] = {\n");
    for (uint32_t i = 0; i < g->m->global_count; i++) {
        const struct sp_inst *v = g->m->globals[i];
        const struct sp_type *t = sp_type(g->m, sp_type(g->m, v->type)->elem);
        if (!sp_is_global(g->m, v)) continue;
        cg_put(g, "    {");
        cg_put_string(g, global_name(g, v->id));
        cg_put(g, ", %lluu, %u, ", (unsigned long long)t->size, t->align ? t->align : 1);
        cg_put(g, v->count >= 2 ? "initial%u},\n" : "0},\n", n);
        n++;
    }
    cg_put(g, "    {\"\", 0, 1, 0}\n};\n");
    return n;
}

static void write_tables(struct cg *g, struct param *const *params, const uint32_t *args_bytes)
{
    const struct sp_module *m = g->m;
    uint32_t local = 0;
    if (g->o->function) sum_addressed(g, &local);
    write_globals(g);
    uint32_t globals = write_global_rows(g), pointers = write_pointers(g, globals);
    cg_write_rows(g);
    for (uint32_t i = 0; i < m->entry_count; i++) {
        const struct sp_function *f = g->function[g->body[i]].f;
        cg_put(g, "static const struct xs_param params%u[] = {\n", i);
        for (uint32_t k = 0; k < f->param_count; k++) {
            const struct param *p = &params[i][k];
            cg_put(g, "    {");
            cg_put_string(g, p->name);
            cg_put(g, ", %u, %u, %u, %u},\n", p->kind, p->size, p->offset, p->align);
        }
        cg_put(g, "    {\"\", 0, 0, 0, 1}\n};\n");
    }
    cg_put(g, "static const struct xs_kernel kernels[] = {\n");
    for (uint32_t i = 0; i < m->entry_count; i++)
        write_kernel_row(g, i, cg_size_of_entry(g, &m->entries[i]), params[i], args_bytes[i]);
    cg_put(g,
           "    {\"\", 0, 0, 0, 0, 0, 0, {0, 0, 0}, 0, 0, 0, 0, 0, \"\", 0, 0}\n};\n"
           "__attribute__((visibility(\"default\"))) extern const struct xs_module xs_module;\n"
           "const struct xs_module xs_module = {XS_ABI_VERSION, %u, %u, kernels, globals, %u, pointers, %u, %s, %s};\n",
           m->entry_count, globals, pointers, g->row_count, g->row_count ? "functions" : "0",
           g->row_count ? "&own_globals" : "0");
}

/* Does any function call printf (instruction 184 of OpenCL.std)? */
static bool prints(const struct sp_module *m)
{
    for (uint32_t f = 0; f < m->function_count; f++)
        for (uint32_t b = 0; b < m->functions[f].block_count; b++)
            for (uint32_t k = 0; k < m->functions[f].blocks[b].count; k++) {
                const struct sp_inst *i = &m->functions[f].blocks[b].inst[k];
                if (i->op == SP_OP_ExtInst && i->operand[0] == m->opencl_std && i->operand[1] == 184) return true;
            }
    return false;
}

static void write_text(struct cg *g)
{
    const struct sp_module *m = g->m;
    struct param **params = cg_alloc(g, (m->entry_count + 1) * sizeof *params);
    uint32_t *args_bytes = cg_alloc(g, (m->entry_count + 1) * sizeof *args_bytes);
    bool contract_off = false;
    for (uint32_t i = 0; params && args_bytes && i < m->entry_count && !g->failed; i++) {
        const struct sp_function *f = &m->functions[g->body[i]];
        params[i] = cg_alloc(g, (f->param_count + 1) * sizeof **params);
        if (params[i]) args_bytes[i] = place_params(g, f, &m->functions[m->entries[i].function], params[i]);
        contract_off = contract_off || m->entries[i].contract_off;
    }
    if (g->failed) return;
    if (!contract_off) cg_put(g, "/* xs: contract */\n");
    if (g->o->tiles) cg_put(g, "#define XS_TILES\n");
    put_lines(g, soft_text_abi);
    put_lines(g, soft_text_prelude);
    if (g->o->check) put_lines(g, soft_text_check);
    if (prints(m)) put_lines(g, soft_text_print);
    cg_declare_rows(g);
    g->S = g->smallest_S;
    write_types(g, false);
    for (uint32_t S = 8; S <= 32; S *= 2) {
        bool used = g->o->function != NULL;
        for (uint32_t i = 0; i < m->entry_count; i++) used = used || cg_size_of_entry(g, &m->entries[i]) == S;
        if (used && !g->failed) write_section(g, S, params);
    }
    if (!g->failed) write_tables(g, params, args_bytes);
}

/* An entry point that does nothing but call a function with its own parameters, as llvm-spirv writes them: that
 * function, unless it is called from elsewhere, too. */
static uint32_t body_of(struct cg *g, uint32_t function, const uint32_t *calls)
{
    const struct sp_function *f = &g->m->functions[function];
    if (f->block_count != 1 || f->blocks[0].count != 2 || f->blocks[0].inst[1].op != SP_OP_Return) return function;
    const struct sp_inst *call = &f->blocks[0].inst[0];
    if (call->op != SP_OP_FunctionCall || call->count != f->param_count + 1) return function;
    for (uint32_t i = 0; i < f->param_count; i++)
        if (call->operand[i + 1] != f->params[i]) return function;
    uint32_t body = g->m->ids[call->operand[0]].block;
    const struct sp_function *b = &g->m->functions[body];
    if (b->is_declaration || calls[body] != 1 || g->function[body].entry ||
        sp_type(g->m, b->type)->elem != sp_type(g->m, f->type)->elem)
        return function;
    return body;
}

static void find_bodies(struct cg *g)
{
    const struct sp_module *m = g->m;
    uint32_t *calls = cg_alloc(g, (m->function_count + 1) * sizeof *calls);
    if (!calls) return;
    for (uint32_t f = 0; f < m->function_count; f++)
        for (uint32_t b = 0; b < m->functions[f].block_count; b++)
            for (uint32_t k = 0; k < m->functions[f].blocks[b].count; k++) {
                const struct sp_inst *i = &m->functions[f].blocks[b].inst[k];
                if (i->op == SP_OP_FunctionCall) calls[m->ids[i->operand[0]].block]++;
            }
    for (uint32_t i = 0; i < m->function_count; i++)
        if (g->function[i].row) calls[i] += 2; /* called from elsewhere */
    for (uint32_t i = 0; i < m->entry_count; i++) {
        g->function[m->entries[i].function].entry = &m->entries[i];
        calls[m->entries[i].function] += 2; /* an entry point is nobody's body */
    }
    for (uint32_t i = 0; i < m->entry_count; i++) {
        uint32_t entry = m->entries[i].function;
        g->body[i] = body_of(g, entry, calls);
        g->function[entry].forwards = g->body[i] != entry;
        if (g->function[entry].forwards && !g->function[g->body[i]].entry)
            g->function[g->body[i]].entry = &m->entries[i];
    }
}

static bool prepare(struct cg *g)
{
    const struct sp_module *m = g->m;
    g->S = 32; /* until sections are written: the smallest of the module, whose lanes hold the most of a block */
    for (uint32_t i = 0; i < m->entry_count; i++) {
        uint32_t S = cg_size_of_entry(g, &m->entries[i]);
        if (S < g->S) g->S = S;
        if (S > g->largest_S) g->largest_S = S;
    }
    if (!g->largest_S) g->largest_S = g->S;
    g->smallest_S = g->S;
    g->value = cg_alloc(g, m->bound * sizeof *g->value);
    g->body = cg_alloc(g, (m->entry_count + 1) * sizeof *g->body);
    g->fresh = cg_alloc(g, m->bound * sizeof *g->fresh);
    g->function = cg_alloc(g, (m->function_count + 1) * sizeof *g->function);
    g->leaves = cg_alloc(g, (m->type_count + 1) * sizeof *g->leaves);
    g->local_offset = cg_alloc(g, m->bound * sizeof *g->local_offset);
    g->global_index = cg_alloc(g, m->bound * sizeof *g->global_index);
    if (g->failed) return false;
    for (uint32_t i = 0; i < m->function_count; i++) g->function[i].f = &m->functions[i];
    cg_find_addressed(g);
    if (!g->failed) find_bodies(g);
    return !g->failed;
}

bool cg_generate(const struct sp_module *m, const struct cg_options *o, struct sp_text *c, struct sp_text *log)
{
    static const struct cg_options none = {0};
    struct sp_module only_function = *m; /* without its kernels */
    struct cg g = {.m = m, .o = o ? o : &none, .c = c, .log = log, .mask = "m0", .bits = "b0"};
    only_function.entry_count = 0;
    if (g.o->function) g.m = &only_function;
    if (prepare(&g)) {
        cg_place_variables(&g);
        if (!g.failed) memcpy(g.fresh, g.value, m->bound * sizeof *g.value);
        if (!g.failed) cg_analyse(&g);
        for (uint32_t i = 0; i < m->function_count && !g.failed; i++)
            if (g.function[i].block) refine(&g, &g.function[i]);
        if (!g.failed) write_text(&g);
    }
    if (g.failed && log->size == 0) sp_text_add(log, "error: out of memory while generating code\n");
    free_arena(&g, &g.arena);
    free_arena(&g, &g.words);
    return !g.failed && !c->failed;
}
