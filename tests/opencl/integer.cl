/* Integer operators of every width, in planes (planes.h): all of them on scalars, a few on each vector size.
 * build: plain */
#ifndef INDEX
#define INDEX get_global_id(0)
#endif
#include "planes.h"

#define LOAD(T, N, V)                                                                                                 \
    size_t i = INDEX;                                                                                      \
    V x = vload##N(i, a), y = vload##N(i, b), z = vload##N(i, c)
#define PARAMETERS(T) (__global const T *a, __global const T *b, __global const T *c, __global T *r, uint count)

#define SCALAR(T)                                                                                                     \
    __kernel void ops_##T PARAMETERS(T)                                                                               \
    {                                                                                                                 \
        LOAD(T, 1, T);                                                                                                \
        PUT(1, 0, x + y);                                                                                             \
        PUT(1, 1, x - y);                                                                                             \
        PUT(1, 2, x * y);                                                                                             \
        PUT(1, 3, x / (T)(y | 1));                                                                                    \
        PUT(1, 4, x % (T)(y | 1));                                                                                    \
        PUT(1, 5, (x & y) | (~x & z));                                                                                \
        PUT(1, 6, x ^ y);                                                                                             \
        PUT(1, 7, -x);                                                                                                \
        PUT(1, 8, x << (y & (T)(sizeof(T) * 8 - 1)));                                                                 \
        PUT(1, 9, x >> (y & (T)(sizeof(T) * 8 - 1)));                                                                 \
        PUT(1, 10, x < y ? y : z);                                                                                    \
        PUT(1, 11, (x & 3) == (y & 3) ? x : z);                                                                       \
        PUT(1, 12, (x >= y || !(z & 1)) ? x : y);                                                                     \
        x += y;                                                                                                       \
        x <<= 1;                                                                                                      \
        x -= z;                                                                                                       \
        x++;                                                                                                          \
        PUT(1, 13, x);                                                                                                \
    }
#define VECTOR(T, N)                                                                                                  \
    __kernel void ops_##T##N PARAMETERS(T)                                                                            \
    {                                                                                                                 \
        LOAD(T, N, T##N);                                                                                             \
        PUT(N, 0, x + y);                                                                                             \
        PUT(N, 2, x * y);                                                                                             \
        PUT(N, 9, x >> (y & (T##N)(sizeof(T) * 8 - 1)));                                                              \
        PUT(N, 12, (x >= y || !(z & (T)1)) ? x : y);                                                                  \
    }

SCALAR(char) SCALAR(uchar) SCALAR(short) SCALAR(ushort) SCALAR(int) SCALAR(uint) SCALAR(long) SCALAR(ulong)
VECTOR(char, 16) VECTOR(uchar, 3) VECTOR(short, 2) VECTOR(ushort, 8) VECTOR(int, 3) VECTOR(uint, 4) VECTOR(long, 2) VECTOR(ulong, 8)
