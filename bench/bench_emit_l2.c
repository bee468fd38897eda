/* bench_emit_l2.c - how long the kernel of appendix 2.5 takes to become SPIR-V: 512 x 256 a work-group, as in the
 * text. */
#define main gemm_l2_main
#include "../examples/gemm_l2.c"
#undef main
#include "bench.h"

enum { RUNS = 101 };

int main(void)
{
    static double us[RUNS];
    rows = 512, columns = 256;
    for (int i = 0; i < RUNS; i++) {
        double start = bench_now();
        xt_module mod = XT_BUILD(gemm_l2, &(xt_target){.name = "bmg"});
        us[i] = (bench_now() - start) * 1e6;
        if (!mod.words) return printf("FAILED bench_emit_l2 %s\n", mod.error->text), 1;
        xt_free(&mod);
    }
    bench_line("emit_gemm_l2", bench_median(us, RUNS), "us");
    return 0;
}
