/* lower/chooser.c - how an access to a tile is made: by 2D block messages or element by element. Passes, what is
 * written and xt_print all ask here. */
#include "../internal.h"

/* Why a block cannot be accessed by messages even in a matrix that qualifies; NULL if it can. access: the layout in
 * which it is loaded, a cm_use, or XT_STORED_ ... */
XE_FN_ const char *xt_why_not_block_(xt_ctx *x, const xt_tile *t, const xt_block_ *b, int access)
{
    int bytes = xt_bytes_(t->type), in = t->column_major ? b->row : b->col;
    bool store = access == XT_STORED_;
    if (access == XT_VISITED_) return "each element by itself";
    if (in * bytes % 4) return "blocks that begin within 4 bytes";
    if (access == XT_FETCHED_) return NULL;
    if (store && b->valid < b->cols) return "pieces narrower than whole subgroups are stored";
    if (store && t->column_major) return "there are no messages that store columns";
    return cm_block2d_covers(&x->cm, b->cols, b->rows, xt_storage_type_(t->type), store ? CM_ACC : (cm_use)access,
                             t->column_major, store)
               ? NULL
               : "no message has such a block";
}

/* Does a load pad with what messages read outside, all bits zero? -0.0 is not. */
XE_FN_ bool xt_pads_with_zero_(int type, double padding)
{
    const double zero = 0;
    return xt_is_float_(type) ? memcmp(&padding, &zero, sizeof zero) == 0 : padding == 0;
}

/* How the blocks of a node's tile are accessed in the version with messages. */
XE_FN_ xt_access_ xt_access_by_(xt_ctx *x, const xt_node_ *n)
{
    const xt_tile *t = xt_accessed_(x, n);
    xt_access_ a = {0, 0, NULL};
    if (!t) return a;
    int access = n->op == XT_OP_STORE_TILE_ ? XT_STORED_ : XT_FETCHED_;
    if (n->op == XT_OP_LOAD_TILE_) access = (int)xt_layout_(x, n->result);
    a.why = xt_why_not_block2d_(x, t);
    for (xt_block_ b = xt_blocks_(x, &t->dist); xt_next_block_(&b); a.blocks++) {
        const char *why = a.why && !a.by_messages ? a.why : xt_why_not_block_(x, t, &b, access);
        if (why) a.why = why;
        else a.by_messages++;
    }
    return a;
}
