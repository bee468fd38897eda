/* vectors.c - operations on vectors. */
#include "internal.h"

/* Every element the same, laid out as `v` says. */
static void xt_fill_(xt_where_ w, xt_vec *v, const xt_val *number)
{
    xt_ctx *x = w.x;
    cm_type held = xt_held_(v->type);
    spe_id scalar = xt_id_(w, number, held, "the element");
    xt_grid_ g;
    int i;
    if (x->planning || !v->blocks) return;
    xt_grid_init_(&g, &v->dist);
    for (i = 0; i < g.blocks; i++) {
        xt_block_ b = xt_block_at_(&g, i);
        v->block[i] = cm_splat(&x->cm, b.cols, b.rows, held, v->use, scalar);
    }
}

xt_vec xt_splat_(xt_where_ w, int type, xt_val number, xt_vec_desc_ d)
{
    xt_dist dist;
    xt_vec v;
    if (!xt_enter_(w, XT_OP_SPLAT_) || !xt_distribute_(w, &dist, d.rows, d.cols, &d.map)) return xt_no_vec_();
    v = xt_new_vec_(w, (cm_type)type, &dist, &d.map);
    xt_fill_(w, &v, &number);
    return v;
}

/* What a x b may give: what coopmatrix.h sums products of these types in, or f16 and bf16 for operands of that type. */
static bool xt_mma_result_(cm_type a, cm_type b, const cm_type *wanted, cm_type *result)
{
    const cm_product *row = cm_product_row(a, b);
    if (!row) return false;
    *result = wanted ? *wanted : row->acc;
    return *result == row->acc || (a == b && *result == a && (a == CM_F16 || a == CM_BF16));
}

static bool xt_mma_check_shapes_(xt_where_ w, const xt_mma_desc_ *d, bool with_c)
{
    const int *a = d->a.dist.shape, *b = d->b.dist.shape, *c = d->c.dist.shape;
    if (!xt_check_vec_(w, &d->a, "a of XT_TILE_MMA") || !xt_check_vec_(w, &d->b, "b of XT_TILE_MMA")) return false;
    if (with_c && !xt_check_vec_(w, &d->c, "c of XT_TILE_MMA")) return false;
    if (a[1] == b[0] && (!with_c || (c[0] == a[0] && c[1] == b[1]))) return true;
    if (with_c)
        xt_fail_(w, XT_ERROR_MMA_SHAPE, "a %d x %d, b %d x %d, c %d x %d", a[0], a[1], b[0], b[1], c[0], c[1]);
    else
        xt_fail_(w, XT_ERROR_MMA_SHAPE, "a %d x %d, b %d x %d", a[0], a[1], b[0], b[1]);
    return false;
}

static bool xt_mma_check_types_(xt_where_ w, const xt_mma_desc_ *d, bool with_c, cm_type *result)
{
    cm_type wanted = with_c ? d->c.type : (cm_type)(d->type - 1);
    bool chosen = with_c || d->type;
    if (xt_mma_result_(d->a.type, d->b.type, chosen ? &wanted : NULL, result) &&
        (!with_c || !d->type || d->type - 1 == (int)wanted))
        return true;
    xt_fail_(w, XT_ERROR_MMA_TYPE, "a of %s, b of %s%s%s%s%s", xt_type_name_(d->a.type), xt_type_name_(d->b.type),
             with_c ? ", c of " : "", with_c ? xt_type_name_(d->c.type) : "", d->type ? ", result " : "",
             d->type ? xt_type_name_(d->type - 1) : "");
    return false;
}

static bool xt_mma_same_map_(xt_where_ w, const char *what, const xt_map *has, const xt_map *derived)
{
    if (xt_same_map_(has, derived)) return true;
    xt_fail_(w, XT_ERROR_MMA_MAP, "%s has sg_layout {%d, %d} sg_data {%d, %d}, wanted {%d, %d} {%d, %d}", what,
             has->sg_layout[0], has->sg_layout[1], has->sg_data[0], has->sg_data[1], derived->sg_layout[0],
             derived->sg_layout[1], derived->sg_data[0], derived->sg_data[1]);
    return false;
}

