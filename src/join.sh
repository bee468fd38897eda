#!/bin/sh
# Joins the shipped headers: src/join.sh xetile writes ../xetile.h from its face, src/xetile.h, and its bodies, listed in order in
# src/xetile/parts, with the preprocessor lines between them. With --check it only compares, and fails if they differ. Without
# names: all six headers.
set -eu
cd "$(dirname "$0")"
check=
[ "${1:-}" = --check ] && { check=1; shift; }
[ $# -ge 1 ] || set -- spirv_emit coopmatrix coopvec xetile ze_dispatch vk_dispatch

# Directives for compiling the sources separately are not shipped, nor lines that only name sources. A source's static functions
# are declared like those that several sources share.
plain() {
    sed -E -e '/^\/\* [-a-z0-9., ]*\.c( --)? \*\/$/d' -e '/^#include "/d' -e '/^#define XETILE_SEPARATE_$/d' -e '/^static [^=;]*\(/s/^static/XE_FN_/' -e 's/^XE_FORWARD_/XE_FN_/' "$@"
}

# The prototypes of functions whose names end in _, from their definitions, except those that the face or internal.h declares:
#   private    shared by a header's sources, which begin with XE_FN_ or XE_FORWARD_: needed where sources are compiled one by one
#   late       of these XE_FORWARD_: those that the joined text defines after their first use
#   calls      called by the face's macros: not static, without a mark
prototypes() { # prototypes HEADER WHICH
    {
        grep -hs '^XETILE_[AP]' "$1.h" "$1/kernels.h" "$1/internal.h" || : # not all have a kernels.h
        while read -r part; do
            case $part in '#'*) echo "@$part" ;; *.c) cat "$1/$part" ;; esac
        done < "$1/parts"
    } | awk -v which="$2" '
        BEGIN { mark["private"] = "^XE_(FN|FORWARD)_ "; mark["late"] = "^XE_FORWARD_ "; mark["calls"] = "^[a-z]" }
        /^XETILE_(API|PRIVATE) / {
            for (rest = $0; match(rest, /[a-z0-9_]+\(/); rest = substr(rest, RSTART + RLENGTH))
                declared[substr(rest, RSTART, RLENGTH - 1)] = 1
        }
        sub(/^@/, "") { print }
        /^((XE_FN_|XE_FORWARD_) [A-Za-z]|[a-z])[A-Za-z0-9_ *]*_\(.*[^;]$/ && !/^(static|typedef) / {
            name = text = $0
            sub(/\(.*/, "", name)
            sub(/.*[ *]/, "", name)
            while (text !~ /\{|\)$/ && (getline line) > 0) { sub(/^ */, " ", line); text = text line }
            if ((name in declared) || text !~ mark[which]) next
            declared[name] = 1 # it may stand in both branches of an #if
            sub(/ *\{.*/, ";", text)
            if (text !~ /;$/) text = text ";"
            sub(/^XE_FORWARD_/, "XE_FN_", text)
            if (which == "calls") text = "XETILE_API " text
            while (length(text) > 120) {
                for (end = 120; substr(text, end - 1, 2) != ", "; end--) continue
                print substr(text, 1, end - 1)
                text = "    " substr(text, end + 1)
            }
            print text
        }' | sed '/^#if/{
        N
        /\n#endif/d
    }'
}

# Writes prototypes.h, and calls.h for a face that includes it; with --check, compares.
write_prototypes() { # write_prototypes HEADER
    for file in prototypes.h calls.h; do
        which=private
        [ $file = prototypes.h ] || which=calls
        [ $which = private ] || grep -q "^#include \"$1/$file\"" "$1.h" || continue
        text="/* $file - written by join.sh from the functions of $1.h's sources. */
$(prototypes "$1" $which)"
        if [ -z "$check" ]; then
            echo "$text" >"$1/$file"
        elif [ "$text" != "$(cat "$1/$file")" ]; then
            echo "src/$1/$file differs from the sources: run src/join.sh $1" >&2
            exit 1
        fi
    done
}

# Programs may have one-letter macros, as <complex.h> does: those that are names in a header are saved while it is read, and
# restored. Headers that build on spirv_emit.h let it do this, and define how functions are declared. ze_dispatch.h includes Level
# Zero's header, so it saves all.
all_letters='A B C D E F G H I J K L M N O P Q R S T U V W X Y Z a b c d e f g h i j k l m n o p q r s t u v w x y z'

letters_of() { # letters_of HEADER...: the letters that are names in them, outside of comments and texts
    for one; do find "$one.h" "$one" -name '*.[ch]' -exec cat {} +; done | tr '\n' ' ' |
        sed -E -e 's:/\*([^*]|\*+[^*/])*\*+/::g' -e 's/"([^"\\]|\\.)*"//g' -e "s/'[^']*'//g" |
        tr -cs A-Za-z0-9_ '\n' | sed -n '/^[A-Za-z]$/p' | LC_ALL=C sort -u | tr '\n' ' '
}

put_letters_away() { # put_letters_away LIST LETTERS: LIST is the macro that lists them
    list=$1
    letters=$2
    cat <<END
#if defined(__GNUC__) /* the user's macros of one letter stay out of this text: given back at its end */
#define XETILE_PRAGMA_(text) _Pragma(#text)
#define XETILE_PUSH_(letter) XETILE_PRAGMA_(push_macro(letter))
#define XETILE_POP_(letter) XETILE_PRAGMA_(pop_macro(letter))
END
    echo "$letters" | sed -e 's/[A-Za-z]/F("&")/g' | fold -s -w 80 |
        sed -e "1s/^/#define $list(F) /" -e 's/ *$//' -e '$!s/$/ \\/' -e '2,$s/^/    /'
    echo "$list(XETILE_PUSH_)"
    for letter in $letters; do echo "#undef $letter"; done
    echo "#endif"
    echo
}

common_part() {
    cat <<END
#define XETILE_COMMON_ONLY_ /* the part of it that all headers begin with */
#include "spirv_emit.h"
#undef XETILE_COMMON_ONLY_

END
}

give_letters_back() { # give_letters_back LIST
    printf '\n#if defined(__GNUC__)\n%s(XETILE_POP_)\n#endif\n' "$1"
}

# Macros used in kernels come last, as those of a system header: gcc then reports errors in them at the user's line, not at this
# text's.
macros='/^\/\* ---- macros /'

# A face with the parts of it that it includes
with_parts() { # with_parts HEADER
    awk -v own="$1" '
        function copy(file,  line) { while ((getline line < file) > 0) if (line !~ /^\/\* (kernels|values|launching).h - /) print line }
        /^#include "linkage.h"$/ { if (own ~ /_dispatch$/) copy("linkage.h"); next }
        /^#include "/ { file = $2; gsub(/"/, "", file); if (index(file, own "/") == 1) { copy(file); next } }
        { print }'
}

kernel_macros() { # kernel_macros HEADER GUARD
    sed -n "$macros,\$p" "$1.h" | grep -q . || return 0
    cat <<END

#ifndef ${2%_H}_MACROS_
#define ${2%_H}_MACROS_
#if defined(__INCLUDE_LEVEL__) && __INCLUDE_LEVEL__ > 0
#pragma GCC system_header
#endif

END
    if [ -e "$1/cpp.h" ]; then
        sed -n "$macros,\$p" "$1.h" | sed '$d'
        cat "$1/cpp.h"
        printf '\n#endif /* %s_MACROS_ */\n' "${2%_H}"
    else
        sed -n "$macros,\$p" "$1.h" | with_parts "$1" | sed "s|/\* $2 \*/|/* ${2%_H}_MACROS_ */|"
    fi
}

# A header that needs all of coopmatrix.h is one #error if only its first part has been included.
needs_all() {
    cat <<END
#if defined(CM_LAYOUT_ONLY) || (defined(XETILE_COOPMATRIX_H) && !defined(SPIRV_EMIT_H))
#error "$1.h needs all of coopmatrix.h: without CM_LAYOUT_ONLY, and before any include of it that had it"
#else
END
}

# The sources that stand in `parts` for all, or between the lines `vulkan` and `all`.
bodies_of() { # bodies_of HEADER all|vulkan
    awk -v wanted="$2" 'BEGIN { now = "all" } $1 == "vulkan" || $1 == "all" { now = $1; next } now == wanted' "$1/parts" |
        while read -r part; do
            case $part in
            hot) printf 'XETILE_AS_BEFORE_\nXETILE_HOT_\n\n' ;;
            cold) printf 'XETILE_AS_BEFORE_\nXETILE_COLD_\n\n' ;;
            '#'*) echo "$part"; echo ;;
            internal.h) plain "$1/$part"; prototypes "$1" late; printf '\nXETILE_COLD_\n\n' ;; # after prototypes: gcc parses the options again for each function
            *) plain "$1/$part"; echo ;;
            esac
        done
}

