/* layout.c - types, uses, errors. */
#include "internal.h"

const cm_type_row *cm_type_info(cm_type type)
{
    static const cm_type_row rows[] = {
#define CM_ROW_(name, bytes, kind, sign, bits, fp, text) {text, bytes, CM_KIND_##kind, sign, bits, fp},
        CM_TYPES_(CM_ROW_)
#undef CM_ROW_
    };
    return (unsigned)type < (unsigned)CM_TYPE_COUNT ? &rows[type] : NULL;
}

const char *cm_use_name(cm_use use)
{
    static const char *const names[] = {"matrix_acc", "matrix_a", "matrix_b"};
    return (unsigned)use <= (unsigned)CM_B ? names[use] : "no use";
}

const char *cm_error_text(int id)
{
    static const char *const texts[] = {
#define CM_ROW_(name, text) text,
        CM_ERRORS_(CM_ROW_)
#undef CM_ROW_
    };
    if (id == 0) return "no error";
    return id > CM_ERROR_FIRST_ && id < CM_ERROR_END_ ? texts[id - CM_ERROR_FIRST_ - 1]
                                                      : "not an error of coopmatrix.h";
}

const char *cm_error_name(int id)
{
    static const char *const names[] = {
#define CM_ROW_(name, text) "CM_ERROR_" #name,
        CM_ERRORS_(CM_ROW_)
#undef CM_ROW_
    };
    return id > CM_ERROR_FIRST_ && id < CM_ERROR_END_ ? names[id - CM_ERROR_FIRST_ - 1] : "";
}

/* ---- layout as integer constant expressions ---------------------------------------------------------------------- */

/* ---- layout ------------------------------------------------------------------------------------------------------ */

bool cm_power_of_two_(int n) { return n > 0 && (n & (n - 1)) == 0; }

int cm_layout_init(cm_layout *l, int rows, int cols, cm_type type, cm_use use, int subgroup_size)
{
    const cm_type_row *t = cm_type_info(type);
    memset(l, 0, sizeof *l);
    if (!cm_power_of_two_(rows)) return CM_ERROR_ROWS;
    if (cols < 1) return CM_ERROR_COLUMNS;
    if (!t) return CM_ERROR_TYPE;
    if ((unsigned)use > (unsigned)CM_B) return CM_ERROR_USE;
    if (!cm_power_of_two_(subgroup_size)) return CM_ERROR_SUBGROUP;
    if (rows > 1 << 14 || cols > 1 << 14 || subgroup_size > 1 << 10) return CM_ERROR_TOO_LARGE;
    l->rows = rows;
    l->cols = cols;
    l->type = type;
    l->use = use;
    l->S = subgroup_size;
    l->I = CM_I(rows, subgroup_size);
    l->K = rows / l->I;
    l->K1 = use == CM_B && rows > subgroup_size && t->bytes < 2 ? 2 / t->bytes : 1;
    l->K2 = l->K / l->K1;
    l->omega = use == CM_A && t->bytes < 4 && cols % (4 / t->bytes) == 0 ? 4 / t->bytes : 1;
    l->packed = l->omega > 1;
    l->J = CM_ROUND_J_(rows, cols / l->omega, subgroup_size) * l->omega;
    l->V = l->I * l->K * l->J / subgroup_size;
    l->needs_mask = l->J > cols;
    return 0;
}

int cm_layout_interleave(cm_layout *l, int k1)
{
    if (!cm_power_of_two_(k1) || l->rows < 1 || l->K % k1 != 0) return CM_ERROR_ROWS;
    l->K1 = k1;
    l->K2 = l->K / k1;
    l->interleaved = k1 > 1;
    return 0;
}

int cm_components(const cm_layout *l) { return l->V / l->omega; }

int cm_linear(const cm_layout *l, cm_index x)
{
    return x.i + l->I * (x.k1 + l->K1 * (x.j / l->omega + l->J / l->omega * x.k2));
}

cm_index cm_unlinear(const cm_layout *l, int number)
{
    cm_index x;
    int j = l->J / l->omega;
    x.i = number % l->I;
    x.k1 = number / l->I % l->K1;
    x.j = number / (l->I * l->K1) % j * l->omega;
    x.k2 = number / (l->I * l->K1 * j);
    return x;
}

int cm_row_of(const cm_layout *l, cm_index x)
{
    int inner = l->interleaved ? x.k1 + x.i * l->K1 : x.i + x.k1 * l->I;
    return inner + x.k2 * l->I * l->K1;
}

cm_slot cm_slot_of(const cm_layout *l, int row, int col)
{
    cm_index x;
    cm_slot s;
    int inner = row % (l->I * l->K1), number;
    x.i = l->interleaved ? inner / l->K1 : inner % l->I;
    x.k1 = l->interleaved ? inner % l->K1 : inner / l->I;
    x.j = col;
    x.k2 = row / (l->I * l->K1);
    number = cm_linear(l, x);
    s.lane = number % l->S;
    s.component = number / l->S;
    s.channel = col % l->omega;
    return s;
}

cm_element cm_element_of(const cm_layout *l, cm_slot s)
{
    cm_index x = cm_unlinear(l, s.lane + s.component * l->S);
    cm_element e;
    e.row = cm_row_of(l, x);
    e.col = x.j + s.channel;
    e.padding = e.row >= l->rows || e.col >= l->cols;
    return e;
}

/* ---- a whole matrix on the host ---------------------------------------------------------------------------------- */

/* Where the memory holds the element of a slot; NULL for padding and for what a check excludes. */
static unsigned char *cm_host_address_(const cm_layout *l, const cm_host_mem *m, cm_slot s)
{
    cm_element e = cm_element_of(l, s);
    int row = m->pos_row + e.row, col = m->pos_col + e.col;
    int rows = m->transposed ? m->extent_cols : m->extent_rows, cols = m->transposed ? m->extent_rows : m->extent_cols;
    ptrdiff_t down = m->transposed ? m->stride_col : m->stride_row,
              right = m->transposed ? m->stride_row : m->stride_col;
    if (e.padding || (m->rows_checked && (row < 0 || row >= rows)) || (m->cols_checked && (col < 0 || col >= cols)))
        return NULL;
    return (unsigned char *)m->base + (row * down + col * right) * cm_type_info(l->type)->bytes;
}

/* Walks every slot: into the vectors (store false) or back to memory (true). The vector of work-item p starts at
 * component p * V; channels of a packed component follow one another, low bits first. */
static void cm_host_walk_(const cm_layout *l, unsigned char *vectors, const cm_host_mem *m, bool store)
{
    size_t bytes = (size_t)cm_type_info(l->type)->bytes;
    cm_slot s;
    for (s.lane = 0; s.lane < l->S; s.lane++)
        for (s.component = 0; s.component < cm_components(l); s.component++)
            for (s.channel = 0; s.channel < l->omega; s.channel++) {
                unsigned char *slot = vectors + (size_t)(s.lane * l->V + s.component * l->omega + s.channel) * bytes;
                unsigned char *at = cm_host_address_(l, m, s);
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
