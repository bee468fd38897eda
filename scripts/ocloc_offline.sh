#!/bin/sh
# ocloc_offline.sh - runs $XE_OFFLINE's ocloc in its own file system: the input's directory goes in and comes back through
# pipes. For XETILE_SOFT_OCLOC, with XE_OFFLINE in the environment.
folder=. before=
for word; do
    [ "$before" = -file ] && folder=$(dirname "$word")
    before=$word
done
for word; do
    shift
    case $word in "$folder") word=. ;; "$folder"/*) word=./${word#"$folder"/} ;; esac
    set -- "$@" "$word"
done
# shellcheck disable=SC2016 # it is the other shell's
tar -C "$folder" -cf - . | env -u TMPDIR ${XE_OFFLINE:?} run sh -c '
    here=$(mktemp -d /tmp/ocloc.XXXXXX) && cd "$here" && tar -xf - || exit 1
    ocloc "$@" >.said 2>&1
    echo $? >.code
    tar -cf - .
    cd / && rm -rf "$here"' ocloc "$@" | tar -C "$folder" --no-same-owner --no-overwrite-dir -xf - || exit 1
cat "$folder/.said"
exit "$(cat "$folder/.code")"
