/* large_kernels.h - shared by the tests of large kernels: a kernel of u32 *x and u32 n that reads x[item], runs the
 * test's code on the value and stores it back.
 */
#ifndef XETILE_LARGE_KERNELS_H
#define XETILE_LARGE_KERNELS_H

#include "spirv_emit.h"
#include "test.h"

struct kernel {
    spe_module m;
    spe_id x, n, item, at, v; /* two parameters, the work-item, &x[item], its value */
    spe_id type, called;      /* u32; the function it calls, if any */
};

static spe_id number(struct kernel *k, uint32_t n) { return spe_u32(&k->m, n); }

static void begin_module(struct kernel *k)
{
    memset(k, 0, sizeof *k);
    spe_begin(&k->m, &(spe_options){.names = true});
    k->type = spe_int(&k->m, 32);
}

static void begin_kernel(struct kernel *k, const char *name)
{
    spe_param p[2];
    spe_kernel what;
    memset(p, 0, sizeof p);
    memset(&what, 0, sizeof what);
    p[0].type = spe_ptr(&k->m, SPE_StorageClassCrossWorkgroup, k->type);
    p[0].name = "x";
    p[1].type = k->type;
    p[1].name = "n";
    what.name = name;
    what.params = p;
    what.param_count = 2;
    spe_kernel_begin(&k->m, &what);
    k->x = spe_param_id(&k->m, 0);
    k->n = spe_param_id(&k->m, 1);
    k->item = spe_builtin(&k->m, SPE_GLOBAL_ID, 0);
    k->at = spe_index(&k->m, k->x, k->item);
    k->v = spe_load(&k->m, k->at, 0);
}

static spe_words finish(struct kernel *k)
{
    spe_store(&k->m, k->at, k->v, 0);
    spe_kernel_end(&k->m);
    spe_words w = spe_finish(&k->m);
    CHECK_MSG(w.count, "%s", spe_get_error(&k->m)->text);
    return w;
}

#endif
