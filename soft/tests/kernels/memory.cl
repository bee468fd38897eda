/* Memory: private arrays with constant and varying indices, vectors, structures, local memory, atomics, constants. */
typedef struct { float x; int n[3]; char tag; double d; } item;

__constant int table[7] = {3, 1, 4, 1, 5, 9, 2};

__kernel void private_array(__global const int *a, __global int *c)
{
    int i = get_global_id(0), t[16], s = 0;
    for (int k = 0; k < 16; k++) t[k] = a[i] * k + table[k % 7];
    for (int k = 0; k < 16; k++) s += t[(a[i] + k * k) & 15] * (k + 1);
    t[a[i] & 15] = s;
    c[i] = t[a[i] & 15] - t[(a[i] + 1) & 15];
}

__kernel void structures(__global const item *a, __global item *c)
{
    int i = get_global_id(0);
    item v = a[i];
    v.x += v.n[1];
    v.n[v.n[2] & 1] = i;
    v.d *= 0.5;
    v.tag ^= 0x5a;
    c[i] = v;
}

__kernel void vectors(__global const float4 *a, __global float4 *c, __global const short3 *p, __global char8 *q)
{
    int i = get_global_id(0);
    float4 v = a[i];
    v = v.wzyx * (float4)(1.0f, 2.0f, 3.0f, 4.0f) + dot(v, v);
    v.y = i & 1 ? v.x : v.z;
    c[i] = v;
    short3 s = p[i];
    char8 r = q[i];
    r.s0246 = convert_char4_sat(s.xyzx);
    r.odd = -r.odd;
    q[i] = r;
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void reverse(__global int *a)
{
    __local int t[64];
    int l = get_local_id(0), i = get_global_id(0);
    t[l] = a[i] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = t[63 - l] + 1;
}

__kernel void local_argument(__global int *a, __local int *t, int rounds)
{
    int l = get_local_id(0), n = get_local_size(0), i = get_global_id(0);
    t[l] = a[i];
    for (int k = 0; k < rounds; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int v = t[(l + 1) % n];
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = v + k;
    }
    a[i] = t[l];
}

__kernel void atomics(__global const int *a, __global int *h, __global uint *m)
{
    int i = get_global_id(0), x = a[i];
    atomic_add(&h[x & 7], x);
    if (x & 1) atomic_inc(&h[8]);
    atomic_max(&m[0], (uint)x);
    atomic_min((volatile __global int *)&m[1], x);
    atomic_or(&m[2], 1u << (x & 31));
    atomic_xor(&m[3], (uint)x);
    uint old = atomic_cmpxchg(&m[4 + (i & 3)], 0u, (uint)i + 1);
    if (old == 0) atomic_add(&h[9], 1);
}

__kernel void bytes(__global const uchar *a, __global uchar *c, __global const ulong *w, __global ushort *s, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    c[i] = a[n - 1 - i] + 1;
    s[i] = (ushort)(w[i] >> 17) ^ (ushort)a[i];
}
