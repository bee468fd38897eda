/* Several kernels in one module (xt_build_all): they compute what each computes in a module of its own, and what cannot
 * be in one module is refused with both. Local memory, constants, types and built-ins are used by several.
 * And the sizes of modules with small products, which everything that is emitted for rows of any pitch makes larger.
 */
#include "test.h"

#include "xetile.h"
#include "ze_dispatch.h"

enum { N = 200, WIDTH = 64 };

XT_KERNEL(add, ptr(f32, X), ptr(f32, Y), u32(n))
{
    xt_val at = XT_MUL(XT_GROUP_ID(0), WIDTH);
    xt_tile x = XT_INIT_TILE(X, f32, 1, WIDTH, .offset = XT_AT(0, at), .shape = XT_AT(1, n));
    xt_tile y = XT_INIT_TILE(Y, f32, 1, WIDTH, .offset = XT_AT(0, at), .shape = XT_AT(1, n));
    XT_STORE_TILE(XT_ADD(XT_LOAD_TILE(x), XT_LOAD_TILE(y)), y);
}

/* Each of four subgroups turns its part round through local memory. */
XT_KERNEL(turn, ptr(f32, X), ptr(f32, Y), u32(n))
{
    const xt_map map = XT_MAP(.sg_layout = {1, 4}, .sg_data = {1, WIDTH / 4});
    xt_val at = XT_MUL(XT_GROUP_ID(0), WIDTH), local = XT_LOCAL(f32, WIDTH);
    xt_tile x = XT_INIT_TILE(X, f32, 1, WIDTH, .offset = XT_AT(0, at), .shape = XT_AT(1, n), .map = map);
    xt_tile all = XT_INIT_TILE(local, f32, 1, WIDTH, .shape = XT_AT(1, WIDTH), .map = map);
    XT_STORE_TILE(XT_LOAD_TILE(x, .padding = -3), all);
    XT_BARRIER();
    xt_vec mirrored = XT_SUB(WIDTH - 1, XT_IOTA(i32, 1, WIDTH, 1, .map = map));
    xt_tile from = XT_INIT_TILE(local, f32, 1, WIDTH, .scatter = mirrored, .shape = XT_AT(WIDTH));
    XT_STORE_TILE(XT_LOAD_GATHER(from),
                  XT_INIT_TILE(Y, f32, 1, WIDTH, .offset = XT_AT(0, at), .shape = XT_AT(1, n), .map = map));
}

XT_KERNEL(product, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(n))
{
    xt_vec a = XT_LOAD_TILE(XT_INIT_TILE(A, f16, 16, 32, .shape = XT_AT(16, n)));
    xt_vec b = XT_LOAD_TILE(XT_INIT_TILE(B, f16, 32, 32, .shape = XT_AT(32, n)));
    XT_STORE_TILE(XT_TILE_MMA(a, b), XT_INIT_TILE(C, f32, 16, 32, .shape = XT_AT(16, n)));
}

XT_KERNEL(broken, ptr(f32, X), u32(n)) { XT_LOAD_TILE(XT_INIT_TILE(X, f16, 1, 16, .shape = XT_AT(1, n))); }

typedef struct {
    float x[N], y[2][N], c[16 * 32];
    uint16_t a[16 * 32], b[32 * 32];
} memory;

static void fill(memory *m)
{
    memset(m, 0xff, sizeof *m); /* no numbers */
    for (int i = 0; i < N; i++) m->x[i] = (float)(i * i % 97) / 7, m->y[0][i] = (float)(i % 13) / 3;
    for (int i = 0; i < 16 * 32; i++) m->a[i] = spe_f32_to_f16_bits((float)(i * 7 % 31) / 9);
    for (int i = 0; i < 32 * 32; i++) m->b[i] = spe_f32_to_f16_bits((float)(i * 5 % 23) / 11 - 1);
}

static void launch(zed_device *dev, zed_kernel *kernels, memory *m)
{
    const zed_groups groups = {(N + WIDTH - 1) / WIDTH, 1, 1}, one = {1, 1, 1};
    fill(m);
    zed_launch(&kernels[0], groups, m->x, m->y[0], N);
    zed_launch(&kernels[1], groups, m->x, m->y[1], N);
    zed_launch(&kernels[2], one, m->a, m->b, m->c, 32);
    CHECK_MSG(!zed_get_error(dev)->id, "%s", zed_get_error(dev)->text);
}

