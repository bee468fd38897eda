/* peak.h - the f32 peak of a thread at an instruction set of the software device: an upper bound for products computed
 * with f32 vectors of this size. */
#ifndef XETILE_BENCH_PEAK_H
#define XETILE_BENCH_PEAK_H

#include "bench.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
/* Twelve independent sums, enough to hide their latency; BODY adds to one of them. */
#define PEAK_FUNCTION(NAME, TARGET, BYTES, BODY)                                                                       \
    typedef float NAME##_vector __attribute__((vector_size(BYTES)));                                                   \
    TARGET static double NAME(void)                                                                                    \
    {                                                                                                                  \
        NAME##_vector x = {1}, y = {1}, a = {1}, b = a, c = a, d = a, e = a, f = a, g = a, h = a, i = a, j = a, k = a, \
                      l = a;                                                                                           \
        const long rounds = 4000000;                                                                                   \
        double start = bench_now();                                                                                    \
        for (long n = 0; n < rounds; n++) {                                                                            \
            BODY(a) BODY(b) BODY(c) BODY(d) BODY(e) BODY(f) BODY(g) BODY(h) BODY(i) BODY(j) BODY(k) BODY(l)            \
        }                                                                                                              \
        return (double)rounds * 12 * 2 * (BYTES / 4) / (bench_now() - start) * 1e-9;                                   \
    }
#define PEAK_FUSED(sum) __asm__ volatile("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y));
#define PEAK_TWO(sum)                                                                                                  \
    {                                                                                                                  \
        peak_128_vector p;                                                                                             \
        __asm__ volatile("movaps %2, %1\n\tmulps %3, %1\n\taddps %1, %0" : "+x"(sum), "=&x"(p) : "x"(x), "x"(y));      \
    }
PEAK_FUNCTION(peak_512, __attribute__((target("avx512f"))), 64, PEAK_FUSED)
PEAK_FUNCTION(peak_256, __attribute__((target("avx2,fma"))), 32, PEAK_FUSED)
PEAK_FUNCTION(peak_128, , 16, PEAK_TWO)
#define PEAK_PAIRS(sum) __asm__ volatile("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y));
PEAK_FUNCTION(peak_bf16_lanes, __attribute__((target("avx512f"))), 64, PEAK_PAIRS)

/* The same by the instruction that multiplies pairs of bf16; 0 if the CPU has none. */
static double peak_bf16(const char *isa)
{
    double best = 0;
    if (strcmp(isa, "avx512") != 0 || !__builtin_cpu_supports("avx512bf16")) return 0;
    for (int i = 0; i < 5; i++) {
        double v = 2 * peak_bf16_lanes(); /* two products for each f32 */
        if (v > best) best = v;
    }
    return best;
}

/* GFLOP/s of one thread, the best of a few; 0 if unknown. */
static double peak_f32(const char *isa)
{
    double best = 0;
    for (int i = 0; i < 5; i++) {
        double v = !strcmp(isa, "avx512") ? peak_512() : !strcmp(isa, "avx2") ? peak_256() : peak_128();
        if (v > best) best = v;
    }
    return best;
}
#else
static double peak_f32(const char *isa)
{
    (void)isa;
    return 0;
}
static double peak_bf16(const char *isa) { return peak_f32(isa); }
#endif

/* The bound per thread, for comparison with products at this instruction set; beside it that of bf16's instruction. */
static void print_peak(const char *isa)
{
    char name[64];
    double v = peak_f32(isa), pairs = peak_bf16(isa);
    snprintf(name, sizeof name, "f32_peak_of_a_thread_%s", isa);
    if (pairs > 0)
        bench_peer_line(name, v, "GFLOP/s", "vdpbf16ps", pairs);
    else if (v > 0)
        bench_line(name, v, "GFLOP/s");
}
#endif
