/* test_soft_jit.c - from C text to a loaded object: compiling, the cache, images, and all their failures. */
#define _GNU_SOURCE
#include "compiled_texts.h"

TEST(compile_load_call)
{
    struct jit_object o;
    struct sp_text log = {0};
    fresh();
    CHECK_MSG(compile(41, NULL, &o, &log), "%s", log.data ? log.data : "");
    if (o.module) CHECK_INT(call(&o), 41);
    CHECK(o.image && o.image_size > 1000);
    jit_unload(&o);
    jit_unload(&o);
    CHECK_INT(count_files(cache, ""), 0);
    CHECK_INT(count_files(base, ""), 1); /* only the cache folder */
    sp_text_free(&log);
}

TEST(every_isa)
{
    static const char *const names[] = {"native", "generic", "avx2", "avx512"};
    size_t i;
    fresh();
    for (i = 0; i < 4; i++) {
        struct jit_object o;
        struct sp_text log = {0};
        setenv("XETILE_SOFT_ISA", names[i], 1);
        if (compile((int)i, NULL, &o, &log))
            CHECK_INT(call(&o), i);
        else
            CHECK_HAS(log.data, "this CPU does not have it");
        jit_unload(&o);
        sp_text_free(&log);
    }
}

TEST(unknown_isa_is_refused)
{
    struct jit_object o;
    struct sp_text log = {0};
    fresh();
    setenv("XETILE_SOFT_ISA", "sse9", 1);
    CHECK(!compile(1, NULL, &o, &log));
    CHECK_HAS(log.data, "sse9");
    CHECK_HAS(log.data, "generic");
    sp_text_free(&log);
}

TEST(compiler_error_is_in_the_log)
{
    struct jit_object o;
    struct sp_text log = {0};
    const char *text = "int f(void) { return no_such_thing; }\n";
    fresh();
    CHECK(!jit_compile(text, strlen(text), NULL, NULL, &o, &log));
    CHECK_HAS(log.data, "no_such_thing");
    CHECK_HAS(log.data, "status 1");
    CHECK(!o.handle && !o.image);
    CHECK_INT(count_files(cache, ""), 0);
    CHECK_INT(count_files(base, ""), 1);
    sp_text_free(&log);
}

TEST(object_without_module_is_refused)
{
    struct jit_object o;
    struct sp_text log = {0};
    const char *text = "int f(void) { return 1; }\n";
    fresh();
    CHECK(!jit_compile(text, strlen(text), NULL, NULL, &o, &log));
    CHECK_HAS(log.data, "xs_module");
    sp_text_free(&log);
}

TEST(object_of_another_version_is_refused)
{
    struct jit_object o;
    struct sp_text log = {0};
    const char *text = "__attribute__((visibility(\"default\"))) const unsigned xs_module[16] = {4711};\n";
    fresh();
    CHECK(!jit_compile(text, strlen(text), NULL, NULL, &o, &log));
    CHECK_HAS(log.data, "another version");
    sp_text_free(&log);
}

TEST(no_compiler_says_what_to_install)
{
    struct jit_object o;
    struct sp_text log = {0};
    char *path = strdup(getenv("PATH"));
    fresh();
    setenv("PATH", "/nowhere", 1);
    CHECK(!compile(1, NULL, &o, &log));
    CHECK_HAS(log.data, "apt install gcc");
    sp_text_free(&log);
    setenv("XETILE_CC", "/nowhere/cc", 1);
    CHECK(!compile(1, NULL, &o, &log));
    CHECK_HAS(log.data, "/nowhere/cc");
    setenv("PATH", path, 1);
    free(path);
    sp_text_free(&log);
}

TEST(no_shell_reads_the_compiler_name)
{
    struct jit_object o;
    struct sp_text log = {0};
    char name[4300], proof[4200];
    fresh();
    snprintf(proof, sizeof proof, "%s/proof", base);
    snprintf(name, sizeof name, "cc; touch %s", proof);
    setenv("XETILE_CC", name, 1);
    CHECK(!compile(1, NULL, &o, &log));
    CHECK(access(proof, F_OK) != 0);
    sp_text_free(&log);
}

