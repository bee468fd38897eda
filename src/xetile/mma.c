/* mma.c - tile_mma. */
#include "internal.h"

static bool xt_mma_check_shapes_(xt_where_ w, const xt_mma_desc_ *d, bool with_c)
{
    const int *a = d->left.dist.shape, *b = d->right.dist.shape, *c = d->sum.dist.shape;
    if (!xt_check_vec_(w, &d->left, "a of XT_TILE_MMA") || !xt_check_vec_(w, &d->right, "b of XT_TILE_MMA"))
        return false;
    if (with_c && !xt_check_vec_(w, &d->sum, "c of XT_TILE_MMA")) return false;
    if (a[1] == b[0] && (!with_c || (c[0] == a[0] && c[1] == b[1]))) return true;
    if (!with_c) return xt_fail_(w, XT_ERROR_MMA_SHAPE, "a %d x %d, b %d x %d", a[0], a[1], b[0], b[1]);
    return xt_fail_(w, XT_ERROR_MMA_SHAPE, "a %d x %d, b %d x %d, c %d x %d", a[0], a[1], b[0], b[1], c[0], c[1]);
}

/* The possible types of a x b: the accumulation type in coopmatrix.h, or f16 and bf16 for operands of that type. */
static bool xt_mma_result_(const xt_mma_desc_ *d, bool with_c, cm_type *result)
{
    const cm_product *row = cm_product_row(d->left.type, d->right.type);
    cm_type own = d->left.type;
    if (!row || d->type < 0) return false;
    *result = with_c ? d->sum.type : d->type ? (cm_type)(d->type - 1) : row->acc;
    if (d->type && d->type - 1 != (int)*result) return false;
    return *result == row->acc || (own == d->right.type && *result == own && (own == CM_F16 || own == CM_BF16));
}

static bool xt_mma_check_types_(xt_where_ w, const xt_mma_desc_ *d, bool with_c, cm_type *result)
{
    return xt_mma_result_(d, with_c, result) ||
           xt_fail_(w, XT_ERROR_MMA_TYPE, "a of %s, b of %s%s%s%s%s", xt_type_name_(d->left.type),
                    xt_type_name_(d->right.type), with_c ? ", c of " : "", with_c ? xt_type_name_(d->sum.type) : "",
                    d->type ? ", result " : "", d->type ? xt_type_name_(d->type < 0 ? d->type : d->type - 1) : "");
}

static bool xt_mma_has_map_(xt_where_ w, const char *what, const xt_map *has, const xt_map *wanted)
{
    return xt_map_agrees_(w, XT_ERROR_MMA_MAP, what, has, wanted);
}

/* The result's map is c's, else the given one, else derived from a and b. The operands' maps must agree with it, and
 * with those given as options, as in the older specification. */
static bool xt_mma_check_maps_(xt_where_ w, const xt_mma_desc_ *d, bool with_c, xt_map *map)
{
    xt_map a = XT_ZERO_;
    *map = d->left.map;
    map->sg_data[1] = d->right.map.sg_data[1];
    if (xt_has_map_(&d->map)) *map = d->map;
    if (with_c) *map = d->sum.map;
    if (with_c && xt_has_map_(&d->map) && !xt_mma_has_map_(w, ".map", &d->map, map)) return false;
    xt_map b = a;
    if (xt_has_map_(map)) {
        a = xt_map_mma_a(map, d->left.dist.shape[1]);
        b = xt_map_mma_b(map, d->right.dist.shape[0]);
    }
    return xt_mma_has_map_(w, "a", &d->left.map, &a) && xt_mma_has_map_(w, "b", &d->right.map, &b) &&
           (!xt_has_map_(&d->a_map) || xt_mma_has_map_(w, "a", &d->left.map, &d->a_map)) &&
           (!xt_has_map_(&d->b_map) || xt_mma_has_map_(w, "b", &d->right.map, &d->b_map)) &&
           (!with_c || !xt_has_map_(&d->c_map) || xt_mma_has_map_(w, "c", &d->sum.map, &d->c_map));
}

