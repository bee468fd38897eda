/* prelude_matrix.h - small floats, matrix products and two-dimensional blocks, for the current subgroup size S.
 *
 * A fragment is an array of lane vectors: component c of every lane is element c. Data that the Intel extensions
 * distribute over lanes is in these arrays as plain matrices, which the code below relies on:
 *   - operand A: the bytes of component i, lane after lane, are row i (32 bytes for any type);
 *   - operand B: dword r of lane n holds the k's of row group r in column n (VNNI);
 *   - C and the result: component i, lane n is element (i, n).
 */
#ifndef XETILE_SOFT_PRELUDE_MATRIX_ONCE
#define XETILE_SOFT_PRELUDE_MATRIX_ONCE

enum { XS_RUN = 8 }; /* maximum fragments of A, and of B, in a grid of products */
enum { XS_SIGNED_B = 1, XS_SIGNED_A = 2 }; /* integers: which are signed; XS_SIGNS of a product's form */
enum { XS_SIGNS = 3, XS_PACKED = 4, XS_WIDE_A = 8, XS_WIDE_B = 16, XS_TILED_A = 32, XS_COLUMNS_B = 64, XS_APART = 128 };
/* forms of operands; with XS_APART, also of sums */

#ifdef __has_builtin
#define XS_HAS(builtin) __has_builtin(builtin)
#else
#define XS_HAS(builtin) 0
#endif

XS_INLINE f32 f16_to_f32(u16 h)
{
    u32 sign = (u32)(h & 0x8000) << 16, o = (u32)(h & 0x7fff) << 13, exponent = o & 0x0f800000u;
    o += 112u << 23;
    if (exponent == 0x0f800000u) {
        o += 112u << 23; /* infinity, NaN */
    } else if (exponent == 0) {
        o = bits_f32(f32_bits(o + (1u << 23)) - 0x1p-14f); /* subnormal: the subtraction normalises it */
    }
    return f32_bits(o | sign);
}

/* Round to nearest even. */
XS_INLINE u16 f32_to_f16(f32 f)
{
    u32 x = bits_f32(f), a = x & 0x7fffffffu, r;
    if (a > 0x7f800000u) {
        r = 0x7e00u | (a >> 13 & 0x3ffu);
    } else if (a >= 0x477ff000u) {
        r = 0x7c00u;
    } else if (a >= 0x38800000u) {
        r = (a - (112u << 23) + 0xfffu + (a >> 13 & 1)) >> 13;
    } else {
        r = bits_f32(f32_bits(a) + 0.5f) - bits_f32(0.5f); /* a unit of 0.5f is a unit of the subnormals */
    }
    return (u16)(r | (x >> 16 & 0x8000u));
}

XS_INLINE f32 bf16_to_f32(u16 h) { return f32_bits((u32)h << 16); }

XS_INLINE u16 f32_to_bf16(f32 f)
{
    u32 x = bits_f32(f);
    if ((x & 0x7fffffffu) > 0x7f800000u) return (u16)(x >> 16 | 0x40u);
    return (u16)((x + 0x7fffu + (x >> 16 & 1)) >> 16);
}

XS_INLINE f32 round_tf32(f32 f)
{
    u32 x = bits_f32(f);
    if ((x & 0x7f800000u) == 0x7f800000u) return f;
    return f32_bits((x + 0xfffu + (x >> 13 & 1)) & ~0x1fffu);
}

/* 8-bit floats. Only E5M2 has infinity; E4M3 has a single NaN, all ones. */
XS_INLINE f32 e5m2_to_f32(u8 b) { return f16_to_f32((u16)(b << 8)); }

XS_INLINE f32 e4m3_to_f32(u8 b)
{
    u32 sign = (u32)(b & 0x80) << 24, exponent = b >> 3 & 15, mantissa = b & 7;
    if ((b & 0x7f) == 0x7f) return f32_bits(sign | 0x7fc00000u);
    if (exponent == 0) return f32_bits(sign | bits_f32((f32)mantissa * 0x1p-9f));
    return f32_bits(sign | (exponent + 120) << 23 | mantissa << 20);
}

/* Rounds |x| to an 8-bit float with `bits` mantissa bits and smallest normal exponent `low`: the encoding without sign,
 * not checked for overflow. */
XS_INLINE u32 f8_round(u32 a, u32 bits, u32 low)
{
    u32 drop = 23 - bits, unit;
    if (a >= (low + 127) << 23)
        return ((a + ((1u << (drop - 1)) - 1) + (a >> drop & 1)) >> drop) - ((low + 126) << bits);
    unit = (low + 127 + 23 - bits) << 23; /* a number whose last place is the subnormals' unit */
    return bits_f32(f32_bits(a) + f32_bits(unit)) - unit;
}

XS_INLINE u8 f32_to_e4m3(f32 f, int saturate)
{
    u32 x = bits_f32(f), a = x & 0x7fffffffu, sign = x >> 24 & 0x80u, r;
    if (a > 0x7f800000u) return (u8)(sign | 0x7fu);
    r = a >= 0x43f00000u ? 0x7fu : f8_round(a, 3, (u32)-6); /* 480 and more exceeds 448 even after rounding */
    if (r > 0x7eu) r = saturate ? 0x7eu : 0x7fu;
    return (u8)(sign | r);
}

XS_INLINE u8 f32_to_e5m2(f32 f, int saturate)
{
    u32 x = bits_f32(f), a = x & 0x7fffffffu, sign = x >> 24 & 0x80u, r;
    if (a > 0x7f800000u) return (u8)(sign | 0x7eu);
    r = a >= 0x47800000u ? 0x7cu : f8_round(a, 2, (u32)-14);
    if (r > 0x7bu) r = saturate ? 0x7bu : 0x7cu;
    return (u8)(sign | r);
}
XS_INLINE u8 f32_to_e4m3_rne(f32 f) { return f32_to_e4m3(f, 0); }
XS_INLINE u8 f32_to_e4m3_sat(f32 f) { return f32_to_e4m3(f, 1); }
XS_INLINE u8 f32_to_e5m2_rne(f32 f) { return f32_to_e5m2(f, 0); }
XS_INLINE u8 f32_to_e5m2_sat(f32 f) { return f32_to_e5m2(f, 1); }

typedef u32 u32x8_mem __attribute__((vector_size(32), may_alias, aligned(1)));

/* Hides the origin of v from the compiler, so that it stays in a register instead of being reloaded for every use. */
#if defined(__SSE2__)
#define XS_IN_REGISTER(v) __asm__("" : "+v"(v))
#else
#define XS_IN_REGISTER(v) (void)0
#endif

/* Eight at a time, in memory: gcc 12 handles vectors wider than the CPU's badly. */
#if defined(__F16C__) && XS_HAS(__builtin_ia32_vcvtph2ps256)
#define XS_EIGHT 8
XS_INLINE void eight_f16_to_f32(f32 *to, const void *from)
{
    typedef short v8 __attribute__((vector_size(16), may_alias, aligned(1)));
    typedef f32 v8f __attribute__((vector_size(32), may_alias));
    *(v8f *)to = __builtin_ia32_vcvtph2ps256(*(const v8 *)from);
}
XS_INLINE void eight_bf16_to_f32(f32 *to, const void *from)
{
    typedef short v8 __attribute__((vector_size(16), may_alias, aligned(1)));
    typedef u32 v8u __attribute__((vector_size(32), may_alias));
#if XS_HAS(__builtin_ia32_pmovzxwd256)
    *(v8u *)to = (v8u)__builtin_ia32_pmovzxwd256(*(const v8 *)from) << 16;
#else
    typedef u16 v8h __attribute__((vector_size(16)));
    *(v8u *)to = __builtin_convertvector((v8h) * (const v8 *)from, v8u) << 16;
#endif
}
#elif XS_HAS(__builtin_shufflevector)
#define XS_EIGHT 8
#define XS_ZIP(a, b, n) (u32x4_mem) __builtin_shufflevector(a, b, n, n + 8, n + 1, n + 9, n + 2, n + 10, n + 3, n + 11)
typedef u16 u16x8_mem __attribute__((vector_size(16), may_alias, aligned(1)));
typedef u32 u32x4_mem __attribute__((vector_size(16), may_alias, aligned(1)));
/* From the upper halves of h; the sign and the other bits move to their places in a float. The factor corrects the
 * exponent, also of subnormals. */
XS_INLINE u32x4_mem four_f16_to_f32(u32x4_mem h, u32x4_mem special)
{
    typedef i32 v4i __attribute__((vector_size(16)));
    typedef f32 v4f __attribute__((vector_size(16)));
    XS_IN_REGISTER(h);
    return (u32x4_mem)((v4f)((u32x4_mem)((v4i)h >> 3) & 0x8fffe000u) * 0x1p112f) | special;
}
XS_INLINE void eight_f16_to_f32(f32 *to, const void *from)
{
    typedef i16 v8i __attribute__((vector_size(16)));
    const u16x8_mem h = *(const u16x8_mem *)from, zero = {0};
    const u16x8_mem special = (u16x8_mem)((v8i)(h & 0x7fff) > 0x7bff) & 0x7f80; /* infinity, NaN */
    ((u32x4_mem *)to)[0] = four_f16_to_f32(XS_ZIP(h, h, 0), XS_ZIP(zero, special, 0));
    ((u32x4_mem *)to)[1] = four_f16_to_f32(XS_ZIP(h, h, 4), XS_ZIP(zero, special, 4));
}
XS_INLINE void eight_bf16_to_f32(f32 *to, const void *from)
{
    const u16x8_mem h = *(const u16x8_mem *)from, zero = {0};
    ((u32x4_mem *)to)[0] = XS_ZIP(zero, h, 0);
    ((u32x4_mem *)to)[1] = XS_ZIP(zero, h, 4);
}
#undef XS_ZIP
#endif
/* ---- blocks shared by the subgroups of a work-group, and deferred products (passes/deferred.c) */

enum { XS_DEFERRED = 64 }; /* maximum tiles or fragments of A, and of B, with deferred products */

/* A tile, or a fragment of floats, in each unit of a queue: unit u is at unit[u]. */
struct deferred_place {
    const u8 *const *unit;
    u32 at;
};

/* The source of a block of B. */
struct block_source {
    u64 ptr;
    u32 mem_w, mem_h, pitch;
    i32 x, y;
    u32 shape; /* halves of a unit, bytes per element, rows, pieces; 0: empty */
};
/* In a shape in place of halves and element; for quads plus the signs. */
enum { XS_FLOATS_OF_F16 = 3 << 24, XS_FLOATS_OF_BF16 = 4 << 24, XS_QUADS = 5 << 24, XS_COLUMNS_OF_F16 = 6 << 24 };
enum { XS_COLUMNS_OF_BF16 = 7 << 24 };

