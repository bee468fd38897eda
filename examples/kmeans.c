/* kmeans.c - k-means clustering: points are assigned to the nearest of K centres, and centres move to the mean of their
 * points, until no assignment changes.
 *
 *     cc -std=c11 kmeans.c -lm && ./a.out --png clusters.png
 *
 * |x - c|^2 is |x|^2 - 2 x c + |c|^2, and |x|^2 is the same for all centres: a product, a row of |c|^2 and an argmin
 * find the nearest one. The sums of the clusters are then accumulated by atomic additions to a scatter tile. The
 * results are checked in f64: every label, sum, count and mean of the last iteration. See `kmeans --help`.
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "kmeans"
#include "example.h"
#include "example_png.h"

/* A subgroup processes some points and all centres, 16 dimensions at a time, which the device's tile has to be made
 * for: so the nearest centre is found without other subgroups. */
enum { STEP = 16, CLUSTERS_MAX = 64, DIMENSIONS_MAX = 64 };
static xt_product distances = {.a = XT_TYPE(f16), .b = XT_TYPE(f16), .live = 1, .step = STEP};

static int whole_steps(int n) { return (n + STEP - 1) / STEP * STEP; }

/* ---- the kernels ---- */

/* label[i] = the centre nearest to x[i]; accumulates sums and counts of the clusters. For columns beyond the last
 * centre, |c|^2 is infinite, so that they are never the nearest. */
XT_KERNEL (assign, ptr(f16, X), ptr(f16, C), ptr(f32, squares), ptr(i32, label), ptr(f32, sums), ptr(i32, counts),
           i32(N), i32(K), i32(D))
{
    const int k = tiles.cols, high = tiles.rows, subgroups = tiles.c.sg_layout[0];
    const xt_map points = tiles.a, centres = tiles.b, pairs = tiles.c;
    const xt_map row = {{subgroups, 1}, {1, k}}, column = {{subgroups, 1}, {high / subgroups, 1}};
    xt_val i = XT_MUL(XT_GROUP_ID(0), high);
    xt_tile x = XT_INIT_TILE(X, f16, high, STEP, .offset = XT_AT(i, 0), .shape = XT_AT(N, D), .map = points);
    xt_tile c = XT_INIT_TILE(C, f16, STEP, k, .shape = XT_AT(D, K), .strides = XT_AT(1, D), .order = {0, 1},
                             .map = centres);
    xt_vec products = XT_SPLAT(f32, high, k, 0, .map = pairs), nearest, inside, of;
    XT_FOR (d, 0, D, STEP, &x, &c, &products) {
        products = XT_TILE_MMA(XT_LOAD_TILE(x), XT_LOAD_TILE(c), products);
        x = XT_UPDATE_TILE_OFFSET(x, 0, STEP);
        c = XT_UPDATE_TILE_OFFSET(c, STEP, 0);
    }
    of = XT_LOAD_TILE(XT_INIT_TILE(squares, f32, 1, k, .shape = XT_AT(1, K), .map = row), .padding = INFINITY);
    nearest = XT_ARGMIN(XT_SUB(of, XT_MUL(products, 2)), 1);
    XT_STORE_TILE(nearest, XT_INIT_TILE(label, i32, high, 1, .offset = XT_AT(i, 0), .shape = XT_AT(N, 1),
                                        .map = column));
    inside = XT_LT(XT_IOTA(i32, high, 1, 0, .map = column), XT_SUB(N, i));
    XT_ATOMIC_RMW(addi, XT_SPLAT(i32, high, 1, 1, .map = column),
                  XT_INIT_TILE(counts, i32, high, 1, .scatter = nearest, .shape = XT_AT(K)), inside);
    of = XT_SELECT(inside, XT_MUL(nearest, D), XT_MUL(K, D)); /* points that there are not have their sums outside */
    x = XT_INIT_TILE(X, f16, high, STEP, .offset = XT_AT(i, 0), .shape = XT_AT(N, D), .map = points);
    XT_FOR (d, 0, D, STEP, &x) {
        xt_vec at = XT_ADD(XT_IOTA(i32, high, STEP, 1, .map = points), d);
        xt_tile to = XT_INIT_TILE(sums, f32, high, STEP, .scatter = XT_ADD(of, at), .shape = XT_AT(XT_MUL(K, D)));
        XT_ATOMIC_RMW(addf, XT_CAST(f32, XT_LOAD_TILE(x)), to, XT_LT(at, D));
        x = XT_UPDATE_TILE_OFFSET(x, 0, STEP);
    }
}

