#!/bin/sh
# Joins the parts of a header that is edited in pieces: src/join.sh spirv_emit writes ../spirv_emit.h from
# src/spirv_emit/*.h in the order of their names; with --check it only compares and fails when the two differ.
set -eu
cd "$(dirname "$0")"
check=
[ "${1:-}" = --check ] && { check=1; shift; }
[ $# -ge 1 ] || { echo "usage: src/join.sh [--check] HEADER..." >&2; exit 2; }
for header; do
    if [ -n "$check" ]; then
        cat "$header"/*.h | cmp -s - "../$header.h" || {
            echo "$header.h differs from src/$header: edit the parts, then run src/join.sh $header" >&2
            exit 1
        }
    else
        cat "$header"/*.h >"../$header.h"
    fi
done
