/* test_soft_spills.c - spillMemSize: what the C compiler keeps on the stack for want of registers, by each compiler
 * that there is, from the cache, from a native binary, and by a compiler that cannot tell.
 *
 *     copy: b[i] = a[i]
 *     turn: VALUES numbers per work-item, stored in another order once all are loaded, as a and b may overlap
 *
 * No registers hold VALUES vectors. Numbers are compared exactly.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <level_zero/ze_api.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "own_cache.h"
#include "spirv_emit.h"
#include "test.h"
#include "ze_dispatch.h"

enum { S = 16, VALUES = 48, STEP = 37 }; /* STEP: coprime to VALUES */

static zed_device device;

static void kernel_of(spe_module *m, const char *name, int values)
{
    spe_param p[2];
    spe_kernel k;
    spe_id got[VALUES];
    memset(p, 0, sizeof p);
    memset(&k, 0, sizeof k);
    for (int i = 0; i < 2; i++) p[i].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, spe_int(m, 32));
    k.name = name;
    k.params = p;
    k.param_count = 2;
    k.subgroup_size = S;
    spe_kernel_begin(m, &k);
    spe_id item = spe_uconvert(m, spe_int(m, 32), spe_builtin(m, SPE_GLOBAL_ID, 0));
    for (int i = 0; i < values; i++)
        got[i] = spe_load(m, spe_index(m, spe_param_id(m, 0), spe_iadd(m, item, spe_i32(m, i * S))), 4);
    for (int i = 0; i < values; i++)
        spe_store(m, spe_index(m, spe_param_id(m, 1), spe_iadd(m, item, spe_i32(m, i * S))), got[i * STEP % values], 4);
    spe_kernel_end(m);
}

static ze_module_handle_t new_module(ze_module_format_t format, const void *data, size_t size)
{
    ze_module_desc_t d = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .format = format};
    ze_module_handle_t m = NULL;
    d.inputSize = size;
    d.pInputModule = (const uint8_t *)data;
    CHECK_INT(zeModuleCreate(device.context, device.device, &d, &m, NULL), ZE_RESULT_SUCCESS);
    return m;
}

static ze_module_handle_t build(void)
{
    spe_module m;
    spe_begin(&m, NULL);
    kernel_of(&m, "copy", 1);
    kernel_of(&m, "turn", VALUES);
    spe_words w = spe_finish(&m);
    CHECK_MSG(spe_ok(&m), "%s", spe_get_error(&m)->text);
    test_save_spv("spills", w.data, w.count * 4);
    ze_module_handle_t module = new_module(ZE_MODULE_FORMAT_IL_SPIRV, w.data, w.count * 4);
    spe_free(&m);
    return module;
}

/* Runs the kernel and compares what it wrote. */
static uint32_t spilled(ze_module_handle_t m, const char *name, int values)
{
    ze_kernel_desc_t d = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_properties_t p = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    ze_command_queue_desc_t q = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                 .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_group_count_t groups = {1, 1, 1};
    ze_command_list_handle_t list;
    ze_kernel_handle_t k;
    uint32_t *v[2], wrong = 0;
    CHECK_INT(zeCommandListCreateImmediate(device.context, device.device, &q, &list), ZE_RESULT_SUCCESS);
    CHECK_INT(zeKernelCreate(m, &d, &k), ZE_RESULT_SUCCESS);
    CHECK_INT(zeKernelSetGroupSize(k, S, 1, 1), ZE_RESULT_SUCCESS);
    for (uint32_t i = 0; i < 2; i++) {
        v[i] = (uint32_t *)zed_alloc(&device, ZED_SHARED, (VALUES + 1) * S * sizeof **v, 0);
        for (int j = 0; j < (VALUES + 1) * S; j++) v[i][j] = i ? 0xa5a5a5a5 : (uint32_t)test_random();
        CHECK_INT(zeKernelSetArgumentValue(k, i, sizeof v[i], &v[i]), ZE_RESULT_SUCCESS);
    }
    CHECK_INT(zeCommandListAppendLaunchKernel(list, k, &groups, NULL, 0, NULL), ZE_RESULT_SUCCESS);
    for (int j = 0; j < (VALUES + 1) * S; j++) {
        int row = j / S;
        wrong += v[1][j] != (row < values ? v[0][row * STEP % values * S + j % S] : 0xa5a5a5a5);
    }
    CHECK_MSG(!wrong, "%s: %u numbers are wrong", name, wrong);
    CHECK_INT(zeKernelGetProperties(k, &p), ZE_RESULT_SUCCESS);
    for (int i = 0; i < 2; i++) zed_free(&device, v[i]);
    zeCommandListDestroy(list);
    zeKernelDestroy(k);
    return p.spillMemSize;
}

