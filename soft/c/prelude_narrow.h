/* prelude_narrow.h - deferred products of f16 (passes/deferred.c) in vectors of 8 floats, for CPUs that widen f16 while
 * they multiply (jit_widens_aside). Operands stay 16 bits for longer, so less memory is read and written: B is packed
 * as it is, and widened where it is multiplied. A stays where it is, and a row of fragments at a time is widened, into
 * memory that stays in the first-level cache. What the next products need is fetched meanwhile, a little at a time:
 * requests made all at once, when the blocks are loaded, hardly helped.
 */
#if S == 16 && defined(__AVX2__) && defined(__F16C__) && XS_HAS(__builtin_ia32_vcvtph2ps256)
enum { XS_NARROW_DEEP = 256, XS_NARROW_MORE = XS_NARROW_DEEP / 64 + 3 }; /* most k's together; pieces of `fetch` */
enum { XS_NARROW_ROW = XS_NARROW_DEEP + 4 }; /* floats from row to row: four rows, four banks of the cache */
enum { XS_HALVES_OF_F16 = 9 << 24 };         /* in a shape, with the others of prelude_matrix.h */
typedef short f16x8_mem __attribute__((vector_size(16), may_alias, aligned(1)));
typedef f32 narrow_sum __attribute__((vector_size(32), may_alias));
typedef f32 f32x8_mem __attribute__((vector_size(32), may_alias, aligned(4)));

/* A block of A where it is, or what follows of it. */
struct narrow_block {
    const u8 *first;
    u64 pitch;
    u32 piece; /* bytes as floats, which its fragments' places count */
};

XS_FUNCTION void narrow_a(u8 *own, int height, int count, u64 ptr, u32 mem_w, u32 mem_h, u32 pitch, i32 x, i32 y)
{
    const struct XS(block) b = {2, S, height, count, ptr, mem_w, mem_h, pitch, x, y};
    const struct XS(rows) r = XS(rows_of)(&b, 1, own + 32, height, S * 2);
    *(struct narrow_block *)(void *)own = (struct narrow_block){r.first, r.pitch, (u32)height * 64};
}

/* A block of B, whose pieces follow each other, each a row of 16 after another; returns its address. */
XS_FUNCTION const u8 *narrow_b(struct xs_subgroup *self, u8 *own, int height, int count, u64 ptr, u32 mem_w, u32 mem_h,
                               u32 pitch, i32 x, i32 y)
{
    const struct block_source s = {ptr, mem_w, mem_h, pitch, x, y, (u32)(XS_HALVES_OF_F16 | height << 8 | count)};
    const struct XS(block) b = {2, S, height, count, ptr, mem_w, mem_h, pitch, x, y};
    u8 *to, edge[XS(EDGE_BYTES)];
    if (XS(deferred_block)(self, &s, (u32)(height * count) * 32, own, &to)) return to;
    struct XS(rows) r = XS(rows_of)(&b, 1, edge, height, S * 2);
    for (int i = 0; i < height; i++, r.first += r.pitch)
        for (int p = 0; p < count; p++) __builtin_memcpy(to + (p * height + i) * 32, r.first + p * 32, 32);
    return to;
}

/* Rows of memory, two lines of each, to be fetched to the second-level cache (rows of a power of two evict each other
 * from the first), and those after them. */
struct narrow_fetch {
    const u8 *row;
    u64 pitch;
    long rows;
    const struct narrow_fetch *next;
};

XS_FORCED void narrow_fetch_row(struct narrow_fetch *f)
{
    __builtin_prefetch(f->row, 0, 2);
    __builtin_prefetch(f->row + 64, 0, 2);
    f->row += f->pitch;
    if (!--f->rows) *f = *f->next;
}

/* A row of fragments: sums c[j], each of m rows, to which rows[.. * XS_NARROW_ROW] times `steps` blocks of B, `deep`
 * k's each, are added; of column j, they are b[j * steps ...]. */
struct narrow_row {
    long nj, m, steps, deep;
    const f32 *rows;
    void *const *c;
    const u8 *const *b;
    struct narrow_fetch *fetch;
};

/* Sums of 4 rows and `columns` vectors, from row `row` and vector `q` on. */
XS_FORCED void narrow_tile(struct narrow_row g, long row, long q, int columns)
{
    narrow_sum sum[4][3], *c[3];
    const f32 *a = g.rows + row * XS_NARROW_ROW;
    XS_UNROLL for (int j = 0; j < columns; j++)
    {
        c[j] = (narrow_sum *)g.c[(q + j) / 2] + row * 2 + (q + j) % 2;
        XS_UNROLL for (int r = 0; r < 4; r++) sum[r][j] = c[j][r * 2];
    }
    for (long u = 0; u < g.steps; u++, a += g.deep) {
        const f16x8_mem *b[3];
        XS_UNROLL for (int j = 0; j < columns; j++) b[j] =
            (const f16x8_mem *)(const void *)g.b[(q + j) / 2 * g.steps + u] + (q + j) % 2;
        XS_UNROLL_4 for (long k = 0; k < g.deep; k++)
        {
            narrow_sum v[3];
            XS_UNROLL for (int j = 0; j < columns; j++)
            {
                v[j] = (narrow_sum)__builtin_ia32_vcvtph2ps256(b[j][k * 2]);
                XS_IN_REGISTER(v[j]);
            }
            XS_UNROLL for (int r = 0; r < 4; r++)
            {
                narrow_sum x = a[r * XS_NARROW_ROW + k] - (narrow_sum){0};
                XS_UNROLL for (int j = 0; j < columns; j++) sum[r][j] = sum[r][j] + x * v[j];
            }
        }
        narrow_fetch_row(g.fetch);
        narrow_fetch_row(g.fetch);
    }
    XS_UNROLL for (int j = 0; j < columns; j++) XS_UNROLL for (int r = 0; r < 4; r++) c[j][r * 2] = sum[r][j];
}

