/* mpi_summa.c - C = A B over the ranks of an MPI program, each with its own Level Zero device (SUMMA: van de Geijn and
 * Watts, 1997). The ranks form a grid, and each owns a block of C. For every panel of k, its panels of A and B are
 * broadcast along rows and columns of the grid, while the device multiplies the previous ones. f16, summed in f32; any
 * M, N, K and number of ranks. See `mpi_summa --help`.
 *
 *     mpicc -std=c11 mpi_summa.c -lm && mpirun -np 4 ./a.out
 */
#include <mpi.h>

#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "mpi_summa"
#define EXAMPLE_SHARES_CONTEXT
#define EXAMPLE_OWN_FAIL /* also ends the other ranks */
#include "example.h"
#include "example_gemm.h"

#include <threads.h>

enum { PANEL = 256, RUNS = 3 };

static const xt_product f16_product = {.a = XT_TYPE(f16), .b = XT_TYPE(f16)};

/* C += A B for one panel: A is M x PANEL, B is PANEL x N, of which K columns and rows are used. */
XT_KERNEL(summa_step, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(M), u32(N), u32(K))
{
    const xt_tiles *t = (const xt_tiles *)XT_USER(); /* on bmg 256 x 256 for 8 x 4 subgroups, in steps of 32 */
    const int rows = t->rows, cols = t->cols, step = t->k;
    xt_val i = XT_MUL(XT_GROUP_ID(1), rows), j = XT_MUL(XT_GROUP_ID(0), cols);
    xt_tile a = XT_INIT_TILE(A, f16, rows, step, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = t->a);
    xt_tile b = XT_INIT_TILE(B, f16, step, cols, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = t->b);
    xt_tile c = XT_INIT_TILE(C, f32, rows, cols, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = t->c);
    xt_vec acc = XT_LOAD_TILE(c);
    XT_FOR(k, 0, K, step, &a, &b, &acc)
    {
        acc = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), acc);
        a = XT_UPDATE_TILE_OFFSET(a, 0, step);
        b = XT_UPDATE_TILE_OFFSET(b, step, 0);
    }
    XT_STORE_TILE(acc, c);
}

/* This rank's row and column in the grid of rows x columns, and its part of the product. */
typedef struct {
    int rank, ranks, grid[2], at[2];
    MPI_Comm row, column; /* the ranks of the same grid row, and column */
    int i0, i1, j0, j1;   /* rows and columns of its block of C */
} place;

typedef struct {
    zed_device first, dev;
    zed_kernel kernel;
    xt_tiles tiles;
    uint16_t *own[2], *room[2][2]; /* for A and B: this rank's panels; two receive buffers, one of them in use */
    float *c;
} buffers;

/* ---- the program */

/* Every failure goes through here and ends all ranks. */
static bool fail(const char *format, ...)
{
    va_list args;
    int started = 0;
    va_start(args, format);
    printf("FAILED mpi_summa ");
    vprintf(format, args);
    printf("\n");
    va_end(args);
    fflush(stdout);
    MPI_Initialized(&started);
    if (started) MPI_Abort(MPI_COMM_WORLD, 1);
    return false;
}

static int m = 1024, n = 1024, k = 1024, overlap = 1;

/* ---- input: any rank can compute any element ---- */

/* Normally distributed (Box-Muller), determined by matrix, row and column. */
static uint16_t element(int matrix, int row, int column)
{
    uint64_t state = ((uint64_t)matrix << 62 | (uint64_t)row << 31 | (uint64_t)column) * 0xd1342543de82ef95u;
    return spe_f32_to_f16_bits(random_normal(&state));
}

/* Rows r0 to r1, columns c0 to c1, rows `pitch` apart. */
static void fill_block(uint16_t *x, int matrix, int r0, int r1, int c0, int c1, int pitch)
{
    for (int r = r0; r < r1; r++)
        for (int c = c0; c < c1; c++) x[(size_t)(r - r0) * (size_t)pitch + (size_t)(c - c0)] = element(matrix, r, c);
}

/* Checks this rank's block of C. */
static bool check(const place *p, const float *c)
{
    int rows = p->i1 - p->i0, columns = p->j1 - p->j0;
    uint16_t *a = (uint16_t *)malloc((size_t)rows * (size_t)k * 2 + 1);
    uint16_t *b = (uint16_t *)malloc((size_t)columns * (size_t)k * 2 + 1);
    bool ok = (a && b) || fail("out of memory for the check");
    if (ok) fill_block(a, 0, p->i0, p->i1, 0, k, k);
    if (ok) fill_block(b, 1, 0, k, p->j0, p->j1, columns);
    ok = ok && (!rows || !columns || check_product(by_rows(a, rows, k), by_rows(b, k, columns), c));
    free(a);
    free(b);
    return ok;
}

