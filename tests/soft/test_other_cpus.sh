#!/bin/sh
# test_other_cpus.sh - the software device on other CPUs, under QEMU's user-mode emulation, if emulator and compiler are
# installed: AArch64 and RISC-V, with driver and programs built for them, and x86-64 with at most AVX2 and without AVX
# (test_isa_levels.sh has more for those), and valgrind's idea of this CPU. A few programs each, since emulation is slow.
# The kernels' compilers are not emulated, except where `native` has to find out what an old CPU has.
#
# Debian has no Level Zero loader for those CPUs, so the programs are linked with the driver's objects; one of them loads
# libze_soft.so and requests its tables as the loader does.
. "$(dirname "$0")/../test.sh"
if [ -n "${SANITIZE:-}" ]; then
    skip "other CPUs" "a sanitizer is not emulated"
    report
    exit
fi
unset XETILE_SOFT_ISA XETILE_CC XETILE_SPV_DIR MAKEFLAGS MFLAGS
export XETILE_SOFT_CACHE="${XETILE_SOFT_CACHE:-$BUILD/cache}"

# A program must succeed; the counts are those of its tests, or one.
emulate() { # emulate LABEL PROGRAM [ARGUMENT...]
    of=$1
    shift
    # shellcheck disable=SC2086 # several words
    output=$($emulation "$@" 2>&1)
    code=$?
    p=$(printf '%s\n' "$output" | sed -n '$s/^\([0-9]*\) passed, 0 failed.*/\1/p')
    if [ "$code" = 0 ] && [ "$p" != 0 ]; then
        passed=$((passed + ${p:-1}))
    else
        fail "$of: $* (exit code $code)" "$output"
    fi
}

run_examples() { # run_examples LABEL FOLDER TYPES
    emulate "$1" "$2/hello"
    for type in $3; do emulate "$1" "$2/gemm" --m 100 --n 72 --k 64 --type $type; done
}

# What a program of another CPU emits, by another compiler, are the bytes that it emits here.
same_module() { # same_module FOLDER ARGUMENT...: of gemm
    from=$1
    shift
    # shellcheck disable=SC2086 # several words
    $emulation "$from/gemm" "$@" --emit "$work/there.spv" && "$BUILD/gemm" "$@" --emit "$work/here.spv" &&
        cmp "$work/here.spv" "$work/there.spv"
}

# The kernels' compiler: COMMAND, with FLAG in place of -march=native or -mcpu=native for another CPU.
write_compiler() { # write_compiler COMMAND [FLAG]
    {
        echo '#!/bin/sh'
        [ -z "${2:-}" ] || echo "for a; do shift; case \$a in -m*=native) a=$2 ;; esac; set -- \"\$@\" \"\$a\"; done"
        echo "exec $1 \"\$@\""
    } > "$work/cc"
    chmod +x "$work/cc"
    export XETILE_CC="$work/cc"
}

emulator() { command -v "qemu-$1" || command -v "qemu-$1-static"; }

# ---- other architectures

# Cross compilers do not search the system's headers.
link_headers() { # link_headers FOLDER
    mkdir -p "$1"
    for header in level_zero/ze_api.h spirv/unified1/spirv.h; do
        found=$(printf '#include <%s>\n' $header | $CC -E -x c - | sed -n "s|^# [0-9]* \"\(.*\)/$header\".*|\1|p" | head -n 1)
        ln -sfn "$found/${header%%/*}" "$1/${header%%/*}"
    done
}

build_for() { # build_for TRIPLE FOLDER PROGRAMS: driver, programs, and the loader's substitute
    triple=$1 to=$2 programs=$3 wanted=
    set -- make --no-print-directory -j2 BUILD="$to" CC="$triple-gcc" AR="$triple-ar" CFLAGS=-O0 LOADER_CFLAGS="-I$to/include" \
        soft_flags="-Isoft -std=gnu11 -fPIC -DSOFT_IN_PROGRAM" # its functions are found in the program, as those of the loader would be
    link_headers "$to/include" && "$@" soft || return 1
    rm -f "$to/driver.a"
    for program in $programs; do # make does not know that they contain the driver
        [ -n "$(find "$to/$program" -newer "$to/libze_soft.so" 2>/dev/null)" ] || rm -f "$to/$program"
        wanted="$wanted $to/$program"
    done
    # shellcheck disable=SC2086 # one word a program
    "$triple-gcc" -c -I"$to/include" -DSTAND_IN tests/soft/other_cpu.c -o "$to/stand_in.o" &&
        find "$to/soft" -name '*.o' -exec "$triple-ar" qcs "$to/driver.a" "$to/stand_in.o" {} + &&
        "$@" LDFLAGS="-rdynamic -Wl,--whole-archive $to/driver.a -Wl,--no-whole-archive \$(atomic_libs)" LOADER_LIBS= $wanted &&
        "$triple-gcc" -I"$to/include" tests/soft/other_cpu.c -o "$to/other_cpu" -ldl
}

