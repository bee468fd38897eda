#!/bin/sh
# check_machine.sh [--short|--table] - executes Intel's machine code of the examples on the software device (XETILE_SOFT_ISA), at small
# sizes, with the examples' own verification, and of the headers' tests; prints
#     executed <program>:<case> <target> ok seconds=.. threads=.. instructions=.. float=.. integer=.. ... dpas=.. loaded=.. stored=..
# per program, case and target, and the sum. known bug: of Intel's compiler, see known_bug. FAILED: an element was wrong, or a
# hardware rule was violated. JOBS=16: so many at once.
# What was right is kept in $BUILD/check_machine, by program, arguments, target, library and compiler's version, and not executed
# again: a run that was ended goes on where it was, and one after a change executes what it changed. The compiler's output is
# kept there, too.
# --short: a few small launches only, nothing is kept. --table: executes nothing, but prints what is kept as a table in Markdown
# (docs/machine-code.md), of programs and targets. MACHINE_TARGETS, MACHINE_TESTS, MACHINE_EXAMPLES: which targets, tests and
# examples; "": none.
# The compiler is $XE_OFFLINE (`$XE_OFFLINE run ocloc ...`) or ocloc in PATH; without either it prints a message and succeeds.
set -u
BUILD=${BUILD:-build}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/intel_compiler.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
BUILD=$(cd "$BUILD" && pwd) || exit 1
find_compiler || { echo "skipped check-machine: neither \$XE_OFFLINE nor ocloc is here (Debian: intel-ocloc)"; exit 0; }
[ "$compiler" = ocloc ] || XETILE_SOFT_OCLOC=${XETILE_SOFT_OCLOC:-$here/ocloc_offline.sh}
export XE_OFFLINE="${XE_OFFLINE:-}" XETILE_SOFT_OCLOC="${XETILE_SOFT_OCLOC:-ocloc}" XETILE_SOFT_XE_REPORT=1 BUILD
kept=$BUILD/check_machine
[ "${1:-}" != --short ] || kept=$work/kept
mkdir -p "$kept" || exit 1
export XETILE_SOFT="${XETILE_SOFT:-$BUILD/libze_soft.so}" XETILE_SOFT_CACHE="${XETILE_SOFT_CACHE:-$kept/cache}"
built_with=$(compiler_version; sha256sum < "$XETILE_SOFT"; echo "${THOROUGH:-}")
export XETILE_SPV_DIR="$work"
table=
[ "${1:-}" != --table ] || table=yes
mkfifo "$work/slots" && exec 3<> "$work/slots" || exit 1 # a line for each run that may begin
for _ in $(seq "${JOBS:-1}"); do echo >&3; done
: > "$work/keys"
{ printf 'P6\n61 37\n255\n'; awk 'BEGIN { for (i = 0; i < 61 * 37 * 3; i++) printf "%c", 32 + i * 7 % 95 }'; } > "$work/picture.ppm"

# The sums of the counts of all kernels of a run.
counts() {
    awk '/^machine / { for (i = 4; i <= NF; i++) { split($i, part, "="); sum[part[1]] += part[2] } }
         END { n = split("other float integer long math dpas send branch", class, " ")
               for (k = 1; k <= n; k++) all += sum[class[k]]
               printf "threads=%d instructions=%d", sum["threads"], all
               for (k = 2; k <= n; k++) printf " %s=%d", class[k], sum[class[k]]
               printf " loaded=%d stored=%d broken=%d\n", sum["loaded"], sum["stored"], sum["broken"] }' "$1"
}

