/* environment.c - what the environments have other names for. */
#include "internal.h"

/* Memory semantics as the environment writes them: global memory is its uniform memory, and orders say what becomes
 * available and visible, and of which memories: of all that atomics reach, where the caller names none. */
XE_ONCE_
XE_FN_ uint32_t spe_semantics_(const spe_module *m, uint32_t word)
{
    const uint32_t global = SPE_MemorySemanticsCrossWorkgroupMemory, both = SPE_MemorySemanticsAcquireRelease;
    const uint32_t sequential = SPE_MemorySemanticsSequentiallyConsistent;
    const uint32_t reached = SPE_MemorySemanticsUniformMemory | SPE_MemorySemanticsWorkgroupMemory;
    const uint32_t orders = both | SPE_MemorySemanticsAcquire | SPE_MemorySemanticsRelease;
    if (m->options.env == SPE_ENV_OPENCL) return word;
    if (word & sequential) word ^= sequential | both;
    if (word & global) word ^= global | SPE_MemorySemanticsUniformMemory;
    if ((word & orders) && !(word & ~orders)) word |= reached;
    if (word & (both | SPE_MemorySemanticsAcquire)) word |= SPE_MemorySemanticsMakeVisible;
    if (word & (both | SPE_MemorySemanticsRelease)) word |= SPE_MemorySemanticsMakeAvailable;
    return word;
}

/* A storage class as the environment writes it: kernels reach global and constant memory by its address. */
XE_FN_ uint32_t spe_storage_(const spe_module *m, uint32_t storage)
{
    bool by_address = storage == SPE_StorageClassCrossWorkgroup || storage == SPE_StorageClassUniformConstant;
    return m->options.env && by_address ? (uint32_t)SPE_StorageClassPhysicalStorageBuffer : storage;
}

/* May a compiler contract the operation with another, or rearrange it, unless it is decorated? */
XE_FN_ bool spe_contracts_(uint32_t op) { return op == SPE_OpFAdd || op == SPE_OpFSub || op == SPE_OpFMul; }

/* The id of the environment's set of mathematics, imported on first use. */
XE_FN_ spe_id spe_math_set_(spe_module *m)
{
    const char *name = m->options.env ? "GLSL.std.450" : "OpenCL.std";
    uint32_t w[5];
    if (m->math_set) return m->math_set;
    spe_put_text_(w + 1, name);
    w[0] = m->math_set = spe_new_id_(m, 0, 0, 0);
    spe_write_words_(m, SPE_SECTION_IMPORT_, SPE_OpExtInstImport, 1 + spe_text_words_(name), w, 0, NULL);
    return m->math_set;
}
