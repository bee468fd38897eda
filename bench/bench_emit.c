/* bench_emit.c - how long a kernel takes to become SPIR-V, and how often memory is asked for meanwhile. */
#define main gemm_main
#include "../examples/gemm.c"
#undef main
#include "bench.h"

/* The Makefile links this program with --wrap, so that every call of the allocator comes here first. */
static size_t allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);

void *__wrap_malloc(size_t size) { return allocations++, __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return allocations++, __real_calloc(count, size); }
void *__wrap_realloc(void *p, size_t size) { return allocations += size != 0, __real_realloc(p, size); }

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
