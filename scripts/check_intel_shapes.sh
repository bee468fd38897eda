#!/bin/sh
# check_intel_shapes.sh [NAME] - compiles products of many shapes, types and forms (tests/intel/intel_shapes.c) for Intel
# GPUs with Intel's compiler and no GPU, and prints a line for each:
#     shape <name> <device> <aligned|any> loop_dpas=<n> instructions=<per dpas> messages=<per dpas> spill=<bytes>
# for the loop with the most dpas, or that the module has no dpas. Fails if the compiler refuses a module; without a compiler it
# prints a message and succeeds.
set -u
CC=${CC:-cc}
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/scripts/intel_compiler.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0

# A listing's figures per dpas.
loop_of() { # loop_of LISTING aligned|any
    figures_of_listing "$1" | awk -v which="$2" '{ if (which == "any") sub(/^any_/, "loop_"); figure[$1] = $2 }
        END { dpas = figure["loop_dpas"]
              printf "loop_dpas=%d", dpas
              if (dpas) printf " instructions=%.2f messages=%.2f", figure["loop_instructions"] / dpas, figure["loop_memory"] / dpas
              printf " spill=%d\n", figure["spill_bytes"] }'
}

one_device() { # one_device DEVICE TARGET [NAME]
    mkdir -p "$work/$1"
    "$work/intel_shapes" "$work/$1" "$2" ${3:+"$3"} > "$work/list" ||
        { echo "FAILED shapes $1: not all modules were written"; status=1; }
    while read -r name pitch file flags; do
        if [ "$compiler" = ocloc ]; then listing=$(listing_by_ocloc "$1" "$file" "$flags")
        else listing=$(listing_by_offline "$1" "$file" "$flags" 2> "$work/said"); fi
        if [ -n "$listing" ]; then
            echo "shape $name $1 $pitch $(loop_of "$listing" "$pitch")"
        else
            status=1
            echo "FAILED shape $name $1 $pitch: refused"
        fi
    done < "$work/list"
}

find_compiler || { echo "skipped check-intel-shapes: neither \$XE_OFFLINE nor ocloc is here (Debian: intel-ocloc)"; exit 0; }
$CC -std=c11 -O1 -I"$here" -o "$work/intel_shapes" "$here/tests/intel/intel_shapes.c" -lm || exit 1
for device in ${DEVICES:-bmg pvc}; do one_device "$device" "${device%-m}" "${1:-}"; done
exit $status
