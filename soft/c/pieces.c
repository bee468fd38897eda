/* pieces.c - the body of a function as one C function or, if passes/outline.c divides it, as several.
 *
 * A function that passes/outline.c divides becomes a C function per piece, which returns where to continue: 0 for the
 * function's end, 1 for a barrier at which it waits, else the number of a piece and of an entry into it. Jumps to other
 * pieces are such returns. Variables that pieces share are members of a structure whose address is `state_`.
 */
#include "body.h"
#include "passes/continuations.h"

static void put_all(struct cg *g, const struct sp_text *t) { cg_put_text(g, t->data, t->size); }

static void write_state(struct cg *g, const struct cg_body *b)
{
    const char *name = cg_version(g, g->fn);
    cg_put(g, "struct state_%s {\n", name);
    put_all(g, &b->state[0]);
    cg_put(g, "    u8 rest_;\n    u64 b0;\n    i32x m0;\n");
    put_all(g, &b->state[1]);
    if (cg_is_kernel(g->fn)) cg_put(g, "    const struct place *at;\n");
    if (g->fn->continuation) cg_put(g, "    struct frame_%s *frame;\n", name);
    cg_put(g, "};\n");
}

/* Jumps to the labels of a piece that other pieces jump to. */
static void write_entries(struct cg *g, const struct cg_body *b, uint32_t piece)
{
    const struct cg_outline *plan = g->fn->outline;
    const struct cg_cut *cut = &plan->cut[piece];
    uint32_t points = g->fn->continuation ? g->fn->continuation->count : 0;
    cg_put(g, "    switch (entry) {\n");
    for (uint32_t p = cut->place; p < plan->place_count && plan->piece_of_place[p] <= piece; p++) {
        const struct cg_place *to = &plan->place[p];
        if (plan->piece_of_place[p] == piece && b->entered[p])
            cg_put(g, "    case %u: goto %c%u;\n", cg_entry_of_place(cut, p), to->coherent ? 'W' : 'L',
                   g->fn->f->blocks[to->block].label);
    }
    for (uint32_t n = 0; n < points; n++)
        if (plan->piece_of_point[n] == piece && b->entered[plan->place_count + n])
            cg_put(g, "    case %u: goto R%u;\n", cg_entry_of_point(n), n + 1);
    cg_put(g, "    default: break;\n    }\n");
}

static void write_piece(struct cg *g, const struct cg_body *b, uint32_t piece)
{
    const char *name = cg_version(g, g->fn);
    cg_put(g, "static XS_OWN XS_CUT u32 %s_%u(struct xs_subgroup *self, struct state_%s *state_, u32 entry)\n{\n",
           name, piece, name);
    cg_put(g, "    const u64 b0 = %s;\n    const i32x m0 = %s;\n", g->fn->full ? "XS_FULL" : "state_->b0",
           g->fn->full ? "~(i32x){0}" : "state_->m0");
    if (cg_is_kernel(g->fn)) cg_put(g, "    const struct place at = *state_->at;\n");
    if (g->fn->continuation) cg_put(g, "    struct frame_%s *const frame = state_->frame;\n", name);
    put_all(g, &b->piece[piece].declared);
    if (b->piece[piece].builtins && g->fn->uses_builtins) cg_write_builtins(g);
    write_entries(g, b, piece);
    put_all(g, &b->piece[piece].text);
    if (piece + 1 < g->fn->outline->pieces)
        cg_put(g, "    return %uu;\n", (piece + 1) << CG_ENTRY_BITS | CG_FIRST_ENTRY);
    cg_put(g, "done:\n    return 0;\n}\n");
}

