/* test_layout.c - the layout of cooperative matrices, against brute force from the definition: the tensor A* is built
 * entry by entry, numbered by enumeration, and distributed to the work-items, without the header's formulas. */
#define CM_LAYOUT_ONLY
#include "coopmatrix.h"
#include "test.h"

#ifdef SPIRV_EMIT_H
#error "CM_LAYOUT_ONLY must not pull the emitter in"
#endif

enum { MAX_ROWS = 64, MAX_COLS = 70, MAX_S = 64, MAX_ENTRIES = MAX_ROWS * (MAX_COLS + MAX_S) };

/* The definition for one matrix: for each number L, the element of each channel. */
typedef struct {
    int I, J, K, K1, K2, V, channels, entries;
    struct {
        short row, col;
        bool padding;
    } at[MAX_ENTRIES]; /* entry * channels + channel */
} definition;

static int smallest_j(int I, int n, int S)
{
    while ((I * n) % S != 0) n++;
    return n;
}

/* Shape numbers according to the specification. */
static void define_shape(definition *d, int M, int N, int bytes, cm_use use, int S)
{
    int omega = bytes >= 4 ? 1 : bytes == 2 ? 2 : 4;
    d->I = M < S ? M : S;
    d->K = M / d->I;
    d->K1 = use == CM_B && bytes == 1 && M / S > 1 ? 2 : 1;
    d->K2 = d->K / d->K1;
    d->channels = use == CM_A && N % omega == 0 ? omega : 1;
    d->J = smallest_j(d->I, N / d->channels, S) * d->channels;
    d->V = d->I * d->K * d->J / S;
}

/* Counts through A** (channel fastest, then i, k1, j, k2): that order is the numbering L. */
static void define_entries(definition *d, int M, int N)
{
    int number = 0, k2, j, k1, i, c;
    for (k2 = 0; k2 < d->K2; k2++)
        for (j = 0; j < d->J / d->channels; j++)
            for (k1 = 0; k1 < d->K1; k1++)
                for (i = 0; i < d->I; i++)
                    for (c = 0; c < d->channels; c++, number++) {
                        d->at[number].row = (short)(i + k1 * d->I + k2 * d->I * d->K1);
                        d->at[number].col = (short)(c + j * d->channels);
                        d->at[number].padding = !(d->at[number].row < M && d->at[number].col < N);
                    }
    d->entries = number / d->channels;
}

/* Every slot of every work-item, both ways. */
static void compare_slots(const cm_layout *l, const definition *d, int *found)
{
    int S = l->lanes, number, c;
    for (number = 0; number < d->entries; number++)
        for (c = 0; c < d->channels; c++) {
            cm_slot s = {number % S, number / S, c}, back;
            cm_element e = cm_element_of(l, s);
            int at = number * d->channels + c;
            if (e.row != d->at[at].row || e.col != d->at[at].col || e.padding != d->at[at].padding) {
                test_fail(__FILE__, __LINE__, "%dx%d %s %s S=%d slot %d/%d/%d is %d,%d", l->rows, l->cols,
                          cm_type_info(l->type)->name, cm_use_name(l->use), S, s.lane, s.component, c, e.row, e.col);
                return;
            }
            back = cm_slot_of(l, e.row, e.col);
            if (back.lane != s.lane || back.component != s.component || back.channel != c) {
                test_fail(__FILE__, __LINE__, "%dx%d %s S=%d: element %d,%d is not found again", l->rows, l->cols,
                          cm_use_name(l->use), S, e.row, e.col);
                return;
            }
            *found += !e.padding;
        }
}

static void compare_numbers(const cm_layout *l, const definition *d)
{
    int number;
    bool mask = false;
    for (number = 0; number < d->entries * d->channels; number++) mask |= d->at[number].col >= l->cols;
    CHECK_INT(l->size_i, d->I);
    CHECK_INT(l->size_j, d->J);
    CHECK_INT(l->size_k, d->K);
    CHECK_INT(l->size_k1, d->K1);
    CHECK_INT(l->size_k2, d->K2);
    CHECK_INT(l->size_v, d->V);
    CHECK_INT(l->omega, d->channels);
    CHECK_INT(l->packed, d->channels > 1);
    CHECK_INT(l->needs_mask, mask);
    CHECK_INT(cm_components(l) * l->lanes, d->entries);
    for (number = 0; number < d->entries; number++)
        if (cm_linear(l, cm_unlinear(l, number)) != number) {
            test_fail(__FILE__, __LINE__, "L is not inverted at %d", number);
            return;
        }
}

