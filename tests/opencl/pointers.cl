/* Functions called by pointer (SPV_INTEL_function_pointers), for test_opencl_link.c. build: plain */
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
typedef int (*binary)(int, int);
typedef int3 (*on_vector)(int3, int);
typedef void (*on_memory)(global int *, local int *, int);

int add(int a, int b) { return a + b; }
int sub(int a, int b) { return a - b; }
int mul(int a, int b)
{
    int r = 0;
    for (int i = 0; i < b; i++) r += a; /* b differs from lane to lane */
    return r;
}
constant binary table[3] = {add, sub, mul};
global binary chosen[1] = {mul}; /* llvm-spirv 14 writes a plain one twice */
global int times_called = 0;

/* Lanes call different functions. */
kernel void pick(global const int *a, global const int *b, global const int *which, global int *r)
{
    size_t i = get_global_id(0);
    binary f = which[i] == 0 ? add : which[i] == 1 ? sub : mul;
    r[i] = f(a[i], b[i]);
}

/* In a divergent block, from constant and global memory. */
kernel void from_memory(global const int *a, global const int *b, global const int *which, global int *r)
{
    size_t i = get_global_id(0);
    r[i] = -1;
    if (which[i] < 3) r[i] = table[which[i]](a[i], b[i]);
    else if (which[i] == 3) r[i] = chosen[0](a[i], b[i]);
}

/* Calls the host's pointer, perhaps of another module. */
kernel void given(global const int *a, global const int *b, global const ulong *f, global int *r)
{
    size_t i = get_global_id(0);
    r[i] = ((binary)f[i])(a[i], b[i]);
}

/* Counts in a variable of its module. */
int counted(int a, int b)
{
    atomic_inc(&times_called);
    return a * 1000 + b;
}

int3 turn(int3 v, int n) { return n & 1 ? v.zxy : v.yzx + n; }

kernel void vectors(global int3 *v, ulong f)
{
    size_t i = get_global_id(0);
    v[i] = ((on_vector)f)(v[i], (int)i);
}

/* Waits for the work-group. */
void backwards(global int *v, local int *shared, int n)
{
    int l = get_local_id(0);
    shared[l] = v[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    v[get_global_id(0)] = shared[n - 1 - l];
}

kernel void waiting(global int *v, ulong f, local int *shared)
{
    ((on_memory)f)(v, shared, (int)get_local_size(0));
}

/* Recursion through memory, `depth` levels deep. */
typedef int (*deeper)(int);
global deeper self;
int descend(int depth) { return depth > 0 ? self(depth - 1) + 1 : 0; }

kernel void dive(global int *depth)
{
    self = descend;
    depth[get_global_id(0)] = self(depth[get_global_id(0)]);
}
