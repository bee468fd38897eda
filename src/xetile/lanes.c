/* lanes.c - elements from lane to lane. */
#include "internal.h"

/* The type in which sums of a type are made: floats below 32 bits are summed in f32. */
int xt_wide_type_(int type)
{
    return type == CM_F16 || type == CM_BF16 ? CM_F32 : (int)xt_held_((cm_type)type);
}

bool xt_field_init_(xt_ctx *x, xt_field_ *f, int rows, int cols, int comps, int type)
{
    f->rows = rows;
    f->cols = cols;
    f->comps = 0;
    f->capacity = comps;
    f->type = type;
    f->comp = (spe_id *)xt_memory_(x, (size_t)comps * sizeof *f->comp);
    f->where = (int *)xt_memory_(x, (size_t)rows * (size_t)cols * sizeof *f->where);
    return f->comp && f->where;
}

/* Where a block lies in that array. */
void xt_local_place_(const xt_grid_ *g, const xt_dist *d, int number, int *row, int *col)
{
    int j = number % g->cut[1].n, i = number / g->cut[1].n % g->cut[0].n;
    int piece = number / (g->cut[1].n * g->cut[0].n);
    *row = piece / g->rounds[1] * d->data[0] + g->cut[0].at[i];
    *col = piece % g->rounds[1] * d->data[1] + g->cut[1].at[j];
}

cm_slot xt_slot_at_(const cm_layout *l, int lane, int v)
{
    cm_slot s;
    s.lane = lane;
    s.component = v / l->omega;
    s.channel = v % l->omega;
    return s;
}

/* Adds one block: its components, and where each element is. Rows of the block are columns of the matrix. */
static void xt_field_add_(xt_ctx *x, xt_field_ *f, const cm_matrix *a, int row, int col)
{
    spe_id *v = cm_component_ids(&x->cm, a, (cm_type)f->type);
    int i, p;
    for (i = 0; v && i < a->l.V && f->comps < f->capacity; i++, f->comps++) {
        f->comp[f->comps] = v[i];
        for (p = 0; p < a->l.S; p++) {
            cm_element e = cm_element_of(&a->l, xt_slot_at_(&a->l, p, i));
            if (!e.padding) f->where[(row + e.col) * f->cols + col + e.row] = f->comps * 64 + p;
        }
    }
}

/* All that this subgroup holds of v. */
bool xt_field_of_(xt_ctx *x, xt_field_ *f, const xt_vec *v, int type)
{
    xt_vec a = xt_as_use_(x, v, CM_ACC);
    xt_grid_ g;
    int i, row, col, comps = 0;
    xt_grid_init_(&g, &a.dist);
    if (a.blocks != g.blocks) return false; /* after an error */
    for (i = 0; i < a.blocks; i++) comps += a.block[i].l.V;
    if (!xt_field_init_(x, f, a.dist.rounds[0] * a.dist.data[0], a.dist.rounds[1] * a.dist.data[1], comps, type))
        return false;
    for (i = 0; i < a.blocks; i++) {
        xt_local_place_(&g, &a.dist, i, &row, &col);
        xt_field_add_(x, f, &a.block[i], row, col);
    }
    return spe_ok(&x->m);
}

/* ---- constants that differ from lane to lane --------------------------------------------------------------------- */

/* Bit p of `mask` in lane p, as a condition; computed once, before the body. */
spe_id xt_lane_bit_(xt_ctx *x, uint32_t mask)
{
    spe_module *m = &x->m;
    spe_id lane, bit;
    int i;
    for (i = 0; i < x->lane_bits.count; i++) {
        const xt_lane_bit_row_ *row = (const xt_lane_bit_row_ *)x->lane_bits.items + i;
        if (row->mask == mask) return row->id;
    }
    spe_prologue_begin(m);
    lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0);
    bit = spe_and(m, spe_shr(m, spe_u32(m, mask), lane), spe_u32(m, 1));
    bit = spe_ine(m, bit, spe_u32(m, 0));
    spe_prologue_end(m);
    {
        xt_lane_bit_row_ *row = (xt_lane_bit_row_ *)xt_push_(x, &x->lane_bits, sizeof *row);
        if (row) {
            row->mask = mask;
            row->id = bit;
        }
    }
    return bit;
}

