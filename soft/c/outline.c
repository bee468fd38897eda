/* outline.c - function bodies as text: whole or, if long, outlined into several smaller functions.
 *
 * Several passes of gcc and clang take time quadratic in a function's length. So a long body is split into pieces, each
 * a C function that returns where to continue: 0 for the function's end, 1 for a barrier at which it waits, else the
 * number of a piece and of an entry into it. Jumps to labels of other pieces become such returns. Variables that only
 * one piece uses are local to it. The rest are members of a structure whose address is `state_`: names are replaced
 * while the text is copied.
 *
 * A piece in a loop through other pieces is left and entered again. Only variables of a single block, whose values from
 * the previous iteration are not needed, are local to it.
 *
 * Cuts are made between instructions, preferably between blocks and outside loops.
 */
#include "body.h"

#include <string.h>

enum { CG_WHOLE_TEXT = 256 << 10, CG_PIECE_TEXT = 24 << 10, FIRST_ENTRY = 2, ENTRY_BITS = 16 };

/* ---- names in the text */

struct scan {
    const char *at, *end, *name;
    size_t length;
    bool member, label; /* follows a dot or an arrow; precedes a colon, at the start of a line */
};

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static const char *skip_string(const char *at, const char *end)
{
    char quote = *at++;
    while (at < end && *at != quote) at += *at == '\\' ? 2 : 1;
    return at < end ? at + 1 : end;
}

static bool next_name(struct scan *s)
{
    char before = '\n';
    while (s->at < s->end && !is_letter(*s->at)) {
        if (*s->at == '"' || *s->at == '\'') {
            s->at = skip_string(s->at, s->end);
            before = '"';
        } else if (is_digit(*s->at)) {
            while (s->at < s->end && (is_letter(*s->at) || is_digit(*s->at))) s->at++;
            before = '0';
        } else {
            before = *s->at++;
        }
    }
    s->name = s->at;
    while (s->at < s->end && (is_letter(*s->at) || is_digit(*s->at))) s->at++;
    s->length = (size_t)(s->at - s->name);
    s->member = before == '.' || before == '>';
    s->label = before == '\n' && s->at < s->end && *s->at == ':';
    return s->length != 0;
}

static uint32_t hash_of(const char *text, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash ^ hash >> 15;
}

/* The hash table slot of a name; contains 0 if the name is new. */
static uint32_t *find_slot(struct cg_body *b, const char *text, size_t length)
{
    for (uint32_t at = hash_of(text, length);; at++) {
        uint32_t *slot = &b->table[at & (b->table_size - 1)];
        const struct cg_name *n = *slot ? &b->name[*slot - 1] : NULL;
        if (!n || (n->length == length && !memcmp(n->text, text, length))) return slot;
    }
}

static struct cg_name *find_name(struct cg_body *b, const struct scan *s)
{
    uint32_t slot = s->member ? 0 : *find_slot(b, s->name, s->length);
    return slot ? &b->name[slot - 1] : NULL;
}

/* ---- the body with its cuts */

struct part {
    size_t from; /* in the text after cutting */
    bool piece;  /* a piece begins here, else a block of the same piece */
};

struct pieces {
    struct cg *g;
    struct cg_body *body;
    struct sp_text text;
    struct part *part;
    uint32_t part_count, count;
    int32_t *loops;                    /* by piece: loops through several pieces including this one */
    int32_t *deep_start, *deep_inside; /* by segment: loops that a cut before it, or inside it, would split */
};

static void index_names(struct cg *g, struct cg_body *b)
{
    uint32_t labels = 0;
    b->declared = b->count;
    for (uint32_t i = 0; i < b->mark_count; i++) labels += b->mark[i].start;
    for (b->table_size = 256; b->table_size / 4 < b->count + labels + 512;) b->table_size *= 2;
    b->table = cg_alloc(g, b->table_size * sizeof *b->table);
    for (uint32_t i = 0; i < b->count && !g->failed; i++) *find_slot(b, b->name[i].text, b->name[i].length) = i + 1;
}

