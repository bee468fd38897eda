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
static size_t vkd_end_of_entries_(const vkd_source *s, size_t *entries)
{
    enum { VERSION_1_4 = 0x10400 };
    size_t end = 0, at;
    *entries = 0;
    if (vkd_word_(s, 1) < VERSION_1_4) return 0;
    for (at = 0; (at = vkd_next_op_(s, at, VKD_OP_CAPABILITY_)) && vkd_word_(s, at) >> 16 == 2;) {
        uint32_t capability = vkd_word_(s, at + 1);
        if (capability >= VKD_FIRST_CAPABILITY_ && capability <= VKD_LAST_CAPABILITY_) return 0;
    }
    for (at = 0; (at = vkd_next_op_(s, at, VKD_OP_ENTRY_POINT_)) && vkd_word_(s, at) >> 16 > 2; ++*entries)
        end = at + (vkd_word_(s, at) >> 16);
    return end;
}

/* Writes the capabilities of the modes that the device offers; returns their words. */
static size_t vkd_put_capabilities_(const vkd_device *d, uint32_t *to)
{
    size_t n = 0;
    for (int row = 0; row < VKD_FLOAT_MODES_; row++) {
        if (!vkd_offered_widths_(d, row)) continue;
        to[n++] = 2 << 16 | VKD_OP_CAPABILITY_;
        to[n++] = vkd_float_modes_[row].capability;
    }
    return n;
}

/* The same of an entry point's modes. */
static size_t vkd_put_modes_(const vkd_device *d, uint32_t entry, uint32_t *to)
{
    size_t n = 0;
    for (uint32_t i = 0; i < (uint32_t)VKD_FLOAT_MODES_ * VKD_WIDTHS_; i++) {
        uint32_t width = 16u << i % VKD_WIDTHS_;
        if (!(vkd_offered_widths_(d, (int)(i / VKD_WIDTHS_)) & width)) continue;
        to[n++] = 4 << 16 | VKD_OP_EXECUTION_MODE_;
        to[n++] = entry;
        to[n++] = vkd_float_modes_[i / VKD_WIDTHS_].mode;
        to[n++] = width;
    }
    return n;
}

/* A copy of the module with the modes that the device offers, and its length in words; NULL: out of memory. */
XE_FN_ uint32_t *vkd_with_float_modes_(const vkd_device *d, const vkd_source *s, size_t *count)
{
    enum { HEAD = 5, MOST = VKD_FLOAT_MODES_ * (2 + 4 * VKD_WIDTHS_) };
    const char *from = (const char *)s->words;
    size_t entries, end = vkd_end_of_entries_(s, &entries), n = HEAD, all = s->bytes / 4;
    uint32_t *copy = (uint32_t *)malloc((all + MOST * (entries + 1)) * sizeof *copy);
    if (!copy) return NULL;
    memcpy(copy, from, HEAD * sizeof *copy);
    if (end) n += vkd_put_capabilities_(d, copy + n);
    if (!end) end = HEAD;
    memcpy(copy + n, from + 4 * HEAD, (end - HEAD) * sizeof *copy);
    n += end - HEAD;
    for (size_t at = 0; entries; entries--) {
        at = vkd_next_op_(s, at, VKD_OP_ENTRY_POINT_);
        n += vkd_put_modes_(d, vkd_word_(s, at + 2), copy + n);
    }
    memcpy(copy + n, from + 4 * end, (all - end) * sizeof *copy);
    *count = n + all - end;
    return copy;
}
