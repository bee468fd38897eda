/* test_soft_versions.c - versions of kernels: what a launch does not need is not compiled before one needs it. The
 * number of compilations is that of entries in a cache of the test's own. All numbers are integers, compared exactly.
 *
 *     add, sub: c[i] = a[i] +- b[i] for i < n, i from the work-item's position in three dimensions
 *     turn: each work-group reverses its part of a and adds b, by way of local memory and three barriers
 *     move: a block of 8 rows of 16 numbers, by 2D block messages if address and pitch allow it, else one by one
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <level_zero/ze_api.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "own_cache.h"
#include "spirv_emit.h"
#include "test.h"
#include "ze_dispatch.h"

enum { N = 600, S = 16, ROWS = 8, THREADS = 4 };

static zed_device device;

/* ---- kernels */

static spe_id position(spe_module *m)
{
    spe_id u32 = spe_int(m, 32), at = spe_i32(m, 0);
    for (int d = 2; d >= 0; d--) {
        spe_id size = spe_uconvert(m, u32, spe_builtin(m, SPE_GLOBAL_SIZE, d));
        at = spe_iadd(m, spe_imul(m, at, size), spe_uconvert(m, u32, spe_builtin(m, SPE_GLOBAL_ID, d)));
    }
    return at;
}

static void kernel_of(spe_module *m, const char *name, bool minus)
{
    spe_param p[4];
    spe_kernel k;
    memset(p, 0, sizeof p);
    memset(&k, 0, sizeof k);
    for (int i = 0; i < 3; i++) p[i].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, spe_int(m, 32));
    p[3].type = spe_int(m, 32);
    k.name = name;
    k.params = p;
    k.param_count = 4;
    k.subgroup_size = S;
    spe_kernel_begin(m, &k);
    spe_id i = position(m), a, b;
    spe_if(m, spe_ult(m, i, spe_param_id(m, 3)));
    a = spe_load(m, spe_index(m, spe_param_id(m, 0), i), 0);
    b = spe_load(m, spe_index(m, spe_param_id(m, 1), i), 0);
    spe_store(m, spe_index(m, spe_param_id(m, 2), i), minus ? spe_isub(m, a, b) : spe_iadd(m, a, b), 0);
    spe_endif(m, 0, NULL, NULL);
    spe_kernel_end(m);
}

static bool emit_sums(spe_module *m)
{
    spe_begin(m, NULL);
    kernel_of(m, "add", false);
    kernel_of(m, "sub", true);
    return spe_ok(m);
}

/* c = r + b, in each work-group moved on by one place, where r is a reversed. */
static bool emit_turn(spe_module *m)
{
    spe_begin(m, NULL);
    spe_param p[3];
    spe_kernel k;
    memset(p, 0, sizeof p);
    memset(&k, 0, sizeof k);
    for (int i = 0; i < 3; i++) p[i].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, spe_int(m, 32));
    k.name = "turn";
    k.params = p;
    k.param_count = 3;
    k.subgroup_size = S;
    spe_kernel_begin(m, &k);
    spe_id u32 = spe_int(m, 32), one = spe_i32(m, 1), size = one, at = spe_i32(m, 0), group, other, sum;
    spe_id local = spe_shared_var(m, spe_array(m, u32, N));
    for (int d = 2; d >= 0; d--) {
        spe_id n = spe_uconvert(m, u32, spe_builtin(m, SPE_LOCAL_SIZE, d));
        at = spe_iadd(m, spe_imul(m, at, n), spe_uconvert(m, u32, spe_builtin(m, SPE_LOCAL_ID, d)));
        size = spe_imul(m, size, n);
    }
    group = spe_imul(m, spe_uconvert(m, u32, spe_builtin(m, SPE_GROUP_ID, 0)), size);
    spe_id i = spe_iadd(m, group, at);
    spe_store(m, spe_element(m, local, 1, &at), spe_load(m, spe_index(m, spe_param_id(m, 0), i), 0), 0);
    spe_barrier(m);
    other = spe_isub(m, spe_isub(m, size, one), at);
    other = spe_load(m, spe_element(m, local, 1, &other), 0);
    spe_barrier(m);
    sum = spe_iadd(m, other, spe_load(m, spe_index(m, spe_param_id(m, 1), i), 0));
    other = spe_umod(m, spe_iadd(m, at, one), size);
    spe_store(m, spe_element(m, local, 1, &other), sum, 0);
    spe_barrier(m);
    spe_store(m, spe_index(m, spe_param_id(m, 2), i), spe_load(m, spe_element(m, local, 1, &at), 0), 0);
    spe_kernel_end(m);
    return spe_ok(m);
}

