/* test.h - shared by all test programs: counting, comparing, random numbers, saving modules.
 *
 *     #include "test.h"
 *     TEST(adds_up) { CHECK_INT(1 + 1, 2); }
 *     int main(void) { RUN(adds_up); return test_report(); }
 *
 * A test passes if none of its checks fail and it is not skipped. The last line is `N passed, N failed[, N skipped]`.
 */
#ifndef XETILE_TEST_H
#define XETILE_TEST_H

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define TEST_UNUSED_ __attribute__((unused))
#else
#define TEST_UNUSED_
#endif

static struct {
    int passed, failed, skipped, failures_here;
    bool skip_here;
    const char *name;
    uint64_t random;
} test_ TEST_UNUSED_ = {0, 0, 0, 0, false, "", 0x9e3779b97f4a7c15u};

/* Sanitizers count and keep memory, and change timing. */
#if defined(__has_feature)
#define TEST_FEATURE_(x) __has_feature(x)
#else
#define TEST_FEATURE_(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || TEST_FEATURE_(address_sanitizer) ||               \
    TEST_FEATURE_(thread_sanitizer)
#define TEST_SANITIZED 1
#else
#define TEST_SANITIZED 0
#endif

#define TEST(name_) static void test_case_##name_(void)
#define RUN(name_) test_run_(#name_, test_case_##name_)

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) test_fail(__FILE__, __LINE__, "%s", #condition);                                             \
    } while (0)
#define CHECK_MSG(condition, ...)                                                                                      \
    do {                                                                                                               \
        if (!(condition)) test_fail(__FILE__, __LINE__, __VA_ARGS__);                                                  \
    } while (0)
#define CHECK_INT(got, want) test_int_(__FILE__, __LINE__, #got, (long long)(got), (long long)(want))
#define CHECK_STR(got, want) test_str_(__FILE__, __LINE__, #got, (got), (want))
/* `text` contains `part`: for error messages. */
#define CHECK_HAS(text, part)                                                                                          \
    do {                                                                                                               \
        const char *text_ = (text);                                                                                    \
        if (!text_ || !strstr(text_, (part)))                                                                          \
            test_fail(__FILE__, __LINE__, "%s: \"%s\" lacks \"%s\"", #text, text_ ? text_ : "(null)", (part));         \
    } while (0)
#define SKIP(...)                                                                                                      \
    do {                                                                                                               \
        test_skip_(__VA_ARGS__);                                                                                       \
        return;                                                                                                        \
    } while (0)

TEST_UNUSED_ static void test_fail(const char *file, int line, const char *format, ...)
{
    va_list args;
    if (++test_.failures_here > 10) return; /* ten are enough */
    va_start(args, format);
    printf("%s:%d: %s: ", file, line, test_.name);
    vprintf(format, args);
    printf("\n");
    va_end(args);
    fflush(stdout); /* a program that is ended by a time limit has told what it found */
}

TEST_UNUSED_ static void test_skip_(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("skipped %s: ", test_.name);
    vprintf(format, args);
    printf("\n");
    va_end(args);
    test_.skip_here = true;
}

TEST_UNUSED_ static void test_int_(const char *file, int line, const char *what, long long got, long long want)
{
    if (got != want) test_fail(file, line, "%s is %lld, want %lld", what, got, want);
}

TEST_UNUSED_ static void test_str_(const char *file, int line, const char *what, const char *got, const char *want)
{
    if (!got || strcmp(got, want) != 0)
        test_fail(file, line, "%s is \"%s\", want \"%s\"", what, got ? got : "(null)", want);
}

/* Whether the name is one of the words in the list. */
TEST_UNUSED_ static bool test_is_listed_(const char *list, const char *name)
{
    for (size_t n; list && *list; list += n + strspn(list + n, " ")) {
        n = strcspn(list, " ");
        if (n == strlen(name) && strncmp(list, name, n) == 0) return true;
    }
    return false;
}

/* tests/project/test_locale.sh runs tests in a locale with a decimal comma: of the process, or with
 * TEST_LOCALE_OF=thread only of its first thread, which needs _GNU_SOURCE. */
TEST_UNUSED_ static void test_set_locale_(void)
{
    const char *locale = getenv("TEST_LOCALE"), *of = getenv("TEST_LOCALE_OF");
    static bool done;
    bool set = done || !locale;
    if (!set && (!of || strcmp(of, "thread") != 0)) set = setlocale(LC_ALL, locale) != NULL;
#if defined(LC_ALL_MASK)
    else if (!set) {
        uselocale(newlocale(LC_ALL_MASK, locale, (locale_t)0));
        set = uselocale((locale_t)0) != LC_GLOBAL_LOCALE;
    }
#endif
    if (!set) {
        printf("FAILED cannot set the locale %s\n", locale);
        test_.failed++;
    }
    done = true;
}

TEST_UNUSED_ static void test_run_(const char *name, void (*body)(void))
{
    const char *only = getenv("TEST_ONLY"); /* part of the name, to run one test */
    if ((only && !strstr(name, only)) || test_is_listed_(getenv("TEST_EXCEPT"), name)) return;
    if (getenv("TEST_LIST")) { /* the names, to run each in a process of its own */
        printf("%s\n", name);
        return;
    }
    test_set_locale_();
    test_.name = name;
    test_.failures_here = 0;
    test_.skip_here = false;
    body();
    if (test_.failures_here) {
        test_.failed++;
        printf("FAILED %s (%d checks)\n", name, test_.failures_here);
    } else if (test_.skip_here) {
        test_.skipped++;
    } else {
        test_.passed++;
    }
    fflush(stdout);
}

TEST_UNUSED_ static int test_report(void)
{
    printf("%d passed, %d failed", test_.passed, test_.failed);
    if (test_.skipped) printf(", %d skipped", test_.skipped);
    printf("\n");
    return test_.failed || test_.passed + test_.skipped == 0;
}

/* Tests of many combinations run a sample of them, since each is a kernel to compile; THOROUGH=1 runs all. */
TEST_UNUSED_ static bool test_thorough(void)
{
    const char *thorough = getenv("THOROUGH");
    return thorough && *thorough && strcmp(thorough, "0") != 0;
}

/* Whether a combination is in the sample, as one of `every`. `sum` adds its numbers on all axes, as in a Latin square:
 * whatever all others are, an axis of at least `every` values has one that makes the sum a multiple. */
TEST_UNUSED_ static bool test_takes(int sum, int every) { return sum % every == 0 || test_thorough(); }

/* splitmix64: the same numbers on every machine. */
TEST_UNUSED_ static uint64_t test_random(void)
{
    uint64_t z = (test_.random += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

TEST_UNUSED_ static double test_uniform(void) { return (double)(test_random() >> 11) * 0x1p-53; }

/* Standard normal (Box-Muller). */
TEST_UNUSED_ static double test_normal(void)
{
    double u = 1.0 - test_uniform(), v = test_uniform();
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

/* Writes a module to $XETILE_SPV_DIR/<name>.spv, for `make test` to run spirv-val on it. */
TEST_UNUSED_ static void test_save_spv(const char *name, const void *words, size_t bytes)
{
    const char *dir = getenv("XETILE_SPV_DIR");
    char path[1024];
    FILE *f;
    if (!dir || !*dir || !words) return;
    snprintf(path, sizeof path, "%s/%s.spv", dir, name);
    f = fopen(path, "wb");
    if (!f || fwrite(words, 1, bytes, f) != bytes) test_fail(__FILE__, __LINE__, "cannot write %s", path);
    if (f) fclose(f);
}

#endif
