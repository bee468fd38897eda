/* mx_gemm.c - products in OCP's Microscaling Formats (MX 1.0): quantises two matrices of f32 in blocks of 32 elements
 * along K, to MXFP8 or MXFP4, and multiplies these. All quantised elements and scales are checked against the rule, all
 * elements of the product against f64 of the quantised values; the error beside the product without quantisation is
 * printed. On every target: where the device has no such instructions, elements are multiplied as f16 or f32.
 *
 *     cc -std=c11 mx_gemm.c -lm && ./a.out --type e2m1
 *     ./a.out A.npy B.npy C.npy --save q            also writes q_a.npy, q_a_scale.npy, q_b.npy and q_b_scale.npy, of
 *                                                   bytes; e2m1 has two elements a byte
 *     ./a.out --load q                              multiplies these, as they are
 */
#include "xetile.h"
#include "ze_dispatch.h"

#define EXAMPLE "mx_gemm"
#include "example.h"
#include "example_gemm.h"
#include "example_matrices.h"

enum { BLOCK = CM_SCALED, PIECE = 16 };

/* A step takes 32 bytes of each row. Without an instruction that scales, a block's sums are held beside those of all.
 * Few registers are better used for wide pieces; elements of e2m1 are two a byte, and take more while they are
 * decoded. */
static const xt_product bytes_32 = {.a = XT_TYPE(e4m3), .b = XT_TYPE(e4m3), .live = 1, .step = BLOCK};
static const xt_product in_few = {.a = XT_TYPE(e4m3), .b = XT_TYPE(e4m3), .live = 1, .sg_cols = 16, .step = BLOCK};
static const xt_product halves_in_few = {.a = XT_TYPE(e4m3), .b = XT_TYPE(e4m3), .live = 1, .extra = 512,
                                         .sg_cols = 16, .step = BLOCK};

/* ---- kernels. A is M x K, B K x N, with a scale for 32 elements along K; of e2m1, two of these are a byte. K is
 * rounded up to whole blocks, with zeros */

static int per_byte(int type) { return type == CM_E2M1 ? 2 : 1; }

/* A subgroup quantises a block of PIECE rows, or columns, at (i, j). */
static xt_vec quantized(XT_CONTEXT, xt_vec v, int type, int dim, xt_vec *scales)
{
    return type == CM_E2M1   ? XT_QUANTIZE(e2m1, v, dim, .scales = scales)
           : type == CM_E4M3 ? XT_QUANTIZE(e4m3, v, dim, .scales = scales)
                             : XT_QUANTIZE(e5m2, v, dim, .scales = scales);
}

static void quantize_a(XT_CONTEXT, xt_val V, xt_val Q, xt_val S, xt_val M, xt_val K)
{
    const int bytes = BLOCK / per_byte(XT_TYPE_of(Q));
    xt_val i = XT_MUL(XT_GROUP_ID(1), PIECE), block = XT_GROUP_ID(0), blocks = XT_GROUP_COUNT(0);
    xt_val wide = XT_MUL(blocks, bytes), at = XT_MUL(block, bytes), k = XT_MUL(block, BLOCK);
    xt_tile v = XT_INIT_TILE(V, f32, PIECE, BLOCK, .offset = XT_AT(i, k), .shape = XT_AT(M, K));
    xt_tile q = XT_INIT_TILE(Q, of(Q), PIECE, bytes, .offset = XT_AT(i, at), .shape = XT_AT(M, wide));
    xt_tile s = XT_INIT_TILE(S, e8m0, PIECE, 1, .offset = XT_AT(i, block), .shape = XT_AT(M, blocks));
    xt_vec scales;
    XT_STORE_TILE(quantized(XT_SELF, XT_LOAD_TILE(v), XT_TYPE_of(Q), 1, &scales), q);
    XT_STORE_TILE(scales, s);
}

