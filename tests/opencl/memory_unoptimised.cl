/* The kernels of memory.cl with every variable in memory. build: none */
#include "memory.cl"
