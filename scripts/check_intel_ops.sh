#!/bin/sh
# check_intel_ops.sh [--all] - compiles every operation of xetile.h, at subgroup and work-group level, for Intel GPUs with
# Intel's compiler (tests/intel/intel_ops.c writes the modules). One type of each operation, and f64 of some, each for one of the
# devices; with --all every type for every device. Prints `ops <device> <compiled> compiled, <refused> refused` per device;
# without the compiler it prints a message.
set -u
CC=${CC:-cc}
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/scripts/intel_compiler.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0

# The lines `FILE FLAGS` of the modules to compile: the first type of each kernel and level and some of f64, of which every
# fifth is for device number INDEX; or all.
chosen() { # chosen INDEX [--all]
    if [ "${2:-}" = --all ]; then cat; else awk -v index_="$1" '{ n = split($1, p, "/"); split(p[n], q, "_"); level = p[n] ~ /subgroup/
                                                   if (!seen[q[1], level]++ || p[n] ~ /^(mma|elements)_f64/)
                                                       if (count++ % 5 == index_) print }'; fi
}

one_device() { # one_device DEVICE TARGET INDEX [--all]
    mkdir -p "$work/$1"
    "$work/intel_ops" "$work/$1" "$2" > "$work/list" || { echo "FAILED ops $1: not all modules were written"; status=1; return; }
    chosen "$3" "${4:-}" < "$work/list" > "$work/some"
    compiled=0 refused=0
    while read -r file flags; do
        if said=$(compile_module "$1" "$file" "$flags"); then
            compiled=$((compiled + 1))
        else
            refused=$((refused + 1)) status=1
            echo "FAILED ops $1 $(basename "$file"): refused"
            printf '%s\n' "$said" | head -n 5
        fi
    done < "$work/some"
    echo "ops $1 $compiled compiled, $refused refused"
}

find_compiler || { echo "skipped check-intel-ops: neither \$XE_OFFLINE nor ocloc is here (Debian: intel-ocloc)"; exit 0; }
$CC -std=c11 -O1 -I"$here" -o "$work/intel_ops" "$here/tests/intel/intel_ops.c" -lm || exit 1
index=0
for device in pvc bmg lnl-m ptl dg2; do
    one_device $device ${device%-m} $index "${1:-}"
    index=$((index + 1))
done
exit $status
