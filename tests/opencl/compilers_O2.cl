/* The kernels of compilers.cl with -O2, SPIR-V 1.1. build: O2 1.1 */
#include "compilers.cl"
