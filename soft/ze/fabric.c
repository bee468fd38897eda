/* fabric.c - the fabric: each device and each sub-device is a vertex. There are no edges, as all share one memory.
 */
#define _GNU_SOURCE
#include <string.h>

#include "ze_soft.h"

enum { DEVICE_VERTEX = 1, PART_VERTEX }; /* ze_fabric_vertex_exp_type_t, the second is misspelt in headers of 1.4 */

typedef ze_result_t list_fn(void *of, uint32_t *count, ze_device_handle_t *devices);

static ze_result_t all_devices(void *driver, uint32_t *count, ze_device_handle_t *devices)
{
    return zeDeviceGet(driver, count, devices);
}

static ze_result_t all_parts(void *device, uint32_t *count, ze_device_handle_t *devices)
{
    return zeDeviceGetSubDevices(device, count, devices);
}

/* The vertices of the devices that `list` returns for `of`. */
static ze_result_t give_vertices(list_fn *list, void *of, uint32_t *count, ze_fabric_vertex_handle_t *vertices)
{
    ze_device_handle_t devices[SOFT_MAX_PARTS];
    uint32_t n = SOFT_MAX_PARTS;
    SOFT_POINTER(count);
    SOFT_TRY(list(of, &n, devices));
    if (!vertices || *count > n) *count = n;
    for (uint32_t i = 0; vertices && i < *count; i++) vertices[i] = &devices[i]->vertex;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeFabricVertexGetExp(ze_driver_handle_t driver, uint32_t *count, ze_fabric_vertex_handle_t *vertices)
{
    SOFT_HANDLE(driver, SOFT_DRIVER);
    return give_vertices(all_devices, driver, count, vertices);
}

ze_result_t zeFabricVertexGetSubVerticesExp(ze_fabric_vertex_handle_t vertex, uint32_t *count,
                                            ze_fabric_vertex_handle_t *vertices)
{
    SOFT_HANDLE(vertex, SOFT_VERTEX);
    return give_vertices(all_parts, vertex->device, count, vertices);
}

ze_result_t zeFabricVertexGetPropertiesExp(ze_fabric_vertex_handle_t vertex, ze_fabric_vertex_exp_properties_t *p)
{
    SOFT_HANDLE(vertex, SOFT_VERTEX);
    SOFT_POINTER(p);
    _Static_assert(sizeof p->uuid.id == ZE_MAX_DEVICE_UUID_SIZE, "a vertex has the uuid of its device");
    soft_device_uuid(vertex->device, p->uuid.id);
    p->type = (ze_fabric_vertex_exp_type_t)(soft_is_subdevice(vertex->device) ? PART_VERTEX : DEVICE_VERTEX);
    p->remote = 0;
    memset(&p->address, 0, sizeof p->address); /* not on a bus */
    return ZE_RESULT_SUCCESS;
}

SOFT_GETTER(zeFabricVertexGetDeviceExp, ze_fabric_vertex_handle_t, SOFT_VERTEX, ze_device_handle_t, handle->device)
SOFT_GETTER(zeDeviceGetFabricVertexExp, ze_device_handle_t, SOFT_DEVICE, ze_fabric_vertex_handle_t, &handle->vertex)

/* ---- edges */

ze_result_t zeFabricEdgeGetExp(ze_fabric_vertex_handle_t a, ze_fabric_vertex_handle_t b, uint32_t *count,
                               ze_fabric_edge_handle_t *edges)
{
    SOFT_HANDLE(a, SOFT_VERTEX);
    SOFT_HANDLE(b, SOFT_VERTEX);
    SOFT_POINTER(count);
    (void)edges;
    *count = 0;
    return ZE_RESULT_SUCCESS;
}

/* There are no edge handles. */
static ze_result_t refuse_edge(ze_fabric_edge_handle_t edge)
{
    return edge ? ZE_RESULT_ERROR_UNSUPPORTED_FEATURE : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
}

ze_result_t zeFabricEdgeGetVerticesExp(ze_fabric_edge_handle_t edge, ze_fabric_vertex_handle_t *a,
                                       ze_fabric_vertex_handle_t *b)
{
    (void)a;
    (void)b;
    return refuse_edge(edge);
}

ze_result_t zeFabricEdgeGetPropertiesExp(ze_fabric_edge_handle_t edge, ze_fabric_edge_exp_properties_t *p)
{
    (void)p;
    return refuse_edge(edge);
}
