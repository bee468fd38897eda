#!/bin/sh
# What the README shows is true: its C programs compile with every warning an error and run, its vendoring recipe works,
# and the targets and files it names exist.
. "$(dirname "$0")/test.sh"

# Each ```c block to a file of its own.
awk -v to="$work" '/^```c$/ { file = to "/block" ++n ".c"; next } /^```$/ { file = ""; next } file { print > file }' README.md
for block in "$work"/block*.c; do
    [ -e "$block" ] || { fail "README" "it has no C program"; continue; }
    check "$(basename "$block") compiles" $CC -std=c11 -Wall -Wextra -Wpedantic -Werror -I. -o "${block%.c}" "$block" -lze_loader -lm
    wanted=$(sed -n 's/^It prints `\([^`]*\)`.*/\1/p' README.md | head -n 1)
    check_says "$(basename "$block") prints what the README says" "$wanted" env XETILE_DEVICE=software "${block%.c}"
done

# The recipe's own lines, with a folder that exists.
recipe() {
    mkdir "$work/folder" && sed -n 's|^    \(cp spirv_emit.h .*\)|\1|p; s|^    \(cd /some/folder .*\)|\1|p' README.md |
        sed "s|/some/folder|$work/folder|g; s|\./a\.out|./a.out --m 64 --n 48 --k 40|" > "$work/recipe.sh" &&
        XETILE_DEVICE=software sh -e "$work/recipe.sh"
}
check_says "the vendoring recipe" "ok gemm" recipe

for target in $(sed -n 's/^    make \([a-z ]*\).*#.*/\1/p' README.md) install soft check-intel; do
    check "make $target exists" grep -q "^$target:" Makefile
done
for file in $(grep -o '^| `[^|]*|' README.md | grep -o '`[^`]*`' | tr -d '`'); do
    check "$file exists" test -e "$file"
done
mkdir "$work/bin" && printf '#!/bin/sh\necho "$0 $*"; exit 7\n' > "$work/bin/make" && chmod +x "$work/bin/make"
ci_output=$(PATH="$work/bin:$PATH" .ci/run 2>&1)
ci_code=$?
check ".ci/run prints the README's command" test "$(echo "$ci_output" | head -n 1)" = "+ make setup test"
check ".ci/run runs it" test "$(echo "$ci_output" | tail -n 1)" = "$work/bin/make setup test"
check ".ci/run passes its exit code through" test "$ci_code" = 7
report
