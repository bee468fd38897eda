/* layout.c - which work-item holds which element: types, the spec's layout, whole matrices on the host. */
#include "internal.h"

const cm_type_row *cm_type_info(cm_type type)
{
#define CM_TYPE_ROW_(name, bytes, kind, sign, bits, fp, token) {#token, bytes, CM_KIND_##kind, sign, bits, fp},
    static const cm_type_row rows[] = {CM_TYPES_(CM_TYPE_ROW_)};
    return (unsigned)type < (unsigned)CM_TYPE_COUNT ? &rows[type] : NULL;
}

const char *cm_use_name(cm_use use)
{
    static const char *const names[] = {"matrix_acc", "matrix_a", "matrix_b", "opaque matrix_acc", "opaque matrix_a",
                                        "opaque matrix_b"};
    return (unsigned)use <= (unsigned)CM_OPAQUE_B ? names[use] : "no use";
}

/* Name and text of an error id; NULL if it is not of this header. */
static const char *const *cm_error_row_(int id)
{
#define CM_ERROR_ROW_(name, text) {"CM_ERROR_" #name, text},
    static const char *const rows[][2] = {CM_ERRORS_(CM_ERROR_ROW_)};
    return id > CM_ERROR_FIRST_ && id < CM_ERROR_END_ ? rows[id - CM_ERROR_FIRST_ - 1] : NULL;
}

const char *cm_error_name(int id) { return cm_error_row_(id) ? cm_error_row_(id)[0] : ""; }

const char *cm_error_text(int id)
{
    if (id == 0) return "no error";
    return cm_error_row_(id) ? cm_error_row_(id)[1] : "not an error of coopmatrix.h";
}

XE_FN_ bool cm_power_of_two_(int n) { return n > 0 && (n & (n - 1)) == 0; }

int cm_layout_init(cm_layout *l, int rows, int cols, cm_type type, cm_use use, int subgroup_size)
{
    enum { EXTENT_MAX = 1 << 14, SUBGROUP_MAX = 1 << 10 };
    memset(l, 0, sizeof *l);
    if (!cm_power_of_two_(rows)) return CM_ERROR_ROWS;
    if (cols < 1) return CM_ERROR_COLUMNS;
    if (!cm_type_info(type)) return CM_ERROR_TYPE;
    if ((unsigned)use > (unsigned)CM_B) return CM_ERROR_USE;
    if (!cm_power_of_two_(subgroup_size)) return CM_ERROR_SUBGROUP;
    if (rows > EXTENT_MAX || cols > EXTENT_MAX || subgroup_size > SUBGROUP_MAX) return CM_ERROR_TOO_LARGE;
    /* the formulas of CM_CHANNELS, CM_K1 and CM_J, each part computed once */
    int bytes = cm_type_info(type)->bytes, omega = bytes < 4 ? 4 / bytes : 1;
    int I = CM_I(rows, subgroup_size), K1 = use == CM_B && rows > subgroup_size && bytes < 2 ? 2 / bytes : 1;
    if (use != CM_A || cols % omega != 0) omega = 1;
    int J = CM_ROUND_J_(rows, cols / omega, subgroup_size) * omega, V = rows * J / subgroup_size;
    cm_layout valid = {rows, cols, type, use, subgroup_size, I, J, rows / I, K1, rows / I / K1, V,
                       omega, omega > 1, J > cols, false};
    *l = valid;
    return 0;
}

int cm_layout_interleave(cm_layout *l, int k1)
{
    if (!cm_power_of_two_(k1) || l->rows < 1 || l->size_k % k1 != 0) return CM_ERROR_ROWS;
    l->size_k1 = k1;
    l->size_k2 = l->size_k / k1;
    l->interleaved = k1 > 1;
    return 0;
}

int cm_components(const cm_layout *l) { return l->omega ? l->size_v / l->omega : 0; }

int cm_linear(const cm_layout *l, cm_index x)
{
    return x.at_i + l->size_i * (x.at_k1 + l->size_k1 * (x.at_j / l->omega + l->size_j / l->omega * x.at_k2));
}

cm_index cm_unlinear(const cm_layout *l, int number)
{
    int j = l->size_j / l->omega;
    cm_index x = {number % l->size_i, number / l->size_i % l->size_k1, number / (l->size_i * l->size_k1) % j * l->omega,
                  number / (l->size_i * l->size_k1 * j)};
    return x;
}

int cm_row_of(const cm_layout *l, cm_index x)
{
    int inner = l->interleaved ? x.at_k1 + x.at_i * l->size_k1 : x.at_i + x.at_k1 * l->size_i;
    return inner + x.at_k2 * l->size_i * l->size_k1;
}

cm_slot cm_slot_of(const cm_layout *l, int row, int col)
{
    int block = l->size_i * l->size_k1, inner = row % block;
    cm_index plain = {inner % l->size_i, inner / l->size_i, col, row / block};
    cm_index neighbours = {inner / l->size_k1, inner % l->size_k1, col, row / block};
    int number = cm_linear(l, l->interleaved ? neighbours : plain);
    cm_slot s = {number % l->lanes, number / l->lanes, col % l->omega};
    return s;
}

cm_element cm_element_of(const cm_layout *l, cm_slot s)
{
    cm_index x = cm_unlinear(l, s.lane + s.component * l->lanes);
    cm_element e = {cm_row_of(l, x), x.at_j + s.channel, false};
    e.padding = e.row >= l->rows || e.col >= l->cols;
    return e;
}

/* The address of a slot's element; NULL for padding and for what a check excludes. */
static unsigned char *cm_host_address_(const cm_layout *l, const cm_host_mem *m, cm_slot s)
{
    cm_element e = cm_element_of(l, s);
    int row = m->pos_row + e.row, col = m->pos_col + e.col, rows = m->extent_rows, cols = m->extent_cols;
    ptrdiff_t down = m->stride_row, right = m->stride_col;
    if (m->transposed) rows = m->extent_cols, cols = m->extent_rows, down = m->stride_col, right = m->stride_row;
    if (e.padding || (m->rows_checked && (row < 0 || row >= rows)) || (m->cols_checked && (col < 0 || col >= cols)))
        return NULL;
    return (unsigned char *)m->base + (row * down + col * right) * cm_type_info(l->type)->bytes;
}

/* Copies every slot from memory to the vectors, or back (store). The vector of work-item p starts at component p * V;
 * channels of a packed component are adjacent, low bits first. */
static void cm_host_walk_(const cm_layout *l, unsigned char *vectors, const cm_host_mem *m, bool store)
{
    size_t bytes = (size_t)cm_type_info(l->type)->bytes;
    for (int n = 0; n < l->lanes * l->size_v; n++) {
        cm_slot s = {n / l->size_v, n % l->size_v / l->omega, n % l->omega};
        unsigned char *slot = vectors + (size_t)n * bytes, *at = cm_host_address_(l, m, s);
        if (store && at) memcpy(at, slot, bytes);
        if (!store && at) memcpy(slot, at, bytes);
        if (!store && !at) memset(slot, 0, bytes);
    }
}

void cm_distribute(const cm_layout *l, void *vectors, const cm_host_mem *from)
{
    cm_host_walk_(l, (unsigned char *)vectors, from, false);
}

void cm_gather(const cm_layout *l, const void *vectors, const cm_host_mem *to)
{
    cm_host_walk_(l, (unsigned char *)(uintptr_t)vectors, to, true);
}
