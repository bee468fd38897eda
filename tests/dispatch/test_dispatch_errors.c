/* ze_dispatch.h: each error that the software device can produce, through the loader: its id, the line of the call,
 * both values in its text. (test_dispatch_args.c has every variant, without a device.) */
#undef XETILE_DECLARATIONS /* the bodies are here: private names are tested */
#define _POSIX_C_SOURCE 200809L

#include "test.h"

#include "dispatch_kernels.h"
#include "ze_dispatch.h"

#include <sys/wait.h>
#include <unistd.h>

static small_module built, too_large;
static spe_words module_words, too_large_words;
static zed_device dev;
static zed_module module;
static zed_kernel saxpy;
static float *memory;
static const zed_groups one_group = {1, 1, 1};
#define ONE_MORE(...) +1
enum { LAST_ERROR = ZED_FIRST_ERROR_ ZED_ERRORS(ONE_MORE) };
static bool seen[LAST_ERROR + 1 - ZED_FIRST_ERROR_];

static void build(void)
{
    spe_begin(&built.m, NULL);
    small_saxpy(&built, "saxpy", 0, 0);
    small_saxpy(&built, "saxpy_fixed", 32, 16);
    small_mirror(&built, "mirror");
    module_words = spe_finish(&built.m);
    test_save_spv("test_dispatch_errors", module_words.data, 4 * module_words.count);
    spe_begin(&too_large.m, NULL);
    small_saxpy(&too_large, "saxpy", 65536, 0);
    too_large_words = spe_finish(&too_large.m);
    if (!module_words.data) printf("%s\n", spe_get_error(&built.m)->text);
}

static void expect_at(int line, const zed_device *d, int id, const char *first, const char *second)
{
    const zed_error *e = zed_get_error(d);
    if (id >= ZED_FIRST_ERROR_ && id <= LAST_ERROR) seen[id - ZED_FIRST_ERROR_] = true;
    if (e->id != id) test_fail(__FILE__, line, "error %d %s \"%s\", want id %d", e->id, e->name, e->text, id);
    if (e->line != line - 1 || !e->file || strcmp(e->file, __FILE__) != 0) {
        test_fail(__FILE__, line, "the error is blamed on %s:%d", e->file ? e->file : "nothing", e->line);
    }
    if (!strstr(e->text, first)) test_fail(__FILE__, line, "\"%s\" lacks \"%s\"", e->text, first);
    if (!strstr(e->text, second)) test_fail(__FILE__, line, "\"%s\" lacks \"%s\"", e->text, second);
    zed_clear_error(&dev);
}

/* Must be on the line after the failing call. */
#define EXPECT(id, first, second) expect_at(__LINE__, &dev, (id), (first), (second))

TEST(memory_errors)
{
    char mine[64] = {0};
    char most[64];
    CHECK(!zed_open_queue(&dev, &dev));
    EXPECT(ZED_SAME_DEVICE, "its own context", "zed_device of its own");
    CHECK(!zed_open_in_context(&dev, &dev, 0));
    EXPECT(ZED_SAME_DEVICE, "its own context", "zed_device of its own");
    CHECK(!zed_alloc(&dev, 4, 64, 0));
    EXPECT(ZED_ALLOC_KIND, "4", "ZED_SHARED");
    CHECK(!zed_alloc(&dev, ZED_SHARED, 0, 0));
    EXPECT(ZED_ALLOC_SIZE, "0 bytes", "at least one");
    CHECK(!zed_alloc(&dev, ZED_SHARED, 4096, 24));
    EXPECT(ZED_ALLOC_ALIGN, "24", "4096");
    snprintf(most, sizeof most, "%" PRIu64, dev.target.max_alloc);
    CHECK(!zed_alloc(&dev, ZED_DEVICE, (size_t)1 << 60, 0));
    EXPECT(ZED_ALLOC_TOO_LARGE, "1152921504606846976", most);
    CHECK(!zed_free(&dev, mine));
    EXPECT(ZED_NOT_ALLOCATED, "not an allocation", "once");
    CHECK(!zed_copy(&dev, memory, mine, 4097));
    EXPECT(ZED_MEMORY_RANGE, "4097 bytes", "of 4096 bytes");
    CHECK(!zed_fill(&dev, NULL, 0, 8));
    EXPECT(ZED_NULL_POINTER, "destination", "8 bytes");
    CHECK(!zed_fill_pattern(&dev, memory, mine, 12, 48));
    EXPECT(ZED_FILL_PATTERN, "12 bytes", "48 bytes");
}

