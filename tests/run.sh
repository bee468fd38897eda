#!/bin/sh
# run.sh PROGRAM... - runs the tests by name ($BUILD/test_x, or tests/*/test_x.sh, with or without .sh), $JOBS at a time,
# then spirv-val on every module they saved, and sums the counts in one last line. A program that is missing, crashes, times out or does not end with its
# counts is a failure, and so is BUILT=no: a compilation failed. All output is kept in $BUILD/logs. Before the last line, the
# counts are listed by area. Tests write to $BUILD and to temporary folders: one that leaves a file in the project's folder is a
# failure too. Each line tells how many tests are left, and the ten slowest are listed at the end. A test may take $TEST_SECONDS
# (600) of wall-clock time, scaled with the number of programs per processor, so that tests do not fail because of a loaded
# machine.
# run.sh --one PROGRAM - used by the parallel runs: runs one test and leaves its counts in $BUILD/logs.
BUILD=${BUILD:-build}
BUILD=$(cd "$BUILD" && pwd) || exit 1
export BUILD
cd "$(dirname "$0")/.." || exit 1
export XETILE_SPV_DIR="$BUILD/spv"
export XETILE_SOFT_CACHE="${XETILE_SOFT_CACHE:-$BUILD/cache}" # so that a clean clone compiles every kernel
export XETILE_SOFT="${XETILE_SOFT:-$BUILD/libze_soft.so}"
export ZE_ENABLE_VALIDATION_LAYER="${ZE_ENABLE_VALIDATION_LAYER:-1}"
export ZE_ENABLE_PARAMETER_VALIDATION="${ZE_ENABLE_PARAMETER_VALIDATION:-1}"
limit=${TEST_SECONDS:-600}
counts='^[0-9][0-9]* passed, [0-9][0-9]* failed\(, [0-9][0-9]* skipped\)\{0,1\}$'

# The percentage of a processor available to each running program: of 2 processors and 5 programs, 40.
share() {
    read -r load _ 2>/dev/null < /proc/loadavg || load=0
    echo "$load" | awk -v processors="$(nproc 2>/dev/null || echo 1)" '{ print int($1 > processors ? 100 * processors / $1 : 100) }'
}

end_late() { # end_late GROUP: ends a group of processes when its time is over
    exec > /dev/null 2>&1
    left=$((limit * 100)) step=$((limit < 5 ? limit : 5))
    while [ "$left" -gt 0 ]; do
        sleep "$step"
        kill -0 "$1" || exit
        left=$((left - step * $(share)))
    done
    kill -TERM "-$1"
    sleep 10
    kill -KILL "-$1"
}

# Runs each test in its own session, so that it can be ended together with its child processes.
start() { # start LOG COMMAND...
    log=$1
    shift
    if ! command -v setsid >/dev/null 2>&1; then "$@" > "$log" 2>&1; return; fi
    usual= # background commands of a shell ignore these signals
    if env --default-signal=INT true 2>/dev/null; then usual="env --default-signal=INT,QUIT"; fi
    $usual setsid "$@" > "$log" 2>&1 &
    group=$!
    (end_late $group) > /dev/null 2>&1 &
    watcher=$!
    trap 'kill -TERM "-$group" $watcher 2>/dev/null; exit 130' INT TERM HUP
    wait $group
    code=$?
    kill $watcher 2>/dev/null
    return $code
}

