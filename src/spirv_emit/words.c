/* words.c - what a module is made of: words in sections, ids, scopes. */
#include "internal.h"

/* Extends a buffer by `count` words and returns a pointer to them, NULL if out of memory. */
XE_FN_ uint32_t *spe_push_(spe_module *m, int which, size_t count)
{
    spe_buffer_ *b = &m->buffer[which];
    if (SPE_UNLIKELY_(b->count + count > b->capacity) &&
        !spe_grow_(m, &b->data, &b->capacity, b->count + count, sizeof(uint32_t),
                   which == SPE_BUFFER_BODY_ ? 16384 : 128))
        return NULL;
    b->count += count;
    return b->data + b->count - count;
}

/* Appends an instruction with `count` operand words to a section; returns a pointer to the operands. */
XE_FN_ uint32_t *spe_put_(spe_module *m, int section, uint32_t op, size_t count)
{
    uint32_t *at = NULL;
    if (m->error.id) return NULL;
    if (SPE_UNLIKELY_(m->finished)) spe_error_(m, SPE_ERR_FINISHED, "the module is finished: nothing can be added");
    else if (SPE_UNLIKELY_(count > 65534))
        spe_error_(m, SPE_ERR_LIMIT, "an instruction of %zu words; SPIR-V allows 65535", count + 1);
    else at = spe_push_(m, section, count + 1);
    if (!at) return NULL;
    *at = (uint32_t)(count + 1) << 16 | op;
    return at + 1;
}

/* Writes an instruction of n words, given as arguments. */
XE_FN_ bool spe_write_(spe_module *m, int section, uint32_t op, int n, ...)
{
    uint32_t *at = spe_put_(m, section, op, (size_t)n);
    va_list words;
    va_start(words, n);
    while (at && n--) *at++ = va_arg(words, uint32_t);
    va_end(words);
    return at != NULL;
}

/* Writes an instruction whose words are in two arrays. */
XE_FN_ bool spe_write_words_(spe_module *m, int section, uint32_t op, uint32_t n, const uint32_t *words, uint32_t more,
                      const uint32_t *rest)
{
    uint32_t *at = spe_put_(m, section, op, (size_t)n + more);
    if (at) memcpy(at, words, n * sizeof *at);
    if (at && more) memcpy(at + n, rest, more * sizeof *at);
    return at != NULL;
}

/* A new id: at depth 0 usable everywhere, else a value of that open scope. The upper half of flags: a value's opcode. 0
 * if out of memory. */
XE_FN_ spe_id spe_new_id_(spe_module *m, spe_id type, uint32_t flags, uint32_t depth)
{
    if (SPE_UNLIKELY_(m->id_count >= m->id_capacity)) {
        if (m->id_count >= 0x3fffff) return spe_error_(m, SPE_ERR_LIMIT, "more than 4194303 ids");
        if (!spe_grow_(m, &m->ids, &m->id_capacity, m->id_count + 1, sizeof *m->ids, 2048)) return 0;
    }
    spe_record_ *r = &m->ids[m->id_count];
    r->type = type;
    r->aux = flags >> 16;
    r->depth = (uint16_t)depth;
    r->flags = (uint16_t)flags;
    r->serial = m->buffer[SPE_BUFFER_SCOPES_].data[depth];
    return (spe_id)m->id_count++;
}

/* A value is kept if its bits are what they seem: from memory, a constant, or made of such, but for f16 that is
 * computed. Of any other f16, through words, phis and calls too, a driver may have left out the rounding. */
XE_FN_ bool spe_is_kept_(const spe_module *m, spe_id id)
{
    return (m->ids[id].flags & (SPE_ID_KEPT_HALF_ | SPE_ID_CONSTANT_)) != 0;
}

XE_FN_ spe_id spe_new_label_(spe_module *m) { return spe_new_id_(m, 0, 0, 0); }

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
XE_FN_ spe_id spe_write_once_(spe_module *m, uint32_t op, const char *text)
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
XE_ONCE_
XE_FN_ void spe_scope_renew_(spe_module *m)
{
    spe_buffer_ *b = &m->buffer[SPE_BUFFER_SCOPES_];
    b->data[b->count - 1] = m->serial++;
}

/* Of the current position. */
XE_FN_ uint32_t spe_depth_(const spe_module *m)
{
    return m->in_prologue ? 1 : (uint32_t)m->buffer[SPE_BUFFER_SCOPES_].count - 1;
}
