/* Features of whole programs: program-scope variables and tables, generic pointers, kernels that call functions.
 * build: plain */
__constant int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__constant char text[] = "hello, lanes";
__constant float4 vectors[2] = {(float4)(1, 2, 3, 4), (float4)(-1, -2, -3, -4)};
__global int counter = 40;
__global int history[4] = {1, 2};
__global float scale = 1.5f;
__constant int *__constant chosen = &table[2];
__global int *second = &history[1];

typedef struct { int a; __constant char *name; short b[2]; } entry;
__constant entry entries[2] = {{7, text, {1, 2}}, {8, text + 7, {3, 4}}};

__kernel void constants(__global int *r, int k)
{
    size_t i = get_global_id(0);
    r += 10 * i;
    r[0] = table[i & 7];
    r[1] = text[i % 12];
    r[2] = (int)vectors[i & 1].s2;
    r[3] = chosen[i & 3];
    r[4] = entries[i & 1].a;
    r[5] = entries[i & 1].name[0];
    r[6] = entries[(i >> 1) & 1].b[i & 1];
    r[7] = table[k];
    r[8] = entries[k & 1].name[1];
    r[9] = ((__constant int *)&vectors[k & 1])[1] == as_int(k & 1 ? -2.0f : 2.0f);
}

/* Program-scope variables persist between launches. */
__kernel void remember(__global int *r)
{
    size_t i = get_global_id(0);
    int old = atomic_add(&counter, 1);
    if (i == 0) {
        history[2] += 10;
        *second += 5;
        scale *= 2;
    }
    r[i] = old;
}

__kernel void recall(__global int *r)
{
    r[0] = counter;
    for (int k = 0; k < 4; k++) r[1 + k] = history[k];
    r[5] = (int)(scale * 4);
}

/* Generic pointers: functions without a known address space. */
int sum_of(const int *p, int n)
{
    int s = 0;
    for (int k = 0; k < n; k++) s += p[k] * (k + 1);
    return s;
}

void put(int *p, int v) { *p = v; }

__kernel void generic_pointers(__global int *a, __global int *r)
{
    size_t i = get_global_id(0), l = get_local_id(0);
    __local int shared[64];
    int own[4] = {(int)i, 2, 3, 4};
    put(&shared[l], a[i]);
    put(&own[1], (int)l * 10);
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = i & 1 ? (int *)own : (int *)&shared[l & ~3u];
    r += 6 * i;
    r[0] = sum_of(own, 4);
    r[1] = sum_of(&shared[l & ~3u], 4);
    r[2] = sum_of(a + (i & ~3u), 4);
    r[3] = sum_of(p, 3);
    put(i % 3 ? &r[4] : (int *)own, 55);
    r[5] = own[0] + (to_global((int *)r) != 0) * 1000 + (to_local((int *)&shared[0]) != 0) * 2000;
}

/* Asynchronous copies, a required work-group size, and a kernel that another calls. */
__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void copies(__global const float *a, __global float *r, __local float *buffer)
{
    size_t g = get_group_id(0), l = get_local_id(0);
    event_t e = async_work_group_copy(buffer, a + g * 32, 32, 0);
    e = async_work_group_strided_copy(buffer + 32, a + g, 16, 3, e);
    wait_group_events(1, &e);
    r[64 * g + l] = buffer[31 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
    buffer[l] = buffer[32 + l / 2] + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(r + 64 * g + 32, buffer, 32, 0);
    wait_group_events(1, &e);
}

__kernel void inner(__global int *r) { r[get_global_id(0)] += 3; }
__kernel void outer(__global int *r)
{
    r[get_global_id(0)] = (int)get_global_id(0);
    inner(r);
    inner(r);
}
