#!/bin/sh
# The layers described by docs/layers.md: no header uses a private name of another (one that ends in _), or includes its
# internal.h.
. "$(dirname "$0")/../test.sh"
export LC_ALL=C

# The identifiers in C sources, each once, without comments and strings.
identifiers() {
    cat "$@" | awk '{
        line = $0; out = ""
        while (line != "") {
            if (inside) { end = index(line, "*/"); if (!end) break; line = substr(line, end + 2); inside = 0; continue }
            if (!match(line, /\/\*|\/\/|"/)) { out = out line; break }
            mark = substr(line, RSTART, RLENGTH); out = out substr(line, 1, RSTART - 1) " "; line = substr(line, RSTART + RLENGTH)
            if (mark == "//") break
            if (mark == "/*") { inside = 1; continue }
            if (!match(line, /^([^"\\]|\\.)*"/)) break
            line = substr(line, RLENGTH + 1)
        }
        print out
    }' | grep -o '[A-Za-z_][A-Za-z0-9_]*' | sort -u
}

# The prefixes of a header's names, in lower or upper case.
prefix_of() { case $1 in spirv_emit) echo spe ;; coopmatrix) echo cm ;; coopvec) echo cv ;; xetile) echo xt ;; ze_dispatch) echo zed ;; vk_dispatch) echo vkd ;; esac }
headers=$(ls src/*.h | sed 's|src/\(.*\)\.h|\1|' | grep -v '^linkage$')
for header in $headers; do
    check "the prefix of $header's names is known" test -n "$(prefix_of "$header")"
    identifiers "src/$header.h" $(find "src/$header" -name '*.[ch]') > "$work/$header"
    check "$header has names of its own" grep -q "^$(prefix_of "$header")_" "$work/$header"
done
for header in $headers; do
    for other in $headers; do
        [ "$other" = "$header" ] && continue
        found=$(grep -i "^$(prefix_of "$other")_.*_\$" "$work/$header" | tr '\n' ' ')
        if [ -z "$found" ]; then pass; else fail "$header uses no private name of $other" "$found"; fi
        found=$(grep -rn "^#include \".*\.\./$other/" "src/$header.h" "src/$header")
        if [ -z "$found" ]; then pass; else fail "$header includes no internals of $other" "$found"; fi
    done
done
report
