/* block2d.c - 2D block messages on global memory: legality, load, store and prefetch. */
#include "internal.h"

const cm_block_shape *cm_block_shape_row(cm_block_op op, int elem, int width, uint32_t count)
{
    static const cm_block_shape rows[] = {
        {CM_BLOCK_LOAD, 1, 32, 63, 1 | 2},          {CM_BLOCK_LOAD, 1, 16, 8 | 16 | 32, 4},
        {CM_BLOCK_LOAD, 2, 16, 63, 1 | 2},          {CM_BLOCK_LOAD, 4, 8, 63, 1 | 2},
        {CM_BLOCK_LOAD, 4, 16, 63, 1},              {CM_BLOCK_TRANSFORM, 1, 16, 32, 1 | 2 | 4},
        {CM_BLOCK_TRANSFORM, 2, 16, 16 | 32, 1 | 2}, {CM_BLOCK_TRANSPOSE, 4, 8, 16 | 32, 1},
        {CM_BLOCK_STORE, 1, 16, 15, 1},             {CM_BLOCK_STORE, 1, 32, 15, 1},
        {CM_BLOCK_STORE, 2, 16, 15, 1},             {CM_BLOCK_STORE, 4, 16, 15, 1},
        {CM_BLOCK_PREFETCH, 1, 32, 63, 1 | 2},      {CM_BLOCK_PREFETCH, 1, 16, 32, 1 | 2},
        {CM_BLOCK_PREFETCH, 1, 16, 8 | 16 | 32, 4}, {CM_BLOCK_PREFETCH, 2, 16, 63, 1 | 2},
        {CM_BLOCK_PREFETCH, 4, 8, 63, 1 | 2},       {CM_BLOCK_PREFETCH, 4, 16, 63, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].op == op && rows[i].elem == elem && rows[i].width == width && (rows[i].counts & count))
            return &rows[i];
    return NULL;
}

/* The largest legal block count that is at most `blocks`; 0 if there is none. */
static int cm_block_count_(cm_block_op op, int elem, int width, int blocks)
{
    for (int n = 4; n > 0; n /= 2)
        if (n <= blocks && cm_block_shape_row(op, elem, width, (uint32_t)n)) return n;
    return 0;
}

/* The height to use for `rest` rows: the largest legal one that fits, else the smallest (which reads too much). */
static int cm_block_height_(const cm_block_shape *shape, int rest)
{
    uint32_t h = 32;
    while (h > 1 && (!(shape->heights & h) || h > (uint32_t)rest)) h /= 2;
    while (!(shape->heights & h)) h *= 2;
    return (int)h;
}

/* The maximum of a row, in bytes, of the pitch and of the number of rows; rows are read in dwords. */
enum { CM_BLOCK_LIMIT_ = 1 << 24, CM_BLOCK_DWORD_ = 4 };

/* The divisor of the pitch. 8-bit elements by columns are read as rows of twice the pitch: cm_every_second_row_ */
static int cm_block_pitch_(const cm_ctx *c, bool pairs)
{
    int pitch = c->target.block2d.pitch;
    return pairs && pitch < CM_BLOCK_DWORD_ ? CM_BLOCK_DWORD_ : pitch;
}

/* Is the base address known to be aligned? */
static bool cm_base_fits_(const cm_ctx *c, const cm_surface_ *s)
{
    uint32_t base = (uint32_t)c->target.block2d.base;
    return base == 1 || (s->align > 0 && s->align % base == 0);
}

/* A bool: is a number a multiple of a power of two? */
static spe_id cm_is_multiple_(cm_ctx *c, spe_id v, int n)
{
    if (n == 1) return spe_const_bool(c->module, true);
    spe_id zero = cm_i32_(c, 0);
    return spe_ieq(c->module, cm_mod_(c, v, n), zero);
}

/* The surface in bytes: width, rows of memory, pitch. Its width is the direction with stride 1; an unchecked direction
 * gets the largest possible extent. */
