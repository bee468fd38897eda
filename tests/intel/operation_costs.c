/* operation_costs.c - writes a kernel for each operation on vectors, for scripts/operation_costs.sh, which counts the
 * instructions that Intel's compiler makes of it: prints `TYPE<tab>OPERATION<tab>FILE<tab>FLAGS` for each.
 *
 *     operation_costs DIRECTORY TARGET
 */
#include "xetile.h"

/* The types, and what is applied to v, with w of the same type. `none` is subtracted from the others. */
#define FLOATS(X, T)                                                                                                   \
    X(T, "none", XT_ADD(v, w)) X(T, "XT_MUL", XT_ADD(XT_MUL(v, v), w)) X(T, "XT_FMA", XT_ADD(XT_FMA(v, w, w), w))      \
    X(T, "XT_DIV", XT_ADD(XT_DIV(v, w), w)) X(T, "XT_DIV of 1", XT_ADD(XT_DIV(1.0, v), w))                             \
    X(T, "XT_MOD", XT_ADD(XT_MOD(v, w), w)) X(T, "XT_MIN, XT_MAX", XT_ADD(XT_MAX(v, w), w))                            \
    X(T, "XT_LT and XT_SELECT", XT_ADD(XT_SELECT(XT_LT(v, w), v, 1), w))                                               \
    X(T, "XT_ABS", XT_ADD(XT_ABS(v), w)) X(T, "XT_FLOOR, XT_CEIL, XT_TRUNC", XT_ADD(XT_FLOOR(v), w))                   \
    X(T, "XT_ROUND", XT_ADD(XT_ROUND(v), w)) X(T, "XT_SQRT", XT_ADD(XT_SQRT(v), w))                                    \
    X(T, "XT_RSQRT", XT_ADD(XT_RSQRT(v), w)) X(T, "XT_EXP", XT_ADD(XT_EXP(v), w))                                      \
    X(T, "XT_EXP2", XT_ADD(XT_EXP2(v), w))                                                                             \
    X(T, "XT_LOG", XT_ADD(XT_LOG(v), w)) X(T, "XT_LOG2", XT_ADD(XT_LOG2(v), w)) X(T, "XT_TANH", XT_ADD(XT_TANH(v), w)) \
    X(T, "XT_SIN", XT_ADD(XT_SIN(v), w)) X(T, "XT_COS", XT_ADD(XT_COS(v), w)) X(T, "XT_ERF", XT_ADD(XT_ERF(v), w))     \
    X(T, "XT_POW", XT_ADD(XT_POW(v, w), w))
#define INTEGERS(X, T)                                                                                                 \
    X(T, "none", XT_ADD(v, w)) X(T, "XT_MUL", XT_ADD(XT_MUL(v, v), w)) X(T, "XT_DIV", XT_ADD(XT_DIV(v, w), w))         \
    X(T, "XT_MOD", XT_ADD(XT_MOD(v, w), w)) X(T, "XT_MIN, XT_MAX", XT_ADD(XT_MAX(v, w), w))                            \
    X(T, "XT_SHL, XT_SHR", XT_ADD(XT_SHL(v, w), w)) X(T, "XT_AND, XT_OR, XT_XOR", XT_ADD(XT_AND(v, 12345), w))         \
    X(T, "XT_LT and XT_SELECT", XT_ADD(XT_SELECT(XT_LT(v, w), v, 1), w)) X(T, "XT_ABS", XT_ADD(XT_ABS(v), w))
/* There and back, which is two casts. */
#define CASTS(X)                                                                                                       \
    X(f32, "XT_CAST to f16 and back", XT_ADD(XT_CAST(f32, XT_CAST(f16, v)), w))                                        \
    X(f32, "XT_CAST to bf16 and back", XT_ADD(XT_CAST(f32, XT_CAST(bf16, v)), w))                                      \
    X(f32, "XT_CAST to i32 and back", XT_ADD(XT_CAST(f32, XT_CAST(i32, v)), w))                                        \
    X(f32, "XT_CAST to i8 and back", XT_ADD(XT_CAST(f32, XT_CAST(i8, v)), w))                                          \
    X(f32, "XT_CAST to e4m3 and back", XT_ADD(XT_CAST(f32, XT_CAST(e4m3, v)), w))
#define ALL(X) FLOATS(X, f32) CASTS(X) FLOATS(X, f16) INTEGERS(X, i32)

enum { ROWS = 16 };
static int chosen;

#define APPLY(T, name, result)                                                                                         \
    if (at++ == chosen) {                                                                                              \
        xt_tile a = XT_INIT_TILE(A, T, ROWS, 16, .offset = XT_AT(place, 0), .shape = XT_AT(1 << 20, 64));              \
        xt_tile b = XT_INIT_TILE(B, T, ROWS, 16, .offset = XT_AT(place, 0), .shape = XT_AT(1 << 20, 64));              \
        xt_vec v = XT_LOAD_TILE(a), w = XT_LOAD_TILE(b);                                                               \
        XT_STORE_TILE(result, a);                                                                                      \
    }

XT_KERNEL (operation, u64(A), u64(B))
{
    xt_val place = XT_MUL(XT_GROUP_ID(0), 32);
    int at = 0;
    ALL(APPLY)
}

int main(int argc, char **argv)
{
#define NAME(T, name, result) {#T, name},
    static const char *const all[][2] = {ALL(NAME)};
    if (argc != 3) return 2;
    for (chosen = 0; chosen < (int)(sizeof all / sizeof all[0]); chosen++) {
        char path[256];
        xt_module mod = XT_BUILD(operation, &(xt_target){.name = argv[2]}, .pitch = XT_PITCH_ALIGNED);
        if (!mod.words) return spe_print_error(mod.error, stderr), 1;
        snprintf(path, sizeof path, "%s/%d.spv", argv[1], chosen);
        FILE *f = fopen(path, "wb");
        bool done = f && fwrite(mod.words, 1, mod.size, f) == mod.size;
        if (!f || fclose(f) != 0 || !done) return perror(path), 1;
        printf("%s\t%s\t%s\t%s\n", all[chosen][0], all[chosen][1], path, mod.build_flags);
        xt_free(&mod);
    }
    return 0;
}