static void compare_macros(const cm_layout *l)
{
    int M = l->rows, N = l->cols, S = l->lanes;
    CHECK_INT(CM_I(M, S), l->size_i);
    CHECK_INT(CM_J(M, N, l->type, l->use, S), l->size_j);
    CHECK_INT(CM_K(M, S), l->size_k);
    CHECK_INT(CM_K1(M, l->type, l->use, S), l->size_k1);
    CHECK_INT(CM_K2(M, l->type, l->use, S), l->size_k2);
    CHECK_INT(CM_V(M, N, l->type, l->use, S), l->size_v);
    CHECK_INT(CM_CHANNELS(N, l->type, l->use), l->omega);
    CHECK_INT(CM_NEEDS_MASK(M, N, l->type, l->use, S), l->needs_mask);
}

/* Layouts depend on an element's size alone: in the sample, types take turns over the numbers of columns. */
TEST(every_layout)
{
    static definition d;
    int M, N, S, type, use;
    for (type = 0; type < CM_TYPE_COUNT; type++)
        for (use = CM_ACC; use <= CM_B; use++)
            for (S = 1; S <= MAX_S; S *= 2)
                for (M = 1; M <= MAX_ROWS; M *= 2)
                    for (N = 1; N <= MAX_COLS; N++) {
                        cm_layout l;
                        int found = 0;
                        if (!test_takes(type + N, 3)) continue;
                        CHECK_INT(cm_layout_init(&l, M, N, (cm_type)type, (cm_use)use, S), 0);
                        define_shape(&d, M, N, cm_type_info((cm_type)type)->bytes, (cm_use)use, S);
                        define_entries(&d, M, N);
                        compare_numbers(&l, &d);
                        compare_macros(&l);
                        compare_slots(&l, &d, &found);
                        CHECK_INT(found, M * N); /* each element once: compare_slots saw different slots */
                        if (test_.failures_here) return;
                    }
}

/* Writes a layout's table in the specification's form: a line per component, a cell per work-item. */
static void print_table(const cm_layout *l, char *out, size_t size)
{
    cm_slot s = {0, 0, 0};
    size_t used = 0;
    for (s.component = 0; s.component < cm_components(l); s.component++)
        for (s.lane = 0; s.lane < l->lanes; s.lane++) {
            cm_element e = cm_element_of(l, s);
            const char *end = s.lane == l->lanes - 1 ? "\n" : " ";
            if (e.padding)
                used += (size_t)snprintf(out + used, size - used, "-,-%s", end);
            else
                used += (size_t)snprintf(out + used, size - used, "%d,%d%s", e.row, e.col, end);
        }
}

TEST(the_two_tables)
{
    char table[1024];
    cm_layout l;
    CHECK_INT(cm_layout_init(&l, 4, 15, CM_F32, CM_ACC, 16), 0);
    print_table(&l, table, sizeof table);
    CHECK_STR(table, "0,0 1,0 2,0 3,0 0,1 1,1 2,1 3,1 0,2 1,2 2,2 3,2 0,3 1,3 2,3 3,3\n"
                     "0,4 1,4 2,4 3,4 0,5 1,5 2,5 3,5 0,6 1,6 2,6 3,6 0,7 1,7 2,7 3,7\n"
                     "0,8 1,8 2,8 3,8 0,9 1,9 2,9 3,9 0,10 1,10 2,10 3,10 0,11 1,11 2,11 3,11\n"
                     "0,12 1,12 2,12 3,12 0,13 1,13 2,13 3,13 0,14 1,14 2,14 3,14 -,- -,- -,- -,-\n");
    CHECK_INT(cm_layout_init(&l, 1, 17, CM_F32, CM_ACC, 16), 0);
    print_table(&l, table, sizeof table);
    CHECK_STR(table, "0,0 0,1 0,2 0,3 0,4 0,5 0,6 0,7 0,8 0,9 0,10 0,11 0,12 0,13 0,14 0,15\n"
                     "0,16 -,- -,- -,- -,- -,- -,- -,- -,- -,- -,- -,- -,- -,- -,- -,-\n");
}

/* The macros are integer constant expressions. */
_Static_assert(CM_I(4, 16) == 4 && CM_J(4, 15, CM_F32, CM_ACC, 16) == 16 && CM_V(4, 15, CM_F32, CM_ACC, 16) == 4,
               "4 x 15");
_Static_assert(CM_V(1, 17, CM_F32, CM_ACC, 16) == 2 && CM_NEEDS_MASK(1, 17, CM_F32, CM_ACC, 16), "1 x 17");
_Static_assert(CM_K1(32, CM_I8, CM_B, 16) == 2 && CM_K2(64, CM_I8, CM_B, 16) == 2 && CM_K1(16, CM_I8, CM_B, 16) == 1,
               "K1");
