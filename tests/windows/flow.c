/* flow.c - Level Zero's calls as a program for Windows makes them, on whatever device is the first: lists devices,
 * opens one and a second queue, allocates, fills and copies, launches `add` alone, timed and in a batch. Compares every
 * sum, and closes. Prints `ok flow` or the error, or an advice of a header that does not fit Windows.
 */
#include "xetile.h"
#include "ze_dispatch.h"
#if __has_include(<vulkan/vulkan_core.h>)
#include "vk_dispatch.h"
#else
#define VKD_ERRORS(X)
#endif

#include <stdio.h>

XT_KERNEL (add, ptr(f32, X), ptr(f32, Y), ptr(f32, Z), u32(N))
{
    xt_val at = XT_MUL(XT_GROUP_ID(0), 128);
    xt_tile x = XT_INIT_TILE(X, f32, 1, 128, .offset = XT_AT(0, at), .shape = XT_AT(1, N));
    xt_tile y = XT_INIT_TILE(Y, f32, 1, 128, .offset = XT_AT(0, at), .shape = XT_AT(1, N));
    xt_tile z = XT_INIT_TILE(Z, f32, 1, 128, .offset = XT_AT(0, at), .shape = XT_AT(1, N));
    XT_STORE_TILE(XT_ADD(XT_LOAD_TILE(x), XT_LOAD_TILE(y)), z);
}

enum { N = 1000 };

static int wrong(float *z, float scale)
{
    int count = 0;
    for (int i = 0; i < N; i++) {
        count += z[i] != (float)i * 0.25f + scale;
        z[i] = -1.0f;
    }
    return count;
}

static bool run(zed_device *dev, xt_module mod)
{
    zed_kernel kernel;
    zed_batch batch;
    zed_groups groups = {(N + 127) / 128, 1, 1};
    float *x = (float *)zed_alloc(dev, ZED_SHARED, N * sizeof *x, 0), three = 3.0f;
    float *y = (float *)zed_alloc(dev, ZED_HOST, N * sizeof *y, 0);
    float *z = (float *)zed_alloc(dev, ZED_SHARED, N * sizeof *z, 0);
    for (int i = 0; x && z && i < N; i++) x[i] = (float)i * 0.25f, z[i] = -1.0f;
    if (!zed_fill_pattern(dev, y, &three, sizeof three, N * sizeof *y) || !ZED_LOAD(&kernel, dev, mod)) return false;
    if (!zed_launch(&kernel, groups, x, y, z, N) || wrong(z, 3.0f)) return false;
    if (zed_launch_timed(&kernel, groups, x, y, z, N) < 0 || wrong(z, 3.0f)) return false;
    if (!zed_batch_begin(&batch, dev) || !zed_batch_launch(&batch, &kernel, groups, x, y, z, N)) return false;
    if (!zed_batch_end(&batch) || !zed_wait(dev) || wrong(z, 3.0f)) return false;
    return zed_copy(dev, y, x, sizeof *x) && y[0] == x[0] && zed_free(dev, x);
}

/* What the headers advise can be done on Windows. */
static bool advice_fits(void)
{
#define ADVICE(id, advice) #id ": " advice,
    static const char *const all[] = {ZED_ERRORS(ADVICE) VKD_ERRORS(ADVICE)};
    static const char *const foreign[] = {"make soft", ".so", "Debian", "mesa"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        for (size_t j = 0; j < sizeof foreign / sizeof *foreign; j++) {
            if (strstr(all[i], foreign[j])) return printf("%s\n", all[i]), false;
        }
    }
    return true;
}

int main(void)
{
    zed_device dev, queue;
    zed_info infos[4];
    zed_error error;
    xt_module mod = XT_BUILD(add, &(xt_target){.name = "bmg"});
    if (!advice_fits()) return 1;
    bool ok = mod.words && zed_list(infos, 4, &error) > 0;
    if (!ok) return printf("%s:%d: %s: %s\n", error.file, error.line, error.name, error.text), 1;
    ok = zed_open(&dev, NULL) && run(&dev, mod);
    if (ok && !zed_open_queue(&queue, &dev)) ok = false, zed_print_error(&queue, stdout);
    else if (ok) zed_close(&queue);
    zed_close(&dev);
    ok = ok && !zed_get_error(&dev)->id;
    zed_print_error(&dev, stdout);
    xt_free(&mod);
    if (ok) printf("ok flow on %s\n", infos[0].name);
    return !ok;
}
