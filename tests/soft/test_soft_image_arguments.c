/* test_soft_image_arguments.c - images and samplers passed to kernels through Level Zero: as arguments, over memory of
 * the program that kernels also access by pointers, and as handles of bindless images (SPV_INTEL_bindless_images, which
 * Debian 12's assemblers do not know: its module is written as words).
 */
#include "bindless.h"
#include "image_description.h"
#include "test.h"
#include "ze_dispatch.h"

#define OK(call) CHECK_INT((call), ZE_RESULT_SUCCESS)

enum { W = BINDLESS_WIDTH, H = 7, LAYERS = 5, TEXELS = W * H * LAYERS, BINDLESS = 1, SAMPLED = 2 };

static zed_device device;
static zed_module kernels; /* of tests/opencl/images.cl */
static ze_command_list_handle_t list;

/* Newer than the installed header: found by name. */
static ze_result_t (*create_view)(ze_context_handle_t, ze_device_handle_t, const ze_image_desc_t *, ze_image_handle_t,
                                  ze_image_handle_t *);
static ze_result_t (*get_offset)(ze_image_handle_t, uint64_t *);

struct number_desc {
    uint32_t stype;
    const void *next;
    uint32_t number;
};
struct pitched_desc {
    uint32_t stype;
    const void *next;
    void *memory;
};

static bool load_kernels(void)
{
    static uint8_t words[1 << 20];
    FILE *f = fopen("tests/opencl/images.spv", "rb"); /* run from the project's folder */
    size_t size = f ? fread(words, 1, sizeof words, f) : 0;
    if (f) fclose(f);
    return size && zed_module_load(&kernels, &device, words, size, NULL);
}

static ze_image_desc_t describe(ze_image_type_t type, ze_image_format_layout_t layout, ze_image_format_type_t number)
{
    return image_description(type, layout, number, W, H, 1, LAYERS);
}

static ze_image_handle_t new_image(ze_image_desc_t d, const void *from)
{
    ze_image_handle_t image = NULL;
    OK(zeImageCreate(device.context, device.device, &d, &image));
    if (image && from) OK(zeCommandListAppendImageCopyFromMemory(list, image, from, NULL, NULL, 0, NULL));
    return image;
}

static ze_sampler_handle_t new_sampler(void)
{
    ze_sampler_desc_t d = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC, .addressMode = ZE_SAMPLER_ADDRESS_MODE_CLAMP};
    ze_sampler_handle_t sampler = NULL;
    OK(zeSamplerCreate(device.context, device.device, &d, &sampler));
    return sampler;
}

static ze_kernel_handle_t new_kernel(ze_module_handle_t module, const char *name, uint32_t items)
{
    ze_kernel_desc_t d = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t k = NULL;
    OK(zeKernelCreate(module, &d, &k));
    OK(zeKernelSetGroupSize(k, items, 1, 1));
    return k;
}

/* One work-item for each texel; all arguments are of the size of a pointer. */
static void run(ze_module_handle_t module, const char *name, uint32_t texels, int count, const void *const *arguments)
{
    ze_kernel_handle_t k = new_kernel(module, name, W);
    ze_group_count_t groups = {texels / W, 1, 1};
    for (int i = 0; i < count; i++) OK(zeKernelSetArgumentValue(k, (uint32_t)i, 8, arguments[i]));
    OK(zeCommandListAppendLaunchKernel(list, k, &groups, NULL, 0, NULL));
    OK(zeKernelDestroy(k));
}

/* Coordinates of each texel, x the fastest. */
static int32_t (*new_coordinates(void))[4]
{
    int32_t(*at)[4] = zed_alloc(&device, ZED_SHARED, TEXELS * sizeof *at, 0);
    for (int i = 0; at && i < TEXELS; i++) at[i][0] = i % W, at[i][1] = i / W % H, at[i][2] = i / W / H, at[i][3] = 0;
    return at;
}

/* ---- arguments */

TEST(images_are_read_and_written)
{
    ze_image_desc_t d = describe(ZE_IMAGE_TYPE_2DARRAY, ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16, ZE_IMAGE_FORMAT_TYPE_UINT);
    uint16_t in[TEXELS][4], out[TEXELS][4] = {{0}};
    uint32_t(*to)[4] = zed_alloc(&device, ZED_SHARED, TEXELS * sizeof *to, 0);
    int32_t(*at)[4] = new_coordinates();
    ze_image_handle_t image, other;
    const void *read[] = {&image, &at, &to}, *write[] = {&other, &at, &to};
    for (int i = 0; i < TEXELS * 4; i++) in[i / 4][i % 4] = (uint16_t)test_random();
    memset(to, 0xee, TEXELS * sizeof *to);
    image = new_image(d, in);
    other = new_image(d, NULL);
    run(kernels.handle, "read_ui_2d_array", TEXELS, 3, read);
    for (int i = 0; i < TEXELS * 4; i++) CHECK_INT(to[i / 4][i % 4], in[i / 4][i % 4]);
    run(kernels.handle, "write_ui_2d_array", TEXELS, 3, write);
    OK(zeCommandListAppendImageCopyToMemory(list, out, other, NULL, NULL, 0, NULL));
    CHECK(memcmp(in, out, sizeof in) == 0);
    OK(zeImageDestroy(image));
    OK(zeImageDestroy(other));
    zed_free(&device, to);
    zed_free(&device, at);
}

