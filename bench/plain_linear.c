/* plain_linear.c - what a program without a library has for a linear layer: bench_decode.c compiles this at run time
 * with -O3 -march=native -ffast-math, by each compiler there is. out[t][i] = sum of weights[i][j] * in[t][j]. */
#include <stddef.h>

#if defined(__clang__) && !defined(__AVX512FP16__)
typedef __fp16 half; /* clang 14 has _Float16 only where the CPU computes with it */
#else
typedef _Float16 half;
#endif

#define LINEAR(NAME, TYPE)                                                                                             \
    void NAME(const TYPE *weights, const float *in, float *out, int tokens, int n, int k)                              \
    {                                                                                                                  \
        for (int i = 0; i < n; i++)                                                                                    \
            for (int t = 0; t < tokens; t++) {                                                                         \
                const TYPE *row = weights + (size_t)i * (size_t)k;                                                     \
                const float *x = in + (size_t)t * (size_t)k;                                                           \
                float sum = 0;                                                                                         \
                for (int j = 0; j < k; j++) sum += (float)row[j] * x[j];                                               \
                out[(size_t)t * (size_t)n + (size_t)i] = sum;                                                          \
            }                                                                                                          \
    }
LINEAR(plain_f16, half)
LINEAR(plain_f32, float)
