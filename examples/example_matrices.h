/* example_matrices.h - matrices of floats for the examples, from files: NumPy's .npy (version 1, C order, f16 and f32)
 * and safetensors (F16, BF16, F32), which are also written. Errors in files are described. Include spirv_emit.h and
 * example.h first.
 */
#ifndef EXAMPLE_MATRICES_H
#define EXAMPLE_MATRICES_H

#include "example.h"

enum { MATRIX_SIDE_MAX = 65536 };

typedef struct {
    int rows, cols;
    float *at; /* row-major */
} matrix;

static inline bool matrix_init(matrix *x, int rows, int cols)
{
    x->rows = rows;
    x->cols = cols;
    x->at = (float *)malloc((size_t)rows * (size_t)cols * sizeof(float));
    return x->at || fail("out of memory for %d x %d floats", rows, cols);
}

/* ---- .npy -------------------------------------------------------------------------------------------------------- */

/* The header of version 1 is a Python dictionary literal. bytes: of an element, 1 if integers are wanted. */
static inline const char *npy_header(const char *text, int *bytes, int *rows, int *cols)
{
    const char *descr = strstr(text, *bytes == 1 ? "'descr': '|u" : "'descr': '<f"),
               *order = strstr(text, "'fortran_order': False"), *shape = strstr(text, "'shape': (");
    if (*bytes == 1 && (!descr || descr[12] != '1' || descr[13] != '\'')) return "its elements are not |u1";
    if (*bytes != 1 && (!descr || (descr[12] != '2' && descr[12] != '4') || descr[13] != '\''))
        return "its elements are neither <f2 nor <f4";
    if (!order) return "it is not in C order";
    if (!shape || sscanf(shape + 10, "%d, %d)", rows, cols) != 2 || *rows < 1 || *cols < 1 ||
        *rows > MATRIX_SIDE_MAX || *cols > MATRIX_SIDE_MAX)
        return "its shape is not that of a matrix with 1 to 65536 rows and columns";
    *bytes = descr[12] - '0';
    return NULL;
}

/* bytes: 1 for a matrix of bytes, whose numbers are read, else 0 for one of floats. */
static inline bool npy_read_as(const char *path, matrix *x, int bytes)
{
    FILE *f = fopen(path, "rb");
    unsigned char head[10];
    char text[1024] = "";
    const char *wrong = NULL;
    int rows = 0, cols = 0;
    if (!f) return fail("%s: cannot read it: %s", path, strerror(errno));
    if (fread(head, 1, 10, f) != 10 || memcmp(head, "\x93NUMPY\x01", 7) != 0)
        wrong = "it is no NumPy file of version 1";
    else if (head[8] + 256u * head[9] >= sizeof text ||
             fread(text, 1, head[8] + 256u * head[9], f) != head[8] + 256u * head[9])
        wrong = "its header is malformed";
    else
        wrong = npy_header(text, &bytes, &rows, &cols);
    if (!wrong && !matrix_init(x, rows, cols)) return fclose(f), false;
    for (size_t i = 0; !wrong && i < (size_t)rows * (size_t)cols; i++) {
        uint16_t half;
        uint8_t byte;
        void *to = bytes == 1 ? (void *)&byte : bytes == 2 ? (void *)&half : (void *)&x->at[i];
        if (fread(to, (size_t)bytes, 1, f) != 1) wrong = "it ends too early";
        else if (bytes == 2) x->at[i] = spe_f16_bits_to_f32(half);
        else if (bytes == 1) x->at[i] = byte;
        if (!wrong && !isfinite(x->at[i])) wrong = "not all of its numbers are finite";
    }
    fclose(f);
    return !wrong || fail("%s: %s", path, wrong);
}

static inline bool npy_read(const char *path, matrix *x) { return npy_read_as(path, x, 0); }
static inline bool npy_read_bytes(const char *path, matrix *x) { return npy_read_as(path, x, 1); }

