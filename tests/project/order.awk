# order.awk - finds expressions whose value depends on the order in which a compiler evaluates their parts, in clang's tree
# of a program (-Xclang -ast-dump): two arguments of a call, or two operands of an operator, that both number something,
# such as ids. Members of an initialiser and declarations are evaluated one after the other by every compiler.
#
#     awk -v roots='NAME ...' -f order.awk TREE TREE
#
# prints FUNCTION: the numbering calls in such an expression. Roots are the functions that number; those that call one
# number, too. The tree is read twice: first for who calls whom, then for the expressions.

# Closes the set of functions that number: the roots, and all that call one of them.
function close_set(  i, f, changed, count, names) {
    count = split(roots, names, " ")
    for (i = 1; i <= count; i++) numbers[names[i]] = 1
    numbers["@pointer"] = 1
    do {
        changed = 0
        for (f in call_count)
            for (i = 1; !(f in numbers) && i <= call_count[f]; i++)
                if (calls[f, i] in numbers) changed = numbers[f] = 1
    } while (changed)
}

# A numbering call at this depth: which parts of which expressions around it is it in?
function note(name, depth,  at) {
    for (at = depth; at > 0 && kind[at] !~ /^(FunctionDecl|CompoundStmt)$/; at--) {
        if (!unordered[at]) continue
        named[at] = named[at] " " name
        if (at == depth || (kind[at] == "CallExpr" && child[at + 1] == 1)) continue # the function, not an argument
        if (index(parts[at], " " child[at + 1] " ")) continue
        parts[at] = parts[at] " " child[at + 1] " "
        if (++part_count[at] == 2) found[++found_count] = at_function ":" named[at]
    }
}

function called(name, depth) {
    if (pass == 1) calls[at_function, ++call_count[at_function]] = name
    else if (name in numbers) note(name, depth)
}

FNR == 1 && ++pass == 2 { close_set() }
{
    match($0, /[A-Za-z<]/)
    text = substr($0, RSTART)
    depth = int((RSTART + 1) / 2)
    for (at = depth + 1; at <= last; at++) child[at] = 0
    child[depth]++
    last = depth
    kind[depth] = text
    sub(/ .*/, "", kind[depth])
    parts[depth] = named[depth] = ""
    part_count[depth] = 0
    unordered[depth] = kind[depth] ~ /^(CallExpr|ArraySubscriptExpr|CompoundAssignOperator)$/ ||
                       (kind[depth] == "BinaryOperator" && text !~ /'(&&|\|\||,)'$/)
    if (kind[depth] == "FunctionDecl" && match(text, / [A-Za-z_0-9]+ '/)) at_function = substr(text, RSTART + 1, RLENGTH - 3)
    if (kind[depth] == "CallExpr") { callee_of = depth; next }
    if (!callee_of || text ~ /^(ImplicitCastExpr|ParenExpr)/) next
    if (kind[depth] == "DeclRefExpr" && match(text, / Function 0x[0-9a-f]+ '[A-Za-z_0-9]+'/)) {
        name = substr(text, RSTART, RLENGTH - 1)
        sub(/.*'/, "", name)
        called(name, callee_of)
    } else if (text ~ /(spe_module|(cm|cv|xt)_ctx) \*/) called("@pointer", callee_of) # to a function that may
    callee_of = 0
}
END { for (found_at = 1; found_at <= found_count; found_at++) print found[found_at] }