static int all_dimensions; /* columns of a tile: rounded up to whole steps */

/* A subgroup moves 16 centres. Those without points stay in place. */
XT_KERNEL (move, ptr(f32, sums), ptr(i32, counts), ptr(f16, C), ptr(f32, squares), i32(K), i32(D))
{
    const int d = all_dimensions;
    xt_val i = XT_MUL(XT_GROUP_ID(0), STEP);
    xt_tile c = XT_INIT_TILE(C, f16, STEP, d, .offset = XT_AT(i, 0), .shape = XT_AT(K, D));
    xt_vec sum = XT_LOAD_TILE(XT_INIT_TILE(sums, f32, STEP, d, .offset = XT_AT(i, 0), .shape = XT_AT(K, D)));
    xt_vec count = XT_LOAD_TILE(XT_INIT_TILE(counts, i32, STEP, 1, .offset = XT_AT(i, 0), .shape = XT_AT(K, 1)));
    xt_vec mean = XT_CAST(f16, XT_DIV(sum, XT_CAST(f32, XT_MAX(count, 1))));
    xt_vec now = XT_SELECT(XT_GT(count, 0), mean, XT_LOAD_TILE(c)), wide = XT_CAST(f32, now);
    XT_STORE_TILE(now, c);
    XT_STORE_TILE(XT_REDUCTION(add, XT_MUL(wide, wide), 1),
                  XT_INIT_TILE(squares, f32, STEP, 1, .offset = XT_AT(i, 0), .shape = XT_AT(K, 1)));
}

/* ---- the program */

static int points = 20000, clusters = 12, dimensions = 2, turns = 60, first_seed = 1;
static const char *picture;

static bool check_options(void)
{
    distances.cols = distances.sg_cols = whole_steps(clusters);
    all_dimensions = whole_steps(dimensions);
    return clusters <= points || fail("--clusters %d: there are %d points", clusters, points);
}

/* ---- the picture ---- */

enum { SIDE = 640 };

/* Hues are spread around the colour circle; light: 0 is the pure colour, 1 is white. */
static void paint(uint8_t rgb[3], int cluster, double light)
{
    for (int i = 0; i < 3; i++) {
        double v = 0.5 + 0.45 * cos(6.28318530718 * ((double)cluster / clusters - i / 3.0));
        rgb[i] = (uint8_t)(255 * (v + (1 - v) * light));
    }
}

/* ---- the clustering ---- */

typedef struct {
    int n, k, d;
    uint16_t *x, *c, *before; /* before: the centres used for the labels */
    float *squares, *sums;
    int32_t *label, *counts, *last;
} clustering;

static double value(const uint16_t *of, int i, int j, int d)
{
    return (double)spe_f16_bits_to_f32(of[(size_t)i * (size_t)d + (size_t)j]);
}

/* Uniform in [0, 1), number `index` of a stream. */
static double uniform(uint32_t seed, size_t index) { return xt_random(seed, (uint32_t)index) * 0x1p-32; }

/* Points are normally distributed around K centres in [-1, 1]; initial centres are some of the points. */
static void make_points(clustering *s, uint32_t seed)
{
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->d; j++) {
            size_t at = (size_t)i * (size_t)s->d + (size_t)j;
            double centre = 1.7 * uniform(seed, (size_t)(i % s->k * s->d + j)) - 0.85;
            double r = sqrt(-2 * log(1 - uniform(seed + 1, at))), angle = 6.28318530718 * uniform(seed + 2, at);
            s->x[at] = spe_f32_to_f16_bits((float)(centre + 0.11 * r * cos(angle)));
        }
    for (int i = 0; i < s->k; i++) {
        size_t row = (size_t)s->d * sizeof *s->c, from = (size_t)(uniform(seed + 3, (size_t)i) * s->n);
        double square = 0;
        memcpy(s->c + (size_t)i * (size_t)s->d, s->x + from * (size_t)s->d, row);
        for (int j = 0; j < s->d; j++) square += value(s->c, i, j, s->d) * value(s->c, i, j, s->d);
        s->squares[i] = (float)square;
    }
}

static double distance(const clustering *s, const uint16_t *centres, int point, int centre)
{
    double sum = 0;
    for (int j = 0; j < s->d; j++) sum += pow(value(s->x, point, j, s->d) - value(centres, centre, j, s->d), 2);
    return sum;
}

