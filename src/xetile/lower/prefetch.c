/* lower/prefetch.c - writes prefetch_tile. */
#include "../internal.h"

/* Two tiles in pieces of one shape: `across` elements of a line of memory, `down` lines. */
typedef struct {
    xt_tile tile[2];
    int across, down, pieces[2];
} xt_share_;

static const int xt_prefetch_levels_[] = {3, 2, 2, 0}; /* cm_prefetch's level by locality */

/* The messages that a subgroup needs for its pieces of `in` x `out` elements along and across lines of memory. */
static int xt_fetches_(const xt_dist *d, int in, int line)
{
    return xt_dist_pieces(d) * ((d->data[in] + line - 1) / line) * ((d->data[1 - in] + 31) / 32);
}

/* Which subgroup fetches which part of a tile does not matter: takes the pieces that need the fewest messages. */
static void xt_fewest_fetches_(xt_ctx *x, xt_tile *t)
{
    const int in = xt_inner_(t), out = 1 - in, line = 64 / xt_bytes_(t->type), *shape = t->dist.shape;
    xt_map map;
    xt_dist dist;
    map.sg_data[in] = xt_least_(shape[in], line);
    map.sg_layout[in] = xt_least_(shape[in] / map.sg_data[in], t->dist.subgroups);
    map.sg_layout[out] = t->dist.subgroups / map.sg_layout[in];
    map.sg_data[out] = xt_least_(shape[out], 32);
    while (map.sg_data[out] > 1 && shape[out] * 2 <= map.sg_data[out] * map.sg_layout[out]) map.sg_data[out] /= 2;
    if (xt_dist_init(&dist, shape[0], shape[1], &map) || dist.subgroups != t->dist.subgroups ||
        xt_fetches_(&dist, in, line) >= xt_fetches_(&t->dist, in, line))
        return;
    for (int i = 0; i < 2; i++) {
        spe_id from = xt_piece_offset_id_(x, &t->dist, i),
               move = spe_isub(&x->m, xt_piece_offset_id_(x, &dist, i), from);
        t->offset[i] = xt_scalar_(CM_I32, spe_iadd(&x->m, xt_index_id_(x, &t->offset[i]), move), 1);
    }
    t->dist = dist;
    xt_remark_(x, "other pieces than the map's: fewer messages per subgroup");
}

static void xt_prefetch_alone_(xt_ctx *x, const xt_node_ *n)
{
    xt_tile t = xt_now_tile_(x, xt_accessed_(x, n));
    if (t.dist.subgroups > 1 && xt_by_block2d_(x, &t)) xt_fewest_fetches_(x, &t);
    for (xt_block_ b = xt_blocks_(x, &t.dist); t.step == 1 && xt_next_block_(&b);) {
        cm_mem mem = xt_mem_(x, &t, &b, XT_FETCHED_);
        mem.ptr = t.base.id; /* for messages that share no payload, on any side of an XT_IF */
        cm_prefetch(&x->cm, b.cols, b.rows, xt_storage_type_(t.type), &mem, xt_prefetch_levels_[*n->locality]);
    }
}

/* Can its address be computed before the body? The tile must come from XT_INIT_TILE, advanced only by loops. */
static bool xt_may_share_(xt_ctx *x, const xt_tile *t)
{
    const xt_plan_tile_ *p = xt_plan_tile_at_(x, t->number);
    spe_id ids[XT_COMPONENTS_];
    const xt_tile *matrix = xt_tile_(x, p->of->operand[XT_INIT_MATRIX_]);
    const xt_val *needed[] = {xt_number_(x, p->of->operand[XT_INIT_BASE_]), &matrix->shape[0], &matrix->shape[1],
                             &matrix->pitch, xt_given_(x, p->of, XT_GIVEN_OFFSET_, 0),
                             xt_given_(x, p->of, XT_GIVEN_OFFSET_, 1)};
    if (t->dist.subgroups < 2 || p->of->type != 2 || !xt_by_block2d_(x, t)) return false;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!xt_is_hoistable_(x, needed[i])) return false;
    xt_tile_ids_(x, t, ids);
    return memcmp(ids, p->made, sizeof ids) == 0;
}