/* The result's map is c's, else the given one, else follows from a and b; the operands' must agree with it. */
static bool xt_mma_check_maps_(xt_where_ w, const xt_mma_desc_ *d, bool with_c, xt_map *map)
{
    xt_map a, b;
    bool mapped;
    *map = d->a.map;
    map->sg_data[1] = d->b.map.sg_data[1];
    if (xt_has_map_(&d->map)) *map = d->map;
    if (with_c) *map = d->c.map;
    if (with_c && xt_has_map_(&d->map) && !xt_mma_same_map_(w, ".map", &d->map, map)) return false;
    mapped = xt_has_map_(map);
    memset(&a, 0, sizeof a);
    b = a;
    if (mapped) {
        a = xt_map_mma_a(map, d->a.dist.shape[1]);
        b = xt_map_mma_b(map, d->b.dist.shape[0]);
    }
    return xt_mma_same_map_(w, "a", &d->a.map, &a) && xt_mma_same_map_(w, "b", &d->b.map, &b);
}

/* The older text's maps of the operands: what they have, when given. */
static bool xt_mma_check_given_(xt_where_ w, const xt_mma_desc_ *d, bool with_c)
{
    return (!xt_has_map_(&d->a_map) || xt_mma_same_map_(w, "a", &d->a.map, &d->a_map)) &&
           (!xt_has_map_(&d->b_map) || xt_mma_same_map_(w, "b", &d->b.map, &d->b_map)) &&
           (!with_c || !xt_has_map_(&d->c_map) || xt_mma_same_map_(w, "c", &d->c.map, &d->c_map));
}

/* Blocked operands: m x k, k x n and m x n blocks. */
static bool xt_mma_check_blocks_(xt_where_ w, const xt_mma_desc_ *d, bool with_c)
{
    const int *a = d->a.inner, *b = d->b.inner, *c = d->c.inner;
    if (a[1] == b[0] && (a[0] > 0) == (b[1] > 0) && (!with_c || (c[0] == a[0] && c[1] == b[1]))) return true;
    xt_fail_(w, XT_ERROR_BLOCKED, "XT_TILE_MMA: a has inner_blocks {%d, %d}, b {%d, %d}, c {%d, %d}", a[0], a[1], b[0],
             b[1], c[0], c[1]);
    return false;
}

/* One block of the result: its chain of products along k. In coopmatrix.h's terms b is the left operand, a the right
 * one. */
static cm_matrix xt_mma_block_(xt_ctx *x, const xt_vec *a, const xt_vec *b, const xt_grid_ *ga, const xt_grid_ *gb,
                               const int at[4], cm_type type, const cm_matrix *c)
{
    cm_matrix sum;
    int k;
    memset(&sum, 0, sizeof sum);
    for (k = 0; k < ga->cut[1].n; k++) {
        const cm_matrix *left = &b->block[xt_block_number_(gb, 0, at[1], k, at[3])];
        const cm_matrix *right = &a->block[xt_block_number_(ga, at[0], 0, at[2], k)];
        sum = cm_mul_add(&x->cm, type, left, right, k ? &sum : c);
    }
    return sum;
}

static void xt_emit_mma_(xt_ctx *x, const xt_vec *a, const xt_vec *b, const xt_vec *c, xt_vec *r)
{
    xt_grid_ ga, gb, gr;
    int at[4], n; /* round of m, round of n, block of m, block of n */
    xt_grid_init_(&ga, &a->dist);
    xt_grid_init_(&gb, &b->dist);
    xt_grid_init_(&gr, &r->dist);
    if (a->blocks != ga.blocks || b->blocks != gb.blocks || (c && c->blocks != gr.blocks)) return; /* after an error */
    for (at[0] = 0; at[0] < gr.rounds[0]; at[0]++)
        for (at[1] = 0; at[1] < gr.rounds[1]; at[1]++)
            for (at[2] = 0; at[2] < gr.cut[0].n; at[2]++)
                for (at[3] = 0; at[3] < gr.cut[1].n; at[3]++) {
                    n = xt_block_number_(&gr, at[0], at[1], at[2], at[3]);
                    r->block[n] = xt_mma_block_(x, a, b, &ga, &gb, at, r->type, c ? &c->block[n] : NULL);
                }
}

