/* math_functions.h - the mathematical functions, for the kernels (math.cl) and for the test that checks them.
 *
 * X(name, reference, ulp, half_ulp, domain): the reference uses long double; ulp is the error that OpenCL's full
 * profile allows for float and double, half_ulp for half; 0 means correctly rounded.
 */
#define UNARY_FUNCTIONS(X)                                                                                             \
    X(acos, acosl, 4, 2, UNIT)                                                                                         \
    X(acosh, acoshl, 4, 2, FROM_ONE) X(acospi, acospi_, 5, 2, UNIT) X(asin, asinl, 4, 2, UNIT) X(                      \
        asinh, asinhl, 4, 2, ANY) X(asinpi, asinpi_, 5, 2, UNIT) X(atan, atanl, 5, 2, ANY)                             \
        X(atanh, atanhl, 5, 2, UNIT) X(atanpi, atanpi_, 5, 2, ANY) X(cbrt, cbrtl, 2, 2, ANY) X(ceil, ceill, 0, 0, ANY) \
            X(cos, cosl, 4, 2, ANGLE) X(cosh, coshl, 4, 2, EXPONENT) X(cospi, cospi_, 4, 2, ANGLE)                     \
                X(erf, erfl, 16, 4, NORMAL) X(erfc, erfcl, 16, 4, NORMAL) X(exp, expl, 3, 2, EXPONENT)                 \
                    X(exp2, exp2l, 3, 2, EXPONENT) X(exp10, exp10_, 3, 2, EXPONENT) X(expm1, expm1l, 3, 2, EXPONENT)   \
                        X(fabs, fabsl, 0, 0, ANY) X(floor, floorl, 0, 0, ANY) X(log, logl, 3, 2, POSITIVE)             \
                            X(log10, log10l, 3, 2, POSITIVE) X(log1p, log1pl, 2, 2, POSITIVE)                          \
                                X(log2, log2l, 3, 2, POSITIVE) X(logb, logbl, 0, 0, ANY) X(rint, rintl, 0, 0, ANY)     \
                                    X(round, roundl, 0, 0, ANY) X(rsqrt, rsqrt_, 2, 1, POSITIVE)                       \
                                        X(sin, sinl, 4, 2, ANGLE) X(sinh, sinhl, 4, 2, EXPONENT)                       \
                                            X(sinpi, sinpi_, 4, 2, ANGLE) X(sqrt, sqrtl, 3, 0, POSITIVE)               \
                                                X(tan, tanl, 5, 2, ANGLE) X(tanh, tanhl, 5, 2, NORMAL)                 \
                                                    X(tanpi, tanpi_, 6, 2, ANGLE) X(tgamma, tgammal, 16, 4, NORMAL)    \
                                                        X(trunc, truncl, 0, 0, ANY) X(degrees, degrees_, 2, 2, ANY)    \
                                                            X(radians, radians_, 2, 2, ANY) X(sign, sign_, 0, 0, ANY)

/* float only: half_ functions may be off by 8192 ULP, and native_ ones, which are unspecified, must be as good here. */
#define FLOAT_FUNCTIONS(X)                                                                                             \
    X(half_cos, cosl, 8192, 0, ANGLE)                                                                                  \
    X(half_exp, expl, 8192, 0, EXPONENT) X(half_exp2, exp2l, 8192, 0, EXPONENT)                                        \
        X(half_exp10, exp10_, 8192, 0, EXPONENT) X(half_log, logl, 8192, 0, POSITIVE)                                  \
            X(half_log2, log2l, 8192, 0, POSITIVE) X(half_log10, log10l, 8192, 0, POSITIVE)                            \
                X(half_recip, reciprocal_, 8192, 0, ANY) X(half_rsqrt, rsqrt_, 8192, 0, POSITIVE)                      \
                    X(half_sin, sinl, 8192, 0, ANGLE) X(half_sqrt, sqrtl, 8192, 0, POSITIVE)                           \
                        X(half_tan, tanl, 8192, 0, ANGLE) X(native_cos, cosl, 8192, 0, ANGLE)                          \
                            X(native_exp, expl, 8192, 0, EXPONENT) X(native_exp2, exp2l, 8192, 0, EXPONENT)            \
                                X(native_exp10, exp10_, 8192, 0, EXPONENT) X(native_log, logl, 8192, 0, POSITIVE)      \
                                    X(native_log2, log2l, 8192, 0, POSITIVE)                                           \
                                        X(native_log10, log10l, 8192, 0, POSITIVE)                                     \
                                            X(native_recip, reciprocal_, 8192, 0, ANY)                                 \
                                                X(native_rsqrt, rsqrt_, 8192, 0, POSITIVE)                             \
                                                    X(native_sin, sinl, 8192, 0, ANGLE)                                \
                                                        X(native_sqrt, sqrtl, 8192, 0, POSITIVE)                       \
                                                            X(native_tan, tanl, 8192, 0, ANGLE)

#define BINARY_FUNCTIONS(X)                                                                                            \
    X(atan2, atan2l, 6, 2, ANY) X(atan2pi, atan2pi_, 6, 2, ANY) X(copysign, copysignl, 0, 0, ANY)                      \
    X(fdim, fdiml, 0, 0, NORMAL) X(fmax, fmaxl, 0, 0, ANY) X(fmin, fminl, 0, 0, ANY) X(fmod, fmodl, 0, 0, NORMAL)      \
    X(hypot, hypotl, 4, 2, ANY) X(maxmag, maxmag_, 0, 0, NORMAL) X(minmag, minmag_, 0, 0, NORMAL)                      \
    X(pow, powl, 16, 4, NORMAL) X(powr, powr_, 16, 4, POSITIVE) X(remainder, remainderl, 0, 0, NORMAL)                 \
    X(step, step_, 0, 0, NORMAL) X(divide, divide_, 2.5, 0, ANY) X(plus, plus_, 0, 0, NORMAL)                          \
    X(minus, minus_, 0, 0, NORMAL) X(times, times_, 0, 0, ANY)
#define TERNARY_FUNCTIONS(X)                                                                                           \
    X(fma, fmal, 0, 0, NORMAL)                                                                                         \
    X(mad, fmal, 0, 0, NORMAL) X(mix, mix_, 0, 0, NORMAL) X(clamp_between, clamp_, 0, 0, NORMAL)
/* The second argument is an int. */
#define INTEGER_FUNCTIONS(X)                                                                                           \
    X(pown, pown_, 16, 4, NORMAL) X(rootn, rootn_, 16, 4, POSITIVE) X(ldexp, ldexp_, 0, 0, NORMAL)
