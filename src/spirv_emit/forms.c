/* forms.c - the letters of a form: kinds of operands, result types, constant folding. */
#include "internal.h"

XE_FN_ uint32_t spe_kinds_(char letter)
{
    switch (letter) {
    case 'i': case 'g': case 'I': case 'J': case 'h': case 'n': return SPE_INT_;
    case 'f': case 'r': case 'G': case 's': return SPE_FLOAT_;
    case 'd': return SPE_FLOAT_ | SPE_SMALL_;
    case 'b': case 'B': return SPE_BOOL_;
    case 'N': case 'E': case 'e': return SPE_INT_ | SPE_FLOAT_;
    case 'u': return SPE_INT_ | SPE_FLOAT_ | SPE_BOOL_ | SPE_SMALL_;
    default: return SPE_PTR_;
    }
}

/* Is it a type of these kinds, in any shape? Else an error. */
XE_FN_ bool spe_takes_(spe_module *m, uint32_t kinds, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    if (t && (t->kind == SPE_KIND_VECTOR || t->kind >= SPE_KIND_COOPMAT)) t = spe_info_(m, t->elem);
    if (t && (kinds >> t->kind & 1) && (t->encoding == SPE_IEEE || (kinds & SPE_SMALL_))) return true;
    static const char *const names[] = {"bools", "integers", "floats", "pointers"};
    static const uint32_t each[] = {SPE_BOOL_, SPE_INT_, SPE_FLOAT_, SPE_PTR_};
    char text[48] = "";
    for (int i = 0; i < 4; i++) {
        if (kinds & each[i]) strcat(strcat(text, *text ? " or " : ""), names[i]);
    }
    return spe_error_(m, SPE_ERR_TYPE, "takes %s, not %s", text, spe_text_(m, type));
}

/* Does memory of this storage class take stores and atomics? */
XE_FN_ bool spe_is_writable_(uint32_t storage)
{
    return storage != SPE_StorageClassUniformConstant && storage != SPE_StorageClassInput;
}

/* Does the type match a letter that does not depend on other operands? Else an error. */
XE_FN_ bool spe_is_(spe_module *m, char letter, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    uint32_t bits = letter == 'h' ? 16 : letter == 's' ? 32 : 0;
    switch (letter) {
    case 'v': case '*': case '~': case 'q': case '.': return true;
    case 'V':
        return t->kind == SPE_KIND_VECTOR || spe_error_(m, SPE_ERR_TYPE, "takes a vector, not %s", spe_text_(m, type));
    case 'x': return type == spe_int(m, 32) || spe_disagree_(m, spe_int(m, 32), type);
    case 'y': return type == spe_vec(m, spe_int(m, 32), 4) || spe_disagree_(m, type, spe_vec(m, spe_int(m, 32), 4));
    case 'm': case 'w':
        if (t->kind == (letter == 'm' ? SPE_KIND_COOPMAT : SPE_KIND_COOPVEC)) return true;
        return spe_error_(m, SPE_ERR_TYPE, "%s is not a cooperative %s", spe_text_(m, type),
                          letter == 'm' ? "matrix" : "vector");
    default: break;
    }
    if (!spe_takes_(m, spe_kinds_(letter), type)) return false;
    if (bits && (spe_width(m, type) != bits || !spe_count(m, type)))
        return spe_error_(m, SPE_ERR_TYPE, "takes components of %u bits, not %s", bits, spe_text_(m, type));
    if ((letter <= 'Z' || letter == 'n') && !t->bits && letter != 'P')
        return spe_error_(m, SPE_ERR_TYPE, "takes a scalar, not %s", spe_text_(m, type));
    if ((letter == 'u' || letter == 'e') && t->kind >= SPE_KIND_COOPMAT)
        return spe_error_(m, SPE_ERR_TYPE, "takes scalars and vectors, not %s", spe_text_(m, type));
    if ((letter == 'g' || letter == 'r') && t->kind == SPE_KIND_COOPMAT)
        return spe_error_(m, SPE_ERR_TYPE, "takes no cooperative matrices, such as %s", spe_text_(m, type));
    if ((letter == 'c' || letter == 'P') && !spe_is_writable_(t->storage))
        return spe_error_(m, SPE_ERR_TYPE, "takes a pointer to memory that can be written, not %s in storage class %s",
                          spe_text_(m, type), spe_storage_text_(t->storage));
    return true;
}

