/* test_soft_text.c - the C generated for any module that the reader accepts contains no unescaped text of the module,
 * and compiles.
 */
#define _GNU_SOURCE
#include "test.h"

#include "c/codegen.h"
#include "c/generate.h"
#include "c/selection.h"
#include "build/jit.h"
#include "mutate.h"
#include "spirv_emit.h"

#include <unistd.h>

static const struct cg_options plain = {.default_subgroup_size = 16};
static const struct cg_options checked = {.default_subgroup_size = 16, .check = true};

static bool text_of(const uint32_t *words, size_t count, const struct cg_options *options, struct sp_text *text,
                    struct sp_text *log)
{
    struct sp_module *m = sp_parse(words, count, NULL, 0, true, log);
    bool good = m && cg_generate(m, options, text, log);
    sp_free(m);
    return good;
}

/* ---- names */

/* Whether the generator writes this byte. Letters of names are letters; the preludes are ours. */
static bool is_ours(char c) { return c == '\n' || (c >= ' ' && c <= '~' && c != '@' && c != '$'); }

static size_t foreign_bytes(const struct sp_text *text)
{
    size_t n = 0;
    for (size_t i = 0; i < text->size; i++) n += !is_ours(text->data[i]);
    return n;
}

static const char hostile[] = "@$\"; }\n#include \"/etc/passwd\"\r\n*/ ?\?/ \\ %s%n \x01\x7f\x80\xff é";

static spe_words named(spe_module *m)
{
    spe_param p[2];
    spe_kernel k;
    memset(p, 0, sizeof p);
    memset(&k, 0, sizeof k);
    spe_begin(m, &(spe_options){.names = true, .source = hostile, .lines = true});
    spe_id u32 = spe_int(m, 32);
    spe_id called = spe_function_begin(m, hostile, u32, 1, &u32);
    spe_return_value(m, spe_param_id(m, 0));
    spe_function_end(m);
    p[0].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, u32), p[1].type = u32;
    p[0].name = p[1].name = k.name = hostile;
    k.params = p, k.param_count = 2;
    spe_kernel_begin(m, &k);
    spe_id at = spe_index(m, spe_param_id(m, 0), spe_builtin(m, SPE_GLOBAL_ID, 0)), v = spe_load(m, at, 0);
    spe_name(m, at, hostile);
    spe_name(m, u32, hostile);
    v = spe_call(m, called, 1, &v);
    spe_store(m, at, v, 0);
    spe_kernel_end(m);
    return spe_finish(m);
}

TEST(names_are_quoted)
{
    const struct cg_options *const options[] = {&plain, &checked};
    spe_module m;
    spe_words words = named(&m);
    CHECK_MSG(words.count, "%s", spe_get_error(&m)->text);
    CHECK(memmem(words.data, 4 * words.count, hostile, sizeof hostile) != NULL);
    for (int i = 0; i < 2; i++) {
        struct sp_text text = {0}, log = {0};
        CHECK_MSG(text_of(words.data, words.count, options[i], &text, &log), "%s", log.data);
        CHECK_HAS(text.data, "\\100\\044\\042"); /* @$" */
        CHECK_INT(foreign_bytes(&text), 0);
        sp_text_free(&text);
        sp_text_free(&log);
    }
    spe_free(&m);
}

/* ---- a function that is an entry point under two names, and only calls another */

/* Each entry point once more, with a number for a name. */
static size_t add_entries(const uint32_t *from, size_t n, uint32_t *to)
{
    size_t more = 0;
    memcpy(to, from, HEADER_WORDS * 4);
    for (size_t at = HEADER_WORDS; at < n; at += from[at] >> 16) {
        if ((from[at] & 0xffff) == SP_OP_EntryPoint) {
            const uint32_t again[] = {5u << 16 | SP_OP_EntryPoint, from[at + 1], from[at + 2],
                                      0x31313131 + (uint32_t)at, 0};
            memcpy(to + at + more, again, sizeof again);
            more += 5;
        }
        memcpy(to + at + more, from + at, (from[at] >> 16) * 4);
    }
    return n + more;
}

static bool compiles(const char *directory, const struct sp_text *text, struct sp_text *said);
static size_t read_words(const char *name, uint32_t *words);

