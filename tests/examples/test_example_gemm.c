/* test_example_gemm.c - the parts of examples/gemm.c: NumPy files that must be read, files that must be refused, the
 * whole program on files, and that its check detects wrong results.
 */
#define main gemm_main
#include "examples/gemm.c"
#undef main
#include "test.h"

static char path_[512];

static const char *path(const char *name)
{
    const char *dir = getenv("TMPDIR");
    snprintf(path_, sizeof path_, "%s/xetile_%s_%p.npy", dir ? dir : "/tmp", name, (void *)path_);
    return path_;
}

/* A whole file in memory: version 1, the given dictionary, then `data` bytes of zeros. */
static unsigned char file_[2048];

static size_t make_file(const char *dictionary, size_t data)
{
    size_t length = strlen(dictionary);
    memset(file_, 0, sizeof file_);
    memcpy(file_, "\x93NUMPY\x01", 8);
    file_[8] = (unsigned char)length;
    file_[9] = (unsigned char)(length >> 8);
    memcpy(file_ + 10, dictionary, length);
    return 10 + length + data;
}

static void refused(const char *dictionary, size_t data, const char *part)
{
    npy_header h;
    size_t size = make_file(dictionary, data);
    const char *wrong = npy_parse(file_, size, &h);
    CHECK_MSG(wrong && strstr(wrong, part), "%s: \"%s\", wanted \"%s\"", dictionary, wrong ? wrong : "accepted", part);
}

TEST(numpy_headers_are_read)
{
    npy_header h;
    size_t size = make_file("{'descr': '<f2', 'fortran_order': False, 'shape': (3, 4), }      \n", 24);
    CHECK(npy_parse(file_, size, &h) == NULL);
    CHECK_INT(h.type, NPY_F16);
    CHECK_INT(h.rows, 3);
    CHECK_INT(h.cols, 4);
    CHECK_INT(h.fortran, 0);
    CHECK_INT(h.data, size - 24);
    size = make_file("{\"shape\":(7,1), \"fortran_order\": True, \"descr\":\"<i4\"}", 28); /* another style */
    CHECK(npy_parse(file_, size, &h) == NULL);
    CHECK_INT(h.type, NPY_I32);
    CHECK_INT(h.rows, 7);
    CHECK_INT(h.cols, 1);
    CHECK_INT(h.fortran, 1);
}

TEST(wrong_headers_are_refused_by_name)
{
    npy_header h;
    size_t size;
    refused("{'descr': '>f2', 'fortran_order': False, 'shape': (3, 4), }", 24, "element type");
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }", 96, "element type");
    refused("{'descr': '|O', 'fortran_order': False, 'shape': (3, 4), }", 96, "element type");
    refused("{'descr': [('a', '<f2')], 'fortran_order': False, 'shape': (3, 4), }", 24, "descr is malformed");
    refused("{'descr': '<f2aaaaaaaaaaaaaaaaaaaaaaaa', 'fortran_order': False, 'shape': (3, 4), }", 24,
            "descr is malformed");
    refused("{'descr': '<f2', 'fortran_order': 0, 'shape': (3, 4), }", 24, "fortran_order");
    refused("{'descr': '<f2', 'fortran_order': False, 'shape': (12,), }", 24, "shape");
    refused("{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3, 2), }", 24, "shape");
    refused("{'descr': '<f2', 'fortran_order': False, 'shape': (0, 4), }", 0, "shape");
    refused("{'descr': '<f2', 'fortran_order': False, 'shape': (-3, -4), }", 24, "shape");
    refused("{'descr': '<f2', 'fortran_order': False, 'shape': (99999999999999999999, 4), }", 24, "shape");
    refused("{'descr': '<f2', 'fortran_order': False, 'shape': (3, 4), }", 23, "length");
    refused("{'descr': '<f2', 'fortran_order': False, 'shape': (3, 4), }", 25, "length");
    refused("{'descr': '<f2', 'shape': (3, 4), }", 24, "lacks");
    refused("{'descr': '<f2', 'fortran_order': False, 'shape': (3, 4), 'x': 1}", 24, "key");
    refused("{'descr': '<f2', 'fortran_order': False, 'shape': (3, 4), ", 24, "malformed");
    refused("{'descr': '<f2", 24, "malformed");
    refused("{'descr'", 24, "malformed");
    refused("{", 24, "malformed");
    refused("", 24, "dictionary");
    refused("[1, 2]", 24, "dictionary");
    size = make_file("{'descr': '<f2', 'fortran_order': False, 'shape': (3, 4), }", 24);
    file_[6] = 2;
    CHECK_HAS(npy_parse(file_, size, &h), "version 1");
    file_[6] = 1;
    file_[9] = 8;
    CHECK_HAS(npy_parse(file_, size, &h), "ends within");
    file_[0] = 'P';
    CHECK_HAS(npy_parse(file_, size, &h), "not a NumPy file");
    CHECK_HAS(npy_parse(file_, 5, &h), "not a NumPy file");
}

