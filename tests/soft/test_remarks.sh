#!/bin/sh
# The device's remarks on the kernels it builds (XETILE_SOFT_REMARKS, XETILE_SOFT_PRINT): optimisations done and missed, with the
# source line; the same if the kernel is cached; nothing unless requested.
. "$(dirname "$0")/../test.sh"
export XETILE_SOFT_ISA=generic # the same on every CPU
quick="env XETILE_SOFT_TIER=quick" # where both tiers say the same: less to compile
BUILD=$(cd "$BUILD" && pwd)
export BUILD

remarks() { # remarks FILE PROGRAM...
    to=$1
    shift
    XETILE_SOFT_REMARKS=1 "$@" > "$work/out" 2>&1 || { cat "$work/out"; return 1; }
    grep 'remark:' "$work/out" > "$to" || true
}
says() { check "$1" grep -qE "$2" "$3"; } # says NAME PATTERN FILE

check "gemm" remarks "$work/gemm" $quick "$BUILD/gemm" --device software --m 256 --n 256 --k 256
says "products of a loop are deferred, and B packed" \
    '^word [0-9]+: remark: gemm_f16: 4 x 4 x 2 products of [0-9]+ steps are done together; B is packed once per work-group \[done: deferred\]$' "$work/gemm"
check "gemm, from the cache" remarks "$work/again" $quick "$BUILD/gemm" --device software --m 256 --n 256 --k 256
check "the same remarks then" cmp "$work/gemm" "$work/again"
check "a remark once" test -z "$(sort "$work/gemm" | uniq -d)"
XETILE_SOFT_CHECK=1 check "gemm, checked" remarks "$work/checked" $quick "$BUILD/gemm" --device software --m 64 --n 64 --k 64
says "why products are not deferred" 'products are done in each step: the checked mode watches each load \[missed: deferred\]$' "$work/checked"

check "OpenCL kernels" remarks "$work/lines" "$BUILD/test_opencl_lines"
says "lanes side by side" 'load: lanes side by side, one vector access \[done: affine\]$' "$work/lines"
says "as long as nothing wraps" 'one vector access while no index wraps \[done: affine\]$' "$work/lines"
says "why not side by side" 'lane by lane: its address depends on Op[A-Za-z]+ %[0-9]+, which has no constant step \[missed: affine\]$' "$work/lines"
says "barriers without coroutines" '^kernel: remark: [a-z_]+: it returns at barriers and is called again, with [0-9]+ bytes saved per subgroup \[done: continuations\]$' "$work/lines"
says "coherent paths" '\[done: coherent\]$' "$work/lines"
check "kernels with lines" remarks "$work/places" $quick TEST_ONLY=past_the_end "$BUILD/test_opencl_check"
says "a file and a line" 'check\.cl:[0-9]+: remark: past_end: store: ' "$work/places"

check "products that are spelled out" remarks "$work/outer" $quick TEST_ONLY=every_type "$BUILD/test_soft_outer"
check "a product of every type" test "$(grep -c '32 products and sums are a matrix product of 32 x 16 x 8 \[done: outer\]$' "$work/outer")" = 5

$quick "$BUILD/gemm" --device software --m 64 --n 64 --k 64 > "$work/quiet" 2>&1
check "nothing unless it is asked for" sh -c "! grep -q remark: '$work/quiet'"

XETILE_SOFT_PRINT=after:affine "$BUILD/hello" --device software > "$work/affine" 2>&1
says "a function after a pass" '^function %[0-9]+, kernel hello after affine, full subgroups$' "$work/affine"
says "what is known of a value" '^    %[0-9]+ = OpLoad .*; varying, affine: step 1$' "$work/affine"
XETILE_SOFT_PRINT=after:divergence "$BUILD/hello" --device software > "$work/divergence" 2>&1
check "not before that pass" sh -c "grep -q 'after divergence' '$work/divergence' && ! grep -q 'affine: step' '$work/divergence'"
XETILE_SOFT_PRINT=c "$BUILD/hello" --device software > "$work/text" 2>&1
says "the text that is compiled" '^/\* v12 value %12 ' "$work/text"
says "the text is whole" '^const struct xs_module ' "$work/text"
form="--form columns" # the one of three with the longest blocks
thorough && form=
# shellcheck disable=SC2086
XETILE_SOFT_PRINT=c "$BUILD/softmax" --device software $form > "$work/softmax" 2>&1 # gcc needs the square of a block's length
longest=$(awk '/^[LW][0-9]+:;|XS_NEW_BLOCK\([LW]/ { n = 0 } /^ *v[0-9]+[a-z.0-9\[\]]* = / { if (++n > most) most = n }
               END { print most + 0 }' "$work/softmax")
check "basic blocks have at most 200 assignments: $longest" sh -c "test $longest -gt 50 && test $longest -le 200"
for pass in $(sed -n 's/^    {"\([a-z]*\)", .*/\1/p' soft/passes/passes.c); do
    XETILE_SOFT_PRINT=after:$pass "$BUILD/hello" --device software > "$work/pass" 2>&1
    says "after $pass" "after $pass, " "$work/pass"
done
report
