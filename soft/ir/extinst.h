/* extinst.h - the numbers of OpenCL.std that need code of their own; the others are in the table of c/math.c. */
#ifndef XETILE_SOFT_EXTINST_H
#define XETILE_SOFT_EXTINST_H

enum {
    EXT_FRACT = 30,
    EXT_FREXP = 31,
    EXT_LGAMMA_R = 36,
    EXT_MODF = 45,
    EXT_NAN = 46,
    EXT_NEXTAFTER = 47,
    EXT_REMQUO = 52,
    EXT_SINCOS = 58,
    EXT_CROSS = 104,
    EXT_DISTANCE = 105,
    EXT_LENGTH = 106,
    EXT_NORMALIZE = 107,
    EXT_FAST_DISTANCE = 108,
    EXT_FAST_LENGTH = 109,
    EXT_FAST_NORMALIZE = 110,
    EXT_VLOADN = 171,
    EXT_VSTOREN = 172,
    EXT_VLOAD_HALF = 173,
    EXT_VLOAD_HALFN = 174,
    EXT_VSTORE_HALF = 175,
    EXT_VSTORE_HALF_R = 176,
    EXT_VSTORE_HALFN = 177,
    EXT_VSTORE_HALFN_R = 178,
    EXT_VLOADA_HALFN = 179,
    EXT_VSTOREA_HALFN = 180,
    EXT_VSTOREA_HALFN_R = 181,
    EXT_SHUFFLE = 182,
    EXT_SHUFFLE2 = 183,
    EXT_PRINTF = 184,
    EXT_PREFETCH = 185,
    EXT_SELECT = 187
};

#endif
