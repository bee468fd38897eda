/* test_opencl_program.c - constant tables, program-scope variables, generic pointers, printf, asynchronous copies, and
 * kernels called by kernels. Exact.
 */
#define _GNU_SOURCE
#include "opencl.h"
#include "printed.h"

enum { ITEMS = 40 };
static zed_module module, printing, printing_long;

TEST(constant_tables)
{
    static const int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
    static const char text[] = "hello, lanes";
    for (int k = 0; k < 8; k++) {
        int32_t *r = (int32_t *)ocl_buffer(ITEMS * 40);
        OCL_RUN(&module, "constants", "ptr<i32> r, i32 k", 2, ITEMS / 2, r, k);
        for (int i = 0; i < ITEMS; i++) {
            const int32_t *v = r + 10 * i;
            CHECK_INT(v[0], table[i & 7]);
            CHECK_INT(v[1], text[i % 12]);
            CHECK_INT(v[2], i & 1 ? -3 : 3);
            CHECK_INT(v[3], table[2 + (i & 3)]);
            CHECK_INT(v[4], 7 + (i & 1));
            CHECK_INT(v[5], i & 1 ? text[7] : text[0]);
            CHECK_INT(v[6], 1 + (i & 1) + 2 * (i >> 1 & 1));
            CHECK_INT(v[7], table[k]);
            CHECK_INT(v[8], k & 1 ? text[8] : text[1]);
            CHECK_INT(v[9], 1);
        }
        ocl_free(r);
    }
}

TEST(variables_of_the_program)
{
    int32_t *r = (int32_t *)ocl_buffer(ITEMS * 4);
    for (int round = 1; round <= 3; round++) {
        bool seen[ITEMS] = {false};
        OCL_RUN(&module, "remember", "ptr<i32> r", 2, ITEMS / 2, r);
        for (int i = 0; i < ITEMS; i++) {
            int at = r[i] - 40 - (round - 1) * ITEMS;
            CHECK(at >= 0 && at < ITEMS && !seen[at]);
            if (at >= 0 && at < ITEMS) seen[at] = true;
        }
        OCL_RUN(&module, "recall", "ptr<i32> r", 1, 1, r);
        const int want[6] = {40 + round * ITEMS, 1, 2 + 5 * round, 10 * round, 0, 6 << round};
        for (int k = 0; k < 6; k++) CHECK_INT(r[k], want[k]);
    }
    ocl_free(r);
}

static int sum_of(const int *p, int n)
{
    int s = 0;
    for (int k = 0; k < n; k++) s += p[k] * (k + 1);
    return s;
}

TEST(generic_pointers)
{
    enum { LOCAL = 20 };
    int32_t *a = (int32_t *)ocl_buffer(ITEMS * 4), *r = (int32_t *)ocl_buffer(ITEMS * 24);
    for (int i = 0; i < ITEMS; i++) a[i] = (int32_t)(test_random() % 100000);
    OCL_RUN(&module, "generic_pointers", "ptr<i32> a, ptr<i32> r", ITEMS / LOCAL, LOCAL, a, r);
    for (int i = 0; i < ITEMS; i++) {
        int l = i % LOCAL, own[4] = {i, l * 10, 3, 4};
        const int32_t *v = r + 6 * i;
        CHECK_INT(v[0], sum_of(own, 4));
        CHECK_INT(v[1], sum_of(a + (i - l) + (l & ~3), 4));
        CHECK_INT(v[2], sum_of(a + (i & ~3), 4));
        CHECK_INT(v[3], i & 1 ? sum_of(own, 3) : sum_of(a + (i - l) + (l & ~3), 3));
        CHECK_INT(v[4], i % 3 ? 55 : (int32_t)0xa5a5a5a5);
        CHECK_INT(v[5], (i % 3 ? i : 55) + 3000);
    }
    ocl_free(a);
    ocl_free(r);
}

struct prints {
    int n;
    const float *f;
};

static void launch_prints(const void *arguments)
{
    const struct prints *a = arguments;
    OCL_RUN(&printing, "prints", "i32 n, ptr<f32> f", 1, 16, a->n, a->f);
}

TEST(printing)
{
    char text[4096], want[256];
    float *f = (float *)ocl_buffer(16);
    f[0] = 3.25f, f[1] = -1.5f, f[2] = 12345.678f, f[3] = 1e-10f;
    int n = 1234;
    const struct prints arguments = {n, f};
    CHECK(ocl_printed(text, sizeof text, launch_prints, &arguments) > 0);
    snprintf(want, sizeof want, "int %d, %5d|%-5d|%05d, hex %x %#X, char x, string abc, %%\n", n, n, n, n, (unsigned)n,
             (unsigned)n);
    CHECK_HAS(text, want);
    snprintf(want, sizeof want, ", long %lld 18446744073709551615\n", (long long)n << 32);
    CHECK_HAS(text, want);
    CHECK_HAS(text, "float 3.250000 -1.500 1.234568e+04 1e-10, long"); /* in every locale */
    CHECK_HAS(text, "vector 1,1234,3,-4 0.500000,-1.500000 and a,b,ff\n");
    CHECK_HAS(text, "no arguments\n");
    CHECK_HAS(text, "item 1\n");
    CHECK_HAS(text, "item 9\n");
    CHECK(!strstr(text, "item 3"));
    ocl_free(f);
}