TEST(both_compilers)
{
    static const char *const names[] = {"gcc", "clang"};
    int worked = 0;
    size_t i;
    fresh();
    for (i = 0; i < 2; i++) {
        struct jit_object o;
        struct sp_text log = {0};
        setenv("XETILE_CC", names[i], 1);
        if (compile(7, NULL, &o, &log)) {
            CHECK_INT(call(&o), 7);
            worked++;
        } else {
            CHECK_HAS(log.data, "not a program"); /* a missing compiler is the only valid reason */
        }
        jit_unload(&o);
        sp_text_free(&log);
    }
    CHECK(worked > 0);
}

TEST(cache_hit_needs_no_compiler)
{
    struct jit_object a, b;
    struct jit_key k = key_of(1), other = key_of(2);
    struct sp_text log = {0};
    char *path = strdup(getenv("PATH"));
    fresh();
    CHECK(!jit_cache_find(&k, &a));
    CHECK_MSG(compile(42, &k, &a, &log), "%s", log.data ? log.data : "");
    CHECK_INT(count_files(cache, ".xso"), 1);
    CHECK_INT(count_files(cache, ""), 1);
    setenv("XETILE_CC", "/bin/false", 1);
    CHECK(jit_cache_find(&k, &b));
    if (b.module) CHECK_INT(call(&b), 42);
    CHECK(b.image_size == a.image_size && memcmp(a.image, b.image, a.image_size) == 0);
    jit_unload(&b);
    CHECK(!jit_cache_find(&other, &b));
    CHECK(!b.handle);
    setenv("PATH", "/nowhere:/usr/bin:/bin", 1);
    CHECK(jit_cache_find(&k, &b));
    jit_unload(&b);
    jit_unload(&a);
    CHECK_INT(count_files(cache, ""), 1);
    setenv("PATH", path, 1);
    free(path);
    sp_text_free(&log);
}

TEST(another_working_compiler_misses)
{
    struct jit_object o;
    struct jit_key k = key_of(3);
    char link[4300];
    fresh();
    CHECK(compile(1, &k, &o, NULL));
    jit_unload(&o);
    snprintf(link, sizeof link, "%s/mycc", base);
    CHECK_INT(symlink("/usr/bin/cc", link), 0);
    setenv("XETILE_CC", link, 1); /* another path is another compiler */
    CHECK(!jit_cache_find(&k, &o));
    unlink(link);
}

TEST(cache_hit_takes_milliseconds)
{
    struct jit_object o;
    struct jit_key k = key_of(4);
    struct timespec a, b;
    double best = 1e9, ms;
    int i;
    fresh();
    CHECK(compile(5, &k, &o, NULL));
    jit_unload(&o);
    for (i = 0; i < 10; i++) {
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a); /* other programs may use the processor meanwhile */
        CHECK(jit_cache_find(&k, &o));
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
        ms = (double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) * 1e-6;
        if (ms < best) best = ms;
        jit_unload(&o);
    }
    printf("a cache hit took %.2f ms\n", best);
    CHECK_MSG(best < (TEST_SANITIZED ? 50 : 5), "%.2f ms", best);
}

static void entry_path(char *path, size_t size)
{
    DIR *d = opendir(cache);
    struct dirent *e;
    path[0] = 0;
    while (d && (e = readdir(d)) != NULL)
        if (strstr(e->d_name, ".xso")) snprintf(path, size, "%s/%s", cache, e->d_name);
    if (d) closedir(d);
}

static void damage(const char *path, long at)
{
    FILE *f = fopen(path, "r+b");
    int c;
    CHECK(f != NULL);
    if (!f) return;
    fseek(f, at, at < 0 ? SEEK_END : SEEK_SET);
    c = fgetc(f);
    fseek(f, at, at < 0 ? SEEK_END : SEEK_SET);
    fputc(c ^ 1, f);
    fclose(f);
}

