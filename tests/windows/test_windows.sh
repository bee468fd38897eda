#!/bin/sh
# Programs for Windows, compiled by mingw-w64 and run by wine: headers with windows.h before and after them, in C and C++; examples
# (all with THOROUGH=1) emit the bytes that they emit here; without ze_loader.dll a program starts and says so; Level Zero's flow with a pretend
# ze_loader.dll, in which each call fails in turn; the README's program. test_msvc.sh has what clang for Microsoft's ABI says.
. "$(dirname "$0")/../test.sh"
[ -z "${SANITIZE:-}" ] || { skip "programs for Windows" "not under sanitizers"; report; exit; }
mingw=x86_64-w64-mingw32-gcc
command -v $mingw >/dev/null 2>&1 || { skip "programs for Windows" "mingw-w64 is not installed"; report; exit; }
mkdir "$work/ze"
for header in level_zero/ze_api.h vulkan/vulkan.h vk_video/vulkan_video_codecs_common.h; do # Vulkan's, if they are here
    found=$(echo "#include <$header>" | $CC -E -x c - 2>/dev/null | sed -n "s|^# [0-9]* \"\(.*/${header%%/*}\)/${header#*/}\".*|\1|p" | head -n 1)
    [ -z "$found" ] || ln -s "$found" "$work/ze/${header%%/*}"
done
flags="-Wall -Wextra -Wpedantic -Werror -I. -isystem $work/ze"
all="coopvec xetile ze_dispatch"
[ ! -e "$work/ze/vulkan" ] || all="$all vk_dispatch"

with_windows_h() { # with_windows_h COMPILER...: every header, with windows.h on either side; bodies only see what is before them
    { echo "#include <windows.h>"; for header in $all; do echo "#include \"$header.h\""; done; } > "$work/before.c"
    { for header in $all; do echo "#include \"$header.h\""; done; echo "#include <windows.h>"; } > "$work/after.c"
    # shellcheck disable=SC2086
    "$@" $flags -fsyntax-only "$work/before.c" && "$@" $flags -DXETILE_DECLARATIONS -fsyntax-only "$work/after.c" &&
        { ! thorough || "$@" $flags -O1 -c -o "$work/before.o" "$work/before.c"; }
}
check "with windows.h, C" with_windows_h $mingw -std=c11
if command -v x86_64-w64-mingw32-g++ >/dev/null 2>&1; then check "with windows.h, C++" with_windows_h x86_64-w64-mingw32-g++ -x c++ -std=c++17
else skip "with windows.h, C++" "mingw-w64's g++ is not installed"; fi

build() { # build NAME SOURCE FLAGS...: to NAME.exe
    name=$1 source=$2
    shift 2
    # shellcheck disable=SC2086
    check "$name.exe" $mingw -std=c11 $flags -o "$work/$name.exe" "$source" "$@"
}
# shellcheck disable=SC2086
check "the library" $mingw -std=c11 $flags -DXETILE_DECLARATIONS -c -o "$work/libxetile.o" src/libxetile.c
examples=$(cd examples && ls ./*.c | sed -e 's:^\./::' -e 's/\.c$//' | grep -v mpi_)
[ -e "$work/ze/vulkan" ] || examples=$(echo "$examples" | grep -v hello_vulkan)
if ! thorough; then # every third one, and gemm
    examples=$(echo "$examples" | awk 'NR % 3 == 0 || /^gemm$/ || /^hello/')
fi
for example in $examples; do build "$example" "examples/$example.c" -DXETILE_DECLARATIONS "$work/libxetile.o"; done
mkdir "$work/dll"
# shellcheck disable=SC2086
check "ze_loader.dll" $mingw -std=c11 $flags -Itests -shared -o "$work/dll/ze_loader.dll" tests/windows/loader.c
build flow tests/windows/flow.c -DXETILE_DECLARATIONS "$work/libxetile.o"
awk '$0 == "```c" && !done { on = 1; next } /^```$/ { if (on) done = 1; on = 0 } on' README.md > "$work/readme.c"
build readme "$work/readme.c"

if command -v wine >/dev/null 2>&1; then
    WINEPREFIX="$(cd "$BUILD" && pwd)/wine" WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml="
    export WINEPREFIX WINEDEBUG WINEDLLOVERRIDES
    # A folder of wine's takes a quarter of a minute to make, but programs of a console need only a few of the libraries in it, and
    # the mark that keeps wine from making the rest. Where a program does not start so, wine makes the folder. It is kept.
    few_libraries() {
        from=$(ls -d /usr/lib/*/wine/x86_64-windows /usr/lib*/wine/x86_64-windows /opt/wine*/lib*/wine/x86_64-windows 2>/dev/null | head -n 1)
        to="$WINEPREFIX/drive_c/windows/system32"
        [ -n "$from" ] && mkdir -p "$to" && printf disable > "$WINEPREFIX/.update-timestamp" &&
            for library in ntdll kernelbase kernel32 msvcrt ucrtbase advapi32 sechost rpcrt4; do cp "$from/$library.dll" "$to/" || return 1; done &&
            wine "$work/gemm.exe" --help
    }
    [ -d "$WINEPREFIX" ] || few_libraries > "$work/said" 2>&1 || rm -rf "$WINEPREFIX"
    same_bytes() { # same_bytes EXAMPLE TARGET
        "$BUILD/$1" --emit "$work/here.spv" --target "$2" && wine "$work/$1.exe" --emit "$work/there.spv" --target "$2" &&
            cmp "$work/here.spv" "$work/there.spv"
    }
    turn=0
    for example in $examples; do
        case $example in layout) continue ;; esac # it has no --target
        turn=$((turn + 1))
        [ -x "$BUILD/$example" ] || { skip "$example emits the same bytes" "it is not built"; continue; }
        for target in pvc bmg dg2; do
            case $turn:$target in *[0369]:pvc | *[147]:bmg | *[258]:dg2) ;; *) thorough || continue ;; esac
            check "$example emits the same bytes for $target" same_bytes "$example" $target
        done
    done
    check_refused "no loader: gemm says so" "no Level Zero driver: ze_loader.dll cannot be opened" wine "$work/gemm.exe" --m 16 --n 16 --k 16
    for name in flow readme; do cp "$work/$name.exe" "$work/dll/"; done
    check_says "the README's program" "4999.5" wine "$work/dll/readme.exe"
    check_says "Level Zero's flow" "ok flow on Intel(R) Arc(TM) B580" wine "$work/dll/flow.exe"
    check_says "nothing is left of it" " 0 alive, 3 launches, none failed" wine "$work/dll/flow.exe"
    calls=$(wine "$work/dll/flow.exe" 2>&1 | sed -n 's/^pretend: \([0-9]*\) calls.*/\1/p')
    check "it makes calls" test "${calls:-0}" -gt 30
    fails_cleanly() { # fails_cleanly CALL: an error that names Level Zero's, and nothing left; or the call is one that may fail
        PRETEND_FAIL_AT=$1 wine "$work/dll/flow.exe" > "$work/said" 2>&1
        code=$?
        cat "$work/said"
        grep -q " 0 alive" "$work/said" && ! grep -q "none failed" "$work/said" && { [ $code = 0 ] || grep -q "flow.c:[0-9]*: ZED_" "$work/said"; }
    }
    at=1
    while [ "$at" -le "${calls:-0}" ]; do
        check "call $at fails" fails_cleanly $at
        if thorough; then at=$((at + 1)); else at=$((at + 11)); fi
    done
else
    skip "programs for Windows under wine" "wine is not installed"
fi
report
