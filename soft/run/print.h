/* print.h - printf of OpenCL C for kernels. */
#ifndef XETILE_SOFT_PRINT_H
#define XETILE_SOFT_PRINT_H

#include "abi.h"

/* For xs_subgroup's member `print`: prints to standard output. A conversion that OpenCL C does not have, or that lacks
 * an argument of its kind, ends the text. */
void print_format(struct xs_subgroup *self, uint64_t format, const uint8_t *kinds, uint32_t n, const uint64_t *values);

#endif
