/* link.c - links several modules into one: ids are renumbered, equal types and constants are merged, and imports of one
 * module are replaced by exports of another.
 *
 * Every module has been through sp_parse, and so will the result; here it is only assembled. Values given to
 * specialisation constants are written into it, because two modules may use one SpecId for different things.
 */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PASSES = 64 };

struct words {
    uint32_t *w;
    size_t count, room;
};

struct unit {
    const struct sp_link_input *in;
    struct sp_module *m;
    struct sp_reader r;               /* only what decoding needs */
    uint32_t *map;                    /* [bound] the id in the result */
    uint32_t *ordinal;                /* [bound] the index of a global variable in the module */
    uint8_t *gone, *unnamed;          /* [bound] not written; written without linkage */
    uint32_t *pending, pending_count; /* positions of types, constants and variables not yet written */
    uint32_t first_function;          /* word offset */
    struct sp_symbol *symbols;
    uint32_t symbol_count;
};

struct export
{
    const char *name;
    uint32_t unit, id;
    bool function, once;
};

struct joined {                   /* a type or constant of the result */
    uint32_t hash, id, at, count; /* position of its words in `keys` */
};

struct linker {
    struct unit *unit;
    uint32_t count, bound;
    struct sp_text *log;
    bool strict;
    struct words part[SP_FUNCTIONS + 1], keys, line;
    struct export *exports;
    uint32_t export_count;
    struct joined *joined;
    uint32_t joined_room, joined_count;
    uint8_t *ready; /* [bound] of the result: defined, or forward-declared */
    struct sp_link_origin *origins;
    uint32_t origin_count;
    bool failed;
};

static bool fail(struct linker *l, const char *why)
{
    if (!l->failed) sp_text_add(l->log, "link: %s\n", why);
    l->failed = true;
    return false;
}

static void put(struct linker *l, struct words *to, const uint32_t *w, size_t count)
{
    if (to->room - to->count < count) {
        size_t room = (to->room + count) * 2 + 64;
        uint32_t *p = room < SP_MAX_WORDS * (size_t)4 ? realloc(to->w, room * sizeof *p) : NULL;
        if (!p) {
            fail(l, "out of memory");
            return;
        }
        to->w = p;
        to->room = room;
    }
    if (count) memcpy(to->w + to->count, w, count * sizeof *w);
    to->count += count;
}

/* ---- exports and imports of a module */

static bool mark_used(void *user, uint32_t index, char letter)
{
    const struct sp_inst *i = ((void **)user)[0];
    uint8_t *used = ((void **)user)[1];
    (void)letter;
    used[i->operand[index]] = 1;
    return true;
}

/* Marks ids used in functions or in values. */
static bool find_used(struct sp_reader *r, uint8_t *used)
{
    for (uint32_t at = SP_HEADER_WORDS; at < r->m->word_count; at += r->m->words[at] >> 16) {
        struct sp_inst i;
        void *user[2] = {&i, used};
        enum sp_section s = sp_section_of(r->m->words[at] & 0xffff);
        if (s < SP_TYPES && s != SP_ANYWHERE) continue;
        if (!sp_decode_one(r, at, &i) || !sp_each_id(r, &i, mark_used, user)) return false;
    }
    return true;
}

static bool open_reader(struct sp_module *m, struct sp_text *log, struct sp_reader *r)
{
    memset(r, 0, sizeof *r);
    r->m = m;
    r->log = log;
    r->early_type = sp_alloc(r, m->bound, sizeof *r->early_type);
    if (!r->early_type) return false;
    sp_note_types(r);
    return true;
}

