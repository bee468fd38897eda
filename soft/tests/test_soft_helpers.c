/* test_soft_helpers.c - in the quick tier, kernels share objects with the functions they name (build/helpers.c). */
#define _GNU_SOURCE
#include "compiled_texts.h"

/* ---- texts of the quick tier: a kernel that stores f(value), where f is one of four functions */

static const char *const bodies[] = {
    "{ return x + 1; }",
    "{ return x * 3; }",
    "{ volatile char frame[5000]; frame[x] = 7; return x - frame[x]; }",
    "{ return half(x) ^ 21; }",
};
enum { FUNCTIONS = sizeof bodies / sizeof *bodies };
static const int results[FUNCTIONS] = {101, 300, 93, 50 ^ 21}; /* of 100 */

/* With the functions from first to last, of which the kernel calls the last. */
static void make_quick_text(struct sp_text *t, int first, int last)
{
    struct sp_text kernel = {0};
    char expression[80];
    sp_text_add(t, "/* xs: quick */\n"
                   "#ifdef XS_KERNELS_ONLY\n#define XS_APART(linkage) extern __attribute__((visibility(\"hidden\")))\n"
                   "#else\n#define XS_APART(linkage) linkage\n#define XS_EXPORT(name) extern __typeof(name) xs_##name "
                   "__attribute__((alias(#name), visibility(\"hidden\")));\n#endif\n"
                   "static inline __attribute__((always_inline)) int half(int x) { return x / 2; }\n");
    for (int i = first; i <= last; i++)
        sp_text_add(t, "XS_APART(static __attribute__((noinline, unused))) int f%d(int x)\n#ifdef XS_KERNELS_ONLY\n"
                       "__asm__(\"xs_f%d\");\n#else\n%s\n#endif\n", i, i, bodies[i]);
    sp_text_add(t, "/* xs: helpers");
    for (int i = first; i <= last; i++) sp_text_add(t, " f%d", i);
    sp_text_add(t, " */\n");
    make_text(&kernel, 100);
    const char *assigned = strstr(kernel.data, "*p = 100");
    snprintf(expression, sizeof expression, "*p = f%d(100)", last);
    sp_text_add(t, "%.*s%s%s", (int)(assigned - kernel.data), kernel.data, expression, assigned + 8);
    sp_text_free(&kernel);
}

/* Compiles such a kernel and checks its result. */
static void check_kernel(int first, int last)
{
    struct sp_text t = {0}, log = {0};
    struct jit_object o;
    make_quick_text(&t, first, last);
    CHECK_MSG(jit_compile(t.data, t.size, NULL, NULL, &o, &log), "%s", log.data ? log.data : "");
    if (o.module) CHECK_INT(call(&o), results[last]);
    jit_unload(&o);
    sp_text_free(&t);
    sp_text_free(&log);
}

/* ---- the cache's folder */

/* The path of the only file whose name begins, or ends, so; false: there is none, or more than one. */
static bool find_file(const char *begin_, const char *end, char *path, size_t size)
{
    DIR *d = opendir(cache);
    struct dirent *e;
    int n = 0;
    while (d && (e = readdir(d)) != NULL) {
        size_t length = strlen(e->d_name);
        if (strncmp(e->d_name, begin_, strlen(begin_)) != 0 || length < strlen(end)) continue;
        if (strcmp(e->d_name + length - strlen(end), end) != 0) continue;
        snprintf(path, size, "%s/%s", cache, e->d_name);
        n++;
    }
    if (d) closedir(d);
    return n == 1;
}

static int count_lines(void)
{
    char path[1400], line[1000];
    int n = 0;
    FILE *f = find_file("helpers-", "", path, sizeof path) ? fopen(path, "r") : NULL;
    if (!f) return -1;
    while (fgets(line, sizeof line, f)) n++;
    fclose(f);
    return n;
}

TEST(functions_are_compiled_once)
{
    fresh();
    check_kernel(0, 0); /* the first kernel, as a whole */
    CHECK_INT(count_lines(), 0);
    CHECK_INT(count_files(cache, ".xso"), 0);
    check_kernel(0, 1);
    CHECK_INT(count_lines(), 1);
    check_kernel(0, 1);
    check_kernel(1, 1);
    CHECK_INT(count_lines(), 1);
    check_kernel(0, 3); /* two more, in an object of their own */
    CHECK_INT(count_lines(), 2);
    CHECK_INT(count_files(cache, ".xso"), 2);
    check_kernel(2, 3);
    CHECK_INT(count_lines(), 2);
}

