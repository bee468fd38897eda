/* times.c - written by join.sh from ze_dispatch/times.c. */
#include "internal.h"

double vkd_batch_ns_(vkd_batch *b, int launch, const char *file, int line)
{
    double ns = -1;
    if (!vkd_batch_is_(b, VKD_BATCH_CLOSED_, "vkd_batch_ns", file, line)) return -1;
    vkd_recording_ *r = b->recording_;
    const vkd_step_ *s = vkd_launch_of_(r, launch);
    if (!r->timed || !s) {
        vkd_fail_(b->device, VKD_BATCH_LAUNCH, "vkd_batch_ns of launch %d: the batch has %d, %stimed", launch,
                  r->launches, r->timed ? "" : "un");
        return -1;
    }
    return vkd_batch_finish_(b) && vkd_step_ns_(r, s, &ns) ? ns : -1;
}

/* A kernel's launches in a batch, for the table of times. */
typedef struct vkd_time_ {
    const char *name;
    int launches;
    double ns;
} vkd_time_;

static int vkd_longer_first_(const void *a, const void *b)
{
    double x = ((const vkd_time_ *)a)->ns, y = ((const vkd_time_ *)b)->ns;
    return (x < y) - (x > y);
}

bool vkd_batch_print_times_(vkd_batch *b, FILE *f, const char *file, int line)
{
    double all = 0;
    size_t rows = 0;
    if (!vkd_batch_is_(b, VKD_BATCH_CLOSED_, "vkd_batch_print_times", file, line)) return false;
    vkd_recording_ *r = b->recording_;
    if (!r->timed) return vkd_fail_(b->device, VKD_BATCH_LAUNCH, "vkd_batch_print_times: the batch is untimed");
    vkd_time_ *times = (vkd_time_ *)calloc(r->kernel_count + 1, sizeof *times);
    if (!times) return vkd_fail_(b->device, VKD_OUT_OF_MEMORY, "no room for %zu rows", r->kernel_count);
    if (!vkd_batch_finish_(b)) return free(times), false;
    for (size_t i = 0; i < r->count; i++) {
        const vkd_step_ *s = &r->steps[i];
        size_t row = 0;
        double ns;
        if (s->kind != VKD_STEP_LAUNCH_) continue;
        if (!vkd_step_ns_(r, s, &ns)) break;
        const char *name = r->kernels[s->kernel].name;
        while (row < rows && strcmp(times[row].name, name) != 0) row++;
        if (row == rows) times[rows++].name = name;
        times[row].launches++;
        times[row].ns += ns;
        all += ns;
    }
    qsort(times, rows, sizeof *times, vkd_longer_first_);
    for (size_t i = 0; i < rows && !b->device->error.id; i++) {
        long long hundredths = (long long)(times[i].ns / 10 + 0.5);
        long long share = (long long)(1000 * times[i].ns / (all > 0 ? all : 1) + 0.5);
        fprintf(f, "%-32s %6d x %10lld.%02lld us %4lld.%lld %%\n", times[i].name, times[i].launches, hundredths / 100,
                hundredths % 100, share / 10, share % 10);
    }
    free(times);
    return !b->device->error.id;
}