bool sp_symbols(struct sp_module *m, struct sp_symbol **list, uint32_t *count, struct sp_text *log)
{
    struct sp_reader r;
    uint8_t *used = NULL;
    uint32_t n = 0;
    *count = 0;
    for (uint32_t k = 0; k < m->decoration_count; k++) n += m->decorations[k].kind == SP_DECORATION_LinkageAttributes;
    *list = NULL;
    if (n == 0) return true;
    if (!open_reader(m, log, &r) || !(used = sp_alloc(&r, m->bound, 1)) || !find_used(&r, used)) return false;
    *list = sp_alloc(&r, n, sizeof **list);
    if (!*list) return false;
    for (uint32_t k = 0; k < m->decoration_count; k++) {
        const struct sp_decoration *d = &m->decorations[k];
        const struct sp_id *id = &m->ids[d->target];
        struct sp_symbol *s = &(*list)[*count];
        if (d->kind != SP_DECORATION_LinkageAttributes || d->member != ~0u || !id->def) continue;
        if (id->what != SP_IS_FUNCTION && (id->what != SP_IS_VARIABLE || id->function)) continue;
        if (id->what == SP_IS_VARIABLE && sp_is_built_in(m, id->def)) continue;
        s->name = sp_string(&r, d->operand);
        s->id = d->target;
        s->linkage = d->operand[sp_string_words(d->operand, d->count)];
        s->function = id->what == SP_IS_FUNCTION;
        s->used = used[d->target];
        if (!s->name) return false;
        ++*count;
    }
    return true;
}

static bool is_open_import(const struct sp_symbol *s) { return s->linkage == SP_LINKAGE_Import && s->used; }

uint32_t sp_imports(const struct sp_symbol *list, uint32_t count, struct sp_text *names)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (!is_open_import(&list[k])) continue;
        if (names) sp_text_add(names, "%s%.200s", n ? ", " : "", list[k].name);
        n++;
    }
    return n;
}

/* ---- opening the modules */

static bool open_unit(struct linker *l, uint32_t index)
{
    struct unit *u = &l->unit[index];
    uint32_t number = 0;
    u->m = sp_parse(u->in->words, u->in->count, u->in->spec, u->in->spec_count, l->strict, l->log);
    if (!u->m || !open_reader(u->m, l->log, &u->r)) return fail(l, "a module cannot be read");
    if (!sp_symbols(u->m, &u->symbols, &u->symbol_count, l->log)) return fail(l, "a module's symbols cannot be read");
    u->map = sp_alloc(&u->r, u->m->bound, sizeof *u->map);
    u->ordinal = sp_alloc(&u->r, u->m->bound, sizeof *u->ordinal);
    u->gone = sp_alloc(&u->r, u->m->bound, 1);
    u->unnamed = sp_alloc(&u->r, u->m->bound, 1);
    u->pending = sp_alloc(&u->r, u->m->word_count, sizeof *u->pending);
    if (!u->map || !u->ordinal || !u->gone || !u->unnamed || !u->pending) return fail(l, "out of memory");
    if (u->m->bound > SP_MAX_BOUND - l->bound) return fail(l, "too many ids in all modules together");
    for (uint32_t id = 1; id < u->m->bound; id++) u->map[id] = l->bound + id - 1;
    l->bound += u->m->bound - 1;
    for (uint32_t k = 0; k < u->m->global_count; k++) {
        if (sp_is_global(u->m, u->m->globals[k]))
            u->ordinal[u->m->globals[k]->id] = number++;
    }
    u->first_function = (uint32_t)u->m->word_count;
    for (uint32_t at = SP_HEADER_WORDS; at < u->m->word_count; at += u->m->words[at] >> 16) {
        uint32_t op = u->m->words[at] & 0xffff;
        enum sp_section s = sp_section_of(op);
        if (op == SP_OP_Function) {
            u->first_function = at;
            break;
        }
        if (s == SP_TYPES || op == SP_OP_Variable || op == SP_OP_Undef ||
            (s == SP_ANYWHERE && op != SP_OP_Line && op != SP_OP_NoLine && op != SP_OP_Nop))
            u->pending[u->pending_count++] = at;
    }
    return true;
}

/* ---- resolving imports */

static int by_name(const void *a, const void *b)
{
    const struct export *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    if (order) return order;
    if (x->once != y->once) return x->once - y->once;
    return x->unit < y->unit ? -1 : x->unit > y->unit ? 1 : x->id < y->id ? -1 : x->id > y->id;
}

