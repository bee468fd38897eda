#!/bin/sh
# The examples of coopvec.h as programs: their options, refusals and last lines, neural_texture's files; and their modules for
# every target, saved for spirv-val.
. "$(dirname "$0")/../test.sh"
saved=${XETILE_SPV_DIR:-$work}

for example in mlp_inference neural_texture; do
    program="$BUILD/$example"
    check_options $example
    for target in $targets; do
        check_says "$example --emit --target $target" "ok $example" "$program" --emit "$saved/$example-$target.spv" --target $target
        check "$example $target, once more" "$program" --emit "$work/again.spv" --target $target
        check "$example $target, the same bytes" cmp "$saved/$example-$target.spv" "$work/again.spv"
    done
done
for type in e4m3 i8; do
    for target in $targets; do
        check_says "mlp_inference $type for $target" "ok mlp_inference $type" "$BUILD/mlp_inference" --type $type \
            --emit "$saved/mlp_inference-$type-$target.spv" --target $target
    done
done

for type in f16 e4m3 i8; do # in the sample one of them as users have it
    tier=quick
    if [ $type = f16 ] || thorough; then tier=full; fi
    check_says "mlp_inference $type" "ok mlp_inference $type: 8192 items" env "XETILE_SOFT_TIER=${XETILE_SOFT_TIER:-$tier}" \
        "$BUILD/mlp_inference" --device software --type $type --items 8192
done
thorough || export XETILE_SOFT_TIER="${XETILE_SOFT_TIER:-quick}"
check_refused "unknown type" "f64" "$BUILD/mlp_inference" --type f64
check_refused "1000 items" "--items 1000" "$BUILD/mlp_inference" --items 1000
check_refused "items in words" "--items many" "$BUILD/mlp_inference" --items many

check_says "neural_texture names what it wrote" "wrote $work/picture_target.png, $work/picture_result.png, $work/picture_loss.svg" "$BUILD/neural_texture" --device software --steps 20 --out "$work/picture"
for what in target result; do
    check_says "the $what as PNG" "PNG" head -c 4 "$work/picture_$what.png"
done
for what in "training step" "PSNR of a batch, dB" "30 dB: what" ">20</text>" "</svg>"; do
    check_says "the loss as SVG: $what" "$what" cat "$work/picture_loss.svg"
done
check_refused "no steps" "--steps 0" "$BUILD/neural_texture" --steps 0
check_refused "files that cannot be written, before the training" "cannot write" timeout 20 "$BUILD/neural_texture" --device software --steps 1000000 --out "$work/none/picture"
report
