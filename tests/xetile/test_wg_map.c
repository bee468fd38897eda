/* test_wg_map.c - the distribution of a tile over subgroups, against a step-by-step simulation of the specification. */
#undef XETILE_DECLARATIONS /* the bodies are here: private names are tested */
#include "test.h"
#include "xetile.h"

enum { SIDE = 12 };

/* One dimension, as specified: pieces are assigned to subgroup coordinates in turn, wrapping around either of
 * them, until every piece has an owner and every coordinate a piece. owns[coordinate][element]. */
static void deal(int tile, int layout, int data, bool owns[SIDE][SIDE])
{
    int pieces = tile / data, steps = pieces > layout ? pieces : layout;
    memset(owns, 0, sizeof(bool) * SIDE * SIDE);
    for (int step = 0; step < steps; step++)
        for (int e = 0; e < data; e++) owns[step % layout][step % pieces * data + e] = true;
}

static bool fits(int tile, int layout, int data)
{
    int covered = layout * data;
    return tile % data == 0 && (tile % covered == 0 || covered % tile == 0);
}

/* Every tile up to 12, layout up to 8 and data up to 12, in one dimension (the other is 1 x 1). */
TEST(one_dimension)
{
    int accepted = 0, refused = 0;
    for (int tile = 1; tile <= SIDE; tile++)
        for (int layout = 1; layout <= 8; layout++)
            for (int data = 1; data <= SIDE; data++)
                for (int dim = 0; dim < 2; dim++) {
                    bool owns[SIDE][SIDE];
                    xt_map map = {{1, 1}, {1, 1}};
                    xt_dist d;
                    int error, wrong = 0;
                    map.sg_layout[dim] = layout;
                    map.sg_data[dim] = data;
                    error = xt_dist_init(&d, dim ? 1 : tile, dim ? tile : 1, &map);
                    if (!fits(tile, layout, data)) {
                        CHECK_INT(error, XT_ERROR_MAP_FIT);
                        refused++;
                        continue;
                    }
                    CHECK_INT(error, 0);
                    CHECK_INT(d.subgroups, layout);
                    accepted++;
                    deal(tile, layout, data, owns);
                    for (int s = 0; s < layout; s++)
                        for (int e = 0; e < tile; e++)
                            wrong += xt_dist_owns(&d, s, dim ? 0 : e, dim ? e : 0) != owns[s][e];
                    CHECK_MSG(wrong == 0, "tile %d layout %d data %d dim %d: %d wrong", tile, layout, data, dim, wrong);
                }
    CHECK(accepted > 300 && refused > 300);
}

/* Two dimensions: a subgroup with linear id s has coordinates (s / layout1, s % layout1); it owns what both own. */
TEST(two_dimensions)
{
    int checked = 0;
    for (int n = 0; n < 60000; n++) {
        bool rows[SIDE][SIDE], cols[SIDE][SIDE];
        int tile[2], wrong = 0;
        xt_map map;
        xt_dist d;
        for (int i = 0; i < 2; i++) {
            tile[i] = 1 + (int)(test_random() % SIDE);
            map.sg_layout[i] = 1 + (int)(test_random() % 6);
            map.sg_data[i] = 1 + (int)(test_random() % 6);
        }
        if (!fits(tile[0], map.sg_layout[0], map.sg_data[0]) || !fits(tile[1], map.sg_layout[1], map.sg_data[1])) {
            CHECK_INT(xt_dist_init(&d, tile[0], tile[1], &map), XT_ERROR_MAP_FIT);
            continue;
        }
        CHECK_INT(xt_dist_init(&d, tile[0], tile[1], &map), 0);
        deal(tile[0], map.sg_layout[0], map.sg_data[0], rows);
        deal(tile[1], map.sg_layout[1], map.sg_data[1], cols);
        for (int s = 0; s < d.subgroups; s++)
            for (int r = 0; r < tile[0]; r++)
                for (int c = 0; c < tile[1]; c++)
                    wrong +=
                        xt_dist_owns(&d, s, r, c) != (rows[s / map.sg_layout[1]][r] && cols[s % map.sg_layout[1]][c]);
        CHECK_MSG(wrong == 0, "tile %d x %d: %d wrong", tile[0], tile[1], wrong);
        checked++;
    }
    CHECK(checked > 1000);
}

/* The pieces of a subgroup are disjoint, and every element of the tile has an owner. */
TEST(pieces_cover_the_tile)
{
    xt_map map = {{2, 3}, {4, 2}};
    xt_dist d;
    int owners[16][12] = {{0}}, row, col;
    CHECK_INT(xt_dist_init(&d, 16, 12, &map), 0);
    CHECK_INT(xt_dist_pieces(&d), 4);
    for (int s = 0; s < 6; s++)
        for (int n = 0; n < xt_dist_pieces(&d); n++) {
            xt_dist_offset(&d, s, n, &row, &col);
            for (int r = 0; r < 4; r++)
                for (int c = 0; c < 2; c++) owners[row + r][col + c]++;
        }
    for (int r = 0; r < 16; r++)
        for (int c = 0; c < 12; c++) CHECK_INT(owners[r][c], 1);
}

