/* link.c - linking modules: imports and exports.
 *
 * A module with imports keeps its SPIR-V and is compiled when it is linked, together with the modules that export what
 * it needs. This does not duplicate variables: each module has one storage for its own, and modules compiled with its
 * code refer to that.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "ze_soft.h"

/* ---- the symbols of several modules */

struct party {
    ze_module_handle_t module;
    struct sp_module *parsed; /* NULL: no symbols */
    struct sp_symbol *symbols;
    uint32_t symbol_count;
    bool taken; /* in the current link */
};

static void parties_free(struct party *p, uint32_t count)
{
    uint32_t i;
    for (i = 0; p && i < count; i++) sp_free(p[i].parsed);
    free(p);
}

static ze_result_t parties_new(uint32_t count, ze_module_handle_t *modules, struct party **list, struct sp_text *log)
{
    struct party *p = calloc((size_t)count + 1, sizeof *p);
    uint32_t i;
    bool good = p != NULL;
    for (i = 0; good && i < count; i++) {
        const struct soft_source *s = &modules[i]->source;
        p[i].module = modules[i];
        if (!s->words) continue;
        p[i].parsed = sp_parse(s->words, s->count, NULL, 0, soft_is_strict(), log);
        good = p[i].parsed && sp_symbols(p[i].parsed, &p[i].symbols, &p[i].symbol_count, log);
    }
    *list = p;
    if (good) return ZE_RESULT_SUCCESS;
    parties_free(p, count);
    return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

static bool exports(const struct party *p, const char *name)
{
    uint32_t k;
    for (k = 0; k < p->symbol_count; k++)
        if (p->symbols[k].linkage != SP_LINKAGE_Import && strcmp(p->symbols[k].name, name) == 0) return true;
    return false;
}

static bool is_open(const struct sp_symbol *s) { return s->linkage == SP_LINKAGE_Import && s->used; }

/* The index of an exporter of this name, `count` if there is none. A module may be listed twice. */
static uint32_t find_exporter(const struct party *p, uint32_t count, const char *name)
{
    uint32_t i;
    for (i = 0; i < count; i++)
        if (exports(&p[i], name)) return i;
    return count;
}

/* ---- zeModuleDynamicLink */

struct link {
    struct party *party;
    uint32_t count, *chosen, chosen_count; /* in linking order, beginning with the module to be linked */
    struct sp_text *log;
};

static void choose(struct link *l, uint32_t i)
{
    uint32_t k;
    for (k = 0; k < l->chosen_count; k++)
        if (l->party[l->chosen[k]].module == l->party[i].module) return;
    l->chosen[l->chosen_count++] = i;
}

/* Chooses all exporters of what chosen modules import. */
static bool choose_exporters(struct link *l)
{
    uint32_t n, k, i, first;
    bool good = true;
    for (n = 0; n < l->chosen_count; n++) {
        const struct party *p = &l->party[l->chosen[n]];
        for (k = 0; k < p->symbol_count; k++) {
            if (!is_open(&p->symbols[k])) continue;
            first = find_exporter(l->party, l->count, p->symbols[k].name);
            if (first == l->count) {
                sp_text_add(l->log, "link: unresolved symbol %.200s: module %u imports it, and none exports it\n",
                            p->symbols[k].name, l->chosen[n]);
                good = false;
            }
            for (i = first; i < l->count; i++) /* the linker refuses a second definition */
                if (exports(&l->party[i], p->symbols[k].name)) choose(l, i);
        }
    }
    return good;
}

static bool share_storages(struct link *l, ze_module_handle_t m)
{
    uint32_t k;
    m->shared = calloc((size_t)l->chosen_count + 1, sizeof *m->shared);
    if (!m->shared) return false;
    for (k = 1; k < l->chosen_count; k++) {
        struct soft_storage *s = l->party[l->chosen[k]].module->storage;
        atomic_fetch_add(&s->references, 1);
        m->shared[m->shared_count++] = s;
    }
    return true;
}

static bool join(struct link *l, struct sp_linked *linked)
{
    struct sp_link_input *in = calloc((size_t)l->chosen_count + 1, sizeof *in);
    uint32_t k;
    bool good;
    if (!in) return false;
    for (k = 0; k < l->chosen_count; k++) {
        const struct soft_source *s = &l->party[l->chosen[k]].module->source;
        in[k] = (struct sp_link_input){s->words, s->count, NULL, 0, k == 0, l->chosen[k]};
    }
    good = sp_link(in, l->chosen_count, soft_is_strict(), linked, l->log);
    free(in);
    return good;
}

static bool link_one(struct link *l, uint32_t i)
{
    ze_module_handle_t m = l->party[i].module;
    static const struct soft_part all = {0};
    struct sp_linked linked = {0};
    bool good;
    l->chosen_count = 0;
    choose(l, i);
    if (!choose_exporters(l) || !join(l, &linked)) return false;
    m->linked = (struct soft_source){.words = linked.words, .count = linked.count};
    good = soft_module_build(m, &all, &m->object, l->log) == ZE_RESULT_SUCCESS && share_storages(l, m) &&
           soft_module_place_globals(m, linked.origins);
    linked.words = NULL;
    sp_linked_free(&linked);
    m->unlinked = !good;
    if (!good) soft_module_unlink(m);
    return good;
}

struct modules {
    uint32_t count;
    ze_module_handle_t *list;
    struct sp_text *log;
    ze_linkage_inspection_ext_flags_t flags; /* what to inspect */
};

static ze_result_t link_all(void *pointer)
{
    const struct modules *m = pointer;
    ze_module_handle_t *modules = m->list;
    const uint32_t count = m->count;
    struct link l = {.count = count, .log = m->log};
    ze_result_t result;
    uint32_t i;
    bool good = true;
    SOFT_TRY(parties_new(count, modules, &l.party, m->log));
    l.chosen = calloc((size_t)count + 1, sizeof *l.chosen);
    result = l.chosen ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    for (i = 0; l.chosen && i < count; i++)
        if (modules[i]->unlinked && !link_one(&l, i)) good = false;
    if (!good) result = ZE_RESULT_ERROR_MODULE_LINK_FAILURE;
    free(l.chosen);
    parties_free(l.party, count);
    return result;
}

ze_result_t zeModuleDynamicLink(uint32_t count, ze_module_handle_t *modules, ze_module_build_log_handle_t *link_log)
{
    ze_module_build_log_handle_t log;
    ze_result_t result;
    uint32_t i;
    SOFT_POINTER(modules);
    for (i = 0; i < count; i++) SOFT_HANDLE(modules[i], SOFT_MODULE);
    log = soft_log_new();
    if (!log) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&soft_link_lock);
    result = soft_deeply(link_all, &(struct modules){count, modules, &log->text, 0});
    pthread_mutex_unlock(&soft_link_lock);
    return soft_log_deliver(result, "modules not linked", log, link_log);
}

