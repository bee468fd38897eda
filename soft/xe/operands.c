/* operands.c - elements of registers, lane by lane: read through regions and modifiers, written with conversion,
 * saturation and the mask. Integers are handled as 64 bits, floats as doubles, in which sums and products of narrower
 * floats are accurate enough for one final rounding.
 */
#include <math.h>
#include <string.h>

#include "machine.h"

/* ---- written lanes and defined registers -- */

/* One bit for each group of lanes, from lane 0, repeated for all of them. */
static uint32_t grouped(uint32_t flags, uint32_t size, bool all)
{
    uint32_t ones = size == 32 ? UINT32_MAX : (1u << size) - 1, result = 0;
    for (uint32_t at = 0; at < MAX_LANES; at += size) {
        uint32_t bits = flags >> at & ones;
        if (all ? bits == ones : bits != 0) result |= ones << at;
    }
    return result;
}

uint32_t xe_mask(const struct xe_thread *t, const struct xe_instruction *i)
{
    uint32_t all = i->lanes == 32 ? UINT32_MAX : (1u << i->lanes) - 1, mask = all, flags;
    if (!i->everywhere) mask &= t->active >> i->first;
    if (!i->predicated) return mask;
    memcpy(&flags, t->file + AT_FLAG + i->predicate / 32 * 4, sizeof flags);
    flags >>= i->predicate % 32;
    if (i->any_of) flags = grouped(flags, i->any_of, false);
    if (i->all_of) flags = grouped(flags, i->all_of, true);
    flags = i->first ? flags >> i->first : flags;
    return mask & (i->inverted ? ~flags : flags);
}

void xe_define(struct xe_thread *t, uint32_t at, uint32_t bytes)
{
    if (at >= AT_ACC || !bytes) return;
    for (uint32_t d = at / 4; d <= (at + bytes - 1) / 4 && d < AT_ACC / 4; d++)
        t->defined[d / 8] |= (uint8_t)(1u << d % 8);
}

bool xe_is_defined(const struct xe_thread *t, uint32_t at, uint32_t bytes)
{
    for (uint32_t d = at / 4; bytes && d <= (at + bytes - 1) / 4 && d < AT_ACC / 4; d++)
        if (!(t->defined[d / 8] >> d % 8 & 1)) return false;
    return true;
}

/* ---- positions of an operand's lanes -- */

struct places {
    uint32_t at[MAX_LANES];
};

static uint32_t address(const struct xe_thread *t, uint32_t at)
{
    uint16_t a;
    memcpy(&a, t->file + at, sizeof a);
    return a;
}

static bool find_places(struct xe_thread *t, const struct xe_instruction *i, const struct xe_operand *o, uint32_t bytes,
                        struct places *p)
{
    uint32_t mask = (1u << o->width_shift) - 1, base = o->at;
    bool indirect = o->where == XE_INDIRECT;
    if (indirect && !o->across) base = address(t, o->at) + (uint32_t)o->offset;
    for (uint32_t n = 0; n < i->lanes; n++) {
        uint32_t row = n >> o->width_shift, element = row * o->row + (n & mask) * o->column;
        if (o->across)
            base = o->at + 2 * row < AT_SCALAR ? address(t, o->at + 2 * row) + (uint32_t)o->offset : FILE_BYTES;
        p->at[n] = base + element * bytes;
        if (indirect && p->at[n] > t->grf_end - bytes && !(xe_mask(t, i) >> n & 1)) p->at[n] = 0; /* unused */
        if (indirect && p->at[n] > t->grf_end - bytes) {
            xe_fail(t, "an address register that points past the registers (byte %u)", p->at[n]);
            return false;
        }
    }
    return true;
}

/* ---- reading */

