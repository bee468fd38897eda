#!/bin/sh
# build.sh [FOLDER] - compiles the .cl and .spvasm files beside it to SPIR-V, into FOLDER (default: here, which updates the
# committed files). Without clang, llvm-spirv or spirv-as it prints a message, and the tests run the committed files. Rebuilds
# only files older than their source.
#
# A line `build: OPTIMISE` in a .cl selects the passes: `plain` keeps the code close to the source, `full` is -O2 without
# vectorisation, `threaded` adds jump threading, `none` leaves every variable in memory, `lines` is `plain` with OpLine. `O0 1.0`,
# `Os 1.2` etc. are clang's own passes without vectorisation, and the newest SPIR-V version. A .ll is LLVM 14's IR, with typed pointers.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
to=${1:-$here}
mkdir -p "$to" && to=$(cd "$to" && pwd) || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# Debian names tools by version: prefers the plain name, else the newest.
tool() {
    command -v "$1" && return
    for version in 24 23 22 21 20 19 18 17 16 15 14; do
        command -v "$1-$version" && return
    done
    return 1
}
clang=$(tool clang) opt=$(tool opt) translate=$(tool llvm-spirv) assemble=$(tool spirv-as)
typed_as=$(command -v llvm-as-14) typed_translate=$(command -v llvm-spirv-14)

features=+cl_khr_fp64,+cl_khr_fp16,+cl_khr_subgroups,+cl_khr_3d_image_writes,+cl_khr_depth_images,+cl_khr_mipmap_image
features=$features,+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics,+cl_khr_subgroup_ballot
features=$features,+cl_khr_subgroup_shuffle,+cl_khr_subgroup_shuffle_relative,+cl_khr_subgroup_non_uniform_arithmetic
features=$features,+cl_khr_subgroup_non_uniform_vote,+cl_khr_subgroup_clustered_reduce,+cl_khr_subgroup_extended_types
features=$features,+__opencl_c_ext_fp32_global_atomic_add,+__opencl_c_ext_fp32_global_atomic_min_max
features=$features,+__opencl_c_ext_fp64_global_atomic_add,+__opencl_c_ext_fp64_global_atomic_min_max
features=$features,+__opencl_c_ext_fp32_local_atomic_add,+__opencl_c_ext_fp32_local_atomic_min_max,+cl_ext_float_atomics

compile() { # compile SOURCE RESULT
    build=$(sed -n 's/.*build: *\([A-Za-z0-9.]*\( [0-9.]*\)\{0,1\}\).*/\1/p' "$1" | head -n 1) newest=1.4 own=-disable-llvm-passes
    case $build in
    O*) level="-${build% *} -fno-vectorize -fno-slp-vectorize" passes= newest=${build#* } own=-disable-O0-optnone ;;
    full*) level=-O2 passes='default<O2>' ;;
    threaded*) level=-O2 passes='sroa,early-cse,simplifycfg,jump-threading,gvn,loop(loop-rotate),sccp,simplifycfg' ;;
    none*) level=-O0 passes= ;;
    lines*) level='-O1 -gline-tables-only' passes='sroa,early-cse,simplifycfg' ;;
    *) level=-O1 passes='sroa,early-cse,simplifycfg' ;;
    esac
    standard=$(sed -n 's/.*\(CLC++\).*/\1/p; s/.*\(CL[0-9]\.[0-9]\).*/\1/p' "$1" | head -n 1)
    "$clang" -cl-std="${standard:-CL2.0}" -target spir64 -emit-llvm -c $level -Xclang $own \
        -Xclang -finclude-default-header -Xclang -cl-ext=$features -Wno-unused-value -ferror-limit=3 -fmacro-backtrace-limit=1 \
        "-fdebug-prefix-map=$here/=" -fdebug-compilation-dir=. -I"$here" "$1" -o "$tmp/a.bc" || return 1
    if [ -n "$passes" ]; then
        "$opt" -vectorize-loops=false -vectorize-slp=false -passes="$passes" "$tmp/a.bc" -o "$tmp/b.bc" || return 1
    else
        mv "$tmp/a.bc" "$tmp/b.bc"
    fi
    "$translate" --spirv-max-version=$newest --spirv-ext=+all "$tmp/b.bc" -o "$2"
}

status=0
make_one() { # make_one SOURCE COMMAND...
    name=$(basename "$1")
    result=$to/${name%.*}.spv
    if [ -f "$result" ] && [ -z "$(find "$1" "$here"/*.h ! -name opencl.h -newer "$result")" ]; then return 0; fi
    if "$2" "$1" "$tmp/r.spv"; then mv "$tmp/r.spv" "$result"; else echo "build.sh: $name was not built"; status=1; fi
}
assembled() { "$assemble" --target-env spv1.4 "$1" -o "$2"; }
translated() { "$typed_as" "$1" -o "$tmp/a.bc" && "$typed_translate" --spirv-max-version=1.4 --spirv-ext=+all "$tmp/a.bc" -o "$2"; }

if [ -n "$clang" ] && [ -n "$opt" ] && [ -n "$translate" ]; then
    for source in "$here"/*.cl; do make_one "$source" compile; done
else
    echo "build.sh: the OpenCL C kernels are tested as committed: clang, opt or llvm-spirv is not installed"
fi
if [ -n "$typed_as" ] && [ -n "$typed_translate" ]; then
    for source in "$here"/*.ll; do make_one "$source" translated; done
else
    echo "build.sh: LLVM's IR is tested as committed: llvm-as-14 or llvm-spirv-14 is not installed"
fi
if [ -n "$assemble" ]; then
    for source in "$here"/*.spvasm; do [ ! -f "$source" ] || make_one "$source" assembled; done
else
    echo "build.sh: the SPIR-V assembly is tested as committed: spirv-as is not installed"
fi
exit $status
