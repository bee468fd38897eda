#!/bin/sh
# bench_edit.sh - the time from an edit to a verified result: `cc gemm.c` in a folder with copied headers, and a small product;
# when the device must compile the kernel (cold), and when the kernel was not changed (cached).
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
CC=${CC:-cc}
XETILE_SOFT=${XETILE_SOFT:-$(cd "$BUILD" && pwd)/libze_soft.so}
export XETILE_SOFT
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp spirv_emit.h coopmatrix.h xetile.h ze_dispatch.h examples/gemm.c "$work/"
cd "$work"
repeats=5

milliseconds() { # milliseconds COMMAND...
    began=$(date +%s%N)
    "$@" > "$work/said" 2>&1 || { cat "$work/said" >&2; return 1; }
    echo $((($(date +%s%N) - began) / 1000000))
}
median() { sort -n "$1" | sed -n "$(((repeats + 1) / 2))p"; }

turn=0
while [ $turn -lt $repeats ]; do
    turn=$((turn + 1))
    export XETILE_SOFT_CACHE="$work/cache$turn"
    # shellcheck disable=SC2086 # a compiler may be several words
    compile=$(milliseconds $CC -std=c11 gemm.c -lm)
    cold=$(milliseconds ./a.out --m 256 --n 256 --k 256)
    cached=$(milliseconds ./a.out --m 256 --n 256 --k 256)
    echo "$compile" >> compile
    echo $((compile + cold)) >> cold
    echo $((compile + cached)) >> cached
done
echo "bench edit_compile_only $(median compile) ms"
echo "bench edit_to_result_cold $(median cold) ms"
echo "bench edit_to_result_cached $(median cached) ms"
