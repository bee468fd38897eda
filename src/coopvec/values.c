/* values.c - numbers and vectors. A value is held as a SPIR-V scalar or vector of its type; FP8 from memory as f16 of
 * the same value. */
#include "internal.h"

XE_FORWARD_ spe_site cv_site_(cv_where_ w) { return spe_site_of(&w.x->m, cv_errors_(), w.at->file, w.at->line); }

/* Called at the start of every operation: further errors get the user's line. False after an error. */
XE_FN_ bool cv_enter_(cv_where_ w)
{
    w.x->operations++;
    return spe_ok(spe_at(&w.x->m, w.at->file, w.at->line));
}

/* The side of a region that is being written. */
XE_FN_ int cv_side_now_(const cv_ctx *x) { return x->regions.depth ? x->frames[x->regions.depth - 1].side : 0; }

/* Checks that a value made in `side` is in scope here. */
XE_FN_ bool cv_live_(cv_where_ w, int side)
{
    if (!side || !spe_ok(&w.x->m)) return spe_ok(&w.x->m);
    for (int i = 0; i < w.x->regions.depth; i++)
        if (w.x->frames[i].side == side) return true;
    const spe_region_line *at = (const spe_region_line *)w.x->sides.items + side - 1;
    return cv_fail_(w, CV_ERROR_UNLISTED,
                    "the %s of %s:%d left a value in a variable that is used here; list that variable there",
                    at->name, at->file, at->line);
}

/* Records in a constant the side it was written in. */
cv_val cv_here_(cv_ctx *x, cv_val v)
{
    x->operations++;
    if ((v.kind == SPE_INT || v.kind == SPE_REAL) && !v.note) v.note = cv_side_now_(x);
    return v;
}

static cv_val cv_nothing_(void) { return spe_val_of(SPE_NOTHING, CV_I32, 0); }

XE_FN_ cv_val cv_scalar_(const cv_ctx *x, int type, spe_id id, bool uniform)
{
    cv_val v = spe_val_of(id ? SPE_SCALAR : SPE_NOTHING, type, id);
    v.uniform = uniform;
    v.note = cv_side_now_(x);
    return v;
}

cv_any_ cv_any_val_(cv_val v)
{
    cv_any_ a;
    a.val = v;
    return a;
}

cv_any_ cv_any_vec_(cv_vec v)
{
    cv_any_ a;
    a.vec = v.magic == CV_VEC_MAGIC_ ? v : cv_no_vec_();
    return a;
}

XE_FN_ bool cv_is_vec_(const cv_any_ *a) { return a->magic == CV_VEC_MAGIC_; }

cv_any_ cv_any_int_(long long i) { return cv_any_val_(spe_val_int(i)); }
cv_any_ cv_any_uint_(unsigned long long u) { return cv_any_val_(spe_val_uint(u)); }
cv_any_ cv_any_real_(double d) { return cv_any_val_(spe_val_real(d)); }
cv_any_ cv_any_float_(float f) { return cv_any_val_(spe_val_float(f)); }

XE_FN_ const char *cv_type_text_(int type) { return type == CV_BOOL_ ? "condition" : cv_type_name(type); }

/* The SPIR-V scalar that holds a type. FP8 is held as its bits. */
XE_FN_ spe_id cv_spe_type_(spe_module *m, int type)
{
    if (type == CV_BOOL_) return spe_bool(m);
    if (type == CV_F16 || type == CV_F32) return spe_float(m, (uint32_t)cv_type_info(type)->bits);
    return spe_int(m, (uint32_t)cv_type_info(type)->bits);
}

/* Describes a value, for error texts. */
XE_FN_ cv_text_ cv_describe_(const cv_val *v)
{
    cv_text_ t = {"a value that was never set"};
    if (!spe_val_is_set(v)) return t;
    if (v->kind == SPE_INT) snprintf(t.s, sizeof t.s, "%lld", (long long)v->integer);
    else if (v->kind == SPE_REAL) snprintf(t.s, sizeof t.s, "%s", spe_decimal_of(v->real, 'g', 6).s);
    else snprintf(t.s, sizeof t.s, v->kind == SPE_POINTER ? "ptr<%s>" : "%s", cv_type_text_(v->type));
    return t;
}

/* A number as an id of this type. Constants are converted; scalars must have it, or be integers of equal width. */
XE_FN_ spe_id cv_id_(cv_where_ w, int type, const cv_val *v)
{
    spe_module *m = &w.x->m;
    const cv_type_row *want = cv_type_info(type), *has = cv_type_info(v->type);
    bool both = want && has && !want->is_float && !has->is_float && want->bits == has->bits;
    if (!spe_val_is_set(v)) return cv_fail_(w, CV_ERROR_UNSET, "an operand"), 0;
    if (!cv_live_(w, v->note)) return 0;
    if (v->kind == SPE_SCALAR && (v->type == type || both)) return v->id;
    if (v->kind == SPE_INT && type == CV_BOOL_) return spe_const_bool(m, v->integer != 0);
    if (v->kind == SPE_INT && want && !want->is_float) {
        if (spe_int_fits(v->integer, want->bits, want->is_signed))
            return spe_const_i(m, cv_spe_type_(m, type), v->integer);
        return cv_fail_(w, CV_ERROR_SCALAR_RANGE, "%lld as %s", (long long)v->integer, cv_type_name(type)), 0;
    }
    if ((v->kind == SPE_INT || v->kind == SPE_REAL) && cv_is_float_(type)) {
        if (spe_real_fits(SPE_IEEE, (uint32_t)want->bits, v->real))
            return spe_const_f(m, cv_spe_type_(m, type), v->real);
        return cv_fail_(w, CV_ERROR_SCALAR_RANGE, "%s as %s", spe_decimal_of(v->real, 'g', 6).s, cv_type_name(type)), 0;
    }
    return cv_fail_(w, CV_ERROR_SCALAR_TYPE, "%s where %s is wanted", cv_describe_(v).s, cv_type_text_(type)), 0;
}

