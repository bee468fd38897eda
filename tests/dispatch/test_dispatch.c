/* ze_dispatch.h through the loader on a real device ($XETILE_DEVICE, else an Intel GPU, else the software device). */
#define _POSIX_C_SOURCE 200809L

#include "test.h"

#include "coopmatrix.h"
#include "dispatch_kernels.h"
#include "ze_dispatch.h"

static small_module built;
static spe_words module_words;
static zed_device dev;

/* A failure ends the test. */
#define REQUIRE(call)                                                                                                  \
    do {                                                                                                               \
        if (call) break;                                                                                               \
        test_fail(__FILE__, __LINE__, "%s: %s", #call, zed_get_error(&dev)->text);                                     \
        zed_close(&dev);                                                                                               \
        return;                                                                                                        \
    } while (0)

static void build(void)
{
    spe_begin(&built.m, NULL);
    small_saxpy(&built, "saxpy", 0, 0);
    small_saxpy(&built, "saxpy_fixed", 32, 16);
    small_spin(&built, "spin");
    small_keep(&built, "keep");
    small_mirror(&built, "mirror");
    module_words = spe_finish(&built.m);
    if (!module_words.data) printf("%s\n", spe_get_error(&built.m)->text);
    test_save_spv("test_dispatch", module_words.data, 4 * module_words.count);
}

static bool load(zed_module *module)
{
    return zed_module_load(module, &dev, module_words.data, 4 * module_words.count, NULL);
}

static void close_clean(void)
{
    zed_close(&dev);
    CHECK_MSG(!zed_get_error(&dev)->id, "%s", zed_get_error(&dev)->text);
}

TEST(saxpy_on_every_kind_of_memory)
{
    enum { N = 1000 };
    static const int kinds[] = {ZED_SHARED, ZED_DEVICE, ZED_HOST};
    zed_module module;
    zed_kernel saxpy;
    REQUIRE(zed_open(&dev, NULL));
    REQUIRE(load(&module));
    REQUIRE(zed_kernel_get(&saxpy, &module, "saxpy", "ptr<f32> x, ptr<f32> y, f32 a, u32 n"));
    REQUIRE(zed_local_size(&saxpy, 64, 1, 1));
    for (int kind = 0; kind < 3; kind++) {
        static float x[N], y[N], got[N];
        float a = (float)test_normal();
        void *dx = zed_alloc(&dev, kinds[kind], sizeof x, 0), *dy = zed_alloc(&dev, kinds[kind], sizeof y, 256);
        REQUIRE(dx && dy);
        CHECK((uintptr_t)dx % 64 == 0 && (uintptr_t)dy % 256 == 0);
        for (int i = 0; i < N; i++) {
            x[i] = (float)test_normal();
            y[i] = (float)test_normal();
        }
        REQUIRE(zed_copy(&dev, dx, x, sizeof x));
        REQUIRE(zed_copy(&dev, dy, y, sizeof y));
        REQUIRE(zed_launch(&saxpy, (zed_groups){(N - 1 + 63) / 64, 1, 1}, dx, dy, a, N - 1));
        REQUIRE(zed_copy(&dev, got, dy, sizeof got));
        for (int i = 0; i < N - 1; i++) {
            /* a product and a sum, fused or not: two roundings of f32 at most */
            double want = (double)a * x[i] + y[i], bound = 0x1p-23 * (fabs((double)a * x[i]) + fabs((double)y[i]));
            CHECK_MSG(fabs(got[i] - want) <= bound, "kind %d, %d: %.9g, want %.9g", kind, i, (double)got[i], want);
        }
        CHECK(got[N - 1] == y[N - 1]); /* beyond n */
        REQUIRE(zed_free(&dev, dx) && zed_free(&dev, dy));
    }
    close_clean();
}

TEST(arguments_arrive_on_the_device)
{
    zed_module module;
    zed_kernel keep;
    uint64_t *out;
    float f = -1.25f;
    uint32_t f_bits;
    memcpy(&f_bits, &f, sizeof f_bits);
    REQUIRE(zed_open(&dev, NULL));
    REQUIRE(load(&module));
    REQUIRE(zed_kernel_get(&keep, &module, "keep",
                           "ptr<u64> out, i8 a, i16 b, i32 c, i64 d, u8 e, u16 f, u32 g, u64 h, f32 i"));
    out = (uint64_t *)zed_alloc(&dev, ZED_SHARED, 9 * sizeof *out, 0);
    REQUIRE(out != NULL);
    REQUIRE(zed_fill(&dev, out, 0xa5, 9 * sizeof *out));
    REQUIRE(zed_launch(&keep, (zed_groups){1, 1, 1}, out, -128, -32768, INT32_MIN, INT64_MIN + 1, 200, 60000,
                       4000000000u, UINT64_MAX - 2, -1.25));
    const uint64_t want[9] = {(uint64_t)INT64_C(-128),
                              (uint64_t)INT64_C(-32768),
                              (uint64_t)(int64_t)INT32_MIN,
                              (uint64_t)(INT64_MIN + 1),
                              200,
                              60000,
                              4000000000u,
                              UINT64_MAX - 2,
                              f_bits};
    for (int i = 0; i < 9; i++) {
        CHECK_MSG(out[i] == want[i], "argument %d arrived as %llx, want %llx", i + 1, (unsigned long long)out[i],
                  (unsigned long long)want[i]);
    }
    close_clean();
}

TEST(local_memory_by_argument)
{
    enum { GROUP = 48, N = 5 * GROUP };
    zed_module module;
    zed_kernel mirror;
    uint32_t *x;
    REQUIRE(zed_open(&dev, NULL));
    REQUIRE(load(&module));
    REQUIRE(zed_kernel_get(&mirror, &module, "mirror", "ptr<u32> x, local<u32> t"));
    REQUIRE(zed_local_size(&mirror, GROUP, 1, 1));
    x = (uint32_t *)zed_alloc(&dev, ZED_SHARED, N * sizeof *x, 0);
    REQUIRE(x != NULL);
    for (uint32_t i = 0; i < N; i++) x[i] = i * 2654435761u;
    REQUIRE(zed_launch(&mirror, (zed_groups){N / GROUP, 1, 1}, x, (zed_local){GROUP * sizeof *x}));
    for (uint32_t i = 0; i < N; i++) {
        uint32_t from = i / GROUP * GROUP + GROUP - 1 - i % GROUP;
        CHECK_MSG(x[i] == from * 2654435761u, "%u: %u", i, x[i]);
    }
    close_clean();
}

TEST(a_load_takes_the_sizes_of_the_module)
{
    struct {
        const void *words;
        size_t size;
        const char *kernel, *params, *build_flags;
        uint32_t local_size[3];
    } mod = {module_words.data, 4 * module_words.count, "saxpy_fixed", "ptr<f32> x, ptr<f32> y, f32 a, u32 n", "", {0}};
    zed_kernel k, clone;
    float *x;
    REQUIRE(zed_open(&dev, NULL));
    REQUIRE(ZED_LOAD(&k, &dev, mod));
    CHECK_INT(k.local_size[0], 32);
    CHECK_INT(k.subgroup_size, 16);
    REQUIRE(zed_kernel_clone(&clone, &k, &dev));
    CHECK_INT(clone.local_size[0], 32);
    x = (float *)zed_alloc(&dev, ZED_SHARED, 64 * sizeof *x, 0);
    REQUIRE(x != NULL);
    for (int i = 0; i < 64; i++) x[i] = (float)i;
    REQUIRE(zed_launch(&k, (zed_groups){2, 1, 1}, x, x, 1.0f, 64)); /* x + x */
    REQUIRE(zed_launch(&clone, (zed_groups){2, 1, 1}, x, x, 1.0f, 33));
    for (int i = 0; i < 64; i++) CHECK_INT((int)x[i], i < 33 ? 4 * i : 2 * i);
    REQUIRE(zed_kernel_free(&clone) && zed_kernel_free(&k));
    close_clean();
}

static uint32_t spun(uint32_t v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) v = v * 3 + 1;
    return v;
}

