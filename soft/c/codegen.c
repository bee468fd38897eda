/* codegen.c - translates a checked module to one C translation unit.
 *
 * The text is: abi.h, prelude.h, then for every subgroup size S of the module's kernels the lane preludes, types,
 * functions and kernels, then the tables that form `xs_module`. The only bytes of the module that reach it are numbers
 * and, in the tables, names as escaped string literals.
 */
#include "codegen.h"
#include "abi.h"
#include "selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the text as a whole */

/* Places for texts of which only part is needed. */
struct cg_places {
    uint32_t count;
    struct {
        const char *text;
        size_t at;
    } place[24];
};

/* Marks where the needed part of a text will be inserted; NULL: the names of the functions in those before. */
static void place_text(struct cg *g, const char *text)
{
    struct cg_places *p = g->w->places;
    if (p->count == sizeof p->place / sizeof *p->place) return;
    p->place[p->count].text = text;
    p->place[p->count++].at = g->w->c->size;
}

/* Inserts the needed parts of the texts after all else is written. */
static void put_texts(struct cg *g)
{
    const struct cg_places *p = g->w->places;
    struct sp_text body = *g->w->c;
    struct cg_selection *s = cg_select_text(body.data, body.size);
    size_t from = 0;
    *g->w->c = (struct sp_text){0};
    if (!s) cg_fail(g, "no memory for the generated text");
    for (uint32_t i = 0; i < p->count && s; i++) {
        cg_put_text(g, body.data + from, p->place[i].at - from);
        from = p->place[i].at;
        if (p->place[i].text) cg_put_selected(g, s, p->place[i].text);
        else cg_put_symbols(g);
    }
    cg_put_text(g, body.data + from, body.size - from);
    free(s);
    sp_text_free(&body);
}

static void mark_reachable(struct cg *g, uint32_t index, uint32_t depth)
{
    struct cg_function *fn = &g->function[index];
    if (cg_written(g, fn)->reachable || depth > SP_MAX_CALL_DEPTH) return;
    cg_written(g, fn)->reachable = true;
    CG_EACH (i, b, fn->f)
        if (i->op == SP_OP_FunctionCall) mark_reachable(g, g->m->ids[i->operand[0]].block, depth + 1);
}

/* Marks types of values; arrays in memory may be far too large for values. */
static void mark_type(struct cg *g, uint32_t type_id, uint8_t *used)
{
    const struct sp_type *t = sp_type(g->m, type_id);
    if (!t || used[t - g->m->types]) return;
    if (!cg_is_composite(t)) return;
    used[t - g->m->types] = 1;
    if (t->kind != SP_STRUCT) mark_type(g, t->elem, used);
    for (uint32_t i = 0; t->kind == SP_STRUCT && i < t->count; i++) mark_type(g, t->members[i], used);
}

/* Marks constants that instructions use; those that only form other constants may be too large for values. */
static void mark_operands(struct cg *g, const struct sp_function *f, uint8_t *used)
{
    CG_EACH (i, b, f)
        CG_EACH_VALUE (k, i)
            if (g->m->ids[i->operand[k]].what == SP_IS_CONSTANT) mark_type(g, g->m->ids[i->operand[k]].type, used);
}

static void write_types(struct cg *g, bool varying)
{
    uint8_t *used = cg_alloc(g, g->m->type_count + 1);
    if (!used) return;
    for (uint32_t i = 0; i < g->m->function_count; i++) mark_operands(g, &g->m->functions[i], used);
    for (uint32_t id = 0; id < g->m->bound; id++) {
        uint8_t what = g->m->ids[id].what;
        if (what == SP_IS_VALUE || what == SP_IS_PARAMETER) mark_type(g, g->m->ids[id].type, used);
    }
    for (uint32_t i = 0; i < g->m->type_count; i++) {
        const struct sp_type *t = &g->m->types[i];
        if (!used[i]) continue;
        cg_count_leaves(g, t->id, false); /* checks the limits of values */
        if (g->failed) return;
        cg_put(g, "typedef struct {");
        if (t->kind != SP_STRUCT)
            cg_put(g, " %s e[%u];", cg_type_name(g, t->elem, varying),
                   t->kind == SP_COOPMAT ? cg_matrix_parts(t, g->S) : t->count);
        for (uint32_t k = 0; t->kind == SP_STRUCT && k < t->count; k++) {
            cg_put(g, " %s m%u;", cg_type_name(g, t->members[k], varying), k);
        }
        cg_put(g, " } %s;\n", cg_type_name(g, t->id, varying));
    }
}

