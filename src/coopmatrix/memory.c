/* memory.c - memory: what all paths share. */
#include "internal.h"

bool cm_constant_(const cm_ctx *c, spe_id id, int64_t *value)
{
    uint64_t bits = 0;
    if (!id || !spe_const_bits(c->m, id, &bits)) return false;
    *value = (int32_t)(uint32_t)bits;
    return true;
}

bool cm_is_constant_(const cm_ctx *c, spe_id id, int64_t want)
{
    int64_t value = 0;
    return cm_constant_(c, id, &value) && value == want;
}

bool cm_check_i32_(cm_ctx *c, const char *what, spe_id id)
{
    if (!id || spe_type_of(c->m, id) == spe_int(c->m, 32)) return true;
    cm_fail_(c, CM_ERROR_POSITION, "cm_mem.%s is not a 32-bit integer", what);
    return false;
}

bool cm_surface_init_(cm_ctx *c, cm_surface_ *s, cm_type type, const cm_mem *mem)
{
    spe_type_info pointer = spe_info(c->m, spe_type_of(c->m, mem->ptr));
    spe_id storage = cm_storage_type(c, type), swap;
    memset(s, 0, sizeof *s);
    if (!spe_ok(c->m)) return false;
    if (pointer.kind != SPE_KIND_POINTER || pointer.elem != storage) {
        cm_fail_(c, CM_ERROR_POINTER, "cm_mem.ptr is not a pointer to the storage type of %s",
                 cm_type_info(type)->name);
        return false;
    }
    if (!cm_check_i32_(c, "rows", mem->rows) || !cm_check_i32_(c, "cols", mem->cols) ||
        !cm_check_i32_(c, "row", mem->row) || !cm_check_i32_(c, "col", mem->col) ||
        !cm_check_i32_(c, "stride_row", mem->stride_row) || !cm_check_i32_(c, "stride_col", mem->stride_col))
        return false;
    if (mem->padding && spe_type_of(c->m, mem->padding) != storage) {
        cm_fail_(c, CM_ERROR_SCALAR, "cm_mem.padding is not of the storage type of %s", cm_type_info(type)->name);
        return false;
    }
    s->ptr = mem->ptr;
    s->storage = pointer.storage;
    s->rows = mem->rows;
    s->cols = mem->cols;
    s->row = mem->row ? mem->row : cm_i32_(c, 0);
    s->col = mem->col ? mem->col : cm_i32_(c, 0);
    s->down = mem->stride_row ? mem->stride_row : cm_i32_(c, 1);
    s->right = mem->stride_col ? mem->stride_col : mem->rows;
    s->padding = mem->padding ? mem->padding : spe_null(c->m, storage);
    if (!s->right) {
        cm_fail_(c, CM_ERROR_POSITION, "cm_mem.stride_col may be 0 only when rows is given");
        return false;
    }
    if (mem->transposed) {
        swap = s->rows, s->rows = s->cols, s->cols = swap;
        swap = s->down, s->down = s->right, s->right = swap;
    }
    s->zero_padding = !mem->padding;
    if (mem->padding) {
        uint64_t bits;
        s->zero_padding = spe_const_bits(c->m, mem->padding, &bits) && bits == 0;
    }
    return true;
}

/* ---- 2D block messages: what is legal ---------------------------------------------------------------------------- */

const cm_block_shape *cm_block_shape_row(cm_block_op op, int elem, int width, uint32_t count)
{
    static const cm_block_shape rows[] = {
        {CM_BLOCK_LOAD, 1, 32, 63, 1 | 2},
        {CM_BLOCK_LOAD, 1, 16, 8 | 16 | 32, 4},
        {CM_BLOCK_LOAD, 2, 16, 63, 1 | 2},
        {CM_BLOCK_LOAD, 4, 8, 63, 1 | 2},
        {CM_BLOCK_LOAD, 4, 16, 63, 1},
        {CM_BLOCK_TRANSFORM, 1, 16, 32, 1 | 2 | 4},
        {CM_BLOCK_TRANSFORM, 2, 16, 16 | 32, 1 | 2},
        {CM_BLOCK_TRANSPOSE, 4, 8, 16 | 32, 1},
        {CM_BLOCK_STORE, 1, 16, 15, 1},
        {CM_BLOCK_STORE, 1, 32, 15, 1},
        {CM_BLOCK_STORE, 2, 16, 15, 1},
        {CM_BLOCK_STORE, 4, 16, 15, 1},
        {CM_BLOCK_PREFETCH, 1, 32, 63, 1 | 2},
        {CM_BLOCK_PREFETCH, 1, 16, 32, 1 | 2},
        {CM_BLOCK_PREFETCH, 1, 16, 8 | 16 | 32, 4},
        {CM_BLOCK_PREFETCH, 2, 16, 63, 1 | 2},
        {CM_BLOCK_PREFETCH, 4, 8, 63, 1 | 2},
        {CM_BLOCK_PREFETCH, 4, 16, 63, 1},
    };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].op == op && rows[i].elem == elem && rows[i].width == width && (rows[i].counts & count))
            return &rows[i];
    return NULL;
}

