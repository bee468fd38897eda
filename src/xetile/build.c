/* build.c - building a module: the passes, in order. */
#include "internal.h"

/* The type of a parameter by its name; -1 if there is none. */
static int xt_type_of_(const char *name, const spe_kernel_param *p)
{
    (void)p;
    for (int i = 0; i < CM_TYPE_COUNT; i++)
        if (strcmp(cm_type_info((cm_type)i)->name, name) == 0 && !cm_is_complex((cm_type)i)) return i;
    return -1;
}

/* The line of the kernel's head. */
static xt_where_ xt_kernel_where_(xt_ctx *x)
{
    xt_where_ w = {x, &x->head};
    return w;
}

/* Runs and records the body. Parameters are the first nodes. */
static void xt_record_body_(xt_ctx *x)
{
    xt_where_ w = xt_kernel_where_(x);
    if (!xt_begin_record_(x)) return;
    for (int i = 0; i < x->param_count; i++) {
        const spe_kernel_param *p = &x->params[i];
        x->args[i] = spe_val_of(p->pointer || p->local ? SPE_POINTER : SPE_SCALAR, p->type, xt_new_value_(x));
        xt_record_(w, XT_AS_(ARGUMENT), i, x->args[i].id, NULL, NULL, 0);
        if (!spe_ok(&x->m)) return;
        xt_value_at_(x, x->args[i].id)->hoistable = !p->local;
    }
    x->kernel->body(x);
    spe_region_fail(&x->regions, "");
    if (x->arrived && spe_ok(&x->m))
        xt_fail_(w, XT_ERROR_SPLIT_BARRIER, "the kernel ends while \"%s\" is not waited for", x->arrived);
}

/* The register count is known only for Intel's devices, which have a build flag for the larger register file. */
static void xt_warn_(xt_ctx *x, xt_module *mod)
{
    const xt_node_ *n = xt_node_at_(x, x->largest);
    int bytes = xt_register_bytes_(x);
    spe_error *w = &x->warning;
    if (!x->target.build_flags[0] || x->slice_bytes <= (size_t)bytes) return;
    w->id = XT_ERROR_SPILL;
    w->name = xt_error_name(w->id);
    w->file = n->file;
    w->line = n->line;
    snprintf(w->text, sizeof w->text, "%s: %d bytes, %s has %d in %d registers", xt_error_text(w->id),
             (int)x->slice_bytes, x->target.name, bytes, x->registers);
    mod->warning = w;
}

/* With 128 registers by default, Intel's compiler may take 256 if it would spill, where the work-group then fits. Of 32
 * bytes each (devices without 2D block messages), it spilled some and stayed with 128: they get 256. */
XE_ONCE_
static const char *xt_build_flags_(const xt_ctx *x)
{
    int subgroups = x->subgroups ? x->subgroups : 1;
    if (x->registers > 128) return "-ze-opt-large-register-file";
    if (!x->target.build_flags[0] || x->desc->registers || subgroups > xt_most_with_256_(x)) return "";
    return x->target.block2d_sizes ? "-ze-intel-enable-auto-large-GRF-mode" : x->target.build_flags;
}

/* Finds what the matrices of Vulkan's devices compute. */
XE_ONCE_
static void xt_find_for_vulkan_(xt_ctx *x)
{
    const xt_vulkan_part_ *part = x->m.options.env ? XT_VULKAN_PART_ : NULL;
    if (!part) return;
    part->find(x);
    if (x->opaque_words) x->vulkan = part;
}

/* The passes, in order. */
static void xt_make_module_(xt_ctx *x, xt_module *mod)
{
    xt_record_body_(x); /* also checks operations, derives and checks maps */
    xt_find_products_(x);
    xt_choose_resources_(x);
    xt_find_reloads_(x);
    xt_find_scratch_(x);
    if (!xt_report_(x)) return;
    xt_find_for_vulkan_(x);
    xt_find_layouts_(x);
    spe_at(&x->m, x->desc->file, x->desc->line);
    if (!cm_begin(&x->cm, &x->m, &x->target, x->desc->lowering)) return;
    xt_find_block2d_(x);
    xt_find_deferred_(x);
    if (x->local_bytes) xt_find_bands_(x);
    if (x->product_bytes && spe_ok(&x->m)) xt_find_stages_(x);
    if (!xt_begin_kernel_(x)) return;
    xt_write_versions_(x);
    spe_at(&x->m, x->kernel->file, x->kernel->line);
    if (!spe_build_end(mod, x->kernel->name, x->kernel->params, x->S, xt_group_size_(x))) return;
    mod->local_memory = (uint32_t)((x->local_bytes + 63) / 64 * 64 + (int64_t)(x->scratch_bytes + x->stage_dwords * 4));
    mod->local_memory += (uint32_t)(x->panel_vectors * 16);
    xt_warn_(x, mod);
    mod->build_flags = xt_build_flags_(x);
}

