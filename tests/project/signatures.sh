#!/bin/sh
# signatures.sh - prints, sorted, one a line, the C signatures of the functions of spirv_emit.h that have no declaration of their own:
# those of the table of instructions, from the letters of their forms, and those declared by a type of functions.
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
{
    printf '%s\n' '#include "spirv_emit.h"' '#define A_(name, op, form) @A name form a@' '#define AB_(name, op, form) @A name form a, b@' \
        '#define TO_(name, op, form) @TO name form type, v@' '#define GIVES_(name, op, form, ...) @GIVES name form __VA_ARGS__@' \
        '#define DOES_(name, op, form, ...) @DOES name form __VA_ARGS__@' 'SPE_INSTRUCTIONS_(A_, AB_, TO_, GIVES_, DOES_)' |
        ${CC:-cc} -std=c11 -I. -DXETILE_DECLARATIONS -E -P -x c - | tr '\n@' ' \n'
    sed -n 's/^XETILE_API spe_\(nullary\|unary\|binary\|does\)_ \(.*\);.*/TYPED \1 \2/p' spirv_emit.h
} | awk '
    $1 == "TYPED" {
        params["nullary"] = params["does"] = ""; params["unary"] = ", spe_id a"; params["binary"] = ", spe_id a, spe_id b"
        for (i = 3; i <= NF; i++) { sub(",", "", $i); print ($2 == "does" ? "void " : "spe_id ") $i "(spe_module *m" params[$2] ")" }
    }
    /^(A|TO|GIVES|DOES) spe_/ {
        result = $1 == "DOES" ? "void " : "spe_id "
        kind = $1; name = $2; form = $3; text = ""
        gsub("\"", "", form)
        letters = kind == "TO" ? "tv" : substr(form, 1, index(form, ":") - 1)
        gsub(/[SWR]/, "", letters) # written without an argument
        for (i = 4; i <= NF; i++) {
            sub(",", "", $i)
            text = text (substr(letters, i - 3, 1) ~ /[kTzjlaA?]/ ? ", uint32_t " : ", spe_id ") $i
        }
        print result name "(spe_module *m" text ")"
    }' | sort