TEST(damaged_entry_is_ignored_and_replaced)
{
    static const long places[] = {0, 8, 16, 30, 70, 100, 200, -1, -2000};
    struct jit_key k = key_of(6);
    char path[8600];
    size_t i;
    fresh();
    for (i = 0; i < sizeof places / sizeof places[0] + 2; i++) {
        struct jit_object o;
        CHECK(compile(9, &k, &o, NULL));
        jit_unload(&o);
        CHECK(jit_cache_find(&k, &o));
        jit_unload(&o);
        entry_path(path, sizeof path);
        if (i < sizeof places / sizeof places[0])
            damage(path, places[i]);
        else
            CHECK_INT(truncate(path, i & 1 ? 50 : 4000), 0);
        CHECK_MSG(!jit_cache_find(&k, &o), "damage %zu went unseen", i);
        CHECK_INT(count_files(cache, ".xso"), 0);
    }
}

TEST(entry_of_another_key_is_not_taken)
{
    struct jit_key k = key_of(7), other = key_of(8);
    struct jit_object o;
    char path[8600], moved[8600], name[80];
    int i;
    fresh();
    CHECK(compile(9, &k, &o, NULL));
    jit_unload(&o);
    entry_path(path, sizeof path);
    for (i = 0; i < 32; i++) snprintf(name + 2 * i, 3, "%02x", other.hash[i]);
    snprintf(moved, sizeof moved, "%.4200s/%s%s", cache, name, path + strlen(path) - 21);
    CHECK_INT(rename(path, moved), 0);
    CHECK(!jit_cache_find(&other, &o));
}

TEST(cache_that_others_may_write_is_not_used)
{
    struct jit_key k = key_of(9);
    struct jit_object o;
    struct sp_text log = {0};
    struct stat s;
    fresh();
    CHECK(compile(9, &k, &o, NULL));
    jit_unload(&o);
    CHECK(stat(cache, &s) == 0 && (s.st_mode & 0777) == 0700);
    chmod(cache, 0777);
    CHECK(!jit_cache_find(&k, &o));
    CHECK(compile(10, &k, &o, &log)); /* works without caching */
    CHECK_HAS(log.data, "is not used");
    jit_unload(&o);
    chmod(cache, 0700);
    CHECK(jit_cache_find(&k, &o));
    if (o.module) CHECK_INT(call(&o), 9);
    jit_unload(&o);
    sp_text_free(&log);
}

TEST(entry_that_others_may_write_is_not_taken)
{
    struct jit_key k = key_of(10);
    struct jit_object o;
    char path[8600];
    fresh();
    CHECK(compile(9, &k, &o, NULL));
    jit_unload(&o);
    entry_path(path, sizeof path);
    chmod(path, 0666);
    CHECK(!jit_cache_find(&k, &o));
    chmod(path, 0600);
    CHECK(jit_cache_find(&k, &o));
    jit_unload(&o);
}

TEST(entry_of_somebody_else_is_not_taken)
{
    struct jit_key k = key_of(15);
    struct jit_object o;
    char path[8600];
    fresh();
    if (geteuid() != 0) SKIP("only root can give a file away");
    CHECK(compile(9, &k, &o, NULL));
    jit_unload(&o);
    entry_path(path, sizeof path);
    CHECK_INT(chown(path, 12345, 12345), 0);
    CHECK(!jit_cache_find(&k, &o));
    CHECK_INT(chown(path, 0, 0), 0);
    CHECK(jit_cache_find(&k, &o));
    jit_unload(&o);
}

