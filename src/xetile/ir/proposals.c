/* ir/proposals.c - tiles for a product on a target (host only): a row of a table for each kind of device, made smaller
 * until work-group, registers and matrices fit. Every decision leaves a reason. */
#include "../internal.h"

/* A large product: subgroups of a work-group, rows and columns of C of each, step along K. */
typedef struct {
    int layout[2], data[2], k, prefetch;
    const char *why;
} xt_shape_;

enum { XT_WORDS_, XT_HALVES_, XT_BYTES_ }; /* sums of 16 bits are XT_HALVES_, products of bytes XT_BYTES_ */

/* Devices that load lines by block messages: what Intel's compiler makes the fewest instructions of without a spill,
 * with 128 registers and with 256, for tiles that are inside of their matrices, and for tiles that are checked, where
 * each lane has an address and a test of its own (`make check-intel-shapes` counts). */
typedef struct {
    bool large, inside;
    int kind;
    xt_shape_ shape;
} xt_lines_shape_;

XE_ONCE_
static const xt_shape_ *xt_lines_shape_for_(bool large, bool inside, int kind)
{
    static const char fma[] = "FMA with lines by block messages in subgroups of 8",
                      dp4a[] = "dp4a with lines by block messages in subgroups of 8",
                      checked_fma[] = "FMA in subgroups of 8, each access checked",
                      checked_dp4a[] = "dp4a in subgroups of 8, each access checked";
    static const xt_lines_shape_ shapes[] = {
        {false, true, XT_WORDS_, {{4, 4}, {16, 32}, 8, 0, fma}},
        {false, true, XT_HALVES_, {{4, 4}, {16, 32}, 8, 0, fma}},
        {false, true, XT_BYTES_, {{4, 4}, {32, 16}, 32, 0, dp4a}},
        {false, false, XT_WORDS_, {{4, 4}, {16, 16}, 8, 0, checked_fma}},
        {false, false, XT_HALVES_, {{4, 4}, {8, 16}, 8, 0, checked_fma}},
        {false, false, XT_BYTES_, {{4, 4}, {8, 8}, 32, 0, checked_dp4a}},
        {true, true, XT_WORDS_, {{4, 4}, {32, 32}, 16, 0, fma}},
        {true, true, XT_HALVES_, {{4, 4}, {16, 32}, 16, 0, fma}},
        {true, true, XT_BYTES_, {{4, 4}, {48, 32}, 32, 0, dp4a}},
        {true, false, XT_WORDS_, {{4, 4}, {16, 32}, 8, 0, checked_fma}},
        {true, false, XT_HALVES_, {{4, 4}, {16, 16}, 8, 0, checked_fma}},
        {true, false, XT_BYTES_, {{4, 4}, {16, 32}, 32, 0, checked_dp4a}},
    };
    const xt_lines_shape_ *s = shapes;
    while (s->large != large || s->inside != inside || s->kind != kind) s++;
    return &s->shape;
}

static const xt_shape_ *xt_shape_for_(const cm_target *t, const xt_product *p, bool dpas, bool opaque)
{
    static const xt_shape_ with_matrices = {{2, 2}, {64, 64}, 32, 0, "cooperative matrices and local memory"};
    static const xt_shape_ with_messages = {{8, 4}, {32, 64}, 32, 3, "matrix instruction and 2D block messages"};
    static const xt_shape_ with_dpas = {{8, 4}, {16, 16}, 32, 0, "matrix instruction, operands loaded by lanes"};
    static const xt_shape_ plain = {{4, 4}, {8, 32}, 16, 0, "no matrix instruction for these types: FMA"};
    static const xt_shape_ plain_large = {{4, 4}, {16, 32}, 16, 0, "no matrix instruction for these types: FMA"};
    static const xt_shape_ other = {{4, 2}, {16, 32}, 16, 0, "a device that is not Intel's: FMA"};
    const bool bytes = xt_bytes_(p->a - 1) == 1 && xt_bytes_(p->b - 1) == 1 && xt_is_int_(p->a - 1);
    if (dpas) return t->block2d_sizes ? &with_messages : &with_dpas;
    if (opaque) return &with_matrices;
    if (t->block1d && xt_bytes_(p->a - 1) <= 4)
        return xt_lines_shape_for_(cm_has_two_register_modes(t), p->inside,
                                   bytes                                ? XT_BYTES_
                                   : p->c && xt_bytes_(p->c - 1) == 2 ? XT_HALVES_
                                                                        : XT_WORDS_);
    return t->vulkan ? &other : t->registers >= 1 << 14 ? &plain_large : &plain;
}

SPE_PRINTF(2, 3)
static void xt_because_(xt_tiles *t, const char *format, ...)
{
    size_t used = strlen(t->why);
    va_list args;
    va_start(args, format);
    vsnprintf(t->why + used, sizeof t->why - used, format, args);
    va_end(args);
}

