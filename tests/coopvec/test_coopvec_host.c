/* The host side of coopvec.h: component types, tiers, property lists and their query, layouts, matrix conversion and
 * all of its valid usage rules. */
#undef XETILE_DECLARATIONS /* the bodies are here: private names are tested */
#include "coopvec.h"
#include "test.h"

/* ---- types and properties */

TEST(numbers_are_those_of_the_enumeration)
{
    static const struct {
        int type, number;
        const char *name;
    } rows[] = {{CV_I16, 2, "i16"},
                {CV_U16, 3, "u16"},
                {CV_I32, 4, "i32"},
                {CV_U32, 5, "u32"},
                {CV_F16, 8, "f16"},
                {CV_F32, 9, "f32"},
                {CV_PACKED_S8X32, 17, "packed_s8x32"},
                {CV_PACKED_U8X32, 18, "packed_u8x32"},
                {CV_U8, 19, "u8"},
                {CV_I8, 20, "i8"},
                {CV_E4M3, 21, "e4m3"},
                {CV_E5M2, 22, "e5m2"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK_INT(rows[i].type, rows[i].number);
        CHECK_STR(cv_type_name(rows[i].number), rows[i].name);
    }
    for (int n = 0; n < 100; n++) {
        bool known = false;
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) known = known || rows[i].number == n;
        CHECK_INT(cv_type_info(n) != NULL, known);
    }
    CHECK_INT(CV_ROW_MAJOR, 0);
    CHECK_INT(CV_COLUMN_MAJOR, 1);
    CHECK_INT(CV_MUL_OPTIMAL, 2);
    CHECK_INT(CV_OUTER_PRODUCT_OPTIMAL, 3);
}

static const char *const targets[] = {"pvc", "bmg", "lnl", "lnl-m", "ptl", "dg2", "generic", "soft"};

TEST(every_target_has_the_highest_tier)
{
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
        CHECK_INT(cv_get_tier(cm_target_row(targets[i])), CV_TIER_1_1);
    CHECK_INT(cv_get_tier(cm_target_row("no such thing")), CV_TIER_NOT_SUPPORTED);
}

TEST(query_counts_first)
{
    cv_feature_data d = {0};
    CHECK_INT(cv_check_feature_support(cm_target_row("bmg"), &d), CV_S_OK);
    /* inputs: 6 types times 10 interpretations, 2 packed, 2 more spellings of these; 10 matrices, 10 biases, 6
     * outputs */
    CHECK_INT(d.matrix_vector_mul_add_prop_count, (6 * 10 + 2 + 2) * 10 * 10 * 6);
    CHECK_INT(d.outer_product_accumulate_prop_count, 3);
    CHECK_INT(d.vector_accumulate_prop_count, 5);
}

TEST(query_refuses_short_lists_and_writes_nothing)
{
    cv_properties_accumulate outer[5], vector[5];
    cv_properties_mul mul[3];
    cv_feature_data d = {0};
    const cm_target *t = cm_target_row("soft");
    memset(outer, 0x5a, sizeof outer);
    memset(vector, 0x5a, sizeof vector);
    d.outer_product_accumulate_properties = outer;
    d.outer_product_accumulate_prop_count = 3;
    d.vector_accumulate_properties = vector;
    d.vector_accumulate_prop_count = 4;
    CHECK_INT(cv_check_feature_support(t, &d), CV_E_INVALIDARG);
    CHECK_INT((uint32_t)CV_E_INVALIDARG, 0x80070057u);
    CHECK_INT(outer[0].input_type, 0x5a5a5a5a);
    CHECK_INT(d.vector_accumulate_prop_count, 4);
    d.vector_accumulate_prop_count = 5;
    CHECK_INT(cv_check_feature_support(t, &d), CV_S_OK);
    CHECK_INT(d.outer_product_accumulate_prop_count, 3);
    CHECK_INT(outer[0].input_type, CV_F16);
    CHECK_INT((int)outer[3].input_type, 0x5a5a5a5a); /* past the rows nothing is written */
    d.outer_product_accumulate_prop_count = 2;
    CHECK_INT(cv_check_feature_support(t, &d), CV_E_INVALIDARG);
    d.outer_product_accumulate_prop_count = 5; /* longer than needed: becomes what was written */
    CHECK_INT(cv_check_feature_support(t, &d), CV_S_OK);
    CHECK_INT(d.outer_product_accumulate_prop_count, 3);
    d.matrix_vector_mul_add_properties = mul;
    d.matrix_vector_mul_add_prop_count = 3;
    CHECK_INT(cv_check_feature_support(t, &d), CV_E_INVALIDARG);
    CHECK_INT(cv_check_feature_support(t, NULL), CV_E_INVALIDARG);
    CHECK_INT(cv_check_feature_support(NULL, &(cv_feature_data){0}), CV_E_INVALIDARG);
}