/* The largest block count that is legal and at most `blocks`; 0 when there is none. */
static int cm_block_count_(cm_block_op op, int elem, int width, int blocks)
{
    int n;
    for (n = 4; n > 0; n /= 2)
        if (n <= blocks && cm_block_shape_row(op, elem, width, (uint32_t)n)) return n;
    return 0;
}

/* The height to use for `rest` rows: the largest legal one that fits, else the smallest legal one (it reads too much).
 */
static int cm_block_height_(const cm_block_shape *shape, int rest)
{
    int h;
    for (h = 32; h > 0; h /= 2)
        if ((shape->heights & (uint32_t)h) && h <= rest) return h;
    for (h = 1; h <= 32; h *= 2)
        if (shape->heights & (uint32_t)h) return h;
    return 0;
}

/* Bytes of the surface: its width, rows of memory, and pitch. The direction whose stride is 1 is its width; one that is
 * not checked is taken as the largest there can be. */
static bool cm_block_surface_(cm_ctx *c, cm_type type, const cm_surface_ *s, spe_block2d *b, bool *transposed)
{
    int bytes = cm_type_info(type)->bytes;
    bool across = cm_is_constant_(c, s->right, 1), along = cm_is_constant_(c, s->down, 1);
    spe_id width, height, pitch;
    memset(b, 0, sizeof *b);
    if (!across && !along) return false;
    *transposed = !along;
    width = along ? s->rows : s->cols;
    height = along ? s->cols : s->rows;
    pitch = along ? s->right : s->down;
    b->elem_bytes = (uint32_t)bytes;
    b->ptr = s->ptr;
    b->pitch = cm_times_(c, pitch, bytes);
    b->mem_width = width ? cm_times_(c, width, bytes) : b->pitch;
    b->mem_height = height ? height : cm_i32_(c, 1 << 24);
    b->x = along ? s->row : s->col;
    b->y = along ? s->col : s->row;
    return true;
}

spe_id cm_block2d_test(cm_ctx *c, cm_type type, const cm_mem *mem)
{
    spe_module *m = c->m;
    cm_surface_ s;
    spe_block2d b;
    bool transposed;
    spe_id ok, base, bytes = 0;
    if (!cm_surface_init_(c, &s, type, mem)) return 0;
    if (s.storage != SPE_StorageClassCrossWorkgroup || cm_type_info(type)->bytes > 4 ||
        !cm_block_surface_(c, type, &s, &b, &transposed))
        return spe_const_bool(m, false);
    bytes = cm_times_(c, b.x, cm_type_info(type)->bytes);
    base = spe_uconvert(m, spe_int(m, 32), spe_ptr_to_u(m, spe_int(m, 64), s.ptr));
    ok = spe_ieq(m, cm_mod_(c, b.pitch, 16), cm_i32_(c, 0));
    ok = spe_land(m, ok, spe_uge(m, b.pitch, b.mem_width));
    ok = spe_land(m, ok, spe_uge(m, b.mem_width, cm_i32_(c, 64)));
    ok = spe_land(m, ok, spe_ule(m, b.pitch, cm_i32_(c, 1 << 24)));
    ok = spe_land(m, ok, spe_ule(m, transposed ? s.down : s.right, cm_i32_(c, 1 << 24))); /* elements: bytes may wrap */
    if (transposed ? s.cols : s.rows)
        ok = spe_land(m, ok, spe_ule(m, transposed ? s.cols : s.rows, cm_i32_(c, 1 << 24)));
    ok = spe_land(m, ok, spe_ieq(m, cm_mod_(c, spe_or(m, b.mem_width, bytes), 4), cm_i32_(c, 0)));
    ok = spe_land(m, ok, spe_ult(m, cm_plus_(c, b.mem_height, -1), cm_i32_(c, 1 << 24)));
    if (transposed && cm_type_info(type)->bytes == 1) { /* read as rows of twice the pitch: cm_every_second_row_ */
        ok = spe_land(m, ok, spe_ule(m, b.pitch, cm_i32_(c, 1 << 23)));
        ok = spe_land(m, ok, spe_sge(m, b.x, cm_i32_(c, 0)));
    }
    if (mem->align % 64 == 0 && mem->align > 0) return ok;
    return spe_land(m, ok, spe_ieq(m, cm_mod_(c, base, 64), cm_i32_(c, 0)));
}

