/* instructions.c - Instructions. */
#include "internal.h"

/* Notes that the open function uses a global variable or function: the entry point's interface is made of it. */
void spe_use_(spe_module *m, spe_id id)
{
    uint32_t *at;
    if (!m->open || m->ids[id].aux == m->fn.index) return;
    m->ids[id].aux = m->fn.index;
    at = spe_push_(m, SPE_BUFFER_USES_, 2);
    if (!at) return;
    at[0] = m->fn.index;
    at[1] = id;
}

/* Checks that `value` may be used here and returns its type; 0 and an error that names the caller if not. */
spe_id spe_operand_(spe_module *m, const char *fn, spe_id value)
{
    const spe_buffer_ *scopes = &m->buffer[SPE_BUFFER_SCOPES_];
    const spe_record_ *r;
    if (m->error.id) return 0;
    if (SPE_UNLIKELY_(!value || value >= m->id_count || !m->ids[value].type))
        return spe_error_(m, SPE_ERR_NO_VALUE, "%s: operand %u is no value", fn, value);
    r = &m->ids[value];
    if (SPE_UNLIKELY_(r->depth >= scopes->count || scopes->data[r->depth] != r->serial))
        return spe_error_(m, SPE_ERR_SCOPE, "%s: value %u was made in a region that is closed; carry it out", fn,
                          value);
    if (SPE_UNLIKELY_(m->in_prologue && r->depth > 1))
        return spe_error_(m, SPE_ERR_PROLOGUE, "%s: value %u is made in the body; the prologue comes before it", fn,
                          value);
    if (r->flags & SPE_ID_GLOBAL_) spe_use_(m, value);
    return r->type;
}

/* The OpString of a text, made once. */
spe_id spe_string_(spe_module *m, const char *text)
{
    const spe_buffer_ *b = &m->buffer[SPE_SECTION_STRING_];
    uint32_t words = spe_text_words_(text), *copy = (uint32_t *)spe_alloc(m, words * sizeof *copy), *at;
    spe_id id;
    size_t i;
    if (!copy) return 0;
    spe_put_text_(copy, text);
    for (i = 0; i < b->count; i += b->data[i] >> 16) {
        if (b->data[i] == ((words + 2) << 16 | SPE_OpString) && !memcmp(b->data + i + 2, copy, words * sizeof *copy))
            return b->data[i + 1];
    }
    id = spe_new_id_(m, 0, 0, 0);
    at = id ? spe_put_(m, SPE_SECTION_STRING_, SPE_OpString, words + 1) : NULL;
    if (!at) return 0;
    at[0] = id;
    memcpy(at + 1, copy, words * sizeof *copy);
    return id;
}

/* OpLine where the place has changed since the last one of this block. */
static void spe_line_(spe_module *m)
{
    uint32_t *at;
    if (!m->file || (m->line_line == m->line && m->line_file == m->file)) return;
    if (m->string_file != m->file) {
        m->string_id = spe_string_(m, m->file);
        m->string_file = m->file;
    }
    at = spe_put_(m, SPE_BUFFER_BODY_, SPE_OpLine, 3);
    if (!at) return;
    at[0] = m->string_id;
    at[1] = (uint32_t)m->line;
    at[2] = 0;
    m->line_file = m->file;
    m->line_line = m->line;
}

/* Opens a block in the body. */
void spe_label_(spe_module *m, spe_id label, bool dead)
{
    uint32_t *at = spe_put_(m, SPE_BUFFER_BODY_, SPE_OpLabel, 1);
    if (at) at[0] = label;
    m->block = label;
    m->dead = dead;
    m->line_file = NULL;
}

/* After a return there is no block; what follows goes to one that nothing leads to. False outside a function. */
bool spe_ready_(spe_module *m)
{
    if (m->error.id) return false;
    if (SPE_UNLIKELY_(!m->open))
        return spe_error_(m, SPE_ERR_NO_FUNCTION, "an instruction outside of a function"), false;
    if (SPE_UNLIKELY_(!m->block) && !m->in_prologue) {
        spe_id label = spe_new_id_(m, 0, 0, 0);
        if (label) spe_label_(m, label, true);
    }
    return true;
}

/* Writes an instruction; type 0: one without a result. Operands are taken as they stand. */
spe_id spe_emit_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands)
{
    uint32_t *at, i;
    spe_id id = 0;
    if (!spe_ready_(m)) return 0;
    spe_need_op_(m, op, type, n, operands);
    if (m->options.lines && !m->in_prologue) spe_line_(m);
    at = spe_put_(m, m->in_prologue ? SPE_BUFFER_PROLOGUE_ : SPE_BUFFER_BODY_, op, n + (type ? 2 : 0));
    if (!at) return 0;
    if (type) {
        id = spe_new_id_(m, type, 0, spe_depth_(m));
        *at++ = type;
        *at++ = id;
    }
    for (i = 0; i < n; i++) at[i] = operands[i];
    return id;
}

/* Operands of a generic instruction that name global variables or functions are noted as used. */
static void spe_note_words_(spe_module *m, uint32_t n, const uint32_t *words)
{
    uint32_t i;
    for (i = 0; i < n && !m->error.id; i++) {
        /* words may be literals, and 0 is no id */
        if (words[i] && words[i] < m->id_count && (m->ids[words[i]].flags & (SPE_ID_GLOBAL_ | SPE_ID_FUNCTION_)))
            spe_use_(m, words[i]);
    }
}

spe_id spe_op(spe_module *m, uint32_t opcode, spe_id result_type, uint32_t n, const uint32_t *words)
{
    if (!spe_want_type_(m, "spe_op", result_type)) return 0;
    spe_note_words_(m, n, words);
    return spe_emit_(m, opcode, result_type, n, words);
}

void spe_op_void(spe_module *m, uint32_t opcode, uint32_t n, const uint32_t *words)
{
    if (opcode >= SPE_OpPhi && opcode <= SPE_OpUnreachable) {
        spe_error_(m, SPE_ERR_REGION_CROSSED, "spe_op_void: opcode %u is control flow; use spe_if and the like",
                   opcode);
        return;
    }
    spe_note_words_(m, n, words);
    spe_emit_(m, opcode, 0, n, words);
}

