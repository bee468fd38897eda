/* The kernels of compilers.cl with -O0, SPIR-V 1.0. build: O0 1.0 */
#include "compilers.cl"
