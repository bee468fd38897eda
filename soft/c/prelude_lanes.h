/* prelude_lanes.h - lane vectors and their operations, for the current subgroup size S.
 *
 * Included once for every subgroup size of a module, with S defined. Type names depend on S by macros (u32x is u32x16
 * if S is 16), functions by XS(name). A varying bool is an i32x of -1 and 0. The set of active lanes is passed as bits
 * (u64, bit l for lane l) for tests and as an i32x for blending.
 */
#ifndef XETILE_SOFT_PRELUDE_LANES_ONCE
#define XETILE_SOFT_PRELUDE_LANES_ONCE
#define XS_PASTE_(a, b) a##b
#define XS_PASTE(a, b) XS_PASTE_(a, b)
#define XS(name) XS_PASTE(name##_, S)
#define XS_BYTES(n) __attribute__((vector_size(n)))
#define u8x XS_PASTE(u8x, S)
#define u16x XS_PASTE(u16x, S)
#define u32x XS_PASTE(u32x, S)
#define u64x XS_PASTE(u64x, S)
#define i8x XS_PASTE(i8x, S)
#define i16x XS_PASTE(i16x, S)
#define i32x XS_PASTE(i32x, S)
#define i64x XS_PASTE(i64x, S)
#define f32x XS_PASTE(f32x, S)
#define f64x XS_PASTE(f64x, S)
#define u8x_mem XS_PASTE(u8xm, S)
#define u16x_mem XS_PASTE(u16xm, S)
#define u32x_mem XS_PASTE(u32xm, S)
#define u64x_mem XS_PASTE(u64xm, S)
#define XS_ALL(T, value) ((T##x){0} + (T)(value)) /* a constant in every lane */
#define XS_CONVERT(v, type) __builtin_convertvector(v, type)
/* If two widths differ by a factor of four or more, converts through one between: gcc 12 scalarises the direct way. */
#define XS_CONVERT2(v, between, type) XS_CONVERT(XS_CONVERT(v, between), type)
/* A comparison as an i32x. gcc 12 scalarises those of vectors wider than the CPU's, so they are done in pieces. */
#if defined(__AVX512F__)
#define XS_NATIVE 64
#elif defined(__AVX2__)
#define XS_NATIVE 32
#else
#define XS_NATIVE 16
#endif
#define XS_COMPARE(a, op, b)                                                                                           \
    __extension__({                                                                                                    \
        __typeof__(a) ca_ = (a), cb_ = (b);                                                                            \
        enum { piece_ = XS_NATIVE / sizeof ca_[0] * sizeof ca_[0], each_ = piece_ / sizeof ca_[0] };                   \
        typedef __typeof__(ca_[0]) v_ __attribute__((vector_size(piece_)));                                            \
        typedef i32 m_ __attribute__((vector_size(each_ * 4)));                                                        \
        i32x cr_;                                                                                                      \
        if (sizeof ca_ <= XS_NATIVE) {                                                                                 \
            cr_ = XS_CONVERT(ca_ op cb_, i32x);                                                                        \
        } else {                                                                                                       \
            v_ pa_[sizeof ca_ / piece_ + 1], pb_[sizeof ca_ / piece_ + 1];                                             \
            m_ pr_[sizeof ca_ / piece_ + 1];                                                                           \
            __builtin_memcpy(pa_, &ca_, sizeof ca_);                                                                   \
            __builtin_memcpy(pb_, &cb_, sizeof cb_);                                                                   \
            XS_UNROLL for (u32 i_ = 0; i_ < sizeof ca_ / piece_; i_++) pr_[i_] = XS_CONVERT(pa_[i_] op pb_[i_], m_);   \
            if (sizeof ca_ == 2 * piece_)                                                                              \
                cr_ = XS(joined)(pr_);                                                                                 \
            else                                                                                                       \
                __builtin_memcpy(&cr_, pr_, sizeof cr_);                                                               \
        }                                                                                                              \
        cr_;                                                                                                           \
    })
#define XS_FULL (((u64)1 << S) - 1)
/* For the lanes in `bits`, lowest first. */
#define XS_EACH(l, bits) for (u64 left_ = (bits), l; left_ && (l = (u64)__builtin_ctzll(left_), 1); left_ &= left_ - 1)
/* Functions that are not inlined take vectors by pointer, because gcc 12 makes sibling calls that misalign them. Their
 * loops over the lanes use arrays, which compilers vectorise. */
#endif

