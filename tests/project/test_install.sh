#!/bin/sh
# make install into a new folder: every example builds against the installed headers, and compiles against copied ones (in the
# sample, one or the other), with which layout also links (all by THOROUGH=1), and gemm.c in test_vendor.sh; hello with the library,
# shared and static, and with the headers alone; the README's Meson and CMake projects build and run, and uninstall leaves
# nothing.
. "$(dirname "$0")/../test.sh"
[ -z "${SANITIZE:-}" ] || { skip install "not under sanitizers"; report; exit; }
prefix="$work/a prefix" # with a space, as users may have
root="$work/root"
strict="-std=c11 -Wall -Wextra -Wpedantic -Werror"

# The README's first block in this language.
block() { awk -v mark="\`\`\`$1" '$0 == mark && !done { on = 1; next } /^```$/ { if (on) done = 1; on = 0 } on' README.md; }

check_says "install says how programs find the library" "LD_LIBRARY_PATH=\"$prefix/lib\"" make install BUILD="$BUILD" PREFIX="$prefix"
refuses() { ! "$@"; }
check_says "a relative prefix is refused" "needs an absolute path" refuses make install BUILD="$BUILD" PREFIX=somewhere DESTDIR="$work/"
for file in include/xetile/xetile.h include/xetile/spirv_emit.h include/xetile/coopmatrix.h include/xetile/coopvec.h \
    include/xetile/ze_dispatch.h include/xetile/vk_dispatch.h include/xetile/vulkan/ze_dispatch.h lib/libxetile.a lib/libxetile.so lib/libze_soft.so lib/pkgconfig/xetile.pc; do
    check "$file is installed" test -s "$prefix/$file"
done
check "libxetile.so is a link to a version" test "$(readlink -f "$prefix/lib/libxetile.so")" = "$prefix/lib/libxetile.so.$(sed -n 's/^#define XETILE_VERSION "\(.*\)".*/\1/p' spirv_emit.h)"
foreign=$(nm -D --defined-only "$prefix/lib/libxetile.so" | awk '{ print $3 }' | grep -Ev '^(spe|cm|cv|xt|zed|vkd)_' | tr '\n' ' ')
check "libxetile.so shows functions of the headers and nothing else, but: $foreign" test -z "$foreign"

