# intel_compiler.sh - Intel's GPU compiler, for scripts: find_compiler sets $compiler to $XE_OFFLINE or to `ocloc`, or fails.
# The script must set $work to a temporary directory.

# Prints the path of the listing. A kernel that spills is compiled twice: the last listing counts.
listing_by_ocloc() { # DEVICE FILE OPTIONS
    mkdir -p "$work/dump"
    rm -f "$work"/dump/*
    IGC_ShaderDumpEnable=1 IGC_DumpToCustomDir="$work/dump" ocloc compile -spirv_input -file "$2" -device "$1" \
        -out_dir "$work" -output m -output_no_suffix ${3:+-options "$3"} >&2 || return 1
    # shellcheck disable=SC2012 # names of ocloc's own
    ls -t "$work"/dump/*.asm | head -n 1
}
listing_by_offline() { $XE_OFFLINE isa "$@" | sed -n 's/^listing //p' | head -n 1; }

# The figures of one listing: innermost loops with dpas, from a label to a jump back to it, and the spill size. A kernel with
# versions has several. The figures are of the one with the fewest instructions per dpas, four being any loop's own; those
# with any_ are of the version for rows at any pitch, whose operands go through local memory, loaded by 2D blocks (which
# ptl's listings do not name), else of the longest loop. They do not count what a jump skips if it contains a loop without
# dpas and no block: there, elements are copied one by one, where matrices are too narrow or too large for messages.
figures_of_listing() {
    awk '/^\/\/\.spill size/           { spill = $3 }
         /^[A-Za-z_][A-Za-z0-9_]*:/   { sub(/:.*/, ""); label[$0] = count; next }
         /^\(/ || /^        [a-z]/     { is_dpas[++count] = /dpas/; line = $0; sub(/\/\/.*/, "", line)
                                        is_memory[count] = line ~ /(send|load|store|load_block2d|store_block2d)[.a-z0-9]* *\(/
                                        is_block[count] = line ~ /load_block2d/
                                        is_local[count] = line ~ /slm/
                                        all_dpas[count] = all_dpas[count - 1] + is_dpas[count]
                                        all_block[count] = all_block[count - 1] + is_block[count]
                                        if (/jmpi|goto|while/) {
                                            for (i = 1; i <= NF; i++) if ($i in label) { from[++loops] = label[$i] + 1; to[loops] = count }
                                            for (i = 1; i <= NF && $i !~ /^_|^L[0-9]/; i++) continue
                                            jump[++jumps] = count; target[jumps] = $i } }
         END { for (i = 1; i <= jumps; i++) {
                   end = (target[i] in label) ? label[target[i]] : 0
                   if (end <= jump[i] || all_dpas[end] > all_dpas[jump[i]] || all_block[end] > all_block[jump[i]]) continue
                   for (l = 1; l <= loops && (from[l] <= jump[i] || to[l] > end); l++) continue
                   for (j = jump[i] + 1; l <= loops && j <= end; j++) skipped[j] = 1
               }
               for (l = 1; l <= loops; l++) {
                   dpas = memory = block = through = inside = length_ = 0
                   for (i = 1; i <= loops; i++)
                       if (from[i] >= from[l] && to[i] <= to[l] && to[i] - from[i] < to[l] - from[l])
                           for (j = from[i]; j <= to[i]; j++) inside += is_dpas[j]
                   if (inside) continue
                   for (i = from[l]; i <= to[l]; i++) {
                       if (skipped[i]) continue
                       dpas += is_dpas[i]; memory += is_memory[i]; block += is_block[i]; through += is_local[i]; length_++ }
                   rank = through ? 2 + (block > 0) : 1
                   if (dpas && (rank > any_rank || (rank == any_rank && (dpas > any_dpas ||
                               (dpas == any_dpas && (length_ < any_size) == (rank > 1)))))) {
                       any_rank = rank; any_dpas = dpas; any_size = length_; any_messages = memory }
                   if (length_ <= to[l] - from[l]) continue # the skipped part belongs to versions for any pitch
                   if (dpas && (!best || (length_ + 4) * best < (size + 4) * dpas)) { best = dpas; size = length_; messages = memory } }
               printf "loop_dpas %d\nloop_instructions %d\nloop_memory %d\nspill_bytes %d\n", best, size, messages, spill
               printf "any_dpas %d\nany_instructions %d\nany_memory %d\n", any_dpas, any_size, any_messages }' "$1"
}

# `all INSTRUCTIONS BLOCKS OTHERS` of a whole listing (memory messages: block messages, and others), and `loop ...` of its loop
# with the fewest instructions.
messages_of_listing() {
    awk '/^[A-Za-z_][A-Za-z0-9_]*:/ { sub(/:.*/, ""); label[$0] = n; next }
         /^\(/ || /^        [a-z]/ { line = $0; sub(/\/\/.*/, "", line); n++
             block[n] = block[n - 1] + (line ~ /(load|store)_block2d/)
             other[n] = other[n - 1] + (line ~ /(send|load|store)[.a-z0-9]* *\(/ && line !~ /_block2d|null:0/)
             if (line ~ /jmpi|goto|while/)
                 for (i = 1; i <= NF; i++) if ($i in label && (!size || n - label[$i] < size)) { from = label[$i]; to = n; size = n - from } }
         END { print "all", n, block[n], other[n]; if (size) print "loop", size, block[to] - block[from], other[to] - other[from] }' "$1"
}

# The same of each innermost loop, as words INSTRUCTIONS:BLOCKS:OTHERS, in the order of the listing.
loops_of_listing() {
    awk '/^[A-Za-z_][A-Za-z0-9_]*:/ { sub(/:.*/, ""); label[$0] = n; next }
         /^\(/ || /^        [a-z]/ { line = $0; sub(/\/\/.*/, "", line); n++
             block[n] = block[n - 1] + (line ~ /(load|store)_block2d/)
             other[n] = other[n - 1] + (line ~ /(send|load|store)[.a-z0-9]* *\(/ && line !~ /_block2d|null:0/)
             if (line ~ /jmpi|goto|while/)
                 for (i = 1; i <= NF; i++) if ($i in label) { from[++loops] = label[$i]; to[loops] = n } }
         END { for (l = 1; l <= loops; l++) {
                   for (i = 1; i <= loops && (i == l || from[i] < from[l] || to[i] > to[l]); i++) continue
                   if (i > loops) printf "%d:%d:%d ", to[l] - from[l], block[to[l]] - block[from[l]], other[to[l]] - other[from[l]] } }' "$1"
}

# `PRODUCTS INSTRUCTIONS MESSAGES SPILL` of a listing's loop with the most products among those that contain no other such
# loop. Products: multiply-adds of floats, sums of four products of bytes (dp4a), dpas. SPILL is that of the whole kernel.
products_of_listing() {
    awk '/^\/\/\.spill size/         { spill = $3 }
         /^[A-Za-z_][A-Za-z0-9_]*:/ { sub(/:.*/, ""); label[$0] = n; next }
         /^\(/ || /^        [a-z]/ { line = $0; sub(/\/\/.*/, "", line); n++
             product[n] = product[n - 1] + ((line ~ / (mad|mac) / && line ~ /:(f|hf) /) || line ~ / (dp4a|dpas)[. ]/)
             message[n] = message[n - 1] + (line ~ /(send|sends|load|store|load_block2d|store_block2d)[.a-z0-9]* *\(/)
             if (line ~ /jmpi|goto|while/)
                 for (i = 1; i <= NF; i++) if ($i in label) { from[++loops] = label[$i]; to[loops] = n } }
         END { for (l = 1; l <= loops; l++) {
                   for (i = 1; i <= loops; i++)
                       if (i != l && from[i] >= from[l] && to[i] <= to[l] && product[to[i]] > product[from[i]]) break
                   if (i <= loops || product[to[l]] - product[from[l]] <= best) continue
                   best = product[to[l]] - product[from[l]]; size = to[l] - from[l]; messages = message[to[l]] - message[from[l]] }
               print best + 0, size + 0, messages + 0, spill + 0 }' "$1"
}

# Exits with 3 if $XE_OFFLINE exists but is not set up.
offline_ready() {
    [ -n "${XE_OFFLINE:-}" ] && command -v "${XE_OFFLINE%% *}" >/dev/null 2>&1 || return 1
    : > "$work/empty.spv"
    $XE_OFFLINE isa bmg "$work/empty.spv" >/dev/null 2>&1
    [ $? != 3 ]
}

find_compiler() {
    if offline_ready; then compiler=$XE_OFFLINE
    elif command -v ocloc >/dev/null 2>&1; then compiler=ocloc
    else return 1; fi
}

# Compiles a module; fails, with a message, if the compiler refuses it.
compile_module() { # compile_module DEVICE FILE OPTIONS
    if [ "$compiler" = ocloc ]; then
        ocloc compile -spirv_input -file "$2" -device "$1" -out_dir "$work" -output o -output_no_suffix ${3:+-options "$3"} 2>&1
    else
        $XE_OFFLINE isa "$1" "$2" "$3" 2>&1
    fi
}

# Of the compiler that find_compiler found.
compiler_version() { if [ "$compiler" = ocloc ]; then ocloc --version; else $XE_OFFLINE run ocloc --version; fi; }
