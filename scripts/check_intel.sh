#!/bin/sh
# check_intel.sh [--short] - compiles the examples' modules for Intel GPUs, with Intel's compiler and no GPU, and prints
#     isa <example> <device> loop_dpas=<n> loop_instructions=<n> loop_memory=<n> any_pitch=<instructions> spill=<bytes>
#     bound <example> <device> <limiting pipe> <at most of the peak>% <cycles per pipe>    (machine_bound.awk)
# for the loop with the fewest instructions per dpas; loop_memory: its memory messages; any_pitch: the same loop's instructions in the version for
# rows at any pitch. Fails if a module is refused or spills, if the GEMM's 32 x 64 subgroup tile is not 32 dpas per step, or if
# a loop has more instructions or messages than stated below.
# --short: the f16 GEMM for every device, each other module for one device only.
# The compiler is $XE_OFFLINE (`$XE_OFFLINE isa DEVICE FILE OPTIONS` prints a line `listing PATH` with the path of the
# assembly) or ocloc in PATH; without either it prints a message and succeeds.
set -u
BUILD=${BUILD:-build}
scripts=$(dirname "$0")
. "$scripts/intel_compiler.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0

figures() {
    if [ "$compiler" = ocloc ]; then listing=$(listing_by_ocloc "$@"); else listing=$(listing_by_offline "$@"); fi
    [ -n "$listing" ] && figures_of_listing "$listing" && echo "bound $(awk -v device="$1" -f "$scripts/machine_bound.awk" "$listing")"
}

value() { printf '%s\n' "$said" | sed -n "s/^$1 \([0-9]*\)$/\1/p" | tail -n 1; }

# With --short, the modules after the GEMM are distributed: module `number` of a device's list to one of its `sharers` only.
short=${1:-} number=0 sharers=1
its_turn() { # its_turn DEVICE
    case $1 in pvc) index=0 ;; bmg) index=1 ;; lnl-m) index=2 ;; *) index=3 ;; esac
    number=$((number + 1))
    [ "$short" != --short ] || [ $((number % sharers)) = $((index % sharers)) ]
}

one() { # one EXAMPLE DEVICE TARGET WANTED_DPAS PROGRAM OPTIONS [MOST_INSTRUCTIONS [MOST_MESSAGES [MOST_AT_ANY_PITCH]]]
    its_turn "$2" || return
    example=$1 device=$2 wanted=$4 most=${7:-1000000} messages=${8:-1000000} most_any=${9:-1000000}
    file="$work/$1.spv"
    emitted=$("$BUILD/$5" --emit "$file" --target "$3" $6) || { echo "$emitted"; status=1; return; }
    flags=$(printf '%s\n' "$emitted" | sed -n 's/^flags  *//p')
    said=$(figures "$device" "$file" "$flags" 2>&1) || { echo "FAILED isa $example $device: refused"; echo "$said"; status=1; return; }
    dpas=$(value loop_dpas) spill=$(value spill_bytes)
    length=$(value loop_instructions) memory=$(value loop_memory) any=$(value any_instructions) deep=$(value any_dpas)
    [ "$deep" -le "$dpas" ] || any=$((any * dpas / deep)) # the operands of several iterations are copied together
    echo "isa $example $device loop_dpas=$dpas loop_instructions=$length loop_memory=$memory any_pitch=$any spill=$spill"
    printf '%s\n' "$said" | sed -n "s/^bound /bound $example $device /p"
    [ "$dpas" = "$wanted" ] && [ "$spill" = 0 ] && [ "$length" -le "$most" ] && [ "$memory" -le "$messages" ] &&
        [ "$any" -le "$most_any" ] ||
        { echo "FAILED isa $example $device: wanted loop_dpas=$wanted loop_instructions<=$most loop_memory<=$messages any_pitch<=$most_any spill=0"; status=1; }
}

