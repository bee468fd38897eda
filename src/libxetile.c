/* libxetile.c - the bodies of all the headers, in the one file of a program that has them: libxetile is made of it, and
 * the examples, tests and benches of this repository are linked with it. */
#define XETILE_IMPLEMENTATION
#include "../coopvec.h"
#include "../xetile.h"
#include "../ze_dispatch.h"
