/* blocks.c - the blocks of a function as text: copies along edges, branches and switches for all lanes or under masks,
 * calls, and the order of blocks.
 */
#include "fragments.h"
#include "body.h"

/* ---- control flow as text */

/* Is the variable of `id` overwritten by one of the first `below` copies? */
static bool is_overwritten(struct cg *g, uint32_t id, const struct sp_block *b, uint32_t label, uint32_t below)
{
    for (uint32_t i = 0; i < below; i++) {
        if (cg_class(g, b->inst[i].id) != cg_class(g, id)) continue;
        if (cg_class(g, cg_phi_source(g, &b->inst[i], label)) != cg_class(g, id)) return true;
    }
    return false;
}

static void copy_phi(struct cg *g, const struct sp_inst *phi, uint32_t source, const char *renamed, const char *mask)
{
    const struct cg_leaves *l = cg_leaves_of(g, phi->type);
    bool varying = !cg_is_step(g, phi->id), same = !cg_is_step(g, source) == varying;
    bool value = g->m->ids[source].what != SP_IS_CONSTANT && g->m->ids[source].what != SP_IS_VARIABLE &&
                 !(g->m->ids[source].def && g->m->ids[source].def->op == SP_OP_Undef);
    if (!varying) mask = NULL; /* uniform or affine */
    if (cg_class(g, phi->id) == cg_class(g, source)) return;
    if (g->m->ids[source].def && g->m->ids[source].def->op == SP_OP_Undef) return; /* any value is allowed */
    if (cg_affine(g, phi->id)->is && (cg_affine(g, phi->id)->checked || !cg_affine(g, source)->is)) {
        cg_copy_affine(g, phi->id, source);
        return;
    }
    if (!mask && same && value && !cg_derived(g, source)->root) {
        cg_put(g, "    %s = %s;\n", cg_variable(g, phi->id), renamed ? renamed : cg_variable(g, source));
        return;
    }
    CG_EACH_LEAF (i, l) {
        const char *to = cg_str(g, "%s%s", cg_variable(g, phi->id), l->leaf[i].path), *e;
        if (renamed) {
            e = cg_str(g, "%s%s", renamed, l->leaf[i].path);
            if (cg_affine(g, source)->is)
                e = cg_affine_lanes(g, source, e);
            else if (varying && !g->value[source].varying)
                e = cg_splat(g, l->leaf[i].kind, e);
        } else {
            e = cg_leaf_use(g, source, i, varying);
        }
        cg_put(g, "    %s = %s;\n", to, mask ? cg_select(g, l->leaf[i].kind, mask, e, to) : e);
    }
}

/* Assigns the phis of block `to` for the edge from `from`, as if simultaneously. */
static void write_phis(struct cg *g, uint32_t from, uint32_t to, const char *mask)
{
    const struct sp_block *b = &g->fn->f->blocks[to];
    uint32_t label = g->fn->f->blocks[from].label, n = 0;
    while (n < b->count && b->inst[n].op == SP_OP_Phi) n++;
    if (!n) return;
    const char **renamed = cg_alloc(g, n * sizeof *renamed);
    if (!renamed) return;
    cg_put(g, "    {\n");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t source = cg_phi_source(g, &b->inst[i], label);
        uint32_t root = source ? cg_derived(g, source)->root : 0;
        if (!source || !is_overwritten(g, root ? root : source, b, label, i)) continue;
        const char *e = root ? cg_use(g, source, g->value[source].varying) : cg_variable(g, source);
        renamed[i] = cg_evaluated(g, cg_type_name(g, g->m->ids[source].type, !cg_is_step(g, source)), e);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t source = cg_phi_source(g, &b->inst[i], label);
        if (source) copy_phi(g, &b->inst[i], source, renamed[i], mask);
    }
    cg_put(g, "    }\n");
}

static uint32_t block_of_label(struct cg *g, uint32_t label) { return g->m->ids[label].block; }

/* Is the block written for all lanes? */
static bool runs_coherent(struct cg *g, uint32_t block) { return g->w->coherent || !g->fn->block[block].masked; }

/* Lanes `mask` (a C expression; NULL: the block's own) go from block `from` to `to`. All lanes: a jump. */
static void write_edge(struct cg *g, uint32_t from, uint32_t to, const char *mask)
{
    const struct cg_block *b = g->fn->block;
    bool plain = runs_coherent(g, from) && !mask, whole = plain && cg_has_coherent(g, to);
    cg_leave_loops(g, from, to);
    write_phis(g, from, to, plain ? NULL : mask ? mask : g->w->mask);
    if (b[to].masked && !whole)
        cg_put(g, "    %s |= %s;\n", cg_var(g, "m", g->fn->f->blocks[to].label), mask ? mask : g->w->mask);
    if (plain) cg_put(g, "    %s;\n", cg_jump(g, to, whole));
}

