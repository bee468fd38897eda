/* Imports `scale` with a type that link_wrong.cl does not export. build: plain */
extern float scale(float x, int k);
kernel void use(global float *v) { v[get_global_id(0)] = scale(v[get_global_id(0)], 1); }