static bool has_accumulate(const cv_properties_accumulate *rows, uint32_t count, cv_type input, cv_type type)
{
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].input_type == input && rows[i].accumulation_type == type) return true;
    return false;
}

static bool has_mul(const cv_properties_mul *rows, uint32_t n, int in, int as, int matrix, int bias, int out)
{
    for (uint32_t i = 0; i < n; i++)
        if ((int)rows[i].input_type == in && (int)rows[i].input_interpretation == as &&
            (int)rows[i].matrix_interpretation == matrix && (int)rows[i].bias_interpretation == bias &&
            (int)rows[i].output_type == out)
            return true;
    return false;
}

TEST(minimum_support_set_is_listed_everywhere)
{
    static const int minimum[][5] = {{CV_F16, CV_F16, CV_F16, CV_F16, CV_F16},
                                     {CV_F16, CV_E4M3, CV_E4M3, CV_F16, CV_F16},
                                     {CV_F16, CV_E5M2, CV_E5M2, CV_F16, CV_F16},
                                     {CV_PACKED_S8X32, CV_I8, CV_I8, CV_I32, CV_I32},
                                     {CV_U32, CV_PACKED_S8X32, CV_I8, CV_I32, CV_I32},
                                     {CV_F32, CV_I8, CV_I8, CV_I32, CV_I32}};
    for (size_t t = 0; t < sizeof targets / sizeof targets[0]; t++) {
        const cm_target *row = cm_target_row(targets[t]);
        cv_feature_data d = {0};
        cv_check_feature_support(row, &d);
        d.matrix_vector_mul_add_properties = malloc(d.matrix_vector_mul_add_prop_count * sizeof(cv_properties_mul));
        d.outer_product_accumulate_properties =
            malloc(d.outer_product_accumulate_prop_count * sizeof(cv_properties_accumulate));
        d.vector_accumulate_properties = malloc(d.vector_accumulate_prop_count * sizeof(cv_properties_accumulate));
        CHECK_INT(cv_check_feature_support(row, &d), CV_S_OK);
        for (size_t i = 0; i < sizeof minimum / sizeof minimum[0]; i++)
            CHECK_MSG(has_mul(d.matrix_vector_mul_add_properties, d.matrix_vector_mul_add_prop_count, minimum[i][0],
                              minimum[i][1], minimum[i][2], minimum[i][3], minimum[i][4]),
                      "%s lacks row %zu", targets[t], i);
        CHECK(has_accumulate(d.outer_product_accumulate_properties, d.outer_product_accumulate_prop_count, CV_F16,
                              CV_F16));
        CHECK(has_accumulate(d.outer_product_accumulate_properties, d.outer_product_accumulate_prop_count, CV_F16,
                              CV_F32));
        CHECK(has_accumulate(d.vector_accumulate_properties, d.vector_accumulate_prop_count, CV_F16, CV_F16));
        free(d.matrix_vector_mul_add_properties);
        free(d.outer_product_accumulate_properties);
        free(d.vector_accumulate_properties);
    }
}

/* ---- layouts */

