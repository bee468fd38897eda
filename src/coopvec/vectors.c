/* vectors.c - vectors. */
#include "internal.h"

cv_vec cv_no_vec_(void)
{
    cv_vec v = {CV_VEC_MAGIC_, CV_INVALID, 0, 0, NULL};
    return v;
}

/* Room for n ids. */
spe_id *cv_ids_(cv_ctx *x, int n) { return (spe_id *)spe_alloc(&x->m, (size_t)n * sizeof(spe_id)); }

/* A vector with room for its parts; without parts when something is wrong. */
cv_vec cv_new_(cv_ctx *x, int type, int n)
{
    cv_vec v = cv_no_vec_();
    if (!spe_ok(&x->m)) return v;
    v.type = (cv_type)type;
    v.n = n;
    v.part = cv_ids_(x, spe_runs(n));
    v.parts = v.part ? spe_runs(n) : 0;
    return v;
}

static spe_id cv_part_type_(cv_ctx *x, int type, int width)
{
    return spe_vec(&x->m, cv_spe_type_(x, type), (uint32_t)width);
}

static bool cv_check_length_(cv_where_ w, int n)
{
    if (n < 1 || n > CV_VECTOR_MAX_) cv_fail_(w, CV_ERROR_VECTOR_LENGTH, "got %d", n);
    return spe_ok(&w.x->m);
}

bool cv_check_type_(cv_where_ w, int type)
{
    if (!cv_is_vector_type_(type)) cv_fail_(w, CV_ERROR_VECTOR_TYPE, "got %s", cv_type_name(type));
    return spe_ok(&w.x->m);
}

/* Is this a vector that was made? */
bool cv_check_vec_(cv_where_ w, const cv_vec *v)
{
    if (v->magic != CV_VEC_MAGIC_ || v->parts == 0) cv_fail_(w, CV_ERROR_UNSET, "a vector");
    return spe_ok(&w.x->m);
}

/* Where element i is: part, and component of it. */
static int cv_part_of_(int n, int i, int *component)
{
    int part = 0;
    for (*component = i; *component >= spe_run(n, part); part++) *component -= spe_run(n, part);
    return part;
}

spe_id cv_get_(cv_ctx *x, const cv_vec *v, int i)
{
    int component, part = cv_part_of_(v->n, i, &component);
    return spe_extract(&x->m, v->part[part], (uint32_t)component);
}

static void cv_get_all_(cv_ctx *x, const cv_vec *v, int first, int n, spe_id *ids)
{
    for (int i = 0; i < n; i++) ids[i] = cv_get_(x, v, first + i);
}

/* A SPIR-V vector (or scalar) of n scalars. */
spe_id cv_join_(cv_ctx *x, spe_id scalar_type, int n, const spe_id *ids)
{
    return spe_construct(&x->m, spe_vec(&x->m, scalar_type, (uint32_t)n), (uint32_t)n, ids);
}

cv_vec cv_from_scalars_(cv_ctx *x, int type, int n, const spe_id *ids)
{
    cv_vec v = cv_new_(x, type, n);
    for (int i = 0; i < v.parts; ids += spe_run(n, i), i++)
        v.part[i] = cv_join_(x, cv_spe_type_(x, type), spe_run(n, i), ids);
    return v;
}

cv_vec cv_splat_(cv_where_ w, int type, int n, cv_val value)
{
    cv_vec v;
    spe_id id;
    if (!cv_enter_(w) || !cv_check_type_(w, type) || !cv_check_length_(w, n)) return cv_no_vec_();
    id = cv_id_(w, type, &value);
    v = cv_new_(w.x, type, n);
    for (int i = 0; i < v.parts; i++) v.part[i] = spe_splat(&w.x->m, cv_part_type_(w.x, type, spe_run(n, i)), id);
    return v;
}

