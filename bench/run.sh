#!/bin/sh
# run.sh BENCH... - runs the benches in $BUILD by name, bench_edit.sh, bench_scaling.sh and scripts/check_intel.sh, one after the other, and
# makes bench/report.html of what they print, which is kept in $BUILD/bench.txt too. A bench that fails does not keep the
# others from running; the exit code tells.
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}
export BUILD
unset OPENBLAS_CORETYPE # a peer comes as it is
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
