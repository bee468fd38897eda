/* staging.c - operands of products from rows of arbitrary pitch, on Intel's devices: the work-group copies a tile to
 * local memory together, and each subgroup reads its operands from there by block reads.
 *
 * 2D block messages require a pitch that is a multiple of 16 bytes. If bytes have pitch p, lines n, n + 16, ... have
 * pitch 16 p; for 16-bit elements it is every eighth line, for 32 bits every fourth. These lines form a class. If a
 * class does not begin at a multiple of 64 bytes, its surface begins at the multiple below, and x makes up for that,
 * except for the bytes within a dword: lanes shift what two messages, a dword apart, have loaded. Elements outside are
 * zero: whole dwords by the bounds of the surface, the rest by a mask. The edges of a matrix cost nothing extra.
 *
 * In local memory, an operand consists of planes of eight dwords along k, for each row of a left one (M x K) and each
 * column of a right one (K x N); this is what the matrix instruction reads at a time. Lines of memory that run across k
 * and share a dword are interleaved on the way. A lane then holds every fourth dword along k. It stores them side by
 * side, which changes the order along k, provided that the product's other operand is stored in the same order. */
#include "internal.h"

/* ---- a pass ------------------------------------------------------------------------------------------------------ */

enum { XT_PLANE_ = 8, XT_STAGE_MOST_ = 16 }; /* dwords along k in a plane; dwords of a message per lane */

/* The position along k of dword k: if the order is changed, dwords k, k + 4, ... are adjacent. */
static int xt_stage_slot_(const xt_stage_ *s, int k) { return s->mixed ? k % 4 * (s->depth / 4) + k / 4 : k; }

/* The position of dword `slot` of row p (for a right operand: column p), in dwords. */
static int xt_stage_place_(const xt_stage_ *s, int p, int slot)
{
    return slot / XT_PLANE_ * s->plane + p * XT_PLANE_ + p / s->together * s->gap + slot % XT_PLANE_;
}

/* Divides the tile into messages of `wide` dwords by `high` lines of a class, equally many per subgroup; if that is not
 * possible, some subgroups repeat messages of others. Where lines run along k and there is enough work for all
 * subgroups, each lane loads a line. */
static bool xt_stage_deal_(xt_stage_ *s, int lines, int dwords)
{
    int high, units, n = s->subgroups;
    s->by_lines = s->along_k && lines % (s->classes * 16) == 0 && (s->converts || lines * dwords >= n * 128);
    s->wide = dwords % 16 || s->by_lines ? 8 : 16;
    s->chunks[1] = dwords / s->wide;
    for (high = 128 / s->wide; high >= (s->by_lines ? 16 : 16 / s->wide); high /= 2) {
        if (dwords % s->wide || lines % (s->classes * high)) continue;
        units = lines / high / s->weave * s->chunks[1];
        if (s->units && (s->units % n == 0 || units % n != 0) && s->units >= n) continue;
        s->units = units;
        s->high = high;
        s->chunks[0] = lines / (s->classes * high);
    }
    return s->units > 0 && (s->by_lines || !s->along_k || !s->converts);
}

/* Do each subgroup's pieces consist of whole operands of the matrix instruction, with all of k? Columns that a piece
 * lacks may hold anything if no other piece follows. */
static bool xt_stage_fills_(const xt_stage_ *s, const xt_dist *d)
{
    const int side[2] = {s->use == CM_A && d->subgroups ? 16 : 1, XT_PLANE_ * 4 / s->held};
    int i, dim;
    for (i = 0; i < 2; i++) {
        dim = (s->use == CM_B) ^ !i;
        if (d->data[dim] % side[i] || (i && d->count[dim] != 1)) return false;
    }
    return true;
}

/* Is it a conversion of f32 to 16-bit floats? */
static bool xt_stage_converts_(const xt_node_ *n)
{
    const xt_vectors_ *d = n->vectors;
    return n->op == XT_OP_CAST_VECTOR_ && d->v[0].type == CM_F32 && (d->type == CM_F16 || d->type == CM_BF16);
}

/* The tile of a node that is a load, or the transpose or conversion of one; NULL if it is not, or if elements outside
 * are not zero. */
static const xt_tile *xt_stage_from_(xt_ctx *x, int node)
{
    const xt_node_ *n = xt_node_at_(x, node);
    const xt_load_desc_ *d = n->load;
    if (n->op == XT_OP_TRANSPOSE_) d = xt_loaded_(x, &n->rearrange->v, node);
    else if (xt_stage_converts_(n)) d = xt_loaded_(x, &n->vectors->v[0], node);
    else if (n->op != XT_OP_LOAD_TILE_) return NULL;
    return d && d->padding == 0 && d->border == XT_BORDER_PADDING ? &d->tile : NULL;
}

/* The tile, transposed if the vector is its transpose. */
static xt_tile xt_stage_turn_(const xt_stage_ *s, xt_tile t)
{
    xt_tile r = t;
    int i;
    for (i = 0; i < 2 && s->turned; i++) {
        r.offset[i] = t.offset[!i];
        r.shape[i] = t.shape[!i];
    }
    r.column_major = t.column_major != s->turned;
    return r;
}

/* Plans the copying; false if messages and operands do not divide the shape. */
static bool xt_stage_plan_(xt_ctx *x, xt_stage_ *s, const xt_dist *of)
{
    xt_dist *d = &s->dist;
    const xt_plan_tile_ *p = xt_plan_tile_at_(x, xt_tile_root_(x, s->from->number));
    const xt_tile_desc_ *given = &xt_plan_tile_at_(x, s->from->number)->of->given;
    int k = s->use == CM_B, inner = xt_inner_(s->from) ^ s->turned, memory = xt_inner_(s->from);
    *d = *of;
    d->shape[k] /= s->slices;
    d->data[k] /= s->slices;
    s->subgroups = d->subgroups ? d->subgroups : 1;
    s->along_k = inner == k;
    s->weave = s->along_k ? 1 : 4 / s->held;
    s->classes = 16 / s->bytes;
    s->depth = d->shape[k] * s->held / 4;
    s->whole = p->align[!memory] % s->classes == 0;
    s->aligned = p->align[memory] * s->bytes % 4 == 0;
    s->early = x->registers > 128 && s->whole && s->aligned && given->shape.count < 3 && xt_is_early_(x, &given->base);
    s->together = s->held < 4 ? 8 : 16;
    s->gap = d->data[!k] % s->together ? 0 : 4; /* to spread over all banks */
    s->across = s->use == CM_A ? (d->shape[!k] + 15) / 16 * 16 : d->shape[!k];
    s->plane = xt_stage_place_(s, s->across, 0);
    s->dwords = s->depth / XT_PLANE_ * s->plane;
    if (!xt_stage_fills_(s, d)) return false;
    return s->along_k ? xt_stage_deal_(s, s->across, d->shape[k] * s->bytes / 4)
                      : xt_stage_deal_(s, d->shape[k], s->across * s->bytes / 4);
}

