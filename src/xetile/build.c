/* build.c - building a module. */
#include "internal.h"

/* The type of a parameter by its name; -1: none. */
static int xt_type_of_(const char *name, const spe_kernel_param *p)
{
    int i;
    (void)p;
    for (i = 0; i < CM_TYPE_COUNT; i++)
        if (strcmp(cm_type_info((cm_type)i)->name, name) == 0 && !cm_is_complex((cm_type)i)) return i;
    return -1;
}

/* The line of the kernel's head. */
static xt_where_ xt_kernel_where_(xt_ctx *x)
{
    xt_where_ w = {x, x->kernel->file, x->kernel->line};
    return w;
}

/* Runs the body once: planning, or writing one version. */
static void xt_run_body_(xt_ctx *x, bool planning, bool block2d)
{
    if (!spe_ok(&x->m)) return;
    x->planning = planning;
    x->block2d = block2d;
    x->serial = planning ? x->serial : 0;
    x->step_hash = 2166136261u;
    x->vec_count = x->tile_count = x->local_count = x->frame_count = x->regions.depth = 0;
    x->kernel->body(x);
    xt_prefetch_waiting_(x);
    spe_region_fail(&x->regions, "");
    if (x->arrived && spe_ok(&x->m))
        xt_fail_(xt_kernel_where_(x), XT_ERROR_SPLIT_BARRIER, "the kernel ends while \"%s\" is not waited for",
                 x->arrived);
    x->arrived = NULL;
    if (planning)
        x->planned_hash = x->step_hash;
    else if (spe_ok(&x->m) && x->planned_hash != x->step_hash)
        xt_fail_(xt_kernel_where_(x), XT_ERROR_NOT_REPEATABLE, "other operations than the first time");
}

/* While planning a parameter is its own number. */
static void xt_plan_args_(xt_ctx *x)
{
    int i;
    for (i = 0; i < x->param_count; i++) {
        const spe_kernel_param *p = &x->params[i];
        xt_note_ note = {0, 0, 0, 0, 0};
        x->args[i] = spe_val_of(p->pointer || p->local ? SPE_POINTER : SPE_SCALAR, p->type, ++x->serial);
        note.expression = p->local ? 0 : xt_new_expr_(x, XT_EXPR_PARAM_, i, p->type, 0, 0, 0);
        if (note.expression) xt_set_note_(x, &x->args[i], note);
    }
}

/* Limits of the target that only the whole plan shows. */
static bool xt_check_plan_(xt_ctx *x, int *registers)
{
    xt_where_ w = {x, x->desc->file, x->desc->line};
    int subgroups = x->subgroups ? x->subgroups : 1, most;
    if (x->subgroups) w = x->subgroups_at;
    if (subgroups * x->S > x->target.max_group_size)
        return xt_fail_(w, XT_ERROR_GROUP_SIZE, "%d subgroups of %d are %d work-items, %s has %d", subgroups, x->S,
                        subgroups * x->S, x->target.name, x->target.max_group_size);
    most = x->target.max_group_size / x->S / 2; /* 256 registers halve the hardware's threads */
    *registers = x->accumulator_bytes > 4096 || (x->product_bytes > 6144 && subgroups <= most) ? 256 : 128;
    if (x->desc->registers) *registers = x->desc->registers;
    return *registers <= 128 || subgroups <= most ||
           xt_fail_(w, XT_ERROR_REGISTERS,
                    "%d subgroups, %s has room for %d; .registers = 128 takes more and may spill", subgroups,
                    x->target.name, most);
}

/* What local memory has left goes to the operations between subgroups, as far as they can use it. */
static bool xt_plan_scratch_(xt_ctx *x)
{
    int64_t left = (x->target.local_memory - (x->local_bytes + 63) / 64 * 64) / 8 * 8;
    if (!x->scratch_wanted) return true;
    if (left < (int64_t)x->scratch_least)
        return xt_fail_(x->scratch_at, XT_ERROR_LOCAL_MEMORY,
                        "a row of %lld bytes goes through local memory; %lld of %s's %d are left",
                        (long long)x->scratch_least, (long long)(left < 0 ? 0 : left), x->target.name,
                        x->target.local_memory);
    x->scratch_bytes = (x->scratch_wanted + 7) / 8 * 8;
    if ((int64_t)x->scratch_bytes > left) x->scratch_bytes = (size_t)left;
    return true;
}

