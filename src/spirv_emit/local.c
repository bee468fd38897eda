/* local.c - local memory for Vulkan, whose pointers to it keep the type of what they point to and cannot be moved. It
 * is one array of 32-bit words, or of vectors of four (spe_shared_vectors), and a pointer is the offset in it, in
 * bytes, in a struct of its own for each type. */
#include "internal.h"

/* A type of pointers to local memory, as Vulkan has them. */
static spe_id spe_raw_pointer_(spe_module *m, spe_id to)
{
    uint32_t w[2] = {SPE_StorageClassWorkgroup, to};
    return to ? spe_unique_(m, SPE_OpTypePointer, SPE_ID_TYPE_, 2, w) : 0;
}

/* The array that is Vulkan's local memory, made with the first variable in it; its length is written when the module is
 * complete. */
static bool spe_make_local_memory_(spe_module *m)
{
    uint32_t spec = SPE_LOCAL_WORDS_CONSTANT + 2 * (uint32_t)(m->entry_count - (m->open && m->fn.kernel));
    if (m->local_words) return true;
    spe_id word = spe_int(m, 32), length = spe_spec_const(m, word, 1, spec), pointer;
    m->local_length = m->buffer[SPE_SECTION_GLOBAL_].count - 1;
    if (m->local_vectors) {
        spe_id four = spe_u32(m, 4), words = length;
        word = spe_vec(m, word, 4);
        length = spe_new_id_(m, spe_int(m, 32), SPE_ID_CONSTANT_ | SPE_ID_SPEC_, 0);
        spe_write_(m, SPE_SECTION_GLOBAL_, SPE_OpSpecConstantOp, 5, spe_int(m, 32), length, SPE_OpUDiv, words, four);
    }
    pointer = spe_raw_pointer_(m, spe_array_sized(m, word, length));
    m->local_word_pointer = spe_raw_pointer_(m, spe_int(m, 32));
    if (m->error.id) return false;
    m->local_words = spe_new_id_(m, pointer, SPE_ID_GLOBAL_, 0);
    return spe_write_(m, SPE_SECTION_GLOBAL_, SPE_OpVariable, 3, pointer, m->local_words, SPE_StorageClassWorkgroup);
}

/* A variable in Vulkan's local memory: its offset. */
XE_FN_ spe_id spe_local_variable_(spe_module *m, spe_id ptr, spe_id type, spe_id initializer)
{
    uint64_t size = spe_size(m, type);
    uint32_t at = (m->local_bytes + 15) / 16 * 16;
    if (initializer) return SPE_ERROR_(m, ENVIRONMENT, "a variable in local memory is not initialized");
    if (!size) return SPE_ERROR_(m, TYPE, "%s in local memory", spe_text_(m, type));
    if (size > INT32_MAX - at) return SPE_ERROR_(m, LIMIT, "%llu bytes of local memory", (unsigned long long)size);
    spe_id offset = spe_u32(m, at), id = spe_make_local_memory_(m) ? spe_new_id_(m, ptr, SPE_ID_CONSTANT_, 0) : 0;
    m->local_bytes = at + (uint32_t)size;
    return id && spe_write_(m, SPE_SECTION_GLOBAL_, SPE_OpConstantComposite, 3, ptr, id, offset) ? id : 0;
}

/* The pointer that parameter i of a kernel is: the host sets its offset, the spec constant numbered i. */
XE_FN_ spe_id spe_local_param_(spe_module *m, spe_id ptr, uint32_t i)
{
    spe_id offset = spe_make_local_memory_(m) ? spe_spec_const(m, spe_int(m, 32), 0, i) : 0, id;
    id = offset ? spe_new_id_(m, ptr, SPE_ID_CONSTANT_ | SPE_ID_SPEC_, 0) : 0;
    return id && spe_write_(m, SPE_SECTION_GLOBAL_, SPE_OpSpecConstantComposite, 3, ptr, id, offset) ? id : 0;
}

