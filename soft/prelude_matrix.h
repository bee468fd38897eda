/* prelude_matrix.h - small floats, matrix products and two-dimensional blocks, for the subgroup size S in force.
 *
 * A fragment is an array of lane vectors: component c of every lane is element c. What the Intel extensions spread over
 * lanes lies in these arrays as plain matrices, and the code below leans on that:
 *   - operand A: the bytes of component i, lane after lane, are row i (32 bytes a row whatever the type);
 *   - operand B: dword r of lane n holds the k's of row group r in column n (VNNI);
 *   - C and the result: component i, lane n is element (i, n).
 */
#ifndef XETILE_SOFT_PRELUDE_MATRIX_ONCE
#define XETILE_SOFT_PRELUDE_MATRIX_ONCE

enum { XS_RUN = 8 }; /* operands of a run of products */

#ifdef __clang__
#define XS_UNROLL _Pragma("clang loop unroll(full)")
#else
#define XS_UNROLL _Pragma("GCC unroll 64")
#endif
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

/* 8-bit floats. Infinity is there in E5M2 only; E4M3 uses all ones for NaN alone. */
XS_INLINE f32 e5m2_to_f32(u8 b) { return f16_to_f32((u16)(b << 8)); }

XS_INLINE f32 e4m3_to_f32(u8 b)
{
    u32 sign = (u32)(b & 0x80) << 24, exponent = b >> 3 & 15, mantissa = b & 7;
    if ((b & 0x7f) == 0x7f) return f32_bits(sign | 0x7fc00000u);
    if (exponent == 0) return f32_bits(sign | bits_f32((f32)mantissa * 0x1p-9f));
    return f32_bits(sign | (exponent + 120) << 23 | mantissa << 20);
}

/* |x| to the grid of an 8-bit float with `bits` mantissa bits, smallest normal exponent `low`: the code without sign,
 * not yet looked at for overflow. */
XS_INLINE u32 f8_round(u32 a, u32 bits, u32 low)
{
    u32 drop = 23 - bits, unit;
    if (a >= (low + 127) << 23) return ((a + ((1u << (drop - 1)) - 1) + (a >> drop & 1)) >> drop) - ((low + 126) << bits);
    unit = (low + 127 + 23 - bits) << 23; /* a number whose last place is the subnormals' unit */
    return bits_f32(f32_bits(a) + f32_bits(unit)) - unit;
}

XS_INLINE u8 f32_to_e4m3(f32 f, int saturate)
{
    u32 x = bits_f32(f), a = x & 0x7fffffffu, sign = x >> 24 & 0x80u, r;
    if (a > 0x7f800000u) return (u8)(sign | 0x7fu);
    r = a >= 0x43f00000u ? 0x7fu : f8_round(a, 3, (u32)-6); /* 480 and more is past 448 even after rounding */
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

enum { XS_BLOCK_BYTES = 64 * 32 * 4 }; /* more than any block: 64 bytes a row, 32 rows, 4 pieces */
enum { XS_ACC_F32, XS_ACC_F16, XS_ACC_BF16 }; /* what holds C or the result of a float product */
#endif

/* ---- small floats, a vector at a time */

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
XS_INLINE f32x XS(f16_to_f32)(u16x h)
{
    u32x w = XS_CONVERT(h, u32x), sign = (w & 0x8000u) << 16, o = (w & 0x7fffu) << 13, exponent = o & 0x0f800000u;
    u32x normal = o + (112u << 23) + ((112u << 23) & (u32x)(exponent == 0x0f800000u));
    u32x subnormal = (u32x)((f32x)(o + (113u << 23)) - 0x1p-14f);
    return (f32x)(sign | XS(sel_u32)((i32x)(exponent == 0), subnormal, normal));
}
XS_INLINE u16x XS(f32_to_f16)(f32x f)
{
    u32x x = (u32x)f, a = x & 0x7fffffffu, sign = x >> 16 & 0x8000u;
    u32x normal = (a - (112u << 23) + 0xfffu + (a >> 13 & 1)) >> 13;
    u32x subnormal = (u32x)((f32x)(a & (u32x)(a < 0x38800000u)) + 0.5f) - 0x3f000000u;
    u32x r = XS(sel_u32)((i32x)(a < 0x38800000u), subnormal, normal);
    r = XS(sel_u32)((i32x)(a >= 0x477ff000u), (u32x){0} + 0x7c00u, r);
    r = XS(sel_u32)((i32x)(a > 0x7f800000u), 0x7e00u | (a >> 13 & 0x3ffu), r);
    return XS_CONVERT(r | sign, u16x);
}
#endif

XS_INLINE f32x XS(bf16_to_f32)(u16x h) { return (f32x)(XS_CONVERT(h, u32x) << 16); }

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
        XS_LANES1(r, R, NAME, T, v);                                                                                   \
        return r;                                                                                                      \
    }
