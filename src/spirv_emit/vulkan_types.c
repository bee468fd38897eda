/* vulkan_types.c - vectors in pieces, and pointers as Vulkan has them. */
#include "internal.h"

/* A vector of n components, 8 or 16, as an array of its pieces. Its length is a constant of its own, so that it differs
 * from arrays that are asked for; that of the same in memory another one, as its elements have offsets. */
XE_FN_ spe_id spe_vec_in_pieces_(spe_module *m, spe_id elem, uint32_t n, bool in_memory)
{
    spe_type_info t = spe_info_of_(SPE_KIND_VECTOR, 0, n, elem);
    spe_id *length = &m->piece_count[in_memory][n == 16], i32 = spe_int(m, 32);
    uint32_t w[2] = {spe_vec(m, elem, 4), 0};
    if (!*length) {
        *length = spe_new_id_(m, i32, SPE_ID_CONSTANT_, 0);
        spe_write_(m, SPE_SECTION_GLOBAL_, SPE_OpConstant, 3, i32, *length, n / 4);
    }
    w[1] = *length;
    return spe_type_(m, SPE_OpTypeArray, t, SPE_NEED_NOTHING_, 0, 2, w);
}

/* Declares that numbers of 8 and 16 bits are in memory. */
static void spe_need_in_memory_(spe_module *m, spe_id type)
{
    uint32_t bits = spe_width(m, type);
    if (bits == 16) spe_capability(m, SPE_CapabilityStorageBuffer16BitAccess);
    if (bits == 8) spe_capability(m, SPE_CapabilityStorageBuffer8BitAccess);
}

/* Decorates an array or struct, and those in it, with the places of its parts: Vulkan requires it of what is in memory
 * that has addresses. */
XE_FN_ void spe_lay_out_(spe_module *m, spe_id type)
{
    spe_type_info t = spe_info(m, type);
    if (spe_pieces_(m, type)) {
        spe_error_(m, SPE_ERR_ENVIRONMENT, "%s within an array or struct in memory; Vulkan's vectors have up to 4 "
                   "components", spe_text_(m, type));
        return;
    }
    spe_need_in_memory_(m, type);
    if (m->error.id || t.laid_out || (t.kind != SPE_KIND_ARRAY && t.kind != SPE_KIND_STRUCT)) return;
    m->types[m->ids[type].aux].laid_out = true;
    if (t.kind == SPE_KIND_ARRAY) {
        spe_write_(m, SPE_SECTION_DECORATION_, SPE_OpDecorate, 3, type, SPE_DecorationArrayStride,
                   (uint32_t)spe_size(m, t.elem));
        spe_lay_out_(m, t.elem);
    }
    for (uint32_t i = 0; i < t.count && t.kind == SPE_KIND_STRUCT; i++) {
        spe_write_(m, SPE_SECTION_DECORATION_, SPE_OpMemberDecorate, 4, type, i, SPE_DecorationOffset,
                   (uint32_t)spe_offset(m, type, i));
        spe_lay_out_(m, t.members[i]);
    }
}

/* What an address in the environment points to: `type` as it is in memory. */
static spe_id spe_in_memory_(spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    if (spe_pieces_(m, type)) {
        spe_id its = spe_vec_in_pieces_(m, t->elem, t->count, true);
        const spe_type_info *v = spe_info_(m, its);
        if (!v || v->laid_out) return its;
        m->types[m->ids[its].aux].laid_out = true;
        spe_write_(m, SPE_SECTION_DECORATION_, SPE_OpDecorate, 3, its, SPE_DecorationArrayStride,
                   (uint32_t)spe_size(m, spe_vec(m, spe_scalar_of(m, type), 4)));
        spe_need_in_memory_(m, type);
        return its;
    }
    spe_lay_out_(m, type);
    return type;
}

/* A pointer that is an address: it can be stepped through memory. One to constant memory has the same type. */
static spe_id spe_address_type_(spe_module *m, spe_type_info t)
{
    spe_id next, id;
    t.storage = SPE_StorageClassCrossWorkgroup;
    uint32_t w[2] = {SPE_StorageClassPhysicalStorageBuffer, spe_in_memory_(m, t.elem)};
    next = (spe_id)m->id_count;
    id = w[1] ? spe_type_(m, SPE_OpTypePointer, t, SPE_NEED_STORAGE_, w[0], 2, w) : 0;
    if (id == next && spe_size(m, t.elem))
        spe_write_(m, SPE_SECTION_DECORATION_, SPE_OpDecorate, 3, id, SPE_DecorationArrayStride,
                   (uint32_t)spe_size(m, t.elem));
    return id;
}

/* A pointer to local memory for Vulkan: an offset, see local.c. */
static spe_id spe_local_pointer_type_(spe_module *m, spe_type_info t)
{
    spe_offset_type_ *rows = (spe_offset_type_ *)m->local_pointers.items, *row;
    for (int i = 0; i < m->local_pointers.count; i++) {
        if (rows[i].elem == t.elem) return rows[i].id;
    }
    spe_id i32 = spe_int(m, 32), id = m->error.id ? 0 : spe_new_id_(m, 0, SPE_ID_TYPE_, 0);
    row = (spe_offset_type_ *)spe_list_add(m, &m->local_pointers, sizeof *row);
    if (!id || !row || !spe_write_(m, SPE_SECTION_GLOBAL_, SPE_OpTypeStruct, 2, id, i32)) return 0;
    if (!spe_grow_(m, &m->types, &m->type_capacity, m->type_count + 1, sizeof *m->types, 32)) return 0;
    m->types[m->type_count] = t;
    m->ids[id].aux = (uint32_t)m->type_count++;
    row->elem = t.elem;
    return row->id = id;
}

/* A pointer to memory that has another form in Vulkan. */
XE_FN_ spe_id spe_vulkan_pointer_(spe_module *m, spe_type_info t)
{
    return t.storage == SPE_StorageClassWorkgroup ? spe_local_pointer_type_(m, t) : spe_address_type_(m, t);
}
