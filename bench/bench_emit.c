/* bench_emit.c - how long a kernel takes to become SPIR-V, and how often memory is asked for meanwhile; beside others
 * that make SPIR-V, where they are installed.
 */
#define main gemm_main
#include "../examples/gemm.c"
#undef main
#include "bench.h"
#include "emit_peers.h"

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

/* For bmg the module has two versions of the kernel, for pitches that qualify for 2D blocks and for any; or one of
 * them. For `generic` there is no matrix instruction: longer, and of instructions that every SPIRV-Tools knows.
 */
typedef enum { BOTH, ALIGNED, ANY_PITCH, GENERIC } version;

static xt_module emit_gemm(version v)
{
    xt_target target = {.name = v == GENERIC ? "generic" : "bmg"};
    if (v == ALIGNED) return XT_BUILD(gemm_f16, &target, .pitch = XT_PITCH_ALIGNED);
    if (v == ANY_PITCH) return XT_BUILD(gemm_f16, &target, .pitch = XT_PITCH_ANY);
    return XT_BUILD(gemm_f16, &target);
}

static double us[RUNS];

static double measure_peer(version v, const char **name)
{
    if (v == BOTH) return *name = "tinytc", measure_tinytc(us, RUNS / 3);
    if (v == GENERIC) {
        xt_module mod = emit_gemm(v);
        double peer = measure_assembler(mod.words, mod.size / 4, us, RUNS / 3);
        *name = "spirv_tools_assembler";
        xt_free(&mod);
        return peer;
    }
    return 0;
}

static bool measure(const char *name, version v)
{
    double ours, theirs;
    size_t asked = 0;
    char line[64];
    const char *peer = NULL;
    for (int i = 0; i < RUNS; i++) {
        double start = bench_now();
        xt_module mod;
        allocations = 0;
        mod = emit_gemm(v);
        us[i] = (bench_now() - start) * 1e6;
        asked = allocations;
        if (!mod.words) return fail_build(&mod);
        xt_free(&mod);
    }
    ours = bench_median(us, RUNS);
    theirs = measure_peer(v, &peer);
    if (theirs > 0) bench_peer_line(name, ours, "us", peer, theirs);
    else bench_line(name, ours, "us");
    snprintf(line, sizeof line, "%s_allocations", name);
    bench_line(line, (double)asked, "allocations");
    return true;
}

int main(void)
{
    return !(measure("emit_gemm", BOTH) && measure("emit_gemm_aligned", ALIGNED) &&
             measure("emit_gemm_any_pitch", ANY_PITCH) && measure("emit_gemm_generic", GENERIC));
}
