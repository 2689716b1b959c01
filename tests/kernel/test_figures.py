"""Figures of CPython's matplotlib in a notebook."""

import base64
import importlib.util
import os
import struct

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
