/* image.c - images and samplers: creation, what kernels receive, and copies of boxes of texels. Texels are stored row
 * by row as in the descriptor, without tiling: in the image's own pages, in an allocation of the program, or in those
 * of the image that a view reinterprets.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "run/image.h"
#include "ze_soft.h"

enum { BINDLESS = 1, SAMPLED = 2 };
struct number_desc { /* sRGB flag, plane, flags of bindless images, support of a format */
    ze_structure_type_t stype;
    const void *next;
    uint32_t number;
};
struct pitched_desc {
    ze_structure_type_t stype;
    const void *next;
    void *memory;
};
struct sizes { /* row and slice pitch; maximum width and height; alignment and maximum of a pitch */
    ze_structure_type_t stype;
    const void *next;
    size_t size[2];
};

/* ---- limits and formats */

enum { ROW_ALIGNMENT = 64, LARGEST_LAYERS = 2048, LARGEST_PITCH = 256 << 10 };
#define LARGEST_SLICE (16384ull * LARGEST_PITCH)
#define LARGEST_BUFFER (UINT64_C(1) << 31) /* bytes: copy regions have 32-bit sizes */

static const struct kind {
    uint32_t dims, largest; /* maximum texels in each dimension */
    bool array;
} kinds[] = {
    [ZE_IMAGE_TYPE_1D] = {1, 16384, false}, [ZE_IMAGE_TYPE_1DARRAY] = {1, 16384, true},
    [ZE_IMAGE_TYPE_2D] = {2, 16384, false}, [ZE_IMAGE_TYPE_2DARRAY] = {2, 16384, true},
    [ZE_IMAGE_TYPE_3D] = {3, 2048, false},  [ZE_IMAGE_TYPE_BUFFER] = {1, UINT32_MAX, false},
};

/* 0: unsupported format. */
static uint32_t texel_bytes(const ze_image_format_t *f)
{
    return image_texel_bytes((uint32_t)f->layout, (uint32_t)f->type);
}

static ze_result_t check_support(void)
{
    return soft_has_images() ? ZE_RESULT_SUCCESS : soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "no images here");
}

ze_result_t zeDeviceGetImageProperties(ze_device_handle_t device, ze_device_image_properties_t *p)
{
    const bool any = soft_has_images();
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(p);
    p->maxImageDims1D = any ? kinds[ZE_IMAGE_TYPE_1D].largest : 0;
    p->maxImageDims2D = any ? kinds[ZE_IMAGE_TYPE_2D].largest : 0;
    p->maxImageDims3D = any ? kinds[ZE_IMAGE_TYPE_3D].largest : 0;
    p->maxImageBufferSize = any ? LARGEST_BUFFER : 0;
    p->maxImageArraySlices = any ? LARGEST_LAYERS : 0;
    p->maxSamplers = any ? 16 : 0;
    p->maxReadImageArgs = p->maxWriteImageArgs = any ? 128 : 0;
    for (ze_base_properties_t *more = p->pNext; more; more = more->pNext) {
        struct sizes *s = (struct sizes *)(void *)more;
        if (more->stype == ZE_STRUCTURE_TYPE_PITCHED_ALLOC_DEVICE_EXP_PROPERTIES) {
            s->size[0] = s->size[1] = p->maxImageDims2D;
        } else if (more->stype == ZE_STRUCTURE_TYPE_PITCHED_ALLOC_2DIMAGE_LINEAR_PITCH_EXP_INFO) {
            s->size[0] = any ? ROW_ALIGNMENT : 0;
            s->size[1] = any ? LARGEST_PITCH : 0;
        }
    }
    return ZE_RESULT_SUCCESS;
}

/* ---- descriptors */

/* Extensions chained to a descriptor. */
struct wish {
    void *memory;    /* the program's; NULL: allocate */
    size_t pitch[2]; /* of rows and slices there; 0: the minimum */
    bool srgb;
    uint32_t bindless; /* BINDLESS, SAMPLED */
    const ze_sampler_desc_t *sampler;
};

static uint32_t number_of(const ze_base_desc_t *d) { return ((const struct number_desc *)(const void *)d)->number; }

