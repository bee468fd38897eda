/* test_soft_opcodes.c - the code generator supports every instruction that the reader accepts. For each row of the
 * table of rules, kernels are generated with operands as the row requires, of several widths and lengths, uniform or
 * not. The code generator must accept what the reader accepts, with and without the checked mode, and at least one
 * kernel per row must be accepted. The first and the last of each row are compiled. */
#include "abi.h"
#include "build/build.h"
#include "c/generate.h"
#include "spirv/reader.h"
#include "soft/bindless.h"
#include "opcode_kernels.h"
#include "test.h"

enum { KERNELS_A_MODULE = 48, EXTREMES = 2 };

static struct {
    bool op[LAST_OPCODE], ext[256];
} seen;

static void note_module(const struct sp_module *m)
{
    for (uint32_t f = 0; f < m->function_count; f++)
        for (uint32_t b = 0; b < m->functions[f].block_count; b++)
            for (uint32_t k = 0; k < m->functions[f].blocks[b].count; k++) {
                const struct sp_inst *i = &m->functions[f].blocks[b].inst[k];
                if (i->op < LAST_OPCODE) seen.op[i->op] = true;
                if (i->op == SP_OP_ExtInst && i->operand[0] == m->opencl_std && i->operand[1] < 256)
                    seen.ext[i->operand[1]] = true;
            }
}

/* The module read from the words; NULL: refused. */
static struct sp_module *parse(const uint32_t *words, size_t count, const char *what)
{
    struct sp_text log = {0};
    struct sp_module *m = sp_parse(words, count, NULL, 0, true, &log);
    if (getenv("TEST_VERBOSE") && !m) printf("  %s: %s", what, log.data ? log.data : "");
    sp_text_free(&log);
    return m;
}

static bool quick; /* the tier */

/* Generates code for an accepted module, in both modes. False: the reader refuses it. */
static bool generate(const uint32_t *words, size_t count, const char *what, struct sp_text *c)
{
    struct sp_text log = {0};
    struct sp_module *m = parse(words, count, what);
    bool taken = m != NULL;
    for (int check = 0; m && check < 2; check++) {
        struct cg_options options = {.default_subgroup_size = 16, .check = check, .quick = quick};
        struct sp_text text = {0};
        bool good = cg_generate(m, &options, &text, &log);
        CHECK_MSG(good, "%s%s: %s", what, check ? ", checked" : "", log.data ? log.data : "");
        if (good && !check) note_module(m);
        if (good && !check && c)
            *c = text;
        else
            sp_text_free(&text);
    }
    sp_free(m);
    sp_text_free(&log);
    return taken;
}

static bool reader_takes(uint32_t op, uint32_t way)
{
    spe_module m;
    struct sp_module *read = NULL;
    spe_begin(&m, NULL);
    write_way(&m, op, "k", way);
    spe_words words = spe_finish(&m);
    if (words.data) read = parse(words.data, words.count, sp_op_name(op));
    bool takes = read != NULL;
    sp_free(read);
    spe_free(&m);
    return takes;
}

/* One module has all accepted forms of the instruction: most of the time is spent on its common parts. */
static void generate_ways(uint32_t op, const bool *takes)
{
    spe_module m;
    char name[16];
    spe_begin(&m, NULL);
    for (uint32_t way = 0; way < WAYS; way++) {
        if (!takes[way]) continue;
        snprintf(name, sizeof name, "k%u", way);
        write_way(&m, op, name, way);
    }
    spe_words words = spe_finish(&m);
    CHECK_MSG(words.data && generate(words.data, words.count, sp_op_name(op), NULL), "%s in all ways at once: %s",
              sp_op_name(op), spe_get_error(&m)->text);
    spe_free(&m);
}

/* The first and the last accepted form of an instruction, + 1; 0: none. */
static uint8_t taken[LAST_OPCODE][EXTREMES];

TEST(what_the_reader_takes_is_generated)
{
    for (uint32_t op = 0; op < LAST_OPCODE; op++) {
        bool takes[WAYS] = {false};
        for (uint32_t way = 0; sp_rule_words(op) && way < WAYS; way++) {
            takes[way] = reader_takes(op, way);
            if (takes[way]) taken[op][taken[op][0] != 0] = (uint8_t)(way + 1);
        }
        if (taken[op][0]) generate_ways(op, takes);
    }
}

/* Kernels of compilers and assemblers have what takes more than fitting types: indices, casts, shuffles, calls. */
TEST(what_compilers_write_is_generated)
{
    static const char *const names[] = {"arithmetic", "atomics",   "blocks",  "casts",
                                        "compilers",  "copies",    "convert", "extended",
                                        "flow",       "groups",    "integer", "integer_functions",
                                        "lanes",      "leftovers", "math",    "memory_unoptimised",
                                        "pointers",   "printing",  "program", "vectors",
                                        "beginnings", "images",    "images_unoptimised"};
    static uint32_t words[1 << 20];
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        char path[256];
        snprintf(path, sizeof path, "tests/opencl/%s.spv", names[n]);
        FILE *f = fopen(path, "rb");
        size_t count = f ? fread(words, 4, sizeof words / 4, f) : 0;
        if (f) fclose(f);
        CHECK_MSG(count && generate(words, count, names[n], NULL), "%s", path);
    }
    CHECK(generate(bindless_kernel, sizeof bindless_kernel / 4, "bindless", NULL));
}

TEST(no_instruction_is_left_out)
{
    for (uint32_t op = 0; op < LAST_OPCODE; op++)
        CHECK_MSG(!sp_rule_words(op) || seen.op[op], "no test kernel that is taken has Op%s", sp_op_name(op) + 2);
    for (uint32_t n = 0; n < 256; n++)
        CHECK_MSG(!sp_ext_name(n) || seen.ext[n], "no test kernel has %s of OpenCL.std", sp_ext_name(n));
}

/* The kernels of one module, from instruction *at on. */
static uint32_t write_module(spe_module *m, uint32_t *at, uint32_t which)
{
    uint32_t count = 0;
    char name[16];
    for (; *at < LAST_OPCODE && count < KERNELS_A_MODULE; (*at)++) {
        uint32_t way = taken[*at][which];
        if (way == 0) continue;
        snprintf(name, sizeof name, "k%u", *at);
        write_way(m, *at, name, way - 1);
        count++;
    }
    return count;
}

/* The last forms, in the sample, in the quick tier. */
static void compile_all(uint32_t which)
{
    quick = which && !test_thorough();
    for (uint32_t at = 0; at < LAST_OPCODE;) {
        spe_module m;
        struct sp_text c = {0}, log = {0};
        struct jit_object object = {0};
        spe_begin(&m, NULL);
        uint32_t count = write_module(&m, &at, which);
        spe_words words = spe_finish(&m);
        CHECK_MSG(words.data && generate(words.data, words.count, "many kernels", &c), "%s", spe_get_error(&m)->text);
        CHECK_MSG(c.data && jit_compile(c.data, c.size, NULL, NULL, &object, &log), "%s", log.data ? log.data : "");
        if (object.module) CHECK_INT(object.module->kernel_count, count);
        jit_unload(&object);
        sp_text_free(&c);
        sp_text_free(&log);
        spe_free(&m);
    }
}

TEST(what_is_generated_compiles)
{
    for (uint32_t which = 0; which < EXTREMES; which++) compile_all(which);
}

int main(void)
{
    RUN(what_the_reader_takes_is_generated);
    RUN(what_compilers_write_is_generated);
    RUN(no_instruction_is_left_out);
    RUN(what_is_generated_compiles);
    return test_report();
}
