/* prelude_mx.h - products of 8-bit floats and E2M1, and scaled products: those of Xe3P's matrix instructions. For the
 * current subgroup size S; operands are fragments as in prelude_matrix.h.
 */
#ifndef XETILE_SOFT_PRELUDE_MX_ONCE
#define XETILE_SOFT_PRELUDE_MX_ONCE

enum { XS_MX_F16, XS_MX_BF16, XS_MX_E4M3, XS_MX_E5M2, XS_MX_E2M1 }; /* a format; in a product's form: */
#define XS_MX_A(form) ((form) >> 8 & 15)
#define XS_MX_B(form) ((form) >> 12 & 15)
enum { XS_MX_DEEP = 64, XS_MX_SCALED = 32 }; /* most values along k; those that have a scale in common */

/* 2^(e - 127), or NaN. */
XS_INLINE double mx_scale(u8 e) { return e == 255 ? __builtin_nan("") : __builtin_ldexp(1, e - 127); }
#endif

/* Values of a format in a dword. */
XS_INLINE int XS(mx_in_dword)(int format) { return format == XS_MX_E2M1 ? 8 : format < XS_MX_E4M3 ? 2 : 4; }

/* Without its sign: all ones are a NaN; the smallest exponent has numbers below the normal ones. */
XS_INLINE f32x XS(mx_e4m3)(u32x a)
{
    u32x small = (u32x)(XS_CONVERT(a, f32x) * 0x1p-9f);
    u32x v = XS(sel_u32)((i32x)(a < 8u), small, (a << 20) + (120u << 23));
    return (f32x)XS(sel_u32)((i32x)(a == 0x7fu), (u32x){0} + 0x7fc00000u, v);
}
XS_INLINE f32x XS(mx_e2m1)(u32x a)
{
    return (f32x)XS(sel_u32)((i32x)(a < 2u), (u32x)(XS_CONVERT(a, f32x) * 0.5f), (a << 22) + (126u << 23));
}

/* The n-th value of each dword. */
XS_FORCED f32x XS(mx_value)(u32x w, int format, int n)
{
    switch (format) {
    case XS_MX_F16: return XS(f16_to_f32)(XS_CONVERT(w >> (16 * n) & 0xffffu, u16x));
    case XS_MX_BF16: return (f32x)(w >> (16 * n) << 16);
    case XS_MX_E5M2: return XS(f16_to_f32)(XS_CONVERT((w >> (8 * n) & 0xffu) << 8, u16x));
    case XS_MX_E4M3: w >>= 8 * n; return (f32x)((u32x)XS(mx_e4m3)(w & 0x7fu) | (w & 0x80u) << 24);
    default: w >>= 4 * n; return (f32x)((u32x)XS(mx_e2m1)(w & 7u) | (w & 8u) << 28);
    }
}

/* A's m rows as floats: value k of row r is to[k / 16][r * 16 + k % 16]. Returns the number of values. */
XS_FUNCTION int XS(mx_rows)(f32 (*to)[8 * 16], const void *a, int m, int format)
{
    const int per = XS(mx_in_dword)(format);
    for (int first = 0; first < 8 * m; first += S) {
        const int here = 8 * m - first < S ? 8 * m - first : S;
        u32x w = {0};
        __builtin_memcpy(&w, (const u8 *)a + 4 * first, (size_t)here * 4);
        for (int n = 0; n < per; n++) {
            const f32x v = XS(mx_value)(w, format, n);
            for (int l = 0; l < here; l++) {
                const int k = (first + l) % 8 * per + n;
                to[k / 16][(first + l) / 8 * 16 + k % 16] = v[l];
            }
        }
    }
    return 8 * per;
}

/* B's columns as floats: row k of the lanes is to[k]. */
XS_FUNCTION void XS(mx_columns)(f32x *to, const void *b, int format)
{
    const int per = XS(mx_in_dword)(format);
    for (int r = 0; r < 8; r++)
        for (int n = 0; n < per; n++) to[r * per + n] = XS(mx_value)(((const u32x *)b)[r], format, n);
}

/* One product, as grids of fragments of 16 floats. */
XS_FUNCTION void XS(dpas_mx_grid)(int ni, int nj, int nk, void *const *d, const void *const *c, const void *const *a,
                                  const void *const *b, int m, int form)
{
    f32 rows[XS_MX_DEEP / 16][8 * 16] XS_ALIGNED(64);
    f32x columns[XS_MX_DEEP];
    const void *wide_a[XS_MX_DEEP / 16], *wide_b[XS_MX_DEEP / 16];
    const int parts = XS(mx_rows)(rows, a[0], m, XS_MX_A(form)) / 16;
    struct XS(grid) g = {ni, nj, nk * parts, m, d, c, wide_a, wide_b, 0, 0};
    XS(mx_columns)(columns, b[0], XS_MX_B(form));
    for (int i = 0; i < parts; i++) wide_a[i] = rows[i], wide_b[i] = columns + 16 * i;
    XS(f32_grid)(g);
}

/* A product with scales: those of rows in the first 8 lanes of scale_a, those of columns in the lanes of scale_b, a
 * vector for each 32 values of k. Sums are doubles, so that neither a product nor a scaled one rounds. */
XS_FUNCTION void XS(dpas_scaled)(void *d, const void *a, const void *b, const void *c, const u8x *scale_a,
                                 const u8x *scale_b, int m, int form, int c_kind, int d_kind)
{
    f32 rows[XS_MX_DEEP / 16][8 * 16];
    f32x columns[XS_MX_DEEP], sums[8];
    const int deep = XS(mx_rows)(rows, a, m, XS_MX_A(form));
    XS(mx_columns)(columns, b, XS_MX_B(form));
    XS(dpas_widen)(sums, c, m, c_kind);
    for (int r = 0; r < m; r++) {
        double sum[S] = {0};
        for (int first = 0; first < deep; first += XS_MX_SCALED) {
            const double scale = mx_scale(scale_a[first / XS_MX_SCALED][r]);
            double part[S] = {0};
            for (int k = first; k < deep && k < first + XS_MX_SCALED; k++)
                for (int l = 0; l < S; l++) part[l] += (double)rows[k / 16][r * 16 + k % 16] * (double)columns[k][l];
            for (int l = 0; l < S; l++) sum[l] += part[l] * (scale * mx_scale(scale_b[first / XS_MX_SCALED][l]));
        }
        for (int l = 0; l < S; l++) sums[r][l] = (f32)((double)sums[r][l] + sum[l]);
    }
    XS(dpas_narrow)(d, sums, m, d_kind);
}
