#!/bin/sh
# Intel's compiler accepts every operation of xetile.h, at both levels, each for one of pvc, bmg, lnl-m, ptl and dg2 here, and
# for all of them with `make check-intel`.
. "$(dirname "$0")/../test.sh"
CC=$CC scripts/check_intel_ops.sh > "$work/said" 2>&1
code=$?
if grep -q '^skipped' "$work/said"; then
    skip "intel_ops" "$(sed -n 's/^skipped check-intel-ops: //p' "$work/said")"
    report
    exit
fi
cat "$work/said"
for device in pvc bmg lnl-m ptl dg2; do
    grep -q "^ops $device [4-6] compiled, 0 refused$" "$work/said" && pass || fail "$device" "$(grep -A 5 "$device" "$work/said")"
done
[ "$code" = 0 ] && pass || fail "check_intel_ops" "exit code $code"
report
