/* prelude_math.h */