static void quantize_b(XT_CONTEXT, xt_val V, xt_val Q, xt_val S, xt_val N, xt_val K)
{
    const int bytes = BLOCK / per_byte(XT_TYPE_of(Q));
    xt_val j = XT_MUL(XT_GROUP_ID(0), PIECE), block = XT_GROUP_ID(1), blocks = XT_GROUP_COUNT(1);
    xt_val high = XT_MUL(blocks, bytes), at = XT_MUL(block, bytes), k = XT_MUL(block, BLOCK);
    xt_tile v = XT_INIT_TILE(V, f32, BLOCK, PIECE, .offset = XT_AT(k, j), .shape = XT_AT(K, N));
    xt_tile q = XT_INIT_TILE(Q, of(Q), bytes, PIECE, .offset = XT_AT(at, j), .shape = XT_AT(high, N));
    xt_tile s = XT_INIT_TILE(S, e8m0, 1, PIECE, .offset = XT_AT(block, j), .shape = XT_AT(blocks, N));
    xt_vec scales;
    XT_STORE_TILE(quantized(XT_SELF, XT_LOAD_TILE(v), XT_TYPE_of(Q), 0, &scales), q);
    XT_STORE_TILE(scales, s);
}

/* `blocks` of 32 along K; a turn takes 32 bytes of each row, as the matrix instruction does. */
static void product(XT_CONTEXT, xt_val A, xt_val SA, xt_val B, xt_val SB, xt_val C, xt_val M, xt_val N, xt_val blocks)
{
    const xt_map map = tiles.c, map_a = tiles.a, map_b = tiles.b;
    const int rows = tiles.rows, cols = tiles.cols, bytes = tiles.k, turn = per_byte(XT_TYPE_of(A)); /* blocks */
    const xt_map one_a = xt_map_mma_a(&map, turn), one_b = xt_map_mma_b(&map, turn);
    xt_val i = XT_MUL(XT_GROUP_ID(1), rows), j = XT_MUL(XT_GROUP_ID(0), cols), deep = XT_MUL(blocks, bytes / turn);
    xt_tile a = XT_INIT_TILE(A, of(A), rows, bytes, .offset = XT_AT(i, 0), .shape = XT_AT(M, deep), .map = map_a);
    xt_tile b = XT_INIT_TILE(B, of(B), bytes, cols, .offset = XT_AT(0, j), .shape = XT_AT(deep, N), .map = map_b);
    xt_tile sa = XT_INIT_TILE(SA, e8m0, rows, turn, .offset = XT_AT(i, 0), .shape = XT_AT(M, blocks), .map = one_a);
    xt_tile sb = XT_INIT_TILE(SB, e8m0, turn, cols, .offset = XT_AT(0, j), .shape = XT_AT(blocks, N), .map = one_b);
    xt_tile c = XT_INIT_TILE(C, f32, rows, cols, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = map);
    xt_vec acc = XT_SPLAT(f32, rows, cols, 0, .map = map);
    XT_FOR (k, 0, blocks, turn, &a, &b, &sa, &sb, &acc) {
        xt_vec va = XT_LOAD_TILE(a), vb = XT_LOAD_TILE(b), scale_a = XT_LOAD_TILE(sa), scale_b = XT_LOAD_TILE(sb);
        acc = XT_TILE_MMA_SCALED(va, scale_a, vb, scale_b, acc);
        a = XT_UPDATE_TILE_OFFSET(a, 0, bytes);
        b = XT_UPDATE_TILE_OFFSET(b, bytes, 0);
        sa = XT_UPDATE_TILE_OFFSET(sa, 0, turn);
        sb = XT_UPDATE_TILE_OFFSET(sb, turn, 0);
    }
    XT_STORE_TILE(acc, c);
}

