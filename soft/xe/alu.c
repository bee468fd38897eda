/* alu.c - arithmetic instructions: integers in 64 bits, floats in doubles, each as a loop over the lanes. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "machine.h"

/* ---- integers */

static uint64_t bits_of(const struct xe_operand *o, int64_t v)
{
    uint32_t bits = xe_types[o->type].bits;
    return bits < 64 ? (uint64_t)v & ((UINT64_C(1) << bits) - 1) : (uint64_t)v;
}

static uint32_t width(const struct xe_instruction *i)
{
    return xe_types[i->to.type].bits == 64 || xe_types[i->from[0].type].bits == 64 ? 64 : 32;
}

static int64_t logic(uint8_t table, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t r = 0;
    for (int k = 0; k < 8; k++)
        if (table >> k & 1) r |= (k & 1 ? a : ~a) & (k & 2 ? b : ~b) & (k & 4 ? c : ~c);
    return (int64_t)r;
}

/* Rotates left by this many bits. */
static uint64_t rotate(uint64_t v, uint32_t by, uint32_t bits)
{
    uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    by &= bits - 1;
    v &= mask;
    return by ? (v << by | v >> (bits - by)) & mask : v;
}

static uint32_t reverse(uint32_t v)
{
    uint32_t r = 0;
    for (int k = 0; k < 32; k++) r |= (v >> k & 1) << (31 - k);
    return r;
}

static int64_t field(uint32_t bits, uint32_t at, uint32_t value, bool is_signed)
{
    bits &= 31;
    at &= 31;
    if (!bits) return 0;
    if (bits + at > 32) bits = 32 - at;
    value = value << (32 - bits - at);
    if (is_signed) return (int32_t)value >> (32 - bits);
    return value >> (32 - bits);
}

static int64_t dot4(int64_t sum, uint32_t a, uint32_t b, bool signed_a, bool signed_b)
{
    for (int k = 0; k < 32; k += 8) {
        int64_t x = signed_a ? (int8_t)(a >> k) : (uint8_t)(a >> k),
                y = signed_b ? (int8_t)(b >> k) : (uint8_t)(b >> k);
        sum += x * y;
    }
    return sum;
}

/* What mul has left in acc0, of a and the low half of b, and the rest. */
static int64_t whole_product(const struct xe_thread *t, uint32_t n, int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)t->wide[n] + ((uint64_t)a * (uint64_t)(b >> 16) << 16));
}

static int64_t long_product(const struct xe_thread *t, const struct xe_instruction *i, uint32_t n, int64_t a, int64_t b)
{
    uint64_t whole = (uint64_t)whole_product(t, n, a, b);
    bool is_signed = xe_types[i->from[0].type].kind == XE_SIGNED || xe_types[i->from[1].type].kind == XE_SIGNED;
    if (i->operation == XE_macl) return (int64_t)whole;
    return is_signed ? (int64_t)whole >> 32 : (int64_t)(whole >> 32);
}

static int64_t count_bits(const struct xe_instruction *i, int64_t value)
{
    uint32_t v = (uint32_t)bits_of(&i->from[0], value);
    switch (i->operation) {
    case XE_cbit: return __builtin_popcount(v);
    case XE_fbl: return v ? __builtin_ctz(v) : -1;
    case XE_lzd: return v ? __builtin_clz(v) : 32;
    case XE_fbh:
        if (xe_types[i->from[0].type].kind == XE_SIGNED && (int32_t)v < 0) v = ~v;
        return v ? __builtin_clz(v) : -1;
    default: return reverse(v);
    }
}

static int64_t shifted(const struct xe_instruction *i, int64_t a, int64_t b)
{
    uint32_t by = (uint32_t)b & (width(i) - 1);
    if (i->operation == XE_shl) return (int64_t)((uint64_t)a << by);
    if (i->operation == XE_asr) return a >> by;
    return (int64_t)(bits_of(&i->from[0], a) >> by);
}

/* The quotient, or the remainder, of 32-bit integers; of a division by zero the largest quotient of its sign. */
static int64_t divided(const struct xe_instruction *i, int64_t a, int64_t b)
{
    bool is_signed = xe_types[i->from[0].type].kind == XE_SIGNED;
    if (b == 0) return !is_signed ? (int64_t)UINT32_MAX : a < 0 ? INT32_MIN : INT32_MAX;
    return i->function == XE_IQOT ? a / b : a % b;
}