/* CM_BLOCK2D_AUTO: everything that cm_block2d_test tests is known from constants. */
static bool cm_block2d_proven_(cm_ctx *c, cm_type type, const cm_mem *mem, const spe_block2d *b,
                                      bool transposed)
{
    int64_t pitch, width, height, x;
    int bytes = cm_type_info(type)->bytes;
    bool pairs = bytes == 1 && transposed; /* cm_every_second_row_ */
    return mem->align >= 64 && mem->align % 64 == 0 && cm_constant_(c, b->pitch, &pitch) &&
           cm_constant_(c, b->mem_width, &width) && cm_constant_(c, b->mem_height, &height) &&
           cm_constant_(c, b->x, &x) && pitch % 16 == 0 && width >= 64 && width % 4 == 0 && pitch >= width &&
           pitch <= (pairs ? 1 << 23 : 1 << 24) && height > 0 && height <= 1 << 24 && x * bytes % 4 == 0 &&
           (!pairs || x >= 0);
}

/* Whether this access is to use block messages, and with what surface. */
bool cm_block2d_wanted_(cm_ctx *c, cm_type type, const cm_mem *mem, const cm_surface_ *s, spe_block2d *b,
                        bool *transposed)
{
    if (mem->block2d == CM_BLOCK2D_NO || !(c->target.block2d_sizes & (uint32_t)c->target.subgroup_size)) return false;
    if (s->storage != SPE_StorageClassCrossWorkgroup) {
        if (mem->block2d == CM_BLOCK2D_YES)
            cm_fail_(c, CM_ERROR_BLOCK2D, "CM_BLOCK2D_YES: 2D block messages need global memory");
        return false;
    }
    if (!cm_block_surface_(c, type, s, b, transposed)) {
        if (mem->block2d == CM_BLOCK2D_YES)
            cm_fail_(c, CM_ERROR_BLOCK2D, "CM_BLOCK2D_YES: neither stride is the constant 1");
        return false;
    }
    return mem->block2d == CM_BLOCK2D_YES || cm_block2d_proven_(c, type, mem, b, *transposed);
}

/* ---- 2D block messages: load, store, prefetch -------------------------------------------------------------------- */

/* How one layout is covered: the message, elements across (a block of rows, or with TRANSPOSE of dwords), how far a
 * word advances in y, and the legal shape. share: with TRANSPOSE, how many words of a lane lie in one dword of
 * memory. */
typedef struct {
    cm_block_op op;
    int elem, width, count, step, share;
    const cm_block_shape *shape;
} cm_block_plan_;

/* Only dwords are transposed: narrower elements come several columns at once, and a lane takes them apart. Where a lane
 * has two rows of 8-bit elements, each of them is a message of every second row of memory. */
static bool cm_block_plan_load_(const cm_layout *l, bool transposed, cm_block_plan_ *p)
{
    int bytes = cm_type_info(l->type)->bytes;
    memset(p, 0, sizeof *p);
    if (l->I != l->S || (l->K1 > 1 && !l->interleaved)) return false;
    if (transposed && l->K1 > 1 && (l->K1 != 2 || bytes != 1)) return false;
    p->op = transposed ? CM_BLOCK_TRANSPOSE : l->packed ? CM_BLOCK_TRANSFORM : CM_BLOCK_LOAD;
    p->share = transposed && !l->packed && bytes < 4 ? 4 / bytes : 1;
    p->elem = !transposed ? bytes : p->share > 1 ? 4 : cm_word_bits_(l) / 8;
    p->width = transposed ? 8 : l->I * l->K1;
    p->step = l->omega;
    p->count = cm_block_count_(p->op, p->elem, p->width, l->K2);
    if (p->count == 0 || l->K2 % p->count != 0) return false;
    p->shape = cm_block_shape_row(p->op, p->elem, p->width, (uint32_t)p->count);
    return true;
}

/* Parts of block k2 whose words lie in first .. first + words, read back from the variable that a message filled; the
 * block starts there at element `at`. */
static void cm_block_read_(cm_ctx *c, cm_matrix *a, int k2, int first, int words, spe_id variable, int at)
{
    int all = cm_block_words_(&a->l), runs = spe_runs(all), run, word = 0;
    for (run = 0; run < runs; word += spe_run(all, run++)) {
        int part = k2 * runs + run;
        spe_id index, ptr, type;
        if (word < first || word >= first + words) continue;
        index = cm_i32_(c, at + word - first);
        ptr = spe_element(c->m, variable, 1, &index);
        type = cm_part_type(c, &a->l, part);
        a->part[part] = spe_load(c->m, spe_ptr_cast(c->m, ptr, type), (uint32_t)cm_word_bits_(&a->l) / 8);
    }
}

