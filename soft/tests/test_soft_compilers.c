/* test_soft_compilers.c - what runs compilers: their limits, their end, what they leave behind, and what the host's
 * process does meanwhile.
 */
#define _GNU_SOURCE
#include "compiled_texts.h"

#include <elf.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

TEST(a_slow_compiler_is_stopped)
{
    struct jit_object o;
    struct sp_text log = {0};
    struct timespec a, b;
    char path[4300];
    fresh();
    write_program("slowcc", "#!/bin/sh\nsleep 30 & sleep 30\n", path, sizeof path);
    setenv("XETILE_CC", path, 1);
    setenv("XETILE_SOFT_TIME_LIMIT", "0.3", 1);
    clock_gettime(CLOCK_MONOTONIC, &a);
    CHECK(!compile(1, NULL, &o, &log));
    clock_gettime(CLOCK_MONOTONIC, &b);
    CHECK_HAS(log.data, "1.2 seconds");
    CHECK(b.tv_sec - a.tv_sec < 10);
    unlink(path);
    CHECK_INT(count_files(cache, ""), 0);
    CHECK_INT(count_files(base, ""), 1);
    sp_text_free(&log);
}

/* What a compile of more than 2 s writes to standard error, where that is a terminal. */
static void compile_at_terminal(char *said, size_t size)
{
    char path[4300];
    struct jit_object o;
    struct sp_text log = {0};
    int terminal = posix_openpt(O_RDWR | O_NOCTTY), end, own = dup(2);
    ssize_t n;
    memset(said, 0, size);
    CHECK(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    end = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    fresh();
    write_program("slowcc", "#!/bin/sh\nsleep 2.2\nexec cc \"$@\"\n", path, sizeof path);
    setenv("XETILE_CC", path, 1);
    CHECK(end >= 0 && dup2(end, 2) == 2);
    CHECK_MSG(compile(1, NULL, &o, &log), "%s", log.data);
    dup2(own, 2);
    fcntl(terminal, F_SETFL, O_NONBLOCK);
    n = read(terminal, said, size - 1);
    if (n < 0) said[0] = 0;
    jit_unload(&o);
    unlink(path);
    close(own);
    close(end);
    close(terminal);
    sp_text_free(&log);
}

TEST(who_waits_at_a_terminal_is_told)
{
    char said[200];
    compile_at_terminal(said, sizeof said);
    CHECK_HAS(said, "xetile software device: compiling kernel of test_soft_jit since ");
    CHECK(strchr(said, '\n') && !strchr(strchr(said, '\n') + 1, '\n'));
    setenv("XETILE_SOFT_QUIET", "1", 1);
    compile_at_terminal(said, sizeof said);
    CHECK_STR(said, "");
    unsetenv("XETILE_SOFT_QUIET");
}

TEST(a_compiler_that_computes_for_too_long_is_stopped)
{
    struct jit_object o;
    struct sp_text log = {0};
    char path[4300];
    bool crowded;
    fresh();
    write_program("busycc", "#!/bin/sh\nwhile :; do :; done\n", path, sizeof path);
    setenv("XETILE_CC", path, 1);
    setenv("XETILE_SOFT_TIME_LIMIT", "0.9", 1); /* the kernel counts whole seconds: here, one */
    CHECK(!compile(1, NULL, &o, &log));
    unlink(path);
    CHECK_INT(count_files(cache, ""), 0);
    crowded = log.data && strstr(log.data, "was stopped after 3.6 seconds");
    if (!crowded) CHECK_HAS(log.data, "0.9 seconds of processor time");
    sp_text_free(&log);
    if (crowded) SKIP("on this crowded machine a second of processor time took more than 3.6");
}

/* The limits hold from the first instruction on, and for what the compiler starts, even when this program is no
 * more. */
TEST(a_compiler_is_confined)
{
    struct jit_object o;
    struct sp_text log = {0};
    char path[4300];
    fresh();
    write_program(
        "tellcc",
        "#!/bin/sh\necho first $(ulimit -v) $(ulimit -t)\nsh -c 'echo memory $(ulimit -v) time $(ulimit -t)'\nexit 1\n",
        path, sizeof path);
    setenv("XETILE_CC", path, 1);
    setenv("XETILE_SOFT_TIME_LIMIT", "77", 1);
    CHECK(!compile(1, NULL, &o, &log));
    CHECK_HAS(log.data, "first 4194304 78\nmemory 4194304 time 78");
    sp_text_free(&log);
    setenv("XETILE_SOFT_MEMORY_LIMIT", "3000", 1);
    CHECK(!compile(1, NULL, &o, &log));
    CHECK_HAS(log.data, "memory 3072000 time 78");
    sp_text_free(&log);
    unlink(path);
}

TEST(a_compiler_that_wants_too_much_memory)
{
    struct jit_object o;
    struct sp_text log = {0};
    fresh();
    setenv("XETILE_SOFT_MEMORY_LIMIT", "24", 1); /* too little for any compiler to start */
    CHECK(!compile(1, NULL, &o, &log));
    CHECK_HAS(log.data, "it may take 24 MiB of memory (XETILE_SOFT_MEMORY_LIMIT)");
    sp_text_free(&log);
    setenv("XETILE_SOFT_MEMORY_LIMIT", "2048", 1);
    CHECK(compile(5, NULL, &o, NULL));
    if (o.module) CHECK_INT(call(&o), 5);
    jit_unload(&o);
}

/* A program that is there but that the system cannot run; and one whose signals must be as usual, whatever the
 * host's. */
TEST(a_compiler_that_cannot_be_run)
{
    struct jit_object o;
    struct sp_text log = {0};
    char path[4300];
    fresh();
    write_program("nothingcc", "\177ELF nothing that runs", path, sizeof path);
    setenv("XETILE_CC", path, 1);
    CHECK(!compile(1, NULL, &o, &log));
    CHECK_HAS(log.data, "cannot be started: Exec format error");
    sp_text_free(&log);
    unlink(path);
}

static void handle(int number) { (void)number; }

/* Signals 32 and 33 are the C library's own: nobody else can set them, and what posix_spawn starts ignores them (what
 * make starts, for one). */
TEST(signals_of_a_compiler_are_as_usual)
{
    static const unsigned long long OF_LIBC = 3ull << 31;
    const char *ignored;
    struct jit_object o;
    struct sp_text log = {0};
    char path[4300];
    fresh();
    write_program("signalcc",
                  "#!/bin/sh\nwhile read -r what mask; do case $what in SigBlk:|SigIgn:) echo $what $mask; esac; done"
                  " < /proc/self/status\nexit 1\n",
                  path, sizeof path);
    setenv("XETILE_CC", path, 1);
    signal(SIGHUP, SIG_DFL); /* ignored under nohup, and then rightly by compilers, too */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGUSR1, handle);
    CHECK(!compile(1, NULL, &o, &log));
    CHECK_HAS(log.data, "SigBlk: 0000000000000000\nSigIgn: ");
    ignored = log.data ? strstr(log.data, "SigIgn: ") : NULL;
    CHECK(ignored && (strtoull(ignored + strlen("SigIgn: "), NULL, 16) & ~OF_LIBC) == 0);
    sp_text_free(&log);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGUSR1, SIG_DFL);
    unlink(path);
}

