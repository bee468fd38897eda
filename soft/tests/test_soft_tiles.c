/* test_soft_tiles.c - products on the CPU's tile unit: grids of prelude_amx.h in every shape and layout against f64 and
 * exact integers, denormals in tiles, sharing between subgroups, and the rules of the instructions, which
 * tests/soft/amx_emulator.c must follow like the CPU. On CPUs without tiles, test_amx.sh runs this with the emulator.
 */
#define _GNU_SOURCE
#include "test.h"

#include "build/jit.h"
#include "ir/options.h"

#if defined(__x86_64__)
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#define XS_TILES
#include "abi.h"
#include "c/prelude.h"
#define S 16
#include "c/prelude_lanes.h"
#include "c/prelude_matrix.h"
#include "c/prelude_amx.h"

/* A product of ni x nj fragments, nk deep, and how its fragments lie in memory. */
enum { TOGETHER, APART, LAYOUTS };
typedef struct {
    int kind, ni, nj, nk, m, layout;
    bool packed, tiled, in_place;
} grid_case;

enum { MOST = 8, ROOM = MOST * MOST * 1024 };
static double plain_a[MOST * 8][MOST * 32], plain_b[MOST * 32][MOST * 16], plain_c[MOST * 8][MOST * 16];
static u8 memory_a[ROOM] XS_ALIGNED(64), memory_b[ROOM] XS_ALIGNED(64), memory_c[ROOM] XS_ALIGNED(64),
    memory_d[ROOM] XS_ALIGNED(64);
static const void *at_a[MOST * MOST], *at_b[MOST * MOST], *at_c[MOST * MOST];
static void *at_d[MOST * MOST];
static struct xs_thread own_thread;
static struct xs_subgroup subgroup = {.thread = &own_thread};

static bool is_float(const grid_case *g) { return g->kind == XS_TILE_F16 || g->kind == XS_TILE_BF16; }
static int depth(const grid_case *g) { return is_float(g) ? 16 : 32; }

static unsigned type_of(int kind)
{
    return kind == XS_TILE_F16 ? CG_TILES_F16 : kind == XS_TILE_BF16 ? CG_TILES_BF16 : CG_TILES_I8;
}

/* A random value in the type of an operand: its bytes go to `to`. */
static double random_value(const grid_case *g, bool is_a, void *to)
{
    if (is_float(g)) {
        float x = (float)test_normal();
        u16 h = g->kind == XS_TILE_F16 ? f32_to_f16(x) : f32_to_bf16(x);
        memcpy(to, &h, 2);
        return g->kind == XS_TILE_F16 ? f16_to_f32(h) : bf16_to_f32(h);
    }
    u8 byte = (u8)test_random();
    memcpy(to, &byte, 1);
    return (g->kind & (is_a ? 2 : 1)) && byte > 127 ? byte - 256 : byte;
}

/* Places the fragments: one behind the other as a variable has them, or with gaps and in any order. */
static u8 *place(const grid_case *g, u8 *memory, int together, int number)
{
    return memory + (g->layout == TOGETHER ? together : number * 37 % 64 * (ROOM / 64));
}

static void make_a(const grid_case *g)
{
    int bytes = is_float(g) ? 2 : 1, pitch = g->tiled ? 64 : 32;
    for (int i = 0; i < g->ni; i++) {
        for (int f = 0; f < g->nk; f++) {
            int piece = g->tiled ? f / 2 * g->ni * g->m * 64 + f % 2 * 32 : f * g->ni * g->m * 32;
            u8 *p = place(g, memory_a, piece + i * g->m * pitch, i * g->nk + f);
            at_a[i * g->nk + f] = p;
            for (int r = 0; r < g->m; r++)
                for (int k = 0; k < depth(g); k++)
                    plain_a[i * g->m + r][f * depth(g) + k] = random_value(g, true, p + r * pitch + k * bytes);
        }
    }
}

static void make_b(const grid_case *g)
{
    int bytes = is_float(g) ? 2 : 1, group = 4 / bytes;
    for (int j = 0; j < g->nj * g->nk; j++) {
        u8 *p = place(g, memory_b, j * 512, j);
        at_b[j] = p;
        for (int k = 0; k < depth(g); k++)
            for (int n = 0; n < 16; n++)
                plain_b[j % g->nk * depth(g) + k][j / g->nk * 16 + n] = random_value(
                    g, false, p + (g->packed ? k / group * 64 + n * 4 + k % group * bytes : k * 32 + n * 2));
    }
}

