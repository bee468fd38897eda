/* bench_opencl.c - ten ordinary OpenCL C kernels (tests/opencl/ordinary.cl) on the first device, without a GPU the
 * software device; against PoCL on the CPU, if libOpenCL.so.1 and PoCL are installed, with the same SPIR-V or else the
 * source.
 *
 * Every result of the first run is compared with a reference in double precision (integers exactly) on both; a rate is
 * only printed if it is right. Whole launches are timed, from the call to the end of the wait. The two take turns, with
 * new buffers each time: the address of 4 MiB and the contents of caches make a factor of two for some kernels. Two
 * more lines give launches per millisecond of 64 nearly empty work-groups, each waited for, and many started before one
 * wait.
 */
#include "../tests/opencl/opencl.h"
#include "bench.h"
#include "pocl.h"

enum { RUNS = 7, ROUNDS = 5, BUFFERS = 3, SIDE = 1024, BODIES = 2048, MATRIX = 512, COUNT = 1 << 22 };

typedef struct kernel_case kernel_case;
struct kernel_case {
    const char *name, *params;
    uint32_t global[2], local[2];
    size_t bytes[BUFFERS];                 /* the last one is the result */
    void (*fill)(void *const *buffers);    /* also initialises the result */
    bool (*right)(void *const *buffers);   /* checks the buffers after one run; inputs are unchanged */
    bool has_value, value_is_float;        /* a parameter after the buffers */
    uint32_t value;
    float real;
    double work; /* per launch, in `unit` */
    const char *unit;
};

/* ---- contents and references */

static float *reference_y; /* saxpy's initial y */

static void fill_floats(float *p, size_t count, double least, double most)
{
    for (size_t i = 0; i < count; i++) p[i] = (float)(least + (most - least) * test_uniform());
}

static bool near(double got, double want, double bound) { return fabs(got - want) <= bound; }

static void fill_saxpy(void *const *b)
{
    fill_floats((float *)b[0], COUNT, -1, 1);
    fill_floats((float *)b[1], COUNT, -1, 1);
    memcpy(reference_y, b[1], COUNT * sizeof(float));
}
static bool right_saxpy(void *const *b)
{
    const float *x = (const float *)b[0], *y = (const float *)b[1];
    for (size_t i = 0; i < COUNT; i++)
        if (!near(y[i], 1.5 * (double)x[i] + (double)reference_y[i], 3e-7)) return false;
    return true;
}

static void fill_reduction(void *const *b) { fill_floats((float *)b[0], COUNT, -1, 1); }
static bool right_reduction(void *const *b)
{
    const float *x = (const float *)b[0], *sums = (const float *)b[1];
    const size_t n = COUNT / 4;
    for (size_t g = 0; g < n / 256; g++) {
        double want = 0;
        for (size_t i = g * 256; i < (g + 1) * 256; i++)
            want += (double)x[i] + (double)x[i + n] + (double)x[i + 2 * n] + (double)x[i + 3 * n];
        if (!near((double)sums[g], want, 1e-4)) return false; /* 11 roundings of sums below 64 */
    }
    return true;
}

static void fill_square(void *const *b) { fill_floats((float *)b[0], SIDE * SIDE, -1, 1); }
static bool right_transpose(void *const *b)
{
    const float *x = (const float *)b[0], *y = (const float *)b[1];
    for (size_t r = 0; r < SIDE; r++)
        for (size_t c = 0; c < SIDE; c++)
            if (y[c * SIDE + r] != x[r * SIDE + c]) return false;
    return true;
}

static void fill_histogram(void *const *b)
{
    for (size_t i = 0; i < COUNT; i++) ((uint8_t *)b[0])[i] = (uint8_t)(test_random() & test_random());
    memset(b[1], 0, 1024);
}
static bool right_histogram(void *const *b)
{
    uint32_t want[256] = {0};
    for (size_t i = 0; i < COUNT; i++) want[((const uint8_t *)b[0])[i]]++;
    return memcmp(want, b[1], sizeof want) == 0;
}

