/* spirv_linear.c - modules of a given size, for test_spirv_linear.sh, which counts the processor's instructions:
 *     spirv_linear calls HELPERS KERNELS      each helper calls the one before, each kernel the last, or has a number
 *     spirv_linear body INSTRUCTIONS          one kernel: arithmetic, constants, addresses, stores, branches */
#include "spirv_emit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_calls(spe_module *m, int helpers, int kernels)
{
    spe_id last = 0, v = spe_global_var(m, SPE_StorageClassWorkgroup, spe_int(m, 32), 0);
    for (int i = 0; i < helpers; i++) {
        spe_id f = spe_function_begin(m, "f", spe_void(m), 0, NULL);
        if (last) spe_call(m, last, 0, NULL);
        else spe_store(m, v, spe_u32(m, 1), 0);
        spe_return(m);
        spe_function_end(m);
        last = f;
    }
    for (int i = 0; i < kernels; i++) {
        char name[24];
        spe_kernel k = {.name = name};
        snprintf(name, sizeof name, "kernel_%d", i);
        spe_kernel_begin(m, &k);
        if (last) spe_call(m, last, 0, NULL);
        else spe_store(m, v, spe_u32(m, (uint32_t)i), 0);
        spe_kernel_end(m);
    }
}

static void write_body(spe_module *m, int instructions)
{
    spe_id f32 = spe_float(m, 32), ptr = spe_ptr(m, SPE_StorageClassCrossWorkgroup, f32);
    spe_param params[] = {{.type = spe_int(m, 32)}, {.type = f32}, {.type = ptr}};
    spe_kernel k = {.name = "k", .params = params, .param_count = 3};
    spe_kernel_begin(m, &k);
    spe_id n = spe_param_id(m, 0), x = spe_param_id(m, 1), p = spe_param_id(m, 2);
    for (int i = 0; i < instructions; i += 10) {
        n = spe_iadd(m, n, spe_u32(m, (uint32_t)i + 1));
        x = spe_fmul(m, spe_fadd(m, x, x), x);
        spe_if(m, spe_ult(m, n, spe_u32(m, 7)));
        spe_store(m, spe_index(m, p, n), x, 0);
        spe_endif(m, 0, NULL, NULL);
    }
    spe_kernel_end(m);
}

int main(int argc, char **argv)
{
    spe_module m;
    if (argc < 3) return 2;
    spe_begin(&m, NULL);
    if (!strcmp(argv[1], "calls")) write_calls(&m, atoi(argv[2]), atoi(argv[3]));
    else write_body(&m, atoi(argv[2]));
    spe_words w = spe_finish(&m);
    if (!w.data) fprintf(stderr, "%s\n", spe_get_error(&m)->text);
    spe_free(&m);
    return !w.data;
}