cv_vec cv_vec_of_(cv_where_ w, int type, int n, const cv_val *values)
{
    spe_id ids[32];
    if (!cv_enter_(w) || !cv_check_type_(w, type) || !cv_check_length_(w, n > 32 ? 0 : n)) return cv_no_vec_();
    for (int i = 0; i < n; i++) ids[i] = cv_id_(w, type, &values[i]);
    return cv_from_scalars_(w.x, type, n, ids);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

bool cv_check_pointer_(cv_where_ w, const cv_val *v, const char *what)
{
    char text[48];
    if (!spe_val_is_set(v) || v->kind != SPE_POINTER)
        cv_fail_(w, CV_ERROR_POINTER, "%s is %s", what, cv_describe_(v, text, sizeof text));
    return spe_ok(&w.x->m);
}

/* The pointer's element `index`, and the stride when it is not 1 (else 0). */
static bool cv_locate_(cv_where_ w, const cv_memory_ *d, spe_id *at, spe_id *stride)
{
    bool strided = d->stride.magic && !(d->stride.kind == SPE_INT && d->stride.i == 1);
    if (!cv_enter_(w) || !cv_check_pointer_(w, &d->ptr, "the first argument") || !cv_check_type_(w, d->ptr.type))
        return false;
    *at = d->index.magic ? spe_index(&w.x->m, d->ptr.id, cv_index_(w, &d->index, "the index")) : d->ptr.id;
    *stride = strided ? cv_index_(w, &d->stride, "the stride") : 0;
    return spe_ok(&w.x->m);
}

/* Element i of what cv_locate_ found, as a pointer to `width` of them. */
static spe_id cv_pointer_to_(cv_ctx *x, spe_id at, spe_id stride, int type, int i, int width)
{
    spe_module *m = &x->m;
    spe_id offset = stride ? spe_imul(m, stride, spe_i32(m, i)) : spe_i32(m, i);
    spe_id p = i ? spe_index(m, at, offset) : at;
    return width > 1 ? spe_ptr_cast(m, p, cv_part_type_(x, type, width)) : p;
}

cv_vec cv_load_(cv_where_ w, cv_memory_ d)
{
    cv_ctx *x = w.x;
    int type = d.ptr.type;
    cv_vec v;
    spe_id at, stride, *ids;
    if (!cv_locate_(w, &d, &at, &stride) || !cv_check_length_(w, d.n)) return cv_no_vec_();
    if (stride) {
        ids = cv_ids_(x, d.n);
        for (int i = 0; ids && i < d.n; i++)
            ids[i] = spe_load(&x->m, cv_pointer_to_(x, at, stride, type, i, 1), (uint32_t)cv_bytes_(type));
        return ids ? cv_from_scalars_(x, type, d.n, ids) : cv_no_vec_();
    }
    v = cv_new_(x, type, d.n);
    for (int i = 0, first = 0; i < v.parts; first += spe_run(d.n, i), i++)
        v.part[i] = spe_load(&x->m, cv_pointer_to_(x, at, 0, type, first, spe_run(d.n, i)), (uint32_t)cv_bytes_(type));
    return v;
}

void cv_store_(cv_where_ w, cv_vec v, cv_memory_ d)
{
    cv_ctx *x = w.x;
    uint32_t bytes;
    spe_id at, stride;
    if (!cv_enter_(w) || !cv_check_vec_(w, &v) || !cv_locate_(w, &d, &at, &stride)) return;
    if (d.ptr.type != (int)v.type) {
        cv_fail_(w, CV_ERROR_VECTOR_TYPE, "a vector of %s to a ptr<%s>", cv_type_name(v.type),
                 cv_type_name(d.ptr.type));
        return;
    }
    bytes = (uint32_t)cv_bytes_(v.type);
    for (int i = 0; stride && i < v.n; i++)
        spe_store(&x->m, cv_pointer_to_(x, at, stride, v.type, i, 1), cv_get_(x, &v, i), bytes);
    for (int i = 0, first = 0; !stride && i < v.parts; first += spe_run(v.n, i), i++)
        spe_store(&x->m, cv_pointer_to_(x, at, 0, v.type, first, spe_run(v.n, i)), v.part[i], bytes);
}

/* ---- elements, concatenation, slices ----------------------------------------------------------------------------- */

/* Is the constant i the number of an element? */
static bool cv_check_element_(cv_where_ w, const cv_vec *v, const cv_val *i)
{
    char text[48];
    if (!cv_check_vec_(w, v)) return false;
    if (i->kind != SPE_INT || i->i < 0 || i->i >= v->n)
        cv_fail_(w, CV_ERROR_ELEMENT, "%s of a vector of %d", cv_describe_(i, text, sizeof text), v->n);
    return spe_ok(&w.x->m);
}

cv_val cv_element_(cv_where_ w, cv_vec v, cv_val i)
{
    spe_module *m = &w.x->m;
    spe_id at, got = 0, first;
    if (!cv_enter_(w) || !cv_check_vec_(w, &v)) return cv_nothing_();
    if (i.kind == SPE_INT)
        return cv_check_element_(w, &v, &i) ? cv_scalar_(v.type, cv_get_(w.x, &v, (int)i.i), false) : cv_nothing_();
    at = cv_index_(w, &i, "the element's number");
    for (int part = 0, start = 0; at && part < v.parts; start += spe_run(v.n, part), part++) {
        spe_id one = v.part[part];
        first = spe_i32(m, start);
        if (spe_run(v.n, part) > 1) /* masked: a lane that wants another part must not index outside of this one */
            one = spe_extract_dyn(m, one, spe_and(m, spe_isub(m, at, first), spe_i32(m, spe_run(v.n, part) - 1)));
        got = got ? spe_select(m, spe_sge(m, at, first), one, got) : one;
    }
    return cv_scalar_(v.type, got, false);
}

cv_vec cv_set_element_(cv_where_ w, cv_vec v, cv_val i, cv_val value)
{
    cv_vec out;
    int component, part;
    if (!cv_enter_(w) || !cv_check_element_(w, &v, &i)) return cv_no_vec_();
    out = cv_new_(w.x, v.type, v.n);
    if (!out.parts) return out;
    memcpy(out.part, v.part, (size_t)v.parts * sizeof(spe_id));
    part = cv_part_of_(v.n, (int)i.i, &component);
    out.part[part] = spe_insert(&w.x->m, v.part[part], cv_id_(w, v.type, &value), (uint32_t)component);
    return out;
}

cv_vec cv_concat_(cv_where_ w, cv_vec a, cv_vec b)
{
    cv_vec v;
    spe_id *ids;
    if (!cv_enter_(w) || !cv_check_vec_(w, &a) || !cv_check_vec_(w, &b)) return cv_no_vec_();
    if (a.type != b.type) cv_fail_(w, CV_ERROR_VECTORS_DIFFER, "%s and %s", cv_type_name(a.type), cv_type_name(b.type));
    if (!cv_check_length_(w, a.n + b.n)) return cv_no_vec_();
    if (a.n % 8 == 0) {
        v = cv_new_(w.x, a.type, a.n + b.n);
        for (int i = 0; i < v.parts; i++) v.part[i] = i < a.parts ? a.part[i] : b.part[i - a.parts];
        return v;
    }
    ids = cv_ids_(w.x, a.n + b.n);
    if (!ids) return cv_no_vec_();
    cv_get_all_(w.x, &b, 0, b.n, ids + a.n);
    cv_get_all_(w.x, &a, 0, a.n, ids);
    return cv_from_scalars_(w.x, a.type, a.n + b.n, ids);
}

cv_vec cv_slice_(cv_where_ w, cv_vec v, int first, int n)
{
    cv_vec out;
    spe_id *ids;
    if (!cv_enter_(w) || !cv_check_vec_(w, &v) || !cv_check_length_(w, n)) return cv_no_vec_();
    if (first < 0 || first > v.n - n) {
        cv_fail_(w, CV_ERROR_ELEMENT, "%d to %d of a vector of %d", first, first + n - 1, v.n);
        return cv_no_vec_();
    }
    if (first % 8 == 0 && (n % 8 == 0 || first + n == v.n)) {
        out = cv_new_(w.x, v.type, n);
        if (out.parts) memcpy(out.part, v.part + first / 8, (size_t)out.parts * sizeof(spe_id));
        return out;
    }
    ids = cv_ids_(w.x, n);
    if (!ids) return cv_no_vec_();
    cv_get_all_(w.x, &v, first, n, ids);
    return cv_from_scalars_(w.x, v.type, n, ids);
}

cv_interpreted_vector cv_plain_input_(cv_vec v)
{
    cv_interpreted_vector in = {v, v.type};
    return in;
}

cv_interpreted_vector cv_same_input_(cv_interpreted_vector v) { return v; }

/* ---- element by element ------------------------------------------------------------------------------------------ */

/* Two operands as vectors of one shape; a number is splatted. */
static bool cv_match_(cv_where_ w, cv_any_ a, cv_any_ b, cv_vec *p, cv_vec *q)
{
    const cv_vec *shape = a.is_vec ? &a.vec : &b.vec;
    if (!cv_enter_(w) || !cv_check_vec_(w, shape)) return false;
    *p = a.is_vec ? a.vec : cv_splat_(w, shape->type, shape->n, a.val);
    *q = b.is_vec ? b.vec : cv_splat_(w, shape->type, shape->n, b.val);
    if (!cv_check_vec_(w, p) || !cv_check_vec_(w, q)) return false;
    if (p->type != q->type || p->n != q->n)
        cv_fail_(w, CV_ERROR_VECTORS_DIFFER, "%d of %s and %d of %s", p->n, cv_type_name(p->type), q->n,
                 cv_type_name(q->type));
    return spe_ok(&w.x->m);
}

cv_vec cv_binary_vec_(cv_where_ w, int op, cv_any_ a, cv_any_ b)
{
    cv_vec p, q, v;
    if (!cv_match_(w, a, b, &p, &q)) return cv_no_vec_();
    v = cv_new_(w.x, p.type, p.n);
    for (int i = 0; i < v.parts; i++) {
        v.part[i] = op < SPE_ARITH_EQ ? cv_emit_(&w.x->m, op, p.type, p.part[i], q.part[i]) : 0;
        if (!v.part[i] && spe_ok(&w.x->m))
            cv_fail_(w, CV_ERROR_OPERATION, "%s on a vector of %s", cv_op_name_(op), cv_type_name(p.type));
    }
    return v;
}

/* Does a function of real numbers take this type? */
static bool cv_check_real_(cv_where_ w, const char *function, const char *on, int type)
{
    if (!cv_is_float_(type)) cv_fail_(w, CV_ERROR_OPERATION, "%s on %s%s", function, on, cv_type_text_(type));
    return spe_ok(&w.x->m);
}

cv_vec cv_fma_(cv_where_ w, cv_any_ a, cv_vec b, cv_any_ c)
{
    cv_vec p, q, r, v;
    cv_any_ mid = cv_any_vec_(b);
    if (!cv_match_(w, a, mid, &p, &q) || !cv_match_(w, c, mid, &r, &q) ||
        !cv_check_real_(w, "CV_FMA", "a vector of ", p.type))
        return cv_no_vec_();
    v = cv_new_(w.x, p.type, p.n);
    for (int i = 0; i < v.parts; i++) v.part[i] = spe_math3(&w.x->m, SPE_FMA, p.part[i], q.part[i], r.part[i]);
    return v;
}

/* On f32 scalars or vectors. */
static spe_id cv_emit_function_(cv_ctx *x, int fn, spe_id v)
{
    spe_module *m = &x->m;
    spe_id type = spe_type_of(m, v), one = spe_const_f(m, type, 1.0), cube;
    if (fn < CV_SIGMOID_) return spe_math1(m, (spe_math_op)fn, v);
    if (fn == CV_SIGMOID_) return spe_fdiv(m, one, spe_fadd(m, one, spe_math1(m, SPE_EXP, spe_fneg(m, v))));
    /* x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) */
    cube = spe_fmul(m, spe_fmul(m, v, v), spe_fmul(m, v, spe_const_f(m, type, 0.044715)));
    cube = spe_fmul(m, spe_fadd(m, v, cube), spe_const_f(m, type, 0.7978845608028654));
    return spe_fmul(m, spe_fmul(m, v, spe_const_f(m, type, 0.5)), spe_fadd(m, one, spe_math1(m, SPE_TANH, cube)));
}

/* f16 is computed in f32 and rounded once. */
static spe_id cv_function_of_(cv_ctx *x, int fn, int type, spe_id v)
{
    spe_module *m = &x->m;
    spe_id own = spe_type_of(m, v), wide = spe_vec(m, spe_float(m, 32), own ? spe_count(m, own) : 1);
    if (type == CV_F32 || fn == SPE_FABS || fn == SPE_FLOOR) return cv_emit_function_(x, fn, v);
    return spe_fconvert(m, own, cv_emit_function_(x, fn, spe_fconvert(m, wide, v)));
}

cv_vec cv_function_vec_(cv_where_ w, int fn, const char *name, cv_any_ a)
{
    cv_vec v;
    if (!cv_enter_(w) || !cv_check_vec_(w, &a.vec) || !cv_check_real_(w, name, "a vector of ", a.vec.type))
        return cv_no_vec_();
    v = cv_new_(w.x, a.vec.type, a.vec.n);
    for (int i = 0; i < v.parts; i++) v.part[i] = cv_function_of_(w.x, fn, v.type, a.vec.part[i]);
    return v;
}

cv_val cv_function_scalar_(cv_where_ w, int fn, const char *name, cv_any_ a)
{
    int type = a.val.kind == SPE_SCALAR ? a.val.type : CV_F32;
    spe_id id;
    if (!cv_enter_(w) || !cv_check_real_(w, name, "", type)) return cv_nothing_();
    id = cv_id_(w, type, &a.val);
    return cv_scalar_(type, id ? cv_function_of_(w.x, fn, type, id) : 0, a.val.uniform);
}

cv_vec cv_clamp_(cv_where_ w, cv_vec v, cv_any_ low, cv_any_ high)
{
    return cv_binary_vec_(w, SPE_ARITH_MIN, cv_any_vec_(cv_binary_vec_(w, SPE_ARITH_MAX, cv_any_vec_(v), low)), high);
}

cv_vec cv_choose_(cv_where_ w, int op, cv_any_ a, cv_any_ b, cv_any_ c, cv_any_ d)
{
    cv_vec p, q, r, s, v;
    if (!cv_match_(w, a, b, &p, &q)) return cv_no_vec_();
    if (!c.is_vec && !d.is_vec) c = cv_any_vec_(cv_splat_(w, p.type, p.n, c.val));
    if (!cv_match_(w, c, d, &r, &s)) return cv_no_vec_();
    if (r.n != p.n) cv_fail_(w, CV_ERROR_VECTORS_DIFFER, "%d compared, %d to choose from", p.n, r.n);
    v = cv_new_(w.x, r.type, r.n);
    for (int i = 0; i < v.parts; i++)
        v.part[i] = spe_select(&w.x->m, cv_emit_(&w.x->m, op, p.type, p.part[i], q.part[i]), r.part[i], s.part[i]);
    return v;
}

cv_vec cv_leaky_relu_(cv_where_ w, cv_vec v, cv_val slope)
{
    cv_any_ x = cv_any_vec_(v), scaled = cv_any_vec_(cv_binary_vec_(w, SPE_ARITH_MUL, x, cv_any_val_(slope)));
    return cv_choose_(w, SPE_ARITH_GT, x, cv_any_real_(0), x, scaled);
}
