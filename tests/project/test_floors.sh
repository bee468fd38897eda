#!/bin/sh
# The floors of src/ that docs/layers.md draws: no include and no call goes up, neither between headers nor between the files of
# one (scripts/layers.sh says what up is), no files call each other in a circle, and the picture matches the code.
. "$(dirname "$0")/../test.sh"
export LC_ALL=C CC="${CC:-cc}"

# Folders that still have calls that go up, or circles. Shorten this list: none may be added.
unfinished="xetile"

in_unfinished() { # lines all of whose files, up to field $1, are in one unfinished folder
    awk -v folders="$unfinished" -v last="$1" '
        BEGIN { n = split(folders, f, " "); for (i = 1; i <= n; i++) listed[f[i]] = 1 }
        { split($1, first, "/"); all = first[1] in listed
          for (i = 2; i <= (last ? last : NF); i++) { split($i, part, "/"); if (part[1] != first[1]) all = 0 }
          print (all ? "listed " : "wrong ") $0 }'
}

mkdir "$work/found"
check "scripts/layers.sh all" scripts/layers.sh all "$work/found"
for header in ze_dispatch spirv_emit coopmatrix coopvec xetile; do
    check "arrows of $header" sh -c "grep -q '^$header/.* includes' '$work/found/arrows' && grep -q '^$header/.* $header/.*_' '$work/found/arrows'"
done
in_unfinished 2 < "$work/found/up" > "$work/up"
in_unfinished 0 < "$work/found/cycles" > "$work/cycles"
for what in up cycles; do
    grep '^wrong' "$work/$what" > "$work/wrong"
    if [ -s "$work/wrong" ]; then fail "$what" "$(cat "$work/wrong")"; else pass; fi
done
for folder in $unfinished; do
    check "$folder is rightly in the list of unfinished folders" grep -q "^listed $folder/" "$work/up" "$work/cycles"
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
