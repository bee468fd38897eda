/* test_spirv_images.c - images and samplers as types, read, written, sampled and asked for their size: kernels written
 * with spirv_emit.h and run on the device, and what is refused. */
#define _GNU_SOURCE
#include "../opencl/opencl.h"
#include "spirv_emit.h"

enum { MOST = 400, GROUP = 16, KINDS = 6 };

/* Each kind of image: the module's, Level Zero's, and the texels on each side of the test's. */
static const struct {
    const char *name;
    uint32_t dim;
    bool arrayed;
    ze_image_type_t type;
    uint32_t sides, size[3]; /* sides: coordinates */
} kinds[KINDS] = {{"1d", SPE_Dim1D, false, ZE_IMAGE_TYPE_1D, 1, {37, 1, 1}},
                  {"1d_array", SPE_Dim1D, true, ZE_IMAGE_TYPE_1DARRAY, 2, {21, 5, 1}},
                  {"2d", SPE_Dim2D, false, ZE_IMAGE_TYPE_2D, 2, {19, 13, 1}},
                  {"2d_array", SPE_Dim2D, true, ZE_IMAGE_TYPE_2DARRAY, 3, {7, 9, 3}},
                  {"3d", SPE_Dim3D, false, ZE_IMAGE_TYPE_3D, 3, {8, 5, 6}},
                  {"buffer", SPE_DimBuffer, false, ZE_IMAGE_TYPE_BUFFER, 1, {101, 1, 1}}};

static spe_module m;
static spe_id i32, f32, i32x4, f32x4;

/* Opens kernel "k" with parameters of these types (0: no more). */
static spe_id open_kernel(const spe_id *types)
{
    static spe_param params[4];
    spe_kernel k;
    memset(&k, 0, sizeof k);
    for (k.param_count = 0; types[k.param_count]; k.param_count++) params[k.param_count].type = types[k.param_count];
    k.name = "k", k.params = params;
    spe_kernel_begin(&m, &k);
    return spe_builtin(&m, SPE_GLOBAL_ID, 0);
}

static void begin(void)
{
    spe_free(&m);
    spe_begin(&m, NULL);
    i32 = spe_int(&m, 32);
    f32 = spe_float(&m, 32);
    i32x4 = spe_vec(&m, i32, 4);
    f32x4 = spe_vec(&m, f32, 4);
}

static spe_id global(spe_id type) { return spe_ptr(&m, SPE_StorageClassCrossWorkgroup, type); }
static spe_id image(int kind, uint32_t access) { return spe_image(&m, kinds[kind].dim, kinds[kind].arrayed, access); }
static spe_id parameter(uint32_t i) { return spe_param_id(&m, i); }
static spe_id at(uint32_t i, spe_id index) { return spe_index(&m, parameter(i), index); }

static void fails(const char *text)
{
    CHECK(!spe_finish(&m).data);
    CHECK_HAS(spe_get_error(&m)->text, text);
    begin();
}

static bool load(zed_module *module, const char *what, const char *kind)
{
    char name[64];
    spe_kernel_end(&m);
    spe_words words = spe_finish(&m);
    CHECK_MSG(words.data != NULL, "%s", spe_get_error(&m)->text);
    snprintf(name, sizeof name, "spirv_images_%s_%s", what, kind);
    test_save_spv(name, words.data, 4 * words.count);
    zed_module_load(module, &ocl_device, words.data, 4 * words.count, NULL);
    return ocl_good_(name, __FILE__, __LINE__);
}

/* The first coordinates of an i32x4 or f32x4, as an image of this kind takes them. */
static spe_id coordinates(int kind, spe_id four)
{
    static const uint32_t first[3] = {0, 1, 2};
    return spe_shuffle(&m, four, four, kinds[kind].sides, first);
}