/* Bytes of a vector in each subgroup. */
static size_t xt_vec_bytes_(const xt_vec *v)
{
    return (size_t)xt_dist_pieces(&v->dist) * (size_t)v->dist.data[0] * (size_t)v->dist.data[1] *
           (size_t)cm_type_info(xt_held_(v->type))->bytes;
}

/* How many registers products need, for the choice between the register files. */
static void xt_plan_product_(xt_ctx *x, const xt_vec *a, const xt_vec *b, const xt_vec *r)
{
    size_t sum = xt_vec_bytes_(r), all = sum + xt_vec_bytes_(a) + xt_vec_bytes_(b);
    if (sum > x->accumulator_bytes) x->accumulator_bytes = sum;
    if (all > x->product_bytes) x->product_bytes = all;
    x->has_mma = true;
}

xt_vec xt_tile_mma_(xt_where_ w, xt_mma_desc_ d)
{
    xt_ctx *x = w.x;
    bool with_c = d.c.magic != 0;
    cm_type type;
    xt_map map;
    xt_dist dist;
    xt_vec r;
    if (!xt_enter_(w, XT_OP_TILE_MMA_) || !xt_mma_check_shapes_(w, &d, with_c) ||
        !xt_mma_check_types_(w, &d, with_c, &type) || !xt_mma_check_maps_(w, &d, with_c, &map) ||
        !xt_mma_check_given_(w, &d, with_c) || !xt_mma_check_blocks_(w, &d, with_c) ||
        !xt_distribute_(w, &dist, d.a.dist.shape[0], d.b.dist.shape[1], &map))
        return xt_no_vec_();
    xt_need_layout_(x, &d.a, CM_B, false);
    xt_need_layout_(x, &d.b, CM_A, false);
    r = xt_new_vec_(w, type, &dist, &map);
    r.inner[0] = d.a.inner[0];
    r.inner[1] = d.b.inner[1];
    xt_need_layout_(x, &r, CM_ACC, true);
    if (with_c) xt_same_layout_(x, r.node, d.c.node);
    xt_plan_product_(x, &d.a, &d.b, &r);
    if (x->planning || !r.blocks) return r;
    d.a = xt_as_use_(x, &d.a, CM_B);
    d.b = xt_as_use_(x, &d.b, CM_A);
    if (with_c) d.c = xt_as_use_(x, &d.c, CM_ACC);
    xt_emit_mma_(x, &d.a, &d.b, with_c ? &d.c : NULL, &r);
    return r;
}

/* Two operands of one shape, inner blocks, map and, where `types`, type. */
bool xt_check_alike_(xt_where_ w, const char *what, const xt_vec *a, const xt_vec *b, bool types)
{
    const int *p = a->dist.shape, *q = b->dist.shape;
    if (!xt_check_vec_(w, a, "the first operand") || !xt_check_vec_(w, b, "the second operand")) return false;
    if (p[0] != q[0] || p[1] != q[1]) {
        xt_fail_(w, XT_ERROR_VEC_SHAPE, "%s of %d x %d and %d x %d", what, p[0], p[1], q[0], q[1]);
        return false;
    }
    if (a->inner[0] != b->inner[0] || a->inner[1] != b->inner[1]) {
        xt_fail_(w, XT_ERROR_BLOCKED, "%s of inner_blocks {%d, %d} and {%d, %d}", what, a->inner[0], a->inner[1],
                 b->inner[0], b->inner[1]);
        return false;
    }
    if (types && a->type != b->type) {
        xt_fail_(w, XT_ERROR_VEC_TYPE, "%s of %s and %s", what, xt_type_name_(a->type), xt_type_name_(b->type));
        return false;
    }
    if (xt_same_map_(&a->map, &b->map)) return true;
    xt_fail_(w, XT_ERROR_MAP_DIFFERS, "%s of sg_layout {%d, %d} sg_data {%d, %d} and {%d, %d} {%d, %d}", what,
             a->map.sg_layout[0], a->map.sg_layout[1], a->map.sg_data[0], a->map.sg_data[1], b->map.sg_layout[0],
             b->map.sg_layout[1], b->map.sg_data[0], b->map.sg_data[1]);
    return false;
}

