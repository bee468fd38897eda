/* emit_peers.h - other generators of SPIR-V, for bench_emit.c; neither need be installed.
 *
 * TinyTC (libtinytc.so, loaded at run time): from its tensor language to words, for the same product. It does more: it
 * parses, checks and optimises a language; then it builds SPIR-V as objects, numbers them and writes the words, which
 * xetile writes as its functions are called. According to callgrind (version 0.4, the aligned text), 3% of its
 * instructions are parsing, 4% checks and optimisations, 26% building SPIR-V, 22% numbering, 18% writing, and most of
 * the rest freeing. It also writes more: it moves elements one by one between vectors where xetile uses 2D block
 * messages, in 5,942 instructions of SPIR-V, against 1,609 in our two versions together.
 *
 * SPIRV-Tools (linked if pkg-config finds it, see the Makefile): its assembler, from the disassembly of one of our
 * modules to the same words.
 */
#ifndef XETILE_BENCH_EMIT_PEERS_H
#define XETILE_BENCH_EMIT_PEERS_H

#include "meter.h"

#include <dlfcn.h>
#include <stdbool.h>
#ifdef BENCH_SPIRV_TOOLS
#include <spirv-tools/libspirv.h>
#endif

enum { PEER_RUNS = METER_RUNS / 3 };

typedef struct {
    const char *name; /* NULL: not installed, or failed */
    cost cost;
    size_t words;
} emitted;

/* ---- TinyTC: column-major f16 to f32, any M, N and K, tiles of 256 x 256 for 32 subgroups, as in examples/gemm.c.
 * Its promises about A, B and C are those of XT_PITCH_ALIGNED: bases aligned to 64 bytes, pitches to 16, columns of A
 * and B to 4. */

#define TINYTC_GEMM(A, B, C)                                                                                           \
    "func @gemm(%A: memref<f16x?x?,strided<1,?>>" A ", %B: memref<f16x?x?,strided<1,?>>" B                             \
    ", %C: memref<f32x?x?,strided<1,?>>" C ")\n"                                                                       \
    "    attributes{subgroup_size=16, work_group_size=[128,4]} {\n"                                                    \
    "  %x = group_id.x : index\n"                                                                                      \
    "  %y = group_id.y : index\n"                                                                                      \
    "  %size = constant 256 : index\n"                                                                                 \
    "  %zero = constant 0 : index\n"                                                                                   \
    "  %i = mul %x, %size : index\n"                                                                                   \
    "  %j = mul %y, %size : index\n"                                                                                   \
    "  %m = size %C[0] : index\n"                                                                                      \
    "  %n = size %C[1] : index\n"                                                                                      \
    "  %k = size %A[1] : index\n"                                                                                      \
    "  %below = sub %m, %i : index\n"                                                                                  \
    "  %right = sub %n, %j : index\n"                                                                                  \
    "  %rows = min %below, %size : index\n"                                                                            \
    "  %cols = min %right, %size : index\n"                                                                            \
    "  %alpha = constant 1.0 : f16\n"                                                                                  \
    "  %beta = constant 0.0 : f32\n"                                                                                   \
    "  %a = subview %A[%i:%rows,%zero:%k] : memref<f16x?x?,strided<1,?>>\n"                                            \
    "  %b = subview %B[%zero:%k,%j:%cols] : memref<f16x?x?,strided<1,?>>\n"                                            \
    "  %c = subview %C[%i:%rows,%j:%cols] : memref<f32x?x?,strided<1,?>>\n"                                            \
    "  gemm %alpha, %a, %b, %beta, %c\n"                                                                               \
    "}\n"

static const char tinytc_gemm_any[] = TINYTC_GEMM("", "", "");
static const char tinytc_gemm_aligned[] =
    TINYTC_GEMM("{alignment=64,shape_gcd=[2,2],stride_gcd=[1,8]}", "{alignment=64,shape_gcd=[2,1],stride_gcd=[1,8]}",
                "{alignment=64,stride_gcd=[1,4]}");

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

/* From text to words. */
static inline emitted measure_tinytc(const char *text)
{
    static meter m;
    emitted e = {0};
    size_t size = 0;
    tinytc t;
    memset(&t, 0, sizeof t);
    m.runs = 0;
    if (!find_tinytc(&t)) return printf("TinyTC is not installed: emit_gemm has no peer here\n"), e;
    while (m.runs < PEER_RUNS) {
        void *program = NULL, *binary = NULL;
        const uint8_t *words = NULL;
        int format;
        bool ok;
        meter_begin(&m);
        ok = t.parse(&program, strlen(text), text, NULL) == 0 && t.compile(&binary, program, t.device) == 0 &&
             t.words_of(binary, &format, &size, &words) == 0 && size > 20;
        meter_end(&m);
        if (binary) t.release_binary(binary);
        if (program) t.release_program(program);
        if (!ok) return printf("FAILED TinyTC does not take the product: emit_gemm has no peer\n"), e;
    }
    return (emitted){"tinytc", meter_medians(&m), size / 4};
}

/* ---- SPIRV-Tools */

/* From text to words, whose number must be `count`. */
static inline emitted measure_assembler(const uint32_t *words, size_t count)
{
    emitted e = {0};
#ifdef BENCH_SPIRV_TOOLS
    static meter m;
    spv_context context = spvContextCreate(SPV_ENV_OPENCL_2_2);
    spv_text text = NULL;
    bool ok = spvBinaryToText(context, words, count, SPV_BINARY_TO_TEXT_OPTION_NONE, &text, NULL) == SPV_SUCCESS;
    while (ok && m.runs < PEER_RUNS) {
        spv_binary binary = NULL;
        meter_begin(&m);
        ok = spvTextToBinary(context, text->str, text->length, &binary, NULL) == SPV_SUCCESS &&
             binary->wordCount == count;
        meter_end(&m);
        spvBinaryDestroy(binary);
    }
    spvTextDestroy(text);
    spvContextDestroy(context);
    if (ok) return (emitted){"spirv_tools_assembler", meter_medians(&m), count};
    printf("FAILED SPIRV-Tools does not give the module back: emit_gemm_generic has no peer\n");
#else
    (void)words, (void)count;
    printf("SPIRV-Tools' library is not installed (make setup-optional): emit_gemm_generic has no peer here\n");
#endif
    return e;
}

#endif
