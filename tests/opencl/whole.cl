/* Branches taken by all or some work-items of a subgroup; integers may wrap. build: plain */

#define HERE (get_global_id(1) * get_global_size(0) + get_global_id(0))
#define AT(k) y[(k) * get_global_size(0) * get_global_size(1) + HERE]

#define SUM(TYPE, a, b) ((TYPE)((ulong)(a) + (ulong)(b)))

/* Each comparison on either side; `c` may wrap within a subgroup. */
#define COMPARE(NAME, TYPE)                                                                                            \
    __kernel void NAME(__global int *y, TYPE from, TYPE limit, uint step)                                              \
    {                                                                                                                  \
        TYPE c = SUM(TYPE, get_global_id(0) * 3, from);                                                                \
        if (c < limit) AT(0) = 1;                                                                                      \
        if (c <= limit) AT(1) = 2;                                                                                     \
        if (c > limit) AT(2) = 3;                                                                                      \
        if (c >= limit) AT(3) = 4;                                                                                     \
        if (c == limit) AT(4) = 5;                                                                                     \
        if (c != limit) AT(5) = 6;                                                                                     \
        if (limit < c) AT(6) = 7;                                                                                      \
        if (limit >= SUM(TYPE, c, 4)) AT(7) = 8;                                                                       \
        if ((c < limit && c != from) || (step == 7 && !(c > 5))) AT(8) = 9;                                            \
        if (c == limit || SUM(TYPE, c, 1) == limit || c >= SUM(TYPE, limit, 40)) AT(9) = 10;                           \
        else if (c < SUM(TYPE, limit, -20)) AT(10) = 11;                                                               \
        else AT(11) = 12;                                                                                              \
    }
COMPARE(compare_uint, uint)
COMPARE(compare_int, int)
COMPARE(compare_ulong, ulong)
COMPARE(compare_long, long)

/* Widened in a branch: as values, and as indices of 16 bits. The table has an element for each of them. */
__kernel void widened(__global const int *table, __global long *y, uint from, uint limit)
{
    uint c = (uint)get_global_id(0) + from;
    ushort u = (ushort)(c * 2);
    short s = (short)c;
    if (get_global_id(0) < limit) {
        AT(0) = (ulong)c + 1;
        AT(1) = (long)(int)c - 1;
        AT(2) = table[u] + table[32768 + s];
    } else if (get_global_id(0) > limit + 20) {
        AT(3) = (ulong)(c - 3) * 2 + (ulong)(c + 3);
        AT(4) = (long)(int)(5 - c);
    }
}

/* The neighbours, except at the edges. */
__kernel void neighbours(__global const int *x, __global int *y, uint n)
{
    uint c = (uint)get_global_id(0), r = (uint)get_global_id(1);
    if (c == 0 || r == 0 || c == n - 1) {
        y[r * n + c] = x[r * n + c];
        return;
    }
    y[r * n + c] = x[r * n + c - 1] * 3 + x[r * n + c + 1] * 5 + x[(r - 1) * n + c] * 7;
}

/* Work-items leave the loop together, or not; diverge in it and reconverge. */
__kernel void turns(__global const int *x, __global const int *table, __global int *y, uint n, uint from)
{
    size_t i = HERE;
    int sum = 0, odd = 0;
    if (i >= n) return;
    uint count = x[i / 64] & 15;
    if (i / 64 % 3 == 1) count += x[i] & 3;
    for (uint k = 0; k < count; k++) {
        ushort at = (ushort)((uint)get_global_id(0) + from + 5 * k);
        sum += table[at];
        if (x[i + k] & 1 && i / 64 % 2) {
            odd += k + table[at] % 3;
            if (odd > 12) break;
        }
        for (uint j = 0; j < (k & 3); j++) sum = sum * 3 + table[(ushort)(at + j)];
    }
    y[i] = sum + odd * 1000;
}

/* Diverged work-items reconverge where an index may wrap. */
__kernel void rejoined(__global const int *x, __global const int *table, __global int *y, uint n, uint from)
{
    size_t i = HERE;
    if (i < n) {
        uint c = (uint)get_global_id(0) + from, k = 0;
        if (x[i] & 1) y[i] = x[i];
        ushort at = (ushort)c;
        int v = table[at];
        while (table[(ushort)(c + k)] % 7 != v % 3) {
            if (x[i] & 2) v++;
            k++;
            if (k == 9) break;
        }
        if (x[i] & 1) y[i] += v;
        else y[i] = v * 2;
    }
}

/* A selection that is uniform for a row of work-items, or not, among the active ones of a branch. */
__kernel void choices(__global const int *x, __global int *y, uint n)
{
    size_t i = HERE;
    int v = -1;
    if (i + 3 < n) {
        switch (i / 128 % 2 ? x[i] & 3 : (int)(i / 64) & 3) {
        case 0: v = x[i + 1]; break;
        case 1: v = x[i + 2] * 2;
        case 2: v += x[i + 3]; break;
        default: y[i] = x[i] * 7; return;
        }
    }
    y[i] = v;
}

/* Values computed from ids, sizes and parameters before a barrier, and used after it. */
__kernel void ids_after_barriers(__global const int *x, __global long *y, uint a, long b)
{
    __local int part[1024];
    size_t l = get_local_id(1) * get_local_size(0) + get_local_id(0), all = get_local_size(0) * get_local_size(1);
    uint place = ((uint)get_group_id(1) << 4 | 5) + a * 3;
    long far = b - (long)get_group_id(0) * 1000000007L + (get_local_id(0) << 33);
    __global long *to = &y[HERE];
    int narrow = (short)(a + get_group_id(0)) + (char)b;
    part[l] = x[HERE];
    for (uint k = 0; k < a % 4 + 1; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int seen = part[(l + k + 1) % all];
        barrier(CLK_LOCAL_MEM_FENCE);
        part[l] += seen + (int)place;
    }
    *to = part[l] + far * 3 + place + narrow + (long)get_num_groups(0);
}