/* coopmatrix.h's callback for an operation on two vectors of components. */
static spe_id xt_component_op_(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    int op = *(const int *)user;
    if (cm_type_info(type)->kind == CM_KIND_FLOAT) return xt_emit_float_(c->m, op, a, b);
    return xt_emit_int_(c->m, op, cm_type_info(type)->is_signed, a, b);
}

/* Arithmetic on everything but i1 and 8-bit floats; bits of integers and i1; the remainder of integers. */
static bool xt_vec_op_allowed_(xt_where_ w, int op, int type)
{
    bool bits = op == SPE_ARITH_AND || op == SPE_ARITH_OR || op == SPE_ARITH_XOR,
         truth = bits || op == SPE_ARITH_EQ || op == SPE_ARITH_NE;
    bool whole = bits || op == SPE_ARITH_REM || op == SPE_ARITH_SHL || op == SPE_ARITH_SHR;
    if (type == XT_BOOL_ ? truth : type != CM_E4M3 && type != CM_E5M2 && (!whole || xt_is_int_(type))) return true;
    xt_fail_(w, XT_ERROR_VEC_OP, "%s of vectors of %s", xt_op_name_(op), xt_type_name_(type));
    return false;
}

/* A number that meets a vector becomes a vector like it. */
xt_vec xt_like_(xt_where_ w, const xt_any_ *a, const xt_vec *like)
{
    xt_vec v;
    if (a->is_vec) return a->vec;
    v = xt_new_vec_(w, like->type, &like->dist, &like->map);
    v.inner[0] = like->inner[0];
    v.inner[1] = like->inner[1];
    xt_same_layout_(w.x, like->node, v.node);
    xt_fill_(w, &v, &a->val);
    return v;
}

xt_vec xt_binary_vec_(xt_where_ w, int op, xt_any_ a, xt_any_ b)
{
    xt_ctx *x = w.x;
    const xt_vec *shape = a.is_vec ? &a.vec : &b.vec;
    xt_vec p, q, r;
    int i;
    if (!xt_enter_kind_(w, XT_OP_BINARY_VECTOR_, op) || !xt_check_vec_(w, shape, "an operand")) return xt_no_vec_();
    if (!xt_vec_op_allowed_(w, op, (int)shape->type)) return xt_no_vec_();
    p = xt_like_(w, &a, shape);
    q = xt_like_(w, &b, shape);
    if (!spe_ok(&x->m) || !xt_check_alike_(w, xt_op_name_(op), &p, &q, true)) return xt_no_vec_();
    if (xt_is_compare_(op)) return xt_compare_vec_(w, op, &p, &q);
    r = xt_new_vec_(w, p.type, &p.dist, &p.map);
    r.inner[0] = p.inner[0];
    r.inner[1] = p.inner[1];
    xt_same_layout_(x, p.node, q.node);
    xt_same_layout_(x, p.node, r.node);
    if (x->planning || !r.blocks) return r;
    p = xt_as_use_(x, &p, r.use);
    q = xt_as_use_(x, &q, r.use);
    for (i = 0; i < r.blocks && i < p.blocks && i < q.blocks; i++)
        r.block[i] = cm_map2(&x->cm, &p.block[i], &q.block[i], xt_component_op_, &op);
    return r;
}

xt_val xt_binary_scalar_(xt_where_ w, int op, xt_any_ a, xt_any_ b) { return xt_binary_number_(w, op, a.val, b.val); }

void xt_barrier_(xt_where_ w)
{
    if (!xt_enter_(w, XT_OP_BARRIER_) || w.x->planning) return;
    spe_barrier(&w.x->m);
}
