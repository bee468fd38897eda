#!/bin/sh
# The examples with operations on vectors: their options, refusals, and last lines for several sizes; and their modules for every
# target, saved for spirv-val.
. "$(dirname "$0")/../test.sh"
saved=${XETILE_SPV_DIR:-$work}

options() { # options EXAMPLE FORM...
    example=$1 program="$BUILD/$1"
    shift
    check_options $example
    check_refused "$example, unknown form" "nosuch" "$program" --form nosuch
    check_refused "$example, size 0" "--m 0" "$program" --m 0
    for form in "$@"; do
        for target in $targets; do
            check_says "$example $form for $target" "ok $example $form" "$program" --form "$form" \
                --emit "$saved/$example-$form-$target.spv" --target $target
        done
    done
}

options softmax rows columns layer_norm
options gemm_epilogue gelu i8
options gemm_transpose 2.2 2.3
for size in "100 333" "1 1" "64 64"; do
    # shellcheck disable=SC2086
    set -- $size
    check_says "softmax $size" "ok softmax layer_norm $1 x $2" "$BUILD/softmax" --device software --m $1 --n $2
done
for size in "200 300 136" "1 1 1" "128 128 64"; do
    # shellcheck disable=SC2086
    set -- $size
    check_says "gemm_epilogue $size" "ok gemm_epilogue i8 $1 x $2 x $3" "$BUILD/gemm_epilogue" --device software --m $1 --n $2 --k $3
done
check_says "gemm_transpose" "ok gemm_transpose 2.3 300 x 520 x 100" "$BUILD/gemm_transpose" --device software
report