/* ---- the grid and the device ---- */

static void take_place(place *p)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &p->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p->ranks);
    p->grid[0] = p->grid[1] = 0;
    MPI_Dims_create(p->ranks, 2, p->grid);
    p->at[0] = p->rank / p->grid[1];
    p->at[1] = p->rank % p->grid[1];
    MPI_Comm_split(MPI_COMM_WORLD, p->at[0], p->at[1], &p->row);
    MPI_Comm_split(MPI_COMM_WORLD, p->at[1], p->at[0], &p->column);
    p->i0 = (int)((long)m * p->at[0] / p->grid[0]);
    p->i1 = (int)((long)m * (p->at[0] + 1) / p->grid[0]);
    p->j0 = (int)((long)n * p->at[1] / p->grid[1]);
    p->j1 = (int)((long)n * (p->at[1] + 1) / p->grid[1]);
}

/* The ranks on a machine take its devices in turn. */
static bool open_own_device(buffers *b, const place *p)
{
    MPI_Comm machine;
    int local = 0, devices;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, p->rank, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &local);
    MPI_Comm_free(&machine);
    if (!open_device(&b->first, asked.device)) return false;
    devices = zed_context_devices(&b->first);
    if (devices < 1) return fail_device(&b->first);
    return zed_open_in_context(&b->dev, &b->first, local % devices) || fail_device(&b->dev);
}

static int width_of(int panel) { return k - panel * PANEL < PANEL ? k - panel * PANEL : PANEL; }
static int panels_of(void) { return (k + PANEL - 1) / PANEL; }

/* Elements of a full panel of A (matrix 0) or B (matrix 1) on this rank. */
static size_t panel_size(const place *p, int matrix)
{
    return (size_t)(matrix ? p->j1 - p->j0 : p->i1 - p->i0) * PANEL;
}

/* Panels of A are distributed over the ranks of a grid row, those of B over a grid column. */
static int owner_of(const place *p, int matrix, int panel) { return panel % p->grid[!matrix]; }
static bool owns(const place *p, int matrix, int panel) { return owner_of(p, matrix, panel) == p->at[!matrix]; }

/* The address of a panel, or where it will arrive. */
static uint16_t *panel_at(const place *p, const buffers *b, int matrix, int panel)
{
    if (!owns(p, matrix, panel)) return b->room[matrix][panel % 2];
    return b->own[matrix] + (size_t)(panel / p->grid[!matrix]) * panel_size(p, matrix);
}

static void fill_own(const place *p, buffers *b)
{
    for (int panel = 0; panel < panels_of(); panel++) {
        int k0 = panel * PANEL, width = width_of(panel);
        if (owns(p, 0, panel)) fill_block(panel_at(p, b, 0, panel), 0, p->i0, p->i1, k0, k0 + width, width);
        if (owns(p, 1, panel)) fill_block(panel_at(p, b, 1, panel), 1, k0, k0 + width, p->j0, p->j1, p->j1 - p->j0);
    }
}

/* Panels are in host memory, which MPI may write while the device works. Even a block without rows or columns has
 * buffers. */
static bool prepare(buffers *b, const place *p)
{
    size_t elements = (size_t)(p->i1 - p->i0) * (size_t)(p->j1 - p->j0) + 1;
    const xt_target target = {ZED_TARGET(&b->dev)};
    b->tiles = propose_tiles(&f16_product, &target);
    xt_module mod = XT_BUILD(summa_step, &target, .subgroup_size = b->tiles.subgroup_size,
                             .registers = b->tiles.registers, .user = &b->tiles);
    if (!mod.words) return fail_build(&mod);
    ZED_LOAD(&b->kernel, &b->dev, mod);
    xt_free(&mod);
    for (int matrix = 0; matrix < 2; matrix++) {
        size_t bytes = panel_size(p, matrix) * 2 + 2, most = (size_t)(panels_of() / p->grid[!matrix] + 1);
        b->own[matrix] = (uint16_t *)zed_alloc(&b->dev, ZED_HOST, bytes * most, 0);
        for (int i = 0; i < 2; i++) b->room[matrix][i] = (uint16_t *)zed_alloc(&b->dev, ZED_HOST, bytes, 0);
    }
    b->c = (float *)zed_alloc(&b->dev, ZED_SHARED, elements * 4, 0);
    if (!b->c) return fail_device(&b->dev);
    fill_own(p, b);
    return true;
}