static int64_t integer(struct xe_thread *t, const struct xe_instruction *i, uint32_t n, int64_t a, int64_t b, int64_t c)
{
    switch (i->operation) {
    case XE_mov: return a;
    case XE_add:
    case XE_addc: return (int64_t)((uint64_t)a + (uint64_t)b);
    case XE_subb: return (int64_t)((uint64_t)a - (uint64_t)b);
    case XE_add3: return (int64_t)((uint64_t)a + (uint64_t)b + (uint64_t)c);
    case XE_avg: return (a + b + 1) >> 1;
    case XE_mul: return (int64_t)((uint64_t)a * (uint64_t)b);
    case XE_mullh: return (int64_t)((uint64_t)a * (uint64_t)b);
    case XE_mach:
    case XE_macl: return long_product(t, i, n, a, b);
    case XE_mad: return (int64_t)((uint64_t)a + (uint64_t)b * (uint64_t)c);
    case XE_and: return a & b;
    case XE_or: return a | b;
    case XE_xor: return a ^ b;
    case XE_not: return ~a;
    case XE_bfn: return logic(i->function, (uint64_t)a, (uint64_t)b, (uint64_t)c);
    case XE_shl:
    case XE_shr:
    case XE_asr: return shifted(i, a, b);
    case XE_rol: return (int64_t)rotate((uint64_t)a, (uint32_t)b, xe_types[i->to.type].bits);
    case XE_ror: return (int64_t)rotate((uint64_t)a, 0 - (uint32_t)b, xe_types[i->to.type].bits);
    case XE_bfe: return field((uint32_t)a, (uint32_t)b, (uint32_t)c, xe_types[i->to.type].kind == XE_SIGNED);
    case XE_bfi1: return (int64_t)((((UINT64_C(1) << (a & 31)) - 1) << (b & 31)) & 0xffffffffu);
    case XE_bfi2: return (uint32_t)a ? (b << __builtin_ctz((uint32_t)a) & a) | (~a & c) : c; /* a: result of bfi1 */
    case XE_dp4a:
        return dot4(a, (uint32_t)b, (uint32_t)c, xe_types[i->from[1].type].kind == XE_SIGNED,
                    xe_types[i->from[2].type].kind == XE_SIGNED);
    case XE_math:
        if (i->function == XE_IQOT || i->function == XE_IREM) return divided(i, a, b);
        xe_fail(t, "this function of integers");
        return 0;
    case XE_cbit:
    case XE_fbl:
    case XE_fbh:
    case XE_lzd:
    case XE_bfrev: return count_bits(i, a);
    default: xe_fail(t, "this operation on integers"); return 0;
    }
}

/* ---- floats */

double xe_math(uint8_t function, double a, double b)
{
    switch (function) {
    case XE_INV: return 1 / a;
    case XE_LOG: return log2(a);
    case XE_EXP: return exp2(a);
    case XE_SQT:
    case XE_RSQTM: return sqrt(a); /* a step to a root, done at once: see holds_float */
    case XE_RSQT: return 1 / sqrt(a);
    case XE_SIN: return sin(a);
    case XE_COS: return cos(a);
    case XE_TANH: return tanh(a);
    case XE_SIGM: return 1 / (1 + exp(-a));
    case XE_POW: return pow(fabs(a), b);
    case XE_FDIV:
    case XE_INVM: return a / b;
    default: return NAN;
    }
}

static double nearest_even(double a)
{
    int before = fegetround();
    fesetround(FE_TONEAREST);
    a = nearbyint(a);
    fesetround(before);
    return a;
}

static double floating(struct xe_thread *t, const struct xe_instruction *i, uint8_t type, double a, double b, double c)
{
    switch (i->operation) {
    case XE_mov: return a;
    case XE_add: return a + b;
    case XE_add3: return a + b + c;
    case XE_mul: return a * b;
    case XE_mad:
    case XE_madm: return type == XE_F ? (double)fmaf((float)b, (float)c, (float)a) : fma(b, c, a);
    case XE_frc: return a - floor(a);
    case XE_rndz: return trunc(a);
    case XE_rnde: return nearest_even(a);
    case XE_rndd: return floor(a);
    case XE_rndu: return ceil(a);
    case XE_math: return xe_math(i->function, a, b);
    default: xe_fail(t, "this operation on floats"); return 0;
    }
}

/* ---- conditions */

#define COMPARE(a, b)                                                                                                  \
    switch (condition) {                                                                                               \
    case XE_EQ: return (a) == (b);                                                                                     \
    case XE_NE: return (a) != (b);                                                                                     \
    case XE_GT: return (a) > (b);                                                                                      \
    case XE_GE: return (a) >= (b);                                                                                     \
    case XE_LT: return (a) < (b);                                                                                      \
    case XE_LE: return (a) <= (b);                                                                                     \
    default: break;                                                                                                    \
    }

static bool holds_float(uint8_t condition, double a, double b)
{
    COMPARE(a, b)
    if (condition == XE_UNORDERED) return isnan(a) || isnan(b);
    return condition == XE_EARLY_OUT || (condition == XE_OVER && isinf(a));
}

