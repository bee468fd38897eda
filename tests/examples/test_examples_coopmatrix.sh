#!/bin/sh
# The examples of coopmatrix.h as programs: tables of layouts as in the specification, pictures, products and attention with odd
# sizes, refusals; and their modules for every target, saved for spirv-val.
. "$(dirname "$0")/../test.sh"
saved=${XETILE_SPV_DIR:-$work}

layout="$BUILD/layout"
check_says "the text's first table" ".w    0,12 1,12 2,12 3,12 0,13 1,13 2,13 3,13 0,14 1,14 2,14 3,14  -,-  -,-  -,-  -,-" "$layout"
check_says "the text's second table" ".y    0,16  -,-  -,-  -,-  -,-  -,-  -,-  -,-  -,-  -,-  -,-  -,-  -,-  -,-  -,-  -,-" "$layout"
for use in acc a b; do
    for type in f64 f32 f16 i8 e4m3 c64; do
        check_says "layout $type $use" "ok layout 32 x 12" "$layout" --rows 32 --cols 12 --type $type --use $use --svg "$work/l.svg"
    done
done
check_says "a drawing" "</svg>" cat "$work/l.svg"
check_says "a map" "   6   7   6   7" "$layout" --tile 256x256 --sg-layout 4x2 --sg-data 32x64 --svg "$work/m.svg"
check "docs/wg_map.svg is what is drawn" cmp "$work/m.svg" docs/wg_map.svg
"$layout" --rows 4 --cols 15 --svg "$work/l.svg" > /dev/null
check "docs/layout.svg is what is drawn" cmp "$work/l.svg" docs/layout.svg
check_says "layout --help" "--sg-data" "$layout" --help
check_refused "three rows" "power of two" "$layout" --rows 3
check_refused "no columns" "--cols 0" "$layout" --cols 0
check_refused "unknown type" "f33" "$layout" --type f33
check_refused "unknown use" "acc, a or b" "$layout" --use c
check_refused "a map that does not fit" "FAILED layout" "$layout" --tile 100x256 --sg-layout 4x2 --sg-data 32x64
check_refused "half a map" "--sg-data" "$layout" --tile 256x256 --sg-layout 4x2
check_refused "no such folder" "cannot write" "$layout" --svg "$work/none/x.svg"
check_refused "unknown option" "--nonsense" "$layout" --nonsense

for example in batched_gemm tall_gemm flash_attention; do
    program="$BUILD/$example"
    check_options $example
    for target in $targets; do
        check_says "$example --emit --target $target" "ok $example" "$program" --emit "$saved/$example-$target.spv" --target $target
    done
done
check_says "batched 8" "ok batched_gemm 1001 of 8 x 8 x 8" "$BUILD/batched_gemm" --device software --count 1001 --m 8 --n 8 --k 8
# A long basic block, which compilers once took minutes for.
check_says "batched 2 x 10 x 30" "ok batched_gemm 182 of 2 x 10 x 30" "$BUILD/batched_gemm" --device software --count 182 --m 2 --n 10 --k 30
check_says "batched 17 x 9 x 5" "ok batched_gemm 99 of 17 x 9 x 5" "$BUILD/batched_gemm" --device software --count 99 --m 17 --n 9 --k 5
check_says "tall" "ok tall_gemm 5001 x 5 x 21" "$BUILD/tall_gemm" --device software --m 5001 --n 5 --k 21
check_says "attention" "ok flash_attention D 64, 2 heads of length 77" "$BUILD/flash_attention" --device software --heads 2 --length 77 --head 64 --causal 0
check_says "causal attention" "length 101, causal" "$BUILD/flash_attention" --device software --heads 1 --length 101 --head 128 --causal 1
check_says "attention by Vulkan's matrices" "ok flash_attention" "$BUILD/flash_attention" --emit "$saved/attention-hopper.spv" --target hopper --head 128 --causal 1
check_says "attention with xetile.h" "ok flash_attention" "$BUILD/flash_attention" --emit "$saved/attention-tiles.spv" --target bmg --with xetile
check_refused "size 33" "--m 33" "$BUILD/batched_gemm" --m 33
check_refused "head size 96" "64 or 128" "$BUILD/flash_attention" --head 96
report
