# embed_text.awk FILE... - prints the texts that precede generated code as C, divided into items, for soft/c/selection.c.
#
# An item is a function, a type, a macro or an `#if` with all its content. A macro that defines functions is expanded where it
# is used (not within an `#if`), so each of them is an item. Includes and include guards are always kept, comments between items
# never. The body of a function, except within an `#if`, stands between marks (soft/c/selection.h). An item is known by the names it defines, and needs those it mentions. In macros that are not expanded, a name pasted
# with ## matches all names that begin, or end, like it: too much may be kept, but never too little.

function blanks_off(s) { sub(/^ +/, "", s); return s }
function begins(s, with) { return substr(s, 1, length(with)) == with }
function word_of(s) { return match(s, /^[A-Za-z0-9_]+/) ? substr(s, 1, RLENGTH) : "" }
function failed(what) { print "embed_text: " what > "/dev/stderr"; exit 1 }
function is_directive(s, what) { return begins(s, "#") && begins(blanks_off(substr(s, 2)), what) }
function is_specified(s) { return s ~ /^(XS_(INLINE|FORCED|FUNCTION|SHORT|RARE|HELPER|CALLED)|static)($|[^A-Za-z0-9_])/ }
function is_callable(s) { return s ~ /^XS_(INLINE|FUNCTION|SHORT|RARE|HELPER|CALLED)($|[^A-Za-z0-9_])/ } # not always inlined
function is_family_use(s) { return begins(s, "XS_") && !is_specified(s) }
function is_type(s) { return s ~ /^(typedef|struct|enum|union)/ }
function uncommented(s,    from, to) {
    while ((from = index(s, "/*")) != 0) {
        to = index(substr(s, from + 2), "*/")
        s = substr(s, 1, from - 1) " " (to ? substr(s, from + 3 + to) : "")
    }
    return s
}

# ---- macros: `value` has an argument for each parameter

# The word at the beginning of s, pasted with ##; the global `rest` is what follows it.
function joined(s, value,    name, word, next_) {
    for (;;) {
        word = word_of(s)
        rest = substr(s, length(word) + 1)
        name = name (word in value ? value[word] : word)
        next_ = blanks_off(rest)
        if (!begins(next_, "##")) return name
        s = blanks_off(substr(next_, 3))
    }
}
function expanded(s, value,    out) {
    while (s != "") {
        if (match(s, /^[^A-Za-z0-9_]+/)) {
            out = out substr(s, 1, RLENGTH)
            s = substr(s, RLENGTH + 1)
        } else {
            out = out joined(s, value)
            s = rest
        }
    }
    return out
}
# The list in the parentheses that begin in s; returns its length.
function read_list(s, list,    n, depth, c) {
    n = 1
    list[1] = ""
    for (s = substr(s, index(s, "(") + 1); s != ""; s = substr(s, 2)) {
        c = substr(s, 1, 1)
        depth += (c == "(") - (c == ")")
        if (depth < 0) break
        if (c == "," && !depth) list[++n] = ""
        else if (c != " ") list[n] = list[n] c
    }
    return n
}

# ---- items: lines first[i] ... of the global `line`