TEST(entries_are_files_that_nobody_else_reads)
{
    struct jit_key k = key_of(16);
    struct jit_object o;
    struct stat s;
    char path[8600], aside[4300];
    mode_t mask = umask(0);
    fresh();
    CHECK(compile(9, &k, &o, NULL));
    umask(mask);
    jit_unload(&o);
    entry_path(path, sizeof path);
    CHECK(stat(path, &s) == 0 && S_ISREG(s.st_mode) && (s.st_mode & 0777) == 0600);
    snprintf(aside, sizeof aside, "%s/aside", base); /* links may point to anything */
    CHECK_INT(rename(path, aside), 0);
    CHECK_INT(symlink(aside, path), 0);
    CHECK(!jit_cache_find(&k, &o));
    CHECK_INT(rename(aside, path), 0);
    CHECK(jit_cache_find(&k, &o));
    jit_unload(&o);
}

/* Entries are always complete: they are replaced atomically. */
TEST(entries_are_whole_while_others_store)
{
    struct jit_key k = key_of(17);
    struct jit_compiler c;
    struct jit_object o;
    int i, status = -1;
    pid_t writer;
    fresh();
    CHECK(compile(9, &k, &o, NULL));
    jit_find_compiler(&c);
    fflush(stdout);
    writer = fork();
    if (writer == 0) {
        for (i = 0; i < 300; i++) jit_cache_store(&k, &c, o.image, o.image_size, NULL);
        _exit(0);
    }
    jit_unload(&o);
    for (i = 0; waitpid(writer, &status, WNOHANG) == 0; i++) {
        if (!jit_cache_find(&k, &o)) break;
        jit_unload(&o);
    }
    CHECK_MSG(status == 0, "entry %d that was found while another process stored it was not whole", i);
    if (status != 0) waitpid(writer, &status, 0);
    jit_forget_compiler(&c);
    CHECK_INT(count_files(cache, ".xso"), 1);
    CHECK_INT(count_files(cache, ""), 1);
}

TEST(cache_of_somebody_else_is_not_used)
{
    struct jit_key k = key_of(11);
    struct jit_object o;
    struct sp_text log = {0};
    fresh();
    if (geteuid() != 0) SKIP("only root can give a folder away");
    mkdir(cache, 0700);
    CHECK_INT(chown(cache, 12345, 12345), 0);
    CHECK(compile(10, &k, &o, &log));
    CHECK_HAS(log.data, "somebody else");
    jit_unload(&o);
    CHECK_INT(count_files(cache, ""), 0);
    sp_text_free(&log);
}

TEST(cache_off)
{
    struct jit_key k = key_of(12);
    struct jit_object o;
    struct sp_text log = {0};
    fresh();
    setenv("XETILE_SOFT_CACHE", "off", 1);
    CHECK(compile(10, &k, &o, &log));
    jit_unload(&o);
    CHECK(!jit_cache_find(&k, &o));
    CHECK_INT(count_files(base, ""), 0);
    CHECK_INT(log.size, 0);
    sp_text_free(&log);
}

TEST(home_gives_the_cache_its_place)
{
    struct jit_key k = key_of(13);
    struct jit_object o;
    char path[4300], *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
    fresh();
    unsetenv("XETILE_SOFT_CACHE");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", base, 1);
    CHECK(compile(10, &k, &o, NULL));
    jit_unload(&o);
    CHECK(jit_cache_find(&k, &o));
    jit_unload(&o);
    snprintf(path, sizeof path, "%s/.cache/xetile", base);
    CHECK_INT(count_files(path, ".xso"), 1);
    unsetenv("HOME"); /* no folder: it works without caching */
    CHECK(compile(11, &k, &o, NULL));
    if (o.module) CHECK_INT(call(&o), 11);
    jit_unload(&o);
    CHECK(!jit_cache_find(&k, &o));
    setenv("HOME", "/proc/self", 1); /* cannot be written to, even by root */
    CHECK(compile(12, &k, &o, NULL));
    if (o.module) CHECK_INT(call(&o), 12);
    jit_unload(&o);
    snprintf(path, sizeof path, "%s/.cache", base);
    remove_tree(path);
    CHECK_INT(count_files(base, ""), 0);
    if (home) setenv("HOME", home, 1);
    free(home);
}

