/* kernels.c - control flow, building a module, and the kernel that converts matrices. */
#include "internal.h"

/* The size of a carried value, from its first word; 0 if it is not one. */
static size_t cv_size_(uint32_t magic)
{
    return magic == SPE_VAL_MAGIC ? sizeof(cv_val) : magic == CV_VEC_MAGIC_ ? sizeof(cv_vec) : 0;
}

/* Reads the variable at a carried pointer. */
static bool cv_read_(cv_where_ w, const void *object, cv_any_ *a, int number)
{
    memset(a, 0, sizeof *a);
    memcpy(&a->magic, object, sizeof a->magic);
    memcpy(a, object, cv_size_(a->magic));
    if (cv_is_vec_(a) ? a->vec.parts < 1 : !spe_val_is_set(&a->val) || a->val.kind == SPE_POINTER)
        return cv_fail_(w, CV_ERROR_CARRIED, "number %d of the list is something else, or was never set", number + 1);
    return cv_live_(w, cv_is_vec_(a) ? a->vec.side : a->val.note);
}

/* The type of a carried value; its numbers of elements and ids. */
static int cv_carried_type_(const cv_any_ *a)
{
    return cv_is_vec_(a) ? (int)a->vec.type : cv_common_type_(&a->val, &a->val);
}

static int cv_carried_length_(const cv_any_ *a) { return cv_is_vec_(a) ? a->vec.length : 1; }
static int cv_carried_ids_(const cv_any_ *a) { return cv_is_vec_(a) ? a->vec.parts : 1; }

/* Reads the current ids of all carried values, which must still have their initial types. */
static bool cv_gather_(cv_where_ w, cv_frame_ *f)
{
    for (int i = 0, at = 0; i < f->count; i++) {
        cv_any_ now, *start = &f->start[i];
        if (!cv_read_(w, f->objects[i], &now, i)) return false;
        int type = cv_carried_type_(start), length = cv_carried_length_(start);
        int other = now.magic == SPE_VAL_MAGIC && now.val.kind != SPE_SCALAR ? type : cv_carried_type_(&now);
        if (now.magic != start->magic || other != type || cv_carried_length_(&now) != length)
            return cv_fail_(w, CV_ERROR_CARRIED_TYPE, "number %d of the list was %s, %d, and is %s, %d", i + 1,
                            cv_type_text_(type), length, cv_type_text_(other), cv_carried_length_(&now));
        if (cv_is_vec_(&now)) memcpy(f->ids + at, now.vec.part, (size_t)now.vec.parts * sizeof(spe_id));
        else f->ids[at] = cv_id_(w, type, &now.val);
        at += cv_carried_ids_(start);
    }
    return spe_ok(&w.x->m);
}

/* Writes f->ids back into the user's variables, as values of the side that begins. */
static void cv_scatter_(cv_ctx *x, cv_frame_ *f)
{
    for (int i = 0, at = 0; i < f->count; i++) {
        cv_any_ a = f->start[i];
        if (cv_is_vec_(&a)) a.vec = cv_from_parts_(x, a.vec.type, a.vec.length, f->ids + at);
        else a.val = cv_scalar_(x, cv_carried_type_(&a), f->ids[at], false);
        memcpy(f->objects[i], &a, cv_size_(a.magic));
        at += cv_carried_ids_(&f->start[i]);
    }
}

/* Begins a side of the innermost region, which ends the scope of the last side's values. */
static bool cv_side_begin_(cv_ctx *x, cv_frame_ *f)
{
    spe_region_line *at = (spe_region_line *)spe_list_add(&x->m, &x->sides, sizeof *at);
    if (!at) return false;
    *at = x->regions.open[x->regions.depth - 1];
    f->side = x->sides.count;
    return true;
}

