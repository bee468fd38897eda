/* front/element.c - records single numbers: load, store, elements of vectors; any and all of a mask; random numbers. */
#include "../internal.h"

static bool xt_check_element_(xt_where_ w, const xt_val *base, const xt_val *index, const char *what)
{
    if (xt_is_lost_(base) || xt_is_lost_(index)) return false;
    if (base->magic != SPE_VAL_MAGIC || base->kind != SPE_POINTER)
        return xt_fail_(w, XT_ERROR_POINTER, "the base of %s is %s", what, xt_describe_(base).s);
    return xt_check_value_(w, base, "the base") &&
           ((index->kind == SPE_SCALAR && xt_is_int_(index->type) && xt_bits_(index->type) == 64) ||
            xt_check_index_(w, index, "the index"));
}

/* given: the base and the index. */
xt_val xt_load_(xt_where_ w, const xt_val *given)
{
    xt_ids_ n = XT_ZERO_;
    if (!xt_enter_(w) || !xt_check_element_(w, &given[0], &given[1], "XT_LOAD")) return xt_nothing_();
    n.type = xt_number_type_(given[0].type);
    for (int i = 0; i < 2; i++) xt_take_(w.x, &n, &given[i]);
    return xt_record_number_(w, XT_AS_(LOAD), 0, n.type, 1, &n);
}

/* given: the number, the base and the index, or the base first, which tells itself by being a pointer. */
void xt_store_(xt_where_ w, const xt_val *given)
{
    int base = given[0].magic == SPE_VAL_MAGIC && given[0].kind == SPE_POINTER ? 0 : 1;
    xt_val v[3] = {given[base], given[base + 1], given[base ? 0 : 2]};
    xt_ids_ n = XT_ZERO_;
    if (!xt_enter_(w) || !xt_check_element_(w, &v[0], &v[1], "XT_STORE")) return;
    n.type = xt_number_type_(v[0].type);
    if (v[0].type == CM_BF16) v[2] = xt_unrounded_(w, v[2]);
    if (!xt_check_type_(w, &v[2], n.type, "the number of XT_STORE")) return;
    for (int i = 0; i < 3; i++) xt_take_(w.x, &n, &v[i]);
    xt_record_(w, XT_AS_(STORE), 0, 0, &n, NULL, 0);
}

/* Broadcasts the element to all subgroups first, then to all their lanes. */
xt_val xt_element_(xt_where_ w, xt_vec v, int row, int col)
{
    xt_ids_ d = XT_ZERO_;
    xt_slice_desc_ s = {v, row, col, 1, 1, v.map};
    if (xt_has_map_(&s.map)) s.map.sg_data[0] = s.map.sg_data[1] = 1;
    const xt_vec one = xt_slice_(w, s);
    if (!one.id) return xt_nothing_();
    xt_take_(w.x, &d, &one);
    return xt_record_number_(w, XT_AS_(ELEMENT), 0, xt_number_type_((int)v.type), 1, &d);
}

xt_val xt_all_(xt_where_ w, xt_vec v, bool all)
{
    const xt_cast_desc_ as_usual = {true};
    if (!xt_enter_(w) || !xt_check_vec_(w, &v, all ? "the mask of XT_ALL" : "the mask of XT_ANY")) return xt_nothing_();
    if ((int)v.type != XT_BOOL_)
        return XT_FAIL_NUMBER_(w, XT_ERROR_CONDITION, "%s of a vector of %s", all ? "XT_ALL" : "XT_ANY",
                               xt_type_name_((int)v.type));
    v.inner[0] = v.inner[1] = 0;
    v = xt_cast_vec_(w, CM_I32, xt_any_vec_(v), as_usual);
    for (int dim = 0; dim < 2; dim++) v = xt_reduced_(w, all ? XT_RED_and_ : XT_RED_or_, &v, dim, 0);
    return v.id ? xt_binary_number_(w, SPE_ARITH_NE, xt_element_(w, v, 0, 0), spe_val_int(0)) : xt_nothing_();
}

/* ---- random numbers: Philox2x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3) ----- */

/* given: the seed and the index. */
xt_val xt_random_scalar_(xt_where_ w, const xt_any_ *given)
{
    xt_val v[2];
    if (!xt_enter_(w) || !xt_check_index_(w, &given[0].val, "the seed of XT_RANDOM") ||
        !xt_check_index_(w, &given[1].val, "the index of XT_RANDOM"))
        return xt_nothing_();
    for (int i = 0; i < 2; i++) v[i] = xt_cast_number_(w, CM_U32, &given[i].val);
    return xt_emit_(w, CM_U32, xt_random_id_, NULL, xt_at_(2, v));
}

static xt_any_ xt_as_u32_(xt_where_ w, const xt_any_ *v)
{
    return v->is_vec ? xt_any_vec_(xt_bitcast_vec_(w, CM_U32, *v)) : xt_any_val_(xt_cast_number_(w, CM_U32, &v->val));
}

xt_vec xt_random_vec_(xt_where_ w, const xt_any_ *given)
{
    const xt_vec *like = given[0].is_vec ? &given[0].vec : &given[1].vec;
    xt_vec v[3];
    memset(v, 0, sizeof v);
    if (!xt_enter_(w) || !xt_check_vec_(w, like, "an operand of XT_RANDOM")) return xt_no_vec_();
    xt_any_ seed = xt_as_u32_(w, &given[0]);
    xt_any_ index = xt_as_u32_(w, &given[1]);
    like = seed.is_vec ? &seed.vec : &index.vec;
    if (!like->id) return xt_no_vec_();
    v[0] = xt_like_(w, &seed, like);
    v[1] = xt_like_(w, &index, like);
    return xt_emit_vec_(w, CM_U32, xt_random_block_, NULL, v);
}
