/* functions.c - functions, their blocks and edges, the call graph, entry points. */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

/* Working memory for one function; indexed by block, in the module's order until unreachable ones are dropped. */
struct build {
    struct sp_reader *r;
    struct sp_function *f;
    struct sp_block *all; /* including unreachable ones */
    uint32_t count;
    uint32_t *new_index; /* in f->blocks; DROPPED if unreachable */
    uint32_t *mark, *seen, *stack;
    uint32_t *kept_at; /* of a predecessor: where match_phi keeps its value */
    uint32_t stack_size, phi_number, current;
};
static const uint32_t DROPPED = 0xffffffffu;

/* ---- the head: type, parameters, name */

static const char *linkage_name(struct sp_reader *r, uint32_t id)
{
    const struct sp_decoration *d = sp_decorated(r->m, id, SP_DECORATION_LinkageAttributes);
    if (d && d->count) return sp_string(r, d->operand);
    return r->m->names[id] ? r->m->names[id] : "";
}

static bool read_head(struct sp_reader *r, struct sp_function *f, uint32_t *at)
{
    const struct sp_inst *head = r->m->ids[f->id].def;
    const struct sp_type *t = sp_type(r->m, f->type);
    uint32_t k;
    if (!t || t->kind != SP_FUNCTION)
        return sp_refuse(r, head, "%%%u is not a function type", sp_number(r->m, f->type));
    if (t->elem != head->type) return sp_refuse(r, head, "its result type is not its function type's");
    f->name = linkage_name(r, f->id);
    f->param_count = t->count;
    f->params = sp_alloc(r, t->count, sizeof *f->params);
    if (!f->name || !f->params) return false;
    for (k = 0; k < t->count; k++, ++*at) {
        const struct sp_inst *p = &r->insts[*at];
        if (p->op != SP_OP_FunctionParameter) return sp_refuse(r, head, "%u parameters, its type has %u", k, t->count);
        if (p->type != t->members[k]) return sp_refuse(r, p, "its type is not that of the function type");
        f->params[k] = p->id;
    }
    if (r->insts[*at].op == SP_OP_FunctionParameter) return sp_refuse(r, head, "more parameters than its type has");
    return true;
}

/* ---- blocks and edges */

static bool check_operands(struct sp_reader *r, uint32_t at)
{
    for (uint32_t k = at; r->insts[k].op != SP_OP_FunctionEnd; k++)
        if (!sp_check_operands(r, &r->insts[k])) return false;
    return true;
}

static bool find_blocks(struct build *b, uint32_t at)
{
    struct sp_reader *r = b->r;
    uint32_t k = at, n = 0;
    for (k = at; r->insts[k].op != SP_OP_FunctionEnd; k++) b->count += r->insts[k].op == SP_OP_Label;
    if (b->count == 0) return true;
    b->all = calloc(b->count, sizeof *b->all);
    b->new_index = calloc(b->count, 5 * sizeof *b->new_index);
    if (!b->all || !b->new_index) return sp_refuse(r, NULL, "out of memory");
    b->mark = b->new_index + b->count;
    b->seen = b->mark + b->count;
    b->stack = b->seen + b->count;
    b->kept_at = b->stack + b->count;
    for (k = at; r->insts[k].op != SP_OP_FunctionEnd; k++) {
        if (r->insts[k].op == SP_OP_Label) {
            b->all[n].label = r->insts[k].id;
            b->all[n].inst = &r->insts[k + 1];
            r->m->ids[r->insts[k].id].block = n++;
        } else {
            b->all[n - 1].count++;
        }
    }
    return true;
}

static const struct sp_inst *terminator(const struct sp_block *b) { return &b->inst[b->count - 1]; }

