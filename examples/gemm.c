/* gemm.c - C = A B, the first kernel of XeTile's appendix 2.1, with tiles that suit the device (xt_tiles_for): on bmg
 * 256 x 256 for a work-group of 32 subgroups, 32 values of k per step, prefetching three steps ahead. Any M, N and K;
 * f16 and bf16 are summed in f32, i8 in i32. See `gemm --help`.
 *
 *     cc -std=c11 gemm.c -lm && ./a.out
 *
 * In order: the kernels, the command line, NumPy files, the input, the check against f64, the run.
 */
#include "xetile.h"
#include "ze_dispatch.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__MINGW32__)
#include <sys/time.h>
#endif

/* One body for all types: of(A) is A's element type. */
static void product(XT_CONTEXT, xt_val A, xt_val B, xt_val C, xt_val M, xt_val N, xt_val K)
{
    const xt_tiles *t = (const xt_tiles *)XT_USER(); /* on bmg 256 x 256 for 8 x 4 subgroups, in steps of 32 */
    const int rows = t->rows, cols = t->cols, step = t->k, ahead = t->prefetch * t->k;

    xt_val i = XT_MUL(XT_GROUP_ID(1), rows), j = XT_MUL(XT_GROUP_ID(0), cols);

    xt_tile a = XT_INIT_TILE(A, of(A), rows, step, .offset = XT_AT(i, 0), .shape = XT_AT(M, K), .map = t->a);
    xt_tile b = XT_INIT_TILE(B, of(B), step, cols, .offset = XT_AT(0, j), .shape = XT_AT(K, N), .map = t->b);
    xt_tile pa = XT_INIT_TILE(A, of(A), rows, step, .offset = XT_AT(i, ahead), .shape = XT_AT(M, K), .map = t->fetch_a);
    xt_tile pb = XT_INIT_TILE(B, of(B), step, cols, .offset = XT_AT(ahead, j), .shape = XT_AT(K, N), .map = t->fetch_b);
    xt_tile c = XT_INIT_TILE(C, of(C), rows, cols, .offset = XT_AT(i, j), .shape = XT_AT(M, N), .map = t->c);
    xt_vec acc = XT_SPLAT(of(C), rows, cols, 0, .map = t->c);

    XT_FOR (k, 0, K, step, &a, &b, &pa, &pb, &acc) { /* the listed values are carried through the loop */
        if (ahead) {
            XT_PREFETCH_TILE(pa);
            XT_PREFETCH_TILE(pb);
        }
        xt_vec va = XT_LOAD_TILE(a), vb = XT_LOAD_TILE(b);
        acc = XT_TILE_MMA(va, vb, acc);
        a = XT_UPDATE_TILE_OFFSET(a, 0, step);
        b = XT_UPDATE_TILE_OFFSET(b, step, 0);
        pa = XT_UPDATE_TILE_OFFSET(pa, 0, step);
        pb = XT_UPDATE_TILE_OFFSET(pb, step, 0);
    }
    XT_STORE_TILE(acc, c);
}

XT_KERNEL (gemm_f16, ptr(f16, A), ptr(f16, B), ptr(f32, C), u32(M), u32(N), u32(K))
{
    product(XT_SELF, A, B, C, M, N, K);
}

XT_KERNEL (gemm_bf16, ptr(bf16, A), ptr(bf16, B), ptr(f32, C), u32(M), u32(N), u32(K))
{
    product(XT_SELF, A, B, C, M, N, K);
}

XT_KERNEL (gemm_i8, ptr(i8, A), ptr(i8, B), ptr(i32, C), u32(M), u32(N), u32(K))
{
    product(XT_SELF, A, B, C, M, N, K);
}

/* ---- messages and the command line */

/* Every failure goes through here. */
static bool fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("FAILED gemm ");
    vprintf(format, args);
    printf("\n");
    va_end(args);
    return false;
}

typedef struct {
    const char *m, *n, *k, *type, *tile, *emit, *target, *api, *device; /* NULL: not given */
    const char *file[3];
    int files;
    bool list, help, print;
} options;

#if defined(_WIN32)
#include <process.h>
#define execv(path, argv) (void)_execv(path, (const char *const *)(argv))
#else
#include <unistd.h>
#endif

#if defined(ZE_DISPATCH_VULKAN_)
#define OWN_API "vulkan"
#define OTHER_PLACE "../"
#else
#define OWN_API "level_zero"
#define OTHER_PLACE "vulkan/"
#endif

