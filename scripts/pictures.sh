#!/bin/sh
# pictures.sh - makes the pictures of docs/pictures with the examples in $BUILD, on the software device:
#
#     make soft examples && scripts/pictures.sh [FOLDER]
#
# They depend on the CPU in a few pixels (sums of atomics have no order), so tests compare only their sizes. The examples do not
# compress; Python does.
set -eu
cd "$(dirname "$0")/.."
BUILD=$(cd "${BUILD:-build}" && pwd)
export XETILE_SOFT="${XETILE_SOFT:-$BUILD/libze_soft.so}" XETILE_DEVICE=software
to=$(mkdir -p "${1:-docs/pictures}" && cd "${1:-docs/pictures}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$BUILD/kmeans" --png kmeans.png | tail -n 1
"$BUILD/neural_texture" --out texture | tail -n 1
"$BUILD/image_filter" --radius 5 --border mirror texture_target.png blurred.png | tail -n 1
python3 - "$to" kmeans texture_target texture_result blurred <<'END'
import struct, sys, zlib
folder, names = sys.argv[1], sys.argv[2:]
def chunk(kind, body):
    return struct.pack('>I', len(body)) + kind + body + struct.pack('>I', zlib.crc32(kind + body))
for name in names:
    data, at, header, rows = open(name + '.png', 'rb').read(), 8, b'', b''
    while at < len(data):
        n, kind = struct.unpack('>I4s', data[at:at + 8])
        if kind == b'IHDR': header = data[at + 8:at + 8 + n]
        if kind == b'IDAT': rows += data[at + 8:at + 8 + n]
        at += 12 + n
    packed = zlib.compress(zlib.decompress(rows), 9)
    with open(f'{folder}/{name}.png', 'wb') as f:
        f.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', header) + chunk(b'IDAT', packed) + chunk(b'IEND', b''))
END