/* Blocks shared by the subgroups of a work-group are stored in the thread's memory one after the other: first their
 * source (two halves of a tile may have two sources), then the block. A hash table at the beginning, by the first
 * source, has their positions. Nothing is removed until the next work-group begins; when the memory is full, further
 * blocks are not shared. */
enum { XS_SHARED_TABLE = 8192, XS_SHARED_START = XS_SHARED_TABLE * 4 }; /* exceeds the blocks of 576 bytes that fit */

XS_INLINE void share_begin(struct xs_subgroup *self, u32 x, u32 y, u32 z)
{
    struct xs_thread *t = self->thread;
    u64 group = 1 + x + self->group_count[0] * (y + (u64)self->group_count[1] * z);
    if (t->group == group || !t->shared) return;
    t->group = group;
    t->used = t->next = XS_SHARED_START;
    __builtin_memset(t->shared, 0, XS_SHARED_START);
    if (self->subgroup_count == 1) t->used = t->next = XS_SHARED_BYTES; /* nothing to share */
}

XS_INLINE int same_source(const struct block_source *a, const struct block_source *b)
{
    return a->ptr == b->ptr && a->mem_w == b->mem_w && a->mem_h == b->mem_h && a->pitch == b->pitch && a->x == b->x &&
           a->y == b->y && a->shape == b->shape;
}

XS_INLINE u8 *shared_unit(struct xs_thread *t, u32 at, u32 bytes)
{
    t->next = at + 64 + bytes;
    __builtin_prefetch(t->shared + t->next);
    return t->shared + at + 64;
}

/* Where the block requested next probably is; NULL if unknown. */
XS_INLINE const u8 *next_block(const struct xs_subgroup *self)
{
    const struct xs_thread *t = self->thread;
    return t->shared ? t->shared + t->next : NULL;
}

/* Where the block is, or can be stored: `own` if there is no room. Subgroups usually ask in the same order as the
 * first. */
XS_FUNCTION u8 *shared_block(struct xs_thread *t, const struct block_source *s, u32 bytes, u8 *own)
{
    u64 h = ((s->ptr + s->pitch) ^ ((u64)(u32)s->x << 32 | (u32)s->y) * 0x9e3779b97f4a7c15u) * 0xc2b2ae3d27d4eb4fu;
    u32 *table = (u32 *)(void *)t->shared, slot = (u32)(h >> 51);
    if (t->next < t->used && same_source((const struct block_source *)(const void *)(t->shared + t->next), s))
        return shared_unit(t, t->next, bytes);
    for (; table[slot]; slot = (slot + 1) % XS_SHARED_TABLE)
        if (same_source((const struct block_source *)(const void *)(t->shared + table[slot]), s))
            return shared_unit(t, table[slot], bytes);
    if (t->used + 64 + bytes > XS_SHARED_BYTES) return own;
    table[slot] = t->used;
    __builtin_memset(t->shared + t->used, 0, 64); /* room for two sources, both empty */
    t->used += 64 + bytes;
    return shared_unit(t, table[slot], bytes);
}

enum { XS_BLOCK_BYTES = 64 * 32 * 4 }; /* maximum block: 64 bytes per row, 32 rows, 4 pieces */
enum { XS_ACC_F32, XS_ACC_F16, XS_ACC_BF16 }; /* types of C or the result of a float product */
#endif

/* ---- vectors of small floats */

#if S == 16 && defined(__AVX512F__) && XS_HAS(__builtin_ia32_vcvtph2ps512_mask)
typedef short f16x16_bits __attribute__((vector_size(32)));
XS_INLINE f32x XS(f16_to_f32)(u16x h)
{
    return (f32x)__builtin_ia32_vcvtph2ps512_mask((f16x16_bits)h, (f32x){0}, (unsigned short)-1, 4);
}
XS_INLINE u16x XS(f32_to_f16)(f32x f)
{
    return (u16x)__builtin_ia32_vcvtps2ph512_mask(f, 0, (f16x16_bits){0}, (unsigned short)-1);
}
#else
#ifdef XS_EIGHT
XS_INLINE f32x XS(f16_to_f32)(u16x h)
{
    f32 r[S] XS_ALIGNED(64);
    f32x v;
    XS_UNROLL for (int i = 0; i < S; i += 8) eight_f16_to_f32(r + i, (const u16 *)&h + i);
    __builtin_memcpy(&v, r, sizeof v);
    return v;
}
#else
XS_INLINE f32x XS(f16_to_f32)(u16x h)
{
    u32x w = XS_CONVERT(h, u32x), a = w & 0x7fffu, special = (u32x)((i32x)(0x7bffu - a) >> 31); /* all bits, or none */
    f32x r = (f32x)(a << 13) * 0x1p112f; /* subnormals, too */
    return (f32x)((u32x)r | (w & 0x8000u) << 16 | (special & 0x7f800000u));
}
#endif
#if defined(__F16C__) && XS_HAS(__builtin_ia32_vcvtph2ps256)
XS_INLINE u16x XS(f32_to_f16)(f32x f)
{
    typedef short v8 __attribute__((vector_size(16)));
    typedef f32 v8f __attribute__((vector_size(32)));
    v8f in[S / 8];
    v8 out[S / 8];
    u16x r;
    __builtin_memcpy(in, &f, sizeof in);
    for (int i = 0; i < S / 8; i++) out[i] = __builtin_ia32_vcvtps2ph256(in[i], 0);
    __builtin_memcpy(&r, out, sizeof r);
    return r;
}
#else
XS_FUNCTION void XS(each_f32_to_f16)(u16x *to, const f32x *from)
{
    u32x x = (u32x)*from, a = x & 0x7fffffffu, sign = x >> 16 & 0x8000u;
    u32x normal = (a - (112u << 23) + 0xfffu + (a >> 13 & 1)) >> 13;
    u32x subnormal = (u32x)((f32x)(a & (u32x)(a < 0x38800000u)) + 0.5f) - 0x3f000000u;
    u32x r = XS(sel_u32)((i32x)(a < 0x38800000u), subnormal, normal);
    r = XS(sel_u32)((i32x)(a >= 0x477ff000u), (u32x){0} + 0x7c00u, r);
    r = XS(sel_u32)((i32x)(a > 0x7f800000u), 0x7e00u | (a >> 13 & 0x3ffu), r);
    *to = XS_CONVERT(r | sign, u16x);
}
XS_INLINE u16x XS(f32_to_f16)(f32x f)
{
    u16x r;
    XS(each_f32_to_f16)(&r, &f);
    return r;
}
#endif
#endif

XS_INLINE f32x XS(bf16_to_f32)(u16x h) { return (f32x)(XS_CONVERT(h, u32x) << 16); }

/* The same in memory. */
#if defined(XS_EIGHT) && XS_NATIVE < 64
#define XS_READ_FLOATS(NAME, to, from)                                                                                 \
    XS_UNROLL for (int i = 0; i < S; i += 8) eight_##NAME((f32 *)to + i, (const u8 *)from + 2 * i)
