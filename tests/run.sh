#!/bin/sh
# run.sh PROGRAM... - runs the tests by name ($BUILD/test_x, or tests/test_x.sh), then spirv-val over every module they
# saved, and sums the counts in one last line. A program that is missing, crashes, runs for too long or does not end
# in its counts is a failure, and so is BUILT=no: something did not compile. All output is kept in $BUILD/logs.
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
rm -rf "$XETILE_SPV_DIR" "$BUILD/logs"
mkdir -p "$XETILE_SPV_DIR" "$BUILD/logs"

passed=0 failed=0 skipped=0
counts='^[0-9][0-9]* passed, [0-9][0-9]* failed\(, [0-9][0-9]* skipped\)\{0,1\}$'

start() { # start NAME LOG COMMAND...
    log=$2
    shift 2
    if command -v timeout >/dev/null 2>&1; then timeout "$limit" "$@" > "$log" 2>&1; else "$@" > "$log" 2>&1; fi
}

# One more failure than the program counted when it ended badly, so that nothing is lost from the sum.
add_up() { # add_up NAME EXIT_CODE SECONDS
    log="$BUILD/logs/$1.log"
    line=$(tail -n 1 "$log" | grep "$counts")
    # shellcheck disable=SC2046 # the numbers of the line, one a word
    set -- "$1" "$2" "$3" $(printf '%s\n' "${line:-0 passed, 0 failed}" | tr -c '0-9\n' ' ')
    name=$1 code=$2 seconds=$3 p=$4 f=$5 s=${6:-0}
    why=
    if [ -z "$line" ]; then why=" (no counts, exit code $code)"; f=$((f + 1))
    elif [ "$code" != 0 ] && [ "$f" = 0 ]; then why=" (exit code $code)"; f=1; fi
    printf '%s passed, %s failed, %s skipped%s, %s s\n' "$p" "$f" "$s" "$why" "$seconds"
    if [ "$f" != 0 ]; then
        tail -n 60 "$log" | sed 's/^/    /'
    else
        grep '^skipped ' "$log" | head -n 20 | sed 's/^/    /'
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

run_test() { # run_test NAME COMMAND...
    name=$1
    shift
    printf '%-24s ' "$name"
    before=$(date +%s)
    start "$name" "$BUILD/logs/$name.log" "$@"
    code=$?
    add_up "$name" $code $(($(date +%s) - before))
}

if [ "${BUILT:-yes}" = no ]; then
    echo "build                    1 failed: not everything was built, see above"
    failed=1
fi
[ $# -gt 0 ] || echo "run.sh: no tests named"
for name in "$@"; do
    case $name in
    *.sh) run_test "${name%.sh}" sh "tests/$name" ;;
    *) run_test "$name" "$BUILD/$name" ;;
    esac
done
run_test spirv_val sh tests/spirv_val.sh "$XETILE_SPV_DIR"

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
