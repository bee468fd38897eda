#!/bin/sh
# intel_devices.sh [DEVICE...] - what Intel's compiler makes of every kernel of the examples, for every Intel GPU that the
# headers know, without a GPU: a table in Markdown, of kernels and devices (docs/intel-devices.md), below the date and the
# compiler's version. A cell is
#     <instructions for each product> in the loop with the most products, or, where there are none, <instructions>i
# of the kernel; a product is a multiply-add, a dp4a, or a matrix instruction; followed by `spill <bytes>` where registers
# are spilled, or `refused`, or `over <seconds> s` where the compiler did not end.
# What was compiled is kept in $BUILD/intel_devices, by module, device, flags and version: a run that was ended goes on where
# it was, and one after a change compiles the changed modules only. JOBS: compilers at a time (2). ONLY: kernels whose row
# matches it. KEPT=yes: compiles nothing; cells that are not there yet are empty.
# Fails if a kernel spills. Without a compiler (intel_compiler.sh) it prints a message and succeeds.
set -u
BUILD=${BUILD:-build}
seconds=600
scripts=$(cd "$(dirname "$0")" && pwd)
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
p image_filter --radius 32 --pass rows
p image_filter --radius 32 --pass columns
- gather
- hello
END
}

# `PRODUCTS INSTRUCTIONS SPILL ALL` of a kernel's listing: of the loop with matrix instructions and the fewest others, or of
# that with the most multiply-adds or dp4a.
figures() { # figures LISTING
    all=$(messages_of_listing "$1" | sed -n 's/^all \([0-9]*\).*/\1/p')
    loop=$(figures_of_listing "$1" | awk -v all="$all" '{ f[$1] = $2 }
        END { if (f["loop_dpas"]) print f["loop_dpas"], f["loop_instructions"], f["spill_bytes"], all }')
    [ -n "$loop" ] || loop=$(products_of_listing "$1" | awk -v all="$all" '{ print $1, $2, $4, all }')
    echo "$loop"
}

# Compiles MODULES/KEY.spv and leaves its figures, or what happened instead, in $kept/KEY.
compile() { # compile MODULES KEY DEVICE [FLAGS]
    if [ "$compiler" = ocloc ]; then by=listing_by_ocloc; else by=listing_by_offline; fi
    XE_OFFLINE="timeout $seconds ${XE_OFFLINE:-}"
    begun=$(date +%s)
    listing=$($by "$3" "$1/$2.spv" "${4:-}" 2> "$work/said")
    if [ -n "$listing" ]; then figures "$listing"
    elif [ $(($(date +%s) - begun)) -ge $seconds ]; then echo "over $seconds s"
    else echo refused; fi > "$work/figures"
    mv "$work/figures" "$kept/$2"
}

# Emits the kernels' modules for a device: lines `KEY|DEVICE|FLAGS|KIND|KERNEL`, and $work/KEY.spv where there are no figures.
emit() { # emit DEVICE
    kernels | grep -E -- "${ONLY:-.}" | while read -r kind program options; do
        name=$(echo "$program $options" | sed 's/--\(type\|variant\|form\|kernel\|pass\) //g; s/ $//')
        # shellcheck disable=SC2086 # words
        if ! "$BUILD/$program" --emit "$work/m.spv" --target "$1" $options > "$work/emitted" 2>&1; then
            echo "-|$1||$kind|$name"
            continue
        fi
        flags=$(sed -n 's/^flags  *//p' "$work/emitted")
        key=$({ echo "$version $1 $flags"; cat "$work/m.spv"; } | sha256sum | cut -c 1-32)
        [ -e "$kept/$key" ] || mv "$work/m.spv" "$work/$key.spv"
        echo "$key|$1|$flags|$kind|$name"
    done
}

# What the table says of one kernel.
cell() { # cell KIND FIGURES
    echo "$2" | awk -v kind="$1" 'NF == 4 && /^[0-9]/ {
            text = kind == "p" && $1 > 0 ? sprintf("%.2f", $2 / $1) : $4 "i"
            print text ($3 > 0 ? ", spill " $3 : "")
            next }
        { print }'
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
                          print line } }'
}

mkdir -p "$BUILD/intel_devices" && kept=$(cd "$BUILD/intel_devices" && pwd) && BUILD=$(cd "$BUILD" && pwd) || exit 1
find_compiler || { echo "skipped intel_devices: neither \$XE_OFFLINE nor ocloc is here (Debian: intel-ocloc)"; exit 0; }
if [ "${1:-}" = --compile ]; then
    shift
    compile "$@"
    exit
fi
version=$(compiler_version)
[ $# -gt 0 ] || set -- tgl dg1 mtl-h arl-h dg2 pvc bmg lnl-m ptl wcl nvl-s nvl-p cri
for device; do emit "$device"; done > "$work/cells"
if [ -z "${KEPT:-}" ]; then
    awk -F '|' '!seen[$1]++' "$work/cells" | while IFS='|' read -r key device flags kind name; do
        [ "$key" = - ] || [ -e "$kept/$key" ] || printf '%s\0%s\0%s\0' "$key" "$device" "$flags"
    done | BUILD=$BUILD xargs -0 -r -n 3 -P "${JOBS:-2}" "$scripts/intel_devices.sh" --compile "$work"
fi
echo "$(date -u +%Y-%m-%d), ocloc $version:"
echo
while IFS='|' read -r key device flags kind name; do
    if [ "$key" = - ]; then said="not emitted"; else said=$(cat "$kept/$key" 2> /dev/null); fi
    echo "$device|$name|$(cell "$kind" "$said")"
done < "$work/cells" | table > "$work/table"
cat "$work/table"
if grep -q ', spill' "$work/table"; then echo "FAILED intel_devices: a kernel spills registers" >&2; exit 1; fi
