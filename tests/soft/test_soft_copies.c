/* test_soft_copies.c - OpCopyMemorySized with sizes that differ between work-items, normally and in the checked mode,
 * which skips a copy that is too long, and only that.
 */
#include "spirv_emit.h"
#include "test.h"
#include "ze_dispatch.h"

#include <sys/wait.h>
#include <unistd.h>

enum { N = 77, GROUP = 40, ROOM = 96, LONGEST = 64, PARTS = 4 };

static zed_device device;
static bool checked; /* this process runs in the checked mode */

static spe_id item_of(spe_module *m) { return spe_builtin(m, SPE_GLOBAL_ID, 0); }

/* Where part `part` of a work-item is in the results. */
static spe_id place(spe_module *m, spe_id item, int32_t part)
{
    spe_id at = spe_iadd(m, spe_imul(m, item, spe_i32(m, PARTS)), spe_i32(m, part));
    return spe_index(m, spe_param_id(m, 1), spe_imul(m, at, spe_i32(m, ROOM)));
}

static void body(spe_module *m)
{
    spe_id item = item_of(m), u8 = spe_int(m, 8), first = spe_null(m, spe_int(m, 32));
    spe_id size = spe_load(m, spe_index(m, spe_param_id(m, 2), item), 4), wide = spe_uconvert(m, spe_int(m, 64), size);
    spe_id own = spe_index(m, spe_param_id(m, 0), spe_imul(m, item, spe_i32(m, LONGEST)));
    spe_id array = spe_local_var(m, spe_array(m, u8, LONGEST)), bytes = spe_element(m, array, 1, &first);
    /* from work-items' own addresses, and from one for all; sizes of 64 and 32 bits */
    spe_copy_memory_sized(m, place(m, item, 0), own, wide, 1);
    spe_copy_memory_sized(m, place(m, item, 1), spe_param_id(m, 0), size, 1);
    /* by a part of the work-items */
    spe_if(m, spe_ine(m, spe_and(m, item, spe_i32(m, 1)), spe_i32(m, 0)));
    spe_copy_memory_sized(m, place(m, item, 2), own, size, 1);
    spe_endif(m, 0, NULL, NULL);
    /* through private memory */
    spe_copy_memory_sized(m, bytes, own, spe_u64(m, LONGEST), 1);
    spe_copy_memory_sized(m, bytes, spe_param_id(m, 0), wide, 1);
    spe_copy_memory_sized(m, place(m, item, 3), bytes, spe_u64(m, LONGEST), 1);
}

static bool load(spe_module *m, zed_kernel *kernel)
{
    zed_module module;
    spe_param params[3];
    spe_kernel k;
    memset(params, 0, sizeof params);
    memset(&k, 0, sizeof k);
    spe_begin(m, NULL);
    for (int i = 0; i < 3; i++) params[i].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, spe_int(m, i < 2 ? 8 : 32));
    k.name = "copies";
    k.params = params;
    k.param_count = 3;
    spe_kernel_begin(m, &k);
    spe_if(m, spe_ult(m, item_of(m), spe_i32(m, N)));
    body(m);
    spe_endif(m, 0, NULL, NULL);
    spe_kernel_end(m);
    spe_words w = spe_finish(m);
    CHECK_MSG(w.data != NULL, "%s", spe_get_error(m)->text);
    if (!w.data) return false;
    test_save_spv("soft_copies", w.data, w.count * 4);
    return zed_module_load(&module, &device, w.data, w.count * 4, NULL) &&
           zed_kernel_get(kernel, &module, "copies", "ptr<u8> from, ptr<u8> to, ptr<u32> sizes") &&
           zed_local_size(kernel, GROUP, 1, 1);
}

/* Every byte of the results. */
static void compare(const uint8_t *from, const uint8_t *to, const uint32_t *sizes)
{
    for (int i = 0; i < N; i++)
        for (int part = 0; part < PARTS; part++) {
            int wrong = 0;
            for (uint32_t b = 0; b < ROOM; b++) {
                uint8_t own = from[i * LONGEST + (int)(b % LONGEST)], first = from[b % LONGEST], none = 0xdb, want;
                bool in = b < sizes[i];
                if (part == 0) want = in ? own : none;
                else if (part == 1) want = in ? first : none;
                else if (part == 2) want = in && i % 2 ? own : none;
                else want = b >= LONGEST ? none : b < sizes[i] ? first : own;
                wrong += to[(i * PARTS + part) * ROOM + (int)b] != want;
            }
            CHECK_MSG(wrong == 0, "item %d, %u bytes, part %d: %d wrong", i, sizes[i], part, wrong);
        }
}

