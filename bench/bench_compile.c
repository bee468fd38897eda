/* bench_compile.c - the cost of including the headers: gemm.c and hello.c compiled by gcc and clang at -O2 and -O0,
 * with the bodies and with declarations only. The peer is stb_image.h with its implementation, compiled alongside.
 * Measures the processor time of the compiler and its child processes; nothing is linked. */
#define _XOPEN_SOURCE 700
#include "bench.h"

#include <stdbool.h>
#include <sys/resource.h>

enum { RUNS = 5 };

static double seconds_of_children(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

/* Seconds to compile with these options, negative if the compiler fails. */
static double compile(const char *compiler, const char *options)
{
    char command[512];
    double before = seconds_of_children();
    snprintf(command, sizeof command, "exec %s -std=c11 -I. -c -o /dev/null %s", compiler, options);
    return system(command) == 0 ? seconds_of_children() - before : -1;
}

static double compile_example(const char *compiler, const char *level, const char *example, const char *use)
{
    char options[256];
    snprintf(options, sizeof options, "-%s %s examples/%s.c", level, use, example);
    return compile(compiler, options);
}

static double compile_peer(const char *compiler, const char *options)
{
    char all[256];
    snprintf(all, sizeof all, "%s -DSTB_IMAGE_IMPLEMENTATION -include stb/stb_image.h -x c /dev/null", options);
    return compile(compiler, all);
}

static void print_line(const char *compiler, const char *level, const char *example, const char *use, double *ours,
                       double peer)
{
    char name[128];
    snprintf(name, sizeof name, "compile_%s_%s%s%s", example, level, compiler, use);
    if (peer > 0) bench_peer_line(name, bench_median(ours, RUNS), "s", "stb_image", peer);
    else bench_line(name, bench_median(ours, RUNS), "s");
}

static bool measure(const char *compiler, const char *suffix, const char *level, const char *example, bool has_peer)
{
    double all[RUNS], declared[RUNS], peer[RUNS], middle;
    char option[8];
    snprintf(option, sizeof option, "-%s", level);
    for (int i = 0; i < RUNS; i++) {
        all[i] = compile_example(compiler, level, example, "");
        peer[i] = has_peer ? compile_peer(compiler, option) : 0;
        declared[i] = compile_example(compiler, level, example, "-DXETILE_DECLARATIONS");
        if (all[i] < 0 || declared[i] < 0) return printf("FAILED %s of examples/%s.c\n", compiler, example), false;
    }
    middle = bench_median(peer, RUNS);
    print_line(suffix, level, example, "", all, middle);
    print_line(suffix, level, example, "_declarations", declared, middle);
    return true;
}

static bool measure_compiler(const char *compiler, const char *suffix)
{
    char there[64];
    bool has_peer, ok = true;
    snprintf(there, sizeof there, "command -v %s >/dev/null 2>&1", compiler);
    if (system(there) != 0) return printf("%s is not installed: no compile times of it\n", compiler), true;
    has_peer = compile_peer(compiler, "-fsyntax-only 2>/dev/null") >= 0;
    if (!has_peer) printf("stb_image.h is not installed (make setup-optional): no peer for %s here\n", compiler);
    fflush(stdout);
    for (const char *const *level = (const char *const[]){"O2", "O0", NULL}; *level; level++)
        for (const char *const *example = (const char *const[]){"gemm", "hello", NULL}; *example; example++)
            ok = measure(compiler, suffix, *level, *example, has_peer) && ok;
    return ok;
}

int main(void)
{
    bool gcc = measure_compiler("gcc", ""), clang = measure_compiler("clang", "_clang");
    return !(gcc && clang);
}
