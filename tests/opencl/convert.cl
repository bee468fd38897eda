/* Conversions between all types, with every rounding and saturating. A kernel for each source type; the results of one
 * kind of conversion stand behind one another, 8 bytes each. build: plain */
#ifndef INDEX
#define INDEX get_global_id(0)
#define ITEMS get_global_size(0)
#endif
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define PUT(T, v)                                                                                                     \
    *(__global T *)at = (v);                                                                                          \
    at += step
#define START                                                                                                         \
    size_t i = INDEX;                                                                                      \
    __global uchar *at = (__global uchar *)(r + i);                                                                   \
    size_t step = 8 * ITEMS;

#define INTEGERS(X, v) X(char, v) X(uchar, v) X(short, v) X(ushort, v) X(int, v) X(uint, v) X(long, v) X(ulong, v)
#define PLAIN(T, v) PUT(T, convert_##T(v));
#define SATURATE(T, v) PUT(T, convert_##T##_sat(v));
#define ROUND(T, v)                                                                                                   \
    PUT(T, convert_##T##_rte(v));                                                                                     \
    PUT(T, convert_##T##_rtz(v));                                                                                     \
    PUT(T, convert_##T##_rtp(v));                                                                                     \
    PUT(T, convert_##T##_rtn(v));
#define ROUND_SATURATE(T, v)                                                                                          \
    PUT(T, convert_##T##_sat_rte(v));                                                                                 \
    PUT(T, convert_##T##_sat_rtz(v));                                                                                 \
    PUT(T, convert_##T##_sat_rtp(v));                                                                                 \
    PUT(T, convert_##T##_sat_rtn(v));

#define FROM_INTEGER(S)                                                                                               \
    __kernel void from_##S(__global const S *a, __global ulong *r)                                                    \
    {                                                                                                                 \
        START S v = a[i];                                                                                             \
        INTEGERS(PLAIN, v)                                                                                            \
        INTEGERS(SATURATE, v)                                                                                         \
        PLAIN(half, v) PLAIN(float, v) PLAIN(double, v)                                                               \
        ROUND(half, v) ROUND(float, v) ROUND(double, v)                                                               \
    }
FROM_INTEGER(char)
FROM_INTEGER(uchar)
FROM_INTEGER(short)
FROM_INTEGER(ushort)
FROM_INTEGER(int)
FROM_INTEGER(uint)
FROM_INTEGER(long)
FROM_INTEGER(ulong)

#define FROM_REAL(S)                                                                                                  \
    __kernel void from_##S(__global const S *a, __global ulong *r)                                                    \
    {                                                                                                                 \
        START S v = a[i];                                                                                             \
        INTEGERS(PLAIN, v)                                                                                            \
        INTEGERS(SATURATE, v)                                                                                         \
        PLAIN(half, v) PLAIN(float, v) PLAIN(double, v)                                                               \
        ROUND(half, v) ROUND(float, v) ROUND(double, v)                                                               \
        INTEGERS(ROUND, v)                                                                                            \
    }                                                                                                                 \
    __kernel void saturate_##S(__global const S *a, __global ulong *r)                                                \
    {                                                                                                                 \
        START S v = a[i];                                                                                             \
        INTEGERS(ROUND_SATURATE, v)                                                                                   \
    }
FROM_REAL(half)
FROM_REAL(float)
FROM_REAL(double)

/* Vectors: the same instructions on every component. */
__kernel void vectors(__global const float *a, __global uchar *b, __global short *s, __global half *h, __global double *d, __global int *l)
{
    size_t i = INDEX;
    vstore16(convert_uchar16_sat_rte(vload16(i, a)), i, b);
    vstore3(convert_short3_sat(vload3(i, a)), i, s);
    vstore8(convert_half8_rtz(vload8(i, a)), i, h);
    vstore2(convert_double2(vload2(i, a)), i, d);
    vstore4(convert_int4_rtp(vload4(i, a)), i, l);
}
