/* test_soft_check.c - unit tests of the checked mode: race detection, tracking of written memory, and that the
 * generated text has its additions in that mode only, with all names from the module escaped. */
#include "check/check.h"
#include "c/generate.h"
#include "spirv/spirv.h"
#include "test.h"

/* ---- races */

enum { READ, WRITE, ATOMIC_READ, ATOMIC_WRITE, UPDATE, ACCESSES };
static const struct xs_site sites[ACCESSES] = {{"read", "", 0, XS_READS, 0},
                                               {"write", "", 0, XS_WRITES, 0},
                                               {"atomic read", "", 0, XS_READS | XS_ATOMIC, 0},
                                               {"atomic write", "", 0, XS_WRITES | XS_ATOMIC, 0},
                                               {"update", "", 0, XS_READS | XS_WRITES | XS_ATOMIC, 0}};

static const struct xs_site *touch(struct check_blocks *b, int access, uint32_t subgroup, uint32_t epoch, uint64_t at,
                                   uint64_t bytes)
{
    return check_touch(b, &sites[access], subgroup, epoch, at, bytes).site;
}

TEST(pairs_of_accesses)
{
    struct check_blocks b = {0};
    for (int first = 0; first < ACCESSES; first++) {
        for (int second = 0; second < ACCESSES; second++) {
            bool writes = (sites[first].flags | sites[second].flags) & XS_WRITES;
            bool atomic = sites[first].flags & sites[second].flags & XS_ATOMIC;
            check_blocks_begin(&b);
            CHECK(!touch(&b, first, 3, 0, 0x1000, 8));
            CHECK(touch(&b, second, 5, 0, 0x1004, 4) == (writes && !atomic ? &sites[first] : NULL));
            CHECK(!touch(&b, first, 3, 0, 0x2000, 4));
            CHECK(!touch(&b, second, 3, 0, 0x2000, 4)); /* by itself */
            CHECK(!touch(&b, first, 3, 0, 0x3000, 4));
            CHECK(!touch(&b, second, 5, 1, 0x3000, 4)); /* after a barrier */
            CHECK(!touch(&b, first, 3, 0, 0x4000, 4));
            check_blocks_begin(&b);
            CHECK(!touch(&b, second, 5, 0, 0x4000, 4)); /* another work-group */
        }
    }
    check_blocks_free(&b);
}

TEST(bytes_and_several_subgroups)
{
    struct check_blocks b = {0};
    struct check_conflict c;
    check_blocks_begin(&b);
    for (uint32_t i = 0; i < 64; i++) CHECK(!touch(&b, WRITE, i, 0, 0x1000 + i, 1)); /* neighbours */
    CHECK(touch(&b, WRITE, 7, 0, 0x1008, 1) == &sites[WRITE]);
    c = check_touch(&b, &sites[READ], 20, 0, 0x1012, 5);
    CHECK(c.site == &sites[WRITE] && c.wrote && c.subgroup == 18 + 1);
    CHECK_INT(c.address, 0x1012);
    for (uint32_t i = 0; i < 3; i++) CHECK(!touch(&b, READ, i, 0, 0x2000, 64));
    c = check_touch(&b, &sites[WRITE], 1, 0, 0x203e, 1);
    CHECK(c.site == &sites[READ] && !c.wrote);
    CHECK_INT(c.subgroup, CHECK_SEVERAL);
    CHECK(!touch(&b, UPDATE, 1, 0, 0x3000, 4) && !touch(&b, UPDATE, 2, 0, 0x3000, 4));
    CHECK(touch(&b, READ, 1, 0, 0x3000, 4) == &sites[UPDATE]); /* of several: one is another */
    check_blocks_free(&b);
}

TEST(many_words)
{
    struct check_blocks b = {0};
    uint64_t words = 300000; /* more than are tracked; tracked ones remain so */
    for (int group = 0; group < 2; group++) {
        check_blocks_begin(&b);
        for (uint64_t i = 0; i < words; i++) CHECK(!touch(&b, WRITE, 0, 0, 0x7f0000000000 + i * 100, 4));
        for (uint64_t i = 0; i < words / 2; i += 17) CHECK(touch(&b, READ, 1, 0, 0x7f0000000000 + i * 100, 4) != NULL);
    }
    check_blocks_free(&b);
}

/* ---- written or not */

static struct check_memory *row_of(const struct check_table *t, const void *p)
{
    size_t i = check_table_upto(t, (uint64_t)(uintptr_t)p);
    return i ? t->row[i - 1] : NULL;
}

enum { SIZE = 1003 };

/* In host-writable memory, so few bytes of a word may look unwritten by chance: they count as written. */
static bool counts_as_written(const uint8_t *known, uint64_t at, enum check_kind kind)
{
    uint64_t word = at / 8 * 8, unknown = 0;
    for (uint64_t i = word; i < word + 8 && i < SIZE; i++) unknown += !known[i];
    return known[at] || (kind != CHECK_DEVICE && unknown < 4);
}

static void write_some(enum check_kind kind)
{
    uint8_t *p = aligned_alloc(64, 1024), known[SIZE] = {0};
    struct check_table t;
    struct check_memory *m;
    check_memory_add(p, SIZE, kind);
    CHECK(check_table_copy(&t));
    m = row_of(&t, p + 500);
    CHECK(m && m->base == (uint64_t)(uintptr_t)p && m->size == SIZE);
    for (int round = 0; m && round < 200; round++) {
        uint64_t first = test_random() % SIZE, n = 1 + test_random() % 40, at = test_random() % SIZE, want, bytes;
        if (n > SIZE - first) n = SIZE - first;
        if (round & 1)
            check_mark_written(m, first, n);
        else
            check_memory_wrote(p + first, n);
        memset(known + first, 1, n);
        bytes = 1 + test_random() % (SIZE - at);
        for (want = 0; want < bytes && counts_as_written(known, at + want, kind);) want++;
        CHECK_INT(check_find_unwritten(m, at, bytes), want);
    }
    check_memory_remove(p, 1);
    CHECK(m && atomic_load(&m->gone)); /* the copy still refers to it */
    check_table_free(&t);
    CHECK(check_table_copy(&t) && t.count == 0);
    check_table_free(&t);
    free(p);
}