/* Blocked operands: m x k, k x n and m x n blocks. */
static bool xt_mma_check_blocks_(xt_where_ w, const xt_mma_desc_ *d, bool with_c)
{
    const int *a = d->left.inner, *b = d->right.inner, *c = d->sum.inner;
    if (a[1] == b[0] && (a[0] > 0) == (b[1] > 0) && (!with_c || (c[0] == a[0] && c[1] == b[1]))) return true;
    return xt_fail_(w, XT_ERROR_BLOCKED, "XT_TILE_MMA: a has inner_blocks {%d, %d}, b {%d, %d}, c {%d, %d}", a[0], a[1],
                    b[0], b[1], c[0], c[1]);
}

/* A block of the result: a chain of products along k. In coopmatrix.h, b is the left operand and a the right one. */
static cm_matrix xt_mma_block_(xt_ctx *x, const xt_mma_desc_ *d, const xt_grid_ *ga, const xt_grid_ *gb,
                               const int at[4], cm_type type, const cm_matrix *c)
{
    cm_matrix sum = XT_ZERO_;
    for (int k = 0; k < ga->cut[1].n; k++) {
        const cm_matrix *left = &d->right.block[xt_block_number_(gb, 0, at[1], k, at[3])];
        const cm_matrix *right = &d->left.block[xt_block_number_(ga, at[0], 0, at[2], k)];
        sum = cm_mul_add_real(&x->cm, type, left, right, k ? &sum : c);
    }
    return sum;
}

/* If a's pieces end within a block, cuts b like a and fills the rest with zeros: of both if they are floats, because
 * the elements beyond a's end may be NaN; of one if they are integers. */
static void xt_mma_fill_(xt_ctx *x, xt_mma_desc_ *d, const xt_grid_ *ga, xt_grid_ *gb)
{
    const xt_cut_ *k = &ga->cut[1];
    if (k->at[k->n - 1] + k->size[k->n - 1] == ga->data[1]) return;
    gb->cut[0] = *k;
    d->right = xt_fill_up_(x, &d->right, gb, CM_A);
    if (xt_is_float_((int)d->left.type)) d->left = xt_fill_up_(x, &d->left, ga, CM_B);
}

XE_FN_ void xt_emit_mma_(xt_ctx *x, xt_mma_desc_ *d, bool with_c, xt_vec *r)
{
    xt_grid_ ga, gb, gr;
    cm_matrix c = XT_ZERO_;
    int at[4], n; /* round of m, round of n, block of m, block of n */
    xt_grid_init_(x, &ga, &d->left.dist);
    xt_grid_init_(x, &gb, &d->right.dist);
    xt_grid_init_(x, &gr, &r->dist);
    if (d->left.blocks != ga.blocks || d->right.blocks != gb.blocks || (with_c && d->sum.blocks != gr.blocks)) return;
    xt_mma_fill_(x, d, &ga, &gb);
    for (at[0] = 0; at[0] < gr.rounds[0]; at[0]++)
        for (at[1] = 0; at[1] < gr.rounds[1]; at[1]++)
            for (at[2] = 0; at[2] < gr.cut[0].n; at[2]++)
                for (at[3] = 0; at[3] < gr.cut[1].n; at[3]++) {
                    n = xt_block_number_(&gr, at[0], at[1], at[2], at[3]);
                    if (with_c) c = xt_varied_(x, &d->sum, &d->sum.block[n]);
                    r->block[n] = xt_mma_block_(x, d, &ga, &gb, at, r->type, with_c ? &c : NULL);
                }
}

/* Bytes of a vector per subgroup. */
XE_FN_ size_t xt_vec_bytes_(const xt_vec *v)
{
    return (size_t)xt_dist_pieces(&v->dist) * (size_t)v->dist.data[0] * (size_t)v->dist.data[1] *
           (size_t)xt_bytes_((int)v->type);
}

/* Bytes of the vectors that a region carries, per subgroup. */
static size_t xt_carried_bytes_(const xt_frame_ *f)
{
    size_t all = 0;
    for (int i = 0; i < f->slots; i++)
        if (f->slot[i].start.magic == XT_VEC_MAGIC_) all += xt_vec_bytes_(&f->slot[i].start.vec);
    return all;
}