/* Why a vector cannot be loaded this way, in slices of k; NULL: it can, and s is the plan. */
static const char *xt_why_not_staged_(xt_ctx *x, int node, int slices, xt_stage_ *s)
{
    const xt_node_ *n = xt_node_at_(x, node);
    const xt_tile *t = xt_stage_from_(x, node), *m;
    cm_type type = t ? xt_held_(xt_value_at_(x, n->result)->now.vec.type) : CM_F32;
    const cm_product *row = t ? cm_product_row(type, type) : NULL;
    memset(s, 0, sizeof *s);
    if (!row || !row->dpas) return "not an operand of a product, or a padding";
    m = &xt_plan_tile_at_(x, t->number)->of->matrix;
    s->node = node;
    s->slices = slices;
    s->from = t;
    s->turned = n->op == XT_OP_TRANSPOSE_;
    s->converts = xt_stage_converts_(n);
    s->type = type;
    s->loaded = s->turned ? n->rearrange->v.id : s->converts ? n->vectors->v[0].id : n->result;
    s->use = xt_layout_(x, n->result);
    if (s->use == CM_ACC && xt_bytes_((int)type) == 2) s->use = CM_B; /* rearranged within lanes */
    if (s->use == CM_ACC) return "not an operand of a product";
    s->bytes = xt_bytes_(t->type);
    s->held = xt_bytes_((int)type);
    if (t->base.local || t->step != 1) return "local memory, or columns that are not contiguous";
    if (n->spread > 0 || xt_plan_tile_at_(x, xt_tile_root_(x, t->number))->apart ||
        (x->subgroups > 1 && !t->dist.subgroups))
        return "subgroups load different tiles";
    if (!xt_is_early_(x, &m->shape[0]) || !xt_is_early_(x, &m->shape[1]) || !xt_is_early_(x, &m->pitch))
        return "a matrix computed in the body";
    return xt_stage_plan_(x, s, &xt_value_at_(x, n->result)->now.vec.dist) ? NULL
                                                                             : "a shape that messages do not divide";
}

XE_FN_ xt_stage_ *xt_stage_at_(xt_ctx *x, int i) { return (xt_stage_ *)x->stages.items + i; }

/* Two buffers if a loop's index can select one; else one buffer, and another barrier if the load repeats. */
static void xt_stage_buffers_(xt_stage_ *s, const xt_frame_ *const *open, int depth)
{
    const xt_frame_ *f = depth ? open[depth - 1] : NULL;
    s->again = depth > 0;
    if (s->slices > 1 || !f || f->op != XT_OP_FOR_ || f->step.kind != SPE_INT) return;
    if (!(f->step.integer & (f->step.integer - 1))) s->turns = f;
}

/* The dwords of local memory that are left. */
static int xt_stage_room_(const xt_ctx *x)
{
    int room = x->target.local_memory - (int)((x->local_bytes + 63) / 64 * 64) - (int)x->scratch_bytes;
    return room / 4 - (int)x->stage_dwords;
}

/* Adds a load if there is room; it shares the barrier of load `before` (-1: none). Returns its number, or -1. */
static int xt_stage_add_(xt_ctx *x, xt_stage_ *s, const xt_frame_ *const *open, int depth, int before)
{
    int dwords;
    xt_stage_ *kept;
    size_t *used;
    xt_stage_buffers_(s, open, depth);
    dwords = s->dwords * (s->turns || s->slices > 1 ? 2 : 1);
    used = &x->stage_dwords;
    if (dwords > xt_stage_room_(x)) { /* then use the scratch memory, with one buffer and two barriers */
        s->shared = true;
        s->turns = NULL;
        dwords = s->dwords;
        used = &x->shared_dwords;
        if (*used + (size_t)dwords > x->scratch_bytes / 4) return -1;
    }
    kept = (xt_stage_ *)spe_list_add(&x->m, &x->stages, sizeof *kept);
    if (!kept) return -1;
    s->at = (int)*used;
    *used += (size_t)dwords;
    s->first = before < 0;
    s->last = true;
    *kept = *s;
    if (before >= 0) xt_stage_at_(x, before)->last = false;
    xt_value_at_(x, xt_node_at_(x, s->node)->result)->stage = x->stages.count;
    if (xt_value_at_(x, s->loaded)->uses == 1) xt_value_at_(x, s->loaded)->stage = x->stages.count;
    return x->stages.count - 1;
}

/* Both operands of a product may be stored in another order along k if nothing else uses them. Its addresses, and those
 * of surfaces that are known early, need the larger register file. */
static void xt_stage_mix_(xt_ctx *x)
{
    int i, j;
    if (x->registers <= 128) return;
    for (i = 0; i < x->nodes.count; i++) {
        const xt_mma_desc_ *d = xt_node_at_(x, i)->mma;
        const xt_value_ *v[2];
        xt_stage_ *s[2];
        if (xt_node_at_(x, i)->op != XT_OP_TILE_MMA_) continue;
        v[0] = xt_value_at_(x, d->left.id);
        v[1] = xt_value_at_(x, d->right.id);
        if (!v[0]->stage || !v[1]->stage || v[0]->uses != 1 || v[1]->uses != 1) continue;
        for (j = 0; j < 2; j++) s[j] = xt_stage_at_(x, v[j]->stage - 1);
        if ((s[0]->along_k && s[1]->along_k) || s[0]->converts || s[1]->converts) continue;
        s[0]->mixed = s[1]->mixed = s[0]->depth == s[1]->depth && (s[0]->depth & (s[0]->depth - 1)) == 0;
    }
}

/* Into how many slices of k the operands of a product are divided, each copied right before its part of the product, so
 * that sums and operands fit in the registers. 1: they are not, since they fit, or cannot be sliced. */
