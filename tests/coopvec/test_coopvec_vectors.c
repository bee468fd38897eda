/* Vector values of coopvec.h on a device: load, store, elements, concatenation, slices, arithmetic, functions,
 * activations, conversions, and values carried by loops and branches; each against the same computation in f64. */
#include "coopvec_model.h"

enum { N = 13, ITEMS = 32, RESULTS = 40, MEMORY = 1 << 20 };

/* Inputs: f32 vectors a and b of N at element item * N of their parts; results r at OUT + (r * ITEMS + item) * N. */
enum { A_AT = 0, B_AT = ITEMS * N, OUT_AT = 2 * ITEMS * N };

static void put_f32(CV_CONTEXT, cv_val out, int *number, cv_vec v)
{
    CV_STORE(v, out, CV_ADD(CV_MUL(CV_GLOBAL_ID(), N), OUT_AT + (*number)++ * ITEMS * N));
}

/* Masks: combined, cut and joined, an element of one, carried through a loop. */
static void put_masked(CV_CONTEXT, cv_val out, int *r, cv_vec a, cv_vec b)
{
    cv_val i = CV_GLOBAL_ID();
    cv_vec less = CV_LT(a, b), positive = CV_GE(a, 0), kept = less;
    put_f32(CV_SELF, out, r, CV_SELECT(CV_AND(less, positive), a, b));
    put_f32(CV_SELF, out, r, CV_SELECT(CV_XOR(CV_OR(less, positive), CV_NE(less, positive)), 3, b));
    put_f32(CV_SELF, out, r, CV_SELECT(CV_CONCAT(CV_SLICE(less, 5, 8), CV_SLICE(positive, 0, 5)), 1.0, 2.0));
    put_f32(CV_SELF, out, r, CV_SELECT(CV_GT(i, 9), a, b));
    put_f32(CV_SELF, out, r, CV_SPLAT(f32, N, CV_SELECT(CV_ELEMENT(less, CV_MOD(i, N)), 1.0, 0.0)));
    CV_FOR (k, 0, CV_MOD(i, 3), 1, &kept) kept = CV_EQ(kept, CV_SET_ELEMENT(positive, 2, CV_EQ(k, 0)));
    put_f32(CV_SELF, out, r, CV_SELECT(kept, 1.0, 0.0));
}

/* Loops that count down, by steps of either sign that the kernel computes, and as long as a condition holds. */
static void put_loops(CV_CONTEXT, cv_val out, int *r, cv_vec a)
{
    cv_val i = CV_GLOBAL_ID(), n = CV_NUMBER(0), step = CV_SUB(CV_MUL(CV_MOD(i, 2), 6), 3), x = CV_ELEMENT(a, 3);
    CV_FOR (k, 7, -8, -4, &n) n = CV_ADD(CV_MUL(n, 3), k);
    CV_FOR (k, i, CV_ADD(i, CV_MUL(step, 4)), step, &n) n = CV_ADD(CV_MUL(n, 3), k);
    CV_FOR (k, i, CV_ADD(i, 5), step, &n) n = CV_ADD(CV_MUL(n, 3), k); /* none if it counts down */
    put_f32(CV_SELF, out, r, CV_SPLAT(f32, N, CV_CAST(f32, CV_AND(n, 0xffff))));
    n = CV_NUMBER(0);
    CV_WHILE (CV_LT(x, 3), &x, &n, &a) {
        CV_IF (CV_EQ(CV_MOD(n, 2), 0), &a) a = CV_ADD(a, 1);
        x = CV_ADD(x, 0.75);
        n = CV_ADD(n, 1);
    }
    put_f32(CV_SELF, out, r, CV_ADD(a, CV_CAST(f32, n)));
}

