/* math.c - OpenCL.std: a table row for each component-wise instruction, functions for the rest.
 *
 * The rows are in the language of ops.c. half_ and native_ forms are the full ones. The C library's functions meet the
 * OpenCL full profile; helpers that the C library lacks are in prelude_math.h.
 */
#include "codegen.h"
#include "ir/extinst.h"

#include <string.h>

struct ext_row {
    uint16_t number;
    const char *uniform, *varying, *f64; /* f64: for f64, uniform or varying; NULL: the same text */
};

/* Functions with the instruction's name, lane by lane: the C library's; our own; our own for f32, the C library's for
 * f64; and of integers (s_abs: sabs_u32). For all lanes at once: of f32, the C library's for f64; extremes of two. */
static const uint8_t libm[] = {EXT_ACOSH, EXT_ASINH, EXT_ATAN2,     EXT_ATANH,     EXT_CEIL,  EXT_COPYSIGN, EXT_COSH,
                               EXT_ERFC,  EXT_ERF,   EXT_EXPM1,     EXT_FDIM,      EXT_FLOOR, EXT_FMOD,     EXT_HYPOT,
                               EXT_LOG1P, EXT_LOGB,  EXT_NEXTAFTER, EXT_REMAINDER, EXT_RINT,  EXT_ROUND,    EXT_SINH,
                               EXT_SQRT,  EXT_TANH,  EXT_TGAMMA,    EXT_TRUNC};
static const uint8_t own[] = {EXT_ACOSPI, EXT_ASINPI, EXT_ATANPI,  EXT_ATAN2PI,    EXT_CBRT,   EXT_COSPI,
                              EXT_EXP10,  EXT_ILOGB,  EXT_LDEXP,   EXT_MAXMAG,     EXT_MINMAG, EXT_POW,
                              EXT_POWR,   EXT_ROOTN,  EXT_RSQRT,   EXT_SINPI,      EXT_TANPI,  EXT_DEGREES,
                              EXT_SIGN,   EXT_STEP,   EXT_RADIANS, EXT_SMOOTHSTEP, EXT_LGAMMA};
static const uint8_t own_f32[] = {EXT_ACOS, EXT_ASIN, EXT_ATAN, EXT_EXP, EXT_EXP2, EXT_LOG, EXT_LOG2, EXT_LOG10};
static const uint8_t turns[] = {EXT_SIN, EXT_COS, EXT_TAN};
static const uint8_t extremes[] = {EXT_FMAX, EXT_FMIN};
static const uint8_t integer_extremes[] = {EXT_S_MAX, EXT_U_MAX, EXT_S_MIN, EXT_U_MIN};
static const uint8_t integer[] = {EXT_S_ABS,     EXT_S_ABS_DIFF, EXT_S_ADD_SAT,  EXT_U_ADD_SAT, EXT_S_HADD,
                                  EXT_U_HADD,    EXT_S_RHADD,    EXT_U_RHADD,    EXT_CLZ,       EXT_CTZ,
                                  EXT_S_MAD_HI,  EXT_U_MAD_SAT,  EXT_S_MAD_SAT,  EXT_S_MUL_HI,  EXT_ROTATE,
                                  EXT_S_SUB_SAT, EXT_U_SUB_SAT,  EXT_POPCOUNT,   EXT_S_MAD24,   EXT_U_MAD24,
                                  EXT_S_MUL24,   EXT_U_MUL24,    EXT_U_ABS_DIFF, EXT_U_MUL_HI,  EXT_U_MAD_HI};
static const struct {
    const uint8_t *numbers;
    size_t count;
    const char *text, *f64;
} named[] = {
    {libm, sizeof libm, "@__builtin_%s%%l", NULL},
    {own, sizeof own, "@%s_%%j", NULL},
    {own_f32, sizeof own_f32, "@%s_f32", "@__builtin_%s"},
    {turns, sizeof turns, "$%s_f32(%%0)", "@__builtin_%s"},
    {extremes, sizeof extremes, "$%s_%%j(%%0, %%1)", NULL},
    {integer, sizeof integer, "@%s_%%k", NULL},
    {integer_extremes, sizeof integer_extremes, "$%s_%%k(%%0, %%1)", NULL},
};

