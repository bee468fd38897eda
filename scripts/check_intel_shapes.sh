#!/bin/sh
# check_intel_shapes.sh [NAME] - compiles products of many shapes, types and forms (tests/intel/intel_shapes.c) for Intel
# GPUs with Intel's compiler and no GPU, and prints a line for each:
#     shape <name> <device> <aligned|any> loop_dpas=<n> instructions=<per dpas> messages=<per dpas> spill=<bytes> needed=<per dpas>
# ("decode" as NAME: only the products of a decoder's step, "plain": only those of devices without a matrix instruction, see
# below; "table": the figures of all devices in $PLAIN_DEVICES and $LATE_DEVICES as docs/intel-devices.md has them)
# for the loop with the fewest instructions per dpas, or that the module has no dpas. needed: how many of the instructions
# the hardware leaves no way around, where that is known. Fails if the compiler refuses a module, or if one takes more
# instructions per dpas, or spills more, than stated below; without a compiler it prints a message and succeeds.
set -u
CC=${CC:-cc}
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/scripts/intel_compiler.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0

# The most instructions per dpas (2 with aligned pitches, 12 at any pitch) and bytes of spill (0), unless
# listed here: for bmg, for pvc, and spill and needed for both (needed: bmg/pvc, if they differ). docs/fast-kernels.md says why.
most_of() { # most_of NAME DEVICE aligned|any
    awk -v name="$1" -v device="$2" -v which="$3" '
        BEGIN { pitch = "aligned"; most = which == "aligned" ? 2 : 12; spill = 0 }
        $1 == "any" { pitch = $1 }
        $1 == name && pitch == which { most = device == "pvc" ? $3 : $2; split($4, of, "=")
                                       if (of[1] == "spill") spill = of[2]
                                       if (of[1] == "needed") needed = of[2] }
        END { if (split(needed, of, "/") > 1) needed = of[1 + (device == "pvc")]
              print most, spill, needed }' <<'EOF'
u8_128x128x32    2 2.2
f16_b_by_columns 2 2.3
i8_b_by_columns  2.1 2.4
f16_b_transposed     2 2.6
f16_b_transposed_deferred 2 2.6
f16_b_transposed_sg  2 2.6
f16_a_by_columns 3.6 4.1   needed=2 two moves for each dword of a transposing load, which has two rows
f16_a_transposed     3.6 4.1   needed=2 the same
f16_a_transposed_sg  3.7 4.4   needed=2 the same
f32_truncated    12 12.3   needed=10 8 conversions, 2 moves to pair rows of B
bf16_scaled      10.3 10.6 needed=8 a product and a rounding for 16 elements
f16_sg_8x16x16   4.4 5   needed=1/3 a load for each dpas; pvc: a copy and a sum for the header of each
f16_sg_16x32x16  2 2.2
f16_local        4.1 5.2   needed=2 the kernel's two barriers, stores by the first subgroup of each that share a piece, loads
f16_90x76x90     15 17     spill=36000 more sums than registers
any
u8_128x128x32    13.6 18.8 needed=5 as below, for a 16th of the operands; products of K = 32, two at a time
bf16_scaled      18.7 23.5 spill=64 pvc, a number used after the loop; needed=11: 8 as above, 3 as below for a 16th of the operands
f32_truncated    8.3 11.8  needed=3 a conversion of each f32, and joining two, for a 16th of the operands
f16_local        12 14.5   needed=4.5 1.5 for the kernel's barriers and loads, 3 as below for a 16th of the operands
f16_b_transposed_sg  21.5 32   needed=9 from here on, one subgroup copies all operands: it shifts each dword of two
f16_a_transposed_sg  18.2 21.6 needed=9 messages and joins them, 3 instructions for 32 elements of 16 bits
f16_sg_8x16x16   181 183   needed=36 element by element: an address, a load and a mask for each row, and the address's halves
f16_sg_16x32x16  56 61     needed=18
f16_sg_32x32x32  27.5 37   needed=12
f16_sg_32x64x32  20.3 27   needed=9
f16_sg_32x64x64  20.4 27   needed=9
f16_sg_32x64x128 20.4 27   needed=9
f16_sg_32x64x256 20.4 27   needed=9
i8_sg_32x64x64   34 38     needed=17 of 8 bits, 4 more where four lines share a dword
i8_sg_32x64x256  34 36.5   needed=17 the same
f16_narrow_n     27 37     needed=10.5
f16_odd_n        27.2 36.5 needed=11.6
f16_90x76x90     62 72     spill=57500 more sums than registers
EOF
}

# Is the first number at most the second?
at_most() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b) }'; }

