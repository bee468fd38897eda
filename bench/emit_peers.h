/* emit_peers.h - who else makes SPIR-V, for bench_emit.c; neither need be installed.
 *
 * TinyTC (libtinytc.so, found when the bench runs): from its tensor language to words, for the same product.
 * SPIRV-Tools (linked where pkg-config knows it, see the Makefile): its assembler, from the disassembly of a module of
 * ours to the same words.
 */
#ifndef XETILE_BENCH_EMIT_PEERS_H
#define XETILE_BENCH_EMIT_PEERS_H

#include "bench.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#ifdef BENCH_SPIRV_TOOLS
#include <spirv-tools/libspirv.h>
#endif

/* ---- TinyTC: column-major f16 to f32, any M, N and K, tiles of 256 x 256 for 32 subgroups, as in examples/gemm.c */

static const char tinytc_gemm[] =
    "func @gemm(%A: memref<f16x?x?>, %B: memref<f16x?x?>, %C: memref<f32x?x?>)\n"
    "    attributes{subgroup_size=16, work_group_size=[128,4]} {\n"
    "  %x = group_id.x : index\n"
    "  %y = group_id.y : index\n"
    "  %size = constant 256 : index\n"
    "  %zero = constant 0 : index\n"
    "  %i = mul %x, %size : index\n"
    "  %j = mul %y, %size : index\n"
    "  %m = size %C[0] : index\n"
    "  %n = size %C[1] : index\n"
    "  %k = size %A[1] : index\n"
    "  %below = sub %m, %i : index\n"
    "  %right = sub %n, %j : index\n"
    "  %rows = min %below, %size : index\n"
    "  %cols = min %right, %size : index\n"
    "  %alpha = constant 1.0 : f16\n"
    "  %beta = constant 0.0 : f32\n"
    "  %a = subview %A[%i:%rows,%zero:%k] : memref<f16x?x?,strided<1,?>>\n"
    "  %b = subview %B[%zero:%k,%j:%cols] : memref<f16x?x?,strided<1,?>>\n"
    "  %c = subview %C[%i:%rows,%j:%cols] : memref<f32x?x?,strided<1,?>>\n"
    "  gemm %alpha, %a, %b, %beta, %c\n"
    "}\n";

typedef struct {
    int (*device_of)(void **, const char *);
    int (*parse)(void **, size_t, const char *, void *);
    int (*compile)(void **, void *, const void *);
    int (*words_of)(const void *, int *, size_t *, const uint8_t **);
    int (*release_program)(void *);
    int (*release_binary)(void *);
    void *device;
} tinytc;

static inline bool find_tinytc(tinytc *t)
{
    const struct {
        const char *name;
        void *to;
    } all[] = {
        {"tinytc_core_info_intel_create_from_name", &t->device_of}, {"tinytc_parse_string", &t->parse},
        {"tinytc_prog_compile_to_spirv_and_assemble", &t->compile}, {"tinytc_binary_get_raw", &t->words_of},
        {"tinytc_prog_release", &t->release_program}, {"tinytc_binary_release", &t->release_binary},
    };
    void *library = dlopen("libtinytc.so.0", RTLD_NOW);
    if (!library) library = dlopen("libtinytc.so", RTLD_NOW);
    for (size_t i = 0; library && i < sizeof all / sizeof *all; i++) {
        void *at = dlsym(library, all[i].name);
        if (!at) return false;
        memcpy(all[i].to, &at, sizeof at);
    }
    return library && t->device_of(&t->device, "bmg") == 0;
}

/* Median microseconds from the text to the words; 0 when it is not installed or fails. */
static inline double measure_tinytc(double *us, int runs)
{
    tinytc t;
    memset(&t, 0, sizeof t);
    if (!find_tinytc(&t)) return printf("TinyTC is not installed: emit_gemm has no peer here\n"), 0;
    for (int i = 0; i < runs; i++) {
        double start = bench_now();
        void *program = NULL, *binary = NULL;
        const uint8_t *words = NULL;
        size_t size = 0;
        int format;
        bool ok = t.parse(&program, strlen(tinytc_gemm), tinytc_gemm, NULL) == 0 &&
                  t.compile(&binary, program, t.device) == 0 && t.words_of(binary, &format, &size, &words) == 0 &&
                  size > 20;
        us[i] = (bench_now() - start) * 1e6;
        if (binary) t.release_binary(binary);
        if (program) t.release_program(program);
        if (!ok) return printf("FAILED TinyTC does not take the product: emit_gemm has no peer\n"), 0;
    }
    return bench_median(us, runs);
}

/* ---- SPIRV-Tools */

/* Median microseconds from text to words, which must be as many as `count`; 0 when it is not installed or fails. */
static inline double measure_assembler(const uint32_t *words, size_t count, double *us, int runs)
{
#ifdef BENCH_SPIRV_TOOLS
    spv_context context = spvContextCreate(SPV_ENV_OPENCL_2_2);
    spv_text text = NULL;
    bool ok = spvBinaryToText(context, words, count, SPV_BINARY_TO_TEXT_OPTION_NONE, &text, NULL) == SPV_SUCCESS;
    for (int i = 0; ok && i < runs; i++) {
        double start = bench_now();
        spv_binary binary = NULL;
        ok = spvTextToBinary(context, text->str, text->length, &binary, NULL) == SPV_SUCCESS &&
             binary->wordCount == count;
        us[i] = (bench_now() - start) * 1e6;
        spvBinaryDestroy(binary);
    }
    spvTextDestroy(text);
    spvContextDestroy(context);
    if (!ok) printf("FAILED SPIRV-Tools does not give the module back: emit_gemm_generic has no peer\n");
    return ok ? bench_median(us, runs) : 0;
#else
    (void)words, (void)count, (void)us, (void)runs;
    return printf("SPIRV-Tools' library is not installed (make setup-optional): emit_gemm_generic has no peer here\n"),
           0;
#endif
}

#endif
