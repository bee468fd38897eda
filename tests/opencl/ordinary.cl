/* Ten realistic kernels, for bench/bench_opencl.c. build: full */
#pragma OPENCL FP_CONTRACT OFF

__kernel void saxpy(__global const float *x, __global float *y, float a)
{
    size_t i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}

/* A sum per work-group, by halving. */
__kernel void reduction(__global const float *x, __global float *sums)
{
    __local float part[256];
    size_t l = get_local_id(0), n = get_global_size(0), i = get_global_id(0);
    part[l] = x[i] + x[i + n] + x[i + 2 * n] + x[i + 3 * n];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = 128; s > 0; s /= 2) {
        if (l < s) part[l] += part[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) sums[get_group_id(0)] = part[0];
}

__kernel void transpose(__global const float *x, __global float *y, uint n)
{
    __local float tile[16][17];
    size_t lx = get_local_id(0), ly = get_local_id(1), gx = get_group_id(0) * 16, gy = get_group_id(1) * 16;
    tile[ly][lx] = x[(gy + ly) * n + gx + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    y[(gx + ly) * n + gy + lx] = tile[lx][ly];
}

__kernel void histogram(__global const uchar *x, __global uint *bins)
{
    __local uint own[256];
    size_t l = get_local_id(0), i = get_global_id(0);
    own[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 16; k++) atomic_inc(&own[x[i + k * get_global_size(0)]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[l], own[l]);
}

__kernel void n_body(__global const float4 *bodies, __global float4 *forces, uint n)
{
    __local float4 tile[128];
    size_t l = get_local_id(0), i = get_global_id(0);
    float4 me = bodies[i];
    float3 f = 0;
    for (uint first = 0; first < n; first += 128) {
        tile[l] = bodies[first + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < 128; k++) {
            float3 d = tile[k].xyz - me.xyz;
            float r2 = d.x * d.x + d.y * d.y + d.z * d.z + 0.01f, r = rsqrt(r2);
            f += d * (tile[k].w * r * r * r);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    forces[i] = (float4)(f, 0);
}

__kernel void stencil(__global const float *x, __global float *y, uint n)
{
    uint c = (uint)get_global_id(0), r = (uint)get_global_id(1);
    if (c == 0 || r == 0 || c == n - 1 || r == n - 1) {
        y[r * n + c] = x[r * n + c];
        return;
    }
    y[r * n + c] = 0.5f * x[r * n + c] + 0.125f * (x[r * n + c - 1] + x[r * n + c + 1] + x[(r - 1) * n + c] + x[(r + 1) * n + c]);
}

/* Prefix sums within each work-group. */
__kernel void scan(__global const uint *x, __global uint *y)
{
    __local uint part[2][256];
    size_t l = get_local_id(0), i = get_global_id(0);
    uint at = 0;
    part[0][l] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = 1; s < 256; s *= 2) {
        part[1 - at][l] = part[at][l] + (l >= s ? part[at][l - s] : 0);
        at = 1 - at;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    y[i] = part[at][l] - x[i];
}

__kernel void mandelbrot(__global uint *steps, uint n)
{
    uint c = (uint)get_global_id(0), r = (uint)get_global_id(1), k = 0;
    float x0 = (float)c / (float)n * 3.0f - 2.0f, y0 = (float)r / (float)n * 2.0f - 1.0f, x = 0, y = 0;
    while (k < 256 && x * x + y * y <= 4.0f) {
        float t = x * x - y * y + x0;
        y = 2.0f * x * y + y0;
        x = t;
        k++;
    }
    steps[r * n + c] = k;
}

float cumulative_normal(float x)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(x));
    float p = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    p *= 0.39894228f * exp(-0.5f * x * x);
    return x < 0 ? p : 1.0f - p;
}

__kernel void black_scholes(__global const float *price, __global const float *strike, __global float *call, float years)
{
    size_t i = get_global_id(0);
    const float rate = 0.02f, volatility = 0.3f;
    float s = price[i], k = strike[i], root = volatility * sqrt(years);
    float d1 = (log(s / k) + (rate + 0.5f * volatility * volatility) * years) / root, d2 = d1 - root;
    call[i] = s * cumulative_normal(d1) - k * exp(-rate * years) * cumulative_normal(d2);
}

__kernel void matrix_product(__global const float *a, __global const float *b, __global float *c, uint n)
{
    __local float ta[16][16], tb[16][16];
    size_t lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (uint k = 0; k < n; k += 16) {
        ta[ly][lx] = a[y * n + k + lx];
        tb[ly][lx] = b[(k + ly) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < 16; j++) sum = fma(ta[ly][j], tb[j][lx], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}

/* A nearly empty kernel, to measure the launch overhead. */
__kernel void touch(__global uint *x)
{
    if (get_global_id(0) == 0) x[0]++;
}