/* A number as an i32 index. */
XE_FN_ spe_id cv_index_(cv_where_ w, const cv_val *v, const char *what)
{
    bool set = spe_val_is_set(v);
    if (set && !cv_live_(w, v->note)) return 0;
    if (set && v->kind == SPE_INT && spe_int_fits(v->integer, 32, true)) return spe_i32(&w.x->m, (int32_t)v->integer);
    if (set && v->kind == SPE_SCALAR && (v->type == CV_I32 || v->type == CV_U32)) return v->id;
    return cv_fail_(w, CV_ERROR_INDEX, "%s is %s", what, cv_describe_(v).s), 0;
}

/* One instruction on scalars or vectors of a type; 0 without an error if there is none. */
XE_FN_ spe_id cv_emit_(spe_module *m, int op, int type, spe_id a, spe_id b)
{
    if (type == CV_BOOL_)
        switch (op) {
        case SPE_ARITH_AND: return spe_land(m, a, b);
        case SPE_ARITH_OR: return spe_lor(m, a, b);
        case SPE_ARITH_XOR: case SPE_ARITH_NE: return spe_lne(m, a, b);
        case SPE_ARITH_EQ: return spe_leq(m, a, b);
        default: return 0;
        }
    if (cv_is_float_(type)) return op == SPE_ARITH_REM ? 0 : spe_arith(m, (spe_arith_op)op, SPE_NUMBER_FLOAT, a, b);
    return spe_arith(m, (spe_arith_op)op, cv_is_signed_(type) ? SPE_NUMBER_SIGNED : SPE_NUMBER_UNSIGNED, a, b);
}

/* The common type of two numbers: a scalar's; of i32 and u32, i32; of two constants i32 or f32. */
XE_FN_ int cv_common_type_(const cv_val *a, const cv_val *b)
{
    if (a->kind == SPE_SCALAR) return b->kind == SPE_SCALAR && b->type == CV_I32 ? (int)CV_I32 : a->type;
    if (b->kind == SPE_SCALAR) return b->type;
    return a->kind == SPE_REAL || b->kind == SPE_REAL ? CV_F32 : CV_I32;
}

cv_val cv_binary_scalar_(cv_where_ w, int op, const char *name, const cv_any_ *given)
{
    const cv_val *a = &given[0].val, *b = &given[1].val;
    int type = cv_common_type_(a, b);
    if (!cv_enter_(w)) return cv_nothing_();
    spe_id p = cv_id_(w, type, a);
    spe_id q = cv_id_(w, type, b);
    spe_id r = p && q ? cv_emit_(&w.x->m, op, type, p, q) : 0;
    if (!r) cv_fail_(w, CV_ERROR_OPERATION, "%s on %s", name, cv_type_text_(type));
    return cv_scalar_(w.x, op >= SPE_ARITH_EQ ? (int)CV_BOOL_ : type, r, a->uniform && b->uniform);
}

XE_FN_ bool cv_check_condition_(cv_where_ w, const char *of, const cv_val *c)
{
    return spe_val_is_condition(c, CV_BOOL_) || cv_fail_(w, CV_ERROR_CONDITION, "%s got %s", of, cv_describe_(c).s);
}

/* given: the condition, and what it chooses from. */
cv_val cv_select_scalar_(cv_where_ w, const cv_any_ *given)
{
    const cv_val c = given[0].val, a = given[1].val, b = given[2].val;
    int type = cv_common_type_(&a, &b);
    if (!cv_enter_(w) || !cv_check_condition_(w, "CV_SELECT", &c) || !cv_live_(w, c.note)) return cv_nothing_();
    if (c.kind == SPE_INT) return c.integer ? a : b;
    spe_id p = cv_id_(w, type, &a);
    spe_id q = cv_id_(w, type, &b);
    return cv_scalar_(w.x, type, p && q ? spe_select(&w.x->m, c.id, p, q) : 0, c.uniform && a.uniform && b.uniform);
}

cv_val cv_builtin_(cv_where_ w, spe_builtin_name name)
{
    bool uniform = name != SPE_LOCAL_ID && name != SPE_GLOBAL_ID && name != SPE_SUBGROUP_LANE;
    return cv_enter_(w) ? cv_scalar_(w.x, CV_I32, spe_builtin(&w.x->m, name, 0), uniform) : cv_nothing_();
}

