/* control.c - control flow. */
#include "internal.h"

/* Reads what a carried pointer points to; its first word tells what it is. */
static bool cv_read_(cv_where_ w, void *object, cv_thing_ *t, int number)
{
    memset(t, 0, sizeof *t);
    memcpy(&t->magic, object, sizeof t->magic);
    if (t->magic == CV_VAL_MAGIC_)
        memcpy(&t->val, object, sizeof t->val);
    else if (t->magic == CV_VEC_MAGIC_)
        memcpy(&t->vec, object, sizeof t->vec);
    if ((t->magic == CV_VAL_MAGIC_ && t->val.kind != CV_NONE_ && t->val.kind != CV_POINTER_) ||
        (t->magic == CV_VEC_MAGIC_ && t->vec.parts))
        return true;
    cv_fail_(w, CV_ERROR_CARRIED, "number %d of the list is something else, or was never set", number + 1);
    return false;
}

/* The type in which a number is carried: a C constant's is i32 or f32. */
static int cv_carried_type_(const cv_thing_ *t)
{
    if (t->magic == CV_VEC_MAGIC_) return t->vec.type;
    return t->val.kind == CV_INT_ ? (int)CV_I32 : t->val.kind == CV_REAL_ ? (int)CV_F32 : t->val.type;
}

static int cv_thing_ids_(const cv_thing_ *t) { return t->magic == CV_VEC_MAGIC_ ? t->vec.parts : 1; }

/* The ids of all carried values as they are now; they must be of the kinds they were at the start. */
static bool cv_gather_(cv_where_ w, cv_frame_ *f)
{
    int i, at = 0;
    for (i = 0; i < f->slots; i++) {
        cv_thing_ now, *start = &f->slot[i].start;
        int type = cv_carried_type_(start), other;
        if (!cv_read_(w, f->slot[i].object, &now, i)) return false;
        other = now.magic == CV_VAL_MAGIC_ && now.val.kind != CV_SCALAR_ ? type : cv_carried_type_(&now);
        if (now.magic != start->magic || other != type || now.vec.n != start->vec.n) {
            cv_fail_(w, CV_ERROR_CARRIED_TYPE, "number %d of the list was %s, %d, and is %s, %d", i + 1,
                     cv_type_text_(type), start->vec.n ? start->vec.n : 1, cv_type_text_(other),
                     now.vec.n ? now.vec.n : 1);
            return false;
        }
        if (now.magic == CV_VEC_MAGIC_)
            memcpy(f->ids + at, now.vec.part, (size_t)now.vec.parts * sizeof(spe_id));
        else
            f->ids[at] = cv_id_(w, type, &now.val);
        at += cv_thing_ids_(start);
    }
    return spe_ok(&w.x->m);
}

/* Writes f->ids back into the user's variables. */
static void cv_scatter_(cv_ctx *x, cv_frame_ *f)
{
    int i, at = 0;
    for (i = 0; i < f->slots; i++) {
        const cv_thing_ *start = &f->slot[i].start;
        if (start->magic == CV_VEC_MAGIC_) {
            cv_vec v = cv_new_(x, start->vec.type, start->vec.n);
            if (v.parts) memcpy(v.part, f->ids + at, (size_t)v.parts * sizeof(spe_id));
            memcpy(f->slot[i].object, &v, sizeof v);
        } else {
            cv_val v = cv_scalar_(cv_carried_type_(start), f->ids[at], false);
            memcpy(f->slot[i].object, &v, sizeof v);
        }
        at += cv_thing_ids_(start);
    }
}

static cv_frame_ *cv_open_(cv_where_ w, const char *name, void *const *objects, bool uniform)
{
    cv_ctx *x = w.x;
    int depth = spe_region_open(cv_blame_(w), &x->regions, name);
    cv_frame_ *f;
    int i;
    if (!depth) return NULL;
    f = &x->frames[depth - 1];
    memset(f, 0, sizeof *f);
    f->divergent = !uniform;
    while (objects[f->slots]) f->slots++;
    f->slot = (cv_slot_ *)spe_alloc(&x->m, (size_t)f->slots * sizeof *f->slot);
    if (!f->slot) return NULL;
    for (i = 0; i < f->slots; i++) {
        f->slot[i].object = objects[i];
        if (!cv_read_(w, objects[i], &f->slot[i].start, i)) return NULL;
        f->id_count += cv_thing_ids_(&f->slot[i].start);
    }
    f->ids = (spe_id *)spe_alloc(&x->m, ((size_t)f->id_count + 1) * sizeof(spe_id));
    if (!f->ids || !cv_gather_(w, f)) return NULL;
    x->divergent += f->divergent ? 1 : 0;
    return f;
}

