/* ze_dispatch.h: parameter texts, arguments, and what is refused before it reaches a driver. Uses a mock Level Zero, so
 * that the bytes that arrive can be checked.
 */
#define _POSIX_C_SOURCE 200809L

#include "test.h"

#include "pretend_ze.h"

#include "ze_dispatch.h"

static const struct pretend_device one[] = {
    {"Pretend GPU", ZE_DEVICE_TYPE_GPU, 0x8086, 0xe20b, 0, 0, {0, false, false}}};
static const uint32_t words[5] = {0x07230203};

static zed_device dev;
static zed_module module;
static zed_kernel kernel;

/* A kernel with these parameters on a fresh device. */
static bool begin(const char *params, uint32_t count)
{
    setenv("ZE_ENABLE_ALT_DRIVERS", "none", 1);
    unsetenv("XETILE_DEVICE");
    pretend_reset(one, 1);
    pretend.kernel_args = count;
    if (!zed_open(&dev, NULL) || !zed_module_load(&module, &dev, words, sizeof words, NULL)) return false;
    return zed_kernel_get(&kernel, &module, "first", params) && zed_local_size(&kernel, 16, 1, 1);
}

static void end(void)
{
    zed_close(&dev);
    CHECK_INT(pretend.alive, 0);
}

/* Checks the error's id and line, and that its text contains both strings. */
static void expect_at(const char *file, int line, int id, const char *first, const char *second)
{
    const zed_error *e = zed_get_error(&dev);
    if (e->id != id) test_fail(file, line, "error %d %s \"%s\", want id %d", e->id, e->name, e->text, id);
    if (e->line != line - 1 || !e->file || strcmp(e->file, file) != 0) {
        test_fail(file, line, "the error is blamed on line %d", e->line);
    }
    if (!strstr(e->text, first)) test_fail(file, line, "\"%s\" lacks \"%s\"", e->text, first);
    if (!strstr(e->text, second)) test_fail(file, line, "\"%s\" lacks \"%s\"", e->text, second);
    zed_clear_error(&dev);
}

/* Must be on the line after the failing call. */
#define EXPECT(id, first, second) expect_at(__FILE__, __LINE__, (id), (first), (second))

static const zed_groups one_group = {1, 1, 1};

static void arrived(int line, int i, size_t size, const void *bytes)
{
    if (pretend.arg[i].size != size || pretend.arg[i].null || memcmp(pretend.arg[i].bytes, bytes, size) != 0) {
        test_fail(__FILE__, line, "argument %d arrived as %zu bytes, first 0x%02x, want %zu, first 0x%02x", i,
                  pretend.arg[i].size, pretend.arg[i].bytes[0], size, *(const uint8_t *)bytes);
    }
}

#define ARRIVED(i, type, value)                                                                                        \
    do {                                                                                                               \
        type want_ = (value);                                                                                          \
        arrived(__LINE__, (i), sizeof want_, &want_);                                                                  \
    } while (0)

TEST(integers_arrive_in_their_parameters_size)
{
    CHECK(begin("i8 a, i16 b, i32 c, i64 d, u8 e, u16 f, u32 g, u64 h", 8));
    CHECK(zed_launch(&kernel, one_group, -128, -32768, INT32_MIN, INT64_MIN, 255, 65535, UINT32_MAX, UINT64_MAX));
    ARRIVED(0, int8_t, -128);
    ARRIVED(1, int16_t, -32768);
    ARRIVED(2, int32_t, INT32_MIN);
    ARRIVED(3, int64_t, INT64_MIN);
    ARRIVED(4, uint8_t, 255);
    ARRIVED(5, uint16_t, 65535);
    ARRIVED(6, uint32_t, UINT32_MAX);
    ARRIVED(7, uint64_t, UINT64_MAX);
    CHECK(zed_launch(&kernel, one_group, (signed char)127, (short)32767, 2147483647L, INT64_MAX, true, 'A',
                     (unsigned char)7, 5ull));
    ARRIVED(0, int8_t, 127);
    ARRIVED(1, int16_t, 32767);
    ARRIVED(2, int32_t, INT32_MAX);
    ARRIVED(3, int64_t, INT64_MAX);
    ARRIVED(4, uint8_t, 1);
    ARRIVED(5, uint16_t, 65);
    ARRIVED(6, uint32_t, 7);
    ARRIVED(7, uint64_t, 5);
    CHECK_INT(pretend.launches, 2);
    end();
}

