/* process.c - runs a program, the C compiler: without a shell, in its own process group, with limits that apply from
 * its first instruction and are inherited by its children, collecting its output until it ends.
 *
 * posix_spawn cannot set limits, and setting those of a running process is too late for what it has started. So the
 * child sets them itself, between vfork and execve, by calls that are safe there.
 */
#define _GNU_SOURCE
#include "jit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { MAX_MESSAGES = 16384, PATIENCE_SECONDS = 2 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- the child */

struct child {
    char *const *argv;
    char **environment;
    char *tmpdir;
    const char *folder; /* to run in; NULL: the host's */
    int output;
    struct rlimit time, memory;
    volatile int *error; /* why it could not be started; in shared memory, as sanitizers turn vfork into fork */
};

/* The environment with TMPDIR replaced, so that a killed compiler's files go with the private directory, and messages
 * in English. */
static bool make_environment(struct child *c, const char *directory)
{
    static char english[] = "LC_ALL=C";
    size_t n = 0, k, to = 0, bytes = strlen(directory) + sizeof "TMPDIR=";
    while (environ && environ[n]) n++;
    c->tmpdir = malloc(bytes);
    c->environment = malloc((n + 3) * sizeof *c->environment);
    if (!c->tmpdir || !c->environment) return false;
    snprintf(c->tmpdir, bytes, "TMPDIR=%s", directory);
    for (k = 0; k < n; k++)
        if (strncmp(environ[k], "TMPDIR=", 7) != 0 && strncmp(environ[k], "LC_ALL=", 7) != 0)
            c->environment[to++] = environ[k];
    c->environment[to++] = c->tmpdir;
    c->environment[to++] = english;
    c->environment[to] = NULL;
    return true;
}

/* `wanted`, and `grace` more for who ignores the signal, but at most the host's own limit. */
static struct rlimit at_most(int resource, double wanted, double grace)
{
    struct rlimit own;
    rlim_t most = wanted + grace < (double)RLIM_INFINITY ? (rlim_t)(wanted + grace) : RLIM_INFINITY;
    if (getrlimit(resource, &own) == 0 && own.rlim_max < most) most = own.rlim_max;
    own.rlim_max = most;
    own.rlim_cur = wanted < (double)most ? (rlim_t)wanted : most;
    return own;
}