#define KERNELS(T)                                                                                                     \
    XT_KERNEL (quantize_a_##T, ptr(f32, V), ptr(T, Q), ptr(e8m0, S), u32(M), u32(K))                                   \
    {                                                                                                                  \
        quantize_a(XT_SELF, V, Q, S, M, K);                                                                            \
    }                                                                                                                  \
    XT_KERNEL (quantize_b_##T, ptr(f32, V), ptr(T, Q), ptr(e8m0, S), u32(N), u32(K))                                   \
    {                                                                                                                  \
        quantize_b(XT_SELF, V, Q, S, N, K);                                                                            \
    }                                                                                                                  \
    XT_KERNEL (mx_gemm_##T, ptr(T, A), ptr(e8m0, SA), ptr(T, B), ptr(e8m0, SB), ptr(f32, C), u32(M), u32(N),           \
               u32(blocks))                                                                                            \
    {                                                                                                                  \
        product(XT_SELF, A, SA, B, SB, C, M, N, blocks);                                                               \
    }
KERNELS(e4m3)
KERNELS(e5m2)
KERNELS(e2m1)

/* ---- the program */

static int m = 200, n = 300, k = 256;
static const char *file[3], *saved, *loaded;

typedef struct {
    int type; /* CM_E4M3 ... */
    size_t blocks;
    matrix a, b, of_file[4]; /* given; elements and scales of A and B as files have them */
    float *va, *vb, *c;
    uint8_t *qa, *sa, *qb, *sb;
} mx_problem;

static double element(int type, const uint8_t *q, size_t at, size_t which)
{
    if (type == CM_E2M1) return (double)spe_e2m1_bits_to_f32((uint8_t)(q[at] >> (which % 2 * 4)));
    return (double)(type == CM_E4M3 ? spe_e4m3_bits_to_f32(q[at]) : spe_e5m2_bits_to_f32(q[at]));
}

/* Quantised element (row, l) of A, or (l, col) of B, times its scale. */
static double value_a(const mx_problem *p, size_t row, size_t l)
{
    const size_t per = (size_t)per_byte(p->type), deep = p->blocks * BLOCK / per;
    return element(p->type, p->qa, row * deep + l / per, l) *
           (double)spe_e8m0_bits_to_f32(p->sa[row * p->blocks + l / BLOCK]);
}
static double value_b(const mx_problem *p, size_t l, size_t col)
{
    const size_t per = (size_t)per_byte(p->type);
    return element(p->type, p->qb, l / per * (size_t)n + col, l) *
           (double)spe_e8m0_bits_to_f32(p->sb[l / BLOCK * (size_t)n + col]);
}

/* Is a block quantised by the rule: its scale 2^(floor(log2(largest)) - exponent of the type's largest), and each
 * element v as near to v / scale as the type allows, or its largest? */
static bool is_quantised(int type, const float v[BLOCK], const double got[BLOCK], uint8_t scale)
{
    const int exponent = type == CM_E4M3 ? 8 : type == CM_E5M2 ? 15 : 2;
    double most = 0;
    for (int i = 0; i < BLOCK; i++) most = fmax(most, fabs((double)v[i]));
    int power = most > 0 ? ilogb(most) - exponent : -127;
    if (scale != (power < -127 ? 0 : power + 127)) return false;
    for (int i = 0; i < BLOCK; i++) {
        float x = (float)((double)v[i] * ldexp(1, 127 - scale));
        float want = type == CM_E2M1   ? spe_e2m1_bits_to_f32(spe_f32_to_e2m1_bits(x))
                     : type == CM_E4M3 ? spe_e4m3_bits_to_f32(spe_f32_to_e4m3_bits(x, true))
                                       : spe_e5m2_bits_to_f32(spe_f32_to_e5m2_bits(x, true));
        if (got[i] != (double)want * ldexp(1, scale - 127)) return false;
    }
    return true;
}

/* Blocks that are wrong, of A's rows or B's columns. */
static size_t check_quantised(const mx_problem *p, bool of_b)
{
    size_t wrong = 0, lines = (size_t)(of_b ? n : m);
    for (size_t line = 0; line < lines; line++)
        for (size_t block = 0; block < p->blocks; block++) {
            float v[BLOCK];
            double got[BLOCK];
            for (size_t i = 0; i < BLOCK; i++) {
                size_t l = block * BLOCK + i, at = of_b ? l * (size_t)n + line : line * (size_t)k + l;
                v[i] = l < (size_t)k ? (of_b ? p->vb : p->va)[at] : 0;
                got[i] = of_b ? value_b(p, l, line) : value_a(p, line, l);
            }
            uint8_t scale = of_b ? p->sb[block * (size_t)n + line] : p->sa[line * p->blocks + block];
            wrong += !is_quantised(p->type, v, got, scale);
        }
    return wrong;
}

/* Products of quantised values are exact in f32; the sums of a block and that of the blocks round, each by at most
 * 2^-23 (for hardware that truncates) of a sum of absolute values. *error: of C beside the product of the given
 * matrices, if these were not quantised. */
static size_t check_c(const mx_problem *p, double *error)
{
    size_t wrong = 0, deep = p->blocks * BLOCK;
    double off = 0, all = 0, *row = (double *)malloc(deep * sizeof *row);
    for (size_t i = 0; row && i < (size_t)m; i++) {
        for (size_t l = 0; l < deep; l++) row[l] = value_a(p, i, l);
        for (size_t j = 0; j < (size_t)n; j++) {
            double want = 0, size = 0, exact = 0, got = (double)p->c[i * (size_t)n + j];
            for (size_t l = 0; l < deep; l++) {
                double x = row[l] * value_b(p, l, j);
                want += x;
                size += fabs(x);
            }
            for (size_t l = 0; !loaded && l < (size_t)k; l++)
                exact += (double)p->va[i * (size_t)k + l] * (double)p->vb[l * (size_t)n + j];
            check_element(&wrong, (int)i, (int)j, got, want,
                          (double)(deep + p->blocks) * 0x1p-23 * size + (double)FLT_MIN);
            off += (got - exact) * (got - exact);
            all += exact * exact;
        }
    }
    *error = sqrt(off / all);
    free(row);
    return row ? wrong : 1;
}

/* ---- files: bytes and floats in NumPy's format */

static bool npy_save(const char *path, const char *type, size_t bytes, size_t rows, size_t cols, const void *data)
{
    char text[118];
    FILE *f = fopen(path, "wb");
    size_t done = 0;
    snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%zu, %zu), }", type, rows, cols);
    if (f) {
        fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, f); /* 10 + 118 = 128 */
        fprintf(f, "%-117s\n", text);
        done = fwrite(data, bytes, rows * cols, f);
    }
    if (!f || fclose(f) != 0 || done != rows * cols) return fail("%s: cannot write it", path);
    return true;
}