static bool cm_block_surface_(cm_ctx *c, int bytes, const cm_surface_ *s, spe_block2d *b, bool *transposed)
{
    bool across = cm_is_constant_(c, s->right, 1), along = cm_is_constant_(c, s->down, 1);
    memset(b, 0, sizeof *b);
    if (!across && !along) return false;
    *transposed = !along;
    spe_id width = along ? s->rows : s->cols, height = along ? s->cols : s->rows;
    b->elem_bytes = (uint32_t)bytes;
    b->ptr = s->ptr;
    b->pitch = cm_times_(c, along ? s->right : s->down, bytes);
    b->mem_width = width ? cm_times_(c, width, bytes) : b->pitch;
    b->mem_height = height ? height : cm_i32_(c, CM_BLOCK_LIMIT_);
    b->pos_x = along ? s->row : s->col;
    b->pos_y = along ? s->col : s->row;
    return true;
}

spe_id cm_block2d_test(cm_ctx *c, cm_type type, const cm_mem *mem)
{
    spe_module *m = c->module;
    cm_surface_ s;
    spe_block2d b;
    bool transposed;
    if (!cm_surface_init_(c, &s, type, mem, CM_WHOLE_)) return 0;
    int size = cm_type_info(type)->bytes;
    if (s.storage != SPE_StorageClassCrossWorkgroup || size > 4 || !cm_block_surface_(c, size, &s, &b, &transposed))
        return spe_const_bool(m, false);
    const cm_block2d_rules *rules = &c->target.block2d;
    bool pairs = transposed && size == 1, fits = cm_base_fits_(c, &s);
    spe_id bytes = cm_times_(c, b.pos_x, size), elements = transposed ? s.cols : s.rows;
    spe_id base = fits ? 0 : spe_ptr_to_u(m, spe_int(m, 64), s.ptr);
    if (base) base = spe_uconvert(m, spe_int(m, 32), base);
    spe_id ok = cm_is_multiple_(c, b.pitch, cm_block_pitch_(c, pairs));
    ok = spe_land(m, ok, spe_uge(m, b.pitch, b.mem_width));
    ok = spe_land(m, ok, spe_uge(m, b.mem_width, cm_i32_(c, rules->row_least)));
    spe_id limit = cm_i32_(c, CM_BLOCK_LIMIT_);
    ok = spe_land(m, ok, spe_ule(m, b.pitch, limit));
    ok = spe_land(m, ok, spe_ule(m, transposed ? s.down : s.right, limit)); /* in elements, as bytes may wrap */
    if (elements) ok = spe_land(m, ok, spe_ule(m, elements, limit));
    if (rules->row == CM_BLOCK_DWORD_) bytes = spe_or(m, b.mem_width, bytes);
    else ok = spe_land(m, ok, cm_is_multiple_(c, b.mem_width, rules->row));
    ok = spe_land(m, ok, cm_is_multiple_(c, bytes, CM_BLOCK_DWORD_));
    ok = spe_land(m, ok, spe_ult(m, cm_plus_(c, b.mem_height, -1), limit));
    if (pairs) {
        ok = spe_land(m, ok, spe_ule(m, b.pitch, cm_i32_(c, CM_BLOCK_LIMIT_ / 2)));
        ok = spe_land(m, ok, spe_sge(m, b.pos_x, cm_i32_(c, 0)));
    }
    return fits ? ok : spe_land(m, ok, cm_is_multiple_(c, base, rules->base));
}

/* CM_BLOCK2D_AUTO: do constants prove everything that cm_block2d_test tests, and that unchecked rows of `across`
 * elements do not overlap? */
static bool cm_block2d_proven_(cm_ctx *c, int bytes, const cm_surface_ *s, const spe_block2d *b, bool transposed,
                               int across)
{
    int64_t pitch, width, height, x;
    const cm_block2d_rules *rules = &c->target.block2d;
    bool pairs = bytes == 1 && transposed;
    if (!cm_base_fits_(c, s) || !cm_constant_(c, b->pitch, &pitch) || !cm_constant_(c, b->mem_width, &width) ||
        !cm_constant_(c, b->mem_height, &height) || !cm_constant_(c, b->pos_x, &x))
        return false;
    if (!(transposed ? s->cols : s->rows) && (x + across) * bytes > pitch) return false;
    return pitch % cm_block_pitch_(c, pairs) == 0 && width >= rules->row_least && width % rules->row == 0 &&
           pitch >= width && pitch <= (pairs ? CM_BLOCK_LIMIT_ / 2 : CM_BLOCK_LIMIT_) && height > 0 &&
           height <= CM_BLOCK_LIMIT_ && x * bytes % CM_BLOCK_DWORD_ == 0 && (!pairs || x >= 0);
}

