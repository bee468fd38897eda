/* float_atomics.c - atomics of floats for Vulkan, of whose devices few have them: by those of integers. */
#include "internal.h"

/* Where an atomic works, and how, as the program says. */
typedef struct {
    spe_id pointer;
    uint32_t scope, semantics;
} spe_atomic_operands_;

/* That of an instruction's first three operands, whose semantics are as Vulkan writes them. */
static spe_atomic_operands_ spe_atomic_operands_of_(const spe_module *m, const uint32_t *operands)
{
    const uint64_t of_orders = SPE_MemorySemanticsMakeAvailable | SPE_MemorySemanticsMakeVisible;
    uint64_t scope = 0, semantics = 0;
    spe_const_bits(m, operands[1], &scope);
    spe_const_bits(m, operands[2], &semantics);
    semantics &= ~of_orders;
    if (semantics & SPE_MemorySemanticsUniformMemory)
        semantics ^= SPE_MemorySemanticsUniformMemory | SPE_MemorySemanticsCrossWorkgroupMemory;
    spe_atomic_operands_ at = {operands[0], (uint32_t)scope, (uint32_t)semantics};
    return at;
}

static bool spe_is_extreme_(uint32_t op) { return op == SPE_OpAtomicFMinEXT || op == SPE_OpAtomicFMaxEXT; }

/* The smallest or largest of floats of 32 or 64 bits. Numbers without a sign are in the order of their bits, those with
 * one in the opposite order, which is that of the bits without a sign. So of two operations one gets the operand, the
 * other what changes nothing, as both do where it is NaN. */
static spe_id spe_float_extreme_(spe_module *m, uint32_t op, spe_atomic_operands_ at, spe_id v)
{
    bool least = op == SPE_OpAtomicFMinEXT;
    spe_id type = spe_type_of(m, v), integer = spe_int(m, spe_width(m, type));
    uint64_t high = (uint64_t)1 << (spe_width(m, type) - 1);
    spe_id for_plus = spe_const_u(m, integer, least ? high - 1 : high), zero = spe_const_u(m, integer, 0);
    spe_id for_minus = least ? zero : spe_const_u(m, integer, high | (high - 1));
    spe_id ptr = spe_ptr_cast(m, at.pointer, integer);
    spe_id bits = spe_bitcast(m, integer, v), number = spe_feq(m, v, v), minus = spe_slt(m, bits, zero);
    spe_id plus = spe_land(m, spe_lnot(m, minus), number);
    spe_id first = spe_atomic(m, least ? SPE_ATOMIC_SMIN : SPE_ATOMIC_SMAX, ptr, spe_select(m, plus, bits, for_plus),
                              at.scope, at.semantics);
    minus = spe_land(m, minus, number);
    spe_id second = spe_atomic(m, least ? SPE_ATOMIC_UMAX : SPE_ATOMIC_UMIN, ptr,
                               spe_select(m, minus, bits, for_minus), at.scope, at.semantics);
    return spe_bitcast(m, type, spe_select(m, minus, second, first));
}

/* A word in memory, and where the bits of a number in it begin; 0: it is the word. */
typedef struct {
    spe_id pointer, shift;
} spe_word_field_;

static spe_word_field_ spe_word_field_of_(spe_module *m, spe_id pointer, uint32_t bits)
{
    spe_id i32 = spe_int(m, 32), i64 = spe_int(m, 64), address, first_byte;
    spe_word_field_ word = {0, 0};
    if (bits == 32) {
        word.pointer = spe_ptr_cast(m, pointer, i32);
        return word;
    }
    address = spe_ptr_to_u(m, i64, pointer);
    first_byte = spe_uconvert(m, i32, address);
    first_byte = spe_and(m, first_byte, spe_u32(m, 3));
    word.shift = spe_shl(m, first_byte, spe_u32(m, 3));
    address = spe_and(m, address, spe_u64(m, ~(uint64_t)3));
    word.pointer = spe_u_to_ptr(m, spe_ptr(m, spe_info_(m, spe_type_of(m, pointer))->storage, i32), address);
    return word;
}

/* The number of the type in the bits of a word. */
static spe_id spe_word_number_(spe_module *m, const spe_word_field_ *word, spe_id bits, spe_id type)
{
    if (!word->shift) return spe_bitcast(m, type, bits);
    spe_id i16 = spe_int(m, 16);
    bits = spe_shr(m, bits, word->shift);
    return spe_bitcast(m, type, spe_uconvert(m, i16, bits));
}

/* A word's bits with the number in place of what was there. */
static spe_id spe_word_with_(spe_module *m, const spe_word_field_ *word, spe_id old, spe_id number)
{
    spe_id i32 = spe_int(m, 32), mask, bits;
    if (!word->shift) return spe_bitcast(m, i32, number);
    mask = spe_not(m, spe_shl(m, spe_u32(m, 0xffff), word->shift));
    bits = spe_uconvert(m, i32, spe_bitcast(m, spe_int(m, 16), number));
    bits = spe_shl(m, bits, word->shift);
    return spe_or(m, spe_and(m, old, mask), bits);
}

/* What memory is to have instead of `old`: the sum with v, or v if it is less or greater, or the only number. */
static spe_id spe_float_next_(spe_module *m, uint32_t op, spe_id old, spe_id v)
{
    if (op == SPE_OpAtomicFAddEXT) return spe_fadd(m, old, v);
    spe_id stays = op == SPE_OpAtomicFMinEXT ? spe_fle(m, old, v) : spe_fge(m, old, v);
    stays = spe_lor(m, stays, spe_lnot(m, spe_feq(m, v, v)));
    return spe_select(m, stays, old, v);
}

/* An operation on a float of 16 or 32 bits: compare-exchange of its word until nobody came between. */
static spe_id spe_float_loop_(spe_module *m, uint32_t op, spe_atomic_operands_ at, spe_id v)
{
    spe_id type = spe_type_of(m, v), carried[2];
    spe_word_field_ word = spe_word_field_of_(m, at.pointer, spe_width(m, type));
    carried[0] = spe_atomic_load(m, word.pointer, at.scope, 0);
    carried[1] = spe_const_bool(m, true);
    spe_while(m, 2, carried);
    spe_id old = carried[0];
    spe_while_test(m, carried[1]);
    spe_id next = spe_float_next_(m, op, spe_word_number_(m, &word, old, type), v);
    next = spe_word_with_(m, &word, old, next);
    carried[0] = spe_atomic_cas(m, word.pointer, old, next, at.scope, at.semantics);
    carried[1] = spe_ine(m, carried[0], old);
    spe_endwhile(m, 2, carried);
    return spe_word_number_(m, &word, carried[0], type);
}

/* Is the instruction, on what the pointer points to, one that is written by those of integers? */
XE_FN_ bool spe_is_float_atomic_(const spe_module *m, uint32_t op, spe_id pointer)
{
    spe_id type = spe_type_of(m, pointer);
    bool sum = op == SPE_OpAtomicFAddEXT;
    if (!sum && !spe_is_extreme_(op)) return false;
    uint32_t bits = spe_width(m, spe_info_(m, type)->elem);
    return bits == 16 || !sum || (bits == 32 && spe_is_offset_(m, type));
}

XE_FN_ spe_id spe_float_atomic_(spe_module *m, uint32_t op, const uint32_t *operands)
{
    spe_atomic_operands_ at = spe_atomic_operands_of_(m, operands);
    if (spe_is_extreme_(op) && spe_width(m, spe_type_of(m, operands[3])) > 16)
        return spe_float_extreme_(m, op, at, operands[3]);
    return spe_float_loop_(m, op, at, operands[3]);
}
