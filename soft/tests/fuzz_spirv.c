/* fuzz_spirv.c - libFuzzer on the SPIR-V reader and, after it, the code generator and the linker: `make fuzz`.
 *
 * Mutations change whole words and instructions, mostly so that the module still decodes; some are left to libFuzzer.
 * Modules that the reader accepts go through cg_generate, which relies on the reader's checks: that is the promise
 * under test. Some modules are also linked with themselves, and the result must be readable; for pairs of different
 * modules see fuzz_link.c.
 */
#include "c/generate.h"
#include "fuzz_options.h"
#include "spirv/spirv.h"
#include "mutate.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t limit, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *to,
                                 size_t limit, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t limit);

enum { STRICT = 2048, QUICK = 4096 }; /* bits of the choice: deviations are refused; the quick tier */

static void compile(const uint32_t *words, size_t count, uint32_t choice)
{
    struct cg_options options = {.default_subgroup_size = 8u << choice % 3,
                                 .check = choice & 4,
                                 .quick = choice & QUICK,
                                 .tiles = choice & 64 ? choice >> 8 & 7 : 0,
                                 .piece_bytes = choice & 128 ? 2000 : 0,
                                 .function = choice & 32 ? "add" : NULL};
    struct sp_text log = {NULL, 0, 0, false}, c = {NULL, 0, 0, false};
    struct sp_spec spec[] = {{0, choice}, {1, 3}, {2, ~(uint64_t)0}};
    struct sp_module *m = sp_parse(words, count, spec, choice & 8 ? 3 : 0, fuzz_strict(choice & STRICT), &log);
    if (m) cg_generate(m, &options, &c, &log);
    sp_free(m);
    sp_text_free(&c);
    sp_text_free(&log);
}

static void link_it(const uint32_t *words, size_t count, bool strict)
{
    struct sp_link_input in[2] = {{words, count, NULL, 0, true, 0}, {words, count, NULL, 0, false, 1}};
    struct sp_text log = {NULL, 0, 0, false};
    struct sp_linked linked;
    if (sp_link(in, 2, strict, &linked, &log)) {
        struct sp_module *m = sp_parse(linked.words, linked.count, NULL, 0, strict, &log);
        if (!m) abort(); /* two valid modules were linked to an invalid one */
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
    choice = size >= 12 ? words[2] : 0; /* the reader ignores the generator's word */
    compile(words, size / 4, choice);
    if (choice & 16) link_it(words, size / 4, fuzz_strict(choice & STRICT));
    free(words);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t limit, unsigned seed)
{
    uint32_t state = seed | 1, *w, changes;
    size_t n = size / 4;
    if (n < 8 || seed % 32 == 0) return LLVMFuzzerMutate(data, size, limit);
    w = malloc(limit + 4);
    if (!w) return size;
    memcpy(w, data, n * 4);
    for (changes = 1 + next_random(&state) % 4; changes && n > 8; changes--) n = change_module(w, n, limit / 4, &state);
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
