/* lanes.c - access to memory element by element, each lane its own. */
#include "internal.h"

/* Drops a test that is constant true: returns 0. */
static spe_id cm_unless_true_(cm_ctx *c, spe_id test)
{
    uint64_t bits;
    return test && spe_const_bits(c->module, test, &bits) && bits ? 0 : test;
}

XE_FN_ spe_id cm_and_(cm_ctx *c, spe_id a, spe_id b) { return a && b ? spe_land(c->module, a, b) : a ? a : b; }

/* Of stores and visits, which leave out what is outside. */
XE_ONCE_
XE_FN_ cm_surface_ cm_with_extents_(cm_ctx *c, const cm_surface_ *s)
{
    cm_surface_ bounded = *s;
    bounded.rows = spe_extent(c->module, s->rows);
    bounded.cols = spe_extent(c->module, s->cols);
    bounded.border = CM_BORDER_PADDING;
    return bounded;
}

/* Where a border brings a position outside 0 .. n - 1 to; n is positive. A mirrored row of n repeats after 2 (n - 1)
 * elements, which may need all 32 bits. */
static spe_id cm_bring_inside_(cm_ctx *c, cm_border border, spe_id at, spe_id n)
{
    spe_module *m = c->module;
    spe_id type = spe_type_of(m, at), zero = spe_const_u(m, type, 0), one = spe_const_u(m, type, 1);
    spe_id last = spe_isub(m, n, one);
    if (border == CM_BORDER_CLAMP) return spe_math2(m, SPE_SMIN, spe_math2(m, SPE_SMAX, at, zero), last);
    spe_id there = spe_math2(m, SPE_UMAX, spe_shl(m, last, one), one); /* and back */
    at = spe_umod(m, spe_math1(m, SPE_SABS, at), there);
    return spe_math2(m, SPE_UMIN, at, spe_isub(m, there, at));
}

/* position + index, and whether it is inside; or, with a border, where that is brought to. Scalars or vectors. The
 * extent is not negative. */
static cm_axis_ cm_position_(cm_ctx *c, const cm_surface_ *s, spe_id position, spe_id index, spe_id extent)
{
    cm_axis_ a = {spe_iadd(c->module, position, index), 0, 0};
    if (extent && s->border) a.at = cm_bring_inside_(c, s->border, a.at, extent);
    else if (extent) a.inside = cm_unless_true_(c, spe_ult(c->module, a.at, extent));
    return a;
}

/* A position as a distance in elements, i64. */
XE_FN_ spe_id cm_distance_(cm_ctx *c, spe_id at, spe_id stride)
{
    spe_id i64 = spe_int(c->module, 64);
    at = spe_sconvert(c->module, i64, at);
    return cm_is_constant_(c, stride, 1) ? at : spe_imul(c->module, at, spe_sconvert(c->module, i64, stride));
}

/* The value if the test holds, else zero. */
static spe_id cm_or_zero_(cm_ctx *c, spe_id inside, spe_id v)
{
    return inside ? spe_select(c->module, inside, v, spe_null(c->module, spe_type_of(c->module, v))) : v;
}

/* Finds addresses and tests of rows; only tests if the surface has no pointer, as do the functions of columns. */
static bool cm_rows_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, cm_axes_ *a)
{
    spe_id lane = cm_times_(c, cm_lane_(c, l).row, l->interleaved ? l->size_k1 : 1);
    a->row = (cm_axis_ *)spe_alloc(c->module, (size_t)l->size_k * sizeof(cm_axis_));
    for (int i = 0; a->row && i < l->size_k; i++) {
        int k1 = i % l->size_k1, k2 = i / l->size_k1,
            first = (l->interleaved ? k1 : k1 * l->size_i) + k2 * l->size_i * l->size_k1;
        cm_axis_ one = cm_position_(c, s, s->row, cm_plus_(c, lane, first), s->rows);
        a->row[i].inside = one.inside;
        if (s->ptr)
            a->row[i].at = spe_index(c->module, s->ptr, cm_distance_(c, cm_or_zero_(c, one.inside, one.at), s->down));
    }
    return a->row != NULL;
}

