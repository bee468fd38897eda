#!/bin/sh
# run.sh BENCH... - runs the benches in $BUILD by name, bench_edit.sh, bench_scaling.sh and scripts/check_intel.sh in sequence,
# and makes bench/report.html from their output, which is also kept in $BUILD/bench.txt. If a bench fails, the others still
# run; the exit code reports it.
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}
export BUILD
unset OPENBLAS_CORETYPE # peers are unrestricted
export XETILE_SOFT="${XETILE_SOFT:-$(cd "$BUILD" && pwd)/libze_soft.so}"
lines="$BUILD/bench.txt"
: > "$BUILD/bench.failed"

run() { "$@" || { echo "FAILED $*"; echo "$*" >> "$BUILD/bench.failed"; }; }
{
    for name in "$@"; do run "$BUILD/$name"; done
    run bench/bench_edit.sh
    run bench/bench_scaling.sh
    run scripts/check_intel.sh
} | tee "$lines"
"$BUILD/report" < "$lines" > bench/report.html || exit 1
echo "page     bench/report.html"
[ ! -s "$BUILD/bench.failed" ]