static inline bool npy_write(const char *path, int rows, int cols, const uint16_t *data)
{
    char text[118];
    FILE *f = fopen(path, "wb");
    size_t count = (size_t)rows * (size_t)cols, done = 0;
    snprintf(text, sizeof text, "{'descr': '<f2', 'fortran_order': False, 'shape': (%d, %d), }", rows, cols);
    if (f) {
        fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, f); /* 10 + 118 = 128: the elements start on a multiple of 64 */
        fprintf(f, "%-117s\n", text);
        done = fwrite(data, 2, count, f);
    }
    if (!f || fclose(f) != 0 || done != count) return fail("%s: cannot write it", path);
    return true;
}

/* ---- safetensors: eight bytes of length, a header in JSON, then the tensors' bytes ------------------------------- */

typedef struct {
    const char *at, *end;
    const char *wrong;
} json_text;

/* A tensor's entry in the header. */
typedef struct {
    const char *name, *type; /* in the text, not terminated */
    int name_length, type_length, dimensions;
    uint64_t shape[2], begin, end; /* the first two dimensions; its range of bytes after the header */
} tensor_row;

static inline bool json_is(json_text *j, char c)
{
    while (j->at < j->end && strchr(" \t\r\n", *j->at) && *j->at) j->at++;
    if (j->at == j->end || *j->at != c) return false;
    j->at++;
    return true;
}

static inline bool json_wants(json_text *j, char c)
{
    if (!json_is(j, c) && !j->wrong) j->wrong = "its header is no JSON of safetensors";
    return !j->wrong;
}

/* A string without its quotes, not unescaped. */
static inline const char *json_string(json_text *j, int *length)
{
    const char *first;
    *length = 0;
    if (!json_wants(j, '"')) return "";
    first = j->at;
    while (j->at < j->end && *j->at != '"') j->at += *j->at == '\\' && j->end - j->at > 1 ? 2 : 1;
    *length = j->at - first < 1 << 20 ? (int)(j->at - first) : 0;
    json_wants(j, '"');
    return first;
}

static inline uint64_t json_number(json_text *j)
{
    uint64_t v = 0;
    const char *first;
    json_is(j, ' ');
    first = j->at;
    for (; j->at < j->end && *j->at >= '0' && *j->at <= '9' && v < (uint64_t)1 << 50; j->at++)
        v = v * 10 + (uint64_t)(*j->at - '0');
    if (j->at == first && !j->wrong) j->wrong = "its header is no JSON of safetensors";
    return v;
}

/* Reads the first two numbers of [a, b, ...]; returns how many there are. */
static inline int json_numbers(json_text *j, uint64_t v[2])
{
    int n = 0;
    json_wants(j, '[');
    if (json_is(j, ']')) return 0;
    do {
        uint64_t one = json_number(j);
        if (n < 2) v[n] = one;
        n++;
    } while (!j->wrong && json_is(j, ','));
    json_wants(j, ']');
    return n;
}

static inline bool is_text(const char *text, int length, const char *want)
{
    return (size_t)length == strlen(want) && !memcmp(text, want, (size_t)length);
}

/* {"dtype": "F16", "shape": [2, 3], "data_offsets": [0, 12]}, or of __metadata__ strings */
static inline void safetensors_entry(json_text *j, tensor_row *t)
{
    uint64_t offsets[2] = {0, 0};
    bool metadata = is_text(t->name, t->name_length, "__metadata__");
    int have = metadata ? 7 : 0;
    json_wants(j, '{');
    if (metadata && json_is(j, '}')) return;
    do {
        int length, skipped;
        const char *key = json_string(j, &length);
        json_wants(j, ':');
        if (metadata)
            json_string(j, &skipped);
        else if (is_text(key, length, "dtype"))
            t->type = json_string(j, &t->type_length), have |= 1;
        else if (is_text(key, length, "shape"))
            t->dimensions = json_numbers(j, t->shape), have |= 2;
        else if (is_text(key, length, "data_offsets"))
            have |= json_numbers(j, offsets) == 2 ? 4 : 0;
        else
            json_string(j, &skipped);
    } while (!j->wrong && json_is(j, ','));
    json_wants(j, '}');
    t->begin = offsets[0];
    t->end = offsets[1];
    if (have != 7 && !j->wrong) j->wrong = "a tensor of its header lacks its dtype, shape or data_offsets";
}

