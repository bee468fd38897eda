#!/bin/sh
# join_headers.sh [--check] - writes each shipped header that is edited as small files: src/<name>/*.h, in name order, one
# after the other, become <name>.h. With --check nothing is written and a header that differs is an error.
set -eu
cd "$(dirname "$0")/.."
status=0
for folder in src/*/; do
    [ -d "$folder" ] || continue
    header=$(basename "$folder").h
    if [ "${1:-}" = --check ]; then
        cat "$folder"*.h | cmp -s - "$header" && continue
        echo "$header differs from $folder*.h: edit those, then run scripts/join_headers.sh" >&2
        status=1
    else
        cat "$folder"*.h > "$header.part" && mv "$header.part" "$header"
        echo "$header: joined from $folder"
    fi
done
exit $status
