/* coopmatrix_cases.h - shared by the tests of coopmatrix.h's operations. A case is one operation on matrices of one
 * shape, use and type, from memory to memory; a kernel of one subgroup runs a dozen or more cases, each with its own
 * memory, and all kernels of a group share a module, so that it is compiled once. Results are compared with f64 or
 * exact integers, element by element, and surrounding bytes must not change.
 *
 * A case is loaded and stored by cm_load and cm_store, or, with `dealt`, by vector loads and stores of the parts: the
 * host distributes the matrix to the work-items by the layout (cm_distribute) and collects the result (cm_gather). That
 * compiles many times faster, and shows that both sides agree on the layout.
 */
#ifndef COOPMATRIX_CASES_H
#define COOPMATRIX_CASES_H

#include "coopmatrix_device.h"
#include "half.h"

#include <complex.h>
#undef I /* from complex.h */

enum { SLOT = 8192, OPERANDS = 4, KERNEL_CASES = 12, MODULE_CASES = 250, MAX_CASES = 4096 };
/* SLOT: bytes of a case's A, B, C, D */

typedef double _Complex number;

static bool is_f8(cm_type type) { return type == CM_E4M3 || type == CM_E5M2; }

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
    case CM_F16: ((uint16_t *)base)[i] = f16_bits_of(v); break;
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

/* clang has no CMPLX. */
static number complex_of(double re, double im)
{
    const double parts[2] = {re, im};
    number z;
    memcpy(&z, parts, sizeof z);
    return z;
}

static number get(cm_type type, const void *base, long i)
{
    if (!cm_is_complex(type)) return get_real(type, base, i);
    return complex_of(get_real(type, base, 2 * i), get_real(type, base, 2 * i + 1));
}

/* One unit in the last place of the type that the components are computed in, relative. */
static double unit(cm_type type)
{
    const cm_type_row *t = cm_type_info(type);
    if (t->kind == CM_KIND_INT) return 0;
    return type == CM_F64 || type == CM_C64 ? 0x1p-52 : type == CM_F16 ? 0x1p-10 : 0x1p-23;
}

/* Rounding to the component type: half a unit, relative, plus half the smallest number. Values computed in f32 first
 * are rounded there too. */
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

/* An integer wrapped to its type. */
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
    SPLAT,
    USE,
    SCALE,
    LOCAL,
    COPY,
    ATOMIC_LOAD,
    ATOMIC_STORE,
    ATOMIC_ADD,
    ATOMIC_MIN,
    ATOMIC_MAX
} kind;

typedef enum { NORMAL, POSITIVE, UNIT, LARGE } domain; /* of values in A and B */

/* cut: this direction is checked, and its extent excludes the last row (1) or column (2). Strides 0: contiguous. */
typedef struct {
    bool transposed;
    int cut, stride_row, stride_col;
    bool blocks; /* promised to suit 2D block messages */
    cm_border border; /* other than CM_BORDER_PADDING: the matrix begins before memory of half its extents */
} mode;

/* A, B are M x N (for products M x K and K x N, with C M x N); D is rows x cols. */
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
    mode in, out;   /* memory layouts of A (and of the target of atomics), and of D */
    bool dealt;     /* by the host, see above */
    bool opens;     /* the first of a kernel */
    int back;       /* uses the operands of the case this many before, in the same kernel */
    bool without_c; /* A B only */
    const unsigned char *given[2]; /* contents of A and B; NULL: random numbers */
} op_case;

typedef struct {
    op_case list[MAX_CASES];
    int count;
} case_list;