/* Finds the tensor with this name, or the only matrix of floats. A vector is found by its name, as one row. */
static inline const char *safetensors_find(const char *text, size_t size, const char *name, tensor_row *found)
{
    json_text j = {text, text + size, NULL};
    int matrices = 0;
    json_wants(&j, '{');
    if (!j.wrong && !json_is(&j, '}')) {
        do {
            tensor_row t = {"", "", 0, 0, 0, {0, 0}, 0, 0};
            t.name = json_string(&j, &t.name_length);
            json_wants(&j, ':');
            safetensors_entry(&j, &t);
            if (j.wrong || is_text(t.name, t.name_length, "__metadata__")) continue;
            if (name ? is_text(t.name, t.name_length, name) : t.dimensions == 2) *found = t, matrices++;
        } while (!j.wrong && json_is(&j, ','));
        json_wants(&j, '}');
    }
    if (name && matrices == 1 && found->dimensions == 1) {
        found->shape[1] = found->shape[0];
        found->shape[0] = 1;
        found->dimensions = 2;
    }
    if (j.wrong || matrices == 1) return j.wrong;
    if (name) return "it has no tensor with this name";
    return matrices ? "it has several matrices: choose one with --tensor NAME" : "it has no matrix";
}

/* Bytes per element; 0: unsupported type. */
static inline int tensor_bytes(const tensor_row *t)
{
    bool half = is_text(t->type, t->type_length, "F16") || is_text(t->type, t->type_length, "BF16");
    return half ? 2 : is_text(t->type, t->type_length, "F32") ? 4 : 0;
}

/* Checks the tensor's range against its shape, and against the file. */
static inline const char *tensor_check(const tensor_row *t, uint64_t room)
{
    if (!tensor_bytes(t)) return "its elements are neither F16, BF16 nor F32";
    if (t->dimensions != 2 || t->shape[0] < 1 || t->shape[1] < 1 || t->shape[0] > MATRIX_SIDE_MAX ||
        t->shape[1] > MATRIX_SIDE_MAX)
        return "its shape is not that of a matrix with 1 to 65536 rows and columns";
    if (t->begin > t->end || t->end > room) return "its data_offsets lie outside the file";
    if (t->end - t->begin != t->shape[0] * t->shape[1] * (uint64_t)tensor_bytes(t))
        return "its data_offsets are not as far apart as its shape and dtype say";
    return NULL;
}

/* Reads the elements at the file's position. */
static inline const char *tensor_read(FILE *f, const tensor_row *t, matrix *x)
{
    bool brain = t->type[0] == 'B';
    size_t count = (size_t)(t->shape[0] * t->shape[1]), bytes = (size_t)tensor_bytes(t);
    for (size_t i = 0; i < count; i++) {
        uint32_t wide = 0;
        uint16_t half = 0;
        if (fread(bytes == 2 ? (void *)&half : (void *)&wide, bytes, 1, f) != 1) return "it ends too early";
        if (brain) wide = (uint32_t)half << 16;
        memcpy(&x->at[i], &wide, 4);
        if (bytes == 2 && !brain) x->at[i] = spe_f16_bits_to_f32(half);
        if (!isfinite(x->at[i])) return "not all of its numbers are finite";
    }
    return NULL;
}

/* Reads the header's text, which the caller frees, and the number of bytes after it. */
static inline const char *safetensors_header(FILE *f, char **text, size_t *size, uint64_t *room)
{
    unsigned char head[8];
    uint64_t length = 0;
    long end = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    if (end < 8 || fseek(f, 0, SEEK_SET) != 0 || fread(head, 1, 8, f) != 8) return "it ends too early";
    for (int i = 7; i >= 0; i--) length = length << 8 | head[i];
    if (length > 100000000 || length > (uint64_t)end - 8) return "its header is longer than safetensors allow";
    *text = (char *)malloc((size_t)length + 1);
    if (!*text) return "there is not enough memory for it";
    *size = (size_t)length;
    *room = (uint64_t)end - 8 - length;
    return fread(*text, 1, *size, f) == *size ? NULL : "it ends too early";
}