/* Every truncation of a valid file, and every change of a header byte: refused or read, never out of bounds (asan). */
TEST(damaged_files_do_no_harm)
{
    npy_header h;
    const char *dictionary = "{'descr': '<f2', 'fortran_order': False, 'shape': (3, 4), }";
    size_t size = make_file(dictionary, 24);
    int refusals = 0;
    for (size_t cut = 0; cut < size; cut++) {
        unsigned char *copy = (unsigned char *)malloc(cut ? cut : 1);
        memcpy(copy, file_, cut);
        CHECK_MSG(npy_parse(copy, cut, &h) != NULL, "cut at %zu was accepted", cut);
        free(copy);
    }
    for (size_t i = 0; i < size - 24; i++)
        for (int v = 0; v < 256; v++) {
            unsigned char *copy = (unsigned char *)malloc(size);
            memcpy(copy, file_, size);
            copy[i] = (unsigned char)v;
            refusals += npy_parse(copy, size, &h) != NULL;
            free(copy);
        }
    CHECK(refusals > 15000);
}

TEST(written_files_are_read_back_in_both_orders)
{
    enum { ROWS = 5, COLS = 7 };
    for (int fortran = 0; fortran < 2; fortran++)
        for (int type = NPY_F32; type <= NPY_I32; type += NPY_I32 - NPY_F32) {
            uint32_t data[ROWS * COLS];
            float want[ROWS * COLS];
            npy_header h;
            matrix x = {0, 0, NULL};
            for (int i = 0; i < ROWS * COLS; i++) {
                int32_t integer = (int32_t)(test_normal() * 1000);
                want[i] = type == NPY_F32 ? (float)test_normal() : (float)integer;
                if (type == NPY_F32) memcpy(&data[i], &want[i], 4);
                else memcpy(&data[i], &integer, 4);
            }
            CHECK(npy_write(path("order"), type, ROWS, COLS, data, fortran));
            CHECK(npy_read(path("order"), &h, &x));
            CHECK_INT(h.type, type);
            CHECK_INT(h.fortran, fortran);
            CHECK_INT(h.data % 64, 0);
            CHECK(x.rows == ROWS && x.cols == COLS && memcmp(x.at, want, sizeof want) == 0);
            free(x.at);
            remove(path("order"));
        }
}

TEST(halves_and_bytes_are_read)
{
    npy_header h;
    const uint16_t half[2] = {0x3e00, 0xc100};
    size_t size = make_file("{'descr': '<f2', 'fortran_order': True, 'shape': (1, 2), }", 4);
    memcpy(file_ + size - 4, half, 4);
    CHECK(npy_parse(file_, size, &h) == NULL);
    CHECK(npy_element(&h, file_, 0, 0) == 1.5 && npy_element(&h, file_, 0, 1) == -2.5);
    size = make_file("{'descr': '|i1', 'fortran_order': False, 'shape': (2, 1), }", 2);
    file_[size - 2] = 0x80;
    file_[size - 1] = 0x7f;
    CHECK(npy_parse(file_, size, &h) == NULL);
    CHECK(npy_element(&h, file_, 0, 0) == -128 && npy_element(&h, file_, 1, 0) == 127);
}

/* ---- the whole program on files */