TEST(images_are_sampled)
{
    ze_image_desc_t d = describe(ZE_IMAGE_TYPE_2DARRAY, ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UNORM);
    uint8_t in[TEXELS][4];
    float(*to)[4] = zed_alloc(&device, ZED_SHARED, TEXELS * sizeof *to, 0);
    float(*centre)[4] = zed_alloc(&device, ZED_SHARED, TEXELS * sizeof *centre, 0);
    ze_sampler_handle_t sampler = new_sampler();
    ze_image_handle_t image;
    const void *sample[] = {&image, &sampler, &centre, &to};
    for (int i = 0; i < TEXELS * 4; i++) in[i / 4][i % 4] = (uint8_t)test_random();
    for (int i = 0; i < TEXELS; i++) {
        centre[i][0] = (float)(i % W) + 0.5f;
        centre[i][1] = (float)(i / W % H) + 0.5f;
        centre[i][2] = (float)(i / W / H);
    }
    memset(to, 0xee, TEXELS * sizeof *to);
    image = new_image(d, in);
    run(kernels.handle, "sample_f_2d_array", TEXELS, 4, sample);
    for (int i = 0; i < TEXELS * 4; i++)
        CHECK(to[i / 4][i % 4] == (float)(in[i / 4][i % 4] / 255.0)); /* rounded once */
    OK(zeImageDestroy(image));
    OK(zeSamplerDestroy(sampler));
    zed_free(&device, to);
    zed_free(&device, centre);
}

/* Against the formula in double precision, within 2 units of the last place of a float; every value comes back. */
TEST(srgb)
{
    struct number_desc chain = {.stype = ZE_STRUCTURE_TYPE_SRGB_EXT_DESC, .number = 1};
    ze_image_desc_t d = describe(ZE_IMAGE_TYPE_2DARRAY, ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UNORM);
    uint8_t in[TEXELS][4], out[TEXELS][4];
    float(*to)[4] = zed_alloc(&device, ZED_SHARED, TEXELS * sizeof *to, 0);
    int32_t(*at)[4] = new_coordinates();
    ze_image_handle_t image, other;
    const void *read[] = {&image, &at, &to}, *write[] = {&other, &at, &to};
    d.pNext = &chain;
    for (int i = 0; i < TEXELS * 4; i++) in[i / 4][i % 4] = (uint8_t)(i / 4 + 64 * (i % 4)); /* each in each channel */
    memset(to, 0xee, TEXELS * sizeof *to);
    memset(out, 0xee, sizeof out);
    image = new_image(d, in);
    other = new_image(d, NULL);
    run(kernels.handle, "read_f_2d_array", TEXELS, 3, read);
    for (int i = 0; i < TEXELS * 4; i++) {
        double x = in[i / 4][i % 4] / 255.0, linear = x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
        CHECK(fabs(to[i / 4][i % 4] - (i % 4 == 3 ? x : linear)) <= 0x1p-23 * x);
    }
    run(kernels.handle, "write_f_2d_array", TEXELS, 3, write);
    OK(zeCommandListAppendImageCopyToMemory(list, out, other, NULL, NULL, 0, NULL));
    CHECK(memcmp(in, out, sizeof in) == 0);
    OK(zeImageDestroy(image));
    OK(zeImageDestroy(other));
    zed_free(&device, to);
    zed_free(&device, at);
}

