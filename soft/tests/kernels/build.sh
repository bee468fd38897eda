#!/bin/sh
# build.sh - compiles this folder's .cl files to .spv, after a change (needs clang 14, opt, llvm-spirv). The tests only need the
# .spv files.
set -e
cd "$(dirname "$0")"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for f in ${@:-*.cl}; do
    name=$(basename "$f" .cl)
    clang-14 -cl-std=CL2.0 -target spir64 -emit-llvm -c -O1 -Xclang -disable-llvm-passes \
        -Xclang -finclude-default-header -Xclang -cl-ext=+cl_khr_subgroups,+cl_intel_subgroups "$name.cl" -o "$tmp/a.bc"
    opt-14 -passes='sroa,early-cse,simplifycfg' "$tmp/a.bc" -o "$tmp/b.bc"
    llvm-spirv-14 --spirv-max-version=1.4 --spirv-ext=+all "$tmp/b.bc" -o "$name.spv"
done
