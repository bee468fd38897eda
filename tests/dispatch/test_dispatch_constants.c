/* test_dispatch_constants.c - values for spec constants where modules are loaded: of each type, through each call that
 * loads, in the folder of what was compiled, and what is refused. */
#define _DEFAULT_SOURCE
#include "spirv_emit.h"
#include "test.h"
#include "ze_dispatch.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CONSTANTS = 8 };

/* A spec constant: its type, number, default and another value, as the kernel gives it back: in 64 bits. */
typedef struct {
    char type; /* i: integer, f: float, b: bool */
    uint32_t bits, id;
    uint64_t first;
} constant;
static const constant all[CONSTANTS] = {{'i', 8, 11, 200},
                                        {'i', 16, 3, 40000},
                                        {'i', 32, 7, 4000000000u},
                                        {'i', 64, 1, 12345678901234567u},
                                        {'f', 16, 20, 0x3c00},
                                        {'f', 32, 5, 0x3fc00000},
                                        {'f', 64, 6, 0x4002000000000000u},
                                        {'b', 1, 9, 1}};

static spe_module m;
static spe_words module_words;
static zed_device dev;
static uint64_t *got;

/* Kernel "give"(u64 *to): the bits of all constants. */
static void build(void)
{
    spe_kernel k;
    spe_param param;
    memset(&k, 0, sizeof k);
    memset(&param, 0, sizeof param);
    spe_begin(&m, NULL);
    spe_id i64 = spe_int(&m, 64), values[CONSTANTS];
    for (int i = 0; i < CONSTANTS; i++) {
        const constant *c = &all[i];
        spe_id type = c->type == 'b' ? spe_bool(&m) : c->type == 'f' ? spe_float(&m, c->bits) : spe_int(&m, c->bits);
        values[i] = spe_spec_const(&m, type, c->first, c->id);
    }
    param.type = spe_ptr(&m, SPE_StorageClassCrossWorkgroup, i64);
    k.name = "give", k.params = &param, k.param_count = 1;
    k.local_size[0] = 1;
    spe_kernel_begin(&m, &k);
    for (int i = 0; i < CONSTANTS; i++) {
        spe_id v = values[i];
        if (all[i].type == 'f') v = spe_bitcast(&m, spe_int(&m, all[i].bits), v);
        spe_store(&m, spe_index(&m, spe_param_id(&m, 0), spe_i32(&m, i)), spe_cast(&m, i64, v, false), 0);
    }
    spe_kernel_end(&m);
    module_words = spe_finish(&m);
    if (!module_words.data) printf("%s\n", spe_get_error(&m)->text);
    test_save_spv("dispatch_constants", module_words.data, 4 * module_words.count);
}

/* With these constants; none: NULL. */
static zed_source source_of(const zed_constant *constants, uint32_t count)
{
    zed_source s = {module_words.data, 4 * module_words.count, "give", "ptr<u64> to", NULL, {1, 0, 0}, constants,
                    count};
    return s;
}

static void check_launch(zed_kernel *k, const uint64_t *want, const char *what)
{
    memset(got, 0xa5, CONSTANTS * sizeof *got);
    zed_launch(k, (zed_groups){1, 1, 1}, got);
    CHECK_MSG(!zed_get_error(&dev)->id, "%s: %s", what, zed_get_error(&dev)->text);
    for (int i = 0; i < CONSTANTS; i++)
        CHECK_MSG(got[i] == want[i], "%s: constant %u is 0x%llx, want 0x%llx", what, all[i].id,
                  (unsigned long long)got[i], (unsigned long long)want[i]);
    zed_kernel_free(k);
}

static void check_load(const zed_source *s, const char *folder, const uint64_t *want, const char *what)
{
    zed_kernel k;
    if (zed_load_source(&k, &dev, s, folder)) check_launch(&k, want, what);
    CHECK_MSG(!zed_get_error(&dev)->id, "%s: %s", what, zed_get_error(&dev)->text);
    zed_clear_error(&dev);
}

static void defaults(uint64_t *want)
{
    for (int i = 0; i < CONSTANTS; i++) want[i] = all[i].first;
}

