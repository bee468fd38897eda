/* loader.c - a ze_loader.dll for tests under wine: two GPUs of pretend_ze.h, which run the README's kernel `add` on the
 * host with the arguments that were bound. PRETEND_FAIL_AT is the number of the call that fails. When the process ends,
 * the last line of stderr says what is left.
 */
#include "pretend_ze.h"

static const struct pretend_device gpus[] = {
    {"Intel(R) Arc(TM) B580 Graphics", ZE_DEVICE_TYPE_GPU, 0x8086, 0xe20b, 0, 0, {0, false, false}},
    {"Intel(R) Arc(TM) 140V GPU (16GB)", ZE_DEVICE_TYPE_GPU, 0x8086, 0x64a0, ZE_DEVICE_PROPERTY_FLAG_INTEGRATED, 0,
     {0, false, false}},
};

static void add(void)
{
    float *x, *y, *z;
    uint32_t n;
    memcpy(&x, pretend.arg[0].bytes, sizeof x);
    memcpy(&y, pretend.arg[1].bytes, sizeof y);
    memcpy(&z, pretend.arg[2].bytes, sizeof z);
    memcpy(&n, pretend.arg[3].bytes, sizeof n);
    for (uint32_t i = 0; i < n; i++) z[i] = x[i] + y[i];
}

__attribute__((constructor)) static void begin(void)
{
    const char *fail_at = getenv("PRETEND_FAIL_AT");
    pretend_reset(gpus, 2);
    pretend.kernel = "add";
    pretend.run = add;
    pretend.kernel_args = 4;
    pretend.fail_at = fail_at ? atoi(fail_at) : 0;
    pretend.fail_with = ZE_RESULT_ERROR_DEVICE_LOST;
}

__attribute__((destructor)) static void end(void)
{
    fprintf(stderr, "pretend: %d calls, %d alive, %d launches, %s failed\n", pretend.calls, pretend.alive,
            pretend.launches, pretend.failed ? pretend.failed : "none");
}