TEST(arguments_that_are_refused)
{
    ze_image_handle_t none = NULL,
                      image = new_image(
                          describe(ZE_IMAGE_TYPE_2D, ZE_IMAGE_FORMAT_LAYOUT_8, ZE_IMAGE_FORMAT_TYPE_UNORM), NULL);
    ze_sampler_handle_t sampler = new_sampler();
    ze_kernel_handle_t k = new_kernel(kernels.handle, "sample_f_2d", 1);
    ze_group_count_t one = {1, 1, 1};
    void *memory = zed_alloc(&device, ZED_SHARED, 64, 0);
    memset(memory, 0, 64);
    OK(zeKernelSetArgumentValue(k, 2, sizeof memory, &memory));
    OK(zeKernelSetArgumentValue(k, 3, sizeof memory, &memory));
    CHECK_INT(zeKernelSetArgumentValue(k, 0, 4, &image), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    CHECK_INT(zeKernelSetArgumentValue(k, 0, 8, &sampler), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(zeKernelSetArgumentValue(k, 0, 8, &none), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    CHECK_INT(zeKernelSetArgumentValue(k, 1, 8, &image), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zeKernelSetArgumentValue(k, 0, 8, &image));
    CHECK_INT(zeCommandListAppendLaunchKernel(list, k, &one, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zeKernelSetArgumentValue(k, 1, 8, &sampler));
    OK(zeCommandListAppendLaunchKernel(list, k, &one, NULL, 0, NULL));
    CHECK_INT(zeKernelSetArgumentValue(k, 0, 8, &sampler), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK_INT(zeKernelSetArgumentValue(k, 1, 8, &none), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    OK(zeCommandListAppendLaunchKernel(list, k, &one, NULL, 0, NULL)); /* with those from before */
    OK(zeKernelSetArgumentValue(k, 0, 8, NULL)); /* taken back */
    CHECK_INT(zeCommandListAppendLaunchKernel(list, k, &one, NULL, 0, NULL), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zeKernelDestroy(k));
    OK(zeImageDestroy(image));
    OK(zeSamplerDestroy(sampler));
    zed_free(&device, memory);
}

/* Another view of the same texels, and the memory itself. */
TEST(kernels_write_the_programs_memory)
{
    enum { PITCH = 64 };
    float *memory = zed_alloc(&device, ZED_SHARED, PITCH * H, 0);
    struct pitched_desc pitched = {.stype = 0x2001f, .memory = memory};
    ze_image_desc_t d = describe(ZE_IMAGE_TYPE_2D, ZE_IMAGE_FORMAT_LAYOUT_32, ZE_IMAGE_FORMAT_TYPE_FLOAT);
    int32_t(*at)[4] = new_coordinates();
    float(*from)[4] = zed_alloc(&device, ZED_SHARED, W * H * sizeof *from, 0);
    uint32_t(*bits)[4] = zed_alloc(&device, ZED_SHARED, W * H * sizeof *bits, 0);
    ze_image_handle_t image, view = NULL, other = new_image(d, NULL);
    const void *write[] = {&image, &at, &from}, *read[] = {&view, &at, &bits}, *rewrite[] = {&other, &at, &memory};
    for (int i = 0; i < W * H * 4; i++) from[i / 4][i % 4] = (float)test_normal();
    d.pNext = &pitched;
    image = new_image(d, NULL);
    run(kernels.handle, "write_f_2d", W * H, 3, write);
    for (int i = 0; i < W * H; i++) CHECK(memory[i / W * (PITCH / 4) + i % W] == from[i][0]);
    run(kernels.handle, "write_f_2d", W, 3, rewrite); /* reads memory that only the image's kernel has written */
    d.pNext = NULL;
    d.format.type = ZE_IMAGE_FORMAT_TYPE_UINT;
    OK(create_view(device.context, device.device, &d, image, &view));
    run(kernels.handle, "read_ui_2d", W * H, 3, read);
    for (int i = 0; i < W * H; i++) CHECK(memcmp(&bits[i][0], &from[i][0], 4) == 0);
    OK(zeImageDestroy(view));
    OK(zeImageDestroy(image));
    OK(zeImageDestroy(other));
    zed_free(&device, memory);
    zed_free(&device, at);
    zed_free(&device, from);
    zed_free(&device, bits);
}

/* ---- bindless images */

static uint64_t offset_of(ze_image_handle_t image)
{
    uint64_t offset = 0;
    OK(get_offset(image, &offset));
    CHECK(offset != 0);
    return offset;
}

/* The sampled image is a view of the other. */
TEST(bindless_images)
{
    ze_sampler_desc_t s = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC, .addressMode = ZE_SAMPLER_ADDRESS_MODE_CLAMP};
    struct number_desc chain = {.stype = 0x2001e, .number = BINDLESS};
    ze_image_desc_t d = describe(ZE_IMAGE_TYPE_2D, ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32, ZE_IMAGE_FORMAT_TYPE_FLOAT);
    float in[W * H][4], out[W * H][4];
    ze_image_handle_t from, view = NULL, to;
    uint64_t handle[3];
    const void *arguments[] = {&handle[0], &handle[1], &handle[2]};
    zed_module module;
    for (int i = 0; i < W * H * 4; i++) in[i / 4][i % 4] = (float)test_normal();
    memset(out, 0xee, sizeof out);
    d.pNext = &chain;
    from = new_image(d, in);
    to = new_image(d, NULL);
    chain.number = BINDLESS | SAMPLED;
    chain.next = &s;
    OK(create_view(device.context, device.device, &d, from, &view));
    handle[0] = offset_of(from), handle[1] = offset_of(view), handle[2] = offset_of(to);
    CHECK_MSG(zed_module_load(&module, &device, bindless_kernel, sizeof bindless_kernel, NULL), "%s",
              zed_build_log(&device));
    run(module.handle, "bindless", W * H, 3, arguments);
    OK(zeCommandListAppendImageCopyToMemory(list, out, to, NULL, NULL, 0, NULL));
    for (int i = 0; i < W * H * 4; i++) CHECK(out[i / 4][i % 4] == in[i / 4][i % 4] + in[i / 4][i % 4]);
    OK(zeImageDestroy(view));
    OK(zeImageDestroy(from));
    OK(zeImageDestroy(to));
}

TEST(wild_handles_lose_their_launch_only)
{
    zed_module module;
    ze_kernel_handle_t k;
    ze_group_count_t one = {1, 1, 1};
    uint64_t wild = 64;
    if (TEST_SANITIZED) SKIP("the sanitizer has the signals");
    CHECK(zed_module_load(&module, &device, bindless_kernel, sizeof bindless_kernel, NULL));
    k = new_kernel(module.handle, "bindless", 1);
    for (uint32_t i = 0; i < 3; i++) OK(zeKernelSetArgumentValue(k, i, sizeof wild, &wild));
    CHECK_INT(zeCommandListAppendLaunchKernel(list, k, &one, NULL, 0, NULL), ZE_RESULT_ERROR_DEVICE_LOST);
    OK(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    OK(zeKernelDestroy(k));
}

TEST(bindless_images_that_are_refused)
{
    ze_sampler_desc_t s = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC, .addressMode = (ze_sampler_address_mode_t)9};
    struct number_desc chain = {.stype = 0x2001e, .number = BINDLESS | SAMPLED};
    ze_image_desc_t d = describe(ZE_IMAGE_TYPE_2D, ZE_IMAGE_FORMAT_LAYOUT_8, ZE_IMAGE_FORMAT_TYPE_UNORM);
    ze_image_handle_t image = new_image(d, NULL), other;
    uint64_t offset;
    CHECK_INT(get_offset(image, &offset), ZE_RESULT_ERROR_NOT_AVAILABLE);
    OK(zeImageDestroy(image));
    d.pNext = &chain;
    CHECK_INT(zeImageCreate(device.context, device.device, &d, &other), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    chain.next = &s;
    CHECK_INT(zeImageCreate(device.context, device.device, &d, &other), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    s.addressMode = ZE_SAMPLER_ADDRESS_MODE_REPEAT;
    chain.number = SAMPLED;
    CHECK_INT(zeImageCreate(device.context, device.device, &d, &other), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    chain.number = 4;
    CHECK_INT(zeImageCreate(device.context, device.device, &d, &other), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    chain.number = BINDLESS;
    image = new_image(d, NULL);
    CHECK_INT(get_offset(image, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    OK(zeImageDestroy(image));
}

int main(void)
{
    ze_command_queue_desc_t q = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                 .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    void *address = NULL;
    /* Only one driver: with several, the loader does not know handles from functions found by name. */
    setenv("ZE_ENABLE_ALT_DRIVERS", getenv("XETILE_SOFT") ? getenv("XETILE_SOFT") : "build/libze_soft.so", 1);
    setenv("XETILE_SOFT_CHECK", "2", 0); /* a launch that reads unwritten memory fails */
    if (!zed_open(&device, &(zed_options){.name = "software"}) || !load_kernels()) {
        zed_print_error(&device, stderr);
        return 1;
    }
    OK(zeDriverGetExtensionFunctionAddress(device.driver, "zeImageViewCreateExt", &address));
    memcpy(&create_view, &address, sizeof address);
    OK(zeDriverGetExtensionFunctionAddress(device.driver, "zeImageGetDeviceOffsetExp", &address));
    memcpy(&get_offset, &address, sizeof address);
    OK(zeCommandListCreateImmediate(device.context, device.device, &q, &list));
    RUN(images_are_read_and_written);
    RUN(images_are_sampled);
    RUN(srgb);
    RUN(arguments_that_are_refused);
    RUN(kernels_write_the_programs_memory);
    RUN(bindless_images);
    RUN(wild_handles_lose_their_launch_only);
    RUN(bindless_images_that_are_refused);
    OK(zeCommandListDestroy(list));
    zed_close(&device);
    return test_report();
}
