#!/bin/sh
# The page of measurements shows what the lines contain, escapes names and loads nothing from elsewhere; and bench/run.sh
# continues after a bench that fails, and reports it. Benches that only emit are run.
. "$(dirname "$0")/../test.sh"

cat > "$work/lines" <<'LINES'
device   some device
bench emit_gemm 80.1 us peer=other peer_value=801 ratio=0.1
bench emit_gemm_allocations 46 allocations
bench compile_gemm_O2 1.25 s peer=stb_image peer_value=2.5 ratio=0.5
bench edit_to_result_cold 1256 ms
bench gemm_f16_64 4.5 GFLOP/s peer=openblas_sgemm peer_value=18.8 ratio=0.24
bench gemm_f16_4096 200.5 GFLOP/s peer=openblas_sgemm peer_value=180 ratio=1.11
bench gemm_f16_1024_avx2 100 GFLOP/s peer=openblas_sgemm peer_value=400 ratio=0.25
bench f32_peak_of_a_thread_avx2 77.5 GFLOP/s
bench devices_2 1.5 times
bench odd<name> 3.25 us
isa gemm pvc loop_dpas=32 loop_instructions=64 loop_memory=4 spill=0
bound gemm pvc dpas 100% dpas=256 l2=128 registers=63620 slm_loads=0 slm_stores=1 loads=6144 stores=0 prefetches=1024 from_memory=26%
isa none bmg loop_dpas=0 loop_instructions=0 loop_memory=0 spill=0
isa old bmg loop_dpas=16 loop_instructions=60 spill=64
libsomething is not installed: no peer
something else
LINES
page() { "$BUILD/report" < "$work/lines"; }
for part in "on some device" ">80.1 us<" ">10 times as fast<" "emit gemm allocations: 46" "Including the headers" ">compile gemm O2<" ">1.25 s<" \
    "stb image 2.50" ">2 times as fast<" "1256 ms" "openblas sgemm 400" "0.25 times the peer" "1.50 times" \
    "own bound" "77.5 GFLOP/s" ">100 GFLOP/s<" ">50<" "openblas sgemm 400 GFLOP/s" "stb image 2.50 s" \
    "<td>gemm<td>pvc<td>dpas<td>100%<td>63620<td>0<td>1<td>6144<td>0<td>1024<td>26%" "odd&lt;name&gt;" "gemm, pvc" "32 dpas of 64" "16 dpas of 60, spills" "libsomething is not installed" "width=device-width"; do
    check_says "the page says $part" "$part" page
done
page > "$work/page.html"
check "no bar where there is no loop" test "$(grep -c "none, bmg" "$work/page.html")" = 0
check "one curve for our products, one for the peer's" test "$(grep -c 'class="curve' "$work/page.html")" = 2
check "a row of the table: ours, the peer's, the ratio" grep -qF '<tr><td>gemm_f16_1024_avx2<td>100 GFLOP/s<td>openblas_sgemm 400<td>0.25</tr>' "$work/page.html"
bars() { # bars CHART: the lengths of our bar and of the peer's
    sed -n "/aria-label=\"$1\"/,/<\/svg>/p" "$work/page.html" | awk -F'"' '
        /class="own"/ { for (i = 1; i < NF; i++) if ($i ~ /width=$/) own = $(i + 1) }
        /class="peer"/ { for (i = 1; i < NF; i++) if ($i ~ /width=$/) peer = $(i + 1) }
        END { printf "%.2f\n", peer ? own / peer : 0 }'
}
check "bars are as long as their figures: 100 beside 400" test "$(bars "Matrix product by instruction set")" = 0.25
check "bars are as long as their figures: 80.1 beside 801" test "$(bars "Writing a module")" = 0.10
check "nothing from elsewhere" test "$(grep -c -E 'https?:|<script|<link|@import|src=' "$work/page.html")" = 0
for tag in svg section text table h2 ul; do
    check "every $tag is closed" test "$(grep -o "<$tag[ >]" "$work/page.html" | wc -l)" = "$(grep -o "</$tag>" "$work/page.html" | wc -l)"
done
printf 'nothing measured\n' > "$work/lines"
check "no figure at all is a failure" sh -c "! '$BUILD/report' < '$work/lines' > /dev/null"

# The benches that need no device run.
for name in bench_emit bench_emit_include_and_go bench_emit_l2; do
    if [ -x "$BUILD/unoptimised_$name" ]; then check_says "$name" "bench emit_gemm" "$BUILD/unoptimised_$name"
    else skip "$name" "it is not built"; fi
done

# A tree with stubs in place of the benches.
mkdir -p "$work/tree/bench" "$work/tree/scripts" "$work/tree/build"
cp bench/run.sh "$work/tree/bench/" && cp "$BUILD/report" "$work/tree/build/"
stand_in() { printf '#!/bin/sh\n%s\n' "$2" > "$work/tree/$1" && chmod +x "$work/tree/$1"; }
stand_in build/bench_good 'echo bench emit_x 1.5 us'
stand_in build/bench_bad 'exit 3'
stand_in bench/bench_edit.sh 'echo bench edit_x 2 ms'
stand_in bench/bench_scaling.sh 'echo bench devices_1 2 GFLOP/s'
stand_in scripts/check_intel.sh 'echo skipped check-intel: none here'
check_says "bench/run.sh" "bench emit_x 1.5 us" env BUILD=build "$work/tree/bench/run.sh" bench_good
check "the page is written" grep -q "none here" "$work/tree/bench/report.html"
check_refused "a bench that fails" "FAILED build/bench_bad" env BUILD=build "$work/tree/bench/run.sh" bench_bad bench_good
check "the others still run" grep -q "emit x" "$work/tree/bench/report.html"
report
