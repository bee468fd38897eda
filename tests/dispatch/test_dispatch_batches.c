/* Batches of ze_dispatch.h: in flight, ordered by events, timed, changed; modules loaded together and from a cache. On
 * a real device ($XETILE_DEVICE, else an Intel GPU, else the software device). Kernels multiply, so that the order of
 * two launches shows in the result.
 */
#define _POSIX_C_SOURCE 200809L

#include "test.h"

#include "dispatch_kernels.h"
#include "ze_dispatch.h"

#include <sys/stat.h>
#include <unistd.h>

enum { N = 256 };
static small_module built;
static spe_words module_words;
static zed_device dev;
static zed_module module;
static zed_kernel spin, add;
static uint32_t *x, *y;

#define REQUIRE(call)                                                                                                  \
    do {                                                                                                               \
        if (call) break;                                                                                               \
        test_fail(__FILE__, __LINE__, "%s: %s", #call, zed_get_error(&dev)->text);                                     \
        zed_close(&dev);                                                                                               \
        return;                                                                                                        \
    } while (0)
#define ALL ((zed_groups){N / 16, 1, 1}) /* in parentheses: a literal may stand in them */

/* add: x[i] = x[i] + n; "ptr<u32> x, u32 n". */
static void small_add(small_module *s)
{
    spe_module *m = &s->m;
    spe_id u32 = spe_int(m, 32), at;
    small_param(s, small_global(s, u32), "x");
    small_param(s, u32, "n");
    small_begin(s, "add", 16, 0);
    at = spe_index(m, spe_param_id(m, 0), spe_builtin(m, SPE_GLOBAL_ID, 0));
    spe_store(m, at, spe_iadd(m, spe_load(m, at, 0), spe_param_id(m, 1)), 0);
    small_end(s);
}

static void build(void)
{
    spe_begin(&built.m, NULL);
    small_spin(&built, "spin");
    small_add(&built);
    module_words = spe_finish(&built.m);
    test_save_spv("test_dispatch_batches", module_words.data, 4 * module_words.count);
}

static const char *const params = "ptr<u32> x, u32 n";

static bool begin(void)
{
    bool ok = zed_open(&dev, NULL) && zed_module_load(&module, &dev, module_words.data, 4 * module_words.count, NULL) &&
              zed_kernel_get(&spin, &module, "spin", params) && zed_local_size(&spin, 16, 1, 1) &&
              zed_kernel_get(&add, &module, "add", params);
    x = (uint32_t *)zed_alloc(&dev, ZED_SHARED, N * sizeof *x, 0);
    y = (uint32_t *)zed_alloc(&dev, ZED_SHARED, N * sizeof *y, 0);
    for (uint32_t i = 0; ok && x && y && i < N; i++) x[i] = i * 2654435761u, y[i] = 0xdeadbeef;
    return ok && x && y;
}

static void end(void)
{
    zed_close(&dev);
    CHECK_MSG(!zed_get_error(&dev)->id, "%s", zed_get_error(&dev)->text);
}

static uint32_t spun(uint32_t v, uint32_t n)
{
    while (n--) v = v * 3 + 1;
    return v;
}

TEST(batches_in_flight_run_in_order)
{
    enum { BATCHES = 8 };
    zed_batch b[BATCHES];
    uint32_t want = 0;
    REQUIRE(begin());
    for (int i = 0; i < BATCHES; i++) {
        REQUIRE(zed_batch_begin(&b[i], &dev));
        REQUIRE(zed_batch_launch(&b[i], &spin, ALL, x, 2000));
        REQUIRE(zed_batch_launch(&b[i], &add, ALL, x, i + 1));
    }
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < BATCHES; i++) {
            REQUIRE(zed_batch_start(&b[i]));
            if (i % 3 == 1) REQUIRE(zed_start(&spin, ALL, x, 7)); /* between two batches */
            if (i % 4 == 2) REQUIRE(zed_start(&add, ALL, x, 5));
        }
    }
    REQUIRE(zed_launch(&add, ALL, x, 100)); /* waits for all */
    for (uint32_t at = 0; at < N; at++) {
        want = at * 2654435761u;
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < BATCHES; i++) {
                want = spun(want, 2000) + (uint32_t)i + 1;
                if (i % 3 == 1) want = spun(want, 7);
                if (i % 4 == 2) want += 5;
            }
        }
        CHECK_INT(x[at], want + 100);
    }
    for (int i = 0; i < BATCHES; i++) REQUIRE(zed_batch_wait(&b[i]) && zed_batch_free(&b[i]));
    end();
}

