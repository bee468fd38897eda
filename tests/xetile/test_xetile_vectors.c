/* test_xetile_vectors.c - elementwise operations: arithmetic, bits, comparison, select, mathematics, casts, iota, with
 * scalars in place of vectors; at subgroup and work-group level. */
#include "xetile_case.h"

static struct {
    chosen t, to;
    int rows, cols;
    xt_map map;
} now;

static xt_tile result(XT_CONTEXT, xt_val base, int of, int number, int count)
{
    chosen t = {of};
    return XT_INIT_TILE(base, of(t), now.rows, now.cols, .offset = XT_AT(number * now.rows, 0),
                        .shape = XT_AT(count * now.rows, now.cols), .map = now.map);
}

/* ---- mathematics
 * --------------------------------------------------------------------------------------------------- */

XT_KERNEL(mathematics, u64(A), u64(R))
{
    xt_vec v = XT_LOAD_TILE(result(XT_SELF, A, now.t.type, 0, 1));
    for (int op = 0; op < XT_MATH_COUNT_; op++) {
        xt_any_ given[3] = {XT_ANY_(v), op == XT_MATH_POW_ ? XT_ANY_(1.5) : XT_ANY_(v), XT_ANY_(-0.75)};
        XT_STORE_TILE(xt_math_vec_(XT_HERE_, op, given), result(XT_SELF, R, now.t.type, op, XT_MATH_COUNT_));
    }
}

static double math_reference(int op, double v)
{
    switch (op) {
    case XT_MATH_EXP_: return exp(v);
    case XT_MATH_EXP2_: case XT_MATH_NATIVE_EXP2_: return exp2(v);
    case XT_MATH_LOG_: return log(v);
    case XT_MATH_LOG2_: return log2(v);
    case XT_MATH_SQRT_: return sqrt(v);
    case XT_MATH_RSQRT_: return 1 / sqrt(v);
    case XT_MATH_TANH_: return tanh(v);
    case XT_MATH_SIN_: return sin(v);
    case XT_MATH_COS_: return cos(v);
    case XT_MATH_ERF_: return erf(v);
    case XT_MATH_ABS_: return fabs(v);
    case XT_MATH_CEIL_: return ceil(v);
    case XT_MATH_FLOOR_: return floor(v);
    case XT_MATH_ROUND_: return round(v);
    case XT_MATH_TRUNC_: return trunc(v);
    case XT_MATH_POW_: return pow(v, 1.5);
    default: return v * v - 0.75;
    }
}

static const char *const math_names[] = {
#define NAME(name, operands, instruction) #name,
    XT_MATH_(NAME)
#undef NAME
};

/* OpenCL allows up to 16 units in the last place of f32 (pow, erf); near a zero of log, sin and v v - 0.75 an error of
 * the argument's rounding counts, absolute. */
static void check_mathematics(const char *name)
{
    size_t n = (size_t)(now.rows * now.cols);
    void *a = new_matrix(now.t.type, n), *r = new_poison(now.t.type, n * XT_MATH_COUNT_);
    for (size_t i = 0; i < n; i++) put(now.t.type, a, i, fabs(get(now.t.type, a, i)) + 0.0625);
    bool ran = RUN_KERNEL(mathematics, &variants[0], ONE_GROUP, ADDRESS(a), ADDRESS(r));
    for (int op = 0; ran && op < XT_MATH_COUNT_; op++) {
        int wrong = 0;
        for (size_t i = 0; i < n; i++) {
            double want = math_reference(op, get(now.t.type, a, i)), got = get(now.t.type, r, n * (size_t)op + i);
            double u = half_ulp(now.t.type);
            wrong += !(fabs(got - want) <= 32 * u * fabs(want) + 2 * u);
        }
        CHECK_MSG(wrong == 0, "%s %s: %d wrong", name, math_names[op], wrong);
    }
    zed_free(&device, a);
    zed_free(&device, r);
}