TEST(a_compiler_that_makes_nothing)
{
    struct jit_object o;
    struct sp_text log = {0};
    fresh();
    setenv("XETILE_CC", "/bin/true", 1);
    CHECK(!compile(1, NULL, &o, &log));
    CHECK_HAS(log.data, "no object");
    sp_text_free(&log);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A fresh folder, where the compiler is this script, at `path`. */
static void fresh_with(const char *script, char *path, size_t size)
{
    fresh();
    write_program("owncc", script, path, size);
    setenv("XETILE_CC", path, 1);
}

/* Compiles, and checks that the kernel gives `value`. */
static void compiles(int value)
{
    struct jit_object o;
    struct sp_text log = {0};
    CHECK_MSG(compile(value, NULL, &o, &log), "%s", log.data ? log.data : "");
    if (o.module) CHECK_INT(call(&o), value);
    jit_unload(&o);
    sp_text_free(&log);
}

/* A compilation fails, and its log has these words. */
static void fails_with(const char *words)
{
    struct jit_object o;
    struct sp_text log = {0};
    CHECK(!compile(1, NULL, &o, &log));
    CHECK_HAS(log.data, words);
    jit_unload(&o);
    sp_text_free(&log);
}

/* ---- what the host does */

static void reap(int number)
{
    const int error = errno;
    (void)number;
    while (waitpid(-1, NULL, WNOHANG) > 0) continue;
    errno = error;
}

/* Its status is lost, but not what it says. */
TEST(the_host_ignores_or_reaps_children)
{
    char path[1100];
    for (int k = 0; k < 2; k++) {
        fresh_with("#!/bin/sh\necho it needs more time\nexit 3\n", path, sizeof path);
        signal(SIGCHLD, k ? reap : SIG_IGN);
        fails_with("it needs more time");
        unlink(path);
        fresh();
        compiles(77 + k);
        signal(SIGCHLD, SIG_DFL);
    }
}

TEST(no_search_path)
{
    char *path = strdup(getenv("PATH") ? getenv("PATH") : ""), cc[256] = "";
    fresh();
    unsetenv("PATH");
    if (access("/usr/bin/cc", X_OK) == 0) compiles(5);
    setenv("PATH", "", 1);
    if (access("/usr/bin/cc", X_OK) == 0) compiles(6);
    setenv("PATH", "/nowhere", 1); /* the assembler is found beside the compiler */
    snprintf(cc, sizeof cc, "/usr/bin/gcc");
    setenv("XETILE_CC", cc, 1);
    if (access(cc, X_OK) == 0) compiles(7);
    setenv("PATH", path, 1);
    free(path);
}

/* Limits the size of files in a child; SIGXFSZ would end it. */
static int status_with_files_of(rlim_t bytes, void (*body)(void))
{
    int status = -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, RLIM_INFINITY});
        body();
        _exit(test_.failures_here != 0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return status;
}

