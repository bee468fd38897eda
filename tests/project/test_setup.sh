#!/bin/sh
# scripts/setup.sh says what it will install before it does, and with --show installs nothing; where apt-get is missing it names the
# packages of other systems. Run in a PATH without a compiler, with an apt-get that only writes down how it was called.
. "$(dirname "$0")/../test.sh"
mkdir "$work/bin"
for tool in sh cat cut sed tr sort grep id env head tail dirname ls; do
    ln -s "$(command -v $tool)" "$work/bin/$tool"
done
setup() { env -i PATH="$work/bin" CC=cc "$work/bin/sh" scripts/setup.sh "$@" 2>&1; }
check_refused "no apt-get: the names elsewhere" "pacman -S gcc glibc level-zero-headers" setup
printf '#!/bin/sh\necho "apt-get $*" >> "%s/calls"\n' "$work" > "$work/bin/apt-get" && chmod +x "$work/bin/apt-get"
check_says "--show says what is missing" "this will be installed: gcc libc6-dev libze-dev" setup --show
check "--show installs nothing" test ! -e "$work/calls"
ln -s "$(command -v true)" "$work/bin/sudo" # without root, nothing is called here either
check_refused "what is still missing is named" "still missing: a C compiler" setup
setup > "$work/said"
check "the first line says who is asked" sh -c "head -n 1 '$work/said' | grep -q \"asks the system's package manager (apt-get, as root)\""
before() { [ "$(grep -n "$1" "$work/said" | cut -d: -f1 | head -n 1)" -lt "$(grep -n "$2" "$work/said" | cut -d: -f1 | head -n 1)" ]; }
check "the packages are said first" before "this will be installed" "apt-get update"
check_refused_2() { ! setup --nonsense; }
check_says "an unknown option" "unknown option --nonsense" check_refused_2
report
