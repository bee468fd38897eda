/* front/quantize.c - records the operations of OCP's Microscaling Formats that others make up: two e2m1 a byte, and
 * blocks of elements with a scale. */
#include "../internal.h"

static bool xt_check_pairs_(xt_where_ w, const char *what, const xt_vec *v, int dim, int count)
{
    if (!xt_check_operand_(w, what, v, NULL)) return false;
    if (dim != 0 && dim != 1) return xt_fail_(w, XT_ERROR_VEC_DIM, "%s along dimension %d", what, dim);
    if (v->inner[0]) return xt_fail_(w, XT_ERROR_BLOCKED, "%s of a 4-D vector: XT_TILE_UNPACK first", what);
    return v->dist.data[dim] % count == 0 ||
           xt_fail_(w, XT_ERROR_VEC_SHAPE, "%s along dimension %d, where a subgroup has %d: not a multiple of %d", what,
                    dim, v->dist.data[dim], count);
}

static bool xt_is_real_(cm_type type) { return type == CM_F32 || type == CM_F16 || type == CM_BF16; }

xt_vec xt_to_e2m1_(xt_where_ w, xt_vec v, int dim)
{
    if (!xt_check_pairs_(w, "XT_TO_E2M1", &v, dim, 2)) return xt_no_vec_();
    if (!xt_is_real_(v.type))
        return XT_FAIL_VEC_(w, XT_ERROR_VEC_TYPE, "XT_TO_E2M1 of %s", xt_type_name_((int)v.type));
    xt_vec half = xt_cast_each_(w, CM_E2M1, &v);
    half = xt_reinterpret_(w, CM_U8, &half);
    xt_vec both = xt_join_neighbours_(w, &half, dim, CM_U8, 2);
    return both.id ? xt_reinterpret_(w, CM_E2M1, &both) : both;
}

xt_vec xt_from_e2m1_(xt_where_ w, int type, xt_vec v, int dim)
{
    if (!xt_check_pairs_(w, "XT_FROM_E2M1", &v, dim, 1)) return xt_no_vec_();
    if (v.type != CM_E2M1 || !xt_is_real_((cm_type)type))
        return XT_FAIL_VEC_(w, XT_ERROR_VEC_TYPE, "XT_FROM_E2M1 from %s to %s", xt_type_name_((int)v.type),
                            xt_type_name_(type));
    xt_vec bytes = xt_reinterpret_(w, CM_U8, &v), halves = xt_split_elements_(w, &bytes, dim, CM_U8, 2);
    if (!halves.id) return halves;
    halves = xt_reinterpret_(w, CM_E2M1, &halves);
    return xt_cast_each_(w, type, &halves);
}

static xt_vec xt_by_int_(xt_where_ w, int op, const xt_vec *v, int number)
{
    return xt_binary_pair_(w, op, xt_any_vec_(*v), xt_any_int_(number));
}

/* e8m0 of the largest |x| of each block, as i32: its exponent less that of the type's largest number, at least 0; 255,
 * NaN, of infinity and NaN. */
static xt_vec xt_block_scales_(xt_where_ w, const xt_vec *v, int dim, int exponent)
{
    const xt_any_ operand = xt_any_vec_(*v);
    xt_vec most = xt_math_vec_(w, XT_MATH_ABS_, &operand);
    most = xt_reduced_(w, XT_RED_maximumf_, &most, dim, CM_SCALED);
    if (!most.id) return most;
    xt_vec bits = xt_reinterpret_(w, CM_I32, &most);
    xt_vec scale = xt_by_int_(w, SPE_ARITH_SHR, &bits, 23);
    scale = xt_by_int_(w, SPE_ARITH_SUB, &scale, exponent);
    scale = xt_by_int_(w, SPE_ARITH_MAX, &scale, 0);
    const xt_any_ sides[3] = {xt_any_vec_(xt_by_int_(w, SPE_ARITH_GE, &bits, 0x7f800000)), xt_any_int_(SPE_E8M0_NAN),
                              xt_any_vec_(scale)};
    return xt_select_vec_(w, sides);
}

/* x / 2^(scale - 127), by two factors, each a normal number. */
static xt_vec xt_unscaled_(xt_where_ w, xt_vec x, const xt_vec *scale, int dim)
{
    xt_vec inverse = xt_binary_pair_(w, SPE_ARITH_SUB, xt_any_int_(254), xt_any_vec_(*scale));
    for (int i = 0; i < 2; i++) {
        xt_vec part = xt_by_int_(w, SPE_ARITH_ADD, &inverse, i);
        part = xt_by_int_(w, SPE_ARITH_SHR, &part, 1);
        part = xt_by_int_(w, SPE_ARITH_ADD, &part, 64 - i);
        part = xt_by_int_(w, SPE_ARITH_SHL, &part, 23);
        part = xt_reinterpret_(w, CM_F32, &part);
        part = xt_repeat_(w, &part, dim, x.dist.shape[dim], CM_SCALED, &x.map);
        x = xt_binary_pair_(w, SPE_ARITH_MUL, xt_any_vec_(x), xt_any_vec_(part));
        if (!x.id) return x;
    }
    return x;
}

xt_vec xt_quantize_(xt_where_ w, int type, xt_quantize_desc_ d)
{
    const int exponent = type == CM_E4M3 ? 8 : type == CM_E5M2 ? 15 : 2; /* of the type's largest number */
    const xt_cast_desc_ saturating = {true};
    if (!xt_check_pairs_(w, "XT_QUANTIZE", &d.vec, d.dim, CM_SCALED)) return xt_no_vec_();
    if (!xt_is_real_(d.vec.type) || !(type == CM_E4M3 || type == CM_E5M2 || type == CM_E2M1))
        return XT_FAIL_VEC_(w, XT_ERROR_VEC_TYPE, "XT_QUANTIZE from %s to %s", xt_type_name_((int)d.vec.type),
                            xt_type_name_(type));
    xt_vec x = xt_cast_vec_(w, CM_F32, xt_any_vec_(d.vec), saturating);
    xt_vec scale = xt_block_scales_(w, &x, d.dim, exponent);
    if (!scale.id) return scale;
    xt_vec bytes = xt_cast_vec_(w, CM_U8, xt_any_vec_(scale), saturating);
    if (d.scales) *d.scales = xt_reinterpret_(w, CM_E8M0, &bytes);
    x = xt_unscaled_(w, x, &scale, d.dim);
    if (!x.id) return x;
    return type == CM_E2M1 ? xt_to_e2m1_(w, x, d.dim) : xt_cast_vec_(w, type, xt_any_vec_(x), saturating);
}
