/* float_modes.c - what kernels rely on: subnormal numbers, infinities, NaN and the sign of 0 are kept, and results are
 * rounded to nearest. Vulkan leaves all of it to the driver unless an entry point asks, and a driver may refuse to be
 * asked: so modules do not ask, and the modes that the device offers are added when a module is loaded. */
#include "internal.h"

enum { VKD_WIDTHS_ = 3 }; /* 16, 32 and 64 bits */

static const struct {
    uint32_t capability, mode;
    size_t offered;     /* of 16 bits; the wider ones follow */
    size_t independent; /* may widths differ? 0: always */
} vkd_float_modes_[] = {
#define VKD_OFFSET_(member) offsetof(VkPhysicalDeviceFloatControlsProperties, member)
    {4464, 4459, VKD_OFFSET_(shaderDenormPreserveFloat16), VKD_OFFSET_(denormBehaviorIndependence)},
    {4466, 4461, VKD_OFFSET_(shaderSignedZeroInfNanPreserveFloat16), 0},
    {4467, 4462, VKD_OFFSET_(shaderRoundingModeRTEFloat16), VKD_OFFSET_(roundingModeIndependence)},
#undef VKD_OFFSET_
};
enum { VKD_FLOAT_MODES_ = sizeof vkd_float_modes_ / sizeof *vkd_float_modes_, VKD_FIRST_CAPABILITY_ = 4464,
       VKD_LAST_CAPABILITY_ = 4468 };

/* The widths, in bits or-ed together, for which the device offers a row's mode all at once. */
static uint32_t vkd_offered_widths_(const vkd_device *d, int row)
{
    const char *floats = (const char *)&d->features_->floats;
    VkBool32 has[VKD_WIDTHS_];
    VkShaderFloatControlsIndependence independence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
    memcpy(has, floats + vkd_float_modes_[row].offered, sizeof has);
    if (vkd_float_modes_[row].independent)
        memcpy(&independence, floats + vkd_float_modes_[row].independent, sizeof independence);
    uint32_t widths = (has[0] ? 16u : 0) | (has[1] ? 32u : 0) | (has[2] ? 64u : 0);
    if (independence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL) return widths;
    if (independence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE) return widths == (16 | 32 | 64) ? widths : 0;
    return has[0] == has[2] ? widths : widths & 32;
}

/* Where the last entry point ends, and their number; 0: none, or the module asks for modes itself, or is of a version
 * that has them as an extension only. */
static size_t vkd_end_of_entries_(const uint32_t *words, size_t count, size_t *entries)
{
    enum { OP_ENTRY_POINT = 15, OP_CAPABILITY = 17, OP_EXECUTION_MODE = 16, VERSION_1_4 = 0x10400 };
    size_t end = 0;
    *entries = 0;
    if (words[1] < VERSION_1_4) return 0;
    for (size_t at = 5; at < count && words[at] >> 16 && words[at] >> 16 <= count - at; at += words[at] >> 16) {
        uint32_t op = words[at] & 0xffff, first = at + 1 < count ? words[at + 1] : 0;
        if (op == OP_EXECUTION_MODE) break;
        if (op == OP_CAPABILITY && first >= VKD_FIRST_CAPABILITY_ && first <= VKD_LAST_CAPABILITY_) return 0;
        if (op != OP_ENTRY_POINT) continue;
        end = at + (words[at] >> 16);
        ++*entries;
    }
    return end;
}

/* A copy of the module with the modes that the device offers; NULL: out of memory. */
XE_FN_ uint32_t *vkd_with_float_modes_(const vkd_device *d, const uint32_t *words, size_t *count)
{
    enum { MOST = VKD_FLOAT_MODES_ * (2 + 4 * VKD_WIDTHS_) };
    size_t entries, end = vkd_end_of_entries_(words, *count, &entries), n = 5;
    uint32_t *copy = (uint32_t *)malloc((*count + MOST * (entries + 1)) * sizeof *copy);
    if (!copy) return NULL;
    memcpy(copy, words, 5 * sizeof *copy);
    for (int row = 0; end && row < VKD_FLOAT_MODES_; row++) {
        if (!vkd_offered_widths_(d, row)) continue;
        copy[n++] = 2 << 16 | 17; /* OpCapability */
        copy[n++] = vkd_float_modes_[row].capability;
    }
    if (!end) end = 5;
    memcpy(copy + n, words + 5, (end - 5) * sizeof *copy);
    n += end - 5;
    for (size_t at = 5; at < end; at += words[at] >> 16) {
        if ((words[at] & 0xffff) != 15) continue; /* OpEntryPoint */
        for (uint32_t i = 0; i < (uint32_t)VKD_FLOAT_MODES_ * VKD_WIDTHS_; i++) {
            uint32_t width = 16u << i % VKD_WIDTHS_;
            if (!(vkd_offered_widths_(d, (int)(i / VKD_WIDTHS_)) & width)) continue;
            copy[n++] = 4 << 16 | 16; /* OpExecutionMode */
            copy[n++] = words[at + 2];
            copy[n++] = vkd_float_modes_[i / VKD_WIDTHS_].mode;
            copy[n++] = width;
        }
    }
    memcpy(copy + n, words + end, (*count - end) * sizeof *copy);
    *count = n + *count - end;
    return copy;
}
