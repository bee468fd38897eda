#!/bin/sh
# make install into a folder of its own: an example builds and runs against what was installed, uninstall leaves nothing.
. "$(dirname "$0")/test.sh"
[ -z "${SANITIZE:-}" ] || { skip install "not under sanitizers"; report; exit; }
prefix="$work/a prefix" # a space, as people have them
root="$work/root"

build_installed() {
    # shellcheck disable=SC2046
    $CC -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$prefix/include/xetile" -o "$work/hello" examples/hello.c -lze_loader -lm
}

check "install" make install BUILD="$BUILD" PREFIX="$prefix"
for file in include/xetile/xetile.h include/xetile/spirv_emit.h include/xetile/coopmatrix.h include/xetile/ze_dispatch.h \
    lib/libze_soft.so lib/pkgconfig/xetile.pc; do
    check "$file is installed" test -s "$prefix/$file"
done
check "hello builds against it" build_installed
check_says "and runs on the installed device" "ok hello" env XETILE_SOFT="$prefix/lib/libze_soft.so" "$work/hello"
check "uninstall" make uninstall BUILD="$BUILD" PREFIX="$prefix"
check "nothing is left" test -z "$(find "$prefix" -type f)"
check "install below DESTDIR" make install BUILD="$BUILD" PREFIX=/usr DESTDIR="$root"
check "xetile.pc names the prefix, not DESTDIR" grep -qx "prefix=/usr" "$root/usr/lib/pkgconfig/xetile.pc"
if command -v pkg-config >/dev/null 2>&1; then
    check_says "pkg-config" "-lze_loader" env PKG_CONFIG_PATH="$root/usr/lib/pkgconfig" pkg-config --cflags --libs xetile
else
    skip "pkg-config" "it is not installed"
fi
report