TEST(constants_of_each_type)
{
    uint64_t want[CONSTANTS];
    zed_source s = source_of(NULL, 0);
    defaults(want);
    check_load(&s, NULL, want, "defaults");
    const int8_t small = -3;
    zed_constant several[] = {ZED_CONSTANT(5, -0.375f), ZED_CONSTANT(11, small), ZED_CONSTANT(9, false)};
    s = source_of(several, 3);
    want[0] = 0xfd, want[5] = 0xbec00000, want[7] = 0;
    check_load(&s, NULL, want, "three of them");
    zed_constant rest[] = {ZED_CONSTANT(3, 65535),   ZED_CONSTANT(7, -2147483647 - 1), ZED_CONSTANT(1, UINT64_MAX),
                           ZED_CONSTANT(20, 65504.0), ZED_CONSTANT(6, 1e300),           ZED_CONSTANT(9, 0)};
    s = source_of(rest, 6);
    defaults(want);
    want[1] = 65535, want[2] = 0x80000000u, want[3] = UINT64_MAX, want[4] = 0x7bff, want[6] = 0x7e37e43c8800759c;
    want[7] = 0;
    check_load(&s, NULL, want, "the others");
    zed_constant ends[] = {ZED_CONSTANT(11, -128), ZED_CONSTANT(3, -32768), ZED_CONSTANT(7, 4294967295u),
                           ZED_CONSTANT(1, INT64_MIN)};
    s = source_of(ends, 4);
    defaults(want);
    want[0] = 0x80, want[1] = 0x8000, want[2] = 0xffffffff, want[3] = (uint64_t)1 << 63;
    check_load(&s, NULL, want, "the ends of integers");
}

TEST(each_call_that_loads_takes_them)
{
    uint64_t want[4][CONSTANTS];
    zed_constant a[] = {ZED_CONSTANT(7, 1)}, b[] = {ZED_CONSTANT(7, 2)}, again[] = {ZED_CONSTANT(7, 1)};
    zed_source sources[4] = {source_of(a, 1), source_of(b, 1), source_of(again, 1), source_of(NULL, 0)};
    zed_kernel kernels[4], k;
    zed_module module;
    for (int i = 0; i < 4; i++) defaults(want[i]);
    want[0][2] = want[2][2] = 1, want[1][2] = 2;
    if (zed_load_all(kernels, &dev, sources, 4, NULL)) {
        CHECK(kernels[0].module == kernels[2].module); /* loaded once */
        CHECK(kernels[0].module != kernels[1].module && kernels[0].module != kernels[3].module);
        for (int i = 0; i < 4; i++) check_launch(&kernels[i], want[i], "zed_load_all");
    }
    if (zed_module_load_source(&module, &dev, &sources[1], NULL) &&
        zed_kernel_get(&k, &module, "give", "ptr<u64> to"))
        check_launch(&k, want[1], "zed_module_load_source");
    struct { /* what a builder returns */
        const uint32_t *words;
        size_t size;
        const char *kernel, *params, *build_flags;
        uint32_t local_size[3];
    } built = {module_words.data, 4 * module_words.count, "give", "ptr<u64> to", "", {1, 1, 1}};
    zed_source with = ZED_SOURCE_WITH(built, b, 1), without = ZED_SOURCE(built);
    check_load(&with, NULL, want[1], "ZED_SOURCE_WITH");
    check_load(&without, NULL, want[3], "ZED_SOURCE");
    CHECK_STR(zed_get_error(&dev)->text, "");
}

/* Files in a folder, which are removed. */
static int empty_folder(const char *folder)
{
    char path[600];
    int files = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        if (*e->d_name == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        files++;
        unlink(path);
    }
    if (d) closedir(d);
    return files;
}

TEST(entries_of_the_folder_serve_their_constants_only)
{
    uint64_t want[3][CONSTANTS];
    char folder[] = "/tmp/xetile_constants_XXXXXX";
    zed_constant one[] = {ZED_CONSTANT(7, 1)}, same[] = {ZED_CONSTANT(7, (uint64_t)1)}, two[] = {ZED_CONSTANT(7, 2)};
    const zed_source sources[] = {source_of(one, 1), source_of(two, 1), source_of(NULL, 0), source_of(same, 1)};
    for (int i = 0; i < 3; i++) defaults(want[i]);
    want[0][2] = 1, want[1][2] = 2;
    if (!mkdtemp(folder)) SKIP("no temporary folder");
    for (int i = 0; i < 8; i++) {
        check_load(&sources[i % 4], folder, want[i % 4 % 3], "from the folder");
        CHECK_HAS(zed_cache_log(&dev), i < 3 ? "stored" : "loaded");
    }
    CHECK_INT(empty_folder(folder), 3);
    rmdir(folder);
}

/* Loading with one or two constants fails at the next line but one with this id and text. */
static void refused(const zed_constant *constants, uint32_t count, int id, const char *text)
{
    zed_source s = source_of(constants, count);
    zed_kernel k;
    CHECK(!zed_load_source(&k, &dev, &s, NULL));
    CHECK_INT(zed_get_error(&dev)->id, id);
    CHECK_HAS(zed_get_error(&dev)->text, text);
    CHECK_HAS(zed_get_error(&dev)->file, "test_dispatch_constants.c");
    zed_clear_error(&dev);
    CHECK(!zed_load_all(&k, &dev, &s, 1, NULL));
    CHECK_INT(zed_get_error(&dev)->id, id);
    zed_clear_error(&dev);
}

