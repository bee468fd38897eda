/* elements.c - element-wise operations, casts. */
#include "internal.h"

/* ---- block by block, or strip by strip --------------------------------------------------------------------------- */

/* The number of operands. */
static int xt_operand_count_(const xt_vectors_ *d)
{
    int n = 1;
    while (n < 3 && d->v[n].magic) n++;
    return n;
}

/* Callback of coopmatrix.h. */
static spe_id xt_component_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    const xt_node_ *n = *(const xt_node_ *const *)user;
    const spe_id v[2] = {a, b};
    (void)type;
    return n->vectors->fn((xt_ctx *)(void *)c->module, n, v);
}

/* Computes part i of the result. In the accumulator's layout, the parts of matrices of any two types correspond. */
static spe_id xt_each_part_(xt_ctx *x, const xt_node_ *n, const cm_matrix *const *a, int i, cm_type to)
{
    const xt_vectors_ *d = n->vectors;
    bool bits = d->way == XT_BITS_;
    spe_id v[3] = {0, 0, 0};
    for (int j = 0; j < xt_operand_count_(d) && i < a[j]->parts; j++)
        v[j] = bits ? a[j]->part[i] : cm_to_arith(&x->cm, a[j]->layout.type, a[j]->part[i]);
    v[0] = d->fn(x, n, v);
    return bits ? v[0] : cm_from_arith(&x->cm, to, v[0]);
}

static bool xt_is_repeated_(xt_ctx *x, const xt_vec *v);

static bool xt_makes_repeated_(xt_ctx *x, const xt_node_ *n)
{
    if (n->op == XT_OP_BROADCAST_) return n->whole->from.divisor[1] > 1 && n->whole->v.dist.shape[1] == 1;
    if (!xt_does_(n->op, XT_EACH_)) return n->op == XT_OP_SPLAT_;
    for (int i = 0; i < xt_operand_count_(n->vectors); i++)
        if (!xt_is_repeated_(x, &n->vectors->v[i])) return false;
    return true;
}

/* Are all columns of a vector known to be equal, so that all lanes hold the same? Each value is asked once. */
static bool xt_is_repeated_(xt_ctx *x, const xt_vec *v)
{
    xt_value_ *value = xt_value_at_(x, v->id);
    if (!value->repeated) value->repeated = xt_makes_repeated_(x, xt_node_at_(x, value->node)) ? 1 : -1;
    return value->repeated > 0;
}

/* A block of v, which Intel's compiler takes to differ by lane, see spe_differ_by_lane. */
XE_FN_ cm_matrix xt_varied_(xt_ctx *x, const xt_vec *v, const cm_matrix *block)
{
    cm_matrix a = *block;
    if (!x->target.igc || !xt_is_repeated_(x, v)) return a;
    a.part = (spe_id *)xt_memory_(x, (size_t)a.parts * sizeof *a.part);
    if (!a.part) return *block;
    for (int i = 0; i < a.parts; i++) a.part[i] = spe_differ_by_lane(&x->m, block->part[i]);
    return a;
}

static cm_matrix xt_cast_block_(xt_ctx *x, const xt_node_ *n, const cm_matrix *a)
{
    const xt_vectors_ *d = n->vectors;
    if ((int)d->v[0].type == d->type) return *a;
    cm_matrix varied = d->type == CM_F16 && d->v[0].type == CM_F32 ? xt_varied_(x, &d->v[0], a) : *a;
    a = &varied;
    return n->kind ? cm_convert_as(&x->cm, a, (cm_type)d->type, CM_ROUND_AUTO, false)
                   : cm_convert(&x->cm, a, (cm_type)d->type);
}

static bool xt_is_bitwise_(int op) { return op == SPE_ARITH_AND || op == SPE_ARITH_OR || op == SPE_ARITH_XOR; }

