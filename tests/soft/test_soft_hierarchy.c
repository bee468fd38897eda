#define _GNU_SOURCE
/* test_soft_hierarchy.c - a process's devices according to ZE_FLAT_DEVICE_HIERARCHY and ZE_AFFINITY_MASK, for a device
 * with four sub-devices and one with none; and malloc's memory is promised to kernels unless a real device is modelled
 * or faults are checked, or as XETILE_SOFT_SYSTEM_MEMORY says.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <level_zero/ze_api.h>

#include "child.h"
#include "driver_kernels.h"
#include "test.h"

enum { MOST = 8, N = 300 };

static const struct expected {
    const char *parts, *hierarchy, *mask;
    uint32_t devices;
    const char
        *seen; /* for each device the numbers of its parts, counted from 1; its own where it has none; 0: whole */
} expected[] = {
    {"4", NULL, NULL, 1, "1234"},      {"4", "COMPOSITE", "0", 1, "1234"},
    {"4", NULL, "0.1,0.3", 1, "24"},   {"4", NULL, "0.2", 1, "3"},
    {"4", NULL, "1", 0, ""},           {"4", NULL, "0.7,1.0,0.0", 1, "1"},
    {"4", "FLAT", NULL, 4, "1 2 3 4"}, {"4", "FLAT", "0,2", 2, "1 3"},
    {"4", "FLAT", "3,9", 1, "4"},      {"4", "COMBINED", "1,2", 2, "2 3"},
    {"0", NULL, NULL, 1, "0"},         {"0", "FLAT", "0", 1, "0"},
    {"0", "COMPOSITE", "0.0", 0, ""},  {"4", "COMPOSITE", "rubbish", 0, ""},
};
static const struct expected *now;

static ze_driver_handle_t open_driver(void)
{
    ze_driver_handle_t driver;
    uint32_t one = 1;
    setenv("ZE_ENABLE_ALT_DRIVERS", getenv("XETILE_SOFT"), 1);
    NEED(zeInit(0) == ZE_RESULT_SUCCESS && zeDriverGet(&one, &driver) == ZE_RESULT_SUCCESS && one == 1);
    return driver;
}

/* A sub-device's name ends in `, part 3)`. */
static char part_of(ze_device_handle_t device, bool is_sub_device)
{
    ze_device_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    const char *part;
    NEED(zeDeviceGetProperties(device, &p) == ZE_RESULT_SUCCESS);
    NEED(!(p.flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE) == !is_sub_device);
    part = strstr(p.name, ", part ");
    return part ? part[7] : '0';
}

/* Each device is a vertex of the fabric, and each sub-device a sub-vertex with the device's uuid. */
static void check_vertex(ze_fabric_vertex_handle_t vertex, ze_device_handle_t device, uint32_t type)
{
    ze_device_properties_t d = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    ze_fabric_vertex_exp_properties_t p = {.stype = ZE_STRUCTURE_TYPE_FABRIC_VERTEX_EXP_PROPERTIES, .remote = 1};
    ze_fabric_vertex_handle_t back = NULL;
    ze_device_handle_t of = NULL;
    uint32_t edges = 7;
    NEED(zeFabricVertexGetDeviceExp(vertex, &of) == ZE_RESULT_SUCCESS && of == device);
    NEED(zeDeviceGetFabricVertexExp(device, &back) == ZE_RESULT_SUCCESS && back == vertex);
    NEED(zeDeviceGetProperties(device, &d) == ZE_RESULT_SUCCESS);
    NEED(zeFabricVertexGetPropertiesExp(vertex, &p) == ZE_RESULT_SUCCESS);
    NEED(p.type == (ze_fabric_vertex_exp_type_t)type && !p.remote && !memcmp(p.uuid.id, d.uuid.id, sizeof p.uuid.id));
    NEED(zeFabricEdgeGetExp(vertex, vertex, &edges, NULL) == ZE_RESULT_SUCCESS && edges == 0);
}

static void vertices_are_the_devices(void)
{
    ze_driver_handle_t driver = open_driver();
    ze_device_handle_t device[MOST], sub[MOST];
    ze_fabric_vertex_handle_t vertex[MOST], inner[MOST];
    uint32_t count = MOST, vertices = 0, subs;
    NEED(zeDeviceGet(driver, &count, device) == ZE_RESULT_SUCCESS);
    NEED(zeFabricVertexGetExp(driver, &vertices, NULL) == ZE_RESULT_SUCCESS && vertices == count);
    NEED(zeFabricVertexGetExp(driver, &vertices, vertex) == ZE_RESULT_SUCCESS && vertices == count);
    for (uint32_t i = 0; i < count; i++) {
        check_vertex(vertex[i], device[i], 1);
        subs = vertices = MOST;
        NEED(zeDeviceGetSubDevices(device[i], &subs, sub) == ZE_RESULT_SUCCESS);
        NEED(zeFabricVertexGetSubVerticesExp(vertex[i], &vertices, inner) == ZE_RESULT_SUCCESS && vertices == subs);
        for (uint32_t k = 0; k < subs; k++) check_vertex(inner[k], sub[k], 2);
    }
}

static void devices_are_as_expected(void)
{
    ze_driver_handle_t driver = open_driver();
    ze_device_handle_t device[MOST], sub[MOST];
    char seen[64] = "";
    uint32_t count = 0, n = 0;
    NEED(zeDeviceGet(driver, &count, NULL) == ZE_RESULT_SUCCESS && count == now->devices);
    NEED(zeDeviceGet(driver, &count, device) == ZE_RESULT_SUCCESS && count == now->devices);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t subs = MOST;
        if (i) seen[n++] = ' ';
        NEED(zeDeviceGetSubDevices(device[i], &subs, sub) == ZE_RESULT_SUCCESS);
        for (uint32_t k = 0; k < subs; k++) seen[n++] = part_of(sub[k], true);
        if (!subs) seen[n++] = part_of(device[i], false);
    }
    if (strcmp(seen, now->seen) != 0) fprintf(stderr, "devices and parts: \"%s\"\n", seen);
    NEED(!strcmp(seen, now->seen));
}

