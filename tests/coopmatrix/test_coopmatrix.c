/* test_coopmatrix.c - operations of coopmatrix.h: each case is a kernel of one subgroup that loads, computes and
 * stores; all cases of a group share a module (one compilation). Results are compared element by element with f64 or
 * exact integers, over the whole output buffer, so that stray writes are detected too. Without a device the modules are
 * still built and saved. */
#include "coopmatrix_device.h"

#include <limits.h>

enum { BUFFER = 1 << 15, MATRICES = 4 }; /* bytes of a buffer; A, B, C, D */

/* ---- numbers in memory ------------------------------------------------------------------------------------------- */

static double get(cm_type type, const void *base, long i)
{
    switch (type) {
    case CM_F64: return ((const double *)base)[i];
    case CM_F32:
    case CM_TF32: return (double)((const float *)base)[i];
    case CM_F16: return (double)spe_f16_bits_to_f32(((const uint16_t *)base)[i]);
    case CM_BF16: return (double)spe_bf16_bits_to_f32(((const uint16_t *)base)[i]);
    case CM_I8: return (double)((const int8_t *)base)[i];
    case CM_U8: return (double)((const uint8_t *)base)[i];
    case CM_I16: return (double)((const int16_t *)base)[i];
    case CM_I32: return (double)((const int32_t *)base)[i];
    case CM_U32: return (double)((const uint32_t *)base)[i];
    default: return 0;
    }
}

static void put(cm_type type, void *base, long i, double v)
{
    switch (type) {
    case CM_F64: ((double *)base)[i] = v; break;
    case CM_F32:
    case CM_TF32: ((float *)base)[i] = (float)v; break;
    case CM_F16: ((uint16_t *)base)[i] = spe_f32_to_f16_bits((float)v); break;
    case CM_BF16: ((uint16_t *)base)[i] = spe_f32_to_bf16_bits((float)v); break;
    case CM_I8: ((int8_t *)base)[i] = (int8_t)v; break;
    case CM_U8: ((uint8_t *)base)[i] = (uint8_t)v; break;
    case CM_I16: ((int16_t *)base)[i] = (int16_t)v; break;
    case CM_I32: ((int32_t *)base)[i] = (int32_t)v; break;
    case CM_U32: ((uint32_t *)base)[i] = (uint32_t)v; break;
    default: break;
    }
}

static double random_value(cm_type type)
{
    const cm_type_row *t = cm_type_info(type);
    if (t->kind == CM_KIND_FLOAT) return test_normal();
    if (t->bytes == 1) return t->is_signed ? (double)(int8_t)test_random() : (double)(uint8_t)test_random();
    return t->is_signed ? (double)((int)(test_random() % 2001) - 1000) : (double)(test_random() % 2001);
}