/* The others. */
static const struct ext_row rows[] = {
    {EXT_FABS, "__builtin_fabs%l(%0)", "XS(fabs_%j)(%0)", NULL},
    {EXT_FMA, "$fma%h_%j(%0, %1, %2)", NULL, NULL},
    {EXT_MAD, "%0 * %1 + %2", NULL, NULL},
    {EXT_NAN, "$nan_%k(%0)", NULL, NULL},
    {EXT_POWN, "$pown_f32(%0, %1)", NULL, "@pown_f64"},
    {EXT_HALF_DIVIDE, "%0 / %1", NULL, NULL},
    {EXT_HALF_RECIP, "1 / %0", NULL, NULL},
    {EXT_FCLAMP, "$fmin_%j($fmax_%j(%0, %1), %2)", NULL, NULL},
    {EXT_MIX, "%0 + (%1 - %0) * %2", NULL, NULL},
    {EXT_S_CLAMP, "$smin_%k($smax_%k(%0, %1), %2)", NULL, NULL},
    {EXT_U_CLAMP, "$umin_%k($umax_%k(%0, %1), %2)", NULL, NULL},
    {EXT_U_UPSAMPLE, "(%t)((%t)%0 << (4 * sizeof(%t)) | (%t)%1)",
     "XS_CONVERT(%0, %t) << (int)(4 * sizeof(%0[0]) * 2) | XS_CONVERT(%1, %t)", NULL},
    {EXT_S_UPSAMPLE, "(%t)((%t)%0 << (4 * sizeof(%t)) | (%t)%1)",
     "XS_CONVERT(%0, %t) << (int)(4 * sizeof(%0[0]) * 2) | XS_CONVERT(%1, %t)", NULL},
    {EXT_U_ABS, "%0", NULL, NULL},
};

/* The text for a function with the instruction's name; of integers, without the first underscore. `f64`: for f64. */
static const char *named_text(struct cg *g, uint32_t number, bool f64)
{
    const char *name = sp_ext_name(number);
    for (size_t k = 0; k < sizeof named / sizeof *named; k++) {
        if (!memchr(named[k].numbers, (int)number, named[k].count)) continue;
        const char *line = number >= EXT_S_ABS ? strchr(name, '_') : NULL;
        if (line) name = cg_str(g, "%.*s%s", (int)(line - name), name, line + 1);
        return cg_str(g, f64 && named[k].f64 ? named[k].f64 : named[k].text, name);
    }
    return NULL;
}

/* half_cos to half_tan, native_cos to native_tan, and the common extremes: the number of the full one, or of a row of
 * their own. */
static uint32_t full_form(uint32_t number)
{
    static const uint8_t forms[] = {EXT_COS,   EXT_HALF_DIVIDE, EXT_EXP,   EXT_EXP2, EXT_EXP10,
                                    EXT_LOG,   EXT_LOG2,        EXT_LOG10, EXT_POWR, EXT_HALF_RECIP,
                                    EXT_RSQRT, EXT_SIN,         EXT_SQRT,  EXT_TAN};
    if (number == EXT_FMAX_COMMON) return EXT_FMAX;
    if (number == EXT_FMIN_COMMON) return EXT_FMIN;
    return number < EXT_HALF_COS || number > EXT_NATIVE_TAN ? number : forms[(number - EXT_HALF_COS) % 14];
}

/* ---- two results: the second is stored through the last operand */

