#!/bin/sh
# The rooms of soft/: no include and no call goes up (the Makefile's soft_rooms has their order), no two files call each other in
# a cycle, and the page and the picture match the code.
. "$(dirname "$0")/../test.sh"
export LC_ALL=C
order=$(sed -n 's/^soft_rooms = //p' Makefile)

up() { # arrows on standard input: those that go up
    awk -v order="$order" 'BEGIN { n = split(order, room, " "); for (i = 1; i <= n; i++) place[room[i]] = i }
        !(place[$1] > place[$2])'
}
none() { # none WHAT FILE
    if [ -s "$2" ]; then fail "$1" "$(cat "$2")"; else pass; fi
}

check "arrows" scripts/rooms.sh arrows
scripts/rooms.sh arrows > "$work/arrows"
check "there are includes and calls" sh -c "grep -q includes '$work/arrows' && grep -q calls '$work/arrows'"
up < "$work/arrows" > "$work/up"
none "arrows that go up" "$work/up"

scripts/rooms.sh cycles > "$work/cycles"
none "files that call each other in a circle" "$work/cycles"

ls -d soft/*/ | sed 's|soft/\(.*\)/|\1|' | grep -v '^tests$' | sort > "$work/folders"
printf '%s\n' $order | sort > "$work/rooms"
check "each folder is a room" diff "$work/rooms" "$work/folders"
sed -n 's/^| `\([a-z]*\)\/` | .*/\1/p' docs/software-device.md > "$work/told"
printf '%s\n' $order | sed '1!G;h;$!d' > "$work/downward"
check "docs/software-device.md has the rooms from the top down" diff "$work/downward" "$work/told"
scripts/rooms.sh picture > "$work/rooms.svg"
check "docs/rooms.svg is as scripts/rooms.sh draws it" cmp "$work/rooms.svg" docs/rooms.svg

# Arrows up are detected: in a copy, the reader includes a header of the API.
mkdir "$work/copy" && cp -r scripts Makefile soft "$work/copy/"
echo '#include "ze/ze_soft.h"' >> "$work/copy/soft/spirv/types.c"
where=$(cd "$BUILD" && pwd)
BUILD=$where "$work/copy/scripts/rooms.sh" arrows | up > "$work/seen"
check "an include that goes up is seen" grep -q '^spirv ze soft/spirv/types.c: includes ze/ze_soft.h$' "$work/seen"

# A pass can neither see what only the writer of C knows nor change another pass's results, and the writer can change none.
reads() { # reads ROOM STATEMENT: does a file of that room compile with it?
    printf '#include "%s/%s.h"\n#include "%s"\nvoid f(struct cg *g);\nvoid f(struct cg *g) { %s; }\n' "$1" \
        "$([ "$1" = c ] && echo codegen || echo passes)" passes/passes.h "$2" > "$work/reads.c"
    "$CC" -std=gnu11 -Isoft -I. -fsyntax-only "$work/reads.c" 2> "$work/why"
}
check "a pass reads the function" reads passes "(void)g->fn->block"
check "a pass reads another's results" reads passes "(void)g->value[1].varying"
check "the writer reads its own fields" reads c "(void)g->w->mask"
refused() { ! reads "$@"; }
check "a pass does not see the writer's fields" refused passes "(void)g->w->mask"
check "a pass does not change another's results" refused passes "g->value[1].varying = 1"
check "the writer does not change a pass's results" refused c "g->private[1].fixed = 1"
grep -l '"passes/own.h"' soft/*/*.[ch] > "$work/owners" || true
none "files outside passes/ that may write its tables" "$work/owners"
report
