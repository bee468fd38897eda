#!/bin/sh
# Intel's own compiler takes the GEMM modules for pvc, bmg, lnl-m and ptl: 32 dpas a K step, nothing spilled. Other modules for
# one device each; `make check-intel` compiles all of them for all.
. "$(dirname "$0")/../test.sh"
scripts/check_intel.sh --short > "$work/said" 2>&1
code=$?
if grep -q '^skipped' "$work/said"; then
    skip "intel" "$(sed -n 's/^skipped check-intel: //p' "$work/said")"
    report
    exit
fi
cat "$work/said"
for line in $(grep '^isa ' "$work/said" | tr ' ' '/'); do
    echo "$line" | grep -q 'spill=0$' && pass || fail "$line" "it spills"
done
[ "$code" = 0 ] || fail "check-intel" "$(grep -A 20 FAILED "$work/said")"
[ "$(grep -c '^isa gemm [a-z-]* loop_dpas=32 ' "$work/said")" = 4 ] || fail "gemm" "not 32 dpas a step on all four devices"
report
