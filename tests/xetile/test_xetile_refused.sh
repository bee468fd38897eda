#!/bin/sh
# Errors against XeTile's specification that the C compiler detects: a padding in a store, sizes that are not constants of the
# program, a prefetch without a tile. The program without them compiles. Common omissions are reported at the user's line, even
# by gcc.
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
at_its_line() { # at_its_line NAME STATEMENT WHAT: the first error
    refused "$1" "$2"
    first=$(printf '%s\n' "$output" | grep 'error: ' | head -n 1)
    if printf '%s\n' "$first" | grep -q "kernel\.c:6:.*$3"; then pass; else fail "$1: at the user's line" "$first"; fi
}

program "XT_STORE_TILE(v, t);"
check "the kernel itself" compile
refused "a padding in a store" "XT_STORE_TILE(v, t, .padding = 1);"
refused "rows known at launch" "v = XT_LOAD_TILE(XT_INIT_TILE(A, f32, N, 16, .shape = XT_AT(N, N)));"
refused "an element type known at launch" "v = XT_LOAD_TILE(XT_INIT_TILE(A, N, 8, 16, .shape = XT_AT(N, N)));"
refused "a prefetch of a vector" "XT_PREFETCH_TILE(v);"
refused "a store of a tile" "XT_STORE_TILE(t, t);"
refused "a product of tiles" "v = XT_TILE_MMA(t, t);"
at_its_line "a type of C in XT_CAST" "v = XT_CAST(float, v);" "float is a type of C: the kernel's is called f32"
at_its_line "a type of C in XT_SPLAT" "v = XT_ADD(v, XT_SPLAT(int32_t, 8, 16, 0));" "int32_t is a type of C: the kernel's is called i32"
at_its_line "a type that is none" "v = XT_CAST(f66, v);" "XT_TYPE_f66"
printf '#include "xetile.h"\nxt_vec twice(xt_vec v)\n{\n    return XT_ADD(v, v);\n}\n' > "$work/kernel.c"
first=$(compile 2>&1 | grep 'error: ' | head -n 1)
if printf '%s\n' "$first" | grep -q 'kernel\.c:4:.*xt_context_'; then pass; else fail "a forgotten XT_CONTEXT, at the user's line" "$first"; fi
report
