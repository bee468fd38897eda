#!/bin/sh
# comma_locale.sh FOLDER - makes a locale with a decimal comma there, xx_XX, for LOCPATH=FOLDER. It needs only localedef (of
# libc-bin, on every Debian), not the sources of the `locales` package: all characters and classes that it has stand here.
set -eu
to=$1
command -v localedef > /dev/null || { echo "no localedef"; exit 1; }

{
    printf '<code_set_name> ASCII\n<comment_char> %%\n<escape_char> /\nCHARMAP\n'
    n=0
    while [ $n -lt 128 ]; do
        printf '<U%04X> /x%02x\n' $n $n
        n=$((n + 1))
    done
    echo 'END CHARMAP'
} > "$to/ascii"

cat > "$to/source" <<'END'
comment_char %
escape_char /
LC_CTYPE
upper <U0041>..<U005A>
lower <U0061>..<U007A>
digit <U0030>..<U0039>
space <U0009>..<U000D>;<U0020>
cntrl <U0000>..<U001F>;<U007F>
punct <U0021>..<U002F>;<U003A>..<U0040>;<U005B>..<U0060>;<U007B>..<U007E>
xdigit <U0030>..<U0039>;<U0041>..<U0046>;<U0061>..<U0066>
blank <U0009>;<U0020>
END LC_CTYPE
LC_NUMERIC
decimal_point "<U002C>"
thousands_sep "<U002E>"
grouping 3;3
END LC_NUMERIC
END
# -c: although categories are missing. It ends with 1 because of them.
localedef -c --no-archive -f "$to/ascii" -i "$to/source" "$to/xx_XX" > "$to/log" 2>&1 || true
[ -e "$to/xx_XX/LC_NUMERIC" ] || { cat "$to/log"; exit 1; }
