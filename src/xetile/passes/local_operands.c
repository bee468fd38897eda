/* passes/local_operands.c - a pass: operands of products from rows of arbitrary pitch, on Intel's devices: the
 * work-group copies a tile to local memory together, and each subgroup reads its operands from there by block reads.
 *
 * 2D block messages require a pitch that is a multiple of 16 bytes. If bytes have pitch p, lines n, n + 16, ... have
 * pitch 16 p; for 16-bit elements it is every eighth line, for 32 bits every fourth. These lines form a class. If a
 * class does not begin at a multiple of 64 bytes, its surface begins at the multiple below, and x makes up for that,
 * except for the bytes within a dword: lanes shift what two messages, a dword apart, have loaded. Elements outside are
 * zero: whole dwords by the bounds of the surface, the rest by a mask. The edges of a matrix cost nothing extra. A
 * tile that begins before its matrix may read up to 63 bytes before it, of the same 64; no others outside it. Where
 * lines are shorter than the least width of a surface, or a matrix is too large for one, elements are copied one by
 * one.
 *
 * In local memory, an operand consists of planes of eight dwords along k, for each row of a left one (M x K) and each
 * column of a right one (K x N); this is what the matrix instruction reads at a time. Lines of memory that run across
 * k and share a dword are interleaved on the way. A lane then holds every fourth dword along k. It stores them side by
 * side, which changes the order along k, provided that the product's other operand is stored in the same order.
 *
 * What a kernel loads only to store it in local memory is copied there in the same way, without an extra barrier. */
#include "../internal.h"

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
XE_ONCE_
static bool xt_stage_fills_(const xt_stage_ *s, const xt_dist *d)
{
    int k = s->use == CM_B, across = s->use == CM_A && d->subgroups ? 16 : 1;
    return d->data[!k] % across == 0 && d->data[k] % (XT_PLANE_ * 4 / s->local_bytes) == 0 && d->count[k] == 1;
}

/* Is it a conversion of f32 to 16-bit floats? */
static bool xt_stage_converts_(xt_ctx *x, const xt_node_ *n)
{
    return n->op == XT_OP_CAST_VECTOR_ && (n->type == CM_F16 || n->type == CM_BF16) &&
           xt_vector_(x, n->operand[0])->type == CM_F32;
}

/* The tile of a node that is a load, or the transpose or conversion of one; NULL if it is not, or if elements outside
 * are not zero. */
static const xt_tile *xt_stage_from_(xt_ctx *x, int node)
{
    const xt_node_ *n = xt_node_at_(x, node);
    if (n->op == XT_OP_TRANSPOSE_ || xt_stage_converts_(x, n)) return xt_loaded_(x, n->operand[0], node);
    bool zero = n->op == XT_OP_LOAD_TILE_ && n->outside->padding == 0 && n->outside->border == XT_BORDER_PADDING;
    return zero ? xt_accessed_(x, n) : NULL;
}

/* Divides k into slices, each multiplied after the other; or copies `parts` iterations of a loop, each with all of k.
 * False if messages and operands do not divide the shape. */
static bool xt_stage_divide_(xt_ctx *x, xt_stage_ *s, int slices, int parts)
{
    xt_dist *d = &s->dist;
    int k = s->use == CM_B, elements;
    *d = xt_vector_(x, xt_node_at_(x, s->node)->result)->dist;
    d->shape[k] /= slices;
    d->data[k] /= slices;
    s->slices = slices;
    s->parts = parts;
    elements = d->shape[k] * parts;
    s->depth = elements * s->local_bytes / 4;
    s->across = s->use == CM_A && !s->to ? (d->shape[!k] + 15) / 16 * 16 : d->shape[!k];
    s->units = 0;
    if (!s->to) {
        s->gap = d->data[!k] % s->rows_per_read ? 0 : 4; /* to spread over all banks */
        s->plane = xt_stage_position_(s, s->across, 0);
        s->dwords = s->depth / XT_PLANE_ * s->plane;
        if (!xt_stage_fills_(s, d)) return false;
    }
    return s->along_k ? xt_stage_deal_(s, s->across, elements * s->bytes / 4)
                      : xt_stage_deal_(s, elements, s->across * s->bytes / 4);
}

