#!/bin/sh
# k-means: sizes that fill no tile, its picture, its refusals, and its modules for every target, saved for spirv-val.
. "$(dirname "$0")/../test.sh"
saved=${XETILE_SPV_DIR:-$work}
kmeans="$BUILD/kmeans"

check_options kmeans
for target in $targets; do
    for kernel in assign move; do
        check_says "$kernel for $target" "ok kmeans" "$kmeans" --kernel $kernel --emit "$saved/kmeans-$kernel-$target.spv" --target $target
    done
done
# Each is two kernels to compile: in the sample only one of them as users have them.
list="5000:12:2 1:1:1 333:17:64"
thorough && list="$list 1000:64:17 100:16:16"
for sizes in $list; do
    # shellcheck disable=SC2046
    set -- $(echo "$sizes" | tr : " ")
    check_says "$1 points, $2 clusters, $3 dimensions" "ok kmeans $1 points, $2 clusters, $3 dimensions" \
        "$kmeans" --device software --points $1 --clusters $2 --dimensions $3 --turns 20
    thorough || export XETILE_SOFT_TIER="${XETILE_SOFT_TIER:-quick}"
done
check_says "a picture" "wrote $work/k.png" "$kmeans" --device software --points 2000 --turns 3 --png "$work/k.png"
if command -v python3 > /dev/null; then # an independent decoder
    check "it is a PNG of 640 x 640" python3 - "$work/k.png" << 'END'
import struct, sys, zlib
data = open(sys.argv[1], 'rb').read()
assert data[:8] == b'\x89PNG\r\n\x1a\n'
at, chunks = 8, []
while at < len(data):
    n, = struct.unpack('>I', data[at:at + 4])
    body = data[at + 4:at + 8 + n]
    assert zlib.crc32(body) == struct.unpack('>I', data[at + 8 + n:at + 12 + n])[0]
    chunks.append((body[:4], body[4:]))
    at += 12 + n
assert [c[0] for c in chunks] == [b'IHDR', b'IDAT', b'IEND']
assert struct.unpack('>IIBBBBB', chunks[0][1]) == (640, 640, 8, 2, 0, 0, 0)
rows = zlib.decompress(chunks[1][1])
assert len(rows) == 640 * 1921 and not any(rows[::1921])
pixels = {rows[y * 1921 + 1 + 3 * x:y * 1921 + 4 + 3 * x] for y in range(640) for x in range(640)}
assert len(pixels) == 25, len(pixels) # 12 clusters: cells and points; the crosses
END
fi
check_refused "no clusters" "--clusters 0" "$kmeans" --clusters 0
check_refused "65 clusters" "--clusters 65" "$kmeans" --clusters 65
check_refused "more clusters than points" "there are 3 points" "$kmeans" --points 3
check_refused "half a number" "--points 10x" "$kmeans" --points 10x
check_refused "another kernel" "--kernel other" "$kmeans" --kernel other --emit "$work/x.spv"
check_refused "no folder" "cannot write it" "$kmeans" --device software --points 100 --png "$work/none/x.png"
report
