/* build.c - building a module. */
#include "internal.h"

/* The type of a parameter by its name; -1: none. Numbers are of no 8-bit float. */
static int cv_type_of_(const char *name, const spe_kernel_param *p)
{
    for (int i = 0; i < CV_TYPE_COUNT_; i++) {
        const cv_type_row *row = cv_type_at_(i);
        if (row->memory && strcmp(row->name, name) == 0)
            return p->local || (!p->pointer && cv_is_fp8_(row->type)) ? -1 : (int)row->type;
    }
    return -1;
}

/* The target, and work-groups that it takes. */
static bool cv_choose_target_(cv_ctx *x, cv_where_ w)
{
    const cv_build_desc *d = x->desc;
    if (!cm_choose_target(cv_blame_(w), d->target, d->subgroup_size, &x->target)) return false;
    x->S = x->target.subgroup_size;
    x->local_size = d->local_size ? d->local_size : 4 * x->S;
    x->full = x->local_size % x->S == 0;
    if (x->local_size >= 1 && x->local_size <= x->target.max_group_size) return true;
    cv_fail_(w, CV_ERROR_GROUP_SIZE, "%d work-items, %s takes %d", x->local_size, x->target.name,
             x->target.max_group_size);
    return false;
}

static bool cv_begin_kernel_(cv_ctx *x)
{
    spe_param params[SPE_PARAMS_MAX];
    for (int i = 0; i < x->param_count; i++)
        params[i] = spe_param_of(&x->m, &x->params[i], cv_spe_type_(x, x->params[i].type));
    if (!spe_build_kernel(&x->m, x->kernel->name, x->S, x->local_size, x->param_count, params)) return false;
    for (int i = 0; i < x->param_count; i++) {
        x->args[i] = cv_scalar_(x->params[i].type, spe_param_id(&x->m, (uint32_t)i), true);
        if (x->params[i].pointer) x->args[i].kind = SPE_POINTER;
    }
    return true;
}

static void cv_emit_module_(cv_ctx *x, cv_module *mod)
{
    cm_ctx cm;
    if (!cm_begin(&cm, &x->m, &x->target, x->desc->lowering)) return;
    x->dpas = cm.lowering == CM_INTEL;
    x->block2d = x->dpas && (x->target.block2d_sizes & (uint32_t)x->S) && x->S == 16;
    if (!cv_begin_kernel_(x)) return;
    x->kernel->body(x);
    spe_region_fail(&x->regions, "");
    spe_at(&x->m, x->kernel->file, x->kernel->line);
    if (!spe_build_end(mod, x->kernel->name, x->kernel->params, x->S, x->local_size)) return;
    if (x->desc->large_registers) mod->build_flags = "-ze-opt-large-register-file";
}

cv_module cv_build(const cv_build_desc *desc)
{
    cv_module mod;
    const cv_kernel *k = desc->kernel;
    cv_ctx *x = (cv_ctx *)spe_build_begin(&mod, cv_errors_(), sizeof *x, desc->version, desc->names, desc->lines,
                                          k->file);
    cv_where_ head = {x, k->file, k->line}, user = {x, desc->file, desc->line};
    if (!x || !spe_ok(&x->m)) return mod;
    x->desc = desc;
    x->kernel = k;
    x->regions.m = &x->m;
    x->regions.errors = cv_errors_();
    x->regions.end = cv_region_end_;
    x->param_count = spe_parse_params(cv_blame_(head), k->params, cv_type_of_, x->params);
    if (x->param_count >= 0 && cv_choose_target_(x, user)) cv_emit_module_(x, &mod);
    x->desc = NULL; /* the caller's, which may go */
    return mod;
}

void cv_free(cv_module *mod) { spe_built_free(mod); }