static void add_label(struct cg *g, struct cg_body *b, const struct scan *s, uint32_t segment)
{
    uint32_t *slot = find_slot(b, s->name, s->length);
    struct cg_name *n = *slot || b->count >= b->table_size / 2 ? NULL : cg_add_name(g, s->name, s->length);
    if (!n) return;
    *slot = b->count;
    n->place = segment;
}

static bool is_goto(const struct scan *s) { return s->length == 4 && !memcmp(s->name, "goto", 4); }

/* Finds the positions of labels, and the loop depth of each block. */
static void find_loops(struct pieces *p)
{
    struct cg_body *b = p->body;
    for (int pass = 0; pass < 2; pass++) {
        struct scan s = {.at = b->text.data, .end = b->text.data + b->text.size};
        uint32_t segment = 0, mark = 0;
        while (next_name(&s) && !p->g->failed) {
            for (; mark < b->mark_count && b->mark[mark].at <= (size_t)(s.name - b->text.data); mark++)
                segment += b->mark[mark].start;
            if (pass == 0 && s.label) add_label(p->g, b, &s, segment);
            if (pass == 0 || !is_goto(&s) || !next_name(&s)) continue;
            const struct cg_name *to = find_name(b, &s);
            if (!to || to->type || to->place > segment) continue;
            p->deep_start[to->place + 1]++;
            p->deep_start[segment + 1]--;
            p->deep_inside[to->place]++;
            p->deep_inside[segment + 1]--;
        }
    }
    for (uint32_t i = 1; i <= b->mark_count + 1; i++) {
        p->deep_start[i] += p->deep_start[i - 1];
        p->deep_inside[i] += p->deep_inside[i - 1];
    }
}

/* The best mark for the next cut after mark `from`; mark_count: no cut needed. */
static uint32_t choose_cut(const struct pieces *p, uint32_t from, uint32_t segment)
{
    const struct cg_body *b = p->body;
    uint32_t best = b->mark_count;
    int32_t least = INT32_MAX;
    size_t begin = from < b->mark_count ? b->mark[from].at : 0;
    size_t most = p->g->o->piece_bytes ? p->g->o->piece_bytes : CG_PIECE_TEXT;
    if (b->text.size - begin <= most) return best;
    for (uint32_t i = from + 1; i < b->mark_count; i++) {
        segment += b->mark[i].start;
        if (b->mark[i].at - begin < most / 2) continue;
        if (b->mark[i].at - begin > most && best != b->mark_count) return best;
        int32_t deep = 2 * (b->mark[i].start ? p->deep_start[segment] : p->deep_inside[segment]) + !b->mark[i].start;
        if (deep > least) continue;
        least = deep;
        best = i;
    }
    return best;
}

/* Ends a piece in the middle of a block, which continues in the next piece. */
static void cut_block(struct pieces *p, uint32_t block, bool open)
{
    uint32_t label = p->g->fn->f->blocks[block].label;
    bool masked = p->g->fn->block[block].masked;
    if (!open)
        cg_put(p->g, masked ? "    m%u = k%u;\n    }\n    }\n" : "    }\n", label, label);
    else
        cg_write_block_head(p->g, block);
}

/* Reassembles the text with its cuts, and records where its parts begin. */
static void cut(struct pieces *p)
{
    struct cg_body *b = p->body;
    uint32_t next = choose_cut(p, CG_NOWHERE, 0), segment = 0;
    size_t from = 0;
    p->part = cg_alloc(p->g, (b->mark_count + 2) * sizeof *p->part);
    p->g->c = &p->text;
    if (p->g->failed) return;
    p->part[p->part_count++] = (struct part){0, true};
    p->count = 1;
    for (uint32_t i = 0; i < b->mark_count && !p->g->failed; i++) {
        const struct cg_mark *m = &b->mark[i];
        segment += m->start;
        if (i != next && !m->start) continue;
        cg_put_text(p->g, b->text.data + from, m->at - from);
        from = m->at;
        if (i == next && !m->start) cut_block(p, m->block, false);
        p->part[p->part_count++] = (struct part){p->text.size, i == next};
        if (i == next && !m->start) cut_block(p, m->block, true);
        if (i != next) continue;
        p->count++;
        next = choose_cut(p, i, segment);
    }
    cg_put_text(p->g, b->text.data + from, b->text.size - from);
    p->part[p->part_count].from = p->text.size;
}