other() { # other CPU TRIPLE TYPES TESTS [FLAG]: the types that gemm multiplies, and the tests that are run
    emulation=$(emulator "$1")
    if [ -z "$emulation" ]; then skip "$1" "no qemu-$1"; return; fi
    if ! command -v "$2-gcc" >/dev/null 2>&1; then skip "$1" "no $2-gcc"; return; fi
    to=$BUILD/$1
    if ! output=$(build_for "$2" "$to" "hello gemm $4" 2>&1); then fail "$1: build" "$output"; return; fi
    emulation="$emulation -L /usr/$2"
    write_compiler "$2-gcc" "${5:-}"
    emulate "$1" "$to/other_cpu" "$to/libze_soft.so"
    run_examples "$1" "$to" "$3"
    for target in pvc bmg soft; do
        for type in $3; do check "gemm $type of $1 for $target" same_module "$to" --type $type --target $target; done
    done
    usual=${XETILE_SOFT_TIER:-}
    thorough || export XETILE_SOFT_TIER="${usual:-quick}" # the examples are compiled in full
    for program in $4; do [ "$program" = test_xetile ] || emulate "$1" "$to/$program"; done
    export TEST_ONLY
    for TEST_ONLY in products_of_every_type products_without_the_hardware; do
        [ ! -e "$to/test_xetile" ] || emulate "$1" "$to/test_xetile"
    done
    unset TEST_ONLY XETILE_SOFT_TIER
    [ -z "$usual" ] || export XETILE_SOFT_TIER="$usual"
    # shellcheck disable=SC2086 # several words
    check_refused "$1, avx2" "this CPU does not have it" env XETILE_SOFT_ISA=avx2 $emulation "$to/hello"
}

# ---- this architecture with fewer instructions

less() { # less MODEL LEVEL [emulated]: LEVEL is one that it does not have; emulated: by the compiler, too
    emulation=$(emulator x86_64)
    if [ "$(uname -m)" != x86_64 ] || [ -z "$emulation" ]; then skip "$1" "no qemu-x86_64, or another CPU"; return; fi
    if ! "$emulation" -cpu "$1" /bin/true 2>/dev/null; then skip "$1" "this QEMU does not know it"; return; fi
    emulation="$emulation -cpu $1"
    write_compiler "${3:+$emulation }$(command -v "${CC%% *}")"
    run_examples "$1" "$BUILD" "$types"
    # shellcheck disable=SC2086
    check_refused "$1, $2" "this CPU does not have it" env XETILE_SOFT_ISA="$2" $emulation "$BUILD/hello"
}

# valgrind knows AVX2 at most, and the kernels' compiler does not run under it.
under_valgrind() {
    if [ "$(uname -m)" != x86_64 ] || ! command -v valgrind >/dev/null; then skip valgrind "not installed, or another CPU"; return; fi
    unset XETILE_CC
    emulation="valgrind -q --leak-check=full --error-exitcode=9"
    export XETILE_SOFT_CACHE=off # so that the driver, too, has all of its work to do
    emulate valgrind "$BUILD/gemm" --m 100 --n 72 --k 64 --type bf16 # the driver does the same for all
    thorough && run_examples valgrind "$BUILD" "f16 i8"
}

# One CPU with everything, the others with what differs there, unless the run is a thorough one.
types="f16 bf16 i8" tests="test_opencl_groups test_opencl_atomics"
thorough && tests="$tests test_xetile"
other aarch64 aarch64-linux-gnu "$types" "$tests" -mcpu=neoverse-n1
# Its driver takes half a minute to build, and differs from AArch64's in having no vectors, as `generic` on x86-64.
if thorough; then other riscv64 riscv64-linux-gnu "$types" "$tests"; else skip riscv64 "with THOROUGH=1"; fi
thorough || types=f16
less Haswell avx512
thorough || types=bf16
less Nehalem avx2 emulated
under_valgrind
report
