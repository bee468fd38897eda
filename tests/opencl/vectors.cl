/* Vectors: components, shuffles, relational and geometric functions, loads and stores of every size and of halves.
 * build: plain */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define N get_global_size(0)

/* Components extracted, combined and selected by index: out has 16 ints per item. */
__kernel void components(__global const int *a, __global int *out, int k)
{
    size_t i = get_global_id(0);
    int8 v = vload8(i, a);
    int4 w = (int4)(v.s7, v.hi.y, v.lo.zw);
    w.xz = v.even.s01;
    int16 r;
    r.lo = v.s76543210;
    r.hi.lo = w.wzyx;
    r.sc = ((int *)&v)[k & 7];
    r.sd = ((int *)&v)[v.s0 & 7];
    ((int *)&w)[v.s1 & 3] = 77;
    ((int *)&w)[k & 3] += 5;
    r.sef = (int2)(w.x + w.y * 3, w.z * 5 + w.w * 7);
    vstore16(r, i, out);
}

__kernel void shuffles(__global const int *a, __global const uint *m, __global int *out, __global const short *s, __global short *outs)
{
    size_t i = get_global_id(0);
    vstore4(shuffle(vload4(i, a), vload4(i, m)), i, out);
    vstore8(shuffle2(vload4(i, a), vload4(i + 1, a), vload8(i, m)), i, out + 4 * N);
    vstore2(shuffle(vload16(i, s), (ushort2)(m[i] & 15, 3)), i, outs);
    vstore16(shuffle2(vload2(i, s), vload2(i + 2, s), (ushort16)(0, 1, 2, 3, 3, 2, 1, 0, (ushort4)(m[i] & 3), (ushort4)2)), i, outs + 2 * N);
}

/* Relational functions: bits of the results, first the scalar ones, then those of vectors (-1 is true). */
#define RELATIONS(T, V, I)                                                                                            \
    __kernel void relations_##T(__global const T *a, __global const T *b, __global int *out, __global I *mask)        \
    {                                                                                                                 \
        size_t i = get_global_id(0);                                                                                  \
        T x = a[i], y = b[i];                                                                                         \
        out[i] = isequal(x, y) | isnotequal(x, y) << 1 | isgreater(x, y) << 2 | isgreaterequal(x, y) << 3 |           \
                 isless(x, y) << 4 | islessequal(x, y) << 5 | islessgreater(x, y) << 6 | isfinite(x) << 7 |           \
                 isinf(x) << 8 | isnan(x) << 9 | isnormal(x) << 10 | isordered(x, y) << 11 | isunordered(x, y) << 12 | \
                 signbit(x) << 13 | (x == y) << 14 | (x != y) << 15 | (x < y) << 16 | (x <= y) << 17 | (x > y) << 18 | \
                 (x >= y) << 19 | (!x) << 20 | (x && y) << 21 | !(x < y) << 22 | !(x >= y) << 23;                      \
        V v = vload2(i, a), w = vload2(i, b);                                                                         \
        vstore2(isequal(v, w), i, mask);                                                                              \
        vstore2(isnotequal(v, w), i, mask + 2 * N);                                                                   \
        vstore2(isless(v, w), i, mask + 4 * N);                                                                       \
        vstore2(v >= w, i, mask + 6 * N);                                                                             \
        vstore2(isnan(v), i, mask + 8 * N);                                                                           \
        vstore2(isnormal(v), i, mask + 10 * N);                                                                       \
        vstore2(signbit(v), i, mask + 12 * N);                                                                        \
        vstore2(isordered(v, w), i, mask + 14 * N);                                                                   \
        vstore2(!v, i, mask + 16 * N);                                                                                \
        vstore2(islessgreater(v, w), i, mask + 18 * N);                                                               \
    }
RELATIONS(float, float2, int)
RELATIONS(double, double2, long)
RELATIONS(half, half2, short)

