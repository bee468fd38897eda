/* checks.c - operands by the letters of SPE_INSTRUCTIONS_, and the function that checks and writes instructions. */
#include "internal.h"

/* Checks the value for a letter and those for the = that follow it. Returns their number; 0 and an error if one is not
 * what the letter requires, given the operands before. */
XE_FN_ uint32_t spe_values_(spe_module *m, spe_call_ *c, const char *form, const uint32_t *args)
{
    spe_id type = spe_operand_(m, args[0]), like;
    uint32_t n = 1;
    uint64_t bits;
    if (!type) return 0;
    const spe_type_info *t = &m->types[m->ids[type].aux];
    for (; form[n] == '='; n++) {
        spe_id next = spe_operand_(m, args[n]);
        if (next != type) return next ? spe_disagree_(m, type, next) : 0;
    }
    if (!c->first) c->first = type;
    switch (*form) { /* fast path for the most frequent letters */
    case 'v':
        c->packed |= m->ids[args[0]].flags & SPE_ID_PACKED_;
        return n;
    case 'i': case 'I': case 'g':
        if (t->kind == SPE_KIND_INT) return n;
        like = type;
        break;
    case 'p': case 'c':
        c->pointee = t->elem;
        c->packed |= m->ids[args[0]].flags & SPE_ID_PACKED_;
        if (t->kind == SPE_KIND_POINTER && (*form == 'p' || spe_is_writable_(t->storage))) return n;
        like = type;
        break;
    case 'n':
        if (spe_const_bits(m, args[0], &bits) && !bits) return spe_error_(m, SPE_ERR_RANGE, "a size is 0");
        like = type;
        break;
    case '*': case 'J': case 'G': case 'E': case 'e': like = c->pointee; break;
    case '~': like = spe_count(m, type) == spe_count(m, c->given) ? type : c->given; break;
    case 'q': like = spe_vec(m, spe_int(m, 32), spe_count(m, c->first)); break;
    case '.': like = spe_scalar_of(m, c->first); break;
    default: like = type; break;
    }
    if (type != like) return spe_disagree_(m, *form == 'q' ? c->first : like, type);
    if (!spe_is_(m, *form, type)) return 0;
    if (*form == 'P') c->pointee = t->elem;
    return *form != 'P' || spe_is_(m, 'N', c->pointee) ? n : 0;
}

/* Checks the operands of functions that emit several instructions. Returns the first one's type; 0 on an error. */
XE_FN_ spe_id spe_check_(spe_module *m, const char *name, const char *letters, ...)
{
    spe_call_ c;
    uint32_t n = 1;
    va_list values;
    c.first = c.pointee = c.given = c.packed = 0;
    m->doing = name;
    va_start(values, letters);
    for (uint32_t i = 0; letters[i]; i++) c.words[i] = va_arg(values, spe_id);
    va_end(values);
    for (uint32_t i = 0; letters[i] && n; i += n) n = spe_values_(m, &c, letters + i, c.words + i);
    return n ? c.first : 0;
}

/* -- instructions ------------------------------------------------------------------------------------------------ */

/* Before SPIR-V 1.3, subgroups use the group instructions. */
XE_ONCE_
static uint32_t spe_subgroup_op_(const spe_module *m, uint32_t op)
{
    if (m->options.version >= SPE_VERSION(1, 3)) return op;
    switch (op) {
    case SPE_OpGroupNonUniformBroadcast: return SPE_OpGroupBroadcast;
    case SPE_OpGroupNonUniformAll: return SPE_OpGroupAll;
    case SPE_OpGroupNonUniformAny: return SPE_OpGroupAny;
    default: return op;
    }
}

