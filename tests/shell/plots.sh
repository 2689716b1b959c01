# Plots: files written by savefig, their sizes and colors, errors of gnuplot, and without gnuplot.
. tests/checks.sh
command -v gnuplot > /dev/null || skip "no gnuplot"
workspace plots
program=$(readlink -f "$GPA")
mkdir "$work/empty"
cd "$work" || exit 1

cat > draw.gpa <<'GPA'
import numpy as np
import matplotlib.pyplot as plt
x = np.linspace(0, 1, 400)
plt.plot(x, x, 'r', label='up_it')
plt.plot(x, 1 - x, color='#00ff00', label='down')
plt.title("it's <b> `pwd` \\ \"x\"")
plt.legend()
plt.savefig('lines.png'); plt.savefig('lines.svg'); plt.savefig('lines.pdf')
plt.figure(figsize=(2, 2), dpi=100)
a = plt.axes([0, 0, 1, 1])
a.imshow([[0, 1], [2, 3]], cmap='gray')
plt.savefig('image.png')
plt.savefig('double.png', dpi=200)
plt.figure(figsize=(2, 2))
x = np.arange(1000000) / 1e6
y = np.where(x == 0.5, 1.0, 0.0)
a = plt.axes([0, 0, 1, 1])
a.plot(x, y, 'b')
plt.savefig('spike.png')
GPA
"$program" draw.gpa > out 2>&1
verdict "figures are written" $? out

cat > look.py <<'PY'
import html, re, struct, sys, zlib
def png(path):
    """The size and the rows of pixels, (r, g, b) each."""
    data, at, body = open(path, "rb").read(), 8, b""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        part = data[at + 8:at + 8 + n]
        assert zlib.crc32(kind + part) == struct.unpack(">I", data[at + 8 + n:at + 12 + n])[0]
        if kind == b"IHDR": w, h, depth, colour, *_ = struct.unpack(">IIBBBBB", part)
        if kind == b"IDAT": body += part
        at += 12 + n
    assert depth == 8 and colour in (2, 6)
    bpp = 3 if colour == 2 else 4
    raw, rows, last = zlib.decompress(body), [], bytearray(w * bpp)
    for y in range(h):
        f, line = raw[y * (w * bpp + 1)], bytearray(raw[y * (w * bpp + 1) + 1:(y + 1) * (w * bpp + 1)])
        for i in range(len(line)):
            a, b, c = line[i - bpp] if i >= bpp else 0, last[i], last[i - bpp] if i >= bpp else 0
            p = a + b - c
            paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            line[i] = (line[i] + (0, a, b, (a + b) // 2, paeth)[f]) & 255
        rows.append([tuple(line[k:k + 3]) for k in range(0, len(line), bpp)])
        last = line
    return w, h, rows
def check(what, good):
    print(("ok - " if good else "not ok - ") + what)
    check.bad |= not good
check.bad = False
w, h, rows = png("lines.png")
check("640 by 480 pixels", (w, h) == (640, 480))
flat = [p for row in rows for p in row]
red, green = sum(p == (255, 0, 0) for p in flat), sum(p == (0, 255, 0) for p in flat)
check(f"lines have their colours ({red}, {green} pixels)", red > 200 and green > 200)
check("most is white", sum(p == (255, 255, 255) for p in flat) > 0.9 * len(flat))
# the axes' middle is where both lines cross, at the place where matplotlib has it
near = {rows[y][x] for y in range(236, 247) for x in range(322, 334)}
check("the lines cross in the middle", (255, 0, 0) in near or (0, 255, 0) in near)
w, h, rows = png("image.png")
check("a picture is right side up", (w, h) == (200, 200) and
      [rows[y][x] for y in (50, 150) for x in (50, 150)] == [(0,) * 3, (85,) * 3, (170,) * 3, (255,) * 3])
check("dpi", png("double.png")[:2] == (400, 400))
w, h, rows = png("spike.png")
check("one point of a million is seen", any(rows[y][x] != (255, 255, 255) for y in range(80, 120) for x in range(95, 106)))
svg = open("lines.svg", encoding="utf-8").read()
texts = [html.unescape(t) for t in re.findall("<text>(.*?)</text>", svg)]
check("SVG: labels stand as they are", {"up_it", "down", "it's <b> `pwd` \\ \"x\""} <= set(texts))
check("SVG: each line has its colour", all(re.search(r"stroke='rgb\( *%d, *%d, *0\)'  d='M" % c, svg) for c in ((255, 0), (0, 255))))
check("PDF", open("lines.pdf", "rb").read(5) == b"%PDF-")
sys.exit(check.bad)
PY
python3 look.py || bad=1

printf 'import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.savefig("none.png")\n' > none.gpa
PATH=$work/empty "$program" none.gpa > out 2>&1
grep -q '^RuntimeError: plots are drawn by gnuplot, which is not installed' out && grep -q 'gnuplot-nox' out
verdict "without gnuplot a sentence names the package" $? out
printf '#!/bin/sh\necho "line 3: something odd" >&2\nexit 1\n' > empty/gnuplot; chmod +x empty/gnuplot
PATH=$work/empty "$program" none.gpa > out 2>&1
grep -q '^RuntimeError: gnuplot: something odd' out
verdict "what gnuplot complains of is an error" $? out
printf 'import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.savefig("no/such/folder.png")\n' > where.gpa
"$program" where.gpa > out 2>&1
grep -q "^FileNotFoundError: \[Errno 2\] No such file or directory: 'no/such/folder.png'" out
verdict "a folder that is not there" $? out
printf 'import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\n' > show.gpa
[ "$("$program" show.gpa 2>&1)" = "<Figure size 640x480 with 1 Axes>" ]; verdict "show() without a screen says what it would show" $? out
finish
