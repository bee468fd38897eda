/* coopvec_items.h - products, many per kernel, against the exact model: each with a matrix, a bias, input vectors of 32
 * work-items and memory for outputs; uniform, divergent, with a separate matrix for odd work-items, or one lane at a
 * time. */
#ifndef COOPVEC_ITEMS_H
#define COOPVEC_ITEMS_H

#include "coopvec_model.h"

typedef struct {
    model_product p;
    mode how;
    size_t matrix, stride, size, bias, in, out; /* byte offsets in the memory; OWN_MATRIX has two matrices */
    int vector;                                 /* elements of the input vector */
    bool shared;                                /* uses the input vectors of the kernel's first item */
    bool codes;                                 /* row r of the matrix has code r of its 8-bit type */
} item;

enum { ITEMS_MAX = 64, WORK_ITEMS = 32, MEMORY = 16 << 20 };
static item items[ITEMS_MAX];
static int item_count;
static const uint8_t poison = 0xb7;

/* ---- the kernel: all items in sequence */

static cv_vec first_input; /* of the kernel being built */

static void one_product(CV_CONTEXT, const void *product, cv_val offset)
{
    const item *t = product;
    const model_product *p = &t->p;
    cv_val gid = CV_GLOBAL_ID();
    cv_val in = CV_SELF->args[model_pointer(p->input)], out = CV_SELF->args[model_pointer(p->output)];
    cv_vec x = t->shared ? first_input
                         : CV_LOAD(in, t->vector,
                                   CV_ADD(CV_MUL(gid, t->vector), (int)(t->in / (size_t)model_bytes(p->input))));
    cv_interpreted_vector v = {first_input = x, p->as};
    cv_matrix_ref w = {.base = CV_SELF->args[0], .interpretation = (cv_type)p->matrix, .rows = p->m, .cols = p->k,
                       .layout = (cv_layout)p->layout, .transpose = p->transpose, .offset = offset,
                       .uniform = t->how == BY_LANES ? CV_UNIFORM_NO : CV_UNIFORM_AUTO};
    cv_vec y;
    if (t->stride) w.stride = CV_AT((int)t->stride);
    w = cv_matrix_ref_(CV_HERE_, w);
    if (p->bias) {
        cv_vector_ref b = {.base = CV_SELF->args[0], .interpretation = (cv_type)p->bias, .offset = CV_AT((int)t->bias)};
        b = cv_vector_ref_(CV_HERE_, b);
        y = cv_mul_add(CV_HERE_, p->output, &w, &v, &b);
    } else {
        y = cv_mul(CV_HERE_, p->output, &w, &v);
    }
    CV_STORE(y, out, CV_ADD(CV_MUL(gid, p->m), (int)(t->out / (size_t)model_bytes(p->output))));
}

static void all_products(CV_CONTEXT)
{
    for (int i = 0; i < item_count; i++)
        model_in_mode(CV_SELF, items[i].how, items[i].matrix, items[i].size, one_product, &items[i]);
}

/* ---- making items, comparing results */

static void add_item(model_product p, mode how)
{
    item *t = &items[item_count++];
    int stored_rows = p.transpose ? p.k : p.m, stored_cols = p.transpose ? p.m : p.k;
    bool packed = p.as == CV_PACKED_S8X32 || p.as == CV_PACKED_U8X32;
    memset(t, 0, sizeof *t);
    t->p = p;
    t->how = how;
    t->vector = packed ? (p.k + 3) / 4 : p.k;
    if (p.layout == CV_ROW_MAJOR)
        t->stride = (size_t)(stored_cols * model_bytes(p.matrix) + 15) / 16 * 16 + 16 * (test_random() % 2);
    if (p.layout == CV_COLUMN_MAJOR)
        t->stride = (size_t)(stored_rows * model_bytes(p.matrix) + 15) / 16 * 16 + 16 * (test_random() % 2);
    t->size = model_matrix_bytes(p.layout, p.matrix, (size_t)stored_rows, (size_t)stored_cols, t->stride);
    t->size = (t->size + 127) / 128 * 128;
    t->matrix = take(t->size * 2);
    t->bias = take((size_t)p.m * 4);
    t->in = take((size_t)(t->vector * 4 * WORK_ITEMS));
    t->out = take((size_t)(p.m * 4 * WORK_ITEMS));
    /* row- and column-major: gaps are NaN or large; optimal layouts: padding is zero */
    memset(memory + t->matrix, p.layout < CV_MUL_OPTIMAL ? 0xff : 0, t->size * 2);
    for (int copy = 0; copy < 2; copy++)
        for (int r = 0; r < stored_rows; r++)
            for (int c = 0; c < stored_cols; c++)
                model_put(p.matrix,
                          memory + t->matrix + (size_t)copy * t->size +
                              cv_element_offset((cv_layout)p.layout, (cv_type)p.matrix, (uint32_t)stored_rows,
                                                (uint32_t)t->stride, (uint32_t)r, (uint32_t)c),
                          model_random(p.matrix));
    for (int i = 0; p.bias && i < p.m; i++)
        model_put(p.bias, memory + t->bias + i * model_bytes(p.bias), model_random(p.bias));
    for (int i = 0; i < t->vector * WORK_ITEMS; i++) {
        uint32_t word = (uint32_t)test_random();
        if (packed) memcpy(memory + t->in + 4 * i, &word, 4);
        else model_put(p.input, memory + t->in + i * model_bytes(p.input), model_random_input(p.input, p.as));
    }
    memset(memory + t->out, poison, (size_t)(p.m * 4 * WORK_ITEMS));
}