static const char static_array_[CM_V(32, 48, CM_F16, CM_A, 16) == 96 ? 1 : -1] = {0};

/* The hardware's operand layout: a work-item holds k1 neighbouring rows, numbered as before. */
TEST(interleaved)
{
    int S, M, N, k1;
    CHECK_INT(static_array_[0], 0);
    for (S = 4; S <= 32; S *= 2)
        for (M = S; M <= 64; M *= 2)
            for (N = 1; N < 9; N++)
                for (k1 = 1; k1 <= M / S; k1 *= 2) {
                    cm_layout l;
                    cm_slot s = {0, 0, 0};
                    CHECK_INT(cm_layout_init(&l, M, N, CM_I8, CM_B, S), 0);
                    CHECK_INT(cm_layout_interleave(&l, k1), 0);
                    for (s.lane = 0; s.lane < S; s.lane++)
                        for (s.component = 0; s.component < l.size_v; s.component++) {
                            int block = s.component / (k1 * N), in_block = s.component % (k1 * N);
                            cm_element e = cm_element_of(&l, s);
                            cm_slot back = cm_slot_of(&l, e.row, e.col);
                            CHECK_INT(e.row, block * S * k1 + s.lane * k1 + in_block % k1);
                            CHECK_INT(e.col, in_block / k1);
                            CHECK(back.lane == s.lane && back.component == s.component && back.channel == 0);
                        }
                }
}

/* ---- distribute and gather ---- */

typedef struct {
    unsigned char bytes[1 << 17];
} memory;

static void fill(memory *m)
{
    size_t i;
    for (i = 0; i < sizeof m->bytes; i++) m->bytes[i] = (unsigned char)test_random();
}

/* The specification's rules for one element, stated independently: its offset in memory, or outside. */
static long expect_offset(const cm_host_mem *m, int row, int col)
{
    int r = m->pos_row + row, c = m->pos_col + col;
    int rows = m->transposed ? m->extent_cols : m->extent_rows, cols = m->transposed ? m->extent_rows : m->extent_cols;
    if (m->rows_checked && (r < 0 || r >= rows)) return -1;
    if (m->cols_checked && (c < 0 || c >= cols)) return -1;
    return m->transposed ? r * (long)m->stride_col + c * (long)m->stride_row
                         : r * (long)m->stride_row + c * (long)m->stride_col;
}

static void check_distribution(const cm_layout *l, const cm_host_mem *mem, const memory *image, const memory *noise)
{
    static definition d;
    static unsigned char vectors[1 << 16];
    static memory after, before;
    size_t bytes = (size_t)cm_type_info(l->type)->bytes;
    static const unsigned char zero[16] = {0};
    cm_host_mem to = *mem;
    int number, c, S = l->lanes;
    define_shape(&d, l->rows, l->cols, (int)bytes, l->use, S);
    define_entries(&d, l->rows, l->cols);
    before = after = *noise;
    memset(vectors, 0xa5, sizeof vectors);
    cm_distribute(l, vectors, mem);
    to.base = after.bytes;
    cm_gather(l, vectors, &to);
    for (number = 0; number < d.entries; number++)
        for (c = 0; c < d.channels; c++) {
            int lane = number % S, at = number * d.channels + c;
            const unsigned char *slot = vectors + (size_t)(lane * d.V + number / S * d.channels + c) * bytes;
            long offset = d.at[at].padding ? -1 : expect_offset(mem, d.at[at].row, d.at[at].col) * (long)bytes;
            if (offset >= 0) {
                CHECK(memcmp(slot, image->bytes + offset, bytes) == 0);
                CHECK(memcmp(after.bytes + offset, image->bytes + offset, bytes) == 0);
                memcpy(before.bytes + offset, image->bytes + offset, bytes);
            } else {
                CHECK(memcmp(slot, zero, bytes) == 0);
            }
        }
    CHECK(memcmp(before.bytes, after.bytes, sizeof after.bytes) == 0); /* nothing else was written */
}

