/* image.h - images for kernels: texel.c implements the formats, image.c the addressing. */
#ifndef XETILE_SOFT_IMAGE_H
#define XETILE_SOFT_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "abi.h"

/* The values of Level Zero's enumerations. */
enum image_type { IMAGE_UINT, IMAGE_SINT, IMAGE_UNORM, IMAGE_SNORM, IMAGE_FLOAT };
enum image_swizzle {
    IMAGE_R,
    IMAGE_G,
    IMAGE_B,
    IMAGE_A,
    IMAGE_0,
    IMAGE_1,
    IMAGE_X,
    IMAGE_D /* depth: in place of red */
};
enum image_address { IMAGE_NONE, IMAGE_REPEAT, IMAGE_CLAMP, IMAGE_BORDER, IMAGE_MIRROR };

/* Bytes of a texel of a ze_image_format_layout_t and ze_image_format_type_t; 0: unsupported. */
uint32_t image_texel_bytes(uint32_t layout, uint32_t type);

/* Four channels as seen by kernels: bits of u32 or, if the type is not an integer, of f32. */
typedef uint32_t image_channels __attribute__((vector_size(16)));

/* ---- texel.c: loading and storing a texel. NULL: outside the image. */
image_channels texel_load(const struct xs_image *i, const uint8_t *texel);
void texel_store(const struct xs_image *i, uint8_t *texel, image_channels channel);
uint32_t texel_data_type(const struct xs_image *i); /* SPIR-V's image channel data type, order; ~0: none */
uint32_t texel_order(const struct xs_image *i);

extern const struct xs_image_functions image_functions;

#endif
