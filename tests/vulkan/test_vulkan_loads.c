/* test_vulkan_loads.c - vk_dispatch.h on a Vulkan device if there is one (lavapipe will do): values for spec constants,
 * of each type, through each call that loads, and what is refused; several modules at once. */
#include "test.h"

#include "spirv_emit.h"
#include "vulkan_module.h"

#if !defined(__has_include)
#define NO_VULKAN
#elif !__has_include(<vulkan/vulkan_core.h>)
#define NO_VULKAN
#endif

#if defined(NO_VULKAN)
int main(void)
{
    printf("skipped: Vulkan's headers are missing\n");
    test_.skipped++;
    return test_report();
}
#else
#include "vk_dispatch.h"

enum { CONSTANTS = 8 };

/* A spec constant: its type, number and default, as the kernel gives it back: in 64 bits. */
static const struct {
    char type; /* i: integer, f: float, b: bool */
    uint32_t bits, id;
    uint64_t first;
} all[CONSTANTS] = {{'i', 8, 11, 200},         {'i', 16, 3, 40000},       {'i', 32, 7, 4000000000u},
                    {'i', 64, 1, 12345678901234567u}, {'f', 16, 20, 0x3c00}, {'f', 32, 5, 0x3fc00000},
                    {'f', 64, 6, 0x4002000000000000u}, {'b', 1, 9, 1}};

static spe_module m;
static spe_words words;
static vkd_device device;
static uint64_t *got;

/* Kernel "give"(u64 *to): the bits of all constants. */
static void build(void)
{
    const spe_options vulkan = {.env = SPE_ENV_VULKAN};
    spe_kernel k;
    spe_param param;
    memset(&k, 0, sizeof k);
    memset(&param, 0, sizeof param);
    spe_begin(&m, &vulkan);
    spe_id i64 = spe_int(&m, 64), values[CONSTANTS];
    for (int i = 0; i < CONSTANTS; i++) {
        spe_id type = all[i].type == 'b' ? spe_bool(&m)
                                         : all[i].type == 'f' ? spe_float(&m, all[i].bits) : spe_int(&m, all[i].bits);
        values[i] = spe_spec_const(&m, type, all[i].first, all[i].id);
    }
    param.type = spe_ptr(&m, SPE_StorageClassCrossWorkgroup, i64);
    k.name = "give", k.params = &param, k.param_count = 1;
    k.local_size[0] = 1;
    spe_kernel_begin(&m, &k);
    for (int i = 0; i < CONSTANTS; i++) {
        spe_id v = values[i], to = spe_index(&m, spe_param_id(&m, 0), spe_i32(&m, i));
        if (all[i].type == 'f') v = spe_bitcast(&m, spe_int(&m, all[i].bits), v);
        spe_store(&m, to, spe_cast(&m, i64, v, false), 0);
    }
    words = finish(&m, "constants");
}

/* With these constants; none: NULL. */
static vkd_source source_of(const vkd_constant *constants, uint32_t count)
{
    vkd_source s = {words.data, 4 * words.count, "give", "ptr<u64> to", NULL, {1, 0, 0}, constants, count, 0};
    return s;
}

static void expect(int line, int id, const char *part)
{
    const vkd_error *e = vkd_get_error(&device);
    if (e->id != id || !strstr(e->text, part))
        test_fail(__FILE__, line, "%s: %s", e->name ? e->name : "no error", e->text);
    vkd_clear_error(&device);
}

static void defaults(uint64_t *want)
{
    for (int i = 0; i < CONSTANTS; i++) want[i] = all[i].first;
}

static void check_launch(vkd_kernel *k, const uint64_t *want, const char *what)
{
    memset(got, 0xa5, CONSTANTS * sizeof *got);
    vkd_launch(k, (vkd_groups){1, 1, 1}, got);
    for (int i = 0; i < CONSTANTS; i++)
        CHECK_MSG(got[i] == want[i], "%s: constant %u is 0x%llx, want 0x%llx", what, (unsigned)all[i].id,
                  (unsigned long long)got[i], (unsigned long long)want[i]);
    expect(__LINE__, VKD_OK, "");
    vkd_kernel_free(k);
}

static void check_load(const vkd_source *s, const uint64_t *want, const char *what)
{
    vkd_kernel k;
    if (vkd_load_source(&k, &device, s, NULL)) check_launch(&k, want, what);
    expect(__LINE__, VKD_OK, "");
}

TEST(constants_of_each_type)
{
    uint64_t want[CONSTANTS];
    const int8_t small = -3;
    vkd_source s = source_of(NULL, 0);
    defaults(want);
    check_load(&s, want, "defaults");
    vkd_constant several[] = {VKD_CONSTANT(5, -0.375f), VKD_CONSTANT(11, small), VKD_CONSTANT(9, false)};
    s = source_of(several, 3);
    want[0] = 0xfd, want[5] = 0xbec00000, want[7] = 0;
    check_load(&s, want, "three of them");
    vkd_constant rest[] = {VKD_CONSTANT(3, 65535),    VKD_CONSTANT(7, -2147483647 - 1), VKD_CONSTANT(1, UINT64_MAX),
                           VKD_CONSTANT(20, 65504.0), VKD_CONSTANT(6, 1e300)};
    s = source_of(rest, 5);
    defaults(want);
    want[1] = 65535, want[2] = 0x80000000u, want[3] = UINT64_MAX, want[4] = 0x7bff, want[6] = 0x7e37e43c8800759c;
    check_load(&s, want, "the others");
}