static void move_by_messages(spe_module *m, spe_id pitch)
{
    spe_id at = spe_local_var(m, spe_array(m, spe_int(m, 32), ROWS));
    spe_id zero = spe_i32(m, 0), rows = spe_i32(m, ROWS);
    spe_block2d b = {.elem_bytes = 4, .width = S, .height = ROWS, .count = 1, .mem_width = pitch, .pitch = pitch,
                     .mem_height = rows, .pos_x = zero, .pos_y = zero, .ptr = spe_param_id(m, 0)};
    spe_block2d_load(m, &b, at);
    b.ptr = spe_param_id(m, 1);
    spe_block2d_store(m, &b, at);
}

static void move_one_by_one(spe_module *m, spe_id pitch)
{
    spe_id item = spe_uconvert(m, spe_int(m, 32), spe_builtin(m, SPE_LOCAL_ID, 0));
    for (int r = 0; r < 4 * ROWS; r++) { /* some rows several times, for a side of some length */
        spe_id row = spe_imul(m, spe_i32(m, r % ROWS), spe_udiv(m, pitch, spe_i32(m, 4)));
        spe_id i = spe_iadd(m, row, item);
        spe_store(m, spe_index(m, spe_param_id(m, 1), i), spe_load(m, spe_index(m, spe_param_id(m, 0), i), 4), 4);
    }
}

static bool emit_move(spe_module *m)
{
    spe_param p[3];
    spe_kernel k;
    spe_begin(m, NULL);
    memset(p, 0, sizeof p);
    memset(&k, 0, sizeof k);
    for (int i = 0; i < 2; i++) p[i].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, spe_int(m, 32));
    p[2].type = spe_int(m, 32);
    k.name = "move";
    k.params = p;
    k.param_count = 3;
    k.subgroup_size = S;
    k.local_size[0] = S;
    k.local_size[1] = k.local_size[2] = 1;
    spe_kernel_begin(m, &k);
    spe_id pitch = spe_param_id(m, 2), zero = spe_i32(m, 0);
    spe_id fits = spe_ieq(m, spe_and(m, pitch, spe_i32(m, 15)), zero);
    spe_if(m, spe_land(m, fits, spe_uge(m, pitch, spe_i32(m, 64))));
    move_by_messages(m, pitch);
    spe_else(m, 0, NULL);
    move_one_by_one(m, pitch);
    spe_endif(m, 0, NULL, NULL);
    spe_kernel_end(m);
    return spe_ok(m);
}

/* ---- modules, launches */

static ze_result_t try_build(bool (*emit)(spe_module *m), const char *name, ze_module_handle_t *module)
{
    ze_module_desc_t d = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .format = ZE_MODULE_FORMAT_IL_SPIRV};
    ze_result_t result;
    spe_module m;
    CHECK_MSG(emit(&m), "%s", spe_get_error(&m)->text);
    spe_words w = spe_finish(&m);
    test_save_spv(name, w.data, w.count * 4);
    d.inputSize = w.count * 4;
    d.pInputModule = (const uint8_t *)w.data;
    result = zeModuleCreate(device.context, device.device, &d, module, NULL);
    spe_free(&m);
    return result;
}

static ze_module_handle_t build(bool (*emit)(spe_module *m), const char *name)
{
    ze_module_handle_t module = NULL;
    CHECK_INT(try_build(emit, name, &module), ZE_RESULT_SUCCESS);
    return module;
}

