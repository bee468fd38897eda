/* Atomics of OpenCL 1 and of C11, on global and local memory, 32 and 64 bits, integers and floats. Every item's old
 * values are kept, so that the host can check that each was returned once. build: plain */
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

__kernel void old_style(__global int *c, __global uint *u, __global int *got, __global const int *a)
{
    size_t i = get_global_id(0);
    got[i] = atomic_add(&c[0], a[i]);
    atomic_sub(&c[1], a[i]);
    got[get_global_size(0) + i] = atomic_inc(&c[2]);
    atomic_dec(&c[3]);
    atomic_min(&c[4], a[i]);
    atomic_max(&c[5], a[i]);
    atomic_and(&c[6], a[i] | 0xffff00);
    atomic_or(&c[7], a[i] & 0xff00ff);
    atomic_xor(&c[8], a[i]);
    atomic_min(&u[0], (uint)a[i]);
    atomic_max(&u[1], (uint)a[i]);
    got[2 * get_global_size(0) + i] = atomic_xchg(&c[9], (int)i);
    int old = atomic_or(&c[10], 0), seen;
    while ((seen = atomic_cmpxchg(&c[10], old, old * 3 + 1)) != old) old = seen; /* in some order, once each */
    atomic_xchg((__global float *)&c[11], 0.5f);
}

#define LONG(T, name)                                                                                                 \
    __kernel void name(__global T *c, __global T *got, __global const T *a)                                           \
    {                                                                                                                 \
        size_t i = get_global_id(0);                                                                                  \
        got[i] = atom_add(&c[0], a[i]);                                                                               \
        atom_sub(&c[1], a[i]);                                                                                        \
        got[get_global_size(0) + i] = atom_inc(&c[2]);                                                                \
        atom_min(&c[3], a[i]);                                                                                        \
        atom_max(&c[4], a[i]);                                                                                        \
        atom_and(&c[5], a[i] | 0xffffffff0000L);                                                                      \
        atom_or(&c[6], a[i] & 0xff00ff00ff00ffL);                                                                     \
        atom_xor(&c[7], a[i]);                                                                                        \
        T old = atom_or(&c[8], 0), seen;                                                                             \
        while ((seen = atom_cmpxchg(&c[8], old, old + 1000000007)) != old) old = seen;                                \
    }
LONG(long, old_style_long)
LONG(ulong, old_style_ulong)

/* C11: every order and scope; on pointers of unknown storage class; under divergence. */
void tally(volatile atomic_int *counter, int by) { atomic_fetch_add_explicit(counter, by, memory_order_relaxed, memory_scope_device); }

__kernel void c11(__global atomic_int *c, __global atomic_uint *u, __global atomic_long *l, __global int *got, __global const int *a)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    __local atomic_int shared_count;
    __local atomic_uint shared_most;
    if (get_local_id(0) == 0) {
        atomic_init(&shared_count, 5);
        atomic_store_explicit(&shared_most, 0u, memory_order_release, memory_scope_work_group);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    got[i] = atomic_fetch_add(&c[0], a[i]);
    got[n + i] = atomic_fetch_add_explicit(&shared_count, 1, memory_order_acq_rel, memory_scope_work_group);
    atomic_fetch_max_explicit(&shared_most, (uint)a[i], memory_order_relaxed, memory_scope_work_group);
    if (a[i] & 1) {
        atomic_fetch_sub_explicit(&c[1], a[i], memory_order_seq_cst, memory_scope_all_svm_devices);
        got[2 * n + i] = atomic_exchange(&c[2], (int)i);
        tally((volatile atomic_int *)&c[3], 2);
    } else {
        got[2 * n + i] = -1;
        tally((volatile atomic_int *)&shared_count, 1000);
    }
    int expected = atomic_load_explicit(&c[4], memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&c[4], &expected, expected * 5 + 1)) {
    }
    expected = (int)i;
    got[3 * n + i] = atomic_compare_exchange_strong_explicit(&c[5], &expected, 777, memory_order_acq_rel, memory_order_relaxed, memory_scope_device) + 2 * (expected == 777);
    atomic_fetch_min(&u[0], (uint)a[i]);
    atomic_fetch_and(&u[1], (uint)a[i] | 0xf0f0f0u);
    atomic_fetch_or(&u[2], (uint)a[i]);
    atomic_fetch_xor(&u[3], (uint)a[i]);
    atomic_fetch_add(&l[0], (long)a[i] << 30);
    atomic_fetch_min(&l[1], (long)a[i] << 20);
    got[4 * n + i] = atomic_flag_test_and_set((volatile __global atomic_flag *)&c[6]);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        atomic_store(&c[7 + 2 * get_group_id(0)], atomic_load(&shared_count));
        atomic_store(&c[8 + 2 * get_group_id(0)], (int)atomic_load(&shared_most));
    }
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
}

__kernel void floats(__global atomic_float *c, __global atomic_double *d, __global const float *a, __global float *got)
{
    size_t i = get_global_id(0);
    __local atomic_float sum;
    if (get_local_id(0) == 0) atomic_init(&sum, 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    got[i] = atomic_fetch_add_explicit(&c[0], a[i], memory_order_relaxed, memory_scope_device);
    atomic_fetch_min_explicit(&c[1], a[i], memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(&c[2], a[i], memory_order_relaxed, memory_scope_device);
    atomic_fetch_add_explicit(&d[0], (double)a[i], memory_order_relaxed, memory_scope_device);
    atomic_fetch_min_explicit(&d[1], (double)a[i], memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(&d[2], (double)a[i], memory_order_relaxed, memory_scope_device);
    atomic_fetch_add_explicit(&sum, 1.0f, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) atomic_store(&c[3 + get_group_id(0)], atomic_load(&sum));
}
