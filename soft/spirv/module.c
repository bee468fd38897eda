/* module.c - memory, text, refusals, and look-ups in the finished module. */
#define _GNU_SOURCE
#include "reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- text */

static bool text_grow(struct sp_text *t, size_t more)
{
    size_t capacity = t->capacity ? t->capacity : 256;
    char *data;
    if (more > SIZE_MAX / 4 - t->size) return false;
    while (capacity < t->size + more + 1) capacity *= 2;
    if (capacity == t->capacity) return true;
    data = realloc(t->data, capacity);
    if (!data) return false;
    t->data = data;
    t->capacity = capacity;
    return true;
}

void sp_text_add(struct sp_text *t, const char *format, ...)
{
    va_list args;
    int n;
    if (!t || t->failed) return;
    if (!text_grow(t, 128)) {
        t->failed = true;
        return;
    }
    va_start(args, format);
    n = vsnprintf(t->data + t->size, t->capacity - t->size, format, args);
    va_end(args);
    if (n >= 0 && (size_t)n >= t->capacity - t->size) {
        if (!text_grow(t, (size_t)n)) {
            t->failed = true;
            t->data[t->size] = 0;
            return;
        }
        va_start(args, format);
        n = vsnprintf(t->data + t->size, t->capacity - t->size, format, args);
        va_end(args);
    }
    if (n < 0) {
        t->failed = true;
        t->data[t->size] = 0;
        return;
    }
    t->size += (size_t)n;
}

void sp_text_free(struct sp_text *t)
{
    free(t->data);
    memset(t, 0, sizeof *t);
}

/* ---- memory: small pieces share chunks, large ones are chunks of their own */

struct chunk {
    struct chunk *next;
    size_t used, size;
};
enum { CHUNK_BYTES = 1 << 16, ALIGNMENT = 16 };

void *sp_alloc(struct sp_reader *r, size_t count, size_t size)
{
    const size_t head = (sizeof(struct chunk) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct chunk *c = r->m->arena;
    size_t bytes, take;
    char *p;
    if (size && count > (SIZE_MAX / 2 - ALIGNMENT) / size) goto none;
    bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes == 0) bytes = ALIGNMENT;
    if (!c || c->size - c->used < bytes) {
        take = bytes > CHUNK_BYTES / 4 ? bytes : CHUNK_BYTES;
        c = calloc(1, head + take);
        if (!c) goto none;
        c->size = take;
        if (take == bytes && r->m->arena) { /* keep filling the current chunk */
            struct chunk *current = r->m->arena;
            c->next = current->next;
            current->next = c;
        } else {
            c->next = r->m->arena;
            r->m->arena = c;
        }
    }
    p = (char *)c + head + c->used;
    c->used += bytes;
    return p;
none:
    sp_text_add(r->log, "SPIR-V: out of memory\n");
    return NULL;
}

void sp_free(struct sp_module *m)
{
    struct chunk *c, *next;
    if (!m) return;
    for (c = m->arena; c; c = next) {
        next = c->next;
        free(c);
    }
    sp_text_free(&m->warnings);
    free(m);
}

bool sp_refuse(struct sp_reader *r, const struct sp_inst *at, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (!at)
        sp_text_add(r->log, "SPIR-V: %s\n", message);
    else if (at->id)
        sp_text_add(r->log, "SPIR-V, word %u: %s %%%u: %s\n", at->word, sp_op_name(at->op), sp_number(r->m, at->id),
                    message);
    else
        sp_text_add(r->log, "SPIR-V, word %u: %s: %s\n", at->word, sp_op_name(at->op), message);
    return false;
}

/* ---- look-ups */

uint32_t sp_number(const struct sp_module *m, uint32_t id) { return m->number && id < m->bound ? m->number[id] : id; }

const struct sp_type *sp_type(const struct sp_module *m, uint32_t type_id)
{
    return type_id < m->bound && m->type_of_id[type_id] ? &m->types[m->type_of_id[type_id] - 1] : NULL;
}

const struct sp_type *sp_value_type(const struct sp_module *m, uint32_t id)
{
    return id < m->bound && m->ids[id].type ? sp_type(m, m->ids[id].type) : NULL;
}

static uint32_t lower_bound(const struct sp_module *m, uint32_t id)
{
    uint32_t low = 0, high = m->decoration_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->decorations[middle].target < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t sp_decorations_of(const struct sp_module *m, uint32_t id, const struct sp_decoration **first)
{
    uint32_t at = lower_bound(m, id), end = at;
    while (end < m->decoration_count && m->decorations[end].target == id) end++;
    *first = m->decorations ? m->decorations + at : NULL;
    return end - at;
}

const struct sp_decoration *sp_decorated(const struct sp_module *m, uint32_t id, uint32_t kind)
{
    uint32_t i;
    for (i = lower_bound(m, id); i < m->decoration_count && m->decorations[i].target == id; i++)
        if (m->decorations[i].kind == kind && m->decorations[i].member == ~0u) return &m->decorations[i];
    return NULL;
}

static bool has_global_storage(const struct sp_inst *variable)
{
    return variable->operand[0] == SP_STORAGE_CrossWorkgroup || variable->operand[0] == SP_STORAGE_UniformConstant;
}

bool sp_is_private_constant(const struct sp_module *m, const struct sp_inst *variable)
{
    return (variable->operand[0] == SP_STORAGE_Function || variable->operand[0] == SP_STORAGE_Private) &&
           !m->ids[variable->id].function;
}

bool sp_is_built_in(const struct sp_module *m, const struct sp_inst *variable)
{
    return (variable->operand[0] == SP_STORAGE_Input || has_global_storage(variable)) &&
           sp_decorated(m, variable->id, SP_DECORATION_BuiltIn);
}

bool sp_is_global(const struct sp_module *m, const struct sp_inst *variable)
{
    return (has_global_storage(variable) || sp_is_private_constant(m, variable)) && !sp_is_built_in(m, variable);
}

bool sp_define(struct sp_reader *r, const struct sp_inst *i, enum sp_what what, uint32_t type)
{
    struct sp_id *d = &r->m->ids[i->id];
    if (i->id == 0) return sp_refuse(r, i, "it has no result id");
    if (d->what != SP_NOTHING) return sp_refuse(r, i, "this id is defined twice");
    d->def = what == SP_IS_DEBUG ? NULL : i;
    d->what = (uint8_t)what;
    d->type = type;
    d->function = r->state == OUTSIDE ? 0 : r->m->function_count;
    return true;
}