static void check_owners(const xt_dist *d, int row, int col, const int *owners, int count)
{
    int found = 0;
    for (int s = 0; s < d->subgroups; s++) {
        bool wanted = false;
        for (int i = 0; i < count; i++) wanted = wanted || owners[i] == s;
        CHECK_MSG(xt_dist_owns(d, s, row, col) == wanted, "subgroup %d, element %d %d", s, row, col);
        found += wanted;
    }
    CHECK_INT(found, count);
}

/* The specification's table: tile 128 x 128, sg_layout [2, 2], sg_data [32, 128]. */
TEST(table_of_the_text)
{
    xt_map map = XT_MAP(.sg_layout = {2, 2}, .sg_data = {32, 128});
    const int first[] = {0, 1}, second[] = {2, 3};
    xt_dist d;
    CHECK_INT(xt_dist_init(&d, 128, 128, &map), 0);
    CHECK_INT(d.subgroups, 4);
    for (int r = 0; r < 128; r++)
        for (int c = 0; c < 128; c++) check_owners(&d, r, c, r / 32 % 2 ? second : first, 2);
}

/* The maps of appendix 2.1: where each of the 32 subgroups starts, by hand. */
TEST(maps_of_the_gemm)
{
    static const struct {
        int rows, cols;
        xt_map map;
    } cases[] = {
        {256, 32, {{8, 4}, {32, 32}}}, {32, 256, {{8, 4}, {32, 64}}}, {256, 256, {{8, 4}, {32, 64}}},
        {256, 32, {{32, 1}, {8, 32}}}, {32, 256, {{4, 8}, {8, 32}}},  {256, 32, {{32, 1}, {64, 32}}},
    };
    for (int s = 0; s < 32; s++) {
        const int want[][2] = {{s / 4 * 32, 0}, {0, s % 4 * 64},         {s / 4 * 32, s % 4 * 64},
                               {s * 8, 0},      {s / 8 * 8, s % 8 * 32}, {s % 4 * 64, 0}};
        for (int i = 0; i < 6; i++) {
            xt_dist d;
            int row, col;
            CHECK_INT(xt_dist_init(&d, cases[i].rows, cases[i].cols, &cases[i].map), 0);
            CHECK_INT(xt_dist_pieces(&d), 1);
            xt_dist_offset(&d, s, 0, &row, &col);
            CHECK_INT(row, want[i][0]);
            CHECK_INT(col, want[i][1]);
        }
    }
}

/* The derived maps that the newer specification lists for tile_mma. */
TEST(derived_maps)
{
    xt_map d = XT_MAP(.sg_layout = {8, 4}, .sg_data = {32, 64}), a = xt_map_mma_a(&d, 32), b = xt_map_mma_b(&d, 32);
    CHECK_INT(a.sg_layout[0], 8);
    CHECK_INT(a.sg_layout[1], 4);
    CHECK_INT(a.sg_data[0], 32);
    CHECK_INT(a.sg_data[1], 32);
    CHECK_INT(b.sg_layout[0], 8);
    CHECK_INT(b.sg_layout[1], 4);
    CHECK_INT(b.sg_data[0], 32);
    CHECK_INT(b.sg_data[1], 64);
}

TEST(no_map_and_bad_maps)
{
    xt_map none = {{0, 0}, {0, 0}}, half = {{2, 0}, {4, 4}}, negative = {{-1, 1}, {4, 4}};
    xt_dist d;
    CHECK_INT(xt_dist_init(&d, 24, 40, NULL), 0);
    CHECK_INT(d.subgroups, 0);
    CHECK(xt_dist_owns(&d, 0, 23, 39));
    CHECK_INT(xt_dist_init(&d, 24, 40, &none), 0);
    CHECK_INT(d.data[1], 40);
    CHECK_INT(xt_dist_init(&d, 8, 8, &half), XT_ERROR_MAP_VALUES);
    CHECK_INT(xt_dist_init(&d, 8, 8, &negative), XT_ERROR_MAP_VALUES);
    CHECK_INT(xt_dist_init(&d, 0, 8, NULL), XT_ERROR_TILE_SIZE);
    CHECK_STR(xt_error_name(XT_ERROR_MAP_FIT), "XT_ERROR_MAP_FIT");
}

/* How sides are split for coopmatrix.h: into powers of two up to 64, without remainder. */
TEST(cuts)
{
    for (int side = 1; side <= XT_SIDE_MAX_; side++) {
        xt_cut_ cut;
        int at = 0;
        xt_cut_side_(&cut, side, 1);
        for (int i = 0; i < cut.n; i++) {
            CHECK_INT(cut.at[i], at);
            CHECK(cut.size[i] <= 64 && (cut.size[i] & (cut.size[i] - 1)) == 0 &&
                  (i == 0 || cut.size[i] <= cut.size[i - 1]));
            at += cut.size[i];
        }
        CHECK_INT(at, side);
    }
}

int main(void)
{
    RUN(one_dimension);
    RUN(two_dimensions);
    RUN(pieces_cover_the_tile);
    RUN(table_of_the_text);
    RUN(maps_of_the_gemm);
    RUN(derived_maps);
    RUN(no_map_and_bad_maps);
    RUN(cuts);
    return test_report();
}
