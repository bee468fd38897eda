/* gather.c - gathers rows of a table by index, like an embedding, and scatters them by a permutation: load_gather and
 * store_scatter of XeTile.
 *
 *     found[i] = table[index[i]], or PADDING in every column if index[i] is not a row of the table
 *     moved[order[i]] = found[i]
 *
 *     cc -std=c11 gather.c -lze_loader -lm && ./a.out
 *
 * f16 elements are only moved, so every one must have the same bits. See `gather --help`.
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "gather"
#include "example.h"

/* A work-group of four subgroups moves 16 rows of up to 32 columns. */
enum { ROWS = 16, COLUMNS = 32, PADDING = -1 };
#define MAP XT_MAP(.sg_layout = {4, 1}, .sg_data = {4, COLUMNS})
#define MAP_OF_ONE XT_MAP(.sg_layout = {4, 1}, .sg_data = {4, 1})

/* Offsets of the elements of rows with these numbers: number * N + column. */
static xt_vec element_offsets(XT_CONTEXT, xt_vec numbers, xt_vec columns, xt_val N)
{
    xt_vec rows = XT_BROADCAST(numbers, 1, COLUMNS, .map = MAP);
    return XT_ADD(XT_MUL(rows, N), columns);
}

XT_KERNEL(gather, ptr(f16, TABLE), ptr(i32, INDEX), ptr(i32, ORDER), ptr(f16, FOUND), ptr(f16, MOVED), u32(M), u32(N),
          u32(K))
{
    xt_val i = XT_MUL(XT_GROUP_ID(1), ROWS), j = XT_MUL(XT_GROUP_ID(0), COLUMNS);
    xt_tile index = XT_INIT_TILE(INDEX, i32, ROWS, 1, .offset = XT_AT(i, 0), .shape = XT_AT(M, 1), .map = MAP_OF_ONE);
    xt_tile order = XT_INIT_TILE(ORDER, i32, ROWS, 1, .offset = XT_AT(i, 0), .shape = XT_AT(M, 1), .map = MAP_OF_ONE);
    xt_tile found = XT_INIT_TILE(FOUND, f16, ROWS, COLUMNS, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = MAP);

    /* Columns beyond the last would be those of the next row: the mask excludes them. A number that is not a row gives
     * offsets outside the table. Rows beyond the last are read as number -1, so nothing is stored for them. */
    xt_vec first = XT_IOTA(i32, ROWS, COLUMNS, 1, .map = MAP), columns = XT_ADD(first, j), inside = XT_LT(columns, N);
    xt_vec from = element_offsets(XT_SELF, XT_LOAD_TILE(index, .padding = -1), columns, N);
    xt_vec to = element_offsets(XT_SELF, XT_LOAD_TILE(order, .padding = -1), columns, N);
    xt_tile rows = XT_INIT_TILE(TABLE, f16, ROWS, COLUMNS, .scatter = from, .shape = XT_AT(XT_MUL(K, N)), .map = MAP);
    xt_tile places = XT_INIT_TILE(MOVED, f16, ROWS, COLUMNS, .scatter = to, .shape = XT_AT(XT_MUL(M, N)), .map = MAP);
    xt_vec v = XT_LOAD_GATHER(rows, inside, .padding = PADDING);
    XT_STORE_TILE(v, found);
    XT_STORE_SCATTER(v, places, inside);
}

typedef struct {
    int m, n, k;
} problem;

/* ---- messages and the command line ---- */

typedef struct {
    const char *emit, *target, *device, *m, *n, *k;
    bool list, help;
} options;

static void print_help(void)
{
    printf("gather: gathers rows of a table by index, and scatters them by a permutation\n"
           "  --m M --n N --k K   rows that are wanted, columns, rows of the table; default 1000 77 300\n"
           "  --device NAME       number or part of the name of a device; --list prints them\n"
           "  --emit FILE         write the SPIR-V module instead of running it\n"
           "  --print             print the kernel instead: as recorded, its maps, what a subgroup does\n"
           "  --target NAME       ... for pvc, bmg, lnl, ptl, dg2, generic or soft (default bmg)\n"
           "  --list, --help\n"
           "The last line is `ok gather ...` or `FAILED gather ...`.\n");
}

static bool parse_option(options *o, char **argv, int *i)
{
    const example_option with_value[] = {{"--emit", &o->emit}, {"--target", &o->target}, {"--device", &o->device},
                      {"--m", &o->m},       {"--n", &o->n},           {"--k", &o->k}};
    return parse_one(with_value, sizeof with_value / sizeof with_value[0], &o->list, &o->help, argv, i);
}

/* ---- input and check ---- */

/* ---- the run ---- */

/* Every fifth number is not a row of the table. */
static void choose_rows(int32_t *index, int32_t *order, const problem *p, uint64_t *state)
{
    static const int32_t none[] = {-1, INT32_MIN / 65536, 70000};
    for (int i = 0; i < p->m; i++) {
        int other = (int)(random_uniform(state) * (i + 1)); /* Fisher and Yates */
        index[i] = i % 5 == 4 ? (i % 3 == 2 ? p->k : none[i % 3]) : (int32_t)(random_uniform(state) * p->k);
        order[i] = i;
        order[i] = order[other];
        order[other] = i;
    }
}