static void write_versions(struct cg *g, struct cg_function *fn)
{
    cg_write_function(g, fn);
    if (fn->full || !fn->has_full || g->failed) return;
    fn->full = true;
    cg_run_passes_again(g, fn);
    if (!g->failed) cg_write_function(g, fn);
}

static void write_section(struct cg *g, uint32_t S, struct cg_param *const *params)
{
    const struct sp_module *m = g->m;
    struct sp_text *out = g->w->c, functions = {NULL, 0, 0, false};
    g->S = S;
    memset(&g->w->written_helpers, 0, sizeof g->w->written_helpers);
    memset(&g->w->forms, 0, sizeof g->w->forms);
    memset(g->leaves, 0, (m->type_count + 1) * sizeof *g->leaves); /* the parts of a matrix depend on S */
    cg_put(g, "#undef S\n#define S %u\n", S);
    place_text(g, "lanes");
    place_text(g, "matrix");
    place_text(g, "mx");
    if (g->o->tiles) place_text(g, "amx");
    if (g->o->aside) place_text(g, "narrow");
    place_text(g, "math");
    place_text(g, "coop");
    if (g->w->apart) place_text(g, NULL);
    write_types(g, true);
    for (uint32_t i = 0; i < m->function_count; i++) g->w->written[i].reachable = false;
    for (uint32_t i = 0; i < m->entry_count; i++)
        if (cg_size_of_entry(g, &m->entries[i]) == S) mark_reachable(g, g->body[i], 0);
    for (uint32_t i = 0; i < m->function_count; i++)
        if (g->function[i].row) mark_reachable(g, i, 0);
    g->w->c = &functions;
    for (uint32_t i = 0; i < m->function_count; i++) {
        g->fn = &g->function[i];
        if (cg_written(g, g->fn)->reachable && !g->fn->f->is_declaration && !g->fn->continuation)
            cg_write_signature(g, ";\n");
    }
    for (uint32_t i = 0; i < m->function_count && !g->failed; i++)
        if (g->w->written[i].reachable && !g->function[i].f->is_declaration) write_versions(g, &g->function[i]);
    if (g->o->quick) cg_write_forms(g, &functions);
    g->w->c = out;
    if (g->w->helpers.size) cg_put(g, "%s", g->w->helpers.data);
    if (functions.size) cg_put(g, "%s", functions.data);
    sp_text_free(&functions);
    sp_text_free(&g->w->helpers);
    cg_write_entries(g);
    for (uint32_t i = 0; i < m->entry_count && !g->failed; i++)
        if (cg_size_of_entry(g, &m->entries[i]) == S) {
            cg_write_choice(g, i, params[i]);
            cg_write_kernel(g, i, params[i]);
        }
}

/* Explains the names in the text for its readers (XETILE_SOFT_PRINT=c prints it). */
static void write_legend(struct cg *g)
{
    cg_put(
        g,
        "/* v12 value %%12 (a vector: its lanes differ), p12 a private variable's items, t3 a temporary, c5 a type,\n"
        " * form3 a statement of the quick tier: forms.c.\n"
        " * m3, b3 the active lanes of block %%3, as an i32x and as bits; L3 its label; W3 where all lanes are there.\n"
        " * w12, ok12 all lanes of the affine v12, and whether it is affine now. o12 of a pointer: its bytes from\n"
        " * another one; s12: how far its lanes are apart. f7_16, d7_16 function %%7, 16 lanes: any subgroup, a full "
        "one.\n"
        " * deferred12 steps of the products of %%12 that are deferred; at12 where their operands are. */\n");
}

