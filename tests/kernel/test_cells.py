"""Execution requests: output, counters, history, aborts, interrupts, input requests."""

import base64
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time

from client import Kernel, main, texts


def types(outputs):
    return [m.type for m in outputs]


def test_result():
    """a value: execute_input, execute_result, a count that grows"""
    with Kernel() as k:
        for n in 1, 2, 3:
            reply, out = k.run("6 * 7")
            assert reply == {
                "status": "ok",
                "execution_count": n,
                "user_expressions": {},
                "payload": [],
            }
            assert types(out) == ["execute_input", "execute_result"] and out[0].content == {
                "code": "6 * 7",
                "execution_count": n,
            }
            assert out[1].content == {
                "execution_count": n,
                "data": {"text/plain": "42"},
                "metadata": {},
            }
        assert k.run("_ + Out[1]")[1][-1].content["data"]["text/plain"] == "84"


def test_layout():
    """containers over several lines, as IPython 9 shows them; %pprint"""
    shown = {
        "[[1, 2, 3]] * 8": "[[1, 2, 3],\n" + 6 * " [1, 2, 3],\n" + " [1, 2, 3]]",
        "[1] * 26": "[" + 25 * "1, " + "1]",
        "['a' * 75]": "['" + 75 * "a" + "']",
        "['a' * 74, 1]": "['" + 74 * "a" + "',\n 1]",
        "('a' * 30, 'b' * 30, 'c' * 30)": f"('{30 * 'a'}',\n '{30 * 'b'}',\n '{30 * 'c'}')",
        "{'k': ('v' * 60, 'w' * 30), 'm': [('a', 1), ('b', 2)]}": (
            f"{{'k': ('{60 * 'v'}',\n  '{30 * 'w'}'),\n 'm': [('a', 1), ('b', 2)]}}"
        ),
        "{('a', 1): 2, ('b' * 40, 2): 'c' * 40}": (
            f"{{('a', 1): 2,\n ('{40 * 'b'}',\n  2): '{40 * 'c'}'}}"
        ),
        "[np.eye(2), 1]": "[array([[1., 0.],\n        [0., 1.]]),\n 1]",
        "{'a': np.eye(2)}": "{'a': array([[1., 0.],\n        [0., 1.]])}",
        "list(range(1200))": "[0,\n" + "".join([f" {i},\n" for i in range(1, 1000)]) + " ...]",
        "set(range(40))": "{0,\n" + "".join([f" {i},\n" for i in range(1, 39)]) + " 39}",
        "[(1,), [], {}, set(), ()]": "[(1,), [], {}, set(), ()]",
        "type(1)": "int",
        "[type('a'), np.ndarray, {type(np.float32(1)): type(None)}]": "[str, numpy.ndarray, {numpy.float32: NoneType}]",
        "class A: pass\ntype(A())": "__main__.A",
        "repr(int), str(int)": "(\"<class 'int'>\", \"<class 'int'>\")",
    }
    with Kernel() as k:
        for code, text in shown.items():
            assert k.run(code)[1][-1].content["data"]["text/plain"] == text, code
        k.run("%pprint")
        assert k.run("list(range(40))")[1][-1].content["data"]["text/plain"] == str(list(range(40)))


def test_error():
    """an error is one output; its parts are in the reply"""
    with Kernel() as k:
        for code, name in (
            ("1 / 0", "ZeroDivisionError"),
            ("x = = 7", "SyntaxError"),
            ("nowhere", "NameError"),
        ):
            reply, out = k.run(code)
            assert (
                reply["status"] == "error"
                and reply["ename"] == name
                and reply["evalue"]
                and reply["traceback"]
            )
            assert types(out) == ["execute_input", "error"] and out[1].content["ename"] == name
            assert reply["traceback"][0] == f"\033[1;31m{name}:\033[0m {reply['evalue']}", reply[
                "traceback"
            ]
        assert k.run("5")[0]["status"] == "ok"


def test_streams():
    """what is written shows before the reply, in order, in few pieces"""
    with Kernel() as k:
        reply, out = k.run(
            "import sys\nfor i in range(100): print(i)\nprint('oh', file=sys.stderr)\nprint('end',"
            " end='')"
        )
        assert [(m.content["name"], m.content["text"]) for m in out[1:]] == [
            ("stdout", "".join(f"{i}\n" for i in range(100))),
            ("stderr", "oh\n"),
            ("stdout", "end"),
        ]


