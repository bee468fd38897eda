/* test_opencl_images.c - kernels with images, used as in programs: Level Zero creates images and samplers, copies fill
 * and read them, and the kernels of images.cl use them; the checked mode is on and must not report anything.
 * soft/tests/test_soft_image_kernels.c tests the meaning of each format; here an image of each type and a few formats
 * are tested end to end.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include <math.h>
#include <unistd.h>

#include "opencl.h"

enum { MOST = 1024, LOCAL = 20 }; /* texels of an image; work-items of a work-group: no multiple of a subgroup's */

static zed_module plain, unoptimised, *module;

/* ---- images */

struct made {
    ze_image_desc_t desc;
    ze_image_handle_t handle;
    uint32_t size[3], count; /* texels; layers are the last size */
};

static const char *const kernel_kinds[] = {[ZE_IMAGE_TYPE_1D] = "1d", [ZE_IMAGE_TYPE_1DARRAY] = "1d_array",
                                           [ZE_IMAGE_TYPE_2D] = "2d", [ZE_IMAGE_TYPE_2DARRAY] = "2d_array",
                                           [ZE_IMAGE_TYPE_3D] = "3d", [ZE_IMAGE_TYPE_BUFFER] = "buffer"};
enum { TYPES = ZE_IMAGE_TYPE_BUFFER + 1 };

static struct made make(ze_image_type_t type, ze_image_format_layout_t layout, ze_image_format_type_t number,
                        const char *swizzle, uint32_t x, uint32_t y, uint32_t z)
{
    static const char letters[] = "rgba01x";
    struct made m = {
        .desc = {.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC, .flags = ZE_IMAGE_FLAG_KERNEL_WRITE, .type = type}};
    bool two = type != ZE_IMAGE_TYPE_1D && type != ZE_IMAGE_TYPE_BUFFER;
    bool three = type == ZE_IMAGE_TYPE_2DARRAY || type == ZE_IMAGE_TYPE_3D;
    m.desc.format.layout = layout;
    m.desc.format.type = number;
    m.desc.format.x = (ze_image_format_swizzle_t)(strchr(letters, swizzle[0]) - letters);
    m.desc.format.y = (ze_image_format_swizzle_t)(strchr(letters, swizzle[1]) - letters);
    m.desc.format.z = (ze_image_format_swizzle_t)(strchr(letters, swizzle[2]) - letters);
    m.desc.format.w = (ze_image_format_swizzle_t)(strchr(letters, swizzle[3]) - letters);
    m.size[0] = x;
    m.size[1] = two ? y : 1;
    m.size[2] = three ? z : 1;
    m.count = m.size[0] * m.size[1] * m.size[2];
    m.desc.width = x;
    m.desc.height = type == ZE_IMAGE_TYPE_1DARRAY ? 1 : m.size[1];
    m.desc.depth = type == ZE_IMAGE_TYPE_3D ? m.size[2] : 1;
    m.desc.arraylevels = type == ZE_IMAGE_TYPE_1DARRAY ? m.size[1] : type == ZE_IMAGE_TYPE_2DARRAY ? m.size[2] : 0;
    OCL_OK(zeImageCreate(ocl_device.context, ocl_device.device, &m.desc, &m.handle));
    return m;
}

static void wait_for_list(void)
{
    OCL_OK(zeCommandListAppendBarrier(ocl_device.list, ocl_device.event, 0, NULL));
    OCL_OK(zeEventHostSynchronize(ocl_device.event, UINT64_MAX));
    OCL_OK(zeEventHostReset(ocl_device.event));
}

static void fill(const struct made *m, const void *from)
{
    OCL_OK(zeCommandListAppendImageCopyFromMemory(ocl_device.list, m->handle, from, NULL, NULL, 0, NULL));
    wait_for_list();
}

static void empty(const struct made *m, void *to)
{
    OCL_OK(zeCommandListAppendImageCopyToMemory(ocl_device.list, to, m->handle, NULL, NULL, 0, NULL));
    wait_for_list();
}

static ze_sampler_handle_t make_sampler(ze_sampler_address_mode_t address, ze_sampler_filter_mode_t filter,
                                        bool normalized)
{
    ze_sampler_desc_t d = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC,
                           .addressMode = address,
                           .filterMode = filter,
                           .isNormalized = normalized};
    ze_sampler_handle_t s = NULL;
    OCL_OK(zeSamplerCreate(ocl_device.context, ocl_device.device, &d, &s));
    return s;
}

#define ARG(a)                                                                                                         \
    {                                                                                                                  \
        sizeof(a), &(a)                                                                                                \
    }
