/* module.c - modules: objects and queries. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "build/jit.h"
#include "ze_soft.h"

/* ---- global variables */

enum { PAGED_BYTES = 1 << 16 }; /* a variable from this size on has pages of its own */

struct soft_variable {
    uint8_t *at; /* NULL: not created yet */
    struct soft_pages pages; /* no base: it is on the heap */
};

static struct soft_storage *storage_new(uint32_t count)
{
    struct soft_storage *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    atomic_init(&s->references, 1);
    s->count = count;
    s->slot = calloc((size_t)count + 1, sizeof *s->slot);
    if (s->slot) return s;
    free(s);
    return NULL;
}

static void variable_free(struct soft_variable *v)
{
    soft_memory_remove_variable(v->at);
    if (v->pages.base)
        soft_pages_free(&v->pages);
    else
        free(v->at);
}

static void storage_release(struct soft_storage *s)
{
    uint32_t i;
    if (!s || atomic_fetch_sub(&s->references, 1) != 1) return;
    for (i = 0; i < s->count; i++)
        if (s->slot[i].at) variable_free(&s->slot[i]);
    free(s->slot);
    free(s);
}

/* Large variables are pages of their own, which take memory only where they are touched: a few words of a module can
 * ask for gigabytes of zeros. */
static bool make_global(const struct xs_global *g, struct soft_variable *v)
{
    size_t align = g->align < 64 ? 64 : (size_t)g->align, size = g->size ? (size_t)g->size : 1;
    void *p;
    if (size >= PAGED_BYTES) {
        if (!soft_pages_new(&v->pages, size, align)) return false;
        v->at = v->pages.base;
    } else {
        if (posix_memalign(&p, align, size) != 0) return false;
        v->at = memset(p, 0, size);
    }
    if (g->initial) memcpy(v->at, g->initial, (size_t)g->size);
    return soft_memory_add_variable(v->at, size);
}

/* Writes addresses in the initial values of newly created variables. */
static void write_addresses(ze_module_handle_t m, const bool *fresh)
{
    const struct xs_module *x = m->object.module;
    uint32_t i;
    for (i = 0; i < x->pointer_count; i++) {
        const struct xs_pointer *q = &x->pointers[i];
        uint64_t address;
        if (!fresh[q->in]) continue;
        address = q->to < x->global_count ? (uint64_t)(uintptr_t)m->globals[q->to]
                                          : (uint64_t)(uintptr_t)&x->functions[q->to - x->global_count];
        address += (uint64_t)q->offset;
        memcpy((char *)m->globals[q->in] + q->at, &address, sizeof address);
    }
}

bool soft_module_place_globals(ze_module_handle_t m, const struct sp_link_origin *origins)
{
    const struct xs_module *x = m->object.module;
    bool *fresh = calloc((size_t)x->global_count + 1, sizeof *fresh), good = fresh != NULL;
    uint32_t i;
    m->globals = calloc((size_t)x->global_count + 1, sizeof *m->globals);
    good = good && m->globals;
    for (i = 0; good && i < x->global_count; i++) {
        uint32_t part = origins ? origins[i].input : 0, ordinal = origins ? origins[i].ordinal : i;
        struct soft_storage *s = part ? m->shared[part - 1] : m->storage;
        good = ordinal < s->count;
        fresh[i] = good && !s->slot[ordinal].at;
        if (fresh[i]) good = make_global(&x->globals[i], &s->slot[ordinal]);
        if (good) m->globals[i] = s->slot[ordinal].at;
    }
    if (good) write_addresses(m, fresh);
    if (x->own_globals) *x->own_globals = m->globals;
    free(fresh);
    return good;
}

/* ---- modules */

void soft_module_unlink(ze_module_handle_t m)
{
    uint32_t i;
    for (i = 0; i < m->shared_count; i++) storage_release(m->shared[i]);
    free(m->shared);
    free(m->globals);
    m->shared = NULL;
    m->globals = NULL;
    m->shared_count = 0;
    soft_source_free(&m->linked);
    soft_versions_free(m);
    jit_unload(&m->whole);
    jit_unload(&m->object);
}

static void functions_free(ze_module_handle_t m)
{
    struct soft_function *f, *next;
    for (f = m->functions; f; f = next) {
        next = f->next;
        jit_unload(&f->object);
        free(f);
    }
}

static void module_free(ze_module_handle_t m)
{
    functions_free(m);
    soft_module_unlink(m);
    storage_release(m->storage);
    soft_source_free(&m->source);
    jit_settings_free(m->settings);
    sp_free(m->parsed);
    pthread_mutex_destroy(&m->versions_lock);
    m->tag = SOFT_DEAD;
    free(m);
}

void soft_module_retain(ze_module_handle_t m) { atomic_fetch_add(&m->references, 1); }

