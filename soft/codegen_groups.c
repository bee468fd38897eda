#include "codegen.h"
bool cg_write_group(struct cg *g) { (void)g; return false; }