static const struct {
    uint32_t number;
    const char *first, *second;
} pairs[] = {
    {EXT_FRACT, "@fract%h_%j", "@__builtin_floor%l"},     {EXT_FREXP, "@frexp_%j", "@frexp_exponent_%j"},
    {EXT_LGAMMA_R, "@lgamma_%j", "@lgamma_sign_%j"},      {EXT_MODF, "@modf_%j", "@__builtin_trunc%l"},
    {EXT_REMQUO, "@__builtin_remainder%l", "@remquo_%j"}, {EXT_SINCOS, NULL, NULL}, /* those of sin and cos */
};

static uint32_t arguments(struct cg *g, uint32_t leaf, uint32_t first, uint32_t n, bool varying, enum cg_kind *kind,
                          const char **arg)
{
    for (uint32_t k = 0; k < n; k++) {
        uint32_t id = cg_operand(g, first + k);
        const struct cg_leaves *l = cg_value_leaves(g, id);
        kind[k] = l->count ? l->leaf[leaf < l->count ? leaf : 0].kind : CG_U32;
        arg[k] = cg_leaf_use(g, id, leaf, varying);
    }
    return n;
}

static void write_pair(struct cg *g, size_t row, const struct cg_leaves *l, bool varying)
{
    uint32_t n = g->w->inst->count - 3, pointer = g->w->inst->operand[g->w->inst->count - 1];
    const struct cg_leaves *to = cg_leaves_of(g, cg_type_of(g, pointer)->elem);
    for (uint32_t i = 0; i < l->count && i < to->count; i++) {
        enum cg_kind kind[4];
        const char *arg[4];
        arguments(g, i, 2, n < 3 ? n : 3, varying, kind, arg);
        bool f64 = kind[0] == CG_F64;
        const char *first = pairs[row].first ? pairs[row].first : named_text(g, EXT_SIN, f64);
        const char *second = pairs[row].second ? pairs[row].second : named_text(g, EXT_COS, f64);
        const char *t = cg_temporary(g, cg_kind_type(g, to->leaf[i].kind, varying));
        cg_put(g, "    %s = %s;\n", t, cg_applied(g, to->leaf[i].kind, second, n, kind, arg, varying));
        cg_set_leaf(g, i, cg_applied(g, l->leaf[i].kind, first, n, kind, arg, varying));
        cg_store_leaf(g, pointer, to->leaf[i].offset, to->leaf[i].kind, t, varying);
    }
}

/* ---- geometry: sums of squares in f64, in which those of f32 neither overflow nor lose digits */

static const char *wide_leaf(struct cg *g, uint32_t id, uint32_t leaf, bool varying)
{
    enum cg_kind kind = cg_kind_of(g, id);
    const char *e = cg_widen(g, kind, varying, cg_leaf_use(g, id, leaf, varying));
    return cg_str(g, varying ? "XS_CONVERT(%s, f64x)" : "(f64)(%s)", e);
}

/* The length of a - b if there is a `b`, of a * scale if there is a `scale`. */
static const char *length_of(struct cg *g, uint32_t a, uint32_t b, const char *scale, bool varying)
{
    const struct cg_leaves *l = cg_value_leaves(g, a);
    uint32_t n = l->count;
    bool exact_squares = l->leaf[0].kind != CG_F64; /* squares of f64 may be too large or too small */
    const char *sum = cg_temporary(g, varying ? "f64x" : "f64"), *d = cg_temporary(g, varying ? "f64x" : "f64");
    for (uint32_t i = 0; i < n; i++) {
        cg_put(g, "    %s = %s%s%s;\n", d, wide_leaf(g, a, i, varying),
               b       ? " - "
               : scale ? " * "
                       : "",
               b       ? wide_leaf(g, b, i, varying)
               : scale ? scale
                       : "");
        if (!exact_squares)
            cg_call(g, varying, sum, "f64", "__builtin_hypot", 2, (const char *const[]){"f64", "f64"},
                    (const char *const[]){i         ? sum
                                          : varying ? "(f64x){0}"
                                                    : "0",
                                          d});
        else
            cg_put(g, "    %s = %s%s%s * %s;\n", sum, i ? sum : "", i ? " + " : "", d, d);
    }
    if (!exact_squares) return sum;
    cg_call(g, varying, sum, "f64", "__builtin_sqrt", 1, (const char *const[]){"f64"}, (const char *const[]){sum});
    return sum;
}

