/* forms.c - in the quick tier: statements that compute vectors as calls of functions, one for each form.
 *
 * Compilers take a time for such a statement that grows with its machine code, which is 20 to 100 instructions if
 * vectors are wider than the CPU's, and nothing is optimised. But statements have few forms: a kernel adds the same
 * types again and again. Therefore each form is compiled once, as a function of its variables and numbers, and a
 * statement is a call with about 6 instructions:
 *
 *     v12 = v11 + XS_ALL(u32, 8u);    is   XS(form3)(&v12, &v11, 8u);    with
 *
 *     static XS_CUT void XS(form3)(u32x *r, const u32x *a0, u32 a1) { *r = (*a0) + XS_ALL(u32, a1); }
 *
 * This is done with the text of functions, a statement on each line. The types of variables are those that the text
 * declares them with. A statement that mentions anything else, such as `self`, stays as it is.
 */
#include "codegen.h"

#include <stdlib.h>
#include <string.h>

/* ---- words */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

static size_t word_at(const char *text)
{
    size_t n = 0;
    while (is_letter(text[n]) || is_digit(text[n])) n++;
    return n;
}

static size_t digits_at(const char *text)
{
    size_t n = 0;
    while (is_digit(text[n])) n++;
    return n;
}

/* `[3]` or `[i0_]`. */
static size_t index_at(const char *text)
{
    size_t n = text[0] == '[' ? word_at(text + 1) : 0;
    return n && text[n + 1] == ']' ? n + 2 : 0;
}

/* ---- types: u32, u32x, and the composites c12 and c12x16 */

static bool is_type(const char *word, size_t n)
{
    size_t digits = digits_at(word + 1), end = 1 + digits;
    if (n < 2 || !digits || !strchr("uifc", word[0])) return false;
    if (end < n && word[end] == 'x') end += 1 + digits_at(word + end + 1);
    return end == n;
}

/* Does it have a vector for each scalar? */
static bool is_lanes(const char *type) { return strchr(type, 'x') != NULL; }

/* A variable, or a part of one, in the text. */
struct operand {
    size_t length; /* 0: there is none */
    const char *type;
};

/* The type of a member of c12 or c12x16, from its path: .e[3].m1 */
static const char *type_of_part(struct cg *g, const char *whole, const char *path, size_t n)
{
    uint32_t id = (uint32_t)strtoul(whole + 1, NULL, 10);
    for (size_t i = 0, more; i < n; i += more) {
        const struct sp_type *t = sp_type(g->m, id);
        more = path[i] == '.' ? 1 + word_at(path + i + 1) : index_at(path + i);
        if (path[i] == '.') id = t->kind == SP_STRUCT ? t->members[strtoul(path + i + 2, NULL, 10)] : t->elem;
    }
    return cg_type_name(g, id, is_lanes(whole));
}

static struct operand operand_at(struct cg *g, const char *text)
{
    static const char state[] = "state_->";
    size_t n = begins(text, state) ? sizeof state - 1 : 0, word = word_at(text + n), path, more;
    const char *type = is_letter(text[n]) ? cg_find_text(&g->w->types, text + n, word) : NULL;
    const struct operand none = {0, ""};
    if (!type) return none;
    n += word;
    for (const char *dimension = strchr(type, '['); dimension && *dimension; dimension++) {
        size_t index = index_at(text + n);
        if (!index) return none;
        n += index;
    }
    type = cg_str(g, "%.*s", (int)strcspn(type, "["), type);
    for (path = n; text[path] == '.' || (path > n && text[path] == '['); path += more) {
        more = text[path] == '.' ? 1 + word_at(text + path + 1) : index_at(text + path);
        if (more < 2) return none;
    }
    if (path > n && type[0] != 'c') return none;
    if (path > n) type = type_of_part(g, type, text + n, path - n);
    return (struct operand){path, type};
}

/* Notes the variables that a line declares: a type, a space and a name. */
static void note_types(struct cg *g, const char *line)
{
    for (size_t n; *line; line += n ? n : 1) {
        n = word_at(line);
        if (!n || !is_type(line, n) || line[n] != ' ' || !is_letter(line[n + 1])) continue;
        const char *name = line + n + 1, *type = cg_str(g, "%.*s", (int)n, line);
        size_t word = word_at(name), index;
        for (const char *at = name + word; (index = index_at(at)) != 0; at += index) type = cg_str(g, "%s[", type);
        cg_set_text(g, &g->w->types, cg_str(g, "%.*s", (int)word, name), type);
    }
}

/* ---- forms */

struct form {
    const char *body, *parameters, *arguments;
    uint32_t count;
    bool copies; /* a vector is an operand, not only its address */
};

