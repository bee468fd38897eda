/* The kernels of memory.cl after all of -O2. build: full */
#include "memory.cl"
