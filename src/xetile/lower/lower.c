/* lower/lower.c - writes a recorded body, node by node, in one version or two. */
#include "../internal.h"

/* The table's operations, each an object of its own. */
#define XT_OPERATION_OBJECT_(name, function, ...)                                                                      \
    XT_SHARED_ const xt_operation_ xt_operation_##name##_ = {XT_OP_##name##_, xt_write_##function##_};
XT_OPERATIONS_(XT_OPERATION_OBJECT_)

/* Writes the body, in one version; in that for any pitch, what goes through local memory otherwise. */
XE_FN_ void xt_write_nodes_(xt_ctx *x)
{
    for (x->at = 0; x->at < x->nodes.count && spe_ok(&x->m); x->at++) {
        const xt_node_ *n = xt_node_at_(x, x->at);
        spe_at(&x->m, n->file, n->line);
        if (x->staged && (xt_write_sliced_(x, n) || xt_write_staged_(x, n))) continue;
        if (!x->vulkan || !x->vulkan->write(x, n)) n->write(x, n);
    }
}

XE_FN_ bool xt_begin_kernel_(xt_ctx *x)
{
    spe_param params[SPE_PARAMS_MAX];
    for (int i = 0; i < x->param_count; i++)
        params[i] = spe_param_of(&x->m, &x->params[i], xt_spe_type_(x, x->params[i].type));
    if (!spe_build_kernel(&x->m, x->kernel->name, x->S, xt_group_size_(x), x->param_count, params)) return false;
    if (x->vulkan) x->vulkan->make_memory(x);
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

/* Writes it without. Operands of products may go through local memory, copied by messages or element by element: a
 * branch around each copying decides. */
static void xt_write_any_(xt_ctx *x)
{
    x->staged = x->stages.count > 0;
    if (x->staged) xt_write_stage_condition_(x);
    xt_write_nodes_(x);
    x->staged = false;
}

/* Writes one version, or two with a branch on the condition, unless it is known. */
XE_FN_ void xt_write_versions_(xt_ctx *x)
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