/* Calls `each` for the word of every target; the decoder has checked the operands. */
static bool each_target(struct build *b, const struct sp_inst *i,
                        bool (*each)(struct build *, const struct sp_inst *, uint32_t))
{
    uint32_t step, k;
    switch (i->op) {
    case SP_OP_Branch: return each(b, i, i->operand[0]);
    case SP_OP_BranchConditional: return each(b, i, i->operand[1]) && each(b, i, i->operand[2]);
    case SP_OP_Switch:
        step = sp_case_words(b->r, i);
        if (!each(b, i, i->operand[1])) return false;
        for (k = 2; k + step <= i->count; k += step)
            if (!each(b, i, i->operand[k + step - 1])) return false;
        return true;
    default: return true;
    }
}

static bool check_target(struct build *b, const struct sp_inst *i, uint32_t label)
{
    const struct sp_id *d = &b->r->m->ids[label];
    if (d->what != SP_IS_LABEL || &b->r->m->functions[d->function - 1] != b->f)
        return sp_refuse(b->r, i, "%%%u is not a label of this function", sp_number(b->r->m, label));
    if (d->block == 0) return sp_refuse(b->r, i, "a jump to the entry block");
    return true;
}

static bool push_target(struct build *b, const struct sp_inst *i, uint32_t label)
{
    uint32_t k = b->r->m->ids[label].block;
    if (!check_target(b, i, label)) return false;
    if (b->mark[k]) return true;
    b->mark[k] = 1;
    b->stack[b->stack_size++] = k;
    return true;
}

/* Marks blocks reachable from the entry block, and numbers them in the module's order. */
static bool reach(struct build *b)
{
    uint32_t k;
    b->mark[0] = 1;
    b->stack[b->stack_size++] = 0;
    while (b->stack_size)
        if (!each_target(b, terminator(&b->all[b->stack[--b->stack_size]]), push_target)) return false;
    for (k = 0; k < b->count; k++) b->new_index[k] = b->mark[k] ? b->f->block_count++ : DROPPED;
    return true;
}

/* Forgets the definitions of a dropped block. */
static void forget(struct sp_module *m, const struct sp_block *b)
{
    uint32_t k;
    m->ids[b->label].what = SP_NOTHING;
    m->ids[b->label].def = NULL;
    for (k = 0; k < b->count; k++)
        if (b->inst[k].id) {
            memset(&m->ids[b->inst[k].id], 0, sizeof m->ids[0]);
            m->ids[b->inst[k].id].what = SP_NOTHING;
        }
}

static bool keep_blocks(struct build *b)
{
    struct sp_module *m = b->r->m;
    uint32_t k, j;
    b->f->blocks = sp_alloc(b->r, b->f->block_count, sizeof *b->f->blocks);
    if (!b->f->blocks) return false;
    for (k = 0; k < b->count; k++) {
        if (b->new_index[k] == DROPPED) {
            forget(m, &b->all[k]);
            continue;
        }
        b->f->blocks[b->new_index[k]] = b->all[k];
        m->ids[b->all[k].label].block = b->new_index[k];
        for (j = 0; j < b->all[k].count; j++)
            if (b->all[k].inst[j].id) m->ids[b->all[k].inst[j].id].block = b->new_index[k];
    }
    return true;
}

/* Adds an edge: only counts it while `succ` of the block is NULL. Marks prevent duplicates. */
static bool add_edge(struct build *b, const struct sp_inst *i, uint32_t label)
{
    uint32_t to = b->r->m->ids[label].block;
    struct sp_block *from = &b->f->blocks[b->current];
    (void)i;
    if (b->mark[to] == b->current + 1) return true;
    b->mark[to] = b->current + 1;
    if (from->succ) {
        from->succ[from->succ_count] = to;
        b->f->blocks[to].pred[b->f->blocks[to].pred_count++] = b->current;
    } else {
        b->seen[to]++;
    }
    from->succ_count++;
    return true;
}

