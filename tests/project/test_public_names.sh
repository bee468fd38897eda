#!/bin/sh
# tests/project/public_names.txt lists the headers' public names; adding or removing one requires editing it too, on purpose.
. "$(dirname "$0")/../test.sh"
export LC_ALL=C
: > "$work/x.c"
$CC -fsyntax-only -aux-info "$work/x" "$work/x.c" 2>/dev/null && [ -e "$work/x" ] || { skip "public names" "$CC has no -aux-info"; report; exit; }
sh tests/project/public_names.sh > "$work/names"
check "the list is as the headers are" diff tests/project/public_names.txt "$work/names"
check "it has a few hundred names" test "$(wc -l < "$work/names")" -gt 300
for header in spirv_emit coopmatrix coopvec xetile ze_dispatch; do
    for kind in function macro type; do
        check "$header has a $kind" grep -q "^$header $kind " "$work/names"
    done
done

# Every public function is described in the manual at its header's beginning.
for header in spirv_emit coopmatrix coopvec xetile ze_dispatch; do
    sed '/\*\/$/q' "$header.h" | tr -c 'A-Za-z0-9_' '\n' | sort -u > "$work/manual"
    missing=$(sed -n "s/^$header \(function\|macro\) //p" "$work/names" | sort | comm -23 - "$work/manual")
    check "the manual of $header.h tells of all functions and macros" test -z "$missing"
done

# Headers that compute say what they promise of a * b + c; test_contraction shows that it holds.
for header in spirv_emit coopmatrix coopvec xetile; do
    check "the manual of $header.h tells of contraction" sh -c "sed '/\*\/$/q' $header.h | tr -d '\n' | sed 's/ \* */ /g' | grep -Eq 'may be *contracted into one *rounding'"
done
check "the README tells of contraction" grep -q SPE_CONTRACT_OFF README.md

# The manual of xetile.h names each error and its cause.
sed '/\*\/$/q' xetile.h | tr -c 'A-Za-z0-9_' '\n' | sort -u > "$work/manual"
missing=$(sed -n '/^#define XT_ERRORS_/,/^$/s/^    X(\([A-Z0-9_]*\),.*/\1/p' xetile.h | sort | tee "$work/errors" | comm -23 - "$work/manual")
check "errors are found" test "$(wc -l < "$work/errors")" -gt 60
check "the manual of xetile.h tells of all errors, but not of: $missing" test -z "$missing"
report
