/* module.c - begins and completes a module: entry points, capabilities, and all sections in order. */
#include "internal.h"

bool spe_begin(spe_module *m, const spe_options *o)
{
    memset(m, 0, sizeof *m);
    if (o) m->options = *o;
    if (!m->options.realloc) m->options.realloc = spe_default_realloc_;
    if (!m->options.version) m->options.version = m->options.env ? SPE_VERSION(1, 6) : SPE_VERSION(1, 4);
    if (m->options.env) m->options.verbatim = true; /* other compilers, other bugs */
    m->id_count = 1;
    if (m->options.version < SPE_VERSION(1, 0) || m->options.version > SPE_VERSION(1, 6) || (m->options.version & 0xff))
        return SPE_ERROR_(m, OPTION, "version 0x%x is not SPE_VERSION(1, 0) to SPE_VERSION(1, 6)", m->options.version);
    if (m->options.env != SPE_ENV_OPENCL && m->options.env != SPE_ENV_VULKAN)
        return SPE_ERROR_(m, OPTION, "env %d is not an environment of this header", (int)m->options.env);
    m->vulkan = m->options.env ? SPE_VULKAN_PART_ : NULL;
    if (m->options.env && !m->vulkan)
        return SPE_ERROR_(m, ENVIRONMENT, "this program was compiled without what writes modules for Vulkan: include "
                                          "vk_dispatch.h, or define SPE_VULKAN before the first header");
    if (m->options.env && m->options.version < SPE_VERSION(1, 5))
        return SPE_ERROR_(m, VERSION, "version 1.%u; for Vulkan it is 1.5 or 1.6", m->options.version >> 8 & 0xff);
    if (!spe_scope_push_(m)) return false;
    /* First, as Intel's compiler dies of an OpSource whose file has an id above 65,536. */
    if (m->options.source && !m->options.verbatim) spe_write_once_(m, SPE_OpString, m->options.source);
    return !m->error.id;
}

void spe_free(spe_module *m)
{
    spe_chunk_ *lists[] = {m->blocks, m->chunks};
    for (int i = 0; i < 2; i++) {
        for (spe_chunk_ *chunk = lists[i], *next; chunk; chunk = next) {
            next = chunk->next;
            (m->options.realloc)(m->options.user, chunk, 0);
        }
    }
    memset(m, 0, sizeof *m);
}

/* ---- interfaces: the variables that an entry point reaches
 *
 * The uses of a function are neighbours in the list of uses. A function that leads to no variable is left out, and one
 * that has no variables of its own and leads to those of one other function is replaced by that. Then a walk from each
 * kernel costs about what it writes, however long the chains of calls are. */
typedef struct {
    uint32_t first, end; /* its uses */
    uint32_t leads_to;   /* the function with the variables that it reaches: itself, another one, 0: it reaches none */
    uint32_t seen;       /* the last entry point, from 1, whose walk came here */
    uint32_t next;       /* the first of its uses that was not looked at */
    bool open, done;     /* being looked at; leads_to is known */
} spe_caller_;

/* Is the id a variable that belongs in interfaces? Before 1.4 these are Input variables only, from then on all. */
static bool spe_in_interface_(const spe_module *m, uint32_t id)
{
    const spe_record_ *r = &m->ids[id];
    return (r->flags & SPE_ID_GLOBAL_) && (m->options.version >= SPE_VERSION(1, 4) ||
                                           spe_info_(m, r->type)->storage == SPE_StorageClassInput);
}

/* Is it a variable in local memory? Its bytes count where the target's are known. */
static bool spe_is_local_(const spe_module *m, uint32_t id)
{
    const spe_record_ *r = &m->ids[id];
    return (r->flags & SPE_ID_GLOBAL_) && spe_info_(m, r->type)->storage == SPE_StorageClassWorkgroup;
}

/* The number of the function that use number i calls; 0: it calls none of this module. */
static uint32_t spe_callee_(const spe_module *m, uint32_t i)
{
    const spe_record_ *r = &m->ids[m->buffer[SPE_BUFFER_USES_].data[i + 1]];
    return r->flags & SPE_ID_FUNCTION_ ? r->depth : 0;
}

