#!/bin/sh
# layers.sh - the files of src/ and the arrows between them, as the code has them: an #include, and a call (by the symbols of
# the objects, which this compiles). A header stands above those it uses; in its folder a file stands above those before it in
# `parts`, and so do the folders in it; its face, src/HEADER.h, stands on top, and what all files share (internal.h ...) at the
# bottom.
#     layers.sh arrows     a line `FROM TO WHY` for each
#     layers.sh up         those that go up
#     layers.sh cycles     the files that call each other in a circle, a line for each circle
#     layers.sh table      each header's files from the top down, a floor a line: a file uses only files on floors below
#     layers.sh picture    the same as SVG (docs/layers.svg)
#     layers.sh all FOLDER writes a file there for each of these
# LAYERS: the headers to look at, from the bottom up. OBJECTS: a folder that has the objects already, as build/src of `make test`.
set -eu
cd "$(dirname "$0")/.."
CC=${CC:-cc}
headers=${LAYERS:-ze_dispatch spirv_emit coopmatrix coopvec xetile}
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sources_of() { grep '\.c$' "src/$1/parts"; }

# The places of all files: a line `FILE NUMBER`.
for header in $headers; do
    for file in src/"$header"/*.h; do [ "${file##*/}" = internal.h ] || echo "${file#src/}"; done
    echo "$header/internal.h"
    for file in $(sources_of "$header"); do echo "$header/$file"; done
    echo "$header.h"
done | awk '{ print $1, NR }' > "$work/places"

calls() { # FROM TO SYMBOL
    [ ! -f "$work/calls" ] || { cat "$work/calls"; return; }
    for header in $headers; do
        for file in $(sources_of "$header"); do
            object="$header/${file%.c}.o"
            echo "$object" >> "$work/objects"
            [ -z "${OBJECTS:-}" ] || continue
            mkdir -p "$work/${object%/*}"
            $CC -std=c11 -O0 -w -c "src/$header/$file" -o "$work/$object" || exit 1
        done
    done
    (cd "${OBJECTS:-$work}" && xargs nm -A < "$work/objects") | sed 's|^\([^:]*\)\.o:|\1.c |' | awk '
        $(NF - 1) == "U" { from[++n] = $1; what[n] = $NF }
        $(NF - 1) ~ /^[TDBR]$/ { home[$NF] = $1 }
        END { for (i = 1; i <= n; i++) if (what[i] in home && home[what[i]] != from[i]) print from[i], home[what[i]], what[i] }' \
        > "$work/calls"
    cat "$work/calls"
}

# A face includes others of its folder and faces; a file includes internal.h and others of its folder.
includes() { # FROM TO HEADER
    for header in $headers; do (cd src && grep -r '^# *include "' "./$header.h" "./$header"); done |
        sed 's|^\./||; s|: *# *include "\([^"]*\)".*| \1|' | awk '
        { to = $1; if (!sub(/\/[^\/]*$/, "/", to)) to = ""
          to = to $2
          while (sub(/[^\/]*\/\.\.\//, "", to)) continue
          if (to != "linkage.h" && $1 != to) print $1, to, "includes" }'
}

arrows() { # the face is included by internal.h so that files compile alone: no arrow
    { includes | awk '!($1 ~ /\/internal\.h$/ && $2 !~ /\//)'; calls; } | sort -u
}

up() { awk -v places="$work/places" '
    BEGIN { while ((getline line < places) > 0) { split(line, f, " "); place[f[1]] = f[2] } }
    !($1 in place) || !($2 in place) || place[$2] > place[$1]'; }

# Files are in one circle if each can be reached from the other.
cycles() { awk '
    !($1 in number) { number[$1] = ++n; name[n] = $1 } !($2 in number) { number[$2] = ++n; name[n] = $2 }
    { go[number[$1], number[$2]] = 1 }
    END {
        for (k = 1; k <= n; k++) for (i = 1; i <= n; i++) if ((i, k) in go) for (j = 1; j <= n; j++) if ((k, j) in go) go[i, j] = 1
        for (i = 1; i <= n; i++) {
            if (seen[i] || !((i, i) in go)) continue
            line = name[i]; seen[i] = 1
            for (j = i + 1; j <= n; j++) if (((i, j) in go) && ((j, i) in go)) { line = line " " name[j]; seen[j] = 1 }
            print line
        }
    }'; }

# A file's floor is one above the highest that it uses, and above those of the folders below its own; arrows that go up do not
# count.
floors() { # HEADER FLOOR FILE
    calls | awk -v places="$work/places" '
        function folder_of(file) { sub(/[^\/]*$/, "", file); return file }
        BEGIN { while ((getline line < places) > 0) { split(line, f, " "); if (f[1] ~ /\.c$/) { place[f[1]] = f[2]; name[++n] = f[1] } } }
        { split($1, a, "/"); split($2, b, "/"); if (a[1] == b[1] && place[$2] < place[$1]) uses[$1] = uses[$1] " " $2 }
        END { for (i = 1; i <= n; i++) {
                  folder = folder_of(name[i]); split(name[i], part, "/")
                  if (part[1] != header) { header = part[1]; highest = ground = 0 }
                  else if (folder != before) ground = highest
                  before = folder
                  level[name[i]] = ground + 1; m = split(uses[name[i]], used, " ")
                  for (k = 1; k <= m; k++) if (level[used[k]] >= level[name[i]]) level[name[i]] = level[used[k]] + 1
                  if (level[name[i]] > highest) highest = level[name[i]]
                  print header, level[name[i]], substr(name[i], length(header) + 2) } }'
}

table() {
    floors | sort -s -k1,1 -k2,2nr | awk '$1 != header { header = $1; floor = ""; printf "%s%s", n++ ? "\n\n" : "", header }
        { if ($2 != floor) { floor = $2; printf "\n%5d  ", floor } printf " %s", $3 } END { print "" }'
}

# A panel for each header, wide enough for its fullest floor, with a box for each file.
picture() {
    floors | awk -v headers="$headers" '
        { header = $1; level = $2; sub(/\.c$/, "", $3)
          folder = $3; if (!sub(/\/[^\/]*$/, "", folder)) folder = ""
          room[header, level] = folder; sub(/.*\//, "", $3)
          if (folder != "") rooms[header] = 1
          file[header, level, ++count[header, level]] = $3
          if (level > height[header]) height[header] = level
          if (count[header, level] > width[header]) width[header] = count[header, level] }
        END {
            box = 92; row = 30; side = 50; x = 10; n = split(headers, all, " ")
            for (i = 1; i <= n; i++) if (height[all[i]] > tallest) tallest = height[all[i]]
            for (i = 1; i <= n; i++) if (width[all[i]] > 4) width[all[i]] = 4
            for (i = 1; i <= n; i++) { # a floor of more than four files takes several lines
                lines[all[i]] = 0
                for (l = 1; l <= height[all[i]]; l++) lines[all[i]] += int((count[all[i], l] + 3) / 4)
                if (lines[all[i]] > most) most = lines[all[i]]
                total += width[all[i]] * box + 24 + (rooms[all[i]] ? side : 0)
            }
            bottom = 40 + most * row
            printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"11\">\n", total + 10, bottom + 14
            print "<!-- made by scripts/layers.sh picture -->\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
            for (i = 1; i <= n; i++) {
                header = all[i]; y = bottom
                for (l = 1; l <= height[header]; l++) {
                    used = int((count[header, l] + 3) / 4); y -= used * row
                    printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", x, y, width[header] * box + 8 + (rooms[header] ? side : 0), used * row, l % 2 ? "#f3f3ee" : "#e6e9ee"
                    if (room[header, l] != "" && room[header, l] != room[header, l + 1])
                        printf "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>\n", x + width[header] * box + 8, y + 18, room[header, l]
                    for (k = 1; k <= count[header, l]; k++) {
                        left = x + 6 + (k - 1) % 4 * box; top = y + 4 + int((k - 1) / 4) * row
                        printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"22\" rx=\"4\" fill=\"#eef3fa\" stroke=\"#36597f\"/>", left, top, box - 6
                        printf "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", left + (box - 6) / 2, top + 15, file[header, l, k]
                    }
                }
                printf "<text x=\"%d\" y=\"%d\" font-size=\"14\" font-weight=\"bold\">%s.h</text>\n", x + 6, y - 8, header
                x += width[header] * box + 24 + (rooms[header] ? side : 0)
            }
            print "</svg>"
        }'
}

case ${1:-} in
arrows) arrows ;;
up) arrows | up ;;
cycles) calls | cycles ;;
table) table ;;
picture) picture ;;
all) calls > /dev/null; arrows > "$2/arrows"; up < "$2/arrows" > "$2/up"; calls | cycles > "$2/cycles"
     table > "$2/table"; picture > "$2/picture" ;;
*) sed -n 's/^# \{0,1\}//p' scripts/layers.sh | sed 1d; exit 2 ;;
esac