/* The first active work-item's value for the whole subgroup, which makes it uniform. */
cv_val cv_uniform_(cv_where_ w, cv_val v)
{
    if (!cv_enter_(w) || !cv_live_(w, v.note) || v.kind != SPE_SCALAR || v.uniform || v.type == CV_BOOL_) return v;
    return cv_scalar_(w.x, v.type, spe_sg_broadcast_first(&w.x->m, v.id), true);
}

XE_FORWARD_ cv_vec cv_no_vec_(void)
{
    cv_vec v = {{NULL}, CV_INVALID, 0, 0, NULL, 0, 0};
    v.magic = CV_VEC_MAGIC_;
    return v;
}

/* Room for n ids. */
XE_FN_ spe_id *cv_ids_(spe_module *m, int n) { return (spe_id *)spe_alloc(m, (size_t)n * sizeof(spe_id)); }

/* A vector with room for its parts; without parts after an error. */
XE_FN_ cv_vec cv_new_(cv_ctx *x, int type, int n)
{
    cv_vec v = cv_no_vec_();
    if (!spe_ok(&x->m)) return v;
    v.type = (cv_type)type;
    v.length = n;
    v.side = cv_side_now_(x);
    v.part = cv_ids_(&x->m, spe_part_count(n));
    v.parts = v.part ? spe_part_count(n) : 0;
    return v;
}

XE_FN_ cv_vec cv_from_parts_(cv_ctx *x, int type, int n, const spe_id *parts)
{
    cv_vec v = cv_new_(x, type, n);
    if (v.parts) memcpy(v.part, parts, (size_t)v.parts * sizeof *parts);
    return v;
}

static bool cv_check_length_(cv_where_ w, int n)
{
    return (n >= 1 && n <= CV_VECTOR_MAX_) || cv_fail_(w, CV_ERROR_VECTOR_LENGTH, "got %d", n);
}

static bool cv_check_type_(cv_where_ w, int type)
{
    return cv_is_vector_type_(type) || cv_fail_(w, CV_ERROR_VECTOR_TYPE, "got %s; f16 f32 i16 u16 i32 u32 are possible",
                                                cv_type_name(type));
}

/* Checks that a vector is set and in scope. */
XE_FN_ bool cv_check_vec_(cv_where_ w, const cv_vec *v)
{
    if (v->magic != CV_VEC_MAGIC_ || !v->parts) return cv_fail_(w, CV_ERROR_UNSET, "a vector");
    return cv_live_(w, v->side);
}

/* The part of element i, and its component there. */
static int cv_part_of_(int n, int i, int *component)
{
    int part = 0;
    for (*component = i; *component >= spe_part_length(n, part); part++) *component -= spe_part_length(n, part);
    return part;
}

XE_FN_ spe_id cv_get_(spe_module *m, const cv_vec *v, int i)
{
    int component, part = cv_part_of_(v->length, i, &component);
    return spe_extract(m, v->part[part], (uint32_t)component);
}

/* A number that may stand anywhere, see spe_reload; conditions do anyway. */
XE_FN_ spe_id cv_reload_(cv_ctx *x, int type, spe_id id)
{
    return type == CV_BOOL_ ? id : spe_reload(&x->m, id);
}

XE_FN_ spe_id cv_take_(cv_ctx *x, const cv_vec *v, int i) { return cv_reload_(x, v->type, cv_get_(&x->m, v, i)); }

static void cv_take_all_(cv_ctx *x, const cv_vec *v, int first, int n, spe_id *ids)
{
    for (int i = 0; i < n; i++) ids[i] = cv_take_(x, v, first + i);
}

/* A SPIR-V vector (or scalar) of n scalars. */
XE_FN_ spe_id cv_join_(spe_module *m, spe_id scalar_type, int n, const spe_id *ids)
{
    return spe_construct(m, spe_vec(m, scalar_type, (uint32_t)n), (uint32_t)n, ids);
}

XE_FN_ cv_vec cv_from_scalars_(cv_ctx *x, int type, int n, const spe_id *ids)
{
    cv_vec v = cv_new_(x, type, n);
    for (int i = 0; i < v.parts; ids += spe_part_length(n, i), i++)
        v.part[i] = cv_join_(&x->m, cv_spe_type_(&x->m, type), spe_part_length(n, i), ids);
    return v;
}

/* n of a number, or of a condition. */
static cv_vec cv_repeat_(cv_where_ w, int type, int n, const cv_val *value)
{
    spe_id id = cv_id_(w, type, value);
    cv_vec v = cv_new_(w.x, type, n);
    for (int i = 0; i < v.parts; i++)
        v.part[i] =
            spe_splat(&w.x->m, spe_vec(&w.x->m, cv_spe_type_(&w.x->m, type), (uint32_t)spe_part_length(n, i)), id);
    return v;
}

cv_vec cv_splat_(cv_where_ w, int type, int n, cv_val value)
{
    if (!cv_enter_(w) || !cv_check_type_(w, type) || !cv_check_length_(w, n)) return cv_no_vec_();
    return cv_repeat_(w, type, n, &value);
}

cv_vec cv_vec_of_(cv_where_ w, int type, int n, const cv_val *values)
{
    spe_id ids[32];
    if (!cv_enter_(w) || !cv_check_type_(w, type) || !cv_check_length_(w, n > 32 ? 0 : n)) return cv_no_vec_();
    for (int i = 0; i < n; i++) ids[i] = cv_id_(w, type, &values[i]);
    return cv_from_scalars_(w.x, type, n, ids);
}

