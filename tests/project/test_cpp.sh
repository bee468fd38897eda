#!/bin/sh
# The same source is the same module, whatever compiles it: gcc or clang as C11, g++ or clang++ as C++20, the library by each of
# them, too. kernels_cpp.h has every macro that C++ defines in its own way, and Vulkan's mathematics; examples are compiled as they are.
# In the sample every other example emits for one target, by g++ or clang++, and every eighth one by clang, too; the programs
# have gcc's library, but for kernels_cpp.h by g++ and clang, and what is no kernel is compiled by g++ only.
. "$(dirname "$0")/../test.sh"
strict="-Wall -Wextra -Wpedantic -Werror -Wno-missing-field-initializers"
targets="pvc bmg lnl ptl dg2 generic soft"
examples=$(cd examples && ls ./*.c | sed -e 's:^\./::' -e 's/\.c$//' | grep -v mpi_)

language() { # language COMPILER: its options
    case $1 in *++) echo "-x c++ -std=c++20" ;; *) echo "-x c -std=c11" ;; esac
}
compile() { # compile COMPILER WARNINGS PROGRAM SOURCE LIBRARY
    # shellcheck disable=SC2046,SC2086
    "$1" $(language "$1") $2 -I. -DXETILE_DECLARATIONS -o "$work/$3" "$4" -x none "$5" -lm
}
library() { # library COMPILER: the bodies
    # shellcheck disable=SC2046
    "$1" $(language "$1") -w -c -o "$work/lib-$1.o" src/libxetile.c
}
same_kernels() { # same_kernels COMPILER
    compile "$1" "$strict" kernels tests/project/kernels_cpp.h "$work/lib-$1.o" && "$work/kernels" "$work/$1.spv" &&
        { [ -s "$work/kernels.spv" ] || cp "$work/$1.spv" "$work/kernels.spv"; } && cmp "$work/$1.spv" "$work/kernels.spv"
}
same_bytes() { # same_bytes EXAMPLE TARGET OPTIONS...: of the program that was compiled, and of the one that make built
    example=$1 target=$2
    shift 2
    case $example in
    tiny_compiler) set -- "$@" examples/mandelbrot.tiny ;;
    layout) "$BUILD/layout" > "$work/here.txt" && "$work/layout" > "$work/there.txt" && cmp "$work/here.txt" "$work/there.txt"; return ;;
    esac
    "$BUILD/$example" "$@" --emit "$work/here.spv" --target "$target" && "$work/$example" "$@" --emit "$work/there.spv" --target "$target" &&
        cmp "$work/here.spv" "$work/there.spv"
}
mpi_program() { # mpi_program COMPILER: it compiles
    # shellcheck disable=SC2046
    $1 $(language "$1") -w -I. -DXETILE_DECLARATIONS $(mpicc -showme:compile 2>/dev/null || mpicc -compile_info | tr ' ' '\n' | grep '^-I') -fsyntax-only examples/mpi_summa.c
}

# What an example emits beside its first module
forms() { # forms EXAMPLE
    case $1 in
    gemm) echo "--type=bf16 --type=i8" ;;
    gemm_variants) for variant in order transpose transposed_a batched split_k persistent k_outside; do echo "--variant=$variant"; done ;;
    kmeans) echo "--kernel=assign --kernel=move" ;;
    decoder) echo "--weights=int8 --weights=int4" ;;
    quantized_linear) echo "--bits=4 --bits=8" ;;
    esac
}
compare() { # compare COMPILER EXAMPLE TURN: TURN chooses the target
    n=0
    for target in $targets; do
        n=$((n + 1))
        [ $(($3 % 7 + 1)) = $n ] || thorough || continue
        check "$2 by $1 for $target" same_bytes "$2" "$target"
        thorough || continue
        for form in $(forms "$2"); do check "$2 $form by $1 for $target" same_bytes "$2" "$target" "${form%%=*}" "${form#*=}"; done
    done
}

for macro in $(sed -n 's/^#undef \([XC][TV]_[A-Z_]*[A-Z]\)\( .*\)*$/\1/p' src/xetile/cpp.h src/coopvec/cpp.h); do
    check "kernels_cpp.h has $macro" grep -q "\b$macro *(" tests/project/kernels_cpp.h
done
for compiler in gcc g++ clang clang++; do
    command -v $compiler >/dev/null 2>&1 || { skip "kernels and examples by $compiler" "$compiler is not installed"; continue; }
    [ $compiler != clang++ ] || thorough || cp "$work/lib-gcc.o" "$work/lib-clang++.o"
    [ -e "$work/lib-$compiler.o" ] || check "the library by $compiler" library $compiler
    check "kernels by $compiler: the same bytes" same_kernels $compiler
    turn=0
    for example in $examples; do
        turn=$((turn + 1))
        [ -x "$BUILD/$example" ] || { skip "$example by $compiler" "it is not built"; continue; }
        case $compiler:$((turn % 8)) in
        gcc:*) continue ;; # make had gcc
        clang:[1234567] | g++:[0246] | g++:1 | clang++:[234567]) thorough || continue ;;
        esac
        linked="$work/lib-$compiler.o"
        case $compiler in *++) thorough || linked="$work/lib-gcc.o" ;; esac
        check "$example by $compiler" compile $compiler -w "$example" "examples/$example.c" "$linked"
        compare $compiler "$example" $turn
    done
    case $compiler in
    g++ | clang++)
        [ $compiler = g++ ] || thorough || continue
        if command -v mpicc >/dev/null 2>&1; then check "mpi_summa by $compiler" mpi_program $compiler
        else skip "mpi_summa by $compiler" "there is no MPI"; fi ;;
    esac
done

# Everything but kernels, in C++17
for compiler in g++ clang++; do
    command -v $compiler >/dev/null 2>&1 || continue
    [ $compiler = g++ ] || thorough || continue
    [ -z "${SANITIZE:-}" ] || { skip "a host program in C++17 by $compiler" "not under sanitizers"; continue; }
    # shellcheck disable=SC2086
    check "a host program in C++17 by $compiler" $compiler -x c++ -std=c++17 $strict -I. -DXETILE_DECLARATIONS -o "$work/host" tests/project/host_cpp.h \
        -x none "$work/lib-gcc.o" -lm
    check_says "what it launched, by $compiler" "ok" "$work/host"
done
report
