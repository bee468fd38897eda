#!/bin/sh
# The vendoring recipe: the headers and one example, copied to an empty folder, build without other flags; also linked with Level
# Zero's loader, as programs are that call it themselves. In the sample, one example by gcc and the other by clang; test_readme.sh
# has the README's own lines.
. "$(dirname "$0")/../test.sh"
vendored="spirv_emit.h coopmatrix.h xetile.h ze_dispatch.h"

vendor() { # vendor COMPILER EXAMPLE
    rm -rf "$work/folder" && mkdir "$work/folder" && cp $vendored "examples/$2.c" "$work/folder/" &&
        (cd "$work/folder" && $1 -std=c11 -Wall -Wextra -Wpedantic -Werror -c "$2.c") && link "$1" "$2"
}
link() { # link COMPILER EXAMPLE [LIBRARY]: what the last vendor compiled
    (cd "$work/folder" && $1 "$2.o" ${3:+"$3"} -lm && ./a.out --help)
}

# The README's instructions for machines without a GPU: the device is beside the program, and no variable is set.
vendor_device() {
    [ -e "$work/folder/hello.c" ] || vendor "$CC" hello || return 1
    cp "$BUILD/libze_soft.so" "$work/folder/" && cd "$work/folder" && env -u XETILE_SOFT -u ZE_ENABLE_ALT_DRIVERS ./a.out
}

for pair in gcc:gemm clang:hello gcc:hello clang:gemm; do
    compiler=${pair%:*} example=${pair#*:}
    command -v $compiler >/dev/null 2>&1 || { skip "$example.c with $compiler" "$compiler is not installed"; continue; }
    case $pair in gcc:hello | clang:gemm) thorough || continue ;; esac
    check "copied $example.c, $compiler" vendor $compiler $example
    [ $pair != gcc:gemm ] || check "copied $example.c, linked with the loader" link $compiler $example -lze_loader
done
if [ -n "${SANITIZE:-}" ]; then skip "the device copied, too" "not under sanitizers"
else check_says "the device copied, too" "ok hello" vendor_device; fi
report