static spe_id spe_op2_(spe_module *m, uint32_t op, spe_id type, spe_id a, spe_id b)
{
    uint32_t w[2] = {a, b};
    return spe_emit_one_(m, op, type, 2, w);
}

static spe_id spe_to_(spe_module *m, uint32_t op, spe_id type, spe_id v)
{
    return spe_type_of(m, v) == type ? v : spe_emit_one_(m, op, type, 1, &v);
}

static spe_id spe_local_offset_(spe_module *m, spe_id ptr)
{
    return spe_op2_(m, SPE_OpCompositeExtract, spe_int(m, 32), ptr, 0);
}

static spe_id spe_local_pointer_(spe_module *m, spe_id type, spe_id offset)
{
    return spe_emit_one_(m, SPE_OpCompositeConstruct, type, 1, &offset);
}

/* offset + index * bytes. */
static spe_id spe_local_step_(spe_module *m, spe_id offset, spe_id index, uint64_t bytes)
{
    spe_id i32 = spe_int(m, 32);
    uint64_t known;
    if (spe_const_bits(m, index, &known) && !known) return offset;
    index = spe_to_(m, SPE_OpSConvert, i32, index);
    if (bytes != 1) index = spe_op2_(m, SPE_OpIMul, i32, index, spe_u32(m, (uint32_t)bytes));
    return spe_op2_(m, SPE_OpIAdd, i32, offset, index);
}

/* A pointer to a part of what ptr points to, by n indices that are checked. */
static spe_id spe_local_element_(spe_module *m, spe_id type, spe_id ptr, uint32_t n, const uint32_t *index)
{
    spe_id offset = spe_local_offset_(m, ptr), pointee = spe_info_(m, spe_type_of(m, ptr))->elem;
    uint64_t member = 0;
    for (uint32_t i = 0; i < n; i++) {
        const spe_type_info *t = spe_info_(m, pointee);
        if (t->kind == SPE_KIND_STRUCT) {
            spe_const_bits(m, index[i], &member);
            spe_id i32 = spe_int(m, 32), before = spe_u32(m, (uint32_t)spe_offset(m, pointee, (uint32_t)member));
            offset = spe_op2_(m, SPE_OpIAdd, i32, offset, before);
            pointee = t->members[member];
        } else {
            pointee = t->elem;
            offset = spe_local_step_(m, offset, index[i], spe_size(m, pointee));
        }
    }
    return spe_local_pointer_(m, type, offset);
}

/* The address of the word that byte `offset` is in, `words` words on. */
static spe_id spe_local_word_(spe_module *m, spe_id offset, uint32_t words)
{
    spe_id i32 = spe_int(m, 32), at = spe_op2_(m, SPE_OpShiftRightLogical, i32, offset, spe_u32(m, 2));
    if (words) at = spe_op2_(m, SPE_OpIAdd, i32, at, spe_u32(m, words));
    spe_use_(m, m->local_words);
    if (!m->local_vectors) return spe_op2_(m, SPE_OpAccessChain, m->local_word_pointer, m->local_words, at);
    uint32_t w[3] = {m->local_words, 0, 0};
    w[1] = spe_op2_(m, SPE_OpShiftRightLogical, i32, at, spe_u32(m, 2));
    w[2] = spe_op2_(m, SPE_OpBitwiseAnd, i32, at, spe_u32(m, 3));
    return spe_emit_one_(m, SPE_OpAccessChain, m->local_word_pointer, 3, w);
}

static spe_id spe_load_word_(spe_module *m, spe_id at)
{
    return spe_op2_(m, SPE_OpLoad, spe_int(m, 32), at, SPE_MemoryAccessNonPrivatePointer);
}

static void spe_store_word_(spe_module *m, spe_id at, spe_id v)
{
    uint32_t w[3] = {at, v, SPE_MemoryAccessNonPrivatePointer};
    spe_emit_one_(m, SPE_OpStore, 0, 3, w);
}