/* Finds the register needs of products: besides a product's operands, its sum or all that the region carries. */
XE_FN_ void xt_find_products_(xt_ctx *x)
{
    const xt_frame_ *open[SPE_REGIONS_MAX + 1] = {NULL};
    int depth = 0;
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        const xt_mma_desc_ *d = n->mma;
        if (n->op == XT_OP_FOR_ || n->op == XT_OP_WHILE_ || n->op == XT_OP_IF_) open[++depth] = n->frame;
        if (n->op == XT_OP_END_) depth--;
        if (n->op != XT_OP_TILE_MMA_) continue;
        size_t sum = xt_vec_bytes_(&xt_value_at_(x, n->result)->now.vec);
        size_t carried = depth ? xt_carried_bytes_(open[depth]) : 0;
        size_t all = (sum > carried ? sum : carried) + xt_vec_bytes_(&d->left) + xt_vec_bytes_(&d->right);
        if (sum > x->accumulator_bytes) x->accumulator_bytes = sum;
        if (all > x->product_bytes) x->product_bytes = all;
        size_t slice = sum + (size_t)(d->left.dist.data[0] + d->right.dist.data[1]) * 32; /* eight dwords per line */
        if (slice <= x->slice_bytes) continue;
        x->slice_bytes = slice;
        x->largest = i;
    }
}

/* How often the body of a loop is written for each turn. Products of a few matrix instructions leave most of the time
 * to the loop itself and to waiting for loads; a second loop then makes the turns that are left. */
XE_LATE_ int xt_copies_(xt_ctx *x, const xt_frame_ *f, int at, int most)
{
    enum { SUM = 8 * 16 * 4, DEEP = 32 }; /* bytes of the sum of a matrix instruction, and of its k */
    size_t products = 0, others = 0;
    int copies = 1;
    if (f->lo.kind != SPE_INT || f->lo.integer < 0 || f->step.kind != SPE_INT || f->step.integer > 1 << 24) return 1;
    for (const xt_node_ *n = xt_node_at_(x, at + 1); n->op != XT_OP_END_; n++) {
        if (xt_does_(n->op, XT_CHANGES_ | XT_BOUNDS_ | XT_WAITS_)) return 1;
        const xt_vec *left = n->op == XT_OP_TILE_MMA_ ? &n->mma->left : NULL;
        if (!left && !xt_does_(n->op, XT_COMPUTES_)) continue;
        size_t size = (xt_vec_bytes_(&xt_value_at_(x, n->result)->now.vec) + SUM - 1) / SUM;
        if (left) products += size * (size_t)((left->dist.data[1] * xt_bytes_((int)left->type) + DEEP - 1) / DEEP);
        else others += size;
    }
    while (products && copies < 4 && (products + others) * (size_t)copies * 2 <= (size_t)most) copies *= 2;
    return copies;
}

xt_vec xt_tile_mma_(xt_where_ w, xt_mma_desc_ d)
{
    bool with_c = d.sum.magic != 0;
    cm_type type = CM_F32;
    xt_map map;
    if (!xt_enter_(w) || !xt_mma_check_shapes_(w, &d, with_c) || !xt_mma_check_types_(w, &d, with_c, &type) ||
        !xt_mma_check_maps_(w, &d, with_c, &map) || !xt_mma_check_blocks_(w, &d, with_c))
        return xt_no_vec_();
    xt_vec r = xt_mapped_vec_(w, type, d.left.dist.shape[0], d.right.dist.shape[1], &map);
    xt_spread_like_(w.x, r.id, &d.left);
    xt_spread_like_(w.x, r.id, &d.right);
    xt_spread_like_(w.x, r.id, &d.sum);
    r.inner[0] = d.left.inner[0];
    r.inner[1] = d.right.inner[1];
    xt_record_(w, XT_OP_TILE_MMA_, 0, r.id, &d, sizeof d);
    return r;
}

XE_FN_ void xt_write_tile_mma_(xt_ctx *x, const xt_node_ *n)
{
    xt_mma_desc_ d = *n->mma;
    bool with_c = d.sum.magic != 0;
    xt_vec r = xt_make_vec_(x, n);
    if (with_c) d.sum = xt_now_as_(x, &d.sum, CM_ACC);
    if (r.blocks && !xt_emit_sliced_(x, &d, with_c, &r)) {
        d.left = xt_now_as_(x, &d.left, CM_B);
        d.right = xt_now_as_(x, &d.right, CM_A);
        xt_emit_mma_(x, &d, with_c, &r);
    }
    xt_define_vec_(x, n->result, r);
}
