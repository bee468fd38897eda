#!/bin/sh
# The examples through Vulkan (build/vulkan/...), on whatever device there is; lavapipe will do. Those whose kernels its compiler
# takes long for are run with THOROUGH=1. Modules for it are saved for spirv-val.
. "$(dirname "$0")/../test.sh"
saved=${XETILE_SPV_DIR:-$work}
[ -x "$BUILD/hello_vulkan" ] || { skip "examples through Vulkan" "Vulkan's headers are missing"; report; exit; }

# What needs no device.
check_says "hello_vulkan --emit" "for vulkan" "$BUILD/hello_vulkan" --emit "$saved/vulkan_hello.spv"
check "the target without a name is vulkan" "$BUILD/vulkan/gather" --emit "$saved/vulkan_gather.spv"
check "Level Zero's program for it: the same bytes" \
    sh -c "'$BUILD/gather' --emit '$work/gather.spv' --target vulkan && cmp '$work/gather.spv' '$saved/vulkan_gather.spv'"
check_says "tiny_compiler" "ok tiny_compiler" "$BUILD/vulkan/tiny_compiler" --emit "$saved/vulkan_tiny.spv" examples/mandelbrot.tiny
check_refused "another API" "--api d3d: level_zero or vulkan" "$BUILD/gather" --api d3d
check_refused "another API, gemm" "--api d3d: level_zero or vulkan" "$BUILD/gemm" --api d3d
check_refused "several devices" "only through Level Zero" "$BUILD/gemm_devices" --api vulkan
check "the decoder's modules, which lavapipe's compiler was not seen to end with" "$BUILD/vulkan/decoder" --emit "$saved/vulkan_decoder.spv" --weights int4
cp "$BUILD/gather" "$BUILD/gemm" "$work"
check_refused "without the other program" "vulkan/gather is not there" "$work/gather" --api vulkan
check_refused "without the other program, gemm" "vulkan/gemm is not there" "$work/gemm" --api vulkan
check_says "from Vulkan to Level Zero" "software device" "$BUILD/vulkan/gemm" --api level_zero --list

"$BUILD/hello_vulkan" --list > "$work/list" 2>&1 || { skip "examples through Vulkan" "$(cat "$work/list")"; report; exit; }
echo "on $(head -n 1 "$work/list")"
check_says "hello_vulkan" "ok hello_vulkan 1000003 elements" "$BUILD/hello_vulkan"
check_says "from Level Zero to Vulkan" "$(sed -n '1s/^0 \(.*\) (.*/\1/p' "$work/list")" "$BUILD/gemm" --api vulkan --list
check_refused "no such device" "nosuch" "$BUILD/vulkan/gather" --device nosuch
runs() { # runs PART EXAMPLE OPTIONS...: by --api vulkan
    part=$1 example=$2
    shift 2
    check_says "$example $*" "ok $example$part" "$BUILD/$example" --api vulkan "$@"
}
runs " f16 100 x 77 x 55" gemm --m 100 --n 77 --k 55
runs " i8 33 x 40 x 70" gemm --m 33 --n 40 --k 70 --type i8
runs " 1000 rows" gather
runs " layer_norm 100 x 333" softmax
runs " 20000 points" kmeans
runs " 479 x 270" image_filter
runs " int4" quantized_linear
runs " mandelbrot" tiny_compiler examples/mandelbrot.tiny
if thorough; then
    runs " 1003 x 16 x 32" tall_gemm --m 1003
    runs " f16 100 x 77 x 55" gemm_slm --m 100 --n 77 --k 55
    runs " i8 200 x 300 x 136" gemm_epilogue
    runs " f16 100 x 77 x 55" gemm_l2 --m 100 --n 77 --k 55
    runs " 10000 of 17 x 9 x 5" batched_gemm
    runs "" gemm_transpose
    runs " all" gemm_variants
    runs "" flash_attention --length 33 --heads 1
    runs "" mlp_inference --items 1024
else
    skip "batched_gemm gemm_epilogue gemm_l2 gemm_slm gemm_transpose gemm_variants flash_attention mlp_inference tall_gemm" "with THOROUGH=1: minutes of lavapipe's compiler"
fi
report
