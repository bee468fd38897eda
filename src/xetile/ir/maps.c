/* ir/maps.c - maps: the part of a tile that each subgroup owns (host only). */
#include "../internal.h"

XE_FN_ bool xt_has_map_(const xt_map *map)
{
    return map->sg_layout[0] || map->sg_layout[1] || map->sg_data[0] || map->sg_data[1];
}

XE_FN_ bool xt_same_map_(const xt_map *a, const xt_map *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* One dimension. "sg_layout times sg_data must be divisible by the tile or vice versa." */
static int xt_dist_dim_(xt_dist *d, int dim, int tile, int layout, int data)
{
    if (tile < 1) return XT_ERROR_TILE_SIZE;
    if (layout < 1 || data < 1) return XT_ERROR_MAP_VALUES;
    if (layout > 1 << 12 || data > 1 << 15 || tile > 1 << 20) return XT_ERROR_TILE_SIZE;
    if (tile % data || (tile % (layout * data) && layout * data % tile)) return XT_ERROR_MAP_FIT;
    d->shape[dim] = tile;
    d->layout[dim] = layout;
    d->data[dim] = data;
    d->count[dim] = tile / data;
    d->rounds[dim] = layout * data < tile ? tile / (layout * data) : 1;
    return 0;
}

int xt_dist_init(xt_dist *d, int rows, int cols, const xt_map *map)
{
    bool mapped = map && xt_has_map_(map);
    memset(d, 0, sizeof *d);
    int error = xt_dist_dim_(d, 0, rows, mapped ? map->sg_layout[0] : 1, mapped ? map->sg_data[0] : rows);
    if (!error) error = xt_dist_dim_(d, 1, cols, mapped ? map->sg_layout[1] : 1, mapped ? map->sg_data[1] : cols);
    d->subgroups = mapped && !error ? d->layout[0] * d->layout[1] : 0;
    return error;
}

int xt_dist_pieces(const xt_dist *d) { return d->rounds[0] * d->rounds[1]; }

void xt_dist_offset(const xt_dist *d, int subgroup, int number, int *row, int *col)
{
    int s0 = subgroup / d->layout[1] % d->layout[0], s1 = subgroup % d->layout[1];
    int r0 = number / d->rounds[1], r1 = number % d->rounds[1];
    *row = (s0 + r0 * d->layout[0]) % d->count[0] * d->data[0];
    *col = (s1 + r1 * d->layout[1]) % d->count[1] * d->data[1];
}

bool xt_dist_owns(const xt_dist *d, int subgroup, int row, int col)
{
    int r, c;
    for (int n = 0; n < xt_dist_pieces(d); n++) {
        xt_dist_offset(d, subgroup, n, &r, &c);
        if (row >= r && row < r + d->data[0] && col >= c && col < c + d->data[1]) return true;
    }
    return false;
}

/* A map with other pieces along one dimension. */
static xt_map xt_map_with_(xt_map m, int dim, int data)
{
    m.sg_data[dim] = data;
    return m;
}

xt_map xt_map_mma_a(const xt_map *result, int k) { return xt_map_with_(*result, 1, k); }
xt_map xt_map_mma_b(const xt_map *result, int k) { return xt_map_with_(*result, 0, k); }

xt_map xt_map_reduction(const xt_map *source, int dim, int reduction_size)
{
    int data = source->sg_data[dim];
    if (!xt_has_map_(source)) return *source;
    return xt_map_with_(*source, dim, data % reduction_size ? 1 : data / reduction_size);
}

xt_map xt_map_broadcast(const xt_map *result, int dim, int broadcast_size)
{
    int data = result->sg_data[dim];
    if (!xt_has_map_(result)) return *result;
    return xt_map_with_(*result, dim, data < broadcast_size ? 1 : data / broadcast_size);
}

xt_map xt_map_transpose(const xt_map *map)
{
    xt_map m = {{map->sg_layout[1], map->sg_layout[0]}, {map->sg_data[1], map->sg_data[0]}};
    return m;
}

/* A map as text, for messages. */
XE_FN_ xt_text_ xt_map_text_(const xt_map *m)
{
    xt_text_ t = {"no map"};
    if (xt_has_map_(m))
        snprintf(t.s, sizeof t.s, "sg_layout {%d, %d} sg_data {%d, %d}", m->sg_layout[0], m->sg_layout[1],
                 m->sg_data[0], m->sg_data[1]);
    return t;
}

XE_FN_ void xt_cut_side_(xt_cut_ *cut, int side, int unit)
{
    int at = 0, size = XT_CUT_LARGEST_;
    while (unit / 2 >= side) unit /= 2;
    side = (side + unit - 1) / unit * unit;
    cut->n = 0;
    while (at < side && cut->n < XT_CUT_MAX_) {
        while (size > side - at) size /= 2;
        cut->size[cut->n] = size;
        cut->at[cut->n++] = at;
        at += size;
    }
}