TEST(an_integer_that_does_not_fit_is_refused)
{
    static const struct {
        const char *type;
        int64_t i;
        uint64_t u;
        const char *got, *range;
    } cases[] = {
        {"i8", -129, 0, "i64 -129", "-128 .. 127"},
        {"i8", 0, 128, "u64 128", "-128 .. 127"},
        {"i16", -32769, 0, "i64 -32769", "-32768 .. 32767"},
        {"i16", 32768, 0, "i64 32768", "-32768 .. 32767"},
        {"i32", -2147483649, 0, "i64 -2147483649", "-2147483648 .. 2147483647"},
        {"i32", 0, 2147483648u, "u64 2147483648", "-2147483648 .. 2147483647"},
        {"i64", 0, 9223372036854775808u, "u64 9223372036854775808", "-9223372036854775808 .. 9223372036854775807"},
        {"u8", -1, 0, "i64 -1", "0 .. 255"},
        {"u8", 256, 0, "i64 256", "0 .. 255"},
        {"u16", 0, 65536, "u64 65536", "0 .. 65535"},
        {"u32", 4294967296, 0, "i64 4294967296", "0 .. 4294967295"},
        {"u64", -1, 0, "i64 -1", "0 .. 18446744073709551615"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char params[32];
        snprintf(params, sizeof params, "%s count", cases[i].type);
        CHECK(begin(params, 1));
        if (cases[i].i)
            CHECK(!zed_launch(&kernel, one_group, cases[i].i));
        else
            CHECK(!zed_launch(&kernel, one_group, cases[i].u));
        CHECK_INT(zed_get_error(&dev)->id, ZED_ARG_RANGE);
        CHECK_HAS(zed_get_error(&dev)->text, cases[i].got);
        CHECK_HAS(zed_get_error(&dev)->text, cases[i].range);
        CHECK_HAS(zed_get_error(&dev)->text, params);
        CHECK_INT(pretend.launches, 0);
        end();
    }
}

TEST(floats_are_rounded_to_their_parameter)
{
    static const struct {
        double v;
        float f32;
        uint16_t f16, bf16;
    } cases[] = {
        {0.0, 0.0f, 0, 0},
        {-0.0, -0.0f, 0x8000, 0x8000},
        {1.0, 1.0f, 0x3c00, 0x3f80},
        {-2.5, -2.5f, 0xc100, 0xc020},
        {0.1, 0.1f, 0x2e66, 0x3dcd},
        {65504.0, 65504.0f, 0x7bff, 0x4780},
        {65519.999, 65519.999f, 0x7bff, 0x4780},          /* below halfway to 65536 */
        {1.0 + 0x1p-11, 1.0f + 0x1p-11f, 0x3c00, 0x3f80}, /* halfway: to even */
        {1.0 + 0x3p-11, 1.0f + 0x3p-11f, 0x3c02, 0x3f80},
        {1.0 + 0x1p-8, 1.0f + 0x1p-8f, 0x3c04, 0x3f80},
        {1.0 + 0x3p-8, 1.0f + 0x3p-8f, 0x3c0c, 0x3f82},
        {1.0 + 0x1p-8 + 0x1p-30, 1.0f + 0x1p-8f, 0x3c04, 0x3f81}, /* once, from f64: not by way of f32 */
        {0x1p-14, 0x1p-14f, 0x0400, 0x3880},
        {0x1p-24, 0x1p-24f, 0x0001, 0x3380},
        {0x1p-25, 0x1p-25f, 0x0000, 0x3300}, /* halfway to the smallest: to even, 0 */
        {0x1.8p-25, 0x1.8p-25f, 0x0001, 0x3340},
        {0x1.ffep-15, 0x1.ffep-15f, 0x0400, 0x3880}, /* rounds up out of the subnormals */
        {0x1p-133, 0x1p-133f, 0x0000, 0x0001},
        {1e-300, 0.0f, 0x0000, 0x0000},
        {-1e-300, -0.0f, 0x8000, 0x8000},
        {(double)INFINITY, INFINITY, 0x7c00, 0x7f80},
        {(double)-INFINITY, -INFINITY, 0xfc00, 0xff80},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK(begin("f64 a, f32 b, f16 c, bf16 d", 4));
        double v = cases[i].v;
        CHECK_MSG(zed_launch(&kernel, one_group, v, v, v, v), "%g: %s", v, zed_get_error(&dev)->text);
        ARRIVED(0, double, v);
        ARRIVED(1, float, cases[i].f32);
        ARRIVED(2, uint16_t, cases[i].f16);
        ARRIVED(3, uint16_t, cases[i].bf16);
        end();
    }
    CHECK(begin("f64 a, f32 b, f16 c, bf16 d", 4));
    CHECK(zed_launch(&kernel, one_group, 1.5f, NAN, NAN, (double)NAN));
    ARRIVED(0, double, 1.5);
    CHECK((pretend.arg[2].bytes[1] & 0x7e) == 0x7e);
    CHECK((pretend.arg[3].bytes[1] & 0x7f) == 0x7f && (pretend.arg[3].bytes[0] & 0xc0) == 0xc0);
    end();
}

TEST(a_float_that_overflows_is_refused)
{
    CHECK(begin("f32 x", 1));
    CHECK(zed_launch(&kernel, one_group, 0x1.fffffefp127)); /* rounds to FLT_MAX */
    CHECK(!zed_launch(&kernel, one_group, 1e39));
    EXPECT(ZED_ARG_RANGE, "f64 1e+39", "3.40282347e+38");
    CHECK(!zed_launch(&kernel, one_group, -0x1.ffffffp127));
    EXPECT(ZED_ARG_RANGE, "f64 -3.40282357e+38", "-3.40282347e+38");
    end();
    CHECK(begin("f16 x", 1));
    CHECK(!zed_launch(&kernel, one_group, 65520.0f));
    EXPECT(ZED_ARG_RANGE, "f32 65520", "65504");
    end();
    CHECK(begin("bf16 x", 1));
    CHECK(!zed_launch(&kernel, one_group, -0x1.ffp127));
    EXPECT(ZED_ARG_RANGE, "f64 -3.39", "3.38953139e+38");
    end();
}

TEST(an_argument_of_the_wrong_type_is_refused)
{
    float *f;
    CHECK(begin("ptr<f16> A, f32 alpha, u32 n, local<f32> tile", 4));
    f = (float *)zed_alloc(&dev, ZED_SHARED, 64, 0);
    uint16_t *h = (uint16_t *)(void *)f;
    zed_local tile = {64};
    CHECK(zed_launch(&kernel, one_group, h, 1.0f, 3, tile));
    CHECK(!zed_launch(&kernel, one_group, f, 1.0f, 3, tile));
    EXPECT(ZED_ARG_TYPE, "argument 1 (f) for parameter ptr<f16> A", "a pointer to f32, wanted uint16_t * or void *");
    CHECK(!zed_launch(&kernel, one_group, 7, 1.0f, 3, tile));
    EXPECT(ZED_ARG_TYPE, "ptr<f16> A", "i32 7");
    CHECK(!zed_launch(&kernel, one_group, h, 1, 3, tile));
    EXPECT(ZED_ARG_TYPE, "argument 2 (1) for parameter f32 alpha", "i32 1");
    CHECK(!zed_launch(&kernel, one_group, h, 1.0f, 3.5, tile));
    EXPECT(ZED_ARG_TYPE, "u32 n", "f64 3.5");
    CHECK(!zed_launch(&kernel, one_group, h, 1.0f, f, tile));
    EXPECT(ZED_ARG_TYPE, "u32 n", "a pointer to f32");
    CHECK(!zed_launch(&kernel, one_group, h, 1.0f, 3, h));
    EXPECT(ZED_ARG_TYPE, "local<f32> tile", "a pointer to u16");
    CHECK(!zed_launch(&kernel, one_group, tile, 1.0f, 3, tile));
    EXPECT(ZED_ARG_TYPE, "ptr<f16> A", "64 bytes of local memory");
    CHECK(!zed_launch(&kernel, one_group, h, 1.0f, 3, (zed_local){0}));
    EXPECT(ZED_ARG_RANGE, "local<f32> tile", "0 bytes");
    CHECK_INT(pretend.launches, 1);
    end();
}

/* Every pointer type in C against every element type. */
TEST(pointers_fit_what_they_point_to)
{
    static const char *const types[] = {"f64", "f32", "f16", "bf16", "i64",  "i32",  "i16", "i8", "u64",
                                        "u32", "u16", "u8",  "tf32", "e4m3", "e5m2", "c32", "c64"};
    static const struct {
        const char *c_type, *fits;
    } rows[] = {
        {"double", "f64 c64"},        {"float", "f32 tf32 c32"},
        {"int64_t", "i64"},           {"int32_t", "i32"},
        {"int16_t", "i16"},           {"signed char", "i8"},
        {"uint64_t", "u64"},          {"uint32_t", "u32"},
        {"uint16_t", "f16 bf16 u16"}, {"unsigned char", "u8 e4m3 e5m2"},
        {"char", "i8 u8 e4m3 e5m2"},
    };
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        char params[32];
        snprintf(params, sizeof params, "ptr<%s> p", types[t]);
        CHECK(begin(params, 1));
        void *p = zed_alloc(&dev, ZED_SHARED, 64, 0);
        const zed_arg args[] = {
            ZED_ARG((double *)p),   ZED_ARG((const float *)p),   ZED_ARG((int64_t *)p),  ZED_ARG((int32_t *)p),
            ZED_ARG((int16_t *)p),  ZED_ARG((signed char *)p),   ZED_ARG((uint64_t *)p), ZED_ARG((const uint32_t *)p),
            ZED_ARG((uint16_t *)p), ZED_ARG((unsigned char *)p), ZED_ARG((char *)p),
        };
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            char padded[64], wanted[16];
            snprintf(padded, sizeof padded, " %s ", rows[i].fits);
            snprintf(wanted, sizeof wanted, " %s ", types[t]);
            bool want = strstr(padded, wanted) != NULL, got = zed_launch_n(&kernel, one_group, &args[i], 1);
            CHECK_MSG(want == got, "%s * for ptr<%s>: %s", rows[i].c_type, types[t], got ? "taken" : "refused");
            CHECK_INT(zed_get_error(&dev)->id, want ? 0 : ZED_ARG_TYPE);
            zed_clear_error(&dev);
        }
        CHECK(zed_launch(&kernel, one_group, p));
        ARRIVED(0, void *, p);
        CHECK(zed_launch(&kernel, one_group, NULL));
        CHECK(pretend.arg[0].null && pretend.arg[0].size == sizeof p);
        end();
    }
}

