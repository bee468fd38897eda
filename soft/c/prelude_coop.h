/* prelude_coop.h - cooperative matrices of SPV_KHR_cooperative_matrix.
 *
 * A matrix is its elements in row-major order, distributed over the lanes: element e is component e / S of lane e % S.
 * As the lane vectors are contiguous in memory, the matrix is a plain array, whatever the subgroup size.
 */
#ifndef XETILE_SOFT_PRELUDE_COOP_H
#define XETILE_SOFT_PRELUDE_COOP_H

#include "prelude.h"

/* Row r, column c of a matrix in memory. */
#define XS_COOP_AT(T) XS_AT(T, at + (by_columns ? c : r) * stride + (by_columns ? r : c) * sizeof(T))
#define XS_COOP_MEMORY(T)                                                                                              \
    XS_FUNCTION void coop_load_##T(T *to, u64 at, u64 stride, int by_columns, u32 rows, u32 cols)                      \
    {                                                                                                                  \
        for (u32 r = 0; r < rows; r++)                                                                                 \
            for (u32 c = 0; c < cols; c++) to[r * cols + c] = XS_COOP_AT(T);                                           \
    }                                                                                                                  \
    XS_FUNCTION void coop_store_##T(const T *from, u64 at, u64 stride, int by_columns, u32 rows, u32 cols)             \
    {                                                                                                                  \
        for (u32 r = 0; r < rows; r++)                                                                                 \
            for (u32 c = 0; c < cols; c++) XS_COOP_AT(T) = from[r * cols + c];                                         \
    }
XS_COOP_MEMORY(u8)
XS_COOP_MEMORY(u16)
XS_COOP_MEMORY(u32)
XS_COOP_MEMORY(u64)

/* d = a b + c, summed in W; FROM_A and so on convert an element to W, TO_D back to the stored type. */
#define XS_COOP_MULTIPLY(NAME, W, TA, FROM_A, TB, FROM_B, TC, FROM_C, TD, TO_D, M, N, K)                               \
    XS_FUNCTION void NAME(TD *d, const TA *a, const TB *b, const TC *c)                                                \
    {                                                                                                                  \
        W x[M * K], y[K * N], z[M * N];                                                                                \
        for (u32 i = 0; i < M * K; i++) x[i] = (W)FROM_A(a[i]);                                                        \
        for (u32 i = 0; i < K * N; i++) y[i] = (W)FROM_B(b[i]);                                                        \
        for (u32 i = 0; i < M * N; i++) z[i] = (W)FROM_C(c[i]);                                                        \
        for (u32 i = 0; i < M; i++)                                                                                    \
            for (u32 k = 0; k < K; k++)                                                                                \
                for (u32 j = 0; j < N; j++) z[i * N + j] += x[i * K + k] * y[k * N + j];                               \
        for (u32 i = 0; i < M * N; i++) d[i] = (TD)TO_D(z[i]);                                                         \
    }

#endif