#define LAUNCH(name, items, ...)                                                                                       \
    do {                                                                                                               \
        const ocl_argument args_[] = {__VA_ARGS__};                                                                    \
        ocl_launch(module->handle, (name), ((items) + LOCAL - 1) / LOCAL, LOCAL, sizeof args_ / sizeof *args_, args_); \
    } while (0)

/* ---- the kernels' data */

static int32_t (*at)[4];
static float (*real_at)[4], (*texel)[4];
static uint32_t (*texel_u)[4];

/* A work-item for each texel, in another order; excess ones in the last work-group are outside. */
static void every_coordinate(const struct made *m)
{
    uint32_t step = m->count % 7 ? 7 : m->count % 5 ? 5 : 11;
    for (uint32_t i = 0; i < MOST + LOCAL; i++) {
        uint32_t n = i * step % m->count;
        at[i][0] = i < m->count ? (int32_t)(n % m->size[0]) : -1;
        at[i][1] = (int32_t)(n / m->size[0] % m->size[1]);
        at[i][2] = (int32_t)(n / m->size[0] / m->size[1]);
        at[i][3] = -1;
    }
}

static uint32_t texel_of(const struct made *m, uint32_t i)
{
    return ((uint32_t)at[i][2] * m->size[1] + (uint32_t)at[i][1]) * m->size[0] + (uint32_t)at[i][0];
}

static const char *named(const char *what, ze_image_type_t type)
{
    static char name[64];
    snprintf(name, sizeof name, "%s_%s", what, kernel_kinds[type]);
    return name;
}

/* ---- each type of image is read and written */

static void bytes_round_trip(ze_image_type_t type)
{
    static uint8_t bytes[MOST][4], after[MOST][4];
    struct made m = make(type, ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UNORM, "bgra", 13, 9, 7);
    for (uint32_t i = 0; i < m.count * 4; i++) bytes[i / 4][i % 4] = (uint8_t)test_random();
    every_coordinate(&m);
    memset(texel, 0xa5, (MOST + LOCAL) * sizeof *texel);
    fill(&m, bytes);
    LAUNCH(named("read_f", type), m.count, ARG(m.handle), ARG(at), ARG(texel));
    for (uint32_t i = 0; i < m.count; i++)
        for (uint32_t k = 0; k < 4; k++) {
            double want = bytes[texel_of(&m, i)][k < 3 ? 2 - k : 3] / 255.0;
            CHECK_MSG(fabs(texel[i][k] - want) <= 0x1p-23 * want, "%s: item %u channel %u: %.9g, not %.9g",
                      kernel_kinds[type], i, k, (double)texel[i][k], want);
            texel[i][k] = 1 - texel[i][k];
        }
    LAUNCH(named("write_f", type), m.count, ARG(m.handle), ARG(at), ARG(texel));
    memset(after, 0xa5, sizeof after);
    empty(&m, after);
    for (uint32_t i = 0; i < m.count * 4; i++) CHECK_INT(after[i / 4][i % 4], 255 - bytes[i / 4][i % 4]);
    OCL_OK(zeImageDestroy(m.handle));
}

static void words_round_trip(ze_image_type_t type)
{
    static uint16_t words[MOST][2], after[MOST][2];
    struct made m = make(type, ZE_IMAGE_FORMAT_LAYOUT_16_16, ZE_IMAGE_FORMAT_TYPE_UINT, "gr01", 11, 10, 8);
    for (uint32_t i = 0; i < m.count * 2; i++) words[i / 2][i % 2] = (uint16_t)test_random();
    every_coordinate(&m);
    memset(texel_u, 0xa5, (MOST + LOCAL) * sizeof *texel_u);
    fill(&m, words);
    LAUNCH(named("read_ui", type), m.count, ARG(m.handle), ARG(at), ARG(texel_u));
    for (uint32_t i = 0; i < m.count; i++) {
        const uint16_t *w = words[texel_of(&m, i)];
        CHECK(texel_u[i][0] == w[1] && texel_u[i][1] == w[0] && texel_u[i][2] == 0 && texel_u[i][3] == 1);
        texel_u[i][0] *= 3; /* saturates */
    }
    LAUNCH(named("write_ui", type), m.count, ARG(m.handle), ARG(at), ARG(texel_u));
    memset(after, 0xa5, sizeof after);
    empty(&m, after);
    for (uint32_t i = 0; i < m.count; i++) {
        CHECK_INT(after[i][0], words[i][0]);
        CHECK_INT(after[i][1], words[i][1] * 3 > 65535 ? 65535 : words[i][1] * 3);
    }
    OCL_OK(zeImageDestroy(m.handle));
}

