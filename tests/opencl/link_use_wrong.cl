/* Expects of `scale` what link_wrong.cl does not give. build: plain */
extern float scale(float x, int k);
kernel void use(global float *v) { v[get_global_id(0)] = scale(v[get_global_id(0)], 1); }
