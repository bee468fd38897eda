/* bench.h - shared by the benches: a clock, medians, and the lines that scripts parse:
 *     bench <name> <value> <unit> [peer=<name> peer_value=<value> ratio=<ratio>]
 */
#ifndef XETILE_BENCH_H
#define XETILE_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double bench_now(void) /* seconds */
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline int bench_compare_(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double bench_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, bench_compare_);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static inline void bench_line(const char *name, double value, const char *unit)
{
    printf("bench %s %.4g %s\n", name, value, unit);
    fflush(stdout);
}

/* ratio = value / peer_value. */
static inline void bench_peer_line(const char *name, double value, const char *unit, const char *peer,
                                   double peer_value)
{
    printf("bench %s %.4g %s peer=%s peer_value=%.4g ratio=%.3g\n", name, value, unit, peer, peer_value,
           value / peer_value);
    fflush(stdout);
}

#endif