/* Writes a file of any type and order, independently of the program's code. */
static void put_npy(const char *to, int type, bool fortran, const matrix *x)
{
    char dictionary[200];
    size_t size, bytes = npy_types[type].bytes;
    FILE *f = fopen(to, "wb");
    snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }\n",
             npy_types[type].descr, fortran ? "True" : "False", x->rows, x->cols);
    size = make_file(dictionary, 0);
    fwrite(file_, 1, size, f);
    for (int at = 0; at < x->rows * x->cols; at++) {
        int row = fortran ? at % x->rows : at / x->cols, col = fortran ? at / x->rows : at % x->cols;
        float v = x->at[row * x->cols + col];
        uint16_t half = spe_f32_to_f16_bits(v);
        int32_t integer = (int32_t)v;
        int8_t byte = (int8_t)integer;
        const void *from[NPY_TYPES] = {&half, &v, &byte, &integer};
        fwrite(from[type], 1, bytes, f);
    }
    fclose(f);
}

/* C.npy of the program against a product computed here. */
static void run_on_files(const char *type, int stored, bool fortran, double relative)
{
    enum { M = 45, N = 38, K = 70 };
    static char file_a[512], file_b[512], file_c[512];
    char *argv[] = {"gemm", "--device", "soft", "--type", (char *)type, file_a, file_b, file_c, NULL};
    bool integer = stored == NPY_I8 || stored == NPY_I32;
    npy_header h;
    matrix a, b, c = {0, 0, NULL};
    strcpy(file_a, path("a")), strcpy(file_b, path("b")), strcpy(file_c, path("c"));
    CHECK(matrix_init(&a, M, K) && matrix_init(&b, K, N));
    for (int i = 0; i < M * K; i++) a.at[i] = (float)(integer ? (int)(test_normal() * 40) : test_normal());
    for (int i = 0; i < K * N; i++) b.at[i] = (float)(integer ? (int)(test_normal() * 40) : test_normal());
    for (int i = 0; i < M * K && integer; i++) a.at[i] = fminf(fmaxf(a.at[i], -128), 127);
    for (int i = 0; i < K * N && integer; i++) b.at[i] = fminf(fmaxf(b.at[i], -128), 127);
    put_npy(file_a, stored, fortran, &a);
    put_npy(file_b, stored, !fortran, &b);
    CHECK_INT(gemm_main(8, argv), 0);
    CHECK(npy_read(file_c, &h, &c));
    CHECK(c.rows == M && c.cols == N && h.fortran == fortran);
    CHECK_INT(h.type, integer ? NPY_I32 : NPY_F32);
    for (int i = 0; i < M && c.at; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0, scale = 0, got = c.at[i * N + j];
            for (int q = 0; q < K; q++) sum += (double)a.at[i * K + q] * b.at[q * N + j];
            for (int q = 0; q < K; q++) scale += fabs((double)a.at[i * K + q] * b.at[q * N + j]);
            CHECK_MSG(fabs(got - sum) <= relative * scale, "%s C(%d, %d) is %g, want %g", type, i, j, got, sum);
        }
    free(a.at), free(b.at), free(c.at);
    remove(file_a), remove(file_b), remove(file_c);
}

/* Each input value is off by at most half a unit of its rounding, so a product by twice that; f32 sums add little. */
TEST(files_of_every_type_and_order)
{
    for (int fortran = 0; fortran < 2; fortran++) {
        run_on_files("f16", NPY_F16, fortran, 2.1 / 2048);
        run_on_files("f16", NPY_F32, fortran, 2.1 / 2048);
        run_on_files("bf16", NPY_F32, fortran, 2.1 / 256);
        run_on_files("i8", NPY_I8, fortran, 0);
        run_on_files("i8", NPY_I32, fortran, 0);
    }
}

TEST(files_that_do_not_go_together)
{
    static char file_a[512], file_b[512];
    char *argv[] = {"gemm", file_a, file_b, NULL, NULL, NULL};
    matrix a = {0, 0, NULL}, b = {0, 0, NULL};
    strcpy(file_a, path("a")), strcpy(file_b, path("b"));
    CHECK(matrix_init(&a, 4, 6) && matrix_init(&b, 5, 3));
    memset(a.at, 0, 24 * sizeof *a.at);
    memset(b.at, 0, 15 * sizeof *b.at);
    put_npy(file_a, NPY_F16, false, &a);
    put_npy(file_b, NPY_F16, false, &b);
    CHECK_INT(gemm_main(3, argv), 1); /* 6 columns, 5 rows */
    b.rows = 6, b.cols = 2;
    put_npy(file_b, NPY_I8, false, &b);
    CHECK_INT(gemm_main(3, argv), 1); /* f16 with i8 */
    put_npy(file_b, NPY_F32, false, &b);
    argv[3] = "--m", argv[4] = "9";
    CHECK_INT(gemm_main(5, argv), 1); /* a size that differs from the file's */
    argv[3] = NULL;
    a.at[7] = 1e6f;
    put_npy(file_a, NPY_F32, false, &a);
    CHECK_INT(gemm_main(3, argv), 1); /* too large for f16 */
    argv[2] = NULL;
    CHECK_INT(gemm_main(2, argv), 1); /* A alone */
    free(a.at), free(b.at);
    remove(file_a), remove(file_b);
}

