/* OuterProductAccumulate, VectorAccumulate and conversion of matrices on a device: the sums of two launches of many
 * work-items against sums in f64; several shapes, uniform and divergent, all subgroup sizes; conversions against the
 * host's, bit by bit. */
#include "coopvec_model.h"

typedef struct {
    bool vector; /* VectorAccumulate: n elements; else an outer product m x n */
    int input, sum, m, n;
    mode how;
    size_t v1, v2, matrix, size;
} item;

enum { ITEMS_MAX = 64, WORK_ITEMS = 32, GROUPS = 2, ALL = WORK_ITEMS * GROUPS, MEMORY = 4 << 20 };
static item items[ITEMS_MAX];
static int item_count;

static void one_item(CV_CONTEXT, const void *it, cv_val offset)
{
    const item *t = it;
    cv_val gid = CV_GLOBAL_ID(), in = CV_SELF->args[model_pointer(t->input)];
    int bytes = model_bytes(t->input);
    cv_vec b = CV_LOAD(in, t->n, CV_ADD(CV_MUL(gid, t->n), (int)(t->v2 / (size_t)bytes)));
    if (t->vector) {
        cv_vector_ref r = {.base = CV_SELF->args[0],
                           .interpretation = (cv_type)t->sum,
                           .offset = offset,
                           .uniform = t->how == BY_LANES ? CV_UNIFORM_NO : CV_UNIFORM_AUTO};
        CV_VECTOR_ACCUMULATE(b, r);
    } else {
        cv_vec a = CV_LOAD(in, t->m, CV_ADD(CV_MUL(gid, t->m), (int)(t->v1 / (size_t)bytes)));
        cv_matrix_ref r = {.base = CV_SELF->args[0],
                           .interpretation = (cv_type)t->sum,
                           .rows = t->m,
                           .cols = t->n,
                           .layout = CV_OUTER_PRODUCT_OPTIMAL,
                           .offset = offset,
                           .uniform = t->how == BY_LANES ? CV_UNIFORM_NO : CV_UNIFORM_AUTO};
        r = cv_matrix_ref_(CV_HERE_, r);
        CV_OUTER_PRODUCT_ACCUMULATE(a, b, r);
    }
}

static void all_items(CV_CONTEXT)
{
    for (int i = 0; i < item_count; i++)
        model_in_mode(CV_SELF, items[i].how, items[i].matrix, items[i].size, one_item, &items[i]);
}

static size_t offset_of(const item *t, int r, int c)
{
    if (t->vector) return (size_t)(c * model_bytes(t->sum));
    return cv_element_offset(CV_OUTER_PRODUCT_OPTIMAL, (cv_type)t->sum, (uint32_t)t->m, 0, (uint32_t)r, (uint32_t)c);
}

/* Before the launch each element is 3 (so that adding shows), but the padding 0. */
static void add_item(bool vector, int input, int sum, int m, int n, mode how)
{
    item *t = &items[item_count++];
    memset(t, 0, sizeof *t);
    t->vector = vector;
    t->input = input;
    t->sum = sum;
    t->m = vector ? 1 : m;
    t->n = n;
    t->how = how;
    t->size = vector ? (size_t)n * 4 : model_matrix_bytes(CV_OUTER_PRODUCT_OPTIMAL, sum, (size_t)m, (size_t)n, 0);
    t->size = (t->size + 127) / 128 * 128;
    t->matrix = take(t->size * 2);
    t->v1 = take((size_t)t->m * 4 * ALL);
    t->v2 = take((size_t)n * 4 * ALL);
    memset(memory + t->matrix, 0, t->size * 2);
    for (int copy = 0; copy < 2; copy++)
        for (int r = 0; r < t->m; r++)
            for (int c = 0; c < n; c++)
                model_put(sum, memory + t->matrix + (size_t)copy * t->size + offset_of(t, r, c), 3);
    for (int i = 0; i < t->m * ALL; i++) model_put(input, memory + t->v1 + i * model_bytes(input), model_random(input));
    for (int i = 0; i < n * ALL; i++) model_put(input, memory + t->v2 + i * model_bytes(input), model_random(input));
}

