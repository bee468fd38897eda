/* test_xetile_layout.c - XT_BROADCAST, XT_TRANSPOSE, XT_CONVERT_LAYOUT and XT_SLICE: in registers, between subgroups
 * through local memory, and in passes if local memory is smaller than the vector. */
#include "xetile_case.h"

typedef enum { BROADCAST, TRANSPOSE, CONVERT, SLICE } operation;

typedef struct {
    operation what;
    int type, rows, cols;           /* the operand */
    int dim, size;                  /* of a broadcast: dimension, copies */
    int row, col, to_rows, to_cols; /* of a slice */
    xt_map from, to, source;
    int subgroup_size, local_memory;
    bool registers; /* needs no local memory */
    bool fresh;     /* the operation directly follows the load: a transpose may become a transposing load */
} layout_case;

static layout_case now;
static chosen type;
static int rows, cols; /* of the result */

static xt_vec moved(XT_CONTEXT, xt_vec v)
{
    switch (now.what) {
    case BROADCAST:
        return XT_BROADCAST(v, now.dim, now.dim ? cols : rows, .broadcast_size = now.size, .map = now.to,
                            .source = now.source);
    case TRANSPOSE: return XT_TRANSPOSE(v, .map = now.to, .source = now.source);
    case CONVERT: return XT_CONVERT_LAYOUT(v, .map = now.to, .source = now.source);
    default: return XT_SLICE(v, now.row, now.col, now.to_rows, now.to_cols, .map = now.to);
    }
}

XT_KERNEL(move, u64(A), u64(R))
{
    xt_tile a = XT_INIT_TILE(A, of(type), now.rows, now.cols, .shape = XT_AT(now.rows, now.cols), .map = now.from);
    xt_vec v = XT_LOAD_TILE(a), r = moved(XT_SELF, now.fresh ? v : XT_CAST(of(type), v));
    XT_STORE_TILE(r, XT_INIT_TILE(R, of(type), rows, cols, .shape = XT_AT(rows, cols), .map = r.map));
}

static void check(const variant *v)
{
    size_t n;
    int wrong = 0;
    void *a, *r;
    type.type = now.type;
    rows = now.what == SLICE ? now.to_rows : now.what == TRANSPOSE ? now.cols : now.rows;
    cols = now.what == SLICE ? now.to_cols : now.what == TRANSPOSE ? now.rows : now.cols;
    if (now.what == BROADCAST) *(now.dim ? &cols : &rows) *= now.size;
    n = (size_t)(rows * cols);
    a = new_matrix(now.type, (size_t)(now.rows * now.cols));
    r = new_poison(now.type, n);
    if (RUN_KERNEL(move, v, ONE_GROUP, ADDRESS(a), ADDRESS(r)))
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++) {
                int p = now.what == TRANSPOSE ? j : now.what == BROADCAST && !now.dim ? i / now.size : i + now.row;
                int q = now.what == TRANSPOSE ? i : now.what == BROADCAST && now.dim ? j / now.size : j + now.col;
                wrong += get(now.type, r, (size_t)(i * cols + j)) != get(now.type, a, (size_t)(p * now.cols + q));
            }
    CHECK_MSG(wrong == 0, "operation %d of %d x %d %s: %d wrong", (int)now.what, now.rows, now.cols,
              type_name(now.type), wrong);
    zed_free(&device, a);
    zed_free(&device, r);
}

static void check_all(const layout_case *c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        xt_module mod;
        variant v = variant_of(c[i].subgroup_size, c[i].local_memory);
        if (!target_has(&v) || !has_type(c[i].type)) continue;
        now = c[i];
        check(&v);
        mod = XT_BUILD(move, &(xt_target){.name = "generic"}, .subgroup_size = now.subgroup_size);
        CHECK_MSG((mod.local_memory == 0) == now.registers, "case %d uses %u bytes of local memory", (int)i,
                  mod.local_memory);
        xt_free(&mod);
    }
}
#define CHECK_ALL(cases) check_all(cases, sizeof(cases) / sizeof(cases)[0])
#define MAP(a, b, c, d) {{a, b}, {c, d}}