XS_SMALL_FLOAT(e4m3_to_f32, f32, u8)
XS_SMALL_FLOAT(e5m2_to_f32, f32, u8)
XS_SMALL_FLOAT(f32_to_e4m3_rne, u8, f32)
XS_SMALL_FLOAT(f32_to_e4m3_sat, u8, f32)
XS_SMALL_FLOAT(f32_to_e5m2_rne, u8, f32)
XS_SMALL_FLOAT(f32_to_e5m2_sat, u8, f32)
#undef XS_SMALL_FLOAT

/* ---- products: D[m x S] = A[m x K] B[K x S] + C. The hardware has subgroup sizes 8 and 16 only. */
#if S == 8 || S == 16

/* Rows one after the other against B as f32 vectors in registers; m and k are constants where this is inlined. */
XS_INLINE void XS(dpas_rows)(f32x *d, const f32 *a, const f32x *b, const f32x *c, int m, int k)
{
    f32x acc[8];
    XS_UNROLL for (int i = 0; i < m; i++) acc[i] = c[i];
    XS_UNROLL for (int j = 0; j < k; j++)
    {
        XS_UNROLL for (int i = 0; i < m; i++) acc[i] += a[i * k + j] * b[j];
    }
    XS_UNROLL for (int i = 0; i < m; i++) d[i] = acc[i];
}

XS_INLINE void XS(dpas_any_rows)(f32x *d, const f32 *a, const f32x *b, const f32x *c, int m, int k)
{
    for (; m >= 8; m -= 8, a += 8 * k, c += 8, d += 8) XS(dpas_rows)(d, a, b, c, 8, k);
    if (m & 4) {
        XS(dpas_rows)(d, a, b, c, 4, k);
        a += 4 * k, c += 4, d += 4;
    }
    if (m & 2) {
        XS(dpas_rows)(d, a, b, c, 2, k);
        a += 2 * k, c += 2, d += 2;
    }
    if (m & 1) XS(dpas_rows)(d, a, b, c, 1, k);
}

/* K = 16. B comes as 8 dwords (b_packed) or as 16 components of 16 bits. A run is n products one after the other, each
 * of one of a few A and one of a few B operands (`which`: their numbers): these are converted once. */