static const struct {
    const char *name, *value, *help;
    size_t offset;
} option_table[] = {
    {"--m", "N", "rows of A and C (1024)", offsetof(options, m)},
    {"--n", "N", "columns of B and C (1024)", offsetof(options, n)},
    {"--k", "N", "columns of A, rows of B (1024)", offsetof(options, k)},
    {"--type", "T", "f16, bf16 or i8 (what A.npy holds, else f16)", offsetof(options, type)},
    {"--tile", "SIZES", "RxC,rxc,K: of a work-group, of a subgroup, the step along K (what suits the device)",
     offsetof(options, tile)},
    {"--emit", "FILE", "write the SPIR-V module and touch no device", offsetof(options, emit)},
    {"--print", NULL, "print the kernel and touch no device", offsetof(options, print)},
    {"--target", "NAME", "with --emit or --print, for (bmg) " CM_TARGET_NAMES, offsetof(options, target)},
    {"--api", "NAME", "level_zero or vulkan (" OWN_API "; the other is " OTHER_PLACE "gemm)", offsetof(options, api)},
    {"--device", "N|NAME", "run on this device of --list (GPU first)", offsetof(options, device)},
    {"--list", NULL, "list the devices", offsetof(options, list)},
    {"--help", NULL, "this text", offsetof(options, help)},
};
enum { OPTION_COUNT = sizeof option_table / sizeof option_table[0] };

/* Compiled with -Ivulkan, this is the program for Vulkan: the Makefile makes build/gemm and build/vulkan/gemm. Where
 * --api asks for the other one, that runs in place of this. */
static bool use_api(const char *api, char **argv)
{
    char path[1024];
    const char *slash = strrchr(argv[0], '/');
    int folder = slash ? (int)(slash + 1 - argv[0]) : 0;
    if (!api || !strcmp(api, OWN_API)) return true;
    if (strcmp(api, "vulkan") != 0 && strcmp(api, "level_zero") != 0)
        return fail("--api %s: level_zero or vulkan", api);
    snprintf(path, sizeof path, "%.*s" OTHER_PLACE "%s", folder, argv[0], argv[0] + folder);
    execv(path, argv);
    return fail("--api %s: this program is compiled for " OWN_API ", and %s is not there (make examples)", api, path);
}

static void print_help(void)
{
    printf("gemm [options] [A.npy B.npy [C.npy]]\n"
           "C = A B on normally distributed input, or on two-dimensional NumPy files (v1; f16, f32 or i8, i32; C or\n"
           "Fortran order); f32 input is rounded to --type. C.npy is written as f32 or i32, in the order of A.npy.\n");
    for (int i = 0; i < OPTION_COUNT; i++) {
        const char *value = option_table[i].value;
        printf("  %-8s %-7s %s\n", option_table[i].name, value ? value : "", option_table[i].help);
    }
}

static bool parse_option(options *o, char **argv, int *at)
{
    const char *arg = argv[*at];
    for (int i = 0; i < OPTION_COUNT; i++) {
        char *field = (char *)o + option_table[i].offset;
        if (strcmp(arg, option_table[i].name) != 0) continue;
        if (!option_table[i].value) {
            *(bool *)(void *)field = true;
            return true;
        }
        if (!argv[*at + 1]) return fail("%s needs a value: %s", arg, option_table[i].value);
        *(const char **)(void *)field = argv[++*at];
        return true;
    }
    return fail("unknown option %s; gemm --help lists them", arg);
}

static bool parse_options(options *o, char **argv)
{
    for (int i = 1; argv[i]; i++) {
        if (argv[i][0] == '-') {
            if (!parse_option(o, argv, &i)) return false;
        } else if (o->files == 3) {
            return fail("%s: at most three files, A.npy B.npy C.npy", argv[i]);
        } else {
            o->file[o->files++] = argv[i];
        }
    }
    if (o->target && !o->emit && !o->print) return fail("--target requires --emit or --print");
    return o->files != 1 || fail("%s: A.npy alone is not enough, B.npy is missing", o->file[0]);
}

/* A size from the command line, or `otherwise` if not given. */
static bool parse_size(const char *name, const char *text, int otherwise, int *size)
{
    char *end = NULL;
    long v = text ? strtol(text, &end, 10) : otherwise;
    if (text && (end == text || *end || v < 1 || v > 65536))
        return fail("%s %s: not a size from 1 to 65536", name, text);
    *size = (int)v;
    return true;
}