static void set_from_wide(struct cg *g, uint32_t leaf, const char *e)
{
    enum cg_kind kind = cg_leaves_of(g, g->w->inst->type)->leaf[leaf].kind;
    bool varying = cg_is_varying(g, g->w->inst->id);
    if (kind != CG_F64) e = cg_str(g, varying ? "XS_CONVERT(%s, f32x)" : "(f32)(%s)", e);
    cg_set_leaf(g, leaf, cg_narrow(g, kind, varying, e));
}

/* A factor to scale f64 vectors before normalising, if they are so large that the length may overflow. */
static const char *scale_of(struct cg *g, uint32_t a, bool varying)
{
    const struct cg_leaves *l = cg_value_leaves(g, a);
    if (l->leaf[0].kind != CG_F64) return NULL;
    const char *scale = cg_evaluated(g, varying ? "f64x" : "f64", varying ? "(f64x){0} + 1.0" : "1.0");
    for (uint32_t i = 0; i < l->count; i++) {
        const char *x = wide_leaf(g, a, i, varying);
        if (varying)
            cg_put(g,
                   "    %s = XS(sel_f64)(XS_CONVERT(XS_COMPARE(%s * %s, >, (f64x){0} + 0x1p1000), i32x), "
                   "(f64x){0} + 0.25, %s);\n",
                   scale, x, x, scale);
        else
            cg_put(g, "    if (%s * %s > 0x1p1000) %s = 0.25;\n", x, x, scale);
    }
    return scale;
}

static void write_geometry(struct cg *g, uint32_t number)
{
    uint32_t a = cg_operand(g, 2), b = cg_operand(g, 3), n = cg_leaves_of(g, g->w->inst->type)->count;
    bool varying = cg_is_varying(g, g->w->inst->id);
    if (number == EXT_CROSS) {
        for (uint32_t i = 0; i < n; i++) {
            uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
            set_from_wide(g, i,
                          i == 3
                              ? (varying ? "(f64x){0}" : "0.0")
                              : cg_str(g, "%s * %s - %s * %s", wide_leaf(g, a, j, varying), wide_leaf(g, b, k, varying),
                                       wide_leaf(g, a, k, varying), wide_leaf(g, b, j, varying)));
        }
    } else if (number == EXT_NORMALIZE || number == EXT_FAST_NORMALIZE) {
        const char *scale = scale_of(g, a, varying), *length = length_of(g, a, 0, scale, varying);
        cg_put(g,
               varying
                   ? "    %s += (f64x)(XS_CONVERT(XS_COMPARE(%s, ==, (f64x){0}), i64x) & (i64x)((f64x){0} + 1.0));\n"
                   : "    %s += %s == 0;\n",
               length, length);
        for (uint32_t i = 0; i < n; i++)
            set_from_wide(
                g, i,
                cg_str(g, "%s%s%s / %s", wide_leaf(g, a, i, varying), scale ? " * " : "", scale ? scale : "", length));
    } else {
        if (number != EXT_DISTANCE && number != EXT_FAST_DISTANCE) b = 0;
        set_from_wide(g, 0, length_of(g, a, b, NULL, varying));
    }
}

/* ---- vector loads and stores */

/* The address of element `offset` of `stride` bytes from a pointer, in a temporary. */
static const char *element_address(struct cg *g, uint32_t pointer, uint32_t offset, uint32_t stride, bool varying)
{
    const char *e = cg_resize(g, cg_use(g, offset, varying), cg_kind_of(g, offset), CG_U64, true, varying);
    e = cg_str(g, "%s + %s * %uu", cg_use(g, pointer, varying), e, stride);
    return cg_evaluated(g, varying ? "u64x" : "u64", e);
}