static void cv_region_end_(spe_region *r)
{
    spe_module *m = r->in->module;
    cv_ctx *x = (cv_ctx *)(void *)m;
    cv_frame_ *f = &x->frames[r->depth - 1];
    spe_line at = {r->in->open[r->depth - 1].file, r->in->open[r->depth - 1].line};
    cv_where_ w = {x, &at};
    uint32_t n = (uint32_t)f->id_count;
    spe_at(m, at.file, at.line);
    if (!cv_gather_(w, f)) return;
    f->busy |= x->operations != f->operations || memcmp(f->ids, f->first, n * sizeof *f->ids) != 0;
    if (r->calls <= r->sides) {
        if (!cv_side_begin_(x, f)) return;
        if (f->loop) {
            cv_scatter_(x, f);
            r->index.note = f->side;
            return;
        }
        spe_else(m, n, f->ids); /* restore the variables */
        for (int i = 0; i < f->count; i++) memcpy(f->objects[i], &f->start[i], cv_size_(f->start[i].magic));
        return;
    }
    if (!f->busy)
        cv_fail_(w, CV_ERROR_EMPTY, "is there a semicolon after %s (...), or a variable that it should list?",
                 r->in->open[r->depth - 1].name);
    if (f->tested) spe_endwhile(m, n, f->ids);
    else if (f->loop) spe_endfor(m, n, f->ids);
    else spe_endif(m, n, f->ids, f->ids);
    x->regions.depth--;
    x->divergent -= f->divergent;
    cv_scatter_(x, f);
}

/* The condition of the C loop of a region. */
bool cv_region_next_(spe_region *r)
{
    if (spe_region_ended(r)) cv_region_end_(r);
    return spe_region_next(r);
}

static cv_frame_ *cv_open_(cv_where_ w, spe_region *r, const char *name, void *const *objects, bool uniform)
{
    cv_ctx *x = w.x;
    if (!spe_region_open(r, name, w.at->file, w.at->line)) return NULL;
    cv_frame_ *f = &x->frames[r->depth - 1];
    memset(f, 0, sizeof *f);
    f->divergent = !uniform;
    f->objects = objects;
    while (objects[f->count]) f->count++;
    f->start = (cv_any_ *)spe_alloc(&x->m, (size_t)f->count * sizeof *f->start);
    if (!f->start) return NULL;
    for (int i = 0; i < f->count; i++) {
        if (!cv_read_(w, objects[i], &f->start[i], i)) return NULL;
        f->id_count += cv_carried_ids_(&f->start[i]);
    }
    f->ids = cv_ids_(&x->m, f->id_count + 1);
    f->first = cv_ids_(&x->m, f->id_count + 1);
    f->operations = x->operations;
    if (!f->ids || !f->first || !cv_gather_(w, f) || !cv_side_begin_(x, f)) return NULL;
    memcpy(f->first, f->ids, (size_t)f->id_count * sizeof *f->ids);
    x->divergent += f->divergent;
    return f;
}

static cv_val cv_number_of_(cv_where_ w, int op, cv_val a, cv_val b)
{
    const cv_any_ both[2] = {cv_any_val_(a), cv_any_val_(b)};
    return cv_binary_scalar_(w, op, "CV_FOR", both);
}

/* The number of iterations, (hi - lo + step -+ 1) / step, of a loop whose step is computed and may be negative. */
static cv_val cv_iterations_(cv_where_ w, cv_val lo, cv_val hi, cv_val step)
{
    cv_val one = cv_number_of_(w, SPE_ARITH_SHR, step, spe_val_int(31)); /* 1 or -1, as the step's sign */
    one = cv_number_of_(w, SPE_ARITH_OR, one, spe_val_int(1));
    cv_val distance = cv_number_of_(w, SPE_ARITH_SUB, hi, lo), rest = cv_number_of_(w, SPE_ARITH_SUB, step, one);
    return cv_number_of_(w, SPE_ARITH_DIV, cv_number_of_(w, SPE_ARITH_ADD, distance, rest), step);
}

