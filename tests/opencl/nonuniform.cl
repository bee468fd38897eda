/* Operations of active lanes, in both arms of a condition (which -O1 would join): r[k * n + i] is operation k of item i. build: O0 1.4 */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define S16 __attribute__((intel_reqd_sub_group_size(16)))
#define PUT(value) r[(size_t)k++ * n + i] = (value)

#define THREE(op, v)                                                                                                   \
    PUT(sub_group_non_uniform_reduce_##op(v));                                                                         \
    PUT(sub_group_non_uniform_scan_inclusive_##op(v));                                                                 \
    PUT(sub_group_non_uniform_scan_exclusive_##op(v));
#define NUMBERS(v) THREE(add, v) THREE(mul, v) THREE(min, v) THREE(max, v)
#define BITS(v) THREE(and, v) THREE(or, v) THREE(xor, v)
#define MOVES(v, at)                                                                                                   \
    PUT(sub_group_broadcast_first(v));                                                                                 \
    PUT(sub_group_shuffle(v, (at)&15));                                                                                \
    PUT(sub_group_shuffle_xor(v, (at)&15));                                                                            \
    PUT(sub_group_shuffle_up(v, (at)&3));                                                                              \
    PUT(sub_group_shuffle_down(v, (at)&3));                                                                            \
    PUT(sub_group_non_uniform_broadcast(v, 3));

#define KERNEL(T, OPERATIONS)                                                                                          \
    S16 __kernel void of_##T(__global const T *x, __global const uint *lane, __global const int *arm, __global T *r)   \
    {                                                                                                                  \
        size_t i = get_global_id(0), n = get_global_size(0);                                                           \
        T v = x[i];                                                                                                    \
        int k = 0;                                                                                                     \
        if (arm[i]) {                                                                                                  \
            OPERATIONS(v)                                                                                              \
            MOVES(v, lane[i])                                                                                          \
        } else {                                                                                                       \
            v = v + 1;                                                                                                 \
            OPERATIONS(v)                                                                                              \
            MOVES(v, lane[i])                                                                                          \
        }                                                                                                              \
    }
#define INTEGERS(v) NUMBERS(v) BITS(v)
KERNEL(char, INTEGERS)
KERNEL(uchar, INTEGERS)
KERNEL(short, INTEGERS)
KERNEL(ushort, INTEGERS)
KERNEL(int, INTEGERS)
KERNEL(uint, INTEGERS)
KERNEL(long, INTEGERS)
KERNEL(ulong, INTEGERS)
KERNEL(half, NUMBERS)
KERNEL(float, NUMBERS)
KERNEL(double, NUMBERS)

S16 __kernel void votes(__global const int *x, __global const uint *lane, __global const int *arm, __global int *r)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    int v = x[i], k = 0;
    if (arm[i]) {
        uint4 b = sub_group_ballot(v & 1);
        PUT(sub_group_elect());
        PUT(sub_group_non_uniform_all(v & 1));
        PUT(sub_group_non_uniform_any(v & 1));
        PUT(sub_group_non_uniform_all_equal(v & 2));
        PUT((int)(b.x | b.y | b.z | b.w));
        PUT(sub_group_inverse_ballot(b));
        PUT(sub_group_ballot_bit_extract(b, lane[i] & 15));
        PUT((int)sub_group_ballot_bit_count(b));
        PUT((int)sub_group_ballot_inclusive_scan(b));
        PUT((int)sub_group_ballot_exclusive_scan(b));
        PUT(b.x ? (int)sub_group_ballot_find_lsb(b) : -1);
        PUT(b.x ? (int)sub_group_ballot_find_msb(b) : -1);
        THREE(logical_and, v & 1)
        THREE(logical_or, v & 1)
        THREE(logical_xor, v & 1)
        PUT(sub_group_clustered_reduce_add(v, 4));
        PUT(sub_group_clustered_reduce_max(v, 2));
        PUT(sub_group_clustered_reduce_mul(v, 8));
        PUT(sub_group_clustered_reduce_xor(v, 16));
        PUT(sub_group_clustered_reduce_logical_and(v & 1, 4));
    }
}

/* Varying ballots, with bits of lanes that do not exist. */
S16 __kernel void own_ballots(__global const int *x, __global const uint *lane, __global int *r)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    uint4 b = (uint4)((uint)x[i], lane[i], 1, 2);
    int k = 0;
    PUT(sub_group_ballot_bit_extract(b, lane[i] & 15));
    PUT(sub_group_ballot_bit_extract(b, 5));
    PUT((int)sub_group_ballot_bit_count(b));
    PUT((int)sub_group_ballot_inclusive_scan(b));
    PUT((int)sub_group_ballot_exclusive_scan(b));
    PUT(b.x & 0xffff ? (int)sub_group_ballot_find_lsb(b) : -1);
    PUT(b.x & 0xffff ? (int)sub_group_ballot_find_msb(b) : -1);
}
