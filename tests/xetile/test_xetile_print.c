/* test_xetile_print.c - xt_print: example 2.1 of the newer specification line by line, the other examples operation by
 * operation, regions, subgroup level, and that every operation has a text. */
#define _GNU_SOURCE
#include "test.h"
#include "xetile.h"

#include <ctype.h>

#include "../../src/xetile/ops.h" /* the list of operations is private */
#include "xetile_appendix.h"

static char text[1 << 18];

/* xt_print's output for a kernel on bmg. */
static const char *printed_for(const char *target, const xt_kernel *kernel)
{
    const xt_target to = {.name = target};
    xt_module mod = xt_build(&(xt_build_desc){.kernel = kernel, .target = &to, .file = "build", .line = 1});
    FILE *f = tmpfile();
    size_t n = 0;
    xt_print(&mod, f);
    rewind(f);
    if (f) n = fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    CHECK(n < sizeof text - 1);
    fclose(f);
    xt_free(&mod);
    return text;
}

static const char *printed(const xt_kernel *kernel) { return printed_for("bmg", kernel); }

/* One part of the output: 0 as recorded, 1 with maps, 2 of a subgroup. */
static const char *form(const char *all, int number)
{
    char *at = text + (all - text);
    while (number-- && at) at = strstr(at, "\n}\n\n") ? strstr(at, "\n}\n\n") + 4 : NULL;
    CHECK_MSG(at != NULL, "fewer texts than three");
    if (!at) return "";
    if (strstr(at, "\n}\n\n")) strstr(at, "\n}\n\n")[2] = '\0';
    return at;
}

/* ---- 2.1: line by line ---- */

/* The specification's aliases. */
static const char *const maps[][2] = {{"#mp_a_pfh", "#wg_map<sg_layout=[32,1], sg_data=[8,32]>"},
                                      {"#mp_b_pfh", "#wg_map<sg_layout=[4,8], sg_data=[8,32]>"},
                                      {"#mp_a", "#wg_map<sg_layout=[8,4], sg_data=[32,32]>"},
                                      {"#mp_b", "#wg_map<sg_layout=[8,4], sg_data=[32,64]>"},
                                      {"#mp_c", "#wg_map<sg_layout=[8,4], sg_data=[32,64]>"}};

/* The text's lines. Fixed: the type of %c in the head, %1p and %2p for %1 and %2 where they are prefetched and their
 * maps, missing commas and colons, a store's operands in the order that its syntax has; the sum is carried: the line of
 * zeros is new, and tile_mma has %6 among its operands. */
static const char *const example_2_1[] = {
    "func.func @test_gemm(%a : memref<4096x4096xf16>, %b: memref<4096x4096xf16>, %c: memref<4096x4096xf32> ) {",
    "scf.for %i = %c0 to %c4096 step %c256 {",
    "scf.for %j = %c0 to %c4096 step %c256 {",
    "%1 = init_tile %a[%i, %c0] : memref<4096x4096xf16> -> tile<256x32xf16, #mp_a>",
    "%2 = init_tile %b[%c0, %j] : memref<4096x4096xf16> -> tile<32x256xf16, #mp_b>",
    "%1p = init_tile %a[%i, %c96] : memref<4096x4096xf16> -> tile<256x32xf16, #mp_a_pfh>",
    "%2p = init_tile %b[%c96, %j] : memref<4096x4096xf16> -> tile<32x256xf16, #mp_b_pfh>",
    "%3 = init_tile %c[%i, %j] : memref<4096x4096xf32> -> tile<256x256xf32, #mp_c>",
    "%6 = vector.splat %cst_0_f32 : vector<256x256xf32>",
    "scf.for %k= %c0 to %c4096 step %c32 {",
    "%4  = load_tile %1 : tile<256x32xf16, #mp_a > -> vector<256x32xf16>",
    "%10 = load_tile %2  : tile<32x256xf16, #mp_b> -> vector<32x256xf16>",
    "prefetch_tile %1p : tile<256x32xf16, #mp_a_pfh>",
    "prefetch_tile %2p  : tile<32x256xf16, #mp_b_pfh>",
    ("%6 = tile_mma %4, %10, %6 {#mp_a #mp_b #mp_c} : vector<256x32xf16>, vector<32x256xf16>, vector<256x256xf32> "
     "-> vector<256x256xf32>"),
    "%1 = update_tile_offset   %1, %c0, %c32 : tile<256x32xf16, #mp_a>",
    "%2 = update_tile_offset   %2, %c32, %c0 : tile<32x256xf16, #mp_b>",
    "%1p = update_tile_offset   %1p, %c0, %c32 : tile<256x32xf16, #mp_a_pfh>",
    "%2p = update_tile_offset   %2p, %c32, %c0 : tile<32x256xf16, #mp_b_pfh>",
    "}",
    "store_tile %6, %3: vector<256x256xf32>, tile<256x256xf32, #mp_c>",
    "}",
    "}",
};