static int xt_stage_slices_(xt_ctx *x, int mma)
{
    const xt_node_ *n = xt_node_at_(x, mma);
    const xt_mma_desc_ *d = n->mma;
    const xt_value_ *v[2] = {xt_value_at_(x, d->left.id), xt_value_at_(x, d->right.id)};
    size_t all = xt_vec_bytes_(&d->left) + xt_vec_bytes_(&d->right), sum;
    size_t room = (size_t)x->target.registers / (x->registers <= 128 ? 2 : 1) / 8 * 7;
    int slices, i;
    if (n->op != XT_OP_TILE_MMA_ || v[0]->uses != 1 || v[1]->uses != 1) return 1;
    sum = xt_vec_bytes_(&xt_value_at_(x, n->result)->now.vec);
    for (i = 0; i < 2; i++)
        if (!xt_is_straight_(x, v[i]->node, mma)) return 1;
    for (slices = 1; d->left.dist.data[1] % slices == 0; slices *= 2) {
        xt_stage_ s[2];
        if (xt_why_not_staged_(x, v[0]->node, slices, &s[0]) || xt_why_not_staged_(x, v[1]->node, slices, &s[1])) break;
        if (slices == 1 && sum + all <= room) break;
        if (sum + all / (size_t)slices <= room && (s[0].dwords + s[1].dwords) * 2 <= xt_stage_room_(x)) return slices;
    }
    return 1;
}

/* The product that a sliced operand is for, if a node makes one; else -1. */
static int xt_stage_product_(xt_ctx *x, int node)
{
    uint32_t id = xt_node_at_(x, node)->result;
    int i;
    if (!id || xt_value_at_(x, id)->uses != 1 || !xt_stage_from_(x, node)) return -1;
    if (xt_layout_(x, id) == CM_ACC) return -1; /* not an operand: no product to look for */
    for (i = node; i < x->nodes.count; i++) {
        const xt_mma_desc_ *d = xt_node_at_(x, i)->mma;
        if (xt_node_at_(x, i)->op == XT_OP_TILE_MMA_ && (d->left.id == id || d->right.id == id))
            return xt_stage_slices_(x, i) > 1 ? i : -1;
    }
    return -1;
}

/* Is a vector transposed? Then its transpose is what is loaded. */
static bool xt_is_transposed_(xt_ctx *x, uint32_t id)
{
    int i;
    for (i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        if (n->op == XT_OP_TRANSPOSE_ && n->rearrange->v.id == id) return true;
    }
    return false;
}

/* Chooses the operands that go through local memory, and other loads in loops. Consecutive ones share a barrier. */
static void xt_find_stages_(xt_ctx *x)
{
    xt_frame_ *open[SPE_REGIONS_MAX];
    int i, depth = 0, last = -1, now; /* last: the latest load, if only numbers and tiles have followed */
    bool arrived = false;
    if (!x->target.stages_rows || x->cm.lowering != CM_INTEL || x->S != 16) return;
    for (i = 0; i < x->nodes.count; i++) {
        xt_node_ *n = xt_node_at_(x, i);
        const xt_mma_desc_ *d = n->mma;
        int slices = n->op == XT_OP_TILE_MMA_ && !arrived ? xt_stage_slices_(x, i) : 1;
        xt_stage_ s;
        if (n->op == XT_OP_FOR_ || n->op == XT_OP_WHILE_ || n->op == XT_OP_IF_) open[depth++] = n->frame;
        if (n->op == XT_OP_END_) depth--;
        if (n->op == XT_OP_BARRIER_ARRIVE_ || n->op == XT_OP_BARRIER_WAIT_) arrived = n->op == XT_OP_BARRIER_ARRIVE_;
        now = -1;
        if (slices > 1) {
            if (!xt_why_not_staged_(x, xt_value_at_(x, d->left.id)->node, slices, &s))
                now = xt_stage_add_(x, &s, (const xt_frame_ *const *)open, depth, -1);
            if (!xt_why_not_staged_(x, xt_value_at_(x, d->right.id)->node, slices, &s))
                xt_stage_add_(x, &s, (const xt_frame_ *const *)open, depth, now);
            now = -1;
        } else if (!arrived && xt_stage_product_(x, i) < 0 && !xt_why_not_staged_(x, i, 1, &s) &&
                   (xt_layout_(x, n->result) == s.use || (depth && !xt_is_transposed_(x, n->result))))
            now = xt_stage_add_(x, &s, (const xt_frame_ *const *)open, depth, last);
        if (now >= 0 && depth > 1 && s.turns) open[depth - 1]->meets = true;
        if (now >= 0 || n->op > XT_OP_PREFETCH_TILE_) last = now;
    }
    xt_stage_mix_(x);
}

/* ---- the condition ----------------------------------------------------------------------------------------------- */

/* The condition for surfaces of all classes to be legal: a pitch of at most 2^24 bytes that holds a line plus up to two
 * times 64 bytes before it. */
static spe_id xt_emit_stage_condition_(xt_ctx *x)
{
    spe_module *m = &x->m;
    spe_id all = 0;
    int i;
    spe_prologue_begin(m);
    for (i = 0; i < x->stages.count; i++) {
        const xt_tile *t = &xt_plan_tile_at_(x, xt_stage_at_(x, i)->from->number)->of->matrix;
        spe_id pitch = xt_emit_early_(x, &t->pitch, CM_I32), test;
        spe_id along = xt_emit_early_(x, &t->shape[xt_inner_(t)], CM_I32);
        spe_id lines = xt_emit_early_(x, &t->shape[1 - xt_inner_(t)], CM_I32);
        test = spe_ult(m, spe_iadd(m, pitch, spe_i32(m, -1)), spe_i32(m, 1 << 20));
        test = spe_land(m, test, spe_ult(m, spe_iadd(m, along, spe_i32(m, -1)), spe_i32(m, 1 << 22)));
        test = spe_land(m, test, spe_ult(m, spe_iadd(m, lines, spe_i32(m, -1)), spe_i32(m, 1 << 24)));
        along = spe_iadd(m, spe_imul(m, along, spe_i32(m, xt_stage_at_(x, i)->bytes)), spe_i32(m, 130));
        test = spe_land(m, test, spe_uge(m, spe_imul(m, pitch, spe_i32(m, 16)), along));
        all = all ? spe_land(m, all, test) : test;
    }
    spe_prologue_end(m);
    return all;
}

/* ---- from memory to registers ------------------------------------------------------------------------------------ */

/* A subgroup's share of one round: its first line (of the first class), its first dword along a line. */
typedef struct {
    spe_id line_class, chunk, along; /* chunk: in lines of its class */
} xt_unit_;

static xt_unit_ xt_stage_unit_(xt_ctx *x, const xt_stage_ *s, int round)
{
    spe_module *m = &x->m;
    int groups = s->classes / s->weave;
    spe_id n;
    xt_unit_ u;
    n = s->subgroups > 1 ? spe_builtin(m, SPE_SUBGROUP_ID, 0) : spe_i32(m, 0);
    if (round) n = spe_iadd(m, n, spe_i32(m, round * s->subgroups));
    if ((round + 1) * s->subgroups > s->units) n = spe_umod(m, n, spe_i32(m, s->units));
    u.along = spe_imul(m, spe_umod(m, n, spe_i32(m, s->chunks[1])), spe_i32(m, s->wide));
    n = spe_udiv(m, n, spe_i32(m, s->chunks[1]));
    u.line_class = spe_imul(m, spe_umod(m, n, spe_i32(m, groups)), spe_i32(m, s->weave));
    u.chunk = spe_imul(m, spe_udiv(m, n, spe_i32(m, groups)), spe_i32(m, s->high));
    return u;
}

