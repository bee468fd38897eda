/* test_coopmatrix_grid.c - arithmetic on pairs of components, scaling, apply, insert and extract, construction and
 * changes of use: in every use, of every type, on every shape of the grid, against the host's f64 or exact integers. */
#include "coopmatrix_grid.h"

/* Quotients come first: what can be divided can be added. Products and shifts of integers have their own values. */
static void add_binary(cm_type type, cm_use use, int shape)
{
    cm_kind k = cm_type_info(type)->kind;
    const op_case *source[3] = {NULL, NULL, NULL};
    int op;
    for (op = CM_DIV; op <= CM_SHR + CM_DIV; op++) {
        int which = op % (CM_SHR + 1), own = k != CM_KIND_INT                     ? 0
                                             : which == CM_MUL                    ? 1
                                             : which == CM_SHL || which == CM_SHR ? 2
                                                                                  : 0;
        op_case *t;
        if ((which >= CM_AND && k != CM_KIND_INT) || (which > CM_DIV && k == CM_KIND_COMPLEX)) continue;
        if (!in_sample(type, use, shape, which)) continue;
        t = add_dealt(BINARY, which, shape, type, use, source[own]);
        if (!source[own]) source[own] = t;
    }
}
TEST(binary) { grid("binary", add_binary); }

static void add_positions(cm_type type, cm_use use, int shape)
{
    static const kind kinds[] = {SCALE, APPLY, INSERT, SPLAT, USE, USE};
    const op_case *first = NULL;
    int i;
    for (i = 0; i < 6; i++) {
        op_case *t;
        /* what a component of a complex matrix is, its two parts know */
        if (cm_is_complex(type) && (kinds[i] == APPLY || kinds[i] == INSERT)) continue;
        if (!in_sample(type, use, shape, i)) continue;
        t = add_dealt(kinds[i], 0, shape, type, use, kinds[i] == SPLAT ? NULL : first);
        if (kinds[i] == USE) t->use_d = (cm_use)((use + i - 3) % USES);
        if (kinds[i] != SPLAT && !first) first = t;
    }
}
TEST(positions) { grid("positions", add_positions); }

int main(void)
{
    cases_test = "test_coopmatrix";
    have_device = zed_open(&device, NULL);
    if (!have_device) printf("no device: %s\n", zed_get_error(&device)->text);
    RUN(binary);
    RUN(positions);
    zed_close(&device);
    return test_report();
}
