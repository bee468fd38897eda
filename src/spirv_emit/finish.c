/* finish.c - the finished module. */
#include "internal.h"

typedef struct {
    uint16_t addressing, memory, execution;
    uint16_t capabilities[2]; /* what every module of the environment declares */
} spe_env_row_;

static const spe_env_row_ *spe_env_row_of_(spe_env env)
{
    static const spe_env_row_ rows[] = {
        {SPE_AddressingModelPhysical64,
         SPE_MemoryModelOpenCL,
         SPE_ExecutionModelKernel,
         {SPE_CapabilityAddresses, SPE_CapabilityKernel}},
    };
    return &rows[env];
}

/* Which functions does an entry point reach? mark[i] is set for function number i. */
static void spe_reach_(const spe_module *m, uint32_t from, uint8_t *mark)
{
    const spe_buffer_ *uses = &m->buffer[SPE_BUFFER_USES_];
    bool grew = true;
    size_t i;
    memset(mark, 0, m->function_count + 1);
    mark[from] = 1;
    while (grew) {
        grew = false;
        for (i = 0; i < uses->count; i += 2) {
            const spe_record_ *r = &m->ids[uses->data[i + 1]];
            if (!mark[uses->data[i]] || !(r->flags & SPE_ID_FUNCTION_) || mark[r->depth]) continue;
            mark[r->depth] = 1;
            grew = true;
        }
    }
}

/* OpEntryPoint of every kernel: before 1.4 its interface is the Input variables it reaches, from then on all of the
 * module's. */
static void spe_write_entries_(spe_module *m)
{
    const spe_buffer_ *uses = &m->buffer[SPE_BUFFER_USES_];
    uint8_t *mark = (uint8_t *)spe_alloc(m, m->function_count + 1);
    size_t e, i, start;
    uint32_t *at, words;
    for (e = 0; e < m->entry_count && mark; e++) {
        const spe_entry_ *entry = &m->entries[e];
        spe_reach_(m, entry->function, mark);
        words = spe_text_words_(entry->name);
        start = m->buffer[SPE_SECTION_ENTRY_].count;
        at = spe_put_(m, SPE_SECTION_ENTRY_, SPE_OpEntryPoint, 2 + words);
        if (!at) return;
        at[0] = spe_env_row_of_(m->options.env)->execution;
        at[1] = entry->id;
        spe_put_text_(at + 2, entry->name);
        for (i = 0; i < uses->count; i += 2) {
            spe_record_ *r = &m->ids[uses->data[i + 1]];
            uint32_t once = 0x80000000u + (uint32_t)e;
            if (!mark[uses->data[i]] || !(r->flags & SPE_ID_GLOBAL_) || r->aux == once) continue;
            if (m->options.version < SPE_VERSION(1, 4) && spe_info_(m, r->type)->storage != SPE_StorageClassInput)
                continue;
            r->aux = once;
            at = spe_push_(m, SPE_SECTION_ENTRY_, 1);
            if (!at) return;
            *at = uses->data[i + 1];
        }
        words = (uint32_t)(m->buffer[SPE_SECTION_ENTRY_].count - start);
        if (words > 65535) spe_error_(m, SPE_ERR_LIMIT, "kernel %s uses %u variables", entry->name, words);
        m->buffer[SPE_SECTION_ENTRY_].data[start] = words << 16 | SPE_OpEntryPoint;
    }
}

/* Capabilities in rising order, the memory model, the name of the source. */
static void spe_write_head_(spe_module *m)
{
    const spe_env_row_ *env = spe_env_row_of_(m->options.env);
    spe_buffer_ *caps = &m->buffer[SPE_BUFFER_CAPS_];
    size_t i, j;
    uint32_t *at;
    spe_capability(m, env->capabilities[0]);
    spe_capability(m, env->capabilities[1]);
    if (!m->entry_count) spe_capability(m, SPE_CapabilityLinkage);
    for (i = 1; i < caps->count; i++) {
        uint32_t c = caps->data[i];
        for (j = i; j && caps->data[j - 1] > c; j--) caps->data[j] = caps->data[j - 1];
        caps->data[j] = c;
    }
    for (i = 0; i < caps->count; i++) {
        at = spe_put_(m, SPE_SECTION_CAPABILITY_, SPE_OpCapability, 1);
        if (at) at[0] = caps->data[i];
    }
    at = spe_put_(m, SPE_SECTION_MODEL_, SPE_OpMemoryModel, 2);
    if (!at) return;
    at[0] = env->addressing;
    at[1] = env->memory;
    if (m->options.source) {
        spe_id id = spe_string_(m, m->options.source);
        at = id ? spe_put_(m, SPE_SECTION_STRING_, SPE_OpSource, 3) : NULL;
        if (!at) return;
        at[0] = SPE_SourceLanguageUnknown;
        at[1] = 0;
        at[2] = id;
    }
}

spe_words spe_finish(spe_module *m)
{
    spe_words words = {NULL, 0};
    uint32_t *at;
    size_t total = 5;
    int section;
    if (m->open) {
        if (m->region_count)
            spe_region_left_open_(m, "spe_finish");
        else
            spe_error_(m, SPE_ERR_FUNCTION_OPEN, "spe_finish: a %s is still open",
                       m->fn.kernel ? "kernel" : "function");
    }
    if (m->error.id || !m->options.realloc) return words;
    if (!m->finished) {
        spe_write_head_(m);
        spe_write_entries_(m);
        for (section = 0; section < SPE_SECTION_COUNT_; section++) total += m->buffer[section].count;
        at = m->error.id ? NULL : spe_push_(m, SPE_BUFFER_OUT_, total);
        if (!at) return words;
        at[0] = 0x07230203;
        at[1] = m->options.version;
        at[2] = 0;
        at[3] = (uint32_t)m->id_count;
        at[4] = 0;
        at += 5;
        for (section = 0; section < SPE_SECTION_COUNT_; section++) {
            const spe_buffer_ *b = &m->buffer[section];
            if (b->count) memcpy(at, b->data, b->count * sizeof *at);
            at += b->count;
        }
        m->finished = true;
    }
    words.data = m->buffer[SPE_BUFFER_OUT_].data;
    words.count = m->buffer[SPE_BUFFER_OUT_].count;
    return words;
}
