/* Hashing, a heap, big integers, a parser etc. build: O0 1.0 */
#define MEMORY __global
#define ITEM(name) static int name(int x, int n, MEMORY int *m)
#define TABLE __constant
#include "algorithms_functions.h"

#define KERNEL(name)                                                                                                  \
    __kernel void run_##name(__global const int *x, int n, __global int *memory, __global int *r)                     \
    {                                                                                                                 \
        size_t i = get_global_id(0);                                                                                  \
        r[i] = name(x[i], n, memory + 4 * i);                                                                         \
    }
ALGORITHMS(KERNEL)
