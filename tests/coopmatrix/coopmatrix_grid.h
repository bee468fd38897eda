/* coopmatrix_grid.h - a grid of cases: every type in every use on a set of shapes: multiples of the subgroup, odd
 * numbers of columns, one row, one column, more rows than lanes. The host distributes and collects the matrices; loads
 * and stores in every mode are tested by test_coopmatrix_memory.c. */
#ifndef COOPMATRIX_GRID_H
#define COOPMATRIX_GRID_H

#include "coopmatrix_cases.h"

/* Rows, columns. */
static const int shapes[][2] = {{16, 4}, {4, 15}, {1, 17}, {16, 1}, {32, 3}};
enum { SHAPES = sizeof shapes / sizeof shapes[0], USES = 3 };

/* Cases of one type, use and shape form a kernel. source: the case whose operands this one shares; NULL: own operands.
 */
static op_case *add_dealt(kind what, int op, int shape, cm_type type, cm_use use, const op_case *source)
{
    op_case *t = add(&cases, what, op, shapes[shape][0], shapes[shape][1], type, use);
    t->dealt = true;
    t->opens = cases.count == 1 || t[-1].use != use || t[-1].M != t->M || t[-1].N != t->N;
    t->back = source ? (int)(t - source) : 0;
    return t;
}

/* Calls the function for every type, use and shape, and runs the cases that it adds. */
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

#endif
