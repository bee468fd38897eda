/* printf with every kind of conversion. build: plain */
__kernel void prints(int n, __global const float *f)
{
    size_t i = get_global_id(0);
    if (i == 3) printf("int %d, %5d|%-5d|%05d, hex %x %#X, char %c, string %s, %%\n", n, n, n, n, n, n, 'x', "abc");
    if (i == 5) printf("float %f %.3f %e %g, long %ld %lu\n", f[0], f[1], f[2], f[3], (long)n << 32, 18446744073709551615UL);
    if (i == 7) printf("vector %v4d %v2hlf and %v3hhx\n", (int4)(1, n, 3, -4), (float2)(0.5f, f[1]), (uchar3)(10, 11, 255));
    if (i == 9) printf("no arguments\n");
    if ((i & 7) == 1) printf("item %u\n", (uint)i);
}
