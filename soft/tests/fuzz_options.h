/* fuzz_options.h - what the environment says to the fuzzers: FUZZ_STRICT=1 refuses SPIR-V that is invalid and taken all
 * the same otherwise (soft/spirv/deviations.c), 0 takes it; by default the input decides.
 */
#ifndef XETILE_SOFT_FUZZ_OPTIONS_H
#define XETILE_SOFT_FUZZ_OPTIONS_H

#include <stdbool.h>
#include <stdlib.h>

static bool fuzz_strict(bool by_input)
{
    const char *wish = getenv("FUZZ_STRICT");
    return wish && *wish ? *wish != '0' : by_input;
}

#endif
