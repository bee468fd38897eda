/* test_coopmatrix_memory.c - loads and stores in every mode (transposed or not; unchecked, rows, columns, both
 * checked), in every use, of every type, on a set of shapes; borders; rows that overlap; atomic operations. Elements
 * excluded by a check must load as zero and must not be stored. */
#include "coopmatrix_cases.h"

/* A multiple of the subgroup, columns that divide nothing, one row, one column, more than the hardware's. */
static const int shapes[][2] = {{16, 4}, {4, 7}, {1, 17}, {16, 1}, {32, 3}};
enum { SHAPES = sizeof shapes / sizeof shapes[0], USES = 3, MODES = 8 };

/* Mode i of 8. The strides: contiguous, or with gaps in both directions. */
static mode mode_number(int i, int rows, int cols, bool gaps)
{
    mode m;
    memset(&m, 0, sizeof m);
    m.transposed = i % 2;
    m.cut = i / 2 % 4;
    if (gaps) {
        m.stride_row = 2;
        m.stride_col = 2 * (m.transposed ? cols : rows) + 1;
    }
    return m;
}

/* A load in each mode is paired with a store in another, so all eight of both occur for each type, use and shape; in
 * the sample, each pair of modes of each type is in one use, on one shape. */
static void add_copies(cm_type type, cm_use use)
{
    int shape, i;
    for (shape = 0; shape < SHAPES; shape++)
        for (i = 0; i < MODES; i++) {
            int rows = shapes[shape][0], cols = shapes[shape][1];
            op_case *t;
            if (!test_takes((int)type + SHAPES * (int)use + USES * shape + i, USES * SHAPES)) continue;
            t = add(&cases, COPY, 0, rows, cols, type, use);
            t->in = mode_number(i, rows, cols, (i + shape) % 2);
            t->out = mode_number(7 - i, rows, cols, (i / 2 + shape) % 2);
        }
}

TEST(loads_and_stores)
{
    int type, use;
    cases.count = 0;
    for (type = 0; type < ALL_TYPES; type++) {
        for (use = CM_ACC; use <= CM_B; use++) add_copies(all_types[type], (cm_use)use);
        run_full("memory", type == ALL_TYPES - 1);
    }
}

/* Rows of memory that overlap: where the pitch is less than a row, nothing says where rows end. */
TEST(overlapping_rows)
{
    static const cm_type types[] = {CM_F32, CM_F16, CM_I8};
    for (int type = 0; type < 3; type++) {
        char group[64];
        cases.count = 0;
        for (int transposed = 0; transposed < 2; transposed++) {
            op_case *t = add(&cases, COPY, 0, transposed ? 4 : 32, transposed ? 32 : 4, types[type], CM_ACC);
            t->in = mode_number(transposed, t->M, t->N, false);
            t->in.stride_row = 1;
            t->in.stride_col = 8;
        }
        snprintf(group, sizeof group, "overlapping_%s", cm_type_info(types[type])->name);
        run_group(group, "soft", 16, CM_AUTO, &cases);
    }
}

/* Borders: elements before and behind memory of half the matrix's extents, or of a single row or column. */
TEST(borders)
{
    static const cm_type types[] = {CM_F32, CM_F16, CM_I8, CM_C32};
    static const cm_use uses[] = {CM_ACC, CM_A, CM_ACC, CM_B};
    cases.count = 0;
    for (int type = 0; type < 4; type++)
        for (int shape = 0; shape < SHAPES; shape++)
            for (int border = CM_BORDER_CLAMP; border <= CM_BORDER_MIRROR; border++) {
                op_case *t = add(&cases, COPY, 0, shapes[shape][0], shapes[shape][1], types[type], uses[type]);
                t->in = mode_number((type + shape + border) % 2, t->M, t->N, shape % 2);
                t->in.border = (cm_border)border;
            }
    run_group("borders", "soft", 16, CM_AUTO, &cases);
}

static bool has_atomic(cm_type type, kind what)
{
    const cm_type_row *t = cm_type_info(type);
    if (t->kind == CM_KIND_COMPLEX) return what <= ATOMIC_ADD;
    if (type == CM_F16) return what >= ATOMIC_ADD;
    return t->bytes >= 4 && type != CM_TF32;
}