join() { # join HEADER: to standard output
    guard=$(sed -n 's/^#ifndef \([A-Z_]*_H\)$/\1/p' "$1.h" | head -n 1)
    bodies=${guard%_H}_BODIES_
    sed "/^#ifndef $guard\$/,\$d" "$1.h"
    case $1 in
    spirv_emit)
        put_letters_away SPE_LETTERS_ "$(letters_of spirv_emit coopmatrix coopvec xetile)"
        cat linkage.h
        printf '\n#if !defined(XETILE_COMMON_ONLY_)\n'
        ;;
    coopmatrix) common_part ;;
    coopvec | xetile) needs_all "$1"; common_part ;;
    ze_dispatch) put_letters_away ZED_LETTERS_ "$all_letters" ;;
    vk_dispatch) put_letters_away VKD_LETTERS_ "$all_letters" ;;
    esac
    sed -n "/^#ifndef $guard\$/,\$p" "$1.h" | sed "$macros,\$c#endif /* $guard */" | with_parts "$1"
    echo
    echo "/* ==== bodies: nothing from here on is for users ================================================================== */"
    echo
    cat <<END
#if defined(XETILE_STATIC_) && (defined(XETILE_IMPLEMENTATION) || \\
                                (defined(XETILE_DECLARATIONS) && !defined($bodies)))
