/* spec_constants.c - written by join.sh from ze_dispatch/spec_constants.c. */
#include "internal.h"

/* Word i of the module, whose bytes need not be aligned. */
XE_FN_ uint32_t vkd_word_(const vkd_source *s, size_t i)
{
    uint32_t word;
    memcpy(&word, (const char *)s->words + 4 * i, sizeof word);
    return word;
}

/* The next instruction with this opcode after instruction i, 0: from the first on. Returns 0 if functions begin, or the
 * module ends. */
XE_FN_ size_t vkd_next_op_(const vkd_source *s, size_t i, uint32_t opcode)
{
    size_t count = s->bytes / 4;
    i = i ? i + (vkd_word_(s, i) >> 16) : 5;
    for (uint32_t length; i < count; i += length) {
        uint32_t head = vkd_word_(s, i);
        length = head >> 16;
        if (!length || length > count - i || (head & 0xffff) == VKD_OP_FUNCTION_) return 0;
        if ((head & 0xffff) == opcode) return i;
    }
    return 0;
}

/* The first instruction with this opcode whose word `at` is the id; 0: there is none. */
XE_FN_ size_t vkd_find_op_(const vkd_source *s, uint32_t opcode, uint32_t at, uint32_t id)
{
    size_t i = 0;
    do i = vkd_next_op_(s, i, opcode);
    while (i && ((vkd_word_(s, i) >> 16) <= at || vkd_word_(s, i + at) != id));
    return i;
}

/* The next decoration SpecId after instruction i, 0: the first. */
static size_t vkd_next_spec_(const vkd_source *s, size_t i)
{
    do i = vkd_next_op_(s, i, VKD_OP_DECORATE_);
    while (i && ((vkd_word_(s, i) >> 16) < 4 || vkd_word_(s, i + 2) != VKD_SPEC_ID_));
    return i;
}

/* The decoration that names spec constant `id`; 0: the module has none. */
XE_FN_ size_t vkd_find_spec_(const vkd_source *s, uint32_t id)
{
    size_t i = 0;
    do i = vkd_next_spec_(s, i);
    while (i && vkd_word_(s, i + 3) != id);
    return i;
}

/* The type of a spec constant, and its name; kind 0: another type. False: the module has no such constant. */
static bool vkd_spec_type_(const vkd_source *s, uint32_t id, vkd_type_ *t, char name[16])
{
    size_t i = vkd_find_spec_(s, id), at;
    memset(t, 0, sizeof *t);
    if (!i) return false;
    uint32_t target = vkd_word_(s, i + 1), bits = 1;
    snprintf(name, 16, "bool");
    if (vkd_find_op_(s, VKD_OP_SPEC_TRUE_, 2, target) || vkd_find_op_(s, VKD_OP_SPEC_FALSE_, 2, target)) {
        t->kind = 'u';
        t->size = 1;
        return true;
    }
    at = vkd_find_op_(s, VKD_OP_SPEC_, 2, target);
    if (!at) return false;
    bool integer = (i = vkd_find_op_(s, VKD_OP_TYPE_INT_, 1, vkd_word_(s, at + 1))) != 0;
    if (!integer) i = vkd_find_op_(s, VKD_OP_TYPE_FLOAT_, 1, vkd_word_(s, at + 1));
    if (!i || (vkd_word_(s, i) >> 16) < 3) return false;
    bits = vkd_word_(s, i + 2);
    bool bf16 = !integer && bits == 16 && (vkd_word_(s, i) >> 16) > 3; /* that encoding has 16 bits */
    bool known = bits == 16 || bits == 32 || bits == 64 || (integer && bits == 8);
    t->size = (unsigned char)(known ? bits / 8 : 1);
    t->kind = !known ? 0 : integer ? 'i' : bf16 ? 'b' : bits == 16 ? 'h' : 'f';
    snprintf(name, 16, "%s%" PRIu32, integer ? "i" : bf16 ? "bf" : "f", bits);
    return true;
}

static bool vkd_no_such_constant_(vkd_device *d, const vkd_source *s, uint32_t id)
{
    char list[400] = "";
    size_t used = 0;
    for (size_t i = vkd_next_spec_(s, 0); i && used < sizeof list; i = vkd_next_spec_(s, i)) {
        int n = snprintf(list + used, sizeof list - used, "%s%" PRIu32, used ? ", " : "", vkd_word_(s, i + 3));
        used += n > 0 ? (size_t)n : 0;
    }
    return vkd_fail_(d, VKD_CONSTANT_ID, "the module has no spec constant %" PRIu32 "; it has: %s", id,
                     *list ? list : "none");
}

/* Converts value number i, whose size and signs the module tells; integers there have no sign. */
XE_FN_ bool vkd_set_constant_(vkd_device *d, const vkd_source *s, uint32_t i, vkd_bound_ *b)
{
    const vkd_constant *c = &s->constants[i];
    const vkd_arg *a = &c->value;
    vkd_type_ t;
    char name[16], got[64], low[32], high[32];
    const char *text = a->text ? a->text : "", *open = a->text ? " (" : "", *close = a->text ? ")" : "";
    if (!vkd_spec_type_(s, c->id, &t, name)) return vkd_no_such_constant_(d, s, c->id);
    for (uint32_t k = 0; k < i; k++)
        if (s->constants[k].id == c->id)
            return vkd_fail_(d, VKD_CONSTANT_ID,
                             "values %" PRIu32 " and %" PRIu32 " are both for spec constant %" PRIu32, k + 1, i + 1,
                             c->id);
    const bool is_int = a->kind == 'i' || a->kind == 'u', wants_int = t.kind == 'i' || t.kind == 'u';
    const bool is_bool = *name == 'b' && wants_int;
    vkd_arg_name_(a, got, sizeof got);
    if (!t.kind || (!is_int && a->kind != 'f') || is_int != wants_int)
        return vkd_fail_(d, VKD_CONSTANT_TYPE, "spec constant %" PRIu32 "%s%.200s%s is of type %s: got %s%s", c->id,
                         open, text, close, name, got, is_int && t.kind ? " (write 1.0f for a float)" : "");
    if (t.kind == 'i' && !(a->kind == 'i' && a->as.sint < 0)) t.kind = 'u';
    bool fits = vkd_fit_number_(&t, a, b, low, high) && !(is_bool && a->as.uint > 1);
    if (!fits && wants_int) {
        snprintf(low, sizeof low, "%" PRId64, is_bool ? 0 : -(int64_t)(UINT64_MAX >> (65 - 8 * t.size)) - 1);
        snprintf(high, sizeof high, "%" PRIu64, is_bool ? 1 : UINT64_MAX >> (64 - 8 * t.size));
    }
    return fits || vkd_fail_(d, VKD_CONSTANT_RANGE,
                             "spec constant %" PRIu32 "%s%.200s%s is of type %s: %s is not in %s .. %s", c->id, open,
                             text, close, name, got, low, high);
}
