/* check.cl - faults for the checked mode to find, and their clean counterparts. build: lines */

kernel void past_end(global int *a) { a[get_global_id(0)] = 7; }

kernel void before_start(global const int *a, global int *r) { r[get_global_id(0)] = a[(int)get_global_id(0) - 4]; }

/* `far` elements after a is another allocation. */
kernel void elsewhere(global int *a, long far) { a[far + get_global_id(0)] = 3; }

kernel void wild(ulong address, global int *r) { r[get_global_id(0)] = *(global int *)address + 5; }

kernel void through_pointer(global int *a, int n)
{
    for (global int *p = a; p != a + n; p++) *p += 1;
}

kernel void vectors(global const int *a, global int *r)
{
    vstore3(vload4(get_global_id(0), a).xyz, get_global_id(0), r);
}

kernel void atomics(global int *a) { atomic_inc(a + get_global_id(0)); }

typedef struct {
    char small;
    int x[3];
} item;

kernel void copies(global const item *a, global item *r) { r[get_global_id(0)] = a[get_global_id(0)]; }

kernel void arguments(local int *mine, global int *r, int by)
{
    mine[get_local_id(0) + by] = 4;
    barrier(CLK_LOCAL_MEM_FENCE);
    r[get_global_id(0)] = mine[get_local_id(0) + by];
}

kernel void private_array(global int *r, int by)
{
    int p[8];
    for (int i = 0; i < 8; i++) p[i] = i;
    p[((int)get_global_id(0) & 7) + by] += 100;
    int sum = 0;
    for (int i = 0; i < 8; i++) sum += p[(i * by + i) & 7];
    r[get_global_id(0)] = sum;
}

kernel void async(global const int *a, global int *r, int n)
{
    local int tile[32];
    event_t e = async_work_group_copy(tile, a, n, 0);
    wait_group_events(1, &e);
    r[get_global_id(0)] = tile[get_local_id(0)];
}

/* 3 is added to an element of r, or of a copy of it that is written back. */
kernel void generic_pointers(global int *r, int which, int by)
{
    local int mine[16];
    int own[16];
    size_t l = get_local_id(0);
    for (int i = 0; i < 16; i++) own[i] = r[i];
    mine[l] = r[l];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    int *p = which == 0 ? (int *)r : which == 1 ? (int *)mine : (int *)own;
    p[l + by] += 3;
    if (which == 1) r[l] = mine[l];
    if (which == 2) r[l] = own[l];
}

kernel void load(global const int *a, global int *r) { r[get_global_id(0)] = a[get_global_id(0)]; }

kernel void local_unwritten(global int *r)
{
    local int tile[64];
    if (get_local_id(0) != 40) tile[get_local_id(0)] = 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    r[get_global_id(0)] = tile[get_local_id(0)];
}

/* Reverses the work-group, through local memory. */
kernel void turn(global int *r, int safe)
{
    local int tile[64];
    tile[get_local_id(0)] = (int)get_local_id(0);
    if (safe) barrier(CLK_LOCAL_MEM_FENCE);
    r[get_global_id(0)] = tile[get_local_size(0) - 1 - get_local_id(0)];
}

kernel __attribute__((intel_reqd_sub_group_size(16))) void turn_global(global int *a, int safe)
{
    int mine = a[get_global_id(0)];
    if (safe) barrier(CLK_GLOBAL_MEM_FENCE);
    a[get_group_id(0) * get_local_size(0) + get_local_size(0) - 1 - get_local_id(0)] = mine;
}

/* All items of a work-group write one element: a race unless the values are equal or the sums atomic. */
kernel __attribute__((intel_reqd_sub_group_size(16))) void together(global int *same, global int *differ, global int *sum)
{
    same[get_group_id(0)] = 9;
    if (differ) differ[get_group_id(0)] = (int)get_local_id(0);
    atomic_add(sum, 1);
}

kernel __attribute__((intel_reqd_sub_group_size(16))) void some_lanes(global int *r, int n)
{
    if ((int)get_local_id(0) < n) barrier(CLK_LOCAL_MEM_FENCE);
    r[get_global_id(0)] = 1;
}

