/* module.c - The module: errors, memory, ids. */
#include "internal.h"

static void *spe_default_realloc_(void *user, void *p, size_t size)
{
    (void)user;
    if (size) return realloc(p, size);
    free(p);
    return NULL;
}

const char *spe_error_meaning(int id)
{
#define SPE_ERROR_CASE_(name, number, text)                                                                            \
    case number: return text;
    switch (id) {
        SPE_ERRORS(SPE_ERROR_CASE_)
    default: return "";
    }
#undef SPE_ERROR_CASE_
}

static const char *spe_error_name_(int id)
{
#define SPE_ERROR_CASE_(name, number, text)                                                                            \
    case number: return "SPE_ERR_" #name;
    switch (id) {
        SPE_ERRORS(SPE_ERROR_CASE_)
    default: return "?";
    }
#undef SPE_ERROR_CASE_
}

SPE_PRINTF(4, 0)
static void spe_vfail_(spe_module *m, int id, const char *name, const char *format, va_list args)
{
    if (m->error.id) return;
    m->error.id = id;
    m->error.name = name;
    m->error.file = m->file;
    m->error.line = m->line;
    vsnprintf(m->error.text, sizeof m->error.text, format, args);
}

void spe_fail(spe_module *m, int id, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    spe_vfail_(m, id, name, format, args);
    va_end(args);
}

/* Returns 0, so that a caller may `return spe_error_(...)`. */
spe_id spe_error_(spe_module *m, int id, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    spe_vfail_(m, id, spe_error_name_(id), format, args);
    va_end(args);
    return 0;
}

const spe_error *spe_get_error(const spe_module *m) { return &m->error; }

void spe_print_error(const spe_error *e, FILE *f)
{
    if (e->id) fprintf(f, "%s:%d: %s: %s\n", e->file ? e->file : "?", e->line, e->name, e->text);
}

bool spe_ok(const spe_module *m) { return m->error.id == 0; }

spe_module *spe_at(spe_module *m, const char *file, int line)
{
    m->file = file;
    m->line = line;
    return m;
}

/* -- memory: arrays that double, and an arena of chunks that double ---------------------------------------------- */

static void *spe_realloc_(spe_module *m, void *p, size_t size)
{
    void *q;
    if (!m->options.realloc) return spe_error_(m, SPE_ERR_OPTION, "the module was not begun, or freed"), (void *)NULL;
    q = (m->options.realloc)(m->options.user, p, size); /* in parentheses: realloc may be a macro of the user's */
    if (!q && size) spe_error_(m, SPE_ERR_MEMORY, "out of memory: no %zu bytes", size);
    return q;
}

/* Makes room for `need` elements in an array; false and an error when there is no memory. */
bool spe_grow_(spe_module *m, void **array, size_t *capacity, size_t need, size_t size, size_t first)
{
    size_t wanted = *capacity ? *capacity : first;
    void *p;
    if (need <= *capacity) return true;
    if (m->error.id) return false;
    while (wanted < need) wanted *= 2;
    p = spe_realloc_(m, *array, wanted * size);
    if (!p) return false;
    *array = p;
    *capacity = wanted;
    return true;
}

/* Appends `count` words of room to a buffer and returns where they begin, NULL when there is no memory. */
uint32_t *spe_push_(spe_module *m, int which, size_t count)
{
    spe_buffer_ *b = &m->buffer[which];
    uint32_t *at;
    if (SPE_UNLIKELY_(b->count + count > b->capacity)) {
        void *p = b->data;
        if (!spe_grow_(m, &p, &b->capacity, b->count + count, sizeof(uint32_t), 128)) return NULL;
        b->data = (uint32_t *)p;
    }
    at = b->data + b->count;
    b->count += count;
    return at;
}

void *spe_alloc(spe_module *m, size_t bytes)
{
    const size_t head = (sizeof(spe_chunk_) + 15) / 16 * 16;
    char *at;
    if (m->error.id) return NULL;
    if (bytes > SIZE_MAX / 4)
        return spe_error_(m, SPE_ERR_MEMORY, "out of memory: no %zu bytes", bytes), (void *)NULL;
    bytes = bytes ? (bytes + 15) / 16 * 16 : 16;
    if (!m->chunks || m->chunk_used + bytes > m->chunk_size) {
        size_t size = m->chunk_next ? m->chunk_next : 4096;
        spe_chunk_ *chunk;
        while (size < head + bytes) size *= 2;
        chunk = (spe_chunk_ *)spe_realloc_(m, NULL, size);
        if (!chunk) return NULL;
        chunk->next = m->chunks;
        m->chunks = chunk;
        m->chunk_used = head;
        m->chunk_size = size;
        m->chunk_next = size * 2;
    }
    at = (char *)m->chunks + m->chunk_used;
    m->chunk_used += bytes;
    memset(at, 0, bytes);
    return at;
}

