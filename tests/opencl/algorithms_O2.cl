/* The kernels of algorithms.cl with -O2. build: O2 1.2 */
#include "algorithms.cl"