XT_KERNEL(test_gemm, ptr(f16, a), ptr(f16, b), ptr(f32, c))
{
    const xt_map mp_a = MAP(8, 4, 32, 32), mp_b = MAP(8, 4, 32, 64), mp_c = MAP(8, 4, 32, 64);
    const xt_map mp_a_pfh = MAP(32, 1, 8, 32), mp_b_pfh = MAP(4, 8, 8, 32);
    XT_FOR(i, 0, 4096, 256)
    {
        XT_FOR(j, 0, 4096, 256)
        {
            xt_tile t1 = XT_INIT_TILE(a, f16, 256, 32, AT(i, 0), OF(4096, 4096), .map = mp_a);
            xt_tile t2 = XT_INIT_TILE(b, f16, 32, 256, AT(0, j), OF(4096, 4096), .map = mp_b);
            xt_tile t1p = XT_INIT_TILE(a, f16, 256, 32, AT(i, 96), OF(4096, 4096), .map = mp_a_pfh);
            xt_tile t2p = XT_INIT_TILE(b, f16, 32, 256, AT(96, j), OF(4096, 4096), .map = mp_b_pfh);
            xt_tile t3 = XT_INIT_TILE(c, f32, 256, 256, AT(i, j), OF(4096, 4096), .map = mp_c);
            xt_vec v6 = XT_SPLAT(f32, 256, 256, 0, .map = mp_c);
            XT_FOR(k, 0, 4096, 32, &t1, &t2, &t1p, &t2p, &v6)
            {
                xt_vec v4 = XT_LOAD_TILE(t1), v10 = XT_LOAD_TILE(t2);
                XT_PREFETCH_TILE(t1p);
                XT_PREFETCH_TILE(t2p);
                v6 = XT_TILE_MMA(v4, v10, v6, .a_map = mp_a, .b_map = mp_b, .map = mp_c);
                t1 = XT_UPDATE_TILE_OFFSET(t1, 0, 32);
                t2 = XT_UPDATE_TILE_OFFSET(t2, 32, 0);
                t1p = XT_UPDATE_TILE_OFFSET(t1p, 0, 32);
                t2p = XT_UPDATE_TILE_OFFSET(t2p, 32, 0);
            }
            XT_STORE_TILE(v6, t3);
        }
    }
}

static void replace_all(char *s, const char *from, const char *to)
{
    char rest[4096];
    char *at = s;
    while ((at = strstr(at, from)) != NULL) {
        snprintf(rest, sizeof rest, "%s", at + strlen(from));
        strcpy(at, to);
        at += strlen(to);
        strcpy(at, rest);
    }
}

/* Without spaces; aliases written out in the text's lines, prefixes of the dialect and tile_attr dropped in ours. */
static void normalise(char *s)
{
    char *to = s;
    size_t i;
    for (i = 0; i < sizeof maps / sizeof maps[0]; i++) replace_all(s, maps[i][0], maps[i][1]);
    replace_all(s, "#xetile.tile_attr<wg_map = ", "");
    replace_all(s, "xetile.", "");
    replace_all(s, ">>>", ">>");
    replace_all(s, "!tile", "tile");
    for (; *s; s++)
        if (!isspace((unsigned char)*s)) *to++ = *s;
    *to = '\0';
}

/* Which of the text's names each of ours stands for: the text gives a value carried round a loop one name. */
static char names[64][8];

static int number_at(const char *s) { return *s == '%' && isdigit((unsigned char)s[1]) ? atoi(s + 1) : -1; }

static void rename_values(const char *from, char *to)
{
    while (*from) {
        int number = number_at(from);
        *to++ = *from++;
        if (number < 0) continue;
        while (isdigit((unsigned char)*from)) from++;
        to += sprintf(to, "%s", names[number]);
    }
    *to = '\0';
}

