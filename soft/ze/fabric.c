/* fabric.c - fabric vertices have no handles here, so that nothing can be asked of one. */
#define _GNU_SOURCE
#include "ze_soft.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* the signatures are the API's */

#define REFUSE(handle) return (handle) ? ZE_RESULT_ERROR_UNSUPPORTED_FEATURE : ZE_RESULT_ERROR_INVALID_NULL_HANDLE

ze_result_t zeFabricVertexGetSubVerticesExp(ze_fabric_vertex_handle_t hVertex, uint32_t *pCount,
                                            ze_fabric_vertex_handle_t *phSubvertices)
{
    REFUSE(hVertex);
}

ze_result_t zeFabricVertexGetPropertiesExp(ze_fabric_vertex_handle_t hVertex,
                                           ze_fabric_vertex_exp_properties_t *pVertexProperties)
{
    REFUSE(hVertex);
}

ze_result_t zeFabricVertexGetDeviceExp(ze_fabric_vertex_handle_t hVertex, ze_device_handle_t *phDevice)
{
    REFUSE(hVertex);
}

ze_result_t zeFabricEdgeGetExp(ze_fabric_vertex_handle_t hVertexA, ze_fabric_vertex_handle_t hVertexB, uint32_t *pCount,
                               ze_fabric_edge_handle_t *phEdges)
{
    REFUSE(hVertexA);
}

ze_result_t zeFabricEdgeGetVerticesExp(ze_fabric_edge_handle_t hEdge, ze_fabric_vertex_handle_t *phVertexA,
                                       ze_fabric_vertex_handle_t *phVertexB)
{
    REFUSE(hEdge);
}

ze_result_t zeFabricEdgeGetPropertiesExp(ze_fabric_edge_handle_t hEdge,
                                         ze_fabric_edge_exp_properties_t *pEdgeProperties)
{
    REFUSE(hEdge);
}

ze_result_t zeFabricVertexGetExp(ze_driver_handle_t driver, uint32_t *count, ze_fabric_vertex_handle_t *vertices)
{
    SOFT_HANDLE(driver, SOFT_DRIVER);
    SOFT_POINTER(count);
    *count = 0;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetFabricVertexExp(ze_device_handle_t device, ze_fabric_vertex_handle_t *vertex)
{
    SOFT_HANDLE(device, SOFT_DEVICE);
    SOFT_POINTER(vertex);
    return ZE_RESULT_EXP_ERROR_DEVICE_IS_NOT_VERTEX;
}
