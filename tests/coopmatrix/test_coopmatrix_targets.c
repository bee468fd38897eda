/* test_coopmatrix_targets.c - one set of operations in the lowering of every target, on the software device: matrix
 * instructions and 2D block messages (pvc, bmg, lnl, ptl, soft; dg2 without blocks), plain (tgl, generic; all others on
 * request), matrices of SPV_KHR_cooperative_matrix. All must match the same reference, and so have the same results.
 * The modules are saved, and tests/intel/test_intel_coopmatrix.sh compiles them with Intel's compiler. */
#include "coopmatrix_cases.h"

enum { OPERATIONS = 1, PLAIN_ONES = 2, BLOCKS = 4 };
static const struct {
    const char *name;
    int S;
    int sample; /* what is in the sample: as bmg are lnl and ptl, which have the plain lowering there */
} targets[] = {
    {"pvc", 16, OPERATIONS | BLOCKS}, {"bmg", 16, OPERATIONS | BLOCKS}, {"lnl", 16, PLAIN_ONES},
    {"ptl", 16, PLAIN_ONES},          {"dg2", 8, OPERATIONS},           {"tgl", 8, OPERATIONS},
    {"generic", 16, OPERATIONS},      {"soft", 16, OPERATIONS | BLOCKS}};
enum { TARGETS = sizeof targets / sizeof targets[0] };

static const cm_type some_types[] = {CM_F32, CM_F16, CM_BF16, CM_I8, CM_I32, CM_F64, CM_C32, CM_E4M3};

static void add_product(int M, int N, int K, cm_type a, cm_type b, cm_type c, cm_type d)
{
    op_case *t = add(&cases, PRODUCT, 0, M, N, a, CM_ACC);
    t->K = K;
    t->b = b;
    t->c = c;
    t->d = d;
}

/* In the sample, keeps one of four cases, which depends on `turn`, and lets kernels begin anew. */
static void keep_some(int turn)
{
    int i, kept = 0;
    for (i = 0; i < cases.count; i++) {
        if (!test_takes(i + turn, 4)) continue;
        cases.list[kept] = cases.list[i];
        cases.list[kept].opens = kept % KERNEL_CASES == 0;
        kept++;
    }
    cases.count = kept;
}

/* Every operation, on a few types and both larger and smaller matrices than the hardware's. In the sample each but
 * the products is on one or two of eight targets. */
static void every_operation(int turn)
{
    static const cm_op ops[] = {CM_ADD, CM_MUL, CM_DIV, CM_MAX};
    int i, n;
    cases.count = 0;
    for (i = 0; i < 8; i++) {
        cm_type type = some_types[i];
        cm_use use = (cm_use)(i % 3);
        bool complex_type = cm_is_complex(type), is_int = cm_type_info(type)->kind == CM_KIND_INT;
        op_case *t = add(&cases, COPY, 1 + i % 4, 32, 5, type, use);
        t->in.cut = t->out.cut = i % 4;
        for (n = 0; n < (complex_type ? 3 : 4); n++) add(&cases, BINARY, ops[n], n % 2 ? 4 : 16, 3, type, use);
        add(&cases, UNARY, is_int ? CM_ABS : CM_EXP, 16, 3, type, use);
        if (is_int) add(&cases, BINARY, CM_XOR, 16, 3, type, use);
        t = add(&cases, REDUCE, CM_ADD, 16, 5, type, use);
        t->by = (cm_direction)(i % 2);
        *(i % 2 ? &t->rows : &t->cols) = 1;
        add(&cases, SCALE, 0, 32, 2, type, use);
        add(&cases, SPLAT, 0, 8, 2, type, use);
        add(&cases, USE, 0, 16, 4, type, CM_ACC)->use_d = CM_A;
        add(&cases, USE, 0, 32, 4, type, CM_ACC)->use_d = CM_B;
        add(&cases, CONVERT, 0, 16, 4, type, use)->d = complex_type ? CM_C64 : type == CM_F32 ? CM_F16 : CM_F32;
        if (!complex_type) {
            add(&cases, APPLY, 0, 16, 4, type, use);
            add(&cases, INSERT, 0, 16, 4, type, use);
        }
        t = add(&cases, TRANSPOSE, 0, 16, 4, type, use);
        t->rows = 4, t->cols = 16;
        if (cm_type_info(type)->bytes >= 4) {
            add(&cases, ATOMIC_ADD, 0, 16, 3, type, use)->in.cut = 3;
            add(&cases, ATOMIC_STORE, 0, 4, 3, type, use);
        }
    }
    keep_some(turn);
    add_product(16, 3, 32, CM_F16, CM_F16, CM_F32, CM_F32);
    add_product(32, 2, 16, CM_BF16, CM_BF16, CM_F32, CM_BF16);
    add_product(16, 9, 32, CM_I8, CM_I8, CM_I32, CM_I32);
    add_product(32, 1, 32, CM_U8, CM_I8, CM_I32, CM_I32);
    add_product(16, 3, 16, CM_TF32, CM_TF32, CM_F32, CM_F32);
    add_product(16, 3, 4, CM_F32, CM_F32, CM_F32, CM_F32);
    add_product(4, 3, 4, CM_F64, CM_F64, CM_F64, CM_F64);
    add_product(16, 2, 2, CM_C32, CM_C32, CM_C32, CM_C32);
    cases.list[cases.count - 1].what = PRODUCT;
    add_product(16, 2, 4, CM_I16, CM_I16, CM_I32, CM_I32);
    cases.list[cases.count - 1].what = SATURATING;
}

