# machine_bound.awk - for the loop with the most dpas in a listing of Intel's machine code (or all code, if there is no loop):
# cycles of each pipe of a vector engine for one iteration of one thread, the limiting pipe, and the bytes moved at each level:
#     LIMIT SHARE% dpas=<cycles> float=.. integer=.. long=.. math=.. send=.. l2=.. registers=<bytes read and written>
#     slm_loads=<bytes> slm_stores=.. loads=.. stores=.. prefetches=.. from_memory=<share>%
# SHARE: the fraction of the matrix pipe's peak that this permits (100% without dpas). The pipes of an engine work in parallel for
# its threads, so the busiest one is the bound. Counted per clock and engine: 16 lanes of 32 bits of float and of integer
# instructions, 8 of 64 bits, 4 of math, one pass of a dpas, 64 bytes of messages, and 8 bytes from beyond L1: prefetches and
# stores, "-" if a loop has no prefetches, since threads may find each other's loads in L1.
# from_memory: the share of that which may come from memory before memory is the limit, at the bandwidth in `device`.
# Latencies, dependences, conflicts of register banks and cache misses are not modelled: it is an upper bound.
function lanes(text) { return match(text, /\([0-9]+\|M/) ? substr(text, RSTART + 1, RLENGTH - 3) + 0 : 1 }
function ceiling(x) { return x > int(x) ? int(x) + 1 : int(x) }
function number(text,    n, i) {
    if (text !~ /^0x/) return text + 0
    for (i = 3; i <= length(text); i++) n = 16 * n + index("0123456789ABCDEF", toupper(substr(text, i, 1))) - 1
    return n
}
function type_bytes(type) {
    if (type ~ /^(q|uq|df)$/) return 8
    return type ~ /^(d|ud|f|tf32)$/ ? 4 : type ~ /^(b|ub)$/ ? 1 : 2
}
# Bytes of registers that an instruction reads and writes: each operand once per lane, scalar ones once.
function operands(code, n,    sum, operand, part) {
    while (match(code, /r[0-9]+\.?[0-9]*(<[0-9;,]*>)?:[a-z0-9]+/)) {
        operand = substr(code, RSTART, RLENGTH); code = substr(code, RSTART + RLENGTH)
        split(operand, part, ":")
        sum += type_bytes(part[2]) * (operand ~ /<0(;1,0|;0)?>/ ? 1 : n)
    }
    return sum
}
# load_block2d.ugm.d16v.a64, load.slm.d64x16t.a32: bytes in memory; for 2D blocks, from the last dword of the payload.
function message(code, n,    element, vector, payload, shape) {
    if (!match(code, /\.d[0-9]+/)) return 0
    element = substr(code, RSTART + 2, RLENGTH - 2) / 8
    if (code ~ /block2d/) {
        match(code, /\[r[0-9]+/); payload = substr(code, RSTART + 2, RLENGTH - 2)
        shape = shapes[payload]
        return element * (shape % 256 + 1) * (int(shape / 256) % 256 + 1) * (int(shape / 65536) % 16 + 1)
    }
    vector = match(code, /\.d[0-9u]+x[0-9]+/) ? substr(code, RSTART, RLENGTH) : "x1"
    sub(/.*x/, "", vector)
    return element * vector * (code ~ /\.d[0-9u]+x[0-9]+t/ ? 1 : n)
}
/^[A-Za-z_][A-Za-z0-9_]*:/ { sub(/:.*/, ""); label[$0] = count; next }
/^\(/ || /^        [a-z]/ {
    count++
    code = $0; sub(/\/\/.*/, "", code)
    n = lanes(code)
    pipe[count] = ""; cost[count] = 0; moved[count] = 0; kind[count] = "loads"
    if (match(code, /mov \(1\|M0\) *r[0-9]+\.7<1>:u?d *(0x)?[0-9A-Fa-f]+:/)) {
        immediate = substr(code, RSTART, RLENGTH - 1)
        split(immediate, word, " "); sub(/r/, "", word[3]); sub(/\..*/, "", word[3])
        shapes[word[3]] = number(word[4])
    }
    if (match(code, /dpas\.8x[1-8]/)) {
        pipe[count] = "dpas"; cost[count] = substr(code, RSTART + 7, 1)
        touched[count] = 512 + cost[count] * (32 + 128) # all rows share B; a row is 32 bytes of A, and its sums, read and written
    } else if (code ~ /(send|load|store|atomic)[.a-z0-9_]* *\(/) {
        pipe[count] = "send"; registers = 0
        if (match($0, /wr:[0-9]+h?\+[0-9]+/)) { split(substr($0, RSTART + 3, RLENGTH - 3), part, "+"); registers += part[2] }
        if (match($0, /rd:[0-9]+/)) { back = substr($0, RSTART + 3, RLENGTH - 3); registers += back == 31 ? 32 : back }
        if ($0 !~ /wr:/ && match(code, / r[0-9]+:[0-9]+/)) { # the compiler's own form: load_block2d (1|M0) r68:31 [r100:1]
            split(substr(code, RSTART, RLENGTH), part, ":"); registers += part[2] == 31 ? 32 : part[2]
        }
        touched[count] = 64 * registers; cost[count] = registers > 1 ? registers : 1
        moved[count] = message(code, n)
        if (code ~ /(load|load_block2d)\..* null/) kind[count] = "prefetches"
        if (code ~ /(store|atomic)[a-z0-9_]*\./) kind[count] = "stores"
        if (code ~ /\.slm/) kind[count] = "slm_" kind[count]
    } else {
        touched[count] = operands(code, n)
        if (code ~ /math\./) { pipe[count] = "math"; cost[count] = ceiling(n / 4) }
        else if (code ~ /:(q|uq|df)/) { pipe[count] = "long"; cost[count] = ceiling(n / 8) }
        else if (code ~ /:(f|hf|bf)/) { pipe[count] = "float"; cost[count] = ceiling(n / 16) }
        else if (code !~ /(sync|nop|illegal|jmpi|goto|join|while)/) { pipe[count] = "integer"; cost[count] = ceiling(n / 16) }
    }
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
    for (i = first; i <= last; i++) {
        if (pipe[i] != "") cycles[pipe[i]] += cost[i]
        bytes[kind[i]] += moved[i]; bytes["registers"] += touched[i]
    }
    beyond = bytes["prefetches"] ? bytes["prefetches"] + bytes["stores"] : 0
    cycles["l2"] = ceiling(beyond / 8)
    names = split("dpas float integer long math send l2", name, " ")
    limit = name[1]
    for (k = 2; k <= names; k++) if (cycles[name[k]] > cycles[limit]) limit = name[k]
    share = cycles["dpas"] ? cycles["dpas"] : cycles[limit]
    printf "%s %d%%", limit, cycles[limit] ? 100 * share / cycles[limit] : 0
    for (k = 1; k <= names; k++) printf " %s=%s", name[k], name[k] == "l2" && !beyond ? "-" : int(cycles[name[k]])
    kinds = split("registers slm_loads slm_stores loads stores prefetches", level, " ")
    for (k = 1; k <= kinds; k++) printf " %s=%d", level[k], bytes[level[k]]
    # bytes a clock and engine: the memory's GB/s by engines and GHz: 3277 / 1024 / 1.6, 456 / 160 / 2.67, 136 / 64 / 2.05, 154 / 96 / 2.5
    speed = device == "pvc" ? 2 : device ~ /^lnl/ ? 1.04 : device == "ptl" ? 0.64 : 1.07
    part_ = beyond ? int(100 * cycles[limit] * speed / beyond) : 0
    printf " from_memory=%s\n", !beyond ? "-" : (part_ < 100 ? part_ : 100) "%"
}