/* Finds what a function leads to; known of all that it calls. */
static void spe_lead_(const spe_module *m, spe_caller_ *rows, uint32_t f)
{
    const spe_buffer_ *uses = &m->buffer[SPE_BUFFER_USES_];
    spe_caller_ *row = &rows[f];
    bool own = false;
    for (uint32_t i = row->first; i < row->end; i += 2) {
        uint32_t callee = rows[spe_callee_(m, i)].leads_to;
        own = own || spe_in_interface_(m, uses->data[i + 1]) || spe_is_local_(m, uses->data[i + 1]) ||
              (callee && row->leads_to && callee != row->leads_to);
        if (callee) row->leads_to = callee;
    }
    if (own) row->leads_to = f;
    row->done = true;
    row->open = false;
}

/* Finds what function f and all that it calls lead to, callees first. An error if a function leads to itself. */
static void spe_lead_all_(spe_module *m, spe_caller_ *rows, uint32_t f, uint32_t *stack)
{
    size_t depth = 0;
    if (!rows[f].done) stack[depth++] = f;
    while (depth && !m->error.id) {
        spe_caller_ *row = &rows[stack[depth - 1]];
        row->open = true;
        if (row->next == row->end) {
            spe_lead_(m, rows, stack[--depth]);
            continue;
        }
        uint32_t use = row->next, callee = spe_callee_(m, use);
        row->next += 2;
        if (rows[callee].open) {
            spe_id id = m->buffer[SPE_BUFFER_USES_].data[use + 1];
            spe_error_(m, SPE_ERR_FUNCTION_OPEN, "calls of function %u %s lead back to it; OpenCL has no recursion", id,
                       spe_name_of_(m, id));
        } else if (callee && !rows[callee].done) {
            stack[depth++] = callee;
        }
    }
}

/* The rows of all functions, by number; NULL if out of memory. `stack` has room for all functions. */
static spe_caller_ *spe_callers_(spe_module *m, uint32_t *stack)
{
    const spe_buffer_ *uses = &m->buffer[SPE_BUFFER_USES_];
    spe_caller_ *rows = (spe_caller_ *)spe_alloc(m, (m->function_count + 1) * sizeof *rows);
    uint32_t at = 0, f;
    if (!rows || !stack) return NULL;
    for (f = 1; f <= m->function_count; f++) {
        rows[f].first = rows[f].next = at;
        while (at < uses->count && uses->data[at] == f) at += 2;
        rows[f].end = at;
    }
    for (f = 1; f <= m->function_count; f++) spe_lead_all_(m, rows, f, stack);
    return rows;
}

/* Writes the variables of entry point number e that function f leads to. `stack` has room for all functions. Returns
 * the bytes of those in local memory. */
static uint64_t spe_write_interface_(spe_module *m, uint32_t e, spe_caller_ *rows, uint32_t f, uint32_t *stack)
{
    const uint32_t *uses = m->buffer[SPE_BUFFER_USES_].data, once = 0x80000000u + e;
    size_t depth = 0;
    uint64_t local = 0;
    if (rows[f].leads_to) rows[stack[depth++] = rows[f].leads_to].seen = e + 1;
    while (depth) {
        const spe_caller_ *row = &rows[stack[--depth]];
        for (uint32_t i = row->first; i < row->end; i += 2) {
            spe_record_ *r = &m->ids[uses[i + 1]];
            uint32_t callee = rows[spe_callee_(m, i)].leads_to;
            if (callee && rows[callee].seen != e + 1) rows[stack[depth++] = callee].seen = e + 1;
            if (r->aux == once || !(r->flags & SPE_ID_GLOBAL_)) continue;
            r->aux = once;
            if (spe_is_local_(m, uses[i + 1])) local += spe_size(m, spe_info_(m, r->type)->elem);
            if (!spe_in_interface_(m, uses[i + 1])) continue;
            uint32_t *at = spe_push_(m, SPE_SECTION_ENTRY_, 1);
            if (!at) return 0;
            *at = uses[i + 1];
        }
    }
    return local;
}

/* OpEntryPoint of kernel number e. */
static void spe_write_entry_(spe_module *m, uint32_t e, spe_caller_ *rows, uint32_t *stack)
{
    const spe_entry_ *entry = &m->entries[e];
    uint32_t words = spe_text_words_(entry->name), *at;
    size_t start = m->buffer[SPE_SECTION_ENTRY_].count;
    at = spe_put_(m, SPE_SECTION_ENTRY_, SPE_OpEntryPoint, 2 + words);
    if (!at) return;
    at[0] = m->options.env ? SPE_ExecutionModelGLCompute : SPE_ExecutionModelKernel;
    at[1] = entry->id;
    spe_put_text_(at + 2, entry->name);
    uint64_t local = spe_write_interface_(m, e, rows, entry->function, stack), most = m->options.local_memory;
    if (most && local > most)
        spe_error_(m, SPE_ERR_TARGET, "kernel %s has %llu bytes of variables in local memory; the target has %llu",
                   entry->name, (unsigned long long)local, (unsigned long long)most);
    words = (uint32_t)(m->buffer[SPE_SECTION_ENTRY_].count - start);
    if (words > 65535) SPE_ERROR_(m, LIMIT, "kernel %s uses %u variables", entry->name, words);
    m->buffer[SPE_SECTION_ENTRY_].data[start] = words << 16 | SPE_OpEntryPoint;
}