/* Eight elements, for the words of the destination: one whose elements are dwords takes every other one. */
static uint64_t packed_immediate(const struct xe_instruction *i, const struct xe_operand *o, uint32_t lane)
{
    uint32_t stride = i->to.column * (xe_types[i->to.type].bits / 16u), n = lane * (stride ? stride : 1);
    uint32_t nibble = (uint32_t)(o->bits >> 4 * (n & 7)) & 15;
    return o->type == XE_V && nibble > 7 ? (uint64_t)(int64_t)((int32_t)nibble - 16) : nibble;
}

static double packed_float(const struct xe_operand *o, uint32_t lane)
{
    uint32_t byte = (uint32_t)(o->bits >> 8 * (lane & 3)) & 255;
    double value = byte & 0x7f ? ldexp(16 + (byte & 15), (int)(byte >> 4 & 7) - 3 - 4) : 0;
    return byte & 0x80 ? -value : value;
}

static int64_t extend(uint8_t type, uint64_t bits)
{
    switch (type) {
    case XE_B: return (int8_t)bits;
    case XE_W: return (int16_t)bits;
    case XE_D: return (int32_t)bits;
    case XE_UB:
    case XE_HF8:
    case XE_BF8: return (uint8_t)bits;
    case XE_UW:
    case XE_HF:
    case XE_BF: return (uint16_t)bits;
    case XE_UD:
    case XE_F:
    case XE_TF32: return (uint32_t)bits;
    default: return (int64_t)bits;
    }
}

static void read_immediate(const struct xe_instruction *i, const struct xe_operand *o, struct xe_lanes *to)
{
    for (uint32_t n = 0; n < i->lanes; n++) {
        if (o->type == XE_V || o->type == XE_UV)
            to->v[n].i = (int64_t)packed_immediate(i, o, n);
        else if (o->type == XE_VF)
            to->v[n].f = packed_float(o, n);
        else
            to->v[n].i = extend(o->type, o->bits);
    }
}

static void read_registers(const struct xe_thread *t, const struct xe_instruction *i, const struct places *p,
                           uint8_t type, struct xe_lanes *to)
{
    uint32_t bytes = xe_types[type].bits / 8u;
    for (uint32_t n = 0; n < i->lanes; n++) {
        uint64_t bits = 0;
        switch (bytes) { /* sizes known to the compiler */
        case 1: bits = t->file[p->at[n]]; break;
        case 2: memcpy(&bits, t->file + p->at[n], 2); break;
        case 4: memcpy(&bits, t->file + p->at[n], 4); break;
        default: memcpy(&bits, t->file + p->at[n], 8);
        }
        to->v[n].i = extend(type, bits);
    }
}

static void make_floats(const struct xe_instruction *i, uint8_t type, struct xe_lanes *to)
{
    for (uint32_t n = 0; n < i->lanes; n++) {
        if (xe_is_float(type))
            to->v[n].f = xe_decode(type, (uint64_t)to->v[n].i);
        else
            to->v[n].f = type == XE_UQ ? (double)(uint64_t)to->v[n].i : (double)to->v[n].i;
    }
}

static bool is_logic(uint8_t operation)
{
    return operation == XE_and || operation == XE_or || operation == XE_xor || operation == XE_not ||
           operation == XE_bfn;
}

static void modify(const struct xe_instruction *i, const struct xe_operand *o, bool as_float, struct xe_lanes *to)
{
    bool flip = is_logic(i->operation);
    for (uint32_t n = 0; n < i->lanes; n++) {
        union xe_value *v = &to->v[n];
        if (as_float) {
            if (o->absolute) v->f = fabs(v->f);
            if (o->negate) v->f = -v->f;
            continue;
        }
        if (o->absolute && v->i < 0) v->i = (int64_t)(0 - (uint64_t)v->i);
        if (o->negate) v->i = flip ? ~v->i : (int64_t)(0 - (uint64_t)v->i);
    }
}

