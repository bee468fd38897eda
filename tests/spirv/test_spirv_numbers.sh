#!/bin/sh
# The numbers and required capabilities in spirv_emit.h are those that src/spirv_emit/numbers.py generates from the grammar in
# tests/data, which is what extract_grammar.py extracts from Khronos's files, if they are installed.
. "$(dirname "$0")/../test.sh"
command -v python3 >/dev/null 2>&1 || { skip "numbers of SPIR-V" "python3 is not installed"; report; exit; }
check "the lists are as the grammar and names.txt say" python3 src/spirv_emit/numbers.py --check

# A wrong number is detected.
mkdir -p "$work/src/spirv_emit" "$work/tests/data"
cp src/spirv_emit/n*.h src/spirv_emit/n*.txt src/spirv_emit/numbers.py "$work/src/spirv_emit"
sed 's/^Op IAdd 128 /Op IAdd 1128 /' tests/data/spirv_grammar.txt > "$work/tests/data/spirv_grammar.txt"
refused() { ! "$@" 2>/dev/null; }
check "another number in the grammar is found" refused python3 "$work/src/spirv_emit/numbers.py" --check

core=${XETILE_GRAMMAR:-../shared/data/spirv.core.grammar.json}
opencl=/usr/include/spirv/unified1/extinst.opencl.std.100.grammar.json
if [ -e "$core" ] && [ -e "$opencl" ]; then
    python3 tests/data/extract_grammar.py "$core" "$opencl" > "$work/grammar.txt"
    check "tests/data/spirv_grammar.txt is as $core says" cmp "$work/grammar.txt" tests/data/spirv_grammar.txt
else
    skip "tests/data/spirv_grammar.txt" "no grammar in JSON here"
fi
report
