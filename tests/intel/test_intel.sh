#!/bin/sh
# Intel's compiler accepts the GEMM modules for pvc, bmg, lnl-m and ptl: 32 dpas per K step, no spills. Other modules for one
# device each; `make check-intel` compiles all of them for all devices.
. "$(dirname "$0")/../test.sh"

# machine_bound.awk on a loop whose numbers can be computed by hand. The label before it does not start a loop.
cat > "$work/listing" <<'LISTING'
before:
(W)     mov (1|M0)               r3.7<1>:ud    0xF1F:uw
        math.inv (16|M0)         r9.0<1>:f     r8.0<1;1,0>:f
again:
        load_block2d.ugm.d16.a64.ca.ca (1|M0)  null:0 [r3:1]    {$1} // ex_desc:0x0; desc:0x2080203 // a prefetch: 32 x 16 x 2
        load_block2d.ugm.d16v.a64 (1|M0)  r20:16 [r3:1]         {$2} // the same, loaded
        load.slm.d64x16t.a32 (1|M0)  r40:2 [r4:1]               {$3}
(W)     store.slm.d32x4.a32 (16|M0)  [r4:1] r42:4               {$4}
        store.ugm.d32.a64 (16|M0)  [r12:2] r10:1                {$5}
        dpas.8x8 (16|M0)         r50:f         r50:f             r20:hf            r28.0:hf
        add (16|M0)              r60.0<1>:d    r60.0<1;1,0>:d    r2.0<0;1,0>:d
        mad (32|M0)              r62.0<1>:f    r62.0<1;0>:f      r64.0<1;0>:f      r66.0<1>:f
        add (16|M0)              r70.0<1>:q    r70.0<1;1,0>:q    1:q
(f0.0)  goto (16|M0)             again         again
LISTING
check_says "the bound of a loop" "l2 5% dpas=8 float=2 integer=1 long=2 math=0 send=24 l2=136 registers=4164 slm_loads=128 \
slm_stores=256 loads=1024 stores=64 prefetches=1024 from_memory=13%" awk -v device=bmg -f scripts/machine_bound.awk "$work/listing"
scripts/check_intel.sh --short > "$work/said" 2>&1
code=$?
if grep -q '^skipped' "$work/said"; then
    skip "intel" "$(sed -n 's/^skipped check-intel: //p' "$work/said")"
    report
    exit
fi
cat "$work/said"
for line in $(grep '^isa ' "$work/said" | tr ' ' '/'); do
    # check_intel.sh has the limit of gemm_l2, whose loops at any pitch spill on bmg
    echo "$line" | grep -q -e 'spill=0$' -e '^isa/gemm_l2/bmg/' && pass || fail "$line" "it spills"
done
[ "$code" = 0 ] || fail "check-intel" "$(grep -A 20 FAILED "$work/said")"
check "the README's figure is that of gemm on bmg" grep -q "^isa gemm bmg loop_dpas=$(sed -n '/^\*\*One figure:/,/^$/s/.*(bmg), \([0-9]*\) are matrix.*/\1/p' README.md) loop_instructions=$(sed -n 's/^\*\*One figure:\*\* of the \([0-9]*\) instructions.*/\1/p' README.md) .*spill=0$" "$work/said"
[ "$(grep -c '^isa gemm [a-z-]* loop_dpas=32 ' "$work/said")" = 4 ] || fail "gemm" "not 32 dpas a step on all four devices"
# Devices without a matrix instruction: a sample of `check_intel_shapes.sh plain`, which has the limits.
PLAIN_DEVICES="tgl mtl-h" scripts/check_intel_shapes.sh plain 'tgl/f16/checked|mtl-h/i8/inside' > "$work/plain"
check "plain products" [ "$? $(grep -c '^plain' "$work/plain")" = "0 2" ]
report
