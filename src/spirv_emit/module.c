/* module.c - a module's errors, memory, beginning and end. */
#include "internal.h"

/* -- errors ------------------------------------------------------------------------------------------------------ */

static const char *spe_error_says_(int id, bool name)
{
#define SPE_ERROR_CASE_(id, number, meaning)                                                                           \
    case number: return name ? "SPE_ERR_" #id : meaning;
    switch (id) {
        SPE_ERRORS(SPE_ERROR_CASE_)
    default: return "";
    }
}
const char *spe_error_meaning(int id) { return spe_error_says_(id, false); }

/* Records an error; `doing` and a colon precede the text unless `doing` is NULL. */
SPE_PRINTF(5, 0)
static void spe_vfail_(spe_module *m, int id, const char *name, const char *doing, const char *format, va_list args)
{
    spe_error *e = &m->error;
    int n = 0;
    if (e->id) return;
    e->id = id;
    e->name = name;
    e->file = m->file;
    e->line = m->line;
    if (doing) n = snprintf(e->text, sizeof e->text, "%s: ", doing);
    vsnprintf(e->text + n, sizeof e->text - (size_t)n, format, args);
}

void spe_fail(spe_module *m, int id, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    spe_vfail_(m, id, name, NULL, format, args);
    va_end(args);
}

spe_id spe_error_(spe_module *m, int id, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    spe_vfail_(m, id, spe_error_says_(id, true), m->doing, format, args);
    va_end(args);
    return 0;
}

/* A type as text, for messages; the last two remain valid. */
XE_LATE_ const char *spe_text_(spe_module *m, spe_id type)
{
    return spe_type_text(m, type, m->text[m->texts++ % 2], sizeof m->text[0]);
}

/* Reports two types that should be the same. */
XE_LATE_ spe_id spe_disagree_(spe_module *m, spe_id a, spe_id b)
{
    const char *text = spe_text_(m, a);
    return spe_error_(m, SPE_ERR_TYPE, "operand types disagree: %s and %s", text, spe_text_(m, b));
}

const spe_error *spe_get_error(const spe_module *m) { return &m->error; }

void spe_print_error(const spe_error *e, FILE *f)
{
    for (; e && e->id; e = e->next)
        if (e->file) fprintf(f, "%s:%d: %s: %s\n", e->file, e->line, e->name, e->text);
        else fprintf(f, "%s: %s\n", e->name, e->text);
}

bool spe_ok(const spe_module *m) { return m->error.id == 0; }

spe_module *spe_at(spe_module *m, const char *file, int line)
{
    m->file = file;
    m->line = line;
    return m;
}

/* -- memory: an arena of chunks that double in size, and arrays in it that double -------------------------------- */

static void *spe_default_realloc_(void *user, void *p, size_t size)
{
    (void)user;
    if (size) return realloc(p, size);
    free(p);
    return NULL;
}

/* Allocates a chunk of at least this many bytes. The default size suffices for most kernels. Once a chunk of that size
 * has been freed, glibc reuses its pages for the next module; fresh pages for each would take a third of the time. */
static bool spe_new_chunk_(spe_module *m, size_t bytes)
{
    const size_t head = (sizeof(spe_chunk_) + 15) / 16 * 16, next = (size_t)SPE_CHUNK << m->chunk_count;
    size_t size = next > head + bytes ? next : head + bytes;
    spe_chunk_ *chunk = NULL;
    if (!m->options.realloc) return SPE_ERROR_(m, OPTION, "the module was not begun, or freed");
    if (bytes <= SIZE_MAX / 4) /* in parentheses because realloc may be a user's macro */
        chunk = (spe_chunk_ *)(m->options.realloc)(m->options.user, NULL, size);
    m->doing = NULL;
    if (!chunk) return spe_error_(m, SPE_ERR_MEMORY, "out of memory: the allocator refused %zu bytes", bytes);
    chunk->next = m->chunks;
    m->chunks = chunk;
    m->chunk_used = head;
    m->chunk_size = size;
    if (m->chunk_count < 12) m->chunk_count++;
    return true;
}

static void *spe_take_(spe_module *m, size_t bytes)
{
    if (bytes <= SIZE_MAX / 4) bytes = bytes ? (bytes + 15) / 16 * 16 : 16;
    if (m->error.id || (m->chunk_size - m->chunk_used < bytes && !spe_new_chunk_(m, bytes))) return NULL;
    char *at = (char *)m->chunks + m->chunk_used;
    m->chunk_used += bytes;
    return at;
}

