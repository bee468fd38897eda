/* times.c - device time of the launches of a batch. */
#include "internal.h"

double zed_batch_ns_(zed_batch *b, int launch, const char *file, int line)
{
    double ns = -1;
    if (!zed_batch_is_(b, ZED_BATCH_CLOSED_, "zed_batch_ns", file, line)) return -1;
    zed_recording_ *r = b->recording_;
    const zed_step_ *s = zed_launch_of_(r, launch);
    if (!r->timed || !s) {
        zed_fail_(b->device, ZED_BATCH_LAUNCH, "zed_batch_ns of launch %d: the batch has %d, %stimed", launch,
                  r->launches, r->timed ? "" : "un");
        return -1;
    }
    return zed_batch_finish_(b) && zed_step_ns_(r, s, &ns) ? ns : -1;
}

/* A kernel's launches in a batch, for the table of times. */
typedef struct zed_time_ {
    const char *name;
    int launches;
    double ns;
} zed_time_;

static int zed_longer_first_(const void *a, const void *b)
{
    double x = ((const zed_time_ *)a)->ns, y = ((const zed_time_ *)b)->ns;
    return (x < y) - (x > y);
}

bool zed_batch_print_times_(zed_batch *b, FILE *f, const char *file, int line)
{
    double all = 0;
    size_t rows = 0;
    if (!zed_batch_is_(b, ZED_BATCH_CLOSED_, "zed_batch_print_times", file, line)) return false;
    zed_recording_ *r = b->recording_;
    if (!r->timed) return zed_fail_(b->device, ZED_BATCH_LAUNCH, "zed_batch_print_times: the batch is untimed");
    zed_time_ *times = (zed_time_ *)calloc(r->kernel_count + 1, sizeof *times);
    if (!times) return zed_fail_(b->device, ZED_OUT_OF_MEMORY, "no room for %zu rows", r->kernel_count);
    if (!zed_batch_finish_(b)) return free(times), false;
    for (size_t i = 0; i < r->count; i++) {
        const zed_step_ *s = &r->steps[i];
        size_t row = 0;
        double ns;
        if (s->kind != ZED_STEP_LAUNCH_) continue;
        if (!zed_step_ns_(r, s, &ns)) break;
        const char *name = r->kernels[s->kernel].name;
        while (row < rows && strcmp(times[row].name, name) != 0) row++;
        if (row == rows) times[rows++].name = name;
        times[row].launches++;
        times[row].ns += ns;
        all += ns;
    }
    qsort(times, rows, sizeof *times, zed_longer_first_);
    for (size_t i = 0; i < rows && !b->device->error.id; i++) {
        long long hundredths = (long long)(times[i].ns / 10 + 0.5);
        long long share = (long long)(1000 * times[i].ns / (all > 0 ? all : 1) + 0.5);
        fprintf(f, "%-32s %6d x %10lld.%02lld us %4lld.%lld %%\n", times[i].name, times[i].launches, hundredths / 100,
                hundredths % 100, share / 10, share % 10);
    }
    free(times);
    return !b->device->error.id;
}
