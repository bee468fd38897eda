/* test_opencl_nonuniform.c - reductions, scans, shuffles, broadcasts, votes, ballots and clusters among active lanes
 * (opencl/nonuniform.cl): both arms of a condition in subgroups of 16, one of which has 8 work-items. All types.
 *
 * Exact, except sums and products of floats: any order, so within 16 roundings of the sum of magnitudes or of the
 * product. Values from inactive lanes are not compared.
 */
#include "opencl.h"
#include "spirv_emit.h"

enum { S = 16, GROUPS = 3, GROUP = 40, N = GROUPS * GROUP };
enum { ADD, MUL, MIN, MAX, AND, OR, XOR, NUMBERS = 4, INTEGERS = 7 };
static zed_module module;
static int32_t *arm;
static uint32_t *lane;

/* The lanes of item i's subgroup that took the same branch: one bit each. `first` is the item of lane 0. */
static uint32_t active(int i, int *first)
{
    uint32_t bits = 0;
    *first = i - i % GROUP % S;
    for (int l = 0; l < S && *first % GROUP + l < GROUP; l++) bits |= (uint32_t)(!arm[*first + l] == !arm[i]) << l;
    return bits;
}

/* ---- numbers, each type by itself */

#define INTEGER_APPLY(T, op, a, b)                                                                                     \
    ((op) == ADD   ? (T)((uint64_t)(a) + (uint64_t)(b))                                                                \
     : (op) == MUL ? (T)((uint64_t)(a) * (uint64_t)(b))                                                                \
     : (op) == MIN ? ((a) < (b) ? (a) : (b))                                                                           \
     : (op) == MAX ? ((a) > (b) ? (a) : (b))                                                                           \
     : (op) == AND ? (T)((a) & (b))                                                                                    \
     : (op) == OR  ? (T)((a) | (b))                                                                                    \
                   : (T)((a) ^ (b)))
#define INTEGER_START(T, op, least, most)                                                                              \
    ((op) == MUL ? (T)1 : (op) == MIN ? (T)(most) : (op) == MAX ? (T)(least) : (op) == AND ? (T) ~(uint64_t)0 : (T)0)

/* mode 0: all; 1: up to and with this lane; 2: without */
#define INTEGER(T, name, text, bits, least, most)                                                                      \
    static T name##_want(const T *x, int i, int op, int mode)                                                          \
    {                                                                                                                  \
        int first, end = S;                                                                                            \
        uint32_t on = active(i, &first);                                                                               \
        T r = INTEGER_START(T, op, least, most);                                                                       \
        if (mode) end = i - first + (mode == 1);                                                                       \
        for (int l = 0; l < end; l++)                                                                                  \
            if (on >> l & 1) r = INTEGER_APPLY(T, op, r, x[first + l]);                                                \
        return r;                                                                                                      \
    }                                                                                                                  \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        enum { PLANES = 3 * INTEGERS + 6 };                                                                            \
        T *x = (T *)ocl_buffer(N * sizeof *x), *r = (T *)ocl_buffer(PLANES * N * sizeof *r), v[N];                     \
        ocl_fill_bits(x, bits, N);                                                                                     \
        for (int i = 0; i < N; i++) v[i] = (T)((uint64_t)x[i] + !arm[i]);                                              \
        OCL_RUN(&module, "of_" #name, "ptr<" text "> x, ptr<u32> lane, ptr<i32> arm, ptr<" text "> r", GROUPS, GROUP,  \
                x, lane, arm, r);                                                                                      \
        for (int i = 0; i < N; i++) {                                                                                  \
            for (int k = 0; k < 3 * INTEGERS; k++) {                                                                   \
                T want = name##_want(v, i, k / 3, k % 3);                                                              \
                CHECK_MSG(r[k * N + i] == want, "operation %d of item %d: %lld, want %lld", k, i,                      \
                          (long long)r[k * N + i], (long long)want);                                                   \
            }                                                                                                          \
        }                                                                                                              \
        for (int k = 0; k < 6; k++)                                                                                    \
            for (int i = 0, from; i < N; i++)                                                                          \
                if ((from = moved(i, k)) >= 0)                                                                         \
                    CHECK_MSG(r[(3 * INTEGERS + k) * N + i] == v[from], "move %d of item %d: not that of item %d", k,  \
                              i, from);                                                                                \
        ocl_free(x);                                                                                                   \
        ocl_free(r);                                                                                                   \
    }

/* The item whose value move k returns to item i; -1: inactive. */
static int moved(int i, int k)
{
    int first, l, at = (int)lane[i];
    uint32_t on = active(i, &first);
    int own = i - first;
    switch (k) {
    case 0:
        for (l = 0; !(on >> l & 1);) l++;
        break;
    case 1: l = at & 15; break;
    case 2: l = own ^ (at & 15); break;
    case 3: l = own - (at & 3); break;
    case 4: l = own + (at & 3); break;
    default: l = 3; break;
    }
    return l >= 0 && l < S && (on >> l & 1) ? first + l : -1;
}