static void check_results(const memory *m)
{
    for (int i = 0; i < N; i++) {
        int mirrored = i / WIDTH * WIDTH + WIDTH - 1 - i % WIDTH;
        float x = (float)(i * i % 97) / 7, y = (float)(i % 13) / 3, other = (float)(mirrored * mirrored % 97) / 7;
        CHECK_MSG(m->y[0][i] == x + y, "add %d: %g", i, (double)m->y[0][i]);
        CHECK_MSG(m->y[1][i] == (mirrored < N ? other : -3), "turn %d: %g", i, (double)m->y[1][i]);
    }
    for (int i = 0; i < 16 * 32; i++) {
        double want = 0;
        for (int k = 0; k < 32; k++)
            want +=
                (double)spe_f16_bits_to_f32(m->a[i / 32 * 32 + k]) * (double)spe_f16_bits_to_f32(m->b[k * 32 + i % 32]);
        CHECK_MSG(fabs((double)m->c[i] - want) <= 32 * 0x1p-23 * 120, "product %d: %g, want %g", i, (double)m->c[i],
                  want);
    }
}

TEST(kernels_of_one_module_compute_the_same)
{
    static zed_device dev;
    zed_kernel together[3], apart[3];
    xt_module mods[3];
    if (!zed_open(&dev, NULL)) SKIP("no device");
    const xt_target target = {ZED_TARGET(&dev)};
    const xt_build_desc list[] = {XT_DESC(add, &target), XT_DESC(turn, &target), XT_DESC(product, &target)};
    memory *m = (memory *)zed_alloc(&dev, ZED_SHARED, sizeof *m, 0),
           *of = (memory *)zed_alloc(&dev, ZED_SHARED, sizeof *m, 0);
    CHECK(xt_build_all(mods, list, 3));
    CHECK_MSG(mods[0].words && !mods[0].error->id, "%s", mods[0].error->text);
    if (!mods[0].words || !m || !of) {
        zed_close(&dev);
        return;
    }
    test_save_spv("test_xetile_modules", mods[0].words, mods[0].size);
    for (int i = 0; i < 3; i++)
        CHECK(mods[i].words == mods[0].words && mods[i].size == mods[0].size && !mods[i].error->id);
    CHECK_STR(mods[1].kernel, "turn");
    CHECK_STR(mods[2].params, product.params);
    CHECK(mods[1].local_memory == WIDTH * 4 && !mods[0].local_memory && mods[1].subgroups == 4 &&
          mods[0].subgroups == 1);
    const zed_source sources[] = {ZED_SOURCE(mods[0]), ZED_SOURCE(mods[1]), ZED_SOURCE(mods[2])};
    CHECK(zed_load_all(together, &dev, sources, 3, NULL));
    CHECK(together[0].module == together[2].module);
    launch(&dev, together, m);
    check_results(m);
    for (int i = 0; i < 3; i++) {
        xt_module one = xt_build(&list[i]);
        CHECK(one.words && one.size < mods[0].size);
        CHECK(ZED_LOAD(&apart[i], &dev, one));
        xt_free(&one);
    }
    launch(&dev, apart, of);
    CHECK(!memcmp(m->c, of->c, sizeof m->c) && !memcmp(m->y, of->y, sizeof m->y));
    for (int i = 3; i--;) xt_free(&mods[i]);
    zed_close(&dev);
}

static int tile[3]; /* rows and columns of C, and the step along k */

XT_KERNEL(of_one_subgroup, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(M), u32(N), u32(K))
{
    xt_val i = XT_MUL(XT_GROUP_ID(1), tile[0]), j = XT_MUL(XT_GROUP_ID(0), tile[1]);
    xt_tile a = XT_INIT_TILE(A, f16, tile[0], tile[2], .offset = XT_AT(i, 0), .shape = XT_AT(M, K));
    xt_tile b = XT_INIT_TILE(B, f16, tile[2], tile[1], .offset = XT_AT(0, j), .shape = XT_AT(K, N));
    xt_vec sum = XT_SPLAT(f32, tile[0], tile[1], 0);
    XT_FOR (k, 0, K, tile[2], &a, &b, &sum) {
        sum = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), sum);
        a = XT_UPDATE_TILE_OFFSET(a, 0, tile[2]);
        b = XT_UPDATE_TILE_OFFSET(b, tile[2], 0);
    }
    XT_STORE_TILE(sum, XT_INIT_TILE(C, f32, tile[0], tile[1], .offset = XT_AT(i, j), .shape = XT_AT(M, N)));
}

