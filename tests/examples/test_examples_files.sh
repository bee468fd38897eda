#!/bin/sh
# The examples that read pictures and weights: a blur of PPM and PNG files with each border, a layer with quantized weights from
# NumPy and safetensors files (test_example_files.c tests the readers); their options, refusals and output, and their modules for
# every target, saved for spirv-val.
. "$(dirname "$0")/../test.sh"
saved=${XETILE_SPV_DIR:-$work}
blur="$BUILD/image_filter" layer="$BUILD/quantized_linear"
# Most of the time goes into compiling kernels, those of large radii above all: one of each width and (in the sample one)
# border is compiled in full, as users have it, and the others, which are there for the files, in the quick tier.
full="env XETILE_SOFT_TIER=${XETILE_SOFT_TIER:-full}" whole=$full
thorough || full="env XETILE_SOFT_TIER=${XETILE_SOFT_TIER:-quick}"
export XETILE_SOFT_TIER="${XETILE_SOFT_TIER:-quick}"

check_options image_filter
check_options quantized_linear
for target in $targets; do
    for pass in rows columns; do
        check_says "image_filter $pass for $target" "ok image_filter" "$blur" --pass $pass --emit "$saved/image_filter-$pass-$target.spv" --target $target
    done
    for bits in 4 8; do
        check_says "quantized_linear $bits for $target" "ok quantized_linear" "$layer" --bits $bits \
            --emit "$saved/quantized_linear-$bits-$target.spv" --target $target
    done
done

# A picture of 3 x 2 pixels, with a comment in its header: the middle of a blur of one pixel is known.
printf 'P6\n# drawn by hand\n3 2\n255\n' > "$work/small.ppm"
printf '\377\000\000\000\000\000\000\000\377\377\000\000\000\000\000\000\000\377' >> "$work/small.ppm"
for border in clamp mirror black; do
    [ $border = mirror ] && tier=$whole radius=5 || tier=$full radius=3 # the others have their kernels already
    thorough && radius=5
    check_says "its own picture, $border" "ok image_filter 479 x 270, radius 3, $border" $tier "$blur" --device software --radius 3 --border $border
    check_says "a picture smaller than the radius, $border" "ok image_filter 3 x 2, radius $radius, $border" \
        "$blur" --device software --radius $radius --border $border "$work/small.ppm" "$work/out-$border.ppm"
    check "what it writes is a PPM, $border" test "$(head -c 11 "$work/out-$border.ppm" | tr '\n' ' ')" = "P6 3 2 255 "
    check "of 18 bytes, $border" test "$(wc -c < "$work/out-$border.ppm")" -eq 29
    check_says "it is read again, $border" "ok image_filter 3 x 2, radius 1" "$blur" --device software --radius 1 "$work/out-$border.ppm"
done
check "borders differ" sh -c "! cmp -s '$work/out-clamp.ppm' '$work/out-black.ppm'"
printf 'P6\n1 1\n255\n\100\200\300' > "$work/one.ppm"
"$blur" --device software "$work/one.ppm" "$work/same.ppm" > "$work/said"
check "one pixel stays as it is" cmp "$work/one.ppm" "$work/same.ppm"
check_refused "radius 33" "--radius 33" "$blur" --radius 33
check_refused "another border" "--border wrap" "$blur" --border wrap
check_refused "another pass" "--pass up" "$blur" --pass up --emit "$work/x.spv"
check_refused "no file" "none.ppm: cannot read it" "$blur" "$work/none.ppm"
check_refused "no folder, before anything is read" "none/out.ppm: cannot write it" "$blur" "$work/none.ppm" "$work/none/out.ppm"
echo "P5 1 1 255 x" > "$work/grey.ppm"
check_refused "a grey PPM" "grey.ppm: it is not a binary PPM" "$blur" "$work/grey.ppm"
printf 'P6 2 2 255\nxxxxx' > "$work/early.ppm"
check_refused "a picture that ends early" "early.ppm: it ends too early" "$blur" "$work/early.ppm"