/* -- what arithmetic takes --------------------------------------------------------------------------------------- */

/* Is the scalar of `type` of one of the kinds? */
bool spe_takes_(spe_module *m, const char *fn, uint32_t kinds, spe_id type)
{
    const spe_type_info *s = spe_info_(m, spe_scalar_of(m, type));
    char text[80];
    if (s && (kinds >> s->kind & 1) && (s->encoding == SPE_IEEE || (kinds & SPE_TAKES_SMALL_))) return true;
    spe_error_(m, SPE_ERR_TYPE, "%s: takes%s%s%s%s, not %s", fn, kinds & SPE_TAKES_INT_ ? " integers" : "",
               kinds & SPE_TAKES_FLOAT_ ? " floats" : "", kinds & SPE_TAKES_BOOL_ ? " bools" : "",
               kinds & SPE_TAKES_PTR_ ? " pointers" : "", spe_type_text(m, type, text, sizeof text));
    return false;
}

/* The same, and is it a scalar: an index, a size, a predicate? */
bool spe_takes_one_(spe_module *m, const char *fn, uint32_t kinds, spe_id type)
{
    char text[80];
    if (!spe_takes_(m, fn, kinds, type)) return false;
    if (spe_count(m, type) == 1) return true;
    spe_error_(m, SPE_ERR_TYPE, "%s: takes a scalar, not %s", fn, spe_type_text(m, type, text, sizeof text));
    return false;
}

spe_id spe_disagree_(spe_module *m, const char *fn, spe_id a, spe_id b)
{
    char ta[80], tb[80];
    return spe_error_(m, SPE_ERR_TYPE, "%s: operand types disagree: %s and %s", fn, spe_type_text(m, a, ta, sizeof ta),
                      spe_type_text(m, b, tb, sizeof tb));
}

/* The common type of two operands, 0 and an error when they have none. */
spe_id spe_operands_(spe_module *m, const char *fn, uint32_t kinds, spe_id a, spe_id b)
{
    spe_id ta = spe_operand_(m, fn, a), tb = spe_operand_(m, fn, b);
    if (!ta || !tb) return 0;
    if (ta != tb) return spe_disagree_(m, fn, ta, tb);
    return spe_takes_(m, fn, kinds, ta) ? ta : 0;
}

int64_t spe_signed_(uint64_t x, uint32_t bits)
{
    uint64_t sign = (uint64_t)1 << (bits - 1);
    return (int64_t)(((x & spe_mask_(bits)) ^ sign) - sign);
}

/* Two scalar integers at build time; false where the result is not defined or the operation not known. */
static bool spe_fold_(uint32_t op, uint32_t bits, uint64_t a, uint64_t b, uint64_t *out)
{
    int64_t sa = spe_signed_(a, bits), sb = spe_signed_(b, bits);
    switch (op) {
    case SPE_OpIAdd: *out = a + b; return true;
    case SPE_OpISub: *out = a - b; return true;
    case SPE_OpIMul: *out = a * b; return true;
    case SPE_OpUDiv: *out = b ? a / b : 0; return b != 0;
    case SPE_OpUMod: *out = b ? a % b : 0; return b != 0;
    case SPE_OpSDiv: *out = sb > 0 ? (uint64_t)(sa / sb) : 0; return sb > 0;
    case SPE_OpSRem: *out = sb > 0 ? (uint64_t)(sa % sb) : 0; return sb > 0;
    case SPE_OpSMod: *out = sb > 0 ? (uint64_t)((sa % sb + sb) % sb) : 0; return sb > 0 && sb < INT64_MAX / 2;
    case SPE_OpBitwiseAnd: *out = a & b; return true;
    case SPE_OpBitwiseOr: *out = a | b; return true;
    case SPE_OpBitwiseXor: *out = a ^ b; return true;
    case SPE_OpShiftLeftLogical: *out = b < bits ? a << b : 0; return b < bits;
    case SPE_OpShiftRightLogical: *out = b < bits ? a >> b : 0; return b < bits;
    case SPE_OpShiftRightArithmetic:
        *out = b < bits ? (sa < 0 ? ~(~(uint64_t)sa >> b) : (uint64_t)sa >> b) : 0;
        return b < bits;
    case SPE_OpIEqual: *out = a == b; return true;
    case SPE_OpINotEqual: *out = a != b; return true;
    case SPE_OpULessThan: *out = a < b; return true;
    case SPE_OpULessThanEqual: *out = a <= b; return true;
    case SPE_OpUGreaterThan: *out = a > b; return true;
    case SPE_OpUGreaterThanEqual: *out = a >= b; return true;
    case SPE_OpSLessThan: *out = sa < sb; return true;
    case SPE_OpSLessThanEqual: *out = sa <= sb; return true;
    case SPE_OpSGreaterThan: *out = sa > sb; return true;
    case SPE_OpSGreaterThanEqual: *out = sa >= sb; return true;
    default: return false;
    }
}

/* x + 0, x * 1 and the like are x. 0 when there is nothing to save. */
static spe_id spe_identity_(spe_module *m, uint32_t op, spe_id a, spe_id b)
{
    uint64_t k;
    bool left = op == SPE_OpIAdd || op == SPE_OpIMul || op == SPE_OpBitwiseOr || op == SPE_OpBitwiseXor;
    uint64_t neutral = op == SPE_OpIMul || op == SPE_OpUDiv || op == SPE_OpSDiv ? 1 : 0;
    if (op == SPE_OpUMod || op == SPE_OpSRem || op == SPE_OpSMod || op == SPE_OpBitwiseAnd) return 0;
    if (spe_const_bits(m, b, &k)) return k == neutral ? a : op == SPE_OpIMul && !k ? b : 0;
    if (left && spe_const_bits(m, a, &k)) return k == neutral ? b : op == SPE_OpIMul && !k ? a : 0;
    return 0;
}

