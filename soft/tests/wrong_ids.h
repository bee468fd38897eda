/* wrong_ids.h - modules in which one word of one instruction is an id of the wrong class, for each class: what a reader
 * must never take for granted. For a test, and for the fuzzer's corpus.
 *
 * wrong_prepare adds such ids to a module; wrong_each makes the modules of one of its instructions, and
 * wrong_each_opcode those of every instruction of the grammar, supported or not.
 */
#ifndef XETILE_SOFT_WRONG_IDS_H
#define XETILE_SOFT_WRONG_IDS_H

#include "spirv/reader.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum wrong_class {
    WRONG_TYPE,
    WRONG_LABEL,
    WRONG_LABEL_OF_ANOTHER, /* function */
    WRONG_UNDEFINED,
    WRONG_STRING,
    WRONG_VOID_VALUE,
    WRONG_FUNCTION,
    WRONG_ITSELF, /* the instruction's own result */
    WRONG_CLASSES
};

struct wrong_module {
    uint32_t *words, *copy; /* the module, and room for it with one more instruction */
    size_t count, room;
    uint32_t id[WRONG_CLASSES];
    size_t types_end, block; /* where instructions can be added: before the functions, in the kernel's first block */
    uint32_t value, value_type;
};
/* Receives a module, which lasts until the next one. */
typedef void wrong_fn(void *user, const uint32_t *words, size_t count);

static size_t wrong_next(const uint32_t *w, size_t at) { return at + (w[at] >> 16 ? w[at] >> 16 : 1); }

