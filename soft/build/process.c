/* process.c - runs a program, the C compiler: without a shell, in its own process group, with limits that apply from
 * its first instruction and are inherited by its children, collecting its output until it ends.
 *
 * posix_spawn cannot set limits, and setting those of a running process is too late for what it has started. So the
 * child sets them itself, between vfork and execve, by calls that are safe there.
 *
 * The group is on a leash: all of it inherits the reading end of a pipe into which nothing is written. When the writing
 * end is closed, even because this process was killed, the system kills the group (fcntl's F_SETOWN and F_SETSIG).
 */
#define _GNU_SOURCE
#include "jit.h"

#include "spirv/host_state.h"

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
    char *tmpdir, *path;
    const char *folder; /* to run in; NULL: the host's */
    int output, leash;
    struct rlimit time, memory;
    volatile int *error; /* why it could not be started; in shared memory, as sanitizers turn vfork into fork */
};

static bool is_replaced(const char *entry)
{
    return !strncmp(entry, "TMPDIR=", 7) || !strncmp(entry, "LC_ALL=", 7) || !strncmp(entry, "PATH=", 5);
}

/* The environment with TMPDIR replaced, so that a killed compiler's files go with the private directory, messages in
 * English, and a PATH, in which compilers look for assemblers and linkers: it may not be set, or lack the program's own
 * folder. */
static bool make_environment(struct child *c, const char *directory)
{
    static char english[] = "LC_ALL=C";
    size_t n = 0, k, to = 0;
    const char *slash = strrchr(c->argv[0], '/');
    while (environ && environ[n]) n++;
    c->tmpdir = jit_text("TMPDIR=%s", directory);
    c->path = jit_text("PATH=%s:%.*s", jit_search_path(), slash ? (int)(slash - c->argv[0]) : 0, c->argv[0]);
    c->environment = malloc((n + 4) * sizeof *c->environment);
    if (!c->tmpdir || !c->path || !c->environment) return false;
    for (k = 0; k < n; k++)
        if (!is_replaced(environ[k])) c->environment[to++] = environ[k];
    c->environment[to++] = c->tmpdir;
    c->environment[to++] = c->path;
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
    fcntl(c->leash, F_SETFD, 0);
    fcntl(c->leash, F_SETOWN, -getpid());
    fcntl(c->leash, F_SETSIG, SIGKILL);
    fcntl(c->leash, F_SETFL, O_ASYNC);
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

enum { SLICE_MS = 50, LAST_READS = 64 /* more than a pipe holds */ };

/* Has the program ended? Its status can still be waited for, unless it is lost. */
static bool has_ended(pid_t pid)
{
    siginfo_t about = {.si_pid = 0};
    return waitid(P_PID, (id_t)pid, &about, WEXITED | WNOHANG | WNOWAIT) == 0 ? about.si_pid == pid : errno != EINTR;
}

/* Reads what there is; false at the end of the pipe. */
static bool read_some(int from, struct sp_text *said)
{
    char buffer[2048];
    ssize_t n = read(from, buffer, sizeof buffer);
    if (n > 0 && said && said->size < MAX_MESSAGES) sp_text_add(said, "%.*s", (int)n, buffer);
    return n > 0 || (n < 0 && errno == EINTR);
}

static bool is_readable(int from, double seconds)
{
    struct pollfd p = {from, POLLIN, 0};
    return poll(&p, 1, seconds * 1000 > SLICE_MS ? SLICE_MS : (int)(seconds * 1000) + 1) > 0;
}

/* Reads the program's output until it has ended, or the pipe, of which something that it started may keep a copy. False
 * on timeout. */
static bool collect(int from, pid_t pid, double until, const char *what, struct sp_text *said)
{
    const double patient = now() + PATIENCE_SECONDS;
    bool watched = is_watched(what);
    for (;;) {
        const double left = until - now();
        if (left <= 0) return false;
        if (watched && patient < now()) {
            tell_watcher(what);
            watched = false;
        }
        if (is_readable(from, left) && !read_some(from, said)) return true;
        if (has_ended(pid)) {
            for (int n = 0; n < LAST_READS && is_readable(from, 0) && read_some(from, said);) n++;
            return true;
        }
    }
}

/* How a program ended. */
struct end {
    int status;   /* -1: not in time; JIT_UNKNOWN */
    int signal;   /* that ended it, or 0 */
    bool used_up; /* its processor time */
};

/* Did it use up `seconds` of processor time? The kernel, which stops it, counts in ticks, not exactly. */
static bool has_used(const struct rusage *used, double seconds)
{
    return (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
               (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) * 1e-6 >=
           seconds;
}

/* If the host ignores SIGCHLD, or waits for every child itself, the status is lost. */
static struct end wait_until(pid_t pid, double until, double seconds)
{
    struct timespec pause = {0, 200000};
    struct rusage used;
    int status = 0;
    for (;;) {
        pid_t got = wait4(pid, &status, WNOHANG, &used);
        if (got == pid) {
            const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
            return (struct end){WIFEXITED(status) ? WEXITSTATUS(status) : 128 + signal, signal,
                                signal == SIGXCPU || has_used(&used, seconds)};
        }
        if (got < 0 && errno != EINTR) return (struct end){.status = JIT_UNKNOWN};
        if (now() > until) return (struct end){.status = -1};
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 10000000) pause.tv_nsec *= 2;
    }
}

static int finish(const struct child *c, pid_t pid, int from, struct jit_limits limits, struct sp_text *said,
                  struct sp_text *log)
{
    const double seconds = limits.seconds;
    const double until = now() + JIT_CROWDED * seconds;
    struct end end = {.status = -1};
    int ignored;
    if (collect(from, pid, until, limits.what, said)) end = wait_until(pid, until, seconds);
    if (end.status < 0) {
        kill(-pid, SIGKILL); /* and all its children */
        while (waitpid(pid, &ignored, 0) < 0 && errno == EINTR) continue;
        sp_text_add(log, "compiler: %s was stopped after %s seconds, %d times XETILE_SOFT_TIME_LIMIT\n", c->argv[0],
                    sp_real_text(JIT_CROWDED * seconds).s, JIT_CROWDED);
    } else if (*c->error) {
        sp_text_add(log, "compiler: %s cannot be started: %s\n", c->argv[0], strerror(*c->error));
        end.status = -1;
    } else if (end.status > 0 && end.used_up) {
        sp_text_add(log, "compiler: %s used up %s seconds of processor time (XETILE_SOFT_TIME_LIMIT)\n", c->argv[0],
                    sp_real_text(seconds).s);
    } else if (end.signal) {
        sp_text_add(log, "compiler: %s was ended by signal %d (%s)\n", c->argv[0], end.signal, strsignal(end.signal));
    }
    return end.status;
}

/* Opens a pipe whose descriptors are not among the three that the child sets. */
static bool open_pipe(int ends[2])
{
    int i;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        ends[0] = ends[1] = -1;
        return false;
    }
    for (i = 0; i < 2; i++) {
        int low = ends[i];
        if (low > 2) continue;
        ends[i] = fcntl(low, F_DUPFD_CLOEXEC, 3);
        close(low);
    }
    return ends[0] >= 0 && ends[1] >= 0;
}