/* Is the word a scope (letter z), or memory semantics (j) of this instruction? Else an error. */
XE_FN_ bool spe_is_word_(spe_module *m, char letter, uint32_t op, uint32_t word)
{
    const uint32_t acquire = SPE_MemorySemanticsAcquire, release = SPE_MemorySemanticsRelease;
    const uint32_t both = SPE_MemorySemanticsAcquireRelease, orders = acquire | release | both | 16, memories = 0xf80;
    uint32_t order = word & orders, none = op == SPE_OpAtomicLoad ? release | both : 0;
    if (op == SPE_OpAtomicStore) none = acquire | both;
    if (letter == 'z' && m->options.env && word == SPE_ScopeCrossDevice)
        return spe_error_(m, SPE_ERR_ENVIRONMENT, "Vulkan has no scope CrossDevice");
    if (letter == 'z' && m->options.env && word == SPE_ScopeDevice)
        spe_capability(m, SPE_CapabilityVulkanMemoryModelDeviceScope);
    if (letter == 'z' && word > SPE_ScopeInvocation)
        return spe_error_(m, SPE_ERR_RANGE, "there is no scope %u; the narrowest is %u", word, SPE_ScopeInvocation);
    if (letter == 'z' || (!(word & ~(orders | memories)) && !(order & (order - 1)) && !(order & none))) return true;
    return spe_error_(m, SPE_ERR_RANGE, "memory semantics 0x%x; they are at most one order (of 0x%x) and memories (of "
                      "0x%x)", word, orders & ~none, memories);
}

/* Names the extensions of types that the first matrix instruction lacks. */
XE_ONCE_
static void spe_need_bits_(spe_module *m, uint32_t word)
{
    enum { E4M3 = 0x4000 | 0x8000, E5M2 = 0x10000 | 0x20000, E2M1 = 0x40000 | 0x80000 };
    if (word & (E4M3 | E5M2)) spe_extension(m, "SPV_INTEL_subgroup_matrix_multiply_accumulate_float8");
    if (word & E2M1) spe_extension(m, "SPV_INTEL_subgroup_matrix_multiply_accumulate_float4");
}

/* Are these bits of the operands of spe_dpas, spe_dpas_scaled or (other opcodes) cooperative matrices? Else an error.
 */
XE_FN_ bool spe_has_bits_(spe_module *m, uint32_t op, uint32_t word)
{
#define SPE_BIT_(kind, name, number) | (uint32_t)number
    const uint32_t scales = SPE_MatrixMultiplyAccumulateOperandsScaleAFloat8E8M0INTEL |
                            SPE_MatrixMultiplyAccumulateOperandsScaleBFloat8E8M0INTEL;
    bool plain = op == SPE_OpSubgroupMatrixMultiplyAccumulateINTEL,
         scaled = op == SPE_OpSubgroupScaledMatrixMultiplyAccumulateINTEL;
    uint32_t all = 0 SPE_CooperativeMatrixOperands_(SPE_BIT_, K);
    if (plain || scaled) all = 0 SPE_MatrixMultiplyAccumulateOperands_(SPE_BIT_, K);
    if (plain) all &= ~scales;
#undef SPE_BIT_
    if (word & ~all) return spe_error_(m, SPE_ERR_RANGE, "operands 0x%x; the bits of 0x%x exist", word, all);
    if (plain || scaled) spe_need_bits_(m, word);
    return true;
}

/* Marks a pointer that was made from one with these flags. Returns it. */
XE_FN_ spe_id spe_mark_packed_(spe_module *m, spe_id id, uint32_t flags)
{
    if (id) m->ids[id].flags |= (uint16_t)(flags & SPE_ID_PACKED_);
    return id;
}

/* Writes the memory operands: volatile, alignment (0: that of the type). Returns their number of words. */
XE_FN_ uint32_t spe_access_(spe_module *m, const spe_call_ *c, uint32_t align, bool is_volatile, uint32_t *w)
{
    uint32_t n = 0, given = align, shared = 0;
    if (align & (align - 1)) return spe_error_(m, SPE_ERR_RANGE, "alignment %u is not a power of two", align);
    if (!align) align = spe_alignment(m, c->pointee);
    if (given == 0 && align && c->packed) align = 1;
    if (m->options.env) { /* alignment belongs to addresses; others may see what is in shared memory */
        uint32_t storage = spe_storage_(m, spe_info_(m, c->first)->storage);
        if (storage != SPE_StorageClassPhysicalStorageBuffer && storage != SPE_StorageClassWorkgroup) align = 0;
        if (align) shared = SPE_MemoryAccessNonPrivatePointer;
    }
    if (!align && !is_volatile && !shared) return 0;
    w[n++] = (is_volatile ? (uint32_t)SPE_MemoryAccessVolatile : 0) | (align ? (uint32_t)SPE_MemoryAccessAligned : 0) |
             shared;
    if (align) w[n++] = align;
    return n;
}

/* -- results: types and constant folding ------------------------------------------------------------------------- */

/* bool, or as many bools as `type` has components. An error for cooperative matrices and vectors. */
XE_FN_ spe_id spe_bool_like_(spe_module *m, spe_id type)
{
    uint32_t n = spe_count(m, type);
    if (n) return spe_vec(m, spe_bool(m), n);
    return spe_error_(m, SPE_ERR_TYPE, "takes scalars and vectors, not %s", spe_text_(m, type));
}