#else
#define XS_READ_FLOATS(NAME, to, from) *to = XS(NAME)(*(const u16x_mem *)from)
#endif
#define XS_FLOATS_AT(NAME)                                                                                             \
    XS_INLINE void XS(NAME##_at)(f32x * to, const void *from) { XS_READ_FLOATS(NAME, to, from); }
XS_FLOATS_AT(f16_to_f32)
XS_FLOATS_AT(bf16_to_f32)
#undef XS_READ_FLOATS
#undef XS_FLOATS_AT

XS_INLINE u16x XS(f32_to_bf16)(f32x f)
{
    u32x x = (u32x)f, rounded = (x + 0x7fffu + (x >> 16 & 1)) >> 16;
    return XS_CONVERT(XS(sel_u32)((i32x)((x & 0x7fffffffu) > 0x7f800000u), x >> 16 | 0x40u, rounded), u16x);
}

XS_INLINE f32x XS(round_tf32)(f32x f)
{
    u32x x = (u32x)f, rounded = (x + 0xfffu + (x >> 13 & 1)) & ~0x1fffu;
    return (f32x)XS(sel_u32)((i32x)((x & 0x7f800000u) == 0x7f800000u), x, rounded);
}

#define XS_SMALL_FLOAT(NAME, R, T)                                                                                     \
    XS_FUNCTION R##x XS(NAME)(T##x v)                                                                                  \
    {                                                                                                                  \
        R##x r;                                                                                                        \
        R to[S];                                                                                                       \
        T from[S];                                                                                                     \
        __builtin_memcpy(from, &v, sizeof from);                                                                       \
        for (int l = 0; l < S; l++) to[l] = NAME(from[l]);                                                             \
        __builtin_memcpy(&r, to, sizeof r);                                                                            \
        return r;                                                                                                      \
    }
XS_SMALL_FLOAT(e4m3_to_f32, f32, u8)
XS_SMALL_FLOAT(e5m2_to_f32, f32, u8)
XS_SMALL_FLOAT(f32_to_e4m3_rne, u8, f32)
XS_SMALL_FLOAT(f32_to_e4m3_sat, u8, f32)
XS_SMALL_FLOAT(f32_to_e5m2_rne, u8, f32)
XS_SMALL_FLOAT(f32_to_e5m2_sat, u8, f32)
#undef XS_SMALL_FLOAT

/* ---- products: D[m x S] = A[m x K] B[K x S] + C. The hardware has subgroup sizes of 8 and 16 only.
 *
 * Consecutive products that form a grid are computed together: ni fragments of A by nj of B, with nk of each along K.
 * Fragment f of row i is a[i * nk + f], of column j b[j * nk + f], and the sums are c[i * nj + j] and d[i * nj + j]. A
 * tile of sums, a few rows by a few vectors of the CPU's size, stays in registers over all of K. It has at least as
 * many sums as multiplications can be in flight: 8 of FMA.
 */

#define XS_PIECE (4 * S < XS_NATIVE ? 4 * S : XS_NATIVE) /* bytes per vector of a tile */
#define XS_PIECES (4 * S / XS_PIECE)
typedef f32 XS(f32p) __attribute__((vector_size(XS_PIECE), may_alias));
typedef u32 XS(u32p) __attribute__((vector_size(XS_PIECE), may_alias));
typedef u16 XS(u16p) __attribute__((vector_size(XS_PIECE), may_alias));
typedef i16 XS(i16p) __attribute__((vector_size(XS_PIECE), may_alias));
typedef i32 XS(i32p) __attribute__((vector_size(XS_PIECE), may_alias));

struct XS(grid) {
    long ni, nj, nk, m;
    void *const *d;
    const void *const *c, *const *a, *const *b;
    const u32x *less; /* to be subtracted from the sums of each column first */
    const u8 *next;   /* where B of the next products begins, if that is known */
};

/* Rows and columns of a tile. For the remainder: one row, two columns or one. With XS_TALL, fragments of 8 rows are
 * multiplied by two columns: a column of B, which often comes from the second-level cache, is loaded half as often. The
 * quick tier does without, as another tile takes time to compile. */
#if XS_NATIVE == 64 || defined(__aarch64__) /* 32 registers */
#ifndef XS_QUICK
#define XS_TALL 8
#endif
#define XS_ROWS 4
#define XS_COLUMNS_f32 4
#define XS_COLUMNS_u32 4
#elif XS_NATIVE == 32 /* 16, and FMA */
#define XS_ROWS 4
#define XS_COLUMNS_f32 3
#define XS_COLUMNS_u32 2
#else
#define XS_ROWS 2
#define XS_COLUMNS_f32 4
#define XS_COLUMNS_u32 4
#endif
#ifndef XS_TALL
#define XS_TALL XS_ROWS
#endif

/* Fetches what the next products need of B while this tile is multiplied: in fragment f, its share of as many bytes as
 * its columns have there. */
#define XS_FETCH_NEXT(STEPS)                                                                                           \
    if (line)                                                                                                          \
        for (long n = 0; n < lines; n++, line += 64) __builtin_prefetch(line);

/* A tile from row `row` of A's fragments and piece `q` of B's on. Inlined with constant rows, columns and STEPS (words
 * per row of A, rows of B). */
#define XS_GRID(NAME, T, STEPS, START, MULTIPLY_ADD)                                                                   \
    XS_FORCED void XS(NAME##_tile)(struct XS(grid) g, long i, long row, long q, int rows, int columns)                 \
    {                                                                                                                  \
        XS(T##p) sum[XS_TALL][XS_COLUMNS_##T], *d[XS_COLUMNS_##T];                                                     \
        XS_UNROLL for (int j = 0; j < columns; j++)                                                                    \
        {                                                                                                              \
            long at = i * g.nj + (q + j) / XS_PIECES, piece = row * XS_PIECES + (q + j) % XS_PIECES;                   \
            const XS(T##p) *c = (const XS(T##p) *)g.c[at] + piece;                                                     \
            d[j] = (XS(T##p) *)g.d[at] + piece;                                                                        \
            XS_UNROLL for (int r = 0; r < rows; r++) sum[r][j] = START(c[r * XS_PIECES], g, q + j);                    \
        }                                                                                                              \
        const long lines = STEPS * XS_PIECE * columns / 64 / g.ni;                                                     \
        const u8 *line = rows >= XS_ROWS && !row && g.next                                                             \
                             ? g.next + q * g.nk * (STEPS * XS_PIECE) + i * g.nk * lines * 64                          \
                             : NULL;                                                                                   \
        for (long f = 0; f < g.nk; f++) {                                                                              \
            const T *a = (const T *)g.a[i * g.nk + f] + row * STEPS;                                                   \
            const XS(T##p) *b[XS_COLUMNS_##T];                                                                         \
            XS_UNROLL for (int j = 0; j < columns; j++)                                                                \
            b[j] = (const XS(T##p) *)g.b[(q + j) / XS_PIECES * g.nk + f] + (q + j) % XS_PIECES;                        \
            XS_UNROLL_4 for (long k = 0; k < STEPS; k++)                                                               \
            {                                                                                                          \
                XS(T##p) v[XS_COLUMNS_##T];                                                                            \
                XS_UNROLL for (int j = 0; j < columns; j++)                                                            \
                {                                                                                                      \
                    v[j] = b[j][k * XS_PIECES];                                                                        \
                    XS_IN_REGISTER(v[j]);                                                                              \
                }                                                                                                      \
                XS_UNROLL for (int r = 0; r < rows; r++)                                                               \
                {                                                                                                      \
                    XS(T##p) x = a[r * STEPS + k] - (XS(T##p)){0};                                                     \
                    XS_UNROLL for (int j = 0; j < columns; j++) sum[r][j] = MULTIPLY_ADD(sum[r][j], x, v[j]);          \
                }                                                                                                      \
            }                                                                                                          \
            XS_FETCH_NEXT(STEPS)                                                                                       \
        }                                                                                                              \
        XS_UNROLL for (int j = 0; j < columns; j++)                                                                    \
        {                                                                                                              \
            XS_UNROLL for (int r = 0; r < rows; r++) d[j][r * XS_PIECES] = sum[r][j];                                  \
        }                                                                                                              \
    }                                                                                                                  \
    XS_FORCED void XS(NAME##_part)(struct XS(grid) g, long i, long q, int columns)                                     \
    {                                                                                                                  \
        for (long row = 0, rows; row < g.m; row += rows) {                                                             \
            rows = g.m - row < XS_ROWS ? 1 : XS_ROWS;                                                                  \
            if (rows == XS_ROWS) XS(NAME##_tile)(g, i, row, q, XS_ROWS, columns);                                      \
            else XS(NAME##_tile)(g, i, row, q, 1, columns);                                                            \
        }                                                                                                              \
    }                                                                                                                  \
    XS_FUNCTION void XS(NAME##_grid)(struct XS(grid) g)                                                                \
    {                                                                                                                  \
        const int tall = XS_TALL > XS_ROWS && g.m == XS_TALL, widest = tall ? 2 : XS_COLUMNS_##T;                      \
        for (long q = 0, columns; q < g.nj * XS_PIECES; q += columns) {                                                \
            long left = g.nj * XS_PIECES - q;                                                                          \
            columns = left >= widest ? widest : left >= 2 ? 2 : 1;                                                     \
            for (long i = 0; i < g.ni; i++) {                                                                          \
                if (tall && columns == 2) XS(NAME##_tile)(g, i, 0, q, XS_TALL, 2);                                     \
                else if (columns == XS_COLUMNS_##T) XS(NAME##_part)(g, i, q, XS_COLUMNS_##T);                          \
                else if (columns == 2) XS(NAME##_part)(g, i, q, 2);                                                    \
                else XS(NAME##_part)(g, i, q, 1);                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }
#define XS_START(c, g, q) (c)
#define XS_ADD_F32(sum, x, v) ((sum) + (x) * (v))
XS_GRID(f32, f32, 16, XS_START, XS_ADD_F32)

/* A place of rows in memory. */
struct XS(rows) {
    const u8 *first;
    u64 pitch;
    const u8 *below; /* what to fetch meanwhile: as many bytes */
};

/* The same for a B whose columns are 16 contiguous elements of 16 bits in memory (XS_COLUMNS_B: b[f] is a struct
 * XS(rows)): for few rows, transposing it would cost more than the products do. A register has sums of a column over
 * every so many k's: a row of sums is S of them, `apart`, which is kept if products follow (XS_APART). In the end, the
 * lanes of each are added up: vector i and vector i + n / 2 become one, whose lanes are theirs in turns. */
#if S == 16 && XS_HAS(__builtin_shufflevector)
#if XS_PIECE == 64
#define XS_TURNS(x, y, n)                                                                                              \
    __builtin_shufflevector(x, y, n, n + 16, n + 1, n + 17, n + 2, n + 18, n + 3, n + 19, n + 4, n + 20, n + 5,        \
                            n + 21, n + 6, n + 22, n + 7, n + 23)
#elif XS_PIECE == 32
#define XS_TURNS(x, y, n) __builtin_shufflevector(x, y, n, n + 8, n + 1, n + 9, n + 2, n + 10, n + 3, n + 11)
#else
#define XS_TURNS(x, y, n) __builtin_shufflevector(x, y, n, n + 4, n + 1, n + 5)
#endif
XS_FORCED XS(f32p) XS(sum_of_lanes)(XS(f32p) * sum)
{
    enum { n = XS_PIECE / 4 };
    XS_UNROLL for (int half = n / 2; half; half /= 2)
        XS_UNROLL for (int i = 0; i < half; i++)
            sum[i] = XS_TURNS(sum[i], sum[i + half], 0) + XS_TURNS(sum[i], sum[i + half], n / 2);
    return sum[0];
}
#undef XS_TURNS
#else
XS_FORCED XS(f32p) XS(sum_of_lanes)(XS(f32p) * sum)
{
    XS(f32p) r = {0};
    for (int i = 0; i < XS_PIECE / 4; i++)
        for (int l = 0; l < XS_PIECE / 4; l++) r[i] += sum[i][l];
    return r;
}
#endif

/* Adds the lanes of `rows` rows to their sums, and clears them. */
XS_FUNCTION void XS(add_lanes)(f32x *sums, XS(f32p) *apart, long rows)
{
    enum { together = XS_PIECE / 4 };
    for (long n = 0; n < rows * S; n += together, apart += together) {
        XS(f32p) sum[together];
        XS_UNROLL for (int i = 0; i < together; i++) sum[i] = apart[i], apart[i] = (XS(f32p)){0};
        *(XS(f32p) *)((f32 *)sums + n) += XS(sum_of_lanes)(sum);
    }
}

#define XS_COLUMNS(T)                                                                                                  \
    XS_FORCED void XS(T##_columns_row)(struct XS(grid) g, long row, XS(f32p) *apart)                                   \
    {                                                                                                                  \
        enum { together = XS_PIECE / 4 };                                                                              \
        for (int n = 0; n < S; n += together, apart += together) {                                                     \
            XS(f32p) sum[together];                                                                                    \
            XS_UNROLL for (int i = 0; i < together; i++) sum[i] = apart[i];                                            \
            for (long f = 0; f < g.nk; f++) {                                                                          \
                const struct XS(rows) *r = (const struct XS(rows) *)g.b[f];                                            \
                const XS(f32p) *x = (const XS(f32p) *)((const f32 *)g.a[f] + row * 16);                                \
                const u8 *column = r->first + (u64)n * r->pitch;                                                       \
                XS_UNROLL for (int i = 0; i < 32 * together; i += 64) __builtin_prefetch(r->below + 32 * n + i);       \
                XS_UNROLL for (int i = 0; i < together; i++, column += r->pitch)                                       \
                {                                                                                                      \
                    f32x v;                                                                                            \
                    XS(T##_to_f32_at)(&v, column);                                                                     \
                    XS_UNROLL for (int p = 0; p < XS_PIECES; p++) sum[i] += x[p] * ((const XS(f32p) *)&v)[p];          \
                }                                                                                                      \
            }                                                                                                          \
            XS_UNROLL for (int i = 0; i < together; i++) apart[i] = sum[i];                                            \
        }                                                                                                              \
    }                                                                                                                  \
    XS_FUNCTION void XS(T##_columns_grid)(struct XS(grid) g, int keep)                                                 \
    {                                                                                                                  \
        XS(f32p) own[8 * S];                                                                                           \
        for (long i = 0; i < g.ni; i++, g.a += g.nk) {                                                                 \
            const void *const *const b = g.b;                                                                          \
            for (long j = 0; j < g.nj; j++, g.b += g.nk, g.c++, g.d++) {                                               \
                XS(f32p) *apart = keep ? (XS(f32p) *)*g.d : own;                                                       \
                if (!keep) __builtin_memset(own, 0, (size_t)g.m * S * sizeof *own);                                    \
                for (long row = 0; row < g.m; row++) XS(T##_columns_row)(g, row, apart + row * S);                     \
                if (keep) continue;                                                                                    \
                __builtin_memmove(*g.d, *g.c, (size_t)g.m * sizeof(f32x));                                             \
                XS(add_lanes)((f32x *)*g.d, own, g.m);                                                                 \
            }                                                                                                          \
            g.b = b;                                                                                                   \
        }                                                                                                              \
    }
XS_COLUMNS(f16)
XS_COLUMNS(bf16)
#undef XS_COLUMNS

/* The two halves of a dword. */
XS_INLINE f32x XS(f16_low)(u32x w) { return XS(f16_to_f32)(XS_CONVERT(w & 0xffffu, u16x)); }
XS_INLINE f32x XS(f16_high)(u32x w) { return XS(f16_to_f32)(XS_CONVERT(w >> 16, u16x)); }
XS_INLINE f32x XS(bf16_low)(u32x w) { return (f32x)(w << 16); }
XS_INLINE f32x XS(bf16_high)(u32x w) { return (f32x)(w & 0xffff0000u); }
XS_INLINE void XS(f16_pair)(f32x *to, u32x w)
{
#if S == 16 && XS_NATIVE == 64 && XS_HAS(__builtin_shufflevector)
    typedef u16 v32 __attribute__((vector_size(64), may_alias));
    const v32 h = (v32)w;
    const v32 halves = __builtin_shufflevector(h, h, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 1, 3, 5,
                                               7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    to[0] = XS(f16_to_f32)(((const u16x *)&halves)[0]);
    to[1] = XS(f16_to_f32)(((const u16x *)&halves)[1]);
#else
    to[0] = XS(f16_low)(w);
    to[1] = XS(f16_high)(w);
#endif
}
XS_INLINE void XS(bf16_pair)(f32x *to, u32x w)
{
    to[0] = XS(bf16_low)(w);
    to[1] = XS(bf16_high)(w);
}

/* Grids of products of one type. Operands are widened first, unless they are already (XS_WIDE_A, XS_WIDE_B or KEEP_B):
 * A to rows of 64 bytes, B to 16 lane vectors. */
#define XS_DPAS(NAME, GRID, KEEP_B)                                                                                    \
    XS_FUNCTION void XS(NAME##_grid)(int ni, int nj, int nk, void *const *d, const void *const *c,                     \
                                     const void *const *a, const void *const *b, int m, int form)                      \
    {                                                                                                                  \
        u32x columns[XS_RUN][16];                                                                                      \
        u32 rows[XS_RUN][8 * 16] XS_ALIGNED(64);                                                                       \
        const void *wide_a[XS_RUN], *wide_b[XS_RUN];                                                                   \
        struct XS(grid) g = {ni, nj, nk, m, d, c, wide_a, wide_b, 0, 0};                                               \
        for (int i = 0; i < ni * nk; i++) {                                                                            \
            wide_a[i] = form & XS_WIDE_A ? a[i] : rows[i];                                                             \
            if (!(form & XS_WIDE_A)) XS(NAME##_rows)(rows[i], a[i], m, form);                                          \
        }                                                                                                              \
        for (int i = 0; i < nj * nk; i++) {                                                                            \
            wide_b[i] = KEEP_B ? b[i] : columns[i];                                                                    \
            if (!(KEEP_B)) XS(NAME##_columns)(columns[i], b[i], form);                                                 \
        }                                                                                                              \
        GRID;                                                                                                          \
    }

/* K = 16. B is 8 dwords (XS_PACKED) or 16 components of 16 bits. */
#define XS_DPAS_16(T)                                                                                                  \
    XS_FORCED void XS(dpas_##T##_rows)(u32 * to, const void *a, int m, int form)                                       \
    {                                                                                                                  \
        (void)form;                                                                                                    \
        for (int i = 0; i < (m * 16 + S - 1) / S; i++) {                                                               \
            f32x row = XS(T##_to_f32)(*(const u16x_mem *)((const u8 *)a + i * 2 * S));                                 \
            __builtin_memcpy(to + i * S, &row, sizeof row);                                                            \
        }                                                                                                              \
    }                                                                                                                  \
    XS_FORCED void XS(dpas_##T##_columns)(u32x * to, const void *b, int form)                                          \
    {                                                                                                                  \
        for (int r = 0; r < 8 && form & XS_PACKED; r++)                                                                \
            XS(T##_pair)((f32x *)(void *)(to + 2 * r), ((const u32x *)b)[r]);                                          \
        for (int r = 0; r < 16 && !(form & XS_PACKED); r++) to[r] = (u32x)XS(T##_to_f32)(((const u16x *)b)[r]);        \
    }                                                                                                                  \
    XS_FORCED void XS(dpas_##T##_multiply)(struct XS(grid) g, int form)                                                \
    {                                                                                                                  \
        if (form & XS_COLUMNS_B) XS(T##_columns_grid)(g, form & XS_APART);                                             \
        else XS(f32_grid)(g);                                                                                          \
    }                                                                                                                  \
    XS_DPAS(dpas_##T, XS(dpas_##T##_multiply)(g, form), form &(XS_WIDE_B | XS_COLUMNS_B))
XS_DPAS_16(f16)
XS_DPAS_16(bf16)
#undef XS_DPAS_16

/* K = 8: A rows of 8 floats, B 8 components. The hardware reads 19 bits of each. */
XS_GRID(f32_short, f32, 8, XS_START, XS_ADD_F32)
XS_FORCED void XS(dpas_tf32_rows)(u32 *to, const void *a, int m, int form)
{
    (void)form;
    for (int i = 0; i < m * 8; i++) to[i] = ((const u32_mem *)a)[i] & ~0x1fffu;
}
XS_FORCED void XS(dpas_tf32_columns)(u32x *to, const void *b, int form)
{
    (void)form;
    for (int r = 0; r < 8; r++) to[r] = ((const u32x *)b)[r] & ~0x1fffu;
}
XS_DPAS(dpas_tf32, XS(f32_short_grid)(g), 0)

/* m rows of C to f32, and of f32 to the result; kinds are XS_ACC_... */
XS_FUNCTION void XS(dpas_widen)(f32x *to, const void *c, int m, int kind)
{
    for (int i = 0; i < m; i++) {
        if (kind == XS_ACC_F32) to[i] = ((const f32x *)c)[i];
        else if (kind == XS_ACC_F16) to[i] = XS(f16_to_f32)(((const u16x *)c)[i]);
        else to[i] = XS(bf16_to_f32)(((const u16x *)c)[i]);
    }
}
XS_FUNCTION void XS(dpas_narrow)(void *d, const f32x *from, int m, int kind)
{
    for (int i = 0; i < m; i++) {
        if (kind == XS_ACC_F32) ((f32x *)d)[i] = from[i];
        else if (kind == XS_ACC_F16) ((u16x *)d)[i] = XS(f32_to_f16)(from[i]);
        else ((u16x *)d)[i] = XS(f32_to_bf16)(from[i]);
    }
}

/* C and the result as 16-bit floats: through f32, as the hardware accumulates. */
typedef void XS(dpas_fn)(int ni, int nj, int nk, void *const *d, const void *const *c, const void *const *a,
                         const void *const *b, int m, int form);
XS_FUNCTION void XS(dpas_acc)(XS(dpas_fn) *product, void *d, const void *a, const void *b, const void *c, int m,
                              int form, int c_kind, int d_kind)
{
    f32x wide[8];
    void *const sums = wide;
    const void *const from = wide;
    XS(dpas_widen)(wide, c, m, c_kind);
    product(1, 1, 1, &sums, &from, &a, &b, m, form);
    XS(dpas_narrow)(d, wide, m, d_kind);
}

/* 8-bit integers, exact modulo 2^32. If the CPU multiplies bytes: sum + the four products in each dword, x unsigned and
 * v signed. */
#if XS_PIECE == 64 && defined(__AVX512VNNI__) && XS_HAS(__builtin_ia32_vpdpbusd_v16si)
#define XS_DOT4(sum, x, v) (XS(u32p)) __builtin_ia32_vpdpbusd_v16si((XS(i32p))(sum), (XS(i32p))(x), (XS(i32p))(v))
#elif XS_PIECE == 64 && defined(__AVX512VNNI__) && XS_HAS(__builtin_ia32_vpdpbusd512)
#define XS_DOT4(sum, x, v) (XS(u32p)) __builtin_ia32_vpdpbusd512((XS(i32p))(sum), (XS(i32p))(x), (XS(i32p))(v))
#elif XS_PIECE == 32 && ((defined(__AVX512VNNI__) && defined(__AVX512VL__)) || defined(__AVXVNNI__)) &&                \
    XS_HAS(__builtin_ia32_vpdpbusd_v8si)
#define XS_DOT4(sum, x, v) (XS(u32p)) __builtin_ia32_vpdpbusd_v8si((XS(i32p))(sum), (XS(i32p))(x), (XS(i32p))(v))
#elif XS_PIECE == 32 && ((defined(__AVX512VNNI__) && defined(__AVX512VL__)) || defined(__AVXVNNI__)) &&                \
    XS_HAS(__builtin_ia32_vpdpbusd256)
#define XS_DOT4(sum, x, v) (XS(u32p)) __builtin_ia32_vpdpbusd256((XS(i32p))(sum), (XS(i32p))(x), (XS(i32p))(v))
#else
#define XS_NO_DOT4
#define XS_DOT4(sum, x, v) ((sum) + (x) * (v)) /* never called */
#endif
#define XS_START_LESS(c, g, q) ((c) - ((const XS(u32p) *)(g).less)[q])
XS_GRID(dot4, u32, 8, XS_START_LESS, XS_DOT4)

/* Otherwise, or if B is unsigned: bytes as pairs of 16 bits, whose products every CPU of this family can add. */
XS_FORCED XS(u32p) XS(dot2)(XS(u32p) sum, XS(u32p) x, XS(u32p) v)
{
#if XS_PIECE == 64 && defined(__AVX512BW__) && XS_HAS(__builtin_ia32_pmaddwd512)
    return sum + (XS(u32p))__builtin_ia32_pmaddwd512((XS(i16p))x, (XS(i16p))v);
#elif XS_PIECE == 64 && defined(__AVX512BW__) && XS_HAS(__builtin_ia32_pmaddwd512_mask)
    return sum + (XS(u32p))__builtin_ia32_pmaddwd512_mask((XS(i16p))x, (XS(i16p))v, (XS(i32p)){0}, (u16)-1);
#elif XS_PIECE == 32 && defined(__AVX2__) && XS_HAS(__builtin_ia32_pmaddwd256)
    return sum + (XS(u32p))__builtin_ia32_pmaddwd256((XS(i16p))x, (XS(i16p))v);
#elif XS_PIECE == 16 && defined(__SSE2__) && XS_HAS(__builtin_ia32_pmaddwd128)
    return sum + (XS(u32p))__builtin_ia32_pmaddwd128((XS(i16p))x, (XS(i16p))v);
#else
    XS(i32p) low = ((XS(i32p))(x << 16) >> 16) * ((XS(i32p))(v << 16) >> 16);
    return sum + (XS(u32p))low + (XS(u32p))(((XS(i32p))x >> 16) * ((XS(i32p))v >> 16));
#endif
}
XS_GRID(dot2, u32, 16, XS_START, XS(dot2))

/* Do 8-bit operands stay bytes? Then only A is made unsigned, which adds 128 times the column's sum. Otherwise they
 * become pairs of 16 bits: A's rows of 32 bytes are 64, and a vector of B (four k's of a column per dword) is two. */
XS_FORCED int XS(quads)(int signs)
{
#ifdef XS_NO_DOT4
    signs = 0;
#endif
    return (signs & XS_SIGNED_B) != 0;
}

XS_FORCED void XS(wide_row)(u8 *to, const void *from, int signs)
{
    typedef i8 signed_mem __attribute__((vector_size(16), may_alias, aligned(1)));
    typedef u8 unsigned_mem __attribute__((vector_size(16), may_alias, aligned(1)));
    typedef i16 i16x16 __attribute__((vector_size(32), may_alias));
    typedef u16 u16x16 __attribute__((vector_size(32), may_alias));
    if (XS(quads)(signs)) {
        *(u32x8_mem *)to = *(const u32x8_mem *)from ^ (signs & XS_SIGNED_A ? 0x80808080u : 0);
        return;
    }
    XS_UNROLL for (int h = 0; h < 2; h++)
    {
        if (signs & XS_SIGNED_A) ((i16x16 *)to)[h] = XS_CONVERT(((const signed_mem *)from)[h], i16x16);
        else ((u16x16 *)to)[h] = XS_CONVERT(((const unsigned_mem *)from)[h], u16x16);
    }
}

XS_FORCED void XS(wide_column)(u8 *to, const void *from, int signs)
{
    const XS(u32p) *w = (const XS(u32p) *)from;
    for (int i = 0; i < XS_PIECES; i++) {
        XS(u32p) *low = (XS(u32p) *)to + i, *high = low + XS_PIECES;
        if (XS(quads)(signs)) {
            *low = w[i];
            continue;
        }
        XS(u16p) l = (XS(u16p))((w[i] << 8 & 0xff00u) | (w[i] << 16 & 0xff000000u));
        XS(u16p) h = (XS(u16p))((w[i] >> 8 & 0xff00u) | (w[i] & 0xff000000u));
        *low = signs & XS_SIGNED_B ? (XS(u32p))((XS(i16p))l >> 8) : (XS(u32p))(l >> 8);
        *high = signs & XS_SIGNED_B ? (XS(u32p))((XS(i16p))h >> 8) : (XS(u32p))(h >> 8);
    }
}

/* Products of operands in this form. */
XS_FORCED void XS(ints_grid)(struct XS(grid) g, int signs)
{
    if (XS(quads)(signs)) {
        u32x less[XS_RUN] = {{0}};
        const XS(u32p) shift = 0x80808080u - (XS(u32p)){0};
        for (int f = 0; f < g.nk && signs & XS_SIGNED_A; f++)
            for (int j = 0; j < g.nj; j++) /* one after the other they would wait for each other's results */
                XS_UNROLL for (int p = 0; p < XS_PIECES; p++)
                {
                    XS(u32p) sum[2] = {((XS(u32p) *)&less[j])[p], {0}};
                    const XS(u32p) *b = (const XS(u32p) *)g.b[j * g.nk + f] + p;
                    XS_UNROLL for (int r = 0; r < 8; r++) sum[r % 2] = XS_DOT4(sum[r % 2], shift, b[r * XS_PIECES]);
                    ((XS(u32p) *)&less[j])[p] = sum[0] + sum[1];
                }
        g.less = less;
        XS(dot4_grid)(g);
        return;
    }
    XS(dot2_grid)(g);
}

/* K = 32: rows of 32 bytes, B 8 dwords of four k's each. */
XS_FORCED void XS(dpas_i8_rows)(u32 *to, const void *a, int m, int form)
{
    const int signs = form & XS_SIGNS;
    for (int r = 0; r < m; r++) XS(wide_row)((u8 *)to + (64 * r >> XS(quads)(signs)), (const u8 *)a + 32 * r, signs);
}
XS_FORCED void XS(dpas_i8_columns)(u32x *to, const void *b, int form)
{
    for (int r = 0; r < 8; r++) XS(wide_column)((u8 *)(to + 2 * r), (const u32x *)b + r, form & XS_SIGNS);
}
XS_DPAS(dpas_i8, XS(ints_grid)(g, form & XS_SIGNS), (form & XS_WIDE_B || XS(quads)(form & XS_SIGNS)))
#undef XS_DPAS

/* Half of the eight nibbles of a dword, as a dword of bytes. */
XS_FORCED u32 XS(nibbles)(u32 w, int half, int is_signed)
{
    u32 r = 0;
    for (int j = 0; j < 4; j++) {
        u32 x = w >> (16 * half + 4 * j) & 15u;
        if (is_signed && x & 8u) x |= 0xf0u;
        r |= x << 8 * j;
    }
    return r;
}

/* 4-bit integers, K = 64: one product, widened to two fragments of bytes each. */
XS_FUNCTION void XS(dpas_i4_grid)(int ni, int nj, int nk, void *const *d, const void *const *c, const void *const *a,
                                  const void *const *b, int m, int form)
{
    u32 rows[2][8 * 8];
    u32x columns[2][8];
    const void *wide_a[] = {rows[0], rows[1]}, *wide_b[] = {columns[0], columns[1]};
    for (int i = 0; i < m * 16; i++) {
        u32 w = ((const u32_mem *)a[0])[i / 2];
        rows[i / 8 % 2][i / 16 * 8 + i % 8] = XS(nibbles)(w, i & 1, form & XS_SIGNED_A);
    }
    for (int r = 0; r < 16; r++) {
        for (int l = 0; l < S; l++)
            columns[r / 8][r % 8][l] = XS(nibbles)(((const u32x *)b[0])[r / 2][l], r & 1, form & XS_SIGNED_B);
    }
    XS(dpas_i8_grid)(ni, nj, 2 * nk, d, c, wide_a, wide_b, m, form);
}

#undef XS_DOT4
#undef XS_NO_DOT4
#undef XS_START
#undef XS_START_LESS
#undef XS_ADD_F32
#undef XS_GRID
#undef XS_FETCH_NEXT
#undef XS_TALL
#undef XS_ROWS
#undef XS_COLUMNS_f32
#undef XS_COLUMNS_u32
#undef XS_PIECES
#undef XS_PIECE

/* ---- two-dimensional blocks
 *
 * A block is `count` pieces of `height` rows and `width` elements side by side in a surface of mem_w bytes by mem_h
 * rows; x counts elements, y rows, and both may be outside: elements outside read as 0 and are not written. A piece is
 * padded to a power of two of columns. In registers the pieces follow each other row by row, and the lanes take turns
 * in that sequence, one element each (two or more bytes if a row of bytes is wider than the subgroup).
 */
struct XS(block) {
    int elem_bytes, width, height, count;
    u64 ptr;
    u32 mem_w, mem_h, pitch;
    i32 x, y;
};

XS_FORCED int XS(pow2)(int n)
{
    int p = 1;
    while (p < n) p *= 2;
    return p;
}

XS_FORCED void XS(copy_line)(u8 *to, const u8 *from, int bytes)
{
    if (bytes == 32) __builtin_memcpy(to, from, 32);
    else if (bytes == 64) __builtin_memcpy(to, from, 64);
    else __builtin_memcpy(to, from, (size_t)bytes);
}

/* Copies what is inside the surface: row i of piece p is at rows + i * line + p * piece. It is cold, so that gcc keeps
 * in registers what is live across a call of it, which edges need only. */
XS_FUNCTION __attribute__((cold)) void XS(block_copy)(const struct XS(block) * b, u8 *rows, int line, int piece,
                                                      int store)
{
    const i64 low = b->y < 0 ? -(i64)b->y : 0, bytes = (i64)b->width * b->elem_bytes;
    const i64 below = (i64)b->mem_h - b->y, high = below < b->height ? below : b->height;
    for (int p = 0; p < b->count; p++, rows += piece) {
        i64 from = (i64)b->x * b->elem_bytes + p * bytes;
        i64 first = from < 0 ? -from : 0, last = from + bytes > (i64)b->mem_w ? (i64)b->mem_w - from : bytes;
        for (i64 i = low; i < high && first < last; i++) {
            u8 *memory = (u8 *)(uintptr_t)(b->ptr + (u64)((b->y + i) * (i64)b->pitch + from + first));
            u8 *row = rows + i * line + first;
            XS(copy_line)(store ? memory : row, store ? row : memory, (int)(last - first));
        }
    }
}

/* Is the block entirely inside its surface? */
XS_FORCED int XS(block_inside)(const struct XS(block) * b)
{
    i64 from = (i64)b->x * b->elem_bytes, bytes = (i64)b->count * b->width * b->elem_bytes;
    return from >= 0 && b->y >= 0 && from + bytes <= (i64)b->mem_w && (i64)b->y + b->height <= (i64)b->mem_h;
}

/* The rows to be loaded, `pitch` apart, with the pieces side by side. They are where they are in memory if the block is
 * inside its surface and `direct`; else `rows` of them are copied to `edge` and padded with zeros, `bytes` a piece. */
enum { XS(EDGE_BYTES) = XS_BLOCK_BYTES + 8 * S }; /* a vector may be read from the last byte on */
XS_FORCED struct XS(rows) XS(rows_of)(const struct XS(block) * b, int direct, u8 *edge, int rows, int bytes)
{
    const u64 first = b->ptr + (u64)((i64)b->y * (i64)b->pitch + (i64)b->x * b->elem_bytes);
    if (direct && XS(block_inside)(b)) return (struct XS(rows)){(const u8 *)(uintptr_t)first, b->pitch, 0};
    struct XS(block) whole = *b;
    if (bytes == b->width * b->elem_bytes) whole.width *= b->count, whole.count = 1; /* without gaps between pieces */
    __builtin_memset(edge, 0, (size_t)(rows * b->count * bytes));
    XS(block_copy)(&whole, edge, b->count * bytes, bytes, 0);
    return (struct XS(rows)){edge, (u64)(b->count * bytes), 0};
}

/* Copies the lanes' shares of the sequence `flat`, in items of `item` bytes, to or from the lane vectors. A turn is
 * `turn` bytes per lane; a turn wider than the item is split into turn / item vectors. */
XS_FORCED void XS(deal)(u8 *vectors, u8 *flat, int bytes, int turn, int item, int store)
{
    if (turn == item) {
        if (store) __builtin_memcpy(flat, vectors, (size_t)bytes);
        else __builtin_memcpy(vectors, flat, (size_t)bytes);
        return;
    }
    for (int at = 0; at < bytes; at += item) {
        int lane = at / turn % S, vector = at / turn / S * (turn / item) + at % turn / item;
        u8 *mine = vectors + (vector * S + lane) * item;
        if (store) __builtin_memcpy(flat + at, mine, (size_t)item);
        else __builtin_memcpy(mine, flat + at, (size_t)item);
    }
}

/* Bytes that a lane takes per turn. */
XS_FORCED int XS(block_turn)(int elem_bytes, int columns)
{
    return elem_bytes == 1 && columns > S ? columns / S : elem_bytes;
}

/* `bytes` rounded up to whole turns of all lanes. */
XS_FORCED int XS(whole_turns)(int bytes, int turn) { return (bytes + S * turn - 1) / (S * turn) * (S * turn); }

XS_FUNCTION void XS(block2d_load_any)(void *dst, int item, int elem_bytes, int width, int height, int count, u64 ptr,
                                      u32 mem_w, u32 mem_h, u32 pitch, i32 x, i32 y)
{
    const struct XS(block) b = {elem_bytes, width, height, count, ptr, mem_w, mem_h, pitch, x, y};
    u8 flat[XS_BLOCK_BYTES] XS_ALIGNED(64), edge[XS(EDGE_BYTES)];
    int columns = XS(pow2)(width), row = columns * elem_bytes, turn = XS(block_turn)(elem_bytes, columns);
    int straight = row == S * turn && item == turn, bytes = XS(whole_turns)(count * height * row, turn);
    const struct XS(rows) from = XS(rows_of)(&b, width == columns, edge, height, row);
    u8 *to = straight ? (u8 *)dst : flat; /* a row is a lane vector */
    for (int p = 0; p < count; p++)
        for (int i = 0; i < height; i++, to += row)
            XS(copy_line)(to, from.first + (u64)i * from.pitch + p * row, row);
    if (straight) return;
    __builtin_memset(to, 0, (size_t)(flat + bytes - to));
    XS(deal)((u8 *)dst, flat, bytes, turn, item, 0);
}

/* What may be loads that the compiler sees: rows that are lane vectors, inside the surface. Then neither the block nor
 * the kernel's other vectors need be in memory, as for a call. */
XS_SHORT void XS(block2d_load)(void *dst, int item, int elem_bytes, int width, int height, int count, u64 ptr,
                               u32 mem_w, u32 mem_h, u32 pitch, i32 x, i32 y)
{
    const struct XS(block) b = {elem_bytes, width, height, count, ptr, mem_w, mem_h, pitch, x, y};
    const int row = width * elem_bytes, rows = height * count;
    if (elem_bytes != item || width != S || row > 64 || rows > 32) {
        XS(block2d_load_any)(dst, item, elem_bytes, width, height, count, ptr, mem_w, mem_h, pitch, x, y);
    } else if (XS(block_inside)(&b)) {
        const u8 *from = (const u8 *)(uintptr_t)(ptr + (u64)((i64)y * (i64)pitch + (i64)x * elem_bytes));
        XS_UNROLL for (int i = 0; i < rows; i++)
            __builtin_memcpy((u8 *)dst + i * row, from + (u64)(i % height) * pitch + i / height * row, (size_t)row);
    } else {
        u8 copy[32 * 64] XS_ALIGNED(64);
        XS(block2d_load_any)(copy, item, elem_bytes, width, height, count, ptr, mem_w, mem_h, pitch, x, y);
        XS_UNROLL for (int i = 0; i < rows; i++) __builtin_memcpy((u8 *)dst + i * row, copy + i * row, (size_t)row);
    }
}

/* Elements of 16 bits in S columns, converted to floats: a row becomes a lane vector. The next step of a loop over K
 * will need the rows below (B) or the columns to the right (A). */
#define XS_BLOCK2D_WIDE(T)                                                                                             \
    XS_FUNCTION void XS(block2d_load_##T)(f32x * to, int height, int count, int down, u64 ptr, u32 mem_w, u32 mem_h,   \
                                          u32 pitch, i32 x, i32 y)                                                     \
    {                                                                                                                  \
        const struct XS(block) b = {2, S, height, count, ptr, mem_w, mem_h, pitch, x, y};                              \
        u8 edge[XS(EDGE_BYTES)];                                                                                       \
        const struct XS(rows) r = XS(rows_of)(&b, 1, edge, height, S * 2);                                             \
        const u8 *row = r.first, *next = row + (down ? (u64)height * r.pitch : (u64)count * S * 2);                    \
        for (int i = 0; i < height; i++, row += r.pitch, next += r.pitch, to++) {                                      \
            for (int p = 0; p < count; p++) XS(T##_to_f32_at)(to + p * height, row + p * S * 2);                       \
            __builtin_prefetch(next, 0, 2); /* not to L1, where rows of a power of two evict each other */             \
        }                                                                                                              \
    }
XS_BLOCK2D_WIDE(f16)
XS_BLOCK2D_WIDE(bf16)
#undef XS_BLOCK2D_WIDE

/* Interleaves S columns of a group of rows (two of 16 bits, four of 8) to a vector of dwords. */
XS_FORCED void XS(vnni)(u8 *out, const u8 *const *row, int elem_bytes, int column)
{
    if (elem_bytes == 2) {
        u32x low = XS_CONVERT(((const u16x_mem *)(const void *)(row[0] + 2 * column))[0], u32x);
        *(u32x_mem *)out = low | XS_CONVERT(((const u16x_mem *)(const void *)(row[1] + 2 * column))[0], u32x) << 16;
        return;
    }
#if S == 16 && XS_HAS(__builtin_shufflevector)
    typedef u8 v16 __attribute__((vector_size(16), may_alias, aligned(1)));
    typedef u16 v8 __attribute__((vector_size(16)));
    v16 r0 = *(const v16 *)(row[0] + column), r1 = *(const v16 *)(row[1] + column);
    v16 r2 = *(const v16 *)(row[2] + column), r3 = *(const v16 *)(row[3] + column);
#define XS_ZIP8(a, b, n)                                                                                               \
    (v8) __builtin_shufflevector(a, b, n, n + 16, n + 1, n + 17, n + 2, n + 18, n + 3, n + 19, n + 4, n + 20, n + 5,   \
                                 n + 21, n + 6, n + 22, n + 7, n + 23)
#define XS_ZIP16(a, b, n) __builtin_shufflevector(a, b, n, n + 8, n + 1, n + 9, n + 2, n + 10, n + 3, n + 11)
    v8 low[2] = {XS_ZIP8(r0, r1, 0), XS_ZIP8(r0, r1, 8)}, high[2] = {XS_ZIP8(r2, r3, 0), XS_ZIP8(r2, r3, 8)};
    ((v8 *)out)[0] = XS_ZIP16(low[0], high[0], 0);
    ((v8 *)out)[1] = XS_ZIP16(low[0], high[0], 4);
    ((v8 *)out)[2] = XS_ZIP16(low[1], high[1], 0);
    ((v8 *)out)[3] = XS_ZIP16(low[1], high[1], 4);
#undef XS_ZIP8
#undef XS_ZIP16
#else
    u32x r = XS_CONVERT2(*(const u8x_mem *)(const void *)(row[0] + column), u16x, u32x);
    for (int i = 1; i < 4; i++)
        r |= XS_CONVERT2(*(const u8x_mem *)(const void *)(row[i] + column), u16x, u32x) << (8 * i);
    *(u32x_mem *)out = r;
#endif
}

/* Two pieces of 16 columns of 16 bits at once. */
XS_FORCED int XS(vnni_pairs)(u8 *to, int piece, const u8 *const *row)
{
#if S == 16 && XS_NATIVE == 64 && XS_HAS(__builtin_shufflevector)
    typedef u16 v32 __attribute__((vector_size(64), may_alias, aligned(1)));
    v32 r = *(const v32 *)row[0], s = *(const v32 *)row[1];
    *(v32 *)to = __builtin_shufflevector(r, s, 0, 32, 1, 33, 2, 34, 3, 35, 4, 36, 5, 37, 6, 38, 7, 39, 8, 40, 9, 41, 10,
                                         42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47);
    *(v32 *)(to + piece) = __builtin_shufflevector(r, s, 16, 48, 17, 49, 18, 50, 19, 51, 20, 52, 21, 53, 22, 54, 23, 55,
                                                   24, 56, 25, 57, 26, 58, 27, 59, 28, 60, 29, 61, 30, 62, 31, 63);
    return 1;
#else
    (void)to, (void)piece, (void)row;
    return 0;
#endif
}

/* The same for `groups` groups of rows and `count` pieces, which begin `piece` bytes apart. */
XS_FORCED void XS(pack)(u8 *to, int piece, struct XS(rows) r, int elem_bytes, int groups, int count)
{
    const int group = 4 / elem_bytes;
    const u64 below = (u64)(groups * group) * r.pitch;
    for (int g = 0; g < groups; g++, to += 4 * S) {
        const u8 *row[4];
        for (int i = 0; i < group; i++, r.first += r.pitch) {
            row[i] = r.first;
            __builtin_prefetch(r.first + below, 0, 2); /* for the next step of a loop over K */
        }
        if (elem_bytes == 2 && count == 2 && XS(vnni_pairs)(to, piece, row)) continue;
        for (int p = 0; p < count; p++) XS(vnni)(to + p * piece, row, elem_bytes, p * S);
    }
}

/* VNNI: four bytes' worth of rows share a dword, the lower row in the lower bits. */
XS_FUNCTION void XS(block2d_load_transform)(void *dst, int item, int elem_bytes, int width, int height, int count,
                                            u64 ptr, u32 mem_w, u32 mem_h, u32 pitch, i32 x, i32 y)
{
    const struct XS(block) b = {elem_bytes, width, height, count, ptr, mem_w, mem_h, pitch, x, y};
    u8 flat[XS_BLOCK_BYTES + 4 * S] XS_ALIGNED(64), edge[XS(EDGE_BYTES)], *to = flat;
    int columns = XS(pow2)(width), group = 4 / elem_bytes, groups = (height + group - 1) / group;
    int direct = width == columns && columns % S == 0 && height % group == 0, bytes = count * groups * columns * 4;
    struct XS(rows) r = XS(rows_of)(&b, direct, edge, groups * group, columns * elem_bytes);
    if (columns == S && item == 4) {
        if (elem_bytes == 2) XS(pack)((u8 *)dst, groups * 4 * S, r, 2, groups, count);
        else XS(pack)((u8 *)dst, groups * 4 * S, r, 1, groups, count);
        return;
    }
    for (int p = 0; p < count; p++) {
        for (int g = 0; g < groups; g++, to += columns * 4) {
            const u8 *row[4];
            for (int i = 0; i < group; i++) row[i] = r.first + (u64)(g * group + i) * r.pitch;
            for (int j = 0; j < columns; j += S) XS(vnni)(to + j * 4, row, elem_bytes, p * columns + j);
        }
    }
    __builtin_memset(to, 0, (size_t)(XS(whole_turns)(bytes, 4) - bytes));
    XS(deal)((u8 *)dst, flat, XS(whole_turns)(bytes, 4), 4, item, 0);
}

/* 16 rows of 8 dwords become 8 vectors: four rows at a time, four dwords of each. In vectors of 64 bytes, part i is of
 * row i and of those 4, 8 and 12 below it. */
#if S == 16 && XS_HAS(__builtin_shufflevector)
typedef u32 XS(turn) __attribute__((vector_size(XS_NATIVE == 64 ? 64 : 16), may_alias));
typedef u32 XS(quarter) __attribute__((vector_size(16), may_alias, aligned(1)));
#if XS_NATIVE == 64
#define XS_TURN(x, y, a, b, c, d)                                                                                      \
    __builtin_shufflevector(x, y, a, b, c, d, a + 4, b + 4, c + 4, d + 4, a + 8, b + 8, c + 8, d + 8, a + 12, b + 12,  \
                            c + 12, d + 12)
#define XS_TURN_PART(row, pitch) XS(four_parts)(row, pitch)
XS_FORCED XS(turn) XS(four_parts)(const u8 *row, u64 pitch)
{
    const XS(quarter) a = *(const XS(quarter) *)row, b = *(const XS(quarter) *)(row + 4 * pitch);
    const XS(quarter) c = *(const XS(quarter) *)(row + 8 * pitch), d = *(const XS(quarter) *)(row + 12 * pitch);
    return __builtin_shufflevector(__builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7),
                                   __builtin_shufflevector(c, d, 0, 1, 2, 3, 4, 5, 6, 7), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
                                   10, 11, 12, 13, 14, 15);
}
#define XS_OTHER 16
#else
#define XS_TURN(x, y, a, b, c, d) __builtin_shufflevector(x, y, a, b, c, d)
#define XS_TURN_PART(row, pitch) (*(const XS(quarter) *)(row))
#define XS_OTHER 4
#endif
XS_FORCED void XS(turn_rows)(u32x *to, struct XS(rows) r)
{
    enum { turns = 64 / sizeof(XS(turn)), y = XS_OTHER };
    for (int t = 0; t < turns; t++) {
        XS_UNROLL for (int half = 0; half < 2; half++)
        {
            const u8 *row = r.first + (u64)(4 * t) * r.pitch + half * 16;
            const XS(turn) r0 = XS_TURN_PART(row, r.pitch), r1 = XS_TURN_PART(row + r.pitch, r.pitch);
            const XS(turn) r2 = XS_TURN_PART(row + 2 * r.pitch, r.pitch);
            const XS(turn) r3 = XS_TURN_PART(row + 3 * r.pitch, r.pitch);
            const XS(turn) low01 = XS_TURN(r0, r1, 0, y, 1, y + 1), high01 = XS_TURN(r0, r1, 2, y + 2, 3, y + 3);
            const XS(turn) low23 = XS_TURN(r2, r3, 0, y, 1, y + 1), high23 = XS_TURN(r2, r3, 2, y + 2, 3, y + 3);
            XS(turn) *out = (XS(turn) *)(to + 4 * half) + t;
            out[0] = XS_TURN(low01, low23, 0, 1, y, y + 1);
            out[turns] = XS_TURN(low01, low23, 2, 3, y + 2, y + 3);
            out[2 * turns] = XS_TURN(high01, high23, 0, 1, y, y + 1);
            out[3 * turns] = XS_TURN(high01, high23, 2, 3, y + 2, y + 3);
        }
    }
}
#undef XS_TURN
#undef XS_TURN_PART
#undef XS_OTHER
#else
XS_FORCED void XS(turn_rows)(u32x *to, struct XS(rows) r)
{
    for (int i = 0; i < S; i++)
        for (int k = 0; k < 8; k++) ((u32 *)(to + k))[i] = ((const u32_mem *)(r.first + (u64)i * r.pitch))[k];
}
#endif

/* Rows of weights that are used once, a few side by side, piece by piece: where they are, or what `edge` has of them.
 * Meanwhile, what rows below will need is fetched in the order of memory: DRAM takes up to twice as long for the lines
 * of several rows in turns. Where the rows do not follow each other in memory, these are fetched once more. */
XS_FORCED struct XS(rows) XS(rows_once)(const struct XS(block) * b, u8 *edge, int bytes)
{
    struct XS(rows) r = XS(rows_of)(b, 1, edge, b->height, bytes);
    const i64 below = (i64)b->y + b->height, before = (i64)b->x * b->elem_bytes * b->height;
    const u8 *next = (const u8 *)(uintptr_t)(b->ptr + (u64)(below * (i64)b->pitch + before));
    r.below = below < (i64)b->mem_h && b->pitch - b->mem_w < 64 ? next : r.first;
    return r;
}

/* Rows of `count` pieces of S elements of 16 bits, side by side: where they are, or what `edge` has of them. */
XS_SHORT struct XS(rows) XS(block2d_rows)(int height, int count, u8 *edge, u64 ptr, u32 mem_w, u32 mem_h, u32 pitch,
                                          i32 x, i32 y)
{
    const struct XS(block) b = {2, S, height, count, ptr, mem_w, mem_h, pitch, x, y};
    const struct XS(rows) r = XS(rows_once)(&b, edge, S * 2);
    XS_UNROLL for (int n = 0; n < height * count * S * 2; n += 64) __builtin_prefetch(r.below + n);
    return r;
}

/* 16 columns of 16 elements, contiguous in memory: where they are, or what `edge` has of them. */
XS_SHORT struct XS(rows) XS(block2d_columns)(u8 *edge, u64 ptr, u32 mem_w, u32 mem_h, u32 pitch, i32 x, i32 y)
{
    const struct XS(block) b = {4, 8, 16, 1, ptr, mem_w, mem_h, pitch, x, y};
    return XS(rows_once)(&b, edge, 32);
}

/* The same as floats, transposed. */
#define XS_BLOCK2D_COLUMNS(T)                                                                                          \
    XS_FUNCTION void XS(block2d_load_columns_##T)(f32x * to, u64 ptr, u32 mem_w, u32 mem_h, u32 pitch, i32 x, i32 y)   \
    {                                                                                                                  \
        const struct XS(block) b = {4, 8, 16, 1, ptr, mem_w, mem_h, pitch, x, y};                                      \
        u8 edge[16 * 32];                                                                                              \
        const struct XS(rows) r = XS(rows_of)(&b, 1, edge, 16, 32);                                                    \
        u32x dwords[8];                                                                                                \
        for (int i = 0; i < 16 && !(x & 8); i++) /* which is half a line in each row */                                \
            __builtin_prefetch(r.first + (u64)i * r.pitch + 128);                                                      \
        XS(turn_rows)(dwords, r);                                                                                      \
        for (int i = 0; i < 8; i++) XS(T##_pair)(to + 2 * i, dwords[i]);                                               \
    }
XS_BLOCK2D_COLUMNS(f16)
XS_BLOCK2D_COLUMNS(bf16)
#undef XS_BLOCK2D_COLUMNS

/* Columns become rows; elements of 4 and 8 bytes. */
XS_FUNCTION void XS(block2d_load_transpose)(void *dst, int item, int elem_bytes, int width, int height, int count,
                                            u64 ptr, u32 mem_w, u32 mem_h, u32 pitch, i32 x, i32 y)
{
    const struct XS(block) b = {elem_bytes, width, height, count, ptr, mem_w, mem_h, pitch, x, y};
    u8 flat[XS_BLOCK_BYTES] XS_ALIGNED(64), edge[XS(EDGE_BYTES)];
    int columns = XS(pow2)(height), bytes = XS(whole_turns)(count * width * columns * elem_bytes, elem_bytes);
    const struct XS(rows) r = XS(rows_of)(&b, 1, edge, height, width * elem_bytes);
    if (elem_bytes == 4 && item == 4 && width == 8 && height == S && S == 16 && count == 1) {
        XS(turn_rows)((u32x *)dst, r);
        return;
    }
    __builtin_memset(flat, 0, (size_t)bytes);
    for (int i = 0; i < height; i++)
        for (int j = 0; j < count * width; j++)
            __builtin_memcpy(flat + (j * columns + i) * elem_bytes, r.first + (u64)i * r.pitch + j * elem_bytes,
                             (size_t)elem_bytes);
    XS(deal)((u8 *)dst, flat, bytes, elem_bytes, item, 0);
}

XS_FUNCTION void XS(block2d_store)(const void *src, int item, int elem_bytes, int width, int height, int count, u64 ptr,
                                   u32 mem_w, u32 mem_h, u32 pitch, i32 x, i32 y)
{
    const struct XS(block) b = {elem_bytes, width, height, count, ptr, mem_w, mem_h, pitch, x, y};
    u8 flat[XS_BLOCK_BYTES] XS_ALIGNED(64), *rows = flat;
    int columns = XS(pow2)(width), row = columns * elem_bytes, turn = XS(block_turn)(elem_bytes, columns);
    if (row == S * turn && item == turn) rows = (u8 *)(uintptr_t)src; /* a row is a lane vector */
    else XS(deal)((u8 *)(uintptr_t)src, flat, XS(whole_turns)(count * height * row, turn), turn, item, 1);
    if ((row != 32 && row != 64) || width != columns || !XS(block_inside)(&b)) {
        XS(block_copy)(&b, rows, row, height * row, 1);
        return;
    }
    for (int p = 0; p < count; p++) {
        u8 *line = (u8 *)(uintptr_t)(ptr + (u64)y * pitch + (u64)((i64)x * elem_bytes + p * row));
        for (int i = 0; i < height; i++, line += pitch, rows += row) XS(copy_line)(line, rows, row);
    }
}

/* 8-bit integers in the form of their products: a block of A, in rows of 32 bytes ... */
XS_FUNCTION void XS(block2d_load_rows)(u8 *to, int signs, int elem_bytes, int height, int count, u64 ptr, u32 mem_w,
                                       u32 mem_h, u32 pitch, i32 x, i32 y)
{
    const struct XS(block) b = {elem_bytes, 32 / elem_bytes, height, count, ptr, mem_w, mem_h, pitch, x, y};
    u8 edge[XS(EDGE_BYTES)];
    struct XS(rows) r = XS(rows_of)(&b, 1, edge, height, 32);
    const int bytes = 64 >> XS(quads)(signs);
    for (int i = 0; i < height; i++, r.first += r.pitch) {
        for (int p = 0; p < count; p++) XS(wide_row)(to + (p * height + i) * bytes, r.first + p * 32, signs);
        if (count > 1 || !(x * elem_bytes & 32)) __builtin_prefetch(r.first + 64, 0, 2); /* the next line */
    }
}

/* ... and of B, four rows in a dword. */
XS_FUNCTION void XS(block2d_load_quads)(u8 *to, int signs, int height, int count, u64 ptr, u32 mem_w, u32 mem_h,
                                        u32 pitch, i32 x, i32 y)
{
    const struct XS(block) b = {1, S, height, count, ptr, mem_w, mem_h, pitch, x, y};
    u8 edge[XS(EDGE_BYTES)], dwords[4 * S] XS_ALIGNED(64);
    struct XS(rows) r = XS(rows_of)(&b, 1, edge, height, S);
    const u32 bytes = (u32)(2 * sizeof(u32x));
    if (XS(quads)(signs)) {
        XS(pack)(to, height * S, r, 1, height / 4, count);
        return;
    }
    for (int i = 0; i < height; i += 4, to += bytes) {
        const u8 *row[4];
        for (int k = 0; k < 4; k++, r.first += r.pitch) {
            row[k] = r.first;
            __builtin_prefetch(r.first + (u64)height * r.pitch, 0, 2);
        }
        for (int p = 0; p < count; p++) {
            XS(vnni)(dwords, row, 1, p * S);
            XS(wide_column)(to + (u32)(p * height / 4) * bytes, dwords, signs);
        }
    }
}

/* ---- deferred products, a grid of them in each step */

/* Where to store a block of B: in `own` or shared memory. True: it is already there. */
XS_FORCED int XS(deferred_block)(struct xs_subgroup *self, const struct block_source *s, u32 bytes, u8 *own, u8 **to)
{
    *to = self->thread->shared ? shared_block(self->thread, s, bytes, own) : own;
    if (*to == own) return 0;
    struct block_source *known = (struct block_source *)(void *)*to - 2;
    if (known->shape) return 1;
    *known = *s;
    return 0;
}

/* A block of B as rows of floats, or of 8-bit integers; returns its address. */
#define XS_DEFERRED_FLOATS(T, kind)                                                                                    \
    XS_FUNCTION const u8 *XS(deferred_##T)(struct xs_subgroup * self, u8 * own, int height, int count, u64 ptr,        \
                                           u32 mem_w, u32 mem_h, u32 pitch, i32 x, i32 y)                              \
    {                                                                                                                  \
        const struct block_source s = {ptr, mem_w, mem_h, pitch, x, y, (u32)((kind) | height << 8 | count)};           \
        u8 *to;                                                                                                        \
        if (!XS(deferred_block)(self, &s, (u32)(height * count) * (u32)sizeof(f32x), own, &to))                        \
            XS(block2d_load_##T)((f32x *)(void *)to, height, count, 1, ptr, mem_w, mem_h, pitch, x, y);                \
        return to;                                                                                                     \
    }
XS_DEFERRED_FLOATS(f16, XS_FLOATS_OF_F16)
XS_DEFERRED_FLOATS(bf16, XS_FLOATS_OF_BF16)
#undef XS_DEFERRED_FLOATS

#define XS_DEFERRED_COLUMNS(T, kind)                                                                                   \
    XS_FUNCTION const u8 *XS(deferred_columns_##T)(struct xs_subgroup * self, u8 * own, u64 ptr, u32 mem_w, u32 mem_h, \
                                                   u32 pitch, i32 x, i32 y)                                            \
    {                                                                                                                  \
        const struct block_source s = {ptr, mem_w, mem_h, pitch, x, y, kind};                                          \
        u8 *to;                                                                                                        \
        if (!XS(deferred_block)(self, &s, 16 * (u32)sizeof(f32x), own, &to))                                           \
            XS(block2d_load_columns_##T)((f32x *)(void *)to, ptr, mem_w, mem_h, pitch, x, y);                       \
        return to;                                                                                                     \
    }
XS_DEFERRED_COLUMNS(f16, XS_COLUMNS_OF_F16)
XS_DEFERRED_COLUMNS(bf16, XS_COLUMNS_OF_BF16)
#undef XS_DEFERRED_COLUMNS

XS_FUNCTION const u8 *XS(deferred_quads)(struct xs_subgroup *self, u8 *own, int signs, int height, int count, u64 ptr,
                                     u32 mem_w, u32 mem_h, u32 pitch, i32 x, i32 y)
{
    const u32 shape = (u32)(XS_QUADS + (signs << 24) + (height << 8) + count);
    const struct block_source s = {ptr, mem_w, mem_h, pitch, x, y, shape};
    const u32 bytes = (u32)(height * count) * (u32)sizeof(u32x) / 2;
    u8 *to;
    if (!XS(deferred_block)(self, &s, bytes >> XS(quads)(signs), own, &to))
        XS(block2d_load_quads)(to, signs, height, count, ptr, mem_w, mem_h, pitch, x, y);
    return to;
}

/* The operands of `steps` steps, oldest first. A step has nk fragments along K: those of row i are a[i * nk ...], of
 * column j b[j * nk ...]. */
XS_FORCED void XS(deferred_operands)(struct XS(grid) * g, const void **wide_a, const void **wide_b, int nk,
                                 const struct deferred_place *a, const struct deferred_place *b, int steps)
{
    for (int u = 0, at = 0; u < steps; u++) {
        for (int k = 0; k < nk; k++, at++) {
            for (int i = 0; i < g->ni; i++) wide_a[i * g->nk + at] = a[i * nk + k].unit[u] + a[i * nk + k].at;
            for (int j = 0; j < g->nj; j++) wide_b[j * g->nk + at] = b[j * nk + k].unit[u] + b[j * nk + k].at;
        }
    }
}

/* Their products; the sums are c[i * nj + j]. */
XS_FUNCTION void XS(floats_deferred)(struct xs_subgroup *self, int ni, int nj, int nk, void *const *c,
                                     const struct deferred_place *a, const struct deferred_place *b, int m, int steps)
{
    const void *wide_a[XS_DEFERRED], *wide_b[XS_DEFERRED];
    struct XS(grid) g = {ni, nj, nk * steps, m, c, (const void *const *)c, wide_a, wide_b, 0, next_block(self)};
    XS(deferred_operands)(&g, wide_a, wide_b, nk, a, b, steps);
    XS(f32_grid)(g);
}

XS_FUNCTION void XS(ints_deferred)(struct xs_subgroup *self, int signs, int ni, int nj, int nk, void *const *c,
                                   const struct deferred_place *a, const struct deferred_place *b, int m, int steps)
{
    const void *wide_a[XS_DEFERRED], *wide_b[XS_DEFERRED];
    struct XS(grid) g = {ni, nj, nk * steps, m, c, (const void *const *)c, wide_a, wide_b, 0, next_block(self)};
    XS(deferred_operands)(&g, wide_a, wide_b, nk, a, b, steps);
    XS(ints_grid)(g, signs);
}

/* ---- products that a module spells out (passes/outer.c)
 *
 * The sums are ni x nj vectors of W components, at d and, before, at c (NULL: zeros). To component e of sum (i, j) is
 * added, k by k, vector k * ni + i at a times a number: b[j * column + at[k] + e * step]. The vectors of one of the
 * CPU's registers, `rows`, are taken I at a time with J components: so many sums stay in registers. */
#define XS_OUTER(T, W, TWO)                                                                                            \
    XS_FUNCTION void XS(outer_##T##_##W##_##TWO)(u32 ni, u32 nj, u32 nk, T##x *const *d, const T##x *const *c,         \
                                                 const T *a, const T *b, u32 column, u32 step, const u32 *at)          \
    {                                                                                                                  \
        enum { bytes = sizeof(T##x) < XS_NATIVE ? sizeof(T##x) : XS_NATIVE, n = sizeof(T##x) / bytes };                \
        enum { I = n > 1 ? 2 : TWO, J = XS_NATIVE < 64 && W % 4 == 0 ? 4 : W };                                        \
        typedef T row __attribute__((vector_size(bytes), aligned(sizeof(T)), may_alias));                              \
        for (u32 j = 0; j < nj; j++, b += column) {                                                                    \
            for (u32 r = 0; r < ni * n; r += I) {                                                                      \
                for (u32 e = 0; e < W; e += J) {                                                                       \
                    row sum[I][J];                                                                                     \
                    XS_UNROLL for (u32 i = 0; i < I; i++)                                                              \
                        XS_UNROLL for (u32 f = 0; f < J; f++)                                                          \
                            sum[i][f] = c ? ((const row *)c[(r + i) / n * nj + j])[(e + f) * n + (r + i) % n]          \
                                          : (row){0};                                                                  \
                    for (u32 k = 0; k < nk; k++) {                                                                     \
                        const row *x = (const row *)a + k * ni * n + r;                                                \
                        const T *y = b + at[k] + e * step;                                                             \
                        XS_UNROLL for (u32 f = 0; f < J; f++)                                                          \
                            XS_UNROLL for (u32 i = 0; i < I; i++) sum[i][f] = x[i] * y[f * step] + sum[i][f];          \
                    }                                                                                                  \
                    XS_UNROLL for (u32 i = 0; i < I; i++)                                                              \
                        XS_UNROLL for (u32 f = 0; f < J; f++)                                                          \
                            ((row *)d[(r + i) / n * nj + j])[(e + f) * n + (r + i) % n] = sum[i][f];                   \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }
