/* The kernels of flow.cl after loop passes and jump threading. build: threaded */
#include "flow.cl"