/* A loop's body begins: carried values are those of the iteration, `index` counts the iterations or is k. */
static void cv_body_begins_(cv_ctx *x, cv_frame_ *f)
{
    f->loop = true;
    x->loops++;
    cv_scatter_(x, f);
    memcpy(f->first, f->ids, (size_t)f->id_count * sizeof *f->ids);
}

/* given: start, end and step. */
spe_region cv_for_begin_(cv_where_ w, const cv_val *given, void *const *objects)
{
    const cv_val lo = given[0], hi = given[1], step = given[2];
    cv_ctx *x = w.x;
    spe_region r = spe_region_of(&x->regions, x->probing ? 2 : 1);
    if (!cv_enter_(w)) return r;
    spe_id from = cv_index_(w, &lo, "the loop's start");
    spe_id to = cv_index_(w, &hi, "the loop's end");
    spe_id by = cv_index_(w, &step, "the loop's step");
    if (step.kind == SPE_INT && step.integer == 0) cv_fail_(w, CV_ERROR_LOOP_STEP, "got 0");
    bool counted = step.kind == SPE_SCALAR && step.type == CV_I32;
    if (counted && spe_ok(&x->m)) {
        to = cv_iterations_(w, lo, hi, step).id;
        from = spe_i32(&x->m, 0);
        by = spe_i32(&x->m, 1);
    }
    cv_frame_ *f = spe_ok(&x->m) ? cv_open_(w, &r, "CV_FOR", objects, lo.uniform && hi.uniform && step.uniform) : NULL;
    if (!f) return r;
    r.index = cv_scalar_(x, CV_I32, spe_for(&x->m, from, to, by, (uint32_t)f->id_count, f->ids), !f->divergent);
    if (counted) {
        r.index = cv_number_of_(w, SPE_ARITH_MUL, r.index, step);
        r.index = cv_number_of_(w, SPE_ARITH_ADD, r.index, lo);
    }
    cv_body_begins_(x, f);
    f->operations = x->operations;
    return r;
}

/* Until its condition is known, it counts as divergent. */
spe_region cv_while_begin_(cv_where_ w, void *const *objects)
{
    cv_ctx *x = w.x;
    spe_region r = spe_region_of(&x->regions, x->probing ? 2 : 1);
    cv_frame_ *f = cv_enter_(w) ? cv_open_(w, &r, "CV_WHILE", objects, false) : NULL;
    if (!f) return r;
    f->tested = true;
    spe_while(&x->m, (uint32_t)f->id_count, f->ids);
    cv_body_begins_(x, f);
    return r;
}

spe_region *cv_while_test_(cv_where_ w, spe_region *r, cv_val condition)
{
    cv_ctx *x = w.x;
    if (!cv_enter_(w) || !r->depth || !cv_check_condition_(w, "CV_WHILE", &condition)) return r;
    cv_frame_ *f = &x->frames[r->depth - 1];
    spe_id id = cv_id_(w, CV_BOOL_, &condition);
    if (r->calls > 1) return r; /* a second walk through the body */
    spe_while_test(&x->m, id);
    if (condition.uniform) {
        f->divergent = false;
        x->divergent--;
    }
    f->operations = x->operations;
    return r;
}

spe_region cv_if_begin_(cv_where_ w, cv_val condition, void *const *objects)
{
    spe_region r = spe_region_of(&w.x->regions, 2);
    if (cv_enter_(w) && cv_check_condition_(w, "CV_IF", &condition) &&
        cv_open_(w, &r, "CV_IF", objects, condition.uniform))
        spe_if(&w.x->m, cv_id_(w, CV_BOOL_, &condition));
    return r;
}

void cv_barrier_(cv_where_ w)
{
    if (cv_enter_(w)) spe_barrier(&w.x->m);
}

/* See spe_type_by_name. Numbers cannot be 8-bit floats. */
static int cv_type_of_(const char *name, const spe_kernel_param *p)
{
    for (int i = 0; i < CV_TYPE_COUNT_; i++) {
        const cv_type_row *row = cv_type_at_(i);
        if (row->memory && strcmp(row->name, name) == 0)
            return p->local || (!p->pointer && cv_is_fp8_(row->type)) ? -1 : (int)row->type;
    }
    return -1;
}

