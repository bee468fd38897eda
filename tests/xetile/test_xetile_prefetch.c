/* test_xetile_prefetch.c - two consecutive prefetches of a work-group are divided between its subgroups: every line of
 * both tiles is fetched, once, by one message per subgroup, wherever loops have moved the tiles. One by itself is dealt
 * out in the largest pieces. */
#undef XETILE_DECLARATIONS /* the bodies are here: private names are tested */
#include "xetile_case.h"

typedef struct {
    int type, rows[2], cols[2]; /* of the two tiles */
    int layout[2];
    bool column_major;            /* of both */
    int down;                     /* lines per piece; 0: not shared */
    xt_map map[2];
} shared_case;

static shared_case now;
static chosen element;
enum { STEP = 32, TURNS = 3, FIRST = 64, HEIGHT = 1000, WIDTH = 2048, FIELDS = 4 };

/* Writes a value of this subgroup for iteration `turn`. */
static void keep(XT_CONTEXT, xt_val out, xt_val turn, int field, xt_val v)
{
    xt_val at = XT_ADD(XT_MUL(turn, now.layout[0] * now.layout[1]), XT_SUBGROUP_ID());
    xt_tile t = XT_INIT_TILE(out, i32, 1, 1, .offset = XT_AT(at, field), .shape = XT_AT(1 << 20, FIELDS));
    XT_STORE_TILE(XT_SPLAT(i32, 1, 1, v), t);
}

/* The tiles of an iteration, as seen by XT_EMIT when the kernel is built. */
typedef struct {
    xt_ctx *x;
    xt_tile tile[2];
    int field;
} message_part;
static message_part parts[FIELDS];

/* One of the four numbers of the message that these two tiles would be prefetched by: x, y, width and height of the
 * matrix. */
static spe_id emit_part(cm_ctx *c, const spe_id *none, void *user)
{
    const message_part *p = (const message_part *)user;
    xt_share_ s;
    xt_shared_ r;
    (void)none;
    if (!xt_may_share_(p->x, &p->tile[0]) || !xt_may_share_(p->x, &p->tile[1]) ||
        !xt_share_init_(&s, &p->tile[0], &p->tile[1]))
        return spe_i32(c->module, -1);
    r = xt_share_surface_(p->x, &s);
    switch (p->field) {
    case 0: return xt_share_advance_(p->x, &s, &r, 0, r.surface.pos_x);
    case 1: return xt_share_advance_(p->x, &s, &r, 1, r.surface.pos_y);
    case 2: return r.surface.mem_width;
    default: return r.surface.mem_height;
    }
}

static void keep_message(XT_CONTEXT, xt_val out, xt_val turn, const xt_tile *a, const xt_tile *b)
{
    for (int i = 0; i < FIELDS; i++) {
        parts[i] = (message_part){XT_SELF, {*a, *b}, i};
        keep(XT_SELF, out, turn, i, XT_EMIT(i32, emit_part, &parts[i], XT_AT(0)));
    }
}

XT_KERNEL (prefetches, u64(A), u64(B), ptr(i32, R), u32(H), u32(W))
{
    const int order[2] = {now.column_major ? 0 : 1, now.column_major ? 1 : 0};
    xt_val i = XT_MUL(XT_GROUP_ID(0), 512);
    xt_tile pa = XT_INIT_TILE(A, of(element), now.rows[0], now.cols[0], .offset = XT_AT(i, FIRST), .shape = XT_AT(H, W),
                              .map = now.map[0], .order = {order[0], order[1]});
    xt_tile pb = XT_INIT_TILE(B, of(element), now.rows[1], now.cols[1], .offset = XT_AT(FIRST, i),
                              .shape = XT_AT(XT_SUB(H, 8), W), .map = now.map[1], .order = {order[0], order[1]});
    xt_tile c = XT_INIT_TILE(A, of(element), 32, 32, .shape = XT_AT(H, W), .order = {order[0], order[1]});
    xt_vec v = XT_LOAD_TILE(c);
    XT_STORE_TILE(XT_CAST(of(element), XT_TILE_MMA(v, v)), c); /* only products enable messages */
    XT_FOR (k, 0, TURNS * STEP, STEP, &pa, &pb) {
        keep_message(XT_SELF, R, XT_DIV(k, STEP), &pa, &pb);
        XT_PREFETCH_TILE(pa);
        XT_PREFETCH_TILE(pb);
        pa = XT_UPDATE_TILE_OFFSET(pa, 0, STEP);
        pb = XT_UPDATE_TILE_OFFSET(pb, STEP, 0);
    }
}

