#!/bin/sh
# Nothing depends on the program's locale: no source reads or prints a fraction with the C library's functions, or asks the locale
# about letters, outside the places listed here; and the tests whose subjects read or print numbers pass in a locale with a decimal
# comma, of the process or of one thread.
. "$(dirname "$0")/../test.sh"

# grep's output without lines of these files
without() { grep -v "$@" || true; }

fraction='"[^"]*%[-+ #0]*[0-9*]*(\.[0-9*]+)?L?[aefgAEFG][^"]*"'
reads='\b(strto(d|f|ld|d_l)|atof|v?[fs]?scanf|localeconv)\b'
letters='\b(isalpha|isalnum|isupper|islower|ispunct|toupper|tolower|strn?casecmp|strcoll|strxfrm|mbs?r?towcs?|wcs?r?tombs?)\b'

grep -nE "$reads" src/*.h src/*/*.[ch] src/*/*/*.[ch] > "$work/found"
grep -nE "$fraction" src/*.h src/*/*.[ch] src/*/*/*.[ch] |
    without -e '^src/spirv_emit/[a-z]*\.c:.*form == .e. ? "%.\*e" : "%.\*g"' -e '^src/[vz][ek]_dispatch/arguments\.c:.*"%.9g", v' \
        -e '^src/[a-z]*\.h:[0-9]*: \*' >> "$work/found"
grep -nE "$letters" src/*.h src/*/*.[ch] src/*/*/*.[ch] >> "$work/found"
check "src/ does not depend on the locale, but see here: $(cat "$work/found")" test ! -s "$work/found"

# zeinfo.c reads three whole numbers; letters in iga.c are read in the locale "C".
grep -nE "$reads|$letters" soft/*/*.[ch] | without -e '^soft/tests/' -e '^soft/spirv/host_state\.[ch]:' -e '^soft/xe/zeinfo\.c:.*"\[ %u, %u, %u \]"' \
    -e '^soft/xe/iga\.c:.*isalnum' > "$work/found"
grep -nE "$fraction" soft/*/*.c | without -e '^soft/tests/' -e '^soft/spirv/host_state\.c:' -e '^soft/run/coroutine\.c:' >> "$work/found"
check "soft/ does not depend on the locale, but see here: $(cat "$work/found")" test ! -s "$work/found"

# These are whole programs, which run in the locale "C" as long as none of them sets another.
grep -nE '\b(setlocale|uselocale)\b' examples/*.[ch] bench/*.[ch] > "$work/found"
check "examples and benches set no locale, but see here: $(cat "$work/found")" test ! -s "$work/found"

# What these look for is found where it is.
printf 'snprintf(t, n, "a %%-5.3g", v);\nx = strtod(s, &e);\nc = tolower(c);\n' > "$work/sample.c"
check "a %g is found" grep -qE "$fraction" "$work/sample.c"
check "strtod is found" grep -qE "$reads" "$work/sample.c"
check "tolower is found" grep -qE "$letters" "$work/sample.c"

if ! sh tests/comma_locale.sh "$work" > "$work/why" 2>&1; then
    skip "tests in a locale with a decimal comma" "$(cat "$work/why")"
    report
    exit
fi
unset XETILE_SPV_DIR # the same tests may be running
in_locale() { LOCPATH=$work TEST_LOCALE=xx_XX TEST_ONLY=${2:-} TEST_EXCEPT=${3:-} "$BUILD/$1"; }
check_says "in that locale a half is 0,5" "0,5" env LOCPATH="$work" LC_ALL=xx_XX env printf '%.1f' 0,5
core="test_xetile_print test_xetile_errors test_coopvec_errors test_dispatch_args test_dispatch_calls test_convert
    test_spirv_emit test_spirv_ops test_spirv_types test_memory test_devices test_opencl_lines test_soft_check test_xe_machine"
if thorough; then core="$core $(grep -v '\.sh$' tests/quick.txt)"; fi
for one in $core; do
    check "$one in that locale" in_locale $one
done
check "printf of kernels in that locale" in_locale test_opencl_program "" printing_of_any_length # whose reference is printf
check "XETILE_SOFT_RUN_LIMIT=0.3 in that locale" in_locale test_soft_process a_limit
check "settings in that locale" in_locale test_soft_surroundings settings
export TEST_LOCALE_OF=thread
echo leak:argz_add_sep > "$work/leaks" # glibc's newlocale loses its copy of LOCPATH
export LSAN_OPTIONS="suppressions=$work/leaks:${LSAN_OPTIONS:-}"
check "xt_print in that locale of a thread" in_locale test_xetile_print
check "printf of kernels in that locale of a thread" in_locale test_opencl_program "" printing_of_any_length
check "XETILE_SOFT_RUN_LIMIT=0.3 in that locale of a thread" in_locale test_soft_process a_limit
check "settings in that locale of a thread" in_locale test_soft_surroundings settings
report