TEST(mathematics_of_floats)
{
    static const int types[] = {CM_F32, CM_F16, CM_BF16, CM_F64};
    for (size_t i = 0; i < 4; i++) {
        if (!has_type(types[i])) continue;
        memset(&now, 0, sizeof now);
        now.t.type = types[i];
        now.rows = 4;
        now.cols = 16;
        if (i == 0) now.map = XT_MAP(.sg_layout = {2, 1}, .sg_data = {2, 16});
        check_mathematics(cm_type_info((cm_type)types[i])->name);
    }
}

/* ---- arithmetic, bits, comparison, select
 * -------------------------------------------------------------------------- */

/* Every operation with a vector on both sides, with a number on the right, on the left: all three for f32, for the
 * other types one by turns. */
static bool has_form(int op, int form) { return now.t.type == CM_F32 || form == op % 3; }

XT_KERNEL(binary, u64(A), u64(B), u64(R), u64(Q))
{
    xt_vec a = XT_LOAD_TILE(result(XT_SELF, A, now.t.type, 0, 1)),
           b = XT_LOAD_TILE(result(XT_SELF, B, now.t.type, 0, 1));
    for (int op = 0; op < SPE_ARITH_COUNT; op++) {
        bool bits = op == SPE_ARITH_AND || op == SPE_ARITH_OR || op == SPE_ARITH_XOR;
        bool whole = bits || op == SPE_ARITH_REM || op == SPE_ARITH_SHL || op == SPE_ARITH_SHR;
        if (whole && is_float(now.t.type)) continue;
        for (int i = 0; i < 3; i++) {
            if (!has_form(op, i)) continue;
            xt_any_ given[2] = {i == 2 ? XT_ANY_(3) : XT_ANY_(a), i == 1 ? XT_ANY_(3) : XT_ANY_(b)};
            xt_vec r = xt_binary_vec_(XT_HERE_, op, given);
            if (op >= SPE_ARITH_EQ) {
                XT_STORE_TILE(r, result(XT_SELF, Q, XT_BOOL_, 3 * op + i, 3 * SPE_ARITH_COUNT));
                XT_STORE_TILE(XT_SELECT(r, a, i ? XT_SPLAT(of(now.t), now.rows, now.cols, 5, .map = now.map) : b),
                              result(XT_SELF, R, now.t.type, 3 * op + i, 3 * SPE_ARITH_COUNT));
            } else {
                XT_STORE_TILE(r, result(XT_SELF, R, now.t.type, 3 * op + i, 3 * SPE_ARITH_COUNT));
            }
        }
    }
}

static double binary_reference(int op, double a, double b)
{
    int64_t p = (int64_t)a, q = (int64_t)b;
    switch (op) {
    case SPE_ARITH_ADD: return a + b;
    case SPE_ARITH_SUB: return a - b;
    case SPE_ARITH_MUL: return a * b;
    case SPE_ARITH_DIV: return is_float(now.t.type) ? a / b : trunc(a / b);
    case SPE_ARITH_MIN: return a < b ? a : b;
    case SPE_ARITH_MAX: return a < b ? b : a;
    case SPE_ARITH_REM: return (double)(p % q);
    case SPE_ARITH_AND: return (double)(p & q);
    case SPE_ARITH_OR: return (double)(p | q);
    case SPE_ARITH_XOR: return (double)(p ^ q);
    case SPE_ARITH_SHL: return (double)(p * ((int64_t)1 << q));
    case SPE_ARITH_SHR: return (double)(p >> q);
    case SPE_ARITH_EQ: return a == b;
    case SPE_ARITH_NE: return a != b;
    case SPE_ARITH_LT: return a < b;
    case SPE_ARITH_LE: return a <= b;
    case SPE_ARITH_GT: return a > b;
    default: return a >= b;
    }
}

static double truncated(double v)
{
    double range = exp2((double)(8 * size_of(now.t.type)));
    if (is_float(now.t.type) || size_of(now.t.type) == 8) return v;
    v = fmod(v, range);
    if (v < 0) v += range;
    return is_signed(now.t.type) && v >= range / 2 ? v - range : v;
}