TEST(distribute_and_gather)
{
    static const struct {
        int rows, cols, S;
    } shapes[] = {{1, 1, 1}, {4, 15, 16}, {1, 17, 16}, {16, 16, 16}, {32, 12, 16}, {8, 6, 16}, {64, 5, 8}, {2, 33, 32}};
    static memory image, noise;
    int i, type, use, flags;
    fill(&image);
    fill(&noise);
    for (i = 0; i < (int)(sizeof shapes / sizeof shapes[0]); i++)
        for (type = 0; type < CM_TYPE_COUNT; type++)
            for (use = CM_ACC; use <= CM_B; use++)
                for (flags = 0; flags < 16; flags++) {
                    cm_layout l;
                    bool moved = flags & 8;
                    cm_host_mem m = {image.bytes, 0, 0, 40, 30, 1, 67, flags & 1, flags & 2, flags & 4};
                    if (moved && (flags & 6) == 6)
                        m.pos_row = -3, m.pos_col = 21;
                    else if (moved)
                        m.pos_row = 2, m.pos_col = 1, m.stride_row = 71, m.stride_col = 1;
                    CHECK_INT(
                        cm_layout_init(&l, shapes[i].rows, shapes[i].cols, (cm_type)type, (cm_use)use, shapes[i].S), 0);
                    check_distribution(&l, &m, &image, &noise);
                    if (test_.failures_here) return;
                }
}

TEST(errors)
{
    static const struct {
        int rows, cols, type, use, S, error;
    } bad[] = {
        {0, 4, CM_F32, CM_ACC, 16, CM_ERROR_ROWS},
        {-4, 4, CM_F32, CM_ACC, 16, CM_ERROR_ROWS},
        {3, 4, CM_F32, CM_ACC, 16, CM_ERROR_ROWS},
        {4, 0, CM_F32, CM_ACC, 16, CM_ERROR_COLUMNS},
        {4, -1, CM_F32, CM_ACC, 16, CM_ERROR_COLUMNS},
        {4, 4, CM_TYPE_COUNT, CM_ACC, 16, CM_ERROR_TYPE},
        {4, 4, -1, CM_ACC, 16, CM_ERROR_TYPE},
        {4, 4, CM_F32, 3, 16, CM_ERROR_USE},
        {4, 4, CM_F32, CM_ACC, 0, CM_ERROR_SUBGROUP},
        {4, 4, CM_F32, CM_ACC, 12, CM_ERROR_SUBGROUP},
        {1 << 20, 4, CM_F32, CM_A, 16, CM_ERROR_TOO_LARGE},
        {4, 1 << 20, CM_F32, CM_A, 16, CM_ERROR_TOO_LARGE},
    };
    size_t i;
    cm_layout l, zero;
    memset(&zero, 0, sizeof zero);
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        memset(&l, 0x77, sizeof l);
        CHECK_INT(cm_layout_init(&l, bad[i].rows, bad[i].cols, (cm_type)bad[i].type, (cm_use)bad[i].use, bad[i].S),
                  bad[i].error);
        CHECK(memcmp(&l, &zero, sizeof l) == 0);
        CHECK(strlen(cm_error_text(bad[i].error)) > 10);
    }
    CHECK_STR(cm_error_name(CM_ERROR_ROWS), "CM_ERROR_ROWS");
    CHECK_INT(CM_ERROR_ROWS, 1000);
    CHECK_STR(cm_error_text(0), "no error");
    CHECK_HAS(cm_error_text(1), "not an error");
    CHECK_INT(cm_layout_init(&l, 32, 4, CM_I8, CM_B, 16), 0);
    CHECK_INT(cm_layout_interleave(&l, 4), CM_ERROR_ROWS); /* K is 2 */
}

TEST(types)
{
    static const struct {
        cm_type type;
        const char *name;
        int bytes, omega, omega_b;
    } want[] = {{CM_F64, "f64", 8, 1, 1},   {CM_F32, "f32", 4, 1, 1},   {CM_F16, "f16", 2, 2, 1},
                {CM_BF16, "bf16", 2, 2, 1}, {CM_E4M3, "e4m3", 1, 4, 2}, {CM_I8, "i8", 1, 4, 2},
                {CM_U8, "u8", 1, 4, 2},     {CM_I16, "i16", 2, 2, 1},   {CM_I64, "i64", 8, 1, 1},
                {CM_C32, "c32", 8, 1, 1},   {CM_C64, "c64", 16, 1, 1}};
    size_t i;
    int type;
    for (i = 0; i < sizeof want / sizeof want[0]; i++) {
        CHECK_STR(cm_type_info(want[i].type)->name, want[i].name);
        CHECK_INT(CM_BYTES(want[i].type), want[i].bytes);
        CHECK_INT(CM_OMEGA(want[i].type), want[i].omega);
        CHECK_INT(CM_OMEGA_B(want[i].type), want[i].omega_b);
    }
    for (type = 0; type < CM_TYPE_COUNT; type++) CHECK_INT(CM_BYTES(type), cm_type_info((cm_type)type)->bytes);
    CHECK(cm_type_info(CM_TYPE_COUNT) == NULL);
}

int main(void)
{
    RUN(the_two_tables);
    RUN(types);
    RUN(every_layout);
    RUN(interleaved);
    RUN(distribute_and_gather);
    RUN(errors);
    return test_report();
}
