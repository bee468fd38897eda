/* front/origins.c - does each subgroup hold what a move of elements needs? */
#include "../internal.h"

/* The position of index `at` among the indices that subgroup coordinate `s` holds; -1 if it is not held. */
static int xt_local_index_(const xt_dist *d, int dim, int s, int at)
{
    int piece = at / d->data[dim];
    for (int r = 0; r < d->rounds[dim]; r++)
        if ((s + r * d->layout[dim]) % d->count[dim] == piece) return r * d->data[dim] + at % d->data[dim];
    return -1;
}

static int xt_subgroup_coordinate_(const xt_dist *d, int dim, int subgroup)
{
    return dim ? subgroup % d->layout[1] : subgroup / d->layout[1] % d->layout[0];
}

/* For dimension `to_dim` of `to`, where element i comes from element i / divisor + shift of dimension `from_dim` of
 * `from`: fills origin[] for a subgroup's part. False unless all subgroups hold them, at the same positions. */
static bool xt_local_origin_(const xt_dist *to, int to_dim, const xt_dist *from, int from_dim, int divisor, int shift,
                             int *origin)
{
    int n = to->subgroups > from->subgroups ? to->subgroups : from->subgroups;
    for (int s = 0; s < (n ? n : 1); s++) {
        int a = xt_subgroup_coordinate_(to, to_dim, s), b = xt_subgroup_coordinate_(from, from_dim, s);
        for (int r = 0, count = 0; r < to->rounds[to_dim]; r++)
            for (int i = 0; i < to->data[to_dim]; i++, count++) {
                int at = (a + r * to->layout[to_dim]) % to->count[to_dim] * to->data[to_dim] + i;
                int have = xt_local_index_(from, from_dim, b, at / divisor + shift);
                if (have < 0 || (s > 0 && have != origin[count])) return false;
                origin[count] = have;
            }
    }
    return true;
}

/* Does each subgroup hold what it needs? Then, for each element of its part of `to`, the number of its source in its
 * part of `from`, both counted row after row; else NULL. */
XE_FN_ const int *xt_origins_(xt_ctx *x, const xt_dist *to, const xt_dist *from, const xt_source_ *s)
{
    int size[2], *at[2], *origin, width = from->rounds[1] * from->data[1];
    if (s->in_order && (to->subgroups || from->subgroups)) return NULL;
    for (int i = 0; i < 2; i++) {
        size[i] = to->rounds[i] * to->data[i];
        at[i] = (int *)xt_memory_(x, (size_t)size[i] * sizeof *at[i]);
        if (!at[i] || (!s->in_order && !xt_local_origin_(to, i, from, s->transposed ? 1 - i : i, s->divisor[i],
                                                         s->shift[i], at[i])))
            return NULL;
    }
    origin = (int *)xt_memory_(x, (size_t)size[0] * (size_t)size[1] * sizeof *origin);
    for (int n = 0; origin && n < size[0] * size[1]; n++) {
        int row = at[0][n / size[1]], col = at[1][n % size[1]];
        origin[n] = s->in_order ? n : s->transposed ? col * width + row : row * width + col;
    }
    return origin;
}