TEST(memory_the_device_cannot_reach_is_refused)
{
    static float mine[4];
    CHECK(begin("ptr<f32> x, u32 n", 2));
    CHECK(!zed_launch(&kernel, one_group, mine, 4));
    EXPECT(ZED_ARG_MEMORY, "argument 1 (mine)", "Pretend GPU");
    float *x = (float *)zed_alloc(&dev, ZED_SHARED, 16, 0);
    CHECK(zed_launch(&kernel, one_group, x + 3, 4)); /* inside */
    ARRIVED(0, float *, x + 3);
    CHECK(!zed_launch(&kernel, one_group, x + 4, 4)); /* one past the end */
    EXPECT(ZED_ARG_MEMORY, "argument 1 (x + 4)", "Pretend GPU");
    CHECK(zed_free(&dev, x));
    CHECK(!zed_launch(&kernel, one_group, x, 4));
    EXPECT(ZED_ARG_MEMORY, "ptr<f32> x", "Pretend GPU");
    end();
}

TEST(local_memory_is_counted)
{
    CHECK(begin("local<f32> a, local<f32> b", 2));
    kernel.local_bytes = 96;
    CHECK(zed_launch(&kernel, one_group, (zed_local){2000}, (zed_local){2000}));
    CHECK_INT(pretend.arg[0].size, 2000);
    CHECK(pretend.arg[0].null && pretend.arg[1].null);
    CHECK(!zed_launch(&kernel, one_group, (zed_local){2000}, (zed_local){2001}));
    EXPECT(ZED_LOCAL_MEMORY, "4097 bytes", "has 4096");
    end();
}

