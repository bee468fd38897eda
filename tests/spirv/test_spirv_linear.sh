#!/bin/sh
# Writing a module takes time in proportion to its size: helpers in a chain of calls, kernels, both, and the instructions of a
# body, of which one among a million costs at most 1.3 times of what one among 10,000 does. Counted are the processor's
# instructions, which no other program changes; not what it waits for memory that is used for the first time.
. "$(dirname "$0")/../test.sh"
thorough || { skip spirv_linear "takes half a minute: THOROUGH=1"; report; exit; }
command -v valgrind >/dev/null 2>&1 || { skip spirv_linear "no valgrind"; report; exit; }
[ -z "${SANITIZE:-}" ] || { skip spirv_linear "not under sanitizers"; report; exit; }
"$CC" -std=c11 -O2 -DXETILE_OPTIMIZE -I. tests/spirv/spirv_linear.c -o "$work/linear" || { fail spirv_linear "does not compile"; report; exit; }

cost() { # cost ARGUMENT...: instructions of the processor
    valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$work/linear" "$@" 2>&1 |
        sed -n 's/.*I *refs: *//p' | tr -d ,
}
linear() { # linear FACTOR SMALL... / LARGE...: the large one costs at most 1.3 FACTOR of the small one, without what an empty module costs
    factor=$1 small=
    shift
    while [ "$1" != / ]; do small="$small $1"; shift; done
    shift
    few=$(cost $small) many=$(cost "$@")
    check "$*: $((many - empty)) instructions,$small: $((few - empty))" test "$empty" -gt 0 -a $((10 * (many - empty))) -le $((13 * factor * (few - empty)))
}
empty=$(cost calls 0 0)
linear 8 calls 1000 1 / calls 8000 1
linear 8 calls 0 2000 / calls 0 16000
linear 8 calls 250 250 / calls 2000 2000
linear 100 body 10000 / body 1000000
report