/* The function itself, which calls one piece after another. */
static void write_driver(struct cg *g)
{
    const char *name = cg_version(g, g->fn);
    const struct sp_function *f = g->fn->f;
    cg_write_signature(g, "\n{\n");
    cg_put(g, "    static u32 (*const pieces[])(struct xs_subgroup *, struct state_%s *, u32) = {", name);
    for (uint32_t i = 0; i < g->fn->outline->pieces; i++)
        cg_put(g, "%s_%u,%s", name, i, i % 8 == 7 ? "\n        " : " ");
    cg_put(g,
           "};\n    struct state_%s state;\n    u32 next = %u;\n"
           "    __builtin_memset(&state, 0, __builtin_offsetof(struct state_%s, rest_));\n",
           name, CG_FIRST_ENTRY, name);
    if (!g->fn->full) cg_put(g, "    state.b0 = b0;\n    state.m0 = m0;\n");
    if (cg_is_kernel(g->fn)) cg_put(g, "    state.at = &at;\n");
    if (g->fn->continuation) cg_put(g, "    state.frame = frame;\n");
    for (uint32_t i = 0; i < f->param_count; i++) cg_put(g, "    state.v%u = v%u;\n", f->params[i], f->params[i]);
    cg_put(g, "    while (next >= %u) next = pieces[next >> %u](self, &state, next & %u);\n", CG_FIRST_ENTRY,
           CG_ENTRY_BITS, (1u << CG_ENTRY_BITS) - 1);
}

static void write_divided(struct cg *g, const struct cg_body *b)
{
    if (g->fn->outline->pieces >> (32 - CG_ENTRY_BITS)) cg_fail(g, "the function is too long");
    write_state(g, b);
    for (uint32_t i = 0; i < g->fn->outline->pieces && !g->failed; i++) write_piece(g, b, i);
    write_driver(g);
}

static void write_whole(struct cg *g, const struct cg_body *b)
{
    cg_write_signature(g, "\n{\n");
    if (g->fn->full) cg_put(g, "    const u64 b0 = XS_FULL;\n    const i32x m0 = ~(i32x){0};\n");
    put_all(g, &b->piece->declared);
    if (g->fn->uses_builtins) cg_write_builtins(g);
    put_all(g, &b->piece->text);
    cg_put(g, "    goto done;\ndone:;\n    (void)m0;\n    (void)b0;\n    (void)self;\n");
}

/* ---- the body */

static void free_body(struct cg *g, struct cg_body *b)
{
    for (uint32_t i = 0; b->piece && i < g->fn->outline->pieces; i++) {
        sp_text_free(&b->piece[i].declared);
        sp_text_free(&b->piece[i].text);
    }
    for (int k = 0; k < 2; k++) sp_text_free(&b->state[k]);
}

/* The result is set in several blocks, and parameters come from the driver. */
static void declare_ends(struct cg *g, struct cg_body *b, const struct sp_type *result)
{
    bool divided = cg_is_divided(g);
    if (result->kind != SP_VOID)
        cg_declare_in(g, divided ? &b->state[0] : &b->piece->declared, !divided,
                      cg_type_name(g, result->id, g->fn->result_varying), "result");
    for (uint32_t i = 0; divided && i < g->fn->f->param_count; i++) {
        uint32_t id = g->fn->f->params[i];
        cg_declare(g, CG_PLAIN, cg_type_name(g, g->m->ids[id].type, g->value[id].varying), "v", id, "");
    }
}

void cg_write_body(struct cg *g, void (*body)(struct cg *))
{
    const struct sp_type *result = sp_type(g->m, sp_type(g->m, g->fn->f->type)->elem);
    const struct cg_outline *plan = g->fn->outline;
    uint32_t points = g->fn->continuation ? g->fn->continuation->count : 0;
    struct cg_body b = {.piece = cg_alloc(g, plan->pieces * sizeof *b.piece),
                        .entered = cg_alloc(g, plan->place_count + points + 1)};
    struct sp_text *out = g->w->c;
    if (g->failed) return;
    g->w->body_text = &b;
    g->w->c = &b.piece->text;
    declare_ends(g, &b, result);
    body(g);
    g->w->c = out;
    if (!g->failed) (cg_is_divided(g) ? write_divided : write_whole)(g, &b);
    if (g->fn->continuation)
        cg_put(g, cg_is_divided(g) ? "    return next;\n" : "    return 0;\n");
    else if (result->kind != SP_VOID)
        cg_put(g, "    return %s;\n", cg_is_divided(g) ? "state.result" : "result");
    free_body(g, &b);
    g->w->body_text = NULL;
}
