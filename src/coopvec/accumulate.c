/* accumulate.c - OuterProductAccumulate, VectorAccumulate. */
#include "internal.h"

/* Adds to two f16 in one word, atomically: there is no such instruction everywhere, so the word is exchanged until
 * nobody was faster. `pair`: two f16. */
static void cv_atomic_add_f16_(cv_ctx *x, spe_id word_ptr, spe_id pair)
{
    spe_module *m = &x->m;
    spe_id carried[2], half2 = spe_vec(m, spe_float(m, 16), 2), u32 = spe_int(m, 32), next, seen;
    carried[0] = spe_atomic_load(m, word_ptr, SPE_ScopeDevice, 0);
    carried[1] = spe_const_bool(m, true);
    spe_while(m, 2, carried);
    spe_while_test(m, carried[1]);
    next = spe_bitcast(m, u32, spe_fadd(m, spe_bitcast(m, half2, carried[0]), pair));
    seen = spe_atomic_cas(m, word_ptr, carried[0], next, SPE_ScopeDevice, 0);
    carried[1] = spe_ine(m, seen, carried[0]);
    carried[0] = seen;
    spe_endwhile(m, 2, carried);
}

/* Adds a value (f32, or a 32-bit integer) to an element of memory, `at` bytes after base. f16: rounds first. */
static void cv_atomic_add_(cv_ctx *x, spe_id base, spe_id at, int type, spe_id v)
{
    spe_module *m = &x->m;
    spe_id half = spe_float(m, 16), odd, zero, two[2], p;
    if (type != CV_F16) {
        p = spe_ptr_cast(m, spe_index(m, base, at), cv_spe_type_(x, type));
        spe_atomic(m, type == CV_F32 ? SPE_ATOMIC_FADD : SPE_ATOMIC_IADD, p, v, SPE_ScopeDevice, 0);
        return;
    }
    v = spe_fconvert(m, half, v);
    zero = spe_const_f(m, half, -0.0); /* adding it changes nothing */
    odd = spe_ine(m, spe_and(m, at, spe_i32(m, 2)), spe_i32(m, 0));
    two[0] = spe_select(m, odd, zero, v);
    two[1] = spe_select(m, odd, v, zero);
    p = spe_ptr_cast(m, spe_index(m, base, spe_and(m, at, spe_i32(m, ~3))), spe_int(m, 32));
    cv_atomic_add_f16_(x, p, cv_join_(x, half, 2, two));
}

/* The lanes' values for neighbouring elements (lane l: element l of what begins at `at`), of which the first n are
 * there. */
static void cv_atomic_add_lanes_(cv_ctx *x, spe_id base, spe_id at, int type, spe_id v, int n)
{
    spe_module *m = &x->m;
    spe_id lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0), half = spe_float(m, 16), two[2], mine = 0;
    at = spe_iadd(m, at, spe_imul(m, lane, spe_i32(m, cv_bytes_(type))));
    if (type == CV_F16) { /* even lanes add for their neighbour too */
        two[0] = spe_fconvert(m, half, v);
        two[1] = spe_sg_shuffle_xor(m, two[0], spe_i32(m, 1));
        mine = spe_ieq(m, spe_and(m, lane, spe_i32(m, 1)), spe_i32(m, 0));
        if (n % 2) two[1] = spe_select(m, spe_slt(m, lane, spe_i32(m, n - 1)), two[1], spe_const_f(m, half, -0.0));
    }
    if (n < x->S) {
        spe_id inside = spe_slt(m, lane, spe_i32(m, n));
        mine = mine ? spe_land(m, mine, inside) : inside;
    }
    if (mine) spe_if(m, mine);
    if (type == CV_F16)
        cv_atomic_add_f16_(x, spe_ptr_cast(m, spe_index(m, base, at), spe_int(m, 32)), cv_join_(x, half, 2, two));
    else
        cv_atomic_add_(x, base, at, type, v);
    if (mine) spe_endif(m, 0, NULL, NULL);
}

/* ---- exchanges between lanes ------------------------------------------------------------------------------------- */

/* Is bit `bit` of the lane's number set? */
static spe_id cv_lane_bit_(cv_ctx *x, int bit)
{
    spe_module *m = &x->m;
    spe_id lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0);
    return spe_ine(m, spe_and(m, lane, spe_i32(m, bit)), spe_i32(m, 0));
}