XE_FN_ bool cv_check_pointer_(cv_where_ w, const cv_val *v, const char *what)
{
    return (spe_val_is_set(v) && v->kind == SPE_POINTER) ||
           cv_fail_(w, CV_ERROR_POINTER, "%s is %s", what, cv_describe_(v).s);
}

/* The pointer's element `index`; the stride, or 0 if it is 1. */
static bool cv_locate_(cv_where_ w, const cv_memory_ *d, spe_id *at, spe_id *stride)
{
    bool strided = d->stride.magic && !(d->stride.kind == SPE_INT && d->stride.integer == 1);
    if (!cv_enter_(w) || !cv_check_pointer_(w, &d->ptr, "the first argument") || !cv_check_type_(w, d->ptr.type))
        return false;
    *at = d->index.magic ? spe_index(&w.x->m, d->ptr.id, cv_index_(w, &d->index, "the index")) : d->ptr.id;
    *stride = strided ? cv_index_(w, &d->stride, "the stride") : 0;
    return spe_ok(&w.x->m);
}

/* Element i from where cv_locate_ says, as a pointer to `width` elements. */
static spe_id cv_pointer_to_(spe_module *m, spe_id at, spe_id stride, int type, int i, int width)
{
    spe_id offset = stride ? spe_imul(m, stride, spe_i32(m, i)) : spe_i32(m, i);
    spe_id p = i ? spe_index(m, at, offset) : at;
    return width > 1 ? spe_ptr_cast(m, p, spe_vec(m, cv_spe_type_(m, type), (uint32_t)width)) : p;
}

cv_vec cv_load_(cv_where_ w, cv_memory_ d)
{
    spe_module *m = &w.x->m;
    int type = d.ptr.type;
    spe_id at, stride;
    if (!cv_locate_(w, &d, &at, &stride) || !cv_check_length_(w, d.count)) return cv_no_vec_();
    cv_vec v = cv_new_(w.x, type, d.count);
    spe_id *ids = stride ? cv_ids_(m, d.count) : v.part;
    for (int i = 0, part = 0, width; ids && i < d.count; i += width, part++) {
        width = stride ? 1 : spe_part_length(d.count, part);
        ids[part] = spe_load(m, cv_pointer_to_(m, at, stride, type, i, width), (uint32_t)cv_bytes_(type));
    }
    return stride && ids ? cv_from_scalars_(w.x, type, d.count, ids) : v;
}

void cv_store_(cv_where_ w, cv_memory_ d)
{
    spe_module *m = &w.x->m;
    const cv_vec v = d.vec;
    int type = d.ptr.type;
    spe_id at, stride;
    if (!cv_enter_(w) || !cv_check_vec_(w, &v) || !cv_locate_(w, &d, &at, &stride)) return;
    if (type != (int)v.type)
        cv_fail_(w, CV_ERROR_STORE_TYPE, "a vector of %s to a ptr<%s>; %s converts it", cv_type_text_(v.type),
                 cv_type_name(type), (int)v.type == CV_BOOL_ ? "CV_SELECT" : "CV_CAST");
    for (int i = 0, part = 0, width; spe_ok(m) && i < v.length; i += width, part++) {
        spe_id id = stride ? cv_get_(m, &v, i) : v.part[part];
        width = stride ? 1 : spe_part_length(v.length, part);
        spe_store(m, cv_pointer_to_(m, at, stride, type, i, width), id, (uint32_t)cv_bytes_(type));
    }
}

/* Is the constant i a valid element index? */
static bool cv_check_element_(cv_where_ w, const cv_vec *v, const cv_val *i)
{
    return cv_check_vec_(w, v) &&
           ((i->kind == SPE_INT && i->integer >= 0 && i->integer < v->length) ||
            cv_fail_(w, CV_ERROR_ELEMENT, "%s of a vector of %d", cv_describe_(i).s, v->length));
}

/* Element i, which may be computed by the kernel. */
cv_val cv_element_(cv_where_ w, const cv_any_ *given)
{
    const cv_vec v = given[0].vec;
    const cv_val i = given[1].val;
    spe_module *m = &w.x->m;
    spe_id got = 0;
    if (!cv_enter_(w) || !cv_check_vec_(w, &v)) return cv_nothing_();
    if (i.kind == SPE_INT) {
        if (cv_check_element_(w, &v, &i)) got = cv_take_(w.x, &v, (int)i.integer);
        return cv_scalar_(w.x, v.type, got, false);
    }
    spe_id at = cv_index_(w, &i, "the element's number");
    for (int part = 0, start = 0, n; at && part < v.parts; start += n, part++) {
        spe_id one = v.part[part], first = spe_i32(m, start);
        n = spe_part_length(v.length, part);
        if (n > 1) { /* masked, as lanes that need another part must not index outside this one */
            spe_id mask = spe_i32(m, n - 1);
            one = spe_extract_dyn(m, one, spe_and(m, spe_isub(m, at, first), mask));
        }
        got = got ? spe_select(m, spe_sge(m, at, first), one, got) : one;
    }
    return cv_scalar_(w.x, v.type, cv_reload_(w.x, v.type, got), false);
}

