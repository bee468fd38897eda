/* The kernels of flow.cl with every variable in memory, as compilers write without optimising. build: none */
#include "flow.cl"