/* Inserts an instruction at `*at` and moves *at behind it. */
static void wrong_insert(struct wrong_module *m, size_t *at, uint32_t op, uint32_t count, const uint32_t *operand)
{
    memmove(m->words + *at + 1 + count, m->words + *at, (m->count - *at) * sizeof *m->words);
    m->words[(*at)++] = (count + 1) << 16 | op;
    if (count) memcpy(m->words + *at, operand, count * sizeof *operand);
    *at += count;
    m->count += count + 1;
}
#define WRONG_INSERT(m, at, op, ...)                                                                                   \
    wrong_insert(m, at, SP_OP_##op, sizeof((const uint32_t[]){__VA_ARGS__}) / 4, (const uint32_t[]){__VA_ARGS__})

/* The first instruction from `at` on that satisfies the condition, or m->count. */
static size_t wrong_find(const struct wrong_module *m, size_t at, bool (*is)(uint32_t op))
{
    while (at < m->count && !is(m->words[at] & 0xffff)) at = wrong_next(m->words, at);
    return at;
}
static bool wrong_is_after_modes(uint32_t op) { return sp_section_of(op) > SP_MODES; }
static bool wrong_is_function(uint32_t op) { return op == SP_OP_Function; }
static bool wrong_is_label(uint32_t op) { return op == SP_OP_Label; }
static bool wrong_is_no_variable(uint32_t op) { return op != SP_OP_Label && op != SP_OP_Variable; }

static void wrong_free(struct wrong_module *m)
{
    free(m->words);
    free(m->copy);
}

/* False: out of memory, or the module has no function to put the ids in. Adds a function that is called in the first
 * block of the module's own first one. */
static bool wrong_prepare(struct wrong_module *m, const uint32_t *words, size_t count)
{
    enum { ADDED = 64, LONGEST = 64 };
    memset(m, 0, sizeof *m);
    m->room = count + ADDED + LONGEST;
    m->words = malloc(m->room * sizeof *m->words);
    m->copy = malloc(m->room * sizeof *m->copy);
    if (!m->words || !m->copy) return false;
    memcpy(m->words, words, count * sizeof *words);
    m->count = count;
    uint32_t id = m->words[3], type = id++, of_function = id++;
    m->id[WRONG_TYPE] = type;
    m->id[WRONG_STRING] = id++;
    m->id[WRONG_FUNCTION] = id++;
    m->id[WRONG_LABEL_OF_ANOTHER] = id++;
    m->id[WRONG_VOID_VALUE] = id++;
    m->id[WRONG_UNDEFINED] = id++;
    m->value_type = id++;
    m->value = id++;
    m->words[3] = id + 1; /* the last one is the result of what is added */
    size_t at = wrong_find(m, SP_HEADER_WORDS, wrong_is_after_modes);
    WRONG_INSERT(m, &at, String, m->id[WRONG_STRING], 'x');
    at = wrong_find(m, at, wrong_is_function);
    if (at == m->count) return false;
    WRONG_INSERT(m, &at, TypeInt, m->value_type, 32, 0);
    WRONG_INSERT(m, &at, Constant, m->value_type, m->value, 1);
    WRONG_INSERT(m, &at, TypeVoid, type);
    WRONG_INSERT(m, &at, TypeFunction, of_function, type);
    m->types_end = at;
    WRONG_INSERT(m, &at, Function, type, m->id[WRONG_FUNCTION], 0, of_function);
    WRONG_INSERT(m, &at, Label, m->id[WRONG_LABEL_OF_ANOTHER]);
    wrong_insert(m, &at, SP_OP_Return, 0, NULL);
    wrong_insert(m, &at, SP_OP_FunctionEnd, 0, NULL);
    at = wrong_find(m, at, wrong_is_label);
    if (at == m->count) return false;
    m->id[WRONG_LABEL] = m->words[at + 1];
    at = wrong_find(m, at, wrong_is_no_variable);
    WRONG_INSERT(m, &at, FunctionCall, type, m->id[WRONG_VOID_VALUE], m->id[WRONG_FUNCTION]);
    m->block = at;
    return true;
}

static uint32_t wrong_id(const struct wrong_module *m, const uint32_t *instruction, enum wrong_class class)
{
    const struct sp_op_row *row = sp_op_find(instruction[0] & 0xffff);
    if (class != WRONG_ITSELF) return m->id[class];
    return row && row->results & 2 ? instruction[row->results & 1 ? 2 : 1] : m->value;
}

/* The modules in which one word of the instruction at `at` of m->copy is one of these ids. */
static void wrong_each_word(struct wrong_module *m, size_t count, size_t at, wrong_fn *each, void *user)
{
    for (size_t k = at + 1; k < wrong_next(m->copy, at); k++) {
        uint32_t old = m->copy[k];
        for (uint32_t class = 0; class < WRONG_CLASSES; class++) {
            m->copy[k] = wrong_id(m, m->copy + at, class);
            each(user, m->copy, count);
        }
        m->copy[k] = old;
    }
}

/* The same of an instruction of the module, at word `at` of m->words. */
static inline void wrong_each(struct wrong_module *m, size_t at, wrong_fn *each, void *user)
{
    memcpy(m->copy, m->words, m->count * sizeof *m->copy);
    wrong_each_word(m, m->count, at, each, user);
}

/* Appends operands by a pattern of the grammar (tokens.py): the ids are a number's, optional ones are there once. */
static uint32_t wrong_operands(const struct wrong_module *m, const char *pattern, uint32_t *to)
{
    uint32_t n = 0;
    for (; *pattern; pattern++) {
        if (*pattern == '?' || *pattern == '*') continue;
        if (strchr("PQR", *pattern)) to[n++] = *pattern == 'P' ? 1 : m->value;
        to[n++] = strchr("ismPR", *pattern) ? m->value : *pattern == 'S' ? 'x' : *pattern == 'O' ? SP_OP_IAdd : 1;
        if (*pattern == 'O') to[n++] = m->value, to[n++] = m->value;
    }
    return n;
}

/* Every instruction of the grammar with each of its words wrong, before the functions or in the first block. */
static inline void wrong_each_opcode(struct wrong_module *m, bool in_block, wrong_fn *each, void *user)
{
    size_t at = in_block ? m->block : m->types_end;
    for (uint32_t op = 0; op < 0x10000; op++) {
        const struct sp_op_row *row = sp_op_find(op);
        uint32_t length = 1;
        if (!row) continue;
        memcpy(m->copy, m->words, at * sizeof *m->copy);
        if (row->results & 1) m->copy[at + length++] = m->value_type;
        if (row->results & 2) m->copy[at + length++] = m->words[3] - 1;
        length += wrong_operands(m, row->pattern, m->copy + at + length);
        m->copy[at] = length << 16 | op;
        memcpy(m->copy + at + length, m->words + at, (m->count - at) * sizeof *m->copy);
        each(user, m->copy, m->count + length);
        wrong_each_word(m, m->count + length, at, each, user);
    }
}

#endif
