/* front/access.c - records load_tile, store_tile, prefetch_tile, load_gather, store_scatter. */
#include "../internal.h"

/* The type must be able to represent it. */
static bool xt_check_padding_(xt_where_ w, int type, double padding)
{
    xt_val number = xt_padding_(type, padding);
    int64_t integer;
    bool whole = spe_real_to_int(padding, &integer) && (type != XT_BOOL_ || integer == 0 || integer == 1);
    if (xt_is_float_(type) || whole) return xt_check_number_(w, &number, type, ".padding");
    return xt_fail_(w, XT_ERROR_SCALAR_RANGE, ".padding is %s, wanted %s", spe_decimal_of(padding, 'g', 6).s,
                    xt_type_name_(type));
}

/* mask, vec, outside: NULL, none. */
XE_FN_ void xt_record_access_(xt_where_ w, const xt_operation_ *as, int kind, uint32_t result, const xt_tile *t,
                              const xt_vec *mask, const xt_vec *vec, const xt_outside_ *outside)
{
    xt_ids_ of = XT_ZERO_;
    xt_take_(w.x, &of, t);
    xt_take_(w.x, &of, mask);
    xt_take_(w.x, &of, vec);
    xt_record_(w, as, kind, result, &of, outside, outside ? sizeof *outside : 0);
}

xt_vec xt_load_tile_(xt_where_ w, xt_load_desc_ d)
{
    xt_vec form = xt_vec_of_tile_(&d.tile);
    if (!xt_enter_(w) || !xt_check_tile_(w, &d.tile, false, "the tile of XT_LOAD_TILE") ||
        !xt_check_padding_(w, d.tile.type, d.padding))
        return xt_no_vec_();
    const xt_outside_ outside = {d.padding, d.tile.inside ? XT_BORDER_PADDING : d.border};
    xt_vec v = xt_new_vec_(w.x, d.tile.type, &form);
    xt_diverges_like_tile_(w.x, v.id, &d.tile);
    xt_record_access_(w, XT_AS_(LOAD_TILE), 0, v.id, &d.tile, NULL, NULL, &outside);
    return v;
}

/* Can the vector be stored to the tile? */
XE_ONCE_
XE_FN_ bool xt_check_store_(xt_where_ w, const xt_vec *v, const xt_tile *t)
{
    static const xt_same_errors_ errors = {XT_ERROR_STORE_SHAPE, XT_ERROR_STORE_TYPE, XT_ERROR_STORE_BLOCKS,
                                           XT_ERROR_STORE_MAP};
    xt_vec form = xt_vec_of_tile_(t);
    return xt_check_same_(w, &errors, "vector", v, "tile", &form);
}

/* Overlapping rows can be loaded, but storing to them is undefined. */
static bool xt_check_rows_(xt_where_ w, const xt_tile *t)
{
    const xt_val *along = &t->shape[xt_inner_(t)], *lines = &t->shape[1 - xt_inner_(t)];
    return t->pitch.kind != SPE_INT || along->kind != SPE_INT || (lines->kind == SPE_INT && lines->integer < 2) ||
           t->pitch.integer >= along->integer ||
           xt_fail_(w, XT_ERROR_TILE_STRIDES, "rows of %lld elements, %lld apart, overlap and cannot be stored to",
                    (long long)along->integer, (long long)t->pitch.integer);
}

void xt_store_tile_(xt_where_ w, xt_scattered_ d)
{
    if (xt_enter_(w) && xt_check_vec_(w, &d.vec, "the vector of XT_STORE_TILE") &&
        xt_check_tile_(w, &d.access.tile, false, "the tile of XT_STORE_TILE") &&
        xt_check_store_(w, &d.vec, &d.access.tile) && xt_check_rows_(w, &d.access.tile))
        xt_record_access_(w, XT_AS_(STORE_TILE), 0, 0, &d.access.tile, NULL, &d.vec, NULL);
}

XE_FN_ bool xt_check_mask_(xt_where_ w, const xt_vec *mask, const xt_tile *t)
{
    static const xt_same_errors_ errors = {XT_ERROR_MASK_SHAPE, 0, 0, XT_ERROR_MASK_MAP};
    xt_vec form = xt_vec_of_tile_(t);
    if (!mask->magic) return true;
    if (!xt_check_vec_(w, mask, "the mask")) return false;
    if (mask->type != (cm_type)XT_BOOL_) return xt_fail_(w, XT_ERROR_MASK_TYPE, "got %s", xt_type_name_(mask->type));
    return xt_check_same_(w, &errors, "mask", mask, "tile", &form);
}

xt_vec xt_load_gather_(xt_where_ w, xt_gather_desc_ d)
{
    const xt_outside_ outside = {d.padding, XT_BORDER_PADDING};
    xt_vec form = xt_vec_of_tile_(&d.tile);
    if (!xt_enter_(w) || !xt_check_tile_(w, &d.tile, true, "the tile of XT_LOAD_GATHER") ||
        !xt_check_mask_(w, &d.mask, &d.tile) || !xt_check_padding_(w, d.tile.type, d.padding))
        return xt_no_vec_();
    xt_vec v = xt_new_vec_(w.x, d.tile.type, &form);
    xt_diverges_like_tile_(w.x, v.id, &d.tile);
    xt_diverges_like_(w.x, v.id, &d.mask);
    xt_record_access_(w, XT_AS_(LOAD_GATHER), 0, v.id, &d.tile, &d.mask, NULL, &outside);
    return v;
}

void xt_store_scatter_(xt_where_ w, xt_scattered_ d)
{
    const xt_tile *t = &d.access.tile;
    if (xt_enter_(w) && xt_check_vec_(w, &d.vec, "the vector of XT_STORE_SCATTER") &&
        xt_check_tile_(w, t, true, "the tile of XT_STORE_SCATTER") && xt_check_store_(w, &d.vec, t) &&
        xt_check_mask_(w, &d.access.mask, t))
        xt_record_access_(w, XT_AS_(STORE_SCATTER), 0, 0, t, &d.access.mask, &d.vec, NULL);
}

void xt_prefetch_tile_(xt_where_ w, xt_prefetch_desc_ d)
{
    xt_ids_ of = XT_ZERO_;
    if (!xt_enter_(w) || !xt_check_tile_(w, &d.tile, false, "the tile of XT_PREFETCH_TILE")) return;
    xt_take_(w.x, &of, &d.tile);
    if (d.locality < 0 || d.locality > 3)
        xt_fail_(w, XT_ERROR_LOCALITY, "got %d", d.locality);
    else
        xt_record_(w, XT_AS_(PREFETCH_TILE), 0, 0, &of, &d.locality, sizeof d.locality);
}
