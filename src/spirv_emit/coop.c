/* coop.c - vectors of 16 bytes in Vulkan's local memory (local.c), from which cooperative matrices are loaded in whole
 * rows. */
#include "internal.h"

spe_id spe_shared_vectors(spe_module *m, uint32_t count)
{
    spe_id vector = spe_vec(m, spe_int(m, 32), 4), array = spe_array(m, vector, count);
    if (m->options.env == SPE_ENV_OPENCL)
        return SPE_ERROR_(m, ENVIRONMENT, "spe_shared_var gives OpenCL's local memory");
    if (m->local_words && !m->local_vectors)
        return SPE_ERROR_(m, ENVIRONMENT, "vectors come before other variables in local memory");
    m->local_vectors = true;
    return spe_shared_var(m, array);
}

/* A pointer to a vector of the array. */
static spe_id spe_vector_at_(spe_module *m, const char *name, spe_id vectors, spe_id index)
{
    if (!spe_check_(m, name, "pI", vectors, index)) return 0;
    if (!m->local_vectors) return SPE_ERROR_(m, TYPE, "%s is not of spe_shared_vectors", spe_text_(m, vectors));
    return m->vulkan->local_vector(m, vectors, index);
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
