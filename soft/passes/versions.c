/* versions.c - versions of a kernel, each for some of its launches.
 *
 * What a launch decides once for all its work-items need not be decided in the kernel: whether its work-groups consist
 * of full subgroups, and branches whose condition is computed from arguments alone. A version of a kernel is a set of
 * bits (CG_FULL ...) that says for which launches it is. The usual version is compiled with the module, another one
 * when a launch needs it. Before a version is read, cg_decide points both ways of each decided branch to the same
 * block, so the reader drops the other side.
 *
 * A branch is decided only if the usual side is known: 2D block messages on one side alone, which require certain
 * addresses and pitches, and a long way around them on the other.
 *
 * Needs: a module as it was read. Gives: struct cg_versions.
 */
#include "versions.h"

#include "passes.h"

#include <stdlib.h>

enum { LONG_SIDE = 100 /* instructions */, MAX_CONDITIONS = 8 /* of a kernel */ };

static bool is_scalar(const struct sp_module *m, uint32_t type)
{
    const struct sp_type *t = sp_type(m, type);
    bool global = t && t->kind == SP_POINTER &&
                  (t->storage == SP_STORAGE_CrossWorkgroup || t->storage == SP_STORAGE_UniformConstant);
    return t && (t->kind == SP_BOOL || t->kind == SP_INT || global);
}

static bool is_argument_or_constant(const struct sp_module *m, uint32_t id)
{
    const struct sp_id *d = &m->ids[id];
    uint64_t bits;
    if (!is_scalar(m, d->type)) return false;
    return d->what == SP_IS_PARAMETER || (d->what == SP_IS_CONSTANT && !d->is_address && sp_constant(m, id, &bits));
}

/* Marks the values of a kernel's first block that are computed from arguments alone. */
static void mark_decided(const struct sp_module *m, const struct sp_function *f, uint8_t *decided)
{
    for (uint32_t n = 0; n < f->blocks[0].count; n++) {
        const struct sp_inst *i = &f->blocks[0].inst[n];
        bool all = i->id && cg_is(i, CG_DECIDES) && is_scalar(m, i->type);
        CG_EACH_VALUE (k, i)
            all = all && (decided[i->operand[k]] || is_argument_or_constant(m, i->operand[k]));
        if (all) decided[i->id] = 1;
    }
}

static const struct sp_inst *branch_of(const struct sp_block *b)
{
    const struct sp_inst *t = &b->inst[b->count - 1];
    return t->op == SP_OP_BranchConditional && b->succ_count == 2 ? t : NULL;
}

/* Instructions, and among them 2D block messages, of the blocks with lower numbers; numbers are such that those of the
 * blocks that block b dominates are enter[b] ... leave[b]. */
struct survey {
    uint32_t *enter, *leave, *count, *messages;
};

static bool survey_function(const struct sp_function *f, struct survey *s)
{
    size_t n = (size_t)f->block_count + 1;
    s->enter = calloc(n, 4 * sizeof *s->enter);
    if (!s->enter) return false;
    s->leave = s->enter + n, s->count = s->enter + 2 * n, s->messages = s->enter + 3 * n;
    if (!sp_dominators(f, s->enter, s->leave)) return false;
    for (uint32_t b = 0; b < f->block_count; b++) {
        uint32_t at = s->enter[b] + 1;
        s->count[at] = f->blocks[b].count;
        for (uint32_t k = 0; k < f->blocks[b].count; k++) s->messages[at] += cg_is(&f->blocks[b].inst[k], CG_BLOCK);
    }
    for (uint32_t at = 1; at < n; at++) {
        s->count[at] += s->count[at - 1];
        s->messages[at] += s->messages[at - 1];
    }
    return true;
}

/* The sum over what runs only if a branch to block `to` is taken. */
static uint32_t sum_of_side(const struct survey *s, const struct sp_function *f, const uint32_t *sums, uint32_t to)
{
    return f->blocks[to].pred_count == 1 ? sums[s->leave[to] + 1] - sums[s->enter[to]] : 0;
}

