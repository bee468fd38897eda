#!/bin/sh
# intel_costs.sh [DEVICE...] - the figures of docs/fast-kernels.md: compiles the kernels of tests/intel/intel_costs.c with Intel's
# compiler and prints a line for each,
#     cost <name> <device> instructions=<of the whole kernel> more=<than the first of its kind> blocks=<messages> others=<messages>
# the kinds being those on vectors (none), on memory (copy_aligned) and on bytes (product_i8). bmg and pvc by default.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/scripts/intel_compiler.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
find_compiler || { echo "skipped intel_costs: neither \$XE_OFFLINE nor ocloc is here"; exit 0; }
${CC:-cc} -std=c11 -O1 -I"$here" -o "$work/intel_costs" "$here/tests/intel/intel_costs.c" -lm || exit 1
[ $# -gt 0 ] || set -- bmg pvc
for device in "$@"; do
    "$work/intel_costs" "$work" "$device" > "$work/list" || exit 1
    while read -r name file flags; do
        if [ "$compiler" = ocloc ]; then listing=$(listing_by_ocloc "$device" "$file" "$flags")
        else listing=$(listing_by_offline "$device" "$file" "$flags" 2> "$work/said"); fi
        [ -n "$listing" ] || { echo "FAILED cost $name $device: refused"; exit 1; }
        # shellcheck disable=SC2046
        set -- $(messages_of_listing "$listing" | sed -n 's/^all //p') "$@"
        case $name in none | copy_aligned | product_i8) base=$1 ;; esac
        echo "cost $name $device instructions=$1 more=$(($1 - base)) blocks=$2 others=$3"
        shift 3
    done < "$work/list"
done
