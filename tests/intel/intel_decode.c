/* intel_decode.c - writes the products of a decoder's step (examples/decoder_kernels.h), and kernels that only move the
 * same weights by block messages, for scripts/check_intel_shapes.sh. Prints a line `NAME FILE MOVED FLAGS` for each;
 * MOVED is the kernel that moves what NAME multiplies, or `-`.
 *
 *     intel_decode DIRECTORY TARGET
 */
#include "../../examples/decoder_kernels.h"

static int depth; /* rows of a panel that are moved at a time */

/* A panel, with the pieces that a step's product has. Messages with somewhere to go: the same number of bytes is
 * loaded and stored. */
static void move_panel(XT_CONTEXT, xt_val W, xt_val Y, xt_val N, xt_val K)
{
    const xt_map map = XT_MAP(.sg_layout = {1, 2}, .sg_data = {depth, PANEL / 2});
    xt_val panel = XT_GROUP_ID(0), panels = XT_DIV(N, PANEL);
    xt_tile w = XT_INIT_TILE(W, of(W), depth, PANEL, .offset = XT_AT(panel, 0, 0), .shape = XT_AT(panels, K, PANEL),
                             .map = map);
    xt_tile y = XT_INIT_TILE(Y, of(W), depth, PANEL, .offset = XT_AT(panel, 0, 0), .shape = XT_AT(panels, K, PANEL),
                             .map = map);
    XT_FOR(k, 0, K, depth, &w, &y)
    {
        XT_STORE_TILE(XT_LOAD_TILE(w), y);
        w = XT_UPDATE_TILE_OFFSET(w, depth, 0);
        y = XT_UPDATE_TILE_OFFSET(y, depth, 0);
    }
}

/* Messages without data: into the caches. */
static void fetch_panel(XT_CONTEXT, xt_val W, xt_val N, xt_val K)
{
    const xt_map map = XT_MAP(.sg_layout = {1, 2}, .sg_data = {depth, PANEL / 2});
    xt_tile w = XT_INIT_TILE(W, of(W), depth, PANEL, .offset = XT_AT(XT_GROUP_ID(0), 0, 0),
                             .shape = XT_AT(XT_DIV(N, PANEL), K, PANEL), .map = map);
    XT_FOR(k, 0, K, depth, &w)
    {
        XT_PREFETCH_TILE(w);
        w = XT_UPDATE_TILE_OFFSET(w, depth, 0);
    }
}

XT_KERNEL(move_f16, ptr(f16, W), ptr(f16, Y), u32(N), u32(K)) { move_panel(XT_SELF, W, Y, N, K); }
XT_KERNEL(move_i8, ptr(i8, W), ptr(i8, Y), u32(N), u32(K)) { move_panel(XT_SELF, W, Y, N, K); }
XT_KERNEL(fetch_f16, ptr(f16, W), u32(N), u32(K)) { fetch_panel(XT_SELF, W, N, K); }
XT_KERNEL(fetch_i8, ptr(i8, W), u32(N), u32(K)) { fetch_panel(XT_SELF, W, N, K); }

static bool write_one(char **to, const xt_kernel *kernel, const char *name, const char *moved)
{
    char path[256];
    xt_target target = {.name = to[1]};
    xt_build_desc d = {
        .kernel = kernel, .target = &target, .pitch = XT_PITCH_ALIGNED, .file = __FILE__, .line = __LINE__};
    xt_product product = step_product(&target, made.weights == F16 ? XT_TYPE(f16) : XT_TYPE(i8));
    xt_tiles tiles;
    if (kernel == &attend) d.subgroups = attend_subgroups(), d.subgroup_size = fit_attention(&target);
    if (kernel == &linear_f16 || kernel == &linear_int) {
        tiles = xt_tiles_for(&target, &product);
        d.user = &tiles, d.subgroup_size = tiles.subgroup_size, d.registers = tiles.registers;
    }
    xt_module mod = xt_build(&d);
    if (!mod.words) return spe_print_error(mod.error, stderr), false;
    snprintf(path, sizeof path, "%s/%s.spv", to[0], name);
    FILE *f = fopen(path, "wb");
    bool done = f && fwrite(mod.words, 1, mod.size, f) == mod.size;
    if (f && fclose(f) != 0) done = false;
    if (done) printf("%s %s %s %s\n", name, path, moved, mod.build_flags);
    xt_free(&mod);
    return done;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"f16", "int8", "int4"};
    bool all = argc == 3;
    if (!all) return fprintf(stderr, "usage: intel_decode DIRECTORY TARGET\n"), 2;
    for (int kind = F16; kind <= INT4; kind++) {
        char moved[20], name[20];
        made.weights = kind;
        made.heads = 32, made.kv_heads = 8, made.head_size = 128;
        depth = kind == INT4 ? HALF : GROUP;
        snprintf(name, sizeof name, "fetch_%s", names[kind]);
        all = write_one(argv + 1, kind == F16 ? &fetch_f16 : &fetch_i8, name, "-") && all;
        snprintf(moved, sizeof moved, "move_%s", names[kind]);
        all = write_one(argv + 1, kind == F16 ? &move_f16 : &move_i8, moved, "-") && all;
        for (made.sequences = 1; made.sequences <= SEQUENCES_MAX; made.sequences *= 2) {
            snprintf(name, sizeof name, "decode_%s_%d", names[kind], made.sequences);
            all = write_one(argv + 1, kind == F16 ? &linear_f16 : &linear_int, name, moved) && all;
        }
    }
    return write_one(argv + 1, &attend, "attend", "-") && all ? 0 : 1;
}
