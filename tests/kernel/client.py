"""A front end that speaks the protocol frame by frame, so that it can also speak it wrongly; and
the tests' small frame.

with Kernel() as k:
    reply, outputs = k.run("1 + 2")
"""

import hashlib
import hmac
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
import uuid

import zmq

PROGRAM = os.path.join(os.environ.get("B", "build/release"), "gpa-kernel")
COMMAND = [PROGRAM, "-f"]  # and the connection file
KEY = b"a key of the tests"
WAIT = 60  # seconds for an answer, on a slow machine in a slow build
CHANNELS = {
    "shell": zmq.DEALER,
    "control": zmq.DEALER,
    "stdin": zmq.DEALER,
    "iopub": zmq.SUB,
    "hb": zmq.REQ,
}
# An address of this process's own, so that between the choice of a port and its use no other process
# takes it.
HERE = "127.{}.{}.{}".format(1 + (os.getpid() >> 16), os.getpid() >> 8 & 255, os.getpid() & 255)


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind((HERE, 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def sign(parts, key=KEY):
    return hmac.new(key, b"".join(parts), hashlib.sha256).hexdigest().encode()


class Message:
    def __init__(self, frames):
        at = frames.index(b"<IDS|MSG>")
        self.prefix, self.signature, self.dicts = (
            frames[:at],
            frames[at + 1],
            frames[at + 2 : at + 6],
        )
        assert self.signature == sign(self.dicts), "a signature of the kernel's does not fit"
        self.header, self.parent, self.metadata, self.content = map(json.loads, self.dicts)
        self.buffers = frames[at + 6 :]
        self.type = self.header["msg_type"]


class Client:
    """One front end. Its shell, control and stdin sockets have one identity, as the protocol
    wants it."""

    def __init__(self, ports):
        self.zmq, self.name = zmq.Context(), uuid.uuid4().hex
        for (channel, kind), port in zip(CHANNELS.items(), ports):
            s = self.zmq.socket(kind)
            s.linger, s.reconnect_ivl = 0, 5  # ms: the kernel is still starting when this connects
            if kind == zmq.DEALER:
                s.identity = self.name.encode()
            if kind == zmq.SUB:
                s.subscribe(b"")
            s.connect(f"tcp://{HERE}:{port}")
            setattr(self, channel, s)

    def close(self):
        self.zmq.destroy(linger=0)

    def header(self, kind, **more):
        return dict(
            msg_id=uuid.uuid4().hex,
            session=self.name,
            username="tester",
            date="2026-01-01T00:00:00Z",
            msg_type=kind,
            version="5.5",
            **more,
        )

    def send(self, kind, content=None, channel="shell", header=None, metadata=None, buffers=()):
        header = header or self.header(kind)
        parts = [json.dumps(d).encode() for d in (header, {}, metadata or {}, content or {})]
        getattr(self, channel).send_multipart([b"<IDS|MSG>", sign(parts), *parts, *buffers])
        return header["msg_id"]

    def receive(self, channel="shell", wait=WAIT):
        s = getattr(self, channel)
        assert s.poll(wait * 1000), f"nothing on {channel} within {wait} s"
        return Message(s.recv_multipart())

    def answer(self, id, channel="shell"):
        """The answer to a request, whatever else comes before it."""
        while True:
            m = self.receive(channel)
            if m.parent.get("msg_id") == id:
                return m

    def ask(self, kind, content=None, channel="shell"):
        return self.answer(self.send(kind, content, channel), channel).content

    def outputs(self, id):
        """What is published for a request, from busy to idle, without these two."""
        seen = []
        while True:
            m = self.receive("iopub")
            if m.parent.get("msg_id") != id:
                continue
            if m.type == "status":
                state = m.content["execution_state"]
                assert state == (
                    "idle" if seen and seen[0] == "busy" else "busy"
                ), f"{state} out of turn"
                if state == "idle":
                    return seen[1:]
                seen.append("busy")
            else:
                assert seen, f"{m.type} before busy"
                seen.append(m)

    def execute(self, code, **more):
        return self.send("execute_request", dict(code=code, **more))

    def run(self, code, **more):
        id = self.execute(code, **more)
        return self.answer(id).content, self.outputs(id)

    def until(self, kind):
        while True:
            m = self.receive("iopub")
            if m.type == kind:
                return m

    def ready(self):
        self.receive("iopub")  # the welcome: from here on nothing is missed
        self.outputs_of_info = self.outputs(self.send("kernel_info_request"))
        self.receive("shell")


class Kernel(Client):
    """A kernel's process, and its first front end."""

    def __init__(self, env=None, key=KEY, ready=True):
        self.ports = free_ports(5)
        self.folder = tempfile.TemporaryDirectory()
        self.file = os.path.join(self.folder.name, "connection.json")
        names = [c + "_port" for c in CHANNELS]
        with open(self.file, "w") as f:
            json.dump(
                dict(
                    zip(names, self.ports),
                    transport="tcp",
                    ip=HERE,
                    key=key.decode(),
                    signature_scheme="hmac-sha256",
                ),
                f,
            )
        self.log = open(os.path.join(self.folder.name, "log"), "w+")
        self.process = subprocess.Popen(
            [*COMMAND, self.file],
            stdin=subprocess.PIPE,
            stdout=self.log,
            stderr=self.log,
            env={**os.environ, **(env or {})},
            start_new_session=True,
        )
        super().__init__(self.ports)
        if ready:
            self.ready()

    def logged(self):
        self.log.seek(0)
        return self.log.read()

    def beat(self, what=b"beat"):
        """The heartbeat's answer. What was sent on any channel before lies in the kernel's
        queues then."""
        self.hb.send(what)
        assert self.hb.poll(WAIT * 1000), f"no heartbeat within {WAIT} s"
        return self.hb.recv()

    def interrupt(self):
        os.kill(self.process.pid, signal.SIGINT)

    def shut_down(self):
        id = self.send("shutdown_request", {"restart": False}, "control")
        reply = self.answer(id, "control")
        assert self.process.wait(WAIT) == 0, f"exit code {self.process.returncode}"
        return reply

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.close()
        self.log.close()
        self.folder.cleanup()


def texts(outputs, name="stdout"):
    return "".join(
        m.content["text"] for m in outputs if m.type == "stream" and m.content["name"] == name
    )


def main(tests):
    """Runs the functions whose names begin with test_; their docstrings name them."""
    failed = 0
    for name, test in list(tests.items()):
        if not name.startswith("test_"):
            continue
        title = " ".join(test.__doc__.split())
        try:
            test()
            print(f"ok - {title}", flush=True)
        except Exception:
            failed += 1
            print(f"not ok - {title}")
            print(
                "".join("# " + line + "\n" for line in traceback.format_exc().splitlines()),
                end="",
                flush=True,
            )
    sys.exit(failed > 0)
