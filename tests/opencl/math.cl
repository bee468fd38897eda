/* OpenCL.std: mathematical functions on half, float and double. A plane of arguments and one of results per function.
 * build: plain */
#ifndef INDEX
#define INDEX get_global_id(0)
#define LOCAL_INDEX get_local_id(0)
#define ITEMS get_global_size(0)
#endif
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#include "math_functions.h"

#define divide(x, y) ((x) / (y))
#define plus(x, y) ((x) + (y))
#define minus(x, y) ((x) - (y))
#define times(x, y) ((x) * (y))
#define clamp_between(x, y, z) clamp(x, fmin(y, z), fmax(y, z))

#define NAME(name, reference, ulp, half_ulp, domain) U_##name,
enum { UNARY_FUNCTIONS(NAME) FLOAT_FUNCTIONS(NAME) UNARY_END };
#define NAME2(name, reference, ulp, half_ulp, domain) B_##name,
enum { BINARY_FUNCTIONS(NAME2) BINARY_END };
#define NAME3(name, reference, ulp, half_ulp, domain) T_##name,
enum { TERNARY_FUNCTIONS(NAME3) TERNARY_END };
#define NAME4(name, reference, ulp, half_ulp, domain) I_##name,
enum { INTEGER_FUNCTIONS(NAME4) INTEGER_END };

#define UNARY(name, reference, ulp, half_ulp, domain) r[U_##name * count + i] = name(a[U_##name * count + i]);
#define BINARY(name, reference, ulp, half_ulp, domain)                                                                 \
    r[B_##name * count + i] = name(a[B_##name * count + i], b[B_##name * count + i]);
#define TERNARY(name, reference, ulp, half_ulp, domain)                                                                \
    r[T_##name * count + i] = name(a[T_##name * count + i], b[T_##name * count + i], c[T_##name * count + i]);
#define INTEGER(name, reference, ulp, half_ulp, domain)                                                                \
    r[I_##name * count + i] = name(a[I_##name * count + i], n[I_##name * count + i]);

#define KERNELS(T)                                                                                                     \
    __kernel void unary_##T(__global const T *a, __global T *r, uint count)                                            \
    {                                                                                                                  \
        size_t i = INDEX;                                                                                   \
        UNARY_FUNCTIONS(UNARY)                                                                                         \
    }                                                                                                                  \
    __kernel void binary_##T(__global const T *a, __global const T *b, __global T *r, uint count)                      \
    {                                                                                                                  \
        size_t i = INDEX;                                                                                   \
        BINARY_FUNCTIONS(BINARY)                                                                                       \
    }                                                                                                                  \
    __kernel void ternary_##T(__global const T *a, __global const T *b, __global const T *c, __global T *r, uint count) \
    {                                                                                                                  \
        size_t i = INDEX;                                                                                   \
        TERNARY_FUNCTIONS(TERNARY)                                                                                     \
    }                                                                                                                  \
    __kernel void integer_##T(__global const T *a, __global const int *n, __global T *r, uint count)                   \
    {                                                                                                                  \
        size_t i = INDEX;                                                                                   \
        INTEGER_FUNCTIONS(INTEGER)                                                                                     \
    }                                                                                                                  \
    /* two results each */                                                                                             \
    __kernel void parts_##T(__global const T *a, __global const T *b, __global T *r, __global int *n, uint count)      \
    {                                                                                                                  \
        size_t i = INDEX;                                                                                   \
        T x = a[i], y = b[i], t;                                                                                       \
        int e;                                                                                                         \
        r[i] = fract(x, &t);                                                                                           \
        r[count + i] = t;                                                                                              \
        r[2 * count + i] = modf(x, &t);                                                                                \
        r[3 * count + i] = t;                                                                                          \
        r[4 * count + i] = sincos(y, &t);                                                                              \
        r[5 * count + i] = t;                                                                                          \
        r[6 * count + i] = frexp(x, &e);                                                                               \
        n[i] = e;                                                                                                      \
        r[7 * count + i] = lgamma_r(y, &e);                                                                            \
        n[count + i] = e;                                                                                              \
        r[8 * count + i] = remquo(x, y, &e);                                                                           \
        n[2 * count + i] = e;                                                                                          \
        n[3 * count + i] = ilogb(x);                                                                                   \
        r[9 * count + i] = nextafter(x, y);                                                                            \
        r[10 * count + i] = lgamma(y);                                                                                 \
        r[11 * count + i] = smoothstep(fmin(x, y), fmax(x, y), (x + y) / (T)3);                                        \
    }
KERNELS(float)
KERNELS(double)
KERNELS(half)

__kernel void float_only(__global const float *a, __global float *r, uint count)
{
    size_t i = INDEX;
    FLOAT_FUNCTIONS(UNARY)
}

/* Vectors, and pointers of the three kinds of memory for second results. */
__kernel void vectors(__global const float *a, __global float *r, __global int *n, __global const double *d, __global double *s,
                      __local float *scratch)
{
    size_t i = INDEX, l = LOCAL_INDEX;
    float3 x = vload3(i, a);
    vstore3(exp2(x), i, r);
    r += 3 * ITEMS;
    vstore4(fract(vload4(i, a), (__global float4 *)r + i), i, r + 4 * ITEMS);
    r += 8 * ITEMS;
    vstore2(modf(vload2(i, a), (__local float2 *)scratch + l), i, r);
    r += 2 * ITEMS;
    vstore2(*((__local float2 *)scratch + l), i, r);
    r += 2 * ITEMS;
    vstore8(fmax(vload8(i, a), 0.25f), i, r);
    r += 8 * ITEMS;
    vstore16(ldexp(vload16(i, a), 3), i, r);
    int2 e;
    vstore2(frexp(vload2(i, d), &e), i, s);
    vstore2(e, i, n);
    vstore4(pown(vload4(i, d), (int4)(0, 1, -2, 3)), i, s + 2 * ITEMS);
}