TEST(every_type)
{
    for (uint32_t type = 0; type < TYPES; type++) {
        bytes_round_trip((ze_image_type_t)type);
        words_round_trip((ze_image_type_t)type);
    }
}

/* ---- samplers */

/* The texel at a position in a row of `n` texels, or -1: outside. */
static int64_t nearest(ze_sampler_address_mode_t mode, double u, int64_t n)
{
    int64_t i = (int64_t)floor(u), period = ((i % (2 * n)) + 2 * n) % (2 * n);
    if (i >= 0 && i < n) return i;
    switch (mode) {
    case ZE_SAMPLER_ADDRESS_MODE_CLAMP: return i < 0 ? 0 : n - 1;
    case ZE_SAMPLER_ADDRESS_MODE_REPEAT: return period % n;
    case ZE_SAMPLER_ADDRESS_MODE_MIRROR: return period < n ? period : 2 * n - 1 - period;
    default: return -1;
    }
}

/* Interpolates between the four texels around (x, y); with nearest filtering, the texel at (x, y). */
static double sampled(const struct made *m, float (*image)[4], ze_sampler_desc_t d, double x, double y, uint32_t k)
{
    double sum = 0;
    if (d.isNormalized) x *= m->size[0], y *= m->size[1];
    for (int corner = 0; corner < (d.filterMode ? 4 : 1); corner++) {
        double cx = floor(x - 0.5) + corner % 2 + 0.5, cy = floor(y - 0.5) + corner / 2 + 0.5;
        double weight = d.filterMode ? (1 - fabs(x - cx)) * (1 - fabs(y - cy)) : 1;
        int64_t i = nearest(d.addressMode, d.filterMode ? cx : x, m->size[0]);
        int64_t j = nearest(d.addressMode, d.filterMode ? cy : y, m->size[1]);
        if (i >= 0 && j >= 0) sum += weight * image[j * m->size[0] + i][k];
    }
    return sum;
}

TEST(every_sampler)
{
    static float image[MOST][4];
    struct made m =
        make(ZE_IMAGE_TYPE_2D, ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32, ZE_IMAGE_FORMAT_TYPE_FLOAT, "rgba", 23, 17, 1);
    for (uint32_t i = 0; i < m.count * 4; i++) image[i / 4][i % 4] = (float)test_normal();
    fill(&m, image);
    for (uint32_t way = 0; way < 20; way++) {
        ze_sampler_desc_t d = {.addressMode = way / 4, .filterMode = way / 2 % 2, .isNormalized = way % 2};
        ze_sampler_handle_t s = make_sampler(d.addressMode, d.filterMode, d.isNormalized);
        for (uint32_t i = 0; i < MOST; i++)
            for (uint32_t k = 0; k < 2; k++) {
                double n = m.size[k], u = (test_random() % 3000 / 1000.0 - 1) * n;
                if (fabs(u - rint(u)) < 2e-3) u += 0.0111; /* avoid rounding cases */
                real_at[i][k] = (float)(d.isNormalized ? u / n : u);
            }
        memset(texel, 0xa5, (MOST + LOCAL) * sizeof *texel);
        LAUNCH("sample_f_2d", MOST, ARG(m.handle), ARG(s), ARG(real_at), ARG(texel));
        for (uint32_t i = 0; i < MOST; i++)
            for (uint32_t k = 0; k < 4; k++) {
                double want = sampled(&m, image, d, real_at[i][0], real_at[i][1], k);
                /* texels are below 5; a product of size and coordinate rounds to 2^-20 of a texel */
                CHECK_MSG(fabs(texel[i][k] - want) <= 2e-5, "way %u, item %u channel %u: %.9g, not %.9g", way, i, k,
                          (double)texel[i][k], want);
            }
        OCL_OK(zeSamplerDestroy(s));
    }
    OCL_OK(zeImageDestroy(m.handle));
}

/* ---- several images per kernel, consecutive commands */