TEST(broadcasts)
{
    static const layout_case cases[] = {
        {.what = BROADCAST, .type = CM_F32, .rows = 1, .cols = 32, .dim = 0, .size = 12, .registers = true},
        {.what = BROADCAST, .type = CM_F16, .rows = 20, .cols = 1, .dim = 1, .size = 48, .registers = true},
        {.what = BROADCAST, .type = CM_I8, .rows = 2, .cols = 24, .dim = 0, .size = 5, .registers = true},
        {.what = BROADCAST, .type = CM_F64, .rows = 6, .cols = 4, .dim = 1, .size = 8, .subgroup_size = 8,
         .registers = true},
        {.what = BROADCAST, .type = CM_BF16, .rows = 1, .cols = 1, .dim = 0, .size = 40, .subgroup_size = 32,
         .registers = true},
        /* the specifications': all of a dimension, and the one whose source is in a column of subgroups */
        {.what = BROADCAST, .type = CM_F32, .rows = 32, .cols = 1, .dim = 1, .size = 32, .from = MAP(4, 1, 8, 1),
         .to = MAP(4, 1, 8, 32), .registers = true},
        {.what = BROADCAST, .type = CM_F32, .rows = 1, .cols = 64, .dim = 0, .size = 32, .from = MAP(4, 2, 1, 32),
         .to = MAP(4, 2, 8, 32), .registers = true},
        {.what = BROADCAST, .type = CM_I32, .rows = 8, .cols = 16, .dim = 0, .size = 4, .from = MAP(2, 1, 2, 16),
         .to = MAP(2, 1, 8, 16), .registers = true},
        /* the older specification's: both maps, data moves */
        {.what = BROADCAST, .type = CM_F32, .rows = 32, .cols = 1, .dim = 1, .size = 32, .from = MAP(8, 1, 4, 1),
         .to = MAP(2, 4, 16, 8), .source = MAP(8, 1, 4, 1)},
    };
    CHECK_ALL(cases);
}

TEST(transposes)
{
    static const layout_case cases[] = {
        {.what = TRANSPOSE, .type = CM_F32, .rows = 16, .cols = 32, .registers = true},
        {.what = TRANSPOSE, .type = CM_F16, .rows = 20, .cols = 13, .registers = true},
        {.what = TRANSPOSE, .type = CM_F16, .rows = 20, .cols = 13, .registers = true, .fresh = true},
        {.what = TRANSPOSE, .type = CM_I8, .rows = 1, .cols = 50, .registers = true},
        {.what = TRANSPOSE, .type = CM_F64, .rows = 40, .cols = 2, .registers = true},
        {.what = TRANSPOSE, .type = CM_I16, .rows = 9, .cols = 16, .subgroup_size = 8, .registers = true},
        /* the specification's example, smaller, with the map that follows and with both given */
        {.what = TRANSPOSE, .type = CM_F32, .rows = 64, .cols = 32, .from = MAP(4, 2, 16, 16)},
        {.what = TRANSPOSE, .type = CM_BF16, .rows = 64, .cols = 32, .from = MAP(4, 2, 16, 16), .to = MAP(2, 4, 16, 16),
         .source = MAP(4, 2, 16, 16)},
        /* appendix 2.2: between any two maps; 2.3: the same in registers */
        {.what = TRANSPOSE, .type = CM_F16, .rows = 64, .cols = 16, .from = MAP(2, 4, 32, 16), .to = MAP(4, 2, 16, 32)},
        {.what = TRANSPOSE, .type = CM_F16, .rows = 64, .cols = 16, .from = MAP(8, 1, 32, 16), .to = MAP(4, 2, 16, 32),
         .registers = true, .fresh = true},
        /* in passes whose ends are not those of blocks */
        {.what = TRANSPOSE, .type = CM_F32, .rows = 48, .cols = 40, .from = MAP(3, 1, 16, 40), .to = MAP(1, 3, 40, 16),
         .registers = true},
        {.what = TRANSPOSE, .type = CM_F32, .rows = 48, .cols = 40, .from = MAP(1, 4, 48, 10), .to = MAP(2, 2, 20, 24),
         .local_memory = 1300},
    };
    CHECK_ALL(cases);
}