/* M >= S, with checked columns, for Intel's compiler: each lane finds one of up to 16 columns, for all. There, an
 * element of a register is an operand like a number, and finding each column for itself takes instructions for each.
 * Distances are in bytes, and broadcast by halves: the compiler joins halves of 64 bits by shifting. */
static void cm_columns_by_lane_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, int cols, cm_axis_ *col)
{
    spe_module *m = c->module;
    spe_id lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0), none = cm_i32_(c, -1);
    spe_id i32 = spe_int(m, 32), i64 = spe_int(m, 64), pair = spe_vec(m, i32, 2);
    spe_id bytes = spe_const_i(m, i64, cm_type_info(l->type)->bytes), word = spe_const_u(m, i64, 32);
    for (int first = 0; first < cols; first += l->lanes) {
        cm_axis_ all = cm_position_(c, s, s->col, cm_plus_(c, lane, first), s->cols);
        spe_id distance = cm_distance_(c, cm_or_zero_(c, all.inside, all.at), s->right), of[2], half[2];
        distance = spe_imul(m, distance, bytes);
        of[0] = spe_uconvert(m, i32, distance);
        of[1] = spe_uconvert(m, i32, spe_shr(m, distance, word));
        spe_id mask = all.inside ? cm_or_zero_(c, all.inside, none) : none;
        for (int i = 0; i < l->lanes && first + i < cols; i++) {
            spe_id number = cm_i32_(c, i);
            for (int j = 0; j < 2; j++) half[j] = spe_sg_broadcast(m, of[j], number);
            col[first + i].at = spe_bitcast(m, i64, spe_construct(m, pair, 2, half));
            col[first + i].mask = spe_sg_broadcast(m, mask, number);
        }
    }
}

/* M >= S: all lanes have the same columns. Tests are vectors of up to 16. Distances are sums of strides, as 64-bit
 * multiplication is slow on many devices. */
static void cm_columns_(cm_ctx *c, const cm_surface_ *s, int cols, cm_axis_ *col)
{
    spe_module *m = c->module;
    spe_id distance = s->ptr ? cm_distance_(c, s->col, s->right) : 0;
    spe_id step = s->ptr ? cm_distance_(c, s->right, cm_i32_(c, 1)) : 0;
    for (int first = 0, n = 16; first < cols; first += n) {
        spe_id numbers[16], vector;
        cm_axis_ all = {0, 0, 0};
        while (n > cols - first) n /= 2;
        vector = cm_vec_(c, spe_int(m, 32), n);
        for (int i = 0; i < n; i++) numbers[i] = cm_i32_(c, first + i);
        vector = n == 1 ? numbers[0] : spe_composite_const(m, vector, (uint32_t)n, numbers);
        if (s->cols) {
            spe_id extents = cm_copies_(c, s->cols, n);
            all = cm_position_(c, s, cm_copies_(c, s->col, n), vector, extents);
        }
        for (int i = 0; i < n; i++) {
            cm_axis_ *one = &col[first + i];
            if (s->border && s->cols) distance = cm_distance_(c, cm_slice_(c, all.at, i, 1), s->right);
            else if (s->ptr && first + i > 0) distance = spe_iadd(m, distance, step);
            one->inside = all.inside ? cm_slice_(c, all.inside, i, 1) : 0;
            if (s->ptr) one->at = cm_or_zero_(c, one->inside, distance);
        }
    }
}

/* M < S: lanes have different columns, and some may be padding. */
static void cm_columns_over_lanes_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, int cols, cm_axis_ *col)
{
    int across = l->lanes / l->size_i;
    spe_id j0 = cm_times_(c, cm_lane_(c, l).col, l->omega);
    for (int i = 0; i < cols; i++) {
        int first = i / l->omega * across * l->omega + i % l->omega, last = first + (across - 1) * l->omega;
        spe_id index = cm_plus_(c, j0, first);
        cm_axis_ one = cm_position_(c, s, s->col, index, s->cols);
        if (last >= l->cols) one.inside = cm_and_(c, one.inside, spe_ult(c->module, index, cm_i32_(c, l->cols)));
        col[i].inside = one.inside;
        if (s->ptr) col[i].at = cm_distance_(c, cm_or_zero_(c, one.inside, one.at), s->right);
    }
}