static int compiled(void)
{
    DIR *d = opendir(own_cache);
    struct dirent *e;
    int n = 0;
    while (d && (e = readdir(d)) != NULL) n += strstr(e->d_name, ".xso") != NULL;
    if (d) closedir(d);
    return n;
}

/* Makes a script the compiler. */
static void new_compiler(const char *text)
{
    char path[96];
    snprintf(path, sizeof path, "%s/compiler", own_cache);
    FILE *f = fopen(path, "w");
    CHECK(f && fprintf(f, "#!/bin/sh\n%s\n", text) > 0 && fclose(f) == 0 && chmod(path, 0700) == 0);
    setenv("XETILE_CC", path, 1);
}

static char *copy_of(const char *variable)
{
    const char *value = getenv(variable);
    return value ? strdup(value) : NULL;
}

/* To what copy_of returned, which it frees. */
static void restore(const char *variable, char *value)
{
    if (value) setenv(variable, value, 1);
    else unsetenv(variable);
    free(value);
}

static ze_command_list_handle_t new_list(void)
{
    ze_command_queue_desc_t q = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                 .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_command_list_handle_t list = NULL;
    CHECK_INT(zeCommandListCreateImmediate(device.context, device.device, &q, &list), ZE_RESULT_SUCCESS);
    return list;
}

struct run {
    bool minus;
    ze_kernel_handle_t kernel;
    ze_command_list_handle_t list;
    ze_group_count_t groups;
    ze_result_t result;
    uint32_t *v[3];
};

/* A launch of add or sub in work-groups of this size, enough of them for N numbers. */
static void prepare(struct run *r, ze_module_handle_t m, bool minus, uint32_t x, uint32_t y, uint32_t z)
{
    ze_kernel_desc_t d = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = minus ? "sub" : "add"};
    uint32_t n = N - 3;
    r->minus = minus;
    r->list = new_list();
    r->groups = (ze_group_count_t){(N + x * y * z - 1) / (x * y * z), 1, 1};
    CHECK_INT(zeKernelCreate(m, &d, &r->kernel), ZE_RESULT_SUCCESS);
    CHECK_INT(zeKernelSetGroupSize(r->kernel, x, y, z), ZE_RESULT_SUCCESS);
    for (uint32_t i = 0; i < 3; i++) {
        r->v[i] = (uint32_t *)zed_alloc(&device, ZED_SHARED, N * sizeof **r->v, 0);
        for (int j = 0; j < N; j++) r->v[i][j] = i == 2 ? 0xa5a5a5a5 : (uint32_t)test_random();
        CHECK_INT(zeKernelSetArgumentValue(r->kernel, i, sizeof r->v[i], &r->v[i]), ZE_RESULT_SUCCESS);
    }
    CHECK_INT(zeKernelSetArgumentValue(r->kernel, 3, sizeof n, &n), ZE_RESULT_SUCCESS);
}

static void *launch(void *run)
{
    struct run *r = (struct run *)run;
    r->result = zeCommandListAppendLaunchKernel(r->list, r->kernel, &r->groups, NULL, 0, NULL);
    return NULL;
}

/* Compares every element, unless the launch failed: then nothing was written. */
static void verify(struct run *r)
{
    uint32_t wrong = 0;
    for (uint32_t j = 0; j < N; j++) {
        uint32_t want = r->minus ? r->v[0][j] - r->v[1][j] : r->v[0][j] + r->v[1][j];
        wrong += r->v[2][j] != (r->result || j >= N - 3 ? 0xa5a5a5a5 : want);
    }
    CHECK_MSG(!wrong, "%u of %d numbers are wrong", wrong, N);
    for (int i = 0; i < 3; i++) zed_free(&device, r->v[i]);
    zeCommandListDestroy(r->list);
    zeKernelDestroy(r->kernel);
}

static ze_result_t sums(ze_module_handle_t m, bool minus, uint32_t x, uint32_t y, uint32_t z)
{
    struct run r;
    prepare(&r, m, minus, x, y, z);
    launch(&r);
    verify(&r);
    return r.result;
}

