/* lower/components.c - element-wise operations on a block or a strip of one. */
#include "../internal.h"

/* Computes a component of the result from the operands'. */
typedef spe_id (*xt_part_fn_)(xt_ctx *x, const xt_node_ *n, const spe_id *v);

typedef struct {
    const xt_node_ *node;
    xt_part_fn_ part;
} xt_component_of_;

/* Callback of coopmatrix.h. */
static spe_id xt_component_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    const xt_component_of_ *of = (const xt_component_of_ *)user;
    const spe_id v[2] = {a, b};
    (void)type;
    return of->part((xt_ctx *)(void *)c->module, of->node, v);
}

/* A block of one or two operands, in any layout that these share. */
static cm_matrix xt_map_block_(xt_ctx *x, const xt_node_ *n, const cm_matrix *const *a, xt_part_fn_ part)
{
    xt_component_of_ of = {n, part};
    return a[1] ? cm_map2(&x->cm, a[0], a[1], xt_component_, &of) : cm_map1(&x->cm, a[0], xt_component_, &of);
}

/* A block in the accumulator's layout, in which the parts of matrices of any two types correspond. They are computed
 * with in their arithmetic types or, with `bits`, as they are stored. */
static cm_matrix xt_parts_block_(xt_ctx *x, const xt_node_ *n, const cm_matrix *const *a, xt_part_fn_ part, bool bits)
{
    cm_type to = xt_storage_type_(xt_vector_(x, n->result)->type);
    cm_layout l = cm_layout_for(&x->cm, a[0]->layout.rows, a[0]->layout.cols, to, CM_ACC);
    spe_id *out = (spe_id *)xt_memory_(x, (size_t)a[0]->parts * sizeof *out);
    for (int i = 0; out && i < a[0]->parts; i++) {
        spe_id v[3] = {0, 0, 0};
        for (int j = 0; j < n->operands && i < a[j]->parts; j++)
            v[j] = bits ? a[j]->part[i] : cm_to_arith(&x->cm, a[j]->layout.type, a[j]->part[i]);
        v[0] = part(x, n, v);
        out[i] = bits ? v[0] : cm_from_arith(&x->cm, to, v[0]);
    }
    return out && spe_ok(&x->m) ? cm_from_parts(&x->cm, &l, out) : cm_poison();
}

static bool xt_is_repeated_(xt_ctx *x, uint32_t id);

static bool xt_makes_repeated_(xt_ctx *x, const xt_node_ *n)
{
    if (n->op == XT_OP_BROADCAST_)
        return n->move->from.divisor[1] > 1 && xt_vector_(x, n->operand[XT_MOVE_VEC_])->dist.shape[1] == 1;
    if (!xt_does_(n->op, XT_EACH_)) return n->op == XT_OP_SPLAT_;
    for (int i = 0; i < n->operands; i++)
        if (!xt_is_repeated_(x, n->operand[i])) return false;
    return true;
}

/* Are all columns of a vector known to be equal, so that all lanes hold the same? Each value is asked once. */
static bool xt_is_repeated_(xt_ctx *x, uint32_t id)
{
    xt_value_ *value = xt_value_at_(x, id);
    if (!value->repeated) value->repeated = xt_makes_repeated_(x, xt_node_at_(x, value->node)) ? 1 : -1;
    return value->repeated > 0;
}

/* A block of a vector, which Intel's compiler takes to differ by lane, see spe_differ_by_lane. */
XE_FN_ cm_matrix xt_varied_(xt_ctx *x, uint32_t id, const cm_matrix *block)
{
    cm_matrix a = *block;
    if (!x->target.igc || !xt_is_repeated_(x, id)) return a;
    a.part = (spe_id *)xt_memory_(x, (size_t)a.parts * sizeof *a.part);
    if (!a.part) return *block;
    for (int i = 0; i < a.parts; i++) a.part[i] = spe_differ_by_lane(&x->m, block->part[i]);
    return a;
}

XE_FN_ cm_matrix xt_cast_block_(xt_ctx *x, const xt_node_ *n, const cm_matrix *const *a)
{
    const xt_vec *from = xt_vector_(x, n->operand[0]);
    if ((int)from->type == n->type) return *a[0];
    if (n->type == XT_BOOL_) return xt_parts_block_(x, n, a, xt_truth_part_, false);
    cm_matrix varied = n->type == CM_F16 && from->type == CM_F32 ? xt_varied_(x, from->id, a[0]) : *a[0];
    return n->kind ? cm_convert_as(&x->cm, &varied, (cm_type)n->type, CM_ROUND_AUTO, false)
                   : cm_convert(&x->cm, &varied, (cm_type)n->type);
}

