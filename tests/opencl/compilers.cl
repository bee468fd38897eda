/* Code that compilers generate for ordinary kernels: structures by value, threes in structures, tables of pointers, 64-bit
 * switches, bools in memory, values that change places in a loop, byte copies, conditions of vectors. The files
 * compilers_*.cl are this one at other levels and for other versions of SPIR-V. build: O1 1.3 */
typedef struct {
    int n;
    long offset;
    float scale;
    uchar4 c;
    struct {
        short a;
        double d;
    } in;
} settings;

typedef struct {
    float3 p;
    char t;
    float3 v;
    short s[3];
} body;

__kernel void by_value(settings s, __global const int *x, __global long *r, char c, uchar3 u, double4 d)
{
    size_t i = get_global_id(0);
    r[i] = s.n * (long)x[i] + s.offset + (long)(s.scale * 4) + s.c.z + s.in.a + (long)s.in.d + c + u.z * 3 + (long)d.w;
}

__kernel void threes(__global const body *b, __global body *r, int n)
{
    size_t i = get_global_id(0);
    body t = b[i], copy[2];
    t.p += t.v * 2.0f;
    t.s[n % 3] += (short)t.t;
    copy[i & 1] = t;
    copy[~i & 1] = b[(i + 1) % get_global_size(0)];
    r[i] = copy[0];
    r[i].v.y = copy[1].v.x;
}

__constant int ta[4] = {1, 20, 300, 4000};
__constant int tb[3] = {-7, -8, -9};
__constant int *__constant tables[3] = {ta, tb, ta + 1};
__constant char *__constant words[4] = {"zero", "one", "two and more", ""};
typedef struct {
    __constant int *p;
    int n;
    __constant char *w;
} entry;
__constant entry entries[2] = {{tb + 1, 2, "xyz"}, {ta, 4, "q"}};

__kernel void tables_of_pointers(__global const int *x, __global int *r)
{
    size_t i = get_global_id(0);
    int v = tables[(x[i] & 63) % 3][x[i] & 1] + tables[2][2], h = 0;
    for (__constant char *w = words[x[i] & 3]; *w; w++) h = h * 31 + *w;
    __constant entry *e = &entries[x[i] & 1];
    for (int k = 0; k < e->n; k++) v = v * 3 + e->p[k];
    r[i] = v ^ h ^ e->w[0];
}

__kernel void pointers_to_pointers(__global int *x, __global int *y, __global int *r)
{
    size_t i = get_global_id(0);
    __global int *p[2] = {x + i, y + i};
    __global int **q = &p[i & 1];
    __global int ***qq = &q;
    ***qq += i & 1 ? 1 : 0;
    r[i] = ***qq * 2 + *p[0];
    if (i % 3 == 0) q = &p[0];
    r[i] += **q;
}

__kernel void switches(__global const long *x, __global const char *c, __global const ushort *u, __global int *r)
{
    size_t i = get_global_id(0);
    int v = 0;
    switch (x[i]) {
    case 0x100000000L: v = 1; break;
    case 1: v = 2; break;
    case -1: v = 3; break;
    case 0x7fffffffffffffffL: v = 4;
    case 5: v += 50; break;
    case 0xffffffffL: v = 6; break;
    default: v = 7;
    }
    switch (c[i]) {
    case -128: v += 100; break;
    case -1: v += 200; break;
    case 3: v += 300; break;
    case 127: v += 400; break;
    }
    switch (u[i]) {
    case 65535: v += 1000; break;
    case 32768: v += 2000; break;
    case 7: v += 3000; break;
    default: v += 4000; break;
    }
    r[i] = v;
}

bool odd(int x) { return x & 1; }

__kernel void bools(__global const int *x, __global int *r, __global uchar *b, __local bool *l)
{
    size_t g = get_global_id(0), i = get_local_id(0);
    bool flags[5];
    for (int k = 0; k < 5; k++) flags[k] = odd(x[g] >> k);
    l[i] = flags[(x[g] & 63) % 5];
    barrier(CLK_LOCAL_MEM_FENCE);
    bool v = l[(i + 1) % get_local_size(0)];
    b[g] = v != flags[2];
    r[g] = v + 2 * flags[0] + 4 * flags[4];
}

int many(settings s, body *b, __private int *p, int3 v, float f)
{
    *p += s.n;
    b->t++;
    b->p.z += 1;
    return v.z + v.x + *p + (int)f;
}

__kernel void calls(settings s, __global const int *x, __global int *r)
{
    size_t i = get_global_id(0);
    body b = {(float3)(1, 2, 3), 4, (float3)(x[i]), {1, 2, 3}};
    int p = x[i], v = many(s, &b, &p, (int3)(x[i], 2, 3), 2.5f);
    if (x[i] & 4) v += many(s, &b, &v, (int3)(4), -1.5f);
    r[i] = v + p + b.t + (int)b.p.z + (int)b.v.x;
}

__kernel void changing_places(__global const int *x, __global int *r)
{
    size_t i = get_global_id(0);
    int a = x[i], b = 1, c = 2, d = 3;
    for (int k = 0; k < (x[i] & 15); k++) {
        int t = a;
        a = b, b = c, c = d, d = t;
        if (a > 5) t = b, b = c, c = t;
    }
    r[i] = a + 10 * b + 100 * c + 1000 * d;
}

__kernel void copies(__global const uchar *from, __global uchar *to, int n)
{
    size_t i = get_global_id(0);
    uchar mine[24];
    for (int k = 0; k < 24; k++) mine[k] = from[i * 24 + k];
    *(ulong *)(mine + 8) = *(ulong *)(mine + 8) << 8 | *(ulong *)(mine + 8) >> 56;
    __builtin_memcpy(mine + 1, mine + 12, 7);
    __builtin_memset(mine + 20, n, 3);
    __builtin_memcpy(to + i * 24, mine, 24);
}

__kernel void selects(__global const int4 *x, __global const float3 *y, __global int4 *r)
{
    size_t i = get_global_id(0);
    int4 v = x[i], w = v.wzyx, below = v < w;
    float3 f = vload3(i, (__global const float *)y);
    v = below ? v * 3 : w >> 1;
    v.odd = any(f > 0.5f) ? convert_int2(f.xz * 8.0f) : v.even;
    if (all(below)) v.s2 = -1;
    r[i] = v + select((int4)(7), (int4)(9), f.xxyz < f.yzzx);
}

__kernel void __attribute__((reqd_work_group_size(8, 1, 1))) __attribute__((vec_type_hint(float4)))
hints(__global const int *restrict x, __global volatile int *r)
{
    __local int l[8][2];
    l[get_local_id(0)][0] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    r[get_global_id(0)] = l[7 - get_local_id(0)][0] + popcount(x[get_global_id(0)]);
}