/* A row is blurred, the result is blurred again, by commands in one list. */
TEST(a_chain_of_commands)
{
    static float image[MOST][4], after[MOST][4], want[MOST][4];
    struct made from =
        make(ZE_IMAGE_TYPE_2D, ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32, ZE_IMAGE_FORMAT_TYPE_FLOAT, "rgba", 31, 12, 1);
    struct made to =
        make(ZE_IMAGE_TYPE_2D, ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32, ZE_IMAGE_FORMAT_TYPE_FLOAT, "rgba", 15, 14, 1);
    for (uint32_t i = 0; i < from.count * 4; i++) image[i / 4][i % 4] = (float)test_normal();
    fill(&from, image);
    fill(&to, image);
    LAUNCH("divergent", 200, ARG(from.handle), ARG(to.handle));
    empty(&to, after);
    for (uint32_t i = 0; i < to.count; i++)
        for (uint32_t k = 0; k < 4; k++) {
            want[i][k] = i < 200 && i % 3 ? 0 : image[i][k];
            for (uint32_t n = 0; n < i % 7 && i < 200 && i % 3; n++) want[i][k] += image[i % 12 * 31 + n][k];
            CHECK_MSG(want[i][k] == after[i][k], "texel %u channel %u: %g, not %g", i, k, (double)after[i][k],
                      (double)want[i][k]);
        }
    OCL_OK(zeImageDestroy(from.handle));
    OCL_OK(zeImageDestroy(to.handle));
}

TEST(queries)
{
    struct made m[7];
    int32_t *got = (int32_t *)ocl_buffer(20 * sizeof *got);
    static const ze_image_type_t types[] = {ZE_IMAGE_TYPE_1D, ZE_IMAGE_TYPE_BUFFER,  ZE_IMAGE_TYPE_1DARRAY,
                                            ZE_IMAGE_TYPE_2D, ZE_IMAGE_TYPE_2DARRAY, ZE_IMAGE_TYPE_3D,
                                            ZE_IMAGE_TYPE_2D};
    for (uint32_t i = 0; i < 7; i++)
        m[i] = make(types[i], i == 6 ? ZE_IMAGE_FORMAT_LAYOUT_32 : ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16,
                    ZE_IMAGE_FORMAT_TYPE_FLOAT, i == 6 ? "r001" : "rgba", 20 + i, 10 + i, 5 + i);
    LAUNCH("query", 1, ARG(m[0].handle), ARG(m[1].handle), ARG(m[2].handle), ARG(m[3].handle), ARG(m[4].handle),
           ARG(m[5].handle), ARG(m[6].handle), ARG(got));
    static const int32_t want[] = {20, 21, 22,     12,     23,     13,     24,     14, 9, 25,
                                   15, 10, 0x10dd, 0x10b5, 0x10dd, 0x10b5, 0x10bd, 16, 1};
    for (uint32_t i = 0; i < sizeof want / sizeof *want; i++) CHECK_INT(got[i], want[i]);
    for (uint32_t i = 0; i < 7; i++) OCL_OK(zeImageDestroy(m[i].handle));
    ocl_free(got);
}

/* An image over the program's memory: kernels read and write it. */
TEST(a_buffer_of_the_programs)
{
    enum { WIDTH = 16, HEIGHT = 10 };
    struct {
        uint32_t stype;
        const void *next;
        void *memory;
    } over = {0x2001f /* ZE_STRUCTURE_TYPE_PITCHED_IMAGE_DESC, of newer headers */, NULL, NULL};
    ze_image_desc_t d = {
        .stype = ZE_STRUCTURE_TYPE_IMAGE_DESC, .type = ZE_IMAGE_TYPE_2D, .width = WIDTH, .height = HEIGHT, .depth = 1};
    struct made m = {.count = WIDTH * HEIGHT, .size = {WIDTH, HEIGHT, 1}};
    int32_t *memory = (int32_t *)ocl_buffer(WIDTH * HEIGHT * sizeof *memory);
    d.flags = ZE_IMAGE_FLAG_KERNEL_WRITE;
    d.format = (ze_image_format_t){.layout = ZE_IMAGE_FORMAT_LAYOUT_32,
                                   .type = ZE_IMAGE_FORMAT_TYPE_SINT,
                                   .y = ZE_IMAGE_FORMAT_SWIZZLE_0,
                                   .z = ZE_IMAGE_FORMAT_SWIZZLE_0,
                                   .w = ZE_IMAGE_FORMAT_SWIZZLE_1};
    d.pNext = &over;
    over.memory = memory;
    for (int32_t i = 0; i < WIDTH * HEIGHT; i++) memory[i] = (int32_t)test_random();
    OCL_OK(zeImageCreate(ocl_device.context, ocl_device.device, &d, &m.handle));
    every_coordinate(&m);
    LAUNCH("read_i_2d", m.count, ARG(m.handle), ARG(at), ARG(texel_u));
    for (uint32_t i = 0; i < m.count; i++) {
        CHECK(texel_u[i][0] == (uint32_t)memory[texel_of(&m, i)] && !texel_u[i][1] && texel_u[i][3] == 1);
        texel_u[i][0] ^= 0x5555;
    }
    memset(memory, 0, m.count * sizeof *memory);
    LAUNCH("write_i_2d", m.count, ARG(m.handle), ARG(at), ARG(texel_u));
    for (uint32_t i = 0; i < m.count; i++) CHECK_INT(memory[texel_of(&m, i)], (int32_t)texel_u[i][0]);
    OCL_OK(zeImageDestroy(m.handle));
    ocl_free(memory);
}