/* ---- matrices on the host. A float holds every value of the input types exactly. */

typedef struct {
    int rows, cols;
    float *at; /* row-major */
} matrix;

static bool matrix_init(matrix *x, int rows, int cols)
{
    x->rows = rows;
    x->cols = cols;
    x->at = (float *)malloc((size_t)rows * (size_t)cols * sizeof(float));
    return x->at || fail("out of memory for %d x %d floats", rows, cols);
}

/* ---- NumPy files, format version 1 */

typedef struct {
    const char *name, *descr;
    size_t bytes;
} npy_type;
enum { NPY_F16, NPY_F32, NPY_I8, NPY_I32, NPY_TYPES };
static const npy_type npy_types[NPY_TYPES] = {
    {"f16", "<f2", 2}, {"f32", "<f4", 4}, {"i8", "|i1", 1}, {"i32", "<i4", 4}};

typedef struct {
    int type, rows, cols;
    bool fortran;
    size_t data; /* offset of the elements */
    char descr[16];
} npy_header;

static const char *skip_blank(const char *p)
{
    while (*p == ' ' || *p == ',') p++;
    return p;
}

/* Copies 'text' or "text" at *p to `to`. */
static bool npy_string(const char **p, char *to, size_t size)
{
    const char quote = **p, *end = NULL;
    if (quote == '\'' || quote == '"') end = strchr(*p + 1, quote);
    if (!end || (size_t)(end - *p) > size) return false;
    memcpy(to, *p + 1, (size_t)(end - *p - 1));
    to[end - *p - 1] = 0;
    *p = end + 1;
    return true;
}

/* (rows, cols) */
static bool npy_shape(const char **p, npy_header *h)
{
    long size[2];
    const char *at = *p;
    for (int d = 0; d < 2; d++) {
        char *end;
        if (*at != (d ? ',' : '(')) return false;
        size[d] = strtol(at + 1, &end, 10);
        if (end == at + 1 || size[d] < 1 || size[d] > 65536) return false;
        at = end;
    }
    if (*at == ',') at++;
    if (*at != ')') return false;
    h->rows = (int)size[0];
    h->cols = (int)size[1];
    *p = at + 1;
    return true;
}

/* The dictionary: descr, fortran_order and shape, in any order. Returns NULL or an error text. */
static const char *npy_dictionary(const char *p, npy_header *h)
{
    char key[16];
    int seen = 0;
    p = skip_blank(p);
    if (*p++ != '{') return "its header is not a dictionary";
    for (p = skip_blank(p); *p != '}'; p = skip_blank(p)) {
        if (!npy_string(&p, key, sizeof key) || *p++ != ':') return "its header is malformed";
        p = skip_blank(p);
        if (!strcmp(key, "descr")) {
            if (!npy_string(&p, h->descr, sizeof h->descr)) return "its descr is malformed";
            seen |= 1;
        } else if (!strcmp(key, "fortran_order")) {
            h->fortran = !strncmp(p, "True", 4);
            if (!h->fortran && strncmp(p, "False", 5) != 0) return "its fortran_order is neither True nor False";
            p += h->fortran ? 4 : 5;
            seen |= 2;
        } else if (!strcmp(key, "shape")) {
            if (!npy_shape(&p, h)) return "its shape is not that of a matrix with 1 to 65536 rows and columns";
            seen |= 4;
        } else {
            return "its header has a key that version 1 does not know";
        }
    }
    return seen == 7 ? NULL : "its header lacks descr, fortran_order or shape";
}

/* Reads the header of a file in memory. Returns NULL or an error text. */
static const char *npy_parse(const unsigned char *bytes, size_t size, npy_header *h)
{
    char text[1024];
    size_t length;
    const char *wrong;
    if (size < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0) return "it is not a NumPy file";
    if (bytes[6] != 1) return "it is not of format version 1";
    length = bytes[8] | (size_t)bytes[9] << 8;
    if (size < 10 + length) return "it ends within its header";
    if (length >= sizeof text) return "its header is too long";
    memcpy(text, bytes + 10, length);
    text[length] = 0;
    if ((wrong = npy_dictionary(text, h)) != NULL) return wrong;
    for (h->type = 0; h->type < NPY_TYPES && strcmp(h->descr, npy_types[h->type].descr) != 0; h->type++) {}
    if (h->type == NPY_TYPES) return "its element type is none of f16 <f2, f32 <f4, i8 |i1, i32 <i4";
    h->data = 10 + length;
    if (size - h->data != (size_t)h->rows * (size_t)h->cols * npy_types[h->type].bytes)
        return "its length does not fit its shape";
    return NULL;
}