/* Resets the host's signal handlers before unblocking signals: they would run in the host's memory. */
static void reset_signals(void)
{
    struct sigaction standard, now_set;
    sigset_t none;
    int s;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    for (s = 1; s < NSIG; s++) {
        bool usual = s == SIGPIPE || s == SIGCHLD || s == SIGINT || s == SIGTERM;
        if (sigaction(s, NULL, &now_set) == 0 && (usual || now_set.sa_handler != SIG_IGN))
            sigaction(s, &standard, NULL);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn __attribute__((noinline)) void run_child(const struct child *c)
{
    int nothing = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    if (nothing > 0) dup2(nothing, 0);
    if (nothing > 2) close(nothing);
    dup2(c->output, 1);
    dup2(c->output, 2);
    if ((!c->folder || chdir(c->folder) == 0) && setrlimit(RLIMIT_CPU, &c->time) == 0 &&
        setrlimit(RLIMIT_AS, &c->memory) == 0) {
        reset_signals();
        execve(c->argv[0], c->argv, c->environment);
    }
    *c->error = errno;
    _exit(127);
}

static __attribute__((noinline)) pid_t start(const struct child *c)
{
    sigset_t all, before;
    pid_t pid;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid = vfork();
    if (pid == 0) run_child(c);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pid;
}

/* ---- its end */

/* Should a long compilation be announced, on a terminal? */
static bool is_watched(const char *what)
{
    const char *quiet = jit_setting("XETILE_SOFT_QUIET");
    return what && (!quiet || strcmp(quiet, "1") != 0) && isatty(STDERR_FILENO);
}

static void tell_watcher(const char *what)
{
    time_t since = time(NULL) - PATIENCE_SECONDS;
    struct tm local;
    char clock[16] = "";
    if (localtime_r(&since, &local)) strftime(clock, sizeof clock, "%H:%M:%S", &local);
    fprintf(stderr, "xetile software device: compiling %s since %s\n", what, clock);
}

/* Reads the pipe to its end; false on timeout. */
static bool collect(int from, double until, const char *what, struct sp_text *said)
{
    char buffer[4096];
    double patient = now() + PATIENCE_SECONDS;
    bool watched = is_watched(what);
    for (;;) {
        struct pollfd p = {from, POLLIN, 0};
        double left = (watched && patient < until ? patient : until) - now();
        ssize_t n;
        if (left <= 0 && watched && patient < until) {
            tell_watcher(what);
            watched = false;
            continue;
        }
        if (left <= 0) return false;
        if (poll(&p, 1, left > 3600 ? 3600000 : (int)(left * 1000) + 1) < 0 && errno != EINTR) return false;
        if (!p.revents) continue;
        n = read(from, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return true;
        if (said && said->size < MAX_MESSAGES) sp_text_add(said, "%.*s", (int)n, buffer);
    }
}

/* Waits for the end; -1 on timeout. If the host ignores SIGCHLD there is no exit status: returns 0, and the output
 * decides. Did it use up `seconds` of processor time? The kernel, which stops it, counts in ticks, not exactly. */
static int wait_until(pid_t pid, double until, double seconds, bool *used_up)
{
    struct timespec pause = {0, 200000};
    struct rusage used;
    int status = 0;
    for (;;) {
        pid_t got = wait4(pid, &status, WNOHANG, &used);
        if (got == pid) {
            *used_up = (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) ||
                       (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                               (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6 >=
                           seconds;
            return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
        }
        if (got < 0 && errno != EINTR) return 0;
        if (now() > until) return -1;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 10000000) pause.tv_nsec *= 2;
    }
}

/* Opens a pipe whose descriptors are not among the three that the child sets. */
static bool open_pipe(int ends[2])
{
    int i;
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    for (i = 0; i < 2; i++) {
        int low = ends[i];
        if (low > 2) continue;
        ends[i] = fcntl(low, F_DUPFD_CLOEXEC, 3);
        close(low);
    }
    if (ends[0] >= 0 && ends[1] >= 0) return true;
    if (ends[0] >= 0) close(ends[0]);
    if (ends[1] >= 0) close(ends[1]);
    return false;
}

static int finish(const struct child *c, pid_t pid, int from, struct jit_limits limits, struct sp_text *said,
                  struct sp_text *log)
{
    const double seconds = limits.seconds;
    const double until = now() + JIT_CROWDED * seconds;
    bool used_up = false;
    int status = collect(from, until, limits.what, said) ? wait_until(pid, until, seconds, &used_up) : -1, ignored;
    if (status < 0) {
        kill(-pid, SIGKILL); /* and all its children */
        while (waitpid(pid, &ignored, 0) < 0 && errno == EINTR) continue;
        sp_text_add(log, "compiler: %s was stopped after %g seconds, %d times XETILE_SOFT_TIME_LIMIT\n", c->argv[0],
                    JIT_CROWDED * seconds, JIT_CROWDED);
    } else if (*c->error) {
        sp_text_add(log, "compiler: %s cannot be started: %s\n", c->argv[0], strerror(*c->error));
        status = -1;
    } else if (status > 0 && used_up) {
        sp_text_add(log, "compiler: %s used up %g seconds of processor time (XETILE_SOFT_TIME_LIMIT)\n", c->argv[0],
                    seconds);
    }
    return status;
}

int jit_run(char *const *argv, const char *directory, struct jit_limits limits, struct sp_text *said,
            struct sp_text *log)
{
    struct child c = {.argv = argv, .output = -1, .folder = limits.inside ? directory : NULL};
    int ends[2] = {-1, -1}, status = -1;
    void *shared = mmap(NULL, sizeof *c.error, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t pid = -1;
    c.time = at_most(RLIMIT_CPU, limits.seconds + 1, 1);
    c.memory = at_most(RLIMIT_AS, limits.mebibytes * 1024 * 1024, 0);
    if (shared != MAP_FAILED && make_environment(&c, directory) && open_pipe(ends)) {
        c.error = shared;
        c.output = ends[1];
        pid = start(&c);
    }
    if (pid < 0) sp_text_add(log, "compiler: %s cannot be started: %s\n", argv[0], strerror(errno));
    if (ends[1] >= 0) close(ends[1]);
    if (pid >= 0) status = finish(&c, pid, ends[0], limits, said, log);
    if (ends[0] >= 0) close(ends[0]);
    free(c.environment);
    free(c.tmpdir);
    if (shared != MAP_FAILED) munmap(shared, sizeof *c.error);
    return status;
}