/* In the sample nearly any two of type, use, operation, shape and mode meet. */
static void add_atomics(cm_type type, cm_use use, kind what)
{
    int shape, i;
    for (shape = 0; shape < SHAPES; shape++)
        for (i = 0; i < MODES; i++) {
            op_case *t;
            if (!test_takes((int)type + (int)use + (int)what + shape + i, 17)) continue;
            t = add(&cases, what, 0, shapes[shape][0], shapes[shape][1], type, use);
            t->in = mode_number(i, t->M, t->N, false);
        }
}

static void add_atomics_of(cm_type type)
{
    int use, what;
    for (use = CM_ACC; use <= CM_B; use++)
        for (what = ATOMIC_LOAD; what <= ATOMIC_MAX; what++)
            if (has_atomic(type, (kind)what)) add_atomics(type, (cm_use)use, (kind)what);
}

/* f16 has a module of its own, because Intel's compiler refuses it. */
TEST(atomics)
{
    int type;
    cases.count = 0;
    for (type = 0; type < ALL_TYPES; type++) {
        if (all_types[type] != CM_F16) add_atomics_of(all_types[type]);
        run_full("atomics", type == ALL_TYPES - 1);
    }
    add_atomics_of(CM_F16);
    run_full("atomics", true);
}

/* ---- Subgroup barriers that keep Intel's compiler from moving 2D block messages to some of the lanes ---- */

/* In a kernel: stores `rows` x 4 elements by lanes, all but the last row if cut, then two matrices by block messages.
 * Returns how many barriers that takes. */
static int barriers_before_blocks(const char *target, int rows, bool cut)
{
    enum { OpControlBarrier = 224 };
    spe_module m;
    cm_ctx c;
    cm_matrix some, all;
    int count = 0;
    spe_begin(&m, NULL);
    spe_id f32 = spe_float(&m, 32), extent = spe_i32(&m, 16);
    spe_param params[1] = {{spe_ptr(&m, SPE_StorageClassCrossWorkgroup, f32), "p", false, false, 0}};
    spe_kernel k = {"barriers", 16, {16, 1, 1}, 0, params, 1, SPE_CONTRACT_ALLOWED};
    cm_mem narrow = {0}, wide = {.block2d = CM_BLOCK2D_YES};
    spe_kernel_begin(&m, &k);
    cm_begin(&c, &m, cm_target_row(target), CM_AUTO);
    narrow.ptr = wide.ptr = spe_param_id(&m, 0);
    narrow.stride_row = wide.stride_row = spe_i32(&m, 1);
    narrow.stride_col = wide.stride_col = extent;
    if (cut) narrow.rows = spe_i32(&m, rows - 1);
    some = cm_splat(&c, rows, 4, CM_F32, CM_ACC, spe_const_f(&m, f32, 1));
    all = cm_splat(&c, 16, 8, CM_F32, CM_ACC, spe_const_f(&m, f32, 2));
    cm_store(&c, &some, &narrow);
    for (int i = 0; i < 2; i++) cm_store(&c, &all, &wide);
    spe_kernel_end(&m);
    spe_words words = spe_finish(&m);
    CHECK_MSG(words.data != NULL, "%s", spe_get_error(&m)->text);
    for (size_t i = 5; words.data && i < words.count; i += words.data[i] >> 16)
        count += (words.data[i] & 0xffff) == OpControlBarrier;
    spe_free(&m);
    return count;
}

TEST(barriers_before_block_messages)
{
    CHECK_INT(barriers_before_blocks("bmg", 16, true), 1);
    CHECK_INT(barriers_before_blocks("bmg", 2, false), 1); /* 8 elements in 16 lanes */
    CHECK_INT(barriers_before_blocks("pvc", 16, false), 0);
    CHECK_INT(barriers_before_blocks("soft", 16, true), 0);
}

int main(void)
{
    cases_test = "test_coopmatrix";
    have_device = zed_open(&device, NULL);
    if (!have_device) printf("no device: %s\n", zed_get_error(&device)->text);
    RUN(loads_and_stores);
    RUN(overlapping_rows);
    RUN(borders);
    RUN(atomics);
    RUN(barriers_before_block_messages);
    zed_close(&device);
    return test_report();
}