/* ---- the product ---- */

/* Starts sending the panels: along the grid's row for A, along its column for B. */
static void send_panels(const place *p, const buffers *b, int panel, MPI_Request *request)
{
    for (int matrix = 0; matrix < 2; matrix++) {
        int count = (int)panel_size(p, matrix) / PANEL * width_of(panel);
        MPI_Ibcast(panel_at(p, b, matrix, panel), count, MPI_UINT16_T, owner_of(p, matrix, panel),
                   matrix ? p->column : p->row, &request[matrix]);
    }
}

/* MPI_Waitall would spin and take CPU time from a software device. */
static void wait_for_panels(MPI_Request *request)
{
    const struct timespec pause = {0, 20000};
    int arrived = 0;
    while (MPI_Testall(2, request, &arrived, MPI_STATUSES_IGNORE) == MPI_SUCCESS && !arrived) thrd_sleep(&pause, NULL);
}

static bool start_step(const place *p, buffers *b, int panel)
{
    uint32_t rows = (uint32_t)(p->i1 - p->i0), columns = (uint32_t)(p->j1 - p->j0);
    zed_groups groups = groups_of_tiles(&b->tiles, (int)rows, (int)columns);
    if (!rows || !columns) return true;
    return zed_start(&b->kernel, groups, panel_at(p, b, 0, panel), panel_at(p, b, 1, panel), b->c, rows, columns,
                     (uint32_t)width_of(panel)) ||
           fail_device(&b->dev);
}

/* Sends the next panel while the device multiplies one. Returns seconds, negative on failure. */
static double multiply(const place *p, buffers *b)
{
    int panels = panels_of();
    MPI_Request request[2];
    double start;
    bool ok = true;
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    send_panels(p, b, 0, request);
    for (int i = 0; i < panels && ok; i++) {
        wait_for_panels(request);
        ok = start_step(p, b, i);
        if (!overlap) ok = ok && (zed_wait(&b->dev) || fail_device(&b->dev));
        if (i + 1 < panels) send_panels(p, b, i + 1, request);
        if (overlap && i + 1 < panels) wait_for_panels(request); /* arrives while the device works */
        ok = ok && (zed_wait(&b->dev) || fail_device(&b->dev));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return ok ? MPI_Wtime() - start : -1;
}

static bool run(place *p)
{
    static buffers b;
    double seconds = 0, best = 1e30;
    take_place(p);
    if (!open_own_device(&b, p) || !prepare(&b, p)) return false;
    for (int turn = 0; turn <= RUNS && seconds >= 0; turn++) { /* the first warms up */
        if (!zed_fill(&b.dev, b.c, 0, (size_t)(p->i1 - p->i0) * (size_t)(p->j1 - p->j0) * 4 + 4))
            return fail_device(&b.dev);
        seconds = multiply(p, &b);
        if (turn && seconds < best) best = seconds;
    }
    if (seconds < 0 || !check(p, b.c)) return false;
    MPI_Barrier(MPI_COMM_WORLD); /* all ranks are right */
    if (p->rank == 0) {
        printf("device   %s, %d x %d ranks\n", b.dev.name, p->grid[0], p->grid[1]);
        printf("time     %.3f ms, %.1f GFLOP/s on %d rank%s\n", best * 1e3, 2.0 * m * n * k / best * 1e-9, p->ranks,
               p->ranks == 1 ? "" : "s");
        printf("ok mpi_summa f16 %d x %d x %d on %d\n", m, n, k, p->ranks);
    }
    zed_close(&b.dev);
    zed_close(&b.first);
    MPI_Comm_free(&p->row);
    MPI_Comm_free(&p->column);
    return true;
}

static bool run_rank(int argc, char **argv)
{
    place p;
    bool ok;
    memset(&p, 0, sizeof p);
    MPI_Init(&argc, &argv);
    ok = run(&p);
    MPI_Finalize();
    return ok;
}

static const example_option options[] = {
    SIZE("--m", "rows of A and C", &m),
    SIZE("--n", "columns of B and C", &n),
    SIZE("--k", "columns of A, rows of B", &k),
    NUMBER("--overlap", "1: broadcast the next panel while this one is multiplied; 0: do not", &overlap, 0, 1),
    OPTIONS_END,
};
static const example_form forms[] = {{.kernel = &summa_step, .product = &f16_product}, FORMS_END};

int main(int argc, char **argv)
{
    const example e = {.about = "C = A B over MPI ranks, which take the devices of --device's context in turn",
                       .options = options,
                       .forms = forms,
                       .run_alone = run_rank};
    return example_main(argc, argv, &e);
}