/* One message: blocks k2 .. k2 + count of the matrix, words first .. of each. Returns how many words it brought. */
static int cm_block_message_(cm_ctx *c, cm_matrix *a, const cm_block_plan_ *p, const spe_block2d *surface,
                                    int k2, int first)
{
    spe_module *m = c->m;
    spe_block2d b = *surface;
    bool transpose = p->op == CM_BLOCK_TRANSPOSE;
    int rest = cm_block_words_(&a->l) - first, words, i;
    int height = transpose ? a->l.S : cm_block_height_(p->shape, rest * p->step);
    spe_id variable, zero = cm_i32_(c, 0), ptr;
    words = transpose ? p->width : height / p->step;
    b.elem_bytes = (uint32_t)p->elem;
    b.width = (uint32_t)p->width;
    b.height = (uint32_t)height;
    b.count = (uint32_t)p->count;
    if (transpose) {
        b.x = cm_plus_(c, cm_shr_signed_(c, b.x, a->l.omega), first);
        b.y = cm_plus_(c, b.y, k2 * a->l.I);
    } else {
        b.x = cm_plus_(c, b.x, k2 * a->l.I * a->l.K1);
        b.y = cm_plus_(c, b.y, first * p->step);
    }
    variable = spe_local_var(m, spe_array(m, spe_int(m, (uint32_t)cm_word_bits_(&a->l)), (uint32_t)(words * p->count)));
    ptr = spe_element(m, variable, 1, &zero);
    if (transpose)
        spe_block2d_load_transpose(m, &b, ptr);
    else if (p->op == CM_BLOCK_TRANSFORM)
        spe_block2d_load_transform(m, &b, ptr);
    else
        spe_block2d_load(m, &b, ptr);
    for (i = 0; i < p->count; i++) cm_block_read_(c, a, k2 + i, first, words, variable, i * words);
    return words;
}

/* Rows y, y + 2, y + 4, ... as if nothing lay between them: two rows of memory are one of twice the pitch, whose second
 * half is the odd row. x counts dwords, and is not negative. */
static void cm_every_second_row_(cm_ctx *c, spe_block2d *b)
{
    spe_module *m = c->m;
    spe_id odd = cm_mod_(c, b->y, 2), half = spe_imul(m, odd, b->pitch), none;
    spe_id rows = spe_shr(m, spe_isub(m, cm_plus_(c, b->mem_height, 1), odd), cm_i32_(c, 1));
    none = spe_ieq(m, rows, cm_i32_(c, 0));
    b->mem_width = spe_iadd(m, b->mem_width, half);
    b->x = spe_iadd(m, b->x, cm_shr_(c, half, 4));
    b->y = spe_select(m, none, cm_i32_(c, 1 << 23), cm_shr_signed_(c, b->y, 2));
    b->mem_height = spe_select(m, none, cm_i32_(c, 1), rows);
    b->pitch = cm_times_(c, b->pitch, 2);
}

/* What the messages brought (eight dwords of a lane's row, or of each of its two rows of bytes) as two vectors of
 * sixteen words: 16-bit elements, bytes, or a byte of one row with that of the other. Masks are what Intel's compiler
 * makes fewest instructions of. */
static void cm_dwords_to_words_(cm_ctx *c, const cm_layout *l, int share, spe_id got[2])
{
    spe_module *m = c->m;
    spe_id word = spe_vec(m, spe_int(m, l->K1 == 2 ? 16 : (uint32_t)(32 / share)), 16), all = got[0];
    if (l->K1 == 2) {
        spe_id type = spe_type_of(m, all), low = spe_const_u(m, type, 0x00ff00ff),
               high = spe_const_u(m, type, 0xff00ff00);
        spe_id eight = spe_const_u(m, type, 8), even, odd;
        even = spe_or(m, spe_and(m, all, low), spe_and(m, spe_shl(m, got[1], eight), high));
        odd = spe_or(m, spe_and(m, spe_shr(m, all, eight), low), spe_and(m, got[1], high));
        got[0] = spe_bitcast(m, word, even);
        got[1] = spe_bitcast(m, word, odd);
    } else if (share == 2) {
        got[0] = got[1] = spe_bitcast(m, word, all);
    } else {
        got[0] = spe_bitcast(m, word, cm_slice_(c, all, 0, 4));
        got[1] = spe_bitcast(m, word, cm_slice_(c, all, 4, 4));
    }
}

/* Words first .. first + n of those, as a part. */
static spe_id cm_dwords_part_(cm_ctx *c, const cm_layout *l, const spe_id words[2], int first, int n,
                                     spe_id type)
{
    uint32_t index[8];
    int i;
    for (i = 0; i < n; i++) {
        int w = first + i;
        index[i] = (uint32_t)(l->K1 == 2 ? w / 4 * 2 + w % 4 / 2 + w % 2 * 16 : w);
    }
    if (n == 1) return cm_bitcast(c, type, spe_extract(c->m, words[index[0] / 16], index[0] % 16));
    return cm_bitcast(c, type, spe_shuffle(c->m, words[0], words[1], (uint32_t)n, index));
}