static ze_image_handle_t make(int kind, ze_image_format_layout_t layout, ze_image_format_type_t number)
{
    const uint32_t *size = kinds[kind].size;
    ze_image_desc_t d = {.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC, .flags = ZE_IMAGE_FLAG_KERNEL_WRITE};
    ze_image_handle_t handle = NULL;
    d.type = kinds[kind].type;
    d.format.layout = layout;
    d.format.type = number;
    d.format.x = ZE_IMAGE_FORMAT_SWIZZLE_R, d.format.y = ZE_IMAGE_FORMAT_SWIZZLE_G;
    d.format.z = ZE_IMAGE_FORMAT_SWIZZLE_B, d.format.w = ZE_IMAGE_FORMAT_SWIZZLE_A;
    d.width = size[0];
    d.height = d.type == ZE_IMAGE_TYPE_1DARRAY ? 1 : size[1];
    d.depth = d.type == ZE_IMAGE_TYPE_3D ? size[2] : 1;
    d.arraylevels = d.type == ZE_IMAGE_TYPE_1DARRAY ? size[1] : d.type == ZE_IMAGE_TYPE_2DARRAY ? size[2] : 0;
    OCL_OK(zeImageCreate(ocl_device.context, ocl_device.device, &d, &handle));
    return handle;
}

static void wait_for_list(void)
{
    OCL_OK(zeCommandListAppendBarrier(ocl_device.list, ocl_device.event, 0, NULL));
    OCL_OK(zeEventHostSynchronize(ocl_device.event, UINT64_MAX));
    OCL_OK(zeEventHostReset(ocl_device.event));
}

static uint32_t texels(int kind) { return kinds[kind].size[0] * kinds[kind].size[1] * kinds[kind].size[2]; }

/* Coordinates of a texel for each work-item, in another order; those too many have the last. */
static int32_t (*positions(int kind))[4]
{
    int32_t(*p)[4] = (int32_t(*)[4])ocl_buffer(MOST * sizeof *p);
    const int32_t *size = (const int32_t *)kinds[kind].size;
    int32_t count = (int32_t)texels(kind);
    for (int32_t i = 0; i < MOST; i++) {
        int32_t n = i < count ? count - 1 - i : 0;
        p[i][0] = n % size[0], p[i][1] = n / size[0] % size[1], p[i][2] = n / size[0] / size[1];
        p[i][3] = 12345;
    }
    return p;
}

#define ARG(a) {sizeof(a), &(a)}
#define LAUNCH(module, ...)                                                                                            \
    do {                                                                                                               \
        const ocl_argument args_[] = {__VA_ARGS__};                                                                    \
        ocl_launch((module).handle, "k", MOST / GROUP, GROUP, sizeof args_ / sizeof *args_, args_);                    \
    } while (0)

/* k(image from, image to, i32x4 *where): to = 1 - from, at a position for each work-item. */
static void emit_copy(int kind)
{
    begin();
    spe_id types[] = {image(kind, SPE_AccessQualifierReadOnly), image(kind, SPE_AccessQualifierWriteOnly),
                      global(i32x4), 0};
    spe_id where = coordinates(kind, spe_load(&m, at(2, open_kernel(types)), 0));
    spe_id texel = spe_image_read(&m, f32x4, parameter(0), where);
    spe_image_write(&m, parameter(1), where, spe_fsub(&m, spe_const_f(&m, f32x4, 1), texel));
}

