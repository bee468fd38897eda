/* test_soft_wrong_ids.c - no id of a wrong class crashes the reader, the code generator or the linker: every
 * instruction, with a type, a label, an undefined id, a string, a void value ... in place of each of its words. What
 * is refused is refused with a reason.
 */
#include "c/generate.h"
#include "opcode_kernels.h"
#include "test.h"
#include "wrong_ids.h"

static struct {
    uint32_t modules, taken, silent, failed_links;
} seen;

static void generate(const struct sp_module *m, struct sp_text *log)
{
    for (int check = 0; check < 2; check++) {
        struct cg_options options = {.default_subgroup_size = 16, .check = check};
        struct sp_text text = {0};
        cg_generate(m, &options, &text, log);
        sp_text_free(&text);
    }
}

/* The linked module must be readable, if both were. */
static void link_with_itself(const uint32_t *words, size_t count, bool strict)
{
    struct sp_link_input in[2] = {{words, count, NULL, 0, true, 0}, {words, count, NULL, 0, false, 1}};
    struct sp_text log = {0};
    struct sp_linked linked;
    if (sp_link(in, 2, strict, &linked, &log)) {
        struct sp_module *m = sp_parse(linked.words, linked.count, NULL, 0, strict, &log);
        seen.failed_links += !m;
        if (!m) printf("  %s", log.data ? log.data : "\n");
        sp_free(m);
    }
    sp_linked_free(&linked);
    sp_text_free(&log);
}

static void try_module(void *user, const uint32_t *words, size_t count)
{
    (void)user;
    for (int strict = 0; strict < 2; strict++) {
        struct sp_text log = {0};
        struct sp_module *m = sp_parse(words, count, NULL, 0, strict, &log);
        seen.modules++;
        seen.taken += m != NULL;
        seen.silent += !m && !log.size;
        if (m) {
            generate(m, &log);
            link_with_itself(words, count, strict);
        }
        sp_free(m);
        sp_text_free(&log);
    }
}

static void report(void)
{
    printf("%u modules, %u of them taken\n", seen.modules, seen.taken);
    CHECK_INT(seen.silent, 0);
    CHECK_INT(seen.failed_links, 0);
    CHECK_MSG(seen.taken > 0 && seen.taken < seen.modules / 2, "%u taken of %u", seen.taken, seen.modules);
    memset(&seen, 0, sizeof seen);
}

/* A kernel with this instruction, in the first way that the reader takes. */
static bool kernel_of(uint32_t op, struct wrong_module *m)
{
    bool found = false;
    for (uint32_t way = 0; way < WAYS && !found; way++) {
        spe_module s;
        struct sp_text log = {0};
        spe_begin(&s, NULL);
        write_way(&s, op, "k", way);
        spe_words w = spe_finish(&s);
        struct sp_module *read = w.data ? sp_parse(w.data, w.count, NULL, 0, true, &log) : NULL;
        found = read && wrong_prepare(m, w.data, w.count);
        if (read && !found) wrong_free(m);
        sp_free(read);
        sp_text_free(&log);
        spe_free(&s);
    }
    return found;
}

TEST(instructions_that_are_supported)
{
    for (uint32_t op = 0; op < LAST_OPCODE; op++) {
        struct wrong_module m;
        if (!sp_rule_words(op) || !kernel_of(op, &m)) continue;
        for (size_t at = SP_HEADER_WORDS; at < m.count; at = wrong_next(m.words, at))
            if ((m.words[at] & 0xffff) == op) wrong_each(&m, at, try_module, NULL);
        wrong_free(&m);
    }
    report();
}

TEST(instructions_of_the_grammar)
{
    struct wrong_module m;
    bool found = kernel_of(SP_OP_IAdd, &m);
    CHECK(found);
    if (!found) return;
    wrong_each_opcode(&m, false, try_module, NULL);
    wrong_each_opcode(&m, true, try_module, NULL);
    wrong_free(&m);
    report();
}

/* What stands before the functions, in modules of compilers: some of each opcode. */
static void spoil_beginning(const char *name)
{
    enum { OF_A_KIND = 3 };
    static uint32_t words[1 << 18];
    static uint8_t tried[0x10000];
    struct wrong_module m;
    char path[256];
    snprintf(path, sizeof path, "tests/opencl/%s.spv", name);
    FILE *f = fopen(path, "rb");
    size_t count = f ? fread(words, 4, sizeof words / 4, f) : 0;
    if (f) fclose(f);
    CHECK_MSG(count && wrong_prepare(&m, words, count), "%s", path);
    if (!count) return;
    memset(tried, 0, sizeof tried);
    for (size_t at = SP_HEADER_WORDS; at < m.types_end; at = wrong_next(m.words, at))
        if (m.words[at] >> 16 <= 8 && tried[m.words[at] & 0xffff]++ < OF_A_KIND) wrong_each(&m, at, try_module, NULL);
    wrong_free(&m);
}

TEST(beginnings_of_modules)
{
    static const char *const names[] = {"link_library", "link_use", "link_once_a", "beginnings", "extended", "stacks"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) spoil_beginning(names[i]);
    report();
}

TEST(kernels_of_one_name)
{
    struct sp_text log = {0};
    struct sp_linked linked;
    spe_module s;
    spe_begin(&s, NULL);
    write_way(&s, SP_OP_IAdd, "k", 0);
    spe_words w = spe_finish(&s);
    struct sp_link_input in[2] = {{w.data, w.count, NULL, 0, true, 3}, {w.data, w.count, NULL, 0, true, 4}};
    CHECK(!sp_link(in, 2, true, &linked, &log));
    CHECK_HAS(log.data ? log.data : "", "link: k is a kernel of module 3 and of module 4");
    sp_text_free(&log);
    spe_free(&s);
}

int main(void)
{
    RUN(instructions_that_are_supported);
    RUN(instructions_of_the_grammar);
    RUN(beginnings_of_modules);
    RUN(kernels_of_one_name);
    return test_report();
}