static void fill_n_body(void *const *b) { fill_floats((float *)b[0], 4 * BODIES, 0.1, 1); }
static bool right_n_body(void *const *b)
{
    const float *p = (const float *)b[0], *f = (const float *)b[1];
    for (size_t i = 0; i < BODIES; i++) {
        double want[3] = {0, 0, 0}, size = 0;
        for (size_t k = 0; k < BODIES; k++) {
            double d[3], r2 = 0.01, s;
            for (int c = 0; c < 3; c++) {
                d[c] = (double)p[4 * k + (size_t)c] - (double)p[4 * i + (size_t)c];
                r2 += d[c] * d[c];
            }
            s = (double)p[4 * k + 3] / (r2 * sqrt(r2));
            for (int c = 0; c < 3; c++) want[c] += d[c] * s;
            size += s * sqrt(r2);
        }
        for (size_t c = 0; c < 3; c++)
            if (!near((double)f[4 * i + c], want[c], 1e-5 * size)) return false;
    }
    return true;
}

static bool right_stencil(void *const *b)
{
    const float *x = (const float *)b[0], *y = (const float *)b[1];
    for (size_t r = 0; r < SIDE; r++) {
        for (size_t c = 0; c < SIDE; c++) {
            const float *at = x + r * SIDE + c;
            double want = (double)*at;
            if (c && r && c < SIDE - 1 && r < SIDE - 1)
                want = 0.5 * want + 0.125 * ((double)at[-1] + (double)at[1] + (double)at[-SIDE] + (double)at[SIDE]);
            if (!near((double)y[r * SIDE + c], want, 3e-7)) return false;
        }
    }
    return true;
}

static void fill_scan(void *const *b)
{
    for (size_t i = 0; i < COUNT; i++) ((uint32_t *)b[0])[i] = (uint32_t)test_random();
}
static bool right_scan(void *const *b)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < COUNT; i++) {
        if (i % 256 == 0) sum = 0;
        if (((const uint32_t *)b[1])[i] != sum) return false;
        sum += ((const uint32_t *)b[0])[i];
    }
    return true;
}

static void fill_nothing(void *const *b) { (void)b; }
static bool right_mandelbrot(void *const *b)
{
    size_t wrong = 0;
    for (uint32_t r = 0; r < SIDE; r++) {
        for (uint32_t c = 0; c < SIDE; c++) {
            float x0 = (float)c / (float)SIDE * 3.0f - 2.0f, y0 = (float)r / (float)SIDE * 2.0f - 1.0f, x = 0, y = 0, t;
            uint32_t k = 0;
            while (k < 256 && x * x + y * y <= 4.0f) {
                t = x * x - y * y + x0;
                y = 2.0f * x * y + y0;
                x = t;
                k++;
            }
            wrong += ((const uint32_t *)b[0])[r * SIDE + c] != k;
        }
    }
    return wrong <= SIDE * SIDE / 1000; /* points where x * x + y * y is nearly 4, and chaotic ones */
}

static void fill_black_scholes(void *const *b)
{
    fill_floats((float *)b[0], COUNT / 4, 10, 100);
    fill_floats((float *)b[1], COUNT / 4, 10, 100);
}
static bool right_black_scholes(void *const *b)
{
    const float *s = (const float *)b[0], *k = (const float *)b[1], *call = (const float *)b[2];
    for (size_t i = 0; i < COUNT / 4; i++) {
        double root = 0.3 * sqrt(2.0), d1 = (log((double)s[i] / (double)k[i]) + (0.02 + 0.045) * 2) / root,
               d2 = d1 - root;
        double want =
            (double)s[i] * 0.5 * erfc(-d1 * sqrt(0.5)) - (double)k[i] * exp(-0.04) * 0.5 * erfc(-d2 * sqrt(0.5));
        if (!near((double)call[i], want, 1e-4)) return false; /* the kernel's polynomial is accurate to 1e-7 of 100 */
    }
    return true;
}

