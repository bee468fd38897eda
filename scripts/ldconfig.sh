#!/bin/sh
# ldconfig.sh FOLDER - after libraries in the folder were added or removed: updates the loader's cache if it covers the folder and
# the user may, or prints what remains to be done.
PATH="$PATH:/usr/sbin:/sbin"
if ldconfig -NXv 2>/dev/null | grep -qF "$1:"; then
    ldconfig 2>/dev/null || echo "now run, as root: ldconfig"
elif [ -e "$1/libxetile.so" ]; then
    echo "the loader does not look in $1: link programs with -Wl,-rpath,\"$1\", or run them with LD_LIBRARY_PATH=\"$1\""
fi
