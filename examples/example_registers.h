/* example_registers.h - what examples ask before they choose how much a subgroup holds. */
#ifndef EXAMPLE_REGISTERS_H
#define EXAMPLE_REGISTERS_H

#include "coopmatrix.h"

/* Intel's GPUs before Xe-HPC, whose registers have 32 bytes. The compilers of others see to registers themselves. */
static inline bool has_few_registers(const cm_target *t) { return t->igc && t->registers < 1 << 14; }

#endif