static bool holds_integer(uint8_t condition, bool is_unsigned, int64_t a, int64_t b)
{
    if (is_unsigned) {
        COMPARE((uint64_t)a, (uint64_t)b)
    } else {
        COMPARE(a, b)
    }
    return false;
}

static void set_flags(struct xe_thread *t, const struct xe_instruction *i, uint32_t mask, uint32_t values)
{
    for (uint32_t n = 0; n < i->lanes; n++) {
        uint32_t bit = i->flag + i->first + n;
        if (!(mask >> n & 1) || bit >= 128) continue;
        t->file[AT_FLAG + bit / 8] &= (uint8_t) ~(1u << bit % 8);
        t->file[AT_FLAG + bit / 8] |= (uint8_t)((values >> n & 1) << bit % 8);
    }
}

/* ---- instructions */

struct work {
    struct xe_lanes in[3], out;
    bool is_float;
    uint8_t type; /* the type of the computation */
    uint32_t mask;
};

static bool holds(const struct work *w, uint8_t condition, const union xe_value *a, const union xe_value *b)
{
    return w->is_float ? holds_float(condition, a->f, b->f) : holds_integer(condition, w->type == XE_UQ, a->i, b->i);
}

/* Does the instruction only move bits, of its first two operands? Then NaNs, and integers moved as floats, stay
 * unchanged: Intel's compiler writes `csel r1 r1 r1`, which must change nothing, where r1 has masks of lanes. */
static bool only_moves(const struct xe_instruction *i)
{
    bool moves = (i->operation == XE_mov || i->operation == XE_sel) && !i->condition;
    if (!(moves || i->operation == XE_csel) || i->saturate || !xe_is_float(i->to.type)) return false;
    for (int k = 0; k < 2; k++)
        if (i->from[k].where != XE_NONE && (i->from[k].type != i->to.type || i->from[k].negate || i->from[k].absolute))
            return false;
    return true;
}

/* The type in which an instruction computes: the widest float among its operands, else the widest integer. bf is none,
 * and hf none if the result is f: hf and bf mix with f, in which they are then computed. */
static uint8_t work_type(const struct xe_instruction *i)
{
    uint8_t type = XE_UB;
    for (int k = 0; k < 3; k++) {
        const struct xe_operand *o = &i->from[k];
        bool better = xe_is_float(o->type) != xe_is_float(type) ? xe_is_float(o->type)
                                                                : xe_types[o->type].bits >= xe_types[type].bits;
        if (o->where != XE_NONE && better) type = o->type == XE_VF ? XE_F : o->type;
    }
    return type == XE_BF || (type == XE_HF && i->to.type == XE_F) ? XE_F : type;
}

static void select_lanes(const struct xe_instruction *i, struct work *w, uint32_t chosen)
{
    for (uint32_t n = 0; n < i->lanes; n++) {
        const union xe_value *a = &w->in[0].v[n], *b = &w->in[1].v[n];
        bool first = chosen >> n & 1;
        if (i->condition) {
            first = holds(w, i->condition, a, b);
            if (w->is_float && isnan(b->f)) first = true; /* of a number and a NaN, the number */
            if (w->is_float && isnan(a->f)) first = false;
        }
        w->out.v[n] = first ? *a : *b;
    }
}

static void compare_lanes(struct xe_thread *t, const struct xe_instruction *i, struct work *w)
{
    uint32_t values = 0;
    for (uint32_t n = 0; n < i->lanes; n++) {
        bool is = holds(w, i->condition, &w->in[0].v[n], &w->in[1].v[n]);
        values |= (uint32_t)is << n;
        w->out.v[n].i = is ? -1 : 0;
    }
    set_flags(t, i, w->mask, values);
}

static int64_t as_32_bits(uint8_t type, int64_t v)
{
    if (xe_types[type].kind == XE_SIGNED) return (int32_t)v;
    return (uint32_t)v;
}

static uint32_t nonzero(const struct xe_instruction *i, const struct work *w)
{
    uint32_t values = 0;
    const union xe_value zero = {0};
    for (uint32_t n = 0; n < i->lanes; n++) {
        union xe_value v = w->out.v[n];
        if (!w->is_float && xe_types[i->to.type].bits == 32) v.i = as_32_bits(i->to.type, v.i);
        values |= (uint32_t)holds(w, i->condition, &v, &zero) << n;
    }
    return values;
}

static void compute_lanes(struct xe_thread *t, const struct xe_instruction *i, struct work *w)
{
    for (uint32_t n = 0; n < i->lanes && t->stop != XE_FAILED; n++) {
        union xe_value a = w->in[0].v[n], b = w->in[1].v[n], c = w->in[2].v[n];
        if (w->is_float)
            w->out.v[n].f = floating(t, i, w->type, a.f, b.f, c.f);
        else
            w->out.v[n].i = integer(t, i, n, a.i, b.i, c.i);
    }
}

