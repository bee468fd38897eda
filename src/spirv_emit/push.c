/* push.c - a kernel's parameters where they are push constants: addresses and numbers, each aligned to its size. */
#include "internal.h"

enum { SPE_PUSH_BYTES_ = 128 }; /* what every Vulkan device has; more are in memory, and their address is pushed */

/* A block with the parameters that are not in local memory: its struct; 0 if there are none, or after an error. */
static spe_id spe_push_block_(spe_module *m, const spe_kernel *k, uint64_t *bytes)
{
    spe_id *members = (spe_id *)spe_alloc(m, (k->param_count + 1) * sizeof *members), block;
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->param_count && members; i++) {
        const spe_type_info *t = spe_info_(m, k->params[i].type);
        if (t->kind == SPE_KIND_STRUCT || t->kind == SPE_KIND_ARRAY || spe_pieces_(m, k->params[i].type))
            return spe_error_(m, SPE_ERR_ENVIRONMENT, "parameter %u of kernel %s is %s; Vulkan's are addresses, "
                              "numbers and vectors of up to 4", i, k->name, spe_text_(m, k->params[i].type));
        if (t->storage != SPE_StorageClassWorkgroup) members[n++] = k->params[i].type;
    }
    if (!n || !members) return 0;
    block = spe_struct_new(m, n, members);
    *bytes = spe_size(m, block);
    if (block) spe_lay_out_(m, block);
    if (block) spe_write_(m, SPE_SECTION_DECORATION_, SPE_OpDecorate, 2, block, SPE_DecorationBlock);
    return block;
}

/* A pointer to the block: the push constants, or what their only one points to. */
static spe_id spe_push_pointer_(spe_module *m, spe_id block, uint64_t bytes)
{
    uint32_t push = SPE_StorageClassPushConstant;
    if (bytes <= SPE_PUSH_BYTES_) return spe_global_var(m, push, block, 0);
    spe_id zero = spe_u32(m, 0), type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, block);
    spe_id outer = type ? spe_struct_new(m, 1, &type) : 0;
    if (!outer) return 0;
    spe_lay_out_(m, outer);
    spe_write_(m, SPE_SECTION_DECORATION_, SPE_OpDecorate, 2, outer, SPE_DecorationBlock);
    return spe_load(m, spe_element(m, spe_global_var(m, push, outer, 0), 1, &zero), 0);
}

/* Declares that numbers of 8 or 16 bits are pushed. */
static void spe_need_pushed_(spe_module *m, spe_id type)
{
    uint32_t bits = spe_width(m, type);
    if (bits == 16) spe_capability(m, SPE_CapabilityStoragePushConstant16);
    if (bits == 8) spe_capability(m, SPE_CapabilityStoragePushConstant8);
}

/* Gives the open kernel its parameters: values that its prologue loads, with ids in order. */
XE_FN_ bool spe_push_params_(spe_module *m, const spe_kernel *k)
{
    uint64_t bytes = 0;
    spe_id block = spe_push_block_(m, k, &bytes), *from;
    uint32_t n = 0;
    from = (spe_id *)spe_alloc(m, (k->param_count + 1) * sizeof *from);
    m->in_prologue = true;
    spe_id base = block && !m->error.id ? spe_push_pointer_(m, block, bytes) : 0;
    for (uint32_t i = 0; i < k->param_count && from && !m->error.id; i++) {
        spe_id type = k->params[i].type, member = spe_u32(m, n);
        bool local = spe_info_(m, type)->storage == SPE_StorageClassWorkgroup;
        from[i] = local ? spe_local_param_(m, type, i) : spe_element(m, base, 1, &member);
        if (!local) spe_need_pushed_(m, type), n++;
    }
    m->fn.param_count = k->param_count;
    m->fn.first_param = (spe_id)m->id_count;
    for (uint32_t i = 0; i < k->param_count && !m->error.id; i++) {
        spe_id type = k->params[i].type, id = spe_new_id_(m, type, SPE_ID_KEPT_HALF_, 1);
        bool local = spe_info_(m, type)->storage == SPE_StorageClassWorkgroup, in_memory = bytes > SPE_PUSH_BYTES_;
        uint32_t flags = in_memory && !local ? (uint32_t)SPE_MemoryAccessAligned : 0;
        spe_write_(m, SPE_BUFFER_PROLOGUE_, local ? SPE_OpCopyObject : SPE_OpLoad, flags ? 5 : 3, type, id, from[i],
                   flags, spe_alignment(m, type));
        spe_name(m, id, k->params[i].name);
    }
    m->in_prologue = false;
    return !m->error.id;
}