static bool check(const problem *p, const uint16_t *table, const int32_t *index, const int32_t *order,
                  const uint16_t *found, const uint16_t *moved)
{
    uint16_t padding = spe_f32_to_f16_bits(PADDING);
    size_t wrong = 0, n = (size_t)p->n;
    for (size_t i = 0; i < (size_t)p->m; i++)
        for (size_t j = 0; j < n; j++) {
            bool is_row = index[i] >= 0 && index[i] < p->k;
            uint16_t want = is_row ? table[(size_t)index[i] * n + j] : padding;
            if ((found[i * n + j] != want || moved[(size_t)order[i] * n + j] != want) && wrong++ == 0)
                printf("row %zu, column %zu: found %#x, moved %#x, want %#x\n", i, j, found[i * n + j],
                       moved[(size_t)order[i] * n + j], want);
        }
    return wrong == 0 || fail("%d rows of %d x %d: %zu elements are wrong", p->m, p->k, p->n, wrong);
}

static bool launch(zed_device *dev, const xt_module *mod, const problem *p)
{
    size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;
    uint16_t *table = (uint16_t *)zed_alloc(dev, ZED_SHARED, k * n * 2, 0),
             *found = (uint16_t *)zed_alloc(dev, ZED_SHARED, m * n * 2, 0);
    uint16_t *moved = (uint16_t *)zed_alloc(dev, ZED_SHARED, m * n * 2, 0);
    int32_t *index = (int32_t *)zed_alloc(dev, ZED_SHARED, m * 4, 0),
            *order = (int32_t *)zed_alloc(dev, ZED_SHARED, m * 4, 0);
    uint64_t seed = 2024;
    zed_kernel kernel;
    double ns;
    if (!table || !found || !moved || !index || !order || !ZED_LOAD(&kernel, dev, *mod)) return fail_device(dev);
    fill_normal(table, k * n, &seed);
    choose_rows(index, order, p, &seed);
    if (!zed_fill(dev, found, 0xff, m * n * 2) || !zed_fill(dev, moved, 0xff, m * n * 2)) return fail_device(dev);
    ns = zed_launch_timed(&kernel,
                          (zed_groups){(uint32_t)(p->n + COLUMNS - 1) / COLUMNS, (uint32_t)(p->m + ROWS - 1) / ROWS, 1},
                          table, index, order, found, moved, (uint32_t)p->m, (uint32_t)p->n, (uint32_t)p->k);
    if (ns < 0) return fail_device(dev);
    if (!check(p, table, index, order, found, moved)) return false;
    printf("ok gather %d rows of %d x %d, %.2f GB/s\n", p->m, p->k, p->n, 6.0 * p->m * p->n / ns);
    return true;
}

static bool run(const options *o, const problem *p)
{
    zed_device dev;
    xt_module mod;
    bool ok = open_device(&dev, o->device);
    memset(&mod, 0, sizeof mod);
    if (ok) {
        printf("device   %s\n", dev.name);
        mod = XT_BUILD(gather, &(xt_target){ZED_TARGET(&dev)});
        ok = mod.words ? launch(&dev, &mod, p) : fail_build(&mod);
    }
    xt_free(&mod);
    zed_close(&dev); /* frees the memory too */
    return ok;
}

static bool emit(const options *o)
{
    const char *target = o->target ? o->target : "bmg";
    xt_module mod;
    bool ok;
    mod = XT_BUILD(gather, &(xt_target){.name = target});
    if (!mod.words) {
        ok = fail_build(&mod);
    } else {
        ok = write_module(o->emit, &mod);
    }
    if (ok)
        printf("params   %s\nflags    %s\nok gather: %s, %zu bytes\n", mod.params, mod.build_flags, o->emit, mod.size);
    xt_free(&mod);
    return ok;
}

int main(int argc, char **argv)
{
    atexit(flush_output);
    options o;
    problem p;
    bool ok = true;
    (void)argc;
    memset(&o, 0, sizeof o);
    for (int i = 1; argv[i] && ok; i++) ok = parse_option(&o, argv, &i);
    if (ok && o.target && !o.emit) ok = fail("--target requires --emit");
    ok = ok && parse_size("--m", o.m, 1000, &p.m) && parse_size("--n", o.n, 77, &p.n) &&
         parse_size("--k", o.k, 300, &p.k) &&
         ((int64_t)p.n * (p.k > p.m ? p.k : p.m) <= INT32_MAX ||
          fail("--n %d: the table or the result is too large", p.n));
    if (ok && o.help)
        print_help();
    else if (ok && o.list)
        ok = zed_print_list(stdout);
    else if (ok)
        ok = o.emit ? emit(&o) : run(&o, &p);
    return ok ? 0 : 1;
}
