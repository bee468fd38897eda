#!/bin/sh
# The floors of src/ that docs/layers.md draws: no include and no call goes up, neither between headers nor between the folders
# and files of one (scripts/layers.sh says what up is), no files call each other in a circle, and the picture matches the code.
. "$(dirname "$0")/../test.sh"
export LC_ALL=C CC="${CC:-cc}"

mkdir "$work/found"
check "scripts/layers.sh all" env OBJECTS="$BUILD/src" scripts/layers.sh all "$work/found"
for header in ze_dispatch spirv_emit coopmatrix coopvec xetile; do
    check "arrows of $header" sh -c "grep -q '^$header/.* includes' '$work/found/arrows' && grep -q '^$header/.* $header/.*_' '$work/found/arrows'"
done
for what in up cycles; do
    if [ -s "$work/found/$what" ]; then fail "$what" "$(cat "$work/found/$what")"; else pass; fi
done
check "docs/layers.svg is as scripts/layers.sh draws it; if not: scripts/layers.sh picture > docs/layers.svg" \
    cmp "$work/found/picture" docs/layers.svg

# What goes up is detected, in a copy of two headers.
mkdir "$work/copy" "$work/copy/found" && cp -r scripts src "$work/copy/"
echo 'const char *zed_up_(spe_module *m);' >> "$work/copy/src/ze_dispatch/errors.c"
sed -i.bak 's|"internal.h"|"internal.h"\n#include "../spirv_emit.h"|' "$work/copy/src/ze_dispatch/errors.c"
echo 'const char *zed_up_(spe_module *m) { return zed_below_() + (spe_ok(m) ? 1 : 0); }' >> "$work/copy/src/ze_dispatch/errors.c"
sed -i.bak 's|^#include "../spirv_emit.h"|&\nconst char *zed_below_(void);|' "$work/copy/src/ze_dispatch/errors.c"
printf 'const char *zed_below_(void);\nconst char *zed_below_(void) { return zed_get_error(0)->text; }\n' >> "$work/copy/src/ze_dispatch/launch.c"
check "a copy with mistakes" env LAYERS="ze_dispatch spirv_emit" "$work/copy/scripts/layers.sh" all "$work/copy/found"
for line in "ze_dispatch/errors.c spirv_emit.h includes" "ze_dispatch/errors.c ze_dispatch/launch.c zed_below_" \
    "ze_dispatch/errors.c spirv_emit/errors.c spe_ok"; do
    check "seen in the copy: $line" grep -qxF "$line" "$work/copy/found/up"
done
check "a circle is seen" grep -q "ze_dispatch/errors.c.*ze_dispatch/launch.c" "$work/copy/found/cycles"
report
