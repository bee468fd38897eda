/* extinst.c - the instructions of OpenCL.std: names, and their type rules, in the language of rules.c. */
#include "reader.h"

/* Checks that a rule's words cannot express. */
enum extra {
    NOTHING,
    INT_LIKE_RESULT, /* the pointer is to 32-bit integers, as many as the result has components */
    OF_RESULT,       /* the pointer is to the result's components; the literal is their number */
    OF_DATA,         /* the pointer is to the data's components */
    HALF,            /* the pointer is to f16; a literal is the number of components or a rounding mode */
    WIDENS,          /* the result's integers are twice as wide */
    SHUFFLE,         /* selects components of the first operand by a mask of equal width */
    FORMAT           /* a format string, then any operands */
};

struct ext_row {
    uint16_t number;
    const char *name, *words;
    enum extra extra;
};
static const struct ext_row ext_rows[] = {
    {0, "acos", "f =", NOTHING},
    {1, "acosh", "f =", NOTHING},
    {2, "acospi", "f =", NOTHING},
    {3, "asin", "f =", NOTHING},
    {4, "asinh", "f =", NOTHING},
    {5, "asinpi", "f =", NOTHING},
    {6, "atan", "f =", NOTHING},
    {7, "atan2", "f = =", NOTHING},
    {8, "atanh", "f =", NOTHING},
    {9, "atanpi", "f =", NOTHING},
    {10, "atan2pi", "f = =", NOTHING},
    {11, "cbrt", "f =", NOTHING},
    {12, "ceil", "f =", NOTHING},
    {13, "copysign", "f = =", NOTHING},
    {14, "cos", "f =", NOTHING},
    {15, "cosh", "f =", NOTHING},
    {16, "cospi", "f =", NOTHING},
    {17, "erfc", "f =", NOTHING},
    {18, "erf", "f =", NOTHING},
    {19, "exp", "f =", NOTHING},
    {20, "exp2", "f =", NOTHING},
    {21, "exp10", "f =", NOTHING},
    {22, "expm1", "f =", NOTHING},
    {23, "fabs", "f =", NOTHING},
    {24, "fdim", "f = =", NOTHING},
    {25, "floor", "f =", NOTHING},
    {26, "fma", "f = = =", NOTHING},
    {27, "fmax", "f = =", NOTHING},
    {28, "fmin", "f = =", NOTHING},
    {29, "fmod", "f = =", NOTHING},
    {30, "fract", "f = p>", NOTHING},
    {31, "frexp", "f = p", INT_LIKE_RESULT},
    {32, "hypot", "f = =", NOTHING},
    {33, "ilogb", "i f#", NOTHING},
    {34, "ldexp", "f = i#", NOTHING},
    {35, "lgamma", "f =", NOTHING},
    {36, "lgamma_r", "f = p", INT_LIKE_RESULT},
    {37, "log", "f =", NOTHING},
    {38, "log2", "f =", NOTHING},
    {39, "log10", "f =", NOTHING},
    {40, "log1p", "f =", NOTHING},
    {41, "logb", "f =", NOTHING},
    {42, "mad", "f = = =", NOTHING},
    {43, "maxmag", "f = =", NOTHING},
    {44, "minmag", "f = =", NOTHING},
    {45, "modf", "f = p>", NOTHING},
    {46, "nan", "f i#", NOTHING},
    {47, "nextafter", "f = =", NOTHING},
    {48, "pow", "f = =", NOTHING},
    {49, "pown", "f = i#", NOTHING},
    {50, "powr", "f = =", NOTHING},
    {51, "remainder", "f = =", NOTHING},
    {52, "remquo", "f = = p", INT_LIKE_RESULT},
    {53, "rint", "f =", NOTHING},
    {54, "rootn", "f = i#", NOTHING},
    {55, "round", "f =", NOTHING},
    {56, "rsqrt", "f =", NOTHING},
    {57, "sin", "f =", NOTHING},
    {58, "sincos", "f = p>", NOTHING},
    {59, "sinh", "f =", NOTHING},
    {60, "sinpi", "f =", NOTHING},
    {61, "sqrt", "f =", NOTHING},
    {62, "tan", "f =", NOTHING},
    {63, "tanh", "f =", NOTHING},
    {64, "tanpi", "f =", NOTHING},
    {65, "tgamma", "f =", NOTHING},
    {66, "trunc", "f =", NOTHING},
    {67, "half_cos", "f =", NOTHING},
    {68, "half_divide", "f = =", NOTHING},
    {69, "half_exp", "f =", NOTHING},
    {70, "half_exp2", "f =", NOTHING},
    {71, "half_exp10", "f =", NOTHING},
    {72, "half_log", "f =", NOTHING},
    {73, "half_log2", "f =", NOTHING},
    {74, "half_log10", "f =", NOTHING},
    {75, "half_powr", "f = =", NOTHING},
    {76, "half_recip", "f =", NOTHING},
    {77, "half_rsqrt", "f =", NOTHING},
    {78, "half_sin", "f =", NOTHING},
    {79, "half_sqrt", "f =", NOTHING},
    {80, "half_tan", "f =", NOTHING},
    {81, "native_cos", "f =", NOTHING},
    {82, "native_divide", "f = =", NOTHING},
    {83, "native_exp", "f =", NOTHING},
    {84, "native_exp2", "f =", NOTHING},
    {85, "native_exp10", "f =", NOTHING},
    {86, "native_log", "f =", NOTHING},
    {87, "native_log2", "f =", NOTHING},
    {88, "native_log10", "f =", NOTHING},
    {89, "native_powr", "f = =", NOTHING},
    {90, "native_recip", "f =", NOTHING},
    {91, "native_rsqrt", "f =", NOTHING},
    {92, "native_sin", "f =", NOTHING},
    {93, "native_sqrt", "f =", NOTHING},
    {94, "native_tan", "f =", NOTHING},
    {95, "fclamp", "f = = =", NOTHING},
    {96, "degrees", "f =", NOTHING},
    {97, "fmax_common", "f = =", NOTHING},
    {98, "fmin_common", "f = =", NOTHING},
    {99, "mix", "f = = =", NOTHING},
    {100, "radians", "f =", NOTHING},
    {101, "step", "f = =", NOTHING},
    {102, "smoothstep", "f = = =", NOTHING},
    {103, "sign", "f =", NOTHING},
    {104, "cross", "V = =", NOTHING},
    {105, "distance", "F f f0", NOTHING},
    {106, "length", "F f", NOTHING},
    {107, "normalize", "f =", NOTHING},
    {108, "fast_distance", "F f f0", NOTHING},
    {109, "fast_length", "F f", NOTHING},
    {110, "fast_normalize", "f =", NOTHING},
    {141, "s_abs", "i =", NOTHING},
    {142, "s_abs_diff", "i = =", NOTHING},
    {143, "s_add_sat", "i = =", NOTHING},
    {144, "u_add_sat", "i = =", NOTHING},
    {145, "s_hadd", "i = =", NOTHING},
    {146, "u_hadd", "i = =", NOTHING},
    {147, "s_rhadd", "i = =", NOTHING},
    {148, "u_rhadd", "i = =", NOTHING},
    {149, "s_clamp", "i = = =", NOTHING},
    {150, "u_clamp", "i = = =", NOTHING},
    {151, "clz", "i =", NOTHING},
    {152, "ctz", "i =", NOTHING},
    {153, "s_mad_hi", "i = = =", NOTHING},
    {154, "u_mad_sat", "i = = =", NOTHING},
    {155, "s_mad_sat", "i = = =", NOTHING},
    {156, "s_max", "i = =", NOTHING},
    {157, "u_max", "i = =", NOTHING},
    {158, "s_min", "i = =", NOTHING},
    {159, "u_min", "i = =", NOTHING},
    {160, "s_mul_hi", "i = =", NOTHING},
    {161, "rotate", "i = =", NOTHING},
    {162, "s_sub_sat", "i = =", NOTHING},
    {163, "u_sub_sat", "i = =", NOTHING},
    {164, "u_upsample", "i i# i0", WIDENS},
    {165, "s_upsample", "i i# i0", WIDENS},
    {166, "popcount", "i =", NOTHING},
    {167, "s_mad24", "i = = =", NOTHING},
    {168, "u_mad24", "i = = =", NOTHING},
    {169, "s_mul24", "i = =", NOTHING},
    {170, "u_mul24", "i = =", NOTHING},
    {171, "vloadn", "V I p .", OF_RESULT},
    {172, "vstoren", "- V I p", OF_DATA},
    {173, "vload_half", "F I p", HALF},
    {174, "vload_halfn", "V I p .", HALF},
    {175, "vstore_half", "- F I p", HALF},
    {176, "vstore_half_r", "- F I p .", HALF},
    {177, "vstore_halfn", "- V I p", HALF},
    {178, "vstore_halfn_r", "- V I p .", HALF},
    {179, "vloada_halfn", "V I p .", HALF},
    {180, "vstorea_halfn", "- V I p", HALF},
    {181, "vstorea_halfn_r", "- V I p .", HALF},
    {182, "shuffle", "V V i#", SHUFFLE},
    {183, "shuffle2", "V V V0 i#", SHUFFLE},
    {184, "printf", "I p *", FORMAT},
    {185, "prefetch", "- p I", NOTHING},
    {186, "bitselect", "n = = =", NOTHING},
    {187, "select", "n = = i#", NOTHING},
    {201, "u_abs", "i =", NOTHING},
    {202, "u_abs_diff", "i = =", NOTHING},
    {203, "u_mul_hi", "i = =", NOTHING},
    {204, "u_mad_hi", "i = = =", NOTHING},
};

