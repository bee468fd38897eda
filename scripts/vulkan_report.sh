#!/bin/sh
# vulkan_report.sh FOLDER - runs the programs for Vulkan in FOLDER (build/vulkan with hello_vulkan and the tests; whatever of them
# is there) on this machine's Vulkan device, and prints one report: a line per program, then what the failed ones said. Nothing is
# built, so the folder can be copied to another machine. Programs run $JOBS (1) at a time, each for at most $SECONDS_EACH (60) s;
# RANDOM_PROGRAMS (50) programs of each generator, in parts of as many as there are in one of 10 seeds.
#
# A machine without X libraries may lack the file that names NVIDIA's driver; write one, and name it in both variables:
#   {"file_format_version": "1.0.0", "ICD": {"library_path": "libEGL_nvidia.so.0", "api_version": "1.4.0"}}
#   VK_DRIVER_FILES=/path/nvidia.json VK_ICD_FILENAMES=/path/nvidia.json scripts/vulkan_report.sh FOLDER
cd "${1:?a folder}" || exit 1
seconds=${SECONDS_EACH:-60} jobs=${JOBS:-1}
logs=$(mktemp -d) || exit 1
trap 'rm -rf "$logs"' EXIT
export LC_ALL=C PRINT_ULPS=1 XETILE_DEVICE=0 logs seconds # the tests look for the software device where the variable is unset

cat > "$logs/one" <<'END'
# NAME PROGRAM ARGUMENTS...: its last line, exit code and time
name=$1
shift
[ -x "$1" ] || exit 0
before=$(date +%s)
timeout "$seconds" "$@" > "$logs/$name.log" 2>&1
code=$?
said=$(tail -n 1 "$logs/$name.log" | cut -c 1-160)
printf '%-34s exit %3d, %3d s  %s\n' "$name" "$code" $(($(date +%s) - before)) "$said"
[ "$code" = 0 ] || echo "$name" >> "$logs/failed"
END

echo "date     $(date -u +%Y-%m-%d)"
echo "device   $(./hello_vulkan --list 2>&1 | head -n 1)"
echo "system   $(uname -srm)"
list() {
    for options in "" "--m 1000 --n 777 --k 555" "--type bf16 --m 300 --n 70 --k 95" "--type i8 --m 300 --n 70 --k 95"; do
        echo "gemm$(echo "$options" | tr -d ' -') ./gemm $options"
    done
    echo "hello_vulkan ./hello_vulkan"
    echo "tiny_compiler ./tiny_compiler mandelbrot.tiny"
    for example in gather softmax kmeans image_filter quantized_linear batched_gemm tall_gemm gemm_slm gemm_l2 gemm_epilogue \
        gemm_variants gemm_transpose gemm_devices flash_attention mlp_inference neural_texture decoder; do
        echo "$example ./$example"
    done
    for part in 0 1 2 3 4 5 6 7 8 9; do
        for test in coopvec coopmatrix xetile; do
            echo "random_${test}_$part env RANDOM_PROGRAMS=${RANDOM_PROGRAMS:-50} RANDOM_SEED=$((7000 + 100 * part)) ./test_${test}_random"
        done
    done
    for test in test_*; do
        case $test in *_random | *.d) continue ;; esac
        echo "$test ./$test"
    done
}
# env is found in PATH, the others here
list | sed 's/ env / /; s/ \(RANDOM_PROGRAMS=[0-9]*\) \(RANDOM_SEED=[0-9]*\) \(.*\)/ \3 \1 \2/; s/ *$//' > "$logs/list"
cat > "$logs/with" <<'END'
name=$1 program=$2
shift 2
for word; do
    case $word in RANDOM_*=*) export "${word?}"; shift ;; esac
done
exec sh "$logs/one" "$name" "$program" "$@"
END
xargs -P "$jobs" -L 1 sh "$logs/with" < "$logs/list"
[ -s "$logs/failed" ] || { echo "all succeeded"; exit 0; }
sort "$logs/failed" | while read -r name; do
    echo
    echo "---- $name"
    head -n 12 "$logs/$name.log" | cut -c 1-400
    echo ...
    tail -n 3 "$logs/$name.log" | cut -c 1-400
done
for log in test_vulkan test_vulkan_math; do
    [ ! -e "$logs/$log.log" ] || { echo; echo "---- $log, in units in the last place"; paste -s -d, "$logs/$log.log" | cut -c 1-1500; }
done
exit 1
