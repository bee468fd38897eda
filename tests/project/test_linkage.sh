#!/bin/sh
# The ways to use the headers: just included, with the bodies in one file of the program, both in one program, declarations first
# and the bodies later in one file, src/ compiled file by file. A program of two files must generate the same kernels in all of
# them. Errors must be clear: bodies in two files, and two ways in one file. In the sample, gcc tries all ways, but its bodies in one
# file are those of the library that make built; clang has them in one file, and g++ and clang++ have declarations only:
# test_headers.sh includes all bodies with each compiler, test_cpp.sh compiles the library with g++.
. "$(dirname "$0")/../test.sh"
export LC_ALL=C
top=$(pwd)
built=$(cd "$BUILD" && pwd)
strict="-Wall -Wextra -Wpedantic -Werror -Wshadow -Wundef"

# A kernel that C++ can also build: two matrices from memory, their product to memory.
cat > "$work/product.h" <<'END'
static int write_product(FILE *file, int cols)
{
    spe_module m;
    spe_param params[3];
    spe_kernel k;
    cm_ctx c;
    cm_mem at[3];
    cm_matrix a, b, d;
    spe_words words;
    size_t written = 0;
    spe_begin(&m, NULL);
    memset(params, 0, sizeof params);
    memset(&k, 0, sizeof k);
    memset(at, 0, sizeof at);
    for (int i = 0; i < 3; i++) params[i].type = spe_ptr(&m, SPE_StorageClassCrossWorkgroup, spe_float(&m, 32));
    k.name = "product";
    k.params = params;
    k.param_count = 3;
    k.subgroup_size = k.local_size[0] = 16;
    k.local_size[1] = k.local_size[2] = 1;
    spe_kernel_begin(&m, &k);
    cm_begin(&c, &m, cm_target_row("bmg"), CM_AUTO);
    for (uint32_t i = 0; i < 3; i++) at[i].ptr = spe_param_id(&m, i), at[i].stride_col = spe_i32(&m, i == 1 ? 8 : 16);
    a = cm_load(&c, 16, 8, CM_F32, CM_A, &at[0]);
    b = cm_load(&c, 8, cols, CM_F32, CM_B, &at[1]);
    d = cm_mul_add(&c, CM_F32, &a, &b, NULL);
    cm_store(&c, &d, &at[2]);
    spe_kernel_end(&m);
    words = spe_finish(&m);
    if (words.data) written = fwrite(words.data, 4, words.count, file);
    else spe_print_error(spe_get_error(&m), stderr);
    spe_free(&m);
    return written > 100;
}
END
# AGAIN: declarations first, the bodies by a second inclusion. FEW: only the headers that the file needs.
cat > "$work/two.c" <<'END'
#ifndef FEW
#include "coopvec.h"
#include "xetile.h"
#endif
#include "coopmatrix.h"
#include "ze_dispatch.h"
#include <stdio.h>
#include "product.h"
#ifdef __cplusplus
extern "C"
#endif
int two(FILE *file);
int two(FILE *file) { return write_product(file, 16) && fputs(zed_result_name(ZE_RESULT_NOT_READY), file) > 0; }
END
cat > "$work/one.c" <<'END'
#include "coopvec.h"
#include "xetile.h"
#include "ze_dispatch.h"
#include <stdio.h>
#include "product.h"
#ifdef __cplusplus
extern "C" int two(FILE *file);
static int write_languages(FILE *) { return 1; } /* the macros are C's */
#else
int two(FILE *file);
XT_KERNEL(increment, ptr(f32, X), u32(N))
{
    xt_tile x = XT_INIT_TILE(X, f32, 1, 256, .offset = XT_AT(0, XT_MUL(XT_GROUP_ID(0), 256)), .shape = XT_AT(1, N));
    XT_STORE_TILE(XT_ADD(XT_LOAD_TILE(x), 1), x);
}
CV_KERNEL(shade, ptr(f16, weights), ptr(f16, in), ptr(f16, out))
{
    cv_val i = CV_GLOBAL_ID();
    cv_matrix_ref w = CV_MATRIX_REF(weights, f16, 64, 64, .layout = CV_MUL_OPTIMAL);
    CV_STORE(CV_RELU(CV_MUL(f16, w, CV_LOAD(in, 64, CV_MUL(i, 64)))), out, CV_MUL(i, 64));
}
static int write_languages(FILE *file)
{
    xt_module tiles = XT_BUILD(increment, &(xt_target){.name = "bmg"});
    cv_module vectors = CV_BUILD(shade, &(cv_target){.name = "bmg"});
    int ok = tiles.words && fwrite(tiles.words, 1, tiles.size, file) == tiles.size && vectors.words &&
             fwrite(vectors.words, 1, vectors.size, file) == vectors.size;
    xt_free(&tiles);
    cv_free(&vectors);
    return ok;
}
#endif
#ifdef AGAIN
#define XETILE_IMPLEMENTATION
#include "coopvec.h"
#include "xetile.h"
#include "ze_dispatch.h"
#include "xetile.h"
#endif
int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "wb") : NULL;
    int ok = file && write_product(file, 8) && two(file) && write_languages(file);
    return file && fclose(file) == 0 && ok ? 0 : 1;
}
END

object() { # object NAME SOURCE FLAGS...: to NAME.o
    name=$1 source=$work/$2.c
    shift 2
    # shellcheck disable=SC2086
    check "$name, $tag" $compiler $language $strict -I"$top" -I"$work" "$@" -c -o "$name.o" "$source"
}

linked() { # linked FILE...: the program linked from these prints what the compiler's first one did
    $compiler -o program "$@" -lm && ./program kernels || return 1
    [ -e first ] || cp kernels first
    cmp first kernels
}