/* The frame of the region of this depth, when it may be closed (spe_region_ends). */
static cv_frame_ *cv_closing_(cv_ctx *x, int depth, bool done)
{
    return spe_region_ends(&x->m, cv_errors_(), &x->regions, depth, done) ? &x->frames[depth - 1] : NULL;
}

/* At the end of a region: its values now. */
static bool cv_gather_end_(cv_ctx *x, cv_frame_ *f)
{
    spe_blame at = spe_region_blame(&x->m, cv_errors_(), &x->regions);
    cv_where_ w = cv_where_at_(x, at.file, at.line);
    return cv_enter_(w) && cv_gather_(w, f);
}

static void cv_close_(cv_ctx *x, cv_frame_ *f)
{
    cv_scatter_(x, f);
    x->regions.depth--;
    x->divergent -= f->divergent ? 1 : 0;
}

cv_loop_ cv_for_begin_(cv_where_ w, cv_val lo, cv_val hi, cv_val step, void *const *objects)
{
    cv_ctx *x = w.x;
    cv_loop_ loop;
    cv_frame_ *f;
    spe_id from, to, by;
    memset(&loop, 0, sizeof loop);
    loop.x = x;
    loop.index = cv_nothing_();
    if (!cv_enter_(w)) return loop;
    from = cv_index_(w, &lo, "the loop's start");
    to = cv_index_(w, &hi, "the loop's end");
    by = cv_index_(w, &step, "the loop's step");
    if (step.kind == CV_INT_ && step.i <= 0) cv_fail_(w, CV_ERROR_LOOP_STEP, "got %lld", (long long)step.i);
    if (!spe_ok(&x->m)) return loop;
    f = cv_open_(w, "CV_FOR", objects, lo.uniform && hi.uniform && step.uniform);
    if (!f) return loop;
    loop.frame = x->regions.depth;
    loop.index = cv_scalar_(CV_I32, spe_for(&x->m, from, to, by, (uint32_t)f->id_count, f->ids), !f->divergent);
    cv_scatter_(x, f);
    return loop;
}

static void cv_for_end_(cv_loop_ *loop)
{
    cv_frame_ *f = cv_closing_(loop->x, loop->frame, loop->done);
    if (!f || !cv_gather_end_(loop->x, f)) return;
    spe_endfor(&loop->x->m, (uint32_t)f->id_count, f->ids);
    cv_close_(loop->x, f);
}

bool cv_for_next_(cv_loop_ *loop)
{
    if (loop->turn++ == 0) return true;
    if (loop->frame) cv_for_end_(loop);
    return false;
}

const cv_val *cv_for_done_(cv_loop_ *loop)
{
    loop->done = true;
    return NULL;
}

cv_branch_ cv_if_begin_(cv_where_ w, cv_val condition, void *const *objects)
{
    cv_ctx *x = w.x;
    cv_branch_ b;
    memset(&b, 0, sizeof b);
    b.x = x;
    b.side = -1;
    if (!cv_enter_(w)) return b;
    if (condition.magic != CV_VAL_MAGIC_ ||
        !(condition.kind == CV_INT_ || (condition.kind == CV_SCALAR_ && condition.type == CV_BOOL_))) {
        char text[48];
        cv_fail_(w, CV_ERROR_CONDITION, "CV_IF got %s", cv_describe_(&condition, text, sizeof text));
        return b;
    }
    if (!cv_open_(w, "CV_IF", objects, condition.uniform)) return b;
    b.frame = x->regions.depth;
    spe_if(&x->m, cv_id_(w, CV_BOOL_, &condition));
    return b;
}

/* After the first side: its values are kept, the variables are again what they were. */
static void cv_if_else_(cv_ctx *x, cv_frame_ *f)
{
    int i;
    if (!cv_gather_end_(x, f)) return;
    spe_else(&x->m, (uint32_t)f->id_count, f->ids);
    for (i = 0; i < f->slots; i++) {
        if (f->slot[i].start.magic == CV_VEC_MAGIC_)
            memcpy(f->slot[i].object, &f->slot[i].start.vec, sizeof(cv_vec));
        else
            memcpy(f->slot[i].object, &f->slot[i].start.val, sizeof(cv_val));
    }
}

static void cv_if_end_(cv_ctx *x, cv_frame_ *f)
{
    if (!cv_gather_end_(x, f)) return;
    spe_endif(&x->m, (uint32_t)f->id_count, f->ids, f->ids);
    cv_close_(x, f);
}

bool cv_if_next_(cv_branch_ *b)
{
    cv_frame_ *f;
    b->side++;
    if (b->side == 0) return true;
    f = b->frame ? cv_closing_(b->x, b->frame, true) : NULL;
    if (f && b->side == 1)
        cv_if_else_(b->x, f);
    else if (f)
        cv_if_end_(b->x, f);
    return b->side == 1;
}

void cv_barrier_(cv_where_ w)
{
    if (cv_enter_(w)) spe_barrier(&w.x->m);
}
