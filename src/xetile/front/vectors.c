/* front/vectors.c - records vectors: distribution, comparison of operands, constants. */
#include "../internal.h"

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

/* The offset of this subgroup's first piece in a dimension. */
XE_FN_ xt_val xt_record_piece_offset_(xt_where_ w, const xt_dist *d, int dim)
{
    if (!xt_has_piece_offset_(d, dim)) return spe_val_int(0);
    xt_val v = spe_val_of(SPE_SCALAR, CM_I32, xt_new_value_(w.x));
    v.align = xt_align_of_(d->data[dim]);
    xt_value_at_(w.x, v.id)->divergence = 1;
    xt_record_(w, XT_AS_(PIECE_OFFSET), dim, v.id, NULL, d, sizeof *d);
    return v;
}

/* The same vector with inner blocks, before it is recorded. */
XE_FN_ xt_vec xt_blocked_(xt_ctx *x, xt_vec v, int rows, int cols)
{
    v.inner[0] = rows;
    v.inner[1] = cols;
    if (v.id) xt_redefine_(x, &v);
    return v;
}

/* A vector of a given shape and map; empty after an error. */
XE_FN_ xt_vec xt_mapped_vec_(xt_where_ w, cm_type type, int rows, int cols, const xt_map *map)
{
    xt_vec form = xt_no_vec_();
    form.map = *map;
    return xt_distribute_(w, &form.dist, rows, cols, map) ? xt_new_vec_(w.x, type, &form) : form;
}

XE_FN_ bool xt_check_vec_(xt_where_ w, const xt_vec *v, const char *what)
{
    if (v->magic != XT_VEC_MAGIC_) return xt_fail_(w, XT_ERROR_UNSET, "%s", what);
    /* id 0: of a failed operation */
    return v->id && xt_check_scope_(w, xt_value_at_(w.x, v->id)->scope, what);
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

/* A vector of one number; like: one whose layout it shares, or NULL. */
static xt_vec xt_fill_(xt_where_ w, xt_vec v, const xt_val *number, const xt_vec *like)
{
    xt_ids_ of = XT_ZERO_;
    int type = (int)xt_storage_type_(v.type), arith = xt_number_type_(type);
    bool is_rounded = number->kind == SPE_SCALAR && number->type == arith;
    if (xt_check_type_(w, number, is_rounded ? arith : type, "the element") &&
        xt_check_uniform_(w, number, "the element")) {
        xt_take_(w.x, &of, number);
        if (like) xt_take_(w.x, &of, like);
        xt_record_(w, XT_AS_(SPLAT), 0, v.id, &of, NULL, 0);
    }
    xt_diverges_at_least_(w.x, v.id, xt_divergence_of_(w.x, number));
    return v;
}

xt_vec xt_splat_(xt_where_ w, int type, xt_val number, xt_vec_desc_ d)
{
    if (!xt_enter_(w)) return xt_no_vec_();
    xt_vec v = xt_mapped_vec_(w, (cm_type)type, d.rows, d.cols, &d.map);
    return v.id ? xt_fill_(w, v, &number, NULL) : v;
}

/* Makes a vector like `like` from a number; a vector stays as it is. */
XE_FN_ xt_vec xt_like_(xt_where_ w, const xt_any_ *a, const xt_vec *like)
{
    return a->is_vec ? a->vec : xt_fill_(w, xt_new_vec_(w.x, like->type, like), &a->val, like);
}

xt_vec xt_iota_(xt_where_ w, int type, int dim, xt_vec_desc_ d)
{
    if (!xt_enter_(w)) return xt_no_vec_();
    if (dim != 0 && dim != 1) return XT_FAIL_VEC_(w, XT_ERROR_VEC_DIM, "XT_IOTA along dimension %d", dim);
    if (type == XT_BOOL_ || xt_is_small_(type))
        return XT_FAIL_VEC_(w, XT_ERROR_VEC_TYPE, "XT_IOTA of %s", xt_type_name_(type));
    xt_vec r = xt_mapped_vec_(w, (cm_type)type, d.rows, d.cols, &d.map);
    xt_record_(w, XT_AS_(IOTA), dim, r.id, NULL, NULL, 0);
    return r;
}

/* For operations made of others: the positions along dim of a vector's elements. */
XE_FN_ xt_vec xt_positions_(xt_where_ w, int type, int dim, const xt_vec *of)
{
    const xt_vec_desc_ form = {of->dist.shape[0], of->dist.shape[1], of->map, 0};
    return xt_iota_(w, type, dim, form);
}

/* A C number of type `of` for an element of another type. */
XE_ONCE_
static xt_val xt_table_number_(int type, int of, const void *values, int i)
{
    int64_t whole;
    if (of == CM_F64 || of == CM_F32) {
        double v = of == CM_F64 ? ((const double *)values)[i] : spe_real_of_f32(((const float *)values)[i]);
        return spe_real_to_int(v, &whole) && xt_is_int_(type) ? spe_val_int(whole) : spe_val_real(v);
    }
    return spe_val_int(of == CM_I64   ? ((const long long *)values)[i]
                       : of == CM_U32 ? (long long)((const unsigned *)values)[i]
                                      : (long long)((const int *)values)[i]);
}

/* values: C numbers of type `of`. */
xt_vec xt_table_(xt_where_ w, int type, int of, const void *values, xt_vec_desc_ d)
{
    xt_table_of_ t = XT_ZERO_;
    int n = d.rows * d.cols;
    char what[48];
    if (!xt_enter_(w)) return xt_no_vec_();
    xt_vec r = xt_mapped_vec_(w, (cm_type)type, d.rows, d.cols, &d.map);
    if (!r.id) return r;
    double *reals = (double *)xt_memory_(w.x, (size_t)n * sizeof *reals);
    int64_t *integers = (int64_t *)xt_memory_(w.x, (size_t)n * sizeof *integers);
    t.array = (spe_id *)xt_memory_(w.x, sizeof *t.array);
    if (!reals || !integers || !t.array) return r;
    for (int i = 0; i < n; i++) {
        xt_val number = xt_table_number_(type, of, values, i);
        snprintf(what, sizeof what, "element (%d, %d) of XT_TABLE", i / d.cols, i % d.cols);
        if (!xt_check_number_(w, &number, type, what)) return xt_no_vec_();
        reals[i] = number.real;
        integers[i] = number.integer;
    }
    if (xt_is_float_(type)) t.reals = reals;
    else t.integers = integers;
    xt_record_(w, XT_AS_(TABLE), 0, r.id, NULL, &t, sizeof t);
    return r;
}
