/* Calls and variables of link_library.cl, for test_opencl_link.c. build: plain */
extern float scale(float x, int k);
extern uint2 mix(uint2 v, uchar n);
extern global int shared_counter;
extern constant float factors[4];
global int *global where = &shared_counter; /* an address known when the modules are linked */
global int mine = 100;
static constant int offsets[4] = {3, 1, 4, 1};
extern int __spirv_SpecConstant(int, int);

kernel void use(global const float *in, global float *out, uint n)
{
    size_t i = get_global_id(0);
    if (i < n) out[i] = (i & 4 ? scale(in[i], i & 3) : -in[i]) + factors[i & 3] + offsets[i & 3];
}

kernel void use_mix(global uint2 *v)
{
    size_t i = get_global_id(0);
    v[i] = mix(v[i], (uchar)i);
}

kernel void count(int by, global int *out)
{
    if (get_global_id(0) != 0) return;
    shared_counter += by;
    *where += 1000;
    mine++;
    out[0] = shared_counter;
    out[1] = mine;
}

kernel void special(global int *out) { out[get_global_id(0)] = __spirv_SpecConstant(7, 100); }