/* The number of pieces of a tile; 0 if they do not divide it. */
static int xt_share_pieces_(const xt_share_ *s, int which)
{
    const xt_tile *t = &s->tile[which];
    int across = t->dist.shape[xt_inner_(t)], down = t->dist.shape[1 - xt_inner_(t)];
    return across % s->across || down % s->down ? 0 : across / s->across * (down / s->down);
}

/* Finds the smallest height of pieces so that there are enough subgroups; false if there is none, or too few pieces. */
static bool xt_share_init_(xt_share_ *s, const xt_tile *a, const xt_tile *b)
{
    int bytes = xt_bytes_(a->type), n = a->dist.subgroups;
    /* the larger one gets at least half of the subgroups */
    bool swap = a->dist.shape[0] * a->dist.shape[1] < b->dist.shape[0] * b->dist.shape[1];
    s->tile[swap] = *a;
    s->tile[!swap] = *b;
    s->across = xt_least_(a->dist.shape[xt_inner_(a)], xt_least_(b->dist.shape[xt_inner_(b)], 64 / bytes));
    if (a->type != b->type || s->across * bytes < 32 || (s->across & (s->across - 1))) return false;
    for (s->down = 1; s->down <= 32; s->down *= 2) {
        s->pieces[0] = xt_share_pieces_(s, 0);
        s->pieces[1] = xt_share_pieces_(s, 1);
        if (!s->pieces[0] || !s->pieces[1]) return false;
        if (s->pieces[0] + s->pieces[1] <= n) return 2 * (s->pieces[0] + s->pieces[1]) > n;
    }
    return false;
}

/* In the prologue: the position of piece `number` of a tile before any loop, across (0) or down (1). */
static spe_id xt_share_start_(xt_ctx *x, const xt_share_ *s, int which, spe_id number, int down)
{
    spe_module *m = &x->m;
    const xt_tile *t = &s->tile[which];
    int dim = down ? 1 - xt_inner_(t) : xt_inner_(t), size = down ? s->down : s->across;
    spe_id row = spe_u32(m, (uint32_t)(t->dist.shape[xt_inner_(t)] / s->across));
    spe_id place = down ? spe_udiv(m, number, row) : spe_umod(m, number, row);
    const xt_val *at = xt_given_(x, xt_plan_tile_at_(x, t->number)->of, XT_GIVEN_OFFSET_, dim);
    spe_id origin = xt_emit_hoisted_(x, at, CM_I32);
    return spe_iadd(m, origin, spe_imul(m, place, spe_i32(m, size)));
}

/* Values computed before the body: the surface of this subgroup's tile and the start of its piece. of[0]: 1 for the
 * first tile, else 0, of 16 bits so that Intel's compiler multiplies and adds at once; of[1]: all bits set for the
 * second tile, else 0. Both come from a division, as compilers would move a condition's comparison into the loop. */
typedef struct {
    spe_block2d surface;
    spe_id of[2];
} xt_shared_;

/* The number of this subgroup's piece in its tile, in the prologue; *first: is it the first tile? */
static spe_id xt_share_number_(xt_ctx *x, const xt_share_ *s, xt_shared_ *r, spe_id *first)
{
    spe_module *m = &x->m;
    int all = s->pieces[0] + s->pieces[1];
    spe_id subgroup = spe_builtin(m, SPE_SUBGROUP_ID, 0), beyond;
    if (all < s->tile[0].dist.subgroups) subgroup = spe_umod(m, subgroup, spe_u32(m, (uint32_t)all));
    beyond = spe_isub(m, subgroup, spe_i32(m, s->pieces[0]));
    spe_id second = spe_udiv(m, subgroup, spe_u32(m, (uint32_t)s->pieces[0])), u16 = spe_int(m, 16);
    r->of[0] = spe_uconvert(m, u16, second);
    r->of[0] = spe_isub(m, spe_const_u(m, u16, 1), r->of[0]);
    r->of[0] = spe_uconvert(m, spe_int(m, 32), r->of[0]);
    r->of[1] = spe_isub(m, spe_i32(m, 0), second);
    *first = spe_slt(m, beyond, spe_i32(m, 0));
    return spe_select(m, *first, subgroup, beyond);
}

