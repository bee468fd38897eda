/* Addresses and indices that increase by a constant step per work-item, and exceptions. build: full */

#define HERE (get_global_id(1) * get_global_size(0) + get_global_id(0))

/* Wraps at 7, within a subgroup. */
__kernel void unsigned_index(__global const int *x, __global int *y, uint n)
{
    uint i = (uint)HERE - 7u;
    y[HERE] = i < n ? x[i] : -1;
}

__kernel void signed_index(__global const int *x, __global int *y, uint n)
{
    int i = (int)get_global_id(0) - 9;
    short s = (short)(get_global_id(0) + 32760);
    uchar c = (uchar)(get_global_id(0) * 3 + 250);
    y[HERE] = i < 0 ? x[n + i] : x[i] + i;
    y[HERE] += (int)s * 2 + (int)c;
}

__kernel void backwards(__global const int *x, __global int *y, uint n)
{
    int last = (int)n - 1, here = (int)HERE;
    y[last - here] = x[here] * 3 + x[n - 1 - (uint)here];
}

__kernel void spaced(__global const int *x, __global int *y, __global ushort *narrow, __global double *wide)
{
    size_t i = HERE;
    y[3 * i] = x[(i << 1) | 1];
    y[3 * i + 1] = x[2 * i] - 4;
    y[3 * i + 2] = (int)(((__global const uchar *)x)[4 * i + 3] + ((__global const short *)x)[i]);
    narrow[i] = (ushort)(x[i] >> 3);
    wide[2 * i + 1] = x[i] * 0.5;
    wide[2 * i] = (double)i;
}

/* The same index on both sides, then one store; and on one side only. */
__kernel void joined(__global const int *x, __global int *y)
{
    uint w = (uint)get_global_size(0), c = (uint)get_global_id(0), r = (uint)get_global_id(1);
    if (x[r * w + c] & 1) {
        y[r * w + c] = x[r * w + c] * 2 + (int)r;
        if (c > 3) y[r * w + c] += x[r * w + c - 1];
    } else {
        y[r * w + c] = c + 1 < w ? x[r * w + c + 1] - 5 : (int)c;
    }
}

/* Lanes leave in different iterations, with different indices. */
__kernel void turns(__global const int *x, __global int *y)
{
    size_t i = HERE, at = i;
    int sum = 0;
    for (int k = x[i] & 7; k > 0; k--) {
        sum += x[at] * k;
        at++;
    }
    y[i] = sum + (int)(at - i) * 1000 + x[at];
}

__kernel void far_apart(__global const int *x, __global int *y, uint n)
{
    for (size_t i = HERE; i < n; i += get_global_size(0) * get_global_size(1)) y[i] = x[i] + (int)i;
}

/* Values that live across barriers: scalars, vectors, arrays, lines, and a loop whose body some subgroups leave. */
__kernel void exchange(__global const int *x, __global long *y, uint rounds)
{
    __local int part[512];
    uint w = (uint)get_local_size(0), l = (uint)(get_local_id(1) * w + get_local_id(0)), all = w * (uint)get_local_size(1);
    size_t i = HERE;
    int v = x[i], seen[3] = {v, 1, 2};
    int4 four = (int4)(v, v + 1, v + 2, v + 3);
    long sum = 0;
    for (uint k = 0; k < rounds; k++) {
        part[l] = v + (int)k;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l > k) v += part[l - k - 1];
        if (part[(l + 1) % all] & 1) sum += part[all - 1 - l];
        seen[1] += v;
        four += (int4)(v, 1, (int)l, (int)k);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    y[i] = sum + v + seen[0] + seen[1] * 3L + seen[2] + four.x + four.y * 5L + four.z * 7L + four.w;
}

__kernel void local_atomics(__global const int *x, __global int *y, __global int *out)
{
    __local int t[8];
    uint w = (uint)get_local_size(0), l = (uint)(get_local_id(1) * w + get_local_id(0));
    size_t i = HERE, g = get_group_id(1) * get_num_groups(0) + get_group_id(0);
    if (l < 8) t[l] = l == 4 ? -1 : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    y[i] = atomic_add(&t[0], 1);
    atomic_sub(&t[1], x[i]);
    atomic_min(&t[2], x[i]);
    atomic_max((volatile __local uint *)&t[3], (uint)x[i]);
    atomic_and(&t[4], x[i]);
    atomic_or(&t[5], x[i]);
    if (x[i] & 1) atomic_xor(&t[6], x[i]);
    atomic_cmpxchg(&t[7], (int)l, (int)l + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 8) out[8 * g + l] = t[l];
}
