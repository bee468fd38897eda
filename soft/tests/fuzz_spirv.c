/* fuzz_spirv.c - libFuzzer on the SPIR-V reader and, behind it, the code generator.
 *
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -Isoft soft/tests/fuzz_spirv.c soft/spirv*.c soft/codegen*.c build/soft_text.c -lm
 *     ./a.out CORPUS_FOLDER            (any .spv files; build/spv after `make test` is a good start)
 *
 * Changes are made to whole words, most of them such that the module still decodes; bytes are left to libFuzzer now and then.
 * What the reader takes goes through cg_generate, which walks it unchecked: that is the promise under test.
 */
#include "../spirv.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t limit, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t limit);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cg_options options = {16, (size & 4) != 0};
    struct sp_text log = {NULL, 0, 0, false}, c = {NULL, 0, 0, false};
    uint32_t *words = malloc(size + 4);
    struct sp_module *m;
    if (!words) return 0;
    memcpy(words, data, size);
    m = sp_parse(words, size / 4, NULL, 0, &log);
    if (m) cg_generate(m, &options, &c, &log);
    sp_free(m);
    sp_text_free(&c);
    sp_text_free(&log);
    free(words);
    return 0;
}

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

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t limit, unsigned seed)
{
    uint32_t state = seed | 1, *w, changes, at;
    size_t n = size / 4;
    if (n < 8 || seed % 16 == 0) return LLVMFuzzerMutate(data, size, limit);
    w = malloc(n * 4);
    if (!w) return size;
    memcpy(w, data, n * 4);
    for (changes = 1 + next(&state) % 4; changes; changes--) {
        at = 5 + next(&state) % (uint32_t)(n - 5);
        w[at] = change(w[at], w, n, &state);
    }
    memcpy(data, w, n * 4);
    free(w);
    return n * 4;
}