/* Are operands loaded by lanes that have addresses and tests of their own, by a device that multiplies f32? */
static bool xt_is_checked_(const xt_product *p, const cm_target *target) { return target->block1d && !p->inside; }

/* Bytes of registers that a subgroup needs: its sums, what it holds beside them, and one step of both operands, of f32
 * where these are multiplied. Lines of A that block messages load are read as they are used. */
static int64_t xt_piece_bytes_(const xt_product *p, const cm_target *target, const int data[2], int k)
{
    int a = xt_bytes_(p->a - 1), b = xt_bytes_(p->b - 1), sum = p->c ? xt_bytes_(p->c - 1) : 4;
    if (xt_is_checked_(p, target) && !xt_is_int_(p->a - 1)) a = a < 4 ? 4 : a, b = b < 4 ? 4 : b;
    int rows = target->block1d && p->inside && data[0] > 8 ? 8 : data[0];
    return (int64_t)data[0] * data[1] * (sum < 4 ? 4 : sum) * (1 + p->live) + (int64_t)k * (rows * a + data[1] * b) +
           p->extra;
}

static bool xt_halve_(int *what, int least)
{
    if (*what / 2 < least) return false;
    *what /= 2;
    return true;
}

/* Fewer subgroups and smaller pieces where the matrix is smaller than the tile. */
static void xt_fit_matrix_(xt_tiles *t, xt_shape_ *s, const int size[2], const int least[2])
{
    for (int d = 0; d < 2; d++) {
        const int before = s->layout[d] * s->data[d];
        while (size[d] && s->layout[d] * s->data[d] / 2 >= size[d])
            if (!xt_halve_(&s->layout[d], 1) && !xt_halve_(&s->data[d], least[d])) break;
        if (s->layout[d] * s->data[d] < before)
            xt_because_(t, "; %d %s of %d, as C has %d", s->layout[d] * s->data[d], d ? "columns" : "rows", before,
                        size[d]);
    }
}

/* Fewer rows or columns of a subgroup, unless they are given; of a given work-group, more subgroups. */
static bool xt_halve_piece_(xt_shape_ *s, const xt_product *p, int d, int least)
{
    if ((d ? p->sg_cols : p->sg_rows) || !xt_halve_(&s->data[d], least)) return false;
    if (d ? p->cols : p->rows) s->layout[d] *= 2;
    return true;
}

/* A smaller piece, if registers have no room for this one. What the caller gave stays. */
static bool xt_shrink_(xt_shape_ *s, const xt_product *p, const int least[2])
{
    const int d = s->data[1] > s->data[0] && s->data[1] > least[1];
    return xt_halve_piece_(s, p, d, least[d]) || xt_halve_piece_(s, p, !d, least[!d]) ||
           (!p->step && xt_halve_(&s->k, 8));
}

static void xt_fit_device_(xt_tiles *t, xt_shape_ *s, const xt_product *p, const cm_target *target, const int least[2])
{
    /* addresses and tests of lanes take a quarter of 4 KB; of 8 KB, three eighths, as pieces and so lines are more */
    const int eighths = !xt_is_checked_(p, target) ? 8 : target->registers > 4096 ? 5 : 6;
    const int bytes = target->registers / 8 * eighths;
    bool shrunk = false;
    while (xt_piece_bytes_(p, target, s->data, s->k) > bytes && xt_shrink_(s, p, least)) shrunk = true;
    xt_product loop = *p;
    loop.live = 0; /* what else is live comes after the loop */
    bool large = target->block1d || xt_piece_bytes_(&loop, target, s->data, s->k) > bytes / 2;
    t->registers = large && target->build_flags[0] ? 256 : 0;
    int most = target->max_group_size / t->subgroup_size / (t->registers ? 2 : 1);
    if (p->max_subgroups && p->max_subgroups < most) most = p->max_subgroups;
    const int before = s->layout[0] * s->layout[1];
    while (s->layout[0] * s->layout[1] > most) { /* towards a square */
        bool wide = s->layout[1] * s->data[1] > s->layout[0] * s->data[0];
        if (!xt_halve_(&s->layout[wide], 1)) xt_halve_(&s->layout[!wide], 1);
    }
    xt_because_(t, "; a piece of %d x %d and a step of %d take %d of %d bytes of registers%s", s->data[0], s->data[1],
                s->k, (int)xt_piece_bytes_(p, target, s->data, s->k), bytes,
                shrunk ? ", a larger one does not fit" : "");
    if (s->layout[0] * s->layout[1] < before)
        xt_because_(t, "; %d subgroups of %d, as a work-group has room for %d", s->layout[0] * s->layout[1], before,
                    most);
}