# A listing's figures per dpas.
loop_of() { # loop_of LISTING aligned|any
    figures_of_listing "$1" | awk -v which="$2" '{ if (which == "any") sub("^any_", "loop_"); figure[$1] = $2 }
        END { dpas = figure["loop_dpas"]
              printf "loop_dpas=%d", dpas
              if (dpas) printf " instructions=%.2f messages=%.2f", figure["loop_instructions"] / dpas, figure["loop_memory"] / dpas
              printf " spill=%d\n", figure["spill_bytes"] }'
}

# Prints the line of a module, and compares it with the limits.
one_line() { # one_line NAME DEVICE aligned|any LISTING
    said=$(loop_of "$4" "$3")
    each=$(echo "$said" | sed -n 's/.* instructions=\([^ ]*\) .*/\1/p')
    most_of "$1" "$2" "$3" > "$work/limits"
    read -r most spill needed < "$work/limits"
    echo "shape $1 $2 $3 $said${needed:+ needed=$needed}"
    at_most "${each:-0}" "$most" && [ "${said##*spill=}" -le "$spill" ] ||
        { echo "FAILED shape $1 $2 $3: wanted instructions<=$most spill<=$spill"; status=1; }
}

one_device() { # one_device DEVICE TARGET [NAME]
    mkdir -p "$work/$1"
    "$work/intel_shapes" "$work/$1" "$2" ${3:+"$3"} > "$work/list" ||
        { echo "FAILED shapes $1: not all modules were written"; status=1; }
    while read -r name pitch file flags; do
        if [ "$compiler" = ocloc ]; then listing=$(listing_by_ocloc "$1" "$file" "$flags")
        else listing=$(listing_by_offline "$1" "$file" "$flags" 2> "$work/said"); fi
        if [ -n "$listing" ]; then
            one_line "$name" "$1" "$pitch" "$listing"
        else
            status=1
            echo "FAILED shape $name $1 $pitch: refused"
        fi
    done < "$work/list"
}

# The products of a decoder's step: the instructions of their loop, which must not be more than 1.3 times those that move the
# same weights by block messages alone, to registers and back to memory (fetch_: into the caches, which is half of that), and
# which must have no other messages.
decode() { # decode DEVICE
    mkdir -p "$work/$1"
    "$work/intel_decode" "$work/$1" "$1" > "$work/list" || { echo "FAILED decode $1: not all modules were written"; status=1; }
    while read -r name file moved flags; do
        if [ "$compiler" = ocloc ]; then listing=$(listing_by_ocloc "$1" "$file" "$flags")
        else listing=$(listing_by_offline "$1" "$file" "$flags" 2> "$work/said"); fi
        [ -n "$listing" ] || { echo "FAILED $name $1: refused"; status=1; continue; }
        messages_of_listing "$listing" | sed -n 's/^loop //p' > "$work/$name.loop"
        read -r instructions blocks others < "$work/$name.loop"
        echo "decode $name $1 instructions=$instructions blocks=$blocks others=$others"
        if [ "$name" = attend ]; then # a step of attention over the cache: dpas, exponentials and block messages
            [ "$others" = 0 ] && at_most "$instructions" "$([ "$1" = pvc ] && echo 375 || echo 340)" ||
                { echo "FAILED $name $1: wanted no other messages, and at most 340 instructions (pvc: 375)"; status=1; }
        fi
        [ "$moved" != - ] || continue
        [ "$others" = 0 ] && at_most "$instructions" "$(awk '{ print 1.3 * $1 }' "$work/$moved.loop")" ||
            { echo "FAILED $name $1: wanted no other messages, and 1.3 times $(cat "$work/$moved.loop")"; status=1; }
    done < "$work/list"
}

# A listing of a module.
listing_of() { # listing_of DEVICE FILE FLAGS
    if [ "$compiler" = ocloc ]; then listing_by_ocloc "$@"; else listing_by_offline "$@" 2> "$work/said"; fi
}