/* Is it known whether the condition of this branch is usually true, or usually false? */
static bool knows_usual(const struct sp_module *m, const struct sp_function *f, const struct survey *s,
                        const struct sp_inst *branch, bool *usual)
{
    uint32_t yes = m->ids[branch->operand[1]].block, no = m->ids[branch->operand[2]].block;
    *usual = sum_of_side(s, f, s->messages, yes) > 0;
    return *usual != (sum_of_side(s, f, s->messages, no) > 0) &&
           sum_of_side(s, f, s->count, *usual ? no : yes) >= LONG_SIDE;
}

static void add_condition(struct cg_kernel_versions *v, uint32_t id, bool usual)
{
    for (uint32_t k = 0; k < v->count; k++)
        if (v->condition[k].id == id) return;
    if (v->count < MAX_CONDITIONS) v->condition[v->count++] = (struct cg_condition){id, usual};
}

static bool find_conditions(const struct sp_module *m, const struct sp_function *f, struct cg_kernel_versions *v)
{
    struct survey s = {0};
    uint8_t *decided = calloc(m->bound, 1);
    v->condition = calloc(MAX_CONDITIONS, sizeof *v->condition);
    bool good = decided && v->condition && survey_function(f, &s);
    if (good) mark_decided(m, f, decided);
    for (uint32_t b = 0; good && b < f->block_count; b++) {
        const struct sp_inst *t = branch_of(&f->blocks[b]);
        bool usual;
        if (t && decided[t->operand[0]] && knows_usual(m, f, &s, t, &usual)) add_condition(v, t->operand[0], usual);
    }
    free(decided);
    free(s.enter);
    return good;
}

/* Several versions must not disagree about addresses of functions. */
static bool has_function_pointers(const struct sp_module *m)
{
    for (uint32_t id = 0; id < m->bound; id++)
        if (m->ids[id].def && m->ids[id].def->op == SP_OP_ConstantFunctionPointerINTEL) return true;
    return false;
}

static bool is_shared(const struct sp_module *m, uint32_t entry)
{
    for (uint32_t i = 0; i < m->entry_count; i++)
        if (i != entry && m->entries[i].function == m->entries[entry].function) return true;
    return false;
}

bool cg_find_versions(const struct sp_module *m, struct cg_versions *v)
{
    *v = (struct cg_versions){.one = has_function_pointers(m)};
    v->kernel = calloc((size_t)m->entry_count + 1, sizeof *v->kernel);
    if (!v->kernel) return false;
    v->kernel_count = m->entry_count;
    for (uint32_t i = 0; i < m->entry_count && !v->one && !m->has_narrow; i++)
        if (!is_shared(m, i) && !find_conditions(m, &m->functions[m->entries[i].function], &v->kernel[i])) return false;
    return true;
}

void cg_versions_free(struct cg_versions *v)
{
    for (uint32_t i = 0; i < v->kernel_count && v->kernel; i++) free(v->kernel[i].condition);
    free(v->kernel);
    *v = (struct cg_versions){0};
}

/* Decides the kernel's branches in the module's words. Returns their number. */
static uint32_t decide_kernel(const struct sp_module *m, uint32_t entry, const struct cg_kernel_versions *v,
                              uint32_t version, uint32_t *words)
{
    const struct sp_function *f = &m->functions[m->entries[entry].function];
    uint32_t n = 0;
    for (uint32_t b = 0; b < f->block_count; b++) {
        const struct sp_inst *t = branch_of(&f->blocks[b]);
        for (uint32_t k = 0; t && k < v->count; k++) {
            if (v->condition[k].id != t->operand[0]) continue;
            bool truth = v->condition[k].usual != ((version & CG_UNUSUAL << k) != 0);
            uint32_t *target = &words[t->word + 2];
            target[truth ? 1 : 0] = target[truth ? 0 : 1];
            n++;
        }
    }
    return n;
}

uint32_t cg_decide(const struct sp_module *m, const struct cg_versions *v, uint32_t *words)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->entry_count; i++)
        if (!v->only || v->only == i + 1) n += decide_kernel(m, i, &v->kernel[i], v->version, words);
    return n;
}
