/* meter.h - the cost of a piece of code: processor time of this process, and the instructions it retires if Linux
 * counts them. Include it first: it needs functions that -std=c11 hides. */
#ifndef XETILE_BENCH_METER_H
#define XETILE_BENCH_METER_H

#define _DEFAULT_SOURCE
#include "bench.h"

#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <linux/perf_event.h>
#include <sys/syscall.h>
#endif

enum { METER_RUNS = 301 };

typedef struct {
    double us, instructions; /* medians; instructions is 0 if not counted */
} cost;

typedef struct {
    double us[METER_RUNS], instructions[METER_RUNS];
    cost began;
    int runs;
} meter;

static inline int meter_open_(void)
{
#if defined(__linux__)
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_HARDWARE;
    attr.config = PERF_COUNT_HW_INSTRUCTIONS;
    attr.exclude_kernel = attr.exclude_hv = 1;
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
#else
    return -1;
#endif
}

static inline cost meter_now_(void)
{
    static int counter, opened;
    uint64_t count = 0;
    struct timespec t;
    if (!opened++) counter = meter_open_();
    if (counter < 0 || read(counter, &count, sizeof count) != sizeof count) count = 0;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (cost){(double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3, (double)count};
}

static inline void meter_begin(meter *m) { m->began = meter_now_(); }

static inline void meter_end(meter *m)
{
    cost now = meter_now_();
    if (m->runs == METER_RUNS) return;
    m->us[m->runs] = now.us - m->began.us;
    m->instructions[m->runs++] = now.instructions - m->began.instructions;
}

static inline cost meter_medians(meter *m)
{
    return (cost){bench_median(m->us, m->runs), bench_median(m->instructions, m->runs)};
}

/* Prints processor time and, if counted, instructions; peer may be NULL. */
static inline void meter_lines(const char *name, cost ours, const char *peer, cost theirs)
{
    char counted[128];
    snprintf(counted, sizeof counted, "%s_instructions", name);
    if (peer) bench_peer_line(name, ours.us, "us", peer, theirs.us);
    else bench_line(name, ours.us, "us");
    if (ours.instructions > 0 && peer)
        bench_peer_line(counted, ours.instructions, "instructions", peer, theirs.instructions);
    else if (ours.instructions > 0) bench_line(counted, ours.instructions, "instructions");
}

#endif