static spe_id xt_log2_(xt_ctx *x, int n)
{
    int bits = 0;
    while (1 << bits < n) bits++;
    return spe_i32(&x->m, bits);
}

/* The whole work-group's tile in its current state, or the current slice of it; transposed if the vector is. */
static xt_tile xt_stage_tile_(xt_ctx *x, const xt_stage_ *s)
{
    xt_tile t = xt_now_tile_(x, s->from);
    int i, k = s->use == CM_B;
    for (i = 0; i < 2; i++) {
        spe_id at = xt_index_id_(x, &t.offset[i]);
        t.offset[i] = xt_scalar_(CM_I32, spe_isub(&x->m, at, xt_place_id_(x, &t.dist, i)), 1);
    }
    t = xt_stage_turn_(s, t);
    if (s->slice) {
        spe_id at = xt_index_id_(x, &t.offset[k]);
        t.offset[k] = xt_scalar_(CM_I32, spe_iadd(&x->m, at, spe_i32(&x->m, s->slice * s->dist.shape[k])), 1);
    }
    return t;
}

static spe_id xt_stage_offset_(xt_ctx *x, const xt_tile *t, int dim) { return xt_index_id_(x, &t->offset[dim]); }

/* A matrix: address, lines, elements per line, bytes from line to line. */
typedef struct {
    spe_id base, lines, extent, pitch;
} xt_lines_;

/* From a matrix known before the body (early), or the current one. If leading offsets are outside, the current matrix
 * has no lines, and the address of the first matrix is used because it is valid. */
static xt_lines_ xt_stage_lines_(xt_ctx *x, const xt_tile *t, bool early)
{
    spe_module *m = &x->m;
    const xt_plan_tile_ *p = xt_plan_tile_at_(x, t->number);
    const xt_tile *matrix = &p->of->matrix;
    spe_id i64 = spe_int(m, 64);
    xt_lines_ l;
    int inner = xt_inner_(matrix);
    l.lines = xt_emit_early_(x, &matrix->shape[!inner], CM_I32);
    if (!early) l.lines = xt_index_id_(x, &t->shape[!xt_inner_(t)]);
    l.extent = xt_emit_early_(x, &matrix->shape[inner], CM_I32);
    l.pitch = spe_imul(m, xt_emit_early_(x, &matrix->pitch, CM_I32), spe_i32(m, xt_bytes_(t->type)));
    l.base = spe_ptr_to_u(m, i64, early ? xt_emit_base_(x, p) : t->base.id);
    if (early || p->of->given.shape.count < 3) return l;
    l.base = spe_select(m, spe_ieq(m, l.lines, spe_i32(m, 0)),
                        spe_ptr_to_u(m, i64, xt_now_(x, &matrix->base).id), l.base);
    return l;
}

/* The surface of class `number`. */
static xt_surface_ xt_stage_class_(xt_ctx *x, const xt_stage_ *s, const xt_lines_ *l, spe_id number)
{
    spe_module *m = &x->m;
    spe_id none = spe_ule(m, l->lines, number), zero = spe_i32(m, 0), most = spe_i32(m, s->classes - 1);
    spe_id i64 = spe_int(m, 64), address, rest, width, before;
    xt_surface_ r;
    memset(&r, 0, sizeof r);
    address = spe_imul(m, spe_select(m, none, zero, number), l->pitch);
    address = spe_iadd(m, l->base, spe_uconvert(m, i64, address));
    rest = spe_and(m, spe_uconvert(m, spe_int(m, 32), address), spe_i32(m, 63));
    width = spe_iadd(m, spe_imul(m, l->extent, spe_i32(m, s->bytes)), spe_iadd(m, rest, spe_i32(m, 3)));
    before = spe_select(m, spe_ult(m, width, spe_i32(m, 64)), spe_i32(m, 64), zero); /* the minimum width */
    address = spe_isub(m, spe_and(m, address, spe_u64(m, ~(uint64_t)63)), spe_uconvert(m, i64, before));
    rest = spe_iadd(m, rest, before);
    r.block.elem_bytes = 4;
    r.block.width = (uint32_t)s->wide;
    r.block.height = (uint32_t)s->high;
    r.block.count = 1;
    r.block.ptr = address;
    r.block.mem_width = spe_and(m, spe_iadd(m, width, before), spe_i32(m, -4));
    r.block.mem_height = spe_udiv(m, spe_iadd(m, spe_isub(m, l->lines, number), most), spe_i32(m, s->classes));
    r.block.mem_height = spe_select(m, none, spe_i32(m, 1), r.block.mem_height);
    r.block.pitch = spe_imul(m, l->pitch, spe_i32(m, s->classes));
    r.block.pos_y = spe_select(m, none, spe_i32(m, 1 << 24), zero); /* beyond the last line */
    r.block.pos_x = rest;
    return r;
}

/* Keeps compilers from recomputing a value inside a loop: a broadcast is opaque to them. */
static void xt_stage_keep_(xt_ctx *x, spe_id *v) { *v = spe_sg_broadcast(&x->m, *v, spe_i32(&x->m, 0)); }

/* The surface of a unit's first message. Leaves out the tile's offset where class (whole) or shift (aligned) do not
 * depend on it: see xt_stage_move_. */
static xt_surface_ xt_stage_surface_(xt_ctx *x, const xt_stage_ *s, const xt_tile *t, const xt_unit_ *u, int i)
{
    spe_module *m = &x->m;
    int inner = xt_inner_(t);
    spe_id number = spe_iadd(m, u->line_class, spe_i32(m, i)), line = 0, rest;
    xt_lines_ l = xt_stage_lines_(x, t, s->early);
    xt_surface_ r;
    if (!s->whole) {
        line = spe_iadd(m, xt_stage_offset_(x, t, !inner), number);
        number = spe_and(m, line, spe_i32(m, s->classes - 1));
    }
    r = xt_stage_class_(x, s, &l, number);
    rest = r.block.pos_x;
    if (!s->aligned) rest = spe_iadd(m, rest, spe_imul(m, xt_stage_offset_(x, t, inner), spe_i32(m, s->bytes)));
    r.shift = spe_shl(m, spe_and(m, rest, spe_i32(m, 3)), spe_i32(m, 3));
    r.block.pos_x = spe_iadd(m, spe_sar(m, rest, spe_i32(m, 2)), u->along);
    r.block.pos_y = spe_iadd(m, r.block.pos_y, u->chunk);
    if (line) r.block.pos_y = spe_iadd(m, r.block.pos_y, spe_sar(m, line, xt_log2_(x, s->classes)));
    return r;
}

