/* The rest of OpenCL.std: common minimum and maximum, the divisions and powers of low precision, NaNs by
 * number, upsampling of signed integers, aligned stores of halves, prefetch,
 * fused products of halves, work-items of much private memory. build: plain */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define N get_global_size(0)
#define PUT(value) r[(size_t)k++ * N + i] = (value)

#define COMMON(T)                                                                                                      \
    __kernel void common_##T(__global const T *a, __global const T *b, __global T *r)                                  \
    {                                                                                                                  \
        size_t i = get_global_id(0);                                                                                   \
        T x = a[i], y = b[i];                                                                                          \
        T##4 v = max((T##4)(x, y, (T)1, (T)-1), (T##4)(y, x, x, y));                                                   \
        T##3 w = min((T##3)(x, y, (T)1), y);                                                                           \
        int k = 0;                                                                                                     \
        PUT(max(x, y));                                                                                                \
        PUT(min(x, y));                                                                                                \
        PUT(v.x);                                                                                                      \
        PUT(v.y);                                                                                                      \
        PUT(v.z);                                                                                                      \
        PUT(v.w);                                                                                                      \
        PUT(w.x);                                                                                                      \
        PUT(w.y);                                                                                                      \
        PUT(w.z);                                                                                                      \
    }
COMMON(half)
COMMON(float)
COMMON(double)

__kernel void low_precision(__global const float *a, __global const float *b, __global float *r)
{
    size_t i = get_global_id(0);
    float x = fabs(a[i]), y = b[i];
    float2 v = native_powr((float2)(x, 2), (float2)(y, y)), w = half_divide((float2)(x, y), (float2)(y, x));
    int k = 0;
    PUT(half_divide(x, y));
    PUT(native_divide(x, y));
    PUT(half_powr(x, y));
    PUT(native_powr(x, y));
    PUT(v.x);
    PUT(v.y);
    PUT(w.x);
    PUT(w.y);
}

__kernel void nans(__global const uint *code, __global float *f, __global double *d, __global half *h)
{
    size_t i = get_global_id(0);
    uint2 two = (uint2)(code[i], 7);
    prefetch(code + i, 1);
    f[i] = nan(code[i]);
    f[N + i] = nan(two).y;
    d[i] = nan((ulong)code[i]);
    h[i] = nan((ushort)code[i]);
}

__kernel void upsampled(__global const int *a, __global const uint *b, __global long *r)
{
    size_t i = get_global_id(0);
    int k = 0;
    short4 v = upsample((char4)((char)a[i], 1, -1, -128), (uchar4)((uchar)b[i], 255, 0, 7));
    PUT(upsample((char)a[i], (uchar)b[i]));
    PUT(upsample((short)a[i], (ushort)b[i]));
    PUT(upsample(a[i], b[i]));
    PUT(v.x);
    PUT(v.y);
    PUT(v.w);
}

__kernel void aligned_halves(__global const float *a, __global half *r2, __global half *r3, __global half *r4, __global half *r8, __global half *r16)
{
    size_t i = get_global_id(0);
    float16 v = (float16)(a[i]) * (float16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    vstorea_half2(v.s01, i, r2);
    vstorea_half3(v.s012, i, r3);
    vstorea_half4(v.s0123, i, r4);
    vstorea_half8(v.lo, i, r8);
    vstorea_half16(v, i, r16);
}

__kernel void fused_halves(__global const half *a, __global const half *b, __global const half *c, __global half *r)
{
    size_t i = get_global_id(0);
    r[i] = fma(a[i], b[i], c[i]);
    r[N + i] = fma(a[0], b[0], c[0]);
}

/* 60 KB per work-item, in a kernel that is compiled for whole and for partial subgroups. */
__kernel void much_memory(__global uint *r)
{
    size_t i = get_global_id(0);
    uint own[15000], sum = 0;
    for (uint k = 0; k < 15000; k++) own[(k * 7 + i) % 15000] = k ^ (uint)i;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 15000; k++) sum = sum * 31 + own[k];
    r[i] = sum;
}
