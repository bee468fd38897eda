/* Mul and MulAdd on a device, against the exact model: every interpretation of inputs and matrices, every bias and output, shapes,
 * layouts, transposed, in uniform and divergent control flow, matrices that differ between work-items, with and without the
 * matrix instruction. */
#include "coopvec_model.h"

/* How a product stands in its kernel. */
typedef enum { UNIFORM, DIVERGENT, OWN_MATRIX, BY_LANES, MODES } mode;

typedef struct {
    model_product p;
    mode how;
    size_t matrix, stride, size, bias, in, out; /* bytes from the start of the memory; of OWN_MATRIX two matrices */
    int vector;                                 /* elements of the input vector */
} item;

enum { ITEMS_MAX = 64, WORK_ITEMS = 32, MEMORY = 16 << 20 };
static item items[ITEMS_MAX];
static int item_count;
static uint8_t *memory;
static size_t used;
static const uint8_t poison = 0xb7;

static size_t take(size_t bytes)
{
    size_t at = used;
    used += (bytes + 127) / 128 * 128;
    CHECK(used <= MEMORY);
    return at;
}

/* ---- the kernel: all items, one after the other */

static void one_product(CV_CONTEXT, const item *t, cv_val offset)
{
    const model_product *p = &t->p;
    cv_val gid = CV_GLOBAL_ID();
    cv_val in = cv_->args[model_pointer(p->input)], out = cv_->args[model_pointer(p->output)];
    cv_vec x = CV_LOAD(in, t->vector, CV_ADD(CV_TIMES(gid, t->vector), (int)(t->in / (size_t)model_bytes(p->input))));
    cv_interpreted_vector v = {x, p->as};
    cv_matrix_ref w = {.base = cv_->args[0], .interpretation = (cv_type)p->matrix, .m = p->m, .k = p->k, .layout = (cv_layout)p->layout,
                       .transpose = p->transpose, .offset = offset, .uniform = t->how == BY_LANES ? CV_UNIFORM_NO : CV_UNIFORM_AUTO};
    cv_vec y;
    if (t->stride) w.stride = CV_AT((int)t->stride);
    w = cv_matrix_ref_(CV_HERE_, w);
    if (p->bias) {
        cv_vector_ref b = {.base = cv_->args[0], .interpretation = (cv_type)p->bias, .offset = CV_AT((int)t->bias)};
        b = cv_vector_ref_(CV_HERE_, b);
        y = cv_mul_add(CV_HERE_, p->output, &w, &v, &b);
    } else {
        y = cv_mul(CV_HERE_, p->output, &w, &v);
    }
    CV_STORE(y, out, CV_ADD(CV_TIMES(gid, p->m), (int)(t->out / (size_t)model_bytes(p->output))));
}

static void all_products(cv_ctx *cv_)
{
    for (int i = 0; i < item_count; i++) {
        const item *t = &items[i];
        cv_val odd = CV_AND(CV_GLOBAL_ID(), 1);
        if (t->how == DIVERGENT) {
            CV_IF (CV_EQ(CV_MOD(CV_GLOBAL_ID(), 3), 1)) one_product(CV_SELF, t, CV_AT((int)t->matrix));
        } else if (t->how == OWN_MATRIX) {
            one_product(CV_SELF, t, CV_ADD(CV_TIMES(odd, (int)t->size), (int)t->matrix));
        } else {
            one_product(CV_SELF, t, CV_AT((int)t->matrix));
        }
    }
}

/* ---- making an item, comparing its results */