/* The expected value of an element of copy `copy`, and its sum of magnitudes. */
static double expected(const item *t, int r, int c, int copy, double *size)
{
    double sum = 3;
    uint32_t whole = 3;
    *size = 3;
    for (int g = 0; g < ALL; g++) {
        double b = model_get(t->input, memory + t->v2 + (g * t->n + c) * model_bytes(t->input));
        double a = t->vector ? 1 : model_get(t->input, memory + t->v1 + (g * t->m + r) * model_bytes(t->input));
        if ((t->how == DIVERGENT && g % 3 != 1) || (t->how == OWN_MATRIX ? g % 2 != copy : copy != 0)) continue;
        sum += a * b;
        *size += fabs(a * b);
        if (!model_float(t->sum)) whole += (uint32_t)(int64_t)b;
    }
    return model_float(t->sum) ? sum : t->sum == CV_I32 ? (double)(int32_t)whole : (double)whole;
}

static void check_item(const item *t)
{
    for (int copy = 0; copy < 2; copy++)
        for (int r = 0; r < t->m; r++)
            for (int c = 0; c < t->n; c++) {
                double size, want = expected(t, r, c, copy, &size),
                             got = model_get(t->sum, memory + t->matrix + (size_t)copy * t->size + offset_of(t, r, c));
                /* every one of at most ALL additions rounds in the sum's type, and in f16 what is added is rounded
                 * first */
                double bound = !model_float(t->sum) ? 0 : size * (ALL + 4) * (t->sum == CV_F16 ? 0x1p-11 : 0x1p-24);
                CHECK_MSG(fabs(got - want) <= bound,
                          "%s of %s into %s, %d x %d, %s, copy %d: element %d, %d is %.9g, want %.9g within %.3g",
                          t->vector ? "vector" : "outer product", cv_type_name(t->input), cv_type_name(t->sum), t->m,
                          t->n, mode_names[t->how], copy, r, c, got, want, bound);
            }
}

static void run_items(const char *name, int subgroup_size, cm_lowering lowering)
{
    model_kernel k = {name, all_items, WORK_ITEMS, subgroup_size, lowering};
    if (model_run(&k, GROUPS, 0))
        for (int i = 0; i < item_count; i++) check_item(&items[i]);
    item_count = 0;
    used = 0;
}

static const int outer_types[][2] = {{CV_F16, CV_F16}, {CV_F16, CV_F32}, {CV_F32, CV_F32}};
static const int vector_types[][2] = {
    {CV_F16, CV_F16}, {CV_F16, CV_F32}, {CV_F32, CV_F32}, {CV_I32, CV_I32}, {CV_U32, CV_U32}};
static const int shapes[][2] = {{1, 1}, {3, 5}, {16, 16}, {17, 33}, {40, 24}};

/* In the sample the types take turns over the shapes in 32 lanes, where code is long. */
static void outer_products(int type, int size, cm_lowering lowering, const char *name)
{
    for (int s = 0; s < 5; s++)
        for (int how = 0; how < (size == 16 && (s == 1 || s == 2) ? MODES : 1); how++)
            if (size < 32 || test_takes(s + type / 2, 2))
                add_item(false, outer_types[type][0], outer_types[type][1], shapes[s][0], shapes[s][1], (mode)how);
    run_items(name, size, lowering);
}

TEST(outer_product_f16_f16) { outer_products(0, 16, CM_AUTO, "outer_f16_f16"); }
TEST(outer_product_f16_f32) { outer_products(1, 16, CM_AUTO, "outer_f16_f32"); }
TEST(outer_product_f32_f32) { outer_products(2, 16, CM_AUTO, "outer_f32_f32"); }
TEST(outer_product_without_matrix_instruction) { outer_products(1, 16, CM_PLAIN, "outer_plain"); }
TEST(outer_product_subgroup_size_8)
{
    if (!has_subgroups_of(8)) SKIP("the device has no subgroups of 8");
    outer_products(0, 8, CM_AUTO, "outer_8");
}
/* Wider than a panel, which has 16 columns of f32. */
TEST(outer_product_subgroup_size_32)
{
    outer_products(0, 32, CM_AUTO, "outer_f16_f16_32");
    outer_products(2, 32, CM_AUTO, "outer_f32_f32_32");
}

static void vectors(int size, const char *name)
{
    for (int t = 0; t < 5; t++)
        for (int n = 1 + 4 * (t % 2); n < 30; n = n * 4 + 1)
            for (int how = 0; how < (size == 16 && n < 10 ? MODES : 1); how++)
                add_item(true, vector_types[t][0], vector_types[t][1], 1, n, (mode)how);
    run_items(name, size, CM_AUTO);
}