static void moves(ze_module_handle_t m, uint32_t pitch)
{
    ze_kernel_desc_t d = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "move"};
    ze_group_count_t groups = {1, 1, 1};
    ze_command_list_handle_t list = new_list();
    ze_kernel_handle_t k;
    uint32_t *v[2], row = pitch / 4, wrong = 0;
    CHECK_INT(zeKernelCreate(m, &d, &k), ZE_RESULT_SUCCESS);
    CHECK_INT(zeKernelSetGroupSize(k, S, 1, 1), ZE_RESULT_SUCCESS);
    for (uint32_t i = 0; i < 2; i++) {
        v[i] = (uint32_t *)zed_alloc(&device, ZED_SHARED, ROWS * pitch, 64);
        for (uint32_t j = 0; j < ROWS * row; j++) v[i][j] = i ? 0xa5a5a5a5 : (uint32_t)test_random();
        CHECK_INT(zeKernelSetArgumentValue(k, i, sizeof v[i], &v[i]), ZE_RESULT_SUCCESS);
    }
    CHECK_INT(zeKernelSetArgumentValue(k, 2, sizeof pitch, &pitch), ZE_RESULT_SUCCESS);
    CHECK_INT(zeCommandListAppendLaunchKernel(list, k, &groups, NULL, 0, NULL), ZE_RESULT_SUCCESS);
    for (uint32_t j = 0; j < ROWS * row; j++) wrong += v[1][j] != (j % row < S ? v[0][j] : 0xa5a5a5a5);
    CHECK_MSG(!wrong, "pitch %u: %u numbers are wrong", pitch, wrong);
    for (int i = 0; i < 2; i++) zed_free(&device, v[i]);
    zeCommandListDestroy(list);
    zeKernelDestroy(k);
}

/* Three work-groups of this size. */
static void turns(ze_module_handle_t m, uint32_t x, uint32_t y)
{
    ze_kernel_desc_t d = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "turn"};
    ze_group_count_t groups = {3, 1, 1};
    ze_command_list_handle_t list = new_list();
    ze_kernel_handle_t k;
    uint32_t *v[3], size = x * y, wrong = 0;
    CHECK_INT(zeKernelCreate(m, &d, &k), ZE_RESULT_SUCCESS);
    CHECK_INT(zeKernelSetGroupSize(k, x, y, 1), ZE_RESULT_SUCCESS);
    for (uint32_t i = 0; i < 3; i++) {
        v[i] = (uint32_t *)zed_alloc(&device, ZED_SHARED, 3 * size * sizeof **v, 0);
        for (uint32_t j = 0; j < 3 * size; j++) v[i][j] = i == 2 ? 0xa5a5a5a5 : (uint32_t)test_random();
        CHECK_INT(zeKernelSetArgumentValue(k, i, sizeof v[i], &v[i]), ZE_RESULT_SUCCESS);
    }
    CHECK_INT(zeCommandListAppendLaunchKernel(list, k, &groups, NULL, 0, NULL), ZE_RESULT_SUCCESS);
    for (uint32_t j = 0; j < 3 * size; j++) {
        uint32_t first = j / size * size, to = first + (j + 1) % size;
        wrong += v[2][to] != v[0][first + size - 1 - j % size] + v[1][j];
    }
    CHECK_MSG(!wrong, "%u x %u: %u numbers are wrong", x, y, wrong);
    for (int i = 0; i < 3; i++) zed_free(&device, v[i]);
    zeCommandListDestroy(list);
    zeKernelDestroy(k);
}

/* The same launch, and what the device says on standard error. */
static ze_result_t heard_sums(ze_module_handle_t m, uint32_t x, char *said, size_t size)
{
    FILE *heard = tmpfile();
    int before = dup(2);
    CHECK(heard != NULL && before >= 0);
    setenv("XETILE_SOFT_DEBUG", "1", 1);
    dup2(fileno(heard), 2);
    ze_result_t result = sums(m, false, x, 1, 1);
    dup2(before, 2);
    unsetenv("XETILE_SOFT_DEBUG");
    close(before);
    rewind(heard);
    said[fread(said, 1, size - 1, heard)] = 0;
    fclose(heard);
    return result;
}

/* ---- tests */