# Devices without a matrix instruction: products with the tiles that xt_tiles_for proposes (tests/intel/intel_plain.c), whose
# loops must not have more instructions for each multiply-add or dp4a than stated here where all tiles are inside, and which
# must not spill, checked ones neither. ONLY: of those whose DEVICE/NAME/FORM has it. Prints `plain NAME DEVICE FORM products=... instructions=<per product> messages=... spill=...`
plain() { # plain DEVICE [ONLY]
    mkdir -p "$work/$1"
    "$work/intel_plain" "$work/$1" "$1" > "$work/list" || { echo "FAILED plain $1: not all modules were written"; status=1; }
    while read -r name form file flags; do
        echo "$1/$name/$form" | grep -qE "${2:-.}" || continue
        listing=$(listing_of "$1" "$file" "$flags")
        [ -n "$listing" ] || { echo "FAILED plain $name $1 $form: refused"; status=1; continue; }
        products_of_listing "$listing" > "$work/figures"
        read -r products instructions messages spill < "$work/figures"
        each=$(awk -v n="$instructions" -v p="$products" 'BEGIN { printf "%.2f", p ? n / p : 0 }')
        case $1/$name/$form in
            */checked) most=1000 ;;
            tgl/i8/*) most=1.5 ;; # of 32 x 16: a move for 8 dp4a joins rows of B, and each line costs an address and a message
            */i8/*) most=1.3 ;;
            */f32/*) most=1.5 ;;
            *) most=2.2 ;;
        esac
        echo "plain $name $1 $form products=$products instructions=$each messages=$messages spill=$spill"
        [ "$products" -gt 0 ] && [ "$spill" = 0 ] && at_most "$each" "$most" ||
            { echo "FAILED plain $name $1 $form: wanted products, instructions<=$most and spill=0"; status=1; }
    done < "$work/list"
}

# The loop of gemm for devices that take bmg's instructions: `late gemm DEVICE TYPE products=... ...`
late() { # late DEVICE
    for type in f16 bf16 i8; do
        emitted=$("$BUILD/gemm" --emit "$work/gemm.spv" --target "$1" --type $type) || { echo "$emitted"; status=1; continue; }
        listing=$(listing_of "$1" "$work/gemm.spv" "$(printf '%s\n' "$emitted" | sed -n 's/^flags  *//p')")
        [ -n "$listing" ] || { echo "FAILED late gemm $1 $type: refused"; status=1; continue; }
        figures_of_listing "$listing" > "$work/figures"
        awk -v of="$1 $type" '{ f[$1] = $2 } END { n = f["loop_dpas"]; if (!n) n = 1
            printf "late gemm %s products=%d instructions=%.2f messages=%d spill=%d\n", of, f["loop_dpas"],
                   f["loop_instructions"] / n, f["loop_memory"], f["spill_bytes"] }' "$work/figures" | tee "$work/line"
        grep -q "products=[1-9].* instructions=\(1\|2\)\..* spill=0$" "$work/line" ||
            { echo "FAILED late gemm $1 $type: wanted dpas, fewer than 3 instructions each, and spill=0"; status=1; }
    done
}

# What `plain` and `late` print as a table of Markdown.
table() {
    echo "| device | product | tiles | products in the loop | instructions for each | messages | spilled bytes |"
    echo "| --- | --- | --- | --- | --- | --- | --- |"
    sed -n -e 's/^plain \([^ ]*\) \([^ ]*\) \([^ ]*\) /\2 \1 \3 /p' -e 's/^late gemm \([^ ]*\) \([^ ]*\) /\1 \2 gemm /p' |
        sed -e 's/[a-z]*=//g' -e 's/ / | /g' -e 's/^/| /' -e 's/$/ |/'
}

PLAIN_DEVICES=${PLAIN_DEVICES-tgl mtl-h arl-h} LATE_DEVICES=${LATE_DEVICES-wcl nvl-s nvl-p cri} BUILD=${BUILD:-build}
find_compiler || { echo "skipped check-intel-shapes: neither \$XE_OFFLINE nor ocloc is here (Debian: intel-ocloc)"; exit 0; }
for program in intel_plain intel_shapes intel_decode; do
    case ${1:-} in plain | table) [ $program = intel_plain ] || continue ;; esac
    $CC -std=c11 -O0 -w -I"$here" -o "$work/$program" "$here/tests/intel/$program.c" -lm || exit 1
done
case ${1:-} in
plain)
    for device in $PLAIN_DEVICES; do plain "$device" "${2:-}"; done
    exit $status ;;
table)
    for device in $PLAIN_DEVICES; do plain "$device"; done > "$work/plain"
    for device in $LATE_DEVICES; do late "$device"; done > "$work/late"
    grep -h FAILED "$work/plain" "$work/late" >&2
    cat "$work/plain" "$work/late" | table
    exit $status ;;
esac
[ $# -gt 0 ] || for device in $PLAIN_DEVICES; do plain "$device"; done
[ $# -gt 0 ] || for device in $LATE_DEVICES; do late "$device"; done
for device in ${DEVICES:-bmg pvc}; do
    [ "${1:-}" = decode ] || one_device "$device" "${device%-m}" "${1:-}"
    [ "${1:-decode}" != decode ] || decode "${device%-m}"
done
exit $status
