/* blas_held.h - OpenBLAS limited to an older instruction set. It chooses when loaded ($OPENBLAS_CORETYPE), so it runs
 * in a child process: this program again, which multiplies on request and reports the time. */
#ifndef XETILE_BENCH_BLAS_HELD_H
#define XETILE_BENCH_BLAS_HELD_H

#include "bench.h"
#include "blas.h"

#include <stdbool.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    pid_t pid; /* 0: no process */
    FILE *ask, *answer;
    char core[64]; /* OpenBLAS's name */
} held_blas;

/* The argument that makes this program such a child, which only calls held_blas_serve(n). */
static const char held_blas_argument[] = "--held-sgemm";

static inline int held_blas_serve(int n)
{
    void *blas = dlopen("libopenblas.so.0", RTLD_NOW);
    const char *(*core)(void) = NULL;
    sgemm_fn *sgemm = find_sgemm("this process");
    size_t count = (size_t)n * (size_t)n;
    float *all = (float *)malloc(3 * count * sizeof *all);
    if (blas) *(void **)&core = dlsym(blas, "openblas_get_corename");
    if (!sgemm || !core || !all) return 1;
    for (size_t i = 0; i < 2 * count; i++) all[i] = (float)((i * 2654435761u >> 8 & 0xffff) / 65536.0 - 0.5);
    printf("%s\n", core());
    fflush(stdout);
    while (getchar() != EOF) {
        double start = bench_now();
        sgemm(BLAS_ROWS, BLAS_PLAIN, BLAS_PLAIN, n, n, n, 1, all, n, all + count, n, 0, all + 2 * count, n);
        printf("%.9f\n", bench_now() - start);
        fflush(stdout);
    }
    free(all);
    return 0;
}

static inline void held_blas_stop(held_blas *b)
{
    if (b->ask) fclose(b->ask);
    if (b->answer) fclose(b->answer);
    if (b->pid > 0) waitpid(b->pid, NULL, 0);
    memset(b, 0, sizeof *b);
}

/* False if OpenBLAS has no such core or ignores the choice. */
static inline bool held_blas_start(held_blas *b, const char *core, int n)
{
    int to[2], from[2];
    char size[16];
    memset(b, 0, sizeof *b);
    snprintf(size, sizeof size, "%d", n);
    if (pipe(to)) return false;
    if (pipe(from)) return close(to[0]), close(to[1]), false;
    b->pid = fork();
    if (b->pid == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        close(to[1]);
        close(from[0]);
        setenv("OPENBLAS_CORETYPE", core, 1);
        execl("/proc/self/exe", "sgemm", held_blas_argument, size, (char *)NULL);
        _exit(1);
    }
    close(to[0]);
    close(from[1]);
    b->ask = fdopen(to[1], "w");
    b->answer = fdopen(from[0], "r");
    if (b->pid > 0 && b->ask && b->answer && fscanf(b->answer, "%63s", b->core) == 1 && !strcmp(b->core, core))
        return true;
    held_blas_stop(b);
    return false;
}

/* Seconds of one product; negative if the child failed. */
static inline double held_blas_time(held_blas *b)
{
    double t = -1;
    if (fputc('\n', b->ask) == EOF || fflush(b->ask) || fscanf(b->answer, "%lf", &t) != 1) return -1;
    return t;
}

#endif
