/* selection.c - selects the parts of the texts preceding generated code that a module needs: items that it does not
 * mention, directly or through other items, are not compiled.
 *
 * A text consists of items: a function, a macro, an `#if` with all its content. A macro that defines functions is
 * expanded where it is used (not within an `#if`), so each of them is an item. Includes and include guards are always
 * kept, comments between items never. An item is known by the names it defines, and needs those it mentions. Names that
 * such macros paste with ## are computed; in other macros, a pasted name matches all names that begin, or end, like it:
 * too much may be kept, but never too little. test_soft_text compares this with the preprocessor's result.
 */
#include "codegen.h"
#include "generate.h"
#include "selection.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = 8192, BUCKETS = 16384, MAX_DEPTH = 4 };

const char *const *const cg_texts[] = {
    soft_text_abi, soft_text_prelude, soft_text_check, soft_text_lanes, soft_text_matrix,
    soft_text_amx, soft_text_math,    soft_text_coop,  NULL};

enum { MAX_PARAMS = 8, WORD = 64, MAX_LINE = 512 };

/* The arguments of a macro. */
struct args {
    uint32_t count;
    char param[MAX_PARAMS][WORD], value[MAX_PARAMS][WORD];
};

struct item {
    const char *const *line;
    uint32_t count;
    const struct args *args; /* of the macro whose body the lines are part of; NULL: none */
    const char *const *at;   /* the line that stands for it in its text: of that macro's use, or its first */
    bool always, leads; /* kept; all it mentions is kept too */
    bool type;
    bool family;        /* contains a macro that defines functions */
};

struct name {
    char text[WORD];
    uint32_t item, next; /* next: index + 1 in the same bucket */
};

static struct {
    struct item item[CG_MOST_ITEMS];
    uint32_t item_count;
    struct name name[MAX_NAMES];
    uint32_t name_count, bucket[BUCKETS];
    bool failed;
} all;

