#!/bin/sh
# Accesses that block messages can make are made by them, in few instructions, whether or not a kernel has a product: reads what
# Intel's compiler makes of the kernels in intel_access.c, for bmg and pvc.
. "$(dirname "$0")/../test.sh"
. "$(dirname "$0")/../../scripts/intel_compiler.sh"
find_compiler || { skip "intel_access" "neither \$XE_OFFLINE nor ocloc is here"; report; exit; }
$CC -std=c11 -O1 -I. -o "$work/intel_access" tests/intel/intel_access.c -lm || exit 1

one() { # one NAME PART MOST_INSTRUCTIONS LEAST_BLOCKS MOST_OTHERS; the end of the program is a message too
    set -- "$@" "$(sed -n "s/^$1 //p" "$work/list")"
    # shellcheck disable=SC2086
    set -- "$1" "$2" "$3" "$4" "$5" $6
    file=$6 name=$1
    shift 6
    if [ "$compiler" = ocloc ]; then listing=$(listing_by_ocloc "$device" "$file" "$*"); else listing=$(listing_by_offline "$device" "$file" "$*"); fi
    [ -n "$listing" ] || { fail "$name, $device" "refused"; return; }
    messages_of_listing "$listing" > "$work/$name"
    echo "$name $device $(tr '\n' ' ' < "$work/$name")"
}

most() { # most NAME PART INSTRUCTIONS BLOCKS OTHERS
    one "$@"
    # shellcheck disable=SC2046
    set -- "$@" $(sed -n "s/^$2 //p" "$work/$1")
    if [ "${6:-1000000}" -le "$3" ] && [ "${7:-0}" -ge "$4" ] && [ "${8:-1000}" -le "$5" ]; then pass
    else fail "$1, $device" "$2: $6 instructions, $7 block messages, $8 others; wanted at most $3, at least $4, at most $5"; fi
}

# Loops of examples that have no product, or more than one: the version for aligned rows has as many loops with block messages
# and no others as there are limits, none with more instructions than its limit.
loops() { # loops EXAMPLE OPTION FORM LIMIT...
    example=$1 form=$3
    file=$work/$1_$3.spv
    flags=$("$BUILD/$1" --emit "$file" --target $device "$2" "$3" | sed -n 's/^flags  *//p')
    shift 3
    if [ "$compiler" = ocloc ]; then listing=$(listing_by_ocloc $device "$file" "$flags"); else listing=$(listing_by_offline $device "$file" "$flags"); fi
    [ -n "$listing" ] || { fail "$example $form, $device" "refused"; return; }
    said=$(loops_of_listing "$listing" | tr ' ' '\n' | grep ':[1-9][0-9]*:0$' | tr '\n' ' ')
    echo "$example $form $device $said"
    for loop in $said; do
        [ "${loop%%:*}" -le "${1:-0}" ] || { fail "$example $form, $device" "a loop of ${loop%%:*} instructions, at most ${1:-0} wanted"; return; }
        shift
    done
    [ $# = 0 ] && pass || fail "$example $form, $device" "$# loops fewer with block messages alone"
}

# One of an example's loops loads by block messages, beside at most OTHERS messages (of numbers).
blocks() { # blocks EXAMPLE INSTRUCTIONS BLOCKS OTHERS OPTIONS...
    example=$1 limits="$2 $3 $4" file=$work/$1.spv
    shift 4
    flags=$("$BUILD/$example" --emit "$file" --target $device "$@" | sed -n 's/^flags  *//p')
    if [ "$compiler" = ocloc ]; then listing=$(listing_by_ocloc $device "$file" "$flags"); else listing=$(listing_by_offline $device "$file" "$flags"); fi
    [ -n "$listing" ] || { fail "$example $*, $device" "refused"; return; }
    said=$(loops_of_listing "$listing")
    echo "$example $* $device $said"
    echo "$said" | tr ' :' '\n ' | awk -v limits="$limits" 'BEGIN { split(limits, most, " ") }
        $1 <= most[1] && $2 >= most[2] && $3 <= most[3] && NF { found = 1 } END { exit !found }' && pass ||
        fail "$example $*, $device" "no loop of at most, at least, at most $limits"
}

for device in bmg pvc; do
    $work/intel_access "$work" "$device" > "$work/list" || { fail "modules for $device" "$(cat "$work/list")"; continue; }
    extra=0
    [ $device = bmg ] || extra=25 # a message takes more moves there
    most copy all $((40 + extra)) 3 1
    most rows loop 100 8 0
    most rows_auto loop 100 8 0
    most bytes16 all $((180 + extra)) 3 1
    most bytes32 all $((320 + extra)) 4 1
    most known_rows all 140 10 3
    most rows_in_memory all 150 10 4
    most rows_in_memory_auto all 100000 10 1000
    most packed1 loop 300 3 0 # 1,024 weights
    most packed16 loop 300 3 0
    most shifted all $((300 + extra)) 9 1 # an instruction for three bytes, and nine messages
    if [ $device = bmg ]; then loops softmax --form rows 60 205 215; else loops softmax --form layer_norm 30 70 105; fi
    if thorough; then
        if [ $device = bmg ]; then loops softmax --form layer_norm 27 65 85; else loops softmax --form rows 66 210 226; fi
        loops softmax --form columns $((88 + extra / 8)) 240 220
        # the product's, the prefetch of its centres, and that of the sums of 16 points; the last: 183 on bmg before all moves were one
        loops kmeans --tile 128x16,16x16,16 35 12 $((200 + extra * 8 / 5))
        # an iteration of 8 neighbours: 384 multiply-adds of three channels of 16 pixels, and 128 of 16 floats
        blocks image_filter $((710 + extra / 2)) 3 3 --pass rows --radius 32
        blocks image_filter $((175 + extra / 2)) 3 3 --pass columns --radius 32
    fi
    most exponential all $((105 + extra)) 2 1 # nine a vector
done
report