INTEGER(int8_t, char, "i8", 8, INT8_MIN, INT8_MAX)
INTEGER(uint8_t, uchar, "u8", 8, 0, UINT8_MAX)
INTEGER(int16_t, short, "i16", 16, INT16_MIN, INT16_MAX)
INTEGER(uint16_t, ushort, "u16", 16, 0, UINT16_MAX)
INTEGER(int32_t, int, "i32", 32, INT32_MIN, INT32_MAX)
INTEGER(uint32_t, uint, "u32", 32, 0, UINT32_MAX)
INTEGER(int64_t, long, "i64", 64, INT64_MIN, INT64_MAX)
INTEGER(uint64_t, ulong, "u64", 64, 0, UINT64_MAX)

/* Floats are compared as doubles; `unit` is half the distance of 1 to the next. */
static void check_floats(const double *v, const double *r, double unit)
{
    for (int i = 0; i < N; i++) {
        int first;
        uint32_t on = active(i, &first);
        for (int k = 0; k < 3 * NUMBERS; k++) {
            int op = k / 3, end = k % 3 ? i - first + (k % 3 == 1) : S;
            double want = op == MUL   ? 1
                          : op == MIN ? INFINITY
                          : op == MAX ? -INFINITY
                                      : 0,
                   size = 0, got = r[k * N + i];
            for (int l = 0; l < end; l++) {
                if (!(on >> l & 1)) continue; /* the last subgroup is not full */
                double x = v[first + l];
                size += fabs(x);
                want = op == ADD ? want + x : op == MUL ? want * x : op == MIN ? fmin(want, x) : fmax(want, x);
            }
            double off = op == ADD ? 16 * unit * size : op == MUL ? 16 * unit * fabs(want) : 0;
            CHECK_MSG(got == want || fabs(got - want) <= off, "operation %d of item %d: %.17g, want %.17g", k, i, got,
                      want);
        }
        for (int k = 0, from; k < 6; k++)
            if ((from = moved(i, k)) >= 0)
                CHECK_MSG(r[(3 * NUMBERS + k) * N + i] == v[from], "move %d of item %d: not that of item %d", k, i,
                          from);
    }
}

/* x near 1, so that products neither vanish nor overflow; halves have few bits, so that x + 1 is exact. */
#define FLOATS(T, name, text, unit, TO, FROM)                                                                          \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        enum { PLANES = 3 * NUMBERS + 6 };                                                                             \
        T *x = (T *)ocl_buffer(N * sizeof *x), *r = (T *)ocl_buffer(PLANES * N * sizeof *r);                           \
        double v[N], *wide = (double *)malloc(PLANES * N * sizeof *wide);                                              \
        for (int i = 0; i < N; i++) {                                                                                  \
            double value = (double)(64 + test_random() % 64) / 64;                                                     \
            x[i] = TO(test_random() & 1 ? -value : value / 2);                                                         \
            v[i] = FROM(x[i]) + !arm[i];                                                                               \
        }                                                                                                              \
        OCL_RUN(&module, "of_" #name, "ptr<" text "> x, ptr<u32> lane, ptr<i32> arm, ptr<" text "> r", GROUPS, GROUP,  \
                x, lane, arm, r);                                                                                      \
        for (int i = 0; wide && i < PLANES * N; i++) wide[i] = FROM(r[i]);                                             \
        if (wide) check_floats(v, wide, unit);                                                                         \
        free(wide);                                                                                                    \
        ocl_free(x);                                                                                                   \
        ocl_free(r);                                                                                                   \
    }
#define TO_HALF(v) spe_f32_to_f16_bits((float)(v))
#define FROM_HALF(v) ((double)spe_f16_bits_to_f32(v))
#define TO_FLOAT(v) ((float)(v))
#define FROM_FLOAT(v) ((double)(v))
#define SAME(v) (v)
FLOATS(uint16_t, half, "f16", 0x1p-11, TO_HALF, FROM_HALF)
FLOATS(float, float, "f32", 0x1p-24, TO_FLOAT, FROM_FLOAT)
FLOATS(double, double, "f64", 0x1p-53, SAME, SAME)

/* ---- votes */

static int bits_of(uint32_t v)
{
    int n = 0;
    for (; v; v &= v - 1) n++;
    return n;
}

static int cluster(const int32_t *x, int i, int size, int op)
{
    int first, own;
    uint32_t on = active(i, &first), r = op == MUL || op == AND, any = 0;
    own = (i - first) / size * size;
    for (int l = own; l < own + size; l++) {
        uint32_t v = on >> l & 1 ? (uint32_t)x[first + l] : 0;
        if (!(on >> l & 1)) continue;
        if (op == MAX)
            r = !any || (int32_t)v > (int32_t)r ? v : r;
        else
            r = op == ADD ? r + v : op == MUL ? r * v : op == XOR ? r ^ v : (r & v & 1);
        any = 1;
    }
    return (int)r;
}

