/* unwritten.cl - private variables with parts that are never written, as unoptimised code has them.
 * build: O0 1.2
 */
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable

kernel void scalar(global int *r, int n)
{
    int x;
    if ((int)get_global_id(0) < n) x = 4;
    r[get_global_id(0)] = x;
}

/* Compilers load a vector to insert a component. */
kernel void vector(global float4 *r, int n)
{
    float4 v;
    if (n > 0) v.x = 1;
    if (n > 0) v.yz = (float2)(2, 3);
    if (n > 0) v.w = n;
    r[get_global_id(0)] = v;
}

kernel void vector_of_three(global float *r)
{
    float3 v, w;
    v.x = 1;
    v.y = 2;
    v.z = 3;
    w = v;
    vstore3(w * 2, get_global_id(0), r);
}

typedef struct {
    int a : 3;
    int b : 7;
    uint c : 6;
} bits;
kernel void fields(global int *r)
{
    bits b;
    b.a = 1;
    b.b = 2;
    b.c = 60;
    r[get_global_id(0)] = b.a + b.b + b.c;
}

/* Copying unwritten data is allowed; the copy is unwritten too. */
typedef struct {
    char c;
    int x[5];
} item;
kernel void copies(global int *r, int n)
{
    item a, b, c;
    a.c = 1;
    a.x[1] = 3;
    b = a;
    c = b;
    r[get_global_id(0)] = c.c + (n == 1 ? c.x[1] : c.x[4]);
}

kernel void bytes(global int *r, int n)
{
    uchar b[24], c[24];
    b[3] = 3;
    for (int i = 0; i < 24; i++) c[i] = b[i];
    r[get_global_id(0)] = c[n] + b[n];
}

/* The same to a variable with an index. */
kernel void copies_to_memory(global int *r, int n)
{
    item a, b, c;
    a.c = 1;
    a.x[1] = 3;
    b = a;
    c = b;
    r[get_global_id(0)] = c.c + c.x[n];
}

/* A fence without a barrier. */
kernel void fence_apart(global int *a, global int *r)
{
    size_t i = get_global_id(0);
    a[i] = (int)i;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    barrier(CLK_LOCAL_MEM_FENCE);
    r[i] = a[(i + 16) % get_local_size(0)];
}
