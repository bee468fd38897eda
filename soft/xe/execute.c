/* execute.c - runs a thread from one stop to the next: active lanes, control flow, and dispatch of other instructions.
 *
 * A lane that does not execute waits at an instruction: goto, if and similar ones send it there, and a join or endif
 * there wakes it. The hardware's JIP is `jump` here, where the thread goes if no lane is left; UIP is `update`, where
 * the lanes go.
 */
#include <fenv.h>
#include <string.h>

#include "machine.h"

enum { SLICE = 1 << 16 }; /* instructions before switching to another thread, for which this one may be polling */

/* ---- waiting lanes -- */

static void wait_at(struct xe_thread *t, uint32_t lanes, uint32_t where)
{
    for (uint32_t n = 0; n < MAX_LANES; n++)
        if (lanes >> n & 1) t->target[n] = where;
    t->active &= ~lanes;
}

static void wake(struct xe_thread *t, uint32_t where)
{
    for (uint32_t n = 0; n < MAX_LANES; n++) {
        uint32_t lane = 1u << n;
        if (t->present & lane && !(t->active & lane) && t->target[n] == where) t->active |= lane;
    }
}

static void go(struct xe_thread *t, uint32_t where)
{
    t->next = where;
    wake(t, where);
}

static void go_on_if_none(struct xe_thread *t, uint32_t where)
{
    if (!t->active) go(t, where);
}

static void do_goto(struct xe_thread *t, const struct xe_instruction *i, uint32_t taken)
{
    if (i->function == XE_TO_TARGET_FIRST) {
        if (!taken) return;
        wait_at(t, t->active & ~taken, t->next);
        t->next = i->update;
        return;
    }
    wait_at(t, taken, i->update);
    go_on_if_none(t, i->jump);
}

static void do_while(struct xe_thread *t, const struct xe_instruction *i)
{
    uint32_t again;
    wake(t, t->ip); /* lanes that continue */
    again = xe_mask(t, i) & t->active;
    if (again) {
        wait_at(t, t->active & ~again, t->next);
        t->next = i->jump;
    } else {
        wake(t, t->next); /* those that left before, also by break */
    }
}

static void flow(struct xe_thread *t, const struct xe_instruction *i)
{
    uint32_t mask = xe_mask(t, i) & t->active;
    switch (i->operation) {
    case XE_goto: do_goto(t, i, mask); break;
    case XE_join:
    case XE_endif:
        wake(t, t->ip);
        go_on_if_none(t, i->jump);
        break;
    case XE_if:
        wait_at(t, t->active & ~mask, i->jump);
        go_on_if_none(t, i->jump);
        break;
    case XE_else:
        wait_at(t, t->active, i->update);
        wake(t, t->next);
        go_on_if_none(t, i->jump);
        break;
    case XE_while: do_while(t, i); break;
    case XE_break:
    case XE_cont:
        wait_at(t, mask, i->update + (i->operation == XE_break));
        go_on_if_none(t, i->jump);
        break;
    default: break;
    }
}

/* ---- calls: a register receives the return offset, in bytes, and the calling lanes */

static void go_to_byte(struct xe_thread *t, uint32_t offset)
{
    uint32_t where = xe_find(&t->group->kernel->code, offset, false);
    if (where == UINT32_MAX)
        xe_fail(t, "a jump to byte %u, where no instruction begins", offset);
    else
        t->next = where;
}

static void call(struct xe_thread *t, const struct xe_instruction *i)
{
    const struct xe_operand *o = i->operation == XE_call ? &i->to : &i->from[0];
    uint32_t back[2], mask = xe_mask(t, i), to = 0;
    if (i->operation == XE_ret) {
        memcpy(back, t->file + o->at, sizeof back);
        t->active = back[1] & t->present;
        go_to_byte(t, back[0]);
        return;
    }
    if (!mask) return;
    if (i->operation == XE_calla) {
        if (o->where == XE_IMMEDIATE)
            to = (uint32_t)o->bits;
        else
            memcpy(&to, t->file + o->at, sizeof to);
    }
    back[0] = i->offset + (i->compacted ? 8 : 16);
    back[1] = t->active;
    memcpy(t->file + i->to.at, back, sizeof back);
    xe_define(t, i->to.at, sizeof back);
    if (i->operation == XE_call)
        t->next = i->jump;
    else
        go_to_byte(t, to);
}

/* ---- the rest */

static void sync(struct xe_thread *t, const struct xe_instruction *i)
{
    if (i->function != XE_SYNC_BAR) return; /* others wait for results, which are available at once */
    const uint32_t at = i->barrier;
    if (!t->barriers[at].arrived)
        xe_fail(t, "a wait for a barrier at which the thread has not arrived");
    else if (t->barriers[at].phase == t->group->barriers[at].phase) {
        t->stop = XE_AT_BARRIER;
        t->waits_at = at;
        t->next = t->ip;
    } else
        t->barriers[at].arrived = false;
}

static void control_changed(struct xe_thread *t)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    t->rounding = (uint32_t)modes[t->file[AT_CONTROL] >> 4 & 3];
    fesetround((int)t->rounding);
}

static void step(struct xe_thread *t, const struct xe_instruction *i)
{
    switch (i->operation) {
    case XE_nop: break;
    case XE_sync: sync(t, i); break;
    case XE_dpas:
    case XE_bdpas: xe_dpas(t, i); break;
    case XE_send: xe_send(t, i); break;
    case XE_jmpi:
        if (xe_mask(t, i) & 1) t->next = i->jump;
        break;
    case XE_goto:
    case XE_join:
    case XE_if:
    case XE_else:
    case XE_endif:
    case XE_while:
    case XE_break:
    case XE_cont: flow(t, i); break;
    case XE_call:
    case XE_calla:
    case XE_ret: call(t, i); break;
    case XE_illegal: xe_fail(t, "the end of the code was run over"); break;
    case XE_unknown: xe_fail(t, "an instruction that is not supported"); break;
    default:
        xe_alu(t, i);
        if (i->to.where == XE_REGISTER && i->to.at >= AT_CONTROL && i->to.at < AT_STATE) control_changed(t);
    }
}

void xe_execute(struct xe_thread *t)
{
    const struct xe_code *code = &t->group->kernel->code;
    int before = fegetround();
    t->stop = XE_RUNNING;
    fesetround((int)t->rounding);
    for (uint32_t n = 0; t->stop == XE_RUNNING && n < SLICE; n++) {
        if (t->ip >= code->count) {
            t->ip = code->count - 1;
            xe_fail(t, "the end of the code was run over");
            break;
        }
        t->classes[code->list[t->ip].class]++;
        t->next = t->ip + 1;
        step(t, &code->list[t->ip]);
        if (t->stop != XE_FAILED) t->ip = t->next;
    }
    fesetround(before);
}
