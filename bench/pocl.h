/* pocl.h - PoCL for the benches, through the OpenCL loader at run time, so that it need not be installed. Needs no
 * OpenCL headers.
 */
#ifndef XETILE_BENCH_POCL_H
#define XETILE_BENCH_POCL_H

#include "bench.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { POCL_BUFFERS = 3, POCL_VALUES = 3, POCL_RUNS = 64 };

typedef struct {
    int32_t (*get_platforms)(uint32_t, void **, uint32_t *);
    int32_t (*get_platform_info)(void *, uint32_t, size_t, void *, size_t *);
    int32_t (*get_devices)(void *, uint64_t, uint32_t, void **, uint32_t *);
    void *(*create_context)(const intptr_t *, uint32_t, void *const *, void *, void *, int32_t *);
    void *(*create_queue)(void *, void *, uint64_t, int32_t *);
    void *(*with_il)(void *, const void *, size_t, int32_t *);
    void *(*with_source)(void *, uint32_t, const char **, const size_t *, int32_t *);
    int32_t (*build)(void *, uint32_t, void *const *, const char *, void *, void *);
    void *(*create_kernel)(void *, const char *, int32_t *);
    int32_t (*set_arg)(void *, uint32_t, size_t, const void *);
    void *(*create_buffer)(void *, uint64_t, size_t, void *, int32_t *);
    int32_t (*launch)(void *, void *, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t, void *,
                      void *);
    int32_t (*read)(void *, void *, uint32_t, size_t, size_t, void *, uint32_t, void *, void *);
    int32_t (*finish)(void *);
    int32_t (*release_buffer)(void *);
    void *device, *context, *queue, *program;
} pocl;

static inline bool pocl_find_functions_(pocl *p)
{
    const struct {
        const char *name;
        void *to;
    } all[] = {
        {"clGetPlatformIDs", &p->get_platforms},
        {"clGetPlatformInfo", &p->get_platform_info},
        {"clGetDeviceIDs", &p->get_devices},
        {"clCreateContext", &p->create_context},
        {"clCreateCommandQueue", &p->create_queue},
        {"clCreateProgramWithIL", &p->with_il},
        {"clCreateProgramWithSource", &p->with_source},
        {"clBuildProgram", &p->build},
        {"clCreateKernel", &p->create_kernel},
        {"clSetKernelArg", &p->set_arg},
        {"clCreateBuffer", &p->create_buffer},
        {"clEnqueueNDRangeKernel", &p->launch},
        {"clEnqueueReadBuffer", &p->read},
        {"clFinish", &p->finish},
        {"clReleaseMemObject", &p->release_buffer},
    };
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
    if (!library) library = dlopen("libpocl.so.2", RTLD_NOW);
    for (size_t i = 0; library && i < sizeof all / sizeof *all; i++) {
        void *at = dlsym(library, all[i].name);
        if (!at) return false;
        memcpy(all[i].to, &at, sizeof at);
    }
    return library != NULL;
}

static inline bool pocl_find_device_(pocl *p)
{
    void *platforms[8];
    uint32_t count = 0, devices = 0;
    char name[128] = "";
    int32_t error = 0;
    if (p->get_platforms(8, platforms, &count)) return false;
    for (uint32_t i = 0; i < count && i < 8 && !devices; i++) {
        p->get_platform_info(platforms[i], 0x0902, sizeof name, name, NULL);
        if (!strstr(name, "Portable Computing Language") || p->get_devices(platforms[i], 2, 1, &p->device, &devices))
            devices = 0;
    }
    if (!devices) return false;
    p->context = p->create_context(NULL, 1, &p->device, NULL, NULL, &error);
    if (p->context) p->queue = p->create_queue(p->context, p->device, 0, &error);
    return p->queue != NULL;
}

