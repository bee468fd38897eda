#!/bin/sh
# The table "What Vulkan cannot express" of docs/vulkan.md has each message with which the library refuses something for
# Vulkan (SPE_ERR_ENVIRONMENT), and no other.
. "$(dirname "$0")/../test.sh"
messages() { # the first text of each, with ... for what is filled in
    cat src/spirv_emit/*.c | grep -oE '(SPE_ERR_ENVIRONMENT|SPE_ERROR_\(m, ENVIRONMENT), "[^"]*"' |
        sed 's/^[^"]*"//; s/ *"$//; s/%[a-z]/.../g' | sort -u
}
sed -n '/^## What Vulkan cannot express/,/^## P/s/^| `\([^`]*\)` |.*/\1/p' docs/vulkan.md | sort -u > "$work/documented"
messages > "$work/written"
check "there are messages" test "$(wc -l < "$work/written")" -gt 20
check "documented, and written" diff "$work/documented" "$work/written"
report