static void write_vector_load(struct cg *g, uint32_t how, const struct cg_leaves *l, bool varying)
{
    bool half = how & CG_HALF, aligned = how & CG_ALIGNED;
    uint32_t bytes = half ? 2 : cg_kind_bytes(l->leaf[0].kind), n = l->count == 3 && aligned ? 4 : l->count;
    const char *at = element_address(g, cg_operand(g, 3), cg_operand(g, 2), n * bytes, varying);
    for (uint32_t i = 0; i < l->count; i++) {
        const char *bits = cg_kind_name(cg_bits_kind(bytes));
        const char *e = varying ? cg_str(g, "XS(load_%s)(%s + %uu, %s)", bits, at, i * bytes, g->w->bits)
                                : cg_str(g, "XS_AT(%s, %s + %uu)", bits, at, i * bytes);
        if (half) e = cg_widen(g, CG_F16, varying, e);
        if (half && l->leaf[i].kind == CG_F64) e = cg_str(g, varying ? "XS_CONVERT(%s, f64x)" : "(f64)%s", e);
        cg_set_leaf(g, i, half ? e : cg_from_bits(g, l->leaf[i].kind, varying, e));
    }
}

static const char *as_half(struct cg *g, enum cg_kind kind, const char *e, uint32_t rounding, bool varying)
{
    static const char *const names[] = {"rte", "rtz", "rtp", "rtn"};
    if (kind == CG_F64 || rounding != 0) {
        const char *t = cg_temporary(g, varying ? "u16x" : "u16");
        if (kind != CG_F64) e = cg_str(g, varying ? "XS_CONVERT(%s, f64x)" : "(f64)(%s)", e);
        cg_call(g, varying, t, "u16", cg_str(g, "f64_to_f16_%s", names[rounding & 3]), 1,
                (const char *const[]){"f64"}, &e);
        return t;
    }
    return cg_narrow(g, CG_F16, varying, e);
}

static void write_vector_store(struct cg *g, uint32_t how)
{
    bool half = how & CG_HALF, aligned = how & CG_ALIGNED;
    uint32_t data = cg_operand(g, 2), pointer = cg_operand(g, 4);
    const struct cg_leaves *l = cg_value_leaves(g, data);
    bool varying = cg_is_varying(g, data) || cg_is_varying(g, pointer) || cg_is_varying(g, cg_operand(g, 3));
    uint32_t bytes = half ? 2 : cg_kind_bytes(l->leaf[0].kind), n = l->count == 3 && aligned ? 4 : l->count;
    uint32_t rounding = how & CG_ROUNDED ? cg_operand(g, 5) : 0;
    const char *at = element_address(g, pointer, cg_operand(g, 3), n * bytes, varying);
    for (uint32_t i = 0; i < l->count; i++) {
        const char *bits = cg_kind_name(cg_bits_kind(bytes)), *e = cg_leaf_use(g, data, i, varying);
        e = half ? as_half(g, l->leaf[i].kind, e, rounding, varying) : cg_to_bits(g, l->leaf[i].kind, varying, e);
        if (varying)
            cg_put(g, "    XS(store_%s)(%s + %uu, %s, %s);\n", bits, at, i * bytes, e, g->w->bits);
        else
            cg_put(g, "    XS_AT(%s, %s + %uu) = %s;\n", bits, at, i * bytes, e);
    }
}

/* ---- the others */

static void write_component_shuffle(struct cg *g, bool two, const struct cg_leaves *l, bool varying)
{
    uint32_t x = cg_operand(g, 2), y = two ? cg_operand(g, 3) : 0, mask = cg_operand(g, two ? 4 : 3);
    uint32_t n = cg_value_leaves(g, x)->count, all = two ? 2 * n : n;
    for (uint32_t i = 0; i < l->count; i++) {
        enum cg_kind kind = l->leaf[i].kind;
        const char *r = cg_temporary(g, cg_kind_type(g, kind, varying));
        for (uint32_t k = 0; k < all; k++) {
            const char *e = cg_leaf_use(g, k < n ? x : y, k % n, varying), *at = cg_leaf_use(g, mask, i, varying);
            const char *hit =
                varying ? cg_str(g, "XS_COMPARE((%s & %u), ==, ((__typeof__(%s)){0} + %u))", at, all - 1, at, k)
                        : cg_str(g, "(%s & %u) == %u", at, all - 1, k);
            if (k && varying) e = cg_select(g, kind, hit, e, r);
            if (k && !varying) cg_put(g, "    if (%s) ", hit);
            cg_put(g, "    %s = %s;\n", r, e);
        }
        cg_set_leaf(g, i, r);
    }
}

