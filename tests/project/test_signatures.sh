#!/bin/sh
# The manual of spirv_emit.h gives in C the signature of each function that a table or a type of functions declares: the same as
# the declarations, in text and for the compiler.
. "$(dirname "$0")/../test.sh"
export LC_ALL=C
sed '/^ \* Signatures/,/^ \*$/!d' spirv_emit.h | awk '
    /^ \*   (spe_id|void) / { if (entry) print entry; entry = substr($0, 6); next }
    /^ \*       / { sub(/^ \* */, ""); entry = entry " " $0 }
    END { if (entry) print entry }' > "$work/entries"
awk '
    / f\(/ { # of several functions
        signature = substr($0, 1, index($0, "):"))
        count = split(substr($0, index($0, "):") + 2), names, " ")
        for (i = 1; i <= count; i++) { one = signature; sub(/ f\(/, " " names[i] "(", one); print one }
        next
    }
    { print }' "$work/entries" | sort > "$work/manual"
sh tests/project/signatures.sh > "$work/declared"
check "there are more than a hundred" test "$(wc -l < "$work/manual")" -gt 100
check "the manual's signatures are those of the declarations" diff "$work/declared" "$work/manual"
{ echo '#include "spirv_emit.h"'; sed 's/$/;/' "$work/manual"; } > "$work/again.c"
check "the compiler takes them for the same" $CC -std=c11 -DXETILE_DECLARATIONS -I. -Werror -fsyntax-only "$work/again.c"
sed 's/spe_id spe_load(spe_module \*m, spe_id ptr, uint32_t align)/spe_id spe_load(spe_module *m, spe_id ptr, uint64_t align)/' \
    "$work/again.c" > "$work/wrong.c"
check "and others for different ones" sh -c "! '$CC' -std=c11 -DXETILE_DECLARATIONS -I. -fsyntax-only '$work/wrong.c' 2>/dev/null"
# Every other public function has a declaration in C where it is described.
sed 's/(.*//; s/.* //' "$work/manual" | sort > "$work/listed"
sed -n 's/^spirv_emit function //p' tests/project/public_names.txt | sort | comm -23 - "$work/listed" > "$work/others"
for name in $(cat "$work/others"); do
    grep -q "[ *]$name([a-z]" spirv_emit.h || grep -q "^XETILE_API spe_[a-z0-9]*_fn_ .*$name[,;]" spirv_emit.h || echo "$name"
done > "$work/missing"
check "all others are declared" test ! -s "$work/missing"
report
