#!/bin/sh
# test_conformance.sh - the tables of docs/software-device-api.md are true: they list every function of the installed Level Zero header up to
# the promised version and everything in the driver's tables, and each row names tests that exist and whose file uses the
# function.
. "$(dirname "$0")/../test.sh"
readme=soft/README.md # the settings
page=docs/software-device-api.md

rows() { sed -n 's/^| \(ze[A-Z][A-Za-z0-9]*\) | \(.*\) | \([^|]*\) |$/\1|\3/p' "$page"; }
rows > "$work/rows"
cut -d'|' -f1 "$work/rows" | sort > "$work/listed"
sed -n 's/^ *IS([0-9]*, \(ze[A-Za-z0-9]*\)).*/\1/p' soft/ze/tables.c | sort -u > "$work/served"

no_lines() { # no_lines WHAT FILE: a test that passes when the file is empty
    if [ -s "$2" ]; then fail "$1" "$(cat "$2")"; else pass; fi
}

uniq -d "$work/listed" > "$work/twice"
no_lines "functions listed twice" "$work/twice"
comm -23 "$work/served" "$work/listed" > "$work/silent"
no_lines "functions of the driver that the tables do not list" "$work/silent"
comm -13 "$work/served" "$work/listed" > "$work/absent"
no_lines "functions in the tables that the driver does not have" "$work/absent"

# The header's declarations; the loader implements zeInit... and zeLoader... itself.
header=$(printf '#include <level_zero/ze_api.h>\n' | $CC -E - 2>/dev/null | sed -n 's/^# [0-9]* "\(.*ze_api\.h\)".*/\1/p' | head -n 1)
if [ ! -f "$header" ]; then
    skip header "level_zero/ze_api.h is not found"
else
    # A declaration's name is alone at the start of a line, after ZE_APICALL; headers newer than 1.4 have more.
    sed -n 's/^\(ze[A-Z][A-Za-z0-9]*\)(.*/\1/p' "$header" | sort -u > "$work/declared"
    comm -23 "$work/declared" "$work/listed" > "$work/missing"
    if [ "$(wc -l < "$work/declared")" -lt 100 ]; then
        fail "functions of the header" "only $(wc -l < "$work/declared") were found in $header"
    else
        # The second table's functions, and those without an entry, which the text before it names, are of newer headers.
        sed -n '/have no$/,/^| function/s/[^`]*`\(ze[A-Za-z]*\)\(\**\)`[^`]*/\1\2\n/gp' "$page" |
            sed -n 's/^\(ze[A-Za-z]*\)\*$/^\1/p; s/^\(ze[A-Za-z]*\)$/^\1$/p' > "$work/none"
        grep -v -f "$work/none" "$work/missing" > "$work/unnamed" || true
        mv "$work/unnamed" "$work/missing"
        no_lines "functions of the header that the tables do not list" "$work/missing"
    fi
fi

# The documented settings are those that the driver accepts.
sed -n 's/^| `XETILE_SOFT_\([A-Z_]*\).*/\1/p' "$readme" | sort > "$work/told"
sed -n 's/^    {"\([A-Z_]*\)", {.*/\1/p' soft/ze/settings.c | sort > "$work/taken"
[ "$(wc -l < "$work/taken")" -ge 10 ] || fail settings "the table is not found in soft/ze/settings.c"
diff "$work/told" "$work/taken" > "$work/settings" || true
no_lines "settings of $readme (<) and of soft/ze/settings.c (>) differ" "$work/settings"

# A row's tests: `name` in tests/soft/test_soft_driver.c, `file: name` in file.c of some folder of tests/.
while IFS='|' read -r function tests; do
    missing=
    [ -n "$tests" ] || missing="no test"
    for test in $(printf '%s' "$tests" | sed 's/: /:/g; s/,/ /g'); do
        case $test in
        *:*) file=$(ls tests/*/"${test%%:*}.c") name=${test#*:} ;;
        *) file=tests/soft/test_soft_driver.c name=$test ;;
        esac
        grep -q "^TEST($name)" "$file" || missing="$missing no TEST($name) in $file;"
        grep -q "$function\\b" "$file" || missing="$missing $file does not use it;"
    done
    if [ -z "$missing" ]; then pass; else fail "$function" "$missing"; fi
done < "$work/rows"

# The table of what kernels may use: `file: test` in all rows, in tests/ or soft/tests/.
sed -n '/^### What a kernel may use/,/^### Several/p' "$page" | sed -n 's/^| \(.*\) | \(test_[^|]*\) |$/\1|\2/p' > "$work/breadth"
[ "$(wc -l < "$work/breadth")" -ge 30 ] || fail "what a kernel may use" "the table is not found in $page"
while IFS='|' read -r what tests; do
    missing=
    for test in $(printf '%s' "$tests" | sed 's/: /:/g; s/,/ /g'); do
        file=${test%%:*}.c name=${test#*:}
        grep -qE "^(TEST|REFUSED|TAKEN)\(${name}[,)]" tests/*/"$file" "soft/tests/$file" 2>/dev/null || missing="$missing no $name in $file;"
    done
    if [ -z "$missing" ]; then pass; else fail "$what" "$missing"; fi
done < "$work/breadth"
report