# One atomic message per 16 elements, i.e. one atomic per element and subgroup, for the gradients that neural_texture sums.
atomics() { # atomics DEVICE TARGET WANTED_DPAS WANTED_ATOMICS
    its_turn "$1" || return
    file="$work/neural_texture.spv"
    emitted=$("$BUILD/neural_texture" --emit "$file" --target "$2") || { echo "$emitted"; status=1; return; }
    flags=$(printf '%s\n' "$emitted" | sed -n 's/^flags  *//p')
    if [ "$compiler" = ocloc ]; then listing=$(listing_by_ocloc "$1" "$file" "$flags"); else listing=$(listing_by_offline "$1" "$file" "$flags"); fi
    dpas=$(grep -c '^[ (].*dpas' "$listing") adds=$(grep -c 'atomic_fadd' "$listing") spill=$(figures_of_listing "$listing" | sed -n 's/^spill_bytes //p')
    echo "isa neural_texture $1 dpas=$dpas atomics=$adds spill=$spill"
    [ "$dpas" = "$3" ] && [ "$adds" = "$4" ] && [ "$spill" = 0 ] ||
        { echo "FAILED isa neural_texture $1: wanted dpas=$3 atomics=$4 spill=0"; status=1; }
}

find_compiler || { echo "skipped check-intel: neither \$XE_OFFLINE nor ocloc is here (Debian: intel-ocloc)"; exit 0; }
for device in pvc bmg lnl-m ptl; do
    sharers=1
    # 43 instructions (pvc: 44) and 3 loads without the prefetches, which are one message more: 52 (pvc: 53).
    # At any pitch: 178 (pvc, whose messages take four instructions more to wait for their operands: 216); i8 116 (140).
    # pvc's loop is 62: the compiler waits for headers before it changes them, and more often the fewer registers they share.
    any=180 any_i8=120 most_gemm=57
    [ "$device" != pvc ] || any=220 any_i8=145 most_gemm=62
    one gemm $device ${device%-m} 32 gemm "--type f16" $most_gemm 4 $any
    number=0 sharers=4
    one gemm_bf16 $device ${device%-m} 32 gemm "--type bf16" $most_gemm 4 $any
    one gemm_i8 $device ${device%-m} 16 gemm "--type i8" 45 3 $any_i8 # an 8-bit product takes twice the k
done
for device in pvc bmg; do
    number=0 sharers=2
    one mlp_f16 $device $device 68 mlp_inference "--type f16"
    one mlp_e4m3 $device $device 68 mlp_inference "--type e4m3"
    one mlp_i8 $device $device 34 mlp_inference "--type i8"
    atomics $device $device 64 204
done
for device in pvc bmg; do
    number=0 sharers=2
    one gemm_devices $device $device 32 gemm_devices "" 50 3
    one batched_gemm $device $device 0 batched_gemm "" # small matrices of f32: no matrix instruction
    one tall_gemm $device $device 0 tall_gemm ""
    one gemm_slm $device $device 32 gemm_slm "" 220 29 # two slices of 16; local memory in large pieces
    # 512 x 256, half the columns at a time: 98 instructions (pvc: 121); 256 x 256: 88 (108)
    one gemm_l2 $device $device 32 gemm_l2 "--tile 512x128,64x32,32" 130 13
    one gemm_l2_256 $device $device 32 gemm_l2 "" 115 12
    one gemm_epilogue_gelu $device $device 16 gemm_epilogue "--form gelu" 1000 2 # as many messages as a bare product
    one gemm_epilogue_i8 $device $device 16 gemm_epilogue "--form i8" 37 4 # two iterations of 8, and 18 instructions each
    one gemm_transpose_2.2 $device $device 16 gemm_transpose "--form 2.2" # half the columns
    one gemm_transpose_2.3 $device $device 32 gemm_transpose "--form 2.3"
    for variant in plain order batched split_k persistent k_outside; do
        one gemm_variants_$variant $device $device 32 gemm_variants "--variant $variant"
    done
    # A by columns: four transposing loads, whose dwords of two rows each are separated by 64 moves
    one gemm_variants_transposed_a $device $device 32 gemm_variants "--variant transposed_a" 140 6
    one gemm_variants_transpose $device $device 16 gemm_variants "--variant transpose" # sixteen subgroups
done
exit $status