static void compile_and_store(void)
{
    struct jit_object o;
    struct jit_key k = key_of(3);
    CHECK(compile(9, &k, &o, NULL));
    jit_unload(&o);
    CHECK(jit_cache_find(&k, &o));
    jit_unload(&o);
}

static void compile_in_vain(void)
{
    sigset_t mask, pending;
    fails_with("k.c cannot be written: File too large");
    CHECK(sigpending(&pending) == 0 && !sigismember(&pending, SIGXFSZ));
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    CHECK(!sigismember(&mask, SIGXFSZ));
}

static void let_the_compiler_fail(void) { fails_with("files may have 65536 bytes in this process (RLIMIT_FSIZE)"); }

static void size_a_file(void)
{
    int fd = memfd_create("test", MFD_CLOEXEC);
    CHECK(jit_set_size(fd, 4096));
    CHECK(!jit_set_size(fd, 1 << 20) && errno == EFBIG);
    close(fd);
}

TEST(a_limit_on_file_sizes)
{
    char path[1100];
    fresh();
    CHECK_INT(status_with_files_of(1 << 20, compile_and_store), 0);
    fresh();
    CHECK_INT(status_with_files_of(100, compile_in_vain), 0);
    CHECK_INT(status_with_files_of(4096, size_a_file), 0);
    fresh_with("#!/bin/sh\ndd if=/dev/zero of=k.so bs=1024 count=100 2>/dev/null || exec sh -c 'echo File size limit; "
               "exit 1'\n",
               path, sizeof path);
    CHECK_INT(status_with_files_of(65536, let_the_compiler_fail), 0);
    unlink(path);
}

