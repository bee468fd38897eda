/* reader_kernels.cl - OpenCL C whose SPIR-V the reader's tests take apart: struct pointers, tables, switches, printf.
 *
 * reader_kernels.h is made of it: clang -cl-std=CL2.0 -target spir64 -emit-llvm -c -O1 -Xclang -finclude-default-header, then llvm-spirv,
 * then each little-endian word in hexadecimal, eight a line.
 */

__constant float table[4] = {1.0f, 2.0f, 3.0f, 4.0f};

struct node {
    struct node __global *next;
    int3 v;
    char c;
};

float helper(float x, int n)
{
    for (int i = 0; i < n; i++) {
        if (x > 10)
            x = x * 0.5f;
        else
            x += i;
    }
    return x;
}

__kernel void vadd(__global float *a, __global const float *b, int n)
{
    size_t i = get_global_id(0);
    if (i < n) a[i] += helper(b[i], n) * table[i & 3];
}

__kernel void list(__global struct node *p, __global int *out, __local int *l)
{
    int s = 0;
    while (p) {
        s += p->v.x + p->c;
        p = p->next;
    }
    l[get_local_id(0)] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    *out = l[0] + atomic_add(out, 3);
    switch (s) {
    case 1: out[1] = 3; break;
    case 5: out[2] = 5; break;
    default: out[3] = 3;
    }
}

__kernel void math(__global double *d, __global half *h, __global float4 *v)
{
    *d = sin(*d) + fma(*d, 2.0, 3.0);
    vstore_half(1.0f, 3, h);
    *v = normalize(v[1]) + vload4(0, (__global float *)v).wzyx;
    printf("hello %d %s\n", 3, "x");
}