static void fill_matrix_product(void *const *b)
{
    fill_floats((float *)b[0], MATRIX * MATRIX, -1, 1);
    fill_floats((float *)b[1], MATRIX * MATRIX, -1, 1);
}
static bool right_matrix_product(void *const *b)
{
    const float *x = (const float *)b[0], *y = (const float *)b[1], *z = (const float *)b[2];
    static double row[MATRIX];
    for (size_t r = 0; r < MATRIX; r++) {
        memset(row, 0, sizeof row);
        for (size_t k = 0; k < MATRIX; k++)
            for (size_t c = 0; c < MATRIX; c++) row[c] += (double)x[r * MATRIX + k] * (double)y[k * MATRIX + c];
        for (size_t c = 0; c < MATRIX; c++)
            if (!near((double)z[r * MATRIX + c], row[c], 1e-4)) return false;
    }
    return true;
}

#define SQUARE_BYTES (SIDE * SIDE * 4)
static const kernel_case cases[] = {
    {"saxpy",
     "ptr<f32> x, ptr<f32> y, f32 a",
     {COUNT, 1},
     {256, 1},
     {COUNT * 4, COUNT * 4, 0},
     fill_saxpy,
     right_saxpy,
     true,
     true,
     0,
     1.5f,
     COUNT * 12e-9,
     "GB/s"},
    {"reduction",
     "ptr<f32> x, ptr<f32> sums",
     {COUNT / 4, 1},
     {256, 1},
     {COUNT * 4, COUNT / 256, 0},
     fill_reduction,
     right_reduction,
     false,
     false,
     0,
     0,
     COUNT * 4e-9,
     "GB/s"},
    {"transpose",
     "ptr<f32> x, ptr<f32> y, u32 n",
     {SIDE, SIDE},
     {16, 16},
     {SQUARE_BYTES, SQUARE_BYTES, 0},
     fill_square,
     right_transpose,
     true,
     false,
     SIDE,
     0,
     SQUARE_BYTES * 2e-9,
     "GB/s"},
    {"histogram",
     "ptr<u8> x, ptr<u32> bins",
     {COUNT / 16, 1},
     {256, 1},
     {COUNT, 1024, 0},
     fill_histogram,
     right_histogram,
     false,
     false,
     0,
     0,
     COUNT * 1e-6,
     "Mitem/s"},
    {"n_body",
     "ptr<f32> bodies, ptr<f32> forces, u32 n",
     {BODIES, 1},
     {128, 1},
     {BODIES * 16, BODIES * 16, 0},
     fill_n_body,
     right_n_body,
     true,
     false,
     BODIES,
     0,
     (double)BODIES *BODIES * 1e-6,
     "Mpair/s"},
    {"stencil",
     "ptr<f32> x, ptr<f32> y, u32 n",
     {SIDE, SIDE},
     {64, 4},
     {SQUARE_BYTES, SQUARE_BYTES, 0},
     fill_square,
     right_stencil,
     true,
     false,
     SIDE,
     0,
     SQUARE_BYTES * 2e-9,
     "GB/s"},
    {"scan",
     "ptr<u32> x, ptr<u32> y",
     {COUNT, 1},
     {256, 1},
     {COUNT * 4, COUNT * 4, 0},
     fill_scan,
     right_scan,
     false,
     false,
     0,
     0,
     COUNT * 1e-6,
     "Mitem/s"},
    {"mandelbrot",
     "ptr<u32> steps, u32 n",
     {SIDE, SIDE},
     {64, 4},
     {SQUARE_BYTES, 0, 0},
     fill_nothing,
     right_mandelbrot,
     true,
     false,
     SIDE,
     0,
     SIDE *SIDE * 1e-6,
     "Mitem/s"},
    {"black_scholes",
     "ptr<f32> price, ptr<f32> strike, ptr<f32> call, f32 years",
     {COUNT / 4, 1},
     {256, 1},
     {COUNT, COUNT, COUNT},
     fill_black_scholes,
     right_black_scholes,
     true,
     true,
     0,
     2,
     COUNT / 4 * 1e-6,
     "Mitem/s"},
    {"matrix_product",
     "ptr<f32> a, ptr<f32> b, ptr<f32> c, u32 n",
     {MATRIX, MATRIX},
     {16, 16},
     {MATRIX * MATRIX * 4, MATRIX *MATRIX * 4, MATRIX *MATRIX * 4},
     fill_matrix_product,
     right_matrix_product,
     true,
     false,
     MATRIX,
     0,
     2.0 * MATRIX *MATRIX *MATRIX * 1e-9,
     "GFLOP/s"},
};