static const int memory_types[] = {CV_I16, CV_U16, CV_I32, CV_U32, CV_F16, CV_F32, CV_U8, CV_I8, CV_E4M3, CV_E5M2};
enum { MEMORY_TYPES = sizeof memory_types / sizeof memory_types[0] };
static const int shapes[][2] = {{1, 1}, {3, 5}, {16, 16}, {17, 33}, {64, 64}, {128, 40}, {5, 130}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

TEST(optimal_layouts_are_as_documented)
{
    for (int t = 0; t < MEMORY_TYPES; t++)
        for (int s = 0; s < SHAPES; s++) {
            uint32_t rows = (uint32_t)shapes[s][0], cols = (uint32_t)shapes[s][1],
                     size = (uint32_t)cv_bytes_(memory_types[t]);
            uint32_t P = 64 / size, R = (rows + 7) / 8 * 8, bytes = (cols + P - 1) / P * 64 * R;
            cv_conversion_dest_info d = {.dest_layout = CV_MUL_OPTIMAL, .num_rows = rows, .num_columns = cols,
                                         .dest_data_type = (cv_type)memory_types[t]};
            char *seen = calloc(bytes, 1);
            CHECK(cv_get_conversion_dest_info(&d, NULL));
            CHECK_INT(d.dest_size, bytes);
            CHECK_INT(d.dest_size % 16, 0);
            for (uint32_t r = 0; r < rows; r++)
                for (uint32_t c = 0; c < cols; c++) {
                    size_t at = cv_element_offset(CV_MUL_OPTIMAL, d.dest_data_type, rows, 0, r, c);
                    CHECK_INT(at, c / P * 64 * R + 64 * r + c % P * size);
                    CHECK_INT(at, cv_element_offset(CV_OUTER_PRODUCT_OPTIMAL, d.dest_data_type, rows, 0, r, c));
                    CHECK(at + size <= bytes && !seen[at]);
                    seen[at] = 1;
                }
            free(seen);
        }
}

TEST(destination_query_gives_sizes_and_strides)
{
    cv_conversion_dest_info d = {
        .dest_layout = CV_ROW_MAJOR, .num_rows = 3, .num_columns = 5, .dest_data_type = CV_F16};
    spe_error e = {0};
    CHECK(cv_get_conversion_dest_info(&d, &e));
    CHECK_INT(d.dest_stride, 16);
    CHECK_INT(d.dest_size, 48);
    d.dest_stride = 64;
    CHECK(cv_get_conversion_dest_info(&d, &e));
    CHECK_INT(d.dest_size, 192);
    d.dest_layout = CV_COLUMN_MAJOR;
    d.dest_stride = 0;
    CHECK(cv_get_conversion_dest_info(&d, &e));
    CHECK_INT(d.dest_stride, 16);
    CHECK_INT(d.dest_size, 80);
    d.dest_layout = CV_OUTER_PRODUCT_OPTIMAL; /* the stride is ignored and stays */
    CHECK(cv_get_conversion_dest_info(&d, &e));
    CHECK_INT(d.dest_stride, 16);
    CHECK_INT(d.dest_size, 512);
}

/* ---- conversion */

typedef struct {
    uint8_t *memory, *at;
    size_t size;
} buffer;

static buffer make_buffer(size_t size) /* poisoned, 128-byte aligned */
{
    buffer b;
    b.size = (size + 127) / 128 * 128;
    b.memory = malloc(b.size + 128);
    b.at = b.memory + (128 - (uintptr_t)b.memory % 128) % 128;
    memset(b.at, 0xa5, b.size);
    return b;
}

static cv_conversion_info describe(int rows, int cols, int from, cv_layout from_layout, int to, cv_layout to_layout)
{
    cv_conversion_info i = {0};
    i.dest_info.dest_layout = to_layout;
    i.dest_info.num_rows = (uint32_t)rows;
    i.dest_info.num_columns = (uint32_t)cols;
    i.dest_info.dest_data_type = (cv_type)to;
    cv_get_conversion_dest_info(&i.dest_info, NULL);
    i.src_info.src_data_type = (cv_type)from;
    i.src_info.src_layout = from_layout;
    /* neighbouring lines touch: a source needs no more than a multiple of the element */
    cv_stored_ stored = {from_layout, (cv_type)from, (uint32_t)rows, (uint32_t)cols, 0};
    stored.stride = (uint32_t)cv_line_bytes_(&stored);
    i.src_info.src_stride = stored.stride;
    i.src_info.src_size = (uint32_t)cv_stored_bytes_(&stored);
    return i;
}

/* The value of an element's bytes, by an independent decoder of the formats. */
static double value_of(int type, const uint8_t *p)
{
    uint32_t bits = p[0], exponent, mantissa;
    int eb = type == CV_F32                      ? 8
             : type == CV_F16 || type == CV_E5M2 ? 5
                                                 : 4,
        mb = type == CV_F32    ? 23
             : type == CV_F16  ? 10
             : type == CV_E5M2 ? 2
                               : 3;
    int bias = (1 << (eb - 1)) - 1;
    double v;
    if (mb > 3) bits |= (uint32_t)p[1] << 8;
    if (mb > 10) bits |= (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    exponent = bits >> mb & ((1u << eb) - 1);
    mantissa = bits & ((1u << mb) - 1);
    if (type == CV_E4M3 ? (bits & 0x7f) == 0x7f : exponent == (1u << eb) - 1 && mantissa) return NAN;
    if (type != CV_E4M3 && exponent == (1u << eb) - 1) v = INFINITY;
    else v = exponent ? ldexp(1 + ldexp(mantissa, -mb), (int)exponent - bias) : ldexp(mantissa, 1 - bias - mb);
    return bits >> (eb + mb) ? -v : v;
}

/* Nearest value of a type by search over all its bit patterns, ties to the even one; what FP8 cannot hold saturates. */
static uint32_t nearest_bits(int type, double v)
{
    uint32_t count = type == CV_F16 ? 0x7c00 : type == CV_E4M3 ? 0x7f : 0x7c, best = 0, low = 0, high;
    bool negative = signbit(v);
    double a = fabs(v);
    uint8_t b[2];
    high = count; /* of finite magnitudes */
    while (high - low > 1) { /* the largest that is not more than a */
        uint32_t mid = (low + high) / 2;
        b[0] = (uint8_t)mid;
        b[1] = (uint8_t)(mid >> 8);
        if (value_of(type, b) <= a) low = mid;
        else high = mid;
    }
    best = low;
    b[0] = (uint8_t)low;
    b[1] = (uint8_t)(low >> 8);
    double below = value_of(type, b), above;
    b[0] = (uint8_t)(low + 1);
    b[1] = (uint8_t)((low + 1) >> 8);
    above = low + 1 < count ? value_of(type, b) : type == CV_F16 ? 65536 : INFINITY;
    if (a - below > above - a || (a - below == above - a && (low & 1))) best = low + 1;
    if (type != CV_F16 && best >= count) best = count - 1;
    if (type == CV_F16 && isinf(a)) best = count;
    if (isnan(v)) best = type == CV_F16 ? 0x7e00 : type == CV_E4M3 ? 0x7f : 0x7e;
    return best | (negative ? (type == CV_F16 ? 0x8000u : 0x80u) : 0);
}

static void fill_random(buffer b)
{
    for (size_t i = 0; i < b.size; i++) b.at[i] = (uint8_t)test_random();
}

/* Numbers of all sizes, so that FP8 rounds, is subnormal, and saturates. */
static void fill_floats(buffer b, int type)
{
    static const float special[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN,   448,   464,
                                    465,  57344, 61440,    61441,     65504, 65520, 1e-8f};
    for (size_t i = 0; i + 4 <= b.size; i += (size_t)cv_bytes_(type)) {
        float f = (float)(test_normal() * exp2(floor(test_uniform() * 40) - 24));
        if (test_random() % 16 == 0) f = special[test_random() % (sizeof special / sizeof special[0])];
        cv_put_float_((cv_type)type, true, b.at + i, f);
    }
}

TEST(any_layout_to_any_other_and_back_keeps_every_bit)
{
    for (int t = 0; t < MEMORY_TYPES; t++)
        for (int s = 0; s < SHAPES; s++)
            for (int from = 0; from < 4; from++)
                for (int to = 0; to < 4; to++) {
                    int type = memory_types[t];
                    bool fp8 = type == CV_E4M3 || type == CV_E5M2;
                    if (fp8 && (from < 2 || to < 2)) continue; /* FP8 destinations are optimal */
                    cv_conversion_info a =
                        describe(shapes[s][0], shapes[s][1], type, (cv_layout)from, type, (cv_layout)to);
                    cv_conversion_info b =
                        describe(shapes[s][0], shapes[s][1], type, (cv_layout)to, type, (cv_layout)from);
                    buffer src = make_buffer(a.src_info.src_size), mid = make_buffer(a.dest_info.dest_size), end;
                    spe_error e = {0};
                    b.src_info.src_stride = a.dest_info.dest_stride;
                    b.src_info.src_size = a.dest_info.dest_size;
                    end = make_buffer(b.dest_info.dest_size);
                    fill_random(src);
                    a.data_desc = (cv_conversion_data){mid.at, src.at};
                    b.data_desc = (cv_conversion_data){end.at, mid.at};
                    CHECK_MSG(cv_convert_matrix(&a, 1, &e) && cv_convert_matrix(&b, 1, &e), "%s", e.text);
                    for (uint32_t r = 0; r < a.dest_info.num_rows; r++)
                        for (uint32_t c = 0; c < a.dest_info.num_columns; c++)
                            CHECK(
                                memcmp(src.at + cv_element_offset((cv_layout)from, (cv_type)type, a.dest_info.num_rows,
                                                                  a.src_info.src_stride, r, c),
                                       end.at + cv_element_offset((cv_layout)from, (cv_type)type, a.dest_info.num_rows,
                                                                  b.dest_info.dest_stride, r, c),
                                       (size_t)cv_bytes_(type)) == 0);
                    free(src.memory);
                    free(mid.memory);
                    free(end.memory);
                }
}

/* Errors of host functions have the line of the call; accepted calls leave no error. */
TEST(errors_have_the_callers_line)
{
    cv_conversion_info info = describe(4, 4, CV_F16, CV_ROW_MAJOR, CV_F16, CV_MUL_OPTIMAL);
    spe_error error[5];
    int line = __LINE__ + 1;
    CHECK(!cv_check_conversion(&info, &error[0])); /* without addresses */
    CHECK(!cv_convert_matrix(&info, 1, &error[1]));
    CHECK(!cv_get_conversion_dest_info(&(cv_conversion_dest_info){.num_rows = 0, .num_columns = 1}, &error[2]));
    CHECK(!cv_check_matrix_memory(NULL, 64, 0, CV_ROW_MAJOR, CV_F16, 4, 4, 16, &error[3]));
    CHECK(!cv_check_vector_memory(NULL, 64, 0, CV_F16, 4, &error[4]));
    for (int i = 0; i < 5; i++) {
        CHECK(error[i].id != 0);
        CHECK_STR(error[i].file, __FILE__);
        CHECK_INT(error[i].line, line + i);
    }
    CHECK(cv_get_conversion_dest_info(&info.dest_info, &error[0]));
    CHECK_INT(error[0].id, 0);
    CHECK(!cv_check_conversion(&info, NULL));
}

TEST(narrowing_rounds_to_nearest_even_and_saturates)
{
    static const int pairs[][2] = {
        {CV_F32, CV_F16}, {CV_F32, CV_E4M3}, {CV_F32, CV_E5M2}, {CV_F16, CV_E4M3}, {CV_F16, CV_E5M2}};
    for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; p++) {
        int from = pairs[p][0], to = pairs[p][1];
        cv_conversion_info i = describe(64, 130, from, CV_ROW_MAJOR, to, CV_MUL_OPTIMAL);
        buffer src = make_buffer(i.src_info.src_size), dest = make_buffer(i.dest_info.dest_size);
        fill_floats(src, from);
        i.data_desc = (cv_conversion_data){dest.at, src.at};
        CHECK(cv_convert_matrix(&i, 1, NULL));
        for (uint32_t r = 0; r < 64; r++)
            for (uint32_t c = 0; c < 130; c++) {
                const uint8_t *s = src.at + r * i.src_info.src_stride + c * (uint32_t)cv_bytes_(from);
                const uint8_t *d = dest.at + cv_element_offset(CV_MUL_OPTIMAL, (cv_type)to, 64, 0, r, c);
                uint32_t got = d[0] | (to == CV_F16 ? (uint32_t)d[1] << 8 : 0);
                CHECK_INT(got, nearest_bits(to, value_of(from, s)));
            }
        for (uint32_t r = 0; r < 64; r++) /* the padding is zero: 130 columns leave some in the last panel */
            for (uint32_t c = 130, P = 64 / (uint32_t)cv_bytes_(to); c < (130 + P - 1) / P * P; c++)
                CHECK_INT(dest.at[cv_element_offset(CV_MUL_OPTIMAL, (cv_type)to, 64, 0, r, c)], 0);
        free(src.memory);
        free(dest.memory);
    }
}

/* .overflow: the largest number, or NaN and infinity, from the point where rounding exceeds it: 464 and 61440. */
TEST(numbers_beyond_fp8)
{
    static const float values[] = {464, 464.1f, -480, INFINITY, 61439, 61440, -70000, NAN};
    static const uint8_t e4m3[2][8] = {{0x7e, 0x7e, 0xfe, 0x7e, 0x7e, 0x7e, 0xfe, 0x7f},
                                       {0x7e, 0x7f, 0xff, 0x7f, 0x7f, 0x7f, 0xff, 0x7f}};
    static const uint8_t e5m2[2][8] = {{0x5f, 0x5f, 0xe0, 0x7b, 0x7b, 0x7b, 0xfb, 0x7e},
                                       {0x5f, 0x5f, 0xe0, 0x7c, 0x7b, 0x7c, 0xfc, 0x7e}};
    for (int type = 0; type < 2; type++)
        for (int overflow = 0; overflow < 2; overflow++) {
            cv_conversion_info i = describe(1, 8, CV_F32, CV_ROW_MAJOR, type ? CV_E5M2 : CV_E4M3, CV_MUL_OPTIMAL);
            buffer src = make_buffer(i.src_info.src_size), dest = make_buffer(i.dest_info.dest_size);
            i.data_desc = (cv_conversion_data){dest.at, src.at};
            i.overflow = overflow ? CV_NO_SATURATE : CV_SATURATE;
            memcpy(src.at, values, sizeof values);
            CHECK(cv_convert_matrix(&i, 1, NULL));
            for (int c = 0; c < 8; c++) CHECK_INT(dest.at[c], (type ? e5m2 : e4m3)[overflow][c]);
            free(src.memory);
            free(dest.memory);
        }
}

TEST(widening_and_back_keeps_every_bit)
{
    static const int pairs[][2] = {
        {CV_F16, CV_F32}, {CV_E4M3, CV_F32}, {CV_E5M2, CV_F32}, {CV_E4M3, CV_F16}, {CV_E5M2, CV_F16}};
    for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; p++) {
        int narrow = pairs[p][0], wide = pairs[p][1], size = cv_bytes_(narrow);
        int n = size == 2 ? 256 : 16; /* every value */
        cv_conversion_info a = describe(n, n, narrow, CV_MUL_OPTIMAL, wide, CV_COLUMN_MAJOR);
        cv_conversion_info b = describe(n, n, wide, CV_COLUMN_MAJOR, narrow, CV_MUL_OPTIMAL);
        buffer src = make_buffer(a.src_info.src_size), mid = make_buffer(a.dest_info.dest_size),
               end = make_buffer(b.dest_info.dest_size);
        b.src_info.src_stride = a.dest_info.dest_stride;
        b.src_info.src_size = a.dest_info.dest_size;
        for (int v = 0; v < n * n; v++) {
            uint8_t *at = src.at + cv_element_offset(CV_MUL_OPTIMAL, (cv_type)narrow, (uint32_t)n, 0, (uint32_t)(v / n),
                                                     (uint32_t)(v % n));
            at[0] = (uint8_t)v;
            if (size == 2) at[1] = (uint8_t)(v >> 8);
        }
        a.data_desc = (cv_conversion_data){mid.at, src.at};
        b.data_desc = (cv_conversion_data){end.at, mid.at};
        CHECK(cv_convert_matrix(&a, 1, NULL) && cv_convert_matrix(&b, 1, NULL));
        for (int v = 0; v < n * n; v++) {
            size_t at = cv_element_offset(CV_MUL_OPTIMAL, (cv_type)narrow, (uint32_t)n, 0, (uint32_t)(v / n),
                                          (uint32_t)(v % n));
            double x = value_of(narrow, src.at + at);
            if (isnan(x)) CHECK(isnan(value_of(narrow, end.at + at)));
            else if (isinf(x)) CHECK_INT(end.at[at] & 0x7f, size == 2 ? 0 : 0x7b); /* infinity saturates in FP8 */
            else CHECK(memcmp(src.at + at, end.at + at, (size_t)size) == 0);
        }
        free(src.memory);
        free(mid.memory);
        free(end.memory);
    }
}

