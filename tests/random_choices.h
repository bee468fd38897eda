/* random_choices.h - for tests of random programs: choosing, and settings from the environment. */
#ifndef TEST_RANDOM_CHOICES_H
#define TEST_RANDOM_CHOICES_H

#include "test.h"

TEST_UNUSED_ static int below(int n) { return (int)(test_random() % (uint64_t)n); }
TEST_UNUSED_ static bool chance(int percent) { return below(100) < percent; }
#define ONE_OF(array) (array)[below((int)(sizeof(array) / sizeof *(array)))]

TEST_UNUSED_ static uint64_t setting(const char *name, uint64_t other)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 0) : other;
}

#endif