/* ---- arguments that are not images */

TEST(refused_arguments)
{
    ze_kernel_desc_t d = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "sample_f_2d"};
    ze_group_count_t one = {1, 1, 1};
    struct made m = make(ZE_IMAGE_TYPE_2D, ZE_IMAGE_FORMAT_LAYOUT_8, ZE_IMAGE_FORMAT_TYPE_UNORM, "r001", 5, 5, 1);
    ze_sampler_handle_t s = make_sampler(ZE_SAMPLER_ADDRESS_MODE_CLAMP, ZE_SAMPLER_FILTER_MODE_LINEAR, true);
    ze_image_handle_t none = NULL;
    ze_kernel_handle_t k = NULL;
    OCL_OK(zeKernelCreate(module->handle, &d, &k));
    OCL_OK(zeKernelSetGroupSize(k, 1, 1, 1));
    CHECK(zeKernelSetArgumentValue(k, 0, sizeof none, &none) != ZE_RESULT_SUCCESS);
    CHECK(zeKernelSetArgumentValue(k, 0, 4, &m.handle) != ZE_RESULT_SUCCESS);
    CHECK(zeKernelSetArgumentValue(k, 1, sizeof m.handle, &m.handle) != ZE_RESULT_SUCCESS); /* not a sampler */
    CHECK(zeKernelSetArgumentValue(k, 0, sizeof s, &s) != ZE_RESULT_SUCCESS);
    OCL_OK(zeKernelSetArgumentValue(k, 0, sizeof m.handle, &m.handle));
    OCL_OK(zeKernelSetArgumentValue(k, 2, sizeof real_at, &real_at));
    OCL_OK(zeKernelSetArgumentValue(k, 3, sizeof texel, &texel));
    CHECK(zeCommandListAppendLaunchKernel(ocl_device.list, k, &one, NULL, 0, NULL) != ZE_RESULT_SUCCESS);
    OCL_OK(zeKernelSetArgumentValue(k, 1, sizeof s, &s));
    OCL_OK(zeCommandListAppendLaunchKernel(ocl_device.list, k, &one, NULL, 0, NULL));
    wait_for_list();
    OCL_OK(zeKernelDestroy(k));
    OCL_OK(zeSamplerDestroy(s));
    OCL_OK(zeImageDestroy(m.handle));
}

/* ---- the checked mode reports nothing */

static FILE *heard;
static int own_stderr;

static void listen(void)
{
    fflush(stderr);
    heard = tmpfile();
    own_stderr = dup(2);
    if (heard) dup2(fileno(heard), 2);
}

TEST(nothing_is_reported)
{
    char line[512];
    fflush(stderr);
    dup2(own_stderr, 2);
    close(own_stderr);
    if (!heard) return;
    rewind(heard);
    while (fgets(line, sizeof line, heard)) CHECK_MSG(!strstr(line, "check:"), "%s", line);
    fclose(heard);
}

int main(void)
{
    setenv("XETILE_SOFT_CHECK", "1", 0);
    if (!ocl_open()) return 1;
    at = (int32_t(*)[4])ocl_buffer((MOST + LOCAL) * sizeof *at);
    real_at = (float(*)[4])ocl_buffer((MOST + LOCAL) * sizeof *real_at);
    texel = (float(*)[4])ocl_buffer((MOST + LOCAL) * sizeof *texel);
    texel_u = (uint32_t(*)[4])texel;
    memset(real_at, 0, (MOST + LOCAL) * sizeof *real_at);
    listen();
    for (uint32_t k = 0; k < 2; k++) {
        module = k ? &unoptimised : &plain;
        if (!ocl_load(module, k ? "images_unoptimised" : "images")) return 1;
        RUN(every_type);
        RUN(every_sampler);
        RUN(a_chain_of_commands);
        RUN(queries);
        RUN(a_buffer_of_the_programs);
        RUN(refused_arguments);
        zed_module_free(module);
    }
    RUN(nothing_is_reported);
    zed_close(&ocl_device);
    return test_report();
}
