/* ze_module.c - modules: SPIR-V is read, turned into C, compiled, loaded; or all of that is found in the cache. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "codegen.h"
#include "ze_soft.h"

/* ---- build logs */

static ze_module_build_log_handle_t log_new(void)
{
    static const ze_dditable_t tables = {
        .ModuleBuildLog = {.pfnDestroy = zeModuleBuildLogDestroy, .pfnGetString = zeModuleBuildLogGetString}};
    ze_module_build_log_handle_t log = calloc(1, sizeof *log);
    if (!log) return NULL;
    log->face = &log->own;
    log->tables = &tables;
    log->own.log = log;
#if SOFT_API(17)
    log->own.tables.version = ZE_API_VERSION_CURRENT;
    log->own.tables.isValidFlag = 1;
    log->own.tables.ModuleBuildLog = (ze_module_build_log_dditable_t *)(uintptr_t)&tables.ModuleBuildLog;
#else
    log->own.version = ZE_API_VERSION_CURRENT;
#endif
    log->tag = SOFT_LOG;
    return log;
}

/* The log behind a handle or behind its face. */
static ze_result_t find_log(ze_module_build_log_handle_t *log)
{
    if (!*log) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if ((*log)->face != &(*log)->own) *log = ((const struct soft_log_face *)(const void *)*log)->log;
    return soft_check(&(*log)->tag, SOFT_LOG);
}

