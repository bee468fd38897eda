/* hello_vulkan.c - the smallest complete program, through Vulkan: the twin of hello.c, with the same kernel.
 *
 *     cc -std=c11 hello_vulkan.c -lm && ./a.out
 *
 * Every element is compared with the sum in double; one f32 addition may be off by half a unit in the last place.
 */
#include "xetile.h"
#include "vk_dispatch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

XT_KERNEL (hello, ptr(f32, X), ptr(f32, Y), ptr(f32, Z), u32(N))
{
    const xt_map map = XT_MAP(.sg_layout = {1, 8}, .sg_data = {1, 128});
    xt_val at = XT_MUL(XT_GROUP_ID(0), 1024);
    xt_tile x = XT_INIT_TILE(X, f32, 1, 1024, .offset = XT_AT(0, at), .shape = XT_AT(1, N), .map = map);
    xt_tile y = XT_INIT_TILE(Y, f32, 1, 1024, .offset = XT_AT(0, at), .shape = XT_AT(1, N), .map = map);
    xt_tile z = XT_INIT_TILE(Z, f32, 1, 1024, .offset = XT_AT(0, at), .shape = XT_AT(1, N), .map = map);
    XT_STORE_TILE(XT_ADD(XT_LOAD_TILE(x), XT_LOAD_TILE(y)), z);
}

enum { N = 1000003 }; /* a prime, so the shape cuts off the last tile */

/* line: of a file, or 0 for an option. */
static int failed(const char *where, int line, const char *text)
{
    if (line) printf("FAILED hello_vulkan %s:%d: %s\n", where, line, text);
    else printf("FAILED hello_vulkan %s: %s\n", where, text);
    return 1;
}

static int failed_build(xt_module *mod)
{
    failed(mod->error->file, mod->error->line, mod->error->text);
    xt_free(mod);
    return 1;
}

/* Normally distributed, by summing twelve uniform numbers. */
static float normal(uint32_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += (*state = *state * 1664525u + 1013904223u) / 4294967296.0;
    return (float)sum;
}

static int check(const float *x, const float *y, const float *z)
{
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        double want = (double)x[i] + y[i];
        if (!(fabs(z[i] - want) <= fabs(want) * 0x1p-24)) wrong++;
    }
    if (wrong) printf("FAILED hello_vulkan %d of %d elements are wrong\n", wrong, (int)N);
    else printf("ok hello_vulkan %d elements\n", (int)N);
    return wrong != 0;
}

static int run(vkd_device *dev)
{
    uint32_t state = 1;
    vkd_kernel kernel;
    float *x = (float *)vkd_alloc(dev, VKD_SHARED, N * sizeof *x, 0);
    float *y = (float *)vkd_alloc(dev, VKD_SHARED, N * sizeof *y, 0);
    float *z = (float *)vkd_alloc(dev, VKD_SHARED, N * sizeof *z, 0);
    const xt_target target = {VKD_TARGET(dev)};
    xt_module mod = XT_BUILD(hello, &target);
    if (!mod.words) return failed_build(&mod);
    printf("device   %s\n", dev->name);
    for (int i = 0; x && y && i < N; i++) {
        x[i] = normal(&state);
        y[i] = normal(&state);
    }
    vkd_fill(dev, z, 0xff, N * sizeof *z); /* not a number */
    if (VKD_LOAD(&kernel, dev, mod)) vkd_launch(&kernel, (vkd_groups){(N + 1023) / 1024, 1, 1}, x, y, z, N);
    xt_free(&mod);
    if (vkd_get_error(dev)->id) return failed(dev->error.file, dev->error.line, dev->error.text);
    return check(x, y, z);
}

static int emit(const char *path, const char *name)
{
    const xt_target target = {.name = name};
    xt_module mod = XT_BUILD(hello, &target);
    FILE *f;
    int ok;
    if (!mod.words) return failed_build(&mod);
    if (!path) return xt_print(&mod, stdout), xt_free(&mod), 0;
    f = fopen(path, "wb");
    ok = f && fwrite(mod.words, 1, mod.size, f) == mod.size;
    if (f && fclose(f) != 0) ok = 0;
    printf(ok ? "ok hello_vulkan %s, %zu bytes for %s\n" : "FAILED hello_vulkan cannot write %s, %zu bytes for %s\n",
           path, mod.size, name);
    xt_free(&mod);
    return !ok;
}

/* Output that cannot be written is an error too. */
static void flush_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return;
    fprintf(stderr, "FAILED standard output: cannot write it\n");
    _Exit(1);
}

int main(int argc, char **argv)
{
    atexit(flush_output);
    const char *file = NULL, *target = NULL, *name = NULL;
    vkd_device dev;
    int status, print = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--list")) return !vkd_print_list(stdout);
        if (!strcmp(argv[i], "--print")) print = 1;
        else if (!strcmp(argv[i], "--emit") && argv[i + 1]) file = argv[++i];
        else if (!strcmp(argv[i], "--target") && argv[i + 1]) target = argv[++i];
        else if (!strcmp(argv[i], "--device") && argv[i + 1]) name = argv[++i];
        else if (!strcmp(argv[i], "--help"))
            return puts("hello_vulkan [--emit FILE | --print] [--target NAME] [--device N|NAME] [--list]") < 0;
        else return failed(argv[i], 0, "not an option, or its value is missing; hello_vulkan --help lists them");
    }
    if (file || print) return emit(print ? NULL : file, target ? target : "vulkan");
    if (target) return failed(target, 0, "--target requires --emit or --print");
    vkd_options options = {.device = name};
    if (!vkd_open(&dev, &options)) return failed(dev.error.file, dev.error.line, dev.error.text);
    status = run(&dev);
    vkd_close(&dev);
    return status;
}