# The flags are one string, in which pkg-config escapes the space in the prefix.
mkdir "$work/copied" && cp ./*.h "$work/copied/"
from_copy="-I$work/copied -lm"
headers_alone="-I\"$prefix/include/xetile\" -lm"
from_prefix="-DXETILE_DECLARATIONS -I\"$prefix/include/xetile\" -L\"$prefix/lib\" -lxetile -lm"
static=$from_prefix
if command -v pkg-config >/dev/null 2>&1; then
    from_prefix=$(PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --cflags --libs xetile)
    static=$(PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --static --cflags --libs xetile)
    check_says "pkg-config" "-lxetile -lm" echo "$from_prefix"
    check_says "pkg-config" "-DXETILE_DECLARATIONS" echo "$from_prefix"
else
    skip "pkg-config" "it is not installed"
fi

# One folder per example, so that nothing of the source tree is found by accident.
compiles() { # compiles SOURCE FLAGS
    rm -rf "$work/alone" && mkdir "$work/alone" && cp examples/*.h "$work/alone/" && cp "$1" "$work/alone/main.c" || return 1
    compiler=$CC
    grep -q '#include <mpi.h>' "$1" && compiler="${MPICC:-mpicc}"
    (cd "$work/alone" && eval "$compiler $strict main.c $2")
}
builds() { # builds SOURCE FLAGS
    compiles "$1" "-o program $2" && LD_LIBRARY_PATH="$prefix/lib" "$work/alone/program" --help
}
needs_library() { readelf -d "$work/alone/program" | grep -q 'NEEDED.*libxetile\.so\.[0-9]'; }
turn=0
for example in examples/*.c; do
    name=$(basename "$example" .c) turn=$((turn + 1))
    if grep -q '#include <mpi.h>' "$example" && ! command -v "${MPICC:-mpicc}" >/dev/null 2>&1; then
        skip "$name" "${MPICC:-mpicc} is not installed"
        continue
    fi
    if [ $((turn % 2)) = 0 ] || thorough; then check "$name builds against the installed headers" builds "$example" "$from_prefix"; fi
    if [ $((turn % 2)) = 1 ] || thorough; then check "$name compiles against copied headers" compiles "$example" "-fsyntax-only -DXETILE_DECLARATIONS $from_copy"; fi
done
copied=layout # no ze_dispatch.h
if thorough; then copied="batched_gemm mlp_inference layout"; fi # coopmatrix.h, coopvec.h; test_headers.sh links each header
for name in $copied; do
    check "$name builds against copied headers" builds "examples/$name.c" "$from_copy"
done
hello_runs() { # hello_runs NAME FLAGS
    check "hello builds with $1" builds examples/hello.c "$2"
    check_says "hello runs with $1" "ok hello" env LD_LIBRARY_PATH="$prefix/lib" XETILE_SOFT="$prefix/lib/libze_soft.so" "$work/alone/program"
}
hello_runs "the headers alone" "$headers_alone"
hello_runs "libxetile.so" "$from_prefix"
check "hello needs libxetile.so" needs_library
hello_runs "libxetile.a" "$(echo "$static" | sed 's/-lxetile/-l:libxetile.a/')"
check "hello has libxetile.a in it" eval "! needs_library"

# The README's command line; it has no quotes, so its prefix must not contain spaces.
readme_line() {
    ln -s "$prefix" "$work/plain" && mkdir "$work/line" && cp examples/gemm.c "$work/line/" &&
        sed -n "s|^    \(cc .*\)pkg-config \(.*xetile.*\)|\1pkg-config --define-variable=prefix=$work/plain \2 --m 64 --n 48 --k 40|p" README.md \
            > "$work/line/run.sh" && cd "$work/line" &&
        PKG_CONFIG_PATH="$prefix/lib/pkgconfig" LD_LIBRARY_PATH="$prefix/lib" XETILE_DEVICE=software sh -e run.sh
}
if command -v pkg-config >/dev/null 2>&1; then check_says "the README's line with pkg-config" "ok gemm" readme_line
else skip "the README's line with pkg-config" "it is not installed"; fi

# Meson, against the installed library; CMake, with the headers copied into the project.
meson_project() {
    mkdir "$work/meson" && cp examples/hello.c "$work/meson/" && block meson > "$work/meson/meson.build" && cd "$work/meson" &&
        PKG_CONFIG_PATH="$prefix/lib/pkgconfig" meson setup build && meson compile -C build && build/hello --device software
}
cmake_project() {
    mkdir -p "$work/cmake/xetile" && cp examples/hello.c "$work/cmake/" && cp ./*.h "$work/cmake/xetile/" &&
        block cmake > "$work/cmake/CMakeLists.txt" && cd "$work/cmake" && cmake -S . -B build && cmake --build build &&
        build/hello --device software
}
if ! command -v meson >/dev/null 2>&1 || ! command -v ninja >/dev/null 2>&1; then skip "Meson" "meson or ninja is not installed"
elif ! command -v pkg-config >/dev/null 2>&1; then skip "Meson" "pkg-config is not installed"
else check_says "the README's Meson project" "ok hello" meson_project; fi
if command -v cmake >/dev/null 2>&1; then check_says "the README's CMake project" "ok hello" cmake_project
else skip "CMake" "cmake is not installed"; fi

check "uninstall" make uninstall BUILD="$BUILD" PREFIX="$prefix"
check "nothing is left" test -z "$(find "$prefix" ! -type d)"
check "nor the folder of headers" test ! -e "$prefix/include/xetile"
check "uninstall once more" make uninstall BUILD="$BUILD" PREFIX="$prefix"
check "install below DESTDIR" make install BUILD="$BUILD" PREFIX=/usr DESTDIR="$root"
check "xetile.pc names the prefix, not DESTDIR" grep -qx "prefix=/usr" "$root/usr/lib/pkgconfig/xetile.pc"
report
