/* tall_gemm.c - C = A B with many rows and few columns: A is M x K and B K x N, f32, column-major, M in the hundred
 * thousands, N and K up to 256. Every subgroup computes some rows of C and iterates over K, with its part of C in
 * registers: as large a part as xt_tiles_for proposes for the device.
 *
 *     cc -std=c11 tall_gemm.c -lm && ./a.out
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "tall_gemm"
#include "example.h"
#include "example_coopmatrix.h"

enum { SUBGROUPS = 8 }; /* of a work-group, one below the other */

/* ---- the kernel */

/* Of C, for a subgroup; values of k per step. */
typedef struct {
    int rows, columns, step;
} part;

static part part_for(const char *target, const products *p)
{
    xt_tiles tiles = tiles_by_columns(target, p->n, SUBGROUPS);
    return (part){tiles.c.sg_data[1], p->n < tiles.c.sg_data[0] ? p->n : tiles.c.sg_data[0], tiles.k};
}

static cm_mem matrix_at(spe_id ptr, spe_id rows, spe_id cols)
{
    cm_mem mem;
    memset(&mem, 0, sizeof mem);
    mem.ptr = ptr;
    mem.rows = mem.stride_col = rows;
    mem.cols = cols;
    return mem;
}

/* Rows from `first` and columns from `column` on. whole: nothing of A and C is outside in the first direction. */
static void write_part(cm_ctx *c, const products *p, const part *size, spe_id first, spe_id column, bool whole)
{
    spe_module *m = c->module;
    spe_id M = spe_param_id(m, 3), N = spe_i32(m, p->n), K = spe_i32(m, p->k);
    cm_mem at_a = matrix_at(spe_param_id(m, 0), M, K), at_b = matrix_at(spe_param_id(m, 1), K, N);
    cm_mem at_c = matrix_at(spe_param_id(m, 2), M, N);
    cm_matrix d = cm_splat(c, size->rows, size->columns, CM_F32, CM_ACC, 0);
    spe_id k;
    if (whole) at_a.rows = at_c.rows = 0;
    if (p->k % size->step == 0) at_a.cols = at_b.rows = 0; /* decided at build time */
    if (p->n % size->columns == 0) at_b.cols = at_c.cols = 0;
    at_a.row = at_c.row = first;
    at_b.col = at_c.col = column;
    spe_id zero = spe_i32(m, 0), by = spe_i32(m, size->step);
    k = spe_for(m, zero, K, by, (uint32_t)d.parts, d.part);
    {
        cm_matrix a, b;
        at_a.col = at_b.row = k;
        a = cm_load(c, size->rows, size->step, CM_F32, CM_A, &at_a);
        b = cm_load(c, size->step, size->columns, CM_F32, CM_B, &at_b);
        d = cm_mul_add(c, CM_F32, &a, &b, &d);
    }
    spe_endfor(m, (uint32_t)d.parts, d.part);
    cm_store(c, &d, &at_c);
}

static void write_body(cm_ctx *c, const void *problem)
{
    const products *p = (const products *)problem;
    spe_module *m = c->module;
    const part size = part_for(c->target.name, p);
    spe_id M = spe_param_id(m, 3);
    spe_id down = spe_builtin(m, SPE_GROUP_ID, 0), across = spe_builtin(m, SPE_GROUP_ID, 1);
    spe_id subgroup = spe_builtin(m, SPE_SUBGROUP_ID, 0);
    spe_id first = spe_iadd(m, spe_imul(m, down, spe_i32(m, SUBGROUPS)), subgroup);
    spe_id column = spe_imul(m, across, spe_i32(m, size.columns));
    first = spe_imul(m, first, spe_i32(m, size.rows));
    spe_if(m, spe_sle(m, spe_iadd(m, first, spe_i32(m, size.rows)), M));
    write_part(c, p, &size, first, column, true);
    spe_else(m, 0, NULL);
    spe_if(m, spe_slt(m, first, M));
    write_part(c, p, &size, first, column, false);
    spe_endif(m, 0, NULL, NULL);
    spe_endif(m, 0, NULL, NULL);
}

static const example_kernel kernel = {"tall_gemm", "ptr<f32> A, ptr<f32> B, ptr<f32> C, i32 M", SUBGROUPS, true,
                                      write_body};

/* ---- the program */

static products sizes = {100003, 16, 32, 1, NULL, NULL, NULL};

/* Nanoseconds of a launch, negative on failure. */
static double launch(zed_device *dev, zed_kernel *loaded, const products *p)
{
    const part size = part_for(dev->target.name, p);
    uint32_t rows = (uint32_t)size.rows * SUBGROUPS, columns = (uint32_t)size.columns;
    zed_groups groups = {((uint32_t)p->m + rows - 1) / rows, ((uint32_t)p->n + columns - 1) / columns, 1};
    return zed_launch_timed(loaded, groups, on_device(p->a), on_device(p->b), on_device(p->c), p->m);
}

static bool run(zed_device *dev)
{
    zed_kernel loaded;
    double ns;
    if (!new_products(dev, &sizes) || !load_kernel(&kernel, dev, &loaded, &sizes)) return false;
    ns = launch(dev, &loaded, &sizes);
    if (ns < 0) return fail_device(dev);
    if (!check_products(dev, &sizes)) return false;
    printf("ok tall_gemm %d x %d x %d, %.1f GFLOP/s\n", sizes.m, sizes.n, sizes.k, flops_of(&sizes) / ns);
    return true;
}

static bool emit(const char *path, const char *target) { return emit_kernel(&kernel, path, target, &sizes); }

static const example_option options[] = {
    NUMBER("--m", "rows of A and C", &sizes.m, 1, 10000000),
    NUMBER("--n", "columns of B and C, up to 256", &sizes.n, 1, 256),
    NUMBER("--k", "columns of A, rows of B, up to 256", &sizes.k, 1, 256),
    OPTIONS_END,
};

int main(int argc, char **argv)
{
    const example e = {
        .about = "a product with many rows and few columns", .options = options, .run = run, .emit = emit};
    return example_main(argc, argv, &e);
}