/* Adds the tile's current offset. */
static void xt_stage_move_(xt_ctx *x, const xt_stage_ *s, const xt_tile *t, xt_surface_ *r)
{
    spe_module *m = &x->m;
    int inner = xt_inner_(t);
    spe_id line = xt_stage_offset_(x, t, !inner), along = xt_stage_offset_(x, t, inner);
    r->block.ptr = xt_emit_pointer_(x, CM_I32, r->block.ptr);
    if (s->whole) r->block.pos_y = spe_iadd(m, r->block.pos_y, spe_sar(m, line, xt_log2_(x, s->classes)));
    if (!s->aligned) return;
    along = s->bytes < 4 ? spe_sar(m, along, xt_log2_(x, 4 / s->bytes)) : along;
    r->block.pos_x = spe_iadd(m, r->block.pos_x, along);
}

static int xt_stage_rounds_(const xt_stage_ *s) { return (s->units + s->subgroups - 1) / s->subgroups; }

/* Writes the surfaces that are known at the beginning of the version. */
static void xt_write_stage_surfaces_(xt_ctx *x)
{
    int i, j, round;
    size_t k;
    for (i = 0; i < x->stages.count; i++) {
        xt_stage_ *s = xt_stage_at_(x, i);
        xt_tile t = xt_stage_turn_(s, *s->from);
        int n = xt_stage_rounds_(s) * s->weave;
        xt_surface_ *r = s->early ? (xt_surface_ *)xt_memory_(x, (size_t)n * sizeof *r) : NULL;
        s->surface = r;
        for (round = 0; r && round < xt_stage_rounds_(s); round++) {
            xt_unit_ u = xt_stage_unit_(x, s, round);
            for (j = 0; j < s->weave; j++, r++) {
                spe_block2d *b = &r->block;
                spe_id *keep[] = {&b->ptr, &b->mem_width, &b->mem_height, &b->pitch, &b->pos_x, &b->pos_y, &r->shift};
                *r = xt_stage_surface_(x, s, &t, &u, j);
                for (k = 0; k < sizeof keep / sizeof keep[0]; k++) xt_stage_keep_(x, keep[k]);
            }
        }
    }
}

/* The dwords a message loads per lane: a scalar or a vector. */
static spe_id xt_stage_message_(xt_ctx *x, const xt_stage_ *s, const spe_block2d *b)
{
    spe_module *m = &x->m;
    uint32_t words = (uint32_t)(s->high * s->wide / 16);
    spe_id type = spe_vec(m, spe_int(m, 32), words), variable = spe_local_var(m, type);
    if (s->by_lines) spe_block2d_load_transpose(m, b, variable);
    else spe_block2d_load(m, b, variable);
    return spe_load(m, variable, 0);
}

static spe_id xt_splat_word_(xt_ctx *x, spe_id like, spe_id word)
{
    return spe_splat(&x->m, spe_type_of(&x->m, like), word);
}

/* A number for each of a lane's dwords. If lanes hold lines, dword i takes it from lane i. */
static spe_id xt_stage_spread_(xt_ctx *x, const xt_stage_ *s, spe_id like, spe_id number)
{
    spe_module *m = &x->m;
    spe_id each[XT_PLANE_];
    int i;
    if (!s->by_lines) return xt_splat_word_(x, like, number);
    for (i = 0; i < XT_PLANE_; i++) each[i] = spe_sg_broadcast(m, number, spe_i32(m, i));
    return spe_construct(m, spe_type_of(m, like), XT_PLANE_, each);
}

/* A mask of the bytes that are elements of the matrix, in a dword along the lines: the one with the lane's number. */
static spe_id xt_stage_mask_(xt_ctx *x, const xt_stage_ *s, const xt_tile *t, const xt_unit_ *u)
{
    spe_module *m = &x->m;
    int inner = xt_inner_(t), per = 4 / s->bytes, i;
    spe_id lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0), mask = 0, extent = xt_index_id_(x, &t->shape[inner]), first;
    if (s->wide == 8) lane = spe_and(m, lane, spe_i32(m, 7));
    first = spe_imul(m, spe_iadd(m, u->along, lane), spe_i32(m, per));
    first = spe_iadd(m, first, xt_stage_offset_(x, t, inner));
    for (i = 0; i < per; i++) {
        spe_id bits = spe_u32(m, per == 1 ? ~0u : ((1u << 8 * s->bytes) - 1) << 8 * s->bytes * i);
        spe_id one = spe_select(m, spe_ult(m, spe_iadd(m, first, spe_i32(m, i)), extent), bits, spe_i32(m, 0));
        mask = mask ? spe_or(m, mask, one) : one;
    }
    return mask;
}

/* Loads one of this subgroup's units: for each line of it, the low and high message, and the shift. */
static void xt_stage_fetch_(xt_ctx *x, const xt_stage_ *s, int round)
{
    spe_module *m = &x->m;
    xt_unit_ u = xt_stage_unit_(x, s, round);
    int i;
    for (i = 0; i < s->weave; i++) {
        spe_id *got = s->got + (round * s->weave + i) * 3, one = spe_i32(m, 1), zero = spe_i32(m, 0);
        xt_surface_ r = s->surface ? s->surface[round * s->weave + i] : xt_stage_surface_(x, s, &s->tile, &u, i);
        xt_stage_move_(x, s, &s->tile, &r);
        got[0] = got[1] = xt_stage_message_(x, s, &r.block);
        got[2] = r.shift;
        if (s->bytes == 4) continue;
        r.block.pos_x = spe_iadd(m, r.block.pos_x, spe_select(m, spe_ieq(m, got[2], zero), zero, one));
        got[1] = xt_stage_message_(x, s, &r.block);
    }
}

/* Are all units loaded before the first one is stored? Few are; more would take too many registers. */
static bool xt_stage_is_eager_(const xt_stage_ *s) { return xt_stage_rounds_(s) <= 2; }

/* ---- from registers to local memory ------------------------------------------------------------------------------ */

/* Shifts elements to dword boundaries; without a shift, both messages loaded the same. */
static spe_id xt_stage_align_(xt_ctx *x, const xt_stage_ *s, const spe_id got[3], spe_id mask)
{
    spe_module *m = &x->m;
    spe_id low = got[0], high, back;
    if (s->bytes < 4) {
        back = spe_and(m, spe_isub(m, spe_i32(m, 0), got[2]), spe_i32(m, 31));
        low = spe_shr(m, low, xt_splat_word_(x, low, got[2]));
        high = spe_shl(m, got[1], xt_splat_word_(x, low, back));
        low = spe_or(m, low, high);
    }
    return spe_and(m, low, xt_stage_spread_(x, s, low, mask));
}

