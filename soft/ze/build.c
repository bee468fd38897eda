/* build.c - from the caller's bytes to a compiled object: reads SPIR-V, translates it to C, compiles and loads that; or
 * finds the result in the cache. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "c/generate.h"
#include "c/selection.h"
#include "build/jit.h"
#include "xe/xe.h"
#include "ze_soft.h"

/* ---- specialisation constants: the API passes pointers; the module determines the sizes of their targets */

enum {
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_SPEC_TRUE = 48,
    OP_SPEC_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_CAPABILITY = 17,
    OP_DECORATE = 71,
    DECORATION_SPEC_ID = 1,
    DECORATION_BUILT_IN = 11,
    DECORATION_LINKAGE = 41,
    LINKAGE_IMPORT = 1,
    HEADER_WORDS = 5
};
static const uint32_t SWAPPED_MAGIC = 0x03022307;

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

/* The id decorated with this SpecId; 0 if there is none. */
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

/* The size of the constant's value in memory; 0 if the module has no such constant. */
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
        if (!bytes) continue; /* not in this module: callers pass the same list for several modules */
        SOFT_POINTER(given->pConstantValues[i]);
        (*list)[*list_count].id = given->pConstantIds[i];
        memcpy(&(*list)[*list_count].bits, given->pConstantValues[i], bytes); /* little-endian, like both CPUs */
        ++*list_count;
    }
    return ZE_RESULT_SUCCESS;
}

/* ---- sources */

void soft_source_free(struct soft_source *s)
{
    free(s->words);
    free(s->spec);
    free(s->options);
    memset(s, 0, sizeof *s);
}