/* The lines of the tile that a copy is stored to, in dwords. False if they cannot be stored in pieces of 16 bytes. */
static bool xt_copy_lies_(xt_ctx *x, xt_stage_ *s)
{
    const xt_plan_tile_ *p = xt_plan_tile_at_(x, s->to->number);
    int line = (p->band ? x->S : (int)s->to->pitch.integer) * s->local_bytes;
    s->line = line / 4;
    s->plane = p->band ? p->band * s->local_bytes / 4 : s->line;
    p = xt_plan_tile_at_(x, xt_tile_root_(x, s->to->number));
    return line % 16 == 0 && p->align[xt_inner_(s->to)] * s->local_bytes % 16 == 0;
}

/* Plans the loading of a vector this way; to: the tile that it is copied to, or NULL. False if it is neither a copy nor
 * an operand of a product, has another type, pads with something other than zero, is in local memory, in a matrix
 * computed in the body or in columns that are not contiguous; if subgroups load different tiles; or if messages do not
 * divide the shape. */
static bool xt_stage_init_(xt_ctx *x, int node, const xt_tile *to, xt_stage_ *s)
{
    const xt_node_ *n = xt_node_at_(x, node);
    const xt_tile *t = xt_stage_from_(x, node), *m;
    if (!t) return false;
    cm_type type = xt_storage_type_(xt_vector_(x, n->result)->type);
    memset(s, 0, sizeof *s);
    if (!cm_has_dpas(&x->target, cm_product_row(type, type))) return false;
    s->node = node;
    s->from = t;
    s->to = to;
    s->transposed = n->op == XT_OP_TRANSPOSE_;
    s->converts = xt_stage_converts_(x, n);
    s->type = type;
    s->loaded = s->transposed || s->converts ? n->operand[0] : n->result;
    s->use = to ? (to->column_major ? CM_A : CM_B) : xt_layout_(x, n->result);
    if (s->use == CM_ACC && xt_bytes_((int)type) == 2) s->use = CM_B; /* rearranged within lanes */
    const xt_plan_tile_ *p = xt_plan_tile_at_(x, xt_tile_root_(x, t->number));
    m = xt_tile_(x, xt_plan_tile_at_(x, t->number)->of->operand[XT_INIT_MATRIX_]);
    if (s->use == CM_ACC || t->base.local || t->step != 1 || n->divergence > 0 || p->differs_by_subgroup ||
        (x->subgroups > 1 && !t->dist.subgroups) || !xt_is_hoistable_(x, &m->shape[0]) ||
        !xt_is_hoistable_(x, &m->shape[1]) || !xt_is_hoistable_(x, &m->pitch))
        return false;
    int inner = xt_inner_(t);
    s->bytes = xt_bytes_(t->type);
    s->local_bytes = xt_bytes_((int)type);
    s->subgroups = x->subgroups > 1 ? x->subgroups : 1;
    s->along_k = (inner ^ s->transposed) == (s->use == CM_B);
    s->weave = s->along_k ? 1 : 4 / s->local_bytes;
    s->classes = 16 / s->bytes;
    s->from_first_class = p->align[!inner] % s->classes == 0;
    s->aligned = p->align[inner] * s->bytes % 4 == 0;
    s->rows_per_read = s->local_bytes < 4 ? 8 : 16;
    s->line = XT_PLANE_;
    return to ? xt_copy_lies_(x, s) && xt_stage_divide_(x, s, 1, 1) && xt_stage_rounds_(s) <= XT_EAGER_
              : xt_stage_divide_(x, s, 1, 1);
}