TEST(values_that_do_not_fit_are_refused)
{
    static const struct {
        int id;
        const char *text;
        uint32_t constant;
        double real;
        int64_t whole;
        bool is_real;
    } rows[] = {
        {ZED_CONSTANT_ID, "no spec constant 4; it has: 11, 3, 7, 1, 20, 5, 6, 9", 4, 0, 1, false},
        {ZED_CONSTANT_TYPE, "spec constant 7 is of type i32: got f64 0.5", 7, 0.5, 0, true},
        {ZED_CONSTANT_TYPE, "spec constant 5 is of type f32: got i64 3 (write 1.0f for a float)", 5, 0, 3, false},
        {ZED_CONSTANT_TYPE, "spec constant 9 is of type bool: got f64 1", 9, 1, 0, true},
        {ZED_CONSTANT_RANGE, "spec constant 9 is of type bool: i64 2 is not in 0 .. 1", 9, 0, 2, false},
        {ZED_CONSTANT_RANGE, "of type bool: i64 -1 is not in 0 .. 1", 9, 0, -1, false},
        {ZED_CONSTANT_RANGE, "of type i8: i64 256 is not in -128 .. 255", 11, 0, 256, false},
        {ZED_CONSTANT_RANGE, "of type i8: i64 -129 is not in -128 .. 255", 11, 0, -129, false},
        {ZED_CONSTANT_RANGE, "of type i32: i64 4294967296 is not in -2147483648 .. 4294967295", 7, 0, 1LL << 32, false},
        {ZED_CONSTANT_RANGE, "of type f16: f64 65520 is not in -65504 .. 65504", 20, 65520, 0, true},
        {ZED_CONSTANT_RANGE, "of type f32: f64 1e+39 is not in -3.40282347e+38 .. 3.40282347e+38", 5, 1e39, 0, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zed_constant c = {rows[i].constant, rows[i].is_real ? zed_arg_f(rows[i].real) : zed_arg_i(rows[i].whole)};
        refused(&c, 1, rows[i].id, rows[i].text);
    }
    zed_constant twice[] = {ZED_CONSTANT(7, 1), ZED_CONSTANT(7, 1)}, text = ZED_CONSTANT(7, 1 + 4294967295LL);
    refused(twice, 2, ZED_CONSTANT_ID, "values 1 and 2 are both for spec constant 7");
    refused(&text, 1, ZED_CONSTANT_RANGE, "spec constant 7 (1 + 4294967295LL) is of type i32");
    zed_constant memory = ZED_CONSTANT(7, got);
    refused(&memory, 1, ZED_CONSTANT_TYPE, "got a pointer");
    refused(NULL, 2, ZED_NULL_POINTER, "the 2 constants are NULL");
    zed_kernel k;
    CHECK(!zed_load_source(&k, &dev, NULL, NULL));
    CHECK_INT(zed_get_error(&dev)->id, ZED_NULL_POINTER);
    zed_clear_error(&dev);
}

/* Modules cut anywhere, and with any word before the functions damaged, are looked up without reading beyond them. */
TEST(damaged_modules_are_looked_up_safely)
{
    size_t bytes = 4 * module_words.count;
    zed_constant c[] = {ZED_CONSTANT(7, 1), ZED_CONSTANT(5, 2.0f)};
    for (size_t n = 0; n < module_words.count + 300; n += 3) {
        size_t size = n < module_words.count ? 4 * n : bytes;
        uint32_t *copy = (uint32_t *)malloc(size ? size : 1);
        zed_source s = source_of(c, 2);
        zed_module module;
        if (!copy) break;
        memcpy(copy, module_words.data, size);
        if (size == bytes) copy[5 + test_random() % 200] ^= 1u << test_random() % 32;
        s.words = copy, s.bytes = size;
        if (zed_module_load_source(&module, &dev, &s, NULL)) zed_module_free(&module);
        zed_clear_error(&dev);
        free(copy);
    }
}

int main(void)
{
    build();
    if (!module_words.data || !zed_open(&dev, NULL)) return zed_print_error(&dev, stdout), 1;
    got = (uint64_t *)zed_alloc(&dev, ZED_SHARED, CONSTANTS * sizeof *got, 0);
    RUN(constants_of_each_type);
    RUN(each_call_that_loads_takes_them);
    RUN(entries_of_the_folder_serve_their_constants_only);
    RUN(values_that_do_not_fit_are_refused);
    RUN(damaged_modules_are_looked_up_safely);
    spe_free(&m);
    zed_close(&dev);
    return test_report();
}