static bool add_edges(struct build *b)
{
    struct sp_block *blocks = b->f->blocks;
    uint32_t n = b->f->block_count, k;
    memset(b->mark, 0, b->count * sizeof *b->mark);
    memset(b->seen, 0, b->count * sizeof *b->seen);
    for (b->current = 0; b->current < n; b->current++) each_target(b, terminator(&blocks[b->current]), add_edge);
    for (k = 0; k < n; k++) {
        blocks[k].succ = sp_alloc(b->r, blocks[k].succ_count, sizeof(uint32_t));
        blocks[k].pred = sp_alloc(b->r, b->seen[k], sizeof(uint32_t));
        if (!blocks[k].succ || !blocks[k].pred) return false;
        blocks[k].succ_count = 0;
    }
    memset(b->mark, 0, b->count * sizeof *b->mark);
    for (b->current = 0; b->current < n; b->current++) each_target(b, terminator(&blocks[b->current]), add_edge);
    return true;
}

/* ---- phis: a value for each predecessor; values of dropped blocks are removed */

static bool is_dropped_label(const struct build *b, uint32_t label)
{
    const struct sp_id *d = &b->r->m->ids[label];
    return d->what == SP_NOTHING && d->function && &b->r->m->functions[d->function - 1] == b->f;
}

static bool match_phi(struct build *b, const struct sp_block *at, struct sp_inst *phi)
{
    const struct sp_module *m = b->r->m;
    uint32_t n = 0, k;
    uint32_t *kept = sp_alloc(b->r, phi->count, sizeof *kept);
    if (!kept) return false;
    b->phi_number++;
    for (k = 0; k + 2 <= phi->count; k += 2) {
        uint32_t label = phi->operand[k + 1], from = m->ids[label].block;
        if (is_dropped_label(b, label)) continue;
        if (m->ids[label].what != SP_IS_LABEL || &m->functions[m->ids[label].function - 1] != b->f ||
            b->mark[from] != b->current + 1)
            return sp_refuse(b->r, phi, "%%%u is not a predecessor of its block", sp_number(b->r->m, label));
        if (b->seen[from] == b->phi_number) {
            /* LLVM lists a block once for each switch case that leads here */
            if (kept[b->kept_at[from]] != phi->operand[k])
                return sp_refuse(b->r, phi, "two values for the predecessor %%%u", sp_number(b->r->m, label));
            continue;
        }
        b->seen[from] = b->phi_number;
        b->kept_at[from] = n;
        kept[n++] = phi->operand[k];
        kept[n++] = label;
    }
    if (n != 2 * at->pred_count) return sp_refuse(b->r, phi, "values for %u of %u predecessors", n / 2, at->pred_count);
    phi->operand = kept;
    phi->count = (uint16_t)n;
    return true;
}

static bool match_phis(struct build *b)
{
    uint32_t k, j;
    memset(b->mark, 0, b->count * sizeof *b->mark);
    memset(b->seen, 0, b->count * sizeof *b->seen);
    for (b->current = 0; b->current < b->f->block_count; b->current++) {
        const struct sp_block *at = &b->f->blocks[b->current];
        struct sp_inst *first = b->r->insts + (at->inst - b->r->insts);
        for (k = 0; k < at->pred_count; k++) b->mark[at->pred[k]] = b->current + 1;
        for (k = 0; k < at->count && first[k].op == SP_OP_Phi; k++)
            if (!match_phi(b, at, &first[k])) return false;
        for (j = k; j < at->count; j++)
            if (first[j].op == SP_OP_Phi) return sp_refuse(b->r, &first[j], "not at the start of its block");
    }
    return true;
}

static bool dominate_and_check(struct build *b)
{
    uint32_t *intervals = calloc(b->f->block_count, 2 * sizeof *intervals);
    struct sp_dominance d;
    bool good;
    if (!intervals || !sp_dominators(b->f, intervals, intervals + b->f->block_count)) {
        free(intervals);
        return sp_refuse(b->r, NULL, "out of memory");
    }
    d.enter = intervals;
    d.leave = intervals + b->f->block_count;
    good = sp_check_function(b->r, b->f, &d);
    free(intervals);
    return good;
}

