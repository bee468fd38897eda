#!/bin/sh
# The test runner: a program that is missing, crashes, prints no counts or wrong ones is a failure.
. "$(dirname "$0")/../test.sh"
mkdir -p "$work/tests/xetile" "$work/build"
cp tests/run.sh tests/spirv_val.sh tests/test.sh "$work/tests/"
printf 'test_%s\n' skips gone good > "$work/tests/slow.txt"

program() { # program NAME BODY
    printf '#!/bin/sh\n%s\n' "$2" > "$work/build/test_$1"
    chmod +x "$work/build/test_$1"
}
program good 'printf "\003\002\043\007" > "$XETILE_SPV_DIR/x.spv"; echo 3 passed, 0 failed'
program plain 'echo 2 passed, 0 failed'
program bad 'echo x.c:1: no; echo 1 passed, 1 failed, 2 skipped; exit 1'
program crash 'kill -SEGV $$'
program silent 'true'
program lie 'echo 5 passed, 0 failed; exit 3'
program skips 'echo skipped a: no gpu; echo 0 passed, 0 failed, 4 skipped'
program litters 'echo > 0.c; echo 1 passed, 0 failed'
program slow '(sleep 14; echo late > "$XETILE_SPV_DIR/../../late") & sleep 20; echo 1 passed, 0 failed'

summary() { # summary WANTED PROGRAM...: the last line, with the matching exit code
    wanted=$1
    shift
    said=$(cd "$work" && BUILT=yes BUILD=build SPIRV_VAL=true TEST_SECONDS=1 sh tests/run.sh "$@" 2>&1)
    code=$?
    echo "$said"
    [ "$(echo "$said" | tail -n 1)" = "$wanted" ] || return 1
    case $wanted in *" 0 failed"*) [ $code = 0 ] ;; *) [ $code = 1 ] ;; esac
}
# One more test passes or fails in each: spirv-val (here: true) on the saved modules.
check "good" summary "4 passed, 0 failed, 0 skipped" test_good
check_says "counts by area" "project                      4 passed    1 failed    2 skipped" \
    sh -c "cd '$work' && BUILD=build SPIRV_VAL=true sh tests/run.sh test_good test_bad | cat"
check_says "a script of a folder, in the area of that folder" "xetile.h                     7 passed    0 failed    0 skipped" \
    sh -c "cd '$work' && echo 'echo 7 passed, 0 failed' > tests/xetile/test_seven.sh && BUILD=build SPIRV_VAL=true sh tests/run.sh test_seven.sh | cat"
check "of a few tests none need save a module" summary "2 passed, 0 failed, 1 skipped" test_plain
check "no module is a failure" sh -c "cd '$work' && SPIRV_VAL=true sh tests/spirv_val.sh /nowhere | grep -q '0 passed, 1 failed'"
check "bad" summary "5 passed, 1 failed, 2 skipped" test_good test_bad
check "crash" summary "4 passed, 1 failed, 0 skipped" test_good test_crash
check "silent" summary "4 passed, 1 failed, 0 skipped" test_good test_silent
check "missing" summary "4 passed, 1 failed, 0 skipped" test_good test_none
check "missing script" summary "4 passed, 1 failed, 0 skipped" test_good test_none.sh
check "lie" summary "9 passed, 1 failed, 0 skipped" test_good test_lie
check "skips" summary "4 passed, 0 failed, 4 skipped" test_good test_skips
check "slow ones first, each once" [ "$(cd "$work" && JOBS=1 BUILD=build SPIRV_VAL=true sh tests/run.sh test_bad test_good test_lie test_skips 2>&1 |
    sed -n 's/^test_\([a-z]*\) .*/\1/p' | tr '\n' ' ')" = "skips good bad lie " ]
for name in $(cat tests/slow.txt); do
    source=$(ls tests/*/"$name" tests/*/"$name".c soft/tests/"$name".c 2>/dev/null)
    check "$name of tests/slow.txt is a test" test -n "$source"
done
check "a file is left behind" summary "5 passed, 1 failed, 0 skipped" test_good test_litters
check_says "it is named" "1 failed: 0.c" sh -c "cd '$work' && rm 0.c && BUILD=build SPIRV_VAL=true sh tests/run.sh test_good test_litters | cat"
rm -f "$work/0.c"
check "what does not build" env BUILT=no sh -c "cd '$work' && BUILD=build SPIRV_VAL=true sh tests/run.sh test_good | grep -qx '4 passed, 1 failed, 0 skipped'"
# Two tests, then spirv-val: 2 left, 1 left, 0 left.
said_left() { cd "$work" && JOBS=1 BUILD=build SPIRV_VAL=true sh tests/run.sh test_good test_skips; }
check "each line says how many are left" [ "$(said_left | sed -n 's/.* s; \([0-9]*\) left$/\1/p' | tr '\n' ' ')" = "2 1 0 " ]
program waits 'sleep 2; echo 1 passed, 0 failed'
check_says "the slowest first" "slowest: test_waits " \
    sh -c "cd '$work' && BUILD=build SPIRV_VAL=true sh tests/run.sh test_good test_waits | cat"
if env --default-signal=INT true 2>/dev/null && grep -q '^SigIgn:.*[0189]$' /proc/self/status; then
    program signals 'grep -q "^SigIgn:.*[0189]$" /proc/self/status && echo 1 passed, 0 failed'
    check "SIGINT and SIGQUIT do what they did outside" summary "5 passed, 0 failed, 0 skipped" test_good test_signals
fi
if command -v setsid >/dev/null 2>&1; then
    check "slow" summary "4 passed, 1 failed, 0 skipped" test_good test_slow
    check "what a slow one has started is ended, too" sh -c "! grep -qs . '$work/late'"
fi
report
