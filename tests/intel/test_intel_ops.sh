#!/bin/sh
# Intel's own compiler takes every operation of xetile.h, at both levels, for pvc, bmg, lnl-m, ptl and dg2.
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
    grep -q "^ops $device 2[0-9] compiled, 0 refused$" "$work/said" && pass || fail "$device" "$(grep -A 5 "$device" "$work/said")"
done
[ "$code" = 0 ] && pass || fail "check_intel_ops" "exit code $code"
report