/* Are elements outside made zeros by masks? Intel's compiler takes many instructions to combine vectors of bools. */
static bool cm_masks_(const cm_layout *l, const cm_surface_ *s)
{
    return s->zero_padding && cm_type_info(l->type)->bytes <= 4;
}

/* Do loads find columns by lane? Columns that are adjacent in memory are loaded together otherwise. */
XE_ONCE_
static bool cm_finds_by_lane_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, int cols)
{
    return c->target.igc && l->lanes == 16 && l->size_i == l->lanes && cols >= 4 && s->cols && cm_masks_(l, s) &&
           !cm_is_constant_(c, s->right, 1) && !s->border;
}

XE_FN_ bool cm_axes_init_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, bool loads, cm_axes_ *a)
{
    int cols = l->size_v / l->size_k;
    a->col = (cm_axis_ *)spe_alloc(c->module, (size_t)cols * sizeof(cm_axis_));
    if (!a->col || !cm_rows_(c, l, s, a)) return false;
    if (loads && cm_finds_by_lane_(c, l, s, cols)) cm_columns_by_lane_(c, l, s, cols, a->col);
    else if (l->size_i == l->lanes) cm_columns_(c, s, cols, a->col);
    else cm_columns_over_lanes_(c, l, s, cols, a->col);
    return spe_ok(c->module);
}

/* A vector of components, or the padding in place of those outside in one direction, which `test` tells: masks, or
 * bools. */
static spe_id cm_keep_inside_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, const spe_id *test, spe_id vector)
{
    spe_module *m = c->module;
    spe_id type = spe_type_of(m, vector), elem = spe_int(m, (uint32_t)cm_type_info(l->type)->storage_bits);
    int n = (int)spe_count(m, type);
    bool masks = cm_masks_(l, s), same = true;
    for (int i = 0; i < n; i++) same = same && test[i] == test[0];
    spe_id all = same ? cm_copies_(c, test[0], n) : cm_join_(c, masks ? elem : spe_bool(m), test, n, 1);
    if (!masks) return spe_select(m, all, vector, cm_copies_(c, s->padding, n));
    return cm_bitcast(c, type, spe_and(m, cm_bitcast(c, spe_type_of(m, all), vector), all));
}

/* A row's or column's mask for elements of this type, or a bool. */
static spe_id cm_test_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, const cm_axis_ *a)
{
    spe_module *m = c->module;
    spe_id elem = spe_int(m, (uint32_t)cm_type_info(l->type)->storage_bits);
    if (a->mask) return spe_cast(m, elem, a->mask, false);
    if (!cm_masks_(l, s)) return a->inside ? a->inside : spe_const_bool(m, true);
    spe_id all = spe_const_i(m, elem, -1), none = spe_null(m, elem);
    return a->inside ? spe_select(m, a->inside, all, none) : all;
}

/* Masks of the padding's bits for rows or columns: all of them outside, none inside. */
static void cm_padding_masks_(cm_ctx *c, spe_id bits, cm_axis_ *axis, int count)
{
    spe_id none = spe_null(c->module, spe_type_of(c->module, bits));
    for (int i = 0; i < count; i++)
        if (axis[i].inside) axis[i].mask = spe_select(c->module, axis[i].inside, none, bits);
}

