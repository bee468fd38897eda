/* bench_emit_l2.c - the time to generate SPIR-V for the kernel of appendix 2.5: 512 x 256 per work-group, as in the
 * specification. */
#if defined(__OPTIMIZE__) /* otherwise it is only checked that it works, which the library is enough for */
#undef XETILE_DECLARATIONS
#endif
#define XETILE_OPTIMIZE
#include "meter.h"
#define main gemm_l2_main
#include "../examples/gemm_l2.c"
#undef main

int main(void)
{
    static meter m;
    const xt_target bmg = {.name = "bmg"};
    const xt_product text = {.a = XT_TYPE(f16), .b = XT_TYPE(f16), .rows = 512, .cols = 256, .sg_rows = 64,
                             .sg_cols = 64, .step = 32};
    tiles = xt_tiles_for(&bmg, &text);
    while (m.runs < METER_RUNS / 3) {
        xt_module mod;
        meter_begin(&m);
        mod = XT_BUILD(gemm_l2, &bmg);
        meter_end(&m);
        if (!mod.words) return printf("FAILED bench_emit_l2 %s\n", mod.error->text), 1;
        xt_free(&mod);
    }
    meter_lines("emit_gemm_l2", meter_medians(&m), NULL, (cost){0, 0});
    return 0;
}