/* The vector with element i, a constant, replaced. */
cv_vec cv_set_element_(cv_where_ w, const cv_any_ *given)
{
    const cv_vec v = given[0].vec;
    const cv_val i = given[1].val, *value = &given[2].val;
    int component;
    if (!cv_enter_(w) || !cv_check_element_(w, &v, &i)) return cv_no_vec_();
    cv_vec out = cv_from_parts_(w.x, v.type, v.length, v.part);
    int part = cv_part_of_(v.length, (int)i.integer, &component);
    if (out.parts) out.part[part] = spe_insert(&w.x->m, v.part[part], cv_id_(w, v.type, value), (uint32_t)component);
    return out;
}

cv_vec cv_concat_(cv_where_ w, const cv_vec *given)
{
    const cv_vec a = given[0], b = given[1];
    spe_id ids[CV_VECTOR_MAX_];
    if (!cv_enter_(w) || !cv_check_vec_(w, &a) || !cv_check_vec_(w, &b)) return cv_no_vec_();
    if (a.type != b.type) cv_fail_(w, CV_ERROR_VEC_TYPE, "%s and %s", cv_type_text_(a.type), cv_type_text_(b.type));
    if (!cv_check_length_(w, a.length + b.length)) return cv_no_vec_();
    if (a.length % 8 == 0) {
        memcpy(ids, a.part, (size_t)a.parts * sizeof *ids);
        memcpy(ids + a.parts, b.part, (size_t)b.parts * sizeof *ids);
        return cv_from_parts_(w.x, a.type, a.length + b.length, ids);
    }
    cv_take_all_(w.x, &b, 0, b.length, ids + a.length);
    cv_take_all_(w.x, &a, 0, a.length, ids);
    return cv_from_scalars_(w.x, a.type, a.length + b.length, ids);
}

cv_vec cv_slice_(cv_where_ w, cv_vec v, int first, int n)
{
    spe_id ids[CV_VECTOR_MAX_];
    if (!cv_enter_(w) || !cv_check_vec_(w, &v) || !cv_check_length_(w, n)) return cv_no_vec_();
    if (first < 0 || first > v.length - n)
        return CV_FAIL_VEC_(w, CV_ERROR_ELEMENT, "%d to %lld of a vector of %d", first, (long long)first + n - 1,
                            v.length);
    if (first % 8 == 0 && (n % 8 == 0 || first + n == v.length))
        return cv_from_parts_(w.x, v.type, n, v.part + first / 8);
    cv_take_all_(w.x, &v, first, n, ids);
    return cv_from_scalars_(w.x, v.type, n, ids);
}

cv_interpreted_vector cv_same_input_(cv_interpreted_vector v) { return v; }
cv_interpreted_vector cv_plain_input_(cv_vec v)
{
    cv_interpreted_vector in = {v, v.type};
    return in;
}

/* Are both vectors of one type and length? */
static bool cv_check_alike_(cv_where_ w, const cv_vec *p, const cv_vec *q)
{
    if (!cv_check_vec_(w, p) || !cv_check_vec_(w, q)) return false;
    if (p->type != q->type)
        return cv_fail_(w, CV_ERROR_VEC_TYPE, "%s and %s", cv_type_text_(p->type), cv_type_text_(q->type));
    return p->length == q->length ||
           cv_fail_(w, CV_ERROR_VEC_SHAPE, "%d elements and %d", p->length, q->length);
}

/* Two operands as vectors of one type and length; a number is repeated. */
static bool cv_match_(cv_where_ w, const cv_any_ *a, const cv_any_ *b, cv_vec *p, cv_vec *q)
{
    const cv_vec *shape = cv_is_vec_(a) ? &a->vec : &b->vec;
    if (!cv_enter_(w) || !cv_check_vec_(w, shape)) return false;
    *p = cv_is_vec_(a) ? a->vec : cv_repeat_(w, shape->type, shape->length, &a->val);
    *q = cv_is_vec_(b) ? b->vec : cv_repeat_(w, shape->type, shape->length, &b->val);
    if (shape->cooperative && p->parts && q->parts && !(cv_is_vec_(a) && cv_is_vec_(b)))
        w.x->vulkan->repeat(w.x, shape == &a->vec ? q : p, shape->cooperative);
    return cv_check_alike_(w, p, q);
}

cv_vec cv_binary_vec_(cv_where_ w, int op, const char *name, const cv_any_ *given)
{
    cv_vec p, q;
    if (!cv_match_(w, &given[0], &given[1], &p, &q)) return cv_no_vec_();
    if ((p.cooperative || q.cooperative) && w.x->vulkan->takes(op, p.type)) return w.x->vulkan->binary(w.x, op, &p, &q);
    cv_vec v = cv_new_(w.x, op < SPE_ARITH_EQ ? (int)p.type : (int)CV_BOOL_, p.length);
    for (int i = 0; i < v.parts; i++) {
        v.part[i] = cv_emit_(&w.x->m, op, p.type, p.part[i], q.part[i]);
        if (!v.part[i]) cv_fail_(w, CV_ERROR_OPERATION, "%s on a vector of %s", name, cv_type_text_(p.type));
    }
    return v;
}

