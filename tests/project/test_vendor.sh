#!/bin/sh
# The vendoring recipe: the headers and one example, copied to an empty folder, build without other flags.
. "$(dirname "$0")/../test.sh"
vendored="spirv_emit.h coopmatrix.h xetile.h ze_dispatch.h"

vendor() { # vendor COMPILER EXAMPLE
    rm -rf "$work/folder" && mkdir "$work/folder" && cp $vendored "examples/$2.c" "$work/folder/" || return 1
    (cd "$work/folder" && $1 -std=c11 -Wall -Wextra -Wpedantic -Werror "$2.c" -lze_loader -lm && ./a.out --help)
}

# The README's instructions for machines without a GPU: the device is beside the program, and no variable is set.
vendor_device() {
    vendor "$CC" hello && cp "$BUILD/libze_soft.so" "$work/folder/" || return 1
    (cd "$work/folder" && env -u XETILE_SOFT -u ZE_ENABLE_ALT_DRIVERS ./a.out)
}

for compiler in gcc clang; do
    command -v $compiler >/dev/null 2>&1 || { skip "vendoring with $compiler" "$compiler is not installed"; continue; }
    for example in hello gemm; do
        check "copied $example.c, $compiler" vendor $compiler $example
    done
done
if [ -n "${SANITIZE:-}" ]; then skip "the device copied, too" "not under sanitizers"
else check_says "the device copied, too" "ok hello" vendor_device; fi
report