# The same picture as PPM and PNG; a PNG of each number of channels, compressed by zlib with every filter.
check_says "PPM to PNG" "wrote $work/small.png" "$blur" --device software --radius 1 "$work/small.ppm" "$work/small.png"
check_says "PPM to PPM" "ok image_filter 3 x 2" "$blur" --device software --radius 1 "$work/small.ppm" "$work/small2.ppm"
"$blur" --device software --radius 1 "$work/small.png" "$work/a.ppm" > "$work/said"
"$blur" --device software --radius 1 "$work/small2.ppm" "$work/b.ppm" > "$work/said"
check "a PNG holds what a PPM does" cmp "$work/a.ppm" "$work/b.ppm"
cat > "$work/draw.py" << 'END'
import struct, sys, zlib
channels, level, width, height = int(sys.argv[2]), int(sys.argv[3]), 150, 90
def chunk(name, data): return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
def predicted(kind, a, b, c):
    near = min((a, b, c), key=lambda v: (abs(a + b - c - v), (a, b, c).index(v)))
    return (0, a, b, (a + b) // 2, near)[kind]
above, rows = bytes(width * channels), b""
for y in range(height):
    row = bytes((x * x // 40 + y * (k + 3)) // (1 + x % 2 * (y % 7)) % 256 for x in range(width) for k in range(channels))
    left = bytes(channels) + row
    corner = bytes(channels) + above
    kind = y % 5 if level else 0
    rows += bytes([kind]) + bytes((v - predicted(kind, left[i], above[i], corner[i])) % 256 for i, v in enumerate(row))
    above = row
header = struct.pack(">IIBBBBB", width, height, 8, (0, 4, 2, 6)[channels - 1], 0, 0, 0)
data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, level)) + chunk(b"IEND", b"")
open(sys.argv[1], "wb").write(data)
END
if command -v python3 > "$work/said"; then
    for channels in 1 2 3 4; do
        python3 "$work/draw.py" "$work/plain.png" $channels 0
        python3 "$work/draw.py" "$work/packed.png" $channels 9
        check_says "$channels channels" "ok image_filter 150 x 90" "$blur" --device software --radius 1 "$work/packed.png" "$work/1.png"
        "$blur" --device software --radius 1 "$work/plain.png" "$work/2.png" > "$work/said"
        check "compressed or not, $channels channels" cmp "$work/1.png" "$work/2.png"
    done
    check_refused "four channels as PPM" "a PPM file has 3 channels" "$blur" --device software "$work/plain.png" "$work/x.ppm"
else
    skip "pictures that zlib has compressed" "no python3"
fi
check_refused "a PPM called PNG" "no PNG file" sh -c "cp '$work/small.ppm' '$work/no.png' && '$blur' '$work/no.png'"

for bits in 4 8; do
    check_says "int$bits, optimised" "ok quantized_linear int$bits, batch 16, 200 x 70" \
        $whole "$layer" --device software --bits $bits --batch 16 --n 70 --k 200
    for size in "1 1 1" "4 256 128" "3 65 63"; do
        # shellcheck disable=SC2086
        set -- $size
        check_says "int$bits, $size" "ok quantized_linear int$bits, batch $1, $3 x $2" \
            "$layer" --device software --bits $bits --batch $1 --n $2 --k $3
    done
done
# f32 weights of 2 x 2, 7 and -7 and 4 and 4, and the activations 1 and 2: all exact.
npy() { # npy NAME SHAPE
    printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': ($2), }" > "$work/$1.npy"
}
npy w "2, 2" && printf '\000\000\340\100\000\000\340\300\000\000\200\100\000\000\200\100' >> "$work/w.npy" # 7 -7, 4 4
npy x "1, 2" && printf '\000\000\200\077\000\000\000\100' >> "$work/x.npy"                                # 1 2
check_says "from files" "ok quantized_linear int4, batch 1, 2 x 2" "$layer" --device software --svg "$work/q.svg" "$work/w.npy" "$work/x.npy" "$work/y.npy"
check "15 and 1" test "$(tail -c 4 "$work/y.npy" | od -An -tx1 | tr -d ' ')" = 804b003c
for what in "output of the original weights" "output of int4 weights" "</svg>"; do
    check_says "the picture has: $what" "$what" cat "$work/q.svg"
done
# The same weights as safetensors, one row per output, in BF16, and the same activations in F32.
safetensors() { # safetensors NAME HEADER: 88 bytes of header
    printf '\130\000\000\000\000\000\000\000%-88s' "$2" > "$work/$1.safetensors"
}
safetensors w '{"fc.weight": {"dtype": "BF16", "shape": [2, 2], "data_offsets": [0, 8]}}'
printf '\340\100\200\100\340\300\200\100' >> "$work/w.safetensors" # 7 4, -7 4
safetensors x '{"x": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]}}'
printf '\000\000\200\077\000\000\000\100' >> "$work/x.safetensors"
check_says "from safetensors" "ok quantized_linear int4, batch 1, 2 x 2" "$layer" --device software --tensor fc.weight "$work/w.safetensors" "$work/x.safetensors" "$work/z.npy"
check "the same result" cmp "$work/y.npy" "$work/z.npy"
check_refused "a tensor that is not there" "fc.bias: it has no tensor with this name" "$layer" --tensor fc.bias "$work/w.safetensors"
check_refused "a tensor of a NumPy file" "--tensor is of a safetensors file" "$layer" --tensor w "$work/w.npy"
check_refused "5 bits" "--bits 5" "$layer" --bits 5
check_refused "a batch of 17" "--batch 17" "$layer" --batch 17
check_refused "shapes that differ" "it has 2 columns, but the weights have 1 rows" "$layer" --device software "$work/x.npy" "$work/x.npy"
check_refused "a shape twice" "--n and --k already" "$layer" --n 3 "$work/w.npy"
check_refused "no NumPy file" "small.ppm: it is no NumPy file" "$layer" "$work/small.ppm"
check_refused "no folder for the result" "none/y.npy: cannot write it" "$layer" "$work/none.npy" "$work/none.npy" "$work/none/y.npy"
report
