/* constants.c - values for spec constants: they replace the defaults in the module that the driver gets. */
#include "internal.h"

/* Writes a value that was checked into the constant's instruction: s has `words`. Integers with a sign, which
 * spirv_emit.h does not write, are extended by it. */
static void vkd_put_constant_(const vkd_source *s, uint32_t *words, uint32_t id, const vkd_bound_ *value)
{
    uint32_t constant = words[vkd_find_spec_(s, id) + 1], literal[2] = {0, 0};
    size_t at = vkd_find_op_(s, VKD_OP_SPEC_, 2, constant);
    if (!at) {
        at = vkd_find_op_(s, VKD_OP_SPEC_TRUE_, 2, constant);
        if (!at) at = vkd_find_op_(s, VKD_OP_SPEC_FALSE_, 2, constant);
        words[at] = (words[at] & 0xffff0000) | (value->as.u8 ? VKD_OP_SPEC_TRUE_ : VKD_OP_SPEC_FALSE_);
        return;
    }
    size_t type = vkd_find_op_(s, VKD_OP_TYPE_INT_, 1, words[at + 1]);
    uint32_t bits = type ? words[type + 2] : 0, length = (words[at] >> 16) - 3;
    memcpy(literal, &value->as, sizeof literal);
    if (bits && bits < 32 && words[type + 3] && literal[0] >> (bits - 1) & 1) literal[0] |= UINT32_MAX << bits;
    memcpy(words + at + 3, literal, (length < 2 ? length : 2) * sizeof *words);
}

/* Gives the constants of a module's copy the source's values. */
XE_FN_ bool vkd_set_constants_(vkd_device *d, const vkd_source *s, uint32_t *words, size_t count)
{
    vkd_source copy = *s;
    copy.words = words;
    copy.bytes = count * sizeof *words;
    if (s->constant_count && !s->constants)
        return vkd_fail_(d, VKD_NULL_POINTER, "the %" PRIu32 " constants are NULL", s->constant_count);
    for (uint32_t i = 0; i < s->constant_count; i++) {
        vkd_bound_ value;
        memset(&value, 0, sizeof value);
        if (!vkd_set_constant_(d, &copy, i, &value)) return false;
        vkd_put_constant_(&copy, words, s->constants[i].id, &value);
    }
    return true;
}