__kernel void choices(__global const int *a, __global const int *b, __global const int *c, __global int *out)
{
    size_t i = get_global_id(0);
    int4 x = vload4(i, a), y = vload4(i, b), z = vload4(i, c);
    out += 16 * i;
    vstore4(select(x, y, z), 0, out);
    vstore4(bitselect(x, y, z), 1, out);
    vstore4(as_int4(select(as_float4(x), as_float4(y), z < 0)), 2, out);
    out[12] = any(x) | all(x) << 1 | any(x > y) << 2 | all(as_char4(x.x)) << 3;
    out[13] = select(x.x, y.x, z.x);
    out[14] = as_int(bitselect(as_float(x.y), as_float(y.y), as_float(z.y)));
    out[15] = (x.x > y.x ? z : x).w + (x < y && z > 0).x;
}

#define GEOMETRY(T)                                                                                                   \
    __kernel void geometry_##T(__global const T *a, __global const T *b, __global T *out)                             \
    {                                                                                                                 \
        size_t i = get_global_id(0);                                                                                  \
        T##4 x = vload4(i, a), y = vload4(i, b);                                                                      \
        out += 16 * i;                                                                                                \
        out[0] = dot(x, y);                                                                                           \
        out[1] = dot(x.xy, y.xy);                                                                                     \
        out[2] = length(x);                                                                                           \
        out[3] = distance(x.xyz, y.xyz);                                                                              \
        vstore4(normalize(x), 1, out);                                                                                \
        vstore4(cross(x, y), 2, out);                                                                                 \
        vstore3(cross(x.xyz, y.xyz), 0, out + 12);                                                                    \
        out[15] = length(x.x) + distance(x.y, y.y) + normalize(x.z);                                                  \
    }
GEOMETRY(float)
GEOMETRY(double)

__kernel void fast_geometry(__global const float *a, __global const float *b, __global float *out)
{
    size_t i = get_global_id(0);
    float4 x = vload4(i, a), y = vload4(i, b);
    out += 8 * i;
    out[0] = fast_length(x);
    out[1] = fast_distance(x, y);
    vstore4(fast_normalize(x), 1, out);
}

/* Halves in memory: loads of every size, stores in every rounding. */
__kernel void half_loads(__global const half *a, __global float *f)
{
    size_t i = get_global_id(0);
    f[i] = vload_half(i, a);
    f += N;
    vstore2(vload_half2(i, a), i, f);
    vstore3(vload_half3(i, a), i, f + 2 * N);
    vstore4(vload_half4(i, a), i, f + 5 * N);
    vstore8(vload_half8(i, a), i, f + 9 * N);
    vstore16(vload_half16(i, a), i, f + 17 * N);
    vstore3(vloada_half3(i, a), i, f + 33 * N);
    vstore8(vloada_half8(i, a), i, f + 36 * N);
}

__kernel void half_stores(__global const float *f, __global const double *d, __global half *r)
{
    size_t i = get_global_id(0);
    vstore_half(f[i], i, r);
    vstore_half_rtz(f[i], i, r + N);
    vstore_half_rtp(f[i], i, r + 2 * N);
    vstore_half_rtn(f[i], i, r + 3 * N);
    vstore_half_rte(d[i], i, r + 4 * N);
    vstore_half_rtz(d[i], i, r + 5 * N);
    vstore_half_rtp(d[i], i, r + 6 * N);
    vstore_half_rtn(d[i], i, r + 7 * N);
    vstore_half3_rtp(vload3(i, f), i, r + 8 * N);
    vstorea_half3_rtn(vload3(i, f), i, r + 12 * N); /* 4 halves apart: the fourth is not written */
    vstore_half16(vload16(i, f), i, r + 16 * N);
}

/* Vectors through private and local memory, and of 3 with their padding. */
__kernel void memory(__global const ushort *a, __global ushort *out, __local ulong4 *scratch, __global const long3 *l, __global long3 *lo)
{
    size_t i = get_global_id(0), k = get_local_id(0);
    ushort4 p[3];
    for (int n = 0; n < 3; n++) p[n] = vload4(i * 3 + n, a);
    p[a[0] & 1].y = 9;
    scratch[k] = convert_ulong4(p[i % 3] + p[(i + 1) % 3]);
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong4 o = scratch[k ^ 1];
    vstore4(convert_ushort4(o), i, out);
    lo[i] = l[i] * 3L + (long3)(1, 2, 3);
}