/* The last item uses the first one's input vectors, so that a kernel of many layouts and modes reads them once. */
TEST_UNUSED_ static void share_input(void)
{
    item *t = &items[item_count - 1];
    t->shared = item_count > 1 && items[0].how != DIVERGENT;
    if (t->shared) t->in = items[0].in;
}

static const char *describe(const item *t)
{
    static char text[256];
    snprintf(text, sizeof text, "%s as %s, matrix %s %d x %d %s%s, bias %s, to %s, %s", cv_type_name(t->p.input),
             cv_type_name(t->p.as), cv_type_name(t->p.matrix), t->p.m, t->p.k, cv_layout_name(t->p.layout),
             t->p.transpose ? " transposed" : "", cv_type_name(t->p.bias), cv_type_name(t->p.output),
             mode_names[t->how]);
    return text;
}

static void check_work_item(const item *t, int g)
{
    const model_product *p = &t->p;
    int stored_rows = p->transpose ? p->k : p->m;
    double *a = malloc(sizeof *a * (size_t)(p->m * p->k)), *x = malloc(sizeof *x * (size_t)p->k);
    double *bias = malloc(sizeof *bias * (size_t)p->m * 3), *low = bias + p->m, *high = low + p->m;
    size_t own = t->how == OWN_MATRIX && g % 2 ? t->size : 0;
    bool packed = p->as == CV_PACKED_S8X32 || p->as == CV_PACKED_U8X32;
    for (int r = 0; r < p->m; r++)
        for (int c = 0; c < p->k; c++)
            a[r * p->k + c] = model_get(p->matrix, memory + t->matrix + own +
                                                       cv_element_offset((cv_layout)p->layout, (cv_type)p->matrix,
                                                                         (uint32_t)stored_rows, (uint32_t)t->stride,
                                                                         (uint32_t)(p->transpose ? c : r),
                                                                         (uint32_t)(p->transpose ? r : c)));
    for (int i = 0; i < p->k; i++)
        x[i] = packed ? model_get(p->as == CV_PACKED_S8X32 ? CV_I8 : CV_U8, memory + t->in + g * t->vector * 4 + i)
                      : model_get(p->input, memory + t->in + (g * p->k + i) * model_bytes(p->input));
    for (int r = 0; r < p->m; r++)
        bias[r] = p->bias ? model_get(p->bias, memory + t->bias + r * model_bytes(p->bias)) : 0;
    model_mul(p, a, x, bias, low, high);
    for (int r = 0; r < p->m; r++) {
        const uint8_t *at = memory + t->out + (g * p->m + r) * model_bytes(p->output);
        double got = model_get(p->output, at);
        if (t->how == DIVERGENT && g % 3 != 1) {
            CHECK_MSG(at[0] == poison, "%s: work-item %d was switched off and wrote", describe(t), g);
            continue;
        }
        if (t->codes && isnan(low[r]) && isnan(got)) continue;
        CHECK_MSG(got >= low[r] && got <= high[r], "%s: work-item %d, row %d is %.9g, want %.9g to %.9g", describe(t),
                  g, r, got, low[r], high[r]);
    }
    free(a);
    free(x);
    free(bias);
}

static void run_items(const char *name, int subgroup_size, cm_lowering lowering)
{
    model_kernel k = {name, all_products, WORK_ITEMS, subgroup_size, lowering};
    if (item_count && model_run(&k, 1, 0))
        for (int i = 0; i < item_count; i++)
            for (int g = 0; g < WORK_ITEMS; g++) check_work_item(&items[i], g);
    item_count = 0;
    used = 0;
}

/* ---- combinations, shapes, layouts */

static const int minimum[][5] = {
    {CV_F16, CV_F16, CV_F16, CV_F16, CV_F16},   {CV_F16, CV_E4M3, CV_E4M3, CV_F16, CV_F16},
    {CV_F16, CV_E5M2, CV_E5M2, CV_F16, CV_F16}, {CV_U32, CV_PACKED_S8X32, CV_I8, CV_I32, CV_I32},
    {CV_F32, CV_I8, CV_I8, CV_I32, CV_I32},     {CV_U32, CV_PACKED_U8X32, CV_U8, CV_I32, CV_I32},
    {CV_F32, CV_F32, CV_F32, CV_F32, CV_F32},   {CV_I32, CV_I16, CV_I16, CV_I32, CV_I32}};
static const int shapes[][2] = {{1, 1}, {3, 5}, {16, 16}, {17, 33}, {64, 64}, {128, 40}};

/* Layout and transposition for index v; FP8 has optimal layouts only. */
enum { VARIANTS = 6, FP8_VARIANTS = 4 };
static bool is_fp8(const int *c) { return c[2] == CV_E4M3 || c[2] == CV_E5M2; }
static model_product variant(const int *c, int m, int k, int v)
{
    static const int layouts[VARIANTS] = {CV_MUL_OPTIMAL,           CV_MUL_OPTIMAL, CV_OUTER_PRODUCT_OPTIMAL,
                                          CV_OUTER_PRODUCT_OPTIMAL, CV_ROW_MAJOR,   CV_COLUMN_MAJOR};
    int i = v % (is_fp8(c) ? FP8_VARIANTS : VARIANTS);
    model_product p = {c[0], c[1], c[2], c[3], c[4], m, k, layouts[i], i == 1 || i == 3};
    return p;
}

#endif
