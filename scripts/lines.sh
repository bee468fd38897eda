#!/bin/sh
# lines.sh [COMMIT] - where the lines of xetile.h are, by subject, now and at a commit: a table for docs/layers.md. The default is
# ccbe41cb, the last commit before xetile.h got floors. A file belongs to a subject by its name, whatever its folder; of the face,
# sections do. What join.sh adds or leaves out is `joined`. Code is what is neither blank, comment (the manual is one), a brace
# alone nor an #include.
set -eu
cd "$(dirname "$0")/.."
before=${1:-ccbe41cb}
git rev-parse -q --verify "$before^{commit}" >/dev/null || { echo "there is no commit $before here" >&2; exit 1; }

# Subjects, in the order of the table; `later`: asked for after the floors were, and not in the last row.
subjects='face: manual types macros
record: context record operations ops.h internal.h build emit values resources lower user_operations
numbers: numbers
tiles: maps tiles layout layouts vector_layouts
regions: regions control carried condition turns unroll single element
memory: access loads borders chooser scattered atomics prefetch block2d
pitch: staged staging copy_in local_operands slices reloads
vectors: elements arithmetic components vectors random
moves: moves origins lanes scratch bands
reductions: reduction scan
products: mma products defer
print: print
later Vulkan: opaque opaque_steps opaque_each outside panels strips vulkan
later MX: scaled quantize
later proposals: proposals tiles_for
later C++: cpp.h
later operations: top logsumexp widths'

# Of each line its kind: 1, code, or 0.
kinds='function code(line) {
            sub(/^[ \t]+/, "", line)
            return line !~ /^(\/\*|\*[ \/]|\*$|[{}]+[;,]?[ \t]*$|#include|$)/
       }'

count_at() { # count_at COMMIT|-: lines `FILE COUNT CODE`, the face's by section; the sum as `all`
    show() { if [ "$1" = - ]; then cat "$2"; else git show "$1:$2"; fi; }
    if [ "$1" = - ]; then find src/xetile -name '*.[ch]'; else git ls-tree -r --name-only "$1" src/xetile; fi |
        while read -r file; do
            name=${file##*/}
            case $name in calls.h | prototypes.h | parts) continue ;; *.c) name=${name%.c} ;; esac
            show "$1" "$file" | awk -v name="$name" "$kinds"'{ n += code($0) } END { print name, NR, n + 0 }'
        done
    show "$1" src/xetile.h | awk "$kinds"'
        /^\/\* ---- tiles for a product/ { now = "tiles_for" }
        /^\/\* ---- one build/ { now = "types" }
        /^\/\* ---- macros/ { now = "macros" }
        { lines[now ? now : "manual"]++; of_code[now ? now : "manual"] += code($0) }
        /^ \*\/$/ && !now { now = "types" }
        END { for (name in lines) print name, lines[name], of_code[name] + 0 }'
    show "$1" xetile.h | awk "$kinds"'{ n += code($0) } END { print "all", NR, n }'
}

table() { # of two counts: `FILE COUNT CODE` of the one, a line `/`, then of the other
    awk -v subjects="$subjects" '
        function row_of(name, n) { print "| " name " | " n[0] " | " n[2] " | " n[1] " | " n[3] " |" }
        BEGIN { now = 0 }
        /^\/$/ { now = 1; next }
        {
            count[now, $1] += $2; count[now + 2, $1] += $3
            if ($1 != "all") { sum[now] += $2; sum[now + 2] += $3; file_left[$1] }
        }
        END {
            print "| subject | before | code | now | code |\n| --- | --- | --- | --- | --- |"
            rows = split(subjects, row, "\n")
            for (i = 1; i <= rows; i++) {
                name = row[i]; files = row[i]
                sub(/:.*/, "", name); sub(/.*: /, "", files)
                n = split(files, file, " ")
                for (k = 0; k < 4; k++) of[k] = 0
                for (j = 1; j <= n; j++) {
                    for (k = 0; k < 4; k++) of[k] += count[k, file[j]]
                    delete file_left[file[j]]
                }
                if (sub(/^later /, "", name)) for (k = 0; k < 4; k++) later[k] += of[k]
                row_of(name, of)
            }
            for (name in file_left) { print name " has no subject" > "/dev/stderr"; exit 1 }
            for (k = 0; k < 4; k++) {
                all[k] = count[k, "all"]
                of[k] = all[k] - sum[k]
                without[k] = all[k] - later[k]
            }
            row_of("joined", of)
            row_of("xetile.h", all)
            row_of("without Vulkan, MX, proposals, C++, later operations", without)
        }'
}

{ count_at "$before"; echo /; count_at -; } | table
