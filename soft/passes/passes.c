/* passes.c - all passes, in order. */
#include "passes.h"

enum { ONCE_INSTRUCTIONS = 4000 }; /* some seconds of compiling */

static void plan_deferred(struct cg *g, struct cg_function *fn)
{
    if (!fn->continuation) cg_plan_deferred(g, fn);
}

/* The passes that follow divergence.c for each function. */
static const struct pass {
    const char *name;
    void (*run)(struct cg *g, struct cg_function *fn);
} passes[] = {
    {"builtins", cg_split_builtins},
    {"outer", cg_find_outer},                /* before anything looks for values that have variables */
    {"coalesce", cg_share_storage},          /* also forwards loads and widens operands (widening.c) */
    {"affine", cg_find_affine},              /* needs built-in variables and strides of access chains */
    {"pointers", cg_derive_pointers},        /* needs affine: affine pointers are not derived */
    {"continuations", cg_plan_continuation}, /* needs coalesce: a frame keeps no shared fragments; pointers */
    {"apart", cg_keep_apart},                /* needs coalesce, widening; no continuation */
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

/* Does the function have a loop? A back edge leads to an earlier block. */
static bool has_loop(struct cg *g, const struct cg_function *fn)
{
    uint8_t *before = cg_alloc(g, fn->f->block_count + 1);
    for (uint32_t i = 0; fn->rpo && before && i < fn->f->block_count; i++) {
        const struct sp_block *b = &fn->f->blocks[fn->rpo[i]];
        before[fn->rpo[i]] = 1;
        for (uint32_t k = 0; k < b->succ_count; k++)
            if (before[b->succ[k]]) return true;
    }
    return false;
}

/* Is nearly all of the module long code without loops? Such kernels take longer to compile than to run. Functions may
 * be called in loops. */
static bool runs_once(struct cg *g)
{
    uint64_t once = 0, often = 0;
    bool loops = false;
    for (uint32_t i = 0; i < g->m->function_count; i++) loops = loops || has_loop(g, &g->function[i]);
    for (uint32_t i = 0; i < g->m->function_count; i++) {
        const struct cg_function *fn = &g->function[i];
        if (loops && (fn->called || fn->row || has_loop(g, fn))) often += fn->instructions;
        else once += fn->instructions;
    }
    return once > ONCE_INSTRUCTIONS && often < once / 8;
}

void cg_run_passes(struct cg *g)
{
    cg_place_variables(g);
    if (g->failed) return;
    cg_analyse(g);
    g->runs_once = g->o->quick || runs_once(g);
    print_all(g, "divergence");
    for (uint32_t i = 0; i < g->m->function_count && !g->failed; i++)
        if (g->function[i].block) run(g, &g->function[i]);
}

void cg_run_passes_again(struct cg *g, struct cg_function *fn)
{
    fn->affine = NULL;
    fn->derived = NULL;
    fn->shared = NULL;
    fn->split = NULL;
    fn->spelled = NULL;
    fn->outer = NULL;
    fn->held = NULL;
    fn->deferred = NULL;
    fn->outline = NULL;
    cg_analyse_again(g, fn);
    cg_print_after(g, fn, "divergence");
    run(g, fn);
}
