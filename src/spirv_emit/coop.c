/* coop.c - cooperative matrices in Vulkan's local memory: it is an array of words, see local.c; beside it, there are
 * arrays of vectors of 16 bytes, which matrices are loaded from in whole rows. */
#include "internal.h"

/* The type of pointers to local memory, as Vulkan has them. */
static spe_id spe_raw_pointer_(spe_module *m, spe_id to)
{
    uint32_t w[2] = {SPE_StorageClassWorkgroup, to};
    return to ? spe_unique_(m, SPE_OpTypePointer, SPE_ID_TYPE_, 2, w) : 0;
}

spe_id spe_shared_vectors(spe_module *m, uint32_t count)
{
    spe_id vector = spe_vec(m, spe_int(m, 32), 4), array = spe_array(m, vector, count), pointer, id;
    if (m->options.env == SPE_ENV_OPENCL)
        return SPE_ERROR_(m, ENVIRONMENT, "spe_shared_var gives OpenCL's local memory");
    pointer = spe_raw_pointer_(m, array);
    id = pointer ? spe_new_id_(m, pointer, SPE_ID_GLOBAL_, 0) : 0;
    if (!id) return 0;
    return spe_write_(m, SPE_SECTION_GLOBAL_, SPE_OpVariable, 3, pointer, id, SPE_StorageClassWorkgroup) ? id : 0;
}

/* A pointer to a vector of the array. */
static spe_id spe_vector_at_(spe_module *m, const char *name, spe_id vectors, spe_id index)
{
    spe_id vector = spe_vec(m, spe_int(m, 32), 4);
    uint32_t w[2] = {vectors, index};
    if (!spe_check_(m, name, "I", index) || !spe_operand_(m, vectors)) return 0;
    return spe_emit_one_(m, SPE_OpAccessChain, spe_raw_pointer_(m, vector), 2, w);
}

void spe_vectors_store(spe_module *m, spe_id vectors, spe_id index, spe_id v)
{
    uint32_t w[3] = {spe_vector_at_(m, __func__, vectors, index), v, SPE_MemoryAccessNonPrivatePointer};
    if (!w[0] || !spe_operand_(m, v)) return;
    spe_id vector = spe_vec(m, spe_int(m, 32), 4);
    if (spe_type_of(m, v) != vector) spe_disagree_(m, vector, spe_type_of(m, v));
    else spe_emit_one_(m, SPE_OpStore, 0, 3, w);
}

spe_id spe_vectors_coop_load(spe_module *m, spe_id type, spe_id vectors, spe_id index, uint32_t layout, spe_id stride)
{
    uint32_t w[4] = {0, spe_u32(m, layout), stride, SPE_MemoryAccessNonPrivatePointer};
    const spe_type_info *t = spe_want_type_(m, __func__, type);
    if (!t || !spe_check_(m, __func__, "I", stride)) return 0;
    if (t->kind != SPE_KIND_COOPMAT) return SPE_ERROR_(m, TYPE, "%s is not a cooperative matrix", spe_text_(m, type));
    w[0] = spe_vector_at_(m, __func__, vectors, index);
    return w[0] ? spe_emit_one_(m, SPE_OpCooperativeMatrixLoadKHR, type, 4, w) : 0;
}
