/* The kernels of compilers.cl with -O3, SPIR-V 1.4. build: O3 1.4 */
#include "compilers.cl"
