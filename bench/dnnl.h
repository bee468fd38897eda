/* dnnl.h - oneDNN's products for the benches, loaded at run time, so that it need not be installed. Its calls for
 * single products have been the same since version 1; that of bf16 is in no public header. It uses all of the CPU, its
 * tiles too ($ONEDNN_MAX_CPU_ISA limits it). */
#ifndef XETILE_BENCH_DNNL_H
#define XETILE_BENCH_DNNL_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef int dnnl_bf16_fn(char trans_a, char trans_b, int64_t m, int64_t n, int64_t k, float alpha, const uint16_t *a,
                         int64_t lda, const uint16_t *b, int64_t ldb, float beta, float *c, int64_t ldc);
typedef int dnnl_s8_fn(char trans_a, char trans_b, char offset, int64_t m, int64_t n, int64_t k, float alpha,
                       const int8_t *a, int64_t lda, int8_t offset_a, const int8_t *b, int64_t ldb, int8_t offset_b,
                       float beta, int32_t *c, int64_t ldc, const int32_t *offsets_c);

typedef struct {
    dnnl_bf16_fn *bf16; /* NULL: there is none */
    dnnl_s8_fn *s8;
    char name[32]; /* "onednn_3.12" */
} dnnl_library;

/* Prints a message if it is not installed. */
static inline dnnl_library find_dnnl(void)
{
    static const char *const files[] = {"libdnnl.so.3", "libdnnl.so.3.6" /* Debian sid's */, "libdnnl.so.2"};
    struct version { /* how dnnl_version_t begins */
        int major, minor;
    };
    const struct version *(*version)(void) = NULL;
    dnnl_library d = {NULL, NULL, "onednn"};
    void *library = NULL;
    for (int i = 0; i < 3 && !library; i++) library = dlopen(files[i], RTLD_NOW);
    if (!library) return printf("oneDNN (libdnnl-dev) is not installed: no peer for bf16 and i8 here\n"), d;
    *(void **)&d.bf16 = dlsym(library, "dnnl_gemm_bf16bf16f32");
    *(void **)&d.s8 = dlsym(library, "dnnl_gemm_s8s8s32");
    *(void **)&version = dlsym(library, "dnnl_version");
    if (version) snprintf(d.name, sizeof d.name, "onednn_%d.%d", version()->major, version()->minor);
    return d;
}

/* c = a b, row-major n x n matrices: bf16 and floats, or 8-bit and 32-bit integers. False: not possible. */
static inline bool dnnl_multiply(const dnnl_library *d, bool integers, int64_t n, const void *a, const void *b, void *c)
{
    const int32_t zero = 0;
    if (integers)
        return d->s8 && !d->s8('N', 'N', 'F', n, n, n, 1, (const int8_t *)a, n, 0, (const int8_t *)b, n, 0, 0,
                               (int32_t *)c, n, &zero);
    return d->bf16 && !d->bf16('N', 'N', n, n, n, 1, (const uint16_t *)a, n, (const uint16_t *)b, n, 0, (float *)c, n);
}

#endif
