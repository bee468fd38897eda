/* front/widths.c - records XT_BITCAST, also between elements of different sizes: neighbours in a row become one, or an
 * element becomes several. It is made of other operations, on unsigned integers. */
#include "../internal.h"

static int xt_unsigned_of_(int bits) { return bits == 8 ? CM_U8 : bits == 16 ? CM_U16 : bits == 32 ? CM_U32 : CM_U64; }

/* For each element of a vector, in its type: the position, in bits, among `count` neighbours along dim that make one
 * element, of `bits` bits each. */
static xt_vec xt_bit_positions_(xt_where_ w, const xt_vec *like, int dim, int count, int bits)
{
    xt_vec at = xt_positions_(w, (int)like->type, dim, like);
    at = xt_binary_pair_(w, SPE_ARITH_AND, xt_any_vec_(at), xt_any_int_(count - 1));
    return xt_binary_pair_(w, SPE_ARITH_MUL, xt_any_vec_(at), xt_any_int_(bits));
}

/* Makes one element of `count` neighbours along dim: each is shifted to its place, and they are or-ed. */
XE_FN_ xt_vec xt_join_neighbours_(xt_where_ w, const xt_vec *v, int dim, int type, int count)
{
    const xt_cast_desc_ as_usual = {true};
    xt_vec wide = xt_cast_vec_(w, type, xt_any_vec_(*v), as_usual);
    xt_vec places = xt_bit_positions_(w, &wide, dim, count, xt_bits_(type) / count);
    wide = xt_binary_pair_(w, SPE_ARITH_SHL, xt_any_vec_(wide), xt_any_vec_(places));
    return xt_reduced_(w, XT_RED_or_, &wide, dim, count);
}

/* Takes each element apart into `count` neighbours along dim: it is repeated, and each copy shifted to its part. */
XE_FN_ xt_vec xt_split_elements_(xt_where_ w, const xt_vec *v, int dim, int type, int count)
{
    const xt_cast_desc_ as_usual = {true};
    xt_map map = v->map;
    map.sg_data[dim] *= count;
    xt_vec all = xt_repeat_(w, v, dim, v->dist.shape[dim] * count, count, &map);
    if (!all.id) return all;
    xt_vec places = xt_bit_positions_(w, &all, dim, count, xt_bits_((int)v->type) / count);
    all = xt_binary_pair_(w, SPE_ARITH_SHR, xt_any_vec_(all), xt_any_vec_(places));
    return xt_cast_vec_(w, type, xt_any_vec_(all), as_usual);
}

/* Whole elements: in the vector, and in each subgroup's piece of it. */
static bool xt_check_widths_(xt_where_ w, const xt_vec *v, int type, int count)
{
    const char *from = xt_type_name_((int)v->type), *to = xt_type_name_(type);
    if (v->inner[0])
        return xt_fail_(w, XT_ERROR_BLOCKED, "XT_BITCAST from %s to %s of a 4-D vector: XT_TILE_UNPACK first", from,
                        to);
    if (v->dist.shape[1] % count)
        return xt_fail_(w, XT_ERROR_BITCAST, "from %s to %s, %d columns: not a multiple of %d", from, to,
                        v->dist.shape[1], count);
    return v->dist.data[1] % count == 0 ||
           xt_fail_(w, XT_ERROR_BITCAST, "from %s to %s, sg_data {%d, %d}: columns not a multiple of %d", from, to,
                    v->dist.data[0], v->dist.data[1], count);
}

xt_vec xt_bitcast_vec_(xt_where_ w, int type, xt_any_ a)
{
    static const int whole[2] = {0, 0};
    int from = (int)a.vec.type;
    const xt_move_ d = XT_ZERO_;
    if (!xt_enter_(w) || !xt_check_vec_(w, &a.vec, "the operand of XT_BITCAST")) return xt_no_vec_();
    if (type == XT_BOOL_ || from == XT_BOOL_)
        return XT_FAIL_VEC_(w, XT_ERROR_BITCAST, "from %s to %s", xt_type_name_(from), xt_type_name_(type));
    int has = xt_bits_(from), wanted = xt_bits_(type);
    if (has == wanted) return xt_reinterpret_(w, type, &a.vec);
    if (has < wanted && !xt_check_widths_(w, &a.vec, type, wanted / has)) return xt_no_vec_();
    if (has > wanted && !xt_check_widths_(w, &a.vec, type, 1)) return xt_no_vec_();
    w.x->part++;
    xt_vec r = xt_reinterpret_(w, xt_unsigned_of_(has), &a.vec);
    r = has < wanted ? xt_join_neighbours_(w, &r, 1, xt_unsigned_of_(wanted), wanted / has)
                     : xt_split_elements_(w, &r, 1, xt_unsigned_of_(wanted), has / wanted);
    if (r.id) r = xt_reinterpret_(w, type, &r);
    w.x->part--;
    return xt_rename_(w, XT_AS_(BITCAST_WIDTH), 0, &a.vec, &r, &d, whole);
}