/* The files of elements and scales: PREFIX_a.npy ... */
static void name_files(char path[4][1024], const char *prefix)
{
    static const char *const what[] = {"a", "a_scale", "b", "b_scale"};
    for (int i = 0; i < 4; i++) snprintf(path[i], sizeof path[i], "%s_%s.npy", prefix, what[i]);
}

static bool save_quantised(const mx_problem *p)
{
    const size_t deep = p->blocks * BLOCK / (size_t)per_byte(p->type), rows = (size_t)m, cols = (size_t)n;
    char path[4][1024];
    name_files(path, saved);
    return npy_save(path[0], "|u1", 1, rows, deep, p->qa) && npy_save(path[1], "|u1", 1, rows, p->blocks, p->sa) &&
           npy_save(path[2], "|u1", 1, deep, cols, p->qb) && npy_save(path[3], "|u1", 1, p->blocks, cols, p->sb);
}

/* Reads what --save wrote. Scales are for 32 elements along K each. */
static bool load_quantised(mx_problem *p)
{
    const matrix *a = &p->of_file[0], *sa = &p->of_file[1], *b = &p->of_file[2], *sb = &p->of_file[3];
    const int bytes = BLOCK / per_byte(p->type);
    char path[4][1024];
    name_files(path, loaded);
    for (int i = 0; i < 4; i++)
        if (!npy_read_bytes(path[i], &p->of_file[i])) return false;
    if (a->cols != b->rows || a->cols % bytes)
        return fail("%s has %d columns, %s has %d rows; wanted a multiple of %d", path[0], a->cols, path[2], b->rows,
                    bytes);
    if (sa->rows != a->rows || sa->cols != a->cols / bytes)
        return fail("%s is %d x %d, wanted %d x %d", path[1], sa->rows, sa->cols, a->rows, a->cols / bytes);
    if (sb->cols != b->cols || sb->rows != sa->cols)
        return fail("%s is %d x %d, wanted %d x %d", path[3], sb->rows, sb->cols, sa->cols, b->cols);
    m = a->rows;
    n = b->cols;
    k = sa->cols * BLOCK;
    return true;
}

