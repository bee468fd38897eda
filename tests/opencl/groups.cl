/* Cooperation of the items of a work-group: local memory, barriers, work-group and subgroup functions. Every item
 * records its subgroup, so that the host can compute the expected results for any subgroup size.
 * build: plain */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

/* clang's table of functions lacks these. */
#define INTEL __attribute__((overloadable, convergent))
uint INTEL intel_sub_group_shuffle(uint x, uint lane);
uint4 INTEL intel_sub_group_shuffle(uint4 x, uint lane);
uint INTEL intel_sub_group_shuffle_down(uint here, uint next, uint delta);
uint INTEL intel_sub_group_shuffle_up(uint previous, uint here, uint delta);
uint INTEL intel_sub_group_shuffle_xor(uint x, uint mask);
uint INTEL intel_sub_group_block_read(const __global uint *p);
uint2 INTEL intel_sub_group_block_read2(const __global uint *p);
uint8 INTEL intel_sub_group_block_read8(const __global uint *p);
ushort INTEL intel_sub_group_block_read_us(const __global ushort *p);
ushort4 INTEL intel_sub_group_block_read_us4(const __global ushort *p);
void INTEL intel_sub_group_block_write4(__global uint *p, uint4 v);
void INTEL intel_sub_group_block_write_us2(__global ushort *p, ushort2 v);

#define INFO                                                                                                          \
    size_t i = get_global_id(0), l = get_local_id(0);                                                                 \
    info[i] = (int4)(get_sub_group_id(), get_sub_group_local_id(), get_sub_group_size(), get_max_sub_group_size())

__kernel void identifiers(__global ulong *r)
{
    size_t i = get_global_linear_id();
    r += 24 * i;
    for (uint d = 0; d < 3; d++) {
        r[d] = get_global_id(d);
        r[3 + d] = get_local_id(d);
        r[6 + d] = get_group_id(d);
        r[9 + d] = get_global_size(d);
        r[12 + d] = get_local_size(d);
        r[15 + d] = get_num_groups(d);
        r[18 + d] = get_global_offset(d);
    }
    r[21] = get_local_linear_id();
    r[22] = get_work_dim() + 10 * get_enqueued_local_size(1);
    r[23] = get_sub_group_id() * get_max_sub_group_size() + get_sub_group_local_id();
}

/* Rows that are whole subgroups, in planes. */
__attribute__((reqd_work_group_size(32, 3, 4))) __kernel void planes(__global ulong *r)
{
    r[get_global_linear_id()] = get_local_linear_id();
}

/* Dimensions as arguments: beyond the third, identifiers are 0 and sizes 1. */
__kernel void dimensions(__global ulong *r, uint same, __global const uint *each)
{
    size_t i = get_global_linear_id();
    uint d[2] = {same, each[i]};
    r += 14 * i;
    for (int k = 0; k < 2; k++, r += 7) {
        r[0] = get_global_id(d[k]);
        r[1] = get_local_id(d[k]);
        r[2] = get_group_id(d[k]);
        r[3] = get_global_size(d[k]);
        r[4] = get_local_size(d[k]);
        r[5] = get_num_groups(d[k]);
        r[6] = get_global_offset(d[k]);
    }
}