static void write_bit_select(struct cg *g, const struct cg_leaves *l, bool varying)
{
    for (uint32_t i = 0; i < l->count; i++) {
        enum cg_kind kind = l->leaf[i].kind;
        const char *e[3];
        for (uint32_t k = 0; k < 3; k++)
            e[k] = cg_to_bits(g, kind, varying, cg_leaf_use(g, cg_operand(g, 2 + k), i, varying));
        cg_set_leaf(g, i,
                    cg_from_bits(g, kind, varying, cg_str(g, "((%s & ~%s) | (%s & %s))", e[0], e[2], e[1], e[2])));
    }
}

/* Vectors select by the top bit of each condition, scalars by whether it is zero. */
static void write_select(struct cg *g, const struct cg_leaves *l, bool varying)
{
    uint32_t c = cg_operand(g, 4);
    enum cg_kind ck = cg_kind_of(g, c);
    for (uint32_t i = 0; i < l->count; i++) {
        const char *a = cg_leaf_use(g, cg_operand(g, 2), i, varying), *b = cg_leaf_use(g, cg_operand(g, 3), i, varying);
        const char *type = cg_kind_signed(g, ck, varying), *how = l->count > 1 ? "<" : "!=";
        const char *e = cg_leaf_use(g, c, i, varying);
        if (varying) {
            const char *mask = cg_str(g, "XS_COMPARE((%s)%s, %s, (%s){0})", type, e, how, type);
            cg_set_leaf(g, i, cg_select(g, l->leaf[i].kind, mask, b, a));
        } else {
            cg_set_leaf(g, i, cg_str(g, "(%s)%s %s 0 ? %s : %s", type, e, how, b, a));
        }
    }
}

/* printf lane by lane: the arguments' kinds as a table, their values as 64 bits each. */
static void write_printf(struct cg *g)
{
    uint32_t n = g->w->inst->count - 3, values = 0, at = 0;
    const char *format = cg_temporary(g, "u64x"), *kinds = "", *set = "";
    for (uint32_t k = 0; k < n; k++) {
        uint32_t id = cg_operand(g, 3 + k);
        const struct sp_type *t = cg_type_of(g, id);
        const struct cg_leaves *l = cg_value_leaves(g, id);
        enum cg_kind kind = l->count ? l->leaf[0].kind : CG_U32;
        kinds = cg_str(g, "%s'%c', %u, %u, ", kinds,
                       t->kind == SP_POINTER    ? 'p'
                       : cg_kind_is_float(kind) ? 'f'
                                                : 'i',
                       cg_kind_bytes(kind), l->count);
        values += l->count;
    }
    cg_put(g, "    %s = %s;\n    {\n    static const u8 kinds_[] = {%s0};\n    u64 values_[%u];\n", format,
           cg_use(g, cg_operand(g, 2), true), kinds, values + 1);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t id = cg_operand(g, 3 + k);
        const struct cg_leaves *l = cg_value_leaves(g, id);
        for (uint32_t i = 0; i < l->count; i++, at++) {
            enum cg_kind kind = l->leaf[i].kind, wide = cg_kind_is_small_float(kind) ? CG_F32 : kind;
            const char *t = cg_widen(g, kind, true, cg_leaf_use(g, id, i, true));
            t = cg_evaluated(g, cg_kind_type(g, wide, true), t);
            set = cg_str(g,
                         cg_kind_is_float(wide) ? "%s    values_[%u] = bits_f64((f64)%s[l]);\n"
                                                : "%s    values_[%u] = (u64)%s[l];\n",
                         set, at, t);
        }
    }
    cg_put(g, "    XS_EACH (l, %s) {\n%s    self->print(self, %s[l], kinds_, %u, values_);\n    }\n    }\n",
           g->w->bits, set, format, n);
    cg_set_leaf(g, 0, cg_is_varying(g, g->w->inst->id) ? "(u32x){0}" : "0");
}

