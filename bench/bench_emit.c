/* bench_emit.c - how long a kernel takes to become SPIR-V, and how often memory is asked for meanwhile. */
#include <stdlib.h>

static size_t allocations;

static void *count_malloc(size_t size) { return allocations++, malloc(size); }
static void *count_calloc(size_t n, size_t size) { return allocations++, calloc(n, size); }
static void *count_realloc(void *p, size_t size) { return allocations += size != 0, realloc(p, size); }
#define malloc(size) count_malloc(size)
#define calloc(n, size) count_calloc(n, size)
#define realloc(p, size) count_realloc(p, size)

#define main gemm_main
#include "../examples/gemm.c"
#undef main
#include "bench.h"

enum { RUNS = 301 };

/* The default module has two versions of the kernel, for pitches that qualify for 2D blocks and for any; the others one. */
static xt_module emit_gemm(int version)
{
    xt_target bmg = {.name = "bmg"};
    if (version == 1) return XT_BUILD(gemm_f16, &bmg, .pitch = XT_PITCH_ALIGNED);
    if (version == 2) return XT_BUILD(gemm_f16, &bmg, .pitch = XT_PITCH_ANY);
    return XT_BUILD(gemm_f16, &bmg);
}

static int measure(const char *name, int version)
{
    static double us[RUNS];
    char line[64];
    for (int i = 0; i < RUNS; i++) {
        double start = bench_now();
        xt_module mod;
        allocations = 0;
        mod = emit_gemm(version);
        us[i] = (bench_now() - start) * 1e6;
        if (!mod.words) return fail_build(&mod), 1;
        xt_free(&mod);
    }
    bench_line(name, bench_median(us, RUNS), "us");
    snprintf(line, sizeof line, "%s_allocations", name);
    bench_line(line, (double)allocations, "allocations");
    return 0;
}

int main(void)
{
    return measure("emit_gemm", 0) || measure("emit_gemm_aligned", 1) || measure("emit_gemm_any_pitch", 2);
}