/* Keeps a plan for its values. Returns its number, or -1. */
static int xt_stage_keep_(xt_ctx *x, const xt_stage_ *s)
{
    xt_stage_ *kept = (xt_stage_ *)spe_list_add(&x->m, &x->stages, sizeof *kept);
    if (!kept) return -1;
    *kept = *s;
    xt_value_at_(x, xt_node_at_(x, s->node)->result)->stage = x->stages.count;
    if (xt_is_used_once_(x, s->loaded)) xt_value_at_(x, s->loaded)->stage = x->stages.count;
    return x->stages.count - 1;
}

/* The dwords of local memory that are left. */
static int xt_stage_room_(const xt_ctx *x)
{
    int room = x->target.local_memory - (int)((x->local_bytes + 63) / 64 * 64) - (int)x->scratch_bytes;
    return room / 4 - (int)x->stage_dwords;
}

/* Adds a load of region f if there is room; it shares the barrier of load `before` (-1: none). Returns its number, or
 * -1. It has two buffers if several subgroups can alternate between them, by slices or by a loop's index; else one, and
 * another barrier if the load repeats. Without room for it, it uses the scratch memory. */
static int xt_stage_add_(xt_ctx *x, xt_stage_ *s, const xt_frame_ *f, int before)
{
    const xt_val *by = f ? xt_number_(x, f->step) : NULL;
    int64_t step = by && by->kind == SPE_INT ? by->integer : 0;
    s->loop = f && f->op == XT_OP_FOR_ && s->slices == 1 ? f : NULL;
    s->again = f || s->slices > 1;
    s->buffers = s->subgroups > 1 && s->parts == 1 && (s->slices > 1 || (s->loop && !(step & (step - 1)))) ? 2 : 1;
    s->shared = s->dwords * s->buffers > xt_stage_room_(x);
    if (s->shared) s->buffers = 1;
    size_t *used = s->shared ? &x->shared_dwords : &x->stage_dwords;
    if (s->shared && *used + (size_t)s->dwords > x->scratch_bytes / 4) return -1;
    s->at = (int)*used;
    s->first = before < 0;
    s->last = true;
    if (before >= 0) xt_stage_at_(x, before)->last = false;
    *used += (size_t)(s->dwords * s->buffers);
    return xt_stage_keep_(x, s);
}

/* Both operands of a product may be stored in another order along k if nothing else uses them. */
static void xt_stage_mix_(xt_ctx *x)
{
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        if (n->op != XT_OP_TILE_MMA_) continue;
        uint32_t left = n->operand[XT_MMA_LEFT_], right = n->operand[XT_MMA_RIGHT_];
        int p = xt_value_at_(x, left)->stage, q = xt_value_at_(x, right)->stage;
        if (!p || !q || !xt_is_used_once_(x, left) || !xt_is_used_once_(x, right)) continue;
        xt_stage_ *a = xt_stage_at_(x, p - 1), *b = xt_stage_at_(x, q - 1);
        if ((a->along_k && b->along_k) || a->converts || b->converts || a->parts != b->parts) continue;
        a->mixed = b->mixed = a->depth == b->depth && (a->depth & (a->depth - 1)) == 0;
    }
}

/* The plan of a vector; NULL: none. */
static xt_stage_ *xt_stage_plan_(xt_ctx *x, const spe_list *plans, uint32_t id)
{
    for (int i = 0; i < plans->count; i++) {
        xt_stage_ *s = (xt_stage_ *)plans->items + i;
        if (xt_node_at_(x, s->node)->result == id) return s;
    }
    return NULL;
}

