/* Cooperation of the work-items of a subgroup or a work-group. The __spirv_ names are instructions of that name. */
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#define OP __attribute__((overloadable, convergent))
bool OP __spirv_GroupNonUniformElect(int scope);
uint4 OP __spirv_GroupNonUniformBallot(int scope, bool p);
uint OP __spirv_GroupNonUniformBallotBitCount(int scope, int op, uint4 v);
uint OP __spirv_GroupNonUniformBallotFindLSB(int scope, uint4 v);
bool OP __spirv_GroupNonUniformInverseBallot(int scope, uint4 v);
bool OP __spirv_GroupNonUniformAllEqual(int scope, int v);
int OP __spirv_GroupNonUniformShuffle(int scope, int v, uint l);
int OP __spirv_GroupNonUniformShuffleXor(int scope, int v, uint l);
int OP __spirv_GroupNonUniformShuffleUp(int scope, int v, uint l);
int OP __spirv_GroupNonUniformShuffleDown(int scope, int v, uint l);
int OP __spirv_GroupNonUniformBroadcastFirst(int scope, int v);
int OP __spirv_GroupNonUniformIAdd(int scope, int op, int v);
int OP __spirv_GroupNonUniformIAdd(int scope, int op, int v, uint cluster);
int OP __spirv_GroupNonUniformSMax(int scope, int op, int v, uint cluster);
float OP __spirv_GroupNonUniformFMul(int scope, int op, float v);
int OP intel_sub_group_shuffle(int v, uint l);
int OP intel_sub_group_shuffle_down(int a, int b, uint d);
int OP intel_sub_group_shuffle_up(int a, int b, uint d);
uint4 OP intel_sub_group_block_read4(const __global uint *p);
void OP intel_sub_group_block_write2(__global uint *p, uint2 v);

__kernel __attribute__((intel_reqd_sub_group_size(16))) void subgroup(__global const int *a, __global int *c)
{
    int i = get_global_id(0), l = get_sub_group_local_id(), x = a[i];
    __global int *r = c + i * 20;
    r[0] = sub_group_broadcast(x, 5);
    r[1] = sub_group_reduce_add(x);
    r[2] = sub_group_reduce_min(x);
    r[3] = sub_group_scan_inclusive_add(x);
    r[4] = sub_group_scan_exclusive_max(x);
    r[5] = sub_group_all(x > -2000000000) + 2 * sub_group_any(x > 2000000000);
    r[6] = __spirv_GroupNonUniformShuffle(3, x, (l * 7) & 15);
    r[7] = __spirv_GroupNonUniformShuffleXor(3, x, 6);
    r[8] = l >= 3 ? __spirv_GroupNonUniformShuffleUp(3, x, 3) : 0;
    r[9] = __spirv_GroupNonUniformShuffleDown(3, x, l < 11 ? 5 : 0);
    r[10] = intel_sub_group_shuffle(x, 15 - l);
    r[11] = intel_sub_group_shuffle_down(x, x + 1, 4);
    r[12] = intel_sub_group_shuffle_up(x + 2, x, 3);
    r[13] = __spirv_GroupNonUniformIAdd(3, 3, x, 4);
    r[14] = (int)__spirv_GroupNonUniformBallot(3, x & 1).x;
    r[15] = __spirv_GroupNonUniformElect(3);
    r[16] = __spirv_GroupNonUniformBallotBitCount(3, 2, __spirv_GroupNonUniformBallot(3, x & 2));
    r[17] = __spirv_GroupNonUniformInverseBallot(3, (uint4)(0xa5c3, 0, 0, 0));
    r[18] = __spirv_GroupNonUniformAllEqual(3, x) + 2 * __spirv_GroupNonUniformAllEqual(3, i / 16);
    r[19] = (int)(sub_group_reduce_max((float)x) * 0.5f);
}

/* The same under masks: only active lanes take part. */
__kernel __attribute__((intel_reqd_sub_group_size(16))) void divergent(__global const int *a, __global int *c)
{
    int i = get_global_id(0), x = a[i];
    __global int *r = c + i * 8;
    if (x & 1) {
        r[0] = __spirv_GroupNonUniformIAdd(3, 0, x);
        r[1] = __spirv_GroupNonUniformIAdd(3, 1, x);
        r[2] = __spirv_GroupNonUniformIAdd(3, 2, x);
        r[3] = (int)__spirv_GroupNonUniformBallot(3, x & 4).x;
        r[4] = __spirv_GroupNonUniformElect(3);
        r[5] = __spirv_GroupNonUniformBroadcastFirst(3, x);
        r[6] = __spirv_GroupNonUniformBallotFindLSB(3, __spirv_GroupNonUniformBallot(3, true));
        r[7] = __spirv_GroupNonUniformSMax(3, 3, x, 8);
    }
}

__kernel void work_group(__global const int *a, __global int *c, __global const float *f, __global float *g)
{
    int i = get_global_id(0), x = a[i];
    __global int *r = c + i * 8;
    r[0] = work_group_reduce_add(x);
    r[1] = work_group_scan_inclusive_add(x);
    r[2] = work_group_scan_exclusive_add(x);
    r[3] = work_group_reduce_max(x);
    r[4] = work_group_broadcast(x, 37);
    r[5] = work_group_all(x > -100) + 2 * work_group_any(x == a[get_group_id(0) * get_local_size(0) + 3]);
    r[6] = work_group_scan_exclusive_min(x);
    r[7] = work_group_reduce_min(x);
    g[i] = work_group_reduce_add(f[i]);
}

__kernel __attribute__((intel_reqd_sub_group_size(8))) void blocks(__global const uint *a, __global uint *c)
{
    int group = get_global_id(0) / 8;
    uint4 v = intel_sub_group_block_read4(a + group * 32);
    intel_sub_group_block_write2(c + group * 16, v.xy + v.zw * 3u);
}

__kernel __attribute__((intel_reqd_sub_group_size(32))) void wide(__global const int *a, __global int *c)
{
    int i = get_global_id(0), x = a[i];
    c[2 * i] = sub_group_scan_inclusive_add(x);
    c[2 * i + 1] = x & 1 ? __spirv_GroupNonUniformIAdd(3, 0, x) : (int)get_sub_group_local_id();
}

__kernel void copies(__global const int *a, __global int *c, __local int *t)
{
    int n = get_local_size(0);
    event_t e = async_work_group_copy(t, a + get_group_id(0) * n, n, 0);
    wait_group_events(1, &e);
    int v = t[n - 1 - get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    t[get_local_id(0)] = v * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(c + get_group_id(0) * n, t, n, 0);
    wait_group_events(1, &e);
}
