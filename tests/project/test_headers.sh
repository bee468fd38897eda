#!/bin/sh
# Each header alone and all together, as C11 and as C++17 (in the sample, alone with gcc, one C++ compiler and, every other one,
# clang), with every warning an error; each (in the sample xetile.h and ze_dispatch.h) twice in each of two translation units of one
# program (test_linkage.sh has two with all headers, for every compiler). Skips compilers that are not installed.
# Also, lines of C must not exceed 120 columns, and a program must not contain what it cannot use.
. "$(dirname "$0")/../test.sh"
flags="-Wall -Wextra -Wpedantic -Werror -I."

includes() { # includes HEADER...
    for header in "$@"; do echo "#include \"$header\""; done
}
one_unit() { # one_unit COMPILER STANDARD SUFFIX HEADER...
    compiler=$1 standard=$2 unit="$work/unit.$3"
    shift 3
    includes "$@" > "$unit"
    # shellcheck disable=SC2086
    $compiler -std=$standard $flags -O1 -S -o "$work/unit.s" "$unit" # at -O0 gcc writes functions that nothing calls
}
two_units() { # two_units COMPILER STANDARD HEADER...
    compiler=$1 standard=$2
    shift 2
    { includes "$@"; echo "int two(void); int main(void) { return two(); }"; } > "$work/one.c"
    { includes "$@"; echo "int two(void); int two(void) { return 0; }"; } > "$work/two.c"
    # shellcheck disable=SC2086
    $compiler -std=$standard $flags -o "$work/program" "$work/one.c" "$work/two.c" -lm && "$work/program"
}