static void check_binary(void)
{
    size_t n = (size_t)(now.rows * now.cols), all = n * 3 * SPE_ARITH_COUNT;
    void *a = new_matrix(now.t.type, n), *b = new_matrix(now.t.type, n), *r = new_poison(now.t.type, all);
    unsigned char *q = (unsigned char *)new_poison(XT_BOOL_, all);
    for (size_t i = 0; i < n; i++) {
        if (!is_float(now.t.type)) put(now.t.type, b, i, (double)(1 + test_random() % 6)); /* shifts, divisors */
        if (i % 5 == 0) put(now.t.type, a, i, get(now.t.type, b, i));
        if (i % 7 == 0) put(now.t.type, a, i, 3);
    }
    bool ran = RUN_KERNEL(binary, &variants[0], ONE_GROUP, ADDRESS(a), ADDRESS(b), ADDRESS(r), ADDRESS(q));
    for (int k = 0; ran && k < 3 * SPE_ARITH_COUNT; k++) {
        int op = k / 3, wrong = 0;
        bool whole = op >= SPE_ARITH_REM && op <= SPE_ARITH_SHR;
        if ((whole && is_float(now.t.type)) || !has_form(op, k % 3)) continue;
        for (size_t i = 0; i < n; i++) {
            double x = k % 3 == 2 ? 3 : get(now.t.type, a, i), y = k % 3 == 1 ? 3 : get(now.t.type, b, i);
            double want = truncated(binary_reference(op, x, y)), got = get(now.t.type, r, n * (size_t)k + i);
            if (op >= SPE_ARITH_EQ) {
                wrong += q[n * (size_t)k + i] != (want != 0);
                want = want != 0 ? get(now.t.type, a, i) : k % 3 ? 5 : get(now.t.type, b, i);
            }
            /* rounded once; division of f32 by at most 2.5 units, a unit of the 16-bit types */
            wrong += !(fabs(got - want) <= (op == SPE_ARITH_DIV ? 6 : 1) * half_ulp(now.t.type) * fabs(want));
        }
        CHECK_MSG(wrong == 0, "operation %d (spe_arith_op) of %s, form %d: %d wrong", op,
                  cm_type_info((cm_type)now.t.type)->name, k % 3, wrong);
    }
    zed_free(&device, a);
    zed_free(&device, b);
    zed_free(&device, r);
    zed_free(&device, q);
}

TEST(arithmetic_and_comparison)
{
    static const int types[] = {CM_F32, CM_F16, CM_BF16, CM_I32, CM_U32, CM_I8, CM_I64};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        memset(&now, 0, sizeof now);
        now.t.type = types[i];
        now.rows = i == 1 ? 3 : 2;
        now.cols = i == 1 ? 13 : 32;
        if (i & 1) now.map = XT_MAP(.sg_layout = {1, 2}, .sg_data = {now.rows, i == 1 ? 13 : 16});
        check_binary();
    }
}

XT_KERNEL(logic, ptr(u8, A), ptr(u8, B), ptr(u8, R), ptr(f32, F))
{
    xt_tile ta = XT_INIT_TILE(A, i1, 4, 16, .shape = XT_AT(4, 16)),
            tb = XT_INIT_TILE(B, i1, 4, 16, .shape = XT_AT(4, 16));
    xt_vec a = XT_LOAD_TILE(ta), b = XT_LOAD_TILE(tb);
    xt_vec r[] = {XT_AND(a, b), XT_OR(a, b), XT_XOR(a, b), XT_EQ(a, b), XT_NE(a, b), XT_NOT(a), XT_OR(a, 1)};
    for (int i = 0; i < 7; i++)
        XT_STORE_TILE(r[i], XT_INIT_TILE(R, i1, 4, 16, .offset = XT_AT(4 * i, 0), .shape = XT_AT(28, 16)));
    XT_STORE_TILE(XT_SELECT(a, XT_SPLAT(f32, 4, 16, 2), -1.5), XT_INIT_TILE(F, f32, 4, 16, .shape = XT_AT(4, 16)));
}