/* Where the bits of a number smaller than a word begin in its word. */
static spe_id spe_local_shift_(spe_module *m, spe_id offset)
{
    spe_id i32 = spe_int(m, 32), byte = spe_op2_(m, SPE_OpBitwiseAnd, i32, offset, spe_u32(m, 3));
    return spe_op2_(m, SPE_OpShiftLeftLogical, i32, byte, spe_u32(m, 3));
}

/* Replaces the bits of a number smaller than a word; other invocations may write the word's other bits. */
static void spe_store_bits_(spe_module *m, spe_id offset, spe_id v, uint32_t bits)
{
    spe_id i32 = spe_int(m, 32), shift = spe_local_shift_(m, offset), mask = spe_u32(m, bits == 8 ? 0xff : 0xffff);
    uint32_t w[4] = {spe_local_word_(m, offset, 0), spe_u32(m, SPE_ScopeWorkgroup), spe_u32(m, 0), 0};
    v = spe_to_(m, SPE_OpUConvert, i32, spe_to_(m, SPE_OpBitcast, spe_int(m, bits), v));
    mask = spe_op2_(m, SPE_OpShiftLeftLogical, i32, mask, shift);
    w[3] = spe_emit_one_(m, SPE_OpNot, i32, 1, &mask);
    spe_emit_one_(m, SPE_OpAtomicAnd, i32, 4, w);
    w[3] = spe_op2_(m, SPE_OpShiftLeftLogical, i32, v, shift);
    spe_emit_one_(m, SPE_OpAtomicOr, i32, 4, w);
}

static spe_id spe_load_bits_(spe_module *m, spe_id type, spe_id offset, uint32_t bits)
{
    spe_id i32 = spe_int(m, 32), v = spe_load_word_(m, spe_local_word_(m, offset, 0));
    v = spe_op2_(m, SPE_OpShiftRightLogical, i32, v, spe_local_shift_(m, offset));
    return spe_to_(m, SPE_OpBitcast, type, spe_to_(m, SPE_OpUConvert, spe_int(m, bits), v));
}

/* How a scalar or vector of the type is accessed: this many words at once (1 to 4), 0: as the bits of a part of a word,
 * UINT32_MAX: component by component. */
static uint32_t spe_local_words_(const spe_module *m, spe_id type, uint32_t align)
{
    uint32_t bytes = spe_width(m, type) / 8 * spe_count(m, type);
    bool unaligned = align && align < 4 && bytes >= 4 && align < spe_alignment(m, type);
    if (bytes % 4 == 0 && bytes <= 16 && !unaligned) return bytes / 4;
    return bytes < 3 && spe_count(m, type) == 1 ? 0 : UINT32_MAX;
}

static bool spe_in_words_(spe_module *m, spe_id type)
{
    if (spe_width(m, type) >= 8) return true;
    return spe_error_(m, SPE_ERR_ENVIRONMENT, "%s in local memory; Vulkan's has numbers and vectors",
                      spe_text_(m, type));
}

static spe_id spe_load_local_(spe_module *m, spe_id type, spe_id offset, uint32_t align)
{
    uint32_t n = spe_local_words_(m, type, align), count = spe_count(m, type);
    spe_id v[4], scalar = spe_scalar_of(m, type);
    if (!spe_in_words_(m, type)) return 0;
    if (!n) return spe_load_bits_(m, type, offset, spe_width(m, type));
    if (n != UINT32_MAX) {
        for (uint32_t i = 0; i < n; i++) v[i] = spe_load_word_(m, spe_local_word_(m, offset, i));
        if (n > 1) v[0] = spe_emit_one_(m, SPE_OpCompositeConstruct, spe_vec(m, spe_int(m, 32), n), n, v);
        return spe_to_(m, SPE_OpBitcast, type, v[0]);
    }
    for (uint32_t i = 0; i < count; i++) {
        spe_id at = i ? spe_local_step_(m, offset, spe_u32(m, i), spe_size(m, scalar)) : offset;
        v[i] = spe_load_local_(m, scalar, at, 0);
    }
    return spe_emit_one_(m, SPE_OpCompositeConstruct, type, count, v);
}

