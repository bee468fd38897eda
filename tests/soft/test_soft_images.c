/* test_soft_images.c - images and samplers of the software device, through the loader: every form of copy against a
 * model in bytes, formats, sizes, views, images over memory of the program, and refusals.
 */
#define _GNU_SOURCE
#include <sys/resource.h>
#include <unistd.h>

#include "image_description.h"
#include "test.h"
#include "ze_dispatch.h"

#define OK(call) CHECK_INT((call), ZE_RESULT_SUCCESS)
#define FOR_EVER UINT64_MAX

static zed_device device;
static ze_command_list_handle_t list; /* immediate; a call returns when its command is done */

/* Newer than the installed header: found by name. */
static ze_result_t (*create_view)(ze_context_handle_t, ze_device_handle_t, const ze_image_desc_t *, ze_image_handle_t,
                                  ze_image_handle_t *);
static ze_result_t (*get_pitch)(ze_context_handle_t, ze_device_handle_t, size_t, size_t, unsigned, size_t *);

enum { /* structures, likewise */
       PLANE_DESC = 0x10010,
       SRGB_DESC = 0x10006,
       FORMAT_SUPPORT = 0x10014,
       PITCHED_PROPERTIES = 0x2001d,
       PITCHED_DESC = 0x2001f,
       PITCH_INFO = 0x20038,
       CUSTOM_PITCH_DESC = 0x20042
};
struct number_desc {
    uint32_t stype;
    const void *next;
    uint32_t number;
};
struct sizes_desc { /* PITCHED_DESC: the first is a pointer */
    uint32_t stype;
    const void *next;
    size_t size[2];
};

static void find_extensions(void)
{
    void *address = NULL;
    OK(zeDriverGetExtensionFunctionAddress(device.driver, "zeImageViewCreateExt", &address));
    memcpy(&create_view, &address, sizeof address);
    OK(zeDriverGetExtensionFunctionAddress(device.driver, "zeMemGetPitchFor2dImage", &address));
    memcpy(&get_pitch, &address, sizeof address);
}

/* ---- formats and descriptors */

#define T(name) (1u << ZE_IMAGE_FORMAT_TYPE_##name)
#define WHOLE (T(UINT) | T(SINT) | T(UNORM) | T(SNORM))

static const struct format {
    ze_image_format_layout_t layout;
    uint32_t bytes, types;
} formats[] = {
    {ZE_IMAGE_FORMAT_LAYOUT_8, 1, WHOLE},
    {ZE_IMAGE_FORMAT_LAYOUT_8_8, 2, WHOLE},
    {ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, 4, WHOLE},
    {ZE_IMAGE_FORMAT_LAYOUT_16, 2, WHOLE | T(FLOAT)},
    {ZE_IMAGE_FORMAT_LAYOUT_16_16, 4, WHOLE | T(FLOAT)},
    {ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16, 8, WHOLE | T(FLOAT)},
    {ZE_IMAGE_FORMAT_LAYOUT_32, 4, WHOLE | T(FLOAT)},
    {ZE_IMAGE_FORMAT_LAYOUT_32_32, 8, WHOLE | T(FLOAT)},
    {ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32, 16, WHOLE | T(FLOAT)},
    {ZE_IMAGE_FORMAT_LAYOUT_10_10_10_2, 4, WHOLE},
    {ZE_IMAGE_FORMAT_LAYOUT_11_11_10, 4, T(FLOAT)},
    {ZE_IMAGE_FORMAT_LAYOUT_5_6_5, 2, T(UNORM)},
    {ZE_IMAGE_FORMAT_LAYOUT_5_5_5_1, 2, T(UNORM)},
    {ZE_IMAGE_FORMAT_LAYOUT_4_4_4_4, 2, T(UNORM)},
    {(ze_image_format_layout_t)43, 3, WHOLE}, /* 8_8_8, of newer headers */
    {(ze_image_format_layout_t)44, 6, WHOLE | T(FLOAT)},
    {(ze_image_format_layout_t)45, 12, WHOLE | T(FLOAT)},
};
enum { FORMATS = sizeof formats / sizeof formats[0], TYPES = ZE_IMAGE_TYPE_BUFFER + 1 };

static ze_image_desc_t describe(ze_image_type_t type, ze_image_format_layout_t layout, ze_image_format_type_t number,
                                uint32_t width, uint32_t height, uint32_t depth)
{
    return image_description(type, layout, number, width, height, depth,
                             type == ZE_IMAGE_TYPE_1DARRAY ? height : depth);
}

static ze_image_desc_t rgba8(uint32_t width, uint32_t height)
{
    return describe(ZE_IMAGE_TYPE_2D, ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UNORM, width, height, 1);
}

static ze_result_t create(const ze_image_desc_t *d, ze_image_handle_t *image)
{
    *image = NULL;
    return zeImageCreate(device.context, device.device, d, image);
}

static ze_image_handle_t new_image(ze_image_desc_t d)
{
    ze_image_handle_t image;
    OK(create(&d, &image));
    return image;
}

static uint32_t below(uint32_t n) { return (uint32_t)(test_random() % n); }

/* ---- the model: an image's texels without gaps, by region coordinates (layers of a 1D array are its y) */

struct model {
    ze_image_handle_t image;
    ze_image_type_t type;
    uint32_t texel, n[3];
    uint8_t *bytes;
};

static size_t size_of(const struct model *m) { return (size_t)m->texel * m->n[0] * m->n[1] * m->n[2]; }

static uint8_t *texel_at(const struct model *m, uint32_t x, uint32_t y, uint32_t z)
{
    return m->bytes + (((size_t)z * m->n[1] + y) * m->n[0] + x) * m->texel;
}

static void fill_randomly(uint8_t *to, size_t size)
{
    for (size_t i = 0; i < size; i++) to[i] = (uint8_t)test_random();
}

/* Runs the commands of `append`: in the immediate list, on a compute queue or on a copy queue. */
typedef ze_result_t append_fn(ze_command_list_handle_t list, void *what);