TEST(which_types_convert)
{
    for (int a = 0; a < MEMORY_TYPES; a++)
        for (int b = 0; b < MEMORY_TYPES; b++) {
            int from = memory_types[a], to = memory_types[b];
            bool f8 = from == CV_E4M3 || from == CV_E5M2, t8 = to == CV_E4M3 || to == CV_E5M2;
            bool want = from == to || (from == CV_F32 && (to == CV_F16 || t8)) ||
                        (to == CV_F32 && (from == CV_F16 || f8)) || (from == CV_F16 && t8) || (to == CV_F16 && f8);
            cv_conversion_info i = describe(4, 4, from, CV_ROW_MAJOR, to, CV_MUL_OPTIMAL);
            spe_error e = {0};
            i.data_desc = (cv_conversion_data){(void *)0x10000, (void *)0x20000};
            CHECK_MSG(cv_check_conversion(&i, &e) == want, "%s to %s: %s", cv_type_name(from), cv_type_name(to),
                      e.text);
            if (!want) CHECK_INT(e.id, CV_ERROR_CONVERSION_TYPES);
        }
}

/* ---- valid usage: one change to a good descriptor, one error */

static cv_conversion_info good_info(void)
{
    cv_conversion_info i = describe(8, 12, CV_F32, CV_ROW_MAJOR, CV_F16, CV_ROW_MAJOR);
    i.data_desc = (cv_conversion_data){(void *)0x10000, (void *)0x20000};
    return i;
}