TEST(conditions)
{
    uint8_t *a = (uint8_t *)new_matrix(XT_BOOL_, 64), *b = (uint8_t *)new_matrix(XT_BOOL_, 64);
    uint8_t *r = (uint8_t *)new_poison(XT_BOOL_, 64 * 7);
    float *f = (float *)new_poison(CM_F32, 64);
    int wrong = 0;
    if (RUN_KERNEL(logic, &variants[0], ONE_GROUP, ZED_ARG(a), ZED_ARG(b), ZED_ARG(r), ZED_ARG(f)))
        for (int i = 0; i < 64; i++) {
            int p = a[i], q = b[i], want[] = {p & q, p | q, p ^ q, p == q, p != q, !p, 1};
            for (int k = 0; k < 7; k++) wrong += r[64 * k + i] != want[k];
            wrong += f[i] != (p ? 2.0f : -1.5f);
        }
    CHECK_INT(wrong, 0);
    zed_free(&device, a);
    zed_free(&device, b);
    zed_free(&device, r);
    zed_free(&device, f);
}

/* ---- casts
 * ----------------------------------------------------------------------------------------------------------- */

static const int cast_types[] = {CM_F64, CM_F32, CM_TF32, CM_F16, CM_BF16, CM_I64, CM_I32, CM_I16,
                                 CM_I8,  CM_U8,  CM_U16,  CM_U32, CM_U64,  XT_BOOL_};
enum { CASTS = sizeof cast_types / sizeof cast_types[0] };

/* One type to all others, at work-group level where the type's number is odd. Each result has room for 64-bit
 * elements. */
XT_KERNEL(casts, u64(A), u64(R))
{
    xt_vec v = XT_LOAD_TILE(result(XT_SELF, A, now.t.type, 0, 1));
    for (int i = 0; i < CASTS; i++) {
        chosen to = {cast_types[i]};
        if (!has_type(to.type)) continue;
        XT_STORE_TILE(XT_CAST(of(to), v), result(XT_SELF, XT_ADD(R, 32 * 8 * i), to.type, 0, 1));
    }
}

static double cast_reference(int from, int to, double v)
{
    double bits = (double)(8 * size_of(to)), range = exp2(bits);
    if (to == XT_BOOL_) return v != 0;
    if (is_float(to)) return round_to(to, v);
    v = trunc(v);
    if (is_float(from) || bits == 64) return v; /* in range */
    v = fmod(v, range);
    if (v < 0) v += range;
    return is_signed(to) && v >= range / 2 ? v - range : v;
}

TEST(every_cast)
{
    for (int from = 0; from < CASTS; from++) {
        if (!has_type(cast_types[from])) continue;
        memset(&now, 0, sizeof now);
        now.t.type = cast_types[from];
        now.rows = 2;
        now.cols = 16;
        if (from & 1) now.map = XT_MAP(.sg_layout = {2, 1}, .sg_data = {1, 16});
        void *a = new_matrix(now.t.type, 32);
        uint64_t *r = (uint64_t *)new_poison(CM_U64, 32 * CASTS);
        for (size_t i = 0; i < 32 && is_float(now.t.type); i++) /* what every type holds, and fractions */
            put(now.t.type, a, i, fabs(get(now.t.type, a, i)) * 20);
        if (RUN_KERNEL(casts, &variants[0], ONE_GROUP, ADDRESS(a), ADDRESS(r)))
            for (int to = 0; to < CASTS; to++) {
                int wrong = 0;
                if (!has_type(cast_types[to])) continue;
                for (size_t i = 0; i < 32; i++) /* a double has 53 bits: 64-bit ones are compared as signed */
                    wrong += get(cast_types[to] == CM_U64 ? CM_I64 : cast_types[to], r + 32 * to, i) !=
                             cast_reference(now.t.type, cast_types[to], get(now.t.type, a, i));
                CHECK_MSG(wrong == 0, "%s to %s: %d wrong", type_name(now.t.type), type_name(cast_types[to]),
                          wrong);
            }
        zed_free(&device, a);
        zed_free(&device, r);
    }
}

/* ---- iota, bitcast, numbers
 * ---------------------------------------------------------------------------------------- */

