#!/bin/sh
# portability.sh - compilers, libraries, CPUs and languages: runs each row of docs/portability.md that the tools here allow, and prints
# the table.
#
#     scripts/portability.sh              all rows, in about ten minutes
#     scripts/portability.sh ROW...       some of them; --list prints their names
#
# "The same modules" compares what every example emits (but mpi_summa) with what it emits here, built by cc, for three targets in
# turn; layout's tables are compared, too. Exit code 1 if a row fails.
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}
CC=${CC:-cc}
export BUILD CC
unset MAKEFLAGS MFLAGS
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
examples=$(cd examples && ls ./*.c | sed -e 's:^\./::' -e 's/\.c$//' | grep -v mpi_)
failed=0

there() { command -v "$1" >/dev/null 2>&1; }
version() { "$@" --version 2>/dev/null | head -n 1 | sed 's/ (.*)//'; }

# Level Zero's headers and, where they are installed, Vulkan's, for compilers that do not search the system's folders.
other_headers() {
    [ -d "$work/include" ] && return
    mkdir -p "$work/include"
    for header in level_zero/ze_api.h vulkan/vulkan_core.h vk_video/vulkan_video_codec_h264std.h; do
        found=$(echo "#include <$header>" | $CC -E -x c - 2>/dev/null | sed -n "s|^# [0-9]* \"\\(.*\\)/$header\".*|\\1|p" | head -n 1)
        [ -z "$found" ] || ln -s "$found/${header%/*}" "$work/include/"
    done
}

# What every example emits, in FOLDER; RUN starts a program, the other words compile one.
emit() { # emit FOLDER RUN COMPILER...
    to=$1 run=$2 turn=0
    shift 2
    mkdir -p "$to"
    "$@" -I. -isystem "$work/include" -DXETILE_DECLARATIONS -c -o "$to/libxetile.o" src/libxetile.c || return 1
    for example in $examples; do
        "$@" -I. -isystem "$work/include" -DXETILE_DECLARATIONS -o "$to/$example" "examples/$example.c" "$to/libxetile.o" -lm || return 1
        turn=$((turn + 1))
        case $((turn % 3)) in 0) target=pvc ;; 1) target=bmg ;; *) target=dg2 ;; esac
        case $example in
        layout) $run "$to/layout" --rows 8 --cols 15 --svg "$to/layout.svg" > "$to/layout.out" ;;
        tiny_compiler) $run "$to/tiny_compiler" examples/mandelbrot.tiny --emit "$to/tiny_compiler.spv" ;;
        *) $run "$to/$example" --emit "$to/$example.spv" --target $target ;;
        esac > "$to/said" 2>&1 || { cat "$to/said"; echo "$example: $run failed"; return 1; }
    done
}

# Each file must be the same, or have its words swapped.
compare() { # compare FOLDER
    same=0 swapped=0
    for file in "$work"/here/*.spv "$work"/here/*.svg; do
        base=$(basename "$file")
        if cmp -s "$file" "$1/$base"; then same=$((same + 1))
        elif od -An -v -tx1 -w4 "$file" | sed 's/^ \(..\) \(..\) \(..\) \(..\)$/ \4 \3 \2 \1/' > "$work/a"; od -An -v -tx1 -w4 "$1/$base" | cmp -s - "$work/a"; then
            swapped=$((swapped + 1))
        else
            echo "$base differs"
            return 1
        fi
    done
    echo "$same files are the same"
    [ "$swapped" = 0 ] || echo "$swapped modules are the same with the bytes of each word swapped"
    [ $((same + swapped)) -gt 15 ] && cmp "$work/here/layout.out" "$1/layout.out"
}

same_modules() { # same_modules RUN COMPILER...
    other_headers
    [ -d "$work/here" ] || emit "$work/here" "" $CC -std=c11 -O0 || return 1
    emit "$work/there" "$@" && compare "$work/there"
    code=$?
    rm -rf "$work/there"
    return $code
}

emulated() { # emulated CPU TRIPLE: modules of programs for another CPU
    same_modules "qemu-$1 -L /usr/$2" "$2-gcc" -std=c11 -O0 -Wall -Wextra -Wpedantic -Werror
}

# A copy of this repository that cannot be written, in a folder with a space, built elsewhere: nothing in it changes.
spaced() {
    copy="$work/a folder" out=$work/out
    mkdir "$copy" && git archive HEAD | tar -x -C "$copy" && chmod -R a-w "$copy" || return 1
    (cd "$copy" && find . -type f -exec cksum {} +) | sort > "$work/before"
    make -C "$copy" -j2 CC="$CC" CFLAGS=-O0 BUILD="$out" soft "$out/hello" > "$work/log" 2>&1 || { tail -5 "$work/log"; return 1; }
    XETILE_SOFT="$out/libze_soft.so" "$out/hello" --device software || return 1
    $CC -std=c11 -I"$copy" -o "$work/a folder.out" examples/gemm.c -lm && "$work/a folder.out" --emit "$work/a module.spv" || return 1
    (cd "$copy" && find . -type f -exec cksum {} +) | sort | cmp - "$work/before"
    code=$?
    chmod -R u+w "$copy"
    return $code
}

script() { # script FILE: a test, with the programs that it runs; what it skips is shown
    make -j2 CC="$CC" soft examples > "$work/log" 2>&1 || { tail -5 "$work/log"; return 1; }
    sh "$1" > "$work/log" 2>&1
    code=$?
    grep '^skipped' "$work/log"
    grep -A 5 '^FAILED' "$work/log"
    tail -n 1 "$work/log"
    return $code
}

# Debian's gcc looks for the kernel's headers in a folder of its own for 32 bits, where they are only with gcc-multilib.
linux_headers=-idirafter/usr/include/$(gcc -print-multiarch 2>/dev/null)

# A row: its name, what is shown, what has to be there, how it is run.
rows() {
    cat <<'END'
gcc|the same modules at -O2, no warnings|gcc|same_modules "" gcc -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror
clang|the same modules, no warnings|clang|same_modules "" clang -std=c11 -O0 -Wall -Wextra -Wpedantic -Werror
c++|headers in C++17, kernels in C++20 (g++ and clang++), the same modules as in C|g++|script tests/project/test_cpp.sh
windows|mingw-w64 and wine: the same modules, a program's calls to a pretended driver|x86_64-w64-mingw32-gcc wine|script tests/windows/test_windows.sh
msvc|clang for Microsoft's ABI: no GNU extensions, no warnings; C11, C++17 and C++20; compiled only|clang x86_64-w64-mingw32-gcc|script tests/windows/test_msvc.sh
musl|the same modules, no warnings|musl-gcc|same_modules "" musl-gcc -std=c11 -O0 -static -Wall -Wextra -Wpedantic -Werror
32-bit|x86, the same modules, no warnings|-m32|same_modules "" gcc -m32 $linux_headers -std=c11 -O0 -Wall -Wextra -Wpedantic -Werror
aarch64|the same modules, under QEMU|qemu-aarch64 aarch64-linux-gnu-gcc|emulated aarch64 aarch64-linux-gnu
riscv64|the same modules, under QEMU|qemu-riscv64 riscv64-linux-gnu-gcc|emulated riscv64 riscv64-linux-gnu
s390x|big-endian; modules in that byte order, under QEMU|qemu-s390x s390x-linux-gnu-gcc|emulated s390x s390x-linux-gnu
other-cpus|the software device on AArch64, RISC-V and x86-64 without AVX, under QEMU|qemu-x86_64|script tests/soft/test_other_cpus.sh
paths|a read-only repository in a folder with a space|git|spaced
vendored|headers copied next to a program|cc|script tests/project/test_vendor.sh
install|make install to a prefix with a space; pkg-config|pkg-config|script tests/project/test_install.sh
builds|CMake and Meson: subprojects, fetched, installed and found|cmake|script tests/project/test_builds.sh
python|a kernel launched from Python by ctypes|python3|script tests/project/test_python.sh
END
}

missing_of() { # the first tool of a row that is not here
    for tool in $1; do
        case $tool in
        -m32) printf 'int main(void) { return 0; }\n' | gcc -m32 -x c - -o "$work/m32" 2>/dev/null && "$work/m32" || { echo "gcc's 32-bit library"; return; } ;;
        *) there "$tool" || { echo "$tool"; return; } ;;
        esac
    done
}

[ "${1:-}" != --list ] || { rows | cut -d'|' -f1; exit; }
echo "| row | what is shown | result |"
echo "| --- | --- | --- |"
rows > "$work/rows"
for wanted; do grep -q "^$wanted|" "$work/rows" || { echo "portability: no row $wanted; --list prints them" >&2; exit 1; }; done
while IFS='|' read -r name what tools command; do
    [ $# = 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
    missing=$(missing_of "$tools")
    if [ -n "$missing" ]; then result="skipped: $missing is not installed"
    elif eval "$command" > "$work/result" 2>&1 < /dev/null; then
        result=$(grep -E '^(skipped|[0-9]+ (passed|files|modules))' "$work/result" | tr '\n' ';' | sed 's/;$//; s/;/; /g')
        result="yes. $result"
    else
        result="**no**" failed=1
        tail -20 "$work/result" >&2
    fi
    echo "| $name | $what | ${result% } |"
done < "$work/rows"
exit $failed