static ze_result_t read_chain(const void *chain, struct wish *wish)
{
    SOFT_TRY(soft_check_chain(chain));
    for (const ze_base_desc_t *d = chain; d; d = d->pNext) {
        switch ((uint32_t)d->stype) {
        case ZE_STRUCTURE_TYPE_PITCHED_IMAGE_EXP_DESC:
            wish->memory = ((const struct pitched_desc *)(const void *)d)->memory;
            break;
        case ZE_STRUCTURE_TYPE_CUSTOM_PITCH_EXP_DESC:
            memcpy(wish->pitch, ((const struct sizes *)(const void *)d)->size, sizeof wish->pitch);
            break;
        case ZE_STRUCTURE_TYPE_BINDLESS_IMAGE_EXP_DESC: wish->bindless = number_of(d); break;
        case ZE_STRUCTURE_TYPE_SAMPLER_DESC: wish->sampler = (const ze_sampler_desc_t *)(const void *)d; break;
        case ZE_STRUCTURE_TYPE_IMAGE_VIEW_PLANAR_EXT_DESC:
        case ZE_STRUCTURE_TYPE_IMAGE_VIEW_PLANAR_EXP_DESC:
            if (number_of(d)) return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "images have one plane");
            break;
        case ZE_STRUCTURE_TYPE_SRGB_EXT_DESC: wish->srgb = number_of(d) != 0; break;
        default: break;
        }
    }
    SOFT_FLAGS(wish->bindless, BINDLESS | SAMPLED);
    if (wish->bindless & SAMPLED && (!(wish->bindless & BINDLESS) || !wish->sampler))
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "a sampled image is bindless, and has a sampler chained");
    return ZE_RESULT_SUCCESS;
}

static ze_result_t check_desc(const ze_image_desc_t *d)
{
    SOFT_POINTER(d);
    SOFT_FLAGS(d->flags, ZE_IMAGE_FLAG_KERNEL_WRITE | ZE_IMAGE_FLAG_BIAS_UNCACHED);
    return (uint32_t)d->type > ZE_IMAGE_TYPE_BUFFER ? ZE_RESULT_ERROR_INVALID_ENUMERATION : ZE_RESULT_SUCCESS;
}

static ze_result_t set_format(struct xs_image *i, const ze_image_format_t *f, bool srgb)
{
    const ze_image_format_swizzle_t swizzle[4] = {f->x, f->y, f->z, f->w};
    if (!texel_bytes(f) ||
        (srgb && (f->layout != ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8 || f->type != ZE_IMAGE_FORMAT_TYPE_UNORM)))
        return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT, "no %simages of layout %u with type %u",
                         srgb ? "sRGB " : "", (unsigned)f->layout, (unsigned)f->type);
    for (int c = 0; c < 4; c++) {
        if ((uint32_t)swizzle[c] > IMAGE_D)
            return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT, "swizzle %u", (unsigned)swizzle[c]);
        i->swizzle[c] = (uint8_t)swizzle[c];
    }
    i->layout = (uint8_t)f->layout;
    i->type = (uint8_t)f->type;
    i->srgb = srgb;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t check_extent(const char *what, uint64_t n, uint64_t most)
{
    if (!n) return soft_fail(ZE_RESULT_ERROR_INVALID_SIZE, "an image of %s 0", what);
    if (n <= most) return ZE_RESULT_SUCCESS;
    return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_SIZE, "an image of %s %llu: %llu at most", what, (unsigned long long)n,
                     (unsigned long long)most);
}

/* A buffer's width is in texels, as in Intel's driver and the conformance suite; the specification says bytes. */
static ze_result_t set_size(struct xs_image *i, const ze_image_desc_t *d, uint32_t texel)
{
    const struct kind *k = &kinds[d->type];
    SOFT_TRY(check_extent("width", d->width, d->type == ZE_IMAGE_TYPE_BUFFER ? LARGEST_BUFFER / texel : k->largest));
    if (k->dims > 1) SOFT_TRY(check_extent("height", d->height, k->largest));
    if (k->dims > 2) SOFT_TRY(check_extent("depth", d->depth, k->largest));
    if (k->array) SOFT_TRY(check_extent("array levels", d->arraylevels, LARGEST_LAYERS));
    if (d->miplevels > 1) return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "%u levels of detail", d->miplevels);
    i->dims = (uint8_t)k->dims;
    i->width = (uint32_t)d->width;
    i->height = k->dims > 1 ? d->height : 1;
    i->depth = k->dims > 2 ? d->depth : 1;
    i->layers = k->array ? d->arraylevels : 0;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t set_sampler(struct xs_sampler *s, const ze_sampler_desc_t *d)
{
    if ((uint32_t)d->addressMode > ZE_SAMPLER_ADDRESS_MODE_MIRROR ||
        (uint32_t)d->filterMode > ZE_SAMPLER_FILTER_MODE_LINEAR)
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    *s = (struct xs_sampler){
        .address = (uint8_t)d->addressMode, .filter = (uint8_t)d->filterMode, .normalized = d->isNormalized != 0};
    return ZE_RESULT_SUCCESS;
}

