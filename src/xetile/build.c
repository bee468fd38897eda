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

/* ---- passes ------------------------------------------------------------------------------------------------------ */

/* Runs and records the body. Parameters are the first nodes. */
static void xt_record_body_(xt_ctx *x)
{
    xt_where_ w = xt_kernel_where_(x);
    for (int i = 0; i < x->param_count; i++) {
        const spe_kernel_param *p = &x->params[i];
        x->args[i] = spe_val_of(p->pointer || p->local ? SPE_POINTER : SPE_SCALAR, p->type, xt_new_value_(x));
        xt_record_(w, XT_OP_ARGUMENT_, i, x->args[i].id, NULL, 0);
        if (!spe_ok(&x->m)) return;
        xt_value_at_(x, x->args[i].id)->early = !p->local;
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
    int bytes = x->target.registers / (x->registers <= 128 ? 2 : 1);
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

/* With 128 registers by default, Intel's compiler may take 256 if it would spill, where the work-group then fits. */
static const char *xt_build_flags_(const xt_ctx *x)
{
    int subgroups = x->subgroups ? x->subgroups : 1;
    if (x->registers > 128) return "-ze-opt-large-register-file";
    if (!x->target.build_flags[0] || x->desc->registers || subgroups > xt_most_with_256_(x)) return "";
    return "-ze-intel-enable-auto-large-GRF-mode";
}

/* The passes, in order. */
static void xt_make_module_(xt_ctx *x, xt_module *mod)
{
    xt_record_body_(x); /* also checks operations, derives and checks maps */
    xt_find_products_(x);
    xt_choose_resources_(x);
    xt_find_reloads_(x);
    xt_place_scratch_(x);
    if (!xt_report_(x)) return;
    xt_find_layouts_(x);
    spe_at(&x->m, x->desc->file, x->desc->line);
    if (!cm_begin(&x->cm, &x->m, &x->target, x->desc->lowering)) return;
    xt_find_block2d_(x);
    xt_find_late_(x);
    if (x->local_bytes) xt_find_bands_(x);
    if (x->product_bytes && spe_ok(&x->m)) xt_find_stages_(x);
    if (!xt_begin_kernel_(x)) return;
    xt_write_versions_(x);
    spe_at(&x->m, x->kernel->file, x->kernel->line);
    if (!spe_build_end(mod, x->kernel->name, x->kernel->params, x->S, xt_group_size_(x))) return;
    mod->local_memory = (uint32_t)((x->local_bytes + 63) / 64 * 64 + (int64_t)(x->scratch_bytes + x->stage_dwords * 4));
    xt_warn_(x, mod);
    mod->build_flags = xt_build_flags_(x);
}

xt_module xt_build(const xt_build_desc *desc)
{
    xt_module mod;
    spe_place at = {desc->file, desc->line}, head = {desc->kernel->file, desc->kernel->line};
    xt_where_ w = {NULL, &at};
    xt_ctx *x = (xt_ctx *)spe_build_begin(&mod, xt_errors_(), sizeof *x, desc->version, desc->names, desc->lines,
                                          desc->kernel->file, at);
    if (!x || !spe_ok(&x->m)) return mod;
    x->desc = desc;
    w.x = x;
    x->kernel = desc->kernel;
    x->head = head;
    x->regions.module = &x->m;
    x->regions.end = xt_region_end_;
    x->regions.errors = xt_errors_();
    spe_at(&x->m, desc->file, desc->line);
    x->param_count = spe_parse_params(xt_blame_(xt_kernel_where_(x)), desc->kernel->params, xt_type_of_, x->params);
    if (x->param_count >= 0 && cm_choose_target(xt_blame_(w), desc->target, desc->subgroup_size, &x->target)) {
        x->S = x->target.subgroup_size;
        x->subgroups = desc->subgroups;
        x->subgroups_at = at;
        xt_make_module_(x, &mod);
    }
    x->desc = NULL; /* belongs to the caller and may disappear */
    return mod;
}

void xt_free(xt_module *mod) { spe_built_free(mod); }