/* The generic pointer type of an operand. */
XE_ONCE_
static spe_id spe_generic_(spe_module *m, const spe_call_ *c)
{
    switch (spe_info_(m, c->first)->storage) {
    case SPE_StorageClassCrossWorkgroup: case SPE_StorageClassWorkgroup: case SPE_StorageClassFunction:
        return spe_ptr(m, SPE_StorageClassGeneric, c->pointee);
    default:
        return spe_error_(m, SPE_ERR_TYPE, "takes pointers to global, local or private memory, not %s in storage class "
                          "%s", spe_text_(m, c->first), spe_storage_text_(spe_info_(m, c->first)->storage));
    }
}

/* The result type for the letter after the colon, except = and *. */
XE_FN_ spe_id spe_result_(spe_module *m, const spe_call_ *c, char letter)
{
    switch (letter) {
    case 't': return c->given;
    case 'b': return spe_bool_like_(m, c->first);
    case 's': return spe_vec(m, spe_float(m, 32), spe_count(m, c->first));
    case 'h': return spe_vec(m, spe_int(m, 16), spe_count(m, c->first));
    case 'x': return spe_int(m, 32);
    case 'y': return spe_vec(m, spe_int(m, 32), 4);
    case 'g': return spe_generic_(m, c);
    default: return spe_scalar_of(m, c->first);
    }
}

/* Folds an operation on one or two scalar integers; false if the result is undefined. */
static bool spe_fold_(uint32_t op, uint32_t bits, uint64_t a, uint64_t b, uint64_t *out)
{
    int64_t sa = spe_signed_(a, bits), sb = spe_signed_(b, bits);
#define SPE_FOLD_(op, value, defined)                                                                                  \
    case SPE_Op##op: return *out = (defined) ? (uint64_t)(value) : 0, (defined);
    switch (op) {
        SPE_FOLD_(SNegate, 0 - a, true) SPE_FOLD_(Not, ~a, true) SPE_FOLD_(LogicalNot, ~a, true)
        SPE_FOLD_(IAdd, a + b, true) SPE_FOLD_(ISub, a - b, true) SPE_FOLD_(IMul, a * b, true)
        SPE_FOLD_(UDiv, a / b, b != 0) SPE_FOLD_(UMod, a % b, b != 0) SPE_FOLD_(SDiv, sa / sb, sb > 0)
        SPE_FOLD_(SRem, sa % sb, sb > 0) SPE_FOLD_(SMod, (sa % sb + sb) % sb, sb > 0 && sb < INT64_MAX / 2)
        SPE_FOLD_(BitwiseAnd, a & b, true) SPE_FOLD_(BitwiseOr, a | b, true) SPE_FOLD_(BitwiseXor, a ^ b, true)
        SPE_FOLD_(ShiftLeftLogical, a << b, b < bits) SPE_FOLD_(ShiftRightLogical, a >> b, b < bits)
        SPE_FOLD_(ShiftRightArithmetic, sa < 0 ? ~(~(uint64_t)sa >> b) : (uint64_t)sa >> b, b < bits)
        SPE_FOLD_(IEqual, a == b, true) SPE_FOLD_(INotEqual, a != b, true) SPE_FOLD_(ULessThan, a < b, true)
        SPE_FOLD_(ULessThanEqual, a <= b, true) SPE_FOLD_(UGreaterThan, a > b, true)
        SPE_FOLD_(UGreaterThanEqual, a >= b, true) SPE_FOLD_(SLessThan, sa < sb, true)
        SPE_FOLD_(SLessThanEqual, sa <= sb, true) SPE_FOLD_(SGreaterThan, sa > sb, true)
        SPE_FOLD_(SGreaterThanEqual, sa >= sb, true)
    default: return false;
    }
#undef SPE_FOLD_
}

/* Applies the suffix of a form: # folds constants, 0 or 1 is the neutral second operand, + also the first. Returns 0 if
 * the instruction is needed. */
XE_FN_ spe_id spe_simplify_(spe_module *m, uint32_t op, spe_id type, const char *rule, const spe_call_ *c)
{
    spe_id a = c->words[0], b = c->words[c->count - 1];
    uint64_t x, y, z, neutral;
    if (!((m->ids[a].flags | m->ids[b].flags) & SPE_ID_CONSTANT_)) return 0;
    bool known_a = spe_const_bits(m, a, &x);
    bool known_b = spe_const_bits(m, b, &y);
    if (*rule == '#' && rule++ && known_a && known_b && spe_fold_(op, spe_width(m, c->first), x, y, &z))
        return spe_const_scalar_(m, type, z & spe_mask_(spe_width(m, type)));
    if (!*rule) return 0;
    neutral = (uint64_t)(*rule - '0');
    if (known_b) return y == neutral ? a : op == SPE_OpIMul && !y ? b : 0;
    if (known_a && rule[1] == '+') return x == neutral ? b : op == SPE_OpIMul && !x ? a : 0;
    return 0;
}