/* Adds a case on M x N with equal types and uses. */
static op_case *add(case_list *l, kind what, int op, int M, int N, cm_type type, cm_use use)
{
    op_case *t = &l->list[l->count];
    if (l->count < MAX_CASES - 1)
        l->count++;
    else
        test_fail(__FILE__, __LINE__, "too many cases");
    memset(t, 0, sizeof *t);
    t->opens = (l->count - 1) % KERNEL_CASES == 0;
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
    static const char *const names[] = {"binary",      "unary",        "convert",    "apply",      "insert",
                                        "transpose",   "repeat",       "reduce",     "product",    "saturating product",
                                        "splat",       "use",          "scale",      "local",      "copy",
                                        "atomic load", "atomic store", "atomic add", "atomic min", "atomic max"};
    snprintf(text, size, "%s %d, %d x %d (%d) %s %s -> %d x %d %s %s, by %d, rounding %d%s%s%s", names[t->what], t->op,
             t->M, t->N, t->K, cm_type_info(t->a)->name, cm_use_name(t->use), t->rows, t->cols,
             cm_type_info(t->d)->name, cm_use_name(t->use_d), (int)t->by, (int)t->rounding,
             t->saturate ? ", saturating" : "", t->in.transposed ? ", transposed" : "",
             t->out.transposed ? ", put transposed" : "");
    if (t->in.border) snprintf(text + strlen(text), size - strlen(text), ", border %d", (int)t->in.border);
    if (t->in.cut || t->out.cut)
        snprintf(text + strlen(text), size - strlen(text), ", cut %d and %d", t->in.cut, t->out.cut);
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

static int rows_of(const op_case *t, int which) { return which == 3 ? t->rows : which == 1 && t->K ? t->K : t->M; }
static int cols_of(const op_case *t, int which) { return which == 3 ? t->cols : which == 0 && t->K ? t->K : t->N; }

/* The memory layout of operand `which`, with strides filled in. */
static mode mode_of(const op_case *t, int which)
{
    static const mode plain = {false, 0, 0, 0, false, CM_BORDER_PADDING};
    mode m = which == 0 ? t->in : which == 3 ? t->out : plain;
    if (which == 2 && t->what >= ATOMIC_STORE) m.transposed = t->in.transposed, m.cut = t->in.cut;
    if (m.stride_row == 0) m.stride_row = 1, m.stride_col = m.transposed ? cols_of(t, which) : rows_of(t, which);
    return m;
}

/* With a border: the extent of memory in a direction of n elements, and where the matrix begins. */
enum { FIRST_ROW = -5, FIRST_COL = -3 };
static int extent_of(int n) { return (n + 1) / 2; }

/* Where a border brings position `at` to, in memory of `extent` elements: step by step. */
static int brought(cm_border border, int at, int extent)
{
    while (at < 0 || at >= extent) {
        if (border == CM_BORDER_CLAMP || extent == 1) at = at < 0 ? 0 : extent - 1;
        else at = at < 0 ? -at : 2 * (extent - 1) - at;
    }
    return at;
}

/* Operand `which` of case `number` of the kernel. */
static cm_mem memory_of(cm_ctx *c, const op_case *t, int number, int which)
{
    const cm_type types[] = {t->a, t->b, t->c, t->d};
    spe_module *m = c->module;
    mode how = mode_of(t, which);
    cm_mem mem;
    memset(&mem, 0, sizeof mem);
    mem.ptr = spe_index(m, spe_param_id(m, (uint32_t)which), spe_u64(m, (uint64_t)number * SLOT));
    mem.ptr = spe_ptr_cast(m, mem.ptr, cm_storage_type(c, types[which]));
    mem.stride_row = spe_i32(m, how.stride_row);
    mem.stride_col = spe_i32(m, how.stride_col);
    mem.transposed = how.transposed;
    if (how.blocks) mem.block2d = CM_BLOCK2D_YES;
    if (how.border) {
        mem.border = how.border;
        mem.row = spe_i32(m, FIRST_ROW);
        mem.col = spe_i32(m, FIRST_COL);
        *(how.transposed ? &mem.cols : &mem.rows) = spe_i32(m, extent_of(rows_of(t, which)));
        *(how.transposed ? &mem.rows : &mem.cols) = spe_i32(m, extent_of(cols_of(t, which)));
    }
    if (how.cut & 1) *(how.transposed ? &mem.cols : &mem.rows) = spe_i32(m, rows_of(t, which) - 1);
    if (how.cut & 2) *(how.transposed ? &mem.rows : &mem.cols) = spe_i32(m, cols_of(t, which) - 1);
    return mem;
}

/* Loads every part of a matrix distributed by the host into part[], or stores it. The vectors of the work-items are
 * contiguous; those of real parts come first. */
static void dealt_move(cm_ctx *c, const cm_layout *l, int number, int which, spe_id *part, bool load)
{
    spe_module *m = c->module;
    int halves = cm_is_complex(l->type) ? 2 : 1, each = cm_part_count(l) / halves, half, i;
    int bytes = cm_type_info(l->type)->storage_bits / 8, vector = l->size_v * bytes;
    int word_bytes = (l->packed ? l->omega : l->size_k1) * bytes;
    spe_id lane = spe_imul(m, spe_uconvert(m, spe_int(m, 64), spe_builtin(m, SPE_SUBGROUP_LANE, 0)),
                           spe_u64(m, (uint64_t)vector));
    spe_id at = spe_index(m, spe_index(m, spe_param_id(m, (uint32_t)which), spe_u64(m, (uint64_t)number * SLOT)), lane);
    for (half = 0; half < halves; half++) {
        int word = 0;
        for (i = 0; i < each; i++) {
            spe_id *p = &part[half * each + i];
            int first = half * l->lanes * vector + word * word_bytes;
            spe_id one =
                spe_ptr_cast(m, first ? spe_index(m, at, spe_u64(m, (uint64_t)first)) : at, cm_part_type(c, l, i));
            if (load)
                *p = spe_load(m, one, (uint32_t)word_bytes);
            else
                spe_store(m, one, *p, (uint32_t)word_bytes);
            word += cm_part_words(l, i);
        }
    }
}

/* Loads an operand, in either way. */
static cm_matrix take(cm_ctx *c, const op_case *t, int number, int which, int rows, int cols, cm_type type, cm_use use,
                      const cm_mem *mem)
{
    static cm_matrix taken[MAX_CASES][2]; /* for later cases of the kernel */
    spe_id part[256];
    cm_layout l;
    if (!t->dealt) return cm_load(c, rows, cols, type, use, &mem[which]);
    if (t->back && which < 2) return taken[number - t->back][which];
    l = cm_layout_for(c, rows, cols, type, use);
    if (!spe_ok(c->module)) return cm_poison();
    dealt_move(c, &l, number, which, part, true);
    if (which == 2) return cm_from_parts(c, &l, part);
    return taken[number][which] = cm_from_parts(c, &l, part);
}

/* Through local memory and back, with strides that leave gaps, read as the transpose of what was written. */
static cm_matrix through_local(cm_ctx *c, const op_case *t, const cm_matrix *a)
{
    spe_module *m = c->module;
    spe_id elem = cm_storage_type(c, t->a), zero = spe_i32(m, 0);
    int parts = cm_type_info(t->a)->kind == CM_KIND_COMPLEX ? 2 : 1, count = t->M * 2 + t->N * (t->M * 2 + 3);
    spe_id array = spe_shared_var(m, spe_array(m, elem, (uint32_t)(count * parts)));
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
    uint32_t bits = 0;
    if (cm_type_info(type)->kind == CM_KIND_INT) return spe_const_i(c->module, id, (int64_t)v);
    if (cm_type_info(type)->storage_float) return spe_const_f(c->module, id, v);
    put_real(type, &bits, 0, v);
    return spe_const_u(c->module, id, bits);
}

/* v + 16 row + column; above the diagonal, just v. */
static cm_matrix applied(cm_ctx *c, const cm_matrix *a)
{
    spe_module *m = c->module;
    spe_id type = cm_arith_type(c, a->layout.type);
    bool is_int = cm_type_info(a->layout.type)->kind == CM_KIND_INT;
    cm_matrix d;
    CM_APPLY(c, d, *a, i, j, v)
    {
        spe_id place = spe_iadd(m, spe_imul(m, i, spe_i32(m, 16)), j);
        place = is_int ? spe_cast(m, type, place, true) : spe_s_to_f(m, type, place);
        v = spe_select(m, spe_sle(m, j, i), is_int ? spe_iadd(m, v, place) : spe_fadd(m, v, place), v);
    }
    return d;
}

static cm_matrix product(cm_ctx *c, const op_case *t, int number, const cm_mem *mem)
{
    cm_matrix a = take(c, t, number, 0, t->M, t->K, t->a, CM_A, mem),
              b = take(c, t, number, 1, t->K, t->N, t->b, CM_B, mem);
    cm_matrix acc = cm_poison(), *with = NULL;
    if (!t->without_c) acc = take(c, t, number, 2, t->M, t->N, t->c, CM_ACC, mem), with = &acc;
    return t->what == PRODUCT ? cm_mul_add(c, t->d, &a, &b, with) : cm_mul_add_saturating(c, t->d, &a, &b, with);
}

/* The result for D. Atomics work on C, and D gets their results. */
static cm_matrix compute(cm_ctx *c, const op_case *t, int number, cm_mem *mem)
{
    const uint32_t scope = SPE_ScopeDevice;
    cm_matrix a, b;
    if (t->what == PRODUCT || t->what == SATURATING) return product(c, t, number, mem);
    if (t->what == ATOMIC_LOAD) return cm_atomic_load(c, t->M, t->N, t->a, t->use, &mem[0], scope, 0);
    if (t->what == SPLAT) return cm_splat(c, t->M, t->N, t->a, t->use, spe_load(c->module, mem[0].ptr, 0));
    a = take(c, t, number, 0, t->M, t->N, t->a, t->use, mem);
    switch (t->what) {
    case BINARY: b = take(c, t, number, 1, t->M, t->N, t->b, t->use, mem); return cm_binary(c, (cm_op)t->op, &a, &b);
    case UNARY: return cm_unary(c, (cm_unary_op)t->op, &a);
    case CONVERT:
        if (!t->rounding && !t->saturate) return cm_convert(c, &a, t->d);
        return cm_convert_as(c, &a, t->d, t->rounding, t->saturate);
    case COPY:
        if (t->op) cm_prefetch(c, t->M, t->N, t->a, &mem[0], t->op - 1);
        return a;
    case USE: return cm_convert_use(c, &a, t->use_d);
    case APPLY: return applied(c, &a);
    case INSERT: return cm_insert(c, &a, a.layout.size_v - 1, cm_component(c, &a, 0));
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

/* The case after the last one of the kernel that begins with case `first`. */
static int kernel_end(const case_list *l, int first)
{
    do first++;
    while (first < l->count && !l->list[first].opens);
    return first;
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
        bool in_memory = !t->dealt || t->what == SPLAT; /* dealt_move computes its own addresses */
        for (n = 0; n < OPERANDS && in_memory; n++) mem[n] = memory_of(&c, t, i, n);
        d = compute(&c, t, i, mem);
        if (!t->dealt)
            cm_store(&c, &d, &mem[3]);
        else if (d.parts)
            dealt_move(&c, &d.layout, i, 3, d.part, false);
        if (!spe_ok(m)) {
            char text[256];
            describe(t, text, sizeof text);
            test_fail(__FILE__, __LINE__, "%s: %s", text, spe_get_error(m)->text);
        }
    }
    spe_kernel_end(m);
}

/* ---- expected results -------------------------------------------------------------------------------------------- */

typedef struct {
    const op_case *t;
    const unsigned char *at[OPERANDS];     /* current contents */
    const unsigned char *before[OPERANDS]; /* initial contents */
    cm_layout l;                           /* of A */
} memory;

/* An operand element's index in memory, and whether a check excludes it. */
static long place(const op_case *t, int which, int row, int col)
{
    mode m = mode_of(t, which);
    return m.transposed ? (long)row * m.stride_col + (long)col * m.stride_row
                        : (long)row * m.stride_row + (long)col * m.stride_col;
}
static bool is_cut(const op_case *t, int which, int row, int col)
{
    int cut = mode_of(t, which).cut;
    return ((cut & 1) && row == rows_of(t, which) - 1) || ((cut & 2) && col == cols_of(t, which) - 1);
}

/* An operand's element as seen by the kernel: zero outside the extents, unless there is a border. */
static number element(const memory *w, int which, int row, int col)
{
    const op_case *t = w->t;
    const cm_type types[] = {t->a, t->b, t->c, t->d};
    if (which == 0 && t->in.border) {
        row = brought(t->in.border, row + FIRST_ROW, extent_of(rows_of(t, 0)));
        col = brought(t->in.border, col + FIRST_COL, extent_of(cols_of(t, 0)));
    }
    return which == 0 && is_cut(t, 0, row, col) ? 0 : get(types[which], w->before[which], place(t, which, row, col));
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

/* The function at this index of CM_UNARY_OPS_. */
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

/* A conversion with the stated rounding: exact, so the bound is at most that of rounding to nearest. Directed rounding
 * is modelled by rounding to nearest and then stepping to the neighbouring representable number if needed. */
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

/* Sum (or minimum, maximum) along a row or column, and the sum of magnitudes. */
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
    number sum = w->t->without_c ? 0 : element(w, 2, row, col);
    int k;
    *magnitude = cabs(sum);
    for (k = 0; k < w->t->K; k++) {
        number x = element(w, 0, row, k) * element(w, 1, k, col);
        sum += x;
        *magnitude += cabs(x);
    }
    return sum;
}

static bool summed_in_f64(const op_case *t)
{
    return t->a == CM_F64 || t->b == CM_F64 || (!t->without_c && (t->c == CM_F64 || t->c == CM_C64));
}

/* Element (row, col) of D and its error bound, before rounding to D's type. OpenCL requires 16 units in the last place
 * or better for these functions (erf: 16, tan: 5), 2 for half precision; native functions are unspecified, and ours
 * must be within 2^-10, with exp's argument times log2(e) rounded to its type; a quotient may be 2.5 units off. */
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
        if (t->op == CM_NATIVE_EXP) *bound += u * cabs(element(w, 0, row, col)) * cabs(x);
        if (t->op >= CM_CEIL && t->op <= CM_SIGN) *bound = 0;
        return x;
    case CONVERT: return cm_is_complex(t->d) ? element(w, 0, row, col) : converted(t, creal(element(w, 0, row, col)));
    case APPLY: x = element(w, 0, row, col); return col <= row ? x + (16 * row + col) : x;
    case TRANSPOSE: return element(w, 0, col, row);
    case LOCAL: return element(w, 0, col, row);
    case COPY:
    case USE: return element(w, 0, row, col);
    case SPLAT: return creal(element(w, 0, 0, 0));
    case REPEAT: return element(w, 0, row % t->M, col % t->N);
    case REDUCE:
        x = reduced(w, row, col, &magnitude);
        if (t->op == CM_ADD) *bound = (t->a == CM_F64 || t->a == CM_C64 ? u : 0x1p-23) * 64 * magnitude;
        return x;
    case PRODUCT:
    case SATURATING:
        x = multiplied(w, row, col, &magnitude);
        *bound = (t->K + 4) * (summed_in_f64(t) ? 0x1p-52 : 0x1p-23) * magnitude;
        if (cm_type_info(t->c)->kind == CM_KIND_INT) *bound = 0;
        return t->what == SATURATING ? clamp(t->d, creal(x)) : x;
    case SCALE: return 3 * element(w, 0, row, col);
    case INSERT: { /* the last component of each lane is its first */
        cm_layout l = w->l;
        cm_slot s = cm_slot_of(&l, row, col);
        cm_element e;
        if (s.component * l.omega + s.channel == l.size_v - 1) s.component = s.channel = 0;
        e = cm_element_of(&l, s);
        return element(w, 0, e.row, e.col);
    }
    case ATOMIC_LOAD:
    case ATOMIC_STORE: return element(w, 0, row, col);
    default: return is_cut(t, 2, row, col) ? 0 : element(w, 2, row, col);
    }
}

