#!/bin/sh
# The decoder: its options and refusals; weights of each type, one to eight sequences, heads of each size, prompts of one token and
# of several blocks; weights that are saved and read again; the checked mode; and its modules for every target, saved for spirv-val.
. "$(dirname "$0")/../test.sh"
saved=${XETILE_SPV_DIR:-$work}
decoder="$BUILD/decoder"

check_options decoder
for target in $targets; do
    for kernel in linear_f16 linear_int prompt_linear_f16 prompt_linear_int attend prompt_attend rotate norm_f16 norm_int swiglu_f16 \
        swiglu_int quantize embed choose; do
        check_says "$kernel for $target" "ok decoder $kernel" "$decoder" --kernel $kernel --emit "$saved/decoder-$kernel-$target.spv" --target $target
    done
    for weights in f16 int8 int4; do
        check_says "all kernels, $weights for $target" "ok decoder: $saved/decoder-all-$weights-$target.spv" \
            "$decoder" --weights $weights --emit "$saved/decoder-all-$weights-$target.spv" --target $target
    done
    check_says "int4 for $target" "ok decoder linear_int" "$decoder" --weights int4 --kernel linear_int \
        --emit "$saved/decoder-int4-$target.spv" --target $target
done
tier=full
check_says "decoder --print" "what a subgroup does" "$decoder" --print --kernel attend --target pvc

for weights in int4 f16 int8; do # in the sample one of them as users have it
    check_says "$weights" "ok decoder $weights, 2 layers of 128, 20 + 6 tokens, 2 sequences" \
        env "XETILE_SOFT_TIER=${XETILE_SOFT_TIER:-$tier}" "$decoder" --device software --weights $weights --svg "$work/$weights.svg"
    thorough || tier=quick
done
check_says "the picture" "linear_int</text>" cat "$work/int4.svg"
check_says "the picture ends" "</svg>" cat "$work/int4.svg"
export XETILE_SOFT_TIER="${XETILE_SOFT_TIER:-quick}" # the rest is about the program
thorough && check_says "eight sequences, heads of 64" "ok decoder int8, 1 layers of 128, 20 + 40 tokens, 8 sequences" \
    "$decoder" --device software --weights int8 --layers 1 --heads 2 --kv-heads 1 --sequences 8 --tokens 40
check_says "a prompt of 70, odd groups" "ok decoder int4, 1 layers of 192, 70 + 3 tokens, 1 sequences" \
    "$decoder" --device software --weights int4 --layers 1 --dim 192 --hidden 320 --vocabulary 80 --heads 6 --kv-heads 6 --sequences 1 --prompt-length 70 --tokens 3
check_says "heads of 128, a prompt of one" "ok decoder f16, 1 layers of 256, 1 + 5 tokens, 3 sequences" \
    "$decoder" --device software --layers 1 --dim 256 --heads 2 --kv-heads 1 --sequences 3 --prompt 17 --tokens 5
check_says "no step" "ok decoder f16, 1 layers of 128, 3 + 0 tokens, 2 sequences" \
    "$decoder" --device software --layers 1 --prompt 1,2,3 --tokens 0
check_says "the checked mode" "ok decoder int4" \
    env XETILE_SOFT_CHECK=2 "$decoder" --device software --weights int4 --layers 1 --tokens 2

# Made-up weights, and the same ones from a file, with a folder for what the driver compiles.
mkdir "$work/cache" && chmod 700 "$work/cache"
tokens() { "$decoder" --device software --layers 1 --tokens 5 "$@" | grep '^tokens'; }
tokens --save "$work/m.safetensors" > "$work/made"
tokens --cache "$work/cache" "$work/m.safetensors" > "$work/read"
tokens --cache "$work/cache" "$work/m.safetensors" > "$work/again"
check "two sequences" test "$(wc -l < "$work/made")" = 2
check "the same tokens from a file" cmp "$work/made" "$work/read"
check "and with kernels from the cache" cmp "$work/made" "$work/again"
check "which are in one file, as one module" test "$(find "$work/cache" -type f | wc -l)" = 1
check "other seeds, other tokens" sh -c "! '$decoder' --device software --layers 1 --tokens 5 --seed 2 | grep '^tokens' | cmp -s - '$work/made'"
check "a temperature of 0 has no noise" test "$(tokens --temperature 0 | sort -u | wc -l)" = 1

# A checkpoint and a model that know nothing of the decoder: the tokens of the largest logits are the same. Logits may be off by
# what is allowed of them (f16 0.0113, see deviation), the weights' rounding to 8 bits by some more; by 4 bits it is another model.
if command -v python3 > /dev/null; then
    llama() { python3 "$(dirname "$0")/llama.py" "$@"; }
    llama write "$work/llama.safetensors"
    chosen() { "$decoder" --device software --weights "$1" --temperature 0 --sequences 1 --prompt 3,41,59,26,5 --tokens 6 --dim 64 \
        --hidden 192 --heads 2 --kv-heads 1 --vocabulary 64 "$work/llama.safetensors" | sed -n 's/^tokens *//p'; }
    # shellcheck disable=SC2046 # each token is a word
    check "a checkpoint's tokens, f16" llama check "$work/llama.safetensors" 0.02 $(chosen f16)
    # shellcheck disable=SC2046
    check "a checkpoint's tokens, int8" llama check "$work/llama.safetensors" 0.1 $(chosen int8)
else skip "a checkpoint" "python3 is not here"; fi

check_refused "another shape" "model.embed_tokens.weight is 512 x 128, expected 512 x 256" "$decoder" --device software --dim 256 --heads 4 "$work/m.safetensors"
check_refused "a layer that is not there" "model.layers.1.self_attn.q_proj.weight: it has no tensor with this name" "$decoder" --device software --layers 2 "$work/m.safetensors"
check_refused "no file" "none.safetensors: cannot read it" "$decoder" --device software "$work/none.safetensors"
check_refused "both" "--save writes made-up weights" "$decoder" --save "$work/x" "$work/m.safetensors"
check_refused "no folder for the weights" "none/x: cannot write it" "$decoder" --device software --save "$work/none/x"
check_refused "a token that is none" "token 512, but the vocabulary has 512" "$decoder" --device software --prompt 1,512
check_refused "a prompt of words" "token numbers" "$decoder" --device software --prompt hello
check_refused "a temperature" "--temperature hot" "$decoder" --temperature hot
check_refused "odd sizes" "multiples of 64" "$decoder" --dim 100
check_refused "heads" "heads of 32, 64 or 128" "$decoder" --heads 1 --kv-heads 1 --dim 192
check_refused "heads together" "--heads 4, --kv-heads 3" "$decoder" --kv-heads 3
check_refused "nine sequences" "--sequences 9" "$decoder" --sequences 9
report