headers=$(ls spirv_emit.h coopmatrix.h coopvec.h xetile.h ze_dispatch.h 2>/dev/null)
if echo '#include <vulkan/vulkan_core.h>' | $CC -E -x c - > /dev/null 2>&1; then headers="$headers vk_dispatch.h"
else skip vk_dispatch.h "Vulkan's headers are not installed"; fi
for pair in gcc:c11:c clang:c11:c g++:c++17:cc clang++:c++17:cc; do
    compiler=${pair%%:*} rest=${pair#*:}
    standard=${rest%%:*} suffix=${rest#*:}
    command -v "$compiler" >/dev/null 2>&1 || { skip "headers with $compiler" "$compiler is not installed"; continue; }
    turn=0
    for header in $headers; do
        turn=$((turn + 1))
        case $compiler:$((turn % 2)) in g++:1 | clang:0 | clang++:0) thorough || continue ;; esac
        check "$header alone, $compiler -std=$standard" one_unit "$compiler" "$standard" "$suffix" "$header"
    done
done

# All together, with warnings that a project which vendors the headers may enable, in the standards it may use; in the sample,
# each compiler in one or two of them.
strict="-Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wsign-compare -Wformat=2 -Wundef"
pairs="gcc:c11:c gcc:gnu17:c clang:c2x:c g++:c++20:cc clang++:c++17:cc"
thorough && pairs="$pairs gcc:c2x:c clang:c11:c g++:c++17:cc clang++:c++20:cc"
for pair in $pairs; do
    compiler=${pair%%:*} rest=${pair#*:}
    command -v "$compiler" >/dev/null 2>&1 || continue
    # shellcheck disable=SC2086
    check "all headers, strict warnings, $compiler -std=${rest%%:*}" one_unit "$compiler $strict" "${rest%%:*}" "${rest#*:}" $headers
done

# No extensions of GNU's, as clang sees it, and none of its warnings but these: C90's order of declarations; how structures are
# padded; the comma operator, which returns after a call; casts of calls' results; functions that are marked as possibly unused and
# are used; comparisons with floating-point numbers that are exact; a default instead of each enumerator; casts from bytes of an
# array of structures.
if command -v clang >/dev/null 2>&1; then
    # shellcheck disable=SC2086
    includes $headers > "$work/everything.c"
    check "no extensions, clang -Weverything" clang -std=c11 -pedantic-errors -Weverything -Werror -I. -fsyntax-only \
        -Wno-declaration-after-statement -Wno-padded -Wno-comma -Wno-bad-function-cast -Wno-used-but-marked-unused \
        -Wno-float-equal -Wno-switch-enum -Wno-cast-align -Wno-unknown-warning-option -Wno-unsafe-buffer-usage \
        -Wno-switch-default "$work/everything.c"
fi

# An allocator defined as macros with arguments.
{
    echo "#include <stdlib.h>"
    for pair in "realloc(p, n) mine(p, n)" "malloc(n) mine(0, n)" "calloc(n, m) zeroed(n, m)" "free(p) gone(p)"; do echo "#define $pair"; done
    echo "void *mine(void *, size_t); void *zeroed(size_t, size_t); void gone(void *);"
    # shellcheck disable=SC2086
    includes $headers
} > "$work/macros.c"
# shellcheck disable=SC2086
check "an allocator of macros" $CC -std=c11 $flags -fsyntax-only "$work/macros.c"

printf '#define CM_LAYOUT_ONLY\n#include "coopmatrix.h"\n#ifdef SPIRV_EMIT_H\n#error the emitter came along\n#endif\n' > "$work/layout.c"
for way in "" -DXETILE_DECLARATIONS -DXETILE_IMPLEMENTATION; do
    # shellcheck disable=SC2086
    check "CM_LAYOUT_ONLY, and no emitter: ${way:-include and go}" $CC -std=c11 $flags $way -fsyntax-only "$work/layout.c"
done

# A header that needs more than the layout is one error, whether CM_LAYOUT_ONLY is still defined or not.
for header in coopmatrix coopvec xetile; do
    printf '#define CM_LAYOUT_ONLY\n#include "coopmatrix.h"\n#undef CM_LAYOUT_ONLY\n#include "%s.h"\n' $header > "$work/more.c"
    $CC -std=c11 -I. -fsyntax-only "$work/more.c" 2> "$work/said"
    check "$header.h after CM_LAYOUT_ONLY is one #error" [ "$(grep -c 'error: ' "$work/said")" -eq 1 ]
    check "$header.h after CM_LAYOUT_ONLY says why" grep -q 'error: .*CM_LAYOUT_ONLY' "$work/said"
done

# A program in C++ may have its kernels in a C file; before C++20 it must.
cat > "$work/kernel.c" <<'END'
#include "xetile.h"
xt_module build_one(const xt_target *target);
XT_KERNEL (one, ptr(f32, X))
{
    xt_tile x = XT_INIT_TILE(X, f32, 1, 64, .shape = XT_AT(1, 64));
    XT_STORE_TILE(XT_ADD(XT_LOAD_TILE(x), 1), x);
}
xt_module build_one(const xt_target *target) { return XT_BUILD(one, target); }
END
cat > "$work/program.cc" <<'END'
#include "xetile.h"
#include "ze_dispatch.h"
extern "C" xt_module build_one(const xt_target *target);
int main()
{
    xt_target target = {};
    target.name = "bmg";
    xt_module mod = build_one(&target);
    bool written = mod.words && strcmp(mod.params, "ptr<f32> X") == 0;
    xt_free(&mod);
    return written ? 0 : 1;
}
END
mixed() { # mixed COMPILER STANDARD
    # shellcheck disable=SC2086
    "$1" -std="$2" $flags -O1 -o "$work/program" "$work/program.cc" "$work/kernel.o" $library -lm && "$work/program"
}
declared=-DXETILE_DECLARATIONS library="$BUILD/libxetile.a"
[ -z "${SANITIZE:-}" ] || declared= library= # the library is sanitized, and these programs are not
# shellcheck disable=SC2086
check "a kernel in C" $CC -std=c11 $flags $declared -c -o "$work/kernel.o" "$work/kernel.c"
for pair in g++:c++17 clang++:c++20 g++:c++20 clang++:c++17; do # the sample: each compiler, each standard
    compiler=${pair%:*} standard=${pair#*:}
    command -v $compiler >/dev/null 2>&1 || continue
    case $pair in g++:c++20 | clang++:c++17) thorough || continue ;; esac
    check "a kernel in C, launched from $compiler -std=$standard" mixed $compiler $standard
    [ $standard = c++17 ] || continue
    $compiler -std=$standard -I. -fsyntax-only -x c++ "$work/kernel.c" 2> "$work/said"
    check "a kernel in C++ is an error at its line, $compiler -std=c++17" grep -q 'kernel.c:3:[0-9]*: error: kernels are written in C' "$work/said"
done

# A buffer that a kernel writes may be uninitialised: its launch must not warn.
cat > "$work/launch.c" <<'END'
#include "ze_dispatch.h"
bool on_the_heap(zed_kernel *k) { float *x = (float *)malloc(64); return zed_launch(k, (zed_groups){1, 1, 1}, x); }
bool on_the_stack(zed_kernel *k) { float x[64]; return zed_launch(k, (zed_groups){1, 1, 1}, x); }
bool started(zed_kernel *k, zed_groups groups) { int x[4]; return zed_start(k, groups, x) && zed_wait(k->device); }
END
for level in -O0 -O1 -O2 -O3; do
    # shellcheck disable=SC2086
    check "a kernel of one pointer, $level" $CC -std=c11 $flags $level -c -o "$work/launch.o" "$work/launch.c"
done

# Type names may be macros of the user: test_user_macros tries most, but each macro of the header must expand them.
for prefix in XT CV; do
    check "no macro pastes ${prefix}_TYPE_ to what it was given" test "$(cat src/xetile.h src/coopvec.h | grep -c "${prefix}_TYPE_##T")" -eq 0
done

# What writes modules for Vulkan is in programs that ask for it, before the first header or after it, and in all of C++.
vulkan_program() { # vulkan_program COMPILER LINE...: 0: it can begin a module for Vulkan; 1: SPE_ERR_ENVIRONMENT
    compiler=$1
    shift
    { printf '%s\n' "$@"; cat <<'END'
int main(void)
{
    spe_module m;
    spe_options o = {};
    o.env = SPE_ENV_VULKAN;
    bool ok = spe_begin(&m, &o);
    int id = m.error.id;
    spe_free(&m);
    return ok ? 0 : id == SPE_ERR_ENVIRONMENT ? 1 : 2;
}
END
    } > "$work/vulkan.c"
    $compiler -I. -o "$work/vulkan" "$work/vulkan.c" -lm || return 3
    "$work/vulkan"
}
check "SPE_VULKAN alone, before spirv_emit.h" vulkan_program "$CC -std=c11" "#define SPE_VULKAN" '#include "spirv_emit.h"'
check "SPE_VULKAN after spirv_emit.h, included again" \
    vulkan_program "$CC -std=c11" '#include "spirv_emit.h"' "#define SPE_VULKAN" '#include "spirv_emit.h"'
vulkan_program "$CC -std=c11" '#include "spirv_emit.h"' && said=0 || said=$?
check "without it, SPE_ERR_ENVIRONMENT" test "$said" -eq 1
case $headers in *vk_dispatch.h*)
    check "vk_dispatch.h after xetile.h" vulkan_program "$CC -std=c11" '#include "xetile.h"' '#include "vk_dispatch.h"'
    printf '#include "xetile.h"\n#include "vk_dispatch.h"\n' > "$work/vulkan.c"
    $CC -std=c11 -I. -E "$work/vulkan.c" > "$work/vulkan.i"
    check "so that it has xetile.h's bodies for Vulkan, too" grep -q 'xt_vulkan_here_ = ' "$work/vulkan.i" ;;
esac
if command -v g++ >/dev/null 2>&1; then
    check "C++ has it" vulkan_program "g++ -std=c++17 -x c++" '#include "spirv_emit.h"'
fi

check "headers joined from src/ are up to date" src/join.sh --check

wide=$(LC_ALL=C awk 'length > 120 { print FILENAME ":" FNR ": " length " columns" }' ./*.h src/*.h src/*/*.[ch] src/*/*/*.[ch] soft/*.[ch] soft/*/*.[ch] \
    tests/*.[ch] tests/*/*.[ch] examples/*.[ch] bench/*.[ch])
if [ -z "$wide" ]; then pass; else fail "lines of at most 120 columns" "$wide"; fi

# With optimisation: unused functions must not warn at -O2, and a second include must change nothing.
thorough || headers="xetile.h ze_dispatch.h"
# shellcheck disable=SC2086
for header in $headers; do
    check "$header twice, -O2" two_units "$CC -O2" c11 "$header" "$header"
done
report