static double npy_element(const npy_header *h, const unsigned char *bytes, int row, int col)
{
    size_t at = h->fortran ? (size_t)col * (size_t)h->rows + (size_t)row : (size_t)row * (size_t)h->cols + (size_t)col;
    const unsigned char *p = bytes + h->data + at * npy_types[h->type].bytes;
    uint16_t half;
    float f;
    int32_t i;
    switch (h->type) {
    case NPY_F16: memcpy(&half, p, 2); return spe_f16_bits_to_f32(half);
    case NPY_F32: memcpy(&f, p, 4); return f;
    case NPY_I32: memcpy(&i, p, 4); return i;
    default: return (signed char)*p;
    }
}

static unsigned char *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    unsigned char *bytes = NULL;
    long length = -1;
    if (f && fseek(f, 0, SEEK_END) == 0) length = ftell(f);
    if (length >= 0 && fseek(f, 0, SEEK_SET) == 0) bytes = (unsigned char *)malloc((size_t)length + 1);
    *size = bytes ? fread(bytes, 1, (size_t)length, f) : 0;
    if (f) fclose(f);
    if (bytes && *size == (size_t)length) return bytes;
    free(bytes);
    fail("%s: cannot read it", path);
    return NULL;
}

static bool npy_read(const char *path, npy_header *h, matrix *x)
{
    size_t size;
    unsigned char *bytes = read_file(path, &size);
    const char *wrong;
    bool ok;
    memset(h, 0, sizeof *h);
    wrong = bytes ? npy_parse(bytes, size, h) : NULL;
    ok = bytes && !wrong && matrix_init(x, h->rows, h->cols);
    if (wrong && h->type == NPY_TYPES && h->descr[0]) fail("%s: %s, but %s", path, wrong, h->descr);
    else if (wrong) fail("%s: %s", path, wrong);
    for (int i = 0; ok && i < h->rows; i++)
        for (int j = 0; j < h->cols; j++)
            x->at[(size_t)i * (size_t)h->cols + (size_t)j] = (float)npy_element(h, bytes, i, j);
    free(bytes);
    return ok;
}

/* Writes `data`, row-major elements of 4 bytes, in either order. */
static bool npy_write(const char *path, int type, int rows, int cols, const uint32_t *data, bool fortran)
{
    char text[128];
    FILE *f = fopen(path, "wb");
    size_t count = (size_t)rows * (size_t)cols, done = 0;
    int used = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }",
                        npy_types[type].descr, fortran ? "True" : "False", rows, cols);
    if (f) {
        fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, f); /* 10 + 118 = 128: the elements start on a multiple of 64 */
        fprintf(f, "%s%*s\n", text, 117 - used, "");
        if (!fortran) done = fwrite(data, 4, count, f);
        for (int j = 0; fortran && j < cols; j++)
            for (int i = 0; i < rows; i++) done += fwrite(data + (size_t)i * (size_t)cols + (size_t)j, 4, 1, f);
    }
    if (!f || fclose(f) != 0 || done != count) return fail("%s: cannot write it", path);
    return true;
}

/* Refuses an unwritable path before the work begins; does not modify an existing file. */
static bool check_output(const char *path)
{
    FILE *there = fopen(path, "rb"), *f = fopen(path, "ab");
    if (there) fclose(there);
    if (!f) return fail("%s: cannot write it: %s", path, strerror(errno));
    fclose(f);
    if (!there) remove(path);
    return true;
}

/* ---- types of products */

typedef struct {
    const char *name;
    size_t bytes;
    int result; /* index in npy_types */
    bool (*encode)(float value, void *to, size_t at, float *rounded); /* false: does not fit */
} gemm_type;

static bool encode_f16(float v, void *to, size_t at, float *rounded)
{
    ((uint16_t *)to)[at] = spe_f32_to_f16_bits(v);
    *rounded = spe_f16_bits_to_f32(((uint16_t *)to)[at]);
    return isfinite(*rounded);
}

static bool encode_bf16(float v, void *to, size_t at, float *rounded)
{
    ((uint16_t *)to)[at] = spe_f32_to_bf16_bits(v);
    *rounded = spe_bf16_bits_to_f32(((uint16_t *)to)[at]);
    return isfinite(*rounded);
}