/* Transposes elements of two dwords, or (bits 8, twice) of four: swaps bits of a with those of b below them. */
static void xt_stage_swap_(xt_ctx *x, uint32_t mask, int bits, spe_id *a, spe_id *b)
{
    spe_module *m = &x->m;
    spe_id by = xt_splat_word_(x, *a, spe_i32(m, bits)), up = spe_shl(m, *b, by), down = spe_shr(m, *a, by);
    spe_id low = xt_splat_word_(x, *a, spe_u32(m, mask)), high = spe_not(m, low);
    *a = spe_or(m, spe_and(m, *a, low), spe_and(m, up, high));
    *b = spe_or(m, spe_and(m, down, low), spe_and(m, *b, high));
}

/* Interleaves lines to dwords along k: v[q] becomes element q of each line's dword. */
static void xt_stage_weave_(xt_ctx *x, spe_id v[4])
{
    xt_stage_swap_(x, 0x00ff00ff, 8, &v[0], &v[1]);
    xt_stage_swap_(x, 0x00ff00ff, 8, &v[2], &v[3]);
    xt_stage_swap_(x, 0xffff, 16, &v[0], &v[2]);
    xt_stage_swap_(x, 0xffff, 16, &v[1], &v[3]);
}

/* Both at once for two lines of 16-bit elements: v[i] has element i of each line's dword, the first line's in its low
 * half. Outside the matrix, no bits of the first line are extracted and none of the second are kept. */
static void xt_stage_pair_(xt_ctx *x, const spe_id got[6], spe_id mask, spe_id v[2])
{
    spe_module *m = &x->m;
    spe_id half = spe_i32(m, 16);
    for (int i = 0; i < 2; i++) {
        spe_id bits = spe_and(m, i ? spe_shr(m, mask, half) : mask, half), low, high;
        spe_id keep = spe_and(m, i ? mask : spe_shl(m, mask, half), spe_u32(m, 0xffff0000));
        low = spe_bits_extract(m, got[i], i ? spe_xor(m, got[2], half) : got[2], bits, false);
        high = xt_splat_word_(x, got[3 + i], i ? got[5] : spe_xor(m, got[5], half));
        high = spe_math2(m, SPE_ROTATE, got[3 + i], high);
        v[i] = spe_or(m, low, spe_and(m, high, xt_splat_word_(x, high, keep)));
    }
}

/* f32, two for each dword of the result, as 16-bit floats. */
static spe_id xt_stage_narrow_(xt_ctx *x, const xt_stage_ *s, uint32_t count, const spe_id *v)
{
    spe_module *m = &x->m;
    spe_id all = spe_construct(m, spe_vec(m, spe_int(m, 32), count), count, v);
    all = spe_bitcast(m, spe_vec(m, spe_float(m, 32), count), all);
    all = s->type == CM_BF16 ? cm_from_arith(&x->cm, CM_BF16, all)
                             : spe_fconvert(m, spe_vec(m, spe_float(m, 16), count), all);
    return spe_bitcast(m, spe_vec(m, spe_int(m, 32), count / 2), all);
}

/* Converts two lines of f32 to dwords along k; or, if each lane holds a line, its dwords in twos. */
static spe_id xt_stage_convert_(xt_ctx *x, const xt_stage_ *s, const spe_id line[2])
{
    spe_id each[2 * XT_PLANE_];
    int i, j, lines = s->weave, n = s->high * s->wide / 16;
    for (j = 0; j < lines; j++)
        for (i = 0; i < n; i++)
            each[i * lines + j] = n == 1 ? line[j] : spe_extract(&x->m, line[j], (uint32_t)i);
    return xt_stage_narrow_(x, s, (uint32_t)(n * lines), each);
}

/* The same for numbers that are known only at run time: where row p begins, and where its dword k lies. */
static spe_id xt_stage_row_(xt_ctx *x, const xt_stage_ *s, spe_id p)
{
    spe_module *m = &x->m;
    spe_id gaps = spe_imul(m, spe_udiv(m, p, spe_i32(m, s->together)), spe_i32(m, s->gap));
    return spe_iadd(m, spe_imul(m, p, spe_i32(m, XT_PLANE_)), gaps);
}

static spe_id xt_stage_place_id_(xt_ctx *x, const xt_stage_ *s, spe_id p, spe_id k)
{
    spe_module *m = &x->m;
    spe_id plane = spe_i32(m, XT_PLANE_), every = spe_imul(m, spe_and(m, k, spe_i32(m, 3)), spe_i32(m, s->depth / 4));
    if (s->mixed) k = spe_iadd(m, every, spe_shr(m, k, spe_i32(m, 2)));
    k = spe_iadd(m, spe_imul(m, spe_udiv(m, k, plane), spe_i32(m, s->plane)), spe_umod(m, k, plane));
    return spe_iadd(m, k, xt_stage_row_(x, s, p));
}

/* The position of a lane's first dword. */
static spe_id xt_stage_lane_(xt_ctx *x, const xt_stage_ *s, const xt_unit_ *u)
{
    spe_module *m = &x->m;
    int groups = s->classes / s->weave;
    spe_id down = u->chunk, across = spe_builtin(m, SPE_SUBGROUP_LANE, 0);
    if (s->by_lines) {
        down = spe_iadd(m, down, across);
        across = spe_i32(m, 0);
    } else if (s->wide == 8) {
        down = spe_iadd(m, down, spe_shr(m, across, spe_i32(m, 3)));
        across = spe_and(m, across, spe_i32(m, 7));
    }
    across = spe_iadd(m, u->along, across);
    across = s->along_k ? spe_udiv(m, across, spe_i32(m, s->bytes / s->held))
                        : spe_imul(m, across, spe_i32(m, 4 / s->bytes));
    down = spe_iadd(m, spe_udiv(m, u->line_class, spe_i32(m, s->weave)), spe_imul(m, down, spe_i32(m, groups)));
    return xt_stage_place_id_(x, s, s->along_k ? down : across, s->along_k ? across : down);
}

/* Dword `at` of the current iteration's buffer. */
static spe_id xt_stage_pointer_(xt_ctx *x, const xt_stage_ *s, spe_id at)
{
    spe_module *m = &x->m;
    int step = s->turns ? (int)s->turns->step.integer : 0;
    at = spe_iadd(m, at, spe_i32(m, s->at + (s->shared ? 0 : s->slice % 2 * s->dwords)));
    if (step) {
        spe_id index = xt_value_at_(x, s->turns->index)->now.number.id, turn;
        turn = spe_and(m, spe_shr(m, index, xt_log2_(x, step)), spe_i32(m, 1));
        at = spe_iadd(m, at, spe_imul(m, turn, spe_i32(m, s->dwords)));
    }
    if (!s->shared) return spe_element(m, x->staging, 1, &at);
    return spe_index(m, xt_scratch_pointer_(x, CM_I32), at);
}

