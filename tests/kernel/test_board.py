"""The 27 questions of the public scoreboard of Jupyter kernels (github.com/runtimed/kernel-
testbed), put to one kernel in its order: the basics, interaction, rich output, the rest;
shutting down comes last."""

import time

from client import Client, Kernel, main, texts

kernel = Kernel(ready=False)
RESULT = "1 + 1"


def outputs_of(code):
    reply, outputs = kernel.run(code)
    assert reply["status"] == "ok", reply
    return outputs


def only(outputs, kind):
    (found,) = [m for m in outputs if m.type == kind]
    return found.content


def test_heartbeat_responds():
    """heartbeat_responds"""
    assert kernel.beat(b"ping") == b"ping"


def test_iopub_welcome():
    """iopub_welcome: within half a second of subscribing, on an idle machine"""
    took = []
    for _ in range(5):
        other, begun = Client(kernel.ports), time.time()
        assert other.receive("iopub").type == "iopub_welcome"
        took.append(time.time() - begun)
        other.close()
    assert min(took) < 0.5, took
    kernel.ready()


def test_kernel_info_reply_valid():
    """kernel_info_reply_valid"""
    info = kernel.ask("kernel_info_request")
    assert (
        info["status"] == "ok"
        and info["implementation"] == "gpa"
        and info["implementation_version"]
        and info["banner"]
    )
    assert all(set(link) == {"text", "url"} for link in info["help_links"])


def test_kernel_info_has_language_info():
    """kernel_info_has_language_info"""
    language = kernel.ask("kernel_info_request")["language_info"]
    assert (
        language["name"] == "python"
        and language["version"]
        and language["mimetype"] == "text/x-python"
        and language["file_extension"] == ".gpa"
    )


def test_kernel_info_has_protocol_version():
    """kernel_info_has_protocol_version"""
    assert kernel.ask("kernel_info_request")["protocol_version"] == "5.5"


def test_execute_stdout():
    """execute_stdout"""
    assert texts(outputs_of("print('hello')")) == "hello\n"


def test_execute_stderr():
    """execute_stderr"""
    assert texts(outputs_of("import sys; print('error', file=sys.stderr)"), "stderr") == "error\n"


def test_execute_reply_ok():
    """execute_reply_ok"""
    assert kernel.run("x = 1")[0]["status"] == "ok"


def test_status_busy_idle_lifecycle():
    """status_busy_idle_lifecycle"""
    id, states = kernel.execute(RESULT), []
    while states[-1:] != ["idle"]:
        m = kernel.receive("iopub")
        states += (
            [m.content["execution_state"]]
            if m.type == "status" and m.parent["msg_id"] == id
            else []
        )
    kernel.answer(id)
    assert states == ["busy", "idle"]


def test_execute_input_broadcast():
    """execute_input_broadcast"""
    assert only(outputs_of(RESULT), "execute_input")["code"] == RESULT


def test_complete_request():
    """complete_request: a name of the user's"""
    outputs_of("test_variable_for_completion = 42")
    found = kernel.ask("complete_request", {"code": "test_variable_for_", "cursor_pos": 18})
    assert (
        found["status"] == "ok"
        and found["matches"] == ["test_variable_for_completion"]
        and (found["cursor_start"], found["cursor_end"]) == (0, 18)
    )


def test_inspect_request():
    """inspect_request: a name of the user's"""
    found = kernel.ask(
        "inspect_request",
        {"code": "test_variable_for_completion", "cursor_pos": 28, "detail_level": 0},
    )
    assert (
        found["found"]
        and "42" in found["data"]["text/plain"]
        and "int" in found["data"]["text/plain"]
    )


def test_is_complete_complete():
    """is_complete_complete"""
    assert kernel.ask("is_complete_request", {"code": "x = 1"}) == {"status": "complete"}


def test_is_complete_incomplete():
    """is_complete_incomplete"""
    assert kernel.ask("is_complete_request", {"code": "def foo("})["status"] == "incomplete"


def test_history_request():
    """history_request: the last ten"""
    last = kernel.ask(
        "history_request", {"hist_access_type": "tail", "n": 10, "output": False, "raw": True}
    )["history"]
    assert last[-1][2] == "test_variable_for_completion = 42" and len(last) <= 10