const char *spe_copy_text_(spe_module *m, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = (char *)spe_alloc(m, size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

/* -- words ------------------------------------------------------------------------------------------------------- */

uint32_t spe_text_words_(const char *text) { return (uint32_t)(strlen(text) / 4 + 1); }

/* Little-endian bytes in words, as SPIR-V wants, whatever the host's order. */
void spe_put_text_(uint32_t *at, const char *text)
{
    size_t i, n = strlen(text);
    memset(at, 0, spe_text_words_(text) * sizeof *at);
    for (i = 0; i < n; i++) at[i / 4] |= (uint32_t)(unsigned char)text[i] << (i % 4 * 8);
}

/* Appends an instruction of `count` operand words to a section; returns the operands' place. */
uint32_t *spe_put_(spe_module *m, int section, uint32_t op, uint32_t count)
{
    uint32_t *at;
    if (m->error.id) return NULL;
    if (m->finished)
        return spe_error_(m, SPE_ERR_FINISHED, "the module is finished: nothing can be added"), (uint32_t *)NULL;
    if (count > 65534)
        return spe_error_(m, SPE_ERR_LIMIT, "an instruction of %u words; SPIR-V allows 65535", count + 1),
               (uint32_t *)NULL;
    at = spe_push_(m, section, count + 1);
    if (!at) return NULL;
    *at = (count + 1) << 16 | op;
    return at + 1;
}

/* A new id: depth 0 is for everybody, else the value belongs to that open scope. 0 when there is no memory. */
spe_id spe_new_id_(spe_module *m, spe_id type, uint32_t flags, uint32_t depth)
{
    spe_record_ *r;
    if (SPE_UNLIKELY_(m->id_count >= m->id_capacity)) {
        void *p = m->ids;
        if (m->id_count >= 0x3fffff) return spe_error_(m, SPE_ERR_LIMIT, "more than 4194303 ids");
        if (!spe_grow_(m, &p, &m->id_capacity, m->id_count + 1, sizeof *m->ids, 256)) return 0;
        m->ids = (spe_record_ *)p;
    }
    r = &m->ids[m->id_count];
    r->type = type;
    r->aux = 0;
    r->depth = (uint16_t)depth;
    r->flags = (uint16_t)flags;
    r->serial = m->buffer[SPE_BUFFER_SCOPES_].data[depth];
    return (spe_id)m->id_count++;
}

uint32_t spe_depth_(const spe_module *m) /* of what is written now */
{
    return m->in_prologue ? 1 : (uint32_t)m->buffer[SPE_BUFFER_SCOPES_].count - 1;
}

/* Regions within each other; the scopes of the module and of the function are not regions. */
enum { SPE_MAX_DEPTH_ = 65000 };

bool spe_scope_push_(spe_module *m)
{
    uint32_t *at =
        m->buffer[SPE_BUFFER_SCOPES_].count < SPE_MAX_DEPTH_ + 3 ? spe_push_(m, SPE_BUFFER_SCOPES_, 1) : NULL;
    if (!at) return spe_error_(m, SPE_ERR_LIMIT, "regions nested more than %d deep", (int)SPE_MAX_DEPTH_), false;
    *at = m->serial++;
    return true;
}

void spe_scope_pop_(spe_module *m) { m->buffer[SPE_BUFFER_SCOPES_].count--; }

/* A scope of the same depth and a new number: what the old one held is out of reach. */
void spe_scope_renew_(spe_module *m)
{
    spe_buffer_ *b = &m->buffer[SPE_BUFFER_SCOPES_];
    b->data[b->count - 1] = m->serial++;
}

bool spe_begin(spe_module *m, const spe_options *o)
{
    memset(m, 0, sizeof *m);
    if (o) m->options = *o;
    if (!m->options.realloc) m->options.realloc = spe_default_realloc_;
    if (!m->options.version) m->options.version = SPE_VERSION(1, 4);
    m->id_count = 1;
    if (m->options.version < SPE_VERSION(1, 0) || m->options.version > SPE_VERSION(1, 6) || (m->options.version & 0xff))
        return spe_error_(m, SPE_ERR_OPTION, "version 0x%x is not SPE_VERSION(1, 0) to SPE_VERSION(1, 6)",
                          m->options.version), false;
    if (m->options.env != SPE_ENV_OPENCL)
        return spe_error_(m, SPE_ERR_OPTION, "env %d is not an environment of this header", (int)m->options.env), false;
    return spe_scope_push_(m);
}

void spe_free(spe_module *m)
{
    int i;
    if (!m->options.realloc) return;
#define SPE_FREE_(p) ((p) ? (void)(m->options.realloc)(m->options.user, (p), 0) : (void)0)
    for (i = 0; i < SPE_BUFFER_COUNT_; i++) SPE_FREE_(m->buffer[i].data);
    SPE_FREE_(m->ids);
    SPE_FREE_(m->types);
    SPE_FREE_(m->constants);
    SPE_FREE_(m->entries);
    SPE_FREE_(m->regions);
    while (m->chunks) {
        spe_chunk_ *next = m->chunks->next;
        SPE_FREE_(m->chunks);
        m->chunks = next;
    }
#undef SPE_FREE_
    memset(m, 0, sizeof *m);
}
