"""The debugger of notebooks: requests of the Debug Adapter Protocol on the control channel, its events on iopub."""

from client import Kernel, main, texts

CELL = """def g(x):
    y = x - 1
    return y * 2
def f(x):
    k = 5
    w = g(x + k)
    for i in range(3):
        w += i
    return w
f(1)"""


class Debugger(Kernel):
    """A kernel and its debugger, as JupyterLab uses it."""

    def __enter__(self):
        self.seq = 0
        self.debug("initialize", clientID="test")
        self.debug("attach")
        assert self.event("initialized") == {}
        return self

    def request(self, command, **arguments):
        """The whole response to a request."""
        self.seq += 1
        content = {"type": "request", "seq": self.seq, "command": command, "arguments": arguments}
        response = self.ask("debug_request", content, "control")
        assert response["type"] == "response" and response["request_seq"] == self.seq
        assert response["command"] == command
        return response

    def debug(self, command, **arguments):
        response = self.request(command, **arguments)
        assert response["success"], response
        return response["body"]

    def event(self, name):
        """The body of the next event, which must have this name."""
        event = self.until("debug_event").content
        assert event["event"] == name, event
        return event["body"]

    def breakpoints(self, code, *lines):
        """Sets breakpoints in a cell; the lines at which they are."""
        path = self.debug("dumpCell", code=code)["sourcePath"]
        points = [p if isinstance(p, dict) else {"line": p} for p in lines]
        return self.debug("setBreakpoints", source={"path": path}, breakpoints=points)["breakpoints"]

    def stopped(self):
        """Waits until execution stops: the reason and the innermost frame's line."""
        reason = self.event("stopped")["reason"]
        return reason, self.frames()[0]["line"]

    def frames(self):
        return self.debug("stackTrace", threadId=1)["stackFrames"]

    def resume(self, command="continue"):
        self.debug(command, threadId=1)
        self.event("continued")

    def values(self, ref, **more):
        return {v["name"]: v for v in self.debug("variables", variablesReference=ref, **more)["variables"]}

    def scopes(self, frame=1):
        return [self.values(s["variablesReference"]) for s in self.debug("scopes", frameId=frame)["scopes"]]


def test_breakpoint():
    """A breakpoint of a cell stops; frames and variables are shown; execution continues"""
    with Debugger() as k:
        assert [p["line"] for p in k.breakpoints(CELL, 2)] == [2]
        id = k.execute(CELL)
        assert k.stopped() == ("breakpoint", 2)
        assert [(f["name"], f["line"]) for f in k.frames()] == [("g", 2), ("f", 6), ("<module>", 10)]
        (x,), globals = k.scopes()[0].values(), k.scopes()[1]
        assert (x["name"], x["value"], x["type"]) == ("x", "6", "int")
        assert set(globals) == {"f", "g"}
        k.resume()
        assert k.answer(id).content["status"] == "ok"