/* Should this access of rows x cols elements use block messages? If so, computes the surface. */
static bool cm_block2d_wanted_(cm_ctx *c, cm_type type, const cm_surface_ *s, int rows, int cols, spe_block2d *b,
                               bool *transposed)
{
    bool promised = s->block2d == CM_BLOCK2D_YES;
    int bytes = cm_type_info(type)->bytes;
    if (s->block2d == CM_BLOCK2D_NO || !(c->target.block2d_sizes & (uint32_t)c->target.subgroup_size)) return false;
    if (s->storage != SPE_StorageClassCrossWorkgroup)
        return promised && CM_FAIL_(c, BLOCK2D, "CM_BLOCK2D_YES: 2D block messages need global memory");
    if (!cm_block_surface_(c, bytes, s, b, transposed))
        return promised && CM_FAIL_(c, BLOCK2D, "CM_BLOCK2D_YES: neither stride is the constant 1");
    return promised || cm_block2d_proven_(c, bytes, s, b, *transposed, *transposed ? cols : rows);
}

/* ---- load, store, prefetch --------------------------------------------------------------------------------------- */

/* How a layout is covered: the message, elements across (a block of rows, or with TRANSPOSE of dwords), how far a word
 * advances in y, the legal shape. share: with TRANSPOSE, how many of a lane's words share a dword of memory. */
typedef struct {
    cm_block_op op;
    int elem, width, count, step, share;
    const cm_block_shape *shape;
} cm_block_plan_;

/* Do lanes hold the elements of several columns in turn? Transposing messages have whole rows of lanes, so cm_load then
 * loads another layout. */
XE_FN_ bool cm_has_pairs_(const cm_layout *l) { return l->size_k > 1 && l->size_i < l->lanes; }

/* Are lanes adjacent in rows of memory? That is, full rows of lanes, and the rows of a word adjacent. */
static bool cm_rows_of_lanes_(const cm_layout *l)
{
    return l->size_i == l->lanes && (l->size_k1 == 1 || l->interleaved);
}

/* Rows of 16 or 32 bytes have no message of their own, but the one that packs four rows to a lane's dword leaves a
 * lane's bytes in the order of rows. Only dwords can be transposed: of narrower elements, a dword brings several
 * columns, which the lane separates. If a lane holds two rows of 8-bit elements, each is a message of every second row
 * of memory. */
static bool cm_block_plan_load_(const cm_layout *l, bool transposed, cm_block_plan_ *p)
{
    int bytes = cm_type_info(l->type)->bytes, across = l->lanes / l->size_i;
    bool pairs = cm_has_pairs_(l) && !transposed;
    memset(p, 0, sizeof *p);
    if (!pairs && !cm_rows_of_lanes_(l)) return false;
    if (transposed && l->size_k1 > 1 && (l->size_k1 != 2 || bytes != 1)) return false;
    p->op = transposed ? CM_BLOCK_TRANSPOSE : l->packed ? CM_BLOCK_TRANSFORM : CM_BLOCK_LOAD;
    p->share = transposed && !l->packed && bytes < 4 ? 4 / bytes : 1;
    p->elem = !transposed ? bytes : p->share > 1 ? 4 : cm_word_bits_(l) / 8;
    p->width = transposed ? 8 : l->size_i * l->size_k1;
    p->step = l->omega * across;
    p->count = cm_block_count_(p->op, p->elem, p->width, l->size_k2);
    if (p->op == CM_BLOCK_LOAD && bytes == 1 && (p->count == 0 || l->size_k2 % p->count != 0)) {
        p->op = CM_BLOCK_TRANSFORM;
        p->count = cm_block_count_(p->op, p->elem, p->width, l->size_k2);
    }
    if (p->count == 0 || l->size_k2 % p->count != 0) return false;
    p->shape = cm_block_shape_row(p->op, p->elem, p->width, (uint32_t)p->count);
    return true;
}

static bool cm_block_stores_(const cm_layout *l)
{
    int width = l->size_i * l->size_k1;
    return !l->packed && cm_rows_of_lanes_(l) &&
           cm_block_shape_row(CM_BLOCK_STORE, cm_type_info(l->type)->bytes, width, 1);
}

bool cm_block2d_covers(cm_ctx *c, int rows, int cols, cm_type type, cm_use use, bool by_columns, bool store)
{
    cm_block_plan_ plan;
    cm_layout l = cm_layout_for(c, rows, cols, type, use);
    if (store) return !by_columns && cm_block_stores_(&l);
    if (by_columns && cm_has_pairs_(&l)) l = cm_layout_for(c, rows, cols, type, CM_ACC);
    return cm_block_plan_load_(&l, by_columns, &plan);
}

