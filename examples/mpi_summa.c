/* mpi_summa.c - C = A B over the ranks of an MPI program, each with its own Level Zero device (SUMMA: van de Geijn and
 * Watts, 1997). The ranks form a grid, and each owns a block of C. For every panel of k, its panels of A and B are
 * broadcast along rows and columns of the grid, while the device multiplies the previous ones. f16, summed in f32; any
 * M, N, K and number of ranks. See `mpi_summa --help`.
 *
 *     mpicc -std=c11 mpi_summa.c -lze_loader -lm && mpirun -np 4 ./a.out
 */
#include <mpi.h>

#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "mpi_summa"
#define EXAMPLE_OWN_FAIL /* also ends the other ranks */
#include "example.h"

#include <float.h>
#include <threads.h>

enum { TILE = 256, STEP = 32, PANEL = 256, RUNS = 3 };

/* C += A B for one panel: A is M x PANEL, B is PANEL x N, of which K columns and rows are used. */
XT_KERNEL(summa_step, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(M), u32(N), u32(K))
{
    const xt_map map_a = XT_MAP(.sg_layout = {8, 4}, .sg_data = {32, STEP});
    const xt_map map_b = XT_MAP(.sg_layout = {8, 4}, .sg_data = {STEP, 64});
    const xt_map map_c = XT_MAP(.sg_layout = {8, 4}, .sg_data = {32, 64});
    xt_val i = XT_MUL(XT_GROUP_ID(1), TILE), j = XT_MUL(XT_GROUP_ID(0), TILE);
    xt_tile a = XT_INIT_TILE(A, f16, TILE, STEP, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = map_a);
    xt_tile b = XT_INIT_TILE(B, f16, STEP, TILE, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = map_b);
    xt_tile c = XT_INIT_TILE(C, f32, TILE, TILE, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = map_c);
    xt_vec acc = XT_LOAD_TILE(c);
    XT_FOR(k, 0, K, STEP, &a, &b, &acc)
    {
        acc = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), acc);
        a = XT_UPDATE_TILE_OFFSET(a, 0, STEP);
        b = XT_UPDATE_TILE_OFFSET(b, STEP, 0);
    }
    XT_STORE_TILE(acc, c);
}

/* This rank's row and column in the grid of rows x columns, and its part of the product. */
typedef struct {
    int m, n, k;
    int rank, ranks, grid[2], at[2];
    MPI_Comm row, column; /* the ranks of the same grid row, and column */
    int i0, i1, j0, j1;   /* rows and columns of its block of C */
} place;

typedef struct {
    zed_device first, dev;
    zed_kernel kernel;
    uint16_t *own[2], *room[2][2]; /* for A and B: this rank's panels; two receive buffers, one of them in use */
    float *c;
} buffers;

/* ---- messages and the command line ---- */

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

typedef struct {
    const char *emit, *target, *device, *m, *n, *k, *overlap;
    bool list, help;
} options;

static void print_help(void)
{
    printf("mpi_summa: C = A B over MPI ranks, each with a device\n"
           "  --m M --n N --k K   sizes, default 1024 1024 1024\n"
           "  --overlap 0|1       broadcast the next panel while this one is multiplied (default 1)\n"
           "  --device NAME       number or part of the name of a device; the ranks of a machine take its context's in "
           "turn\n"
           "  --emit FILE         write the SPIR-V module instead of running it\n"
           "  --print             print the kernel instead: as recorded, its maps, what a subgroup does\n"
           "  --target NAME       ... for pvc, bmg, lnl, ptl, dg2, generic or soft (default bmg)\n"
           "  --list, --help\n"
           "The last line is `ok mpi_summa ...` or `FAILED mpi_summa ...`.\n");
}

static bool parse_option(options *o, char **argv, int *i)
{
    const example_option with_value[] = {{"--emit", &o->emit}, {"--target", &o->target}, {"--device", &o->device},
                      {"--m", &o->m},       {"--n", &o->n},           {"--k", &o->k},
                      {"--overlap", &o->overlap}};
    return parse_one(with_value, sizeof with_value / sizeof with_value[0], &o->list, &o->help, argv, i);
}

/* A size from the command line, or `otherwise` if not given. */
static bool parse_from(const char *name, const char *text, int otherwise, int least, int *size)
{
    *size = otherwise;
    return !text || parse_number(name, text, least, 65536, size);
}

/* ---- input: any rank can compute any element ---- */

static double uniform_of(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * (1.0 / 9007199254740992.0);
}

