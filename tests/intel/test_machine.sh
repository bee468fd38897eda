#!/bin/sh
# A few small launches of Intel's machine code on the software device, if Intel's compiler is already set up. Also checks the
# interpreter's sensitivity: variants that decode operands wrongly make the examples that use them fail.
. "$(dirname "$0")/../test.sh"
export XE_OFFLINE="${XE_OFFLINE:-}"

# What check_machine.sh keeps: with a compiler that only has a version, and a program that counts how often it runs.
mkdir -p "$work/bin" "$work/kept"
: > "$work/kept/libze_soft.so"
printf '#!/bin/sh\necho 1.2.3\n' > "$work/bin/ocloc"
program() { # program EXIT-CODE
    cat > "$work/kept/test_it" <<END
#!/bin/sh
[ -z "\${TEST_LIST:-}" ] || { printf 'even\nodd\n0 passed, 0 failed\n'; exit; }
echo ran >> $work/runs
case \$TEST_EXCEPT in even*) echo "skipped odd: there are no doubles"; echo "0 passed, 0 failed, 1 skipped"; exit; ;; esac
echo "$((1 - $1)) passed, $1 failed"
exit $1
END
    chmod +x "$work/bin/ocloc" "$work/kept/test_it"
}
machine() {
    env JOBS="$jobs" XE_OFFLINE= XETILE_SOFT= PATH="$work/bin:$PATH" BUILD="$work/kept" MACHINE_TARGETS=cri MACHINE_EXAMPLES= \
        MACHINE_TESTS=test_it scripts/check_machine.sh "$@"
}
jobs=1
program 1
check_refused "a program that fails" "FAILED executed test_it:even cri" machine
check_refused "a program that failed is executed again" "FAILED executed test_it:even cri" machine
check_says "the table of what failed" "| test_it | 0, 1 skipped, 1 FAILED |" machine --table
program 0
jobs=3
check_says "a program that is right" "executed test_it:even cri ok" machine
check_says "what was right is kept" "2 ok, 0 meet known bugs of Intel's compiler, 0 failed" machine
check_says "the table" "| test_it | 1, 1 skipped |

- test_it, odd: there are no doubles: cri" machine --table
check_says "runs" 5 wc -l "$work/runs"
scripts/check_machine.sh --short > "$work/said" 2>&1
code=$?
if grep -q '^skipped' "$work/said"; then
    skip "machine code" "$(sed -n 's/^skipped check-machine: //p' "$work/said")"
    report
    exit
fi
cat "$work/said"
for line in $(grep -E '^(executed [a-z0-9_:]* [a-z]* ok|known bug)' "$work/said" | tr ' ' '/'); do pass; done
[ "$code" = 0 ] || fail "check_machine.sh --short" "$(grep -A 6 FAILED "$work/said")"

# switched PROGRAM... with the operand named by $1 decoded wrongly
command -v ocloc >/dev/null 2>&1 || export XETILE_SOFT_OCLOC="${XETILE_SOFT_OCLOC:-$(pwd)/scripts/ocloc_offline.sh}"
wrong() { # wrong SWITCH NAME PROGRAM ARGUMENTS...
    switch=$1
    shift
    check_refused "$1 with XETILE_SOFT_XE_BREAK=$switch" "FAILED" env XETILE_SOFT_ISA=bmg XETILE_SOFT_XE_BREAK="$switch" "$@"
}
wrong vnni "$BUILD/gemm" --m 64 --n 64 --k 64
wrong dpas "$BUILD/gemm" --m 64 --n 64 --k 64
wrong transpose "$BUILD/gemm_variants" --variant transposed_a --m 64 --n 64 --k 64
check_says "the code of a kernel" "1 passed, 0 failed" \
    sh -c "XETILE_SOFT_ISA=bmg TEST_ONLY=kernel_binaries '$BUILD/test_soft_driver'"
check_says "the checked mode" "work-item (60,0,0): send.ugm" \
    sh -c "XETILE_SOFT_ISA=bmg TEST_ONLY=stores_past_the_end '$BUILD/test_opencl_check' || true"
check_says "kernels with images" "expected kernels without images" \
    sh -c "XETILE_SOFT_ISA=bmg '$BUILD/test_opencl_images' 2>&1 || true"
check_says "a launch without a compiler" "there is no ocloc" sh -c "XETILE_SOFT_ISA=bmg XETILE_SOFT_OCLOC=/nosuch/ocloc '$BUILD/hello' 2>&1 || true"
report