/* The operands of a choice by `c` as vectors; of two numbers, their common type. */
static bool cv_choices_(cv_where_ w, const cv_any_ *c, const cv_any_ *a, const cv_any_ *b, cv_vec *p, cv_vec *q)
{
    if (cv_is_vec_(a) || cv_is_vec_(b)) return cv_match_(w, a, b, p, q);
    int type = cv_common_type_(&a->val, &b->val);
    *p = cv_repeat_(w, type, c->vec.length, &a->val);
    *q = cv_repeat_(w, type, c->vec.length, &b->val);
    return cv_check_alike_(w, p, q);
}

/* given: the condition or mask, and what it chooses from; not all of them are numbers. */
cv_vec cv_select_vec_(cv_where_ w, const cv_any_ *given)
{
    cv_vec p, q;
    const cv_any_ *c = &given[0];
    bool mask = cv_is_vec_(c);
    if (!cv_enter_(w) || (mask && !cv_check_vec_(w, &c->vec))) return cv_no_vec_();
    if (mask && (int)c->vec.type != CV_BOOL_)
        return CV_FAIL_VEC_(w, CV_ERROR_CONDITION, "CV_SELECT got a vector of %s", cv_type_name(c->vec.type));
    if ((!mask && !cv_check_condition_(w, "CV_SELECT", &c->val)) || !cv_choices_(w, c, &given[1], &given[2], &p, &q))
        return cv_no_vec_();
    if (mask && c->vec.length != p.length)
        return CV_FAIL_VEC_(w, CV_ERROR_VEC_SHAPE, "a mask of %d elements and vectors of %d", c->vec.length, p.length);
    spe_id one = mask ? 0 : cv_id_(w, CV_BOOL_, &c->val);
    cv_vec v = cv_new_(w.x, p.type, p.length);
    for (int i = 0; i < v.parts; i++)
        v.part[i] = spe_select(&w.x->m, mask ? c->vec.part[i] : one, p.part[i], q.part[i]);
    return v;
}

/* Checks that a function of floats takes this type. */
static bool cv_check_real_(cv_where_ w, const char *function, const char *on, int type)
{
    return cv_is_float_(type) || cv_fail_(w, CV_ERROR_OPERATION, "%s on %s%s", function, on, cv_type_text_(type));
}

/* a b + c, rounded once. */
cv_vec cv_fma_(cv_where_ w, const cv_any_ *given)
{
    cv_vec p, q, r, v;
    if (!cv_match_(w, &given[0], &given[1], &p, &q) || !cv_match_(w, &given[2], &given[1], &r, &q) ||
        !cv_check_real_(w, "CV_FMA", "a vector of ", p.type))
        return cv_no_vec_();
    if (p.cooperative || q.cooperative || r.cooperative) return w.x->vulkan->multiply_add(w.x, &p, &q, &r);
    v = cv_new_(w.x, p.type, p.length);
    for (int i = 0; i < v.parts; i++) v.part[i] = spe_math3(&w.x->m, SPE_FMA, p.part[i], q.part[i], r.part[i]);
    return v;
}

/* Emits a function on f32 scalars or vectors. */
static spe_id cv_emit_function_(spe_module *m, int fn, spe_id v)
{
    spe_id type = spe_type_of(m, v), one = spe_const_f(m, type, 1.0), cube;
    if (fn < CV_SIGMOID_) return spe_math1(m, (spe_math_op)fn, v);
    if (fn == CV_SIGMOID_) return spe_fdiv(m, one, spe_fadd(m, one, spe_math1(m, SPE_EXP, spe_fneg(m, v))));
    /* x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) */
    cube = spe_fmul(m, v, spe_const_f(m, type, 0.044715));
    cube = spe_fmul(m, spe_fmul(m, v, v), cube);
    spe_id scale = spe_const_f(m, type, 0.7978845608028654);
    cube = spe_fmul(m, spe_fadd(m, v, cube), scale);
    one = spe_fadd(m, one, spe_math1(m, SPE_TANH, cube));
    return spe_fmul(m, spe_fmul(m, v, spe_const_f(m, type, 0.5)), one);
}

/* f16 is computed in f32 and rounded once. */
static spe_id cv_function_of_(spe_module *m, int fn, int type, spe_id v)
{
    spe_id wide = spe_vec_like(m, spe_float(m, 32), v);
    if (type == CV_F32 || fn == SPE_FABS || fn == SPE_FLOOR) return cv_emit_function_(m, fn, v);
    return spe_fconvert(m, spe_type_of(m, v), cv_emit_function_(m, fn, spe_fconvert(m, wide, v)));
}

cv_vec cv_function_vec_(cv_where_ w, int fn, const char *name, cv_any_ a)
{
    if (!cv_enter_(w) || !cv_check_vec_(w, &a.vec) || !cv_check_real_(w, name, "a vector of ", a.vec.type))
        return cv_no_vec_();
    cv_vec v = cv_new_(w.x, a.vec.type, a.vec.length);
    for (int i = 0; i < v.parts; i++) v.part[i] = cv_function_of_(&w.x->m, fn, v.type, a.vec.part[i]);
    return v;
}

