/* dot_products.c - products of few rows, as Vulkan's drivers like them. */
#include "internal.h"

/* The elements of row `line` of A or of that column of B, a lane's worth of k in each of out. */
static void cm_along_k_(cm_ctx *c, cm_picker *picker, const cm_layout *l, int line, spe_id *out)
{
    const bool is_a = l->use == CM_A;
    const int deep = is_a ? l->cols : l->rows;
    int from[CM_LANES];
    for (int first = 0; first < deep; first += l->lanes) {
        for (int k = first; k < first + l->lanes; k++) {
            cm_slot s = cm_slot_of(l, is_a ? line : k, is_a ? k : line);
            from[k - first] = k < deep ? cm_number_of_(l, s) * CM_LANES + s.lane : -1;
        }
        *out++ = cm_pick(c, picker, from);
    }
}

/* The dot product: each lane multiplies elements of its own k, and the subgroup adds. */
static spe_id cm_dot_of_lanes_(cm_ctx *c, const spe_id *x, const spe_id *y, int deep)
{
    const int lanes = c->target.subgroup_size;
    spe_module *m = c->module;
    spe_id sum = 0;
    for (int first = 0; first < deep; first += lanes) {
        spe_id product = spe_mul(m, *x++, *y++);
        if (first + lanes > deep) {
            spe_id has = spe_lane_bit(m, ((uint64_t)1 << (deep - first)) - 1, lanes);
            product = spe_select(m, has, product, spe_null(m, spe_type_of(m, product)));
        }
        sum = sum ? spe_add(m, sum, product) : product;
    }
    return spe_sg_reduce(m, SPE_RED_ADD, sum);
}

/* The lanes that have element (row, col) of the layout as component v. */
static uint64_t cm_lanes_with_(const cm_layout *l, int row, int col, int v)
{
    uint64_t mask = 0;
    for (int lane = 0; lane < l->lanes; lane++) {
        cm_element e = cm_element_at_(l, lane, v);
        if (!e.padding && e.row == row && e.col == col) mask |= (uint64_t)1 << lane;
    }
    return mask;
}

/* Method for few rows: each element of D is a dot product. Drivers take minutes for the others of hundreds of such
 * products (an H200's more than six for 512 of 1 x 1 x 32). Not of bytes: that driver (580.159.04) took the second byte
 * of each word for 0 where lanes exchange all four. */
static bool cm_mul_add_dot_products_(cm_ctx *c, cm_job_ *job, const spe_id *a, const spe_id *b)
{
    enum { COST = 8 }; /* instructions of a dot product, to those of one k */
    const cm_layout *la = &job->a->layout, *lb = &job->b->layout, *ld = &job->acc.layout;
    const int rows = la->rows, deep = lb->rows, parts = (deep + lb->lanes - 1) / lb->lanes;
    cm_picker pick_a, pick_b;
    if (rows * COST > deep || rows > ld->lanes || CM_BYTES(la->type) < 2 || CM_BYTES(lb->type) < 2) return false;
    spe_id *d = cm_component_ids(c, &job->acc, ld->type), *x = cm_ids_(c, (rows + 1) * parts);
    if (!d || !x || !cm_picker_init(c, &pick_a, a, la->size_v) || !cm_picker_init(c, &pick_b, b, lb->size_v))
        return false;
    spe_id *y = x + rows * parts, sum;
    for (int i = 0; i < rows; i++) cm_along_k_(c, &pick_a, la, i, x + i * parts);
    for (int v = 0; v < ld->size_v; v++) {
        sum = 0;
        for (int j = 0; j < lb->cols; j++) {
            if (!cm_lanes_with_(ld, 0, j, v)) continue;
            cm_along_k_(c, &pick_b, lb, j, y);
            for (int i = 0; i < rows; i++) {
                spe_id one = cm_dot_of_lanes_(c, x + i * parts, y, deep);
                spe_id here = spe_lane_bit(c->module, cm_lanes_with_(ld, i, j, v), ld->lanes);
                sum = sum ? spe_select(c->module, here, one, sum) : one;
            }
        }
        if (sum) d[v] = spe_add(c->module, d[v], sum);
    }
    job->acc = cm_from_components(c, ld, d);
    return true;
}

#if defined(XETILE_STATIC_) && !defined(__cplusplus)
static cm_method_ *const cm_vulkan_here_ = cm_mul_add_dot_products_;
#else
XE_FN_ cm_method_ *cm_vulkan_(void) { return cm_mul_add_dot_products_; }
#endif