/* A causal mask: elements right of the diagonal are -1. */
XT_KERNEL(causal, u64(A), u64(R))
{
    xt_vec v = XT_LOAD_TILE(result(XT_SELF, A, CM_F32, 0, 1));
    xt_vec i = XT_IOTA(i32, now.rows, now.cols, 0, .map = now.map),
           j = XT_IOTA(i32, now.rows, now.cols, 1, .map = now.map);
    XT_STORE_TILE(XT_SELECT(XT_LE(j, i), v, -1), result(XT_SELF, R, CM_F32, 0, 2));
    chosen t = now.to;
    xt_vec k = XT_ADD(XT_MUL(XT_IOTA(of(t), now.rows, now.cols, 0, .map = now.map), 3),
                      XT_IOTA(of(t), now.rows, now.cols, 1, .map = now.map));
    XT_STORE_TILE(XT_CAST(f32, k), result(XT_SELF, R, CM_F32, 1, 2));
}

TEST(positions)
{
    static const struct {
        int type, rows, cols;
        xt_map map;
    } cases[] = {{CM_I16, 20, 24, {{0}, {0}}}, {CM_F16, 32, 32, {{2, 2}, {8, 8}}}, {CM_BF16, 8, 48, {{1, 4}, {8, 12}}},
                 {CM_U64, 7, 5, {{0}, {0}}}};
    for (size_t n = 0; n < 4; n++) {
        memset(&now, 0, sizeof now);
        now.to.type = cases[n].type;
        now.rows = cases[n].rows;
        now.cols = cases[n].cols;
        now.map = cases[n].map;
        int size = now.rows * now.cols, wrong = 0;
        float *a = (float *)new_matrix(CM_F32, (size_t)size), *r = (float *)new_poison(CM_F32, (size_t)size * 2);
        if (RUN_KERNEL(causal, &variants[0], ONE_GROUP, ADDRESS(a), ADDRESS(r)))
            for (int k = 0; k < size; k++) {
                int i = k / now.cols, j = k % now.cols;
                wrong += r[k] != (j <= i ? a[k] : -1);
                wrong += r[size + k] != 3 * i + j;
            }
        CHECK_MSG(wrong == 0, "case %d: %d wrong", (int)n, wrong);
        zed_free(&device, a);
        zed_free(&device, r);
    }
}

/* To the 8-bit floats, saturating or not: every f16 and bf16, and f32 of random bits and around the largest numbers. */
enum { EVERY = 65536, PIECE = 256 };
XT_KERNEL(eight_bits, u64(A), u64(R))
{
    xt_index at = XT_AT(0, XT_MUL(XT_GROUP_ID(0), PIECE)), all = XT_AT(4, EVERY);
    xt_vec v = XT_LOAD_TILE(XT_INIT_TILE(A, of(now.t), 1, PIECE, .offset = at, .shape = XT_AT(1, EVERY)));
    xt_vec casts[] = {XT_CAST(e4m3, v), XT_CAST(e4m3, v, .saturate = false), XT_CAST(e5m2, v),
                      XT_CAST(e5m2, v, .saturate = false)};
    for (int i = 0; i < 4; i++) {
        at.at[0] = spe_val_int(i);
        XT_STORE_TILE(casts[i], XT_INIT_TILE(R, of(casts[i]), 1, PIECE, .offset = at, .shape = all));
    }
}

static double magnitudes[2][128]; /* of e5m2, e4m3; behind the largest is what would follow it */

static void list_magnitudes(void)
{
    for (int i = 0; i < 128; i++) {
        const uint8_t byte = (uint8_t)i;
        magnitudes[0][i] = get(CM_E5M2, &byte, 0);
        magnitudes[1][i] = get(CM_E4M3, &byte, 0);
    }
    magnitudes[0][0x7c] = 65536;
    magnitudes[1][0x7f] = 480;
}

/* The search of all magnitudes, independent of the library's conversions: the nearest, of two the even one. */
static uint8_t eight_bits_of(double v, bool e4m3, bool saturate)
{
    int largest = e4m3 ? 0x7e : 0x7b, best = 0, sign = signbit(v) ? 0x80 : 0;
    double size = fmin(fabs(v), 1e6), least = INFINITY;
    if (isnan(v)) return 0x7f;
    for (int i = 0; i <= largest + 1; i++) {
        double error = fabs(magnitudes[e4m3][i] - size);
        if (error < least || (error <= least && i % 2 == 0)) least = error, best = i;
    }
    if (best > largest) best = saturate ? largest : e4m3 ? 0x7f : 0x7c;
    return (uint8_t)(best | sign);
}