static void add_parameter(struct cg *g, struct form *f, const char *type, const char *text, size_t n)
{
    const char *comma = f->count ? ", " : "";
    const bool lanes = is_lanes(type);
    f->parameters = cg_str(g, "%s%s%s%s %sa%u", f->parameters, comma, lanes ? "const " : "", type, lanes ? "*" : "",
                           (unsigned)f->count);
    f->arguments = cg_str(g, "%s%s%s%.*s", f->arguments, comma, lanes ? "&" : "", (int)n, text);
    f->body = cg_str(g, lanes ? "%s(*a%u)" : "%sa%u", f->body, (unsigned)f->count);
    f->count++;
}

/* Of a number: 8u is a parameter; others, such as the amounts of shifts, belong to the form. */
static const char *type_of_number(const char *text, size_t n)
{
    if (text[n - 1] != 'u') return NULL;
    return strtoull(text, NULL, 0) >> 32 ? "u64" : "u32";
}

/* Is the word the same everywhere? */
static bool is_global(const char *word, size_t n)
{
    return word[n] == '(' || begins(word, "XS_") || is_type(word, n) || (n == 1 && word[0] == 'S');
}

/* Reads an expression; false: it has parts that only mean something where they are. */
static bool read_form(struct cg *g, const char *text, struct form *f)
{
    const char *start = text;
    if (*text == '{') return false;
    for (size_t n; *text; text += n) {
        const char *number = NULL;
        struct operand o = operand_at(g, text);
        n = o.length ? o.length : word_at(text);
        if (begins(text, "XS(")) n = strcspn(text, ")");
        else if (o.length) f->copies |= is_lanes(o.type) && (text == start || text[-1] != '&');
        else if (is_digit(*text)) number = type_of_number(text, n);
        else if ((n && !is_global(text, n)) || strchr("\";", *text) || begins(text, "({")) return false;
        if (!n) n = 1;
        if (o.length)
            add_parameter(g, f, o.type, text, n);
        else if (number)
            add_parameter(g, f, number, text, n);
        else
            f->body = cg_str(g, "%s%.*s", f->body, (int)n, text);
    }
    return true;
}

/* The name of the function with these parameters and this body, which is written at its first use. */
static const char *name_of_form(struct cg *g, const char *function)
{
    const char *name = cg_find_text(&g->w->forms, function, strlen(function));
    if (name) return name;
    name = cg_str(g, "form%u", (unsigned)g->w->form_count++);
    cg_set_text(g, &g->w->forms, function, name);
    CG_HELPER (name) cg_put(g, "static XS_CUT void XS(%s)%s\n", name, function);
    return name;
}

/* Writes `OPERAND = EXPRESSION`, after a declaration or not; `|=` and so on, too. */
static bool write_assignment(struct cg *g, const char *text)
{
    struct form f = {"", "", "", 0, false};
    const char *to = text + (begins(text, "const ") ? 6 : 0);
    size_t type = word_at(to);
    bool declares = is_type(to, type) && to[type] == ' ';
    if (declares) to += type + 1;
    struct operand o = operand_at(g, to);
    const char *how = to + o.length + 1, *equals = strstr(how - 1, "= ");
    if (!o.length || how[-1] != ' ' || !equals || equals > how + 1 || !read_form(g, equals + 2, &f)) return false;
    if (!is_lanes(o.type) && !(f.copies && strstr(equals, "XS"))) return false;
    const char *comma = f.count ? ", " : "";
    const char *name = name_of_form(g, cg_str(g, "(%s *r%s%s) { *r %.*s= %s; }", o.type, comma, f.parameters,
                                              (int)(equals - how), how, f.body));
    if (declares) cg_put(g, "    %.*s;\n", (int)(to + o.length - text), text);
    cg_put(g, "    XS(%s)(&%.*s%s%s);\n", name, (int)o.length, to, comma, f.arguments);
    return true;
}

/* A call that passes vectors. */
static bool write_call(struct cg *g, const char *text)
{
    struct form f = {"", "", "", 0, false};
    if (!begins(text, "XS(") || !read_form(g, text, &f) || !f.copies) return false;
    cg_put(g, "    XS(%s)(%s);\n", name_of_form(g, cg_str(g, "(%s) { %s; }", f.parameters, f.body)), f.arguments);
    return true;
}

void cg_write_forms(struct cg *g, struct sp_text *functions)
{
    struct sp_text *out = g->w->c, with = {NULL, 0, 0, false};
    g->w->c = &with;
    for (char *line = functions->data, *end; line && *line && !g->failed; line = end + 1) {
        end = strchr(line, '\n');
        if (!end) break;
        *end = 0;
        char *text = line + strspn(line, " "), *last = end - 1;
        bool statement = text > line && *text && *last == ';';
        note_types(g, text);
        if (statement) *last = 0;
        if (!statement || !(write_assignment(g, text) || write_call(g, text)))
            cg_put(g, "%s%s\n", line, statement ? ";" : "");
        cg_free_words(g);
    }
    g->w->c = out;
    sp_text_free(functions);
    *functions = with;
}