static void *compile_slowly(void *key)
{
    struct jit_object o;
    struct jit_descriptor lock;
    struct jit_key k = key_of(*(int *)key);
    CHECK(jit_cache_lock(&k, &lock));
    CHECK(compile(11, &k, &o, NULL));
    jit_cache_unlock(&lock);
    jit_unload(&o);
    return NULL;
}

/* How many of the process's descriptors are of the file of locks. */
static int locks_of(pid_t pid)
{
    int count = 0;
    for (int fd = 0; fd < 64; fd++) {
        char link[64], to[1200] = "";
        snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)pid, fd);
        if (readlink(link, to, sizeof to - 1) > 0 && strstr(to, cache) && strstr(to, "/locks")) count++;
    }
    return count;
}

/* The child does not keep the lock. */
TEST(a_fork_during_a_compilation)
{
    int key = 21;
    char path[1100];
    pthread_t thread;
    struct jit_descriptor lock;
    struct jit_key k = key_of(key);
    fresh_with("#!/bin/sh\nsleep 1\nexec cc \"$@\"\n", path, sizeof path);
    setenv("XETILE_SOFT_TIME_LIMIT", "6", 1);
    CHECK_INT(pthread_create(&thread, NULL, compile_slowly, &key), 0);
    usleep(400000);
    CHECK_INT(locks_of(getpid()), 1);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pause();
        _exit(0);
    }
    for (int tries = 0; tries < 500 && locks_of(child); tries++) usleep(10000);
    CHECK_INT(locks_of(child), 0);
    pthread_join(thread, NULL);
    double began = seconds();
    CHECK(jit_cache_lock(&k, &lock));
    CHECK(seconds() - began < 2); /* not the 24 seconds that a compilation may take */
    jit_cache_unlock(&lock);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    unlink(path);
}

/* The lock goes with the process that has it, even if a child of it lives on. */
TEST(a_process_dies_that_has_forked)
{
    struct jit_descriptor lock;
    struct jit_key k = key_of(22);
    int ready[2], status;
    pid_t grandchild = 0;
    fresh();
    CHECK_INT(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        if (!jit_cache_lock(&k, &lock)) _exit(1);
        grandchild = fork();
        if (grandchild == 0) {
            alarm(60);
            pause();
            _exit(0);
        }
        if (write(ready[1], &grandchild, sizeof grandchild) < 0) _exit(1);
        pause();
    }
    CHECK(read(ready[0], &grandchild, sizeof grandchild) == sizeof grandchild);
    kill(child, SIGKILL);
    CHECK(waitpid(child, &status, 0) == child);
    double began = seconds();
    CHECK(jit_cache_lock(&k, &lock));
    CHECK(seconds() - began < 2);
    jit_cache_unlock(&lock);
    if (grandchild > 0) kill(grandchild, SIGKILL);
    close(ready[0]);
    close(ready[1]);
}

/* ---- what a compiler leaves */

/* Is there a process with this number that is not a zombie? */
static bool is_running(pid_t pid)
{
    char path[64], line[256] = "", *name;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    if (!f) return false;
    name = fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
    fclose(f);
    return name && name[2] != 'Z' && name[2] != 'X';
}

/* Waits for `count` numbers of processes in a file that a script writes; 0: there are none. */
static int read_pids(const char *path, int *pids, int count)
{
    for (int tries = 0, have = 0; tries < 500; tries++, have = 0) {
        FILE *f = fopen(path, "r");
        while (f && have < count && fscanf(f, "%d", &pids[have]) == 1) have++;
        if (f) fclose(f);
        if (have == count) return have;
        usleep(10000);
    }
    return 0;
}

static bool ends_soon(pid_t pid)
{
    for (int tries = 0; tries < 500 && is_running(pid); tries++) usleep(10000);
    return !is_running(pid);
}

