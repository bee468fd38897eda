/* control.c - control flow. */
#include "internal.h"

/* Bytes of a carried value, by its first word; 0: it is none. */
static size_t cv_thing_size_(uint32_t magic)
{
    return magic == SPE_VAL_MAGIC ? sizeof(cv_val) : magic == CV_VEC_MAGIC_ ? sizeof(cv_vec) : 0;
}

/* Reads what a carried pointer points to. */
static bool cv_read_(cv_where_ w, const void *object, cv_thing_ *t, int number)
{
    memset(t, 0, sizeof *t);
    memcpy(&t->magic, object, sizeof t->magic);
    memcpy(t, object, cv_thing_size_(t->magic));
    if (t->magic == CV_VEC_MAGIC_ ? t->vec.parts > 0 : spe_val_is_set(&t->val) && t->val.kind != SPE_POINTER)
        return true;
    cv_fail_(w, CV_ERROR_CARRIED, "number %d of the list is something else, or was never set", number + 1);
    return false;
}

/* The type in which a number is carried: a C constant's is i32 or f32. */
static int cv_carried_type_(const cv_thing_ *t)
{
    if (t->magic == CV_VEC_MAGIC_) return t->vec.type;
    return t->val.kind == SPE_INT ? (int)CV_I32 : t->val.kind == SPE_REAL ? (int)CV_F32 : t->val.type;
}

static int cv_thing_length_(const cv_thing_ *t) { return t->magic == CV_VEC_MAGIC_ ? t->vec.n : 1; }
static int cv_thing_ids_(const cv_thing_ *t) { return t->magic == CV_VEC_MAGIC_ ? t->vec.parts : 1; }

/* The ids of all carried values as they are now; they must be of the kinds they were at the start. */
static bool cv_gather_(cv_where_ w, cv_frame_ *f)
{
    for (int i = 0, at = 0; i < f->slots; i++) {
        cv_thing_ now, *start = &f->slot[i].start;
        int type = cv_carried_type_(start), other;
        if (!cv_read_(w, f->slot[i].object, &now, i)) return false;
        other = now.magic == SPE_VAL_MAGIC && now.val.kind != SPE_SCALAR ? type : cv_carried_type_(&now);
        if (now.magic != start->magic || other != type || cv_thing_length_(&now) != cv_thing_length_(start)) {
            cv_fail_(w, CV_ERROR_CARRIED_TYPE, "number %d of the list was %s, %d, and is %s, %d", i + 1,
                     cv_type_text_(type), cv_thing_length_(start), cv_type_text_(other), cv_thing_length_(&now));
            return false;
        }
        if (now.magic == CV_VEC_MAGIC_) memcpy(f->ids + at, now.vec.part, (size_t)now.vec.parts * sizeof(spe_id));
        else f->ids[at] = cv_id_(w, type, &now.val);
        at += cv_thing_ids_(start);
    }
    return spe_ok(&w.x->m);
}

/* Writes f->ids back into the user's variables. */
static void cv_scatter_(cv_ctx *x, cv_frame_ *f)
{
    for (int i = 0, at = 0; i < f->slots; i++) {
        cv_thing_ t = f->slot[i].start;
        if (t.magic == CV_VEC_MAGIC_) {
            t.vec = cv_new_(x, t.vec.type, t.vec.n);
            if (t.vec.parts) memcpy(t.vec.part, f->ids + at, (size_t)t.vec.parts * sizeof(spe_id));
        } else {
            t.val = cv_scalar_(cv_carried_type_(&t), f->ids[at], false);
        }
        memcpy(f->slot[i].object, &t, cv_thing_size_(t.magic));
        at += cv_thing_ids_(&f->slot[i].start);
    }
}

static cv_frame_ *cv_open_(cv_where_ w, spe_region *r, const char *name, void *const *objects, bool uniform)
{
    cv_ctx *x = w.x;
    cv_frame_ *f;
    if (!spe_region_open(r, name, w.file, w.line)) return NULL;
    f = &x->frames[r->depth - 1];
    memset(f, 0, sizeof *f);
    f->divergent = !uniform;
    while (objects[f->slots]) f->slots++;
    f->slot = (cv_slot_ *)spe_alloc(&x->m, (size_t)f->slots * sizeof *f->slot);
    if (!f->slot) return NULL;
    for (int i = 0; i < f->slots; i++) {
        f->slot[i].object = objects[i];
        if (!cv_read_(w, objects[i], &f->slot[i].start, i)) return NULL;
        f->id_count += cv_thing_ids_(&f->slot[i].start);
    }
    f->ids = cv_ids_(x, f->id_count + 1);
    if (!f->ids || !cv_gather_(w, f)) return NULL;
    x->divergent += f->divergent;
    return f;
}

/* At the end of a side: see spe_regions. */
void cv_region_end_(spe_module *m, const spe_region *r)
{
    cv_ctx *x = (cv_ctx *)(void *)m;
    cv_frame_ *f = &x->frames[r->depth - 1];
    cv_where_ w = {x, r->in->open[r->depth - 1].file, r->in->open[r->depth - 1].line};
    uint32_t n = (uint32_t)f->id_count;
    if (!cv_enter_(w) || !cv_gather_(w, f)) return;
    if (r->turn <= r->sides) { /* the variables are again what they were */
        spe_else(m, n, f->ids);
        for (int i = 0; i < f->slots; i++)
            memcpy(f->slot[i].object, &f->slot[i].start, cv_thing_size_(f->slot[i].start.magic));
        return;
    }
    if (r->sides == 1) spe_endfor(m, n, f->ids);
    else spe_endif(m, n, f->ids, f->ids);
    cv_scatter_(x, f);
    x->regions.depth--;
    x->divergent -= f->divergent;
}

spe_region cv_for_begin_(cv_where_ w, cv_val lo, cv_val hi, cv_val step, void *const *objects)
{
    cv_ctx *x = w.x;
    spe_region r = spe_region_of(&x->regions, 1);
    cv_frame_ *f;
    spe_id from, to, by;
    if (!cv_enter_(w)) return r;
    from = cv_index_(w, &lo, "the loop's start");
    to = cv_index_(w, &hi, "the loop's end");
    by = cv_index_(w, &step, "the loop's step");
    if (step.kind == SPE_INT && step.i <= 0) cv_fail_(w, CV_ERROR_LOOP_STEP, "got %lld", (long long)step.i);
    f = spe_ok(&x->m) ? cv_open_(w, &r, "CV_FOR", objects, lo.uniform && hi.uniform && step.uniform) : NULL;
    if (!f) return r;
    r.index = cv_scalar_(CV_I32, spe_for(&x->m, from, to, by, (uint32_t)f->id_count, f->ids), !f->divergent);
    cv_scatter_(x, f);
    return r;
}

spe_region cv_if_begin_(cv_where_ w, cv_val condition, void *const *objects)
{
    spe_region r = spe_region_of(&w.x->regions, 2);
    char text[48];
    if (!cv_enter_(w)) return r;
    if (!spe_val_is_condition(&condition, CV_BOOL_))
        cv_fail_(w, CV_ERROR_CONDITION, "CV_IF got %s", cv_describe_(&condition, text, sizeof text));
    else if (cv_open_(w, &r, "CV_IF", objects, condition.uniform))
        spe_if(&w.x->m, cv_id_(w, CV_BOOL_, &condition));
    return r;
}

void cv_barrier_(cv_where_ w)
{
    if (cv_enter_(w)) spe_barrier(&w.x->m);
}
