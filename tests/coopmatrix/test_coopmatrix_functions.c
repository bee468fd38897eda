/* test_coopmatrix_functions.c - functions of components and reductions, in every use, for every supported type, on
 * every shape of the grid (in the sample, on one), against the host's f64 or exact integers. */
#include "coopmatrix_grid.h"

static bool has_unary(cm_type type, int op)
{
    switch (cm_type_info(type)->kind) {
    case CM_KIND_INT: return op == CM_NEG || op == CM_NOT || op == CM_ABS;
    case CM_KIND_COMPLEX:
        return op == CM_NEG || op == CM_CONJ || op == CM_ABS || op == CM_EXP || op == CM_EXP2 || op == CM_NATIVE_EXP ||
               op == CM_NATIVE_EXP2;
    default: return op != CM_NOT && op != CM_CONJ;
    }
}

static void add_unary(cm_type type, cm_use use, int shape)
{
    const op_case *source[3] = {NULL, NULL, NULL};
    int op;
    for (op = 0; op < CM_UNARY_COUNT_; op++) {
        op_case *t;
        if (!has_unary(type, op) || !in_sample(type, use, shape, op)) continue;
        t = add_dealt(UNARY, op, shape, type, use, source[domain_of(op)]);
        t->numbers = domain_of(op);
        if (!source[t->numbers]) source[t->numbers] = t;
        if (op == CM_ABS && cm_is_complex(type)) t->d = type == CM_C32 ? CM_F32 : CM_F64;
    }
}
TEST(unary) { grid("unary", add_unary); }

static void add_reduce(cm_type type, cm_use use, int shape)
{
    static const cm_op ops[] = {CM_ADD, CM_MIN, CM_MAX};
    const op_case *first = NULL;
    int op, by;
    for (op = 0; op < (cm_is_complex(type) ? 1 : 3); op++)
        for (by = 0; by < 2; by++) {
            op_case *t;
            if (!in_sample(type, use, shape, 2 * op + by)) continue;
            t = add_dealt(REDUCE, ops[op], shape, type, use, first);
            if (!first) first = t;
            t->by = (cm_direction)by;
            *(by == CM_BY_ROW ? &t->cols : &t->rows) = 1;
        }
}
TEST(reduce) { grid("reduce", add_reduce); }

int main(void)
{
    cases_test = "test_coopmatrix";
    have_device = zed_open(&device, NULL);
    if (!have_device) printf("no device: %s\n", zed_get_error(&device)->text);
    RUN(unary);
    RUN(reduce);
    zed_close(&device);
    return test_report();
}