/* What a line of ours defines is called as in the text's line. */
static void learn(const char *ours, const char *texts)
{
    const char *start = strncmp(ours, "scf.for%", 8) == 0 ? "scf.for%" : "%";
    int number = number_at(ours + strlen(start) - 1);
    size_t n = strcspn(texts + strlen(start), "=");
    if (strncmp(ours, start, strlen(start)) == 0 && number >= 0)
        snprintf(names[number], sizeof names[0], "%.*s", (int)n, texts + strlen(start));
}

/* %9, %10 = scf.for %19 = ... iter_args(%14 = %3, %15 = %4) { becomes the loop alone; results and values in the body
 * are called as what comes in. */
static void take_carried(char *line)
{
    char *loop = strstr(line, "=scf.for"), *args = strstr(line, "iter_args("), *result = line;
    if (!loop || !args) return;
    for (args = strchr(args, '('); args && *args != ')'; args = strpbrk(args + 1, ",)")) {
        const char *in = strchr(args, '=') + 1;
        memmove(names[number_at(args + 1)], names[number_at(in)], sizeof names[0]);
        memmove(names[number_at(result)], names[number_at(in)], sizeof names[0]);
        result += strcspn(result, ",=") + 1;
    }
    strcpy(strstr(line, "iter_args("), "{");
    memmove(line, loop + 1, strlen(loop));
}

/* A yield hands on what the text assigned to the carried names, in their order. */
static void check_yield(const char *line)
{
    char called[256];
    rename_values(line, called);
    CHECK_STR(called, "scf.yield%1,%2,%1p,%2p,%6");
}

TEST(text_2_1)
{
    const char *at = form(printed(&test_gemm), 0);
    size_t i = 0, n = sizeof example_2_1 / sizeof example_2_1[0];
    at = strstr(at, "func.func");
    while (at && *at) {
        char line[4096], want[4096], got[4096];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n');
        normalise(line);
        if (strstr(line, "=arith.constant") || (!strcmp(line, "}") && i == n))
            continue; /* the specification has no such lines */
        if (strncmp(line, "scf.yield", 9) == 0) {
            check_yield(line);
            continue;
        }
        if (i == n) {
            CHECK_MSG(false, "more than the text has: %s", line);
            return;
        }
        snprintf(want, sizeof want, "%s", example_2_1[i++]);
        normalise(want);
        take_carried(line);
        learn(line, want);
        rename_values(line, got);
        CHECK_STR(got, want);
    }
    CHECK_INT(i, n);
}

/* ---- the others: operation by operation ---- */

/* All of these, in order. */
static void check_order(const char *at, const char *const *parts)
{
    for (; *parts && at; parts++) {
        const char *next = strstr(at, *parts);
        CHECK_MSG(next != NULL, "\"%s\" is not there, or not behind the part before it", *parts);
        at = next ? next + strlen(*parts) : NULL;
    }
}
#define CHECK_ORDER(at, ...) check_order(at, (const char *const[]){__VA_ARGS__, NULL})

#define LOOPS "scf.for", "scf.for"
#define MMA "xetile.tile_mma"
#define INIT "xetile.init_tile"
#define LOAD "xetile.load_tile"
#define PREFETCH "xetile.prefetch_tile"
#define UPDATE "xetile.update_tile_offset"
#define STORE "xetile.store_tile"

TEST(appendix_1)
{
    CHECK_ORDER(form(printed(&plain), 0), LOOPS, INIT, "-> !xetile.tile<64x64xbf16>", "vector.splat", "scf.for", INIT,
                LOAD, INIT, LOAD, MMA, STORE);
    CHECK_ORDER(form(printed(&order), 0), INIT,
                ", [%K, %N], [%c1, %K] : ui64 -> !xetile.tile<32x64xbf16, "
                "#xetile.tile_attr<order = [0, 1]>>",
                MMA);
    CHECK_ORDER(form(printed(&transpose), 0), LOAD, "[1, 0] : vector<64x32xbf16> -> vector<32x64xbf16>", MMA, STORE);
}

