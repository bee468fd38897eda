#!/bin/sh
# The examples as programs: their options, refusals and last lines; and their modules for every target, saved for spirv-val.
. "$(dirname "$0")/../test.sh"
saved=${XETILE_SPV_DIR:-$work}

for example in hello gemm gemm_slm gemm_l2 gemm_variants gather gemm_devices; do
    program="$BUILD/$example"
    check_options $example
    for target in $targets; do
        check_says "$example --emit --target $target" "ok $example" "$program" --emit "$saved/$example-$target.spv" --target $target
        check "$example $target, once more" "$program" --emit "$work/again.spv" --target $target
        check "$example $target, the same bytes" cmp "$saved/$example-$target.spv" "$work/again.spv"
    done
done
for example in hello gemm gemm_devices gemm_epilogue gemm_l2 gemm_slm gemm_transpose gemm_variants gather image_filter kmeans \
    quantized_linear softmax; do
    check_says "$example --print" "what a subgroup does" "$BUILD/$example" --print --target pvc
done
for type in bf16 i8; do
    for target in $targets; do
        check_says "gemm $type for $target" "ok gemm $type" "$BUILD/gemm" --type $type --emit "$saved/gemm-$type-$target.spv" --target $target
    done
done

check_says "hello" "ok hello" "$BUILD/hello"
check_says "hello by name" "ok hello" "$BUILD/hello" --device software
check_says "the device's name" "software device" "$BUILD/hello" --device software
for type in f16 bf16 i8; do
    for size in "1 1 1" "256 256 32" "300 70 95" "33 257 64"; do
        # shellcheck disable=SC2086
        set -- $size
        check_says "gemm $type $size" "ok gemm $type $1 x $2 x $3" "$BUILD/gemm" --device software --type $type --m $1 --n $2 --k $3
    done
done
for example in gemm_slm gemm_l2; do
    for size in "1 1 1" "300 270 100"; do
        # shellcheck disable=SC2086
        set -- $size
        check_says "$example $size" "ok $example f16 $1 x $2 x $3" "$BUILD/$example" --device software --m $1 --n $2 --k $3
    done
done
check_says "gemm_l2, half of the columns at a time" "ok gemm_l2 f16 300 x 270 x 100" "$BUILD/gemm_l2" --device software --tile 512x128,64x32,32 --m 300 --n 270 --k 100
check_says "gemm_slm, the text's tile" "ok gemm_slm f16 70 x 270 x 140" "$BUILD/gemm_slm" --device software --tile 256x256,32x32,32 --m 70 --n 270 --k 140
check_refused "gemm_l2, half a tile" "--tile 256x256" "$BUILD/gemm_l2" --tile 256x256
check_says "gemm_variants" "ok gemm_variants all 200 x 300 x 160" "$BUILD/gemm_variants" --device software
check_says "gemm_variants, odd sizes" "ok gemm_variants all 131 x 129 x 37" "$BUILD/gemm_variants" --device software --m 131 --n 129 --k 37
check_refused "gemm_variants, unknown variant" "--variant nosuch" "$BUILD/gemm_variants" --variant nosuch
for variant in order transpose transposed_a batched split_k persistent k_outside; do
    for target in pvc dg2 generic; do
        check_says "gemm_variants $variant for $target" "ok gemm_variants" "$BUILD/gemm_variants" --variant $variant --emit "$saved/gemm_variants-$variant-$target.spv" --target $target
    done
done
check_says "gather" "ok gather 1000 rows of 300 x 77" "$BUILD/gather" --device software
check_says "gather, one element" "ok gather 1 rows of 1 x 1" "$BUILD/gather" --device software --m 1 --n 1 --k 1
for parts in 1 2 5; do
    check_says "gemm_devices, $parts parts" "ok gemm_devices f16 301 x 130 x 70 on $parts" \
        env XETILE_SOFT_SUBDEVICES=$parts "$BUILD/gemm_devices" --device software --m 301 --n 130 --k 70
done
check_says "more devices than rows" "ok gemm_devices f16 3 x 77 x 40 on 3" \
    env XETILE_SOFT_SUBDEVICES=8 "$BUILD/gemm_devices" --device software --m 3 --n 77 --k 40
check_refused "unknown type" "f64" "$BUILD/gemm" --type f64
check_refused "size 0" "--m 0" "$BUILD/gemm" --m 0
check_refused "size in words" "--k many" "$BUILD/gemm" --k many
check_refused "a missing file is named" "none.npy" "$BUILD/gemm" "$work/none.npy" "$work/none.npy"
echo "not an array" > "$work/text.npy"
check_refused "a wrong file is named" "text.npy: it is not a NumPy file" "$BUILD/gemm" "$work/text.npy" "$work/text.npy"
check_refused "a result that cannot be written, before the files are read" "none/c.npy: cannot write" \
    "$BUILD/gemm" "$work/none.npy" "$work/none.npy" "$work/none/c.npy"
npy() { # npy NAME DESCR BYTES: 1 x 1
    printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '$2', 'fortran_order': False, 'shape': (1, 1), }" > "$work/$1.npy"
    printf "$3" >> "$work/$1.npy"
}
npy nan '<f4' '\000\000\300\177'
npy large '<f4' '\000\000\300\107'
npy double '<f8' '\000\000\000\000\000\000\360\077'
npy short '<f2' '\000'
check_refused "a NaN" "element (0, 0) is nan: the check against f64 needs finite numbers" "$BUILD/gemm" --device software "$work/nan.npy" "$work/nan.npy"
check_refused "98304 in f16" "element (0, 0) = 98304 is more than f16 can hold" "$BUILD/gemm" --device software "$work/large.npy" "$work/large.npy"
check_refused "a type of elements" "none of f16 <f2, f32 <f4, i8 |i1, i32 <i4, but <f8" "$BUILD/gemm" "$work/double.npy" "$work/double.npy"
check_refused "a file that ends early" "short.npy: its length does not fit its shape" "$BUILD/gemm" "$work/short.npy" "$work/short.npy"
check_refused "four files" "at most three" "$BUILD/gemm" a b c d
report