static void run_in_list(uint32_t ordinal, append_fn *append, void *what)
{
    ze_command_list_desc_t d = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, .commandQueueGroupOrdinal = ordinal};
    ze_command_queue_desc_t q = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .ordinal = ordinal};
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t l;
    OK(zeCommandListCreate(device.context, device.device, &d, &l));
    OK(zeCommandQueueCreate(device.context, device.device, &q, &queue));
    OK(append(l, what));
    OK(zeCommandListClose(l));
    OK(zeCommandQueueExecuteCommandLists(queue, 1, &l, NULL));
    OK(zeCommandQueueSynchronize(queue, FOR_EVER));
    OK(zeCommandListDestroy(l));
    OK(zeCommandQueueDestroy(queue));
}

static void run(append_fn *append, void *what)
{
    uint32_t how = below(3);
    if (how < 2)
        run_in_list(how, append, what);
    else
        OK(append(list, what));
}

/* ---- copies: `memory` is NULL between images */

struct copy {
    struct model *to, *from; /* one of them is NULL: memory */
    uint8_t *memory;
    ze_image_region_t to_region, from_region;
    bool whole, plain; /* no regions; without pitches */
    uint32_t row, slice;
};

static ze_result_t append_copy(ze_command_list_handle_t l, void *what)
{
    struct copy *c = what;
    const ze_image_region_t *to = c->whole ? NULL : &c->to_region, *from = c->whole ? NULL : &c->from_region;
    if (c->to && c->from)
        return c->whole && c->plain
                   ? zeCommandListAppendImageCopy(l, c->to->image, c->from->image, NULL, 0, NULL)
                   : zeCommandListAppendImageCopyRegion(l, c->to->image, c->from->image, to, from, NULL, 0, NULL);
    if (c->to)
        return c->plain ? zeCommandListAppendImageCopyFromMemory(l, c->to->image, c->memory, to, NULL, 0, NULL)
                        : zeCommandListAppendImageCopyFromMemoryExt(l, c->to->image, c->memory, to, c->row, c->slice,
                                                                    NULL, 0, NULL);
    return c->plain ? zeCommandListAppendImageCopyToMemory(l, c->memory, c->from->image, from, NULL, 0, NULL)
                    : zeCommandListAppendImageCopyToMemoryExt(l, c->memory, c->from->image, from, c->row, c->slice,
                                                              NULL, 0, NULL);
}

static ze_image_region_t random_region(const struct model *m)
{
    ze_image_region_t r = {.width = 1 + below(m->n[0]), .height = 1 + below(m->n[1]), .depth = 1 + below(m->n[2])};
    r.originX = below(m->n[0] - r.width + 1);
    r.originY = below(m->n[1] - r.height + 1);
    r.originZ = below(m->n[2] - r.depth + 1);
    return r;
}

static ze_image_region_t whole_of(const struct model *m)
{
    return (ze_image_region_t){.width = m->n[0], .height = m->n[1], .depth = m->n[2]};
}

/* Offset in memory of a region's texel, or of its end for the last one plus one. */
static size_t memory_at(const struct copy *c, const struct model *m, const ze_image_region_t *r, uint32_t y, uint32_t z)
{
    size_t row = !c->plain && c->row ? c->row : (size_t)r->width * m->texel;
    size_t slice = !c->plain && c->slice ? c->slice : row * r->height;
    if (m->type == ZE_IMAGE_TYPE_1DARRAY) return y * (!c->plain && c->slice ? slice : row);
    return y * row + z * slice;
}

static void choose_pitches(struct copy *c, const struct model *m, const ze_image_region_t *r)
{
    uint32_t row = r->width * m->texel;
    c->row = below(3) ? row + below(50) : 0;
    c->slice = !below(3)                          ? 0
               : m->type == ZE_IMAGE_TYPE_1DARRAY ? row + below(90)
                                                  : (c->row ? c->row : row) * r->height + below(90);
}

/* A random box of the image and memory with random pitches, in either direction; every byte of both is compared. */
static void copy_memory(struct model *m, bool to_image)
{
    struct copy c = {.whole = !below(4), .plain = !below(3)};
    ze_image_region_t r = c.whole ? whole_of(m) : random_region(m);
    uint8_t *expected;
    size_t size;
    c.to_region = c.from_region = r;
    c.to = to_image ? m : NULL;
    c.from = to_image ? NULL : m;
    choose_pitches(&c, m, &r);
    size = memory_at(&c, m, &r, r.height - 1, r.depth - 1) + (size_t)r.width * m->texel;
    c.memory = below(2) ? zed_alloc(&device, ZED_SHARED, size, 0) : malloc(size); /* exactly the required size */
    expected = malloc(size);
    fill_randomly(c.memory, size);
    memcpy(expected, c.memory, size);
    for (uint32_t z = 0; z < r.depth; z++)
        for (uint32_t y = 0; y < r.height; y++) {
            uint8_t *in_image = texel_at(m, r.originX, r.originY + y, r.originZ + z);
            uint8_t *in_memory = expected + memory_at(&c, m, &r, y, z);
            memcpy(to_image ? in_image : in_memory, to_image ? in_memory : in_image, (size_t)r.width * m->texel);
        }
    run(append_copy, &c);
    CHECK_MSG(memcmp(c.memory, expected, size) == 0, "type %d, %u bytes: memory differs", (int)m->type, m->texel);
    free(expected);
    if (zeMemGetAddressRange(device.context, c.memory, NULL, NULL) == ZE_RESULT_SUCCESS)
        zed_free(&device, c.memory);
    else
        free(c.memory);
}

static void compare(struct model *m)
{
    uint8_t *got = malloc(size_of(m));
    struct copy c = {.from = m, .memory = got, .whole = true, .plain = true};
    memset(got, 0xee, size_of(m));
    run(append_copy, &c);
    CHECK_MSG(memcmp(got, m->bytes, size_of(m)) == 0, "type %d, %u bytes: the image differs", (int)m->type, m->texel);
    free(got);
}