/* Work-items of a work-group. */
static int xt_group_size_(const xt_ctx *x) { return x->S * (x->subgroups ? x->subgroups : 1); }

static bool xt_begin_kernel_(xt_ctx *x)
{
    spe_param params[SPE_PARAMS_MAX];
    int i;
    for (i = 0; i < x->param_count; i++)
        params[i] = spe_param_of(&x->m, &x->params[i], xt_spe_type_(x, x->params[i].type));
    if (!spe_build_kernel(&x->m, x->kernel->name, x->S, xt_group_size_(x), x->param_count, params)) return false;
    for (i = 0; i < x->param_count; i++) x->args[i].id = spe_param_id(&x->m, (uint32_t)i);
    if (x->scratch_bytes) {
        uint32_t align = XT_LOCAL_ALIGN_;
        x->scratch = spe_shared_var(&x->m, spe_array(&x->m, spe_int(&x->m, 64), (uint32_t)(x->scratch_bytes / 8)));
        spe_decorate(&x->m, x->scratch, SPE_DecorationAlignment, 1, &align);
    }
    return true;
}

/* May 2D block messages be used on this tile's matrix? */
static spe_id xt_emit_tile_test_(xt_ctx *x, const xt_plan_tile_ *p)
{
    cm_mem mem;
    memset(&mem, 0, sizeof mem);
    mem.ptr = xt_emit_base_(x, p);
    mem.rows = xt_emit_expr_(x, p->cols, CM_I32);
    mem.cols = xt_emit_expr_(x, p->rows, CM_I32);
    mem.stride_row = p->column_major ? xt_emit_expr_(x, p->pitch, CM_I32) : spe_i32(&x->m, 1);
    mem.stride_col = p->column_major ? spe_i32(&x->m, 1) : xt_emit_expr_(x, p->pitch, CM_I32);
    return cm_block2d_test(&x->cm, (cm_type)p->type, &mem);
}

static bool xt_is_false_(xt_ctx *x, spe_id condition)
{
    uint64_t bits;
    return spe_const_bits(&x->m, condition, &bits) && bits == 0;
}

static bool xt_same_matrix_(const xt_plan_tile_ *p, const xt_plan_tile_ *q)
{
    return p->base == q->base && p->rows_id == q->rows_id && p->cols_id == q->cols_id && p->pitch_id == q->pitch_id &&
           p->type == q->type && p->column_major == q->column_major;
}

/* A class of tiles is used when one of it is, and possible when all are. */
static void xt_settle_tiles_(xt_ctx *x)
{
    int i;
    for (i = 0; i < x->tiles.count; i++) {
        xt_plan_tile_ *p = xt_plan_tile_at_(x, i), *root = xt_plan_tile_at_(x, xt_tile_root_(x, i));
        root->used = root->used || p->used;
        root->possible = root->possible && p->possible;
    }
}

static spe_id xt_both_(xt_ctx *x, spe_id a, spe_id b) { return a ? spe_land(&x->m, a, b) : b; }

static spe_id xt_emit_need_(xt_ctx *x, const xt_plan_offset_ *o)
{
    spe_id v = xt_emit_expr_(x, o->expression, CM_I32);
    if (o->below) return spe_ult(&x->m, v, xt_emit_expr_(x, o->below, CM_I32));
    return spe_ieq(&x->m, spe_and(&x->m, v, spe_i32(&x->m, o->mask)), spe_i32(&x->m, 0));
}

