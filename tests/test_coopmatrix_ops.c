/* test_coopmatrix_ops.c - what coopmatrix.h does with matrices that are already loaded: arithmetic and functions on
 * components, conversions with stated rounding, apply, insert, transposing, repeating, reductions, atomics, complex
 * matrices, local memory and strides. A kernel of one subgroup has up to a dozen cases, each with memory of its own;
 * results are compared with f64 or exact integers, element by element, and the bytes beside them must stay. */
#include "../coopmatrix.h"
#include "../ze_dispatch.h"
#include "test.h"

#include <complex.h>
#undef I /* of complex.h */

enum { SLOT = 4096, OPERANDS = 4, KERNEL_CASES = 12, MAX_CASES = 160 }; /* bytes of a case's A, B, C, D */

typedef double _Complex number;

static zed_device device;
static bool have_device;

/* ---- numbers in memory ------------------------------------------------------------------------------------------- */

static double get_real(cm_type type, const void *base, long i)
{
    switch (type) {
    case CM_F64:
    case CM_C64: return ((const double *)base)[i];
    case CM_F32:
    case CM_TF32:
    case CM_C32: return (double)((const float *)base)[i];
    case CM_F16: return (double)spe_f16_bits_to_f32(((const uint16_t *)base)[i]);
    case CM_BF16: return (double)spe_bf16_bits_to_f32(((const uint16_t *)base)[i]);
    case CM_E4M3: return (double)spe_e4m3_bits_to_f32(((const uint8_t *)base)[i]);
    case CM_E5M2: return (double)spe_e5m2_bits_to_f32(((const uint8_t *)base)[i]);
    case CM_I8: return (double)((const int8_t *)base)[i];
    case CM_U8: return (double)((const uint8_t *)base)[i];
    case CM_I16: return (double)((const int16_t *)base)[i];
    case CM_U16: return (double)((const uint16_t *)base)[i];
    case CM_I32: return (double)((const int32_t *)base)[i];
    case CM_U32: return (double)((const uint32_t *)base)[i];
    case CM_I64: return (double)((const int64_t *)base)[i];
    case CM_U64: return (double)((const uint64_t *)base)[i];
    default: return NAN;
    }
}

static void put_real(cm_type type, void *base, long i, double v)
{
    switch (type) {
    case CM_F64:
    case CM_C64: ((double *)base)[i] = v; break;
    case CM_F32:
    case CM_C32: ((float *)base)[i] = (float)v; break;
    case CM_TF32: ((float *)base)[i] = spe_f32_to_tf32((float)v); break;
    case CM_F16: ((uint16_t *)base)[i] = spe_f32_to_f16_bits((float)v); break;
    case CM_BF16: ((uint16_t *)base)[i] = spe_f32_to_bf16_bits((float)v); break;
    case CM_E4M3: ((uint8_t *)base)[i] = spe_f32_to_e4m3_bits((float)v, true); break;
    case CM_E5M2: ((uint8_t *)base)[i] = spe_f32_to_e5m2_bits((float)v, true); break;
    case CM_I8: ((int8_t *)base)[i] = (int8_t)v; break;
    case CM_U8: ((uint8_t *)base)[i] = (uint8_t)v; break;
    case CM_I16: ((int16_t *)base)[i] = (int16_t)v; break;
    case CM_U16: ((uint16_t *)base)[i] = (uint16_t)v; break;
    case CM_I32: ((int32_t *)base)[i] = (int32_t)v; break;
    case CM_U32: ((uint32_t *)base)[i] = (uint32_t)v; break;
    case CM_I64: ((int64_t *)base)[i] = (int64_t)v; break;
    case CM_U64: ((uint64_t *)base)[i] = (uint64_t)v; break;
    default: break;
    }
}

static number get(cm_type type, const void *base, long i)
{
    if (!cm_is_complex(type)) return get_real(type, base, i);
    return CMPLX(get_real(type, base, 2 * i), get_real(type, base, 2 * i + 1));
}

/* What the components' arithmetic is done in: one unit in its last place, relative. */
static double unit(cm_type type)
{
    const cm_type_row *t = cm_type_info(type);
    if (t->kind == CM_KIND_INT) return 0;
    return type == CM_F64 || type == CM_C64 ? 0x1p-52 : type == CM_F16 ? 0x1p-10 : 0x1p-23;
}

/* Rounding to the component type: half a unit, relative, and half the smallest number.
 * What is computed in f32 first is rounded there too. */
static double half_unit(cm_type type, double v)
{
    switch (type) {
    case CM_TF32: return (0x1p-11 + 0x1p-24) * v;
    case CM_F16: return 0x1p-11 * v + 0x1p-25;
    case CM_BF16: return (0x1p-8 + 0x1p-24) * v;
    case CM_E4M3: return (0x1p-4 + 0x1p-24) * v + 0x1p-10;
    case CM_E5M2: return (0x1p-3 + 0x1p-24) * v + 0x1p-17;
    case CM_F64:
    case CM_C64: return 0x1p-53 * v;
    case CM_F32:
    case CM_C32: return 0x1p-24 * v;
    default: return 0;
    }
}