TEST(a_launch_is_timed_by_the_device)
{
    enum { N = 256, TURNS = 20000 };
    zed_module module;
    zed_kernel spin;
    uint32_t *x;
    double few, many;
    REQUIRE(zed_open(&dev, NULL));
    REQUIRE(load(&module));
    REQUIRE(zed_kernel_get(&spin, &module, "spin", "ptr<u32> x, u32 n"));
    REQUIRE(zed_local_size(&spin, 16, 1, 1));
    x = (uint32_t *)zed_alloc(&dev, ZED_SHARED, N * sizeof *x, 0);
    REQUIRE(x != NULL);
    for (uint32_t i = 0; i < N; i++) x[i] = i;
    few = zed_launch_timed(&spin, (zed_groups){N / 16, 1, 1}, x, 1);
    many = zed_launch_timed(&spin, (zed_groups){N / 16, 1, 1}, x, TURNS);
    CHECK_MSG(few >= 0 && many > 0, "%s", zed_get_error(&dev)->text);
    /* Each iteration depends on the previous one: the lower bound is safe at 5 GHz, and a minute is too long. */
    CHECK_MSG(many > TURNS * 0.2 && many < 60e9, "%d turns took %g ns", (int)TURNS, many);
    CHECK_MSG(many > few || few > 1e6, "1 turn took %g ns, %d took %g ns", few, (int)TURNS, many);
    for (uint32_t i = 0; i < N; i++) CHECK_INT(x[i], spun(i, 1 + TURNS));
    close_clean();
}

