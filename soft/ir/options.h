/* options.h - options of the code generator. */
#ifndef XETILE_SOFT_OPTIONS_H
#define XETILE_SOFT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct sp_text;
struct cg_versions;

enum { CG_TILES_BF16 = 1, CG_TILES_I8 = 2, CG_TILES_F16 = 4 };
struct cg_options {
    uint32_t default_subgroup_size;
    bool check;
    bool aside; /* the CPU widens f16 while it multiplies, see c/prelude_narrow.h */
    bool quick; /* compiles in half the time, runs several times slower: see XS_QUICK in c/prelude.h */
    const char *print;       /* "after:PASS" or "c": what to print on standard error; NULL: nothing */
    struct sp_text *remarks; /* receives remarks, see passes/remarks.c; NULL: none */
    unsigned tiles; /* CG_TILES_...: products for the CPU's tile unit */
    uint32_t piece_bytes; /* not 0: divide every function into pieces of about this size (for tests) */
    const struct cg_versions *versions; /* passes/versions.h; NULL: one version of each kernel, for all launches */
    const char *function; /* an exported function to be called by pointer, instead of the kernels; NULL: the kernels */
};

#endif
