#!/bin/sh
# mx_gemm: its options and refusals, sizes that are no multiples of anything, modules for every target (saved for spirv-val), NumPy
# files in and out.
. "$(dirname "$0")/../test.sh"
saved=${XETILE_SPV_DIR:-$work}

check_options mx_gemm
check_refused "mx_gemm, unknown type" "nosuch" "$BUILD/mx_gemm" --type nosuch
check_refused "mx_gemm, one file" "needs B.npy" "$BUILD/mx_gemm" --device software "$work/a.npy"
for type in e4m3 e5m2 e2m1; do
    for target in $targets; do
        thorough || [ "$target$type" != "pvce5m2" ] || continue
        check_says "mx_gemm $type for $target" "ok mx_gemm $type" "$BUILD/mx_gemm" --type $type \
            --emit "$saved/mx_gemm-$type-$target.spv" --target $target
    done
done
for type in e2m1 e4m3; do
    check_says "mx_gemm $type" "ok mx_gemm $type 33 x 70 x 45" "$BUILD/mx_gemm" --device software --type $type --m 33 --n 70 --k 45
    thorough || export XETILE_SOFT_TIER="${XETILE_SOFT_TIER:-quick}" # in the sample one of them as users have it
done
check_says "mx_gemm, one element" "ok mx_gemm e5m2 1 x 1 x 1" "$BUILD/mx_gemm" --device software --type e5m2 --m 1 --n 1 --k 1

# 2 x 64 of f32, 1.0 and 2.0 in turns, by 64 x 1: exact in every type, so that C is 2 (1 + 4) 32 / 2 = 160 in both rows
npy() { # npy FILE ROWS COLS: f32 1, 2, 1, 2 ...
    printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': ($2, $3), }" > "$1"
    i=0
    while [ $i -lt $(($2 * $3 / 2)) ]; do
        printf '\000\000\200\077\000\000\000\100' >> "$1"
        i=$((i + 1))
    done
}
npy "$work/a.npy" 2 64
npy "$work/b.npy" 64 1
check_says "mx_gemm from files" "ok mx_gemm e2m1 2 x 1 x 64" "$BUILD/mx_gemm" --device software --type e2m1 --save "$work/q" \
    "$work/a.npy" "$work/b.npy" "$work/c.npy"
check "C of files" test "$(tail -c 8 "$work/c.npy" | od -An -tx1 | tr -d ' \n')" = "0000204300002043"
# 1 and 2 with the scale 2^-1 (126) are 2 and 4: 0x4 and 0x6, two a byte
check "elements of A" test "$(tail -c 64 "$work/q_a.npy" | od -An -v -tx1 | tr -d ' \n' | sed 's/\(64\)*//')" = ""
check "scales of A" test "$(tail -c 4 "$work/q_a_scale.npy" | od -An -tx1 | tr -d ' \n')" = "7e7e7e7e"
check "scales of B" test "$(tail -c 2 "$work/q_b_scale.npy" | od -An -tx1 | tr -d ' \n')" = "7e7e"
# what was written is read back: the same product, in types of one and of two elements a byte
check_says "mx_gemm of quantised files" "ok mx_gemm e2m1 2 x 1 x 64" "$BUILD/mx_gemm" --device software --type e2m1 --load "$work/q"
check_says "mx_gemm, random files written" "ok mx_gemm e4m3 33 x 70 x 45" "$BUILD/mx_gemm" --device software --type e4m3 \
    --m 33 --n 70 --k 45 --save "$work/r"
check_says "mx_gemm, random files read" "ok mx_gemm e4m3 33 x 70 x 64" "$BUILD/mx_gemm" --device software --type e4m3 \
    --load "$work/r" --save "$work/s"
for part in a a_scale b b_scale; do check "$part is as it was" cmp "$work/r_$part.npy" "$work/s_$part.npy"; done
check_refused "mx_gemm, scales of another type" "wanted 33 x 4" "$BUILD/mx_gemm" --device software --type e2m1 --load "$work/r"
check_refused "mx_gemm, floats for elements" "not |u1" sh -c 'cp "$1/a.npy" "$1/q_a.npy" && "$2" --device software --load "$1/q"' - \
    "$work" "$BUILD/mx_gemm"
check_refused "mx_gemm, two kinds of files" "takes no files" "$BUILD/mx_gemm" --device software --load "$work/r" "$work/a.npy" \
    "$work/b.npy"
check_refused "mx_gemm, files that do not fit" "has 64 columns" "$BUILD/mx_gemm" --device software "$work/a.npy" "$work/a.npy"
report