static bool write_row(struct cg *g, uint32_t number, const struct cg_leaves *l, bool varying)
{
    size_t r = 0, count = sizeof rows / sizeof *rows;
    number = full_form(number);
    while (r < count && rows[r].number != number) r++;
    bool f64 = cg_kind_of(g, cg_operand(g, 2)) == CG_F64;
    const char *text = r == count                   ? named_text(g, number, f64)
                       : f64 && rows[r].f64         ? rows[r].f64
                       : varying && rows[r].varying ? rows[r].varying
                                                    : rows[r].uniform;
    if (!text || g->w->inst->count < 3 || g->w->inst->count > 6) return false;
    for (uint32_t i = 0; i < l->count; i++) {
        enum cg_kind kind[4];
        const char *arg[4];
        uint32_t n = arguments(g, i, 2, g->w->inst->count - 2, varying, kind, arg);
        if (number == EXT_NEXTAFTER && l->leaf[i].kind == CG_F16) { /* the neighbour among f16, not f32 */
            const char *t = cg_temporary(g, cg_kind_type(g, CG_F16, varying));
            cg_call(g, varying, t, "u16", "nextafter_f16", 2, (const char *const[]){"u16", "u16"}, arg);
            cg_set_leaf(g, i, t);
            continue;
        }
        if (number == EXT_NAN && kind[0] == CG_U16) { /* the payload moves to the f32 bits that hold the half's */
            arg[0] = cg_str(g, varying ? "(XS_CONVERT(%s, u32x) << 13)" : "((u32)%s << 13)", arg[0]);
            kind[0] = CG_U32;
        }
        cg_set_leaf(g, i, cg_applied(g, l->leaf[i].kind, text, n, kind, arg, varying));
    }
    return true;
}

bool cg_write_math(struct cg *g)
{
    if (g->w->inst->op != SP_OP_ExtInst || g->w->inst->operand[0] != g->m->opencl_std) return false;
    uint32_t number = g->w->inst->operand[1];
    bool varying = cg_is_varying(g, g->w->inst->id), has_result = sp_type(g->m, g->w->inst->type)->kind != SP_VOID;
    const struct cg_leaves *l = cg_leaves_of(g, has_result ? g->w->inst->type : 0);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (pairs[i].number != number) continue;
        write_pair(g, i, l, varying);
        return true;
    }
    uint32_t how = cg_vector_access(number);
    if (how) {
        if (how & CG_LOADS)
            write_vector_load(g, how, l, varying);
        else
            write_vector_store(g, how);
        return true;
    }
    switch (number) {
    case EXT_CROSS:
    case EXT_DISTANCE:
    case EXT_LENGTH:
    case EXT_NORMALIZE:
    case EXT_FAST_DISTANCE:
    case EXT_FAST_LENGTH:
    case EXT_FAST_NORMALIZE: write_geometry(g, number); return true;
    case EXT_SHUFFLE: write_component_shuffle(g, false, l, varying); return true;
    case EXT_SHUFFLE2: write_component_shuffle(g, true, l, varying); return true;
    case EXT_PREFETCH: return true; /* a hint */
    case EXT_PRINTF: write_printf(g); return true;
    case EXT_BITSELECT: write_bit_select(g, l, varying); return true;
    case EXT_SELECT: write_select(g, l, varying); return true;
    default: return write_row(g, number, l, varying);
    }
}