/* ---- shared names */

/* Records a name in `piece`: a variable used there, a label defined or jumped to there. */
static void note_name(struct pieces *p, struct cg_name *n, uint32_t piece, uint32_t part, bool first_pass, bool label)
{
    if (!n->type) {
        if (first_pass && label) n->piece = piece;
        if (first_pass || label || n->piece == piece) return;
        n->entry = FIRST_ENTRY;
        if (n->piece > piece) return;
        p->loops[n->piece]++; /* up to here */
        p->loops[piece + 1]--;
    } else if (first_pass) {
        n->in_pieces = n->in_pieces || (n->piece != CG_NOWHERE && n->piece != piece);
        n->in_parts = n->in_parts || (n->place != CG_NOWHERE && n->place != part);
        n->piece = piece;
        n->place = part;
    }
}

static void number_entries(struct pieces *p)
{
    struct cg_body *b = p->body;
    uint32_t entry = FIRST_ENTRY;
    for (uint32_t i = b->declared; i < b->count; i++) {
        if (i > b->declared && b->name[i].piece != b->name[i - 1].piece) entry = FIRST_ENTRY;
        if (b->name[i].entry) b->name[i].entry = ++entry;
        if (entry >> ENTRY_BITS) cg_fail(p->g, "the function has too many blocks");
    }
}

static void find_shared(struct pieces *p)
{
    struct cg_body *b = p->body;
    p->loops = cg_alloc(p->g, (p->count + 1) * sizeof *p->loops);
    for (int pass = 0; pass < 2 && !p->g->failed; pass++) {
        for (uint32_t i = 0, piece = 0; i < p->part_count; i++) {
            struct scan s = {.at = p->text.data + p->part[i].from, .end = p->text.data + p->part[i + 1].from};
            piece += p->part[i].piece && i;
            while (next_name(&s)) {
                struct cg_name *n = find_name(b, &s);
                if (n) note_name(p, n, piece, i, pass == 0, s.label);
            }
        }
    }
    if (p->g->failed) return;
    for (uint32_t i = 1; i <= p->count; i++) p->loops[i] += p->loops[i - 1];
    for (uint32_t i = 0; i < b->declared; i++) {
        struct cg_name *n = &b->name[i];
        bool again = n->piece != CG_NOWHERE && p->loops[n->piece]; /* may run more than once */
        n->shared = n->kept || n->in_pieces || (again && (n->zero || n->in_parts));
    }
    number_entries(p);
}

/* ---- output */

static void put_declaration(struct cg *g, const struct cg_name *n, bool zero)
{
    cg_put(g, "    %s %s%s%s;\n", n->type, n->text, n->dimension, zero && n->zero ? " = {0}" : "");
}

static void write_state(struct pieces *p)
{
    struct cg *g = p->g;
    const char *name = cg_version(g, g->fn);
    cg_put(g, "struct state_%s {\n", name);
    for (int zero = 1; zero >= 0; zero--) {
        for (uint32_t i = 0; i < p->body->declared; i++) {
            const struct cg_name *n = &p->body->name[i];
            if (n->shared && n->zero == zero) put_declaration(g, n, false);
        }
        if (zero) cg_put(g, "    u8 rest_;\n    u64 b0;\n    i32x m0;\n");
    }
    if (cg_is_kernel(g->fn)) cg_put(g, "    const struct place *at;\n");
    if (g->fn->continuation) cg_put(g, "    struct frame_%s *frame;\n", name);
    cg_put(g, "};\n");
}

static bool starts_with(const struct scan *s, const char *text)
{
    size_t n = strlen(text);
    return s->length >= n && !memcmp(s->name, text, n);
}

