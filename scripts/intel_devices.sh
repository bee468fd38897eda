#!/bin/sh
# intel_devices.sh [DEVICE...] - what Intel's compiler makes of every kernel of the examples, for every Intel GPU that the
# headers know, without a GPU: a table in Markdown, of kernels and devices (docs/intel-devices.md). ROWS=yes: a line
# `DEVICE|KERNEL|CELL` each instead; FROM: files of such lines, to make the table of. A cell is
#     <instructions for each product> in the loop with the most products, or, where there are none, <instructions>i
# of the kernel; a product is a multiply-add, a dp4a, or a matrix instruction; followed by `spill <bytes>` where registers
# are spilled, or `refused`. ONLY: kernels whose row has it.
# Without a compiler (intel_compiler.sh) it prints a message and succeeds.
set -u
BUILD=${BUILD:-build}
scripts=$(dirname "$0")
. "$scripts/intel_compiler.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# The kernels: p where products are counted.
kernels() {
    cat <<'END'
p gemm --type f16
p gemm --type bf16
p gemm --type i8
p gemm_slm
p gemm_l2
p gemm_l2 --tile 512x128,64x32,32
p gemm_variants --variant plain
p gemm_variants --variant order
p gemm_variants --variant transpose
p gemm_variants --variant transposed_a
p gemm_variants --variant batched
p gemm_variants --variant split_k
p gemm_variants --variant persistent
p gemm_epilogue --form gelu
p gemm_epilogue --form i8
p gemm_transpose --form 2.2
p gemm_transpose --form 2.3
p gemm_devices
p mx_gemm --type e4m3
p mx_gemm --type e5m2
p mx_gemm --type e2m1
p quantized_linear --bits 4
p quantized_linear --bits 8
p decoder --kernel linear_f16
p decoder --weights int8 --kernel linear_int
p decoder --weights int4 --kernel linear_int
p decoder --kernel prompt_linear_f16
p decoder --weights int8 --kernel prompt_linear_int
p decoder --weights int4 --kernel prompt_linear_int
p decoder --kernel attend
p decoder --kernel prompt_attend
p kmeans --kernel assign
- kmeans --kernel move
p batched_gemm --m 8 --n 8 --k 8
p batched_gemm --m 32 --n 32 --k 32
p tall_gemm
p flash_attention --head 64 --causal 0
p flash_attention --head 64 --causal 1
p flash_attention --head 128 --causal 0
p flash_attention --head 128 --causal 1
p mlp_inference --type f16
p mlp_inference --type e4m3
p mlp_inference --type i8
p neural_texture
- softmax --form rows
- softmax --form columns
- softmax --form layer_norm
- image_filter --pass rows
- image_filter --pass columns
- gather
- hello
END
}

# Our name of a device of ocloc's.
target_of() { case $1 in mtl-h) echo mtl ;; lnl-m) echo lnl ;; nvl-s) echo nvl ;; *) echo "$1" ;; esac; }

# `PRODUCTS INSTRUCTIONS SPILL ALL` of a kernel's listing, or nothing if it is refused: of the loop with matrix
# instructions and the fewest others, or of that with the most multiply-adds or dp4a.
figures() { # figures DEVICE PROGRAM OPTIONS
    device=$1 program=$2
    shift 2
    emitted=$("$BUILD/$program" --emit "$work/m.spv" --target "$(target_of "$device")" "$@") || return
    flags=$(printf '%s\n' "$emitted" | sed -n 's/^flags  *//p')
    if [ "$compiler" = ocloc ]; then listing=$(listing_by_ocloc "$device" "$work/m.spv" "$flags" 2> "$work/said")
    else listing=$(listing_by_offline "$device" "$work/m.spv" "$flags" 2> "$work/said"); fi
    [ -n "$listing" ] || return
    all=$(messages_of_listing "$listing" | sed -n 's/^all \([0-9]*\).*/\1/p')
    loop=$(figures_of_listing "$listing" | awk -v all="$all" '{ f[$1] = $2 }
        END { if (f["loop_dpas"]) print f["loop_dpas"], f["loop_instructions"], f["spill_bytes"], all }')
    [ -n "$loop" ] || loop=$(products_of_listing "$listing" | awk -v all="$all" '{ print $1, $2, $4, all }')
    echo "$loop"
}

# What the table says of one kernel.
cell() { # cell KIND [FIGURES]
    awk -v kind="$1" -v products="${2:-}" -v instructions="${3:-}" -v spill="${4:-}" -v all="${5:-}" 'BEGIN {
        if (products == "") print "refused"
        else {
            text = kind == "p" && products > 0 ? sprintf("%.2f", instructions / products) : all "i"
            print text (spill > 0 ? ", spill " spill : "")
        } }'
}

# Lines `DEVICE|KERNEL|CELL` as the table, devices and kernels in their order.
table() {
    awk -F '|' '!($1 in seen) { seen[$1] = 1; device[++devices] = $1 }
                !($2 in row) { row[$2] = 1; kernel[++rows] = $2 }
                { cell[$1, $2] = $3 }
                END { line = "| kernel |"; under = "| --- |"
                      for (d = 1; d <= devices; d++) { line = line " " device[d] " |"; under = under " --- |" }
                      print line; print under
                      for (r = 1; r <= rows; r++) {
                          line = "| " kernel[r] " |"
                          for (d = 1; d <= devices; d++) line = line " " cell[device[d], kernel[r]] " |"
                          print line } }' "$@"
}

if [ -n "${FROM:-}" ]; then
    # shellcheck disable=SC2086 # names
    table $FROM
    exit
fi
find_compiler || { echo "skipped intel_devices: neither \$XE_OFFLINE nor ocloc is here (Debian: intel-ocloc)"; exit 0; }
[ $# -gt 0 ] || set -- tgl dg1 mtl-h arl-h dg2 pvc bmg lnl-m ptl wcl nvl-s nvl-p cri
for device; do
    kernels | grep -E -- "${ONLY:-.}" | while read -r kind program options; do
        # shellcheck disable=SC2086 # words
        got=$(figures "$device" "$program" $options)
        name="$program $(echo "$options" | sed 's/--\(type\|variant\|form\|kernel\|pass\) //g')"
        # shellcheck disable=SC2086 # words
        echo "$device|${name% }|$(cell "$kind" $got)"
    done
done | if [ -n "${ROWS:-}" ]; then cat; else table; fi
