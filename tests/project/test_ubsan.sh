#!/bin/sh
# clang's undefined-behaviour sanitizer reports what gcc's does not, an offset to a null pointer among others: examples built with
# it emit their kernels, and print them. `make asan CC=clang` runs all tests so.
. "$(dirname "$0")/../test.sh"
command -v clang >/dev/null 2>&1 || { skip "examples under clang's sanitizer" "clang is not installed"; report; exit; }
flags="-std=c11 -O0 -fsanitize=undefined -fno-sanitize-recover=undefined -I. -DXETILE_DECLARATIONS"
# shellcheck disable=SC2086
check "libxetile, clang" clang $flags -c -o "$work/libxetile.o" src/libxetile.c
examples="gemm gather softmax mlp_inference"
thorough && examples=$(cd examples && ls ./*.c | sed -e 's:^\./::' -e 's/\.c$//' | grep -v -e layout -e mpi_)
for example in $examples; do
    # shellcheck disable=SC2086
    check "$example, clang" clang $flags -o "$work/$example" "examples/$example.c" "$work/libxetile.o" -lm
    for target in bmg generic; do
        check "$example --emit --target $target" "$work/$example" --emit "$work/module.spv" --target $target
    done
    ! "$work/$example" --help 2>&1 | grep -q -e --print || check "$example --print" "$work/$example" --print --target bmg
done
report