TEST(text_2_2_and_2_3)
{
    map_bt = MAP(4, 8, 64, 32);
    CHECK_ORDER(form(printed(&with_reduction), 0), LOOPS, INIT, INIT, INIT, INIT, INIT, "scf.for", LOAD, LOAD,
                "xetile.transpose",
                "{#xetile.wg_map<sg_layout = [4, 8], sg_data = [64, 32]> #xetile.wg_map<sg_layout = [8, 4], sg_data = "
                "[32, 64]>} : vector<256x32xf16> -> vector<32x256xf16>",
                PREFETCH, PREFETCH, MMA, UPDATE, UPDATE, UPDATE, UPDATE, "scf.yield", LOAD, "xetile.broadcast",
                " [0] {", "arith.addf", "xetile.convert_layout", "xetile.reduction <add>", " [1] {",
                "vector<256x256xf32> -> vector<256x1xf32>", STORE);
    CHECK_ORDER(form(printed(&with_reduction), 2), "xetile.transpose", "through local memory", "xetile.convert_layout",
                "through local memory", "{reduction_size = 256}", "xetile.reduction <add>", STORE,
                "no 2D block messages: pieces narrower than a subgroup");
    map_bt = MAP(32, 1, 64, 32);
    CHECK_ORDER(form(printed(&with_reduction), 2), "xetile.transpose", ", in registers", "xetile.convert_layout",
                "through local memory");
}

TEST(text_2_4)
{
    CHECK_ORDER(form(printed(&through_local_memory), 0), "memref.alloc() : memref<16384xf16, slm>", LOOPS, INIT, INIT,
                "memref<128x128xf16, slm> -> !xetile.tile<128x32xf16,", LOAD, LOAD, LOAD, LOAD, LOAD, LOAD,
                "gpu.barrier", STORE, STORE, STORE, STORE, STORE, STORE, "gpu.barrier", "scf.for", LOAD, LOAD, UPDATE,
                LOAD, UPDATE, LOAD, "arith.addi", "arith.remsi", UPDATE, UPDATE, MMA, "gpu.barrier", STORE, STORE,
                "scf.yield", STORE);
    CHECK_ORDER(form(printed(&through_local_memory), 2), "65536 bytes of local memory", LOAD,
                "no 2D block messages: local memory");
}

TEST(text_2_5)
{
    CHECK_ORDER(form(printed(&two_levels), 0), LOOPS, PREFETCH, " locality<2> :", PREFETCH, " locality<2> :", UPDATE,
                "scf.for", LOAD, LOAD, "arith.divsi", "arith.remsi", "arith.cmpi eq,", "scf.if", "gpu.barrier",
                PREFETCH, " locality<2> :", UPDATE, UPDATE, "scf.yield", "} else {", "scf.yield", PREFETCH, PREFETCH,
                UPDATE, MMA, STORE);
}

