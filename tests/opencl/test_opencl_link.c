/* test_opencl_link.c - modules that depend on each other: imports and exports, zeModuleDynamicLink, several SPIR-V
 * modules in one, global variables by name, pointers to functions.
 *
 * Calls Level Zero directly, with the software device only: with several drivers, Debian 12's loader mistakes the list
 * of modules for a module.
 */
#define _GNU_SOURCE
#include "opencl.h"

enum { N = 64, TEXT = 4096 };

#define OK OCL_OK

static void take_log(ze_module_build_log_handle_t log, char *text)
{
    size_t size = TEXT;
    text[0] = 0;
    if (!log) return;
    OK(zeModuleBuildLogGetString(log, &size, text));
    OK(zeModuleBuildLogDestroy(log));
}

static ze_module_handle_t create(ze_module_format_t format, const void *data, size_t size, const void *next)
{
    ze_module_desc_t d = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                          .pNext = next,
                          .format = format,
                          .inputSize = size,
                          .pInputModule = (const uint8_t *)data};
    ze_module_build_log_handle_t log = NULL;
    ze_module_handle_t m = NULL;
    char text[TEXT];
    ze_result_t result = zeModuleCreate(ocl_device.context, ocl_device.device, &d, &m, &log);
    take_log(log, text);
    CHECK_MSG(result == ZE_RESULT_SUCCESS, "zeModuleCreate: 0x%x %s", (unsigned)result, text);
    return m;
}

static ze_module_handle_t load(const char *name)
{
    size_t size;
    void *data = ocl_spv(name, &size);
    ze_module_handle_t m = data ? create(ZE_MODULE_FORMAT_IL_SPIRV, data, size, NULL) : NULL;
    free(data);
    return m;
}

static ze_result_t link_list(uint32_t count, ze_module_handle_t *modules, char *text)
{
    ze_module_build_log_handle_t log = NULL;
    ze_result_t result = zeModuleDynamicLink(count, modules, &log);
    take_log(log, text);
    return result;
}

static void link_well(uint32_t count, ze_module_handle_t *modules)
{
    char text[TEXT];
    ze_result_t result = link_list(count, modules, text);
    CHECK_MSG(result == ZE_RESULT_SUCCESS, "zeModuleDynamicLink: 0x%x %s", (unsigned)result, text);
}

static uint32_t flags_of(ze_module_handle_t m)
{
    ze_module_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MODULE_PROPERTIES};
    OK(zeModuleGetProperties(m, &p));
    return p.flags;
}

static ze_result_t new_kernel(ze_module_handle_t m, const char *name, ze_kernel_handle_t *k)
{
    ze_kernel_desc_t d = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    *k = NULL;
    return zeKernelCreate(m, &d, k);
}

static void run(ze_module_handle_t m, const char *name, uint32_t items, uint32_t count, const ocl_argument *args)
{
    ocl_launch(m, name, (items + 15) / 16, items < 16 ? items : 16, count, args);
}

static void run_pointer(ze_module_handle_t m, const char *name, uint32_t items, void *p)
{
    const ocl_argument a = {sizeof p, &p};
    run(m, name, items, 1, &a);
}

/* ---- link_use.cl with link_library.cl and link_deep.cl */

static const float factors[4] = {0.5f, 1.5f, 2.5f, 3.5f};

static float want_use(float x, uint32_t i)
{
    static const float outer[4] = {3, 1, 4, 1}, inner[4] = {10, 20, 30, 40};
    float y = x;
    if (!(i & 4)) return -x + factors[i & 3] + outer[i & 3];
    while (y < 10) y = y * y + 1;
    return y * factors[i & 3] + inner[i & 3] + factors[i & 3] + outer[i & 3];
}

