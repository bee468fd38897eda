/* test_coopmatrix_change.c - operations that move or convert components: conversion between all types in every use,
 * with every rounding and saturation; transposes and repetitions; products of all pairs of types that the promotion
 * rule allows, with every matching type of C and D; saturating integer products. The host distributes and collects the
 * matrices. */
#include "coopmatrix_cases.h"

static const int shapes[][2] = {{16, 4}, {4, 15}, {1, 17}, {16, 1}, {32, 3}};
enum { SHAPES = sizeof shapes / sizeof shapes[0], USES = 3 };

static op_case *add_dealt(kind what, int rows, int cols, cm_type type, cm_use use)
{
    op_case *t = add(&cases, what, 0, rows, cols, type, use);
    t->dealt = true;
    return t;
}

static bool is_float(cm_type type) { return cm_type_info(type)->kind == CM_KIND_FLOAT; }
static bool is_int(cm_type type) { return cm_type_info(type)->kind == CM_KIND_INT; }

/* Every pair of types but those that make a complex number real, in every use on every shape; in the sample, in one use
 * on one shape. */
static void add_conversions(cm_type from, cm_use use)
{
    int to, shape;
    for (to = 0; to < ALL_TYPES; to++) {
        if (cm_is_complex(from) && !cm_is_complex(all_types[to])) continue;
        for (shape = 0; shape < SHAPES; shape++) {
            op_case *t;
            if (!test_takes((int)from + to + SHAPES * (int)use + USES * shape, USES * SHAPES)) continue;
            t = add_dealt(CONVERT, shapes[shape][0], shapes[shape][1], from, use);
            t->d = all_types[to];
            if (is_float(t->a) && is_int(t->d) && !cm_type_info(t->d)->is_signed) t->numbers = POSITIVE;
        }
    }
}

TEST(conversions)
{
    int from, use;
    cases.count = 0;
    for (from = 0; from < ALL_TYPES; from++)
        for (use = CM_ACC; use <= CM_B; use++) {
            add_conversions(all_types[from], (cm_use)use);
            run_full("convert", from == ALL_TYPES - 1 && use == CM_B);
        }
}

/* Conversions that support a rounding: see cm_convert_as. */
static bool has_rounding(cm_type to, int rounding)
{
    if (to == CM_E4M3 || to == CM_E5M2) return rounding == CM_ROUND_NEAREST;
    return rounding <= CM_ROUND_ZERO || (to != CM_BF16 && to != CM_TF32);
}

TEST(roundings)
{
    static const cm_type from[] = {CM_F64, CM_F32, CM_F16, CM_BF16, CM_E5M2, CM_I32, CM_I16};
    int f, to, rounding, n = 0;
    cases.count = 0;
    for (f = 0; f < 7; f++)
        for (to = 0; to < ALL_TYPES; to++)
            for (rounding = CM_ROUND_NEAREST; rounding <= CM_ROUND_DOWN; rounding++, n++) {
                cm_type d = all_types[to];
                op_case *t;
                if (cm_is_complex(d) || (is_int(from[f]) && is_int(d)) || !has_rounding(d, rounding) || d == from[f])
                    continue;
                if (from[f] == CM_F64 && (d == CM_BF16 || d == CM_TF32 || is_f8(d))) continue; /* rounded twice */
                if (is_int(from[f]) && is_float(d) && cm_type_info(d)->bytes < 4) continue;         /* likewise */
                t = add_dealt(CONVERT, 16, 2, from[f], (cm_use)(n % 3));
                t->d = d;
                t->rounding = (cm_rounding)rounding;
                t->saturate = is_int(d) || is_f8(d);
                t->numbers = is_int(d) && n % 2 ? LARGE : NORMAL;
            }
    run_group("roundings", "soft", 16, CM_AUTO, &cases);
}

TEST(saturation)
{
    int from, to, n = 0;
    cases.count = 0;
    for (from = 0; from < ALL_TYPES; from++)
        for (to = 0; to < ALL_TYPES; to++, n++) {
            op_case *t;
            if (!is_int(all_types[from]) || !is_int(all_types[to]) || from == to) continue;
            t = add_dealt(CONVERT, 4, 15, all_types[from], (cm_use)(n % 3));
            t->d = all_types[to];
            t->saturate = true;
        }
    run_group("saturation", "soft", 16, CM_AUTO, &cases);
}

/* From every use to every use; a transpose has as many rows as columns there were. In the sample each type is
 * transposed and repeated in every use and to every use, but not from each to each. */
