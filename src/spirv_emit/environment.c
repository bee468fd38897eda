/* environment.c - what Vulkan lacks of OpenCL, and its names for what both have. */
#include "internal.h"

/* Does Vulkan have the capability? Else an error. */
XE_FN_ bool spe_has_capability_(spe_module *m, uint32_t capability, const char *extension)
{
#define SPE_ROW_(kind, name, number) {number, #name},
    static const struct {
        uint16_t number;
        const char *name;
    } names[] = {SPE_CAPABILITIES(SPE_ROW_)};
#undef SPE_ROW_
    static const struct {
        uint16_t first, last;
    } lacks[] = {{4, 8}, {13, 15}, {17, 20}, {38, 38}, {58, 60}, {5425, 5425}, {6400, 6400}};
    bool has = strncmp(extension, "SPV_INTEL_", 10) != 0;
    const char *name = "";
    for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++)
        has = has && !(capability >= lacks[i].first && capability <= lacks[i].last);
    for (size_t i = 0; i < sizeof names / sizeof *names && !has; i++) {
        if (names[i].number == capability) name = names[i].name;
    }
    return has || spe_error_(m, SPE_ERR_ENVIRONMENT, "Vulkan has no capability %s (%u)", name, capability);
}

/* Memory semantics as the environment writes them: global memory is its uniform memory, and orders say what becomes
 * available and visible. */
XE_FN_ uint32_t spe_semantics_(const spe_module *m, uint32_t word)
{
    const uint32_t global = SPE_MemorySemanticsCrossWorkgroupMemory, both = SPE_MemorySemanticsAcquireRelease;
    const uint32_t sequential = SPE_MemorySemanticsSequentiallyConsistent;
    if (m->options.env == SPE_ENV_OPENCL) return word;
    if (word & sequential) word ^= sequential | both;
    if (word & global) word ^= global | SPE_MemorySemanticsUniformMemory;
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

/* What becomes of a decoration: 1, it is written; 0, a hint for OpenCL's compilers that is left away; -1: an error. */
XE_FN_ int spe_keeps_decoration_(spe_module *m, uint32_t decoration)
{
    switch (decoration) {
    case SPE_DecorationAlignment: case SPE_DecorationConstant: case SPE_DecorationMaxByteOffset:
    case SPE_DecorationFPFastMathMode: case SPE_DecorationFuncParamAttr: case SPE_DecorationCacheControlLoadINTEL:
    case SPE_DecorationCacheControlStoreINTEL: return 0;
    case SPE_DecorationCPacked: case SPE_DecorationSaturatedConversion: case SPE_DecorationLinkageAttributes:
    case SPE_DecorationHostAccessINTEL:
        return spe_error_(m, SPE_ERR_ENVIRONMENT, "Vulkan has no decoration %u", decoration), -1;
    default: return 1;
    }
}

/* May a compiler contract the operation with another, or rearrange it, unless it is decorated? */
XE_FN_ bool spe_contracts_(uint32_t op) { return op == SPE_OpFAdd || op == SPE_OpFSub || op == SPE_OpFMul; }
