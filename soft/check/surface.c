/* surface.c - what Intel's hardware demands of the surface of a 2D block message. This device's own messages take any,
 * so it matters only where it stands in for another one ($XETILE_SOFT_DEVICE). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static bool minds; /* written when a program looks for the driver */

void check_mind_surfaces(bool as_hardware) { minds = as_hardware; }

bool check_minds_surfaces(void) { return minds; }

const char *check_surface_breaks(const struct xs_surface *s, char *text, size_t size)
{
    const unsigned long long base = s->base, element = s->element;
    const uint32_t begin = (uint32_t)s->x * s->element;
    if (base % 64)
        snprintf(text, size, "the base 0x%llx is %llu bytes past a multiple of 64", base, base % 64);
    else if (s->width < 64)
        snprintf(text, size, "the width of %u bytes is less than 64", s->width);
    else if (s->width % 4 || s->width % element)
        snprintf(text, size, "the width of %u bytes is no multiple of %llu", s->width, element > 4 ? element : 4);
    else if (s->pitch < s->width)
        snprintf(text, size, "the pitch of %u bytes is less than the width of %u", s->pitch, s->width);
    else if (s->pitch % 16)
        snprintf(text, size, "the pitch of %u bytes is no multiple of 16", s->pitch);
    else if (begin % 4)
        snprintf(text, size, "column %d begins %u bytes past a multiple of 4", s->x, begin % 4);
    else
        return NULL;
    return text;
}