TEST(modules_of_small_products_have_few_words)
{
    static const struct {
        int tile[3];
        xt_pitch pitch;
        size_t most;
    } all[] = {{{32, 32, 32}, XT_PITCH_AUTO, 9000},
               {{8, 16, 16}, XT_PITCH_AUTO, 4000},
               {{32, 32, 32}, XT_PITCH_ALIGNED, 1191},
               {{8, 16, 16}, XT_PITCH_ALIGNED, 986}};
    static const char *const targets[] = {"pvc", "bmg"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int t = 0; t < 2; t++) {
            memcpy(tile, all[i].tile, sizeof tile);
            xt_module mod = XT_BUILD(of_one_subgroup, &(xt_target){.name = targets[t]}, .pitch = all[i].pitch);
            CHECK_MSG(mod.words && mod.size / 4 <= all[i].most, "%dx%dx%d, %s: %zu words, wanted %zu at most", tile[0],
                      tile[1], tile[2], targets[t], mod.size / 4, all[i].most);
            xt_free(&mod);
        }
}

TEST(the_module_is_smaller_than_its_parts_and_prints_each)
{
    const xt_target target = {.name = "bmg"};
    const xt_build_desc list[] = {XT_DESC(add, &target), XT_DESC(turn, &target), XT_DESC(product, &target)};
    xt_module mods[3];
    size_t apart = 0;
    char text[20000] = "";
    FILE *f = tmpfile();
    CHECK(xt_build_all(mods, list, 3));
    for (int i = 0; i < 3; i++) {
        xt_module one = xt_build(&list[i]);
        apart += one.size;
        xt_free(&one);
        if (f) xt_print(&mods[i], f);
    }
    CHECK_MSG(mods[0].size < apart, "%zu bytes together, %zu apart", mods[0].size, apart);
    test_save_spv("test_xetile_modules_bmg", mods[0].words, mods[0].size);
    if (f) {
        rewind(f);
        text[fread(text, 1, sizeof text - 1, f)] = 0;
        fclose(f);
        CHECK_HAS(text, "add");
        CHECK_HAS(text, "turn");
    }
    for (int i = 3; i--;) xt_free(&mods[i]);
}

/* All modules have the error, and no words. */
static void refused(const xt_build_desc *list, int count, int id, const char *first, const char *second)
{
    xt_module mods[4];
    CHECK(!xt_build_all(mods, list, count));
    for (int i = 0; i < count; i++) {
        CHECK(!mods[i].words && !mods[i].size);
        CHECK_INT(mods[i].error->id, id);
        CHECK_HAS(mods[i].error->text, first);
        CHECK_HAS(mods[i].error->text, second);
    }
    for (int i = count; i--;) xt_free(&mods[i]);
}

TEST(what_cannot_be_together_is_refused)
{
    const xt_target bmg = {.name = "bmg"}, pvc = {.name = "pvc"};
    refused((const xt_build_desc[]){XT_DESC(add, &bmg), XT_DESC(product, &bmg), XT_DESC(add, &bmg)}, 3,
            XT_ERROR_ONE_MODULE, "two kernels called add", "test_xetile_modules.c");
    refused((const xt_build_desc[]){XT_DESC(add, &bmg), XT_DESC(turn, &pvc)}, 2, XT_ERROR_ONE_MODULE, "add is for bmg",
            "turn for pvc");
    refused((const xt_build_desc[]){XT_DESC(add, &bmg, .subgroups = 64), XT_DESC(product, &bmg, .registers = 256)}, 2,
            XT_ERROR_ONE_MODULE, "product has 256 registers", "add 64 subgroups");
    refused((const xt_build_desc[]){XT_DESC(add, &bmg), XT_DESC(broken, &bmg), XT_DESC(turn, &bmg)}, 3,
            XT_ERROR_TILE_TYPE, "f32", "f16");
}

TEST(flags_are_those_that_all_can_have)
{
    const xt_target bmg = {.name = "bmg"};
    const struct {
        int first, second;
        const char *flags;
    } cases[] = {{128, 128, ""},
                 {128, 256, "-ze-opt-large-register-file"},
                 {256, 128, "-ze-opt-large-register-file"},
                 {0, 128, ""},
                 {0, 0, "-ze-intel-enable-auto-large-GRF-mode"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const xt_build_desc list[] = {XT_DESC(add, &bmg, .registers = cases[i].first),
                                      XT_DESC(turn, &bmg, .registers = cases[i].second)};
        xt_module mods[2];
        CHECK(xt_build_all(mods, list, 2));
        CHECK_STR(mods[0].build_flags, cases[i].flags);
        CHECK_STR(mods[1].build_flags, cases[i].flags);
        xt_free(&mods[1]), xt_free(&mods[0]);
    }
}

int main(void)
{
    RUN(kernels_of_one_module_compute_the_same);
    RUN(the_module_is_smaller_than_its_parts_and_prints_each);
    RUN(what_cannot_be_together_is_refused);
    RUN(flags_are_those_that_all_can_have);
    RUN(modules_of_small_products_have_few_words);
    return test_report();
}