/* Returns false, with a message, if there is no PoCL. */
static inline bool pocl_find(pocl *p, const char *bench)
{
    bool found = pocl_find_functions_(p) && pocl_find_device_(p);
    if (!found) printf("PoCL is not installed (make setup-optional): %s has no peer here\n", bench);
    return found;
}

static inline bool pocl_build_(pocl *p, const char *options)
{
    return p->program && p->build(p->program, 1, &p->device, options, NULL, NULL) == 0;
}

static inline bool pocl_build_spirv(pocl *p, const void *words, size_t size)
{
    int32_t error = 0;
    p->program = p->with_il(p->context, words, size, &error);
    return !error && pocl_build_(p, "");
}

static inline bool pocl_build_source(pocl *p, const char *text, size_t length)
{
    int32_t error = 0;
    p->program = p->with_source(p->context, 1, &text, &length, &error);
    return !error && pocl_build_(p, "-cl-std=CL1.2");
}

/* A kernel of p->program and its arguments: buffers first, then values of four bytes each. */
typedef struct {
    const char *kernel;
    size_t global[2], local[2];
    /* on the host, up to the first NULL: initial contents; the last one receives the result */
    void *buffer[POCL_BUFFERS];
    size_t bytes[POCL_BUFFERS];
    const void *value[POCL_VALUES]; /* up to the first NULL */
    void *kernel_object, *memory[POCL_BUFFERS];
    int buffers;
} pocl_job;

static inline bool pocl_launch_(pocl *p, const pocl_job *j)
{
    return !p->launch(p->queue, j->kernel_object, j->global[1] > 1 ? 2 : 1, NULL, j->global, j->local, 0, NULL, NULL) &&
           !p->finish(p->queue);
}

/* Runs it once and copies the result to the host. Call pocl_end even on failure. */
static inline bool pocl_begin(pocl *p, pocl_job *j)
{
    int32_t error = 0;
    uint32_t arg = 0;
    j->kernel_object = p->create_kernel(p->program, j->kernel, &error);
    if (error || !j->kernel_object) return false;
    for (j->buffers = 0; j->buffers < POCL_BUFFERS && j->buffer[j->buffers]; j->buffers++) {
        void **memory = &j->memory[j->buffers];
        *memory = p->create_buffer(p->context, 1 | 1 << 5, j->bytes[j->buffers], j->buffer[j->buffers], &error);
        if (error || p->set_arg(j->kernel_object, arg++, sizeof *memory, memory)) return false;
    }
    for (int i = 0; i < POCL_VALUES && j->value[i]; i++)
        if (p->set_arg(j->kernel_object, arg++, 4, j->value[i])) return false;
    if (!pocl_launch_(p, j)) return false;
    return !p->read(p->queue, j->memory[j->buffers - 1], 1, 0, j->bytes[j->buffers - 1], j->buffer[j->buffers - 1], 0,
                    NULL, NULL);
}

/* Median seconds of a launch, 0 if one failed. */
static inline double pocl_time(pocl *p, const pocl_job *j, int runs)
{
    double t[POCL_RUNS];
    for (int i = 0; i < runs && i < POCL_RUNS; i++) {
        double start = bench_now();
        if (!pocl_launch_(p, j)) return 0;
        t[i] = bench_now() - start;
    }
    return bench_median(t, runs < POCL_RUNS ? runs : POCL_RUNS);
}

/* Seconds per launch, with `count` started before the wait; 0 if one failed. */
static inline double pocl_time_together(pocl *p, const pocl_job *j, int count)
{
    double start = bench_now();
    for (int i = 0; i < count; i++)
        if (p->launch(p->queue, j->kernel_object, 1, NULL, j->global, j->local, 0, NULL, NULL)) return 0;
    return p->finish(p->queue) ? 0 : (bench_now() - start) / count;
}

static inline void pocl_end(pocl *p, pocl_job *j)
{
    for (int i = 0; i < j->buffers; i++)
        if (j->memory[i]) p->release_buffer(j->memory[i]);
}

#endif
