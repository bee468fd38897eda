/* module.c - begins and completes a module: entry points, capabilities, and all sections in order. */
#include "internal.h"

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

/* Finds the functions an entry point reaches: sets mark[i] for function number i. */
static void spe_reach_(const spe_module *m, uint32_t from, uint8_t *mark)
{
    const spe_buffer_ *uses = &m->buffer[SPE_BUFFER_USES_];
    bool grew = true;
    memset(mark, 0, m->function_count + 1);
    mark[from] = 1;
    while (grew) {
        grew = false;
        for (size_t i = 0; i < uses->count; i += 2) {
            const spe_record_ *r = &m->ids[uses->data[i + 1]];
            if (!mark[uses->data[i]] || !(r->flags & SPE_ID_FUNCTION_) || mark[r->depth]) continue;
            mark[r->depth] = 1;
            grew = true;
        }
    }
}

/* OpEntryPoint of kernel number e. Before 1.4 its interface consists of the Input variables it reaches, from then on of
 * all variables of the module. */
static void spe_write_entry_(spe_module *m, uint32_t e, uint8_t *mark)
{
    const spe_buffer_ *uses = &m->buffer[SPE_BUFFER_USES_];
    const spe_entry_ *entry = &m->entries[e];
    uint32_t once = 0x80000000u + e, words = spe_text_words_(entry->name), *at;
    size_t start = m->buffer[SPE_SECTION_ENTRY_].count;
    spe_reach_(m, entry->function, mark);
    at = spe_put_(m, SPE_SECTION_ENTRY_, SPE_OpEntryPoint, 2 + words);
    if (!at) return;
    at[0] = SPE_ExecutionModelKernel;
    at[1] = entry->id;
    spe_put_text_(at + 2, entry->name);
    for (size_t i = 0; i < uses->count; i += 2) {
        spe_record_ *r = &m->ids[uses->data[i + 1]];
        if (!mark[uses->data[i]] || !(r->flags & SPE_ID_GLOBAL_) || r->aux == once) continue;
        if (m->options.version < SPE_VERSION(1, 4) && spe_info_(m, r->type)->storage != SPE_StorageClassInput) continue;
        r->aux = once;
        at = spe_push_(m, SPE_SECTION_ENTRY_, 1);
        if (!at) return;
        *at = uses->data[i + 1];
    }
    words = (uint32_t)(m->buffer[SPE_SECTION_ENTRY_].count - start);
    if (words > 65535) SPE_ERROR_(m, LIMIT, "kernel %s uses %u variables", entry->name, words);
    m->buffer[SPE_SECTION_ENTRY_].data[start] = words << 16 | SPE_OpEntryPoint;
}

/* Capabilities in ascending order, the memory model, the source name, the entry points. */
static void spe_write_head_(spe_module *m)
{
    spe_buffer_ *caps = &m->buffer[SPE_BUFFER_CAPS_];
    uint8_t *mark = (uint8_t *)spe_alloc(m, m->function_count + 1);
    size_t j;
    spe_capability(m, SPE_CapabilityAddresses);
    spe_capability(m, SPE_CapabilityKernel);
    if (!m->entry_count) spe_capability(m, SPE_CapabilityLinkage);
    for (size_t i = 1; i < caps->count; i++) {
        uint32_t c = caps->data[i];
        for (j = i; j && caps->data[j - 1] > c; j--) caps->data[j] = caps->data[j - 1];
        caps->data[j] = c;
    }
    for (size_t i = 0; i < caps->count; i++) spe_write_(m, SPE_SECTION_CAPABILITY_, SPE_OpCapability, 1, caps->data[i]);
    spe_write_(m, SPE_SECTION_MODEL_, SPE_OpMemoryModel, 2, SPE_AddressingModelPhysical64, SPE_MemoryModelOpenCL);
    if (m->options.source)
        spe_write_(m, SPE_SECTION_STRING_, SPE_OpSource, 3, SPE_SourceLanguageUnknown, 0,
                   spe_write_once_(m, SPE_OpString, m->options.source));
    for (uint32_t e = 0; e < m->entry_count && mark; e++) spe_write_entry_(m, e, mark);
}

spe_words spe_finish(spe_module *m)
{
    spe_words words = {NULL, 0};
    spe_buffer_ *all = &m->buffer[SPE_SECTION_FUNCTION_]; /* the last section: the others are inserted before it */
    uint32_t head[5] = {0x07230203, m->options.version, 0, 0, 0}, *at;
    size_t before = 5;
    m->doing = __func__;
    if (m->open && m->region_count) spe_region_left_open_(m);
    if (m->open) spe_error_(m, SPE_ERR_FUNCTION_OPEN, "a %s is still open", m->fn.kernel ? "kernel" : "function");
    if (m->error.id || !m->options.realloc) return words;
    if (!m->finished) {
        spe_write_head_(m);
        for (int section = 0; section < SPE_SECTION_FUNCTION_; section++) before += m->buffer[section].count;
        if (m->error.id || !spe_push_(m, SPE_SECTION_FUNCTION_, before)) return words;
        head[3] = (uint32_t)m->id_count;
        at = all->data;
        memmove(at + before, at, (all->count - before) * sizeof *at);
        memcpy(at, head, sizeof head);
        at += 5;
        for (int section = 0; section < SPE_SECTION_FUNCTION_; section++) {
            const spe_buffer_ *b = &m->buffer[section];
            if (b->count) memcpy(at, b->data, b->count * sizeof *at);
            at += b->count;
        }
        m->finished = true;
    }
    words.data = all->data;
    words.count = all->count;
    return words;
}
