/* test_coopmatrix_ops.c - operations of coopmatrix.h on loaded matrices: arithmetic and functions on components,
 * conversions with stated rounding, apply, insert, transposes, repetition, reductions, atomics, complex matrices, local
 * memory and strides: the operations and types that the grids (test_coopmatrix_grid.c, test_coopmatrix_memory.c) do not
 * cover, and each operation once from memory to memory. */
#include "coopmatrix_cases.h"

/* ---- the groups -------------------------------------------------------------------------------------------------- */

TEST(binary_operations)
{
    int type, op, n = 0;
    cases.count = 0;
    for (type = 0; type < ALL_TYPES; type++)
        for (op = 0; op <= CM_SHR; op++) {
            cm_kind k = cm_type_info(all_types[type])->kind;
            bool bits = op >= CM_AND;
            if ((bits && k != CM_KIND_INT) || (k == CM_KIND_COMPLEX && op > CM_DIV)) continue;
            if (type >= 4 && k != CM_KIND_COMPLEX && (op + type) % 3) continue; /* the first types have all of them */
            add(&cases, BINARY, op, n % 3 == 0 ? 4 : 16, n % 2 ? 2 : 4, all_types[type], (cm_use)(n % 3));
            n++;
        }
    run_group("binary", "soft", 16, CM_AUTO, &cases);
}

TEST(unary_operations)
{
    static const cm_type types[] = {CM_F32, CM_F16, CM_BF16};
    static const int complex_ops[] = {CM_NEG, CM_CONJ, CM_ABS, CM_EXP, CM_EXP2};
    int type, op, i;
    cases.count = 0;
    for (op = 0; op < CM_UNARY_COUNT_; op++)
        for (type = 0; type < 3; type++) {
            if (op == CM_NOT || op == CM_CONJ || (type && op % 4 != type)) continue;
            add(&cases, UNARY, op, 16, 2, types[type], (cm_use)(op % 3))->numbers = domain_of(op);
        }
    for (i = 3; i < ALL_TYPES - 2; i++) {
        bool is_int = cm_type_info(all_types[i])->kind == CM_KIND_INT;
        add(&cases, UNARY, CM_NEG, 4, 4, all_types[i], (cm_use)(i % 3));
        add(&cases, UNARY, is_int ? CM_ABS : CM_SQRT, 16, 4, all_types[i], CM_A)->numbers = POSITIVE;
        if (is_int) add(&cases, UNARY, CM_NOT, 16, 1, all_types[i], CM_B);
    }
    for (i = 0; i < 10; i++) {
        op_case *t = add(&cases, UNARY, complex_ops[i % 5], 16, 2, i < 5 ? CM_C32 : CM_C64, (cm_use)(i % 3));
        if (t->op == CM_ABS) t->d = i < 5 ? CM_F32 : CM_F64;
    }
    run_group("unary", "soft", 16, CM_AUTO, &cases);
}

TEST(conversions)
{
    static const struct {
        cm_type from, to;
    } pairs[] = {{CM_F32, CM_F16},  {CM_F32, CM_I8},   {CM_F32, CM_U8},   {CM_F16, CM_I16}, {CM_F64, CM_F32},
                 {CM_F32, CM_BF16}, {CM_F32, CM_TF32}, {CM_F32, CM_E4M3}, {CM_F32, CM_E5M2}};
    static const struct {
        cm_type from, to;
    } plain[] = {{CM_E4M3, CM_F32}, {CM_E5M2, CM_F16}, {CM_F16, CM_E4M3}, {CM_BF16, CM_E5M2},
                 {CM_F64, CM_TF32}, {CM_I8, CM_BF16},  {CM_F32, CM_C32},  {CM_C32, CM_C64},
                 {CM_C64, CM_C32},  {CM_I16, CM_C64},  {CM_U8, CM_I64},   {CM_U64, CM_U16}};
    static const struct {
        cm_type from, to;
    } clamped[] = {{CM_I32, CM_I8}, {CM_I32, CM_U8}, {CM_U32, CM_I16}, {CM_I64, CM_I32},
                   {CM_U8, CM_I8},  {CM_I8, CM_U8},  {CM_F32, CM_I32}};
    int i, r;
    cases.count = 0;
    for (i = 0; i < 9; i++)
        for (r = CM_ROUND_NEAREST; r <= CM_ROUND_DOWN; r++) {
            op_case *t;
            if ((i >= 5 && r > CM_ROUND_ZERO) || (i >= 7 && r == CM_ROUND_ZERO)) continue;
            t = add(&cases, CONVERT, 0, 16, 4, pairs[i].from, (cm_use)((i + r) % 3));
            t->d = pairs[i].to;
            t->rounding = (cm_rounding)r;
            t->saturate = cm_type_info(t->d)->kind == CM_KIND_INT || cm_type_info(t->d)->bytes == 1;
            t->numbers = i == 1 || i == 2 || i >= 7 ? LARGE : NORMAL;
        }
    for (i = 0; i < 12; i++)
        add(&cases, CONVERT, 0, i % 2 ? 16 : 4, 4, plain[i].from, (cm_use)(i % 3))->d = plain[i].to;
    for (i = 0; i < 7; i++) {
        op_case *t = add(&cases, CONVERT, 0, 16, 4, clamped[i].from, (cm_use)(i % 3));
        t->d = clamped[i].to;
        t->saturate = true;
    }
    run_group("conversions", "soft", 16, CM_AUTO, &cases);
}