/* The same as cm_block_message_ for TRANSPOSE of elements narrower than a dword. */
static int cm_block_dwords_(cm_ctx *c, cm_matrix *a, const cm_block_plan_ *p, const spe_block2d *surface, int k2,
                                   int first)
{
    const cm_layout *l = &a->l;
    spe_module *m = c->m;
    int runs = spe_runs(cm_block_words_(l)), words = p->width * p->share, i, run, word = 0;
    spe_id dwords = spe_vec(m, spe_int(m, 32), (uint32_t)p->width), got[2];
    for (i = 0; i < l->K1; i++) {
        spe_block2d b = *surface;
        spe_id variable = spe_local_var(m, dwords);
        b.elem_bytes = 4;
        b.width = (uint32_t)p->width;
        b.height = (uint32_t)l->S;
        b.count = 1;
        b.x = cm_plus_(c, cm_shr_signed_(c, b.x, p->share), first / p->share);
        b.y = cm_plus_(c, b.y, k2 * l->I * l->K1 + i);
        if (l->K1 > 1) cm_every_second_row_(c, &b);
        spe_block2d_load_transpose(m, &b, variable);
        got[i] = spe_load(m, variable, 0);
    }
    cm_dwords_to_words_(c, l, p->share, got);
    for (run = 0; run < runs; word += spe_run(cm_block_words_(l), run++)) {
        int part = k2 * runs + run, n = cm_part_words(l, part);
        if (word >= first && word < first + words)
            a->part[part] = cm_dwords_part_(c, l, got, word - first, n, cm_part_type(c, l, part));
    }
    return words;
}

/* Method: load by 2D block messages. False when they cannot do it (nothing has been emitted then). */
bool cm_load_block2d_(cm_ctx *c, const cm_layout *l, const cm_mem *mem, const cm_surface_ *s, cm_matrix *out)
{
    cm_block_plan_ plan;
    spe_block2d b;
    bool transposed;
    int k2, first;
    if (!s->zero_padding || !cm_block2d_wanted_(c, l->type, mem, s, &b, &transposed)) return false;
    if (!cm_block_plan_load_(l, transposed, &plan)) return false;
    *out = cm_new_(c, l);
    for (k2 = 0; out->parts && k2 < l->K2; k2 += plan.count)
        for (first = 0; first < cm_block_words_(l);)
            first += plan.share > 1 ? cm_block_dwords_(c, out, &plan, &b, k2, first)
                                    : cm_block_message_(c, out, &plan, &b, k2, first);
    return true;
}

/* Method: store by 2D block messages, a message a part. */
bool cm_store_block2d_(cm_ctx *c, const cm_matrix *a, const cm_mem *mem, const cm_surface_ *s)
{
    const cm_layout *l = &a->l;
    int bytes = cm_type_info(l->type)->bytes, width = l->I * l->K1, runs = spe_runs(cm_block_words_(l)), part;
    int word = 0;
    spe_block2d b;
    bool transposed;
    if (l->packed || l->I != l->S || (l->K1 > 1 && !l->interleaved)) return false;
    if (!cm_block_shape_row(CM_BLOCK_STORE, bytes, width, 1)) return false;
    if (!cm_block2d_wanted_(c, l->type, mem, s, &b, &transposed) || transposed) return false;
    for (part = 0; part < a->parts; part++) {
        spe_block2d one = b;
        int words = cm_part_words(l, part);
        spe_id zero = cm_i32_(c, 0), variable, ptr;
        if (part % runs == 0) word = 0;
        one.elem_bytes = (uint32_t)bytes;
        one.width = (uint32_t)width;
        one.height = (uint32_t)words;
        one.count = 1;
        one.x = cm_plus_(c, b.x, part / runs * width);
        one.y = cm_plus_(c, b.y, word);
        variable = spe_local_var(c->m, spe_array(c->m, spe_int(c->m, (uint32_t)cm_word_bits_(l)), (uint32_t)words));
        ptr = spe_element(c->m, variable, 1, &zero);
        spe_store(c->m, spe_ptr_cast(c->m, ptr, cm_part_type(c, l, part)), a->part[part],
                  (uint32_t)cm_word_bits_(l) / 8);
        spe_block2d_store(c->m, &one, ptr);
        word += words;
    }
    return true;
}

/* Method: prefetch by 2D block messages; across and down count elements along and across the contiguous direction. */
bool cm_prefetch_block2d_(cm_ctx *c, cm_type type, int across, int down, const spe_block2d *surface)
{
    int elem = cm_type_info(type)->bytes, width = elem == 1 && across >= 32 ? 32 : 16, x, y, count, height;
    const cm_block_shape *shape;
    for (x = 0; x < across; x += width * count) {
        count = cm_block_count_(CM_BLOCK_PREFETCH, elem, width, (across - x + width - 1) / width);
        if (count == 0) return false;
        shape = cm_block_shape_row(CM_BLOCK_PREFETCH, elem, width, (uint32_t)count);
        for (y = 0; y < down; y += height) {
            spe_block2d b = *surface;
            height = cm_block_height_(shape, down - y);
            b.width = (uint32_t)width;
            b.height = (uint32_t)height;
            b.count = (uint32_t)count;
            b.x = cm_plus_(c, b.x, x);
            b.y = cm_plus_(c, b.y, y);
            spe_block2d_prefetch(c->m, &b);
        }
    }
    return true;
}

