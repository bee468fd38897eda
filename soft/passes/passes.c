/* passes.c - all passes, in order. */
#include "passes.h"

static void plan_deferred(struct cg *g, struct cg_function *fn)
{
    if (!fn->continuation) cg_plan_deferred(g, fn);
}

/* The passes that follow divergence.c for each function. */
static const struct pass {
    const char *name;
    void (*run)(struct cg *g, struct cg_function *fn);
} passes[] = {
    {"outer", cg_find_outer},                /* before anything looks for values that have variables */
    {"coalesce", cg_share_storage},          /* also forwards loads and widens operands (widening.c) */
    {"affine", cg_find_affine},              /* needs built-in variables and strides of access chains */
    {"pointers", cg_derive_pointers},        /* needs affine: affine pointers are not derived */
    {"continuations", cg_plan_continuation}, /* needs coalesce: a frame keeps no shared fragments; pointers */
    {"deferred", plan_deferred},             /* needs coalesce, widening; not in kernels that return at a barrier */
    {"coherent", cg_plan_coherent},          /* needs deferred: a queue belongs to one version of its loop */
    {"accesses", cg_remark_accesses},        /* needs affine */
    {"outline", cg_outline},                 /* needs all others */
};

static void run(struct cg *g, struct cg_function *fn)
{
    g->fn = fn;
    for (size_t i = 0; i < sizeof passes / sizeof *passes && !g->failed; i++) {
        passes[i].run(g, fn);
        cg_print_after(g, fn, passes[i].name);
    }
}

static void print_all(struct cg *g, const char *pass)
{
    for (uint32_t i = 0; i < g->m->function_count && !g->failed; i++)
        if (g->function[i].block) cg_print_after(g, g->fn = &g->function[i], pass);
}

void cg_run_passes(struct cg *g)
{
    cg_place_variables(g);
    if (g->failed) return;
    cg_analyse(g);
    print_all(g, "divergence");
    for (uint32_t i = 0; i < g->m->function_count && !g->failed; i++)
        if (g->function[i].block) run(g, &g->function[i]);
}

void cg_run_passes_again(struct cg *g, struct cg_function *fn)
{
    fn->affine = NULL;
    fn->derived = NULL;
    fn->shared = NULL;
    fn->spelled = NULL;
    fn->outer = NULL;
    fn->held = NULL;
    fn->deferred = NULL;
    fn->outline = NULL;
    cg_analyse_again(g, fn);
    cg_print_after(g, fn, "divergence");
    run(g, fn);
}
