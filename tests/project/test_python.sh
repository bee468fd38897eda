#!/bin/sh
# docs/python.md: its program, run as it stands with libxetile.so, prints what the page says; with an argument less it ends in the
# device's error, and so it does with a type of another size.
. "$(dirname "$0")/../test.sh"
[ -z "${SANITIZE:-}" ] || { skip "docs/python.md" "not under sanitizers"; report; exit; }
command -v python3 >/dev/null 2>&1 || { skip "docs/python.md" "python3 is not installed"; report; exit; }
block() { awk -v mark="\`\`\`$1" '$0 == mark && !done { on = 1; next } /^```$/ { if (on) done = 1; on = 0 } on' docs/python.md; }
block python > "$work/launch.py"
sed 's/, args, 4))/, args, 3))/' "$work/launch.py" > "$work/less.py"
sed 's/^arg_u(args, 3, n)/function("zed_arg_f_to", None, pointer, u32, ctypes.c_double)(args, 3, 0.5)/' "$work/launch.py" > "$work/float.py"
said=$(block text)
check "libxetile.so" make -s BUILD="$BUILD" CC="$CC" "$BUILD/libxetile.so"
check "the module" "$BUILD/hello" --emit "$work/hello.spv" --target soft
XETILE_LIBRARY=$(cd "$BUILD" && pwd)/libxetile.so XETILE_DEVICE=software
export XETILE_LIBRARY XETILE_DEVICE
cd "$work" || exit 1
check_says "the page's program" "$said" python3 launch.py
check_refused "an argument less" "ZED_ARG_COUNT: kernel hello takes 4 arguments, got 3" python3 less.py
check_refused "a float for N" "for parameter u32 N" python3 float.py
report