XE_FN_ spe_id spe_instruction_(spe_module *m, const char *name, uint32_t op, const char *form, const uint32_t *args)
{
    spe_call_ c;
    spe_id type, known;
    uint32_t n;
    char cooperative = 0; /* the letter of the given type; checked after the operands, which may be poison */
    c.first = c.pointee = c.given = c.count = c.packed = 0;
    m->doing = name;
    if (SPE_UNLIKELY_(m->vulkan) && !(op = m->vulkan->op(m, op, *args))) return 0;
    for (; *form != ':'; form++) {
        switch (*form) {
        case 'S': op = spe_subgroup_op_(m, op), c.words[c.count++] = spe_u32(m, SPE_ScopeSubgroup); break;
        case 'W': c.words[c.count++] = spe_u32(m, SPE_ScopeWorkgroup); break;
        case 'z': case 'j':
            if (!spe_is_word_(m, *form, op, *args)) return 0;
            c.words[c.count++] = spe_u32(m, *form == 'j' ? spe_semantics_(m, *args++) : *args++);
            break;
        case 'k': c.words[c.count++] = spe_u32(m, *args++); break;
        case 'T': c.words[c.count++] = spe_const_bool(m, *args++ != 0); break;
        case 'l': c.words[c.count++] = *args++; break;
        case 'R': c.words[c.count++] = SPE_GroupOperationReduce; break;
        case 'a': c.count += spe_access_(m, &c, *args++, false, c.words + c.count); break;
        case 'A': c.count += spe_access_(m, &c, *args++, true, c.words + c.count); break;
        case 't': case 'M': case 'C': case 'L':
            c.given = *args++;
            spe_want_type_(m, name, c.given);
            if (*form != 't') cooperative = *form == 'C' ? 'w' : 'm';
            if (*form == 'L') c.words[c.count++] = c.given;
            break;
        case 'o': case '?':
            if (*args && (*form == 'o' ? !spe_operand_(m, *args) : !spe_has_bits_(m, op, *args))) return 0;
            if (*args) c.words[c.count++] = *args;
            args++;
            break;
        default:
            n = spe_values_(m, &c, form, args);
            if (!n) return 0;
            for (form += n - 1; n; n--) c.words[c.count++] = *args++;
            break;
        }
        if (SPE_UNLIKELY_(m->error.id)) return 0;
    }
    if (SPE_UNLIKELY_(cooperative) && !spe_is_(m, cooperative, c.given)) return 0;
    if (*++form == '-') return spe_emit_(m, op, 0, c.count, c.words);
    if (*form == 'r' && spe_info_(m, c.first)->bits) return c.words[0];
    type = *form == '=' ? c.first : *form == '*' ? c.pointee : spe_result_(m, &c, *form);
    form++;
    known = type && *form ? spe_simplify_(m, op, type, form, &c) : 0;
    if (known && !(m->ids[known].flags & SPE_ID_CONSTANT_)) m->ids[known].flags |= SPE_ID_FOLDED_;
    if (known || !type) return known;
    known = spe_emit_(m, op, type, c.count, c.words);
    return SPE_UNLIKELY_(c.packed) && type != c.pointee ? spe_mark_packed_(m, known, c.packed) : known;
}

/* Same number and arrangement of components? */
XE_ONCE_
static bool spe_same_shape_(const spe_type_info *a, const spe_type_info *b)
{
    if (a->kind == SPE_KIND_COOPMAT && b->kind == SPE_KIND_COOPMAT)
        return a->rows == b->rows && a->cols == b->cols && a->use == b->use && a->scope == b->scope;
    if (a->bits && b->bits) return true;
    return a->kind == b->kind && a->count == b->count;
}

/* Converts v to `type`. The form is from:to; pointers convert to and from scalar integers only. */
XE_FN_ spe_id spe_convert_(spe_module *m, const char *name, uint32_t op, const char *form, spe_id type, spe_id v)
{
    bool pointer = form[0] == 'p' || form[2] == 'p', fits;
    spe_id from = (m->doing = name, spe_operand_(m, v));
    uint64_t x;
    if (!from || !spe_want_type_(m, name, type)) return 0;
    if (!spe_takes_(m, spe_kinds_(form[0]) | SPE_SMALL_, from)) return 0;
    if (!spe_takes_(m, spe_kinds_(form[2]) | SPE_SMALL_, type)) return 0;
    const spe_type_info *a = spe_info_(m, from);
    const spe_type_info *b = spe_info_(m, type);
    fits = pointer ? spe_count(m, from) < 2 && spe_count(m, type) < 2 : spe_same_shape_(a, b);
    if (!fits) return spe_disagree_(m, from, type);
    if (from == type) return v;
    if (a->bits && form[3] && spe_const_bits(m, v, &x)) {
        if (form[3] == 's') x = (uint64_t)spe_signed_(x, a->bits);
        return spe_const_scalar_(m, type, x & spe_mask_(b->bits));
    }
    return spe_emit_(m, op, type, 1, &v);
}