static bool encode_i8(float v, void *to, size_t at, float *rounded)
{
    *rounded = v;
    if (!(v >= -128 && v <= 127)) return false;
    ((int8_t *)to)[at] = (int8_t)v;
    return true;
}

static const gemm_type gemm_types[] = {
    {"f16", 2, NPY_F32, encode_f16}, {"bf16", 2, NPY_F32, encode_bf16}, {"i8", 1, NPY_I32, encode_i8}};
enum { GEMM_F16, GEMM_BF16, GEMM_I8, GEMM_TYPES };

/* Writes `x` to `to` in the device's type, and the rounded values back to `x`. */
static bool encode(const gemm_type *type, const char *name, matrix *x, void *to)
{
    size_t cols = (size_t)x->cols;
    for (size_t i = 0; i < (size_t)x->rows * cols; i++) {
        float v = x->at[i];
        if (!isfinite(v))
            return fail("%s: element (%d, %d) is %g: the check against f64 needs finite numbers", name, (int)(i / cols),
                        (int)(i % cols), v);
        if (!type->encode(v, to, i, &x->at[i]))
            return fail("%s: element (%d, %d) = %g is more than %s can hold", name, (int)(i / cols),
                        (int)(i % cols), v, type->name);
    }
    return true;
}

/* ---- input */

typedef struct {
    const gemm_type *type;
    int m, n, k;
    matrix a, b;
    const char *name_a, *name_b;
    bool from_files, fortran;
} problem;

/* splitmix64 */
static double random_uniform(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * (1.0 / 9007199254740992.0);
}

/* Normally distributed (Box and Muller); for i8 with a deviation of 40, rounded and clamped. */
static void fill_normal(const problem *p, matrix *x, uint64_t *state)
{
    size_t count = (size_t)x->rows * (size_t)x->cols;
    for (size_t i = 0; i < count; i++) {
        double radius = sqrt(-2 * log(1 - random_uniform(state)));
        double v = radius * cos(6.283185307179586 * random_uniform(state));
        if (p->type == &gemm_types[GEMM_I8]) v = fmin(fmax(nearbyint(40 * v), -128), 127);
        x->at[i] = (float)v;
    }
}

static bool choose_type(problem *p, const char *asked, bool integer)
{
    const char *name = asked ? asked : integer ? "i8" : "f16";
    for (int i = 0; i < GEMM_TYPES; i++)
        if (!strcmp(name, gemm_types[i].name)) p->type = &gemm_types[i];
    return p->type || fail("--type %s: it is one of f16, bf16, i8", name);
}

static bool is_integer(const npy_header *h) { return h->type == NPY_I8 || h->type == NPY_I32; }

static bool read_input(const options *o, problem *p)
{
    npy_header a, b;
    if (!npy_read(o->file[0], &a, &p->a) || !npy_read(o->file[1], &b, &p->b)) return false;
    if (!choose_type(p, o->type, is_integer(&a))) return false;
    for (int i = 0; i < 2; i++) {
        const npy_header *h = i ? &b : &a;
        if (is_integer(h) != (p->type == &gemm_types[GEMM_I8]))
            return fail("%s: it holds %s, which is not an input of --type %s", o->file[i], npy_types[h->type].name,
                        p->type->name);
    }
    if (b.rows != a.cols)
        return fail("%s: it has %d rows, but %s has %d columns", o->file[1], b.rows, o->file[0], a.cols);
    p->name_a = o->file[0];
    p->name_b = o->file[1];
    p->from_files = true;
    p->fortran = a.fortran;
    if (!parse_size("--m", o->m, a.rows, &p->m) || !parse_size("--n", o->n, b.cols, &p->n)) return false;
    if (!parse_size("--k", o->k, a.cols, &p->k)) return false;
    if (p->m != a.rows || p->n != b.cols || p->k != a.cols)
        return fail("%s: --m %d --n %d --k %d do not fit the files, which give %d x %d x %d", o->file[0], p->m, p->n,
                    p->k, a.rows, b.cols, a.cols);
    return true;
}

static bool make_input(const options *o, problem *p)
{
    uint64_t state = 2024;
    if (!choose_type(p, o->type, false)) return false;
    if (!parse_size("--m", o->m, 1024, &p->m) || !parse_size("--n", o->n, 1024, &p->n)) return false;
    if (!parse_size("--k", o->k, 1024, &p->k)) return false;
    if (!matrix_init(&p->a, p->m, p->k) || !matrix_init(&p->b, p->k, p->n)) return false;
    p->name_a = "A";
    p->name_b = "B";
    fill_normal(p, &p->a, &state);
    fill_normal(p, &p->b, &state);
    return true;
}