/* The check: a correct product passes, one changed element anywhere is detected. */
static void check_catches(const gemm_type *type, int m, int n, int k)
{
    problem p;
    verdict v;
    uint64_t state = 5;
    size_t count = (size_t)m * (size_t)n;
    uint32_t *c = (uint32_t *)malloc(count * 4);
    void *scratch = malloc((size_t)(m > n ? m : n) * (size_t)k * 2);
    memset(&p, 0, sizeof p);
    p.type = type;
    p.m = m, p.n = n, p.k = k;
    CHECK(matrix_init(&p.a, m, k) && matrix_init(&p.b, k, n));
    fill_normal(&p, &p.a, &state);
    fill_normal(&p, &p.b, &state);
    CHECK(encode(type, "A", &p.a, scratch) && encode(type, "B", &p.b, scratch));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            int32_t integer = 0;
            for (int q = 0; q < k; q++) sum += p.a.at[i * k + q] * p.b.at[q * n + j];
            for (int q = 0; q < k; q++) integer += (int32_t)p.a.at[i * k + q] * (int32_t)p.b.at[q * n + j];
            if (type->result == NPY_I32) memcpy(&c[i * n + j], &integer, 4);
            else memcpy(&c[i * n + j], &sum, 4);
        }
    CHECK(check(&p, c, &v));
    CHECK_INT(v.wrong, 0);
    for (size_t at = 0; at < count; at += count > 40 ? count / 11 : 1) {
        uint32_t saved = c[at];
        c[at] = type->result == NPY_I32 ? saved + 1 : saved ^ 0x400000; /* the highest bit of the fraction */
        CHECK(check(&p, c, &v));
        CHECK_MSG(v.wrong == 1, "%s: a change of element %zu went unseen", type->name, at);
        CHECK_INT(v.row * n + v.col, at);
        c[at] = saved;
    }
    c[0] = type->result == NPY_I32 ? c[0] : 0x7fc00000; /* NaN is outside of all bounds */
    CHECK(check(&p, c, &v));
    CHECK_INT(v.wrong, type->result == NPY_I32 ? 0 : 1);
    free(c);
    free(scratch);
    free(p.a.at);
    free(p.b.at);
}

TEST(check_sees_one_wrong_element)
{
    check_catches(&gemm_types[GEMM_F16], 13, 10, 33);
    check_catches(&gemm_types[GEMM_BF16], 3, 5, 100);
    check_catches(&gemm_types[GEMM_I8], 9, 9, 40);
    check_catches(&gemm_types[GEMM_F16], 1, 1, 1);
}

TEST(values_that_do_not_fit_are_refused)
{
    float at[2] = {1, 70000}, far = 200, half = 0.3f;
    uint16_t to[2];
    matrix x = {1, 2, at};
    float rounded;
    CHECK(!encode(&gemm_types[GEMM_F16], "x", &x, to));
    at[1] = 70000;
    CHECK(encode(&gemm_types[GEMM_BF16], "x", &x, to));
    CHECK(!gemm_types[GEMM_I8].encode(far, to, 0, &rounded));
    CHECK(gemm_types[GEMM_F16].encode(half, to, 0, &rounded) && fabs(rounded - 0.3) < 0.3 / 2048);
    CHECK(gemm_types[GEMM_BF16].encode(half, to, 0, &rounded) && fabs(rounded - 0.3) < 0.3 / 256);
}

int main(void)
{
    RUN(numpy_headers_are_read);
    RUN(wrong_headers_are_refused_by_name);
    RUN(damaged_files_do_no_harm);
    RUN(written_files_are_read_back_in_both_orders);
    RUN(halves_and_bytes_are_read);
    RUN(files_of_every_type_and_order);
    RUN(files_that_do_not_go_together);
    RUN(check_sees_one_wrong_element);
    RUN(values_that_do_not_fit_are_refused);
    return test_report();
}