TEST(sizes_of_work_groups)
{
    static const struct {
        uint32_t x, y, z;
        int more; /* compilations */
    } sizes[] = {{32, 1, 1, 0}, {16, 2, 3, 0}, {1, 1, 1, 1}, {8, 8, 1, 0}, {40, 1, 1, 0}, {100, 1, 1, 0},
                 {24, 2, 1, 0}, {7, 3, 2, 0},  {64, 1, 1, 0}};
    new_own_cache();
    ze_module_handle_t m = build(emit_sums, "versions_sums");
    int want = 1;
    CHECK_INT(compiled(), want);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        want += sizes[i].more;
        CHECK_INT(sums(m, false, sizes[i].x, sizes[i].y, sizes[i].z), ZE_RESULT_SUCCESS);
        CHECK_INT(compiled(), want);
    }
    CHECK_INT(sums(m, true, 40, 1, 1), ZE_RESULT_SUCCESS); /* of another kernel */
    CHECK_INT(compiled(), want + 1);
    zeModuleDestroy(m);
    m = build(emit_sums, "versions_sums"); /* from the cache */
    CHECK_INT(sums(m, false, 40, 1, 1), ZE_RESULT_SUCCESS);
    CHECK_INT(compiled(), want + 1);
    zeModuleDestroy(m);
}

/* Work-groups with a remainder run full subgroups by the code for these, which is compiled once; at barriers, too. */
TEST(full_subgroups_are_compiled_once)
{
    static const uint32_t sizes[][2] = {{40, 1}, {32, 1}, {7, 3}, {600, 1}, {3, 1}, {16, 5}, {17, 2}, {33, 1}};
    char *before = copy_of("XETILE_CC"), log[96], line[64];
    int compilations = 0, full = 0;
    new_own_cache();
    new_compiler("for a; do case $a in *.c) grep -c ' d[0-9]*_16(struct .*)$' \"$a\" >> ${0%/*}/log;; esac; done\n"
                 "exec cc \"$@\"");
    ze_module_handle_t m = build(emit_turn, "versions_turn");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) turns(m, sizes[i][0], sizes[i][1]);
    restore("XETILE_CC", before);
    zeModuleDestroy(m);
    snprintf(log, sizeof log, "%s/log", own_cache);
    FILE *f = fopen(log, "r");
    CHECK(f != NULL);
    while (f && fgets(line, sizeof line, f)) compilations++, full += atoi(line);
    if (f) fclose(f);
    CHECK_INT(compilations, 2);
    CHECK_INT(full, 1);
}

TEST(conditions_on_arguments)
{
    new_own_cache();
    ze_module_handle_t m = build(emit_move, "versions_move");
    CHECK_INT(compiled(), 1);
    moves(m, 64);
    moves(m, 256);
    CHECK_INT(compiled(), 1);
    moves(m, 68); /* not what messages can access */
    CHECK_INT(compiled(), 2);
    moves(m, 100);
    moves(m, 128);
    CHECK_INT(compiled(), 2);
    zeModuleDestroy(m);
}