/* w[i] of lane l becomes w[l] of lane i, bit by bit of both numbers: n words, of lanes that differ in the log2(n) bits
 * from `unit` on. */
static void cv_transpose_lanes_(cv_ctx *x, spe_id *w, int n, int unit)
{
    spe_module *m = &x->m;
    for (int bit = 1; bit < n && spe_ok(m); bit *= 2) {
        spe_id set = cv_lane_bit_(x, bit * unit);
        for (int i = 0; i < n; i++) {
            spe_id got;
            if (i & bit) continue;
            got = spe_sg_shuffle_xor(m, spe_select(m, set, w[i], w[i | bit]), spe_i32(m, bit * unit));
            w[i] = spe_select(m, set, got, w[i]);
            w[i | bit] = spe_select(m, set, w[i | bit], got);
        }
    }
}

/* Lane l gets the sum over all lanes of w[l], S words: each step sends half of what is left. */
static spe_id cv_sum_lanes_(cv_ctx *x, spe_id *w, bool real)
{
    spe_module *m = &x->m;
    for (int bit = x->S / 2; bit && spe_ok(m); bit /= 2) {
        spe_id set = cv_lane_bit_(x, bit);
        for (int i = 0; i < bit; i++) {
            spe_id got = spe_sg_shuffle_xor(m, spe_select(m, set, w[i], w[i + bit]), spe_i32(m, bit));
            spe_id kept = spe_select(m, set, w[i + bit], w[i]);
            w[i] = real ? spe_fadd(m, kept, got) : spe_iadd(m, kept, got);
        }
    }
    return w[0];
}

/* The B operand of sixteen f16 elements of each of sixteen lanes: lane l gets element l of all lanes, two to a word. */
static spe_id cv_gather_lanes_f16_(cv_ctx *x, const cv_vec *v, int first)
{
    spe_module *m = &x->m;
    spe_id word = spe_int(m, 32), w[8], odd = cv_lane_bit_(x, 1), low = spe_i32(m, 0xffff), high = spe_i32(m, ~0xffff);
    spe_id sixteen = spe_i32(m, 16), eight[2];
    for (int i = 0; i < 2; i++) eight[i] = cv_words_(x, cv_eight_(x, v, first + 8 * i, 1), 4);
    for (int i = 0; i < 8; i++) {
        spe_id other;
        w[i] = spe_extract(m, eight[i / 4], (uint32_t)(i % 4));
        other = spe_sg_shuffle_xor(m, w[i], spe_i32(m, 1));
        w[i] = spe_select(m, odd, spe_or(m, spe_shr(m, other, sixteen), spe_and(m, w[i], high)),
                          spe_or(m, spe_and(m, w[i], low), spe_shl(m, other, sixteen)));
    }
    cv_transpose_lanes_(x, w, 8, 2);
    return cv_join_(x, word, 8, w);
}

/* ---- outer product ----------------------------------------------------------------------------------------------- */

typedef struct {
    cv_ctx *x;
    cv_surface_ c; /* m rows, k columns */
    const cv_vec *v1, *v2;
} cv_outer_;

/* A vector in a variable of f32, so that a loop can index it. */
static spe_id cv_spill_(cv_ctx *x, const cv_vec *v)
{
    spe_module *m = &x->m;
    spe_id real = spe_float(m, 32), variable = spe_local_var(m, spe_array(m, real, (uint32_t)v->n));
    for (int i = 0; i < v->n; i++) {
        spe_id at = spe_i32(m, i);
        spe_store(m, cv_at_(m, variable, at), spe_fconvert(m, real, cv_get_(x, v, i)), 0);
    }
    return variable;
}

/* Every lane for itself. */
static void cv_outer_lanes_(const cv_outer_ *o)
{
    spe_module *m = &o->x->m;
    spe_id a = cv_spill_(o->x, o->v1), b = cv_spill_(o->x, o->v2), row = cv_loop_(m, o->c.m, 1), col,
           v = spe_load(m, cv_at_(m, a, row), 0);
    col = cv_loop_(m, o->c.k, 1);
    cv_atomic_add_(o->x, o->c.base, cv_offset_(&o->c, row, col), o->c.type,
                   spe_fmul(m, v, spe_load(m, cv_at_(m, b, col), 0)));
    spe_endfor(m, 0, NULL);
    spe_endfor(m, 0, NULL);
}

