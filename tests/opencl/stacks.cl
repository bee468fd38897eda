/* Kernels with large private arrays, and with many in a chain of calls, for tests/opencl/test_opencl_stacks.c. build: plain */
#define LARGE(name, count)                                                                                             \
    __kernel void name(__global uint *out, uint seed)                                                                  \
    {                                                                                                                  \
        uint a[count], sum = 0, mine = seed + (uint)get_global_id(0);                                                  \
        for (uint i = 0; i < count; i += 61) a[(i * 7 + mine) % count] = i;                                            \
        for (uint i = 0; i < count; i += 61) sum += a[(i * 7 + mine) % count] * (i | 1);                               \
        out[get_global_id(0)] = sum + mine;                                                                            \
    }                                                                                                                  \
    __kernel void name##_barrier(__global uint *out, uint seed)                                                        \
    {                                                                                                                  \
        uint a[count], sum = 0, mine = seed + (uint)get_global_id(0);                                                  \
        __local uint t[1024];                                                                                          \
        for (uint i = 0; i < count; i += 61) a[(i * 7 + mine) % count] = i;                                            \
        t[get_local_id(0)] = mine;                                                                                     \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        for (uint i = 0; i < count; i += 61) sum += a[(i * 7 + mine) % count] * (i | 1);                               \
        out[get_global_id(0)] = sum + t[get_local_id(0) ^ 1] + (get_local_id(0) & 1 ? 1u : -1u);                       \
    }
LARGE(kib16, 4096)
LARGE(kib64, 16384)
LARGE(mib1, 262144)

/* Each fills its array, calls the next one, which writes to it, and sums it. */
#define LEVEL(name, next)                                                                                              \
    __attribute__((noinline)) uint name(__private uint *from, uint seed, __local uint *t)                              \
    {                                                                                                                  \
        uint a[1024], sum = 0;                                                                                         \
        for (uint i = 0; i < 1024; i++) a[i] = from[(i * 5 + seed) & 1023] + i;                                        \
        sum = next(a, seed * 3 + 1, t);                                                                                \
        for (uint i = 0; i < 1024; i++) sum = sum * 31 + a[i];                                                         \
        from[seed & 1023] ^= sum;                                                                                      \
        return sum;                                                                                                    \
    }
__attribute__((noinline)) uint bottom(__private uint *from, uint seed, __local uint *t)
{
    (void)t;
    from[seed & 1023] += seed;
    return seed;
}
__attribute__((noinline)) uint bottom_barrier(__private uint *from, uint seed, __local uint *t)
{
    t[get_local_id(0)] = seed;
    barrier(CLK_LOCAL_MEM_FENCE);
    from[seed & 1023] += t[get_local_id(0) ^ 1];
    return seed;
}
#define CHAIN(kernel_name, n, end)                                                                                     \
    LEVEL(level0##n, end) LEVEL(level1##n, level0##n) LEVEL(level2##n, level1##n) LEVEL(level3##n, level2##n)          \
    LEVEL(level4##n, level3##n) LEVEL(level5##n, level4##n) LEVEL(level6##n, level5##n) LEVEL(level7##n, level6##n)    \
    __kernel void kernel_name(__global uint *out, uint seed)                                                           \
    {                                                                                                                  \
        __local uint t[1024];                                                                                          \
        uint a[1024], mine = seed + (uint)get_global_id(0);                                                            \
        for (uint i = 0; i < 1024; i++) a[i] = i * mine;                                                               \
        out[get_global_id(0)] = level7##n(a, mine, t);                                                                 \
    }
CHAIN(chain, _a, bottom)
CHAIN(chain_barrier, _b, bottom_barrier)