XE_ONCE_
static void spe_write_entries_(spe_module *m)
{
    uint32_t *stack = (uint32_t *)spe_alloc(m, (m->function_count + 1) * sizeof *stack);
    spe_caller_ *rows = spe_callers_(m, stack);
    for (uint32_t e = 0; e < m->entry_count && rows && !m->error.id; e++) spe_write_entry_(m, e, rows, stack);
}

/* Writes the length of Vulkan's local memory: no byte more than its variables need, as they may take all that a device
 * has. Variables after it are in another array. */
XE_FN_ void spe_close_local_memory_(spe_module *m)
{
    if (m->local_words)
        m->buffer[SPE_SECTION_GLOBAL_].data[m->local_length] = m->local_bytes > 16 ? (m->local_bytes + 15) / 16 * 4 : 4;
    m->local_words = 0;
    m->local_bytes = 0;
    m->local_vectors = false;
}

/* Capabilities in ascending order, the memory model, the source name, the entry points. */
static void spe_write_head_(spe_module *m)
{
    spe_buffer_ *caps = &m->buffer[SPE_BUFFER_CAPS_];
    size_t j;
    bool vulkan = m->options.env == SPE_ENV_VULKAN;
    spe_capability(m, vulkan ? SPE_CapabilityShader : SPE_CapabilityKernel);
    spe_capability(m, vulkan ? SPE_CapabilityPhysicalStorageBufferAddresses : SPE_CapabilityAddresses);
    if (vulkan) spe_capability(m, SPE_CapabilityVulkanMemoryModel);
    spe_close_local_memory_(m);
    if (vulkan && m->contraction_off) m->vulkan->forbid_contraction(m);
    spe_merge_decorations_(m);
    if (vulkan && !m->entry_count) SPE_ERROR_(m, ENVIRONMENT, "the module has no kernel; Vulkan has no libraries");
    if (!m->entry_count) spe_capability(m, SPE_CapabilityLinkage);
    for (size_t i = 1; i < caps->count; i++) {
        uint32_t c = caps->data[i];
        for (j = i; j && caps->data[j - 1] > c; j--) caps->data[j] = caps->data[j - 1];
        caps->data[j] = c;
    }
    for (size_t i = 0; i < caps->count; i++) spe_write_(m, SPE_SECTION_CAPABILITY_, SPE_OpCapability, 1, caps->data[i]);
    spe_write_(m, SPE_SECTION_MODEL_, SPE_OpMemoryModel, 2,
               vulkan ? SPE_AddressingModelPhysicalStorageBuffer64 : SPE_AddressingModelPhysical64,
               vulkan ? SPE_MemoryModelVulkan : SPE_MemoryModelOpenCL);
    if (m->options.source)
        spe_write_(m, SPE_SECTION_STRING_, SPE_OpSource, 3, SPE_SourceLanguageUnknown, 0,
                   spe_write_once_(m, SPE_OpString, m->options.source));
    spe_write_entries_(m);
}

/* An error if a function has no body, or a pointer no target. */
static void spe_check_complete_(spe_module *m)
{
    for (spe_id id = 1; id < m->id_count && (m->declared_count || m->forward_count) && !m->error.id; id++) {
        const spe_type_info *t = spe_info_(m, id);
        if (m->ids[id].flags & SPE_ID_DECLARED_)
            spe_error_(m, SPE_ERR_NO_FUNCTION, "function %u %s is declared and has no body", id, spe_name_of_(m, id));
        if (t && t->kind == SPE_KIND_FORWARD)
            spe_error_(m, SPE_ERR_NO_TYPE, "pointer %u of spe_ptr_forward has no target", id);
    }
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
    if (m->declared_count || m->forward_count) spe_check_complete_(m);
    if (m->error.id) return words;
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