/* When may the version with 2D block messages run? Written in the prologue; 0 when no tile can use them. */
static spe_id xt_emit_condition_(xt_ctx *x)
{
    spe_id all = 0;
    int i, j;
    spe_prologue_begin(&x->m);
    for (i = 0; i < x->tiles.count; i++) {
        xt_plan_tile_ *p = xt_plan_tile_at_(x, i), *root = xt_plan_tile_at_(x, xt_tile_root_(x, i));
        if (!root->used || !root->possible) continue;
        p->rows_id = xt_emit_expr_(x, p->rows, CM_I32);
        p->cols_id = xt_emit_expr_(x, p->cols, CM_I32);
        p->pitch_id = xt_emit_expr_(x, p->pitch, CM_I32);
        for (j = 0; j < i && !p->test; j++)
            if (xt_plan_tile_at_(x, j)->test && xt_same_matrix_(xt_plan_tile_at_(x, j), p))
                p->test = xt_plan_tile_at_(x, j)->test;
        if (!p->test) p->test = xt_emit_tile_test_(x, p);
        if (xt_is_false_(x, p->test)) root->possible = false;
    }
    for (i = 0; i < x->tiles.count; i++) {
        xt_plan_tile_ *p = xt_plan_tile_at_(x, i);
        bool seen = false;
        if (!xt_plan_tile_at_(x, xt_tile_root_(x, i))->possible) p->test = 0;
        if (!p->test) continue;
        for (j = 0; j < i; j++) seen = seen || xt_plan_tile_at_(x, j)->test == p->test;
        if (!seen) all = xt_both_(x, all, p->test);
    }
    for (i = 0; i < x->offsets.count && all; i++) {
        const xt_plan_offset_ *o = (const xt_plan_offset_ *)x->offsets.items + i;
        const xt_plan_tile_ *root = xt_plan_tile_at_(x, xt_tile_root_(x, o->tile));
        if (!root->used || !root->possible) continue;
        all = xt_both_(x, all, xt_emit_need_(x, o));
    }
    spe_prologue_end(&x->m);
    return all;
}

/* One version, or two under the condition. */
static void xt_emit_versions_(xt_ctx *x)
{
    bool messages = (x->target.block2d_sizes & (uint32_t)x->S) && x->cm.lowering != CM_PLAIN && x->has_mma;
    spe_id condition;
    xt_settle_tiles_(x);
    if (!messages || x->desc->pitch != XT_PITCH_AUTO) {
        xt_run_body_(x, false, messages && x->desc->pitch == XT_PITCH_ALIGNED);
        return;
    }
    condition = xt_emit_condition_(x);
    if (!condition || xt_is_false_(x, condition)) {
        xt_run_body_(x, false, false);
        return;
    }
    spe_if(&x->m, condition);
    xt_run_body_(x, false, true);
    spe_else(&x->m, 0, NULL);
    xt_run_body_(x, false, false);
    spe_endif(&x->m, 0, NULL, NULL);
}

static void xt_emit_module_(xt_ctx *x, xt_module *mod)
{
    int registers = 128;
    xt_plan_args_(x);
    xt_run_body_(x, true, false);
    if (!spe_ok(&x->m) || !xt_check_plan_(x, &registers) || !xt_plan_scratch_(x)) return;
    x->planning = false;
    if (!cm_begin(&x->cm, &x->m, &x->target, x->desc->lowering) || !xt_begin_kernel_(x)) return;
    xt_emit_versions_(x);
    spe_at(&x->m, x->kernel->file, x->kernel->line);
    if (!spe_build_end(mod, x->kernel->name, x->kernel->params, x->S, xt_group_size_(x))) return;
    mod->local_memory = (uint32_t)((x->local_bytes + 63) / 64 * 64 + (int64_t)x->scratch_bytes);
    if (registers > 128) mod->build_flags = "-ze-opt-large-register-file";
}

xt_module xt_build(const xt_build_desc *desc)
{
    xt_module mod;
    xt_where_ w = {NULL, desc->file, desc->line};
    xt_ctx *x = (xt_ctx *)spe_build_begin(&mod, xt_errors_(), sizeof *x, desc->version, desc->names, desc->lines,
                                          desc->kernel->file);
    if (!x || !spe_ok(&x->m)) return mod;
    x->desc = desc;
    w.x = x;
    x->kernel = desc->kernel;
    x->regions.module = &x->m;
    x->regions.errors = xt_errors_();
    x->regions.end = xt_region_end_;
    spe_at(&x->m, desc->file, desc->line);
    x->param_count = spe_parse_params(xt_blame_(xt_kernel_where_(x)), desc->kernel->params, xt_type_of_, x->params);
    if (x->param_count >= 0 && cm_choose_target(xt_blame_(w), desc->target, desc->subgroup_size, &x->target)) {
        x->S = x->target.subgroup_size;
        xt_emit_module_(x, &mod);
    }
    x->desc = NULL; /* the caller's, which may go */
    return mod;
}

void xt_free(xt_module *mod) { spe_built_free(mod); }
