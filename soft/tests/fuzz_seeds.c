/* fuzz_seeds.c - the fuzzers' generated seeds: `make fuzz`.
 *
 *     fuzz_seeds modules FOLDER            for each instruction, an id of each wrong class in each word
 *     fuzz_seeds pairs FOLDER MODULE...    pairs for the linker: each module with the next, and with one far off
 */
#include "opcode_kernels.h"
#include "wrong_ids.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct folder {
    const char *path;
    uint32_t written;
};

static void write_file(struct folder *to, const uint32_t *head, size_t head_count, const uint32_t *words, size_t count)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/seed%06u", to->path, to->written++);
    FILE *f = fopen(path, "wb");
    bool good = f && fwrite(head, 4, head_count, f) == head_count && fwrite(words, 4, count, f) == count;
    if (f && fclose(f) != 0) good = false;
    if (good) return;
    fprintf(stderr, "fuzz_seeds: cannot write %s\n", path);
    exit(1);
}

static void write_module(void *user, const uint32_t *words, size_t count) { write_file(user, NULL, 0, words, count); }

/* The kernel of an instruction, in the first way that can be written. */
static void write_wrong_ids(struct folder *to, uint32_t op)
{
    for (uint32_t way = 0; way < WAYS; way++) {
        spe_module s;
        struct wrong_module m;
        spe_begin(&s, NULL);
        write_way(&s, op, "k", way);
        spe_words w = spe_finish(&s);
        if (w.data && wrong_prepare(&m, w.data, w.count)) {
            for (size_t at = SP_HEADER_WORDS; at < m.count; at = wrong_next(m.words, at))
                if ((m.words[at] & 0xffff) == op) wrong_each(&m, at, write_module, to);
            if (op == SP_OP_IAdd) wrong_each_opcode(&m, true, write_module, to);
            wrong_free(&m);
            way = WAYS;
        }
        spe_free(&s);
    }
}

static uint32_t *read_words(const char *path, size_t *count)
{
    enum { MOST = 1 << 20 };
    FILE *f = fopen(path, "rb");
    uint32_t *words = malloc(MOST * sizeof *words);
    *count = f && words ? fread(words, 4, MOST, f) : 0;
    if (f) fclose(f);
    return words;
}

static void write_pair(struct folder *to, const char *first, const char *second)
{
    size_t n, more;
    uint32_t *a = read_words(first, &n), *b = read_words(second, &more), *all = malloc((n + 1) * sizeof *all);
    if (a && b && all && n && more) {
        all[0] = (uint32_t)n;
        memcpy(all + 1, a, n * sizeof *all);
        write_file(to, all, n + 1, b, more);
    }
    free(a);
    free(b);
    free(all);
}

int main(int count, char **argument)
{
    struct folder to = {count > 2 ? argument[2] : "", 0};
    if (count == 3 && !strcmp(argument[1], "modules")) {
        for (uint32_t op = 0; op < LAST_OPCODE; op++)
            if (sp_rule_words(op)) write_wrong_ids(&to, op);
    } else if (count > 3 && !strcmp(argument[1], "pairs")) {
        for (int i = 3; i < count; i++) {
            write_pair(&to, argument[i], argument[i + 1 < count ? i + 1 : 3]);
            write_pair(&to, argument[i], argument[3 + (i - 3 + (count - 3) / 2) % (count - 3)]);
        }
    } else {
        fprintf(stderr, "usage: fuzz_seeds modules FOLDER | fuzz_seeds pairs FOLDER MODULE...\n");
        return 2;
    }
    printf("%u seeds\n", to.written);
    return 0;
}