/* Each operation whose result is a vector has its map, where a tile's type does not tell it. */
TEST(maps_on_every_vector)
{
    static const char *const with[] = {"vector.splat", "xetile.transpose",      "xetile.tile_mma", "xetile.broadcast",
                                       "arith.addf",   "xetile.convert_layout", "xetile.reduction"};
    const char *at = form(printed(&with_reduction), 1);
    int found = 0;
    for (; *at; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n'))
        for (size_t i = 0; i < sizeof with / sizeof with[0]; i++) {
            const char *op = strstr(at, with[i]), *map = strstr(at, " {#xetile.wg_map<"), *end = strchr(at, '\n');
            if (!op || !end || op > end) continue;
            found++;
            CHECK_MSG(map && map < end, "no map: %.*s", (int)(end - at), at);
        }
    CHECK_INT(found, 9);
}

/* ---- regions ---- */

XT_KERNEL(regions, ptr(i32, A), i32(N), f32(X))
{
    xt_val sum = XT_CAST(i32, 0), same = XT_ADD(N, 1), left = N;
    xt_tile t = XT_INIT_TILE(A, i32, 8, 16, .shape = XT_AT(N, 64));
    xt_vec v = XT_LOAD_TILE(t, .padding = 7);
    XT_FOR(k, N, 0, -2, &sum, &same, &v)
    {
        sum = XT_ADD(sum, k);
        v = XT_ADD(v, same);
    }
    XT_WHILE(XT_GT(left, 1), &left) left = XT_DIV(left, 2);
    XT_IF(XT_LT(X, 0.5), &t) t = XT_UPDATE_TILE_OFFSET(t, left, 0);
    XT_IF(XT_EQ(sum, same), &v) { v = XT_MUL(v, 3); }
    XT_ELSE { v = XT_CAST(i32, XT_SQRT(XT_CAST(f32, v))); }
    XT_STORE_TILE(v, t);
}

TEST(values_of_regions)
{
    CHECK_ORDER(form(printed(&regions), 0), "(%A: memref<?x64xi32>, %N: index, %X: f32) {",
                "%c0 = arith.constant 0 : index", "%cst_0.5_f32 = arith.constant 5.000000e-01 : f32",
                "%1 = arith.index_cast", "%2 = arith.addi %N, %c1 : index",
                "%3 = xetile.init_tile %A, [%c0, %c0], [%N, %c64] : memref<?x64xi32> -> !xetile.tile<8x16xi32>",
                "%4 = xetile.load_tile %3 {padding = 7} : !xetile.tile<8x16xi32> -> vector<8x16xi32>",
                "%5, %6 = scf.for %9 = %N to %c0 step %c-2 iter_args(%7 = %1, %8 = %4) {",
                "%10 = arith.addi %7, %9 : index", "%11 = vector.splat %2 : vector<8x16xi32>",
                "%12 = arith.addi %8, %11 : vector<8x16xi32>", "scf.yield %10, %12\n", "}\n",
                "%13 = scf.while (%14 = %N) {", "%15 = arith.cmpi sgt, %14, %c1 : index", "scf.condition(%15) do",
                "%16 = arith.divsi %14, %c2 : index", "scf.yield %16\n", "%17 = arith.cmpf olt, %X, %cst_0.5_f32 : f32",
                "%18 = scf.if %17 {", "%19 = xetile.update_tile_offset %3, %13, %c0", "scf.yield %19\n", "} else {",
                "scf.yield %3\n", "arith.cmpi eq, %5, %2 : index", "%21 = scf.if %20 {", "arith.muli %6,", "} else {",
                "arith.sitofp %6 : vector<8x16xi32> to vector<8x16xf32>", "math.sqrt", "arith.fptosi",
                "xetile.store_tile %21, %18 :", "\n}");
    /* a loop that counts down counts turns, and what moves with a tile are its numbers */
    CHECK_ORDER(form(printed(&regions), 2), "// bmg: 1 subgroups of 16, 128 registers",
                "// with 2D block messages, where", "arith.divsi", "= %c0 to %",
                " step %c1 iter_args(", "xetile.update_tile_offset", "xetile.store_tile");
}

/* ---- remarks of the passes ---- */

XT_KERNEL(gemm, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(M), u32(N), u32(K), u32(LD))
{
    const xt_map map = XT_MAP(.sg_layout = {8, 4}, .sg_data = {32, 64});
    xt_map map_a = xt_map_mma_a(&map, 32), map_b = xt_map_mma_b(&map, 32);
    xt_val i = XT_MUL(XT_GROUP_ID(1), 256), j = XT_MUL(XT_GROUP_ID(0), 256);
    xt_tile a = XT_INIT_TILE(A, f16, 256, 32, AT(i, 0), OF(M, K), .strides = XT_AT(LD, 1), .map = map_a);
    xt_tile b = XT_INIT_TILE(B, f16, 32, 256, AT(0, j), OF(K, N), .map = map_b);
    xt_vec c = XT_SPLAT(f32, 256, 256, 0, .map = map);
    XT_FOR(k, 0, K, 32, &a, &b, &c)
    {
        XT_PREFETCH_TILE(a);
        XT_PREFETCH_TILE(b);
        c = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), c);
        a = XT_UPDATE_TILE_OFFSET(a, 0, 32);
        b = XT_UPDATE_TILE_OFFSET(b, 32, 0);
    }
    XT_STORE_TILE(c, XT_INIT_TILE(C, f32, 256, 256, AT(i, j), OF(M, N), .map = map));
}

TEST(what_a_subgroup_does)
{
    CHECK_ORDER(
        form(printed(&gemm), 2), "// bmg: 32 subgroups of 16, 256 registers", "// with 2D block messages, where\n",
        "%A in bytes divides by 64, pitch %LD by 16, rows of %K by 4 and not below 64\n", "%B in bytes", "%C in bytes",
        "func.func", "piece_offset [0] of [8, 4] x [32, 32] : index", "arith.addi", INIT, "xetile.prefetch_tile",
        "1 x 32x32, 2D block messages, with the next one:", LOAD, "1 x 32x32, a product's left side, 2D block messages",
        LOAD, "1 x 32x64, a product's right side, 2D block messages", MMA, "1 x 32x64, an accumulator",
        "_col, %c32 : index", UPDATE, STORE);
}

