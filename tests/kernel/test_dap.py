"""gpa --dap: the Debug Adapter Protocol on standard input and output, as an editor speaks it."""

import json
import os
import subprocess
import tempfile

from client import PROGRAM, WAIT, main

GPA = os.path.join(os.path.dirname(PROGRAM), "gpa")
SOURCE = """import sys
import helper
def f(n):
    total = 0
    for i in range(n):
        total += helper.twice(i)
    return total
print("arguments", sys.argv[1:])
print(f(4))
print("error", file=sys.stderr)
"""
HELPER = """def twice(x):
    y = x + x
    return y
"""


class Editor:
    def __init__(self, source=SOURCE, **launch):
        self.folder = tempfile.TemporaryDirectory()
        self.file, self.helper = self.folder.name + "/program.gpa", self.folder.name + "/helper.gpa"
        for path, text in ((self.file, source), (self.helper, HELPER)):
            with open(path, "w") as f:
                f.write(text)
        self.launch = {"program": self.file, **launch}
        self.seq, self.events = 0, []

    def __enter__(self):
        self.process = subprocess.Popen([GPA, "--dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        capabilities = self.ask("initialize", adapterID="gpa", linesStartAt1=True)
        assert capabilities["supportsConditionalBreakpoints"] and capabilities["supportsConfigurationDoneRequest"]
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        self.folder.cleanup()

    def send(self, command, **arguments):
        self.seq += 1
        text = json.dumps({"seq": self.seq, "type": "request", "command": command, "arguments": arguments}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        self.process.stdin.flush()
        return self.seq

    def read(self):
        out = self.process.stdout
        header = out.readline()
        assert header.startswith(b"Content-Length: "), header
        assert out.readline() == b"\r\n"
        return json.loads(out.read(int(header.split()[1])))

    def response(self, id):
        while True:
            m = self.read()
            if m["type"] == "response":
                assert m["request_seq"] == id, m
                return m
            self.events.append(m)

    def ask(self, command, **arguments):
        r = self.response(self.send(command, **arguments))
        assert r["success"], r
        return r["body"]

    def event(self, name):
        """The body of the next event of this name; what is printed meanwhile is kept in `events`."""
        while True:
            for i, m in enumerate(self.events):
                if m["event"] == name:
                    return self.events.pop(i)["body"]
            m = self.read()
            assert m["type"] == "event", m
            self.events.append(m)

    def start(self, **points):
        """Launches the program with breakpoints (file=[...], helper=[...])."""
        id = self.send("launch", **self.launch)
        self.event("initialized")
        self.events += [m for m in [self.response(id)] if not m["success"]]
        told = []
        for where, lines in points.items():
            asked = [p if isinstance(p, dict) else {"line": p} for p in lines]
            told += self.ask("setBreakpoints", source={"path": getattr(self, where)}, breakpoints=asked)["breakpoints"]
        self.ask("configurationDone")
        return told

    def stack(self):
        return [(f["name"], os.path.basename(f["source"]["path"]), f["line"]) for f in self.ask("stackTrace", threadId=1)["stackFrames"]]

    def output(self, category):
        return "".join(m["body"]["output"] for m in self.events if m["event"] == "output" and m["body"]["category"] == category)

    def end(self):
        """The exit code of the program, and of gpa after the editor has left."""
        code = self.event("exited")["exitCode"]
        self.event("terminated")
        self.ask("disconnect")
        return code, self.process.wait(WAIT)


def test_runs():
    """A launched program runs to its end; what it prints comes as output events, its status as exitCode"""
    with Editor(args=["a", "b c"]) as e:
        e.start()
        assert e.end() == (0, 0)
        assert e.output("stdout") == "arguments ['a', 'b c']\n12\n" and e.output("stderr") == "error\n"
    with Editor("import sys\nsys.exit(7)") as e:
        e.start()
        assert e.end() == (7, 0)
    with Editor("def f():\n    return 1 / 0\nf()") as e:
        e.start()
        assert e.end() == (1, 0) and "ZeroDivisionError: division by zero" in e.output("stderr")


def test_breakpoints():
    """Breakpoints in the program and in a module that it imports; steps in, over and out"""
    with Editor() as e:
        assert [(p["line"], p["verified"]) for p in e.start(file=[6], helper=[3])] == [(6, True), (3, True)]
        assert e.event("stopped")["reason"] == "breakpoint"
        assert e.stack() == [("f", "program.gpa", 6), ("<module>", "program.gpa", 9)]
        e.ask("stepIn", threadId=1)
        assert e.event("stopped")["reason"] == "step" and e.stack()[0] == ("twice", "helper.gpa", 2)
        e.ask("continue", threadId=1)
        assert e.event("stopped")["reason"] == "breakpoint" and e.stack()[0] == ("twice", "helper.gpa", 3)
        e.ask("stepOut", threadId=1)
        assert e.event("stopped")["reason"] == "step" and e.stack()[0][1:] == ("program.gpa", 5)
        e.ask("next", threadId=1)
        assert e.event("stopped")["reason"] in ("step", "breakpoint") and e.stack()[0][1:] == ("program.gpa", 6)
        e.ask("setBreakpoints", source={"path": e.file}, breakpoints=[])
        e.ask("setBreakpoints", source={"path": e.helper}, breakpoints=[])
        e.ask("continue", threadId=1)
        assert e.end() == (0, 0) and e.output("stdout").endswith("12\n")


def test_launch():
    """stopOnEntry, cwd and env; a program that is not there; requests before launch"""
    with Editor("import os\nprint(os.getcwd(), os.environ['GPA_TEST'])", stopOnEntry=True, cwd="/", env={"GPA_TEST": "7"}) as e:
        assert e.response(e.send("stackTrace", threadId=1))["message"] == "no program was launched"
        e.start()
        assert e.event("stopped")["reason"] == "entry" and e.stack()[0][2] == 1
        e.ask("next", threadId=1)
        assert e.event("stopped")["reason"] == "step" and e.stack()[0][2] == 2
        e.ask("continue", threadId=1)
        assert e.end() == (0, 0) and e.output("stdout") == "/ 7\n"
    with Editor(program="/nowhere/x.gpa") as e:
        r = e.response(e.send("launch", **e.launch))
        assert not r["success"] and r["message"] == "can't open file '/nowhere/x.gpa': [Errno 2] No such file or directory"
        e.ask("disconnect")
        assert e.process.wait(WAIT) == 0
    with Editor(noDebug=True) as e:
        id = e.send("launch", **e.launch)
        assert e.response(id)["success"]
        e.ask("configurationDone")
        assert e.end() == (0, 0)


def test_inspection():
    """Variables and evaluation where an error is raised; a breakpoint's condition; output while stopped"""
    with Editor("def f(a, i):\n    b = a * 2\n    return [1][i]\nfor i in range(5):\n    f(np.ones(3), 0)\nf(1, 9)") as e:
        id = e.send("launch", **e.launch)
        e.event("initialized")
        assert e.response(id)["success"]
        e.ask("setExceptionBreakpoints", filters=["uncaught"])
        e.ask("setBreakpoints", source={"path": e.file}, breakpoints=[{"line": 5, "condition": "i == 3"}])
        e.ask("configurationDone")
        assert e.event("stopped")["reason"] == "breakpoint"
        assert e.ask("evaluate", expression="i", frameId=1)["result"] == "3"
        e.ask("evaluate", expression="print('hello')", frameId=1)
        assert e.output("stdout") == "hello\n"
        assert e.response(e.send("setBreakpoints", source={"path": e.file}, breakpoints=[]))["success"]
        e.ask("continue", threadId=1)
        stop = e.event("stopped")
        assert (stop["reason"], stop["text"]) == ("exception", "list index out of range")
        (locals, _) = e.ask("scopes", frameId=1)["scopes"]
        shown = e.ask("variables", variablesReference=locals["variablesReference"])["variables"]
        assert {v["name"]: v["value"] for v in shown} == {"a": "1", "i": "9", "b": "2"}
        e.ask("continue", threadId=1)
        assert e.end() == (1, 0)


def test_leaving():
    """An editor that disconnects ends a program that runs, one that has stopped, and gpa when it goes away"""
    for stopped in (True, False):
        with Editor("n = 0\nwhile True:\n    n += 1") as e:
            e.start(file=[3] if stopped else [])
            if stopped:
                assert e.event("stopped")["reason"] == "breakpoint"
            else:
                e.ask("pause", threadId=1)
                assert e.event("stopped")["reason"] == "pause"
                e.ask("continue", threadId=1)
            e.ask("disconnect", terminateDebuggee=True)
            assert e.process.wait(WAIT) == 0
    with Editor("while True: pass") as e:
        e.start()
        e.ask("terminate")
        assert e.end() == (130, 0)
    with Editor("while True: pass") as e:
        e.start()
        e.process.stdin.close()
        assert e.process.wait(WAIT) == 0


def test_malformed():
    """Messages that are no requests are answered or ignored; the next one is served"""
    with Editor() as e:
        e.process.stdin.write(b"Content-Length: 5\r\n\r\n{oops")
        e.process.stdin.write(b"Header: x\r\nContent-Length: 2\r\n\r\n[]")
        e.process.stdin.flush()
        for _ in range(2):
            assert not e.read()["success"]
        e.start()
        assert e.end() == (0, 0)

COMPILED = """import numpy as np
from numba import cuda, njit, prange, vectorize
@njit(parallel=True)
def f(n):
    total = 0.0
    for i in prange(n):
        total += i * 0.5
    return total
@vectorize
def v(a):
    return a + 1
@cuda.jit
def k(x):
    x[cuda.grid(1)] = 1
print(f(8), v(np.ones(2)))
"""


def test_compiled_functions():
    """A breakpoint in a loop of a jitted function stops there; in a kernel or ufunc it says why it does not"""
    with Editor(COMPILED) as e:
        told = e.start(file=[{"line": 7, "condition": "i == 3"}, 11, 14])
        assert [point["verified"] for point in told] == [True, False, False]
        assert all("run compiled" in point["message"] for point in told[1:])
        assert e.event("stopped")["reason"] == "breakpoint"
        assert e.stack() == [("f", "program.gpa", 7), ("<module>", "program.gpa", 15)]
        frame = e.ask("stackTrace", threadId=1)["stackFrames"][0]["id"]
        assert e.ask("evaluate", expression="total", frameId=frame)["result"] == "1.5"
        e.ask("continue", threadId=1)
        assert e.end() == (0, 0)
        assert e.output("stdout") == "14.0 [2. 2.]\n"


main(globals())