TEST(images_round_trip)
{
    struct jit_object a, b, c;
    struct sp_text log = {0};
    uint8_t *copy;
    size_t i;
    fresh();
    CHECK(compile(33, NULL, &a, NULL));
    if (!a.image) return;
    CHECK(jit_load_image(a.image, a.image_size, &b, &log));
    if (b.module) CHECK_INT(call(&b), 33);
    CHECK(a.module != b.module);
    jit_unload(&b);
    copy = malloc(a.image_size);
    for (i = 0; i < a.image_size; i += i < 200 ? 1 : 997) {
        memcpy(copy, a.image, a.image_size);
        copy[i] ^= 0x10;
        CHECK_MSG(!jit_load_image(copy, a.image_size, &c, &log), "byte %zu changed and nobody noticed", i);
    }
    for (i = 0; i < 300; i += 7) CHECK(!jit_load_image(a.image, i, &c, NULL));
    CHECK(!jit_load_image(a.image, a.image_size - 1, &c, NULL));
    CHECK_HAS(log.data, "damaged");
    CHECK_HAS(log.data, "not a native binary");
    setenv("XETILE_SOFT_ISA", "generic", 1);
    CHECK(!jit_load_image(a.image, a.image_size, &c, &log));
    CHECK_HAS(log.data, "another CPU");
    free(copy);
    jit_unload(&a);
    sp_text_free(&log);
}

TEST(images_load_without_a_writable_place)
{
    struct jit_object a, b, c;
    fresh();
    CHECK(compile(34, NULL, &a, NULL));
    if (!a.image) return;
    setenv("XETILE_SOFT_CACHE", "off", 1);
    CHECK(jit_load_image(a.image, a.image_size, &b, NULL));
    CHECK(jit_load_image(a.image, a.image_size, &c, NULL)); /* twice at once */
    if (b.module && c.module) CHECK_INT(call(&b) + call(&c), 68);
    jit_unload(&b);
    jit_unload(&c);
    jit_unload(&a);
}

/* A hash only detects damage: loading bytes that are not an object fails cleanly. */
TEST(images_of_something_else)
{
    static const char junk[4096] = "\x7f" "ELF and then nothing that makes sense";
    struct sp_text log = {0};
    struct jit_object o;
    size_t size = 0;
    void *image = jit_image_make(junk, sizeof junk, NULL, &size);
    fresh();
    CHECK(image && !jit_image_check(image, size));
    CHECK(!jit_load_image(image, size, &o, &log));
    CHECK_HAS(log.data, "loading the compiled kernels: ");
    CHECK(!o.handle && !o.image);
    free(image);
    sp_text_free(&log);
}