#define XS_DPAS_16(NAME, TO_F32)                                                                                       \
    XS_INLINE void XS(NAME##_rows)(f32 *af, const void *a, int m)                                                      \
    {                                                                                                                  \
        for (int i = 0; i < m * 16 / S; i++) {                                                                         \
            f32x row = XS(TO_F32)(*(const u16x_mem *)((const u8 *)a + i * 2 * S));                                     \
            __builtin_memcpy(af + i * S, &row, sizeof row);                                                            \
        }                                                                                                              \
    }                                                                                                                  \
    XS_INLINE void XS(NAME##_columns)(f32x * bf, const void *b, int b_packed)                                          \
    {                                                                                                                  \
        XS_UNROLL for (int r = 0; r < 8; r++)                                                                          \
        {                                                                                                              \
            u32x w = ((const u32x *)b)[b_packed ? r : 0];                                                              \
            bf[2 * r] = XS(TO_F32)(b_packed ? XS_CONVERT(w & 0xffffu, u16x) : ((const u16x *)b)[2 * r]);               \
            bf[2 * r + 1] = XS(TO_F32)(b_packed ? XS_CONVERT(w >> 16, u16x) : ((const u16x *)b)[2 * r + 1]);           \
        }                                                                                                              \
    }                                                                                                                  \
    XS_FUNCTION void XS(NAME)(f32x * d, const void *a, const void *b, const f32x *c, int m, int b_packed)              \
    {                                                                                                                  \
        f32x bf[16];                                                                                                   \
        f32 af[8 * 16] XS_ALIGNED(64);                                                                                 \
        XS(NAME##_rows)(af, a, m);                                                                                     \
        XS(NAME##_columns)(bf, b, b_packed);                                                                           \
        XS(dpas_any_rows)(d, af, bf, c, m, 16);                                                                        \
    }                                                                                                                  \
    XS_FUNCTION void XS(NAME##_run)(int n, const u8 *which, f32x *const *d, const f32x *const *c, int na,              \
                                    const void *const *a, int nb, const void *const *b, int m, int b_packed)           \
    {                                                                                                                  \
        f32x bf[XS_RUN][16];                                                                                           \
        f32 af[XS_RUN][8 * 16] XS_ALIGNED(64);                                                                         \
        for (int i = 0; i < na; i++) XS(NAME##_rows)(af[i], a[i], m);                                                  \
        for (int i = 0; i < nb; i++) XS(NAME##_columns)(bf[i], b[i], b_packed);                                        \
        for (int i = 0; i < n; i++) XS(dpas_any_rows)(d[i], af[which[2 * i]], bf[which[2 * i + 1]], c[i], m, 16);      \
    }
XS_DPAS_16(dpas_f16, f16_to_f32)
XS_DPAS_16(dpas_bf16, bf16_to_f32)
#undef XS_DPAS_16

/* K = 8: A rows of 8 floats, B 8 components. The hardware reads 19 bits of each. */
XS_FUNCTION void XS(dpas_tf32)(f32x *d, const void *a, const void *b, const f32x *c, int m, int b_packed)
{
    f32x bf[8];
    f32 af[8 * 8];
    (void)b_packed;
    for (int i = 0; i < m * 8; i++) af[i] = f32_bits(((const u32_mem *)a)[i] & ~0x1fffu);
    for (int r = 0; r < 8; r++) bf[r] = (f32x)(((const u32x *)b)[r] & ~0x1fffu);
    XS(dpas_any_rows)(d, af, bf, c, m, 8);
}

/* C and the result as 16-bit floats: through f32, as the hardware accumulates. */
typedef void XS(dpas_fn)(f32x *d, const void *a, const void *b, const f32x *c, int m, int b_packed);
XS_FUNCTION void XS(dpas_acc)(XS(dpas_fn) *product, void *d, const void *a, const void *b, const void *c, int m,
                              int b_packed, int c_kind, int d_kind)
{
    f32x wide[8];
    for (int i = 0; i < m; i++) {
        if (c_kind == XS_ACC_F32) wide[i] = ((const f32x *)c)[i];
        else if (c_kind == XS_ACC_F16) wide[i] = XS(f16_to_f32)(((const u16x *)c)[i]);
        else wide[i] = XS(bf16_to_f32)(((const u16x *)c)[i]);
    }
    product(wide, a, b, wide, m, b_packed);
    for (int i = 0; i < m; i++) {
        if (d_kind == XS_ACC_F32) ((f32x *)d)[i] = wide[i];
        else if (d_kind == XS_ACC_F16) ((u16x *)d)[i] = XS(f32_to_f16)(wide[i]);
        else ((u16x *)d)[i] = XS(f32_to_bf16)(wide[i]);
    }
}

/* acc + the four products of bytes in each lane, u unsigned and s signed. */
XS_INLINE u32x XS(dot4)(u32x acc, u32x u, u32x s)
{
#if S == 16 && defined(__AVX512VNNI__) && XS_HAS(__builtin_ia32_vpdpbusd_v16si)
    return (u32x)__builtin_ia32_vpdpbusd_v16si((i32x)acc, (i32x)u, (i32x)s);
#elif S == 16 && defined(__AVX512VNNI__) && XS_HAS(__builtin_ia32_vpdpbusd512)
    return (u32x)__builtin_ia32_vpdpbusd512((i32x)acc, (i32x)u, (i32x)s);
#elif S == 8 && defined(__AVX512VNNI__) && defined(__AVX512VL__) && XS_HAS(__builtin_ia32_vpdpbusd_v8si)
    return (u32x)__builtin_ia32_vpdpbusd_v8si((i32x)acc, (i32x)u, (i32x)s);
#else
    for (int i = 0; i < 32; i += 8) acc += (u >> i & 0xffu) * (u32x)((i32x)(s << (24 - i)) >> 24);
    return acc;
#endif
}

/* Rows of n dwords against n dwords of B. dot4 wants one side unsigned and one signed: the other cases are shifted by
 * 128 and put right by a sum, exactly, since all is modulo 2^32. */
XS_INLINE void XS(dpas_bytes)(u32x *d, const u32_mem *a, const u32x *b, const u32x *c, int m, int n, int a_signed,
                              int b_signed)
{
    const u32 high = 0x80808080u;
    const u32x sixty_four = XS(splat_u32)(0x40404040u);
    u32x shift = {0};
    for (int r = 0; r < n && a_signed && b_signed; r++) shift = XS(dot4)(shift, XS(splat_u32)(high), b[r]);
    for (int i = 0; i < m; i++) {
        u32x acc = c[i] - shift;
        for (int r = 0; r < n; r++) {
            u32x row = XS(splat_u32)(a[i * n + r]);
            if (a_signed && b_signed) acc = XS(dot4)(acc, row ^ high, b[r]);
            else if (a_signed) acc = XS(dot4)(acc, b[r], row);
            else if (b_signed) acc = XS(dot4)(acc, row, b[r]);
            else acc = XS(dot4)(XS(dot4)(XS(dot4)(acc, row, b[r] ^ high), row, sixty_four), row, sixty_four);
        }
        d[i] = acc;
    }
}

/* 8-bit integers, K = 32: rows of 32 bytes, B 8 dwords of four k's each. */
XS_FUNCTION void XS(dpas_i8)(u32x *d, const void *a, const void *b, const u32x *c, int m, int a_signed, int b_signed)
{
    if (a_signed && b_signed) XS(dpas_bytes)(d, (const u32_mem *)a, (const u32x *)b, c, m, 8, 1, 1);
    else if (a_signed) XS(dpas_bytes)(d, (const u32_mem *)a, (const u32x *)b, c, m, 8, 1, 0);
    else if (b_signed) XS(dpas_bytes)(d, (const u32_mem *)a, (const u32x *)b, c, m, 8, 0, 1);
    else XS(dpas_bytes)(d, (const u32_mem *)a, (const u32x *)b, c, m, 8, 0, 0);
}

/* The eight nibbles of a dword as two dwords of bytes. */
XS_INLINE u32 XS(nibbles)(u32 w, int half, int is_signed)
{
    u32 r = 0;
    for (int j = 0; j < 4; j++) {
        u32 x = w >> (16 * half + 4 * j) & 15u;
        if (is_signed && x & 8u) x |= 0xf0u;
        r |= x << 8 * j;
    }
    return r;
}

/* 4-bit integers, K = 64: widened to bytes. */
XS_FUNCTION void XS(dpas_i4)(u32x *d, const void *a, const void *b, const u32x *c, int m, int a_signed, int b_signed)
{
    u32 wide_a[8 * 16];
    u32x wide_b[16];
    for (int i = 0; i < m * 16; i++) wide_a[i] = XS(nibbles)(((const u32_mem *)a)[i / 2], i & 1, a_signed);
    for (int r = 0; r < 16; r++) {
        for (int l = 0; l < S; l++) wide_b[r][l] = XS(nibbles)(((const u32x *)b)[r / 2][l], r & 1, b_signed);
    }
    XS(dpas_bytes)(d, (const u32_mem *)wide_a, wide_b, c, m, 16, a_signed, b_signed);
}
#endif

/* ---- two-dimensional blocks
 *
 * A block is `count` pieces of `height` rows and `width` elements side by side in a surface of mem_w bytes by mem_h
 * rows; x counts elements, y rows, both may lie outside: what is outside reads as 0 and is not written. A piece is
 * padded to a power of two of columns. In registers the pieces follow each other row by row, and lanes take that
 * sequence in turns of one element (two or more bytes where a row of bytes is wider than the subgroup).
 */
struct XS(block) {
    int elem_bytes, width, height, count;
    u64 ptr;
    u32 mem_w, mem_h, pitch;
    i32 x, y;
};

XS_INLINE int XS(pow2)(int n)
{
    int p = 1;
    while (p < n) p *= 2;
    return p;
}

/* One row of one piece, between memory and `row`, as far as it lies inside. */
XS_INLINE void XS(block_row)(const struct XS(block) * b, int piece, int y, u8 *row, int store)
{
    i64 bytes = (i64)b->width * b->elem_bytes, from = ((i64)b->x + (i64)piece * b->width) * b->elem_bytes;
    i64 first = from < 0 ? -from : 0, last = from + bytes > (i64)b->mem_w ? (i64)b->mem_w - from : bytes;
    i64 line = (i64)b->y + y;
    u8 *memory = (u8 *)(uintptr_t)(b->ptr + (u64)(line * (i64)b->pitch + from));
    if (line < 0 || line >= (i64)b->mem_h || first >= last) return;
    if (store) {
        __builtin_memcpy(memory + first, row + first, (size_t)(last - first));
    } else {
        __builtin_memcpy(row + first, memory + first, (size_t)(last - first));
    }
}

/* Lanes' share of the sequence `flat`, in items of `item` bytes, to or from the lane vectors. A turn is `turn` bytes a
 * lane; where the turn is wider than the item it is cut into turn / item vectors. */
XS_INLINE void XS(deal)(u8 *vectors, u8 *flat, int bytes, int turn, int item, int store)
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

/* Bytes a lane takes in a turn. */
XS_INLINE int XS(block_turn)(int elem_bytes, int columns)
{
    return elem_bytes == 1 && columns > S ? columns / S : elem_bytes;
}

/* Whole turns of all lanes that hold `bytes`. */
XS_INLINE int XS(whole_turns)(int bytes, int turn) { return (bytes + S * turn - 1) / (S * turn) * (S * turn); }

/* Does the block lie wholly inside its surface? */
XS_INLINE int XS(block_inside)(const struct XS(block) * b)
{
    i64 from = (i64)b->x * b->elem_bytes, bytes = (i64)b->count * b->width * b->elem_bytes;
    return from >= 0 && b->y >= 0 && from + bytes <= (i64)b->mem_w && (i64)b->y + b->height <= (i64)b->mem_h;
}

XS_FUNCTION void XS(block2d_load)(void *dst, int item, int elem_bytes, int width, int height, int count, u64 ptr,
                                  u32 mem_w, u32 mem_h, u32 pitch, i32 x, i32 y)
{
    struct XS(block) b = {elem_bytes, width, height, count, ptr, mem_w, mem_h, pitch, x, y};
    u8 flat[XS_BLOCK_BYTES] XS_ALIGNED(64);
    int columns = XS(pow2)(width), row = columns * elem_bytes, turn = XS(block_turn)(elem_bytes, columns);
    int straight = row == S * turn && item == turn; /* a row is a lane vector */
    u8 *rows = straight ? (u8 *)dst : flat;
    if (width == columns && XS(block_inside)(&b)) {
        for (int p = 0; p < count; p++) {
            const u8 *line = (const u8 *)(uintptr_t)(ptr + (u64)y * pitch + (u64)((i64)x * elem_bytes + p * row));
            for (int i = 0; i < height; i++, line += pitch) {
                u8 *to = rows + (p * height + i) * row;
                if (row == 32) __builtin_memcpy(to, line, 32);
                else if (row == 64) __builtin_memcpy(to, line, 64);
                else __builtin_memcpy(to, line, (size_t)row);
            }
        }
    } else {
        __builtin_memset(rows, 0, (size_t)XS(whole_turns)(count * height * row, turn));
        for (int p = 0; p < count; p++) {
            for (int i = 0; i < height; i++) XS(block_row)(&b, p, i, rows + (p * height + i) * row, 0);
        }
    }
    if (!straight) XS(deal)((u8 *)dst, flat, XS(whole_turns)(count * height * row, turn), turn, item, 0);
}

/* S columns of a group of rows (two of 16 bits, four of 8) become a vector of dwords. */
XS_INLINE u32x XS(vnni)(const u8 *const *row, int elem_bytes, int column)
{
    if (elem_bytes == 2) {
        u32x low = XS_CONVERT(((const u16x_mem *)(const void *)(row[0] + 2 * column))[0], u32x);
        return low | XS_CONVERT(((const u16x_mem *)(const void *)(row[1] + 2 * column))[0], u32x) << 16;
    }
    u32x r = XS_CONVERT(*(const u8x_mem *)(const void *)(row[0] + column), u32x);
    for (int i = 1; i < 4; i++) r |= XS_CONVERT(*(const u8x_mem *)(const void *)(row[i] + column), u32x) << (8 * i);
    return r;
}

/* VNNI: four bytes' worth of rows share a dword, the lower row in the lower bits. */
XS_FUNCTION void XS(block2d_load_transform)(void *dst, int item, int elem_bytes, int width, int height, int count,
                                            u64 ptr, u32 mem_w, u32 mem_h, u32 pitch, i32 x, i32 y)
{
    struct XS(block) b = {elem_bytes, width, height, count, ptr, mem_w, mem_h, pitch, x, y};
    u8 padded[4][64 + 64 + 128] XS_ALIGNED(64), flat[XS_BLOCK_BYTES] XS_ALIGNED(64); /* room to read whole vectors */
    int columns = XS(pow2)(width), group = 4 / elem_bytes, groups = (height + group - 1) / group;
    int straight = columns % S == 0 && item == 4, inside = columns % S == 0 && width == columns && XS(block_inside)(&b);
    u8 *out = straight ? (u8 *)dst : flat;
    if (!straight) __builtin_memset(flat, 0, (size_t)XS(whole_turns)(count * groups * columns * 4, 4));
    for (int p = 0; p < count; p++) {
        for (int g = 0; g < groups; g++) {
            const u8 *row[4] = {padded[0], padded[1], padded[2], padded[3]};
            if (inside && (g + 1) * group <= height) {
                u64 first = ptr + (u64)(y + g * group) * pitch + (u64)(((i64)x + p * width) * elem_bytes);
                for (int i = 0; i < group; i++) row[i] = (const u8 *)(uintptr_t)(first + (u64)i * pitch);
            } else {
                __builtin_memset(padded, 0, sizeof padded);
                for (int i = 0; i < group && g * group + i < height; i++) {
                    XS(block_row)(&b, p, g * group + i, padded[i], 0);
                }
            }
            for (int j = 0; j < columns; j += S, out += 4 * (columns < S ? columns : S)) {
                u32x v = XS(vnni)(row, elem_bytes, j);
                __builtin_memcpy(out, &v, 4 * (size_t)(columns < S ? columns : S));
            }
        }
    }
    if (!straight) XS(deal)((u8 *)dst, flat, XS(whole_turns)(count * groups * columns * 4, 4), 4, item, 0);
}

/* Columns become rows; elements of 4 and 8 bytes. */
XS_FUNCTION void XS(block2d_load_transpose)(void *dst, int item, int elem_bytes, int width, int height, int count,
                                            u64 ptr, u32 mem_w, u32 mem_h, u32 pitch, i32 x, i32 y)
{
    struct XS(block) b = {elem_bytes, width, height, count, ptr, mem_w, mem_h, pitch, x, y};
    u8 flat[XS_BLOCK_BYTES] XS_ALIGNED(64);
    int columns = XS(pow2)(height);
    __builtin_memset(flat, 0, sizeof flat);
    for (int p = 0; p < count; p++) {
        for (int i = 0; i < height; i++) {
            u8 row[64 + 64] = {0};
            XS(block_row)(&b, p, i, row, 0);
            for (int j = 0; j < width; j++) {
                __builtin_memcpy(flat + ((p * width + j) * columns + i) * elem_bytes, row + j * elem_bytes,
                                 (size_t)elem_bytes);
            }
        }
    }
    XS(deal)((u8 *)dst, flat, XS(whole_turns)(count * width * columns * elem_bytes, elem_bytes), elem_bytes, item, 0);
}

XS_FUNCTION void XS(block2d_store)(const void *src, int item, int elem_bytes, int width, int height, int count, u64 ptr,
                                   u32 mem_w, u32 mem_h, u32 pitch, i32 x, i32 y)
{
    struct XS(block) b = {elem_bytes, width, height, count, ptr, mem_w, mem_h, pitch, x, y};
    u8 flat[XS_BLOCK_BYTES] XS_ALIGNED(64);
    int columns = XS(pow2)(width), row = columns * elem_bytes, turn = XS(block_turn)(elem_bytes, columns);
    XS(deal)((u8 *)(uintptr_t)src, flat, XS(whole_turns)(count * height * row, turn), turn, item, 1);
    for (int p = 0; p < count; p++) {
        for (int i = 0; i < height; i++) XS(block_row)(&b, p, i, flat + (p * height + i) * row, 1);
    }
}
