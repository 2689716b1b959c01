# Pictures of gpa's own matplotlib next to those of matplotlib itself: of each color, the rectangle that its pixels fill and
# their number.
. tests/checks.sh
command -v gnuplot > /dev/null || skip "no gnuplot"
python=$(realpath -s "$PYTHON")
"$python" -c 'import matplotlib' 2> /dev/null || skip "no matplotlib to compare with"
workspace plots_pixels
program=$(readlink -f "$GPA")
cd "$work" || exit 1

cat > draw.py <<'PY'
import sys
import numpy as np
import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt

x = np.linspace(0.0, 6.0, 50)
RED, GREEN, BLUE = "#ff0000", "#00ff00", "#0000ff"


def lines():
    plt.plot(x, np.sin(x), color=RED, linewidth=3)
    plt.plot(x, np.cos(x), GREEN)
    plt.title("Title")
    plt.xlabel("x"), plt.ylabel("y")


def markers():
    for k, m in enumerate("os^vD+x."):
        plt.plot([k], [k % 3], marker=m, color=(RED, GREEN, BLUE)[k % 3], markersize=16, linestyle="")
    plt.plot([0, 7], [0.5, 1.5], "k-o")


def steps():
    for k, (where, color) in enumerate((("pre", RED), ("post", GREEN), ("mid", BLUE))):
        plt.step(x[::5], x[::5] ** 2 + 10 * k, where=where, color=color, linewidth=3)


def bars():
    plt.bar([1, 2, 3], [3, -1, 2], color=[RED, GREEN, BLUE])


def horizontal():
    plt.barh(["a", "b", "c"], [3, 1, 2], left=[1, 2, 3], color=RED, height=0.5)
    plt.axvline(2.5, color=BLUE, linewidth=4)


def counts():
    plt.hist((np.arange(2000) * 0.6180339887498949) % 1 ** 2, bins=7, color=BLUE)


def outlines():
    plt.hist(x / 10, bins=5, histtype="step", color=RED, linewidth=3)


def points():
    plt.scatter([0, 1, 2, 3], [3, 1, 2, 0], s=[50, 100, 400, 900], c=[RED, GREEN, BLUE, GREEN])
    plt.axis([-1, 4, -1, 4])


def areas():
    plt.fill_between(x, np.sin(x), 1, color=RED)
    plt.fill_between(x, np.sin(x) - 2, -4, where=x > 3, color=GREEN)
    plt.axhspan(-6, -5, color=BLUE)


def errors():
    plt.errorbar([1, 2, 3], [1, 2, 4], yerr=[0.5, 1, 0.25], color=RED, ecolor=BLUE, elinewidth=4, linewidth=4)


def image():
    shown = plt.imshow([[0, 1], [2, 3], [1, 0]], cmap="bwr")
    plt.colorbar(shown, label="value")


def lower():
    plt.imshow(np.arange(12.0).reshape(3, 4), cmap="bwr", origin="lower", extent=(0, 8, 1, 2), aspect="auto")


def cells():
    plt.pcolormesh([0, 1, 4], [0, 3, 4, 5], [[0, 1], [1, 0], [0, 1]], cmap="bwr")


def heights():
    plt.contourf(x, x, np.sin(x)[:, None] * np.cos(x), levels=[-1, 0, 1], colors=[RED, BLUE])


def curves():
    plt.contour(x, x, np.sin(x)[:, None] + np.cos(x), levels=[0.5, 1.5], colors=[RED, BLUE], linewidths=3)


def scales():
    plt.loglog([1, 10, 1000], [0.1, 20, 3e4], color=RED, linewidth=3)
    plt.grid(True, color=BLUE, linewidth=2)


def legends():
    plt.plot(x, x, color=RED, label="up", linewidth=3)
    plt.plot(x, 5 + 0 * x, color=GREEN, label="level", linewidth=3)
    plt.legend()


def grids():
    fig, axes = plt.subplots(2, 2)
    for ax, color in zip(axes.flat, (RED, GREEN, BLUE, RED)):
        ax.plot(x, x ** 2, color=color, linewidth=3)
    axes[1, 1].set_xlim(2, 4)
    axes[0, 1].set_ylim(40, 0)


def apart():
    plt.vlines([1, 2], 0, [3, 4], colors=RED, linewidths=4)
    plt.hlines([1, 2], 0, 5, colors=BLUE, linewidths=4)
    plt.axis("scaled")


for name in sys.argv[2:]:
    plt.close("all")
    globals()[name]()
    plt.savefig(sys.argv[1] + "/" + name + ".png")
PY
names=$(sed -n 's/^def \([a-z]*\)().*/\1/p' draw.py)
mkdir ours theirs
"$program" draw.py ours $names > out 2>&1 && "$python" draw.py theirs $names >> out 2>&1
verdict "the programs run" $? out

cat > look.py <<'PY'
import glob, os, sys
import numpy as np
from matplotlib.image import imread

bad = False
for path in sorted(glob.glob("theirs/*.png")):
    name = os.path.basename(path)
    pictures = [imread(f"{folder}/{name}")[:, :, :3] for folder in ("ours", "theirs")]
    differences = [f"{p.shape[:2]}" for p in pictures if p.shape != pictures[1].shape]
    for color in np.eye(3):
        boxes, sizes = [], []
        for p in pictures:
            cover = (p @ color - (p * (1 - color)).max(2)).clip(0, 1)  # of a pixel, smooth at edges
            rows, columns = np.nonzero(cover > 0.3)
            boxes.append([int(v) for v in (rows.min(), rows.max(), columns.min(), columns.max())] if rows.size else [0] * 4)
            sizes.append(round(float(cover.sum())))
        if np.abs(np.subtract(*boxes)).max() > (9 if "legend" in name else 3):
            differences.append(f"{color}: rows and columns {boxes[0]}, matplotlib {boxes[1]}")
        if abs(sizes[0] - sizes[1]) > max(40, 0.06 * sizes[1]):
            differences.append(f"{color}: {sizes[0]} pixels, matplotlib {sizes[1]}")
    print(f"{'not ok' if differences else 'ok'} - {name}", *differences, sep="\n# ")
    bad |= bool(differences)
sys.exit(bad)
PY
"$python" look.py || bad=1
finish