void *spe_alloc(spe_module *m, size_t bytes)
{
    void *p = spe_take_(m, bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

/* Makes room for `need` elements in the array that *array points to; false and an error if out of memory. */
XE_LATE_ bool spe_grow_(spe_module *m, void *array, size_t *capacity, size_t need, size_t size, size_t first)
{
    size_t wanted = *capacity ? *capacity : first;
    void *old, *p;
    if (need <= *capacity) return true;
    while (wanted < need) wanted *= 2;
    p = spe_take_(m, wanted * size);
    if (!p) return false;
    memcpy(&old, array, sizeof old);
    if (old) memcpy(p, old, *capacity * size);
    memcpy(array, &p, sizeof p);
    *capacity = wanted;
    return true;
}

void *spe_list_add(spe_module *m, spe_list *list, size_t size)
{
    if (!spe_grow_(m, &list->items, &list->capacity, (size_t)list->count + 1, size, 16)) return NULL;
    return memset((char *)list->items + (size_t)list->count++ * size, 0, size);
}

XE_FN_ void *spe_copied_(spe_module *m, const void *from, size_t size)
{
    void *copy = spe_alloc(m, size);
    if (copy && size) memcpy(copy, from, size);
    return copy;
}

/* -- texts ------------------------------------------------------------------------------------------------------- */

XE_FN_ uint32_t spe_text_words_(const char *text) { return (uint32_t)(strlen(text) / 4 + 1); }

/* Packs bytes into words, low byte first, as SPIR-V requires on any host. */
XE_FN_ void spe_put_text_(uint32_t *at, const char *text)
{
    size_t i, n = strlen(text);
    memset(at, 0, spe_text_words_(text) * sizeof *at);
    for (i = 0; i < n; i++) at[i / 4] |= (uint32_t)(unsigned char)text[i] << (i % 4 * 8);
}

/* The OpString, which has an id, or the OpExtension with this text, made once. Returns the id. */
XE_LATE_ spe_id spe_write_once_(spe_module *m, uint32_t op, const char *text)
{
    uint32_t n = spe_text_words_(text), *copy = (uint32_t *)spe_alloc(m, n * sizeof *copy), ids = op == SPE_OpString;
    int section = ids ? SPE_SECTION_STRING_ : SPE_SECTION_EXTENSION_;
    const spe_buffer_ *b = &m->buffer[section];
    if (!copy) return 0;
    spe_put_text_(copy, text);
    for (size_t i = 0; i < b->count; i += b->data[i] >> 16) {
        if (b->data[i] == ((n + ids + 1) << 16 | op) && !memcmp(b->data + i + ids + 1, copy, n * sizeof *copy))
            return b->data[i + 1];
    }
    spe_id id = ids ? spe_new_id_(m, 0, 0, 0) : 0;
    return spe_write_words_(m, section, op, ids, &id, n, copy) ? id : 0;
}

/* -- scopes: a value belongs to the region that defines it -------------------------------------------------------- */

enum { SPE_MAX_DEPTH_ = 65000 }; /* of nested regions, besides the scopes of module and function */

XE_FN_ bool spe_scope_push_(spe_module *m)
{
    bool fits = m->buffer[SPE_BUFFER_SCOPES_].count < SPE_MAX_DEPTH_ + 3;
    uint32_t *at = fits ? spe_push_(m, SPE_BUFFER_SCOPES_, 1) : NULL;
    if (!at) return spe_error_(m, SPE_ERR_LIMIT, "regions nested more than %d deep", (int)SPE_MAX_DEPTH_);
    *at = m->serial++;
    return true;
}

XE_FN_ void spe_scope_pop_(spe_module *m) { m->buffer[SPE_BUFFER_SCOPES_].count--; }

/* Replaces the innermost scope by a new one, so that its values become inaccessible. */
XE_FN_ void spe_scope_renew_(spe_module *m)
{
    spe_buffer_ *b = &m->buffer[SPE_BUFFER_SCOPES_];
    b->data[b->count - 1] = m->serial++;
}

/* -- beginning and end ------------------------------------------------------------------------------------------- */

bool spe_begin(spe_module *m, const spe_options *o)
{
    memset(m, 0, sizeof *m);
    if (o) m->options = *o;
    if (!m->options.realloc) m->options.realloc = spe_default_realloc_;
    if (!m->options.version) m->options.version = SPE_VERSION(1, 4);
    m->id_count = 1;
    if (m->options.version < SPE_VERSION(1, 0) || m->options.version > SPE_VERSION(1, 6) || (m->options.version & 0xff))
        return SPE_ERROR_(m, OPTION, "version 0x%x is not SPE_VERSION(1, 0) to SPE_VERSION(1, 6)", m->options.version);
    if (m->options.env != SPE_ENV_OPENCL)
        return SPE_ERROR_(m, OPTION, "env %d is not an environment of this header", (int)m->options.env);
    return spe_scope_push_(m);
}

void spe_free(spe_module *m)
{
    spe_chunk_ *chunk, *next;
    for (chunk = m->chunks; chunk; chunk = next) {
        next = chunk->next;
        (m->options.realloc)(m->options.user, chunk, 0);
    }
    memset(m, 0, sizeof *m);
}
