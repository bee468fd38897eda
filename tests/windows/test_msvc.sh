#!/bin/sh
# What clang for Microsoft's ABI says of the headers and the examples, in C11, C++17 and C++20: no GNU extension, and no warning but of
# the kinds listed here. Nothing is linked or run. The system's headers are mingw-w64's with the library that Microsoft's compilers use
# (_UCRT), since Windows' own are not here. cl.exe itself, which needs /std:c11 /Zc:preprocessor, has not been tried.
. "$(dirname "$0")/../test.sh"
clang=$(command -v clang) || { skip "clang for Microsoft's ABI" "clang is not installed"; report; exit; }
sdk=/usr/share/mingw-w64/include
[ -d $sdk ] || sdk=$(x86_64-w64-mingw32-gcc -print-sysroot 2>/dev/null)/mingw/include
[ -f "$sdk/_mingw.h" ] || { skip "clang for Microsoft's ABI" "mingw-w64's headers are not installed"; report; exit; }

folder_of() { # folder_of HEADER: where the compiler finds it
    echo "#include <$1>" | $CC -E -x c - 2>/dev/null | sed -n "s|^# [0-9]* \"\\(.*\\)/$1\".*|\\1|p" | head -n 1
}
mkdir "$work/sdk"
for header in level_zero/ze_api.h vulkan/vulkan_core.h vk_video/vulkan_video_codec_h264std.h; do
    found=$(folder_of $header)
    [ -z "$found" ] || ln -s "$found/${header%/*}" "$work/sdk/"
done
# Attributes that mingw-w64 puts where Microsoft's compilers do not want them.
{
    echo "#include <_mingw.h>"
    for word in NOTHROW ATTRIB_NORETURN ATTRIB_DEPRECATED; do printf '#undef __MINGW_%s\n#define __MINGW_%s\n' $word $word; done
} > "$work/sdk/words.h"

# Style, and what is meant: declarations between statements, commas, switches with a default, casts of what a function returns,
# floats compared with ==, formats handed on by functions that Microsoft's compilers have no attribute for, the name that Windows has
# for a lock's structure (test_headers.sh finds names like it elsewhere).
meant="-Wno-declaration-after-statement -Wno-comma -Wno-switch-enum -Wno-bad-function-cast -Wno-float-equal -Wno-format-nonliteral
    -Wno-c++98-compat -Wno-c++98-compat-pedantic -Wno-old-style-cast -Wno-zero-as-null-pointer-constant -Wno-reserved-identifier -Wno-unknown-warning-option"
compile() { # compile STANDARD FILE FLAGS...
    standard=$1 file=$2
    shift 2
    case $standard in c++*) language="-x c++ -nostdinc++ -Wno-#warnings -isystem $library -isystem $library/x86_64-w64-mingw32" ;; *) language= ;; esac
    # shellcheck disable=SC2086
    "$clang" --target=x86_64-pc-windows-msvc -D_UCRT $language -std=$standard -fsyntax-only -pedantic-errors -Werror "$@" -I. \
        -isystem "$("$clang" -print-resource-dir)/include" -isystem "$work/sdk" -isystem "$sdk" -include words.h "$file"
}

library=$(ls -d /usr/lib/gcc/x86_64-w64-mingw32/*/include/c++ 2>/dev/null | head -n 1)
headers="spirv_emit coopmatrix coopvec xetile"
if [ -e "$work/sdk/level_zero" ]; then headers="$headers ze_dispatch"; else skip ze_dispatch.h "Level Zero's headers are not installed"; fi
if [ -e "$work/sdk/vulkan" ]; then headers="$headers vk_dispatch"; else skip vk_dispatch.h "Vulkan's headers are not installed"; fi
for header in $headers; do
    echo "#include \"$header.h\"" > "$work/$header.c"
    # shellcheck disable=SC2086
    check "$header.h" compile c11 "$work/$header.c" -Weverything $meant
    echo "#include \"$header.h\"" >> "$work/all.cpp"
done
if [ -d "$library" ]; then
    for standard in c++17 c++20; do
        # shellcheck disable=SC2086
        check "the headers in $standard" compile $standard "$work/all.cpp" -Weverything $meant
    done
else
    skip "the headers in C++" "mingw-w64's g++ is not installed"
fi
# Macros of the headers are seen where they are used.
for example in examples/*.c; do
    case $example in *mpi_*) continue ;; esac # MPI's headers are this system's
    check "$example" compile c11 "$example" -Wall -Wextra -DXETILE_DECLARATIONS
done
check "src/libxetile.c" compile c11 src/libxetile.c -Wall -Wextra -Wno-unused-function -DXETILE_DECLARATIONS

# It sees a GNU extension where one is.
printf '#define F(x, ...) 0\nint f(void);\nint f(void) { return ({ 1; }) + F(1); }\n' > "$work/user.c"
check_refused "a statement expression is refused" "statement expression" compile c11 "$work/user.c"
echo 'enum { LARGE = 0x80000000 };' > "$work/user.c"
check_refused "an enumerator beyond int is refused" "enumerator value" compile c11 "$work/user.c"
report
