#!/bin/sh
# CMake and Meson: this repository as a subproject and, with CMake, installed and found; with bodies in the program's file and in a
# library. Each program runs. One version everywhere; LIBDIR; a space in BUILD is refused.
. "$(dirname "$0")/../test.sh"
[ -z "${SANITIZE:-}" ] || { skip builds "not under sanitizers"; report; exit; }
top=$(pwd)
version=$(sed -n 's/^#define XETILE_VERSION "\(.*\)".*/\1/p' xetile.h spirv_emit.h | head -n 1)
check "the version is three numbers" sh -c "echo '$version' | grep -Eqx '[0-9]+[.][0-9]+[.][0-9]+'"
check "its macros agree" test "$(printf '#include "ze_dispatch.h"\nv XETILE_VERSION_MAJOR XETILE_VERSION_MINOR XETILE_VERSION_PATCH' |
    $CC -I. -E -P -x c - | sed -n 's/^v \(.*\)/\1/p' | tr ' ' .)" = "$version"
check "meson.build has it" grep -q "version: '$version'" meson.build
check "CHANGELOG.md has it" grep -q "^## $version" CHANGELOG.md
check_says "make has it" "xetile $version" make help

refuses() { ! "$@" 2>&1; }
check_says "a space in BUILD is refused" "choose a folder without one" refuses make soft BUILD="$work/a b"
check "install to lib64" make install BUILD="$BUILD" PREFIX=/usr LIBDIR=lib64 DESTDIR="$work/root"
check "the library is there" test -s "$work/root/usr/lib64/libxetile.a"
check "xetile.pc says where" grep -q "^libdir=.*/lib64" "$work/root/usr/lib64/pkgconfig/xetile.pc"
check "uninstall" make uninstall BUILD="$BUILD" PREFIX=/usr LIBDIR=lib64 DESTDIR="$work/root"
check "nothing is left" test -z "$(find "$work/root" ! -type d)"

project() { # project FOLDER LINE...: a CMake project of hello.c
    mkdir "$work/$1" && cp examples/hello.c "$work/$1/" && cd "$work/$1" || return 1
    shift
    { echo "cmake_minimum_required(VERSION 3.13)"; echo "project(user C)"; printf '%s\n' "$@"; } > CMakeLists.txt
}
builds_and_runs() { # builds_and_runs FLAGS...
    cmake -S . -B out -DCMAKE_BUILD_TYPE=Debug "$@" && cmake --build out && out/hello --device software
}
subdirectory() { # subdirectory TARGET FOLDER
    project "$2" "add_subdirectory($top xetile)" "add_executable(hello hello.c)" "target_link_libraries(hello PRIVATE $1)" &&
        builds_and_runs
}
fetched() {
    project fetched "cmake_policy(SET CMP0135 NEW)" "include(FetchContent)" "FetchContent_Declare(xetile SOURCE_DIR $top)" \
        "FetchContent_MakeAvailable(xetile)" "add_executable(hello hello.c)" "target_link_libraries(hello PRIVATE xetile::xetile)" &&
        builds_and_runs
}
found() {
    cmake -S "$top" -B "$work/own" -DXETILE_SOFTWARE_DEVICE=OFF && cmake --build "$work/own" && (cd "$work/own" && ctest) &&
        cmake --install "$work/own" --prefix "$work/prefix" &&
        project found "find_package(xetile $version REQUIRED)" "add_executable(hello hello.c)" \
            "target_link_libraries(hello PRIVATE xetile::library)" && builds_and_runs -DCMAKE_PREFIX_PATH="$work/prefix"
}
if command -v cmake >/dev/null 2>&1; then
    check_says "CMake: add_subdirectory, the library" "ok hello" subdirectory xetile::library with_library
    thorough && check_says "CMake: add_subdirectory, headers" "ok hello" subdirectory xetile::xetile with_headers
    check_says "CMake: FetchContent, headers" "ok hello" fetched
    check_says "CMake: installed and found" "ok hello" found
    cd "$top" || exit 1
else
    skip CMake "cmake is not installed"
fi
meson_subproject() {
    mkdir -p "$work/meson/subprojects" && ln -s "$top" "$work/meson/subprojects/xetile" &&
        cp examples/hello.c "$work/meson/" && cd "$work/meson" &&
        printf "%s\n" "project('user', 'c', default_options: ['c_std=c11'])" "xetile = subproject('xetile')" \
            "executable('hello', 'hello.c', dependencies: dependency('xetile'))" \
            "executable('linked', 'hello.c', dependencies: xetile.get_variable('xetile_library_dep'))" > meson.build &&
        meson setup out && meson compile -C out && out/hello --device software && out/linked --device software
}
if command -v meson >/dev/null 2>&1 && command -v ninja >/dev/null 2>&1; then
    check_says "Meson: a subproject" "ok hello" meson_subproject
    cd "$top" || exit 1
else
    skip Meson "meson or ninja is not installed"
fi
report