static void make_c(const grid_case *g)
{
    for (int i = 0; i < g->ni; i++) {
        for (int j = 0; j < g->nj; j++) {
            int number = i * g->nj + j, together = (j * g->ni + i) * g->m * 64;
            u8 *p = place(g, memory_c, together, number);
            at_c[number] = p;
            at_d[number] = g->in_place ? p : place(g, memory_d, together, number);
            for (int e = 0; e < g->m * 16; e++) {
                float x = (float)test_normal();
                u32 word = is_float(g) ? bits_f32(x) : (u32)test_random();
                memcpy(p + 4 * e, &word, 4);
                plain_c[i * g->m + e / 16][j * 16 + e % 16] = is_float(g) ? (double)x : (double)word;
            }
        }
    }
}

static void check_element(const grid_case *g, int row, int column)
{
    double want = plain_c[row][column], size = fabs(want);
    int k = g->nk * depth(g), e = row % g->m * 16 + column % 16;
    u32 got;
    memcpy(&got, (u8 *)at_d[row / g->m * g->nj + column / 16] + 4 * e, 4);
    for (int i = 0; i < k; i++) {
        want += plain_a[row][i] * plain_b[i][column];
        size += fabs(plain_a[row][i] * plain_b[i][column]);
    }
    /* floats: each k is rounded once, each block of 32 or 16 k's twice more */
    CHECK_MSG(is_float(g) ? fabs(f32_bits(got) - want) <= (k + k / 8) * 0x1p-24 * size : got == (u32)(i64)want,
              "kind %x, %d x %d x %d of %d rows, layout %d packed %d tiled %d in place %d: (%d, %d) %.17g, want %.17g",
              g->kind, g->ni, g->nj, g->nk, g->m, g->layout, g->packed, g->tiled, g->in_place, row, column,
              is_float(g) ? (double)f32_bits(got) : (double)got, want);
}

static void check_grid(const grid_case *g)
{
    memset(memory_a, 0x7f, sizeof memory_a); /* NaN, if anything reads it */
    memset(memory_b, 0x7f, sizeof memory_b);
    make_a(g), make_b(g), make_c(g);
    memset(memory_d, 0xff, sizeof memory_d);
    tiles_16(&subgroup, g->kind, g->ni, g->nj, g->nk, at_d, at_c, at_a, at_b, g->m,
             (g->packed ? XS_PACKED : 0) | (g->tiled ? XS_TILED_A : 0));
    for (int row = 0; row < g->ni * g->m; row++)
        for (int column = 0; column < g->nj * 16; column++) check_element(g, row, column);
}

static void check_kind(int kind)
{
    static const int shapes[][4] = {{1, 1, 1, 8}, {1, 1, 1, 1}, {1, 1, 1, 2}, {1, 2, 1, 4}, {2, 1, 1, 8}, {4, 4, 2, 8},
                                    {3, 2, 1, 8}, {8, 1, 1, 2}, {4, 3, 2, 4}, {2, 2, 3, 8}, {1, 3, 2, 8}, {6, 1, 1, 4},
                                    {5, 2, 1, 1}, {2, 2, 4, 8}, {4, 1, 2, 1}, {1, 8, 1, 8}, {8, 8, 1, 8}, {1, 1, 8, 8}};
    if (!(jit_tiles() & type_of(kind))) SKIP("there are no tiles for this type here");
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (int way = 0; way < 8; way++) {
            grid_case g = {kind,    shapes[s][0], shapes[s][1], shapes[s][2], shapes[s][3],
                           way & 1, true,         way & 2,      way & 4};
            if (g.ni * g.nj > 16 && way != 0 && way != 7) continue; /* slow under the emulator */
            check_grid(&g);
            g.packed = !is_float(&g) || way != 1;
            if (!g.packed) check_grid(&g);
        }
    }
    jit_release_thread(&own_thread);
    CHECK_INT(own_thread.tile_shape, 0);
}

TEST(f16) { check_kind(XS_TILE_F16); }
TEST(bf16) { check_kind(XS_TILE_BF16); }
TEST(i8_by_i8) { check_kind(XS_TILE_SS); }
TEST(i8_by_u8) { check_kind(XS_TILE_SU); }
TEST(u8_by_i8) { check_kind(XS_TILE_US); }
TEST(u8_by_u8) { check_kind(XS_TILE_UU); }

/* One product with a in A's first element, b in B's, c in C's. */
static float one_element(int kind, u16 a, u16 b, float c)
{
    u16 rows[16] = {a}, columns[16][16] = {{b}};
    float sums[16] = {c};
    void *const d = sums;
    const void *const c_ = sums, *const a_ = rows, *const b_ = columns;
    tiles_16(&subgroup, kind, 1, 1, 1, &d, &c_, &a_, &b_, 1, 0);
    return sums[0];
}

