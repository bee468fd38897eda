/* bench_emit_include_and_go.c - the cost of generating the GEMM's SPIR-V in a program that just includes the headers,
 * where most bodies are not optimised; bench_emit.c measures optimised bodies. */
#undef XETILE_DECLARATIONS
#include "meter.h"
#define main gemm_main
#include "../examples/gemm.c"
#undef main

int main(void)
{
    static meter m;
    while (m.runs < METER_RUNS) {
        xt_module mod;
        meter_begin(&m);
        mod = XT_BUILD(gemm_f16, &(xt_target){.name = "bmg"});
        meter_end(&m);
        if (!mod.words) return !fail_build(&mod);
        xt_free(&mod);
    }
    meter_lines("emit_gemm_include_and_go", meter_medians(&m), NULL, (cost){0, 0});
    return 0;
}