TEST(starts_are_in_order_and_waited_for)
{
    enum { N = 64, STARTS = 20 };
    zed_module module;
    zed_kernel spin, saxpy;
    uint32_t *x;
    REQUIRE(zed_open(&dev, NULL));
    REQUIRE(load(&module));
    REQUIRE(zed_kernel_get(&spin, &module, "spin", "ptr<u32> x, u32 n"));
    REQUIRE(zed_kernel_get(&saxpy, &module, "saxpy", "ptr<f32> x, ptr<f32> y, f32 a, u32 n"));
    REQUIRE(zed_local_size(&spin, 32, 1, 1));
    x = (uint32_t *)zed_alloc(&dev, ZED_SHARED, N * sizeof *x, 0);
    REQUIRE(x != NULL);
    for (uint32_t i = 0; i < N; i++) x[i] = i;
    for (uint32_t i = 0; i < STARTS; i++) REQUIRE(zed_start(&spin, (zed_groups){N / 32, 1, 1}, x, i));
    REQUIRE(zed_wait(&dev));
    for (uint32_t i = 0; i < N; i++) CHECK_INT(x[i], spun(i, STARTS * (STARTS - 1) / 2));
    REQUIRE(zed_start(&spin, (zed_groups){N / 32, 1, 1}, x, 1000000)); /* still running when all is freed */
    REQUIRE(zed_free(&dev, x));
    close_clean();
}

TEST(a_batch_runs_again)
{
    enum { N = 64 };
    zed_module module;
    zed_kernel spin;
    zed_batch b;
    uint32_t *x, *copy;
    REQUIRE(zed_open(&dev, NULL));
    REQUIRE(load(&module));
    REQUIRE(zed_kernel_get(&spin, &module, "spin", "ptr<u32> x, u32 n"));
    REQUIRE(zed_local_size(&spin, 16, 1, 1));
    x = (uint32_t *)zed_alloc(&dev, ZED_SHARED, N * sizeof *x, 0);
    REQUIRE(x != NULL);
    copy = (uint32_t *)zed_alloc(&dev, ZED_SHARED, N * sizeof *x, 0);
    REQUIRE(copy != NULL);
    for (uint32_t i = 0; i < N; i++) x[i] = i;
    REQUIRE(zed_fill(&dev, copy, 0xff, N * sizeof *x));
    REQUIRE(zed_batch_begin(&b, &dev));
    for (int i = 0; i < 50; i++) REQUIRE(zed_batch_launch(&b, &spin, (zed_groups){N / 16, 1, 1}, x, i % 3));
    REQUIRE(zed_batch_copy(&b, copy, x, N * sizeof *x));
    REQUIRE(zed_batch_launch(&b, &spin, (zed_groups){N / 16, 1, 1}, x, 1));
    CHECK_INT(x[1], 1); /* nothing has run yet */
    REQUIRE(zed_batch_end(&b));
    for (uint32_t i = 0; i < N; i++) {
        CHECK_INT(copy[i], spun(i, 49));
        CHECK_INT(x[i], spun(i, 50));
    }
    REQUIRE(zed_batch_run(&b));
    for (uint32_t i = 0; i < N; i++) CHECK_INT(x[i], spun(i, 100));
    REQUIRE(zed_batch_free(&b));
    close_clean();
}

