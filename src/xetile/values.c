/* values.c - values. */
#include "internal.h"

/* What is noted of v; its root is at least itself. */
XE_FN_ xt_note_ xt_note_of_(const xt_ctx *x, const xt_val *v)
{
    xt_note_ none = {0, v->id, 0, 0, 0};
    return v->note ? ((const xt_note_ *)x->notes.items)[v->note] : none;
}

XE_FN_ void xt_set_note_(xt_ctx *x, xt_val *v, xt_note_ note)
{
    xt_note_ *n;
    if (x->notes.count == 0 && !xt_push_(x, &x->notes, sizeof *n)) return; /* number 0 means none */
    n = (xt_note_ *)xt_push_(x, &x->notes, sizeof *n);
    if (!n) return;
    *n = note;
    v->note = x->notes.count - 1;
}

xt_any_ xt_any_val_(xt_val v)
{
    xt_any_ a;
    memset(&a, 0, sizeof a);
    a.val = v;
    return a;
}

xt_any_ xt_any_vec_(xt_vec v)
{
    xt_any_ a;
    memset(&a, 0, sizeof a);
    a.is_vec = true;
    a.vec = v;
    return a;
}

xt_any_ xt_any_int_(long long i) { return xt_any_val_(spe_val_int(i)); }
xt_any_ xt_any_uint_(unsigned long long u) { return xt_any_val_(spe_val_uint(u)); }
xt_any_ xt_any_real_(double d) { return xt_any_val_(spe_val_real(d)); }

xt_index xt_at_(int n, xt_val a, xt_val b, xt_val c, xt_val d)
{
    xt_index x = {n, {a, b, c, d}};
    return x;
}
