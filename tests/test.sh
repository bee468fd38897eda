# test.sh - shared by the tests written in shell, as test.h is for C: `. "$(dirname "$0")/test.sh"`.
# A test is a command that must succeed (check) or must fail with a given message (check_refused).
passed=0 failed=0 skipped=0
BUILD=${BUILD:-build}
CC=${CC:-cc}
export XETILE_SOFT="${XETILE_SOFT:-$(cd "$BUILD" && pwd)/libze_soft.so}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

pass() { passed=$((passed + 1)); }
fail() { # fail NAME OUTPUT
    failed=$((failed + 1))
    echo "FAILED $1"
    printf '%s\n' "$2" | sed 's/^/    /'
}
skip() { # skip NAME REASON
    skipped=$((skipped + 1))
    echo "skipped $1: $2"
}
report() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" = 0 ]
}

# Rows of the table of targets for which modules differ; all others are like one of these.
targets="pvc bmg lnl ptl dg2 mtl generic soft"
[ "${THOROUGH:-0}" = 0 ] || targets="$targets arl-h wcl nvl nvl-p cri"

# Tests of many combinations run a sample of them; THOROUGH=1 runs all.
thorough() { [ "${THOROUGH:-0}" != 0 ]; }

check() { # check NAME COMMAND...
    what=$1
    shift
    if output=$("$@" 2>&1); then pass; else fail "$what (exit code $?): $*" "$output"; fi
}

# The command must fail with exit code 1, without a crash, and print PART.
check_refused() { # check_refused NAME PART COMMAND...
    what=$1 part=$2
    shift 2
    output=$("$@" 2>&1)
    code=$?
    case $code:$output in
    1:*"$part"*) pass ;;
    *) fail "$what: exit code $code, wanted 1 and \"$part\": $*" "$output" ;;
    esac
}

# The command must succeed and print PART.
check_says() { # check_says NAME PART COMMAND...
    what=$1 part=$2
    shift 2
    output=$("$@" 2>&1)
    code=$?
    case $code:$output in
    0:*"$part"*) pass ;;
    *) fail "$what: exit code $code, wanted 0 and \"$part\": $*" "$output" ;;
    esac
}

# Options common to all examples: help, the list of devices, and refusals.
check_options() { # check_options EXAMPLE
    example=$1 program="$BUILD/$1"
    check_says "$example --help" "--target NAME" "$program" --help
    check_says "$example --list" "software device" "$program" --list
    check_refused "$example, unknown option" "--nonsense" "$program" --nonsense 1
    check_refused "$example, no value" "--emit" "$program" --emit
    check_refused "$example, unknown target" "target" "$program" --emit "$work/x.spv" --target nosuch
    check_refused "$example, unknown device" "nosuch" "$program" --device nosuch
    check_refused "$example, device 99" "99" "$program" --device 99
    check_refused "$example, no such folder" "cannot write" "$program" --emit "$work/none/x.spv"
    check_refused "$example, standard output is full" "standard output: cannot write it" sh -c "'$program' --help > /dev/full"
    check_refused "$example, --target alone" "--emit" "$program" --target bmg
}