static xt_shared_ xt_share_surface_(xt_ctx *x, const xt_share_ *s)
{
    spe_module *m = &x->m;
    spe_id bytes = spe_i32(m, xt_bytes_(s->tile[0].type)), number, first, id[2][6];
    xt_shared_ r = XT_ZERO_;
    spe_prologue_begin(m);
    number = xt_share_number_(x, s, &r, &first);
    for (int i = 0; i < 2; i++) {
        const xt_plan_tile_ *p = xt_plan_tile_at_(x, s->tile[i].number);
        const xt_tile *t = xt_tile_(x, p->of->operand[XT_INIT_MATRIX_]);
        id[i][0] = xt_emit_base_(x, p);
        id[i][1] = spe_imul(m, xt_emit_hoisted_(x, &t->shape[xt_inner_(t)], CM_I32), bytes);
        id[i][2] = xt_emit_hoisted_(x, &t->shape[1 - xt_inner_(t)], CM_I32);
        id[i][3] = spe_imul(m, xt_emit_hoisted_(x, &t->pitch, CM_I32), bytes);
        id[i][4] = xt_share_start_(x, s, i, number, 0);
        id[i][5] = xt_share_start_(x, s, i, number, 1);
    }
    for (int i = 0; i < 6; i++) id[0][i] = spe_select(m, first, id[0][i], id[1][i]);
    spe_prologue_end(m);
    r.surface.elem_bytes = (uint32_t)xt_bytes_(s->tile[0].type);
    r.surface.ptr = id[0][0];
    r.surface.mem_width = id[0][1];
    r.surface.mem_height = id[0][2];
    r.surface.pitch = id[0][3];
    r.surface.pos_x = id[0][4];
    r.surface.pos_y = id[0][5];
    return r;
}

/* A coordinate plus what enclosing loops have added to it in this subgroup's tile. */
static spe_id xt_share_advance_(xt_ctx *x, const xt_share_ *s, const xt_shared_ *r, int down, spe_id at)
{
    for (int i = 0; i < 2; i++) {
        const xt_tile *t = &s->tile[i];
        const xt_val *offset = &t->offset[down ? 1 - xt_inner_(t) : xt_inner_(t)];
        spe_id by = offset->kind == SPE_SCALAR ? xt_value_at_(x, offset->id)->advance : 0;
        if (by) at = spe_iadd(&x->m, at, i ? spe_and(&x->m, by, r->of[1]) : spe_imul(&x->m, by, r->of[0]));
    }
    return at;
}

static void xt_prefetch_both_(xt_ctx *x, const xt_share_ *s, int locality)
{
    xt_shared_ r = xt_share_surface_(x, s);
    int level = xt_prefetch_levels_[locality];
    if (!spe_ok(&x->m)) return;
    r.surface.pos_x = xt_share_advance_(x, s, &r, 0, r.surface.pos_x);
    r.surface.pos_y = xt_share_advance_(x, s, &r, 1, r.surface.pos_y);
    if (level) r.surface.ptr = cm_cached_pointer(&x->cm, r.surface.ptr, level);
    cm_prefetch_block(&x->cm, xt_storage_type_(s->tile[0].type), s->across, s->down, &r.surface);
}

XE_FN_ void xt_write_prefetch_tile_(xt_ctx *x, const xt_node_ *n)
{
    const xt_tile *t = xt_accessed_(x, n), *next;
    xt_share_ s;
    if (t->base.local) return;
    if (x->block2d && x->at + 1 < x->nodes.count && n[1].op == XT_OP_PREFETCH_TILE_ && xt_may_share_(x, t)) {
        next = xt_accessed_(x, &n[1]);
        if (!next->base.local && *n[1].locality == *n->locality && xt_may_share_(x, next) &&
            xt_share_init_(&s, t, next)) {
            xt_remark_(x, "with the next one: each by some of the subgroups, with one message per subgroup");
            xt_prefetch_both_(x, &s, *n->locality);
            x->at++;
            return;
        }
    }
    xt_prefetch_alone_(x, n);
}