# Bugs of Intel's compiler (docs/machine-code.md): the affected test cases, and the common beginning of all their complaints.
# tests/intel/test_intel_bugs.c has each bug alone; one that is fixed is executed and ok.
known_bug() { # known_bug PROGRAM:CASE: sets $bug, and $sign, which is in every complaint
    case ${1#test_intel_bugs:} in
    vectors_of_doubles*) bug="IGC reads every second register of f64 vectors that become f32 ones" sign=': element [0-9]* is ' ;;
    matrices_of_narrow_rows*|test_coopmatrix_targets:khr)
        bug="IGC makes 2D blocks of OpCooperativeMatrixLoadKHR on surfaces below 64 bytes; for dg2, it ends in an internal error"
        sign=': a 2D block message: a \(surface less than 64\|pitch\)\| refused a module of ' ;;
    products_of_bytes*) bug="IGC exchanges two factors in dp4a" sign=': sum [0-9]* is ' ;;
    one_element*) bug="IGC takes a vector for eight times one of its elements" sign=': difference [0-9]* is ' ;;
    halves_are_added_as*) bug="IGC adds halves between conversions as floats" sign=': element [0-9]* is ' ;;
    registers_are_spilled_far) bug="IGC spills registers beyond what offsets reach" sign=': element [0-9]* is ' ;;
    registers_are_spilled*) bug="IGC spills registers to memory of a private array" sign=': element [0-9]* is ' ;;
    one_dot_product*) bug="IGC takes a sum for the product that was added to it" sign=': sum [0-9]* is ' ;;
    names_of_files*) bug="IGC dies of a file's name with an id above 65,536" sign='refused a module' ;;
    ids_are_stored*) bug="IGC stores the first lane's id in all lanes" sign=': element [0-9]* is ' ;;
    longs_are_combined) bug="IGC reads combined 64-bit integers before it writes them" sign=': element [0-9]* is ' ;;
    longs_are_multiplied*) bug="IGC multiplies lanes 16 to 31 by another register's element" sign=': element [0-9]* is ' ;;
    blocks_are_moved*)
        bug="IGC copies 2D block messages into the sides of a branch"
        sign=': element [0-9]* is \|a 2D block store of registers' ;;
    halves_are_added_atomically|test_coopmatrix_memory:atomics) bug="IGC refuses f16 atomics" sign=' refused a module ' ;;
    *) return 1 ;;
    esac
}
# Whether the last run complained of $sign only: failed checks, violated rules, refusals.
only_known() {
    grep -hE '^[a-z/_]*\.[ch]:[0-9]+: |^libze_soft: ' "$out" "$out.err" > "$out.complaints"
    [ "$code" -le 1 ] && grep -q "$sign" "$out.complaints" && ! grep -qv "$sign" "$out.complaints" || return 1
    [ "$sign" != ' refused a module ' ] || grep -q SPV_EXT_shader_atomic_float16_add "$out"
}

# Under what this run is kept.
key_of() { # key_of PROGRAM ARGUMENTS...
    for word; do [ ! -x "$word" ] || program=$word; done # `env` may be in front of it
    { echo "$built_with $name $target $*" | sed "s|$work||g; s|$BUILD||g"; cat "$program"; } | sha256sum | cut -c 1-32
}

# Keeps the line that tells of a run, and what a test says of its cases.
keep() { # keep LINE FILE
    echo "$1"
    { echo "$1"; grep -E '^skipped |^[0-9]+ passed, ' "$out"; } > "$out.told"
    mv "$out.told" "$2"
}

execute() { # execute KEY PROGRAM ARGUMENTS...
    key=$1 out=$work/$1
    shift
    begun=$(date +%s)
    XETILE_SOFT_ISA=$target timeout 1800 "$@" > "$out" 2> "$out.err"
    code=$?
    line="seconds=$(($(date +%s) - begun)) $(counts "$out.err")"
    rm -f "$kept/$key.failed"
    if [ $code = 0 ] && [ "${line##*broken=}" = 0 ]; then
        keep "executed $name $target ok $line" "$kept/$key"
    elif known_bug "$name" && only_known; then
        keep "known bug $name $target: $bug; exit code $code, $line" "$kept/$key"
    else
        keep "FAILED executed $name $target: exit code $code, $line" "$kept/$key.failed"
        grep -hE 'FAILED|libze_soft|software device: |: ' "$out" "$out.err" | grep -v '^machine' | head -n 6
    fi
    rm -f "$out" "$out".*
    echo >&3
}

one() { # one NAME TARGET PROGRAM ARGUMENTS...
    name=$1 target=$2
    shift 2
    key=$(key_of "$@")
    if [ -n "$table" ]; then
        echo "$name|$target|"
        cat "$kept/$key" "$kept/$key.failed" 2> /dev/null | sed "s/^/$name|$target|/"
        return
    fi
    echo "$key" >> "$work/keys"
    if [ -e "$kept/$key" ]; then
        head -n 1 "$kept/$key"
    else
        read -r _ <&3
        if [ "${JOBS:-1}" = 1 ]; then execute "$key" "$@"; else execute "$key" "$@" & fi
    fi
}