/* Starts the program, and closes its ends of the pipes; -1: errno says why not. */
static pid_t start_with_pipes(struct child *c, struct jit_descriptor *output, struct jit_descriptor *leash)
{
    int out[2], held[2] = {-1, -1}, error;
    pid_t pid = -1;
    jit_descriptors_begin();
    if (open_pipe(out) && open_pipe(held)) {
        c->output = out[1];
        c->leash = held[0];
        pid = start(c);
    }
    error = errno;
    if (out[1] >= 0) close(out[1]);
    if (held[0] >= 0) close(held[0]);
    jit_descriptor_add(output, out[0]);
    jit_descriptor_add(leash, held[1]);
    jit_descriptors_end();
    errno = error;
    return pid;
}

int jit_run(char *const *argv, const char *directory, struct jit_limits limits, struct sp_text *said,
            struct sp_text *log)
{
    struct child c = {.argv = argv, .output = -1, .folder = limits.inside ? directory : NULL};
    struct jit_descriptor output = {.fd = -1}, leash = {.fd = -1};
    void *shared = mmap(NULL, sizeof *c.error, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = -1;
    pid_t pid = -1;
    c.time = at_most(RLIMIT_CPU, limits.seconds + 1, 1);
    c.memory = at_most(RLIMIT_AS, limits.mebibytes * 1024 * 1024, 0);
    if (shared != MAP_FAILED && make_environment(&c, directory)) {
        c.error = shared;
        pid = start_with_pipes(&c, &output, &leash);
    }
    if (pid < 0) sp_text_add(log, "compiler: %s cannot be started: %s\n", argv[0], strerror(errno));
    if (pid >= 0) status = finish(&c, pid, output.fd, limits, said, log);
    jit_descriptor_close(&output);
    jit_descriptor_close(&leash);
    free(c.environment);
    free(c.tmpdir);
    free(c.path);
    if (shared != MAP_FAILED) munmap(shared, sizeof *c.error);
    return status;
}
