/* vectors.c - vectors: a subgroup's blocks, making and comparing vectors, constants. */
#include "internal.h"

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

XE_FN_ void xt_grid_init_(const xt_ctx *x, xt_grid_ *g, const xt_dist *d)
{
    for (int i = 0; i < 2; i++) {
        xt_cut_side_(&g->cut[i], d->data[i], i ? x->S : 1);
        g->rounds[i] = d->rounds[i];
        g->data[i] = d->data[i];
        g->stride[i] = d->layout[i] * d->data[i];
    }
    g->blocks = g->rounds[0] * g->rounds[1] * g->cut[0].n * g->cut[1].n;
}

XE_FN_ int xt_block_number_(const xt_grid_ *g, int round0, int round1, int i, int j)
{
    return ((round0 * g->rounds[1] + round1) * g->cut[0].n + i) * g->cut[1].n + j;
}

XE_FN_ xt_block_ xt_blocks_(const xt_ctx *x, const xt_dist *d)
{
    xt_block_ b = XT_ZERO_;
    xt_grid_init_(x, &b.grid, d);
    b.i = -1;
    return b;
}

XE_FN_ bool xt_next_block_(xt_block_ *b)
{
    const xt_grid_ *g = &b->grid;
    int n = ++b->i, j = n % g->cut[1].n, i = n / g->cut[1].n % g->cut[0].n;
    int piece = n / (g->cut[1].n * g->cut[0].n), down = piece / g->rounds[1], across = piece % g->rounds[1];
    if (n >= g->blocks) return false;
    b->rows = g->cut[0].size[i];
    b->cols = g->cut[1].size[j];
    b->valid = xt_least_(b->cols, g->data[1] - g->cut[1].at[j]);
    b->row = down * g->stride[0] + g->cut[0].at[i];
    b->col = across * g->stride[1] + g->cut[1].at[j];
    b->held[0] = down * g->data[0] + g->cut[0].at[i];
    b->held[1] = across * g->data[1] + g->cut[1].at[j];
    return true;
}

/* ---- maps in a kernel -------------------------------------------------------------------------------------------- */

/* Distributes a tile or vector by a map; false after an error. All maps of a kernel have the same number of
 * subgroups. */
XE_FN_ bool xt_distribute_(xt_where_ w, xt_dist *d, int rows, int cols, const xt_map *map)
{
    xt_ctx *x = w.x;
    int error = xt_dist_init(d, rows, cols, map);
    if (error && !xt_has_map_(map))
        return xt_fail_(w, error, "tile %d x %d, the largest without a map is %d x %d", rows, cols, (int)XT_SIDE_MAX_,
                        (int)XT_SIDE_MAX_);
    if (error)
        return xt_fail_(w, error, "tile %d x %d, %s is %lld x %lld", rows, cols, xt_map_text_(map).s,
                        (long long)map->sg_layout[0] * map->sg_data[0], (long long)map->sg_layout[1] * map->sg_data[1]);
    if (d->data[0] > XT_SIDE_MAX_ || d->data[1] > XT_SIDE_MAX_)
        return xt_fail_(w, XT_ERROR_TILE_SIZE, "a subgroup's piece is %d x %d, the largest is %d x %d", d->data[0],
                        d->data[1], (int)XT_SIDE_MAX_, (int)XT_SIDE_MAX_);
    if (!d->subgroups) return true;
    if (!x->subgroups) {
        x->subgroups = d->subgroups;
        x->subgroups_map = *map;
        x->subgroups_at = *w.at;
    }
    return x->subgroups == d->subgroups ||
           xt_fail_(w, XT_ERROR_MAP_SUBGROUPS, "%s has %d, %s of %s:%d has %d", xt_map_text_(map).s, d->subgroups,
                    xt_has_map_(&x->subgroups_map) ? xt_map_text_(&x->subgroups_map).s : ".subgroups",
                    x->subgroups_at.file, x->subgroups_at.line, x->subgroups);
}

