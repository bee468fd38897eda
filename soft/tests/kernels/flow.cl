/* Control flow: uniform and divergent branches, loops, switches, early returns, calls. */
__kernel void vadd(__global const float *a, __global const float *b, __global float *c, int n)
{
    int i = get_global_id(0);
    if (i < n) c[i] = a[i] * 2.0f + b[i];
}

__kernel void uniform_loop(__global const float *a, __global float *c, int n)
{
    int i = get_global_id(0);
    float s = 0, t = 1;
    for (int k = 0; k < n; k++) {
        float u = s; /* they swap: phis that refer to each other */
        s = t + a[k] * (float)i;
        t = u;
    }
    c[i] = s + 2 * t;
}

__kernel void collatz(__global const int *a, __global int *c)
{
    int i = get_global_id(0);
    int x = a[i], steps = 0;
    while (x != 1) {
        if (x & 1) x = 3 * x + 1;
        else x >>= 1;
        steps++;
        if (steps > 200) break;
    }
    c[i] = steps;
}

/* Values that leave a divergent loop in different iterations, computed from uniform ones inside. */
__kernel void leave_at(__global const int *a, __global int *c, int n)
{
    int i = get_global_id(0), limit = a[i], last = -1, square = 0;
    for (int k = 0; k < n; k++) {
        square = k * k + n;
        if (k == limit) break;
        last = k;
    }
    c[2 * i] = last;
    c[2 * i + 1] = square;
}

__kernel void nested(__global const int *a, __global int *c, int n)
{
    int i = get_global_id(0), x = a[i], sum = 0;
    for (int k = 0; k < (x & 7); k++) {
        for (int j = 0; j < n; j++) {
            if (((x >> j) & 1) == (k & 1)) continue;
            if (j > x % 11) break;
            sum += j * (k + 1);
            if (sum > 900) goto out;
        }
        sum ^= k;
    }
    sum += 1000;
out:
    c[i] = sum;
}

__kernel void switches(__global const int *a, __global int *c, int mode)
{
    int i = get_global_id(0), x = a[i], r;
    switch (x & 7) {
    case 0: r = x * 3; break;
    case 1: r = x + 17; /* falls through */
    case 2: r = x ^ 0x55; break;
    case 5: r = -x; break;
    default: r = 7;
    }
    switch (mode) {
    case 3: r += 100; break;
    case 4: r -= 100; break;
    default: r *= 2;
    }
    c[i] = r;
}

__kernel void early_return(__global const int *a, __global int *c)
{
    int i = get_global_id(0), x = a[i];
    c[i] = 1;
    if (x < 0) return;
    c[i] = 2;
    for (int k = 0; k < 10; k++) {
        if (x == k) return;
        c[i] += x - k;
    }
    c[i] += 1000;
}

__attribute__((noinline)) int helper(int x, int y)
{
    if (x > y) return x - y;
    int r = 0;
    for (int k = x; k < y; k++) r += k;
    return r;
}

__kernel void calls(__global const int *a, __global int *c, int n)
{
    int i = get_global_id(0), x = a[i];
    int r = helper(x & 31, n);
    if (x & 1) r += helper(n, x & 15);
    c[i] = r;
}

__kernel void ids(__global int *c)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int w = get_global_size(0), h = get_global_size(1), at = (z * h + y) * w + x;
    c[at * 8 + 0] = get_local_id(0) + 100 * get_local_id(1) + 10000 * get_local_id(2);
    c[at * 8 + 1] = get_group_id(0) + 100 * get_group_id(1) + 10000 * get_group_id(2);
    c[at * 8 + 2] = get_local_size(0) + 100 * get_local_size(1) + 10000 * get_local_size(2);
    c[at * 8 + 3] = get_num_groups(0) + 100 * get_num_groups(1) + 10000 * get_num_groups(2);
    c[at * 8 + 4] = get_global_linear_id();
    c[at * 8 + 5] = get_local_linear_id();
    c[at * 8 + 6] = get_sub_group_local_id() + 100 * get_sub_group_id();
    c[at * 8 + 7] = get_global_offset(0) + get_work_dim() * 1000;
}