/* Fused or not: a few units in the last place. */
static void check_use(ze_module_handle_t m)
{
    float *in = (float *)ocl_buffer(N * sizeof *in), *out = (float *)ocl_buffer(N * sizeof *out);
    uint32_t n = N;
    const ocl_argument args[] = {{sizeof in, &in}, {sizeof out, &out}, {sizeof n, &n}};
    for (uint32_t i = 0; i < N; i++) in[i] = (float)test_normal();
    run(m, "use", N, 3, args);
    for (uint32_t i = 0; i < N; i++) {
        float want = want_use(in[i], i);
        CHECK_MSG(fabsf(out[i] - want) <= 1e-5f * fabsf(want), "element %u is %g, want %g", i, (double)out[i],
                  (double)want);
    }
    ocl_free(in);
    ocl_free(out);
}

static void check_mix(ze_module_handle_t m)
{
    uint32_t *v = (uint32_t *)ocl_buffer(N * 8), *was = (uint32_t *)malloc(N * 8);
    if (!was) return;
    ocl_fill_bits(v, 32, N * 2);
    memcpy(was, v, N * 8);
    run_pointer(m, "use_mix", N, v);
    for (uint32_t i = 0; i < N * 2; i++) CHECK_INT(v[i], (was[i ^ 1] << i / 2 % 32) ^ was[i]);
    free(was);
    ocl_free(v);
}

static void check_count(ze_module_handle_t m, int by, int want_shared, int want_mine)
{
    int *out = (int *)ocl_buffer(2 * sizeof *out);
    const ocl_argument args[] = {{sizeof by, &by}, {sizeof out, &out}};
    run(m, "count", 1, 2, args);
    CHECK_INT(out[0], want_shared);
    CHECK_INT(out[1], want_mine);
    ocl_free(out);
}

static void *global_of(ze_module_handle_t m, const char *name, size_t want_size)
{
    size_t size = 0;
    void *p = NULL;
    OK(zeModuleGetGlobalPointer(m, name, &size, &p));
    CHECK_INT(size, want_size);
    return p;
}