TEST(positions)
{
    static const cm_type types[] = {CM_F32, CM_F16, CM_I8, CM_BF16, CM_I32};
    static const int shapes[][2] = {{16, 4}, {4, 8}, {32, 2}, {1, 20}};
    int i, shape;
    cases.count = 0;
    for (i = 0; i < 5; i++)
        for (shape = 0; shape < 4; shape++) {
            op_case *t;
            add(&cases, APPLY, 0, shapes[shape][0], shapes[shape][1], types[i], (cm_use)((i + shape) % 3));
            t = add(&cases, INSERT, 0, shapes[shape][0], shapes[shape][1], types[i], (cm_use)((i + shape + 1) % 3));
            if (t->a == CM_I8 && t->use == CM_B)
                t->use = t->use_d = CM_A; /* held otherwise than the host's layout says */
        }
    run_group("positions", "soft", 16, CM_AUTO, &cases);
}

TEST(moves)
{
    static const cm_type types[] = {CM_F32, CM_F16, CM_I8, CM_F64, CM_C32};
    int i;
    cases.count = 0;
    for (i = 0; i < 5; i++) {
        op_case *t = add(&cases, TRANSPOSE, 0, i % 2 ? 4 : 16, i % 2 ? 16 : 4, types[i], (cm_use)(i % 3));
        t->rows = t->N;
        t->cols = t->M;
        t->use_d = (cm_use)((i + 1) % 3);
        t = add(&cases, REPEAT, 0, 16, 1, types[i], (cm_use)(i % 3));
        t->rows = 32, t->cols = 3;
        t = add(&cases, REPEAT, 0, 1, 6, types[i], (cm_use)((i + 1) % 3));
        t->rows = 16, t->cols = 8;
        t = add(&cases, REPEAT, 0, 16, 8, types[i], (cm_use)((i + 2) % 3));
        t->rows = 4, t->cols = 4;
        t = add(&cases, LOCAL, 0, i % 2 ? 4 : 16, i % 2 ? 16 : 4, types[i], (cm_use)(i % 3));
        t->rows = t->N;
        t->cols = t->M;
        t->use_d = (cm_use)((i + 2) % 3);
        t = add(&cases, SCALE, 0, 16, 4, types[i], CM_ACC);
        t = add(&cases, SCALE, 0, 16, 4, types[i], CM_A);
        t->in.stride_row = 3, t->in.stride_col = 51;
        t = add(&cases, APPLY, 0, i == 4 ? 16 : 8, 4, i == 4 ? CM_F32 : types[i], CM_ACC);
        t->in.stride_row = 7, t->in.stride_col = 2, t->in.transposed = true;
        t = add(&cases, SCALE, 0, 8, 5, types[i], CM_ACC);
        t->in.cut = t->out.cut = 3;
    }
    run_group("moves", "soft", 16, CM_AUTO, &cases);
}

TEST(reductions)
{
    static const cm_type types[] = {CM_F32, CM_F16, CM_BF16, CM_I8, CM_U8, CM_I32, CM_F64, CM_E4M3, CM_C32};
    static const cm_op ops[] = {CM_ADD, CM_MIN, CM_MAX};
    static const int shapes[][2] = {{16, 5}, {32, 4}, {4, 6}, {1, 18}, {2, 3}};
    int i, op, by, n = 0;
    cases.count = 0;
    for (i = 0; i < 9; i++)
        for (op = 0; op < 3; op++)
            for (by = 0; by < 2; by++, n++) {
                op_case *t;
                if (types[i] == CM_C32 && op > 0) continue;
                t = add(&cases, REDUCE, ops[op], shapes[n % 5][0], shapes[n % 5][1], types[i], (cm_use)(n % 3));
                t->by = (cm_direction)by;
                if (by == CM_BY_ROW)
                    t->cols = 1;
                else
                    t->rows = 1;
            }
    run_group("reductions", "soft", 16, CM_AUTO, &cases);
    run_group("reductions_plain", "generic", 8, CM_AUTO, &cases);
}

