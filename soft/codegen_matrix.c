#include "codegen.h"
bool cg_write_matrix(struct cg *g) { (void)g; return false; }
bool cg_block_access(struct cg *g, const struct sp_inst *i, uint32_t k, uint32_t *item, uint64_t *bytes)
{ (void)g; (void)i; (void)k; (void)item; (void)bytes; return false; }