static void take_quantised(const mx_problem *p)
{
    uint8_t *const to[] = {p->qa, p->sa, p->qb, p->sb};
    for (int i = 0; i < 4; i++)
        for (size_t at = 0; at < (size_t)p->of_file[i].rows * (size_t)p->of_file[i].cols; at++)
            to[i][at] = (uint8_t)p->of_file[i].at[at];
}

static bool read_files(mx_problem *p)
{
    if (asked.files < 2) return fail("A.npy needs B.npy");
    if (!npy_read(file[0], &p->a) || !npy_read(file[1], &p->b)) return false;
    if (p->a.cols != p->b.rows)
        return fail("%s has %d columns, %s has %d rows", file[0], p->a.cols, file[1], p->b.rows);
    m = p->a.rows;
    n = p->b.cols;
    k = p->a.cols;
    return true;
}

/* ---- the run */

static bool allocate(zed_device *dev, mx_problem *p)
{
    uint64_t state = 7;
    const size_t rows = (size_t)m, cols = (size_t)n, deep = (size_t)k;
    p->blocks = (deep + BLOCK - 1) / BLOCK;
    p->va = new_floats(dev, rows * deep, &state);
    p->vb = new_floats(dev, deep * cols, &state);
    p->c = new_floats(dev, rows * cols, NULL);
    p->qa = (uint8_t *)new_array(dev, rows * p->blocks * BLOCK);
    p->qb = (uint8_t *)new_array(dev, cols * p->blocks * BLOCK);
    p->sa = (uint8_t *)new_array(dev, rows * p->blocks);
    p->sb = (uint8_t *)new_array(dev, cols * p->blocks);
    if (!p->va || !p->vb || !p->c || !p->qa || !p->qb || !p->sa || !p->sb) return fail_device(dev);
    if (p->a.at) memcpy(p->va, p->a.at, rows * deep * sizeof(float));
    if (p->b.at) memcpy(p->vb, p->b.at, deep * cols * sizeof(float));
    memset(p->qa, 0x7f, rows * p->blocks * BLOCK);
    memset(p->qb, 0x7f, cols * p->blocks * BLOCK);
    memset(p->sa, 0xff, rows * p->blocks);
    memset(p->sb, 0xff, cols * p->blocks);
    return true;
}

static bool quantise_one(zed_device *dev, const xt_kernel *kernel, zed_groups groups, float *v, uint8_t *q, uint8_t *s,
                         int lines)
{
    const xt_target target = {ZED_TARGET(dev)};
    zed_kernel loaded;
    xt_module mod = XT_BUILD(*kernel, &target);
    bool ok = mod.words ? ZED_LOAD(&loaded, dev, mod) || fail_device(dev) : fail_build(&mod);
    if (ok) zed_launch(&loaded, groups, on_device(v), on_device(q), on_device(s), (uint32_t)lines, (uint32_t)k);
    if (ok) ok = (copy_from_device(dev, q) && copy_from_device(dev, s)) || fail_device(dev);
    xt_free(&mod);
    return ok;
}

static bool quantise(zed_device *dev, mx_problem *p)
{
    const xt_kernel *a = p->type == CM_E4M3   ? &quantize_a_e4m3
                         : p->type == CM_E5M2 ? &quantize_a_e5m2
                                              : &quantize_a_e2m1;
    const xt_kernel *b = p->type == CM_E4M3   ? &quantize_b_e4m3
                         : p->type == CM_E5M2 ? &quantize_b_e5m2
                                              : &quantize_b_e2m1;
    const zed_groups of_a = {(uint32_t)p->blocks, (uint32_t)(m + PIECE - 1) / PIECE, 1};
    const zed_groups of_b = {(uint32_t)(n + PIECE - 1) / PIECE, (uint32_t)p->blocks, 1};
    size_t wrong;
    if (!quantise_one(dev, a, of_a, p->va, p->qa, p->sa, m) || !quantise_one(dev, b, of_b, p->vb, p->qb, p->sb, n))
        return false;
    wrong = check_quantised(p, false) + check_quantised(p, true);
    return !wrong || fail("%zu blocks are quantised wrongly", wrong);
}