static void on_target(const char *what, int target, cm_lowering lowering)
{
    char group[64];
    snprintf(group, sizeof group, "%s_%s", what, targets[target].name);
    run_group(group, targets[target].name, targets[target].S, lowering, &cases);
}

static bool takes(int target, int what) { return (targets[target].sample & what) != 0 || test_thorough(); }

static void operations_on_targets(const char *what, cm_lowering lowering, int sample)
{
    for (int i = 0; i < TARGETS; i++) {
        if (!takes(i, sample)) continue;
        every_operation(i);
        on_target(what, i, lowering);
    }
}

TEST(every_target) { operations_on_targets("ops", CM_AUTO, OPERATIONS); }
TEST(every_target_plain) { operations_on_targets("ops_plain", CM_PLAIN, PLAIN_ONES); }

/* Loads, stores and prefetches by 2D blocks where the target has them; the same by lanes where it has not. */
TEST(blocks)
{
    static const cm_type types[] = {CM_F16, CM_BF16, CM_F32, CM_I8, CM_TF32, CM_U16};
    int i, use;
    cases.count = 0;
    for (i = 0; i < 6; i++)
        for (use = CM_ACC; use <= CM_B; use++) {
            op_case *t = add(&cases, COPY, 1 + (i + use) % 4, 64, use == CM_A ? 8 : 5 + i, types[i], (cm_use)use);
            t->in.blocks = t->out.blocks = true;
            t = add(&cases, COPY, 0, 32, 8, types[i], (cm_use)use); /* rows of 64 bytes and more */
            t->in.blocks = t->in.transposed = true;
            t->in.stride_row = 1;
            t->in.stride_col = 64;
        }
    for (i = 0; i < TARGETS; i++)
        if (takes(i, BLOCKS)) on_target("blocks", i, CM_AUTO);
}

/* 8-bit B of more rows than lanes: a lane has rows p and p + S in the text, 2 p and 2 p + 1 in the matrix instruction.
 * The numbers differ so that any other order of k gives another result, and the test makes sure of that. */
static void order_sensitive(uint8_t *a, uint8_t *b, int M, int N, int K)
{
    int i, k;
    for (k = 0; k < K; k++) {
        for (i = 0; i < M; i++) a[i + k * M] = (uint8_t)(1 + (k * 37 + i) % 61);
        for (i = 0; i < N; i++) b[k + i * K] = (uint8_t)(1 + (k * 29 + i * 5) % 59);
    }
}

TEST(rows_of_eight_bit_b)
{
    enum { M = 16, N = 4, K = 32 };
    static const char *const names[] = {"bmg", "dg2", "generic", "soft"};
    static uint8_t a[M * K], b[K * N];
    int i, k, swapped = 0, straight = 0;
    order_sensitive(a, b, M, N, K);
    for (k = 0; k < K; k++) {
        int other = k / 32 * 32 + k % 32 / 2 + k % 2 * 16; /* the one order mistaken for the other */
        straight += a[k * M] * b[k];
        swapped += a[other * M] * b[k];
    }
    CHECK(straight != swapped);
    cases.count = 0;
    add_product(M, N, K, CM_I8, CM_I8, CM_I32, CM_I32);
    add_product(M, N, K, CM_U8, CM_U8, CM_I32, CM_I32);
    add_product(M, 3, 32, CM_I8, CM_U8, CM_I32, CM_I32);
    add(&cases, COPY, 0, 64, 3, CM_I8, CM_B);
    for (i = 0; i < 3; i++) {
        op_case *t = &cases.list[i];
        t->given[0] = a;
        t->given[1] = b;
    }
    for (i = 0; i < 4; i++) {
        char group[64];
        int S = strcmp(names[i], "dg2") == 0 ? 8 : 16;
        snprintf(group, sizeof group, "k1_%s", names[i]);
        run_group(group, names[i], S, CM_AUTO, &cases);
        snprintf(group, sizeof group, "k1_plain_%s", names[i]);
        run_group(group, names[i], S, CM_PLAIN, &cases);
    }
}

/* Made, loaded, multiplied and stored as matrices of SPV_KHR_cooperative_matrix. */
TEST(khr)
{
    static const cm_type in[] = {CM_F16, CM_I8, CM_U8};
    int i, shape;
    static const int shapes[][3] = {{32, 8, 64}, {16, 16, 32}, {64, 13, 32}};
    if (on_vulkan()) SKIP("there test_vulkan_matrices has them");
    cases.count = 0;
    for (i = 0; i < 3; i++)
        for (shape = 0; shape < 3; shape++) {
            cm_type out = i ? CM_I32 : CM_F32;
            op_case *t;
            add_product(shapes[shape][0], shapes[shape][1], shapes[shape][2], in[i], in[i], out, out);
            t = &cases.list[cases.count - 1];
            t->without_c = shape == 1 && i;
            t = add(&cases, COPY, 0, shapes[shape][0], shapes[shape][1], out, CM_ACC);
            t->in.transposed = shape == 2;
        }
    for (i = 0; i < TARGETS; i++)
        if (strcmp(targets[i].name, "generic") && strcmp(targets[i].name, "tgl")) on_target("khr", i, CM_KHR);
}

int main(void)
{
    cases_test = "test_coopmatrix_targets";
    have_device = zed_open(&device, NULL);
    if (!have_device) printf("no device: %s\n", zed_get_error(&device)->text);
    RUN(every_target);
    RUN(every_target_plain);
    RUN(blocks);
    RUN(rows_of_eight_bit_b);
    RUN(khr);
    zed_close(&device);
    return test_report();
}