TEST(vector_accumulate) { vectors(16, "vectors"); }
TEST(vector_accumulate_subgroup_size_8)
{
    if (!has_subgroups_of(8)) SKIP("the device has no subgroups of 8");
    vectors(8, "vectors_8");
}
TEST(vector_accumulate_subgroup_size_32) { vectors(32, "vectors_32"); }

/* ---- conversion on the device: many descriptors in one batch, each like the host's result bit by bit, padding
 * included */

static bool convert_on_device(const cv_conversion_info *infos, uint32_t count)
{
    cv_module mod = cv_conversion_module(&(cv_target){ZED_TARGET(&device)});
    zed_kernel kernel;
    zed_batch batch;
    spe_error error;
    bool ok;
    CHECK_MSG(mod.words, "%s", mod.error->text);
    test_save_spv("coopvec_conversion", mod.words, mod.size);
    ok = mod.words && ZED_LOAD(&kernel, &device, mod) && zed_batch_begin(&batch, &device);
    if (ok) {
        CV_CONVERT_MATRICES(&batch, &kernel, infos, count, &error);
        CHECK_MSG(error.id == 0, "%s", error.text);
        ok = zed_batch_end(&batch) && zed_batch_free(&batch);
    }
    CHECK_MSG(ok, "%s", zed_get_error(&device)->text);
    cv_free(&mod);
    return ok;
}

static const int pairs[][2] = {
    {CV_F32, CV_F32},  {CV_F32, CV_F16},   {CV_F32, CV_E4M3}, {CV_F32, CV_E5M2}, {CV_F16, CV_F32},   {CV_F16, CV_F16},
    {CV_F16, CV_E4M3}, {CV_F16, CV_E5M2},  {CV_E4M3, CV_F32}, {CV_E4M3, CV_F16}, {CV_E4M3, CV_E4M3}, {CV_E5M2, CV_F32},
    {CV_E5M2, CV_F16}, {CV_E5M2, CV_E5M2}, {CV_I8, CV_I8},    {CV_U16, CV_U16},  {CV_I32, CV_I32}};
enum { PAIRS = sizeof pairs / sizeof pairs[0] };

/* Floats of all sizes with special values among them; other types any bits. */
static void fill(int type, uint8_t *at, size_t bytes)
{
    static const float special[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN,   448,   464,
                                    465,  57344, 61440,    61441,     65504, 65520, 1e-8f};
    for (size_t i = 0; i + (size_t)model_bytes(type) <= bytes; i += (size_t)model_bytes(type)) {
        double v = test_normal() * exp2(floor(test_uniform() * 40) - 24);
        uint32_t word = (uint32_t)test_random();
        if (test_random() % 16 == 0) v = (double)special[test_random() % 14];
        if (model_float(type))
            model_put(type, at + i, v);
        else
            memcpy(at + i, &word, (size_t)model_bytes(type));
    }
}

/* Which NaN a conversion gives is the driver's affair in Vulkan: an H200 has one only, 0x7fffffff. */
static bool both_nan(int type, const uint8_t *got, const uint8_t *want)
{
#if defined(ZE_DISPATCH_VULKAN_)
    return (type == CV_F32 || type == CV_F16) && isnan(model_get(type, got)) && isnan(model_get(type, want));
#else
    (void)type, (void)got, (void)want;
    return false;
#endif
}

/* The same bytes, padding included, as the host's? */
static void check_conversion(const cv_conversion_info *device_info, const cv_conversion_info *host_info)
{
    const uint8_t *got = (const uint8_t *)device_info->data_desc.dest;
    const uint8_t *want = (const uint8_t *)host_info->data_desc.dest;
    const cv_conversion_dest_info *to = &device_info->dest_info;
    const cv_conversion_src_info *from = &device_info->src_info;
    size_t bytes = (size_t)model_bytes(to->dest_data_type), at = 0;
    uint32_t bits[2] = {0, 0};
    while (at < to->dest_size &&
           (!memcmp(got + at, want + at, bytes) || both_nan(to->dest_data_type, got + at, want + at)))
        at += bytes;
    if (at >= to->dest_size) return;
    memcpy(&bits[0], got + at, bytes);
    memcpy(&bits[1], want + at, bytes);
    test_fail(__FILE__, __LINE__, "%u x %u, %s %s to %s %s: the bits at byte %zu are 0x%x, the host's 0x%x",
              (unsigned)to->num_rows, (unsigned)to->num_columns, cv_type_name(from->src_data_type),
              cv_layout_name(from->src_layout), cv_type_name(to->dest_data_type), cv_layout_name(to->dest_layout), at,
              (unsigned)bits[0], (unsigned)bits[1]);
}

