/* constants.c - unique constants (for vector types the scalar is repeated), and names. */
#include "internal.h"

spe_id spe_composite_const(spe_module *m, spe_id type, uint32_t n, const spe_id *parts)
{
    const spe_type_info *t = spe_want_type_(m, __func__, type);
    uint32_t *w, flags = SPE_ID_CONSTANT_;
    spe_id id;
    if (!t) return 0;
    if (!n || n != spe_part_count_(t)) return SPE_ERROR_(m, TYPE, "%u parts for %s", n, spe_text_(m, type));
    for (uint32_t i = 0; i < n; i++) {
        spe_id part_type = t->kind == SPE_KIND_STRUCT ? t->members[i] : t->elem;
        const spe_record_ *r = parts[i] && parts[i] < m->id_count ? &m->ids[parts[i]] : NULL;
        if (!r || !(r->flags & SPE_ID_CONSTANT_)) return SPE_ERROR_(m, NO_VALUE, "part %u is not a constant", i);
        if (r->type != part_type) return SPE_ERROR_(m, TYPE, "part %u is %s", i, spe_text_(m, r->type));
        flags |= r->flags;
    }
    spe_id piece[4];
    if (spe_pieces_(m, type)) { /* a constant of constants, a piece each */
        for (uint32_t i = 0; i < n / 4; i++)
            piece[i] = spe_composite_const(m, spe_vec(m, t->elem, 4), 4, parts + 4 * i);
        parts = piece;
        n /= 4;
    }
    w = spe_push_(m, SPE_BUFFER_STACK_, n + 1);
    if (!w) return 0;
    w[0] = type;
    memcpy(w + 1, parts, n * sizeof *parts);
    id = spe_unique_(m, flags & SPE_ID_SPEC_ ? SPE_OpSpecConstantComposite : SPE_OpConstantComposite, flags, n + 1, w);
    m->buffer[SPE_BUFFER_STACK_].count -= n + 1;
    return id;
}

/* An array of n copies of an id: `few` if it is large enough, else allocated; NULL if out of memory. */
XE_FN_ spe_id *spe_repeat_(spe_module *m, spe_id id, uint32_t n, spe_id few[16])
{
    spe_id *part = n > 16 ? (spe_id *)spe_alloc(m, n * sizeof *part) : few;
    for (uint32_t i = 0; i < n && part; i++) part[i] = id;
    return part;
}

static spe_id spe_const_splat_(spe_module *m, spe_id type, uint64_t bits)
{
    spe_type_info t = spe_info(m, type);
    spe_id few[16], one, *part;
    if (t.bits) return spe_const_scalar_(m, type, bits);
    one = spe_const_scalar_(m, t.elem, bits);
    part = one ? spe_repeat_(m, one, spe_part_count_(&t), few) : NULL;
    return part ? spe_composite_const(m, type, spe_part_count_(&t), part) : 0;
}

/* The scalar of a constant's type; NULL and an error if there is none. */
static const spe_type_info *spe_want_scalar_(spe_module *m, const char *name, spe_id type)
{
    const spe_type_info *t = spe_want_type_(m, name, type), *s = t ? spe_info_(m, spe_scalar_of(m, type)) : NULL;
    if (!s || s->bits) return s;
    m->doing = name;
    spe_error_(m, SPE_ERR_TYPE, "no such constant of %s", spe_text_(m, type));
    return NULL;
}

spe_id spe_const_f(spe_module *m, spe_id type, double value)
{
    const spe_type_info *t = spe_want_scalar_(m, __func__, type);
    uint64_t bits;
    if (!t) return 0;
    if (t->kind != SPE_KIND_FLOAT || !spe_encode_scalar_(t, value, &bits))
        return SPE_ERROR_(m, TYPE, "%s is not a float type", spe_text_(m, type));
    return spe_const_splat_(m, type, bits);
}

/* An integer as a constant of a float type; rounded once, which by way of a double it would not be. */
static spe_id spe_const_integer_(spe_module *m, spe_id type, const spe_type_info *t, uint64_t magnitude, bool negative)
{
    uint64_t bits;
    if (!spe_encode_int_(t, magnitude, negative, &bits))
        return SPE_ERROR_(m, TYPE, "%s is not a float type", spe_text_(m, type));
    return spe_const_splat_(m, type, bits);
}