static void add_item(model_product p, mode how)
{
    item *t = &items[item_count++];
    int stored_rows = p.transpose ? p.k : p.m, stored_cols = p.transpose ? p.m : p.k;
    bool packed = p.as == CV_PACKED_S8X32 || p.as == CV_PACKED_U8X32;
    memset(t, 0, sizeof *t);
    t->p = p;
    t->how = how;
    t->vector = packed ? (p.k + 3) / 4 : p.k;
    if (p.layout == CV_ROW_MAJOR) t->stride = (size_t)(stored_cols * model_bytes(p.matrix) + 15) / 16 * 16 + 16 * (test_random() % 2);
    if (p.layout == CV_COLUMN_MAJOR) t->stride = (size_t)(stored_rows * model_bytes(p.matrix) + 15) / 16 * 16 + 16 * (test_random() % 2);
    t->size = (size_t)cv_matrix_bytes_(p.layout, p.matrix, (uint32_t)stored_rows, (uint32_t)stored_cols, (uint32_t)t->stride);
    t->size = (t->size + 127) / 128 * 128;
    t->matrix = take(t->size * 2);
    t->bias = take((size_t)p.m * 4);
    t->in = take((size_t)(t->vector * 4 * WORK_ITEMS));
    t->out = take((size_t)(p.m * 4 * WORK_ITEMS));
    /* row- and column-major: what lies between is NaN or large; optimal layouts: padding is zero */
    memset(memory + t->matrix, p.layout < CV_MUL_OPTIMAL ? 0xff : 0, t->size * 2);
    for (int copy = 0; copy < 2; copy++)
        for (int r = 0; r < stored_rows; r++)
            for (int c = 0; c < stored_cols; c++)
                model_put(p.matrix, memory + t->matrix + (size_t)copy * t->size + cv_element_offset((cv_layout)p.layout, (cv_type)p.matrix,
                          (uint32_t)stored_rows, (uint32_t)t->stride, (uint32_t)r, (uint32_t)c), model_random(p.matrix));
    for (int i = 0; p.bias && i < p.m; i++) model_put(p.bias, memory + t->bias + i * model_bytes(p.bias), model_random(p.bias));
    for (int i = 0; i < t->vector * WORK_ITEMS; i++) {
        uint32_t word = (uint32_t)test_random();
        if (packed) memcpy(memory + t->in + 4 * i, &word, 4);
        else model_put(p.input, memory + t->in + i * model_bytes(p.input), model_random_input(p.input, p.as));
    }
    memset(memory + t->out, poison, (size_t)(p.m * 4 * WORK_ITEMS));
}

static const char *describe(const item *t)
{
    static const char *const modes[] = {"uniform", "divergent", "own matrix", "by lanes"};
    static char text[256];
    snprintf(text, sizeof text, "%s as %s, matrix %s %d x %d %s%s, bias %s, to %s, %s", cv_type_name(t->p.input), cv_type_name(t->p.as),
             cv_type_name(t->p.matrix), t->p.m, t->p.k, cv_layout_name(t->p.layout), t->p.transpose ? " transposed" : "",
             cv_type_name(t->p.bias), cv_type_name(t->p.output), modes[t->how]);
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
            a[r * p->k + c] = model_get(p->matrix, memory + t->matrix + own + cv_element_offset((cv_layout)p->layout, (cv_type)p->matrix,
                    (uint32_t)stored_rows, (uint32_t)t->stride, (uint32_t)(p->transpose ? c : r), (uint32_t)(p->transpose ? r : c)));
    for (int i = 0; i < p->k; i++)
        x[i] = packed ? model_get(p->as == CV_PACKED_S8X32 ? CV_I8 : CV_U8, memory + t->in + g * t->vector * 4 + i)
                      : model_get(p->input, memory + t->in + (g * p->k + i) * model_bytes(p->input));
    for (int r = 0; r < p->m; r++) bias[r] = p->bias ? model_get(p->bias, memory + t->bias + r * model_bytes(p->bias)) : 0;
    model_mul(p, a, x, bias, low, high);
    for (int r = 0; r < p->m; r++) {
        const uint8_t *at = memory + t->out + (g * p->m + r) * model_bytes(p->output);
        double got = model_get(p->output, at);
        if (t->how == DIVERGENT && g % 3 != 1) {
            CHECK_MSG(at[0] == poison, "%s: work-item %d was switched off and wrote", describe(t), g);
            continue;
        }
        CHECK_MSG(got >= low[r] && got <= high[r], "%s: work-item %d, row %d is %.9g, want %.9g to %.9g", describe(t), g, r, got, low[r], high[r]);
    }
    free(a);
    free(x);
    free(bias);
}