# The number of remaining tests, in a parallel run.
print_left() {
    [ -f "$BUILD/logs/total" ] || return
    set -- "$BUILD"/logs/*.counts
    echo "; $(($(cat "$BUILD/logs/total") - $#)) left"
}

# Counts one more failure than the program did if it ended badly, so that the sum reports it.
judge() { # judge NAME EXIT_CODE SECONDS
    log="$BUILD/logs/$1.log"
    line=$(tail -n 1 "$log" | grep "$counts")
    # shellcheck disable=SC2046 # the numbers of the line, one a word
    set -- "$1" "$2" "$3" $(printf '%s\n' "${line:-0 passed, 0 failed}" | tr -c '0-9\n' ' ')
    name=$1 code=$2 seconds=$3 p=$4 f=$5 s=${6:-0}
    why=
    if [ -z "$line" ]; then why=" (no counts, exit code $code)"; f=$((f + 1))
    elif [ "$code" != 0 ] && [ "$f" = 0 ]; then why=" (exit code $code)"; f=1; fi
    echo "$p $f $s" > "$BUILD/logs/$name.counts"
    echo "$seconds $name" > "$BUILD/logs/$name.seconds"
    printf '%-24s %s passed, %s failed, %s skipped%s, %s s%s\n' "$name" "$p" "$f" "$s" "$why" "$seconds" "$(print_left)"
    if [ "$f" != 0 ]; then
        tail -n 60 "$log" | sed 's/^/    /'
    else
        grep '^skipped ' "$log" | head -n 20 | sed 's/^/    /'
    fi
}

run_test() { # run_test NAME COMMAND...
    name=$1
    shift
    before=$(date +%s)
    start "$BUILD/logs/$name.log" "$@"
    code=$?
    report=$(judge "$name" $code $(($(date +%s) - before)))
    printf '%s\n' "$report" # in one write, since other tests print too
}

folder_of() { # folder_of NAME: the folder of tests/ that holds its source
    for source in tests/*/"${1%.sh}".sh tests/*/"$1".c; do
        if [ -f "$source" ]; then basename "$(dirname "$source")"; return; fi
    done
    if [ -f "soft/tests/$1.c" ] || [ -f "soft/xe/tests/$1.c" ]; then echo soft; fi
}

# Tests of the headers spend more time compiling kernels than running them.
choose_tier() { # choose_tier NAME
    case $(folder_of "$1") in
    coopmatrix | coopvec | xetile) export XETILE_SOFT_TIER="${XETILE_SOFT_TIER:-quick}" ;;
    esac
}

run_named() { # run_named NAME
    choose_tier "$1"
    script="tests/$(folder_of "$1")/${1%.sh}.sh"
    if [ -f "$script" ]; then run_test "${1%.sh}" sh "$script"; else run_test "$1" "$BUILD/$1"; fi
}

area_of() { # area_of NAME: its folder's name in the last lines
    case $1:$(folder_of "$1") in
    spirv_val:*) echo "modules, by spirv-val" ;;
    *:spirv) echo "spirv_emit.h" ;;
    *:coopmatrix | *:coopvec | *:xetile) echo "$(folder_of "$1").h" ;;
    *:dispatch) echo "ze_dispatch.h" ;;
    *:opencl) echo "kernels from OpenCL C" ;;
    *:soft) echo "software device" ;;
    *:examples) echo "examples" ;;
    *:intel) echo "Intel's compiler" ;;
    *) echo "project" ;;
    esac
}

add_up() { # add_up NAME: a test without counts was lost
    counted=$(cat "$BUILD/logs/${1%.sh}.counts" 2>/dev/null)
    echo "$(area_of "${1%.sh}")|${counted:-0 1 0}" >> "$BUILD/logs/areas"
    # shellcheck disable=SC2086 # three numbers
    set -- ${counted:-0 1 0}
    passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

print_slowest() {
    cat "$BUILD"/logs/*.seconds 2>/dev/null | sort -rn | head -n 10 |
        awk '{ line = line (NR > 1 ? ", " : "") $2 " " $1 " s" } END { print "slowest: " line }'
}

print_areas() {
    awk -F'|' '
        { split($2, counts, " ")
          if (!($1 in passed)) order[++count] = $1
          passed[$1] += counts[1]; failed[$1] += counts[2]; skipped[$1] += counts[3] }
        END { for (i = 1; i <= count; i++) printf "%-24s %5d passed %4d failed %4d skipped\n", order[i], passed[order[i]], failed[order[i]], skipped[order[i]] }' "$BUILD/logs/areas" | sort
}

# Tests in tests/slow.txt first, starting with the slowest, so that no processor is idle while a long one ends.
longest_first() { # longest_first PROGRAM...
    { grep -xF "$(printf '%s\n' "$@")" tests/slow.txt; printf '%s\n' "$@"; } | awk '!seen[$0]++'
}

if [ "$1" = --one ]; then
    run_named "$2"
    exit 0
fi
rm -rf "$XETILE_SPV_DIR" "$BUILD/logs"
mkdir -p "$XETILE_SPV_DIR" "$BUILD/logs"
passed=0 failed=0 skipped=0
ls -A > "$BUILD/logs/before"

if [ "${BUILT:-yes}" = no ]; then
    echo "build                    1 failed: not everything was built, see above"
    failed=1
fi
[ $# -gt 0 ] || echo "run.sh: no tests named"
echo $(($# + 1)) > "$BUILD/logs/total" # and spirv-val
[ $# -eq 0 ] || longest_first "$@" | xargs -n 1 -P "${JOBS:-2}" sh tests/run.sh --one
run_test spirv_val sh tests/spirv_val.sh "$XETILE_SPV_DIR" $#
for name in "$@" spirv_val; do add_up "$name"; done
left=$(ls -A | grep -vxF -f "$BUILD/logs/before" | tr '\n' ' ')
if [ -n "$left" ]; then
    echo "left by a test           1 failed: $left"
    failed=$((failed + 1))
fi

print_slowest
print_areas
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
