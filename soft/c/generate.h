/* generate.h - the code generator's door. */
#ifndef XETILE_SOFT_GENERATE_H
#define XETILE_SOFT_GENERATE_H

#include "ir/options.h"
#include "spirv/spirv.h"

/* The prelude's files as arrays of lines, NULL after the last (made by the Makefile). */
extern const char *const soft_text_abi[], *const soft_text_prelude[], *const soft_text_lanes[];
extern const char *const soft_text_matrix[], *const soft_text_math[], *const soft_text_print[];
extern const char *const soft_text_amx[], *const soft_text_coop[], *const soft_text_check[];
extern const char *const *const cg_texts[]; /* all of them, NULL after the last */

/* A checked module becomes C text: one translation unit, after abi.h and prelude.h. */
bool cg_generate(const struct sp_module *m, const struct cg_options *o, struct sp_text *c, struct sp_text *log);

#endif