static bool collect_exports(struct linker *l)
{
    uint32_t n = 0;
    for (uint32_t u = 0; u < l->count; u++) n += l->unit[u].symbol_count;
    l->exports = calloc(n + 1, sizeof *l->exports);
    if (!l->exports) return fail(l, "out of memory");
    for (uint32_t u = 0; u < l->count; u++) {
        for (uint32_t k = 0; k < l->unit[u].symbol_count; k++) {
            const struct sp_symbol *s = &l->unit[u].symbols[k];
            if (s->linkage == SP_LINKAGE_Import) continue;
            l->exports[l->export_count++] =
                (struct export){s->name, u, s->id, s->function, s->linkage == SP_LINKAGE_LinkOnceODR};
        }
    }
    qsort(l->exports, l->export_count, sizeof *l->exports, by_name);
    return true;
}

/* The effective export with this name. */
static const struct export *find_export(const struct linker *l, const char *name)
{
    uint32_t low = 0, high = l->export_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(l->exports[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < l->export_count && strcmp(l->exports[low].name, name) == 0 ? &l->exports[low] : NULL;
}

static bool twice(struct linker *l, const char *what, const char *preposition, const struct export *a,
                  const struct export *b)
{
    sp_text_add(l->log, "link: %.200s is %s %s module %u and %s module %u\n", a->name, what, preposition,
                l->unit[a->unit].in->number, preposition, l->unit[b->unit].in->number);
    l->failed = true;
    return false;
}

/* The kernels of all modules that give theirs to the result have different names. */
static bool check_kernels(struct linker *l)
{
    uint32_t room = 0, count = 0;
    for (uint32_t u = 0; u < l->count; u++) room += l->unit[u].m->entry_count;
    struct export *all = calloc((size_t)room + 1, sizeof *all);
    if (!all) return fail(l, "out of memory");
    for (uint32_t u = 0; u < l->count; u++)
        for (uint32_t k = 0; l->unit[u].in->entries && k < l->unit[u].m->entry_count; k++)
            all[count++] = (struct export){.name = l->unit[u].m->entries[k].name, .unit = u, .id = k};
    qsort(all, count, sizeof *all, by_name);
    for (uint32_t k = 1; k < count && !l->failed; k++)
        if (!strcmp(all[k - 1].name, all[k].name)) twice(l, "a kernel", "of", &all[k - 1], &all[k]);
    free(all);
    return !l->failed;
}

/* Of several exports with one name the first is effective; there may be several only if they are LinkOnceODR, or if the
 * name is never imported. */
static bool settle_exports(struct linker *l)
{
    for (uint32_t k = 1, first = 0; k < l->export_count; k++) {
        const struct export *a = &l->exports[first], *b = &l->exports[k];
        struct unit *u = &l->unit[b->unit];
        if (strcmp(a->name, b->name) != 0) {
            first = k;
            continue;
        }
        if (!b->once && (a->unit == b->unit || (l->unit[a->unit].in->entries && u->in->entries)))
            return twice(l, "exported", "by", a, b);
        if (b->once && a->function == b->function) {
            u->gone[b->id] = 1;
            u->map[b->id] = l->unit[a->unit].map[a->id];
        } else {
            u->unnamed[b->id] = 1;
        }
    }
    return true;
}

static bool resolve(struct linker *l)
{
    for (uint32_t n = 0; n < l->count; n++) {
        struct unit *u = &l->unit[n];
        for (uint32_t k = 0; k < u->symbol_count; k++) {
            const struct sp_symbol *s = &u->symbols[k];
            const struct export *e = s->linkage == SP_LINKAGE_Import ? find_export(l, s->name) : NULL;
            if (!e) continue;
            if (e + 1 < l->exports + l->export_count && strcmp(e[1].name, e->name) == 0 && !e[1].once)
                return twice(l, "exported", "by", e, e + 1);
            if (e->function != s->function) {
                sp_text_add(l->log, "link: %.200s is a %s in module %u and a %s in module %u\n", s->name,
                            s->function ? "function" : "variable", u->in->number, e->function ? "function" : "variable",
                            l->unit[e->unit].in->number);
                return !(l->failed = true);
            }
            u->gone[s->id] = 1;
            u->map[s->id] = l->unit[e->unit].map[e->id];
        }
    }
    return true;
}

static uint32_t type_of_symbol(const struct unit *u, uint32_t id)
{
    const struct sp_inst *d = u->m->ids[id].def;
    return u->map[d->op == SP_OP_Function ? d->operand[1] : d->type];
}

/* After merging, equal types have the same id. */
static bool compare_types(struct linker *l)
{
    for (uint32_t n = 0; n < l->count; n++) {
        struct unit *u = &l->unit[n];
        for (uint32_t k = 0; k < u->symbol_count; k++) {
            const struct export *e = find_export(l, u->symbols[k].name);
            if (!u->gone[u->symbols[k].id] || !e) continue;
            if (type_of_symbol(u, u->symbols[k].id) == type_of_symbol(&l->unit[e->unit], e->id)) continue;
            sp_text_add(l->log, "link: %.200s has one type in module %u and another in module %u\n", e->name,
                        u->in->number, l->unit[e->unit].in->number);
            l->failed = true;
        }
    }
    return !l->failed;
}

/* ---- instructions with the ids of the result */

struct remap {
    const struct unit *u;
    const struct sp_inst *i;
    uint32_t *to;
};

static bool remap_id(void *user, uint32_t index, char letter)
{
    struct remap *m = user;
    (void)letter;
    m->to[index] = m->u->map[m->i->operand[index]];
    return true;
}

/* Translates the instruction at word `at` into l->line; false if it is omitted (other sets' debug information). */
static bool translate(struct linker *l, struct unit *u, uint32_t at, struct sp_inst *i)
{
    const uint32_t *from = u->m->words + at;
    struct remap m = {u, i, NULL};
    if (!sp_decode_one(&u->r, at, i)) return fail(l, "an instruction cannot be read");
    if ((i->op == SP_OP_ExtInst || i->op == SP_OP_ExtInstWithForwardRefsKHR) && i->operand[0] != u->m->opencl_std)
        return false;
    l->line.count = 0;
    put(l, &l->line, from, from[0] >> 16);
    if (l->failed) return false;
    m.to = l->line.w + (i->operand - from);
    if (i->type) l->line.w[1] = u->map[i->type];
    if (i->id) l->line.w[i->type ? 2 : 1] = u->map[i->id];
    return sp_each_id(&u->r, i, remap_id, &m);
}

/* ---- types, constants, variables: ordered so that definitions precede uses */

static bool is_ready(void *user, uint32_t index, char letter)
{
    void **p = user;
    const struct linker *l = p[0];
    const struct unit *u = p[1];
    const struct sp_inst *i = p[2];
    uint32_t id = i->operand[index];
    (void)letter;
    return l->ready[u->map[id]] || u->m->ids[id].what == SP_IS_FUNCTION;
}

/* Can equal instructions be merged? Types and constants can, except those with an identity of their own. */
static bool is_joinable(const struct linker *l, const struct unit *u, const struct sp_inst *i)
{
    switch (i->op) {
    case SP_OP_Constant:
    case SP_OP_ConstantTrue:
    case SP_OP_ConstantFalse:
    case SP_OP_ConstantNull:
    case SP_OP_ConstantComposite: return true;
    default: return u->m->ids[i->id].what == SP_IS_TYPE && !l->ready[u->map[i->id]]; /* otherwise forward-declared */
    }
}

/* Appends the words of l->line without the result id, and its decorations, to l->keys. */
static uint32_t write_key(struct linker *l, const struct unit *u, const struct sp_inst *i, size_t *at)
{
    const struct sp_decoration *d;
    uint32_t n = sp_decorations_of(u->m, i->id, &d), hash = 2166136261u;
    *at = l->keys.count;
    put(l, &l->keys, l->line.w, l->line.count);
    if (l->failed) return 0;
    l->keys.w[*at + (i->type ? 2 : 1)] = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t head[3] = {d[k].kind, d[k].member, d[k].count};
        put(l, &l->keys, head, 3);
        put(l, &l->keys, d[k].operand, d[k].count);
    }
    for (size_t k = *at; k < l->keys.count; k++) hash = (hash ^ l->keys.w[k]) * 16777619u;
    return hash ^ hash >> 15;
}

static bool grow_joined(struct linker *l)
{
    uint32_t room = l->joined_room ? l->joined_room * 2 : 256;
    struct joined *all = calloc(room, sizeof *all);
    if (!all) return fail(l, "out of memory");
    for (uint32_t k = 0; k < l->joined_room; k++) {
        uint32_t slot = l->joined[k].hash & (room - 1);
        if (!l->joined[k].id) continue;
        while (all[slot].id) slot = (slot + 1) & (room - 1);
        all[slot] = l->joined[k];
    }
    free(l->joined);
    l->joined = all;
    l->joined_room = room;
    return true;
}

/* The id of an equal instruction written before; 0 if there is none, and records this one. */
static uint32_t join(struct linker *l, const struct unit *u, const struct sp_inst *i)
{
    size_t at;
    uint32_t hash = write_key(l, u, i, &at), slot;
    size_t count = l->keys.count - at;
    if (l->failed || (l->joined_count * 2 >= l->joined_room && !grow_joined(l))) return 0;
    for (slot = hash & (l->joined_room - 1); l->joined[slot].id; slot = (slot + 1) & (l->joined_room - 1)) {
        const struct joined *j = &l->joined[slot];
        if (j->hash != hash || j->count != count ||
            memcmp(l->keys.w + j->at, l->keys.w + at, count * sizeof *l->keys.w) != 0)
            continue;
        l->keys.count = at;
        return j->id;
    }
    l->joined[slot] = (struct joined){hash, u->map[i->id], (uint32_t)at, (uint32_t)count};
    l->joined_count++;
    return 0;
}

/* The value given to a specialisation constant, which becomes an ordinary one. */
static const struct sp_spec *given_value(const struct unit *u, uint32_t id)
{
    const struct sp_decoration *d = sp_decorated(u->m, id, SP_DECORATION_SpecId);
    for (size_t k = 0; d && k < u->in->spec_count; k++)
        if (u->in->spec[k].id == d->operand[0]) return &u->in->spec[k];
    return NULL;
}

static void specialise(struct linker *l, const struct unit *u, const struct sp_inst *i)
{
    const struct sp_spec *s = i->id ? given_value(u, i->id) : NULL;
    uint32_t bits;
    if (!s) return;
    if (i->op == SP_OP_SpecConstantTrue || i->op == SP_OP_SpecConstantFalse) {
        l->line.w[0] = 3u << 16 | ((s->bits & 0xff) ? SP_OP_SpecConstantTrue : SP_OP_SpecConstantFalse);
    } else if (i->op == SP_OP_SpecConstant) {
        bits = sp_type(u->m, i->type)->bits;
        l->line.w[3] = (uint32_t)(bits < 32 ? s->bits & (((uint64_t)1 << bits) - 1) : s->bits);
        if (i->count > 1) l->line.w[4] = (uint32_t)(s->bits >> 32);
    }
}

static void note_origin(struct linker *l, uint32_t unit, const struct sp_inst *i)
{
    if (i->op != SP_OP_Variable || !sp_is_global(l->unit[unit].m, i)) return;
    l->origins[l->origin_count++] = (struct sp_link_origin){unit, l->unit[unit].ordinal[i->id]};
}

/* False if it must wait for another one. */
static bool place_one(struct linker *l, uint32_t unit, uint32_t at)
{
    struct unit *u = &l->unit[unit];
    struct sp_inst i;
    void *user[3] = {l, u, &i};
    uint32_t same;
    if (!translate(l, u, at, &i) || (i.id && u->gone[i.id])) return true;
    if (i.op == SP_OP_TypeForwardPointer) {
        l->ready[u->map[i.operand[0]]] = 1;
        put(l, &l->part[SP_TYPES], l->line.w, l->line.count);
        return true;
    }
    if ((i.type && !l->ready[u->map[i.type]]) || !sp_each_id(&u->r, &i, is_ready, user)) return false;
    same = is_joinable(l, u, &i) ? join(l, u, &i) : 0;
    if (same) {
        u->gone[i.id] = 1;
        u->map[i.id] = same;
        return true;
    }
    specialise(l, u, &i);
    note_origin(l, unit, &i);
    l->ready[u->map[i.id]] = 1;
    put(l, &l->part[SP_TYPES], l->line.w, l->line.count);
    return true;
}

static bool place_types(struct linker *l)
{
    for (uint32_t pass = 0, left = 1; left && pass < MAX_PASSES; pass++) {
        left = 0;
        for (uint32_t n = 0; n < l->count && !l->failed; n++) {
            struct unit *u = &l->unit[n];
            uint32_t kept = 0;
            for (uint32_t k = 0; k < u->pending_count && !l->failed; k++)
                if (!place_one(l, n, u->pending[k])) u->pending[kept++] = u->pending[k];
            u->pending_count = kept;
            left += kept;
        }
        if (!left || l->failed) return !l->failed;
    }
    return fail(l, "initial values that need each other's modules too often");
}

/* ---- the rest of a module */

static bool is_target_gone(const struct unit *u, uint32_t id) { return u->gone[id] != 0; }

/* Removes omitted ids from a group's targets. */
static void thin_group(struct linker *l, const struct unit *u, const struct sp_inst *i)
{
    uint32_t step = i->op == SP_OP_GroupMemberDecorate ? 2 : 1, kept = 2;
    for (uint32_t k = 1; k + step <= i->count; k += step) {
        if (is_target_gone(u, i->operand[k])) continue;
        memmove(l->line.w + kept, l->line.w + 1 + k, step * sizeof *l->line.w);
        kept += step;
    }
    l->line.count = kept;
    l->line.w[0] = kept << 16 | i->op;
}

static bool keeps_annotation(struct linker *l, const struct unit *u, const struct sp_inst *i)
{
    if (i->op == SP_OP_DecorationGroup) return true;
    if (i->op == SP_OP_GroupDecorate || i->op == SP_OP_GroupMemberDecorate) {
        thin_group(l, u, i);
        return true;
    }
    if (is_target_gone(u, i->operand[0])) return false;
    if (i->op != SP_OP_Decorate) return true;
    if (i->operand[1] == SP_DECORATION_LinkageAttributes) return !u->unnamed[i->operand[0]];
    return i->operand[1] != SP_DECORATION_SpecId || !given_value(u, i->operand[0]);
}

static bool keeps(struct linker *l, const struct unit *u, const struct sp_inst *i, enum sp_section s)
{
    switch (s) {
    case SP_CAPABILITIES:
    case SP_EXTENSIONS: return true;
    case SP_IMPORTS: return i->id == u->m->opencl_std && l->part[s].count == 0; /* one is enough */
    case SP_MEMORY_MODEL: return u == l->unit;
    case SP_ENTRIES:
    case SP_MODES: return u->in->entries;
    case SP_DEBUG_NAMES: return i->op == SP_OP_String || (i->op == SP_OP_Name && !is_target_gone(u, i->operand[0]));
    case SP_ANNOTATIONS: return keeps_annotation(l, u, i);
    default: return false;
    }
}

static void copy_head(struct linker *l, struct unit *u)
{
    for (uint32_t at = SP_HEADER_WORDS; at < u->first_function && !l->failed; at += u->m->words[at] >> 16) {
        enum sp_section s = sp_section_of(u->m->words[at] & 0xffff);
        struct sp_inst i;
        if (s > SP_ANNOTATIONS || !translate(l, u, at, &i)) continue;
        if (keeps(l, u, &i, s)) put(l, &l->part[s], l->line.w, l->line.count);
    }
}

static void copy_functions(struct linker *l, struct unit *u)
{
    bool skip = false;
    for (uint32_t at = u->first_function; at < u->m->word_count && !l->failed; at += u->m->words[at] >> 16) {
        struct sp_inst i;
        bool known = translate(l, u, at, &i);
        if (i.op == SP_OP_Function) skip = u->gone[i.id];
        if (known && !skip) put(l, &l->part[SP_FUNCTIONS], l->line.w, l->line.count);
        if (i.op == SP_OP_FunctionEnd) skip = false;
    }
}

/* All modules use the first one's import of OpenCL.std. */
static void join_instruction_sets(struct linker *l)
{
    uint32_t set = 0;
    for (uint32_t n = 0; n < l->count; n++) {
        struct unit *u = &l->unit[n];
        if (!u->m->opencl_std) continue;
        if (set)
            u->map[u->m->opencl_std] = set;
        else
            set = u->map[u->m->opencl_std];
    }
}

static void write_result(struct linker *l, struct sp_linked *out)
{
    uint32_t header[SP_HEADER_WORDS] = {0x07230203, 0, 0, l->bound, 0};
    struct words all = {NULL, 0, 0};
    for (uint32_t n = 0; n < l->count; n++)
        if (l->unit[n].m->version > header[1]) header[1] = l->unit[n].m->version;
    put(l, &all, header, SP_HEADER_WORDS);
    for (uint32_t s = 0; s <= SP_FUNCTIONS && !l->failed; s++) put(l, &all, l->part[s].w, l->part[s].count);
    if (l->failed) {
        free(all.w);
        return;
    }
    out->words = all.w;
    out->count = all.count;
    out->origins = l->origins;
    out->origin_count = l->origin_count;
    l->origins = NULL;
}

static bool link_units(struct linker *l)
{
    uint32_t globals = 0;
    l->bound = 1;
    for (uint32_t n = 0; n < l->count; n++) {
        if (!open_unit(l, n)) return false;
        globals += l->unit[n].m->global_count;
    }
    l->ready = calloc(l->bound, 1);
    l->origins = calloc(globals + 1, sizeof *l->origins);
    if (!l->ready || !l->origins) return fail(l, "out of memory");
    join_instruction_sets(l);
    if (!collect_exports(l) || !settle_exports(l) || !check_kernels(l) || !resolve(l)) return false;
    if (!place_types(l) || !compare_types(l)) return false;
    for (uint32_t n = 0; n < l->count; n++) copy_head(l, &l->unit[n]);
    for (uint32_t n = 0; n < l->count; n++) copy_functions(l, &l->unit[n]);
    return !l->failed;
}

bool sp_link(const struct sp_link_input *in, uint32_t count, bool strict, struct sp_linked *out, struct sp_text *log)
{
    struct linker l;
    memset(&l, 0, sizeof l);
    memset(out, 0, sizeof *out);
    l.log = log;
    l.strict = strict;
    l.count = count;
    l.unit = calloc(count + 1, sizeof *l.unit);
    if (!l.unit) return fail(&l, "out of memory");
    for (uint32_t n = 0; n < count; n++) l.unit[n].in = &in[n];
    if (link_units(&l)) write_result(&l, out);
    for (uint32_t n = 0; n < count; n++) sp_free(l.unit[n].m);
    for (uint32_t s = 0; s <= SP_FUNCTIONS; s++) free(l.part[s].w);
    free(l.keys.w);
    free(l.line.w);
    free(l.exports);
    free(l.joined);
    free(l.ready);
    free(l.origins);
    free(l.unit);
    return out->words != NULL;
}

void sp_linked_free(struct sp_linked *linked)
{
    free(linked->words);
    free(linked->origins);
    memset(linked, 0, sizeof *linked);
}