static void expect_conversion_error(const cv_conversion_info *i, int id, const char *part)
{
    spe_error e = {0};
    CHECK(!cv_check_conversion(i, &e));
    CHECK_INT(e.id, id);
    CHECK_STR(e.name, cv_error_name(id));
    CHECK_HAS(e.text, part);
    CHECK(!cv_check_conversion(i, NULL));
}

TEST(valid_usage_has_an_error_a_line)
{
    cv_conversion_info i = good_info();
    CHECK(cv_check_conversion(&i, NULL));
    i.src_info.src_stride = 44;
    expect_conversion_error(&i, CV_ERROR_SRC_STRIDE, "44, the length is 48");
    i = good_info();
    i.src_info.src_layout = CV_COLUMN_MAJOR;
    i.src_info.src_stride = 28;
    expect_conversion_error(&i, CV_ERROR_SRC_STRIDE, "28, the length is 32");
    i = good_info();
    i.src_info.src_stride = 50;
    expect_conversion_error(&i, CV_ERROR_SRC_STRIDE_MULTIPLE, "50, an element of f32 has 4");
    i = good_info();
    i.dest_info.dest_stride = 16;
    expect_conversion_error(&i, CV_ERROR_DEST_STRIDE, "16, the length is 24");
    i = good_info();
    i.dest_info.dest_stride = 40;
    expect_conversion_error(&i, CV_ERROR_DEST_STRIDE_MULTIPLE, "40");
    i = good_info();
    i.src_info.src_data_type = CV_PACKED_S8X32;
    expect_conversion_error(&i, CV_ERROR_SRC_TYPE, "packed_s8x32 (17), use f32");
    i = good_info();
    i.dest_info.dest_data_type = CV_PACKED_U8X32;
    expect_conversion_error(&i, CV_ERROR_DEST_TYPE, "packed_u8x32 (18), use f32");
    i = good_info();
    i.dest_info.dest_data_type = CV_I16;
    expect_conversion_error(&i, CV_ERROR_CONVERSION_TYPES, "f32 to i16");
    i = good_info();
    i.dest_info.dest_data_type = CV_E4M3;
    expect_conversion_error(&i, CV_ERROR_DEST_LAYOUT, "e4m3 in row-major");
    i.dest_info.dest_data_type = CV_E5M2;
    i.dest_info.dest_layout = CV_COLUMN_MAJOR;
    expect_conversion_error(&i, CV_ERROR_DEST_LAYOUT, "e5m2 in column-major");
}