/* Half a unit in the last place, relative. */
static double rounding(cm_type type)
{
    switch (type) {
    case CM_F16: return 0x1p-11;
    case CM_BF16: return 0x1p-8;
    case CM_F64: return 0x1p-53;
    case CM_F32: return 0x1p-24;
    default: return 0;
    }
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

typedef enum { PRODUCT, PRODUCT_ONLY /* no C */, COPY, ADD, SCALE, CONVERT, USE, SPLAT } operation;

/* A matrix's layout in memory. Not transposed: rows contiguous. `before`: rows and columns that precede the matrix
 * in the base; negative: the matrix begins outside. `after`: rows and columns after it, negative likewise. */
typedef struct {
    int before, after;
    bool transposed, checked;
    cm_block2d block2d;
    double padding;
} placement;

typedef struct {
    operation op;
    int M, N, K;
    cm_type a, b, c, d;
    cm_use use, use_d; /* of A and D, if the operation does not determine them */
    placement at;      /* of all matrices */
    int down;          /* shifts all matrices down by this many rows, beyond the end of their bases */
    bool whole;        /* D has separate memory, so that elements outside A are visible in it */
} test_case;

/* One matrix: its memory as described to the kernel and as seen by the host. */
typedef struct {
    cm_type type;
    int rows, cols, extent_rows, extent_cols, pos_row, pos_col, pitch;
    placement at;
    void *memory;
} operand;

static operand place(const test_case *t, int which)
{
    operand o;
    int across;
    memset(&o, 0, sizeof o);
    o.type = which == 0 ? t->a : which == 1 ? t->b : which == 2 ? t->c : t->d;
    o.rows = which == 1 ? t->K : t->M;
    o.cols = which == 0 && t->op <= PRODUCT_ONLY ? t->K : t->N;
    o.at = t->at;
    if (t->whole && which == 3) memset(&o.at, 0, sizeof o.at), o.at.block2d = CM_BLOCK2D_NO;
    o.pos_row = o.at.before + (t->whole && which == 3 ? 0 : t->down);
    o.pos_col = o.at.before;
    o.extent_rows = o.at.before + o.rows + o.at.after;
    o.extent_cols = o.at.before + o.cols + o.at.after;
    if (o.at.block2d == CM_BLOCK2D_YES) { /* at least 64 bytes across, all in fours */
        int least = 64 / cm_type_info(o.type)->bytes;
        int *wide = o.at.transposed ? &o.extent_cols : &o.extent_rows;
        *wide = (*wide + 3) / 4 * 4 < least ? least : (*wide + 3) / 4 * 4;
    }
    across = o.at.transposed ? o.extent_cols : o.extent_rows;
    o.pitch = (across + 15) / 16 * 16 + (o.at.block2d == CM_BLOCK2D_YES ? 16 : 1);
    return o;
}

/* Index of an element in memory; -1: outside. */
static long where(const operand *o, int row, int col)
{
    int r = o->pos_row + row, c = o->pos_col + col;
    if (r < 0 || c < 0 || r >= o->extent_rows || c >= o->extent_cols) return -1;
    return o->at.transposed ? (long)r * o->pitch + c : r + (long)c * o->pitch;
}

static double element(const operand *o, int row, int col)
{
    long i = where(o, row, col);
    return i < 0 ? o->at.padding : get(o->type, o->memory, i);
}

/* ---- the kernel of a case ---------------------------------------------------------------------------------------- */

static const char parameters[] = "ptr<u8> A, ptr<u8> B, ptr<u8> C, ptr<u8> D, i32 a0, i32 a1, i32 a2, i32 a3, i32 a4, "
                                 "i32 b0, i32 b1, i32 b2, i32 b3, i32 b4, i32 c0, i32 c1, i32 c2, i32 c3, i32 c4, "
                                 "i32 d0, i32 d1, i32 d2, i32 d3, i32 d4";

/* The kernel's parameters for operand `which`: five integers, in memory order if transposed. */
static cm_mem kernel_memory(cm_ctx *c, const operand *o, int which)
{
    cm_mem m;
    int first = MATRICES + which * 5;
    memset(&m, 0, sizeof m);
    m.ptr = spe_ptr_cast(c->module, spe_param_id(c->module, (uint32_t)which), cm_storage_type(c, o->type));
    m.row = spe_param_id(c->module, (uint32_t)first);
    m.col = spe_param_id(c->module, (uint32_t)first + 1);
    if (o->at.checked) {
        m.rows = spe_param_id(c->module, (uint32_t)first + 2);
        m.cols = spe_param_id(c->module, (uint32_t)first + 3);
    }
    m.stride_col = spe_param_id(c->module, (uint32_t)first + 4);
    m.transposed = o->at.transposed;
    m.block2d = o->at.block2d;
    if (o->at.padding != 0) {
        spe_id type = cm_arith_type(c, o->type);
        bool whole = cm_type_info(o->type)->kind == CM_KIND_INT;
        m.padding = whole ? spe_const_i(c->module, type, (int64_t)o->at.padding)
                          : cm_from_arith(c, o->type, spe_const_f(c->module, type, o->at.padding));
    }
    return m;
}

static spe_id halve(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    (void)b, (void)user;
    if (cm_type_info(type)->kind != CM_KIND_FLOAT) return spe_iadd(c->module, a, a);
    return spe_fmul(c->module, a, spe_const_f(c->module, spe_type_of(c->module, a), 0.5));
}

static cm_matrix compute(cm_ctx *c, const test_case *t, const cm_mem *mem)
{
    cm_matrix a, b, acc, wide;
    spe_id scalar;
    if (t->op == PRODUCT || t->op == PRODUCT_ONLY) {
        a = cm_load(c, t->M, t->K, t->a, CM_A, &mem[0]);
        b = cm_load(c, t->K, t->N, t->b, CM_B, &mem[1]);
        if (t->op == PRODUCT_ONLY) return cm_mul_add(c, t->d, &a, &b, NULL);
        acc = cm_load(c, t->M, t->N, t->c, CM_ACC, &mem[2]);
        return cm_mul_add(c, t->d, &a, &b, &acc);
    }
    if (t->op == SPLAT) {
        scalar = spe_load(c->module, mem[0].ptr, 0);
        return cm_splat(c, t->M, t->N, t->d, t->use, scalar);
    }
    a = cm_load(c, t->M, t->N, t->a, t->use, &mem[0]);
    switch (t->op) {
    case COPY: return a;
    case ADD: b = cm_load(c, t->M, t->N, t->c, t->use, &mem[2]); return cm_add(c, &a, &b);
    case SCALE: return cm_map1(c, &a, halve, NULL);
    case CONVERT: return cm_convert(c, &a, t->d);
    default: wide = cm_convert(c, &a, t->d); return cm_convert_use(c, &wide, t->use_d);
    }
}

static void emit_case(spe_module *m, const test_case *t, const cm_target *target, cm_lowering lowering,
                      const char *name)
{
    spe_param params[24];
    spe_kernel k;
    cm_ctx c;
    cm_mem mem[MATRICES];
    cm_matrix d;
    int i;
    memset(params, 0, sizeof params);
    memset(&k, 0, sizeof k);
    for (i = 0; i < 24; i++)
        params[i].type = i < MATRICES ? spe_ptr(m, SPE_StorageClassCrossWorkgroup, spe_int(m, 8)) : spe_int(m, 32);
    k.name = name;
    k.params = params;
    k.param_count = 24;
    k.subgroup_size = (uint32_t)target->subgroup_size;
    k.local_size[0] = (uint32_t)target->subgroup_size;
    k.local_size[1] = k.local_size[2] = 1;
    spe_kernel_begin(m, &k);
    if (cm_begin(&c, m, target, lowering)) {
        for (i = 0; i < MATRICES; i++) {
            operand o = place(t, i);
            mem[i] = kernel_memory(&c, &o, i);
        }
        d = compute(&c, t, mem);
        cm_store(&c, &d, &mem[3]);
    }
    spe_kernel_end(m);
}

/* ---- running a case ---------------------------------------------------------------------------------------------- */

static void describe(const test_case *t, char *text, size_t size)
{
    static const char *const ops[] = {"product", "product only", "copy", "add", "scale", "convert", "use", "splat"};
    snprintf(text, size, "%s %dx%dx%d %s %s %s -> %s %s%s%s%s at %d,%d down %d", ops[t->op], t->M, t->N, t->K,
             cm_type_info(t->a)->name, cm_type_info(t->b)->name, cm_type_info(t->c)->name, cm_type_info(t->d)->name,
             cm_use_name(t->use), t->at.transposed ? " transposed" : "", t->at.checked ? " checked" : "",
             t->at.block2d == CM_BLOCK2D_YES ? " 2D" : "", t->at.before, t->at.after, t->down);
}

/* The element of the result and how far off it may be: for a sum of K products in f32, in any order, (K + 2) rounding
 * errors of the sum of magnitudes; then half a unit of the result's type. Where all are of one 16-bit type, the matrix
 * instruction rounds a sum to it after every 16 products: those that are not the last are off by as much, too. */
static double expected(const test_case *t, const operand *o, int row, int col, double *bound)
{
    double sum = 0, magnitude = 0;
    int k;
    *bound = 0;
    if (t->op == PRODUCT) sum = element(&o[2], row, col);
    magnitude = fabs(sum);
    for (k = 0; t->op <= PRODUCT_ONLY && k < t->K; k++) {
        double x = element(&o[0], row, k) * element(&o[1], k, col);
        sum += x;
        magnitude += fabs(x);
    }
    if (t->op == COPY || t->op == CONVERT || t->op == USE) sum = element(&o[0], row, col);
    if (t->op == ADD) sum = element(&o[0], row, col) + element(&o[2], row, col);
    if (t->op == SCALE)
        sum = cm_type_info(t->a)->kind == CM_KIND_FLOAT ? element(&o[0], row, col) * 0.5 : element(&o[0], row, col) * 2;
    if (t->op == SPLAT) sum = get(t->a, o[0].memory, 0);
    if (cm_type_info(t->d)->kind == CM_KIND_FLOAT) {
        if (t->op <= PRODUCT_ONLY) *bound = (t->K + 2) * (t->d == CM_F64 ? 0x1p-53 : 0x1p-24) * magnitude;
        if (t->op == PRODUCT && t->a == t->b && t->b == t->c && t->c == t->d && cm_type_info(t->d)->bytes == 2)
            *bound += (t->K - 1) / 16 * rounding(t->d) * 1.01 * magnitude;
        *bound += rounding(t->d) * (fabs(sum) + *bound) + 0x1p-25 * (t->d == CM_F16);
    } else { /* towards zero from a float; integers wrap */
        unsigned char wrapped[8];
        int bits = cm_type_info(t->d)->storage_bits;
        sum = trunc(sum);
        sum = sum - floor(sum / ldexp(1, bits)) * ldexp(1, bits);
        if (cm_type_info(t->d)->is_signed && sum >= ldexp(1, bits - 1)) sum -= ldexp(1, bits);
        put(t->d, wrapped, 0, sum);
        sum = get(t->d, wrapped, 0);
    }
    return sum;
}

static void compare(const test_case *t, const operand *o, const unsigned char *before)
{
    const operand *d = &o[3];
    static bool written[BUFFER];
    int bytes = cm_type_info(t->d)->bytes, row, col, wrong = 0;
    long i;
    char text[256];
    describe(t, text, sizeof text);
    memset(written, 0, sizeof written);
    for (row = 0; row < d->rows; row++)
        for (col = 0; col < d->cols; col++) {
            long at = where(d, row, col);
            double bound, want, got;
            if (at < 0) continue;
            memset(written + at * bytes, 1, (size_t)bytes);
            want = expected(t, o, row, col, &bound);
            got = get(t->d, d->memory, at);
            if (!(fabs(got - want) <= bound) && wrong++ == 0)
                test_fail(__FILE__, __LINE__, "%s: element %d,%d is %.9g, want %.9g +- %.3g", text, row, col, got, want,
                          bound);
        }
    for (i = 0; i < BUFFER; i++)
        if (!written[i] && ((unsigned char *)d->memory)[i] != before[i]) {
            test_fail(__FILE__, __LINE__, "%s: byte %ld was written", text, i);
            return;
        }
    if (wrong > 1) test_fail(__FILE__, __LINE__, "%s: %d elements are wrong", text, wrong);
}

static void fill(operand *o)
{
    int row, col;
    long i;
    for (i = 0; i < BUFFER; i++) ((unsigned char *)o->memory)[i] = (unsigned char)test_random();
    for (row = -o->pos_row; row < o->extent_rows - o->pos_row; row++)
        for (col = -o->pos_col; col < o->extent_cols - o->pos_col; col++) {
            i = where(o, row, col);
            if ((i + 1) * cm_type_info(o->type)->bytes > BUFFER)
                test_fail(__FILE__, __LINE__, "the buffer is too small");
            else
                put(o->type, o->memory, i, random_value(o->type));
        }
}

static void run_case(zed_module *module, const test_case *t, const char *name, unsigned char *memory)
{
    static unsigned char before[BUFFER];
    operand o[MATRICES];
    zed_arg args[24];
    zed_kernel kernel;
    int i;
    for (i = 0; i < MATRICES; i++) {
        o[i] = place(t, i);
        o[i].memory = memory + (size_t)i * BUFFER;
        fill(&o[i]);
        args[i] = zed_arg_ptr(o[i].memory);
        args[4 + i * 5] = zed_arg_i(o[i].pos_row);
        args[5 + i * 5] = zed_arg_i(o[i].pos_col);
        args[6 + i * 5] = zed_arg_i(o[i].at.transposed ? o[i].extent_cols : o[i].extent_rows);
        args[7 + i * 5] = zed_arg_i(o[i].at.transposed ? o[i].extent_rows : o[i].extent_cols);
        args[8 + i * 5] = zed_arg_i(o[i].pitch);
    }
    memcpy(before, o[3].memory, BUFFER);
    if (!zed_kernel_get(&kernel, module, name, parameters) ||
        !zed_launch_n(&kernel, ((zed_groups){1, 1, 1}), args, 24)) {
        test_fail(__FILE__, __LINE__, "%s: %s", name, zed_get_error(&device)->text);
        return;
    }
    compare(t, o, before);
}

static bool device_has_types(const test_case *t)
{
    const cm_type types[] = {t->a, t->b, t->c, t->d};
    for (int i = 0; i < 4; i++)
        if (types[i] == CM_F64 && have_device && !device.target.fp64) return false;
    return true;
}

/* Builds the module of the cases whose types the device has, saves it, and runs it if the device supports it. */
static void run_group(const char *group, const char *target_name, int S, cm_lowering lowering, const test_case *cases,
                      int count)
{
    cm_target target = *cm_target_row(target_name);
    const cm_target *own = have_device ? cm_target_row(device.target.name) : NULL;
    spe_module m;
    spe_words words;
    zed_module module;
    unsigned char *memory;
    char name[64], file[128];
    int i;
    if (lowering == CM_AUTO && own && own->subgroup_sizes & (uint32_t)S && !device_runs(&target, S)) target = *own;
    S = adopt_vulkan(&target, S, &lowering);
    target.subgroup_size = S;
    spe_begin(&m, &(spe_options){.env = cm_environment(&(spe_device){.name = target.name})});
    for (i = 0; i < count; i++) {
        snprintf(name, sizeof name, "case%d", i);
        if (device_has_types(&cases[i])) emit_case(&m, &cases[i], &target, lowering, name);
        if (!spe_ok(&m)) {
            char text[256];
            describe(&cases[i], text, sizeof text);
            test_fail(__FILE__, __LINE__, "%s: %s", text, spe_get_error(&m)->text);
            break;
        }
    }
    words = spe_finish(&m);
    CHECK_MSG(words.data != NULL, "%s: %s", group, spe_get_error(&m)->text);
    snprintf(file, sizeof file, "test_coopmatrix_%s", group);
    if (words.data) test_save_spv(file, words.data, words.count * 4);
    if (words.data && device_runs(&target, S)) {
        memory = (unsigned char *)zed_alloc(&device, ZED_SHARED, (size_t)BUFFER * MATRICES, 64);
        if (!memory || !zed_module_load(&module, &device, words.data, words.count * 4, NULL))
            test_fail(__FILE__, __LINE__, "%s: %s", group, zed_get_error(&device)->text);
        for (i = 0; i < count && zed_get_error(&device)->id == 0; i++) {
            snprintf(name, sizeof name, "case%d", i);
            if (device_has_types(&cases[i])) run_case(&module, &cases[i], name, memory);
        }
        zed_clear_error(&device);
        zed_module_free(&module);
        zed_free(&device, memory);
    }
    spe_free(&m);
    if (!have_device && !test_.failures_here) SKIP("no device to run on; the module was made");
}

/* ---- groups of cases --------------------------------------------------------------------------------------------- */

typedef struct {
    int M, N, K;
} shape;
static const shape small_shapes[] = {{16, 9, 8}, {4, 15, 4}, {32, 3, 8}, {1, 17, 4},
                                     {8, 6, 2},  {64, 5, 1}, {16, 2, 32}};
static const shape wide_shapes[] = {{4, 6, 2}, {32, 2, 4}, {64, 1, 2}};
static const shape dpas16_shapes[] = {{16, 8, 32}, {32, 5, 32}, {16, 13, 64}, {64, 1, 32}};
static const shape dpas8_shapes[] = {{8, 8, 32}, {16, 5, 32}, {8, 3, 64}};
static const shape block_shapes[] = {{64, 32, 32}, {32, 13, 32}, {16, 1, 64}, {32, 20, 32}}; /* few instructions each */

static const struct {
    cm_type a, b, c, d;
} products[] = {
    {CM_F16, CM_F16, CM_F32, CM_F32}, {CM_BF16, CM_BF16, CM_F32, CM_F32},  {CM_I8, CM_I8, CM_I32, CM_I32},
    {CM_U8, CM_U8, CM_I32, CM_I32},   {CM_I8, CM_U8, CM_I32, CM_I32},      {CM_U8, CM_I8, CM_I32, CM_I32},
    {CM_F16, CM_F16, CM_F16, CM_F16}, {CM_BF16, CM_BF16, CM_F32, CM_BF16}, {CM_F32, CM_F32, CM_F32, CM_F32},
    {CM_F64, CM_F64, CM_F64, CM_F64}, {CM_F32, CM_F16, CM_F32, CM_F32},    {CM_I32, CM_I32, CM_I32, CM_I32}};

static const placement inside = {0, 3, false, false, CM_BLOCK2D_NO, 0};

enum { MAX_CASES = 96 };
typedef struct {
    test_case list[MAX_CASES];
    int count;
} case_list;

static test_case *add_case(case_list *l, operation op, int M, int N, int K, placement at)
{
    test_case *t = &l->list[l->count];
    if (l->count < MAX_CASES - 1) l->count++;
    memset(t, 0, sizeof *t);
    t->op = op;
    t->M = M;
    t->N = N;
    t->K = K;
    t->a = t->b = t->c = t->d = CM_F32;
    t->at = at;
    return t;
}

/* In the sample, of cases that go in two lowerings each goes in one: every other one, from `first` on. */
static void run_halves(const char *group, const char *target, int S, const case_list *all, int first)
{
    static case_list half;
    half.count = 0;
    for (int i = 0; i < all->count; i++)
        if (test_takes(i + first, 2)) half.list[half.count++] = all->list[i];
    run_group(group, target, S, CM_AUTO, half.list, half.count);
}

/* Products of the table's rows first .. last, `each` of each, or in the sample one; shapes and placements in turn.
 * Kernels are kept small and few, because the software device compiles them. */
static void add_products(case_list *l, int first, int last, int each, const shape *shapes, int n, const placement *at,
                         int places)
{
    int i, k, turn = 0;
    if (!test_thorough()) each = 1;
    for (i = first; i < last; i++)
        for (k = 0; k < each; k++, turn++) {
            const shape *s = &shapes[turn % n];
            test_case *t = add_case(l, turn % 3 == 2 ? PRODUCT_ONLY : PRODUCT, s->M, s->N, s->K, at[turn % places]);
            t->a = products[i].a;
            t->b = products[i].b;
            t->c = products[i].c;
            t->d = products[i].d;
        }
}

TEST(plain_products)
{
    static case_list l;
    static const placement at[] = {{0, 3, false, false, CM_BLOCK2D_NO, 0},
                                   {-2, -1, false, true, CM_BLOCK2D_NO, 0},
                                   {2, 1, true, false, CM_BLOCK2D_NO, 0},
                                   {1, -2, true, true, CM_BLOCK2D_NO, 0},
                                   {3, -3, false, true, CM_BLOCK2D_NO, 0}};
    l.count = 0;
    add_products(&l, 0, 12, 2, small_shapes, 7, at, 5);
    run_group("plain16", "generic", 16, CM_AUTO, l.list, l.count);
}

TEST(plain_products_other_sizes)
{
    static case_list l;
    static const placement at[] = {{0, 3, false, false, CM_BLOCK2D_NO, 0}, {-2, -1, true, true, CM_BLOCK2D_NO, 0}};
    l.count = 0;
    add_products(&l, 0, 9, 1, small_shapes, 7, at, 2);
    run_group("plain8", "generic", 8, CM_AUTO, l.list, l.count);
    l.count = 0; /* 32 lanes are slow to compile for */
    add_products(&l, 0, 3, 1, wide_shapes, 3, at, 2);
    run_group("plain32", "generic", 32, CM_AUTO, l.list, l.count);
}

TEST(dpas_products)
{
    static case_list l;
    static const placement at[] = {{0, 3, false, false, CM_BLOCK2D_NO, 0},
                                   {-2, -1, false, true, CM_BLOCK2D_NO, 0},
                                   {2, 1, true, false, CM_BLOCK2D_NO, 0},
                                   {1, -2, true, true, CM_BLOCK2D_NO, 0}};
    l.count = 0;
    add_products(&l, 0, 8, 2, dpas16_shapes, 4, at, 4);
    run_group("dpas16", "soft", 16, CM_INTEL, l.list, l.count);
    l.count = 0;
    add_products(&l, 0, 8, 1, dpas8_shapes, 3, at, 4);
    run_group("dpas8", "soft", 8, CM_INTEL, l.list, l.count);
}

TEST(block_products)
{
    static case_list l;
    static const placement at[] = {{0, 4, false, true, CM_BLOCK2D_YES, 0},  {-4, -1, false, true, CM_BLOCK2D_YES, 0},
                                   {4, 1, true, true, CM_BLOCK2D_YES, 0},   {8, -3, false, true, CM_BLOCK2D_YES, 2},
                                   {-4, -2, true, true, CM_BLOCK2D_YES, 0}, {0, 0, false, false, CM_BLOCK2D_YES, 0}};
    int i;
    l.count = 0;
    add_products(&l, 0, 8, 2, block_shapes, 4, at, 6);
    for (i = 0; i < l.count; i++) { /* down columns, messages begin at multiples of four bytes */
        l.list[i].down = !l.list[i].at.checked ? 0 : i % 4 == 3 ? -5 : i % 2;
        if (!l.list[i].at.transposed) l.list[i].down *= 4;
    }
    run_group("block2d", "soft", 16, CM_INTEL, l.list, l.count);
}

/* On a target with matrix hardware, what that cannot do falls back to the plain lowering, K = 16 of 8-bit types for
 * one. */
TEST(products_the_hardware_lacks)
{
    static case_list l;
    l.count = 0;
    add_products(&l, 0, 4, 1, small_shapes + 2, 5, &inside, 1);
    run_group("fallback", "soft", 16, CM_AUTO, l.list, l.count);
}

TEST(copies)
{
    static const cm_type types[] = {CM_F32, CM_F16, CM_BF16, CM_I8, CM_I16, CM_F64};
    static const placement at[] = {{0, 0, false, false, CM_BLOCK2D_NO, 0},    {-4, -3, false, true, CM_BLOCK2D_NO, 2.5},
                                   {4, 1, true, false, CM_BLOCK2D_NO, 0},     {4, -5, true, true, CM_BLOCK2D_NO, 0},
                                   {-4, -1, false, true, CM_BLOCK2D_YES, 0},  {4, -2, true, true, CM_BLOCK2D_YES, 0},
                                   {-4, -1, false, true, CM_BLOCK2D_YES, 2.5}};
    static const int sizes[][2] = {{16, 7}, {32, 12}, {64, 4}, {4, 6}, {1, 9}};
    static case_list l;
    int type, use, p, n = 0;
    l.count = 0;
    for (type = 0; type < 6; type++)
        for (use = CM_ACC; use <= CM_B; use++)
            for (p = 0; p < 2; p++, n++) {
                test_case *t = add_case(&l, COPY, sizes[n % 5][0], sizes[n % 5][1], 1, at[n % 7]);
                t->a = t->b = t->c = t->d = types[type];
                t->use = (cm_use)use;
                if (t->at.padding != 0 && cm_type_info(types[type])->kind == CM_KIND_INT) t->at.padding = -3;
                if (t->a == CM_F64 && t->at.block2d == CM_BLOCK2D_YES) t->at.block2d = CM_BLOCK2D_NO;
            }
    run_halves("copies_soft", "soft", 16, &l, 0);
    run_halves("copies_plain", "generic", 8, &l, 1);
}

/* Columns contiguous, by 2D block messages: of elements below 32 bits several columns come in a dword, and of 8-bit
 * ones two rows of memory are read as one, so rows start at even and odd places, before the first and behind the last
 * one. In the sample each type in each use has every third place. */
TEST(transposed_blocks)
{
    static const cm_type types[] = {CM_I8, CM_F16, CM_BF16, CM_U16, CM_F32};
    static const int sizes[][2] = {{32, 8}, {16, 1}, {32, 33}, {64, 7}, {32, 16}, {64, 3}};
    static const int down[] = {0, 1, 0, -11, 1, 0};
    static const placement at[] = {{0, 0, true, true, CM_BLOCK2D_YES, 0},   {4, -2, true, true, CM_BLOCK2D_YES, 0},
                                   {0, -31, true, true, CM_BLOCK2D_YES, 0}, {8, 3, true, true, CM_BLOCK2D_YES, 0},
                                   {4, 2, true, false, CM_BLOCK2D_YES, 0},  {-4, 0, true, true, CM_BLOCK2D_YES, 0}};
    static case_list l;
    int type, use, p;
    l.count = 0;
    for (type = 0; type < 5; type++)
        for (use = CM_ACC; use <= CM_B; use++)
            /* of bytes no column may be negative: the last place is the first again */
            for (p = type == 0; p < 6; p++) {
                const int *size = sizes[(type * 7 + use * 5 + p) % 6];
                test_case *t;
                if (!test_takes(type + use + p, 3)) continue;
                t = add_case(&l, COPY, size[0], size[1], 1, at[type == 0 && p == 5 ? 0 : p]);
                t->a = t->b = t->c = t->d = types[type];
                t->use = (cm_use)use;
                t->whole = true;
                t->down = down[p];
                if (p % 2) t->at.padding = 3;
                if (p == 2) t->at.after = 1 - t->M; /* a single row of memory */
            }
    run_group("transposed_blocks", "soft", 16, CM_AUTO, l.list, l.count);
}

TEST(component_operations)
{
    static const cm_type types[] = {CM_F32, CM_F16, CM_BF16, CM_I8, CM_I32};
    static case_list l;
    int type, use;
    l.count = 0;
    for (type = 0; type < 5; type++)
        for (use = CM_ACC; use <= CM_B; use++) {
            test_case *t = add_case(&l, ADD, 32, use == CM_A ? 4 : 3, 1, inside);
            t->a = t->c = t->d = types[type];
            t->use = (cm_use)use;
            t = add_case(&l, SCALE, use == CM_A ? 4 : 32, 4, 1, inside);
            t->a = t->c = t->d = types[type];
            t->use = (cm_use)use;
            t = add_case(&l, SPLAT, 16, 4, 1, inside);
            t->a = t->c = t->d = types[type];
            t->use = (cm_use)use;
        }
    run_halves("components_soft", "soft", 16, &l, 0);
    run_halves("components_plain", "generic", 8, &l, 1);
}

TEST(conversions)
{
    static const cm_type pairs[][2] = {{CM_F32, CM_F16}, {CM_F32, CM_BF16}, {CM_F16, CM_F32}, {CM_BF16, CM_F16},
                                       {CM_I32, CM_I8},  {CM_I8, CM_I32},   {CM_I8, CM_F16},  {CM_U8, CM_F32},
                                       {CM_F32, CM_I32}, {CM_F64, CM_F32}};
    static case_list l;
    int pair, use;
    l.count = 0;
    for (pair = 0; pair < 10; pair++)
        for (use = CM_ACC; use <= CM_B; use++) {
            test_case *t = add_case(&l, CONVERT, pair % 3 == 1 ? 8 : 32, 4, 1, inside);
            t->a = pairs[pair][0];
            t->d = pairs[pair][1];
            t->use = (cm_use)use;
        }
    for (pair = 0; pair < 6; pair++)
        for (use = 0; use < 3; use++) {
            test_case *t = add_case(&l, USE, use == 2 ? 4 : 32, use == 2 ? 6 : 4, 1, inside);
            t->a = t->d = pair % 2 ? CM_F16 : CM_I8;
            t->use = (cm_use)(pair / 2);
            t->use_d = (cm_use)((pair / 2 + 1 + use % 2) % 3);
        }
    run_halves("conversions_soft", "soft", 16, &l, 0);
    run_halves("conversions_plain", "generic", 16, &l, 1);
}

/* ---- the main loop of a matrix product --------------------------------------------------------------------------- */

/* C 64 x 32 (a 32 x 64 tile of a row-major C) += A B over K in steps of 32, by 2D block messages: what Intel's compiler
 * is expected to turn into 3 block loads and 32 dpas a step. */
static bool emit_loop(spe_module *m, const char *target_name, cm_type in, cm_type out)
{
    const cm_target *target = cm_target_row(target_name);
    spe_param params[6];
    spe_kernel k;
    cm_ctx c;
    cm_mem a, b, d;
    cm_matrix acc;
    spe_id step;
    int i;
    memset(params, 0, sizeof params);
    memset(&k, 0, sizeof k);
    spe_begin(m, NULL);
    memset(&c, 0, sizeof c);
    c.module = m;
    for (i = 0; i < 6; i++)
        params[i].type =
            i < 3 ? spe_ptr(m, SPE_StorageClassCrossWorkgroup, cm_storage_type(&c, i < 2 ? in : out)) : spe_int(m, 32);
    k.name = "loop";
    k.params = params;
    k.param_count = 6;
    k.subgroup_size = (uint32_t)target->subgroup_size;
    spe_kernel_begin(m, &k);
    cm_begin(&c, m, target, CM_AUTO);
    memset(&a, 0, sizeof a);
    a.ptr = spe_param_id(m, 1); /* the row-major B: its columns are rows here */
    a.rows = a.stride_col = spe_param_id(m, 4);
    a.cols = spe_param_id(m, 5);
    a.row = spe_imul(m, spe_builtin(m, SPE_GROUP_ID, 0), spe_i32(m, 64));
    a.block2d = CM_BLOCK2D_YES;
    memset(&b, 0, sizeof b);
    b.ptr = spe_param_id(m, 0);
    b.rows = b.stride_col = spe_param_id(m, 5);
    b.cols = spe_param_id(m, 3);
    b.col = spe_imul(m, spe_builtin(m, SPE_GROUP_ID, 1), spe_i32(m, 32));
    b.block2d = CM_BLOCK2D_YES;
    d = a;
    d.ptr = spe_param_id(m, 2);
    d.cols = b.cols;
    d.col = b.col;
    acc = cm_splat(&c, 64, 32, out, CM_ACC, 0);
    step = spe_for(m, spe_i32(m, 0), a.cols, spe_i32(m, 32), (uint32_t)acc.parts, acc.part);
    {
        cm_matrix x, y;
        a.col = b.row = step;
        x = cm_load(&c, 64, 32, in, CM_A, &a);
        y = cm_load(&c, 32, 32, in, CM_B, &b);
        acc = cm_mul_add(&c, out, &x, &y, &acc);
    }
    spe_endfor(m, (uint32_t)acc.parts, acc.part);
    cm_store(&c, &acc, &d);
    spe_kernel_end(m);
    return spe_ok(m);
}

TEST(main_loop)
{
    static const char *const targets[] = {"pvc", "bmg", "lnl", "ptl", "dg2", "generic"};
    static const cm_type types[][2] = {{CM_F16, CM_F32}, {CM_BF16, CM_F32}, {CM_I8, CM_I32}};
    size_t i, j;
    for (i = 0; i < 6; i++)
        for (j = 0; j < 3; j++) {
            spe_module m;
            spe_words w;
            char name[64];
            CHECK_MSG(emit_loop(&m, targets[i], types[j][0], types[j][1]), "%s: %s", targets[i],
                      spe_get_error(&m)->text);
            w = spe_finish(&m);
            CHECK_MSG(w.data != NULL, "%s: %s", targets[i], spe_get_error(&m)->text);
            snprintf(name, sizeof name, "test_coopmatrix_loop_%s_%s", cm_type_info(types[j][0])->name, targets[i]);
            if (w.data) test_save_spv(name, w.data, w.count * 4);
            spe_free(&m);
        }
}

/* ---- matrices of SPV_KHR_cooperative_matrix ---------------------------------------------------------------------- */

/* D = A B + C and C = A B with KHR matrices: modules only, since few devices take them. B is row-major where N is 8:
 * Intel's compiler wants whole blocks for that. */
static bool emit_khr(spe_module *m, const char *target_name, cm_type in, cm_type out, int N)
{
    const cm_target *target = cm_target_row(target_name);
    int S = target->subgroup_size, M = 2 * S, K = 64;
    spe_param params[4];
    spe_kernel k;
    cm_ctx c;
    cm_mem a, b, d;
    cm_matrix acc, x, y, zero;
    int i;
    memset(params, 0, sizeof params);
    memset(&k, 0, sizeof k);
    spe_begin(m, NULL);
    memset(&c, 0, sizeof c);
    c.module = m;
    for (i = 0; i < 4; i++)
        params[i].type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, cm_storage_type(&c, i < 2 ? in : out));
    k.name = "khr";
    k.params = params;
    k.param_count = 4;
    k.subgroup_size = (uint32_t)S;
    spe_kernel_begin(m, &k);
    cm_begin(&c, m, target, CM_KHR);
    memset(&a, 0, sizeof a);
    a.ptr = spe_param_id(m, 0);
    a.stride_col = spe_i32(m, M);
    b = d = a;
    b.ptr = spe_param_id(m, 1);
    b.stride_row = N == 8 ? spe_i32(m, N) : 0;
    b.stride_col = N == 8 ? spe_i32(m, 1) : spe_i32(m, K);
    d.ptr = spe_param_id(m, 2);
    x = cm_load(&c, M, K, in, CM_A, &a);
    y = cm_load(&c, K, N, in, CM_B, &b);
    acc = cm_load(&c, M, N, out, CM_ACC, &d);
    zero = cm_splat(&c, M, N, out, CM_ACC, out == CM_F32 ? spe_f32(m, 0) : 0);
    zero = cm_mul_add(&c, out, &x, &y, &zero);
    acc = cm_mul_add(&c, out, &x, &y, &acc);
    cm_store(&c, &zero, &d);
    d.ptr = spe_param_id(m, 3);
    cm_store(&c, &acc, &d);
    spe_kernel_end(m);
    return spe_ok(m);
}