/* Is it declared by cg_write_builtins? */
static bool is_builtin(const struct scan *s)
{
    return starts_with(s, "local_") || starts_with(s, "group_") || starts_with(s, "offset") ||
           starts_with(s, "subgroup_id") || starts_with(s, "lanes") || starts_with(s, "first");
}

/* The variables of a piece, and a jump to each of its labels that others use. Returns the next piece's first label. */
static uint32_t write_piece_start(struct pieces *p, uint32_t piece, uint32_t label, struct scan s)
{
    struct cg *g = p->g;
    bool builtins = false;
    while (next_name(&s) && !g->failed) {
        struct cg_name *n = find_name(p->body, &s);
        builtins = builtins || (!n && is_builtin(&s));
        if (!n || !n->type || n->shared || n->written == piece + 1) continue;
        n->written = piece + 1;
        put_declaration(g, n, true);
    }
    if (builtins && g->fn->uses_builtins) cg_write_builtins(g);
    cg_put(g, "    switch (entry) {\n");
    for (; label < p->body->count && p->body->name[label].piece == piece; label++) {
        const struct cg_name *n = &p->body->name[label];
        if (n->entry) cg_put(g, "    case %u: goto %.*s;\n", n->entry, (int)n->length, n->text);
    }
    cg_put(g, "    default: break;\n    }\n");
    return label;
}

/* Copies a piece's text, replacing shared names by state members, and jumps to other pieces by returns. */
static void copy_piece(struct pieces *p, uint32_t piece, struct scan s)
{
    const char *from = s.at, *jump = NULL;
    while (next_name(&s) && !p->g->failed) {
        const struct cg_name *n = find_name(p->body, &s);
        const char *before = jump;
        jump = is_goto(&s) ? s.name : NULL;
        if (n && n->type && n->shared) {
            cg_put_text(p->g, from, (size_t)(s.name - from));
            cg_put_text(p->g, "state_->", 8);
            from = s.name;
        } else if (n && !n->type && before && n->piece != piece) {
            cg_put_text(p->g, from, (size_t)(before - from));
            cg_put(p->g, "return %uu", n->piece << ENTRY_BITS | n->entry);
            from = s.at;
        }
    }
    cg_put_text(p->g, from, (size_t)(s.end - from));
    if (piece + 1 < p->count) cg_put(p->g, "    return %uu;\n", (piece + 1) << ENTRY_BITS | FIRST_ENTRY);
    cg_put(p->g, "done:\n    return 0;\n}\n");
}

static uint32_t write_piece(struct pieces *p, uint32_t piece, uint32_t label, size_t from, size_t to)
{
    struct cg *g = p->g;
    const char *name = cg_version(g, g->fn);
    const struct scan s = {.at = p->text.data + from, .end = p->text.data + to};
    cg_put(g, "static XS_CUT u32 %s_%u(struct xs_subgroup *self, struct state_%s *state_, u32 entry)\n{\n", name, piece,
           name);
    cg_put(g, "    const u64 b0 = %s;\n    const i32x m0 = %s;\n", g->fn->full ? "XS_FULL" : "state_->b0",
           g->fn->full ? "~(i32x){0}" : "state_->m0");
    if (cg_is_kernel(g->fn)) cg_put(g, "    const struct place at = *state_->at;\n");
    if (g->fn->continuation) cg_put(g, "    struct frame_%s *const frame = state_->frame;\n", name);
    label = write_piece_start(p, piece, label, s);
    copy_piece(p, piece, s);
    return label;
}

static void write_pieces(struct pieces *p)
{
    uint32_t label = p->body->declared, piece = 0;
    for (uint32_t i = 0; i < p->part_count && !p->g->failed;) {
        uint32_t first = i++;
        while (i < p->part_count && !p->part[i].piece) i++;
        label = write_piece(p, piece++, label, p->part[first].from, p->part[i].from);
    }
}