static void copy_images(struct model *to, struct model *from)
{
    struct copy c = {.to = to, .from = from, .whole = !below(5), .plain = true};
    ze_image_region_t *r = &c.from_region;
    *r = c.whole ? whole_of(from) : random_region(from);
    c.to_region = *r;
    if (!c.whole) {
        c.to_region.originX = below(to->n[0] - r->width + 1);
        c.to_region.originY = below(to->n[1] - r->height + 1);
        c.to_region.originZ = below(to->n[2] - r->depth + 1);
    }
    for (uint32_t z = 0; z < r->depth; z++)
        for (uint32_t y = 0; y < r->height; y++)
            memcpy(texel_at(to, c.to_region.originX, c.to_region.originY + y, c.to_region.originZ + z),
                   texel_at(from, r->originX, r->originY + y, r->originZ + z), (size_t)r->width * to->texel);
    run(append_copy, &c);
}

static struct model new_model(ze_image_type_t type, const struct format *f, uint32_t w, uint32_t h, uint32_t d)
{
    struct model m = {.type = type, .texel = f->bytes, .n = {w, 1, 1}};
    uint32_t number = below(5);
    struct copy c = {.to = &m, .whole = true, .plain = true};
    while (!(f->types >> number & 1)) number = (number + 1) % 5;
    if (type == ZE_IMAGE_TYPE_1DARRAY || type == ZE_IMAGE_TYPE_2D || type == ZE_IMAGE_TYPE_2DARRAY ||
        type == ZE_IMAGE_TYPE_3D)
        m.n[1] = h;
    if (type == ZE_IMAGE_TYPE_2DARRAY || type == ZE_IMAGE_TYPE_3D) m.n[2] = d;
    m.image = new_image(describe(type, f->layout, (ze_image_format_type_t)number, w, h, d));
    m.bytes = malloc(size_of(&m));
    fill_randomly(m.bytes, size_of(&m));
    c.memory = m.bytes;
    if (m.image) run(append_copy, &c);
    return m;
}

static void free_model(struct model *m)
{
    OK(zeImageDestroy(m->image));
    free(m->bytes);
}

static void copies_of(ze_image_type_t type, const struct format *f)
{
    uint32_t w = 1 + below(40), h = 1 + below(9), d = 1 + below(7);
    struct model a = new_model(type, f, w, h, d), b = new_model(type, f, w, h, d);
    compare(&a);
    for (int i = 0; i < 8 && a.image && b.image; i++) {
        copy_memory(below(2) ? &a : &b, true);
        copy_memory(below(2) ? &a : &b, false);
        copy_images(&a, &b);
        compare(&a);
        copy_images(&b, &a);
        compare(&b);
    }
    free_model(&a);
    free_model(&b);
}

TEST(copies_of_every_type_and_layout)
{
    for (int type = 0; type < TYPES; type++)
        for (int f = 0; f < FORMATS; f++) copies_of((ze_image_type_t)type, &formats[f]);
}

/* Regions of 3D images and of arrays, and rows of 2D images and layers of 1D ones, mean the same bytes. */
TEST(copies_between_types)
{
    const struct format *f = &formats[5];
    struct model solid = new_model(ZE_IMAGE_TYPE_3D, f, 9, 7, 5), array = new_model(ZE_IMAGE_TYPE_2DARRAY, f, 9, 7, 5);
    struct model flat = new_model(ZE_IMAGE_TYPE_2D, f, 9, 7, 1), lines = new_model(ZE_IMAGE_TYPE_1DARRAY, f, 9, 7, 1);
    for (int i = 0; i < 20; i++) {
        copy_images(&solid, &array);
        copy_images(&array, &solid);
        copy_images(&flat, &lines);
        copy_images(&lines, &flat);
    }
    compare(&solid);
    compare(&array);
    compare(&flat);
    compare(&lines);
    free_model(&solid);
    free_model(&array);
    free_model(&flat);
    free_model(&lines);
}

/* A new image is zero, even in reused memory. */
TEST(new_images_are_zero)
{
    for (int i = 0; i < 4; i++) {
        struct model m = new_model(ZE_IMAGE_TYPE_2D, &formats[2], 300, 200, 1);
        free_model(&m);
        m.image = new_image(rgba8(300, 200));
        m.bytes = calloc(1, size_of(&m));
        compare(&m);
        free_model(&m);
    }
}

/* ---- sizes */

