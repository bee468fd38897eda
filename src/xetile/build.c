/* build.c - building a module. */
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

/* Subgroups that a work-group may have with 256 registers per thread, which halve the hardware's threads. */
static int xt_most_with_256_(const xt_ctx *x) { return x->target.max_group_size / x->S / 2; }

/* Chooses the work-group size and registers per thread, within the target's limits. */
static bool xt_choose_resources_(xt_ctx *x)
{
    spe_place at = {x->desc->file, x->desc->line};
    xt_where_ w = {x, &at};
    int subgroups = x->subgroups ? x->subgroups : 1, registers = x->desc->registers;
    if (registers && registers != 128 && registers != 256)
        return xt_fail_(w, XT_ERROR_REGISTERS, ".registers is %d, wanted 128 or 256", registers);
    if (x->subgroups) at = x->subgroups_at;
    if (subgroups < 0 || subgroups > x->target.max_group_size / x->S)
        return xt_fail_(w, XT_ERROR_GROUP_SIZE, "%d subgroups of %d are %lld work-items, %s has %d", subgroups, x->S,
                        (long long)subgroups * x->S, x->target.name, x->target.max_group_size);
    int most = xt_most_with_256_(x);
    x->registers = x->accumulator_bytes > 4096 || (x->product_bytes > 6144 && subgroups <= most) ? 256 : 128;
    if (registers) x->registers = registers;
    return x->registers == 128 || subgroups <= most ||
           xt_fail_(w, XT_ERROR_REGISTERS,
                    "256 for %d subgroups, %s has room for %d; .registers = 128 takes more and may spill", subgroups,
                    x->target.name, most);
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

/* Work-items per work-group. */
static int xt_group_size_(const xt_ctx *x) { return x->S * (x->subgroups ? x->subgroups : 1); }

static bool xt_begin_kernel_(xt_ctx *x)
{
    spe_param params[SPE_PARAMS_MAX];
    for (int i = 0; i < x->param_count; i++)
        params[i] = spe_param_of(&x->m, &x->params[i], xt_spe_type_(x, x->params[i].type));
    if (!spe_build_kernel(&x->m, x->kernel->name, x->S, xt_group_size_(x), x->param_count, params)) return false;
    if (x->scratch_bytes) x->scratch = xt_shared_array_(&x->m, spe_int(&x->m, 64), (int64_t)x->scratch_bytes / 8);
    if (x->stage_dwords) x->staging = xt_shared_array_(&x->m, spe_int(&x->m, 32), (int64_t)x->stage_dwords);
    return true;
}

/* Writes the body with 2D block messages. */
static void xt_write_block2d_(xt_ctx *x)
{
    x->block2d = true;
    xt_write_nodes_(x);
    x->block2d = false;
}

/* Writes it without. Operands of products may go through local memory, copied by messages or element by element. The
 * sums of a work-group's products leave few registers for a branch in a loop, so it is around all; a subgroup alone has
 * one around each copying, as its copying is most of the kernel. */
static void xt_write_any_(xt_ctx *x)
{
    x->staged = x->stages.count > 0;
    if (x->staged) xt_write_stage_begin_(x);
    bool branch = x->staged && x->subgroups > 1 && xt_stage_if_fit_(x);
    if (branch) x->stages_side = XT_BY_MESSAGES_;
    xt_write_nodes_(x);
    if (branch) {
        spe_else(&x->m, 0, NULL);
        x->stages_side = XT_BY_ELEMENTS_;
        xt_write_nodes_(x);
        spe_endif(&x->m, 0, NULL, NULL);
    }
    x->stages_side = 0;
    x->staged = false;
}

/* Writes one version, or two with a branch on the condition, unless it is known. */
static void xt_write_versions_(xt_ctx *x)
{
    bool has = (x->target.block2d_sizes & (uint32_t)x->S) && x->cm.lowering != CM_PLAIN;
    spe_id condition = 0;
    uint64_t known = 0;
    x->versions = !has                                 ? "without 2D block messages: target or lowering have none"
                  : x->desc->pitch == XT_PITCH_ANY     ? "without 2D block messages, as .pitch requests"
                  : x->desc->pitch == XT_PITCH_ALIGNED ? "with 2D block messages, as .pitch promises"
                                                       : NULL;
    x->messages = has && x->desc->pitch != XT_PITCH_ANY;
    bool with = x->versions && x->messages, without = x->versions && !x->messages;
    if (!x->versions) {
        condition = x->loads ? xt_emit_condition_(x) : 0; /* a second version only for stores is not worth it */
        without = !condition || xt_is_false_(x, condition);
        with = !without && spe_const_bits(&x->m, condition, &known);
        x->versions = without ? "without 2D block messages: no load qualifies"
                      : with  ? "with 2D block messages, as all matrices are known to qualify"
                              : "with 2D block messages, where";
    }
    x->messages = !without;
    if (with) {
        xt_write_block2d_(x);
    } else if (without) {
        xt_write_any_(x);
    } else {
        spe_if(&x->m, condition);
        xt_write_block2d_(x);
        spe_else(&x->m, 0, NULL);
        xt_write_any_(x);
        spe_endif(&x->m, 0, NULL, NULL);
    }
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
