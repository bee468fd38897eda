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
    const xt_target target = {.name = "bmg"};
    xt_tiles tiles = xt_tiles_for(&target, &(xt_product){.a = XT_TYPE(f16), .b = XT_TYPE(f16)});
    while (m.runs < METER_RUNS) {
        xt_module mod;
        meter_begin(&m);
        mod = XT_BUILD(gemm_f16, &target, .registers = tiles.registers, .user = &tiles);
        meter_end(&m);
        if (!mod.words) return !fail_build(&mod);
        xt_free(&mod);
    }
    meter_lines("emit_gemm_include_and_go", meter_medians(&m), NULL, (cost){0, 0});
    return 0;
}