static int buffer_count(const kernel_case *c) { return 1 + (c->bytes[1] != 0) + (c->bytes[2] != 0); }

/* ---- the device */

/* Work per second; negative if the result is wrong, 0 if it could not run. */
static double measure_device(zed_module *m, const kernel_case *c)
{
    void *buffers[BUFFERS] = {NULL, NULL, NULL};
    zed_arg args[BUFFERS + 1];
    zed_kernel kernel;
    double t[RUNS], result = 0;
    int n = buffer_count(c), count = n;
    for (int i = 0; i < n; i++) {
        buffers[i] = ocl_buffer(c->bytes[i]);
        args[i] = zed_arg_ptr(buffers[i]);
    }
    if (c->has_value) args[count++] = c->value_is_float ? zed_arg_f((double)c->real) : zed_arg_u(c->value);
    c->fill(buffers);
    zed_groups groups = {c->global[0] / c->local[0], c->global[1] / c->local[1], 1};
    if (zed_kernel_get(&kernel, m, c->name, c->params) && zed_local_size(&kernel, c->local[0], c->local[1], 1) &&
        zed_launch_n(&kernel, groups, args, count)) {
        result = -1;
        if (c->right(buffers)) {
            for (int i = 0; i < RUNS; i++) {
                double start = bench_now();
                if (!zed_launch_n(&kernel, groups, args, count)) break;
                t[i] = bench_now() - start;
            }
            result = c->work / bench_median(t, RUNS);
        }
    }
    ocl_good_(c->name, __FILE__, __LINE__);
    for (int i = 0; i < n; i++) ocl_free(buffers[i]);
    return result;
}

/* Uses the same SPIR-V if supported, else the source. */
static bool build_program(pocl *p, const void *words, size_t size)
{
    size_t length;
    char *text;
    bool ok = pocl_build_spirv(p, words, size);
    if (ok) return true;
    printf("PoCL takes no SPIR-V here; it is given the source\n");
    text = (char *)ocl_read_("tests/opencl/ordinary.cl", &length);
    ok = text && pocl_build_source(p, text, length);
    free(text);
    return ok;
}

static double measure_pocl(pocl *p, const kernel_case *c)
{
    pocl_job job = {.kernel = c->name, .global = {c->global[0], c->global[1]}, .local = {c->local[0], c->local[1]}};
    int n = buffer_count(c);
    double result = 0;
    for (int i = 0; i < n; i++) {
        job.buffer[i] = calloc(1, c->bytes[i]);
        job.bytes[i] = c->bytes[i];
    }
    if (c->has_value) job.value[0] = c->value_is_float ? (const void *)&c->real : (const void *)&c->value;
    c->fill(job.buffer);
    if (pocl_begin(p, &job)) {
        double seconds = c->right(job.buffer) ? pocl_time(p, &job, RUNS) : -1;
        if (seconds != 0) result = c->work / seconds;
    }
    pocl_end(p, &job);
    for (int i = 0; i < n; i++) free(job.buffer[i]);
    return result;
}

/* Medians over the rounds; *ours <= 0 if a round of the device failed, *theirs = 0 without a peer. */
static void measure(zed_module *m, pocl *p, const kernel_case *c, double *ours, double *theirs)
{
    double device[ROUNDS], peer[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        device[i] = measure_device(m, c);
        if (device[i] <= 0) {
            *ours = device[i];
            return;
        }
        if (p) peer[i] = measure_pocl(p, c);
        if (p && peer[i] <= 0) {
            *theirs = peer[i];
            p = NULL;
        }
    }
    *ours = bench_median(device, ROUNDS);
    if (p) *theirs = bench_median(peer, ROUNDS);
}

