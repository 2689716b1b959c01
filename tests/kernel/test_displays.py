"""Rich displays by the protocol: the methods of users' classes, the classes of IPython.display, get_ipython(), progress
bars, formats of figures, passwords."""

import base64
import sys

from client import Kernel, main, texts

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
kernel = Kernel()


def run(code):
    reply, outputs = kernel.run(code)
    assert reply["status"] == "ok", reply
    return [m for m in outputs if m.type != "execute_input"]


def result(code):
    (m,) = run(code)
    assert m.type == "execute_result", m.type
    return m.content


def error(code):
    return kernel.run(code)[0]["evalue"]


def test_methods():
    """_repr_html_, _repr_latex_, _repr_json_, _repr_png_ of users' classes, with metadata; a picture as bytes or base64"""
    run(
        "class A:\n    def _repr_html_(self): return '<b>A</b>'\n    def _repr_latex_(self): return '$a$', {'k': 1}\n"
        "    def _repr_json_(self): return {'n': [1, None]}\n    def __repr__(self): return 'plain'\n"
        f"class P:\n    def __init__(self, data): self.data = data\n    def _repr_png_(self): return self.data\n"
    )
    shown = result("A()")
    assert shown["data"] == {
        "text/plain": "plain",
        "text/html": "<b>A</b>",
        "text/latex": "$a$",
        "application/json": {"n": [1, None]},
    }
    assert shown["metadata"] == {"text/latex": {"k": 1}}
    text = base64.b64encode(PIXEL).decode()
    for data in (repr(PIXEL), repr(text)):
        assert result(f"P({data})")["data"]["image/png"] == text
    run("class F:\n    def _repr_html_(self): return 1 / 0\n")
    assert error("F()") == "division by zero"


def test_mimebundle():
    """_repr_mimebundle_ decides also the text; _ipython_display_ replaces the display, and the value stays in Out"""
    run(
        "class B:\n    def _repr_mimebundle_(self, include=None, exclude=None):\n"
        "        return {'text/plain': 'own', 'application/vnd.x+json': {'a': 1}}, {'text/plain': {'m': 2}}\n"
        "class D:\n    def _ipython_display_(self): print('shown')\n"
    )
    shown = result("B()")
    assert shown["data"] == {"text/plain": "own", "application/vnd.x+json": {"a": 1}}
    assert shown["metadata"] == {"text/plain": {"m": 2}}
    outputs = run("D()")
    assert [m.type for m in outputs] == ["stream"] and texts(outputs) == "shown\n"
    assert result("_.__class__.__name__")["data"]["text/plain"] == "'D'"


def test_pretty():
    """_repr_pretty_ writes the text, also inside a list; its groups are broken at 79 columns"""
    run(
        "class T:\n    def __init__(self, n): self.n = n\n    def _repr_pretty_(self, p, cycle):\n"
        "        with p.group(2, 'T(', ')'):\n            for i in range(self.n):\n                if i:\n"
        "                    p.text(',')\n                    p.breakable()\n                p.pretty('x' * 9)\n"
    )
    assert result("[T(2)]")["data"]["text/plain"] == "[T('xxxxxxxxx', 'xxxxxxxxx')]"
    assert result("T(8)")["data"]["text/plain"] == "T(" + ",\n  ".join(["'xxxxxxxxx'"] * 8) + ")"


def test_classes():
    """JSON, Javascript, Audio, Video, Pretty, ProgressBar, raw data and updates"""
    run("from IPython.display import *")
    assert result("JSON({'a': 1})")["data"]["application/json"] == {"a": 1}
    assert result("Javascript('alert(1)')")["data"]["application/javascript"] == "alert(1)"
    assert result("Pretty('a\\nb')")["data"]["text/plain"] == "a\nb"
    sound = result("Audio([0, 1, -1, 0.5], rate=8000)")["data"]["text/html"]
    wav = base64.b64decode(sound.split("base64,")[1].split('"')[0])
    samples = b"".join(n.to_bytes(2, "little", signed=True) for n in (0, 32767, -32767, 16383))
    assert wav[:4] == b"RIFF" and wav[24:28] == (8000).to_bytes(4, "little") and wav[44:] == samples
    assert 'src="a.mp4"' in result("Video('a.mp4')")["data"]["text/html"]
    bar = run("for i in ProgressBar(2): pass")
    assert [m.type for m in bar] == ["display_data"] + 2 * ["update_display_data"]
    assert len({m.content["transient"]["display_id"] for m in bar}) == 1
    (raw,) = run("display({'text/plain': 'a', 'text/html': 'b'}, raw=True, metadata={'text/html': {'k': 1}})")
    assert raw.content["data"] == {"text/plain": "a", "text/html": "b"}
    assert raw.content["metadata"] == {"text/html": {"k": 1}}
    (update,) = run("update_display(3, display_id='x')")
    assert update.type == "update_display_data" and update.content["transient"] == {"display_id": "x"}