static void spe_store_local_(spe_module *m, spe_id offset, spe_id v, uint32_t align)
{
    spe_id type = spe_type_of(m, v), scalar = spe_scalar_of(m, type);
    uint32_t n = spe_local_words_(m, type, align);
    if (!spe_in_words_(m, type)) return;
    if (!n) {
        spe_store_bits_(m, offset, v, spe_width(m, type));
    } else if (n != UINT32_MAX) {
        v = spe_to_(m, SPE_OpBitcast, spe_vec(m, spe_int(m, 32), n), v);
        for (uint32_t i = 0; i < n; i++) {
            spe_id word = n > 1 ? spe_op2_(m, SPE_OpCompositeExtract, spe_int(m, 32), v, i) : v;
            spe_store_word_(m, spe_local_word_(m, offset, i), word);
        }
    } else {
        for (uint32_t i = 0; i < spe_count(m, type); i++) {
            spe_id at = spe_local_step_(m, offset, spe_u32(m, i), spe_size(m, scalar));
            spe_store_local_(m, at, spe_op2_(m, SPE_OpCompositeExtract, scalar, v, i), 0);
        }
    }
}

/* Is it a pointer to local memory, as this file has them? */
XE_FN_ bool spe_is_offset_(const spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    return t && t->kind == SPE_KIND_POINTER && t->storage == SPE_StorageClassWorkgroup;
}

static bool spe_is_atomic_(uint32_t op)
{
    return (op >= SPE_OpAtomicLoad && op <= SPE_OpAtomicXor) || op == SPE_OpAtomicFAddEXT;
}

/* Does the instruction access local memory, or make a pointer to it of another? */
XE_FN_ bool spe_uses_local_(const spe_module *m, uint32_t op, uint32_t n, const uint32_t *operands)
{
    bool may = op == SPE_OpLoad || op == SPE_OpStore || op == SPE_OpBitcast || op == SPE_OpConvertPtrToU ||
               (op >= SPE_OpAccessChain && op <= SPE_OpInBoundsPtrAccessChain) ||
               spe_is_atomic_(op) || op >= SPE_OpTypeCooperativeMatrixKHR;
    return may && n && spe_is_offset_(m, spe_type_of(m, operands[0]));
}

/* An atomic operation on a word, of an integer or a float. */
static spe_id spe_local_atomic_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands)
{
    uint32_t w[8];
    spe_id target = spe_info_(m, spe_type_of(m, operands[0]))->elem, i32 = spe_int(m, 32), f32 = spe_float(m, 32), id;
    bool moves = op == SPE_OpAtomicStore || op == SPE_OpAtomicExchange;
    if ((target != i32 && target != f32) || n > 8)
        return spe_error_(m, SPE_ERR_ENVIRONMENT, "atomics of %s in local memory; Vulkan's here are of 32 bits",
                          spe_text_(m, target));
    memcpy(w, operands, n * sizeof *w);
    w[0] = spe_local_word_(m, spe_local_offset_(m, operands[0]), 0);
    if (moves) w[n - 1] = spe_to_(m, SPE_OpBitcast, i32, w[n - 1]);
    id = spe_emit_one_(m, op, type ? i32 : 0, n, w);
    return type ? spe_to_(m, SPE_OpBitcast, type, id) : id;
}

/* The number of a pointer to local memory is its offset there. */
static spe_id spe_local_number_(spe_module *m, spe_id type, spe_id ptr)
{
    return spe_to_(m, SPE_OpUConvert, type, spe_local_offset_(m, ptr));
}
XE_FN_ spe_id spe_local_of_number_(spe_module *m, spe_id type, spe_id number)
{
    return spe_local_pointer_(m, type, spe_to_(m, SPE_OpUConvert, spe_int(m, 32), number));
}