static void set(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static bool in_a_child(void (*body)(void))
{
    int status = -1;
    pid_t child;
    fflush(NULL);
    child = fork();
    if (child == 0) {
        set("XETILE_SOFT_SUBDEVICES", now->parts);
        set("ZE_FLAT_DEVICE_HIERARCHY", now->hierarchy);
        set("ZE_AFFINITY_MASK", now->mask);
        body();
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(fabric_vertices)
{
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        now = &expected[i];
        CHECK_MSG(in_a_child(vertices_are_the_devices), "%s parts, hierarchy %s, mask %s", now->parts,
                  now->hierarchy ? now->hierarchy : "-", now->mask ? now->mask : "-");
    }
}

TEST(hierarchies_and_masks)
{
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        now = &expected[i];
        CHECK_MSG(in_a_child(devices_are_as_expected), "%s parts, hierarchy %s, mask %s", now->parts,
                  now->hierarchy ? now->hierarchy : "-", now->mask ? now->mask : "-");
    }
}

/* c = a + b on malloc's memory, if the device supports it; also in the checked mode. */
static void adds_in_system_memory(void)
{
    ze_driver_handle_t driver = open_driver();
    ze_context_desc_t cd = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_module_desc_t md = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                           .format = ZE_MODULE_FORMAT_IL_SPIRV,
                           .inputSize = sizeof driver_kernels,
                           .pInputModule = (const uint8_t *)driver_kernels};
    ze_kernel_desc_t kd = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "add"};
    ze_command_queue_desc_t q = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                 .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_device_memory_access_properties_t access = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES};
    ze_group_count_t groups = {(N + 31) / 32, 1, 1};
    ze_context_handle_t context;
    ze_device_handle_t device;
    ze_command_list_handle_t list;
    ze_module_handle_t m;
    ze_kernel_handle_t k;
    float *v[3];
    uint32_t one = 1, n = N;
    NEED(zeDeviceGet(driver, &one, &device) == ZE_RESULT_SUCCESS);
    NEED(zeContextCreate(driver, &cd, &context) == ZE_RESULT_SUCCESS);
    NEED(zeDeviceGetMemoryAccessProperties(device, &access) == ZE_RESULT_SUCCESS);
    NEED(access.sharedSystemAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_RW);
    NEED(zeModuleCreate(context, device, &md, &m, NULL) == ZE_RESULT_SUCCESS);
    NEED(zeKernelCreate(m, &kd, &k) == ZE_RESULT_SUCCESS && zeKernelSetGroupSize(k, 32, 1, 1) == ZE_RESULT_SUCCESS);
    for (uint32_t i = 0; i < 3; i++) {
        v[i] = (float *)malloc(N * sizeof **v);
        NEED(v[i]);
        for (int j = 0; j < N; j++) v[i][j] = (float)(j * (int)i);
        NEED(zeKernelSetArgumentValue(k, i, sizeof v[i], &v[i]) == ZE_RESULT_SUCCESS);
    }
    NEED(zeKernelSetArgumentValue(k, 3, sizeof n, &n) == ZE_RESULT_SUCCESS);
    NEED(zeCommandListCreateImmediate(context, device, &q, &list) == ZE_RESULT_SUCCESS);
    NEED(zeCommandListAppendLaunchKernel(list, k, &groups, NULL, 0, NULL) == ZE_RESULT_SUCCESS);
    for (int j = 0; j < N; j++) NEED(v[2][j] == (float)j);
}

static void no_system_memory(void)
{
    ze_device_memory_access_properties_t access = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES};
    ze_driver_handle_t driver = open_driver();
    ze_device_handle_t device;
    uint32_t one = 1;
    NEED(zeDeviceGet(driver, &one, &device) == ZE_RESULT_SUCCESS);
    NEED(zeDeviceGetMemoryAccessProperties(device, &access) == ZE_RESULT_SUCCESS);
    NEED(access.sharedSystemAllocCapabilities == 0);
}

TEST(system_memory)
{
    static const struct expected plain = {"0", NULL, NULL, 1, "0"};
    now = &plain;
    unsetenv("XETILE_SOFT_SYSTEM_MEMORY");
    CHECK(in_a_child(adds_in_system_memory));
    setenv("XETILE_SOFT_SYSTEM_MEMORY", "off", 1);
    CHECK(in_a_child(no_system_memory));
    setenv("XETILE_SOFT_SYSTEM_MEMORY", "on", 1);
    setenv("XETILE_SOFT_CHECK", "2", 1); /* launches with faults fail */
    CHECK(in_a_child(adds_in_system_memory));
    unsetenv("XETILE_SOFT_SYSTEM_MEMORY");
    CHECK(in_a_child(no_system_memory));
    unsetenv("XETILE_SOFT_CHECK");
    setenv("XETILE_SOFT_DEVICE", "bmg", 1);
    CHECK(in_a_child(no_system_memory));
    unsetenv("XETILE_SOFT_DEVICE");
}

int main(void)
{
    if (!getenv("XETILE_SOFT")) return fprintf(stderr, "XETILE_SOFT is not set\n"), 1;
    RUN(hierarchies_and_masks);
    RUN(fabric_vertices);
    RUN(system_memory);
    return test_report();
}