TEST(khr_matrices)
{
    static const struct {
        cm_type in, out;
    } types[] = {{CM_F16, CM_F32}, {CM_I8, CM_I32}, {CM_U8, CM_I32}};
    static const char *const targets[] = {"pvc", "bmg", "lnl", "ptl", "dg2"};
    size_t i, j;
    for (i = 0; i < 5; i++)
        for (j = 0; j < 3; j++) {
            spe_module m;
            spe_words w;
            char name[64];
            CHECK_MSG(emit_khr(&m, targets[i], types[j].in, types[j].out, j == 1 ? 8 : 13), "%s: %s", targets[i],
                      spe_get_error(&m)->text);
            w = spe_finish(&m);
            CHECK_MSG(w.data != NULL, "%s: %s", targets[i], spe_get_error(&m)->text);
            snprintf(name, sizeof name, "test_coopmatrix_khr_%s_%s", cm_type_info(types[j].in)->name, targets[i]);
            if (w.data) test_save_spv(name, w.data, w.count * 4);
            spe_free(&m);
        }
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

typedef struct {
    spe_module m;
    cm_ctx c;
    spe_id pointer, integer, wide;
    cm_mem mem;
} bench;

static void bench_begin(bench *b, const cm_target *target, cm_lowering lowering)
{
    spe_param params[3];
    spe_kernel k;
    memset(params, 0, sizeof params);
    memset(&k, 0, sizeof k);
    spe_begin(&b->m, NULL);
    params[0].type = spe_ptr(&b->m, SPE_StorageClassCrossWorkgroup, spe_float(&b->m, 32));
    params[1].type = spe_int(&b->m, 32);
    params[2].type = spe_int(&b->m, 64);
    k.name = "k";
    k.params = params;
    k.param_count = 3;
    k.subgroup_size = 16;
    spe_kernel_begin(&b->m, &k);
    b->pointer = spe_param_id(&b->m, 0);
    b->integer = spe_param_id(&b->m, 1);
    b->wide = spe_param_id(&b->m, 2);
    cm_begin(&b->c, &b->m, target, lowering);
    memset(&b->mem, 0, sizeof b->mem);
    b->mem.ptr = b->pointer;
    b->mem.rows = b->mem.cols = b->integer;
}

/* A cm_fn of the wrong type. */
static spe_id nothing(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    (void)c, (void)type, (void)a, (void)b, (void)user;
    return 0;
}

static spe_id now_and_then(cm_ctx *c, cm_type type, spe_id ptr, spe_id v, void *user)
{
    (void)c, (void)type, (void)ptr;
    return ++*(int *)user % 2 ? v : 0;
}

static spe_id a_number(cm_ctx *c, cm_type type, spe_id a, spe_id b, void *user)
{
    (void)type, (void)a, (void)b, (void)user;
    return spe_i32(c->module, 1);
}

/* One mistake each; the error's id and a part of its text must match the table. */
static void mistake(bench *b, int which)
{
    cm_ctx *c = &b->c;
    cm_matrix a, x, acc;
    spe_id shared;
    int turn = 0;
    a = cm_splat(c, 16, 32, CM_F16, CM_A, 0);
    x = cm_splat(c, 32, 8, CM_F16, CM_B, 0);
    acc = cm_splat(c, 16, 8, CM_F32, CM_ACC, 0);
    switch (which) {
    case 0: cm_splat(c, 12, 8, CM_F32, CM_ACC, 0); break;
    case 1: cm_splat(c, 16, 0, CM_F32, CM_ACC, 0); break;
    case 2: cm_splat(c, 16, 8, CM_TYPE_COUNT, CM_ACC, 0); break;
    case 3: acc = cm_splat(c, 16, 8, CM_C32, CM_ACC, 0), cm_map1(c, &acc, halve, NULL); break;
    case 4: cm_splat(c, 16, 8, CM_F32, CM_ACC, b->integer); break;
    case 5: cm_mul_add(c, CM_F32, &x, &x, &acc); break;
    case 6: cm_mul_add(c, CM_F32, &a, &a, &acc); break;
    case 7: cm_mul_add(c, CM_F32, &a, &x, &a); break;
    case 8: x = cm_splat(c, 16, 8, CM_F16, CM_B, 0), cm_mul_add(c, CM_F32, &a, &x, &acc); break;
    case 9: acc = cm_splat(c, 16, 9, CM_F32, CM_ACC, 0), cm_mul_add(c, CM_F32, &a, &x, &acc); break;
    case 10: x = cm_splat(c, 32, 8, CM_BF16, CM_B, 0), cm_mul_add(c, CM_F32, &a, &x, &acc); break;
    case 11: cm_mul_add(c, CM_C32, &a, &x, &acc); break;
    case 12: acc = cm_splat(c, 16, 8, CM_I32, CM_ACC, 0), cm_mul_add(c, CM_F32, &a, &x, &acc); break;
    case 13: cm_load(c, 16, 8, CM_F16, CM_ACC, &b->mem); break;
    case 14: b->mem.row = b->wide, cm_load(c, 16, 8, CM_F32, CM_ACC, &b->mem); break;
    case 15: b->mem.rows = 0, cm_load(c, 16, 8, CM_F32, CM_ACC, &b->mem); break;
    case 16: b->mem.padding = b->integer, cm_load(c, 16, 8, CM_F32, CM_ACC, &b->mem); break;
    case 17:
        shared = spe_shared_var(&b->m, spe_float(&b->m, 32));
        b->mem.ptr = shared;
        b->mem.block2d = CM_BLOCK2D_YES;
        cm_load(c, 16, 8, CM_F32, CM_ACC, &b->mem);
        break;
    case 18: b->mem.stride_row = b->integer, b->mem.block2d = CM_BLOCK2D_YES, cm_store(c, &acc, &b->mem); break;
    case 19: cm_add(c, &a, &x); break;
    case 20: acc = cm_splat(c, 16, 32, CM_BF16, CM_A, 0), cm_add(c, &a, &acc); break;
    case 21: cm_component(c, &acc, 8); break;
    case 22: cm_prefetch(c, 0, 8, CM_F32, &b->mem, 0); break;
    case 23: acc = cm_splat(c, 16, 8, CM_C32, CM_ACC, 0), cm_convert(c, &acc, CM_F32); break;
    case 24: acc = cm_splat(c, 16, 8, CM_F32, CM_ACC, 0), cm_binary(c, CM_XOR, &acc, &acc); break;
    case 25: cm_from_parts(c, &acc.layout, a.part); break;
    case 26: acc = cm_splat(c, 16, 8, CM_I32, CM_ACC, 0), cm_unary(c, CM_EXP, &acc); break;
    case 27: cm_unary(c, CM_NOT, &acc); break;
    case 28: cm_unary(c, CM_CONJ, &acc); break;
    case 29: acc = cm_splat(c, 16, 8, CM_C64, CM_ACC, 0), cm_unary(c, CM_TANH, &acc); break;
    case 30: acc = cm_splat(c, 16, 8, CM_C64, CM_ACC, 0), cm_binary(c, CM_MAX, &acc, &acc); break;
    case 31: cm_binary(c, (cm_op)(CM_SHR + 1), &acc, &acc); break;
    case 32: cm_re(c, &acc); break;
    case 33: cm_complex(c, &acc, &x); break;
    case 34: acc = cm_splat(c, 16, 12, CM_F32, CM_ACC, 0), cm_transpose(c, &acc, CM_ACC); break;
    case 35: cm_reduce(c, CM_MUL, CM_BY_ROW, &acc); break;
    case 36: acc = cm_splat(c, 16, 8, CM_C32, CM_ACC, 0), cm_reduce(c, CM_MIN, CM_BY_ROW, &acc); break;
    case 37: cm_insert(c, &acc, 0, b->integer); break;
    case 38: cm_insert(c, &acc, -1, spe_f32(c->module, 0)); break;
    case 39: cm_convert_as(c, &acc, CM_BF16, CM_ROUND_UP, false); break;
    case 40: cm_convert_as(c, &acc, CM_I32, (cm_rounding)9, false); break;
    case 41: cm_atomic_load(c, 16, 8, CM_I8, CM_ACC, &b->mem, SPE_ScopeDevice, 0); break;
    case 42: a = cm_splat(c, 16, 8, CM_BF16, CM_ACC, 0), cm_atomic_add(c, &a, &b->mem, SPE_ScopeDevice, 0); break;
    case 43: acc = cm_splat(c, 16, 8, CM_C32, CM_ACC, 0), cm_atomic_max(c, &acc, &b->mem, SPE_ScopeDevice, 0); break;
    case 44: cm_mul_add_saturating(c, CM_I32, &a, &x, NULL); break;
    case 45: CM_APPLY(c, acc, acc, i, j, v) v = i; break;
    case 46: cm_map1(c, &acc, a_number, NULL); break;
    case 47: CM_APPLY(c, acc, acc, i, j, v) v = 0; break;
    case 48: cm_map1(c, &acc, nothing, NULL); break;
    case 49: cm_visit(c, &acc, &b->mem, now_and_then, &turn); break;
    case 50: cm_row_index(c, &acc.layout, acc.layout.size_v); break;
    case 51: cm_col_index(c, &acc.layout, INT_MIN); break;
    case 52: cm_from_components(c, &acc.layout, (const spe_id[128]){0}); break;
    case 53: acc = cm_splat(c, 16, 8, CM_I8, CM_ACC, 0), cm_shift(c, CM_ADD, &acc, 1); break;
    case 54: acc = cm_splat(c, 16, 8, CM_I8, CM_ACC, 0), cm_shift(c, CM_SHR, &acc, 8); break;
    case 55: cm_shift(c, CM_SHL, &acc, 1); break;
    case 56: cm_convert_plus(c, &acc, CM_F16, 8); break;
    default: break;
    }
}

static const struct {
    int id;
    const char *part;
} wanted[] = {{CM_ERROR_ROWS, "12 x 8"},
              {CM_ERROR_COLUMNS, "16 x 0"},
              {CM_ERROR_TYPE, "type"},
              {CM_ERROR_EMIT_TYPE, "c32: use cm_re and cm_im"},
              {CM_ERROR_SCALAR, "f32"},
              {CM_ERROR_OPERAND_USE, "A of a product is a matrix_b"},
              {CM_ERROR_OPERAND_USE, "B of a product is a matrix_a"},
              {CM_ERROR_OPERAND_USE, "C of a product is a matrix_a"},
              {CM_ERROR_SHAPE, "A is 16 x 32 and B is 16 x 8"},
              {CM_ERROR_SHAPE, "A B is 16 x 8 and C is 16 x 9"},
              {CM_ERROR_MUL_TYPES, "f16 and bf16"},
              {CM_ERROR_MUL_TYPES, "f16 and f16, plus f32, cannot have the type c32"},
              {CM_ERROR_MUL_TYPES, "cannot be added to i32"},
              {CM_ERROR_POINTER, "f16"},
              {CM_ERROR_POSITION, "row"},
              {CM_ERROR_POSITION, "stride_col"},
              {CM_ERROR_SCALAR, "padding"},
              {CM_ERROR_BLOCK2D, "global memory"},
              {CM_ERROR_BLOCK2D, "stride"},
              {CM_ERROR_SHAPE, "16 x 32 matrix_a and 32 x 8 matrix_b"},
              {CM_ERROR_COMPONENT, "f16 and bf16"},
              {CM_ERROR_SHAPE, "component 8: the matrix has 8"},
              {CM_ERROR_SHAPE, "0 x 8"},
              {CM_ERROR_CONVERT, "c32 to f32: take cm_re"},
              {CM_ERROR_EMIT_TYPE, "no operation xor on f32"},
              {CM_ERROR_COMPONENT, "another type"},
              {CM_ERROR_EMIT_TYPE, "CM_EXP on i32"},
              {CM_ERROR_EMIT_TYPE, "CM_NOT on f32"},
              {CM_ERROR_EMIT_TYPE, "CM_CONJ on f32"},
              {CM_ERROR_EMIT_TYPE, "CM_TANH on c64"},
              {CM_ERROR_EMIT_TYPE, "max on c64"},
              {CM_ERROR_OPERATION, "cm_binary"},
              {CM_ERROR_COMPONENT, "f32 has no imaginary part"},
              {CM_ERROR_COMPONENT, "f32 and f16"},
              {CM_ERROR_ROWS, "12 x 16"},
              {CM_ERROR_OPERATION, "reduction of f32 by operation 2"},
              {CM_ERROR_OPERATION, "reduction of c32"},
              {CM_ERROR_SCALAR, "storage type of f32"},
              {CM_ERROR_SHAPE, "component -1"},
              {CM_ERROR_CONVERT, "no such rounding to bf16"},
              {CM_ERROR_CONVERT, "no rounding 9"},
              {CM_ERROR_ATOMIC, "i8"},
              {CM_ERROR_ATOMIC, "bf16"},
              {CM_ERROR_ATOMIC, "no order"},
              {CM_ERROR_MUL_TYPES, "8 or 16 bits, not f16 and f16"},
              {CM_ERROR_SCALAR, "CM_APPLY"},
              {CM_ERROR_SCALAR, "returned i32"},
              {CM_ERROR_SCALAR, "CM_APPLY"},
              {CM_ERROR_SCALAR, "returned poison"},
              {CM_ERROR_SCALAR, "0 for some elements"},
              {CM_ERROR_SHAPE, "component 8; there are 8"},
              {CM_ERROR_SHAPE, "component -2147483648; there are 8"},
              {CM_ERROR_SCALAR, "component 0 is not"},
              {CM_ERROR_OPERATION, "no shift"},
              {CM_ERROR_OPERATION, "i8 by 8 bits: 0 to 7"},
              {CM_ERROR_EMIT_TYPE, "no operation shl on f32"},
              {CM_ERROR_CONVERT, "f32 to f16; bytes become f16"}};
static int row; /* of the table */

TEST(one_mistake)
{
    bench b;
    bench_begin(&b, cm_target_row("bmg"), CM_AUTO);
    CHECK_MSG(spe_ok(&b.m), "%s", spe_get_error(&b.m)->text);
    spe_at(&b.m, "user.c", 42);
    mistake(&b, row);
    CHECK_MSG(spe_get_error(&b.m)->id == wanted[row].id, "id %d (%s: %s), want %s", spe_get_error(&b.m)->id,
              spe_get_error(&b.m)->name, spe_get_error(&b.m)->text, cm_error_name(wanted[row].id));
    CHECK_HAS(spe_get_error(&b.m)->text, wanted[row].part);
    CHECK_STR(spe_get_error(&b.m)->name, cm_error_name(wanted[row].id));
    CHECK_STR(spe_get_error(&b.m)->file, "user.c");
    CHECK_INT(spe_get_error(&b.m)->line, 42);
    CHECK(spe_finish(&b.m).data == NULL);
    spe_free(&b.m);
}

/* What an error leaves behind has no components, and asking about it does no harm. */
TEST(poison_has_no_components)
{
    bench b;
    bench_begin(&b, cm_target_row("bmg"), CM_AUTO);
    cm_matrix a = cm_splat(&b.c, 12, 8, CM_F32, CM_ACC, 0);
    CHECK_INT(spe_get_error(&b.m)->id, CM_ERROR_ROWS);
    CHECK_INT(cm_components(&a.layout), 0);
    CHECK_INT(cm_part_count(&a.layout), 0);
    CHECK_INT(cm_part_words(&a.layout, 0), 0);
    CHECK_INT(cm_row_index(&b.c, &a.layout, 0), 0);
    CHECK_INT(cm_col_index(&b.c, &a.layout, 0), 0);
    spe_free(&b.m);
}

/* One test per row of the table. */
static void run_mistakes(void)
{
    static char names[sizeof wanted / sizeof wanted[0]][64];
    for (row = 0; row < (int)(sizeof wanted / sizeof wanted[0]); row++) {
        snprintf(names[row], sizeof names[row], "mistake_%d_%s", row, cm_error_name(wanted[row].id));
        test_run_(names[row], test_case_one_mistake);
    }
}

/* Operations not supported on matrices of CM_KHR. */
TEST(khr_mistakes)
{
    int i;
    for (i = 0; i < 12; i++) {
        bench b;
        cm_ctx *c = &b.c;
        cm_matrix acc, x;
        bench_begin(&b, cm_target_row("bmg"), CM_KHR);
        acc = cm_splat(c, 16, 8, CM_F32, CM_ACC, 0);
        switch (i) {
        case 0: cm_component(c, &acc, 0); break;
        case 1: cm_reduce(c, CM_ADD, CM_BY_ROW, &acc); break;
        case 2: cm_transpose(c, &acc, CM_ACC); break;
        case 3: cm_atomic_add(c, &acc, &b.mem, SPE_ScopeDevice, 0); break;
        case 4: cm_load(c, 16, 8, CM_F32, CM_ACC, &b.mem); break; /* checked */
        case 5: cm_convert_use(c, &acc, CM_A); break;
        case 6: cm_apply(c, &acc, NULL, NULL); break;
        case 7: cm_convert_as(c, &acc, CM_F16, CM_ROUND_ZERO, false); break;
        case 8: cm_add(c, &acc, &acc); break;
        case 9: cm_convert(c, &acc, CM_F16); break;
        case 10: cm_splat(c, 16, 8, CM_BF16, CM_ACC, 0); break;
        default:
            x = cm_splat(c, 16, 8, CM_F32, CM_A, 0);
            acc = cm_splat(c, 8, 8, CM_F32, CM_B, 0);
            cm_mul_add(c, CM_F32, &x, &acc, NULL);
            break;
        }
        CHECK_MSG(spe_get_error(&b.m)->id == CM_ERROR_LOWERING, "KHR mistake %d: id %d, %s", i, spe_get_error(&b.m)->id,
                  spe_get_error(&b.m)->text);
        CHECK_HAS(spe_get_error(&b.m)->text, "KHR");
        spe_free(&b.m);
    }
}

/* After an error every operation accepts its result, a matrix without parts, and returns one. */
TEST(poison)
{
    bench b;
    cm_ctx *c = &b.c;
    cm_matrix p, d[16];
    int i, n = 0;
    bench_begin(&b, cm_target_row("bmg"), CM_AUTO);
    p = cm_load(c, 3, 8, CM_F32, CM_ACC, &b.mem);
    CHECK(p.parts == 0 && p.layout.size_v == 0);
    CHECK(cm_component(c, &p, 0) == 0);
    CHECK(cm_component_ids(c, &p, CM_F32) == NULL);
    d[n++] = cm_insert(c, &p, 0, 0);
    d[n++] = cm_convert(c, &p, CM_F16);
    d[n++] = cm_convert_as(c, &p, CM_F16, CM_ROUND_ZERO, true);
    d[n++] = cm_convert_use(c, &p, CM_A);
    d[n++] = cm_transpose(c, &p, CM_ACC);
    d[n++] = cm_repeat(c, &p, 16, 16);
    d[n++] = cm_reduce(c, CM_ADD, CM_BY_ROW, &p);
    d[n++] = cm_scale(c, &p, 0);
    d[n++] = cm_add(c, &p, &p);
    d[n++] = cm_unary(c, CM_EXP, &p);
    d[n++] = cm_apply(c, &p, NULL, NULL);
    d[n++] = cm_visit(c, &p, &b.mem, NULL, NULL);
    d[n++] = cm_atomic_add(c, &p, &b.mem, SPE_ScopeDevice, 0);
    d[n++] = cm_mul_add(c, CM_F32, &p, &p, NULL);
    d[n++] = cm_mul_add_saturating(c, CM_I32, &p, &p, &p);
    d[n++] = cm_re(c, &p);
    cm_store(c, &p, &b.mem);
    cm_atomic_store(c, &p, &b.mem, SPE_ScopeDevice, 0);
    for (i = 0; i < n; i++) CHECK_MSG(d[i].parts == 0, "operation %d gives %d parts", i, d[i].parts);
    CHECK(spe_get_error(&b.m)->id == CM_ERROR_ROWS);
    spe_free(&b.m);
}

TEST(targets)
{
    static const struct {
        const char *name;
        int S;
        cm_lowering lowering;
        int id;
    } want[] = {{"bmg", 16, CM_AUTO, 0},
                {"dg2", 8, CM_AUTO, 0},
                {"dg2", 16, CM_INTEL, CM_ERROR_LOWERING},
                {"bmg", 8, CM_AUTO, CM_ERROR_TARGET_SUBGROUP},
                {"generic", 12, CM_AUTO, CM_ERROR_TARGET_SUBGROUP},
                {"generic", 16, CM_INTEL, CM_ERROR_LOWERING},
                {"bmg", 16, CM_KHR, 0},
                {"generic", 16, CM_KHR, CM_ERROR_LOWERING},
                {"pvc", 32, CM_AUTO, 0},
                {"lnl-m", 16, CM_INTEL, 0},
                {"ptl", 16, CM_PLAIN, 0},
                {"ptl", 16, (cm_lowering)4, CM_ERROR_LOWERING}};
    size_t i;
    for (i = 0; i < sizeof want / sizeof want[0]; i++) {
        cm_target t = *cm_target_row(want[i].name);
        bench b;
        t.subgroup_size = want[i].S;
        bench_begin(&b, &t, want[i].lowering);
        CHECK_INT(spe_get_error(&b.m)->id, want[i].id);
        if (want[i].id) CHECK_HAS(spe_get_error(&b.m)->text, want[i].name);
        spe_free(&b.m);
    }
    CHECK(cm_target_row("xyz") == NULL);
    {
        bench b;
        bench_begin(&b, NULL, CM_AUTO);
        CHECK_INT(spe_get_error(&b.m)->id, CM_ERROR_TARGET);
        spe_free(&b.m);
    }
}

int main(void)
{
    have_device = zed_open(&device, NULL);
    if (!have_device) printf("no device: %s\n", zed_get_error(&device)->text);
    RUN(main_loop);
    run_mistakes();
    RUN(khr_matrices);
    RUN(poison_has_no_components);
    RUN(khr_mistakes);
    RUN(poison);
    RUN(targets);
    RUN(plain_products);
    RUN(plain_products_other_sizes);
    RUN(dpas_products);
    RUN(block_products);
    RUN(products_the_hardware_lacks);
    RUN(copies);
    RUN(transposed_blocks);
    RUN(component_operations);
    RUN(conversions);
    zed_close(&device);
    return test_report();
}
