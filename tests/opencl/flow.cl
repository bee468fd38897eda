/* Control flow: written by hand and generated at random. build: plain */
#define MEMORY __global
#include "flow_functions.h"
#include "flow_random.h"

#define KERNEL(name)                                                                                                  \
    __kernel void run_##name(__global const int *x, int n, __global int *memory, __global int *r)                     \
    {                                                                                                                 \
        size_t i = get_global_id(0);                                                                                  \
        r[i] = name(x[i], n, memory + 4 * i, 60);                                                                     \
    }
WRITTEN_FLOWS(KERNEL)
RANDOM_FLOWS(KERNEL)
