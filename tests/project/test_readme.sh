#!/bin/sh
# README.md and docs/ are true: each C program compiles with every warning an error, runs, and prints the text below it; the
# vendoring recipe works, another program finds the software device, and targets and files exist.
. "$(dirname "$0")/../test.sh"

# Writes each ```c block to a file, and the ```text block after it to another.
blocks() { # blocks FILE PREFIX
    awk -v to="$2" '/^```c$/ { file = to (++n) ".c"; next } /^```text$/ { file = to n ".text"; next } /^```/ { file = ""; next }
        file { print > file }' "$1"
}
for page in README.md docs/*.md; do
    prefix="$work/$(basename "$page" .md)_"
    blocks "$page" "$prefix"
    programs=$(grep -c '^```c$' "$page")
    check "$page: its $programs C programs are found" test "$(find "$work" -name "$(basename "$prefix")*.c" | wc -l)" = "$programs"
    for block in "$prefix"*.c; do
        [ "$programs" = 0 ] && break
        name="$page, program $(basename "$block" .c)"
        # shellcheck disable=SC2086 # a program that loads a driver with a sanitizer needs it too
        check "$name compiles" $CC $SANITIZE -std=c11 -Wall -Wextra -Wpedantic -Werror -I. -o "${block%.c}" "$block" -lm
        check "$name has its output under it" test -s "${block%.c}.text"
        check_says "$name prints it" "$(cat "${block%.c}.text")" env XETILE_DEVICE=software "${block%.c}"
    done
done
check_says "a program that does not know of the software device" "ok hello" \
    env XETILE_SOFT= ZE_ENABLE_ALT_DRIVERS="$XETILE_SOFT" "$BUILD/hello"

# Links to files, to sections, and paths in backticks.
has_section() { # has_section PAGE [FILE]#SECTION, as GitHub names sections
    to=$1
    case $2 in \#*) ;; *) to=$(dirname "$1")/${2%%#*} ;; esac
    sed -n 's/^##* //p' "$to" | tr 'A-Z' 'a-z' | tr -cd 'a-z0-9 _\n-' | tr ' ' '-' | grep -qx -- "${2#*#}"
}
for page in README.md docs/*.md soft/README.md; do
    for file in $(grep -o '](\([^)#]*\))' "$page" | tr -d '()]' | grep -v '^http'; sed -n 's/.*<img src="\([^"]*\)".*/\1/p' "$page"); do
        check "$page links to $file" test -e "$(dirname "$page")/$file"
    done
    for link in $(grep -o ']([^) ]*#[^) ]*)' "$page" | sed 's/^](\(.*\))$/\1/' | grep -v '^http'); do
        check "$page links to $link" has_section "$page" "$link"
    done
    for file in $(grep -o '`[a-z_./0-9]*/[a-z_./0-9]*\.\(c\|h\|sh\|py\|txt\|md\)`' "$page" | tr -d '`'); do
        check "$page: $file exists" test -e "$file"
    done
done

# What a GEMM needs: the files of the recipe, and their size within 5 percent.
read -r told_files told_kilobytes <<END
$(sed -n 's/^A GEMM needs .*, \([0-9]*\) files of about \([0-9]*\) KB.*/\1 \2/p' README.md)
END
needed=$(sed -n 's|^    cp \(.*\) /some/folder/$|\1|p' README.md)
# shellcheck disable=SC2086 # one word a file
check "the README counts the files of a GEMM" test "${told_files:-0}" = "$(echo $needed | wc -w)"
# shellcheck disable=SC2086
kilobytes=$(($(cat $needed | wc -c) / 1000))
check "a GEMM needs $kilobytes KB, the README says ${told_kilobytes:-nothing}" \
    test $((${told_kilobytes:-0} * 100)) -ge $((kilobytes * 95)) -a $((${told_kilobytes:-0} * 100)) -le $((kilobytes * 105))

# What each header says at its top: the files that it needs, and their size within 3 percent.
for header in spirv_emit coopmatrix xetile coopvec ze_dispatch vk_dispatch; do
    said=$(sed -n 's/^ \* Files: \(.*\), \([0-9]*\) KB in all\. Version: XETILE_VERSION\. License: MIT, see LICENSE\.$/\1 \2/p' $header.h)
    files=$(echo "$said" | tr ' ' '\n' | grep '\.h$' | sort | tr '\n' ' ')
    echo "#include \"$header.h\"" > "$work/needs.c"
    needs=$($CC -std=c11 -MM -MG -I. -DXETILE_DECLARATIONS "$work/needs.c" | tr ' ' '\n' | grep '^[a-z_]*\.h$' | sort | tr '\n' ' ')
    check "$header.h says that it needs $needs" test "${files:-nothing}" = "$needs"
    # shellcheck disable=SC2086
    kilobytes=$(($(cat $needs | wc -c) / 1000)) told=${said##* }
    check "these are $kilobytes KB, it says ${told:-nothing}" \
        test $((${told:-0} * 100)) -ge $((kilobytes * 97)) -a $((${told:-0} * 100)) -le $((kilobytes * 103))
done

# Each example has its row.
for example in examples/*.c; do
    name=$(basename "$example" .c)
    check "the README's table has $name" grep -qF "| [$name]($example) |" README.md
done
pictures() { scripts/pictures.sh "$work/pictures" && ls "$work/pictures" && test "$(ls "$work/pictures")" = "$(ls docs/pictures)"; }
if ! thorough; then :; elif command -v python3 >/dev/null 2>&1; then check "the pictures are made" pictures
else skip "the pictures" "python3 is not installed"; fi

# The recipe's own lines, with an existing folder.
recipe() {
    mkdir "$work/folder" && sed -n 's|^    \(cp spirv_emit.h .*\)|\1|p; s|^    \(cd /some/folder .*\)|\1|p' README.md |
        sed "s|/some/folder|$work/folder|g; s|cc -std|cc $SANITIZE -std|; s|\./a\.out|./a.out --m 64 --n 48 --k 40|" > "$work/recipe.sh" &&
        XETILE_DEVICE=software sh -e "$work/recipe.sh"
}
check_says "the vendoring recipe" "ok gemm" recipe

# The same program with the bodies in a separate file, in the recipe's folder.
bodies_apart() {
    cd "$work/folder" && sed -n "s|^    \(printf .*bodies.c\)$|\1|p; s|^    \(cc .*bodies.c .*\)|\1|p" "$page" |
        sed "s|cc -std|cc $SANITIZE -std|; s|\./a\.out|./a.out --m 64 --n 48 --k 40|" > bodies.sh &&
        test "$(wc -l < bodies.sh)" = 2 && rm -f a.out && XETILE_DEVICE=software sh -e bodies.sh
}
page=$(pwd)/README.md
check_says "the README's program of two files" "ok gemm" bodies_apart

# The command lines for several devices and ranks, with small sizes.
for program in gemm_devices mpi_summa; do
    line=$(sed -n "s|^    \(XETILE_[A-Z=0-9_]* .*\)build/$program$|\1'$BUILD/$program' --device software --m 96 --n 80 --k 64|p" README.md)
    if [ $program = mpi_summa ] && [ -n "${SANITIZE:-}" ]; then skip "the README's mpirun" "not under sanitizers"
    elif [ $program = mpi_summa ] && ! { [ -x "$BUILD/mpi_summa" ] && command -v mpirun >/dev/null 2>&1; }; then
        skip "the README's mpirun" "Open MPI is not installed"
    else
        check_says "the README's line with $program" "ok $program f16 96 x 80 x 64 on 2" \
            env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 sh -c "$line"
    fi
done

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