#error "XETILE_DECLARATIONS or XETILE_IMPLEMENTATION come before the first header of xetile: one was included without"
#elif defined(XETILE_WEAKLY_) && !defined(XETILE_IMPLEMENTATION) && !defined($bodies)
#error "XETILE_IMPLEMENTATION stays defined until the last header of xetile has been included"
#elif !defined($bodies) && (defined(XETILE_IMPLEMENTATION) || !defined(XETILE_DECLARATIONS))
#define $bodies
END
    awk '/^#include "(spirv_emit|coopmatrix).h"$/ { guarded = before == "#ifndef CM_LAYOUT_ONLY"
            print (guarded ? before "\n" : "") $0 " /* its bodies come first */" (guarded ? "\n#endif" : "") } { before = $0 }' "$1.h"
    case $1 in
    coopvec | xetile) ;; # the bodies before theirs have it
    *)
        cat <<END
#if defined(XETILE_IMPLEMENTATION)
/* The linker names this when two files of a program have the bodies, and first, as it is the first function. */
XETILE_EXTERN_ XETILE_HIDDEN_ void XETILE_IMPLEMENTATION_belongs_in_one_file__$1(void);
void XETILE_IMPLEMENTATION_belongs_in_one_file__$1(void) {}
#endif

END
        ;;
    esac
    bodies_of "$1" all # no part is optimised but those between the lines `hot` and `cold`
    echo XETILE_AS_BEFORE_
    echo "#endif /* $bodies */"
    if grep -qx vulkan "$1/parts"; then
        vulkan=${guard%_H}_VULKAN_BODIES_
        cat <<END

/* Bodies that only modules for Vulkan need: vk_dispatch.h includes this again for them. */
#if defined($bodies) && !defined($vulkan) && \\
    (defined(SPE_VULKAN) || !defined(XETILE_STATIC_) || defined(__cplusplus))
#define $vulkan
XETILE_COLD_

