/* batched_gemm.c - C = A B for thousands of small matrices at once: f32, each up to 32 x 32 x 32, column-major and
 * contiguous in memory. Every subgroup multiplies one pair, held as cooperative matrices; where registers are few, in
 * pieces.
 *
 *     cc -std=c11 batched_gemm.c -lm && ./a.out
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "batched_gemm"
#include "example.h"
#include "example_coopmatrix.h"

enum { SUBGROUPS = 8 }; /* per work-group */

/* ---- the kernel */

static int power_of_two(int n)
{
    int p = 1;
    while (p < n) p *= 2;
    return p;
}

/* Matrix `number` of an array of rows x cols matrices. The rows of a cooperative matrix are a power of two; for other
 * values of `rows`, the extent excludes the excess. */
static cm_mem matrix_at(spe_module *m, spe_id base, spe_id number, int rows, int cols)
{
    cm_mem mem;
    memset(&mem, 0, sizeof mem);
    spe_id size = spe_u64(m, (uint64_t)rows * (uint64_t)cols);
    mem.ptr = spe_index(m, base, spe_imul(m, spe_sconvert(m, spe_int(m, 64), number), size));
    mem.stride_col = spe_i32(m, rows);
    if (power_of_two(rows) != rows) mem.rows = spe_i32(m, rows);
    return mem;
}

/* What is in registers at once: of C, and values of k. */
typedef struct {
    int rows, cols, k;
} piece;

/* All of it, or what is proposed. */
static piece piece_for(const cm_target *t, const products *p)
{
    piece all = {power_of_two(p->m), p->n, power_of_two(p->k)};
    if (!has_few_registers(t)) return all;
    xt_tiles tiles = tiles_by_columns(t->name, 0, 1);
    if (all.rows > tiles.c.sg_data[1]) all.rows = tiles.c.sg_data[1];
    if (all.cols > tiles.c.sg_data[0]) all.cols = tiles.c.sg_data[0];
    if (all.k > tiles.k) all.k = tiles.k;
    return all;
}

/* Rows and columns of C from (row, col) on. */
static void write_piece(cm_ctx *c, const products *p, const piece *size, cm_mem at_a, cm_mem at_b, cm_mem at_c, int row,
                        int col)
{
    spe_module *m = c->module;
    int cols = p->n - col < size->cols ? p->n - col : size->cols;
    cm_matrix d = {0};
    at_a.row = at_c.row = row ? spe_i32(m, row) : 0;
    at_b.col = at_c.col = col ? spe_i32(m, col) : 0;
    for (int k = 0; k < p->k; k += size->k) {
        at_a.col = at_b.row = k ? spe_i32(m, k) : 0;
        cm_matrix a = cm_load(c, size->rows, size->k, CM_F32, CM_A, &at_a);
        cm_matrix b = cm_load(c, size->k, cols, CM_F32, CM_B, &at_b);
        d = cm_mul_add(c, CM_F32, &a, &b, k ? &d : NULL);
    }
    cm_store(c, &d, &at_c);
}

static void write_body(cm_ctx *c, const void *problem)
{
    const products *p = (const products *)problem;
    spe_module *m = c->module;
    const piece size = piece_for(&c->target, p);
    spe_id group = spe_builtin(m, SPE_GROUP_ID, 0), subgroup = spe_builtin(m, SPE_SUBGROUP_ID, 0);
    spe_id number = spe_iadd(m, spe_imul(m, group, spe_i32(m, SUBGROUPS)), subgroup);
    cm_mem at_a = matrix_at(m, spe_param_id(m, 0), number, p->m, p->k),
           at_b = matrix_at(m, spe_param_id(m, 1), number, p->k, p->n);
    cm_mem at_c = matrix_at(m, spe_param_id(m, 2), number, p->m, p->n);
    if (p->k % size.k) at_a.cols = spe_i32(m, p->k);
    spe_if(m, spe_slt(m, number, spe_param_id(m, 3)));
    for (int row = 0; row < p->m; row += size.rows)
        for (int col = 0; col < p->n; col += size.cols) write_piece(c, p, &size, at_a, at_b, at_c, row, col);
    spe_endif(m, 0, NULL, NULL);
}

static const example_kernel kernel = {"batched_gemm", "ptr<f32> A, ptr<f32> B, ptr<f32> C, i32 count", SUBGROUPS, true,
                                      write_body};

/* ---- the program */

static int m, n, k, count = 10000; /* 0: not given */

/* Nanoseconds of a launch, negative on failure. */
static double launch(zed_kernel *loaded, const products *p)
{
    zed_groups groups = {(uint32_t)(p->count + SUBGROUPS - 1) / SUBGROUPS, 1, 1};
    return zed_launch_timed(loaded, groups, on_device(p->a), on_device(p->b), on_device(p->c), p->count);
}

static bool run_one(zed_device *dev, products *p)
{
    zed_kernel loaded;
    double ns = -1;
    bool ok = new_products(dev, p) && load_kernel(&kernel, dev, &loaded, p);
    if (ok) ns = launch(&loaded, p);
    if (ok) ok = ns >= 0 ? check_products(dev, p) : fail_device(dev);
    if (ok) printf("ok batched_gemm %d of %d x %d x %d, %.1f GFLOP/s\n", p->count, p->m, p->n, p->k, flops_of(p) / ns);
    free_products(dev, p);
    return ok;
}

/* The sizes that were asked for; those not given are `otherwise`. */
static products asked_sizes(int otherwise)
{
    products p = {m ? m : otherwise, n ? n : otherwise, k ? k : otherwise, count, NULL, NULL, NULL};
    return p;
}

static bool run(zed_device *dev)
{
    static const int sizes[][3] = {{8, 8, 8}, {16, 16, 16}, {32, 32, 32}, {17, 9, 5}};
    products given = asked_sizes(16);
    bool ok = true;
    if (m || n || k) return run_one(dev, &given);
    for (int i = 0; ok && i < 4; i++) {
        products p = {sizes[i][0], sizes[i][1], sizes[i][2], count, NULL, NULL, NULL};
        ok = run_one(dev, &p);
    }
    return ok;
}

static bool emit(const char *path, const char *target)
{
    products p = asked_sizes(m || n || k ? 16 : 8);
    return emit_kernel(&kernel, path, target, &p);
}

static const example_option options[] = {
    NUMBER("--m", "rows of A and C, up to 32 (default: 8, 16, 32 and 17, one after the other)", &m, 1, 32),
    NUMBER("--n", "columns of B and C, up to 32 (as many; 9 with 17)", &n, 1, 32),
    NUMBER("--k", "columns of A, rows of B, up to 32 (as many; 5 with 17)", &k, 1, 32),
    NUMBER("--count", "matrices", &count, 1, 1000000),
    OPTIONS_END,
};

int main(int argc, char **argv)
{
    const example e = {.about = "thousands of small products at once", .options = options, .run = run, .emit = emit};
    return example_main(argc, argv, &e);
}
