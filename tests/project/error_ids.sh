#!/bin/sh
# error_ids.sh - prints every error id of the headers, one per line, from the headers' own lists (X macros); except those of Level
# Zero's results, which test_dispatch_calls takes from the list and produces one by one.
cd "$(dirname "$0")/../.." || exit 1
ids() { # ids HEADER LIST PREFIX
    printf '#include "%s"\n#define ROW_(name, ...) @id %s name@\n%s(ROW_)\n' "$1" "$3" "$2" |
        ${CC:-cc} -std=c11 -I. -E -P -x c - | tr '@' '\n' | sed -n 's/^id *\([A-Z0-9_ ]*[A-Z0-9]\) *$/\1/p' | tr -d ' '
}
ids spirv_emit.h SPE_ERRORS SPE_ERR_
ids coopmatrix.h CM_ERRORS_ CM_ERROR_
ids xetile.h XT_ERRORS_ XT_ERROR_
ids coopvec.h CV_ERRORS_ CV_ERROR_
ids ze_dispatch.h ZED_ERRORS ""