/* An integer as its type holds it. */
static double wrap(cm_type type, double v)
{
    double range = ldexp(1, cm_type_info(type)->storage_bits);
    if (cm_type_info(type)->bytes == 8) return type == CM_U64 && v < 0 ? v + range : v; /* small, and rounded alike */
    v -= floor(v / range) * range;
    return cm_type_info(type)->is_signed && v >= range / 2 ? v - range : v;
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

typedef enum {
    BINARY,
    UNARY,
    CONVERT,
    APPLY,
    INSERT,
    TRANSPOSE,
    REPEAT,
    REDUCE,
    PRODUCT,
    SATURATING,
    SCALE,
    LOCAL,
    COPY,
    ATOMIC_LOAD,
    ATOMIC_STORE,
    ATOMIC_ADD,
    ATOMIC_MIN,
    ATOMIC_MAX
} kind;

typedef enum { NORMAL, POSITIVE, UNIT, LARGE } domain; /* of the numbers in A and B */

/* A, B are M x N (of a product M x K and K x N, C M x N); D is rows x cols. */
typedef struct {
    kind what;
    int op; /* cm_op or cm_unary_op */
    int M, N, K, rows, cols;
    cm_type a, b, c, d;
    cm_use use, use_d;
    domain numbers;
    cm_direction by;
    cm_rounding rounding;
    bool saturate;
    int stride_row, stride_col; /* of A in memory; 0: contiguous rows, rows */
    bool put_transposed;        /* D is written as its transpose */
    bool cut, transposed;       /* cut: the extents leave out the last row and column, and both are checked */
} op_case;

typedef struct {
    op_case list[MAX_CASES];
    int count;
} case_list;

/* A case on M x N with all types and uses alike. */
static op_case *add(case_list *l, kind what, int op, int M, int N, cm_type type, cm_use use)
{
    op_case *t = &l->list[l->count];
    if (l->count < MAX_CASES - 1)
        l->count++;
    else
        test_fail(__FILE__, __LINE__, "too many cases");
    memset(t, 0, sizeof *t);
    t->what = what;
    t->op = op;
    t->M = t->rows = M;
    t->N = t->cols = N;
    t->a = t->b = t->c = t->d = type;
    t->use = t->use_d = use;
    return t;
}

static void describe(const op_case *t, char *text, size_t size)
{
    static const char *const names[] = {"binary",     "unary",      "convert",   "apply",       "insert",
                                        "transpose",  "repeat",     "reduce",    "product",     "saturating product",
                                        "scale",      "local",      "copy",      "atomic load", "atomic store",
                                        "atomic add", "atomic min", "atomic max"};
    snprintf(text, size, "%s %d, %d x %d (%d) %s %s -> %d x %d %s %s, by %d, rounding %d%s%s%s", names[t->what], t->op,
             t->M, t->N, t->K, cm_type_info(t->a)->name, cm_use_name(t->use), t->rows, t->cols,
             cm_type_info(t->d)->name, cm_use_name(t->use_d), (int)t->by, (int)t->rounding,
             t->saturate ? ", saturating" : "", t->cut ? ", cut" : "", t->transposed ? ", transposed" : "");
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

/* Operand `which` of case `number` of the kernel. */
static cm_mem memory_of(cm_ctx *c, const op_case *t, int number, int which)
{
    const cm_type types[] = {t->a, t->b, t->c, t->d};
    spe_module *m = c->m;
    cm_mem mem;
    int rows = which == 3 ? t->rows : which == 1 && t->K ? t->K : t->M;
    int cols = which == 3 ? t->cols : which == 0 && t->K ? t->K : t->N;
    memset(&mem, 0, sizeof mem);
    mem.ptr = spe_index(m, spe_param_id(m, (uint32_t)which), spe_u64(m, (uint64_t)number * SLOT));
    mem.ptr = spe_ptr_cast(m, mem.ptr, cm_storage_type(c, types[which]));
    mem.stride_col = spe_i32(m, rows);
    if (which == 0 && t->stride_row) {
        mem.stride_row = spe_i32(m, t->stride_row);
        mem.stride_col = spe_i32(m, t->stride_col);
    }
    mem.transposed = which == 0 ? t->transposed : which == 3 && t->put_transposed;
    if (which == 3 && t->put_transposed) mem.stride_col = spe_i32(m, cols);
    if (t->cut && (which == 0 || which == 3)) {
        bool swapped = mem.transposed;
        mem.rows = spe_i32(m, (swapped ? cols : rows) - 1);
        mem.cols = spe_i32(m, (swapped ? rows : cols) - 1);
    }
    return mem;
}

/* Through local memory and back, with strides that leave gaps, read as the transpose of what was written. */
static cm_matrix through_local(cm_ctx *c, const op_case *t, const cm_matrix *a)
{
    spe_module *m = c->m;
    spe_id elem = cm_storage_type(c, t->a), zero = spe_i32(m, 0);
    spe_id array = spe_shared_var(m, spe_array(m, elem, (uint32_t)(t->M * 2 + t->N * (t->M * 2 + 3))));
    cm_mem mem;
    memset(&mem, 0, sizeof mem);
    mem.ptr = spe_element(m, array, 1, &zero);
    mem.stride_row = spe_i32(m, 2);
    mem.stride_col = spe_i32(m, t->M * 2 + 3);
    cm_store(c, a, &mem);
    spe_barrier(m);
    mem.transposed = true;
    return cm_load(c, t->rows, t->cols, t->a, t->use_d, &mem);
}

static spe_id number_of(cm_ctx *c, cm_type type, double v)
{
    spe_id id = cm_storage_type(c, type);
    return cm_type_info(type)->kind == CM_KIND_INT ? spe_const_i(c->m, id, (int64_t)v) : spe_const_f(c->m, id, v);
}

/* v + 16 row + column, but the component alone above the diagonal. */
static cm_matrix applied(cm_ctx *c, const cm_matrix *a)
{
    spe_module *m = c->m;
    spe_id type = cm_arith_type(c, a->l.type);
    bool is_int = cm_type_info(a->l.type)->kind == CM_KIND_INT;
    cm_matrix d;
    CM_APPLY(c, d, *a, i, j, v)
    {
        spe_id place = spe_iadd(m, spe_imul(m, i, spe_i32(m, 16)), j);
        place = is_int ? spe_cast(m, type, place, true) : spe_s_to_f(m, type, place);
        v = spe_select(m, spe_sle(m, j, i), is_int ? spe_iadd(m, v, place) : spe_fadd(m, v, place), v);
    }
    return d;
}

static cm_matrix product(cm_ctx *c, const op_case *t, const cm_mem *mem)
{
    cm_matrix a = cm_load(c, t->M, t->K, t->a, CM_A, &mem[0]), b = cm_load(c, t->K, t->N, t->b, CM_B, &mem[1]);
    cm_matrix acc = cm_load(c, t->M, t->N, t->c, CM_ACC, &mem[2]);
    return t->what == PRODUCT ? cm_mul_add(c, t->d, &a, &b, &acc) : cm_mul_add_saturating(c, t->d, &a, &b, &acc);
}

/* The result, which goes to D. The atomics work on C, and D gets what they return. */
static cm_matrix compute(cm_ctx *c, const op_case *t, cm_mem *mem)
{
    const uint32_t scope = SPE_ScopeDevice;
    cm_matrix a, b;
    if (t->what == PRODUCT || t->what == SATURATING) return product(c, t, mem);
    if (t->what == ATOMIC_LOAD) return cm_atomic_load(c, t->M, t->N, t->a, t->use, &mem[0], scope, 0);
    a = cm_load(c, t->M, t->N, t->a, t->use, &mem[0]);
    if (t->cut) mem[2].rows = spe_i32(c->m, t->M - 1), mem[2].cols = spe_i32(c->m, t->N - 1);
    switch (t->what) {
    case BINARY: b = cm_load(c, t->M, t->N, t->b, t->use, &mem[1]); return cm_binary(c, (cm_op)t->op, &a, &b);
    case UNARY: return cm_unary(c, (cm_unary_op)t->op, &a);
    case CONVERT:
        if (!t->rounding && !t->saturate) return cm_convert(c, &a, t->d);
        return cm_convert_as(c, &a, t->d, t->rounding, t->saturate);
    case COPY: return a;
    case APPLY: return applied(c, &a);
    case INSERT: return cm_insert(c, &a, a.l.V - 1, cm_component(c, &a, 0));
    case TRANSPOSE: return cm_transpose(c, &a, t->use_d);
    case REPEAT: return cm_repeat(c, &a, t->rows, t->cols);
    case REDUCE: return cm_reduce(c, (cm_op)t->op, t->by, &a);
    case SCALE: return cm_scale(c, &a, number_of(c, t->a, 3));
    case LOCAL: return through_local(c, t, &a);
    case ATOMIC_STORE: cm_atomic_store(c, &a, &mem[2], scope, SPE_MemorySemanticsRelease); return a;
    case ATOMIC_ADD: return cm_atomic_add(c, &a, &mem[2], scope, SPE_MemorySemanticsAcquireRelease);
    case ATOMIC_MIN: return cm_atomic_min(c, &a, &mem[2], SPE_ScopeWorkgroup, 0);
    default: return cm_atomic_max(c, &a, &mem[2], scope, 0);
    }
}

/* Kernel `k<n>`: cases first .. last. */
static void emit(spe_module *m, const cm_target *target, cm_lowering lowering, const case_list *l, int first, int last)
{
    spe_param params[OPERANDS];
    spe_kernel k;
    cm_ctx c;
    char name[16];
    int i, n;
    memset(params, 0, sizeof params);
    memset(&k, 0, sizeof k);
    for (i = 0; i < OPERANDS; i++) params[i].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, spe_int(m, 8));
    snprintf(name, sizeof name, "k%d", first);
    k.name = name;
    k.params = params;
    k.param_count = OPERANDS;
    k.subgroup_size = k.local_size[0] = (uint32_t)target->subgroup_size;
    k.local_size[1] = k.local_size[2] = 1;
    spe_kernel_begin(m, &k);
    cm_begin(&c, m, target, lowering);
    for (i = first; i < last && spe_ok(m); i++) {
        const op_case *t = &l->list[i];
        cm_mem mem[OPERANDS];
        cm_matrix d;
        for (n = 0; n < OPERANDS; n++) mem[n] = memory_of(&c, t, i, n);
        d = compute(&c, t, mem);
        cm_store(&c, &d, &mem[3]);
        if (!spe_ok(m)) {
            char text[256];
            describe(t, text, sizeof text);
            test_fail(__FILE__, __LINE__, "%s: %s", text, spe_get_error(m)->text);
        }
    }
    spe_kernel_end(m);
}

/* ---- what should come out ---------------------------------------------------------------------------------------- */

typedef struct {
    const op_case *t;
    const unsigned char *at[OPERANDS];     /* as they are now */
    const unsigned char *before[OPERANDS]; /* as they were */
} memory;

/* Element of the operand as the kernel saw it: zero outside the extents. */
static number element(const memory *w, int which, int row, int col)
{
    const op_case *t = w->t;
    const cm_type types[] = {t->a, t->b, t->c, t->d};
    int rows = which == 1 && t->K ? t->K : t->M;
    long at = row + (long)col * rows;
    if (which == 0 && t->cut && (row >= t->M - 1 || col >= t->N - 1)) return 0;
    if (which == 0 && t->stride_row) at = (long)row * t->stride_row + (long)col * t->stride_col;
    if (which == 0 && t->transposed)
        at = t->stride_row ? (long)row * t->stride_col + (long)col * t->stride_row : (long)row * rows + col;
    return get(types[which], w->before[which], at);
}

static double clamp(cm_type type, double v)
{
    int bits = cm_type_info(type)->storage_bits;
    bool sign = cm_type_info(type)->is_signed;
    double low = sign ? -ldexp(1, bits - 1) : 0, high = sign ? ldexp(1, bits - 1) - 1 : ldexp(1, bits) - 1;
    return isnan(v) ? 0 : fmin(fmax(v, low), high);
}

static number binary(const op_case *t, number x, number y)
{
    double a = creal(x), b = creal(y);
    bool is_float = cm_type_info(t->a)->kind == CM_KIND_FLOAT;
    switch ((cm_op)t->op) {
    case CM_ADD: return x + y;
    case CM_SUB: return x - y;
    case CM_MUL: return x * y;
    case CM_DIV: return is_float ? a / b : cm_is_complex(t->a) ? x / y : trunc(a / b);
    case CM_MIN: return fmin(a, b);
    case CM_MAX: return fmax(a, b);
    case CM_REM: return fmod(a, b);
    case CM_AND: return (double)((int64_t)a & (int64_t)b);
    case CM_OR: return (double)((int64_t)a | (int64_t)b);
    case CM_XOR: return (double)((int64_t)a ^ (int64_t)b);
    case CM_SHL: return a * ldexp(1, (int)b);
    default: return floor(a / ldexp(1, (int)b));
    }
}

/* The function of CM_UNARY_OPS_ in the same place. */
static double function(int op, double x)
{
    switch ((cm_unary_op)op) {
    case CM_NEG: return -x;
    case CM_NOT: return -1 - x;
    case CM_ABS: return fabs(x);
    case CM_EXP:
    case CM_NATIVE_EXP: return exp(x);
    case CM_EXP2:
    case CM_NATIVE_EXP2: return exp2(x);
    case CM_EXP10: return pow(10, x);
    case CM_EXPM1: return expm1(x);
    case CM_LOG:
    case CM_NATIVE_LOG: return log(x);
    case CM_LOG2:
    case CM_NATIVE_LOG2: return log2(x);
    case CM_LOG10: return log10(x);
    case CM_LOG1P: return log1p(x);
    case CM_SQRT: return sqrt(x);
    case CM_RSQRT: return 1 / sqrt(x);
    case CM_CBRT: return cbrt(x);
    case CM_SIN:
    case CM_NATIVE_SIN: return sin(x);
    case CM_COS:
    case CM_NATIVE_COS: return cos(x);
    case CM_TAN: return tan(x);
    case CM_ASIN: return asin(x);
    case CM_ACOS: return acos(x);
    case CM_ATAN: return atan(x);
    case CM_SINH: return sinh(x);
    case CM_COSH: return cosh(x);
    case CM_TANH: return tanh(x);
    case CM_ERF: return erf(x);
    case CM_ERFC: return erfc(x);
    case CM_CEIL: return ceil(x);
    case CM_FLOOR: return floor(x);
    case CM_TRUNC: return trunc(x);
    case CM_ROUND: return round(x);
    case CM_RINT: return rint(x);
    case CM_SIGN: return (x > 0) - (x < 0);
    default: return NAN;
    }
}

static number unary(const op_case *t, number x)
{
    if (!cm_is_complex(t->a)) return function(t->op, creal(x));
    switch ((cm_unary_op)t->op) {
    case CM_NEG: return -x;
    case CM_CONJ: return conj(x);
    case CM_ABS: return cabs(x);
    case CM_EXP:
    case CM_NATIVE_EXP: return cexp(x);
    default: return cexp(x * 0.69314718055994530942);
    }
}

/* A conversion with the stated rounding: exact, so the bound is that of rounding to nearest at most. Directed rounding
 * is checked by nudging: the host rounds to nearest and steps back or on by one representable number. */
static double converted(const op_case *t, double x)
{
    const cm_type_row *to = cm_type_info(t->d);
    unsigned char bytes[8];
    double near;
    if (to->kind == CM_KIND_INT) {
        switch (t->rounding) {
        case CM_ROUND_NEAREST: x = rint(x); break;
        case CM_ROUND_UP: x = ceil(x); break;
        case CM_ROUND_DOWN: x = floor(x); break;
        default: x = trunc(x); break;
        }
        return t->saturate ? clamp(t->d, x) : wrap(t->d, x);
    }
    put_real(t->d, bytes, 0, x);
    near = get_real(t->d, bytes, 0);
    if (t->rounding <= CM_ROUND_NEAREST || near == x) return near;
    {
        bool up = t->rounding == CM_ROUND_UP || (t->rounding == CM_ROUND_ZERO && x < 0), above = near > x;
        uint32_t step = t->d == CM_TF32 ? 1u << 13 : 1, pattern = 0;
        size_t size = (size_t)to->bytes;
        if (above == up) return near;
        memcpy(&pattern, bytes, size);
        pattern += (near > 0) == up ? step : 0u - step; /* away from zero or towards it */
        memcpy(bytes, &pattern, size);
        return get_real(t->d, bytes, 0);
    }
}

/* Sum (or least, greatest) along a row or column, and the sum of magnitudes. */
static number reduced(const memory *w, int row, int col, double *magnitude)
{
    const op_case *t = w->t;
    int i, n = t->by == CM_BY_ROW ? t->N : t->M;
    number sum = 0;
    for (i = 0; i < n; i++) {
        number x = t->by == CM_BY_ROW ? element(w, 0, row, i) : element(w, 0, i, col);
        *magnitude += cabs(x);
        if (i == 0)
            sum = x;
        else
            sum = t->op == CM_ADD ? sum + x : t->op == CM_MIN ? fmin(creal(sum), creal(x)) : fmax(creal(sum), creal(x));
    }
    return sum;
}

static number multiplied(const memory *w, int row, int col, double *magnitude)
{
    number sum = element(w, 2, row, col);
    int k;
    *magnitude = cabs(sum);
    for (k = 0; k < w->t->K; k++) {
        number x = element(w, 0, row, k) * element(w, 1, k, col);
        sum += x;
        *magnitude += cabs(x);
    }
    return sum;
}

/* Element (row, col) of D and how far off it may be, before rounding to D's type. OpenCL asks for 16 units in the last
 * place or better of the functions used (erf: 16, tan: 5), 2 of half precision; the native ones are not specified, and
 * ours are held to 2^-10; a quotient may be 2.5 units off. */
static number expected(const memory *w, int row, int col, double *bound)
{
    const op_case *t = w->t;
    number x = 0;
    double magnitude = 0, u = unit(t->a);
    *bound = 0;
    switch (t->what) {
    case BINARY:
        x = binary(t, element(w, 0, row, col), element(w, 1, row, col));
        if (t->op == CM_DIV) *bound = 3 * u * cabs(x);
        if (cm_is_complex(t->a)) /* cancellation in a c - b d */
            *bound = 8 * u *
                     (t->op == CM_DIV ? cabs(x)
                                      : cabs(element(w, 0, row, col)) * (1 + cabs(element(w, 1, row, col))) + cabs(x));
        return x;
    case UNARY:
        x = unary(t, element(w, 0, row, col));
        if (t->op > CM_ABS || cm_is_complex(t->a)) *bound = (t->a == CM_F16 ? 4 : 16) * u * cabs(x);
        if (t->op >= CM_NATIVE_EXP) *bound = 0x1p-10 * (1 + cabs(x));
        if (t->op >= CM_CEIL && t->op <= CM_SIGN) *bound = 0;
        return x;
    case CONVERT: return cm_is_complex(t->d) ? element(w, 0, row, col) : converted(t, creal(element(w, 0, row, col)));
    case APPLY: x = element(w, 0, row, col); return col <= row ? x + (16 * row + col) : x;
    case TRANSPOSE: return element(w, 0, col, row);
    case LOCAL: return element(w, 0, col, row);
    case COPY: return element(w, 0, row, col);
    case REPEAT: return element(w, 0, row % t->M, col % t->N);
    case REDUCE:
        x = reduced(w, row, col, &magnitude);
        if (t->op == CM_ADD) *bound = (t->a == CM_F64 || t->a == CM_C64 ? u : 0x1p-23) * 64 * magnitude;
        return x;
    case PRODUCT:
    case SATURATING:
        x = multiplied(w, row, col, &magnitude);
        *bound = (t->K + 4) * (t->a == CM_F64 || t->a == CM_C64 ? 0x1p-52 : 0x1p-23) * magnitude;
        if (cm_type_info(t->c)->kind == CM_KIND_INT) *bound = 0;
        return t->what == SATURATING ? clamp(t->d, creal(x)) : x;
    case SCALE: return 3 * element(w, 0, row, col);
    case INSERT: { /* the last component of each lane is its first */
        cm_layout l;
        cm_slot s;
        cm_element e;
        cm_layout_init(&l, t->M, t->N, t->a, t->use, 16);
        s = cm_slot_of(&l, row, col);
        if (s.component * l.omega + s.channel == l.V - 1) s.component = s.channel = 0;
        e = cm_element_of(&l, s);
        return element(w, 0, e.row, e.col);
    }
    case ATOMIC_LOAD:
    case ATOMIC_STORE: return element(w, 0, row, col);
    default: return t->cut && (row >= t->M - 1 || col >= t->N - 1) ? 0 : element(w, 2, row, col);
    }
}

/* What an atomic left in C. */
static number updated(const memory *w, int row, int col, double *bound)
{
    const op_case *t = w->t;
    number x = element(w, 0, row, col), y = element(w, 2, row, col);
    *bound = 0;
    if (t->cut && (row >= t->M - 1 || col >= t->N - 1)) return y;
    if (t->what == ATOMIC_STORE) return x;
    if (t->what == ATOMIC_MIN) return fmin(creal(x), creal(y));
    return t->what == ATOMIC_MAX ? fmax(creal(x), creal(y)) : x + y;
}

static void check_operand(const memory *w, int which, number (*want_of)(const memory *, int, int, double *))
{
    const op_case *t = w->t;
    cm_type type = which == 3 ? t->d : t->c;
    int rows = which == 3 ? t->rows : t->M, cols = which == 3 ? t->cols : t->N, row, col, i;
    bool is_int = cm_type_info(type)->kind == CM_KIND_INT;
    char text[256];
    describe(t, text, sizeof text);
    for (row = 0; row < rows; row++)
        for (col = 0; col < cols; col++) {
            long at = which == 3 && t->put_transposed ? col + (long)row * cols : row + (long)col * rows;
            double bound;
            number want = want_of(w, row, col, &bound), got = get(type, w->at[which], at);
            if (which == 3 && t->cut && (row >= rows - 1 || col >= cols - 1)) {
                if (memcmp(w->at[3] + at * cm_type_info(type)->bytes, w->before[3] + at * cm_type_info(type)->bytes,
                           (size_t)cm_type_info(type)->bytes) != 0)
                    test_fail(__FILE__, __LINE__, "%s: element %d,%d lies outside and was written", text, row, col);
                continue;
            }
            if (is_int)
                want = wrap(type, creal(want));
            else if (t->what != CONVERT || cm_is_complex(t->d))
                bound += half_unit(type, cabs(want) + bound);
            if (!(cabs(got - want) <= bound) && !(isnan(creal(want)) && isnan(creal(got)))) {
                test_fail(__FILE__, __LINE__, "%s: %s element %d,%d is %.9g %.9gi, want %.9g %.9gi +- %.3g", text,
                          which == 3 ? "D" : "C", row, col, creal(got), cimag(got), creal(want), cimag(want), bound);
                return;
            }
        }
    for (i = rows * cols * cm_type_info(type)->bytes; i < SLOT; i++)
        if (w->at[which][i] != w->before[which][i]) {
            test_fail(__FILE__, __LINE__, "%s: byte %d behind the matrix was written", text, i);
            return;
        }
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static double random_of(const op_case *t, cm_type type, int which)
{
    const cm_type_row *row = cm_type_info(type);
    bool shift = t->what == BINARY && which == 1 && (t->op == CM_SHL || t->op == CM_SHR);
    double range = ldexp(1, row->storage_bits < 32 ? row->storage_bits : 32), x = test_normal();
    if (row->kind == CM_KIND_INT) {
        if (shift) return (double)(test_random() % 8);
        x = (t->what == BINARY && t->op == CM_MUL && row->bytes == 8) ? floor(test_uniform() * 1000)
                                                                      : floor(test_uniform() * range);
        if (row->is_signed) x -= t->what == UNARY ? floor(range / 2) - 1 : floor(range / 2);
        if (which == 1 && x == 0) return 3; /* divisors */
        if (t->what == BINARY && row->bytes == 4 && t->op == CM_MUL) return floor(x / 65536);
        return x;
    }
    if (t->numbers == POSITIVE) return fabs(x) + 0.125;
    if (t->numbers == UNIT) return 2 * test_uniform() - 1;
    if (t->numbers == LARGE) return x * (cm_f8_row_(t->d) ? 300 : 1000);
    if (t->what == BINARY && t->op == CM_DIV && which == 1) return x < 0 ? x - 0.25 : x + 0.25;
    return x;
}

static void fill(const op_case *t, unsigned char *base, int which)
{
    const cm_type types[] = {t->a, t->b, t->c, t->d};
    cm_type type = types[which];
    int i, halves = cm_is_complex(type) ? 2 : 1;
    int count = SLOT / cm_type_info(type)->bytes * halves;
    for (i = 0; i < count; i++) put_real(type, base, i, random_of(t, type, which));
    if (which == 3) memset(base, 0xa5, SLOT);
    if (t->what == CONVERT && which == 0 && cm_type_info(type)->kind == CM_KIND_FLOAT && t->saturate)
        put_real(type, base, 1, NAN);
}

static void run_kernel(zed_module *module, const case_list *l, int first, int last, unsigned char *data,
                       unsigned char *copy)
{
    zed_arg args[OPERANDS];
    zed_kernel kernel;
    char name[16];
    int i, n;
    snprintf(name, sizeof name, "k%d", first);
    for (n = 0; n < OPERANDS; n++) args[n] = zed_arg_ptr(data + (size_t)n * MAX_CASES * SLOT);
    if (!zed_kernel_get(&kernel, module, name, "ptr<u8> A, ptr<u8> B, ptr<u8> C, ptr<u8> D") ||
        !zed_launch_n(&kernel, ((zed_groups){1, 1, 1}), args, OPERANDS)) {
        test_fail(__FILE__, __LINE__, "%s: %s", name, zed_get_error(&device)->text);
        return;
    }
    for (i = first; i < last; i++) {
        memory w;
        w.t = &l->list[i];
        for (n = 0; n < OPERANDS; n++) {
            w.at[n] = data + ((size_t)n * MAX_CASES + (size_t)i) * SLOT;
            w.before[n] = copy + ((size_t)n * MAX_CASES + (size_t)i) * SLOT;
        }
        check_operand(&w, 3, expected);
        if (w.t->what >= ATOMIC_STORE) check_operand(&w, 2, updated);
    }
}

static void run_on_device(const char *group, spe_words words, const case_list *l)
{
    size_t bytes = (size_t)OPERANDS * MAX_CASES * SLOT;
    unsigned char *data = (unsigned char *)zed_alloc(&device, ZED_SHARED, bytes, 64),
                  *copy = (unsigned char *)malloc(bytes);
    zed_module module;
    int i, n;
    memset(&module, 0, sizeof module);
    for (i = 0; data && copy && i < l->count; i++)
        for (n = 0; n < OPERANDS; n++) fill(&l->list[i], data + ((size_t)n * MAX_CASES + (size_t)i) * SLOT, n);
    if (data && copy) memcpy(copy, data, bytes);
    if (!copy || !data || !zed_module_load(&module, &device, words.data, words.count * 4, NULL))
        test_fail(__FILE__, __LINE__, "%s: %s", group, zed_get_error(&device)->text);
    for (i = 0; i < l->count && zed_get_error(&device)->id == 0; i += KERNEL_CASES)
        run_kernel(&module, l, i, i + KERNEL_CASES < l->count ? i + KERNEL_CASES : l->count, data, copy);
    zed_clear_error(&device);
    zed_module_free(&module);
    zed_free(&device, data);
    free(copy);
}

static void run_group(const char *group, const char *target_name, int S, cm_lowering lowering, const case_list *l)
{
    cm_target target = *cm_target_row(target_name);
    spe_module m;
    spe_words words;
    char file[128];
    int i;
    target.subgroup_size = S;
    spe_begin(&m, NULL);
    for (i = 0; i < l->count; i += KERNEL_CASES)
        emit(&m, &target, lowering, l, i, i + KERNEL_CASES < l->count ? i + KERNEL_CASES : l->count);
    words = spe_finish(&m);
    CHECK_MSG(words.data != NULL, "%s: %s", group, spe_get_error(&m)->text);
    snprintf(file, sizeof file, "test_coopmatrix_ops_%s", group);
    if (words.data) test_save_spv(file, words.data, words.count * 4);
    if (words.data && have_device && (device.target.subgroup_sizes & (uint32_t)S)) run_on_device(group, words, l);
    spe_free(&m);
    if (!have_device && !test_.failures_here) SKIP("no device to run on; the module was made");
}

/* ---- the groups -------------------------------------------------------------------------------------------------- */

static const cm_type all_types[] = {CM_F32,  CM_F16, CM_BF16, CM_I8,  CM_U8,  CM_I32, CM_F64, CM_TF32, CM_E4M3,
                                    CM_E5M2, CM_I16, CM_U16,  CM_U32, CM_I64, CM_U64, CM_C32, CM_C64};
enum { ALL_TYPES = sizeof all_types / sizeof all_types[0] };

static case_list cases;

TEST(binary_operations)
{
    int type, op, n = 0;
    cases.count = 0;
    for (type = 0; type < ALL_TYPES; type++)
        for (op = 0; op < CM_OP_COUNT_; op++) {
            cm_kind k = cm_type_info(all_types[type])->kind;
            bool bits = op >= CM_AND;
            if ((bits && k != CM_KIND_INT) || (k == CM_KIND_COMPLEX && op > CM_DIV)) continue;
            if (type >= 4 && k != CM_KIND_COMPLEX && (op + type) % 3) continue; /* the first types have all of them */
            add(&cases, BINARY, op, n % 3 == 0 ? 4 : 16, n % 2 ? 2 : 4, all_types[type], (cm_use)(n % 3));
            n++;
        }
    run_group("binary", "soft", 16, CM_AUTO, &cases);
}

static domain domain_of(int op)
{
    static const cm_unary_op positive[] = {CM_LOG,  CM_LOG2,  CM_LOG10,      CM_LOG1P,
                                           CM_SQRT, CM_RSQRT, CM_NATIVE_LOG, CM_NATIVE_LOG2};
    static const cm_unary_op units[] = {CM_ASIN, CM_ACOS, CM_TAN};
    size_t i;
    for (i = 0; i < sizeof positive / sizeof positive[0]; i++)
        if (op == (int)positive[i]) return POSITIVE;
    for (i = 0; i < sizeof units / sizeof units[0]; i++)
        if (op == (int)units[i]) return UNIT;
    return NORMAL;
}

TEST(unary_operations)
{
    static const cm_type types[] = {CM_F32, CM_F16, CM_BF16};
    static const int complex_ops[] = {CM_NEG, CM_CONJ, CM_ABS, CM_EXP, CM_EXP2};
    int type, op, i;
    cases.count = 0;
    for (op = 0; op < CM_UNARY_COUNT_; op++)
        for (type = 0; type < 3; type++) {
            if (op == CM_NOT || op == CM_CONJ || (type && op % 4 != type)) continue;
            add(&cases, UNARY, op, 16, 2, types[type], (cm_use)(op % 3))->numbers = domain_of(op);
        }
    for (i = 3; i < ALL_TYPES - 2; i++) {
        bool is_int = cm_type_info(all_types[i])->kind == CM_KIND_INT;
        add(&cases, UNARY, CM_NEG, 4, 4, all_types[i], (cm_use)(i % 3));
        add(&cases, UNARY, is_int ? CM_ABS : CM_SQRT, 16, 4, all_types[i], CM_A)->numbers = POSITIVE;
        if (is_int) add(&cases, UNARY, CM_NOT, 16, 1, all_types[i], CM_B);
    }
    for (i = 0; i < 10; i++) {
        op_case *t = add(&cases, UNARY, complex_ops[i % 5], 16, 2, i < 5 ? CM_C32 : CM_C64, (cm_use)(i % 3));
        if (t->op == CM_ABS) t->d = i < 5 ? CM_F32 : CM_F64;
    }
    run_group("unary", "soft", 16, CM_AUTO, &cases);
}

TEST(conversions)
{
    static const struct {
        cm_type from, to;
    } pairs[] = {{CM_F32, CM_F16},  {CM_F32, CM_I8},   {CM_F32, CM_U8},   {CM_F16, CM_I16}, {CM_F64, CM_F32},
                 {CM_F32, CM_BF16}, {CM_F32, CM_TF32}, {CM_F32, CM_E4M3}, {CM_F32, CM_E5M2}};
    static const struct {
        cm_type from, to;
    } plain[] = {{CM_E4M3, CM_F32}, {CM_E5M2, CM_F16}, {CM_F16, CM_E4M3}, {CM_BF16, CM_E5M2},
                 {CM_F64, CM_TF32}, {CM_I8, CM_BF16},  {CM_F32, CM_C32},  {CM_C32, CM_C64},
                 {CM_C64, CM_C32},  {CM_I16, CM_C64},  {CM_U8, CM_I64},   {CM_U64, CM_U16}};
    static const struct {
        cm_type from, to;
    } clamped[] = {{CM_I32, CM_I8}, {CM_I32, CM_U8}, {CM_U32, CM_I16}, {CM_I64, CM_I32},
                   {CM_U8, CM_I8},  {CM_I8, CM_U8},  {CM_F32, CM_I32}};
    int i, r;
    cases.count = 0;
    for (i = 0; i < 9; i++)
        for (r = CM_ROUND_NEAREST; r <= CM_ROUND_DOWN; r++) {
            op_case *t;
            if ((i >= 5 && r > CM_ROUND_ZERO) || (i >= 7 && r == CM_ROUND_ZERO)) continue;
            t = add(&cases, CONVERT, 0, 16, 4, pairs[i].from, (cm_use)((i + r) % 3));
            t->d = pairs[i].to;
            t->rounding = (cm_rounding)r;
            t->saturate = cm_type_info(t->d)->kind == CM_KIND_INT;
            t->numbers = i == 1 || i == 2 || i >= 7 ? LARGE : NORMAL;
        }
    for (i = 0; i < 12; i++)
        add(&cases, CONVERT, 0, i % 2 ? 16 : 4, 4, plain[i].from, (cm_use)(i % 3))->d = plain[i].to;
    for (i = 0; i < 7; i++) {
        op_case *t = add(&cases, CONVERT, 0, 16, 4, clamped[i].from, (cm_use)(i % 3));
        t->d = clamped[i].to;
        t->saturate = true;
    }
    run_group("conversions", "soft", 16, CM_AUTO, &cases);
}

TEST(positions)
{
    static const cm_type types[] = {CM_F32, CM_F16, CM_I8, CM_BF16, CM_I32};
    static const int shapes[][2] = {{16, 4}, {4, 8}, {32, 2}, {1, 20}};
    int i, shape;
    cases.count = 0;
    for (i = 0; i < 5; i++)
        for (shape = 0; shape < 4; shape++) {
            op_case *t;
            add(&cases, APPLY, 0, shapes[shape][0], shapes[shape][1], types[i], (cm_use)((i + shape) % 3));
            t = add(&cases, INSERT, 0, shapes[shape][0], shapes[shape][1], types[i], (cm_use)((i + shape + 1) % 3));
            if (t->a == CM_I8 && t->use == CM_B)
                t->use = t->use_d = CM_A; /* held otherwise than the host's layout says */
        }
    run_group("positions", "soft", 16, CM_AUTO, &cases);
}

/* Loads and stores of every type in every use, both transposed or not and checked or not. */
TEST(memory_of_all_types)
{
    static const int shapes[][2] = {{16, 7}, {4, 15}, {1, 17}, {32, 4}, {2, 5}, {8, 8}, {64, 2}};
    int i, use, turn, n = 0;
    for (turn = 0; turn < 2; turn++) {
        cases.count = 0;
        for (i = 0; i < ALL_TYPES; i++)
            for (use = CM_ACC; use <= CM_B; use++, n++) {
                op_case *t = add(&cases, COPY, 0, shapes[n % 7][0], shapes[n % 7][1], all_types[i], (cm_use)use);
                t->cut = t->M > 1 && n / 3 % 2;
                t->transposed = (n + turn) % 3 == 0;
                t->put_transposed = (n + turn) % 3 == 1;
                if (t->transposed) t->stride_row = 1, t->stride_col = t->N + 3;
            }
        if (turn == 0) run_group("memory", "soft", 16, CM_AUTO, &cases);
        if (turn == 1) run_group("memory_dg2", "dg2", 8, CM_AUTO, &cases);
    }
}

TEST(moves)
{
    static const cm_type types[] = {CM_F32, CM_F16, CM_I8, CM_F64, CM_C32};
    int i;
    cases.count = 0;
    for (i = 0; i < 5; i++) {
        op_case *t = add(&cases, TRANSPOSE, 0, i % 2 ? 4 : 16, i % 2 ? 16 : 4, types[i], (cm_use)(i % 3));
        t->rows = t->N;
        t->cols = t->M;
        t->use_d = (cm_use)((i + 1) % 3);
        t = add(&cases, REPEAT, 0, 16, 1, types[i], (cm_use)(i % 3));
        t->rows = 32, t->cols = 3;
        t = add(&cases, REPEAT, 0, 1, 6, types[i], (cm_use)((i + 1) % 3));
        t->rows = 16, t->cols = 8;
        t = add(&cases, REPEAT, 0, 16, 8, types[i], (cm_use)((i + 2) % 3));
        t->rows = 4, t->cols = 4;
        t = add(&cases, LOCAL, 0, i % 2 ? 4 : 16, i % 2 ? 16 : 4, types[i], (cm_use)(i % 3));
        t->rows = t->N;
        t->cols = t->M;
        t->use_d = (cm_use)((i + 2) % 3);
        t = add(&cases, SCALE, 0, 16, 4, types[i], CM_ACC);
        t = add(&cases, SCALE, 0, 16, 4, types[i], CM_A);
        t->stride_row = 3, t->stride_col = 51;
        t = add(&cases, APPLY, 0, i == 4 ? 16 : 8, 4, i == 4 ? CM_F32 : types[i], CM_ACC);
        t->stride_row = 7, t->stride_col = 2, t->transposed = true;
        t = add(&cases, SCALE, 0, 8, 5, types[i], CM_ACC);
        t->cut = true;
    }
    run_group("moves", "soft", 16, CM_AUTO, &cases);
}

TEST(reductions)
{
    static const cm_type types[] = {CM_F32, CM_F16, CM_BF16, CM_I8, CM_U8, CM_I32, CM_F64, CM_E4M3, CM_C32};
    static const cm_op ops[] = {CM_ADD, CM_MIN, CM_MAX};
    static const int shapes[][2] = {{16, 5}, {32, 4}, {4, 6}, {1, 18}, {2, 3}};
    int i, op, by, n = 0;
    cases.count = 0;
    for (i = 0; i < 9; i++)
        for (op = 0; op < 3; op++)
            for (by = 0; by < 2; by++, n++) {
                op_case *t;
                if (types[i] == CM_C32 && op > 0) continue;
                t = add(&cases, REDUCE, ops[op], shapes[n % 5][0], shapes[n % 5][1], types[i], (cm_use)(n % 3));
                t->by = (cm_direction)by;
                if (by == CM_BY_ROW)
                    t->cols = 1;
                else
                    t->rows = 1;
            }
    run_group("reductions", "soft", 16, CM_AUTO, &cases);
    run_group("reductions_plain", "generic", 8, CM_AUTO, &cases);
}

TEST(atomics)
{
    static const cm_type types[] = {CM_I32, CM_U32, CM_F32, CM_I64, CM_F64, CM_C32};
    int i, what;
    cases.count = 0;
    for (i = 0; i < 6; i++)
        for (what = ATOMIC_LOAD; what <= ATOMIC_MAX; what++) {
            if (types[i] == CM_C32 && what > ATOMIC_ADD) continue;
            add(&cases, (kind)what, 0, i % 2 ? 4 : 16, 3, types[i], (cm_use)((i + what) % 3))->cut = (i + what) % 2;
        }
    run_group("atomics", "soft", 16, CM_AUTO, &cases);
}

static void add_product(kind what, int M, int N, int K, cm_type a, cm_type b, cm_type c, cm_type d)
{
    op_case *t = add(&cases, what, 0, M, N, a, CM_ACC);
    t->K = K;
    t->b = b;
    t->c = c;
    t->d = d;
}

/* Products beside those of test_coopmatrix.c: tf32 by the matrix instruction and without, 8-bit floats, complex and
 * mixed types, integers that do not wrap. */
TEST(products)
{
    cases.count = 0;
    add_product(PRODUCT, 16, 8, 16, CM_TF32, CM_TF32, CM_F32, CM_F32);
    add_product(PRODUCT, 32, 5, 32, CM_TF32, CM_TF32, CM_F32, CM_F32);
    add_product(PRODUCT, 16, 3, 8, CM_TF32, CM_TF32, CM_F32, CM_TF32);
    add_product(PRODUCT, 16, 3, 4, CM_E4M3, CM_E4M3, CM_F32, CM_F32);
    add_product(PRODUCT, 4, 3, 4, CM_E5M2, CM_E5M2, CM_F32, CM_F16);
    add_product(PRODUCT, 16, 3, 4, CM_C32, CM_C32, CM_C32, CM_C32);
    add_product(PRODUCT, 16, 2, 4, CM_F32, CM_C32, CM_C64, CM_C64);
    add_product(PRODUCT, 4, 3, 2, CM_C64, CM_C64, CM_C64, CM_C64);
    add_product(PRODUCT, 16, 3, 4, CM_F16, CM_F16, CM_F64, CM_F64);
    add_product(PRODUCT, 16, 3, 4, CM_I8, CM_I8, CM_I64, CM_I64);
    add_product(PRODUCT, 16, 2, 4, CM_I8, CM_I8, CM_F32, CM_F32);
    add_product(PRODUCT, 16, 3, 2, CM_I16, CM_I8, CM_I32, CM_I32);
    add_product(SATURATING, 16, 2, 32, CM_I8, CM_I8, CM_I32, CM_I32);
    add_product(SATURATING, 16, 2, 4, CM_I8, CM_U8, CM_I32, CM_I8);
    add_product(SATURATING, 16, 2, 4, CM_I16, CM_I16, CM_I32, CM_I32);
    add_product(SATURATING, 4, 2, 4, CM_U8, CM_U8, CM_I32, CM_U16);
    run_group("products", "soft", 16, CM_AUTO, &cases);
    run_group("products_plain", "generic", 16, CM_AUTO, &cases);
}

int main(void)
{
    have_device = zed_open(&device, NULL);
    if (!have_device) printf("no device: %s\n", zed_get_error(&device)->text);
    RUN(binary_operations);
    RUN(unary_operations);
    RUN(conversions);
    RUN(positions);
    RUN(memory_of_all_types);
    RUN(moves);
    RUN(reductions);
    RUN(atomics);
    RUN(products);
    zed_close(&device);
    return test_report();
}