/* The same pointer, asking for a cache policy: 1 caches in the first level too, 2 does not, 3 streams through it. (One
 * decoration an id: spirv-val takes no second, so the other levels keep their default, which is to cache.) */
spe_id cm_cached_pointer(cm_ctx *c, spe_id ptr, int level)
{
    static const uint32_t controls[] = {SPE_LoadCacheControlCachedINTEL, SPE_LoadCacheControlUncachedINTEL,
                                        SPE_LoadCacheControlStreamingINTEL};
    spe_id copy = spe_copy(c->m, ptr);
    spe_cache_load(c->m, copy, 0, controls[level - 1]);
    return copy;
}

/* ---- memory a lane at a time ------------------------------------------------------------------------------------- */

/* A test that constants decide to be true is no test. */
static spe_id cm_unless_true_(cm_ctx *c, spe_id test)
{
    uint64_t bits;
    return test && spe_const_bits(c->m, test, &bits) && bits ? 0 : test;
}

spe_id cm_and_(cm_ctx *c, spe_id a, spe_id b) { return a && b ? spe_land(c->m, a, b) : a ? a : b; }

/* n copies of a scalar as a vector; the scalar when n is 1. */
static spe_id cm_copies_(cm_ctx *c, spe_id scalar, int n)
{
    return n == 1 ? scalar : spe_splat(c->m, spe_vec(c->m, spe_type_of(c->m, scalar), (uint32_t)n), scalar);
}

/* position + index and whether that is inside; scalars or vectors. */
static cm_axis_ cm_position_(cm_ctx *c, spe_id position, spe_id index, spe_id extent)
{
    cm_axis_ a;
    a.at = spe_iadd(c->m, position, index);
    a.inside = extent ? cm_unless_true_(c, spe_ult(c->m, a.at, extent)) : 0;
    return a;
}

/* A position as a distance in elements, i64. */
spe_id cm_distance_(cm_ctx *c, spe_id at, spe_id stride)
{
    spe_id i64 = spe_int(c->m, 64);
    at = spe_sconvert(c->m, i64, at);
    return cm_is_constant_(c, stride, 1) ? at : spe_imul(c->m, at, spe_sconvert(c->m, i64, stride));
}

/* The value when the test allows, else zero. */
static spe_id cm_or_zero_(cm_ctx *c, spe_id inside, spe_id v)
{
    return inside ? spe_select(c->m, inside, v, spe_null(c->m, spe_type_of(c->m, v))) : v;
}

static void cm_rows_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, cm_axes_ *a)
{
    spe_id lane = cm_times_(c, cm_lane_(c, l).i, l->interleaved ? l->K1 : 1);
    int i;
    for (i = 0; i < a->rows; i++) {
        int k1 = i % l->K1, k2 = i / l->K1, first = (l->interleaved ? k1 : k1 * l->I) + k2 * l->I * l->K1;
        a->row[i] = cm_position_(c, s->row, cm_plus_(c, lane, first), s->rows);
        a->row[i].at =
            spe_index(c->m, s->ptr, cm_distance_(c, cm_or_zero_(c, a->row[i].inside, a->row[i].at), s->down));
    }
}

/* M >= S: columns are the same for all lanes. Tests are vectors of up to 16; distances grow by the stride, since 64-bit
 * multiplication is slow on many devices. */
static void cm_columns_(cm_ctx *c, const cm_surface_ *s, cm_axes_ *a)
{
    spe_module *m = c->m;
    spe_id distance = cm_distance_(c, s->col, s->right), step = cm_distance_(c, s->right, cm_i32_(c, 1));
    int first, n, i;
    for (first = 0; first < a->cols; first += n) {
        spe_id numbers[16], vector;
        cm_axis_ all = {0, 0};
        n = a->cols - first >= 16  ? 16
            : a->cols - first >= 8 ? 8
            : a->cols - first >= 4 ? 4
            : a->cols - first >= 2 ? 2
                                   : 1;
        vector = spe_vec(m, spe_int(m, 32), (uint32_t)n);
        for (i = 0; i < n; i++) numbers[i] = cm_i32_(c, first + i);
        vector = n == 1 ? numbers[0] : spe_composite_const(m, vector, (uint32_t)n, numbers);
        if (s->cols) all = cm_position_(c, cm_copies_(c, s->col, n), vector, cm_copies_(c, s->cols, n));
        for (i = 0; i < n; i++) {
            cm_axis_ *one = &a->col[first + i];
            if (first + i > 0) distance = spe_iadd(m, distance, step);
            one->inside = all.inside ? cm_slice_(c, all.inside, i, 1) : 0;
            one->at = cm_or_zero_(c, one->inside, distance);
        }
    }
}

