#!/bin/sh
# docs/python.md: its program, run as it stands, prints what the page says; with an argument less it ends in the device's error.
. "$(dirname "$0")/../test.sh"
[ -z "${SANITIZE:-}" ] || { skip "docs/python.md" "not under sanitizers"; report; exit; }
for python in python3 /usr/bin/python3; do # the system's packages are not seen by a Python of the user's
    $python -c "import cffi, numpy, setuptools" 2>/dev/null && break
    python=
done
[ -n "$python" ] || { skip "docs/python.md" "Python's cffi, NumPy or setuptools is not installed"; report; exit; }
block() { awk -v mark="\`\`\`$1" '$0 == mark && !done { on = 1; next } /^```$/ { if (on) done = 1; on = 0 } on' docs/python.md; }
block python > "$work/launch.py"
sed 's/lib.zed_arg_u(n)\])/])/; s/arguments, 4))/arguments, 3))/' "$work/launch.py" > "$work/less.py"
XETILE=$(pwd) XETILE_DEVICE=software
export XETILE XETILE_DEVICE
check "the module" "$BUILD/hello" --emit "$work/hello.spv" --target soft
cd "$work" || exit 1
check_says "the page's program" "$(cd "$XETILE" && block text)" $python launch.py
check_refused "an argument less" "ZED_ARG_COUNT: kernel hello takes 4 arguments, got 3" $python less.py
report
