/* test_coopmatrix_grid.c - every operation on values, in every use, of every type, on every shape of a set (a multiple
 * of the subgroup, columns that divide nothing, one row, one column, more rows and columns than the hardware's),
 * against the host's f64 or exact integers. Matrices are dealt out and collected by the host; what loads and stores do
 * in every mode is the subject of test_coopmatrix_memory.c. */
#include "coopmatrix_cases.h"

/* Rows, columns. */
static const int shapes[][2] = {{16, 4}, {4, 15}, {1, 17}, {16, 1}, {32, 3}};
enum { SHAPES = sizeof shapes / sizeof shapes[0], USES = 3 };

/* Cases of one type, use and shape are a kernel. `source`: the case whose operands this one shares; NULL: it has its
 * own. */
static op_case *add_dealt(kind what, int op, int shape, cm_type type, cm_use use, const op_case *source)
{
    op_case *t = add(&cases, what, op, shapes[shape][0], shapes[shape][1], type, use);
    t->dealt = true;
    t->opens = cases.count == 1 || t[-1].use != use || t[-1].M != t->M || t[-1].N != t->N;
    t->back = source ? (int)(t - source) : 0;
    return t;
}

/* Calls the function for every type, use and shape, and runs what it added. */
static void grid(const char *name, void (*add_cases)(cm_type type, cm_use use, int shape))
{
    char group[64];
    int type, use, shape;
    for (type = 0; type < ALL_TYPES; type++) {
        cases.count = 0;
        for (use = CM_ACC; use <= CM_B; use++)
            for (shape = 0; shape < SHAPES; shape++) add_cases(all_types[type], (cm_use)use, shape);
        snprintf(group, sizeof group, "%s_%s", name, cm_type_info(all_types[type])->name);
        if (cases.count) run_group(group, "soft", 16, CM_AUTO, &cases);
    }
}

/* Quotients come first: what can be divided can be added. Products and shifts of integers have numbers of their own. */
static void add_binary(cm_type type, cm_use use, int shape)
{
    cm_kind k = cm_type_info(type)->kind;
    const op_case *source[3] = {NULL, NULL, NULL};
    int op;
    for (op = CM_DIV; op < CM_OP_COUNT_ + CM_DIV; op++) {
        int which = op % CM_OP_COUNT_, own = k != CM_KIND_INT                     ? 0
                                             : which == CM_MUL                    ? 1
                                             : which == CM_SHL || which == CM_SHR ? 2
                                                                                  : 0;
        op_case *t;
        if ((which >= CM_AND && k != CM_KIND_INT) || (which > CM_DIV && k == CM_KIND_COMPLEX)) continue;
        t = add_dealt(BINARY, which, shape, type, use, source[own]);
        if (!source[own]) source[own] = t;
    }
}
TEST(binary) { grid("binary", add_binary); }

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
        if (!has_unary(type, op)) continue;
        t = add_dealt(UNARY, op, shape, type, use, source[domain_of(op)]);
        t->numbers = domain_of(op);
        if (!source[t->numbers]) source[t->numbers] = t;
        if (op == CM_ABS && cm_is_complex(type)) t->d = type == CM_C32 ? CM_F32 : CM_F64;
    }
}
TEST(unary) { grid("unary", add_unary); }

static void add_positions(cm_type type, cm_use use, int shape)
{
    op_case *first = add_dealt(SCALE, 0, shape, type, use, NULL);
    if (!cm_is_complex(type)) { /* what a component of a complex matrix is, its two parts know */
        add_dealt(APPLY, 0, shape, type, use, first);
        add_dealt(INSERT, 0, shape, type, use, first);
    }
    add_dealt(SPLAT, 0, shape, type, use, NULL);
    add_dealt(USE, 0, shape, type, use, first)->use_d = (cm_use)((use + 1) % USES);
    add_dealt(USE, 0, shape, type, use, first)->use_d = (cm_use)((use + 2) % USES);
}
TEST(positions) { grid("positions", add_positions); }

static void add_reduce(cm_type type, cm_use use, int shape)
{
    static const cm_op ops[] = {CM_ADD, CM_MIN, CM_MAX};
    const op_case *first = NULL;
    int op, by;
    for (op = 0; op < (cm_is_complex(type) ? 1 : 3); op++)
        for (by = 0; by < 2; by++) {
            op_case *t = add_dealt(REDUCE, ops[op], shape, type, use, first);
            if (!first) first = t;
            t->by = (cm_direction)by;
            *(by == CM_BY_ROW ? &t->cols : &t->rows) = 1;
        }
}
TEST(reduce) { grid("reduce", add_reduce); }

int main(void)
{
    cases_test = "test_coopmatrix_grid";
    have_device = zed_open(&device, NULL);
    if (!have_device) printf("no device: %s\n", zed_get_error(&device)->text);
    RUN(binary);
    RUN(unary);
    RUN(positions);
    RUN(reduce);
    zed_close(&device);
    return test_report();
}
