# machine_bound.awk - of a listing of Intel's machine code, the loop that holds most dpas (or all, where there is no loop): cycles
# of each pipe of a vector engine for one round of one thread, and which pipe is the limit:
#     LIMIT SHARE% dpas=<cycles> float=.. integer=.. long=.. math=.. send=.. bytes=<loaded and stored>
# SHARE: of the peak of the matrix pipe that is left (of the limit's own where there is no dpas: 100%). The pipes of an engine
# work side by side for its threads, so the busiest one is the bound. What is counted, a clock and engine: 16 lanes of 32 bits of
# float and of integer instructions, 8 of 64 bits, 4 of math, one pass of a dpas, 64 bytes of messages. Latencies, waits for results,
# conflicts of register banks, what caches miss and what memory cannot deliver are left out: it is an upper bound.
function lanes(text) { return match(text, /\([0-9]+\|M/) ? substr(text, RSTART + 1, RLENGTH - 3) + 0 : 1 }
function ceiling(x) { return x > int(x) ? int(x) + 1 : int(x) }
/^[A-Za-z_][A-Za-z0-9_]*:/ { sub(/:.*/, ""); label[$0] = count; next }
/^\(/ || /^        [a-z]/ {
    count++
    code = $0; sub(/\/\/.*/, "", code)
    text[count] = code; n = lanes(code)
    pipe[count] = ""; cost[count] = 0; moved[count] = 0
    if (match(code, /dpas\.8x[1-8]/)) { pipe[count] = "dpas"; cost[count] = substr(code, RSTART + 7, 1) }
    else if (code ~ /(send|load|store|atomic)[.a-z0-9_]* *\(/) {
        pipe[count] = "send"; registers = 0
        if (match($0, /wr:[0-9]+h?\+[0-9]+/)) { split(substr($0, RSTART + 3, RLENGTH - 3), part, "+"); registers += part[2] }
        if (match($0, /rd:[0-9]+/)) { back = substr($0, RSTART + 3, RLENGTH - 3); registers += back == 31 ? 32 : back }
        if ($0 !~ /wr:/ && match(code, / r[0-9]+:[0-9]+/)) { # the compiler's own form: load_block2d (1|M0) r68:31 [r100:1]
            split(substr(code, RSTART, RLENGTH), part, ":"); registers += part[2] == 31 ? 32 : part[2]
        }
        moved[count] = 64 * registers; cost[count] = registers > 1 ? registers : 1
    } else if (code ~ /math\./) { pipe[count] = "math"; cost[count] = ceiling(n / 4) }
    else if (code ~ /:(q|uq|df)/) { pipe[count] = "long"; cost[count] = ceiling(n / 8) }
    else if (code ~ /:(f|hf|bf)/) { pipe[count] = "float"; cost[count] = ceiling(n / 16) }
    else if (code !~ /(sync|nop|illegal|jmpi|goto|join|while)/) { pipe[count] = "integer"; cost[count] = ceiling(n / 16) }
    if (code ~ /jmpi|goto|while/)
        for (i = 1; i <= NF; i++) if ($i in label) { from[++loops] = label[$i] + 1; to[loops] = count }
}
END {
    first = 1; last = count; best = 0
    for (l = 1; l <= loops; l++) {
        products = 0
        for (i = from[l]; i <= to[l]; i++) products += pipe[i] == "dpas"
        if (products > best || (products && products == best && to[l] - from[l] < last - first)) {
            best = products; first = from[l]; last = to[l]
        }
    }
    for (i = first; i <= last; i++) { if (pipe[i] != "") cycles[pipe[i]] += cost[i]; bytes += moved[i] }
    names = split("dpas float integer long math send", name, " ")
    limit = name[1]
    for (k = 2; k <= names; k++) if (cycles[name[k]] > cycles[limit]) limit = name[k]
    share = cycles["dpas"] ? cycles["dpas"] : cycles[limit]
    printf "%s %d%%", limit, cycles[limit] ? 100 * share / cycles[limit] : 0
    for (k = 1; k <= names; k++) printf " %s=%d", name[k], cycles[name[k]]
    printf " bytes=%d\n", bytes
}
