/* module.c - the pipeline of the SPIR-V reader, its memory, its text, and look-ups in the finished module. */
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

/* ---- the pipeline */

enum { MAGIC = 0x07230203 };

static uint32_t swap_bytes(uint32_t w) { return w >> 24 | (w >> 8 & 0xff00u) | (w << 8 & 0xff0000u) | w << 24; }

static bool read_header(struct sp_reader *r, const uint32_t *words, size_t count, uint32_t **own)
{
    struct sp_module *m = r->m;
    uint32_t major, minor;
    uint32_t *copy;
    bool swapped;
    size_t i;
    if (count < SP_HEADER_WORDS) return sp_refuse(r, NULL, "%zu words are too few for a module", count);
    if (count > SP_MAX_WORDS) return sp_refuse(r, NULL, "%zu words are more than the limit of %d", count, SP_MAX_WORDS);
    swapped = words[0] == swap_bytes(MAGIC);
    if (words[0] != MAGIC && !swapped)
        return sp_refuse(r, NULL, "the first word is 0x%08x, not SPIR-V's magic number", words[0]);
    copy = sp_alloc(r, count, sizeof *copy);
    if (!copy) return false;
    for (i = 0; i < count; i++) copy[i] = swapped ? swap_bytes(words[i]) : words[i];
    m->words = *own = copy;
    m->word_count = count;
    m->version = copy[1];
    m->bound = copy[3];
    major = m->version >> 16 & 0xff;
    minor = m->version >> 8 & 0xff;
    if (major != 1 || minor > 6 || (m->version & 0xff0000ffu))
        return sp_refuse(r, NULL, "version word 0x%08x: 1.0 to 1.6 are supported", m->version);
    if (m->bound == 0 || m->bound > SP_MAX_BOUND)
        return sp_refuse(r, NULL, "the id bound %u is not within 1 to %d", m->bound, SP_MAX_BOUND);
    if (copy[4] != 0) return sp_refuse(r, NULL, "the schema word is %u, not 0", copy[4]);
    return true;
}

static bool allocate(struct sp_reader *r)
{
    struct sp_module *m = r->m;
    size_t room = (size_t)m->bound + (r->strict ? 0 : r->total_types); /* for sp_make_undefined */
    m->ids = sp_alloc(r, room, sizeof *m->ids);
    m->type_of_id = sp_alloc(r, room, sizeof *m->type_of_id);
    m->names = sp_alloc(r, room, sizeof *m->names);
    r->forward = sp_alloc(r, m->bound, 1);
    r->early_type = sp_alloc(r, room, sizeof *r->early_type);
    r->insts = sp_alloc(r, r->total_insts, sizeof *r->insts);
    r->rule_index = sp_alloc(r, SP_RULE_OPS, sizeof *r->rule_index);
    m->types = sp_alloc(r, r->total_types, sizeof *m->types);
    m->functions = sp_alloc(r, r->total_functions, sizeof *m->functions);
    m->globals = sp_alloc(r, r->total_globals, sizeof *m->globals);
    m->entries = sp_alloc(r, r->total_entries, sizeof *m->entries);
    r->entry_insts = sp_alloc(r, r->total_entries, sizeof *r->entry_insts);
    r->modes = sp_alloc(r, r->total_modes, sizeof *r->modes);
    r->group_insts = sp_alloc(r, r->total_groups, sizeof *r->group_insts);
    r->raw = sp_alloc(r, r->total_decorations, sizeof *r->raw);
    r->function_at = sp_alloc(r, r->total_functions, sizeof *r->function_at);
    r->first_entry = sp_alloc(r, r->total_functions, sizeof *r->first_entry);
    r->next_entry = sp_alloc(r, r->total_entries, sizeof *r->next_entry);
    if (r->rule_index) sp_index_rules(r->rule_index);
    return r->rule_index && m->ids && m->type_of_id && m->names && r->forward && r->early_type && r->insts &&
           m->types && m->functions && m->globals && m->entries && r->entry_insts && r->modes && r->group_insts &&
           r->raw && r->function_at && r->first_entry && r->next_entry;
}

static bool read_all(struct sp_reader *r, const uint32_t *words, size_t count)
{
    uint32_t *own = NULL;
    return read_header(r, words, count, &own) &&
           sp_count_words(own + SP_HEADER_WORDS, count - SP_HEADER_WORDS, r) && sp_renumber(r, own) && allocate(r) &&
           sp_decode(r) && sp_build_functions(r) && sp_build_entries(r);
}

struct sp_module *sp_parse(const uint32_t *words, size_t count, const struct sp_spec *spec, size_t spec_count,
                           bool strict, struct sp_text *log)
{
    struct sp_reader r;
    bool good;
    memset(&r, 0, sizeof r);
    r.log = log;
    r.spec = spec;
    r.spec_count = spec_count;
    r.strict = strict;
    r.m = calloc(1, sizeof *r.m);
    if (!r.m) {
        sp_text_add(log, "SPIR-V: out of memory\n");
        return NULL;
    }
    good = words && read_all(&r, words, count);
    if (!words) sp_refuse(&r, NULL, "no words given");
    if (good) sp_sum_deviations(&r);
    if (good) return r.m;
    sp_free(r.m);
    return NULL;
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
