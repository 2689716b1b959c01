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


main(globals())
