/* prelude_amx.h - matrix products on the CPU's tile unit (Intel AMX), for subgroups of 16.
 *
 * A tile has up to 16 rows of 64 bytes: 16 x 16 sums, 16 rows of two fragments of A side by side, or two fragments of B
 * one below the other (four bytes of a column in a dword). This file contains:
 *   - tiles: the grids of products of prelude_matrix.h; fragments that are not in memory like a tile's rows are copied
 *     first;
 *   - tiles_deferred: the products of many steps of a loop, whose blocks each step has only stored as tiles
 *     (deferred_rows, deferred_columns; passes/deferred.c), so that sums are loaded and stored once in many steps;
 *   - deferred_columns: if nothing can have written the block in the meantime, a block of B that another subgroup of
 *     the work-group has already packed is not packed again.
 */
#if defined(XS_TILES) && S == 16

/* Opcode and prefix of the instruction. */
enum { XS_TILE_UU = 0x5e00, XS_TILE_US, XS_TILE_SU, XS_TILE_SS, XS_TILE_BF16 = 0x5c02, XS_TILE_F16 };

#define XS_TILE_LOAD(T, p, pitch)                                                                                      \
    __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #T : : "r"(p), "r"((long)(pitch)) : "memory")
#define XS_TILE_STORE(T, p, pitch)                                                                                     \
    __asm__ volatile("tilestored %%tmm" #T ", (%0,%1,1)" : : "r"(p), "r"((long)(pitch)) : "memory")
/* Encoded as bytes, since not every assembler knows all of them. */
#define XS_TILE_ADD(KIND, D, A, B)                                                                                     \
    __asm__ volatile(".byte 0xc4, 0xe2, %c0, %c1, %c2"                                                                 \
                     :                                                                                                 \
                     : "i"((15 - (B)) << 3 | ((KIND) & 3)), "i"((KIND) >> 8), "i"(0xc0 | (D) << 3 | (A)))
#define XS_TILE_ADD_ANY(kind, D, A, B)                                                                                 \
    switch (kind) {                                                                                                    \
    case XS_TILE_UU: XS_TILE_ADD(XS_TILE_UU, D, A, B); break;                                                          \
    case XS_TILE_US: XS_TILE_ADD(XS_TILE_US, D, A, B); break;                                                          \
    case XS_TILE_SU: XS_TILE_ADD(XS_TILE_SU, D, A, B); break;                                                          \
    case XS_TILE_SS: XS_TILE_ADD(XS_TILE_SS, D, A, B); break;                                                          \
    case XS_TILE_BF16: XS_TILE_ADD(XS_TILE_BF16, D, A, B); break;                                                      \
    default: XS_TILE_ADD(XS_TILE_F16, D, A, B); break;                                                                 \
    }

/* Tiles 0 to 3 are sums, 4 and 5 parts of A, 6 and 7 of B. Configuration takes hundreds of cycles, so a thread stays
 * configured until its share of the launch is done; no data remains in tiles between calls. */
XS_RARE void tiles_configure(struct xs_subgroup *self, int rows, int bytes)
{
    u8 config[64] XS_ALIGNED(64) = {1};
    for (int t = 0; t < 8; t++) {
        config[16 + 2 * t] = (u8)(t == 4 || t == 5 ? bytes : 64);
        config[48 + t] = (u8)(t >= 6 ? bytes / 4 : rows);
    }
    __asm__ volatile("ldtilecfg %0" : : "m"(config) : "memory");
    self->thread->tile_shape = (u32)(rows << 8 | bytes);
}

/* `n` pieces of `bytes` as one: in place if they are contiguous, else in `copy`. */
XS_FORCED const u8 *tile_pieces(const void *const *from, int step, int n, int bytes, u8 *copy)
{
    const u8 *first = (const u8 *)from[0];
    int apart = 0;
    for (int t = 1; t < n; t++) apart |= from[t * step] != first + t * bytes;
    if (!apart) return first;
    for (int t = 0; t < n; t++) __builtin_memcpy(copy + t * bytes, from[t * step], (size_t)bytes);
    return copy;
}

/* `n` fragments of A, `nk` apart, one below the other; each is `wide` fragments side by side. */
XS_FORCED const u8 *tile_of_a(const void *const *a, int nk, int n, int wide, int m, int tiled, u8 *copy)
{
    int apart = tiled != (wide == 2), pitch = tiled ? 64 : 32;
    for (int t = 0; t < n; t++) {
        apart |= (const u8 *)a[t * nk] != (const u8 *)a[0] + t * m * pitch;
        apart |= wide == 2 && (const u8 *)a[t * nk + 1] != (const u8 *)a[t * nk] + 32;
    }
    for (int t = 0; t < n * m && apart; t++) {
        for (int f = 0; f < wide; f++)
            __builtin_memcpy(copy + (t * wide + f) * 32, (const u8 *)a[t / m * nk + f] + t % m * pitch, 32);
    }
    return apart ? copy : (const u8 *)a[0];
}

/* Fragments of B one below the other, in dwords. */
XS_FORCED const u8 *XS(tile_of_b)(const void *const *b, int high, int packed, u8 *copy)
{
    if (packed) return tile_pieces(b, 1, high, 8 * (int)sizeof(u32x), copy);
    for (int r = 0; r < 8 * high; r++) {
        const u16x *k = (const u16x *)b[r / 8] + r % 8 * 2;
        ((u32x *)copy)[r] = XS_CONVERT(k[0], u32x) | XS_CONVERT(k[1], u32x) << 16;
    }
    return copy;
}

struct XS(tile_sums) {
    void *const *d;
    const void *const *c;
    int nj, n, bytes; /* n pieces of `bytes` bytes, nj apart */
    u8 copy[4][16 * 64] XS_ALIGNED(64);
};

XS_FORCED const u8 *XS(sums_from)(struct XS(tile_sums) * s, int at, int t)
{
    return tile_pieces(s->c + at, s->nj, s->n, s->bytes, s->copy[t]);
}

#define XS_SUMS_TO(s, at, t)                                                                                           \
    {                                                                                                                  \
        u8 *to = (u8 *)(uintptr_t)tile_pieces((const void *const *)(s)->d + (at), (s)->nj, (s)->n, (s)->bytes,         \
                                              (s)->copy[t]);                                                           \
        XS_TILE_STORE(t, to, 64);                                                                                      \
        for (int p = 0; p < (s)->n && to == (s)->copy[t]; p++)                                                         \
            __builtin_memcpy((s)->d[(at) + p * (s)->nj], to + p * (s)->bytes, (size_t)(s)->bytes);                     \
    }

/* Two by two tiles of sums at a time, in registers over all of K; two_i, two_j: whether there are two. */
XS_FORCED void XS(tile_block)(struct XS(tile_sums) * s, int kind, int at, int below, const u8 *const *a, int next_a,
                              const u8 *const *b, int next_b, int nk, int pitch, int two_i, int two_j)
{
    XS_TILE_LOAD(0, XS(sums_from)(s, at, 0), 64);
    if (two_j) XS_TILE_LOAD(1, XS(sums_from)(s, at + 1, 1), 64);
    if (two_i) XS_TILE_LOAD(2, XS(sums_from)(s, at + below, 2), 64);
    if (two_i && two_j) XS_TILE_LOAD(3, XS(sums_from)(s, at + below + 1, 3), 64);
    for (int k = 0; k < nk; k++) {
        XS_TILE_LOAD(6, b[k], 64);
        XS_TILE_LOAD(4, a[k], pitch);
        XS_TILE_ADD_ANY(kind, 0, 4, 6);
        if (two_j) {
            XS_TILE_LOAD(7, b[next_b + k], 64);
            XS_TILE_ADD_ANY(kind, 1, 4, 7);
        }
        if (!two_i) continue;
        XS_TILE_LOAD(5, a[next_a + k], pitch);
        XS_TILE_ADD_ANY(kind, 2, 5, 6);
        if (two_j) XS_TILE_ADD_ANY(kind, 3, 5, 7);
    }
    XS_SUMS_TO(s, at, 0);
    if (two_j) XS_SUMS_TO(s, at + 1, 1);
    if (two_i) XS_SUMS_TO(s, at + below, 2);
    if (two_i && two_j) XS_SUMS_TO(s, at + below + 1, 3);
}

/* ni x nj tiles of sums, of s->n fragments each; along K, `blocks` tiles of A (rows `pitch` apart, `bytes` long) and of
 * B: those of row i are a[i * blocks ...], of column j b[j * blocks ...]. */
XS_FUNCTION void XS(tile_products)(struct xs_subgroup *self, struct XS(tile_sums) * s, int kind, int ni, int blocks,
                                   const u8 *const *a, const u8 *const *b, int pitch, int bytes)
{
    int rows = s->bytes / 64 * s->n, nj = s->nj;
    if (self->thread->tile_shape != (u32)(rows << 8 | bytes)) tiles_configure(self, rows, bytes);
    for (int j = 0; j < nj; j += 2) {
        for (int i = 0; i < ni; i += 2)
            XS(tile_block)(s, kind, i * s->n * nj + j, s->n * nj, a + i * blocks, blocks, b + j * blocks, blocks,
                           blocks, pitch, i + 1 < ni, j + 1 < nj);
    }
}

/* The number of fragments of m rows in a tile. */
XS_FORCED int tile_height(int m, int ni)
{
    int n = 1;
    while (2 * n * m <= 16 && ni % (2 * n) == 0) n *= 2;
    return n;
}

/* A grid of products as in prelude_matrix.h, but with A and B unconverted, not as floats. */
XS_FUNCTION void XS(tiles)(struct xs_subgroup *self, int kind, int ni, int nj, int nk, void *const *d,
                           const void *const *c, const void *const *a, const void *const *b, int m, int form)
{
    u8 rows[XS_RUN][8 * 32] XS_ALIGNED(64), columns[XS_RUN][8 * 64] XS_ALIGNED(64);
    const u8 *tile_a[XS_RUN], *tile_b[XS_RUN];
    int n = tile_height(m, ni), wide = nk % 2 ? 1 : 2, blocks = nk / wide;
    struct XS(tile_sums) s;
    s.d = d, s.c = c, s.nj = nj, s.n = n, s.bytes = m * 64;
    for (int i = 0; i < ni / n; i++) {
        for (int k = 0; k < blocks; k++) {
            int at = i * n * nk + k * wide;
            tile_a[i * blocks + k] =
                tile_of_a(a + at, nk, n, wide, m, (form & XS_TILED_A) != 0, rows[i * n * nk + k * n * wide]);
        }
    }
    for (int j = 0; j < nj * blocks; j++)
        tile_b[j] = XS(tile_of_b)(b + j * wide, wide, form & XS_PACKED, columns[j * wide]);
    XS(tile_products)(self, &s, kind, ni / n, blocks, tile_a, tile_b, wide * 32, wide * 32);
}

#undef XS_TILE_LOAD
#undef XS_TILE_STORE
#undef XS_TILE_ADD
#undef XS_TILE_ADD_ANY
#undef XS_SUMS_TO

/* ---- products of many steps */

/* The products of `steps` steps, oldest first. A step has nk tiles along K, or half a tile (nk is 0), so that two steps
 * share a unit. The sums are in fragments c[i * nj + j] of m rows, n of which, one below the other, form a tile; tile k
 * of row i of tiles is a[i * nk + k], of column j b[j * nk + k]. */
XS_FUNCTION void XS(tiles_deferred)(struct xs_subgroup *self, int kind, int ni, int nj, int nk, void *const *c,
                                const struct deferred_place *a, const struct deferred_place *b, int m, int steps)
{
    const u8 *tile_a[XS_DEFERRED], *tile_b[XS_DEFERRED];
    int n = tile_height(m, ni), rows = ni / n, deep = nk ? nk : 1;
    int units = nk ? steps : steps / 2, last = nk ? 0 : steps % 2;
    struct XS(tile_sums) s;
    s.d = c, s.c = (const void *const *)c, s.nj = nj, s.n = n, s.bytes = m * 64;
    for (int u = 0, at = 0; u < units; u++) {
        for (int k = 0; k < deep; k++, at++) {
            for (int i = 0; i < rows; i++) tile_a[i * units * deep + at] = a[i * deep + k].unit[u] + a[i * deep + k].at;
            for (int j = 0; j < nj; j++) tile_b[j * units * deep + at] = b[j * deep + k].unit[u] + b[j * deep + k].at;
        }
    }
    if (units) XS(tile_products)(self, &s, kind, rows, units * deep, tile_a, tile_b, 64, 64);
    if (!last) return;
    for (int i = 0; i < rows; i++) tile_a[i] = a[i].unit[units] + a[i].at;
    for (int j = 0; j < nj; j++) tile_b[j] = b[j].unit[units] + b[j].at;
    XS(tile_products)(self, &s, kind, rows, 1, tile_a, tile_b, 64, 32);
}

/* ---- blocks packed as tiles --- */

/* A block as rows of tiles of A: `bytes` of each row, 64 apart. */
XS_FUNCTION void XS(deferred_rows)(u8 *to, int bytes, int elem_bytes, int height, u64 ptr, u32 mem_w, u32 mem_h,
                                   u32 pitch, i32 x, i32 y)
{
    const struct XS(block) b = {elem_bytes, bytes / elem_bytes, height, 1, ptr, mem_w, mem_h, pitch, x, y};
    u8 edge[XS(EDGE_BYTES)];
    struct XS(rows) r = XS(rows_of)(&b, 1, edge, height, bytes);
    for (int i = 0; i < height; i++, r.first += r.pitch, to += 64) {
        XS(copy_line)(to, r.first, bytes);
        __builtin_prefetch(r.first + 64, 0, 2);
    }
}

/* Packs a block, with each column's dwords one below the other; pieces begin `piece` bytes apart. */
XS_FUNCTION void XS(deferred_pack)(u8 *to, int piece, int elem_bytes, int height, int count,
                                   const struct block_source *s)
{
    const struct XS(block) b = {elem_bytes, 16, height, count, s->ptr, s->mem_w, s->mem_h, s->pitch, s->x, s->y};
    u8 edge[XS(EDGE_BYTES)];
    const struct XS(rows) r = XS(rows_of)(&b, 1, edge, height, 16 * elem_bytes);
    if (elem_bytes == 2) XS(pack)(to, piece, r, 2, height / 2, count);
    else XS(pack)(to, piece, r, 1, height / 4, count);
}

/* A block of B as tiles: returns its address, in `own` or shared. Of a unit of two half tiles (`halves` is 2) this is
 * `half`; if it is the second, the first is at `before`. */
XS_FUNCTION const u8 *XS(deferred_columns)(struct xs_subgroup *self, int shared, u8 *own, const u8 *before, int half,
                                       int halves, int elem_bytes, int height, int count, u64 ptr, u32 mem_w, u32 mem_h,
                                       u32 pitch, i32 x, i32 y)
{
    const u32 shape = (u32)(halves << 24 | elem_bytes << 16 | height << 8 | count);
    struct block_source s = {ptr, mem_w, mem_h, pitch, x, y, shape}, *known = 0;
    int rows = height * elem_bytes / 4, piece = rows * halves * 64;
    u8 *to = own;
    if (half && before != own) {
        known = (struct block_source *)(uintptr_t)before - 1;
        to = (u8 *)(uintptr_t)before;
        if (known->shape && !same_source(known, &s)) { /* the same first half may have another second half */
            __builtin_memcpy(own, before, (size_t)(piece * count));
            known = 0;
            to = own;
        }
    } else if (!half && shared && self->thread->shared) {
        to = shared_block(self->thread, &s, (u32)(piece * count), own);
        if (to != own) known = (struct block_source *)(void *)to - 2;
    }
    if (known && known->shape) return to;
    if (known) *known = s;
    XS(deferred_pack)(to + half * rows * 64, piece, elem_bytes, height, count, &s);
    return to;
}
#endif