/* Computes a block, or a strip of one, from those of the operands. */
static cm_matrix xt_each_block_(xt_ctx *x, const xt_node_ *n, const cm_matrix *const *a)
{
    cm_type to = xt_held_(xt_value_at_(x, n->result)->now.vec.type);
    if (n->vectors->way == XT_USERS_) return n->vectors->block(&x->cm, a, n->vectors->user);
    if (n->vectors->way == XT_CAST_) return xt_cast_block_(x, n, a[0]);
    if (n->op == XT_OP_BINARY_VECTOR_ && xt_is_bitwise_(n->kind)) return cm_binary(&x->cm, (cm_op)n->kind, a[0], a[1]);
    if (n->vectors->way == XT_ANY_LAYOUT_ && !a[1]) return cm_map1(&x->cm, a[0], xt_component_, &n);
    if (n->vectors->way == XT_ANY_LAYOUT_) return cm_map2(&x->cm, a[0], a[1], xt_component_, &n);
    cm_layout l = cm_layout_for(&x->cm, a[0]->layout.rows, a[0]->layout.cols, to, CM_ACC);
    spe_id *out = (spe_id *)xt_memory_(x, (size_t)a[0]->parts * sizeof *out);
    for (int i = 0; out && i < a[0]->parts; i++) out[i] = xt_each_part_(x, n, a, i, to);
    return out && spe_ok(&x->m) ? cm_from_parts(&x->cm, &l, out) : cm_poison();
}

/* Computes all blocks; or, if a store will request strips, only allocates them. */
XE_FN_ void xt_write_each_(xt_ctx *x, const xt_node_ *n)
{
    const xt_vectors_ *d = n->vectors;
    int count = xt_operand_count_(d);
    bool any = d->way == XT_ANY_LAYOUT_;
    xt_vec v[3];
    if (x->staged && xt_write_staged_(x, n)) return;
    xt_vec r = xt_make_vec_(x, n);
    if (xt_value_at_(x, n->result)->late && (x->block2d || x->staged)) {
        for (xt_block_ b = xt_blocks_(x, &r.dist); r.blocks && xt_next_block_(&b);) {
            cm_matrix *block = &r.block[b.i];
            *block = cm_splat(&x->cm, b.cols, b.rows, xt_held_(r.type), CM_ACC, 0);
            if (block->part) memset(block->part, 0, (size_t)block->parts * sizeof *block->part);
        }
        xt_define_vec_(x, n->result, r);
        xt_value_at_(x, n->result)->unmade = true;
        return;
    }
    for (int j = 0; j < count; j++) v[j] = xt_now_as_(x, &d->v[j], any ? r.use : CM_ACC);
    for (int i = 0; i < r.blocks && spe_ok(&x->m); i++) {
        const cm_matrix *a[3] = {NULL, NULL, NULL};
        for (int j = 0; j < count; j++) a[j] = &v[j].block[i];
        r.block[i] = xt_each_block_(x, n, a);
    }
    xt_define_vec_(x, n->result, any ? r : xt_settle_(x, r));
}

/* The number of strips of a block. A message stores a strip: up to eight rows, as wide as a subgroup. */
XE_FN_ int xt_strips_(const cm_matrix *a) { return a->layout.size_i == a->layout.lanes ? a->parts : 1; }

/* A strip of a block, computed on demand. */
XE_FN_ cm_matrix xt_strip_(xt_ctx *x, const xt_vec *of, int block, int strip)
{
    const xt_value_ *value = xt_value_at_(x, of->id);
    const cm_matrix *whole = &value->now.vec.block[block];
    cm_layout l = whole->layout;
    spe_id *part = whole->part + strip;
    if (xt_strips_(whole) > 1) l = cm_layout_for(&x->cm, l.lanes, cm_part_words(&whole->layout, strip), l.type, CM_ACC);
    if (value->unmade && spe_ok(&x->m) && !part[0]) {
        const xt_node_ *n = xt_node_at_(x, value->node);
        const xt_vectors_ *d = n->vectors;
        const cm_matrix *a[3] = {NULL, NULL, NULL};
        cm_matrix strips[3];
        for (int j = 0; j < xt_operand_count_(d); j++) {
            strips[j] = xt_strip_(x, &d->v[j], block, strip);
            a[j] = &strips[j];
        }
        spe_at(&x->m, n->file, n->line);
        cm_matrix r = d->each(x, n, a);
        if (!r.parts) return r;
        memcpy(part, r.part, (size_t)r.parts * sizeof *part);
    }
    return spe_ok(&x->m) ? cm_from_parts(&x->cm, &l, part) : cm_poison();
}

