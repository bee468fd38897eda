#!/bin/sh
# rooms.sh - the rooms of soft/ and the arrows between them, as the code has them: an #include of another room's header,
# and a call (by the symbols of the objects in $BUILD/soft, `make soft` first). `abi.h` belongs to no room.
#     rooms.sh arrows     a line `FROM TO FILE: WHY` for each
#     rooms.sh cycles     the files that call each other in a circle, a line for each circle
#     rooms.sh picture    the rooms, each above those it uses, as SVG (docs/rooms.svg)
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
order=$(sed -n 's/^soft_rooms = //p' Makefile) # from the bottom up
export LC_ALL=C

calls() { # FROM-FILE TO-FILE SYMBOL, of files of soft/
    sources=$(for room in $order; do ls soft/"$room"/*.c; done)
    for source in $sources; do
        [ -f "$BUILD/${source%.c}.o" ] || { echo "rooms.sh: no $BUILD/${source%.c}.o: make soft" >&2; exit 1; }
    done
    # shellcheck disable=SC2086 # a name a word
    (cd "$BUILD/soft" && nm -A $(echo "$sources" | sed 's|^soft/\(.*\)\.c$|\1.o|')) | sed 's/\.o:/.c /' | awk '
        $(NF - 1) == "U" { print "U", $1, $NF } $(NF - 1) ~ /^[TDBRVWC]$/ { print "D", $1, $NF }' |
        awk '$1 == "D" { home[$3] = $2 } $1 == "U" { from[++n] = $2; what[n] = $3 }
            END { for (i = 1; i <= n; i++) if (what[i] in home && home[what[i]] != from[i]) print from[i], home[what[i]], what[i] }'
}

includes() { # FROM-ROOM TO-ROOM FILE: HEADER
    for room in $order; do
        for other in $order; do
            grep -H "^#[[:space:]]*include \"$other/" soft/"$room"/*.[ch] 2>/dev/null |
                sed "s|^\([^:]*\):.*\"\(.*\)\".*|$room $other \1: includes \2|"
        done
    done
}

arrows() {
    includes
    calls | awk '{ split($1, a, "/"); split($2, b, "/"); if (a[1] != b[1]) print a[1], b[1], "soft/" $1 ": calls " $3 " of " $2 }'
}

# Files are in one cycle if each can be reached from the other.
cycles() {
    calls | awk '
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
        }'
}

# One box per room, the lowest at the bottom; an arrow to the next one down is straight, longer ones are arcs.
picture() {
    arrows | awk '{ print $1, $2 }' | sort -u | awk -v order="$order" '
        BEGIN {
            n = split(order, room, " "); step = 62; x = 260; w = 300; h = 36
            for (i = 1; i <= n; i++) place[room[i]] = i
            while ((getline line < "docs/software-device.md") > 0)
                if (match(line, /^\| `[a-z]*\/` \| /)) { split(line, f, "|"); name = f[2]; gsub(/[ `\/]/, "", name); said[name] = f[4] }
        }
        { from[++m] = place[$1]; to[m] = place[$2] }
        function top(i) { return 12 + (n - i) * step }
        END {
            printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 820 %d\" font-family=\"sans-serif\" font-size=\"14\">\n", top(1) + h + 12
            print "<!-- made by scripts/rooms.sh picture -->"
            print "<defs><marker id=\"end\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" fill=\"#555\"/></marker></defs>"
            print "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
            for (k = 1; k <= m; k++) {
                a = from[k]; b = to[k]; far = a - b
                if (far == 1) { printf "<path d=\"M%d %dV%d\"", x + w / 2, top(a) + h, top(b) - 1 }
                else {
                    left = far % 2; edge = left ? x : x + w; bend = (left ? -1 : 1) * (30 + 30 * far)
                    printf "<path d=\"M%d %dC%d %d %d %d %d %d\"", edge, top(a) + h / 2 + 4, edge + bend, top(a) + h / 2 + 4, edge + bend, top(b) + h / 2 - 4, edge + (left ? -1 : 1), top(b) + h / 2 - 4
                }
                print " fill=\"none\" stroke=\"#555\" marker-end=\"url(#end)\"/>"
            }
            for (i = 1; i <= n; i++) {
                printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\" fill=\"#eef3fa\" stroke=\"#36597f\"/>\n", x, top(i), w, h
                printf "<text x=\"%d\" y=\"%d\"><tspan font-weight=\"bold\">%s</tspan> <tspan fill=\"#444\" font-size=\"12\">%s</tspan></text>\n", x + 12, top(i) + 23, room[i], said[room[i]]
            }
            print "</svg>"
        }'
}

case ${1:-} in
arrows) arrows ;;
cycles) cycles ;;
picture) picture ;;
*) sed -n 's/^# \{0,1\}//p' scripts/rooms.sh | sed 1d; exit 2 ;;
esac
