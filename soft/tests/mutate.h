/* mutate.h - mutates a module by whole words and instructions, mostly so that it still decodes: for the fuzzer, and for
 * tests that need unusual modules.
 */
#ifndef XETILE_SOFT_MUTATE_H
#define XETILE_SOFT_MUTATE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_WORDS = 5 };

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static uint32_t change(uint32_t old, const uint32_t *w, size_t n, uint32_t *state)
{
    switch (next_random(state) % 6) {
    case 0: return old ^ 1u << (next_random(state) % 32);
    case 1: return w[next_random(state) % n];
    case 2: return (old & 0xffff0000u) | next_random(state) % 450;
    case 3: return old + next_random(state) % 3 - 1;
    case 4: return w[3] ? 1 + next_random(state) % w[3] : 1;
    default: return next_random(state) % 64;
    }
}

/* The instruction after the one at `at`; n at the end, or if a length is invalid. */
static size_t after(const uint32_t *w, size_t n, size_t at)
{
    size_t length = at < n ? w[at] >> 16 : 0;
    return length && length <= n - at ? at + length : n;
}

static size_t pick_instruction(const uint32_t *w, size_t n, uint32_t *state)
{
    size_t count = 0, at, which;
    for (at = HEADER_WORDS; at < n; at = after(w, n, at)) count++;
    which = count ? next_random(state) % count : 0;
    for (at = HEADER_WORDS; which; which--) at = after(w, n, at);
    return at;
}

/* Replaces a word other than an instruction's first: an operand becomes an id from the same position elsewhere. */
static void change_operand(uint32_t *w, size_t n, uint32_t *state)
{
    size_t at = pick_instruction(w, n, state), other, length = after(w, n, at) - at, k;
    if (length < 2) return;
    k = 1 + next_random(state) % (length - 1);
    other = pick_instruction(w, n, state);
    if (next_random(state) % 2) other = at;
    while (other < n && ((w[other] & 0xffff) != (w[at] & 0xffff) || other == at)) other = after(w, n, other);
    w[at + k] = other < n && after(w, n, other) - other > k && next_random(state) % 4 ? w[other + k]
                                                                                : change(w[at + k], w, n, state);
}

/* Moves the words [from, from + count) to before `to`, which is outside of them. */
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

/* Mutates a module of n > 8 words with room for `room`; returns the new number of words. */
static size_t change_module(uint32_t *w, size_t n, size_t room, uint32_t *state)
{
    size_t at = pick_instruction(w, n, state), end = after(w, n, at), to = pick_instruction(w, n, state), length;
    switch (next_random(state) % 8) {
    case 0: /* remove an instruction */
        memmove(w + at, w + end, (n - end) * 4);
        return n - (end - at);
    case 1: /* duplicate one, perhaps with another id in the copy */
        length = end - at;
        if (n + length > room || length > 64) return n;
        memmove(w + to + length, w + to, (n - to) * 4);
        if (to <= at) at += length;
        memcpy(w + to, w + at, length * 4);
        if (length > 2) w[to + 2] = w[3]++;
        return n + length;
    case 2: /* move one */
        if (to < at || to >= end) move_words(w, at, end - at, to);
        return n;
    case 3: w[2] = next_random(state); return n;
    case 4: w[HEADER_WORDS + next_random(state) % (n - HEADER_WORDS)] = next_random(state) % 64; return n;
    default: change_operand(w, n, state); return n;
    }
}

#endif
