#!/bin/sh
# Intel's compiler accepts the modules of test_coopmatrix_targets (every operation, with matrix instructions, plain, with 2D
# blocks and as KHR matrices) and of the examples of coopmatrix.h: each for one of pvc, bmg, lnl-m, ptl and dg2, and with
# INTEL_ALL set, as by `make check-intel`, for all of them.
. "$(dirname "$0")/../test.sh"
. scripts/intel_compiler.sh
find_compiler || { skip "intel_coopmatrix" "neither \$XE_OFFLINE nor ocloc is here (Debian: intel-ocloc)"; report; exit; }
# Without a device the modules are made and not run.
THOROUGH=1 XETILE_SOFT=/nonexistent XETILE_SPV_DIR="$work" "$BUILD/test_coopmatrix_targets" > "$work/made" || fail "the modules" "$(cat "$work/made")"

compiled() { # compiled NAME DEVICE FILE OPTIONS
    its_turn || return
    if output=$(compile_module "$2" "$3" "$4"); then pass; else fail "$1 for $2" "$(printf '%s\n' "$output" | head -n 5)"; fi
}

number=0
its_turn() { number=$((number + 1)); [ -n "${INTEL_ALL:-}" ] || [ $((number % 5)) = 0 ]; }

for device in pvc bmg lnl-m ptl dg2; do
    target=${device%-m} flags=
    [ $device = dg2 ] && flags=-ze-fp64-gen-emu # it has no native f64
    for group in ops ops_plain blocks khr; do
        compiled $group $device "$work/test_coopmatrix_targets_${group}_$target.spv" "$flags"
    done
    for example in batched_gemm tall_gemm flash_attention; do
        emitted=$("$BUILD/$example" --emit "$work/$example.spv" --target $target) || { fail "$example --emit" "$emitted"; continue; }
        compiled $example $device "$work/$example.spv" "$(printf '%s\n' "$emitted" | sed -n 's/^flags  *//p')"
    done
done
report