TEST(every_kind_is_read_and_written)
{
    for (int kind = 0; kind < KINDS; kind++) {
        static float from[MOST][4], to[MOST][4];
        ze_image_handle_t a, b;
        zed_module module;
        emit_copy(kind);
        if (!load(&module, "copy", kinds[kind].name)) continue;
        int32_t(*where)[4] = positions(kind);
        a = make(kind, ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32, ZE_IMAGE_FORMAT_TYPE_FLOAT);
        b = make(kind, ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32, ZE_IMAGE_FORMAT_TYPE_FLOAT);
        for (uint32_t i = 0; i < MOST * 4; i++) from[i / 4][i % 4] = (float)test_normal();
        memset(to, 0xa5, sizeof to);
        OCL_OK(zeCommandListAppendImageCopyFromMemory(ocl_device.list, a, from, NULL, NULL, 0, NULL));
        wait_for_list();
        LAUNCH(module, ARG(a), ARG(b), ARG(where));
        OCL_OK(zeCommandListAppendImageCopyToMemory(ocl_device.list, to, b, NULL, NULL, 0, NULL));
        wait_for_list();
        for (uint32_t i = 0; i < texels(kind) * 4; i++)
            CHECK_MSG(to[i / 4][i % 4] == 1 - from[i / 4][i % 4], "%s: texel %u is %g of %g", kinds[kind].name, i / 4,
                      (double)to[i / 4][i % 4], (double)from[i / 4][i % 4]);
        OCL_OK(zeImageDestroy(a));
        OCL_OK(zeImageDestroy(b));
        ocl_free(where);
        zed_module_free(&module);
    }
}

/* k(image both, i32x4 *where, i32x4 *sizes): each texel plus 1; the image's size. */
TEST(integers_are_changed_in_place_and_sizes_told)
{
    for (int kind = 0; kind < KINDS; kind++) {
        static int16_t from[MOST], to[MOST];
        ze_image_handle_t a;
        zed_module module;
        begin();
        spe_id types[] = {image(kind, SPE_AccessQualifierReadWrite), global(i32x4), global(i32), 0};
        spe_id i = open_kernel(types), where = coordinates(kind, spe_load(&m, at(1, i), 0));
        spe_id texel = spe_image_read(&m, i32x4, parameter(0), where), size = spe_image_size(&m, parameter(0));
        spe_image_write(&m, parameter(0), where, spe_iadd(&m, texel, spe_const_u(&m, i32x4, 1)));
        CHECK_INT(spe_count(&m, spe_type_of(&m, size)), kinds[kind].sides);
        for (uint32_t k = 0; k < kinds[kind].sides; k++)
            spe_store(&m, at(2, spe_i32(&m, (int32_t)k)), spe_extract(&m, size, k), 0);
        if (!load(&module, "change", kinds[kind].name)) continue;
        int32_t(*where_to)[4] = positions(kind), *sizes = (int32_t *)ocl_buffer(16);
        a = make(kind, ZE_IMAGE_FORMAT_LAYOUT_16, ZE_IMAGE_FORMAT_TYPE_SINT);
        for (uint32_t k = 0; k < MOST; k++) from[k] = (int16_t)(test_random() | 2); /* never 32767 */
        OCL_OK(zeCommandListAppendImageCopyFromMemory(ocl_device.list, a, from, NULL, NULL, 0, NULL));
        wait_for_list();
        const ocl_argument args[] = {ARG(a), ARG(where_to), ARG(sizes)};
        for (uint32_t k = texels(kind); k < MOST; k++) where_to[k][0] = -1; /* outside: dropped */
        ocl_launch(module.handle, "k", MOST / GROUP, GROUP, 3, args);
        memset(to, 0xa5, sizeof to);
        OCL_OK(zeCommandListAppendImageCopyToMemory(ocl_device.list, to, a, NULL, NULL, 0, NULL));
        wait_for_list();
        for (uint32_t k = 0; k < texels(kind); k++)
            CHECK_INT(to[k], from[k] == INT16_MAX ? INT16_MAX : from[k] + 1); /* saturates */
        for (uint32_t k = 0; k < kinds[kind].sides; k++) CHECK_INT(sizes[k], kinds[kind].size[k]);
        OCL_OK(zeImageDestroy(a));
        ocl_free(where_to);
        ocl_free(sizes);
        zed_module_free(&module);
    }
}