/* A copy in this machine's byte order: the caller's bytes may be unaligned. */
static ze_result_t copy_source(const void *bytes, size_t size, const ze_module_constants_t *constants,
                               struct soft_source *s, struct sp_text *log)
{
    bool swapped;
    size_t i;
    memset(s, 0, sizeof *s);
    if (!size || size % sizeof *s->words) {
        sp_text_add(log, "%zu bytes are not a whole number of SPIR-V words\n", size);
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    s->words = malloc(size);
    if (!s->words) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    s->count = size / sizeof *s->words;
    memcpy(s->words, bytes, size);
    swapped = s->words[0] == SWAPPED_MAGIC;
    for (i = 0; swapped && i < s->count; i++) s->words[i] = __builtin_bswap32(s->words[i]);
    return read_constants(constants, s->words, s->count, &s->spec, &s->spec_count);
}

/* Links several sources, or one and its specialisation constants, into one without such constants. */
static ze_result_t join_sources(struct soft_source *parts, uint32_t count, struct soft_source *s, struct sp_text *log)
{
    struct sp_link_input *in = calloc(count + 1, sizeof *in);
    struct sp_linked linked = {0};
    uint32_t i;
    bool ok;
    if (!in) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    for (i = 0; i < count; i++)
        in[i] = (struct sp_link_input){parts[i].words, parts[i].count, parts[i].spec, parts[i].spec_count, true, i};
    ok = sp_link(in, count, soft_is_strict(), &linked, log);
    free(in);
    *s = (struct soft_source){.words = linked.words, .count = linked.count};
    linked.words = NULL;
    sp_linked_free(&linked);
    return ok ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}

static ze_result_t read_program(const ze_module_program_exp_desc_t *p, struct soft_source *s, struct sp_text *log)
{
    struct soft_source *parts;
    ze_result_t result = ZE_RESULT_SUCCESS;
    uint32_t i;
    SOFT_POINTER(p->inputSizes);
    SOFT_POINTER(p->pInputModules);
    if (!p->count || p->count > SOFT_MAX_INPUTS) return ZE_RESULT_ERROR_INVALID_SIZE;
    parts = calloc(p->count, sizeof *parts);
    if (!parts) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    for (i = 0; i < p->count && result == ZE_RESULT_SUCCESS; i++)
        result = p->pInputModules[i] ? copy_source(p->pInputModules[i], p->inputSizes[i],
                                                   p->pConstants ? p->pConstants[i] : NULL, &parts[i], log)
                                     : ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (result == ZE_RESULT_SUCCESS) result = join_sources(parts, p->count, s, log);
    for (i = 0; i < p->count; i++) soft_source_free(&parts[i]);
    free(parts);
    return result;
}

ze_result_t soft_source_read(const ze_module_desc_t *desc, struct soft_source *s, struct sp_text *log)
{
    const ze_base_desc_t *d;
    struct soft_source plain;
    ze_result_t result;
    memset(s, 0, sizeof *s);
    for (d = desc->pNext; d; d = d->pNext)
        if (d->stype == ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC)
            return read_program((const ze_module_program_exp_desc_t *)(const void *)d, s, log);
    SOFT_TRY(copy_source(desc->pInputModule, desc->inputSize, desc->pConstants, &plain, log));
    if (!plain.spec_count || !soft_source_has_linkage(&plain)) {
        *s = plain;
        return ZE_RESULT_SUCCESS;
    }
    result = join_sources(&plain, 1, s, log); /* other modules may use the same SpecIds for other constants */
    soft_source_free(&plain);
    return result;
}

bool soft_source_has_linkage(const struct soft_source *s)
{
    return find_inst(s->words, s->count, OP_DECORATE, 2, DECORATION_LINKAGE) != NULL;
}

static int compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Collects imported ids or, with `built_ins`, those decorated as built-in; NULL: only counts them. */
static size_t collect_ids(const struct soft_source *s, bool built_ins, uint32_t *ids)
{
    size_t at = HEADER_WORDS, n = 0;
    while (at < s->count) {
        const uint32_t *w = &s->words[at];
        uint32_t length = w[0] >> 16;
        if (!length || length > s->count - at) break;
        at += length;
        if ((w[0] & 0xffffu) != OP_DECORATE || length < 4) continue;
        if (built_ins ? w[2] != DECORATION_BUILT_IN : w[2] != DECORATION_LINKAGE || w[length - 1] != LINKAGE_IMPORT)
            continue;
        if (ids) ids[n] = w[1];
        n++;
    }
    return n;
}

/* Built-in variables are imports too, but the device provides them. */
bool soft_source_has_imports(const struct soft_source *s)
{
    size_t imports = collect_ids(s, false, NULL), built_ins = collect_ids(s, true, NULL), i;
    uint32_t *ids = calloc(imports + built_ins + 1, sizeof *ids);
    bool found = false;
    if (!ids) return true; /* the reader will check, or also be out of memory */
    collect_ids(s, false, ids);
    collect_ids(s, true, ids + imports);
    qsort(ids + imports, built_ins, sizeof *ids, compare_ids);
    for (i = 0; i < imports && !found; i++)
        found = !bsearch(&ids[i], ids + imports, built_ins, sizeof *ids, compare_ids);
    free(ids);
    return found;
}

/* ---- building */

/* Everything the compiled object depends on; the texts in front of it are in the file that jit_key adds. */
static void make_key(const struct soft_source *s, const struct cg_options *o, const struct soft_part *part, bool strict,
                     const struct xe_target *target, struct jit_key *key)
{
    const char *function = o->function ? o->function : "", *flags = target && s->options ? s->options : "";
    const struct soft_model *model = soft_model();
    struct xe_identity identity;
    const struct jit_part parts[] = {
        {s->words, s->count * sizeof *s->words},
        {s->spec, s->spec_count * sizeof *s->spec},
        {&o->default_subgroup_size, sizeof o->default_subgroup_size},
        {function, strlen(function)},
        {&o->check, sizeof o->check},
        {&o->quick, sizeof o->quick},
        {&o->aside, sizeof o->aside},
        {&part->whole, sizeof part->whole},
        {&part->kernel, sizeof part->kernel},
        {&part->version, sizeof part->version},
        {&strict, sizeof strict},
        {model ? model->name : "", model ? strlen(model->name) : 0},
        {flags, strlen(flags)},
        {&identity, sizeof identity},
    };
    xe_identify(target, &identity);
    jit_key(key, parts, sizeof parts / sizeof parts[0]);
}

/* "kernel add", or "3 kernels (add ...)". */
static const char *name_kernels(const struct sp_module *m, const struct soft_part *part, char *to, size_t size)
{
    if (part->kernel) snprintf(to, size, "kernel %s", m->entries[part->kernel - 1].name);
    else if (m->entry_count == 1) snprintf(to, size, "kernel %s", m->entries[0].name);
    else if (m->entry_count) snprintf(to, size, "%u kernels (%s ...)", m->entry_count, m->entries[0].name);
    else snprintf(to, size, "a module without kernels");
    return to;
}

/* Reads the module again, with the branches decided that its versions decide. */
static struct sp_module *read_decided(const struct soft_source *s, struct sp_module *m, const struct cg_versions *v,
                                      bool strict, struct sp_text *log)
{
    uint32_t *words = malloc(s->count * sizeof *words);
    struct sp_module *again = m;
    if (words) memcpy(words, s->words, s->count * sizeof *words);
    if (!words || cg_decide(m, v, words)) {
        again = words ? sp_parse(words, s->count, s->spec, s->spec_count, strict, log) : NULL;
        sp_free(m);
    }
    free(words);
    return again;
}

/* No kernel states a work-group of more work-items than the device has: it would be run without ever being set. */
static bool check_sizes(const struct sp_module *m, struct sp_text *log)
{
    for (uint32_t e = 0; e < m->entry_count; e++) {
        const uint32_t *size = m->entries[e].local_size;
        uint64_t total = (uint64_t)size[0] * size[1];
        if (total <= soft_max_group_size() && total * size[2] <= soft_max_group_size()) continue;
        sp_text_add(log, "error: kernel %.200s: work-groups of %u x %u x %u, at most %u work-items are supported\n",
                    m->entries[e].name, size[0], size[1], size[2], soft_max_group_size());
        return false;
    }
    return true;
}

/* Writes the C of a part of the module. The module that was read is in *m. */
static bool write_part(const struct soft_source *s, struct cg_options o, const struct soft_part *part, bool strict,
                       struct sp_module **m, struct sp_text *text, struct sp_text *log)
{
    const struct soft_model *model = soft_model();
    struct cg_versions versions = {0};
    *m = sp_parse(s->words, s->count, s->spec, s->spec_count, strict, log);
    bool ok = *m && check_sizes(*m, log) && (!model || soft_model_allows(model, *m, log));
    if (ok && !part->whole && !part->function) {
        ok = cg_find_versions(*m, &versions);
        versions.only = part->kernel;
        versions.version = part->version;
        o.versions = &versions;
        if (ok) *m = read_decided(s, *m, &versions, strict, log);
    }
    ok = ok && *m && cg_generate(*m, &o, text, log);
    cg_versions_free(&versions);
    if (ok && text->failed) sp_text_add(log, "out of memory for the generated C\n");
    return ok && !text->failed;
}

static bool generate(const struct soft_source *s, const struct cg_options *o, const struct soft_part *part, bool strict,
                     const struct jit_key *key, struct jit_object *object, struct sp_text *log)
{
    struct sp_text text = {0};
    char name[128];
    struct sp_module *m;
    bool ok = write_part(s, *o, part, strict, &m, &text, log);
    ok = ok && jit_compile(text.data, text.size, key, name_kernels(m, part, name, sizeof name), object, log);
    sp_text_free(&text);
    if (m) sp_free(m);
    return ok;
}

/* The same with Intel's compiler, which does not support specialisation constants. */
static bool generate_machine(const struct soft_source *s, const struct xe_target *target, const struct jit_key *key,
                             struct jit_object *object, struct sp_text *log)
{
    struct soft_source plain = {0}, copy = *s;
    struct jit_compiler c;
    void *package = NULL, *image;
    size_t size = 0, image_size;
    bool good = !s->spec_count || join_sources(&copy, 1, &plain, log) == ZE_RESULT_SUCCESS;
    if (good && s->spec_count) copy = plain;
    good = good && xe_compile(target, copy.words, copy.count, s->options, &package, &size, log);
    image = good ? jit_image_make(package, size, key, &image_size) : NULL;
    good = image && jit_load_image(image, image_size, object, log);
    jit_find_compiler(&c);
    if (good) jit_cache_store(key, &c, image, image_size, log);
    jit_forget_compiler(&c);
    free(image);
    free(package);
    soft_source_free(&plain);
    return good;
}

/* The GPU whose machine code the module is compiled to; NULL: the CPU. GPU inline assembly is for that GPU only. */
static const struct xe_target *target_of(const struct soft_source *s, struct sp_text *log)
{
    const struct soft_model *model = soft_model();
    const struct xe_target *target = xe_target();
    if (target || !find_inst(s->words, s->count, OP_CAPABILITY, 1, SP_CAP_AsmINTEL)) return target;
    if (model && xe_has_compiler()) target = xe_target_named(model->name);
    if (!target)
        sp_text_add(log, "inline assembly (AsmINTEL) runs where XETILE_SOFT_DEVICE is a GPU of Intel but dg2, "
                         "and Intel's compiler, ocloc, is there\n");
    return target;
}

/* Generates what is to be printed about a kernel, even if it is in the cache. */
static void explain(const struct soft_source *s, struct cg_options options, const struct soft_part *part, bool strict)
{
    const char *remarks = jit_setting("XETILE_SOFT_REMARKS");
    struct sp_text text = {0}, log = {0}, said = {0};
    struct sp_module *m;
    options.print = jit_setting("XETILE_SOFT_PRINT");
    options.remarks = remarks && !strcmp(remarks, "1") ? &said : NULL;
    if (!options.print && !options.remarks) return;
    write_part(s, options, part, strict, &m, &text, &log);
    if (said.size) fwrite(said.data, 1, said.size, stderr);
    if (m) sp_free(m);
    sp_text_free(&text);
    sp_text_free(&log);
    sp_text_free(&said);
}

static ze_result_t build(const struct soft_source *s, const struct soft_part *part, struct jit_object *object,
                         struct sp_text *log)
{
    struct cg_options options = {.default_subgroup_size = soft_subgroup_size(),
                                 .check = check_level() > 0,
                                 .quick = soft_is_quick(),
                                 .aside = jit_widens_aside(),
                                 .tiles = jit_tiles(),
                                 .function = part->function};
    struct jit_key key;
    struct jit_descriptor lock;
    const struct xe_target *target = part->function ? NULL : target_of(s, log);
    bool good, strict = soft_is_strict();
    if (!target) explain(s, options, part, strict);
    make_key(s, &options, part, strict, target, &key);
    good = jit_cache_find(&key, object);
    if (!good) {
        good = (jit_cache_lock(&key, &lock) && jit_cache_find(&key, object)) ||
               (target ? generate_machine(s, target, &key, object, log)
                       : generate(s, &options, part, strict, &key, object, log));
        jit_cache_unlock(&lock);
    }
    if (good && object->module && object->module->warnings) sp_text_add(log, "%s", object->module->warnings);
    return good ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}

struct module_build {
    ze_module_handle_t module;
    const struct soft_part *part;
    struct jit_object *object;
    struct sp_text *log;
};

static ze_result_t build_of_module(void *pointer)
{
    const struct module_build *b = pointer;
    const struct jit_settings *before = jit_settings_use(b->module->settings);
    ze_result_t result = build(soft_module_source(b->module), b->part, b->object, b->log);
    jit_settings_use(before);
    return result;
}

ze_result_t soft_module_build(ze_module_handle_t m, const struct soft_part *part, struct jit_object *object,
                              struct sp_text *log)
{
    struct module_build b = {m, part, object, log};
    return soft_deeply(build_of_module, &b);
}
