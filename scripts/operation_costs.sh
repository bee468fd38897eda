#!/bin/sh
# operation_costs.sh - prints docs/costs.md: how many instructions each operation of xetile.h takes for one vector of a subgroup,
# counted in what Intel's compiler makes of tests/intel/operation_costs.c, for bmg and pvc.
set -u
CC=${CC:-cc}
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/scripts/intel_compiler.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
find_compiler || { echo "operation_costs.sh: neither \$XE_OFFLINE nor ocloc is here (Debian: intel-ocloc)" >&2; exit 1; }
$CC -std=c11 -O1 -I"$here" -o "$work/costs" "$here/tests/intel/operation_costs.c" -lm || exit 1

for device in bmg pvc; do
    mkdir "$work/$device"
    "$work/costs" "$work/$device" $device > "$work/list" || exit 1
    while IFS='	' read -r type name file flags; do
        if [ "$compiler" = ocloc ]; then listing=$(listing_by_ocloc $device "$file" "$flags" 2>/dev/null)
        else listing=$(listing_by_offline $device "$file" "$flags" < /dev/null); fi
        [ -n "$listing" ] || { echo "operation_costs.sh: $device refused $type $name" >&2; exit 1; }
        printf '%s\t%s\t%s\t%s\t%s\n' "$device" "$type" "$name" \
            "$(grep -E '^\(|^        [a-z]' "$listing" | grep -vc 'sync\.')" "$(grep -cE '^[^/]*\bmath\.' "$listing")"
    done < "$work/list"
done > "$work/counts" || exit 1

cat <<END
# What operations cost

Instructions of a thread for one vector: the same component of the 16 lanes of a subgroup, as for one row of 16 columns. In
parentheses, how many of them are instructions of the math unit, which has a quarter of the rate. Written by
\`scripts/operation_costs.sh\` from the listings of Intel's compiler (IGC 2.40): a sixteenth of what a tile of 16 rows
takes beyond the loads, an addition and the store, constants included. 0: merged with the addition. Doubles, reductions and what
moves elements are not here.

| type | operation | bmg | pvc |
| --- | --- | --- | --- |
END
awk -F'\t' '{ key = $2 FS $3; if (!(key in seen)) { seen[key] = 1; order[++n] = key }
              size[$1, key] = $4; math[$1, key] = $5 }
     function cost(device, key, type) {
         split(key, part, FS)
         all = (size[device, key] - size[device, part[1] FS "none"]) / 16; slow = (math[device, key] - math[device, part[1] FS "none"]) / 16
         return sprintf("%.1f", all) (slow ? sprintf(" (%.1f)", slow) : "") }
     END { for (i = 1; i <= n; i++) { split(order[i], part, FS)
               if (part[2] != "none") printf "| %s | %s | %s | %s |\n", part[1], part[2], cost("bmg", order[i]), cost("pvc", order[i]) } }' "$work/counts"