void xe_read(struct xe_thread *t, const struct xe_instruction *i, const struct xe_operand *o, bool as_float,
             struct xe_lanes *to)
{
    struct places p;
    if (o->where == XE_IMMEDIATE) {
        read_immediate(i, o, to);
    } else if (o->where == XE_REGISTER || o->where == XE_INDIRECT) {
        if (!find_places(t, i, o, xe_types[o->type].bits / 8u, &p)) return;
        read_registers(t, i, &p, o->type, to);
    } else {
        memset(to, 0, sizeof *to);
    }
    if (as_float && o->type != XE_VF) make_floats(i, o->type, to);
    if (o->negate || o->absolute) modify(i, o, as_float, to);
}

/* ---- writing */

static int64_t to_integer(double value, uint8_t type)
{
    const struct xe_type_info *info = &xe_types[type];
    double top = ldexp(1, info->bits - (info->kind == XE_SIGNED)), bottom = info->kind == XE_SIGNED ? -top : 0;
    if (isnan(value)) return 0;
    value = trunc(value);
    if (value >= top)
        return info->kind == XE_SIGNED ? INT64_MAX >> (64 - info->bits) : (int64_t)(UINT64_MAX >> (64 - info->bits));
    if (value <= bottom) value = bottom;
    return info->kind == XE_SIGNED ? (int64_t)value : (int64_t)(uint64_t)value;
}

static int64_t clamp(int64_t v, uint8_t from, uint8_t type)
{
    const struct xe_type_info *info = &xe_types[type];
    int64_t most, least;
    if (info->bits == 64) return v;
    most = (int64_t)(UINT64_MAX >> (64 - info->bits + (info->kind == XE_SIGNED)));
    least = info->kind == XE_SIGNED ? -most - 1 : 0;
    if (from == XE_UQ && v < 0) return most;
    return v > most ? most : v < least ? least : v;
}

static uint64_t convert(const union xe_value *v, bool is_float, uint8_t from, uint8_t to, bool saturate)
{
    if (xe_is_float(to)) {
        if (is_float) return xe_encode(to, v->f, saturate);
        if (to == XE_F && from != XE_UQ) {
            float f = (float)v->i;
            return xe_encode(to, f, saturate);
        }
        if (to == XE_F) return xe_encode(to, (float)(uint64_t)v->i, saturate);
        return xe_encode(to, from == XE_UQ ? (double)(uint64_t)v->i : (double)v->i, saturate);
    }
    if (is_float) return (uint64_t)to_integer(v->f, xe_types[to].bits < 32 && !saturate ? XE_D : to); /* then cut */
    return (uint64_t)(saturate ? clamp(v->i, from, to) : v->i);
}

/* Rounds to an intermediate type: an f32 result is rounded to f32 before it becomes f16. */
static void round_to(uint8_t type, const struct xe_instruction *i, struct xe_lanes *from)
{
    if (type == XE_DF || xe_types[type].digits >= xe_types[i->to.type].digits + 30) return;
    for (uint32_t n = 0; n < i->lanes; n++)
        from->v[n].f =
            type == XE_F ? (double)(float)from->v[n].f : xe_decode(type, xe_encode(type, from->v[n].f, false));
}

void xe_write(struct xe_thread *t, const struct xe_instruction *i, bool is_float, uint8_t type, uint32_t mask,
              struct xe_lanes *from)
{
    const struct xe_operand *o = &i->to;
    uint32_t bytes = xe_types[o->type].bits / 8u;
    struct places p;
    if (o->where == XE_NULL || t->stop == XE_FAILED || !find_places(t, i, o, bytes, &p)) return;
    if (is_float && type != o->type) round_to(type, i, from);
    for (uint32_t n = 0; n < i->lanes; n++) {
        uint64_t bits;
        if (!(mask >> n & 1)) continue;
        bits = convert(&from->v[n], is_float, type, o->type, i->saturate);
        memcpy(t->file + p.at[n], &bits, bytes);
        xe_define(t, p.at[n], bytes);
        if (p.at[n] >= AT_ACC && p.at[n] < AT_ACC + 4 * MAX_LANES && !is_float)
            t->wide[(p.at[n] - AT_ACC) / 4] = from->v[n].i;
    }
}
