"""The wire protocol: frames, signatures, identities, malformed messages."""

import json
import time

from client import WAIT, Client, Kernel, Message, main, sign


def still_there(k):
    assert k.ask("kernel_info_request")["status"] == "ok"


def test_info():
    """kernel_info is answered in full, on shell and on control"""
    with Kernel() as k:
        for channel in "shell", "control":
            info = k.ask("kernel_info_request", channel=channel)
            assert (
                info["status"] == "ok"
                and info["protocol_version"] == "5.5"
                and info["language_info"]["file_extension"] == ".gpa"
            )


def test_headers():
    """the parent's header comes back as it was, with members that are not known; a header has
    all of its own"""
    with Kernel() as k:
        header = k.header("kernel_info_request", subshell_id=None, extra={"deep": [1, "zwölf"]})
        k.send("kernel_info_request", header=header)
        m = k.receive()
        assert m.parent == header
        assert (
            m.header["version"] == "5.5"
            and m.header["date"].endswith("Z")
            and m.header["session"] != k.name
        )
        ids = {k.answer(k.send("comm_info_request")).header["msg_id"] for _ in range(20)}
        assert len(ids) == 20


def test_identities():
    """all identity frames come back, also when there are several"""
    with Kernel() as k:
        header = k.header("kernel_info_request")
        parts = [json.dumps(d).encode() for d in (header, {}, {}, {})]
        k.shell.send_multipart(
            [b"one", b"\x00two\xff", b"<IDS|MSG>", sign(parts), *parts, b"a buffer", b""]
        )
        assert k.receive().prefix == [b"one", b"\x00two\xff"]


def test_replays():
    """a signed message that is sent three times runs once"""
    with Kernel() as k:
        assert k.run("n = 0")[0]["status"] == "ok"
        parts = [
            json.dumps(d).encode()
            for d in (k.header("execute_request"), {}, {}, {"code": "n += 1"})
        ]
        for _ in range(3):
            k.shell.send_multipart([b"<IDS|MSG>", sign(parts), *parts])
        assert k.receive().content["status"] == "ok"
        assert k.run("assert n == 1")[0]["status"] == "ok"


def bad_messages(k):
    header = k.header("execute_request")
    parts = [json.dumps(d).encode() for d in (header, {}, {}, {"code": "print('it ran')"})]
    good = sign(parts)
    yield [b"<IDS|MSG>", b"", *parts]
    yield [b"<IDS|MSG>", good[:-1] + b"x", *parts]
    yield [b"<IDS|MSG>", good.upper() + b"0", *parts]
    yield [b"<IDS|MSG>", sign(parts, b"another key"), *parts]
    yield [b"<IDS|MSG>", good, *parts[:3]]
    yield [b"<IDS|MSG>", good]
    yield [b"<IDS|MSG>"]
    yield [b""]
    yield [b"no delimiter"] * 8
    yield [b"x"] * 500
    for at, what in (
        (0, b"[]"),
        (0, b"{}"),
        (0, b'{"msg_type": 3}'),
        (3, b"[1]"),
        (3, b"nonsense"),
        (3, b"\xff\xfe"),
        (3, b'{"code":' + b"[" * 100000),
    ):
        broken = list(parts)
        broken[at] = what
        yield [b"<IDS|MSG>", sign(broken), *broken]


def test_bad_messages():
    """what is unsigned, wrongly signed, too short or no JSON is dropped, and the next request is
    answered"""
    with Kernel() as k:
        for channel in "shell", "control":
            for frames in bad_messages(k):
                getattr(k, channel).send_multipart(frames)
                still_there(k)
        assert "dropped" in k.logged()
        reply, outputs = k.run("1")
        assert reply["execution_count"] == 1, "a bad message was run"


def test_no_key():
    """with an empty key nothing is signed and all is accepted"""
    with Kernel(key=b"", ready=False) as k:
        parts = [json.dumps(d).encode() for d in (k.header("kernel_info_request"), {}, {}, {})]
        k.shell.send_multipart([b"<IDS|MSG>", b"whatever", *parts])
        assert k.shell.poll(WAIT * 1000)
        frames = k.shell.recv_multipart()
        assert frames[1] == b"" and json.loads(frames[5])["status"] == "ok"


def test_unknown():
    """a request of an unknown type, or without what it needs, is enclosed in busy and idle and
    not answered"""
    with Kernel() as k:
        for kind, channel in (
            ("dance_request", "shell"),
            ("debug_request", "shell"),
            ("execute_request", "control"),
            ("execute_request", "shell"),
        ):
            assert k.outputs(k.send(kind, channel=channel)) == []
        assert not k.shell.poll(100) and not k.control.poll(0)
        for kind in "complete_request", "inspect_request", "is_complete_request", "history_request":
            assert k.ask(kind)["status"] in ("ok", "complete", "incomplete")


def test_welcome():
    """who subscribes is welcomed, with the topic"""
    with Kernel(ready=False) as k:
        m = k.receive("iopub")
        assert (
            m.type == "iopub_welcome"
            and m.content == {"subscription": ""}
            and m.parent == {}
            and m.prefix == [b""]
        )
        k.iopub.subscribe(b"stream")
        while (m := k.receive("iopub")).type != "iopub_welcome":
            pass
        assert m.content == {"subscription": "stream"}


def test_two_clients():
    """two front ends: answers go to the one that asked, what is published to both; one may leave"""
    with Kernel() as k:
        other = Client(k.ports)
        other.ready()
        id = k.execute("print('to all')")
        assert k.answer(id).content["status"] == "ok"
        assert [m.type for m in other.outputs(id)] == ["execute_input", "stream"]
        assert not other.shell.poll(50)
        k.outputs(id)
        other.close()
        for _ in range(3):
            assert k.run("2")[0]["status"] == "ok"


def test_heartbeat():
    """the heartbeat is an echo, also while a cell runs"""
    with Kernel() as k:
        k.execute("while True: pass")
        k.until("execute_input")
        for beat in b"ping", b"", b"\x00\xff" * 1000:
            assert k.beat(beat) == beat
        k.interrupt()


def test_many():
    """four front ends with 250 requests each, on shell and control: all are answered, all
    signatures fit"""
    with Kernel() as k:
        others = [Client(k.ports) for _ in range(3)]
        asked = [
            (c, c.send("kernel_info_request", channel=channel), channel)
            for _ in range(125)
            for c in [k, *others]
            for channel in ("shell", "control")
        ]
        for c, id, channel in asked:
            assert c.receive(channel).parent["msg_id"] == id
        for c in others:
            c.close()


def test_lone_surrogates():
    """half a surrogate pair, as JavaScript may send it, is U+FFFD; a whole pair is its
    character; the rest is as it came"""
    with Kernel() as k:
        for code, length, last in (
            (r"'\ud800'", 1, 0xFFFD),
            (r"'a\uDFFFb\ud83d\ude00'", 4, 0x1F600),
            (r"'\\\\ud800\ud800\u0041'", 8, 0x41),
        ):
            header = k.header("execute_request")
            parts = [
                json.dumps(header).encode(),
                b"{}",
                b"{}",
                b'{"code": "x = %s; len(x), ord(x[-1])"}' % code.encode(),
            ]
            k.shell.send_multipart([b"<IDS|MSG>", sign(parts), *parts])
            assert k.answer(header["msg_id"]).content["status"] == "ok"
            shown = [m for m in k.outputs(header["msg_id"]) if m.type == "execute_result"]
            assert shown[0].content["data"]["text/plain"] == f"({length}, {last})", shown[0].content


main(globals())
