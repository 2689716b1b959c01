"""Widgets by the protocol, without a browser: the real ipywidgets of this Python, and libraries above it."""

import importlib.util
import sys

from client import Kernel, main, texts

ENV = {"GPA_PYTHON": sys.executable}
VIEW = "application/vnd.jupyter.widget-view+json"


def run(kernel, code):
    reply, outputs = kernel.run(code)
    assert reply["status"] == "ok", reply
    return outputs


def opened(outputs, model):
    """The comm of the first model of this name that the outputs open."""
    return next(
        m.content["comm_id"]
        for m in outputs
        if m.type == "comm_open" and m.content["data"]["state"]["_model_name"] == model
    )


def update(kernel, comm, **state):
    data = {"method": "update", "state": state, "buffer_paths": []}
    return kernel.send("comm_msg", {"comm_id": comm, "data": data})


def states(outputs, comm):
    return [
        m.content["data"]["state"]
        for m in outputs
        if m.type == "comm_msg" and m.content["comm_id"] == comm
    ]


def test_interact():
    """interact: the parameters become widgets, output goes to the Output widget, a slider's move calls the function"""
    with Kernel(ENV) as k:
        outputs = run(
            k,
            "from ipywidgets import interact\n@interact(n=(1, 9))\ndef show(n=3, *, name='a', flag=True):\n"
            "    print(n, name, flag)\n    return np.arange(n)",
        )
        slider, out = opened(outputs, "IntSliderModel"), opened(outputs, "OutputModel")
        opened(outputs, "TextModel"), opened(outputs, "CheckboxModel")
        assert texts(outputs) == "3 a True\n"
        assert outputs[-1].type == "display_data" and VIEW in outputs[-1].content["data"]
        assert all(m.metadata == {"version": "2.1.0"} for m in outputs if m.type == "comm_open")
        id = update(k, slider, value=2)
        outputs = k.outputs(id)
        # The front end shows in the Output widget what comes for the request that msg_id names.
        assert [s["msg_id"] for s in states(outputs, out)] == [id, ""]
        kinds = [m.type for m in outputs if m.type != "comm_msg"]
        assert kinds == ["clear_output", "stream", "display_data"] and texts(outputs) == "2 a True\n"
        assert outputs[-2].content["data"]["text/plain"] == "array([0, 1])"


def test_error():
    """An error of the function is displayed, with the lines of the program; the session goes on"""
    with Kernel(ENV) as k:
        outputs = run(k, "from ipywidgets import interact\ndef bad(n=3):\n    return 1 / n\ninteract(bad, n=(0, 5));")
        outputs = k.outputs(update(k, opened(outputs, "IntSliderModel"), value=0))
        (error,) = [m.content for m in outputs if m.type == "error"]
        assert error["ename"] == "ZeroDivisionError" and "line 3, in bad" in "".join(error["traceback"])
        assert k.run("1")[0]["status"] == "ok"


def busy(k):
    """Starts a cell that runs until go_on(); its id."""
    id = k.execute("input()", allow_stdin=True)
    k.receive("stdin")
    return id


def go_on(k, id):
    k.send("input_reply", {"value": ""}, "stdin")
    k.answer(id)


def test_flood():
    """Moves of a slider while a cell runs cost one call with the last value; a click between them is not overtaken"""
    with Kernel(ENV) as k:
        outputs = run(
            k,
            "import ipywidgets, time\ns, b = ipywidgets.IntSlider(), ipywidgets.Button()\nseen = []\n"
            "s.observe(lambda change: seen.append(change['new']), 'value')\nb.on_click(lambda b: seen.append('click'))",
        )
        slider, button = opened(outputs, "IntSliderModel"), opened(outputs, "ButtonModel")
        wait = busy(k)
        ids = [update(k, slider, value=n) for n in range(1, 6)]
        ids.append(
            k.send(
                "comm_msg",
                {"comm_id": button, "data": {"method": "custom", "content": {"event": "click"}}},
            )
        )
        ids += [update(k, slider, value=n) for n in range(6, 10)]
        k.ask("comm_info_request", {})  # answered after those were read
        go_on(k, wait)
        for id in ids:
            k.outputs(id)  # each has busy and idle
        assert run(k, "print(seen)")[-1].content["text"] == "[5, 'click', 9]\n"


