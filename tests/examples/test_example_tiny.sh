#!/bin/sh
# The compiler among the examples: texts that it compiles and verifies, and errors that name their line.
. "$(dirname "$0")/../test.sh"
program="$BUILD/tiny_compiler" saved=${XETILE_SPV_DIR:-$work}
check_says "mandelbrot" "ok tiny_compiler mandelbrot 10007 elements" "$program" examples/mandelbrot.tiny
check_says "--emit" "ok tiny_compiler" "$program" examples/mandelbrot.tiny --emit "$saved/tiny_compiler.spv"
cat > "$work/nested.tiny" <<'END'
kernel nested(in x, out y, out z) {
    w = 3
    if x < 0 {
        y = abs(x)
        while y < 20 {
            y = y * 2 + w - 2.5
            if y > 7 { q = y y = q + 1 break } else { }
            z = z + y
        }
    } else { y = min(x, w) }
}
END
check_says "breaks within ifs within loops" "ok tiny_compiler nested" "$program" "$work/nested.tiny"
refused() { # refused TEXT MESSAGE
    printf "$1" > "$work/bad.tiny"
    check_refused "$2" "$2" "$program" "$work/bad.tiny"
}
refused 'kernel k(in x, out y) {\n y = x + zz\n}' "bad.tiny:2: unknown variable zz"
refused 'kernel k(in x, out y) {\n break }' "bad.tiny:2: break outside of a loop"
refused 'kernel k(in x, in x) { }' "two parameters are called x"
refused 'kernel k(in x) { x = 1' "expected }"
# A loop that never ends, or within one that would, ends before the launch, and names its line.
refused 'kernel k(in x, out y) {\n y = x\n while y < 10 {\n  y = y * 1\n }\n}' "bad.tiny:3: this loop does not end"
refused 'kernel k(out y) {\n while y < 1 {\n  z = 0\n  while z < 1 { z = z * 2 }\n }\n}' "bad.tiny:4: this loop does not end"
refused "kernel k(out y) { y = $(printf '%0300d' 0 | tr 0 '(')1" "too many open parentheses and blocks"
refused "kernel k(out y) { $(printf '%0300d' 0 | sed 's/0/if y < 1 { /g')" "too many open parentheses and blocks"
check_options tiny_compiler
check_says "--target" "ok tiny_compiler" "$program" examples/mandelbrot.tiny --emit "$work/other.spv" --target pvc
check "the same for all targets" cmp "$work/other.spv" "$saved/tiny_compiler.spv"
check_refused "no such target" "--target vga: one of tgl dg1" "$program" --emit "$work/none.spv" --target vga
check_refused "no such file" "none.tiny: cannot read it" "$program" "$work/none.tiny"
check "under 500 lines" test "$(wc -l < examples/tiny_compiler.c)" -lt 500
report
