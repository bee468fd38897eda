/* half.h - the f16 that a conversion must give; the test includes spirv_emit.h before. */
#ifndef TEST_HALF_H
#define TEST_HALF_H

#include "test.h"

/* The f16 nearest to a double. An f32 between them would be a rounding more, and halfway where the double is not: so
 * the f32 is the one next to the double, on either side, whose last bit is set. */
TEST_UNUSED_ static uint16_t f16_bits_of(double v)
{
    float single = (float)v;
    uint32_t bits;
    memcpy(&bits, &single, 4);
    if ((double)single != v && !(bits & 1) && isfinite(single)) {
        bits += fabs((double)single) > fabs(v) ? UINT32_MAX : 1;
        memcpy(&single, &bits, 4);
    }
    return spe_f32_to_f16_bits(single);
}

#endif