def test_reload():
    """comm_info lists the open comms of a target, also while a cell runs; the page gets all states from
    jupyter.widget.control; closed widgets are gone"""
    with Kernel(ENV) as k:
        outputs = run(k, "import ipywidgets, time\ns = ipywidgets.FloatText(2.5)")
        comm = opened(outputs, "FloatTextModel")
        wait = busy(k)
        listed = k.ask("comm_info_request", {"target_name": "jupyter.widget"})["comms"]
        assert listed[comm] == {"target_name": "jupyter.widget"}
        go_on(k, wait)
        assert k.ask("comm_info_request", {"target_name": "other"})["comms"] == {}
        control = {"comm_id": "control", "target_name": "jupyter.widget.control", "data": {}}
        k.outputs(k.send("comm_open", control, metadata={"version": "1.0.0"}))
        id = k.send("comm_msg", {"comm_id": "control", "data": {"method": "request_states"}})
        (answer,) = [m.content["data"] for m in k.outputs(id) if m.type == "comm_msg"]
        assert answer["method"] == "update_states" and answer["states"][comm]["state"]["value"] == 2.5
        run(k, "s.close()")
        assert comm not in k.ask("comm_info_request", {})["comms"]
        assert "control" in k.ask("comm_info_request", {})["comms"]


def test_buffers():
    """Binary state crosses in buffers, both ways"""
    with Kernel(ENV) as k:
        outputs = run(k, "import ipywidgets\nimage = ipywidgets.Image(value=bytes([1, 2, 255]), format='png')")
        (m,) = [
            m
            for m in outputs
            if m.type == "comm_open" and m.content["data"]["state"]["_model_name"] == "ImageModel"
        ]
        assert m.content["data"]["buffer_paths"] == [["value"]] and m.buffers == [b"\x01\x02\xff"]
        data = {"method": "update", "state": {}, "buffer_paths": [["value"]]}
        content = {"comm_id": m.content["comm_id"], "data": data}
        k.outputs(k.send("comm_msg", content, buffers=[b"new\0value"]))
        assert texts(run(k, "print(image.value.tobytes())")) == "b'new\\x00value'\n"


def test_output_widget():
    """An Output widget takes what its block prints, displays and raises"""
    with Kernel(ENV) as k:
        run(k, "from ipywidgets import Output\nout = Output()")
        outputs = run(k, "with out:\n    print('inside')\n    display(np.ones(2))\n    [][1]\nprint('after')")
        ids = [s["msg_id"] for m in outputs if m.type == "comm_msg" for s in [m.content["data"]["state"]]]
        assert ids == [outputs[0].parent["msg_id"], ""]
        kinds = [m.type for m in outputs if m.type != "comm_msg"]
        assert kinds == ["execute_input", "stream", "display_data", "error", "stream"]


def test_plots():
    """A figure that the function draws is shown in its Output widget"""
    with Kernel(ENV) as k:
        outputs = run(
            k,
            "import matplotlib.pyplot as plt\nfrom ipywidgets import interact\n"
            "@interact(n=(1, 5))\ndef show(n=2):\n    plt.plot(np.arange(n))",
        )
        out = opened(outputs, "OutputModel")
        kinds = ["image" if "image/png" in m.content.get("data", {}) else m.type for m in outputs]
        marks = [i for i, m in enumerate(outputs) if m.type == "comm_msg" and m.content["comm_id"] == out]
        assert kinds.count("image") == 1 and marks[-2] < kinds.index("image") < marks[-1]


def test_tqdm():
    """Python's tqdm takes its widget, whose bar reaches the end"""
    with Kernel(ENV) as k:
        outputs = run(k, "import ipywidgets\nfrom python.tqdm.auto import tqdm\nfor i in tqdm(range(4)): pass")
        bar = opened(outputs, "FloatProgressModel")
        assert {"value": 4.0}.items() <= {k: v for s in states(outputs, bar) for k, v in s.items()}.items()


def test_without():
    """Without Python there is no ipywidgets, and comms are closed at once"""
    with Kernel({"GPA_PYTHON": "none"}) as k:
        reply, _ = k.run("import ipywidgets")
        assert reply["ename"] == "ModuleNotFoundError"
        content = {"comm_id": "1", "target_name": "jupyter.widget.control", "data": {}}
        assert [m.type for m in k.outputs(k.send("comm_open", content))] == ["comm_close"]
        assert k.ask("comm_info_request", {})["comms"] == {}


lacking = [m for m in ("ipywidgets", "matplotlib", "tqdm") if importlib.util.find_spec(m) is None]
if lacking:
    print("skip - no " + ", ".join(lacking))
else:
    main(globals())
