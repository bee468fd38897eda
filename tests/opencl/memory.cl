/* Structures, arrays, unions, pointers in private memory and constant tables. build: plain */
#define MEMORY __global
#define TABLE __constant
#include "memory_functions.h"

#define KERNEL(name)                                                                                                  \
    __kernel void run_##name(__global const int *x, int n, __global int *memory, __global int *r)                     \
    {                                                                                                                 \
        size_t i = get_global_id(0);                                                                                  \
        r[i] = name(x[i], n, memory + 4 * i);                                                                         \
    }
ITEM_FUNCTIONS(KERNEL)