static void run_items(const char *name, int subgroup_size, cm_lowering lowering)
{
    model_kernel k = {name, all_products, WORK_ITEMS, subgroup_size, lowering};
    if (item_count && model_run(&k, memory, 1, 0))
        for (int i = 0; i < item_count; i++)
            for (int g = 0; g < WORK_ITEMS; g++) check_work_item(&items[i], g);
    item_count = 0;
    used = 0;
}

/* ---- the tests */

static const int inputs[] = {CV_F16, CV_F32, CV_I16, CV_U16, CV_I32, CV_U32};
static const int readings[] = {CV_I16, CV_U16, CV_I32, CV_U32, CV_F16, CV_F32, CV_PACKED_S8X32, CV_PACKED_U8X32, CV_U8, CV_I8, CV_E4M3, CV_E5M2};
static const int matrices[] = {CV_I16, CV_U16, CV_I32, CV_U32, CV_F16, CV_F32, CV_U8, CV_I8, CV_E4M3, CV_E5M2};

/* Each of the 620 pairs; biases (and none) and outputs take turns, so that each meets each kind of product many times. */
TEST(every_interpretation_of_input_and_matrix)
{
    int number = 0, kernel = 0;
    char name[64];
    for (int i = 0; i < 6; i++)
        for (int r = 0; r < 12; r++) {
            bool packed = readings[r] == CV_PACKED_S8X32 || readings[r] == CV_PACKED_U8X32;
            if (packed && inputs[i] != CV_U32) continue;
            for (int m = 0; m < 10; m++, number++) {
                int b = (number * 7 + number / 10) % 11;
                model_product p = {inputs[i], readings[r], matrices[m], b == 10 ? 0 : matrices[b], inputs[(number + number / 10) % 6], 1, packed ? 5 : 1,
                                   CV_MUL_OPTIMAL, false};
                add_item(p, UNIFORM);
            }
            if (item_count + 10 <= ITEMS_MAX && !(i == 5 && r == 11)) continue;
            snprintf(name, sizeof name, "pairs_%d", kernel++);
            run_items(name, 16, CM_AUTO);
        }
    run_items("pairs_last", 16, CM_AUTO);
    CHECK_INT(number, 620);
}

/* Each bias and each output with an integer and a float product. */
TEST(every_bias_and_output)
{
    for (int b = 0; b < 10; b++)
        for (int o = 0; o < 6; o++) {
            model_product p = {b % 2 ? CV_F32 : CV_I16, b % 2 ? CV_F16 : CV_I8, b % 2 ? CV_F16 : CV_I16, matrices[b], inputs[o], 1, 1, CV_ROW_MAJOR, false};
            add_item(p, UNIFORM);
        }
    run_items("biases", 16, CM_AUTO);
    for (int b = 0; b < 10; b++)
        for (int o = 0; o < 6; o++) {
            model_product p = {b % 2 ? CV_I32 : CV_F16, b % 2 ? CV_U8 : CV_E4M3, b % 2 ? CV_I8 : CV_E5M2, matrices[b], inputs[o], 1, 2, CV_MUL_OPTIMAL, false};
            add_item(p, UNIFORM);
        }
    run_items("biases_dpas", 16, CM_AUTO);
}

static const int minimum[][5] = {{CV_F16, CV_F16, CV_F16, CV_F16, CV_F16},         {CV_F16, CV_E4M3, CV_E4M3, CV_F16, CV_F16},
                                 {CV_F16, CV_E5M2, CV_E5M2, CV_F16, CV_F16},       {CV_U32, CV_PACKED_S8X32, CV_I8, CV_I32, CV_I32},
                                 {CV_F32, CV_I8, CV_I8, CV_I32, CV_I32},           {CV_U32, CV_PACKED_U8X32, CV_U8, CV_I32, CV_I32},
                                 {CV_F32, CV_F32, CV_F32, CV_F32, CV_F32},         {CV_I32, CV_I16, CV_I16, CV_I32, CV_I32}};