/* ---- the check
 *
 * Products of two f16 or bf16 values are exact in f32, so only the K additions round, each by at most u = 2^-24 of a
 * partial sum. In any order, the error is at most K u sum|a||b| <= K u |a| |b|, with the Euclidean norms of a row of A
 * and a column of B (Cauchy-Schwarz). For random input, independent roundings stay below 8 sqrt(K) u |a| |b| with
 * probability 1 - 3e-14 per element (Higham and Mary 2019), so that is the bound used. Input from files may be highly
 * correlated, and gets the first bound. u is doubled for hardware that truncates; K FLT_MIN is for hardware that
 * flushes subnormals. Integers must be equal.
 */

typedef struct {
    double error, bound; /* of the element with the largest error / bound */
    int row, col;        /* its position */
    size_t wrong;
} verdict;

static double norm(const float *x, size_t count, size_t stride)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += (double)x[i * stride] * x[i * stride];
    return sqrt(sum);
}

/* 4 x 4 elements of A B in f64: four rows of A with four columns of B, interleaved in `panel`. */
static void reference_block(const float *const row[4], const double *panel, int k, double out[4][4])
{
    double sum[4][4] = {{0}};
    for (int p = 0; p < k; p++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) sum[i][j] += (double)row[i][p] * panel[4 * p + j];
    memcpy(out, sum, sizeof sum);
}

static void check_element(const problem *p, verdict *v, const void *c, int i, int j, double want, double bound)
{
    size_t at = (size_t)i * (size_t)p->n + (size_t)j;
    double got = p->type->result == NPY_I32 ? ((const int32_t *)c)[at] : ((const float *)c)[at];
    double error = fabs(got - want);
    if (!(error <= bound) && v->wrong++ == 0)
        printf("C(%d, %d) is %.9g, want %.9g within %.3g\n", i, j, got, want, bound);
    if (v->row < 0 || !(bound > 0 ? error * v->bound <= v->error * bound : error <= v->error)) {
        v->error = error;
        v->bound = bound;
        v->row = i;
        v->col = j;
    }
}

/* Four columns of C, from column j0. */
static void check_columns(const problem *p, const void *c, const double *norm_a, double *panel, int j0, verdict *v)
{
    size_t k = (size_t)p->k, n = (size_t)p->n;
    double norm_b[4] = {0}, want[4][4];
    double growth = p->type->result == NPY_I32 ? 0 : p->from_files ? p->k : fmin(8 * sqrt(p->k), p->k);
    for (int j = 0; j < 4; j++) {
        for (size_t q = 0; q < k; q++) panel[4 * q + (size_t)j] = j0 + j < p->n ? p->b.at[q * n + (size_t)(j0 + j)] : 0;
        if (j0 + j < p->n) norm_b[j] = norm(p->b.at + j0 + j, k, n);
    }
    for (int i0 = 0; i0 < p->m; i0 += 4) {
        const float *row[4];
        for (int i = 0; i < 4; i++) row[i] = p->a.at + k * (size_t)(i0 + i < p->m ? i0 + i : p->m - 1);
        reference_block(row, panel, p->k, want);
        for (int i = 0; i < 4 && i0 + i < p->m; i++)
            for (int j = 0; j < 4 && j0 + j < p->n; j++) {
                double bound =
                    growth * FLT_EPSILON * norm_a[i0 + i] * norm_b[j] + (growth > 0 ? p->k * (double)FLT_MIN : 0);
                check_element(p, v, c, i0 + i, j0 + j, want[i][j], bound);
            }
    }
}

static bool check(const problem *p, const void *c, verdict *v)
{
    double *norm_a = (double *)malloc((size_t)p->m * sizeof(double));
    double *panel = (double *)malloc((size_t)p->k * 4 * sizeof(double));
    bool ok = norm_a && panel;
    memset(v, 0, sizeof *v);
    v->row = -1;
    for (int i = 0; ok && i < p->m; i++) norm_a[i] = norm(p->a.at + (size_t)i * (size_t)p->k, (size_t)p->k, 1);
    for (int j = 0; ok && j < p->n; j += 4) check_columns(p, c, norm_a, panel, j, v);
    free(norm_a);
    free(panel);
    return ok || fail("out of memory for the check");
}

/* ---- the run */

