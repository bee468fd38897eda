#!/bin/sh
# public_names.sh - prints each header's public names, one per line: `header kind name`, where kind is function, macro or type.
# Omits names that end in _, SPIR-V's numbers (SPE_OpIAdd ...), and macros that only other macros of their header reach, by
# pasting (XT_DECLARE_f16 by XT_DECLARE_##type).
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
CC=${CC:-cc}
export LC_ALL=C
# vk_dispatch.h needs Vulkan's headers.
VULKAN=vk_dispatch:vkd
echo '#include <vulkan/vulkan_core.h>' | $CC -x c -E - > "$work/one.c" 2>/dev/null || VULKAN=

names_of() { # names_of HEADER PREFIX
    upper=$(echo "$2" | tr a-z A-Z)
    echo "#include \"$1.h\"" > "$work/one.c"
    $CC -std=c11 -I. -fsyntax-only -aux-info "$work/functions" "$work/one.c"
    pasted=$(grep -o "${upper}_[A-Z_]*_\(##\|,\)" "$1.h" | tr -d '#,' | sort -u | tr '\n' '|')
    sed -n "s/^\/\* [^ ]*$1.h:.*[ *]\($2_[a-z0-9_]*[a-z0-9]\) (.*/function \1/p" "$work/functions"
    sed -n "s/^# *define  *\(\(${upper}\|$2\)_[A-Za-z0-9_]*[A-Za-z0-9]\)\([^A-Za-z0-9_].*\)\{0,1\}$/macro \1/p; s/^} \($2_[a-z0-9_]*[a-z0-9]\);.*/type \1/p
        s/^typedef [^(]*[ *]\($2_[a-z0-9_]*[a-z0-9]\);.*/type \1/p; s/^typedef [a-z_ *]* \($2_[a-z0-9_]*[a-z0-9]\)(.*/type \1/p" "$1.h" |
        grep -Ev "^macro (${pasted}none)[a-z0-9_]*\$"
}
for pair in spirv_emit:spe coopmatrix:cm coopvec:cv xetile:xt ze_dispatch:zed $VULKAN; do
    names_of "${pair%:*}" "${pair#*:}" | sort -u | sed "s/^/${pair%:*} /"
done
