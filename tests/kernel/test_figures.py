"""Figures of CPython's matplotlib, and its threads, in a notebook."""

import base64
import importlib.util
import os
import struct
import time

from client import Kernel, main

FIGURE = """\
import matplotlib.pyplot as plt
fig, ax = plt.subplots(figsize=(3, 2))
ax.plot(np.arange(4.0), np.arange(4.0)**2, label="square")
ax.step([0, 1, 2], [3, 1, 2], where="mid")
ax.set_title(r"$\\frac{a}{b}$");
"""


def shown(k, code):
    """The representations of what a cell shows."""
    reply, out = k.run(code)
    assert reply["status"] == "ok", reply
    return [m.content["data"] for m in out if m.type in ("display_data", "execute_result")]


def pixels(data):
    """Width and height of a PNG."""
    png = base64.b64decode(data)
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", png[16:24])


def test_matplotlib():
    """a figure shows once, at the end of its cell or at show(), also after an error; then it is closed"""
    with Kernel({"GPA_PYTHON": os.path.abspath("build/venv")}) as k:
        first = shown(k, FIGURE)
        assert [list(d) for d in first] == [["text/plain", "image/png"]]
        assert first[0]["text/plain"] == "<Figure size 300x200 with 1 Axes>"
        width, height = pixels(first[0]["image/png"])
        assert 240 < width < 340 and 160 < height < 260, (width, height)  # cut to what is drawn
        assert shown(k, "plt.__file__.endswith('site-packages/matplotlib/pyplot.py')") == [{"text/plain": "True"}]
        assert shown(k, "plt.get_fignums()") == [{"text/plain": "[]"}]
        two = shown(k, "plt.plot([1, 2]); plt.show(); display(5)")
        assert [list(d) for d in two] == [["text/plain", "image/png"], ["text/plain"]]
        out = k.run("plt.plot([1, 2])\n1 / 0")[1]
        assert [m.type for m in out] == ["execute_input", "error", "display_data"]
        assert shown(k, "%config InlineBackend.figure_format = 'svg'") == []
        assert shown(k, "plt.plot([1, 2]);")[0]["image/svg+xml"].lstrip().startswith("<?xml")