static const struct ext_row *find(uint32_t number)
{
    uint32_t low = 0, high = sizeof ext_rows / sizeof ext_rows[0], count = high;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ext_rows[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && ext_rows[low].number == number ? &ext_rows[low] : NULL;
}

const char *sp_ext_name(uint32_t instruction)
{
    const struct ext_row *row = find(instruction);
    return row ? row->name : NULL;
}

uint32_t sp_ext_literals(uint32_t instruction)
{
    const struct ext_row *row = find(instruction);
    const char *w;
    for (w = row ? row->words : ""; *w; w++)
        if (*w == '.') return 1;
    return 0;
}

static const struct sp_type *operand_type(const struct sp_reader *r, const struct sp_inst *i, uint32_t k)
{
    return k < i->count ? sp_value_type(r->m, i->operand[k]) : NULL;
}

static const struct sp_type *component(const struct sp_reader *r, const struct sp_type *t)
{
    return t->kind == SP_VECTOR ? sp_type(r->m, t->elem) : t;
}

/* The target type of the pointer operand; the words ensure that there is one. */
static const struct sp_type *pointee(const struct sp_reader *r, const struct sp_inst *i)
{
    uint32_t k;
    for (k = 2; k < i->count; k++) {
        const struct sp_type *t = operand_type(r, i, k);
        if (t && t->kind == SP_POINTER) return sp_type(r->m, t->elem);
    }
    return NULL;
}

static bool check_int_pointer(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_type *t = sp_type(r->m, i->type), *p = pointee(r, i);
    uint32_t want = t->kind == SP_VECTOR ? t->count : 1, have = p->kind == SP_VECTOR ? p->count : 1;
    if (component(r, p)->kind != SP_INT || component(r, p)->bits != 32 || want != have)
        return sp_refuse(r, i, "its pointer is not to 32-bit integers, one for each component");
    return true;
}

static bool check_half(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_type *p = pointee(r, i), *result = sp_type(r->m, i->type);
    const struct sp_type *data = result->kind == SP_VOID ? operand_type(r, i, 2) : result;
    if (p->kind != SP_FLOAT || p->bits != 16 || p->encoding != SP_IEEE)
        return sp_refuse(r, i, "its pointer is not to 16-bit floats");
    if (component(r, data)->kind != SP_FLOAT) return sp_refuse(r, i, "its data are not floats");
    if (!sp_ext_literals(i->operand[1])) return true;
    if (result->kind != SP_VOID && i->operand[i->count - 1] != result->count)
        return sp_refuse(r, i, "its literal is not the number of components");
    if (result->kind == SP_VOID && i->operand[i->count - 1] > SP_ROUND_RTN)
        return sp_refuse(r, i, "rounding mode %u", i->operand[i->count - 1]);
    return true;
}

static bool check_shuffle(struct sp_reader *r, const struct sp_inst *i)
{
    const struct sp_type *t = sp_type(r->m, i->type), *x = operand_type(r, i, 2),
                         *mask = operand_type(r, i, i->count - 1u);
    if (!sp_same(r->m, t->elem, x->elem)) return sp_refuse(r, i, "components of different types");
    if (component(r, mask)->bits != component(r, x)->bits)
        return sp_refuse(r, i, "the mask is not as wide as the components");
    return true;
}

static bool check_extra(struct sp_reader *r, const struct sp_inst *i, enum extra extra)
{
    const struct sp_type *t = sp_type(r->m, i->type);
    switch (extra) {
    case INT_LIKE_RESULT: return check_int_pointer(r, i);
    case OF_RESULT:
        if (!sp_same(r->m, pointee(r, i)->id, t->elem))
            return sp_refuse(r, i, "its pointer is not to the result's components");
        return i->operand[i->count - 1] == t->count || sp_refuse(r, i, "its literal is not the number of components");
    case OF_DATA:
        return sp_same(r->m, pointee(r, i)->id, component(r, operand_type(r, i, 2))->id) ||
               sp_refuse(r, i, "its pointer is not to the data's components");
    case HALF: return check_half(r, i);
    case WIDENS:
        return component(r, t)->bits == 2 * component(r, operand_type(r, i, 2))->bits ||
               sp_refuse(r, i, "its result is not twice as wide");
    case SHUFFLE: return check_shuffle(r, i);
    case FORMAT:
        t = pointee(r, i); /* an array's first element has the array's address */
        if (t->kind == SP_ARRAY) t = sp_type(r->m, t->elem);
        return (t->kind == SP_INT && t->bits == 8) || sp_refuse(r, i, "its format is not a pointer to bytes");
    default: return true;
    }
}

bool sp_check_ext(struct sp_reader *r, const struct sp_inst *i)
{
    const struct ext_row *row;
    if (i->operand[0] != r->m->opencl_std || r->m->opencl_std == 0)
        return sp_refuse(r, i, "%%%u is not OpenCL.std", sp_number(r->m, i->operand[0]));
    row = find(i->operand[1]);
    if (!row) return sp_refuse(r, i, "OpenCL.std has no instruction %u that the software device knows", i->operand[1]);
    if (row->words[0] == '-' && sp_type(r->m, i->type)->kind != SP_VOID)
        return sp_refuse(r, i, "%s has no result", row->name);
    return sp_match_words(r, i, row->words, 2) && check_extra(r, i, row->extra);
}