/* Creates an image without memory. */
static ze_result_t describe(const ze_image_desc_t *d, const struct wish *wish, ze_image_handle_t *to)
{
    struct xs_image i = {0};
    struct xs_sampler s = {0};
    ze_image_handle_t image;
    uint32_t texel;
    SOFT_TRY(set_format(&i, &d->format, wish->srgb));
    texel = texel_bytes(&d->format);
    SOFT_TRY(set_size(&i, d, texel));
    if (wish->bindless & SAMPLED) SOFT_TRY(set_sampler(&s, wish->sampler));
    image = calloc(1, sizeof *image);
    if (!image) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    image->tag = SOFT_IMAGE;
    image->image = i;
    image->sampler = s;
    image->bindless = wish->bindless != 0;
    image->texel = texel;
    *to = image;
    return ZE_RESULT_SUCCESS;
}

static uint32_t layers_of(const struct xs_image *i) { return i->layers ? i->layers : 1; }

static size_t align_row(size_t bytes) { return (bytes + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT; }

static ze_result_t set_pitches(ze_image_handle_t image, const size_t wish[2])
{
    struct xs_image *i = &image->image;
    const size_t row = (size_t)i->width * image->texel;
    if (wish[0] && (wish[0] < row || wish[0] % ROW_ALIGNMENT || wish[0] > LARGEST_PITCH))
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "row pitch %zu: from %zu to %u, a multiple of %u", wish[0],
                         row, (unsigned)LARGEST_PITCH, (unsigned)ROW_ALIGNMENT);
    i->row_pitch = wish[0] ? wish[0] : align_row(row);
    if (wish[1] && (wish[1] < i->row_pitch * i->height || wish[1] % i->row_pitch || wish[1] > LARGEST_SLICE))
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                         "slice pitch %zu: from %u rows of %zu to %llu, a multiple of that row pitch", wish[1],
                         i->height, (size_t)i->row_pitch, LARGEST_SLICE);
    i->slice_pitch = wish[1] ? wish[1] : i->row_pitch * i->height;
    return ZE_RESULT_SUCCESS;
}

/* ---- memory */

static uint64_t whole_size(const struct xs_image *i) { return i->slice_pitch * layers_of(i) * i->depth; }