/* Cooperative vectors, if the device has them. */
static void cv_use_device_(cv_ctx *x)
{
    const cv_target *t = x->desc->target;
    if (!x->m.options.env || x->desc->lowering == CM_PLAIN || !t->vector_product_count) return;
    x->vulkan = CV_VULKAN_PART_;
    x->products = t->vector_products;
    x->product_count = t->vector_product_count;
    x->vector_sums = t->vector_sums;
    x->max_vector = (int)t->max_vector;
}

static void cv_emit_module_(cv_ctx *x, cv_module *mod)
{
    spe_module *m = &x->m;
    spe_param params[SPE_PARAMS_MAX];
    spe_at(m, x->desc->file, x->desc->line);
    if (!cm_begin(&x->cm, m, &x->target, x->desc->lowering)) return;
    x->dpas = x->cm.lowering == CM_INTEL;
    cv_use_device_(x);
    x->block2d = x->dpas && (x->target.block2d_sizes & (uint32_t)x->S) && x->S == 16;
    for (int i = 0; i < x->param_count; i++)
        params[i] = spe_param_of(m, &x->params[i], cv_spe_type_(m, x->params[i].type));
    if (!spe_build_kernel(m, x->kernel->name, x->S, x->local_size, x->param_count, params)) return;
    for (int i = 0; i < x->param_count; i++) {
        x->args[i] = cv_scalar_(x, x->params[i].type, spe_param_id(m, (uint32_t)i), true);
        if (x->params[i].pointer) x->args[i].kind = SPE_POINTER;
    }
    x->kernel->body(x);
    spe_region_fail(&x->regions, "");
    spe_at(m, x->kernel->file, x->kernel->line);
    if (!spe_build_end(mod, x->kernel->name, x->kernel->params, x->S, x->local_size)) return;
    if (!spe_build_finish(mod, 1)) return;
    bool fits = x->local_size <= x->target.max_group_size / 2; /* with 256 registers, too */
    if (x->desc->registers == 256 || (!x->desc->registers && !x->target.block2d_sizes && fits))
        mod->build_flags = x->target.build_flags;
    else if (!x->desc->registers && x->target.build_flags[0] && fits)
        mod->build_flags = "-ze-intel-enable-auto-large-GRF-mode";
}

/* Does the target have the work-group's size and the registers that are asked for? */
static bool cv_check_resources_(cv_where_ w)
{
    const cv_build_desc *d = w.x->desc;
    int size = w.x->local_size, most = w.x->target.max_group_size;
    if (d->subgroups < 0 || d->subgroups > most || size < 1 || size > most)
        return cv_fail_(w, CV_ERROR_GROUP_SIZE, "%d work-items, %s takes %d", size, w.x->target.name, most);
    if (d->subgroups && d->local_size && d->subgroups * w.x->S != d->local_size)
        return cv_fail_(w, CV_ERROR_GROUP_SIZE, ".subgroups of %d are %d work-items, .local_size is %d", d->subgroups,
                        d->subgroups * w.x->S, d->local_size);
    return !d->registers || d->registers == 128 || d->registers == 256 ||
           cv_fail_(w, CV_ERROR_REGISTERS, ".registers is %d, wanted 128 or 256", d->registers);
}