/* The value that an atomic leaves in C. */
static number updated(const memory *w, int row, int col, double *bound)
{
    const op_case *t = w->t;
    number x = element(w, 0, row, col), y = element(w, 2, row, col);
    *bound = 0;
    if (is_cut(t, 2, row, col)) return y;
    if (t->what == ATOMIC_STORE) return x;
    if (t->what == ATOMIC_MIN) return fmin(creal(x), creal(y));
    return t->what == ATOMIC_MAX ? fmax(creal(x), creal(y)) : x + y;
}

/* Bytes of the operand that are not part of the matrix, or that a check excludes, must not change. */
static void check_untouched(const memory *w, int which, cm_type type, const char *text)
{
    static bool written[SLOT];
    int row, col, i, bytes = cm_type_info(type)->bytes;
    memset(written, 0, sizeof written);
    for (row = 0; row < rows_of(w->t, which); row++)
        for (col = 0; col < cols_of(w->t, which); col++)
            if (!is_cut(w->t, which, row, col))
                memset(written + place(w->t, which, row, col) * bytes, 1, (size_t)bytes);
    for (i = 0; i < SLOT; i++)
        if (!written[i] && w->at[which][i] != w->before[which][i]) {
            test_fail(__FILE__, __LINE__, "%s: byte %d of %s was written", text, i, which == 3 ? "D" : "C");
            return;
        }
}