cv_val cv_function_scalar_(cv_where_ w, int fn, const char *name, cv_any_ a)
{
    int type = a.val.kind == SPE_SCALAR ? a.val.type : CV_F32;
    if (!cv_enter_(w) || !cv_check_real_(w, name, "", type)) return cv_nothing_();
    spe_id id = cv_id_(w, type, &a.val);
    return cv_scalar_(w.x, type, id ? cv_function_of_(&w.x->m, fn, type, id) : 0, a.val.uniform);
}

/* given: the vector and the slope. */
cv_vec cv_leaky_relu_(cv_where_ w, const cv_any_ *given)
{
    spe_module *m = &w.x->m;
    cv_vec p, q;
    if (!cv_match_(w, &given[0], &given[1], &p, &q)) return cv_no_vec_();
    cv_vec v = cv_new_(w.x, p.type, p.length);
    for (int i = 0; i < v.parts; i++) {
        spe_id zero = spe_null(m, spe_type_of(m, p.part[i]));
        spe_id below = cv_emit_(m, SPE_ARITH_MUL, p.type, p.part[i], q.part[i]);
        v.part[i] = spe_select(m, cv_emit_(m, SPE_ARITH_GT, p.type, p.part[i], zero), p.part[i], below);
    }
    return v;
}

/* The bounds of an integer type. */
static int64_t cv_least_(int bits, bool is_signed) { return is_signed ? -((int64_t)1 << (bits - 1)) : 0; }
static int64_t cv_most_(int bits, bool is_signed) { return ((int64_t)1 << (bits - is_signed)) - 1; }

/* Between lo and hi, in v's own type. */
static spe_id cv_clamp_int_(spe_module *m, spe_id v, bool is_signed, int64_t lo, int64_t hi)
{
    spe_id type = spe_type_of(m, v);
    int bits = (int)spe_width(m, type);
    if (lo > cv_least_(bits, is_signed)) v = spe_math2(m, is_signed ? SPE_SMAX : SPE_UMAX, v, spe_const_i(m, type, lo));
    if (hi < cv_most_(bits, is_signed)) v = spe_math2(m, is_signed ? SPE_SMIN : SPE_UMIN, v, spe_const_i(m, type, hi));
    return v;
}

static spe_id cv_int_to_int_(spe_module *m, spe_id v, int from, int to)
{
    const cv_type_row *t = cv_type_info(to);
    bool sign = cv_is_signed_(from);
    spe_id type = spe_vec_like(m, cv_spe_type_(m, to), v);
    v = cv_clamp_int_(m, v, sign, cv_least_(t->bits, t->is_signed), cv_most_(t->bits, t->is_signed));
    return spe_cast(m, type, v, sign);
}

static spe_id cv_float_to_int_(spe_module *m, spe_id v, int to)
{
    spe_id wide = spe_vec_like(m, spe_float(m, 32), v), integer = spe_vec_like(m, spe_int(m, 32), v),
           type = spe_vec_like(m, cv_spe_type_(m, to), v);
    const cv_type_row *t = cv_type_info(to);
    v = spe_math1(m, SPE_RINT, spe_fconvert(m, wide, v));
    if (t->bits < 32) { /* the bounds are exact in f32; fmax turns NaN into the lower bound, so NaN is replaced first */
        double lo = (double)cv_least_(t->bits, t->is_signed), hi = (double)cv_most_(t->bits, t->is_signed);
        spe_id zero = spe_const_f(m, wide, 0);
        v = spe_select(m, spe_isnan(m, v), zero, v);
        spe_id most = spe_const_f(m, wide, hi);
        v = spe_math2(m, SPE_FMIN, spe_math2(m, SPE_FMAX, v, spe_const_f(m, wide, lo)), most);
        return spe_uconvert(m, type, spe_f_to_s(m, integer, v));
    }
    spe_conversion saturating = {true, t->is_signed, true, false, 0};
    return spe_cast_as(m, type, v, &saturating);
}

/* f32 rounded to an FP8 value, still f32: to a multiple of the last place, 2^(exponent - mantissa bits). */
static spe_id cv_round_fp8_(spe_module *m, spe_id v, int to)
{
    spe_id real = spe_vec_like(m, spe_float(m, 32), v), word = spe_vec_like(m, spe_int(m, 32), v), e, place, inverse, r;
    int mantissa = to == CV_E4M3 ? 3 : 2, least = to == CV_E4M3 ? 127 - 6 : 127 - 14; /* of normal numbers, biased */
    double largest = to == CV_E4M3 ? 448 : 57344;
    spe_id exponents = spe_const_u(m, word, 255), shift = spe_const_u(m, word, 23);
    e = spe_and(m, spe_shr(m, spe_bitcast(m, word, v), shift), exponents);
    e = spe_math2(m, SPE_UMAX, e, spe_const_i(m, word, least));
    place = spe_bitcast(m, real, spe_shl(m, spe_isub(m, e, spe_const_i(m, word, mantissa)), shift));
    inverse = spe_bitcast(m, real, spe_shl(m, spe_isub(m, spe_const_i(m, word, 254 + mantissa), e), shift));
    r = spe_fmul(m, spe_math1(m, SPE_RINT, spe_fmul(m, v, inverse)), place);
    spe_id most = spe_const_f(m, real, largest);
    r = spe_math2(m, SPE_FMIN, spe_math2(m, SPE_FMAX, r, spe_const_f(m, real, -largest)), most);
    return spe_select(m, spe_isnan(m, v), v, r);
}