/* ---- launch overhead */

enum { GROUPS = 64, GROUP = 64, LAUNCHES = 500 };

static double launches_device(zed_module *m, bool together)
{
    uint32_t *x = (uint32_t *)ocl_buffer(4);
    zed_groups groups = {GROUPS, 1, 1};
    zed_kernel kernel;
    double start;
    x[0] = 0;
    bool ok = zed_kernel_get(&kernel, m, "touch", "ptr<u32> x") && zed_local_size(&kernel, GROUP, 1, 1) &&
              zed_launch(&kernel, groups, x);
    start = bench_now();
    for (int i = 0; ok && i < LAUNCHES; i++)
        ok = together ? zed_start(&kernel, groups, x) : zed_launch(&kernel, groups, x);
    ok = ok && zed_wait(&ocl_device);
    double seconds = bench_now() - start;
    ok = ok && x[0] == LAUNCHES + 1;
    ocl_good_("touch", __FILE__, __LINE__);
    ocl_free(x);
    return ok ? LAUNCHES / seconds * 1e-3 : 0;
}

static double launches_pocl(pocl *p, bool together)
{
    uint32_t x[1] = {0};
    pocl_job job = {
        .kernel = "touch", .global = {GROUPS * GROUP, 1}, .local = {GROUP, 1}, .buffer = {x}, .bytes = {sizeof x}};
    double seconds = 0, start;
    if (pocl_begin(p, &job) && x[0] == 1) {
        start = bench_now();
        if (together) seconds = pocl_time_together(p, &job, LAUNCHES);
        else if (pocl_time(p, &job, POCL_RUNS) > 0) seconds = (bench_now() - start) / POCL_RUNS;
    }
    pocl_end(p, &job);
    return seconds > 0 ? 1e-3 / seconds : 0;
}

static bool measure_launches(zed_module *m, pocl *p, bool together)
{
    const char *name = together ? "opencl_launch_together" : "opencl_launch";
    double ours[ROUNDS], theirs[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        ours[i] = launches_device(m, together);
        if (ours[i] <= 0) {
            printf("FAILED %s: wrong result\n", name);
            return false;
        }
        if (p && (theirs[i] = launches_pocl(p, together)) <= 0) p = NULL;
    }
    if (p) bench_peer_line(name, bench_median(ours, ROUNDS), "launch/ms", "pocl", bench_median(theirs, ROUNDS));
    else bench_line(name, bench_median(ours, ROUNDS), "launch/ms");
    return true;
}

int main(void)
{
    static pocl peer;
    zed_module module;
    size_t size;
    void *words = ocl_read_("tests/opencl/ordinary.spv", &size);
    int wrong = 0;
    reference_y = (float *)malloc(COUNT * sizeof *reference_y);
    if (!words || !reference_y || !ocl_open()) {
        fprintf(stderr, "bench_opencl: run this from the project's folder\n");
        return 1;
    }
    zed_module_load(&module, &ocl_device, words, size, NULL);
    bool compare = pocl_find(&peer, "opencl") && build_program(&peer, words, size);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const kernel_case *c = &cases[i];
        char name[64];
        double ours = 0, theirs = 0;
        measure(&module, compare ? &peer : NULL, c, &ours, &theirs);
        snprintf(name, sizeof name, "opencl_%s", c->name);
        if (ours <= 0) printf("FAILED %s: %s\n", name, ours < 0 ? "wrong result" : "did not run");
        else if (theirs > 0) bench_peer_line(name, ours, c->unit, "pocl", theirs);
        else bench_line(name, ours, c->unit);
        if (theirs < 0) printf("PoCL's result of %s is wrong\n", c->name);
        wrong += ours <= 0;
    }
    wrong += !measure_launches(&module, compare ? &peer : NULL, false) +
             !measure_launches(&module, compare ? &peer : NULL, true);
    free(words);
    free(reference_y);
    zed_close(&ocl_device);
    return wrong != 0;
}