TEST(what_was_written)
{
    write_some(CHECK_DEVICE);
    write_some(CHECK_SHARED);
}

TEST(what_the_host_wrote)
{
    uint64_t *p = aligned_alloc(64, 64);
    struct check_table t;
    struct check_memory *m;
    check_memory_add(p, 60, CHECK_HOST);
    CHECK(check_table_copy(&t));
    m = row_of(&t, p);
    CHECK_INT(check_find_unwritten(m, 0, 60), 0);
    p[1] = 0;
    CHECK_INT(check_find_unwritten(m, 8, 52), 8); /* words count as a whole */
    CHECK_INT(check_find_unwritten(m, 56, 4), 0);
    ((uint8_t *)p)[58] = 1;
    CHECK_INT(check_find_unwritten(m, 56, 4), 4);
    check_memory_remove(p, 1);
    check_table_free(&t);
    free(p);
}

TEST(allocations_in_order)
{
    static uint8_t pool[100 * 64];
    struct check_table t;
    for (int i = 0; i < 100; i++) check_memory_add(pool + i * 37 % 100 * 64, 40, CHECK_PROGRAM);
    check_memory_remove(pool + 50 * 64, 10 * 64); /* ten of them */
    CHECK(check_table_copy(&t));
    CHECK_INT(t.count, 90);
    for (size_t i = 1; i < t.count; i++) CHECK(t.row[i - 1]->base < t.row[i]->base);
    CHECK_INT(check_table_upto(&t, (uint64_t)(uintptr_t)pool + 49 * 64 + 63), 50);
    CHECK_INT(check_table_upto(&t, (uint64_t)(uintptr_t)pool + 60 * 64), 51);
    CHECK_INT(check_find_unwritten(t.row[0], 0, 40), 40); /* variables have initial values */
    check_memory_remove(pool, sizeof pool);
    CHECK(atomic_load(&t.row[0]->gone));
    check_table_free(&t);
}

/* ---- generated text */

static uint32_t *read_module(size_t *count)
{
    const char *build = getenv("BUILD");
    char path[600];
    uint32_t *words = (uint32_t *)malloc(1 << 20);
    FILE *f;
    snprintf(path, sizeof path, "%s/opencl/check.spv", build ? build : "build");
    f = fopen(path, "rb");
    if (!f) f = fopen("tests/opencl/check.spv", "rb");
    *count = f && words ? fread(words, 4, 1 << 18, f) : 0;
    if (f) fclose(f);
    CHECK_MSG(*count > 100, "tests/opencl/check.spv cannot be read (run from the project's folder)");
    return words;
}

static bool generate(const uint32_t *words, size_t count, bool check, struct sp_text *text)
{
    struct sp_text log = {0};
    struct cg_options o = {.default_subgroup_size = 16, .check = check};
    struct sp_module *m = sp_parse(words, count, NULL, 0, true, &log);
    bool ok = m && cg_generate(m, &o, text, &log);
    CHECK_MSG(ok, "%s", log.data ? log.data : "");
    sp_free(m);
    sp_text_free(&log);
    return ok && text->data;
}

TEST(only_the_checked_mode_has_checks)
{
    size_t count;
    uint32_t *words = read_module(&count);
    struct sp_text plain = {0}, checked = {0};
    if (generate(words, count, false, &plain)) CHECK(!strstr(plain.data, "xs_site") && !strstr(plain.data, "check_"));
    if (generate(words, count, true, &checked)) {
        CHECK_HAS(checked.data, "static const struct xs_site site16_");
        CHECK_HAS(checked.data, "check.cl:");
        CHECK_HAS(checked.data, "XS_CHECK_LANES(site16_");
    }
    sp_text_free(&plain);
    sp_text_free(&checked);
    free(words);
}

/* Names of files and variables come from the module: quotes, newlines and escapes in them do not reach the text. */
TEST(names_are_made_harmless)
{
    enum { OP_NAME = 5, OP_STRING = 7 };
    static const char evil[] = "\"};\nint x\\\x1b[";
    size_t count, changed = 0;
    uint32_t *words = read_module(&count);
    struct sp_text text = {0};
    for (size_t at = 5; at < count && words[at] >> 16; at += words[at] >> 16) {
        uint32_t op = words[at] & 0xffff;
        char *name = (char *)(words + at + 2);
        if ((op != OP_NAME && op != OP_STRING) || strlen(name) < sizeof evil) continue;
        memcpy(name, evil, sizeof evil - 1);
        changed++;
    }
    CHECK(changed > 5);
    if (generate(words, count, true, &text)) {
        CHECK(!strstr(text.data, "\"};\nint x") && !strchr(text.data, '\x1b'));
        CHECK_HAS(text.data, "????int ");
    }
    sp_text_free(&text);
    free(words);
}

int main(void)
{
    setenv("XETILE_SOFT_CHECK", "1", 1);
    CHECK_INT(check_level(), 1);
    RUN(pairs_of_accesses);
    RUN(bytes_and_several_subgroups);
    RUN(many_words);
    RUN(what_was_written);
    RUN(what_the_host_wrote);
    RUN(allocations_in_order);
    RUN(only_the_checked_mode_has_checks);
    RUN(names_are_made_harmless);
    return test_report();
}