static void check_operand(const memory *w, int which, number (*want_of)(const memory *, int, int, double *))
{
    const op_case *t = w->t;
    cm_type type = which == 3 ? t->d : t->c;
    int row, col;
    bool is_int = cm_type_info(type)->kind == CM_KIND_INT;
    char text[320];
    describe(t, text, sizeof text);
    for (row = 0; row < rows_of(t, which); row++)
        for (col = 0; col < cols_of(t, which); col++) {
            double bound;
            number want, got = get(type, w->at[which], place(t, which, row, col));
            if (is_cut(t, which, row, col)) continue;
            want = want_of(w, row, col, &bound);
            if (type == CM_E4M3) want = fmin(fmax(creal(want), -448), 448);
            if (is_int)
                want = wrap(type, creal(want));
            else if (t->what != CONVERT || cm_is_complex(t->d))
                bound += half_unit(type, cabs(want) + bound);
            if (got != want && !(cabs(got - want) <= bound) && !(isnan(creal(want)) && isnan(creal(got)))) {
                test_fail(__FILE__, __LINE__, "%s: %s element %d,%d is %.17g %.17gi, want %.17g %.17gi +- %.3g", text,
                          which == 3 ? "D" : "C", row, col, creal(got), cimag(got), creal(want), cimag(want), bound);
                return;
            }
        }
    check_untouched(w, which, type, text);
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static double random_of(const op_case *t, cm_type type, int which)
{
    const cm_type_row *row = cm_type_info(type);
    bool shift = t->what == BINARY && which == 1 && (t->op == CM_SHL || t->op == CM_SHR);
    double range = ldexp(1, row->storage_bits < 32 ? row->storage_bits : 32), x = test_normal();
    if (row->kind == CM_KIND_INT) {
        if (row->is_signed && t->what == UNARY) range--; /* the least number has no opposite */
        if ((t->what == PRODUCT || t->what == SATURATING) && row->bytes >= 4) /* so that f64 sums are exact */
            return floor(test_uniform() * 2000) - (row->is_signed ? 1000 : 0);
        if (shift) return (double)(test_random() % 8);
        x = (t->what == BINARY && t->op == CM_MUL && row->bytes == 8) ? floor(test_uniform() * 1000)
                                                                      : floor(test_uniform() * range);
        if (row->is_signed) x -= floor(range / 2);
        if (which == 1 && x == 0) return 3; /* divisors */
        if (t->what == BINARY && row->bytes == 4 && t->op == CM_MUL) return floor(x / 65536);
        return x;
    }
    if (t->numbers == POSITIVE) return fabs(x) + 0.125;
    if (t->numbers == UNIT) return 2 * test_uniform() - 1;
    if (t->numbers == LARGE) return x * (is_f8(t->d) ? 300 : 1000);
    if (t->what == BINARY && t->op == CM_DIV && which == 1) return x < 0 ? x - 0.25 : x + 0.25;
    return x;
}

/* Making random numbers takes longer than checking results, so the same ones are repeated throughout an operand. Their
 * count is prime, so that no two rows or columns are alike. */
enum { RANDOMS = 509 };

static void fill(const op_case *t, unsigned char *base, int which)
{
    const cm_type types[] = {t->a, t->b, t->c, t->d};
    cm_type type = types[which];
    int i, block = RANDOMS * cm_type_info(type)->bytes / (cm_is_complex(type) ? 2 : 1);
    if (which == 3) {
        memset(base, 0xa5, SLOT);
        return;
    }
    for (i = 0; i < RANDOMS; i++) put_real(type, base, i, random_of(t, type, which));
    for (i = block; i < SLOT; i += block) memcpy(base + i, base, (size_t)(SLOT - i < block ? SLOT - i : block));
    if (t->what == CONVERT && which == 0 && cm_type_info(type)->kind == CM_KIND_FLOAT &&
        t->saturate && cm_type_info(t->d)->kind == CM_KIND_INT)
        put_real(type, base, 1, NAN);
}

/* The layout of an operand in this context's kernels. */
static cm_layout layout_of(cm_ctx *c, const op_case *t, int which)
{
    const cm_type types[] = {t->a, t->b, t->c, t->d};
    bool product = t->what == PRODUCT || t->what == SATURATING;
    cm_use use = which == 3 ? t->use_d : !product || which == 2 ? t->use : which == 0 ? CM_A : CM_B;
    return cm_layout_for(c, rows_of(t, which), cols_of(t, which), types[which], use);
}

/* Distributes a contiguous row-major matrix to the work-items' vectors, or collects it from them. */
static void deal(cm_layout l, unsigned char *matrix, unsigned char *vectors, bool collect)
{
    int halves = cm_is_complex(l.type) ? 2 : 1, half, bytes;
    if (halves == 2) l.type = l.type == CM_C32 ? CM_F32 : CM_F64;
    bytes = cm_type_info(l.type)->bytes;
    for (half = 0; half < halves; half++) {
        cm_host_mem mem;
        memset(&mem, 0, sizeof mem);
        mem.base = matrix + half * bytes;
        mem.stride_row = halves;
        mem.stride_col = halves * l.rows;
        if (collect)
            cm_gather(&l, vectors + half * l.lanes * l.size_v * bytes, &mem);
        else
            cm_distribute(&l, vectors + half * l.lanes * l.size_v * bytes, &mem);
    }
}

/* The memory of all cases: the device's, its initial contents, and matrices for comparison. */
typedef struct {
    unsigned char *data, *before;
    unsigned char after[SLOT];
    int count;
    cm_ctx *c;
} arena;

static size_t slot_at(const arena *a, int operand, int number)
{
    return ((size_t)operand * (size_t)a->count + (size_t)number) * SLOT;
}

static void fill_case(const arena *a, const op_case *t, int number)
{
    int n;
    for (n = t->back ? 3 : 0; n < OPERANDS; n++) {
        unsigned char *at = a->data + slot_at(a, n, number), *before = a->before + slot_at(a, n, number);
        fill(t, before, n);
        if (n < 2 && t->given[n])
            memcpy(before, t->given[n], (size_t)(rows_of(t, n) * cols_of(t, n) * cm_type_info(n ? t->b : t->a)->bytes));
        memcpy(at, before, SLOT);
        if (t->dealt && n < 3 && t->what != SPLAT) deal(layout_of(a->c, t, n), before, at, false);
    }
}

static void check_case(arena *a, const op_case *t, int number)
{
    memory w;
    int n;
    w.t = t;
    w.l = layout_of(a->c, t, 0);
    for (n = 0; n < OPERANDS; n++) {
        w.at[n] = a->data + slot_at(a, n, number);
        w.before[n] = a->before + slot_at(a, n, n < 2 ? number - t->back : number);
    }
    if (t->dealt) {
        memset(a->after, 0xa5, SLOT);
        deal(layout_of(a->c, t, 3), a->after, a->data + slot_at(a, 3, number), true);
        w.at[3] = a->after;
    }
    check_operand(&w, 3, expected);
    if (t->what >= ATOMIC_STORE) check_operand(&w, 2, updated);
}

static void run_kernel(zed_module *module, arena *a, const case_list *l, int first, int last)
{
    zed_arg args[OPERANDS];
    zed_kernel kernel;
    char name[16];
    int i, n;
    snprintf(name, sizeof name, "k%d", first);
    for (n = 0; n < OPERANDS; n++) args[n] = zed_arg_ptr(a->data + slot_at(a, n, 0));
    if (!zed_kernel_get(&kernel, module, name, "ptr<u8> A, ptr<u8> B, ptr<u8> C, ptr<u8> D") ||
        !zed_launch_n(&kernel, ((zed_groups){1, 1, 1}), args, OPERANDS)) {
        test_fail(__FILE__, __LINE__, "%s: %s", name, zed_get_error(&device)->text);
        return;
    }
    for (i = first; i < last; i++) check_case(a, &l->list[i], i);
}

static void run_on_device(const char *group, cm_ctx *c, spe_words words, const case_list *l)
{
    size_t bytes = (size_t)OPERANDS * (size_t)l->count * SLOT;
    static arena a;
    zed_module module;
    int i;
    memset(&module, 0, sizeof module);
    a.data = (unsigned char *)zed_alloc(&device, ZED_SHARED, bytes, 64);
    a.before = (unsigned char *)malloc(bytes);
    a.count = l->count;
    a.c = c;
    if (!a.before || !a.data || !zed_module_load(&module, &device, words.data, words.count * 4, NULL))
        test_fail(__FILE__, __LINE__, "%s: %s", group, zed_get_error(&device)->text);
    for (i = 0; a.data && a.before && i < l->count; i++) fill_case(&a, &l->list[i], i);
    for (i = 0; i < l->count && zed_get_error(&device)->id == 0; i = kernel_end(l, i))
        run_kernel(&module, &a, l, i, kernel_end(l, i));
    zed_clear_error(&device);
    zed_module_free(&module);
    zed_free(&device, a.data);
    free(a.before);
}

static const char *cases_test = "test_coopmatrix"; /* the program, for module names */

static bool has_doubles(const op_case *t)
{
    const cm_type types[] = {t->a, t->b, t->c, t->d};
    for (int i = 0; i < 4; i++)
        if (types[i] == CM_F64 || types[i] == CM_C64) return true;
    return false;
}

/* The cases that the device has: no doubles for some. */
static const case_list *cases_of_device(const case_list *l)
{
    static case_list left;
    int at[MAX_CASES];
    bool opens = false;
    if (!have_device || (device.target.fp64 && !on_vulkan())) return l;
    left.count = 0;
    for (int i = 0; i < l->count; i++) {
        const op_case *t = &l->list[i];
        opens = opens || t->opens;
        at[i] = -1;
        if (has_doubles(t) && !device.target.fp64) continue;
        if (t->back && at[i - t->back] < 0) continue;
        at[i] = left.count;
        left.list[left.count] = *t;
        left.list[left.count].opens = opens;
        left.list[left.count].back = t->back ? at[i] - at[i - t->back] : 0;
        left.count++;
        opens = false;
    }
    return &left;
}

static void run_group(const char *group, const char *target_name, int S, cm_lowering lowering, const case_list *all)
{
    const case_list *l = cases_of_device(all);
    /* 2D block messages for the software device may break the rules of other devices */
    const cm_target *row = have_device ? cm_target_row(device.target.name) : NULL;
    bool own = strcmp(target_name, "soft") == 0 && row && (device.target.subgroup_sizes & (uint32_t)S) &&
               (lowering != CM_KHR || row->coop_khr);
    cm_target target = *cm_target_row(own ? device.target.name : target_name);
    S = adopt_vulkan(&target, S, &lowering);
    spe_options options = {.env = cm_environment(&(spe_device){.name = target.name})};
    spe_module m, other;
    cm_ctx c;
    spe_words words;
    char file[128];
    int i;
    target.subgroup_size = S;
    spe_begin(&m, &options);
    for (i = 0; i < l->count; i = kernel_end(l, i)) emit(&m, &target, lowering, l, i, kernel_end(l, i));
    words = spe_finish(&m);
    CHECK_MSG(words.data != NULL, "%s: %s", group, spe_get_error(&m)->text);
    snprintf(file, sizeof file, "%s%s_%s", options.env ? "vulkan_" : "", cases_test, group);
    if (words.data) test_save_spv(file, words.data, words.count * 4);
    spe_begin(&other, &options); /* for layouts only */
    cm_begin(&c, &other, &target, lowering);
    if (words.data && device_runs(&target, S)) run_on_device(group, &c, words, l);
    spe_free(&other);
    spe_free(&m);
    if (!have_device && !test_.failures_here) SKIP("no device to run on; the module was made");
}

/* ---- shared by all tests ----------------------------------------------------------------------------------------- */

static const cm_type all_types[] = {CM_F32,  CM_F16, CM_BF16, CM_I8,  CM_U8,  CM_I32, CM_F64, CM_TF32, CM_E4M3,
                                    CM_E5M2, CM_I16, CM_U16,  CM_U32, CM_I64, CM_U64, CM_C32, CM_C64};
enum { ALL_TYPES = sizeof all_types / sizeof all_types[0] };

static case_list cases;

/* Runs the cases that were added when they fill a module, or all of them if they are the last: what every module begins
 * with takes as long to compile as a dozen cases. */
TEST_UNUSED_ static void run_full(const char *name, bool last)
{
    static int number;
    char group[64];
    if (cases.count == 0 || (cases.count < MODULE_CASES && !last)) return;
    snprintf(group, sizeof group, "%s_%d", name, number++);
    run_group(group, "soft", 16, CM_AUTO, &cases);
    cases.count = 0;
}

TEST_UNUSED_ static domain domain_of(int op)
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

#endif
