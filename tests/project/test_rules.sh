#!/bin/sh
# docs/rules.md: each kernel in its tables is in a test that builds it and checks the table's error id, the line and both values
# (BAD in those tests), and that runs.
. "$(dirname "$0")/../test.sh"
tests="tests/xetile/test_xetile_errors.c tests/xetile/test_xetile_vector_errors.c tests/coopvec/test_coopvec_errors.c"

# A line for each: the error, then the kernel's name, or `file: text in it`.
awk -F ' *[|] *' '/^[|]/ && $4 != "error" && $4 !~ /^-/ {
    if ($5 ~ /^test_[a-z_]*[.](c|sh): /) { print $4 "\t" $5; next }
    n = split($5, name, ", *")
    for (i = 1; i <= n; i++) print $4 "\t" name[i]
}' docs/rules.md > "$work/rows"
check "all rows are read" test "$(wc -l < "$work/rows")" -ge 150
check "each rule that cannot be broken says why" test -z "$(awk -F ' *[|] *' '$4 == "-" && $5 == ""' docs/rules.md)"

in_file() { # in_file ERROR FILE TEXT
    file=$(ls tests/*/"$2") && grep -qF -- "$3" "$file" || return 1
    [ "$1" = C ] || grep -q "\b$1\b" "$file"
}
broken() { # broken ERROR KERNEL
    name=${2#unlisted_}
    if [ "$name" != "$2" ]; then
        grep -q "^UNLISTED($name," $tests && grep -q "RUN($2);" $tests && [ "$1" = UNLISTED ]
        return
    fi
    # the name may be on a separate line
    tr '\n' ' ' < "$work/tests" | grep -q "BAD( *$2, $1," && grep -q "RUN($2);" "$work/tests"
}
# shellcheck disable=SC2086
cat $tests > "$work/tests"
tab=$(printf '\t')
while IFS="$tab" read -r error case; do
    case $case in
    test_*': '*) check "$error: $case" in_file "$error" "${case%%: *}" "${case#*: }" ;;
    *) check "$error: $case" broken "$error" "$case" ;;
    esac
done < "$work/rows"
report
