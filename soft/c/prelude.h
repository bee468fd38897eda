/* prelude.h - scalar types, and scalar operations that C leaves undefined, once per generated text.
 *
 * This file's text follows abi.h in every generated kernel; prelude_lanes.h follows once per subgroup size. It is GNU C
 * for gcc and clang on any CPU, without intrinsics headers. Integers are held unsigned; signed operations use helpers
 * that are defined for every input (x / 0, INT_MIN / -1, wide shifts, NaN to int).
 */
#ifndef XETILE_SOFT_PRELUDE_H
#define XETILE_SOFT_PRELUDE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors wider than the CPU's registers stay within this file */
#if __GNUC__ >= 12 && defined(__AVX2__) && !defined(__AVX512F__)
#pragma GCC target("tune=skylake-avx512") /* otherwise wide vectors are moved in 32-byte parts, through memory */
#endif
#endif

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef float f32;
typedef double f64;
typedef unsigned u128 __attribute__((mode(TI)));
typedef int i128 __attribute__((mode(TI)));

#define XS_FORCED static inline __attribute__((always_inline, unused))
#ifdef XS_ONCE /* long functions without loops: calling helpers halves the compilation time */
#define XS_INLINE static inline __attribute__((unused))
#else
#define XS_INLINE XS_FORCED
#endif
#define XS_FUNCTION static __attribute__((noinline, unused))
#if defined(XS_ONCE) || defined(XS_QUICK) /* inlined where the caller is optimised and may be in a loop */
#define XS_SHORT XS_FUNCTION
#else
#define XS_SHORT XS_FORCED
#endif
/* A function may be compiled apart from the kernels that call it (build/helpers.c), which then only declare it. */
#ifdef XS_KERNELS_ONLY
#define XS_APART(linkage) extern __attribute__((visibility("hidden")))
#else
#define XS_APART(linkage) linkage
#define XS_EXPORT(name) extern __typeof(name) xs_##name __attribute__((alias(#name), visibility("hidden")));
#endif
#define XS_RARE static __attribute__((noinline, unused, cold)) /* keeps its code out of the callers */
#if defined(XS_QUICK) && defined(__clang__)
#define XS_LARGE __attribute__((optnone, noinline))
#elif defined(XS_QUICK) /* helpers are optimised, their callers are not */
#define XS_LARGE __attribute__((optimize("O0")))
#else /* at another level of optimisation gcc would not inline helpers, whose operands are vectors, into it */
#define XS_LARGE
#endif
#define XS_CUT XS_LARGE __attribute__((noinline))
#ifdef __clang__
#define XS_OWN
#else /* a function is no other's that has the same code: the compiler reports the stack of each (build/usage.c) */
#define XS_OWN __attribute__((no_icf))
#endif
#ifdef XS_QUICK /* kernels are called there, and not inlined: what calls them has nothing to gain */
#define XS_CALLER static XS_OWN XS_LARGE
#else
#define XS_CALLER static XS_OWN
#endif
#define XS_NEW_BLOCK(label)                                                                                            \
    __asm__ goto("" : : : : label);                                                                                    \
    label:; /* ends a basic block without an instruction */
#define XS_ALIGNED(n) __attribute__((aligned(n)))
#ifdef __clang__
#define XS_UNROLL _Pragma("clang loop unroll(full)")
#else
#define XS_UNROLL _Pragma("GCC unroll 64")
#endif
#if defined(XS_QUICK)
#define XS_UNROLL_4
#elif defined(__clang__)
#define XS_UNROLL_4 _Pragma("clang loop unroll_count(4)")
#else
#define XS_UNROLL_4 _Pragma("GCC unroll 4")
#endif

/* The kernel's memory: any address, any alignment, any type. */
typedef u8 u8_mem __attribute__((may_alias));
typedef u16 u16_mem __attribute__((may_alias, aligned(1)));
typedef u32 u32_mem __attribute__((may_alias, aligned(1)));
typedef u64 u64_mem __attribute__((may_alias, aligned(1)));
#define XS_AT(type, address) (*(type##_mem *)(uintptr_t)(address))
#define XS_AT_VOLATILE(type, address) (*(volatile type##_mem *)(uintptr_t)(address))

