/* Block reads and writes of every width and length, in subgroups of 8, 16 and 32. Each subgroup has 15 * S elements: blocks
 * of 1, 2, 4 and 8 a lane, to which 1, 2, 3 and 4 are added; of bytes 16 more. build: plain */
#define DECLARE(V, T, name)                                                                                            \
    V __attribute__((overloadable)) intel_sub_group_block_read##name(const __global T *);                              \
    void __attribute__((overloadable)) intel_sub_group_block_write##name(__global T *, V);
#define READ(name, at) intel_sub_group_block_read##name(a + (at))
#define WRITE(name, at, v) intel_sub_group_block_write##name(r + (at), v)
#define BLOCKS(T, s, S)                                                                                                \
    __attribute__((intel_reqd_sub_group_size(S))) __kernel void blocks##s##_##S(__global const T *a, __global T *r)    \
    {                                                                                                                  \
        size_t b = (size_t)get_sub_group_id() * S * 15;                                                                \
        WRITE(s, b, (T)(READ(s, b) + 1));                                                                              \
        WRITE(s##2, b + S, READ(s##2, b + S) + (T)2);                                                                  \
        WRITE(s##4, b + 3 * S, READ(s##4, b + 3 * S) + (T)3);                                                          \
        WRITE(s##8, b + 7 * S, READ(s##8, b + 7 * S) + (T)4);                                                          \
    }
#define ALL(T, s)                                                                                                      \
    DECLARE(T, T, s)                                                                                                   \
    DECLARE(T##2, T, s##2)                                                                                             \
    DECLARE(T##4, T, s##4)                                                                                             \
    DECLARE(T##8, T, s##8)                                                                                             \
    BLOCKS(T, s, 8)                                                                                                    \
    BLOCKS(T, s, 16)                                                                                                   \
    BLOCKS(T, s, 32)
ALL(uchar, _uc)
ALL(ushort, _us)
ALL(uint, _ui)
ALL(ulong, _ul)

DECLARE(uchar16, uchar, _uc16)
__attribute__((intel_reqd_sub_group_size(16))) __kernel void sixteen(__global const uchar *a, __global uchar *r)
{
    size_t b = (size_t)get_sub_group_id() * 256;
    WRITE(_uc16, b, READ(_uc16, b) + (uchar)9);
}