static inline bool safetensors_read(const char *path, const char *name, matrix *x)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0;
    uint64_t room = 0;
    tensor_row t = {"", "", 0, 0, 0, {0, 0}, 0, 0};
    const char *wrong;
    bool ok = true;
    if (!f) return fail("%s: cannot read it: %s", path, strerror(errno));
    wrong = safetensors_header(f, &text, &size, &room);
    if (!wrong) wrong = safetensors_find(text, size, name, &t);
    if (!wrong) wrong = tensor_check(&t, room);
    if (!wrong && fseek(f, (long)(8 + size + t.begin), SEEK_SET) != 0) wrong = "it ends too early";
    if (!wrong) ok = matrix_init(x, (int)t.shape[0], (int)t.shape[1]);
    if (!wrong && ok) wrong = tensor_read(f, &t, x);
    if (!wrong && ok && t.name_length < 200) printf("read     %.*s of %s\n", t.name_length, t.name, path);
    free(text);
    fclose(f);
    return wrong ? fail("%s: %s%s%s", path, name ? name : "", name ? ": " : "", wrong) : ok;
}

/* Is there a tensor of this name? False if the file cannot be read, too. */
static inline bool safetensors_has(const char *path, const char *name)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0;
    uint64_t room = 0;
    tensor_row t = {"", "", 0, 0, 0, {0, 0}, 0, 0};
    bool has = f && !safetensors_header(f, &text, &size, &room) && !safetensors_find(text, size, name, &t);
    free(text);
    if (f) fclose(f);
    return has;
}

/* A file of F32 tensors that is written one after the other: their bytes go to a second file until all are known. */
typedef struct {
    FILE *data;
    char *header;
    size_t length;
    uint64_t bytes;
} tensor_file;

static inline bool tensor_begin(tensor_file *t)
{
    t->header = NULL;
    t->length = 0;
    t->bytes = 0;
    t->data = tmpfile();
    return t->data || fail("no temporary file: %s", strerror(errno));
}

/* rows 0: a vector of cols elements. */
static inline bool tensor_write(tensor_file *t, const char *name, int rows, int cols, const float *at)
{
    size_t count = (size_t)(rows ? rows : 1) * (size_t)cols, room = t->length + strlen(name) + 200;
    char shape[40], *grown = (char *)realloc(t->header, room);
    if (!grown) return fail("out of memory for the names of tensors");
    t->header = grown;
    if (rows) snprintf(shape, sizeof shape, "%d,%d", rows, cols);
    else snprintf(shape, sizeof shape, "%d", cols);
    t->length += (size_t)snprintf(grown + t->length, room - t->length,
                                  "%s\"%s\":{\"dtype\":\"F32\",\"shape\":[%s],\"data_offsets\":[%llu,%llu]}",
                                  t->length ? "," : "{", name, shape, (unsigned long long)t->bytes,
                                  (unsigned long long)(t->bytes + 4 * count));
    t->bytes += 4 * count;
    return fwrite(at, 4, count, t->data) == count || fail("%s: cannot write it: %s", name, strerror(errno));
}

/* Writes the file, if a path is given, and frees what was collected. */
static inline bool tensor_end(tensor_file *t, const char *path)
{
    FILE *f = path ? fopen(path, "wb") : NULL;
    uint64_t length = t->length + 1;
    bool ok = f && t->header && fseek(t->data, 0, SEEK_SET) == 0;
    for (int i = 0; ok && i < 8; i++) ok = fputc((int)(length >> 8 * i & 255), f) != EOF;
    ok = ok && fwrite(t->header, 1, t->length, f) == t->length && fputc('}', f) != EOF;
    for (int c; ok && (c = fgetc(t->data)) != EOF;) ok = fputc(c, f) != EOF;
    if (f && fclose(f) != 0) ok = false;
    if (t->data) fclose(t->data);
    free(t->header);
    return !path || ok || fail("%s: cannot write it: %s", path, strerror(errno));
}

static inline bool is_safetensors(const char *path)
{
    size_t n = strlen(path);
    return n > 12 && !strcmp(path + n - 12, ".safetensors");
}

#endif