/* One build; *loops: the number of loops in the kernel. */
static cv_module cv_build_once_(const cv_build_desc *desc, bool probing, int *loops)
{
    cv_module mod;
    const cv_kernel *k = desc->kernel;
    spe_line head_at = {k->file, k->line}, user_at = {desc->file, desc->line};
    cv_ctx *x = (cv_ctx *)spe_build_begin(&mod, cv_errors_(), sizeof *x, desc->version, cm_environment(desc->target),
                                          desc->names, desc->lines, k->file, user_at);
    cv_where_ head = {x, &head_at}, user = {x, &user_at};
    if (!x || !spe_ok(&x->m)) return mod;
    x->desc = desc;
    x->kernel = k;
    x->probing = probing;
    x->regions.module = &x->m;
    x->regions.errors = cv_errors_();
    x->param_count = spe_parse_params(cv_site_(head), k->params, cv_type_of_, x->params);
    if (x->param_count < 0 || !cm_choose_target(cv_site_(user), desc->target, desc->subgroup_size, &x->target))
        return mod;
    x->S = x->target.subgroup_size;
    x->local_size = desc->local_size ? desc->local_size : (desc->subgroups ? desc->subgroups : 4) * x->S;
    x->full = x->local_size % x->S == 0;
    if (cv_check_resources_(user)) cv_emit_module_(x, &mod);
    x->desc = NULL; /* belongs to the caller and may disappear */
    *loops = x->loops;
    return mod;
}

cv_module cv_build(const cv_build_desc *desc)
{
    int loops = 0;
    cv_module mod = cv_build_once_(desc, false, &loops), probe;
    if (!mod.words || !loops) return mod;
    probe = cv_build_once_(desc, true, &loops);
    if (probe.error->id == CV_ERROR_UNLISTED || probe.error->id == SPE_ERR_MEMORY ||
        probe.error->id == CV_ERROR_MEMORY) {
        cv_free(&mod);
        return probe;
    }
    cv_free(&probe);
    return mod;
}

void cv_free(cv_module *mod) { spe_built_free(mod); }

/* The parameters of the kernel, in their order: CV_CONVERT_PARAMS_. */
typedef struct {
    spe_id dest, src, slots, rows, cols, dest_type, dest_layout, dest_stride, src_type, src_layout, src_stride,
        dest_shift, src_shift, overflow;
} cv_convert_args_;
#define CV_CONVERT_PARAMS_                                                                                             \
    "ptr<u8> dest, ptr<u8> src, u32 slots, u32 rows, u32 cols, u32 dest_type, u32 dest_layout, u32 dest_stride, "      \
    "u32 src_type, u32 src_layout, u32 src_stride, u32 dest_shift, u32 src_shift, u32 overflow"

enum { CV_CONVERT_GROUP_ = 128 };

/* Converts f32 to the bits of a float type. NaN becomes the quiet NaN of the host's conversion. If `overflow` is set,
 * values beyond FP8's range become NaN (e4m3) or infinity (e5m2). */
static spe_id cv_encode_(cv_ctx *x, spe_id v, int type, spe_id overflow)
{
    spe_module *m = &x->m;
    spe_id bits = spe_int(m, (uint32_t)cv_bytes_(type) * 8);
    if (type == CV_F32) return v;
    spe_id r = type == CV_F16 ? spe_bitcast(m, bits, spe_fconvert(m, spe_float(m, 16), v))
                              : cm_from_arith(&x->cm, type == CV_E4M3 ? CM_E4M3 : CM_E5M2, v);
    spe_id sign = spe_and(m, r, spe_const_u(m, bits, type == CV_F16 ? 0x8000 : 0x80));
    spe_id nan = spe_const_u(m, bits, type == CV_F16 ? 0x7e00 : type == CV_E4M3 ? 0x7f : 0x7e);
    nan = spe_or(m, sign, nan);
    r = spe_select(m, spe_isnan(m, v), nan, r);
    if (type == CV_F16) return r;
    spe_id size = spe_math1(m, SPE_FABS, v);
    /* halfway beyond the largest number, which rounds to even: e4m3's largest is even, e5m2's is odd */
    spe_id beyond = type == CV_E4M3 ? spe_fgt(m, size, spe_f32(m, 464)) : spe_fge(m, size, spe_f32(m, 61440));
    beyond = spe_land(m, beyond, spe_ieq(m, overflow, spe_i32(m, CV_NO_SATURATE)));
    spe_id high = spe_const_u(m, bits, type == CV_E4M3 ? 0x7f : 0x7c);
    return spe_select(m, beyond, spe_or(m, spe_and(m, r, spe_const_u(m, bits, 0x80)), high), r);
}