TEST(every_cast_to_eight_bits)
{
    static const cm_type types[] = {CM_F16, CM_BF16, CM_F32};
    list_magnitudes();
    for (int t = 0; t < 3; t++) {
        size_t size = size_of(types[t]);
        uint8_t *a = zed_alloc(&device, ZED_SHARED, EVERY * size, 0), *r = new_poison(CM_U8, 4 * EVERY);
        int wrong = 0;
        now.t.type = types[t];
        for (uint32_t i = 0; i < EVERY; i++) {
            static const float around[] = {448, 464, 57344, 61440};
            uint32_t bits = types[t] == CM_F32 ? (uint32_t)test_random() : i;
            if (types[t] == CM_F32 && i % 4 == 0) { /* a few units in the last place */
                memcpy(&bits, &around[i / 4 % 4], 4);
                bits += (uint32_t)(test_random() % 9) - 4 + (i & 16 ? 0x80000000u : 0);
            }
            memcpy(a + i * size, &bits, size);
        }
        RUN_KERNEL(eight_bits, &variants[0], ((zed_groups){EVERY / PIECE, 1, 1}), ADDRESS(a), ADDRESS(r));
        for (size_t i = 0; i < 4 * EVERY; i++) {
            double v = get(types[t], a, i % EVERY);
            uint8_t want = eight_bits_of(v, i < 2 * EVERY, i / EVERY % 2 == 0), got = r[i];
            bool nan = i < 2 * EVERY ? (got & 0x7f) == 0x7f : (got & 0x7f) > 0x7c;
            if (((want & 0x7f) == 0x7f ? !nan : got != want) && wrong++ == 0)
                test_fail(__FILE__, __LINE__, "%s %.9g, cast %zu: 0x%x, want 0x%x", cm_type_info(types[t])->name, v,
                          i / EVERY, got, want);
        }
        CHECK_MSG(wrong == 0, "%s: %d are wrong", cm_type_info(types[t])->name, wrong);
        zed_free(&device, a);
        zed_free(&device, r);
    }
}

XT_KERNEL(scalars, ptr(f32, R), f32(V), i32(N))
{
    xt_val r[] = {XT_EXP(V),
                  XT_SQRT(V),
                  XT_ABS(XT_SUB(0, V)),
                  XT_POW(V, 2.5),
                  XT_FMA(V, V, 1),
                  XT_FLOOR(V),
                  XT_CAST(f32, XT_ABS(N)),
                  XT_BITCAST(f32, XT_BITCAST(i32, V)),
                  XT_SELECT(XT_LT(V, 1), V, 7),
                  XT_RSQRT(4)};
    for (int i = 0; i < 10; i++)
        XT_STORE_TILE(XT_SPLAT(f32, 1, 1, r[i]),
                      XT_INIT_TILE(R, f32, 1, 1, .offset = XT_AT(0, i), .shape = XT_AT(1, 10)));
}

TEST(functions_of_numbers)
{
    float *r = (float *)new_poison(CM_F32, 10), v = 1.75f;
    double want[] = {exp(1.75), sqrt(1.75), 1.75, pow(1.75, 2.5), 1.75 * 1.75 + 1, 1, 12, 1.75, 7, 0.5};
    if (RUN_KERNEL(scalars, &variants[0], ONE_GROUP, ZED_ARG(r), ZED_ARG(v), ZED_ARG(-12)))
        for (int i = 0; i < 10; i++)
            CHECK_MSG(fabs(r[i] - want[i]) <= 0x1p-20 * want[i], "%d: %g, want %g", i, r[i], want[i]);
    zed_free(&device, r);
}

int main(void)
{
    if (!zed_open(&device, &(zed_options){0})) {
        zed_print_error(&device, stderr);
        return 1;
    }
    RUN(mathematics_of_floats);
    RUN(arithmetic_and_comparison);
    RUN(conditions);
    RUN(every_cast);
    RUN(every_cast_to_eight_bits);
    RUN(positions);
    RUN(functions_of_numbers);
    zed_close(&device);
    return test_report();
}
