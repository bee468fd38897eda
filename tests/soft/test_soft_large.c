/* test_soft_large.c - what a kernel costs grows with its work, not with a limit that its length passes: two products
 * and one, three and five exponentials, for any pitch and for aligned ones. Two more exponentials are as much machine
 * code the second time as the first, within 1.13; compiled at another level from some length on, as it was, kernels
 * grew by 1.5 times as much at that length as at another. Sizes are compared, not times, as machines are busy. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* setenv, mkdtemp */
#endif
#include <dirent.h>
#include <elf.h>
#include "own_cache.h"
#include "test.h"
#include "xetile.h"
#include "ze_dispatch.h"

enum { M = 100, N = 500, K = 192 };
static int exponentials;

static xt_vec product(XT_CONTEXT, xt_val A, xt_val W, xt_val i, xt_val j, xt_val columns)
{
    const xt_map map = XT_MAP(.sg_layout = {4, 2}, .sg_data = {16, 32}), ma = xt_map_mma_a(&map, 32),
                 mb = xt_map_mma_b(&map, 32);
    xt_val lines = XT_PARAM("Lines"), length = XT_PARAM("Length");
    xt_tile a = XT_INIT_TILE(A, f16, 64, 32, .offset = XT_AT(i, 0), .shape = XT_AT(lines, length), .map = ma);
    xt_tile b = XT_INIT_TILE(W, f16, 32, 64, .offset = XT_AT(0, j), .shape = XT_AT(length, columns),
                             .strides = XT_AT(1, length), .order = {0, 1}, .map = mb);
    xt_vec sum = XT_SPLAT(f32, 64, 64, 0, .map = map);
    XT_FOR (k, 0, length, 32, &a, &b, &sum) {
        sum = XT_TILE_MMA(XT_LOAD_TILE(a), XT_LOAD_TILE(b), sum);
        a = XT_UPDATE_TILE_OFFSET(a, 0, 32);
        b = XT_UPDATE_TILE_OFFSET(b, 32, 0);
    }
    return sum;
}

XT_KERNEL (gated, ptr(f16, W), ptr(f16, X), ptr(f32, Y), u32(Lines), u32(Columns), u32(Length))
{
    const xt_map map = XT_MAP(.sg_layout = {4, 2}, .sg_data = {16, 32});
    xt_val i = XT_MUL(XT_GROUP_ID(1), 64), j = XT_MUL(XT_GROUP_ID(0), 64);
    (void)Length;
    xt_vec gate = product(XT_SELF, X, W, i, j, Columns);
    xt_vec up = product(XT_SELF, X, W, i, XT_ADD(j, Columns), XT_MUL(Columns, 2));
    for (int e = 0; e < exponentials; e++) gate = XT_EXP(XT_MIN(gate, 1.0));
    XT_STORE_TILE(XT_MUL(gate, up), XT_INIT_TILE(Y, f32, 64, 64, .offset = XT_AT(i, j),
                                                 .shape = XT_AT(Lines, Columns), .map = map));
}

/* Bytes of machine code in a file of the cache: an ELF file behind a header; 0: it has none. */
static size_t code_in(const char *name)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", own_cache, name);
    FILE *f = fopen(path, "rb");
    if (!f) return 0;
    static unsigned char bytes[1 << 20];
    size_t n = fread(bytes, 1, sizeof bytes, f), at = 0, code = 0;
    fclose(f);
    while (at + sizeof(Elf64_Ehdr) <= n && memcmp(bytes + at, ELFMAG, SELFMAG)) at++;
    if (at + sizeof(Elf64_Ehdr) > n) return 0;
    Elf64_Ehdr head;
    memcpy(&head, bytes + at, sizeof head);
    for (size_t i = 0; i < head.e_shnum && at + head.e_shoff + (i + 1) * sizeof(Elf64_Shdr) <= n; i++) {
        Elf64_Shdr section;
        memcpy(&section, bytes + at + head.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_flags & SHF_EXECINSTR) code += section.sh_size;
    }
    return code;
}

/* Bytes of machine code of all kernels in the cache. */
static size_t code_in_cache(void)
{
    size_t code = 0;
    DIR *folder = opendir(own_cache);
    for (struct dirent *e; folder && (e = readdir(folder));) code += code_in(e->d_name);
    if (folder) closedir(folder);
    return code;
}

/* Bytes of machine code of the kernel, which writes y; 0 after an error. */
static size_t code_of(zed_device *d, xt_pitch pitch, const uint16_t *w, const uint16_t *x, float *y)
{
    zed_kernel k;
    new_own_cache();
    xt_module m = XT_BUILD(gated, &(xt_target){ZED_TARGET(d)}, .pitch = pitch);
    bool done = m.words && ZED_LOAD(&k, d, m) && zed_launch(&k, (zed_groups){8, 2, 1}, w, x, y, M, N, K);
    xt_free(&m);
    return done ? code_in_cache() : 0;
}

/* By i, j of Y, in double; sums of K products of halves, rounded to f32 at most K times. */
static int wrong_results(const uint16_t *w, const uint16_t *x, const float *y)
{
    int wrong = 0;
    for (int i = 0; i < M; i += 7)
        for (int j = 0; j < N; j++) {
            double gate = 0, up = 0;
            for (int k = 0; k < K; k++) {
                double a = (double)spe_f16_bits_to_f32(x[i * K + k]);
                gate += a * (double)spe_f16_bits_to_f32(w[j * K + k]);
                up += a * (double)spe_f16_bits_to_f32(w[(N + j) * K + k]);
            }
            for (int e = 0; e < exponentials; e++) gate = exp(fmin(gate, 1));
            wrong += !(fabs((double)y[i * N + j] - gate * up) <= 1e-3 * (1 + fabs(gate * up)));
        }
    return wrong;
}

TEST(longer_kernels_are_compiled_alike)
{
    static const xt_pitch pitches[] = {XT_PITCH_AUTO, XT_PITCH_ALIGNED};
    zed_device d;
    CHECK(zed_open(&d, NULL));
    uint16_t *w = (uint16_t *)zed_alloc(&d, ZED_SHARED, 4 * N * K, 0);
    uint16_t *x = (uint16_t *)zed_alloc(&d, ZED_SHARED, 2 * M * K, 0);
    float *y = (float *)zed_alloc(&d, ZED_SHARED, 4 * M * N, 0);
    for (int i = 0; i < 2 * N * K; i++) w[i] = spe_f32_to_f16_bits((float)test_normal() / 16);
    for (int i = 0; i < M * K; i++) x[i] = spe_f32_to_f16_bits((float)test_normal());
    for (int p = 0; p < 2; p++) {
        size_t code[3];
        for (int i = 0; i < 3; i++) {
            exponentials = 1 + 2 * i;
            memset(y, 0xdb, 4 * M * N);
            code[i] = code_of(&d, pitches[p], w, x, y);
            CHECK_INT(wrong_results(w, x, y), 0);
        }
        double first = (double)code[1] - (double)code[0], second = (double)code[2] - (double)code[1];
        CHECK_MSG(code[0] && first > 0 && second > 0 && first < 1.3 * second && second < 1.3 * first,
                  "pitch %d: %zu, %zu, %zu bytes", p, code[0], code[1], code[2]);
    }
    remove_own_cache();
    zed_close(&d);
}

int main(void)
{
    unsetenv("XETILE_SOFT_TIER"); /* as users run it */
    RUN(longer_kernels_are_compiled_alike);
    return test_report();
}