TEST(fills_and_copies)
{
    enum { BYTES = 4096 };
    unsigned char *shared, *device, mine[BYTES];
    const uint32_t pattern = 0x01234567;
    REQUIRE(zed_open(&dev, NULL));
    shared = (unsigned char *)zed_alloc(&dev, ZED_SHARED, BYTES, 4096);
    device = (unsigned char *)zed_alloc(&dev, ZED_DEVICE, BYTES, 0);
    REQUIRE(zed_fill(&dev, shared, 0x5a, BYTES));
    REQUIRE(zed_fill_pattern(&dev, shared + 8, &pattern, sizeof pattern, 64));
    REQUIRE(zed_copy(&dev, device, shared, BYTES));
    REQUIRE(zed_fill(&dev, shared, 0, BYTES));
    memset(mine, 0xee, sizeof mine);
    REQUIRE(zed_copy(&dev, mine + 1, device + 1, BYTES - 2));
    for (int i = 0; i < BYTES; i++) {
        int want = i >= 8 && i < 72 ? ((const unsigned char *)&pattern)[i % 4] : 0x5a;
        if (i == 0 || i == BYTES - 1) want = 0xee;
        CHECK_INT(mine[i], want);
        CHECK_INT(shared[i], 0);
    }
    close_clean();
}

TEST(the_target_tells_what_the_device_is)
{
    REQUIRE(zed_open(&dev, NULL));
    CHECK_MSG(strstr(CM_TARGET_NAMES, dev.target.name) != NULL, "target row %s", dev.target.name);
    CHECK_HAS(zed_target_log(&dev), dev.target.name);
    CHECK(dev.software == !strcmp(dev.target.name, "soft"));
    CHECK(dev.target.subgroup_sizes & (8 | 16 | 32));
    CHECK(dev.target.local_memory >= 1024 && dev.target.max_group_size >= 64);
    CHECK(dev.target.max_alloc > 1 << 20);
    close_clean();
}

TEST(what_is_left_is_freed_at_the_end)
{
    zed_module module;
    zed_kernel k;
    zed_batch b;
    REQUIRE(zed_open(&dev, NULL));
    REQUIRE(load(&module));
    for (int i = 0; i < 40; i++) {
        CHECK(zed_alloc(&dev, ZED_SHARED + i % 3, 1000, 0) != NULL);
        REQUIRE(zed_kernel_get(&k, &module, "spin", "ptr<u32> x, u32 n"));
    }
    REQUIRE(zed_batch_begin(&b, &dev));
    close_clean();
    zed_close(&dev);
    for (int i = 0; i < 20; i++) { /* and again */
        REQUIRE(zed_open(&dev, NULL));
        CHECK(zed_alloc(&dev, ZED_DEVICE, 1000, 0) != NULL);
        close_clean();
    }
}

int main(void)
{
    build();
    RUN(saxpy_on_every_kind_of_memory);
    RUN(arguments_arrive_on_the_device);
    RUN(local_memory_by_argument);
    RUN(a_load_takes_the_sizes_of_the_module);
    RUN(a_launch_is_timed_by_the_device);
    RUN(starts_are_in_order_and_waited_for);
    RUN(a_batch_runs_again);
    RUN(fills_and_copies);
    RUN(the_target_tells_what_the_device_is);
    RUN(what_is_left_is_freed_at_the_end);
    spe_free(&built.m);
    return test_report();
}
