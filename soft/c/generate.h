/* generate.h - the interface of the code generator. */
#ifndef XETILE_SOFT_GENERATE_H
#define XETILE_SOFT_GENERATE_H

#include "ir/options.h"
#include "passes/versions.h"
#include "spirv/spirv.h"

/* Translates a checked module to C: one translation unit, including abi.h and prelude.h. */
bool cg_generate(const struct sp_module *m, const struct cg_options *o, struct sp_text *c, struct sp_text *log);

#endif
