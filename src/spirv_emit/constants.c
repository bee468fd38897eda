/* constants.c - Constants: each is made once; for a vector type the scalar is repeated. */
#include "internal.h"

/* Enters the bits of a scalar constant, for folding. */
static spe_id spe_remember_(spe_module *m, spe_id id, uint64_t bits)
{
    void *p = m->constants;
    if (!id || !spe_grow_(m, &p, &m->constant_capacity, m->constant_count + 1, sizeof *m->constants, 64)) return 0;
    m->constants = (uint64_t *)p;
    m->constants[m->constant_count++] = bits;
    m->ids[id].aux = (uint32_t)m->constant_count;
    return id;
}

bool spe_const_bits(const spe_module *m, spe_id id, uint64_t *bits)
{
    *bits = 0;
    if (!id || id >= m->id_count || !(m->ids[id].flags & SPE_ID_CONSTANT_) || !m->ids[id].aux) return false;
    *bits = m->constants[m->ids[id].aux - 1];
    return true;
}

uint64_t spe_mask_(uint32_t bits) { return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1; }

/* A scalar constant from its bits. */
spe_id spe_const_scalar_(spe_module *m, spe_id type, uint64_t bits)
{
    const spe_type_info *t = spe_info_(m, type);
    uint32_t w[3];
    bool fresh;
    spe_id id;
    w[0] = type;
    w[1] = (uint32_t)bits;
    w[2] = (uint32_t)(bits >> 32);
    if (t->kind == SPE_KIND_BOOL)
        id = spe_unique_(m, bits ? SPE_OpConstantTrue : SPE_OpConstantFalse, 1, w, &fresh);
    else
        id = spe_unique_(m, SPE_OpConstant, t->bits == 64 ? 3 : 2, w, &fresh);
    return id && fresh ? spe_remember_(m, id, bits) : id;
}

/* How many parts a composite of the type is made of, 0: it is none. */
uint32_t spe_part_count_(const spe_type_info *t)
{
    switch (t->kind) {
    case SPE_KIND_VECTOR:
    case SPE_KIND_ARRAY:
    case SPE_KIND_STRUCT:
    case SPE_KIND_COOPVEC: return t->count;
    case SPE_KIND_COOPMAT: return 1; /* all components alike */
    default: return 0;
    }
}

spe_id spe_composite_const(spe_module *m, spe_id type, uint32_t n, const spe_id *parts)
{
    const spe_type_info *t = spe_want_type_(m, "spe_composite_const", type);
    uint32_t *w, i, want, flags = SPE_ID_CONSTANT_;
    spe_id id;
    bool fresh;
    char text[80];
    if (!t) return 0;
    want = spe_part_count_(t);
    if (n != want || !want)
        return spe_error_(m, SPE_ERR_TYPE, "spe_composite_const: %u parts for %s", n,
                          spe_type_text(m, type, text, sizeof text));
    for (i = 0; i < n; i++) {
        spe_id part_type = t->kind == SPE_KIND_STRUCT ? t->members[i] : t->elem;
        if (!parts[i] || parts[i] >= m->id_count || !(m->ids[parts[i]].flags & SPE_ID_CONSTANT_))
            return spe_error_(m, SPE_ERR_NO_VALUE, "spe_composite_const: part %u is no constant", i);
        if (m->ids[parts[i]].type != part_type)
            return spe_error_(m, SPE_ERR_TYPE, "spe_composite_const: part %u is %s", i,
                              spe_type_text(m, m->ids[parts[i]].type, text, sizeof text));
        flags |= m->ids[parts[i]].flags;
    }
    w = spe_push_(m, SPE_BUFFER_STACK_, n + 1);
    if (!w) return 0;
    w[0] = type;
    memcpy(w + 1, parts, n * sizeof *parts);
    id = spe_unique_(m, flags & SPE_ID_SPEC_ ? SPE_OpSpecConstantComposite : SPE_OpConstantComposite, n + 1, w, &fresh);
    m->buffer[SPE_BUFFER_STACK_].count -= n + 1;
    if (id && fresh) m->ids[id].flags |= (uint16_t)flags;
    return id;
}