/* Three columns at a time, without leaving one. */
XS_FUNCTION void narrow_multiply(struct narrow_row g)
{
    for (long q = 0, left = 2 * g.nj, columns; left; q += columns, left -= columns) {
        columns = left == 2 || left == 4 ? 2 : 3;
        for (long row = 0; row < g.m; row += 4) {
            if (columns == 3)
                narrow_tile(g, row, q, 3);
            else
                narrow_tile(g, row, q, 2);
        }
    }
}

/* A row of fragments, nk in each of `steps` blocks, becomes floats. */
XS_FORCED void narrow_widen(f32 *to, const struct deferred_place *place, int nk, int m, int steps)
{
    for (int u = 0; u < steps; u++, to += nk * 16) {
        const struct narrow_block *a = (const struct narrow_block *)(const void *)place->unit[u];
        const u8 *row[XS_RUN];
        for (int k = 0; k < nk; k++) {
            u32 at = place[k].at;
            for (row[k] = a->first; at >= a->piece; at -= a->piece) row[k] += 32;
            row[k] += at / 64 * a->pitch;
        }
        for (int r = 0; r < m; r++)
            for (int k = 0; k < nk; k++, row[k - 1] += a->pitch) {
                f32x8_mem *wide = (f32x8_mem *)(to + r * XS_NARROW_ROW + k * 16);
                const f16x8_mem *from = (const f16x8_mem *)(const void *)row[k];
                wide[0] = (f32x8_mem)__builtin_ia32_vcvtph2ps256(from[0]);
                wide[1] = (f32x8_mem)__builtin_ia32_vcvtph2ps256(from[1]);
            }
    }
}

/* What the next products need: as much of A on the right, and of B what another subgroup packed, or the rows below. */
XS_FORCED void narrow_plan(struct narrow_fetch *f, const struct xs_thread *t, const u8 *a, const u8 *b, long rows,
                           long columns, long deep)
{
    const struct narrow_block *block = (const struct narrow_block *)(const void *)a;
    const struct block_source *source = (const struct block_source *)(const void *)b - 2;
    struct narrow_fetch *at = f + 1;
    for (long n = 0; n < deep * 2; n += 128, at++)
        *at = (struct narrow_fetch){block->first + 64 + n, block->pitch, rows, at + 1};
    if (t->shared && t->next < t->used) {
        *at = (struct narrow_fetch){t->shared + t->next, 128, columns * deep * 2 / 128 + 1, at + 1}, at++;
    } else if (t->shared && b > t->shared && b < t->shared + XS_SHARED_BYTES) {
        const u64 below = source->ptr + (u64)(source->y + (source->shape >> 8 & 0xff)) * source->pitch;
        *at = (struct narrow_fetch){(const u8 *)(below + (u64)source->x * 2), source->pitch, deep, at + 1}, at++;
    }
    *at = (struct narrow_fetch){a, 0, 1l << 40, NULL}; /* nothing more: what is in the cache */
    *f = f[1];
}

/* The products of `steps` steps, oldest first; the sums are c[i * nj + j]. A step has nk fragments along K: those of
 * row i are a[i * nk ...], in one block; of column j b[j * nk ...], of which each follows the one before it. */
XS_FUNCTION void narrow_products(struct xs_subgroup *self, int ni, int nj, int nk, void *const *c,
                                 const struct deferred_place *a, const struct deferred_place *b, int m, int steps)
{
    f32 rows[8 * XS_NARROW_ROW] XS_ALIGNED(64);
    const u8 *blocks[XS_DEFERRED];
    struct narrow_fetch fetch[XS_NARROW_MORE];
    struct narrow_row g = {nj, m, steps, 16 * nk, rows, c, blocks, fetch};
    for (int j = 0; j < nj; j++)
        for (int u = 0; u < steps; u++) blocks[j * steps + u] = b[j * nk].unit[u] + b[j * nk].at;
    narrow_plan(fetch, self->thread, a->unit[steps - 1], b->unit[steps - 1], ni * m, nj * S, 16 * nk * steps);
    for (int i = 0; i < ni; i++, a += nk, g.c += nj) {
        narrow_widen(rows, a, nk, m, steps);
        narrow_multiply(g);
    }
}
#endif