TEST(conversions_of_layout)
{
    static const layout_case cases[] = {
        /* the specification's example, smaller; the second map given or not */
        {.what = CONVERT, .type = CM_F32, .rows = 64, .cols = 64, .from = MAP(4, 2, 16, 32), .to = MAP(8, 1, 8, 64)},
        {.what = CONVERT, .type = CM_F16, .rows = 64, .cols = 64, .from = MAP(4, 2, 16, 32), .to = MAP(8, 1, 8, 64),
         .source = MAP(4, 2, 16, 32)},
        /* passes over columns of every piece, over rows of whole pieces, over single rows */
        {.what = CONVERT, .type = CM_F16, .rows = 32, .cols = 128, .from = MAP(2, 2, 16, 32), .to = MAP(4, 1, 8, 128),
         .local_memory = 4096},
        {.what = CONVERT, .type = CM_I32, .rows = 16, .cols = 96, .from = MAP(4, 1, 4, 48), .to = MAP(2, 2, 8, 96),
         .local_memory = 2100},
        {.what = CONVERT, .type = CM_F32, .rows = 64, .cols = 64, .from = MAP(4, 2, 16, 32), .to = MAP(8, 1, 8, 64),
         .local_memory = 4096},
        {.what = CONVERT, .type = CM_I64, .rows = 12, .cols = 20, .from = MAP(3, 2, 4, 10), .to = MAP(1, 6, 12, 20),
         .local_memory = 500},
        {.what = CONVERT, .type = CM_I8, .rows = 32, .cols = 32, .from = MAP(2, 2, 4, 4), .to = MAP(4, 1, 8, 32)},
        /* the same elements, split differently: nothing moves */
        {.what = CONVERT, .type = CM_F32, .rows = 32, .cols = 32, .from = MAP(2, 2, 16, 8), .to = MAP(2, 2, 16, 16)},
        {.what = CONVERT, .type = CM_F32, .rows = 32, .cols = 32, .from = MAP(4, 1, 8, 32), .to = MAP(4, 1, 8, 16),
         .registers = true},
        {.what = CONVERT, .type = CM_F32, .rows = 32, .cols = 16, .from = MAP(4, 1, 32, 16), .to = MAP(2, 2, 32, 16),
         .registers = true},
        /* from every subgroup's own whole vector */
        {.what = CONVERT, .type = CM_U16, .rows = 24, .cols = 16, .to = MAP(3, 1, 8, 16)},
    };
    CHECK_ALL(cases);
}

TEST(slices)
{
    static const layout_case cases[] = {
        {.what = SLICE, .type = CM_F32, .rows = 16, .cols = 32, .row = 8, .col = 16, .to_rows = 4, .to_cols = 16,
         .registers = true},
        {.what = SLICE, .type = CM_F16, .rows = 20, .cols = 30, .row = 3, .col = 5, .to_rows = 7, .to_cols = 9,
         .registers = true},
        {.what = SLICE, .type = CM_I8, .rows = 4, .cols = 64, .row = 3, .col = 1, .to_rows = 1, .to_cols = 63,
         .registers = true},
        {.what = SLICE, .type = CM_F32, .rows = 32, .cols = 32, .row = 8, .col = 4, .to_rows = 16, .to_cols = 8,
         .from = MAP(2, 2, 16, 16), .to = MAP(4, 1, 4, 8)},
    };
    CHECK_ALL(cases);
}

int main(void)
{
    if (!zed_open(&device, &(zed_options){0})) {
        zed_print_error(&device, stderr);
        return 1;
    }
    RUN(broadcasts);
    RUN(transposes);
    RUN(conversions_of_layout);
    RUN(slices);
    zed_close(&device);
    return test_report();
}
