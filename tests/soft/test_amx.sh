#!/bin/sh
# test_amx.sh - XETILE_SOFT_ISA=amx: matrix products on the CPU's tile unit. tests/soft/amx_emulator.c executes the tile
# instructions, on any x86-64, and counts them: a program that uses none has failed. CPUs with tiles execute them natively.
. "$(dirname "$0")/../test.sh"
unset XETILE_CC XETILE_SPV_DIR AMX_EMULATOR_TYPES

# A program must succeed under the emulator, and execute some of each INSTRUCTION.
emulated() { # emulated "INSTRUCTIONS" VARIABLE=VALUE COMMAND...
    instructions=$1 setting=$2
    shift 2
    if [ "$tiles" = cpu ]; then
        check "$setting $*" env "$setting" "$@"
        return
    fi
    if ! output=$(env "$setting" LD_PRELOAD="$work/amx_emulator.so" AMX_EMULATOR_COUNT=1 "$@" 2>&1); then
        fail "$setting $* (exit code $?)" "$output"
        return
    fi
    line=$(printf '%s\n' "$output" | sed -n "s/^amx_emulator: //p" | tail -n 1)
    for i in $instructions; do
        case " $line " in
        *" $i 0 "* | "  ") fail "$setting $*: no $i" "$output"; return ;;
        *" $i "*) ;;
        *) fail "$setting $*: $i is not counted" "$output"; return ;;
        esac
    done
    pass
}

# A loop's products are deferred until there are many: sums are loaded and stored once in eight steps.
late() { # late PRODUCT N COMMAND...: at least N products for each store
    product=$1 many=$2
    shift 2
    [ "$tiles" = emulator ] || return
    output=$(LD_PRELOAD="$work/amx_emulator.so" AMX_EMULATOR_COUNT=1 "$@" 2>&1)
    products=$(printf '%s\n' "$output" | sed -n "s/^amx_emulator:.* $product \([0-9]*\).*/\1/p")
    stores=$(printf '%s\n' "$output" | sed -n 's/^amx_emulator:.* tilestored \([0-9]*\).*/\1/p')
    if [ "${products:-0}" -gt 0 ] && [ "$((stores * many))" -le "$products" ]; then pass; else fail "late $*" "$output"; fi
}

# In the sample kernels of these are compiled in the quick tier: the tile instructions are the same; of the examples, gemm is compiled
# in full.
matrix_tests() {
    usual=${XETILE_SOFT_TIER:-}
    thorough || export XETILE_SOFT_TIER="${usual:-quick}"
    emulated "ldtilecfg sttilecfg tilerelease tilezero tileloadd tileloaddt1 tilestored tdpbf16ps tdpfp16ps tdpbssd tdpbsud tdpbusd tdpbuud" \
        X= "$BUILD/test_soft_tiles"
    emulated "tdpbf16ps tdpfp16ps tdpbssd" X= "$BUILD/test_soft_loops"
    emulated tdpfp16ps X= "$BUILD/test_soft_masked"
    emulated "tdpbf16ps tdpfp16ps tdpbssd tdpbsud tdpbusd tdpbuud" TEST_ONLY=subgroups_of_16 "$BUILD/test_soft_products"
    emulated "tdpbf16ps tdpfp16ps tdpbssd tdpbsud tdpbusd tdpbuud" TEST_ONLY=products_of_every_type "$BUILD/test_xetile"
    thorough && emulated tdpfp16ps TEST_ONLY=products_of_odd_shapes "$BUILD/test_xetile"
    emulated "tdpfp16ps tdpbssd" TEST_ONLY=products_of_a_work_group "$BUILD/test_xetile"
    [ -n "$usual" ] || unset XETILE_SOFT_TIER
}

examples() {
    emulated tdpfp16ps XETILE_SOFT_THREADS=3 "$BUILD/gemm" --m 512 --n 256 --k 64
    emulated tdpfp16ps X= "$BUILD/gemm" --m 200 --n 131 --k 70
    emulated tdpbf16ps X= "$BUILD/gemm" --m 256 --n 256 --k 96 --type bf16
    emulated tdpbssd X= "$BUILD/gemm" --m 256 --n 256 --k 64 --type i8
    emulated tdpfp16ps XETILE_SOFT_CHECK=1 "$BUILD/gemm" --m 256 --n 256 --k 32
    thorough && emulated tdpbf16ps XETILE_SOFT_CHECK=1 "$BUILD/gemm" --m 128 --n 128 --k 64 --type bf16
    thorough && emulated tdpbssd XETILE_SOFT_CHECK=1 "$BUILD/gemm" --m 128 --n 128 --k 64 --type i8
    emulated tdpfp16ps X= "$BUILD/gemm_slm" --m 256 --n 256 --k 64 # subgroups alternate at barriers
    late tdpfp16ps 8 "$BUILD/gemm" --m 256 --n 256 --k 256
    late tdpbf16ps 8 "$BUILD/gemm" --m 256 --n 256 --k 256 --type bf16
    late tdpbssd 4 "$BUILD/gemm" --m 256 --n 256 --k 512 --type i8 # each of them does two steps
    # tiles with bf16 only, as the first CPUs with tiles have no fp16
    emulated tdpbf16ps AMX_EMULATOR_TYPES=1 "$BUILD/gemm" --m 256 --n 256 --k 64 --type bf16
    check "f16 without tiles for it" env AMX_EMULATOR_TYPES=1 LD_PRELOAD="$work/amx_emulator.so" "$BUILD/gemm" --m 256 --n 256 --k 64
    if command -v clang >/dev/null 2>&1; then
        emulated tdpbf16ps XETILE_CC=clang "$BUILD/gemm" --m 256 --n 256 --k 64 --type bf16
    else
        skip clang "not installed"
    fi
}

export XETILE_SOFT_ISA=amx
case $(uname -m):$SANITIZE in
x86_64:)
    tiles=emulator
    if "$BUILD/gemm" --m 16 --n 16 --k 16 >/dev/null 2>&1; then
        tiles=cpu
        skip "emulated tiles" "this CPU has tiles"
    else
        check_refused "without tiles" "this CPU does not have it" "$BUILD/gemm" --m 16 --n 16 --k 16
    fi
    if "$CC" -std=gnu11 -O2 -Wall -Wextra -shared -fPIC -o "$work/amx_emulator.so" tests/soft/amx_emulator.c -lm; then
        matrix_tests
        examples
        # code compiled for tiles must not be taken from the cache without them
        check "the same program without tiles" env XETILE_SOFT_ISA=native "$BUILD/gemm" --m 256 --n 256 --k 64
    else
        fail "amx_emulator.c compiles" ""
    fi
    ;;
x86_64:*) skip amx "a sanitizer keeps the signals that the emulator needs" ;;
*) skip amx "tile instructions are x86-64's" ;;
esac
report