static void add_product(kind what, int M, int N, int K, cm_type a, cm_type b, cm_type c, cm_type d)
{
    op_case *t = add(&cases, what, 0, M, N, a, CM_ACC);
    t->K = K;
    t->b = b;
    t->c = c;
    t->d = d;
}

/* Products beside those of test_coopmatrix.c: tf32 by the matrix instruction and without, 8-bit floats, complex and
 * mixed types, integers that do not wrap. */
TEST(products)
{
    cases.count = 0;
    add_product(PRODUCT, 16, 8, 16, CM_TF32, CM_TF32, CM_F32, CM_F32);
    add_product(PRODUCT, 32, 5, 32, CM_TF32, CM_TF32, CM_F32, CM_F32);
    add_product(PRODUCT, 16, 3, 8, CM_TF32, CM_TF32, CM_F32, CM_TF32);
    add_product(PRODUCT, 16, 3, 4, CM_E4M3, CM_E4M3, CM_F32, CM_F32);
    add_product(PRODUCT, 4, 3, 4, CM_E5M2, CM_E5M2, CM_F32, CM_F16);
    add_product(PRODUCT, 16, 3, 4, CM_C32, CM_C32, CM_C32, CM_C32);
    add_product(PRODUCT, 16, 2, 4, CM_F32, CM_C32, CM_C64, CM_C64);
    add_product(PRODUCT, 4, 3, 2, CM_C64, CM_C64, CM_C64, CM_C64);
    add_product(PRODUCT, 16, 3, 4, CM_F16, CM_F16, CM_F64, CM_F64);
    add_product(PRODUCT, 16, 3, 4, CM_I8, CM_I8, CM_I64, CM_I64);
    add_product(PRODUCT, 16, 2, 4, CM_I8, CM_I8, CM_F32, CM_F32);
    add_product(PRODUCT, 16, 3, 2, CM_I16, CM_I8, CM_I32, CM_I32);
    add_product(SATURATING, 16, 2, 32, CM_I8, CM_I8, CM_I32, CM_I32);
    add_product(SATURATING, 16, 2, 4, CM_I8, CM_U8, CM_I32, CM_I8);
    add_product(SATURATING, 16, 2, 4, CM_I16, CM_I16, CM_I32, CM_I32);
    add_product(SATURATING, 4, 2, 4, CM_U8, CM_U8, CM_I32, CM_U16);
    run_group("products", "soft", 16, CM_AUTO, &cases);
    run_group("products_plain", "generic", 16, CM_AUTO, &cases);
}

/* In 32 lanes: Intel's compiler mistakes factors there that it sees to be broadcasts. */
TEST(products_of_64_bits)
{
    cases.count = 0;
    add_product(PRODUCT, 64, 3, 4, CM_I64, CM_I64, CM_I64, CM_I64);
    add_product(PRODUCT, 32, 9, 2, CM_U64, CM_U64, CM_U64, CM_U64);
    add_product(PRODUCT, 16, 3, 2, CM_U64, CM_U64, CM_U64, CM_U64);
    add_product(PRODUCT, 8, 1, 4, CM_I64, CM_I64, CM_I64, CM_I64);
    add_product(PRODUCT, 32, 3, 2, CM_I32, CM_I32, CM_I64, CM_I64);
    add_product(SATURATING, 32, 4, 2, CM_I16, CM_I16, CM_I32, CM_I32);
    add_product(SATURATING, 32, 3, 2, CM_I8, CM_I16, CM_I32, CM_I8);
    run_group("products_32", "bmg", 32, CM_AUTO, &cases);
    run_group("products_plain_32", "generic", 32, CM_AUTO, &cases);
}

int main(void)
{
    cases_test = "test_coopmatrix_ops";
    have_device = zed_open(&device, NULL);
    if (!have_device) printf("no device: %s\n", zed_get_error(&device)->text);
    RUN(binary_operations);
    RUN(unary_operations);
    RUN(conversions);
    RUN(positions);
    RUN(moves);
    RUN(reductions);
    RUN(products);
    RUN(products_of_64_bits);
    zed_close(&device);
    return test_report();
}