/* After a divergent branch of all lanes: continue with the first masked block. */
static void write_entry(struct cg *g, uint32_t from)
{
    const struct sp_block *b = &g->fn->f->blocks[from];
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < b->succ_count; i++) {
        const struct cg_block *s = &g->fn->block[b->succ[i]];
        if (s->masked && (first == UINT32_MAX || s->order < g->fn->block[first].order)) first = b->succ[i];
    }
    if (first == UINT32_MAX) first = b->succ[0];
    cg_put(g, "    %s;\n", cg_jump(g, first, false));
}

/* If all lanes take the same path, they stay together. */
static void write_common_ways(struct cg *g, uint32_t from, uint32_t condition, uint32_t yes, uint32_t no)
{
    const char *all, *none;
    if (!cg_has_coherent(g, yes) && !cg_has_coherent(g, no)) return;
    cg_write_votes(g, from, condition, &all, &none);
    cg_put(g, "    if (%s) {\n", all);
    write_edge(g, from, yes, NULL);
    cg_put(g, "    } else if (%s) {\n", none);
    write_edge(g, from, no, NULL);
    cg_put(g, "    }\n");
}

static void write_branch(struct cg *g, uint32_t from)
{
    uint32_t condition = cg_operand(g, 0);
    uint32_t yes = block_of_label(g, cg_operand(g, 1)), no = block_of_label(g, cg_operand(g, 2));
    if (yes == no) {
        write_edge(g, from, yes, NULL);
    } else if (!cg_is_varying(g, condition)) {
        cg_put(g, "    if (%s) {\n", cg_use(g, condition, false));
        write_edge(g, from, yes, NULL);
        cg_put(g, "    } else {\n");
        write_edge(g, from, no, NULL);
        cg_put(g, "    }\n");
    } else {
        if (runs_coherent(g, from)) write_common_ways(g, from, condition, yes, no);
        const char *t = cg_temporary(g, "i32x"), *f = cg_temporary(g, "i32x"), *c = cg_use(g, condition, true);
        cg_put(g, "    %s = %s & %s;\n    %s = %s & ~%s;\n", t, g->w->mask, c, f, g->w->mask, c);
        bool yes_first = !cg_stays_in_loop(g->fn, from, yes); /* others may overwrite its head's phis */
        write_edge(g, from, yes_first ? yes : no, yes_first ? t : f);
        write_edge(g, from, yes_first ? no : yes, yes_first ? f : t);
        if (runs_coherent(g, from)) write_entry(g, from);
    }
}

/* Begins a block, or the rest of one, for the lanes in its mask. */
static void open_block(struct cg *g, uint32_t block)
{
    uint32_t label = g->fn->f->blocks[block].label;
    cg_put(g, "    {\n");
    if (runs_coherent(g, block)) return;
    const char *m = cg_var(g, "m", label);
    cg_put(g, "    const i32x k%u = %s;\n    const u64 b%u = XS(bits)(k%u);\n    %s = (i32x){0};\n    if (b%u) {\n",
           label, m, label, label, m, label);
}

/* Ends a piece within a block, which continues in the next one. */
static void cut_block(struct cg *g, uint32_t block)
{
    uint32_t label = g->fn->f->blocks[block].label;
    if (runs_coherent(g, block))
        cg_put(g, "    }\n");
    else
        cg_put(g, "    %s = k%u;\n    }\n    }\n", cg_var(g, "m", label), label);
    cg_next_piece(g);
    open_block(g, block);
}

/* A comparison and an edge for each case. */
static void write_varying_switch(struct cg *g, uint32_t from, enum cg_kind kind, uint64_t width)
{
    uint32_t label = g->fn->f->blocks[from].label, step = g->fn->f->blocks[from].count;
    struct cg_case c = {0};
    if (!g->w->coherent) cg_declare(g, CG_PLAIN, cg_kind_type(g, kind, true), "q", label, "");
    if (!g->w->coherent) cg_declare(g, CG_PLAIN, "i32x", "r", label, "");
    cg_put(g, "    %s = %s;\n", cg_var(g, "q", label), cg_use(g, g->w->inst->operand[0], true));
    cg_put(g, "    %s = %s;\n", cg_var(g, "r", label), g->w->mask);
    for (; cg_next_case(g, g->fn, from, g->w->inst, &c); step++) {
        if (cg_is_cut(g, step)) cut_block(g, from);
        const char *rest = cg_var(g, "r", label), *selector = cg_var(g, "q", label);
        if (c.is_default) {
            write_edge(g, from, c.to, rest);
            continue;
        }
        cg_put(g, "    {\n    const i32x hit_ = %s & XS_COMPARE(%s, ==, %s);\n    %s &= ~hit_;\n", g->w->mask, selector,
               cg_splat(g, kind, cg_literal(g, kind, c.literal & width)), rest);
        if (c.edge) write_edge(g, from, c.to, "hit_");
        cg_put(g, "    }\n");
    }
    if (runs_coherent(g, from)) write_entry(g, from);
}