/* Normally distributed (Box-Muller), determined by matrix, row and column. */
static uint16_t element(int matrix, int row, int column)
{
    uint64_t state = ((uint64_t)matrix << 62 | (uint64_t)row << 31 | (uint64_t)column) * 0xd1342543de82ef95u;
    double radius = sqrt(-2 * log(1 - uniform_of(&state)));
    return spe_f32_to_f16_bits((float)(radius * cos(6.283185307179586 * uniform_of(&state))));
}

/* Rows r0 to r1, columns c0 to c1, rows `pitch` apart. */
static void fill_block(uint16_t *x, int matrix, int r0, int r1, int c0, int c1, int pitch)
{
    for (int r = r0; r < r1; r++)
        for (int c = c0; c < c1; c++) x[(size_t)(r - r0) * (size_t)pitch + (size_t)(c - c0)] = element(matrix, r, c);
}

/* Checks each element of this rank's block against f64; sums in f32 are good to 8 sqrt(K) roundings of |a| |b| (see
 * gemm.c). */
static int count_wrong(const place *p, const float *c)
{
    int rows = p->i1 - p->i0, columns = p->j1 - p->j0, wrong = 0;
    size_t k = (size_t)p->k;
    uint16_t *a = (uint16_t *)malloc(((size_t)rows * k + 1) * 2);
    double *row = (double *)malloc(k * sizeof *row), *b = (double *)malloc(((size_t)columns * k + 1) * sizeof *b);
    if (!a || !row || !b) return fail("out of memory for the check"), 1;
    fill_block(a, 0, p->i0, p->i1, 0, p->k, p->k);
    for (int j = 0; j < columns; j++)
        for (size_t q = 0; q < k; q++)
            b[(size_t)j * k + q] = (double)spe_f16_bits_to_f32(element(1, (int)q, p->j0 + j));
    for (int i = 0; i < rows; i++) {
        for (size_t q = 0; q < k; q++) row[q] = (double)spe_f16_bits_to_f32(a[(size_t)i * k + q]);
        for (int j = 0; j < columns; j++) {
            const double *col = b + (size_t)j * k;
            double want = 0, norm_a = 0, norm_b = 0, bound, got = (double)c[(size_t)i * (size_t)columns + (size_t)j];
            for (size_t q = 0; q < k; q++)
                want += row[q] * col[q], norm_a += row[q] * row[q], norm_b += col[q] * col[q];
            bound = 8 * sqrt((double)k) * (double)FLT_EPSILON * sqrt(norm_a * norm_b) + (double)k * (double)FLT_MIN;
            if (!(fabs(got - want) <= bound) && wrong++ == 0)
                printf("rank %d: C(%d, %d) is %.9g, want %.9g within %.3g\n", p->rank, p->i0 + i, p->j0 + j, got, want,
                       bound);
        }
    }
    free(a);
    free(row);
    free(b);
    return wrong;
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
    p->i0 = (int)((long)p->m * p->at[0] / p->grid[0]);
    p->i1 = (int)((long)p->m * (p->at[0] + 1) / p->grid[0]);
    p->j0 = (int)((long)p->n * p->at[1] / p->grid[1]);
    p->j1 = (int)((long)p->n * (p->at[1] + 1) / p->grid[1]);
}

/* The ranks on a machine take its devices in turn. */
static bool open_own_device(buffers *b, const place *p, const char *asked)
{
    MPI_Comm machine;
    int local = 0, devices;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, p->rank, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &local);
    MPI_Comm_free(&machine);
    if (!open_device(&b->first, asked)) return false;
    devices = zed_context_devices(&b->first);
    if (devices < 1) return fail_device(&b->first);
    return zed_open_in_context(&b->dev, &b->first, local % devices) || fail_device(&b->dev);
}

static int width_of(const place *p, int panel) { return p->k - panel * PANEL < PANEL ? p->k - panel * PANEL : PANEL; }
static int panels_of(const place *p) { return (p->k + PANEL - 1) / PANEL; }

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
    for (int panel = 0; panel < panels_of(p); panel++) {
        int k0 = panel * PANEL, width = width_of(p, panel);
        if (owns(p, 0, panel)) fill_block(panel_at(p, b, 0, panel), 0, p->i0, p->i1, k0, k0 + width, width);
        if (owns(p, 1, panel)) fill_block(panel_at(p, b, 1, panel), 1, k0, k0 + width, p->j0, p->j1, p->j1 - p->j0);
    }
}