TEST(module_errors)
{
    static uint32_t bad[16384];
    const size_t bytes = 4 * module_words.count;
    char size[32];
    CHECK(!zed_module_load(&module, &dev, module_words.data, bytes - 2, NULL));
    EXPECT(ZED_MODULE_WORDS, "bytes: SPIR-V is 5 or more words", "size in bytes");
    memcpy(bad, module_words.data, bytes);
    bad[bytes / 8] = 0x00ff0000u | (bad[bytes / 8] & 0xffffu); /* an instruction longer than it is */
    snprintf(size, sizeof size, "%zu bytes", bytes);
    CHECK(!zed_module_load(&module, &dev, bad, bytes, "-ze-opt-level=2"));
    CHECK(strlen(zed_build_log(&dev)) > 10);
    CHECK_HAS(zed_get_error(&dev)->text, zed_build_log(&dev));
    CHECK_INT(zed_get_error(&dev)->result, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    CHECK_INT(zed_get_error(&dev)->line, __LINE__ - 4);
    CHECK_INT(zed_get_error(&dev)->id, ZED_MODULE_BUILD);
    CHECK_HAS(zed_get_error(&dev)->text, size);
    CHECK_HAS(zed_get_error(&dev)->text, "-ze-opt-level=2");
    seen[ZED_MODULE_BUILD - ZED_FIRST_ERROR_] = true;
    zed_clear_error(&dev);
    CHECK(zed_module_load(&module, &dev, module_words.data, bytes, NULL));
}

TEST(kernel_errors)
{
    zed_kernel k;
    zed_module large;
    CHECK(!zed_kernel_get(&k, &module, "axpy", ""));
    EXPECT(ZED_KERNEL_NAME, "\"axpy\"", "saxpy, saxpy_fixed, mirror");
    CHECK(!zed_launch(&k, one_group));
    EXPECT(ZED_KERNEL_NOT_LOADED, "not loaded", "zed_kernel_get");
    CHECK(!zed_kernel_get(&k, &module, "saxpy", "ptr<f32> x, float a"));
    EXPECT(ZED_PARAM_TEXT, "no such type", "column 13");
    CHECK(!zed_kernel_get(&k, &module, "saxpy", "ptr<f32> x, ptr<f32> y, f32 a"));
    EXPECT(ZED_PARAM_COUNT, "takes 4", "lists 3");
    CHECK(zed_kernel_get(&k, &module, "saxpy_fixed", "ptr<f32> x, ptr<f32> y, f32 a, u32 n"));
    CHECK(!zed_local_size(&k, 64, 1, 1));
    EXPECT(ZED_LOCAL_SIZE, "32 x 1 x 1", "64 x 1 x 1");
    CHECK(zed_kernel_get(&k, &module, "saxpy", "ptr<f32> x, ptr<f32> y, f32 a, u32 n"));
    CHECK(!zed_local_size(&k, 65536, 1, 1));
    EXPECT(ZED_GROUP_TOO_LARGE, "65536 x 1 x 1", "allows");
    CHECK(!zed_launch(&k, one_group, memory, memory, 1.0f, 1));
    EXPECT(ZED_NO_LOCAL_SIZE, "saxpy", "zed_local_size");
    /* a work-group too large that the module itself asks for: refused by zed, or by the device at the build */
    if (zed_module_load(&large, &dev, too_large_words.data, 4 * too_large_words.count, NULL)) {
        CHECK(!zed_kernel_get(&k, &large, "saxpy", "ptr<f32> x, ptr<f32> y, f32 a, u32 n"));
        EXPECT(ZED_GROUP_TOO_LARGE, "65536 x 1 x 1", "allows");
    } else {
        CHECK_INT(zed_get_error(&dev)->id, ZED_MODULE_BUILD);
        CHECK_HAS(zed_get_error(&dev)->text, "65536");
        zed_clear_error(&dev);
    }
}

/* From catch_stderr to caught_text, which returns it, what is printed to stderr goes to a file. */
static struct {
    FILE *file;
    int fd;
    char text[512];
} caught;

static void catch_stderr(void)
{
    caught.file = tmpfile();
    caught.fd = dup(2);
    CHECK(caught.file && dup2(fileno(caught.file), 2) == 2);
}

static const char *caught_text(void)
{
    CHECK(dup2(caught.fd, 2) == 2);
    rewind(caught.file);
    caught.text[fread(caught.text, 1, sizeof caught.text - 1, caught.file)] = 0;
    close(caught.fd);
    fclose(caught.file);
    return caught.text;
}

TEST(without_a_device_errors_go_to_stderr)
{
    zed_kernel k = {0};
    zed_batch b = {0};
    const char *text;
    char want[300];
    catch_stderr();
    CHECK(!zed_launch(&k, one_group));
    snprintf(want, sizeof want, "%s:%d: ZED_KERNEL_NOT_LOADED", __FILE__, __LINE__ - 1);
    text = caught_text();
    CHECK_HAS(text, want);
    CHECK_HAS(text, "ZED_LOAD");
    catch_stderr();
    CHECK(!zed_batch_end(&b));
    text = caught_text();
    CHECK_HAS(text, "ZED_BATCH_STATE: zed_batch_end");
    CHECK_HAS(text, "zed_batch_begin");
}

/* The test narrows the device's list of sizes, so that the target lacks the requested one. */
TEST(a_subgroup_size_the_target_lacks)
{
    zed_kernel k;
    uint32_t sizes = dev.target.subgroup_sizes;
    dev.target.subgroup_sizes = 8 | 32;
    CHECK(!zed_kernel_get(&k, &module, "saxpy_fixed", "ptr<f32> x, ptr<f32> y, f32 a, u32 n"));
    EXPECT(ZED_SUBGROUP_SIZE, "subgroups of 16", "8, 32");
    dev.target.subgroup_sizes = sizes;
}

TEST(launch_errors)
{
    zed_kernel mirror;
    static float mine[16];
    CHECK(!zed_launch(&saxpy, one_group, memory, memory, 1.0f));
    EXPECT(ZED_ARG_COUNT, "takes 4", "got 3");
    CHECK(!zed_launch(&saxpy, one_group, memory, (double *)(void *)memory, 1.0f, 16));
    EXPECT(ZED_ARG_TYPE, "ptr<f32> y", "a pointer to f64, wanted float * or void *");
    CHECK(!zed_launch_timed(&saxpy, one_group, memory, memory, 1, 16) || zed_get_error(&dev)->id);
    EXPECT(ZED_ARG_TYPE, "f32 a", "i32 1");
    CHECK(!zed_start(&saxpy, one_group, memory, memory, 1.0f, -16));
    EXPECT(ZED_ARG_RANGE, "u32 n", "i32 -16");
    if (!dev.system_memory_) {
        CHECK(!zed_launch(&saxpy, one_group, mine, memory, 1.0f, 16));
        EXPECT(ZED_ARG_MEMORY, "argument 1 (mine)", dev.name);
    }
    CHECK(!zed_launch(&saxpy, (zed_groups){1, 0, 1}, memory, memory, 1.0f, 16));
    EXPECT(ZED_GROUPS, "1 x 0 x 1 groups", "takes 1 to");
    CHECK(zed_kernel_get(&mirror, &module, "mirror", "ptr<u32> x, local<u32> t"));
    CHECK(zed_local_size(&mirror, 16, 1, 1));
    CHECK(!zed_launch(&mirror, one_group, (void *)memory, (zed_local){1 << 30}));
    EXPECT(ZED_LOCAL_MEMORY, "1073741824 bytes", "has");
    CHECK_INT(zed_get_error(&dev)->id, 0);
    CHECK(zed_launch(&saxpy, one_group, memory, memory, 1.0f, 16)); /* after all that */
}

TEST(batch_and_queue_errors)
{
    zed_device other, closed;
    zed_event e;
    zed_batch b;
    zed_kernel k;
    zed_options nobody = {.name = "no such device"};
    CHECK(zed_batch_begin(&b, &dev));
    CHECK(!zed_batch_run(&b));
    EXPECT(ZED_BATCH_STATE, "being recorded", "not ended");
    CHECK(zed_batch_end(&b));
    CHECK(!zed_batch_change(&b, 0, one_group, memory, memory, 1.0f, 16));
    EXPECT(ZED_BATCH_LAUNCH, "launch 0 of a batch of 0", "zed_batch_launch");
    CHECK(zed_batch_free(&b));
    memset(&e, 0, sizeof e);
    CHECK(!zed_follow(&dev, &e));
    EXPECT(ZED_EVENT_STATE, "zed_follow", "zed_event_create");
    CHECK(zed_open(&other, NULL));
    CHECK(!zed_kernel_clone(&k, &saxpy, &other));
    expect_at(__LINE__, &other, ZED_OTHER_DEVICE, "saxpy", other.name);
    zed_close(&other);
    CHECK(!zed_open(&other, &nobody));
    expect_at(__LINE__, &other, ZED_NO_SUCH_DEVICE, "no such device", "the list is: 0 \"");
    memset(&closed, 0, sizeof closed);
    CHECK(!zed_copy(&closed, memory, memory, 4));
    expect_at(__LINE__, &closed, ZED_NOT_OPEN, "not open", "zed_open");
}

/* The environment only matters before a process's first zeInit: these run in separate processes. */
static void in_a_child(int line, void (*body)(void))
{
    int status = -1;
    pid_t child;
    fflush(stdout);
    child = fork();
    if (child == 0) {
        test_.failures_here = 0;
        body();
        fflush(stdout);
        _exit(test_.failures_here ? 1 : 0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        test_fail(__FILE__, line, "the process of its own ended with status 0x%x", (unsigned)status);
    }
}

static void without_drivers(void)
{
    zed_device d;
    setenv("ZE_ENABLE_ALT_DRIVERS", "/no/such/driver.so", 1);
    CHECK(!zed_open(&d, NULL));
    expect_at(__LINE__, &d, ZED_NO_DEVICE, "/no/such/driver.so", "make soft");
    CHECK(zed_get_error(&d)->result == ZE_RESULT_SUCCESS || strstr(zed_get_error(&d)->text, "ZE_RESULT_ERROR"));
    CHECK_STR(getenv("ZE_ENABLE_ALT_DRIVERS"), "/no/such/driver.so");
}

static void with_a_wrong_path(void)
{
    zed_device d;
    unsetenv("ZE_ENABLE_ALT_DRIVERS");
    setenv("XETILE_SOFT", "/no/such/libze_soft.so", 1);
    CHECK(!zed_open(&d, NULL));
    expect_at(__LINE__, &d, ZED_SOFT_MISSING, "/no/such/libze_soft.so", "XETILE_SOFT");
}

TEST(environment_errors)
{
    in_a_child(__LINE__, without_drivers);
    in_a_child(__LINE__, with_a_wrong_path);
    seen[ZED_NO_DEVICE - ZED_FIRST_ERROR_] = seen[ZED_SOFT_MISSING - ZED_FIRST_ERROR_] = true;
}

/* A new error id needs a test, here or in test_dispatch_batches, _constants and _loader; those that no healthy device
 * produces are listed, too. */
TEST(no_error_is_untested)
{
    static const int elsewhere[] = {ZED_NO_QUEUE,    ZED_OUT_OF_MEMORY,  ZED_BATCH_LAUNCH,   ZED_EVENT_STATE,
                                    ZED_CONSTANT_ID, ZED_CONSTANT_TYPE, ZED_CONSTANT_RANGE, ZED_NO_LOADER};
    for (int id = ZED_FIRST_ERROR_ + 1; id <= LAST_ERROR; id++) {
        bool listed = id == ZED_ARG_MEMORY && dev.system_memory_;
        for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++) listed = listed || elsewhere[i] == id;
        CHECK_MSG(seen[id - ZED_FIRST_ERROR_] || listed, "%s was not seen", zed_error_row_of_(id)->name);
    }
}

int main(void)
{
    build();
    RUN(environment_errors); /* first: no zeInit yet */
    if (!zed_open(&dev, NULL) || !zed_module_load(&module, &dev, module_words.data, 4 * module_words.count, NULL) ||
        !zed_kernel_get(&saxpy, &module, "saxpy", "ptr<f32> x, ptr<f32> y, f32 a, u32 n") ||
        !zed_local_size(&saxpy, 16, 1, 1)) {
        zed_print_error(&dev, stdout);
        printf("0 passed, 1 failed\n");
        return 1;
    }
    memory = (float *)zed_alloc(&dev, ZED_SHARED, 4096, 0);
    RUN(memory_errors);
    RUN(module_errors);
    RUN(kernel_errors);
    RUN(without_a_device_errors_go_to_stderr);
    RUN(a_subgroup_size_the_target_lacks);
    RUN(launch_errors);
    RUN(batch_and_queue_errors);
    RUN(no_error_is_untested);
    zed_close(&dev);
    if (zed_get_error(&dev)->id) {
        zed_print_error(&dev, stdout);
        test_.failed++;
    }
    spe_free(&built.m);
    spe_free(&too_large.m);
    return test_report();
}