#define XS_SAME_BITS(NAME, R, T)                                                                                       \
    XS_INLINE R NAME(T x)                                                                                              \
    {                                                                                                                  \
        R r;                                                                                                           \
        __builtin_memcpy(&r, &x, sizeof r);                                                                            \
        return r;                                                                                                      \
    }
XS_SAME_BITS(f32_bits, f32, u32)
XS_SAME_BITS(f64_bits, f64, u64)
XS_SAME_BITS(bits_f32, u32, f32)
XS_SAME_BITS(bits_f64, u64, f64)

#define XS_SATURATED(NAME, N, W)                                                                                       \
    XS_INLINE u##N s##NAME##_sat_u##N(u##N a, u##N b)                                                                  \
    {                                                                                                                  \
        i##N r;                                                                                                        \
        if (!__builtin_##NAME##_overflow((i##N)a, (i##N)b, &r)) return (u##N)r;                                        \
        return (i##N)a < 0 ? (u##N)((W)1 << (N - 1)) : (u##N)(((W)1 << (N - 1)) - 1);                                  \
    }
/* x / 0 is 0 and x % 0 is 0; INT_MIN / -1 wraps. */
#define XS_INTEGER(N, W)                                                                                               \
    XS_INLINE u##N udiv_u##N(u##N a, u##N b) { return b ? (u##N)(a / b) : (u##N)0; }                                   \
    XS_INLINE u##N umod_u##N(u##N a, u##N b) { return b ? (u##N)(a % b) : (u##N)0; }                                   \
    XS_INLINE u##N sdiv_u##N(u##N a, u##N b)                                                                           \
    {                                                                                                                  \
        if (b == 0) return 0;                                                                                          \
        if (b == (u##N)~(u##N)0) return (u##N)(0u - (W)a);                                                             \
        return (u##N)((i##N)a / (i##N)b);                                                                              \
    }                                                                                                                  \
    XS_INLINE u##N srem_u##N(u##N a, u##N b)                                                                           \
    {                                                                                                                  \
        if (b == 0 || b == (u##N)~(u##N)0) return 0;                                                                   \
        return (u##N)((i##N)a % (i##N)b);                                                                              \
    }                                                                                                                  \
    XS_INLINE u##N smod_u##N(u##N a, u##N b)                                                                           \
    {                                                                                                                  \
        u##N r = srem_u##N(a, b);                                                                                      \
        return r != 0 && (i##N)(r ^ b) < 0 ? (u##N)(r + b) : r;                                                        \
    }                                                                                                                  \
    XS_INLINE u##N shl_u##N(u##N a, u##N b) { return b < N ? (u##N)((W)a << b) : (u##N)0; }                            \
    XS_INLINE u##N shr_u##N(u##N a, u##N b) { return b < N ? (u##N)(a >> b) : (u##N)0; }                               \
    XS_INLINE u##N sar_u##N(u##N a, u##N b) { return (u##N)((i##N)a >> (b < N ? b : N - 1)); }                         \
    XS_INLINE u##N smin_u##N(u##N a, u##N b) { return (i##N)a < (i##N)b ? a : b; }                                     \
    XS_INLINE u##N smax_u##N(u##N a, u##N b) { return (i##N)a > (i##N)b ? a : b; }                                     \
    XS_INLINE u##N umin_u##N(u##N a, u##N b) { return a < b ? a : b; }                                                 \
    XS_INLINE u##N umax_u##N(u##N a, u##N b) { return a > b ? a : b; }                                                 \
    XS_INLINE u##N iadd_u##N(u##N a, u##N b) { return (u##N)(a + b); }                                                 \
    XS_INLINE u##N imul_u##N(u##N a, u##N b) { return (u##N)((W)a * b); }                                              \
    XS_INLINE u##N and_u##N(u##N a, u##N b) { return (u##N)(a & b); }                                                  \
    XS_INLINE u##N or_u##N(u##N a, u##N b) { return (u##N)(a | b); }                                                   \
    XS_INLINE u##N xor_u##N(u##N a, u##N b) { return (u##N)(a ^ b); }                                                  \
    XS_INLINE u##N rotate_u##N(u##N a, u##N b)                                                                         \
    {                                                                                                                  \
        u32 n = (u32)b & (N - 1);                                                                                      \
        return n ? (u##N)((W)a << n | a >> (N - n)) : a;                                                               \
    }                                                                                                                  \
    XS_INLINE u##N uadd_sat_u##N(u##N a, u##N b)                                                                       \
    {                                                                                                                  \
        u##N r = (u##N)(a + b);                                                                                        \
        return r < a ? (u##N)~(u##N)0 : r;                                                                             \
    }                                                                                                                  \
    XS_INLINE u##N usub_sat_u##N(u##N a, u##N b) { return a > b ? (u##N)(a - b) : (u##N)0; }                           \
    XS_SATURATED(add, N, W)                                                                                            \
    XS_SATURATED(sub, N, W)                                                                                            \
    XS_INLINE u##N sabs_u##N(u##N a) { return (i##N)a < 0 ? (u##N)(0u - (W)a) : a; }                                   \
    XS_INLINE u##N sabs_diff_u##N(u##N a, u##N b) { return (i##N)a < (i##N)b ? (u##N)(b - a) : (u##N)(a - b); }        \
    XS_INLINE u##N uabs_diff_u##N(u##N a, u##N b) { return a < b ? (u##N)(b - a) : (u##N)(a - b); }                    \
    XS_INLINE u##N shadd_u##N(u##N a, u##N b) { return (u##N)(((i##N)a >> 1) + ((i##N)b >> 1) + (i##N)(a & b & 1)); }  \
    XS_INLINE u##N uhadd_u##N(u##N a, u##N b) { return (u##N)((a >> 1) + (b >> 1) + (a & b & 1)); }                    \
    XS_INLINE u##N srhadd_u##N(u##N a, u##N b)                                                                         \
    {                                                                                                                  \
        return (u##N)(((i##N)a >> 1) + ((i##N)b >> 1) + (i##N)((a | b) & 1));                                          \
    }                                                                                                                  \
    XS_INLINE u##N urhadd_u##N(u##N a, u##N b) { return (u##N)((a >> 1) + (b >> 1) + ((a | b) & 1)); }                 \
    XS_INLINE u##N popcount_u##N(u##N a) { return (u##N)__builtin_popcountll(a); }                                     \
    XS_INLINE u##N clz_u##N(u##N a) { return a ? (u##N)(__builtin_clzll(a) - (64 - N)) : (u##N)N; }                    \
    XS_INLINE u##N ctz_u##N(u##N a) { return a ? (u##N)__builtin_ctzll(a) : (u##N)N; }                                 \
    XS_INLINE u##N bit_reverse_u##N(u##N a)                                                                            \
    {                                                                                                                  \
        u64 x = (u64)a;                                                                                                \
        x = (x >> 1 & 0x5555555555555555u) | (x & 0x5555555555555555u) << 1;                                           \
        x = (x >> 2 & 0x3333333333333333u) | (x & 0x3333333333333333u) << 2;                                           \
        x = (x >> 4 & 0x0f0f0f0f0f0f0f0fu) | (x & 0x0f0f0f0f0f0f0f0fu) << 4;                                           \
        return (u##N)(__builtin_bswap64(x) >> (64 - N));                                                               \
    }                                                                                                                  \
    XS_INLINE u##N field_mask_u##N(u##N offset, u##N count)                                                            \
    {                                                                                                                  \
        u##N ones = count >= N ? (u##N)~(u##N)0 : (u##N)(((W)1 << count) - 1);                                         \
        return shl_u##N(ones, offset);                                                                                 \
    }                                                                                                                  \
    XS_INLINE u##N bit_insert_u##N(u##N base, u##N insert, u##N offset, u##N count)                                    \
    {                                                                                                                  \
        u##N mask = field_mask_u##N(offset, count);                                                                    \
        return (u##N)((base & (u##N)~mask) | (shl_u##N(insert, offset) & mask));                                       \
    }                                                                                                                  \
    XS_INLINE u##N bit_uextract_u##N(u##N base, u##N offset, u##N count)                                               \
    {                                                                                                                  \
        return (u##N)(shr_u##N(base, offset) & field_mask_u##N(0, count));                                             \
    }                                                                                                                  \
    XS_INLINE u##N bit_sextract_u##N(u##N base, u##N offset, u##N count)                                               \
    {                                                                                                                  \
        u##N up = (u##N)(count >= N ? 0 : N - count);                                                                  \
        return count == 0 ? (u##N)0 : sar_u##N(shl_u##N(shr_u##N(base, offset), up), up);                              \
    }
XS_INTEGER(8, u32)
XS_INTEGER(16, u32)
XS_INTEGER(32, u32)
XS_INTEGER(64, u64)

#define XS_MUL_HI(N, U, I)                                                                                             \
    XS_INLINE u##N umul_hi_u##N(u##N a, u##N b) { return (u##N)((U)a * b >> N); }                                      \
    XS_INLINE u##N smul_hi_u##N(u##N a, u##N b) { return (u##N)((U)((I)(i##N)a * (i##N)b) >> N); }
XS_MUL_HI(8, u32, i32)
XS_MUL_HI(16, u32, i32)
XS_MUL_HI(32, u64, i64)
XS_MUL_HI(64, u128, i128)

/* Saturating conversions between integers. */
#define XS_SATURATE(M, N)                                                                                              \
    XS_INLINE u##N sat_s_to_u_u##M##_u##N(u##M x)                                                                      \
    {                                                                                                                  \
        const u64 most = (u##N)~(u##N)0;                                                                               \
        return (i##M)x < 0 ? (u##N)0 : x > most ? (u##N)most : (u##N)x;                                                \
    }                                                                                                                  \
    XS_INLINE u##N sat_u_to_s_u##M##_u##N(u##M x)                                                                      \
    {                                                                                                                  \
        const u64 most = ((u64)1 << (N - 1)) - 1;                                                                      \
        return x > most ? (u##N)most : (u##N)x;                                                                        \
    }                                                                                                                  \
    XS_INLINE u##N sat_u_to_u_u##M##_u##N(u##M x)                                                                      \
    {                                                                                                                  \
        const u64 most = (u##N)~(u##N)0;                                                                               \
        return x > most ? (u##N)most : (u##N)x;                                                                        \
    }                                                                                                                  \
    XS_INLINE u##N sat_s_to_s_u##M##_u##N(u##M x)                                                                      \
    {                                                                                                                  \
        const i64 most = (i64)(((u64)1 << (N - 1)) - 1), y = (i##M)x;                                                  \
        return (u##N)(y > most ? most : y < -most - 1 ? -most - 1 : y);                                                \
    }
#define XS_SATURATE_TO(N)                                                                                              \
    XS_SATURATE(8, N)                                                                                                  \
    XS_SATURATE(16, N)                                                                                                 \
    XS_SATURATE(32, N)                                                                                                 \
    XS_SATURATE(64, N)
XS_SATURATE_TO(8)
XS_SATURATE_TO(16)
XS_SATURATE_TO(32)
XS_SATURATE_TO(64)

/* A float outside the integer's range gives the nearest integer, NaN gives 0 (as OpenCL requires of the saturated
 * forms; valid where the result is undefined). */
#define XS_FLOAT_TO_INT(F, N)                                                                                          \
    XS_INLINE u##N F##_to_s_u##N(F x)                                                                                  \
    {                                                                                                                  \
        const F limit = (F)((u64)1 << (N - 1));                                                                        \
        if (x != x) return 0;                                                                                          \
        if (x >= limit) return (u##N)(((u64)1 << (N - 1)) - 1);                                                        \
        if (x < -limit) return (u##N)((u64)1 << (N - 1));                                                              \
        return (u##N)(i64)x;                                                                                           \
    }                                                                                                                  \
    XS_INLINE u##N F##_to_u_u##N(F x)                                                                                  \
    {                                                                                                                  \
        const F half = (F)((u64)1 << (N - 1));                                                                         \
        if (!(x > 0)) return 0;                                                                                        \
        if (x >= half * 2) return (u##N)~(u##N)0;                                                                      \
        return (u##N)(x >= half ? (u64)(i64)(x - half) + ((u64)1 << (N - 1)) : (u64)(i64)x);                           \
    }
XS_FLOAT_TO_INT(f32, 8)
XS_FLOAT_TO_INT(f32, 16)
XS_FLOAT_TO_INT(f32, 32)
XS_FLOAT_TO_INT(f32, 64)
XS_FLOAT_TO_INT(f64, 8)
XS_FLOAT_TO_INT(f64, 16)
XS_FLOAT_TO_INT(f64, 32)
XS_FLOAT_TO_INT(f64, 64)

/* f64 to f32, rounded to odd: conversions of f64 to 16-bit types through f32 would otherwise round twice. */
XS_INLINE f32 f64_to_f32_odd(f64 x)
{
    f32 r = (f32)x;
    u32 b = bits_f32(r);
    if ((f64)r != x && x == x && !(b & 1) && (b & 0x7f800000u) != 0x7f800000u) {
        if (__builtin_fabs(r) > __builtin_fabs(x)) b -= 1;
        else b += 1;
        r = f32_bits(b);
    }
    return r;
}

#define XS_FLOAT(F, l)                                                                                                 \
    XS_INLINE F fmin_##F(F a, F b) { return a < b || b != b ? a : b; }                                                 \
    XS_INLINE F fmax_##F(F a, F b) { return a > b || b != b ? a : b; }                                                 \
    XS_INLINE F fadd_##F(F a, F b) { return a + b; }                                                                   \
    XS_INLINE F fmul_##F(F a, F b) { return a * b; }                                                                   \
    XS_INLINE F frem_##F(F a, F b) { return __builtin_fmod##l(a, b); }                                                 \
    XS_INLINE F fmodulo_##F(F a, F b)                                                                                  \
    {                                                                                                                  \
        F r = __builtin_fmod##l(a, b);                                                                                 \
        return r != 0 && (r < 0) != (b < 0) ? r + b : r;                                                               \
    }
XS_FLOAT(f32, f)
XS_FLOAT(f64, )

/* Atomics: sequentially consistent, on naturally aligned addresses. A misaligned one would trap on some CPUs and tear
 * on others; it is performed non-atomically instead. */
#define XS_FETCH(NAME, FETCH, N)                                                                                       \
    XS_INLINE u##N atomic_##NAME##_u##N(u64 a, u##N v) { return FETCH(atomic_at_u##N(a), v, __ATOMIC_SEQ_CST); }
#define XS_ATOMIC(N)                                                                                                   \
    XS_INLINE u##N *atomic_at_u##N(u64 a) { return (u##N *)(uintptr_t)(a & ~(u64)(sizeof(u##N) - 1)); }                \
    XS_INLINE u##N atomic_load_u##N(u64 a) { return __atomic_load_n(atomic_at_u##N(a), __ATOMIC_SEQ_CST); }            \
    XS_INLINE void atomic_store_u##N(u64 a, u##N v) { __atomic_store_n(atomic_at_u##N(a), v, __ATOMIC_SEQ_CST); }      \
    XS_FETCH(exchange, __atomic_exchange_n, N)                                                                         \
    XS_FETCH(iadd, __atomic_fetch_add, N)                                                                              \
    XS_FETCH(isub, __atomic_fetch_sub, N)                                                                              \
    XS_FETCH(and, __atomic_fetch_and, N)                                                                               \
    XS_FETCH(or, __atomic_fetch_or, N)                                                                                 \
    XS_FETCH(xor, __atomic_fetch_xor, N)                                                                               \
    XS_INLINE u##N atomic_cas_u##N(u64 a, u##N v, u##N compare)                                                        \
    {                                                                                                                  \
        __atomic_compare_exchange_n(atomic_at_u##N(a), &compare, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);            \
        return compare;                                                                                                \
    }
XS_ATOMIC(8)
XS_ATOMIC(16)
XS_ATOMIC(32)
XS_ATOMIC(64)

/* Atomics without a CPU instruction. FROM and TO convert the bits to the value and back. */
#define XS_ATOMIC_LOOP(NAME, N, V, FROM, TO, APPLY)                                                                    \
    XS_INLINE u##N atomic_##NAME(u64 a, u##N v)                                                                        \
    {                                                                                                                  \
        u##N *at = atomic_at_u##N(a), old = __atomic_load_n(at, __ATOMIC_RELAXED), next;                               \
        do {                                                                                                           \
            next = (u##N)TO(APPLY(FROM(old), FROM(v)));                                                                \
        } while (!__atomic_compare_exchange_n(at, &old, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));                 \
        return old;                                                                                                    \
    }
#define XS_ATOMIC_LEAST(N)                                                                                             \
    XS_ATOMIC_LOOP(smin_u##N, N, u##N, , , smin_u##N)                                                                  \
    XS_ATOMIC_LOOP(smax_u##N, N, u##N, , , smax_u##N)                                                                  \
    XS_ATOMIC_LOOP(umin_u##N, N, u##N, , , umin_u##N)                                                                  \
    XS_ATOMIC_LOOP(umax_u##N, N, u##N, , , umax_u##N)
XS_ATOMIC_LEAST(8)
XS_ATOMIC_LEAST(16)
XS_ATOMIC_LEAST(32)
XS_ATOMIC_LEAST(64)
XS_ATOMIC_LOOP(fadd_f32, 32, f32, f32_bits, bits_f32, fadd_f32)
XS_ATOMIC_LOOP(fmin_f32, 32, f32, f32_bits, bits_f32, fmin_f32)
XS_ATOMIC_LOOP(fmax_f32, 32, f32, f32_bits, bits_f32, fmax_f32)
XS_ATOMIC_LOOP(fadd_f64, 64, f64, f64_bits, bits_f64, fadd_f64)
XS_ATOMIC_LOOP(fmin_f64, 64, f64, f64_bits, bits_f64, fmin_f64)
XS_ATOMIC_LOOP(fmax_f64, 64, f64, f64_bits, bits_f64, fmax_f64)

/* Atomics on local memory: one thread runs the whole work-group, so they need no atomic instruction. Instantiated for
 * those that a module uses. */
#define XS_LOCAL_ATOMIC(NAME, APPLY, N, V, FROM, TO)                                                                   \
    XS_INLINE u##N XS(local_##NAME)(u64 a, u##N v)                                                                     \
    {                                                                                                                  \
        u##N old = XS_AT(u##N, a);                                                                                     \
        XS_AT(u##N, a) = (u##N)TO(APPLY(FROM(old), FROM(v)));                                                          \
        return old;                                                                                                    \
    }
#define XS_LOCAL_CAS(N)                                                                                                \
    XS_INLINE u##N XS(local_cas_u##N)(u64 a, u##N v, u##N compare)                                                     \
    {                                                                                                                  \
        u##N old = XS_AT(u##N, a);                                                                                     \
        if (old == compare) XS_AT(u##N, a) = v;                                                                        \
        return old;                                                                                                    \
    }
#define XS_SECOND(a, b) (b)
#define XS_MINUS(a, b) ((a) - (b))

/* ---- a subgroup's position: fields of xs_subgroup as local variables of the loops around kernels */

struct place {
    u32 size[3], count[3], offset[3], group[3], first[3], id, lanes;
    u64 local;
};

XS_INLINE struct place place_of(const struct xs_subgroup *self)
{
    struct place p;
    for (int i = 0; i < 3; i++) {
        p.size[i] = self->local_size[i];
        p.count[i] = self->group_count[i];
        p.offset[i] = self->global_offset[i];
        p.group[i] = self->group_id[i];
        p.first[i] = self->local_first[i];
    }
    p.id = self->subgroup_id;
    p.lanes = self->lanes;
    p.local = (u64)(uintptr_t)self->local;
    return p;
}

/* Stores the position for functions that read it, and for messages. */
XS_INLINE void note_place(struct xs_subgroup *self, const struct place *p)
{
    for (int i = 0; i < 3; i++) self->local_first[i] = p->first[i];
    self->subgroup_id = p->id;
    self->lanes = p->lanes;
}

/* Advances to the next work-group; 0 if only one was left. */
XS_INLINE int next_group(struct xs_subgroup *self, struct place *p, u64 *left)
{
    if ((i64)*left <= 1) return 0; /* XS_EACH_FULL is -1 */
    --*left;
    if (++p->group[0] == p->count[0]) {
        p->group[0] = 0;
        if (++p->group[1] == p->count[1]) {
            p->group[1] = 0;
            p->group[2]++;
        }
    }
    for (int i = 0; i < 3; i++) self->group_id[i] = p->group[i];
    p->id = p->first[0] = p->first[1] = p->first[2] = 0;
    return 1;
}

/* Sets the number of lanes that exist in the subgroup: 0 past the work-group's end. */
XS_INLINE u32 set_lanes(struct place *p, u32 size)
{
    u32 all = p->size[0] * p->size[1] * p->size[2], first = p->id * size, rest = all > first ? all - first : 0;
    p->lanes = rest < size ? rest : size;
    return p->lanes;
}

/* Advances to the next subgroup of the work-group, possibly across rows; 0 if there is none. */
XS_INLINE u32 next_subgroup(struct place *p, u32 size)
{
    p->id++;
    p->first[0] += size;
    while (p->first[0] >= p->size[0]) {
        p->first[0] -= p->size[0];
        if (++p->first[1] < p->size[1]) continue;
        p->first[1] = 0;
        p->first[2]++;
    }
    return set_lanes(p, size);
}

/* ---- frames: what subgroups of a kernel that returns at barriers keep; their first numbers say where they are */

XS_INLINE void begin_frames(u8 *frames, u32 bytes, u32 count)
{
    for (u32 i = 0; i < count; i++) XS_AT(u32, frames + i * (u64)bytes) = 0;
}

/* The frames of partial subgroups, after those of the version that runs full ones. */
XS_FUNCTION u8 *frames_beside_full(struct xs_subgroup *self)
{
    const struct xs_kernel *full = self->kernel->full;
    if (!full) return self->frames;
    begin_frames(self->frames, full->frame_bytes, self->subgroup_count);
    return self->frames + ((u64)full->frame_bytes * self->subgroup_count + XS_FRAME_ALIGN - 1) / XS_FRAME_ALIGN *
                              XS_FRAME_ALIGN;
}

/* Runs the full subgroups of a work-group in one row, or with groups == 0 this one, by the version for these. Returns
 * how many of them wait at a barrier. */
XS_FUNCTION u32 run_full(struct xs_subgroup *self, struct place *at, const u8 *args, u32 size, u64 groups)
{
    const struct xs_kernel *full = self->kernel->full;
    const u64 top = self->stack_top;
    u32 waiting = 0;
    note_place(self, at);
    if (groups) {
        waiting = (u32)full->run_groups(self, args, full->frame_bytes ? XS_EACH_FULL : 1);
        at->id = at->size[0] / size;
        at->first[0] = at->id * size;
    } else {
        self->lanes = size;
        full->run(self, args);
    }
    self->stack_top = top;
    return waiting;
}

/* ---- generic pointers: the memory they point to. (What is in neither of the two is in global memory.) */

XS_INLINE int is_local(const struct xs_subgroup *self, u64 a)
{
    return a - (u64)(uintptr_t)self->local < self->local_bytes;
}
XS_FUNCTION int is_private(const struct xs_subgroup *self, u64 a)
{
    return a >= (u64)(uintptr_t)__builtin_frame_address(0) && a < self->stack_top;
}
XS_INLINE u64 cast_to_local(const struct xs_subgroup *self, u64 a) { return is_local(self, a) ? a : 0; }
XS_INLINE u64 cast_to_private(const struct xs_subgroup *self, u64 a) { return is_private(self, a) ? a : 0; }
XS_INLINE u64 cast_to_global(const struct xs_subgroup *self, u64 a)
{
    return is_local(self, a) || is_private(self, a) ? 0 : a;
}
XS_INLINE u32 semantics_of(const struct xs_subgroup *self, u64 a) /* WorkgroupMemory, CrossWorkgroupMemory, none */
{
    return is_local(self, a) ? 0x100u : is_private(self, a) ? 0u : 0x200u;
}

/* ---- work-group operations: a value per subgroup in a table in local memory, between two barriers */

XS_INLINE void group_put(struct xs_subgroup *self, u64 table, u64 bits)
{
    XS_AT(u64, table + 8 * (u64)self->subgroup_id) = bits;
    self->barrier(self, XS_BARRIER_FULL);
}
XS_INLINE u64 group_get(u64 table, u32 subgroup) { return XS_AT(u64, table + 8 * (u64)subgroup); }

XS_FUNCTION u64 group_broadcast(struct xs_subgroup *self, u64 table, u32 from, u64 bits)
{
    group_put(self, table, bits);
    bits = group_get(table, from < self->subgroup_count ? from : 0);
    self->barrier(self, XS_BARRIER_FULL);
    return bits;
}

XS_FUNCTION u32 group_vote(struct xs_subgroup *self, u64 table, i32 mine, int all)
{
    u32 met = 0;
    group_put(self, table, mine != 0);
    for (u32 i = 0; i < self->subgroup_count; i++) met += (u32)group_get(table, i);
    self->barrier(self, XS_BARRIER_FULL);
    return all ? met == self->subgroup_count : met != 0;
}

/* A value as an entry of the table, and back. */
#define XS_AS_ENTRY(T, x) ((union { T value; u64 bits; }){.value = (x)}.bits)
#define XS_OF_ENTRY(T, x) ((union { u64 bits; T value; }){.bits = (x)}.value)

#endif
