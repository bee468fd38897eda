#!/bin/sh
# tests/project/public_names.txt lists the headers' public names; adding or removing one requires editing it too, on purpose.
. "$(dirname "$0")/../test.sh"
export LC_ALL=C
: > "$work/x.c"
$CC -fsyntax-only -aux-info "$work/x" "$work/x.c" 2>/dev/null && [ -e "$work/x" ] || { skip "public names" "$CC has no -aux-info"; report; exit; }
sh tests/project/public_names.sh > "$work/names"
cp tests/project/public_names.txt "$work/expected"
if grep -q '^vk_dispatch ' "$work/names"; then vulkan=vk_dispatch; else
    skip "names of vk_dispatch.h" "Vulkan's headers are missing"
    grep -v '^vk_dispatch ' tests/project/public_names.txt > "$work/expected"
    vulkan=
fi
check "the list is as the headers are" diff "$work/expected" "$work/names"
check "it has a few hundred names" test "$(wc -l < "$work/names")" -gt 300
for header in spirv_emit coopmatrix coopvec xetile ze_dispatch $vulkan; do
    for kind in function macro type; do
        check "$header has a $kind" grep -q "^$header $kind " "$work/names"
    done
done

# Every public function is described in the manual at its header's beginning.
for header in spirv_emit coopmatrix coopvec xetile ze_dispatch $vulkan; do
    sed '/\*\/$/q' "$header.h" | tr -c 'A-Za-z0-9_' '\n' | sort -u > "$work/manual"
    missing=$(sed -n "s/^$header \(function\|macro\) //p" "$work/names" | sort | comm -23 - "$work/manual")
    check "the manual of $header.h tells of all functions and macros" test -z "$missing"
done

# What ze_dispatch.h has and vk_dispatch.h lacks is in a table of docs/vulkan.md, with the reason.
missing() {
    sed -n 's/^ze_dispatch [a-z]* zed_//p' tests/project/public_names.txt | sort > "$work/ze"
    sed -n 's/^vk_dispatch [a-z]* vkd_//p' tests/project/public_names.txt | sort | comm -23 "$work/ze" - | sed 's/^/zed_/'
}
check "docs/vulkan.md lists the calls of ze_dispatch.h that vk_dispatch.h lacks" \
    sh -c 'test "$1" = "$2"' - "$(missing)" "$(sed -n 's/^| `\(zed_[a-z0-9_]*\)` |.*/\1/p' docs/vulkan.md | sort)"

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
