#!/bin/sh
# test_isa_levels.sh - the software device at every instruction set that it supports and this CPU has, and with clang as the
# kernels' compiler: matrix products of every type and number of rows, cooperative matrices, groups, small floats. (The other
# tests run with the device's defaults: all that the CPU has, and cc as the compiler.) In the sample, products of a type that the
# matrix instruction has are not also written with xetile.h, only the level that is least like the default optimises kernels'
# own code, of products, and the levels between that one and the default have products only, as the default has.
. "$(dirname "$0")/../test.sh"
unset XETILE_SOFT_ISA XETILE_CC XETILE_SPV_DIR

# A program, or a part of it, must succeed; the counts are those of its tests.
level() { # level LABEL VARIABLE=VALUE PROGRAM [PART]
    if [ ! -x "$BUILD/$3" ]; then
        fail "$1 $3" "not built"
        return
    fi
    tier=quick
    case $1:$3 in generic:test_opencl_*) ;; generic:*) tier=full ;; esac
    if thorough; then tier=full; fi
    output=$(env "$2" XETILE_SOFT_TIER="${XETILE_SOFT_TIER:-$tier}" TEST_ONLY="${4:-}" "$BUILD/$3" 2>&1)
    code=$?
    line=$(printf '%s\n' "$output" | tail -n 1)
    p=$(printf '%s\n' "$line" | sed -n 's/^\([0-9]*\) passed, 0 failed.*/\1/p')
    if [ "$code" = 0 ] && [ "${p:-0}" != 0 ]; then passed=$((passed + p)); else fail "$1 $3 (exit code $code)" "$output"; fi
}

all_of() { # all_of LABEL VARIABLE=VALUE
    level "$1" "$2" test_soft_products every_number_of_rows
    level "$1" "$2" test_xetile products_without_the_hardware
    thorough && level "$1" "$2" test_xetile products_of_every_type
    case $1 in generic | clang) ;; *) thorough || return 0 ;; esac
    level "$1" "$2" test_opencl_groups
    level "$1" "$2" test_opencl_cooperative
    level "$1" "$2" test_opencl_assembly
}

# The device refuses a level that the CPU lacks, by name.
has_level() { # has_level LEVEL
    XETILE_SOFT_ISA=$1 "$BUILD/hello" 2>&1 | grep -q "this CPU does not have it" && return 1
    return 0
}

for isa in generic avx2 avx512 amx; do
    if has_level "$isa"; then
        all_of "$isa" "XETILE_SOFT_ISA=$isa"
    else
        skip "$isa" "this CPU does not have it"
    fi
done
if command -v clang >/dev/null 2>&1; then
    all_of clang "XETILE_CC=clang"
else
    skip clang "not installed"
fi
report