ze_result_t zeModuleBuildLogDestroy(ze_module_build_log_handle_t log)
{
    SOFT_TRY(find_log(&log));
    log->tag = SOFT_DEAD;
    sp_text_free(&log->text);
    free(log);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleBuildLogGetString(ze_module_build_log_handle_t log, size_t *size, char *to)
{
    SOFT_TRY(find_log(&log));
    SOFT_POINTER(size);
    if (!to) {
        *size = log->text.size + 1;
        return ZE_RESULT_SUCCESS;
    }
    if (*size == 0) return ZE_RESULT_ERROR_INVALID_SIZE;
    if (*size > log->text.size + 1) *size = log->text.size + 1;
    memcpy(to, log->text.data ? log->text.data : "", *size - 1);
    to[*size - 1] = 0;
    return ZE_RESULT_SUCCESS;
}

/* ---- specialisation constants: the API gives pointers, and the module says how much lies behind each */

enum {
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_SPEC_TRUE = 48,
    OP_SPEC_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_DECORATE = 71,
    DECORATION_SPEC_ID = 1,
    HEADER_WORDS = 5
};

/* The first instruction at or after *at with this opcode and `value` as its operand number `operand`; NULL: none. */
static const uint32_t *find_inst(const uint32_t *words, size_t count, uint32_t op, uint32_t operand, uint32_t value)
{
    size_t at = HEADER_WORDS;
    while (at < count) {
        uint32_t length = words[at] >> 16;
        if (!length || length > count - at) return NULL;
        if ((words[at] & 0xffffu) == op && length > operand && words[at + operand] == value) return &words[at];
        at += length;
    }
    return NULL;
}

/* The id decorated with this SpecId, 0 when there is none. */
static uint32_t spec_target(const uint32_t *words, size_t count, uint32_t spec_id)
{
    size_t at = HEADER_WORDS;
    while (at < count) {
        uint32_t length = words[at] >> 16;
        if (!length || length > count - at) break;
        if ((words[at] & 0xffffu) == OP_DECORATE && length == 4 && words[at + 2] == DECORATION_SPEC_ID &&
            words[at + 3] == spec_id)
            return words[at + 1];
        at += length;
    }
    return 0;
}

/* Bytes of the constant's value in memory; 0 when the module has no such constant. */
static size_t spec_bytes(const uint32_t *words, size_t count, uint32_t spec_id)
{
    uint32_t target = spec_target(words, count, spec_id);
    const uint32_t *constant, *type;
    if (!target) return 0;
    if (find_inst(words, count, OP_SPEC_TRUE, 2, target) || find_inst(words, count, OP_SPEC_FALSE, 2, target)) return 1;
    constant = find_inst(words, count, OP_SPEC_CONSTANT, 2, target);
    if (!constant) return 0;
    type = find_inst(words, count, OP_TYPE_INT, 1, constant[1]);
    if (!type) type = find_inst(words, count, OP_TYPE_FLOAT, 1, constant[1]);
    if (!type || type[0] >> 16 < 3 || type[2] > 64) return 0;
    return type[2] / 8;
}

/* Reads the caller's values; *list is malloc'ed. */
static ze_result_t read_constants(const ze_module_constants_t *given, const uint32_t *words, size_t count,
                                  struct sp_spec **list, size_t *list_count)
{
    uint32_t i;
    *list = NULL;
    *list_count = 0;
    if (!given || !given->numConstants) return ZE_RESULT_SUCCESS;
    SOFT_POINTER(given->pConstantIds);
    SOFT_POINTER(given->pConstantValues);
    *list = calloc(given->numConstants, sizeof **list);
    if (!*list) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    for (i = 0; i < given->numConstants; i++) {
        size_t bytes = spec_bytes(words, count, given->pConstantIds[i]);
        if (!bytes) continue; /* not in this module: callers hand the same list to several */
        SOFT_POINTER(given->pConstantValues[i]);
        (*list)[*list_count].id = given->pConstantIds[i];
        memcpy(&(*list)[*list_count].bits, given->pConstantValues[i], bytes); /* little-endian, as both CPUs are */
        ++*list_count;
    }
    return ZE_RESULT_SUCCESS;
}

/* ---- building */

struct source {
    const uint32_t *words;
    size_t count;
    struct sp_spec *spec;
    size_t spec_count;
    struct cg_options options;
};

static size_t count_lines(const char *const *lines)
{
    size_t n = 0;
    while (lines[n]) n++;
    return n;
}

/* Everything the compiled object depends on, the texts put in front of it included. */
static bool make_key(const struct source *s, struct jit_key *key)
{
    const char *const *texts[] = {soft_text_abi, soft_text_prelude, soft_text_lanes, soft_text_matrix, soft_text_math};
    size_t i, j, n = 3, lines = 0;
    struct jit_part *parts;
    for (i = 0; i < sizeof texts / sizeof texts[0]; i++) lines += count_lines(texts[i]);
    parts = calloc(n + lines, sizeof *parts);
    if (!parts) return false;
    parts[0] = (struct jit_part){s->words, s->count * sizeof *s->words};
    parts[1] = (struct jit_part){s->spec, s->spec_count * sizeof *s->spec};
    parts[2] = (struct jit_part){&s->options.default_subgroup_size, sizeof s->options.default_subgroup_size};
    for (i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (j = 0; texts[i][j]; j++) parts[n++] = (struct jit_part){texts[i][j], strlen(texts[i][j])};
    jit_key(key, parts, n);
    free(parts);
    return true;
}

static bool generate(const struct source *s, const struct jit_key *key, struct jit_object *object, struct sp_text *log)
{
    struct sp_text text = {0};
    struct sp_module *m = sp_parse(s->words, s->count, s->spec, s->spec_count, log);
    bool ok = m && cg_generate(m, &s->options, &text, log);
    if (ok && text.failed) {
        sp_text_add(log, "out of memory for the generated C\n");
        ok = false;
    }
    ok = ok && jit_compile(text.data, text.size, key, object, log);
    sp_text_free(&text);
    if (m) sp_free(m);
    return ok;
}

static ze_result_t build_spirv(const ze_module_desc_t *desc, struct jit_object *object, struct sp_text *log)
{
    struct source s = {.options = {.default_subgroup_size = SOFT_SUBGROUP_SIZE}};
    struct jit_key key;
    uint32_t *words;
    ze_result_t result;
    bool ok;
    if (desc->inputSize % sizeof *words) {
        sp_text_add(log, "%zu bytes are no whole number of SPIR-V words\n", desc->inputSize);
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    words = malloc(desc->inputSize); /* the caller's bytes may be unaligned */
    if (!words) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    memcpy(words, desc->pInputModule, desc->inputSize);
    s.words = words;
    s.count = desc->inputSize / sizeof *words;
    result = read_constants(desc->pConstants, words, s.count, &s.spec, &s.spec_count);
    if (result == ZE_RESULT_SUCCESS && !make_key(&s, &key)) result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (result == ZE_RESULT_SUCCESS) {
        ok = jit_cache_find(&key, object) || generate(&s, &key, object, log);
        result = ok ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    free(s.spec);
    free(words);
    return result;
}

/* The linker's work: room for every module-scope variable. */
static bool make_globals(ze_module_handle_t m)
{
    const struct xs_module *x = m->object.module;
    uint32_t i;
    m->globals = calloc(x->global_count + 1, sizeof *m->globals);
    if (!m->globals) return false;
    for (i = 0; i < x->global_count; i++) {
        const struct xs_global *g = &x->globals[i];
        size_t align = g->align < 64 ? 64 : (size_t)g->align;
        void *p;
        if (posix_memalign(&p, align, g->size ? (size_t)g->size : 1) != 0) return false;
        m->globals[i] = p;
        if (g->initial)
            memcpy(p, g->initial, (size_t)g->size);
        else
            memset(p, 0, (size_t)g->size);
    }
    for (i = 0; i < x->pointer_count; i++) {
        const struct xs_pointer *q = &x->pointers[i];
        uint64_t address = (uint64_t)(uintptr_t)m->globals[q->to] + (uint64_t)q->offset;
        memcpy((char *)m->globals[q->in] + q->at, &address, sizeof address);
    }
    return true;
}

static void module_free(ze_module_handle_t m)
{
    uint32_t i;
    for (i = 0; m->globals && i < m->object.module->global_count; i++) free(m->globals[i]);
    free(m->globals);
    jit_unload(&m->object);
    m->tag = SOFT_DEAD;
    free(m);
}

void soft_module_retain(ze_module_handle_t m) { atomic_fetch_add(&m->references, 1); }

void soft_module_release(ze_module_handle_t m)
{
    if (atomic_fetch_sub(&m->references, 1) == 1) module_free(m);
}

static ze_result_t module_new(ze_context_handle_t context, const ze_module_desc_t *desc, struct sp_text *log,
                              ze_module_handle_t *module)
{
    ze_module_handle_t m = calloc(1, sizeof *m);
    ze_result_t result;
    if (!m) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    m->context = context;
    if (desc->format == ZE_MODULE_FORMAT_IL_SPIRV)
        result = build_spirv(desc, &m->object, log);
    else
        result = jit_load_image(desc->pInputModule, desc->inputSize, &m->object, log)
                     ? ZE_RESULT_SUCCESS
                     : ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    if (result == ZE_RESULT_SUCCESS && !make_globals(m)) result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (result != ZE_RESULT_SUCCESS) {
        module_free(m);
        return result;
    }
    m->tag = SOFT_MODULE;
    atomic_init(&m->references, 1);
    *module = m;
    return ZE_RESULT_SUCCESS;
}

/* Several modules in one (ZE_experimental_module_program) would need linking; a list of one is a module. */
static ze_result_t check_chain(const ze_module_desc_t *desc)
{
    const ze_base_desc_t *d;
    for (d = desc->pNext; d; d = d->pNext)
        if (d->stype == ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC)
            return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "a module of several SPIR-V modules");
    return ZE_RESULT_SUCCESS;
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
    SOFT_TRY(check_chain(desc));
    SOFT_POINTER(desc->pInputModule);
    if (!desc->inputSize) return ZE_RESULT_ERROR_INVALID_SIZE;
    log = log_new();
    if (!log) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    *module = NULL;
    result = module_new(context, desc, &log->text, module);
    if (result != ZE_RESULT_SUCCESS)
        soft_fail(result, "module not built: %.1800s", log->text.data ? log->text.data : "no memory");
    if (build_log)
        *build_log = log;
    else
        zeModuleBuildLogDestroy(log);
    return result;
}

ze_result_t zeModuleDestroy(ze_module_handle_t module)
{
    SOFT_HANDLE(module, SOFT_MODULE);
    soft_module_release(module);
    return ZE_RESULT_SUCCESS;
}

/* ---- asking */

/* A module with imports is not built, so that there is never anything left to link. */
ze_result_t zeModuleDynamicLink(uint32_t count, ze_module_handle_t *modules, ze_module_build_log_handle_t *link_log)
{
    uint32_t i;
    SOFT_POINTER(modules);
    for (i = 0; i < count; i++) SOFT_HANDLE(modules[i], SOFT_MODULE);
    if (!link_log) return ZE_RESULT_SUCCESS;
    *link_log = log_new();
    return *link_log ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

ze_result_t zeModuleInspectLinkageExt(ze_linkage_inspection_ext_desc_t *desc, uint32_t count,
                                      ze_module_handle_t *modules, ze_module_build_log_handle_t *log)
{
    (void)count;
    SOFT_POINTER(desc);
    SOFT_POINTER(modules);
    SOFT_POINTER(log);
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

ze_result_t zeModuleGetNativeBinary(ze_module_handle_t module, size_t *size, uint8_t *to)
{
    SOFT_HANDLE(module, SOFT_MODULE);
    SOFT_POINTER(size);
    if (to && *size < module->object.image_size)
        return soft_fail(ZE_RESULT_ERROR_INVALID_SIZE, "%zu bytes for a binary of %zu", *size,
                         module->object.image_size);
    *size = module->object.image_size;
    if (to) memcpy(to, module->object.image, *size);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleGetGlobalPointer(ze_module_handle_t module, const char *name, size_t *size, void **pointer)
{
    const struct xs_module *x;
    uint32_t i;
    SOFT_HANDLE(module, SOFT_MODULE);
    SOFT_POINTER(name);
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
    uint32_t i;
    SOFT_HANDLE(module, SOFT_MODULE);
    SOFT_POINTER(count);
    x = module->object.module;
    if (!names || *count > x->kernel_count) *count = x->kernel_count;
    for (i = 0; names && i < *count; i++) names[i] = x->kernels[i].name;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleGetProperties(ze_module_handle_t module, ze_module_properties_t *properties)
{
    SOFT_HANDLE(module, SOFT_MODULE);
    SOFT_POINTER(properties);
    properties->flags = 0; /* no unresolved imports */
    return ZE_RESULT_SUCCESS;
}

/* Kernels have no address a kernel could call. */
ze_result_t zeModuleGetFunctionPointer(ze_module_handle_t module, const char *name, void **pointer)
{
    const struct xs_module *x;
    uint32_t i;
    SOFT_HANDLE(module, SOFT_MODULE);
    SOFT_POINTER(name);
    SOFT_POINTER(pointer);
    x = module->object.module;
    for (i = 0; i < x->kernel_count; i++)
        if (strcmp(x->kernels[i].name, name) == 0)
            return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "no function pointers: %.200s", name);
    return soft_fail(ZE_RESULT_ERROR_INVALID_FUNCTION_NAME, "no function %.200s", name);
}