/* k(image from, [sampler,] f32x4 *where, f32x4 *to), with the sampler of the host or one of the module. */
static void emit_samples(int kind, bool literal)
{
    begin();
    spe_id types[] = {image(kind, SPE_AccessQualifierReadOnly), spe_sampler(&m), global(f32x4), global(f32x4), 0};
    spe_id i = open_kernel(types), sampler = parameter(1);
    if (literal)
        sampler = spe_const_sampler(&m, SPE_SamplerAddressingModeClampToEdge, false, SPE_SamplerFilterModeLinear);
    spe_id where = coordinates(kind, spe_load(&m, at(2, i), 0));
    spe_store(&m, at(3, i), spe_image_sample(&m, f32x4, parameter(0), sampler, where, literal ? spe_f32(&m, 0) : 0), 0);
}

/* Linear filtering in two dimensions with coordinates in texels, clamped to the edge, in double precision. */
static double filtered(float (*image_)[4], const float *where, const uint32_t *size, int channel)
{
    double sum = 0;
    for (int corner = 0; corner < 4; corner++) {
        double weight = 1;
        int64_t index[2];
        for (int side = 0; side < 2; side++) {
            double u = (double)where[side] - 0.5, f = u - floor(u);
            index[side] = (int64_t)floor(u) + (corner >> side & 1);
            weight *= corner >> side & 1 ? f : 1 - f;
            if (index[side] < 0) index[side] = 0;
            if (index[side] >= (int64_t)size[side]) index[side] = (int64_t)size[side] - 1;
        }
        sum += weight * (double)image_[index[1] * (int64_t)size[0] + index[0]][channel];
    }
    return sum;
}

TEST(images_are_sampled)
{
    enum { KIND = 2 }; /* two dimensions */
    static float from[MOST][4];
    ze_sampler_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC,
                              .addressMode = ZE_SAMPLER_ADDRESS_MODE_CLAMP,
                              .filterMode = ZE_SAMPLER_FILTER_MODE_LINEAR};
    ze_sampler_handle_t sampler = NULL;
    ze_image_handle_t a = make(KIND, ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32, ZE_IMAGE_FORMAT_TYPE_FLOAT);
    float(*where)[4] = (float(*)[4])ocl_buffer(MOST * sizeof *where), (*to)[4];
    OCL_OK(zeSamplerCreate(ocl_device.context, ocl_device.device, &desc, &sampler));
    for (uint32_t i = 0; i < MOST * 4; i++) from[i / 4][i % 4] = (float)test_normal();
    for (uint32_t i = 0; i < MOST * 4; i++)
        where[i / 4][i % 4] = (float)(test_uniform() * (kinds[KIND].size[i % 2] + 4) - 2);
    OCL_OK(zeCommandListAppendImageCopyFromMemory(ocl_device.list, a, from, NULL, NULL, 0, NULL));
    wait_for_list();
    for (int literal = 0; literal < 2; literal++) {
        zed_module module;
        emit_samples(KIND, literal);
        if (!load(&module, "sample", literal ? "literal" : "argument")) continue;
        to = (float(*)[4])ocl_buffer(MOST * sizeof *to);
        LAUNCH(module, ARG(a), ARG(sampler), ARG(where), ARG(to));
        for (uint32_t i = 0; i < MOST * 4; i++) { /* weights of 8 bits in hardware, 24 here: texels of about 1 */
            double want = filtered(from, where[i / 4], kinds[KIND].size, (int)(i % 4));
            CHECK_MSG(fabs((double)to[i / 4][i % 4] - want) < 1e-5, "item %u: %g, want %g", i / 4,
                      (double)to[i / 4][i % 4], want);
        }
        ocl_free(to);
        zed_module_free(&module);
    }
    OCL_OK(zeSamplerDestroy(sampler));
    OCL_OK(zeImageDestroy(a));
    ocl_free(where);
}