/* How often the messages of an iteration fetch element (row, col) of tile `which`. */
static int fetched(const int32_t *r, int turn, int which, int row, int col)
{
    int n = now.layout[0] * now.layout[1], bytes = (int)size_of(now.type), across = 64 / bytes, count = 0;
    int height = HEIGHT - (which ? 8 : 0), x, y;
    row += which ? FIRST + turn * STEP : 0;
    col += which ? 0 : FIRST + turn * STEP;
    x = now.column_major ? row : col;
    y = now.column_major ? col : row;
    for (int s = 0; s < n; s++) {
        const int32_t *f = r + (size_t)(turn * n + s) * FIELDS;
        if (f[2] != (now.column_major ? height : WIDTH) * bytes || f[3] != (now.column_major ? WIDTH : height))
            continue;
        count += x >= f[0] && x < f[0] + across && y >= f[1] && y < f[1] + now.down;
    }
    return count;
}

static int wrong_elements(const int32_t *r)
{
    int wrong = 0, n = now.layout[0] * now.layout[1], all = 0, across = 64 / (int)size_of(now.type);
    for (int i = 0; i < 2; i++) all += now.rows[i] * now.cols[i] / (across * now.down);
    for (int turn = 0; turn < TURNS; turn++)
        for (int which = 0; which < 2; which++)
            for (int i = 0; i < now.rows[which]; i++)
                for (int j = 0; j < now.cols[which]; j++) {
                    int times = fetched(r, turn, which, i, j);
                    wrong += times < 1 || (all == n && times > 1); /* spare subgroups repeat a piece */
                }
    return wrong;
}

static int count_prefetches(const xt_module *mod)
{
    enum { OpSubgroup2DBlockPrefetch = 6234 };
    int count = 0;
    for (size_t i = 5; i < mod->size / 4; i += mod->words[i] >> 16)
        count += (mod->words[i] & 0xffff) == OpSubgroup2DBlockPrefetch;
    return count;
}

static void check(const shared_case *c)
{
    int n = c->layout[0] * c->layout[1];
    int32_t *r = (int32_t *)new_poison(CM_I32, (size_t)(n * TURNS * FIELDS));
    void *a = new_matrix(c->type, HEIGHT * WIDTH);
    xt_module mod;
    now = *c;
    element.type = now.type;
    mod = XT_BUILD(prefetches, &(xt_target){.name = "bmg"});
    CHECK_MSG(mod.words != NULL, "%s", mod.error->text);
    if (mod.words) CHECK_INT(count_prefetches(&mod) == 1, now.down > 0);
    xt_free(&mod);
    if (RUN_KERNEL(prefetches, &variants[0], ONE_GROUP, ADDRESS(a), ADDRESS(a), ZED_ARG(r), ZED_ARG(HEIGHT),
                   ZED_ARG(WIDTH))) {
        if (now.down)
            CHECK_INT(wrong_elements(r), 0);
        else
            CHECK_INT(r[0], -1);
    }
    zed_free(&device, r);
    zed_free(&device, a);
}

#define MAP(a, b, c, d) {{a, b}, {c, d}}
TEST(two_prefetches_share_the_subgroups)
{
    static const shared_case cases[] = {
        /* appendix 2.1; 2.5, where 24 of 32 subgroups are enough; four subgroups */
        {CM_F16, {256, 32}, {32, 256}, {32, 1}, false, 16, {MAP(32, 1, 8, 32), MAP(4, 8, 8, 32)}},
        {CM_BF16, {512, 32}, {32, 256}, {32, 1}, false, 32, {MAP(32, 1, 16, 32), MAP(4, 8, 8, 32)}},
        {CM_F16, {32, 256}, {512, 32}, {32, 1}, true, 32, {MAP(1, 32, 32, 16), MAP(32, 1, 8, 32)}},
        {CM_F32, {16, 32}, {32, 16}, {4, 1}, false, 16, {MAP(4, 1, 4, 32), MAP(4, 1, 8, 16)}},
        /* not shared: a side that is not a multiple of a piece; more than one message each */
        {CM_F16, {48, 32}, {24, 32}, {4, 1}, false, 0, {MAP(4, 1, 12, 24), MAP(4, 1, 8, 32)}},
        {CM_F16, {64, 64}, {64, 64}, {4, 1}, false, 0, {MAP(4, 1, 16, 64), MAP(4, 1, 16, 64)}},
    };
    if (strcmp(device.target.name, "soft")) SKIP("looks at what this device's version of the kernel does");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) check(&cases[i]);
}

/* ---- one prefetch */

typedef struct {
    int rows, cols;
    bool column_major;
    xt_map map;
    int messages; /* per subgroup */
} dealt_case;

