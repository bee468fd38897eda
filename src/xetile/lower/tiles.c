/* lower/tiles.c - writes local memory and tiles. */
#include "../internal.h"

/* An array in local memory. */
XE_FN_ spe_id xt_shared_array_(spe_module *m, spe_id type, int64_t elements)
{
    spe_id array = spe_shared_var(m, spe_array(m, type, (uint32_t)elements));
    uint32_t align = XT_LOCAL_ALIGN_;
    spe_decorate(m, array, SPE_DecorationAlignment, 1, &align);
    return array;
}

/* The pointer to the first element is made before the body, so that all versions can use it. */
XE_FN_ void xt_write_local_(xt_ctx *x, const xt_node_ *n)
{
    xt_local_array_ *array = n->local;
    spe_id zero = spe_u32(&x->m, 0), of = xt_spe_type_(x, xt_storage_type_(n->type));
    spe_prologue_begin(&x->m);
    if (!array->id) array->id = spe_element(&x->m, xt_shared_array_(&x->m, of, array->elements), 1, &zero);
    spe_prologue_end(&x->m);
    xt_val v = spe_val_of(SPE_POINTER, n->type, array->id);
    v.local = true;
    xt_define_(x, n->result, v);
}

XE_FN_ void xt_write_pointer_(xt_ctx *x, const xt_node_ *n)
{
    spe_id address = xt_now_id_(x, xt_number_(x, n->operand[0]), CM_I64);
    address = xt_emit_pointer_(x, (int)xt_storage_type_((cm_type)n->type), address);
    xt_define_(x, n->result, spe_val_of(SPE_POINTER, n->type, address));
}

XE_FN_ void xt_write_matrix_(xt_ctx *x, const xt_node_ *n)
{
    xt_tile before = xt_now_tile_(x, xt_tile_(x, n->operand[0]));
    int across = 1 - xt_inner_(&before);
    spe_id lines = xt_index_id_(x, &before.shape[across]), inside = 0;
    /* with 2D block messages, this version's condition has tested it, or the caller has promised it */
    bool known = xt_by_block2d_(x, &before) &&
                 (x->desc->pitch == XT_PITCH_ALIGNED || !xt_plan_tile_at_(x, before.number)->lines_in_body);
    for (int i = 3; i < n->operands && !known; i += 2) { /* pairs of offset and extent */
        spe_id p = xt_now_id_(x, xt_number_(x, n->operand[i]), CM_I32);
        spe_id one = spe_ult(&x->m, p, spe_extent(&x->m, xt_now_id_(x, xt_number_(x, n->operand[i + 1]), CM_I32)));
        inside = inside ? spe_land(&x->m, inside, one) : one;
    }
    if (inside) lines = spe_select(&x->m, inside, lines, spe_i32(&x->m, 0));
    before.base.id = spe_index(&x->m, before.base.id, xt_now_id_(x, xt_number_(x, n->operand[2]), CM_I64));
    xt_define_(x, n->result, before.base);
    xt_define_(x, n->result + 1, xt_scalar_(CM_I32, lines, 1));
}

/* The scalars of a tile as ids, in the order of xt_plan_tile_.made; of an offset that a loop advances, the start. */
XE_FN_ void xt_tile_ids_(xt_ctx *x, const xt_tile *t, spe_id ids[XT_COMPONENTS_])
{
    xt_tile now = xt_now_tile_(x, t);
    for (int i = 0; i < 2; i++) {
        spe_id start = t->offset[i].kind == SPE_SCALAR ? xt_value_at_(x, t->offset[i].id)->start : 0;
        ids[i] = start ? start : xt_index_id_(x, &now.offset[i]);
        ids[2 + i] = xt_index_id_(x, &now.shape[i]);
    }
    ids[4] = xt_index_id_(x, &now.pitch);
    ids[5] = now.base.id;
}

/* Records a tile's scalars in this version, so that tiles moved only by loops can be recognised. */
XE_FN_ void xt_write_init_tile_(xt_ctx *x, const xt_node_ *n)
{
    const xt_tile *t = xt_tile_(x, n->result);
    if (!t->scatter && t->dist.subgroups > 1 && !t->base.local)
        xt_tile_ids_(x, t, xt_plan_tile_at_(x, t->number)->made);
}