clear_message() { # the linker's message for bodies in two files: one or two lines per header, no function names
    $compiler -o program "$@" -lm > says 2>&1 && { echo "it was linked"; return 1; }
    grep -q XETILE_IMPLEMENTATION_belongs_in_one_file__spirv_emit says &&
        grep -q XETILE_IMPLEMENTATION_belongs_in_one_file__ze_dispatch says &&
        [ "$(wc -l < says)" -le 15 ] && ! grep -Eq '\b(spe|cm|cv|xt|zed)_[a-z]' says || { cat says; return 1; }
}

clear_first_line() { # if both files included declarations first, the linker names all functions, after the symbol for this
    $compiler -o program "$@" -lm > says 2>&1 && { echo "it was linked"; return 1; }
    head -n 1 says | grep -q XETILE_IMPLEMENTATION_belongs_in_one_file__spirv_emit || { head -n 3 says; return 1; }
}

# The lowest header alone, since it is optimised: compilers choose the order of optimised functions.
cat > "$work/again.c" <<'END'
#define XETILE_DECLARATIONS
#include "spirv_emit.h"
#define XETILE_IMPLEMENTATION
#include "spirv_emit.h"
END

objects_of_sources() { # src/ is a library of ordinary C files, which make has compiled
    [ -z "${SANITIZE:-}" ] || { skip "src/ compiled file by file" "not under sanitizers"; return; }
    # shellcheck disable=SC2046
    check "src/ compiled file by file, $tag" linked one_declared.o two_declared.o \
        $(cd "$top" && for file in src/*/*.c src/*/*/*.c; do echo "$built/${file%.c}.o"; done)
}

declared() {
    object one_declared one -DXETILE_DECLARATIONS
    object two_declared two -DXETILE_DECLARATIONS
}

included() {
    # Like distributions: unoptimised functions in an optimised file, with the C library's call checks.
    object one_go one $optimised -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fstack-protector-strong
    object two_go two -DFEW
    check "include and go, $tag" linked one_go.o two_go.o
}

in_one_file() {
    if [ $compiler = gcc ] && [ -z "${SANITIZE:-}" ] && ! thorough; then check "the library's bodies" ld -r -o two_bodies.o two_declared.o "$built/libxetile.o"
    else object two_bodies two -DXETILE_IMPLEMENTATION; fi
    check "the bodies in one file, $tag" linked one_declared.o two_bodies.o
    [ ! -e one_go.o ] || check "the bodies in one file, static in another, $tag" linked one_go.o two_bodies.o
}

again() {
    # shellcheck disable=SC2086
    check "the bodies optimised, $tag" $compiler $language $strict -I"$top" -I"$work" -DXETILE_OPTIMIZE -fsyntax-only "$work/one.c"
    object one_again one -DXETILE_DECLARATIONS -DAGAIN
    check "the bodies by a second inclusion, $tag" linked one_again.o two_declared.o
    check "bodies in two files end in a clear message, $tag" clear_message one_again.o two_bodies.o
    object two_again again -O1
    check "second inclusions in two files end in a clear message, $tag" clear_first_line one_again.o two_again.o
}

with_sources=
for compiler in gcc clang g++ clang++; do
    tag=$compiler
    command -v $compiler >/dev/null 2>&1 || { skip "the ways to use the headers with $compiler" "$compiler is not installed"; continue; }
    case $compiler in *++) language="-x c++ -std=c++17" ;; *) language=-std=c11 ;; esac
    case $compiler in clang) optimised=-O0 ;; *) optimised=-O1 ;; esac
    case $compiler in *++) ways= ;; clang) ways=in_one_file ;; *) ways="included in_one_file again" ;; esac
    thorough && ways="included in_one_file again" optimised=-O2
    mkdir "$work/$tag" && cd "$work/$tag" || exit 1
    for way in declared $ways; do $way; done
    [ -n "$with_sources" ] || { objects_of_sources; with_sources=done; }
    cd "$top" || exit 1
done

# Languages and compilers in one program. The output of the bodies must not depend on the compiler, as it would if two arguments
# of one call emitted code: the compiler chooses their order.
meets() { # meets COMPILER OTHER LINKER: a program compiled by one uses bodies compiled by the other
    if ! [ -d "$work/$1" ] || ! [ -d "$work/$2" ]; then skip "$1 with bodies of $2" "one of them is not installed"; return; fi
    cd "$work/$1" || exit 1
    compiler=$3
    check "$1 with bodies of $2" linked one_declared.o "../$2/two_bodies.o"
    cd "$top" || exit 1
}
meets gcc clang gcc
meets clang gcc clang
thorough && meets gcc g++ g++
meets g++ gcc g++

# A file has the bodies in one way only.
refused() { # refused NAME PART LINE...: to the compiler
    what=$1 part=$2
    shift 2
    printf '%s\n' "$@" > "$work/refused.c"
    check_refused "$what" "$part" "$CC" -std=c11 -I. -fsyntax-only "$work/refused.c"
}
refused "static bodies, then declarations" "come before the first header of xetile" \
    '#include "coopmatrix.h"' '#define XETILE_DECLARATIONS' '#include "xetile.h"'
refused "static bodies, then others" "come before the first header of xetile" \
    '#include "xetile.h"' '#define XETILE_IMPLEMENTATION' '#include "xetile.h"'
refused "an end of the bodies between headers" "stays defined until the last header" \
    '#define XETILE_IMPLEMENTATION' '#include "xetile.h"' '#undef XETILE_IMPLEMENTATION' '#include "ze_dispatch.h"'
report
