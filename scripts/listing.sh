#!/bin/sh
# listing.sh DEVICE FILE.spv [OPTIONS] - what Intel's compiler makes of a module, without a GPU: prints
#     all <instructions> <block messages> <other messages>        of the kernel that it compiled last
#     loop <instructions> <block messages> <other messages>       of its shortest loop, if there is one
#     listing <path>
# OPTIONS are the module's build flags (mod.build_flags; examples print them with --emit). The compiler is `ocloc` in PATH (Debian:
# intel-ocloc), or the command $XE_OFFLINE (docs/machine-code.md).
set -u
[ $# -ge 2 ] || { sed -n '2,6s/^# //p' "$0" >&2; exit 2; }
. "$(dirname "$0")/intel_compiler.sh"
work=$(mktemp -d) || exit 1
find_compiler || { echo "neither \$XE_OFFLINE nor ocloc is here" >&2; exit 1; }
if [ "$compiler" = ocloc ]; then listing=$(listing_by_ocloc "$1" "$2" "${3:-}"); else listing=$(listing_by_offline "$1" "$2" "${3:-}"); fi
[ -n "$listing" ] || { echo "$2: refused for $1" >&2; exit 1; }
messages_of_listing "$listing"
echo "listing $listing"