static int counted;

static int count_up(void) { return ++counted; }

TEST(arguments_are_evaluated_once)
{
    int i = 5;
    counted = 0;
    CHECK(begin("i32 a, i32 b, i64 c", 3));
    CHECK(zed_launch(&kernel, (zed_groups){(uint32_t)count_up(), 1, 1}, i++, count_up(), 7));
    CHECK_INT(counted, 2);
    CHECK_INT(pretend.groups[0] + pretend.arg[1].bytes[0], 3);
    CHECK_INT(i, 6);
    ARRIVED(0, int, 5);
    end();
}

TEST(as_many_as_32_arguments)
{
    char params[512] = "";
    for (int i = 0; i < 32; i++) {
        snprintf(params + strlen(params), sizeof params - strlen(params), "%su8 a%d", i ? ", " : "", i);
    }
    CHECK(begin(params, 32));
    CHECK(zed_launch(&kernel, (zed_groups){3, 4, 5}, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
                     19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31));
    for (int i = 0; i < 32; i++) ARRIVED(i, uint8_t, (uint8_t)i);
    CHECK(pretend.groups[0] == 3 && pretend.groups[1] == 4 && pretend.groups[2] == 5);
    CHECK(!zed_launch(&kernel, one_group, 1));
    EXPECT(ZED_ARG_COUNT, "takes 32", "got 1");
    CHECK(!zed_launch(&kernel, one_group));
    EXPECT(ZED_ARG_COUNT, "takes 32", "got 0");
    end();
    CHECK(begin("", 0));
    CHECK(zed_launch(&kernel, one_group));
    CHECK(zed_launch(&kernel, (zed_groups){1, 2, 3}));
    CHECK(zed_launch_n(&kernel, one_group, NULL, 0));
    CHECK(!zed_launch(&kernel, (zed_groups){1, 2, 3}, 1.0f));
    EXPECT(ZED_ARG_COUNT, "takes 0", "got 1");
    end();
}

TEST(generated_code_makes_arguments_by_function)
{
    CHECK(begin("i8 a, u16 b, f32 c, ptr<f32> d, local<i8> e", 5));
    const zed_arg args[] = {zed_arg_i(-7), zed_arg_u(9), zed_arg_f(0.5), zed_arg_ptr(NULL), zed_arg_local(12)};
    CHECK(zed_launch_n(&kernel, (zed_groups){1, 1, 1}, args, 5));
    ARRIVED(0, int8_t, -7);
    ARRIVED(1, uint16_t, 9);
    ARRIVED(2, float, 0.5f);
    CHECK_INT(pretend.arg[4].size, 12);
    CHECK(zed_launch(&kernel, one_group, args[0], args[1], 2.0f, args[3], args[4]));
    ARRIVED(2, float, 2.0f);
    end();
}