static bool xt_has_place_(const xt_dist *d, int dim) { return d->layout[dim] > 1 && d->count[dim] > 1; }

/* The offset of this subgroup's first piece in a dimension. */
XE_FN_ xt_val xt_record_place_(xt_where_ w, const xt_dist *d, int dim)
{
    if (!xt_has_place_(d, dim)) return spe_val_int(0);
    xt_val v = spe_val_of(SPE_SCALAR, CM_I32, xt_new_value_(w.x));
    v.align = xt_align_of_(d->data[dim]);
    xt_value_at_(w.x, v.id)->spread = 1;
    xt_record_(w, XT_OP_PLACE_, dim, v.id, d, sizeof *d);
    return v;
}

/* Finds or adds the row of a key, at most 32 bytes, whose id the caller computes; NULL without memory. */
XE_FN_ xt_once_ *xt_once_at_(xt_ctx *x, xt_once_kind_ kind, const void *key, size_t size)
{
    xt_once_ row = XT_ZERO_, *found;
    row.kind = kind;
    memcpy(row.key, key, size);
    for (int i = 0; i < x->once.count; i++) {
        found = (xt_once_ *)x->once.items + i;
        if (found->kind == kind && memcmp(found->key, row.key, sizeof row.key) == 0) return found;
    }
    found = (xt_once_ *)spe_list_add(&x->m, &x->once, sizeof *found);
    if (found) *found = row;
    return found;
}

/* A subgroup's position: ((id / across or id % layout) % count) * data. */
XE_FN_ spe_id xt_place_id_(xt_ctx *x, const xt_dist *d, int dim)
{
    const int across = d->layout[1], layout = d->layout[dim], count = d->count[dim], data = d->data[dim];
    const int key[] = {dim, across, layout, count, data};
    spe_module *m = &x->m;
    if (!xt_has_place_(d, dim)) return spe_i32(m, 0);
    xt_once_ *row = xt_once_at_(x, XT_ONCE_PLACE_, key, sizeof key);
    if (!row || row->id) return row ? row->id : 0;
    spe_prologue_begin(m);
    row->id = spe_builtin(m, SPE_SUBGROUP_ID, 0);
    if (dim == 0 && across > 1) row->id = spe_udiv(m, row->id, spe_u32(m, (uint32_t)across));
    if (dim == 1 && d->layout[0] > 1) row->id = spe_umod(m, row->id, spe_u32(m, (uint32_t)layout));
    if (count < layout) row->id = spe_umod(m, row->id, spe_u32(m, (uint32_t)count));
    if (data > 1) row->id = spe_imul(m, row->id, spe_u32(m, (uint32_t)data));
    spe_prologue_end(m);
    return row->id;
}

XE_FN_ void xt_write_place_(xt_ctx *x, const xt_node_ *n)
{
    const xt_dist *d = n->dist;
    xt_define_(x, n->result, xt_scalar_(CM_I32, xt_place_id_(x, d, n->kind), xt_align_of_(d->data[n->kind])));
}

/* ---- making vectors ---------------------------------------------------------------------------------------------- */

XE_FN_ xt_vec xt_no_vec_(void)
{
    xt_vec v = XT_ZERO_;
    v.magic = XT_VEC_MAGIC_;
    return v;
}

/* The vector of a tile's elements. */
XE_FN_ xt_vec xt_form_(const xt_tile *t)
{
    xt_vec v = xt_no_vec_();
    v.type = t->type;
    v.dist = t->dist;
    v.map = t->map;
    memcpy(v.inner, t->inner, sizeof v.inner);
    return v;
}

/* A new vector with another's shape, map and inner blocks, to be defined by the next node. */
XE_FN_ xt_vec xt_new_vec_(xt_ctx *x, cm_type type, const xt_vec *like)
{
    xt_vec v = *like;
    v.type = type;
    v.use = CM_A;
    v.blocks = 0;
    v.block = NULL;
    v.id = xt_new_value_(x);
    if (v.id) xt_define_vec_(x, v.id, v);
    xt_spread_like_(x, v.id, like);
    return v;
}