/* table[p] in lane p: each bit of the numbers is one mask over the lanes. Returns the number of the table. */
static int xt_lane_table_(xt_ctx *x, const unsigned char *table)
{
    spe_module *m = &x->m;
    xt_lane_table_row_ *row;
    spe_id lane, sum = 0;
    int i, p, bit;
    for (i = 0; i < x->lane_tables.count; i++)
        if (memcmp(((const xt_lane_table_row_ *)x->lane_tables.items)[i].table, table, (size_t)x->S) == 0) return i;
    row = (xt_lane_table_row_ *)xt_push_(x, &x->lane_tables, sizeof *row);
    if (!row) return 0;
    memcpy(row->table, table, (size_t)x->S);
    spe_prologue_begin(m);
    lane = spe_builtin(m, SPE_SUBGROUP_LANE, 0);
    for (bit = 0; 1 << bit < x->S; bit++) {
        uint32_t mask = 0;
        spe_id one;
        for (p = 0; p < x->S; p++) mask |= (uint32_t)(table[p] >> bit & 1) << p;
        if (mask == 0) continue;
        one = spe_and(m, spe_shr(m, spe_u32(m, mask), lane), spe_u32(m, 1));
        one = bit ? spe_shl(m, one, spe_u32(m, (uint32_t)bit)) : one;
        sum = sum ? spe_or(m, sum, one) : one;
    }
    spe_prologue_end(m);
    row->id = sum ? sum : spe_u32(m, 0);
    return x->lane_tables.count - 1;
}

/* ---- picking ----------------------------------------------------------------------------------------------------- */
typedef struct {
    int table, next;
    spe_id id;
} xt_move_;

bool xt_moves_init_(xt_ctx *x, xt_moves_ *m, const xt_field_ *f)
{
    memset(m, 0, sizeof *m);
    m->head = (int *)xt_memory_(x, (size_t)(f->comps + 1) * sizeof *m->head);
    return m->head && xt_push_(x, &m->moves, sizeof(xt_move_)); /* move 0 is none */
}

/* Component `comp`, in lane p that of lane table[p]. */
static spe_id xt_moved_(xt_ctx *x, const xt_field_ *f, xt_moves_ *m, int comp, const unsigned char *table)
{
    int number = xt_lane_table_(x, table), i, p;
    bool same = true;
    xt_move_ *move;
    spe_id id;
    for (i = m->head[comp]; i; i = ((xt_move_ *)m->moves.items)[i].next)
        if (((xt_move_ *)m->moves.items)[i].table == number) return ((xt_move_ *)m->moves.items)[i].id;
    for (p = 1; p < x->S; p++) same = same && table[p] == table[0];
    if (!spe_ok(&x->m)) return 0;
    if (same)
        id = spe_sg_broadcast(&x->m, f->comp[comp], spe_u32(&x->m, table[0]));
    else
        id = spe_sg_shuffle(&x->m, f->comp[comp], ((xt_lane_table_row_ *)x->lane_tables.items)[number].id);
    move = (xt_move_ *)xt_push_(x, &m->moves, sizeof *move);
    if (!move) return id;
    move->table = number;
    move->id = id;
    move->next = m->head[comp];
    m->head[comp] = m->moves.count - 1;
    return id;
}

/* One value: lane p gets the element at from[p] (as in xt_field_.where; -1: whatever is easiest). */
spe_id xt_pick_(xt_ctx *x, const xt_field_ *f, xt_moves_ *m, const int *from)
{
    unsigned char table[32];
    uint32_t done = 0, mask;
    spe_id got = 0, one;
    int p, q;
    for (p = 0; p < x->S; p++) {
        bool in_place = true;
        int lane = from[p] & 63;
        if (from[p] < 0 || (done >> p & 1)) continue;
        for (mask = 0, q = p; q < x->S; q++) {
            if (from[q] < 0 || from[q] / 64 != from[p] / 64) continue;
            mask |= 1u << q;
            in_place = in_place && (from[q] & 63) == q;
        }
        for (q = 0; q < x->S; q++) table[q] = (unsigned char)(mask >> q & 1 ? from[q] & 63 : lane);
        one = in_place ? f->comp[from[p] / 64] : xt_moved_(x, f, m, from[p] / 64, table);
        got = got ? spe_select(&x->m, xt_lane_bit_(x, mask), one, got) : one;
        done |= mask;
    }
    return got ? got : f->comp[0];
}

static int xt_origin_at_(const xt_field_ *f, const xt_origin_ *o, int row, int col)
{
    return o->transposed ? f->where[o->cols[col] * f->cols + o->rows[row]]
                         : f->where[o->rows[row] * f->cols + o->cols[col]];
}