/* ---- zeModuleInspectLinkageExt: a line for each symbol */

static void list_symbols(const struct party *p, uint32_t count, ze_linkage_inspection_ext_flags_t flags,
                         struct sp_text *to)
{
    uint32_t i, k;
    for (i = 0; i < count; i++) {
        for (k = 0; k < p[i].symbol_count; k++) {
            const struct sp_symbol *s = &p[i].symbols[k];
            const char *kind = s->function ? "function" : "variable";
            bool import = s->linkage == SP_LINKAGE_Import;
            if (import && flags & ZE_LINKAGE_INSPECTION_EXT_FLAG_IMPORTS)
                sp_text_add(to, "module %u imports %s %.200s\n", i, kind, s->name);
            if (import && flags & ZE_LINKAGE_INSPECTION_EXT_FLAG_UNRESOLVABLE_IMPORTS &&
                find_exporter(p, count, s->name) == count)
                sp_text_add(to, "module %u cannot resolve %s %.200s\n", i, kind, s->name);
            if (!import && flags & ZE_LINKAGE_INSPECTION_EXT_FLAG_EXPORTS)
                sp_text_add(to, "module %u exports %s %.200s\n", i, kind, s->name);
        }
    }
}

static ze_result_t inspect(void *pointer)
{
    const struct modules *m = pointer;
    struct party *p;
    SOFT_TRY(parties_new(m->count, m->list, &p, m->log));
    list_symbols(p, m->count, m->flags, m->log);
    parties_free(p, m->count);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleInspectLinkageExt(ze_linkage_inspection_ext_desc_t *desc, uint32_t count,
                                      ze_module_handle_t *modules, ze_module_build_log_handle_t *log)
{
    ze_result_t result;
    uint32_t i;
    SOFT_POINTER(desc);
    SOFT_POINTER(modules);
    SOFT_POINTER(log);
    SOFT_FLAGS(desc->flags, ZE_LINKAGE_INSPECTION_EXT_FLAG_IMPORTS |
                                ZE_LINKAGE_INSPECTION_EXT_FLAG_UNRESOLVABLE_IMPORTS |
                                ZE_LINKAGE_INSPECTION_EXT_FLAG_EXPORTS);
    for (i = 0; i < count; i++) SOFT_HANDLE(modules[i], SOFT_MODULE);
    *log = soft_log_new();
    if (!*log) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    result = soft_deeply(inspect, &(struct modules){count, modules, &(*log)->text, desc->flags});
    if (result != ZE_RESULT_SUCCESS) zeModuleBuildLogDestroy(*log);
    return result;
}