END
        bodies_of "$1" vulkan
        echo XETILE_AS_BEFORE_
        echo "#endif /* $vulkan */"
    fi
    kernel_macros "$1" "$guard"
    case $1 in
    ze_dispatch) give_letters_back ZED_LETTERS_ ;;
    vk_dispatch) give_letters_back VKD_LETTERS_ ;;
    *) give_letters_back SPE_LETTERS_ ;;
    esac
    case $1 in
    spirv_emit) printf '#endif /* XETILE_COMMON_ONLY_ */\n' ;;
    coopvec | xetile) printf '\n#endif /* CM_LAYOUT_ONLY */\n' ;;
    esac
}

# What ze_dispatch.h and vk_dispatch.h have in common is written once, for the first: parameters, arguments, spec constants,
# files, threads, and batches' steps, runs and times.
derive() { # derive HEADER: writes them, or with --check compares
    for file in values.h launching.h params.c arguments.c languages.c spec_constants.c cache_files.c workers.c steps.c runs.c times.c; do
        text=$(sed -e 's/zed_/vkd_/g' -e 's/ZED_/VKD_/g' -e "1s|.*|/* $file - written by join.sh from ze_dispatch/$file. */|" ze_dispatch/$file)
        if [ -z "$check" ]; then
            printf "%s\n" "$text" >"$1/$file"
        elif [ "$text" != "$(cat "$1/$file")" ]; then
            echo "src/$1/$file differs from src/ze_dispatch/$file: run src/join.sh $1" >&2
            exit 1
        fi
    done
}

# vulkan/ze_dispatch.h, by which a program that is written for ze_dispatch.h runs through Vulkan, unchanged.
other_names() {
    cat <<END
/* ze_dispatch.h - written by join.sh: vk_dispatch.h under the names of ze_dispatch.h, so that a program that is written
 * for Level Zero runs through Vulkan as it stands: compile it with -Ivulkan before the folder of the other headers, or
 * put this file in the place of theirs. What Vulkan lacks is an undefined name. docs/vulkan.md has more. */
#ifndef ZE_DISPATCH_H
#define ZE_DISPATCH_H
#define ZE_DISPATCH_VULKAN_ /* for the few programs that tell them apart */

#include "vk_dispatch.h"

/* Vulkan's drivers take no flags, and its modules say how large their groups are. */
#define zed_module_load(module, d, words, bytes, flags) vkd_module_load(module, d, words, bytes)
#define zed_module_load_cached(module, d, words, bytes, flags, folder)                                                 \\
    vkd_module_load_cached(module, d, words, bytes, folder)

END
    cat vk_dispatch.h vk_dispatch/values.h vk_dispatch/launching.h | sed 's|/\*[^*]*\*/||' | tr -c 'A-Za-z0-9_' '\n' |
        grep -E '^(vkd|VKD)_[A-Za-z0-9_]*[A-Za-z0-9]$' | grep -vx "vkd_module_load\(_cached\)\{0,1\}" | LC_ALL=C sort -u |
        sed -E 's/^(vkd|VKD)_(.*)$/#define \1_\2 &/; s/^#define vkd_/#define zed_/; s/^#define VKD_/#define ZED_/'
    printf '\n#endif /* ZE_DISPATCH_H */\n'
}

write_other_names() {
    if [ -z "$check" ]; then
        other_names >../vulkan/ze_dispatch.h
    elif [ "$(other_names)" != "$(cat ../vulkan/ze_dispatch.h)" ]; then
        echo "vulkan/ze_dispatch.h differs from vk_dispatch.h: run src/join.sh vk_dispatch" >&2
        exit 1
    fi
}

for header; do
    [ "$header" != vk_dispatch ] || derive vk_dispatch
    [ "$header" != vk_dispatch ] || write_other_names
    write_prototypes "$header"
    if [ -n "$check" ]; then
        join "$header" | cat -s | cmp -s - "../$header.h" || {
            echo "$header.h differs from src/: edit src/$header.h and src/$header/, then run src/join.sh $header" >&2
            exit 1
        }
    else
        join "$header" | cat -s >"../$header.h"
    fi
done