static const dealt_case *one;
static xt_dist dealt; /* as the kernel was built */

/* The row or column at which this subgroup's first piece begins. */
static spe_id emit_offset(cm_ctx *c, const spe_id *none, void *user)
{
    const message_part *p = (const message_part *)user;
    xt_tile t = xt_now_tile_(p->x, &p->tile[0]);
    (void)c, (void)none;
    xt_fewest_fetches_(p->x, &t);
    dealt = t.dist;
    return xt_index_id_(p->x, &t.offset[p->field]);
}

XT_KERNEL (prefetch, u64(A), ptr(i32, R), u32(H), u32(W))
{
    const int order[2] = {one->column_major ? 0 : 1, one->column_major ? 1 : 0};
    xt_tile p = XT_INIT_TILE(A, f16, one->rows, one->cols, .offset = XT_AT(FIRST, 0), .shape = XT_AT(H, W),
                             .map = one->map, .order = {order[0], order[1]});
    xt_tile c = XT_INIT_TILE(A, f16, 32, 32, .shape = XT_AT(H, W));
    xt_vec v = XT_LOAD_TILE(c);
    XT_STORE_TILE(XT_CAST(f16, XT_TILE_MMA(v, v)), c); /* only products enable messages */
    p = XT_UPDATE_TILE_OFFSET(p, 0, STEP);
    for (int i = 0; i < 2; i++) {
        parts[i] = (message_part){XT_SELF, {p}, i};
        keep(XT_SELF, R, spe_val_int(0), i, XT_EMIT(i32, emit_offset, &parts[i], XT_AT(0)));
    }
    XT_PREFETCH_TILE(p);
}

/* How often the subgroups' pieces contain an element. */
static int times_dealt(const int32_t *r, int row, int col)
{
    int count = 0;
    for (int s = 0; s < dealt.subgroups; s++)
        for (int i = 0; i < xt_dist_pieces(&dealt); i++) {
            int first[2], piece[2];
            xt_dist_offset(&dealt, s, 0, &first[0], &first[1]);
            xt_dist_offset(&dealt, s, i, &piece[0], &piece[1]);
            int y = row - (r[s * FIELDS] - FIRST + piece[0] - first[0]);
            int x = col - (r[s * FIELDS + 1] - STEP + piece[1] - first[1]);
            count += y >= 0 && y < dealt.data[0] && x >= 0 && x < dealt.data[1];
        }
    return count;
}

static void check_one(const dealt_case *c)
{
    int subgroups = c->map.sg_layout[0] * c->map.sg_layout[1], wrong = 0;
    int32_t *r = (int32_t *)new_poison(CM_I32, (size_t)(subgroups * FIELDS));
    void *a = new_matrix(CM_F16, HEIGHT * WIDTH);
    one = c;
    now.layout[0] = subgroups;
    now.layout[1] = 1;
    xt_module mod = XT_BUILD(prefetch, &(xt_target){.name = "bmg"});
    CHECK_MSG(mod.words != NULL, "%s", mod.error->text);
    if (mod.words) CHECK_INT(count_prefetches(&mod), c->messages);
    xt_free(&mod);
    if (RUN_KERNEL(prefetch, &variants[0], ONE_GROUP, ADDRESS(a), ZED_ARG(r), ZED_ARG(HEIGHT), ZED_ARG(WIDTH))) {
        for (int i = 0; i < c->rows * c->cols; i++)
            wrong += times_dealt(r, i / c->cols, i % c->cols) < 1;
        CHECK_INT(wrong, 0);
    }
    zed_free(&device, r);
    zed_free(&device, a);
}

TEST(one_prefetch_is_dealt_out_in_large_pieces)
{
    static const dealt_case cases[] = {
        {256, 128, false, MAP(32, 1, 8, 128), 1},  {128, 256, false, MAP(16, 2, 8, 128), 1},
        {512, 128, false, MAP(32, 1, 16, 128), 2}, {128, 256, true, MAP(2, 16, 64, 16), 1},
        /* as the map says: it needs no more; pieces of 64 bytes do not fit */
        {32, 32, false, MAP(4, 1, 8, 32), 1},      {32, 48, false, MAP(2, 1, 16, 48), 2},
    };
    if (strcmp(device.target.name, "soft")) SKIP("looks at what this device's version of the kernel does");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) check_one(&cases[i]);
}

int main(void)
{
    if (!zed_open(&device, NULL)) {
        printf("%s\n", zed_get_error(&device)->text);
        return 1;
    }
    RUN(two_prefetches_share_the_subgroups);
    RUN(one_prefetch_is_dealt_out_in_large_pieces);
    zed_close(&device);
    return test_report();
}