/* Adds the sums of up to eight rows from `row` on (lane l: column col + l, of which n are there). The exchange loops
 * that f16 takes are long, so those go round in a loop. */
static void cv_outer_add_rows_(const cv_outer_ *o, int row, int rows, int col, int n, spe_id sums)
{
    cv_ctx *x = o->x;
    spe_module *m = &x->m;
    if (o->c.type == CV_F16) {
        spe_id r = cv_loop_(m, rows, 1);
        cv_atomic_add_lanes_(x, o->c.base, cv_offset_(&o->c, spe_iadd(m, r, spe_i32(m, row)), spe_i32(m, col)),
                             CV_F16, spe_extract_dyn(m, sums, r), n);
        spe_endfor(m, 0, NULL);
        return;
    }
    for (int i = 0; i < rows; i++)
        cv_atomic_add_lanes_(x, o->c.base, cv_offset_(&o->c, spe_i32(m, row + i), spe_i32(m, col)), o->c.type,
                             spe_extract(m, sums, (uint32_t)i), n);
}

/* f16, subgroup size 16: summed over the lanes by the matrix instruction with K = lanes. v1 is its A operand as it
 * stands. */
static void cv_outer_dpas_(const cv_outer_ *o)
{
    cv_ctx *x = o->x;
    spe_module *m = &x->m;
    spe_id sums = spe_vec(m, spe_float(m, 32), 8), words = spe_vec(m, spe_int(m, 16), 8), *a;
    int blocks = (o->c.m + 7) / 8;
    a = cv_ids_(x, blocks);
    for (int i = 0; a && i < blocks; i++) a[i] = spe_bitcast(m, words, cv_eight_(x, o->v1, i * 8, 1));
    for (int col = 0; a && col < o->c.k; col += 16) {
        spe_id b = cv_gather_lanes_f16_(x, o->v2, col);
        int n = o->c.k - col < 16 ? o->c.k - col : 16;
        for (int i = 0; i < blocks; i++)
            cv_outer_add_rows_(o, i * 8, o->c.m - i * 8 < 8 ? o->c.m - i * 8 : 8, col, n,
                               spe_dpas(m, sums, 16, a[i], b, spe_null(m, sums), 0x400 | 0x800));
    }
}

/* Any type and subgroup size: lane l keeps column l of all lanes' v2, and each element of v1 is broadcast from every
 * lane. */
static void cv_outer_broadcast_(const cv_outer_ *o)
{
    cv_ctx *x = o->x;
    spe_module *m = &x->m;
    spe_id real = spe_float(m, 32), *b, row, mine, all[32], a = cv_spill_(x, o->v1);
    int S = x->S, blocks = (o->c.k + S - 1) / S;
    b = cv_ids_(x, blocks * S);
    if (!b) return;
    for (int i = 0; i < blocks * S; i++)
        b[i] = i < o->c.k ? spe_fconvert(m, real, cv_get_(x, o->v2, i)) : spe_null(m, real);
    for (int i = 0; i < blocks; i++) cv_transpose_lanes_(x, b + i * S, S, 1);
    row = cv_loop_(m, o->c.m, 1);
    mine = spe_load(m, cv_at_(m, a, row), 0);
    for (int i = 0; i < S; i++) all[i] = spe_sg_broadcast(m, mine, spe_i32(m, i));
    for (int i = 0; i < blocks; i++) {
        spe_id sum = spe_fmul(m, all[0], b[i * S]);
        for (int j = 1; j < S; j++) sum = spe_fadd(m, spe_fmul(m, all[j], b[i * S + j]), sum);
        cv_atomic_add_lanes_(x, o->c.base, cv_offset_(&o->c, row, spe_i32(m, i * S)), o->c.type, sum,
                             o->c.k - i * S < S ? o->c.k - i * S : S);
    }
    spe_endfor(m, 0, NULL);
}