/* `count` blocks of width x height elements of `elem` bytes, this far right and down from the surface's position. */
static spe_block2d cm_blocks_(cm_ctx *c, const spe_block2d *surface, int elem, int width, int height, int count,
                              int right, int down)
{
    spe_block2d b = *surface;
    b.elem_bytes = (uint32_t)elem;
    b.width = (uint32_t)width;
    b.height = (uint32_t)height;
    b.count = (uint32_t)count;
    b.pos_x = cm_plus_(c, b.pos_x, right);
    b.pos_y = cm_plus_(c, b.pos_y, down);
    return b;
}

/* A variable for this many words of a layout, which a message fills or stores; returns a pointer to the first. */
static spe_id cm_block_words_var_(cm_ctx *c, const cm_layout *l, int words, spe_id *variable)
{
    spe_id zero = cm_i32_(c, 0);
    *variable =
        spe_local_var(c->module, spe_array(c->module, spe_int(c->module, (uint32_t)cm_word_bits_(l)), (uint32_t)words));
    return spe_element(c->module, *variable, 1, &zero);
}

/* Gives a message that loads a header of its own: its surface differs, for the compiler, from those of others. */
static void cm_separate_header_(cm_ctx *c, spe_block2d *b)
{
    spe_id *of = spe_is_const(c->module, b->pitch) ? &b->mem_height : &b->pitch;
    if (!c->separate_headers || c->target.block2d.offsets) return;
    if (c->separate_headers++ > 1) spe_differ(c->module, c->headers++, 1, of);
}

/* Loads blocks k2 .. k2 + count of the matrix by one message, words first .. of each. Returns the words loaded. */
static int cm_block_message_(cm_ctx *c, cm_matrix *a, const cm_block_plan_ *p, const spe_block2d *surface, int k2,
                             int first)
{
    const cm_layout *l = &a->layout;
    spe_module *m = c->module;
    bool transpose = p->op == CM_BLOCK_TRANSPOSE;
    int height = transpose ? l->lanes : cm_block_height_(p->shape, (cm_block_words_(l) - first) * p->step);
    int words = transpose ? p->width : height / p->step, across = k2 * l->size_i * l->size_k1;
    int runs = spe_part_count(cm_block_words_(l));
    spe_block2d b = *surface;
    spe_id variable;
    if (transpose) b.pos_x = cm_shr_signed_(c, b.pos_x, l->omega);
    b = cm_blocks_(c, &b, p->elem, p->width, height, p->count, transpose ? first : across,
                   transpose ? k2 * l->size_i : first * p->step);
    cm_separate_header_(c, &b);
    spe_id ptr = cm_block_words_var_(c, l, words * p->count, &variable);
    if (transpose) spe_block2d_load_transpose(m, &b, ptr);
    else if (p->op == CM_BLOCK_TRANSFORM) spe_block2d_load_transform(m, &b, ptr);
    else spe_block2d_load(m, &b, ptr);
    for (int part = k2 * runs; part < (k2 + p->count) * runs; part++) {
        cm_span_ s = cm_span_of_(l, part);
        if (s.first < first || s.first >= first + words) continue;
        spe_id index = cm_i32_(c, (s.block - k2) * words + s.first - first);
        spe_id at = spe_element(m, variable, 1, &index);
        a->part[part] = spe_load(m, spe_ptr_cast(m, at, cm_part_type(c, l, part)), (uint32_t)cm_word_bits_(l) / 8);
    }
    return words;
}

/* The surface of rows y, y + 2, y + 4, ...: two rows of memory become one of twice the pitch, whose second half is the
 * odd row. x counts dwords and is not negative. */
