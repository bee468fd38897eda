/* test_xetile_reduce.c - XT_REDUCTION: every kind, both dimensions, whole and by reduction_size, at subgroup level and
 * at work-group level, with maps that assign a group to one subgroup or split it. */
#include "xetile_case.h"

static struct {
    chosen t;
    int rows, cols, dim, size;
    xt_map map, result, source;
} now;

enum { KINDS = XT_RED_COUNT_ };
static const struct {
    const char *name;
    int takes;
} kinds[KINDS] = {
#define KIND(name, op, number, takes, nan_wins) {#name, XT_RMW_##takes},
    XT_RED_KINDS_(KIND)
#undef KIND
};

static bool applies(int kind)
{
    return kinds[kind].takes & (is_float(now.t.type) ? XT_RMW_FLOAT_ : XT_RMW_INT_);
}

static int result_rows(void) { return now.dim ? now.rows : now.rows / now.size; }
static int result_cols(void) { return now.dim ? now.cols / now.size : now.cols; }

/* The kinds by number: one body for all. */
static xt_vec reduce(XT_CONTEXT, int kind, xt_vec v)
{
    return xt_reduction_(XT_HERE_, kind, (xt_reduction_desc_){.vec = v, .dim = now.dim, .reduction_size = now.size,
                                                              .map = now.result, .source = now.source});
}

/* All kinds that the type supports, one below the other in R. */
XT_KERNEL(all_kinds, u64(A), u64(R))
{
    int rows = result_rows(), cols = result_cols(), at = 0;
    xt_tile a = XT_INIT_TILE(A, of(now.t), now.rows, now.cols, .shape = XT_AT(now.rows, now.cols), .map = now.map);
    xt_vec v = XT_LOAD_TILE(a);
    for (int kind = 0; kind < KINDS; kind++) {
        if (!applies(kind)) continue;
        xt_vec r = reduce(XT_SELF, kind, v);
        bool mapped = now.result.sg_layout[0] || now.result.sg_data[0];
        xt_map map = mapped ? now.result : xt_map_reduction(&now.map, now.dim, now.size);
        xt_tile c = XT_INIT_TILE(R, of(now.t), rows, cols, .offset = XT_AT(rows * at, 0),
                                 .shape = XT_AT(rows * KINDS, cols), .map = map);
        XT_STORE_TILE(r, c);
        at++;
    }
}

/* minimumf and maximumf: NaN wins, -0 < +0. minnumf and maxnumf: a number wins over NaN. */
static double smaller(double a, double b, bool nan_wins)
{
    if (a != a || b != b) return nan_wins ? (a != a ? a : b) : a != a ? b : a;
    if (a == b) return signbit(a) ? a : b;
    return a < b ? a : b;
}

static double wrap(double v)
{
    double bits = (double)(8 * size_of(now.t.type)), range = exp2(bits);
    if (bits == 64) return v; /* small enough here */
    v = fmod(v, range);
    if (v < 0) v += range;
    return is_signed(now.t.type) && v >= range / 2 ? v - range : v;
}

/* a and b as unsigned numbers of the type. */
static uint64_t bits_of(double v)
{
    uint64_t b = v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v;
    return size_of(now.t.type) == 8 ? b : b & (((uint64_t)1 << (8 * size_of(now.t.type))) - 1);
}

static double combine(int kind, double a, double b)
{
    switch (kind) {
    case XT_RED_add_: return is_float(now.t.type) ? a + b : wrap(a + b);
    case XT_RED_mul_: return is_float(now.t.type) ? a * b : wrap(a * b);
    case XT_RED_minsi_: return wrap(a) < wrap(b) ? a : b;
    case XT_RED_maxsi_: return wrap(a) < wrap(b) ? b : a;
    case XT_RED_minui_: return bits_of(a) < bits_of(b) ? a : b;
    case XT_RED_maxui_: return bits_of(a) < bits_of(b) ? b : a;
    case XT_RED_and_: return wrap((double)(int64_t)(bits_of(a) & bits_of(b)));
    case XT_RED_or_: return wrap((double)(int64_t)(bits_of(a) | bits_of(b)));
    case XT_RED_xor_: return wrap((double)(int64_t)(bits_of(a) ^ bits_of(b)));
    case XT_RED_minnumf_: return smaller(a, b, false);
    case XT_RED_maxnumf_: return -smaller(-a, -b, false);
    case XT_RED_minimumf_: return smaller(a, b, true);
    default: return -smaller(-a, -b, true);
    }
}

/* Sums and products: n roundings of at most half a unit each, in f32 (or wider) whatever the type, also of groups that
 * are split over subgroups, and one to the type. Zero for the others, whose results are elements. */
static double bound(int kind, double magnitude, double want)
{
    double u = now.t.type == CM_F64 ? 0x1p-53 : 0x1p-24, error;
    if (!is_float(now.t.type) || kind > XT_RED_mul_) return 0;
    if (kind == XT_RED_mul_) magnitude = fabs(want);
    error = (now.size + 1) * u * magnitude;
    return error + half_ulp(now.t.type) * (fabs(want) + error + 0x1p-14);
}

