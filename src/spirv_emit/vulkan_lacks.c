/* vulkan_lacks.c - what Vulkan lacks of OpenCL: capabilities, decorations, instructions. */
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

/* Does Vulkan have the instruction? Else an error. The rows, in order, are those of the grammar whose capabilities
 * Vulkan all lacks. */
XE_FN_ bool spe_has_instruction_(spe_module *m, uint32_t op)
{
    static const struct {
        uint16_t first, last;
        const char *needs;
    } lacks[] = {{31, 31, "Kernel"},          {34, 34, "Kernel"},
                 {35, 37, "DeviceEnqueue"},   {38, 38, "Pipes"},
                 {45, 45, "LiteralSampler"},  {69, 69, "Kernel"},
                 {70, 70, "Addresses"},       {101, 102, "Kernel"},
                 {118, 119, "Kernel"},        {121, 123, "Kernel"},
                 {158, 163, "Kernel"},        {231, 231, "Kernel"},
                 {256, 260, "Kernel"},        {261, 271, "Groups"},
                 {274, 288, "Pipes"},         {291, 304, "DeviceEnqueue"},
                 {318, 319, "Kernel"},        {321, 321, "Addresses"},
                 {322, 324, "PipeStorage"},   {325, 326, "SubgroupDispatch"},
                 {327, 329, "NamedBarrier"}};
    for (size_t i = 0; i < sizeof lacks / sizeof *lacks && op >= lacks[i].first; i++) {
        if (op <= lacks[i].last)
            return spe_error_(m, SPE_ERR_ENVIRONMENT, "Vulkan has no instruction %u, which needs the capability %s", op,
                              lacks[i].needs);
    }
    return true;
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

/* The instruction that Vulkan has in place of one of OpenCL's, given the first operand; 0 and an error if it has
 * none. */
XE_FN_ uint32_t spe_vulkan_op_(spe_module *m, uint32_t op, uint32_t operand)
{
    const spe_type_info *t = spe_info_(m, spe_type_of(m, operand));
    if (op >= SPE_OpBitFieldInsert && op <= SPE_OpBitCount && t && spe_width(m, spe_type_of(m, operand)) != 32)
        return spe_error_(m, SPE_ERR_ENVIRONMENT, "takes integers of 32 bits in Vulkan, not %s",
                          spe_text_(m, spe_type_of(m, operand)));
    if (op != SPE_OpInBoundsPtrAccessChain || !t) return op;
    if (t->storage == SPE_StorageClassFunction || t->storage == SPE_StorageClassPrivate)
        return spe_error_(m, SPE_ERR_ENVIRONMENT, "Vulkan's pointers to private memory cannot be moved; spe_element "
                          "takes an index into an array");
    return SPE_OpPtrAccessChain;
}
