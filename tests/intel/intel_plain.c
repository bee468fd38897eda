/* intel_plain.c - writes products with the tiles that xt_tiles_for proposes, for one target: check_intel_shapes.sh
 * compiles them with Intel's compiler and counts instructions. Prints a line `NAME FORM FILE FLAGS` for each; form: all
 * tiles are `.inside` of their matrices, at aligned pitches, or each access is checked.
 *
 *     intel_plain DIRECTORY TARGET [ROWS COLS STEP SIZE]       of a subgroup's piece, not what is proposed
 */
#include "xetile.h"

static bool inside;

static void product(XT_CONTEXT, xt_val A, xt_val B, xt_val C, xt_val M, xt_val N, xt_val K)
{
    const xt_tiles *t = (const xt_tiles *)XT_USER();
    const int rows = t->rows, cols = t->cols, step = t->k;
    xt_val i = XT_MUL(XT_GROUP_ID(1), rows), j = XT_MUL(XT_GROUP_ID(0), cols);
    xt_tile a = XT_INIT_TILE(A, of(A), rows, step, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .inside = inside,
                             .map = t->a);
    xt_tile b = XT_INIT_TILE(B, of(B), step, cols, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .inside = inside,
                             .map = t->b);
    xt_tile c = XT_INIT_TILE(C, of(C), rows, cols, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .inside = inside,
                             .map = t->c);
    xt_vec sum = XT_SPLAT(of(C), rows, cols, 0, .map = t->c);
    XT_FOR (k, 0, K, step, &a, &b, &sum) {
        xt_vec left = XT_LOAD_TILE(a), right = XT_LOAD_TILE(b);
        sum = XT_TILE_MMA(left, right, sum);
        a = XT_UPDATE_TILE_OFFSET(a, 0, step);
        b = XT_UPDATE_TILE_OFFSET(b, step, 0);
    }
    XT_STORE_TILE(sum, c);
}

XT_KERNEL(f32, ptr(f32, A), ptr(f32, B), ptr(f32, C), u32(M), u32(N), u32(K)) { product(XT_SELF, A, B, C, M, N, K); }
XT_KERNEL(f16, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(M), u32(N), u32(K)) { product(XT_SELF, A, B, C, M, N, K); }
XT_KERNEL(half, ptr(f16, A), ptr(f16, B), ptr(f16, C), u32(M), u32(N), u32(K)) { product(XT_SELF, A, B, C, M, N, K); }
XT_KERNEL(bf16, ptr(bf16, A), ptr(bf16, B), ptr(f32, C), u32(M), u32(N), u32(K)) { product(XT_SELF, A, B, C, M, N, K); }
XT_KERNEL(i8, ptr(i8, A), ptr(i8, B), ptr(i32, C), u32(M), u32(N), u32(K)) { product(XT_SELF, A, B, C, M, N, K); }

static const struct {
    const xt_kernel *kernel;
    int type, sum;
} products[] = {
    {&f32, XT_TYPE(f32), XT_TYPE(f32)},   {&f16, XT_TYPE(f16), XT_TYPE(f32)}, {&half, XT_TYPE(f16), XT_TYPE(f16)},
    {&bf16, XT_TYPE(bf16), XT_TYPE(f32)}, {&i8, XT_TYPE(i8), XT_TYPE(i32)},
};

static bool write_one(const char *directory, const char *target, const xt_kernel *kernel, const xt_product *wanted)
{
    char path[256];
    const char *form = inside ? "inside" : "checked";
    const xt_target to = {.name = target};
    xt_tiles t = xt_tiles_for(&to, wanted);
    xt_module mod = xt_build(&(xt_build_desc){.kernel = kernel, .target = &to, .subgroup_size = t.subgroup_size,
                                              .registers = t.registers, .user = &t,
                                              .pitch = inside ? XT_PITCH_ALIGNED : XT_PITCH_AUTO});
    FILE *f;
    bool done;
    snprintf(path, sizeof path, "%s/%s_%s.spv", directory, kernel->name, form);
    if (!mod.words) fprintf(stderr, "%s: ", kernel->name), spe_print_error(mod.error, stderr);
    f = mod.words ? fopen(path, "wb") : NULL;
    done = f && fwrite(mod.words, 1, mod.size, f) == mod.size;
    if (f && fclose(f) != 0) done = false;
    if (done) printf("%s %s %s %s\n", kernel->name, form, path, mod.build_flags);
    xt_free(&mod);
    return done;
}

int main(int argc, char **argv)
{
    bool all = argc == 3 || argc == 7;
    if (!all) return fprintf(stderr, "usage: intel_plain DIRECTORY TARGET [ROWS COLS STEP SIZE]\n"), 2;
    for (size_t i = 0; i < sizeof products / sizeof products[0]; i++) {
        xt_product p = {.a = products[i].type, .b = products[i].type, .c = products[i].sum};
        if (argc == 7) {
            p.sg_rows = atoi(argv[3]), p.sg_cols = atoi(argv[4]), p.step = atoi(argv[5]);
            p.subgroup_size = atoi(argv[6]);
        }
        for (int form = 0; form < 2; form++) {
            p.inside = inside = form == 0;
            all = write_one(argv[1], argv[2], products[i].kernel, &p) && all;
        }
    }
    return !all;
}
