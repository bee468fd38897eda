/* coopmatrix_grid.h - a grid of cases: every type in every use on a set of shapes: multiples of the subgroup, odd
 * numbers of columns, one row, one column, more rows than lanes. The host distributes and collects the matrices; loads
 * and stores in every mode are tested by test_coopmatrix_memory.c. */
#ifndef COOPMATRIX_GRID_H
#define COOPMATRIX_GRID_H

#include "coopmatrix_cases.h"

/* Rows, columns. */
static const int shapes[][2] = {{16, 4}, {4, 15}, {1, 17}, {16, 1}, {32, 3}};
enum { SHAPES = sizeof shapes / sizeof shapes[0], USES = 3 };

/* Cases of one type, use and shape are in one kernel, with others if they are few. source: the case whose operands this
 * one shares; NULL: own operands. */
static op_case *add_dealt(kind what, int op, int shape, cm_type type, cm_use use, const op_case *source)
{
    static int first; /* of the kernel */
    op_case *t = add(&cases, what, op, shapes[shape][0], shapes[shape][1], type, use);
    int number = cases.count - 1;
    bool others = number > 0 && (t[-1].a != type || t[-1].use != use || t[-1].M != t->M || t[-1].N != t->N);
    t->dealt = true;
    t->opens = number == 0 || (others && number - first >= KERNEL_CASES);
    if (t->opens) first = number;
    t->back = source ? (int)(t - source) : 0;
    return t;
}

/* Each operation in each use of each type is tested on every shape; in the sample, in one use on one shape. */
static bool in_sample(cm_type type, cm_use use, int shape, int operation)
{
    return test_takes((int)type + SHAPES * (int)use + USES * shape + operation, USES * SHAPES);
}

/* Calls the function for every type, use and shape, and runs the cases that it adds. */
static void grid(const char *name, void (*add_cases)(cm_type type, cm_use use, int shape))
{
    int type, use, shape;
    cases.count = 0;
    for (type = 0; type < ALL_TYPES; type++) {
        for (use = CM_ACC; use <= CM_B; use++)
            for (shape = 0; shape < SHAPES; shape++) add_cases(all_types[type], (cm_use)use, shape);
        run_full(name, type == ALL_TYPES - 1);
    }
}

#endif
