/* The kernels of test_soft_driver.c. driver_kernels.h holds them compiled (clang 14, llvm-spirv 14):
 *   clang -c -cl-std=CL2.0 -target spir64 -O1 -emit-llvm -Xclang -finclude-default-header driver_kernels.cl -o k.bc
 *   llvm-spirv k.bc -o k.spv
 *   od -An -v -tx4 -w32 k.spv | sed 's/ \([0-9a-f]*\)/0x\1, /g; s/ $//; s/^/    /'
 */
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

extern int __spirv_SpecConstant(int, int);
global int counter = 5;
constant int table[4] = {10, 20, 30, 40};

kernel void add(global const float *a, global const float *b, global float *c, uint n)
{
    size_t i = get_global_id(0);
    if (i < n) c[i] = a[i] + b[i];
}

kernel void where(global uint *out, ulong base)
{
    size_t i = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
    out[i] = (uint)(base + i) + table[get_local_id(0) & 3];
}

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void sum(global const int *in, global int *out, local int *part)
{
    uint l = get_local_id(0);
    part[l] = in[get_global_id(0)];
    for (uint step = 32; step; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step) part[l] += part[l + step];
    }
    if (l == 0) out[get_group_id(0)] = part[0];
}

kernel void bump(int by)
{
    if (get_global_id(0) == 0) counter += by;
}

kernel void special(global int *out) { out[get_global_id(0)] = __spirv_SpecConstant(7, 100); }

kernel void offset(global uint *out) { out[get_global_id(0) - get_global_offset(0)] = get_global_id(0); }

/* All work-groups wait for each other. */
kernel void meet(global atomic_uint *arrived)
{
    if (get_local_id(0) == 0) {
        atomic_fetch_add(arrived, 1u);
        uint seen, all = get_num_groups(0);
        do seen = atomic_load(arrived); while (seen < all);
    }
}

/* Deliberately wrong: only one subgroup reaches the barrier. */
kernel void lonely(global uint *out)
{
    if (get_sub_group_id() == 0) barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = 1;
}