TEST(several_threads)
{
    pthread_t thread[THREADS];
    struct run run[THREADS];
    new_own_cache();
    ze_module_handle_t m = build(emit_sums, "versions_sums");
    for (int i = 0; i < THREADS; i++) prepare(&run[i], m, i & 1, 40 + (uint32_t)i, 1, 1);
    for (int i = 0; i < THREADS; i++) CHECK_INT(pthread_create(&thread[i], NULL, launch, &run[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        CHECK_INT(pthread_join(thread[i], NULL), 0);
        CHECK_INT(run[i].result, ZE_RESULT_SUCCESS);
        verify(&run[i]);
    }
    CHECK_INT(compiled(), 3);
    zeModuleDestroy(m);
}

/* Only the launch that needs the compiler fails, and it says why. */
TEST(errors_are_the_launches)
{
    char *before = copy_of("XETILE_CC"), said[4096];
    new_own_cache();
    new_compiler("exec cc \"$@\"");
    ze_module_handle_t m = build(emit_sums, "versions_sums");
    new_compiler("exit 1");
    CHECK_INT(heard_sums(m, 40, said, sizeof said), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    CHECK_HAS(said, "kernel add not built: compiler: /tmp/xetile-cache-");
    CHECK_HAS(said, "/compiler ended with status 1");
    CHECK_INT(sums(m, false, 32, 1, 1), ZE_RESULT_SUCCESS);
    new_compiler("exec cc \"$@\"");
    CHECK_INT(sums(m, false, 40, 1, 1), ZE_RESULT_SUCCESS);
    restore("XETILE_CC", before);
    zeModuleDestroy(m);
}

/* What a module was created with holds for all that is compiled later: compiler, cache, instruction set, and with it
 * the subgroup size of kernels that state none. A module created later has the new settings. */
TEST(settings_are_the_modules)
{
    char *cc = copy_of("XETILE_CC"), *isa = copy_of("XETILE_SOFT_ISA"), log[96], said[8192];
    new_own_cache();
    new_compiler("echo \"$@\" >> ${0%/*}/log; exec cc \"$@\"");
    setenv("XETILE_SOFT_ISA", "generic", 1);
    ze_module_handle_t m = build(emit_sums, "versions_sums");
    setenv("XETILE_SOFT_ISA", "nonsense", 1);
    setenv("XETILE_CC", "/bin/false", 1);
    setenv("XETILE_SOFT_CACHE", "off", 1);
    CHECK_INT(compiled(), 1);
    CHECK_INT(sums(m, false, 40, 1, 1), ZE_RESULT_SUCCESS);
    CHECK_INT(compiled(), 2);
    size_t size = 0;
    CHECK_INT(zeModuleGetNativeBinary(m, &size, NULL), ZE_RESULT_SUCCESS);
    CHECK_INT(compiled(), 3);
    snprintf(log, sizeof log, "%s/log", own_cache);
    FILE *f = fopen(log, "r");
    CHECK(f != NULL);
    said[f ? fread(said, 1, sizeof said - 1, f) : 0] = 0;
    if (f) fclose(f);
    CHECK(strstr(said, "-shared") && !strstr(said, "-march") && !strstr(said, "-mcpu"));
    ze_module_handle_t other = NULL;
    CHECK_INT(try_build(emit_sums, "versions_sums", &other), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    restore("XETILE_CC", cc);
    restore("XETILE_SOFT_ISA", isa);
    zeModuleDestroy(m);
}

/* They contain all that launches may need. */
TEST(native_binaries)
{
    ze_module_desc_t d = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .format = ZE_MODULE_FORMAT_NATIVE};
    new_own_cache();
    ze_module_handle_t m = build(emit_sums, "versions_sums"), again = NULL;
    CHECK_INT(zeModuleGetNativeBinary(m, &d.inputSize, NULL), ZE_RESULT_SUCCESS);
    uint8_t *binary = (uint8_t *)malloc(d.inputSize);
    CHECK_INT(zeModuleGetNativeBinary(m, &d.inputSize, binary), ZE_RESULT_SUCCESS);
    zeModuleDestroy(m);
    CHECK_INT(compiled(), 2);
    d.pInputModule = binary;
    CHECK_INT(zeModuleCreate(device.context, device.device, &d, &again, NULL), ZE_RESULT_SUCCESS);
    CHECK_INT(sums(again, false, 32, 1, 1), ZE_RESULT_SUCCESS);
    CHECK_INT(sums(again, true, 40, 1, 1), ZE_RESULT_SUCCESS);
    CHECK_INT(sums(again, false, 5, 5, 1), ZE_RESULT_SUCCESS);
    CHECK_INT(compiled(), 2);
    zeModuleDestroy(again);
    free(binary);
}

int main(void)
{
    if (!zed_open(&device, &(zed_options){.name = "software"})) return zed_print_error(&device, stderr), 1;
    RUN(sizes_of_work_groups);
    RUN(full_subgroups_are_compiled_once);
    RUN(conditions_on_arguments);
    RUN(several_threads);
    RUN(errors_are_the_launches);
    RUN(settings_are_the_modules);
    RUN(native_binaries);
    remove_own_cache();
    zed_close(&device);
    return test_report();
}
