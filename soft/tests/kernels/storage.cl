// structures by value that a lane changes; generic pointers asked where they point
typedef struct { int a, b; float f[3]; } pack;

__attribute__((noinline)) int touch(__private pack *p, int by)
{
    p->a += by;
    p->f[by & 1] = (float)by;
    return p->a;
}

__kernel void structures(pack p, __global int *r, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    if (i % 3 == 0) p.b = i;
    p.a = touch(&p, i);
    p.f[i % 3] += 2.0f;
    r[i] = p.a + 1000 * p.b + (int)p.f[0] + 7 * (int)p.f[1] + 11 * (int)p.f[2];
}

__attribute__((noinline)) int where(int *p) // generic
{
    return (to_global(p) ? 1 : 0) | (to_local(p) ? 2 : 0) | (to_private(p) ? 4 : 0) |
           ((get_fence(p) & CLK_LOCAL_MEM_FENCE) ? 8 : 0) | ((get_fence(p) & CLK_GLOBAL_MEM_FENCE) ? 16 : 0);
}

__constant int table[4] = {1, 2, 3, 4};

__kernel void generic_pointers(__global int *r, __local int *t)
{
    __local int own[16];
    int mine[4], i = get_global_id(0), l = get_local_id(0);
    mine[i & 3] = i;
    own[l & 15] = l;
    t[l] = l;
    int *p = i % 4 == 0 ? (int *)(r + i) : i % 4 == 1 ? (int *)(own + (l & 15)) : i % 4 == 2 ? (int *)(t + l) : mine + (i & 3);
    r[i] = where(p) + 100 * where((int *)(r + 1)) + 10000 * where((int *)own) + 1000000 * where(mine);
}