# How many runs told what begins with this.
number() { sed "s|^|$kept/|" "$work/keys" | xargs head -qn 1 2> /dev/null | grep -c "^$1"; }

# Lines `NAME|TARGET|what is kept` as a table, and what was skipped. A cell: `ok` of an example; of a test, how many cases are
# right, are skipped, meet a known bug, failed, and were not executed.
in_columns() {
    awk -F '|' 'function plus(n, what, before) { return n ? before n what : "" }
        { sub(/:.*/, "", $1); at = $1 SUBSEP $2 }
        !($2 in column) { column[$2] = 1; target[++targets] = $2 }
        !($1 in row) { row[$1] = 1; name[++rows] = $1 }
        $3 == "" { missing[at]++ }
        $3 ~ /^(executed|known bug|FAILED)/ { missing[at]-- }
        $3 ~ /^executed/ { ran[at] = 1 }
        $3 ~ /^known bug/ { bugs[at]++ }
        $3 ~ /^FAILED/ { failed[at]++ }
        $3 ~ /^skipped/ { why = $1 ", " substr($3, 9)
                          if (!(why in who)) reason[++reasons] = why
                          who[why] = who[why] (who[why] ? ", " : "") $2 }
        $3 ~ /^[0-9]+ passed/ { split($3, n, /[^0-9]+/); passed[at] += n[1]; skipped[at] += n[3] }
        END { line = "| program |"; under = "| --- |"
              for (t = 1; t <= targets; t++) { line = line " " target[t] " |"; under = under " --- |" }
              print line "\n" under
              for (r = 1; r <= rows; r++) {
                  line = "| " name[r] " |"
                  for (t = 1; t <= targets; t++) {
                      at = name[r] SUBSEP target[t]
                      text = at in passed ? passed[at] : ran[at] ? "ok" : "0"
                      line = line " " text plus(skipped[at], " skipped", ", ") plus(bugs[at], " known bug", ", ") \
                             plus(failed[at], " FAILED", ", ") plus(missing[at], " not executed", ", ") " |" }
                  print line }
              if (reasons) print ""
              for (k = 1; k <= reasons; k++) print "- " reason[k] ": " who[reason[k]] }'
}

# Each case of a test program alone.
one_test() { # one_test TARGET NAME
    [ -x "$BUILD/$2" ] || { echo "FAILED executed $2 $1: it is not built"; echo none >> "$work/keys"; return; }
    cases=$(TEST_LIST=1 "$BUILD/$2" | sed '/ passed, /d')
    for case in $cases; do
        one "$2:$case" "$1" env TEST_EXCEPT="$(echo "$cases" | grep -vx "$case" | tr '\n' ' ')" "$BUILD/$2"
    done
}