/* Proposes tiles, but for those that --tile gives, and builds the kernel for them. */
static xt_module build(const options *o, const problem *p, const xt_target *target, xt_tiles *t)
{
    static const int types[] = {XT_TYPE(f16), XT_TYPE(bf16), XT_TYPE(i8)};
    const int type = (int)(p->type - gemm_types);
    xt_product product;
    memset(&product, 0, sizeof product);
    product.a = product.b = types[type];
    product.m = p->m;
    product.n = p->n;
    if (o->tile)
        sscanf(o->tile, "%dx%d,%dx%d,%d", &product.rows, &product.cols, &product.sg_rows, &product.sg_cols,
               &product.step);
    *t = xt_tiles_for(target, &product);
    const int size = t->subgroup_size, registers = t->registers;
    if (type == GEMM_F16) return XT_BUILD(gemm_f16, target, .subgroup_size = size, .registers = registers, .user = t);
    if (type == GEMM_BF16) return XT_BUILD(gemm_bf16, target, .subgroup_size = size, .registers = registers, .user = t);
    return XT_BUILD(gemm_i8, target, .subgroup_size = size, .registers = registers, .user = t);
}

static double now_ms(void)
{
#if defined(__MINGW32__) /* whose C library need not have timespec_get */
    struct timeval t;
    gettimeofday(&t, NULL);
    return (double)t.tv_sec * 1e3 + (double)t.tv_usec * 1e-3;
#else
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
#endif
}

static bool fail_build(const xt_module *mod)
{
    return fail("%s:%d: %s", mod->error->file, mod->error->line, mod->error->text);
}

static bool fail_device(const zed_device *dev)
{
    const zed_error *e = zed_get_error(dev);
    return fail("%s:%d: %s", e->file, e->line, e->text);
}

typedef struct {
    zed_device dev;
    xt_module mod;
    xt_tiles tiles;
    zed_kernel kernel;
    void *a, *b, *c; /* in the device's own memory: a discrete GPU reaches other memory over its bus */
    void *c_host;
} session;

/* Puts an operand there, from host memory that it fills; false after a message. */
static bool upload(session *s, const problem *p, const char *name, matrix *from, size_t count, void **to)
{
    size_t bytes = count * p->type->bytes;
    void *host = zed_alloc(&s->dev, ZED_HOST, bytes, 0);
    *to = host ? zed_alloc(&s->dev, ZED_DEVICE, bytes, 0) : NULL;
    if (!*to) return fail_device(&s->dev);
    if (!encode(p->type, name, from, host)) return false;
    return (zed_copy(&s->dev, *to, host, bytes) && zed_free(&s->dev, host)) || fail_device(&s->dev);
}

/* Opens the device, builds the kernel and fills the input. */
static bool prepare(session *s, const options *o, problem *p)
{
    size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;
    double start;
    zed_options chosen = {.device = o->device};
    if (!zed_open(&s->dev, &chosen))
        return fail_device(&s->dev);
    printf("device   %s\ntarget   %s\n", s->dev.name, zed_target_log(&s->dev));
    start = now_ms();
    const xt_target target = {ZED_TARGET(&s->dev)};
    s->mod = build(o, p, &target, &s->tiles);
    if (!s->mod.words) return fail_build(&s->mod);
    printf("module   %s for %s: %zu bytes in %.2f ms", s->mod.kernel, s->dev.target.name, s->mod.size,
           now_ms() - start);
    start = now_ms();
    if (!ZED_LOAD(&s->kernel, &s->dev, s->mod)) return printf("\n"), fail_device(&s->dev);
    printf(", loaded in %.0f ms\n", now_ms() - start);
    if (!upload(s, p, p->name_a, &p->a, m * k, &s->a) || !upload(s, p, p->name_b, &p->b, k * n, &s->b)) return false;
    s->c = zed_alloc(&s->dev, ZED_DEVICE, m * n * 4, 0);
    s->c_host = s->c ? zed_alloc(&s->dev, ZED_HOST, m * n * 4, 0) : NULL;
    return s->c_host || fail_device(&s->dev);
}