/* FP8 in the upper halves of 16-bit integers (the lower are ignored) as f16 of the same value. E5M2 needs no change;
 * E4M3 has one more mantissa bit, and its exponent bias is 8 less. Only its NaN, all ones, becomes a power of two when
 * one is added below the mantissa, and the resulting bit makes it a NaN in f16. */
XE_FN_ spe_id cv_decode_fp8_high_(spe_module *m, spe_id v, int type)
{
    spe_id half = spe_vec_like(m, spe_float(m, 16), v), word = spe_type_of(m, v), nan;
    if (type == CV_E5M2) return spe_bitcast(m, half, spe_and(m, v, spe_const_u(m, word, 0xff00)));
    spe_id kept = spe_const_u(m, word, 0xbf80);
    v = spe_and(m, spe_sar(m, v, spe_const_u(m, word, 1)), kept);
    spe_id top = spe_const_u(m, word, 0x4000);
    nan = spe_and(m, spe_iadd(m, v, spe_const_u(m, word, 0x80)), top);
    spe_id scale = spe_const_f(m, half, 256);
    return spe_fmul(m, spe_bitcast(m, half, spe_or(m, v, nan)), scale);
}

/* Converts a value in memory to the form it is held in. */
XE_FN_ spe_id cv_decode_(spe_module *m, spe_id v, int type)
{
    if (!cv_is_fp8_(type)) return v;
    spe_id word = spe_vec_like(m, spe_int(m, 16), v), eight = spe_const_u(m, word, 8);
    return cv_decode_fp8_high_(m, spe_shl(m, spe_uconvert(m, word, v), eight), type);
}

static spe_id cv_float_to_float_(spe_module *m, spe_id v, int from, int to)
{
    spe_id real = spe_vec_like(m, spe_float(m, 32), v), half = spe_vec_like(m, spe_float(m, 16), v);
    if (!cv_is_fp8_(to)) return spe_fconvert(m, to == CV_F32 ? real : half, v);
    return from == to ? v : spe_fconvert(m, half, cv_round_fp8_(m, spe_fconvert(m, real, v), to));
}

/* 32-bit integers are converted to floats of 16 bits and less through f32, which is exact after clamping those that
 * become infinity or the maximum anyway. */
static spe_id cv_int_to_float_(spe_module *m, spe_id v, int from, int to)
{
    spe_id real = spe_vec_like(m, spe_float(m, 32), v);
    bool sign = cv_is_signed_(from);
    if (to != CV_F32) v = cv_clamp_int_(m, v, sign, sign ? -65536 : 0, 65536);
    return cv_float_to_float_(m, spe_cast(m, real, v, sign), CV_F32, to);
}

/* Converts a held scalar or vector to another type. Neither is packed. */
XE_FN_ spe_id cv_convert_value_(spe_module *m, spe_id v, int from, int to)
{
    if (!spe_ok(m) || from == to) return v;
    if (cv_is_float_(from)) return cv_is_float_(to) ? cv_float_to_float_(m, v, from, to) : cv_float_to_int_(m, v, to);
    return cv_is_float_(to) ? cv_int_to_float_(m, v, from, to) : cv_int_to_int_(m, v, from, to);
}

/* Converts a held value to the type of sums: f32, or a 32-bit integer. Exact except for 32-bit integers to f32. */
XE_FN_ spe_id cv_to_sum_(spe_module *m, spe_id v, int type, bool real)
{
    return spe_cast(m, spe_vec_like(m, real ? spe_float(m, 32) : spe_int(m, 32), v), v, cv_is_signed_(type));
}

/* Converts a vector to another type. */
XE_FN_ cv_vec cv_convert_vec_(cv_ctx *x, const cv_vec *v, int type)
{
    cv_vec r = cv_new_(x, type, v->length);
    for (int i = 0; i < r.parts; i++) r.part[i] = cv_convert_value_(&x->m, v->part[i], v->type, type);
    return r;
}

cv_vec cv_cast_vec_(cv_where_ w, int type, cv_any_ a)
{
    if (!cv_enter_(w) || !cv_check_vec_(w, &a.vec) || !cv_check_type_(w, type)) return cv_no_vec_();
    if ((int)a.vec.type == CV_BOOL_)
        return CV_FAIL_VEC_(w, CV_ERROR_SCALAR_TYPE, "a mask to %s; CV_SELECT converts it", cv_type_name(type));
    return cv_convert_vec_(w.x, &a.vec, type);
}

cv_val cv_cast_scalar_(cv_where_ w, int type, cv_any_ a)
{
    int from = cv_common_type_(&a.val, &a.val);
    if (!cv_enter_(w)) return cv_nothing_();
    if (!cv_type_info(type) || cv_is_packed_(type) || cv_is_fp8_(type) || from == CV_BOOL_)
        cv_fail_(w, CV_ERROR_SCALAR_TYPE, "%s to %s", cv_type_text_(from), cv_type_text_(type));
    spe_id id = spe_ok(&w.x->m) ? cv_id_(w, from, &a.val) : 0;
    return cv_scalar_(w.x, type, id ? cv_convert_value_(&w.x->m, id, from, type) : 0, a.val.uniform);
}
