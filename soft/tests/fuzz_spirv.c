/* fuzz_spirv.c - libFuzzer on the SPIR-V reader and, behind it, the code generator and the linker: `make fuzz`.
 *
 * Changes are made to whole words and whole instructions, most of them such that the module still decodes; bytes are
 * left to libFuzzer now and then. What the reader takes goes through cg_generate, which walks it unchecked: that is the
 * promise under test. Now and then the module is also linked, with itself, and what comes out must be readable.
 */
#include "../spirv.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t limit, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *to,
                                 size_t limit, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t limit);

enum { HEADER_WORDS = 5 };

static void compile(const uint32_t *words, size_t count, uint32_t choice)
{
    struct cg_options options = {8u << choice % 3, (choice & 4) != 0, choice & 32 ? "add" : NULL};
    struct sp_text log = {NULL, 0, 0, false}, c = {NULL, 0, 0, false};
    struct sp_spec spec[] = {{0, choice}, {1, 3}, {2, ~(uint64_t)0}};
    struct sp_module *m = sp_parse(words, count, spec, choice & 8 ? 3 : 0, &log);
    if (m) cg_generate(m, &options, &c, &log);
    sp_free(m);
    sp_text_free(&c);
    sp_text_free(&log);
}

static void link_it(const uint32_t *words, size_t count)
{
    struct sp_link_input in[2] = {{words, count, NULL, 0, true, 0}, {words, count, NULL, 0, false, 1}};
    struct sp_text log = {NULL, 0, 0, false};
    struct sp_linked linked;
    if (sp_link(in, 2, &linked, &log)) {
        struct sp_module *m = sp_parse(linked.words, linked.count, NULL, 0, &log);
        if (!m) abort(); /* two good modules made a bad one */
        sp_free(m);
    }
    sp_linked_free(&linked);
    sp_text_free(&log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t *words = malloc(size + 4), choice;
    if (!words) return 0;
    memcpy(words, data, size);
    choice = size >= 12 ? words[2] : 0; /* the generator's word means nothing to the reader */
    compile(words, size / 4, choice);
    if (choice & 16) link_it(words, size / 4);
    free(words);
    return 0;
}

/* ---- changes */

static uint32_t next(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static uint32_t change(uint32_t old, const uint32_t *w, size_t n, uint32_t *state)
{
    switch (next(state) % 6) {
    case 0: return old ^ 1u << (next(state) % 32);
    case 1: return w[next(state) % n];
    case 2: return (old & 0xffff0000u) | next(state) % 450;
    case 3: return old + next(state) % 3 - 1;
    case 4: return w[3] ? 1 + next(state) % w[3] : 1;
    default: return next(state) % 64;
    }
}

/* The instruction after the one at `at`; n at the end or where the lengths are not good. */
static size_t after(const uint32_t *w, size_t n, size_t at)
{
    size_t length = at < n ? w[at] >> 16 : 0;
    return length && length <= n - at ? at + length : n;
}

static size_t pick_instruction(const uint32_t *w, size_t n, uint32_t *state)
{
    size_t count = 0, at, which;
    for (at = HEADER_WORDS; at < n; at = after(w, n, at)) count++;
    which = count ? next(state) % count : 0;
    for (at = HEADER_WORDS; which; which--) at = after(w, n, at);
    return at;
}

/* A word of an instruction that is not its first: an operand becomes another of the module's ids of that position. */
static void change_operand(uint32_t *w, size_t n, uint32_t *state)
{
    size_t at = pick_instruction(w, n, state), other, length = after(w, n, at) - at, k;
    if (length < 2) return;
    k = 1 + next(state) % (length - 1);
    other = pick_instruction(w, n, state);
    if (next(state) % 2) other = at;
    while (other < n && ((w[other] & 0xffff) != (w[at] & 0xffff) || other == at)) other = after(w, n, other);
    w[at + k] = other < n && after(w, n, other) - other > k && next(state) % 4 ? w[other + k]
                                                                                : change(w[at + k], w, n, state);
}

/* Takes the words [from, from + count) out and puts them in again before `to`, which is outside of them. */
static void move_words(uint32_t *w, size_t from, size_t count, size_t to)
{
    uint32_t *kept = malloc(count * 4 + 4);
    if (!kept) return;
    memcpy(kept, w + from, count * 4);
    if (to > from) {
        memmove(w + from, w + from + count, (to - from - count) * 4);
        memcpy(w + to - count, kept, count * 4);
    } else {
        memmove(w + to + count, w + to, (from - to) * 4);
        memcpy(w + to, kept, count * 4);
    }
    free(kept);
}

/* Returns the new number of words; there is room for `room`. */
static size_t change_module(uint32_t *w, size_t n, size_t room, uint32_t *state)
{
    size_t at = pick_instruction(w, n, state), end = after(w, n, at), to = pick_instruction(w, n, state), length;
    switch (next(state) % 8) {
    case 0: /* one instruction less */
        memmove(w + at, w + end, (n - end) * 4);
        return n - (end - at);
    case 1: /* one twice, the second perhaps with another id */
        length = end - at;
        if (n + length > room || length > 64) return n;
        memmove(w + to + length, w + to, (n - to) * 4);
        if (to <= at) at += length;
        memcpy(w + to, w + at, length * 4);
        if (length > 2) w[to + 2] = w[3]++;
        return n + length;
    case 2: /* one elsewhere */
        if (to < at || to >= end) move_words(w, at, end - at, to);
        return n;
    case 3: w[2] = next(state); return n;
    case 4: w[HEADER_WORDS + next(state) % (n - HEADER_WORDS)] = next(state) % 64; return n;
    default: change_operand(w, n, state); return n;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t limit, unsigned seed)
{
    uint32_t state = seed | 1, *w, changes;
    size_t n = size / 4;
    if (n < 8 || seed % 32 == 0) return LLVMFuzzerMutate(data, size, limit);
    w = malloc(limit + 4);
    if (!w) return size;
    memcpy(w, data, n * 4);
    for (changes = 1 + next(&state) % 4; changes && n > 8; changes--) n = change_module(w, n, limit / 4, &state);
    memcpy(data, w, n * 4);
    free(w);
    return n * 4;
}

/* The beginning of one module and the end of another, cut between instructions. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *to,
                                 size_t limit, unsigned seed)
{
    uint32_t state = seed | 1, *x = malloc(a_size + 4), *y = malloc(b_size + 4);
    size_t cut_a, cut_b, n = 0;
    if (x && y && a_size >= 32 && b_size >= 32) {
        memcpy(x, a, a_size);
        memcpy(y, b, b_size);
        cut_a = pick_instruction(x, a_size / 4, &state);
        cut_b = pick_instruction(y, b_size / 4, &state);
        n = cut_a + b_size / 4 - cut_b;
        if (n * 4 > limit) n = 0;
        if (n) {
            if (y[3] > x[3]) x[3] = y[3];
            memcpy(to, x, cut_a * 4);
            memcpy(to + cut_a * 4, y + cut_b, (n - cut_a) * 4);
        }
    }
    free(x);
    free(y);
    return n * 4;
}