static void write_uniform_switch(struct cg *g, uint32_t from, enum cg_kind kind, uint64_t width)
{
    const struct sp_inst *s = g->w->inst;
    uint32_t words = kind == CG_U64 ? 2 : 1;
    cg_put(g, "    switch (%s) {\n", cg_use(g, s->operand[0], false));
    for (uint32_t i = 2; i + words < s->count; i += words + 1) {
        uint64_t literal = s->operand[i] | (words == 2 ? (uint64_t)s->operand[i + 1] << 32 : 0);
        cg_put(g, "    case %s: ", cg_literal(g, kind, literal & width));
        write_edge(g, from, block_of_label(g, s->operand[i + words]), NULL);
        if (!runs_coherent(g, from)) cg_put(g, "    break;\n");
    }
    cg_put(g, "    default:\n");
    write_edge(g, from, block_of_label(g, s->operand[1]), NULL);
    cg_put(g, "    }\n");
}

static void write_switch(struct cg *g, uint32_t from)
{
    uint32_t selector = g->w->inst->operand[0], bits = cg_type_of(g, selector)->bits;
    uint64_t width = bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
    (cg_is_varying(g, selector) ? write_varying_switch : write_uniform_switch)(g, from, cg_kind_of(g, selector), width);
}

static void write_return_value(struct cg *g)
{
    uint32_t id = cg_operand(g, 0);
    bool varying = g->fn->result_varying;
    const struct cg_leaves *l = cg_value_leaves(g, id);
    CG_EACH_LEAF (i, l) {
        const char *to = cg_str(g, "%s%s", cg_result(g), l->leaf[i].path), *e = cg_leaf_use(g, id, i, varying);
        cg_put(g, "    %s = %s;\n", to, varying ? cg_select(g, l->leaf[i].kind, g->w->mask, e, to) : e);
    }
}

static void write_terminator(struct cg *g, uint32_t block)
{
    switch (g->w->inst->op) {
    case SP_OP_Branch: write_edge(g, block, block_of_label(g, cg_operand(g, 0)), NULL); break;
    case SP_OP_BranchConditional: write_branch(g, block); break;
    case SP_OP_Switch: write_switch(g, block); break;
    case SP_OP_ReturnValue: write_return_value(g); /* fall through */
    case SP_OP_Return:
    case SP_OP_Unreachable:
        if (runs_coherent(g, block)) cg_put(g, "    goto done;\n");
        break;
    default: cg_fail(g, "this way to end a block is not supported");
    }
}

/* ---- instructions */

static void write_call(struct cg *g)
{
    uint32_t callee = g->m->ids[cg_operand(g, 0)].block;
    const struct cg_function *f = &g->function[callee];
    const struct sp_type *type = sp_type(g->m, g->w->inst->type);
    const char *args = "";
    if (f->f->is_declaration) {
        cg_fail(g, "the called function has no body in this module");
        return;
    }
    for (uint32_t i = 1; i < g->w->inst->count; i++) {
        args = cg_str(g, "%s, %s", args, cg_use_whole(g, cg_operand(g, i), g->value[f->f->params[i - 1]].varying));
    }
    const char *call = cg_str(g, "%s(self, %s, %s%s)", cg_version(g, f), g->w->mask, g->w->bits, args);
    if (type->kind == SP_VOID) {
        cg_put(g, "    %s;\n", call);
        return;
    }
    const char *result = cg_type_name(g, g->w->inst->type, f->result_varying);
    cg_set_whole(g, cg_evaluated(g, result, call), f->result_varying);
}

static void write_plain(struct cg *g)
{
    if (g->w->inst->id && cg_late_from(g, g->w->inst->id)) return;
    bool guarded = g->o->check && cg_check_begin(g);
    if (!cg_write_simple(g) && !cg_write_memory(g) && !cg_write_group(g) && !cg_write_matrix(g) && !cg_write_math(g) &&
        !cg_write_coop(g) && !cg_write_image(g))
        cg_fail(g, "this instruction is not supported");
    if (guarded) cg_check_end(g);
}