void soft_module_release(ze_module_handle_t m)
{
    if (atomic_fetch_sub(&m->references, 1) == 1) module_free(m);
}

/* A module with used imports cannot be compiled before zeModuleDynamicLink; it is only read, so that errors are
 * reported now. */
static ze_result_t read_imports(ze_module_handle_t m, struct sp_text *log)
{
    struct sp_symbol *symbols;
    uint32_t count, i, globals = 0;
    m->parsed = sp_parse(m->source.words, m->source.count, NULL, 0, soft_is_strict(), log);
    if (!m->parsed || !sp_symbols(m->parsed, &symbols, &count, log)) return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    m->unlinked = sp_imports(symbols, count, NULL) != 0;
    for (i = 0; i < m->parsed->global_count; i++) globals += sp_is_global(m->parsed, m->parsed->globals[i]);
    if (m->unlinked) {
        m->storage = storage_new(globals);
        return m->storage ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    sp_free(m->parsed);
    m->parsed = NULL;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t build_spirv(ze_module_handle_t m, struct sp_text *log)
{
    static const struct soft_part all = {0};
    m->linkable = soft_source_has_linkage(&m->source);
    if (m->linkable && soft_source_has_imports(&m->source)) {
        SOFT_TRY(read_imports(m, log));
        if (m->unlinked) return ZE_RESULT_SUCCESS;
    }
    return soft_module_build(m, &all, &m->object, log);
}

/* A native binary is a compiled object, or this header followed by the SPIR-V words and the object (none if unlinked).
 * Objects contain their own hash. */
struct linkable_header {
    char magic[8];
    uint64_t words, image_bytes;
    uint8_t hash[32]; /* of the words */
};
static const char linkable_magic[8] = "XETILEL";

static void hash_words(const void *words, uint64_t count, uint8_t hash[32])
{
    struct jit_sha256 s;
    jit_sha256_begin(&s);
    jit_sha256_add(&s, words, (size_t)count * 4);
    jit_sha256_end(&s, hash);
}

static ze_result_t load_native(ze_module_handle_t m, const ze_module_desc_t *desc, struct sp_text *log)
{
    struct linkable_header h;
    const uint8_t *from = desc->pInputModule;
    size_t left = desc->inputSize;
    uint8_t hash[32];
    if (left < sizeof h || memcmp(from, linkable_magic, sizeof h.magic) != 0)
        return jit_load_image(from, left, &m->object, log) ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    memcpy(&h, from, sizeof h);
    from += sizeof h;
    left -= sizeof h;
    if (h.words > left / 4 || h.image_bytes != left - h.words * 4) {
        sp_text_add(log, "the binary is cut off\n");
        return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    }
    hash_words(from, h.words, hash);
    if (memcmp(hash, h.hash, sizeof hash) != 0) {
        sp_text_add(log, "the binary is damaged: the hash of its SPIR-V is wrong\n");
        return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    }
    m->source.count = (size_t)h.words;
    m->source.words = malloc(m->source.count * 4 + 4);
    if (!m->source.words) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    memcpy(m->source.words, from, m->source.count * 4);
    m->linkable = true;
    if (!h.image_bytes) return build_spirv(m, log);
    return jit_load_image(from + m->source.count * 4, (size_t)h.image_bytes, &m->object, log)
               ? ZE_RESULT_SUCCESS
               : ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
}

static ze_result_t load(ze_module_handle_t m, const ze_module_desc_t *desc, struct sp_text *log)
{
    if (desc->format == ZE_MODULE_FORMAT_IL_SPIRV) {
        SOFT_TRY(soft_source_read(desc, &m->source, log));
        m->source.options = desc->pBuildFlags ? strdup(desc->pBuildFlags) : NULL;
        SOFT_TRY(build_spirv(m, log));
    } else {
        SOFT_TRY(load_native(m, desc, log));
    }
    if (m->unlinked) return ZE_RESULT_SUCCESS;
    m->storage = storage_new(m->object.module->global_count);
    return m->storage && soft_module_place_globals(m, NULL) ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

struct request {
    ze_context_handle_t context;
    ze_device_handle_t device;
    const ze_module_desc_t *desc;
    struct sp_text *log;
    ze_module_handle_t *module;
};

static ze_result_t module_new(void *pointer)
{
    const struct request *r = pointer;
    ze_module_handle_t m = calloc(1, sizeof *m);
    ze_result_t result;
    if (!m) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    m->context = r->context;
    m->device = r->device;
    atomic_init(&m->references, 1);
    pthread_mutex_init(&m->versions_lock, NULL);
    m->settings = jit_settings_keep();
    result = m->settings ? load(m, r->desc, r->log) : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (result != ZE_RESULT_SUCCESS) {
        module_free(m);
        return result;
    }
    m->tag = SOFT_MODULE;
    *r->module = m;
    return ZE_RESULT_SUCCESS;
}

static bool is_program(const ze_module_desc_t *desc)
{
    const ze_base_desc_t *d;
    for (d = desc->pNext; d; d = d->pNext)
        if (d->stype == ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC) return true;
    return false;
}

ze_result_t zeModuleCreate(ze_context_handle_t context, ze_device_handle_t device, const ze_module_desc_t *desc,
                           ze_module_handle_t *module, ze_module_build_log_handle_t *build_log)
{
    ze_module_build_log_handle_t log;
    ze_result_t result;
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(desc);
    SOFT_POINTER(module);
    if ((uint32_t)desc->format > ZE_MODULE_FORMAT_NATIVE) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (!is_program(desc)) {
        SOFT_POINTER(desc->pInputModule);
        if (!desc->inputSize) return ZE_RESULT_ERROR_INVALID_SIZE;
    } else if (desc->format != ZE_MODULE_FORMAT_IL_SPIRV) {
        return soft_fail(ZE_RESULT_ERROR_INVALID_ENUMERATION, "a program of several modules is of SPIR-V");
    }
    log = soft_log_new();
    if (!log) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    *module = NULL;
    result = soft_deeply(module_new, &(struct request){context, device, desc, &log->text, module});
    return soft_log_deliver(result, "module not built", log, build_log);
}

ze_result_t zeModuleDestroy(ze_module_handle_t module)
{
    SOFT_HANDLE(module, SOFT_MODULE);
    soft_module_release(module);
    return ZE_RESULT_SUCCESS;
}

/* ---- queries */

ze_result_t soft_module_check_linked(ze_module_handle_t m, const char *what)
{
    if (!m->unlinked) return ZE_RESULT_SUCCESS;
    return soft_fail(ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED, "%.200s: the module has imports; link it first", what);
}

ze_result_t zeModuleGetNativeBinary(ze_module_handle_t module, size_t *size, uint8_t *to)
{
    struct linkable_header h;
    const struct jit_object *object;
    size_t head = 0, whole;
    SOFT_HANDLE(module, SOFT_MODULE);
    SOFT_POINTER(size);
    SOFT_TRY(soft_module_whole(module, &object));
    memcpy(h.magic, linkable_magic, sizeof h.magic);
    h.words = module->source.count;
    h.image_bytes = module->linked.words ? 0 : object->image_size; /* linked modules must be linked again */
    if (module->linkable) head = sizeof h + module->source.count * 4;
    whole = head + (head ? (size_t)h.image_bytes : object->image_size);
    if (to && *size < whole)
        return soft_fail(ZE_RESULT_ERROR_INVALID_SIZE, "%zu bytes for a binary of %zu", *size, whole);
    *size = whole;
    if (!to) return ZE_RESULT_SUCCESS;
    if (head) {
        hash_words(module->source.words, h.words, h.hash);
        memcpy(to, &h, sizeof h);
        memcpy(to + sizeof h, module->source.words, head - sizeof h);
    }
    if (whole != head) memcpy(to + head, object->image, whole - head);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleGetGlobalPointer(ze_module_handle_t module, const char *name, size_t *size, void **pointer)
{
    const struct xs_module *x;
    uint32_t i;
    SOFT_HANDLE(module, SOFT_MODULE);
    SOFT_POINTER(name);
    SOFT_TRY(soft_module_check_linked(module, name));
    x = module->object.module;
    for (i = 0; i < x->global_count; i++) {
        if (!*name || strcmp(x->globals[i].name, name) != 0) continue;
        if (size) *size = (size_t)x->globals[i].size;
        if (pointer) *pointer = module->globals[i];
        return ZE_RESULT_SUCCESS;
    }
    return soft_fail(ZE_RESULT_ERROR_INVALID_GLOBAL_NAME, "no global variable %.200s", name);
}

ze_result_t zeModuleGetKernelNames(ze_module_handle_t module, uint32_t *count, const char **names)
{
    const struct xs_module *x;
    uint32_t i, all;
    SOFT_HANDLE(module, SOFT_MODULE);
    SOFT_POINTER(count);
    x = module->object.module;
    all = module->parsed ? module->parsed->entry_count : x->kernel_count;
    if (!names || *count > all) *count = all;
    for (i = 0; names && i < *count; i++)
        names[i] = module->parsed ? module->parsed->entries[i].name : x->kernels[i].name;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleGetProperties(ze_module_handle_t module, ze_module_properties_t *properties)
{
    SOFT_HANDLE(module, SOFT_MODULE);
    SOFT_POINTER(properties);
    properties->flags = module->unlinked ? ZE_MODULE_PROPERTY_FLAG_IMPORTS : 0;
    return ZE_RESULT_SUCCESS;
}
