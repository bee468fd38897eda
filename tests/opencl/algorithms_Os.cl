/* The kernels of algorithms.cl with -Os. build: Os 1.4 */
#include "algorithms.cl"
