#!/bin/sh
# spirv_val.sh DIR [TESTS] - runs spirv-val ($SPIRV_VAL, else that of $XE_OFFLINE, which is newer than Debian 12's, else the one in
# PATH) on DIR/*.spv, $JOBS at a time. Skips a module only if the validator does not know a capability, instruction or decoration
# whose number is one of those added after SPIR-V 1.6.2, or operand bits of matrix products that are Xe3P's
# (tests/data/spirv_preview.json).
. "$(dirname "$0")/test.sh"
validator=${SPIRV_VAL:-}
if [ -z "$validator" ]; then
    validator=spirv-val
    if [ -n "${XE_OFFLINE:-}" ] && $XE_OFFLINE run spirv-val --version >/dev/null 2>&1; then validator="$XE_OFFLINE run spirv-val"; fi
fi
command -v "${validator%% *}" >/dev/null 2>&1 || { skip spirv_val "no ${validator%% *}"; report; exit; }

newer() { # newer NUMBER: opcodes, capabilities, decorations, modes and encodings younger than the oldest validator
    case $1 in
    421[2-6] | 445[6-9] | 4460 | 511[6-8] | 528[89] | 529[0-3] | 530[23] | 5394 | 5425 | 5435 | 602[2] | 603[345] | 6095) return 0 ;;
    61[1-4][0-9] | 622[0-9] | 623[0-9] | 625[7-9] | 626[34] | 642[56] | 644[1-3] | 646[0-3]) return 0 ;;
    esac
    [ "$1" -ge $((0x4000)) ] && [ "$1" -lt $((0x400000)) ]
}

one() { # one FILE; modules for Vulkan are vulkan_...
    environment=
    case ${1##*/} in *vulkan_*) environment='--target-env vulkan1.3' ;; esac
    said=$($validator $environment - < "$1" 2>&1) && { pass; return; }
    name=$(basename "$1" .spv)
    unknown=$(printf '%s\n' "$said" | sed -n 's/.*Invalid [A-Za-z ]*: \([0-9][0-9]*\).*/\1/p' | head -n 1)
    if [ -n "$unknown" ] && newer "$unknown"; then
        skip "$name" "this spirv-val does not know $(printf '%s\n' "$said" | sed -n 's/.*Invalid \([A-Za-z ]*: [0-9]*\).*/\1/p' | head -n 1)"
    else
        fail "$name" "$said"
    fi
}

jobs=${JOBS:-2}
share() { # share NUMBER FILE...: one file of $jobs; the counts are its last line
    number=$1 at=0
    shift
    for file in "$@"; do
        if [ $((at % jobs)) = "$number" ] && [ -e "$file" ]; then one "$file"; fi
        at=$((at + 1))
    done
    echo "$passed $failed $skipped"
}

number=0
while [ "$number" -lt "$jobs" ]; do
    share "$number" "$1"/*.spv > "$work/share$number" &
    number=$((number + 1))
done
wait
while [ "$number" -gt 0 ]; do
    number=$((number - 1))
    sed '$d' "$work/share$number"
    read -r p f s <<END
$(tail -n 1 "$work/share$number")
END
    if [ -z "$s" ]; then fail spirv_val "a share of the modules was lost"; continue; fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
if [ "$passed" = 0 ] && [ "$skipped" = 0 ]; then # a few tests may have saved none
    if [ "${2:-100}" -lt 10 ]; then skip spirv_val "no module was saved"; else fail spirv_val "no module in $1"; fi
fi
report
