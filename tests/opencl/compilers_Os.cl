/* The kernels of compilers.cl with -Os, SPIR-V 1.2. build: Os 1.2 */
#include "compilers.cl"
