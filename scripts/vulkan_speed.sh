#!/bin/sh
# vulkan_speed.sh [FOLDER [REPORT]] - how fast this machine's Vulkan device runs the examples in FOLDER (build/vulkan; as
# vulkan_report.sh, it builds nothing), and beside them PyTorch, where $PYTHON (python3) has it and it sees a GPU. Each
# program compares every element with f64 before its figure counts. Writes a report in Markdown to REPORT
# (docs/vulkan-speed.md). $CASES (all): those whose name contains it. Programs have $SECONDS_EACH (300) s each.
#
# PyTorch's matrices are of f16, bf16 or i8, with sums of f32 or i32, and f16 or bf16 results; B by rows, as the examples have it,
# and by columns where i8 is slow without. Its figures are the fastest of 40 calls after 3; the examples' the fastest of 30 launches, or
# the median of 3 (gemm).
folder=$(cd "${1:-build/vulkan}" && pwd) || exit 1
report=${2:-docs/vulkan-speed.md} python=${PYTHON:-python3} seconds=${SECONDS_EACH:-300}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export LC_ALL=C XETILE_DEVICE="${XETILE_DEVICE:-0}"

# name; what is counted; the words for PyTorch; the program
cat > "$work/cases" <<'END'
gemm f16 4096 x 4096 x 4096|TFLOP/s|matmul f16 4096 4096 4096|gemm --type f16 --m 4096 --n 4096 --k 4096
gemm f16 4096 x 4104 x 4104|TFLOP/s|matmul f16 4096 4104 4104|gemm --type f16 --m 4096 --n 4104 --k 4104
gemm f16 4096 x 4097 x 4097|TFLOP/s|matmul f16 4096 4097 4097|gemm --type f16 --m 4096 --n 4097 --k 4097
gemm bf16 4096 x 4096 x 4096|TFLOP/s|matmul bf16 4096 4096 4096|gemm --type bf16 --m 4096 --n 4096 --k 4096
gemm bf16 4096 x 4104 x 4104|TFLOP/s|matmul bf16 4096 4104 4104|gemm --type bf16 --m 4096 --n 4104 --k 4104
gemm i8 4096 x 4096 x 4096|TFLOP/s|matmul i8 4096 4096 4096|gemm --type i8 --m 4096 --n 4096 --k 4096
gemm i8 4096 x 4112 x 4112|TFLOP/s|matmul i8 4096 4112 4112|gemm --type i8 --m 4096 --n 4112 --k 4112
gemm i8 4096 x 4097 x 4097|TFLOP/s|matmul i8 4096 4097 4097|gemm --type i8 --m 4096 --n 4097 --k 4097
attention 8 heads of 128, 4096|TFLOP/s|attention 8 4096 128 0|flash_attention --head 128 --causal 0 --heads 8 --length 4096 --launches 30
attention 8 heads of 128, 4096, causal|TFLOP/s|attention 8 4096 128 1|flash_attention --head 128 --causal 1 --heads 8 --length 4096 --launches 30
attention 8 heads of 64, 4096|TFLOP/s|attention 8 4096 64 0|flash_attention --head 64 --causal 0 --heads 8 --length 4096 --launches 30
softmax of rows, 8192 x 1024 f32|GB/s|softmax 8192 1024|softmax --form rows --m 8192 --n 1024 --launches 30
softmax of rows, 65536 x 1024 f32|GB/s|softmax 65536 1024|softmax --form rows --m 65536 --n 1024 --launches 30
END

cat > "$work/torch.py" <<'END'
import sys, torch
types = {"f16": torch.float16, "bf16": torch.bfloat16, "i8": torch.int8}
torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False

def fastest(run):  # in seconds
    best = float("inf")
    for i in range(43):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        run()
        end.record()
        end.synchronize()
        if i >= 3:
            best = min(best, begin.elapsed_time(end) * 1e-3)
    return best

def random(kind, rows, cols):
    if kind == "i8":
        return torch.randint(-128, 128, (rows, cols), dtype=torch.int8, device="cuda")
    return torch.randn(rows, cols, device="cuda").to(types[kind])

def measure(what, *words):
    if what == "matmul":
        kind, (m, n, k) = words[0], map(int, words[1:])
        multiply = torch._int_mm if kind == "i8" else torch.matmul
        a, found = random(kind, m, k), []
        for b in (random(kind, k, n), random(kind, n, k).t()):
            try:
                found.append("%.1f" % (2e-12 * m * n * k / fastest(lambda: multiply(a, b))))
            except RuntimeError:
                found.append("refused")
        return found[0] if found[0] == found[1] or kind != "i8" else found[0] + "; " + found[1] + " by columns"
    if what == "attention":
        heads, length, size, causal = map(int, words)
        q, k, v = (random("f16", heads * length, size).view(1, heads, length, size) for _ in range(3))
        attend = torch.nn.functional.scaled_dot_product_attention
        work = 4 * heads * length * size * ((length + 1) / 2 if causal else length)
        return "%.1f" % (1e-12 * work / fastest(lambda: attend(q, k, v, is_causal=bool(causal))))
    m, n = map(int, words)
    x = torch.randn(m, n, device="cuda")
    return "%.0f" % (8e-9 * m * n / fastest(lambda: torch.softmax(x, 1)))

if sys.argv[1] == "version":
    print("PyTorch %s, %s" % (torch.__version__, torch.cuda.get_device_name()))
else:
    print(measure(*sys.argv[1:]))
END

# figure PROGRAM ARGUMENTS: in TFLOP/s or GB/s, or why there is none
figure() {
    program=$1
    shift
    [ -x "$folder/$program" ] || { echo "not built"; return; }
    timeout "$seconds" "$folder/$program" "$@" > "$work/log" 2>&1
    code=$?
    [ $code = 0 ] || { echo "failed ($code): $(grep FAILED "$work/log" | head -n 1 | cut -c 1-120)"; return; }
    awk '{ for (i = 2; i <= NF; i++) { if ($i ~ /^GFLOP\/s/) found = sprintf("%.4g", $(i - 1) / 1000)
           if ($i ~ /^GB\/s/) found = sprintf("%.4g", $(i - 1)) } } END { print found }' "$work/log"
}

torch=$("$python" "$work/torch.py" version 2> /dev/null) || torch=
{
    echo "# How fast the examples are through Vulkan"
    echo
    echo "Written by \`scripts/vulkan_speed.sh\` on $(date -u +%Y-%m-%d). Device and driver: $("$folder/../hello_vulkan" --list 2> /dev/null |
        head -n 1 || echo unknown)."
    echo "Every element of every run was compared with f64. Beside it: ${torch:-nothing, as there is no PyTorch that sees a GPU}."
    echo
    echo "| case | this library | PyTorch | unit |"
    echo "| --- | --- | --- | --- |"
    grep -F -e "${CASES:-|}" "$work/cases" | while IFS='|' read -r name unit words program; do
        other=-
        # shellcheck disable=SC2086 # words
        [ -z "$torch" ] || other=$("$python" "$work/torch.py" $words 2> "$work/torch.log") || other="failed"
        # shellcheck disable=SC2086
        echo "| $name | $(figure $program < /dev/null) | $other | $unit |"
    done
} > "$work/report" || exit 1
cp "$work/report" "$report" && cat "$report"