static bool build_function(struct sp_reader *r, uint32_t index)
{
    struct sp_function *f = &r->m->functions[index];
    uint32_t at = r->function_at[index];
    struct build b;
    bool good;
    memset(&b, 0, sizeof b);
    b.r = r;
    b.f = f;
    good = read_head(r, f, &at) && check_operands(r, at) && find_blocks(&b, at);
    f->is_declaration = b.count == 0;
    if (good && b.count)
        good = reach(&b) && keep_blocks(&b) && add_edges(&b) && match_phis(&b) && dominate_and_check(&b);
    free(b.all);
    free(b.new_index);
    return good;
}

/* ---- the call graph */

struct calls {
    uint32_t *first; /* [functions + 1] into callee */
    uint32_t *callee;
    uint32_t *state, *depth, *stack; /* by function */
    uint32_t stack_size;
};

static uint32_t callee_of(const struct sp_reader *r, const struct sp_inst *i) { return r->m->ids[i->operand[0]].block; }

/* Fills `first` and, if allocated, `callee`. */
static void collect_calls(const struct sp_reader *r, struct calls *c)
{
    uint32_t n = 0, f, k, j;
    for (f = 0; f < r->m->function_count; f++) {
        const struct sp_function *g = &r->m->functions[f];
        c->first[f] = n;
        for (k = 0; k < g->block_count; k++)
            for (j = 0; j < g->blocks[k].count; j++) {
                if (g->blocks[k].inst[j].op != SP_OP_FunctionCall) continue;
                if (c->callee) c->callee[n] = callee_of(r, &g->blocks[k].inst[j]);
                n++;
            }
    }
    c->first[f] = n;
}

static const char *name_of(const struct sp_function *f) { return f->name[0] ? f->name : "(no name)"; }

static bool refuse_recursion(struct sp_reader *r, const struct calls *c, uint32_t to)
{
    const struct sp_function *f = r->m->functions;
    uint32_t k = c->stack_size;
    sp_text_add(r->log, "SPIR-V: recursion is not supported: %.80s (%%%u)", name_of(&f[to]), sp_number(r->m, f[to].id));
    while (k > 0 && c->stack[k - 1] != to) k--; /* where the cycle starts */
    for (; k < c->stack_size; k++)
        sp_text_add(r->log, " calls %.80s (%%%u),", name_of(&f[c->stack[k]]), sp_number(r->m, f[c->stack[k]].id));
    sp_text_add(r->log, " which calls the first again\n");
    return false;
}

enum { UNSEEN, OPEN, DONE };

/* Depth-first search from one function; state is OPEN while on the stack; first[] advances as its cursor. */
static bool follow(struct sp_reader *r, struct calls *c, uint32_t *next, uint32_t root)
{
    if (c->state[root] != UNSEEN) return true;
    c->state[root] = OPEN;
    c->depth[root] = 1;
    c->stack[c->stack_size++] = root;
    while (c->stack_size) {
        uint32_t f = c->stack[c->stack_size - 1], to;
        if (next[f] == c->first[f + 1]) {
            uint32_t up = c->stack_size > 1 ? c->stack[c->stack_size - 2] : f;
            c->state[f] = DONE;
            c->stack_size--;
            if (up != f && c->depth[up] < c->depth[f] + 1) c->depth[up] = c->depth[f] + 1;
            continue;
        }
        to = c->callee[next[f]++];
        if (c->state[to] == OPEN) return refuse_recursion(r, c, to);
        if (c->state[to] == DONE) {
            if (c->depth[f] < c->depth[to] + 1) c->depth[f] = c->depth[to] + 1;
            continue;
        }
        c->state[to] = OPEN;
        c->depth[to] = 1;
        c->stack[c->stack_size++] = to;
    }
    if (c->depth[root] > SP_MAX_CALL_DEPTH)
        return sp_refuse(r, NULL, "calls nest %u deep, at most %d are supported", c->depth[root], SP_MAX_CALL_DEPTH);
    return true;
}