/* Writes such an instruction; vectors have at most four components. */
XE_FN_ spe_id spe_emit_local_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *w)
{
    const spe_type_info *t = spe_info_(m, spe_type_of(m, w[0]));
    uint32_t access = op == SPE_OpStore ? 2 : 1, align = n > access + 1 ? w[access + 1] : 0;
    spe_id offset;
    switch (op) {
    case SPE_OpLoad: return spe_load_local_(m, type, spe_local_offset_(m, w[0]), align);
    case SPE_OpStore: spe_store_local_(m, spe_local_offset_(m, w[0]), w[1], align); return 0;
    case SPE_OpBitcast: return spe_local_pointer_(m, type, spe_local_offset_(m, w[0]));
    case SPE_OpConvertPtrToU: return spe_local_number_(m, type, w[0]);
    case SPE_OpAccessChain: case SPE_OpInBoundsAccessChain: return spe_local_element_(m, type, w[0], n - 1, w + 1);
    case SPE_OpPtrAccessChain:
        offset = spe_local_step_(m, spe_local_offset_(m, w[0]), w[1], spe_size(m, t->elem));
        return spe_local_pointer_(m, type, offset);
    default:
        if (spe_is_atomic_(op)) return spe_local_atomic_(m, op, type, n, w);
        return spe_error_(m, SPE_ERR_ENVIRONMENT, "Vulkan's local memory has no such access (instruction %u)", op);
    }
}

/* The address of a vector of 16 bytes: `index` after the first that `vectors` points to. */
XE_FN_ spe_id spe_local_vector_(spe_module *m, spe_id vectors, spe_id index)
{
    spe_id i32 = spe_int(m, 32), pointer = spe_raw_pointer_(m, spe_vec(m, i32, 4)), at = spe_local_offset_(m, vectors);
    at = spe_op2_(m, SPE_OpShiftRightLogical, i32, at, spe_u32(m, 4));
    at = spe_op2_(m, SPE_OpIAdd, i32, at, spe_to_(m, SPE_OpSConvert, i32, index));
    spe_use_(m, m->local_words);
    return spe_op2_(m, SPE_OpAccessChain, pointer, m->local_words, at);
}

/* A row's bytes (row-major) or a column's, at most 16: what the matrix's address and stride are multiples of. */
static uint32_t spe_coop_alignment_(const spe_module *m, spe_id type, spe_id layout)
{
    const spe_type_info *t = spe_info_(m, type);
    uint64_t order = 0;
    spe_const_bits(m, layout, &order);
    uint32_t bytes = (order == SPE_CooperativeMatrixLayoutRowMajorKHR ? t->cols : t->rows) * spe_width(m, t->elem) / 8;
    return bytes < 16 ? bytes : 16;
}

/* Writes a load (operands: pointer, layout, stride) or store (pointer, matrix, layout, stride) of a cooperative matrix
 * for Vulkan: addresses are aligned, and offsets in local memory become pointers to words. */
XE_FN_ spe_id spe_emit_coop_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands)
{
    uint32_t w[6], order = op == SPE_OpCooperativeMatrixStoreKHR ? 2 : 1;
    const spe_type_info *pointer = spe_info_(m, spe_type_of(m, operands[0]));
    spe_id matrix = type ? type : spe_type_of(m, operands[1]);
    memcpy(w, operands, n * sizeof *w);
    if (pointer->storage == SPE_StorageClassWorkgroup) {
        uint64_t stride = 0, bytes = spe_size(m, pointer->elem);
        if (!spe_const_bits(m, w[order + 1], &stride) || stride * bytes % 4)
            return spe_error_(m, SPE_ERR_ENVIRONMENT, "in Vulkan's local memory, the stride is a constant multiple of "
                              "4 bytes");
        w[0] = spe_local_word_(m, spe_local_offset_(m, w[0]), 0);
        w[order + 1] = spe_u32(m, (uint32_t)(stride * bytes / 4));
        w[n++] = SPE_MemoryAccessNonPrivatePointer;
    } else {
        w[n++] = SPE_MemoryAccessAligned | SPE_MemoryAccessNonPrivatePointer;
        w[n++] = spe_coop_alignment_(m, matrix, w[order]);
    }
    return spe_emit_one_(m, op, type, n, w);
}