/* Lists operands that can go through local memory, and other loads in loops. The transpose of a load replaces it. */
static void xt_list_stages_(xt_ctx *x, spe_list *plans)
{
    bool arrived = false;
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        xt_stage_ s, *kept;
        if (n->op == XT_OP_BARRIER_ARRIVE_ || n->op == XT_OP_BARRIER_WAIT_) arrived = n->op == XT_OP_BARRIER_ARRIVE_;
        if (arrived || xt_value_at_(x, n->result)->stage || !xt_stage_init_(x, i, NULL, &s) ||
            (xt_layout_(x, n->result) != s.use && !n->in))
            continue;
        kept = xt_stage_plan_(x, plans, s.loaded);
        if (!kept) kept = (xt_stage_ *)spe_list_add(&x->m, plans, sizeof *kept);
        if (kept) *kept = s;
    }
}

/* If the operands of a product and its sum do not fit in the registers, slices them; each slice is copied right before
 * its part of the product. */
static void xt_slice_product_(xt_ctx *x, const spe_list *plans, int mma)
{
    const xt_node_ *n = xt_node_at_(x, mma);
    const xt_vec *left = xt_vector_(x, n->operand[XT_MMA_LEFT_]), *right = xt_vector_(x, n->operand[XT_MMA_RIGHT_]);
    xt_stage_ *a = xt_stage_plan_(x, plans, left->id), *b = xt_stage_plan_(x, plans, right->id);
    size_t all = xt_vec_bytes_(left) + xt_vec_bytes_(right);
    size_t sum = xt_vec_bytes_(xt_vector_(x, n->result));
    size_t room = (size_t)x->target.registers / (x->registers <= 128 ? 2 : 1) / 8 * 7;
    if (!a || !b || !xt_is_used_once_(x, left->id) || !xt_is_used_once_(x, right->id)) return;
    if (sum + all <= room || !xt_is_straight_(x, a->node, mma) || !xt_is_straight_(x, b->node, mma)) return;
    for (int slices = 2; left->dist.data[1] % slices == 0; slices *= 2) {
        bool divides = xt_stage_divide_(x, a, slices, 1) && xt_stage_divide_(x, b, slices, 1);
        if (divides && sum + all / (size_t)slices <= room && (a->dwords + b->dwords) * 2 <= xt_stage_room_(x)) return;
    }
    xt_stage_divide_(x, a, 1, 1);
    xt_stage_divide_(x, b, 1, 1);
}

/* Products of a few matrix instructions leave most of the time to barriers and small messages. If the operands of a
 * loop's iterations lie side by side in memory, a work-group copies those of several iterations together. */
static void xt_unroll_copies_(xt_ctx *x, const spe_list *plans, xt_frame_ *f)
{
    xt_stage_ *s = (xt_stage_ *)plans->items;
    int iterations = x->subgroups > 1 ? xt_copies_(x, f, 48) : 1, dwords = 0;
    bool joins = iterations > 1;
    for (int i = 0; joins && i < plans->count; i++) {
        if (!xt_is_within_(f, s[i].node)) continue;
        int k = s[i].use == CM_B;
        joins = s[i].slices == 1 && xt_advances_(x, s[i].from, f, k ^ s[i].transposed, s[i].dist.shape[k]);
        dwords += s[i].dwords;
    }
    while (iterations > 2 && iterations * dwords > 4096) iterations /= 2;
    if (!joins || !dwords || iterations * dwords > xt_stage_room_(x)) return;
    for (int i = 0; joins && i < plans->count; i++)
        joins = !xt_is_within_(f, s[i].node) || xt_stage_divide_(x, &s[i], 1, iterations);
    for (int i = 0; !joins && i < plans->count; i++)
        if (xt_is_within_(f, s[i].node)) xt_stage_divide_(x, &s[i], 1, 1);
    if (joins) f->per_copy = iterations;
}

/* ---- copies: vectors that are loaded only to be stored in local memory ------------------------------------------- */

