#!/bin/sh
# With SPE_CHECK_IDS, ids are pointers: a program without mistakes compiles without a warning, one that confuses an id and
# a number does not compile.
. "$(dirname "$0")/../test.sh"
CC=${CC:-cc}
source=tests/spirv/checked_ids.c
mode="-DXETILE_DECLARATIONS -DSPE_CHECK_IDS -fsyntax-only"
refused() { ! "$@" > "$work/said" 2>&1; }
names_line() { grep -q "checked_ids.c:$(awk -v n="$1" '$0 ~ "MISTAKE == " n "$" { print NR + 1 }' $source):.*error" "$work/said"; }

for compiler in "$CC" clang; do
    command -v "$compiler" > /dev/null || { skip "ids checked by $compiler" "no $compiler"; continue; }
    for program in $source examples/tiny_compiler.c examples/gemm.c; do
        # shellcheck disable=SC2086 # several options
        check "$compiler compiles $program with checked ids" "$compiler" -std=c11 -Wall -Wextra -Werror $mode -I. -Itests $program
    done
    mistake=1
    while grep -q "MISTAKE == $mistake\$" $source; do
        # shellcheck disable=SC2086
        check "$compiler refuses mistake $mistake" refused "$compiler" -std=c11 $mode -DMISTAKE=$mistake -I. -Itests $source
        check "$compiler names the line of mistake $mistake" names_line $mistake
        mistake=$((mistake + 1))
    done
    check "there are mistakes" test "$mistake" -gt 10
done
# As an ordinary program
check "the kernel compiles without" $CC -std=c11 -Wall -Wextra -Werror -I. -Itests $source -o "$work/kernel" -lm
check "and is a module" "$work/kernel"
check "it needs declarations" refused $CC -std=c11 -DSPE_CHECK_IDS -fsyntax-only -I. -Itests $source
report