/* M < S: lanes have different columns, and some may be padding. */
static void cm_columns_spread_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, cm_axes_ *a)
{
    int i, across = l->S / l->I;
    spe_id j0 = cm_times_(c, cm_lane_(c, l).j0, l->omega);
    for (i = 0; i < a->cols; i++) {
        int first = i / l->omega * across * l->omega + i % l->omega, last = first + (across - 1) * l->omega;
        spe_id index = cm_plus_(c, j0, first);
        cm_axis_ one = cm_position_(c, s->col, index, s->cols);
        if (last >= l->cols) one.inside = cm_and_(c, one.inside, spe_ult(c->m, index, cm_i32_(c, l->cols)));
        a->col[i].inside = one.inside;
        a->col[i].at = cm_distance_(c, cm_or_zero_(c, one.inside, one.at), s->right);
    }
}

bool cm_axes_init_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, cm_axes_ *a)
{
    a->rows = l->K;
    a->cols = l->V / l->K;
    a->row = (cm_axis_ *)spe_alloc(c->m, (size_t)a->rows * sizeof(cm_axis_));
    a->col = (cm_axis_ *)spe_alloc(c->m, (size_t)a->cols * sizeof(cm_axis_));
    if (!a->row || !a->col) return false;
    cm_rows_(c, l, s, a);
    if (l->I == l->S)
        cm_columns_(c, s, a);
    else
        cm_columns_spread_(c, l, s, a);
    return spe_ok(c->m);
}

/* Is there any memory at all? Clamped loads read element (0, 0) of it. 0: nothing is checked. */
static spe_id cm_not_empty_(cm_ctx *c, const cm_surface_ *s)
{
    spe_id rows = s->rows ? spe_sgt(c->m, s->rows, cm_i32_(c, 0)) : 0;
    spe_id cols = s->cols ? spe_sgt(c->m, s->cols, cm_i32_(c, 0)) : 0;
    return cm_and_(c, cm_unless_true_(c, rows), cm_unless_true_(c, cols));
}

/* Bools for components v .. v + n: inside in both directions; 0 when nothing is tested. */
spe_id cm_inside_(cm_ctx *c, const cm_layout *l, const cm_axes_ *axes, int v, int n)
{
    spe_id rows[16], cols[16], whole[2] = {0, 0}, elem = spe_bool(c->m);
    int i, row = 0, col = 0;
    for (i = 0; i < n; i++) {
        cm_axes_of_(l, v + i, &row, &col);
        rows[i] = axes->row[row].inside;
        cols[i] = axes->col[col].inside;
        if (!rows[i])
            rows[i] = spe_const_bool(c->m, true);
        else
            whole[0] = rows[i];
        if (!cols[i])
            cols[i] = spe_const_bool(c->m, true);
        else
            whole[1] = cols[i];
    }
    if (whole[0]) whole[0] = l->K1 == 1 ? cm_copies_(c, rows[0], n) : cm_join_(c, elem, rows, n, 1);
    if (whole[1]) whole[1] = cm_join_(c, elem, cols, n, 1);
    return cm_and_(c, whole[0], whole[1]);
}

/* `words` words of a part, from component v on, packed as they are read so that few values are alive at a time. */
static spe_id cm_load_words_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, const cm_axes_ *axes, int v,
                                    int words)
{
    spe_id read[16], vector, inside, elem = cm_storage_type(c, l->type);
    int i, row, col, n = words * cm_channels_(l);
    for (i = 0; i < n; i++) {
        cm_axes_of_(l, v + i, &row, &col);
        read[i] = spe_load(c->m, spe_index(c->m, axes->row[row].at, axes->col[col].at),
                           (uint32_t)cm_type_info(l->type)->bytes);
    }
    vector = cm_join_(c, elem, read, n, 1);
    inside = cm_inside_(c, l, axes, v, n);
    if (inside) vector = spe_select(c->m, inside, vector, cm_copies_(c, s->padding, n));
    return cm_pack_(c, l, vector, words);
}

/* Method: load component by component, section "Load pseudo-code". What is outside reads an element inside and takes
 * the padding instead, so there is no branch a component; one branch around everything is for memory without elements.
 */
bool cm_load_lanes_(cm_ctx *c, const cm_layout *l, const cm_mem *mem, const cm_surface_ *s, cm_matrix *out)
{
    spe_id some = cm_not_empty_(c, s);
    cm_matrix none = cm_poison();
    cm_axes_ axes;
    int part, first, v = 0;
    (void)mem;
    *out = cm_new_(c, l);
    if (some) {
        none = cm_splat(c, l->rows, l->cols, l->type, l->use, s->zero_padding ? 0 : s->padding);
        spe_if(c->m, some);
    }
    if (!out->parts || !cm_axes_init_(c, l, s, &axes)) return true;
    for (part = 0; part < out->parts; part++) {
        int words = cm_part_words(l, part), group = cm_group_(l, words), pieces = 0;
        spe_id piece[8];
        for (first = 0; first < words; first += group, v += group * cm_channels_(l))
            piece[pieces++] = cm_load_words_(c, l, s, &axes, v, group);
        out->part[part] = cm_join_(c, cm_word_type_(c, l), piece, pieces, group);
    }
    if (some) spe_endif_from(c->m, (uint32_t)out->parts, out->part, none.part, out->part);
    return true;
}

