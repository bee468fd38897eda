/* front/user_operations.c - records users' own operations, written with the lower headers. */
#include "../internal.h"

xt_val xt_emit_(xt_where_ w, int type, xt_emit_fn fn, void *user, xt_index operands)
{
    const xt_users_fn_ users = {fn, NULL, user};
    xt_ids_ d = XT_ZERO_;
    if (!xt_enter_(w)) return xt_nothing_();
    if (operands.count > 8)
        return XT_FAIL_NUMBER_(w, XT_ERROR_SCALAR_TYPE, "XT_EMIT of %d numbers, at most 8", operands.count);
    for (int i = 0; i < operands.count; i++)
        if (!xt_check_value_(w, &operands.at[i], "an operand of XT_EMIT"))
            return xt_nothing_();
        else if (!spe_val_is_set(&operands.at[i]))
            return XT_FAIL_NUMBER_(w, XT_ERROR_UNSET, "an operand of XT_EMIT");
    xt_val v = spe_val_of(SPE_SCALAR, type, xt_new_value_(w.x));
    d.type = type;
    for (int i = 0; i < operands.count; i++) {
        xt_take_(w.x, &d, &operands.at[i]);
        xt_diverges_at_least_(w.x, v.id, xt_divergence_of_(w.x, &operands.at[i]));
    }
    xt_record_(w, XT_AS_(EMIT), 0, v.id, &d, &users, sizeof users);
    return v;
}

xt_vec xt_emit_vec_(xt_where_ w, int type, xt_emit_block_fn fn, void *user, const xt_vec operands[3])
{
    static const xt_same_errors_ errors = {XT_ERROR_VEC_SHAPE, 0, XT_ERROR_BLOCKED, XT_ERROR_MAP_DIFFERS};
    const xt_users_fn_ users = {NULL, fn, user};
    xt_ids_ d = XT_ZERO_;
    int n;
    if (!xt_enter_(w)) return xt_no_vec_();
    for (n = 0; n == 0 || (n < 3 && operands[n].magic); n++)
        if (!xt_check_vec_(w, &operands[n], "an operand of XT_EMIT_VEC") ||
            !xt_check_same_(w, &errors, "XT_EMIT_VEC", &operands[0], "the other", &operands[n]))
            return xt_no_vec_();
    for (int i = 0; i < n; i++) xt_take_(w.x, &d, &operands[i]);
    xt_vec v = xt_new_vec_(w.x, (cm_type)type, operands);
    while (n-- > 1) xt_diverges_like_(w.x, v.id, &operands[n]);
    xt_record_(w, XT_AS_(EMIT_VEC), 0, v.id, &d, &users, sizeof users);
    return v;
}
