#!/bin/sh
# CMake and Meson: this repository by itself, as a subproject and, with CMake, installed and found; with bodies in the program's file
# and in a library; with each option on and off. (The sample has a library in what is built by itself only, and add_subdirectory
# as FetchContent calls it.) Each program runs. One version everywhere; LIBDIR; a space in BUILD is refused.
. "$(dirname "$0")/../test.sh"
[ -z "${SANITIZE:-}" ] || { skip builds "not under sanitizers"; report; exit; }
top=$(pwd)
built=$(cd "$BUILD" && pwd)
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

# The compiler of all these projects compiles the same text with the same options once, whatever the sources' folders are: the
# library takes seconds.
mkdir "$work/objects"
compiler=$(command -v "${CC%% *}")
cat > "$work/cc" <<END
#!/bin/sh
case " \$* " in *" -c "*) ;; *) exec "$compiler" "\$@" ;; esac
options= object= before=
for word; do
    shift
    case \$before:\$word in
    -o:*) object=\$word before= && continue ;;
    *:-o) before=-o && continue ;;
    -M[FTQ]:* | -isystem:* | *:-I* | *:-isystem | *:*.c) ;; # names of files, of which the text tells what matters
    *) options="\$options \$word" ;;
    esac
    before=\$word
    set -- "\$@" "\$word"
done
"$compiler" "\$@" -E -P -o "\$object.i" || exit 1
same=$work/objects/\$({ echo "\$options"; sed 's|"[^" ]*/|"|g' "\$object.i"; } | sha256sum | cut -c 1-64).o
[ -e "\$same" ] || "$compiler" "\$@" -o "\$same" || exit 1
cp "\$same" "\$object" && rm "\$object.i"
END
chmod +x "$work/cc"
export CC="$work/cc"

project() { # project FOLDER LINE...: a CMake project of hello.c
    mkdir "$work/$1" && cp examples/hello.c "$work/$1/" && cd "$work/$1" || return 1
    shift
    { echo "cmake_minimum_required(VERSION 3.13)"; echo "project(user C)"; printf '%s\n' "$@"; } > CMakeLists.txt
}
builds_and_runs() { # builds_and_runs FLAGS...
    cmake -S . -B out "$@" && cmake --build out && out/hello --device software
}
subdirectory() { # subdirectory TARGET FOLDER
    project "$2" "add_subdirectory($top xetile)" "add_executable(hello hello.c)" "target_link_libraries(hello PRIVATE $1)" &&
        builds_and_runs
}
fetched() {
    project fetched "cmake_policy(SET CMP0135 NEW)" "include(FetchContent)" "FetchContent_Declare(xetile SOURCE_DIR $top)" \
        "set(XETILE_LIBRARY OFF)" "FetchContent_MakeAvailable(xetile)" "add_executable(hello hello.c)" \
        "target_link_libraries(hello PRIVATE xetile::xetile)" "if(TARGET xetile::library OR TARGET ze_soft OR XETILE_TESTS)" \
        "message(FATAL_ERROR \"an option is on\")" "endif()" && builds_and_runs
}
# The software device's objects are there already: they take longer than all the rest.
with_objects() { mkdir -p "$1" && cp -a "$built/soft" "$built/soft_text.c" "$1/"; }
by_itself() { # all options are on
    with_objects "$work/own" && cmake -S "$top" -B "$work/own" && cmake --build "$work/own" &&
        test -s "$work/own/libze_soft.so" && (cd "$work/own" && env -u XETILE_SOFT ctest --output-on-failure)
}
found() {
    cmake --install "$work/own" --prefix "$work/prefix" && cmp "$work/own/libze_soft.so" "$work/prefix/$libdir/libze_soft.so" &&
        project found "find_package(xetile $version REQUIRED)" "add_executable(hello hello.c)" \
            "target_link_libraries(hello PRIVATE xetile::library)" &&
        XETILE_SOFT="$work/prefix/$libdir/libze_soft.so" builds_and_runs -DCMAKE_PREFIX_PATH="$work/prefix"
}
headers_of() { (cd "$1" && ls ./*.h); }
if command -v cmake >/dev/null 2>&1; then
    check_says "CMake: add_subdirectory, the library" "ok hello" subdirectory xetile::library with_library
    check_says "CMake: add_subdirectory, headers" "ok hello" subdirectory xetile::xetile with_headers
    check_says "CMake: FetchContent, headers only" "ok hello" fetched
    check_says "CMake: by itself, with the software device and its test" "100% tests passed" by_itself
    libdir=$(sed -n 's/^CMAKE_INSTALL_LIBDIR:PATH=//p' "$work/own/CMakeCache.txt")
    check_says "CMake: installed and found" "ok hello" found
    check "CMake installs the headers that make does" test "$(headers_of "$work/prefix/include/xetile")" = "$(headers_of "$top")"
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
        meson setup out -Dbuildtype=plain && meson compile -C out && out/hello --device software && out/linked --device software
}
meson_by_itself() {
    with_objects "$work/meson_own" && cd "$top" && meson setup "$work/meson_own" -Dbuildtype=plain -Dsoftware_device=true &&
        meson compile -C "$work/meson_own" && test -s "$work/meson_own/libze_soft.so" &&
        env -u XETILE_SOFT meson test -C "$work/meson_own"
}
if command -v meson >/dev/null 2>&1 && command -v ninja >/dev/null 2>&1; then
    check_says "Meson: a subproject" "ok hello" meson_subproject
    check_says "Meson: by itself, with the software device and its test" "hello OK" meson_by_itself
    cd "$top" || exit 1
else
    skip Meson "meson or ninja is not installed"
fi
report