/* A node's vector, in its chosen layout, with blocks allocated. */
XE_FN_ xt_vec xt_make_vec_(xt_ctx *x, const xt_node_ *n)
{
    xt_vec v = xt_value_at_(x, n->result)->now.vec;
    xt_grid_ g;
    v.use = xt_layout_(x, n->result);
    xt_grid_init_(x, &g, &v.dist);
    v.block = (cm_matrix *)xt_memory_(x, (size_t)g.blocks * sizeof *v.block);
    v.blocks = v.block ? g.blocks : 0;
    return v;
}

/* A vector of a given shape and map; empty after an error. */
XE_FN_ xt_vec xt_mapped_vec_(xt_where_ w, cm_type type, int rows, int cols, const xt_map *map)
{
    xt_vec form = xt_no_vec_();
    form.map = *map;
    return xt_distribute_(w, &form.dist, rows, cols, map) ? xt_new_vec_(w.x, type, &form) : form;
}

/* Converts a vector to the layout of a use, if necessary. */
XE_FN_ xt_vec xt_as_use_(xt_ctx *x, const xt_vec *v, cm_use use)
{
    xt_vec r = *v;
    if (v->use == use || !v->blocks) return r;
    r.use = use;
    r.block = (cm_matrix *)xt_memory_(x, (size_t)v->blocks * sizeof *r.block);
    if (!r.block) return *v;
    for (int i = 0; i < v->blocks; i++) r.block[i] = cm_convert_use(&x->cm, &v->block[i], use);
    return r;
}

/* A recorded vector in this version, in a given layout. */
XE_FN_ xt_vec xt_now_as_(xt_ctx *x, const xt_vec *v, cm_use use)
{
    xt_vec now = xt_now_vec_(x, v);
    return xt_as_use_(x, &now, use);
}

/* Results are computed in the accumulator's layout, then converted to the planned one. */
XE_FN_ xt_vec xt_settle_(xt_ctx *x, xt_vec r)
{
    cm_use use = r.use;
    r.use = CM_ACC;
    return xt_as_use_(x, &r, use);
}

/* ---- comparing operands ------------------------------------------------------------------------------------------ */

XE_FN_ bool xt_check_vec_(xt_where_ w, const xt_vec *v, const char *what)
{
    if (v->magic != XT_VEC_MAGIC_) return xt_fail_(w, XT_ERROR_UNSET, "%s", what);
    /* id 0: of a failed operation */
    if (!v->id || !xt_check_scope_(w, xt_value_at_(w.x, v->id)->scope, what)) return false;
    if (!w.x->again) xt_value_at_(w.x, v->id)->uses++;
    return true;
}

XE_FN_ bool xt_map_agrees_(xt_where_ w, int error, const char *what, const xt_map *has, const xt_map *wanted)
{
    return xt_same_map_(has, wanted) ||
           xt_fail_(w, error, "%s has %s, wanted %s", what, xt_map_text_(has).s, xt_map_text_(wanted).s);
}

XE_FN_ bool xt_check_same_(xt_where_ w, const xt_same_errors_ *e, const char *first, const xt_vec *a,
                           const char *second, const xt_vec *b)
{
    const int *p = a->dist.shape, *q = b->dist.shape, *s = a->inner, *t = b->inner;
    if (p[0] != q[0] || p[1] != q[1])
        return xt_fail_(w, e->shape, "%s of %d x %d, %s of %d x %d", first, p[0], p[1], second, q[0], q[1]);
    if (e->blocks && (s[0] != t[0] || s[1] != t[1]))
        return xt_fail_(w, e->blocks, "%s of inner_blocks {%d, %d}, %s of {%d, %d}", first, s[0], s[1], second, t[0],
                        t[1]);
    if (e->type && a->type != b->type)
        return xt_fail_(w, e->type, "%s of %s, %s of %s", first, xt_type_name_(a->type), second,
                        xt_type_name_(b->type));
    return xt_same_map_(&a->map, &b->map) || xt_fail_(w, e->map, "%s of %s, %s of %s", first,
                                                      xt_map_text_(&a->map).s, second, xt_map_text_(&b->map).s);
}