/* Stores a lane's dwords of one of the interleaved lines; adjacent ones at once. */
static void xt_stage_store_(xt_ctx *x, const xt_stage_ *s, spe_id to, spe_id v, int q)
{
    spe_module *m = &x->m;
    int at[XT_STAGE_MOST_], n = (int)spe_count(m, spe_type_of(m, v)), i, j, run;
    int down = 16 / s->wide * s->classes / s->weave;
    spe_id one[XT_STAGE_MOST_], type, word[XT_PLANE_];
    for (i = 0; i < n; i++) {
        one[i] = n == 1 ? v : spe_extract(m, v, (uint32_t)i);
        at[i] = s->by_lines  ? xt_stage_place_(s, 0, xt_stage_slot_(s, i))
                : s->along_k ? xt_stage_place_(s, i * down, 0)
                             : xt_stage_place_(s, q, xt_stage_slot_(s, i * down));
    }
    for (i = 0; i < n; i++) {
        if (at[i] < 0) continue;
        for (run = 0, j = i; j < n && run < XT_PLANE_; j++) {
            if (at[j] != at[i] + run) continue;
            word[run++] = one[j];
            if (j > i) at[j] = -1;
        }
        type = spe_vec(m, spe_int(m, 32), (uint32_t)run);
        spe_store(m, spe_ptr_cast(m, spe_index(m, to, spe_i32(m, at[i])), type),
                  spe_construct(m, type, (uint32_t)run, word), run < 4 ? (uint32_t)run * 4 : 16);
    }
}

static void xt_stage_put_(xt_ctx *x, const xt_stage_ *s)
{
    int rounds = xt_stage_rounds_(s), round, i, outputs = s->along_k ? 1 : 4 / s->bytes; /* columns of a dword */
    for (round = 0; round < rounds && s->got; round++) {
        xt_unit_ u = xt_stage_unit_(x, s, round);
        spe_id mask = xt_stage_mask_(x, s, &s->tile, &u), v[4], to;
        if (!xt_stage_is_eager_(s)) xt_stage_fetch_(x, s, round);
        if (s->weave == 2 && !s->converts) {
            xt_stage_pair_(x, s->got + round * 6, mask, v);
        } else {
            for (i = 0; i < s->weave; i++) v[i] = xt_stage_align_(x, s, s->got + (round * s->weave + i) * 3, mask);
            if (s->weave == 4) xt_stage_weave_(x, v);
            if (s->converts) v[0] = xt_stage_convert_(x, s, v);
        }
        to = xt_stage_pointer_(x, s, xt_stage_lane_(x, s, &u));
        for (i = 0; i < outputs; i++) xt_stage_store_(x, s, to, v[i], i);
    }
}

/* ---- element by element, if surfaces are not legal --------------------------------------------------------------- */

/* Element (row, col) of the tile in the low bits of a dword; 0 outside. */
static spe_id xt_stage_element_(xt_ctx *x, const xt_stage_ *s, const xt_tile *t, spe_id row, spe_id col)
{
    spe_module *m = &x->m;
    spe_id at[2] = {spe_iadd(m, xt_stage_offset_(x, t, 0), row), spe_iadd(m, xt_stage_offset_(x, t, 1), col)}, far, v;
    spe_id i64 = spe_int(m, 64), zero = spe_i32(m, 0), word = spe_int(m, 8 * (uint32_t)s->bytes);
    int inner = xt_inner_(t);
    spe_if(m, spe_land(m, spe_ult(m, at[0], xt_index_id_(x, &t->shape[0])),
                       spe_ult(m, at[1], xt_index_id_(x, &t->shape[1]))));
    far = spe_imul(m, spe_sconvert(m, i64, at[!inner]), spe_sconvert(m, i64, xt_index_id_(x, &t->pitch)));
    v = spe_load(m, spe_index(m, t->base.id, spe_iadd(m, far, spe_sconvert(m, i64, at[inner]))), 0);
    v = spe_cast(m, spe_int(m, 32), spe_bitcast(m, word, v), false);
    spe_endif_from(m, 1, &v, &zero, &v);
    return v;
}

/* Each lane assembles a dword per iteration. */
static void xt_stage_elements_(xt_ctx *x, const xt_stage_ *s)
{
    spe_module *m = &x->m;
    int per = 4 / s->held, q;
    spe_id lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0), i, p, k, v = 0, by, one[4];
    if (s->subgroups > 1)
        lane = spe_iadd(m, lane, spe_imul(m, spe_builtin(m, SPE_SUBGROUP_ID, 0), spe_i32(m, x->S)));
    i = spe_for(m, lane, spe_i32(m, s->across * s->depth), spe_i32(m, s->subgroups * x->S), 0, NULL);
    by = spe_i32(m, s->along_k ? s->depth : s->across);
    k = s->along_k ? spe_umod(m, i, by) : spe_udiv(m, i, by);
    p = s->along_k ? spe_udiv(m, i, by) : spe_umod(m, i, by);
    for (q = 0; q < per; q++) {
        spe_id e = spe_iadd(m, spe_imul(m, k, spe_i32(m, per)), spe_i32(m, q));
        one[q] = xt_stage_element_(x, s, &s->tile, s->use == CM_A ? e : p, s->use == CM_A ? p : e);
        v = q ? spe_or(m, v, spe_shl(m, one[q], spe_i32(m, 8 * s->held * q))) : one[q];
    }
    if (s->converts) v = xt_stage_narrow_(x, s, 2, one);
    spe_store(m, xt_stage_pointer_(x, s, xt_stage_place_id_(x, s, p, k)), v, 4);
    spe_endfor(m, 0, NULL);
}

/* ---- from local memory to operands ------------------------------------------------------------------------------- */

/* Reads a part of a block: `words` consecutive rows of a left operand, or dwords along k of a lane's column. */
static spe_id xt_stage_read_(xt_ctx *x, const xt_stage_ *s, spe_id from, int at, int words, spe_id type)
{
    spe_module *m = &x->m;
    bool left = s->use == CM_B;
    spe_id word = spe_int(m, left && s->held < 4 ? 16 : 32), all = spe_vec(m, word, (uint32_t)words);
    spe_id to = spe_index(m, from, spe_i32(m, at));
    uint32_t ptr = spe_ptr_cast(m, to, left ? word : all);
    if (left) return cm_bitcast(&x->cm, type, spe_op(m, SPE_OpSubgroupBlockReadINTEL, all, 1, &ptr));
    return cm_bitcast(&x->cm, type, spe_load(m, ptr, words < 4 ? (uint32_t)words * 4 : 16));
}