/* cv_element_offset at run time; `shift` is the log2 of the element size. */
static spe_id cv_convert_offset_(spe_module *m, spe_id layout, spe_id stride, spe_id shift, spe_id rows, spe_id r,
                                 spe_id c)
{
    spe_id eights = spe_i32(m, ~7), padded = spe_and(m, spe_iadd(m, rows, spe_i32(m, 7)), eights);
    spe_id along = spe_shl(m, c, shift), in_panel = spe_and(m, along, spe_i32(m, 63)), panel = spe_i32(m, 64);
    in_panel = spe_iadd(m, spe_imul(m, r, panel), in_panel);
    spe_id optimal = spe_imul(m, spe_imul(m, spe_shr(m, along, spe_i32(m, 6)), padded), panel);
    optimal = spe_iadd(m, optimal, in_panel);
    spe_id row_major = spe_iadd(m, spe_imul(m, r, stride), along);
    spe_id down = spe_shl(m, r, shift), column_major = spe_iadd(m, spe_imul(m, c, stride), down);
    spe_id others = spe_select(m, spe_ieq(m, layout, spe_i32(m, CV_COLUMN_MAJOR)), column_major, optimal);
    return spe_select(m, spe_ieq(m, layout, spe_i32(m, CV_ROW_MAJOR)), row_major, others);
}

/* Equal types: copies the bits. dest, src: pointers to the element's bytes. */
static void cv_convert_copy_(spe_module *m, const cv_convert_args_ *a, spe_id dest, spe_id src, spe_id inside)
{
    for (int shift = 0; shift < 3; shift++) {
        spe_id type = spe_int(m, 8u << shift), zero = spe_const_u(m, type, 0), v;
        spe_if(m, spe_ieq(m, a->dest_shift, spe_i32(m, shift)));
        spe_if(m, inside);
        v = spe_load(m, spe_ptr_cast(m, spe_index(m, a->src, src), type), 1u << shift);
        spe_endif_from(m, 1, &v, &zero, &v);
        spe_store(m, spe_ptr_cast(m, spe_index(m, a->dest, dest), type), v, 1u << shift);
        spe_endif(m, 0, NULL, NULL);
    }
}

/* Different float types: converts through f32. */
static void cv_convert_float_(cv_ctx *x, const cv_convert_args_ *a, spe_id dest, spe_id src, spe_id inside)
{
    static const cv_type types[] = {CV_F32, CV_F16, CV_E4M3, CV_E5M2};
    spe_module *m = &x->m;
    spe_id real = spe_float(m, 32), zero = spe_f32(m, 0), value = zero, v;
    for (int i = 0; i < 4; i++) {
        spe_if(m, spe_land(m, inside, spe_ieq(m, a->src_type, spe_i32(m, types[i]))));
        spe_id type = cv_spe_type_(m, types[i]);
        v = spe_load(m, spe_ptr_cast(m, spe_index(m, a->src, src), type), (uint32_t)cv_bytes_(types[i]));
        v = spe_fconvert(m, real, cv_decode_(m, v, types[i]));
        spe_endif_from(m, 1, &v, &value, &value);
    }
    for (int i = 0; i < 4; i++) {
        spe_if(m, spe_ieq(m, a->dest_type, spe_i32(m, types[i])));
        v = cv_encode_(x, value, types[i], a->overflow);
        spe_store(m, spe_ptr_cast(m, spe_index(m, a->dest, dest), spe_type_of(m, v)), v, (uint32_t)cv_bytes_(types[i]));
        spe_endif(m, 0, NULL, NULL);
    }
}