def test_get_ipython():
    """get_ipython(): magics, commands and variables of the session; its class is that of notebooks"""
    run("ip = get_ipython()\nip.user_ns['made'] = 7\nip.push({'pushed': 8})")
    assert result("made, pushed, 'ip' in ip.user_ns, type(ip).__name__")["data"]["text/plain"] == (
        "(7, 8, True, 'ZMQInteractiveShell')"
    )
    assert result("ip.getoutput('echo a; echo b')")["data"]["text/plain"] == "['a', 'b']"
    assert texts(run("ip.system('echo from the shell')")) == "from the shell\n"
    assert result("import os\nip.run_line_magic('pwd', '') == os.getcwd()")["data"]["text/plain"] == "True"
    assert texts(run("ip.run_cell_magic('capture', 'out', 'print(1)')\nprint(out.stdout)")) == "1\n\n"


def test_tqdm():
    """tqdm.auto displays a bar of HTML that is updated in place; tqdm writes to stderr"""
    bars = run("from tqdm.auto import tqdm\nfor i in tqdm(range(3), desc='steps'): pass")
    assert bars[0].type == "display_data" and {m.type for m in bars[1:]} == {"update_display_data"}
    assert bars[-1].content["data"]["text/plain"].startswith("steps: 100%|")
    assert "width:100.0%" in bars[-1].content["data"]["text/html"]
    run("broken = tqdm(range(3))\ntry:\n    for i in broken: 1 / i\nexcept ZeroDivisionError: pass")
    assert result("broken.n")["data"]["text/plain"] == "0"
    text = texts(run("from tqdm import tqdm\nfor i in tqdm(range(3)): pass"), "stderr")
    assert text.startswith("\r  0%|          | 0/3 [00:00<?, ?it/s]") and "\r100%|██████████| 3/3 [" in text


def test_formats():
    """%config of figure formats acts: svg, and retina with twice the pixels; other backends of %matplotlib are refused"""
    with Kernel({"GPA_PYTHON": sys.executable}) as k:

        def plot(setting):
            k.run(f"%config InlineBackend.{setting}")
            outputs = k.run("import matplotlib.pyplot as plt\nplt.plot([1, 2]);")[1]
            (m,) = [m for m in outputs if m.type == "display_data"]
            return m.content

        png = base64.b64decode(plot("figure_format = 'png'")["data"]["image/png"])
        sharp = plot("figure_format = 'retina'")
        wide = base64.b64decode(sharp["data"]["image/png"])
        width, twice = (int.from_bytes(data[16:20], "big") for data in (png, wide))
        assert abs(twice - 2 * width) <= 4
        assert sharp["metadata"]["image/png"]["width"] == twice // 2
        assert "image/svg+xml" in plot("figure_formats = ['svg']")["data"]
    assert "opens no windows" in error("%matplotlib widget")


def test_getpass():
    """getpass asks the front end, which hides what is typed"""
    with Kernel({"GPA_PYTHON": sys.executable}) as k:
        id = k.execute("from getpass import getpass\ngetpass('secret: ')", allow_stdin=True)
        asked = k.receive("stdin").content
        assert asked == {"prompt": "secret: ", "password": True}
        k.send("input_reply", {"value": "s3"}, "stdin")
        k.answer(id)
        assert k.outputs(id)[-1].content["data"]["text/plain"] == "'s3'"


try:
    main(globals())
finally:
    kernel.__exit__()