TEST(moves)
{
    static const int square[][2] = {{16, 4}, {4, 16}, {1, 8}, {16, 1}, {32, 2}};
    static const int repeats[][4] = {{16, 1, 32, 3}, {1, 6, 16, 8}, {16, 8, 4, 4}, {4, 3, 4, 7}};
    int type, use, to, n = 0;
    cases.count = 0;
    for (type = 0; type < ALL_TYPES; type++) {
        for (use = CM_ACC; use <= CM_B; use++)
            for (to = CM_ACC; to <= CM_B; to++, n++) {
                const int *s = square[(n + n / 5) % 5], *r = repeats[n % 4];
                op_case *t;
                if (!test_takes(type + (int)use + to, 3)) continue;
                t = add_dealt(TRANSPOSE, s[0], s[1], all_types[type], (cm_use)use);
                t->rows = s[1];
                t->cols = s[0];
                t->use_d = (cm_use)to;
                t = add_dealt(REPEAT, r[0], r[1], all_types[type], (cm_use)use);
                t->rows = r[2];
                t->cols = r[3];
            }
        run_full("moves", type == ALL_TYPES - 1);
    }
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

typedef struct {
    int M, N, K;
} product_shape;

static op_case *add_product(kind what, const product_shape *s, cm_type a, cm_type b, cm_type c, cm_type d)
{
    op_case *t = add_dealt(what, s->M, s->N, a, CM_ACC);
    t->K = s->K;
    t->b = b;
    t->c = c;
    t->d = d;
    return t;
}

/* One type promotes to the other: the specification's rule for A and B. It has no 8-bit floats, which may be mixed. */
static bool has_product(cm_type a, cm_type b)
{
    return cm_promotes(a, b) || cm_promotes(b, a) || (is_f8(a) && is_f8(b));
}

/* The type of sums, stated independently. */
static cm_type sum_of(cm_type a, cm_type b)
{
    cm_type wide = cm_promotes(a, b) ? b : a;
    if (is_float(wide)) return wide == CM_F64 ? CM_F64 : CM_F32;
    return is_int(wide) && cm_type_info(wide)->bytes < 4 ? CM_I32 : wide;
}

/* All pairs on all shapes, with C and without; in the sample, those that the matrix instruction has on one shape or
 * two, others on one, and without the instruction half of them. */
static void all_pairs(const char *name, const char *target, int S)
{
    static const product_shape small[] = {{16, 2, 2}, {4, 3, 2}, {1, 5, 2}, {32, 1, 2}, {8, 2, 8}};
    static const product_shape large[] = {
        {16, 8, 32}, {32, 9, 64}, {64, 1, 32}, {16, 3, 32}, {32, 2, 32}}; /* for the matrix instruction */
    int a, b, i, n = 0;
    cases.count = 0;
    for (a = 0; a < ALL_TYPES; a++)
        for (b = 0; b < ALL_TYPES; b++) {
            const cm_product *row = cm_product_row(all_types[a], all_types[b]);
            bool dpas = cm_has_dpas(cm_target_row(target), row) && strcmp(target, "soft") == 0;
            cm_type sum;
            CHECK_MSG(cm_is_complex(all_types[a]) || cm_is_complex(all_types[b]) ||
                          (row != NULL) == has_product(all_types[a], all_types[b]) || (row && row->dpas),
                      "%s x %s", cm_type_info(all_types[a])->name, cm_type_info(all_types[b])->name);
            if (!has_product(all_types[a], all_types[b]) && !row) continue;
            sum = row ? sum_of(row->type_a == CM_I8 && row->type_b == CM_U8   ? CM_I16
                               : row->type_a == CM_U8 && row->type_b == CM_I8 ? CM_I16
                                                                    : row->type_a,
                               row->type_b)
                      : sum_of(all_types[a], all_types[b]);
            for (i = 0; i < 5; i++, n++)
                if (test_takes(a + b + i, dpas ? 3 : S == 16 ? 5 : 10))
                    add_product(PRODUCT, dpas ? &large[i] : &small[(i + n) % 5], all_types[a], all_types[b], sum, sum)
                        ->without_c = !cm_is_complex(sum) && n % 3 == 2;
        }
    run_group(name, target, S, CM_AUTO, &cases);
}

TEST(products_of_all_pairs) { all_pairs("pairs", "soft", 16); }
TEST(products_without_the_hardware) { all_pairs("pairs_plain", "generic", 8); }

/* Every C that A and B promote to, and every D that C can be converted to, in turn; in the sample nearly each C occurs
 * with each A, each B and each D, but not every A with every B. */
TEST(types_of_c_and_d)
{
    static const product_shape shape = {16, 2, 2};
    int a, b, c, n = 0;
    cases.count = 0;
    for (a = 0; a < ALL_TYPES; a++)
        for (b = 0; b < ALL_TYPES; b++)
            for (c = 0; c < ALL_TYPES; c++) {
                cm_type ta = all_types[a], tb = all_types[b], tc = all_types[c], td;
                if (!has_product(ta, tb) || !cm_promotes(ta, tc) || !cm_promotes(tb, tc)) continue;
                if (is_int(tc) && cm_type_info(tc)->bytes < 4) continue; /* sums of such types are i32 */
                do td = all_types[n++ % ALL_TYPES];
                while (cm_is_complex(tc) ? !cm_is_complex(td)
                       : is_int(tc)      ? !is_int(td)
                                         : !is_float(td) || td == CM_F16 || is_f8(td));
                if (a == b || test_takes(a + b + c, 8)) add_product(PRODUCT, &shape, ta, tb, tc, td);
            }
    run_group("types", "soft", 16, CM_AUTO, &cases);
}

TEST(saturating_products)
{
    static const product_shape forms[] = {{16, 2, 4}, {4, 3, 2}, {16, 2, 32}};
    static const cm_type narrow[] = {CM_I8, CM_U8, CM_I16, CM_U16},
                         out[] = {CM_I8, CM_U8, CM_I16, CM_U16, CM_I32, CM_U32, CM_I64};
    int a, b, d, n = 0;
    cases.count = 0;
    for (a = 0; a < 4; a++)
        for (b = 0; b < 4; b++)
            for (d = 0; d < 7; d++, n++) {
                if (!cm_product_row(narrow[a], narrow[b])) continue;
                add_product(SATURATING, &forms[narrow[a] < CM_U16 && n % 4 == 0 ? 2 : n % 2], narrow[a], narrow[b],
                            CM_I32, out[d]);
            }
    run_group("saturating", "soft", 16, CM_AUTO, &cases);
}

int main(void)
{
    cases_test = "test_coopmatrix";
    have_device = zed_open(&device, NULL);
    if (!have_device) printf("no device: %s\n", zed_get_error(&device)->text);
    RUN(conversions);
    RUN(roundings);
    RUN(saturation);
    RUN(moves);
    RUN(products_of_all_pairs);
    RUN(products_without_the_hardware);
    RUN(types_of_c_and_d);
    RUN(saturating_products);
    zed_close(&device);
    return test_report();
}