def murmur2(text, seed):
    """MurmurHash2 with arithmetic modulo 2**32, from its definition."""
    data, m = text.encode(), 0x5BD1E995
    h = seed ^ len(data)
    for at in range(0, len(data) // 4 * 4, 4):
        k = int.from_bytes(data[at : at + 4], "little") * m % 2**32
        h = (h * m ^ (k ^ k >> 24) * m) % 2**32
    if rest := data[len(data) // 4 * 4 :]:
        h = (h ^ int.from_bytes(rest, "little")) * m % 2**32
    h = (h ^ h >> 13) * m % 2**32
    return h ^ h >> 15


def test_not_started():
    """debugInfo answers before the debugger has started; cells are named by Murmur2 hashes"""
    with Kernel() as k:
        ask = Debugger.request.__get__(k)
        k.seq = 0
        info = ask("debugInfo")["body"]
        assert not info["isStarted"] and info["hashMethod"] == "Murmur2" and info["stoppedThreads"] == []
        assert info["breakpoints"] == [] and info["richRendering"] and info["copyToGlobals"]
        assert ask("stackTrace", threadId=1)["message"] == "the debugger has not started"
        assert "not supported" in ask("bogus")["message"]
        ask("initialize")
        for code in ("", "a", "x = 'é'\n", CELL, CELL + "#", CELL + "##"):
            name = info["tmpFilePrefix"] + str(murmur2(code, info["hashSeed"])) + info["tmpFileSuffix"]
            assert ask("dumpCell", code=code)["body"]["sourcePath"] == name
            if code.startswith("x"):
                k.run(code)
                assert ask("source", source={"path": name})["body"]["content"] == code
        assert ask("debugInfo")["body"]["isStarted"]
        assert k.ask("kernel_info_request")["supported_features"] == ["debugger"]


def test_steps():
    """next, stepIn and stepOut stop where Python's debugger does; the debugger goes with the cell"""
    with Debugger() as k:
        k.breakpoints(CELL, 5)
        id = k.execute(CELL)
        lines = [k.stopped()]
        for command in ("next", "stepIn", "next", "stepOut", "next", "next", "next", "continue"):
            k.resume(command)
            if command != "continue":
                lines.append(k.stopped())
        assert lines[0] == ("breakpoint", 5) and {r for r, _ in lines[1:]} == {"step"}
        assert [line for _, line in lines] == [5, 6, 2, 3, 7, 8, 7, 8], lines
        assert k.answer(id).content["status"] == "ok"
        k.debug("disconnect")
        assert k.run("f(1)")[0]["status"] == "ok"


def test_lines():
    """Breakpoints move to the next line with a statement; a cell that is run again keeps them; they can be removed"""
    with Debugger() as k:
        code = "x = 1\n# comment\n\ndef f():\n    'doc'\n    global y\n    y = (1 +\n         2)\nf()\n# end"
        told = k.breakpoints(code, 2, 5, 10)
        assert [(p["line"], p["verified"]) for p in told] == [(4, True), (7, True), (10, False)]
        for _ in range(2):
            id = k.execute(code)
            assert k.stopped() == ("breakpoint", 4)
            k.resume()
            assert k.stopped() == ("breakpoint", 7)
            k.resume()
            assert k.answer(id).content["status"] == "ok"
        (listed,) = k.debug("debugInfo")["breakpoints"]
        assert [p["line"] for p in listed["breakpoints"]] == [4, 7]
        assert k.breakpoints(code) == []
        assert k.run("f()")[0]["status"] == "ok" and k.debug("debugInfo")["breakpoints"] == []


def test_conditions():
    """A condition decides whether a breakpoint stops; one that fails stops; a log point prints"""
    with Debugger() as k:
        k.breakpoints(CELL, {"line": 8, "condition": "i == 2 and w > 10"}, {"line": 2, "logMessage": "x is {x}, {x + 1}!"})
        id = k.execute(CELL)
        assert k.event("output")["output"] == "x is 6, 7!\n"
        assert k.stopped() == ("breakpoint", 8) and k.scopes()[0]["i"]["value"] == "2"
        k.resume()
        assert k.answer(id).content["status"] == "ok"
        k.breakpoints(CELL, {"line": 8, "condition": "undefined"})
        id = k.execute("f(1)")
        assert k.stopped() == ("breakpoint", 8)
        k.debug("disconnect")
        assert k.answer(id).content["status"] == "ok"


def test_variables():
    """Values with their members; pending arrays are pending until they are expanded"""
    source = """class P:
    def __init__(self):
        self.a = 1
        self.b = [2]
def f(text, seq, d, p):
    lazy = np.ones((3, 2)) * 2
    total = lazy.sum()
    small = np.arange(3)
    return lazy
r = f("t" * 3, [1, (2, 3), {}], {"k": 5, 7: [1]}, P())"""
    with Debugger() as k:
        k.breakpoints(source, 9)
        id = k.execute(source)
        k.stopped()
        locals, globals = k.scopes()
        assert {n: v["value"] for n, v in locals.items() if n not in "psmall"} == {
            "text": "'ttt'",
            "seq": "[1, <tuple of 2>, <dict of 0>]",
            "d": "{'k': 5, 7: <list of 1>}",
            "lazy": "pending float64 (3, 2)",
            "total": "pending float64 ()",
        }, locals
        assert locals["lazy"]["type"] == "pending float64 (3, 2)" and "P" in globals
        rows = k.values(locals["lazy"]["variablesReference"])
        assert rows["shape"]["value"] == "(3, 2)" and rows["dtype"]["value"] == "dtype('float64')"
        assert rows["[2]"]["value"] == "array([2., 2.])" and rows["[2]"]["evaluateName"] == "lazy[2]"
        assert len(k.values(locals["lazy"]["variablesReference"], start=4, count=1)) == 1
        assert k.values(locals["total"]["variablesReference"])["value"]["value"] == "np.float64(12.0)"
        members = k.values(locals["p"]["variablesReference"])
        assert members["a"]["value"] == "1" and members["b"]["evaluateName"] == "p.b"
        assert k.values(members["b"]["variablesReference"])["[0]"]["evaluateName"] == "p.b[0]"
        keys = k.values(locals["d"]["variablesReference"])
        assert keys["'k'"]["value"] == "5" and keys["7"]["evaluateName"] == "d[7]"
        assert k.values(keys["7"]["variablesReference"])["[0]"]["value"] == "1"
        k.resume()
        assert k.answer(id).content["status"] == "ok"
        assert k.request("variables", variablesReference=1)["message"] == "these variables are gone"


def test_evaluate():
    """Expressions and statements run in a frame; what a hover shows computes nothing"""
    with Debugger() as k:
        k.breakpoints(CELL, 3)
        id = k.execute(CELL)
        k.stopped()
        assert k.debug("evaluate", expression="x * y", frameId=1, context="repl")["result"] == "30"
        assert k.debug("evaluate", expression="k", frameId=2)["result"] == "5"
        assert k.debug("evaluate", expression="y = 100", frameId=1, context="repl")["result"] == ""
        bad = k.request("evaluate", expression="nope", frameId=1)
        assert not bad["success"] and bad["message"] == "NameError: name 'nope' is not defined"
        hover = k.debug("evaluate", expression="np.ones(3) + x", frameId=1, context="hover")
        assert hover["result"] == "pending float64 (3,)" and hover["variablesReference"]
        assert k.debug("evaluate", expression="np.ones(3) + x", frameId=1)["result"] == "array([7., 7., 7.])"
        assert k.debug("setExpression", expression="x", value="-1", frameId=1)["value"] == "-1"
        k.debug("copyToGlobals", srcVariableName="k", dstVariableName="copied", srcFrameId=2)
        rich = k.debug("richInspectVariables", variableName="y", frameId=1)
        assert rich["data"] == {"text/plain": "100"}
        k.resume()
        assert k.answer(id).content["status"] == "ok"
        assert k.until("execute_result").content["data"]["text/plain"] == "203"
        assert k.debug("evaluate", expression="copied + 1")["result"] == "6"
        shown = {v["name"]: v["value"] for v in k.debug("inspectVariables")["variables"]}
        assert shown["copied"] == "5" and "f" in shown and "In" not in shown
        assert "text/html" not in k.debug("richInspectVariables", variableName="copied")["data"]


def test_errors():
    """Uncaught errors stop where they are raised, those that are caught as well on request"""
    with Debugger() as k:
        code = "def h(n):\n    return [1][n]\ntry:\n    h(7)\nexcept IndexError:\n    pass\nh(5)"
        for filters, stops in ((["uncaught"], 1), (["raised"], 2), ([], 0)):
            k.debug("setExceptionBreakpoints", filters=filters)
            id = k.execute(code)
            for _ in range(stops):
                stop = k.event("stopped")
                assert (stop["reason"], stop["description"]) == ("exception", "IndexError")
                assert k.frames()[0]["line"] == 2
                info = k.debug("exceptionInfo", threadId=1)
                assert (info["exceptionId"], info["description"]) == ("IndexError", "list index out of range")
                k.resume()
            assert k.answer(id).content["ename"] == "IndexError"


def test_breakpoint_call():
    """breakpoint() stops in the panel; without it, at the prompt of the cell again"""
    with Debugger() as k:
        id = k.execute("a = 1\nbreakpoint()\na = 2")
        assert k.stopped() == ("breakpoint", 2)
        k.resume()
        k.answer(id)
        k.debug("disconnect")
        id = k.execute("breakpoint()", allow_stdin=True)
        assert k.receive("stdin").content["prompt"] == "ipdb> "
        k.send("input_reply", {"value": "c"}, "stdin")
        assert k.answer(id).content["status"] == "ok"


def test_running():
    """While a cell runs, breakpoints are set, the program is paused, and names are completed and inspected"""
    with Debugger() as k:
        loop = "import time\nn = 0\nwhile n >= 0:\n    n += 1\n    time.sleep(0.001)"
        id = k.execute(loop)
        k.until("execute_input")
        assert "linspace" in k.ask("complete_request", {"code": "np.linsp", "cursor_pos": 8})["matches"][0]
        assert k.ask("inspect_request", {"code": "np.linspace", "cursor_pos": 11})["found"]
        assert k.request("evaluate", expression="1")["message"] == "execution has not stopped"
        k.debug("pause", threadId=1)
        reason, line = k.stopped()
        assert reason == "pause" and line in (3, 4, 5)
        assert int(k.debug("evaluate", expression="n", frameId=1)["result"]) >= 0
        k.resume()
        k.breakpoints(loop, 4)
        assert k.stopped() == ("breakpoint", 4)
        k.interrupt()
        assert k.answer(id).content["ename"] == "KeyboardInterrupt"
        k.event("continued")
        assert k.run("1")[0]["status"] == "ok"


def test_replayed():
    """A loop that is replayed is stopped and continued, with the same result"""
    loop = "x = np.linspace(0, 1, 50)\nfor t in range(N):\n    x = x + 0.5 * (1 - x)\n    x = np.sin(x)\n"
    with Debugger() as k:
        expected = k.run(loop.replace("N", "400000") + "x.sum()")[1][-1].content["data"]["text/plain"]
        id = k.execute(loop.replace("N", "400000") + "x.sum()")
        k.until("execute_input")
        k.debug("pause", threadId=1)
        reason, line = k.stopped()
        assert reason == "pause" and line in (2, 3, 4)
        k.resume("next")
        assert k.stopped()[0] == "step"
        k.resume()
        assert k.answer(id).content["status"] == "ok"
        assert k.until("execute_result").content["data"]["text/plain"] == expected


def test_functions():
    """Breakpoints in generators, methods, comprehensions and functions that magics call"""
    with Debugger() as k:
        code = """def gen():
    yield 1
    yield 2
class A:
    def m(self):
        return [v * 2
                for v in gen()]
%time A().m()"""
        k.breakpoints(code, 3, 6)
        id = k.execute(code)
        seen = [k.stopped()[1]]
        while seen[-1] != 3:
            k.resume()
            seen.append(k.stopped()[1])
        assert [f["name"] for f in k.frames()][:2] == ["gen", "m"]
        assert seen[0] == 6 and set(seen) == {3, 6}
        k.debug("disconnect")
        assert k.answer(id).content["status"] == "ok"


main(globals())
