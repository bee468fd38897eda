/* prelude_amx.h - the grids of products of prelude_matrix.h with the CPU's tile unit (Intel AMX), for subgroups of 16.
 *
 * A tile has 16 rows of 64 bytes, or less: 16 x 16 sums, 16 rows of two fragments of A side by side, or two of B below
 * each other. Fragments that do not lie in memory as a tile's rows would are copied first.
 */
#if defined(XS_TILES) && S == 16

/* Opcode and prefix of the instruction. */
enum { XS_TILE_UU = 0x5e00, XS_TILE_US, XS_TILE_SU, XS_TILE_SS, XS_TILE_BF16 = 0x5c02, XS_TILE_F16 };

#define XS_TILE_LOAD(T, p, pitch)                                                                                      \
    __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #T : : "r"(p), "r"((long)(pitch)) : "memory")
#define XS_TILE_STORE(T, p, pitch)                                                                                     \
    __asm__ volatile("tilestored %%tmm" #T ", (%0,%1,1)" : : "r"(p), "r"((long)(pitch)) : "memory")
/* By its bytes, since not every assembler knows them all. */
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

/* Tiles 0 to 3 are sums, 4 and 5 of A, 6 and 7 of B. This takes hundreds of cycles, so a thread stays configured until
 * its share of the launch is done; nothing is left in the tiles from one call to the next. */
XS_RARE void tiles_configure(struct xs_subgroup *self, int rows, int bytes)
{
    u8 config[64] XS_ALIGNED(64) = {1};
    for (int t = 0; t < 8; t++) {
        config[16 + 2 * t] = (u8)(t == 4 || t == 5 ? bytes : 64);
        config[48 + t] = (u8)(t >= 6 ? bytes / 4 : rows);
    }
    __asm__ volatile("ldtilecfg %0" : : "m"(config) : "memory");
    *self->tiles = (u32)(rows << 8 | bytes);
}

/* `n` pieces of `bytes` as one: where they stand, if they follow each other, else in `copy`. */
XS_INLINE const u8 *tile_pieces(const void *const *from, int step, int n, int bytes, u8 *copy)
{
    const u8 *first = (const u8 *)from[0];
    int apart = 0;
    for (int t = 1; t < n; t++) apart |= from[t * step] != first + t * bytes;
    if (!apart) return first;
    for (int t = 0; t < n; t++) __builtin_memcpy(copy + t * bytes, from[t * step], (size_t)bytes);
    return copy;
}

/* `n` fragments of A, `nk` apart, below each other; of each as many as a tile is wide, side by side. */
XS_INLINE const u8 *tile_of_a(const void *const *a, int nk, int n, int wide, int m, int tiled, u8 *copy)
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

/* Fragments of B below each other, in dwords. */
XS_INLINE const u8 *XS(tile_of_b)(const void *const *b, int high, int packed, u8 *copy)
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
    int nj, n, bytes; /* n pieces of so many bytes, nj apart */
    u8 copy[4][16 * 64] XS_ALIGNED(64);
};

XS_INLINE const u8 *XS(sums_from)(struct XS(tile_sums) * s, int at, int t)
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

/* Two by two tiles of sums at a time, in registers over all of K; two_i, two_j: are there two? */
XS_INLINE void XS(tile_block)(struct XS(tile_sums) * s, int kind, int at, int below, const u8 *const *a, int next_a,
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

/* A grid as above; A and B as they are, not as floats. */
XS_FUNCTION void XS(tiles)(struct xs_subgroup *self, int kind, int ni, int nj, int nk, void *const *d,
                           const void *const *c, const void *const *a, const void *const *b, int m, int form)
{
    u8 rows[XS_RUN][8 * 32] XS_ALIGNED(64), columns[XS_RUN][8 * 64] XS_ALIGNED(64);
    const u8 *tile_a[XS_RUN], *tile_b[XS_RUN];
    int n = 1, wide = nk % 2 ? 1 : 2, blocks = nk / wide;
    while (2 * n * m <= 16 && ni % (2 * n) == 0) n *= 2;
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
    if (*self->tiles != (u32)(n * m << 8 | wide * 32)) tiles_configure(self, n * m, wide * 32);
    for (int j = 0; j < nj; j += 2) {
        for (int i = 0; i < ni / n; i += 2)
            XS(tile_block)(&s, kind, i * n * nj + j, n * nj, tile_a + i * blocks, blocks, tile_b + j * blocks, blocks,
                           blocks, wide * 32, i + 1 < ni / n, j + 1 < nj);
    }
}

XS_INLINE void XS(tile)(struct xs_subgroup *self, int kind, void *d, const void *c, const void *a, const void *b, int m,
                        int form)
{
    XS(tiles)(self, kind, 1, 1, 1, &d, &c, &a, &b, m, form);
}
#undef XS_TILE_LOAD
#undef XS_TILE_STORE
#undef XS_TILE_ADD
#undef XS_TILE_ADD_ANY
#undef XS_SUMS_TO

/* ---- blocks */

/* Two pieces of 32 bytes a row: where tiles multiply them, their rows stay as they are in memory, side by side. */
XS_FUNCTION void XS(block2d_load_pairs)(void *dst, int elem_bytes, int height, u64 ptr, u32 mem_w, u32 mem_h, u32 pitch,
                                        i32 x, i32 y)
{
    struct XS(block) b = {elem_bytes, 64 / elem_bytes, height, 1, ptr, mem_w, mem_h, pitch, x, y};
    const u8 *line = (const u8 *)(uintptr_t)(ptr + (u64)((i64)y * (i64)pitch + (i64)x * elem_bytes));
    int inside = XS(block_inside)(&b);
    for (int i = 0; i < height; i++, line += pitch) {
        u8 *row = (u8 *)dst + i * 64;
        if (inside) {
            __builtin_memcpy(row, line, 64);
            __builtin_prefetch(line + 64, 0, 2);
        } else {
            __builtin_memset(row, 0, 64);
            XS(block_row)(&b, 0, i, row, 0);
        }
    }
}
#endif