static void last_texels(ze_image_desc_t d, uint32_t x, uint32_t y, uint32_t z)
{
    ze_image_handle_t image = new_image(d);
    uint64_t in[4] = {test_random(), test_random()}, out[4] = {0};
    ze_image_region_t r = {.originX = x, .originY = y, .originZ = z, .width = 1, .height = 1, .depth = 1};
    if (!image) return;
    OK(zeCommandListAppendImageCopyFromMemory(list, image, in, &r, NULL, 0, NULL));
    OK(zeCommandListAppendImageCopyToMemory(list, out, image, &r, NULL, 0, NULL));
    CHECK_MSG(memcmp(in, out, 16) == 0, "type %d: the last texel", (int)d.type);
    r.originX++;
    CHECK_INT(zeCommandListAppendImageCopyToMemory(list, out, image, &r, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    OK(zeImageDestroy(image));
}

TEST(largest_images)
{
    const ze_image_format_layout_t l = ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32;
    const ze_image_format_type_t t = ZE_IMAGE_FORMAT_TYPE_UINT;
    ze_device_image_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES};
    uint32_t one, two, three, many, buffer;
    OK(zeDeviceGetImageProperties(device.device, &p));
    one = p.maxImageDims1D, two = p.maxImageDims2D, three = p.maxImageDims3D, many = p.maxImageArraySlices;
    buffer = (uint32_t)(p.maxImageBufferSize / 16);
    /* required by OpenCL of devices with images */
    CHECK(two >= 16384 && three >= 2048 && many >= 2048 && buffer >= 65536 && one >= 16384);
    CHECK(p.maxSamplers >= 16 && p.maxReadImageArgs >= 128 && p.maxWriteImageArgs >= 64);
    last_texels(describe(ZE_IMAGE_TYPE_1D, l, t, one, 1, 1), one - 1, 0, 0);
    last_texels(describe(ZE_IMAGE_TYPE_1DARRAY, l, t, 3, many, 1), 2, many - 1, 0);
    last_texels(describe(ZE_IMAGE_TYPE_2D, l, t, two, 1, 1), two - 1, 0, 0);
    last_texels(describe(ZE_IMAGE_TYPE_2D, l, t, 1, two, 1), 0, two - 1, 0);
    last_texels(describe(ZE_IMAGE_TYPE_2DARRAY, l, t, 3, 2, many), 2, 1, many - 1);
    last_texels(describe(ZE_IMAGE_TYPE_3D, l, t, three, 1, 1), three - 1, 0, 0);
    last_texels(describe(ZE_IMAGE_TYPE_3D, l, t, 1, three, 1), 0, three - 1, 0);
    last_texels(describe(ZE_IMAGE_TYPE_3D, l, t, 1, 1, three), 0, 0, three - 1);
    last_texels(describe(ZE_IMAGE_TYPE_BUFFER, l, t, buffer, 1, 1), buffer - 1, 0, 0);
    for (int type = 0; type < TYPES; type++) last_texels(describe((ze_image_type_t)type, l, t, 1, 1, 1), 0, 0, 0);
}

TEST(sizes_that_are_refused)
{
    const struct {
        ze_image_type_t type;
        uint32_t width, height, depth, levels;
        ze_result_t result;
    } rows[] = {
        {ZE_IMAGE_TYPE_1D, 0, 1, 1, 0, ZE_RESULT_ERROR_INVALID_SIZE},
        {ZE_IMAGE_TYPE_1D, 16385, 1, 1, 0, ZE_RESULT_ERROR_UNSUPPORTED_SIZE},
        {ZE_IMAGE_TYPE_1DARRAY, 4, 1, 1, 0, ZE_RESULT_ERROR_INVALID_SIZE},
        {ZE_IMAGE_TYPE_1DARRAY, 4, 1, 1, 2049, ZE_RESULT_ERROR_UNSUPPORTED_SIZE},
        {ZE_IMAGE_TYPE_2D, 4, 0, 1, 0, ZE_RESULT_ERROR_INVALID_SIZE},
        {ZE_IMAGE_TYPE_2D, 4, 16385, 1, 0, ZE_RESULT_ERROR_UNSUPPORTED_SIZE},
        {ZE_IMAGE_TYPE_2DARRAY, 4, 4, 1, 0, ZE_RESULT_ERROR_INVALID_SIZE},
        {ZE_IMAGE_TYPE_3D, 4, 4, 0, 0, ZE_RESULT_ERROR_INVALID_SIZE},
        {ZE_IMAGE_TYPE_3D, 4, 4, 2049, 0, ZE_RESULT_ERROR_UNSUPPORTED_SIZE},
        {ZE_IMAGE_TYPE_BUFFER, UINT32_MAX, 1, 1, 0, ZE_RESULT_ERROR_UNSUPPORTED_SIZE},
        {ZE_IMAGE_TYPE_1D, 4, 0, 0, 0, ZE_RESULT_SUCCESS}, /* dimensions that a type does not have are ignored */
        {ZE_IMAGE_TYPE_2D, 4, 4, 0, 9999, ZE_RESULT_SUCCESS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ze_image_desc_t d = rgba8(rows[i].width, rows[i].height);
        ze_image_handle_t image;
        d.type = rows[i].type;
        d.depth = rows[i].depth;
        d.arraylevels = rows[i].levels;
        CHECK_MSG(create(&d, &image) == rows[i].result, "row %d", (int)i);
        if (image) OK(zeImageDestroy(image));
    }
}

TEST(memory_that_is_not_there)
{
    ze_image_desc_t d = describe(ZE_IMAGE_TYPE_2DARRAY, ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32, ZE_IMAGE_FORMAT_TYPE_FLOAT,
                                 16384, 16384, 2048);
    ze_image_handle_t image;
    struct rlimit had, few;
    CHECK_INT(create(&d, &image), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    if (TEST_SANITIZED) return;
    OK(getrlimit(RLIMIT_AS, &had));
    few = (struct rlimit){.rlim_cur = 64 << 20, .rlim_max = had.rlim_max};
    OK(setrlimit(RLIMIT_AS, &few)); /* below its current use: no more pages */
    d = describe(ZE_IMAGE_TYPE_2D, ZE_IMAGE_FORMAT_LAYOUT_8, ZE_IMAGE_FORMAT_TYPE_UINT, 4096, 4096, 1);
    CHECK_INT(create(&d, &image), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    OK(setrlimit(RLIMIT_AS, &had));
    OK(create(&d, &image));
    OK(zeImageDestroy(image));
}

static long pages_of_process(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld", &pages) != 1) pages = 0;
    if (f) fclose(f);
    return pages;
}

TEST(destroyed_images_leave_nothing)
{
    ze_image_desc_t d = rgba8(1024, 256);
    ze_image_handle_t image = new_image(d), view;
    long before = pages_of_process();
    for (int i = 0; i < 2000; i++) {
        OK(zeImageDestroy(image));
        image = new_image(d);
        OK(zeImageViewCreateExp(device.context, device.device, &d, image, &view));
        OK(zeImageDestroy(view));
    }
    CHECK_MSG(pages_of_process() - before < 4096, "%ld pages more", pages_of_process() - before);
    OK(zeImageDestroy(image));
}

/* ---- formats */

static bool is_supported(const ze_image_format_t *f)
{
    for (int i = 0; i < FORMATS; i++)
        if (formats[i].layout == f->layout)
            return f->type <= ZE_IMAGE_FORMAT_TYPE_FLOAT && formats[i].types >> f->type & 1;
    return false;
}

TEST(every_layout_with_every_type)
{
    for (uint32_t layout = 0; layout < 50; layout++)
        for (uint32_t type = 0; type < 7; type++) {
            ze_image_desc_t d = rgba8(3, 2);
            struct number_desc supported = {.stype = FORMAT_SUPPORT, .number = 7};
            ze_image_properties_t p = {.stype = ZE_STRUCTURE_TYPE_IMAGE_PROPERTIES, .pNext = &supported};
            ze_image_handle_t image;
            bool whole = type == ZE_IMAGE_FORMAT_TYPE_UINT || type == ZE_IMAGE_FORMAT_TYPE_SINT, expected;
            d.format.layout = (ze_image_format_layout_t)layout;
            d.format.type = (ze_image_format_type_t)type;
            expected = is_supported(&d.format);
            CHECK_MSG(create(&d, &image) == (expected ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT),
                      "layout %u, type %u", layout, type);
            OK(zeImageGetProperties(device.device, &d, &p));
            CHECK_INT(p.samplerFilterFlags,
                      !expected ? 0
                      : whole   ? ZE_IMAGE_SAMPLER_FILTER_FLAG_POINT
                                : ZE_IMAGE_SAMPLER_FILTER_FLAG_POINT | ZE_IMAGE_SAMPLER_FILTER_FLAG_LINEAR);
            CHECK_INT(supported.number, expected);
            if (image) OK(zeImageDestroy(image));
        }
}

TEST(swizzles)
{
    for (uint32_t s = 0; s < 9; s++) {
        ze_image_desc_t d = rgba8(3, 2);
        ze_image_handle_t image;
        d.format.y = (ze_image_format_swizzle_t)s;
        CHECK_INT(create(&d, &image), s <= 7 ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
        if (image) OK(zeImageDestroy(image));
    }
}

/* ---- descriptors and handles that are refused */

TEST(descriptors_that_are_refused)
{
    ze_image_desc_t d = rgba8(4, 4);
    ze_image_properties_t p = {.stype = ZE_STRUCTURE_TYPE_IMAGE_PROPERTIES};
    struct number_desc more = {.number = 1};
    ze_image_handle_t image;
    d.flags = 4;
    CHECK_INT(create(&d, &image), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    CHECK_INT(zeImageGetProperties(device.device, &d, &p), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    d.flags = ZE_IMAGE_FLAG_BIAS_UNCACHED;
    d.type = (ze_image_type_t)TYPES;
    CHECK_INT(create(&d, &image), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    CHECK_INT(zeImageGetProperties(device.device, &d, &p), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    d = rgba8(4, 4);
    d.miplevels = 3;
    CHECK_INT(create(&d, &image), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    d.miplevels = 0;
    d.pNext = &more;
    more.stype = PLANE_DESC;
    CHECK_INT(create(&d, &image), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    more.number = 0;
    OK(create(&d, &image));
    OK(zeImageDestroy(image));
    more.stype = SRGB_DESC;
    more.number = 1;
    OK(create(&d, &image));
    OK(zeImageDestroy(image));
    d.format.type = ZE_IMAGE_FORMAT_TYPE_UINT;
    CHECK_INT(create(&d, &image), ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
    d.format.type = ZE_IMAGE_FORMAT_TYPE_UNORM;
    d.format.layout = ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16;
    CHECK_INT(create(&d, &image), ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
    more.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC;
    CHECK_INT(create(&d, &image), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}

TEST(null_arguments)
{
    ze_image_desc_t d = rgba8(4, 4);
    ze_image_handle_t image = new_image(d), other;
    uint8_t memory[64];
    CHECK_INT(zeImageCreate(device.context, device.device, NULL, &other), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_INT(zeImageCreate(device.context, device.device, &d, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_INT(zeImageGetProperties(device.device, &d, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_INT(zeImageGetMemoryPropertiesExp(image, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_INT(zeImageGetAllocPropertiesExt(device.context, image, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_INT(zeImageDestroy(NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    CHECK_INT(zeSamplerDestroy(NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    CHECK_INT(zeCommandListAppendImageCopy(list, NULL, image, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    CHECK_INT(zeCommandListAppendImageCopy(list, image, NULL, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    CHECK_INT(zeCommandListAppendImageCopyToMemory(list, NULL, image, NULL, NULL, 0, NULL),
              ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_INT(zeCommandListAppendImageCopyFromMemory(list, image, NULL, NULL, NULL, 0, NULL),
              ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_INT(zeCommandListAppendImageCopyFromMemory(list, image, memory, NULL, NULL, 1, NULL),
              ZE_RESULT_ERROR_INVALID_SIZE);
    OK(zeContextMakeImageResident(device.context, device.device, image));
    OK(zeContextEvictImage(device.context, device.device, image));
    CHECK_INT(zeContextMakeImageResident(device.context, device.device, NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    OK(zeImageDestroy(image));
}

TEST(copies_that_are_refused)
{
    ze_image_handle_t a = new_image(rgba8(8, 6)), b = new_image(rgba8(8, 7));
    ze_image_handle_t wide =
        new_image(describe(ZE_IMAGE_TYPE_2D, ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16, ZE_IMAGE_FORMAT_TYPE_UNORM, 8, 6, 1));
    ze_image_region_t in = {.width = 4, .height = 4, .depth = 1},
                      past = {.originY = 3, .width = 4, .height = 4, .depth = 1};
    ze_image_region_t beside = {.originX = 4, .originY = 1, .width = 4, .height = 4, .depth = 1};
    ze_image_region_t across = {.originX = 3, .originY = 2, .width = 4, .height = 4, .depth = 1};
    ze_image_region_t smaller = {.width = 3, .height = 4, .depth = 1};
    ze_image_region_t wraps = {.originX = UINT32_MAX, .width = 4, .height = 4, .depth = 1};
    uint8_t *few = zed_alloc(&device, ZED_DEVICE, 4 * 8 * 6 - 1, 0);
    CHECK_INT(zeCommandListAppendImageCopy(list, a, b, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    CHECK_INT(zeCommandListAppendImageCopy(list, a, wide, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(zeCommandListAppendImageCopy(list, a, a, NULL, 0, NULL), ZE_RESULT_ERROR_OVERLAPPING_REGIONS);
    CHECK_INT(zeCommandListAppendImageCopyRegion(list, a, a, &across, &in, NULL, 0, NULL),
              ZE_RESULT_ERROR_OVERLAPPING_REGIONS);
    OK(zeCommandListAppendImageCopyRegion(list, a, a, &beside, &in, NULL, 0, NULL));
    CHECK_INT(zeCommandListAppendImageCopyRegion(list, b, a, &past, &past, NULL, 0, NULL),
              ZE_RESULT_ERROR_INVALID_SIZE);
    CHECK_INT(zeCommandListAppendImageCopyRegion(list, b, a, &wraps, &in, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    CHECK_INT(zeCommandListAppendImageCopyRegion(list, b, a, &smaller, &in, NULL, 0, NULL),
              ZE_RESULT_ERROR_INVALID_SIZE);
    CHECK_INT(zeCommandListAppendImageCopyToMemory(list, few, a, NULL, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    CHECK_INT(zeCommandListAppendImageCopyFromMemory(list, a, few, NULL, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_SIZE);
    CHECK_INT(zeCommandListAppendImageCopyFromMemoryExt(list, a, few, &in, 60, 0, NULL, 0, NULL),
              ZE_RESULT_ERROR_INVALID_SIZE);
    OK(zeCommandListAppendImageCopyFromMemoryExt(list, a, few, &in, 58, 0, NULL, 0, NULL));
    zed_free(&device, few);
    OK(zeImageDestroy(a));
    OK(zeImageDestroy(b));
    OK(zeImageDestroy(wide));
}

/* Accepted like by Intel's driver, as the conformance suite requires: a 2D image's region with z, overlapping rows. */
TEST(what_makes_no_difference)
{
    ze_image_handle_t a = new_image(rgba8(8, 6));
    ze_image_region_t odd = {.originX = 1, .originY = 2, .originZ = 1, .width = 4, .height = 3, .depth = 7};
    uint8_t in[2 * 4 + 16], out[3 * 16] = {0};
    fill_randomly(in, sizeof in);
    OK(zeCommandListAppendImageCopyFromMemoryExt(list, a, in, &odd, 4, 1, NULL, 0, NULL));
    OK(zeCommandListAppendImageCopyToMemory(list, out, a, &odd, NULL, 0, NULL));
    for (int y = 0; y < 3; y++) CHECK(memcmp(out + 16 * y, in + 4 * y, 16) == 0);
    OK(zeImageDestroy(a));
}

/* ---- events, and images in other functions */

static ze_event_handle_t new_event(ze_event_pool_handle_t pool, uint32_t index)
{
    ze_event_desc_t d = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = index, .signal = ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t e = NULL;
    OK(zeEventCreate(pool, &d, &e));
    return e;
}

TEST(copies_wait_and_signal)
{
    ze_event_pool_desc_t pd = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE, .count = 4};
    ze_event_pool_handle_t pool;
    ze_event_handle_t e[4];
    uint8_t in[4 * 8 * 6], out[sizeof in] = {0};
    ze_image_handle_t a = new_image(rgba8(8, 6)), b = new_image(rgba8(8, 6));
    fill_randomly(in, sizeof in);
    OK(zeEventPoolCreate(device.context, &pd, 1, &device.device, &pool));
    for (uint32_t i = 0; i < 4; i++) e[i] = new_event(pool, i);
    OK(zeCommandListAppendImageCopyFromMemory(device.list, a, in, NULL, e[1], 1, &e[0]));
    OK(zeCommandListAppendImageCopy(device.list, b, a, e[2], 1, &e[1]));
    OK(zeCommandListAppendImageCopyToMemory(device.list, out, b, NULL, e[3], 2, &e[1]));
    CHECK_INT(zeEventHostSynchronize(e[3], 20000000), ZE_RESULT_NOT_READY);
    CHECK_INT(zeEventQueryStatus(e[1]), ZE_RESULT_NOT_READY);
    OK(zeEventHostSignal(e[0]));
    OK(zeEventHostSynchronize(e[3], FOR_EVER));
    CHECK(memcmp(in, out, sizeof in) == 0);
    for (uint32_t i = 0; i < 4; i++) OK(zeEventQueryStatus(e[i]));
    for (uint32_t i = 0; i < 4; i++) OK(zeEventDestroy(e[i]));
    OK(zeEventPoolDestroy(pool));
    OK(zeImageDestroy(a));
    OK(zeImageDestroy(b));
}

TEST(images_of_another_context)
{
    ze_context_desc_t cd = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t other;
    ze_image_desc_t d = rgba8(5, 4);
    ze_image_handle_t a = new_image(d), b;
    uint8_t in[80], out[80] = {0};
    fill_randomly(in, sizeof in);
    OK(zeContextCreate(device.driver, &cd, &other));
    OK(zeImageCreate(other, device.device, &d, &b));
    OK(zeCommandListAppendImageCopyFromMemory(list, b, in, NULL, NULL, 0, NULL));
    OK(zeCommandListAppendImageCopy(list, a, b, NULL, 0, NULL));
    OK(zeCommandListAppendImageCopyToMemory(list, out, a, NULL, NULL, 0, NULL));
    CHECK(memcmp(in, out, sizeof in) == 0);
    OK(zeImageDestroy(a));
    OK(zeImageDestroy(b));
    OK(zeContextDestroy(other));
}

TEST(properties_of_images)
{
    ze_image_memory_properties_exp_t m = {.stype = ZE_STRUCTURE_TYPE_IMAGE_MEMORY_EXP_PROPERTIES};
    ze_image_allocation_ext_properties_t p = {.stype = ZE_STRUCTURE_TYPE_IMAGE_ALLOCATION_EXT_PROPERTIES}, q = p;
    ze_image_handle_t a =
        new_image(describe(ZE_IMAGE_TYPE_3D, ZE_IMAGE_FORMAT_LAYOUT_16, ZE_IMAGE_FORMAT_TYPE_FLOAT, 33, 5, 3));
    ze_image_handle_t b = new_image(rgba8(1, 1));
    OK(zeImageGetMemoryPropertiesExp(a, &m));
    CHECK(m.rowPitch >= 66 && m.slicePitch >= 5 * m.rowPitch && m.size >= 3 * m.slicePitch);
    OK(zeImageGetAllocPropertiesExt(device.context, a, &p));
    OK(zeImageGetAllocPropertiesExt(device.context, b, &q));
    CHECK(p.id && q.id && p.id != q.id);
    OK(zeImageDestroy(a));
    OK(zeImageDestroy(b));
}

/* ---- views */

TEST(views_show_the_same_texels)
{
    struct model m = new_model(ZE_IMAGE_TYPE_2DARRAY, &formats[2], 13, 6, 4), v = m;
    ze_image_desc_t d =
        describe(ZE_IMAGE_TYPE_2DARRAY, ZE_IMAGE_FORMAT_LAYOUT_32, ZE_IMAGE_FORMAT_TYPE_FLOAT, 13, 6, 4);
    OK(create_view(device.context, device.device, &d, m.image, &v.image));
    compare(&v);
    copy_memory(&v, true); /* both models have the same bytes */
    copy_memory(&v, true);
    compare(&m);
    OK(zeImageDestroy(v.image));
    d.type = ZE_IMAGE_TYPE_2D; /* its first layer, and not all of that */
    d.width = v.n[0] = 13;
    d.height = v.n[1] = 5;
    v.n[2] = 1;
    v.type = ZE_IMAGE_TYPE_2D;
    OK(zeImageViewCreateExp(device.context, device.device, &d, m.image, &v.image));
    compare(&v);
    copy_memory(&v, true);
    compare(&m);
    OK(zeImageDestroy(v.image));
    free_model(&m);
}

TEST(views_that_are_refused)
{
    ze_image_handle_t a = new_image(rgba8(8, 6)), view;
    ze_image_desc_t d = rgba8(8, 6);
    struct number_desc plane = {.stype = PLANE_DESC, .number = 1};
    d.format.layout = ZE_IMAGE_FORMAT_LAYOUT_16;
    CHECK_INT(create_view(device.context, device.device, &d, a, &view), ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
    d.format.layout = ZE_IMAGE_FORMAT_LAYOUT_NV12;
    CHECK_INT(create_view(device.context, device.device, &d, a, &view), ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
    d = rgba8(8, 7);
    CHECK_INT(create_view(device.context, device.device, &d, a, &view), ZE_RESULT_ERROR_INVALID_SIZE);
    d = rgba8(9, 6);
    CHECK_INT(create_view(device.context, device.device, &d, a, &view), ZE_RESULT_ERROR_INVALID_SIZE);
    d = rgba8(8, 6);
    d.flags = 8;
    CHECK_INT(create_view(device.context, device.device, &d, a, &view), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    d.flags = 0;
    d.pNext = &plane;
    CHECK_INT(create_view(device.context, device.device, &d, a, &view), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    plane.number = 0; /* its only plane */
    OK(create_view(device.context, device.device, &d, a, &view));
    OK(zeImageDestroy(view));
    OK(zeImageDestroy(a));
}

/* ---- images over the program's memory */

TEST(pitched_images)
{
    enum { W = 37, H = 11 };
    struct sizes_desc pitched = {.stype = PITCHED_DESC};
    ze_image_desc_t d = rgba8(W, H);
    uint8_t in[H][4 * W], *memory;
    size_t pitch = 0;
    ze_image_handle_t image;
    OK(get_pitch(device.context, device.device, W, H, 4, &pitch));
    CHECK(pitch >= 4 * W && pitch % 64 == 0);
    memory = zed_alloc(&device, ZED_DEVICE, pitch * H, 0);
    memset(memory, 0x5a, pitch * H);
    fill_randomly(in[0], sizeof in);
    memcpy(&pitched.size[0], &memory, sizeof memory);
    d.pNext = &pitched;
    OK(create(&d, &image));
    OK(zeCommandListAppendImageCopyFromMemory(list, image, in, NULL, NULL, 0, NULL));
    for (size_t y = 0; y < H; y++) {
        CHECK(memcmp(memory + y * pitch, in[y], 4 * W) == 0);
        for (size_t x = 4 * W; x < pitch; x++) CHECK_INT(memory[y * pitch + x], 0x5a);
    }
    fill_randomly(memory, pitch * H); /* and vice versa */
    OK(zeCommandListAppendImageCopyToMemory(list, in, image, NULL, NULL, 0, NULL));
    for (size_t y = 0; y < H; y++) CHECK(memcmp(memory + y * pitch, in[y], 4 * W) == 0);
    OK(zeImageDestroy(image));
    memory[pitch * H - 1] = 1; /* the memory still belongs to the program */
    zed_free(&device, memory);
}

TEST(pitches_of_the_programs)
{
    struct sizes_desc custom = {.stype = CUSTOM_PITCH_DESC, .size = {192, 192 * 5}};
    struct sizes_desc pitched = {.stype = PITCHED_DESC, .next = &custom};
    struct model m = {.type = ZE_IMAGE_TYPE_3D, .texel = 8, .n = {9, 4, 3}};
    ze_image_desc_t d =
        describe(m.type, ZE_IMAGE_FORMAT_LAYOUT_32_32, ZE_IMAGE_FORMAT_TYPE_UINT, m.n[0], m.n[1], m.n[2]);
    ze_image_memory_properties_exp_t p = {.stype = ZE_STRUCTURE_TYPE_IMAGE_MEMORY_EXP_PROPERTIES};
    size_t size = 2 * 960 + 3 * 192 + 72; /* to its last texel */
    uint8_t *memory = zed_alloc(&device, ZED_SHARED, size, 0);
    memcpy(&pitched.size[0], &memory, sizeof memory);
    d.pNext = &pitched;
    fill_randomly(memory, size);
    OK(create(&d, &m.image));
    m.bytes = malloc(size_of(&m));
    for (uint32_t z = 0; z < 3; z++)
        for (uint32_t y = 0; y < 4; y++) memcpy(texel_at(&m, 0, y, z), memory + z * 960 + y * 192, 72);
    compare(&m);
    OK(zeImageGetMemoryPropertiesExp(m.image, &p));
    CHECK(p.rowPitch == 192 && p.slicePitch == 960);
    free_model(&m);
    custom.size[0] = 64; /* shorter than a row */
    CHECK_INT(create(&d, &m.image), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    custom.size[0] = 100; /* no multiple of 64 */
    CHECK_INT(create(&d, &m.image), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    custom.size[0] = 192, custom.size[1] = 192 * 3; /* shorter than a slice */
    CHECK_INT(create(&d, &m.image), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    custom.size[1] = (SIZE_MAX / 192 / 3 + 1) * 192; /* three of them overflow to almost nothing */
    CHECK_INT(create(&d, &m.image), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    custom.size[1] = 192 * 6; /* longer than the memory */
    CHECK_INT(create(&d, &m.image), ZE_RESULT_ERROR_INVALID_SIZE);
    memory += size;
    memcpy(&pitched.size[0], &memory, sizeof memory);
    CHECK_INT(create(&d, &m.image), ZE_RESULT_ERROR_INVALID_ARGUMENT); /* in no allocation */
    zed_free(&device, memory - size);
}

/* A buffer's width is in texels, without a pitch. */
TEST(images_over_buffers)
{
    struct sizes_desc pitched = {.stype = PITCHED_DESC};
    struct model m = {.type = ZE_IMAGE_TYPE_BUFFER, .texel = 2, .n = {777, 1, 1}};
    ze_image_desc_t d = describe(m.type, ZE_IMAGE_FORMAT_LAYOUT_16, ZE_IMAGE_FORMAT_TYPE_SNORM, m.n[0], 1, 1);
    m.bytes = zed_alloc(&device, ZED_HOST, size_of(&m), 0);
    memcpy(&pitched.size[0], &m.bytes, sizeof m.bytes);
    d.pNext = &pitched;
    fill_randomly(m.bytes, size_of(&m));
    OK(create(&d, &m.image));
    compare(&m);
    copy_memory(&m, false);
    OK(zeImageDestroy(m.image));
    d.width++;
    CHECK_INT(create(&d, &m.image), ZE_RESULT_ERROR_INVALID_SIZE);
    zed_free(&device, m.bytes);
}

TEST(what_pitches_may_be)
{
    struct sizes_desc info = {.stype = PITCH_INFO}, linear = {.stype = PITCHED_PROPERTIES, .next = &info};
    ze_device_image_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES, .pNext = &linear};
    size_t pitch;
    OK(zeDeviceGetImageProperties(device.device, &p));
    CHECK(linear.size[0] == p.maxImageDims2D && linear.size[1] == p.maxImageDims2D);
    CHECK(info.size[0] == 64 && info.size[1] >= 16 * linear.size[0]);
    CHECK_INT(get_pitch(device.context, device.device, 8, 8, 0, &pitch), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(get_pitch(device.context, device.device, 8, 8, 32, &pitch), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(get_pitch(device.context, device.device, 0, 8, 4, &pitch), ZE_RESULT_ERROR_INVALID_SIZE);
    CHECK_INT(get_pitch(device.context, device.device, 8, 1 << 20, 4, &pitch), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    CHECK_INT(get_pitch(device.context, device.device, 8, 8, 4, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

/* ---- samplers */

TEST(samplers)
{
    for (uint32_t address = 0; address < 7; address++)
        for (uint32_t filter = 0; filter < 4; filter++)
            for (int normalized = 0; normalized < 2; normalized++) {
                ze_sampler_desc_t d = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC,
                                       .addressMode = (ze_sampler_address_mode_t)address,
                                       .filterMode = (ze_sampler_filter_mode_t)filter,
                                       .isNormalized = (ze_bool_t)normalized};
                ze_sampler_handle_t sampler = NULL;
                CHECK_INT(zeSamplerCreate(device.context, device.device, &d, &sampler),
                          address <= ZE_SAMPLER_ADDRESS_MODE_MIRROR && filter <= ZE_SAMPLER_FILTER_MODE_LINEAR
                              ? ZE_RESULT_SUCCESS
                              : ZE_RESULT_ERROR_INVALID_ENUMERATION);
                if (sampler) OK(zeSamplerDestroy(sampler));
            }
}

int main(void)
{
    ze_command_queue_desc_t q = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                 .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    /* Only one driver: with several, the loader does not know handles from functions found by name. */
    setenv("ZE_ENABLE_ALT_DRIVERS", getenv("XETILE_SOFT") ? getenv("XETILE_SOFT") : "build/libze_soft.so", 1);
    if (!zed_open(&device, &(zed_options){.name = "software"})) {
        zed_print_error(&device, stderr);
        return 1;
    }
    find_extensions();
    OK(zeCommandListCreateImmediate(device.context, device.device, &q, &list));
    RUN(copies_of_every_type_and_layout);
    RUN(copies_between_types);
    RUN(new_images_are_zero);
    RUN(largest_images);
    RUN(sizes_that_are_refused);
    RUN(memory_that_is_not_there);
    RUN(destroyed_images_leave_nothing);
    RUN(every_layout_with_every_type);
    RUN(swizzles);
    RUN(descriptors_that_are_refused);
    RUN(null_arguments);
    RUN(copies_that_are_refused);
    RUN(what_makes_no_difference);
    RUN(copies_wait_and_signal);
    RUN(images_of_another_context);
    RUN(properties_of_images);
    RUN(views_show_the_same_texels);
    RUN(views_that_are_refused);
    RUN(pitched_images);
    RUN(pitches_of_the_programs);
    RUN(images_over_buffers);
    RUN(what_pitches_may_be);
    RUN(samplers);
    OK(zeCommandListDestroy(list));
    zed_close(&device);
    return test_report();
}
