/* plan.c - the plan: layouts of vectors, 2D block messages of tiles. */
#include "internal.h"

static int xt_vec_root_(xt_ctx *x, int node)
{
    while (xt_plan_vec_at_(x, node)->parent != node) node = xt_plan_vec_at_(x, node)->parent;
    return node;
}

/* Vectors of one class are kept in one layout, so that nothing need be rearranged between them. */
void xt_same_layout_(xt_ctx *x, int a, int b)
{
    xt_plan_vec_ *p, *q;
    int i;
    if (!x->planning || !spe_ok(&x->m)) return;
    a = xt_vec_root_(x, a);
    b = xt_vec_root_(x, b);
    if (a == b) return;
    p = xt_plan_vec_at_(x, a);
    q = xt_plan_vec_at_(x, b);
    q->parent = a;
    for (i = 0; i < 3; i++) p->need[i] = p->need[i] || q->need[i];
    p->accumulator = p->accumulator || q->accumulator;
}

void xt_need_layout_(xt_ctx *x, const xt_vec *v, cm_use use, bool accumulator)
{
    xt_plan_vec_ *p;
    if (!x->planning || !spe_ok(&x->m)) return;
    p = xt_plan_vec_at_(x, xt_vec_root_(x, v->node));
    p->need[use] = true;
    p->accumulator = p->accumulator || accumulator;
}

/* What an accumulator touches stays one; else a product's operand decides, the packed one first: it costs most to make.
 */
static cm_use xt_layout_(xt_ctx *x, int node)
{
    const xt_plan_vec_ *p = xt_plan_vec_at_(x, xt_vec_root_(x, node));
    if (p->accumulator) return CM_ACC;
    return p->need[CM_A] ? CM_A : p->need[CM_B] ? CM_B : CM_ACC;
}

int xt_tile_root_(xt_ctx *x, int node)
{
    while (xt_plan_tile_at_(x, node)->parent != node) node = xt_plan_tile_at_(x, node)->parent;
    return node;
}

void xt_same_tiles_(xt_ctx *x, int a, int b)
{
    a = xt_tile_root_(x, a);
    b = xt_tile_root_(x, b);
    xt_plan_tile_at_(x, b)->parent = a;
}

/* Writes an expression of the plan, in the prologue. Constants have the type of what they meet. */
spe_id xt_emit_expr_(xt_ctx *x, int number, int type)
{
    xt_expr_ *e = xt_expr_at_(x, number);
    xt_val constant = spe_val_int((long long)e->value);
    spe_id id;
    if (e->kind == XT_EXPR_CONST_) return xt_constant_(x, type, &constant);
    if (e->id) return e->id;
    if (e->kind == XT_EXPR_PARAM_)
        id = x->args[e->op].id;
    else if (e->kind == XT_EXPR_BUILTIN_)
        id = spe_builtin(&x->m, (spe_builtin_name)e->op, (uint32_t)e->a);
    else if (e->kind == XT_EXPR_CAST_)
        id = spe_cast(&x->m, xt_spe_type_(x, e->type), xt_emit_expr_(x, e->a, e->type), e->op != 0);
    else {
        id = xt_emit_expr_(x, e->a, e->type);
        id = xt_emit_int_(&x->m, e->op, xt_is_signed_(e->type), id, xt_emit_expr_(x, e->b, e->type));
    }
    xt_expr_at_(x, number)->id = id;
    return id;
}

/* The base of a tile's matrix as a pointer, in the prologue. */
spe_id xt_emit_base_(xt_ctx *x, const xt_plan_tile_ *p)
{
    const xt_expr_ *base = xt_expr_at_(x, p->base);
    spe_id id = xt_emit_expr_(x, p->base, base->type);
    if (base->kind == XT_EXPR_PARAM_ && x->params[base->op].pointer) return id;
    return spe_u_to_ptr(&x->m, spe_ptr(&x->m, SPE_StorageClassCrossWorkgroup, xt_spe_type_(x, p->type)), id);
}

/* ---- vectors as lists of blocks ---------------------------------------------------------------------------------- */

void xt_grid_init_(xt_grid_ *g, const xt_dist *d)
{
    int i;
    for (i = 0; i < 2; i++) {
        xt_cut_side_(&g->cut[i], d->data[i]);
        g->rounds[i] = d->rounds[i];
        g->stride[i] = d->layout[i] * d->data[i];
    }
    g->blocks = g->rounds[0] * g->rounds[1] * g->cut[0].n * g->cut[1].n;
}

int xt_block_number_(const xt_grid_ *g, int round0, int round1, int i, int j)
{
    return ((round0 * g->rounds[1] + round1) * g->cut[0].n + i) * g->cut[1].n + j;
}

xt_block_ xt_block_at_(const xt_grid_ *g, int number)
{
    xt_block_ b;
    int j = number % g->cut[1].n, i = number / g->cut[1].n % g->cut[0].n;
    int piece = number / (g->cut[1].n * g->cut[0].n);
    b.row = piece / g->rounds[1] * g->stride[0] + g->cut[0].at[i];
    b.col = piece % g->rounds[1] * g->stride[1] + g->cut[1].at[j];
    b.rows = g->cut[0].size[i];
    b.cols = g->cut[1].size[j];
    return b;
}

xt_vec xt_no_vec_(void)
{
    xt_vec v;
    memset(&v, 0, sizeof v);
    v.magic = XT_VEC_MAGIC_;
    return v;
}