/* Computes everything, for a use before the store. */
XE_LATE_ void xt_make_strips_(xt_ctx *x, const xt_vec *v)
{
    const xt_vec *now = &xt_value_at_(x, v->id)->now.vec;
    for (int i = 0; i < now->blocks; i++)
        for (int k = 0; k < xt_strips_(&now->block[i]); k++) xt_strip_(x, v, i, k);
    xt_value_at_(x, v->id)->unmade = false;
}

/* Defers a vector until the store at a node, if only straight-line code is in between. */
static void xt_put_off_(xt_ctx *x, const xt_vec *v, int store)
{
    xt_value_ *value = xt_value_at_(x, v->id);
    const xt_node_ *n = xt_node_at_(x, value->node);
    const xt_vectors_ *d = n->vectors;
    if (value->late || !xt_does_(n->op, XT_EACH_) || xt_layout_(x, v->id) != CM_ACC)
        return;
    for (int i = value->node; i < store; i++)
        if (xt_does_(xt_node_at_(x, i)->op, XT_BOUNDS_)) return;
    for (int i = 0; i < xt_operand_count_(d); i++)
        if (xt_layout_(x, d->v[i].id) != CM_ACC) return;
    value->late = true;
    for (int i = 0; i < xt_operand_count_(d); i++) xt_put_off_(x, &d->v[i], store);
}

/* A pass: vectors stored by 2D block messages are computed strip by strip at the store, along with their element-wise
 * operands, so that registers need not hold all intermediate results. */