typedef u8 u8x XS_BYTES(S);
typedef u16 u16x XS_BYTES(2 * S);
typedef u32 u32x XS_BYTES(4 * S);
typedef u64 u64x XS_BYTES(8 * S);
typedef i8 i8x XS_BYTES(S);
typedef i16 i16x XS_BYTES(2 * S);
typedef i32 i32x XS_BYTES(4 * S);
typedef i64 i64x XS_BYTES(8 * S);
typedef f32 f32x XS_BYTES(4 * S);
typedef f64 f64x XS_BYTES(8 * S);
typedef u8 u8x_mem __attribute__((vector_size(S), may_alias, aligned(1)));
typedef u16 u16x_mem __attribute__((vector_size(2 * S), may_alias, aligned(1)));
typedef u32 u32x_mem __attribute__((vector_size(4 * S), may_alias, aligned(1)));
typedef u64 u64x_mem __attribute__((vector_size(8 * S), may_alias, aligned(1)));

/* The same value in every lane (x - 0 keeps a negative zero, x + 0 would not). gcc 12 fills vectors wider than the
 * CPU's lane by lane, in memory, so this is done in pieces. */
#define XS_SPLAT(T)                                                                                                    \
    XS_INLINE T##x XS(splat_##T)(T x)                                                                                  \
    {                                                                                                                  \
        enum { bytes = sizeof(T##x) < XS_NATIVE ? sizeof(T##x) : XS_NATIVE };                                          \
        typedef T piece __attribute__((vector_size(bytes)));                                                           \
        T##x r;                                                                                                        \
        if (sizeof r == bytes || __builtin_constant_p(x)) return x - (T##x){0};                                        \
        XS_UNROLL for (u32 i = 0; i < sizeof r / bytes; i++) ((piece *)&r)[i] = x - (piece){0};                        \
        return r;                                                                                                      \
    }
XS_SPLAT(u8)
XS_SPLAT(u16)
XS_SPLAT(u32)
XS_SPLAT(u64)
XS_SPLAT(i32)
XS_SPLAT(f32)
XS_SPLAT(f64)
#undef XS_SPLAT

#if S == 8
#define XS_LANES 0, 1, 2, 3, 4, 5, 6, 7
#elif S == 16
#define XS_LANES 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#else
#define XS_LANES                                                                                                       \
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
#endif
#ifdef __has_builtin
#define XS_HAS_SHUFFLE __has_builtin(__builtin_shufflevector)
#else
#define XS_HAS_SHUFFLE 0
#endif
/* The mask whose halves are in memory at p. They are joined in registers: one load of both would have to wait for the
 * two stores. */
XS_INLINE i32x XS(joined)(const void *p)
{
#if XS_HAS_SHUFFLE
    typedef i32 half XS_BYTES(2 * S);
    half low, high;
    __builtin_memcpy(&low, p, sizeof low);
    __builtin_memcpy(&high, (const u8 *)p + sizeof low, sizeof high);
    return __builtin_shufflevector(low, high, XS_LANES);
#else
    i32x r;
    __builtin_memcpy(&r, p, sizeof r);
    return r;
#endif
}
XS_INLINE u32x XS(lane_index)(void) { return (u32x){XS_LANES}; }
/* The lanes of an affine value: lane 0's value, and the step from lane to lane. */
XS_INLINE u8x XS(affine_u8)(u8 x, u8 step) { return XS(splat_u8)(x) + (u8x){XS_LANES} * step; }
XS_INLINE u16x XS(affine_u16)(u16 x, u16 step) { return XS(splat_u16)(x) + (u16x){XS_LANES} * step; }
XS_INLINE u32x XS(affine_u32)(u32 x, u32 step) { return XS(splat_u32)(x) + (u32x){XS_LANES} * step; }
XS_INLINE u64x XS(affine_u64)(u64 x, u64 step) { return XS(splat_u64)(x) + (u64x){XS_LANES} * step; }
#undef XS_LANES

/* The sign bits of a mask, by pieces that the CPU has an instruction for. */
#undef XS_SIGNS
#if defined(__AVX512DQ__) && S >= 16
typedef i32 XS(piece) __attribute__((vector_size(64)));
#define XS_SIGNS(piece) ((u16)__builtin_ia32_cvtd2mask512(piece))
#elif defined(__AVX__)
typedef f32 XS(piece) __attribute__((vector_size(32)));
#define XS_SIGNS(piece) __builtin_ia32_movmskps256(piece)
#elif defined(__SSE2__)
typedef f32 XS(piece) __attribute__((vector_size(16)));
#define XS_SIGNS(piece) __builtin_ia32_movmskps(piece)
#endif
XS_INLINE u64 XS(bits)(i32x m)
{
    u64 r = 0;
#ifdef XS_SIGNS
    XS(piece) part[sizeof m / sizeof(XS(piece))];
    __builtin_memcpy(part, &m, sizeof part);
    XS_UNROLL for (u32 i = 0; i < sizeof part / sizeof *part; i++) r |= (u64)XS_SIGNS(part[i]) << sizeof *part / 4 * i;
#else
    for (int l = 0; l < S; l++) r |= (u64)(m[l] & 1) << l;
#endif
    return r;
}

/* Converts bits to an i32x of -1 and 0. */
XS_INLINE i32x XS(mask)(u64 bits)
{
    return -(i32x)(((XS(splat_u32)((u32)bits)) >> XS(lane_index)()) & 1u);
}

XS_INLINE u32x XS(sel_u32)(i32x m, u32x a, u32x b) { return (a & (u32x)m) | (b & ~(u32x)m); }
XS_INLINE i32x XS(sel_i32)(i32x m, i32x a, i32x b) { return (a & m) | (b & ~m); }
XS_INLINE f32x XS(sel_f32)(i32x m, f32x a, f32x b) { return (f32x)XS(sel_u32)(m, (u32x)a, (u32x)b); }
XS_INLINE u64x XS(sel_u64)(i32x m, u64x a, u64x b)
{
    u64x w = (u64x)XS_CONVERT(m, i64x);
    return (a & w) | (b & ~w);
}
XS_INLINE f64x XS(sel_f64)(i32x m, f64x a, f64x b) { return (f64x)XS(sel_u64)(m, (u64x)a, (u64x)b); }
#if S == 16 && defined(__AVX512BW__) && defined(__AVX512VL__) && !defined(__clang__)
typedef short XS(v16hi) __attribute__((vector_size(32)));
typedef char XS(v16qi) __attribute__((vector_size(16)));
XS_INLINE u16x XS(sel_u16)(i32x m, u16x a, u16x b)
{
    return (u16x)__builtin_ia32_blendmw_256_mask((XS(v16hi))b, (XS(v16hi))a, (u16)XS(bits)(m));
}
XS_INLINE u8x XS(sel_u8)(i32x m, u8x a, u8x b)
{
    return (u8x)__builtin_ia32_blendmb_128_mask((XS(v16qi))b, (XS(v16qi))a, (u16)XS(bits)(m));
}
#else
XS_INLINE u16x XS(sel_u16)(i32x m, u16x a, u16x b)
{
    u16x w = (u16x)XS_CONVERT(m, i16x);
    return (a & w) | (b & ~w);
}
XS_INLINE u8x XS(sel_u8)(i32x m, u8x a, u8x b)
{
    u8x w = (u8x)XS_CONVERT2(m, i16x, i8x);
    return (a & w) | (b & ~w);
}
#endif

/* The distance between neighbouring lanes' addresses if it is always the same; else a number that is not a size. */
XS_FUNCTION u64 XS(stride_of)(const u64x *addresses)
{
    const u64 *a = (const u64 *)addresses; /* no copy: gcc would write it by lanes and stall reading it as vectors */
    u64 step = a[1] - a[0], any = 0;
    if (a[S - 1] - a[0] != (S - 1) * step) return ~(u64)0;
    for (u32 l = 0; l < S; l++) any |= a[l] ^ (a[0] + l * step);
    return any ? ~(u64)0 : step;
}
XS_INLINE u64 XS(stride)(u64x a) { return XS(stride_of)(&a); }

/* f(T, a, b, 0), f(T, a, b, 1) ... */
#undef XS_EACH_LANE
#define XS_LISTED(T, at, offset, l) XS_AT(T, at[l] + offset)
#define XS_SPACED(T, at, step, l) XS_AT(T, at + l * step)
#define XS_EIGHT_LANES(f, T, a, b, n)                                                                                  \
    f(T, a, b, (n)), f(T, a, b, (n + 1)), f(T, a, b, (n + 2)), f(T, a, b, (n + 3)), f(T, a, b, (n + 4)),               \
        f(T, a, b, (n + 5)), f(T, a, b, (n + 6)), f(T, a, b, (n + 7))
#if S == 8
#define XS_EACH_LANE(f, T, a, b) XS_EIGHT_LANES(f, T, a, b, 0)
#elif S == 16
#define XS_EACH_LANE(f, T, a, b) XS_EIGHT_LANES(f, T, a, b, 0), XS_EIGHT_LANES(f, T, a, b, 8)
#else
#define XS_EACH_LANE(f, T, a, b)                                                                                       \
    XS_EIGHT_LANES(f, T, a, b, 0), XS_EIGHT_LANES(f, T, a, b, 8), XS_EIGHT_LANES(f, T, a, b, 16),                      \
        XS_EIGHT_LANES(f, T, a, b, 24)
#endif

/* Loads give 0 in inactive lanes; of conflicting stores, the highest lane wins. */
#define XS_MEMORY(T)                                                                                                   \
    XS_FUNCTION T##x XS(gather_##T)(const u64x *a, u64 offset, u64 bits)                                               \
    {                                                                                                                  \
        T##x r = {0};                                                                                                  \
        u64 at[S];                                                                                                     \
        __builtin_memcpy(at, a, sizeof at);                                                                            \
        if (bits == XS_FULL) return (T##x){XS_EACH_LANE(XS_LISTED, T, at, offset)};                                    \
        XS_EACH (l, bits) r[l] = XS_AT(T, at[l] + offset);                                                             \
        return r;                                                                                                      \
    }                                                                                                                  \
    XS_FUNCTION void XS(scatter_##T)(const u64x *a, u64 offset, const T##x *v, u64 bits)                               \
    {                                                                                                                  \
        XS_EACH (l, bits) XS_AT(T, (*a)[l] + offset) = (*v)[l];                                                        \
    }                                                                                                                  \
    XS_INLINE T##x XS(load_at_##T)(u64x a, u64 stride, u64 offset, u64 bits)                                           \
    {                                                                                                                  \
        if (bits == XS_FULL && stride == sizeof(T)) return *(const T##x_mem *)(uintptr_t)(a[0] + offset);              \
        return XS(gather_##T)(&a, offset, bits);                                                                       \
    }                                                                                                                  \
    /* The same as a call, for functions with very many of them. */                                                    \
    XS_FUNCTION T##x XS(load_root_##T)(const u64x *a, u64 stride, u64 offset, u64 bits)                                \
    {                                                                                                                  \
        if (bits == XS_FULL && stride == sizeof(T)) return *(const T##x_mem *)(uintptr_t)((*a)[0] + offset);           \
        return XS(gather_##T)(a, offset, bits);                                                                        \
    }                                                                                                                  \
    XS_INLINE void XS(store_at_##T)(u64x a, u64 stride, u64 offset, T##x v, u64 bits)                                  \
    {                                                                                                                  \
        if (bits == XS_FULL && stride == sizeof(T)) *(T##x_mem *)(uintptr_t)(a[0] + offset) = v;                       \
        else XS(scatter_##T)(&a, offset, &v, bits);                                                                    \
    }                                                                                                                  \
    XS_FUNCTION void XS(load_any_##T)(T##x *r, const u64x *a, u64 bits)                                                \
    {                                                                                                                  \
        if (bits == XS_FULL && XS(stride_of)(a) == sizeof(T)) *r = *(const T##x_mem *)(uintptr_t)(*a)[0];              \
        else *r = XS(gather_##T)(a, 0, bits);                                                                          \
    }                                                                                                                  \
    XS_INLINE T##x XS(load_##T)(u64x a, u64 bits)                                                                      \
    {                                                                                                                  \
        T##x r;                                                                                                        \
        XS(load_any_##T)(&r, &a, bits);                                                                                \
        return r;                                                                                                      \
    }                                                                                                                  \
    XS_FUNCTION void XS(store_any_##T)(const u64x *a, const T##x *v, u64 bits)                                         \
    {                                                                                                                  \
        if (bits == XS_FULL && XS(stride_of)(a) == sizeof(T)) *(T##x_mem *)(uintptr_t)(*a)[0] = *v;                    \
        else XS(scatter_##T)(a, 0, v, bits);                                                                           \
    }                                                                                                                  \
    XS_INLINE void XS(store_##T)(u64x a, T##x v, u64 bits) { XS(store_any_##T)(&a, &v, bits); }                        \
    XS_INLINE T##x XS(load_volatile_##T)(u64x a, u64 bits)                                                             \
    {                                                                                                                  \
        T##x r = {0};                                                                                                  \
        XS_EACH (l, bits) r[l] = XS_AT_VOLATILE(T, a[l]);                                                              \
        return r;                                                                                                      \
    }                                                                                                                  \
    XS_INLINE void XS(store_volatile_##T)(u64x a, T##x v, u64 bits)                                                    \
    {                                                                                                                  \
        XS_EACH (l, bits) XS_AT_VOLATILE(T, a[l]) = v[l];                                                              \
    }                                                                                                                  \
    XS_FUNCTION void XS(part_spaced_##T)(T##x *r, u64 a, u64 step, u64 bits)                                           \
    {                                                                                                                  \
        T all[S] = {0};                                                                                                \
        XS_EACH (l, bits) all[l] = XS_AT(T, a + l * step);                                                             \
        __builtin_memcpy(r, all, sizeof all);                                                                          \
    }                                                                                                                  \
    XS_FUNCTION void XS(scatter_spaced_##T)(u64 a, u64 step, const T##x *v, u64 bits)                                  \
    {                                                                                                                  \
        T all[S];                                                                                                      \
        __builtin_memcpy(all, v, sizeof all);                                                                          \
        XS_EACH (l, bits) XS_AT(T, a + l * step) = all[l];                                                             \
    }                                                                                                                  \
    XS_INLINE T##x XS(load_run_##T)(u64 a, u64 bits)                                                                   \
    {                                                                                                                  \
        T##x r;                                                                                                        \
        if (XS_PART_CHEAP ? __builtin_constant_p(bits) && bits == XS_FULL : bits == XS_FULL)                           \
            return *(const T##x_mem *)(uintptr_t)a;                                                                    \
        XS_PART_LOAD(T, r, a, bits);                                                                                   \
        return r;                                                                                                      \
    }                                                                                                                  \
    XS_INLINE void XS(store_run_##T)(u64 a, T##x v, u64 bits)                                                          \
    {                                                                                                                  \
        if (bits == XS_FULL) *(T##x_mem *)(uintptr_t)a = v;                                                            \
        else XS_PART_STORE(T, a, v, bits);                                                                             \
    }                                                                                                                  \
    XS_INLINE T##x XS(load_spaced_##T)(u64 a, u64 step, u64 bits)                                                      \
    {                                                                                                                  \
        T##x r;                                                                                                        \
        if (bits == XS_FULL) return (T##x){XS_EACH_LANE(XS_SPACED, T, a, step)};                                       \
        XS(part_spaced_##T)(&r, a, step, bits);                                                                        \
        return r;                                                                                                      \
    }                                                                                                                  \
    XS_FUNCTION T##x XS(load_spaced_far_##T)(u64 a, u64 step, u64 bits) { return XS(load_spaced_##T)(a, step, bits); } \
    XS_INLINE void XS(store_spaced_##T)(u64 a, u64 step, T##x v, u64 bits)                                             \
    {                                                                                                                  \
        T all[S];                                                                                                      \
        if (bits == XS_FULL) {                                                                                         \
            __builtin_memcpy(all, &v, sizeof all);                                                                     \
            for (u64 l = 0; l < S; l++) XS_AT(T, a + l * step) = all[l];                                               \
        } else {                                                                                                       \
            XS(scatter_spaced_##T)(a, step, &v, bits);                                                                 \
        }                                                                                                              \
    }                                                                                                                  \
    XS_FUNCTION void XS(store_spaced_far_##T)(u64 a, u64 step, const T##x *v, u64 bits)                                \
    {                                                                                                                  \
        XS(store_spaced_##T)(a, step, *v, bits);                                                                       \
    }                                                                                                                  \
    /* Lane by lane: at `a` and so on in steps if `ok`; else at the addresses `w`, plus `offset`. */                   \
    XS_RARE void XS(load_slowly_##T)(T##x *r, u64 a, u64 step, int ok, const u64x *w, u64 offset, u64 bits)            \
    {                                                                                                                  \
        T all[S] = {0};                                                                                                \
        XS_EACH (l, bits) all[l] = XS_AT(T, ok ? a + l * step : ((const u64 *)w)[l] + offset);                         \
        __builtin_memcpy(r, all, sizeof all);                                                                          \
    }                                                                                                                  \
    XS_RARE void XS(store_slowly_##T)(u64 a, u64 step, int ok, const u64x *w, u64 offset, const T##x *v, u64 bits)     \
    {                                                                                                                  \
        XS_EACH (l, bits) XS_AT(T, ok ? a + l * step : ((const u64 *)w)[l] + offset) = ((const T *)v)[l];              \
    }                                                                                                                  \
    XS_INLINE T##x XS(load_affine_##T)(u64 a, u64 step, int ok, const u64x *w, u64 offset, u64 bits)                   \
    {                                                                                                                  \
        T##x r;                                                                                                        \
        if (ok && step == sizeof(T) && (XS_PART_CHEAP || bits == XS_FULL)) return XS(load_run_##T)(a, bits);           \
        XS(load_slowly_##T)(&r, a, step, ok, w, offset, bits);                                                         \
        return r;                                                                                                      \
    }                                                                                                                  \
    XS_INLINE void XS(store_affine_##T)(u64 a, u64 step, int ok, const u64x *w, u64 offset, T##x v, u64 bits)          \
    {                                                                                                                  \
        if (ok && step == sizeof(T) && (XS_PART_CHEAP || bits == XS_FULL)) XS(store_run_##T)(a, v, bits);              \
        else XS(store_slowly_##T)(a, step, ok, w, offset, &v, bits);                                                   \
    }
/* Is accessing some lanes of a contiguous run one instruction? */
#undef XS_PART_CHEAP
#define XS_PART_CHEAP 0
#define XS_PART_LOAD(T, r, a, bits) XS(part_spaced_##T)(&r, a, sizeof(T), bits)
#define XS_PART_STORE(T, a, v, bits) XS(scatter_spaced_##T)(a, sizeof(T), &v, bits)
XS_MEMORY(u8)
XS_MEMORY(u16)
#if defined(__AVX512F__) && S == 16
#undef XS_PART_LOAD
#undef XS_PART_STORE
#undef XS_PART_CHEAP
#define XS_PART_CHEAP 1
typedef int XS(v16si) __attribute__((vector_size(64)));
#define XS_PART_LOAD(T, r, a, bits)                                                                                    \
    r = (T##x)__builtin_ia32_loaddqusi512_mask((const int *)(uintptr_t)(a), (XS(v16si)){0}, (u16)(bits))
#define XS_PART_STORE(T, a, v, bits)                                                                                   \
    __builtin_ia32_storedqusi512_mask((int *)(uintptr_t)(a), (XS(v16si))(v), (u16)(bits))
#endif
XS_MEMORY(u32)
#undef XS_PART_LOAD
#undef XS_PART_STORE
#undef XS_PART_CHEAP
#define XS_PART_CHEAP 0
#define XS_PART_LOAD(T, r, a, bits) XS(part_spaced_##T)(&r, a, sizeof(T), bits)
#define XS_PART_STORE(T, a, v, bits) XS(scatter_spaced_##T)(a, sizeof(T), &v, bits)
XS_MEMORY(u64)
#undef XS_PART_LOAD
#undef XS_PART_STORE

/* Lane l takes lane i[l]. The index wraps, so it stays inside the vector. gcc 12 scalarises shuffles of vectors wider
 * than the CPU's; for two of the CPU's vectors, as here, each takes an instruction. */
#if defined(__GNUC__) && !defined(__clang__)
#define XS_SHUFFLE_PIECES(T, v, at)                                                                                    \
    if (sizeof v <= XS_NATIVE) return __builtin_shuffle(v, at);                                                        \
    if (sizeof v == 2 * XS_NATIVE) {                                                                                   \
        typedef T piece __attribute__((vector_size(XS_NATIVE)));                                                       \
        piece from[2], to[2];                                                                                          \
        __builtin_memcpy(from, &v, sizeof from);                                                                       \
        __builtin_memcpy(to, &at, sizeof to);                                                                          \
        for (int k = 0; k < 2; k++) to[k] = __builtin_shuffle(from[0], from[1], to[k]);                                \
        __builtin_memcpy(&v, to, sizeof v);                                                                            \
        return v;                                                                                                      \
    }
#else
#define XS_SHUFFLE_PIECES(T, v, at)
#endif
#define XS_SHUFFLE(N)                                                                                                  \
    XS_FUNCTION void XS(shuffle_lanes_u##N)(u##N##x *v, const u##N##x *i)                                              \
    {                                                                                                                  \
        u##N from[S], to[S], at[S];                                                                                    \
        __builtin_memcpy(from, v, sizeof from);                                                                        \
        __builtin_memcpy(at, i, sizeof at);                                                                            \
        for (int l = 0; l < S; l++) to[l] = from[at[l]];                                                               \
        __builtin_memcpy(v, to, sizeof to);                                                                            \
    }                                                                                                                  \
    XS_INLINE u##N##x XS(shuffle_u##N)(u##N##x v, u32x i)                                                              \
    {                                                                                                                  \
        u##N##x at = XS_CONVERT(i & (u32)(S - 1), u##N##x);                                                            \
        XS_SHUFFLE_PIECES(u##N, v, at)                                                                                 \
        XS(shuffle_lanes_u##N)(&v, &at);                                                                               \
        return v;                                                                                                      \
    }
XS_SHUFFLE(8)
XS_SHUFFLE(16)
XS_SHUFFLE(32)
XS_SHUFFLE(64)
#undef XS_SHUFFLE
#undef XS_SHUFFLE_PIECES

/* Reduces the lanes in `bits`, in clusters of `cluster` lanes (S: a single cluster), with the result in every lane. */
#define XS_REDUCE(T, fn, v, bits, identity, cluster)                                                                   \
    __extension__({                                                                                                    \
        T##x in_ = (v), out_ = {0};                                                                                    \
        for (u32 first_ = 0; first_ < S; first_ += (cluster)) {                                                        \
            T r_ = (identity);                                                                                         \
            for (u32 i_ = first_; i_ < first_ + (cluster); i_++)                                                       \
                if ((bits) >> i_ & 1) r_ = fn(r_, in_[i_]);                                                            \
            for (u32 i_ = first_; i_ < first_ + (cluster); i_++) out_[i_] = r_;                                        \
        }                                                                                                              \
        out_;                                                                                                          \
    })
/* The same for the whole subgroup, as a scalar; by halving if all lanes take part. */
#define XS_REDUCE_ALL(T, fn, v, bits, identity)                                                                        \
    __extension__({                                                                                                    \
        T a_[S], r_ = (identity);                                                                                      \
        T##x in_ = (v);                                                                                                \
        __builtin_memcpy(a_, &in_, sizeof a_);                                                                         \
        if ((bits) == XS_FULL) {                                                                                       \
            for (int w_ = S / 2; w_; w_ /= 2)                                                                          \
                for (int i_ = 0; i_ < w_; i_++) a_[i_] = fn(a_[i_], a_[i_ + w_]);                                      \
            r_ = a_[0];                                                                                                \
        } else {                                                                                                       \
            XS_EACH (l, bits) r_ = fn(r_, a_[l]);                                                                      \
        }                                                                                                              \
        r_;                                                                                                            \
    })
#define XS_SCAN(T, fn, v, bits, start, inclusive)                                                                      \
    __extension__({                                                                                                    \
        T##x in_ = (v), out_ = {0};                                                                                    \
        T r_ = (start);                                                                                                \
        XS_EACH (l, bits) {                                                                                            \
            if (!(inclusive)) out_[l] = r_;                                                                            \
            r_ = fn(r_, in_[l]);                                                                                       \
            if (inclusive) out_[l] = r_;                                                                               \
        }                                                                                                              \
        out_;                                                                                                          \
    })

/* Reduces over the work-group. The last argument is only for the scan. */
#define XS_GROUP_REDUCE(d, T, fn, v, bits, identity, table, unused)                                                    \
    do {                                                                                                               \
        T all_ = (identity);                                                                                           \
        group_put(self, table, XS_AS_ENTRY(T, XS_REDUCE_ALL(T, fn, v, bits, identity)));                               \
        for (u32 g_ = 0; g_ < self->subgroup_count; g_++) all_ = fn(all_, XS_OF_ENTRY(T, group_get(table, g_)));       \
        self->barrier(self, XS_BARRIER_FULL);                                                                          \
        d = all_;                                                                                                      \
    } while (0)
#define XS_GROUP_SCAN(d, T, fn, v, bits, identity, table, inclusive)                                                   \
    do {                                                                                                               \
        T before_ = (identity);                                                                                        \
        group_put(self, table, XS_AS_ENTRY(T, XS_REDUCE_ALL(T, fn, v, bits, identity)));                               \
        for (u32 g_ = 0; g_ < self->subgroup_id; g_++) before_ = fn(before_, XS_OF_ENTRY(T, group_get(table, g_)));    \
        self->barrier(self, XS_BARRIER_FULL);                                                                          \
        d = XS_SCAN(T, fn, v, bits, before_, inclusive);                                                               \
    } while (0)

XS_INLINE u32 XS(first_lane)(u64 bits) { return bits ? (u32)__builtin_ctzll(bits) : 0; }
XS_INLINE u32 XS(last_lane)(u64 bits) { return bits ? 63 - (u32)__builtin_clzll(bits) : 0; }

/* Shifts beyond the width give 0 (or the sign); without comparisons, see XS_COMPARE. */
#define XS_SHIFTS(N, LOG)                                                                                              \
    XS_INLINE u##N##x XS(narrow_u##N)(u##N##x b) /* all ones where b is less than N */                                 \
    {                                                                                                                  \
        u##N##x high = b >> LOG;                                                                                       \
        return ((high | -high) >> (N - 1)) - 1;                                                                        \
    }                                                                                                                  \
    XS_INLINE u##N##x XS(shl_u##N)(u##N##x a, u##N##x b) { return (a << (b & (N - 1))) & XS(narrow_u##N)(b); }         \
    XS_INLINE u##N##x XS(shr_u##N)(u##N##x a, u##N##x b) { return (a >> (b & (N - 1))) & XS(narrow_u##N)(b); }         \
    XS_INLINE u##N##x XS(sar_u##N)(u##N##x a, u##N##x b)                                                               \
    {                                                                                                                  \
        return (u##N##x)((i##N##x)a >> (i##N##x)((b | ~XS(narrow_u##N)(b)) & (N - 1)));                                \
    }
XS_SHIFTS(8, 3)
XS_SHIFTS(16, 4)
XS_SHIFTS(32, 5)
XS_SHIFTS(64, 6)
#undef XS_SHIFTS

/* Vectors of 32 lanes are wider than any register; their comparisons are much code, so they are functions. */
#define XS_LESSER(NAME, T, TEST)                                                                                       \
    XS_FUNCTION void XS(each_##NAME)(T##x *r, const T##x *a, const T##x *b)                                            \
    {                                                                                                                  \
        T x[S], y[S];                                                                                                  \
        __builtin_memcpy(x, a, sizeof x);                                                                              \
        __builtin_memcpy(y, b, sizeof y);                                                                              \
        for (int l = 0; l < S; l++) x[l] = NAME(x[l], y[l]);                                                           \
        __builtin_memcpy(r, x, sizeof x);                                                                              \
    }                                                                                                                  \
    XS_INLINE T##x XS(NAME)(T##x a, T##x b)                                                                            \
    {                                                                                                                  \
        if (S < 32) return XS(sel_##T)(TEST, a, b);                                                                    \
        XS(each_##NAME)(&a, &a, &b);                                                                                   \
        return a;                                                                                                      \
    }
#define XS_LEAST(N)                                                                                                    \
    XS_LESSER(smin_u##N, u##N, XS_COMPARE((i##N##x)a, <, (i##N##x)b))                                                  \
    XS_LESSER(smax_u##N, u##N, XS_COMPARE((i##N##x)a, >, (i##N##x)b))                                                  \
    XS_LESSER(umin_u##N, u##N, XS_COMPARE(a, <, b))                                                                    \
    XS_LESSER(umax_u##N, u##N, XS_COMPARE(a, >, b))
XS_LEAST(8)
XS_LEAST(16)
XS_LEAST(32)
XS_LEAST(64)
XS_LESSER(fmin_f32, f32, XS_COMPARE(a, <, b) | XS_COMPARE(b, !=, b))
XS_LESSER(fmax_f32, f32, XS_COMPARE(a, >, b) | XS_COMPARE(b, !=, b))
#undef XS_LEAST
#undef XS_LESSER
XS_INLINE f32x XS(fabs_f32)(f32x a) { return (f32x)((u32x)a & 0x7fffffffu); }
/* As prelude.h's for one lane. Only lanes whose result fits are converted: for others C says nothing. */
XS_INLINE u32x XS(f32_to_s_u32)(f32x x)
{
    const f32x limit = (f32x){0} + 2147483648.0f;
    const i32x large = XS_COMPARE(x, >=, limit), fits = XS_COMPARE(x, <, limit) & XS_COMPARE(x, >=, -limit);
    const i32x limited = (XS_ALL(i32, 0x7fffffff) ^ ~large) & XS_COMPARE(x, ==, x);
    return (u32x)(XS_CONVERT((f32x)((i32x)x & fits), i32x) | (limited & ~fits));
}
/* Local ids of the lanes: these count through x first, then y, then z. */
XS_INLINE void XS(local_ids)(const u32 *first, u32 lx, u32 ly, u32 lz, u32x *x, u32x *y, u32x *z)
{
        if (ly == 1 && lz == 1) {
        *x = first[0] + XS(lane_index)();
        *y = *z = (u32x){0};
    } else {
        u32 at[3] = {first[0], first[1], first[2]}, id[3][S];
        for (int l = 0; l < S; l++) {
            id[0][l] = at[0];
            id[1][l] = at[1];
            id[2][l] = at[2];
            if (++at[0] < lx) continue;
            at[0] = 0;
            if (++at[1] < ly) continue;
            at[1] = 0;
            at[2]++;
        }
        __builtin_memcpy(x, id[0], sizeof *x);
        __builtin_memcpy(y, id[1], sizeof *y);
        __builtin_memcpy(z, id[2], sizeof *z);
    }
}
/* Lanes with the same pointer call together; see pointers.c. */
XS_INLINE void XS(call_pointers)(struct xs_subgroup *self, u64x p, u64 bits, void *result, const void *const *args)
{
    while (bits) {
        const u64 at = p[__builtin_ctzll(bits)];
        const struct xs_function *f = (const struct xs_function *)(uintptr_t)at;
        u64 same = 0;
        for (int l = 0; l < S; l++) same |= (u64)(p[l] == at) << l;
        same &= bits;
        bits &= ~same;
        if (!at || !f->run[S / 16]) continue;
        if (self->stack_top - (u64)(uintptr_t)__builtin_frame_address(0) < XS_POINTER_STACK)
            f->run[S / 16](self, same, result, args);
    }
}