/* A module whose integers have a sign, as other writers have them: -3 in 16 bits. */
TEST(integers_with_a_sign)
{
    uint64_t want[CONSTANTS];
    uint32_t *copy = (uint32_t *)malloc(words.count * 4), found = 0;
    memcpy(copy, words.data, words.count * 4);
    for (size_t at = 5; at < words.count; at += copy[at] >> 16)
        if (copy[at] == (4 << 16 | 21) && copy[at + 2] == 16) copy[at + 3] = 1, found++; /* OpTypeInt */
    CHECK_INT(found, 1);
    const int16_t small = -3;
    vkd_constant one[] = {VKD_CONSTANT(3, small)};
    vkd_source s = source_of(one, 1);
    s.words = copy;
    defaults(want);
    want[1] = 0xfffd;
    check_load(&s, want, "with a sign");
    free(copy);
}

TEST(each_call_that_loads_takes_them)
{
    uint64_t want[4][CONSTANTS];
    vkd_constant a[] = {VKD_CONSTANT(7, 1)}, b[] = {VKD_CONSTANT(7, 2)}, again[] = {VKD_CONSTANT(7, 1)};
    vkd_source sources[4] = {source_of(a, 1), source_of(b, 1), source_of(again, 1), source_of(NULL, 0)};
    vkd_kernel kernels[4], k;
    vkd_module module;
    for (int i = 0; i < 4; i++) defaults(want[i]);
    want[0][2] = want[2][2] = 1, want[1][2] = 2;
    if (vkd_load_all(kernels, &device, sources, 4, NULL)) {
        CHECK(kernels[0].module == kernels[2].module); /* loaded once */
        CHECK(kernels[0].module != kernels[1].module && kernels[0].module != kernels[3].module);
        for (int i = 0; i < 4; i++) CHECK(kernels[i].pipeline_);
        for (int i = 0; i < 4; i++) check_launch(&kernels[i], want[i], "vkd_load_all");
    }
    expect(__LINE__, VKD_OK, "");
    if (vkd_module_load_source(&module, &device, &sources[1], NULL) &&
        vkd_kernel_get(&k, &module, "give", "ptr<u64> to"))
        check_launch(&k, want[1], "vkd_module_load_source");
    vkd_module_free(&module);
    struct { /* what a builder returns */
        const uint32_t *words;
        size_t size;
        const char *kernel, *params;
        uint32_t subgroup_size;
    } built = {words.data, 4 * words.count, "give", "ptr<u64> to", 0};
    vkd_source with = VKD_SOURCE_WITH(built, b, 1), without = VKD_SOURCE(built);
    check_load(&with, want[1], "VKD_SOURCE_WITH");
    check_load(&without, want[3], "VKD_SOURCE");
}

static void refused(int line, const vkd_constant *constants, uint32_t count, int id, const char *part)
{
    vkd_source s = source_of(constants, count);
    vkd_kernel k;
    CHECK(!vkd_load_source(&k, &device, &s, NULL));
    expect(line, id, part);
}

TEST(what_is_refused)
{
    const vkd_constant none = VKD_CONSTANT(4, 1), whole = VKD_CONSTANT(5, 1), real = VKD_CONSTANT(7, 1.5);
    const vkd_constant large = VKD_CONSTANT(11, 256), flag = VKD_CONSTANT(9, 2);
    const vkd_constant twice[] = {VKD_CONSTANT(7, 1), VKD_CONSTANT(7, 2)};
    refused(__LINE__, &none, 1, VKD_CONSTANT_ID, "no spec constant 4; it has: 11, 3");
    refused(__LINE__, twice, 2, VKD_CONSTANT_ID, "values 1 and 2");
    refused(__LINE__, &whole, 1, VKD_CONSTANT_TYPE, "write 1.0f");
    refused(__LINE__, &real, 1, VKD_CONSTANT_TYPE, "of type i32");
    refused(__LINE__, &large, 1, VKD_CONSTANT_RANGE, "256 is not in -128 .. 255");
    refused(__LINE__, &flag, 1, VKD_CONSTANT_RANGE, "0 .. 1");
    refused(__LINE__, NULL, 2, VKD_NULL_POINTER, "2 constants");
    vkd_kernel kernels[3];
    vkd_source sources[3] = {source_of(NULL, 0), source_of(&none, 1), source_of(NULL, 0)};
    CHECK(!vkd_load_all(kernels, &device, sources, 3, NULL)); /* none is loaded */
    expect(__LINE__, VKD_CONSTANT_ID, "no spec constant 4");
    for (int i = 0; i < 3; i++) CHECK(!kernels[i].layout_ && !kernels[i].pipeline_);
    sources[1] = source_of(NULL, 0), sources[1].local_size[0] = 2;
    CHECK(!vkd_load_all(kernels, &device, sources, 3, NULL));
    expect(__LINE__, VKD_LOCAL_SIZE, "2 x 1 x 1");
    CHECK(!vkd_load_all(kernels, &device, NULL, 3, NULL));
    expect(__LINE__, VKD_NULL_POINTER, "sources");
    CHECK(vkd_load_all(kernels, &device, sources, 0, NULL));
}

int main(void)
{
    build();
    if (!vkd_open(&device, NULL)) {
        printf("skipped: %s\n", vkd_get_error(&device)->text);
        test_.skipped++;
        return test_report();
    }
    got = (uint64_t *)vkd_alloc(&device, VKD_SHARED, CONSTANTS * sizeof *got, 0);
    RUN(constants_of_each_type);
    RUN(integers_with_a_sign);
    RUN(each_call_that_loads_takes_them);
    RUN(what_is_refused);
    vkd_close(&device);
    spe_free(&m);
    return test_report();
}
#endif