/* Does a barrier follow a node on every way to a later one? */
static bool xt_has_barrier_(xt_ctx *x, int from, int to)
{
    int depth = 0, met = -1; /* regions that were opened on the way; those around the barrier */
    for (int i = from + 1; i < to; i++) {
        xt_op_ op = xt_node_at_(x, i)->op;
        if (op == XT_OP_FOR_ || op == XT_OP_WHILE_ || op == XT_OP_IF_) depth++;
        if (op == XT_OP_BARRIER_ && (met < 0 || met > depth)) met = depth;
        if (op == XT_OP_ELSE_ && depth && met >= depth) met = -1;
        if (op == XT_OP_ELSE_ && !depth) depth = 1; /* the node is in the other branch */
        if (op == XT_OP_END_ && depth) depth--;
        if (met > depth) met = -1; /* the way may lead past it */
    }
    return met >= 0;
}

/* The same in both directions: in the order of the nodes, and round each loop that contains both. */
static bool xt_are_separate_(xt_ctx *x, int first, int second)
{
    if (first < second && !xt_has_barrier_(x, first, second)) return false;
    for (int loop = 0; loop < first; loop++) {
        const xt_node_ *n = xt_node_at_(x, loop);
        if (n->op != XT_OP_FOR_ && n->op != XT_OP_WHILE_) continue;
        if (n->in->end > second && !xt_has_barrier_(x, second, n->in->end) && !xt_has_barrier_(x, loop, first))
            return false;
    }
    return true;
}

/* Is a tile one of an array in local memory? */
static bool xt_is_of_array_(xt_ctx *x, int number, uint32_t array)
{
    const xt_val *base = xt_number_(x, xt_plan_tile_at_(x, number)->of->operand[XT_INIT_BASE_]);
    return base->kind == SPE_POINTER && base->id == array;
}

/* Does a node store a vector that has no other use, as it was loaded? */
static bool xt_is_copy_(xt_ctx *x, const xt_node_ *n)
{
    if (n->op != XT_OP_STORE_TILE_) return false;
    uint32_t vec = n->operand[XT_ACCESS_VEC_];
    return xt_is_used_once_(x, vec) && xt_stage_from_(x, xt_value_at_(x, vec)->node);
}

/* Does each element of a tile belong to one subgroup only? */
static bool xt_is_owned_(const xt_ctx *x, const xt_dist *d)
{
    int elements = xt_dist_pieces(d) * d->data[0] * d->data[1];
    return elements * (x->subgroups ? x->subgroups : 1) == d->shape[0] * d->shape[1];
}

/* Are two tiles known to be disjoint: one tile, moved by at least its size? */
static bool xt_are_disjoint_(xt_ctx *x, const xt_tile *a, const xt_tile *b)
{
    const xt_node_ *m = xt_node_at_(x, xt_value_at_(x, a->id)->node), *n = xt_node_at_(x, xt_value_at_(x, b->id)->node);
    int64_t by;
    if (m->op != XT_OP_UPDATE_TILE_OFFSET_ || n->op != m->op || m->operand[0] != n->operand[0]) return false;
    for (int i = 0; i < 2; i++)
        if (xt_moves_by_(x, xt_number_(x, m->operand[1 + i]), xt_number_(x, n->operand[1 + i]), &by) &&
            (by < 0 ? -by : by) >= a->dist.shape[i])
            return true;
    return false;
}

/* Subgroups copy elements that others own, so a barrier must separate a copy from other accesses to its array. It does,
 * or the program has a race, if each element of the copy has one owner and each of the other access several. */
static bool xt_is_in_order_(xt_ctx *x, int copy, const xt_tile *to)
{
    uint32_t array = to->base.id;
    if (xt_node_at_(x, xt_value_at_(x, array)->node)->op != XT_OP_LOCAL_) return false;
    for (const xt_use_ *u = xt_last_use_(x, array); u; u = xt_use_before_(x, u)) {
        const xt_node_ *n = xt_node_at_(x, u->node);
        if (!xt_made_by_(x, n) && n->op != XT_OP_MATRIX_) return false;
    }
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        const xt_tile *t = n->op == XT_OP_ATOMIC_RMW_ ? xt_tile_(x, n->operand[XT_ACCESS_TILE_]) : xt_accessed_(x, n);
        if (!t || t->scatter || !xt_is_of_array_(x, t->number, array)) continue;
        bool both = xt_is_copy_(x, n);
        if (!both && xt_is_owned_(x, &to->dist) && !xt_is_owned_(x, &t->dist)) continue;
        if (xt_are_separate_(x, xt_least_(i, copy), i > copy ? i : copy)) continue;
        /* in one iteration of a loop at least */
        if (!both || !xt_are_disjoint_(x, t, to) || !xt_are_separate_(x, i, i) || !xt_are_separate_(x, copy, copy))
            return false;
    }
    return true;
}

