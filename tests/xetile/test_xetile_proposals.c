/* test_xetile_proposals.c - xt_tiles_for: for every target, product and size it proposes tiles that fit the registers
 * and the work-group, and of which xt_build makes a module; what is given is kept; what it cannot know is said. */
#include "test.h"
#include "xetile.h"

static const char *const targets[] = {"tgl", "dg1", "mtl", "arl-h", "dg2",     "pvc",  "bmg",   "lnl",
                                      "ptl", "wcl", "nvl", "nvl-p", "cri", "generic", "soft", "vulkan", "hopper"};
enum { TARGETS = sizeof targets / sizeof targets[0] };

static void body(XT_CONTEXT, xt_val A, xt_val B, xt_val C)
{
    const xt_tiles *t = (const xt_tiles *)XT_USER();
    const xt_index m = XT_AT(4096, 4096);
    xt_tile a = XT_INIT_TILE(A, of(A), t->rows, t->k, .shape = m, .map = t->a);
    xt_tile b = XT_INIT_TILE(B, of(B), t->k, t->cols, .shape = m, .map = t->b);
    xt_tile c = XT_INIT_TILE(C, of(C), t->rows, t->cols, .shape = m, .map = t->c);
    XT_PREFETCH_TILE(XT_INIT_TILE(A, of(A), t->rows, t->k, .shape = m, .map = t->fetch_a));
    XT_PREFETCH_TILE(XT_INIT_TILE(B, of(B), t->k, t->cols, .shape = m, .map = t->fetch_b));
    XT_STORE_TILE(XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b)), c);
}

XT_KERNEL(of_f32, ptr(f32, A), ptr(f32, B), ptr(f32, C)) { body(XT_SELF, A, B, C); }
XT_KERNEL(of_f16, ptr(f16, A), ptr(f16, B), ptr(f32, C)) { body(XT_SELF, A, B, C); }
XT_KERNEL(of_bf16, ptr(bf16, A), ptr(bf16, B), ptr(f32, C)) { body(XT_SELF, A, B, C); }
XT_KERNEL(of_i8, ptr(i8, A), ptr(i8, B), ptr(i32, C)) { body(XT_SELF, A, B, C); }

static const struct {
    const xt_kernel *kernel;
    int type, bytes;
} products[] = {{&of_f32, XT_TYPE(f32), 4}, {&of_f16, XT_TYPE(f16), 2}, {&of_bf16, XT_TYPE(bf16), 2},
                {&of_i8, XT_TYPE(i8), 1}};
enum { PRODUCTS = sizeof products / sizeof products[0] };

static void fits(const char *name, int product, int m, int n, bool inside)
{
    const xt_target target = {.name = name};
    const cm_target *row = cm_target_row(name);
    const xt_product wanted = {.a = products[product].type, .b = products[product].type, .m = m, .n = n,
                               .inside = inside};
    xt_tiles t = xt_tiles_for(&target, &wanted);
    const int subgroups = t.c.sg_layout[0] * t.c.sg_layout[1], bytes = products[product].bytes;
    const int lines = inside && row->block1d ? 8 : t.c.sg_data[0]; /* of A, which are read as they are used */
    const int piece = 4 * t.c.sg_data[0] * t.c.sg_data[1] + bytes * t.k * (lines + t.c.sg_data[1]);
    xt_module mod = xt_build(&(xt_build_desc){.kernel = products[product].kernel, .target = &target,
                                              .subgroup_size = t.subgroup_size, .registers = t.registers, .user = &t});
    CHECK_MSG(t.rows == t.c.sg_layout[0] * t.c.sg_data[0] && t.cols == t.c.sg_layout[1] * t.c.sg_data[1], "%s", t.why);
    CHECK_MSG(subgroups * t.subgroup_size * (t.registers == 256 ? 2 : 1) <= row->max_group_size, "%s", t.why);
    CHECK_MSG(piece <= row->registers, "%d bytes: %s", piece, t.why);
    CHECK_MSG(!m || t.rows < 2 * m || t.rows < 2 * 8, "%d rows for %d: %s", t.rows, m, t.why);
    CHECK_MSG(!n || t.cols < 2 * n || t.cols <= 32, "%d columns for %d: %s", t.cols, n, t.why);
    CHECK_HAS(t.why, name);
    CHECK_MSG(mod.words && !(mod.warning && mod.warning->id), "%s, %s: %s", name, t.why,
              mod.words ? mod.warning->text : mod.error->text);
    xt_free(&mod);
}