/* ---- words of a text */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_word(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

/* Behind a comment that begins at `s`; s itself if none does. */
static const char *skip_comment(const char *s, const char *end)
{
    if (*s != '/' || s[1] != '*') return s;
    while (s < end && (*s != '*' || s[1] != '/')) s++;
    return s < end ? s + 2 : end;
}

/* Finds the next word from *at on, outside of comments, and advances *at past it. Returns its length, 0: none. */
static uint32_t next_word(const char **at, const char *end, const char **word)
{
    const char *s = *at;
    while (s < end && !is_word(*s)) {
        const char *behind = skip_comment(s, end);
        s = behind > s ? behind : s + 1;
    }
    *word = s;
    while (s < end && is_word(*s)) s++;
    *at = s;
    return (uint32_t)(s - *word);
}

static uint32_t hash_of(const char *s, uint32_t n)
{
    uint32_t h = 2166136261u;
    while (n--) h = (h ^ (uint8_t)*s++) * 16777619u;
    return h % BUCKETS;
}

static bool is_same(const struct name *n, const char *s, uint32_t length)
{
    return !strncmp(n->text, s, length) && !n->text[length];
}

static void define(const char *s, uint32_t length, uint32_t item)
{
    uint32_t *bucket = &all.bucket[hash_of(s, length)];
    struct name *n = &all.name[all.name_count];
    if (all.name_count == MAX_NAMES || length >= WORD) {
        all.failed = true;
        return;
    }
    memcpy(n->text, s, length);
    n->item = item;
    n->next = *bucket;
    *bucket = ++all.name_count;
}

/* ---- what an item defines */

static bool begins(const char *s, const char *with) { return !strncmp(s, with, strlen(with)); }

static const char *skip_blanks(const char *s)
{
    while (*s == ' ') s++;
    return s;
}

/* Reads the comma-separated words at `s`, up to a closing parenthesis. */
static uint32_t read_list(const char *s, char list[MAX_PARAMS][WORD])
{
    uint32_t n = 0, length = 0, depth = 0;
    for (; *s && (depth || *s != ')') && n < MAX_PARAMS; s++) {
        depth += *s == '(';
        depth -= *s == ')';
        if (*s == ',' && !depth) {
            list[n++][length] = 0;
            length = 0;
        } else if (*s != ' ' && *s != '\n' && *s != '\\' && length < WORD - 1) {
            list[n][length++] = *s;
        }
    }
    if (n < MAX_PARAMS) list[n++][length] = 0;
    return n;
}

static const char *value_of(const struct args *a, const char *s, uint32_t *length)
{
    for (uint32_t i = 0; a && i < a->count; i++)
        if (strlen(a->param[i]) == *length && !strncmp(a->param[i], s, *length)) {
            *length = (uint32_t)strlen(a->value[i]);
            return a->value[i];
        }
    return s;
}

/* The name at `s`, pasted with ## from words and arguments; returns its length, and what follows it. */
static uint32_t join(const char *s, const struct args *a, char name[WORD], const char **behind)
{
    uint32_t n = 0;
    for (;;) {
        uint32_t length = 0;
        while (is_word(s[length])) length++;
        *behind = s + length;
        const char *value = value_of(a, s, &length);
        if (n + length < WORD) {
            memcpy(name + n, value, length);
            n += length;
        }
        if (!begins(skip_blanks(*behind), "##")) break;
        s = skip_blanks(skip_blanks(*behind) + 2);
    }
    name[n] = 0;
    return n;
}

/* The text as the preprocessor would expand it. Returns its length. */
static uint32_t expand(const char *from, const char *end, const struct args *a, char *to, uint32_t room)
{
    char name[WORD];
    uint32_t n = 0;
    while (from < end) {
        const char *at = from++;
        uint32_t length = is_word(*at) ? join(at, a, name, &from) : 1;
        if (n + length >= room) break;
        memcpy(to + n, is_word(*at) ? name : at, length);
        n += length;
    }
    to[n] = 0;
    return n;
}

static void define_joined(const char *s, const struct args *a, uint32_t item)
{
    char name[WORD];
    const char *behind;
    uint32_t n = join(s, a, name, &behind);
    if (n) define(name, n, item);
}

static const char *const specifiers[] = {"XS_INLINE", "XS_FORCED", "XS_FUNCTION", "XS_RARE", "XS_HELPER", "XS_CALLED",
                                         "static"};

static bool is_specified(const char *s)
{
    for (size_t i = 0; i < sizeof specifiers / sizeof *specifiers; i++)
        if (begins(s, specifiers[i]) && !is_word(s[strlen(specifiers[i])])) return true;
    return false;
}

/* Defines the function that begins on a line; its name precedes the first parenthesis or is in XS(...). */
static bool define_function(const char *s, const struct args *a, uint32_t item)
{
    if (!is_specified(s)) return false;
    const char *paren = s, *word;
    for (;;) {
        paren = strpbrk(paren, "([={");
        if (!paren || *paren != '(') break;
        word = paren;
        while (word > s && (is_word(word[-1]) || word[-1] == '#')) word--;
        const char *behind = strchr(paren, ')');
        if (begins(word, "XS(") && behind && behind[1] == '(') {
            define_joined(paren + 1, a, item);
            return true;
        }
        if (word < paren && !begins(word, "XS(") && !begins(word, "__attribute__") && !begins(word, "XS_ALIGNED")) {
            define_joined(word, a, item);
            return true;
        }
        for (uint32_t depth = 0; *paren; paren++) { /* skip an attribute */
            depth += *paren == '(';
            depth -= *paren == ')';
            if (!depth) break;
        }
    }
    word = paren ? paren : strpbrk(s, ";=");
    while (word && word > s && !is_word(word[-1])) word--;
    while (word && word > s && is_word(word[-1])) word--;
    if (word) define_joined(word, a, item); /* a table */
    return true;
}

/* ---- types */

static bool is_type(const char *s)
{
    return begins(s, "typedef") || begins(s, "struct") || begins(s, "enum") || begins(s, "union");
}

/* Defines the type that begins on this line, which ends there: its name stands before attributes and parameters, or
 * behind members. */
static void define_typedef(const char *s, uint32_t item)
{
    char name[WORD] = "";
    for (const char *behind; *s && *s != ';'; s = behind) {
        behind = s + 1;
        if (begins(s, "XS_BYTES") || begins(s, "__attribute__") || *s == '(') break;
        if (begins(s, "XS(")) {
            join(s + 3, NULL, name, &behind);
            break;
        }
        if (is_word(*s)) join(s, NULL, name, &behind);
    }
    if (*name) define(name, (uint32_t)strlen(name), item);
}

/* Defines the enumerators of the list that begins on this line, up to its end. */
static void define_enumerators(const char *const *line, uint32_t item)
{
    char name[WORD];
    const char *s = strchr(*line, '{'), *behind;
    while (s && *s != '}') {
        behind = skip_comment(s, s + strlen(s));
        if (behind == s) behind = s + 1;
        if (is_letter(*s) && join(s, NULL, name, &behind)) define(name, (uint32_t)strlen(name), item);
        s = *behind ? behind : *++line;
    }
}

static void define_type(const char *s, uint32_t item)
{
    char name[WORD];
    const char *behind;
    if (begins(s, "typedef")) {
        define_typedef(s + 7, item);
        return;
    }
    s = strchr(s, ' ');
    if (!s) return;
    s += begins(s, " XS(") ? 4 : 1;
    if (join(s, NULL, name, &behind)) define(name, (uint32_t)strlen(name), item);
}

/* Defines what begins on this line. */
static void define_line(const char *s, uint32_t item)
{
    uint32_t length = 0;
    if (begins(s, "#define ")) {
        while (is_word(s[8 + length])) length++;
        define(s + 8, length, item);
    } else if (is_type(s)) {
        define_type(s, item);
    } else {
        define_function(s, NULL, item);
    }
}

/* ---- items */

static bool is_family_use(const char *s) { return begins(s, "XS_") && !is_specified(s); }

static bool is_directive(const char *s, const char *what) { return *s == '#' && begins(skip_blanks(s + 1), what); }

/* The last character of a line, ignoring blanks and a trailing comment. */
static char last_of(const char *s)
{
    const char *end = strstr(s, " /*");
    if (!end || !strstr(end, "*/")) end = s + strlen(s);
    while (end > s && (end[-1] == '\n' || end[-1] == ' ')) end--;
    return end > s ? end[-1] : ' ';
}

/* The number of lines of the item that begins at `line`. */
static uint32_t item_lines(const char *const *line)
{
    const char *ends = is_family_use(*line) ? ";})" : ";}";
    uint32_t n = 0;
    int depth = 0;
    if (is_directive(*line, "if")) {
        do {
            depth += is_directive(line[n], "if");
            depth -= is_directive(line[n], "endif");
        } while (line[n++] && depth && line[n]);
        return n;
    }
    if (**line == '#') {
        while (line[n] && strstr(line[n], "\\\n")) n++;
        return n + 1;
    }
    do {
        for (const char *s = line[n]; *s; s++) {
            depth += *s == '(' || *s == '{';
            depth -= *s == ')' || *s == '}';
        }
        n++;
    } while (line[n] && (depth || !strchr(ends, last_of(line[n - 1]))));
    return n;
}

static void add_item(const char *const *line, uint32_t count, const char *const *at, const struct args *args)
{
    struct item *i = &all.item[all.item_count];
    if (all.item_count == CG_MOST_ITEMS) {
        all.failed = true;
        return;
    }
    *i = (struct item){.line = line, .count = count, .args = args, .at = at, .leads = !is_directive(*line, "undef")};
    i->always = **line == '#' && !is_directive(*line, "if") && !begins(*line, "#define ");
    i->type = is_type(*line);
    for (uint32_t k = 0; k < count; k++) i->always = i->always || is_directive(line[k], "pragma");
    all.item_count++;
}

/* ---- macros that define functions */

/* The macro that the line at `s` uses, if it is defined in one way. */
static const struct item *macro_of(const char *s)
{
    const struct item *found = NULL;
    uint32_t length = 0;
    while (is_word(s[length])) length++;
    for (uint32_t i = 0; i < all.item_count; i++)
        for (uint32_t k = 0; k < all.item[i].count; k++) {
            const char *d = all.item[i].line[k];
            if (!begins(d, "#define ") || strncmp(d + 8, s, length) || d[8 + length] != '(') continue;
            if (found || k) return NULL;
            found = &all.item[i];
        }
    return found;
}

/* The number of lines of the function, or of the use of another macro, that begins at body[0]; 0: it is neither. */
static uint32_t part_lines(const char *const *body, uint32_t left)
{
    bool function = is_specified(skip_blanks(*body));
    uint32_t n = 0;
    int depth = 0;
    if (!function && !is_family_use(skip_blanks(*body))) return 0;
    while (n < left) {
        char last = ' ';
        for (const char *s = body[n]; *s && *s != '\\' && !begins(s, "/*"); s++) {
            depth += (*s == '(' || *s == '{') - (*s == ')' || *s == '}');
            if (*s != ' ' && *s != '\n') last = *s;
        }
        n++;
        if (!depth && (last == '}' || (last == (function ? ';' : ')')))) return n;
    }
    return 0;
}

/* Adds the functions that a macro defines where it is used, in the body of another one if there are `outer` arguments,
 * as items that stand for the line at `at`. */
static void add_functions(const char *use, const struct args *outer, const char *const *at, uint32_t depth)
{
    const struct item *macro = depth < MAX_DEPTH ? macro_of(use) : NULL;
    struct args *a = macro ? calloc(1, sizeof *a) : NULL; /* kept by the items that it is for */
    bool kept = false;
    all.failed = all.failed || !a;
    if (!a) return;
    read_list(strchr(*macro->line, '(') + 1, a->param);
    a->count = read_list(strchr(use, '(') + 1, a->value);
    for (uint32_t i = 0; i < a->count; i++) {
        char value[WORD];
        expand(a->value[i], a->value[i] + strlen(a->value[i]), outer, value, WORD);
        memcpy(a->value[i], value, WORD);
    }
    for (uint32_t k = 1, n; k < macro->count; k += n) {
        const char *line = skip_blanks(macro->line[k]);
        n = 1;
        if (begins(line, "/*")) continue;
        n = part_lines(macro->line + k, macro->count - k);
        all.failed = all.failed || !n;
        if (!n) break;
        if (is_family_use(line)) {
            add_functions(line, a, at, depth + 1);
        } else {
            add_item(macro->line + k, n, at, a);
            kept = true;
        }
    }
    if (!kept) free(a);
}

static void read_text(const char *const *line)
{
    while (*line) {
        uint32_t n = 1;
        if (begins(*line, "/*")) {
            while (*line && !strstr(*line, "*/")) line++;
        } else if (**line != '\n') {
            n = is_directive(*line, "ifndef XETILE_") ? 1 : item_lines(line);
            if (is_family_use(*line)) add_functions(*line, NULL, line, 0);
            else add_item(line, n, line, NULL);
        }
        while (n-- && *line) line++;
    }
}

/* A guard is its own line. */
static void name_item(uint32_t n)
{
    struct item *i = &all.item[n];
    if (i->args) define_function(skip_blanks(*i->line), i->args, n);
    if (is_directive(*i->line, "ifndef XETILE_")) i->always = true;
    for (uint32_t k = 0; k < i->count && !i->args; k++) {
        const char *s = i->line[k];
        if (k && *s == ' ' && is_specified(skip_blanks(s)) && **i->line == '#') i->family = true;
        if (*s == ' ' || *s == '\n') continue;
        define_line(s, n);
        if (begins(s, "enum")) define_enumerators(i->line + k, n);
    }
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_all(void)
{
    for (size_t t = 0; cg_texts[t]; t++) read_text(cg_texts[t]);
    for (uint32_t i = 0; i < all.item_count; i++) name_item(i);
}

/* ---- needed items */

struct search {
    struct cg_selection *wanted;
    uint32_t stack[CG_MOST_ITEMS], depth; /* items whose words are still to be searched */
};

static void need(struct search *s, uint32_t item)
{
    if (s->wanted->item[item]) return;
    s->wanted->item[item] = 1;
    s->stack[s->depth++] = item;
}

static void need_word(struct search *s, const char *word, uint32_t length)
{
    for (uint32_t n = all.bucket[hash_of(word, length)]; n; n = all.name[n - 1].next)
        if (is_same(&all.name[n - 1], word, length)) need(s, all.name[n - 1].item);
}

/* Needs all names that begin, or end, like the word; only types in T##x and T##_mem. */
static void need_like(struct search *s, const char *word, uint32_t length, bool ends)
{
    const bool types = length <= 2 || (length == 4 && begins(word, "_mem"));
    for (uint32_t i = 0; i < all.name_count; i++) {
        const char *text = all.name[i].text;
        if (types && !all.item[all.name[i].item].type) continue;
        size_t n = strlen(text);
        if (n >= length && !strncmp(ends ? text + n - length : text, word, length)) need(s, all.name[i].item);
    }
}

static void need_words(struct search *s, const char *at, const char *end)
{
    const char *word;
    uint32_t length;
    while ((length = next_word(&at, end, &word)) != 0) need_word(s, word, length);
}

/* Needs the names in a macro whose arguments are unknown. */
static void need_parts(struct search *s, const char *line)
{
    const char *at = line, *word;
    uint32_t length;
    while ((length = next_word(&at, line + strlen(line), &word)) != 0) {
        bool before = word > line + 1 && word[-1] == '#' && word[-2] == '#', behind = begins(at, "##");
        if (behind && !before) need_like(s, word, length, false);
        if (before && !behind) need_like(s, word, length, true);
    }
}

static void need_item(struct search *s, const struct item *i)
{
    char text[MAX_LINE];
    for (uint32_t k = 0; k < i->count && i->leads; k++) {
        const char *line = i->line[k], *end = line + strlen(line);
        if (i->args) end = text + expand(line, end, i->args, text, MAX_LINE);
        need_words(s, i->args ? text : line, end);
        if (!i->args && !i->family) need_parts(s, line);
    }
}

struct cg_selection *cg_select_text(const char *body, size_t size)
{
    struct search *s = calloc(1, sizeof *s);
    struct cg_selection *wanted = calloc(1, sizeof *wanted);
    pthread_once(&once, read_all);
    if (all.failed || !wanted || !s) {
        free(wanted);
        free(s);
        return NULL;
    }
    s->wanted = wanted;
    for (uint32_t i = 0; i < all.item_count; i++)
        if (all.item[i].always) need(s, i);
    need_words(s, body, body + size);
    while (s->depth) need_item(s, &all.item[s->stack[--s->depth]]);
    free(s);
    return wanted;
}

bool cg_selects(const struct cg_selection *s, const char *name, size_t length)
{
    for (uint32_t n = all.bucket[hash_of(name, (uint32_t)length)]; n; n = all.name[n - 1].next)
        if (is_same(&all.name[n - 1], name, (uint32_t)length) && s->item[all.name[n - 1].item]) return true;
    return false;
}

/* Writes a line of a macro's body. */
static void put_expanded(struct cg *g, const char *line, const struct args *a)
{
    const char *end = strstr(line, "\\\n");
    char text[MAX_LINE];
    if (!end) end = line + strcspn(line, "\n");
    while (end > line && end[-1] == ' ') end--;
    cg_put_text(g, text, expand(line, end, a, text, MAX_LINE));
    cg_put_text(g, "\n", 1);
}

void cg_put_selected(struct cg *g, const struct cg_selection *s, const char *const *text)
{
    const char *const *end = text;
    while (*end) end++;
    for (uint32_t i = 0; i < all.item_count; i++) {
        const struct item *item = &all.item[i];
        if (item->at < text || item->at >= end || !s->item[i]) continue;
        for (uint32_t k = 0; k < item->count; k++) {
            if (item->args) put_expanded(g, item->line[k], item->args);
            else cg_put_text(g, item->line[k], strlen(item->line[k]));
        }
    }
}