static void float_body(CV_CONTEXT)
{
    cv_val mem = CV_SELF->args[model_pointer(CV_F32)], i = CV_GLOBAL_ID(), n = CV_AT(0);
    cv_vec a = CV_LOAD(mem, N, CV_MUL(i, N)), b = CV_LOAD(mem, N, CV_ADD(CV_MUL(i, N), B_AT)), v = a;
    cv_vec strided = CV_LOAD(mem, N, CV_ADD(i, A_AT), .stride = CV_AT(ITEMS));
    int r = 0;
    put_f32(CV_SELF, mem, &r, CV_ADD(a, b));
    put_f32(CV_SELF, mem, &r, CV_SUB(a, 2));
    put_f32(CV_SELF, mem, &r, CV_MUL(0.5, b));
    put_f32(CV_SELF, mem, &r, CV_DIV(a, b));
    put_f32(CV_SELF, mem, &r, CV_MIN(a, b));
    put_f32(CV_SELF, mem, &r, CV_MAX(a, 0.25));
    put_f32(CV_SELF, mem, &r, CV_CLAMP(a, -1, b));
    put_f32(CV_SELF, mem, &r, CV_FMA(a, b, 1.5));
    put_f32(CV_SELF, mem, &r, CV_EXP(a));
    put_f32(CV_SELF, mem, &r, CV_LOG(CV_ABS(b)));
    put_f32(CV_SELF, mem, &r, CV_SQRT(CV_ABS(a)));
    put_f32(CV_SELF, mem, &r, CV_RSQRT(CV_ABS(b)));
    put_f32(CV_SELF, mem, &r, CV_SIN(a));
    put_f32(CV_SELF, mem, &r, CV_COS(a));
    put_f32(CV_SELF, mem, &r, CV_FLOOR(CV_MUL(a, 3)));
    put_f32(CV_SELF, mem, &r, CV_RELU(a));
    put_f32(CV_SELF, mem, &r, CV_LEAKY_RELU(a, 0.125));
    put_f32(CV_SELF, mem, &r, CV_SIGMOID(a));
    put_f32(CV_SELF, mem, &r, CV_TANH(a));
    put_f32(CV_SELF, mem, &r, CV_GELU(a));
    put_f32(CV_SELF, mem, &r, CV_SELECT(CV_GT(a, b), a, 7));
    put_f32(CV_SELF, mem, &r, CV_CONCAT(CV_SLICE(a, 8, 5), CV_SLICE(b, 1, 8)));
    put_f32(CV_SELF, mem, &r, CV_SET_ELEMENT(a, 9, CV_ELEMENT(b, 12)));
    put_f32(CV_SELF, mem, &r, CV_ADD(CV_SPLAT(f32, N, 0), CV_ELEMENT(a, CV_MOD(i, N))));
    put_f32(CV_SELF, mem, &r, strided);
    CV_FOR (k, 0, CV_ADD(CV_MOD(i, 5), 1), 1, &v, &n) { /* a divergent loop */
        v = CV_ADD(CV_MUL(v, 0.5), b);
        n = CV_ADD(n, k);
    }
    put_f32(CV_SELF, mem, &r, v);
    put_f32(CV_SELF, mem, &r, CV_SPLAT(f32, N, CV_CAST(f32, n)));
    CV_IF (CV_LT(CV_ELEMENT(a, 0), 0), &v) {
        v = CV_MUL(v, 2);
    } CV_ELSE {
        v = CV_SUB(v, a);
    }
    put_f32(CV_SELF, mem, &r, v);
    v = a;
    CV_FOR (k, 2, 12, 3, &v) { /* a uniform one, with a branch in it */
        CV_IF (CV_EQ(CV_AND(CV_ADD(k, i), 1), 0), &v) v = CV_ADD(v, CV_CAST(f32, k));
    }
    put_f32(CV_SELF, mem, &r, v);
    put_f32(CV_SELF, mem, &r, CV_CAST(f32, CV_CAST(f16, a)));
    put_f32(CV_SELF, mem, &r, CV_CAST(f32, CV_TANH(CV_CAST(f16, a))));
    put_f32(CV_SELF, mem, &r, CV_SPLAT(f32, N, CV_UNIFORM(CV_CAST(f32, i))));
    put_masked(CV_SELF, mem, &r, a, b);
    put_loops(CV_SELF, mem, &r, a);
    CHECK(r <= RESULTS);
}

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double gelu(double x) { return x / 2 * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); }