TEST(every_target)
{
    static const int sizes[][2] = {{0, 0}, {1, 1}, {17, 4096}, {4096, 17}, {100, 100}, {512, 33}};
    for (int t = 0; t < TARGETS; t++)
        for (int p = 0; p < PRODUCTS; p++)
            for (int s = 0; s < 6; s++)
                if (test_takes(t + p + s, 3)) fits(targets[t], p, sizes[s][0], sizes[s][1], (t + p) % 2);
}

TEST(what_is_given_is_kept)
{
    const xt_target target = {.name = "bmg"};
    xt_product p = {.a = XT_TYPE(f16), .b = XT_TYPE(f16), .rows = 64, .cols = 128, .sg_rows = 16, .sg_cols = 32,
                    .step = 16};
    xt_tiles t = xt_tiles_for(&target, &p);
    CHECK(t.rows == 64 && t.cols == 128 && t.k == 16);
    CHECK(t.c.sg_data[0] == 16 && t.c.sg_data[1] == 32 && t.c.sg_layout[0] == 4 && t.c.sg_layout[1] == 4);
    CHECK_HAS(t.why, "as given");
    p = (xt_product){.a = XT_TYPE(f16), .b = XT_TYPE(f16), .max_subgroups = 4};
    t = xt_tiles_for(&target, &p);
    CHECK_INT(t.c.sg_layout[0] * t.c.sg_layout[1], 4);
    CHECK_HAS(t.why, "room for 4");
    p.live = 1; /* another 32 x 64 does not fit */
    p.max_subgroups = 16;
    t = xt_tiles_for(&target, &p);
    CHECK(t.rows == 128 && t.cols == 128 && t.c.sg_data[0] == 32 && t.c.sg_data[1] == 32);
    p = (xt_product){.a = p.a, .b = p.b, .extra = 2049}; /* 32 x 64 sums and a step leave 2,048 bytes */
    t = xt_tiles_for(&target, &p);
    CHECK(t.c.sg_data[0] == 32 && t.c.sg_data[1] == 32);
    p.extra = 2048;
    t = xt_tiles_for(&target, &p);
    CHECK(t.c.sg_data[0] == 32 && t.c.sg_data[1] == 64);
    p = (xt_product){.a = p.a, .b = p.b, .rows = 16, .cols = 48}; /* of a work-group: a subgroup has no more */
    t = xt_tiles_for(&target, &p);
    CHECK_MSG(t.rows == 16 && t.cols == 48, "%d x %d", t.rows, t.cols);
    t = xt_tiles_for(&(xt_target){.name = "bmg", .max_group_size = 128}, &(xt_product){.a = XT_TYPE(f16), .b = p.b});
    CHECK_INT(t.c.sg_layout[0] * t.c.sg_layout[1], 4);
    p = (xt_product){.a = XT_TYPE(i8), .b = XT_TYPE(i8), .sg_rows = 64, .sg_cols = 64, .step = 32};
    t = xt_tiles_for(&(xt_target){.name = "tgl"}, &p); /* though it does not fit */
    CHECK(t.c.sg_data[0] == 64 && t.c.sg_data[1] == 64 && t.k == 32);
}

/* Pieces of the matrix instruction for small floats where it has them; a step of 32 bytes is one of the instruction. */
TEST(small_floats_by_target)
{
    static const char *const names[] = {"cri", "nvl-p", "bmg", "nvl"};
    static const int types[][2] = {{XT_TYPE(e4m3), XT_TYPE(e5m2)}, {XT_TYPE(e2m1), XT_TYPE(e2m1)}};
    for (int t = 0; t < 4; t++)
        for (int i = 0; i < 2; i++) {
            const xt_target target = {.name = names[t]};
            const xt_product p = {.a = types[i][0], .b = types[i][1]};
            xt_tiles tiles = xt_tiles_for(&target, &p);
            CHECK_HAS(tiles.why, t < 2 ? "matrix instruction and 2D block messages" : "no matrix instruction");
            CHECK_MSG(t >= 2 || tiles.k % 32 == 0, "a step of %d", tiles.k);
        }
}

TEST(what_is_unknown_is_said)
{
    const xt_target target = {.name = "voodoo"}, bmg = {.name = "bmg"};
    xt_tiles t = xt_tiles_for(&target, &(xt_product){.a = XT_TYPE(f16), .b = XT_TYPE(f16)});
    CHECK_INT(t.rows, 0);
    CHECK_HAS(t.why, "an unknown target");
    t = xt_tiles_for(&bmg, &(xt_product){.a = XT_TYPE(f16)});
    CHECK_INT(t.rows, 0);
    CHECK_HAS(t.why, "without types");
    CHECK_INT(xt_tiles_for(NULL, NULL).rows, 0);
}

int main(void)
{
    RUN(every_target);
    RUN(what_is_given_is_kept);
    RUN(small_floats_by_target);
    RUN(what_is_unknown_is_said);
    return test_report();
}