TEST(parameter_texts_are_read)
{
    CHECK(begin(" ptr<f16> A,ptr < bf16 >B\t,\n local<i8> scratch , u32 M1 ", 4));
    CHECK_INT(kernel.param_count, 4);
    CHECK_STR(kernel.params[0].name, "A");
    CHECK_STR(kernel.params[1].name, "B");
    CHECK_STR(kernel.params[1].type->name, "bf16");
    CHECK_INT(kernel.params[1].kind, ZED_PARAM_PTR);
    CHECK_INT(kernel.params[2].kind, ZED_PARAM_LOCAL);
    CHECK_STR(kernel.params[3].name, "M1");
    CHECK_INT(kernel.params[3].kind, ZED_PARAM_VALUE);
    end();
    CHECK(begin("  ", 0));
    end();
}

TEST(bad_parameter_texts_are_refused)
{
    static const struct {
        const char *text, *says, *where;
    } cases[] = {
        {"f8 x", "no such type", "column 1"},
        {"f32 x, int n", "no such type", "column 8"},
        {"ptr<half> x", "no such type", "column 5"},
        {"ptr f32 x", "'<'", "column 5"},
        {"ptr<f32 x", "'>'", "column 9"},
        {"f32", "a name is missing", "column 4"},
        {"f32 1x", "a name is missing", "column 5"},
        {"f32 x,", "a type is missing", "column 7"},
        {"f32 x,, f32 y", "a type is missing", "column 7"},
        {"f32 x f32 y", "','", "column 7"},
        {"f32 x; f32 y", "','", "column 6"},
        {"f32 x, u32 x", "repeated name", "column 12"},
        {"e4m3 x", "in memory only", "column 1"},
        {"ptr<ptr<f32>> x", "no such type", "column 5"},
        {"f32 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "63", "column 5"},
        {"u8 a,u8 b,u8 c,u8 d,u8 e,u8 f,u8 g,u8 h,u8 i,u8 j,u8 k,u8 l,u8 m,u8 n,u8 o,u8 p,u8 q,u8 r,u8 s,u8 t,u8 u,"
         "u8 v,u8 w,u8 x,u8 y,u8 z,u8 A,u8 B,u8 C,u8 D,u8 E,u8 F,u8 G",
         "more than 32", "column 161"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK(begin("", 0));
        CHECK(!zed_kernel_get(&kernel, &module, "first", cases[i].text));
        CHECK_INT(zed_get_error(&dev)->id, ZED_PARAM_TEXT);
        CHECK_INT(zed_get_error(&dev)->line, __LINE__ - 2);
        CHECK_HAS(zed_get_error(&dev)->text, cases[i].says);
        CHECK_HAS(zed_get_error(&dev)->text, cases[i].where);
        CHECK_HAS(zed_get_error(&dev)->text, cases[i].text);
        end();
    }
    CHECK(begin("", 0));
    CHECK(!zed_kernel_get(&kernel, &module, "first", NULL));
    EXPECT(ZED_PARAM_TEXT, "NULL", "first");
    end();
}

TEST(a_kernel_must_fit_its_text_and_the_device)
{
    CHECK(begin("", 0));
    pretend.kernel_args = 3;
    CHECK(!zed_kernel_get(&kernel, &module, "first", "f32 x"));
    EXPECT(ZED_PARAM_COUNT, "takes 3", "lists 1");
    pretend.kernel_args = 0;
    pretend.required_subgroup = 8;
    CHECK(!zed_kernel_get(&kernel, &module, "first", ""));
    EXPECT(ZED_SUBGROUP_SIZE, "subgroups of 8", "16, 32");
    pretend.required_subgroup = 32;
    pretend.local_bytes = 4097;
    CHECK(!zed_kernel_get(&kernel, &module, "first", ""));
    EXPECT(ZED_LOCAL_MEMORY, "4097", "4096");
    pretend.local_bytes = 0;
    pretend.required_size[0] = 257;
    pretend.required_size[1] = pretend.required_size[2] = 1;
    CHECK(!zed_kernel_get(&kernel, &module, "first", ""));
    EXPECT(ZED_GROUP_TOO_LARGE, "257 x 1 x 1", "allows 256");
    pretend.required_size[0] = 32;
    CHECK(zed_kernel_get(&kernel, &module, "second", ""));
    CHECK_INT(pretend.local_size[0], 32);
    CHECK(!zed_local_size(&kernel, 16, 2, 1));
    EXPECT(ZED_LOCAL_SIZE, "32 x 1 x 1", "16 x 2 x 1");
    CHECK(zed_local_size(&kernel, 32, 1, 1));
    CHECK(!zed_kernel_get(&kernel, &module, "third", ""));
    EXPECT(ZED_KERNEL_NAME, "\"third\"", "first, second");
    end();
}

TEST(work_groups_and_groups_are_checked)
{
    CHECK(begin("", 0));
    CHECK(!zed_local_size(&kernel, 16, 17, 1));
    EXPECT(ZED_GROUP_TOO_LARGE, "16 x 17 x 1", "allows 256");
    CHECK(!zed_local_size(&kernel, 1, 1, 65));
    EXPECT(ZED_GROUP_TOO_LARGE, "1 x 1 x 65", "256 x 256 x 64");
    CHECK(!zed_local_size(&kernel, UINT32_MAX, UINT32_MAX, UINT32_MAX));
    EXPECT(ZED_GROUP_TOO_LARGE, "4294967295 x", "allows 256");
    CHECK(!zed_local_size(&kernel, 0, 1, 1));
    EXPECT(ZED_LOCAL_SIZE, "0 x 1 x 1", "no work-item");
    CHECK(!zed_launch(&kernel, (zed_groups){0, 1, 1}));
    EXPECT(ZED_GROUPS, "0 x 1 x 1", "1000 x 100 x 100");
    CHECK(!zed_launch(&kernel, (zed_groups){1, 101, 1}));
    EXPECT(ZED_GROUPS, "1 x 101 x 1", "1000 x 100 x 100");
    CHECK(zed_launch(&kernel, (zed_groups){1000, 100, 100}));
    CHECK(zed_kernel_get(&kernel, &module, "second", ""));
    CHECK(!zed_launch(&kernel, one_group));
    EXPECT(ZED_NO_LOCAL_SIZE, "second", "zed_local_size");
    end();
}

TEST(memory_calls_are_checked)
{
    char *p, pattern[32] = {0};
    CHECK(begin("", 0));
    CHECK(!zed_alloc(&dev, 9, 16, 0));
    EXPECT(ZED_ALLOC_KIND, "9", "ZED_SHARED");
    CHECK(!zed_alloc(&dev, ZED_HOST, 0, 0));
    EXPECT(ZED_ALLOC_SIZE, "0 bytes", "one byte");
    CHECK(!zed_alloc(&dev, ZED_HOST, 16, 48));
    EXPECT(ZED_ALLOC_ALIGN, "48", "16 bytes");
    CHECK(!zed_alloc(&dev, ZED_DEVICE, (1 << 20) + 1, 0));
    EXPECT(ZED_ALLOC_TOO_LARGE, "1048577", "1048576");
    p = (char *)zed_alloc(&dev, ZED_SHARED, 100, 0);
    CHECK(!zed_free(&dev, p + 1));
    EXPECT(ZED_NOT_ALLOCATED, "not an allocation", "zed_alloc");
    CHECK(!zed_fill(&dev, p + 1, 0, 100));
    EXPECT(ZED_MEMORY_RANGE, "100 bytes from offset 1", "of 100 bytes");
    CHECK(!zed_copy(&dev, p, p + 90, 11));
    EXPECT(ZED_MEMORY_RANGE, "source of a copy", "11 bytes from offset 90");
    CHECK(!zed_copy(&dev, p + 90, pattern, 11));
    EXPECT(ZED_MEMORY_RANGE, "destination of a copy", "11 bytes from offset 90");
    CHECK(!zed_copy(&dev, NULL, p, 11));
    EXPECT(ZED_NULL_POINTER, "destination", "11 bytes");
    CHECK(zed_copy(&dev, NULL, NULL, 0));
    CHECK(!zed_fill_pattern(&dev, p, pattern, 3, 99));
    EXPECT(ZED_FILL_PATTERN, "pattern of 3 bytes", "99 bytes");
    CHECK(!zed_fill_pattern(&dev, p, pattern, 4, 98));
    EXPECT(ZED_FILL_PATTERN, "pattern of 4 bytes", "98 bytes");
    CHECK(!zed_fill_pattern(&dev, p, pattern, 32, 96));
    EXPECT(ZED_FILL_PATTERN, "pattern of 32 bytes", "up to 16");
    CHECK(!zed_fill_pattern(&dev, p, NULL, 4, 96));
    EXPECT(ZED_NULL_POINTER, "96 bytes", "no pattern");
    CHECK(zed_free(&dev, p) && zed_free(&dev, NULL));
    CHECK(!zed_free(&dev, p));
    EXPECT(ZED_NOT_ALLOCATED, "not an allocation", "once");
    end();
}

TEST(modules_are_looked_at_first)
{
    static const uint32_t swapped[5] = {0x03022307};
    static const struct {
        const void *words;
        size_t size;
        const char *kernel, *params, *build_flags;
        uint32_t local_size[3];
    } good = {words, sizeof words, "first", "", "", {16, 0, 0}},
      bad_size = {words, sizeof words, "first", "", NULL, {512, 1, 1}};
    zed_kernel loose;
    memset(&loose, 0, sizeof loose);
    CHECK(begin("", 0));
    CHECK(!zed_module_load(&module, &dev, NULL, 0, NULL));
    EXPECT(ZED_MODULE_WORDS, "NULL", "0 bytes");
    CHECK(!zed_module_load(&module, &dev, words, 18, NULL));
    EXPECT(ZED_MODULE_WORDS, "18 bytes", "words of 4");
    CHECK(!zed_module_load(&module, &dev, swapped, sizeof swapped, NULL));
    EXPECT(ZED_MODULE_WORDS, "0x03022307", "0x07230203");
    CHECK(!zed_module_load(NULL, &dev, words, sizeof words, NULL));
    EXPECT(ZED_NULL_POINTER, "zed_module_load", "NULL");
    CHECK(!zed_kernel_get(&kernel, &module, "first", ""));
    EXPECT(ZED_KERNEL_NOT_LOADED, "first", "module");
    CHECK(ZED_LOAD(&kernel, &dev, good));
    CHECK(pretend.local_size[0] == 16 && pretend.local_size[1] == 1 && pretend.local_size[2] == 1);
    CHECK(zed_launch(&kernel, one_group));
    CHECK(!ZED_LOAD(&kernel, &dev, bad_size));
    EXPECT(ZED_GROUP_TOO_LARGE, "512 x 1 x 1", "allows 256");
    CHECK(!zed_launch(&loose, one_group)); /* has no device to report to */
    CHECK_INT(zed_get_error(&dev)->id, 0);
    CHECK(zed_kernel_free(&kernel));
    CHECK(!zed_launch(&kernel, one_group));
    EXPECT(ZED_KERNEL_NOT_LOADED, "not loaded", "zed_kernel_get");
    end();
}

TEST(batches_keep_their_order)
{
    zed_batch b, none;
    zed_device other;
    zed_kernel k2;
    zed_module m2;
    memset(&none, 0, sizeof none);
    CHECK(begin("u32 n", 1));
    CHECK(!zed_batch_launch(&none, &kernel, one_group, 1));
    EXPECT(ZED_BATCH_STATE, "not begun", "zed_batch_begin");
    CHECK(zed_batch_begin(&b, &dev));
    CHECK(!zed_batch_run(&b));
    EXPECT(ZED_BATCH_STATE, "being recorded", "not ended");
    CHECK(zed_batch_launch(&b, &kernel, (zed_groups){1, 2, 3}, 1));
    CHECK(zed_batch_launch(&b, &kernel, one_group, 2));
    CHECK_INT(pretend.launches, 0); /* they are appended together, at the end */
    CHECK_INT(pretend.executions, 0);
    CHECK(!zed_batch_launch(&b, &kernel, one_group, -2));
    EXPECT(ZED_ARG_RANGE, "u32 n", "-2");
    CHECK(zed_batch_end(&b));
    CHECK_INT(pretend.launches, 2);
    CHECK_INT(pretend.barriers, 4); /* the gate, before each launch, the end */
    CHECK_INT(pretend.executions, 1);
    CHECK(zed_batch_run(&b));
    CHECK_INT(pretend.executions, 2);
    CHECK(!zed_batch_launch(&b, &kernel, one_group, 2));
    EXPECT(ZED_BATCH_STATE, "ended", "being recorded");
    CHECK(!zed_batch_end(&b));
    EXPECT(ZED_BATCH_STATE, "zed_batch_end", "ended");
    CHECK(zed_batch_free(&b));
    CHECK(!zed_batch_run(&b));
    EXPECT(ZED_BATCH_STATE, "not begun", "ended");

    CHECK(zed_open(&other, NULL) && zed_module_load(&m2, &other, words, sizeof words, NULL));
    CHECK(zed_kernel_get(&k2, &m2, "first", "u32 n") && zed_local_size(&k2, 16, 1, 1));
    CHECK(zed_batch_begin(&b, &dev));
    CHECK(!zed_batch_launch(&b, &k2, one_group, 2));
    CHECK_INT(zed_get_error(&other)->id, ZED_OTHER_DEVICE);
    CHECK_INT(zed_get_error(&other)->line, __LINE__ - 2);
    CHECK(!zed_kernel_clone(&k2, &kernel, &other));
    zed_clear_error(&other);
    CHECK(!zed_kernel_clone(&k2, &kernel, &other));
    CHECK_INT(zed_get_error(&other)->id, ZED_OTHER_DEVICE);
    zed_close(&other);
    end();
}

/* The first change records a list that can be changed, where the driver has such; later ones change it. */
TEST(changes_are_made_in_place_where_the_driver_can)
{
    zed_batch b;
    CHECK(begin("u32 n", 1));
    for (int round = 0; round < 4; round++) {
        pretend.mutable_lists = round > 0;
        pretend.wraps = round == 2; /* the driver does not know the loader's handles */
        pretend.refuses_changes = round == 3;
        memset(&dev.mutable_, 0, sizeof dev.mutable_);
        CHECK(zed_batch_begin(&b, &dev) && zed_batch_launch(&b, &kernel, one_group, 1) &&
              zed_batch_launch(&b, &kernel, one_group, 2) && zed_batch_end(&b));
        pretend.updates = pretend.launches = 0;
        CHECK(zed_batch_change(&b, 0, one_group, 3) && zed_batch_run(&b));
        CHECK_INT(pretend.launches, 2);
        CHECK(zed_batch_change(&b, 1, one_group, 4) && zed_batch_change(&b, 0, one_group, 5) && zed_batch_run(&b));
        CHECK(zed_batch_change(&b, 1, one_group, 6) && zed_batch_run(&b));
        CHECK_INT(pretend.launches, round == 1 ? 2 : 6);
        CHECK_INT(pretend.updates, round == 1 ? 3 : 0);
        CHECK(zed_batch_free(&b));
    }
    end();
}

TEST(a_cache_is_used_as_far_as_the_driver_goes_along)
{
    char folder[] = "/tmp/xetile-cache-XXXXXX", command[64];
    uint32_t other[sizeof words / 4];
    zed_module m;
    memcpy(other, words, sizeof other);
    CHECK(begin("u32 n", 1));
    CHECK(mkdtemp(folder) != NULL);
    pretend.spirv_loads = 0;
#define LOAD(says, native, spirv, ...)                                                                                 \
    CHECK(zed_module_load_cached(&m, &dev, other, sizeof other, __VA_ARGS__));                                         \
    CHECK_HAS(zed_cache_log(&dev), says);                                                                              \
    CHECK_INT(pretend.native_loads, native);                                                                           \
    CHECK_INT(pretend.spirv_loads, spirv)
    LOAD("the driver gave no binary", 0, 1, "-g", folder);
    pretend.native_bytes = 10000;
    LOAD("stored ", 0, 2, "-g", folder);
    LOAD("loaded ", 1, 2, "-g", folder);
    LOAD("stored ", 1, 3, "-O1", folder); /* other flags */
    LOAD("loaded ", 2, 3, "-O1", folder);
    pretend.driver_version = 2;
    LOAD("stored ", 2, 4, "-g", folder);
    pretend.refuses_native = true;
    LOAD("stored ", 2, 5, "-g", folder); /* again, from the SPIR-V */
    pretend.refuses_native = false;
    LOAD("loaded ", 3, 5, "-g", folder);
    snprintf(dev.name, sizeof dev.name, "another");
    LOAD("stored ", 3, 6, "-g", folder);
    other[2] ^= 1; /* another generator's module */
    LOAD("stored ", 3, 7, "-g", folder);
    LOAD("loaded ", 4, 7, "-g", folder);
    LOAD("", 4, 8, "-g", NULL);
    LOAD("", 4, 9, "-g", "");
    LOAD("not stored", 4, 10, "-g", "/nowhere/at/all");
#undef LOAD
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK_INT(system(command), 0);
    end();
}

TEST(starts_run_one_after_the_other)
{
    CHECK(begin("u32 n", 1));
    CHECK(zed_start(&kernel, one_group, 1));
    CHECK(zed_start(&kernel, one_group, 2));
    CHECK_INT(pretend.barriers, 1);
    CHECK_INT(pretend.pending, 2);
    CHECK(zed_wait(&dev));
    CHECK_INT(pretend.pending, 0);
    CHECK(zed_wait(&dev));
    CHECK(zed_start(&kernel, one_group, 3));
    CHECK(zed_launch(&kernel, one_group, 4)); /* waits for what was started */
    CHECK_INT(pretend.launches, 4);
    CHECK_INT(pretend.pending, 0);
    end();
}

TEST(a_closed_device_does_nothing)
{
    zed_device closed;
    zed_module m;
    memset(&closed, 0, sizeof closed);
    CHECK(!zed_alloc(&closed, ZED_SHARED, 4, 0));
    CHECK_INT(zed_get_error(&closed)->id, ZED_NOT_OPEN);
    CHECK_INT(zed_get_error(&closed)->line, __LINE__ - 2);
    CHECK(!zed_module_load(&m, &closed, words, sizeof words, NULL));
    CHECK(!zed_kernel_get(&kernel, &m, "first", ""));
    CHECK(!zed_wait(&closed));
    zed_close(&closed);
    CHECK(!zed_open(NULL, NULL));
    zed_close(NULL);
}

int main(void)
{
    RUN(integers_arrive_in_their_parameters_size);
    RUN(an_integer_that_does_not_fit_is_refused);
    RUN(floats_are_rounded_to_their_parameter);
    RUN(a_float_that_overflows_is_refused);
    RUN(an_argument_of_the_wrong_type_is_refused);
    RUN(pointers_fit_what_they_point_to);
    RUN(memory_the_device_cannot_reach_is_refused);
    RUN(local_memory_is_counted);
    RUN(arguments_are_evaluated_once);
    RUN(as_many_as_32_arguments);
    RUN(generated_code_makes_arguments_by_function);
    RUN(parameter_texts_are_read);
    RUN(bad_parameter_texts_are_refused);
    RUN(a_kernel_must_fit_its_text_and_the_device);
    RUN(work_groups_and_groups_are_checked);
    RUN(memory_calls_are_checked);
    RUN(modules_are_looked_at_first);
    RUN(batches_keep_their_order);
    RUN(changes_are_made_in_place_where_the_driver_can);
    RUN(a_cache_is_used_as_far_as_the_driver_goes_along);
    RUN(starts_run_one_after_the_other);
    RUN(a_closed_device_does_nothing);
    return test_report();
}