kernel __attribute__((intel_reqd_sub_group_size(16))) void two_barriers(global int *r)
{
    if (get_sub_group_id() == 0) {
        r[get_global_id(0)] = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    } else {
        r[get_global_id(0)] = 2;
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

kernel __attribute__((intel_reqd_sub_group_size(16))) void early_end(global int *r)
{
    if (get_sub_group_id() == 1) return;
    barrier(CLK_LOCAL_MEM_FENCE);
    r[get_global_id(0)] = 1;
}

/* Correct reductions: local memory, barriers, a partial last work-group. */
kernel void sum(global const int *a, global int *r, local int *part, int n)
{
    int l = (int)get_local_id(0);
    part[l] = (int)get_global_id(0) < n ? a[get_global_id(0)] : 0;
    for (int step = (int)get_local_size(0) / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step) part[l] += part[l + step];
    }
    if (l == 0) r[get_group_id(0)] = part[0];
}

kernel void histogram(global const uchar *a, global uint *r, int n)
{
    local uint bin[16];
    if (get_local_id(0) < 16) bin[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = (int)get_global_id(0); i < n; i += (int)get_global_size(0)) atomic_inc(&bin[a[i] & 15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 16) atomic_add(&r[get_local_id(0)], bin[get_local_id(0)]);
}

global int counter[4] = {1, 2, 3, 4};

kernel void program_variable(global int *r, int by)
{
    r[get_global_id(0)] = counter[(get_global_id(0) & 3) + by];
}

/* Undefined in C, but kernels must survive it. */
kernel void undefined(global const int *a, global const int *b, global int *r, global const float *f)
{
    size_t i = get_global_id(0);
    r[8 * i] = a[i] / b[i];
    r[8 * i + 1] = a[i] % b[i];
    r[8 * i + 2] = (int)((uint)a[i] / (uint)b[i]);
    r[8 * i + 3] = (int)((uint)a[i] % (uint)b[i]);
    r[8 * i + 4] = a[i] << b[i];
    r[8 * i + 5] = a[i] >> b[i];
    r[8 * i + 6] = (int)f[i];
    r[8 * i + 7] = (int)(uint)f[i];
}

/* Subgroups 0 and 1 count by atomics, one item of subgroup 2 stores. */
kernel __attribute__((intel_reqd_sub_group_size(16))) void atomics_and_a_store(global int *r, int item)
{
    if (get_local_id(0) < 32) atomic_add(r, 3);
    if ((int)get_local_id(0) == item) *r = 5;
}

/* Items whose id has bits of `mask` reach the barrier less often than others. */
kernel __attribute__((intel_reqd_sub_group_size(16))) void barriers_in_a_loop(global int *r, int mask)
{
    for (int i = (int)get_local_id(0) & mask; i < 3; i++) barrier(CLK_LOCAL_MEM_FENCE);
    r[get_global_id(0)] = 1;
}

/* ---- unwritten private memory, with variables in memory */

kernel void private_unwritten(global int *r, int n)
{
    int p[8];
    for (int i = 0; i < n; i++) p[i] = i;
    r[get_global_id(0)] = p[get_global_id(0) & 7];
}

/* Each iteration has a new array. */
kernel void begun_anew(global int *r, int n)
{
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        int t[4];
        for (int k = 0; i < n && k < 4; k++) t[k] = i + k;
        sum += t[(get_global_id(0) + i) & 3];
    }
    r[get_global_id(0)] = sum;
}

__attribute__((noinline)) static void set(int *p) { *p = 3; }
__attribute__((noinline)) static int get(const int *p) { return *p; }
kernel void in_functions(global int *r, int n)
{
    int x;
    if ((int)get_global_id(0) < n) set(&x);
    r[get_global_id(0)] = get(&x);
}

/* An overrun from one local variable into the next. */
__attribute__((noinline)) static void put(local int *p, int i) { p[i] = 7; }
kernel void over_the_end(global int *r, int by)
{
    local int x[16], y[16];
    y[get_local_id(0)] = 1;
    put(x, (int)get_local_id(0) + by);
    barrier(CLK_LOCAL_MEM_FENCE);
    r[get_global_id(0)] = x[get_local_id(0)] + y[get_local_id(0)];
}

/* Only a barrier with a global fence orders global memory. */
kernel __attribute__((intel_reqd_sub_group_size(16))) void fences(global int *a, global int *r, int full)
{
    size_t i = get_global_id(0), first = get_group_id(0) * get_local_size(0);
    a[i] = (int)i;
    if (full)
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    else
        barrier(CLK_LOCAL_MEM_FENCE);
    r[i] = a[first + (i - first + 16) % get_local_size(0)];
}
