/* spirv_extinst.c - the instructions of OpenCL.std: names, and what each may be given. */
#include "spirv_reader.h"
const char *sp_ext_name(uint32_t instruction) { (void)instruction; return 0; }