static bool cv_check_outer_(cv_where_ w, const cv_vec *v1, const cv_vec *v2, const cv_matrix_ref *c)
{
    if (!cv_check_vec_(w, v1) || !cv_check_vec_(w, v2)) return false;
    if (v1->type != v2->type)
        cv_fail_(w, CV_ERROR_VECTORS_DIFFER, "%s and %s", cv_type_name(v1->type), cv_type_name(v2->type));
    else if (c->layout != CV_OUTER_PRODUCT_OPTIMAL)
        cv_fail_(w, CV_ERROR_OUTER_PRODUCT_LAYOUT, "got %s", cv_layout_name(c->layout));
    else if (c->transpose)
        cv_fail_(w, CV_ERROR_TRANSPOSE, "an outer product's matrix, transposed");
    else if (!cv_supports_outer_product(v1->type, c->interpretation))
        cv_fail_(w, CV_ERROR_ACCUMULATE_TYPES, "outer product of %s into %s", cv_type_name(v1->type),
                 cv_type_name(c->interpretation));
    else if (v1->n != c->m || v2->n != c->k)
        cv_fail_(w, CV_ERROR_INPUT_LENGTH, "vectors of %d and %d, a matrix of %d x %d", v1->n, v2->n, c->m, c->k);
    return spe_ok(&w.x->m);
}

void cv_outer_product_accumulate(cv_where_ w, cv_vec v1, cv_vec v2, const cv_matrix_ref *c)
{
    cv_outer_ o;
    if (!cv_enter_(w) || !cv_check_outer_(w, &v1, &v2, c)) return;
    o.x = w.x;
    o.c = cv_surface_of_(w, c);
    o.v1 = &v1;
    o.v2 = &v2;
    if (!cv_is_uniform_(w, c->uniform, &c->offset, NULL))
        cv_outer_lanes_(&o);
    else if (w.x->dpas && w.x->S == 16 && v1.type == CV_F16 && c->m * c->k <= 16 * CV_DPAS_MOST_)
        cv_outer_dpas_(&o);
    else
        cv_outer_broadcast_(&o);
}

/* ---- vector ------------------------------------------------------------------------------------------------------ */

/* Lane l: the sum over all lanes of elements first + l. */
static spe_id cv_sum_block_(cv_ctx *x, const cv_vec *v, int first, bool real)
{
    spe_module *m = &x->m;
    spe_id w[32], type = real ? spe_float(m, 32) : spe_int(m, 32);
    for (int i = 0; i < x->S; i++)
        w[i] = first + i < v->n ? cv_to_sum_(x, cv_get_(x, v, first + i), v->type, real) : spe_null(m, type);
    return cv_sum_lanes_(x, w, real);
}

void cv_vector_accumulate(cv_where_ w, cv_vec v, const cv_vector_ref *r)
{
    cv_ctx *x = w.x;
    spe_module *m = &x->m;
    bool real = cv_is_float_(v.type);
    int type = r->interpretation, bytes;
    spe_id base;
    if (!cv_enter_(w) || !cv_check_vec_(w, &v)) return;
    if (!cv_supports_vector_accumulate(v.type, type)) {
        cv_fail_(w, CV_ERROR_ACCUMULATE_TYPES, "vector of %s into %s", cv_type_name(v.type), cv_type_name(type));
        return;
    }
    bytes = cv_bytes_(type);
    base = cv_bytes_at_(w, &r->base, &r->offset);
    if (cv_is_uniform_(w, r->uniform, &r->offset, NULL)) {
        for (int i = 0; i < v.n; i += x->S)
            cv_atomic_add_lanes_(x, base, spe_i32(m, i * bytes), type, cv_sum_block_(x, &v, i, real),
                                 v.n - i < x->S ? v.n - i : x->S);
    } else if (type == CV_F16) { /* in a loop: see cv_outer_add_rows_ */
        spe_id variable = cv_spill_(x, &v), k = cv_loop_(m, v.n, 1);
        cv_atomic_add_(x, base, spe_imul(m, k, spe_i32(m, bytes)), CV_F16, spe_load(m, cv_at_(m, variable, k), 0));
        spe_endfor(m, 0, NULL);
    } else {
        for (int i = 0; i < v.n; i++)
            cv_atomic_add_(x, base, spe_i32(m, i * bytes), type, cv_to_sum_(x, cv_get_(x, &v, i), v.type, real));
    }
}
