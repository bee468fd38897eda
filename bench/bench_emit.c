/* bench_emit.c - the cost of generating a kernel's SPIR-V with optimised bodies, as in a library, and the number of
 * allocations; against other generators of SPIR-V, if they are installed.
 */
#if defined(__OPTIMIZE__) /* otherwise it is only checked that it works, which the library is enough for */
#undef XETILE_DECLARATIONS
#endif
#define XETILE_OPTIMIZE
#include "meter.h"
#define main gemm_main
#include "../examples/gemm.c"
#undef main
#include "emit_peers.h"

/* The Makefile links this program with --wrap, so that every call to the allocator comes here first. */
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

/* For bmg the module has two versions of the kernel, for pitches that qualify for 2D blocks and for any pitch; or one
 * of them. `generic` has no matrix instructions: longer, and uses only instructions that every SPIRV-Tools supports.
 */
typedef enum { BOTH, ALIGNED, ANY_PITCH, GENERIC } version;

static xt_target target_of(version v) { return (xt_target){.name = v == GENERIC ? "generic" : "bmg"}; }

static xt_module emit_gemm(version v, xt_tiles *tiles)
{
    const xt_target target = target_of(v);
    const int size = tiles->subgroup_size, registers = tiles->registers;
    const xt_pitch pitch = v == ALIGNED ? XT_PITCH_ALIGNED : v == ANY_PITCH ? XT_PITCH_ANY : XT_PITCH_AUTO;
    return XT_BUILD(gemm_f16, &target, .subgroup_size = size, .registers = registers, .pitch = pitch, .user = tiles);
}

/* TinyTC's text makes the promises of ALIGNED, also for BOTH, which TinyTC has no equivalent for; for ANY_PITCH it
 * promises nothing. */
static emitted measure_peer(version v, xt_tiles *tiles)
{
    emitted e = {0};
    if (v != GENERIC) return measure_tinytc(v == ANY_PITCH ? tinytc_gemm_any : tinytc_gemm_aligned);
    xt_module mod = emit_gemm(v, tiles);
    e = measure_assembler(mod.words, mod.size / 4);
    xt_free(&mod);
    return e;
}

static void print_count(const char *name, const char *what, size_t ours, const char *peer, size_t theirs)
{
    char line[64];
    snprintf(line, sizeof line, "%s_%s", name, what);
    if (peer) bench_peer_line(line, (double)ours, what, peer, (double)theirs);
    else bench_line(line, (double)ours, what);
}

static bool measure(const char *name, version v)
{
    static meter m;
    const xt_target target = target_of(v);
    xt_tiles tiles = xt_tiles_for(&target, &(xt_product){.a = XT_TYPE(f16), .b = XT_TYPE(f16)});
    emitted peer;
    size_t words = 0, asked = 0;
    m.runs = 0;
    while (m.runs < METER_RUNS) {
        xt_module mod;
        allocations = 0;
        meter_begin(&m);
        mod = emit_gemm(v, &tiles);
        meter_end(&m);
        asked = allocations;
        words = mod.size / 4;
        if (!mod.words) return fail_build(&mod);
        xt_free(&mod);
    }
    peer = measure_peer(v, &tiles);
    meter_lines(name, meter_medians(&m), peer.name, peer.cost);
    if (v != GENERIC) print_count(name, "words", words, peer.name, peer.words);
    print_count(name, "allocations", asked, NULL, 0);
    return true;
}

int main(void)
{
    return !(measure("emit_gemm", BOTH) && measure("emit_gemm_aligned", ALIGNED) &&
             measure("emit_gemm_any_pitch", ANY_PITCH) && measure("emit_gemm_generic", GENERIC));
}
