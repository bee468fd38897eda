#!/bin/sh
# What XeTile's text does not allow and the C compiler refuses already: a padding in a store, sizes that are not constants
# of the program, a prefetch without a tile. The program without any of it compiles.
. "$(dirname "$0")/../test.sh"

program() { # program STATEMENT: a kernel with it
    cat > "$work/kernel.c" <<END
#include "xetile.h"
XT_KERNEL(kernel, ptr(f32, A), u32(N))
{
    xt_tile t = XT_INIT_TILE(A, f32, 8, 16, .shape = XT_AT(N, N));
    xt_vec v = XT_LOAD_TILE(t, .padding = 1);
    $1
    (void)v;
}
int main(void) { return kernel.line < 0; }
END
}
compile() { $CC -std=c11 -I. -fsyntax-only "$work/kernel.c"; }
refused() { # refused NAME STATEMENT
    program "$2"
    if output=$(compile 2>&1); then fail "$1" "it compiles"; else pass; fi
}

program "XT_STORE_TILE(v, t);"
check "the kernel itself" compile
refused "a padding in a store" "XT_STORE_TILE(v, t, .padding = 1);"
refused "rows known at launch" "v = XT_LOAD_TILE(XT_INIT_TILE(A, f32, N, 16, .shape = XT_AT(N, N)));"
refused "an element type known at launch" "v = XT_LOAD_TILE(XT_INIT_TILE(A, N, 8, 16, .shape = XT_AT(N, N)));"
refused "a prefetch of a vector" "XT_PREFETCH_TILE(v);"
refused "a store of a tile" "XT_STORE_TILE(t, t);"
refused "a product of tiles" "v = XT_TILE_MMA(t, t);"
report