static bool run_problem(zed_device *dev, zed_kernel *kernel, const example_form *form, mx_problem *p)
{
    const zed_groups groups = groups_of_tiles(&tiles, m, n);
    double error, ns;
    size_t wrong;
    if (loaded && asked.files) return fail("--load takes no files of matrices beside it");
    if (loaded ? !load_quantised(p) : asked.files && !read_files(p)) return false;
    if (!allocate(dev, p)) return false;
    if (loaded) take_quantised(p);
    if (!copy_to_device(dev)) return fail_device(dev);
    if (!loaded && !quantise(dev, p)) return false;
    ns = zed_launch_timed(kernel, groups, on_device(p->qa), on_device(p->sa), on_device(p->qb), on_device(p->sb),
                          on_device(p->c), (uint32_t)m, (uint32_t)n, (uint32_t)p->blocks);
    if (ns < 0 || !copy_from_device(dev, p->c)) return fail_device(dev);
    wrong = check_c(p, &error);
    if (wrong) return fail("%s %d x %d x %d: %zu elements are wrong", form->name, m, n, k, wrong);
    if (!loaded) printf("formats  %.3g from the product without quantisation (norms)\n", error);
    print_largest_error();
    if (asked.files == 3 && !npy_save(file[2], "<f4", 4, (size_t)m, (size_t)n, p->c)) return false;
    if (saved && !save_quantised(p)) return false;
    printf("ok mx_gemm %s %d x %d x %d, %.1f GFLOP/s\n", form->name, m, n, k, 2.0 * m * n * k / ns);
    return true;
}

static bool run_form(zed_device *dev, zed_kernel *kernel, const example_form *form)
{
    mx_problem p;
    memset(&p, 0, sizeof p);
    p.type = !strcmp(form->name, "e4m3") ? (int)CM_E4M3 : !strcmp(form->name, "e5m2") ? (int)CM_E5M2 : (int)CM_E2M1;
    bool ok = run_problem(dev, kernel, form, &p);
    free(p.a.at);
    free(p.b.at);
    for (int i = 0; i < 4; i++) free(p.of_file[i].at);
    return ok;
}

static const example_option options[] = {
    SIZE("--m", "rows of A and C", &m),
    SIZE("--n", "columns of B and C", &n),
    SIZE("--k", "columns of A, rows of B", &k),
    TEXT("--save", "PREFIX", "write the quantised elements and scales as NumPy files", &saved),
    TEXT("--load", "PREFIX", "multiply what --save wrote, instead of matrices of floats", &loaded),
    OPTIONS_END,
};
static const example_form forms[] = {
    {.name = "e4m3",
     .what = "MXFP8 with three bits of mantissa",
     .kernel = &mx_gemm_e4m3,
     .product = &bytes_32,
     .few = &in_few,
     .run = run_form},
    {.name = "e5m2",
     .what = "MXFP8 with two bits of mantissa",
     .kernel = &mx_gemm_e5m2,
     .product = &bytes_32,
     .few = &in_few,
     .run = run_form},
    {.name = "e2m1",
     .what = "MXFP4",
     .kernel = &mx_gemm_e2m1,
     .product = &bytes_32,
     .few = &halves_in_few,
     .run = run_form},
    FORMS_END,
};

int main(int argc, char **argv)
{
    const example e = {.about = "products in OCP's Microscaling Formats, each element checked against f64",
                       .options = options,
                       .files_help = "[A.npy B.npy [C.npy]]",
                       .files = file,
                       .most_files = 3,
                       .forms = forms,
                       .form_option = "--type"};
    return example_main(argc, argv, &e);
}