/* The constant that a vector repeats; NULL: it is no such vector. */
XE_FN_ const xt_val *xt_repeated_constant_(xt_ctx *x, uint32_t id)
{
    const xt_node_ *n = xt_node_at_(x, xt_value_at_(x, id)->node);
    const xt_val *number = n->op == XT_OP_SPLAT_ ? xt_number_(x, n->operand[0]) : NULL;
    return number && xt_is_constant_(number) ? number : NULL;
}

/* Bit operations take whole words, see coopmatrix.h, unless these leave it to us. */
XE_FN_ cm_matrix xt_binary_block_(xt_ctx *x, const xt_node_ *n, const cm_matrix *const *a)
{
    const xt_val *by = xt_is_shift_(n->kind) ? xt_repeated_constant_(x, n->operand[1]) : NULL;
    bool within = by && by->integer >= 0 && by->integer < xt_bits_((int)xt_vector_(x, n->operand[0])->type);
    cm_matrix bits = within ? cm_shift(&x->cm, (cm_op)n->kind, a[0], (int)by->integer) : cm_poison();
    if (xt_is_bitwise_(n->kind)) bits = cm_binary(&x->cm, (cm_op)n->kind, a[0], a[1]);
    if (bits.parts) return bits;
    return xt_is_compare_(n->kind) ? xt_parts_block_(x, n, a, xt_binary_part_, false)
                                   : xt_map_block_(x, n, a, xt_binary_part_);
}

XE_FN_ cm_matrix xt_math_block_(xt_ctx *x, const xt_node_ *n, const cm_matrix *const *a)
{
    return xt_math_info_(n->kind)->operands == 1 ? xt_map_block_(x, n, a, xt_math_part_)
                                                 : xt_parts_block_(x, n, a, xt_math_part_, false);
}

XE_FN_ cm_matrix xt_select_block_(xt_ctx *x, const xt_node_ *n, const cm_matrix *const *a)
{
    return xt_parts_block_(x, n, a, xt_select_part_, true);
}

XE_FN_ cm_matrix xt_bitcast_block_(xt_ctx *x, const xt_node_ *n, const cm_matrix *const *a)
{
    return xt_parts_block_(x, n, a, xt_bitcast_part_, true);
}

XE_FN_ cm_matrix xt_users_block_(xt_ctx *x, const xt_node_ *n, const cm_matrix *const *a)
{
    return n->users->block(&x->cm, a, n->users->user);
}

/* The number of strips of a block. A message stores a strip: up to eight rows, as wide as a subgroup. */
XE_FN_ int xt_strips_(const cm_matrix *a) { return a->layout.size_i == a->layout.lanes ? a->parts : 1; }

/* A strip of a block, computed on demand. */
XE_FN_ cm_matrix xt_strip_(xt_ctx *x, uint32_t of, int block, int strip)
{
    const xt_value_ *value = xt_value_at_(x, of);
    const cm_matrix *whole = &value->now.vec.block[block];
    cm_layout l = whole->layout;
    spe_id *part = whole->part + strip;
    if (xt_strips_(whole) > 1) l = cm_layout_for(&x->cm, l.lanes, cm_part_words(&whole->layout, strip), l.type, CM_ACC);
    if (value->unmade && spe_ok(&x->m) && !part[0]) {
        const xt_node_ *n = xt_node_at_(x, value->node);
        const cm_matrix *a[3] = {NULL, NULL, NULL};
        cm_matrix strips[3];
        for (int j = 0; j < n->operands; j++) {
            strips[j] = xt_strip_(x, n->operand[j], block, strip);
            a[j] = &strips[j];
        }
        spe_at(&x->m, n->file, n->line);
        cm_matrix r = value->each(x, n, a);
        if (!r.parts) return r;
        memcpy(part, r.part, (size_t)r.parts * sizeof *part);
    }
    return spe_ok(&x->m) ? cm_from_parts(&x->cm, &l, part) : cm_poison();
}

/* Computes everything, for a use before the store. */
XE_ONCE_
XE_FN_ void xt_make_strips_(xt_ctx *x, uint32_t id)
{
    const xt_fragments_ *now = &xt_value_at_(x, id)->now.vec;
    for (int i = 0; i < now->blocks; i++)
        for (int k = 0; k < xt_strips_(&now->block[i]); k++) xt_strip_(x, id, i, k);
    xt_value_at_(x, id)->unmade = false;
}
