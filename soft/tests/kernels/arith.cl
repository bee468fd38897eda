/* Arithmetic: every operation on every type, division by zero, wide shifts, conversions out of range. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define INTEGER(T, U, NAME)                                                                                           \
    __kernel void int_##NAME(__global const T *a, __global const T *b, __global T *c)                                 \
    {                                                                                                                 \
        int i = get_global_id(0);                                                                                     \
        T x = a[i], y = b[i];                                                                                         \
        c[i * 12 + 0] = x + y;                                                                                        \
        c[i * 12 + 1] = x * y;                                                                                        \
        c[i * 12 + 2] = x / (T)(y | 1);                                                                               \
        c[i * 12 + 3] = x % (T)(y | 1);                                                                               \
        c[i * 12 + 4] = x >> (y & (sizeof(T) * 8 - 1));                                                               \
        c[i * 12 + 5] = (T)((U)x << (y & (sizeof(T) * 8 - 1)));                                                       \
        c[i * 12 + 6] = x < y ? x : y;                                                                                \
        c[i * 12 + 7] = add_sat(x, y);                                                                                \
        c[i * 12 + 8] = mul_hi(x, y);                                                                                 \
        c[i * 12 + 9] = rotate(x, y);                                                                                 \
        c[i * 12 + 10] = popcount(x) + clz(y);                                                                        \
        c[i * 12 + 11] = mad_hi(x, y, x) ^ hadd(x, y);                                                                \
    }
INTEGER(char, uchar, i8)
INTEGER(uchar, uchar, u8)
INTEGER(short, ushort, i16)
INTEGER(ushort, ushort, u16)
INTEGER(int, uint, i32)
INTEGER(uint, uint, u32)
INTEGER(long, ulong, i64)
INTEGER(ulong, ulong, u64)

__kernel void divide(__global const int *a, __global const int *b, __global int *c)
{
    int i = get_global_id(0);
    c[i * 2] = a[i] / b[i];
    c[i * 2 + 1] = a[i] % b[i];
}

__kernel void convert(__global const float *a, __global const double *d, __global int *c, __global long *l, __global uchar *b,
                      __global float *f)
{
    int i = get_global_id(0);
    c[i] = convert_int_sat(a[i]);
    l[i] = convert_long_sat(d[i]);
    b[i] = convert_uchar_sat(a[i]);
    f[i] = (float)d[i] + (float)(ulong)l[i];
}

__kernel void reals(__global const float *a, __global const float *b, __global float *c)
{
    int i = get_global_id(0);
    float x = a[i], y = b[i];
    c[i * 8 + 0] = x / y;
    c[i * 8 + 1] = fmin(x, y) - fmax(x, 0.5f);
    c[i * 8 + 2] = fma(x, y, 1.0f);
    c[i * 8 + 3] = sqrt(fabs(x));
    c[i * 8 + 4] = exp(x) + log(fabs(y) + 1e-3f);
    c[i * 8 + 5] = isnan(x) ? 1.0f : isinf(y) ? 2.0f : isless(x, y) ? 3.0f : 4.0f;
    c[i * 8 + 6] = fmod(x, y);
    int e;
    c[i * 8 + 7] = frexp(x, &e) * (float)e + pown(y, 3);
}

__kernel void doubles(__global const double *a, __global const double *b, __global double *c)
{
    int i = get_global_id(0);
    c[i] = a[i] > b[i] ? sin(a[i]) / b[i] : pow(fabs(a[i]), b[i]);
}

__kernel void halves(__global const half *a, __global half *c, __global float *f, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    float x = vload_half(i, a);
    f[i] = x * 1.5f;
    vstore_half(x * x, i, c);
}