static spe_id spe_binary_(spe_module *m, const char *fn, uint32_t op, uint32_t kinds, spe_id a, spe_id b)
{
    spe_id type = spe_operands_(m, fn, kinds, a, b), same;
    const spe_type_info *t;
    uint64_t x, y, z;
    uint32_t w[2];
    if (!type) return 0;
    t = spe_info_(m, type);
    if (t->kind == SPE_KIND_INT) {
        if (spe_const_bits(m, a, &x) && spe_const_bits(m, b, &y) && spe_fold_(op, t->bits, x, y, &z))
            return spe_const_scalar_(m, type, z & spe_mask_(t->bits));
        same = spe_identity_(m, op, a, b);
        if (same) return same;
    }
    w[0] = a;
    w[1] = b;
    return spe_emit_(m, op, type, 2, w);
}

/* bool, or as many bools as `type` has components. */
static spe_id spe_bool_like_(spe_module *m, spe_id type)
{
    uint32_t n = spe_count(m, type);
    return spe_vec(m, spe_bool(m), n ? n : 1);
}

/* Cooperative matrices and vectors have no bools like them. */
static spe_id spe_incomparable_(spe_module *m, const char *fn, spe_id type)
{
    char text[80];
    return spe_error_(m, SPE_ERR_TYPE, "%s: takes scalars and vectors, not %s", fn,
                      spe_type_text(m, type, text, sizeof text));
}

static spe_id spe_compare_(spe_module *m, const char *fn, uint32_t op, uint32_t kinds, spe_id a, spe_id b)
{
    spe_id type = spe_operands_(m, fn, kinds, a, b);
    const spe_type_info *t;
    uint64_t x, y, z;
    uint32_t w[2];
    if (!type) return 0;
    t = spe_info_(m, type);
    if (t->kind == SPE_KIND_INT && spe_const_bits(m, a, &x) && spe_const_bits(m, b, &y) &&
        spe_fold_(op, t->bits, x, y, &z))
        return spe_const_bool(m, z != 0);
    if (!spe_count(m, type)) return spe_incomparable_(m, fn, type);
    w[0] = a;
    w[1] = b;
    return spe_emit_(m, op, spe_bool_like_(m, type), 2, w);
}

static spe_id spe_unary_(spe_module *m, const char *fn, uint32_t op, uint32_t kinds, spe_id a)
{
    spe_id type = spe_operand_(m, fn, a);
    uint64_t x;
    uint32_t bits;
    if (!type || !spe_takes_(m, fn, kinds, type)) return 0;
    bits = spe_info_(m, type)->bits;
    if (bits && spe_const_bits(m, a, &x)) {
        if (op == SPE_OpSNegate) return spe_const_scalar_(m, type, (0 - x) & spe_mask_(bits));
        if (op == SPE_OpNot || op == SPE_OpLogicalNot) return spe_const_scalar_(m, type, ~x & spe_mask_(bits));
    }
    return spe_emit_(m, op, type, 1, &a);
}

