#!/bin/sh
# fuzz.sh - libFuzzer on the SPIR-V reader and code generator, then on the linker, with the address and undefined-behaviour
# sanitizers together: `make fuzz`. Of $FUZZ_SECONDS (900) the linker has a third; FUZZ_TARGETS=spirv or =link runs one
# alone. Uses $FUZZ_JOBS (1) CPUs. Invalid SPIR-V that is taken all the same is refused (strict) or not as each input says;
# FUZZ_STRICT=1 refuses it always, 0 never.
#
# Seeds: modules of compilers and assemblers (tests/opencl), every fourth module that the tests saved ($BUILD/spv, after
# `make test`; FUZZ_SPV names another folder), a module for each instruction with an id of each wrong class in each word
# (soft/tests/fuzz_seeds.c), and what earlier runs kept; for the linker pairs of the modules of compilers. Without
# $BUILD/spv the corpus has none of the library's own modules, and says so. Modules of more than 80,000 bytes are left out.
# Failing inputs are left in $BUILD/fuzz/found, and make this fail.
BUILD=${BUILD:-build}
seconds=${FUZZ_SECONDS:-900}
CLANG=${CLANG:-clang}
longest=80000
here=$(cd "$(dirname "$0")/.." && pwd) || exit 1
cd "$here" || exit 1
fuzz=$BUILD/fuzz
spv=${FUZZ_SPV:-$BUILD/spv}
mkdir -p "$fuzz/found" || exit 1

printf 'int LLVMFuzzerTestOneInput(const unsigned char *p, unsigned long n) { return p && n > 1 && p[0] == 1; }\n' |
    "$CLANG" -x c -fsanitize=fuzzer,address - -o "$fuzz/probe" 2>/dev/null || {
    echo "skipped: no clang with libFuzzer (Debian, Ubuntu: apt install clang; where it is split off, libclang-rt-dev too;"
    echo "  Fedora: clang compiler-rt; Arch: clang compiler-rt), or name one in CLANG"
    exit 0
}
rm -f "$fuzz/probe"
build() { "${MAKE:-make}" --no-print-directory -j"${JOBS:-2}" "$@" || exit 1; }
build "$BUILD/fuzz_seeds"
build BUILD="$fuzz/build" CC="$CLANG" CFLAGS="-O1 -g" \
    SANITIZE="-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined" \
    "$fuzz/build/fuzz_spirv" "$fuzz/build/fuzz_link"

# The modules of at most this length, every nth of those in a folder.
short_modules() {
    n=0
    for f in "$1"/*.spv; do
        n=$((n + 1))
        [ ! -f "$f" ] || [ $((n % $2)) != 0 ] || [ "$(wc -c < "$f")" -gt "$longest" ] || echo "$f"
    done
}

# New folders of seeds: libFuzzer adds what it finds to the first folder that it is given, which holds nothing else.
make_seeds() {
    rm -rf "$fuzz/seeds" "$fuzz/pairs"
    mkdir -p "$fuzz/seeds" "$fuzz/pairs" "$fuzz/corpus_spirv" "$fuzz/corpus_link" || exit 1
    "$BUILD/fuzz_seeds" modules "$fuzz/seeds" > "$fuzz/log" || exit 1
    short_modules tests/opencl 1 > "$fuzz/modules"
    xargs "$BUILD/fuzz_seeds" pairs "$fuzz/pairs" < "$fuzz/modules" >> "$fuzz/log" || exit 1
    short_modules "$spv" 4 >> "$fuzz/modules"
    xargs -I{} cp {} "$fuzz/seeds" < "$fuzz/modules"
    [ -d "$spv" ] || echo "fuzz: $spv is not there: after \`make test\` the corpus has the library's own modules too"
}

# run TARGET SEEDS SECONDS
run() {
    echo "fuzz: $1: $(find "$2" -type f | wc -l) seeds, $(find "$fuzz/corpus_$1" -type f | wc -l) inputs of earlier runs, $3 seconds"
    "$fuzz/build/fuzz_$1" -max_total_time="$3" -rss_limit_mb=2048 -timeout=25 -max_len="$longest" \
        -workers="${FUZZ_JOBS:-0}" -jobs="${FUZZ_JOBS:-0}" -print_final_stats=1 -artifact_prefix="$fuzz/found/" \
        "$fuzz/corpus_$1" "$2" > "$fuzz/log_$1" 2>&1
    code=$?
    grep -E '^(stat::number_of_executed_units|stat::new_units_added|Done)|^SUMMARY|^==.*ERROR|runtime error' "$fuzz/log_$1"
    grep ' cov: ' "$fuzz/log_$1" | tail -n 1 | cut -c1-100
    [ "$code" = 0 ] || {
        echo "FAILED fuzz: $1: exit code $code; see $fuzz/log_$1 and $fuzz/found"
        exit 1
    }
    echo "ok fuzz: $1: $3 seconds, nothing found, $(find "$fuzz/corpus_$1" -type f | wc -l) inputs kept"
}

make_seeds
for target in ${FUZZ_TARGETS:-spirv link}; do
    case ${FUZZ_TARGETS:-both}:$target in
    both:spirv) run spirv "$fuzz/seeds" $((seconds - seconds / 3)) ;;
    both:link) run link "$fuzz/pairs" $((seconds / 3)) ;;
    *:spirv) run spirv "$fuzz/seeds" "$seconds" ;;
    *:link) run link "$fuzz/pairs" "$seconds" ;;
    *) echo "fuzz: FUZZ_TARGETS: $target is neither spirv nor link" && exit 2 ;;
    esac
done
