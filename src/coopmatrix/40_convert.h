
/* ---- conversion of matrices -------------------------------------------------------------------------------------- */

/* Where component v of each lane of layout `to` comes from in layout `from`: the distinct components, and whether no
 * lane needs another's. At most one row or column of sources a lane, so S is enough room. */
typedef struct {
    int source[64], count;
    bool in_lane;
} cm_sources_;

static inline void cm_find_sources_(const cm_layout *from, const cm_layout *to, int v, cm_sources_ *out)
{
    int p, i;
    out->count = 0;
    out->in_lane = true;
    for (p = 0; p < to->S; p++) {
        cm_slot want = {0, 0, 0}, have;
        cm_element e;
        want.lane = p;
        want.component = v / to->omega;
        want.channel = v % to->omega;
        e = cm_element_of(to, want);
        if (e.padding) continue;
        have = cm_slot_of(from, e.row, e.col);
        if (have.lane != p) out->in_lane = false;
        for (i = 0; i < out->count && out->source[i] != have.component * from->omega + have.channel; i++) continue;
        if (i == out->count && i < 64) out->source[out->count++] = have.component * from->omega + have.channel;
    }
}

/* cm_slot_of in the kernel: lane and component number (channels counted) of an element in layout l. */
static inline void cm_find_slot_(cm_ctx *c, const cm_layout *l, spe_id row, spe_id col, spe_id *lane, spe_id *v)
{
    spe_module *m = c->m;
    spe_id inner = cm_mod_(c, row, l->I * l->K1), k2 = cm_shr_(c, row, l->I * l->K1);
    spe_id i = l->interleaved ? cm_shr_(c, inner, l->K1) : cm_mod_(c, inner, l->I);
    spe_id k1 = l->interleaved ? cm_mod_(c, inner, l->K1) : cm_shr_(c, inner, l->I);
    spe_id j = spe_iadd(m, cm_shr_(c, col, l->omega), cm_times_(c, k2, l->J / l->omega));
    spe_id number = spe_iadd(m, i, cm_times_(c, spe_iadd(m, k1, cm_times_(c, j, l->K1)), l->I));
    *lane = cm_mod_(c, number, l->S);
    *v = spe_iadd(m, cm_times_(c, cm_shr_(c, number, l->S), l->omega), cm_mod_(c, col, l->omega));
}

/* Component v of layout `to`, for which lanes need others' components: a shuffle for each source, then a choice. */
static inline spe_id cm_fetch_(cm_ctx *c, const cm_layout *from, const cm_layout *to, int v, const cm_sources_ *s,
                               const spe_id *components)
{
    spe_id lane, number, got = 0;
    int i;
    cm_find_slot_(c, from, cm_row_index(c, to, v), cm_col_index(c, to, v), &lane, &number);
    for (i = 0; i < s->count; i++) {
        spe_id one = spe_sg_shuffle(c->m, components[s->source[i]], lane);
        got = i == 0 ? one : spe_select(c->m, spe_ieq(c->m, number, cm_i32_(c, s->source[i])), one, got);
    }
    return got;
}

/* The elements of `a`, converted to the type of layout `to`, where that layout wants them. */
static inline cm_matrix cm_relayout_(cm_ctx *c, const cm_matrix *a, const cm_layout *to)
{
    spe_id *from = cm_components_(c, a, to->type), *v = (spe_id *)spe_alloc(c->m, (size_t)to->V * sizeof(spe_id));
    spe_id zero = spe_null(c->m, cm_storage_type(c, to->type));
    int i;
    if (!from || !v) return cm_poison_();
    for (i = 0; i < to->V; i++) {
        cm_sources_ s;
        cm_find_sources_(&a->l, to, i, &s);
        if (s.count == 0)
            v[i] = zero;
        else if (s.count == 1 && s.in_lane)
            v[i] = from[s.source[0]];
        else
            v[i] = cm_fetch_(c, &a->l, to, i, &s, from);
    }
    return cm_from_components(c, to, v);
}

/* Component v of one layout is component v of the other. */
static inline bool cm_aligned_(const cm_layout *a, const cm_layout *b)
{
    return a->V == b->V && a->omega == b->omega && a->K1 == b->K1 && a->interleaved == b->interleaved;
}

static inline cm_matrix cm_change_(cm_ctx *c, const cm_matrix *a, cm_type type, cm_use use)
{
    cm_layout l;
    if (cm_is_poison_(c, a)) return cm_poison_();
    if (type == a->l.type && use == a->l.use) return *a;
    l = cm_layout_for(c, a->l.rows, a->l.cols, type, use);
    if (!l.rows) return cm_poison_();
    return cm_aligned_(&l, &a->l) ? cm_map_(c, &l, a, NULL, NULL, NULL) : cm_relayout_(c, a, &l);
}

/* The same matrix with components of another type: to nearest even between floats, towards zero from float to integer
 * (what does not fit is undefined), the low bits between integers. Lanes exchange components when the layouts ask for
 * it. */
static inline cm_matrix cm_convert(cm_ctx *c, const cm_matrix *a, cm_type type)
{
    return cm_change_(c, a, type, a->l.use);
}

/* The same matrix for another use: 16-bit accumulators become operands inside each lane, 8-bit CM_B may need shuffles.
 */
static inline cm_matrix cm_convert_use(cm_ctx *c, const cm_matrix *a, cm_use use)
{
    return cm_change_(c, a, a->l.type, use);
}