/* A vector that an operation makes: planned the first time, with room for its blocks afterwards. */
xt_vec xt_new_vec_(xt_where_ w, cm_type type, const xt_dist *d, const xt_map *map)
{
    xt_ctx *x = w.x;
    xt_vec v = xt_no_vec_();
    xt_grid_ g;
    xt_plan_vec_ *p;
    v.type = type;
    v.dist = *d;
    v.map = *map;
    v.node = x->vec_count++;
    v.serial = ++x->serial;
    if (x->planning) {
        p = (xt_plan_vec_ *)xt_push_(x, &x->vecs, sizeof *p);
        if (p) p->parent = v.node;
        return v;
    }
    if (v.node >= x->vecs.count) {
        xt_fail_(w, XT_ERROR_NOT_REPEATABLE, "more vectors than the first time");
        return v;
    }
    v.use = xt_layout_(x, v.node);
    xt_grid_init_(&g, d);
    v.block = (cm_matrix *)xt_memory_(x, (size_t)g.blocks * sizeof *v.block);
    v.blocks = v.block ? g.blocks : 0;
    return v;
}

bool xt_check_vec_(xt_where_ w, const xt_vec *v, const char *what)
{
    if (v->magic == XT_VEC_MAGIC_) return true;
    xt_fail_(w, XT_ERROR_UNSET, "%s", what);
    return false;
}

/* The vector in the layout that is needed; itself when it is so already. */
xt_vec xt_as_use_(xt_ctx *x, const xt_vec *v, cm_use use)
{
    xt_vec r = *v;
    int i;
    if (x->planning || v->use == use || !v->blocks) return r;
    r.use = use;
    r.block = (cm_matrix *)xt_memory_(x, (size_t)v->blocks * sizeof *r.block);
    if (!r.block) return *v;
    for (i = 0; i < v->blocks; i++) r.block[i] = cm_convert_use(&x->cm, &v->block[i], use);
    return r;
}

/* ---- maps in a kernel -------------------------------------------------------------------------------------------- */

/* Distributes a tile or vector by a map; false after an error. All maps of a kernel have one number of subgroups. */
bool xt_distribute_(xt_where_ w, xt_dist *d, int rows, int cols, const xt_map *map)
{
    xt_ctx *x = w.x;
    int error = xt_dist_init(d, rows, cols, map);
    if (error) {
        xt_fail_(w, error, "tile %d x %d, sg_layout {%d, %d} times sg_data {%d, %d} is %d x %d", rows, cols,
                 map->sg_layout[0], map->sg_layout[1], map->sg_data[0], map->sg_data[1],
                 map->sg_layout[0] * map->sg_data[0], map->sg_layout[1] * map->sg_data[1]);
        return false;
    }
    if (d->data[0] > XT_SIDE_MAX_ || d->data[1] > XT_SIDE_MAX_) {
        xt_fail_(w, XT_ERROR_TILE_SIZE, "a subgroup's piece is %d x %d, the largest is %d x %d", d->data[0], d->data[1],
                 (int)XT_SIDE_MAX_, (int)XT_SIDE_MAX_);
        return false;
    }
    if (!d->subgroups) return true;
    if (!x->subgroups) {
        x->subgroups = d->subgroups;
        x->subgroups_map = *map;
        x->subgroups_file = w.file;
        x->subgroups_line = w.line;
    } else if (x->subgroups != d->subgroups) {
        xt_fail_(w, XT_ERROR_MAP_SUBGROUPS, "sg_layout {%d, %d} has %d, {%d, %d} of %s:%d has %d", map->sg_layout[0],
                 map->sg_layout[1], d->subgroups, x->subgroups_map.sg_layout[0], x->subgroups_map.sg_layout[1],
                 x->subgroups_file, x->subgroups_line, x->subgroups);
        return false;
    }
    return true;
}

/* Where this subgroup's first piece starts in a dimension: ((id / across or id % across) % count) * data, before the
 * body. */
static spe_id xt_emit_place_(xt_ctx *x, const xt_place_ *p, int other)
{
    spe_id s;
    spe_prologue_begin(&x->m);
    s = spe_builtin(&x->m, SPE_SUBGROUP_ID, 0);
    if (p->dim == 0 && p->across > 1) s = spe_udiv(&x->m, s, spe_u32(&x->m, (uint32_t)p->across));
    if (p->dim == 1 && other > 1) s = spe_umod(&x->m, s, spe_u32(&x->m, (uint32_t)p->layout));
    if (p->count < p->layout) s = spe_umod(&x->m, s, spe_u32(&x->m, (uint32_t)p->count));
    if (p->data > 1) s = spe_imul(&x->m, s, spe_u32(&x->m, (uint32_t)p->data));
    spe_prologue_end(&x->m);
    return s;
}

xt_val xt_subgroup_place_(xt_ctx *x, const xt_dist *d, int dim)
{
    xt_place_ p;
    int i;
    memset(&p, 0, sizeof p);
    p.dim = dim;
    p.across = d->layout[1];
    p.layout = d->layout[dim];
    p.count = d->count[dim];
    p.data = d->data[dim];
    if (p.layout == 1 || p.count == 1) return spe_val_int(0);
    if (x->planning) return xt_scalar_(x, CM_I32, 0, xt_align_of_(p.data), 0);
    for (i = 0; i < x->place_count; i++) {
        const xt_place_ *q = &x->places[i];
        if (q->dim == p.dim && q->across == p.across && q->layout == p.layout && q->count == p.count &&
            q->data == p.data)
            return xt_scalar_(x, CM_I32, q->id, xt_align_of_(p.data), 0);
    }
    p.id = xt_emit_place_(x, &p, d->layout[1 - dim]);
    if (x->place_count < XT_PLACES_MAX_) x->places[x->place_count++] = p;
    return xt_scalar_(x, CM_I32, p.id, xt_align_of_(p.data), 0);
}