/* One work-item per slot of the destination, including the padding of optimal layouts, which becomes zero. */
static void cv_convert_body_(cv_ctx *x)
{
    spe_module *m = &x->m;
    const cv_val *p = x->args;
    cv_convert_args_ a = {p[0].id, p[1].id, p[2].id, p[3].id,  p[4].id,  p[5].id, p[6].id,
                          p[7].id, p[8].id, p[9].id, p[10].id, p[11].id, p[12].id, p[13].id};
    spe_id i = spe_builtin(m, SPE_GLOBAL_ID, 0);
    spe_if(m, spe_ult(m, i, a.slots));
    spe_id optimal = spe_uge(m, a.dest_layout, spe_i32(m, CV_MUL_OPTIMAL));
    spe_id eights = spe_i32(m, ~7), padded = spe_and(m, spe_iadd(m, a.rows, spe_i32(m, 7)), eights);
    spe_id width = spe_select(m, optimal, spe_shr(m, spe_i32(m, 64), a.dest_shift), a.cols);
    padded = spe_select(m, optimal, padded, a.rows);
    spe_id panel = spe_udiv(m, i, spe_imul(m, padded, width));
    spe_id in_panel = spe_isub(m, i, spe_imul(m, panel, spe_imul(m, padded, width)));
    spe_id r = spe_udiv(m, in_panel, width);
    spe_id c = spe_isub(m, in_panel, spe_imul(m, r, width));
    c = spe_iadd(m, spe_imul(m, panel, width), c);
    spe_id inside = spe_ult(m, c, a.cols);
    inside = spe_land(m, spe_ult(m, r, a.rows), inside);
    spe_id dest = cv_convert_offset_(m, a.dest_layout, a.dest_stride, a.dest_shift, a.rows, r, c);
    spe_id src = cv_convert_offset_(m, a.src_layout, a.src_stride, a.src_shift, a.rows, r, c);
    spe_if(m, spe_ieq(m, a.dest_type, a.src_type));
    cv_convert_copy_(m, &a, dest, src, inside);
    spe_else(m, 0, NULL);
    cv_convert_float_(x, &a, dest, src, inside);
    spe_endif(m, 0, NULL, NULL);
    spe_endif(m, 0, NULL, NULL);
}

cv_module cv_conversion_module(const cv_target *target)
{
    static const cv_kernel kernel = {"cv_convert_matrix", CV_CONVERT_PARAMS_, __FILE__, __LINE__, cv_convert_body_};
    cv_build_desc desc = {&kernel, __FILE__, __LINE__, target, CV_CONVERT_GROUP_, 0, CM_AUTO, 0, 0,
                          false,   false,    NULL,     0,          false};
    return cv_build(&desc);
}

cv_conversion_arguments cv_conversion_arguments_of(const cv_conversion_info *info)
{
    const cv_conversion_dest_info *d = &info->dest_info;
    const cv_conversion_src_info *s = &info->src_info;
    uint32_t to = (uint32_t)cv_bytes_(d->dest_data_type), from = (uint32_t)cv_bytes_(s->src_data_type); /* 4, 2 or 1 */
    uint32_t slots = cv_is_optimal_(d->dest_layout) ? cv_dest_size_(d) / to : d->num_rows * d->num_columns;
    uint32_t groups = (slots + CV_CONVERT_GROUP_ - 1) / CV_CONVERT_GROUP_;
    cv_conversion_arguments a = {
        info->data_desc.dest, info->data_desc.src, groups, slots, d->num_rows, d->num_columns,
        (uint32_t)d->dest_data_type, (uint32_t)d->dest_layout, d->dest_stride,
        (uint32_t)s->src_data_type, (uint32_t)s->src_layout, s->src_stride, to / 2, from / 2,
        (uint32_t)info->overflow};
    return a;
}

bool cv_conversions_next_(cv_conversions_ *c)
{
    if (!c->next && !cv_check_conversions_(c->at.file, c->at.line, c->infos, c->count, c->error)) return false;
    if (c->next >= c->count) return false;
    c->now = cv_conversion_arguments_of(&c->infos[c->next++]);
    return true;
}