TEST(sizes_addresses_and_shapes_are_checked)
{
    cv_conversion_info i = good_info();
    i.src_info.src_size = 383;
    expect_conversion_error(&i, CV_ERROR_SRC_SIZE, "383, the matrix has 384");
    i = good_info();
    i.dest_info.dest_size = 255;
    expect_conversion_error(&i, CV_ERROR_DEST_SIZE, "255, the query returns 256");
    i = good_info();
    i.data_desc.dest = NULL;
    expect_conversion_error(&i, CV_ERROR_ADDRESS, "destination");
    i = good_info();
    i.data_desc.src = NULL;
    expect_conversion_error(&i, CV_ERROR_ADDRESS, "source");
    i = good_info();
    i.data_desc.dest = (void *)0x10040;
    expect_conversion_error(&i, CV_ERROR_DEST_ALIGNMENT, "0x10040");
    i = good_info();
    i.data_desc.src = (void *)0x20002;
    expect_conversion_error(&i, CV_ERROR_SRC_ALIGNMENT, "0x20002");
    i = good_info();
    i.data_desc.src = (char *)i.data_desc.dest + 128;
    expect_conversion_error(&i, CV_ERROR_OVERLAP, "0x10080");
    i = good_info();
    i.dest_info.num_rows = 0;
    expect_conversion_error(&i, CV_ERROR_SHAPE, "0 x 12");
    i = good_info();
    i.dest_info.num_columns = 65537;
    expect_conversion_error(&i, CV_ERROR_SHAPE, "8 x 65537");
    i = good_info();
    i.dest_info.num_columns = i.dest_info.num_rows = 65536;
    i.dest_info.dest_stride = 131072;
    expect_conversion_error(&i, CV_ERROR_TOO_LARGE, "65536 x 65536");
    i = good_info();
    i.dest_info.dest_layout = (cv_layout)4;
    expect_conversion_error(&i, CV_ERROR_LAYOUT, "got 4");
    i = good_info();
    i.src_info.src_layout = (cv_layout)-1;
    expect_conversion_error(&i, CV_ERROR_LAYOUT, "got -1");
}

