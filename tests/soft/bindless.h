/* bindless.h - a module with SPV_INTEL_bindless_images, which Debian 12's assemblers do not know: written as words. */
#ifndef XETILE_TESTS_BINDLESS_H
#define XETILE_TESTS_BINDLESS_H

#include <stdint.h>

enum { BINDLESS_WIDTH = 13 };

/* clang-format off */
/* kernel void bindless(ulong from, ulong sampled, ulong to): work-item x + BINDLESS_WIDTH y writes to texel (x, y) of
 * `to` the sum of the texels of the other two. */
#define OP_(opcode, words) ((uint32_t)(words) << 16 | (opcode))
enum {
    VOID = 1, U32, U64, F32, U64X3, U32X2, F32X2, F32X4, INPUT, READ, WRITE, SAMPLE, FUNCTION, MAIN, ITEM, WIDTH, ZERO,
    HALF, FROM, SAMPLED_HANDLE, TO, LABEL, ITEMS, WIDE, NUMBER, X, Y, AT, FROM_IMAGE, TEXEL, SAMPLED_IMAGE, FX, FY,
    CENTRE, HALVES, PLACE, OTHER, SUM, TO_IMAGE, BOUND
};
static const uint32_t bindless_kernel[] = {
    0x07230203, 0x00010200, 0, BOUND, 0,
    OP_(17, 2), 4, OP_(17, 2), 6, OP_(17, 2), 11, OP_(17, 2), 13, OP_(17, 2), 6528, /* the last: bindless images */
    OP_(10, 8), 0x5f565053, 0x45544e49, 0x69625f4c, 0x656c646e, 0x695f7373, 0x6567616d, 0x00000073,
    OP_(14, 3), 2, 2,
    OP_(15, 7), 6, MAIN, 0x646e6962, 0x7373656c, 0, ITEM,
    OP_(71, 4), ITEM, 11, 28,
    OP_(19, 2), VOID, OP_(21, 4), U32, 32, 0, OP_(21, 4), U64, 64, 0, OP_(22, 3), F32, 32,
    OP_(23, 4), U64X3, U64, 3, OP_(23, 4), U32X2, U32, 2, OP_(23, 4), F32X2, F32, 2, OP_(23, 4), F32X4, F32, 4,
    OP_(32, 4), INPUT, 1, U64X3,
    OP_(25, 10), READ, VOID, 1, 0, 0, 0, 0, 0, 0,
    OP_(25, 10), WRITE, VOID, 1, 0, 0, 0, 0, 0, 1,
    OP_(27, 3), SAMPLE, READ,
    OP_(33, 6), FUNCTION, VOID, U64, U64, U64,
    OP_(43, 4), U32, WIDTH, BINDLESS_WIDTH, OP_(43, 4), F32, ZERO, 0, OP_(43, 4), F32, HALF, 0x3f000000,
    OP_(44, 5), F32X2, HALVES, HALF, HALF,
    OP_(59, 4), INPUT, ITEM, 1,
    OP_(54, 5), VOID, MAIN, 0, FUNCTION,
    OP_(55, 3), U64, FROM, OP_(55, 3), U64, SAMPLED_HANDLE, OP_(55, 3), U64, TO,
    OP_(248, 2), LABEL,
    OP_(61, 4), U64X3, ITEMS, ITEM, OP_(81, 5), U64, WIDE, ITEMS, 0, OP_(113, 4), U32, NUMBER, WIDE,
    OP_(137, 5), U32, X, NUMBER, WIDTH, OP_(134, 5), U32, Y, NUMBER, WIDTH, OP_(80, 5), U32X2, AT, X, Y,
    OP_(6529, 4), READ, FROM_IMAGE, FROM, OP_(98, 5), F32X4, TEXEL, FROM_IMAGE, AT,
    OP_(6531, 4), SAMPLE, SAMPLED_IMAGE, SAMPLED_HANDLE,
    OP_(112, 4), F32, FX, X, OP_(112, 4), F32, FY, Y, OP_(80, 5), F32X2, CENTRE, FX, FY,
    OP_(129, 5), F32X2, PLACE, CENTRE, HALVES,
    OP_(88, 7), F32X4, OTHER, SAMPLED_IMAGE, PLACE, 2, ZERO,
    OP_(129, 5), F32X4, SUM, TEXEL, OTHER,
    OP_(6529, 4), WRITE, TO_IMAGE, TO, OP_(99, 4), TO_IMAGE, AT, SUM,
    OP_(253, 1), OP_(56, 1),
};
/* clang-format on */

#endif