TEST(two_names_of_an_entry_point)
{
    static const char *const files[] = {"lines", "groups"}; /* those have barriers */
    static uint32_t original[1 << 16], words[1 << 16];
    char *directory = jit_private_directory(NULL);
    CHECK(directory != NULL);
    for (int i = 0; i < 2; i++) {
        struct sp_text text = {0}, log = {0}, said = {0};
        size_t n = add_entries(original, read_words(files[i], original), words);
        CHECK_MSG(text_of(words, n, &plain, &text, &log), "%s", log.data);
        CHECK_MSG(compiles(directory, &text, &said), "%.2000s", said.data ? said.data : "");
        sp_text_free(&said);
        sp_text_free(&text);
        sp_text_free(&log);
    }
    jit_remove_directory(directory);
}

/* ---- random modules */

enum { MUTANTS = 40, MOST_WORDS = 1 << 16 };

/* Prints the reason if the compiler refuses it. */
static bool compiles(const char *directory, const struct sp_text *text, struct sp_text *said)
{
    static char flags[][16] = {"-std=gnu11", "-w", "-fsyntax-only"};
    static struct jit_compiler compiler;
    static const struct jit_limits limits = {60, 4096, NULL, false};
    char path[320];
    if (!compiler.path) jit_find_compiler(&compiler);
    char *argv[] = {compiler.path, flags[0], flags[1], flags[2], path, NULL};
    snprintf(path, sizeof path, "%s/k.c", directory);
    unlink(path);
    return jit_write_file(path, text->data, text->size) && jit_run(argv, directory, limits, said, said) == 0;
}

static size_t read_words(const char *name, uint32_t *words)
{
    char path[200];
    snprintf(path, sizeof path, "tests/opencl/%s.spv", name);
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(words, 4, MOST_WORDS / 2, f) : 0;
    CHECK_MSG(n > 100, "%s: %zu words", path, n);
    if (f) fclose(f);
    return n;
}

TEST(whatever_is_taken_compiles)
{
    static const char *const files[] = {"groups", "lines", "program", "check", "compilers", "atomics",
                                        "cplusplus", "dot_product", "small_floats", "copies", "extended",
                                        "blocks", "pointers", "leftovers"};
    static uint32_t original[MOST_WORDS], words[MOST_WORDS];
    char *directory = jit_private_directory(NULL);
    int taken = 0, tried = 0;
    CHECK(directory != NULL);
    for (; taken < MUTANTS && tried < 20000; tried++) {
        struct sp_text text = {0}, log = {0}, said = {0};
        uint32_t state = (uint32_t)test_random() | 1, changes = 1 + (uint32_t)(test_random() % 4);
        size_t n = read_words(files[test_random() % (sizeof files / sizeof *files)], original);
        memcpy(words, original, n * 4);
        while (changes-- && n > 8) n = change_module(words, n, MOST_WORDS, &state);
        if (text_of(words, n, tried % 3 ? &plain : &checked, &text, &log)) {
            taken++;
            CHECK_INT(foreign_bytes(&text), 0);
            CHECK_MSG(compiles(directory, &text, &said), "mutant %d: %.2000s", tried, said.data ? said.data : "");
        }
        sp_text_free(&said);
        sp_text_free(&text);
        sp_text_free(&log);
    }
    jit_remove_directory(directory);
    CHECK_MSG(taken == MUTANTS, "%d of %d mutants were taken", taken, tried);
}

/* ---- the texts in front: a function that is selected brings all that it calls, as the preprocessor shows it */

struct function {
    const char *name, *body, *end;
    size_t length; /* of the name, without the subgroup size */
};
enum { MOST_FUNCTIONS = 8192 };

/* The headers whose items are selected, without the includes of one by another. */
static void add_headers(struct sp_text *text)
{
    static const char *const names[] = {"abi.h", "c/prelude.h", "c/prelude_check.h", "c/prelude_lanes.h",
                                        "c/prelude_matrix.h", "c/prelude_mx.h", "c/prelude_amx.h", "c/prelude_narrow.h",
                                        "c/prelude_math.h", "c/prelude_coop.h"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        char path[64], line[256];
        snprintf(path, sizeof path, "soft/%s", names[n]);
        FILE *f = fopen(path, "r");
        CHECK_MSG(f != NULL, "%s", path);
        while (f && fgets(line, sizeof line, f))
            if (strncmp(line, "#include \"", 10) != 0) sp_text_add(text, "%s", line);
        if (f) fclose(f);
    }
}

