/* printf: every line of printing_formats.h between brackets. build: plain */
__kernel void prints_integers(int n)
{
#define INTEGER(format) printf("[" format "]\n", n);
#define REAL(format)
#define TEXT(format)
#include "printing_formats.h"
}

#undef INTEGER
#undef REAL
#undef TEXT
__kernel void prints_reals(double x)
{
#define INTEGER(format)
#define REAL(format) printf("[" format "]\n", x);
#define TEXT(format)
#include "printing_formats.h"
}

#undef INTEGER
#undef REAL
#undef TEXT
__kernel void prints_texts(int unused)
{
#define INTEGER(format)
#define REAL(format)
#define TEXT(format) printf("[" format "]\n", LONG_TEXT);
#include "printing_formats.h"
}