TEST(damaged_objects_are_made_again)
{
    char path[1400];
    fresh();
    check_kernel(0, 0);
    check_kernel(0, 1);
    CHECK(find_file("", ".xso", path, sizeof path));
    int fd = open(path, O_WRONLY);
    CHECK(fd >= 0 && pwrite(fd, "damage", 6, 300) == 6);
    close(fd);
    check_kernel(0, 1);
    CHECK_INT(count_lines(), 2);
    check_kernel(1, 1);
    CHECK_INT(count_lines(), 2);
    CHECK(find_file("", ".xso", path, sizeof path) && remove(path) == 0);
    check_kernel(0, 1);
    CHECK_INT(count_files(cache, ".xso"), 1);
}

TEST(the_list_of_objects_is_only_a_hint)
{
    static const char lines[] = "nonsense\n\n f0 f1\n0123 f0\n"
                                "00000000000000000000000000000000000000000000000000000000000000zz f0\n"
                                "0000000000000000000000000000000000000000000000000000000000000000 f0 f1 f2 f3\nf0 f1";
    char path[1400];
    fresh();
    check_kernel(0, 0);
    check_kernel(0, 1);
    CHECK(find_file("helpers-", "", path, sizeof path));
    int fd = open(path, O_WRONLY | O_TRUNC);
    CHECK(fd >= 0 && write(fd, lines, sizeof lines - 1) == sizeof lines - 1);
    close(fd);
    check_kernel(0, 1);
    check_kernel(0, 1);
    CHECK(remove(path) == 0 && mkdir(path, 0700) == 0);
    check_kernel(0, 1);
}

/* Such kernels are compiled as a whole. */
TEST(compilers_that_cannot_link_parts)
{
    static const char *const refused[] = {"-c", "-DXS_KERNELS_ONLY"};
    for (int i = 0; i < 2; i++) {
        char text[200], path[1200];
        fresh();
        snprintf(text, sizeof text, "#!/bin/sh\ncase \" $* \" in *' %s '*) exit 1;; esac\nexec cc \"$@\"\n",
                 refused[i]);
        write_program("parts", text, path, sizeof path);
        setenv("XETILE_CC", path, 1);
        check_kernel(0, 0);
        check_kernel(0, 1);
        check_kernel(0, 3);
        CHECK_INT(count_lines(), i ? 2 : 0);
    }
}

TEST(the_limit_of_the_cache_holds)
{
    fresh();
    setenv("XETILE_SOFT_CACHE_LIMIT", "0", 1); /* so that nothing stays */
    for (int i = 0; i < 4; i++) check_kernel(0, 1); /* every other one as a whole: the list is gone, too */
    CHECK_INT(count_files(cache, ""), 0);
}

TEST(without_a_cache)
{
    fresh();
    setenv("XETILE_SOFT_CACHE", "off", 1);
    check_kernel(0, 0);
    check_kernel(0, 1);
    CHECK_INT(count_files(cache, ""), -1);
}

/* A kernel's stack is that of the functions it names, whatever else its objects have. */
TEST(stacks_include_the_functions)
{
    enum { LARGE = 4800 };
    static const int named[][2] = {{2, 2}, {2, 3}, {2, 2}, {3, 3}}; /* the first as a whole, then with one object */
    uint32_t bytes[4];
    fresh();
    for (int i = 0; i < 4; i++) {
        struct sp_text t = {0}, log = {0};
        struct jit_object o;
        make_quick_text(&t, named[i][0], named[i][1]);
        CHECK_MSG(jit_compile(t.data, t.size, NULL, NULL, &o, &log), "%s", log.data ? log.data : "");
        bytes[i] = o.module ? o.module->kernels[0].stack_bytes : 0;
        jit_unload(&o);
        sp_text_free(&t);
        sp_text_free(&log);
    }
    CHECK_INT(count_lines(), 1);
    if (!bytes[0]) return; /* the compiler reports no stacks */
    CHECK_MSG(bytes[0] > LARGE && bytes[2] > LARGE, "%u %u", bytes[0], bytes[2]);
    CHECK_MSG(bytes[3] < LARGE, "%u", bytes[3]);
}

int main(void)
{
    if (!begin("test-soft-helpers")) return 1;
    RUN(functions_are_compiled_once);
    RUN(damaged_objects_are_made_again);
    RUN(the_list_of_objects_is_only_a_hint);
    RUN(compilers_that_cannot_link_parts);
    RUN(the_limit_of_the_cache_holds);
    RUN(without_a_cache);
    RUN(stacks_include_the_functions);
    remove_tree(base);
    return test_report();
}