static void write_instruction(struct cg *g)
{
    if (cg_write_outer(g) || !cg_legalise(g)) return;
    if (cg_is(g->w->inst, CG_SILENT) || (g->w->inst->id && cg_split(g, g->w->inst->id)->is)) return;
    switch (g->w->inst->op) {
    case SP_OP_LifetimeStart:
        if (g->o->check) cg_check_lifetime(g);
        return;
    case SP_OP_FunctionCall: write_call(g); return;
    case SP_OP_FunctionPointerCallINTEL: cg_write_pointer_call(g); return;
    default: break;
    }
    if (g->w->inst->id && cg_affine(g, g->w->inst->id)->is) {
        cg_write_affine(g);
        return;
    }
    if (cg_is(g->w->inst, CG_PREDICATED))
        cg_write_predicated(g, write_plain);
    else
        write_plain(g);
}

/* Compilers take a time for a basic block that grows with its square: gcc's instruction combiner scans from each
 * definition to its use. Longer ones are therefore divided, about every 128 lines (vectors have a line per component).
 */
enum { LONGEST_RUN = 6000 }; /* bytes of C */
static void divide_run(struct cg *g, uint32_t label, uint32_t step, size_t *run)
{
    if (g->w->c->size - *run <= LONGEST_RUN) return;
    cg_put(g, "    XS_NEW_BLOCK(%c%u_%u)\n", g->w->coherent ? 'W' : 'L', label, step);
    *run = g->w->c->size;
}

static void write_block(struct cg *g, uint32_t block)
{
    const struct sp_block *b = &g->fn->f->blocks[block];
    bool masked = !runs_coherent(g, block);
    if (cg_is_cut(g, 0)) cg_next_piece(g);
    cg_put(g, "%c%u:;\n", g->w->coherent ? 'W' : 'L', b->label);
    open_block(g, block);
    if (masked && cg_joins_coherent(g, block))
        cg_put(g, "    if (b%u == XS_FULL) %s;\n", b->label, cg_jump(g, block, true));
    g->w->mask = masked ? cg_str(g, "k%u", b->label) : "m0";
    g->w->bits = masked ? cg_str(g, "b%u", b->label) : "b0";
    size_t run = g->w->c->size;
    for (uint32_t i = 0; i < b->count && !g->failed; i++) {
        if (i && cg_is_cut(g, i)) cut_block(g, block), run = g->w->c->size;
        else if (i) divide_run(g, b->label, i, &run);
        cg_set_inst(g, &b->inst[i]);
        if (g->w->skip)
            g->w->skip--;
        else if (i + 1 < b->count)
            write_instruction(g);
        else
            write_terminator(g, block);
        g->w->extends = false;
    }
    cg_set_inst(g, NULL);
    cg_put(g, masked ? "    }\n    }\n" : "    }\n");
    g->w->mask = "m0";
    g->w->bits = "b0";
}

/* Repeats the blocks from this one on while a lane waits there. */
static void repeat_from(struct cg *g, uint32_t block)
{
    cg_put(g, "    if (XS(bits)(%s)) %s;\n", cg_var(g, "m", g->fn->f->blocks[block].label), cg_jump(g, block, false));
}

/* After the last block of a masked loop. */
static void write_loop_ends(struct cg *g, uint32_t block)
{
    for (uint32_t l = g->fn->block[block].loop; l; l = g->fn->loop[l - 1].parent) {
        if (g->fn->loop[l - 1].last != block) break;
        repeat_from(g, g->fn->loop[l - 1].header);
    }
}

/* After the last masked block of a component. In loops with several entries, lanes may wait at any of them. */
static void write_component_end(struct cg *g, uint32_t component)
{
    const struct cg_function *fn = g->fn;
    uint32_t exit = UINT32_MAX;
    for (uint32_t i = fn->component[component]; i < fn->order_count; i++) {
        const struct sp_block *b = &fn->f->blocks[fn->order[i]];
        if (fn->block[fn->order[i]].component != component) break;
        if (fn->loops_irreducible) repeat_from(g, fn->order[i]);
        for (uint32_t k = 0; k < b->succ_count; k++)
            if (!fn->block[b->succ[k]].masked) exit = b->succ[k];
    }
    cg_put(g, "    %s;\n", exit == UINT32_MAX ? "goto done" : cg_jump(g, exit, false));
}

static bool ends_component(const struct cg_function *fn, uint32_t block)
{
    uint32_t next = fn->block[block].order + 1;
    return next == fn->order_count || fn->block[fn->order[next]].component != fn->block[block].component;
}

void cg_write_blocks(struct cg *g)
{
    const struct cg_outline *plan = g->fn->outline;
    for (uint32_t p = 0; p < plan->place_count && !g->failed; p++) {
        uint32_t block = plan->place[p].block;
        cg_next_place(g, p);
        g->w->coherent = plan->place[p].coherent;
        write_block(g, block);
        if (!runs_coherent(g, block)) {
            write_loop_ends(g, block);
            if (ends_component(g->fn, block)) write_component_end(g, g->fn->block[block].component);
        }
        cg_free_words(g);
    }
    g->w->coherent = false;
}
