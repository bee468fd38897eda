#!/bin/sh
# Every error id of the headers is named by a test in C, after macro expansion: reports those that no test produces. Occurrences
# in the headers do not count, nor do lines with dozens of ids, which are tables of all.
. "$(dirname "$0")/../test.sh"
for test in tests/*/test_*.c; do
    # A line `# 12 "tests/test_x.c"` gives the source of the lines after it.
    $CC -std=c11 -DXETILE_DECLARATIONS -I. -Itests -E -x c "$test" | awk '/^# [0-9]+ "/ { own = $3 ~ /^"tests\// ; next } own && split($0, names, /_ERR(OR)?_|ZED_/) < 16'
done | tr -c 'A-Za-z0-9_' '\n' | sort -u > "$work/named"
tests/project/error_ids.sh | sort > "$work/ids"
check "there are ids" test "$(wc -l < "$work/ids")" -gt 150
check "no two are the same" test -z "$(uniq -d "$work/ids")"
while read -r id; do
    check "$id has a test" grep -qx "$id" "$work/named"
done < "$work/ids"
report