/* Checks the operand of an operation on whole vectors. source: the map that .source states, or NULL. */
XE_FN_ bool xt_check_operand_(xt_where_ w, const char *of, const xt_vec *v, const xt_map *source)
{
    char text[48];
    snprintf(text, sizeof text, "the vector of %s", of);
    return xt_enter_(w) && xt_check_vec_(w, v, text) &&
           (!source || !xt_has_map_(source) || xt_map_agrees_(w, XT_ERROR_SOURCE_MAP, text, &v->map, source));
}

/* A dimension as written by users: 0, 1, or for blocked vectors XT_DIMS(0, 2), XT_DIMS(1, 3). -1 after an error. */
XE_FN_ int xt_dimension_(xt_where_ w, const char *what, int dim, const xt_vec *v)
{
    int pair = dim >= XT_DIMS_PAIR_ ? dim - XT_DIMS_PAIR_ : -1, blocked = v->inner[0] > 0;
    if (!blocked && (dim == 0 || dim == 1)) return dim;
    if (blocked && (pair == 0 * 4 + 2 || pair == 1 * 4 + 3)) return pair / 4;
    if (pair >= 0)
        xt_fail_(w, XT_ERROR_VEC_DIM, "%s along dimensions %d and %d of a %s vector", what, pair / 4, pair % 4,
                 blocked ? "4-D" : "2-D");
    else
        xt_fail_(w, XT_ERROR_VEC_DIM, "%s along dimension %d of a %s vector%s", what, dim, blocked ? "4-D" : "2-D",
                 blocked ? ": XT_DIMS(1, 3) or XT_DIMS(0, 2)" : "");
    return -1;
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

static xt_vec xt_fill_(xt_where_ w, xt_vec v, const xt_val *number, uint32_t like)
{
    xt_splat_of_ of = {*number, like};
    int type = (int)xt_held_(v.type), arith = xt_number_type_(type);
    bool is_rounded = number->kind == SPE_SCALAR && number->type == arith;
    if (xt_check_type_(w, number, is_rounded ? arith : type, "the element") &&
        xt_check_uniform_(w, number, "the element"))
        xt_record_(w, XT_OP_SPLAT_, 0, v.id, &of, sizeof of);
    xt_spread_at_least_(w.x, v.id, xt_spread_of_(w.x, number));
    return v;
}

xt_vec xt_splat_(xt_where_ w, int type, xt_val number, xt_vec_desc_ d)
{
    if (!xt_enter_(w)) return xt_no_vec_();
    xt_vec v = xt_mapped_vec_(w, (cm_type)type, d.rows, d.cols, &d.map);
    return v.id ? xt_fill_(w, v, &number, 0) : v;
}

/* Makes a vector like `like` from a number; a vector stays as it is. */
XE_FN_ xt_vec xt_like_(xt_where_ w, const xt_any_ *a, const xt_vec *like)
{
    return a->is_vec ? a->vec : xt_fill_(w, xt_new_vec_(w.x, like->type, like), &a->val, like->id);
}

XE_FN_ void xt_write_splat_(xt_ctx *x, const xt_node_ *n)
{
    xt_vec v = xt_make_vec_(x, n);
    cm_type held = xt_held_(v.type);
    const xt_val *number = &n->splat->number;
    spe_id scalar = xt_now_id_(x, number, (int)held);
    if (number->kind == SPE_SCALAR && number->type != (int)held) scalar = cm_from_arith(&x->cm, held, scalar);
    for (xt_block_ b = xt_blocks_(x, &v.dist); v.blocks && xt_next_block_(&b);)
        v.block[b.i] = cm_splat(&x->cm, b.cols, b.rows, held, v.use, scalar);
    xt_define_vec_(x, n->result, v);
}

/* An i32 converted to a type's storage type. */
static spe_id xt_from_i32_(xt_ctx *x, int type, spe_id v)
{
    spe_id f32 = spe_float(&x->m, 32);
    if (type == CM_BF16) return cm_f32_to_bf16(&x->cm, spe_s_to_f(&x->m, f32, v));
    if (xt_is_float_(type)) return spe_s_to_f(&x->m, xt_spe_type_(x, type), v);
    return xt_bits_(type) == 32 ? v : spe_sconvert(&x->m, xt_spe_type_(x, type), v);
}

static cm_matrix xt_iota_block_(xt_ctx *x, int type, const xt_block_ *b, int dim, spe_id place)
{
    cm_layout l = cm_layout_for(&x->cm, b->cols, b->rows, (cm_type)type, CM_ACC);
    spe_id *v = (spe_id *)xt_memory_(x, (size_t)l.size_v * sizeof *v);
    int first = dim ? b->col : b->row;
    for (int i = 0; v && i < l.size_v; i++) {
        spe_id at = dim ? cm_row_index(&x->cm, &l, i) : cm_col_index(&x->cm, &l, i);
        at = spe_iadd(&x->m, at, spe_iadd(&x->m, place, spe_i32(&x->m, first)));
        v[i] = xt_from_i32_(x, type, at);
    }
    return v && spe_ok(&x->m) ? cm_from_components(&x->cm, &l, v) : cm_poison();
}

static bool xt_check_iota_(xt_where_ w, int type, int dim)
{
    if (dim != 0 && dim != 1) return xt_fail_(w, XT_ERROR_VEC_DIM, "XT_IOTA along dimension %d", dim);
    return (type != XT_BOOL_ && !xt_is_f8_(type)) ||
           xt_fail_(w, XT_ERROR_VEC_TYPE, "XT_IOTA of %s", xt_type_name_(type));
}

xt_vec xt_iota_(xt_where_ w, int type, int dim, xt_vec_desc_ d)
{
    if (!xt_enter_(w) || !xt_check_iota_(w, type, dim)) return xt_no_vec_();
    xt_vec r = xt_mapped_vec_(w, (cm_type)type, d.rows, d.cols, &d.map);
    xt_record_(w, XT_OP_IOTA_, dim, r.id, NULL, 0);
    return r;
}

XE_FN_ void xt_write_iota_(xt_ctx *x, const xt_node_ *n)
{
    xt_vec r = xt_make_vec_(x, n);
    spe_id at = xt_place_id_(x, &r.dist, n->kind);
    for (xt_block_ b = xt_blocks_(x, &r.dist); r.blocks && xt_next_block_(&b);)
        r.block[b.i] = xt_iota_block_(x, (int)r.type, &b, n->kind, at);
    xt_define_vec_(x, n->result, xt_settle_(x, r));
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

typedef struct {
    xt_val *numbers;
    spe_id *array; /* set by the first version of the body, used by all */
} xt_table_of_;

/* values: C numbers of type `of`. */
xt_vec xt_table_(xt_where_ w, int type, int of, const void *values, xt_vec_desc_ d)
{
    xt_table_of_ t;
    int n = d.rows * d.cols;
    char what[48];
    if (!xt_enter_(w)) return xt_no_vec_();
    xt_vec r = xt_mapped_vec_(w, (cm_type)type, d.rows, d.cols, &d.map);
    if (!r.id) return r;
    t.numbers = (xt_val *)xt_memory_(w.x, (size_t)n * sizeof *t.numbers);
    t.array = (spe_id *)xt_memory_(w.x, sizeof *t.array);
    for (int i = 0; t.numbers && t.array && i < n; i++) {
        if (of == CM_F64 || of == CM_F32) {
            double v = of == CM_F64 ? ((const double *)values)[i] : spe_real_of_f32(((const float *)values)[i]);
            int64_t whole;
            t.numbers[i] = spe_real_to_int(v, &whole) && xt_is_int_(type) ? spe_val_int(whole) : spe_val_real(v);
        } else
            t.numbers[i] = spe_val_int(of == CM_I64   ? ((const long long *)values)[i]
                                       : of == CM_U32 ? (long long)((const unsigned *)values)[i]
                                                      : (long long)((const int *)values)[i]);
        snprintf(what, sizeof what, "element (%d, %d) of XT_TABLE", i / d.cols, i % d.cols);
        if (!xt_check_number_(w, &t.numbers[i], type, what)) return xt_no_vec_();
    }
    if (t.numbers && t.array) xt_record_(w, XT_OP_TABLE_, 0, r.id, &t, sizeof t);
    return r;
}

/* Puts the numbers in a constant array of the module. */
static spe_id xt_emit_table_(xt_ctx *x, cm_type held, const xt_val *numbers, int n)
{
    spe_id *ids = (spe_id *)xt_memory_(x, (size_t)n * sizeof *ids);
    for (int i = 0; ids && i < n; i++) ids[i] = xt_constant_(x, (int)held, &numbers[i]);
    if (!ids) return 0;
    spe_id array = spe_array(&x->m, xt_spe_type_(x, (int)held), (uint32_t)n);
    return spe_global_var(&x->m, SPE_StorageClassUniformConstant, array,
                          spe_composite_const(&x->m, array, (uint32_t)n, ids));
}

static cm_matrix xt_table_block_(xt_ctx *x, const xt_vec *r, const xt_block_ *b, spe_id array)
{
    spe_module *m = &x->m;
    cm_type held = xt_held_(r->type);
    cm_layout l = cm_layout_for(&x->cm, b->cols, b->rows, held, CM_ACC);
    spe_id *v = (spe_id *)xt_memory_(x, (size_t)l.size_v * sizeof *v), place[2], at[2];
    int first[2] = {b->row, b->col};
    for (int j = 0; j < 2; j++) {
        spe_id from = spe_i32(m, first[j]);
        place[j] = spe_iadd(m, xt_place_id_(x, &r->dist, j), from);
    }
    spe_id last = spe_i32(m, r->dist.shape[0] * r->dist.shape[1] - 1);
    for (int i = 0; v && i < l.size_v; i++) {
        at[0] = spe_iadd(m, cm_col_index(&x->cm, &l, i), place[0]);
        at[1] = spe_iadd(m, cm_row_index(&x->cm, &l, i), place[1]);
        at[0] = spe_iadd(m, spe_imul(m, at[0], spe_i32(m, r->dist.shape[1])), at[1]);
        if (l.size_i < l.lanes || b->valid < b->cols) at[0] = spe_math2(m, SPE_SMIN, at[0], last); /* padding */
        v[i] = spe_load(m, spe_element(m, array, 1, at), (uint32_t)xt_bytes_(r->type));
    }
    return v && spe_ok(m) ? cm_from_components(&x->cm, &l, v) : cm_poison();
}

XE_FN_ void xt_write_table_(xt_ctx *x, const xt_node_ *n)
{
    const xt_table_of_ *t = (const xt_table_of_ *)n->desc;
    xt_vec r = xt_make_vec_(x, n);
    if (!*t->array) *t->array = xt_emit_table_(x, xt_held_(r.type), t->numbers, r.dist.shape[0] * r.dist.shape[1]);
    for (xt_block_ b = xt_blocks_(x, &r.dist); r.blocks && xt_next_block_(&b);)
        r.block[b.i] = xt_table_block_(x, &r, &b, *t->array);
    xt_define_vec_(x, n->result, xt_settle_(x, r));
}