static void want_votes(const int32_t *x, int i, int *want)
{
    int first, own, k = 0;
    uint32_t on = active(i, &first), odd = 0, twos = 0, below, low = 0, high = 31;
    own = i - first;
    below = (1u << own) - 1;
    for (int l = 0; l < S; l++) {
        if (!(on >> l & 1)) continue;
        odd |= (uint32_t)(x[first + l] & 1) << l;
        twos |= (uint32_t)(x[first + l] >> 1 & 1) << l;
    }
    while (odd && !(odd >> low & 1)) low++;
    while (odd && !(odd >> high & 1)) high--;
    want[k++] = !(on & below);
    want[k++] = odd == on;
    want[k++] = odd != 0;
    want[k++] = twos == 0 || twos == on;
    want[k++] = (int)odd;
    want[k++] = odd >> own & 1;
    want[k++] = odd >> (lane[i] & 15) & 1;
    want[k++] = bits_of(odd);
    want[k++] = bits_of(odd & (below * 2 + 1));
    want[k++] = bits_of(odd & below);
    want[k++] = odd ? (int)low : -1;
    want[k++] = odd ? (int)high : -1;
    for (int mode = 0; mode < 3; mode++) {
        uint32_t seen = mode == 0 ? on : mode == 1 ? on & (below * 2 + 1) : on & below;
        want[k + mode] = (odd & seen) == seen;
        want[k + 3 + mode] = (odd & seen) != 0;
        want[k + 6 + mode] = bits_of(odd & seen) & 1;
    }
    k += 9;
    want[k++] = cluster(x, i, 4, ADD);
    want[k++] = cluster(x, i, 2, MAX);
    want[k++] = cluster(x, i, 8, MUL);
    want[k++] = cluster(x, i, 16, XOR);
    want[k++] = cluster(x, i, 4, AND);
}

TEST(votes)
{
    enum { PLANES = 26 };
    int32_t *x = (int32_t *)ocl_buffer(N * 4), *r = (int32_t *)ocl_buffer(PLANES * N * 4);
    ocl_fill_bits(x, 32, N);
    for (int i = 0; i < GROUP; i++) x[i] |= i < S ? 3 : 0; /* a unanimous subgroup */
    for (int i = GROUP; i < GROUP + S; i++) x[i] &= ~1;    /* one that has no odd number */
    OCL_RUN(&module, "votes", "ptr<i32> x, ptr<u32> lane, ptr<i32> arm, ptr<i32> r", GROUPS, GROUP, x, lane, arm, r);
    for (int i = 0; i < N; i++) {
        int want[PLANES];
        want_votes(x, i, want);
        for (int k = 0; k < PLANES; k++) {
            int expected = arm[i] ? want[k] : (int)0xa5a5a5a5;
            CHECK_MSG(r[k * N + i] == expected, "vote %d of item %d: %d, want %d", k, i, r[k * N + i], expected);
        }
    }
    ocl_free(x);
    ocl_free(r);
}

TEST(own_ballots)
{
    enum { PLANES = 7 };
    int32_t *x = (int32_t *)ocl_buffer(N * 4), *r = (int32_t *)ocl_buffer(PLANES * N * 4);
    ocl_fill_bits(x, 32, N);
    for (int i = 0; i < N; i += 7) x[i] &= ~0xffff;
    OCL_RUN(&module, "own_ballots", "ptr<i32> x, ptr<u32> lane, ptr<i32> r", GROUPS, GROUP, x, lane, r);
    for (int i = 0; i < N; i++) {
        int own = i % GROUP % S, low = 0, high = S - 1;
        uint32_t b = (uint32_t)x[i] & 0xffff, below = (1u << own) - 1;
        while (b && !(b >> low & 1)) low++;
        while (b && !(b >> high & 1)) high--;
        const int want[PLANES] = {(int)(b >> (lane[i] & 15) & 1), (int)(b >> 5 & 1), bits_of(b),
                                  bits_of(b & (below * 2 + 1)),   bits_of(b & below), b ? low : -1, b ? high : -1};
        for (int k = 0; k < PLANES; k++)
            CHECK_MSG(r[k * N + i] == want[k], "operation %d of item %d: %d, want %d", k, i, r[k * N + i], want[k]);
    }
    ocl_free(x);
    ocl_free(r);
}

int main(void)
{
    if (!ocl_open()) return 1;
    arm = (int32_t *)ocl_buffer(N * 4);
    lane = (uint32_t *)ocl_buffer(N * 4);
    for (int i = 0; i < N; i++) {
        arm[i] = i >= 2 * GROUP && i < 2 * GROUP + S ? 1 : (int32_t)(test_random() % 3); /* one subgroup is uniform */
        lane[i] = (uint32_t)test_random();
    }
    if (ocl_load(&module, "nonuniform")) {
        RUN(char);
        RUN(uchar);
        RUN(short);
        RUN(ushort);
        RUN(int);
        RUN(uint);
        RUN(long);
        RUN(ulong);
        RUN(half);
        RUN(float);
        RUN(double);
        RUN(votes);
        RUN(own_ballots);
    }
    zed_close(&ocl_device);
    return test_report();
}