/* Does a kernel fit to those before it? Errors are of the last one. */
static bool xt_check_one_module_(const xt_module *mods, const xt_build_desc *descs, int last)
{
    const xt_build_desc *b = &descs[last];
    spe_line at = {b->file, b->line};
    xt_where_ w = {(xt_ctx *)(void *)mods[last].owner_, &at};
    for (int i = 0; i < last; i++) {
        const xt_build_desc *a = &descs[i];
        const xt_ctx *x = (const xt_ctx *)(const void *)mods[i].owner_;
        if (!strcmp(a->kernel->name, b->kernel->name))
            return xt_fail_(w, XT_ERROR_ONE_MODULE, "two kernels called %s, of %s:%d and %s:%d", a->kernel->name,
                            a->kernel->file, a->kernel->line, b->kernel->file, b->kernel->line);
        if (strcmp(x->target.name, w.x->target.name))
            return xt_fail_(w, XT_ERROR_ONE_MODULE, "%s is for %s, %s for %s", a->kernel->name, x->target.name,
                            b->kernel->name, w.x->target.name);
    }
    return true;
}

/* One kernel, in a module of its own or in that of the builds before. */
static bool xt_build_kernel_(xt_module *mods, const xt_build_desc *descs, int i)
{
    const xt_build_desc *desc = &descs[i];
    xt_module *mod = &mods[i];
    spe_line at = {desc->file, desc->line}, head = {desc->kernel->file, desc->kernel->line};
    xt_where_ w = {NULL, &at};
    xt_ctx *x = (xt_ctx *)(i ? spe_build_next(mod, mod - 1, xt_errors_(), sizeof *x)
                             : spe_build_begin(mod, xt_errors_(), sizeof *x, desc->version,
                                               cm_environment(desc->target), desc->names, desc->lines,
                                               desc->kernel->file, at));
    if (!x || !spe_ok(&x->m)) return false;
    x->desc = desc;
    w.x = x;
    x->kernel = desc->kernel;
    x->head = head;
    x->regions.module = &x->m;
    x->regions.errors = xt_errors_();
    spe_at(&x->m, desc->file, desc->line);
    x->param_count = spe_parse_params(xt_site_(xt_kernel_where_(x)), desc->kernel->params, xt_type_of_, x->params);
    if (x->param_count >= 0 && cm_choose_target(xt_site_(w), desc->target, desc->subgroup_size, &x->target)) {
        x->S = x->target.subgroup_size;
        x->subgroups = desc->subgroups;
        x->subgroups_at = at;
        if (xt_check_one_module_(mods, descs, i)) xt_make_module_(x, mod);
    }
    x->desc = NULL; /* belongs to the caller and may disappear */
    return xt_report_(x);
}

/* Flags are a module's: if a kernel needs 256 registers per thread, all have them; 128 are left to the compiler only if
 * all kernels leave them. */
static bool xt_share_flags_(xt_module *mods, const xt_build_desc *descs, int count)
{
    const xt_ctx *large = NULL;
    const char *flags = mods[0].build_flags;
    for (int i = 0; i < count; i++) {
        const xt_ctx *x = (const xt_ctx *)(const void *)mods[i].owner_;
        if (x->registers > 128 && !large) large = x, flags = mods[i].build_flags;
        if (!large && strcmp(flags, mods[i].build_flags)) flags = "";
    }
    for (int i = 0; i < count; i++) {
        xt_ctx *x = (xt_ctx *)(void *)mods[i].owner_, *last = (xt_ctx *)(void *)mods[count - 1].owner_;
        spe_line at = {descs[i].file, descs[i].line};
        xt_where_ w = {last, &at};
        mods[i].build_flags = flags;
        if (large && xt_group_size_(x) / x->S > xt_most_with_256_(x))
            return xt_fail_(
                w, XT_ERROR_ONE_MODULE, "%s has 256 registers per thread, and %s %d subgroups, %s has room for %d",
                large->kernel->name, x->kernel->name, xt_group_size_(x) / x->S, x->target.name, xt_most_with_256_(x));
    }
    return true;
}

bool xt_build_all(xt_module *mods, const xt_build_desc *descs, int count)
{
    int made = 0;
    bool ok = true;
    memset(mods, 0, (size_t)count * sizeof *mods);
    while (made < count && ok) {
        ok = xt_build_kernel_(mods, descs, made);
        made++;
    }
    xt_ctx *last = (xt_ctx *)(void *)mods[made - 1].owner_;
    if (ok) ok = xt_share_flags_(mods, descs, count);
    if (last) xt_report_(last);
    ok = spe_build_finish(mods, made) && ok;
    for (int i = 0; i < count; i++) {
        xt_ctx *x = (xt_ctx *)(void *)mods[i].owner_;
        if (x) x->shared_module = mods[0].owner_;
        if (i >= made) mods[i].error = mods[made - 1].error;
    }
    return ok;
}

xt_module xt_build(const xt_build_desc *desc)
{
    xt_module mod;
    xt_build_all(&mod, desc, 1);
    return mod;
}

void xt_free(xt_module *mod) { spe_built_free(mod); }
