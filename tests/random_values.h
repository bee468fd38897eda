/* random_values.h - for tests that run random programs and compare each value with what an interpreter on the host
 * computes.
 *
 * Integers must be exact. With each floating value the interpreter carries a bound of its error: half a unit in the
 * last place for each rounding, and what the operands' errors become. A value whose bound is infinite, because it
 * depends on the order of nearly equal numbers or left its type's range, is not compared; few may be. */
#ifndef TEST_RANDOM_VALUES_H
#define TEST_RANDOM_VALUES_H

#include "numbers.h"
#include "random_choices.h"

typedef struct {
    double v, error; /* error: at most this; INFINITY: not compared */
} value;

TEST_UNUSED_ static int bits_of(int type) { return 8 * (int)size_of(type); }

/* An integer modulo the type's range; a float with one more rounding, of `units` units in the last place. */
TEST_UNUSED_ static value rounded(int type, double v, double error, double units)
{
    value r = {v, error};
    if (is_float(type)) {
        double largest = type == CM_F16 ? 60000 : 1e30, least = type == CM_F16 ? 0x1p-24 : 1e-37;
        if (type == CM_F64) units *= 2; /* the interpreter rounds too */
        r.error += 1.001 * units * (half_ulp(type) * (fabs(v) + error) + least);
        if (!(fabs(v) + r.error < largest)) r.error = INFINITY, r.v = 0;
        return r;
    }
    if (!(error == 0) || !(fabs(v) < 0x1p62)) return (value){0, INFINITY};
    uint64_t low = (uint64_t)(int64_t)v & (bits_of(type) == 64 ? UINT64_MAX : (UINT64_C(1) << bits_of(type)) - 1);
    if (is_signed(type) && (low >> (bits_of(type) - 1))) low |= ~UINT64_C(0) << (bits_of(type) - 1);
    r.v = is_signed(type) ? (double)(int64_t)low : (double)low;
    return r;
}

TEST_UNUSED_ static value of_integers(int op, int type, value x, value y)
{
    int64_t a = (int64_t)x.v, b = (int64_t)y.v, r = 0;
    if (x.error > 0 || y.error > 0) return (value){0, INFINITY};
    switch (op) {
    case SPE_ARITH_ADD: r = a + b; break;
    case SPE_ARITH_SUB: r = a - b; break;
    case SPE_ARITH_MUL: /* exact modulo 2^32, as a double would not be */
        r = (int64_t)(uint32_t)((uint64_t)a * (uint64_t)b);
        break;
    case SPE_ARITH_DIV: r = a / b; break;
    case SPE_ARITH_REM: r = a % b; break;
    case SPE_ARITH_MIN: r = a < b ? a : b; break;
    case SPE_ARITH_MAX: r = a > b ? a : b; break;
    case SPE_ARITH_AND: r = a & b; break;
    case SPE_ARITH_OR: r = a | b; break;
    case SPE_ARITH_XOR: r = a ^ b; break;
    case SPE_ARITH_SHL: r = (int64_t)(uint32_t)((uint64_t)a << b); break;
    case SPE_ARITH_SHR: r = a >> b; break;
    }
    return rounded(type, (double)r, 0, 0);
}

TEST_UNUSED_ static value combined(int op, int type, value x, value y)
{
    if (!is_float(type)) return of_integers(op, type, x, y);
    switch (op) {
    case SPE_ARITH_ADD: return rounded(type, x.v + y.v, x.error + y.error, 1);
    case SPE_ARITH_SUB: return rounded(type, x.v - y.v, x.error + y.error, 1);
    case SPE_ARITH_MUL:
        return rounded(type, x.v * y.v, fabs(x.v) * y.error + fabs(y.v) * x.error + x.error * y.error, 1);
    case SPE_ARITH_MIN: return (value){fmin(x.v, y.v), fmax(x.error, y.error)};
    default: return (value){fmax(x.v, y.v), fmax(x.error, y.error)};
    }
}

TEST_UNUSED_ static bool holds(int op, double a, double b)
{
    switch (op) {
    case SPE_ARITH_EQ: return a == b;
    case SPE_ARITH_NE: return a != b;
    case SPE_ARITH_LT: return a < b;
    case SPE_ARITH_LE: return a <= b;
    case SPE_ARITH_GT: return a > b;
    default: return a >= b;
    }
}

TEST_UNUSED_ static value fma_of(int type, value x, value y, value z)
{
    double error = fabs(x.v) * y.error + fabs(y.v) * x.error + x.error * y.error;
    if (!is_float(type)) return of_integers(SPE_ARITH_ADD, type, of_integers(SPE_ARITH_MUL, type, x, y), z);
    return rounded(type, x.v * y.v + z.v, error + z.error + half_ulp(type) * fabs(x.v * y.v), 1);
}

#endif