/* Copies are stored to their places by the subgroups that have loaded them for staging, without a barrier. */
static void xt_find_copies_(xt_ctx *x)
{
    for (int i = 0; i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        if (!xt_is_copy_(x, n)) continue;
        const xt_tile *to = xt_accessed_(x, n);
        const xt_value_ *v = xt_value_at_(x, n->operand[XT_ACCESS_VEC_]);
        xt_stage_ s;
        if (!to->base.local || !to->inside || to->step != 1 || to->pitch.kind != SPE_INT || n->divergence ||
            xt_plan_tile_at_(x, to->number)->of->type > 2 ||
            xt_plan_tile_at_(x, xt_tile_root_(x, to->number))->differs_by_subgroup || !xt_is_in_order_(x, i, to) ||
            !xt_stage_init_(x, v->node, to, &s))
            continue;
        xt_stage_keep_(x, &s);
    }
}

/* Is it only about numbers, or loads or prefetches a tile? */
XE_ONCE_
static bool xt_is_quiet_(xt_op_ op)
{
    return op == XT_OP_LOAD_TILE_ || op == XT_OP_PREFETCH_TILE_ ||
           (xt_does_(op, XT_DIVERGES_) && !xt_does_(op, XT_CHANGES_ | XT_BOUNDS_));
}

/* Chooses the operands that go through local memory, and other loads in loops. Consecutive ones share a barrier. A
 * subgroup alone that has only a matrix instruction or two for what it copies gains nothing. */
XE_FN_ void xt_find_stages_(xt_ctx *x)
{
    int last = -1, now; /* last: the latest load, if only numbers and tiles have followed */
    spe_list plans = XT_ZERO_;
    if (!x->target.stages_rows || x->cm.lowering != CM_INTEL || x->S != 16) return;
    if (x->subgroups <= 1 && x->product_bytes < 2048) return;
    if (x->local_bytes) xt_find_copies_(x);
    xt_list_stages_(x, &plans);
    for (int i = 0; plans.count && i < x->nodes.count; i++)
        if (xt_node_at_(x, i)->op == XT_OP_TILE_MMA_) xt_slice_product_(x, &plans, i);
    for (int i = 0; plans.count && i < x->nodes.count; i++) {
        const xt_node_ *n = xt_node_at_(x, i);
        xt_stage_ *s = xt_stage_from_(x, i) ? xt_stage_plan_(x, &plans, n->result) : NULL;
        if (n->op == XT_OP_FOR_) xt_unroll_copies_(x, &plans, n->frame);
        now = s && s->slices == 1 ? xt_stage_add_(x, s, n->in, last) : -1;
        if (now >= 0 && n->in && n->in->in && s->buffers > 1) n->in->has_barrier = true;
        if (now >= 0 || !xt_is_quiet_(n->op)) last = now;
        s = n->op == XT_OP_TILE_MMA_ ? xt_stage_plan_(x, &plans, n->operand[XT_MMA_LEFT_]) : NULL;
        if (!s || s->slices == 1) continue;
        now = xt_stage_add_(x, s, n->in, -1);
        xt_stage_add_(x, xt_stage_plan_(x, &plans, n->operand[XT_MMA_RIGHT_]), n->in, now);
    }
    xt_stage_mix_(x);
}