XT_KERNEL(small_gemm, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(M), u32(N), u32(K))
{
    const xt_map map = {{2, 2}, {32, 32}};
    xt_tile a = XT_INIT_TILE(A, f16, 64, 32, .shape = XT_AT(M, K), .map = xt_map_mma_a(&map, 32));
    xt_tile b = XT_INIT_TILE(B, f16, 32, 64, .shape = XT_AT(K, N), .map = xt_map_mma_b(&map, 32));
    xt_vec c = XT_SPLAT(f32, 64, 64, 0, .map = map);
    XT_FOR (k, 0, K, 32, &a, &b, &c) {
        c = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), c);
        a = XT_UPDATE_TILE_OFFSET(a, 0, 32);
        b = XT_UPDATE_TILE_OFFSET(b, 32, 0);
    }
    XT_STORE_TILE(c, XT_INIT_TILE(C, f32, 64, 64, .shape = XT_AT(M, N), .map = map));
}

TEST(what_a_device_s_matrices_do)
{
    CHECK_ORDER(form(printed_for("hopper", &small_gemm), 2), "// hopper: 4 subgroups of 32", "scf.for", LOAD,
                "1 x 32x32, an operand in local memory", LOAD, "1 x 32x32, an operand in local memory", MMA,
                "1 x 32x32, the device's matrices\n", STORE);
}

XT_KERNEL(with_attributes, ptr(f32, A), ptr(i32, At))
{
    xt_tile t = XT_INIT_TILE(A, f32, 8, 16, .shape = XT_AT(8, 16));
    xt_vec at = XT_LOAD_TILE(XT_INIT_TILE(At, i32, 8, 16, .shape = XT_AT(8, 16)));
    xt_tile s = XT_INIT_TILE(A, f32, 8, 16, .scatter = at, .shape = XT_AT(128));
    XT_STORE_TILE(XT_SCAN(add, XT_LOAD_TILE(t, .border = XT_BORDER_MIRROR), 1, .exclusive = true), t);
    s = XT_UPDATE_TILE_OFFSET(s, 3);
    XT_STORE_SCATTER(XT_LOAD_GATHER(s), s);
}

TEST(attributes_of_operations)
{
    CHECK_ORDER(form(printed(&with_attributes), 0), "load_tile", " {border = mirror} :", "vector.scan <add>",
                " {exclusive}", "update_tile_offset", ", %c3", "load_gather", "store_scatter");
}

TEST(every_operation_has_words)
{
#define WORDS(name, write, does, fields, text) text,
    static const char *const words[] = {XT_OPERATIONS_(WORDS)};
#undef WORDS
    for (int op = 0; op < XT_OP_COUNT_; op++)
        CHECK_MSG(*words[op] || op == XT_OP_ARGUMENT_ || op == XT_OP_ELSE_ || op == XT_OP_END_,
                  "operation %d has none", op);
}

XT_KERNEL(wrong, ptr(f32, A)) { XT_LOAD_TILE(XT_INIT_TILE(A, f32, 8, 16)); }

TEST(what_was_not_built)
{
    xt_module none;
    FILE *f = tmpfile();
    CHECK_STR(strchr(printed(&wrong), ':') ? strstr(text, "XT_ERROR_TILE_SHAPE") ? "error" : text : "nothing", "error");
    memset(&none, 0, sizeof none);
    xt_print(&none, f);
    CHECK_INT(ftell(f), 0);
    fclose(f);
}

int main(void)
{
    RUN(text_2_1);
    RUN(appendix_1);
    RUN(text_2_2_and_2_3);
    RUN(text_2_4);
    RUN(text_2_5);
    RUN(maps_on_every_vector);
    RUN(values_of_regions);
    RUN(what_a_subgroup_does);
    RUN(what_a_device_s_matrices_do);
    RUN(attributes_of_operations);
    RUN(every_operation_has_words);
    RUN(what_was_not_built);
    return test_report();
}