function begin_item(is_type_) {
    text[++items] = text_name
    first[items] = lines + 1
    types[items] = is_type_
}
function add_line(s) { line[++lines] = s }
# The name by which the function that begins on the line is known to the linker: load_u32, or XS(load_u32).
function symbol_of(s) {
    if (match(s, /XS\([A-Za-z0-9_]+\)\(/)) return substr(s, RSTART, RLENGTH - 1)
    return match(s, /[A-Za-z0-9_]+\(/) ? substr(s, RSTART, RLENGTH - 1) : failed("what function is " s "?")
}
# Marks the bodies of functions that begin with `indent` in the item's lines, which may be compiled apart.
function mark_bodies(indent,    k, n, s, count, old, symbol, open, depth, at) {
    for (k = first[items]; k <= lines; k++) old[++count] = line[k]
    lines = first[items] - 1
    for (k = 1; k <= count; k++) {
        s = old[k]
        if (symbol == "" && begins(s, indent "XS_") && is_callable(blanks_off(s))) {
            symbol = symbol_of(s)
            sub(/XS_[A-Z]+/, "XS_APART(&)", s)
        }
        at = symbol != "" && !open ? index(s, "{") : 0
        if (at) {
            if (at > 1) add_line(substr(s, 1, at - 1))
            add_line("@" symbol)
            s = substr(s, at)
            open = 1
        }
        add_line(s)
        if (open) depth += gsub(/\{/, "&", s) - gsub(/\}/, "&", s)
        if (open && !depth) add_line("@")
        if (open ? !depth : s ~ /;$/) { symbol = ""; open = 0 }
    }
}
function define(name) {
    if (name == "") return
    defined[++names] = name
    item_of[names] = items
}

# The function that begins on a line: its name precedes the first parenthesis, or is in XS(...). Or a table.
function define_function(s,    at, word, before) {
    at = 0
    while (match(substr(s, at + 1), /[[(={]/)) {
        at += RSTART
        if (substr(s, at, 1) != "(") break
        before = substr(s, 1, at - 1)
        word = match(before, /[A-Za-z0-9_]+$/) ? substr(before, RSTART) : ""
        if (word == "XS" && substr(s, at) ~ /^[^)]*\)\(/) word = word_of(substr(s, at + 1))
        if (word != "" && word !~ /^(XS|__attribute__|XS_ALIGNED)$/) {
            define(word)
            return
        }
        at += closing(substr(s, at)) - 1
    }
    if (!at || substr(s, at, 1) == ")") at = match(s, /[;=]/)
    before = substr(s, 1, at - 1)
    sub(/[^A-Za-z0-9_]+$/, "", before)
    if (match(before, /[A-Za-z0-9_]+$/)) define(substr(before, RSTART))
}
# The position of the parenthesis that closes the first one.
function closing(s,    at, depth, c) {
    for (at = 1; at <= length(s); at++) {
        c = substr(s, at, 1)
        depth += (c == "(") - (c == ")")
        if (!depth) break
    }
    return at
}
# A type's name stands before attributes and parameters, or behind members.
function define_typedef(s,    name, word) {
    while (s != "" && !begins(s, ";") && !begins(s, "XS_BYTES") && !begins(s, "__attribute__") && !begins(s, "(")) {
        word = word_of(begins(s, "XS(") ? substr(s, 4) : s)
        if (word != "") name = word
        if (begins(s, "XS(")) break
        s = substr(s, word == "" ? 2 : length(word) + 1)
    }
    define(name)
}
function define_line(s) {
    if (begins(s, "#define ")) define(word_of(substr(s, 9)))
    else if (begins(s, "typedef")) define_typedef(substr(s, 8))
    else if (is_type(s)) { sub(/^[a-z]+ (XS\()?/, "", s); define(word_of(s)) }
    else if (is_specified(s)) define_function(s)
}
function define_enumerators(s) {
    sub(/^[^{]*\{/, "", s)
    sub(/\}.*/, "", s)
    while (match(s, /[A-Za-z0-9_]+/)) {
        if (substr(s, RSTART, 1) !~ /[0-9]/) define(substr(s, RSTART, RLENGTH))
        s = substr(s, RSTART + RLENGTH)
    }
}

# Adds lines from ... to of the file as an item.
function add_item(from, to,    k, n, s, list) {
    begin_item(is_type(source[from]))
    leads[items] = !is_directive(source[from], "undef")
    always[items] = source[from] ~ /^#/ && !(is_directive(source[from], "if") || begins(source[from], "#define ")) ||
                    is_directive(source[from], "ifndef XETILE_")
    for (k = from; k <= to; k++) {
        s = source[k]
        add_line(s)
        if (is_directive(s, "pragma")) always[items] = 1
        if (begins(s, "#define ") && match(s, /^#define [A-Za-z0-9_]+\(/)) {
            uses[word_of(substr(s, 9))]++
            macro_from[word_of(substr(s, 9))] = k == from ? from : 0
            macro_to[word_of(substr(s, 9))] = to
        }
        if (k > from && begins(s, " ") && is_specified(blanks_off(s)) && source[from] ~ /^#/) families[items] = 1
        if (s == "" || begins(s, " ")) continue
        define_line(s)
        if (begins(s, "enum")) {
            list = uncommented(s)
            for (n = k; n < to && list !~ /\}/; ) list = list uncommented(source[++n])
            define_enumerators(list)
        }
    }
    if (source[from] !~ /^#/) mark_bodies("")
}
# The last line of the function, or of the use of another macro, that begins on line k of a macro's body; 0: it is neither.
function part_end(k, to,    what, depth, s, last) {
    what = is_specified(blanks_off(source[k])) ? "[};]$" : is_family_use(blanks_off(source[k])) ? "[})]$" : ""
    for (; what != "" && k <= to; k++) {
        s = source[k]
        sub(/(\\|\/\*).*/, "", s)
        sub(/ +$/, "", s)
        depth += gsub(/[({]/, "&", s) - gsub(/[)}]/, "&", s)
        if (!depth && s ~ what) return k
    }
    return 0
}
# Adds the functions that a macro defines where it is used, in the body of another one if `outer` has its arguments.
function add_functions(use, outer,    name, params, param, given, value, n, k, end, s) {
    name = word_of(use)
    if (uses[name] != 1 || !macro_from[name]) failed("no single macro " name)
    params = read_list(source[macro_from[name]], param)
    n = read_list(use, given)
    for (k = 1; k <= params; k++) value[param[k]] = expanded(given[k], outer)
    for (k = macro_from[name] + 1; k <= macro_to[name]; k = end + 1) {
        end = k
        if (begins(blanks_off(source[k]), "/*")) continue
        end = part_end(k, macro_to[name])
        if (!end) failed("what does " name " define on line " k "?")
        if (is_family_use(blanks_off(source[k]))) {
            add_functions(blanks_off(source[k]), value)
            continue
        }
        begin_item(0)
        leads[items] = expansion[items] = 1
        for (n = k; n <= end; n++) {
            s = source[n]
            sub(/ *\\$/, "", s)
            add_line(expanded(s, value))
        }
        define_function(blanks_off(line[first[items]]))
        mark_bodies("    ")
    }
}
# The last line of the item that begins on line k.
function item_end(k,    depth, s, ends) {
    if (is_directive(source[k], "ifndef XETILE_")) return k
    if (is_directive(source[k], "if")) {
        for (;; k++) {
            depth += is_directive(source[k], "if") - is_directive(source[k], "endif")
            if (!depth || k == file_end) return k
        }
    }
    if (source[k] ~ /^#/) {
        while (source[k] ~ /\\$/) k++
        return k
    }
    ends = is_family_use(source[k]) ? "[;})]$" : "[;}]$"
    for (;; k++) {
        s = source[k]
        depth += gsub(/[({]/, "&", s) - gsub(/[)}]/, "&", s)
        sub(/ +\/\*.*\*\/.*/, "", s)
        sub(/ +$/, "", s)
        if ((!depth && s ~ ends) || k == file_end) return k
    }
}

# ---- what an item needs

function need(item) {
    if (item == here || needed_by[item] == here) return
    needed_by[item] = here
    needs = needs (item - 1) ","
    need_total++
}
function need_word(word,    n) { for (n = first_named[word]; n; n = next_named[n]) need(item_of[n]) }
# All names that begin, or end, like the word; only types in T##x and T##_mem.
function need_like(word, ends,    n, only_types, size) {
    size = length(word)
    only_types = size <= 2 || word == "_mem"
    for (n = 1; n <= names; n++)
        if ((!only_types || types[item_of[n]]) && length(defined[n]) >= size &&
            substr(defined[n], ends ? length(defined[n]) - size + 1 : 1, size) == word) need(item_of[n])
}
function need_line(s, pasted,    before, behind, word, at) {
    s = uncommented(s)
    for (at = 1; match(substr(s, at), /[A-Za-z0-9_]+/); at += length(word)) {
        at += RSTART - 1
        word = substr(s, at, RLENGTH)
        need_word(word)
        before = pasted && at > 2 && substr(s, at - 2, 2) == "##"
        behind = pasted && substr(s, at + length(word), 2) == "##"
        if (before != behind) need_like(word, before)
    }
}

# ---- the files

{
    if (FNR == 1) {
        text_of_file[++files] = FILENAME
        sub(/.*\//, "", text_of_file[files])
        sub(/^prelude_|\.h$/, "", text_of_file[files])
        sub(/\.h$/, "", text_of_file[files])
    }
    if ($0 ~ /^[ \t]*#[ \t]*include[ \t]*"/) next # the included files are among the texts
    sub(/ +\\$/, " \\")
    source[++total] = $0
    end_of_file[files] = total
}
END {
    for (f = k = 1; f <= files; f++) {
        text_name = text_of_file[f]
        for (file_end = end_of_file[f]; k <= file_end; k++) {
            if (begins(source[k], "/*")) {
                while (source[k] !~ /\*\//) k++
            } else if (source[k] != "") {
                last = item_end(k)
                if (is_family_use(source[k])) add_functions(source[k], none)
                else add_item(k, last)
                k = last
            }
        }
    }
    for (n = names; n; n--) {
        next_named[n] = first_named[defined[n]]
        first_named[defined[n]] = n
    }
    print "/* Generated by scripts/embed_text.awk. */\n#include \"c/selection.h\"\nconst char *const soft_lines[] = {"
    for (k = 1; k <= lines; k++) {
        s = line[k]
        gsub(/[\\"]/, "\\\\&", s)
        print "\"" s "\\n\","
    }
    print "0};\nconst uint16_t soft_needs[] = {"
    first[items + 1] = lines + 1
    for (here = 1; here <= items; here++) {
        needs = ""
        need_from[here] = need_total + 0
        for (k = first[here]; k < first[here + 1] && leads[here]; k++)
            need_line(line[k], !expansion[here] && !families[here])
        if (needs != "") print needs
    }
    print "0};\nconst struct soft_item soft_items[] = {"
    for (n = 1; n <= items; n++)
        printf "{\"%s\", %d, %d, %d},\n", text[n], first[n] - 1, need_from[n], always[n]
    printf "{0, %d, %d, 0}};\nconst struct soft_name soft_names[] = {\n", lines, need_total
    for (n = 1; n <= names; n++) printf "{\"%s\", %d},\n", defined[n], item_of[n] - 1
    print "{0, 0}};"
}
