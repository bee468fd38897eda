/* macros.c - what the macros call. */
#include "internal.h"

cv_interpreted_vector cv_plain_input_(cv_vec v)
{
    cv_interpreted_vector in;
    in.vec = v;
    in.interpretation = v.type;
    return in;
}
cv_interpreted_vector cv_same_input_(cv_interpreted_vector v) { return v; }

cv_vec cv_mul_(cv_where_ w, int type, cv_matrix_ref a, cv_interpreted_vector in)
{
    return cv_mul(w, type, &a, &in);
}
cv_vec cv_mul_add_(cv_where_ w, int type, cv_matrix_ref a, cv_interpreted_vector in, cv_vector_ref bias)
{
    return cv_mul_add(w, type, &a, &in, &bias);
}
void cv_outer_product_(cv_where_ w, cv_vec v1, cv_vec v2, cv_matrix_ref c)
{
    cv_outer_product_accumulate(w, v1, v2, &c);
}
void cv_vector_accumulate_(cv_where_ w, cv_vec v, cv_vector_ref r) { cv_vector_accumulate(w, v, &r); }

/* ---- macros (C only) --------------------------------------------------------------------------------------------- */