/* Panels are in host memory, which MPI may write while the device works. Even a block without rows or columns has
 * buffers. */
static bool prepare(buffers *b, const place *p)
{
    size_t elements = (size_t)(p->i1 - p->i0) * (size_t)(p->j1 - p->j0) + 1;
    xt_module mod = XT_BUILD(summa_step, &(xt_target){ZED_TARGET(&b->dev)});
    if (!mod.words) return fail_build(&mod);
    ZED_LOAD(&b->kernel, &b->dev, mod);
    xt_free(&mod);
    for (int matrix = 0; matrix < 2; matrix++) {
        size_t bytes = panel_size(p, matrix) * 2 + 2, most = (size_t)(panels_of(p) / p->grid[!matrix] + 1);
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
        int count = (int)panel_size(p, matrix) / PANEL * width_of(p, panel);
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
    zed_groups groups = {(columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE, 1};
    if (!rows || !columns) return true;
    return zed_start(&b->kernel, groups, panel_at(p, b, 0, panel), panel_at(p, b, 1, panel), b->c, rows, columns,
                     (uint32_t)width_of(p, panel)) ||
           fail_device(&b->dev);
}

/* Sends the next panel while the device multiplies one. Returns seconds, negative on failure. */
static double multiply(const place *p, buffers *b, bool overlap)
{
    int panels = panels_of(p);
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

static bool run(const options *o, place *p, bool overlap)
{
    static buffers b;
    int wrong, total = 0;
    double seconds = 0, best = 1e30;
    take_place(p);
    if (!open_own_device(&b, p, o->device) || !prepare(&b, p)) return false;
    for (int run = 0; run <= RUNS && seconds >= 0; run++) { /* the first warms up */
        if (!zed_fill(&b.dev, b.c, 0, (size_t)(p->i1 - p->i0) * (size_t)(p->j1 - p->j0) * 4 + 4))
            return fail_device(&b.dev);
        seconds = multiply(p, &b, overlap);
        if (run && seconds < best) best = seconds;
    }
    if (seconds < 0) return false;
    wrong = count_wrong(p, b.c);
    MPI_Reduce(&wrong, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (p->rank == 0 && !total) {
        printf("device   %s, %d x %d ranks\n", b.dev.name, p->grid[0], p->grid[1]);
        printf("time     %.3f ms, %.1f GFLOP/s on %d rank%s\n", best * 1e3, 2.0 * p->m * p->n * p->k / best * 1e-9,
               p->ranks, p->ranks == 1 ? "" : "s");
        printf("ok mpi_summa f16 %d x %d x %d on %d\n", p->m, p->n, p->k, p->ranks);
    }
    zed_close(&b.dev);
    zed_close(&b.first);
    MPI_Comm_free(&p->row);
    MPI_Comm_free(&p->column);
    return p->rank != 0 || !total || fail("%d x %d x %d: %d elements are wrong", p->m, p->n, p->k, total);
}

static bool emit(const options *o)
{
    xt_module mod = XT_BUILD(summa_step, &(xt_target){.name = o->target ? o->target : "bmg"});
    bool ok;
    if (!mod.words) {
        ok = fail_build(&mod);
    } else {
        ok = write_module(o->emit, &mod);
    }
    if (ok)
        printf("params   %s\nflags    %s\nok mpi_summa: %s, %zu bytes\n", mod.params, mod.build_flags, o->emit,
               mod.size);
    xt_free(&mod);
    return ok;
}

int main(int argc, char **argv)
{
    atexit(flush_output);
    options o;
    place p;
    int overlap = 1;
    bool ok = true;
    memset(&o, 0, sizeof o);
    memset(&p, 0, sizeof p);
    for (int i = 1; argv[i] && ok; i++) ok = parse_option(&o, argv, &i);
    if (ok && o.target && !o.emit) ok = fail("--target requires --emit");
    ok = ok && parse_from("--m", o.m, 1024, 1, &p.m) && parse_from("--n", o.n, 1024, 1, &p.n) &&
         parse_from("--k", o.k, 1024, 1, &p.k) && parse_from("--overlap", o.overlap, 1, 0, &overlap);
    if (ok && o.help) {
        print_help();
    } else if (ok && o.list) {
        ok = zed_print_list(stdout);
    } else if (ok && o.emit) {
        ok = emit(&o);
    } else if (ok) {
        MPI_Init(&argc, &argv);
        ok = run(&o, &p, overlap != 0);
        MPI_Finalize();
    }
    return ok ? 0 : 1;
}
