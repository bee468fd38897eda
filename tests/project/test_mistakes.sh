#!/bin/sh
# What compilers say of mistakes: each line of mistakes.h that ends in a number is an error that names this line, from gcc and clang
# as C11 and from g++ and clang++ as C++20, and docs/mistakes.md has it.
. "$(dirname "$0")/../test.sh"
source=tests/project/mistakes.h
read_by() { # read_by COMPILER OPTIONS...: what it says; all errors, not the first 20
    compiler=$1
    shift
    case $compiler in clang*) set -- "$@" -ferror-limit=0 ;; esac
    "$compiler" "$@" -w -I. -DXETILE_DECLARATIONS -fsyntax-only $source > "$work/said" 2>&1
}
line_of() { awk -v mark="/* $1 */" 'index($0, mark) && substr($0, length($0) - length(mark) + 1) == mark { print NR }' $source; }

count=$(grep -c '/\* [0-9]* \*/$' $source)
check "there are twenty mistakes" test "$count" -eq 20
for compiler in gcc clang g++ clang++; do
    command -v $compiler >/dev/null 2>&1 || { skip "mistakes by $compiler" "$compiler is not installed"; continue; }
    case $compiler in *++) read_by $compiler -x c++ -std=c++20 ;; *) read_by $compiler -x c -std=c11 ;; esac
    mistake=0
    while [ $((mistake += 1)) -le "$count" ]; do
        check "$compiler names the line of mistake $mistake" grep -q "mistakes.h:$(line_of $mistake):[0-9:]* error: " "$work/said"
    done
done
mistake=0
while [ $((mistake += 1)) -le "$count" ]; do
    check "docs/mistakes.md has mistake $mistake" grep -q "^| $mistake | " docs/mistakes.md
done

# Without the mistakes there is no error.
grep -v '/\* [0-9]* \*/$' $source | sed -e '$d' -e '/^    return/d' > "$work/right.h"
for compiler in gcc g++; do
    command -v $compiler >/dev/null 2>&1 || continue
    case $compiler in *++) language="-x c++ -std=c++20" ;; *) language="-x c -std=c11" ;; esac
    # shellcheck disable=SC2086
    check "without the mistakes, $compiler says nothing" $compiler $language -w -I. -DXETILE_DECLARATIONS -fsyntax-only "$work/right.h"
done
report