static bool check_calls(struct sp_reader *r)
{
    uint32_t n = r->m->function_count, f;
    struct calls c;
    uint32_t *next;
    bool good = true;
    memset(&c, 0, sizeof c);
    c.first = sp_alloc(r, (size_t)n + 1, sizeof *c.first);
    next = sp_alloc(r, (size_t)n + 1, sizeof *next);
    c.state = sp_alloc(r, n, sizeof *c.state);
    c.depth = sp_alloc(r, n, sizeof *c.depth);
    c.stack = sp_alloc(r, n, sizeof *c.stack);
    if (!c.first || !next || !c.state || !c.depth || !c.stack) return false;
    collect_calls(r, &c);
    c.callee = sp_alloc(r, c.first[n], sizeof *c.callee);
    if (!c.callee) return false;
    collect_calls(r, &c);
    memcpy(next, c.first, ((size_t)n + 1) * sizeof *next);
    for (f = 0; f < n && good; f++) good = follow(r, &c, next, f);
    for (f = 0; f < c.first[n] && good; f++)
        if (r->m->functions[c.callee[f]].is_kernel)
            good = sp_refuse(r, NULL, "the entry point %%%u is called like a function",
                             sp_number(r->m, r->m->functions[c.callee[f]].id));
    return good;
}

/* ---- entry points */

static bool check_kernel(struct sp_reader *r, const struct sp_inst *i, const struct sp_function *f)
{
    const struct sp_type *t = sp_type(r->m, f->type);
    uint32_t k;
    if (sp_type(r->m, t->elem)->kind != SP_VOID) return sp_refuse(r, i, "a kernel returns nothing");
    if (f->is_declaration) return sp_refuse(r, i, "the function has no body");
    for (k = 0; k < t->count; k++) {
        const struct sp_type *p = sp_type(r->m, t->members[k]);
        bool good = p->kind == SP_INT || p->kind == SP_FLOAT || p->kind == SP_VECTOR || p->kind == SP_STRUCT ||
                    p->kind == SP_ARRAY || p->kind == SP_IMAGE || p->kind == SP_SAMPLER;
        if (p->kind == SP_POINTER)
            good = p->storage == SP_STORAGE_CrossWorkgroup || p->storage == SP_STORAGE_Workgroup ||
                   p->storage == SP_STORAGE_UniformConstant || p->storage == SP_STORAGE_Function;
        if (p->kind == SP_POINTER && p->storage == SP_STORAGE_Function && !sp_type(r->m, p->elem)->size) good = false;
        if (p->kind == SP_INT && p->bits != 8 * p->size) good = false;
        if (!good) return sp_refuse(r, i, "parameter %u of the kernel cannot be of this type", k);
        if (p->size > 4096) return sp_refuse(r, i, "parameter %u of the kernel has more than 4096 bytes", k);
    }
    return true;
}

static bool build_entry(struct sp_reader *r, const struct sp_inst *i)
{
    struct sp_module *m = r->m;
    struct sp_entry *e = &m->entries[m->entry_count];
    const struct sp_id *f = &m->ids[i->operand[1]];
    uint32_t k;
    if (i->operand[0] != SP_MODEL_Kernel)
        return sp_refuse(r, i, "execution model %u: the software device runs kernels", i->operand[0]);
    if (f->what != SP_IS_FUNCTION) return sp_refuse(r, i, "%%%u is not a function", sp_number(r->m, i->operand[1]));
    for (k = 2 + sp_string_words(i->operand + 2, (uint32_t)i->count - 2); k < i->count; k++)
        if (m->ids[i->operand[k]].what != SP_IS_VARIABLE || m->ids[i->operand[k]].function)
            return sp_refuse(r, i, "%%%u of its interface is not a variable of the module",
                             sp_number(r->m, i->operand[k]));
    if (!check_kernel(r, i, &m->functions[f->block])) return false;
    e->function = f->block;
    e->name = sp_string(r, i->operand + 2);
    if (!e->name) return false;
    for (k = 0; k < m->entry_count; k++)
        if (strcmp(m->entries[k].name, e->name) == 0) return sp_refuse(r, i, "a second kernel of this name");
    m->functions[f->block].is_kernel = true;
    r->next_entry[m->entry_count] = r->first_entry[f->block];
    r->first_entry[f->block] = ++m->entry_count;
    return true;
}