/* No centre may be nearer than the labelled one by more than the error of f32: two sums of D products below 8. */
static bool check_labels(const clustering *s)
{
    double most = 0, allowed = (8 * s->d + 8) * 0x1p-20;
    for (int i = 0; i < s->n; i++) {
        double own, least = INFINITY;
        if (s->label[i] < 0 || s->label[i] >= s->k) return fail("point %d has the label %d", i, (int)s->label[i]);
        own = distance(s, s->before, i, s->label[i]);
        for (int k = 0; k < s->k; k++) least = fmin(least, distance(s, s->before, i, k));
        most = fmax(most, own - least);
    }
    printf("labels   at most %.3g further away than the nearest centre (allowed %.3g)\n", most, allowed);
    return most <= allowed || fail("a centre is nearer by %g", most);
}

/* Counts are exact; sums and means must match the labels within the precision of f32 and f16. */
static bool check_means(const clustering *s)
{
    double worst = 0;
    for (int k = 0; k < s->k; k++)
        for (int j = 0; j < s->d; j++) {
            double sum = 0, size = 0, got = (double)s->sums[k * s->d + j], mean, room;
            int count = 0;
            for (int i = 0; i < s->n; i++) {
                if (s->label[i] != k) continue;
                count++;
                sum += value(s->x, i, j, s->d);
                size += fabs(value(s->x, i, j, s->d));
            }
            if (count != s->counts[k]) return fail("cluster %d has %d points, counted %d", k, count, (int)s->counts[k]);
            if (!(fabs(got - sum) <= size * count * 0x1p-24)) return fail("a sum is %g, want %g", got, sum);
            mean = count ? sum / count : value(s->before, k, j, s->d);
            room = fabs(mean) * 0x1p-10 + 0x1p-14 + (count ? size * 0x1p-22 : 0);
            worst = fmax(worst, fabs(value(s->c, k, j, s->d) - mean) / room);
        }
    print_error(worst);
    return worst <= 1 || fail("a centre is not the mean of its points");
}

/* Draws points in their cluster's colour, over the cells of the plane if D is 2; centres are black crosses. */
static bool draw(const clustering *s, const char *path)
{
    static uint8_t rgb[SIDE * SIDE][3];
    for (int at = 0; at < SIDE * SIDE; at++) {
        double p[2] = {(at % SIDE + 0.5) / SIDE * 2.6 - 1.3, (at / SIDE + 0.5) / SIDE * 2.6 - 1.3}, least = INFINITY;
        int nearest = 0;
        for (int k = 0; k < s->k && s->d == 2; k++) {
            double r = hypot(p[0] - value(s->c, k, 0, 2), p[1] - value(s->c, k, 1, 2));
            if (r < least) least = r, nearest = k;
        }
        paint(rgb[at], nearest, s->d == 2 ? 0.85 : 1);
    }
    for (int i = 0; i < s->n + s->k; i++) {
        const uint16_t *of = i < s->n ? s->x : s->c;
        int k = i < s->n ? i : i - s->n, reach = i < s->n ? 0 : 6;
        int px = (int)((value(of, k, 0, s->d) + 1.3) / 2.6 * SIDE);
        int py = s->d > 1 ? (int)((value(of, k, 1, s->d) + 1.3) / 2.6 * SIDE) : SIDE / 2;
        for (int r = -reach; r <= reach; r++)
            for (int down = 0; down < 2; down++) {
                int qx = px + (down ? 0 : r), qy = py + (down ? r : 0);
                if (qx < 0 || qx >= SIDE || qy < 0 || qy >= SIDE) continue;
                if (i < s->n) paint(rgb[qy * SIDE + qx], s->label[k], 0.1);
                if (i >= s->n) memset(rgb[qy * SIDE + qx], 0, 3);
            }
    }
    const png_picture picture = {SIDE, SIDE, 3, rgb[0]};
    return png_write(path, &picture);
}

/* ---- the run ---- */

static const example_form forms[] = {
    {.name = "assign", .what = "labels points with their nearest centre", .kernel = &assign, .registers = 256,
     .product = &distances},
    {.name = "move", .what = "moves centres to the mean of their points", .kernel = &move},
    FORMS_END,
};