static const int shapes[][2] = {{1, 1}, {3, 5}, {16, 16}, {17, 33}, {64, 64}, {128, 40}};

/* Layout and transposition number v; FP8 has the optimal layouts only. */
static model_product variant(const int *c, int m, int k, int v)
{
    bool fp8 = c[2] == CV_E4M3 || c[2] == CV_E5M2;
    static const int layouts[6] = {CV_MUL_OPTIMAL, CV_MUL_OPTIMAL, CV_OUTER_PRODUCT_OPTIMAL, CV_OUTER_PRODUCT_OPTIMAL, CV_ROW_MAJOR, CV_COLUMN_MAJOR};
    int i = v % (fp8 ? 4 : 6);
    model_product p = {c[0], c[1], c[2], c[3], c[4], m, k, layouts[i], i == 1 || i == 3};
    return p;
}

/* One combination in every shape, uniform and in one other mode; modes and layouts take turns, so that each mode meets two shapes
 * and each layout several (all of them at once compile too long, and FP8 of the large shapes in half of that). */
static void shapes_of(int combination)
{
    char name[64];
    for (int s = 0; s < 6; s++) {
        int m = shapes[s][0], k = shapes[s][1], other = 1 + (s + combination) % (MODES - 1);
        bool large = s >= 4, fp8 = minimum[combination][2] == CV_E4M3 || minimum[combination][2] == CV_E5M2;
        if (!large || !fp8 || s == 4) add_item(variant(minimum[combination], m, k, s + combination), UNIFORM);
        if (!large || !fp8 || s == 5) add_item(variant(minimum[combination], m, k, s + other + combination), (mode)other);
        if (!large) add_item(variant(minimum[combination], m, k, s + 3 + combination), UNIFORM);
        if (s % 2 == 0) continue;
        snprintf(name, sizeof name, "shapes_%d_%d", combination, s / 2);
        run_items(name, 16, CM_AUTO);
    }
}

TEST(shapes_f16) { shapes_of(0); }
TEST(shapes_e4m3) { shapes_of(1); }
TEST(shapes_e5m2) { shapes_of(2); }
TEST(shapes_packed_i8) { shapes_of(3); }
TEST(shapes_f32_as_i8) { shapes_of(4); }
TEST(shapes_packed_u8) { shapes_of(5); }
TEST(shapes_f32) { shapes_of(6); }
TEST(shapes_i16) { shapes_of(7); }

/* Subgroup sizes 8 (other operands of the matrix instruction) and 32 (none), and the plain lowering. */
TEST(other_subgroup_sizes)
{
    static const struct {
        const char *name;
        int size;
        cm_lowering lowering;
    } rows[] = {{"size_8", 8, CM_AUTO}, {"size_32", 32, CM_AUTO}, {"plain", 16, CM_PLAIN}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        for (int c = 0; c < 5; c++)
            for (int v = c % 2; v < 6; v += 3) add_item(variant(minimum[c], 9, 20, v), UNIFORM);
        run_items(rows[r].name, rows[r].size, rows[r].lowering);
    }
}

int main(void)
{
    if (!open_device()) {
        printf("%s\n", zed_get_error(&device)->text);
        test_.failed++;
        return test_report();
    }
    memory = zed_alloc(&device, ZED_SHARED, MEMORY, 4096);
    RUN(every_interpretation_of_input_and_matrix);
    RUN(every_bias_and_output);
    RUN(shapes_f16);
    RUN(shapes_e4m3);
    RUN(shapes_e5m2);
    RUN(shapes_packed_i8);
    RUN(shapes_f32_as_i8);
    RUN(shapes_packed_u8);
    RUN(shapes_f32);
    RUN(shapes_i16);
    RUN(other_subgroup_sizes);
    zed_close(&device);
    return test_report();
}