examples() { # examples TARGET
    for type in f16 bf16 i8; do
        one "gemm_$type" "$1" "$BUILD/gemm" --type $type --m 256 --n 256 --k 64
        one "gemm_${type}_odd" "$1" "$BUILD/gemm" --type $type --m 100 --n 77 --k 55
    done
    one hello "$1" "$BUILD/hello"
    one gemm_slm "$1" "$BUILD/gemm_slm" --m 256 --n 256 --k 64
    one gemm_slm_odd "$1" "$BUILD/gemm_slm" --m 100 --n 90 --k 70
    one gemm_l2 "$1" "$BUILD/gemm_l2" --m 256 --n 256 --k 64
    one gemm_l2_odd "$1" "$BUILD/gemm_l2" --m 100 --n 70 --k 40
    one gemm_variants "$1" "$BUILD/gemm_variants" --m 128 --n 128 --k 64
    one gemm_variants_odd "$1" "$BUILD/gemm_variants" --m 67 --n 65 --k 37
    one gemm_epilogue "$1" "$BUILD/gemm_epilogue" --m 128 --n 128 --k 64
    one gemm_epilogue_odd "$1" "$BUILD/gemm_epilogue" --m 50 --n 45 --k 72
    one gemm_transpose "$1" "$BUILD/gemm_transpose" --m 256 --n 256 --k 64
    one gemm_transpose_odd "$1" "$BUILD/gemm_transpose" --m 70 --n 65 --k 50
    one gemm_devices "$1" "$BUILD/gemm_devices" --m 100 --n 70 --k 40
    for type in e4m3 e5m2 e2m1; do one "mx_gemm_$type" "$1" "$BUILD/mx_gemm" --type $type --m 70 --n 90 --k 96; done
    one gather "$1" "$BUILD/gather" --m 50 --n 77 --k 60
    one softmax "$1" "$BUILD/softmax" --m 50 --n 133
    one batched_gemm "$1" "$BUILD/batched_gemm" --count 100
    one tall_gemm "$1" "$BUILD/tall_gemm" --m 1003
    one flash_attention "$1" "$BUILD/flash_attention" --length 133 --heads 2
    one mlp_inference "$1" "$BUILD/mlp_inference" --items 1024
    one quantized_linear_4 "$1" "$BUILD/quantized_linear" --n 128 --k 96
    one quantized_linear_8_odd "$1" "$BUILD/quantized_linear" --bits 8 --batch 3 --n 100 --k 70
    for weights in f16 int8 int4; do one "decoder_$weights" "$1" "$BUILD/decoder" --weights $weights --prompt-length 9 --tokens 2; done
    one kmeans "$1" "$BUILD/kmeans" --points 1003 --clusters 7 --dimensions 3 --turns 3
    for border in clamp mirror black; do
        one "image_filter_$border" "$1" "$BUILD/image_filter" --radius 2 --border $border "$work/picture.ppm" "$work/blurred_$1_$border.ppm"
    done
    one neural_texture "$1" "$BUILD/neural_texture" --steps 2 --out "$work/texture_$1"
}

tests="test_xetile test_xetile_appendix test_xetile_atomics test_xetile_by_columns test_xetile_bytes test_xetile_compiler
    test_xetile_control test_xetile_conversions test_xetile_exp test_xetile_layout test_xetile_memory test_xetile_modules
    test_xetile_mx test_xetile_nan test_xetile_odd test_xetile_operations test_xetile_pitch test_xetile_plain
    test_xetile_prefetch test_xetile_random test_xetile_reduce test_xetile_shared test_xetile_texts test_xetile_top
    test_xetile_transposed test_xetile_unroll test_xetile_user test_xetile_vectors test_xetile_widths test_coopmatrix
    test_coopmatrix_change test_coopmatrix_functions test_coopmatrix_grid test_coopmatrix_memory test_coopmatrix_mx
    test_coopmatrix_ops test_coopmatrix_random test_coopmatrix_targets test_coopvec_accumulate test_coopvec_mul
    test_coopvec_random test_coopvec_shapes test_coopvec_vectors test_intel_bugs test_intel_halves"
targets=${MACHINE_TARGETS-bmg pvc dg2 dg1 lnl ptl tgl mtl arl-h wcl nvl nvl-p cri}

all() {
    for target in $targets; do
        [ -z "${MACHINE_EXAMPLES-yes}" ] || examples "$target"
        for test in ${MACHINE_TESTS-$tests}; do one_test "$target" "$test"; done
    done
}

if [ "${1:-}" = --short ]; then
    for target in bmg pvc; do
        one gemm_f16 $target "$BUILD/gemm" --m 64 --n 64 --k 64
        one gemm_i8_odd $target "$BUILD/gemm" --type i8 --m 33 --n 17 --k 40
        one softmax $target "$BUILD/softmax" --m 20 --n 33 --form rows
    done
    for target in lnl ptl; do one gemm_bf16 $target "$BUILD/gemm" --type bf16 --m 33 --n 40 --k 24; done
    one_test bmg test_intel_bugs
    one_test bmg test_xetile_compiler
    one_test bmg test_intel_halves
elif [ -n "$table" ]; then
    echo "$(date -u +%Y-%m-%d), $(git -C "$here" describe --always --dirty 2> /dev/null), ocloc $(compiler_version):"
    echo
    all | in_columns
    exit
else
    all
fi
wait
good=$(number executed) known=$(number known) all=$(wc -l < "$work/keys")
echo "executed in all: $good ok, $known meet known bugs of Intel's compiler, $((all - good - known)) failed"
[ $((good + known)) = "$all" ]