/* Puts the padding in place of elements outside, which are zeros: its bits are added by OR. */
XE_FN_ void cm_pad_outside_(cm_ctx *c, const cm_surface_ *s, cm_matrix *a)
{
    const cm_layout *l = &a->layout;
    spe_module *m = c->module;
    spe_id word = spe_int(m, (uint32_t)cm_type_info(l->type)->storage_bits), *v = cm_component_ids(c, a, l->type);
    cm_surface_ tests = *s;
    cm_axes_ axes;
    tests.ptr = 0;
    if (!v || !cm_axes_init_(c, l, &tests, false, &axes)) return;
    spe_id padding = spe_bitcast(m, word, s->padding);
    cm_padding_masks_(c, padding, axes.row, l->size_k);
    cm_padding_masks_(c, padding, axes.col, l->size_v / l->size_k);
    for (int i = 0, row, col; i < l->size_v; i++) {
        cm_axes_of_(l, i, &row, &col);
        spe_id masks[] = {axes.row[row].mask, axes.col[col].mask}, one = spe_bitcast(m, word, v[i]);
        for (int d = 0; d < 2; d++)
            if (masks[d]) one = spe_or(m, one, masks[d]);
        v[i] = spe_bitcast(m, cm_storage_type(c, l->type), one);
    }
    cm_matrix padded = cm_from_components(c, l, v);
    if (padded.parts) memcpy(a->part, padded.part, (size_t)a->parts * sizeof *a->part);
    a->in_words = false;
}

/* Loads `words` words of a part from component v on, packing them at once so that few values are live. */
static spe_id cm_load_words_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, const cm_axes_ *axes, int v,
                             int words)
{
    spe_id read[16], test[2][16], elem = cm_storage_type(c, l->type);
    int n = words * cm_channels_(l);
    bool tested[2] = {false, false};
    for (int i = 0, at[2]; i < n; i++) {
        cm_axes_of_(l, v + i, &at[0], &at[1]);
        const cm_axis_ *row = &axes->row[at[0]], *col = &axes->col[at[1]];
        spe_id ptr = col->mask ? spe_ptr_cast(c->module, row->at, spe_int(c->module, 8)) : row->at;
        ptr = spe_index(c->module, ptr, col->at);
        if (col->mask) ptr = spe_ptr_cast(c->module, ptr, elem);
        read[i] = spe_load(c->module, ptr, (uint32_t)cm_type_info(l->type)->bytes);
        for (int d = 0; d < 2; d++) {
            test[d][i] = cm_test_(c, l, s, d ? col : row);
            tested[d] = tested[d] || (d ? col : row)->inside || (d ? col : row)->mask;
        }
    }
    spe_id vector = cm_join_(c, elem, read, n, 1);
    for (int d = 0; d < 2; d++)
        if (tested[d]) vector = cm_keep_inside_(c, l, s, test[d], vector);
    return cm_pack_(c, l, vector, words);
}

/* A branch of the lanes that are inside. */
XE_FN_ void cm_if_inside_(cm_ctx *c, spe_id inside)
{
    spe_diverged(c->module);
    spe_if(c->module, inside);
}

/* Stores, under a test if there is one. */
static void cm_store_inside_(cm_ctx *c, const cm_layout *l, spe_id inside, spe_id row, spe_id distance, spe_id v)
{
    if (inside) cm_if_inside_(c, inside);
    spe_store(c->module, spe_index(c->module, row, distance), v, (uint32_t)cm_type_info(l->type)->bytes);
    if (inside) spe_endif(c->module, 0, NULL, NULL);
}

/* M >= S with checked columns: loops over those of up to 16 columns that are inside. Column `number` + i of the matrix
 * has its rows (k1, k2) in the vectors of each block, at i K1 + k1. */