static void convert_shape(uint32_t rows, uint32_t cols)
{
    static cv_conversion_info infos[PAIRS * 16], host[PAIRS * 16];
    uint32_t count = 0;
    used = 0;
    for (int p = 0; p < PAIRS; p++)
        for (int layouts = 0; layouts < 16; layouts++) {
            cv_conversion_info *i = &infos[count], *h = &host[count];
            int from = layouts / 4, to = layouts % 4;
            if ((pairs[p][1] == CV_E4M3 || pairs[p][1] == CV_E5M2) && to < 2) continue;
            memset(i, 0, sizeof *i);
            i->dest_info = (cv_conversion_dest_info){0, (cv_layout)to, 0, rows, cols, (cv_type)pairs[p][1]};
            cv_get_conversion_dest_info(&i->dest_info, NULL);
            i->src_info.src_data_type = (cv_type)pairs[p][0];
            i->src_info.src_layout = (cv_layout)from;
            i->src_info.src_stride = (uint32_t)model_line_bytes(from, pairs[p][0], rows, cols);
            i->src_info.src_size = (uint32_t)model_matrix_bytes(from, pairs[p][0], rows, cols, i->src_info.src_stride);
            size_t src = take(i->src_info.src_size), dest = take(i->dest_info.dest_size),
                   other = take(i->dest_info.dest_size);
            fill(pairs[p][0], memory + src, i->src_info.src_size);
            memset(memory + dest, 0x5a, i->dest_info.dest_size);
            memset(memory + other, 0x5a, i->dest_info.dest_size);
            i->overflow = count % 2 ? CV_NO_SATURATE : CV_SATURATE;
            i->data_desc = (cv_conversion_data){memory + dest, memory + src};
            *h = *i;
            h->data_desc.dest = memory + other;
            count++;
        }
    CHECK(cv_convert_matrix(host, count, NULL));
    if (!convert_on_device(infos, count)) return;
    for (uint32_t k = 0; k < count; k++) check_conversion(&infos[k], &host[k]);
}

TEST(conversion_on_the_device)
{
    convert_shape(1, 1);
    convert_shape(3, 5);
    convert_shape(17, 33);
    convert_shape(24, 70);
}

TEST(a_refused_descriptor_appends_nothing)
{
    cv_conversion_info infos[2];
    cv_module mod = cv_conversion_module(&(cv_target){ZED_TARGET(&device)});
    zed_kernel kernel;
    zed_batch batch;
    spe_error error;
    memset(infos, 0, sizeof infos);
    for (int i = 0; i < 2; i++) {
        infos[i].dest_info = (cv_conversion_dest_info){0, CV_MUL_OPTIMAL, 0, 4, 4, CV_F16};
        cv_get_conversion_dest_info(&infos[i].dest_info, NULL);
        infos[i].src_info = (cv_conversion_src_info){64, CV_F32, CV_ROW_MAJOR, 16};
        infos[i].data_desc = (cv_conversion_data){memory, memory + 4096};
    }
    infos[1].src_info.src_stride = 8;
    memory[0] = 0x77;
    CHECK(ZED_LOAD(&kernel, &device, mod) && zed_batch_begin(&batch, &device));
    CV_CONVERT_MATRICES(&batch, &kernel, infos, 2, &error);
    CHECK_INT(error.id, CV_ERROR_SRC_STRIDE);
    CHECK(zed_batch_end(&batch) && zed_batch_free(&batch));
    CHECK_INT(memory[0], 0x77);
    cv_free(&mod);
}

static void tests(void)
{
    RUN(outer_product_f16_f16);
    RUN(outer_product_f16_f32);
    RUN(outer_product_f32_f32);
    RUN(outer_product_without_matrix_instruction);
    RUN(outer_product_subgroup_size_8);
    RUN(outer_product_subgroup_size_32);
    RUN(vector_accumulate);
    RUN(vector_accumulate_subgroup_size_8);
    RUN(vector_accumulate_subgroup_size_32);
    RUN(conversion_on_the_device);
    RUN(a_refused_descriptor_appends_nothing);
}

int main(void) { return model_main(MEMORY, tests); }