static ze_result_t take_memory(ze_context_handle_t context, ze_image_handle_t image, void *memory)
{
    const struct xs_image *i = &image->image;
    const uint64_t end =
        whole_size(i) - i->slice_pitch + i->row_pitch * (i->height - 1) + (uint64_t)i->width * image->texel;
    SOFT_TRY(zeMemGetAddressRange(context, memory, NULL, NULL));
    if (!soft_range_fits(memory, end))
        return soft_fail(ZE_RESULT_ERROR_INVALID_SIZE, "an image of %llu bytes exceeds the allocation at %p",
                         (unsigned long long)end, memory);
    check_memory_wrote(memory, end); /* the checked mode does not track writes through images */
    image->image.data = memory;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t give_memory(ze_image_handle_t image)
{
    const uint64_t size = whole_size(&image->image);
    const uint64_t most = (uint64_t)sysconf(_SC_PHYS_PAGES) * soft_page_size();
    if (size > most || !soft_pages_new(&image->pages, size, soft_page_size()))
        return soft_fail(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY, "no %llu bytes for an image", (unsigned long long)size);
    image->image.data = image->pages.base;
    return ZE_RESULT_SUCCESS;
}

/* ---- life */

static ze_result_t deliver(ze_result_t result, ze_image_handle_t image, ze_image_handle_t *to)
{
    if (result == ZE_RESULT_SUCCESS) {
        image->id = soft_memory_id();
        *to = image;
    } else {
        free(image);
    }
    return result;
}

ze_result_t zeImageCreate(ze_context_handle_t context, ze_device_handle_t device, const ze_image_desc_t *desc,
                          ze_image_handle_t *image)
{
    struct wish wish = {0};
    ze_image_handle_t i;
    ze_result_t result;
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_TRY(check_desc(desc));
    SOFT_POINTER(image);
    SOFT_TRY(check_support());
    SOFT_TRY(read_chain(desc->pNext, &wish));
    SOFT_TRY(describe(desc, &wish, &i));
    result = set_pitches(i, wish.pitch);
    if (result == ZE_RESULT_SUCCESS) result = wish.memory ? take_memory(context, i, wish.memory) : give_memory(i);
    return deliver(result, i, image);
}

static void free_image(struct soft_gone *g)
{
    ze_image_handle_t image = SOFT_OF_GONE(_ze_image_handle_t, g);
    if (image->pages.base) soft_pages_free(&image->pages);
    free(image);
}

ze_result_t zeImageDestroy(ze_image_handle_t image)
{
    SOFT_HANDLE(image, SOFT_IMAGE);
    image->tag = SOFT_DEAD;
    soft_queues_keep(&image->gone, free_image);
    return ZE_RESULT_SUCCESS;
}

/* Sets up a view: texels of the same size at the same place, of any type, at most as many as the image has. */
static ze_result_t show(ze_image_handle_t view, ze_image_handle_t image)
{
    struct xs_image *v = &view->image;
    const struct xs_image *i = &image->image;
    if (view->texel != image->texel)
        return soft_fail(ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT, "texels of %u bytes in a view of those of %u",
                         view->texel, image->texel);
    if (v->width > i->width || v->height > i->height || v->depth * layers_of(v) > i->depth * layers_of(i))
        return soft_fail(ZE_RESULT_ERROR_INVALID_SIZE, "a view of %u x %u x %u of an image of %u x %u x %u", v->width,
                         v->height, v->depth * layers_of(v), i->width, i->height, i->depth * layers_of(i));
    v->data = i->data;
    v->row_pitch = i->row_pitch;
    v->slice_pitch = i->slice_pitch;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeImageViewCreateExt(ze_context_handle_t context, ze_device_handle_t device, const ze_image_desc_t *desc,
                                 ze_image_handle_t image, ze_image_handle_t *view)
{
    struct wish wish = {0};
    ze_image_handle_t v;
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_TRY(check_desc(desc));
    SOFT_HANDLE(image, SOFT_IMAGE);
    SOFT_POINTER(view);
    SOFT_TRY(read_chain(desc->pNext, &wish));
    if (wish.memory) return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "a view has no memory of its own");
    SOFT_TRY(describe(desc, &wish, &v));
    return deliver(show(v, image), v, view);
}

ze_result_t zeImageViewCreateExp(ze_context_handle_t context, ze_device_handle_t device, const ze_image_desc_t *desc,
                                 ze_image_handle_t image, ze_image_handle_t *view)
{
    return zeImageViewCreateExt(context, device, desc, image, view);
}

/* ---- queries */

ze_result_t zeImageGetProperties(ze_device_handle_t device, const ze_image_desc_t *desc, ze_image_properties_t *p)
{
    bool supported;
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_TRY(check_desc(desc));
    SOFT_POINTER(p);
    supported = soft_has_images() && texel_bytes(&desc->format);
    p->samplerFilterFlags = supported ? ZE_IMAGE_SAMPLER_FILTER_FLAG_POINT : 0;
    if (supported && desc->format.type != ZE_IMAGE_FORMAT_TYPE_UINT && desc->format.type != ZE_IMAGE_FORMAT_TYPE_SINT)
        p->samplerFilterFlags |= ZE_IMAGE_SAMPLER_FILTER_FLAG_LINEAR;
    for (ze_base_properties_t *more = p->pNext; more; more = more->pNext)
        if (more->stype == ZE_STRUCTURE_TYPE_IMAGE_FORMAT_SUPPORT_EXT_PROPERTIES)
            ((struct number_desc *)(void *)more)->number = supported;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeImageGetMemoryPropertiesExp(ze_image_handle_t image, ze_image_memory_properties_exp_t *p)
{
    SOFT_HANDLE(image, SOFT_IMAGE);
    SOFT_POINTER(p);
    p->size = whole_size(&image->image);
    p->rowPitch = image->image.row_pitch;
    p->slicePitch = image->image.slice_pitch;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeImageGetAllocPropertiesExt(ze_context_handle_t context, ze_image_handle_t image,
                                         ze_image_allocation_ext_properties_t *p)
{
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_HANDLE(image, SOFT_IMAGE);
    SOFT_POINTER(p);
    p->id = image->id;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeMemGetPitchFor2dImage(ze_context_handle_t context, ze_device_handle_t device, size_t width, size_t height,
                                    unsigned texel, size_t *pitch)
{
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(pitch);
    SOFT_TRY(check_support());
    SOFT_TRY(check_extent("width", width, kinds[ZE_IMAGE_TYPE_2D].largest));
    SOFT_TRY(check_extent("height", height, kinds[ZE_IMAGE_TYPE_2D].largest));
    if (!texel || texel > 16) return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "texels of %u bytes", texel);
    *pitch = align_row(width * texel);
    return ZE_RESULT_SUCCESS;
}

/* Kernels receive its address. */
ze_result_t zeImageGetDeviceOffsetExp(ze_image_handle_t image, uint64_t *offset)
{
    _Static_assert(offsetof(struct _ze_image_handle_t, sampler) ==
                       offsetof(struct _ze_image_handle_t, image) + sizeof(struct xs_image),
                   "the sampler does not follow the image");
    SOFT_HANDLE(image, SOFT_IMAGE);
    SOFT_POINTER(offset);
    if (!image->bindless) return soft_fail(ZE_RESULT_ERROR_NOT_AVAILABLE, "the image was not made bindless");
    *offset = (uint64_t)(uintptr_t)&image->image;
    return ZE_RESULT_SUCCESS;
}

/* Always resident. */
static ze_result_t residency(ze_context_handle_t context, ze_device_handle_t device, ze_image_handle_t image)
{
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_HANDLE(image, SOFT_IMAGE);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeContextMakeImageResident(ze_context_handle_t context, ze_device_handle_t device, ze_image_handle_t image)
{
    return residency(context, device, image);
}

ze_result_t zeContextEvictImage(ze_context_handle_t context, ze_device_handle_t device, ze_image_handle_t image)
{
    return residency(context, device, image);
}

/* ---- copies */

/* Layers follow rows: in a region of a 1D array they are y. */
static bool has_layers_as_rows(const struct xs_image *i) { return i->layers && i->dims == 1; }

/* Converts a region (NULL: all) to bytes from the image's data. Dimensions that the image lacks are ignored, as in
 * Intel's driver. */
static ze_result_t image_box(ze_image_handle_t image, const ze_image_region_t *region, struct soft_box *to)
{
    const struct xs_image *i = &image->image;
    const bool lines = has_layers_as_rows(i);
    const uint32_t has[3] = {i->width, lines ? i->layers : i->height, lines ? 1 : i->depth * layers_of(i)};
    const uint32_t axes = i->dims + (i->layers != 0);
    ze_image_region_t r = {.width = has[0], .height = has[1], .depth = has[2]};
    if (region) r = *region;
    if (axes < 2) r.originY = 0;
    if (axes < 3) r.originZ = 0;
    if (axes < 2 || !r.height) r.height = 1;
    if (axes < 3 || !r.depth) r.depth = 1;
    if ((uint64_t)r.originX + r.width > has[0] || (uint64_t)r.originY + r.height > has[1] ||
        (uint64_t)r.originZ + r.depth > has[2])
        return soft_fail(ZE_RESULT_ERROR_INVALID_SIZE,
                         "a region of %u x %u x %u at (%u, %u, %u) is not in an image of %u x %u x %u", r.width,
                         r.height, r.depth, r.originX, r.originY, r.originZ, has[0], has[1], has[2]);
    to->region = (ze_copy_region_t){.originX = r.originX * image->texel,
                                    .originY = r.originY,
                                    .originZ = r.originZ,
                                    .width = r.width * image->texel,
                                    .height = r.height,
                                    .depth = r.depth};
    to->pitch = lines ? i->slice_pitch : i->row_pitch;
    to->slice = i->slice_pitch;
    return ZE_RESULT_SUCCESS;
}

/* The same region in linear memory; pitches of 0: packed. Pitches that are too small overlap, as in Intel's driver. */
static struct soft_box memory_box(const struct xs_image *i, const ze_copy_region_t *r, uint32_t row, uint32_t slice)
{
    struct soft_box b = {.region = {.width = r->width, .height = r->height, .depth = r->depth}};
    b.pitch = has_layers_as_rows(i) && slice ? slice : row ? row : r->width;
    b.slice = slice ? slice : b.pitch * r->height;
    return b;
}

ze_result_t zeCommandListAppendImageCopyRegion(ze_command_list_handle_t list, ze_image_handle_t to,
                                               ze_image_handle_t from, const ze_image_region_t *to_region,
                                               const ze_image_region_t *from_region, ze_event_handle_t signal,
                                               uint32_t wait_count, ze_event_handle_t *waits)
{
    struct soft_box a, b;
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_HANDLE(to, SOFT_IMAGE);
    SOFT_HANDLE(from, SOFT_IMAGE);
    if (to->texel != from->texel)
        return soft_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "a copy of texels of %u bytes to those of %u", from->texel,
                         to->texel);
    SOFT_TRY(image_box(to, to_region, &a));
    SOFT_TRY(image_box(from, from_region, &b));
    return soft_append_box_copy(list, to->image.data, &a, from->image.data, &b, signal, wait_count, waits);
}

ze_result_t zeCommandListAppendImageCopy(ze_command_list_handle_t list, ze_image_handle_t to, ze_image_handle_t from,
                                         ze_event_handle_t signal, uint32_t wait_count, ze_event_handle_t *waits)
{
    return zeCommandListAppendImageCopyRegion(list, to, from, NULL, NULL, signal, wait_count, waits);
}

ze_result_t zeCommandListAppendImageCopyToMemoryExt(ze_command_list_handle_t list, void *to, ze_image_handle_t from,
                                                    const ze_image_region_t *region, uint32_t row, uint32_t slice,
                                                    ze_event_handle_t signal, uint32_t wait_count,
                                                    ze_event_handle_t *waits)
{
    struct soft_box a, b;
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_HANDLE(from, SOFT_IMAGE);
    SOFT_POINTER(to);
    SOFT_TRY(image_box(from, region, &b));
    a = memory_box(&from->image, &b.region, row, slice);
    return soft_append_box_copy(list, to, &a, from->image.data, &b, signal, wait_count, waits);
}

ze_result_t zeCommandListAppendImageCopyToMemory(ze_command_list_handle_t list, void *to, ze_image_handle_t from,
                                                 const ze_image_region_t *region, ze_event_handle_t signal,
                                                 uint32_t wait_count, ze_event_handle_t *waits)
{
    return zeCommandListAppendImageCopyToMemoryExt(list, to, from, region, 0, 0, signal, wait_count, waits);
}

ze_result_t zeCommandListAppendImageCopyFromMemoryExt(ze_command_list_handle_t list, ze_image_handle_t to,
                                                      const void *from, const ze_image_region_t *region, uint32_t row,
                                                      uint32_t slice, ze_event_handle_t signal, uint32_t wait_count,
                                                      ze_event_handle_t *waits)
{
    struct soft_box a, b;
    SOFT_HANDLE(list, SOFT_LIST);
    SOFT_HANDLE(to, SOFT_IMAGE);
    SOFT_POINTER(from);
    SOFT_TRY(image_box(to, region, &a));
    b = memory_box(&to->image, &a.region, row, slice);
    return soft_append_box_copy(list, to->image.data, &a, from, &b, signal, wait_count, waits);
}

ze_result_t zeCommandListAppendImageCopyFromMemory(ze_command_list_handle_t list, ze_image_handle_t to,
                                                   const void *from, const ze_image_region_t *region,
                                                   ze_event_handle_t signal, uint32_t wait_count,
                                                   ze_event_handle_t *waits)
{
    return zeCommandListAppendImageCopyFromMemoryExt(list, to, from, region, 0, 0, signal, wait_count, waits);
}

/* ---- samplers */

ze_result_t zeSamplerCreate(ze_context_handle_t context, ze_device_handle_t device, const ze_sampler_desc_t *desc,
                            ze_sampler_handle_t *sampler)
{
    struct xs_sampler x;
    SOFT_HANDLE(context, SOFT_CONTEXT);
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(desc);
    SOFT_POINTER(sampler);
    SOFT_TRY(set_sampler(&x, desc));
    SOFT_TRY(check_support());
    *sampler = calloc(1, sizeof **sampler);
    if (!*sampler) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    (*sampler)->tag = SOFT_SAMPLER;
    (*sampler)->sampler = x;
    return ZE_RESULT_SUCCESS;
}

static void free_sampler(struct soft_gone *g) { free(SOFT_OF_GONE(_ze_sampler_handle_t, g)); }

ze_result_t zeSamplerDestroy(ze_sampler_handle_t sampler)
{
    SOFT_HANDLE(sampler, SOFT_SAMPLER);
    sampler->tag = SOFT_DEAD;
    soft_queues_keep(&sampler->gone, free_sampler);
    return ZE_RESULT_SUCCESS;
}