TEST(a_refused_descriptor_stops_all_of_a_call)
{
    buffer src = make_buffer(384), dest = make_buffer(256);
    cv_conversion_info infos[2] = {good_info(), good_info()};
    infos[0].data_desc = (cv_conversion_data){dest.at, src.at};
    infos[1].src_info.src_size = 1;
    CHECK(!cv_convert_matrix(infos, 2, NULL));
    CHECK_INT(dest.at[0], 0xa5);
    CHECK(cv_convert_matrix(infos, 1, NULL));
    CHECK(cv_convert_matrix(infos, 0, NULL));
    free(src.memory);
    free(dest.memory);
}

TEST(memory_given_to_kernels_is_checked)
{
    spe_error e = {0};
    void *base = (void *)0x10000;
    CHECK(cv_check_matrix_memory(base, 4096, 0, CV_MUL_OPTIMAL, CV_F16, 32, 64, 0, &e));
    CHECK(!cv_check_matrix_memory(base, 4095, 0, CV_MUL_OPTIMAL, CV_F16, 32, 64, 0, &e) &&
          e.id == CV_ERROR_ALLOCATION_SIZE);
    CHECK(!cv_check_matrix_memory(base, 4096, 64, CV_MUL_OPTIMAL, CV_F16, 32, 32, 0, &e) &&
          e.id == CV_ERROR_MATRIX_ALIGNMENT);
    CHECK(!cv_check_matrix_memory((void *)0x10040, 4096, 0, CV_MUL_OPTIMAL, CV_F16, 32, 32, 0, &e) &&
          e.id == CV_ERROR_MATRIX_ALIGNMENT);
    CHECK(!cv_check_matrix_memory(base, 4096, 128, CV_MUL_OPTIMAL, CV_F16, 32, 64, 0, &e) &&
          e.id == CV_ERROR_OUT_OF_BOUNDS);
    CHECK(!cv_check_matrix_memory(NULL, 4096, 0, CV_MUL_OPTIMAL, CV_F16, 32, 64, 0, &e) && e.id == CV_ERROR_ADDRESS);
    CHECK(!cv_check_matrix_memory(base, 4096, 0, CV_MUL_OPTIMAL, CV_PACKED_S8X32, 32, 64, 0, &e) &&
          e.id == CV_ERROR_MATRIX_INTERPRETATION);
    CHECK(cv_check_vector_memory(base, 128, 64, CV_F16, 32, &e));
    CHECK(!cv_check_vector_memory(base, 128, 32, CV_F16, 8, &e) && e.id == CV_ERROR_VECTOR_ALIGNMENT);
    CHECK(!cv_check_vector_memory(base, 128, 64, CV_F16, 33, &e) && e.id == CV_ERROR_OUT_OF_BOUNDS);
    CHECK(!cv_check_vector_memory(base, 120, 64, CV_F16, 8, &e) && e.id == CV_ERROR_ALLOCATION_SIZE);
}