TEST(a_batch_left_in_flight_is_waited_for)
{
    zed_batch b;
    REQUIRE(begin());
    REQUIRE(zed_batch_begin(&b, &dev) && zed_batch_launch(&b, &spin, ALL, x, 3000000) && zed_batch_start(&b));
    REQUIRE(zed_free(&dev, x));
    REQUIRE(zed_batch_begin(&b, &dev) && zed_batch_launch(&b, &spin, ALL, y, 3000000) && zed_batch_start(&b));
    end();
}

/* Two queues of a device, each waiting for the other in turn. */
TEST(events_order_two_queues)
{
    enum { ROUNDS = 20 };
    static zed_device second;
    zed_kernel mine;
    zed_event to[ROUNDS], back[ROUNDS];
    REQUIRE(begin());
    REQUIRE(zed_open_queue(&second, &dev));
    REQUIRE(zed_kernel_clone(&mine, &add, &second));
    for (int i = 0; i < ROUNDS; i++) REQUIRE(zed_event_create(&to[i], &dev) && zed_event_create(&back[i], &second));
    for (int i = 0; i < ROUNDS; i++) {
        REQUIRE(zed_start(&spin, ALL, x, 500) && zed_signal(&dev, &to[i]));
        REQUIRE(zed_follow(&second, &to[i]) && zed_start(&mine, ALL, x, i) && zed_signal(&second, &back[i]));
        REQUIRE(zed_follow(&dev, &back[i]));
    }
    REQUIRE(zed_event_wait(&back[ROUNDS - 1]));
    CHECK(zed_event_done(&back[ROUNDS - 1]) && zed_event_done(&to[0]));
    for (uint32_t at = 0; at < N; at++) {
        uint32_t want = at * 2654435761u;
        for (uint32_t i = 0; i < ROUNDS; i++) want = spun(want, 500) + i;
        CHECK_INT(x[at], want);
    }
    REQUIRE(zed_event_free(&back[0]));
    zed_close(&second);
    CHECK_MSG(!zed_get_error(&second)->id, "%s", zed_get_error(&second)->text);
    end();
}

TEST(events_order_batches_of_two_queues)
{
    static zed_device second;
    zed_batch first_half, second_half;
    zed_event e;
    zed_kernel mine;
    REQUIRE(begin());
    REQUIRE(zed_open_queue(&second, &dev));
    REQUIRE(zed_kernel_clone(&mine, &add, &second) && zed_event_create(&e, &dev));
    REQUIRE(zed_batch_begin(&first_half, &dev) && zed_batch_launch(&first_half, &spin, ALL, x, 5000) &&
            zed_batch_signal(&first_half, &e) && zed_batch_launch(&first_half, &spin, ALL, y, 5));
    REQUIRE(zed_batch_begin(&second_half, &second) && zed_batch_follow(&second_half, &e) &&
            zed_batch_launch(&second_half, &mine, ALL, x, 9));
    for (uint32_t round = 1; round <= 5; round++) {
        REQUIRE(zed_batch_start(&first_half) && zed_batch_start(&second_half));
        REQUIRE(zed_batch_wait(&second_half) && zed_batch_wait(&first_half));
        for (uint32_t at = 0; at < N; at++) {
            uint32_t want = at * 2654435761u;
            for (uint32_t i = 0; i < round; i++) want = spun(want, 5000) + 9;
            CHECK_INT(x[at], want);
        }
    }
    for (uint32_t at = 0; at < N; at++) CHECK_INT(y[at], spun(0xdeadbeef, 25));
    zed_close(&second);
    CHECK_MSG(!zed_get_error(&second)->id, "%s", zed_get_error(&second)->text);
    end();
}