def test_formats():
    """%config InlineBackend: retina has twice the pixels at the same size, several formats, an unknown one"""
    plot = "plt.figure(figsize=(3, 2)); plt.plot([1, 2]);"
    with Kernel({"GPA_PYTHON": os.path.abspath("build/venv")}) as k:
        shown(k, "import matplotlib.pyplot as plt")
        width, height = pixels(shown(k, plot)[0]["image/png"])
        shown(k, "%config InlineBackend.figure_format = 'retina'")
        (twice,) = [m.content for m in k.run(plot)[1] if m.type == "display_data"]
        assert all(0 <= n - 2 * m < 4 for n, m in zip(pixels(twice["data"]["image/png"]), (width, height)))
        size = twice["metadata"]["image/png"]
        assert (size["width"], size["height"]) == tuple(n // 2 for n in pixels(twice["data"]["image/png"]))
        shown(k, "from matplotlib_inline.backend_inline import set_matplotlib_formats\nset_matplotlib_formats('svg', 'pdf', 'jpeg')")
        (many,) = shown(k, plot)
        assert sorted(many) == ["application/pdf", "image/jpeg", "image/svg+xml", "text/plain"]
        assert base64.b64decode(many["application/pdf"])[:5] == b"%PDF-" and base64.b64decode(many["image/jpeg"])[:2] == b"\xff\xd8"
        reply = k.run("%config InlineBackend.figure_format = 'bmp'")[0]
        assert reply["ename"] == "ValueError" and reply["evalue"].startswith("supported formats are: 'jpeg', "), reply
        (same,) = shown(k, plot)
        assert sorted(same) == sorted(many)


def test_open_figures():
    """figures that are kept open are shown again when they have changed; other backends show none"""
    with Kernel({"GPA_PYTHON": os.path.abspath("build/venv")}) as k:
        shown(k, "import matplotlib.pyplot as plt\n%config InlineBackend.close_figures = False")
        assert [list(d) for d in shown(k, "plt.plot([1, 2]);")] == [["text/plain", "image/png"]]
        assert shown(k, "1") == [{"text/plain": "1"}]
        assert [list(d) for d in shown(k, "plt.title('changed');")] == [["text/plain", "image/png"]]
        shown(k, "%config InlineBackend.close_figures = True\nplt.close('all')")
        assert shown(k, "%matplotlib agg\nplt.plot([1, 2])\nplt.get_backend()") == [{"text/plain": "'agg'"}]
        assert [list(d) for d in shown(k, "%matplotlib inline\nplt.plot([1, 2]);")] == [["text/plain", "image/png"]]
        reply = k.run("%matplotlib qt")[0]
        assert reply["ename"] == "NotImplementedError" and "gpa opens no windows" in reply["evalue"], reply


def test_movies():
    """animations and axes in space are matplotlib's"""
    with Kernel({"GPA_PYTHON": os.path.abspath("build/venv")}) as k:
        code = """\
import matplotlib.pyplot as plt
from matplotlib.animation import FuncAnimation
from IPython.display import HTML
fig, ax = plt.subplots(figsize=(2, 2))
line, = ax.plot(np.zeros(3))
def update(i):
    line.set_ydata(np.arange(3.0) * i)
    return line,
film = FuncAnimation(fig, update, frames=4, interval=40, blit=True)
page = film.to_jshtml()
plt.close()
HTML(page)"""
        (page,) = shown(k, code)
        assert page["text/html"].count("data:image/png;base64") == 4
        space = "fig = plt.figure(figsize=(3, 3)); ax = fig.add_subplot(projection='3d'); ax.plot([0, 1], [0, 1], [0, 1]); ax"
        assert shown(k, space)[0] == {"text/plain": "<Axes3D: >"}


def test_threads():
    """what a thread of Python calls while the notebook is idle has run after the next cell"""
    with Kernel({"GPA_PYTHON": os.path.abspath("build/venv")}) as k:
        shown(k, "import threading\nseen = []\nt = threading.Timer(0.1, seen.append, (1,)); t.start()")
        deadline = time.time() + 60
        while shown(k, "seen") == [{"text/plain": "[]"}] and time.time() < deadline:
            time.sleep(0.05)
        assert shown(k, "seen") == [{"text/plain": "[1]"}]


def test_representations():
    """MIME bundles of Python's objects: JSON, metadata, pictures in base64"""
    cell = """\
%%python
class Shown:
    def __repr__(self): return "Shown"
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"application/vnd.x+json": {"a": [1, 2]}, "image/png": "aGFsbG8="}, {"image/png": {"width": 3}}
Shown()"""
    with Kernel({"GPA_PYTHON": os.path.abspath("build/venv")}) as k:
        (one,) = [m.content for m in k.run(cell)[1] if m.type == "execute_result"]
        assert one["data"] == {"text/plain": "Shown", "application/vnd.x+json": {"a": [1, 2]}, "image/png": "aGFsbG8="}, one
        assert one["metadata"] == {"image/png": {"width": 3}}
        methods = "    def _repr_javascript_(self): return 'f()'\n    def _repr_pdf_(self): return b'hallo'\n"
        assert shown(k, f"%%python\nclass Methods:\n    def __repr__(self): return 'M'\n{methods}Methods()") == [
            {"text/plain": "M", "application/javascript": "f()", "application/pdf": "aGFsbG8="}
        ]


def test_same_pixels():
    """a saved figure has the pixels that CPython draws"""
    with Kernel({"GPA_PYTHON": os.path.abspath("build/venv")}) as k:
        ours, theirs = (os.path.join(k.folder.name, name) for name in ("gpa.png", "python.png"))
        shown(k, FIGURE + f"fig.savefig({ours!r})")
        shown(k, "%%python\nimport numpy as np\n" + FIGURE + f"fig.savefig({theirs!r})")
        with open(ours, "rb") as a, open(theirs, "rb") as b:
            assert a.read() == b.read()


def test_gnuplot():
    """GPA_PLOTS=gnuplot, or no Python: gpa's own module"""
    for env in {"GPA_PLOTS": "gnuplot", "GPA_PYTHON": os.path.abspath("build/venv")}, {"GPA_PYTHON": "none"}:
        with Kernel(env) as k:
            assert shown(k, "import matplotlib.pyplot as plt\nplt") == [
                {"text/plain": "<module 'matplotlib.pyplot' (built-in)>"}
            ]


if importlib.util.find_spec("matplotlib") is None:
    print("skip - no matplotlib for the figures of a notebook (build/venv.log)")
else:
    main(globals())