static void cm_every_second_row_(cm_ctx *c, spe_block2d *b)
{
    spe_module *m = c->module;
    spe_id odd = cm_mod_(c, b->pos_y, 2), half = spe_imul(m, odd, b->pitch);
    spe_id one = cm_i32_(c, 1), rows = spe_shr(m, spe_isub(m, cm_plus_(c, b->mem_height, 1), odd), one);
    spe_id none = spe_ieq(m, rows, cm_i32_(c, 0));
    b->mem_width = spe_iadd(m, b->mem_width, half);
    b->pos_x = spe_iadd(m, b->pos_x, cm_shr_(c, half, 4));
    b->pos_y = cm_shr_signed_(c, b->pos_y, 2);
    b->pos_y = spe_select(m, none, cm_i32_(c, CM_BLOCK_LIMIT_ / 2), b->pos_y);
    b->mem_height = spe_select(m, none, cm_i32_(c, 1), rows);
    b->pitch = cm_times_(c, b->pitch, 2);
}

/* Splits the message's dwords (eight of a lane's row, or of each of its two rows of bytes) into two vectors of 16
 * words: 16-bit elements, bytes, or bytes of both rows. Masks make Intel's compiler emit the fewest instructions. */
static void cm_dwords_to_words_(cm_ctx *c, const cm_layout *l, int share, spe_id got[2])
{
    spe_module *m = c->module;
    spe_id word = cm_vec_(c, spe_int(m, l->size_k1 == 2 ? 16 : (uint32_t)(32 / share)), 16), all = got[0];
    if (l->size_k1 == 2) {
        spe_id type = spe_type_of(m, all), low = spe_const_u(m, type, 0x00ff00ff),
               high = spe_const_u(m, type, 0xff00ff00), eight = spe_const_u(m, type, 8);
        spe_id up = spe_and(m, spe_shl(m, got[1], eight), high), even = spe_or(m, spe_and(m, all, low), up);
        spe_id stay = spe_and(m, got[1], high), odd = spe_or(m, spe_and(m, spe_shr(m, all, eight), low), stay);
        got[0] = spe_bitcast(m, word, even);
        got[1] = spe_bitcast(m, word, odd);
    } else if (share == 2) {
        got[0] = got[1] = spe_bitcast(m, word, all);
    } else {
        got[0] = spe_bitcast(m, word, cm_slice_(c, all, 0, 4));
        got[1] = spe_bitcast(m, word, cm_slice_(c, all, 4, 4));
    }
}

/* Words first .. first + n of these vectors, as a part. */
static spe_id cm_dwords_part_(cm_ctx *c, const cm_layout *l, const spe_id words[2], int first, int n, spe_id type)
{
    uint32_t index[8];
    for (int i = 0; i < n; i++) {
        int w = first + i;
        index[i] = (uint32_t)(l->size_k1 == 2 ? w / 4 * 2 + w % 4 / 2 + w % 2 * 16 : w);
    }
    return cm_bitcast(c, type, spe_shuffle(c->module, words[0], words[1], (uint32_t)n, index));
}

/* cm_block_message_ for TRANSPOSE of elements narrower than a dword. */
static int cm_block_dwords_(cm_ctx *c, cm_matrix *a, const cm_block_plan_ *p, const spe_block2d *surface, int k2,
                            int first)
{
    const cm_layout *l = &a->layout;
    int runs = spe_part_count(cm_block_words_(l)), words = p->width * p->share;
    spe_id dwords = cm_vec_(c, spe_int(c->module, 32), p->width), got[2];
    for (int i = 0; i < l->size_k1; i++) {
        spe_id variable = spe_local_var(c->module, dwords);
        spe_block2d b = *surface;
        b.pos_x = cm_shr_signed_(c, b.pos_x, p->share);
        b = cm_blocks_(c, &b, 4, p->width, l->lanes, 1, first / p->share, k2 * l->size_i * l->size_k1 + i);
        if (l->size_k1 > 1) cm_every_second_row_(c, &b);
        cm_separate_header_(c, &b);
        spe_block2d_load_transpose(c->module, &b, variable);
        got[i] = spe_load(c->module, variable, 0);
    }
    cm_dwords_to_words_(c, l, p->share, got);
    for (int part = k2 * runs; part < (k2 + 1) * runs; part++) {
        cm_span_ s = cm_span_of_(l, part);
        if (s.first >= first && s.first < first + words)
            a->part[part] = cm_dwords_part_(c, l, got, s.first - first, s.words, cm_part_type(c, l, part));
    }
    return words;
}