static bool kept_mask(int i, int e, const float *a, const float *b)
{
    bool kept = a[e] < b[e];
    for (int k = 0; k < i % 3; k++) kept = kept == (e == 2 ? k == 0 : a[e] >= 0);
    return kept;
}

static int counted_down(int i)
{
    int step = i % 2 * 6 - 3;
    unsigned n = 0;
    for (int k = 7; k > -8; k -= 4) n = n * 3 + (unsigned)k;
    for (int k = i; k != i + step * 4; k += step) n = n * 3 + (unsigned)k;
    for (int k = i; step > 0 && k < i + 5; k += step) n = n * 3 + (unsigned)k;
    return n & 0xffff;
}

/* Result r, element e of item i, from the inputs; and its error bound in f32. */
static double wanted(int r, int i, int e, const float *in, double *bound)
{
    const float *pa = in + i * N, *pb = in + B_AT + i * N;
    double a = (double)pa[e], b = (double)pb[e], v = a, w;
    *bound = 0;
#define NEAR(x, units) (w = (x), *bound = (units) * (fabs(w) + 1e-30) * 0x1p-23, w)
    switch (r) {
    case 0: return NEAR(a + b, 1);
    case 1: return NEAR(a - 2, 1);
    case 2: return 0.5 * b;
    case 3: return NEAR(a / b, 4);
    case 4: return fmin(a, b);
    case 5: return fmax(a, 0.25);
    case 6: return fmin(fmax(a, -1), b);
    case 7: return NEAR(a * b + 1.5, 1);
    case 8: return NEAR(exp(a), 4);
    case 9: return NEAR(log(fabs(b)), 4 + 4 / fabs(log(fabs(b))));
    case 10: return NEAR(sqrt(fabs(a)), 4);
    case 11: return NEAR(1 / sqrt(fabs(b)), 4);
    case 12: return NEAR(sin(a), 4 + 4 / fabs(sin(a)));
    case 13: return NEAR(cos(a), 4 + 4 / fabs(cos(a)));
    case 14: return floor((double)((float)a * 3.0f));
    case 15: return fmax(a, 0);
    case 16: return a > 0 ? a : a * 0.125;
    case 17: return NEAR(sigmoid(a), 16);
    case 18: return NEAR(tanh(a), 8);
    case 19: *bound = (fabs(a) + 1) * 32 * 0x1p-23; return gelu(a);
    case 20: return a > b ? a : 7;
    case 21: return (double)(e < 5 ? pa[8 + e] : pb[1 + e - 5]);
    case 22: return e == 9 ? (double)pb[12] : a;
    case 23: return (double)pa[i % N];
    case 24: return (double)in[i + e * ITEMS];
    case 25: case 27:
        for (int k = 0; k < i % 5 + 1; k++) v = (double)((float)v * 0.5f + (float)b);
        if (r == 27) v = pa[0] < 0 ? v * 2 : v - a;
        *bound = 16 * (fabs(a) + fabs(b) * 6) * 0x1p-23;
        return v;
    case 26: return i % 5 * (i % 5 + 1) / 2;
    case 28:
        for (int k = 2; k < 12; k += 3) if ((k + i) % 2 == 0) v += k;
        return NEAR(v, 8 + 40 / (fabs(v) + 1e-3));
    case 29: return model_convert(a, CV_F16);
    case 30: v = tanh(model_convert(a, CV_F16)); *bound = (fabs(v) + 0x1p-14) * 0x1.02p-11; return v;
    case 31: return i / model_subgroup_size * model_subgroup_size;
    case 32: return a < b && a >= 0 ? a : b;
    case 33: return a < b || a >= 0 ? (a < b) == (a >= 0) ? 3 : b : b;
    case 34: return (double)(e < 8 ? pa[e + 5] < pb[e + 5] : pa[e - 8] >= 0) == 1 ? 1 : 2;
    case 35: return i > 9 ? a : b;
    case 36: return pa[i % N] < pb[i % N];
    case 37: return kept_mask(i, e, pa, pb);
    case 38: return counted_down(i);
    default: {
        float x = pa[3], sum = pa[e];
        int n = 0;
        for (; x < 3; x += 0.75f, n++) sum += n % 2 == 0;
        return NEAR((double)sum + n, 1);
    }
    }
}