TEST(errors_have_names_and_texts)
{
    for (int id = CV_ERROR_FIRST_ + 1; id < CV_ERROR_END_; id++) {
        CHECK(strncmp(cv_error_name(id), "CV_ERROR_", 9) == 0);
        CHECK(strlen(cv_error_text(id)) > 5);
    }
    CHECK_INT(CV_ERROR_FIRST_ + 1, 3000);
    CHECK_STR(cv_error_name(1), "");
    CHECK_STR(cv_error_text(0), "no error");
}

int main(void)
{
    RUN(numbers_are_those_of_the_enumeration);
    RUN(every_target_has_the_highest_tier);
    RUN(query_counts_first);
    RUN(query_refuses_short_lists_and_writes_nothing);
    RUN(minimum_support_set_is_listed_everywhere);
    RUN(optimal_layouts_are_as_documented);
    RUN(destination_query_gives_sizes_and_strides);
    RUN(any_layout_to_any_other_and_back_keeps_every_bit);
    RUN(errors_have_the_callers_line);
    RUN(narrowing_rounds_to_nearest_even_and_saturates);
    RUN(numbers_beyond_fp8);
    RUN(widening_and_back_keeps_every_bit);
    RUN(which_types_convert);
    RUN(valid_usage_has_an_error_a_line);
    RUN(sizes_addresses_and_shapes_are_checked);
    RUN(a_refused_descriptor_stops_all_of_a_call);
    RUN(memory_given_to_kernels_is_checked);
    RUN(errors_have_names_and_texts);
    return test_report();
}