#define SPE_BINARY_(name, op, kind)                                                                                    \
    spe_id name(spe_module *m, spe_id a, spe_id b)                                                                     \
    {                                                                                                                  \
        return spe_binary_(m, #name, SPE_Op##op, SPE_TAKES_##kind##_, a, b);                                           \
    }
#define SPE_UNARY_(name, op, kind)                                                                                     \
    spe_id name(spe_module *m, spe_id a)                                                                               \
    {                                                                                                                  \
        return spe_unary_(m, #name, SPE_Op##op, SPE_TAKES_##kind##_, a);                                               \
    }
#define SPE_COMPARE_(name, op, kind)                                                                                   \
    spe_id name(spe_module *m, spe_id a, spe_id b)                                                                     \
    {                                                                                                                  \
        return spe_compare_(m, #name, SPE_Op##op, SPE_TAKES_##kind##_, a, b);                                          \
    }
SPE_BINARY_LIST_(SPE_BINARY_)
SPE_UNARY_LIST_(SPE_UNARY_)
SPE_COMPARE_LIST_(SPE_COMPARE_)

static bool spe_is_float_(const spe_module *m, spe_id value)
{
    const spe_type_info *t = spe_info_(m, spe_scalar_of(m, spe_type_of(m, value)));
    return t && t->kind == SPE_KIND_FLOAT;
}

spe_id spe_add(spe_module *m, spe_id a, spe_id b)
{
    return spe_is_float_(m, a) ? spe_fadd(m, a, b) : spe_iadd(m, a, b);
}
spe_id spe_sub(spe_module *m, spe_id a, spe_id b)
{
    return spe_is_float_(m, a) ? spe_fsub(m, a, b) : spe_isub(m, a, b);
}
spe_id spe_mul(spe_module *m, spe_id a, spe_id b)
{
    return spe_is_float_(m, a) ? spe_fmul(m, a, b) : spe_imul(m, a, b);
}
spe_id spe_div_s(spe_module *m, spe_id a, spe_id b)
{
    return spe_is_float_(m, a) ? spe_fdiv(m, a, b) : spe_sdiv(m, a, b);
}
spe_id spe_div_u(spe_module *m, spe_id a, spe_id b)
{
    return spe_is_float_(m, a) ? spe_fdiv(m, a, b) : spe_udiv(m, a, b);
}
spe_id spe_neg(spe_module *m, spe_id a) { return spe_is_float_(m, a) ? spe_fneg(m, a) : spe_ineg(m, a); }

static spe_id spe_float_test_(spe_module *m, const char *fn, uint32_t op, spe_id a)
{
    spe_id type = spe_operand_(m, fn, a);
    if (!type || !spe_takes_(m, fn, SPE_TAKES_FLOAT_, type)) return 0;
    if (!spe_count(m, type)) return spe_incomparable_(m, fn, type);
    return spe_emit_(m, op, spe_bool_like_(m, type), 1, &a);
}
spe_id spe_isnan(spe_module *m, spe_id a) { return spe_float_test_(m, "spe_isnan", SPE_OpIsNan, a); }
spe_id spe_isinf(spe_module *m, spe_id a) { return spe_float_test_(m, "spe_isinf", SPE_OpIsInf, a); }

/* Any or all of a vector of bools. */
static spe_id spe_bools_(spe_module *m, const char *fn, uint32_t op, spe_id a)
{
    spe_id type = spe_operand_(m, fn, a);
    if (!type || !spe_takes_(m, fn, SPE_TAKES_BOOL_, type)) return 0;
    return spe_count(m, type) == 1 ? a : spe_emit_(m, op, spe_bool(m), 1, &a);
}
spe_id spe_any(spe_module *m, spe_id a) { return spe_bools_(m, "spe_any", SPE_OpAny, a); }
spe_id spe_all(spe_module *m, spe_id a) { return spe_bools_(m, "spe_all", SPE_OpAll, a); }

spe_id spe_select(spe_module *m, spe_id c, spe_id a, spe_id b)
{
    spe_id tc = spe_operand_(m, "spe_select", c), ta = spe_operand_(m, "spe_select", a);
    spe_id tb = spe_operand_(m, "spe_select", b);
    uint32_t w[3], n;
    uint64_t bits;
    if (!tc || !ta || !tb || !spe_takes_(m, "spe_select", SPE_TAKES_BOOL_, tc)) return 0;
    if (ta != tb) return spe_disagree_(m, "spe_select", ta, tb);
    if (a == b) return a;
    if (spe_const_bits(m, c, &bits)) return bits ? a : b;
    n = spe_count(m, ta);
    if (spe_count(m, tc) == 1 && n > 1) {
        spe_id few[16], *part = spe_repeat_(m, c, n, few);
        c = part ? spe_emit_(m, SPE_OpCompositeConstruct, spe_bool_like_(m, ta), n, part) : 0;
    } else if (spe_count(m, tc) != (n ? n : 1)) {
        return spe_disagree_(m, "spe_select", tc, ta);
    }
    w[0] = c;
    w[1] = a;
    w[2] = b;
    return c ? spe_emit_(m, SPE_OpSelect, ta, 3, w) : 0;
}

spe_id spe_dot(spe_module *m, spe_id a, spe_id b)
{
    spe_id type = spe_operands_(m, "spe_dot", SPE_TAKES_FLOAT_ | SPE_TAKES_SMALL_, a, b);
    uint32_t w[2];
    if (!type) return 0;
    if (spe_count(m, type) == 1) return spe_fmul(m, a, b);
    if (!spe_count(m, type)) return spe_disagree_(m, "spe_dot", type, type);
    w[0] = a;
    w[1] = b;
    return spe_emit_(m, SPE_OpDot, spe_scalar_of(m, type), 2, w);
}

static bool spe_bit_range_(spe_module *m, const char *fn, spe_id offset, spe_id count)
{
    spe_id to = spe_operand_(m, fn, offset), tc = spe_operand_(m, fn, count);
    return to && tc && spe_takes_one_(m, fn, SPE_TAKES_INT_, to) && spe_takes_one_(m, fn, SPE_TAKES_INT_, tc);
}

spe_id spe_bits_extract(spe_module *m, spe_id v, spe_id offset, spe_id count, bool is_signed)
{
    spe_id type = spe_operand_(m, "spe_bits_extract", v);
    uint32_t w[3];
    if (!type || !spe_takes_(m, "spe_bits_extract", SPE_TAKES_INT_, type)) return 0;
    if (!spe_bit_range_(m, "spe_bits_extract", offset, count)) return 0;
    w[0] = v;
    w[1] = offset;
    w[2] = count;
    return spe_emit_(m, is_signed ? SPE_OpBitFieldSExtract : SPE_OpBitFieldUExtract, type, 3, w);
}
spe_id spe_bits_insert(spe_module *m, spe_id base, spe_id v, spe_id offset, spe_id count)
{
    spe_id type = spe_operands_(m, "spe_bits_insert", SPE_TAKES_INT_, base, v);
    uint32_t w[4];
    if (!type) return 0;
    if (!spe_bit_range_(m, "spe_bits_insert", offset, count)) return 0;
    w[0] = base;
    w[1] = v;
    w[2] = offset;
    w[3] = count;
    return spe_emit_(m, SPE_OpBitFieldInsert, type, 4, w);
}

/* -- conversions ------------------------------------------------------------------------------------------------- */

/* As many components, arranged alike? */
static bool spe_same_shape_(const spe_type_info *a, const spe_type_info *b)
{
    if (a->kind == SPE_KIND_COOPMAT && b->kind == SPE_KIND_COOPMAT)
        return a->rows == b->rows && a->cols == b->cols && a->use == b->use && a->scope == b->scope;
    if (a->bits && b->bits) return true;
    return a->kind == b->kind && a->count == b->count;
}

static spe_id spe_convert_(spe_module *m, const char *fn, uint32_t op, uint32_t from, uint32_t to, spe_id type,
                                  spe_id v)
{
    spe_id tv = spe_operand_(m, fn, v);
    const spe_type_info *source, *target;
    uint64_t x;
    if (!tv || !spe_want_type_(m, fn, type)) return 0;
    if (!spe_takes_(m, fn, from, tv) || !spe_takes_(m, fn, to, type)) return 0;
    target = spe_info_(m, type);
    source = spe_info_(m, tv);
    if (!spe_same_shape_(source, target)) return spe_disagree_(m, fn, tv, type);
    if (tv == type) return v;
    if ((op == SPE_OpUConvert || op == SPE_OpSConvert) && source->bits && spe_const_bits(m, v, &x)) {
        if (op == SPE_OpSConvert) x = (uint64_t)spe_signed_(x, source->bits);
        return spe_const_scalar_(m, type, x & spe_mask_(target->bits));
    }
    return spe_emit_(m, op, type, 1, &v);
}

#define SPE_CONVERT_(name, op, from, to)                                                                               \
    spe_id name(spe_module *m, spe_id type, spe_id v)                                                                  \
    {                                                                                                                  \
        return spe_convert_ptr_(m, #name, SPE_Op##op, SPE_TAKES_##from##_ | SPE_TAKES_SMALL_,                          \
                                SPE_TAKES_##to##_ | SPE_TAKES_SMALL_, type, v);                                        \
    }
/* Pointers have no components: they and scalars only. */
static spe_id spe_convert_ptr_(spe_module *m, const char *fn, uint32_t op, uint32_t from, uint32_t to,
                                      spe_id type, spe_id v)
{
    if (op == SPE_OpConvertPtrToU || op == SPE_OpConvertUToPtr) {
        spe_id tv = spe_operand_(m, fn, v);
        if (!tv || !spe_want_type_(m, fn, type)) return 0;
        if (!spe_takes_(m, fn, from, tv) || !spe_takes_(m, fn, to, type)) return 0;
        if (spe_count(m, tv) > 1 || spe_count(m, type) > 1) return spe_disagree_(m, fn, tv, type);
        return spe_emit_(m, op, type, 1, &v);
    }
    return spe_convert_(m, fn, op, from, to, type, v);
}
SPE_CONVERT_LIST_(SPE_CONVERT_)

spe_id spe_fconvert_saturating(spe_module *m, spe_id type, spe_id v)
{
    const spe_type_info *s = spe_info_(m, spe_scalar_of(m, type));
    spe_id id;
    char text[80];
    if (m->error.id) return 0;
    if (!s || (s->encoding != SPE_E4M3 && s->encoding != SPE_E5M2))
        return spe_error_(m, SPE_ERR_TYPE, "spe_fconvert_saturating: to e4m3 or e5m2, not %s",
                          spe_type_text(m, type, text, sizeof text));
    id = spe_fconvert(m, type, v);
    if (id && id != v) spe_decorate(m, id, SPE_DecorationSaturatedToLargestFloat8NormalConversionEXT, 0, NULL);
    return id;
}

/* The size in bits of a scalar, vector or (64-bit) pointer, 0 for the rest. */
static uint32_t spe_total_bits_(const spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    if (!t || t->kind == SPE_KIND_BOOL) return 0;
    if (t->kind == SPE_KIND_POINTER) return 64;
    return spe_width(m, type) * spe_count(m, type);
}

spe_id spe_bitcast(spe_module *m, spe_id type, spe_id v)
{
    spe_id tv = spe_operand_(m, "spe_bitcast", v);
    const spe_type_info *a, *b;
    uint64_t x;
    if (!tv || !spe_want_type_(m, "spe_bitcast", type)) return 0;
    a = spe_info_(m, tv);
    b = spe_info_(m, type);
    if (tv == type) return v;
    if (!spe_total_bits_(m, tv) || spe_total_bits_(m, tv) != spe_total_bits_(m, type) ||
        (a->kind == SPE_KIND_POINTER) != (b->kind == SPE_KIND_POINTER) || a->storage != b->storage)
        return spe_disagree_(m, "spe_bitcast", tv, type);
    if (a->bits && b->bits && spe_const_bits(m, v, &x)) return spe_const_scalar_(m, type, x);
    return spe_emit_(m, SPE_OpBitcast, type, 1, &v);
}

spe_id spe_ptr_cast(spe_module *m, spe_id ptr, spe_id elem)
{
    spe_id type = spe_operand_(m, "spe_ptr_cast", ptr);
    if (!type || !spe_takes_(m, "spe_ptr_cast", SPE_TAKES_PTR_, type)) return 0;
    return spe_bitcast(m, spe_ptr(m, spe_info_(m, type)->storage, elem), ptr);
}

spe_id spe_ptr_to_generic(spe_module *m, spe_id ptr)
{
    spe_id type = spe_operand_(m, "spe_ptr_to_generic", ptr);
    if (!type || !spe_takes_(m, "spe_ptr_to_generic", SPE_TAKES_PTR_, type)) return 0;
    return spe_emit_(m, SPE_OpPtrCastToGeneric, spe_ptr(m, SPE_StorageClassGeneric, spe_info_(m, type)->elem), 1, &ptr);
}

spe_id spe_cast(spe_module *m, spe_id type, spe_id v, bool is_signed)
{
    spe_id tv = spe_operand_(m, "spe_cast", v);
    const spe_type_info *a, *b;
    if (!tv || !spe_want_type_(m, "spe_cast", type)) return 0;
    a = spe_info_(m, spe_scalar_of(m, tv));
    b = spe_info_(m, spe_scalar_of(m, type));
    if (tv == type) return v;
    if (!a->bits || !b->bits || spe_count(m, tv) != spe_count(m, type)) return spe_disagree_(m, "spe_cast", tv, type);
    if (a->kind == SPE_KIND_BOOL) return spe_select(m, v, spe_const_u(m, type, 1), spe_const_u(m, type, 0));
    if (b->kind == SPE_KIND_BOOL) {
        spe_id zero = spe_const_u(m, tv, 0);
        return a->kind == SPE_KIND_INT ? spe_ine(m, v, zero) : spe_fune(m, v, zero);
    }
    if (a->kind == SPE_KIND_FLOAT && b->kind == SPE_KIND_FLOAT) return spe_fconvert(m, type, v);
    if (a->kind == SPE_KIND_FLOAT) return is_signed ? spe_f_to_s(m, type, v) : spe_f_to_u(m, type, v);
    if (b->kind == SPE_KIND_FLOAT) return is_signed ? spe_s_to_f(m, type, v) : spe_u_to_f(m, type, v);
    return is_signed ? spe_sconvert(m, type, v) : spe_uconvert(m, type, v);
}

spe_id spe_like_(spe_module *m, spe_id scalar, spe_id type) /* as many scalars as type has components */
{
    return spe_vec(m, scalar, spe_count(m, type));
}

static spe_id spe_special_convert_(spe_module *m, const char *fn, uint32_t op, uint32_t kinds, uint32_t bits,
                                          spe_id scalar, spe_id v)
{
    spe_id type = spe_operand_(m, fn, v);
    char text[80];
    if (!type || !spe_takes_(m, fn, kinds, type)) return 0;
    if (spe_width(m, type) != bits || !spe_count(m, type))
        return spe_error_(m, SPE_ERR_TYPE, "%s: takes components of %u bits, not %s", fn, bits,
                          spe_type_text(m, type, text, sizeof text));
    return spe_emit_(m, op, spe_like_(m, scalar, type), 1, &v);
}

spe_id spe_bf16_to_f32(spe_module *m, spe_id v)
{
    return spe_special_convert_(m, "spe_bf16_to_f32", SPE_OpConvertBF16ToFINTEL, SPE_TAKES_INT_, 16, spe_float(m, 32),
                                v);
}
spe_id spe_f32_to_bf16(spe_module *m, spe_id v)
{
    return spe_special_convert_(m, "spe_f32_to_bf16", SPE_OpConvertFToBF16INTEL, SPE_TAKES_FLOAT_, 32, spe_int(m, 16),
                                v);
}
spe_id spe_round_tf32(spe_module *m, spe_id v)
{
    return spe_special_convert_(m, "spe_round_tf32", SPE_OpRoundFToTF32INTEL, SPE_TAKES_FLOAT_, 32, spe_float(m, 32),
                                v);
}

/* -- composites -------------------------------------------------------------------------------------------------- */

/* The type of part i of a vector, array or struct; 0 and an error when there is none. */
static spe_id spe_part_type_(spe_module *m, const char *fn, spe_id type, uint32_t i)
{
    const spe_type_info *t = spe_info_(m, type);
    char text[80];
    if (t->kind == SPE_KIND_COOPMAT) return t->elem;
    if (i >= spe_part_count_(t))
        return spe_error_(m, SPE_ERR_RANGE, "%s: there is no part %u of %s", fn, i,
                          spe_type_text(m, type, text, sizeof text));
    return t->kind == SPE_KIND_STRUCT ? t->members[i] : t->elem;
}

spe_id spe_extract(spe_module *m, spe_id v, uint32_t i)
{
    spe_id type = spe_operand_(m, "spe_extract", v), part;
    uint32_t w[2];
    if (!type) return 0;
    if (spe_info_(m, type)->bits && !i) return v;
    part = spe_part_type_(m, "spe_extract", type, i);
    w[0] = v;
    w[1] = i;
    return part ? spe_emit_(m, SPE_OpCompositeExtract, part, 2, w) : 0;
}

spe_id spe_insert(spe_module *m, spe_id composite, spe_id v, uint32_t i)
{
    spe_id type = spe_operand_(m, "spe_insert", composite), tv = spe_operand_(m, "spe_insert", v), part;
    uint32_t w[3];
    if (!type || !tv) return 0;
    if (spe_info_(m, type)->bits && !i && type == tv) return v;
    part = spe_part_type_(m, "spe_insert", type, i);
    if (!part) return 0;
    if (part != tv) return spe_disagree_(m, "spe_insert", part, tv);
    w[0] = v;
    w[1] = composite;
    w[2] = i;
    return spe_emit_(m, SPE_OpCompositeInsert, type, 3, w);
}

spe_id spe_construct(spe_module *m, spe_id type, uint32_t n, const spe_id *parts)
{
    const spe_type_info *t = spe_want_type_(m, "spe_construct", type);
    uint32_t i;
    bool constant = true;
    char text[80];
    if (!t) return 0;
    if (t->bits && n == 1 && spe_type_of(m, parts[0]) == type)
        return spe_operand_(m, "spe_construct", parts[0]) ? parts[0] : 0;
    if (!n || n != spe_part_count_(t))
        return spe_error_(m, SPE_ERR_TYPE, "spe_construct: %u parts for %s", n,
                          spe_type_text(m, type, text, sizeof text));
    for (i = 0; i < n; i++) {
        spe_id tp = spe_operand_(m, "spe_construct", parts[i]), want = spe_part_type_(m, "spe_construct", type, i);
        if (!tp || !want) return 0;
        if (tp != want) return spe_disagree_(m, "spe_construct", want, tp);
        constant = constant && (m->ids[parts[i]].flags & SPE_ID_CONSTANT_);
    }
    if (constant) return spe_composite_const(m, type, n, parts);
    return spe_emit_(m, SPE_OpCompositeConstruct, type, n, parts);
}

spe_id spe_splat(spe_module *m, spe_id type, spe_id scalar)
{
    const spe_type_info *t = spe_want_type_(m, "spe_splat", type);
    spe_id few[16], *part;
    uint32_t n = t && !t->bits ? spe_part_count_(t) : 1;
    part = t ? spe_repeat_(m, scalar, n, few) : NULL;
    return part ? spe_construct(m, type, n, part) : 0;
}

spe_id spe_shuffle(spe_module *m, spe_id a, spe_id b, uint32_t n, const uint32_t *idx)
{
    spe_id ta = spe_operand_(m, "spe_shuffle", a), tb = spe_operand_(m, "spe_shuffle", b), type;
    uint32_t few[18], *w, i, na, nb;
    if (!ta || !tb) return 0;
    if (spe_scalar_of(m, ta) != spe_scalar_of(m, tb)) return spe_disagree_(m, "spe_shuffle", ta, tb);
    na = spe_count(m, ta);
    nb = spe_count(m, tb);
    if (n == 1 && idx[0] < na + nb) return idx[0] < na ? spe_extract(m, a, idx[0]) : spe_extract(m, b, idx[0] - na);
    if (na < 2 || nb < 2) return spe_disagree_(m, "spe_shuffle", ta, tb);
    type = spe_vec(m, spe_scalar_of(m, ta), n);
    w = type && n > 16 ? (uint32_t *)spe_alloc(m, (n + 2) * sizeof *w) : few;
    if (!type || !w) return 0;
    w[0] = a;
    w[1] = b;
    for (i = 0; i < n; i++) {
        if (idx[i] >= na + nb && idx[i] != 0xffffffffu)
            return spe_error_(m, SPE_ERR_RANGE, "spe_shuffle: index %u of %u components", idx[i], na + nb);
        w[i + 2] = idx[i];
    }
    return spe_emit_(m, SPE_OpVectorShuffle, type, n + 2, w);
}

spe_id spe_extract_dyn(spe_module *m, spe_id v, spe_id i)
{
    spe_id type = spe_operand_(m, "spe_extract_dyn", v), ti = spe_operand_(m, "spe_extract_dyn", i);
    uint32_t w[2];
    uint64_t k;
    if (!type || !ti || !spe_takes_one_(m, "spe_extract_dyn", SPE_TAKES_INT_, ti)) return 0;
    if (spe_const_bits(m, i, &k) && k < 16) return spe_extract(m, v, (uint32_t)k);
    if (spe_count(m, type) < 2) return spe_disagree_(m, "spe_extract_dyn", type, ti);
    w[0] = v;
    w[1] = i;
    return spe_emit_(m, SPE_OpVectorExtractDynamic, spe_scalar_of(m, type), 2, w);
}
spe_id spe_insert_dyn(spe_module *m, spe_id v, spe_id scalar, spe_id i)
{
    spe_id type = spe_operand_(m, "spe_insert_dyn", v), ts = spe_operand_(m, "spe_insert_dyn", scalar);
    spe_id ti = spe_operand_(m, "spe_insert_dyn", i);
    uint32_t w[3];
    uint64_t k;
    if (!type || !ts || !ti || !spe_takes_one_(m, "spe_insert_dyn", SPE_TAKES_INT_, ti)) return 0;
    if (spe_const_bits(m, i, &k) && k < 16) return spe_insert(m, v, scalar, (uint32_t)k);
    if (spe_count(m, type) < 2 || spe_scalar_of(m, type) != ts) return spe_disagree_(m, "spe_insert_dyn", type, ts);
    w[0] = v;
    w[1] = scalar;
    w[2] = i;
    return spe_emit_(m, SPE_OpVectorInsertDynamic, type, 3, w);
}

/* -- memory ------------------------------------------------------------------------------------------------------ */

uint32_t spe_alignment(const spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_info_(m, type);
    uint32_t i, largest = 0, room = 1;
    if (!t) return 0;
    switch (t->kind) {
    case SPE_KIND_INT:
    case SPE_KIND_FLOAT: return t->bits / 8;
    case SPE_KIND_POINTER: return 8;
    case SPE_KIND_VECTOR:
        while (room < t->count) room *= 2;
        return spe_alignment(m, t->elem) * room;
    case SPE_KIND_ARRAY: return spe_alignment(m, t->elem);
    case SPE_KIND_STRUCT:
        for (i = 0; i < t->count; i++) {
            uint32_t a = spe_alignment(m, t->members[i]);
            if (a > largest) largest = a;
        }
        return largest;
    default: return 0;
    }
}

/* What a pointer operand points to; 0 and an error when it is no pointer. */
spe_id spe_pointee_(spe_module *m, const char *fn, spe_id ptr)
{
    spe_id type = spe_operand_(m, fn, ptr);
    if (!type || !spe_takes_(m, fn, SPE_TAKES_PTR_, type)) return 0;
    return spe_info_(m, type)->elem;
}

/* Memory operands: volatile, alignment (0: the type's own). Returns how many words they are. */
static uint32_t spe_access_(spe_module *m, const char *fn, spe_id type, uint32_t align, bool is_volatile,
                                   uint32_t *w)
{
    uint32_t n = 0;
    if (align & (align - 1)) {
        spe_error_(m, SPE_ERR_RANGE, "%s: alignment %u is no power of two", fn, align);
        return 0;
    }
    if (!align) align = spe_alignment(m, type);
    if (!align && !is_volatile) return 0;
    w[n++] = (is_volatile ? (uint32_t)SPE_MemoryAccessVolatile : 0) | (align ? (uint32_t)SPE_MemoryAccessAligned : 0);
    if (align) w[n++] = align;
    return n;
}

static spe_id spe_load_(spe_module *m, const char *fn, spe_id ptr, uint32_t align, bool is_volatile)
{
    spe_id type = spe_pointee_(m, fn, ptr);
    uint32_t w[3], n;
    if (!type) return 0;
    w[0] = ptr;
    n = spe_access_(m, fn, type, align, is_volatile, w + 1);
    return spe_emit_(m, SPE_OpLoad, type, n + 1, w);
}

static void spe_store_(spe_module *m, const char *fn, spe_id ptr, spe_id v, uint32_t align, bool is_volatile)
{
    spe_id type = spe_pointee_(m, fn, ptr), tv = spe_operand_(m, fn, v);
    uint32_t w[4], n;
    if (!type || !tv) return;
    if (type != tv) {
        spe_disagree_(m, fn, type, tv);
        return;
    }
    w[0] = ptr;
    w[1] = v;
    n = spe_access_(m, fn, type, align, is_volatile, w + 2);
    spe_emit_(m, SPE_OpStore, 0, n + 2, w);
}

spe_id spe_load(spe_module *m, spe_id ptr, uint32_t align)
{
    return spe_load_(m, "spe_load", ptr, align, false);
}
spe_id spe_load_volatile(spe_module *m, spe_id ptr, uint32_t align)
{
    return spe_load_(m, "spe_load_volatile", ptr, align, true);
}

void spe_store(spe_module *m, spe_id ptr, spe_id v, uint32_t align)
{
    spe_store_(m, "spe_store", ptr, v, align, false);
}
void spe_store_volatile(spe_module *m, spe_id ptr, spe_id v, uint32_t align)
{
    spe_store_(m, "spe_store_volatile", ptr, v, align, true);
}

spe_id spe_index(spe_module *m, spe_id ptr, spe_id i)
{
    spe_id elem = spe_pointee_(m, "spe_index", ptr), ti = spe_operand_(m, "spe_index", i);
    uint32_t w[2];
    uint64_t k;
    if (!elem || !ti || !spe_takes_one_(m, "spe_index", SPE_TAKES_INT_, ti)) return 0;
    if (spe_const_bits(m, i, &k) && !k) return ptr;
    w[0] = ptr;
    w[1] = i;
    return spe_emit_(m, SPE_OpInBoundsPtrAccessChain, spe_type_of(m, ptr), 2, w);
}

spe_id spe_element(spe_module *m, spe_id ptr, uint32_t n, const spe_id *idx)
{
    spe_id type = spe_pointee_(m, "spe_element", ptr);
    uint32_t w[17], i;
    uint64_t k;
    if (!type) return 0;
    if (!n || n > 16) return spe_error_(m, SPE_ERR_RANGE, "spe_element: %u indices; 1 to 16 are taken", n);
    w[0] = ptr;
    for (i = 0; i < n; i++) {
        spe_id ti = spe_operand_(m, "spe_element", idx[i]);
        bool known = spe_const_bits(m, idx[i], &k);
        if (!ti || !spe_takes_one_(m, "spe_element", SPE_TAKES_INT_, ti)) return 0;
        if (!known && spe_info_(m, type)->kind == SPE_KIND_STRUCT)
            return spe_error_(m, SPE_ERR_TYPE, "spe_element: index %u, of a struct, is no constant", i);
        type = spe_part_type_(m, "spe_element", type, known && k <= UINT32_MAX ? (uint32_t)k : known ? UINT32_MAX : 0);
        if (!type) return 0;
        w[i + 1] = idx[i];
    }
    type = spe_ptr(m, spe_info_(m, spe_type_of(m, ptr))->storage, type);
    return type ? spe_emit_(m, SPE_OpInBoundsAccessChain, type, n + 1, w) : 0;
}

void spe_copy_memory_sized(spe_module *m, spe_id to, spe_id from, spe_id size, uint32_t align)
{
    spe_id a = spe_pointee_(m, "spe_copy_memory_sized", to), b = spe_pointee_(m, "spe_copy_memory_sized", from);
    spe_id ts = spe_operand_(m, "spe_copy_memory_sized", size);
    uint32_t w[5], n;
    if (!a || !b || !ts || !spe_takes_one_(m, "spe_copy_memory_sized", SPE_TAKES_INT_, ts)) return;
    w[0] = to;
    w[1] = from;
    w[2] = size;
    n = spe_access_(m, "spe_copy_memory_sized", a, align, false, w + 3);
    spe_emit_(m, SPE_OpCopyMemorySized, 0, n + 3, w);
}

spe_id spe_load_if(spe_module *m, spe_id ptr, spe_id condition, spe_id otherwise, uint32_t align)
{
    spe_id type = spe_pointee_(m, "spe_load_if", ptr), tc = spe_operand_(m, "spe_load_if", condition);
    spe_id to = spe_operand_(m, "spe_load_if", otherwise);
    uint32_t w[5], n;
    if (!type || !tc || !to || !spe_takes_one_(m, "spe_load_if", SPE_TAKES_BOOL_, tc)) return 0;
    if (type != to) return spe_disagree_(m, "spe_load_if", type, to);
    w[0] = ptr;
    w[1] = condition;
    w[2] = otherwise;
    n = spe_access_(m, "spe_load_if", type, align, false, w + 3);
    return spe_emit_(m, SPE_OpPredicatedLoadINTEL, type, n + 3, w);
}
void spe_store_if(spe_module *m, spe_id ptr, spe_id v, spe_id condition, uint32_t align)
{
    spe_id type = spe_pointee_(m, "spe_store_if", ptr), tc = spe_operand_(m, "spe_store_if", condition);
    spe_id tv = spe_operand_(m, "spe_store_if", v);
    uint32_t w[5], n;
    if (!type || !tc || !tv || !spe_takes_one_(m, "spe_store_if", SPE_TAKES_BOOL_, tc)) return;
    if (type != tv) {
        spe_disagree_(m, "spe_store_if", type, tv);
        return;
    }
    w[0] = ptr;
    w[1] = v;
    w[2] = condition;
    n = spe_access_(m, "spe_store_if", type, align, false, w + 3);
    spe_emit_(m, SPE_OpPredicatedStoreINTEL, 0, n + 3, w);
}

/* -- variables --------------------------------------------------------------------------------------------------- */

spe_id spe_local_var(spe_module *m, spe_id type)
{
    spe_id ptr = spe_ptr(m, SPE_StorageClassFunction, type), id;
    uint32_t *at;
    if (!ptr) return 0;
    if (!m->open) return spe_error_(m, SPE_ERR_NO_FUNCTION, "spe_local_var: outside of a function");
    id = spe_new_id_(m, ptr, 0, 1);
    at = id ? spe_put_(m, SPE_BUFFER_VARIABLES_, SPE_OpVariable, 3) : NULL;
    if (!at) return 0;
    at[0] = ptr;
    at[1] = id;
    at[2] = SPE_StorageClassFunction;
    return id;
}

spe_id spe_global_var(spe_module *m, uint32_t storage, spe_id type, spe_id initializer)
{
    spe_id ptr = spe_ptr(m, storage, type), id;
    uint32_t *at;
    if (!ptr) return 0;
    if (m->finished) return spe_error_(m, SPE_ERR_FINISHED, "spe_global_var: the module is finished");
    if (initializer && spe_type_of(m, initializer) != type)
        return spe_disagree_(m, "spe_global_var", type, spe_type_of(m, initializer));
    id = spe_new_id_(m, ptr, SPE_ID_GLOBAL_, 0);
    at = id ? spe_put_(m, SPE_SECTION_GLOBAL_, SPE_OpVariable, initializer ? 4 : 3) : NULL;
    if (!at) return 0;
    at[0] = ptr;
    at[1] = id;
    at[2] = storage;
    if (initializer) at[3] = initializer;
    return id;
}

spe_id spe_shared_var(spe_module *m, spe_id type)
{
    return spe_global_var(m, SPE_StorageClassWorkgroup, type, 0);
}