TEST(each_launch_of_a_batch_is_timed)
{
    zed_batch b;
    FILE *f = tmpfile();
    char text[1000] = "";
    REQUIRE(begin());
    REQUIRE(zed_batch_begin_timed(&b, &dev));
    REQUIRE(zed_batch_launch(&b, &spin, ALL, x, 1) && zed_batch_launch(&b, &spin, ALL, x, 30000000) &&
            zed_batch_launch(&b, &add, ALL, x, 1));
    REQUIRE(zed_batch_start(&b));
    double shorter = zed_batch_ns(&b, 0), longer = zed_batch_ns(&b, 1), last = zed_batch_ns(&b, 2);
    CHECK_MSG(shorter >= 0 && last >= 0 && longer > shorter && longer > last, "%g, %g, %g ns", shorter, longer, last);
    REQUIRE(f && zed_batch_print_times(&b, f));
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    CHECK(!strncmp(text, "spin ", 5)); /* the kernel that took longest comes first */
    CHECK_HAS(text, " 2 x ");
    CHECK_HAS(text, "\nadd ");
    CHECK(zed_batch_ns(&b, 3) < 0);
    CHECK_INT(zed_get_error(&dev)->id, ZED_BATCH_LAUNCH);
    CHECK_HAS(zed_get_error(&dev)->text, "the batch has 3");
    zed_clear_error(&dev);
    REQUIRE(zed_batch_begin(&b, &dev) && zed_batch_launch(&b, &add, ALL, x, 1) && zed_batch_end(&b));
    CHECK(zed_batch_ns(&b, 0) < 0);
    CHECK_HAS(zed_get_error(&dev)->text, "untimed");
    zed_clear_error(&dev);
    CHECK(!zed_batch_print_times(&b, stdout));
    CHECK_HAS(zed_get_error(&dev)->text, "untimed");
    zed_clear_error(&dev);
    end();
}

TEST(launches_of_a_batch_are_changed)
{
    zed_batch b;
    uint32_t n[3] = {1, 2, 3}, want_x[N], want_y[N];
    REQUIRE(begin());
    memcpy(want_x, x, sizeof want_x);
    memcpy(want_y, y, sizeof want_y);
    REQUIRE(zed_batch_begin_timed(&b, &dev));
    REQUIRE(zed_batch_launch(&b, &spin, ALL, x, n[0]) && zed_batch_launch(&b, &add, ALL, x, n[1]) &&
            zed_batch_copy(&b, y, x, N / 2 * sizeof *x) && zed_batch_launch(&b, &spin, ALL, y, n[2]));
    for (uint32_t round = 0; round < 12; round++) {
        uint32_t part = round < 6 ? N : N / 2;
        if (round) {
            n[round % 3] = 10 * round;
            if (round % 3 == 0) REQUIRE(zed_batch_change(&b, 0, ALL, x, n[0]));
            if (round % 3 == 1) REQUIRE(zed_batch_change(&b, 1, ALL, x, n[1]));
            if (round % 3 == 2 || round == 6)
                REQUIRE(zed_batch_change(&b, 2, ((zed_groups){part / 16, 1, 1}), y, n[2]));
        }
        REQUIRE(zed_batch_start(&b));
        REQUIRE(zed_batch_wait(&b));
        for (uint32_t at = 0; at < N; at++) {
            want_x[at] = spun(want_x[at], n[0]) + n[1];
            if (at < N / 2) want_y[at] = want_x[at];
            if (at < part) want_y[at] = spun(want_y[at], n[2]);
            CHECK_INT(x[at], want_x[at]);
            CHECK_INT(y[at], want_y[at]);
        }
    }
    CHECK(zed_batch_ns(&b, 0) >= 0);
    CHECK(!zed_batch_change(&b, 3, ALL, x, 1));
    CHECK_HAS(zed_get_error(&dev)->text, "launch 3 of a batch of 3");
    zed_clear_error(&dev);
    CHECK(!zed_batch_change(&b, 0, ALL, x));
    CHECK_INT(zed_get_error(&dev)->id, ZED_ARG_COUNT);
    CHECK_INT(zed_get_error(&dev)->line, __LINE__ - 2);
    zed_clear_error(&dev);
    REQUIRE(zed_kernel_free(&add)); /* as the batch was */
    end();
}

/* ---- loading */

static char folder[64];

static zed_source source_of(const char *kernel)
{
    zed_source s = {module_words.data, 4 * module_words.count, kernel, params, NULL, {16, 1, 1}, NULL, 0};
    return s;
}

/* The modules are compiled once; both kernels work. */
static void check_kernel(zed_kernel *k, bool adds)
{
    for (uint32_t i = 0; i < N; i++) x[i] = i;
    CHECK(zed_launch(k, ALL, x, 3));
    for (uint32_t i = 0; i < N; i++) CHECK_INT(x[i], adds ? i + 3 : spun(i, 3));
}

