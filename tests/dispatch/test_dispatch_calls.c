/* ze_dispatch.h on a mock Level Zero: the choice of device, the failure of any call, the conversion of timestamps to
 * nanoseconds, and the environment variables that are set.
 */
#undef XETILE_DECLARATIONS /* the bodies are here: private names are tested */
#define _POSIX_C_SOURCE 200809L

#include "test.h"

#include "pretend_ze.h"

#include "ze_dispatch.h"

static const struct pretend_device office[] = {
    {"xetile software device (4 threads)", ZE_DEVICE_TYPE_CPU, 0, 0, 0, 2, {0}},
    {"Intel(R) AI Boost", ZE_DEVICE_TYPE_VPU, 0x8086, 0x643e, 0, 1, {0}},
    {"Intel(R) Arc(TM) Graphics", ZE_DEVICE_TYPE_GPU, 0x8086, 0x64a0, ZE_DEVICE_PROPERTY_FLAG_INTEGRATED, 0, {0}},
    {"Some Processor", ZE_DEVICE_TYPE_CPU, 0x1234, 7, 0, 3, {0}},
    {"Intel(R) Arc(TM) B580 Graphics", ZE_DEVICE_TYPE_GPU, 0x8086, 0xe20b, 0, 0, {0}},
};

static void clean_environment(void)
{
    unsetenv("XETILE_DEVICE");
    unsetenv("XETILE_SOFT");
    setenv("ZE_ENABLE_ALT_DRIVERS", "the user's", 1);
}

static void start(void)
{
    clean_environment();
    pretend_reset(office, 5);
}

static bool open_asked(zed_device *d, const char *device)
{
    zed_options o = {.device = device};
    return zed_open(d, &o);
}

static bool open_named(zed_device *d, const char *name, int index_plus_1)
{
    zed_options o = {.name = name, .index_plus_1 = index_plus_1};
    return zed_open(d, &o);
}

TEST(devices_come_in_order_of_preference)
{
    zed_info infos[8];
    zed_error error;
    start();
    CHECK_INT(zed_list(infos, 8, &error), 4);
    CHECK_INT(error.id, 0);
    CHECK_STR(infos[0].name, "Intel(R) Arc(TM) B580 Graphics");
    CHECK_STR(infos[1].name, "Intel(R) Arc(TM) Graphics");
    CHECK_STR(infos[2].name, "Some Processor");
    CHECK_STR(infos[3].name, "xetile software device (4 threads)");
    CHECK_STR(infos[0].target, "bmg");
    CHECK_STR(infos[1].target, "lnl");
    CHECK_STR(infos[2].target, "generic");
    CHECK_STR(infos[3].target, "soft");
    CHECK(infos[0].gpu && !infos[2].gpu && infos[3].software && !infos[0].software);
    CHECK_INT(infos[3].index, 3);
    CHECK_INT(zed_list(NULL, 0, NULL), 4);
    CHECK_INT(zed_list(NULL, 5, NULL), 4);
}

static void read_all(FILE *f, char *text, size_t size)
{
    rewind(f);
    text[fread(text, 1, size - 1, f)] = 0;
    fclose(f);
}

TEST(the_list_is_printed)
{
    FILE *f = tmpfile();
    char text[1024];
    start();
    CHECK(zed_print_list(f));
    read_all(f, text, sizeof text);
    CHECK_STR(
        text,
        "0  Intel(R) Arc(TM) B580 Graphics (bmg)\n1  Intel(R) Arc(TM) Graphics (lnl)\n2  Some Processor (generic)\n"
        "3  xetile software device (4 threads) (soft)\n");
}