/* A reduction by halves, and a rotation through local memory in a loop with barriers. */
__kernel void local_memory(__global const int *a, __global int *r, __local int *dynamic, int rounds)
{
    __local int fixed[128];
    __local short shorts[3][64];
    size_t l = get_local_id(0), n = get_local_size(0), i = get_global_id(0);
    fixed[l] = a[i];
    shorts[l % 3][l / 3] = (short)l;
    barrier(CLK_LOCAL_MEM_FENCE);
    int mine = fixed[n - 1 - l];
    for (int k = 0; k < rounds; k++) {
        dynamic[l] = mine + k;
        barrier(CLK_LOCAL_MEM_FENCE);
        mine = dynamic[(l + 1) % n];
        if (k == 5) mine ^= shorts[(n - 1 - l) % 3][(n - 1 - l) / 3];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    r[i] = mine;
    for (size_t s = 64; s > 0; s /= 2) {
        if (l < s && l + s < n) fixed[l] += fixed[l + s];
        work_group_barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) r[get_global_size(0) + get_group_id(0)] = fixed[0];
}

__kernel void work_groups(__global const int *a, __global const float *f, __global const long *w, __global int *r, __global float *g, __global long *o)
{
    size_t i = get_global_id(0);
    r += 12 * i;
    r[0] = work_group_reduce_add(a[i]);
    r[1] = work_group_reduce_min(a[i]);
    r[2] = work_group_reduce_max(a[i]);
    r[3] = work_group_scan_inclusive_add(a[i]);
    r[4] = work_group_scan_exclusive_add(a[i]);
    r[5] = work_group_scan_inclusive_min(a[i]);
    r[6] = work_group_scan_exclusive_max(a[i]);
    r[7] = work_group_broadcast(a[i], get_local_size(0) - 2);
    r[8] = work_group_all(a[i] > -900) + 2 * work_group_any(a[i] > 900);
    r[9] = (int)work_group_reduce_max((uint)a[i]);
    r[10] = (int)work_group_scan_inclusive_min((uint)a[i]);
    r[11] = work_group_all(1) + 2 * work_group_any(0);
    g += 3 * i;
    g[0] = work_group_reduce_max(f[i]);
    g[1] = work_group_scan_inclusive_add(f[i]);
    g[2] = work_group_broadcast(f[i], 1);
    o += 3 * i;
    o[0] = work_group_reduce_add(w[i]);
    o[1] = work_group_scan_exclusive_min(w[i]);
    o[2] = (long)work_group_scan_inclusive_max((ulong)w[i]);
}

__kernel void subgroups(__global const int *a, __global const float *f, __global const double *d, __global const half *h, __global int4 *info,
                        __global int *r, __global float *g, __global double *e, __global half *k)
{
    INFO;
    r += 12 * i;
    r[0] = sub_group_reduce_add(a[i]);
    r[1] = sub_group_reduce_min(a[i]);
    r[2] = (int)sub_group_reduce_max((uint)a[i]);
    r[3] = sub_group_scan_inclusive_add(a[i]);
    r[4] = sub_group_scan_exclusive_add(a[i]);
    r[5] = sub_group_scan_inclusive_max(a[i]);
    r[6] = sub_group_scan_exclusive_min(a[i]);
    r[7] = sub_group_broadcast(a[i], 2);
    r[8] = sub_group_all(a[i] > -900) + 2 * sub_group_any(a[i] > 900);
    r[9] = (int)get_num_sub_groups() + 100 * (int)get_enqueued_num_sub_groups();
    r[10] = (int)sub_group_reduce_add((long)a[i] << 8);
    r[11] = (int)sub_group_broadcast((ulong)a[i], 0);
    g[2 * i] = sub_group_reduce_max(f[i]);
    g[2 * i + 1] = sub_group_scan_exclusive_add(f[i]);
    e[2 * i] = sub_group_reduce_add(d[i]);
    e[2 * i + 1] = sub_group_scan_inclusive_min(d[i]);
    k[i] = sub_group_reduce_max(h[i]);
}

/* cl_intel_subgroups. */
__kernel __attribute__((intel_reqd_sub_group_size(16))) void intel(__global const uint *a, __global const ushort *s, __global int4 *info, __global uint *r,
                                                                   __global uint *block, __global ushort *shorts)
{
    INFO;
    uint lane = get_sub_group_local_id(), x = a[i];
    size_t first = i - lane;
    r += 16 * i;
    r[0] = intel_sub_group_shuffle(x, (lane * 5 + 3) & 15);
    r[1] = intel_sub_group_shuffle_down(x, a[i + 16], 3);
    r[2] = intel_sub_group_shuffle_up(a[i], a[i + 16], 5);
    r[3] = intel_sub_group_shuffle_xor(x, 9);
    uint4 v = intel_sub_group_shuffle((uint4)(x, x + 1, x * 2, ~x), 15 - lane);
    vstore4(v, 1, r);
    r[8] = intel_sub_group_block_read(a + first);
    vstore2(intel_sub_group_block_read2(a + first), 0, r + 9);
    r[11] = intel_sub_group_block_read_us(s + first);
    uint8 w = intel_sub_group_block_read8(a + first);
    r[12] = w.s7;
    r[13] = w.s3;
    ushort4 u = intel_sub_group_block_read_us4(s + first);
    r[14] = u.s3 | (uint)u.s1 << 16;
    r[15] = 0;
    intel_sub_group_block_write4(block + 4 * first, (uint4)(x, lane, 7, x ^ lane));
    intel_sub_group_block_write_us2(shorts + 2 * first, (ushort2)((ushort)x, (ushort)lane));
}
