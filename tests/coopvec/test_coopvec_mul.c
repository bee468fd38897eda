/* Mul and MulAdd on a device, against the exact model: every interpretation of inputs and matrices, every bias and
 * output, every code of FP8, other subgroup sizes, with and without matrix instructions. Shapes, layouts and modes:
 * test_coopvec_shapes.c. */
#include "coopvec_items.h"

/* ---- the tests */

static const int inputs[] = {CV_F16, CV_F32, CV_I16, CV_U16, CV_I32, CV_U32};
static const int readings[] = {CV_I16,          CV_U16,          CV_I32, CV_U32, CV_F16,  CV_F32,
                               CV_PACKED_S8X32, CV_PACKED_U8X32, CV_U8,  CV_I8,  CV_E4M3, CV_E5M2};
static const int matrices[] = {CV_I16, CV_U16, CV_I32, CV_U32, CV_F16, CV_F32, CV_U8, CV_I8, CV_E4M3, CV_E5M2};

/* Each of the 620 pairs; biases (and none) and outputs take turns, so that each meets each kind of product many
 * times. In the sample each interpretation of the input meets each matrix from one input of six. */
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
                if (!packed && !test_takes(i + r + m, 6)) continue;
                model_product p = {inputs[i],
                                   readings[r],
                                   matrices[m],
                                   b == 10 ? 0 : matrices[b],
                                   inputs[(number + number / 10) % 6],
                                   1,
                                   packed ? 5 : 1,
                                   CV_MUL_OPTIMAL,
                                   false};
                add_item(p, UNIFORM);
            }
            if (item_count + 10 <= ITEMS_MAX && !(i == 5 && r == 11)) continue;
            snprintf(name, sizeof name, "pairs_%d", kernel++);
            run_items(name, 16, CM_AUTO);
        }
    run_items("pairs_last", 16, CM_AUTO);
    CHECK_INT(number, 620);
}

/* Each bias and each output with an integer and a float product; in the sample each bias has three outputs, and each
 * output five biases. */
TEST(every_bias_and_output)
{
    for (int b = 0; b < 10; b++)
        for (int o = 0; o < 6; o++) {
            if (!test_takes(b / 2 + o, 2)) continue;
            model_product p = {b % 2 ? CV_F32 : CV_I16,
                               b % 2 ? CV_F16 : CV_I8,
                               b % 2 ? CV_F16 : CV_I16,
                               matrices[b],
                               inputs[o],
                               1,
                               1,
                               CV_ROW_MAJOR,
                               false};
            add_item(p, UNIFORM);
        }
    run_items("biases", 16, CM_AUTO);
    for (int b = 0; b < 10; b++)
        for (int o = 0; o < 6; o++) {
            if (!test_takes(b / 2 + o + 1, 2)) continue;
            model_product p = {b % 2 ? CV_I32 : CV_F16,
                               b % 2 ? CV_U8 : CV_E4M3,
                               b % 2 ? CV_I8 : CV_E5M2,
                               matrices[b],
                               inputs[o],
                               1,
                               2,
                               CV_MUL_OPTIMAL,
                               false};
            add_item(p, UNIFORM);
        }
    run_items("biases_dpas", 16, CM_AUTO);
}

/* Instead of random numbers: every code of an 8-bit type, one per row, multiplied with ones. */
static void all_codes(item *t)
{
    t->codes = true;
    for (int r = 0; r < t->p.m; r++)
        memory[t->matrix + cv_element_offset(
                               (cv_layout)t->p.layout, (cv_type)t->p.matrix, (uint32_t)(t->p.transpose ? 1 : t->p.m), 0,
                               (uint32_t)(t->p.transpose ? 0 : r), (uint32_t)(t->p.transpose ? r : 0))] = (uint8_t)r;
    for (int i = 0; i < WORK_ITEMS; i++) model_put(t->p.input, memory + t->in + i * model_bytes(t->p.input), 1);
}

/* All 256 codes of both 8-bit floats as a matrix of one column: each becomes itself, NaN and infinity too. */
TEST(every_code_of_fp8)
{
    static const int types[] = {CV_E4M3, CV_E5M2}, sizes[] = {16, 8};
    for (int s = 0; s < 2; s++) {
        if (!has_subgroups_of(sizes[s])) continue;
        for (int i = 0; i < 4; i++)
            for (int how = UNIFORM; how <= BY_LANES; how += BY_LANES - UNIFORM) {
                if (how == BY_LANES && (s || i >= 2)) continue;
                if (s && !test_takes(i % 2 + i / 2, 2)) continue; /* one type as it is, the other transposed */
                model_product p = {CV_F16, CV_F16, types[i % 2], 0, CV_F32, 256, 1, CV_MUL_OPTIMAL, i >= 2};
                add_item(p, (mode)how);
                all_codes(&items[item_count - 1]);
            }
        run_items(s ? "codes_8" : "codes_16", sizes[s], CM_AUTO);
    }
}

/* Both FP8 types with each other, by the matrix instruction that has them. */
TEST(fp8_where_the_instruction_has_it)
{
    const bool soft = strcmp(device.target.name, "soft") == 0;
    if (!soft && strcmp(device.target.name, "cri") && strcmp(device.target.name, "nvl-p"))
        SKIP("the device has no products of FP8");
    if (soft) model_target = "cri";
    for (int i = 0; i < 8; i++) {
        model_product p = {i & 4 ? CV_F32 : CV_F16,
                           i & 1 ? CV_E5M2 : CV_E4M3,
                           i & 2 ? CV_E5M2 : CV_E4M3,
                           i == 3 ? CV_F16 : 0,
                           i & 1 ? CV_F32 : CV_F16,
                           5 + 7 * i,
                           10 + 13 * i,
                           CV_MUL_OPTIMAL,
                           i % 3 == 1};
        add_item(p, UNIFORM);
    }
    for (int i = 0; i < 2; i++) {
        model_product p = {CV_F16, CV_E5M2, i ? CV_E5M2 : CV_E4M3, 0, CV_F32, 256, 1, CV_MUL_OPTIMAL, false};
        add_item(p, UNIFORM);
        all_codes(&items[item_count - 1]);
    }
    run_items("fp8", 16, CM_AUTO);
    model_target = NULL;
}

/* Subgroup sizes 8 (other operands of the matrix instruction) and 32 (none), and the plain lowering. */
TEST(other_subgroup_sizes)
{
    static const struct {
        const char *name;
        int size;
        cm_lowering lowering;
    } rows[] = {{"size_8", 8, CM_AUTO}, {"size_32", 32, CM_AUTO}, {"plain", 16, CM_PLAIN}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        if (!has_subgroups_of(rows[r].size)) continue;
        for (int c = 0; c < 5; c++)
            for (int v = c % 2; v < 6; v += 3) add_item(variant(minimum[c], 9, 20, v), UNIFORM);
        run_items(rows[r].name, rows[r].size, rows[r].lowering);
    }
}

static void tests(void)
{
    RUN(every_interpretation_of_input_and_matrix);
    RUN(every_bias_and_output);
    RUN(every_code_of_fp8);
    RUN(fp8_where_the_instruction_has_it);
    RUN(other_subgroup_sizes);
}

int main(void) { return model_main(MEMORY, tests); }
