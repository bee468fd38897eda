#!/bin/sh
# fuzz.sh - libFuzzer on the SPIR-V reader, the code generator and the linker, with the address and undefined-behaviour
# sanitizers: `make fuzz`. Runs for $FUZZ_SECONDS (900), on $FUZZ_JOBS (1) CPUs, from a corpus of the modules saved by the
# tests ($BUILD/spv, after `make test`), those in the repository, and those kept by earlier runs. Failing inputs are left in
# $BUILD/fuzz/found, and make this fail.
BUILD=${BUILD:-build}
seconds=${FUZZ_SECONDS:-900}
CLANG=${CLANG:-clang}
here=$(cd "$(dirname "$0")/.." && pwd) || exit 1
cd "$here" || exit 1
mkdir -p "$BUILD/fuzz/corpus" "$BUILD/fuzz/found" || exit 1

printf 'int LLVMFuzzerTestOneInput(const unsigned char *p, unsigned long n) { return p && n > 1 && p[0] == 1; }\n' |
    "$CLANG" -x c -fsanitize=fuzzer,address - -o "$BUILD/fuzz/probe" 2>/dev/null || {
    echo "skipped: no clang with libFuzzer (Debian, Ubuntu: apt install clang; where it is split off, libclang-rt-dev too;"
    echo "  Fedora: clang compiler-rt; Arch: clang compiler-rt), or name one in CLANG"
    exit 0
}
rm -f "$BUILD/fuzz/probe"
"${MAKE:-make}" --no-print-directory -j"${JOBS:-2}" BUILD="$BUILD/fuzz/build" CC="$CLANG" CFLAGS="-O1 -g" \
    SANITIZE="-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined" "$BUILD/fuzz/build/fuzz_spirv" || exit 1

before=$(find "$BUILD/fuzz/corpus" -type f | wc -l)
for f in tests/opencl/*.spv "$BUILD"/opencl/*.spv "$BUILD"/spv/*.spv; do
    [ ! -f "$f" ] || cp "$f" "$BUILD/fuzz/corpus/$(basename "$f")"
done
[ -d "$BUILD/spv" ] || echo "fuzz: $BUILD/spv is not there: after \`make test\` the corpus has the library's own modules too"
echo "fuzz: $(find "$BUILD/fuzz/corpus" -type f | wc -l) modules ($before from before), $seconds seconds"
"$BUILD/fuzz/build/fuzz_spirv" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=25 -max_len=80000 \
    -workers="${FUZZ_JOBS:-0}" -jobs="${FUZZ_JOBS:-0}" -print_final_stats=1 -artifact_prefix="$BUILD/fuzz/found/" \
    "$BUILD/fuzz/corpus" > "$BUILD/fuzz/log" 2>&1
code=$?
grep -E '^(stat::number_of_executed_units|stat::new_units_added|Done)|^SUMMARY|^==.*ERROR' "$BUILD/fuzz/log"
tail -n 1 "$BUILD/fuzz/log" | grep -v '^stat' | cut -c1-200
if [ "$code" != 0 ]; then
    echo "FAILED fuzz: exit code $code; see $BUILD/fuzz/log and $BUILD/fuzz/found"
    exit 1
fi
echo "ok fuzz: $seconds seconds, nothing found, $(find "$BUILD/fuzz/corpus" -type f | wc -l) modules in the corpus"
