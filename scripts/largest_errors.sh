#!/bin/sh
# largest_errors.sh run FOLDER - runs the examples in FOLDER (build, or build/vulkan; whatever of them is there) on the device that
# they find, and prints `PROGRAM<tab>ERROR` for each: the largest error of an element as a part of what the program allows there
# (1 is the bound), `FAILED`, `refused` where the device cannot run it, or `over N s`. Nothing is built, so FOLDER can be copied to another machine.
# largest_errors.sh table NAME=FILE... - one table in Markdown from such outputs, a column each.
#
#     XETILE_SOFT=build/libze_soft.so scripts/largest_errors.sh run build > soft      # XETILE_SOFT_ISA=bmg: as machine code
#     scripts/largest_errors.sh run build/vulkan > lavapipe
#     scripts/largest_errors.sh table "software device"=soft lavapipe=lavapipe
#
# JOBS (1) programs at a time, SECONDS_EACH (300) for each; ONLY: programs that match this pattern (grep -E).
set -u

programs() {
    cat <<'END'
gemm --type f16 --m 300 --n 170 --k 195
gemm --type bf16 --m 300 --n 170 --k 195
gemm --type i8 --m 300 --n 170 --k 195
gemm_slm --m 200 --n 177 --k 155
gemm_l2 --m 200 --n 177 --k 155
gemm_epilogue --form gelu
gemm_epilogue --form i8
gemm_transpose --form 2.2
gemm_transpose --form 2.3
gemm_variants
mx_gemm --type e4m3
mx_gemm --type e5m2
mx_gemm --type e2m1
quantized_linear --bits 4
quantized_linear --bits 8
batched_gemm --count 1000
tall_gemm --m 10003
softmax --form rows
softmax --form columns
softmax --form layer_norm
gather
kmeans --points 3000
image_filter
flash_attention --length 100 --heads 2
mlp_inference --items 2048
decoder --weights f16 --tokens 3
decoder --weights int8 --tokens 3
decoder --weights int4 --tokens 3
END
}

# Programs say either `error    at most X of what is allowed`, the parts of a bound as `error    A of at most B`, or both in words.
largest() {
    awk '
    /^error .*at most .* of what is allowed/ { x = $4 + 0; said = 1 }
    /^error .* of at most / { split($0, part, "of at most "); b = part[2] + 0; x = b > 0 ? $2 / b : $2 + 0; said = 1 }
    /^error .*of a logit .* allowed / { split($0, part, "allowed "); x = $5 / (part[2] + 0); said = 1 }
    /largest difference .* of its bound/ { split($0, part, "largest difference "); x = part[2] + 0; said = 1 }
    said && x > most { most = x }
    END { if (said) printf "%.2g\n", most; else print "no error line" }' "$1"
}

one() { # one FOLDER PROGRAM ARGUMENTS...
    log=$(mktemp) folder=$1 name="$2${3:+ $3 $4}"
    shift
    case $name in *--m\ * | *--length* | *--items* | *--points* | *--count*) name=${1} ;; esac
    [ -x "$folder/$1" ] || { rm -f "$log"; exit 0; }
    program=$folder/$1
    shift
    timeout "${SECONDS_EACH:-300}" "$program" "$@" > "$log" 2>&1
    code=$?
    if [ $code = 0 ]; then said=$(largest "$log")
    elif [ $code = 124 ]; then said="over ${SECONDS_EACH:-300} s"
    elif grep -q "elements are wrong\|sums are wrong\|wrong" "$log"; then said=FAILED
    else said=refused
    fi
    [ $code = 0 ] || sed "s/^/$name: /" "$log" | tail -n 2 >&2
    printf '%s\t%s\n' "$name" "$said"
    rm -f "$log"
}

table() { # table NAME=FILE...
    for column; do printf '%s\t' "${column%%=*}"; done | awk -F'\t' '{
        printf "| example |"; for (i = 1; i < NF; i++) printf " %s |", $i
        printf "\n| --- |"; for (i = 1; i < NF; i++) printf " --- |"; print "" }'
    for column; do
        awk -v column="${column%%=*}" '{ print column "\t" $0 }' "${column#*=}"
    done | awk -F'\t' -v programs="$(programs)" '
        { if (!($1 in number)) number[$1] = ++columns; value[$2, number[$1]] = $3; seen[$2] = 1 }
        END {
            n = split(programs, line, "\n")
            for (i = 1; i <= n; i++) {
                split(line[i], word, " ")
                name = word[2] ~ /^--(type|form|bits|weights)$/ ? word[1] " " word[2] " " word[3] : word[1]
                if (!seen[name]) continue
                printf "| %s |", name
                for (c = 1; c <= columns; c++) printf " %s |", value[name, c]
                print ""
            }
        }'
}

case ${1-} in
one) shift; one "$@" ;;
run) programs | grep -E "${ONLY:-.}" | xargs -P "${JOBS:-1}" -L 1 sh "$0" one "${2:?a folder}" ;;
table) shift; table "$@" ;;
*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
