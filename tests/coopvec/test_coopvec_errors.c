/* Errors of coopvec.h in kernels: each has its own id, with both values and the user's line; all that is listed as
 * supported is accepted, and everything else refused; modules are valid for every target, and builds are reproducible
 * byte by byte. No device. */
#include "coopvec.h"
#include "xetile.h"
#include "test.h"

/* ---- errors: a body that is wrong, the id, and both values as the message has them, at its line */

static int marked;

static void expect_bad(const cv_kernel *kernel, int id, const char *part)
{
    cv_module mod = CV_BUILD(*kernel, &(cv_target){.name = "bmg"});
    CHECK_MSG(mod.error->id == id, "%s: %s (%d), want %s", kernel->name, mod.error->text, mod.error->id,
              cv_error_name(id));
    CHECK(mod.words == NULL);
    CHECK_STR(mod.error->name, cv_error_name(id));
    CHECK_HAS(mod.error->text, cv_error_text(id));
    CHECK_HAS(mod.error->text, part);
    CHECK_HAS(mod.error->file, "test_coopvec_errors.c");
    CHECK_MSG(abs(mod.error->line - marked) < 5, "line %d, want %d", mod.error->line, marked);
    cv_free(&mod);
    cv_free(&mod);
}

#define BAD(name, id, part, ...)                                                                                       \
    CV_KERNEL (kernel_##name, ptr(f16, w), u32(n))                                                                     \
    {                                                                                                                  \
        cv_vec x = CV_SPLAT(f16, 16, 1), h = CV_SPLAT(f16, 4, 1), f = CV_SPLAT(f32, 4, 1);                             \
        (void)w, (void)n, (void)x, (void)h, (void)f;                                                                   \
        marked = __LINE__;                                                                                             \
        __VA_ARGS__                                                                                                    \
    }                                                                                                                  \
    TEST(name) { expect_bad(&kernel_##name, CV_ERROR_##id, part); }

#define REF(...) CV_MATRIX_REF(w, f16, __VA_ARGS__)

/* matrices and products */
BAD(stride_of_an_optimal_layout, STRIDE_NOT_ZERO, "mul-optimal, stride 64",
    CV_MUL(f16, REF(8, 16, .layout = CV_MUL_OPTIMAL, .stride = CV_AT(64)), x);)
BAD(stride_less_than_a_row, STRIDE, "16, the length is 32", CV_MUL(f16, REF(8, 16, .stride = CV_AT(16)), x);)
BAD(stride_of_no_multiple, STRIDE_MULTIPLE, "40", CV_MUL(f16, REF(8, 16, .stride = CV_AT(40)), x);)
BAD(stride_less_than_a_column, STRIDE, "8, the length is 16",
    CV_MUL(f16, REF(8, 16, .layout = CV_COLUMN_MAJOR, .stride = CV_AT(8)), x);)
BAD(transposed_row_major, TRANSPOSE, "row-major", CV_MUL(f16, REF(8, 16, .transpose = true), x);)
BAD(transposed_column_major, TRANSPOSE, "column-major",
    CV_MUL(f16, REF(8, 16, .layout = CV_COLUMN_MAJOR, .transpose = true), x);)
BAD(e4m3_row_major, FP8_LAYOUT, "e4m3 in row-major", CV_MUL(f16, CV_MATRIX_REF(w, e4m3, 8, 16), x);)
BAD(e5m2_column_major, FP8_LAYOUT, "e5m2 in column-major",
    CV_MUL(f16, CV_MATRIX_REF(w, e5m2, 8, 16, .layout = CV_COLUMN_MAJOR), x);)
BAD(matrix_alignment, MATRIX_ALIGNMENT, "offset 64", CV_MUL(f16, REF(8, 16, .offset = CV_AT(64)), x);)
BAD(packed_matrix, MATRIX_INTERPRETATION, "packed_s8x32", CV_MUL(f16, CV_MATRIX_REF(w, packed_s8x32, 8, 16), x);)
BAD(input_longer_than_k, INPUT_LENGTH, "16 elements of f16, K is 17", CV_MUL(f16, REF(8, 17), x);)
BAD(output_type, OUTPUT_TYPE, "i8", CV_MUL(i8, REF(8, 16), x);)
BAD(packed_of_f16, INPUT_INTERPRETATION, "f16 as packed_s8x32", CV_MUL(f16, REF(8, 16), CV_INTERPRET(x, packed_s8x32));)
BAD(packed_of_i32, INPUT_INTERPRETATION, "i32 as packed_u8x32",
    CV_MUL(f16, REF(8, 16), CV_INTERPRET(CV_SPLAT(i32, 4, 1), packed_u8x32));)
BAD(no_rows, SHAPE, "M 0, K 16", CV_MUL(f16, REF(0, 16), x);)
BAD(no_layout, LAYOUT, "got 4", CV_MUL(f16, REF(8, 16, .layout = (cv_layout)4), x);)
BAD(bias_alignment, VECTOR_ALIGNMENT, "offset 32",
    CV_MUL_ADD(f16, REF(8, 16), x, CV_VECTOR_REF(w, f16, .offset = CV_AT(32)));)
BAD(packed_bias, BIAS_INTERPRETATION, "packed_u8x32", CV_MUL_ADD(f16, REF(8, 16), x, CV_VECTOR_REF(w, packed_u8x32));)
BAD(matrix_of_a_number, POINTER, "the matrix is u32", CV_MUL(f16, CV_MATRIX_REF(n, f16, 8, 16), x);)
BAD(packed_input_length, INPUT_LENGTH, "K is 64, which takes 16",
    CV_MUL(f16, REF(8, 64), CV_INTERPRET(CV_SPLAT(u32, 15, 0), packed_u8x32));)
BAD(vector_never_set, UNSET, "a vector", CV_MUL(f16, REF(8, 16), (cv_vec){0});)
BAD(stride_of_an_optimal_layout_at_launch, STRIDE_NOT_ZERO, "stride u32",
    CV_MUL(f16, REF(8, 16, .layout = CV_MUL_OPTIMAL, .stride = n), x);)
BAD(offset_of_a_fraction, INDEX, "the offset is 1.5", CV_MUL(f16, REF(8, 16, .offset = CV_AT(1.5)), x);)

/* vectors and numbers */
BAD(outer_product_layout, OUTER_PRODUCT_LAYOUT, "row-major", CV_OUTER_PRODUCT_ACCUMULATE(h, h, REF(4, 4));)
BAD(outer_product_vectors, VEC_TYPE, "f16 and f32",
    CV_OUTER_PRODUCT_ACCUMULATE(h, f, REF(4, 4, .layout = CV_OUTER_PRODUCT_OPTIMAL));)
BAD(outer_product_types, ACCUMULATE_TYPES, "f32 into f16",
    CV_OUTER_PRODUCT_ACCUMULATE(f, f, REF(4, 4, .layout = CV_OUTER_PRODUCT_OPTIMAL));)
BAD(outer_product_shape, INPUT_LENGTH, "4 and 4, a matrix of 4 x 5",
    CV_OUTER_PRODUCT_ACCUMULATE(h, h, REF(4, 5, .layout = CV_OUTER_PRODUCT_OPTIMAL));)
BAD(outer_product_transposed, TRANSPOSE, "outer product",
    CV_OUTER_PRODUCT_ACCUMULATE(h, h, REF(4, 4, .layout = CV_OUTER_PRODUCT_OPTIMAL, .transpose = true));)
BAD(outer_product_stride, STRIDE_NOT_ZERO, "outer-product-optimal, stride 64",
    CV_OUTER_PRODUCT_ACCUMULATE(h, h, REF(4, 4, .layout = CV_OUTER_PRODUCT_OPTIMAL, .stride = CV_AT(64)));)
BAD(outer_product_alignment, MATRIX_ALIGNMENT, "offset 64",
    CV_OUTER_PRODUCT_ACCUMULATE(h, h, REF(4, 4, .layout = CV_OUTER_PRODUCT_OPTIMAL, .offset = CV_AT(64)));)
BAD(outer_product_packed, MATRIX_INTERPRETATION, "packed_s8x32",
    CV_OUTER_PRODUCT_ACCUMULATE(h, h, CV_MATRIX_REF(w, packed_s8x32, 4, 4, .layout = CV_OUTER_PRODUCT_OPTIMAL));)
BAD(accumulated_alignment, VECTOR_ALIGNMENT, "offset 32",
    CV_VECTOR_ACCUMULATE(h, CV_VECTOR_REF(w, f16, .offset = CV_AT(32)));)
BAD(accumulated_type, ACCUMULATE_TYPES, "vector of f32 into f16", CV_VECTOR_ACCUMULATE(f, CV_VECTOR_REF(w, f16));)
BAD(vectors_of_two_types, VEC_TYPE, "f16 and f32", CV_ADD(h, f);)
BAD(vectors_of_two_lengths, VEC_SHAPE, "4 elements and 5", CV_ADD(h, CV_SPLAT(f16, 5, 1));)
BAD(element_behind_the_last, ELEMENT, "4 of a vector of 4", CV_ELEMENT(h, 4);)
BAD(slice_behind_the_end, ELEMENT, "2 to 4", CV_SLICE(h, 2, 3);)
BAD(splat_of_e4m3, VECTOR_TYPE, "e4m3", CV_SPLAT(e4m3, 4, 1);)
BAD(empty_vector, VECTOR_LENGTH, "0", CV_SPLAT(f16, 0, 1);)
BAD(vector_too_long, VECTOR_LENGTH, "1025", CV_SPLAT(f16, 1025, 1);)
BAD(concat_of_two_types, VEC_TYPE, "f16 and f32", CV_CONCAT(h, f);)
BAD(remainder_of_floats, OPERATION, "CV_MOD on a vector of f16", CV_MOD(h, h);)
BAD(exponential_of_integers, OPERATION, "CV_EXP on a vector of i32", CV_EXP(CV_SPLAT(i32, 4, 1));)
BAD(load_from_a_number, POINTER, "u32", CV_LOAD(n, 4, 0);)
BAD(store_of_another_type, STORE_TYPE, "f32 to a ptr<f16>", CV_STORE(f, w, 0);)
BAD(number_and_fraction, SCALAR_TYPE, "1.5 where u32", CV_ADD(n, 1.5);)
BAD(number_out_of_range, SCALAR_RANGE, "40000 as i16", CV_ADD(CV_CAST(i16, n), 40000);)
BAD(condition_is_a_number, CONDITION, "u32", CV_IF (n) (void)0;)
BAD(loop_step_of_0, LOOP_STEP, "0", CV_FOR (k, 0, 4, 0) (void)0;)
BAD(while_of_a_number, CONDITION, "CV_WHILE got u32", CV_WHILE (n) (void)0;)
BAD(while_without_a_body, EMPTY, "CV_WHILE", CV_WHILE (CV_LT(CV_ELEMENT(h, 0), 1), &h) (void)0;)
BAD(mask_of_another_length, VEC_SHAPE, "a mask of 16 elements and vectors of 4", CV_SELECT(CV_GT(x, 0), h, 1);)
BAD(selection_by_numbers, CONDITION, "a vector of f16", CV_SELECT(h, h, 1);)
BAD(selection_of_two_types, VEC_TYPE, "f16 and f32", CV_SELECT(CV_GT(h, 0), h, f);)
BAD(mask_is_stored, STORE_TYPE, "condition to a ptr<f16>; CV_SELECT converts it", CV_STORE(CV_GT(h, 0), w, 0);)
BAD(mask_is_cast, SCALAR_TYPE, "a mask to f16", CV_CAST(f16, CV_GT(h, 0));)
BAD(mask_is_multiplied, OPERATION, "CV_MUL on a vector of condition", CV_MUL(CV_GT(h, 0), CV_LT(h, 0));)
BAD(mask_is_an_input, INPUT_INTERPRETATION, "condition", CV_MUL(f16, REF(8, 16), CV_GT(x, 0));)
BAD(carried_type_changes, CARRIED_TYPE, "was f16, 4, and is f32, 4", CV_FOR (k, 0, 4, 1, &h) h = f;)
BAD(loop_left_by_break, UNCLOSED, "CV_FOR", CV_FOR (k, 0, 4, 1) break;)
BAD(carried_is_something_else, CARRIED, "number 1", int number = 7; CV_FOR (k, 0, 4, 1, &number) (void)0;)
BAD(element_at_launch, ELEMENT, "u32 of a vector of 4", CV_SET_ELEMENT(h, n, 1);)
BAD(index_is_floating, INDEX, "the index is f32", CV_LOAD(w, 4, CV_CAST(f32, n));)

/* A stride known only at launch is not checked. */
CV_KERNEL (stride_of_the_launch, ptr(f16, w), u32(n)) { CV_MUL(f16, REF(8, 16, .stride = n), CV_SPLAT(f16, 16, 1)); }
TEST(a_stride_of_the_launch)
{
    cv_module mod = CV_BUILD(stride_of_the_launch, &(cv_target){.name = "bmg"});
    CHECK_MSG(mod.words != NULL, "%s", mod.error->text);
    cv_free(&mod);
}

/* The compiler may take 256 registers where it would spill, if the work-group fits with them. */
TEST(registers_are_left_to_the_compiler)
{
    static const struct {
        const char *target;
        int items;
        int registers;
        const char *flags;
    } cases[] = {{"bmg", 0, 0, "-ze-intel-enable-auto-large-GRF-mode"},
                 {"bmg", 512, 0, "-ze-intel-enable-auto-large-GRF-mode"},
                 {"bmg", 512, 128, ""},
                 {"bmg", 528, 0, ""},
                 {"bmg", 0, 256, "-ze-opt-large-register-file"},
                 {"mtl", 0, 0, "-ze-opt-large-register-file"},
                 {"mtl", 0, 128, ""},
                 {"soft", 0, 0, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cv_module mod = CV_BUILD(stride_of_the_launch, &(cv_target){.name = cases[i].target},
                                 .local_size = cases[i].items, .registers = cases[i].registers);
        CHECK_MSG(mod.words != NULL, "%s", mod.error->text);
        CHECK_STR(mod.build_flags, cases[i].flags);
        cv_free(&mod);
    }
}

CV_KERNEL (promised, ptr(f16, w))
{
    CV_STORE(CV_MUL(f16, CV_MATRIX_REF(w, f16, 16, 16, .uniform = CV_UNIFORM_YES), CV_LOAD(w, 16, 0)), w, 0);
}

static int build_error(const cv_kernel *kernel, cv_build_desc d, const char *part)
{
    int id;
    d.kernel = kernel;
    d.file = __FILE__;
    d.line = __LINE__;
    cv_module mod = cv_build(&d);
    id = mod.error->id;
    if (id) CHECK_HAS(mod.error->text, part);
    cv_free(&mod);
    return id;
}

TEST(builds_that_are_refused)
{
    const cv_target bmg = {.name = "bmg"}, none = {.name = "gpu"};
    cv_kernel broken = promised;
    CHECK_INT(build_error(&promised, (cv_build_desc){.target = &bmg}, ""), 0);
    CHECK_INT(build_error(&promised, (cv_build_desc){.target = &none}, "gpu"), CV_ERROR_TARGET);
    CHECK_INT(build_error(&promised, (cv_build_desc){0}, "(none)"), CV_ERROR_TARGET);
    CHECK_INT(build_error(&promised, (cv_build_desc){.target = &bmg, .subgroup_size = 8}, "wanted 8, bmg has"),
              CV_ERROR_SUBGROUP_SIZE);
    CHECK_INT(
        build_error(&promised, (cv_build_desc){.target = &bmg, .local_size = 2048}, "2048 work-items, bmg takes 1024"),
        CV_ERROR_GROUP_SIZE);
    CHECK_INT(build_error(&promised, (cv_build_desc){.target = &bmg, .local_size = 24}, "work-groups of 24"),
              CV_ERROR_UNIFORM);
    CHECK_INT(build_error(&promised, (cv_build_desc){.target = &bmg, .subgroups = 65}, "1040 work-items, bmg"),
              CV_ERROR_GROUP_SIZE);
    CHECK_INT(build_error(&promised, (cv_build_desc){.target = &bmg, .subgroups = 2, .local_size = 48}, "size is 48"),
              CV_ERROR_GROUP_SIZE);
    CHECK_INT(build_error(&promised, (cv_build_desc){.target = &bmg, .registers = 64}, "64, wanted 128 or 256"),
              CV_ERROR_REGISTERS);
    for (int i = 0; i < 2; i++) {
        int line = __LINE__ + 1;
        cv_module mod = CV_BUILD(promised, &bmg, .version = i ? 0 : SPE_VERSION(2, 0), .lowering = i ? 77 : 0);
        CHECK_STR(mod.error->name, i ? "CM_ERROR_LOWERING" : "SPE_ERR_OPTION");
        CHECK_MSG(mod.error->file && strcmp(mod.error->file, __FILE__) == 0 && mod.error->line == line, "line %d",
                  mod.error->line);
        cv_free(&mod);
    }
    broken.params = "ptr<f17> w";
    CHECK_INT(build_error(&broken, (cv_build_desc){.target = &bmg}, "ptr<f17> w"), CV_ERROR_PARAMETER_TEXT);
    broken.params = "e4m3 w";
    CHECK_INT(build_error(&broken, (cv_build_desc){.target = &bmg}, "e4m3 w"), CV_ERROR_PARAMETER_TEXT);
}

/* Does the text mean the same in both headers? Their prefixes differ, and what can be carried. */
static bool is_same_text(const char *ours, const char *theirs)
{
    for (; *ours || *theirs; ours++, theirs++) {
        bool prefix = strncmp(ours, "cv_", 3) == 0 || strncmp(ours, "CV_", 3) == 0;
        if (prefix && strlen(theirs) > 3) ours += 3, theirs += 3;
        if (*ours != *theirs) return false;
    }
    return true;
}

TEST(a_mistake_has_one_name_in_both_headers)
{
    int same = 0;
    for (int id = CV_ERROR_FIRST_ + 1; id < CV_ERROR_END_; id++)
        for (int other = XT_ERROR_FIRST_ + 1; other < XT_ERROR_END_; other++) {
            const char *name = cv_error_name(id) + 3, *text = cv_error_text(id);
            bool names = strcmp(name, xt_error_name(other) + 3) == 0, texts = is_same_text(text, xt_error_text(other));
            bool own = id == CV_ERROR_CARRIED || id == CV_ERROR_CARRIED_TYPE || id == CV_ERROR_VEC_SHAPE ||
                       id == CV_ERROR_STORE_TYPE; /* values of their own: vectors have no second dimension, no tiles */
            CHECK_MSG(names == texts || own, "%s: %s; %s: %s", cv_error_name(id), text, xt_error_name(other),
                      xt_error_text(other));
            same += names;
        }
    CHECK_MSG(same >= 21, "%d", same);
}

/* ---- listed combinations are accepted, others refused: every combination of the numbers 0 to 24 */

static cv_properties_mul row;

static void listed_body(CV_CONTEXT)
{
    cv_val w = CV_SELF->args[0];
    bool packed = row.input_type == CV_PACKED_S8X32 || row.input_type == CV_PACKED_U8X32;
    cv_type vector = packed ? CV_U32 : row.input_type;
    int as = !packed                                                                  ? (int)row.input_interpretation
             : row.input_interpretation == CV_I8 && row.input_type == CV_PACKED_S8X32 ? CV_PACKED_S8X32
             : row.input_interpretation == CV_U8 && row.input_type == CV_PACKED_U8X32 ? CV_PACKED_U8X32
                                                                                      : CV_INVALID;
    cv_interpreted_vector x = {cv_splat_(CV_HERE_, vector, 1, CV_AT(1)), as};
    cv_matrix_ref a = {.base = w,
                       .interpretation = row.matrix_interpretation,
                       .rows = 1,
                       .cols = 1,
                       .layout = CV_MUL_OPTIMAL,
                       .transpose = row.transpose_supported};
    cv_vector_ref b = {.base = w, .interpretation = row.bias_interpretation};
    a = cv_matrix_ref_(CV_HERE_, a);
    b = cv_vector_ref_(CV_HERE_, b);
    cv_mul_add(CV_HERE_, row.output_type, &a, &x, &b);
}

static bool is_taken(const cv_target *target)
{
    cv_kernel kernel = {"listed", "ptr<u8> w", __FILE__, __LINE__, listed_body};
    cv_module mod = cv_build(&(cv_build_desc){.kernel = &kernel, .file = __FILE__, .line = __LINE__, .target = target});
    bool taken = mod.words != NULL;
    if (!taken)
        CHECK_MSG(mod.error->id >= 3000 && mod.error->id < 4000, "refused by another header: %s", mod.error->text);
    cv_free(&mod);
    return taken;
}

/* Two of the five types vary over all numbers, the others over a few valid ones. */
TEST(listed_is_taken_and_the_rest_is_refused)
{
    static const cv_type good[][5] = {{CV_F16, CV_F16, CV_F16, CV_F16, CV_F16},
                                      {CV_PACKED_S8X32, CV_I8, CV_I8, CV_I32, CV_I32},
                                      {CV_U32, CV_PACKED_U8X32, CV_E5M2, CV_U16, CV_F32}};
    const cv_target target = {.name = "generic"};
    int listed = 0, refused = 0;
    for (int g = 0; g < 3; g++)
        for (int i = 0; i < 5; i++)
            for (int j = i + 1; j < 5; j++)
                for (int a = 0; a < 25; a++)
                    for (int b = 0; b < 25; b++) {
                        cv_type t[5];
                        bool want;
                        memcpy(t, good[g], sizeof t);
                        t[i] = (cv_type)a;
                        t[j] = (cv_type)b;
                        row = (cv_properties_mul){t[0], t[1], t[2], t[3], t[4], true};
                        want = cv_supports_mul(t[0], t[1], t[2], t[3], t[4]);
                        listed += want;
                        refused += !want;
                        CHECK_MSG(is_taken(&target) == want, "%d as %d, matrix %d, bias %d, to %d", (int)t[0],
                                  (int)t[1], (int)t[2], (int)t[3], (int)t[4]);
                    }
    CHECK(listed > 500 && refused > 5000);
}

/* The query's list, one kernel per row. */
TEST(every_listed_row_is_taken)
{
    const cv_target target = {.name = "generic"};
    cv_feature_data d = {0};
    cv_properties_mul *rows;
    CHECK_INT(cv_check_feature_support(cm_target_row("generic"), &d), CV_S_OK);
    rows = malloc(d.matrix_vector_mul_add_prop_count * sizeof *rows);
    d.matrix_vector_mul_add_properties = rows;
    CHECK_INT(cv_check_feature_support(cm_target_row("generic"), &d), CV_S_OK);
    CHECK(d.matrix_vector_mul_add_prop_count > 1000);
    for (uint32_t i = 0; i < d.matrix_vector_mul_add_prop_count; i++) {
        row = rows[i];
        CHECK_MSG(is_taken(&target), "row %u: %d as %d, matrix %d, bias %d, to %d", (unsigned)i, (int)row.input_type,
                  (int)row.input_interpretation, (int)row.matrix_interpretation, (int)row.bias_interpretation,
                  (int)row.output_type);
    }
    free(rows);
}

/* ---- modules */

CV_KERNEL (everything, ptr(f16, w), ptr(f32, g), ptr(u32, p), u32(n), f32(rate))
{
    cv_val i = CV_GLOBAL_ID();
    cv_vec x = CV_LOAD(w, 20, CV_MUL(i, 20)), y = CV_LOAD(g, 17, i, .stride = CV_AT(n)), z, q;
    cv_matrix_ref a = CV_MATRIX_REF(w, f16, 17, 20, .layout = CV_MUL_OPTIMAL, .offset = CV_AT(1024));
    cv_matrix_ref t = CV_MATRIX_REF(w, f16, 20, 17, .layout = CV_MUL_OPTIMAL, .offset = CV_AT(1024), .transpose = true);
    cv_matrix_ref d = CV_MATRIX_REF(g, f32, 17, 20, .layout = CV_OUTER_PRODUCT_OPTIMAL);
    cv_val sum = CV_AT(0.0);
    z = CV_MUL_ADD(f32, a, x, CV_VECTOR_REF(w, f16, .offset = CV_AT(64)));
    z = CV_ADD(CV_SIGMOID(z), CV_GELU(CV_SUB(z, y)));
    z = CV_LEAKY_RELU(CV_CLAMP(CV_FMA(z, y, 0.5), -1, 2.0), 0.01);
    CV_FOR (k, 0, 3, 1, &z, &sum) {
        z = CV_TANH(CV_MUL(z, rate));
        sum = CV_ADD(sum, CV_ELEMENT(z, k));
    }
    CV_IF (CV_LT(sum, rate), &z) z = CV_MAX(z, sum); CV_ELSE z = CV_SET_ELEMENT(z, 3, 1);
    x = CV_CONCAT(CV_SLICE(CV_MUL(f16, t, CV_CAST(f16, z)), 0, 12), CV_SLICE(x, 3, 8));
    CV_OUTER_PRODUCT_ACCUMULATE(z, CV_CAST(f32, x), d);
    CV_VECTOR_ACCUMULATE(z, CV_VECTOR_REF(g, f32, .offset = CV_AT(1 << 16)));
    q = CV_MUL(u32, CV_MATRIX_REF(p, u8, 5, 64, .stride = CV_AT(64), .offset = CV_MUL(CV_AND(i, 1), 128)),
               CV_INTERPRET(CV_LOAD(p, 16, 0), packed_u8x32));
    CV_STORE(q, p, CV_MUL(i, 5));
    CV_STORE(CV_VEC(f32, sum, CV_SELECT(CV_GT(sum, 0.0), sum, rate), 1), g, 0);
    CV_BARRIER();
}

TEST(modules_are_valid_and_the_same_every_time)
{
    static const char *const names[] = {"pvc", "bmg", "dg2", "generic", "soft"};
    for (int i = 0; i < 5; i++) {
        char file[64];
        cv_module a = CV_BUILD(everything, &(cv_target){.name = names[i]}),
                  b = CV_BUILD(everything, &(cv_target){.name = names[i]});
        CHECK_MSG(a.words && b.words, "%s: line %d: %s", names[i], a.error->line, a.error->text);
        if (a.words && b.words) CHECK(a.size == b.size && memcmp(a.words, b.words, a.size) == 0);
        snprintf(file, sizeof file, "coopvec_everything_%s", names[i]);
        test_save_spv(file, a.words, a.size);
        cv_free(&a);
        cv_free(&b);
    }
}

static void run_matrices(void)
{
    RUN(stride_of_an_optimal_layout);
    RUN(stride_less_than_a_row);
    RUN(stride_of_no_multiple);
    RUN(stride_less_than_a_column);
    RUN(transposed_row_major);
    RUN(transposed_column_major);
    RUN(e4m3_row_major);
    RUN(e5m2_column_major);
    RUN(matrix_alignment);
    RUN(packed_matrix);
    RUN(input_longer_than_k);
    RUN(output_type);
    RUN(packed_of_f16);
    RUN(packed_of_i32);
    RUN(no_rows);
    RUN(no_layout);
    RUN(bias_alignment);
    RUN(packed_bias);
    RUN(matrix_of_a_number);
    RUN(packed_input_length);
    RUN(vector_never_set);
    RUN(stride_of_an_optimal_layout_at_launch);
    RUN(offset_of_a_fraction);
    RUN(outer_product_layout);
    RUN(outer_product_vectors);
    RUN(outer_product_types);
    RUN(outer_product_shape);
    RUN(outer_product_transposed);
    RUN(outer_product_stride);
    RUN(outer_product_alignment);
    RUN(outer_product_packed);
    RUN(accumulated_alignment);
    RUN(accumulated_type);
}

static void run_vectors_and_regions(void)
{
    RUN(vectors_of_two_types);
    RUN(vectors_of_two_lengths);
    RUN(element_behind_the_last);
    RUN(slice_behind_the_end);
    RUN(splat_of_e4m3);
    RUN(empty_vector);
    RUN(vector_too_long);
    RUN(concat_of_two_types);
    RUN(remainder_of_floats);
    RUN(exponential_of_integers);
    RUN(load_from_a_number);
    RUN(store_of_another_type);
    RUN(number_and_fraction);
    RUN(number_out_of_range);
    RUN(condition_is_a_number);
    RUN(loop_step_of_0);
    RUN(while_of_a_number);
    RUN(while_without_a_body);
    RUN(mask_of_another_length);
    RUN(selection_by_numbers);
    RUN(selection_of_two_types);
    RUN(mask_is_stored);
    RUN(mask_is_cast);
    RUN(mask_is_multiplied);
    RUN(mask_is_an_input);
    RUN(carried_type_changes);
    RUN(loop_left_by_break);
    RUN(carried_is_something_else);
    RUN(element_at_launch);
    RUN(index_is_floating);
    RUN(a_stride_of_the_launch);
}

static void run_builds(void)
{
    RUN(registers_are_left_to_the_compiler);
    RUN(builds_that_are_refused);
    RUN(a_mistake_has_one_name_in_both_headers);
    RUN(listed_is_taken_and_the_rest_is_refused);
    RUN(every_listed_row_is_taken);
    RUN(modules_are_valid_and_the_same_every_time);
}

int main(void)
{
    run_matrices();
    run_vectors_and_regions();
    run_builds();
    return test_report();
}