/* addc and subb store the carry or borrow in acc0. */
static void keep_carry(struct xe_thread *t, const struct xe_instruction *i, const struct work *w)
{
    for (uint32_t n = 0; n < i->lanes && n < 16; n++) {
        uint32_t a = (uint32_t)w->in[0].v[n].i, b = (uint32_t)w->in[1].v[n].i;
        uint32_t carry = i->operation == XE_addc ? a + b < a : a < b;
        if (!(w->mask >> n & 1)) continue;
        memcpy(t->file + AT_ACC + 4 * n, &carry, 4);
        t->wide[n] = carry;
    }
}

/* mullh writes the upper halves of its products to the registers behind those of the lower ones. */
static void write_high_half(struct xe_thread *t, const struct xe_instruction *i, struct work *w)
{
    struct xe_instruction copy = *i;
    uint32_t bytes = i->lanes * 4u;
    copy.to.at += xe_whole_registers(t, bytes);
    if (i->to.where != XE_REGISTER || copy.to.at + bytes > t->grf_end) {
        xe_fail(t, "a product past the last register");
        return;
    }
    for (uint32_t n = 0; n < i->lanes; n++)
        w->out.v[n].i = xe_types[i->from[0].type].kind == XE_SIGNED || xe_types[i->from[1].type].kind == XE_SIGNED
                            ? w->out.v[n].i >> 32
                            : (int64_t)((uint64_t)w->out.v[n].i >> 32);
    xe_write(t, &copy, false, w->type, w->mask, &w->out);
}

/* Other instructions store their result there too, if they say so; mach the low half of its product. */
static void keep_result(struct xe_thread *t, const struct xe_instruction *i, struct work *w)
{
    struct xe_instruction copy = *i;
    copy.to.where = XE_REGISTER;
    copy.to.at = AT_ACC;
    copy.to.width_shift = 0;
    copy.to.row = copy.to.column = 1;
    copy.saturate = false;
    if (i->operation == XE_mach)
        for (uint32_t n = 0; n < i->lanes; n++) w->out.v[n].i = whole_product(t, n, w->in[0].v[n].i, w->in[1].v[n].i);
    xe_write(t, &copy, w->is_float, w->type, w->mask, &w->out);
}

static void choose_lanes(const struct xe_instruction *i, struct work *w)
{
    const union xe_value zero = {0};
    for (uint32_t n = 0; n < i->lanes; n++)
        w->out.v[n] = holds(w, i->condition, &w->in[2].v[n], &zero) ? w->in[0].v[n] : w->in[1].v[n];
}

/* Writes bits as they are: as integers of the destination's size, by number of bits. */
static void write_bits(struct xe_thread *t, const struct xe_instruction *i, struct work *w)
{
    static const uint8_t as[] = {[8] = XE_B, [16] = XE_W, [32] = XE_D, [64] = XE_Q};
    struct xe_instruction copy = *i;
    copy.to.type = as[xe_types[i->to.type].bits];
    xe_write(t, &copy, false, copy.to.type, w->mask, &w->out);
}

static void read_all(struct xe_thread *t, const struct xe_instruction *i, struct work *w)
{
    bool bits = only_moves(i);
    w->type = work_type(i);
    w->is_float = xe_is_float(w->type) && (!bits || i->operation == XE_csel); /* which compares the third operand */
    for (int k = 0; k < 3; k++)
        if (i->from[k].where != XE_NONE) xe_read(t, i, &i->from[k], w->is_float && (!bits || k == 2), &w->in[k]);
}

void xe_alu(struct xe_thread *t, const struct xe_instruction *i)
{
    struct work w;
    uint32_t all = i->lanes == 32 ? UINT32_MAX : (1u << i->lanes) - 1;
    memset(&w.in, 0, sizeof w.in);
    w.mask = xe_mask(t, i);
    read_all(t, i, &w);
    if (t->stop == XE_FAILED) return;
    if (i->operation == XE_sel) {
        uint32_t chosen = w.mask;
        if (i->predicated) w.mask = i->everywhere ? all : t->active >> i->first & all; /* selects, does not mask */
        select_lanes(i, &w, chosen);
    } else if (i->operation == XE_csel) {
        choose_lanes(i, &w);
    } else if (i->operation == XE_cmp) {
        compare_lanes(t, i, &w);
        write_bits(t, i, &w);
        return;
    } else {
        compute_lanes(t, i, &w);
        if (i->condition) set_flags(t, i, w.mask, nonzero(i, &w));
    }
    if (only_moves(i))
        write_bits(t, i, &w);
    else
        xe_write(t, i, w.is_float, w.type, w.mask, &w.out);
    if (i->operation == XE_mullh)
        write_high_half(t, i, &w);
    else if (i->operation == XE_addc || i->operation == XE_subb)
        keep_carry(t, i, &w);
    else if (i->to_accumulator)
        keep_result(t, i, &w);
}
