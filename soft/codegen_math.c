#include "codegen.h"
bool cg_write_math(struct cg *g) { (void)g; return false; }
bool cg_math_stores(const struct sp_inst *i) { (void)i; return false; }