TEST(denormals)
{
    if (jit_tiles() & CG_TILES_BF16) {
        CHECK(one_element(XS_TILE_BF16, 1, 0x7f00, 0) == 0); /* a denormal operand */
        CHECK(one_element(XS_TILE_BF16, 0x0080, 0x3f00, 0) == 0); /* half the least normal number */
        CHECK(one_element(XS_TILE_BF16, 0x0080, 0x3f80, 0) == 0x1p-126f);
        CHECK(one_element(XS_TILE_BF16, 0, 0, 0x1p-127f) == 0);
    }
    if (jit_tiles() & CG_TILES_F16) {
        CHECK(one_element(XS_TILE_F16, 1, 0x3c00, 0) == 0x1p-24f); /* denormal operands count */
        CHECK(one_element(XS_TILE_F16, 1, 1, 1) == 1 + 0x1p-48f);
        CHECK(one_element(XS_TILE_F16, 0, 0, 0x1p-127f) == 0);
    }
    if (!jit_tiles()) SKIP("there are no tiles here");
    jit_release_thread(&own_thread);
}

/* ---- blocks that subgroups share: needs no tiles */

enum { SURFACE = 2048 };
static u8 surface[SURFACE * SURFACE];

/* Block `number` of the surface, one below the other, as deferred_columns has it; NULL: it is not as it should be. */
static const u8 *laid_down(int elem_bytes, int number, u8 *own)
{
    int rows = SURFACE / 32, x = number / rows * 32, y = number % rows * 32, group = 4 / elem_bytes;
    const u8 *at = deferred_columns_16(&subgroup, 1, own, NULL, 0, 1, elem_bytes, 32, 2, (u64)(uintptr_t)surface,
                                       SURFACE, SURFACE, SURFACE, x, y);
    for (int p = 0; p < 2; p++)
        for (int k = 0; k < 32; k++)
            for (int n = 0; n < 16; n++)
                if (memcmp(at + p * 32 / group * 64 + k / group * 64 + n * 4 + k % group * elem_bytes,
                           surface + (size_t)(y + k) * SURFACE + (size_t)((x + p * 16 + n) * elem_bytes),
                           (size_t)elem_bytes) != 0)
                    return NULL;
    return at;
}

static void check_shared(int elem_bytes, int room)
{
    enum { MANY = 2000 };
    static u8 own[2048] XS_ALIGNED(64);
    const u8 *first[MANY];
    share_begin(&subgroup, 1, 2, 3);
    for (int i = 0; i < MANY; i++) {
        first[i] = laid_down(elem_bytes, i, own);
        CHECK(first[i] != NULL && (first[i] == own) == (i >= room));
    }
    share_begin(&subgroup, 1, 2, 3); /* another subgroup of the work-group */
    for (int i = MANY - 1; i >= 0; i--) CHECK(laid_down(elem_bytes, i, own) == first[i]);
    share_begin(&subgroup, 2, 2, 3); /* the next work-group: memory may have changed */
    for (size_t i = 0; i < sizeof surface; i++) surface[i] = (u8)test_random();
    for (int i = 0; i < 20; i++) CHECK(laid_down(elem_bytes, i * 7, own) != NULL);
}

TEST(blocks_are_shared)
{
    static u8 own[2048] XS_ALIGNED(64);
    own_thread.shared = aligned_alloc(64, XS_SHARED_BYTES);
    CHECK(own_thread.shared != NULL);
    if (!own_thread.shared) return;
    subgroup.group_count[0] = subgroup.group_count[1] = subgroup.group_count[2] = 4;
    subgroup.subgroup_count = 2;
    check_shared(2, (XS_SHARED_BYTES - XS_SHARED_START) / (64 + 2048));
    check_shared(1, 2000);
    subgroup.subgroup_count = 1; /* nobody to share with */
    share_begin(&subgroup, 0, 0, 0);
    CHECK(laid_down(2, 0, own) == own);
    free(own_thread.shared);
    own_thread.shared = NULL;
    CHECK(laid_down(2, 1, own) == own);
}

/* Eight tiles of 16 rows of 64 bytes; tile 6 has only 8 rows. */
static const u8 good_config[64] = {[0] = 1,   [16] = 64, [18] = 64, [20] = 64, [22] = 64, [24] = 64, [26] = 64,
                                   [28] = 64, [30] = 64, [48] = 16, [49] = 16, [50] = 16, [51] = 16, [52] = 16,
                                   [53] = 16, [54] = 8,  [55] = 16};
static void load_config(const u8 *config) { __asm__ volatile("ldtilecfg (%0)" : : "r"(config) : "memory"); }

/* A child is to end by the signal rather than by a sanitizer's report. An emulator of tiles needs its own handlers. */
static void no_reports(void)
{
    if (TEST_SANITIZED) signal(SIGSEGV, SIG_DFL), signal(SIGILL, SIG_DFL);
}