TEST(what_images_are_not_is_refused)
{
    char text[64];
    begin();
    CHECK(image(2, 0) == image(2, 0) && image(2, 0) != image(2, 1) && spe_sampler(&m) == spe_sampler(&m));
    CHECK_STR(spe_type_text(&m, image(3, 2), text, sizeof text), "image<2D array, read-write>");
    CHECK_STR(spe_type_text(&m, image(5, 1), text, sizeof text), "image<buffer, write>");
    CHECK_INT(spe_info(&m, image(4, 0)).count, 3);
    spe_image(&m, 6, false, 0), fails("dimensionality 6");
    spe_image(&m, SPE_Dim3D, true, 0), fails("arrays have images of 1 and 2 dimensions");
    spe_image(&m, SPE_Dim2D, false, 3), fails("access 3 is not");
    spe_const_sampler(&m, 5, false, 0), fails("addressing mode 5 and filter 0; the last ones are 4 and 1");
    spe_array(&m, image(2, 0), 3), fails("3 elements of image<2D, read>");
    spe_local_var(&m, spe_sampler(&m)), fails("there are no pointers to sampler");
    spe_null(&m, image(2, 0)), fails("there is no null of image<2D, read>");
    spe_undef(&m, image(2, 0)), fails("there is no undefined image<2D, read>");
}

TEST(operands_that_do_not_fit_the_image_are_refused)
{
    for (int way = 0; way < 12; way++) {
        begin();
        spe_id types[] = {image(2, 0), image(2, 1), image(way == 10 ? 5 : 2, way == 10 ? 0 : 2), 0};
        spe_id i = open_kernel(types), two = spe_vec(&m, i32, 2), xy = spe_const_u(&m, two, 1);
        switch (way) {
        case 0: spe_image_read(&m, f32x4, i, xy), fails("takes an image, not i32"); break;
        case 1: spe_image_read(&m, f32x4, parameter(1), xy), fails("the image is only written"); break;
        case 2:
            spe_image_write(&m, parameter(0), xy, spe_const_f(&m, f32x4, 0));
            fails("the image is only read");
            break;
        case 3: spe_image_read(&m, f32x4, parameter(0), i), fails("1 coordinates of i32; the image has 2"); break;
        case 4: spe_image_read(&m, f32, parameter(0), xy), fails("texels are i32x4, f32x4 or f16x4, not f32"); break;
        case 5: spe_image_write(&m, parameter(1), xy, xy), fails("texels are i32x4, f32x4 or f16x4, not i32x2"); break;
        case 6:
            spe_image_read(&m, f32x4, parameter(0), spe_const_f(&m, spe_vec(&m, f32, 2), 1));
            fails("coordinates are i32, not f32x2");
            break;
        case 8:
            spe_image_sample(&m, f32x4, parameter(1), spe_const_sampler(&m, 0, false, 0), xy, 0);
            fails("the image is only written");
            break;
        case 9:
            spe_image_sample(&m, f32x4, parameter(0), spe_const_sampler(&m, 0, false, 0), xy, i);
            fails("operand types disagree: f32 and i32");
            break;
        case 7: spe_image_sample(&m, f32x4, parameter(0), i, xy, 0), fails("takes a sampler, not i32"); break;
        case 10: case 11:
            spe_image_sample(&m, f32x4, parameter(2), spe_const_sampler(&m, 0, false, 0), xy, 0);
            fails(way == 10 ? "an image is sampled that is a Buffer" : "an image is sampled that is written too");
            break;
        default:
            spe_select(&m, spe_const_bool(&m, true), parameter(0), parameter(1));
            fails("operand types disagree");
            break;
        }
    }
}

int main(void)
{
    setenv("XETILE_SOFT_CHECK", "1", 0);
    if (!ocl_open()) return 1;
    RUN(every_kind_is_read_and_written);
    RUN(integers_are_changed_in_place_and_sizes_told);
    RUN(images_are_sampled);
    RUN(what_images_are_not_is_refused);
    RUN(operands_that_do_not_fit_the_image_are_refused);
    spe_free(&m);
    zed_close(&ocl_device);
    return test_report();
}