TEST(floats)
{
    model_kernel k = {"vectors_f32", float_body, ITEMS, 16, CM_AUTO};
    float *in = (float *)(void *)memory, *out = in + OUT_AT;
    memset(memory, 0xff, MEMORY);
    for (int i = 0; i < 2 * ITEMS * N; i++) in[i] = (float)(test_normal() + (i >= B_AT ? 0.01 : 0));
    if (!model_run(&k, 1, 0)) return;
    for (int r = 0; r < RESULTS; r++)
        for (int i = 0; i < ITEMS; i++)
            for (int e = 0; e < N; e++) {
                double bound, want = wanted(r, i, e, in, &bound), got = (double)out[(r * ITEMS + i) * N + e];
                CHECK_MSG(fabs(got - want) <= bound, "result %d, item %d, element %d is %.9g, want %.9g within %.2g", r,
                          i, e, got, want, bound);
            }
}

/* ---- the conversion rules: every pair of the six vector types, values that overflow, lie halfway, and are not
 * numbers */

static const int types[] = {CV_F16, CV_F32, CV_I16, CV_U16, CV_I32, CV_U32};
enum { SLOT = 4096 };

static void cast_body(CV_CONTEXT)
{
    for (int from = 0; from < 6; from++)
        for (int to = 0; to < 6; to++) {
            cv_any_ v =
                cv_any_vec_(CV_LOAD(CV_SELF->args[model_pointer(types[from])], 4,
                                    CV_ADD(CV_MUL(CV_GLOBAL_ID(), 4), from * SLOT / model_bytes(types[from]))));
            cv_vec w = cv_cast_vec_(CV_HERE_, types[to], v);
            CV_STORE(w, CV_SELF->args[model_pointer(types[to])],
                     CV_ADD(CV_MUL(CV_GLOBAL_ID(), 4), (6 + from * 6 + to) * SLOT / model_bytes(types[to])));
        }
}

TEST(conversion_rules)
{
    static const double special[] = {
        0,     -0.0,  0.5,    1.5,      2.5,       -0.5,       -1.5,         65504,        65519,        65520,
        65536, 70000, -70000, 32767.5,  -32768.5,  2147483520, 2147483648.0, 4294967040.0, 4294967296.0, -2147483648.0,
        -3e9,  1e30,  -1e30,  INFINITY, -INFINITY, NAN,        1e-8,         2147483647,   16777217,     33554435};
    model_kernel k = {"vectors_cast", cast_body, ITEMS, 16, CM_AUTO};
    memset(memory, 0xff, MEMORY);
    for (int f = 0; f < 6; f++)
        for (int i = 0; i < ITEMS * 4; i++) {
            double v = i < 30   ? special[i]
                       : i < 90 ? model_random(types[f])
                                : test_normal() * exp2(test_uniform() * 36);
            model_put(types[f], memory + f * SLOT + i * model_bytes(types[f]), model_convert(v, types[f]));
        }
    if (!model_run(&k, 1, 0)) return;
    for (int f = 0; f < 6; f++)
        for (int t = 0; t < 6; t++)
            for (int i = 0; i < ITEMS * 4; i++) {
                double v = model_get(types[f], memory + f * SLOT + i * model_bytes(types[f])),
                       want = model_convert(v, types[t]);
                double got = model_get(types[t], memory + (6 + f * 6 + t) * SLOT + i * model_bytes(types[t]));
                CHECK_MSG(got == want || (isnan(got) && isnan(want)), "%s %.10g to %s is %.10g, want %.10g",
                          cv_type_name(types[f]), v, cv_type_name(types[t]), got, want);
            }
}

static void tests(void)
{
    RUN(floats);
    RUN(conversion_rules);
}

int main(void) { return model_main(MEMORY, tests); }