TEST(a_compiler_leaves_a_process)
{
    char path[1100], script[2400], list[1100];
    int pid = 0;
    snprintf(list, sizeof list, "%s/pids", base);
    snprintf(script, sizeof script, "#!/bin/sh\nsleep 40 &\necho $! > %s\nexec cc \"$@\"\n", list);
    fresh_with(script, path, sizeof path);
    double began = seconds();
    compiles(31);
    CHECK(seconds() - began < 20);
    CHECK_INT(read_pids(list, &pid, 1), 1);
    CHECK(pid > 0 && ends_soon(pid));
    unlink(path);
    unlink(list);
    fresh_with("#!/bin/sh\nyes &\nexec cc \"$@\"\n", path, sizeof path); /* or one that never falls silent */
    began = seconds();
    compiles(32);
    CHECK(seconds() - began < 20);
    unlink(path);
}

/* Compilers, and what they have started, end with the process, even if it is killed. */
TEST(the_process_is_killed)
{
    char path[1100], script[2400], list[1100];
    int pids[2] = {0, 0}, status;
    snprintf(list, sizeof list, "%s/pids", base);
    snprintf(script, sizeof script, "#!/bin/sh\nsleep 50 &\necho $$ $! > %s\nwait\n", list);
    fresh_with(script, path, sizeof path);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct jit_object o;
        _exit(compile(1, NULL, &o, NULL));
    }
    CHECK_INT(read_pids(list, pids, 2), 2);
    CHECK(is_running(pids[0]) && is_running(pids[1]));
    kill(child, SIGKILL);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(pids[0] > 0 && ends_soon(pids[0]));
    CHECK(pids[1] > 0 && ends_soon(pids[1]));
    unlink(path);
    unlink(list);
}

/* Reading a FIFO that nobody writes would take for ever. */
TEST(fifos_in_place_of_files)
{
    char path[1100];
    struct jit_object o;
    struct jit_key k = key_of(23);
    DIR *d;
    fresh();
    CHECK(compile(41, &k, &o, NULL));
    jit_unload(&o);
    d = opendir(cache);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (strstr(e->d_name, ".xso")) {
            CHECK(unlinkat(dirfd(d), e->d_name, 0) == 0 && mkfifoat(dirfd(d), e->d_name, 0600) == 0);
            break;
        }
    if (d) closedir(d);
    alarm(60);
    CHECK(!jit_cache_find(&k, &o));
    CHECK(compile(42, &k, &o, NULL)); /* takes the FIFO's place */
    jit_unload(&o);
    CHECK(jit_cache_find(&k, &o));
    if (o.module) CHECK_INT(call(&o), 42);
    jit_unload(&o);
    fresh_with("#!/bin/sh\nmkfifo k.so\n", path, sizeof path);
    fails_with("it left no object");
    fresh_with("#!/bin/sh\ncc \"$@\" && rm -f k.so-k.su k.su && mkfifo k.so-k.su\n", path, sizeof path);
    compiles(43);
    alarm(0);
    unlink(path);
}

/* The dynamic loader would fault on it, and end the process. */
TEST(an_object_that_is_cut_short)
{
    static const char *const scripts[] = {"#!/bin/sh\ncc \"$@\" && truncate -s 4096 k.so\n",
                                          "#!/bin/sh\ncc \"$@\" && truncate -s -1 k.so\n",
                                          ("#!/bin/sh\ncc \"$@\" && s=$(stat -c %s k.so) && truncate -s 8192 k.so && "
                                           "truncate -s $s k.so\n"),
                                          "#!/bin/sh\ntruncate -s 20000 k.so\n"};
    static const char *const whys[] = {"it is cut off", "it is cut off", "unsound object: ", "it is not an ELF file"};
    char path[1100];
    struct jit_object o, cut;
    fresh();
    CHECK(compile(51, NULL, &o, NULL));
    if (o.image) {
        size_t size;
        const uint8_t *so = jit_shared_object(&o, &size);
        const Elf64_Ehdr *head = (const void *)so;
        size_t whole = head->e_shoff + (size_t)head->e_shnum * head->e_shentsize; /* the compiler's report follows */
        CHECK(whole > 4096 && whole <= size);
        for (size_t n = 0; n < whole; n += 1 + (size_t)(test_random() % 200))
            CHECK_MSG(!jit_open_object(so, n, &cut, NULL), "%zu of %zu bytes were loaded", n, whole);
    }
    jit_unload(&o);
    for (size_t k = 0; k < sizeof scripts / sizeof *scripts; k++) {
        fresh_with(scripts[k], path, sizeof path);
        fails_with(whys[k]);
        unlink(path);
    }
}

