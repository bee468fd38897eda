/* values.c - values. */
#include "internal.h"

xt_val xt_number_(xt_kind_ kind, int type, int64_t i, double real)
{
    xt_val v;
    memset(&v, 0, sizeof v);
    v.magic = XT_VAL_MAGIC_;
    v.kind = kind;
    v.type = type;
    v.i = i;
    v.real = real;
    v.align = 1;
    return v;
}

xt_val xt_int_(long long i) { return xt_number_(XT_INT_, CM_I32, (int64_t)i, (double)i); }
xt_val xt_uint_(unsigned long long u) { return xt_number_(XT_INT_, CM_I32, (int64_t)u, (double)u); }
xt_val xt_real_(double d) { return xt_number_(XT_REAL_, CM_F32, 0, d); }
xt_val xt_same_(xt_val v) { return v; }

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

xt_any_ xt_any_int_(long long i) { return xt_any_val_(xt_int_(i)); }
xt_any_ xt_any_uint_(unsigned long long u) { return xt_any_val_(xt_uint_(u)); }
xt_any_ xt_any_real_(double d) { return xt_any_val_(xt_real_(d)); }

xt_index xt_at_(int n, xt_val a, xt_val b, xt_val c, xt_val d)
{
    xt_index x;
    x.n = n;
    x.v[0] = a;
    x.v[1] = b;
    x.v[2] = c;
    x.v[3] = d;
    return x;
}