XE_FN_ void xt_find_late_(xt_ctx *x)
{
    for (int i = 0; i < x->nodes.count && spe_ok(&x->m); i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        const xt_scattered_ *d = n->scattered;
        if (n->op == XT_OP_STORE_TILE_ && !xt_why_not_block2d_(x, &d->d.tile)) xt_put_off_(x, &d->v, i);
    }
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

/* Conditions are stored as bytes 0 and 1. */
static spe_id xt_from_condition_(xt_ctx *x, spe_id condition)
{
    spe_id type = spe_vec_like(&x->m, spe_int(&x->m, 8), condition);
    return spe_select(&x->m, condition, spe_const_u(&x->m, type, 1), spe_null(&x->m, type));
}

static bool xt_check_alike_(xt_where_ w, const char *what, const xt_vec *a, const xt_vec *b, bool types)
{
    const xt_same_errors_ errors = {XT_ERROR_VEC_SHAPE, types ? XT_ERROR_VEC_TYPE : 0, XT_ERROR_BLOCKED,
                                    XT_ERROR_MAP_DIFFERS};
    return xt_check_vec_(w, a, "the first operand") && xt_check_vec_(w, b, "the second operand") &&
           xt_check_same_(w, &errors, what, a, "the other", b);
}

static bool xt_has_shape_(const xt_vec *v, int dim, const xt_vec *like)
{
    return v->dist.shape[dim] == like->dist.shape[dim] || v->dist.shape[dim] == 1;
}

/* Repeats a single row, column or element to the shape of a larger vector; returns anything else unchanged. */
static xt_vec xt_repeated_(xt_where_ w, const xt_vec *v, const xt_vec *like)
{
    xt_broadcast_desc_ d = XT_ZERO_;
    d.vec = *v;
    if (!v->id || !like->id || !xt_has_shape_(v, 0, like) || !xt_has_shape_(v, 1, like) || v->inner[0] ||
        like->inner[0])
        return *v;
    for (int dim = 0; dim < 2 && d.vec.id; dim++) {
        d.dim = dim;
        d.size = like->dist.shape[dim];
        d.map = d.vec.map;
        if (xt_has_map_(&d.map)) d.map.sg_data[dim] = like->map.sg_data[dim];
        if (d.vec.dist.shape[dim] != d.size) d.vec = xt_broadcast_(w, d);
    }
    return d.vec;
}

/* The largest vector among operands; NULL if there is none. */
static const xt_vec *xt_largest_(int n, const xt_any_ *const *given)
{
    const xt_vec *most = NULL;
    for (int i = 0; i < n; i++) {
        const int *s = given[i]->vec.dist.shape;
        if (!given[i]->is_vec) continue;
        if (!most || s[0] * s[1] > most->dist.shape[0] * most->dist.shape[1]) most = &given[i]->vec;
    }
    return most;
}

/* Checks that operands agree; numbers become vectors like `like`. */
static bool xt_operands_(xt_where_ w, const char *what, int n, const xt_any_ *const *given, const xt_vec *like,
                         xt_vec *v)
{
    for (int i = 0; i < n; i++)
        v[i] = given[i]->is_vec ? xt_repeated_(w, &given[i]->vec, like) : xt_like_(w, given[i], like);
    for (int i = 0; i < n; i++)
        if (!xt_check_alike_(w, what, &v[0], &v[i], true)) return false;
    return true;
}

/* ---- arithmetic, comparison, selection --------------------------------------------------------------------------- */

/* Operands of numbers and of vectors both begin with their common type. */
XE_FN_ int xt_meeting_type_(const xt_node_ *n) { return *(const int *)n->desc; }

static spe_id xt_binary_part_(xt_ctx *x, const xt_node_ *n, const spe_id *v)
{
    spe_id r = xt_emit_arith_(&x->m, n->kind, xt_meeting_type_(n), v[0], v[1]);
    return xt_is_compare_(n->kind) ? xt_from_condition_(x, r) : r;
}

/* Arithmetic takes all types except i1 and 8-bit floats; bit operations integers and i1; shifts integers. */
static bool xt_vec_op_allowed_(xt_where_ w, int op, int type)
{
    bool bits = xt_is_bitwise_(op), truth = bits || op == SPE_ARITH_EQ || op == SPE_ARITH_NE;
    bool whole = bits || op == SPE_ARITH_SHL || op == SPE_ARITH_SHR;
    return (type == XT_BOOL_ ? truth : !xt_is_f8_(type) && (!whole || xt_is_int_(type))) ||
           xt_fail_(w, XT_ERROR_VEC_OP, "%s of vectors of %s", xt_op_name_(op), xt_type_name_(type));
}

/* Records an element-wise operation. */
static xt_vec xt_record_vecs_(xt_where_ w, xt_op_ op, xt_part_fn_ fn, xt_way_ way, int kind, cm_type type, int n,
                              const xt_vec *v, int meeting)
{
    xt_vectors_ d = XT_ZERO_;
    xt_vec r = xt_new_vec_(w.x, type, v);
    d.type = meeting;
    d.way = way;
    d.each = xt_each_block_;
    d.fn = fn;
    memcpy(d.v, v, (size_t)n * sizeof *v);
    while (n-- > 1) xt_spread_like_(w.x, r.id, &v[n]);
    xt_record_(w, op, kind, r.id, &d, sizeof d);
    return r;
}

xt_vec xt_binary_vec_(xt_where_ w, int op, xt_any_ a, xt_any_ b)
{
    const xt_any_ *both[2] = {&a, &b};
    const xt_vec *like = xt_largest_(2, both);
    bool compare = xt_is_compare_(op);
    xt_vec v[2];
    if (!xt_enter_(w) || !xt_check_vec_(w, like, "an operand") || !xt_vec_op_allowed_(w, op, (int)like->type) ||
        !xt_operands_(w, xt_op_name_(op), 2, both, like, v))
        return xt_no_vec_();
    return xt_record_vecs_(w, XT_OP_BINARY_VECTOR_, xt_binary_part_, compare ? XT_ARITHMETIC_ : XT_ANY_LAYOUT_, op,
                           compare ? (cm_type)XT_BOOL_ : v[0].type, 2, v, (int)like->type);
}

xt_val xt_binary_scalar_(xt_where_ w, int op, xt_any_ a, xt_any_ b) { return xt_binary_number_(w, op, a.val, b.val); }

static spe_id xt_select_part_(xt_ctx *x, const xt_node_ *n, const spe_id *v)
{
    (void)n;
    return spe_select(&x->m, spe_ine(&x->m, v[0], spe_null(&x->m, spe_type_of(&x->m, v[0]))), v[1], v[2]);
}

static bool xt_check_select_(xt_where_ w, const xt_any_ *condition, const xt_vec *like)
{
    if (!condition->is_vec)
        return xt_fail_(w, XT_ERROR_CONDITION,
                        "the condition of XT_SELECT is a number, its operands are vectors: use XT_IF");
    if (!xt_check_vec_(w, &condition->vec, "the condition of XT_SELECT")) return false;
    if ((int)condition->vec.type != XT_BOOL_)
        return xt_fail_(w, XT_ERROR_CONDITION, "XT_SELECT got a vector of %s", xt_type_name_((int)condition->vec.type));
    if (!like)
        return xt_fail_(w, XT_ERROR_VEC_TYPE,
                        "XT_SELECT of two numbers: make one a vector of the type you want (XT_SPLAT)");
    return xt_check_vec_(w, like, "an operand of XT_SELECT");
}

xt_vec xt_select_vec_(xt_where_ w, xt_any_ condition, xt_any_ a, xt_any_ b)
{
    const xt_any_ *both[2] = {&a, &b};
    const xt_vec *like = xt_largest_(2, both);
    xt_vec v[3];
    if (!xt_enter_(w) || !xt_check_select_(w, &condition, like)) return xt_no_vec_();
    xt_vec whole = xt_repeated_(w, like, &condition.vec);
    v[0] = xt_repeated_(w, &condition.vec, &whole);
    if (!xt_operands_(w, "XT_SELECT", 2, both, &whole, v + 1) || !xt_check_alike_(w, "XT_SELECT", &v[0], &v[1], false))
        return xt_no_vec_();
    return xt_record_vecs_(w, XT_OP_SELECT_VECTOR_, xt_select_part_, XT_BITS_, 0, v[1].type, 3, v, 0);
}

/* ---- mathematics: numbers and vectors ---------------------------------------------------------------------------- */

XE_FN_ const xt_math_row_ *xt_math_info_(int op)
{
#define XT_MATH_ROW_(name, n, instruction) {"XT_" #name, n, (int)SPE_##instruction},
    static const xt_math_row_ rows[] = {XT_MATH_(XT_MATH_ROW_)};
    return &rows[op];
}

/* 0: none. */
static int xt_math_instruction_(int op, int type)
{
    if (xt_is_f8_(type) || type >= (int)CM_C32) return 0;
    if (xt_is_float_(type)) return xt_math_info_(op)->on_float;
    return op != XT_MATH_ABS_ ? 0 : xt_is_signed_(type) ? (int)SPE_SABS : (int)SPE_UABS;
}

static spe_id xt_math_part_(xt_ctx *x, const xt_node_ *n, const spe_id *v)
{
    spe_math_op op = (spe_math_op)xt_math_instruction_(n->kind, xt_meeting_type_(n));
    return spe_math(&x->m, op, (uint32_t)xt_math_info_(n->kind)->operands, v);
}

static bool xt_math_allowed_(xt_where_ w, int op, int type)
{
    return (type < XT_BOOL_ && xt_math_instruction_(op, type)) ||
           xt_fail_(w, XT_ERROR_MATH_TYPE, "%s of %s", xt_math_info_(op)->name, xt_type_name_(type));
}

xt_vec xt_math_vec_(xt_where_ w, int op, xt_any_ a, xt_any_ b, xt_any_ c)
{
    const xt_any_ *all[3] = {&a, &b, &c};
    const xt_vec *like = xt_largest_(3, all);
    const xt_math_row_ *row = xt_math_info_(op);
    xt_vec v[3];
    if (!xt_enter_(w) || !xt_check_vec_(w, like, row->name) || !xt_math_allowed_(w, op, (int)like->type) ||
        !xt_operands_(w, row->name, row->operands, all, like, v))
        return xt_no_vec_();
    return xt_record_vecs_(w, XT_OP_MATH_VECTOR_, xt_math_part_, row->operands == 1 ? XT_ANY_LAYOUT_ : XT_ARITHMETIC_,
                           op, like->type, row->operands, v, (int)like->type);
}

xt_val xt_math_scalar_(xt_where_ w, int op, xt_any_ a, xt_any_ b, xt_any_ c)
{
    const xt_math_row_ *row = xt_math_info_(op);
    xt_numbers_ n = {0, {a.val, b.val, c.val}};
    if (!xt_enter_(w) || !xt_check_value_(w, &a.val, row->name)) return xt_nothing_();
    n.type = a.val.kind == SPE_INT && op != XT_MATH_ABS_ ? CM_F32 : xt_carried_type_(&a.val);
    for (int i = 1; i < row->operands; i++)
        if (!xt_is_constant_(&n.v[i])) n.type = n.v[i].type;
    if (a.val.kind == SPE_POINTER || n.type == CM_BF16)
        return XT_FAIL_NUMBER_(w, XT_ERROR_MATH_TYPE, "%s of %s%s", row->name,
                               a.val.kind == SPE_POINTER ? "a pointer to " : "the number ", xt_type_name_(n.type));
    if (!xt_math_allowed_(w, op, n.type)) return xt_nothing_();
    for (int i = 0; i < row->operands; i++)
        if (!xt_check_type_(w, &n.v[i], n.type, row->name)) return xt_nothing_();
    return xt_record_number_(w, XT_OP_MATH_NUMBER_, op, n.type, 1, &n);
}

XE_FN_ void xt_write_math_number_(xt_ctx *x, const xt_node_ *n)
{
    spe_id id[3];
    for (int i = 0; i < xt_math_info_(n->kind)->operands; i++)
        id[i] = xt_now_id_(x, &n->numbers->v[i], n->numbers->type);
    xt_define_(x, n->result, xt_scalar_(n->numbers->type, xt_math_part_(x, n, id), 1));
}

/* ---- casts ------------------------------------------------------------------------------------------------------- */

static spe_id xt_truth_part_(xt_ctx *x, const xt_node_ *n, const spe_id *v)
{
    spe_id zero = spe_null(&x->m, spe_type_of(&x->m, v[0]));
    bool real = xt_is_float_((int)n->vectors->v[0].type);
    return xt_from_condition_(x, real ? spe_fune(&x->m, v[0], zero) : spe_ine(&x->m, v[0], zero));
}

xt_vec xt_cast_vec_(xt_where_ w, int type, xt_any_ a, xt_cast_desc_ d)
{
    bool truth = type == XT_BOOL_ && (int)a.vec.type != XT_BOOL_;
    if (!xt_enter_(w) || !xt_check_vec_(w, &a.vec, "the operand of XT_CAST")) return xt_no_vec_();
    return xt_record_vecs_(w, XT_OP_CAST_VECTOR_, xt_truth_part_, truth ? XT_ARITHMETIC_ : XT_CAST_, !d.saturate,
                           (cm_type)type, 1, &a.vec, type);
}

static spe_id xt_bitcast_part_(xt_ctx *x, const xt_node_ *n, const spe_id *v)
{
    return cm_bitcast(&x->cm, spe_vec_like(&x->m, xt_spe_type_(x, xt_meeting_type_(n)), v[0]), v[0]);
}

xt_vec xt_bitcast_vec_(xt_where_ w, int type, xt_any_ a)
{
    int from = (int)a.vec.type;
    if (!xt_enter_(w) || !xt_check_vec_(w, &a.vec, "the operand of XT_BITCAST")) return xt_no_vec_();
    if (type == XT_BOOL_ || from == XT_BOOL_ || xt_bits_(type) != xt_bits_(from))
        return XT_FAIL_VEC_(w, XT_ERROR_BITCAST, "from %s to %s", xt_type_name_(from), xt_type_name_(type));
    return xt_record_vecs_(w, XT_OP_BITCAST_VECTOR_, xt_bitcast_part_, XT_BITS_, 0, (cm_type)type, 1, &a.vec, type);
}

xt_val xt_bitcast_scalar_(xt_where_ w, int type, xt_any_ a)
{
    const xt_val *v = &a.val;
    xt_numbers_ n = {type, {*v, *v, *v}};
    int from = xt_carried_type_(v);
    if (!xt_enter_(w) || !xt_check_value_(w, v, "the operand of XT_BITCAST")) return xt_nothing_();
    if (type == XT_BOOL_ || v->magic != SPE_VAL_MAGIC || v->kind == SPE_NOTHING || v->kind == SPE_POINTER ||
        from == XT_BOOL_ || xt_bits_(type) != xt_bits_(from))
        return XT_FAIL_NUMBER_(w, XT_ERROR_BITCAST, "from %s to %s", xt_describe_(v).s, xt_type_name_(type));
    if (!xt_check_type_(w, v, from, "the operand of XT_BITCAST")) return xt_nothing_();
    return xt_record_number_(w, XT_OP_BITCAST_NUMBER_, 0, type, 1, &n);
}

XE_FN_ void xt_write_bitcast_number_(xt_ctx *x, const xt_node_ *n)
{
    const xt_val *v = &n->numbers->v[0];
    spe_id id = xt_now_id_(x, v, xt_carried_type_(v));
    xt_define_(x, n->result, xt_scalar_(n->numbers->type, xt_bitcast_part_(x, n, &id), 1));
}

/* ---- combining pairs, for reductions and atomics ----------------------------------------------------------------- */

/* The larger or smaller of two floats; -0 is less than 0. A NaN wins or loses, by nan_wins. */
XE_FN_ spe_id xt_extreme_(spe_module *m, bool larger, bool nan_wins, spe_id a, spe_id b)
{
    spe_id type = spe_type_of(m, a), elem = spe_info(m, type).elem ? spe_info(m, type).elem : type, nan = 0;
    spe_id bits = spe_vec(m, spe_int(m, spe_width(m, elem)), spe_count(m, type));
    spe_id p = spe_bitcast(m, bits, a), q = spe_bitcast(m, bits, b);
    spe_id r = spe_math2(m, larger ? SPE_FMAX : SPE_FMIN, a, b);
    spe_id zeros = spe_bitcast(m, type, larger ? spe_and(m, p, q) : spe_or(m, p, q));
    if (nan_wins) nan = spe_isnan(m, b);
    if (nan_wins) nan = spe_lor(m, spe_isnan(m, a), nan);
    r = spe_select(m, spe_feq(m, a, b), zeros, r);
    return nan_wins ? spe_select(m, nan, spe_fadd(m, a, b), r) : r;
}

XE_FN_ const xt_red_row_ *xt_red_info_(int kind)
{
#define XT_RED_ROW_(name, op, number, takes, nan_wins) {#name, SPE_##op, SPE_##number, XT_RMW_##takes, nan_wins},
    static const xt_red_row_ rows[] = {XT_RED_KINDS_(XT_RED_ROW_)};
    return &rows[kind];
}

XE_FN_ spe_id xt_combine_(spe_module *m, int kind, int type, spe_id a, spe_id b)
{
    const xt_red_row_ *row = xt_red_info_(kind);
    if (row->nan_wins) return xt_extreme_(m, row->op == SPE_ARITH_MAX, true, a, b);
    return spe_arith(m, row->op, xt_is_float_(type) ? SPE_NUMBER_FLOAT : row->number, a, b);
}
