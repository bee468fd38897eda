/* Imported by link_use.cl; imports link_deep.cl. build: plain */
extern float deep(float x, global int *calls);
extern int __spirv_SpecConstant(int, int);
global int shared_counter = 7;
constant float factors[4] = {0.5f, 1.5f, 2.5f, 3.5f};
global int calls; /* counted by deep */

static constant int offsets[4] = {10, 20, 30, 40};

float scale(float x, int k) { return deep(x, &calls) * factors[k] + offsets[k]; }

uint2 mix(uint2 v, uchar n) { return (v.yx << n % 32) ^ v; }

kernel void library_state(global int *out)
{
    if (get_global_id(0) != 0) return;
    out[0] = shared_counter;
    out[1] = calls;
}

kernel void library_special(global int *out) { out[get_global_id(0)] = __spirv_SpecConstant(7, 100); }