static void write_text(struct cg *g)
{
    const struct sp_module *m = g->m;
    struct cg_param **params = cg_alloc(g, (m->entry_count + 1) * sizeof *params);
    uint32_t *args_bytes = cg_alloc(g, (m->entry_count + 1) * sizeof *args_bytes);
    bool contract_off = false;
    for (uint32_t i = 0; params && args_bytes && i < m->entry_count && !g->failed; i++) {
        const struct sp_function *f = &m->functions[g->body[i]];
        params[i] = cg_alloc(g, (f->param_count + 1) * sizeof **params);
        if (params[i]) args_bytes[i] = cg_place_params(g, f, &m->functions[m->entries[i].function], params[i]);
        contract_off = contract_off || m->entries[i].contract_off;
    }
    g->w->places = cg_alloc(g, sizeof *g->w->places);
    g->w->apart = g->o->quick && !g->o->function && g->smallest_S == g->largest_S; /* one section */
    if (g->failed) return;
    if (!contract_off) cg_put(g, "/* xs: contract */\n");
    if (g->o->quick) cg_put(g, "/* xs: quick */\n");
    write_legend(g);
    if (g->o->tiles) cg_put(g, "#define XS_TILES\n");
    if (g->runs_once) cg_put(g, "#define XS_ONCE\n");
    if (g->o->quick) cg_put(g, "#define XS_QUICK\n");
    place_text(g, "abi");
    place_text(g, "prelude");
    if (g->o->check) place_text(g, "check");
    cg_declare_rows(g);
    g->S = g->smallest_S;
    write_types(g, false);
    for (uint32_t S = 8; S <= 32; S *= 2) {
        bool used = g->o->function != NULL;
        for (uint32_t i = 0; i < m->entry_count; i++) used = used || cg_size_of_entry(g, &m->entries[i]) == S;
        if (used && !g->failed) write_section(g, S, params);
    }
    if (!g->failed) cg_write_tables(g, params, args_bytes);
    if (!g->failed) put_texts(g);
}

/* If an entry point only calls a function with its own parameters, as llvm-spirv writes them: that function, unless it
 * is also called from elsewhere. */
static uint32_t body_of(struct cg *g, uint32_t function, const uint32_t *calls)
{
    const struct sp_function *f = &g->m->functions[function];
    if (f->block_count != 1 || f->blocks[0].count != 2 || f->blocks[0].inst[1].op != SP_OP_Return) return function;
    const struct sp_inst *call = &f->blocks[0].inst[0];
    if (call->op != SP_OP_FunctionCall || call->count != f->param_count + 1) return function;
    for (uint32_t i = 0; i < f->param_count; i++)
        if (call->operand[i + 1] != f->params[i]) return function;
    uint32_t body = g->m->ids[call->operand[0]].block;
    const struct sp_function *b = &g->m->functions[body];
    if (b->is_declaration || calls[body] != 1 || g->function[body].entry ||
        sp_type(g->m, b->type)->elem != sp_type(g->m, f->type)->elem)
        return function;
    return body;
}

static void find_bodies(struct cg *g)
{
    const struct sp_module *m = g->m;
    uint32_t *calls = cg_alloc(g, (m->function_count + 1) * sizeof *calls);
    if (!calls) return;
    for (uint32_t f = 0; f < m->function_count; f++)
        CG_EACH (i, b, &m->functions[f])
            if (i->op == SP_OP_FunctionCall) calls[m->ids[i->operand[0]].block]++;
    for (uint32_t i = 0; i < m->function_count; i++)
        if (g->function[i].row) calls[i] += 2; /* called from elsewhere */
    for (uint32_t i = 0; i < m->entry_count; i++) {
        g->function[m->entries[i].function].entry = &m->entries[i];
        calls[m->entries[i].function] += 2; /* an entry point cannot be a body */
    }
    for (uint32_t i = 0; i < m->entry_count; i++) {
        uint32_t entry = m->entries[i].function;
        bool again = g->function[entry].wraps; /* another entry point for the same function */
        g->body[i] = again ? m->ids[m->functions[entry].blocks[0].inst[0].operand[0]].block : body_of(g, entry, calls);
        g->function[entry].wraps = g->body[i] != entry;
        if (g->function[entry].wraps && !g->function[g->body[i]].entry) g->function[g->body[i]].entry = &m->entries[i];
    }
}

