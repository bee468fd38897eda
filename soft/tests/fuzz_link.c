/* fuzz_link.c - libFuzzer on the linker, with pairs of different modules: `make fuzz`.
 *
 * An input is the number of words of the first module, then both modules. What is linked from two modules that the
 * reader takes must be readable, unless both together exceed a limit.
 */
#include "fuzz_options.h"
#include "mutate.h"
#include "spirv/spirv.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t limit, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *to,
                                 size_t limit, unsigned seed);

struct pair {
    uint32_t *words; /* both modules */
    size_t first, second;
};

/* False: it is too short. */
static bool read_pair(const uint8_t *data, size_t size, size_t room, struct pair *p)
{
    uint32_t first;
    if (size < 4) return false;
    memcpy(&first, data, 4);
    size_t count = size / 4 - 1;
    p->words = malloc((room > count ? room : count) * 4 + 4);
    if (!p->words) return false;
    memcpy(p->words, data + 4, count * 4);
    p->first = count ? first % (count + 1) : 0;
    p->second = count - p->first;
    return true;
}

static size_t write_pair(const struct pair *p, uint8_t *data)
{
    uint32_t first = (uint32_t)p->first;
    memcpy(data, &first, 4);
    memcpy(data + 4, p->words, (p->first + p->second) * 4);
    return (p->first + p->second + 1) * 4;
}

/* Each fits into its limits, both together may not. */
static bool is_limit(const struct sp_text *log)
{
    return log->data && (strstr(log->data, "are supported") || strstr(log->data, "more than"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pair p;
    if (!read_pair(data, size, 0, &p)) return 0;
    uint32_t choice = p.first > 2 ? p.words[2] : 0; /* the reader ignores the generator's word */
    bool strict = fuzz_strict(choice & 1);
    struct sp_spec spec[] = {{0, choice}, {1, 3}, {2, ~(uint64_t)0}};
    struct sp_link_input in[2] = {{p.words, p.first, spec, choice & 2 ? 3 : 0, true, 0},
                                  {p.words + p.first, p.second, NULL, 0, choice & 4, 1}};
    struct sp_text log = {NULL, 0, 0, false};
    struct sp_linked linked;
    if (sp_link(in, 2, strict, &linked, &log)) {
        struct sp_module *m = sp_parse(linked.words, linked.count, NULL, 0, strict, &log);
        if (!m && !is_limit(&log)) abort(); /* two valid modules were linked to an invalid one */
        sp_free(m);
    }
    sp_linked_free(&linked);
    sp_text_free(&log);
    free(p.words);
    return 0;
}

/* An instruction with a name for linking, or 0. */
static size_t pick_linkage(const uint32_t *w, size_t n, uint32_t *state)
{
    enum { DECORATE = 71, LINKAGE = 41 };
    size_t found = 0, count = 0;
    for (size_t at = HEADER_WORDS; at < n; at = after(w, n, at))
        if ((w[at] & 0xffff) == DECORATE && after(w, n, at) - at > 3 && w[at + 2] == LINKAGE &&
            next_random(state) % ++count == 0)
            found = at;
    return found;
}

/* Gives something of the second module a name of the first. */
static void share_name(struct pair *p, size_t room, uint32_t *state)
{
    uint32_t *second = p->words + p->first;
    size_t from = pick_linkage(p->words, p->first, state), to = pick_linkage(second, p->second, state);
    if (!from || !to) return;
    size_t length = after(p->words, p->first, from) - from, old = after(second, p->second, to) - to;
    if (p->first + p->second + length - old > room) return;
    uint32_t target = second[to + 1], linkage = next_random(state) % 3;
    memmove(second + to + length, second + to + old, (p->second - to - old) * 4);
    memcpy(second + to, p->words + from, length * 4);
    second[to + 1] = target;
    second[to + length - 1] = linkage;
    p->second += length - old;
}

static void change_one(struct pair *p, size_t room, uint32_t *state)
{
    if (next_random(state) % 8 == 0) {
        share_name(p, room, state);
    } else if (next_random(state) % 2) {
        if (p->second > 8) {
            uint32_t *second = p->words + p->first;
            p->second = change_module(second, p->second, room - p->first, state);
        }
    } else if (p->first > 8) { /* in a copy with room behind it */
        uint32_t *copy = malloc(room * 4);
        if (!copy) return;
        memcpy(copy, p->words, p->first * 4);
        size_t n = change_module(copy, p->first, room - p->second, state);
        memmove(p->words + n, p->words + p->first, p->second * 4);
        memcpy(p->words, copy, n * 4);
        p->first = n;
        free(copy);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t limit, unsigned seed)
{
    uint32_t state = seed | 1;
    struct pair p;
    if (limit < 64 || !read_pair(data, size, limit / 4 - 1, &p)) return size;
    for (uint32_t changes = 1 + next_random(&state) % 4; changes; changes--) change_one(&p, limit / 4 - 1, &state);
    size = write_pair(&p, data);
    free(p.words);
    return size;
}

/* The first module of one pair and the second of another. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *to,
                                 size_t limit, unsigned seed)
{
    struct pair x = {NULL, 0, 0}, y = {NULL, 0, 0};
    size_t n = 0;
    (void)seed;
    if (read_pair(a, a_size, (a_size + b_size) / 4, &x) && read_pair(b, b_size, 0, &y) &&
        (x.first + y.second + 1) * 4 <= limit) {
        memcpy(x.words + x.first, y.words + y.first, y.second * 4);
        x.second = y.second;
        n = write_pair(&x, to);
    }
    free(x.words);
    free(y.words);
    return n;
}
