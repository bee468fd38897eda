#!/bin/sh
# Kernels of xetile.h in C++20: the same source as C emits the same bytes, with the compiler of each family; warnings are errors.
. "$(dirname "$0")/../test.sh"
flags="-Wall -Wextra -Wpedantic -Werror -Wno-missing-field-initializers -I."
emits() { # emits NAME COMPILER...: to NAME.spv
    name=$1
    shift
    # shellcheck disable=SC2086
    "$@" $flags -o "$work/$name" tests/project/kernels_cpp.h -x none -lm && "$work/$name" "$work/$name.spv" && test -s "$work/$name.spv"
}
for pair in gcc:g++ clang:clang++; do
    c=${pair%:*} cpp=${pair#*:}
    if ! command -v $c >/dev/null 2>&1 || ! command -v $cpp >/dev/null 2>&1; then skip "C++20 with $cpp" "$cpp is not installed"; continue; fi
    check "as C, $c" emits $c $c -std=c11 -x c
    check "as C++20, $cpp" emits $cpp $cpp -std=c++20 -x c++
    check "the same bytes, $cpp" cmp "$work/$c.spv" "$work/$cpp.spv"
done
report
