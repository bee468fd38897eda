/* lower/moves.c - writes moves of elements: transpose, broadcast, convert_layout, slice, shape_cast. */
#include "../internal.h"

/* Transposes a[]: register i, lane p becomes register p, lane i. In each step, pairs of lanes swap half their data. */
static void xt_transpose_square_(xt_ctx *x, spe_id *a)
{
    spe_module *m = &x->m;
    for (int h = x->S / 2; h > 0; h /= 2) {
        spe_id bit = xt_lane_bit_(x, xt_lanes_with_(x, h));
        for (int i = 0; i < x->S; i++) {
            if (i & h) continue;
            spe_id low = a[i], high = a[i + h], other = spe_u32(m, (uint32_t)h);
            spe_id got = spe_sg_shuffle_xor(m, spe_select(m, bit, low, high), other);
            a[i] = spe_select(m, bit, got, low);
            a[i + h] = spe_select(m, bit, high, got);
        }
    }
}

/* The same elements with rows in place of columns across the lanes, square by square of S x S. */
static bool xt_transpose_field_(xt_ctx *x, xt_field_ *f, xt_field_ *out)
{
    int S = x->S, across = (f->cols + S - 1) / S, down = (f->rows + S - 1) / S, from[XT_LANES_MAX_];
    if (!xt_field_init_(x, out, f->rows, f->cols, across * down * S, f->type)) return false;
    for (int r = 0; r < f->rows; r += S)
        for (int c = 0; c < f->cols; c += S) {
            spe_id a[XT_LANES_MAX_];
            for (int i = 0; i < S; i++) {
                for (int p = 0; p < S; p++)
                    from[p] = r + i < f->rows && c + p < f->cols ? f->where[(r + i) * f->cols + c + p] : -1;
                a[i] = r + i < f->rows ? xt_pick_(x, f, from) : a[0];
            }
            xt_transpose_square_(x, a);
            for (int i = 0; i < S; i++, out->comps++) {
                out->comp[out->comps] = a[i];
                for (int p = 0; p < S; p++)
                    if (c + i < f->cols && r + p < f->rows)
                        out->where[(r + p) * f->cols + c + i] = out->comps * CM_LANES + p;
            }
        }
    return spe_ok(&x->m);
}

/* The transpose of a loaded vector's tile, as if memory had the other order; to: another distribution, or NULL. */
static xt_tile xt_transposed_tile_(xt_ctx *x, const xt_tile *of, const xt_dist *to)
{
    xt_tile t = xt_now_tile_(x, of), r = xt_transposed_(&t);
    for (int i = 0; to && i < 2; i++) {
        spe_id before = xt_piece_offset_id_(x, &of->dist, i), now = xt_piece_offset_id_(x, to, 1 - i);
        spe_id move = spe_isub(&x->m, now, before), at = xt_index_id_(x, &t.offset[i]);
        r.offset[1 - i] = xt_scalar_(CM_I32, spe_iadd(&x->m, at, move), 1);
    }
    return r;
}

/* Loads a vector transposed instead of transposing it: a single message for a product's operand or 32-bit elements, and
 * no worse per lane. */
static bool xt_move_by_loading_(xt_ctx *x, const xt_node_ *n, xt_fragments_ *r)
{
    const xt_move_ *how = n->move;
    const xt_vec *v = xt_vector_(x, n->operand[XT_MOVE_VEC_]);
    const xt_tile *from = n->op == XT_OP_TRANSPOSE_ ? xt_loaded_(x, v->id, x->at) : NULL;
    if (!from || !(how->reloaded || how->origin)) return false;
    if (!how->reloaded && (xt_dist_pieces(&v->dist) != 1 || v->dist.data[0] != r->dist.data[1])) return false;
    if (!how->reloaded && x->block2d && r->use == CM_ACC && xt_bytes_(v->type) != 4) return false;
    xt_remark_(x, "loaded transposed");
    xt_tile t = xt_transposed_tile_(x, from, how->reloaded ? &r->dist : NULL);
    for (xt_block_ b = xt_blocks_(x, &r->dist); xt_next_block_(&b);) {
        cm_mem mem = xt_mem_(x, &t, &b, (int)r->use);
        r->block[b.i] = cm_load(&x->cm, b.cols, b.rows, r->type, r->use, &mem);
    }
    return true;
}

/* The operand in this version; writes a load that was left to its transpose, which did not load it transposed. */
static xt_fragments_ xt_moved_vec_(xt_ctx *x, uint32_t id)
{
    const xt_value_ *value = xt_value_at_(x, id);
    const xt_node_ *n = xt_node_at_(x, value->node);
    if (value->unmade && n->op == XT_OP_LOAD_TILE_) xt_write_load_tile_(x, n);
    return xt_now_vec_(x, id);
}

/* Within a subgroup: transposes of more than two rows and columns square by square, all else element by element. */
static xt_fragments_ xt_move_within_(xt_ctx *x, const xt_node_ *n, const xt_fragments_ *v, xt_fragments_ r)
{
    const xt_dist *d = &v->dist;
    bool squares = n->op == XT_OP_TRANSPOSE_ && d->rounds[0] * d->data[0] > 2 && d->rounds[1] * d->data[1] > 2;
    xt_field_ f, t;
    if (!xt_field_of_(x, &f, v, (int)xt_storage_type_(v->type)) || (squares && !xt_transpose_field_(x, &f, &t)))
        return r;
    for (int i = 0; i < f.comps && !squares; i++) f.comp[i] = spe_reload(&x->m, f.comp[i]);
    return xt_pick_all_(x, squares ? &t : &f, n->move->origin, NULL, r);
}

/* Moves elements by the first way that suits: loading them again, through local memory between subgroups, by lanes. */
XE_FN_ void xt_write_move_(xt_ctx *x, const xt_node_ *n)
{
    xt_fragments_ r = xt_make_vec_(x, n);
    if (r.blocks && !xt_move_by_loading_(x, n, &r)) {
        xt_fragments_ v = xt_moved_vec_(x, n->operand[XT_MOVE_VEC_]);
        if (v.blocks && n->move->origin) r = xt_move_within_(x, n, &v, r);
        else if (v.blocks) r = xt_through_scratch_(x, &v, &n->move->from, r);
    }
    xt_define_vec_(x, n->result, r);
}