def test_early():
    """what is written shows while the cell runs"""
    with Kernel() as k:
        id = k.execute("print('early')\nwhile True: pass")
        assert k.until("stream").content["text"] == "early\n"
        k.interrupt()
        assert k.answer(id).content["ename"] == "KeyboardInterrupt"


def test_plot():
    """a plot shows at the end of its cell or where show() stands, as PNG or SVG; HTML as HTML"""
    with Kernel() as k:

        def shown(code):
            reply, out = k.run(code)
            assert reply["status"] == "ok", reply
            return [m.content["data"] for m in out if m.type in ("display_data", "execute_result")]

        if not shutil.which("gnuplot"):
            return
        first = shown(
            "import matplotlib.pyplot as plt\nplt.figure(figsize=(3, 2))\nplt.plot([1, 3, 2]);"
        )
        png = base64.b64decode(first[0]["image/png"])
        assert len(first) == 1 and first[0]["text/plain"] == "<Figure size 300x200 with 1 Axes>"
        assert png[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", png[16:24]) == (300, 200)
        assert shown("7") == [{"text/plain": "7"}]
        assert [list(d) for d in shown("plt.plot([1, 2]); plt.show(); display(5)")] == [
            ["text/plain", "image/png"],
            ["text/plain"],
        ]
        assert shown("%config InlineBackend.figure_format = 'svg'") == []
        assert shown("plt.plot([1, 2]);")[0]["image/svg+xml"].lstrip().startswith("<?xml")
        assert shown("HTML('<b>x</b>')")[0]["text/html"] == "<b>x</b>"
        assert list(shown("image([[1, 2], [3, 4]])")[0]) == ["text/plain", "image/png"]
        assert "<td>3</td>" in shown("table([[3]])")[0]["text/html"]
        out = k.run("plt.plot([1, 2])\n1 / 0")[1]  # under the cell that raised, not under the next one
        assert [m.type for m in out] == ["execute_input", "error", "display_data"]
        assert shown("x = 1") == []


def test_silent():
    """silent: nothing is shown, counted or kept; an error does not abort what waits"""
    with Kernel() as k:
        reply, out = k.run("print(1); a = 5; 3", silent=True)
        assert reply["status"] == "ok" and out == []
        bad, good = k.execute("1 / 0", silent=True), k.execute("a")
        assert k.answer(bad).content["status"] == "error" and k.answer(good).content == {
            "status": "ok",
            "execution_count": 1,
            "user_expressions": {},
            "payload": [],
        }


def test_store_history():
    """store_history=False: shown, but neither counted nor kept"""
    with Kernel() as k:
        k.run("1")
        reply, out = k.run("2", store_history=False)
        assert reply["execution_count"] == 1 and types(out) == ["execute_input", "execute_result"]
        assert k.run("_")[1][-1].content["data"]["text/plain"] == "1"
        assert [
            e[2] for e in k.ask("history_request", {"hist_access_type": "tail", "n": 9})["history"]
        ] == ["1", "_"]


def test_expressions():
    """user_expressions: values and errors, and none after a cell that failed"""
    with Kernel() as k:
        reply, out = k.run("a = 4", user_expressions={"two": "a / 2", "bad": "b"})
        two, bad = (reply["user_expressions"][name] for name in ("two", "bad"))
        assert (
            two == {"status": "ok", "data": {"text/plain": "2.0"}, "metadata": {}}
            and bad["status"] == "error"
            and bad["ename"] == "NameError"
        )
        assert types(out) == ["execute_input"] and k.run("1")[0]["execution_count"] == 2
        assert "user_expressions" not in k.run("b", user_expressions={"two": "2"})[0]


def test_abort():
    """after an error waiting cells are aborted; other requests and later cells are not"""
    with Kernel() as k:
        go = os.path.join(k.folder.name, "go")
        first = k.execute(
            f"import os, time\nwhile not os.path.exists({go!r}): time.sleep(0.02)\n1 / 0"
        )
        waiting = [k.execute("print('no')") for _ in range(3)]
        history = k.send("history_request", {"hist_access_type": "tail", "n": 1})
        complete = k.send("complete_request", {"code": "linsp", "cursor_pos": 5})
        assert k.answer(complete).content["matches"] == ["linspace"]  # while the cell runs
        k.beat()  # all of them are there
        open(go, "w").close()
        assert k.answer(first).content["status"] == "error"
        later = k.execute("print('yes')")
        assert [k.answer(id).content for id in waiting] == [{"status": "aborted"}] * 3
        assert k.answer(history).content["status"] == "ok"
        assert k.answer(later).content["status"] == "ok"
        for id in first, *waiting, history, complete:
            k.iopub.poll(0)
        assert texts(k.outputs(later)) == "yes\n"


def test_no_abort():
    """stop_on_error=False: the cells that wait are run"""
    with Kernel() as k:
        first, second = k.execute(
            "import time\ntime.sleep(0.2)\n1 / 0", stop_on_error=False
        ), k.execute("2")
        assert (
            k.answer(first).content["status"] == "error"
            and k.answer(second).content["status"] == "ok"
        )


def interrupted(k, how, code="while True: pass"):
    id = k.execute("kept = 1\nprint('begun')\n" + code)
    k.until("stream")
    time.sleep(0.1)
    began = time.time()
    how()
    reply = k.answer(id).content
    assert reply["status"] == "error" and reply["ename"] == "KeyboardInterrupt", reply
    assert time.time() - began < 2
    assert k.run("kept")[1][-1].content["data"]["text/plain"] == "1"


def test_interrupt():
    """an interrupt by signal, on control and on shell stops loops, floods and sleeps, and keeps
    the names"""
    with Kernel() as k:
        interrupted(k, k.interrupt)
        interrupted(k, k.interrupt, "import time\ntime.sleep(100)")
        interrupted(k, k.interrupt, "while True: print('x' * 100)")
        for channel in "control", "shell":
            interrupted(k, lambda: k.send("interrupt_request", channel=channel))
        assert k.control.recv_multipart() and k.ask("interrupt_request", channel="control") == {
            "status": "ok"
        }


def test_interrupted_child():
    """an interrupt ends a child process and not the cell; loops of %timeit end as others"""
    with Kernel() as k:
        id = k.execute("!echo begun; exec sleep 100\nprint('went on', _exit_code)")
        assert k.until("stream").content["text"] == "begun\n"
        began = time.time()
        k.interrupt()
        assert k.until("stream").content["text"] == "went on -2\n" and time.time() - began < 1
        assert k.answer(id).content["status"] == "ok"
        interrupted(k, k.interrupt, "%timeit -n 1000000000 1")


def test_idle_interrupt():
    """an interrupt while nothing runs does not reach the next cell"""
    with Kernel() as k:
        for _ in range(5):
            k.interrupt()
            k.ask("interrupt_request", channel="control")
            assert k.run("sum(range(1000))")[0]["status"] == "ok"


def test_busy_answers():
    """kernel_info and is_complete are answered while a cell runs"""
    with Kernel() as k:
        running = k.execute("while True: pass")
        k.until("execute_input")
        assert k.ask("kernel_info_request")["status"] == "ok" and k.ask(
            "is_complete_request", {"code": "f("}
        ) == {"status": "incomplete", "indent": "    "}
        usage = k.ask("usage_request", channel="control")
        assert usage["pid"] == k.process.pid and usage["kernel_memory"] > 0
        k.interrupt()
        k.answer(running)


def test_is_complete():
    """is_complete: complete, incomplete with the indent, invalid"""
    with Kernel() as k:
        for code, status, indent in (
            ("1", "complete", None),
            ("def f():", "incomplete", "    "),
            ("def f():\n    return 1\n\n", "complete", None),
            ("x = = 7q", "invalid", None),
            ('print("""a', "incomplete", ""),
            ("'abc\\", "incomplete", ""),
            ("'abc\\\n", "incomplete", ""),
            ("'abc\\\n\n", "invalid", None),
        ):
            assert k.ask("is_complete_request", {"code": code}) == (
                {"status": status} if indent is None else {"status": status, "indent": indent}
            ), code


def test_is_complete_as_ipython():
    """is_complete answers as IPython's check, for cells that end in blocks, strings, brackets and magics"""
    from IPython.core.inputtransformer2 import TransformerManager

    check = TransformerManager().check_complete
    with Kernel() as k:
        for line in ("x = 1", "x = (", "x +", "x = = 1", "if x:", "def f():\n    return 1", "try:\n    x", "@dec",
                     "class A:\n    def f(self):\n        return 1", "with f as g:\n    for l in g:\n        y",
                     "'abc", "\"\"\"a\nb", "%time x", "%%time", "%%time\nx", "!ls", "x?", "f(\n1)",
                     "if x:\n    y\nelse:", "if x: y", "# c", "  if x:\n    y", "del", "import", "f'{x", "a = !ls",
                     "if x:\ny", "for x in y:\n    if x:"):  # fmt: skip
            for end in ("", "\n", "\n\n", "\n    "):
                status, indent = check(line + end)
                told = k.ask("is_complete_request", {"code": line + end})
                assert told["status"] == status, (line + end, told, status)


def test_input():
    """input(): the prompt, the answer, the end of input, an interrupt, and a front end that
    cannot be asked"""
    with Kernel() as k:

        def begin(code):
            id = k.execute(code, allow_stdin=True)
            asked = k.receive("stdin")
            assert (
                asked.type == "input_request"
                and asked.content == {"prompt": "who? ", "password": False}
                and asked.parent["msg_id"] == id
            )
            return id

        id = begin("print('hello', input('who? '))")
        k.send("input_reply", {"value": "Wörld"}, "stdin")
        assert k.answer(id).content["status"] == "ok" and texts(k.outputs(id)) == "hello Wörld\n"
        id = begin("input('who? ')")
        k.send("input_reply", {"value": "\x04"}, "stdin")
        assert k.answer(id).content["ename"] == "EOFError"
        id = begin("input('who? ')")
        k.interrupt()
        assert k.answer(id).content["ename"] == "KeyboardInterrupt"
        k.send("input_reply", {"value": "too late"}, "stdin")
        k.beat()
        id = begin("input('who? ')")
        k.send("input_reply", {"value": "in time"}, "stdin")
        assert (
            k.answer(id).content["status"] == "ok"
            and k.outputs(id)[-1].content["data"]["text/plain"] == "'in time'"
        )
        assert k.run("input('who? ')")[0]["ename"] == "NotImplementedError"


def test_complete():
    """completion: names with types, cursors in code points, also out of range"""
    with Kernel() as k:
        k.run("table_of_ones = np.ones((3, 4))")
        found = k.ask("complete_request", {"code": "'𨭎𨭎é'; table_of_", "cursor_pos": 15})
        assert found["matches"] == ["table_of_ones"] and (
            found["cursor_start"],
            found["cursor_end"],
        ) == (7, 15), found
        kind = found["metadata"]["_jupyter_types_experimental"][0]
        assert (
            kind["text"] == "table_of_ones"
            and kind["signature"] == "float64 (3, 4)"
            and (kind["start"], kind["end"]) == (7, 15)
        )
        for at in -5, 10**12:
            assert k.ask("complete_request", {"code": "tab", "cursor_pos": at})["status"] == "ok"


def test_complete_values():
    """completion after literals and subscripts, and of Greek letters; ? alone; %save"""
    with Kernel() as k:
        k.run("x = [np.ones(3), {'k': 'text'}]\ndef f(): raise ValueError")

        def first(code):
            found = k.ask("complete_request", {"code": code, "cursor_pos": len(code)})
            return code[: found["cursor_start"]] + found["matches"][0] if found["matches"] else None

        for code, whole in (
            ("'a b'.upp", "'a b'.upper"), ("[1, 2].app", "[1, 2].append"), ("{'a': 1}.val", "{'a': 1}.values"),
            ("x[0].cums", "x[0].cumsum"), ("y = x[-1]['k'].upp", "y = x[-1]['k'].upper"), ("f()[0].a", None),
            ("x[f()].a", None), ("x[9].a", None), ("print(x[0].cums", "print(x[0].cumsum"),
            ("2 * \\alpha", "2 * α"), ("\\varep", "\\varepsilon"), ("\\eta", "η"),
        ):  # fmt: skip
            assert first(code) == whole, (code, first(code))
        page = k.run("?")[0]["payload"][0]["data"]["text/plain"]
        assert page.startswith("gpa -- quick reference")
        name = os.path.join(k.folder.name, "saved")
        assert f"written to file `{name}.gpa`" in texts(k.run(f"%save {name} 1 2")[1])
        with open(name + ".gpa") as f:
            assert f.read() == "x = [np.ones(3), {'k': 'text'}]\ndef f(): raise ValueError\n?\n"
        assert k.run(f"%save {name} 99")[0]["ename"] == "UsageError"


def test_inspect():
    """inspection: a name that is there, one that is not"""
    with Kernel() as k:
        k.run("def double(x):\n    'Twice as much.'\n    return 2 * x")
        there = k.ask(
            "inspect_request", {"code": "y = double(1)", "cursor_pos": 7, "detail_level": 0}
        )
        assert (
            there["found"]
            and "Twice as much." in there["data"]["text/plain"]
            and there["metadata"] == {}
        )
        assert k.ask("inspect_request", {"code": "nothing", "cursor_pos": 3}) == {
            "status": "ok",
            "found": False,
            "data": {},
            "metadata": {},
        }


def test_history():
    """history: tail, range and search, with outputs, without repetitions"""
    with Kernel() as k:
        for code in "1 + 1", "a = 'x'", "1 + 1", "2 + 2":
            k.run(code)
        ask = lambda **what: k.ask("history_request", what)["history"]
        assert ask(hist_access_type="tail", n=2) == [[1, 3, "1 + 1"], [1, 4, "2 + 2"]]
        assert ask(hist_access_type="tail", n=1, output=True) == [[1, 4, ["2 + 2", "4"]]]
        assert ask(hist_access_type="range", session=0, start=1, stop=3) == [
            [1, 1, "1 + 1"],
            [1, 2, "a = 'x'"],
        ]
        assert ask(hist_access_type="search", pattern="1*") == [[1, 1, "1 + 1"], [1, 3, "1 + 1"]]
        assert ask(hist_access_type="search", pattern="?*", unique=True, n=2) == [
            [1, 3, "1 + 1"],
            [1, 4, "2 + 2"],
        ]


def test_comms():
    """a comm to a target that is not there is closed; messages for it are ignored"""
    with Kernel() as k:
        out = k.outputs(k.send("comm_open", {"comm_id": "c1", "target_name": "nobody", "data": {}}))
        assert types(out) == ["comm_close"] and out[0].content["comm_id"] == "c1"
        assert k.outputs(k.send("comm_msg", {"comm_id": "c1", "data": {}})) == []
        assert k.ask("comm_info_request") == {"status": "ok", "comms": {}}


def test_captured():
    """what is written to the file descriptor itself shows too, before the reply"""
    with Kernel() as k:
        out = k.run(
            "print('one')\nwith open('/dev/stdout', 'w') as f: f.write('two ü\\n')\nprint('three')"
        )[1]
        assert texts(out) == "one\ntwo ü\nthree\n"


def test_large():
    """10 MB of output arrive whole; more than the limit is cut, with a note"""
    with Kernel() as k:
        line = "é" * 50 + "\n"
        reply, out = k.run(f"for i in range(100): print({line[:-1]!r} * 1000)")
        assert texts(out) == (line[:-1] * 1000 + "\n") * 100
        reply, out = k.run("'y' * 10000000")
        assert len(out[-1].content["data"]["text/plain"]) == 10000002
    with Kernel(env={"GPA_OUTPUT_LIMIT": "1000"}) as k:
        out = k.run("for i in range(1000): print('123456789')")[1]
        assert len(texts(out)) == 1000 and "left out" in texts(out, "stderr")
        assert texts(k.run("print('again')")[1]) == "again\n"


def test_display():
    """display, update_display and clear_output"""
    with Kernel() as k:
        out = k.run(
            "display(1, 'a', display_id='d')\nupdate_display(2,"
            " display_id='d')\nclear_output(wait=True)\ndisplay(None)"
        )[1][1:]
        assert types(out) == [
            "display_data",
            "display_data",
            "update_display_data",
            "clear_output",
            "display_data",
        ]
        assert out[0].content == {
            "data": {"text/plain": "1"},
            "metadata": {},
            "transient": {"display_id": "d"},
        }
        assert out[2].content == {
            "data": {"text/plain": "2"},
            "metadata": {},
            "transient": {"display_id": "d"},
        }
        assert out[3].content == {"wait": True} and out[4].content["transient"] == {}


def test_progress():
    """a loop that runs long shows a bar, in one place"""
    with Kernel() as k:
        out = k.run(
            "import time\nfor i in progress(range(4), desc='rows'): time.sleep(1.1 if i == 0 else"
            " 0.2)"
        )[1][1:]
        assert (
            types(out)[0] == "display_data"
            and len(out) > 2
            and set(types(out)[1:]) == {"update_display_data"}
        )
        assert len({m.content["transient"]["display_id"] for m in out}) == 1
        shown = [
            m.content["data"]["text/html"]
            for m in out
            if "<progress max" in m.content["data"]["text/html"]
        ]
        values = [float(html.split('value="')[1].split('"')[0]) for html in shown]
        assert values == [0.25, 0.5, 0.75] and "rows" in shown[0]


def test_question():
    """name? opens the pager; what is not there is told"""
    with Kernel() as k:
        for code, name in ("linspace?", "linspace"), ("np.linspace??\n", "np.linspace"):
            (page,) = k.run(code)[0]["payload"]
            assert page["source"] == "page" and page["data"]["text/plain"].startswith(
                f"Signature: {name}("
            )
        reply, out = k.run("nowhere?")
        assert reply["payload"] == [] and texts(out) == "Object `nowhere` not found.\n"
        assert k.run("f(1)?")[0]["ename"] == "SyntaxError"


def test_magics():
    """magics: %load and %recall fill the next input, %whos has HTML, children are heard and
    interrupted"""
    with Kernel() as k:
        with tempfile.NamedTemporaryFile("w", suffix=".gpa") as f:
            f.write("x = 1\n")
            f.flush()
            assert k.run("%load " + f.name)[0]["payload"] == [
                {"source": "set_next_input", "text": f"# %load {f.name}\nx = 1\n", "replace": True}
            ]
        assert k.run("%recall 1")[0]["payload"] == [
            {"source": "set_next_input", "text": "%load " + f.name, "replace": False}
        ]
        assert k.run("v = 3\n%timeit -n 1 -r 1 -q v")[0]["status"] == "ok"
        (shown,) = [m for m in k.run("%whos int")[1] if m.type == "display_data"]
        assert (
            "<td>v</td><td>int</td>" in shown.content["data"]["text/html"]
            and "v          int" in shown.content["data"]["text/plain"]
        )
        (shown,) = [m for m in k.run("%gpu")[1] if m.type == "display_data"]
        assert (
            "Own arrays" in shown.content["data"]["text/plain"]
            and ">Own arrays</th>" in shown.content["data"]["text/html"]
        )
        assert texts(k.run("!echo heard; echo {v + 1}")[1]) == "heard\n4\n"
        assert k.run("%foo")[0]["ename"] == "UsageError"
        assert (
            k.run("%%time\nv")[0]["status"] == "ok"
            and k.ask("is_complete_request", {"code": "%%time\n1"})["status"] == "incomplete"
        )
        assert k.ask("complete_request", {"code": "%timei", "cursor_pos": 6})["matches"] == [
            "%timeit"
        ]


def test_transcript():
    """A cell that was copied from a session runs without its prompts and output"""
    with Kernel() as k:
        for code, value in (
            (">>> a = 2\n>>> for i in range(2):\n...     a += i\n...\n>>> a\n3", "3"),
            ("In [1]: b = [1,\n   ...:      2]\n\nIn [2]: b\nOut[2]: [1, 2]", "[1, 2]"),
        ):
            assert k.ask("is_complete_request", {"code": code})["status"] == "complete"
            reply, out = k.run(code)
            assert reply["status"] == "ok" and out[-1].content["data"]["text/plain"] == value


def test_magics_of_a_terminal():
    """Magics that need a terminal say so"""
    with Kernel() as k:
        for magic in ("%edit", "%autoindent", "%colors linux"):
            reply, _ = k.run(magic)
            assert (reply["status"], reply["ename"]) == ("error", "UsageError") and magic.split()[0] in reply["evalue"]


def test_odd_text():
    """NUL, lone surrogates' bytes and wide characters never break a reply"""
    with Kernel() as k:
        assert k.run("print('a\\0b')")[0]["status"] == "ok"
        assert k.run("1 \0 2")[0]["status"] == "error"
        assert texts(k.run(r"!printf '\377abc\000def\n'")[1]) == "\ufffdabc\0def\n"
        assert (
            texts(
                k.run("%%bash\n" r"printf '\303\050 \360\237\230'; sleep 0.1; printf '\200\n'")[1]
            )
            == "\ufffd( \U0001f600\n"
        )
        assert (
            texts(k.run(r"with open('/dev/stdout', 'wb') as f: f.write(b'\xff\x00z\n')")[1])
            == "\ufffd\0z\n"
        )
        assert k.run(r"raise ValueError('\0 \udc80')")[0]["ename"] == "ValueError"
        assert k.run("'\U0001f600' * 3")[1][-1].content["data"]["text/plain"] == "'😀😀😀'"
        assert k.run("   \n  ")[0] == {
            "status": "ok",
            "execution_count": k.run("1")[0]["execution_count"] - 1,
            "user_expressions": {},
            "payload": [],
        }


def test_exit():
    """exit() asks the front end to leave; the kernel stays"""
    with Kernel() as k:
        for code in "exit()", "exit", "quit\n":
            reply = k.run(code)[0]
            assert reply["status"] == "ok" and reply["payload"] == [
                {"source": "ask_exit", "keepkernel": False}
            ]
        assert k.run("1")[0]["status"] == "ok"


EVENTS = [
    """log, ip = [], get_ipython()
class Events:
    def pre(self): log.append("pre_execute")
    def post(self): log.append("post_execute")
    def run(self, info): log.append((info.raw_cell, info.silent, info.store_history))
    def ran(self, r): log.append((r.execution_count, r.success, r.result, repr(r.error_in_exec), type(r.error_before_exec).__name__, r.info.raw_cell))
e = Events()
pre, post, run, ran = e.pre, e.post, e.run, e.ran
ip.events.register("pre_execute", pre); ip.events.register("pre_execute", pre)
ip.events.register("post_execute", post)
ip.events.register("pre_run_cell", run); ip.events.register("post_run_cell", ran)""",
    "1 + 1",
    "2;",
    "int('x')",
    "x = = 3",
    "def broken(): raise OSError('no')\nip.events.register('pre_execute', broken)",
    "'after broken'",
    "ip.events.unregister('pre_execute', broken); ip.events.unregister('pre_run_cell', run)",
    "'fewer'",
    "try: ip.events.unregister('pre_run_cell', run)\nexcept ValueError as e: log.append(str(e)[-43:])",
    "try: ip.events.register('pre_run', run)\nexcept KeyError as e: log.append(e.args)",
    "try: ip.events.register('pre_execute', 3)\nexcept TypeError as e: log.append(e.args)",
]


def test_events():
    """get_ipython().events: callbacks before and after cells, as in IPython"""
    code = (
        "import sys, json, tempfile, os\n"
        "os.environ['IPYTHONDIR'] = tempfile.mkdtemp()\n"
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "from IPython.core.history import HistoryManager\n"
        "HistoryManager.enabled = False\n"
        "shell = InteractiveShell.instance()\n"
        "for cell in json.load(sys.stdin): shell.run_cell(cell, store_history=True)\n"
        "print('\\n' + json.dumps(shell.user_ns['log']))"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(EVENTS), capture_output=True, text=True
    )
    wanted = json.loads(told.stdout.splitlines()[-1])
    with Kernel() as k:
        for cell in EVENTS:
            reply, outputs = k.run(cell)
            if cell == "'after broken'":
                assert "Error in callback <function broken" in texts(outputs), texts(outputs)
                assert "OSError: no" in texts(outputs), texts(outputs)
        shown = texts(k.run("import json; print(json.dumps(log))")[1])
        got = json.loads(shown.splitlines()[0])
        assert got[: len(wanted)] == wanted, (got, wanted)


main(globals())