TEST(a_device_is_chosen_by_name_index_or_environment)
{
    static const struct {
        const char *variable, *name;
        int index_plus_1;
        const char *want;
    } cases[] = {
        {NULL, NULL, 0, "Intel(R) Arc(TM) B580 Graphics"},
        {NULL, NULL, 2, "Intel(R) Arc(TM) Graphics"},
        {NULL, "SOFTWARE", 0, "xetile software device (4 threads)"},
        {NULL, "soft", 0, "xetile software device (4 threads)"},
        {NULL, "lnl", 0, "Intel(R) Arc(TM) Graphics"},
        {"2", NULL, 0, "Some Processor"},
        {"processor", NULL, 0, "Some Processor"},
        {"", NULL, 0, "Intel(R) Arc(TM) B580 Graphics"},
        {"2", "b580", 0, "Intel(R) Arc(TM) B580 Graphics"}, /* the program's choice takes precedence */
        {"2", NULL, 4, "xetile software device (4 threads)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        zed_device d;
        start();
        if (cases[i].variable) setenv("XETILE_DEVICE", cases[i].variable, 1);
        CHECK(open_named(&d, cases[i].name, cases[i].index_plus_1));
        CHECK_STR(d.name, cases[i].want);
        zed_close(&d);
        CHECK_INT(pretend.alive, 0);
    }
}

TEST(a_device_is_chosen_as_people_type_it)
{
    static const char *const cases[][2] = {
        {"0", "Intel(R) Arc(TM) B580 Graphics"},
        {"2", "Some Processor"},
        {"software", "xetile software device (4 threads)"},
        {"lnl", "Intel(R) Arc(TM) Graphics"},
        {"", "Intel(R) Arc(TM) B580 Graphics"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        zed_device d;
        start();
        setenv("XETILE_DEVICE", "1", 1); /* has lower precedence */
        CHECK(open_asked(&d, cases[i][0]));
        CHECK_STR(d.name, cases[i][1]);
        zed_close(&d);
        start();
        CHECK(!open_asked(&d, i % 2 ? "4" : "radeon"));
        CHECK_INT(zed_get_error(&d)->id, ZED_NO_SUCH_DEVICE);
        CHECK_HAS(zed_get_error(&d)->text, i % 2 ? "\"4\"" : "\"radeon\"");
        zed_close(&d);
        CHECK_INT(pretend.alive, 0);
    }
}

TEST(a_device_that_is_not_there_is_named_with_those_that_are)
{
    static const struct {
        const char *variable, *name;
        int index_plus_1;
        const char *says, *from;
    } cases[] = {
        {NULL, "radeon", 0, "\"radeon\"", "zed_options"},
        {NULL, NULL, 5, "\"4\"", "zed_options"},
        {NULL, NULL, -1, "\"-2\"", "zed_options"},
        {NULL, NULL, INT_MIN, "\"-2147483649\"", "zed_options"},
        {"4", NULL, 0, "\"4\"", "XETILE_DEVICE"},
        {"99999999999", NULL, 0, "\"99999999999\"", "XETILE_DEVICE"},
        {"pvc", NULL, 0, "\"pvc\"", "XETILE_DEVICE"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        zed_device d;
        int line = 0;
        start();
        if (cases[i].variable) setenv("XETILE_DEVICE", cases[i].variable, 1);
        zed_options o = {.name = cases[i].name, .index_plus_1 = cases[i].index_plus_1};
        line = __LINE__ + 1;
        CHECK(!zed_open(&d, &o));
        CHECK_INT(zed_get_error(&d)->id, ZED_NO_SUCH_DEVICE);
        CHECK_STR(zed_get_error(&d)->name, "ZED_NO_SUCH_DEVICE");
        CHECK_HAS(zed_get_error(&d)->text, cases[i].says);
        CHECK_HAS(zed_get_error(&d)->text, cases[i].from);
        CHECK_HAS(zed_get_error(&d)->text, "0 \"Intel(R) Arc(TM) B580 Graphics\"");
        CHECK_HAS(zed_get_error(&d)->text, "3 \"xetile software device (4 threads)\"");
        CHECK_STR(zed_get_error(&d)->file, __FILE__);
        CHECK_INT(zed_get_error(&d)->line, line);
        zed_close(&d);
        CHECK_INT(pretend.alive, 0);
    }
}

TEST(no_device_says_how_to_get_one)
{
    static const struct pretend_device npu_only[] = {{"NPU", ZE_DEVICE_TYPE_VPU, 0x8086, 1, 0, 0, {0}}};
    zed_device d;
    zed_error error;
    FILE *f = tmpfile();
    char text[1024];
    clean_environment();
    pretend_reset(NULL, 0);
    CHECK(!zed_open(&d, NULL));
    CHECK_INT(zed_get_error(&d)->id, ZED_NO_DEVICE);
    CHECK_INT(zed_get_error(&d)->result, ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK_HAS(zed_get_error(&d)->text, "ZE_RESULT_ERROR_UNINITIALIZED");
    CHECK_HAS(zed_get_error(&d)->text, "the user's");
    CHECK_HAS(zed_get_error(&d)->text, "make soft");
    CHECK_HAS(zed_get_error(&d)->text, "XETILE_SOFT=");
    CHECK_INT(zed_list(NULL, 0, &error), -1);
    CHECK_INT(error.id, ZED_NO_DEVICE);
    CHECK(!zed_print_list(f));
    read_all(f, text, sizeof text);
    CHECK_HAS(text, __FILE__);
    CHECK_HAS(text, "ZED_NO_DEVICE");
    pretend_reset(npu_only, 1);
    CHECK(!zed_open(&d, NULL));
    CHECK_INT(zed_get_error(&d)->id, ZED_NO_DEVICE);
    zed_close(&d);
    zed_close(&d);
}

TEST(the_loader_is_told_of_the_software_device)
{
    zed_device d;
    start();
    CHECK(zed_open(&d, NULL));
    CHECK_STR(getenv("ZE_ENABLE_ALT_DRIVERS"), "the user's");
    zed_close(&d);

    unsetenv("ZE_ENABLE_ALT_DRIVERS");
    setenv("XETILE_SOFT", "/", 1); /* anything readable */
    CHECK(zed_open(&d, NULL));
    CHECK_STR(getenv("ZE_ENABLE_ALT_DRIVERS"), "libze_intel_gpu.so.1,libze_intel_gpu_legacy1.so.1,/");
    zed_close(&d);

    unsetenv("ZE_ENABLE_ALT_DRIVERS");
    setenv("XETILE_SOFT", "", 1);
    CHECK(zed_open(&d, NULL));
    CHECK(!getenv("ZE_ENABLE_ALT_DRIVERS"));
    zed_close(&d);

    setenv("XETILE_SOFT", "/no/such/libze_soft.so", 1);
    CHECK(!zed_open(&d, NULL));
    CHECK_INT(zed_get_error(&d)->id, ZED_SOFT_MISSING);
    CHECK_HAS(zed_get_error(&d)->text, "/no/such/libze_soft.so");
    CHECK(!getenv("ZE_ENABLE_ALT_DRIVERS"));

    unsetenv("XETILE_SOFT");
    CHECK(zed_open(&d, NULL));
    CHECK_HAS(getenv("ZE_ENABLE_ALT_DRIVERS"), "libze_intel_gpu.so.1,libze_intel_gpu_legacy1.so.1,");
    CHECK_HAS(getenv("ZE_ENABLE_ALT_DRIVERS"), "libze_soft.so");
    zed_close(&d);
    clean_environment();
}

TEST(a_target_goes_to_a_builder)
{
    zed_device d;
    start();
    CHECK(open_named(&d, "soft", 0));
    struct builder_target {
        const char *name;
        uint32_t subgroup_sizes;
        int local_memory, max_group_size;
        bool more;
    } t = {ZED_TARGET(&d), .more = true};
    CHECK_STR(t.name, "soft");
    CHECK_INT(t.subgroup_sizes, 48);
    CHECK_INT(t.local_memory, 4096);
    CHECK_INT(t.max_group_size, 256);
    zed_close(&d);
}

TEST(timestamps_become_nanoseconds)
{
    static const struct {
        uint64_t tick_ns, ticks_per_second;
        uint32_t bits;
        uint64_t start, end;
        double want;
    } cases[] = {
        {52, 19200000, 32, 1000, 20200, 1000000},      /* 19200 ticks of 1/19.2 MHz */
        {52, 52, 32, 0, 100, 5200},                    /* a driver with the old meaning only */
        {80, 12500000, 32, 0xfffffff0, 0x10, 32 * 80}, /* wrapped at 32 bits */
        {1, 1000000000, 64, 5, 12, 7},
        {1, 1000000000, 0, 5, 12, 7}, /* bits not stated: all of them */
        {1, 1000000000, 36, 0xfffffffffu, 3, 4},
        {1, 1000000000, 64, UINT64_MAX, 1, 2},
        {10, 100000000, 32, 0xdead000000000010u, 0xbeef000000000020u, 160}, /* only the valid bits count */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static const uint32_t words[5] = {0x07230203};
        zed_device d;
        zed_module m;
        zed_kernel k;
        start();
        pretend.tick_ns = cases[i].tick_ns;
        pretend.ticks_per_second = cases[i].ticks_per_second;
        pretend.timestamp_bits = cases[i].bits;
        pretend.start = cases[i].start;
        pretend.end = cases[i].end;
        CHECK(zed_open(&d, NULL));
        CHECK(zed_module_load(&m, &d, words, sizeof words, NULL));
        CHECK(zed_kernel_get(&k, &m, "first", ""));
        CHECK(zed_local_size(&k, 16, 1, 1));
        double ns = zed_launch_timed(&k, (zed_groups){1, 1, 1});
        CHECK_MSG(fabs(ns - cases[i].want) <= 1e-9 * cases[i].want, "case %d: %.17g ns, want %.17g", (int)i, ns,
                  cases[i].want);
        zed_close(&d);
    }
}

/* Everything zed does, once. */
static void whole_program(zed_device *d, int *line)
{
    static const uint32_t words[5] = {0x07230203};
    zed_device second;
    zed_module m;
    zed_kernel k, clone;
    zed_kernel all[2];
    zed_source sources[2] = {{words, sizeof words, "first", "ptr<u8> p, u32 n", NULL, {16, 0, 0}, NULL, 0},
                             {words, sizeof words, "second", "ptr<u8> p, u32 n", "", {0, 0, 0}, NULL, 0}};
    zed_batch b;
    zed_event e, left;
    char *shared, *device, *host;
    memset(&second, 0, sizeof second);
    *line = __LINE__;
    zed_open(d, NULL);
    shared = (char *)zed_alloc(d, ZED_SHARED, 64, 0);
    device = (char *)zed_alloc(d, ZED_DEVICE, 64, 0);
    host = (char *)zed_alloc(d, ZED_HOST, 64, 0);
    zed_fill(d, shared, 3, 64);
    zed_copy(d, device, shared, 64);
    zed_copy(d, host, device, 64);
    zed_module_load(&m, d, words, sizeof words, "");
    zed_kernel_get(&k, &m, "first", "ptr<u8> p, u32 n");
    zed_local_size(&k, 16, 1, 1);
    zed_launch(&k, (zed_groups){1, 2, 3}, shared, 64);
    zed_launch_timed(&k, (zed_groups){1, 2, 3}, shared, 64);
    zed_start(&k, (zed_groups){1, 2, 3}, shared, 64);
    zed_start(&k, (zed_groups){1, 2, 3}, shared, 64);
    zed_wait(d);
    zed_event_create(&left, d);
    zed_batch_begin(&b, d);
    zed_batch_launch(&b, &k, (zed_groups){1, 2, 3}, shared, 64);
    zed_batch_launch(&b, &k, (zed_groups){1, 2, 3}, device, 64);
    zed_batch_copy(&b, host, device, 64);
    zed_event_create(&e, d);
    zed_batch_signal(&b, &e);
    zed_batch_end(&b);
    zed_batch_run(&b);
    zed_batch_change(&b, 1, (zed_groups){2, 1, 1}, shared, 32);
    zed_batch_start(&b); /* recorded again */
    zed_start(&k, (zed_groups){1, 2, 3}, shared, 64);
    zed_follow(d, &e);
    zed_signal(d, &e);
    zed_event_wait(&e);
    zed_event_done(&e);
    zed_batch_wait(&b);
    zed_batch_free(&b);
    zed_event_free(&e);
    zed_batch_begin_timed(&b, d);
    zed_batch_launch(&b, &k, (zed_groups){1, 2, 3}, shared, 64);
    zed_batch_follow(&b, &left);
    zed_batch_start(&b);
    zed_batch_ns(&b, 0);
    zed_load_all(all, d, sources, 2, NULL);
    zed_kernel_clone(&clone, &k, d);
    zed_launch(&clone, (zed_groups){1, 1, 1}, NULL, 64);
    zed_start(&k, (zed_groups){1, 2, 3}, shared, 64); /* left running */
    zed_kernel_free(&clone);
    zed_free(d, device);
    zed_close(d); /* frees the rest */
}

TEST(the_whole_program_runs)
{
    zed_device d;
    int line;
    start();
    pretend.kernel_args = 2;
    whole_program(&d, &line);
    CHECK_MSG(!zed_get_error(&d)->id, "%s", zed_get_error(&d)->text);
    CHECK_INT(pretend.alive, 0);
    CHECK_INT(pretend.pending, 0);
    CHECK_INT(pretend.launches, 12);
    CHECK_INT(pretend.executions, 4);
}

/* Each call of the program above fails once, with every kind of result in turn: the error is named, it is the user's
 * line, what follows does nothing, and nothing is left alive. */
TEST(any_call_may_fail)
{
    static const struct {
        uint32_t code;
        int id;
        const char *name, *result;
    } results[] = {
#define ROW(id, code, result, hint) {code, id, #id, result},
        ZED_RESULTS(ROW)
#undef ROW
    };
    const size_t result_count = sizeof results / sizeof results[0];
    int total, first, tolerated = 0;
    zed_device d;
    start();
    pretend.kernel_args = 2;
    whole_program(&d, &first);
    total = pretend.calls;
    CHECK(total > 60);
    for (int at = 1; at <= total; at++) {
        size_t r = (size_t)at % result_count;
        const zed_error *e;
        start();
        pretend.kernel_args = 2;
        pretend.fail_at = at;
        pretend.fail_with = (ze_result_t)results[r].code;
        pretend.log = "line 3: a log";
        whole_program(&d, &first);
        e = zed_get_error(&d);
        CHECK_MSG(pretend.failed, "call %d did not fail", at);
        CHECK_MSG(pretend.alive == 0, "%s, call %d: %d handles left", pretend.failed, at, pretend.alive);
        if (!e->id) {
            tolerated++;
            CHECK_MSG(!strcmp(pretend.failed, "zeDeviceGetProperties") ||
                          !strcmp(pretend.failed, "zeDeviceGetMemoryAccessProperties") ||
                          !strcmp(pretend.failed, "zeDeviceGet"),
                      "%s, call %d: its failure went unseen", pretend.failed, at);
            continue;
        }
        CHECK_MSG(e->line > first && !strcmp(e->file, __FILE__), "%s: %s:%d", pretend.failed, e->file, e->line);
        CHECK_MSG((uint32_t)e->result == results[r].code, "%s: result 0x%x", pretend.failed, (unsigned)e->result);
        CHECK_HAS(e->text, results[r].result);
        CHECK_HAS(e->text, pretend.failed);
        if (e->id == ZED_NO_DEVICE) continue;
        CHECK_MSG(e->id == results[r].id, "%s: %s, want %s", pretend.failed, e->name, results[r].name);
        CHECK_STR(e->name, results[r].name);
    }
    CHECK(tolerated >= 2 && tolerated <= 8);
}

TEST(every_result_has_a_name)
{
    static const struct {
        ze_result_t result;
        int id;
        const char *name;
    } known[] = {
        {ZE_RESULT_NOT_READY, ZED_ZE_NOT_READY, "ZE_RESULT_NOT_READY"},
        {ZE_RESULT_ERROR_DEVICE_LOST, ZED_ZE_DEVICE_LOST, "ZE_RESULT_ERROR_DEVICE_LOST"},
        {ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY, ZED_ZE_OUT_OF_DEVICE_MEMORY, "ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY"},
        {ZE_RESULT_ERROR_MODULE_LINK_FAILURE, ZED_ZE_MODULE_LINK_FAILURE, "ZE_RESULT_ERROR_MODULE_LINK_FAILURE"},
        {ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS, ZED_ZE_INSUFFICIENT_PERMISSIONS,
         "ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS"},
        {ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE, ZED_ZE_DEPENDENCY_UNAVAILABLE,
         "ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE"},
        {ZE_RESULT_ERROR_UNINITIALIZED, ZED_ZE_UNINITIALIZED, "ZE_RESULT_ERROR_UNINITIALIZED"},
        {ZE_RESULT_ERROR_INVALID_NULL_HANDLE, ZED_ZE_INVALID_NULL_HANDLE, "ZE_RESULT_ERROR_INVALID_NULL_HANDLE"},
        {ZE_RESULT_ERROR_UNSUPPORTED_SIZE, ZED_ZE_UNSUPPORTED_SIZE, "ZE_RESULT_ERROR_UNSUPPORTED_SIZE"},
        {ZE_RESULT_ERROR_INVALID_KERNEL_NAME, ZED_ZE_INVALID_KERNEL_NAME, "ZE_RESULT_ERROR_INVALID_KERNEL_NAME"},
        {ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE, ZED_ZE_INVALID_KERNEL_ARGUMENT_SIZE,
         "ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE"},
        {ZE_RESULT_ERROR_OVERLAPPING_REGIONS, ZED_ZE_OVERLAPPING_REGIONS, "ZE_RESULT_ERROR_OVERLAPPING_REGIONS"},
        {ZE_RESULT_ERROR_UNKNOWN, ZED_ZE_UNKNOWN, "ZE_RESULT_ERROR_UNKNOWN"},
    };
    size_t count;
    const zed_error_row_ *rows = zed_error_rows_(&count);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        CHECK_STR(zed_result_name(known[i].result), known[i].name);
        CHECK_INT(zed_result_row_(known[i].result)->id, known[i].id);
    }
    CHECK_STR(zed_result_name(ZE_RESULT_SUCCESS), "ZE_RESULT_SUCCESS");
    CHECK_INT(zed_result_row_((ze_result_t)0x12345678)->id, ZED_ZE_UNLISTED);
    for (size_t i = 0; i < count; i++) {
        CHECK(strlen(rows[i].hint) > 5);
        for (size_t j = i + 1; j < count; j++) {
            CHECK(rows[i].id != rows[j].id);
            CHECK(!rows[i].code || rows[i].code != rows[j].code);
        }
    }
}

TEST(every_result_becomes_its_error)
{
    size_t count;
    const zed_error_row_ *rows = zed_error_rows_(&count);
    for (size_t i = 0; i < count; i++) {
        zed_device d;
        if (!rows[i].code) continue;
        start();
        CHECK(zed_open(&d, NULL));
        pretend.fail_at = pretend.calls + 1;
        pretend.fail_with = (ze_result_t)rows[i].code;
        CHECK(zed_alloc(&d, ZED_SHARED, 16, 0) == NULL);
        CHECK_INT(zed_get_error(&d)->id, rows[i].id);
        CHECK_STR(zed_get_error(&d)->name, rows[i].name);
        CHECK_HAS(zed_get_error(&d)->text, rows[i].result);
        CHECK_HAS(zed_get_error(&d)->text, "zeMemAllocShared");
        pretend.fail_at = 0;
        zed_close(&d);
        CHECK_INT(pretend.alive, 0);
    }
}

TEST(a_refused_module_gives_its_log)
{
    static const uint32_t words[6] = {0x07230203};
    static char log[5000];
    zed_device d;
    zed_module m;
    memset(log, 'x', sizeof log - 1);
    memcpy(log, "error: begin", 12);
    memcpy(log + sizeof log - 5, "end!", 4);
    start();
    CHECK(zed_open(&d, NULL));
    pretend.log = log;
    pretend.fail_at = pretend.calls + 1;
    pretend.fail_with = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    CHECK(!zed_module_load(&m, &d, words, sizeof words, "-ze-opt-large-register-file"));
    CHECK_INT(zed_get_error(&d)->id, ZED_MODULE_BUILD);
    CHECK_INT(zed_get_error(&d)->line, __LINE__ - 2);
    CHECK_INT(zed_get_error(&d)->result, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    CHECK_HAS(zed_get_error(&d)->text, "error: begin");
    CHECK_HAS(zed_get_error(&d)->text, "24 bytes");
    CHECK_HAS(zed_get_error(&d)->text, "-ze-opt-large-register-file");
    CHECK_HAS(zed_get_error(&d)->text, "zed_build_log");
    CHECK_STR(zed_build_log(&d), log);
    zed_close(&d);
    CHECK_INT(pretend.alive, 0);
}

/* If the loader wraps handles, the log of a failed module must not go through it. */
TEST(a_wrapped_log_is_read_by_the_driver_or_not_at_all)
{
    static const uint32_t words[5] = {0x07230203};
    for (int gives = 0; gives < 2; gives++) {
        zed_device d;
        zed_module m;
        void *lost;
        start();
        CHECK(zed_open(&d, NULL));
        pretend.log = "by way of the loader";
        pretend.wraps = 1;
        pretend.gives_addresses = gives;
        pretend.fail_at = pretend.calls + 1;
        pretend.fail_with = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
        CHECK(!zed_module_load(&m, &d, words, sizeof words, NULL));
        CHECK_INT(zed_get_error(&d)->id, ZED_MODULE_BUILD);
        lost = pretend.last_log;
        CHECK_HAS(zed_get_error(&d)->text, gives ? "by the driver itself" : "ZE_ENABLE_ALT_DRIVERS");
        CHECK(!strstr(zed_build_log(&d), "by way of the loader"));
        zed_clear_error(&d);
        CHECK(zed_module_load(&m, &d, words, sizeof words, NULL));
        CHECK_STR(zed_build_log(&d), "by way of the loader"); /* of a module that did not fail, it is wrapped too */
        zed_close(&d);
        CHECK_INT(pretend.alive, gives ? 0 : 1); /* a log that nobody can free */
        if (!gives) free(lost);
    }
}

TEST(after_an_error_nothing_is_done_until_it_is_cleared)
{
    zed_device d;
    void *p;
    int calls;
    start();
    CHECK(zed_open(&d, NULL));
    p = zed_alloc(&d, ZED_SHARED, 16, 0);
    CHECK(p != NULL);
    CHECK(!zed_alloc(&d, ZED_SHARED, 0, 0));
    calls = pretend.calls;
    CHECK(!zed_alloc(&d, ZED_SHARED, 16, 0));
    CHECK(!zed_fill(&d, p, 1, 16));
    CHECK(!zed_wait(&d));
    CHECK_INT(pretend.calls, calls);
    CHECK_INT(zed_get_error(&d)->id, ZED_ALLOC_SIZE);
    CHECK(zed_free(&d, p)); /* cleaning up always works */
    zed_clear_error(&d);
    CHECK(zed_alloc(&d, ZED_SHARED, 16, 0) != NULL);
    zed_close(&d);
    CHECK_INT(pretend.alive, 0);
}

TEST(a_second_queue_shares_the_context)
{
    zed_device first, second;
    start();
    CHECK(zed_open(&first, NULL));
    CHECK(zed_open_queue(&second, &first));
    CHECK(second.context == first.context && second.list != first.list && second.event != first.event);
    CHECK_STR(second.target.name, first.target.name);
    zed_close(&second);
    CHECK(zed_alloc(&first, ZED_HOST, 8, 0) != NULL);
    zed_close(&first);
    CHECK(!zed_open_queue(&second, &first));
    CHECK_INT(zed_get_error(&second)->id, ZED_NOT_OPEN);
    CHECK_INT(pretend.alive, 0);
}

/* The discrete GPU's driver also has an integrated one, first whole, then as two sub-devices. */
TEST(a_context_reaches_devices_and_sub_devices)
{
    zed_device first, other;
    start();
    pretend.whole = 2;
    CHECK(zed_open(&first, NULL));
    CHECK_INT(zed_context_devices(&first), 2);
    CHECK(zed_open_in_context(&other, &first, 0));
    CHECK(other.device == (ze_device_handle_t)(uintptr_t)&office[2]);
    CHECK(other.context == first.context && other.list != first.list);
    CHECK_STR(other.target.name, "lnl");
    zed_close(&other);
    pretend.parts = 2;
    CHECK_INT(zed_context_devices(&first), 3);
    CHECK(zed_open_in_context(&other, &first, 0));
    CHECK(other.device == (ze_device_handle_t)(uintptr_t)&office[3]);
    zed_close(&other);
    CHECK(!zed_open_in_context(&other, &first, 3));
    CHECK_INT(zed_get_error(&other)->id, ZED_NO_SUCH_DEVICE);
    CHECK(!zed_open_in_context(&other, &first, -1));
    CHECK_INT(zed_get_error(&other)->id, ZED_NO_SUCH_DEVICE);
    for (int call = 1; pretend.failed || call == 1; call++) { /* any call may fail: nothing is left behind */
        int alive = pretend.alive;
        pretend.calls = 0, pretend.failed = NULL, pretend.fail_at = call,
        pretend.fail_with = ZE_RESULT_ERROR_DEVICE_LOST;
        bool open = zed_open_in_context(&other, &first, 1);
        pretend.fail_at = 0;
        CHECK_MSG(open || zed_get_error(&other)->id == ZED_ZE_DEVICE_LOST, "call %d", call);
        zed_close(&other);
        CHECK_INT(pretend.alive, alive);
    }
    zed_close(&first);
    CHECK(zed_context_devices(&first) == -1);
    CHECK(!zed_open_in_context(&other, &first, 0));
    CHECK_INT(zed_get_error(&other)->id, ZED_NOT_OPEN);
    CHECK_INT(pretend.alive, 0);
}

int main(void)
{
    RUN(devices_come_in_order_of_preference);
    RUN(the_list_is_printed);
    RUN(a_device_is_chosen_by_name_index_or_environment);
    RUN(a_device_is_chosen_as_people_type_it);
    RUN(a_device_that_is_not_there_is_named_with_those_that_are);
    RUN(no_device_says_how_to_get_one);
    RUN(the_loader_is_told_of_the_software_device);
    RUN(a_target_goes_to_a_builder);
    RUN(timestamps_become_nanoseconds);
    RUN(the_whole_program_runs);
    RUN(any_call_may_fail);
    RUN(every_result_has_a_name);
    RUN(every_result_becomes_its_error);
    RUN(a_refused_module_gives_its_log);
    RUN(a_wrapped_log_is_read_by_the_driver_or_not_at_all);
    RUN(after_an_error_nothing_is_done_until_it_is_cleared);
    RUN(a_second_queue_shares_the_context);
    RUN(a_context_reaches_devices_and_sub_devices);
    return test_report();
}
