/* front/top.c - records XT_TOP: made of XT_ARGMAX, one after the other, each without what the others found. */
#include "../internal.h"

/* `count` columns: in column i what `one`, a column, has; elsewhere what `all` has; all.id 0: nothing yet. */
static xt_vec xt_with_column_(xt_where_ w, xt_vec all, xt_vec one, int count, int i)
{
    xt_map map = one.map;
    map.sg_data[1] = xt_has_map_(&map) ? count : 0;
    one = xt_repeat_(w, &one, 1, count, 0, &map);
    if (i == 0 || !one.id) return one;
    xt_vec here = xt_positions_(w, CM_I32, 1, &one);
    here = xt_binary_pair_(w, SPE_ARITH_EQ, xt_any_vec_(here), xt_any_int_(i));
    const xt_any_ sides[3] = {xt_any_vec_(here), xt_any_vec_(one), xt_any_vec_(all)};
    return xt_select_vec_(w, sides);
}

xt_vec xt_top_(xt_where_ w, xt_top_desc_ d)
{
    xt_vec left = d.vec, found = xt_no_vec_(), values = xt_no_vec_(), best;
    xt_arg_desc_ next = XT_ZERO_;
    if (!xt_check_operand_(w, "XT_TOP", &d.vec, NULL)) return xt_no_vec_();
    if (!xt_is_float_((int)d.vec.type))
        return XT_FAIL_VEC_(w, XT_ERROR_VEC_TYPE, "XT_TOP of %s, wanted floats", xt_type_name_((int)d.vec.type));
    if (d.count < 1 || d.count > d.vec.dist.shape[1])
        return XT_FAIL_VEC_(w, XT_ERROR_VEC_SHAPE, "XT_TOP: %d of %d columns", d.count, d.vec.dist.shape[1]);
    xt_any_ nan = xt_any_real_(spe_real_of_bits(SPE_IEEE, 16, 0x7e00)); /* which XT_ARGMAX ignores */
    next.dim = 1;
    next.value = &best;
    xt_vec columns = xt_positions_(w, CM_I32, 1, &d.vec);
    for (int i = 0; i < d.count; i++) {
        next.vec = left;
        xt_vec at = xt_arg_(w, true, next);
        if (!at.id) return at;
        found = xt_with_column_(w, found, at, d.count, i);
        values = xt_with_column_(w, values, best, d.count, i);
        xt_vec taken = xt_binary_pair_(w, SPE_ARITH_EQ, xt_any_vec_(columns), xt_any_vec_(at));
        const xt_any_ sides[3] = {xt_any_vec_(taken), nan, xt_any_vec_(left)};
        left = xt_select_vec_(w, sides);
    }
    if (d.value) *d.value = values;
    return found;
}