TEST(many_modules_are_loaded_at_once)
{
    enum { MANY = 24 };
    zed_kernel kernels[MANY];
    zed_source sources[MANY];
    spe_words words[MANY];
    static small_module several[MANY];
    REQUIRE(begin());
    for (int i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof name, "spin_%d",
                 i % 20); /* the last four are the same modules again, elsewhere in memory */
        spe_begin(&several[i].m, NULL);
        small_spin(&several[i], name);
        words[i] = spe_finish(&several[i].m);
        sources[i] = (zed_source){words[i].data, 4 * words[i].count, NULL, params, "", {16, 0, 0}, NULL, 0};
    }
    char names[MANY][16];
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "spin_%d", i % 20);
        sources[i].kernel = names[i];
    }
    REQUIRE(zed_load_all(kernels, &dev, sources, MANY, NULL));
    for (int i = 0; i < MANY; i++) check_kernel(&kernels[i], false);
    sources[5].kernel = "none"; /* one that fails: no module is kept */
    size_t before = dev.resource_count_;
    CHECK(!zed_load_all(kernels, &dev, sources, MANY, NULL));
    CHECK_INT(zed_get_error(&dev)->id, ZED_KERNEL_NAME);
    CHECK_INT(dev.resource_count_, before);
    zed_clear_error(&dev);
    for (int i = 0; i < MANY; i++) spe_free(&several[i].m);
    zed_source two[2] = {source_of("spin"), source_of("add")};
    REQUIRE(zed_load_all(kernels, &dev, two, 2, NULL));
    CHECK(kernels[0].module == kernels[1].module);
    check_kernel(&kernels[0], false);
    check_kernel(&kernels[1], true);
    end();
}

/* Loads with the cache, and checks what it says. */
static bool load_cached(const char *says)
{
    struct {
        const void *words;
        size_t size;
        const char *kernel, *params, *build_flags;
        uint32_t local_size[3];
    } mod = {module_words.data, 4 * module_words.count, "add", params, "", {16, 1, 1}};
    zed_kernel k;
    if (!ZED_LOAD_CACHED(&k, &dev, mod, folder)) return false;
    CHECK_MSG(!strncmp(zed_cache_log(&dev), says, strlen(says)), "%s, want %s", zed_cache_log(&dev), says);
    check_kernel(&k, true);
    return zed_kernel_free(&k);
}

static void damage(const char *path, long at)
{
    FILE *f = fopen(path, "r+b");
    CHECK(f && fseek(f, at, at < 0 ? SEEK_END : SEEK_SET) == 0 && fputc('~', f) != EOF && fclose(f) == 0);
}

TEST(a_cache_keeps_what_the_driver_compiled)
{
    char path[1300];
    struct stat s;
    REQUIRE(begin());
    snprintf(folder, sizeof folder, "%s/xetile-cache-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    CHECK(mkdtemp(folder) != NULL);
    REQUIRE(load_cached("stored "));
    snprintf(path, sizeof path, "%s", zed_cache_log(&dev) + strlen("stored "));
    REQUIRE(load_cached("loaded "));
    static const long places[] = {0, 30, 400, -1, -20}; /* in the text, the words, the sum and the binary */
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        damage(path, places[i]);
        REQUIRE(load_cached("stored "));
        REQUIRE(load_cached("loaded "));
    }
    CHECK(stat(path, &s) == 0 && truncate(path, s.st_size / 2) == 0);
    REQUIRE(load_cached("stored "));
    CHECK(truncate(path, 0) == 0);
    REQUIRE(load_cached("stored "));
    CHECK(remove(path) == 0 && rmdir(folder) == 0);
    REQUIRE(load_cached("not stored "));
    end();
}

int main(void)
{
    build();
    RUN(batches_in_flight_run_in_order);
    RUN(a_batch_left_in_flight_is_waited_for);
    RUN(events_order_two_queues);
    RUN(events_order_batches_of_two_queues);
    RUN(each_launch_of_a_batch_is_timed);
    RUN(launches_of_a_batch_are_changed);
    RUN(many_modules_are_loaded_at_once);
    RUN(a_cache_keeps_what_the_driver_compiled);
    spe_free(&built.m);
    return test_report();
}
