/* front/scan.c - records scans, XT_ARGMAX and XT_ARGMIN. */
#include "../internal.h"

/* For each element, the total of all pieces before its own: reduces pieces, scans the totals, and broadcasts them. */
static xt_vec xt_scan_carry_(xt_where_ w, int kind, const xt_vec *v, int dim)
{
    int size = v->dist.data[dim];
    xt_scan_desc_ scan = {xt_reduced_(w, kind, v, dim, size), dim, true};
    if (!scan.vec.id) return scan.vec;
    xt_map each = scan.vec.map, whole = each;
    whole.sg_data[dim] = scan.vec.dist.shape[dim];
    scan.vec = xt_convert_to_(w, &scan.vec, &whole, &each);
    xt_vec carry = xt_scan_vec_(w, kind, scan);
    if (!carry.id) return carry;
    carry = xt_convert_to_(w, &carry, &each, &carry.map);
    return xt_repeat_(w, &carry, dim, v->dist.shape[dim], size, &v->map);
}

xt_vec xt_scan_vec_(xt_where_ w, int kind, xt_scan_desc_ d)
{
    const xt_cast_desc_ as_usual = {true};
    xt_reduction_desc_ check = XT_ZERO_;
    xt_move_ of = XT_ZERO_;
    int type = (int)d.vec.type;
    xt_vec plain = d.vec, before = XT_ZERO_;
    xt_ids_ operands = XT_ZERO_;
    check.vec = d.vec;
    check.dim = d.dim;
    if (!xt_check_reduction_(w, "XT_SCAN", kind, &check)) return xt_no_vec_();
    if (d.vec.dist.data[check.dim] < d.vec.dist.shape[check.dim]) {
        if (xt_wide_type_(type) != (int)xt_storage_type_((cm_type)type)) { /* rounded once */
            d.vec = xt_cast_vec_(w, xt_wide_type_(type), xt_any_vec_(d.vec), as_usual);
            return xt_cast_vec_(w, type, xt_any_vec_(xt_scan_vec_(w, kind, d)), as_usual);
        }
        plain.inner[0] = plain.inner[1] = 0;
        before = xt_scan_carry_(w, kind, &plain, check.dim);
        if (!before.id) return xt_no_vec_();
    }
    xt_take_(w.x, &operands, &d.vec);
    xt_take_(w.x, &operands, &before);
    of.dim = check.dim;
    of.exclusive = d.exclusive;
    plain = xt_new_vec_(w.x, d.vec.type, &d.vec);
    xt_record_(w, XT_AS_(SCAN), kind, plain.id, &operands, &of, sizeof of);
    return plain;
}

/* Finds the extreme value, then the first element equal to it. If there is none, all are NaN: takes the last, which is
 * where the search for the least index begins. */
xt_vec xt_arg_(xt_where_ w, bool largest, xt_arg_desc_ d)
{
    int type = (int)d.vec.type, kind = largest ? XT_RED_maxnumf_ : XT_RED_minnumf_;
    xt_reduction_desc_ check = XT_ZERO_;
    if (type < XT_BOOL_ && xt_is_int_(type))
        kind =
            xt_is_signed_(type) ? (largest ? XT_RED_maxsi_ : XT_RED_minsi_) : (largest ? XT_RED_maxui_ : XT_RED_minui_);
    check.vec = d.vec;
    check.dim = d.dim;
    if (!xt_check_reduction_(w, largest ? "XT_ARGMAX" : "XT_ARGMIN", kind, &check)) return xt_no_vec_();
    if (d.vec.inner[0])
        return XT_FAIL_VEC_(w, XT_ERROR_BLOCKED, "%s of a 4-D vector: XT_TILE_UNPACK first",
                            largest ? "XT_ARGMAX" : "XT_ARGMIN");
    int size = d.vec.dist.shape[d.dim];
    xt_vec best = xt_reduced_(w, kind, &d.vec, d.dim, 0), back = xt_repeat_(w, &best, d.dim, size, 0, &d.vec.map);
    xt_any_ all[3] = {xt_any_vec_(d.vec), xt_any_vec_(xt_positions_(w, CM_I32, d.dim, &d.vec)), xt_any_int_(size - 1)};
    all[0] = xt_any_vec_(xt_binary_pair_(w, SPE_ARITH_EQ, all[0], xt_any_vec_(back)));
    xt_vec at = xt_select_vec_(w, all);
    at = xt_reduced_(w, XT_RED_minsi_, &at, d.dim, 0);
    if (xt_has_map_(&d.map) && at.id) at = xt_convert_to_(w, &at, &d.map, &at.map);
    if (xt_has_map_(&d.map) && best.id) best = xt_convert_to_(w, &best, &d.map, &best.map);
    if (d.value) *d.value = best;
    return at;
}