/* What the caller decided. */
static void xt_take_explicit_(xt_tiles *t, xt_shape_ *s, const xt_product *p)
{
    if (p->sg_rows) s->data[0] = p->sg_rows;
    if (p->sg_cols) s->data[1] = p->sg_cols;
    if (p->step) s->k = p->step;
    if (p->rows && s->data[0] > p->rows && !p->sg_rows) s->data[0] = p->rows;
    if (p->cols && s->data[1] > p->cols && !p->sg_cols) s->data[1] = p->cols;
    if (p->rows) s->layout[0] = p->rows < s->data[0] ? 1 : p->rows / s->data[0];
    if (p->cols) s->layout[1] = p->cols < s->data[1] ? 1 : p->cols / s->data[1];
    if (p->rows || p->cols || p->sg_rows || p->sg_cols || p->step) xt_because_(t, "; sizes as given");
}

static xt_map xt_map_of_(int layout0, int layout1, int data0, int data1)
{
    xt_map map = {{layout0, layout1}, {data0, data1}};
    return map;
}

/* Each subgroup fetches an equal part: whole lines of A; of B, bands of eight lines, or of fewer where the parts would
 * be narrower than 16 columns. */
static void xt_make_maps_(xt_tiles *t, const xt_shape_ *s)
{
    int all = s->layout[0] * s->layout[1], bands = s->k / 8;
    t->rows = s->layout[0] * s->data[0];
    t->cols = s->layout[1] * s->data[1];
    t->k = s->k;
    t->a = xt_map_of_(s->layout[0], s->layout[1], s->data[0], s->k);
    t->b = xt_map_of_(s->layout[0], s->layout[1], s->k, s->data[1]);
    t->c = xt_map_of_(s->layout[0], s->layout[1], s->data[0], s->data[1]);
    while (bands > 1 && (all % bands || s->k % bands)) bands--;
    while (bands > 0 && t->cols / (all / bands) < 16 && all % (2 * bands) == 0 && s->k % (2 * bands) == 0) bands *= 2;
    bool fits = t->rows % all == 0 && bands > 0 && all % bands == 0 && t->cols % (all / bands) == 0;
    t->prefetch = fits ? s->prefetch : 0;
    t->fetch_a = fits ? xt_map_of_(all, 1, t->rows / all, s->k) : t->a;
    t->fetch_b = fits ? xt_map_of_(bands, all / bands, s->k / bands, t->cols / (all / bands)) : t->b;
}

/* The target's usual subgroup size, or where the device lacks that, the least that it has. */
XE_ONCE_
static int xt_usual_size_(const cm_target *row, uint32_t sizes)
{
    if (!sizes || (sizes & (uint32_t)row->subgroup_size)) return row->subgroup_size;
    for (int size = 8; size <= 64; size *= 2) {
        if (sizes & (uint32_t)size) return size;
    }
    return row->subgroup_size;
}

xt_tiles xt_tiles_for(const xt_target *target, const xt_product *p)
{
    xt_tiles t;
    cm_target row;
    memset(&t, 0, sizeof t);
    const bool typed = p && p->a >= 1 && p->b >= 1;
    if (!typed || !target || !cm_target_row(target->name)) {
        xt_because_(&t, "no proposal: %s", typed ? "an unknown target" : "a product without types");
        return t;
    }
    row = *cm_target_row(target->name);
    if (target->max_group_size) row.max_group_size = (int)target->max_group_size;
    if (row.block1d) row.subgroup_size = 8;
    t.subgroup_size = p->subgroup_size ? p->subgroup_size : xt_usual_size_(&row, target->subgroup_sizes);
    const cm_product *product = cm_product_row((cm_type)(p->a - 1), (cm_type)(p->b - 1));
    bool dpas = cm_has_dpas(&row, product) && (row.dpas_sizes & (uint32_t)t.subgroup_size);
    const cm_type sum = p->c ? (cm_type)(p->c - 1) : product ? product->acc : CM_F32;
    const bool opaque = p->a == p->b && cm_coop_shape_of(&row, (cm_type)(p->a - 1), sum);
    xt_shape_ s = *xt_shape_for_(&row, p, dpas, opaque);
    const int size[2] = {p->m, p->n}, least[2] = {dpas || opaque ? 8 : 2, t.subgroup_size};
    if (s.data[1] < t.subgroup_size) s.data[1] = t.subgroup_size;
    xt_because_(&t, "%s: %s", row.name, s.why);
    if (product && product->type_a == CM_TF32) s.k = 16;
    xt_take_explicit_(&t, &s, p);
    if (!p->sg_rows && !p->sg_cols && !p->rows && !p->cols) xt_fit_matrix_(&t, &s, size, least);
    xt_fit_device_(&t, &s, p, &row, least);
    xt_make_maps_(&t, &s);
    if (t.prefetch) xt_because_(&t, "; prefetches %d steps ahead", t.prefetch);
    return t;
}