/* The function itself, which calls one piece after another. */
static void write_driver(struct pieces *p)
{
    struct cg *g = p->g;
    const char *name = cg_version(g, g->fn);
    const struct sp_function *f = g->fn->f;
    cg_write_signature(g, "\n{\n");
    cg_put(g, "    static u32 (*const pieces[])(struct xs_subgroup *, struct state_%s *, u32) = {", name);
    for (uint32_t i = 0; i < p->count; i++) cg_put(g, "%s_%u,%s", name, i, i % 8 == 7 ? "\n        " : " ");
    cg_put(g,
           "};\n    struct state_%s state;\n    u32 next = %u;\n"
           "    __builtin_memset(&state, 0, __builtin_offsetof(struct state_%s, rest_));\n",
           name, FIRST_ENTRY, name);
    if (!g->fn->full) cg_put(g, "    state.b0 = b0;\n    state.m0 = m0;\n");
    if (cg_is_kernel(g->fn)) cg_put(g, "    state.at = &at;\n");
    if (g->fn->continuation) cg_put(g, "    state.frame = frame;\n");
    for (uint32_t i = 0; i < f->param_count; i++) cg_put(g, "    state.v%u = v%u;\n", f->params[i], f->params[i]);
    cg_put(g, "    while (next >= %u) next = pieces[next >> %u](self, &state, next & %u);\n", FIRST_ENTRY, ENTRY_BITS,
           (1u << ENTRY_BITS) - 1);
}

static void write_outlined(struct cg *g, struct cg_body *b)
{
    struct sp_text *out = g->c;
    struct pieces p = {.g = g, .body = b};
    for (uint32_t i = 0; i < g->fn->f->param_count; i++) {
        uint32_t id = g->fn->f->params[i];
        cg_declare(g, CG_KEPT, cg_type_name(g, g->m->ids[id].type, g->value[id].varying), cg_str(g, "v%u", id), "");
    }
    p.deep_start = cg_alloc(g, (b->mark_count + 3) * sizeof *p.deep_start);
    p.deep_inside = cg_alloc(g, (b->mark_count + 3) * sizeof *p.deep_inside);
    index_names(g, b);
    if (!g->failed) find_loops(&p);
    if (!g->failed) cut(&p);
    g->c = out;
    if (p.count >> (32 - ENTRY_BITS)) cg_fail(g, "the function is too long");
    if (!g->failed) find_shared(&p);
    if (!g->failed) write_state(&p);
    if (!g->failed) write_pieces(&p);
    if (!g->failed) write_driver(&p);
    sp_text_free(&p.text);
}

static void write_whole(struct cg *g, struct cg_body *b)
{
    cg_write_signature(g, "\n{\n");
    if (g->fn->full) cg_put(g, "    const u64 b0 = XS_FULL;\n    const i32x m0 = ~(i32x){0};\n");
    for (uint32_t i = 0; i < b->count; i++) put_declaration(g, &b->name[i], true);
    if (g->fn->uses_builtins) cg_write_builtins(g);
    cg_put_text(g, b->text.data, b->text.size);
    cg_put(g, "    goto done;\ndone:;\n    (void)m0;\n    (void)b0;\n    (void)self;\n");
}

/* Writes a function whose statements are written by `body`. */
void cg_write_body(struct cg *g, void (*body)(struct cg *))
{
    const struct sp_type *result = sp_type(g->m, sp_type(g->m, g->fn->f->type)->elem);
    struct cg_body b = {0};
    struct sp_text *out = g->c;
    bool pieces;
    g->body_text = &b;
    g->c = &b.text;
    if (result->kind != SP_VOID)
        cg_declare(g, CG_ZERO, cg_type_name(g, result->id, g->fn->result_varying), "result", "");
    if (b.count) b.name[0].kept = true;
    body(g);
    g->c = out;
    pieces = b.text.size > CG_WHOLE_TEXT || g->o->piece_bytes;
    if (!g->failed && pieces) write_outlined(g, &b);
    if (!g->failed && !pieces) write_whole(g, &b);
    if (g->fn->continuation)
        cg_put(g, pieces ? "    return next;\n" : "    return 0;\n");
    else if (result->kind != SP_VOID)
        cg_put(g, pieces ? "    return state.result;\n" : "    return result;\n");
    sp_text_free(&b.text);
    g->body_text = NULL;
}
