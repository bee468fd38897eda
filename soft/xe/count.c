/* count.c - counts of executed instructions by class, reported when a module is unloaded: lines of `machine KERNEL
 * TARGET NAME=VALUE ...` on standard error, if XETILE_SOFT_XE_REPORT is set. */
#include <stdio.h>
#include <stdlib.h>

#include "machine.h"

static bool is_long(const struct xe_instruction *i)
{
    return (i->to.where == XE_REGISTER && xe_types[i->to.type].bits == 64) ||
           (i->from[0].where == XE_REGISTER && xe_types[i->from[0].type].bits == 64);
}

uint8_t xe_class_of(const struct xe_instruction *i)
{
    switch (i->operation) {
    case XE_dpas:
    case XE_bdpas: return XE_CLASS_DPAS;
    case XE_send: return XE_CLASS_SEND;
    case XE_math: return XE_CLASS_MATH;
    case XE_sync:
    case XE_nop:
    case XE_illegal:
    case XE_unknown: return XE_CLASS_OTHER;
    default: break;
    }
    if (i->operation >= XE_jmpi) return XE_CLASS_BRANCH;
    if (is_long(i)) return XE_CLASS_LONG;
    return xe_is_float(i->to.type) || xe_is_float(i->from[0].type) ? XE_CLASS_FLOAT : XE_CLASS_INTEGER;
}

void xe_count_thread(struct xe_kernel *k, const struct xe_thread *t)
{
    for (int c = 0; c < XE_CLASSES; c++) atomic_fetch_add(&k->counts.classes[c], t->classes[c]);
    atomic_fetch_add(&k->counts.threads, 1);
    atomic_fetch_add(&k->counts.dpas, t->dpas);
    atomic_fetch_add(&k->counts.messages, t->messages);
    atomic_fetch_add(&k->counts.loaded, t->loaded);
    atomic_fetch_add(&k->counts.stored, t->stored);
}

static void report_kernel(const struct xe_target *target, struct xe_kernel *k)
{
    static const char *const names[XE_CLASSES] = {"other", "float", "integer", "long",
                                                  "math",  "dpas",  "send",    "branch"};
    uint64_t threads = atomic_load(&k->counts.threads);
    fprintf(stderr, "machine %s %s threads=%llu", k->face.name, target->name, (unsigned long long)threads);
    for (int c = 0; c < XE_CLASSES; c++)
        fprintf(stderr, " %s=%llu", names[c], (unsigned long long)atomic_load(&k->counts.classes[c]));
    fprintf(stderr, " loaded=%llu stored=%llu broken=%llu\n", (unsigned long long)atomic_load(&k->counts.loaded),
            (unsigned long long)atomic_load(&k->counts.stored), (unsigned long long)atomic_load(&k->counts.broken));
}

void xe_report(struct xe_machine *m)
{
    if (!getenv("XETILE_SOFT_XE_REPORT")) return;
    for (uint32_t n = 0; n < m->kernel_count; n++)
        if (atomic_load(&m->kernels[n]->counts.threads)) report_kernel(m->target, m->kernels[n]);
}