TEST(sizes_of_work_items)
{
    spe_module m;
    zed_kernel kernel;
    uint8_t *from = (uint8_t *)zed_alloc(&device, ZED_SHARED, N * LONGEST, 0);
    uint8_t *to = (uint8_t *)zed_alloc(&device, ZED_SHARED, N * PARTS * ROOM, 0);
    uint32_t *sizes = (uint32_t *)zed_alloc(&device, ZED_SHARED, N * 4, 0);
    bool ready = load(&m, &kernel) && from && to && sizes;
    for (int i = 0; i < N * LONGEST && ready; i++) from[i] = (uint8_t)test_random();
    for (int round = 0; round < 2 && ready; round++) {
        zed_fill(&device, to, 0xdb, N * PARTS * ROOM);
        for (int i = 0; i < N; i++) sizes[i] = (uint32_t)(test_random() % (LONGEST + 1));
        sizes[3] = 0;
        sizes[N - 1] = LONGEST;
        zed_launch(&kernel, (zed_groups){2, 1, 1}, from, to, sizes);
        CHECK_MSG(zed_get_error(&device)->id == 0, "%s %s", zed_get_error(&device)->text, zed_build_log(&device));
        if (zed_get_error(&device)->id == 0) compare(from, to, sizes);
    }
    spe_free(&m);
}

/* The last work-item, an even one, copies beyond its source. The launch fails, having done all other copies. */
TEST(a_copy_that_is_too_long)
{
    enum { TOO_LONG = LONGEST + 8 };
    spe_module m;
    zed_kernel kernel;
    uint8_t *from = (uint8_t *)zed_alloc(&device, ZED_SHARED, N * LONGEST, 0);
    uint8_t *to = (uint8_t *)zed_alloc(&device, ZED_SHARED, N * PARTS * ROOM, 0);
    uint32_t *sizes = (uint32_t *)zed_alloc(&device, ZED_SHARED, N * 4, 0);
    bool ready = load(&m, &kernel) && from && to && sizes;
    CHECK(ready);
    for (int i = 0; i < N * LONGEST && ready; i++) from[i] = (uint8_t)i;
    for (int i = 0; i < N && ready; i++) sizes[i] = i == N - 1 ? TOO_LONG : (uint32_t)i % LONGEST;
    if (ready) zed_fill(&device, to, 0xdb, N * PARTS * ROOM);
    CHECK(!ready || !zed_launch(&kernel, (zed_groups){2, 1, 1}, from, to, sizes));
    for (int i = 0; i < N && ready; i++) {
        int wrong = 0;
        for (uint32_t b = 0; b < ROOM; b++)
            wrong += to[i * PARTS * ROOM + (int)b] != (b < sizes[i] && i < N - 1 ? from[i * LONGEST + (int)b] : 0xdb);
        CHECK_MSG(wrong == 0, "item %d: %d wrong", i, wrong);
    }
    zed_clear_error(&device);
    spe_free(&m);
}

/* Runs this program again, in a mode where launches with faults fail. */
static const char *program;
TEST(the_checked_mode_agrees)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        setenv("XETILE_SOFT_CHECK", "2", 1);
        execl(program, program, "checked", (char *)NULL);
        _exit(127);
    }
    if (child > 0) waitpid(child, &status, 0);
    CHECK(child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int argc, char **argv)
{
    program = argv[0];
    checked = argc > 1;
    if (!checked) RUN(the_checked_mode_agrees);
    if (!zed_open(&device, &(zed_options){.name = "software"})) return zed_print_error(&device, stderr), 1;
    RUN(sizes_of_work_items);
    if (checked) RUN(a_copy_that_is_too_long);
    zed_close(&device);
    return test_report();
}