/* In a folder of its own as the root there is neither /tmp nor /dev/shm. */
TEST(no_place_for_temporary_files)
{
    int status = -1;
    pid_t child;
    fresh();
    if (geteuid() != 0) SKIP("only root can change the root");
    fflush(stdout);
    child = fork();
    if (child == 0) {
        struct sp_text log = {0};
        setenv("XETILE_SOFT_CACHE", "off", 1);
        if (mkdir(cache, 0700) != 0 || chroot(cache) != 0 || chdir("/") != 0) _exit(2);
        _exit(!jit_private_directory(&log) && log.data &&
                      strstr(log.data, "neither the cache, $TMPDIR, /tmp nor /dev/shm can be written to")
                  ? 0
                  : 1);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK_INT(status, 0);
}

TEST(keys_differ)
{
    struct jit_key a, b, c, d, e;
    struct jit_part ab[2] = {{"a", 1}, {"b", 1}}, joined[1] = {{"ab", 2}}, shifted[2] = {{"ab", 2}, {"", 0}};
    fresh();
    jit_key(&a, ab, 2);
    jit_key(&b, joined, 1);
    jit_key(&c, shifted, 2);
    jit_key(&d, ab, 2);
    setenv("XETILE_SOFT_ISA", "generic", 1);
    jit_key(&e, ab, 2);
    CHECK(memcmp(&a, &b, sizeof a) != 0 && memcmp(&b, &c, sizeof a) != 0 && memcmp(&a, &c, sizeof a) != 0);
    CHECK(memcmp(&a, &d, sizeof a) == 0);
    CHECK(memcmp(&a, &e, sizeof a) != 0);
}

TEST(cache_size_is_bounded)
{
    struct jit_object o;
    char path[8600];
    struct timespec old[2] = {{1000, 0}, {1000, 0}};
    int i, fd;
    fresh();
    setenv("XETILE_SOFT_CACHE_LIMIT", "1", 1); /* MiB */
    for (i = 0; i < 3; i++) {
        struct jit_key k = key_of(100 + i);
        CHECK(compile(i, &k, &o, NULL));
        jit_unload(&o);
    }
    CHECK_INT(count_files(cache, ".xso"), 3);
    snprintf(path, sizeof path, "%s/big-0000000000000000.xso", cache); /* an old entry of 1 MiB */
    fd = open(path, O_WRONLY | O_CREAT, 0600);
    CHECK(fd >= 0 && ftruncate(fd, 1 << 20) == 0 && futimens(fd, old) == 0);
    close(fd);
    snprintf(path, sizeof path, "%s/new-0123456789abcdef", cache); /* left by a process killed long ago */
    fd = open(path, O_WRONLY | O_CREAT, 0600);
    CHECK(fd >= 0 && futimens(fd, old) == 0);
    close(fd);
    {
        struct jit_key k = key_of(200);
        CHECK(compile(i, &k, &o, NULL));
        jit_unload(&o);
    }
    CHECK_INT(count_files(cache, ".xso"), 4); /* the big one was removed as the oldest */
    CHECK_INT(count_files(cache, ""), 4);
}

TEST(ten_processes_at_once)
{
    struct jit_key k = key_of(14);
    pid_t pids[10];
    int i, status, good = 0;
    fresh();
    fflush(stdout);
    for (i = 0; i < 10; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            struct jit_object o;
            bool well = jit_cache_find(&k, &o) || compile(55, &k, &o, NULL);
            _exit(well && call(&o) == 55 ? 0 : 1);
        }
    }
    for (i = 0; i < 10; i++)
        if (pids[i] > 0 && waitpid(pids[i], &status, 0) == pids[i] && WIFEXITED(status) && WEXITSTATUS(status) == 0)
            good++;
    CHECK_INT(good, 10);
    CHECK_INT(count_files(cache, ".xso"), 1);
    CHECK_INT(count_files(cache, ""), 1);
}

int main(void)
{
    if (!begin("test-soft-jit")) return 1;
    RUN(compile_load_call);
    RUN(every_isa);
    RUN(unknown_isa_is_refused);
    RUN(compiler_error_is_in_the_log);
    RUN(object_without_module_is_refused);
    RUN(object_of_another_version_is_refused);
    RUN(no_compiler_says_what_to_install);
    RUN(no_shell_reads_the_compiler_name);
    RUN(both_compilers);
    RUN(cache_hit_needs_no_compiler);
    RUN(another_working_compiler_misses);
    RUN(cache_hit_takes_milliseconds);
    RUN(damaged_entry_is_ignored_and_replaced);
    RUN(entry_of_another_key_is_not_taken);
    RUN(cache_that_others_may_write_is_not_used);
    RUN(entry_that_others_may_write_is_not_taken);
    RUN(entry_of_somebody_else_is_not_taken);
    RUN(entries_are_files_that_nobody_else_reads);
    RUN(entries_are_whole_while_others_store);
    RUN(cache_of_somebody_else_is_not_used);
    RUN(cache_off);
    RUN(home_gives_the_cache_its_place);
    RUN(images_round_trip);
    RUN(images_load_without_a_writable_place);
    RUN(images_of_something_else);
    RUN(no_place_for_temporary_files);
    RUN(keys_differ);
    RUN(cache_size_is_bounded);
    RUN(ten_processes_at_once);
    remove_tree(base);
    return test_report();
}
