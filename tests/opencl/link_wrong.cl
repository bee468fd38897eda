/* Exports names of link_library.cl with other types: cannot be linked with link_use.cl. build: plain */
double scale(double x, int k) { return x * k; }
global int shared_counter = 1;
