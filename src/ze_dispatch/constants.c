/* constants.c - values for spec constants as Level Zero takes them. */
#include "internal.h"

XE_ONCE_
XE_FN_ void zed_constants_free_(zed_constants_ *c)
{
    free(c->ids);
    free((void *)c->pointers);
    free(c->values);
}

/* The source's constants as the driver takes them, in an empty list; freed by zed_constants_free_, even after an
 * error. */
XE_FN_ bool zed_constants_of_(zed_device *d, const zed_source *s, zed_constants_ *c)
{
    uint32_t n = s->constant_count;
    if (!n) return true;
    if (!s->constants) return zed_fail_(d, ZED_NULL_POINTER, "the %" PRIu32 " constants are NULL", n);
    c->ids = (uint32_t *)calloc(n, sizeof *c->ids);
    c->pointers = (const void **)calloc(n, sizeof *c->pointers);
    c->values = (zed_bound_ *)calloc(n, sizeof *c->values);
    if (!c->ids || !c->pointers || !c->values)
        return zed_fail_(d, ZED_OUT_OF_MEMORY, "no room for %" PRIu32 " constants", n);
    for (uint32_t i = 0; i < n; i++) {
        if (!zed_set_constant_(d, s, i, &c->values[i])) return false;
        c->ids[i] = s->constants[i].id;
        c->pointers[i] = &c->values[i].as;
    }
    c->list.numConstants = n;
    c->list.pConstantIds = c->ids;
    c->list.pConstantValues = c->pointers;
    return true;
}