/* Stores the components of one row of the axes (its test has been made). */
static void cm_store_row_(cm_ctx *c, const cm_layout *l, const cm_axes_ *axes, int wanted, const spe_id *v)
{
    spe_module *m = c->m;
    uint32_t size = (uint32_t)cm_type_info(l->type)->bytes;
    int i, row, col;
    for (i = 0; i < l->V; i++) {
        cm_axes_of_(l, i, &row, &col);
        if (row != wanted) continue;
        if (axes->col[col].inside) spe_if(m, axes->col[col].inside);
        spe_store(m, spe_index(m, axes->row[row].at, axes->col[col].at), v[i], size);
        if (axes->col[col].inside) spe_endif(m, 0, NULL, NULL);
    }
}

/* A branch a row of the lane, inside it one a column where lanes have different columns. */
static void cm_store_straight_(cm_ctx *c, const cm_matrix *a, const cm_surface_ *s)
{
    cm_axes_ axes;
    spe_id *v = cm_component_ids(c, a, a->l.type);
    int row;
    if (!v || !cm_axes_init_(c, &a->l, s, &axes)) return;
    for (row = 0; row < axes.rows; row++) {
        if (axes.row[row].inside) spe_if(c->m, axes.row[row].inside);
        cm_store_row_(c, &a->l, &axes, row, v);
        if (axes.row[row].inside) spe_endif(c->m, 0, NULL, NULL);
    }
}

/* Column `number` + i of the matrix, i a value: its rows (k1, k2) from the vectors of each block, i K1 + k1 in each. */
static void cm_store_column_(cm_ctx *c, const cm_layout *l, const cm_surface_ *s, const cm_axis_ *rows,
                                    int number, spe_id i, const spe_id *vectors)
{
    spe_module *m = c->m;
    spe_id far = cm_distance_(c, spe_iadd(m, cm_plus_(c, s->col, number), i), s->right);
    int row;
    for (row = 0; row < l->K; row++) {
        spe_id vector = vectors[row / l->K1], v = vector;
        if (spe_count(m, spe_type_of(m, vector)) > 1)
            v = spe_extract_dyn(m, vector, cm_plus_(c, cm_times_(c, i, l->K1), row % l->K1));
        if (rows[row].inside) spe_if(m, rows[row].inside);
        spe_store(m, spe_index(m, rows[row].at, far), v, (uint32_t)cm_type_info(l->type)->bytes);
        if (rows[row].inside) spe_endif(m, 0, NULL, NULL);
    }
}

/* M >= S with columns checked: loops over those columns of up to 16 components that are inside. */
static bool cm_store_loops_(cm_ctx *c, const cm_matrix *a, const cm_surface_ *s)
{
    const cm_layout *l = &a->l;
    int runs = spe_runs(cm_block_words_(l)), run, first, k2, number = 0;
    spe_id *vectors = (spe_id *)spe_alloc(c->m, (size_t)l->K2 * sizeof(spe_id));
    cm_axes_ axes;
    axes.rows = l->K;
    axes.row = (cm_axis_ *)spe_alloc(c->m, (size_t)l->K * sizeof(cm_axis_));
    if (!vectors || !axes.row) return true;
    cm_rows_(c, l, s, &axes);
    for (run = 0; run < runs; run++) {
        int words = cm_part_words(l, run), group = cm_group_(l, words), columns = group * l->omega;
        for (first = 0; first < words; first += group, number += columns) {
            spe_id ends[2][2], i;
            for (k2 = 0; k2 < l->K2; k2++) vectors[k2] = cm_unpack_(c, l, a->part[k2 * runs + run], first, group);
            ends[0][0] = spe_isub(c->m, cm_i32_(c, -number), s->col);
            ends[0][1] = cm_i32_(c, 0);
            ends[1][0] = spe_isub(c->m, spe_isub(c->m, s->cols, s->col), cm_i32_(c, number));
            ends[1][1] = cm_i32_(c, columns);
            i = spe_for(c->m, spe_math(c->m, SPE_SMAX, 2, ends[0]), spe_math(c->m, SPE_SMIN, 2, ends[1]), cm_i32_(c, 1),
                        0, NULL);
            cm_store_column_(c, l, s, axes.row, number, i, vectors);
            spe_endfor(c->m, 0, NULL);
        }
    }
    return true;
}

/* Method: store component by component. */
bool cm_store_lanes_(cm_ctx *c, const cm_matrix *a, const cm_mem *mem, const cm_surface_ *s)
{
    (void)mem;
    if (a->l.I == a->l.S && s->cols) return cm_store_loops_(c, a, s);
    cm_store_straight_(c, a, s);
    return true;
}
