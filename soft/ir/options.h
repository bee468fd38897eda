/* options.h - what the code generator is asked for. */
#ifndef XETILE_SOFT_OPTIONS_H
#define XETILE_SOFT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct sp_text;

enum { CG_TILES_BF16 = 1, CG_TILES_I8 = 2, CG_TILES_F16 = 4 };
struct cg_options {
    uint32_t default_subgroup_size;
    bool check;
    bool quick; /* compiles in half of the time, runs some times slower: see XS_QUICK in c/prelude.h */
    const char *print;       /* "after:PASS" or "c": what is printed on standard error; NULL: nothing */
    struct sp_text *remarks; /* gets remarks, see passes/remarks.c; NULL: they are not wanted */
    unsigned tiles; /* CG_TILES_...: products that the CPU's tile unit does */
    uint32_t piece_bytes; /* not 0: of any function's text, pieces as long as this (tests do that) */
    const char *function; /* an exported function to be called by pointer, instead of the kernels; NULL: the kernels */
};

#endif