def test_comm_info_request():
    """comm_info_request"""
    assert kernel.ask("comm_info_request") == {"status": "ok", "comms": {}}


def test_error_handling():
    """error_handling: one error, and the kernel goes on"""
    reply, outputs = kernel.run("def class")
    assert (
        reply["status"] == "error"
        and only(outputs, "error")["ename"] == "SyntaxError"
        and reply["traceback"]
    )
    outputs_of(RESULT)


def test_display_data():
    """display_data"""
    shown = only(
        outputs_of("from IPython.display import display, HTML; display(HTML('<b>bold</b>'))"),
        "display_data",
    )
    assert shown["data"]["text/html"] == "<b>bold</b>" and shown["data"]["text/plain"]


def test_update_display_data():
    """update_display_data: display(), then update_display() with the display_id of its handle,
    and update() of the handle"""
    shown = outputs_of(
        "from IPython.display import display, HTML, update_display\ndh ="
        " display(HTML('<b>initial</b>'), display_id=True)\nupdate_display(HTML('<b>✨ updated"
        " ✨</b>'), display_id=dh.display_id)\ndh.update(HTML('again'))"
    )
    first, second, third = [m.content for m in shown if "display" in m.type]
    assert [m.type for m in shown[-3:]] == [
        "display_data",
        "update_display_data",
        "update_display_data",
    ]
    assert (
        first["transient"]["display_id"]
        == second["transient"]["display_id"]
        == third["transient"]["display_id"]
    )
    assert [m["data"]["text/html"] for m in (first, second, third)] == [
        "<b>initial</b>",
        "<b>✨ updated ✨</b>",
        "again",
    ]


def test_execute_result():
    """execute_result"""
    assert only(outputs_of(RESULT), "execute_result")["data"] == {"text/plain": "2"}


def test_rich_execute_result():
    """rich_execute_result"""
    assert (
        only(outputs_of("from IPython.display import HTML; HTML('<b>bold</b>')"), "execute_result")[
            "data"
        ]["text/html"]
        == "<b>bold</b>"
    )


def test_stdin_input_request():
    """stdin_input_request"""
    id = kernel.execute("input('Enter: ')", allow_stdin=True)
    assert kernel.receive("stdin").content["prompt"] == "Enter: "
    kernel.send("input_reply", {"value": "test_input_42"}, "stdin")
    assert kernel.answer(id).content["status"] == "ok"
    assert only(kernel.outputs(id), "execute_result")["data"]["text/plain"] == "'test_input_42'"


def test_comms_lifecycle():
    """comms_lifecycle: an unknown target is closed at once"""
    outputs = kernel.outputs(
        kernel.send(
            "comm_open",
            {"comm_id": "test-comm", "target_name": "jupyter.kernel_testbed.test", "data": {}},
        )
    )
    assert only(outputs, "comm_close")["comm_id"] == "test-comm"


def test_interrupt_request():
    """interrupt_request: on control, while a cell sleeps"""
    id = kernel.execute("import time; time.sleep(20)")
    kernel.until("execute_input")
    began = time.time()
    assert kernel.ask("interrupt_request", channel="control") == {"status": "ok"}
    assert kernel.answer(id).content["ename"] == "KeyboardInterrupt" and time.time() - began < 2


def test_execution_count_increments():
    """execution_count_increments"""
    first, second = (kernel.run(RESULT)[0]["execution_count"] for _ in range(2))
    assert second == first + 1


def test_parent_header_correlation():
    """parent_header_correlation: every message names the request that it belongs to"""
    header = kernel.header("execute_request")
    kernel.send("execute_request", {"code": "print(1); 2"}, header=header)
    assert kernel.receive("shell").parent == header
    for _ in ("busy", "execute_input", "stream", "execute_result", "idle"):
        assert kernel.receive("iopub").parent == header


def test_shutdown_reply():
    """shutdown_reply"""
    assert kernel.shut_down().content == {"status": "ok", "restart": False}


try:
    main(globals())
finally:
    kernel.__exit__()