/* Stores one message per part. */
static bool cm_store_block2d_(cm_ctx *c, const cm_surface_ *s, const cm_matrix *a)
{
    const cm_layout *l = &a->layout;
    int bytes = cm_type_info(l->type)->bytes, width = l->size_i * l->size_k1;
    spe_block2d b;
    bool transposed;
    if (!cm_block_stores_(l)) return false;
    if (!cm_block2d_wanted_(c, l->type, s, l->rows, l->cols, &b, &transposed) || transposed) return false;
    spe_reconverge(c->module);
    for (int part = 0; part < a->parts; part++) {
        cm_span_ at = cm_span_of_(l, part);
        spe_block2d one = cm_blocks_(c, &b, bytes, width, at.words, 1, at.block * width, at.first);
        spe_id variable, ptr = cm_block_words_var_(c, l, at.words, &variable);
        spe_id to = spe_ptr_cast(c->module, ptr, cm_part_type(c, l, part));
        spe_store(c->module, to, a->part[part], (uint32_t)cm_word_bits_(l) / 8);
        spe_block2d_store(c->module, &one, ptr);
    }
    return true;
}

/* Method: load or store by 2D block messages. False, with nothing emitted, if they cannot. */
XE_FN_ bool cm_move_block2d_(cm_ctx *c, const cm_surface_ *s, cm_matrix *a, bool store)
{
    cm_block_plan_ plan;
    spe_block2d b;
    bool transposed;
    if (store) return cm_store_block2d_(c, s, a);
    const cm_layout *l = &a->layout;
    if (!cm_block2d_wanted_(c, l->type, s, l->rows, l->cols, &b, &transposed) ||
        !cm_block_plan_load_(l, transposed, &plan))
        return false;
    spe_reconverge(c->module);
    a->in_words = c->target.igc && cm_type_info(l->type)->bytes == 1 && cm_block_words_(l) * cm_word_bits_(l) % 32 == 0;
    for (int k2 = 0; k2 < l->size_k2; k2 += plan.count)
        for (int first = 0; first < cm_block_words_(l);)
            first += plan.share > 1 ? cm_block_dwords_(c, a, &plan, &b, k2, first)
                                    : cm_block_message_(c, a, &plan, &b, k2, first);
    if (!s->zero_padding) cm_pad_outside_(c, s, a);
    return true;
}

bool cm_prefetch_block(cm_ctx *c, cm_type type, int across, int down, const spe_block2d *surface)
{
    int elem = cm_type_info(type)->bytes, width = elem == 1 && across >= 32 ? 32 : 16;
    if (c->lowering != CM_INTEL) return true;
    for (int x = 0, count; x < across; x += width * count) {
        count = cm_block_count_(CM_BLOCK_PREFETCH, elem, width, (across - x + width - 1) / width);
        if (count == 0) return false;
        const cm_block_shape *shape = cm_block_shape_row(CM_BLOCK_PREFETCH, elem, width, (uint32_t)count);
        for (int y = 0, height; y < down; y += height) {
            height = cm_block_height_(shape, down - y);
            spe_block2d b = cm_blocks_(c, surface, (int)surface->elem_bytes, width, height, count, x, y);
            spe_block2d_prefetch(c->module, &b);
        }
    }
    return true;
}

/* spirv-val allows one decoration per id, so only the first level is set; the others default to caching. */
spe_id cm_cached_pointer(cm_ctx *c, spe_id ptr, int level)
{
    static const uint32_t controls[] = {SPE_LoadCacheControlCachedINTEL, SPE_LoadCacheControlUncachedINTEL,
                                        SPE_LoadCacheControlStreamingINTEL};
    spe_id copy = spe_copy(c->module, ptr);
    spe_cache_load(c->module, copy, 0, controls[level - 1]);
    return copy;
}

void cm_prefetch(cm_ctx *c, int rows, int cols, cm_type type, const cm_mem *from, int level)
{
    cm_surface_ s;
    spe_block2d b;
    bool transposed;
    if (!spe_ok(c->module) || !cm_surface_init_(c, &s, type, from, CM_WHOLE_)) return;
    if (rows < 1 || cols < 1 || level < 0 || level > 3)
        CM_FAIL_(c, SHAPE, "cm_prefetch: %d x %d, level %d: at least 1 x 1, level 0 to 3", rows, cols, level);
    if (!spe_ok(c->module) || c->lowering != CM_INTEL) return;
    if (!cm_block2d_wanted_(c, type, &s, rows, cols, &b, &transposed)) return;
    if (level) b.ptr = cm_cached_pointer(c, b.ptr, level);
    cm_prefetch_block(c, type, transposed ? cols : rows, transposed ? rows : cols, &b);
}
