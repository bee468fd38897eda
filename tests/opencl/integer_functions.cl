/* The integer functions of OpenCL C, in planes like integer.cl. build: plain */
#ifndef INDEX
#define INDEX get_global_id(0)
#endif
#include "planes.h"

#define LOAD(T, N, V)                                                                                                 \
    size_t i = INDEX;                                                                                      \
    V x = vload##N(i, a), y = vload##N(i, b), z = vload##N(i, c)
#define PARAMETERS(T) (__global const T *a, __global const T *b, __global const T *c, __global T *r, uint count)

#define SCALAR(T)                                                                                                     \
    __kernel void fun_##T PARAMETERS(T)                                                                               \
    {                                                                                                                 \
        LOAD(T, 1, T);                                                                                                \
        PUT(1, 0, as_##T(abs(x)));                                                                                    \
        PUT(1, 1, as_##T(abs_diff(x, y)));                                                                            \
        PUT(1, 2, add_sat(x, y));                                                                                     \
        PUT(1, 3, sub_sat(x, y));                                                                                     \
        PUT(1, 4, hadd(x, y));                                                                                        \
        PUT(1, 5, rhadd(x, y));                                                                                       \
        PUT(1, 6, clamp(x, min(y, z), max(y, z)));                                                                    \
        PUT(1, 7, clz(x));                                                                                            \
        PUT(1, 8, ctz(x));                                                                                            \
        PUT(1, 9, mad_hi(x, y, z));                                                                                   \
        PUT(1, 10, mad_sat(x, y, z));                                                                                 \
        PUT(1, 11, mul_hi(x, y));                                                                                     \
        PUT(1, 12, rotate(x, y));                                                                                     \
        PUT(1, 13, popcount(x));                                                                                      \
        PUT(1, 14, mad_sat((T)(x & 7), (T)(y >> 4), z));                                                              \
    }
#define VECTOR(T, N)                                                                                                  \
    __kernel void fun_##T##N PARAMETERS(T)                                                                            \
    {                                                                                                                 \
        LOAD(T, N, T##N);                                                                                             \
        PUT(N, 2, add_sat(x, y));                                                                                     \
        PUT(N, 6, clamp(x, min(y, z), max(y, z)));                                                                    \
        PUT(N, 12, rotate(x, y));                                                                                     \
    }

SCALAR(char) SCALAR(uchar) SCALAR(short) SCALAR(ushort) SCALAR(int) SCALAR(uint) SCALAR(long) SCALAR(ulong)
VECTOR(char, 2) VECTOR(uchar, 4) VECTOR(short, 16) VECTOR(ushort, 3) VECTOR(int, 8) VECTOR(uint, 2) VECTOR(long, 4) VECTOR(ulong, 3)

/* Functions of a single width. */
#define UPSAMPLE(T, U, W)                                                                                             \
    __kernel void upsample_##T(__global const T *a, __global const U *b, __global W *r, uint count)                   \
    {                                                                                                                 \
        size_t i = INDEX;                                                                                  \
        r[i] = upsample(a[i], b[i]);                                                                                  \
        vstore4(upsample(vload4(i, a), vload4(i, b)), i, r + count);                                                  \
    }
UPSAMPLE(char, uchar, short)
UPSAMPLE(uchar, uchar, ushort)
UPSAMPLE(short, ushort, int)
UPSAMPLE(ushort, ushort, uint)
UPSAMPLE(int, uint, long)
UPSAMPLE(uint, uint, ulong)

#define FAST24(T)                                                                                                     \
    __kernel void fast24_##T(__global const T *a, __global const T *b, __global const T *c, __global T *r, uint count) \
    {                                                                                                                 \
        size_t i = INDEX;                                                                                  \
        r[i] = mul24(a[i], b[i]);                                                                                     \
        r[count + i] = mad24(a[i], b[i], c[i]);                                                                       \
    }
FAST24(int)
FAST24(uint)
