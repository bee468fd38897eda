#!/bin/sh
# test_newer_api.sh - one build of the device serves every version of Level Zero: what soft/ze declares for headers that lack it
# is what newer headers say, and tests built with those pass under a newer loader. They are looked for in the system, then in the
# system whose root folder is $ZE_NEWER (default: that of $XE_OFFLINE), a folder of Debian sid with libze-dev, for example.
. "$(dirname "$0")/../test.sh"
unset ZE_ENABLE_VALIDATION_LAYER ZE_ENABLE_PARAMETER_VALIDATION # a newer loader has other checks
root=${ZE_NEWER:-${XE_OFFLINE_ROOT:-${TMPDIR:-/var/tmp}/xe-offline}}
version=17 # the driver's

minor_of() { # minor_of FLAGS: the version of the API in the header that the compiler finds, without its major 1
    printf '#include <level_zero/ze_api.h>\nversion ZE_API_VERSION_CURRENT_M\n' | $CC $1 -E - 2>/dev/null |
        sed -n 's/^version.*[(|] *( *\([0-9]*\) *& *0x0000ffff *).*/\1/p'
}

find_headers() { # sets $flags and $library (empty: the system's)
    library= flags=
    [ "$(minor_of "")" -ge $version ] 2>/dev/null && return
    mkdir -p "$work/include"
    ln -sfn "$root/usr/include/level_zero" "$work/include/level_zero"
    flags="-I$work/include"
    library=$(ls "$root"/usr/lib/*/libze_loader.so 2>/dev/null | head -n 1)
    library=${library%/*}
    [ "$(minor_of "$flags")" -ge $version ] 2>/dev/null && [ -n "$library" ]
}

# ---- declarations

compile() { # compile NAME FILE: it must compile without a warning
    check "$1" $CC $flags -Isoft -std=gnu11 -fsyntax-only -Wall -Wextra -Werror "$2"
}

# Numbers: ours, as macros, against those of the header's enumerations.
numbers() {
    sed -n 's/^#define \(ZE_[A-Z0-9_]*\) [(0-9].*/\1/p' soft/ze/newer.h > "$work/names"
    {
        echo '#include <level_zero/ze_api.h>'
        sed 's/.*/static const long long its_& = (long long)&;/' "$work/names"
        echo '#include "ze/newer.h"'
        echo 'int differs(void) { return 0'
        sed 's/.*/ + (its_& != (long long)& \&\& printf("&\\n"))/' "$work/names"
        echo '; }'
        echo 'int main(void) { return differs(); }'
    } | sed '1i #include <stdio.h>' > "$work/numbers.c"
    [ "$(wc -l < "$work/names")" -ge 40 ] || fail numbers "few numbers are found in soft/ze/newer.h"
    check "numbers compile" $CC $flags -Isoft -std=gnu11 -o "$work/numbers" "$work/numbers.c"
    check "numbers" "$work/numbers"
}

# Structures: the header's, and ours under other names, member by member.
structures() {
    sed '/^\/\* ---- functions/,$d' soft/ze/newer.h > "$work/types.h"
    echo '#endif' >> "$work/types.h"
    sed -n 's/^typedef struct \(_[a-z0-9_]*\) {$/\1/p' "$work/types.h" > "$work/tags"
    [ "$(wc -l < "$work/tags")" -ge 20 ] || fail structures "few structures are found in soft/ze/newer.h"
    # Lines `structure member`: a declaration may have several.
    awk '/^typedef struct.*{$/ { tag = substr($3, 2); next } /^}/ { tag = "" }
         tag { sub(/;.*/, ""); n = split($0, part, ",")
               for (i = 1; i <= n; i++) { sub(/\[.*/, "", part[i]); m = split(part[i], word, /[ *]+/); print tag, word[m] } }' \
        "$work/types.h" > "$work/members"
    {
        printf '#include <stddef.h>\n#include <level_zero/ze_api.h>\n#define SOFT_HEADER 4\n'
        printf '#undef ZE_KERNEL_MAX_GROUP_SIZE_PROPERTIES_EXT_NAME\n'
        sed 's/^_\(.*\)/#define _\1 _our_\1\n#define \1 our_\1/' "$work/tags"
        echo '#include "types.h"'
        sed 's/^_\(.*\)/#undef _\1\n#undef \1/' "$work/tags"
        sed 's/^_\(.*\)/_Static_assert(sizeof(\1) == sizeof(our_\1), "the size of \1");/' "$work/tags"
        sed 's/^\(.*\) \(.*\)/_Static_assert(offsetof(\1, \2) == offsetof(our_\1, \2) \&\& sizeof(((\1 *)0)->\2) == sizeof(((our_\1 *)0)->\2), "\1: \2");/' \
            "$work/members"
    } > "$work/structures.c"
    compile "structures" "$work/structures.c"
}

# Functions: the compiler compares prototypes.
functions() {
    printf '#include <level_zero/ze_api.h>\n#include "ze/newer.h"\n' > "$work/functions.c"
    compile "functions" "$work/functions.c"
}

# Tables: the n-th entry of ours is the n-th of the header's; and where logs.c expects the functions of logs.
tables() {
    {
        printf '#include <stddef.h>\n#include <level_zero/ze_ddi_common.h>\n#define WORD sizeof(void *)\n'
        awk 'function snake(s) { gsub(/[A-Z]/, "_&", s); return tolower(s) }
             /^TABLE\(ze/ { class = $1; sub(/TABLE\(zeGet/, "", class); sub(/ProcAddrTable,/, "", class)
                            type = "ze" snake(class) "_dditable_t"; sub(/Exp$/, "", class); if (class == "Global") class = ""; n = 0 }
             /^    (IS|NO)\([0-9]+, ze/ { name = $2; sub(/\).*/, "", name); sub("^ze" class, "", name)
                 printf "_Static_assert(offsetof(%s, pfn%s) == %d * WORD, \"%s: %s\");\n", type, name, n++, type, name }' soft/ze/tables.c
        place=$(sed -n 's/.*LAST_PLACE = \([0-9]*\),.*/\1/p' soft/ze/logs.c)
        table=$(sed -n 's/.*TABLE_IN_FACE = \([0-9]*\) .*/\1/p' soft/ze/logs.c)
        echo "_Static_assert(offsetof(ze_dditable_t, ModuleBuildLog.pfnDestroy) == $place * WORD, \"logs\");"
        echo "_Static_assert(offsetof(ze_dditable_driver_t, ModuleBuildLog) == ($table + 1) * WORD, \"logs\");"
        echo "_Static_assert(offsetof(ze_dditable_driver_t, isValidFlag) == 4, \"logs\");"
    } > "$work/tables.c"
    [ "$(grep -c offsetof "$work/tables.c")" -ge 200 ] || fail tables "few entries are found in soft/ze/tables.c"
    compile "tables" "$work/tables.c"
}

# ---- under a newer loader

# A program that finds the libraries of that system only, its C library and dynamic linker included.
build_program() { # build_program NAME
    linker=
    if [ -n "$library" ]; then
        linker="-L$library -Wl,-rpath,$library,--disable-new-dtags -Wl,--dynamic-linker=$root/lib64/ld-linux-x86-64.so.2 -Wl,--allow-shlib-undefined"
    fi
    $CC -std=c11 -O0 -g $flags -DXETILE_DECLARATIONS -I. -Itests -o "$work/$1" "tests/soft/$1.c" "$BUILD/libxetile.a" $linker \
        -lze_loader -lpthread -ldl -lm
}

# Its cases that need newer headers, and all others, pass.
run_program() { # run_program NAME LEAST: the least number of cases
    check "$1 is built with newer headers" build_program "$1"
    [ -x "$work/$1" ] || return
    output=$("$work/$1" 2>&1)
    code=$?
    cases=$(printf '%s\n' "$output" | sed -n '$s/^\([0-9]*\) passed.*/\1/p')
    if [ $code = 0 ] && [ "${cases:-0}" -ge "$2" ]; then pass; else fail "$1 under a newer loader (exit code $code)" "$output"; fi
}

# With several drivers, the loader takes the log of a failed build for an object of its own: it must find the device's functions.
logs_of_several_drivers() { # logs_of_several_drivers NAME PROGRAM
    cp "$XETILE_SOFT" "$work/second_soft.so"
    check_says "$1" "1 passed, 0 failed" env TEST_ONLY=bad_modules_fail_with_a_log XETILE_SOFT="$XETILE_SOFT,$work/second_soft.so" "$2"
}

logs_of_several_drivers "logs, the system's loader" "$BUILD/test_soft_driver"
if ! find_headers; then
    skip "newer headers" "neither the system nor $root (\$ZE_NEWER) has level_zero/ze_api.h of version 1.$version or newer, and its loader"
    report
    exit
fi
numbers
structures
functions
tables
[ -z "${SANITIZE:-}" ] || { skip "programs under a newer loader" "a sanitizer's runtime is for this system's C library"; report; exit; }
for name in "test_soft_driver 83" "test_soft_graphs 15" "test_soft_counters 12" "test_soft_claims 7" "test_soft_intel 16"; do
    run_program ${name% *} ${name#* }
done
[ ! -x "$work/test_soft_driver" ] || logs_of_several_drivers "logs, a newer loader" "$work/test_soft_driver"
report