static bool allocate(zed_device *dev, clustering *s)
{
    size_t n = (size_t)s->n, k = (size_t)s->k, d = (size_t)s->d;
    s->x = (uint16_t *)new_array(dev, n * d * sizeof *s->x);
    s->c = (uint16_t *)new_array(dev, k * d * sizeof *s->c);
    s->before = (uint16_t *)new_array(dev, k * d * sizeof *s->c);
    s->squares = (float *)new_array(dev, k * sizeof *s->squares);
    s->sums = (float *)new_array(dev, k * d * sizeof *s->sums);
    s->label = (int32_t *)new_array(dev, n * sizeof *s->label);
    s->last = (int32_t *)new_array(dev, n * sizeof *s->last);
    s->counts = (int32_t *)new_array(dev, k * sizeof *s->counts);
    return (s->x && s->c && s->before && s->squares && s->sums && s->label && s->last && s->counts) || fail_device(dev);
}

/* One iteration; adds its time to *ns. The host has the labels afterwards, and from the start the centres before. */
static bool iterate(zed_device *dev, clustering *s, zed_kernel kernel[2], double *ns)
{
    size_t row = (size_t)s->k * (size_t)s->d;
    zed_groups groups = {(uint32_t)((s->n + tiles.rows - 1) / tiles.rows), 1, 1},
               few = {(uint32_t)whole_steps(s->k) / STEP, 1, 1};
    double a, b;
    memcpy(s->last, s->label, (size_t)s->n * sizeof *s->label);
    zed_copy(dev, s->before, on_device(s->c), row * sizeof *s->c);
    zed_fill(dev, on_device(s->sums), 0, row * sizeof *s->sums);
    zed_fill(dev, on_device(s->counts), 0, (size_t)s->k * sizeof *s->counts);
    a = zed_launch_timed(&kernel[0], groups, on_device(s->x), on_device(s->c), on_device(s->squares),
                         on_device(s->label), on_device(s->sums), on_device(s->counts), s->n, s->k, s->d);
    b = zed_launch_timed(&kernel[1], few, on_device(s->sums), on_device(s->counts), on_device(s->c),
                         on_device(s->squares), s->k, s->d);
    *ns += a + b;
    return copy_from_device(dev, s->label) && a >= 0 && b >= 0;
}

static bool run(zed_device *dev)
{
    clustering s = {.n = points, .k = clusters, .d = dimensions};
    zed_kernel kernel[2];
    double ns = 0;
    int turn = 0, changed = s.n;
    bool ok = (!picture || check_output(picture)) && load_form(&forms[0], dev, &kernel[0]) &&
              load_form(&forms[1], dev, &kernel[1]) && allocate(dev, &s);
    if (ok) make_points(&s, (uint32_t)first_seed);
    if (ok) memset(s.label, 0xff, (size_t)s.n * sizeof *s.label);
    ok = ok && (copy_to_device(dev) || fail_device(dev));
    for (; ok && changed && turn < turns; turn++) {
        ok = iterate(dev, &s, kernel, &ns) || fail_device(dev);
        changed = 0;
        for (int i = 0; ok && i < s.n; i++) changed += s.label[i] != s.last[i];
    }
    if (ok) ok = (copy_from_device(dev, s.c) && copy_from_device(dev, s.sums) && copy_from_device(dev, s.counts)) ||
                 fail_device(dev);
    ok = ok && check_labels(&s) && check_means(&s) && (!picture || draw(&s, picture));
    if (ok)
        printf("ok kmeans %d points, %d clusters, %d dimensions: %d turns, %.3f ms each, %d points changed in the last"
               "%s%s\n",
               s.n, s.k, s.d, turn, ns * 1e-6 / turn, changed, picture ? "; wrote " : "", picture ? picture : "");
    return ok;
}

static const example_option options[] = {
    NUMBER("--points", "points", &points, 1, 1 << 24),
    NUMBER("--clusters", "centres, up to 64", &clusters, 1, CLUSTERS_MAX),
    NUMBER("--dimensions", "of a point, up to 64", &dimensions, 1, DIMENSIONS_MAX),
    NUMBER("--turns", "iterations, at most", &turns, 1, 100000),
    NUMBER("--seed", "of the points", &first_seed, 1, INT32_MAX),
    TEXT("--png", "FILE", "draw points and centres, their first two dimensions", &picture),
    OPTIONS_END,
};

int main(int argc, char **argv)
{
    const example e = {.about = "k-means clustering of points around random centres",
                       .options = options,
                       .forms = forms,
                       .form_option = "--kernel",
                       .check = check_options,
                       .run = run};
    return example_main(argc, argv, &e);
}
