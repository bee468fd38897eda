# intel_compiler.sh - Intel's GPU compiler, for the scripts that use it: find_compiler sets $compiler to $XE_OFFLINE or to
# `ocloc`, or fails. They have $work, a directory of their own.

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

# $XE_OFFLINE that is there but not set up ends with 3.
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

# Compiles a module; fails, and says why, when the compiler refuses it.
compile_module() { # compile_module DEVICE FILE OPTIONS
    if [ "$compiler" = ocloc ]; then
        ocloc compile -spirv_input -file "$2" -device "$1" -out_dir "$work" -output o -output_no_suffix ${3:+-options "$3"} 2>&1
    else
        $XE_OFFLINE isa "$1" "$2" "$3" 2>&1
    fi
}