static bool cm_store_loops_(cm_ctx *c, const cm_surface_ *s, const cm_matrix *a)
{
    const cm_layout *l = &a->layout;
    spe_module *m = c->module;
    int runs = spe_part_count(cm_block_words_(l)), number = 0;
    spe_id *vectors = cm_ids_(c, l->size_k2);
    cm_axes_ axes;
    if (!vectors || !cm_rows_(c, l, s, &axes)) return true;
    for (int run = 0; run < runs; run++) {
        int words = cm_part_words(l, run), group = cm_group_(l, words), columns = group * l->omega;
        for (int first = 0; first < words; first += group, number += columns) {
            for (int k2 = 0; k2 < l->size_k2; k2++)
                vectors[k2] = cm_unpack_(c, l, a->part[k2 * runs + run], first, group);
            spe_id from[2] = {spe_isub(m, cm_i32_(c, -number), s->col), cm_i32_(c, 0)};
            spe_id before = cm_i32_(c, number);
            spe_id to[2] = {spe_isub(m, spe_isub(m, s->cols, s->col), before), cm_i32_(c, columns)};
            spe_id high = spe_math(m, SPE_SMIN, 2, to), low = spe_math(m, SPE_SMAX, 2, from);
            spe_id i = spe_for(m, low, high, cm_i32_(c, 1), 0, NULL);
            spe_id distance = cm_distance_(c, spe_iadd(m, cm_plus_(c, s->col, number), i), s->right);
            for (int row = 0; row < l->size_k; row++) {
                spe_id v = vectors[row / l->size_k1];
                if (spe_count(m, spe_type_of(m, v)) > 1)
                    v = spe_extract_dyn(m, v, cm_plus_(c, cm_times_(c, i, l->size_k1), row % l->size_k1));
                cm_store_inside_(c, l, axes.row[row].inside, axes.row[row].at, distance, v);
            }
            spe_endfor(m, 0, NULL);
        }
    }
    return true;
}

/* A branch per row of the lane, containing one per column if lanes have different columns. */
static bool cm_store_straight_(cm_ctx *c, const cm_surface_ *s, const cm_matrix *a)
{
    const cm_layout *l = &a->layout;
    cm_axes_ axes;
    spe_id *v = cm_component_ids(c, a, l->type);
    if (!v || !cm_axes_init_(c, l, s, false, &axes)) return true;
    for (int wanted = 0, row, col; wanted < l->size_k; wanted++) {
        const cm_axis_ *in_row = &axes.row[wanted];
        if (in_row->inside) cm_if_inside_(c, in_row->inside);
        for (int i = 0; i < l->size_v; i++) {
            cm_axes_of_(l, i, &row, &col);
            if (row == wanted) cm_store_inside_(c, l, axes.col[col].inside, in_row->at, axes.col[col].at, v[i]);
        }
        if (in_row->inside) spe_endif(c->module, 0, NULL, NULL);
    }
    return true;
}

/* Method: component by component, section "Load pseudo-code". Elements outside read an element inside and select the
 * padding, without a branch; one branch around everything handles memory without elements. */
XE_FN_ bool cm_move_lanes_(cm_ctx *c, const cm_surface_ *s, cm_matrix *a, bool store)
{
    const cm_layout *l = &a->layout;
    if (store) {
        const cm_surface_ to = cm_with_extents_(c, s);
        return l->size_i == l->lanes && s->cols ? cm_store_loops_(c, &to, a) : cm_store_straight_(c, &to, a);
    }
    spe_id rows = s->rows ? spe_sgt(c->module, s->rows, cm_i32_(c, 0)) : 0;
    spe_id cols = s->cols ? spe_sgt(c->module, s->cols, cm_i32_(c, 0)) : 0;
    cols = cm_unless_true_(c, cols);
    spe_id some = cm_and_(c, cm_unless_true_(c, rows), cols);
    cm_matrix none = cm_poison();
    cm_axes_ axes;
    if (some) {
        none = cm_splat(c, l->rows, l->cols, l->type, l->use, s->zero_padding ? 0 : s->padding);
        spe_if(c->module, some);
    }
    if (!cm_axes_init_(c, l, s, true, &axes)) return true;
    for (int part = 0, v = 0; part < a->parts; part++) {
        int words = cm_part_words(l, part), group = cm_group_(l, words), pieces = 0;
        spe_id piece[8];
        for (int first = 0; first < words; first += group, v += group * cm_channels_(l))
            piece[pieces++] = cm_load_words_(c, l, s, &axes, v, group);
        a->part[part] = cm_join_(c, cm_word_type_(c, l), piece, pieces, group);
    }
    if (some) spe_endif_from(c->module, (uint32_t)a->parts, a->part, none.part, a->part);
    return true;
}