static cm_matrix xt_stage_block_(xt_ctx *x, const xt_stage_ *s, spe_id from, const xt_block_ *b)
{
    cm_layout l = cm_layout_for(&x->cm, b->cols, b->rows, s->type, s->use);
    int count = cm_part_count(&l), part, p = s->use == CM_A ? b->col : b->row, k = s->use == CM_A ? b->row : b->col;
    int runs = l.size_k2 ? count / l.size_k2 : 1, first = 0;
    spe_id *parts = (spe_id *)xt_memory_(x, (size_t)(count ? count : 1) * sizeof *parts);
    for (part = 0; parts && part < count; part++) {
        int block = part / runs, words = cm_part_words(&l, part), at;
        if (part % runs == 0) first = 0;
        at = s->use == CM_A
                 ? xt_stage_place_(s, p + block * 16, k * s->held / 4 + first)
                 : xt_stage_place_(s, p + first * (l.lanes / l.size_i), k * s->held / 4 + block * XT_PLANE_);
        parts[part] = xt_stage_read_(x, s, from, at, words, cm_part_type(&x->cm, &l, part));
        first += words;
    }
    return parts ? cm_from_parts(&x->cm, &l, parts) : cm_poison();
}

/* The vector, or the current slice of it. */
static xt_vec xt_stage_get_(xt_ctx *x, const xt_stage_ *s)
{
    xt_vec v = xt_make_vec_(x, xt_node_at_(x, s->node));
    xt_block_ b = xt_blocks_(x, &s->dist);
    int along = s->use == CM_A; /* the dimension other than k */
    spe_id row = xt_place_id_(x, &v.dist, along), from;
    if (s->use == CM_A) row = spe_iadd(&x->m, row, spe_builtin(&x->m, SPE_SUBGROUP_LANE, 0));
    from = xt_stage_pointer_(x, s, xt_stage_row_(x, s, row));
    v.dist = s->dist;
    v.use = s->use;
    if (v.blocks > b.grid.blocks) v.blocks = b.grid.blocks;
    while (v.blocks && xt_next_block_(&b)) v.block[b.i] = xt_stage_block_(x, s, from, &b);
    return v;
}

static void xt_stage_barrier_(xt_ctx *x)
{
    spe_control_barrier(&x->m, SPE_ScopeWorkgroup, SPE_ScopeWorkgroup,
                        SPE_MemorySemanticsAcquireRelease | SPE_MemorySemanticsWorkgroupMemory);
}

/* Begins to load this subgroup's share of a tile, or of the current slice of it. */
static void xt_stage_begin_(xt_ctx *x, xt_stage_ *s)
{
    int rounds = xt_stage_rounds_(s), round;
    s->tile = xt_stage_tile_(x, s);
    s->got = (spe_id *)xt_memory_(x, (size_t)(rounds * s->weave * 3) * sizeof *s->got);
    for (round = 0; s->got && x->staged == XT_BY_MESSAGES_ && xt_stage_is_eager_(s) && round < rounds; round++)
        xt_stage_fetch_(x, s, round);
}

/* Stores the data of a group of loads. */
static void xt_stage_end_(xt_ctx *x, xt_stage_ *first, xt_stage_ *last)
{
    xt_stage_ *s;
    bool before = false; /* others may still be reading the buffer */
    for (s = first; s <= last; s++) before = before || s->shared || (s->again && !s->turns && s->slices == 1);
    if (before) xt_stage_barrier_(x);
    for (s = first; s <= last; s++)
        if (x->staged == XT_BY_MESSAGES_) xt_stage_put_(x, s);
        else xt_stage_elements_(x, s);
    xt_stage_barrier_(x);
}

static xt_stage_ *xt_stage_of_(xt_ctx *x, uint32_t id)
{
    int number = xt_value_at_(x, id)->stage;
    return x->staged && number ? xt_stage_at_(x, number - 1) : NULL;
}

/* Writes a load: messages immediately, the rest with the last load of the group; slices with their product. False if
 * the load is not staged. */
static bool xt_write_staged_(xt_ctx *x, const xt_node_ *n)
{
    xt_stage_ *s = xt_stage_of_(x, n->result), *first = s, *one;
    if (!s) return false;
    if (s->node != n - xt_node_at_(x, 0)) return true; /* only loaded for that node */
    xt_remark_(x, "through local memory, where rows have any pitch");
    if (s->slices > 1) return true;
    xt_stage_begin_(x, s);
    if (!s->last) return true;
    while (!first->first) first--;
    xt_stage_end_(x, first, s);
    for (one = first; one <= s; one++) {
        uint32_t id = xt_node_at_(x, one->node)->result;
        xt_vec v = xt_stage_get_(x, one);
        xt_define_vec_(x, id, xt_as_use_(x, &v, xt_layout_(x, id)));
    }
    return true;
}

/* Is a vector loaded slice by slice, with the product that uses it? */
XE_LATE_ bool xt_is_sliced_(xt_ctx *x, uint32_t id)
{
    const xt_stage_ *s = xt_stage_of_(x, id);
    return s && s->slices > 1;
}

/* Computes a product slice by slice, from d->sum if it has one. */
XE_LATE_ void xt_emit_sliced_(xt_ctx *x, xt_mma_desc_ *d, bool with_c, xt_vec *r)
{
    xt_stage_ *left = xt_stage_of_(x, d->left.id), *right = xt_stage_of_(x, d->right.id);
    int i;
    for (i = 0; i < left->slices; i++) {
        left->slice = right->slice = i;
        xt_stage_begin_(x, left);
        xt_stage_begin_(x, right);
        xt_stage_end_(x, left, right);
        d->left = xt_stage_get_(x, left);
        d->right = xt_stage_get_(x, right);
        xt_emit_mma_(x, d, with_c || i, r);
        d->sum = *r;
    }
    left->slice = right->slice = 0;
}

/* Before a repeated loop: its last iteration may still be reading the buffer that the first one fills. */
static void xt_write_stage_entry_(xt_ctx *x, const xt_frame_ *f)
{
    if (f->meets) xt_stage_barrier_(x);
}

XE_LATE_ const xt_stager_ *xt_stager_of_products_(void)
{
    static const xt_stager_ stager = {xt_find_stages_, xt_emit_stage_condition_, xt_write_stage_surfaces_,
                                      xt_write_staged_, xt_write_stage_entry_};
    return &stager;
}
