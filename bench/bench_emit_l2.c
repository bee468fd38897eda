/* bench_emit_l2.c - the time to generate SPIR-V for the kernel of appendix 2.5: 512 x 256 per work-group, as in the
 * specification. */
#undef XETILE_DECLARATIONS
#define XETILE_OPTIMIZE
#include "meter.h"
#define main gemm_l2_main
#include "../examples/gemm_l2.c"
#undef main

int main(void)
{
    static meter m;
    rows = 512, columns = 256;
    while (m.runs < METER_RUNS / 3) {
        xt_module mod;
        meter_begin(&m);
        mod = XT_BUILD(gemm_l2, &(xt_target){.name = "bmg"});
        meter_end(&m);
        if (!mod.words) return printf("FAILED bench_emit_l2 %s\n", mod.error->text), 1;
        xt_free(&mod);
    }
    meter_lines("emit_gemm_l2", meter_medians(&m), NULL, (cost){0, 0});
    return 0;
}