/* The value of an execution mode's operand: a literal, or the id of a constant. */
static bool mode_value(struct sp_reader *r, const struct sp_inst *i, uint32_t operand, uint32_t *to)
{
    uint64_t v = i->operand[operand];
    if (i->op == SP_OP_ExecutionModeId && !sp_constant(r->m, i->operand[operand], &v))
        return sp_refuse(r, i, "operand %u is not a constant", operand);
    if (v == 0 || v > 0x7fffffffu)
        return sp_refuse(r, i, "%s of %llu", sp_token_name('E', i->operand[1]), (unsigned long long)v);
    *to = (uint32_t)v;
    return true;
}

static bool apply_mode(struct sp_reader *r, const struct sp_inst *i, struct sp_entry *e)
{
    switch (i->operand[1]) {
    case SP_MODE_LocalSize:
    case SP_MODE_LocalSizeId:
        return mode_value(r, i, 2, &e->local_size[0]) && mode_value(r, i, 3, &e->local_size[1]) &&
               mode_value(r, i, 4, &e->local_size[2]);
    case SP_MODE_SubgroupSize: return mode_value(r, i, 2, &e->subgroup_size);
    case SP_MODE_MaxWorkDimINTEL: e->max_work_dim = i->operand[2]; return true;
    case SP_MODE_ContractionOff: e->contract_off = true; return true;
    case SP_MODE_LocalSizeHint:
    case SP_MODE_LocalSizeHintId:
        return mode_value(r, i, 2, &e->local_size_hint[0]) && mode_value(r, i, 3, &e->local_size_hint[1]) &&
               mode_value(r, i, 4, &e->local_size_hint[2]);
    case SP_MODE_VecTypeHint: e->vector_hint = i->operand[2] + 1; return true;
    case SP_MODE_MaxWorkgroupSizeINTEL:
    case SP_MODE_NumSIMDWorkitemsINTEL:
    case SP_MODE_MaximumRegistersINTEL:
    case SP_MODE_MaximumRegistersIdINTEL:
    case SP_MODE_NamedMaximumRegistersINTEL:
    case SP_MODE_DenormPreserve:
    case SP_MODE_SignedZeroInfNanPreserve:
    case SP_MODE_RoundingModeRTE:
    case SP_MODE_FloatingPointModeIEEEINTEL:
    case SP_MODE_FPFastMathDefault: return true;
    default:
        return sp_refuse(r, i, "the software device does not have the execution mode %s",
                         sp_token_name('E', i->operand[1]));
    }
}

/* A function may be the entry point of several kernels; the mode is for all of them. */
static bool apply_to_entries(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_id *f = &r->m->ids[i->operand[0]];
    uint32_t k = f->what == SP_IS_FUNCTION ? r->first_entry[f->block] : 0;
    if (!k) return sp_refuse(r, i, "%%%u is not an entry point", sp_number(r->m, i->operand[0]));
    for (; k; k = r->next_entry[k - 1])
        if (!apply_mode(r, i, &r->m->entries[k - 1])) return false;
    return true;
}

bool sp_build_entries(struct sp_reader *r)
{
    uint32_t k;
    if (r->total_entries > SP_MAX_ENTRIES) return sp_refuse(r, NULL, "more than %d entry points", SP_MAX_ENTRIES);
    if (r->mode_count > SP_MAX_MODES) return sp_refuse(r, NULL, "more than %d execution modes", SP_MAX_MODES);
    for (k = 0; k < r->entry_count; k++)
        if (!build_entry(r, r->entry_insts[k])) return false;
    for (k = 0; k < r->mode_count; k++)
        if (!apply_to_entries(r, r->modes[k])) return false;
    return check_calls(r);
}

bool sp_build_functions(struct sp_reader *r)
{
    uint32_t k;
    for (k = 0; k < r->m->function_count; k++)
        if (!build_function(r, k)) return false;
    return true;
}
