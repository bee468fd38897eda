/* image_description.h - the description of an image that kernels may write, its channels in their own order. */
#ifndef XETILE_TESTS_IMAGE_DESCRIPTION_H
#define XETILE_TESTS_IMAGE_DESCRIPTION_H

#include <level_zero/ze_api.h>

static ze_image_desc_t image_description(ze_image_type_t type, ze_image_format_layout_t layout,
                                         ze_image_format_type_t number, uint32_t width, uint32_t height, uint32_t depth,
                                         uint32_t layers)
{
    return (ze_image_desc_t){.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
                             .flags = ZE_IMAGE_FLAG_KERNEL_WRITE,
                             .type = type,
                             .format = {.layout = layout,
                                        .type = number,
                                        .x = ZE_IMAGE_FORMAT_SWIZZLE_R,
                                        .y = ZE_IMAGE_FORMAT_SWIZZLE_G,
                                        .z = ZE_IMAGE_FORMAT_SWIZZLE_B,
                                        .w = ZE_IMAGE_FORMAT_SWIZZLE_A},
                             .width = width,
                             .height = height,
                             .depth = depth,
                             .arraylevels = layers};
}

#endif