spe_id spe_const_u(spe_module *m, spe_id type, uint64_t value)
{
    const spe_type_info *t = spe_want_scalar_(m, __func__, type);
    if (!t) return 0;
    if (t->kind == SPE_KIND_FLOAT) return spe_const_integer_(m, type, t, value, false);
    if (value <= spe_mask_(t->bits)) return spe_const_splat_(m, type, value);
    return SPE_ERROR_(m, RANGE, "%llu does not fit in %u bits", (unsigned long long)value, t->bits);
}

spe_id spe_const_i(spe_module *m, spe_id type, int64_t value)
{
    const spe_type_info *t = spe_want_scalar_(m, __func__, type);
    if (!t) return 0;
    if (t->kind == SPE_KIND_FLOAT)
        return spe_const_integer_(m, type, t, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
    int64_t limit = t->bits == 1 ? 1 : (int64_t)(spe_mask_(t->bits) >> 1);
    if (value > limit || value < (t->bits == 1 ? 0 : -limit - 1))
        return SPE_ERROR_(m, RANGE, "%lld does not fit in %u bits with a sign", (long long)value, t->bits);
    return spe_const_splat_(m, type, (uint64_t)value & spe_mask_(t->bits));
}

spe_id spe_const_bool(spe_module *m, bool value) { return spe_const_scalar_(m, spe_bool(m), value); }
spe_id spe_i32(spe_module *m, int32_t value) { return spe_u32(m, (uint32_t)value); }
spe_id spe_u64(spe_module *m, uint64_t value) { return spe_const_scalar_(m, spe_int(m, 64), value); }
spe_id spe_f32(spe_module *m, float value) { return spe_const_f(m, spe_float(m, 32), spe_real_of_f32(value)); }

spe_id spe_null(spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_want_type_(m, __func__, type);
    if (!t) return 0;
    if (!spe_is_stored_(t)) return SPE_ERROR_(m, TYPE, "there is no null of %s", spe_text_(m, type));
    return t->bits ? spe_const_scalar_(m, type, 0) : spe_unique_(m, SPE_OpConstantNull, SPE_ID_CONSTANT_, 1, &type);
}

spe_id spe_undef(spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_want_type_(m, __func__, type);
    if (!t) return 0;
    if (!spe_is_stored_(t)) return SPE_ERROR_(m, TYPE, "there is no undefined %s", spe_text_(m, type));
    return spe_unique_(m, SPE_OpUndef, SPE_ID_CONSTANT_, 1, &type);
}

spe_id spe_spec_const(spe_module *m, spe_id type, uint64_t bits, uint32_t spec_id)
{
    const spe_type_info *t = spe_want_type_(m, __func__, type);
    uint32_t op = SPE_OpSpecConstant;
    if (!t) return 0;
    if (!t->bits) return SPE_ERROR_(m, TYPE, "a spec constant is a scalar, not %s", spe_text_(m, type));
    if (bits > spe_mask_(t->bits)) return SPE_ERROR_(m, RANGE, "the default does not fit in %u bits", t->bits);
    int words = t->bits == 64 ? 2 : 1;
    if (t->kind == SPE_KIND_BOOL) words = 0, op = bits ? SPE_OpSpecConstantTrue : SPE_OpSpecConstantFalse;
    spe_id id = spe_new_id_(m, type, SPE_ID_CONSTANT_ | SPE_ID_SPEC_, 0);
    if (!id || !spe_write_(m, SPE_SECTION_GLOBAL_, op, words + 2, type, id, (uint32_t)bits, (uint32_t)(bits >> 32)))
        return 0;
    return spe_write_(m, SPE_SECTION_DECORATION_, SPE_OpDecorate, 3, id, SPE_DecorationSpecId, spec_id) ? id : 0;
}

/* -- names ----------------------------------------------------------------------------------------------------- */

void spe_name(spe_module *m, spe_id id, const char *name)
{
    if (m->error.id || !name) return;
    if (!id || id >= m->id_count) SPE_ERROR_(m, NO_VALUE, "%u is not an id", id);
    spe_unshare_struct_(m, id);
    spe_named_ *row = (spe_named_ *)spe_list_add(m, &m->named, sizeof *row);
    if (!row) return;
    row->id = id;
    row->name = (const char *)spe_copied_(m, name, strlen(name) + 1);
    if (!m->options.names) return;
    uint32_t *at = spe_put_(m, SPE_SECTION_NAME_, SPE_OpName, spe_text_words_(name) + 1);
    if (!at) return;
    at[0] = id;
    spe_put_text_(at + 1, name);
}