/* Launches three times on a poisoned C; *ns: the median of the device's times. */
static bool launch(session *s, const problem *p, double *ns)
{
    uint32_t M = (uint32_t)p->m, N = (uint32_t)p->n, K = (uint32_t)p->k;
    const uint32_t rows = (uint32_t)s->tiles.rows, cols = (uint32_t)s->tiles.cols;
    const zed_groups groups = {(N + cols - 1) / cols, (M + rows - 1) / rows, 1};
    int poison = p->type->result == NPY_F32 ? 0xff /* NaN */ : 0x80;
    double t[3];
    for (int i = 0; i < 3; i++) {
        if (!zed_fill(&s->dev, s->c, poison, (size_t)M * N * 4)) return fail_device(&s->dev);
        t[i] = zed_launch_timed(&s->kernel, groups, s->a, s->b, s->c, M, N, K);
        if (t[i] < 0) return fail_device(&s->dev);
    }
    *ns = fmax(fmin(t[0], t[1]), fmin(fmax(t[0], t[1]), t[2]));
    printf("time     %.3f ms, %.1f GFLOP/s (median of 3)\n", *ns * 1e-6, 2.0 * M * N * K / *ns);
    return true;
}

static bool run(session *s, const options *o, problem *p)
{
    double ns = 0;
    verdict v;
    if (!prepare(s, o, p) || !launch(s, p, &ns)) return false;
    if (!zed_copy(&s->dev, s->c_host, s->c, (size_t)p->m * (size_t)p->n * 4)) return fail_device(&s->dev);
    printf("checking %d x %d elements against f64 ...\n", p->m, p->n);
    fflush(stdout);
    if (!check(p, s->c_host, &v)) return false;
    printf("error    %.3g of at most %.3g, at (%d, %d)\n", v.error, v.bound, v.row, v.col);
    if (v.wrong) return fail("%s %d x %d x %d: %zu elements are wrong", p->type->name, p->m, p->n, p->k, v.wrong);
    if (o->files == 3 && !npy_write(o->file[2], p->type->result, p->m, p->n, (const uint32_t *)s->c_host, p->fortran))
        return false;
    printf("ok gemm %s %d x %d x %d, %.1f GFLOP/s\n", p->type->name, p->m, p->n, p->k, 2.0 * p->m * p->n * p->k / ns);
    return true;
}

static bool run_gemm(const options *o)
{
    session s;
    problem p;
    bool ok;
    memset(&p, 0, sizeof p);
    memset(&s, 0, sizeof s); /* closing an unopened device does nothing */
    ok = (o->files < 3 || check_output(o->file[2])) && (o->files ? read_input(o, &p) : make_input(o, &p));
    if (ok && p.type == &gemm_types[GEMM_I8] && p.k > 131071)
        ok = fail("--k %d: sums of i8 products may not fit i32", p.k);
    ok = ok && run(&s, o, &p);
    xt_free(&s.mod);
    zed_close(&s.dev);
    free(p.a.at);
    free(p.b.at);
    return ok;
}

static bool emit(const options *o)
{
    problem p;
    xt_module mod;
    xt_tiles tiles;
    FILE *f;
    bool ok;
    memset(&p, 0, sizeof p);
    if (o->files) return fail("%s: --emit takes no matrices", o->file[0]);
    if (!choose_type(&p, o->type, false)) return false;
    const xt_target target = {.name = o->target ? o->target : "bmg"};
    mod = build(o, &p, &target, &tiles);
    if (!mod.words) {
        ok = fail_build(&mod);
    } else if (o->print) {
        printf("// tiles: %s\n", tiles.why);
        xt_print(&mod, stdout);
        ok = true;
    } else {
        f = fopen(o->emit, "wb");
        ok = f && fwrite(mod.words, 1, mod.size, f) == mod.size;
        if (f && fclose(f) != 0) ok = false;
        if (!ok) fail("%s: cannot write it: %s", o->emit, strerror(errno));
    }
    if (ok) printf("params   %s\nflags    %s\n", mod.params, mod.build_flags ? mod.build_flags : "");
    if (ok) printf("ok gemm %s: %s, %zu bytes\n", p.type->name, o->print ? "printed" : o->emit, mod.size);
    xt_free(&mod);
    return ok;
}

/* Output that cannot be written is an error too. */
static void flush_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return;
    fprintf(stderr, "FAILED standard output: cannot write it\n");
    _Exit(1);
}

int main(int argc, char **argv)
{
    atexit(flush_output);
    options o;
    bool ok;
    (void)argc;
    memset(&o, 0, sizeof o);
    ok = parse_options(&o, argv) && use_api(o.api, argv);
    if (ok && o.help) print_help();
    else if (ok && o.list) ok = zed_print_list(stdout);
    else if (ok) ok = o.emit || o.print ? emit(&o) : run_gemm(&o);
    return ok ? 0 : 1;
}