/* n times the same id; NULL when there is no memory. `few` is used where it is enough. */
spe_id *spe_repeat_(spe_module *m, spe_id id, uint32_t n, spe_id few[16])
{
    spe_id *part = n > 16 ? (spe_id *)spe_alloc(m, n * sizeof *part) : few;
    uint32_t i;
    for (i = 0; i < n && part; i++) part[i] = id;
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

/* The scalar of the type a constant is asked for, NULL and an error when there is none. */
static const spe_type_info *spe_want_scalar_(spe_module *m, const char *fn, spe_id type)
{
    const spe_type_info *t = spe_want_type_(m, fn, type), *s = t ? spe_info_(m, spe_scalar_of(m, type)) : NULL;
    char text[80];
    if (s && !s->bits)
        return spe_error_(m, SPE_ERR_TYPE, "%s: no such constant of %s", fn, spe_type_text(m, type, text, sizeof text)),
               (const spe_type_info *)NULL;
    return s;
}

spe_id spe_const_f(spe_module *m, spe_id type, double value)
{
    const spe_type_info *t = spe_want_scalar_(m, "spe_const_f", type);
    uint64_t bits;
    char text[80];
    if (!t) return 0;
    if (t->kind != SPE_KIND_FLOAT || !spe_encode_scalar_(t, value, &bits))
        return spe_error_(m, SPE_ERR_TYPE, "spe_const_f: %s is no float type",
                          spe_type_text(m, type, text, sizeof text));
    return spe_const_splat_(m, type, bits);
}

spe_id spe_const_u(spe_module *m, spe_id type, uint64_t value)
{
    const spe_type_info *t = spe_want_scalar_(m, "spe_const_u", type);
    if (!t) return 0;
    if (t->kind == SPE_KIND_FLOAT) return spe_const_f(m, type, (double)value);
    if (value > spe_mask_(t->bits))
        return spe_error_(m, SPE_ERR_RANGE, "spe_const_u: %llu does not fit in %u bits", (unsigned long long)value,
                          t->bits);
    return spe_const_splat_(m, type, value);
}

spe_id spe_const_i(spe_module *m, spe_id type, int64_t value)
{
    const spe_type_info *t = spe_want_scalar_(m, "spe_const_i", type);
    int64_t limit;
    if (!t) return 0;
    if (t->kind == SPE_KIND_FLOAT) return spe_const_f(m, type, (double)value);
    limit = t->bits == 64 ? INT64_MAX : t->bits == 1 ? 1 : ((int64_t)1 << (t->bits - 1)) - 1;
    if (value > limit || value < (t->bits == 1 ? 0 : -limit - 1))
        return spe_error_(m, SPE_ERR_RANGE, "spe_const_i: %lld does not fit in %u bits with a sign", (long long)value,
                          t->bits);
    return spe_const_splat_(m, type, (uint64_t)value & spe_mask_(t->bits));
}

spe_id spe_const_bool(spe_module *m, bool value)
{
    spe_id type = spe_bool(m);
    return type ? spe_const_scalar_(m, type, value) : 0;
}

spe_id spe_u32(spe_module *m, uint32_t value)
{
    spe_id type = spe_int(m, 32);
    return type ? spe_const_scalar_(m, type, value) : 0;
}
spe_id spe_i32(spe_module *m, int32_t value) { return spe_u32(m, (uint32_t)value); }

spe_id spe_u64(spe_module *m, uint64_t value)
{
    spe_id type = spe_int(m, 64);
    return type ? spe_const_scalar_(m, type, value) : 0;
}
spe_id spe_f32(spe_module *m, float value) { return spe_const_f(m, spe_float(m, 32), (double)value); }

spe_id spe_null(spe_module *m, spe_id type)
{
    const spe_type_info *t = spe_want_type_(m, "spe_null", type);
    bool fresh;
    if (!t) return 0;
    if (t->kind == SPE_KIND_VOID || t->kind == SPE_KIND_FUNCTION)
        return spe_error_(m, SPE_ERR_TYPE, "spe_null: void and functions have no values");
    if (t->bits) return spe_const_scalar_(m, type, 0);
    return spe_unique_(m, SPE_OpConstantNull, 1, &type, &fresh);
}

spe_id spe_undef(spe_module *m, spe_id type)
{
    bool fresh;
    if (!spe_want_type_(m, "spe_undef", type)) return 0;
    return spe_unique_(m, SPE_OpUndef, 1, &type, &fresh);
}

spe_id spe_spec_const(spe_module *m, spe_id type, uint64_t bits, uint32_t spec_id)
{
    const spe_type_info *t = spe_want_type_(m, "spe_spec_const", type);
    uint32_t op, n, *at;
    spe_id id;
    if (!t) return 0;
    if (!t->bits) return spe_error_(m, SPE_ERR_TYPE, "spe_spec_const: a spec constant is a scalar");
    if (bits > spe_mask_(t->bits))
        return spe_error_(m, SPE_ERR_RANGE, "spe_spec_const: the default does not fit in %u bits", t->bits);
    op = t->kind != SPE_KIND_BOOL ? SPE_OpSpecConstant : bits ? SPE_OpSpecConstantTrue : SPE_OpSpecConstantFalse;
    n = t->kind == SPE_KIND_BOOL ? 0 : t->bits == 64 ? 2 : 1;
    id = spe_new_id_(m, type, SPE_ID_CONSTANT_ | SPE_ID_SPEC_, 0);
    at = id ? spe_put_(m, SPE_SECTION_GLOBAL_, op, n + 2) : NULL;
    if (!at) return 0;
    at[0] = type;
    at[1] = id;
    if (n) at[2] = (uint32_t)bits;
    if (n > 1) at[3] = (uint32_t)(bits >> 32);
    spe_decorate(m, id, SPE_DecorationSpecId, 1, &spec_id);
    return id;
}

/* -- names and decorations --------------------------------------------------------------------------------------- */

void spe_name(spe_module *m, spe_id id, const char *name)
{
    uint32_t *at;
    if (!id || !m->options.names || !name) return;
    at = spe_put_(m, SPE_SECTION_NAME_, SPE_OpName, spe_text_words_(name) + 1);
    if (!at) return;
    at[0] = id;
    spe_put_text_(at + 1, name);
}

void spe_decorate(spe_module *m, spe_id id, uint32_t decoration, uint32_t n, const uint32_t *words)
{
    uint32_t *at;
    if (m->error.id) return;
    if (!id || id >= m->id_count) {
        spe_error_(m, SPE_ERR_NO_VALUE, "spe_decorate: %u is no id", id);
        return;
    }
    at = spe_put_(m, SPE_SECTION_DECORATION_, SPE_OpDecorate, n + 2);
    if (!at) return;
    at[0] = id;
    at[1] = decoration;
    if (n) memcpy(at + 2, words, n * sizeof *words);
    spe_need_(m, SPE_NEED_DECORATION_, decoration);
    if (decoration == SPE_DecorationBuiltIn && n) spe_need_(m, SPE_NEED_BUILTIN_, words[0]);
}

void spe_decorate_member(spe_module *m, spe_id type, uint32_t member, uint32_t decoration, uint32_t n,
                         const uint32_t *words)
{
    const spe_type_info *t = spe_want_type_(m, "spe_decorate_member", type);
    uint32_t *at;
    if (!t) return;
    if (t->kind != SPE_KIND_STRUCT || member >= t->count) {
        spe_error_(m, SPE_ERR_RANGE, "spe_decorate_member: the type has no member %u", member);
        return;
    }
    at = spe_put_(m, SPE_SECTION_DECORATION_, SPE_OpMemberDecorate, n + 3);
    if (!at) return;
    at[0] = type;
    at[1] = member;
    at[2] = decoration;
    if (n) memcpy(at + 3, words, n * sizeof *words);
    spe_need_(m, SPE_NEED_DECORATION_, decoration);
}
