"""The debugger in a notebook: breakpoint(), steps, %debug, %pdb and %tb, by the input requests of the kernel."""

from client import Kernel, main, texts

CELL = """def g(x):
    y = x - 1
    return y * 2
def f(x):
    k = 5
    breakpoint()
    w = g(x + k)
    for i in range(2):
        w += i
    return w
f(1)"""


def dialog(kernel, code, *lines):
    """Runs a cell and answers its input requests; what it printed, and its outputs."""
    id = kernel.execute(code, allow_stdin=True)
    for line in lines:
        asked = kernel.receive("stdin").content
        assert asked["prompt"] == "ipdb> ", asked
        kernel.send("input_reply", {"value": line}, "stdin")
    reply = kernel.answer(id).content
    outputs = kernel.outputs(id)
    return reply, texts(outputs), outputs


def stops(text):
    """The lines at which execution stopped."""
    return [int(line.split()[1]) for line in text.splitlines() if line.startswith("---->")]


def result(outputs):
    (m,) = [m for m in outputs if m.type == "execute_result"]
    return m.content["data"]["text/plain"]


def test_steps():
    """n, s, r, c stop at the lines that Python's debugger stops at; the result is the program's"""
    with Kernel() as k:
        _, text, outputs = dialog(k, CELL, "n", "s", "n", "r", "n", "n", "n", "c")
        assert stops(text) == [6, 7, 2, 3, 8, 9, 8, 9] and result(outputs) == "11"
        _, text, outputs = dialog(k, "f(2)", "s", "n", "u", "c")
        assert stops(text) == [6, 7, 8, 1] and result(outputs) == "13"
        # The steps ended with the cell.
        assert k.run("g(3)")[0]["status"] == "ok"


def test_results():
    """Lines that begin with any instruction compute the same while they are stepped over"""
    source = """def f(flag, a, o):
    out = []
    breakpoint()
    if not flag:
        out.append("not")
    if flag:
        out.append("flag")
    y = -a
    z = not flag
    w = ~a
    flag and out.append(1)
    flag or out.append(2)
    for i in range(5):
        a = a * 2 + i
        out.append(o.real)
    return out, y.tolist(), z, w.tolist(), a.tolist()
{}"""
    with Kernel() as k:
        for flag in (True, False):
            call = f"f({flag}, np.array([1, 2]), 3)"
            expected = k.run(source.format(call).replace("    breakpoint()\n", ""))[1][-1].content["data"]["text/plain"]
            _, _, outputs = dialog(k, source.format(call), *["n"] * 21, "c")
            assert result(outputs) == expected


def test_frames():
    """A frame's variables are shown, evaluated and changed; the caller's as well"""
    with Kernel() as k:
        _, text, outputs = dialog(k, CELL, "a", "k * 10", "k = 7", "made = k", "undefined", "s", "s", "x", "u", "p x", "c")
        assert "x = 1\nk = 5\n" in text and "*** NameError: name 'undefined' is not defined" in text
        shown = [m.content["data"]["text/plain"] for m in outputs if m.type == "display_data"]
        assert shown == ["50", "8", "1"] and result(outputs) == "15"
        assert k.run("made")[1][-1].content["data"]["text/plain"] == "7"
        _, text, _ = dialog(k, "f(np.ones((2, 3)))", "a", "c")
        assert "x = array of float64, shape (2, 3)\n" in text


def test_breakpoints():
    """A breakpoint stops each time its line begins, and not after it was removed"""
    with Kernel() as k:
        _, text, _ = dialog(k, CELL, "b 9", "c", "c", "cl 9", "c")
        assert stops(text) == [6, 9, 9]
        assert "Breakpoint at In [1]:9\n" in text and "Deleted breakpoint at In [1]:9\n" in text
        _, text, _ = dialog(k, "f(1)", "b 2", "c", "q")
        assert stops(text) == [6, 2]
        reply, text, _ = dialog(k, "g(1)", "q")
        assert stops(text) == [2] and reply["ename"] == "KeyboardInterrupt"


def test_debug():
    """%debug has the frames of the last error that nothing caught; %tb prints its report"""
    with Kernel() as k:
        k.run("def h(n):\n    m = n * 2\n    return [1][m]\nh(4)")
        k.run("try: 1 / 0\nexcept ZeroDivisionError: pass")
        reply, text, outputs = dialog(k, "%debug", "m", "u", "d", "p n", "q")
        assert reply["status"] == "ok" and stops(text) == [3, 4, 3]
        assert [m.content["data"]["text/plain"] for m in outputs if m.type == "display_data"] == ["8", "4"]
        text = texts(k.run("%tb")[1])
        assert text.startswith("IndexError: list index out of range\n") and "called from In [1], line 4" in text
    with Kernel() as k:
        assert "nothing to debug" in texts(k.run("%debug")[1], "stderr")


def test_pdb():
    """%pdb on stops where an error is raised that nothing catches"""
    with Kernel() as k:
        k.run("%pdb on\ndef h(n):\n    m = n * 2\n    return [1][m]")
        reply, text, _ = dialog(k, "h(5)", "a", "c")
        assert reply["ename"] == "IndexError" and "n = 5\nm = 10\n" in text
        assert k.run("try: h(5)\nexcept IndexError: pass")[0]["status"] == "ok"
        k.run("%pdb off")
        assert k.run("h(5)")[0]["ename"] == "IndexError"


def test_generators():
    """Stops inside generators, nested functions and methods"""
    with Kernel() as k:
        code = "def gen():\n    yield 1\n    yield 2\nclass A:\n    def m(self):\n        return sum(gen())\nbreakpoint()\nA().m()"
        _, text, outputs = dialog(k, code, "n", "s", "s", "s", "c")
        assert stops(text) == [7, 8, 6, 2, 3] and result(outputs) == "3"


def test_without_input():
    """Without a front end that answers, breakpoint() prints a message and goes on"""
    with Kernel() as k:
        reply, outputs = k.run("breakpoint()\n7", allow_stdin=False)
        assert reply["status"] == "ok" and "takes no input" in texts(outputs, "stderr")


main(globals())