static void number_values(struct cg *g, struct cg_function *fn)
{
    for (uint32_t b = 0; b < fn->f->block_count; b++) fn->instructions += fn->f->blocks[b].count;
    for (uint32_t i = 0; i < fn->f->param_count; i++) g->ordinal[fn->f->params[i]] = ++fn->value_count;
    CG_EACH (i, b, fn->f)
        if (i->id) g->ordinal[i->id] = ++fn->value_count;
}

static bool prepare(struct cg *g)
{
    const struct sp_module *m = g->m;
    g->S = 32; /* until sections are written: the module's smallest size, whose lanes hold the most of a block */
    for (uint32_t i = 0; i < m->entry_count; i++) {
        uint32_t S = cg_size_of_entry(g, &m->entries[i]);
        if (S < g->S) g->S = S;
        if (S > g->largest_S) g->largest_S = S;
    }
    if (!g->largest_S) g->largest_S = g->S;
    g->smallest_S = g->S;
    g->value = cg_alloc(g, m->bound * sizeof *g->value);
    g->ordinal = cg_alloc(g, m->bound * sizeof *g->ordinal);
    g->body = cg_alloc(g, (m->entry_count + 1) * sizeof *g->body);
    g->function = cg_alloc(g, (m->function_count + 1) * sizeof *g->function);
    g->w->written = cg_alloc(g, (m->function_count + 1) * sizeof *g->w->written);
    g->leaves = cg_alloc(g, (m->type_count + 1) * sizeof *g->leaves);
    g->local_offset = cg_alloc(g, m->bound * sizeof *g->local_offset);
    g->global_index = cg_alloc(g, m->bound * sizeof *g->global_index);
    if (g->failed) return false;
    for (uint32_t i = 0; i < m->function_count; i++) {
        g->function[i].f = &m->functions[i];
        number_values(g, &g->function[i]);
    }
    cg_count_inlined(g);
    cg_find_addressed(g);
    if (!g->failed) find_bodies(g);
    return !g->failed;
}

static bool generate(struct cg *g, struct sp_module *part)
{
    const struct cg_options *o = g->o;
    if (o->function) part->entry_count = 0;
    if (o->versions && o->versions->only) {
        part->entries += o->versions->only - 1;
        part->entry_count = 1;
    }
    if (prepare(g)) {
        cg_run_passes(g);
        if (!g->failed) write_text(g);
    }
    if (!g->failed && o->print && !strcmp(o->print, "c")) fwrite(g->w->c->data, 1, g->w->c->size, stderr);
    cg_free(g);
    return !g->failed && !g->w->c->failed;
}

bool cg_generate(const struct sp_module *m, const struct cg_options *o, struct sp_text *c, struct sp_text *log)
{
    static const struct cg_options none = {0};
    struct sp_module part = *m; /* without the kernels that are not wanted */
    struct generator {
        struct cg g;
        struct cg_writer w;
    } *both = calloc(1, sizeof *both); /* 66 KB: not for the stack */
    bool ok = false;
    if (both) {
        both->w.c = c;
        both->w.mask = "m0";
        both->w.bits = "b0";
        both->g.m = &part;
        both->g.o = o ? o : &none;
        both->g.log = log;
        both->g.w = &both->w;
        ok = generate(&both->g, &part);
    }
    if (!ok && log->size == 0) sp_text_add(log, "error: out of memory while generating code\n");
    free(both);
    return ok;
}