static char *preprocess(const char *directory, char *isa)
{
    static char standard[] = "-std=gnu11", only[] = "-E", plain_lines[] = "-P", to[] = "-o";
    static const struct jit_limits limits = {60, 4096, NULL, false};
    struct jit_compiler compiler;
    struct sp_text text = {0}, said = {0};
    char from[320], out[320];
    char *all = calloc(1, 8 << 20);
    FILE *f;
    jit_find_compiler(&compiler);
    char *argv[] = {compiler.path, standard, only, plain_lines, isa, from, to, out, NULL};
    snprintf(from, sizeof from, "%s/t.c", directory);
    snprintf(out, sizeof out, "%s/t.i", directory);
    unlink(from);
    sp_text_add(&text, "#define XS_TILES\n#define S 16\n");
    add_headers(&text);
    CHECK(jit_write_file(from, text.data, text.size));
    CHECK_MSG(jit_run(argv, directory, limits, &said, &said) == 0, "%s", said.data);
    jit_forget_compiler(&compiler);
    f = fopen(out, "r");
    CHECK(f && fread(all, 1, (8 << 20) - 1, f) > 10000);
    if (f) fclose(f);
    sp_text_free(&text);
    sp_text_free(&said);
    return all;
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* After the parenthesis that closes the one at `s`. */
static const char *behind(const char *s)
{
    int depth = 0;
    do {
        depth += (*s == '(') - (*s == ')');
    } while (*s++ && depth);
    return s;
}

/* Functions are `static ... name(...) {`, whatever attributes stand before. */
static size_t find_functions(const char *text, struct function *f)
{
    size_t n = 0;
    for (const char *s = text; *s && n < MOST_FUNCTIONS;) {
        const char *name = NULL, *end = NULL;
        int depth = 0;
        const char *start = s;
        for (; *s && !(depth == 0 && *s == ';'); s++) {
            if (!depth && !name && *s == '(' && s - text > 13) {
                const char *word = s;
                while (is_name(word[-1])) word--;
                if (!strncmp(word, "__attribute__", 13) || word == s) {
                    s = behind(s) - 1;
                    continue;
                }
                name = word, end = s;
            }
            depth += (*s == '{') - (*s == '}');
            if (!depth && *s == '}' && name && strstr(start, "static") && strstr(start, "static") < name) break;
        }
        if (*s == '}') {
            size_t length = (size_t)(end - name);
            if (length > 3 && !strncmp(end - 3, "_16", 3)) length -= 3;
            f[n++] = (struct function){name, end, s, length};
        }
        if (*s) s++;
    }
    return n;
}

static const struct function *called(const struct function *f, size_t n, const char *name, size_t length)
{
    for (size_t i = 0; i < n; i++)
        if (f[i].length == length && !memcmp(f[i].name, name, length)) return &f[i];
    return NULL;
}

static void check_calls(const struct function *f, size_t n, const struct function *of)
{
    struct cg_selection *s = cg_select_text(of->name, of->length);
    CHECK_MSG(s && cg_selects(s, of->name, of->length), "nothing defines %.*s", (int)of->length, of->name);
    for (const char *c = of->body; c < of->end && s; c++) {
        const char *word = c;
        if (is_name(c[-1]) || !is_name(*c)) continue;
        while (is_name(*c)) c++;
        size_t length = (size_t)(c - word);
        if (length > 3 && !strncmp(c - 3, "_16", 3)) length -= 3;
        if (called(f, n, word, length) && !cg_selects(s, word, length))
            test_fail(__FILE__, __LINE__, "%.*s needs %.*s, which is left out", (int)of->length, of->name, (int)length,
                      word);
        c--;
    }
    free(s);
}

TEST(what_is_selected_is_whole)
{
    static char isa[][16] = {"-march=native", "-O1"};
    static struct function f[MOST_FUNCTIONS];
    char *directory = jit_private_directory(NULL);
    CHECK(directory != NULL);
    for (int i = 0; i < 2; i++) {
        char *text = preprocess(directory, isa[i]);
        size_t n = find_functions(text, f);
        CHECK_MSG(n > 500 && n < MOST_FUNCTIONS, "%zu functions", n);
        for (size_t k = 0; k < n; k++) check_calls(f, n, &f[k]);
        free(text);
    }
    jit_remove_directory(directory);
}

/* A kernel of one addition includes little of the preludes. */
TEST(little_is_compiled_of_what_is_not_used)
{
    struct cg_selection *s = cg_select_text("load_run_u32 store_run_u32", 26);
    CHECK(s && !cg_selects(s, "dpas_f16_grid", 13));
    CHECK(s && !cg_selects(s, "umul_hi_u64", 11) && cg_selects(s, "load_run_u32", 12));
    free(s);
}

int main(void)
{
    RUN(names_are_quoted);
    RUN(two_names_of_an_entry_point);
    RUN(whatever_is_taken_compiles);
    RUN(what_is_selected_is_whole);
    RUN(little_is_compiled_of_what_is_not_used);
    return test_report();
}
