#!/bin/bash
# Pictures: what gpa writes is PNG with these samples, as Python's zlib decodes it; what is read is what was written.
cd "$(dirname "$0")/../.." || exit 2
B=$(realpath "${B:-build/release}") python=$(realpath -s "$(command -v "${PYTHON:-python3}")")
"$B/gpa" -c 'import imageio; imageio.imwrite("/dev/null", [[0]])' 2>&1 | grep -q 'without libpng' && { echo "skip - built without libpng"; exit 0; }
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT && cd "$tmp" || exit 2
cat > write.gpa <<'G'
import numpy as np, imageio, imageio.v3 as iio
import matplotlib.pyplot as plt
for c in (1, 2, 3, 4):
    a = (np.arange(5 * 7 * c) * 37 % 256).astype(np.uint8).reshape((5, 7, c) if c > 1 else (5, 7))
    imageio.imwrite(f"{c}.png", a)
    print(c, bool((iio.imread(f"{c}.png") == a).all()), iio.imread(f"{c}.png").dtype, plt.imread(f"{c}.png").shape, plt.imread(f"{c}.png").dtype)
imageio.imwrite("mask.png", np.eye(3) > 0)
plt.imsave("map.png", [[0.0, np.nan], [1.0, 2.0]], cmap="gray", origin="lower")
print(imageio.imread("mask.png").tolist(), imageio.imread("map.png").tolist())
imageio.imwrite("turned.png", np.arange(6, dtype=np.int64).reshape(2, 3).T[::-1])
print(imageio.imread("turned.png").tolist())
open("bad.png", "w").write("no picture")
for f in (lambda: imageio.imread("none.png"), lambda: imageio.imread("bad.png"), lambda: imageio.imwrite("x.png", np.ones((2, 2))),
          lambda: imageio.imwrite("x.png", [[256]]),
          lambda: imageio.imwrite("x.png", [1, 2]), lambda: imageio.imwrite("no/x.png", [[1]]), lambda: plt.imsave("x.png", np.zeros((2, 2, 5)))):
    try: f()
    except Exception as e: print(type(e).__name__, e)
G
"$B/gpa" write.gpa > got 2>&1
cat > want <<'W'
1 True uint8 (5, 7) float32
2 True uint8 (5, 7, 4) float32
3 True uint8 (5, 7, 3) float32
4 True uint8 (5, 7, 4) float32
[[255, 0, 0], [0, 255, 0], [0, 0, 255]] [[[128, 128, 128, 255], [255, 255, 255, 255]], [[0, 0, 0, 255], [0, 0, 0, 0]]]
[[2, 5], [1, 4], [0, 3]]
FileNotFoundError [Errno 2] No such file or directory: 'none.png'
OSError cannot read 'bad.png': Not a PNG file
TypeError a picture is uint8, not float64: scale it and use .astype('uint8')
ValueError a picture has numbers from 0 to 255
ValueError a picture has the shape (rows, columns) or (rows, columns, 1 to 4), and is not empty
FileNotFoundError [Errno 2] No such file or directory: 'no/x.png'
ValueError Invalid shape (2, 2, 5) for image data
W
failed=0
if diff want got > difference; then echo "ok - written and read again"; else echo "not ok - written and read again"; sed 's/^/# /' difference; failed=1; fi
"$python" - <<'P' || failed=1
import struct, zlib
good = True
for c, kind in ((1, 0), (2, 4), (3, 2), (4, 6)):
    data = open(f"{c}.png", "rb").read()
    at, body, head = 8, b"", None
    while at < len(data):
        n, name = struct.unpack(">I4s", data[at:at + 8])
        if name == b"IHDR": head = struct.unpack(">IIBBBBB", data[at + 8:at + 8 + n])
        if name == b"IDAT": body += data[at + 8:at + 8 + n]
        at += 12 + n
    raw, before, rows = zlib.decompress(body), bytearray(7 * c), []
    for r in range(5):
        way, line = raw[r * (7 * c + 1)], bytearray(raw[r * (7 * c + 1) + 1:(r + 1) * (7 * c + 1)])
        for i in range(7 * c):
            left, up, corner = (line[i - c] if i >= c else 0), before[i], (before[i - c] if i >= c else 0)
            p = left + up - corner
            paeth = min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))[2]
            line[i] = (line[i] + (0, left, up, (left + up) // 2, paeth)[way]) % 256
        rows += line
        before = line
    good &= head[:4] == (7, 5, 8, kind) and rows == [k * 37 % 256 for k in range(5 * 7 * c)]
print("ok" if good else "not ok", "- PNG as others read it")
raise SystemExit(not good)
P
exit $failed