/* One block of the result, from the components of a field; the conversion back to the vector's type included. */
static cm_matrix xt_pick_block_(xt_ctx *x, const xt_field_ *f, xt_moves_ *m, const xt_origin_ *o, int row,
                                       int col, const xt_block_ *b, cm_type type)
{
    cm_layout l = cm_layout_for(&x->cm, b->cols, b->rows, (cm_type)f->type, CM_ACC);
    spe_id *v = (spe_id *)xt_memory_(x, (size_t)(l.V ? l.V : 1) * sizeof *v);
    cm_matrix a;
    int i, p, from[32];
    if (!l.rows || !v) return cm_poison();
    for (i = 0; i < l.V; i++) {
        for (p = 0; p < l.S; p++) {
            cm_element e = cm_element_of(&l, xt_slot_at_(&l, p, i));
            from[p] = e.padding ? -1 : xt_origin_at_(f, o, row + e.col, col + e.row);
        }
        v[i] = xt_pick_(x, f, m, from);
    }
    a = cm_from_components(&x->cm, &l, v);
    return cm_convert(&x->cm, &a, type);
}

/* All blocks of r from a field. */
xt_vec xt_pick_all_(xt_ctx *x, const xt_field_ *f, const xt_origin_ *o, xt_vec r)
{
    xt_moves_ moves;
    xt_grid_ g;
    int i, row, col;
    if (!xt_moves_init_(x, &moves, f)) return r;
    xt_grid_init_(&g, &r.dist);
    for (i = 0; i < g.blocks; i++) {
        xt_block_ b = xt_block_at_(&g, i);
        xt_local_place_(&g, &r.dist, i, &row, &col);
        r.block[i] = xt_pick_block_(x, f, &moves, o, row, col, &b, xt_held_(r.type));
    }
    return xt_settle_(x, r);
}

/* ---- does each subgroup hold what it needs? ---------------------------------------------------------------------- */

/* Where index `at` of a dimension is among what subgroup coordinate `s` holds of it; -1: it does not hold it. */
static int xt_local_index_(const xt_dist *d, int dim, int s, int at)
{
    int r, piece = at / d->data[dim];
    for (r = 0; r < d->rounds[dim]; r++)
        if ((s + r * d->layout[dim]) % d->count[dim] == piece) return r * d->data[dim] + at % d->data[dim];
    return -1;
}

static int xt_subgroup_coordinate_(const xt_dist *d, int dim, int subgroup)
{
    return dim ? subgroup % d->layout[1] : subgroup / d->layout[1] % d->layout[0];
}

/* For dimension `to_dim` of `to`, element i comes from element i / divisor * factor + shift of dimension `from_dim` of
 * `from`. Fills origin[] for what a subgroup holds; false when some subgroup does not hold it, or not all in the same
 * place. */
static bool xt_local_origin_(const xt_dist *to, int to_dim, const xt_dist *from, int from_dim, int divisor,
                                    int factor, int shift, int *origin)
{
    int n = to->subgroups > from->subgroups ? to->subgroups : from->subgroups, s, r, i, count = 0;
    for (s = 0; s < (n ? n : 1); s++) {
        int a = xt_subgroup_coordinate_(to, to_dim, s), b = xt_subgroup_coordinate_(from, from_dim, s);
        for (r = 0, count = 0; r < to->rounds[to_dim]; r++)
            for (i = 0; i < to->data[to_dim]; i++, count++) {
                int at = (a + r * to->layout[to_dim]) % to->count[to_dim] * to->data[to_dim] + i;
                int have = xt_local_index_(from, from_dim, b, at / divisor * factor + shift);
                if (have < 0 || (s > 0 && have != origin[count])) return false;
                origin[count] = have;
            }
    }
    return true;
}

/* Both dimensions; arrays in the arena. */
bool xt_origins_(xt_ctx *x, xt_origin_ *o, const xt_dist *to, const xt_dist *from, bool transposed,
                 const int divisor[2], const int factor[2], const int shift[2])
{
    int *table[2], i;
    for (i = 0; i < 2; i++) {
        table[i] = (int *)xt_memory_(x, (size_t)(to->rounds[i] * to->data[i]) * sizeof *table[i]);
        if (!table[i] ||
            !xt_local_origin_(to, i, from, transposed ? 1 - i : i, divisor[i], factor[i], shift[i], table[i]))
            return false;
    }
    o->rows = table[0];
    o->cols = table[1];
    o->transposed = transposed;
    return true;
}
