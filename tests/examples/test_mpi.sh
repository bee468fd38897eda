#!/bin/sh
# examples/mpi_summa.c on several ranks of this machine: grids of all shapes, odd sizes, its module for every target, refusals.
# Skipped without MPI.
. "$(dirname "$0")/../test.sh"
saved=${XETILE_SPV_DIR:-$work}
program="$BUILD/mpi_summa"
for command in "${MPICC:-mpicc}" mpirun; do
    command -v "$command" >/dev/null 2>&1 || { skip "mpi_summa" "$command is not installed"; report; exit; }
done
[ -z "${SANITIZE:-}" ] || { skip mpi_summa "not under sanitizers"; report; exit; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 XETILE_SOFT_THREADS=1
ranks() { count=$1 && shift && timeout 120 mpirun --oversubscribe --bind-to none -np "$count" "$program" --device software "$@"; }

check_options mpi_summa
check_refused "size 0" "--m 0" "$program" --m 0
for target in $targets; do
    check_says "mpi_summa for $target" "ok mpi_summa" "$program" --emit "$saved/mpi_summa-$target.spv" --target $target
done
check_says "without mpirun" "ok mpi_summa f16 300 x 200 x 600 on 1" "$program" --device software --m 300 --n 200 --k 600
for count in 1 2 3 4 6; do
    check_says "$count ranks" "ok mpi_summa f16 301 x 333 x 777 on $count" ranks $count --m 301 --n 333 --k 777
done
check_says "without overlap" "ok mpi_summa f16 301 x 333 x 777 on 2" ranks 2 --m 301 --n 333 --k 777 --overlap 0
check_says "more ranks than rows" "ok mpi_summa f16 1 x 33 x 700 on 6" ranks 6 --m 1 --n 33 --k 700
check_says "ranks on sub-devices" "ok mpi_summa f16 64 x 64 x 300 on 2" env XETILE_SOFT_SUBDEVICES=2 \
    mpirun --oversubscribe --bind-to none -np 2 "$program" --device software --m 64 --n 64 --k 300
said=$(ranks 2 --device nosuch 2>&1)
check "a device that is not there ends all ranks" test $? != 0
check "and is named" sh -c 'echo "$1" | grep -q "no device \"nosuch\""' sh "$said"
report
