/* gather.c - gathers rows of a table by index, like an embedding, and scatters them by a permutation: load_gather and
 * store_scatter of XeTile.
 *
 *     found[i] = table[index[i]], or PADDING in every column if index[i] is not a row of the table
 *     moved[order[i]] = found[i]
 *
 *     cc -std=c11 gather.c -lm && ./a.out
 *
 * f16 elements are only moved, so every one must have the same bits. See `gather --help`.
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "gather"
#include "example.h"
#include "example_gemm.h"

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

/* ---- the program */

static int m = 1000, n = 77, k = 300;

/* Every fifth number is not a row of the table. */
static void choose_rows(int32_t *index, int32_t *order, uint64_t *state)
{
    static const int32_t none[] = {-1, INT32_MIN / 65536, 70000};
    for (int i = 0; i < m; i++) {
        int other = (int)(random_uniform(state) * (i + 1)); /* Fisher and Yates */
        index[i] = i % 5 == 4 ? (i % 3 == 2 ? k : none[i % 3]) : (int32_t)(random_uniform(state) * k);
        order[i] = i;
        order[i] = order[other];
        order[other] = i;
    }
}

static bool check(const uint16_t *table, const int32_t *index, const int32_t *order, const uint16_t *found,
                  const uint16_t *moved)
{
    uint16_t padding = spe_f32_to_f16_bits(PADDING);
    size_t wrong = 0, cols = (size_t)n;
    for (size_t i = 0; i < (size_t)m; i++)
        for (size_t j = 0; j < cols; j++) {
            bool is_row = index[i] >= 0 && index[i] < k;
            uint16_t want = is_row ? table[(size_t)index[i] * cols + j] : padding;
            if ((found[i * cols + j] != want || moved[(size_t)order[i] * cols + j] != want) && wrong++ == 0)
                printf("row %zu, column %zu: found %#x, moved %#x, want %#x\n", i, j, found[i * cols + j],
                       moved[(size_t)order[i] * cols + j], want);
        }
    return wrong == 0 || fail("%d rows of %d x %d: %zu elements are wrong", m, k, n, wrong);
}

static bool run(zed_device *dev, zed_kernel *kernel, const example_form *only)
{
    size_t rows = (size_t)m, cols = (size_t)n;
    uint64_t state = 2024;
    uint16_t *table = new_halves(dev, (size_t)k * cols, &state);
    uint16_t *found = new_halves(dev, rows * cols, NULL), *moved = new_halves(dev, rows * cols, NULL);
    int32_t *index = (int32_t *)new_array(dev, rows * sizeof *index);
    int32_t *order = (int32_t *)new_array(dev, rows * sizeof *order);
    zed_groups groups = {(uint32_t)(n + COLUMNS - 1) / COLUMNS, (uint32_t)(m + ROWS - 1) / ROWS, 1};
    double ns;
    (void)only;
    if (!table || !found || !moved || !index || !order) return fail_device(dev);
    choose_rows(index, order, &state);
    copy_to_device(dev);
    ns = zed_launch_timed(kernel, groups, on_device(table), on_device(index), on_device(order), on_device(found),
                          on_device(moved), (uint32_t)m, (uint32_t)n, (uint32_t)k);
    if (ns < 0 || !copy_from_device(dev, found) || !copy_from_device(dev, moved)) return fail_device(dev);
    if (!check(table, index, order, found, moved)) return false;
    print_error(0); /* elements have the same bits */
    printf("ok gather %d rows of %d x %d, %.2f GB/s\n", m, k, n, 6.0 * m * n / ns);
    return true;
}

static bool check_options(void)
{
    return (int64_t)n * (k > m ? k : m) <= INT32_MAX || fail("--n %d: the table or the result is too large", n);
}

static const example_option options[] = {
    SIZE("--m", "rows that are wanted", &m),
    SIZE("--n", "columns", &n),
    SIZE("--k", "rows of the table", &k),
    OPTIONS_END,
};
static const example_form forms[] = {{.kernel = &gather, .run = run}, FORMS_END};

int main(int argc, char **argv)
{
    const example e = {.about = "gathers rows of a table by index, and scatters them by a permutation",
                       .options = options,
                       .forms = forms,
                       .check = check_options};
    return example_main(argc, argv, &e);
}