/* The numbers of turn need VALUES * S * 4 bytes, of which at most 32 registers of 64 bytes take a part. Compilers
 * reserve several times as much. Without optimisation all variables are on the stack. */
static void check_spills(ze_module_handle_t m)
{
    const char *tier = getenv("XETILE_SOFT_TIER");
    uint32_t turn = spilled(m, "turn", VALUES), copy = spilled(m, "copy", 1);
    bool optimised = !tier || strcmp(tier, "quick") != 0;
    CHECK_MSG(turn >= (VALUES - 32) * S * 4, "turn: %u bytes", turn);
    CHECK_MSG(turn <= 16 * VALUES * S * 4 || !optimised, "turn: %u bytes", turn);
    CHECK_MSG(!copy || !optimised, "copy: %u bytes", copy);
}

static bool found(const char *compiler)
{
    char command[128];
    snprintf(command, sizeof command, "command -v %s > /dev/null 2>&1", compiler);
    return system(command) == 0;
}

static int files_in(const char *path)
{
    DIR *d = opendir(path);
    int n = -2; /* . and .. */
    while (d && readdir(d)) n++;
    if (d) closedir(d);
    return n;
}

static void by(const char *compiler)
{
    if (!found(compiler)) SKIP("no %s", compiler);
    new_own_cache();
    setenv("XETILE_CC", compiler, 1);
    ze_module_handle_t m = build();
    size_t size = 0;
    check_spills(m);
    CHECK_INT(zeModuleGetNativeBinary(m, &size, NULL), ZE_RESULT_SUCCESS);
    uint8_t *binary = (uint8_t *)malloc(size);
    CHECK_INT(zeModuleGetNativeBinary(m, &size, binary), ZE_RESULT_SUCCESS);
    zeModuleDestroy(m);
    m = build(); /* from the cache */
    check_spills(m);
    zeModuleDestroy(m);
    m = new_module(ZE_MODULE_FORMAT_NATIVE, binary, size);
    check_spills(m);
    free(binary);
    zeModuleDestroy(m);
}

TEST(by_gcc) { by("gcc"); }
TEST(by_clang) { by("clang"); }

/* A compiler named by a path that is relative to the program's folder, in which nothing is left behind; and one that
 * refuses the option, as clang 12 does. */
TEST(compilers_of_other_kinds)
{
    static const struct {
        const char *text;
        bool tells;
    } kinds[] = {{"#!/bin/sh\nexec cc \"$@\"\n", true},
                 {"#!/bin/sh\ncase \"$*\" in *-fstack-usage*) echo \"unknown argument: '-fstack-usage'\" >&2; exit 1;; "
                  "esac\nexec cc \"$@\"\n",
                  false}};
    char before[4096], place[] = "/tmp/xetile-spills-XXXXXX";
    CHECK(getcwd(before, sizeof before) && mkdtemp(place) && !chdir(place));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        FILE *f = fopen("cc", "w");
        CHECK(f && fputs(kinds[i].text, f) >= 0 && fclose(f) == 0 && chmod("cc", 0700) == 0);
        new_own_cache();
        setenv("XETILE_CC", "./cc", 1);
        ze_module_handle_t m = build();
        if (kinds[i].tells)
            check_spills(m);
        else
            CHECK_INT(spilled(m, "turn", VALUES), 0);
        zeModuleDestroy(m);
        CHECK_INT(files_in("."), 1);
    }
    CHECK(!unlink("cc") && !chdir(before) && !rmdir(place));
}

int main(void)
{
    if (!zed_open(&device, &(zed_options){.name = "software"})) return zed_print_error(&device, stderr), 1;
    RUN(by_gcc);
    RUN(by_clang);
    RUN(compilers_of_other_kinds);
    remove_own_cache();
    zed_close(&device);
    return test_report();
}
