/* constants.c - values for spec constants: they replace the defaults in the module that the driver gets. */
#include "internal.h"

/* The next instruction of what stands before functions, from word `at` on; NULL: there is none. */
static uint32_t *vkd_instruction_(uint32_t *words, size_t count, size_t *at)
{
    const uint32_t op_function = 54;
    uint32_t *w = words + *at, length = *at < count ? *w >> 16 : 0;
    if (!length || length > count - *at || (*w & 0xffff) == op_function) return NULL;
    *at += length;
    return w;
}

/* The first one with an opcode from `first` to `last` whose word `place` is `word`, and (place 3) that is a SpecId. */
static uint32_t *vkd_find_instruction_(uint32_t *words, size_t count, uint32_t first, uint32_t last, uint32_t place,
                                       uint32_t word)
{
    const uint32_t spec_id = 1;
    size_t at = 5;
    for (uint32_t *w; (w = vkd_instruction_(words, count, &at)) != NULL;) {
        uint32_t op = *w & 0xffff;
        if (op < first || op > last || *w >> 16 <= place || w[place] != word) continue;
        if (place != 3 || w[2] == spec_id) return w;
    }
    return NULL;
}

/* Writes a value that was checked into the constant's instruction. Integers with a sign, which spirv_emit.h does not
 * write, are extended by it. */
static void vkd_put_constant_(uint32_t *words, size_t count, uint32_t id, const vkd_bound_ *value)
{
    enum { OP_TYPE_INT = 21, OP_SPEC_TRUE = 48, OP_SPEC_FALSE, OP_SPEC, OP_DECORATE = 71 };
    uint32_t *name = vkd_find_instruction_(words, count, OP_DECORATE, OP_DECORATE, 3, id);
    uint32_t *w = name ? vkd_find_instruction_(words, count, OP_SPEC_TRUE, OP_SPEC, 2, name[1]) : NULL;
    if (!w) return;
    if ((*w & 0xffff) != OP_SPEC) {
        *w = (*w & 0xffff0000) | (value->as.u8 ? OP_SPEC_TRUE : OP_SPEC_FALSE);
        return;
    }
    const uint32_t *type = vkd_find_instruction_(words, count, OP_TYPE_INT, OP_TYPE_INT, 1, w[1]);
    uint32_t bits = type ? type[2] : 0, literal[2] = {0, 0};
    memcpy(literal, &value->as, sizeof literal);
    if (bits && bits < 32 && type[3] && literal[0] >> (bits - 1) & 1) literal[0] |= UINT32_MAX << bits;
    memcpy(w + 3, literal, ((*w >> 16) - 3) * sizeof *w);
}

/* Gives the constants of a module's copy the source's values. */
XE_FN_ bool vkd_set_constants_(vkd_device *d, const vkd_source *s, uint32_t *words, size_t count)
{
    if (s->constant_count && !s->constants)
        return vkd_fail_(d, VKD_NULL_POINTER, "the %" PRIu32 " constants are NULL", s->constant_count);
    for (uint32_t i = 0; i < s->constant_count; i++) {
        vkd_bound_ value;
        memset(&value, 0, sizeof value);
        if (!vkd_set_constant_(d, s, i, &value)) return false;
        vkd_put_constant_(words, count, s->constants[i].id, &value);
    }
    return true;
}