TEST(imports_are_resolved)
{
    ze_module_handle_t m[3] = {load("link_use"), load("link_library"), load("link_deep")};
    ze_kernel_handle_t k;
    void *p;
    const char *names[8];
    uint32_t n = 8;
    if (!m[0] || !m[1] || !m[2]) return;
    CHECK_INT(flags_of(m[0]), ZE_MODULE_PROPERTY_FLAG_IMPORTS);
    CHECK_INT(flags_of(m[1]), ZE_MODULE_PROPERTY_FLAG_IMPORTS);
    CHECK_INT(flags_of(m[2]), 0);
    CHECK_INT(new_kernel(m[0], "use", &k), ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED);
    CHECK_INT(zeModuleGetGlobalPointer(m[0], "mine", NULL, &p), ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED);
    OK(zeModuleGetKernelNames(m[0], &n, names));
    CHECK_INT(n, 4);
    link_well(3, m);
    CHECK_INT(flags_of(m[0]), 0);
    CHECK_INT(flags_of(m[1]), 0);
    check_use(m[0]);
    check_mix(m[0]);
    n = 8;
    OK(zeModuleGetKernelNames(m[0], &n, names)); /* without those of the other modules */
    CHECK_INT(n, 4);
    CHECK_INT(new_kernel(m[0], "library_state", &k), ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
    link_well(3, m); /* nothing remains to be linked */
    for (int i = 0; i < 3; i++) OK(zeModuleDestroy(m[i]));
}

/* A variable exists once, for all modules that refer to it; modules have separate unexported ones. */
TEST(variables_are_shared)
{
    ze_module_handle_t m[3] = {load("link_library"), load("link_deep"), load("link_use")}, other[3];
    int *counter, *out = (int *)ocl_buffer(2 * sizeof *out);
    if (!m[0] || !m[1] || !m[2]) return;
    link_well(3, m);
    counter = (int *)global_of(m[0], "shared_counter", 4);
    if (!counter) return;
    CHECK(global_of(m[2], "shared_counter", 4) == counter);
    CHECK(*(int **)global_of(m[2], "where", 8) == counter);
    CHECK_INT(*(int *)global_of(m[2], "mine", 4), 100);
    CHECK_INT(((const float *)global_of(m[0], "factors", 16))[2] == 2.5f, 1);
    check_count(m[2], 5, 7 + 5 + 1000, 101);
    check_count(m[2], 1, 7 + 6 + 2000, 102);
    *counter += 10000;
    run_pointer(m[0], "library_state", 1, out);
    CHECK_INT(out[0], 7 + 6 + 2000 + 10000);
    check_use(m[2]);
    run_pointer(m[0], "library_state", 1, out);
    CHECK_INT(out[1], N / 2);    /* counted in code that was compiled into the other module */
    other[0] = load("link_use"); /* another user of the same library */
    other[1] = m[0];
    other[2] = m[1];
    link_well(3, other);
    check_count(other[0], 0, 7 + 6 + 3000 + 10000, 101);
    CHECK_INT(*(int *)global_of(m[2], "mine", 4), 102);
    OK(zeModuleDestroy(m[0])); /* its variables live as long as another module uses them */
    OK(zeModuleDestroy(m[1]));
    check_count(m[2], 1, 7 + 7 + 4000 + 10000, 103);
    OK(zeModuleDestroy(m[2]));
    check_count(other[0], 1, 7 + 8 + 5000 + 10000, 102);
    OK(zeModuleDestroy(other[0]));
    ocl_free(out);
}

TEST(unresolved_symbols_are_named)
{
    ze_module_handle_t m[3] = {load("link_use"), load("link_library"), load("link_deep")};
    ze_kernel_handle_t k;
    char text[TEXT];
    if (!m[0] || !m[1] || !m[2]) return;
    CHECK_INT(link_list(1, m, text), ZE_RESULT_ERROR_MODULE_LINK_FAILURE);
    CHECK_HAS(text, "unresolved symbol scale");
    CHECK_HAS(text, "unresolved symbol mix");
    CHECK_HAS(text, "unresolved symbol shared_counter");
    CHECK_HAS(text, "unresolved symbol factors");
    CHECK_INT(link_list(2, m, text), ZE_RESULT_ERROR_MODULE_LINK_FAILURE);
    CHECK_HAS(text, "unresolved symbol deep: module 1");
    CHECK(!strstr(text, "scale"));
    CHECK_INT(new_kernel(m[0], "use", &k), ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED);
    CHECK_INT(flags_of(m[0]), ZE_MODULE_PROPERTY_FLAG_IMPORTS);
    link_well(3, m); /* failures do no harm */
    check_use(m[0]);
    for (int i = 0; i < 3; i++) OK(zeModuleDestroy(m[i]));
}

TEST(links_that_cannot_be)
{
    ze_module_handle_t m[4] = {load("link_use"), load("link_library"), load("link_deep"), load("link_wrong")}, two[2];
    char text[TEXT];
    if (!m[0] || !m[1] || !m[2] || !m[3]) return;
    CHECK_INT(link_list(4, m, text), ZE_RESULT_ERROR_MODULE_LINK_FAILURE);
    CHECK_HAS(text, "is exported by module 1 and by module 3");
    two[0] = load("link_use_wrong");
    two[1] = m[3];
    if (!two[0]) return;
    CHECK_INT(link_list(2, two, text), ZE_RESULT_ERROR_MODULE_LINK_FAILURE);
    CHECK_HAS(text, "scale has one type in module 0 and another in module 1");
    OK(zeModuleDestroy(two[0]));
    CHECK_INT(zeModuleDynamicLink(1, NULL, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    for (int i = 0; i < 4; i++) OK(zeModuleDestroy(m[i]));
}

TEST(linkage_is_listed)
{
    ze_module_handle_t m[2] = {load("link_use"), load("link_library")};
    ze_linkage_inspection_ext_desc_t d = {.stype = ZE_STRUCTURE_TYPE_LINKAGE_INSPECTION_EXT_DESC};
    ze_module_build_log_handle_t log = NULL;
    char text[TEXT];
    if (!m[0] || !m[1]) return;
    d.flags = ZE_LINKAGE_INSPECTION_EXT_FLAG_IMPORTS;
    OK(zeModuleInspectLinkageExt(&d, 2, m, &log));
    take_log(log, text);
    CHECK_HAS(text, "module 0 imports function scale\n");
    CHECK_HAS(text, "module 0 imports variable factors\n");
    CHECK_HAS(text, "module 1 imports function deep\n");
    CHECK(!strstr(text, "export"));
    CHECK(!strstr(text, "BuiltIn"));
    d.flags = ZE_LINKAGE_INSPECTION_EXT_FLAG_UNRESOLVABLE_IMPORTS;
    OK(zeModuleInspectLinkageExt(&d, 2, m, &log));
    take_log(log, text);
    CHECK_STR(text, "module 1 cannot resolve function deep\n");
    d.flags = ZE_LINKAGE_INSPECTION_EXT_FLAG_EXPORTS;
    OK(zeModuleInspectLinkageExt(&d, 1, m, &log));
    take_log(log, text);
    CHECK_HAS(text, "module 0 exports variable mine\n");
    CHECK(!strstr(text, "scale"));
    d.flags = 8;
    CHECK_INT(zeModuleInspectLinkageExt(&d, 1, m, &log), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    for (int i = 0; i < 2; i++) OK(zeModuleDestroy(m[i]));
}

/* ---- several SPIR-V modules in one */

static ze_module_handle_t program(uint32_t count, const char *const *names, const ze_module_constants_t **constants)
{
    ze_module_program_exp_desc_t p = {.stype = ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC, .count = count};
    const uint8_t *data[4] = {NULL};
    size_t sizes[4] = {0};
    ze_module_handle_t m;
    for (uint32_t i = 0; i < count; i++) {
        data[i] = (const uint8_t *)ocl_spv(names[i], &sizes[i]);
        if (!data[i]) return NULL;
    }
    p.inputSizes = sizes;
    p.pInputModules = data;
    p.pConstants = constants;
    m = create(ZE_MODULE_FORMAT_IL_SPIRV, data[0], sizes[0], &p); /* ignored, but the loader's checks require them */
    for (uint32_t i = 0; i < count; i++) free((void *)(uintptr_t)data[i]);
    return m;
}

/* Specialisation constants are per module. */
TEST(a_program_of_several_modules)
{
    const char *const names[] = {"link_deep", "link_use", "link_library"};
    const uint32_t id = 7;
    const int five = 5, nine = 9;
    const void *p_five = &five, *p_nine = &nine;
    const ze_module_constants_t use = {1, &id, &p_five}, library = {1, &id, &p_nine};
    const ze_module_constants_t *constants[] = {NULL, &use, &library};
    ze_module_handle_t m = program(3, names, constants);
    int *out = (int *)ocl_buffer(2 * sizeof *out);
    if (!m) return;
    CHECK_INT(flags_of(m), 0);
    check_use(m);
    check_mix(m);
    check_count(m, 3, 7 + 3 + 1000, 101);
    run_pointer(m, "library_state", 1, out);
    CHECK_INT(out[0], 7 + 3 + 1000);
    CHECK_INT(out[1], N / 2);
    run_pointer(m, "special", 1, out);
    run_pointer(m, "library_special", 1, out + 1);
    CHECK_INT(out[0], 5);
    CHECK_INT(out[1], 9);
    OK(zeModuleDestroy(m));
    ocl_free(out);
}

/* Missing symbols may be linked later. */
TEST(a_program_with_imports)
{
    const char *const names[] = {"link_use", "link_library"};
    ze_module_handle_t m[2] = {program(2, names, NULL), load("link_deep")};
    if (!m[0] || !m[1]) return;
    CHECK_INT(flags_of(m[0]), ZE_MODULE_PROPERTY_FLAG_IMPORTS);
    link_well(2, m);
    check_use(m[0]);
    OK(zeModuleDestroy(m[0]));
    OK(zeModuleDestroy(m[1]));
}

TEST(bad_programs)
{
    ze_module_program_exp_desc_t p = {.stype = ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC, .count = 2};
    ze_module_desc_t d = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .pNext = &p, .format = ZE_MODULE_FORMAT_IL_SPIRV};
    size_t size;
    void *bytes = ocl_spv("link_deep", &size);
    const uint8_t *data[2] = {(const uint8_t *)bytes, (const uint8_t *)bytes};
    size_t sizes[2] = {size, size};
    ze_module_build_log_handle_t log = NULL;
    ze_module_handle_t m = NULL;
    char text[TEXT];
    d.pInputModule = data[0];
    d.inputSize = size;
    CHECK_INT(zeModuleCreate(ocl_device.context, ocl_device.device, &d, &m, NULL),
              ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    p.pInputModules = data;
    p.inputSizes = sizes;
    CHECK_INT(zeModuleCreate(ocl_device.context, ocl_device.device, &d, &m, &log),
              ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    take_log(log, text);
    CHECK_HAS(text, "deep is exported by module 0 and by module 1");
    sizes[1] = 6;
    CHECK_INT(zeModuleCreate(ocl_device.context, ocl_device.device, &d, &m, NULL),
              ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    sizes[1] = size / 8 * 4;
    CHECK_INT(zeModuleCreate(ocl_device.context, ocl_device.device, &d, &m, NULL),
              ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    free(bytes);
}

/* ---- SPV_KHR_linkonce_odr */

static void check_once(ze_module_handle_t m, const char *kernel, int want)
{
    int *out = (int *)ocl_buffer(2 * sizeof *out);
    run_pointer(m, kernel, 1, out);
    CHECK_INT(out[0], want);
    CHECK_INT(out[1], want);
    ocl_free(out);
}

TEST(one_definition_of_several)
{
    const char *const names[] = {"link_once_a", "link_once_b"};
    ze_module_handle_t both = program(2, names, NULL), alone = load("link_once_a");
    if (!both || !alone) return;
    check_once(both, "once_a", 4243);
    check_once(both, "once_b", 4244); /* the same variable */
    check_once(alone, "once_a", 4243);
    OK(zeModuleDestroy(both));
    OK(zeModuleDestroy(alone));
}

/* ---- native binaries */

static ze_module_handle_t again(ze_module_handle_t m)
{
    size_t size = 0;
    uint8_t *data;
    ze_module_handle_t to;
    OK(zeModuleGetNativeBinary(m, &size, NULL));
    data = (uint8_t *)malloc(size);
    OK(zeModuleGetNativeBinary(m, &size, data));
    to = create(ZE_MODULE_FORMAT_NATIVE, data, size, NULL);
    free(data);
    return to;
}

TEST(native_binaries_can_be_linked)
{
    ze_module_handle_t m[3] = {load("link_use"), load("link_library"), load("link_deep")}, n[3], late;
    if (!m[0] || !m[1] || !m[2]) return;
    for (int i = 0; i < 3; i++) n[i] = again(m[i]);
    if (!n[0] || !n[1] || !n[2]) return;
    CHECK_INT(flags_of(n[0]), ZE_MODULE_PROPERTY_FLAG_IMPORTS);
    link_well(3, n);
    check_use(n[0]);
    check_count(n[0], 0, 1007, 101);
    late = again(n[0]); /* of a linked module: it must be linked again */
    if (!late) return;
    CHECK_INT(flags_of(late), ZE_MODULE_PROPERTY_FLAG_IMPORTS);
    for (int i = 0; i < 3; i++) OK(zeModuleDestroy(n[i]));
    n[0] = late;
    n[1] = m[1];
    n[2] = m[2];
    link_well(3, n);
    check_use(late);
    OK(zeModuleDestroy(late));
    for (int i = 0; i < 3; i++) OK(zeModuleDestroy(m[i]));
}

TEST(native_binaries_cut_short)
{
    ze_module_handle_t m = load("link_library"), to = NULL;
    ze_module_desc_t d = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .format = ZE_MODULE_FORMAT_NATIVE};
    size_t size = 0;
    uint8_t *data;
    if (!m) return;
    OK(zeModuleGetNativeBinary(m, &size, NULL));
    data = (uint8_t *)malloc(size);
    OK(zeModuleGetNativeBinary(m, &size, data));
    d.pInputModule = data;
    for (d.inputSize = 1; d.inputSize < size; d.inputSize += d.inputSize < 40 ? 1 : 333)
        CHECK_INT(zeModuleCreate(ocl_device.context, ocl_device.device, &d, &to, NULL),
                  ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    d.inputSize = size;
    data[size / 8 * 4] ^= 0xff; /* a word of the SPIR-V */
    CHECK(zeModuleCreate(ocl_device.context, ocl_device.device, &d, &to, NULL) != ZE_RESULT_SUCCESS);
    size--;
    CHECK_INT(zeModuleGetNativeBinary(m, &size, data), ZE_RESULT_ERROR_INVALID_SIZE);
    free(data);
    OK(zeModuleDestroy(m));
}

/* ---- pointers to functions */

typedef struct {
    int *a, *b, *which, *r;
    uint64_t *f;
} operands;

static operands new_operands(void)
{
    operands o = {(int *)ocl_buffer(N * 4), (int *)ocl_buffer(N * 4), (int *)ocl_buffer(N * 4),
                  (int *)ocl_buffer(N * 4), (uint64_t *)ocl_buffer(N * 8)};
    for (int i = 0; i < N; i++) {
        o.a[i] = (int)(test_random() % 2001) - 1000;
        o.b[i] = (int)(test_random() % 50);
        o.which[i] = (int)(test_random() % 5);
    }
    return o;
}

static void free_operands(operands *o)
{
    ocl_free(o->a);
    ocl_free(o->b);
    ocl_free(o->which);
    ocl_free(o->r);
    ocl_free(o->f);
}

static int want_binary(int which, int a, int b) { return which == 0 ? a + b : which == 1 ? a - b : a * b; }

static uint64_t pointer_of(ze_module_handle_t m, const char *name)
{
    void *p = NULL;
    OK(zeModuleGetFunctionPointer(m, name, &p));
    return (uint64_t)(uintptr_t)p;
}

TEST(kernels_call_by_pointer)
{
    ze_module_handle_t m = load("pointers");
    operands o = new_operands();
    const ocl_argument args[] = {{8, &o.a}, {8, &o.b}, {8, &o.which}, {8, &o.r}};
    if (!m) return;
    run(m, "pick", N, 4, args);
    for (int i = 0; i < N; i++) CHECK_INT(o.r[i], want_binary(o.which[i], o.a[i], o.b[i]));
    memset(o.r, 0xa5, N * 4);
    run(m, "from_memory", N, 4, args);
    for (int i = 0; i < N; i++)
        CHECK_INT(o.r[i], o.which[i] == 4 ? -1 : want_binary(o.which[i] == 3 ? 2 : o.which[i], o.a[i], o.b[i]));
    free_operands(&o);
    OK(zeModuleDestroy(m));
}

/* Two modules of one source have separate functions and variables. */
TEST(pointers_from_the_host)
{
    ze_module_handle_t m = load("pointers"), other = load("pointers");
    operands o = new_operands();
    const ocl_argument args[] = {{8, &o.a}, {8, &o.b}, {8, &o.f}, {8, &o.r}};
    uint64_t f[4];
    if (!m || !other) return;
    f[0] = pointer_of(m, "add");
    f[1] = pointer_of(other, "sub");
    f[2] = pointer_of(other, "counted");
    f[3] = 0; /* does nothing, returns 0 */
    CHECK(pointer_of(m, "add") == f[0]);
    for (int i = 0; i < N; i++) o.f[i] = f[i % 4];
    run(m, "given", N, 4, args);
    for (int i = 0; i < N; i++)
        CHECK_INT(o.r[i], i % 4 == 3 ? 0 : i % 4 == 2 ? o.a[i] * 1000 + o.b[i] : want_binary(i % 4, o.a[i], o.b[i]));
    CHECK_INT(*(int *)global_of(other, "times_called", 4), N / 4);
    CHECK_INT(*(int *)global_of(m, "times_called", 4), 0);
    free_operands(&o);
    OK(zeModuleDestroy(m));
    OK(zeModuleDestroy(other));
}

TEST(pointers_to_many_kinds_of_functions)
{
    ze_module_handle_t m = load("pointers");
    int *v = (int *)ocl_buffer(N * 16), *was = (int *)malloc(N * 16);
    uint64_t f;
    const ocl_argument vectors[] = {{8, &v}, {8, &f}}, waiting[] = {{8, &v}, {8, &f}, {16 * 4, NULL}};
    void *p = NULL;
    if (!m || !was) return;
    ocl_fill_bits(v, 32, N * 4);
    memcpy(was, v, N * 16);
    f = pointer_of(m, "turn");
    run(m, "vectors", N, 2, vectors);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++)
            CHECK_INT(v[i * 4 + k], (int)(i & 1 ? (uint32_t)was[i * 4 + (k + 2) % 3]
                                                : (uint32_t)was[i * 4 + (k + 1) % 3] + (uint32_t)i));
    memcpy(was, v, N * 4);
    f = pointer_of(m, "backwards");
    run(m, "waiting", N, 3, waiting);
    for (int i = 0; i < N; i++) CHECK_INT(v[i], was[i / 16 * 16 + 15 - i % 16]);
    CHECK_INT(zeModuleGetFunctionPointer(m, "nothing", &p), ZE_RESULT_ERROR_INVALID_FUNCTION_NAME);
    CHECK_INT(zeModuleGetFunctionPointer(m, NULL, &p), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    OK(zeModuleDestroy(m));
    free(was);
    ocl_free(v);
}

/* The depth of such calls is not known in advance: they end before the stack does. */
TEST(recursion_by_pointer_is_bounded)
{
    ze_module_handle_t m = load("pointers");
    int *depth = (int *)ocl_buffer(16 * 4);
    if (!m) return;
    for (int i = 0; i < 16; i++) depth[i] = i;
    run_pointer(m, "dive", 16, depth);
    for (int i = 0; i < 16; i++) CHECK_INT(depth[i], i);
    for (int i = 0; i < 16; i++) depth[i] = 1000000000;
    run_pointer(m, "dive", 16, depth);
    for (int i = 0; i < 16; i++) CHECK_MSG(depth[i] > 50 && depth[i] < 1000000, "%d calls", depth[i]);
    OK(zeModuleDestroy(m));
    ocl_free(depth);
}

/* A function of a linked module calls into the modules it was linked with. */
TEST(pointers_after_linking)
{
    ze_module_handle_t m[3] = {load("link_library"), load("link_deep"), load("pointers")};
    int *v = (int *)ocl_buffer(N * 4);
    void *p = NULL;
    if (!m[0] || !m[1] || !m[2]) return;
    CHECK_INT(zeModuleGetFunctionPointer(m[0], "scale", &p), ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED);
    link_well(2, m);
    CHECK(pointer_of(m[0], "scale") != 0);
    CHECK(pointer_of(m[0], "scale") != pointer_of(m[0], "mix"));
    for (int i = 0; i < 3; i++) OK(zeModuleDestroy(m[i]));
    ocl_free(v);
}

int main(void)
{
    const char *soft = getenv("XETILE_SOFT");
    setenv("ZE_ENABLE_ALT_DRIVERS", soft ? soft : "build/libze_soft.so", 1);
    if (!ocl_open()) return 1;
    RUN(imports_are_resolved);
    RUN(variables_are_shared);
    RUN(unresolved_symbols_are_named);
    RUN(links_that_cannot_be);
    RUN(linkage_is_listed);
    RUN(a_program_of_several_modules);
    RUN(a_program_with_imports);
    RUN(bad_programs);
    RUN(one_definition_of_several);
    RUN(native_binaries_can_be_linked);
    RUN(native_binaries_cut_short);
    RUN(kernels_call_by_pointer);
    RUN(pointers_from_the_host);
    RUN(pointers_to_many_kinds_of_functions);
    RUN(recursion_by_pointer_is_bounded);
    RUN(pointers_after_linking);
    zed_close(&ocl_device);
    return test_report();
}
