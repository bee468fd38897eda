/* match.c - matches types against the words of a rule: see rules.c. */
#include "reader.h"

#include <string.h>

/* ---- kinds of types */

const struct sp_type *sp_component(const struct sp_module *m, const struct sp_type *t)
{
    return t->kind == SP_VECTOR || t->kind == SP_COOPMAT ? sp_type(m, t->elem) : t;
}

static bool is_kind(const struct sp_module *m, char letter, const struct sp_type *t)
{
    const struct sp_type *e = sp_component(m, t);
    bool scalar = t == e, number = e->kind == SP_INT || e->kind == SP_FLOAT;
    switch (letter) {
    case 'i': return e->kind == SP_INT;
    case 'f': return e->kind == SP_FLOAT;
    case 'n': return number;
    case 'b': return e->kind == SP_BOOL;
    case 'I':
    case 'K': return scalar && e->kind == SP_INT;
    case 'F': return scalar && e->kind == SP_FLOAT;
    case 'N': return scalar && number;
    case 'B': return scalar && e->kind == SP_BOOL;
    case 's': return scalar && e->kind == SP_INT && e->bits == 32;
    case 'v': return t->kind != SP_COOPMAT && (number || e->kind == SP_BOOL);
    case 'V': return t->kind == SP_VECTOR;
    case 'U': return t->kind == SP_VECTOR && t->count == 4 && e->kind == SP_INT && e->bits == 32;
    case 'p': return t->kind == SP_POINTER;
    case 'e': return t->kind == SP_EVENT;
    case 'm': return t->kind == SP_COOPMAT;
    case 'g': return t->kind == SP_IMAGE;
    case 'G': return t->kind == SP_SAMPLED_IMAGE;
    case 'S': return t->kind == SP_SAMPLER;
    case 'a':
        return t->kind != SP_VOID && t->kind != SP_FUNCTION && t->kind != SP_OPAQUE && t->kind != SP_RUNTIME_ARRAY;
    default: return false;
    }
}

static const char *kind_name(char letter)
{
    switch (letter) {
    case 'i': return "integers";
    case 'f': return "floats";
    case 'n': return "numbers";
    case 'b': return "bools";
    case 'I': return "an integer";
    case 'K': return "an integer constant";
    case 'F': return "a float";
    case 'N': return "a number";
    case 'B': return "a bool";
    case 's': return "a 32-bit integer";
    case 'v': return "a scalar or vector";
    case 'V': return "a vector";
    case 'U': return "four 32-bit integers";
    case 'p': return "a pointer";
    case 'e': return "an event";
    case 'm': return "a cooperative matrix";
    case 'g': return "an image";
    case 'G': return "a sampled image";
    case 'S': return "a sampler";
    default: return "a type with values";
    }
}

/* Scalars against scalars, vectors of equal length, matrices of equal shape. */
bool sp_same_shape(const struct sp_type *a, const struct sp_type *b)
{
    bool av = a->kind == SP_VECTOR, bv = b->kind == SP_VECTOR, am = a->kind == SP_COOPMAT, bm = b->kind == SP_COOPMAT;
    if (av || bv) return av && bv && a->count == b->count;
    if (am || bm) return am && bm && a->rows == b->rows && a->cols == b->cols && a->use == b->use;
    return true;
}

const struct sp_type *sp_operand_type(const struct sp_reader *r, const struct sp_inst *i, uint32_t k)
{
    return k < i->count ? sp_value_type(r->m, i->operand[k]) : NULL;
}

/* ---- the rules' words */

/* Operand numbers in a rule count from `first`. */
static bool relates(struct sp_reader *r, const struct sp_inst *i, const char *w, const struct sp_type *t,
                    uint32_t first)
{
    const struct sp_module *m = r->m;
    const struct sp_type *result = sp_type(m, i->type), *other;
    switch (*w) {
    case '=': return sp_same(m, t->id, i->type);
    case '#': return sp_same_shape(t, result);
    case '?': /* a condition for all, or one for each component */
        return is_kind(m, 'B', t) || sp_same_shape(t, result);
    case '_': return (result->kind == SP_VECTOR || result->kind == SP_COOPMAT) && sp_same(m, t->id, result->elem);
    case '^': return t->kind == SP_VECTOR && sp_same(m, t->elem, i->type);
    case '>': return t->kind == SP_POINTER && sp_same(m, t->elem, i->type);
    case '@':
        other = sp_operand_type(r, i, first + (uint32_t)(w[1] - '0'));
        return other && other->kind == SP_POINTER && sp_same(m, t->id, other->elem);
    default: other = sp_operand_type(r, i, first + (uint32_t)(*w - '0')); return other && sp_same(m, t->id, other->id);
    }
}

static bool is_relation(char c)
{
    return c == '=' || c == '#' || c == '?' || c == '_' || c == '^' || c == '>' || c == '@' || (c >= '0' && c <= '9');
}

/* One operand against one word of the rule. */
static bool match_word(struct sp_reader *r, const struct sp_inst *i, uint32_t k, const char *w, uint32_t first)
{
    const struct sp_type *t;
    uint64_t ignored;
    if (*w == '.') return true;
    t = sp_operand_type(r, i, k);
    if (!t) return sp_refuse(r, i, "operand %u, %%%u, is not a value", k, sp_number(r->m, i->operand[k]));
    if (!is_relation(*w)) {
        if (!is_kind(r->m, *w, t))
            return sp_refuse(r, i, "operand %u, %%%u, is not %s", k, sp_number(r->m, i->operand[k]), kind_name(*w));
        if (*w == 'K' && !sp_constant(r->m, i->operand[k], &ignored))
            return sp_refuse(r, i, "operand %u, %%%u, is not a constant", k, sp_number(r->m, i->operand[k]));
        w++;
    }
    if (is_relation(*w) && !relates(r, i, w, t, first))
        return sp_refuse(r, i, "the type of operand %u, %%%u, does not fit the others", k,
                         sp_number(r->m, i->operand[k]));
    return true;
}

static const char *next_word(const char *w)
{
    while (*w && *w != ' ') w++;
    while (*w == ' ') w++;
    return w;
}

bool sp_match_words(struct sp_reader *r, const struct sp_inst *i, const char *words, uint32_t first)
{
    const char *w = words;
    bool optional = false;
    uint32_t k = first;
    if (*w != '-' && !is_kind(r->m, *w, sp_type(r->m, i->type)))
        return sp_refuse(r, i, "its result type is not %s", kind_name(*w));
    for (w = next_word(w); *w && *w != '*'; w = next_word(w)) {
        if (*w == '|') {
            optional = true;
            continue;
        }
        if (k == i->count) return optional || sp_refuse(r, i, "too few operands");
        if (!match_word(r, i, k++, w, first)) return false;
    }
    return *w == '*' || k == i->count || sp_refuse(r, i, "too many operands");
}