static void spoil(const struct jit_object *o, size_t at, uint64_t value, size_t bytes, const char *why)
{
    size_t size;
    const uint8_t *so = jit_shared_object(o, &size);
    struct jit_object opened;
    struct sp_text log = {0};
    uint8_t *copy = malloc(size);
    memcpy(copy, so, size);
    memcpy(copy + at, &value, bytes);
    CHECK(!jit_open_object(copy, size, &opened, &log));
    CHECK_HAS(log.data, why);
    sp_text_free(&log);
    free(copy);
}

#define SPOIL(type, at, field, value, why)                                                                             \
    spoil(&o, (at) + offsetof(type, field), (value), sizeof ((type *)0)->field, (why))

TEST(objects_with_wrong_headers)
{
    struct jit_object o;
    size_t size;
    fresh();
    CHECK(compile(61, NULL, &o, NULL));
    if (!o.image) return;
    const Elf64_Ehdr *head = jit_shared_object(&o, &size);
    const size_t first = head->e_phoff; /* a segment to be loaded */
    CHECK(((const Elf64_Phdr *)(const void *)((const uint8_t *)head + first))->p_type == PT_LOAD);
    SPOIL(Elf64_Ehdr, 0, e_type, ET_EXEC, "not a shared object");
    SPOIL(Elf64_Ehdr, 0, e_machine, EM_VAX, "another kind of CPU");
    SPOIL(Elf64_Ehdr, 0, e_phnum, 0, "no segments");
    SPOIL(Elf64_Ehdr, 0, e_phnum, 0xffff, "cut off");
    SPOIL(Elf64_Ehdr, 0, e_phentsize, 8, "no segments");
    SPOIL(Elf64_Ehdr, 0, e_phoff, UINT64_MAX - 8, "cut off");
    SPOIL(Elf64_Ehdr, 0, e_shoff, size, "cut off");
    SPOIL(Elf64_Phdr, first, p_offset, size, "cut off");
    SPOIL(Elf64_Phdr, first, p_filesz, UINT64_MAX, "cut off");
    SPOIL(Elf64_Phdr, first, p_memsz, 1, "malformed");
    SPOIL(Elf64_Phdr, first, p_memsz, UINT64_MAX, "malformed");
    SPOIL(Elf64_Phdr, first, p_align, 12288, "malformed");
    SPOIL(Elf64_Phdr, first, p_vaddr, 1, "malformed");
    jit_unload(&o);
}

int main(void)
{
    if (!begin("test-soft-compilers")) return 1;
    RUN(a_slow_compiler_is_stopped);
    RUN(who_waits_at_a_terminal_is_told);
    RUN(a_compiler_that_computes_for_too_long_is_stopped);
    RUN(a_compiler_is_confined);
    RUN(a_compiler_that_wants_too_much_memory);
    RUN(a_compiler_that_cannot_be_run);
    RUN(signals_of_a_compiler_are_as_usual);
    RUN(a_compiler_that_makes_nothing);
    RUN(the_host_ignores_or_reaps_children);
    RUN(no_search_path);
    RUN(a_limit_on_file_sizes);
    RUN(a_fork_during_a_compilation);
    RUN(a_process_dies_that_has_forked);
    RUN(a_compiler_leaves_a_process);
    RUN(the_process_is_killed);
    RUN(fifos_in_place_of_files);
    RUN(an_object_that_is_cut_short);
    RUN(objects_with_wrong_headers);
    remove_tree(base);
    return test_report();
}