static int check_kind(int kind, int at, const void *a, const void *r)
{
    int wrong = 0, rows = result_rows(), cols = result_cols();
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            double want = 0, magnitude = 0, got = get(now.t.type, r, (size_t)((rows * at + i) * cols + j));
            for (int k = 0; k < now.size; k++) {
                int row = now.dim ? i : i * now.size + k, col = now.dim ? j * now.size + k : j;
                double one = get(now.t.type, a, (size_t)(row * now.cols + col));
                want = k ? combine(kind, want, one) : one;
                magnitude += fabs(one);
            }
            bool zeros = kind == XT_RED_minimumf_ || kind == XT_RED_maximumf_;
            if (want != want)
                wrong += got == got;
            else
                wrong += !(fabs(got - want) <= bound(kind, magnitude, want)) ||
                         (zeros && want == 0 && signbit(want) != signbit(got));
        }
    return wrong;
}

static void check(const variant *v)
{
    size_t n = (size_t)(now.rows * now.cols), m = (size_t)(result_rows() * result_cols() * KINDS);
    void *a = new_matrix(now.t.type, n), *r = new_poison(now.t.type, m);
    for (size_t i = 0; is_float(now.t.type) && i < n; i++) { /* products near 1; some zeros and NaNs */
        put(now.t.type, a, i, exp2(test_normal() * 0.1) * (test_random() & 1 ? 1 : -1));
        if (test_random() % 32 == 0) put(now.t.type, a, i, test_random() & 1 ? -0.0 : 0.0);
        if (test_random() % 512 == 0) put(now.t.type, a, i, NAN);
    }
    if (RUN_KERNEL(all_kinds, v, ONE_GROUP, ADDRESS(a), ADDRESS(r)))
        for (int kind = 0, at = 0; kind < KINDS; kind++) {
            int wrong = applies(kind) ? check_kind(kind, at++, a, r) : 0;
            CHECK_MSG(wrong == 0, "%s of %s %d x %d along %d by %d: %d wrong", kinds[kind].name,
                      cm_type_info((cm_type)now.t.type)->name, now.rows, now.cols, now.dim, now.size, wrong);
        }
    zed_free(&device, a);
    zed_free(&device, r);
}

TEST(a_subgroup_reduces)
{
    static const struct {
        cm_type type;
        int rows, cols, dim, size, subgroup_size;
    } cases[] = {
        {CM_F32, 8, 32, 1, 32, 0},  {CM_F32, 32, 16, 0, 32, 0}, {CM_F16, 12, 32, 1, 8, 0}, {CM_BF16, 16, 20, 0, 4, 0},
        {CM_I32, 5, 24, 1, 12, 0},  {CM_I8, 64, 1, 0, 64, 0},   {CM_U16, 1, 50, 1, 50, 0}, {CM_F64, 6, 40, 1, 40, 8},
        {CM_I16, 24, 3, 0, 8, 0},   {CM_U32, 9, 64, 1, 64, 32}, {CM_I64, 4, 6, 1, 2, 0},   {CM_F32, 7, 13, 1, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        variant v = variant_of(cases[i].subgroup_size, 0);
        if (!target_has(&v) || !has_type((int)cases[i].type)) continue;
        memset(&now, 0, sizeof now);
        now.t.type = cases[i].type;
        now.rows = cases[i].rows;
        now.cols = cases[i].cols;
        now.dim = cases[i].dim;
        now.size = cases[i].size;
        check(&v);
    }
}

TEST(a_work_group_reduces)
{
    static const struct {
        cm_type type;
        int rows, cols, dim, size;
        xt_map map, result, source;
    } cases[] = {
        /* the newer specification's, smaller: whole groups in a subgroup */
        {CM_F32, 16, 32, 1, 32, {{8, 1}, {2, 32}}, {{8, 1}, {2, 1}}, {{0}, {0}}},
        {CM_F32, 64, 64, 0, 16, {{4, 2}, {16, 32}}, {{4, 2}, {1, 32}}, {{0}, {0}}},
        /* round robin, no result map */
        {CM_I32, 32, 32, 1, 8, {{2, 1}, {4, 16}}, {{0}, {0}}, {{0}, {0}}},
        /* the map splits the reduced dimension */
        {CM_F16, 8, 64, 1, 64, {{1, 4}, {8, 16}}, {{0}, {0}}, {{0}, {0}}},
        {CM_I16, 64, 32, 0, 32, {{8, 1}, {8, 32}}, {{8, 1}, {1, 32}}, {{0}, {0}}},
        /* both maps given: the result may be anywhere */
        {CM_F32, 16, 48, 1, 24, {{4, 2}, {4, 24}}, {{2, 4}, {8, 1}}, {{4, 2}, {4, 24}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memset(&now, 0, sizeof now);
        now.t.type = cases[i].type;
        now.rows = cases[i].rows;
        now.cols = cases[i].cols;
        now.dim = cases[i].dim;
        now.size = cases[i].size;
        now.map = cases[i].map;
        now.result = cases[i].result;
        now.source = cases[i].source;
        check(&variants[0]);
    }
}

int main(void)
{
    if (!zed_open(&device, &(zed_options){0})) {
        zed_print_error(&device, stderr);
        return 1;
    }
    RUN(a_subgroup_reduces);
    RUN(a_work_group_reduces);
    zed_close(&device);
    return test_report();
}