static void launch_integers(const void *n)
{
    OCL_RUN(&printing_long, "prints_integers", "i32 n", 1, 1, *(const int *)n);
}

static void launch_reals(const void *x)
{
    OCL_RUN(&printing_long, "prints_reals", "f64 x", 1, 1, *(const double *)x);
}

static void launch_texts(const void *unused)
{
    OCL_RUN(&printing_long, "prints_texts", "i32 unused", 1, 1, *(const int *)unused);
}

enum { LONG_OUTPUT = 1 << 17 };

/* Checks each line of the output, made with these formats, against the C library's. */
static void check_lines(const char *text, size_t length, const char *const *formats, size_t count, const void *value,
                        char kind)
{
    static char want[1 << 13];
    for (size_t k = 0; k < count; k++) {
        int n = kind == 'i'   ? snprintf(want + 1, sizeof want - 2, formats[k], *(const int *)value)
                : kind == 'f' ? snprintf(want + 1, sizeof want - 2, formats[k], *(const double *)value)
                              : snprintf(want + 1, sizeof want - 2, formats[k], (const char *)value);
        size_t size = (size_t)n + 3;
        want[0] = '[';
        memcpy(want + size - 2, "]\n", 3);
        bool same = size <= length && memcmp(text, want, size) == 0;
        CHECK_MSG(same, "%s: %.*s, not %s", formats[k], (int)(size < length ? size : length), text, want);
        if (!same) return;
        text += size;
        length -= size;
    }
    CHECK_INT(length, 0);
}

TEST(printing_of_any_length)
{
#define INTEGER(format) format,
#define REAL(format)
#define TEXT(format)
    static const char *const integers[] = {
#include "printing_formats.h"
    };
#undef INTEGER
#undef REAL
#define INTEGER(format)
#define REAL(format) format,
    static const char *const reals[] = {
#include "printing_formats.h"
    };
#undef REAL
#undef TEXT
#define REAL(format)
#define TEXT(format) format,
    static const char *const texts[] = {
#include "printing_formats.h"
    };
    const int numbers[] = {0, 65, -1, INT32_MIN, (int)test_random()};
    const double values[] = {0.0, -0.0, (double)0.1f, test_normal() * 1e-300, -test_normal() * 1e300, 0x1p-1074,
                             1e22, INFINITY, -INFINITY, NAN};
    char *text = malloc(LONG_OUTPUT);
    size_t length;
    for (size_t k = 0; text && k < sizeof numbers / sizeof *numbers; k++) {
        length = ocl_printed(text, LONG_OUTPUT, launch_integers, &numbers[k]);
        check_lines(text, length, integers, sizeof integers / sizeof *integers, &numbers[k], 'i');
    }
    for (size_t k = 0; text && k < sizeof values / sizeof *values; k++) {
        length = ocl_printed(text, LONG_OUTPUT, launch_reals, &values[k]);
        check_lines(text, length, reals, sizeof reals / sizeof *reals, &values[k], 'f');
    }
    length = text ? ocl_printed(text, LONG_OUTPUT, launch_texts, &numbers[0]) : 0;
    if (text) check_lines(text, length, texts, sizeof texts / sizeof *texts, LONG_TEXT, 's');
    free(text);
}

TEST(asynchronous_copies)
{
    enum { GROUPS = 3 };
    float *a = (float *)ocl_buffer(GROUPS * 32 * 4 + 64 * 4), *r = (float *)ocl_buffer(GROUPS * 64 * 4);
    for (int i = 0; i < GROUPS * 32 + 64; i++) a[i] = (float)test_normal();
    OCL_RUN(&module, "copies", "ptr<f32> a, ptr<f32> r, local<f32> buffer", GROUPS, 32, a, r, (zed_local){48 * 4});
    for (int g = 0; g < GROUPS; g++) {
        for (int l = 0; l < 32; l++) {
            CHECK(r[64 * g + l] == a[32 * g + 31 - l]);
            CHECK(r[64 * g + 32 + l] == a[g + 3 * (l / 2)] + 1);
        }
    }
    ocl_free(a);
    ocl_free(r);
}

TEST(kernels_called_by_kernels)
{
    int32_t *r = (int32_t *)ocl_buffer(ITEMS * 4);
    OCL_RUN(&module, "outer", "ptr<i32> r", 2, ITEMS / 2, r);
    for (int i = 0; i < ITEMS; i++) CHECK_INT(r[i], i + 6);
    OCL_RUN(&module, "inner", "ptr<i32> r", 2, ITEMS / 2, r);
    for (int i = 0; i < ITEMS; i++) CHECK_INT(r[i], i + 9);
    ocl_free(r);
}

TEST(modules_load)
{
    ocl_load(&module, "program");
    ocl_load(&printing, "printing");
    ocl_load(&printing_long, "printing_long");
}

int main(void)
{
    if (!ocl_open()) return 1;
    RUN(modules_load);
    RUN(constant_tables);
    RUN(variables_of_the_program);
    RUN(generic_pointers);
    RUN(printing);
    RUN(printing_of_any_length);
    RUN(asynchronous_copies);
    RUN(kernels_called_by_kernels);
    zed_close(&ocl_device);
    return test_report();
}
