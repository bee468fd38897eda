#!/bin/sh
# bench_scaling.sh - the speed of one product on several sub-devices (examples/gemm_devices.c) and MPI ranks
# (examples/mpi_summa.c), one thread each, up to the number of CPUs; the peer is the same program on one.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
cpus=$(getconf _NPROCESSORS_ONLN)
size="--m 1536 --n 1536 --k 1536"

rate() { sed -n 's|^time .* ms, \([0-9.]*\) GFLOP/s.*|\1|p'; }
line() { # line NAME RATE, the first one being the peer of those after it
    [ -n "$2" ] || { echo "FAILED bench $1"; exit 1; }
    if [ -z "$one" ]; then
        one=$2
        echo "bench $1 $2 GFLOP/s"
    else
        echo "bench $1 $2 GFLOP/s peer=on_one peer_value=$one ratio=$(echo "$2 $one" | awk '{ printf "%.3g", $1 / $2 }')"
    fi
}

one= count=1
while [ $count -le "$cpus" ]; do
    # shellcheck disable=SC2086 # sizes are words
    line devices_$count "$(XETILE_SOFT_THREADS=$count XETILE_SOFT_SUBDEVICES=$count "$BUILD/gemm_devices" --device software $size | rate)"
    count=$((count * 2))
done

if [ ! -x "$BUILD/mpi_summa" ] || ! command -v mpirun >/dev/null 2>&1; then
    echo "Open MPI is not installed (make setup-optional): mpi_summa was not measured"
    exit 0
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 XETILE_SOFT_THREADS=1
one= count=1
while [ $count -le "$cpus" ]; do
    # shellcheck disable=SC2086
    line mpi_$count "$(mpirun --oversubscribe --bind-to none -np $count "$BUILD/mpi_summa" --device software $size | rate)"
    count=$((count * 2))
done
if [ "$cpus" -gt 1 ]; then
    one=
    # shellcheck disable=SC2086
    line mpi_2_without_overlap "$(mpirun --oversubscribe --bind-to none -np 2 "$BUILD/mpi_summa" --device software --overlap 0 $size | rate)"
fi