/* In a child: good_config with byte `at` set to `value`. */
static int config_ends_by(int at, int value)
{
    u8 config[64];
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        memcpy(config, good_config, sizeof config);
        config[at] = (u8)value;
        no_reports();
        load_config(config);
        _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

TEST(configurations)
{
    static const struct {
        int at, value, signal;
    } cases[] = {{0, 1, 0},        {0, 2, SIGSEGV},   {0, 0, 0},        {2, 1, SIGSEGV},   {15, 1, SIGSEGV},
                 {32, 4, SIGSEGV}, {56, 1, SIGSEGV},  {16, 65, SIGSEGV}, {17, 1, SIGSEGV}, {48, 17, SIGSEGV},
                 {48, 0, SIGSEGV}, {16, 0, SIGSEGV},  {55, 1, 0},       {30, 3, 0}};
    if (!jit_tiles()) SKIP("there are no tiles here");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_INT(config_ends_by(cases[i].at, cases[i].value), cases[i].signal);
}

/* Not allowed after good_config is loaded, or before. */
static u8 some_memory[1024];
static void product_of_same(void) { __asm__ volatile(".byte 0xc4, 0xe2, 0x73, 0x5e, 0xc1"); }  /* 0, 1, 1 */
static void product_into_same(void) { __asm__ volatile(".byte 0xc4, 0xe2, 0x6b, 0x5e, 0xd1"); } /* 2, 1, 2 */
static void product_of_few_rows(void) { __asm__ volatile(".byte 0xc4, 0xe2, 0x4b, 0x5e, 0xc1"); } /* 0, 1, 6 */
static void product_into_few(void) { __asm__ volatile(".byte 0xc4, 0xe2, 0x6b, 0x5e, 0xf1"); } /* 6, 1, 2 */
static void good_product(void) { __asm__ volatile(".byte 0xc4, 0xe2, 0x6b, 0x5e, 0xc1"); } /* 0, 1, 2 */
static void load_tile(void)
{
    __asm__ volatile("tileloadd (%0,%1,2), %%tmm3" : : "r"(some_memory), "r"(16L) : "memory");
}
static void release(void) { __asm__ volatile("tilerelease"); }

static int instruction_ends_by(bool configured_first, void (*instruction)(void))
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        no_reports();
        if (configured_first) load_config(good_config);
        instruction();
        _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

TEST(rules)
{
    if (!jit_tiles()) SKIP("there are no tiles here");
    CHECK_INT(instruction_ends_by(true, good_product), 0);
    CHECK_INT(instruction_ends_by(false, good_product), SIGILL);
    CHECK_INT(instruction_ends_by(true, load_tile), 0);
    CHECK_INT(instruction_ends_by(false, load_tile), SIGILL);
    CHECK_INT(instruction_ends_by(false, release), 0);
    CHECK_INT(instruction_ends_by(true, product_of_same), SIGILL);
    CHECK_INT(instruction_ends_by(true, product_into_same), SIGILL);
    CHECK_INT(instruction_ends_by(true, product_of_few_rows), SIGILL);
    CHECK_INT(instruction_ends_by(true, product_into_few), SIGILL);
}

/* Loads and stores by stride; what is stored of the configuration; what releasing leaves. */
TEST(moves)
{
    u8 from[16 * 80], to[16 * 64], config[64];
    if (!jit_tiles()) SKIP("there are no tiles here");
    for (size_t i = 0; i < sizeof from; i++) from[i] = (u8)test_random();
    memset(to, 0, sizeof to);
    load_config(good_config);
    __asm__ volatile("tileloaddt1 (%0,%1,4), %%tmm6" : : "r"(from), "r"(20L) : "memory");
    __asm__ volatile("tilestored %%tmm6, 64(%0,%1,1)" : : "r"((uintptr_t)to - 64), "r"(64L) : "memory");
    for (int i = 0; i < 16 * 64; i++) CHECK_INT(to[i], i < 8 * 64 ? from[i / 64 * 80 + i % 64] : 0);
    __asm__ volatile("tilezero %%tmm6\n\ttilestored %%tmm6, (%0,%1,1)" : : "r"(to), "r"(64L) : "memory");
    for (int i = 0; i < 16 * 64; i++) CHECK_INT(to[i], 0);
    __asm__ volatile("sttilecfg %0" : "=m"(config));
    for (int i = 0; i < 64; i++) CHECK_INT(config[i], good_config[i]);
    release();
    __asm__ volatile("sttilecfg %0" : "=m"(config));
    for (int i = 0; i < 64; i++) CHECK_INT(config[i], 0);
}

int main(void)
{
    RUN(f16);
    RUN(bf16);
    RUN(i8_by_i8);
    RUN(i8_by_u8);
    RUN(u8_by_i8);
    RUN(u8_by_u8);
    RUN(denormals);
    RUN(blocks_are_shared);
    RUN(configurations);
    RUN(rules);
    RUN(moves);
    return test_report();
}
#else
TEST(tiles) { SKIP("this CPU is of another family"); }

int main(void)
{
    RUN(tiles);
    return test_report();
}
#endif
